"""ONNX Runtime as a peer of lt-bench: each case is a model of its own, or the file that it names; inputs and results
stay bound."""
import os
import sys

# This file has the library's name: it must not be found in its place.
here = os.path.dirname(os.path.abspath(__file__))
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != here]
import onnxruntime as ort

sys.path.append(here)
import numpy as np
import peer


def chain(operations):
    """The operations of lt-bench's chains."""
    from onnx import helper
    steps = [("Mul", 1.25), ("Add", 0.5), ("Max", -0.25), ("Sub", 0.75), ("Abs", None),
             ("Mul", -1.5), ("Min", 0.125), ("Add", 2.0)]
    nodes, constants, at = [], {}, "x"
    for i, (op, value) in enumerate(steps[:operations]):
        to = "result" if i + 1 == operations else f"t{i}"
        if value is not None:
            constants[f"c{i}"] = np.float32(value)
        nodes.append(helper.make_node(op, [at] + ([f"c{i}"] if value is not None else []), [to]))
        at = to
    return nodes, constants


def nodes_of(case):
    """The nodes of a model whose inputs are the case's and whose output is `result`, with their constants."""
    from onnx import helper
    op, n = case["op"], case["numbers"]
    node = helper.make_node
    if op == "gemm":
        return [node("MatMul", ["a", "b"], ["result"])], {}
    if op == "conv2d":
        return [node("Conv", ["x", "w"], ["result"],
                     strides=[n["stride"]] * 2, pads=[n["pad"]] * 4, group=n["groups"])], {}
    if op == "mlp":
        return [node("MatMul", ["x", "w1"], ["h0"]), node("Add", ["h0", "b1"], ["h1"]), node("Relu", ["h1"], ["h2"]),
                node("MatMul", ["h2", "w2"], ["h3"]), node("Add", ["h3", "b2"], ["result"])], {}
    if op in ("lstm", "gru"):
        kind = {"hidden_size": n["hidden"], "direction": "bidirectional" if n["directions"] == 2 else "forward"}
        if op == "gru":
            kind["linear_before_reset"] = 1
        return [node("Div", [t, "shrink"], [t + "s"]) for t in ("w", "r")] + [
            node(op.upper(), ["x", "ws", "rs", "b"], ["result"], **kind)], {"shrink": np.float32(n["shrink"])}
    if op == "linear":
        nodes, x = [], "x"
        for i in range(1, n["layers"] + 1):
            to = "result" if i == n["layers"] else f"y{i}"
            nodes += [node("Div", [f"w{i}", "shrink"], [f"s{i}"]), node("Gemm", [x, f"s{i}"], [to], transB=1)]
            x = to
        return nodes, {"shrink": np.float32(n["shrink"])}
    if op == "softmax":
        return [node("Softmax", ["x"], ["result"], axis=1)], {}
    if op == "layernorm":
        return [node("LayerNormalization", ["x", "weight", "bias"], ["result"], axis=-1, epsilon=1e-5)], {}
    if op == "rmsnorm":
        return [node("SimplifiedLayerNormalization", ["x", "weight"], ["result"], axis=-1, epsilon=1e-5)], {}
    if op == "sum":
        return [node("ReduceSum", ["x", "axes"], ["result"], keepdims=0)], {"axes": np.array([1], np.int64)}
    if op == "chain":
        return chain(n["operations"])
    if op == "gelu":
        return [node("Gelu", ["x"], ["result"])], {}
    if op == "silu":
        return [node("Sigmoid", ["x"], ["s"]), node("Mul", ["x", "s"], ["result"])], {}
    if op == "multiply-add":
        return [node("Mul", ["x", "y"], ["t"]), node("Add", ["t", "x"], ["result"])], {}
    if op == "permute":
        return [node("Transpose", ["x"], ["result"], perm=[n[f"perm{i}"] for i in range(4) if f"perm{i}" in n])], {}
    if op == "concat":
        return [node("Concat", ["x", "y"], ["result"], axis=n["axis"])], {}
    if op == "pad":
        p = n["pad"]
        return [node("Pad", ["x", "pads"], ["result"])], {"pads": np.array([0, 0, p, p, 0, 0, p, p], np.int64)}
    raise peer.Skip(f"no {op} here")


def options_of(case):
    options = ort.SessionOptions()
    options.intra_op_num_threads = case["threads"]
    options.inter_op_num_threads = 1
    return options


def begin_model(case, inputs):
    options = options_of(case)
    if not case["runtime_extents"]:
        for name, extent in case["dims"].items():
            options.add_free_dimension_override_by_name(name, extent)
    session = ort.InferenceSession(case["model"], options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, of in peer.bound(case, [i.name for i in session.get_inputs()]).items():
        binding.bind_ortvalue_input(name, ort.OrtValue.ortvalue_from_numpy(inputs[of]))
    results = []
    for output, t in zip(session.get_outputs(), case["results"], strict=True):
        results.append(ort.OrtValue.ortvalue_from_shape_and_type(t["shape"], np.dtype(t["dtype"]).type))
        binding.bind_ortvalue_output(output.name, results[-1])
    return lambda: session.run_with_iobinding(binding), lambda: [r.numpy() for r in results]


def begin(case, inputs):
    if "model" in case:
        return begin_model(case, inputs)
    # Here, so that who runs a model's file does not pay for it.
    from onnx import TensorProto, helper, numpy_helper
    nodes, constants = nodes_of(case)
    fixed = {t["name"]: inputs[t["name"]] for t in case["inputs"] if t["constant"]}
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "case",
        [value(t["name"], TensorProto.FLOAT, t["shape"]) for t in case["inputs"] if not t["constant"]],
        [value("result", TensorProto.FLOAT, case["result"]["shape"])],
        [numpy_helper.from_array(np.asarray(v), k) for k, v in {**fixed, **constants}.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    session = ort.InferenceSession(model.SerializeToString(), options_of(case), providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for t in case["inputs"]:
        if not t["constant"]:
            binding.bind_ortvalue_input(t["name"], ort.OrtValue.ortvalue_from_numpy(inputs[t["name"]]))
    result = ort.OrtValue.ortvalue_from_shape_and_type(case["result"]["shape"], np.float32)
    binding.bind_ortvalue_output("result", result)
    return lambda: session.run_with_iobinding(binding), result.numpy


peer.serve("onnxruntime", ort.__version__, begin)
