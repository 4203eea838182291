#!/usr/bin/env python3
"""export.py -- digits.onnx, the model of mnist.lt as one of ONNX, for any number of images: its weights stay in
weights.safetensors, which it names as external data.  Needs the package onnx."""
import json
import os
import struct

import onnx
from onnx import TensorProto, helper

os.chdir(os.path.dirname(os.path.abspath(__file__)))
with open("weights.safetensors", "rb") as f:
	(length,) = struct.unpack("<Q", f.read(8))
	header = json.loads(f.read(length))

weights = []
for name, entry in header.items():
	begin, end = entry.get("data_offsets", (0, 0))
	if name == "__metadata__":
		continue
	tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=entry["shape"], data_location=TensorProto.EXTERNAL)
	for key, value in ("location", "weights.safetensors"), ("offset", 8 + length + begin), ("length", end - begin):
		tensor.external_data.add(key=key, value=str(value))
	weights.append(tensor)

nodes = [
	helper.make_node("Flatten", ["image"], ["pixels"]),
	helper.make_node("MatMul", ["pixels", "weight_0"], ["hidden_0"]),
	helper.make_node("Add", ["hidden_0", "bias_0"], ["hidden_1"]),
	helper.make_node("Relu", ["hidden_1"], ["hidden"]),
	helper.make_node("MatMul", ["hidden", "weight_1"], ["scores_0"]),
	helper.make_node("Add", ["scores_0", "bias_1"], ["scores"]),
	helper.make_node("ArgMax", ["scores"], ["digit"], axis=1, keepdims=0),
]
graph = helper.make_graph(nodes, "digits",
	[helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 28, 28])],
	[helper.make_tensor_value_info("digit", TensorProto.INT64, ["batch"])], weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
with open("digits.onnx", "wb") as f:
	f.write(model.SerializeToString())
