#!/usr/bin/env python3
"""Writes tests/onnx/microsoft.npz: operators of com.microsoft with what ONNX Runtime makes of them, on the CPU, or, of
forms that it has on other devices only, a formula; casefile.py says what a case is.

    build/onnx-venv/bin/pip install onnxruntime torch transformers onnxscript
    build/onnx-venv/bin/python tests/onnx/make_microsoft.py
"""
import os
import tempfile

import numpy as np
import onnx
import onnxruntime
import torch
import transformers
from onnx import helper as h
from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions

from casefile import add, again, f, i, model, save


def run(m, inputs, n_out):
	s = onnxruntime.SessionOptions()
	s.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
	session = onnxruntime.InferenceSession(m.SerializeToString(), s, providers=["CPUExecutionProvider"])
	return {k: v for k, v in zip([o.name for o in session.get_outputs()], session.run(None, inputs))}


def fused(name, op, *inputs, outputs=("y0",), out=None, error=None, domain="com.microsoft", opset=17, symbols=None,
		dims=(), other=None, **attributes):
	"""One node; an input that is None is left out.  symbols: names of dims by input; other: inputs of a second run."""
	names = ["" if x is None else "abcdefghijk"[k] for k, x in enumerate(inputs)]
	given = {n: x for n, x in zip(names, inputs) if n}
	m = model([h.make_node(op, names, list(outputs), domain=domain, **attributes)], given, [o for o in outputs if o],
		opset=opset, domains=["com.microsoft"], symbols=symbols or {})
	if error is not None:
		add(name, m, given, error=error)
		return
	add(name, m, given, dims=dims, out=out if out is not None else run(m, given, len(outputs)))
	if other:
		second = {n: x for n, x in zip(names, other) if n}
		again(name, m, 1, second, run(m, second, len(outputs)))


def i32(*values):
	return np.array(values, np.int32)


# Activations
fused("bias_gelu", "BiasGelu", f(2, 3, 8), f(8))
fused("fast_gelu", "FastGelu", f(2, 3, 8))
fused("fast_gelu_bias", "FastGelu", f(2, 3, 8), f(8))
fused("ms_gelu", "Gelu", f(3, 5))
fused("quick_gelu", "QuickGelu", f(3, 5))
fused("quick_gelu_alpha", "QuickGelu", f(3, 5), alpha=.5)

# Products
fused("fused_matmul", "FusedMatMul", f(2, 3, 4), f(2, 4, 5), alpha=.25)
for a, b in (0, 1), (1, 0), (1, 1):
	fused(f"fused_matmul_{a}{b}", "FusedMatMul", f(2, 4, 3) if a else f(2, 3, 4), f(2, 5, 4) if b else f(2, 4, 5),
		transA=a, transB=b)
fused("fused_matmul_batch", "FusedMatMul", f(3, 2, 4), f(4, 2, 5), transBatchA=1, transBatchB=1, alpha=2.)
fused("fused_matmul_batch_turned", "FusedMatMul", f(4, 2, 3), f(2, 4, 5), transBatchA=1, transA=1)
fused("transpose_matmul", "TransposeMatMul", f(4, 3), f(4, 5), transA=1)
for name, numbers in {"Relu": {}, "Tanh": {}, "Sigmoid": {}, "LeakyRelu": {"activation_alpha": .25},
		"HardSigmoid": {"activation_alpha": .3, "activation_beta": .4}}.items():
	fused("fused_gemm_" + name, "FusedGemm", f(3, 4), f(5, 4), f(5), activation=name, transB=1, alpha=.5, beta=2.,
		**numbers)
fused("fused_gemm_other", "FusedGemm", f(3, 4), f(4, 5), activation="Erf", error="attribute 'activation' is 'Erf'")

# Norms
four = ("y0", "y1", "y2", "y3")
x, skip, gamma, beta, bias = f(2, 3, 8), f(2, 3, 8), f(8), f(8), f(8)
total = x + skip + bias
mean, var = total.mean(-1, keepdims=True), total.var(-1, keepdims=True)
fused("skip_layer_norm", "SkipLayerNormalization", x, skip, gamma, beta, epsilon=1e-5)
# The CPU gives neither mean nor deviation.
fused("skip_layer_norm_all", "SkipLayerNormalization", x, skip, gamma, beta, bias, outputs=four, epsilon=1e-3,
	out={"y0": (total - mean) / np.sqrt(var + np.float32(1e-3)) * gamma + beta, "y1": mean,
		"y2": 1 / np.sqrt(var + np.float32(1e-3)), "y3": total})
fused("skip_layer_norm_sum", "SkipLayerNormalization", x, skip, gamma, beta, bias, outputs=("y0", "", "", "y3"))
fused("skip_layer_norm_row", "SkipLayerNormalization", x, f(3, 8), gamma)
fused("skip_layer_norm_one", "SkipLayerNormalization", x, f(1, 3, 8), gamma, beta)
fused("skip_rms_norm", "SkipSimplifiedLayerNormalization", x, skip, gamma, outputs=("y0", "", "", "y3"), epsilon=1e-6)
fused("skip_rms_norm_bias", "SkipSimplifiedLayerNormalization", x, skip, gamma, bias)
fused("layer_norm_early", "LayerNormalization", x, gamma, beta, domain="", opset=14, axis=-1, epsilon=1e-5)
fused("rms_norm_early", "SimplifiedLayerNormalization", x, gamma, domain="", opset=14, axis=-1, epsilon=1e-6)

# Words
ids, segments, words, places, kinds = np.array([[1, 4, 2], [0, 3, 3]], np.int32), np.array([[0, 1, 1], [0, 0, 1]],
	np.int32), f(5, 8), f(6, 8), f(2, 8)
mask = np.array([[1, 1, 0], [1, 1, 1]], np.int32)
three = ("y0", "y1", "y2")
fused("embed", "EmbedLayerNormalization", ids, segments, words, places, kinds, gamma, beta, mask, outputs=three)
fused("embed_plain", "EmbedLayerNormalization", ids, None, words, places, None, gamma, beta, outputs=("y0", "y1"),
	epsilon=1e-3)
fused("embed_places", "EmbedLayerNormalization", ids, segments, words, places, kinds, gamma, beta, None,
	np.array([[5, 0, 2], [1, 1, 4]], np.int32), outputs=("y0", "y1"))
fused("embed_run_time", "EmbedLayerNormalization", ids, segments, words, places, kinds, gamma, beta, mask,
	outputs=three, symbols={n: ["batch", "length"] for n in "abh"}, dims=["batch=1..3", "length=1..5"],
	other=(ids[:1, :2], segments[:1, :2], words, places, kinds, gamma, beta, mask[:1, :2]))
fused("embed_half", "EmbedLayerNormalization", ids, segments, words, places, None, gamma, beta,
	error="segments of words and their rows go together, and one is missing")

# Attention
x, w, b = f(2, 3, 8), f(8, 24) * np.float32(.5), f(24)
past = f(2, 2, 2, 2, 4)                 # of keys and values: batch, heads, 2 positions, elements
two = ("y0", "y1")
fused("ms_attention", "Attention", x, w, b, num_heads=2)
fused("ms_attention_no_bias", "Attention", x, w, num_heads=2, scale=.3)
fused("ms_attention_causal", "Attention", x, w, b, num_heads=2, unidirectional=1)
fused("ms_attention_lengths", "Attention", x, w, b, i32(2, 3), num_heads=2)
fused("ms_attention_ends", "Attention", x, w, b, i32(2, 3, 1, 0), num_heads=2)
fused("ms_attention_keys", "Attention", x, w, b, np.array([[1, 0, 1], [0, 0, 0]], np.int32), num_heads=2)
fused("ms_attention_keys_causal", "Attention", x, w, b, np.array([[0, 1, 1], [1, 1, 0]], np.int32), num_heads=2,
	unidirectional=1)
fused("ms_attention_filter", "Attention", x, w, b, np.array([[1, 0, 1], [1, 1, 0]], np.int32), num_heads=2,
	mask_filter_value=-1.5)
fused("ms_attention_queries", "Attention", x, w, b, (f(2, 3, 3) > 0).astype(np.int32), num_heads=2)
fused("ms_attention_added", "Attention", x, w, b, None, None, f(2, 2, 3, 3), num_heads=2)
fused("ms_attention_added_once", "Attention", x, w, b, None, None, f(1, 1, 3, 3), num_heads=2)
fused("ms_attention_widths", "Attention", x, f(8, 28), f(28), num_heads=2, qkv_hidden_sizes=[8, 8, 12])
fused("ms_attention_present", "Attention", x, w, b, outputs=two, num_heads=2, unidirectional=1)
fused("ms_attention_past", "Attention", x, w, b, None, past, outputs=two, num_heads=2, unidirectional=1)
fused("ms_attention_past_mask", "Attention", x, w, b, np.array([[1, 0, 1, 1, 1], [0, 1, 1, 1, 1]], np.int32), past,
	outputs=two, num_heads=2, unidirectional=1)
fused("ms_attention_past_lengths", "Attention", x, w, b, i32(4, 5), past, outputs=two, num_heads=2)


def attend(q, k, v, seen, added=0):
	scores = np.einsum("bhsd,bhtd->bhst", q, k) / np.float32(np.sqrt(q.shape[3]))
	scores = scores + np.where(seen, added, np.float32(-10000))
	e = np.exp(scores - scores.max(-1, keepdims=True))
	y = (e / e.sum(-1, keepdims=True)) @ v
	return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)


def heads(x, n=2):
	return x.reshape(x.shape[0], x.shape[1], n, -1).transpose(0, 2, 1, 3)


# The CPU does not have a past with something added, or the mask of all places.
places = (f(2, 1, 7, 7) > 0).astype(np.int32)
parts = [heads(p) for p in np.split(x @ w + b, 3, -1)]
keys, values = (np.concatenate([past[n], parts[1 + n]], 2) for n in (0, 1))
fused("ms_attention_places", "Attention", x, w, b, places, past, num_heads=2,
	out={"y0": attend(parts[0], keys, values, places[:, :, 2:5, :5] > 0)})
added = f(2, 1, 3, 5)
fused("ms_attention_past_added", "Attention", x, w, b, None, past, added, num_heads=2,
	out={"y0": attend(parts[0], keys, values, True, added)})
fused("ms_attention_run_time", "Attention", x, w, b, mask, num_heads=2, unidirectional=1,
	symbols={"a": ["batch", "length", 8], "d": ["batch", "length"]}, dims=["batch=1..3", "length=1..5"],
	other=(f(1, 5, 8), w, b, np.ones((1, 5), np.int32)))
fused("ms_attention_past_run_time", "Attention", x, w, b, np.ones((2, 5), np.int32), past, outputs=two, num_heads=2,
	unidirectional=1, symbols={"a": [2, "length", 8], "d": [2, "past + length"], "e": [2, 2, 2, "past", 4]},
	dims=["length=1..4", "past=0..6"],
	other=(f(2, 1, 8), w, b, np.array([[0, 1, 1, 1], [1, 1, 1, 1]], np.int32), f(2, 2, 2, 3, 4)))
fused("ms_attention_rotary", "Attention", x, w, b, num_heads=2, do_rotary=1, error="attribute 'do_rotary' is 1")
fused("ms_attention_shared", "Attention", x, w, b, None, past, None, i32(2), num_heads=2, past_present_share_buffer=1,
	error="input 6, the number of keys in a buffer that past and present share, is not supported")
fused("ms_attention_share", "Attention", x, w, b, None, past, num_heads=2, past_present_share_buffer=1,
	error="attribute 'past_present_share_buffer' is 1")
fused("ms_attention_packed_mask", "Attention", x, w, b, i32(*range(8)), num_heads=2,
	error="a mask of the shape [8] for a batch of 2")
fused("ms_attention_short_mask", "Attention", x, w, b, i32(1, 1, 1, 1).reshape(2, 2), num_heads=2,
	error="a mask of 2 keys, where there are 3")
fused("ms_attention_heads", "Attention", x, w, b, num_heads=3, error="3 heads of a value of the shape [2, 3, 8]")

q, k, v = f(2, 3, 8), f(2, 5, 8), f(2, 5, 12)
all_three = ("y0", "y1", "y2")
fused("multi_head", "MultiHeadAttention", q, k, v, num_heads=2)
fused("multi_head_bias", "MultiHeadAttention", q, k, v, f(28), num_heads=2, scale=.25)
fused("multi_head_keys", "MultiHeadAttention", q, k, v, None, np.array([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1]], np.int32),
	num_heads=2)
fused("multi_head_lengths", "MultiHeadAttention", q, k, v, None, i32(4, 2), num_heads=2,
	out={"y0": attend(heads(q), heads(k), heads(v), np.arange(5) < np.array([4, 2]).reshape(2, 1, 1, 1))})
fused("multi_head_queries", "MultiHeadAttention", q, k, v, None, (f(2, 3, 5) > 0).astype(np.int32), num_heads=2)
fused("multi_head_added", "MultiHeadAttention", q, k, v, None, None, f(1, 2, 3, 5), num_heads=2)
fused("multi_head_causal", "MultiHeadAttention", q, q, q, num_heads=2, unidirectional=1)
fused("multi_head_past", "MultiHeadAttention", q, q, q, None, None, None, f(2, 2, 4, 4), f(2, 2, 4, 4),
	outputs=all_three, num_heads=2, unidirectional=1)
fused("multi_head_present", "MultiHeadAttention", q, q, q, f(24), outputs=all_three, num_heads=2)
fused("multi_head_across", "MultiHeadAttention", q, f(2, 2, 5, 4), f(2, 2, 5, 4), num_heads=2)
three_in_one, two_in_one = f(2, 3, 2, 3, 4), f(2, 5, 2, 2, 4)
fused("multi_head_packed", "MultiHeadAttention", three_in_one, num_heads=2,
	out={"y0": attend(*(three_in_one[:, :, :, n].transpose(0, 2, 1, 3) for n in range(3)), True)})
fused("multi_head_pair", "MultiHeadAttention", q, two_in_one, num_heads=2,
	out={"y0": attend(heads(q), *(two_in_one[:, :, :, n].transpose(0, 2, 1, 3) for n in range(2)), True)})
fused("multi_head_alone", "MultiHeadAttention", q, num_heads=2,
	error="query, key and value are neither given each nor packed")
fused("multi_head_shared", "MultiHeadAttention", q, q, q, None, None, None, f(2, 2, 4, 4), f(2, 2, 4, 4), i32(4),
	num_heads=2, error="input 8, the number of keys in a buffer that past and present share, is not supported")

# A BERT and a GPT-2, exported and optimized.  The exporter writes a file that the optimizer reads.
def optimized(name, net, kind, heads, inputs, outputs, runs):
	with tempfile.TemporaryDirectory() as folder:
		path, best = os.path.join(folder, "a.onnx"), os.path.join(folder, "b.onnx")
		torch.onnx.export(net, tuple(torch.from_numpy(x) for x in runs[0].values()), path, input_names=list(inputs),
			output_names=outputs, opset_version=17, dynamo=False,
			dynamic_axes={n: dict(enumerate(d)) for n, d in inputs.items()})
		made = optimizer.optimize_model(path, model_type=kind, num_heads=heads, hidden_size=16, opt_level=0,
			optimization_options=options(kind, name.endswith("heads")))
		made.save_model_to_file(best)
		m = onnx.load(best)
	ops = {n.op_type for n in m.graph.node if n.domain == "com.microsoft"}
	print(name, *sorted(ops))
	add(name, m, runs[0], dims=["batch=1..3", "length=1..8"], out=run(m, runs[0], len(outputs)))
	again(name, m, 1, runs[1], run(m, runs[1], len(outputs)))


def options(kind, apart):
	o = FusionOptions(kind)
	o.use_multi_head_attention = apart
	return o


class Bert(torch.nn.Module):
	def __init__(self):
		super().__init__()
		self.net = transformers.BertModel(transformers.BertConfig(hidden_size=16, num_attention_heads=2, num_hidden_layers=2,
			intermediate_size=24, vocab_size=20, max_position_embeddings=12, attn_implementation="eager"))

	def forward(self, ids, mask, kinds):
		y = self.net(input_ids=ids, attention_mask=mask, token_type_ids=kinds)
		return y.last_hidden_state, y.pooler_output


class Gpt2(torch.nn.Module):
	def __init__(self):
		super().__init__()
		self.net = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_embd=16, n_head=2, n_layer=2, n_positions=12,
			vocab_size=20, attn_implementation="eager"))

	def forward(self, ids, mask):
		return self.net(input_ids=ids, attention_mask=mask, use_cache=False).logits


torch.manual_seed(1)
rng = np.random.default_rng(2)
shape = ["batch", "length"]
given = [{"ids": rng.integers(0, 20, n),
	"mask": (np.arange(n[1]) < np.arange(n[1], n[1] - n[0], -1)[:, None]).astype(np.int64),
	"kinds": rng.integers(0, 2, n)} for n in ((2, 5), (3, 8))]
bert = Bert().eval()
for name in "bert_optimized", "bert_optimized_heads":
	optimized(name, bert, "bert", 2, {n: shape for n in given[0]}, ["last", "pooled"], given)
optimized("gpt2_optimized", Gpt2().eval(), "gpt2", 2, {n: shape for n in ("ids", "mask")}, ["logits"],
	[{"ids": g["ids"], "mask": np.ones_like(g["mask"])} for g in given])

save("microsoft.npz")
