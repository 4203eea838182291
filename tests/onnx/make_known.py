#!/usr/bin/env python3
"""Writes tests/onnx/known.npz: what a model's contents say in a shorter way: floats of one element, and masks that are
triangles (casefile.py says what the file holds).

    build/onnx-venv/bin/python tests/onnx/make_known.py        (make onnx-suite makes the environment)
"""
import numpy as np
from onnx import helper as h

from casefile import add, f, model, save


def chosen(name, mask, nodes=(), mask_name="mask"):
	"""Where of a mask in the model, which nodes may compute of what is called mask."""
	x, y = f(2, *np.shape(mask)[-2:]), f(1)
	last = h.make_node("Where", [mask_name, "x", "y"], ["out"])
	add(name, model([*nodes, last], {"x": x, "y": y}, ["out"], {"mask": mask}), {"x": x, "y": y})


for rows, columns, by in [(5, 5, 0), (5, 5, 1), (5, 5, -1), (3, 7, 4), (3, 7, 0), (7, 3, 0), (7, 3, -4), (4, 4, -3),
		(4, 4, 2), (4, 4, -4), (4, 4, 3), (1, 6, 2), (6, 1, 3), (2, 2, 0)]:
	of = np.tri(rows, columns, by, bool)
	for kind, mask in (("up_to", of), ("behind", ~of), ("from_the_right", of[:, ::-1]), ("from_below", of[::-1])):
		chosen(f"{kind}_{rows}_{columns}_{by}", mask.copy())
of = np.tri(5, 6, 1, bool)
for row, column in [(0, 0), (0, 5), (2, 3), (4, 0), (4, 5)]:
	other = of.copy()
	other[row, column] ^= True
	chosen(f"but_one_{row}_{column}", other)
	chosen(f"but_one_of_two_{row}_{column}", np.stack([of, other]))
chosen("two_equal", np.stack([of, of]))
chosen("two_that_differ", np.stack([of, np.tri(5, 6, 2, bool)]))
chosen("a_band", np.tri(6, 6, 1, bool) & ~np.tri(6, 6, -2, bool))
# As models have them: a square that is longer than what is asked for; one of numbers; one that is computed.
square = np.tri(9, 9, 0, bool).reshape(1, 1, 9, 9)
part = [h.make_node("Constant", [], ["a"], value_ints=[3, 0]), h.make_node("Constant", [], ["b"], value_ints=[8, 8]),
	h.make_node("Constant", [], ["axes"], value_ints=[2, 3]), h.make_node("Slice", ["mask", "a", "b", "axes"], ["part"])]
x = f(2, 3, 5, 8)
for kind, kept in (("booleans", square), ("numbers", square.astype(np.float32))):
	nodes = list(part)
	if kind == "numbers":
		nodes += [h.make_node("Constant", [], ["zero"], value_float=0.), h.make_node("Equal", ["part", "zero"], ["hidden"])]
	order = ["hidden", "low", "x"] if kind == "numbers" else ["part", "x", "low"]
	nodes += [h.make_node("Constant", [], ["low"], value_float=-np.inf), h.make_node("Where", order, ["out"])]
	add("part_of_" + kind, model(nodes, {"x": x}, ["out"], {"mask": kept}), {"x": x})
# A scale as exporters write it: of the shape of a value, by a root, with an axis or without.
x = f(3, 16)
nodes = [h.make_node("Shape", ["x"], ["s"]), h.make_node("Constant", [], ["a"], value_ints=[1]),
	h.make_node("Constant", [], ["b"], value_ints=[2]), h.make_node("Slice", ["s", "a", "b"], ["n"]),
	h.make_node("Cast", ["n"], ["d"], to=1), h.make_node("Sqrt", ["d"], ["root"]),
	h.make_node("Constant", [], ["one"], value_floats=[1.]), h.make_node("Div", ["one", "root"], ["scale"]),
	h.make_node("Mul", ["x", "scale"], ["out"])]
add("scale_of_a_shape", model(nodes, {"x": x}, ["out"]), {"x": x})
for shape in ([1], [1, 1], [1, 1, 1]):
	c = np.array(-0.3, np.float32).reshape(shape)
	add(f"number_of_rank_{len(shape)}", model([h.make_node("Div", ["x", "c"], ["out"])], {"x": x}, ["out"], {"c": c}),
		{"x": x})
	nodes = [h.make_node("Neg", ["c"], ["out"]), h.make_node("Neg", ["x"], ["z"])]
	add(f"only_a_number_of_rank_{len(shape)}", model(nodes, {"x": x}, ["out", "z"], {"c": c}), {"x": x})
c = np.array([np.nan], np.float16)
x = np.array([[1, -2]], np.float16)
add("no_number", model([h.make_node("Mul", ["x", "c"], ["out"])], {"x": x}, ["out"], {"c": c}), {"x": x})
c = np.array([-0.0], np.float32)
x = np.array([[0.0, -0.0, 1]], np.float32)
add("minus_zero", model([h.make_node("Add", ["x", "c"], ["out"])], {"x": x}, ["out"], {"c": c}), {"x": x})
save("known.npz")
