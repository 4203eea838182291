"""What make_cases.py and the other make_*.py write: cases of models with inputs and outputs,
as entries of an .npz file.

Entries of case NAME: "NAME/model" (the file's bytes), "NAME/in/INPUT", "NAME/fix/INPUT" (given when the model is read),
"NAME/dims" (options --dim, with line breaks between them), "NAME/out/OUTPUT"; "NAME/in/K/INPUT" and "NAME/out/K/OUTPUT"
of a run number K, 1 to 7, that follows; and for a model that is to be refused "NAME/error", a part of the sentence.
"""
import os

import ml_dtypes
import numpy as np
import onnx
from onnx import helper as h, numpy_helper as nh
from onnx.reference import ReferenceEvaluator

rng = np.random.default_rng(1)
cases, OPSET = {}, 21


def f(*shape):
	return rng.standard_normal(shape).astype(np.float32)


def i(*values):
	return np.array(values, np.int64)


def bytes_of(text):
	return np.frombuffer(text if isinstance(text, bytes) else text.encode(), np.uint8)


def held(x):
	"""What keeps a type that is stored: the number of integers, the bits of floats."""
	x = np.asarray(x)
	whole = {ml_dtypes.int4: np.int8, ml_dtypes.int2: np.int8, ml_dtypes.uint4: np.uint8, ml_dtypes.uint2: np.uint8}
	if x.dtype.type in whole:
		return x.astype(whole[x.dtype.type])
	return x.view(np.uint8) if x.dtype.name.startswith(("float8", "float4")) else x


def info(name, x, dims=None):
	return h.make_tensor_value_info(name, nh.from_array(x).data_type, dims if dims else x.shape)


def model(nodes, inputs, outputs, init=(), functions=(), opset=OPSET, symbols={}, domains=()):
	graph = h.make_graph(nodes, "g", [info(k, v, symbols.get(k)) for k, v in inputs.items()],
		[h.make_empty_tensor_value_info(o) for o in outputs], [nh.from_array(v, k) for k, v in dict(init).items()])
	sets = [h.make_opsetid("", opset)] + [h.make_opsetid(d, 1) for d in domains]
	return h.make_model(graph, opset_imports=sets, functions=list(functions), ir_version=10)


def expected(m, inputs, outputs):
	return dict(zip(outputs, ReferenceEvaluator(m).run(outputs, inputs)))


def add(name, m, inputs, fix=(), dims=(), out=None, error=None):
	assert not any(k.startswith(name + "/") for k in cases), name
	cases[name + "/model"] = bytes_of(m.SerializeToString() if not isinstance(m, bytes) else m)
	for k, v in inputs.items():
		cases[f"{name}/{'fix' if k in fix else 'in'}/{k}"] = np.ascontiguousarray(held(v))
	if dims:
		cases[name + "/dims"] = bytes_of("\n".join(dims))
	if error is not None:
		cases[name + "/error"] = bytes_of(error)
		return
	outputs = [o.name for o in m.graph.output]
	for k, v in (out or expected(m, inputs, outputs)).items():
		v = held(v)
		cases[f"{name}/out/{k}"] = v.reshape(v.shape) if v.flags.c_contiguous else v.copy()


def again(name, m, k, inputs, out=None):
	"""Run k of a case that was added."""
	for key, v in inputs.items():
		cases[f"{name}/in/{k}/{key}"] = np.ascontiguousarray(v)
	for key, v in (out or expected(m, inputs, [o.name for o in m.graph.output])).items():
		cases[f"{name}/out/{k}/{key}"] = np.ascontiguousarray(v).reshape(np.shape(v))


def one(name, op, *inputs, fix=(), n_out=1, opset=OPSET, out=None, error=None, **attributes):
	"""A case of one node; an input that is None is left out."""
	names = ["" if x is None else "abcdefghij"[k] for k, x in enumerate(inputs)]
	outputs = [f"y{k}" for k in range(n_out)]
	given = {n: x for n, x in zip(names, inputs) if n}
	m = model([h.make_node(op, names, outputs, **attributes)], given, outputs, opset=opset)
	add(name, m, given, fix=fix, out=out if out is None or isinstance(out, dict) else {"y0": out},
		error=error)


def save(name):
	path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
	np.savez_compressed(path, **cases)
	print(len([k for k in cases if k.endswith("/model")]), "cases", os.path.getsize(path), "bytes")


def corpus(names):
	"""Models that fuzzing begins with."""
	folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus", "onnx")
	os.makedirs(folder, exist_ok=True)
	for name in names:
		with open(os.path.join(folder, name), "wb") as out_file:
			out_file.write(cases[name + "/model"].tobytes())
