#!/usr/bin/env python3
"""Writes tests/onnx/types.npz: models of functions by series, of recurrent networks, of types that are stored, and of
quantised operators (casefile.py says what the file holds).  What is expected is computed here with NumPy.

    build/onnx-venv/bin/python tests/onnx/make_types.py        (make onnx-suite makes the environment)
"""
import ml_dtypes as ml
import numpy as np
from onnx import TensorProto as T, helper as h

from casefile import add, corpus, f, i, model, one, save

np.seterr(all="ignore")


# Functions by series
def function(op, numpy, *edges):
	x = np.concatenate([f(20), f(10) * 10, f(5) * 1e-3, np.array(edges, np.float32), [0, 1, -1, np.inf, -np.inf, np.nan]])
	for t in (np.float32, np.float64, np.float16):
		one(f"{op.lower()}_{t.__name__}", op, x.astype(t), out=numpy(x.astype(t).astype(np.float64)).astype(t))


for op, numpy, *edges in [("Asin", np.arcsin, .999999, 1e-30), ("Acos", np.arccos, .999999, -.5),
		("Atan", np.arctan, .999, 1e10, -1e30), ("Sinh", np.sinh, 89, -89, 300), ("Cosh", np.cosh, 89, -89, 300),
		("Asinh", np.arcsinh, .25, 1e12, -1e30), ("Acosh", np.arccosh, 1.000001, 1.1, 1e30),
		("Atanh", np.arctanh, .25, .9999)]:
	function(op, numpy, *edges)
x = np.concatenate([f(30), f(10) * 10])
one("tan", "Tan", x, out=np.tan(x.astype(np.float64)).astype(np.float32))


# Recurrent networks, step by step
def sigmoid(x):
	return 1 / (1 + np.exp(-x))


def hard_sigmoid(x):
	return np.clip(.3 * x + .6, 0, 1)


def softsign(x):
	return x / (1 + abs(x))


def rnn_step(p, x, h, c):
	return p["f"][0](p["clip"](x @ p["w"].T + h @ p["r"].T + p["wb"] + p["rb"])), c


def gru_step(p, x, h, c):
	wz, wr, wh = np.split(x @ p["w"].T + p["wb"], 3, -1)
	rz, rr, rh = np.split(p["r"], 3)
	bz, br, bh = np.split(p["rb"], 3)
	z = p["f"][0](p["clip"](wz + h @ rz.T + bz))
	r = p["f"][0](p["clip"](wr + h @ rr.T + br))
	inner = r * (h @ rh.T + bh) if p["linear"] else (r * h) @ rh.T + bh
	return (1 - z) * p["f"][1](p["clip"](wh + inner)) + z * h, c


def lstm_step(p, x, h, c):
	i, o, forget, g = np.split(x @ p["w"].T + h @ p["r"].T + p["wb"] + p["rb"], 4, -1)
	pi, po, pf = np.split(p["p"], 3)
	i = p["f"][0](p["clip"](i + pi * c))
	forget = 1 - i if p["couple"] else p["f"][0](p["clip"](forget + pf * c))
	c = forget * c + i * p["f"][1](p["clip"](g))
	return p["f"][0](p["clip"](o + po * c)) * p["f"][2](c), c


def recurrent(name, op, gates, step, functions, direction="forward", bias=False, lengths=None, state=False,
		peepholes=False, layout=0, clip=0., linear=0, couple=0, backward_functions=None, **attributes):
	"""Three steps of a batch of two, five features, hidden size four."""
	d = 2 if direction == "bidirectional" else 1
	x, w, r = f(3, 2, 5), f(d, gates * 4, 5) * .5, f(d, gates * 4, 4) * .5
	b = f(d, 2 * gates * 4) if bias else None
	h0, c0 = (f(d, 2, 4), f(d, 2, 4)) if state else (None, None)
	p = f(d, 12) if peepholes else None
	ys, hs, cs = [], [], []
	for k in range(d):
		back = direction == "reverse" or k == 1
		wb, rb = np.split(b[k], 2) if bias else (np.zeros(gates * 4), np.zeros(gates * 4))
		how = {"w": w[k], "r": r[k], "wb": wb, "rb": rb, "p": p[k] if peepholes else np.zeros(12), "linear": linear,
			"couple": couple, "clip": (lambda v: np.clip(v, -clip, clip)) if clip else (lambda v: v),
			"f": backward_functions if k == 1 and backward_functions else functions}
		y = np.zeros((3, 2, 4))
		h_last, c_last = np.zeros((2, 4)), np.zeros((2, 4))
		for n in range(2):
			h, c = (h0[k, n], c0[k, n]) if state else (np.zeros(4), np.zeros(4))
			steps = range(3 if lengths is None else lengths[n])
			for t in reversed(steps) if back else steps:
				h, c = step(how, x[t, n].astype(np.float64), h, c)
				y[t, n] = h
			h_last[n], c_last[n] = h, c
		ys.append(y)
		hs.append(h_last)
		cs.append(c_last)
	y, h, c = np.stack(ys, 1), np.stack(hs), np.stack(cs)
	if layout:
		x, y, h, c = x.transpose(1, 0, 2), y.transpose(2, 0, 1, 3), h.transpose(1, 0, 2), c.transpose(1, 0, 2)
		h0, c0 = (h0.transpose(1, 0, 2), c0.transpose(1, 0, 2)) if state else (None, None)
	given = [x, w, r, b, None if lengths is None else np.array(lengths, np.int32), h0] + ([c0, p] if op == "LSTM" else [])
	while given[-1] is None:
		given.pop()
	out = {"y0": y, "y1": h, "y2": c} if op == "LSTM" else {"y0": y, "y1": h}
	more = {k: v for k, v in [("direction", direction), ("layout", layout), ("clip", clip),
		("linear_before_reset", linear), ("input_forget", couple)] if v and v != "forward"}
	one(name, op, *given, n_out=len(out), out={k: v.astype(np.float32) for k, v in out.items()}, hidden_size=4, **more,
		**attributes)


TANH, GRU, LSTM = [np.tanh], [sigmoid, np.tanh], [sigmoid, np.tanh, np.tanh]
recurrent("rnn", "RNN", 1, rnn_step, TANH)
recurrent("rnn_both_ways", "RNN", 1, rnn_step, TANH, "bidirectional", bias=True, lengths=[2, 3], state=True,
	backward_functions=[lambda x: np.where(x < 0, .5 * x, x)], activations=["tanh", "LeakyRelu"], activation_alpha=[.5])
recurrent("rnn_affine", "RNN", 1, rnn_step, [lambda x: .5 * x + .25], layout=1, state=True, activations=["Affine"],
	activation_alpha=[.5], activation_beta=[.25])
for act, by in [("Relu", lambda x: np.maximum(x, 0)), ("ThresholdedRelu", lambda x: np.where(x >= 1, x, 0)),
		("ScaledTanh", lambda x: 2 * np.tanh(.5 * x)), ("Elu", lambda x: np.where(x < 0, np.exp(x) - 1, x)),
		("Softplus", lambda x: np.log1p(np.exp(x)))]:
	scales = {"activation_alpha": [2.], "activation_beta": [.5]} if act == "ScaledTanh" else {}
	recurrent("rnn_" + act.lower(), "RNN", 1, rnn_step, [by], activations=[act], **scales)
recurrent("gru", "GRU", 3, gru_step, GRU, bias=True)
recurrent("gru_linear", "GRU", 3, gru_step, GRU, "bidirectional", bias=True, state=True, lengths=[3, 1], linear=1,
	layout=1)
recurrent("gru_activations", "GRU", 3, gru_step, [hard_sigmoid, softsign], "reverse", lengths=[3, 2], clip=.5,
	activations=["HardSigmoid", "Softsign"], activation_alpha=[.3], activation_beta=[.6])
recurrent("lstm", "LSTM", 4, lstm_step, LSTM, bias=True)
recurrent("lstm_peepholes", "LSTM", 4, lstm_step, LSTM, "bidirectional", bias=True, state=True, peepholes=True,
	lengths=[1, 3], layout=1)
recurrent("lstm_coupled", "LSTM", 4, lstm_step, LSTM, "reverse", state=True, clip=.7, couple=1)
one("recurrent_direction", "RNN", f(3, 2, 5), f(1, 4, 5), f(1, 4, 4), direction="up",
	error="attribute 'direction' is 'up'")
one("recurrent_activation", "RNN", f(3, 2, 5), f(1, 4, 5), f(1, 4, 4), activations=["Sine"],
	error="activation 'Sine' is not known")
one("recurrent_shapes", "GRU", f(3, 2, 5), f(1, 12, 6), f(1, 12, 4),
	error="x [3, 2, 5], W [1, 12, 6] and R [1, 12, 4] do not fit")

# Types that are stored: numbers of all sizes to them, and every one of theirs
every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
every = every[np.isin(np.arange(1 << 16) % 16, [0, 1, 15])]       # ties, and the numbers beside them
every = np.concatenate([every[~np.isnan(every)], [np.float16(np.nan)]])
nodes, given = [], {}
for name, t in [("FLOAT8E4M3FN", ml.float8_e4m3fn), ("FLOAT8E4M3FNUZ", ml.float8_e4m3fnuz),
		("FLOAT8E5M2", ml.float8_e5m2), ("FLOAT8E5M2FNUZ", ml.float8_e5m2fnuz), ("FLOAT4E2M1", ml.float4_e2m1fn)]:
	code, largest = getattr(T, name), ml.finfo(t).max
	nodes.append(h.make_node("Cast", ["x"], ["saturated_" + name], to=code))
	given["saturated_" + name] = np.clip(every, -largest, largest).astype(t)
	if name == "FLOAT4E2M1":
		given["saturated_" + name][np.isnan(every)] = 0         # it has no NaN
	else:
		nodes.append(h.make_node("Cast", ["x"], [name], to=code, saturate=0))
		given[name] = every.astype(t)
	all_bits = np.arange(1 << (4 if "4E2" in name else 8), dtype=np.uint8).view(t)
	one("cast_from_" + name, "Cast", all_bits, to=T.FLOAT, out=all_bits.astype(np.float32))
add("cast_all_sizes", model(nodes, {"x": every}, list(given)), {"x": every}, out=given)
# Between neighbours in float64 nothing is rounded twice: 1.0625 is a tie.
near = np.array([1.0625 - 2**-40, 1.0625, 1.0625 + 2**-40, 1.1875, 1.1875 - 2**-50, 464, 464.0000001,
	2**-10, 2**-10 * 1.0000001])
one("cast_double_float8", "Cast", near, to=T.FLOAT8E4M3FN, saturate=0,
	out=np.array([1, 1, 1.125, 1.25, 1.125, 448, np.nan, 0, 2**-9]).astype(ml.float8_e4m3fn))
powers = np.array([0, 1, 1.1, 1.5, 1.9, 2, 3, .124, 2.**-126, 2.**127, 3e38, np.inf, np.nan], np.float32)
bits = lambda *x: np.array(x, np.uint8).view(ml.float8_e8m0fnu)
one("cast_power_up", "Cast", powers, to=T.FLOAT8E8M0, opset=25,
	out=bits(0, 127, 128, 128, 128, 128, 129, 124, 1, 254, 254, 254, 255))
one("cast_power_down", "Cast", powers, to=T.FLOAT8E8M0, opset=25, round_mode="down", saturate=0,
	out=bits(255, 127, 127, 127, 127, 128, 128, 123, 1, 254, 254, 255, 255))
one("cast_power_nearest", "Cast", powers, to=T.FLOAT8E8M0, opset=25, round_mode="nearest", saturate=0,
	out=bits(255, 127, 127, 128, 128, 128, 129, 124, 1, 254, 255, 255, 255))
one("cast_from_power", "Cast", bits(*range(1, 256)), to=T.FLOAT,
	out=np.append(2. ** (np.arange(1, 255) - 127), np.nan).astype(np.float32))
for name, t in [("INT4", ml.int4), ("UINT4", ml.uint4), ("INT2", ml.int2), ("UINT2", ml.uint2)]:
	size, signed = 1 << int(name[-1]), name[0] == "I"
	numbers = np.arange(-40, 40)
	wrapped = numbers % size
	wrapped = np.where(signed & (wrapped >= size // 2), wrapped - size, wrapped)
	one("cast_to_" + name, "Cast", numbers, to=getattr(T, name), out=wrapped.astype(t))
	one("cast_float_to_" + name, "Cast", numbers.astype(np.float32) + .25 * np.sign(numbers).astype(np.float32),
		to=getattr(T, name), out=wrapped.astype(t))
	packed = wrapped[:7].astype(t)          # the last byte is not full
	add("packed_" + name, model([h.make_node("Cast", ["w"], ["y"], to=T.INT32)], {}, ["y"], {"w": packed}), {},
		out={"y": wrapped[:7].astype(np.int32)})
	fields = model([h.make_node("Cast", ["w"], ["y"], to=T.INT32)], {}, ["y"])
	fields.graph.initializer.append(h.make_tensor("w", getattr(T, name), [7], packed))
	assert not fields.graph.initializer[0].raw_data
	add("fields_" + name, fields, {}, out={"y": wrapped[:7].astype(np.int32)})
x = f(2, 3).astype(ml.float8_e5m2)
one("stored_moves", "Transpose", x, out=x.T)
y = f(3)
one("stored_like", "CastLike", y, x, out=y.astype(ml.float8_e5m2))
one("stored_sum", "Add", x, x, error="its input 'a' is float8e5m2, which is kept and converted, but not computed with")
one("stored_beside_others", "Concat", x, x.view(np.uint8), axis=0, error="of another type than the first")
one("stored_places", "Gather", f(4), np.zeros(2, ml.uint4), error="its input 'b' is uint4, which is kept and converted")
add("stored_missing", model([h.make_node("Concat", [""], ["y"], axis=0)], {}, ["y"], {"w": np.zeros(7, ml.int4)}), {},
	error="(Concat): input 0 is missing")
one("cast_mode", "Cast", f(2), to=T.FLOAT8E8M0, opset=25, round_mode="odd", error="attribute 'round_mode' is 'odd'")
short = model([h.make_node("Cast", ["w"], ["y"], to=T.INT32)], {}, ["y"], {"w": np.zeros(7, ml.int4)})
short.graph.initializer[0].raw_data = b"12"
add("packed_too_short", short, {}, error="its content has 2 bytes, but its shape 4")


# Quantised numbers
def rounded(x, low, high):
	return np.clip(np.rint(x), low, high)


x, scale, zero = f(2, 3, 4) * 100, np.array([.5, 1.3, 2], np.float32), np.array([0, 100, 255], np.uint8)
lined = (1, 3, 1)
one("quantize", "QuantizeLinear", x, scale, zero, axis=-2,
	out=rounded(np.rint(x / scale.reshape(lined)) + zero.reshape(lined), 0, 255).astype(np.uint8))
far = np.array([3e9, -3e9, np.inf, -np.inf, 2.5, 3.5, -2.5], np.float32)
one("quantize_far", "QuantizeLinear", far, np.float32(1).reshape(()), np.int8(-100).reshape(()),
	out=np.array([127, -128, 127, -128, -98, -96, -102], np.int8))
one("quantize_without_zero", "QuantizeLinear", far, np.float32(1).reshape(()), output_dtype=T.INT16,
	out=np.array([32767, -32768, 32767, -32768, 2, 4, -2], np.int16))
one("quantize_int4", "QuantizeLinear", x, scale, np.array([0, 1, -8]).astype(ml.int4), axis=1,
	out=rounded(np.rint(x / scale.reshape(lined)) + np.array([0, 1, -8]).reshape(lined), -8, 7).astype(ml.int4))
blocks = np.abs(f(2, 3, 2)) + .5
one("quantize_blocks", "QuantizeLinear", x[:, :, :3], blocks, axis=2, block_size=2,
	out=rounded(x[:, :, :3] / np.repeat(blocks, 2, 2)[:, :, :3], 0, 255).astype(np.uint8))
one("quantize_float8", "QuantizeLinear", x, scale, axis=1, output_dtype=T.FLOAT8E4M3FN,
	out=np.clip(x / scale.reshape(lined), -448, 448).astype(ml.float8_e4m3fn))
one("quantize_precision", "QuantizeLinear", x, scale, zero, axis=1, opset=25, precision=T.DOUBLE, out=rounded(np.rint(
	x.astype(np.float64) / scale.astype(np.float64).reshape(lined)) + zero.reshape(lined), 0, 255).astype(np.uint8))
q = np.arange(24, dtype=np.int8).reshape(2, 3, 4) * 5 - 60
zero8 = np.array([-3, 0, 100], np.int8)
one("dequantize", "DequantizeLinear", q, scale, zero8, out=((q.astype(np.float32) - zero8.reshape(lined))
	* scale.reshape(lined)).astype(np.float32))
one("dequantize_half", "DequantizeLinear", q, scale.astype(np.float16), out=(q.astype(np.float32)
	* scale.astype(np.float16).reshape(lined)).astype(np.float16))
one("dequantize_blocks", "DequantizeLinear", q, blocks, axis=2, block_size=2, out=q * np.repeat(blocks, 2, 2))
eighth = x.astype(ml.float8_e5m2)
one("dequantize_float8", "DequantizeLinear", eighth, scale, out=eighth.astype(np.float32) * scale.reshape(lined))
one("quantize_zero_float8", "QuantizeLinear", x, scale[0], np.array(1).astype(ml.float8_e5m2), fix="c",
	error="a zero point of float8e5m2 that is not 0")
one("quantize_shapes", "QuantizeLinear", x, f(4), axis=1,
	error="scales or zero points of rank 1 for 3 elements at axis 1")
one("quantize_to_float", "QuantizeLinear", x, scale[0], output_dtype=T.FLOAT,
	error="float32, which is no quantised type")
span = x.max() - x.min()
step = np.float32(span) / np.float32(255)
zero_of = np.rint(np.clip(-x.min() / step, 0, 255))
one("quantize_dynamic", "DynamicQuantizeLinear", x, n_out=3, out={"y0": rounded(np.rint(x / step) + zero_of, 0, 255)
	.astype(np.uint8), "y1": step, "y2": zero_of.astype(np.uint8)})
one("quantize_dynamic_half", "DynamicQuantizeLinear", x.astype(np.float16), n_out=3,
	error="numbers of float16: float32 is expected")
one("quantize_dynamic_zeros", "DynamicQuantizeLinear", np.zeros((2, 3), np.float32), n_out=3,
	out={"y0": np.zeros((2, 3), np.uint8), "y1": np.float32(1) / np.float32(255), "y2": np.uint8(0)})


def whole(t, *shape):
	least = np.iinfo(t).min
	return np.random.default_rng(len(shape)).integers(least, least + 256, shape).astype(t)


a, b, az, bz = whole(np.uint8, 2, 3, 4), whole(np.int8, 4, 5), np.array([3, 200, 7], np.uint8), whole(np.int8, 5)
product = (a.astype(np.int32) - az.reshape(3, 1)) @ (b.astype(np.int32) - bz)
one("matmul_integer", "MatMulInteger", a, b, az, bz, out=product)
one("matmul_integer_plain", "MatMulInteger", a, b, out=a.astype(np.int32) @ b.astype(np.int32))
small, each, steps = np.float32(.02), (np.abs(f(5)) * .01 + .01), np.float32(.3)
one("qlinear_matmul", "QLinearMatMul", a, small.reshape(()), az, b, each, bz, steps.reshape(()), np.int8(5).reshape(()),
	out=rounded(product * (small * each / steps).astype(np.float64) + 5, -128, 127).astype(np.int8))


def conv(x, w, pad):
	"""Sums over a window that moves in steps of one, of integers."""
	x = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
	n = [x.shape[2] - w.shape[2] + 1, x.shape[3] - w.shape[3] + 1]
	y = np.zeros((x.shape[0], w.shape[0], *n), np.int64)
	for k in range(w.shape[2]):
		for j in range(w.shape[3]):
			y += np.einsum("bchw,mc->bmhw", x[:, :, k:k + n[0], j:j + n[1]], w[:, :, k, j])
	return y


x, w, wz = whole(np.uint8, 1, 2, 5, 4), whole(np.int8, 3, 2, 3, 2), np.array([-7, 0, 100], np.int8)
sums = conv(x.astype(np.int64) - 120, w.astype(np.int64) - wz.reshape(3, 1, 1, 1), 1)
one("conv_integer", "ConvInteger", x, w, np.uint8(120).reshape(()), wz, pads=[1, 1, 1, 1], out=sums.astype(np.int32))
ws, bias = np.array([.01, .02, .003], np.float32), np.array([100, -5000, 7], np.int32)
by = (small * ws / steps).astype(np.float64).reshape(1, 3, 1, 1)
one("qlinear_conv", "QLinearConv", x, small.reshape(()), np.uint8(120).reshape(()), w, ws, wz, steps.reshape(()),
	np.uint8(130).reshape(()), bias, pads=[1, 1, 1, 1],
	out=rounded((sums + bias.reshape(1, 3, 1, 1)) * by + 130, 0, 255).astype(np.uint8))

# Bits
for t in (np.uint8, np.int8, np.int16, np.int32, np.int64, np.uint16, np.uint32, np.uint64):
	info = np.iinfo(t)
	numbers = np.array([info.min, info.max, 1, 5, info.max // 3, info.min // 3], t)
	counts = np.arange(-1, info.bits + 2)
	left = [[(int(n) << int(k)) % (1 << info.bits) if 0 <= k < info.bits else 0 for k in counts] for n in numbers]
	left = [[v - (1 << info.bits) if v > info.max else v for v in row] for row in left]
	counted = counts.astype(t)                              # without a sign, -1 is the largest number
	right = [[int(n) >> int(k) if 0 <= k < info.bits else -1 if n < 0 else 0 for k in counts] for n in numbers]
	for direction, want in [("LEFT", left), ("RIGHT", right)]:
		one(f"shift_{direction}_{t.__name__}", "BitShift", numbers[:, None], counted, opset=26, direction=direction,
			out=np.array(want, t))
x = f(2, 3)
one("bits_known", "BitCast", x, to=T.INT32, opset=26, fix="a", out=x.view(np.int32))
one("bits_unknown", "BitCast", x, to=T.INT32, opset=26, error="what is read as another type ('a') has to be known")
one("bits_of_byte", "BitCast", q, to=T.UINT8, opset=26, out=q.view(np.uint8))
one("bits_of_float8", "BitCast", eighth, to=T.INT8, opset=26, out=eighth.view(np.int8))
one("bits_to_float8", "BitCast", q, to=T.FLOAT8E5M2, opset=26, out=q.view(ml.float8_e5m2))
one("bits_of_another_size", "BitCast", x, to=T.INT64, opset=26, error="the bits of float32 as int64")

# Without a sign: NumPy's own
for t in (np.uint16, np.uint32, np.uint64):
	top = np.iinfo(t).max
	a = np.array([0, 1, 7, top // 2, top // 2 + 1, top // 3, top - 1, top], t)
	b = a[::-1].copy()
	b[-1] = 9
	name = t.__name__
	for op, numpy in [("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply), ("Div", np.floor_divide),
			("Mod", np.mod), ("Max", np.maximum), ("Min", np.minimum), ("Less", np.less),
			("GreaterOrEqual", np.greater_equal), ("Equal", np.equal)]:
		one(f"{op.lower()}_{name}", op, a, b, out=numpy(a, b))
	one(f"pow_{name}", "Pow", a, np.array([3], t), out=a * a * a)
	one(f"clip_{name}", "Clip", a, np.array(5, t), np.array(top - 1, t), out=np.clip(a, 5, top - 1))
	one(f"reduce_max_{name}", "ReduceMax", a, out=a.max(keepdims=True))
	one(f"arg_max_{name}", "ArgMax", a, out=a.argmax(keepdims=True))
	one(f"cum_sum_{name}", "CumSum", a, np.array(0), fix="b", out=np.cumsum(a, dtype=t))
	one(f"relu_{name}", "Max", a, np.array(top // 2, t), out=np.maximum(a, t(top // 2)))
	for to, code in [(np.float32, T.FLOAT), (np.float64, T.DOUBLE), (np.int8, T.INT8), (np.int64, T.INT64),
			(np.uint16, T.UINT16), (np.uint32, T.UINT32), (np.uint64, T.UINT64), (np.bool_, T.BOOL)]:
		one(f"cast_{name}_{to.__name__}", "Cast", a, to=code, out=a.astype(to))
	inside = np.array([0, .9, 7.5, 65535], np.float64)
	one(f"cast_float64_{name}", "Cast", inside, to=getattr(T, name.upper()), out=inside.astype(t))
# A shape that is cast: of numbers that are known and of one that is not
x = {"x": f(2, 3), "y": f(2, 3, 1)}
for code in (T.INT32, T.UINT16, T.UINT64):
	add(f"cast_shape_{code}", model([h.make_node("Shape", ["x"], ["s"]), h.make_node("Cast", ["s"], ["c"], to=code),
		h.make_node("Cast", ["c"], ["d"], to=T.INT64), h.make_node("Reshape", ["y", "d"], ["z"])], x, ["z"],
		symbols={"x": ["batch", 3], "y": ["batch", 3, 1]}), x, dims=["batch=1..5"])
add("cast_shape_wraps", model([h.make_node("Shape", ["x"], ["s"]), h.make_node("Cast", ["s"], ["c"], to=T.UINT8),
	h.make_node("Cast", ["c"], ["d"], to=T.INT64), h.make_node("Reshape", ["y", "d"], ["z"])], x, ["z"],
	symbols={"x": ["batch", 3], "y": ["batch", 3, 1]}), x, dims=["batch=1..500"], error="--dim batch=8 fixes an extent")
# Places that are known, and what is no optional value
for how, mode in [("floor", "half_pixel"), ("ceil", "align_corners")]:
	x = {"x": f(1, 1, 4, 5)}
	add(f"resize_{how}", model([h.make_node("Resize", ["x", "", "s"], ["y"], nearest_mode=how,
		coordinate_transformation_mode=mode)], x, ["y"], {"s": np.array([1, 1, 1.6, 2.3], np.float32)}), x)
x = {"x": f(5)}
add("non_zero", model([h.make_node("NonZero", ["c"], ["i"]), h.make_node("Transpose", ["i"], ["t"]),
	h.make_node("Cast", ["t"], ["u"], to=T.FLOAT), h.make_node("ReduceSum", ["u"], ["s"]),
	h.make_node("Add", ["x", "s"], ["y"])], x, ["y"], {"c": np.array([[0, -1, 2], [3, 0, -0.]], np.float32)}), x)
add("non_zero_extents", model([h.make_node("Shape", ["x"], ["s"]), h.make_node("ConstantOfShape", ["s"], ["o"],
	value=h.make_tensor("one", T.INT64, [1], [1])), h.make_node("NonZero", ["o"], ["i"]),
	h.make_node("Squeeze", ["i", "a"], ["j"]), h.make_node("Gather", ["x", "j"], ["y"])], x, ["y"], {"a": i(0)}), x)
add("non_zero_unknown", model([h.make_node("NonZero", ["x"], ["y"])], x, ["y"]), x,
	error="what is asked for elements that are not 0 ('x') has to be known when the model is read")
add("has_element", model([h.make_node("OptionalGetElement", ["x"], ["e"]),
	h.make_node("OptionalHasElement", ["e"], ["b"]), h.make_node("Where", ["b", "e", "z"], ["y"])], x, ["y"],
	{"z": f(5)}), x, out={"y": x["x"]})

corpus(["gru_linear", "packed_INT4", "qlinear_conv", "quantize_blocks", "stored_moves"])
save("types.npz")
