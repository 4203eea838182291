#!/usr/bin/env python3
"""What operators and composites must give, by NumPy in double and plain loops.

    python3 tests/data/make_vectors.py operators > tests/data/operators.h
    python3 tests/data/make_vectors.py composites > tests/data/composites.h

Inputs of composites are not stored: element i of an input with a seed is a multiple of 1/256 that sample() here
and oracle_sample() in tests/oracle.c compute alike.
"""
import itertools
import math
import sys
import numpy as np


def sample(seed, *shape):
    i = np.arange(int(np.prod(shape)), dtype=np.int64)
    return (((i * 7919 + seed * 104729) % 2003 - 1001) / 256.0).reshape(shape)


def emit(name, values):
    flat = np.asarray(values, dtype=np.float64).reshape(-1)
    text = []
    for v in flat:
        if math.isnan(v):
            text.append("NAN")
        elif math.isinf(v):
            text.append("INFINITY" if v > 0 else "-INFINITY")
        else:
            text.append("-0.0" if v == 0 and math.copysign(1, v) < 0 else "%.9g" % v if abs(v) < 1e8 else "%.17g" % v)
    print("static const double %s[] = {" % name)
    for i in range(0, len(text), 10):
        print("\t" + ", ".join(text[i:i + 10]) + ",")
    print("};")


def out_extent(extent, before, after, window, dilation, stride):
    return (extent + before + after - dilation * (window - 1) - 1) // stride + 1


def taps(y, x, case):
    """Positions of the image under the window at (y, x), None in the padding."""
    for i, j in itertools.product(range(case["kh"]), range(case["kw"])):
        r = y * case["sh"] + i * case["dh"] - case["top"]
        c = x * case["sw"] + j * case["dw"] - case["left"]
        yield i, j, (r, c) if 0 <= r < case["h"] and 0 <= c < case["w"] else None


def sizes(case):
    return (out_extent(case["h"], case["top"], case["bottom"], case["kh"], case["dh"], case["sh"]),
            out_extent(case["w"], case["left"], case["right"], case["kw"], case["dw"], case["sw"]))


def conv(case):
    x = sample(1, case["n"], case["c"], case["h"], case["w"])
    per = case["c"] // case["g"]
    w = sample(2, case["o"], per, case["kh"], case["kw"])
    oh, ow = sizes(case)
    result = np.zeros((case["n"], case["o"], oh, ow))
    for n, o, y, col in itertools.product(*map(range, result.shape)):
        first = o // (case["o"] // case["g"]) * per
        for i, j, at in taps(y, col, case):
            if at:
                for c in range(per):
                    result[n, o, y, col] += x[n, first + c, at[0], at[1]] * w[o, c, i, j]
    return result


def pool(case, kind):
    x = sample(3, case["n"], case["c"], case["h"], case["w"])
    oh, ow = sizes(case)
    result = np.zeros((case["n"], case["c"], oh, ow))
    for n, c, y, col in itertools.product(*map(range, result.shape)):
        seen = [x[n, c, at[0], at[1]] for _, _, at in taps(y, col, case) if at]
        if kind == "max":
            result[n, c, y, col] = max(seen) if seen else -math.inf
        else:
            result[n, c, y, col] = sum(seen) / (len(seen) if kind == "average" else case["kh"] * case["kw"])
    return result


FIELDS = "n c h w o kh kw sh sw top left bottom right dh dw g".split()


def case(n, c, h, w, o, k, s=(1, 1), pads=(0, 0, 0, 0), d=(1, 1), g=1):
    return dict(zip(FIELDS, (n, c, h, w, o, *k, *s, *pads, *d, g)))


CONVS = [
    case(1, 1, 1, 1, 1, (1, 1)),
    case(2, 3, 5, 7, 2, (3, 3)),
    case(1, 2, 5, 5, 3, (3, 3), pads=(1, 1, 1, 1)),
    case(1, 2, 7, 5, 1, (2, 4), pads=(0, 1, 1, 2)),
    case(1, 1, 8, 9, 2, (3, 2), s=(2, 3), pads=(2, 0, 1, 1)),
    case(1, 2, 9, 8, 2, (3, 2), d=(2, 3), pads=(2, 1, 2, 2)),
    case(1, 3, 7, 7, 1, (3, 3), s=(2, 2), d=(3, 2), pads=(1, 0, 0, 1)),
    case(1, 4, 5, 5, 6, (3, 3), pads=(1, 1, 1, 1), g=2),
    case(2, 3, 4, 5, 3, (3, 3), pads=(1, 1, 1, 1), g=3),
    case(1, 3, 5, 4, 6, (2, 2), s=(2, 1), g=3),
    case(1, 1, 2, 3, 1, (3, 3), pads=(2, 2, 2, 2)),
    case(1, 2, 1, 13, 2, (1, 5), s=(1, 2), pads=(0, 2, 0, 2)),
]
POOLS = [
    case(1, 1, 1, 1, 0, (1, 1)),
    case(2, 3, 4, 6, 0, (2, 2), s=(2, 2)),
    case(1, 2, 5, 7, 0, (3, 3), s=(2, 2), pads=(1, 1, 1, 1)),
    case(1, 1, 7, 5, 0, (3, 2), s=(1, 3), pads=(2, 0, 1, 1)),
    case(1, 2, 5, 5, 0, (2, 3), pads=(1, 2, 0, 1)),
]
DILATED = [
    case(1, 2, 7, 7, 0, (3, 2), s=(1, 2), pads=(1, 1, 2, 0), d=(2, 3)),
    case(1, 1, 1, 3, 0, (2, 2), pads=(1, 0, 1, 1), d=(2, 1)),
]


def emit_cases(name, cases, results):
    print("static const struct image_case %s[] = {" % name)
    for i, c in enumerate(cases):
        fields = ", ".join(".%s = %d" % (f, c[f]) for f in FIELDS)
        wants = ", ".join(".%s = %s_%s_%d" % (k, name, k, i) for k in results)
        print("\t{ %s,\n\t  %s }," % (fields, wants))
    print("};")


def emit_image_tables():
    print("struct image_case {\n\tint64_t %s;" % ", ".join(FIELDS))
    print("\tconst double *conv, *max, *average, *average_counted;\n};")
    for i, c in enumerate(CONVS):
        emit("convs_conv_%d" % i, conv(c))
    emit_cases("convs", CONVS, ["conv"])
    for i, c in enumerate(POOLS):
        for kind in ("max", "average", "average_counted"):
            emit("pools_%s_%d" % (kind, i), pool(c, kind))
    emit_cases("pools", POOLS, ["max", "average", "average_counted"])
    for i, c in enumerate(DILATED):
        emit("dilated_max_%d" % i, pool(c, "max"))
    emit_cases("dilated", DILATED, ["max"])


def softmax(x, axis=-1):
    with np.errstate(all="ignore"):
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 30.0, -30.0, 89.0, -104.0, math.inf, -math.inf, math.nan]


def emit_activations():
    x = np.array(SPECIAL)
    emit("special", x)
    with np.errstate(all="ignore"):
        emit("special_relu", np.where(np.isnan(x), x, np.maximum(x, 0)))
        emit("special_silu", x / (1 + np.exp(-x)))
        emit("special_gelu", [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in SPECIAL])


def attention(q, k, v, scale, causal):
    scores = scale * q @ np.swapaxes(k, -1, -2)
    if causal:
        s, t = scores.shape[-2:]
        i, j = np.indices((s, t))
        scores = np.where(j <= i + (t - s), scores, -np.inf)
    return softmax(scores) @ v


def emit_rows():
    x = sample(4, 3, 5, 7)
    for axis in range(3):
        emit("softmax_%d" % axis, softmax(x, axis))
    rows = np.array([[1.0, 2.0, 3.0], [-np.inf, 0.0, 0.0], [math.nan, 1.0, 2.0], [-np.inf] * 3, [np.inf, 0.0, 1.0],
                     [1e30, -1e30, 1e30]])
    emit("softmax_rows", rows)
    emit("softmax_rows_want", softmax(rows))
    for prefix in (0, 1, 4, 7):
        y = x.copy()
        if prefix:
            y[..., :prefix] = softmax(x[..., :prefix])
        emit("sliced_softmax_%d" % prefix, y)
    w, b = sample(5, 7), sample(6, 7)
    normal = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    emit("layer_norm_plain", normal)
    emit("layer_norm_affine", normal * w + b)
    emit("rms_norm", w * x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5))
    emit("mean_02", x.mean((0, 2)))
    emit("mean_prefix_3", x[..., :3].mean(-1))


def emit_products():
    emit("matmul_12", sample(1, 5) @ sample(2, 5, 7))
    emit("matmul_22", sample(1, 3, 5) @ sample(2, 5, 7))
    emit("matmul_33", sample(1, 2, 3, 5) @ sample(2, 2, 5, 7))
    emit("matmul_square", sample(1, 5, 5) @ sample(1, 5, 5))
    l, r = sample(7, 3, 5, 2), sample(8, 1, 5, 2)
    z = (l[..., 0] + 1j * l[..., 1]) * (r[..., 0] + 1j * r[..., 1])
    emit("complex_mul", np.stack((z.real, z.imag), -1))
    q, k, v = sample(1, 2, 3, 5), sample(2, 2, 4, 5), sample(3, 2, 4, 3)
    emit("attention_plain", attention(q / 4, k / 4, v, 0.25, False))
    emit("attention_causal", attention(q / 4, k / 4, v, 0.25, True))
    emit("attention_self", attention(q / 4, q / 4, q / 4, 0.5, True))
    emit("attention_first_2", attention(q / 4, k[:, :2] / 4, v[:, :2], 0.25, False))


FLOATS = np.array([0.0, -0.0, 1.0, -1.5, 2.75, math.inf, -math.inf, math.nan])
UNARY = {
    "neg": np.negative, "abs": np.abs, "sign": np.sign, "reciprocal": np.reciprocal, "exp": np.exp,
    "log": np.log, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "erf": np.vectorize(math.erf), "sin": np.sin, "cos": np.cos,
    "floor": np.floor, "ceil": np.ceil, "round": np.rint,
}
BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "mod": np.mod, "pow": np.power,
    "min": np.minimum, "max": np.maximum, "eq": np.equal, "ne": np.not_equal, "less": np.less,
    "lessequal": np.less_equal, "greater": np.greater, "greaterequal": np.greater_equal,
}
INTS = np.array([0, 1, -1, 7, -8, 3, 2**31 - 1, -2**31], dtype=np.int32)
INT_UNARY = {"neg": np.negative, "abs": np.abs, "sign": np.sign}


def shifted(x, n):
    """x * 2^n, rounded down, by Python's integers of any size, wrapped to 32 bits."""
    def one(a, k):
        moved = int(a) * 2**int(k) if k >= 0 else int(a) // 2**int(-k)
        return (moved + 2**31) % 2**32 - 2**31
    return np.vectorize(one)(x, n.astype(np.int64))


INT_BINARY = {
    "shl": lambda x, n: np.where((n < 0) | (n > 31), 0, shifted(x, np.clip(n, 0, 31))),
    "shr": lambda x, n: shifted(x, -np.clip(n, 0, 99)),
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.floor_divide, "mod": np.mod, "min": np.minimum,
    "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "less": np.less,
    "eq": np.equal,
}
CASTS = [0.0, -0.5, 0.99, -1.99, 127.5, 128.0, -129.0, 300.0, 65520.0, 1e10, -1e10, 1e19, -1e19,
         math.nan, math.inf, -math.inf]
INTEGERS = (("i8", 8, True), ("u8", 8, False), ("i16", 16, True), ("i32", 32, True), ("i64", 64, True))


def saturated(v, bits, signed):
    if math.isnan(v):
        return 0
    low, high = (-2**(bits - 1), 2**(bits - 1) - 1) if signed else (0, 2**bits - 1)
    return max(low, min(high, math.trunc(v) if math.isfinite(v) else math.copysign(2**70, v)))


def emit_table(name, x, functions, arity):
    """A row of results for each operator: of every value, or of every pair of values."""
    with np.errstate(all="ignore"):
        for op, f in functions.items():
            emit("%s_%s" % (name, op), f(x) if arity == 1 else f(x[:, None], x[None, :]))
    print("static const struct operator_case %s[] = {" % name)
    for op in functions:
        print('\t{ "%s", %d, %s_%s },' % (op, arity, name, op))
    print("};")


def emit_operators():
    print("struct operator_case { const char *op; int arity; const double *want; };")
    emit("floats", FLOATS)
    emit("ints", INTS)
    emit_table("unary", FLOATS, UNARY, 1)
    emit_table("binary", FLOATS, BINARY, 2)
    emit_table("int_unary", INTS, INT_UNARY, 1)
    emit_table("int_binary", INTS, INT_BINARY, 2)
    emit("casts", CASTS)
    for name, bits, signed in INTEGERS:
        emit("casts_%s" % name, [saturated(v, bits, signed) for v in CASTS])
    emit("casts_bool", [v != 0 for v in CASTS])
    with np.errstate(all="ignore"):
        emit("casts_f32", np.array(CASTS).astype(np.float32))
        emit("casts_f16", np.array(CASTS).astype(np.float16))


if __name__ == "__main__":
    print("/* Written by tests/data/make_vectors.py %s: do not edit. */" % sys.argv[1])
    print("#include <math.h>\n#include <stdint.h>")
    if sys.argv[1] == "operators":
        emit_operators()
    else:
        emit_image_tables()
        emit_activations()
        emit_rows()
        emit_products()
