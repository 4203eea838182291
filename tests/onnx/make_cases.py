#!/usr/bin/env python3
"""Writes tests/onnx/cases.npz: models of ONNX with inputs and the outputs that onnx's own reference evaluator gives
(casefile.py says what the file holds).

    build/onnx-venv/bin/python tests/onnx/make_cases.py        (make onnx-suite makes the environment)
"""
import numpy as np
import onnx
from onnx import TensorProto as T, helper as h, numpy_helper as nh

from casefile import OPSET, add, bytes_of, corpus, expected, f, i, model, one, save

# Element by element
for op in ["Abs", "Ceil", "Cos", "Erf", "Exp", "Floor", "Neg", "Reciprocal", "Round", "Sigmoid", "Sign", "Sin", "Tanh",
		"Relu", "LeakyRelu", "Elu", "Selu", "Celu", "HardSigmoid", "HardSwish", "Softplus", "Softsign", "Mish", "Gelu",
		"ThresholdedRelu", "Shrink"]:
	one(op.lower(), op, f(2, 5))
one("gelu_tanh", "Gelu", f(7), approximate="tanh")
one("swish", "Swish", f(7), opset=24)
one("log_sqrt", "Log", np.abs(f(5)) + 1)
one("sqrt", "Sqrt", np.abs(f(5)))
one("add_broadcast", "Add", f(3, 1, 4), f(2, 1))
one("div_toward_zero", "Div", np.array([7, -7, 7, -7, 6], np.int32), np.array([2, 2, -2, -2, -3], np.int32))
one("mod_divisor", "Mod", np.array([7, -7, 7, -7], np.int64), i(3, 3, -3, -3))
one("mod_dividend", "Mod", np.array([7.5, -7.5, 7.5], np.float32), np.array([2, 2, -2], np.float32), fmod=1)
one("pow_whole", "Pow", np.array([2, -3, 5], np.int64), i(10, 3, 0))
one("pow_mixed", "Pow", np.array([2, 3, 4], np.float32), i(3, 2, 1))
one("where", "Where", np.array([[True], [False]]), f(2, 3), f(3))
one("clip_inputs", "Clip", f(9), np.float32(-.5).reshape(()), np.float32(.5).reshape(()))
one("clip_attributes", "Clip", f(9), opset=6, min=-.5, max=.5)
one("is_inf", "IsInf", np.array([1, np.inf, -np.inf, np.nan], np.float32), detect_negative=0)
one("is_nan", "IsNaN", np.array([1, np.nan], np.float32))
one("max_of_three", "Max", f(3), f(3), f(2, 1))
one("mean_of_two", "Mean", f(3), f(3))
one("prelu", "PRelu", f(2, 3), f(3))
one("bitwise_not", "BitwiseNot", np.array([0, 5, -1], np.int32))
one("cast_int", "Cast", np.array([1.7, -1.7], np.float32), to=T.INT32)
one("cast_half", "Cast", f(4), to=T.FLOAT16)
one("half_sum", "Add", f(4).astype(np.float16), f(4).astype(np.float16))
# Shapes
one("reshape", "Reshape", f(2, 3, 4), i(0, -1, 2), fix="b")
one("flatten", "Flatten", f(2, 3, 4), axis=2)
one("squeeze", "Squeeze", f(1, 3, 1), i(-1), fix="b")
one("squeeze_all", "Squeeze", f(1, 3, 1))
one("unsqueeze", "Unsqueeze", f(2, 3), i(0, -1), fix="b")
one("transpose", "Transpose", f(2, 3, 4), perm=[1, 2, 0])
one("transpose_back", "Transpose", f(2, 3, 4))
one("expand", "Expand", f(3, 1), i(2, 1, 4), fix="b")
one("concat", "Concat", f(2, 3), f(2, 1), axis=-1)
one("split", "Split", f(7, 2), i(3, 4), fix="b", n_out=2)
one("split_equal", "Split", f(7, 2), n_out=3, num_outputs=3)
one("slice", "Slice", f(5, 6), i(1, -1), i(4, -100), i(0, 1), i(2, -2), fix="bcde")
one("slice_attributes", "Slice", f(5, 6), opset=9, starts=[1], ends=[-1], axes=[1])
one("tile", "Tile", f(2, 3), i(2, 3), fix="b")
one("shape", "Shape", f(2, 3, 4), start=1)
one("size", "Size", f(2, 3))
one("constant_of_shape", "ConstantOfShape", i(2, 3), fix="a", value=nh.from_array(np.array([7], np.int32)))
one("pad_constant", "Pad", f(2, 3), i(1, 0, 0, 2), np.float32(3).reshape(()), fix="bc")
cut = f(4, 3)
one("pad_crop", "Pad", cut, i(-1, 1, 0, 0), fix="b", out=np.pad(cut[1:], [(0, 0), (1, 0)]))
for mode in ["edge", "reflect", "wrap"]:
	one("pad_" + mode, "Pad", f(3, 4), i(2, 1, 1, 2), fix="b", mode=mode)
one("center_crop_pad", "CenterCropPad", f(5, 3), i(2, 6), fix="b")
one("depth_to_space", "DepthToSpace", f(1, 8, 2, 3), blocksize=2)
one("depth_to_space_crd", "DepthToSpace", f(1, 8, 2, 3), blocksize=2, mode="CRD")
one("space_to_depth", "SpaceToDepth", f(1, 2, 4, 6), blocksize=2)
one("reverse_sequence", "ReverseSequence", f(4, 3), i(1, 4, 2), time_axis=0, batch_axis=1)
one("compress", "Compress", f(3, 4), np.array([True, False, True]), fix="b", axis=0)
# Reductions
for op in ["L1", "L2", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"]:
	one("reduce_" + op.lower(), "Reduce" + op, f(3, 4, 2), i(0, -1), fix="b", keepdims=op < "Mb")
one("reduce_log_sum", "ReduceLogSum", np.abs(f(3, 4)), keepdims=0)
one("reduce_none", "ReduceSum", f(3, 4), noop_with_empty_axes=1)
one("arg_max", "ArgMax", np.array([[1, 3, 3], [2, 2, 1]], np.float32), axis=1)
one("arg_max_last", "ArgMax", np.array([[1, 3, 3], [2, 2, 1]], np.float32), axis=1, select_last_index=1, keepdims=0)
one("arg_min", "ArgMin", f(3, 4), axis=0)
one("hardmax", "Hardmax", f(3, 4))
one("softmax", "Softmax", f(3, 4), axis=0)
x = f(2, 3, 2)
one("softmax_flat", "Softmax", x, opset=11, axis=1,     # the reference has version 13 only
	out=np.exp(x) / np.exp(x).sum((1, 2), keepdims=True))
one("log_softmax", "LogSoftmax", f(3, 4))
one("nll_loss", "NegativeLogLikelihoodLoss", f(3, 5), i(0, 4, 2), np.abs(f(5)), reduction="mean")
one("cross_entropy", "SoftmaxCrossEntropyLoss", f(3, 5, 2), np.array([[0, 1], [4, 2], [2, 2]]), ignore_index=2,
	reduction="sum")
# Positions that are computed
one("gather", "Gather", f(4, 3), np.array([[0, -1], [2, 1]]), axis=1)
one("gather_elements", "GatherElements", f(2, 4), np.array([[0, -1], [2, 1]]), axis=1)
one("gather_nd", "GatherND", f(2, 3, 4), np.array([[[0]], [[-1]]]), batch_dims=1)
one("one_hot", "OneHot", i(1, -1, 5), i(4).reshape(()), np.array([2, 5], np.float32), fix="b", axis=0)
one("range", "Range", *[np.array(x, np.float32) for x in (1, 4, .5)], fix="abc")
one("top_k", "TopK", f(3, 6), i(2), fix="b", n_out=2, axis=1)
one("top_k_smallest", "TopK", np.array([3, 1, 3, 1], np.int64), i(3), fix="b", n_out=2, largest=0)
one("trilu", "Trilu", f(4, 5), i(1).reshape(()), fix="b", upper=0)
one("eye_like", "EyeLike", f(3, 4), k=1, dtype=T.INT64)
one("scatter_elements", "ScatterElements", f(3, 4), np.array([[0, 2]]), f(1, 2), axis=0)
one("scatter_elements_add", "ScatterElements", f(3, 4), np.array([[1, 1, -1]]), f(1, 3), axis=1, reduction="add")
one("scatter_nd", "ScatterND", f(4, 3), np.array([[2], [0]]), f(2, 3))
one("scatter_nd_known", "ScatterND", f(4, 3), np.array([[2], [-4]]), f(2, 3), fix="b")
one("scatter_nd_known_twice", "ScatterND", f(2, 9), np.array([[[1, 8], [0, 3]], [[1, 8], [-1, -2]]]), f(2, 2), fix="b")
one("scatter_nd_known_max", "ScatterND", np.array([[3, -4], [5, -6], [7, 8]], np.int8), np.array([[2], [0]]),
	np.array([[9, -9], [-100, 3]], np.int8), fix="b", reduction="max")
one("scatter_nd_known_sum", "ScatterND", f(4, 3), np.array([[2], [2], [0]]), f(3, 3), fix="b", reduction="add")
x = {"a": f(4, 3), "b": np.array([[4]]), "c": f(1, 3)}
add("scatter_nd_outside", model([h.make_node("ScatterND", list("abc"), ["y"])], x, ["y"]), x, fix="b",
	error="index 4 at axis 0 of 4 elements")
one("scatter_nd_max", "ScatterND", f(4, 3), np.array([[2, 1], [2, 1]]), f(2), reduction="max")
# Products
one("matmul", "MatMul", f(2, 1, 3, 4), f(5, 4, 2))
one("matmul_vector", "MatMul", f(4), f(3, 4, 2))
one("gemm", "Gemm", f(3, 2), f(4, 3), f(4), transA=1, transB=1, alpha=.5, beta=2.)
one("einsum", "Einsum", f(2, 3, 4), f(2, 4, 5), equation="bij,bjk->bik")
one("einsum_diagonal", "Einsum", f(2, 3, 3), equation="...ii->...i")
one("einsum_implicit", "Einsum", f(2, 3), f(3), equation="ij,j")
# Windows
one("conv", "Conv", f(1, 2, 6, 5), f(3, 2, 3, 3), f(3), pads=[1, 0, 1, 2], strides=[2, 1])
one("conv_1d_grouped", "Conv", f(2, 4, 9), f(6, 2, 3), group=2, dilations=[2], auto_pad="SAME_UPPER")
one("conv_3d", "Conv", f(1, 1, 3, 4, 5), f(2, 1, 2, 2, 2))
one("conv_transpose", "ConvTranspose", f(1, 2, 3, 4), f(2, 2, 3, 3), strides=[2, 1], pads=[1, 0, 0, 1])
x, w = f(1, 4, 4), f(4, 1, 3)
more = {"strides": [2], "output_padding": [1]}
groups = [{"x": x[:, k:k + 2], "w": w[k:k + 2]} for k in (0, 2)]
node = h.make_node("ConvTranspose", ["x", "w"], ["y"], **more)
groups = [expected(model([node], g, ["y"]), g, ["y"])["y"] for g in groups]
one("conv_transpose_groups", "ConvTranspose", x, w, group=2, out=np.concatenate(groups, 1), **more)
one("max_pool", "MaxPool", f(1, 2, 5, 5), n_out=2, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1])
one("max_pool_ceil", "MaxPool", f(1, 1, 7), kernel_shape=[3], strides=[3], ceil_mode=1)
one("average_pool", "AveragePool", f(1, 2, 5, 4), kernel_shape=[3, 3], pads=[1, 1, 1, 1])
one("average_pool_pads", "AveragePool", f(1, 1, 6), kernel_shape=[3], pads=[1, 1], count_include_pad=1)
one("lp_pool", "LpPool", f(1, 1, 6), kernel_shape=[2], p=3)
one("global_max_pool", "GlobalMaxPool", f(1, 2, 3, 4))
one("global_average_pool", "GlobalAveragePool", f(1, 2, 3, 4))
for mode in ["nearest", "linear", "cubic"]:
	one("resize_" + mode, "Resize", f(1, 1, 3, 4), None, None, i(1, 1, 5, 7), fix="d", mode=mode)
one("resize_down", "Resize", f(1, 1, 6, 6), None, np.array([1, 1, .5, .7], np.float32), fix="c", mode="linear",
	antialias=1)
one("resize_corners", "Resize", f(1, 1, 3, 3), None, i(1, 1, 2, 2).astype(np.float32), fix="c", mode="linear",
	coordinate_transformation_mode="align_corners")
# Normalizations
one("batch_norm", "BatchNormalization", f(2, 3, 4), f(3), f(3), f(3), np.abs(f(3)) + 1)
one("instance_norm", "InstanceNormalization", f(2, 3, 4), f(3), f(3))
one("layer_norm", "LayerNormalization", f(2, 3, 4), f(3, 4), f(3, 4), axis=1, n_out=3)
one("group_norm", "GroupNormalization", f(2, 4, 3), f(4), f(4), num_groups=2)
one("rms_norm", "RMSNormalization", f(2, 5), f(5), opset=23)
x = f(2, 5)
one("lp_norm", "LpNormalization", x, p=1, out=x / np.abs(x).sum(-1, keepdims=True))
one("mean_variance_norm", "MeanVarianceNormalization", f(2, 3, 2, 2))
one("lrn", "LRN", f(5, 5, 1, 2), size=3)         # the reference takes the batch for the channels
one("dropout", "Dropout", f(4), n_out=2)

# Control, functions, shapes that are computed
body = h.make_graph([h.make_node("Add", ["s", "x"], ["t"]), h.make_node("Identity", ["t"], ["e"])], "b",
	[h.make_tensor_value_info(n, T.FLOAT, [3]) for n in "sx"], [h.make_tensor_value_info(n, T.FLOAT, [3]) for n in "te"])
x = {"s0": f(3), "xs": f(4, 3)}
add("scan", model([h.make_node("Scan", ["s0", "xs"], ["t0", "es"], body=body, num_scan_inputs=1)], x, ["t0", "es"]), x)
x = {"s0": f(3), "xs": f(4, 3)}
backward = model([h.make_node("Scan", ["s0", "xs"], ["t0", "es"], body=body, num_scan_inputs=1,
	scan_input_directions=[1], scan_output_axes=[1])], x, ["t0", "es"])
sums = np.cumsum(np.concatenate([x["s0"][None], x["xs"][::-1]]), 0)[1:]
add("scan_backward", backward, x, out={"t0": sums[-1], "es": sums.T})
loop = h.make_graph([h.make_node("Mul", ["v", "w"], ["v2"]), h.make_node("Less", ["k", "most"], ["c2"]),
	h.make_node("Identity", ["v2"], ["each"])], "b", [h.make_tensor_value_info("k", T.INT64, []),
	h.make_tensor_value_info("c", T.BOOL, []), h.make_tensor_value_info("v", T.FLOAT, [2])],
	[h.make_tensor_value_info("c2", T.BOOL, []), h.make_tensor_value_info("v2", T.FLOAT, [2]),
	h.make_tensor_value_info("each", T.FLOAT, [2])])
x = {"v0": f(2), "w": f(2), "most": np.array(2)}
out = {"v": x["v0"] * x["w"] ** 3, "all": np.stack([x["v0"] * x["w"] ** k for k in range(1, 4)])}
add("loop", model([h.make_node("Loop", ["", "", "v0"], ["v", "all"], body=loop)], x, ["v", "all"]), x, fix=["most"],
	out=out)
branch = [h.make_graph([h.make_node(op, ["x"], [op])], op, [], [h.make_tensor_value_info(op, T.FLOAT, [3])])
	for op in ("Exp", "Neg")]
x = {"x": f(3), "c": np.array(False)}
add("if", model([h.make_node("If", ["c"], ["y"], then_branch=branch[0], else_branch=branch[1])], x, ["y"]), x, fix="c")
function = h.make_function("own", "Affine", ["x", "w"], ["y"], [
	h.make_node("LeakyRelu", ["x"], ["r"]), h.make_node("Mul", ["r", "w"], ["y"])], [h.make_opsetid("", OPSET)], ["alpha"])
ref = function.node[0].attribute.add()
ref.name, ref.ref_attr_name, ref.type = "alpha", "alpha", onnx.AttributeProto.FLOAT
x, w = {"x": f(4)}, f(4)
add("function", model([h.make_node("Affine", ["x", "w"], ["y"], domain="own", alpha=.25)], x, ["y"], {"w": w},
	[function], domains=["own"]), x, out={"y": np.where(x["x"] < 0, np.float32(.25), np.float32(1)) * x["x"] * w})
x = {"x": f(2, 3, 4)}
add("shape_computed", model([
	h.make_node("Shape", ["x"], ["s"]), h.make_node("Gather", ["s", "first"], ["n"]),
	h.make_node("Mul", ["n", "two"], ["n2"]), h.make_node("Unsqueeze", ["n2", "zero"], ["n3"]),
	h.make_node("Concat", ["n3", "rest"], ["t"], axis=0), h.make_node("Reshape", ["x", "t"], ["y"])], x, ["y"],
	{"first": np.array(0), "two": np.array(2), "zero": i(0), "rest": i(-1)}), x)
# Extents that differ from run to run
x = {"x": f(2, 3, 4)}
add("run_time_extent", model([
	h.make_node("Shape", ["x"], ["s"]), h.make_node("Gather", ["s", "first"], ["n"]),
	h.make_node("Unsqueeze", ["n", "zero"], ["n3"]), h.make_node("Concat", ["n3", "rest"], ["t"], axis=0),
	h.make_node("Reshape", ["x", "t"], ["r"]), h.make_node("MatMul", ["r", "w"], ["m"]),
	h.make_node("Softmax", ["m"], ["y"])], x, ["y"],
	{"first": np.array(0), "zero": i(0), "rest": i(-1), "w": f(12, 5)}, symbols={"x": ["batch", 3, 4]}), x,
	dims=["batch=1..5"])
x = {"x": f(1, 3)}
add("run_time_range", model([
	h.make_node("Shape", ["x"], ["s"], start=1), h.make_node("Squeeze", ["s"], ["n"]),
	h.make_node("Range", ["zero", "n", "one"], ["r"]), h.make_node("Gather", ["table", "r"], ["p"]),
	h.make_node("Slice", ["table", "begin", "s"], ["q"]), h.make_node("Add", ["p", "q"], ["pq"]),
	h.make_node("Concat", ["two", "s"], ["es"], axis=0), h.make_node("Expand", ["x", "es"], ["e"]),
	h.make_node("Add", ["e", "pq"], ["y"])], x, ["y"],
	{"zero": np.array(0), "one": np.array(1), "table": f(8), "begin": i(0), "two": i(2)},
	symbols={"x": [1, "length"]}), x, dims=["length=1..8"])

# Refusals
x = {"x": f(2, 3)}
add("unsaid_extent", model([h.make_node("Abs", ["x"], ["y"])], x, ["y"], symbols={"x": ["batch", 3]}), x,
	error="--dim batch=8 fixes it")
add("all_at_once", model([h.make_node("RandomNormalLike", ["x"], ["r"], name="noise"),
	h.make_node("SequenceConstruct", ["x"], ["q"]), h.make_node("Sinhh", ["x"], ["z"]),
	h.make_node("Abs", ["x"], ["y"], axis=3)], x, ["y"]), x,
	error="node 'noise' (RandomNormalLike): operator RandomNormalLike is not supported: it gives random numbers\n"
	"  node of 'q' (SequenceConstruct): operator SequenceConstruct is not supported: it takes or gives sequences\n"
	"  node of 'z' (Sinhh): operator Sinhh is not supported\n"
	"  node of 'y' (Abs): attribute 'axis' is not supported")
add("unknown_shape", model([h.make_node("Reshape", ["x", "t"], ["y"])], {**x, "t": i(6)}, ["y"]), {**x, "t": i(6)},
	error="the shape ('t') has to be known when the model is read: it depends on 't'; --fix NAME=FILE gives an input")
add("type_of_input", model([h.make_node("Abs", ["x"], ["y"])], {"x": np.array([1 + 2j], np.complex64)}, ["y"]), {},
	error="input 'x': its element type is complex64")
add("too_new", model([h.make_node("Abs", ["x"], ["y"])], x, ["y"], opset=99), x, error="version 99 of the operators")
add("not_imported", model([h.make_node("Abs", ["x"], ["y"], domain="else")], x, ["y"]), x,
	error="does not import the operator set 'else'")
add("undefined", model([h.make_node("Abs", ["z"], ["y"])], x, ["y"]), x, error="input 'z' is made by no node before it")
one("shapes_differ", "Add", f(3), f(4), error="shapes [3] and [4] do not fit")
add("no_graph", onnx.ModelProto(ir_version=8).SerializeToString(), {}, error="")


def field(number, content):
	"""A message in a message, as protobuf has it: deeper than its own libraries write them."""
	n, size = len(content), bytearray()
	while n > 127:
		size.append(n & 127 | 128)
		n >>= 7
	return bytes([number << 3 | 2]) + bytes(size) + bytes([n]) + content


deep = b""
for _ in range(60):
	deep = field(1, field(5, field(6, deep)))       # a graph's node's attribute's graph
add("nested_deep", b"\x08\x08" + field(7, deep), {}, error="nested deeper than")
outside = model([h.make_node("Abs", ["w"], ["y"])], {}, ["y"], {"w": f(2)})
outside.graph.initializer[0].data_location = onnx.TensorProto.EXTERNAL
outside.graph.initializer[0].external_data.add(key="location", value="../etc/passwd")
outside.graph.initializer[0].ClearField("raw_data")
add("external_without_folder", outside, {}, error="initializer 'w': external data '../etc/passwd'")
# Read from a folder by tests/onnx/test_onnx_run.c.
beside = model([h.make_node("Add", ["x", "w"], ["y"])], {"x": f(4)}, ["y"], {"w": f(4)})
beside.graph.initializer[0].ClearField("raw_data")
beside.graph.initializer[0].data_location = onnx.TensorProto.EXTERNAL
for key, value in {"location": "w.bin", "offset": "16", "length": "16"}.items():
	beside.graph.initializer[0].external_data.add(key=key, value=value)
add("external", beside, {"x": f(4)}, error="no folder is known to look in")
lies = model([h.make_node("Abs", ["w"], ["y"])], {}, ["y"], {"w": f(2)})
lies.graph.initializer[0].dims[0] = 1 << 40
add("content_too_short", lies, {}, error="its content has 8 bytes, but its shape 4398046511104")
lies.graph.initializer[0].dims.append(1 << 40)
add("size_overflows", lies, {}, error="its bytes exceed 63 bits")
x = {"x": f(4, 3, 2)}
add("gather_known", model([h.make_node("Gather", ["x", "at"], ["y"], axis=1)], x, ["y"], {"at": np.array(-1)}), x)

corpus(["conv", "scan", "loop", "if", "function", "run_time_extent", "all_at_once", "resize_cubic", "einsum",
	"external_without_folder", "content_too_short", "nested_deep", "pad_reflect", "top_k", "split", "gemm"])
save("cases.npz")
