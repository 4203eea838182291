"""interp.py -- SeeDot's language in plain Python: docs/seedot.md line by line, with nothing of the library's.

A program is parsed and done as it is written: one expression after the other, loops trip by trip.  Numbers are of 64
bits; beside each stands how far a computation in 32 bits may be from it at most (to first order, in any order of sums).
"""
import re

import numpy as np

U = 2.0 ** -24          # half a unit in the last place of 1
SAFE = 4.0              # functions of a library may be off by some units, and bounds are of first order


class Refused(Exception):
    pass


class Open(Exception):
    """What is chosen depends on rounding."""


# ---- words ----

WORD = re.compile(r"\s+|//[^\n]*|(?P<decimal>(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)|(?P<integer>\d+)|"
                  r"(?P<name>[A-Za-z_][A-Za-z_0-9']*)|"
                  r"(?P<mark><\*>|<\+>|<->|\|\*\||\^T|:\+|>=|\{[spdgk]|[()\[\]},:=?+*$-])")
FUNCTIONS = {"relu", "relu6", "exp", "argmax", "sgn", "tanh", "sigmoid", "normaliseL2"}


def words(text):
    at, out = 0, []
    while at < len(text):
        m = WORD.match(text, at)
        if not m:
            raise Refused("no word at %d" % at)
        at = m.end()
        if m.lastgroup:
            out.append((m.lastgroup, m.group(), m.start()))
    return out + [("end", "", len(text))]


class Node(tuple):
    """An expression, with where it is: (line, column), as messages have it."""

    def __new__(cls, place, *fields):
        self = super().__new__(cls, fields)
        self.place = place
        return self


class Parser:
    def __init__(self, text):
        self.words, self.at, self.text = words(text), 0, text

    def node(self, at, *fields):
        """An expression whose operator, or first word, is word `at`."""
        before = self.text[:self.words[at][2]]
        return Node((before.count("\n") + 1, len(before) - before.rfind("\n")), *fields)

    def peek(self, k=0):
        return self.words[min(self.at + k, len(self.words) - 1)][1]

    def kind(self, k=0):
        return self.words[min(self.at + k, len(self.words) - 1)][0]

    def take(self, *texts):
        for text in texts:
            if self.peek() != text:
                raise Refused("expected %r, not %r" % (text, self.peek()))
            self.at += 1

    def integer(self):
        if self.kind() != "integer":
            raise Refused("a whole number")
        self.at += 1
        return int(self.words[self.at - 1][1])

    def integers(self, close):
        out = [self.integer()]
        while self.peek() == ",":
            self.at += 1
            out.append(self.integer())
        self.take(close)
        return out

    def number(self):
        sign = 1
        if self.peek() in "+-":
            sign = -1 if self.peek() == "-" else 1
            self.at += 1
        if self.kind() not in ("integer", "decimal"):
            raise Refused("a number")
        self.at += 1
        return sign * float(self.words[self.at - 1][1])

    def group(self, letter, n):
        self.take("{" + letter)
        out = [self.integer() for _ in range(n)]
        self.take("}")
        return out

    def program(self):
        e = self.choice()
        if self.kind() != "end":
            raise Refused("the end")
        return e

    def choice(self):
        e = self.sums()
        while self.peek() == ">=":
            self.at += 1
            bound = self.integer()
            self.take("?")
            yes = self.choice()
            self.take(":")
            e = ("choose", e, bound, yes, self.sums())
        return e

    def sums(self):
        e = self.products()
        while self.peek() in ("+", "-"):
            self.at += 1
            at = self.at - 1
            e = self.node(at, self.words[at][1], e, self.products())
        return e

    def products(self):
        e = self.postfix()
        while self.peek() in ("*", "|*|", "<*>", "<+>", "<->"):
            self.at += 1
            at = self.at - 1
            e = self.node(at, self.words[at][1], e, self.postfix())
        return e

    def postfix(self):
        e = self.primary()
        while self.peek() in ("^T", "["):
            if self.peek() == "^T":
                self.at += 1
                e = ("transpose", e)
                continue
            begins, counts = [], []
            while self.peek() == "[":
                mark = self.at
                self.at += 1
                inside = self.choice()
                if self.peek() == "]":
                    if begins:
                        self.at = mark
                        break
                    self.at += 1
                    e = ("index", e, inside)
                    break
                self.take(":+")
                begins.append(inside)
                counts.append(self.integer())
                self.take("]")
            if begins:
                e = ("slice", e, begins, counts)
        return e

    def arguments(self, n):
        out = []
        for i in range(n):
            if i:
                self.take(",")
            out.append(self.choice())
        return out

    def primary(self):
        kind, word, _ = self.words[self.at]
        first = self.at
        if kind == "integer":
            return ("whole", self.integer())
        if kind == "decimal":
            return ("real", self.number())
        if word in ("+", "-"):
            self.at += 1
            return ("sign", word, self.postfix())
        if word == "(":
            k = 1
            while self.kind(k) == "integer" and self.peek(k + 1) == ",":
                k += 2
            if self.kind(k) == "integer" and [self.peek(k + i) for i in (1, 2, 3)] == [")", "in", "["]:
                self.at += 1
                shape = self.integers(")")
                self.take("in", "[")
                low = self.number()
                self.take(",")
                high = self.number()
                self.take("]")
                return self.node(first, "declare", shape, low, high)
            self.at += 1
            e = self.choice()
            self.take(")")
            return e
        self.at += 1
        if word == "let":
            name, begins, counts = self.peek(), [], []
            self.at += 1
            while self.peek() == "[":
                self.at += 1
                begins.append(self.choice())
                self.take(":+")
                counts.append(self.integer())
                self.take("]")
            self.take("=")
            value = self.choice()
            self.take("in")
            return self.node(first + 1, "let", name, begins, counts, value, self.choice())
        if word in ("$", "loop"):
            self.take("(")
            name = self.peek()
            self.at += 1
            self.take("=", "[")
            begin = self.integer()
            self.take(":")
            end = self.integer()
            self.take("]")
            to = None
            if word == "loop":
                self.take(",")
                to = self.peek()
                self.at += 1
            self.take(")")
            return self.node(first, "trips", name, begin, end, to, self.sums())
        if word in FUNCTIONS:
            self.take("(")
            e = self.choice()
            self.take(")")
            return self.node(first, "function", word, e)
        if word == "init":
            self.take("(", "[")
            shape = self.integers("]")
            self.take(",")
            value = self.number()
            self.take(")")
            return self.node(first, "init", shape, value)
        if word == "reshape":
            self.take("(")
            e = self.choice()
            self.take(",", "(")
            shape = self.integers(")")
            self.take(",", "(")
            order = self.integers(")")
            self.take(")")
            return ("reshape", e, shape, order)
        if word == "reverse":
            self.take("(")
            e = self.choice()
            self.take(",")
            axis = self.integer()
            self.take(")")
            return ("reverse", e, axis)
        if word == "maxpool":
            self.take("(")
            e = self.choice()
            out = []
            for letter, n in (("k", 2), ("p", 4), ("s", 2)):
                self.take(",")
                out.append(self.group(letter, n))
            self.take(")")
            return ("maxpool", e, *out)
        if word == "conv2d":
            self.take("(")
            e = self.arguments(2)
            out = []
            for letter, n in (("s", 2), ("p", 4), ("d", 2), ("g", 1)):
                self.take(",")
                out.append(self.group(letter, n))
            self.take(")")
            return self.node(first, "conv2d", *e, *out)
        if word == "mbconv":
            self.take("(")
            e = [self.choice()]
            for _ in range(3):
                self.take(",", "[")
                e += self.arguments(3)
                self.take("]")
            out = []
            for letter, n in (("s", 2), ("p", 4)):
                self.take(",")
                out.append(self.group(letter, n))
            self.take(")")
            return self.node(first, "mbconv", e, *out)
        if kind != "name":
            raise Refused("an expression")
        return ("name", word)


# ---- values: whole numbers are ints, tensors pairs of the numbers and their bounds ----

class Tensor:
    def __init__(self, x, err=None):
        self.x = np.asarray(x, dtype=np.float64)
        self.err = np.zeros(self.x.shape) if err is None else np.asarray(err, dtype=np.float64)

    def rounded(self):
        return Tensor(self.x, self.err + U * np.abs(self.x) + 2.0 ** -149)

    def apply(self, f):
        return Tensor(f(self.x), f(self.err))


def wrap(x):
    return (x + 2 ** 31) % 2 ** 32 - 2 ** 31


def add(a, b, sign=1):
    return Tensor(a.x + sign * b.x, a.err + b.err).rounded()


def times(a, b):
    return Tensor(a.x * b.x, np.abs(a.x) * b.err + np.abs(b.x) * a.err + a.err * b.err).rounded()


def sum_over(t, axes):
    n = int(np.prod([t.x.shape[i] for i in axes]))
    return Tensor(t.x.sum(axes), t.err.sum(axes) + n * U * np.abs(t.x).sum(axes)).rounded()


def matmul(a, b):
    a, b = a.apply(lambda x: x[:, :, None]), b.apply(lambda x: x[None, :, :])
    return sum_over(times(a, b), (1,))


def function(name, t):
    x, e = t.x, t.err
    if name == "relu":
        return Tensor(np.where(np.isnan(x), x, np.maximum(x, 0)), e)
    if name == "relu6":
        return Tensor(np.where(np.isnan(x), x, np.minimum(np.maximum(x, 0), 6)), e)
    if name == "exp":
        y = np.exp(x)
        return Tensor(y, y * np.expm1(np.minimum(e, 1)) + 16 * U * y + 2.0 ** -149)
    if name == "tanh":
        y = np.tanh(x)
        return Tensor(y, e + 16 * U * np.abs(y) + 2.0 ** -149)
    if name == "sigmoid":
        y = 1 / (1 + np.exp(-x))
        return Tensor(y, e / 4 + 16 * U * y + 2.0 ** -149)
    squares = sum_over(times(t, t), (x.ndim - 1,))
    if np.any((squares.x != 0) & (squares.err * 16 > squares.x)):
        raise Open("a norm near 0")
    safe = np.where(squares.x == 0, 1, squares.x)
    root = 1 / np.sqrt(safe)
    inverse = Tensor(root, root * squares.err / safe + 16 * U * root).apply(lambda v: v[..., None])
    return times(t, inverse)


def windows(t, size, strides, pads, dilations, fill):
    """[n, y, x, c, i, j] of [n, rows, columns, c]; pads: above, below, left, right."""
    n, rows, columns, c = t.x.shape
    padded = np.full((n, rows + pads[0] + pads[1], columns + pads[2] + pads[3], c), fill)
    padded[:, pads[0]:pads[0] + rows, pads[2]:pads[2] + columns] = t.x
    err = np.zeros(padded.shape)
    err[:, pads[0]:pads[0] + rows, pads[2]:pads[2] + columns] = t.err
    count = [(padded.shape[1 + k] - dilations[k] * (size[k] - 1) - 1) // strides[k] + 1 for k in (0, 1)]
    if min(count) < 1:
        raise Refused("a window does not fit")
    out = [np.zeros((n, *count, c, *size)) for _ in (0, 1)]
    for y in range(count[0]):
        for x in range(count[1]):
            for i in range(size[0]):
                for j in range(size[1]):
                    at = (slice(None), y * strides[0] + i * dilations[0], x * strides[1] + j * dilations[1])
                    out[0][:, y, x, :, i, j] = padded[at]
                    out[1][:, y, x, :, i, j] = err[at]
    return Tensor(*out)


def conv2d(t, f, strides, pads, dilations, groups):
    parts = []
    each = f.x.shape[3]
    for g in range(groups):
        image = t.apply(lambda v: v[..., g * each:(g + 1) * each])
        w = windows(image, f.x.shape[1:3], strides, pads, dilations, 0.0).apply(lambda v: v[..., None])
        filt = f.apply(lambda v: v[g].transpose(2, 0, 1, 3)[None, None, None])
        parts.append(sum_over(times(w, filt), (3, 4, 5)))
    return Tensor(np.concatenate([p.x for p in parts], -1), np.concatenate([p.err for p in parts], -1))


# ---- doing ----

class Box:
    def __init__(self, value):
        self.value, self.accumulated = value, False


class Machine:
    """data: what is declared, by name."""

    def __init__(self, data):
        self.data = data
        self.declaring = None

    def whole(self, e, env):
        return self.do(e, env)

    def clamped(self, begins, counts, shape, env):
        at = []
        for e, n, extent in zip(begins, counts, shape):
            at.append(min(max(self.do(e, env), 0), extent - n))
        return tuple(slice(b, b + n) for b, n in zip(at, counts))

    def condition(self, value, bound):
        if isinstance(value, int):
            return value >= bound
        x, err = value.x.reshape(-1)[0], value.err.reshape(-1)[0]
        if abs(x - bound) <= SAFE * err and err > 0:
            raise Open("a comparison")
        return bool(x >= bound)

    def do(self, e, env):
        kind = e[0]
        if kind == "whole":
            return e[1]
        if kind == "real":
            return Tensor(np.float32(e[1]))
        if kind == "name":
            return env[e[1]].value
        if kind == "init":
            return Tensor(np.full(e[1], np.float32(e[2]), dtype=np.float64))
        if kind == "sign":
            value = self.do(e[2], env)
            if e[1] == "+":
                return value
            return wrap(-value) if isinstance(value, int) else Tensor(-value.x, value.err)
        if kind == "transpose":
            return self.do(e[1], env).apply(np.transpose)
        if kind == "index":
            value, at = self.do(e[1], env), self.do(e[2], env)
            at = min(max(at, 0), value.x.shape[0] - 1)
            return value.apply(lambda v: v[at])
        if kind == "slice":
            value = self.do(e[1], env)
            at = self.clamped(e[2], e[3], value.x.shape, env)
            return value.apply(lambda v: v[at])
        if kind in ("*", "|*|", "<*>", "<+>", "<->", "+", "-"):
            a, b = self.do(e[1], env), self.do(e[2], env)
            if isinstance(a, int):
                return wrap({"+": a + b, "-": a - b}.get(kind, a * b))
            if kind in ("*", "|*|"):
                return matmul(a, b) if a.x.ndim and b.x.ndim else times(a, b)
            if kind == "<*>":
                return times(a, b)
            return add(a, b, -1 if kind in ("-", "<->") else 1)
        if kind == "function":
            value = self.do(e[2], env)
            if e[1] == "argmax":
                x, err = value.x.reshape(-1), value.err.reshape(-1)
                if np.isnan(x).any():
                    return int(np.argmax(np.isnan(x)))
                best = int(np.argmax(x))
                near = (x + SAFE * err >= x[best] - SAFE * err[best]) & (err + err[best] > 0)
                near[best] = False
                if near.any():
                    raise Open("argmax")
                return best
            if e[1] == "sgn":
                x, err = value.x.reshape(-1)[0], value.err.reshape(-1)[0]
                if abs(x) <= SAFE * err and err > 0:
                    raise Open("sgn")
                return int(x > 0)
            return function(e[1], value)
        if kind == "reshape":
            value = self.do(e[1], env)
            return value.apply(lambda v: v.transpose([k - 1 for k in e[3]]).reshape(e[2]))
        if kind == "reverse":
            return self.do(e[1], env).apply(lambda v: np.flip(v, e[2]))
        if kind == "maxpool":
            w = windows(self.do(e[1], env), e[2], e[4], e[3], [1, 1], -np.inf)
            return Tensor(w.x.max((4, 5)), w.err.max((4, 5)))
        if kind == "conv2d":
            return conv2d(self.do(e[1], env), self.do(e[2], env), e[3], e[4], e[5], e[6][0])
        if kind == "mbconv":
            v = [self.do(a, env) for a in e[1]]
            y = conv2d(v[0], v[1], [1, 1], [0] * 4, [1, 1], 1)
            y = function("relu6", times(add(y, v[3]), v[2]))
            y = conv2d(y, v[4], e[2], e[3], [1, 1], v[4].x.shape[0])
            y = function("relu6", times(add(y, v[6]), v[5]))
            return times(add(conv2d(y, v[7], [1, 1], [0] * 4, [1, 1], 1), v[9]), v[8])
        if kind == "choose":
            return self.do(e[3] if self.condition(self.do(e[1], env), e[2]) else e[4], env)
        if kind == "trips":
            _, name, begin, end, to, body = e
            if to:
                env[to].accumulated = True
            total = None
            for i in range(begin, end):
                value = self.do(body, {**env, name: Box(i)})
                if to and value.x.shape != env[to].value.x.shape:
                    total = value
                elif to:
                    total = env[to].value = value
                else:
                    total = value if total is None else add(total, value)
            return total
        if kind == "let":
            _, name, begins, counts, value, rest = e
            if value[0] == "declare":
                x = Tensor(self.data[name])
            else:
                x = self.do(value, env)
            if counts:
                box = env[name]
                at = self.clamped(begins, counts, box.value.x.shape, env)
                new = Tensor(box.value.x.copy(), box.value.err.copy())
                new.x[at], new.err[at] = x.x, x.err
                box.value = new
                return self.do(rest, env)
            if name in env and env[name].accumulated:
                env[name].value = x
                return self.do(rest, env)
            return self.do(rest, {**env, name: Box(x)})
        raise Refused("no such expression: %s" % kind)


def run(text, data):
    """What a program gives: an int, or a Tensor."""
    return Machine(data).do(Parser(text).program(), {})
