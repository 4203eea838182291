"""fixed.py -- what integers that stand for numbers mean, in plain Python: an interpreter of scripts.

Written from the definitions in docs/script.md ("Fixed point"), by fractions and integers of any size, and not from the
library's C; slow, and right by looking at it.  A tensor is Tensor(type, shape, elements in row-major order).
"""
import itertools
import re
import struct
from fractions import Fraction
from math import exp, floor, isqrt

RANGES = {"int8": (-2**7, 2**7 - 1), "uint8": (0, 2**8 - 1), "int16": (-2**15, 2**15 - 1), "uint16": (0, 2**16 - 1),
          "int32": (-2**31, 2**31 - 1), "uint32": (0, 2**32 - 1), "int64": (-2**63, 2**63 - 1)}
BITS = {name: high.bit_length() + (low < 0) for name, (low, high) in RANGES.items()}


def wrap(v, name):
    low, _ = RANGES[name]
    return (v - low) % 2**BITS[name] + low


def f32(x):
    """The nearest float of 32 bits."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


# -- roundings of a fraction

def round_half(x, up_at_half):
    whole = floor(x)
    rest = x - whole
    return whole + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and up_at_half(whole)))


ROUNDINGS = {
    "floor": floor,
    "zero": lambda x: floor(x) if x >= 0 else -floor(-x),
    "up": lambda x: round_half(x, lambda whole: True),
    "away": lambda x: round_half(x, lambda whole: x > 0),
    "even": lambda x: round_half(x, lambda whole: whole % 2 == 1),
}


def clamped(v, zero, least, most):
    return max(least, min(most, v + zero))


def requant_shift(x, shift, rounding, zero, least, most):
    return clamped(ROUNDINGS[rounding](Fraction(x, 2**shift)), zero, least, most)


def requant_multiplier(x, multiplier, shift, how, zero, least, most):
    """x * multiplier / 2^(31 + shift): rounded once, up; or up at 2^31 and away from 0 at the shift, where one below 0
    is done first, in 32 bits."""
    if how == "once":
        y = ROUNDINGS["up"](Fraction(x * multiplier, 2**(31 + shift)))
    else:
        x = wrap(x * 2**max(-shift, 0), "int32")
        y = ROUNDINGS["up"](Fraction(x * multiplier, 2**31))
        y = ROUNDINGS["away"](Fraction(y, 2**max(shift, 0)))
    return clamped(y, zero, least, most)


def multiplier_of(ratio):
    """The multiplier and the shift of a ratio (docs/quantize.md): the one below 2^31, of 31 bits, that is nearest to
    it, halves up; a shift is 30 at most."""
    ratio, shift = Fraction(ratio), 0
    while ratio * 2**shift < Fraction(1, 2) and shift < 30:
        shift += 1
    while ratio * Fraction(2)**shift >= 1:
        shift -= 1
    return max(min(ROUNDINGS["up"](ratio * Fraction(2)**shift * 2**31), 2**31 - 1), 1), shift


def brought(x, down, multiplier, shift):
    """An integer at another step: of more than 32 bits it is shifted down before, rounded up."""
    x = ROUNDINGS["up"](Fraction(x, 2**down))
    assert -2**31 <= x * 2**max(-shift, 0) < 2**31, "what is multiplied has more than 32 bits"
    return requant_multiplier(x, multiplier, shift, "twice", 0, *RANGES["int32"])


def requant_step(x, step, zero, least, most):
    """Both the number and its product are rounded to 32 bits."""
    product = f32(f32(float(x)) * step)
    return clamped(ROUNDINGS["even"](Fraction(product)), zero, least, most)


# -- functions by two tables: x in steps of 2^-11, results in steps of 2^-14

def coarse_table():
    return [round(16384 * exp(-i / 16)) for i in range(256)]


def fine_table():
    return [round(16384 * exp(-i / 2048)) for i in range(128)]


def fixed_exp(x, coarse, fine):
    """Of what is not above 0; above it is 1."""
    v = min(max(-x, 0), 2**15 - 1)
    return coarse[v // 128] * fine[v % 128] // 2**14


def fixed_sigmoid(x, coarse, fine):
    b = fixed_exp(-abs(x), coarse, fine)
    return 16384 * (b if x <= 0 else 16384) // (b + 16384)


def fixed_tanh(x, coarse, fine):
    b = fixed_exp(-2 * abs(x), coarse, fine)
    y = 16384 * (16384 - b) // (b + 16384)
    return -y if x < 0 else y


def fixed_softmax(row, coarse, fine):
    powers = [fixed_exp(x - max(row), coarse, fine) for x in row]
    total = sum(powers)
    return [(e * 2**14 + total // 2) // total for e in powers]


def fixed_l2_norm(row):
    """Over a root in steps of 2^-8, rounded down."""
    root = isqrt(sum(x * x for x in row) * 2**16)
    return [(x * 2**22 + root // 2) // root if root else 0 for x in row]


# -- tensors

class Tensor:
    def __init__(self, name, shape, data, written=False):
        self.type, self.shape, self.data = name, tuple(shape), list(data)
        self.written = written          # as a number of the script

    def at(self, place):
        i = 0
        for extent, k in zip(self.shape, place):
            i = i * extent + k
        return self.data[i]

    def broadcast(self, place):
        """The element at a place of a result, axes meeting from the last one."""
        own = place[len(place) - len(self.shape):]
        return self.at([0 if extent == 1 else k for extent, k in zip(self.shape, own)])


def places(shape):
    return itertools.product(*map(range, shape))


def joint(*tensors):
    shape = []
    for axis in range(-max(len(t.shape) for t in tensors), 0):
        extents = {t.shape[axis] for t in tensors if len(t.shape) >= -axis} - {1}
        assert len(extents) <= 1, "shapes do not meet"
        shape.append(extents.pop() if extents else 1)
    return tuple(shape)


def each(name, f, *tensors):
    shape = joint(*tensors)
    return Tensor(name, shape, [f(*(t.broadcast(p) for t in tensors)) for p in places(shape)])


def along(x, axis, f):
    """f of each row along an axis."""
    axis %= len(x.shape)
    out = {}
    for p in places(x.shape[:axis] + (1,) + x.shape[axis + 1:]):
        row = [x.at(p[:axis] + (k,) + p[axis + 1:]) for k in range(x.shape[axis])]
        for k, v in enumerate(f(row)):
            out[p[:axis] + (k,) + p[axis + 1:]] = v
    return [out[p] for p in places(x.shape)]


def largest_sum(terms, x, zero_x, w, zero_w, bias):
    """What a sum may be at most, above or below 0, by the types and by numbers that the script has."""
    def ends(t):
        return t.data if t.written else RANGES[t.type]

    def reach(name, zeros):
        return max(abs(end - z) for end in RANGES[name] for z in zeros)
    return terms * reach(x.type, [zero_x]) * reach(w.type, ends(zero_w) if zero_w else [0]) + (
        max(map(abs, ends(bias))) if bias else 0)


def sum_type(word, bound):
    return word if word != "auto" else "int32" if bound < 2**31 else "int64"


def fixed_matmul(a, b, bias, zero_a, zero_b, word):
    """sum over k of (a[m, k] - zero_a) (b[k, n] - zero_b[n]), and bias[n]"""
    (m, k), (_, n) = a.shape, b.shape
    zero = (lambda j: 0) if zero_b is None else (lambda j: zero_b.broadcast((j,)))
    name = sum_type(word, largest_sum(k, a, zero_a, b, zero_b, bias))
    data = [wrap(sum((a.at((i, t)) - zero_a) * (b.at((t, j)) - zero(j)) for t in range(k))
                 + (bias.at((j,)) if bias is not None else 0), name) for i in range(m) for j in range(n)]
    return Tensor(name, (m, n), data)


def fixed_conv2d(x, w, bias, zero_x, zero_w, word, strides, pads, dilations, groups, layout):
    """Beside the image there is zero_x, which stands for 0."""
    nchw = layout == "NCHW"
    n, c, height, width = x.shape if nchw else (x.shape[i] for i in (0, 3, 1, 2))
    o, per, kh, kw = w.shape if nchw else (w.shape[i] for i in (3, 2, 0, 1))
    image = (lambda b, ch, r, q: x.at((b, ch, r, q))) if nchw else (lambda b, ch, r, q: x.at((b, r, q, ch)))
    weight = (lambda to, ch, i, j: w.at((to, ch, i, j))) if nchw else (lambda to, ch, i, j: w.at((i, j, ch, to)))
    zero = (lambda to: 0) if zero_w is None else (lambda to: zero_w.broadcast((to,)))
    rows = (height + pads[0] + pads[2] - dilations[0] * (kh - 1) - 1) // strides[0] + 1
    columns = (width + pads[1] + pads[3] - dilations[1] * (kw - 1) - 1) // strides[1] + 1
    name = sum_type(word, largest_sum(per * kh * kw, x, zero_x, w, zero_w, bias))
    assert c == per * groups
    values = {}
    for b, to, r, q in places((n, o, rows, columns)):
        total = bias.at((to,)) if bias is not None else 0
        first = to // (o // groups) * per
        for ch, i, j in places((per, kh, kw)):
            y, z = r * strides[0] + i * dilations[0] - pads[0], q * strides[1] + j * dilations[1] - pads[1]
            if 0 <= y < height and 0 <= z < width:
                total += (image(b, first + ch, y, z) - zero_x) * (weight(to, ch, i, j) - zero(to))
        values[b, to, r, q] = wrap(total, name)
    shape = (n, o, rows, columns) if nchw else (n, rows, columns, o)
    return Tensor(name, shape, [values[p if nchw else (p[0], p[3], p[1], p[2])] for p in places(shape)])


# -- scripts: $1 = Node(...); result name = $1;

ARGUMENTS = {
    "RequantShiftNode": ["x", "shift", "type", ("rounding", "even"), ("zero", 0), ("least", None), ("most", None)],
    "RequantMultiplierNode": ["x", "multiplier", "shift", "type", ("how", "twice"), ("zero", 0), ("least", None),
                              ("most", None)],
    "RequantStepNode": ["x", "step", "type", ("zero", 0), ("least", None), ("most", None)],
    "FixedMatMulNode": ["a", "b", ("bias", None), ("zero_a", 0), ("zero_b", None), ("word", "auto")],
    "FixedConv2dNode": ["x", "w", ("bias", None), ("zero_x", 0), ("zero_w", None), ("word", "auto"),
                        ("strides", [1, 1]), ("pads", [0, 0, 0, 0]), ("dilations", [1, 1]), ("groups", 1),
                        ("layout", "NCHW")],
    "TableNode": ["x", "table"],
    "FixedExpNode": ["x", "coarse", "fine"], "FixedSigmoidNode": ["x", "coarse", "fine"],
    "FixedTanhNode": ["x", "coarse", "fine"], "FixedSoftmaxNode": ["x", "coarse", "fine", ("axis", -1)],
    "FixedL2NormNode": ["x", ("axis", -1)],
}


def requant(f, a, *by):
    low, high = RANGES[a["type"]]
    low, high = low if a["least"] is None else a["least"], high if a["most"] is None else a["most"]
    return each(a["type"], lambda *v: f(*v, a["zero"], low, high), a["x"], *by)


def node(name, values, a):
    """One statement; values: its arguments in order, a: those by their names in ARGUMENTS."""
    if name == "RequantShiftNode":
        return requant(lambda x, s, *end: requant_shift(x, s, a["rounding"], *end), a, a["shift"])
    if name == "RequantMultiplierNode":
        return requant(lambda x, m, s, *end: requant_multiplier(x, m, s, a["how"], *end), a, a["multiplier"],
                       a["shift"])
    if name == "RequantStepNode":
        return requant(requant_step, a, a["step"])
    if name == "FixedMatMulNode":
        return fixed_matmul(*(a[k] for k in ("a", "b", "bias", "zero_a", "zero_b", "word")))
    if name == "FixedConv2dNode":
        return fixed_conv2d(**a)
    if name == "TableNode":
        return each(a["table"].type, lambda x: a["table"].data[x - RANGES[a["x"].type][0]], a["x"])
    functions = {"FixedExpNode": fixed_exp, "FixedSigmoidNode": fixed_sigmoid, "FixedTanhNode": fixed_tanh}
    if name in functions:
        return each("int16", lambda x: functions[name](x, a["coarse"].data, a["fine"].data), a["x"])
    if name == "FixedSoftmaxNode":
        return Tensor("int16", a["x"].shape, along(a["x"], a["axis"],
                      lambda row: fixed_softmax(row, a["coarse"].data, a["fine"].data)))
    if name == "FixedL2NormNode":
        return Tensor("int16", a["x"].shape, along(a["x"], a["axis"], fixed_l2_norm))
    if name == "CastNode":
        return each(values[1], lambda x: wrap(x, values[1]), values[0])
    binary = {"AddNode": lambda x, y: x + y, "SubNode": lambda x, y: x - y, "MultiplyNode": lambda x, y: x * y,
              "MinNode": min, "MaxNode": max, "ShrNode": lambda x, n: x >> n if n >= 0 else x,
              "ShlNode": lambda x, n: x << n if 0 <= n < 64 else 0}
    own = values[0].type
    return each(own, lambda x, y: wrap(binary[name](x, y), own), values[0], values[1])


def run(script, given):
    """The results, by name, of a script; given: Tensors by name."""
    known, results = {}, {}

    def value(text):
        if text.startswith("$"):
            return known[text]
        if text.startswith("["):
            return [int(v) for v in text[1:-1].split(",")]
        return int(text) if re.fullmatch(r"-?\d+", text) else text

    for line in filter(None, map(str.strip, script.split("\n"))):
        if match := re.fullmatch(r"result (\w+) = (\$\d+);", line):
            results[match[1]] = known[match[2]]
            continue
        target, name, text = re.fullmatch(r"(\$\d+) = (\w+)\((.*)\);", line).groups()
        texts = re.findall(r"(?:\w+=)?(?:\[[^\]]*\]|[^,\s]+)", text)
        if name in ("InputTensor", "ConstantTensor"):
            known[target] = given[texts[0]]
            continue
        order = [k if isinstance(k, tuple) else (k, None) for k in ARGUMENTS.get(name, [])]
        a, values = dict(order), []
        for i, t in enumerate(texts):
            key, _, rest = t.rpartition("=")
            v = value(rest)
            values.append(v)
            if order:
                a[key or order[i][0]] = v
        for k in ("shift", "multiplier", "bias", "zero_b", "zero_w"):
            if isinstance(a.get(k), int):
                optional = k not in ("shift", "multiplier")
                a[k] = None if optional and a[k] == 0 else Tensor("int32", (), [a[k]], written=True)
        known[target] = node(name, values, a)
    return results
