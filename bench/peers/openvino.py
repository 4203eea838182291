"""OpenVINO as a peer of lt-bench: each case is a model of its own, or the file that it names, in float32; inputs and
results stay bound."""
import os
import sys

# This file has the library's name: it must not be found in its place.
here = os.path.dirname(os.path.abspath(__file__))
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != here]
import openvino as ov
from openvino import opset13 as ops

sys.path.append(here)
import numpy as np
import peer


def chain(x, operations):
    """The operations of lt-bench's chains."""
    steps = [(ops.multiply, 1.25), (ops.add, 0.5), (ops.maximum, -0.25), (ops.subtract, 0.75), (ops.abs, None),
             (ops.multiply, -1.5), (ops.minimum, 0.125), (ops.add, 2.0)]
    for op, value in steps[:operations]:
        x = op(x) if value is None else op(x, np.float32(value))
    return x


def result_of(case, t):
    """The node of the result; t: those of the inputs by name."""
    op, n = case["op"], case["numbers"]
    x = t.get("x")
    if op == "gemm":
        return ops.matmul(t["a"], t["b"], False, False)
    if op == "conv2d":
        stride, pad, groups = [n["stride"]] * 2, [n["pad"]] * 2, n["groups"]
        if groups == 1:
            return ops.convolution(x, t["w"], stride, pad, pad, [1, 1])
        o, i, r, s = t["w"].shape
        w = ops.reshape(t["w"], np.array([groups, o // groups, i, r, s], np.int64), False)
        return ops.group_convolution(x, w, stride, pad, pad, [1, 1])
    if op == "mlp":
        h = ops.relu(ops.add(ops.matmul(x, t["w1"], False, False), t["b1"]))
        return ops.add(ops.matmul(h, t["w2"], False, False), t["b2"])
    if op == "softmax":
        return ops.softmax(x, 1)
    if op == "layernorm":
        y = ops.mvn(x, np.array([-1], np.int64), True, 1e-5, "INSIDE_SQRT")
        return ops.add(ops.multiply(y, t["weight"]), t["bias"])
    if op == "rmsnorm":
        mean = ops.reduce_mean(ops.power(x, np.float32(2)), np.array([-1], np.int64), True)
        scale = ops.divide(np.float32(1), ops.sqrt(ops.add(mean, np.float32(1e-5))))
        return ops.multiply(ops.multiply(x, scale), t["weight"])
    if op == "sum":
        return ops.reduce_sum(x, np.array([1], np.int64), False)
    if op == "chain":
        return chain(x, n["operations"])
    if op == "gelu":
        return ops.gelu(x, "erf")
    if op == "silu":
        return ops.swish(x)
    if op == "multiply-add":
        return ops.add(ops.multiply(x, t["y"]), x)
    if op == "permute":
        return ops.transpose(x, np.array([n[f"perm{i}"] for i in range(4) if f"perm{i}" in n], np.int64))
    if op == "concat":
        return ops.concat([x, t["y"]], n["axis"])
    if op == "pad":
        edges = np.array([0, 0, n["pad"], n["pad"]], np.int64)
        return ops.pad(x, edges, edges, "constant", np.float32(0))
    raise peer.Skip(f"no {op} here")


core = ov.Core()


def settings(case):
    return {"INFERENCE_NUM_THREADS": case["threads"], "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "f32"}


def ways(case, request):
    """The one hands over to a thread, the other one makes a dictionary of results."""
    def enqueued():
        request.start_async()
        request.wait()

    # What is first run is timed there.
    if case["suite"] == "start":
        return enqueued
    return peer.best([enqueued, lambda: request.infer(share_outputs=True)])


def begin_model(case, inputs):
    model = core.read_model(case["model"])
    names = [i.get_any_name() for i in model.inputs]
    of = peer.bound(case, names)
    if not case["runtime_extents"]:
        model.reshape({name: inputs[of[name]].shape for name in names})
    compiled = core.compile_model(model, "CPU", settings(case))
    request = compiled.create_infer_request()
    for name in names:
        request.set_tensor(name, ov.Tensor(inputs[of[name]], shared_memory=True))
    # Tensors that share memory do not keep it: the results' function does.
    kept = [compiled, inputs, [np.zeros(t["shape"], t["dtype"]) for t in case["results"]]]
    for i, array in enumerate(kept[2]):
        request.set_output_tensor(i, ov.Tensor(array, shared_memory=True))
    return ways(case, request), lambda: kept[2]


def begin(case, inputs):
    if "model" in case:
        return begin_model(case, inputs)
    given, nodes = [], {}
    for t in case["inputs"]:
        if t["constant"]:
            nodes[t["name"]] = ops.constant(inputs[t["name"]])
        else:
            nodes[t["name"]] = ops.parameter(t["shape"], np.float32, t["name"])
            given.append(t["name"])
    model = ov.Model([result_of(case, nodes)], [nodes[name] for name in given], "case")
    compiled = core.compile_model(model, "CPU", settings(case))
    request = compiled.create_infer_request()
    # Tensors that share memory do not keep it: the result's function does.
    result = np.zeros(case["result"]["shape"], np.float32)
    kept = [compiled, result] + [inputs[name] for name in given]
    for i, name in enumerate(given):
        request.set_input_tensor(i, ov.Tensor(inputs[name], shared_memory=True))
    request.set_output_tensor(0, ov.Tensor(result, shared_memory=True))
    return ways(case, request), lambda: kept[1]


peer.serve("openvino", ov.__version__, begin)
