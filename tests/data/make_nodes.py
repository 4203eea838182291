#!/usr/bin/env python3
"""Scripts of single nodes beside the values that they are given and must give, for tests/test_script_vectors.c.

    PYTHON tests/data/make_nodes.py > tests/data/nodes.txt

where PYTHON has the package onnx (`make onnx-suite` makes such an environment).  Part of the cases are the standard's
own node tests, with their published numbers; the others are drawn here and computed by NumPy in double, sequence by
sequence and step by step.  Where onnxruntime is there, too, it has to give the same numbers for the recurrent ones.
"""
import math
import sys

import numpy as np
import onnx
from onnx import helper
from onnx.backend.test.case.node import collect_testcases

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

MOST = 130      # elements of an input or output
TYPES = ("float32", "float64", "float16", "int64", "int32", "int8", "uint8", "bool")


def number(x):
    if isinstance(x, (bool, np.bool_)):
        return "1" if x else "0"
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    x = float(x)
    return ("nan" if math.isnan(x) else ("-inf" if x < 0 else "inf") if math.isinf(x) else "%.9g" % x)


def numbers(x):
    return "[" + ", ".join(number(v) for v in np.asarray(x).reshape(-1)) + "]"


def case(title, inputs, calls, outputs):
    """inputs: arrays, $1 ..; calls: text of a node, by output name; outputs: arrays by name."""
    lines = ["# " + title]
    for i, x in enumerate(inputs):
        kind = "Input" if i % 2 == 0 else "Constant"
        lines.append("$%d = %sTensor(x%d, %s, [%s]);" % (i + 1, kind, i + 1, str(x.dtype),
                                                         ", ".join(str(d) for d in x.shape)))
    for k, (name, call) in enumerate(calls.items()):
        lines.append("$%d = %s;" % (101 + k, call))
        lines.append("result %s = $%d;" % (name, 101 + k))
    print("```lt")
    print("\n".join(lines))
    print("```\n```values")
    for i, x in enumerate(inputs):
        print("x%d = %s" % (i + 1, numbers(x)))
    for name in calls:
        print("%s -> %s" % (name, numbers(outputs[name])))
    print("```\n")


# ---- published ----

def axes_of(test, i, attribute="axes"):
    inputs = test.data_sets[0][0]
    if len(inputs) > i:
        return [int(v) for v in np.asarray(inputs[i]).reshape(-1)]
    return None


def published(test):
    """The node of the script for a test of one node, the number of its operands, the outputs that it gives; or None."""
    node = test.model.graph.node[0]
    a = {x.name: helper.get_attribute_value(x) for x in node.attribute}
    inputs, outputs = test.data_sets[0]
    name = node.op_type
    plain = ["$%d" % (i + 1) for i in range(len(inputs))]

    def call(kind, *more, n=None):
        return "%s(%s)" % (kind, ", ".join(plain[:n] + [str(m) for m in more if m is not None]))

    if name in ("Celu", "Elu", "LeakyRelu", "ThresholdedRelu", "Swish"):
        return [call(name + "Node", a.get("alpha"))], None
    if name == "Selu":
        return [call("SeluNode", a["alpha"], a["gamma"]) if a else call("SeluNode")], None
    if name == "HardSigmoid":
        return [call("HardSigmoidNode", a["alpha"], a["beta"]) if a else call("HardSigmoidNode")], None
    if name == "Shrink":
        return [call("ShrinkNode", a.get("bias", 0), a.get("lambd", 0.5))], None
    if name in ("HardSwish", "Mish", "Softplus", "Softsign", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cosh",
                "Sinh", "Tan", "MatMul"):
        return [call(name + "Node")], None
    if name == "Gelu":
        return [call("GeluNode", a.get("approximate", b"none").decode())], None
    if name == "PRelu":
        return [call("PReluNode")], None
    if name == "LogSoftmax":
        return [call("LogSoftmaxNode", a.get("axis"))], None
    if name in ("ArgMax", "ArgMin") and not a.get("select_last_index"):
        return [call(name + "Node", a.get("axis", 0), a.get("keepdims", 1))], None
    if name == "Transpose":
        return [call("TransposeNode", list(a["perm"]) if "perm" in a else None)], None
    if name == "CumSum":
        return [call("CumSumNode", int(inputs[1]), a.get("exclusive", 0), a.get("reverse", 0), n=1)], 1
    if name == "TopK" and "stable" not in test.name and inputs[0].dtype != np.uint64:
        k, largest = int(inputs[1][0]), "largest" if a.get("largest", 1) else "smallest"
        return [call("TopKNode", k, a.get("axis", -1), largest, n=1),
                call("TopKNode", k, a.get("axis", -1), largest, "indices", n=1)], 1
    if name == "GatherElements" and np.min(inputs[1]) >= 0:
        return [call("GatherElementsNode", a.get("axis", 0))], None
    if name == "Trilu" and inputs[0].size:
        k = int(inputs[1]) if len(inputs) > 1 else 0
        return [call("TriuNode" if a.get("upper", 1) else "TrilNode", k, n=1)], 1
    if name in ("ReduceL2", "ReduceLogSumExp") and inputs[0].size and not a.get("noop_with_empty_axes"):
        axes = axes_of(test, 1)
        return [call(name + "Node", axes or list(range(inputs[0].ndim)), a.get("keepdims", 1), n=1)], 1
    if name == "Flatten":
        return [call("FlattenNode", a.get("axis", 1))], None
    if name == "Squeeze":
        return [call("SqueezeNode", axes_of(test, 1), n=1)], 1
    if name == "Unsqueeze":
        return [call("UnsqueezeNode", axes_of(test, 1), n=1)], 1
    if name == "Tile":
        return [call("TileNode", axes_of(test, 1), n=1)], 1
    if name == "BatchNormalization" and len(outputs) == 1 and not a.get("training_mode"):
        return [call("BatchNormNode", a.get("epsilon"))], None
    if name == "InstanceNormalization":
        return [call("InstanceNormNode", a.get("epsilon"))], None
    if name == "GroupNormalization":
        return [call("GroupNormNode", a["num_groups"], a.get("epsilon"))], None
    if name in ("RNN", "GRU", "LSTM") and not set(a) & {"layout", "clip", "activations", "input_forget"}:
        kind = {"RNN": "RnnNode", "GRU": "GruNode", "LSTM": "LstmNode"}[name]
        own, k = [], 0
        for x in node.input:
            own.append("$%d" % (k + 1) if x else "0")
            k += bool(x)
        words = [a.get("direction", b"forward").decode()]
        words += ["linear_before_reset"] if a.get("linear_before_reset") else []
        wanted = [w for w, x in zip(("Y", "Y_h", "Y_c"), node.output) if x]
        return ["%s(%s)" % (kind, ", ".join(own + words + [w])) for w in wanted], None
    return None


def standard():
    for test in sorted(collect_testcases(None), key=lambda t: t.name):
        if len(test.model.graph.node) != 1 or not test.data_sets:
            continue
        inputs, outputs = test.data_sets[0]
        arrays = [x for x in list(inputs) + list(outputs) if isinstance(x, np.ndarray) or np.isscalar(x)]
        if len(arrays) != len(inputs) + len(outputs):
            continue
        inputs, outputs = [np.asarray(x) for x in inputs], [np.asarray(x) for x in outputs]
        if any(x.size > MOST or str(x.dtype) not in TYPES for x in inputs + outputs):
            continue
        how = published(test)
        if not how:
            continue
        calls, n = how
        inputs = inputs[:n]
        if any(x.ndim == 0 for x in inputs):
            continue
        names = ["y%d" % i for i in range(len(calls))]
        case(test.name, inputs, dict(zip(names, calls)), dict(zip(names, outputs)))


# ---- drawn ----

rng = np.random.default_rng(15)


def drawn(*shape):
    """Multiples of 1/64, exact in float32 and in the nine digits that are written."""
    return (rng.integers(-64, 65, size=shape) / 64).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step_rnn(x, h, c, w, r, wb, rb, p, o):
    f = (lambda v: np.maximum(v, 0)) if o["relu"] else np.tanh
    return f(w @ x + r @ h + wb + rb), c


def step_gru(x, h, c, w, r, wb, rb, p, o):
    wz, wr, wh = np.split(w, 3)
    rz, rr, rh = np.split(r, 3)
    bz, br, bh = np.split(wb, 3)
    dz, dr, dh = np.split(rb, 3)
    z = sigmoid(wz @ x + rz @ h + bz + dz)
    g = sigmoid(wr @ x + rr @ h + br + dr)
    if o["linear_before_reset"]:
        n = np.tanh(wh @ x + g * (rh @ h + dh) + bh)
    else:
        n = np.tanh(wh @ x + rh @ (g * h) + dh + bh)
    return (1 - z) * n + z * h, c


def step_lstm(x, h, c, w, r, wb, rb, p, o):
    wi, wo, wf, wc = np.split(w, 4)
    ri, ro, rf, rc = np.split(r, 4)
    bi, bo, bf, bc = np.split(wb + rb, 4)
    pi, po, pf = np.split(p, 3)
    i = sigmoid(wi @ x + ri @ h + pi * c + bi)
    f = sigmoid(wf @ x + rf @ h + pf * c + bf)
    new = f * c + i * np.tanh(wc @ x + rc @ h + bc)
    out = sigmoid(wo @ x + ro @ h + po * new + bo)
    return out * np.tanh(new), new


KINDS = {"RNN": ("RnnNode", 1, step_rnn), "GRU": ("GruNode", 3, step_gru), "LSTM": ("LstmNode", 4, step_lstm)}


def recurrent(kind, x, w, r, b, lengths, h0, c0, p, o):
    step = KINDS[kind][2]
    steps, batch, _ = x.shape
    d, n, hidden = len(w), w.shape[1], r.shape[2]
    y, hs, cs = np.zeros((steps, d, batch, hidden)), np.zeros((d, batch, hidden)), np.zeros((d, batch, hidden))
    x, w, r = x.astype(float), w.astype(float), r.astype(float)
    for k in range(d):
        wb, rb = np.split(b[k].astype(float), 2) if b is not None else (np.zeros(n), np.zeros(n))
        peep = p[k].astype(float) if p is not None else np.zeros(3 * hidden)
        for s in range(batch):
            h = h0[k, s].astype(float) if h0 is not None else np.zeros(hidden)
            c = c0[k, s].astype(float) if c0 is not None else np.zeros(hidden)
            many = steps if lengths is None else int(lengths[s])
            order = range(many)
            if k == 1 or o["direction"] == "reverse":
                order = reversed(order)
            for t in order:
                h, c = step(x[t, s], h, c, w[k], r[k], wb, rb, peep, o)
                y[t, k, s] = h
            hs[k, s], cs[k, s] = h, c
    return {"Y": y, "Y_h": hs, "Y_c": cs}


def check(kind, operands, o, want):
    if onnxruntime is None:
        return
    names = "X W R B lengths h c P".split()[:8 if kind == "LSTM" else 6]
    outs = ["Y", "Y_h", "Y_c"][:3 if kind == "LSTM" else 2]
    given = {n: x for n, x in zip(names, operands) if x is not None}
    d = 2 if o["direction"] == "bidirectional" else 1
    attributes = {"direction": o["direction"], "hidden_size": operands[2].shape[2]}
    if kind == "GRU":
        attributes["linear_before_reset"] = int(o["linear_before_reset"])
    if kind == "RNN" and o["relu"]:
        attributes["activations"] = ["Relu"] * d
    node = helper.make_node(kind, [n if n in given else "" for n in names], outs, **attributes)
    graph = helper.make_graph([node], "g",
                              [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
                               for n, x in given.items()],
                              [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in outs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for n, got in zip(outs, session.run(outs, given)):
        assert np.allclose(got, want[n], atol=1e-5), (kind, o, n)


def drawn_recurrent():
    for run in range(48):
        kind = ("RNN", "GRU", "LSTM")[run % 3]
        node, gates, _ = KINDS[kind]
        direction = ("forward", "reverse", "bidirectional")[run // 3 % 3]
        d = 2 if direction == "bidirectional" else 1
        steps, batch, width, hidden = (int(rng.choice([1, 2, 5 if i == 0 else 3])) for i in range(4))
        n = gates * hidden
        o = {"direction": direction, "linear_before_reset": bool(rng.integers(2)), "relu": bool(rng.integers(2))}
        with_lengths = run >= 12 and bool(rng.integers(2))
        operands = [drawn(steps, batch, width), drawn(d, n, width), drawn(d, n, hidden)]
        operands.append(drawn(d, 2 * n) if rng.integers(3) else None)
        operands.append(rng.integers(1, steps + 1, size=batch).astype(np.int32) if with_lengths else None)
        operands += [drawn(d, batch, hidden) if rng.integers(3) else None for _ in range(2)]
        operands.append(drawn(d, 3 * hidden) if rng.integers(2) else None)
        if kind != "LSTM":
            operands[6] = operands[7] = None
        want = recurrent(kind, *operands, o)
        check(kind, operands, o, want)
        own, inputs = [], []
        for x in operands[:8 if kind == "LSTM" else 6]:
            if x is not None:
                inputs.append(x)
            own.append("0" if x is None else "$%d" % len(inputs))
        while own[-1] == "0" and rng.integers(2):
            own.pop()           # what is left out at the end need not be written
        words = [direction] if direction != "forward" or rng.integers(2) else []
        if kind == "GRU" and o["linear_before_reset"]:
            words.append("linear_before_reset")
        if kind == "RNN" and o["relu"]:
            words.append("relu")
        calls = {}
        for w in ("Y", "Y_h", "Y_c")[:3 if kind == "LSTM" else 2]:
            calls[w] = "%s(%s)" % (node, ", ".join(own + words + ([w] if w != "Y" or rng.integers(2) else [])))
        case("%s %s, %d steps of %d, %d to %d" % (kind, direction, steps, batch, width, hidden), inputs, calls, want)


def drawn_norms():
    for run in range(12):
        rank = 2 + run % 4
        shape = [int(rng.choice([1, 2, 3, 5])) for _ in range(rank)]
        shape[1] = (6, 1, 4, 5)[run % 4]
        x, c = drawn(*shape), shape[1]
        scale, bias, mean = drawn(c), drawn(c), drawn(c)
        var = np.abs(drawn(c))
        eps = (1e-5, 0.25)[run % 2]
        wide = [1, c] + [1] * (rank - 2)
        at = [v.astype(float).reshape(wide) for v in (scale, bias, mean, var)]
        y = (x - at[2]) / np.sqrt(at[3] + eps) * at[0] + at[1]
        case("batch norm of %s" % shape, [x, scale, bias, mean, var],
             {"y": "BatchNormNode($1, $2, $3, $4, $5%s)" % (", 0.25" if eps == 0.25 else "")}, {"y": y})
        for groups in (1, 2, 3):
            if c % groups:
                continue
            g = x.astype(float).reshape(shape[0], groups, -1)
            g = (g - g.mean(2, keepdims=True)) / np.sqrt(g.var(2, keepdims=True) + 0.125)
            case("group norm of %s" % shape, [x, scale, bias], {"y": "GroupNormNode($1, $2, $3, %d, 0.125)" % groups},
                 {"y": g.reshape(shape) * at[0] + at[1]})
        if rank > 2:
            over = tuple(range(2, rank))
            g = x.astype(float)
            g = (g - g.mean(over, keepdims=True)) / np.sqrt(g.var(over, keepdims=True) + 0.125)
            case("instance norm of %s" % shape, [x, scale, bias], {"y": "InstanceNormNode($1, $2, $3, 0.125)"},
                 {"y": g * at[0] + at[1]})


def drawn_index():
    for run in range(24):
        rank = 1 + run % 3
        shape = [int(rng.choice([1, 2, 3, 5, 7])) for _ in range(rank)]
        axis = int(rng.integers(rank))
        x = drawn(*shape)
        if run % 4 == 3:
            x.reshape(-1)[rng.integers(x.size)] = np.nan
            x.reshape(-1)[rng.integers(x.size)] = -np.inf
        i = rng.integers(0, shape[axis], size=shape).astype(np.int64)
        k = int(rng.integers(1, shape[axis] + 1))
        # NaN is the largest; of equal ones the first comes first
        order = np.argsort(np.where(np.isnan(x), -np.inf, -x.astype(float)), axis, kind="stable")
        nan_first = np.take_along_axis(np.isnan(x), order, axis)
        order = np.take_along_axis(order, np.argsort(~nan_first, axis, kind="stable"), axis)
        top = np.take(order, range(k), axis)
        calls = {"taken": "GatherElementsNode($1, $2, %d)" % axis, "values": "TopKNode($1, %d, %d)" % (k, axis),
                 "places": "TopKNode($1, %d, %d, indices)" % (k, axis - rank), "flipped": "FlipNode($1, [%d])" % axis,
                 "all": "FlipNode($1)", "hot": "OneHotNode($2, %d, %d, int8)" % (shape[axis], axis),
                 "last": "OneHotNode($2, %d)" % (shape[axis] + 1)}
        eye = np.eye(shape[axis] + 1)[i]
        want = {"taken": np.take_along_axis(x, i, axis), "values": np.take_along_axis(x, top, axis), "places": top,
                "flipped": np.flip(x, axis), "all": np.flip(x), "last": eye,
                "hot": np.moveaxis(eye[..., :shape[axis]], -1, axis).astype(np.int8)}
        if rank > 1:
            at = int(rng.integers(-3, 4))
            calls["lower"], calls["upper"] = "TrilNode($1, %d)" % at, "TriuNode($1, %d)" % at
            want["lower"], want["upper"] = np.tril(x, at), np.triu(x, at)
        case("positions in %s" % shape, [x, i], calls, want)
    for run in range(8):
        shape = [int(rng.choice([1, 2, 3, 5])) for _ in range(1 + run % 3)]
        x, y = drawn(*shape), drawn(*shape)
        repeats = [int(v) for v in rng.integers(1, 4, size=len(shape))]
        axis = int(rng.integers(len(shape) + 1))
        summed = int(rng.integers(len(shape)))
        calls = {"tiled": "TileNode($1, %s)" % repeats, "stacked": "StackNode(%d, $1, $2, $1)" % axis,
                 "sums": "CumSumNode($1, %d)" % summed, "before": "CumSumNode($1, %d, 1, 1)" % summed,
                 "products": "CumProdNode($1, %d, 0, 1)" % summed, "clipped": "ClipNode($1, -0.25, 0.5)",
                 "low": "ClipNode($1, 0.25)", "high": "ClipNode($1, -inf, 0.25)", "nan": "IsNanNode($1)",
                 "inf": "IsInfNode($1)", "norm": "ReduceL2Node($1)"}
        flip = np.flip(np.cumsum(np.flip(x.astype(float), summed), summed), summed)
        want = {"tiled": np.tile(x, repeats), "stacked": np.stack([x, y, x], axis), "sums": np.cumsum(x, summed),
                "before": flip - x, "products": np.flip(np.cumprod(np.flip(x.astype(float), summed), summed), summed),
                "clipped": np.clip(x, -0.25, 0.5), "low": np.maximum(x, 0.25), "high": np.minimum(x, 0.25),
                "nan": np.isnan(x), "inf": np.isinf(x), "norm": np.sqrt(np.sum(x.astype(float) ** 2))}
        case("rows of %s" % shape, [x, y], calls, want)


def drawn_linear():
    for run in range(8):
        shape = [int(rng.choice([1, 2, 3, 5])) for _ in range(1 + run % 4)]
        out = int(rng.choice([1, 2, 7]))
        x, w, b = drawn(*shape), drawn(out, shape[-1]), drawn(out)
        y = x.astype(float) @ w.T.astype(float)
        case("linear %s to %d" % (shape, out), [x, w, b],
             {"with": "LinearNode($1, $2, $3)", "without": "LinearNode($1, $2)"}, {"with": y + b, "without": y})


def main():
    print("Written by tests/data/make_nodes.py: do not edit.\n")
    standard()
    drawn_recurrent()
    drawn_norms()
    drawn_index()
    drawn_linear()
    sys.stderr.write("onnxruntime agrees\n" if onnxruntime else "not compared with onnxruntime\n")


main()
