#!/usr/bin/env python3
"""Writes tests/onnx/group_query.npz: com.microsoft's GroupQueryAttention with what ONNX Runtime makes of it, on the
CPU; casefile.py says what a case is.

    build/onnx-venv/bin/pip install onnxruntime
    build/onnx-venv/bin/python tests/onnx/make_group_query.py
"""
import numpy as np
import onnxruntime
from onnx import helper as h

from casefile import add, f, model, save

NAMES = ["query", "key", "value", "past_key", "past_value", "lengths", "total", "cos", "sin", "places", "added", "sink"]
ALL = "y", "keys", "values"


def case(name, *inputs, error=None, outputs=("y",), **attributes):
	"""One node; an input that is None is left out.  How many positions there are is given when the model is read."""
	names = ["" if x is None else NAMES[k] for k, x in enumerate(inputs)]
	given = {n: x for n, x in zip(names, inputs) if n}
	def made(outputs):
		node = h.make_node("GroupQueryAttention", names, list(outputs), domain="com.microsoft", **attributes)
		return model([node], given, outputs, opset=17, domains=["com.microsoft"])
	m = made(outputs)
	if error is not None:
		add(name, m, given, fix=["total"], error=error)
		return
	# Where nobody asks for the present, ONNX Runtime 1.32 does not read the past.
	session = onnxruntime.InferenceSession(made(ALL).SerializeToString(), providers=["CPUExecutionProvider"])
	out = dict(zip(outputs, session.run(list(outputs), given)))
	add(name, m, given, fix=["total"], out=out)


def lengths(*n):
	return np.array(n, np.int32) - 1


def total(n):
	return np.array(n, np.int32)


def turns(n, half):
	angle = np.arange(n)[:, None] / 100.0 ** (np.arange(half) / half)
	return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


D = 16
q, k, v = f(2, 3, 4 * D), f(2, 3, 2 * D), f(2, 3, 2 * D)
few = dict(num_heads=4, kv_num_heads=2)
case("prompt", q, k, v, None, None, lengths(3, 3), total(3), outputs=ALL, **few)
case("prompt_scale", q, k, v, None, None, lengths(3, 3), total(3), scale=.5, softcap=2., **few)
case("prompt_window", q, k, v, None, None, lengths(3, 3), total(3), local_window_size=2, **few)
case("prompt_all_heads", q, q, q, None, None, lengths(3, 3), total(3), num_heads=4, kv_num_heads=4)
case("prompt_packed", np.concatenate([q, k, v], 2), None, None, None, None, lengths(3, 3), total(3), **few)
case("prompt_rotary", q, k, v, None, None, lengths(3, 3), total(3), *turns(9, D // 2), do_rotary=1, **few)
case("prompt_paired", q, k, v, None, None, lengths(3, 3), total(3), *turns(9, D // 2), do_rotary=1,
	rotary_interleaved=1, **few)
case("prompt_places", q, k, v, None, None, lengths(3, 3), total(3), *turns(20, D // 2),
	np.array([[3, 1, 4], [9, 2, 6]], np.int64), error="input 9, positions, is not supported", do_rotary=1, **few)
case("prompt_added", q, k, v, None, None, lengths(3, 3), total(3), None, None, None, f(1, 4, 3, 3), **few)
past = f(2, 2, 4, D), f(2, 2, 4, D)
one = [x[:, :1] for x in (q, k, v)]
case("step", *one, *past, lengths(5, 5), total(5), outputs=ALL, **few)
case("step_rotary", *one, *past, lengths(5, 5), total(5), *turns(9, D // 2), do_rotary=1, **few)
case("step_window", *one, *past, lengths(5, 5), total(5), local_window_size=3, **few)
case("step_added", *one, *past, lengths(5, 5), total(5), None, None, None, f(2, 1, 1, 5), **few)
# What is behind the end of a shorter one of the batch is nobody's: the result alone is compared.
case("step_lengths", *one, *past, lengths(5, 2), total(5), *turns(9, D // 2), do_rotary=1, **few)
alone = [x[:1] for x in (q, k, v)]
case("several", *alone, *(x[:1] for x in past), lengths(7), total(7), outputs=ALL, **few)
case("several_rotary", *alone, *(x[:1] for x in past), lengths(7), total(7), *turns(12, D // 2), do_rotary=1, **few)
# A buffer for more positions than there are.
room = f(2, 2, 6, D), f(2, 2, 6, D)
case("buffer_first", q, k, v, *room, lengths(3, 3), total(3), **few)
case("buffer_step", *one, *room, lengths(4, 2), total(4), **few)
case("several_two", q, k, v, *past, lengths(7, 7), total(7), error="3 queries, a past of 4 positions and 7 in all: "
	"several queries stand behind the past of a batch of 1, or are the first of a buffer", **few)
case("no_value", q, k, None, None, None, lengths(3, 3), total(3), error="with keys and values or without both", **few)
case("smooth", q, k, v, None, None, lengths(3, 3), total(3), error="attribute 'smooth_softmax' is not 0",
	smooth_softmax=1, **few)
case("sink", q, k, v, None, None, lengths(3, 3), total(3), None, None, None, None, f(4),
	error="input 11 is not supported", **few)
# Less of the past than there is; several in a buffer.
case("several_less", *alone, *(x[:1] for x in past), lengths(5), total(7), *turns(12, D // 2), do_rotary=1, **few)
case("several_least", *alone, *(x[:1] for x in past), lengths(3), total(7), local_window_size=2, **few)
case("one_less", *(x[:1] for x in one), *(x[:1] for x in past), lengths(2), total(5), **few)
case("buffer_several", *alone, *(x[:1] for x in room), lengths(5), total(6), **few)

# What is added is for the positions in all, not for those that a buffer has room for.
buffer = *one, *room, lengths(4, 2), total(4), None, None, None
case("buffer_added", *buffer, f(1, 1, 1, 4), **few)
case("buffer_window_added", *buffer, f(2, 4, 1, 4), local_window_size=2, **few)
case("buffer_several_added", *alone, *(x[:1] for x in room), lengths(5), total(5), None, None, None, f(1, 1, 3, 5),
	**few)
case("buffer_first_added", q, k, v, *room, lengths(3, 3), total(3), None, None, None, f(1, 1, 3, 3), **few)
case("buffer_all_added", *buffer, f(1, 1, 1, 6), error="input 10, attention_bias, is [1, 1, 1, 6]: "
	"[2, 4, 1, 4] is expected, the batch or 1, the heads or 1, the queries and the positions in all", **few)
for name, added in ("key", f(1, 1, 3, 1)), ("query", f(1, 1, 1, 3)), ("heads", f(1, 2, 3, 3)), ("rank", f(3, 3)):
	case("added_" + name, q, k, v, None, None, lengths(3, 3), total(3), None, None, None, added,
		error=f"is {list(added.shape)}: [2, 4, 3, 3] is expected", **few)
case("window_negative", q, k, v, None, None, lengths(3, 3), total(3), local_window_size=-5, **few)
case("window_zero", q, k, v, None, None, lengths(3, 3), total(3), error="attribute 'local_window_size' is 0, with "
	"which no query sees a key: -1 is for no window", local_window_size=0, **few)
case("lengths_column", *one, *room, lengths(4, 2).reshape(2, 1), total(4), **few)
case("lengths_row", *one, *room, lengths(4, 2).reshape(1, 2, 1), total(4), **few)
for name, few_lengths, shape in ("one", lengths(4), "[1]"), ("none", np.array(3, np.int32), "[]"):
	case("lengths_" + name, *one, *room, few_lengths, total(4), error=f"input 5, seqlens_k, is {shape}: [2], one for each "
		"of the batch, is expected", **few)

save("group_query.npz")
