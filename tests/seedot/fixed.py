"""fixed.py -- SeeDot's own integers in plain Python: docs/seedot.md's chapter of them line by line, with nothing of the
library's.

Ranges.run gives the size of what each variable holds; Fixed.run the integers of a program, whose scales follow from
these sizes.  A variable is named by where it is made: (line, column), of a stage of mbconv (line, column, stage).
"""
import math

import numpy as np

import interp

WORD = 16
SCALED = ("*", "|*|", "<*>", "<+>", "<->", "+", "-", "init", "conv2d", "mbconv", "declare")


class NoScales(Exception):
    """SeeDot's compiler ends here."""


# ---- which expressions are variables ----

def after_lets(e):
    while e[0] == "let":
        e = e[5]
    return e


class Variables:
    """of: by id of an expression, its variable; own: by id of a let, that of an accumulator that it begins.

    types: by id, whether an expression gives a whole number."""

    def __init__(self, root, whole, accumulators, loops):
        self.of, self.own, self.names = {}, {}, {}
        self.whole, self.accumulators, self.loops = whole, accumulators, loops
        self.walk(root, None, {})

    def makes(self, e):
        if id(e) in self.whole:
            return False
        if e[0] == "trips":
            return e[4] is None
        return e[0] in SCALED or (e[0] == "function" and e[1] == "exp")

    def walk(self, e, preset, scope):
        """scope: by name, the let that made it."""
        while e[0] == "let":
            _, name, begins, _, value, rest = e
            for begin in begins:
                self.walk(begin, None, scope)
            old = scope.get(name)
            self.walk(value, self.own.get(id(old)) if old is not None and not begins else None, scope)
            if old is None:
                root = after_lets(value)
                if id(root) in self.of:
                    self.own[id(e)] = self.of[id(root)]
                elif id(e) in self.accumulators:
                    self.own[id(e)] = e.place
                scope = {**scope, name: e}
            e = rest
        kind = e[0]
        inner = None
        if kind == "trips" and e[4] is not None and id(e) in self.loops:
            inner = self.own.get(id(scope[e[4]]))
        for child in children(e):
            self.walk(child, inner, scope)
        if self.makes(e):
            self.of[id(e)] = preset or e.place


def children(e):
    kind = e[0]
    if kind == "trips":
        return [e[5]]
    if kind == "slice":
        return [e[1]] + e[2]
    if kind == "mbconv":
        return e[1]
    if kind == "choose":
        return [e[1], e[3], e[4]]
    if kind in ("function", "sign"):
        return [e[2]]
    if kind in ("whole", "real", "name", "declare", "init"):
        return []
    if kind in ("*", "|*|", "<*>", "<+>", "<->", "+", "-", "index", "conv2d"):
        return [e[1], e[2]]
    return [e[1]]


# ---- ranges ----

class Ranges(interp.Machine):
    """The program in floats of 64 bits: by variable the size of its values, and how far that may be off.

    Both sides of a choice are computed, and a sum shows all sums on the way."""

    def __init__(self, data):
        super().__init__(data)
        self.seen, self.whole, self.accumulators, self.loops, self.pending = {}, set(), set(), set(), []
        self.lets, self.kept = {}, []

    def see(self, at, value):
        if not isinstance(value, int):
            self.pending.append((at, np.abs(value.x).max(), value.err.max()))

    def do(self, e, env):
        value = self.walk(e, env)
        if isinstance(value, int):
            self.whole.add(id(e))
        elif e[0] != "let":
            self.see(id(e), value)
        return value

    def walk(self, e, env):
        kind = e[0]
        if kind == "choose":
            boxes = list({id(b): b for b in env.values()}.values())
            condition = self.condition(self.do(e[1], env), e[2])
            kept = [b.value for b in boxes]
            self.do(e[4] if condition else e[3], env)
            for box, value in zip(boxes, kept):
                box.value = value
            return self.do(e[3] if condition else e[4], env)
        if kind == "trips":
            _, name, begin, end, to, body = e
            if to:
                env[to].accumulated = True
                self.accumulators.add(self.lets[id(env[to])])
            total = None
            for i in range(begin, end):
                value = self.do(body, {**env, name: interp.Box(i)})
                if to and value.x.shape != env[to].value.x.shape:
                    total = value
                elif to:
                    self.loops.add(id(e))
                    total = env[to].value = value
                    self.see(("box", self.lets[id(env[to])]), value)
                else:
                    total = value if total is None else interp.add(total, value)
                    self.see(id(e), total)
            return total
        if kind == "mbconv":
            v = [self.do(a, env) for a in e[1]]
            shapes = ((e[2], e[3]), ([1, 1], [0] * 4))
            y = interp.conv2d(v[0], v[1], *shapes[1], [1, 1], 1)
            for stage, (window, groups) in enumerate(((None, 0), (shapes[0], v[4].x.shape[0]), (shapes[1], 1))):
                if window:
                    y = interp.conv2d(y, v[1 + 3 * stage], *window, [1, 1], groups)
                y = interp.add(y, v[3 + 3 * stage])
                self.see((id(e), stage), y)
                y = interp.times(y, v[2 + 3 * stage])
                if stage < 2:
                    y = interp.function("relu6", y)
            return y
        if kind == "let":
            _, name, begins, counts, value, rest = e
            x = interp.Tensor(self.data[name]) if value[0] == "declare" else self.do(value, env)
            if isinstance(x, int):
                self.whole.add(id(value))
            if counts:
                box = env[name]
                at = self.clamped(begins, counts, box.value.x.shape, env)
                new = interp.Tensor(box.value.x.copy(), box.value.err.copy())
                new.x[at], new.err[at] = x.x, x.err
                box.value = new
                self.see(("box", self.lets[id(box)]), x)
                return self.do(rest, env)
            if name in env:
                env[name].value = x
                self.see(("box", self.lets[id(env[name])]), x)
                return self.do(rest, env)
            box = interp.Box(x)
            self.lets[id(box)] = id(e)
            self.kept.append(box)
            self.see(("let", id(e)), x)
            return self.do(rest, {**env, name: box})
        return super().do(e, env)

    @staticmethod
    def run(text, data, rows):
        """rows: of the input; (tree, variables, {variable: (most, error)}, results) of the rows together."""
        tree = interp.Parser(text).program()
        machines, results = [], []
        for row in rows:
            m = Ranges({**data, "X": row})
            results.append(m.do(tree, {}))
            machines.append(m)
        join = lambda what: set().union(*(getattr(m, what) for m in machines))
        variables = Variables(tree, join("whole"), join("accumulators"), join("loops"))
        sizes = {}
        for m in machines:
            for at, most, err in m.pending:
                if isinstance(at, tuple) and at[0] == "box":
                    at = variables.own.get(at[1])
                elif isinstance(at, tuple) and at[0] == "let":
                    at = variables.own.get(at[1]) if at[1] in variables.accumulators else None
                elif isinstance(at, tuple):
                    at = ("stage", at)
                else:
                    at = variables.of.get(at)
                if at is not None:
                    old = sizes.get(at, (0.0, 0.0))
                    sizes[at] = (max(old[0], most), max(old[1], err))
        return tree, variables, sizes, results


# ---- integers ----

def scale_of(most):
    """The scale at which 16 bits hold numbers of that size: 2^15 of its units are more than it."""
    return math.frexp(most if most > 0 else 1e-6)[1] - (WORD - 1)


def quantise(x, bits, scale):
    most = 2 ** (bits - 1)
    return np.clip(np.trunc(np.ldexp(np.asarray(x, dtype=np.float64), -scale)), -most, most - 1).astype(np.int64)


def wrap(x, bits):
    half = 2 ** (bits - 1)
    return (x + half) % (2 * half) - half


def div(x, n):
    """C's division, towards zero."""
    return np.sign(x) * (np.abs(x) // n)


def shift(x, by):
    """Left if by < 0."""
    if by < 0:
        return wrap(x * 2 ** min(-by, 30), 32)
    return div(x, 32767 if by >= 15 else 2 ** by)


def levels(n):
    return (n - 1).bit_length()


class Value:
    def __init__(self, q, bits, scale):
        self.q, self.bits, self.scale = np.asarray(q, dtype=np.int64), bits, scale

    def like(self, q):
        return Value(q, self.bits, self.scale)

    def to(self, bits, scale):
        if (bits, scale) == (self.bits, self.scale):
            return self
        return Value(wrap(shift(self.q, scale - self.scale), bits), bits, scale)


COARSE = [int(16384 * math.exp(-i / 16) + 0.5) for i in range(256)]
FINE = [int(16384 * math.exp(-i / 2048) + 0.5) for i in range(128)]
BYTES = [int(64 * math.exp(-i / 16) + 0.5) for i in range(128)]


def exp_positive(v, bits):
    """e^-v, v from 0 on."""
    return BYTES[v] if bits == 8 else COARSE[v // 128] * FINE[v % 128] // 16384


def exp_number(a, bits):
    if a > 0:
        return exp_positive(127, 8) if bits == 8 else exp_positive(0, 16)
    return exp_positive(min(-a, 127 if bits == 8 else 32767), bits)


def sigmoid_number(a, bits):
    one, over = (64, 4096) if bits == 8 else (16384, 267943936)
    b = exp_number(-abs(a), bits)
    return over // (one + b) if a > 0 else one * b // (one + b)


def tanh_number(a, bits):
    one = 64 if bits == 8 else 16384
    twice = -2 * abs(a)
    if bits == 8:
        twice = (twice + 128) % 256 - 128
    b = exp_number(twice, bits)
    y = one * (one - b) // (one + b)
    return -y if a < 0 else y


class Box:
    def __init__(self, value, variable):
        self.value, self.variable, self.accumulated = value, variable, False


class Fixed:
    """choice: {"derives": bool, "maxscale": P, "input": scale}; narrow: by variable an offset; sizes: by variable."""

    def __init__(self, data, x, variables, sizes, choice, narrow):
        self.data, self.x, self.v = data, x, variables
        self.sizes, self.choice, self.narrow = sizes, choice, narrow
        self.derives = choice["derives"]
        self.formats = {}

    # -- scales --

    def format(self, variable, declared=None, is_input=False):
        """(bits, scale, scale in 16 bits)"""
        most = self.sizes.get(variable)
        seen = 0.0 if most is None else most
        if not self.derives and not (declared is not None and most is None):
            seen += 0.01
        scale = scale_of(max(seen, declared or 0.0))
        if is_input and not self.derives:
            scale = self.choice["input"]
        if variable in self.narrow:
            return 8, scale + 8 + self.narrow[variable], scale
        return WORD, scale, scale

    def out_format(self, e):
        variable = self.v.of[id(e)]
        return self.format(variable, self.declared.get(variable), variable == self.input)

    declared, input = {}, None

    def product_steps(self, e, a, b, terms):
        """(shift of a, shift of b, levels that halve, others, demotion, bits, scale)"""
        h = levels(terms)
        raw = a.scale + b.scale
        widest = max(a.bits, b.bits)
        stored = widest if self.derives else 2 * widest
        lost = max(a.bits + b.bits - 1 - stored, 0)
        if self.derives:
            bits, out = WORD, min(raw + WORD - 1 + h, self.choice["maxscale"])
            native = out
            product = min(raw + lost, self.choice["maxscale"] - max(stored - WORD, 0))
        else:
            bits, out, native = self.out_format(e)
            product = raw + lost
        total = product - raw
        small, large = total // 2, total - total // 2
        sh_a, sh_b = (large, small) if a.scale <= b.scale else (small, large)
        if total > WORD - 1:
            raise NoScales("a product")
        summed = max(native, product)
        halved = summed - product
        total += out - product
        demote = total - sh_a - sh_b - halved
        if halved > h:
            more, halved = halved - h, h
            if sh_a >= sh_b:
                sh_a, sh_b = sh_a + more // 2, sh_b + more - more // 2
            else:
                sh_a, sh_b = sh_a + more - more // 2, sh_b + more // 2
        if demote < 0 and demote + halved >= 0:
            halved, demote = halved + demote, 0
        elif demote < 0:
            halved = 0
            rest = total - sh_a - sh_b
            if total >= 0:
                sh_a, sh_b = sh_a + rest // 2, sh_b + rest - rest // 2
            else:
                sh_a = sh_b = 0
                out = raw
            demote = 0
        if sh_a < 0 or sh_b < 0 or demote > 30:
            raise NoScales("a product")
        return sh_a, sh_b, halved, h - halved, demote, bits, out

    # -- sums of products: the terms are on the last axis --

    def tree(self, t, bits, halved, plain):
        for level in range(halved + plain):
            if t.shape[-1] % 2:
                t = np.concatenate([t, np.zeros(t.shape[:-1] + (1,), dtype=np.int64)], -1)
            by = 2 if level < halved else 1
            t = wrap(div(t[..., 0::2], by) + div(t[..., 1::2], by), bits)
        return t[..., 0]

    def sum_products(self, e, a, b, terms, products):
        sh_a, sh_b, halved, plain, demote, bits, scale = self.product_steps(e, a, b, terms)
        kept = max(a.bits, b.bits) * (1 if self.derives else 2)
        if self.derives:
            products = shift(shift(products, sh_a), sh_b)
        y = self.tree(wrap(products, kept), kept, halved, plain)
        if not self.derives:
            y = shift(shift(y, sh_a), sh_b)
        return Value(wrap(div(y, 2 ** demote), bits), bits, scale)

    def sparse(self, e, a, b):
        sh_a, sh_b, halved, _, demote, bits, scale = self.product_steps(e, a, b, a.q.shape[1])
        t = a.q[:, :, None] * b.q[None]
        t = div(shift(shift(shift(t, sh_a), sh_b), halved), 2 ** demote)
        return Value(wrap(t.sum(1), bits), bits, scale)

    def product(self, e, a, b, sparse):
        if not a.q.ndim or not b.q.ndim:
            return self.sum_products(e, a, b, 1, (a.q * b.q)[..., None])
        if sparse:
            return self.sparse(e, a, b)
        return self.sum_products(e, a, b, a.q.shape[1], (a.q[:, :, None] * b.q[None]).transpose(0, 2, 1))

    @staticmethod
    def windows(x, size, strides, pads, dilations, fill):
        """[n, y, x, i, j, c]"""
        padded = np.pad(x, ((0, 0), (pads[0], pads[1]), (pads[2], pads[3]), (0, 0)), constant_values=fill)
        count = [(padded.shape[1 + k] - dilations[k] * (size[k] - 1) - 1) // strides[k] + 1 for k in (0, 1)]
        out = np.zeros((x.shape[0], *count, *size, x.shape[3]), dtype=np.int64)
        for i in range(size[0]):
            for j in range(size[1]):
                top, left = i * dilations[0], j * dilations[1]
                out[:, :, :, i, j] = padded[:, top:top + strides[0] * (count[0] - 1) + 1:strides[0],
                                            left:left + strides[1] * (count[1] - 1) + 1:strides[1]]
        return out

    def conv_terms(self, x, f, strides, pads, dilations, groups):
        """[n, y, x, g * o, terms], which are in the order of rows, columns and channels of the filter."""
        each, parts = f.shape[3], []
        for g in range(groups):
            w = self.windows(x[..., g * each:(g + 1) * each], f.shape[1:3], strides, pads, dilations, 0)
            t = w[..., None] * f[g]
            parts.append(np.moveaxis(t.reshape(t.shape[:3] + (-1, t.shape[-1])), 3, 4))
        return np.concatenate(parts, 3)

    def conv2d(self, e, a, f, strides, pads, dilations, groups):
        terms = int(np.prod(f.q.shape[1:4]))
        return self.sum_products(e, a, f, terms, self.conv_terms(a.q, f.q, strides, pads, dilations, groups))

    def mbconv(self, e, v, strides, pads):
        if self.derives:
            raise NoScales("mbconv")
        bits_out, scale_out, _ = self.out_format(e)
        y = v[0]
        windows = (([1, 1], [0] * 4, 1), (strides, pads, v[4].q.shape[0]), ([1, 1], [0] * 4, 1))
        by = lambda x, n: shift(x, n) if n < 0 else div(x, 2 ** min(n, 30))
        for stage in range(3):
            f, weight, bias = v[1 + 3 * stage:4 + 3 * stage]
            s, p, groups = windows[stage]
            t = self.conv_terms(y.q, f.q, s, p, [1, 1], groups)
            h = levels(t.shape[-1])
            bits = max(y.bits, f.bits)
            u = self.tree(t, 2 * bits, h, 0)
            native = scale_of(self.sizes[("stage", (id(e), stage))] + 0.01)
            added = native + WORD - bits
            kept = 2 * max(bits, weight.bits)
            product = added + weight.scale
            if -product > 28:
                raise NoScales("mbconv")
            u = wrap(wrap(by(u, added - (y.scale + f.scale + h)) + by(bias.q, added - bias.scale), 32), kept)
            u = wrap(u * weight.q, 32)
            if stage < 2:
                u = np.minimum(np.maximum(wrap(u, kept), 0), int(6 * 2.0 ** -product))
                to = max(bits, weight.bits), 4 - max(bits, weight.bits)
            else:
                to = bits_out, scale_out
            y = Value(wrap(by(u, to[1] - product), to[0]), *to)
        return y

    # -- sums --

    def add(self, e, a, b, sign):
        common = max(a.scale, b.scale)
        if self.derives:
            bits, scale = WORD, common + (1 if common < self.choice["maxscale"] else 0)
        else:
            bits, scale, _ = self.out_format(e)
        third, demote = max(scale - common, 0), 0
        if third >= 8 and not self.derives:
            third, demote = 8, third - 8
        x = shift(shift(a.q, common - a.scale), third)
        y = shift(shift(b.q, common - b.scale), third)
        widest = max(a.bits, b.bits, bits)
        total = wrap(div(wrap(x + sign * y, widest), 2 ** min(demote, 30)), bits)
        return Value(wrap(shift(total, -max(common - scale, 0)), bits), bits, scale)

    def sum_format(self, e, n, scale):
        if not self.derives:
            return self.out_format(e)[:2]
        most = self.choice["maxscale"]
        return WORD, scale if scale >= most else min(scale + levels(n), most)

    def term(self, e, n, x):
        by = self.sum_format(e, n, x.scale)[1] - x.scale
        more = max(by - levels(n), 0)
        return shift(shift(x.q, more) if more else x.q, by - more)

    # -- functions --

    def rescaled(self, x):
        to, room = (-4, 6) if x.bits == 8 else (-11, 14)
        if x.scale > to:
            most = 2 ** (room - (x.scale - to)) if room >= x.scale - to else 0
            x = x.like(np.clip(x.q, -most, most))
        return x.to(x.bits, to)

    @staticmethod
    def each(f, x):
        return np.array([f(int(v), x.bits) for v in x.q.reshape(-1)], dtype=np.int64).reshape(x.q.shape)

    def function(self, e, name, x):
        one = int(2.0 ** -x.scale) if x.scale <= 0 else 0
        if name == "relu":
            return x.like(np.maximum(x.q, 0))
        if name == "relu6":
            return x.like(np.minimum(np.maximum(x.q, 0), int(6 * 2.0 ** -x.scale)))
        if name == "exp":
            bits = WORD if self.derives else self.out_format(e)[0]
            x = self.rescaled(x)
            y = shift(self.each(exp_number, x), x.bits - bits)
            return Value(wrap(y, bits), bits, -6 if bits == 8 else -14)
        if name == "tanh" and self.derives:
            return x.like(np.clip(x.q, -one, one))
        if name == "sigmoid" and self.derives:
            y = np.clip(div(x.q, 2) + int(0.5 * 2.0 ** -x.scale), 0, one)
            return Value(wrap(shift(y, -14 - x.scale), WORD), WORD, -14)
        if name in ("tanh", "sigmoid"):
            x = self.rescaled(x)
            y = self.each(tanh_number if name == "tanh" else sigmoid_number, x)
            return Value(y, x.bits, -6 if x.bits == 8 else -14)
        half = x.bits // 2
        squares = div(div(x.q * x.q, 2 ** half), 2 ** half).sum(-1)
        bound = math.floor(2.0 ** (-2 * x.scale - 2))
        best = np.ones(squares.shape, dtype=np.int64)
        for y in range(1, 2 ** (half - 1)):
            best = np.where(squares * y * y <= bound, y, best)
        return Value(wrap(div(x.q, 2 ** half) * best[..., None], x.bits), x.bits, x.scale + 1)

    # -- the program --

    def bind(self, box, x):
        if isinstance(x, int) or not box.accumulated:
            return x
        return x.to(*self.format(box.variable, self.declared.get(box.variable), box.variable == self.input)[:2])

    def clamped(self, begins, counts, shape, env):
        at = [min(max(self.do(e, env), 0), extent - n) for e, n, extent in zip(begins, counts, shape)]
        return tuple(slice(b, b + n) for b, n in zip(at, counts))

    def do(self, e, env):
        value = self.walk(e, env)
        if id(e) in self.v.of and not isinstance(value, int):
            self.formats[self.v.of[id(e)]] = value.bits, value.scale
        return value

    def walk(self, e, env):
        kind = e[0]
        if kind == "whole":
            return e[1]
        if kind == "real":
            s = scale_of(abs(e[1]))
            return Value(quantise(e[1], WORD, s), WORD, s)
        if kind == "name":
            return env[e[1]].value
        if kind == "init":
            if self.derives:
                bits, s = WORD, scale_of(abs(e[2]))
            else:
                bits, s, _ = self.out_format(e)
            return Value(np.full(e[1], quantise(e[2], bits, s)), bits, s)
        if kind == "sign":
            x = self.do(e[2], env)
            if e[1] == "+":
                return x
            return interp.wrap(-x) if isinstance(x, int) else x.like(wrap(-x.q, x.bits))
        if kind == "transpose":
            x = self.do(e[1], env)
            return x.like(x.q.T)
        if kind == "index":
            x, at = self.do(e[1], env), self.do(e[2], env)
            return x.like(x.q[min(max(at, 0), x.q.shape[0] - 1)])
        if kind == "slice":
            x = self.do(e[1], env)
            return x.like(x.q[self.clamped(e[2], e[3], x.q.shape, env)])
        if kind in ("*", "|*|", "<*>", "<+>", "<->", "+", "-"):
            a, b = self.do(e[1], env), self.do(e[2], env)
            if isinstance(a, int):
                return interp.wrap({"+": a + b, "-": a - b}.get(kind, a * b))
            if kind in ("*", "|*|"):
                return self.product(e, a, b, kind == "|*|")
            if kind == "<*>":
                y = self.sum_products(e, a, b, 1, (a.q * b.q)[..., None])
                return y if self.derives else y.to(*self.out_format(e)[:2])
            return self.add(e, a, b, -1 if kind in ("-", "<->") else 1)
        if kind == "function":
            x = self.do(e[2], env)
            if e[1] == "argmax":
                return int(np.argmax(x.q.reshape(-1)))
            if e[1] == "sgn":
                return int(x.q.reshape(-1)[0] > 0)
            return self.function(e, e[1], x)
        if kind == "reshape":
            x = self.do(e[1], env)
            return x.like(x.q.transpose([k - 1 for k in e[3]]).reshape(e[2]))
        if kind == "reverse":
            x = self.do(e[1], env)
            return x.like(np.flip(x.q, e[2]))
        if kind == "maxpool":
            x = self.do(e[1], env)
            return x.like(self.windows(x.q, e[2], e[4], e[3], [1, 1], -2 ** (x.bits - 1)).max((3, 4)))
        if kind == "conv2d":
            return self.conv2d(e, self.do(e[1], env), self.do(e[2], env), e[3], e[4], e[5], e[6][0])
        if kind == "mbconv":
            return self.mbconv(e, [self.do(a, env) for a in e[1]], e[2], e[3])
        if kind == "choose":
            return self.choose(e, env)
        if kind == "trips":
            return self.trips(e, env)
        return self.let(e, env)

    def choose(self, e, env):
        condition = self.do(e[1], env)
        above = condition > 0 if isinstance(condition, int) else condition.q.reshape(-1)[0] > 0
        boxes = list({id(b): b for b in env.values()}.values())
        kept = [b.value for b in boxes]
        other = self.do(e[4] if above else e[3], env)           # for its scale
        for box, value in zip(boxes, kept):
            box.value = value
        y = self.do(e[3] if above else e[4], env)
        return y if isinstance(y, int) else y.to(WORD, max(y.scale, other.scale))

    def trips(self, e, env):
        _, name, begin, end, to, body = e
        if to:
            env[to].accumulated = True
        n, total = end - begin, None
        for i in range(begin, end):
            x = self.do(body, {**env, name: Box(i, None)})
            if to and id(e) not in self.v.loops:
                total = x
            elif to:
                total = env[to].value = self.bind(env[to], x)
            else:
                t = self.term(e, n, x)
                bits, scale = self.sum_format(e, n, x.scale)
                total = Value(wrap(t if total is None else total.q + t, bits), bits, scale)
        return total

    def let(self, e, env):
        _, name, begins, counts, value, rest = e
        if value[0] == "declare":
            variable = self.v.of[id(value)]
            declared = max(abs(value[2]), abs(value[3]))
            self.declared[variable] = declared
            if name == "X":
                self.input = variable
            bits, s, _ = self.format(variable, declared, name == "X")
            x = Value(quantise(self.x if name == "X" else self.data[name], bits, s), bits, s)
            self.formats[variable] = bits, s
        else:
            x = self.do(value, env)
        if counts:
            box = env[name]
            q = box.value.q.copy()
            q[self.clamped(begins, counts, q.shape, env)] = x.to(box.value.bits, box.value.scale).q
            box.value = box.value.like(q)
            return self.do(rest, env)
        if name in env:
            env[name].value = self.bind(env[name], x)
            return self.do(rest, env)
        box = Box(None, self.v.own.get(id(e)))
        box.accumulated = id(e) in self.v.accumulators
        box.value = self.bind(box, x)
        return self.do(rest, {**env, name: box})

    @staticmethod
    def run(tree, data, x, variables, sizes, choice, narrow):
        """(result, formats by variable)"""
        m = Fixed(data, x, variables, sizes, choice, narrow)
        m.declared = {}
        return m.do(tree, {}), m.formats
