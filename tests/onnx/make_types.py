#!/usr/bin/env python3
"""Writes tests/onnx/types.npz: models of functions by series, of recurrent networks, of types that are stored, and of
quantised operators (casefile.py says what the file holds).  What is expected is computed here with NumPy.

    build/onnx-venv/bin/python tests/onnx/make_types.py        (make onnx-suite makes the environment)
"""
import numpy as np

from casefile import f, one, save

np.seterr(all="ignore")


# Functions by series
def function(op, numpy, *edges):
	x = np.concatenate([f(20), f(10) * 10, f(5) * 1e-3, np.array(edges, np.float32), [0, 1, -1, np.inf, -np.inf, np.nan]])
	for t in (np.float32, np.float64, np.float16):
		one(f"{op.lower()}_{t.__name__}", op, x.astype(t), out=numpy(x.astype(t).astype(np.float64)).astype(t))


for op, numpy, *edges in [("Asin", np.arcsin, .999999, 1e-30), ("Acos", np.arccos, .999999, -.5),
		("Atan", np.arctan, .999, 1e10, -1e30), ("Sinh", np.sinh, 89, -89, 300), ("Cosh", np.cosh, 89, -89, 300),
		("Asinh", np.arcsinh, .25, 1e12, -1e30), ("Acosh", np.arccosh, 1.000001, 1.1, 1e30), ("Atanh", np.arctanh, .25, .9999)]:
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


def recurrent(name, op, gates, step, functions, direction="forward", bias=False, lengths=None, state=False, peepholes=False,
		layout=0, clip=0., linear=0, couple=0, backward_functions=None, **attributes):
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
for k, (act, by) in enumerate([("Relu", lambda x: np.maximum(x, 0)), ("ThresholdedRelu", lambda x: np.where(x >= 1, x, 0)),
		("ScaledTanh", lambda x: 2 * np.tanh(.5 * x)), ("Elu", lambda x: np.where(x < 0, np.exp(x) - 1, x)),
		("Softplus", lambda x: np.log1p(np.exp(x)))]):
	scales = {"activation_alpha": [2.], "activation_beta": [.5]} if act == "ScaledTanh" else {}
	recurrent("rnn_" + act.lower(), "RNN", 1, rnn_step, [by], activations=[act], **scales)
recurrent("gru", "GRU", 3, gru_step, GRU, bias=True)
recurrent("gru_linear", "GRU", 3, gru_step, GRU, "bidirectional", bias=True, state=True, lengths=[3, 1], linear=1, layout=1)
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

save("types.npz")
