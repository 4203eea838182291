#!/usr/bin/env python3
"""The tests of the onnx package (onnx.backend.test) against looptree.onnx_backend: `make onnx-suite`.

Each test is a model with inputs and the outputs that are expected.  A model is converted, compiled and run; what it
gives is compared under the test's own tolerances.  A test passes, is refused with a sentence, or is wrong.  Inputs that
a model needs to know when it is read (shapes, axes, conditions: the refusal names them) are fixed, as `lt-run --fix`
does, and it is converted again.

--run-time makes the extents of inputs (of all axes, or of the one with that number) differ from run to run: those that
are equal are one symbolic dimension of 1 to 2 more than it is.  A model then passes or is refused; none may be wrong.
"""
import argparse
import collections
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

import looptree
from looptree.onnx_backend import prepare

# What these expect where the value is 0 is the rounding noise of NumPy's float32 transform, 1.9e-7: more than their own
# absolute tolerance, of numbers up to 49.5.
NOISE = {"test_dft_inverse": 1e-6, "test_dft_inverse_opset19": 1e-6}


def vary(model, values, axes):
	"""The model with extents of its inputs that differ from run to run, and what they may be."""
	varied, dims = onnx.ModelProto(), {}
	varied.CopyFrom(model)
	for i, data in zip(varied.graph.input, values):
		shape = i.type.tensor_type.shape.dim if i.type.HasField("tensor_type") else []
		for axis, d in enumerate(shape):
			if not isinstance(data, np.ndarray) or axis >= data.ndim or data.shape[axis] < 2:
				continue
			if axes == "all" or int(axes) in (axis, axis - len(shape)):
				d.dim_param = f"n{data.shape[axis]}"
				dims[d.dim_param] = f"1..{data.shape[axis] + 2}"
	return varied, dims


def difference(expected, got, rtol, atol):
	"""None, or in what they differ, as onnx.backend.test's runner compares."""
	if not isinstance(expected, np.ndarray):
		expected = np.asarray(expected)
	if expected.dtype != got.dtype:
		return f"type {got.dtype} instead of {expected.dtype}"
	if expected.shape != got.shape:
		return f"shape {got.shape} instead of {expected.shape}"
	if expected.dtype == ml_dtypes.bfloat16:
		rtol = max(rtol, 2**-6)
	if expected.dtype.type.__module__ == "ml_dtypes":
		expected, got = expected.astype(np.float32), got.astype(np.float32)
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


def try_case(test, backend, axes=None):
	model = test.model if test.model is not None else onnx.load(os.path.join(test.model_dir, "model.onnx"))
	for inputs, outputs in data_sets(test):
		varied, dims = (model, {}) if axes is None else vary(model, inputs, axes)
		try:
			got = prepare(varied, folder=test.model_dir, dims=dims, backend=backend, threads=1).run(inputs)
		except looptree.Error as e:
			return "refused", str(e)
		for info, want, have in zip(model.graph.output, outputs, got):
			what = difference(want, have, test.rtol, NOISE.get(test.name, test.atol))
			if what:
				return "wrong", f"{info.name}: {what}"
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
	a.add_argument("names", nargs="*", help="only tests whose names have one of these in them")
	a.add_argument("-b", "--backend", default="ref")
	a.add_argument("-k", "--kinds", default="node", help="node,simple,pytorch-converted,pytorch-operator")
	a.add_argument("-v", "--verbose", action="store_true", help="each test, and the whole of each refusal")
	a.add_argument("-o", "--output", help="a file that gets a line for each test")
	a.add_argument("--table", help="the page whose table is written, between its marks: docs/onnx.md")
	a.add_argument("--run-time", metavar="AXIS", help="extents that differ from run to run: of that axis, or all")
	a.add_argument("--part", help="1/4: the first fourth")
	a = a.parse_args()
	counts, reasons, wrong = collections.Counter(), collections.defaultdict(list), []
	tests = [t for kind in a.kinds.split(",") for t in load_model_tests(kind=kind)]
	tests = [t for t in tests if not a.names or any(n in t.name for n in a.names)]
	if a.part:
		i, n = map(int, a.part.split("/"))
		tests = tests[i - 1::n]
	lines, results, begin = [], [], time.time()
	for test in tests:
		if a.verbose:
			print(test.name, flush=True)
		result, text = try_case(test, a.backend, a.run_time)
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
