#!/usr/bin/env python3
"""Writes tests/onnx/dims.npz: models whose extents differ from run to run, with several runs each, in which they are 1,
the most, and between; what they give is what onnx's own reference evaluator gives (casefile.py says what the file
holds).  The larger models are made as torch.onnx.export makes those of BERT, GPT-2 and vision transformers.

    build/onnx-venv/bin/python tests/onnx/make_dims.py        (make onnx-suite makes the environment)
"""
import numpy as np
import onnx
from onnx import helper as h, numpy_helper as nh

from casefile import add, again, corpus, f, i, model, save


class Net:
	"""Nodes of a model, each called by its operator: y = net.Add(x, w).  Arrays are initializers."""

	def __init__(self):
		self.nodes, self.init = [], {}

	def name(self, x):
		if not isinstance(x, (np.ndarray, np.generic)):
			return x
		name = f"c{len(self.init)}"
		self.init[name] = np.asarray(x)
		return name

	def __getattr__(self, op):
		def node(*inputs, out=None, n_out=1, **attributes):
			names = [out] if isinstance(out, str) else out if out else [f"t{len(self.nodes)}_{k}" for k in range(n_out)]
			self.nodes.append(h.make_node(op, [self.name(x) for x in inputs], names, **attributes))
			return names[0] if len(names) == 1 else names
		return node

	def extent(self, x, axis):
		return self.Gather(self.Shape(x), np.array(axis))

	def shape(self, *extents):
		"""The extents, numbers and values without axes, as one value."""
		return self.Concat(*[i(e) if isinstance(e, int) else self.Unsqueeze(e, i(0)) for e in extents], axis=0)

	def reshape(self, x, *extents):
		return self.Reshape(x, self.shape(*extents))

	def range(self, end, begin=np.array(0)):
		return self.Range(begin, end, np.array(1))

	def mask(self, b, q, k):
		"""The shape of an expanded mask, as an export asks for it."""
		shape = self.shape(b, -1, q, k)
		ones = self.ConstantOfShape(self.Shape(shape), value=nh.from_array(i(1)))
		return self.Where(self.Equal(shape, self.Mul(ones, np.array(-1))), ones, shape)


def runs(name, net, outputs, symbols, dims, given, out=None, **rest):
	"""given: the inputs of each run; out: what a run gives, where it is computed here."""
	m = model(net.nodes, given[0], outputs, net.init, symbols=symbols, **rest)
	for k, inputs in enumerate(given):
		want = dict(zip(outputs, out(**inputs))) if out else None
		if k:
			again(name, m, k, inputs, want)
		else:
			add(name, m, inputs, dims=dims, out=want)


def refused(name, net, inputs, symbols, dims, error, outputs=("y",)):
	add(name, model(net.nodes, inputs, list(outputs), net.init, symbols=symbols), inputs, dims=dims, error=error)


def ids(b, n, most=11):
	return np.random.default_rng(b * 100 + n).integers(0, most, (b, n))


def w(*shape):
	"""Weights: of a size at which the rounding of float32 stays below what is allowed."""
	return f(*shape) * np.float32(.3)


HEADS, WIDTH = 2, 6

# BERT: a mask of [batch, length] that is read by one flat index, heads apart and together again
net = Net()
b, n = net.extent("ids", 0), net.extent("ids", 1)
place = net.Slice(np.arange(8)[None], i(0), net.Unsqueeze(n, i(0)), i(1), i(1))
x = net.Add(net.Gather(w(11, WIDTH), "ids"), net.Gather(w(8, WIDTH), place))
x = net.LayerNormalization(x, w(WIDTH), w(WIDTH))
row = net.Unsqueeze(net.range(b), i(1, 2, 3))
key = net.Unsqueeze(net.range(n), i(0, 1, 2))
flat = net.Flatten(net.Cast("mask", to=onnx.TensorProto.BOOL), axis=2)
index = net.Add(key, net.Mul(row, net.Gather(net.Shape("mask"), i(1))))
seen = net.Reshape(net.Reshape(net.Gather(flat, index), i(-1)), net.Shape(index))
seen = net.Expand(seen, net.mask(b, n, n))
bias = net.Where(seen, np.float32(0), np.float32(-1e9))
q, k, v = [net.Transpose(net.reshape(net.Add(net.MatMul(x, w(WIDTH, WIDTH)), w(WIDTH)), b, n, -1, WIDTH // HEADS),
	perm=[0, 2, 1, 3]) for _ in range(3)]
score = net.Add(net.MatMul(q, net.Transpose(k, perm=[0, 1, 3, 2])), bias)
y = net.Transpose(net.MatMul(net.Softmax(score), v), perm=[0, 2, 1, 3])
y = net.Add(net.MatMul(net.reshape(y, b, n, -1), w(WIDTH, WIDTH)), x)
net.Identity(y, out="hidden")
net.Tanh(net.Gemm(net.Gather(y, np.array(0), axis=1), w(WIDTH, WIDTH), w(WIDTH), transB=1), out="pooled")


def masked(b, n):
	m = np.ones((b, n), np.int64)
	m[-1, n // 2 + 1:] = 0
	return {"ids": ids(b, n), "mask": m}


runs("bert", net, ["hidden", "pooled"], {k: ["batch", "length"] for k in ("ids", "mask")},
	["batch=1..4", "length=1..8"], [masked(*s) for s in [(2, 5), (1, 1), (4, 8), (3, 7), (1, 8), (4, 1)]])


def gpt2(past):
	"""A layer of GPT-2: products of [batch * length, width], a causal mask, keys and values that are joined."""
	net = Net()
	b, n = net.extent("ids", 0), net.extent("ids", 1)
	x = net.Gather(w(11, WIDTH), net.Reshape("ids", net.shape(-1, n)))
	if past:
		old_key = net.Gather("past", np.array(0))
		old_value = net.Gather("past", np.array(1))
		before = net.extent(old_key, 2)
		place, keys = net.Add(net.range(n), before), net.Add(before, n)
	else:
		place, keys = net.range(n), n
	x = net.Add(x, net.Gather(w(16, WIDTH), net.Unsqueeze(place, i(0))))
	seen = net.LessOrEqual(net.Unsqueeze(net.range(keys), i(0, 1, 2)), net.Unsqueeze(place, i(0, 1, 3)))
	bias = net.Where(net.Expand(seen, net.mask(b, n, keys)), np.float32(0), np.float32(-1e9))

	def product(x, wide):
		rows = net.reshape(x, -1, net.Squeeze(net.Slice(net.Shape(x), i(-1), i(2**63 - 1), i(0)), i(0)))
		y = net.Gemm(rows, w(x_width[0], wide), w(wide))
		x_width[0] = wide
		return net.reshape(y, net.extent(x, 0), net.extent(x, 1), wide)
	x_width = [WIDTH]
	q, k, v = net.Split(product(net.LayerNormalization(x, w(WIDTH), w(WIDTH)), 3 * WIDTH), i(WIDTH, WIDTH, WIDTH),
		n_out=3, axis=2)
	q, k, v = [net.Transpose(net.reshape(t, net.extent(t, 0), net.extent(t, 1), -1, WIDTH // HEADS), perm=[0, 2, 1, 3])
		for t in (q, k, v)]
	if past:
		k, v = net.Concat(old_key, k, axis=-2), net.Concat(old_value, v, axis=-2)
		net.Concat(net.Unsqueeze(k, i(0)), net.Unsqueeze(v, i(0)), axis=0, out="present")
	score = net.Add(net.MatMul(q, net.Transpose(k, perm=[0, 1, 3, 2])), bias)
	y = net.Transpose(net.MatMul(net.Softmax(score), v), perm=[0, 2, 1, 3])
	y = net.reshape(y, net.extent(y, 0), net.extent(y, 1), -1)
	x_width[0] = WIDTH
	y = net.Add(product(y, WIDTH), x)
	wide = product(net.LayerNormalization(y, w(WIDTH), w(WIDTH)), 2 * WIDTH)
	wide = net.Mul(wide, net.Sigmoid(wide))
	y = net.Add(product(wide, WIDTH), y)
	net.MatMul(y, w(WIDTH, 11), out="logits")
	return net


runs("gpt2", gpt2(False), ["logits"], {"ids": ["batch", "length"]}, ["batch=1..4", "length=1..8"],
	[{"ids": ids(*s)} for s in [(2, 5), (1, 1), (4, 8), (3, 7), (1, 8), (4, 1)]])


def cached(b, n, past):
	return {"ids": ids(b, n), "past": f(2, b, HEADS, past, WIDTH // HEADS)}


runs("gpt2_cache", gpt2(True), ["logits", "present"],
	{"ids": ["batch", "length"], "past": [2, "batch", HEADS, "past", WIDTH // HEADS]},
	["batch=1..3", "length=1..4", "past=0..7"],
	[cached(*s) for s in [(2, 1, 5), (1, 1, 1), (3, 4, 7), (2, 3, 2), (3, 1, 7), (1, 4, 3)]])

# Attention of torch.nn.MultiheadAttention: [position, batch * heads, width] and [position * batch, width]
net = Net()
n, b = net.extent("x", 0), net.extent("x", 1)
qkv = net.Add(net.MatMul("x", w(WIDTH, 3 * WIDTH)), w(3 * WIDTH))
qkv = net.Reshape(qkv, net.Concat(net.Slice(net.Shape(qkv), i(0), i(-1)), i(3, WIDTH), axis=0))
qkv = net.Squeeze(net.Transpose(net.Unsqueeze(qkv, i(0)), perm=[3, 1, 2, 0, 4]), i(3))
wide = net.Mul(b, np.array(HEADS))
q, k, v = [net.Transpose(net.reshape(net.Gather(qkv, np.array(j)), n if j else 5, wide, WIDTH // HEADS),
	perm=[1, 0, 2]) for j in range(3)]
weight = net.Softmax(net.MatMul(net.Mul(q, np.float32([.5])), net.Transpose(k, perm=[0, 2, 1])))
each = net.reshape(weight, b, HEADS, 5, 5)
net.ReduceMean(each, i(1), keepdims=0, out="weights")
y = net.Transpose(net.MatMul(weight, v), perm=[1, 0, 2])
y = net.Gemm(net.reshape(y, net.Mul(n, b), WIDTH), w(WIDTH, WIDTH), w(WIDTH), transB=1)
y = net.reshape(y, n, b, net.extent(y, 1))
net.Transpose(y, perm=[1, 0, 2], out="y")
runs("multihead", net, ["weights", "y"], {"x": [5, "batch", WIDTH]}, ["batch=1..4"],
	[{"x": f(5, b, WIDTH)} for b in (2, 1, 4, 3)])

# Operators on an axis that is a product of two: [batch * length, 6]
net = Net()
rows = net.Reshape("x", i(-1, 6))
a = net.Add(net.Mul(rows, f(6)), net.Reshape("z", i(-1, 1)))
a = net.Where(net.Greater(a, np.float32(0)), a, net.Neg(rows))
a = net.Clip(net.Pow(net.Sqrt(net.Abs(a)), np.float32(3)), np.float32(0), np.float32(2))
net.Reshape(a, net.Shape("x"), out="each")
net.ReduceSum(a, i(0), keepdims=0, out="columns")
net.Squeeze(net.ReduceMax(a, i(0), keepdims=1), i(0), out="most")
net.Reshape(net.ReduceMean(a, i(1), keepdims=1), net.Shape("z"), out="means")
joined = net.Concat(a, rows, net.Slice(rows, i(1), i(-1), i(1)), axis=1)
net.Reshape(joined, net.Concat(net.Shape("z"), i(-1), axis=0), out="joined")
turned = net.Transpose(joined)                  # [16, batch * length]
half = net.Split(turned, i(10, 6), n_out=2, axis=0)[1]
soft = net.Softmax(net.Gather(half, i(5, 0, -3), axis=0), axis=0)
net.Reshape(soft, net.Concat(i(3), net.Shape("z"), axis=0), out="soft")
net.Identity(net.Shape(turned), out="shape")
net.Size(turned, out="size")
table = net.Gather(f(7, 2), net.Reshape("at", i(-1)))
net.Reshape(table, net.Concat(net.Shape("at"), i(2), axis=0), out="table")
net.ReduceSum(net.Unsqueeze(net.Gather(rows, net.Unsqueeze("some", i(0))), i(1)), i(1), keepdims=0, out="picked")
net.CumSum(net.Reshape(a, i(-1, 2, 3)), np.array(1), out=["sums"])
net.nodes[-1].output[0] = "sums_flat"
net.Reshape("sums_flat", net.Shape("x"), out="sums")


def product_inputs(b, n):
	return {"x": f(b, n, 6), "z": f(b, n), "at": ids(b, n, 7), "some": np.array([0, b * n - 1, -1, b * n // 2])}


runs("products", net, ["each", "columns", "most", "means", "joined", "soft", "shape", "size", "table", "picked",
	"sums"],
	{"x": ["batch", "length", 6], "z": ["batch", "length"], "at": ["batch", "length"]}, ["batch=1..4", "length=1..5"],
	[product_inputs(*s) for s in [(2, 3), (1, 1), (4, 5), (3, 1), (1, 4)]])

# Numbers are split and merged around an extent that stays whole; a product that ends with numbers is one axis
net = Net()
a = net.Reshape("x", i(3, 2, -1, 2, 2))         # [6, n, 4]
net.Reshape(net.Transpose(a, perm=[2, 0, 1, 4, 3]), i(0, -1), out="y")
net.Relu(net.Reshape(net.Transpose("x", perm=[1, 0, 2]), i(-1)), out="flat")
net.ReduceMax(net.Reshape("x", net.shape(6, net.Mul(net.extent("x", 1), np.array(2)), 2)), i(1), keepdims=0, out="max")
net.Conv(net.Reshape(net.Transpose("x", perm=[1, 0, 2]), i(-1, 2, 4)), f(3, 2, 2), out="conv")
runs("split_numbers", net, ["y", "flat", "max", "conv"], {"x": [6, "n", 4]}, ["n=1..5"],
	[{"x": f(6, n, 4)} for n in (2, 1, 5, 3)])

# Places along an axis that differs from run to run
net = Net()
net.ArgMax("x", axis=1, out="arg")
net.ArgMin("x", axis=0, keepdims=0, select_last_index=1, out="arg_last")
net.Trilu(net.Expand("x", net.shape(2, net.extent("x", 0), net.extent("x", 1))), np.array(1), out="upper")
net.CumSum("x", np.array(1), out="sums")
net.Softmax("x", axis=0, out="soft")
net.LogSoftmax("x", axis=1, out="log_soft")
net.Hardmax("x", axis=1, out="hard")
net.ReduceMean("x", i(0), keepdims=1, out="mean")
runs("places", net, ["arg", "arg_last", "upper", "sums", "soft", "log_soft", "hard", "mean"], {"x": ["m", "n"]},
	["m=1..4", "n=1..6"], [{"x": f(*s)} for s in [(2, 3), (1, 1), (4, 6), (3, 5)]])

# Ranges, parts and joins by extents
net = Net()
m, n = net.extent("x", 0), net.extent("y", 0)
net.Range(n, net.Add(n, m), np.array(1), out="after")
net.Range(m, np.array(-2), np.array(-1), out="down")
net.Slice("x", net.Unsqueeze(net.Sub(m, np.array(1)), i(0)), net.Unsqueeze(m, i(0)), i(0), out="last")
net.Slice("x", i(-1), i(2**63 - 1), i(0), out="last_again")
net.Slice(np.arange(20), net.Unsqueeze(n, i(0)), net.Unsqueeze(net.Add(net.Mul(n, np.array(2)), m), i(0)), out="table")
net.Concat("x", "y", f(2), "x", axis=0, out="joined")
net.Expand(np.float32([[1]]), net.shape(n, m), out="ones")
net.ConstantOfShape(net.shape(net.Div(net.Mul(m, np.array(6)), np.array(3)), 2), out="zeros")
net.Cast(net.ReduceProd(net.Shape(net.Expand("x", net.shape(n, 1))), keepdims=0), to=onnx.TensorProto.FLOAT, out="all")
net.Reshape("x", net.shape(net.Max(m, np.array(1)), net.Min(np.array(1), n)), out="column")
runs("parts", net, ["after", "down", "last", "last_again", "table", "joined", "ones", "zeros", "all", "column"],
	{"x": ["m"], "y": ["n"]}, ["m=1..4", "n=1..5"],
	[{"x": f(m), "y": f(n)} for m, n in [(2, 3), (1, 1), (4, 5), (3, 1), (1, 4)]])

# Extents that are sums of others
net = Net()
net.Add("mask", net.Concat("past", "x", axis=1), out="y")
runs("sums", net, ["y"], {"past": ["b", "past_length"], "x": ["b", "length"], "mask": ["b", "past_length + length"]},
	["b=2", "past_length=1..4", "length=1..3"],
	[{"past": f(2, p), "x": f(2, n), "mask": f(2, p + n)} for p, n in [(3, 2), (1, 1), (4, 3), (2, 1)]])
refused("sum_is_unsaid", net, {"past": f(2, 3), "x": f(2, 2), "mask": f(2, 5)},
	{"past": ["b", "past"], "mask": ["b", "past + more"]}, ["b=2", "past=1..4"],
	"input 'mask': the extent of axis 1, 'past + more', is not said: --dim more=8 fixes it")

# Refusals
for name, want, text in [("order", i(0, 0), None), ("across", i(3, -1), "[batch, length, 6] cannot become [3, -1]")]:
	net = Net()
	rows = net.reshape("x", net.extent("x", 1), net.extent("x", 0), 6) if text is None else net.Reshape("x", want)
	net.Abs(rows, out="y")
	refused("merged_" + name, net, {"x": f(2, 3, 6)}, {"x": ["batch", "length", 6]}, ["batch=1..4", "length=1..5"],
		(text or "[batch, length, 6] cannot become [length, batch, 6]") + " while extents differ from run to run: "
		"--dim batch=8 --dim length=8 fix them")
net = Net()
net.Reshape("x", i(-1, 6), out="y")
refused("result_is_a_product", net, {"x": f(2, 3, 6)}, {"x": ["batch", "length", 6]}, ["batch=1..4", "length=1..5"],
	"output 'y': axis 0 of 'y' ([batch*length, 6]) is a product of extents that differ from run to run, which this cannot "
	"take as one: --dim batch=8 --dim length=8 fix them")
net = Net()
net.Softmax(net.Reshape("x", i(-1, 6)), axis=0, out="y")
refused("along_a_product", net, {"x": f(2, 3, 6)}, {"x": ["batch", "length", 6]}, ["batch=1..4", "length=1..5"],
	"axis 0 of 't0_0' ([batch*length, 6]) is a product of extents that differ from run to run, along which this cannot be "
	"done: --dim batch=8 --dim length=8 fix them")
net = Net()
net.Slice("x", i(0), net.Unsqueeze(net.Sub(net.extent("x", 0), np.array(2)), i(0)), out="y")
refused("sign_differs", net, {"x": f(3)}, {"x": ["n"]}, ["n=1..4"],
	"whether n - 2 counts from the begin or the end of the axis differs from run to run")
net = Net()
net.Add("x", "y", out="z")
refused("extents_differ", net, {"x": f(3), "y": f(3)}, {"x": ["n"], "y": ["m"]}, ["n=1..4", "m=1..4"],
	"'x' is [n], 'y' is [m], where extents differ from run to run: --dim n=8 --dim m=8 fix them", outputs=["z"])
refused("name_is_unknown", net, {"x": f(3), "y": f(3)}, {"x": ["batch"], "y": ["batch"]}, ["bach=1..4"],
	"'batch', is not said: --dim batch=8 fixes it", outputs=["z"])
refused("name_is_near", net, {"x": f(3), "y": f(3)}, {"x": ["batch"], "y": ["batch"]}, ["batch=1..4", "bach=1..4"],
	"it has no symbolic dimension of --dim bach=1..4; did you mean 'batch'?", outputs=["z"])
refused("names_are_listed", net, {"x": f(3), "y": f(3)}, {"x": ["batch"], "y": ["batch"]}, ["batch=1..4", "q=1..4"],
	"it has no symbolic dimension of --dim q=1..4; it has 'batch'", outputs=["z"])
net = Net()
net.Resize("x", "", "", i(1, 1, 5, 8), mode="nearest", out="y")
refused("resized_extent", net, {"x": f(1, 1, 3, 4)}, {"x": [1, 1, 3, "w"]}, ["w=2..6"],
	"the extent of a resized axis, w, differs from run to run: --dim w=8 fixes it")

corpus(["gpt2", "products"])
save("dims.npz")
