"""The Backend interface of ONNX (https://onnx.ai/onnx/api/backend.html), so that whatever drives backends, such as
onnx.backend.test, drives Looptree.

    import looptree.onnx_backend as backend
    y, = backend.run_model(onnx.load("model.onnx"), [x])

A model is converted and compiled at the first run with inputs of new shapes: extents that it leaves open are those of
the inputs, and an input that it has to know when it is read (shapes, axes, conditions) becomes a constant.  What cannot
be converted raises looptree.Error, with each node and the reason.
"""
from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._errors import Error, refuse
from ._memory import dtype_name
from ._program import Program, compile

try:
    import ml_dtypes
    import onnx
    from onnx.backend.base import Backend, BackendRep
except ImportError as _error:
    raise ImportError("looptree.onnx_backend needs the package onnx: pip install onnx (%s)" % _error) from _error

_INTEGERS = {np.dtype(ml_dtypes.int4): np.dtype(np.int8), np.dtype(ml_dtypes.int2): np.dtype(np.int8),
             np.dtype(ml_dtypes.uint4): np.dtype(np.uint8), np.dtype(ml_dtypes.uint2): np.dtype(np.uint8)}
_FLOATS = {np.dtype(kind) for kind in (
    ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz,
    ml_dtypes.float4_e2m1fn, ml_dtypes.float8_e8m0fnu)}


def _kept(value: Any) -> Any:
    """What the library is given: of small integers the numbers, of small floats the bits, one element a byte."""
    if np.isscalar(value):
        return np.asarray(value)
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype in _INTEGERS:
        return value.astype(_INTEGERS[value.dtype])
    return value.view(np.uint8) if value.dtype in _FLOATS else value


def _given(value: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]:
    """A result as the model's type has it."""
    if dtype in _INTEGERS:
        return value.astype(dtype)
    return value.view(dtype) if dtype in _FLOATS else value


def _axes(info: Any) -> Any:
    return info.type.tensor_type.shape.dim if info.type.HasField("tensor_type") else []


class LooptreeRep(BackendRep):
    """A model that is to run; programs: by the shapes of the inputs that they were compiled for."""

    def __init__(self, model: onnx.ModelProto, folder: str | None = None, dims: Mapping[str, int | str] | None = None,
                 **options: Any):
        self._graph, self._text = model.graph, model.SerializeToString()
        self._folder, self._dims, self._options = folder, dict(dims or {}), options
        self._programs: dict[Any, Program] = {}

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """inputs: arrays in the order of the model's, or a dict by name; the results in the order of the model's."""
        names = [i.name for i in self._graph.input]
        if isinstance(inputs, np.ndarray):
            inputs = [inputs]
        given = inputs if isinstance(inputs, Mapping) else dict(zip(names, inputs))
        values = {name: _kept(value) for name, value in given.items()}
        extents = self._extents(values)
        program = self._program(values, {k: v for k, v in extents.items() if k not in self._dims})
        results = program(**self._inputs(program, values, extents))
        if not isinstance(results, dict):
            results = {program.results[0].name: results}
        return tuple(_given(results[o.name], self._dtype(o)) for o in self._graph.output)

    @staticmethod
    def _dtype(info: Any) -> Any:
        kind = info.type.tensor_type.elem_type
        return onnx.helper.tensor_dtype_to_np_dtype(kind) if kind else None

    def _extents(self, values: Mapping[str, Any]) -> dict[str, int]:
        """Of each extent that the model leaves open: what it is in these inputs."""
        found: dict[str, int] = {}
        for info in self._graph.input:
            data = values.get(info.name)
            for axis, dim in enumerate(_axes(info)):
                if isinstance(data, np.ndarray) and not dim.HasField("dim_value") and axis < data.ndim:
                    found.setdefault(dim.dim_param or "%s.%d" % (info.name, axis), data.shape[axis])
        return found

    def _program(self, values: dict[str, Any], extents: Mapping[str, int]) -> Program:
        shapes = tuple(sorted(extents.items()))
        for (known, fixed), program in self._programs.items():
            if known == shapes and all(values[name].tobytes() == data for name, data in fixed):
                return program
        dims: dict[str, int | str] = {**self._dims, **extents}
        constants: dict[str, Any] = {}
        while True:
            try:
                program = compile(self._text, frontend="onnx", folder=self._folder, dims=dims, fixed=constants,
                                  **self._options)
                break
            except Error as error:
                text = str(error)
                unknown = {name for words in re.findall(r"it depends on ((?:'[^']*'(?:, )?)+)", text)
                           for name in re.findall(r"'([^']*)'", words)}
                unknown |= set(re.findall(r"input '([^']*)': its rank is not said", text))
                new = {name for name in unknown - constants.keys() if isinstance(values.get(name), np.ndarray)
                       and dtype_name(values[name].dtype)}
                # Those of inputs that have become constants.
                unused = {d for d in re.findall(r"no symbolic dimension of --dim ([^\s;=]+)", text) if d in dims}
                if not new and not (unused and self._dims):
                    raise
                for name in unused:
                    del dims[name]
                constants.update({name: values[name] for name in new})
        fixed = tuple((name, value.tobytes()) for name, value in constants.items())
        self._programs[shapes, fixed] = program
        return program

    def _inputs(self, program: Program, values: Mapping[str, Any], extents: Mapping[str, int]) -> dict[str, Any]:
        """What the program takes: also extents that differ from run to run, and arrays with room for the most."""
        found = {}
        for port in program.inputs:
            data = values.get(port.name)
            if data is None and port.name in extents:
                data = np.asarray(extents[port.name], np.int64)
            if data is None:
                continue
            data = np.asarray(data)
            if self._dims and data.shape != port.shape and data.ndim == len(port.shape):
                room = np.zeros(port.shape, data.dtype)
                room[tuple(map(slice, data.shape))] = data
                data = room
            found[port.name] = data.reshape(port.shape) if data.size == np.prod(port.shape, dtype=int) else data
        return found


class LooptreeBackend(Backend):
    """See the module."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> LooptreeRep:
        """kwargs: the folder of external data, dims (extents that differ from run to run: {"batch": "1..8"}) and
        options of looptree.compile."""
        if not cls.supports_device(device):
            raise refuse("Unsupported", "device %s: arrays of ONNX's backends are on CPU" % device)
        return LooptreeRep(model, **kwargs)

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU",
                 outputs_info: Sequence[tuple[Any, tuple[int, ...]]] | None = None, **kwargs: Any) -> tuple[Any, ...]:
        """A model of this node; opset_version: of its operators, the newest that the package onnx knows if not said."""
        version = kwargs.pop("opset_version", onnx.defs.onnx_opset_version())
        names = list(dict.fromkeys(name for name in node.input if name))
        arrays = [np.asarray(value) for value in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
        tensor, kind = onnx.helper.make_tensor_value_info, onnx.helper.np_dtype_to_tensor_dtype
        given = [tensor(name, kind(a.dtype), a.shape) for name, a in zip(names, arrays)]
        if outputs_info is None:
            results = [onnx.helper.make_empty_tensor_value_info(name) for name in node.output if name]
        else:
            results = [tensor(name, kind(np.dtype(dtype)), shape)
                       for name, (dtype, shape) in zip(filter(None, node.output), outputs_info)]
        graph = onnx.helper.make_graph([node], "node", given, results)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid(node.domain, version)])
        if outputs_info is None:
            model = onnx.shape_inference.infer_shapes(model)
        return cls.run_model(model, arrays, device, **kwargs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.partition(":")[0] == "CPU"


prepare, run_model, run_node = LooptreeBackend.prepare, LooptreeBackend.run_model, LooptreeBackend.run_node
supports_device, is_compatible = LooptreeBackend.supports_device, LooptreeBackend.is_compatible

__all__ = ["LooptreeBackend", "LooptreeRep", "is_compatible", "prepare", "run_model", "run_node", "supports_device"]
