"""Every operator of ir/op/op.def in every type that it takes, on all pairs of odd numbers, by NumPy.

operators.py cases            writes them as JSON: name, script, inputs, as bytes in base64
operators.py judge FILE       judges a JSON of results by name: prints what is wrong, exit code 1

docs/graph.md says what is computed: halves in float32 and integers of 8 and 16 bits in int32, cast back; integers wrap,
and round towards minus infinity.  A function may be off by as many units of the type that it is computed in as its row
of op.def says, and one more is what NumPy's own may be.
"""
import base64
import json
import math
import re
import sys

import numpy as np

np.seterr(all="ignore")
ROW = re.compile(r"^OP\((\w+),\s*(\d),\s*(\w+),\s*(\w+),\s*\w+,\s*\w+,\s*[\w| ]+?,\s*(\d+),", re.M)
OPS = {name: (int(arity), kinds, result == "BOOL", int(ulp))
       for name, arity, kinds, result, ulp in ROW.findall(open("ir/op/op.def").read())}
TYPES = re.findall(r'^DTYPE\(.*"(\w+)", *[\w-]+\)$', open("ir/op/dtype.def").read(), re.M)
STORED = {"bfloat16": np.uint16, "bool": np.bool_}


assert len(TYPES) == 13 and len(OPS) > 30


def kind(t):
    return "F" if "float" in t else "B" if t == "bool" else "I"


def stored(t):
    return np.dtype(STORED.get(t) or t)


def computed(t):
    """The type in which it is computed."""
    return np.dtype({"float16": "f4", "bfloat16": "f4", "int8": "i4", "uint8": "i4", "int16": "i4",
                     "uint16": "i4"}.get(t, t))


def to_bfloat(x):
    """Bits of the nearest, halves to even; of numbers of float32 or float64 rounded to that first."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    near = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), near)


def encode(x, t):
    return to_bfloat(x) if t == "bfloat16" else np.asarray(x).astype(stored(t))


def decode(x, t):
    return (x.astype(np.uint32) << 16).view(np.float32) if t == "bfloat16" else x


def odd(t):
    """Numbers at which something may go wrong, as they are stored."""
    if t == "bool":
        return np.array([False, True])
    if kind(t) == "I":
        i = np.iinfo(t)
        some = [0, 1, 2, 3, 7, 8, 31, 32, 63, 64, -1, -2, -7, -32, i.min, i.min + 1, i.max - 1, i.max, i.max // 3]
        return np.array(sorted({x for x in some if i.min <= x <= i.max}), t)
    if t == "bfloat16":
        least, most, normal = 2.0 ** -133, float.fromhex("0x1.fep127"), 2.0 ** -126
    else:
        f = np.finfo(t)
        least, most, normal = float(f.smallest_subnormal), float(f.max), float(f.tiny)
    some = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0, 0.1, math.pi, 10.0, 88.0, least, normal, most, math.inf]
    return encode(np.array(some + [-x for x in some] + [math.nan], np.float64), t)


erf = np.vectorize(math.erf, otypes=[np.float64])


def power(x, y):
    """C's: 1 of 1 and NaN, and of NaN and 0."""
    return np.power(x, y)


def mod_float(x, y):
    """With the sign of the divisor; of an infinite divisor the operand, if their signs agree."""
    r = np.fmod(x, y)
    return np.where((r != 0) & ((r < 0) != (y < 0)), r + y, np.where(r == 0, np.copysign(0, y), r))


def least(x, y, sign):
    """IEEE 754-2019's minimum (sign 1) and maximum (-1): NaN is handed on, -0 is less than 0."""
    first = (sign * x < sign * y) | ((x == y) & (np.signbit(x) if sign > 0 else ~np.signbit(x)))
    return np.where(np.isnan(x) | np.isnan(y), math.nan, np.where(first, x, y))


def whole(op):
    """On Python's integers, which do not wrap."""
    return np.frompyfunc(op, 2, 1)


FLOAT = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "mod": mod_float, "pow": power,
    "min": lambda x, y: least(x, y, 1), "max": lambda x, y: least(x, y, -1),
    "neg": np.negative, "abs": np.abs, "sign": lambda x: np.where(np.isnan(x), x, np.sign(x) + 0.0),
    "reciprocal": lambda x: 1 / x, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x),
    "tanh": np.tanh, "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "erf": erf, "sin": np.sin, "cos": np.cos,
    "floor": np.floor, "ceil": np.ceil, "round": np.rint,
}
COMPARE = {"eq": np.equal, "ne": np.not_equal, "less": np.less, "lessequal": np.less_equal, "greater": np.greater,
           "greaterequal": np.greater_equal}


def shift_up(bits):
    return lambda x, n: x << n if 0 <= n < bits else 0


def integer(op, bits):
    """Of one or two integers; bits: of the type that it is computed in."""
    return {
        "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
        "div": lambda x, y: x // y if y else 0, "mod": lambda x, y: x % y if y else 0, "min": min, "max": max,
        "and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y,
        "shl": shift_up(bits), "shr": lambda x, n: x if n < 0 else x >> min(n, 64),
        "neg": lambda x: -x, "abs": abs, "sign": lambda x: (x > 0) - (x < 0), "not": lambda x: not x,
    }[op]


def cast(x, source, target):
    """Of floats to integers: truncated, and the nearest that there is; NaN is 0.  Integers wrap."""
    value = decode(x, source)
    if target == "bool":
        return value != 0
    if kind(target) == "F":
        return to_bfloat(value) if target == "bfloat16" else value.astype(target)
    if kind(source) == "F":
        i = np.iinfo(target)
        return np.array([0 if math.isnan(v) else i.max if v >= float(i.max) else i.min if v <= i.min else int(v)
                         for v in value.astype(np.float64).tolist()], object)
    return wrapped([int(v) for v in value.tolist()], stored(target))


def wrapped(values, t):
    mask = (1 << 8 * t.itemsize) - 1
    return np.array([v & mask for v in values], np.uint64).astype(f"u{t.itemsize}").view(t)


def results(op, operands, t):
    """What is computed, as it is stored; and, of a function, the least and the greatest that it may be."""
    arity, _, is_bool, ulp = OPS[op]
    values = [decode(x, t) for x in operands]
    if op == "copy":
        return operands[0], None
    if op == "select":
        return np.where(operands[0], operands[1], operands[2]), None
    if is_bool:
        return COMPARE[op](*values), None
    if kind(t) != "F":
        f = integer(op, 8 * computed(t).itemsize)
        each = [f(*(int(v) for v in row)) for row in zip(*(x.tolist() for x in values))]
        first = wrapped([int(v) for v in each], computed(t))
        return wrapped(first.tolist(), stored(t)), None
    c = computed(t)
    if not ulp:
        return encode(FLOAT[op](*(x.astype(c) for x in values)).astype(c), t), None
    exact = FLOAT[op](*(x.astype(np.longdouble if op in ("mul", "rsqrt") else np.float64) for x in values))
    near = exact.astype(c)
    return encode(near, t), [encode(off(near, by * (ulp + 1)), t) for by in (-1, 1)]


def off(x, n):
    """n numbers of the type away; zeros and infinities are neighbours of what is next to them."""
    for _ in range(abs(n)):
        x = np.nextafter(x, np.array(math.inf if n > 0 else -math.inf, x.dtype))
    return x


def operands_of(op, t):
    arity = OPS[op][0]
    numbers = odd(t)
    n = len(numbers)
    if op == "select":
        first = np.tile(numbers, 2)
        return [np.repeat([False, True], n), first, first[::-1].copy()]
    if arity == 1:
        return [numbers]
    return [np.repeat(numbers, n), np.tile(numbers, n)]


def node(op):
    names = {"lessequal": "LessEqual", "greaterequal": "GreaterEqual", "mul": "Multiply"}
    return names.get(op, op.capitalize()) + "Node"


def script(operands, types, call):
    lines = [f"${i + 1} = InputTensor(x{i}, {types[i]}, [{len(x)}]);" for i, x in enumerate(operands)]
    return "\n".join(lines) + f"\n${len(operands) + 1} = {call};\nresult y = ${len(operands) + 1};"


def moves(t):
    """What moves elements, and where they are then."""
    x = odd(t)
    n = len(x)
    at = np.array([n - 1, 0, 1, 1], np.int64)
    yield "gather", "GatherNode($1, $2)", [x, at], [t, "int64"], x[at]
    yield "view", f"SliceNode($1, 1, {n})", [x], [t], x[1:]
    yield "update", "UpdateNode($1, $2, 1)", [x, x[:1]], [t, t], np.concatenate([x[:1], x[:1], x[2:]])


def cases():
    for op, (arity, kinds, is_bool, _) in OPS.items():
        for t in TYPES:
            if kinds != "ANY" and kind(t) not in kinds:
                continue
            operands = operands_of(op, t)
            types = ["bool", t, t] if op == "select" else [t] * arity
            call = f"{node(op)}({', '.join(f'${i + 1}' for i in range(arity))})"
            yield f"{op} {t}", script(operands, types, call), operands, results(op, operands, t), \
                "bool" if is_bool else t
    for t in TYPES:
        for name, call, operands, types, want in moves(t):
            yield f"{name} {t}", script(operands, types, call), operands, (want, None), t
    for source in TYPES:
        for target in TYPES:
            x = odd(source)
            yield f"cast {source} {target}", script([x], [source], f"CastNode($1, {target})"), [x], \
                (cast(x, source, target), None), target


def text(x):
    return base64.b64encode(np.ascontiguousarray(x).tobytes()).decode()


def wrong(got, want, room, t):
    """Where; zeros of both signs are one number but where a result is exact."""
    if kind(t) != "F":
        return np.flatnonzero(got != np.asarray(want).astype(stored(t)))
    value, exact = decode(got, t), decode(np.asarray(want), t)
    nan = np.isnan(exact)
    if room is None:
        good = (value == exact) & (np.signbit(value) == np.signbit(exact))
    else:
        good = (value >= decode(room[0], t)) & (value <= decode(room[1], t))
    return np.flatnonzero(np.where(nan, ~np.isnan(value), ~good))


if sys.argv[1] == "cases":
    json.dump([{"name": name, "script": lines, "inputs": [text(x) for x in operands]}
               for name, lines, operands, _, _ in cases()], sys.stdout)
else:
    given = json.load(open(sys.argv[2]))
    bad = n = 0
    for name, _, operands, (want, room), t in cases():
        for backend, results_of in given.items():
            got = np.frombuffer(base64.b64decode(results_of[name]), stored(t))
            where = wrong(got, want, room, t)
            n += len(got)
            if len(where):
                bad += 1
                i = where[0]
                print(f"{backend}: {name}: {len(where)} of {len(got)}; of {[x[i] for x in operands]} it is {got[i]}, "
                      f"not {np.asarray(want)[i]}")
    print(f"{n} elements of {len(given)} backends, {bad} cases wrong", file=sys.stderr)
    sys.exit(1 if bad else 0)
