#!/usr/bin/env python3
"""Writes tests/onnx/attention/NAME.onnx: ONNX's operators of attention, of sizes that cuDNN takes by default; each is
one node without weights.  tests/cudnn/test_cudnn_onnx.c reads them.

    build/onnx-venv/bin/python tests/onnx/make_attention.py
"""
import os

import numpy as np
import onnx
from onnx import TensorProto as T, helper as h, numpy_helper as nh

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "attention")
F, B, H, S, D = T.FLOAT16, 1, 12, 128, 32


def one(name, op, inputs, domain="", outputs=("y",), known={}, **attributes):
	"""inputs: (name, type, shape), a name that is empty is left out; known: contents that are in the model."""
	names = [n for n, *_ in inputs] + list(known)
	graph = h.make_graph([h.make_node(op, names, outputs, domain=domain, **attributes)], name,
		[h.make_tensor_value_info(*x) for x in inputs if x[0]], [h.make_empty_tensor_value_info(o) for o in outputs],
		[nh.from_array(v, k) for k, v in known.items()])
	m = h.make_model(graph, opset_imports=[h.make_opsetid("", 24), h.make_opsetid("com.microsoft", 1)], ir_version=10)
	onnx.save(m, os.path.join(FOLDER, name + ".onnx"))


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
