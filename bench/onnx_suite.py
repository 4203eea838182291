#!/usr/bin/env python3
"""The tests of the onnx package (onnx.backend.test) against liblooptree.so, in this process: `make onnx-suite`.

Each test is a model with inputs and the outputs that are expected.  A model is converted, compiled and run; what it
gives is compared under the test's own tolerances.  A test passes, is refused with a sentence, or is wrong.  Inputs that
a model needs to know when it is read (shapes, axes, conditions: the refusal names them) are fixed, as `lt-run --fix`
does, and it is converted again.

--run-time makes the extents of inputs (of all axes, or of the one with that number) differ from run to run: those that
are equal are one symbolic dimension of 1 to 2 more than it is.  A model then passes or is refused; none may be wrong.
"""
import argparse
import collections
import ctypes as C
import faulthandler
import os
import re
import sys
import time
import warnings

warnings.simplefilter("ignore")
import ml_dtypes
import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests

DTYPES = [None, np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int8, np.uint8, np.int16, np.int32,
	np.int64, np.bool_, np.uint16, np.uint32, np.uint64]        # by enum lt_dtype
# Types that the library keeps, and what it keeps them in: the number of integers, the bits of floats.
STORED = {np.dtype(t): np.dtype(kept) for t, kept in [(ml_dtypes.int4, np.int8), (ml_dtypes.uint4, np.uint8),
	(ml_dtypes.int2, np.int8), (ml_dtypes.uint2, np.uint8), (ml_dtypes.float8_e4m3fn, None),
	(ml_dtypes.float8_e4m3fnuz, None), (ml_dtypes.float8_e5m2, None), (ml_dtypes.float8_e5m2fnuz, None),
	(ml_dtypes.float4_e2m1fn, None), (ml_dtypes.float8_e8m0fnu, None)] for kept in [kept or np.uint8]}
CODES = {np.dtype(t): i for i, t in enumerate(DTYPES) if t is not None}
INPUT, CONSTANT, STATE, RESULT = range(4)
# What these expect where the value is 0 is the rounding noise of NumPy's float32 transform, 1.9e-7: more than their own
# absolute tolerance, of numbers up to 49.5.
NOISE = {"test_dft_inverse": 1e-6, "test_dft_inverse_opset19": 1e-6}


def kept(x):
	"""What the library is given for a value."""
	if not isinstance(x, np.ndarray) or x.dtype not in STORED:
		return x
	whole = x.dtype in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2)
	return x.astype(STORED[x.dtype]) if whole else x.view(np.uint8)


class Fixed(C.Structure):
	_fields_ = [("name", C.c_char_p), ("dtype", C.c_int), ("rank", C.c_int32), ("shape", C.POINTER(C.c_int64)),
		("data", C.c_void_p)]


class ParseOptions(C.Structure):
	_fields_ = [("size", C.c_uint32), ("dim", C.POINTER(C.c_char_p)), ("n_dim", C.c_uint32),
		("fixed", C.POINTER(Fixed)), ("n_fixed", C.c_uint32), ("folder", C.c_char_p)]


class Options(C.Structure):     # the first members of struct lt_options
	_fields_ = [("size", C.c_uint32), ("n_thread", C.c_uint32), ("backends", C.c_char_p), ("strict", C.c_uint32),
		("no_passes", C.c_uint32), ("cc", C.c_char_p), ("cache_dir", C.c_char_p), ("progress", C.c_void_p),
		("user", C.c_void_p), ("schedule", C.c_void_p), ("schedule_bytes", C.c_size_t), ("rest", C.c_void_p)]


class Refused(Exception):
	pass


class Library:
	def __init__(self, path):
		self.so = so = C.CDLL(os.path.abspath(path))
		P = C.c_void_p
		for name, result, args in [
			("lt_context_message", C.c_char_p, [P]), ("lt_program_name", C.c_char_p, [P, C.c_int, C.c_int32]),
			("lt_instance_message", C.c_char_p, [P]), ("lt_program_bytes", C.c_size_t, [P, C.c_int, C.c_int32]),
			("lt_program_extent", C.c_int64, [P, C.c_int, C.c_int32, C.c_int32]),
			("lt_context_new", C.c_int, [P]), ("lt_context_free", None, [P]),
			("lt_parse_with", C.c_int, [P, C.c_char_p, C.c_size_t, C.c_char_p, C.c_char_p, P, P]),
			("lt_compile", C.c_int, [P, P, P, P]), ("lt_graph_free", None, [P]), ("lt_program_free", None, [P]),
			("lt_instance_new", C.c_int, [P, P]), ("lt_instance_free", None, [P]),
			("lt_instance_run", C.c_int, [P, P, P]), ("lt_program_count", C.c_int32, [P, C.c_int]),
			("lt_program_dtype", C.c_int, [P, C.c_int, C.c_int32]),
			("lt_program_rank", C.c_int32, [P, C.c_int, C.c_int32]),
			("lt_instance_extent", C.c_int64, [P, C.c_int32, C.c_int32]),
		]:
			f = getattr(so, name)
			f.restype, f.argtypes = result, args


class Case:
	"""One model, converted for the inputs of one test."""

	def __init__(self, library, model, folder, inputs, backend, axes=None):
		self.so, self.backend = library.so, backend
		self.folder, self.fixed = folder, {}
		self.names = [i.name for i in model.graph.input]
		self.inputs = dict(zip(self.names, map(kept, inputs)))
		self.extents = {}               # of symbolic dimensions that differ from run to run
		if axes is not None:
			model = self.vary(model, axes)
		self.text = model.SerializeToString()
		self.dims = self.symbolic(model.graph)
		self.outputs = [o.name for o in model.graph.output]
		self.ctx, self.graph, self.program, self.instance = (C.c_void_p() for _ in range(4))

	def vary(self, model, axes):
		varied = onnx.ModelProto()
		varied.CopyFrom(model)
		for i in varied.graph.input:
			data = self.inputs.get(i.name)
			shape = i.type.tensor_type.shape.dim if i.type.HasField("tensor_type") else []
			for axis, d in enumerate(shape):
				if not isinstance(data, np.ndarray) or axis >= data.ndim or data.shape[axis] < 2:
					continue
				if axes == "all" or int(axes) in (axis, axis - len(shape)):
					d.dim_param = f"n{data.shape[axis]}"
					self.extents[d.dim_param] = data.shape[axis]
		return varied

	def symbolic(self, graph):
		out = [f"{name}=1..{n + 2}" for name, n in self.extents.items()]
		for i in graph.input:
			data = self.inputs.get(i.name)
			shape = i.type.tensor_type.shape.dim if i.type.HasField("tensor_type") else []
			for axis, d in enumerate(shape):
				if isinstance(data, np.ndarray) and not d.HasField("dim_value") and axis < data.ndim:
					name = d.dim_param or f"{i.name}.{axis}"
					if name not in self.extents:
						out.append(f"{name}={data.shape[axis]}")
		return list(dict.fromkeys(out))

	def parse(self):
		dims = (C.c_char_p * (len(self.dims) + 1))(*[d.encode() for d in self.dims])
		keep, fixed = [], (Fixed * (len(self.fixed) + 1))()
		for k, (name, data) in enumerate(self.fixed.items()):
			data = np.ascontiguousarray(data)
			shape = (C.c_int64 * (data.ndim + 1))(*self.inputs[name].shape)
			keep += [data, shape]
			fixed[k] = Fixed(name.encode(), CODES[data.dtype], self.inputs[name].ndim, shape, data.ctypes.data)
		options = ParseOptions(C.sizeof(ParseOptions), dims, len(self.dims), fixed, len(self.fixed),
			self.folder.encode() if self.folder else None)
		return self.so.lt_parse_with(self.ctx, self.text, len(self.text), b"model", b"onnx", C.byref(options),
			C.byref(self.graph))

	def message(self):
		return self.so.lt_context_message(self.ctx).decode(errors="replace")

	def convert(self):
		if self.so.lt_context_new(C.byref(self.ctx)):
			raise MemoryError
		while self.parse():
			text = self.message()
			named = {n for line in text.splitlines() for found in re.findall(r"it depends on ((?:'[^']*'(?:, )?)+)", line)
				for n in re.findall(r"'([^']*)'", found)}
			named |= {n for n in re.findall(r"input '([^']*)': its rank is not said", text)}
			new = {n for n in named if n in self.inputs and n not in self.fixed}
			unused = set(re.findall(r"no symbolic dimension of --dim ([^\s;]+)", text))
			if unused and self.extents:             # of inputs that are fixed
				self.dims = [d for d in self.dims if d not in unused]
				if not new:
					continue
			new = {n for n in new if isinstance(self.inputs[n], np.ndarray) and self.inputs[n].dtype in CODES}
			if not new:
				raise Refused(text)
			self.fixed.update({n: self.inputs[n] for n in new})

	def run(self):
		self.convert()
		options = Options(C.sizeof(Options), 1, self.backend.encode())
		if self.so.lt_compile(self.ctx, self.graph, C.byref(options), C.byref(self.program)):
			raise Refused("compile: " + self.message())
		status = self.so.lt_instance_new(self.program, C.byref(self.instance))
		if status:
			raise Refused("instance: " + self.so.lt_instance_message(self.instance).decode())
		return self.evaluate()

	def evaluate(self):
		so, p = self.so, self.program
		n = so.lt_program_count(p, INPUT)
		given, keep = (C.c_void_p * (n + 1))(), []
		for i in range(n):
			name = so.lt_program_name(p, INPUT, i).decode()
			data = np.ascontiguousarray(self.inputs.get(name))
			if name in self.extents:
				data = np.asarray(self.extents[name], np.int64)
			elif self.extents and so.lt_program_rank(p, INPUT, i):  # room for the most
				room = np.zeros([so.lt_program_extent(p, INPUT, i, a) for a in range(data.ndim)], data.dtype)
				room[tuple(map(slice, data.shape))] = data
				data = room
			if data.nbytes != so.lt_program_bytes(p, INPUT, i):
				raise Refused(f"input {so.lt_program_name(p, INPUT, i)} does not have the model's shape")
			keep.append(data)
			given[i] = data.ctypes.data
		m, results = so.lt_program_count(p, RESULT), {}
		taken = (C.c_void_p * (m + 1))()
		for i in range(m):
			shape = [so.lt_program_extent(p, RESULT, i, a) for a in range(so.lt_program_rank(p, RESULT, i))]
			out = np.empty(shape, DTYPES[so.lt_program_dtype(p, RESULT, i)])
			results[so.lt_program_name(p, RESULT, i).decode()] = out
			taken[i] = out.ctypes.data
		if so.lt_instance_run(self.instance, given, taken):
			raise Refused("run: " + so.lt_instance_message(self.instance).decode())
		for i in range(m):      # a result whose extents are bounded fills a part of its room
			name = so.lt_program_name(p, RESULT, i).decode()
			extents = [so.lt_instance_extent(self.instance, i, a) for a in range(results[name].ndim)]
			results[name] = results[name][tuple(slice(n) for n in extents)]
		return [results[name] for name in self.outputs]

	def close(self):
		so = self.so
		so.lt_instance_free(self.instance)
		so.lt_program_free(self.program)
		so.lt_graph_free(self.graph)
		so.lt_context_free(self.ctx)


def difference(expected, got, rtol, atol):
	"""None, or in what they differ, as onnx.backend.test's runner compares."""
	if not isinstance(expected, np.ndarray):
		expected = np.asarray(expected)
	if expected.dtype in STORED and got.dtype == STORED[expected.dtype]:
		same = expected.dtype
		got = got.astype(same) if got.dtype == np.int8 or same.name.startswith("uint") else got.view(same)
		expected, got = expected.astype(np.float32), got.astype(np.float32)
	if expected.dtype != got.dtype:
		return f"type {got.dtype} instead of {expected.dtype}"
	if expected.shape != got.shape:
		return f"shape {got.shape} instead of {expected.shape}"
	if expected.dtype == ml_dtypes.bfloat16:
		expected, got = expected.astype(np.float32), got.astype(np.float32)
		rtol = max(rtol, 2**-6)
	try:
		if expected.dtype.kind in "fc":
			np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)
		else:
			np.testing.assert_array_equal(got, expected)
	except AssertionError as e:
		return " ".join(str(e).split())[:300]
	return None


def array(x):
	return numpy_helper.to_array(x) if isinstance(x, onnx.TensorProto) else np.asarray(x) if np.isscalar(x) else x


def data_sets(test):
	if test.data_sets is not None:
		return [([array(x) for x in i], [array(x) for x in o]) for i, o in test.data_sets]
	sets = []
	for name in sorted(os.listdir(test.model_dir)):
		folder = os.path.join(test.model_dir, name)
		if not name.startswith("test_data_set"):
			continue

		def tensors(kind):
			out = []
			while os.path.exists(os.path.join(folder, f"{kind}_{len(out)}.pb")):
				with open(os.path.join(folder, f"{kind}_{len(out)}.pb"), "rb") as f:
					text = f.read()
				try:
					t = onnx.TensorProto()
					t.ParseFromString(text)
					out.append(numpy_helper.to_array(t))
				except Exception:
					out.append(None)
			return out
		sets.append((tensors("input"), tensors("output")))
	return sets


def try_case(library, test, backend, axes=None):
	model = test.model if test.model is not None else onnx.load(os.path.join(test.model_dir, "model.onnx"))
	for inputs, outputs in data_sets(test):
		case = Case(library, model, test.model_dir, inputs, backend, axes)
		try:
			got = case.run()
			for name, want, have in zip(case.outputs, outputs, got):
				what = difference(want, have, test.rtol, NOISE.get(test.name, test.atol))
				if what:
					return "wrong", f"{name}: {what}"
		except Refused as e:
			return "refused", str(e)
		finally:
			case.close()
	return "pass", ""


def reason(text):
	"""The first problem of a refusal, without the names that differ from case to case."""
	lines = [line.strip() for line in text.splitlines()]
	line = lines[1] if len(lines) > 1 and "cannot be converted" in lines[0] else lines[0] if lines else ""
	line = re.sub(r"^node (?:of )?'[^']*' \((\w+)\): ", r"\1: ", line)
	line = re.sub(r"^(input|output|initializer) '[^']*': ", r"\1: ", line)
	return re.sub(r"'[^']*'", "'..'", line)[:150]


def label(test):
	"""What a test is of: its operator, or several."""
	if "_expanded" in test.name:
		return "functions of the standard, expanded"
	model = test.model if test.model is not None else onnx.load(os.path.join(test.model_dir, "model.onnx"))
	names = {n.op_type for n in model.graph.node}
	return names.pop() if len(names) == 1 else next((n for n in ("FlexAttention", "Loop", "Scan", "If", "SequenceMap")
		if n in names), "several operators")


def write_table(path, results):
	"""The table of a page, between its marks."""
	rows, whole = collections.defaultdict(lambda: [0, 0, 0, collections.Counter()]), []
	for name, result, text in results:
		row = rows[name]
		row[("pass", "refused", "wrong").index(result)] += 1
		if result == "refused":
			row[3][re.sub(r"^(\w+): (operator \1 )?", "", reason(text))] += 1
	counts = [sum(r[k] for r in rows.values()) for k in range(3)]
	lines = ["| operator | pass | refused | wrong | why refused |", "| --- | --: | --: | --: | --- |"]
	for name in sorted(rows):
		passed, refused, wrong, why = rows[name]
		if not refused and not wrong:
			whole.append(f"{name} ({passed})")
			continue
		words = "; ".join(f"{w} ({n})" if len(why) > 1 else w for w, n in why.most_common(6))
		lines.append(f"| {name} | {passed} | {refused} | {wrong} | {words.replace('|', '/')} |")
	lines.append(f"| all | {counts[0]} | {counts[1]} | {counts[2]} | |")
	import textwrap
	said = textwrap.fill("Operators whose tests all pass, with how many there are: " + ", ".join(whole) + ".", 118,
		break_long_words=False)
	with open(path) as f:
		page = f.read()
	begin, end = page.index("<!-- suite -->"), page.index("<!-- end -->")
	page = page[:begin] + "<!-- suite -->\n" + said + "\n\n" + "\n".join(lines) + "\n" + page[end:]
	with open(path, "w") as f:
		f.write(page)


def main():
	faulthandler.enable()
	a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
	a.add_argument("library")
	a.add_argument("names", nargs="*", help="only tests whose names have one of these in them")
	a.add_argument("-b", "--backend", default="ref")
	a.add_argument("-k", "--kinds", default="node", help="node,simple,pytorch-converted,pytorch-operator")
	a.add_argument("-v", "--verbose", action="store_true", help="each test, and the whole of each refusal")
	a.add_argument("-o", "--output", help="a file that gets a line for each test")
	a.add_argument("--table", help="the page whose table is written, between its marks: docs/onnx.md")
	a.add_argument("--run-time", metavar="AXIS", help="extents that differ from run to run: of that axis, or all")
	a.add_argument("--part", help="1/4: the first fourth")
	a = a.parse_args()
	library, counts, reasons, wrong = Library(a.library), collections.Counter(), collections.defaultdict(list), []
	tests = [t for kind in a.kinds.split(",") for t in load_model_tests(kind=kind)]
	tests = [t for t in tests if not a.names or any(n in t.name for n in a.names)]
	if a.part:
		i, n = map(int, a.part.split("/"))
		tests = tests[i - 1::n]
	lines, results, begin = [], [], time.time()
	for test in tests:
		if a.verbose:
			print(test.name, flush=True)
		result, text = try_case(library, test, a.backend, a.run_time)
		counts[result] += 1
		results.append((label(test), result, text))
		lines.append(f"{result} {test.name} {' '.join(text.split())}")
		if result == "refused":
			reasons[reason(text)].append(test.name)
		if result == "wrong":
			wrong.append(f"{test.name}: {text}")
		if a.verbose:
			print("  " + result, text, flush=True)
	for line, names in sorted(reasons.items(), key=lambda x: len(x[1])):
		print(f"{len(names):4} refused: {line}   ({names[0]}{', ...' if len(names) > 1 else ''})")
	for line in wrong:
		print("WRONG", line)
	if a.table:
		write_table(a.table, results)
	if a.output:
		with open(a.output, "w") as f:
			f.write("\n".join(lines) + "\n")
	print(f"{len(tests)} tests in {time.time() - begin:.0f} s: {counts['pass']} pass, {counts['refused']} refused, "
		f"{counts['wrong']} wrong")
	return 1 if counts["wrong"] else 0


if __name__ == "__main__":
	sys.exit(main())
