#!/usr/bin/env python3
"""Writes tests/onnx/layers.npz: operators that are whole layers; casefile.py says what a case is.

    build/onnx-venv/bin/python tests/onnx/make_layers.py       (make onnx-suite makes the environment)
"""
import numpy as np
import onnx.reference
from onnx import TensorProto as T, helper as h, numpy_helper as nh

from casefile import add, f, i, model, one, save


def bools(*shape):
	return f(*shape) > 0


def softmax(x):
	e = np.exp(x - x.max(-1, keepdims=True))
	return e / e.sum(-1, keepdims=True)


# Attention
q, k, v = f(2, 4, 3, 8), f(2, 2, 5, 8), f(2, 2, 5, 6)
wide_k, wide_v = np.repeat(k, 2, 1), np.repeat(v, 2, 1)
scores = np.einsum("bhsd,bhtd->bhst", q, wide_k) / np.float32(np.sqrt(8))
one("attention_groups", "Attention", q, k, v, opset=23, out=softmax(scores) @ wide_v)
seen = np.arange(5) <= np.arange(3)[:, None]
one("attention_causal", "Attention", q, k, v, opset=23, is_causal=1,
	out=softmax(np.where(seen, scores, np.float32(-np.inf))) @ wide_v)
capped = 2 * np.tanh(scores / 2)
one("attention_softcap", "Attention", q, k, v, opset=23, softcap=2., out=softmax(capped) @ wide_v)
mask = np.array([[True, True, False, False, True], [False] * 5, [False, False, True, True, True]])
want = softmax(np.where(mask, scores, np.float32(-1e30))) @ wide_v * mask.any(-1)[:, None]
one("attention_row_without_keys", "Attention", q, k, v, mask, opset=23, out=want)
one("attention_mask_added", "Attention", q, k, v, f(4, 3, 5), opset=23)
one("attention_mask_short", "Attention", q, k, v, f(3, 4), opset=24)
one("attention_past", "Attention", q, k, v, bools(2, 1, 3, 9), f(2, 2, 4, 8), f(2, 2, 4, 6), opset=23, n_out=4,
	is_causal=1)
for mode in range(4):
	one(f"attention_shown_{mode}", "Attention", q, k, v, f(3, 5), opset=23, n_out=4, qk_matmul_output_mode=mode)
one("attention_flat", "Attention", f(2, 3, 12), f(2, 5, 6), f(2, 5, 8), opset=23, q_num_heads=4, kv_num_heads=2,
	scale=.3)
one("attention_used", "Attention", q, k, v, None, None, None, i(2, 5), opset=24, is_causal=1)
one("attention_window", "Attention", q, k, v, opset=25, left_window_size=1, right_window_size=1)
one("attention_double", "Attention", q, k, v, opset=23, softmax_precision=T.DOUBLE)
x = {"x": f(2, 3, 8)}
add("attention_run_time", model([h.make_node("Attention", ["x", "x", "x"], ["y"], q_num_heads=2, kv_num_heads=2,
	is_causal=1)], x, ["y"], opset=23, symbols={"x": [2, "length", 8]}), x, dims=["length=1..6"])
one("attention_heads", "Attention", f(1, 3, 2, 4), f(1, 2, 2, 4), f(1, 2, 2, 4), opset=23,
	error="3 heads of the query for 2 heads of the keys")
one("attention_mask_of_one", "Attention", q, k, v, f(3, 1), opset=23,
	error="a mask of float32 of the shape [3, 1] for 5 keys")

def graph(name, op, **attributes):
	"""A graph of one input and one output."""
	values = [h.make_tensor_value_info(n, T.FLOAT, [2, 4, 3, 5]) for n in "st"]
	return h.make_graph([h.make_node(op, ["s"], ["t"], **attributes)], name, values[:1], values[1:])


x = {"q": q, "k": k, "v": v}
flex = h.make_node("FlexAttention", list(x), ["y"], domain="ai.onnx.preview", score_mod=graph("scores", "Tanh"),
	prob_mod=graph("weights", "Neg"))
add("flex_attention", model([flex], x, ["y"], opset=28, domains=["ai.onnx.preview"]), x,
	out={"y": -softmax(np.tanh(scores)) @ wide_v})

# Sequences
for rule, gates in {"linear": [None, None], "gated": [-abs(f(2, 3, 4)), None], "delta": [None, abs(f(2, 3, 1))],
		"gated_delta": [-abs(f(2, 3, 2)), abs(f(2, 3, 2))]}.items():
	one("linear_attention_" + rule, "LinearAttention", f(2, 3, 8), f(2, 3, 4), f(2, 3, 6), f(2, 2, 2, 3), *gates,
		opset=27, update_rule=rule, q_num_heads=4, kv_num_heads=2, n_out=2)
one("linear_attention_rule", "LinearAttention", f(2, 3, 8), f(2, 3, 4), f(2, 3, 6), opset=27, update_rule="rwkv",
	q_num_heads=4, kv_num_heads=2, error="attribute 'update_rule' is 'rwkv'")
one("linear_attention_gate", "LinearAttention", f(2, 3, 8), f(2, 3, 4), f(2, 3, 6), opset=27, update_rule="gated",
	q_num_heads=4, kv_num_heads=2, error="attribute 'update_rule' is 'gated', and input 4 is missing")
x, w, b, state = f(2, 3, 5), f(3, 1, 4), f(3), f(2, 3, 3)
all_of = np.concatenate([state, x], 2)
y = sum(all_of[:, :, t:t + 5] * w[:, :, t] for t in range(4)) + b[:, None]
one("causal_conv", "CausalConvWithState", x, w, b, state, opset=27, n_out=2, activation="none")
one("causal_conv_silu", "CausalConvWithState", x, w, b, state, opset=27, activation="silu", out=y / (1 + np.exp(-y)))
one("causal_conv_alone", "CausalConvWithState", x, w, opset=27, n_out=2)
x, place = f(2, 3, 4, 6), np.array([[1, 0, 4, 2], [3, 3, 0, 1]], np.int64)
angle = f(2, 4, 3)
one("rotary", "RotaryEmbedding", x, np.cos(angle), np.sin(angle), opset=23)
turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angle[:, None])
one("rotary_pairs", "RotaryEmbedding", x, np.cos(angle), np.sin(angle), opset=23, interleaved=1,
	out=np.stack([turned.real, turned.imag], -1).reshape(x.shape).astype(np.float32))
one("rotary_part", "RotaryEmbedding", f(2, 4, 18), f(5, 2), f(5, 2), place, opset=23, num_heads=3,
	rotary_embedding_dim=4)
one("rotary_width", "RotaryEmbedding", x, f(2, 4, 2), f(2, 4, 2), opset=23,
	error="a cache of the shape [2, 4, 2] where 6 numbers are turned")
one("tensor_scatter", "TensorScatter", f(2, 3, 6, 4), f(2, 3, 2, 4), i(1, 4), opset=24)
one("tensor_scatter_around", "TensorScatter", f(2, 6, 4), f(2, 3, 4), i(5, 2), opset=24, mode="circular", axis=1)
one("tensor_scatter_begin", "TensorScatter", f(2, 6, 4), f(2, 3, 4), opset=24)
one("swiglu", "SwiGLU", f(3, 4), f(3, 4), opset=28, alpha=1.5)

# Running sums, transforms
x = f(3, 7)
sums = np.cumsum(x, 1, dtype=np.float64)
for name, more, out in [("", {}, sums), ("_before", {"exclusive": 1}, sums - x),
		("_back", {"reverse": 1}, sums[:, -1:] - sums + x), ("_back_before", {"reverse": 1, "exclusive": 1}, sums[:,
		-1:] - sums)]:
	one("cum_sum" + name, "CumSum", x, np.array(-1), fix="b", out=out.astype(np.float32), **more)
one("cum_sum_whole", "CumSum", np.arange(10).reshape(5, 2), np.array(0), fix="b",
	out=np.array([[0, 1], [2, 4], [6, 9], [12, 16], [20, 25]]))
one("cum_prod", "CumProd", np.array([1, 2, 3, 4, 5, 6], np.int32), np.array(0), fix="b", opset=26,
	out=np.array([1, 2, 6, 24, 120, 720], np.int32))
one("cum_prod_before", "CumProd", np.array([2, 3, 4], np.int32), np.array(0), fix="b", opset=26, exclusive=1,
	out=np.array([1, 2, 6], np.int32))
for op in "HannWindow", "HammingWindow", "BlackmanWindow":
	one(op.lower(), op, np.array(9), fix="a")
	one(op.lower() + "_symmetric", op, np.array(8), fix="a", periodic=0)
mel = [np.array(v) for v in (5, 64, 8000)] + [np.array(v, np.float32) for v in (60, 3800)]
one("mel", "MelWeightMatrix", *mel, fix="abcde")


def parts(x):
	return np.stack([x.real, x.imag], -1).astype(np.float32)


real, whole = f(2, 9, 3), f(2, 9, 3) + 1j * f(2, 9, 3)
one("dft", "DFT", parts(whole), np.array(9), np.array(1), fix="bc", out=parts(np.fft.fft(whole, axis=1)))
one("dft_padded", "DFT", parts(whole), np.array(12), np.array(1), fix="bc", out=parts(np.fft.fft(whole, 12, axis=1)))
one("dft_cut", "DFT", parts(whole), np.array(5), np.array(1), fix="bc", out=parts(np.fft.fft(whole, 5, axis=1)))
one("dft_half", "DFT", real[..., None], None, np.array(1), fix="c", onesided=1, out=parts(np.fft.rfft(real, axis=1)))
one("dft_back", "DFT", parts(whole), None, np.array(-2), fix="c", inverse=1, out=parts(np.fft.ifft(whole, axis=2)))
one("dft_half_back", "DFT", parts(whole), None, np.array(1), fix="c", inverse=1, onesided=1,
	out=np.fft.irfft(whole, axis=1)[..., None].astype(np.float32))
one("dft_half_back_odd", "DFT", parts(whole), np.array(17), np.array(1), fix="bc", inverse=1, onesided=1,
	out=np.fft.irfft(whole, 17, axis=1)[..., None].astype(np.float32))
one("dft_axis", "DFT", parts(whole), None, np.array(3), fix="c",
	error="along axis 3 of a value of the shape [2, 9, 3, 2]")
x, w = f(2, 20), f(6)
frames = np.stack([x[:, s:s + 6] for s in range(0, 15, 4)], 1)
one("stft", "STFT", x[..., None], np.array(4), w, fix="b", out=parts(np.fft.rfft(frames * w)))
one("stft_whole", "STFT", x[..., None], np.array(4), None, np.array(6), fix="bd", onesided=0,
	out=parts(np.fft.fft(frames)))
one("stft_long", "STFT", x[..., None], np.array(4), None, np.array(21), fix="bd", error="frames of 21 elements")

# Images read between their elements
x, grid = f(2, 3, 5, 4), (1.4 * np.tanh(f(2, 3, 6, 2))).astype(np.float32)
for mode in "linear", "nearest", "cubic":
	for outside in "zeros", "border", "reflection":
		for corners in 0, 1:
			one(f"grid_{mode}_{outside}_{corners}", "GridSample", x, grid, opset=22, mode=mode, padding_mode=outside,
				align_corners=corners)
one("grid_one_axis", "GridSample", f(1, 2, 5), f(1, 3, 1), opset=22)
one("grid_three_axes", "GridSample", f(1, 2, 3, 4, 5), f(1, 2, 2, 3, 3) / 2, opset=22, padding_mode="border")
one("grid_old_name", "GridSample", x, grid, opset=16, mode="bicubic", out=onnx.reference.ReferenceEvaluator(model(
	[h.make_node("GridSample", ["x", "g"], ["y"], mode="cubic")], {"x": x, "g": grid}, ["y"], opset=22)).run(None,
	{"x": x, "g": grid})[0])
one("grid_mode", "GridSample", x, grid, opset=22, mode="area", error="attribute 'mode' is 'area'")
one("affine_grid", "AffineGrid", f(2, 2, 3), i(2, 3, 4, 5), fix="b", opset=20)
one("affine_grid_corners", "AffineGrid", f(2, 3, 4), i(2, 3, 2, 3, 4), fix="b", opset=20, align_corners=1)
x, w = f(2, 4, 5, 6), f(6, 2, 3, 2)
one("deform_conv", "DeformConv", x, w, f(2, 2 * 6 * 2, 4, 6), f(6), f(2, 2 * 6, 4, 6), opset=22, group=2,
	offset_group=2, pads=[1, 1, 0, 0], strides=[1, 1])
plain = np.zeros((2, 12, 2, 3), np.float32)      # without offsets it is a convolution
conv = onnx.reference.ReferenceEvaluator(model([h.make_node("Conv", ["x", "w"], ["y"], group=2, strides=[2, 2])],
	{"x": x, "w": w}, ["y"])).run(None, {"x": x, "w": w})[0]
one("deform_conv_plain", "DeformConv", x, w, plain, opset=22, group=2, strides=[2, 2], out=conv)
one("deform_conv_groups", "DeformConv", x, w, plain, opset=22,
	error="do not fit together, in 1 groups and 1 of offsets")

# Regions, images put together
x, regions = f(2, 3, 8, 9), np.array([[0, 0, 6, 5], [1.5, 2, 8.5, 7], [-3, 4, 20, 6], [4, 4, 4.2, 4.1]], np.float32)
for name, more in {"": {"sampling_ratio": 2}, "_max": {"sampling_ratio": 3, "mode": "max"},
	"_scaled": {"spatial_scale": .5},
		"_edges": {"coordinate_transformation_mode": "output_half_pixel"}}.items():
	one("roi_align" + name, "RoiAlign", x, regions, i(1, 0, 1, 1), fix="b", opset=22, output_height=3,
	output_width=2, **more)
one("roi_align_unknown", "RoiAlign", x, regions, i(1, 0, 1, 1), opset=22, error="it depends on 'b'; --fix NAME=FILE")
image = f(2, 3, 7, 6)
padded = np.pad(image, [(0, 0), (0, 0), (1, 0), (1, 2)])
columns = np.stack([padded[:, :, a:a + 5:2, b:b + 7:2] for a in (0, 3) for b in (0, 1, 2)], 2)
y = np.zeros_like(padded)
for t, (a, b) in enumerate((a, b) for a in (0, 3) for b in (0, 1, 2)):
	y[:, :, a:a + 5:2, b:b + 7:2] += columns[:, :, t]
one("col2im", "Col2Im", columns.reshape(2, 18, -1), i(7, 6), i(2, 3), fix="bc", dilations=[3, 1], strides=[2, 2],
	pads=[1, 1, 0, 2], out=y[:, :, 1:8, 1:7])
one("col2im_three", "Col2Im", f(1, 8, 6), i(2, 3, 4), i(2, 2, 2), fix="bc")
one("col2im_blocks", "Col2Im", f(1, 8, 7), i(2, 3, 4), i(2, 2, 2), fix="bc",
	error="7 blocks of 8 elements for an image of 6")
one("max_unpool", "MaxUnpool", f(1, 2, 2, 3), i(0, 3, 5, 12, 14, 16, 25, 27, 29, 36, 40, 47).reshape(1, 2, 2,
	3), opset=22,
	kernel_shape=[2, 2], strides=[2, 2])
one("max_unpool_shape", "MaxUnpool", f(1, 1, 2, 2), i(5, 7, 13, 15).reshape(1, 1, 2, 2), i(1, 1, 5, 6), fix="c",
	opset=22,
	kernel_shape=[2, 2], strides=[2, 2])

# Determinants, operators of ai.onnx.ml
x = f(5, 4, 4)
x[0, 0, 0], x[1, :2, 0], x[2, 1], x[3] = 0, 0, 2 * x[2, 0], np.eye(4)[[1, 0, 3, 2]]
one("det", "Det", x, opset=22, out=np.linalg.det(x.astype(np.float64)).astype(np.float32))
one("det_one", "Det", f(3, 1, 1), opset=22)
one("det_wide", "Det", f(2, 3), opset=22, error="the determinant of [2, 3]")


def ml(name, op, *inputs, out=None, error=None, **attributes):
	given = dict(zip("ab", inputs))
	m = model([h.make_node(op, list(given), ["y"], domain="ai.onnx.ml", **attributes)], given, ["y"])
	m.opset_import.append(h.make_opsetid("ai.onnx.ml", 5))
	add(name, m, given, out={"y": out} if out is not None else None, error=error)


ml("binarizer", "Binarizer", np.array([[.2, .3, .4]], np.float32), threshold=.3, out=np.array([[0, 0, 1]], np.float32))
ml("features", "ArrayFeatureExtractor", np.arange(12).reshape(3, 4), i(3, 1), out=np.array([[3, 1], [7, 5], [11, 9]]))
ml("features_vector", "ArrayFeatureExtractor", np.arange(4) * 5, i(0, 2), out=np.array([[0, 10]]))
ml("label_ints", "LabelEncoder", np.array([[4, 7], [1, 9]]), keys_int64s=[1, 4, 9], values_floats=[.5, -2., 8.],
	default_float=3., out=np.array([[-2, 3], [.5, 8]], np.float32))
ml("label_default", "LabelEncoder", np.array([4., 7.], np.float32), keys_floats=[1., 4.], values_int64s=[10, 40],
	out=np.array([40, -1]))
ml("label_tensors", "LabelEncoder", np.array([4, 7], np.int32), keys_tensor=nh.from_array(np.array([7, 2], np.int32)),
	values_tensor=nh.from_array(np.array([70, 20], np.int16)), default_tensor=nh.from_array(np.array([5], np.int16)),
	out=np.array([5, 70], np.int16))
ml("label_texts", "LabelEncoder", np.array([4, 7]), keys_strings=["a"], values_int64s=[1],
	error="strings are not supported")

# Values without elements
x = {"x": f(3, 4)}
none = np.zeros((3, 0), np.float32)
add("empty_result", model([h.make_node("Slice", ["x", "b", "b", "a"], ["s"]), h.make_node("Mul", ["s", "w"], ["t"]),
	h.make_node("Less", ["t", "w"], ["l"]), h.make_node("Neg", ["t"], ["y"])], x, ["y", "l"],
	{"b": i(2), "a": i(1), "w": f(3, 1)}), x, out={"y": none, "l": none > 0})

save("layers.npz")
