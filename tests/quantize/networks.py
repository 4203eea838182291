#!/usr/bin/env python3
"""networks.py LT_QUANTIZE LT_RUN SEED -- lt-quantize on random networks; prints TAP.

What comes out is computed again here, from docs/quantize.md: the steps are those that the scripts note, all other
integers follow from the floats. So a script has to hold exactly the integers that numpy finds, in weights, data and
results. The metric that is printed, and the tables, are computed again likewise.
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

QUANTIZE, RUN, SEED = sys.argv[1], sys.argv[2], int(sys.argv[3])
MORE = bool(os.environ.get('CHECK_MORE'))
CHANGED = None                          # of a folder and its script: what is run in its place (mutants.py)


def seeds(n):
    """The first of n is for `make check`, the others are for `make check-more`."""
    return range(SEED + 1, SEED + n) if MORE else range(SEED, SEED + 1)


def run(*words, code=0):
    p = subprocess.run(words, capture_output=True, text=True)
    assert p.returncode == code, '%s: %d, not %d\n%s%s' % (' '.join(words), p.returncode, code, p.stdout, p.stderr)
    return p.stdout + p.stderr


def read_safetensors(path):
    with open(path, 'rb') as f:
        data = f.read()
    n = struct.unpack('<Q', data[:8])[0]
    types = {'F32': np.float32, 'I8': np.int8, 'U8': np.uint8, 'I16': np.int16, 'U16': np.uint16, 'I32': np.int32,
             'I64': np.int64}
    out = {}
    for name, d in json.loads(data[8:8 + n]).items():
        if name != '__metadata__':
            begin, end = d['data_offsets']
            out[name] = np.frombuffer(data[8 + n + begin:8 + n + end], types[d['dtype']]).reshape(d['shape'])
    return out


def steps(script):
    """By label or node number: the step that a note gives; and those of all notes, in order."""
    named, order, label = {}, [], {}
    with open(script) as f:
        for line in f:
            m = re.match(r'\$(\d+) = (Input|Constant)Tensor\(([^,]+),', line)
            if m:
                label[m[1]] = m[3]
            m = re.match(r'\$(\d+) = MeansNode\(\$(\d+), ([^)]+)\)', line)
            if m:
                order.append(float(m[3]))
                if m[2] in label:
                    named[label[m[2]]] = float(m[3])
    return named, order


def types(script):
    with open(script) as f:
        return dict(re.findall(r'Tensor\(([^,]+), (\w+),', f.read()))


RANGE = {'int8': (-128, 127), 'uint8': (0, 255), 'int16': (-2 ** 15, 2 ** 15 - 1), 'uint16': (0, 2 ** 16 - 1),
         'int32': (-2 ** 31, 2 ** 31 - 1), 'int64': (-2 ** 62, 2 ** 62)}


def quantised(x, step, kind):
    """Integers at a step: to the nearest, halves up, cut off at the ends of the type."""
    return np.clip(np.floor(np.float64(x) / step + 0.5), *RANGE[kind]).astype(np.int64)


def rounded(q, shift):
    return q if shift == 0 else (q + (1 << (shift - 1))) >> shift


def exponent(step):
    e = int(np.log2(step))
    assert 2.0 ** e == step, step
    return e


def one_number(v):
    """A factor that is one number is no constant: its integer of up to 15 bits, the smallest there is, and its step."""
    e = int(np.frexp(np.float64(v))[1]) - 15
    q = int(np.floor(np.float64(v) / 2.0 ** e + 0.5))
    while q % 2 == 0:
        q, e = q // 2, e + 1
    return np.array([[q]]), 2.0 ** e


class Folder:
    def __init__(self):
        self.at = tempfile.mkdtemp()

    def __call__(self, name):
        return os.path.join(self.at, name)

    def write(self, name, text):
        with open(self(name), 'w') as f:
            f.write(text)
        return self(name)


def same(a, b, what):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape, '%s: shapes %s, %s' % (what, a.shape, b.shape)
    wrong = np.argwhere(a != b)
    assert not len(wrong), '%s: %d of %d differ, first at %s: %s, not %s' % (
        what, len(wrong), a.size, wrong[0], a[tuple(wrong[0])], b[tuple(wrong[0])])


def widened(rng, xq, kind, rows):
    """Data of integers, and behind it rows of anything that the type has, its ends among them: clamps show there."""
    low, high = RANGE[kind]
    more = rng.integers(low, high, (rows,) + xq.shape[1:], endpoint=True)
    more = np.where(rng.random(more.shape) < 0.5, rng.choice([low, high], (rows,) + (1,) * (more.ndim - 1)), more)
    return np.concatenate([xq, more.astype(kind)])


def tied(rng, kind, shape, rows, model):
    """Rows for which one more or one less, in all inputs or in all sums that a rounding follows, is another result: a
    quarter of them for each, as far as some are found.  What is one off in a program shows there, and at few others."""
    low, high = RANGE[kind]
    found = [[] for _ in range(4)]
    for _ in range(4):
        x = rng.integers(low, high, (2000,) + shape, endpoint=True)
        x >>= rng.integers(0, int(kind.strip('uint')), (2000,) + (1,) * len(shape))
        was = model(x)
        for i, by in enumerate(({'sums': 1}, {'sums': -1}, {'inputs': 1}, {'inputs': -1})):
            moved = (model(x, **by) != was).reshape(len(x), -1).sum(1)
            found[i] += [(n, row) for n, row in zip(moved, x) if n]
    # Those that the fewest results move of are as good as those with more.
    out = [row for f in found for _, row in sorted(f, key=lambda v: -v[0])[:-(-rows // 4)]]
    out += [x[i] for i in range(rows)]
    return np.array(out[:rows]).astype(kind)


def results(d, script, data, samples, name, backend):
    """Results of all samples, evaluation by evaluation."""
    out = []
    script = CHANGED(d, script) if CHANGED else [script]
    for i in range(samples):
        np.save(d('one.npy'), data[i])
        run(RUN, *script, '-b', backend, '-i', name + '=' + d('one.npy'), '-o', d('one.npz'), '-q')
        out.append({k: v for k, v in np.load(d('one.npz')).items()})
    return {k: np.stack([o[k] for o in out]) for k in out[0]}


def dense(rng, bits):
    """Two layers with biases, ReLU between them: a batch of a random size, and rows that do not fill it."""
    d = Folder()
    m, k, n, c = [int(v) for v in rng.integers(1, 14, 4)]
    c += 1
    rows = int(rng.integers(m, 5 * m + 1))
    w = {'w0': rng.normal(size=(k, n)) * rng.choice([0.01, 1, 30]), 'b0': rng.normal(size=n),
         'w1': rng.normal(size=(n, c)), 'b1': rng.normal(size=c) * rng.choice([0, 1, 10])}
    w = {name: v.astype(np.float32) for name, v in w.items()}
    x = (rng.normal(size=(rows, k)) * rng.choice([0.1, 1, 50])).astype(np.float32)
    if rng.random() < 0.3:
        x = abs(x)
    script = d.write('float.lt', '''
x = InputTensor(x, float32, [%d, %d]);
h = ReLUNode(x @ ConstantTensor(w0, float32, [%d, %d]) + ConstantTensor(b0, float32, [%d]));
result = h @ ConstantTensor(w1, float32, [%d, %d]) + ConstantTensor(b1, float32, [%d]);
''' % (m, k, k, n, n, n, c, c))
    np.savez(d('w.npz'), **w)
    np.save(d('x.npy'), x)
    said = run(QUANTIZE, script, '-w', d('w.npz'), '--data', d('x.npy'), '-o', d('q.lt'), '--bits', bits,
               '--data-out', d('xq.npy'), '--metric', 'error', '--loss', '100', '--time', '2')
    named, order = steps(d('q.lt'))
    kinds, held, xq = types(d('q.lt')), read_safetensors(d('q.safetensors')), np.load(d('xq.npy'))
    same(xq, quantised(x, named['x'], kinds['x']), 'data')
    assert str(xq.dtype) == kinds['x']
    whole, xq = rows // m, widened(rng, xq, kinds['x'], 2 * m)
    # One number, in all places, is no constant, but is written where it is used: a bias at the step of the sum, a
    # factor at its own.
    numbers = [name for name in w if (w[name] == w[name].flat[0]).all()]
    assert not any(name in named for name in numbers), named
    # The notes are of x, w0, b0, h, w1, b1 and the result, in this order.
    names = [name for name in ('x', 'w0', 'b0', 'h', 'w1', 'b1', 'y') if name not in numbers]
    steps_of = dict(zip(names, order))
    for name in w:
        if bits == '4' and name[0] == 'w' and name not in numbers:      # noted is what is taken out of the bytes
            low = 0 if w[name].min() >= 0 else -8
            named[name] = steps_of[name]
            q = np.clip(np.floor(np.float64(w[name]) / named[name] + 0.5), low, low + 15).astype(np.int64)
            same(held[name], packed(q), 'bytes of ' + name)
            held[name] = q
        elif name not in numbers:
            same(held[name], quantised(w[name], named[name], kinds[name]), name)
    assert len(order) == len(names) and all(steps_of[name] == named[name] for name in named), order
    if 'w0' in numbers:
        held['w0'], named['w0'] = one_number(w['w0'].item())
    for bias, step in (('b0', named['x'] * named['w0']), ('b1', steps_of['h'] * named['w1'])):
        if bias in numbers:
            named[bias] = step
            held[bias], kinds[bias] = np.floor(np.float64(w[bias]) / step + 0.5).astype(np.int64), None
    assert named['b0'] <= named['x'] * named['w0']
    for name in ('b0', 'b1'):
        assert kinds[name] is None or (kinds[name] == 'int64') == bool((abs(held[name]) >= 2 ** 31).any()), name
    wide = '8' if bits in '48' else '16'
    top = 2 ** int(wide) - 1 if bits != 'mixed' else None
    with open(d('q.lt')) as f:
        text = f.read()
    cut = re.findall(r'FullNode\(int(?:32|64), \[\], (255|65535)\)', text)
    assert top is None or all(int(v) == top for v in cut), cut

    def model(x, sums=0, inputs=0):
        h = (x.astype(np.int64) + inputs) @ held['w0'].astype(np.int64)
        up = exponent(named['x'] * named['w0']) - exponent(named['b0'])
        h = rounded(np.maximum((h << up) + held['b0'] + sums, 0), exponent(steps_of['h']) - exponent(named['b0']))
        h = np.minimum(h, int(cut[0])) if cut else h
        up = exponent(steps_of['h'] * named['w1']) - exponent(named['b1'])
        y = (h @ held['w1'].astype(np.int64) << up) + held['b1']
        return rounded(y, exponent(steps_of['y']) - exponent(named['b1']))

    xq = np.concatenate([xq, tied(rng, kinds['x'], (k,), 4 * m, model)])
    check = np.r_[:min(whole, 3) * m, rows:rows + 6 * m]
    y = model(xq)
    got = results(d, d('q.lt'), xq[check].reshape(-1, m, k), len(check) // m, 'x', 'ref')['result']
    same(got, y[check].reshape(got.shape), 'result')
    y = y[:rows]
    real = np.maximum(x.astype(np.float64) @ w['w0'] + w['b0'], 0) @ w['w1'] + w['b1']
    close = 100 * (1 - np.sqrt(((y * steps_of['y'] - real) ** 2).sum() / ((real ** 2).sum() or 1)))
    printed = float(re.search(r'closeness to the floats: ([-\d.]+) %', said)[1])
    # Samples that are not full are judged with the last row in its place.
    if rows % m == 0:
        assert abs(close - printed) < 0.02, (close, printed)
    if bits == '16':
        assert printed > 99, said


def recurrent(rng, bits):
    """Steps of a recurrent layer: they have one table and one bias, but the first, and are a loop where they run."""
    d = Folder()
    steps_n, n, k, c = [int(v) for v in rng.integers([8, 2, 2, 2], [12, 9, 9, 5])]
    rows = steps_n * int(rng.integers(1, 5))
    w = {'w': rng.normal(size=(n, k)), 'u': 0.5 * rng.normal(size=(k, k)), 'b': rng.normal(size=k),
         'v': rng.normal(size=(k, c))}
    w = {name: v.astype(np.float32) for name, v in w.items()}
    x = rng.normal(size=(rows, n)).astype(np.float32)
    script = d.write('float.lt', '''
x = InputTensor(x, float32, [%d, %d]);
w = ConstantTensor(w, float32, [%d, %d]); u = ConstantTensor(u, float32, [%d, %d]);
b = ConstantTensor(b, float32, [%d]);
h = FullNode(float32, [%d], 0);
s = FullNode(float32, [%d], 0);
repeat t in 0..%d { h = TanhNode(x[t] @ w + h @ u + b); s = s + h; }
result = h @ ConstantTensor(v, float32, [%d, %d]);
result sum = s;
''' % (steps_n, n, n, k, k, k, k, k, k, steps_n, k, c))
    np.savez(d('w.npz'), **w)
    np.save(d('x.npy'), x)
    said = run(QUANTIZE, script, '-w', d('w.npz'), '--data', d('x.npy'), '-o', d('q.lt'), '--bits', bits, '--data-out',
               d('xq.npy'), '--metric', 'error', '--loss', '100', '--time', '1')
    named, order = steps(d('q.lt'))
    kinds, held, xq = types(d('q.lt')), read_safetensors(d('q.safetensors')), np.load(d('xq.npy')).astype(np.int64)
    same(xq, quantised(x, named['x'], kinds['x']), 'data')
    for name, of in (('w', 'w'), ('u', 'u'), ('v', 'v'), ('b', 'b'), ('b.2', 'b')):
        if name in held:                                # the first step has the bias at the same step, or at its own
            same(held[name], quantised(w[of], named[name], kinds[name]), name)
    (table,) = (name for name in held if name not in ('w', 'u', 'v', 'b', 'b.2'))
    kept = held[table].astype(np.int64)
    assert 'constants %d bytes' % sum(v.nbytes for v in held.values()) in said, said
    with open(d('q.lt')) as f:
        least = re.search(r'(\$\d+) = FullNode\(int32, \[\], (-?\d+)\);\n\$\d+ = SubNode\(\$\d+, \1\)', f.read())
    least = int(least[2]) if least else 0
    # The notes are of x, w, b, what asks the table, what it gives, u, and so on.
    index, gives = order[3], order[4]
    same(kept, quantised(np.tanh(index * (least + np.arange(len(kept)))), gives, str(held[table].dtype)), 'table')
    bias = 'b.2' if 'b.2' in held else 'b'

    def model(x, sums=0, inputs=0):
        h, s = np.zeros((len(x), k), np.int64), np.zeros((len(x), k), np.int64)
        for t in range(steps_n):
            b = bias if t else 'b'
            e = exponent(named[b])
            y = ((x[:, t] + inputs) @ held['w'].astype(np.int64)) << (exponent(named['x'] * named['w']) - e)
            if t:
                y += (h @ held['u'].astype(np.int64)) << (exponent(gives * named['u']) - e)
            y = rounded(y + held[b] + sums, exponent(index) - e)
            h = kept[np.clip(y - least, 0, len(kept) - 1)]
            s += h                                      # which shows a step that the last one has forgotten
        y = rounded(h @ held['v'].astype(np.int64), exponent(order[-1]) - exponent(gives * named['v']))
        return np.concatenate([y, s], 1)

    xq = widened(rng, xq, kinds['x'], steps_n).reshape(-1, steps_n, n).astype(kinds['x'])
    xq = np.concatenate([xq, tied(rng, kinds['x'], (steps_n, n), 4, model)])
    got, want = results(d, d('q.lt'), xq, len(xq), 'x', 'ref'), model(xq.astype(np.int64))
    same(got['result'], want[:, :c], 'result')
    same(got['sum'], want[:, c:], 'sum')
    plan = run(RUN, d('q.lt'), '-w', d('q.safetensors'), '-b', 'cpu:target=cortex-m3', '--dump=plan')
    rounds = [int(a) * int(b) for a, b in re.findall(r'(\d+) rounds of (\d+) steps', plan)]
    assert len(rounds) == 1 and rounds[0] >= 2 * (steps_n - 4), plan


def images(rng, bits):
    """A convolution, ReLU, a pool, a sigmoid by a table; and which channel is the largest."""
    d = Folder()
    size, ci, co = int(rng.integers(4, 9)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    pad = int(rng.integers(0, 2))
    rows = int(rng.integers(1, 9))
    x = rng.normal(size=(rows, size, size, ci)).astype(np.float32)
    w, b = rng.normal(size=(3, 3, ci, co)).astype(np.float32), rng.normal(size=co).astype(np.float32)
    script = d.write('float.lt', '''
x = InputTensor(x, float32, [1, %d, %d, %d]);
y = ReLUNode(Conv2dNode(x, ConstantTensor(w, float32, [3, 3, %d, %d]), [1, 1], [%d, %d, %d, %d], [1, 1], 1, NHWC)
    + ConstantTensor(b, float32, [%d]));
z = MaxPool2dNode(y, [2, 2], [2, 2], [0, 0, 0, 0], [1, 1], NHWC);
result = SigmoidNode(z);
result which = ArgMaxNode(z, 3);
''' % (size, size, ci, ci, co, pad, pad, pad, pad, co))
    np.savez(d('w.npz'), w=w, b=b)
    np.save(d('x.npy'), x)
    run(QUANTIZE, script, '-w', d('w.npz'), '--data', d('x.npy'), '-o', d('q.lt'), '--bits', bits, '--data-out',
        d('xq.npy'), '--metric', 'error', '--loss', '100', '--time', '1')
    named, order = steps(d('q.lt'))
    kinds, held, xq = types(d('q.lt')), read_safetensors(d('q.safetensors')), np.load(d('xq.npy')).astype(np.int64)
    same(xq, quantised(x, named['x'], kinds['x']), 'data')
    for name, v in (('w', w), ('b', b)):
        same(held[name], quantised(v, named[name], kinds[name]), name)
    kept = order[3]
    table = [k for k in held if k not in ('w', 'b')]
    assert len(table) == 1, table
    values = held[table[0]].astype(np.int64)
    most = len(values) - 1

    def model(x, sums=0, inputs=0):
        padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0))) + inputs
        out = size + 2 * pad - 2
        y = np.zeros((len(x), out, out, co), np.int64)
        for i in range(3):
            for j in range(3):
                y += padded[:, i:i + out, j:j + out] @ held['w'][i, j].astype(np.int64)
        y = rounded(np.maximum(y + held['b'] + sums, 0), exponent(kept) - exponent(named['b']))
        y = np.minimum(y, most)
        out //= 2
        return y[:, :2 * out, :2 * out].reshape(len(x), out, 2, out, 2, co).max((2, 4))

    xq = np.concatenate([widened(rng, xq, kinds['x'], 4), tied(rng, kinds['x'], x.shape[1:], 8, lambda *a, **k: values[
        model(*a, **k)])])
    rows, z = len(xq), model(xq)
    got = results(d, d('q.lt'), xq.astype(kinds['x']).reshape((rows, 1) + x.shape[1:]), rows, 'x', 'ref')
    same(got['result'][:, 0], values[z], 'sigmoid')
    same(got['which'].reshape(z.shape[:3]), z.argmax(3), 'argmax')
    step, kind = order[-1], types(d('q.lt'))[table[0]]
    exact = 1 / (1 + np.exp(-kept * np.arange(most + 1)))
    same(values, quantised(exact, step, kind), 'table')


def softmax(rng, bits):
    """Scores and their softmax: integers that are divided by their sum."""
    d = Folder()
    n, c, rows = int(rng.integers(1, 9)), int(rng.integers(2, 9)), int(rng.integers(1, 20))
    x, w = rng.normal(size=(rows, n)).astype(np.float32), (2 * rng.normal(size=(n, c))).astype(np.float32)
    script = d.write('float.lt', '''
x = InputTensor(x, float32, [1, %d]);
result = SoftmaxNode(x @ ConstantTensor(w, float32, [%d, %d]), 1);
''' % (n, n, c))
    np.savez(d('w.npz'), w=w)
    np.save(d('x.npy'), x)
    run(QUANTIZE, script, '-w', d('w.npz'), '--data', d('x.npy'), '-o', d('q.lt'), '--bits', bits, '--data-out',
        d('xq.npy'), '--metric', 'error', '--loss', '100', '--time', '0.001')
    named, order = steps(d('q.lt'))
    held, xq = read_safetensors(d('q.safetensors')), np.load(d('xq.npy'))
    kind = str(xq.dtype)
    index, step = order[2] if len(order) == 6 else order[3], order[-1]
    table = held[[k for k in held if k != 'w'][0]].astype(np.int64)
    up = -exponent(step)

    def model(x, sums=0, inputs=0):
        at = (x.astype(np.int64) + inputs) @ held['w'].astype(np.int64)
        at = rounded(at - at.max(1, keepdims=True) + sums, exponent(index) - exponent(named['x'] * named['w']))
        e = table[np.clip(at + len(table) - 1, 0, len(table) - 1)]
        bottom = e.sum(1, keepdims=True)
        return (2 * (e << max(up, 0)) + bottom) // (2 * bottom)

    xq = np.concatenate([widened(rng, xq, kind, 2), tied(rng, kind, (n,), 4, model)])
    rows, y = len(xq), model(xq)
    got = results(d, d('q.lt'), xq[:, None], rows, 'x', 'ref')['result'][:, 0]
    same(got, np.minimum(y, 2 ** (8 if bits == '8' else 16) - 1), 'softmax')


def gathered(rng, bits):
    """Rows of a constant at places that a run knows; a softmax of those that a mask leaves."""
    d = Folder()
    words, n, length, rows = [int(v) for v in rng.integers(2, 9, 4)]
    table = rng.normal(size=(words, n)).astype(np.float32)
    places = rng.integers(0, words, (rows, length))
    script = d.write('float.lt', '''
at = InputTensor(at, int64, [%d]);
y = GatherNode(ConstantTensor(table, float32, [%d, %d]), at, 0);
result = y;
keep = LessNode(IndexNode(y, 1), 1 + at[0]);
result masked = SoftmaxNode(WhereNode(keep, y, FullNode(float32, [], -inf)), 1);
''' % (length, words, n))
    np.savez(d('w.npz'), table=table)
    np.save(d('at.npy'), places)
    run(QUANTIZE, script, '-w', d('w.npz'), '--data', d('at.npy'), '-o', d('q.lt'), '--bits', bits, '--metric', 'error',
        '--loss', '100', '--time', '0.001')
    named, order = steps(d('q.lt'))
    kinds, held = types(d('q.lt')), read_safetensors(d('q.safetensors'))
    same(held['table'], quantised(table, named['table'], kinds['table']), 'table')
    got = results(d, d('q.lt'), places, rows, 'at', 'ref')
    same(got['result'], held['table'][places], 'gathered')
    real = held['table'][places] * named['table']
    mask = np.arange(n) <= places[:, :1, None]
    e = np.where(mask, np.exp(real - np.where(mask, real, -np.inf).max(-1, keepdims=True)), 0)
    want = e / e.sum(-1, keepdims=True)
    assert (got['masked'][~np.broadcast_to(mask, want.shape)] == 0).all()
    # An index of 8 or 11 bits, a table and a quotient: each is half a step off at most.
    index = 2.0 ** -5 if bits == '8' else 2.0 ** -8
    assert abs(got['masked'] * order[-1] - want).max() < 2 * n * (index + 2.0 ** -7 + order[-1]), bits


def floats(rng, mode):
    """Weights of integers in floats: made floats again, or multiplied by what a run makes integers of."""
    d = Folder()
    m, k, n = [int(v) for v in rng.integers(1, 20, 3)]
    rows = m * int(rng.integers(1, 4))
    w, b = rng.normal(size=(k, n)).astype(np.float32), rng.normal(size=n).astype(np.float32)
    x = (rng.normal(size=(rows, k)) * rng.choice([0.01, 1, 100])).astype(np.float32)
    x[:m] *= rng.choice([0, 1])                         # an evaluation of zeros has a step, too
    script = d.write('float.lt', '''
x = InputTensor(x, float32, [%d, %d]);
result = x @ ConstantTensor(w, float32, [%d, %d]) + ConstantTensor(b, float32, [%d]);
''' % (m, k, k, n, n))
    np.savez(d('w.npz'), w=w, b=b)
    np.save(d('x.npy'), x)
    run(QUANTIZE, script, '-w', d('w.npz'), '--data', d('x.npy'), '-o', d('q.lt'), '--mode', mode, '--metric', 'error',
        '--loss', '100', '--time', '2')
    step, kind = steps(d('q.lt'))[0]['w'], types(d('q.lt'))
    signed = 'int8' if (w < 0).any() else 'uint8'
    assert kind == {'x': 'float32', 'w': signed, 'b': 'float32'}, kind
    with open(d('q.safetensors'), 'rb') as f:
        raw = f.read()
    at = json.loads(raw[8:8 + int.from_bytes(raw[:8], 'little')])['w']['data_offsets'][0]
    at += 8 + int.from_bytes(raw[:8], 'little')
    held = np.frombuffer(raw[at:at + k * n], signed).reshape(k, n)
    same(held, quantised(w, step, signed), 'w')
    data = x.reshape(rows // m, m, k)
    got = results(d, d('q.lt'), data, rows // m, 'x', 'ref')['result']
    eps = np.float64(2) ** -23
    for i, one in enumerate(data):
        if mode == 'dynamic':
            unit = np.maximum(abs(one).max(), np.float32(1e-30)) / np.float32(127)
            q = np.rint(one / unit).astype(np.int64)
            part = np.float64(np.float32(q @ held.astype(np.int64))) * np.float64(np.float32(unit * np.float32(step)))
            most = eps * (abs(part) + abs(part + b))    # two roundings, or one
        else:
            part = one.astype(np.float64) @ (held * step)
            most = eps * (k + 1) * (abs(one).astype(np.float64) @ abs(held * step) + abs(b))
        away = abs(got[i] - (part + b))
        assert (away <= most).all(), (away.max(), most.min())


def packed(q, axis=1):
    """Integers of 4 bits, neighbours along an axis in a byte, the first in the low half; an odd one alone."""
    q = np.moveaxis(q, axis, -1)
    q = np.concatenate([q, np.zeros(q.shape[:-1] + (q.shape[-1] % 2,), q.dtype)], -1) & 15
    return np.moveaxis(q[..., ::2] | q[..., 1::2] << 4, -1, axis).astype(np.uint8)


def halves(rng, mode):
    """Weights of 4 bits, two in a byte, the first in the low half; one of an odd number of them, one without a sign;
    with a step for each channel, too."""
    for more in ([], ['--per-channel']):
        d = Folder()
        m, k, n, c = [int(v) for v in rng.integers([1, 2, 2, 1], [4, 9, 9, 5])]
        w = {'w0': rng.normal(size=(2 * k + 1, 2 * n + 1)), 'w1': rng.uniform(0.1, 1, (2 * n + 1, c))}
        w = {name: v.astype(np.float32) for name, v in w.items()}
        x = rng.normal(size=(2 * m, 2 * k + 1)).astype(np.float32)
        script = d.write('float.lt', '''
x = InputTensor(x, float32, [%d, %d]);
h = x @ ConstantTensor(w0, float32, [%d, %d]);
result y = h;
result other = h @ ConstantTensor(w1, float32, [%d, %d]);
''' % (m, 2 * k + 1, 2 * k + 1, 2 * n + 1, 2 * n + 1, c))
        np.savez(d('w.npz'), **w)
        np.save(d('x.npy'), x)
        said = run(QUANTIZE, script, '-w', d('w.npz'), '--data', d('x.npy'), '-o', d('q.lt'), '--mode', mode,
                   '--metric', 'error', '--loss', '100', '--time', '0.001', '--bits', '4', '--report', d('q.json'),
                   *more)
        with open(d('q.json')) as f:
            cells = {v['name']: v for v in json.load(f)['cells']}
        held, sizes, real = read_safetensors(d('q.safetensors')), 0, {}
        for name, low in (('w0', -8), ('w1', 0)):
            step = 2.0 ** np.array(cells[name]['exponents'] if more and 'exponents' in cells[name]
                                   else cells[name]['exponent'])
            q = np.clip(np.floor(np.float64(w[name]) / step + 0.5), low, low + 15).astype(np.int64)
            same(held[name], packed(q), 'bytes of ' + name)
            assert cells[name]['bits'] == 4 and cells[name]['bytes'] == held[name].nbytes
            sizes += held[name].nbytes + (held[name + '.step'].nbytes if name + '.step' in held else 0)
            real[name] = q, step
        assert '\n4 bits: 2 of 2 constants of products, which take %d bytes\n' % sizes in said, said
        got = results(d, d('q.lt'), x.reshape(2, m, -1), 2, 'x', 'ref')
        eps = 2.0 ** -23
        for i, one in enumerate(x.reshape(2, m, -1)):
            for name, given, y in (('w0', one, got['y'][i]), ('w1', got['y'][i], got['other'][i])):
                q, step = real[name]
                given = np.float64(given)
                if mode == 'dynamic':
                    unit = np.float64(np.maximum(abs(np.float32(given)).max(), np.float32(1e-30)) / np.float32(127))
                    given = np.rint(np.float32(given) / np.float32(unit)).astype(np.int64)
                    want, most = given @ q * (unit * step), 4 * eps * abs(given @ q * (unit * step))
                else:
                    want, most = given @ (q * step), eps * (len(q) + 1) * (abs(given) @ abs(q * step))
                assert (abs(y - want) <= most).all(), (name, more)


def masked(rng, bits):
    """Attention whose scores are as large as their integers can be, under a mask: what it covers is exactly 0."""
    d = Folder()
    n, width, rows = int(rng.integers(2, 9)), int(rng.integers(32, 65)), int(rng.integers(1, 4))
    sign = rng.choice([-1, 1], (1, 1, width))
    q = (sign * rng.uniform(0.8, 1, (rows, n, width))).astype(np.float32)
    k = (sign * rng.choice([-1, 1], (rows, n, 1)) * rng.uniform(0.8, 1, (rows, n, width))).astype(np.float32)
    cover = np.where(np.tril(np.ones((n, n))) > 0, 0, -np.inf).astype(np.float32)
    script = d.write('float.lt', '''
q = InputTensor(q, float32, [%d, %d]);
k = InputTensor(k, float32, [%d, %d]);
s = (q @ TransposeNode(k)) * 0.125;
result y = SoftmaxNode(s + ConstantTensor(m, float32, [%d, %d]), 1);
result z = SoftmaxNode(WhereNode(LessEqualNode(IndexNode(s, 1), IndexNode(s, 0)), s, FullNode(float32, [], -inf)), 1);
''' % (n, width, n, width, n, n))
    np.save(d('m.npy'), cover)
    np.savez(d('x.npz'), q=q.reshape(-1, width), k=k.reshape(-1, width))
    # The search comes to its end, where y and z have one step.
    run(QUANTIZE, script, '-c', 'm=' + d('m.npy'), '--data', d('x.npz'), '-o', d('q.lt'), '--bits', bits, '--data-out',
        d('xq.npz'), '--metric', 'error', '--loss', '100', '--time', '600')
    last = steps(d('q.lt'))[1][-1]
    real = np.einsum('rik,rjk->rij', q.astype(np.float64), k) * 0.125 + cover
    want = np.exp(real - real.max(-1, keepdims=True))
    want /= want.sum(-1, keepdims=True)
    xq = np.load(d('xq.npz'))
    for i in range(rows):
        for name in 'qk':
            np.save(d(name + '.npy'), xq[name].reshape(rows, n, width)[i])
        run(RUN, d('q.lt'), '-b', 'ref', '-i', 'q=' + d('q.npy'), '-i', 'k=' + d('k.npy'), '-o', d('one.npz'), '-q')
        got = np.load(d('one.npz'))
        for name in 'yz':
            covered = got[name][np.isinf(cover)]
            assert (covered == 0).all(), '%s: %s' % (name, covered)
        # The scores' range is at most 16, of 11 or 8 bits, and 0.125 of 2 * width roundings of the factors.
        index = 2.0 ** -4 + width * 2.0 ** -9 if bits == '8' else 2.0 ** -7
        away = abs(got['y'] * last - want[i]).max()
        assert away < 2 * n * (index + 2.0 ** -7 + last), (away, bits)


def unsigned(rng, mode):
    """A constant that is never below 0, and so many terms that their sum just passes 2^31."""
    d = Folder()
    k = int(2 ** 31 / (127 * 255)) + int(rng.integers(2, 2000))
    np.save(d('w.npy'), np.full((k, 1), 255 * 2.0 ** -8, np.float32))
    np.save(d('x.npy'), np.full((1, k), rng.choice([-1, 1]) * rng.uniform(0.5, 2), np.float32))
    script = d.write('float.lt', '''
result = InputTensor(x, float32, [1, %d]) @ ConstantTensor(w, float32, [%d, 1]);
''' % (k, k))
    run(QUANTIZE, script, '-c', 'w=' + d('w.npy'), '--data', d('x.npy'), '-o', d('q.lt'), '--mode', mode, '--metric',
        'error', '--loss', '100')
    assert types(d('q.lt'))['w'] == 'uint8'
    got = results(d, d('q.lt'), np.load(d('x.npy'))[None], 1, 'x', 'ref')['result'].item()
    want = float(np.load(d('x.npy'))[0, 0]) * 255 * 2.0 ** -8 * k
    # Integers are exact here, but for the step of the run; a sum of floats has k roundings.
    most = abs(want) * 2.0 ** -23 * (4 if mode == 'dynamic' else k)
    assert abs(got - want) <= most, (got, want)


def bordered(rng, bits):
    """A pool of values below 0 whose border is 0, by a table: where it meets the border, 0 is the largest."""
    d = Folder()
    n, rows = int(rng.integers(4, 9)), int(rng.integers(1, 6))
    x = -rng.uniform(1, 3, (rows, n)).astype(np.float32)
    script = d.write('float.lt', '''
x = InputTensor(x, float32, [1, %d]);
p = PadNode(MinNode(x, FullNode(float32, [], -1)), [0, 4], [0, 4], 0);
result = ExpNode(MaxPool2dNode(ReshapeNode(p, [1, 1, 1, %d]), [1, 3], [1, 1]));
''' % (n, n + 8))
    np.save(d('x.npy'), x)
    run(QUANTIZE, script, '--data', d('x.npy'), '-o', d('q.lt'), '--bits', bits, '--data-out', d('xq.npy'), '--metric',
        'error', '--loss', '100', '--time', '0.5')
    got = results(d, d('q.lt'), np.load(d('xq.npy'))[:, None], rows, 'x', 'ref')['result'].reshape(rows, -1)
    p = np.pad(np.minimum(x, -1), ((0, 0), (4, 4)))
    want = np.exp(np.lib.stride_tricks.sliding_window_view(p, 3, 1).max(-1))
    away = abs(got * steps(d('q.lt'))[1][-1] - want).max()
    # Indices of 8 bits have steps of up to 4 / 128, cut off at up to four times less than the range.
    assert away < 2.0 ** -5 + 2.0 ** -7, away


def clipped(rng, bits):
    """ReLU6, HardSwish and a clip of an input, whose ends do not fit the integers of a fine step, or are in the middle
    of them, or are finer than a coarse one."""
    w = rng.normal(size=(3, 2)).astype(np.float32)
    for scale in (1e-6, 0.3, 100):
        x = (scale * rng.normal(size=(6, 3))).astype(np.float32)
        for what in ('ClipNode(x @ w, 0, 6)', 'HardSwishNode(x @ w)', 'ClipNode(x, -0.5, 6)'):
            d = Folder()
            script = d.write('float.lt', '''
x = InputTensor(x, float32, [6, 3]); w = ConstantTensor(w, float32, [3, 2]);
result = %s;
''' % what)
            np.savez(d('w.npz'), w=w)
            np.save(d('x.npy'), x)
            run(QUANTIZE, script, '-w', d('w.npz'), '--data', d('x.npy'), '-o', d('q.lt'), '--bits', bits, '--data-out',
                d('xq.npy'), '--metric', 'error', '--loss', '100', '--time', '0.001', '-b', 'ref')
            (named, order), kind = steps(d('q.lt')), types(d('q.lt'))['x']
            xq = np.load(d('xq.npy'))
            same(xq, quantised(x, named['x'], kind), 'data')
            xq = widened(rng, xq, kind, 6).astype(np.int64)
            last = order[-1]

            def end(v, step):
                return int(np.floor(v / step + 0.5))

            if what == 'ClipNode(x, -0.5, 6)':
                y = np.clip(xq << (exponent(named['x']) - exponent(last)), end(-0.5, last), end(6, last))
            else:
                sum_step = named['x'] * named['w']
                y = xq @ read_safetensors(d('q.safetensors'))['w'].astype(np.int64)
                if what == 'ClipNode(x @ w, 0, 6)':
                    y = np.clip(y, 0, end(6, sum_step))
                    y = rounded(y, exponent(last) - exponent(sum_step))
                else:                                   # y clip(y / 6 + 1/2, 0, 1)
                    kept, gate = order[2:4]
                    y = rounded(y, exponent(kept) - exponent(sum_step))
                    y = np.clip(y, *RANGE['int8' if bits == '8' else 'int16'])
                    sixth, step = one_number(np.float32(1) / np.float32(6))
                    step *= kept
                    g = np.clip(y * sixth.item() + end(0.5, step), 0, end(1, step))
                    g = np.minimum(rounded(g, exponent(gate) - exponent(step)), 2 ** int(bits) - 1)
                    y = rounded(y * g, exponent(last) - exponent(kept * gate))
            got = results(d, d('q.lt'), xq.astype(kind).reshape(2, 6, 3), 2, 'x', 'ref')['result']
            same(got, y.reshape(got.shape), '%s of numbers near %g' % (what, scale))


def asked(rng, bits):
    """An input that asks a table has fewer numbers than its type: what a caller gives beyond them is cut off."""
    width = 8 if bits == '8' else 11
    functions = {'TanhNode': (np.tanh, lambda x: x, -2 ** (width - 1)), 'ExpNode': (np.exp, abs, 0),
                 'EluNode': (lambda x: np.where(x > 0, x, np.expm1(x)), lambda x: -abs(x), 1 - 2 ** width)}
    for what, (f, sign, least) in functions.items():
        d = Folder()
        x = sign(rng.normal(size=(4, 5))).astype(np.float32)
        script = d.write('float.lt', 'x = InputTensor(x, float32, [4, 5]); result = %s(x); result x = x;' % what)
        np.save(d('x.npy'), x)
        run(QUANTIZE, script, '--data', d('x.npy'), '-o', d('q.lt'), '--bits', bits, '--data-out', d('xq.npy'),
            '--metric', 'error', '--loss', '100', '--time', '0.001', '-b', 'ref')
        (named, order), kind = steps(d('q.lt')), types(d('q.lt'))['x']
        (table,) = read_safetensors(d('q.safetensors')).values()
        xq = widened(rng, np.load(d('xq.npy')), kind, 8).astype(np.int64)
        assert xq.min() == RANGE[kind][0] and xq.max() == RANGE[kind][1]
        cut = np.clip(xq, least, least + 2 ** width - 1)
        same(np.load(d('xq.npy')), quantised(x, named['x'], kind), 'data')
        same(cut[:4], xq[:4], 'data within its range')
        values = quantised(f(named['x'] * (least + np.arange(2 ** width))), order[1], str(table.dtype))
        same(table, values, 'table')
        got = results(d, d('q.lt'), xq.astype(kind).reshape(3, 4, 5), 3, 'x', 'ref')
        same(got['x'].reshape(cut.shape), cut, 'the input as a result')
        same(got['result'].reshape(cut.shape), values[cut - least], what)


def best_exponent(w, bits):
    """Of the four exponents from the first that holds all of w: the one whose integers are nearest to it."""
    if not w.any():
        return -1000                                    # any: it gets the coarsest
    low, high = -2 ** (bits - 1), 2 ** (bits - 1) - 1
    first = int(np.ceil(np.log2(max(w.max() / high, w.min() / low))))

    def distance(e):
        return ((w - np.clip(np.floor(w / 2.0 ** e + 0.5), low, high) * 2.0 ** e) ** 2).sum()

    return min(range(first, first - 4, -1), key=distance)


def channels(rng, bits):
    """Weights with a step for each channel: as they are, transposed, and of a convolution; and one that has none, since
    it is read by rows and by columns."""
    d = Folder()
    m, k, n, c, rows = [int(v) for v in rng.integers([1, 3, 4, 3, 6], [4, 9, 9, 7, 12])]
    w = {'w0': rng.normal(size=(k, n)) * 2.0 ** rng.integers(-5, 4, n), 'w1': rng.normal(size=(c, n))
         * 2.0 ** rng.integers(-5, 4, (c, 1)), 'b': rng.normal(size=n), 'both': rng.normal(size=(c, c))}
    w['w0'][:, n // 2] = 0
    w['w0'][0, 0], w['w1'][0, 0] = -abs(w['w0']).max(), -abs(w['w1']).max()
    w = {name: v.astype(np.float32) for name, v in w.items()}
    x = rng.normal(size=(rows * m, k)).astype(np.float32)
    script = d.write('float.lt', '''
x = InputTensor(x, float32, [%d, %d]);
h = ReLUNode(x @ ConstantTensor(w0, float32, [%d, %d]) + ConstantTensor(b, float32, [%d]));
y = h @ TransposeNode(ConstantTensor(w1, float32, [%d, %d]));
both = ConstantTensor(both, float32, [%d, %d]);
result = y;
result other = (y @ both) @ TransposeNode(both);
''' % (m, k, k, n, n, c, n, c, c))
    np.savez(d('w.npz'), **w)
    np.save(d('x.npy'), x)
    run(QUANTIZE, script, '-w', d('w.npz'), '--data', d('x.npy'), '-o', d('q.lt'), '--bits', bits, '--per-channel',
        '--data-out', d('xq.npy'), '--metric', 'error', '--loss', '100', '--time', '0.001', '--report', d('q.json'))
    with open(d('q.json')) as f:
        cells = {v['name']: v for v in json.load(f)['cells']}
    (named, order), kinds, held = steps(d('q.lt')), types(d('q.lt')), read_safetensors(d('q.safetensors'))
    assert 'exponents' not in cells['both'] and 'both' in named, named
    e = {}
    for name, axis in (('w0', 1), ('w1', 0)):
        own, by = np.array(cells[name]['exponents']), np.moveaxis(np.float64(w[name]), axis, 0)
        want = np.array([best_exponent(v, int(bits)) for v in by])
        most, terms = want.max(), abs(by).sum(1).max()
        want[want == -1000] = most
        # A sum of integers at the finest step, by values of so many bits, is of 32.
        least = min(int(np.floor(np.log2(terms))) + 1 + int(bits) - 30, most)
        want = np.maximum(want, least)
        # The search may have moved all of them by one.
        same(own - own.min(), want - want.min(), 'steps of ' + name)
        assert abs(own - want).max() <= 2
        assert (name in named) == (name + '.shift' not in held) == (own == own[0]).all(), name
        same(held.get(name + '.shift', 0 * own), own - own.min(), 'shifts of ' + name)
        e[name] = own
        step = 2.0 ** own if axis else 2.0 ** own[:, None]
        same(held[name], quantised(w[name], step, kinds[name]), name)
    xq = np.load(d('xq.npy'))
    same(xq, quantised(x, named['x'], kinds['x']), 'data')
    xq = widened(rng, xq, kinds['x'], 4 * m)
    first = exponent(named['x']) + e['w0']
    h = (xq.astype(np.int64) @ held['w0'].astype(np.int64)) << (first - first.min())
    h = np.maximum((h << (first.min() - exponent(named['b']))) + held['b'], 0)
    kept = order[2 + ('w0' in named)]
    h = np.minimum(rounded(h, exponent(kept) - exponent(named['b'])), 2 ** int(bits) - 1)
    y = (h @ held['w1'].astype(np.int64).T) << (e['w1'] - e['w1'].min())
    whole = exponent(kept) + e['w1'].min()
    got = results(d, d('q.lt'), xq.reshape(-1, m, k), len(xq) // m, 'x', 'ref')['result']
    step = order[3 + ('w0' in named) + ('w1' in named)]
    y = np.clip(rounded(y, exponent(step) - whole), *RANGE['int' + bits])
    same(got.reshape(y.shape), y, 'result')


def channels_of_images(rng, mode):
    """The same of convolutions, in each mode: within what rounding the results of floats allows."""
    d = Folder()
    size, ci, co, rows = [int(v) for v in rng.integers([4, 1, 2, 1], [7, 4, 6, 5])]
    x = rng.normal(size=(rows, ci, size, size)).astype(np.float32)
    w = (rng.normal(size=(co, ci, 3, 3)) * 2.0 ** rng.integers(-9, 3, (co, 1, 1, 1))).astype(np.float32)
    w[0, 0, 0, 0] = -4
    script = d.write('float.lt', '''
x = InputTensor(x, float32, [1, %d, %d, %d]);
result = Conv2dNode(x, ConstantTensor(w, float32, [%d, %d, 3, 3]));
''' % (ci, size, size, co, ci))
    np.savez(d('w.npz'), w=w)
    np.save(d('x.npy'), x)
    run(QUANTIZE, script, '-w', d('w.npz'), '--data', d('x.npy'), '-o', d('q.lt'), '--mode', mode, '--bits', '8',
        '--per-channel', '--metric', 'error', '--loss', '100', '--time', '0.001', '--report', d('q.json'))
    with open(d('q.json')) as f:
        cells = {v['name']: v for v in json.load(f)['cells']}
    own, kind = np.array(cells['w']['exponents']), types(d('q.lt'))
    held = read_safetensors(d('q.safetensors'))
    wide = 2.0 ** own[:, None, None, None]
    same(held['w'], quantised(w, wide, kind['w']), 'w')
    data, step = x.astype(np.float64), 2.0 ** own
    if mode == 'static':
        named, order = steps(d('q.lt'))
        data = quantised(x, named['x'], kind['x'])
        same(held['w.shift'], own - own.min(), 'shifts')
    else:
        same(held['w.step'], np.float32(step), 'steps')
    patches = np.lib.stride_tricks.sliding_window_view(data, (3, 3), (2, 3))
    want = np.einsum('rcijkl,ockl->roij', patches, held['w'].astype(np.int64))
    got = results(d, d('q.lt'), (data if mode != 'static' else data.astype(kind['x'])).astype(
        kind['x'])[:, None], rows, 'x', 'ref')['result'].reshape(want.shape)
    if mode == 'static':
        shift = exponent(order[-1]) - exponent(named['x']) - own.min()
        same(got, rounded(want << (own - own.min())[:, None, None], shift), 'result')
        return
    size = np.einsum('rcijkl,ockl->roij', abs(patches), abs(held['w'].astype(np.int64)))
    most = abs(data).reshape(rows, -1).max(1)[:, None, None, None]
    terms = 9 * ci
    # Floats round each of their terms; what a run makes integers of is half of its step away.
    away = 2.0 ** -23 * (terms + 2) * size + (most / 254 * abs(held['w'].astype(np.int64)).sum((1, 2, 3))[:, None, None]
                                              if mode == 'dynamic' else 0)
    assert (abs(got - want * step[:, None, None]) <= away * step[:, None, None]).all()


def channels_in_part(rng, mode):
    """Weights of which a sum has some columns, or columns of zeros beside them, have one step: the channels are not
    those of the constant. Where rows alone are cut off they are."""
    m, k, n, rows = [int(v) for v in rng.integers([1, 4, 5, 2], [4, 9, 12, 6])]
    some, more = int(rng.integers(2, n)), int(rng.integers(1, 400))
    w = (rng.normal(size=(k, n)) * 2.0 ** rng.integers(-6, 3, n)).astype(np.float32)
    w[0, 0] = -abs(w).max()
    for width, view, part in ((k, 'SliceNode(w, 0, %d, 1)' % some, lambda v: v[:, :some]),
                              (k, 'PadNode(w, [0, 0], [0, %d])' % more, lambda v: np.pad(v, ((0, 0), (0, more)))),
                              (k - 2, 'SliceNode(w, 0, %d, 0)' % (k - 2), lambda v: v[:k - 2])):
        d = Folder()
        x = rng.normal(size=(rows * m, width)).astype(np.float32)
        script = d.write('float.lt', '''
x = InputTensor(x, float32, [%d, %d]);
w = ConstantTensor(w, float32, [%d, %d]);
result = x @ %s;
''' % (m, width, k, n, view))
        np.savez(d('w.npz'), w=w)
        np.save(d('x.npy'), x)
        run(QUANTIZE, script, '-w', d('w.npz'), '--data', d('x.npy'), '-o', d('q.lt'), '--mode', mode, '--bits', '8',
            '--per-channel', '--metric', 'error', '--loss', '100', '--time', '0.001', '--report', d('q.json'))
        with open(d('q.json')) as f:
            (cell,) = (v for v in json.load(f)['cells'] if v['name'] == 'w')
        (named, order), kinds, held = steps(d('q.lt')), types(d('q.lt')), read_safetensors(d('q.safetensors'))
        assert ('exponents' in cell) == (width < k), (view, cell)
        own = np.array(cell.get('exponents', [cell['exponent']] * n))
        same(held['w'], quantised(w, 2.0 ** own, kinds['w']), 'w of ' + view)
        q, up = part(held['w'].astype(np.int64)), own - own.min() if width < k else 0
        if mode == 'static':
            xq = quantised(x, named['x'], kinds['x'])
            want = rounded((xq @ q) << up, exponent(order[-1]) - exponent(named['x']) - own.min())
            got = results(d, d('q.lt'), xq.astype(kinds['x']).reshape(rows, m, width), rows, 'x', 'ref')['result']
            same(got.reshape(want.shape), want, 'result of ' + view)
            continue
        got = results(d, d('q.lt'), x.reshape(rows, m, width), rows, 'x', 'ref')['result'].reshape(rows * m, -1)
        x = np.float64(x)
        most = np.repeat(abs(x).reshape(rows, -1).max(1), m)[:, None]
        # Floats round each of their terms; what a run makes integers of is half of its step away.
        away = 2.0 ** -23 * (width + 3) * (abs(x) @ abs(q)) + (most / 254 * (1 + 2.0 ** -20) * abs(q).sum(0)
                                                             if mode == 'dynamic' else 0)
        assert (abs(got - x @ q * 2.0 ** (own.min() + up)) <= away * 2.0 ** (own.min() + up)).all(), view


def many_channels(rng, mode):
    """65,536 channels, each of which is looked at alone: once for its range, and at four steps."""
    d, n = Folder(), 1 << 16
    w = (rng.normal(size=(4, n)) * 2.0 ** rng.integers(-9, 3, n)).astype(np.float32)
    script = d.write('float.lt', '''
x = InputTensor(x, float32, [1, 4]);
result = x @ ConstantTensor(w, float32, [4, %d]);
''' % n)
    np.savez(d('w.npz'), w=w)
    np.save(d('x.npy'), rng.normal(size=(2, 4)).astype(np.float32))
    subprocess.run([QUANTIZE, script, '-w', d('w.npz'), '--data', d('x.npy'), '-o', d('q.lt'), '--mode', mode, '--bits',
                    '8', '--per-channel', '--metric', 'error', '--loss', '100', '--time', '0.001', '-q', '--report',
                    d('q.json')], check=True)
    with open(d('q.json')) as f:
        looked = json.load(f)['looked_at']
    assert 0 < looked <= 5 * w.size, looked
    held = read_safetensors(d('q.safetensors'))
    # Of four exponents from the first that holds a channel, the one whose integers are nearest to it.
    wide = np.float64(w)
    first = np.ceil(np.log2(np.maximum(wide.max(0) / 127, wide.min(0) / -128))).astype(int)
    tried = first - np.arange(4)[:, None]
    step = 2.0 ** tried[:, None]
    lost = ((wide - np.clip(np.floor(wide / step + 0.5), -128, 127) * step) ** 2).sum(1)
    best = tried[lost.argmin(0), np.arange(n)]
    same(held['w.step'], np.float32(2.0 ** best), 'steps')
    same(held['w'], quantised(w, 2.0 ** best, 'int8'), 'w')


def main():
    if not MORE:
        try:
            many_channels(np.random.default_rng(SEED), 'weights')
            print('ok - many channels', flush=True)
        except Exception as e:  # noqa: BLE001
            print('not ok - many channels', flush=True)
            print('many channels: %s: %s' % (type(e).__name__, e), file=sys.stderr)
    for mode in ('static', 'weights', 'dynamic'):
        for seed in seeds(2):
            name = 'channels of images and in part, %s, seed %d' % (mode, seed)
            try:
                channels_of_images(np.random.default_rng([seed, len(mode)]), mode)
                channels_in_part(np.random.default_rng([seed, len(mode)]), mode)
                print('ok - ' + name, flush=True)
            except Exception as e:  # noqa: BLE001
                print('not ok - ' + name, flush=True)
                print('%s: %s: %s' % (name, type(e).__name__, e), file=sys.stderr)
    for mode in ('weights', 'dynamic'):
        for seed in seeds(3):
            name = 'constants of integers, %s, seed %d' % (mode, seed)
            try:
                floats(np.random.default_rng([seed, len(mode)]), mode)
                halves(np.random.default_rng([seed, len(mode)]), mode)
                if seed == SEED:
                    unsigned(np.random.default_rng([seed, len(mode)]), mode)
                print('ok - ' + name, flush=True)
            except Exception as e:  # noqa: BLE001
                print('not ok - ' + name, flush=True)
                print('%s: %s: %s' % (name, type(e).__name__, e), file=sys.stderr)
    for case in (dense, recurrent, images, softmax, gathered, masked, bordered, clipped, asked, channels):
        for bits in ('4', '8', '16', 'mixed') if case is dense else ('8', '16'):
            # Of seed 8 the first bias is one number, which is no constant.
            for seed in (SEED, 8) if case is dense and bits == '8' and not MORE else seeds(2):
                name = '%s of %s bits, seed %d' % (case.__name__, bits, seed)
                try:
                    case(np.random.default_rng([seed, len(bits), ord(bits[0])]), bits)
                    print('ok - ' + name, flush=True)
                except Exception as e:  # noqa: BLE001 -- a case that fails is told, and the next is tried
                    print('not ok - ' + name, flush=True)
                    print('%s: %s: %s' % (name, type(e).__name__, e), file=sys.stderr)


if __name__ == '__main__':
    main()
