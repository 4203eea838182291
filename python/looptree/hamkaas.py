"""The front end of HamKaas: networks of nodes with PyTorch's manners, printed as a script, run by libhamkaas.so.

    from looptree import hamkaas
    x = hamkaas.InputTensor("x", "float32", [2, 3])
    y = (x @ numpy.ones((3, 4), "f4")).relu()
    print(hamkaas.traverse_node(y).script)
    model = hamkaas.HamKaasPlugin().compile_model(y)
    model.evaluate({"x": numpy.ones((2, 3), "f4")})             # an array [2, 4]

Arrays are numpy's, PyTorch's or lists, contiguous or not.  What comes out is PyTorch's where a type or an array that
the network was made of is, or an input of that run.  Nodes are those of the original language (docs/script.md, the
first seventeen), so that any libhamkaas.so takes their scripts.
"""
from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._errors import Error, make, refuse
from ._memory import HOST, NUMPY, Memory, look
from ._options import tell_copy
from ._program import _copied, _nearest, _viewed

__all__ = ["BufferTensor", "ComplexHadamardProductNode", "ConstantTensor", "HadamardProductNode", "HamKaasModel",
           "HamKaasNode", "HamKaasPlugin", "InputTensor", "MatMulNode", "MulNode", "PermuteNode", "ReLUNode",
           "ReplaceSliceNode", "ReshapeNode", "RmsNormNode", "SiLUNode", "SliceNode", "SlicedSoftmaxNode", "SumNode",
           "TensorMeta", "TraversalResult", "traverse_node"]

_OF_SCRIPT: dict[str, str] = {row["script"]: row["name"] for row in _native.rows("type")}       # "float32" -> "f32"
_TO_SCRIPT: dict[str, str] = {short: name for name, short in _OF_SCRIPT.items()}


def _is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, (torch.Tensor, torch.dtype))


def _type_of(dtype: Any) -> str:
    """The script's name of a type: "float32", numpy.float32, torch.float32."""
    if _is_torch(dtype):
        name = str(dtype).removeprefix("torch.")
    elif isinstance(dtype, str) and dtype in _OF_SCRIPT:
        return dtype
    else:
        try:
            name = "None" if dtype is None else np.dtype(dtype).name
        except TypeError:
            name = str(dtype)
    if name not in _OF_SCRIPT:
        raise refuse("Mismatch", "there is no type '%s'; there are %s" % (name, ", ".join(_OF_SCRIPT)))
    return name


def _is_plain(value: Any) -> bool:
    """A list or a number of Python's."""
    return not any(hasattr(value, name) for name in ("__array__", "__dlpack__", "__array_interface__"))


def _array_of(value: Any, what: str, dtype: str | None) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(value)
        kind = NUMPY[_OF_SCRIPT[dtype]] if dtype else np.dtype("f4") if array.dtype == np.float64 else array.dtype
        made = array.astype(kind, casting="same_kind")
    except (TypeError, ValueError) as error:
        raise refuse("Mismatch", "%s cannot be made an array: %s" % (what, error)) from error
    if kind.kind in "iu" and (made != array).any():
        raise refuse("Overflow", "%s has numbers that %s has not" % (what, kind))
    return made


def _dense(value: Any, what: str, dtype: str | None = None, shape: tuple[int, ...] | None = None) -> Memory:
    """Memory of the host, row-major and without gaps.  Lists and numbers become arrays of that type."""
    try:
        memory = look(_array_of(value, what, dtype) if _is_plain(value) else value, what)
    except (BufferError, ValueError, RuntimeError) as error:
        if isinstance(error, Error):
            raise
        raise refuse("Mismatch", "%s cannot be read: %s" % (what, error)) from error
    if memory.device != HOST:
        raise refuse("Mismatch", "%s is on %s; libhamkaas.so takes arrays of the host: give a copy there" % (
            what, memory.device))
    if dtype is not None and _TO_SCRIPT[memory.dtype] != dtype:
        raise refuse("Mismatch", "%s is %s, and %s is asked for" % (what, _TO_SCRIPT[memory.dtype], dtype))
    if shape is not None and memory.shape != shape:
        raise refuse("Mismatch", "%s is %s, and %s is asked for" % (what, list(memory.shape), list(shape)))
    if memory.dense() and memory.address % NUMPY[memory.dtype].itemsize == 0:
        return memory
    tell_copy(what, "its elements do not lie side by side, the last axis innermost")
    return _copied(memory)


def _empty(shape: tuple[int, ...], dtype: str, as_torch: bool) -> tuple[Any, int]:
    """A new array and its address."""
    if as_torch:
        torch: Any = sys.modules["torch"]
        tensor = torch.empty(shape, dtype=getattr(torch, dtype))
        return tensor, int(tensor.data_ptr())
    array = np.empty(shape, NUMPY[_OF_SCRIPT[dtype]])
    return array, int(array.__array_interface__["data"][0])


# ---- nodes ----

Arguments = Callable[["HamKaasNode"], str]              # "$3" of an operand


class HamKaasNode:
    """A value of a network.  dtype: "float32"; shape: a tuple.

    Numbers and arrays beside a node are constants.  Operators broadcast as far as the language does: the operand that
    is to be broadcast has 1, or no axis, where the other one has more.
    """
    dtype: str
    shape: tuple[int, ...]
    operands: tuple[HamKaasNode, ...] = ()
    as_torch = False
    __array_ufunc__ = None                              # array @ node is this class's work

    def _text(self, of: Arguments) -> str:
        """The node in a script."""
        return "%s(%s)" % (type(self).__name__, ", ".join(map(of, self.operands)))

    def __repr__(self) -> str:
        return "<%s %s%s>" % (type(self).__name__, self.dtype, list(self.shape))

    def dim(self) -> int:
        return len(self.shape)

    def __matmul__(self, rhs: Any) -> HamKaasNode:
        """[.., m, k] @ [.., k, n], as numpy.matmul; a vector is a row on the left and a column on the right."""
        return MatMulNode(self, _node(rhs, self.dtype))

    def __rmatmul__(self, lhs: Any) -> HamKaasNode:
        return MatMulNode(_node(lhs, self.dtype), self)

    def __add__(self, rhs: Any) -> HamKaasNode:
        return SumNode(*_matched(self, _node(rhs, self.dtype)))

    def __radd__(self, lhs: Any) -> HamKaasNode:
        return SumNode(*_matched(_node(lhs, self.dtype), self))

    def __mul__(self, rhs: Any) -> HamKaasNode:
        """Products of elements."""
        return HadamardProductNode(*_matched(self, _node(rhs, self.dtype)))

    def __rmul__(self, lhs: Any) -> HamKaasNode:
        return HadamardProductNode(*_matched(_node(lhs, self.dtype), self))

    def __getitem__(self, index: Any) -> HamKaasNode:
        """Slices and positions, one for each of the first axes; an axis at a position goes."""
        return _indexed(self, index if isinstance(index, tuple) else (index,))

    def __iter__(self) -> Any:
        raise refuse("Mismatch", "a node is not iterable; take its rows: x[0], x[1], ...")

    def __bool__(self) -> bool:
        raise refuse("Mismatch", "a node has no value before its model is evaluated")

    def relu(self) -> HamKaasNode:
        """max(0, x); NaN stays NaN."""
        return ReLUNode(self)

    def silu(self) -> HamKaasNode:
        """x / (1 + exp(-x))"""
        return SiLUNode(self)

    def reshape(self, *shape: int | Sequence[int]) -> HamKaasNode:
        """The same elements in another shape, of which one extent may be -1."""
        return ReshapeNode(self, _integers(shape))

    def permute(self, *permutation: int | Sequence[int]) -> HamKaasNode:
        """Axis i of the result is axis permutation[i]."""
        return PermuteNode(self, _integers(permutation))

    def replace_slice(self, replacement: Any, start: Any, end: Any) -> HamKaasNode:
        """A vector with the elements start .. end - 1 replaced; bounds are numbers, or nodes int64 [1].  Of a
        BufferTensor, what the next evaluation finds there."""
        return ReplaceSliceNode(self, _node(replacement, self.dtype), start, end)

    def complex_hadamard_product(self, rhs: Any) -> HamKaasNode:
        """Products of complex numbers; the last axis has 2 elements, real and imaginary part."""
        return ComplexHadamardProductNode(self, _node(rhs, self.dtype))

    def rms_norm(self, weights: Any) -> HamKaasNode:
        """weights * x / sqrt(mean(x * x) + 1e-5)"""
        return RmsNormNode(self, _node(weights, self.dtype))

    def sliced_softmax(self, prefix_size: Any) -> HamKaasNode:
        """The softmax of the first elements of each row; the others stay.  prefix_size: a number, or a node int64
        [1]."""
        return SlicedSoftmaxNode(self, prefix_size)


def _integers(words: Sequence[Any]) -> list[int]:
    """reshape(2, 3) and reshape([2, 3]) are the same."""
    try:
        if len(words) == 1 and np.ndim(words[0]) > 0:
            words = words[0]
        return [int(w.__index__()) for w in words]
    except (AttributeError, TypeError, ValueError) as error:
        raise refuse("Mismatch", "integers are asked for, not %r" % (words,)) from error


def _node(value: Any, dtype: str) -> HamKaasNode:
    """Nodes as they are, numbers and arrays as constants."""
    if isinstance(value, HamKaasNode):
        return value
    if isinstance(value, (int, float, np.number)):
        value = [value]
    return ConstantTensor(value, dtype if _is_plain(value) else None)


def _nodes(*operands: HamKaasNode) -> tuple[HamKaasNode, ...]:
    for operand in operands:
        if not isinstance(operand, HamKaasNode):
            raise refuse("Mismatch", "a node is asked for, not a %s; ConstantTensor(array) makes one of an array"
                         % type(operand).__name__)
    return operands


def _matched(lhs: HamKaasNode, rhs: HamKaasNode) -> tuple[HamKaasNode, HamKaasNode]:
    """Operands of what commutes, so that the right one is broadcast to the left one, of the same rank."""
    rank = max(lhs.dim(), rhs.dim())
    lhs, rhs = (x if x.dim() == rank else x.reshape([1] * (rank - x.dim()) + list(x.shape)) for x in (lhs, rhs))
    return (rhs, lhs) if lhs.shape != rhs.shape and _goes_to(lhs.shape, rhs.shape) else (lhs, rhs)


def _goes_to(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    return len(shape) == len(to) and all(a in (1, b) for a, b in zip(shape, to))


def _refuse_shapes(what: str, *nodes: HamKaasNode, because: str = "") -> Exception:
    return refuse("Mismatch", "%s of %s%s" % (what, " and ".join("%s %s" % (n.dtype, list(n.shape)) for n in nodes),
                                             because and ": " + because))


def _indexed(x: HamKaasNode, index: tuple[Any, ...]) -> HamKaasNode:
    if len(index) > x.dim():
        raise _refuse_shapes("%d positions" % len(index), x, because="it has fewer axes")
    kept = []
    for axis, at in enumerate(index):
        extent = x.shape[axis]
        if isinstance(at, slice):
            if any(isinstance(bound, HamKaasNode) for bound in (at.start, at.stop, at.step)):
                raise refuse("Unsupported", "the bounds of a slice are numbers here: a shape is known before a run")
            try:
                begin, end, step = at.indices(extent)
            except TypeError as error:
                raise refuse("Mismatch", "slices of nodes: %s" % error) from error
            kept.append(True)
        else:
            place, = _integers([at])
            if not -extent <= place < extent:
                raise refuse("OutOfRange", "position %d of an axis of %d elements" % (place, extent))
            begin, end, step = place % extent, place % extent + 1, 1
            kept.append(False)
        if (begin, end, step) != (0, extent, 1):
            x = SliceNode(x, begin, end, axis, step)
    shape = [n for n, keep in zip(x.shape, kept + [True] * x.dim()) if keep]
    return x if len(shape) == x.dim() else ReshapeNode(x, shape)


class _Source(HamKaasNode):
    def __init__(self, dtype: Any, shape: Sequence[int]):
        self.dtype, self.shape, self.as_torch = _type_of(dtype), tuple(_integers([shape])), _is_torch(dtype)
        if any(extent < 1 for extent in self.shape):
            raise refuse("Invalid", "a tensor %s: extents are at least 1" % list(self.shape))


class InputTensor(_Source):
    """What is given at every evaluation.  InputTensor("x", "float32", [2, 3]); types of numpy's and PyTorch's, too."""

    def __init__(self, name: str, dtype: Any, shape: Sequence[int]):
        super().__init__(dtype, shape)
        if not isinstance(name, str) or not re.fullmatch(r"[\w.+-]+", name):
            raise refuse("Invalid", "an input cannot be named %r: letters, digits, _, ., + and - are taken" % (name,))
        self.name = name


class BufferTensor(_Source):
    """State: zeros at first; replace_slice says what it holds in the next evaluation."""

    def _text(self, of: Arguments) -> str:
        return "BufferTensor(%s, %s)" % (self.dtype, list(self.shape))


class ConstantTensor(_Source):
    """An array, which stays as it is until a model is compiled: that takes a copy.  Lists become one of that type, by
    default float32 for numbers with a point."""

    def __init__(self, value: Any, dtype: Any = None):
        if isinstance(value, HamKaasNode):
            raise refuse("Mismatch", "a constant is made of an array, not of a node")
        self._memory = _dense(value, "a constant", None if dtype is None else _type_of(dtype))
        super().__init__(_TO_SCRIPT[self._memory.dtype], self._memory.shape)
        self.as_torch = _is_torch(value)

    def numpy(self) -> np.ndarray[Any, Any]:
        """What it holds, not to be written."""
        return _viewed(self._memory).view(NUMPY[_OF_SCRIPT[self.dtype]])


class _Elementwise(HamKaasNode):
    """Of two operands, the second one broadcast to the first one."""

    def __init__(self, lhs: HamKaasNode, rhs: HamKaasNode):
        self.operands = _nodes(lhs, rhs)
        if lhs.dtype != rhs.dtype or not _goes_to(rhs.shape, lhs.shape):
            raise _refuse_shapes(type(self).__name__, lhs, rhs, because="types are to be the same, and the extents of "
                                 "the second one 1 or those of the first one")
        self.dtype, self.shape = lhs.dtype, lhs.shape


class SumNode(_Elementwise):
    pass


class HadamardProductNode(_Elementwise):
    pass


class ComplexHadamardProductNode(_Elementwise):
    def __init__(self, lhs: HamKaasNode, rhs: HamKaasNode):
        super().__init__(lhs, rhs)
        if (lhs.shape[-1:], rhs.shape[-1:]) != ((2,), (2,)):
            raise _refuse_shapes("ComplexHadamardProductNode", lhs, rhs, because="the last axes are to have 2 elements")


class MatMulNode(HamKaasNode):
    def __init__(self, lhs: HamKaasNode, rhs: HamKaasNode):
        self.operands = _nodes(lhs, rhs)
        if lhs.dtype != rhs.dtype or not lhs.shape or not rhs.shape or (
                lhs.shape[-1] != rhs.shape[max(rhs.dim() - 2, 0)]):
            raise _refuse_shapes("the product", lhs, rhs, because="types are to be the same, and the last axis of the "
                                 "first one as long as the last but one of the second one")
        try:
            outer = np.broadcast_shapes(lhs.shape[:-2], rhs.shape[:-2])
        except ValueError as error:
            raise _refuse_shapes("the product", lhs, rhs, because=str(error)) from error
        self.dtype = lhs.dtype
        self.shape = (*outer, *(lhs.shape[-2:-1] if lhs.dim() > 1 else ()), *(rhs.shape[-1:] if rhs.dim() > 1 else ()))


MulNode = MatMulNode                    # another name of it in the language


class _Same(HamKaasNode):
    def __init__(self, operand: HamKaasNode):
        self.operands, self.dtype, self.shape = _nodes(operand), operand.dtype, operand.shape


class ReLUNode(_Same):
    pass


class SiLUNode(_Same):
    pass


class RmsNormNode(_Same):
    def __init__(self, operand: HamKaasNode, weights: HamKaasNode):
        super().__init__(operand)
        self.operands = _nodes(operand, weights)
        if weights.dtype != operand.dtype or not operand.shape or weights.shape != operand.shape[-1:]:
            raise _refuse_shapes("RmsNormNode", operand, weights,
                                 because="the weights are to be a vector as long as the last axis")


class SliceNode(HamKaasNode):
    """Elements begin, begin + step ... before end of an axis."""

    def __init__(self, operand: HamKaasNode, begin: int, end: int, axis: int = 0, step: int = 1):
        self.operands = _nodes(operand)
        if not 0 <= axis < operand.dim() or not 0 <= begin < end <= operand.shape[axis] or step < 1:
            raise _refuse_shapes("slice %d:%d:%d of axis %d" % (begin, end, step, axis), operand,
                                 because="a slice has elements, lies in the axis, and has a step of at least 1")
        self.dtype, self._words = operand.dtype, (begin, end, axis, step)
        self.shape = (*operand.shape[:axis], len(range(begin, end, step)), *operand.shape[axis + 1:])

    def _text(self, of: Arguments) -> str:
        begin, end, axis, step = self._words
        words = [begin, end] + [axis] * (axis > 0 or step > 1) + [step] * (step > 1)
        return "SliceNode(%s, %s)" % (of(self.operands[0]), ", ".join(map(str, words)))


class ReshapeNode(HamKaasNode):
    def __init__(self, operand: HamKaasNode, shape: Sequence[int]):
        self.operands = _nodes(operand)
        elements = int(np.prod(operand.shape, dtype=np.int64))
        known = int(np.prod([n for n in shape if n != -1], dtype=np.int64))
        self.dtype = operand.dtype
        self.shape = tuple(elements // max(known, 1) if n == -1 else n for n in shape)
        if list(shape).count(-1) > 1 or any(n < 1 for n in self.shape) or (
                int(np.prod(self.shape, dtype=np.int64)) != elements):
            raise _refuse_shapes("reshape to %s" % list(shape), operand, because="it has %d elements" % elements)

    def _text(self, of: Arguments) -> str:
        return "ReshapeNode(%s, %s)" % (of(self.operands[0]), list(self.shape))


class PermuteNode(HamKaasNode):
    def __init__(self, operand: HamKaasNode, permutation: Sequence[int]):
        self.operands = _nodes(operand)
        self._words = [axis + operand.dim() if axis < 0 else axis for axis in permutation]
        if sorted(self._words) != list(range(operand.dim())):
            raise _refuse_shapes("permute %s" % list(permutation), operand, because="each axis is named once")
        self.dtype = operand.dtype
        self.shape = tuple(operand.shape[axis] for axis in self._words)

    def _text(self, of: Arguments) -> str:
        return "PermuteNode(%s, %s)" % (of(self.operands[0]), self._words)


def _bound(value: Any, what: str) -> HamKaasNode:
    """A run-time value: a node, or a number as a constant."""
    if not isinstance(value, HamKaasNode):
        value = ConstantTensor(np.array(_integers([value]), np.int64))
    if (value.dtype, value.shape) != ("int64", (1,)):
        raise _refuse_shapes(what, value, because="a number or a node int64 [1] is asked for")
    bound: HamKaasNode = value
    return bound


class ReplaceSliceNode(HamKaasNode):
    def __init__(self, operand: HamKaasNode, replacement: HamKaasNode, start: Any, end: Any):
        _nodes(operand, replacement)
        if operand.dtype != replacement.dtype or operand.dim() != 1 or replacement.dim() != 1 or (
                replacement.shape[0] > operand.shape[0]):
            raise _refuse_shapes("replace_slice", operand, replacement, because="both are to be vectors of one type, "
                                 "the second one no longer than the first one")
        self.operands = (operand, replacement, _bound(start, "the start of a slice"), _bound(end, "the end of a slice"))
        if not isinstance(start, HamKaasNode) and not isinstance(end, HamKaasNode) and not (
                0 <= start <= end <= operand.shape[0] and end - start == replacement.shape[0]):
            raise _refuse_shapes("replace_slice %d:%d" % (start, end), operand, replacement,
                                 because="the slice lies in the first one and is as long as the second one")
        self.dtype, self.shape = operand.dtype, operand.shape


class SlicedSoftmaxNode(_Same):
    def __init__(self, operand: HamKaasNode, prefix_size: Any):
        super().__init__(operand)
        self._size = None if isinstance(prefix_size, HamKaasNode) else _integers([prefix_size])[0]
        if operand.dim() < 1 or self._size is not None and not 0 <= self._size <= operand.shape[-1]:
            raise _refuse_shapes("sliced_softmax of %s elements" % self._size, operand,
                                 because="the last axis has at least as many")
        if self._size is None:
            self.operands = (operand, _bound(prefix_size, "a prefix"))

    def _text(self, of: Arguments) -> str:
        words = [*map(of, self.operands)] + ([] if self._size is None else [str(self._size)])
        return "SlicedSoftmaxNode(%s)" % ", ".join(words)


# ---- scripts ----

class TensorMeta(NamedTuple):
    dtype: str
    shape: tuple[int, ...]


class TraversalResult(NamedTuple):
    """script: one node a line; inputs: what evaluate() is given; output: what it gives; constants: arrays by name."""
    script: str
    inputs: dict[str, TensorMeta]
    output: TensorMeta
    constants: dict[str, np.ndarray[Any, Any]]
    as_torch: bool


def _in_order(node: HamKaasNode) -> list[HamKaasNode]:
    """Operands before what uses them, from left to right; each node once."""
    found: list[HamKaasNode] = []
    seen: set[int] = set()
    stack: list[tuple[HamKaasNode, bool]] = [(node, False)]
    while stack:
        at, done = stack.pop()
        if done:
            found.append(at)
        elif id(at) not in seen:
            seen.add(id(at))
            stack.append((at, True))
            stack.extend((operand, False) for operand in reversed(at.operands))
    return found


def traverse_node(node: HamKaasNode) -> TraversalResult:
    """The network that ends in a node as a script, with all that a compiler is to be given beside it."""
    if not isinstance(node, HamKaasNode):
        raise refuse("Mismatch", "a node is traversed, not a %s" % type(node).__name__)
    lines: list[str] = []
    number: dict[int, int] = {}
    inputs: dict[str, TensorMeta] = {}
    constants: dict[str, np.ndarray[Any, Any]] = {}
    order = _in_order(node)
    for at in order:
        meta = TensorMeta(at.dtype, at.shape)
        number[id(at)] = len(lines) + 1
        if isinstance(at, InputTensor):
            if at.name in inputs:
                raise refuse("Exists", "two inputs are named '%s'; use one InputTensor twice" % at.name)
            inputs[at.name] = meta
            text = "InputTensor(%s, %s, %s)" % (at.name, at.dtype, list(at.shape))
        elif isinstance(at, ConstantTensor):
            name = "constant_%d" % len(constants)
            constants[name] = at.numpy()
            text = "ConstantTensor(%s, %s, %s)" % (name, at.dtype, list(at.shape))
        else:
            text = at._text(lambda operand: "$%d" % number[id(operand)])
        lines.append("$%d = %s;\n" % (len(lines) + 1, text))
    return TraversalResult("%sresult = $%d;\n" % ("".join(lines), len(lines)), inputs,
                           TensorMeta(node.dtype, node.shape), constants, any(at.as_torch for at in order))


# ---- libhamkaas.so (tools/hamkaas/hamkaas.h) ----

class _InitializationResult(ctypes.Structure):
    _fields_ = [("handle", ctypes.c_void_p), ("error", ctypes.c_void_p)]


class _NamedTensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("data", ctypes.c_void_p)]


class _CompilationOptions(ctypes.Structure):
    _fields_ = [("use_gpu", ctypes.c_bool), ("use_cudnn", ctypes.c_bool)]


class _CompilationResult(ctypes.Structure):
    _fields_ = [("model", ctypes.c_void_p), ("error", ctypes.c_void_p)]


_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "HamKaasInitialize": (_InitializationResult, []),
    "HamKaasFinalize": (None, [ctypes.c_void_p]),
    "HamKaasCompileModel": (_CompilationResult, [ctypes.c_void_p, _CompilationOptions, ctypes.c_char_p,
                                                 ctypes.POINTER(_NamedTensor), ctypes.c_int]),
    "HamKaasFreeModel": (None, [ctypes.c_void_p, ctypes.c_void_p]),
    "HamKaasEvaluateModel": (ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(_NamedTensor),
                                               ctypes.c_int, ctypes.c_void_p]),
    "HamKaasFreeErrorMessage": (None, [ctypes.c_void_p]),
    "HamKaasInverseElements": (ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]),
}


def _own_library() -> str:
    """The one of this package, or the one that was built beside it."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.path.join(here, "lib", "libhamkaas.so"), os.path.join(here, "..", "..", "libhamkaas.so")):
        if os.path.exists(path):
            return os.path.normpath(path)
    raise refuse("LoadFailed", "libhamkaas.so is not in the package; install it again, or name another one: "
                 "HamKaasPlugin(path)")


def _named(tensors: Mapping[str, int]) -> Any:
    """Addresses by name, as the library takes them."""
    return (_NamedTensor * len(tensors))(*[_NamedTensor(name.encode(), address) for name, address in tensors.items()])


class HamKaasPlugin:
    """A libhamkaas.so, by default this package's.  Raises LoadFailed for a file that is none."""

    def __init__(self, path: str | os.PathLike[str] | None = None):
        self._functions: dict[str, Any] = {}
        self._handle: int | None = None
        path = _own_library() if path is None else os.path.abspath(os.fspath(path))
        try:
            library = ctypes.CDLL(path)
            for name, (result, arguments) in _FUNCTIONS.items():
                f = getattr(library, name)
                f.restype, f.argtypes = result, arguments
                self._functions[name] = f
        except (OSError, AttributeError, ValueError) as error:
            raise refuse("LoadFailed", "%s is no libhamkaas.so: %s" % (path, error)) from error
        made = self._functions["HamKaasInitialize"]()
        self._check(made.error)
        self._handle = made.handle

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._functions["HamKaasFinalize"](self._handle)
            self._handle = None

    def _check(self, message: int | None) -> None:
        """Raises what a message says, which is freed."""
        if message:
            text = ctypes.string_at(message).decode("utf-8", "backslashreplace")
            self._functions["HamKaasFreeErrorMessage"](message)
            raise make(-1, text)

    def inverse_elements(self, tensor: Any) -> Any:
        """1 / x of each element, float32 of any shape; an Error names the first element that is zero."""
        memory = _dense(tensor, "the tensor", "float32")
        result, address = _empty(memory.shape, "float32", _is_torch(tensor))
        self._check(self._functions["HamKaasInverseElements"](
            memory.address, address, int(np.prod(memory.shape, dtype=np.int64))))
        return result

    def compile_model(self, node: HamKaasNode, use_gpu: bool = False, use_cudnn: bool = False) -> HamKaasModel:
        """The network that ends in a node.  use_gpu, use_cudnn: refused where they are not usable."""
        network = traverse_node(node)
        constants = _named({name: array.__array_interface__["data"][0] for name, array in network.constants.items()})
        made = self._functions["HamKaasCompileModel"](
            self._handle, _CompilationOptions(use_gpu, use_cudnn), network.script.encode(), constants, len(constants))
        self._check(made.error)
        return HamKaasModel(self, made.model, network)


class HamKaasModel:
    """A compiled network.  Threads may share it: evaluations of one model wait for one another."""

    def __init__(self, plugin: HamKaasPlugin, model: int, network: TraversalResult):
        self._plugin, self._model, self._functions = plugin, model, plugin._functions
        self.inputs, self.output, self._as_torch = network.inputs, network.output, network.as_torch

    def __del__(self) -> None:
        if getattr(self, "_model", None):
            self._functions["HamKaasFreeModel"](self._plugin._handle, self._model)
            self._model = 0

    def evaluate(self, inputs: Mapping[str, Any]) -> Any:
        """The network's value for arrays of the inputs' types and shapes, by name: a new array of `output`."""
        if not isinstance(inputs, Mapping):
            raise refuse("Mismatch", "inputs are a dict of arrays by name, not a %s" % type(inputs).__name__)
        for name in inputs:
            if name not in self.inputs:
                raise refuse("Missing", "no input is named '%s'%s" % (name, _nearest(str(name), self.inputs)))
        lent = {name: _dense(value, "input '%s'" % name, *self.inputs[name]) for name, value in inputs.items()}
        as_torch = self._as_torch or any(map(_is_torch, inputs.values()))
        result, address = _empty(self.output.shape, self.output.dtype, as_torch)
        named = _named({name: memory.address for name, memory in lent.items()})
        self._plugin._check(self._functions["HamKaasEvaluateModel"](
            self._plugin._handle, self._model, named, len(named), address))
        return result
