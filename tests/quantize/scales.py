#!/usr/bin/env python3
"""scales.py LT_QUANTIZE LT_RUN SEED [LT_BUILD TARGET...] -- lt-quantize --scales any on random networks; prints TAP.

All integers are computed again, by tests/fixed/fixed.py, from docs/quantize.md: weights, biases and data follow from
the floats and the steps that the script notes, multipliers and shifts from two steps each, and these from those of what
is multiplied. With TARGETs some scripts are built for these, too, which an emulator runs and lt-build compares.
"""
import json
import os
import sys
from fractions import Fraction

import numpy as np

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), at) for at in ('.', '../fixed')]
import networks as n  # noqa: E402 -- it takes the same arguments
from fixed import brought, multiplier_of  # noqa: E402

BUILD, GIVEN = (sys.argv[4], sys.argv[5:]) if len(sys.argv) > 4 else (None, [])
TARGETS = []                            # of the case in hand
TRIED = [(16 - i) / 16 for i in range(12)]


def best_step(w, bits, signed):
    """Of twelve steps, from the one that holds all of w down to 5/16 of it, that whose integers are nearest to it; all
    are numbers of float32."""
    low, high = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if signed else (0, 2 ** bits - 1)
    most = np.float32(max(w.max() / high, w.min() / low if low else 0))
    tried = [float(np.float32(float(most) * t)) for t in TRIED]
    lost = [((w - np.clip(np.floor(w / s + 0.5), low, high) * s) ** 2).sum() for s in tried]
    return tried[int(np.argmin(lost))]


class Result:
    """What a run of lt-quantize wrote: the steps by name, the integers, what is brought to other steps."""

    def __init__(self, d, text, weights, x, bits, *more):
        self.d, self.x, self.w = d, x, weights
        script = d.write('float.lt', text)
        np.savez(d('w.npz'), **weights)
        np.save(d('x.npy'), x)
        n.run(n.QUANTIZE, script, '-w', d('w.npz'), '--data', d('x.npy'), '-o', d('q.lt'), '--bits', bits, '--scales',
              'any', '--data-out', d('xq.npy'), '--metric', 'error', '--loss', '100', '--time', '0.000001', '--report',
              d('q.json'), '--page', d('q.html'), *more)
        self.held, self.kinds = n.read_safetensors(d('q.safetensors')), n.types(d('q.lt'))
        self.named, _ = n.steps(d('q.lt'))
        with open(d('q.json')) as f:
            report = json.load(f)
        self.cells = {c['name']: c for c in report['cells']}
        self.sums = {s['name']: s for s in report['sums']}
        self.moves = {(m['name'], m['of'], m['number']): m for m in report['multipliers']}
        self.used = set()
        n.same(np.load(d('xq.npy')), n.quantised(x, self.named['x'], self.kinds['x']), 'data')
        assert self.named['x'] == self.cells['x']['scale']
        for name, value in weights.items():
            if self.cells.get(name, {}).get('kind') == 'constant':
                self.check_weight(name, value, int(bits))
        for m in self.moves.values():
            ratio = Fraction(m['from'] / m['to']) * 2 ** m['down']
            assert (m['multiplier'], m['shift']) == multiplier_of(ratio) or (m['of'] == 'channel' and ratio == 1
                    and m['multiplier'] == 2 ** 31 - 1 and m['shift'] == 0), m
        with open(d('q.html')) as f:
            page = f.read()
        rows = [c for c in report['cells'] if c['kind'] != 'wide'] + list(self.sums) + [m for m in self.moves.values()
                                                                                       if m['of'] != 'channel']
        assert page.count('<tr><td>') == len(rows), 'rows of the page'

    def check_weight(self, name, value, bits):
        """The steps are the best ones, all of which the search may have moved by an eighth, or two; the integers are
        those at them."""
        cell, step, signed = self.cells[name], self.cells[name]['scale'], value.min() < 0
        axis = 1 if value.ndim == 2 else 0              # of x @ w the columns, of a convolution the first one
        assert cell['bits'] == bits, (name, cell['bits'])
        if 'scales' in cell:
            assert len(cell['scales']) == value.shape[axis]
            by = np.moveaxis(np.float64(value), axis, 0)
            own = [best_step(v, bits, signed) if v.any() else None for v in by]
            ratio = np.array(cell['scales']) / [max(v for v in own if v) if v is None else v for v in own]
            step = np.array(cell['scales']).reshape([-1 if k == axis else 1 for k in range(value.ndim)])
        else:
            ratio = np.array([step / best_step(np.float64(value), bits, signed)])
            assert bits == 4 or step == self.named[name], name      # noted is what is taken out of the bytes
        moved = [1.125 ** i * 0.875 ** k for i in range(3) for k in range(3 - i)]
        assert any(np.allclose(ratio, v, rtol=1e-6) for v in moved), (name, ratio)
        if bits == 4:                   # two in a byte along that axis; from here on what is taken out of them
            q = np.clip(np.floor(np.float64(value) / step + 0.5), -8 if signed else 0, 7 if signed else 15)
            n.same(self.held[name], n.packed(q.astype(np.int64), axis), 'bytes of ' + name)
            assert cell['bytes'] == self.held[name].nbytes, name
            self.held[name] = q.astype(np.int64)
        else:
            n.same(self.held[name], n.quantised(value, step, self.kinds[name]), name)

    def total(self, name, x):
        """A sum is within what the report says of it."""
        assert self.sums[name]['least'] <= x.min() and x.max() <= self.sums[name]['most'], (name, x.min(), x.max())
        return x

    def bring(self, x, scale, name, of, number=0, to=None):
        """x, of a step, at another one, by the multiplier that there is; where there is none it has that step."""
        m = self.moves.get((name, of, number))
        if not m:
            assert to is None or to == scale, (name, of, number, scale, to)
            return x, scale
        self.used.add((name, of, number))
        assert abs(m['from'] / scale - 1) < 1e-14, (m, scale)
        assert to is None or m['to'] == to, (m, to)
        if m['down']:                   # no more than it has to be
            s = self.sums.get(name)
            assert s is None or max(-s['least'], s['most']) / 2 ** (m['down'] - 1) > 2 ** 31 - 2, m
        one = np.vectorize(lambda v: brought(int(v), m['down'], m['multiplier'], m['shift']), otypes=[np.int64])
        return one(x), m['to']

    def channels(self, x, scale, name, cell, axis):
        """A sum whose channels have steps of their own, at the coarsest of these, or a coarser one of more bits."""
        if 'scales' not in self.cells[cell]:
            return x, scale * self.cells[cell]['scale']
        x, to = np.moveaxis(x, axis, 0).copy(), None
        for k, step in enumerate(self.cells[cell]['scales']):
            x[k], to = self.bring(x[k], scale * step, name, 'channel', k, to)
        ratio = to / (scale * max(self.cells[cell]['scales']))
        down = max(m['down'] for m in self.moves.values() if m['of'] == 'channel' and m['name'] == name)
        assert abs(ratio / 2 ** down - 1) < 1e-14, (ratio, down)
        return np.moveaxis(x, 0, axis), to

    def beside(self, x, scale, name):
        """A sum and a constant at the sum's step."""
        assert abs(self.named[name] / scale - 1) < 1e-14, (name, scale)
        n.same(self.held[name], n.quantised(self.w[name], self.named[name], self.kinds[name]), name)
        return x + self.held[name], self.named[name]

    def keep(self, x, scale, name):
        """What is kept: at its step, or, where that is finer, as it is; cut off at the ends of its bits."""
        c = self.cells[name]
        x, scale = self.bring(x, scale, name, 'value', 0, c['scale'] if scale < c['scale'] else None)
        assert scale == c['scale'], (name, scale, c)
        return np.clip(x, round(c['least'] / c['scale']), round(c['most'] / c['scale'])), scale

    def wide(self, x, scale, name):
        """A result has the bits that it needs, 32 at most."""
        step = self.cells[name]['scale']
        down = int(np.round(np.log2(step / scale)))
        assert down >= 0 and abs(step / scale / 2.0 ** down - 1) < 1e-14, (step, scale)
        return n.rounded(x, down)

    def check(self, rng, m, model, name='result'):
        """Data, more of it with the ends of the type, and rows for which one more or one less is another result."""
        xq = n.widened(rng, np.load(self.d('xq.npy')), self.kinds['x'], 2 * m)
        got = n.results(self.d, self.d('q.lt'), xq.reshape(-1, m, *xq.shape[1:]), len(xq) // m, 'x', 'ref')[name]
        want = model(xq.astype(np.int64))
        n.same(got.reshape(want.shape), want, name)
        missing = set(self.moves) - self.used
        assert not missing, 'multipliers that nothing was computed with: %s' % sorted(missing)
        for target in TARGETS:
            said = n.run(BUILD, self.d('q.lt'), '-w', self.d('q.safetensors'), '--target', target, '-i', 'x=random',
                         '-o', self.d('q.c'))
            assert 'verified: ' in said, said
            with open(self.d('q.c')) as f:
                words = set(n.re.findall(r'\w+', n.re.sub(r'/\*.*?\*/', '', f.read(), flags=n.re.DOTALL)))
            assert not words & {'float', 'double'}, target


def dense(rng, bits, *more):
    """Two layers with biases and ReLU: one multiplier for what is kept, and one a channel."""
    m, k, c, o = [int(v) for v in rng.integers([1, 3, 3, 2], [4, 14, 12, 8])]
    w = {'w0': rng.normal(size=(k, c)) * rng.choice([0.01, 1, 30]), 'b0': rng.normal(size=c),
         'w1': rng.normal(size=(c, o)) * 2.0 ** rng.uniform(-3, 3, o), 'b1': rng.normal(size=o)}
    w = {name: v.astype(np.float32) for name, v in w.items()}
    x = (rng.normal(size=(4 * m, k)) * rng.choice([0.1, 1, 50])).astype(np.float32)
    r = Result(n.Folder(), '''
x = InputTensor(x, float32, [%d, %d]);
h = ReLUNode(x @ ConstantTensor(w0, float32, [%d, %d]) + ConstantTensor(b0, float32, [%d]));
result = h @ ConstantTensor(w1, float32, [%d, %d]) + ConstantTensor(b1, float32, [%d]);
''' % (m, k, k, c, c, c, o, o), w, x, bits, *more)
    first, second = r.sums

    def model(x):
        h, s = r.channels(r.total(first, x @ r.held['w0'].astype(np.int64)), r.named['x'], first, 'w0', 1)
        h, s = r.beside(h, s, 'b0')
        h, s = r.keep(np.maximum(h, 0), s, 'h')
        y, s = r.channels(r.total(second, h @ r.held['w1'].astype(np.int64)), s, second, 'w1', 1)
        y, s = r.beside(y, s, 'b1')
        return r.wide(y, s, 'result')

    r.check(rng, m, model)


def residual(rng, bits, *more):
    """A sum of two values and a concat of two, which have steps of their own: both at one step, of 29 bits at most."""
    m, k, o = [int(v) for v in rng.integers([1, 3, 2], [4, 9, 8])]
    w = {'w0': rng.normal(size=(k, k)), 'w1': rng.normal(size=(2 * k, o))}
    w = {name: v.astype(np.float32) for name, v in w.items()}
    x = (rng.normal(size=(4 * m, k)) * rng.choice([0.2, 1, 7])).astype(np.float32)
    r = Result(n.Folder(), '''
x = InputTensor(x, float32, [%d, %d]);
y = x @ ConstantTensor(w0, float32, [%d, %d]);
s = y + x;
c = ConcatNode(1, s, ReLUNode(x));
result = c @ ConstantTensor(w1, float32, [%d, %d]);
''' % (m, k, k, k, 2 * k, o), w, x, bits, *more)
    first, second = r.sums

    def meet(name, *parts):
        """Values at one step, 2^k finer than the finest; all that has another step is brought to it."""
        to = {mv['to'] for (at, of, _), mv in r.moves.items() if at == name and of == 'operand'}
        assert len(to) == 1, (name, to)
        to = to.pop()
        finest = min(scale for _, scale in parts)
        power = int(np.round(np.log2(finest / to)))
        assert abs(to * 2.0 ** power / finest - 1) < 1e-14 and power <= 16, (name, finest, to)
        out = []
        for i, (v, scale) in enumerate(parts):
            if (name, 'operand', i) not in r.moves:         # bits finer: moved up
                up = int(np.round(np.log2(scale / to)))
                assert abs(to * 2.0 ** up / scale - 1) < 1e-14 and up >= 0
                v = v << up
            else:
                v, _ = r.bring(v, scale, name, 'operand', i, to)
            assert abs(v).max() < 2 ** 30
            out.append(v)
        return out, to

    def model(x):
        y, s = r.channels(r.total(first, x @ r.held['w0'].astype(np.int64)), r.named['x'], first, 'w0', 1)
        (a, b), s = meet('s', (y, s), (x, r.named['x']))
        names = [c for c, v in r.cells.items() if v['kind'] == 'value']
        assert names == ['c'], names
        (a, b), s = meet('c', (a + b, s), (np.maximum(x, 0), r.named['x']))
        c, s = r.keep(np.concatenate([a, b], 1), s, 'c')
        y, s = r.channels(r.total(second, c @ r.held['w1'].astype(np.int64)), s, second, 'w1', 1)
        return r.wide(y, s, 'result')

    r.check(rng, m, model)


def numbers(rng, bits, *more):
    """A table of any steps on both sides, of a value times a number; a number below 0 changes the step and the sign."""
    m, k, o = [int(v) for v in rng.integers([1, 3, 2], [4, 9, 8])]
    w = {'w0': rng.normal(size=(k, k)).astype(np.float32), 'w1': rng.normal(size=(k, o)).astype(np.float32)}
    x = rng.normal(size=(4 * m, k)).astype(np.float32)
    factor = float(np.float32(-rng.uniform(0.1, 3)))
    r = Result(n.Folder(), '''
x = InputTensor(x, float32, [%d, %d]);
y = (x @ ConstantTensor(w0, float32, [%d, %d])) * FullNode(float32, [], %.9g);
t = TanhNode(y);
result = (t @ ConstantTensor(w1, float32, [%d, %d])) * FullNode(float32, [], %.9g);
''' % (m, k, k, k, factor, k, o, factor), w, x, bits, *more)
    first, second = r.sums
    (table,) = (name for name in r.held if name not in w and '.' not in name)

    def model(x):
        y, s = r.channels(r.total(first, x @ r.held['w0'].astype(np.int64)), r.named['x'], first, 'w0', 1)
        y, s = r.keep(y, s, 'y.add')
        out = r.cells['t']
        least = round(r.cells['y.add']['least'] / s)
        values = r.held[table].astype(np.int64)
        with open(r.d('q.lt')) as f:
            first_index = n.re.findall(r'(\$\d+) = FullNode\(int32, \[\], (-\d+)\);\n\$\d+ = SubNode\(\$\d+, \1\)',
                                       f.read())
        first_index = int(first_index[-1][1]) if first_index else 0
        assert first_index >= least
        n.same(values, n.quantised(np.tanh(factor * s * (first_index + np.arange(len(values)))), out['scale'],
                                   str(r.held[table].dtype)), 'table')
        t = values[y - first_index]
        y, s = r.channels(r.total(second, t @ r.held['w1'].astype(np.int64)), out['scale'], second, 'w1', 1)
        return r.wide(-y, s * abs(factor), 'result')

    r.check(rng, m, model)


def image(rng, bits, *more):
    """A convolution whose channels have steps of their own, a mean over windows, a layer."""
    ci, co, size = [int(v) for v in rng.integers([1, 2, 4], [4, 6, 8])]
    w = {'w0': (rng.normal(size=(co, ci, 3, 3)) * 2.0 ** rng.uniform(-3, 1, (co, 1, 1, 1))).astype(np.float32)}
    x = rng.normal(size=(3, ci, size, size)).astype(np.float32)
    r = Result(n.Folder(), '''
x = InputTensor(x, float32, [1, %d, %d, %d]);
h = ReLUNode(Conv2dNode(x, ConstantTensor(w0, float32, [%d, %d, 3, 3])));
result = AveragePool2dNode(h, [2, 2], [1, 1]);
''' % (ci, size, size, co, ci), w, x, bits, *more)
    first = next(iter(r.sums))

    def model(x):
        patches = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
        h = r.total(first, np.einsum('rcijkl,ockl->roij', patches, r.held['w0'].astype(np.int64)))
        h, s = r.channels(h, r.named['x'], first, 'w0', 1)
        h, s = r.keep(np.maximum(h, 0), s, 'h')
        y = np.lib.stride_tricks.sliding_window_view(h, (2, 2), (2, 3)).sum((-1, -2))
        return r.wide(y, s / 4, 'result')

    r.check(rng, 1, model)


def main():
    for case in (dense, residual, numbers, image):
        for bits in ('4', '8', '16'):
            for more in ((), ('--per-channel',)):
                for seed in n.seeds(2):
                    name = 'scales of any: %s of %s bits%s, seed %d' % (case.__name__, bits,
                                                                       ' by channel' if more else '', seed)
                    TARGETS[:] = GIVEN if bits != '16' and seed == n.SEED else []
                    try:
                        case(np.random.default_rng([seed, len(bits), len(more)]), bits, *more)
                        print('ok - ' + name, flush=True)
                    except Exception as e:  # noqa: BLE001 -- a case that fails is told, and the next is tried
                        print('not ok - ' + name, flush=True)
                        print('%s: %s: %s' % (name, type(e).__name__, e), file=sys.stderr)


if __name__ == '__main__':
    main()
