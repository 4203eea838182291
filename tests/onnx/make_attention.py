#!/usr/bin/env python3
"""Writes tests/onnx/attention/NAME.onnx: attention of sizes that cuDNN takes by default, as ONNX's operators, each of
which is one node without weights, and as exporters write it.  tests/cudnn/test_cudnn_onnx.c reads them.

    build/onnx-venv/bin/python tests/onnx/make_attention.py
"""
import os

import numpy as np
import onnx
from onnx import TensorProto as T, helper as h, numpy_helper as nh

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "attention")
F, B, H, S, D = T.FLOAT16, 1, 12, 128, 32


def several(name, nodes, inputs, known={}, outputs=("y",)):
	"""inputs: (name, type, shape); known: contents that are in the model."""
	graph = h.make_graph(nodes, name, [h.make_tensor_value_info(*x) for x in inputs if x[0]],
		[h.make_empty_tensor_value_info(o) for o in outputs], [nh.from_array(v, k) for k, v in known.items()])
	m = h.make_model(graph, opset_imports=[h.make_opsetid("", 24), h.make_opsetid("com.microsoft", 1)], ir_version=10)
	onnx.save(m, os.path.join(FOLDER, name + ".onnx"))


def one(name, op, inputs, domain="", outputs=("y",), known={}, **attributes):
	"""An input whose name is empty is left out."""
	names = [n for n, *_ in inputs] + list(known)
	several(name, [h.make_node(op, names, outputs, domain=domain, **attributes)], inputs, known, outputs)


def by_products(name, before=(), mask=(), known={}, inputs=None):
	"""With a scale on queries and on keys; before: nodes that make it; mask: those that make "masked" of "scores"."""
	several(name, [*before, h.make_node("Transpose", ["k"], ["turned"], perm=[0, 1, 3, 2]),
		h.make_node("Mul", ["q", "scale"], ["qs"]), h.make_node("Mul", ["turned", "scale"], ["ks"]),
		h.make_node("MatMul", ["qs", "ks"], ["scores"]), *mask,
		h.make_node("Softmax", ["masked" if mask else "scores"], ["p"], axis=-1),
		h.make_node("MatMul", ["p", "v"], ["y"])], inputs or apart, known)


def rows(heads, shared, batch=B):
	return [(n, F, [batch, S, (shared if i else heads) * D]) for i, n in enumerate("qkv")]


apart, none, ms = [(n, F, [B, H, S, D]) for n in "qkv"], ("",), "com.microsoft"
one("plain", "Attention", apart)
one("causal", "Attention", apart, is_causal=1)
one("float32_inside", "Attention", apart, is_causal=1, softmax_precision=T.FLOAT)
one("boolean", "Attention", apart + [("m", T.BOOL, [B, 1, S, S])])
one("added", "Attention", apart + [("m", F, [B, 1, 1, S])])
one("lengths", "Attention", apart + [none] * 3 + [("n", T.INT64, [B])])
one("shared_heads", "Attention", rows(24, 12), q_num_heads=24, kv_num_heads=12, is_causal=1)
one("multi_head", "MultiHeadAttention", rows(H, H), ms, num_heads=H)
one("multi_head_causal", "MultiHeadAttention", rows(H, H), ms, num_heads=H, unidirectional=1)
one("multi_head_added", "MultiHeadAttention", rows(H, H) + [none] * 2 + [("m", F, [B, 1, S, S])], ms, num_heads=H)
one("multi_head_keys", "MultiHeadAttention", rows(H, H) + [none, ("m", T.INT32, [B, S])], ms, num_heads=H)
one("group_query", "GroupQueryAttention", rows(24, 12) + [none] * 2 + [("n", T.INT32, [B])], ms,
	known={"total": np.array(S, np.int32)}, num_heads=24, kv_num_heads=12)

# torch.nn.functional.scaled_dot_product_attention: the scale is a root of what a shape says, with an axis.
scale, low = np.array([D ** -.25], np.float16), np.array(-np.inf, np.float16)
by_products("root_of_a_shape", [h.make_node("Shape", ["q"], ["s"]), h.make_node("Slice", ["s", "three", "four"], ["d"]),
	h.make_node("Cast", ["d"], ["h"], to=F), h.make_node("Sqrt", ["h"], ["root"]),
	h.make_node("Cast", ["root"], ["wide"], to=T.FLOAT), h.make_node("Div", ["one", "wide"], ["quotient"]),
	h.make_node("Cast", ["quotient"], ["narrow"], to=F), h.make_node("Sqrt", ["narrow"], ["scale"])],
	known={"three": np.array([3]), "four": np.array([4]), "one": np.array([1], np.float32)})
# Causal masks that are kept as booleans or numbers of more positions than there are, or computed of ones.
triangle = np.tri(S + 7, S + 7, 0, bool).reshape(1, 1, S + 7, S + 7)
part = [h.make_node("Slice", ["kept", "from", "to", "axes"], ["part"])]
places = {"from": np.array([0, 0]), "to": np.array([S, S]), "axes": np.array([2, 3])}
hidden = [h.make_node("Equal", ["part", "zero"], ["hidden"]),
	h.make_node("Where", ["hidden", "low", "scores"], ["masked"])]
by_products("kept_booleans", mask=part + [h.make_node("Where", ["part", "scores", "low"], ["masked"])],
	known={"scale": scale, "kept": triangle, "low": low, **places})
by_products("kept_numbers", mask=part + hidden,
	known={"scale": scale, "kept": triangle.astype(np.float32), "low": low, "zero": np.array(0, np.float32), **places})
by_products("triangle_of_ones", mask=[h.make_node("ConstantOfShape", ["square"], ["ones"], value=nh.from_array(
	np.ones(1, np.float32))), h.make_node("Trilu", ["ones"], ["part"], upper=0)] + hidden,
	known={"scale": scale, "low": low, "zero": np.array(0, np.float32), "square": np.array([S, S])})


# Keys that count by a length for each batch.
def padded(name, s, d, behind=(), seen="seen"):
	by_products(name, mask=[h.make_node("Range", ["first", "end", "step"], ["t"]),
		h.make_node("Reshape", ["n", "rows"], ["lengths"]), h.make_node("Less", ["t", "lengths"], ["seen"]), *behind,
		h.make_node("Where", [seen, "scores", "low"], ["masked"])],
		known={"scale": np.array([d ** -.25], np.float16), "low": low, "first": np.array(0), "end": np.array(s),
			"step": np.array(1), "rows": np.array([16, 1, 1, 1]), **({"column": np.array([s, 1])} if behind else {})},
		inputs=[(x, F, [16, 16, s, d]) for x in "qkv"] + [("n", T.INT64, [16])])


padded("padded", 128, 64)
padded("padded_causal", 1024, 128, [h.make_node("Reshape", ["t", "column"], ["u"]),
	h.make_node("LessOrEqual", ["t", "u"], ["before"]), h.make_node("And", ["seen", "before"], ["both"])], "both")


# Queries, keys and values projected from one x, whose rows the keys then have under another name.
def projected(name, batch, bias, mask):
	nodes, known = [], {"split": np.array([batch, S, H, D])}
	for i, x in enumerate("qkv"):
		known["w" + x] = np.random.default_rng(i).normal(0, .25, (16, H * D)).astype(np.float16)
		nodes.append(h.make_node("MatMul", ["x", "w" + x], [x + "_sum"]))
		if bias:
			known["b" + x] = np.random.default_rng(i + 3).normal(0, .25, H * D).astype(np.float16)
			nodes.append(h.make_node("Add", [x + "_sum", "b" + x], [x + "_biased"]))
		nodes += [h.make_node("Reshape", [x + ("_biased" if bias else "_sum"), "split"], [x + "_split"]),
			h.make_node("Transpose", [x + "_split"], [x], perm=[0, 2, 3, 1] if x == "k" else [0, 2, 1, 3])]
	several(name, [*nodes, h.make_node("MatMul", ["q", "k"], ["scores"]),
		*[h.make_node("Add", ["scores", "m"], ["masked"])] * mask,
		h.make_node("Softmax", ["masked" if mask else "scores"], ["p"], axis=-1), h.make_node("MatMul", ["p", "v"], ["y"])],
		[("x", F, [batch, S, 16])] + [("m", F, [batch, 1, 1, S])] * mask, known)


projected("projected", 1, False, False)
projected("projected_biased", 2, True, False)
projected("projected_masked", 2, False, True)
projected("projected_biased_masked", 1, True, True)
