"""Arrays of others as memory that a run reads and writes: where it lies, what it holds, who keeps it.

Whatever numpy can see without a copy (the buffer protocol, __array_interface__, __array__) is the host's.  What has
__dlpack__ or __cuda_array_interface__ may be on a device.
"""
from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._errors import refuse
from ._options import tell_copy

try:
    _ml: Any = importlib.import_module("ml_dtypes")
except ImportError:             # bfloat16 is then given and got as its bits, uint16
    _ml = None


def _numpy_dtype(row: dict[str, Any]) -> np.dtype[Any]:
    dtype: np.dtype[Any] = np.dtype(row["numpy"] or (_ml.bfloat16 if _ml else np.uint16))
    return dtype


_TYPES = _native.rows("type")
_TABLE = [(row["dtype"], row["name"], _numpy_dtype(row)) for row in _TYPES]
SAFETENSORS: dict[str, str] = {row["safetensors"]: row["name"] for row in _TYPES if row["safetensors"]}
NUMPY: dict[str, np.dtype[Any]] = {name: dtype for _, name, dtype in _TABLE}
NAME_OF: dict[int, str] = {number: name for number, name, _ in _TABLE}
# Types without a name of numpy's are first: as their bits they are the integers.
_NAME: dict[np.dtype[Any], str] = {dtype: name for _, name, dtype in sorted(_TABLE, key=lambda row: row[1] != "bf16")}
NUMBER_OF: dict[str, int] = {name: number for number, name, _ in _TABLE}


def dtype_name(dtype: Any) -> str | None:
    """The library's name of a type of numpy's in this machine's byte order; None: it has none."""
    return _NAME.get(np.dtype(dtype))


# ---- memory ----

HOST = "host"


class Memory(NamedTuple):
    """address: of the first element; strides: in elements, None: dense and row-major; device: "host", "cuda:0"; stream:
    of CUDA, on which its elements come to be, where only whoever reads them can wait for that."""
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    dtype: str
    device: str
    read_only: bool
    keeper: object
    stream: int | None = None

    def dense(self) -> bool:
        """Whether its elements lie side by side, the last axis innermost."""
        if self.strides is None:
            return True
        step = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides)):
            if extent != 1 and stride != step:
                return False
            step *= extent
        return True


class _Tensor(ctypes.Structure):
    """DLTensor of https://dmlc.github.io/dlpack/latest/c_api.html, as those below."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


# Of its own: others may have given the functions of ctypes.pythonapi other prototypes.
_python = ctypes.PyDLL(None)
_pointer = _python.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = _python.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]

_DEVICES = {1: HOST, 2: "cuda", 3: HOST, 10: "rocm", 13: "cuda"}
_CODES = {0: "i", 1: "u", 2: "f", 4: "bf", 6: "bool"}


def _capsule(value: Any, **how: Any) -> Any:
    try:
        return value.__dlpack__(max_version=(1, 0), **how)
    except TypeError:                   # it is older than that argument
        return value.__dlpack__(**how)


def _of_dlpack(value: Any, name: str, **how: Any) -> Memory:
    """A capsule that nobody uses up frees its tensor itself, when it goes: it is the keeper."""
    try:
        capsule = _capsule(value, **how)
    except Exception as error:
        raise refuse("Mismatch", "%s does not give its memory: %s" % (name, error)) from error
    read_only = False
    if _is_valid(capsule, b"dltensor_versioned"):
        versioned = ctypes.cast(_pointer(capsule, b"dltensor_versioned"), ctypes.POINTER(_Versioned)).contents
        if versioned.major != 1:
            raise refuse("Unsupported", "%s is a tensor of DLPack %d, where 1 is known" % (name, versioned.major))
        tensor, read_only = versioned.tensor, bool(versioned.flags & 1)
    elif not _is_valid(capsule, b"dltensor"):
        raise refuse("Mismatch", "%s gives a %s for its memory, and no tensor of DLPack that is still to be taken"
                     % (name, type(capsule).__name__))
    else:
        tensor = ctypes.cast(_pointer(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
    kind = _CODES.get(tensor.code)
    called = kind if kind == "bool" else "%s%d" % (kind, tensor.bits)
    if tensor.lanes != 1 or called not in NUMPY:
        raise refuse("Mismatch", "%s has elements of a type that Looptree has not (DLPack's %d, %d bits, %d lanes)"
                     % (name, tensor.code, tensor.bits, tensor.lanes))
    device = _DEVICES.get(tensor.device_type, "device %d" % tensor.device_type)
    if device != HOST:
        device += ":%d" % tensor.device_id
    return Memory((tensor.data or 0) + tensor.byte_offset, tuple(tensor.shape[:tensor.ndim]),
                  tuple(tensor.strides[:tensor.ndim]) if tensor.strides else None, called, device, read_only, capsule)


def of_array(value: np.ndarray[Any, Any], name: str) -> Memory:
    if isinstance(value, np.ma.MaskedArray):
        raise refuse("Mismatch", "%s has a mask; give %s.filled(...)" % (name, name))
    called = dtype_name(value.dtype)
    if called is None:
        swapped = value.dtype.newbyteorder() if value.dtype.kind in "iufb" else value.dtype
        if dtype_name(swapped) is not None:
            raise refuse("Mismatch", "%s is %s, in the other byte order; give %s.astype(%r)"
                         % (name, value.dtype, name, str(swapped)))
        raise refuse("Mismatch", "%s has elements of type %s, which Looptree has not" % (name, value.dtype))
    size = value.dtype.itemsize
    odd = any(stride % size for stride in value.strides)
    if odd:
        value = np.ascontiguousarray(value)
        tell_copy(name, "its elements do not lie at multiples of their size")
    return Memory(value.__array_interface__["data"][0], value.shape, tuple(s // size for s in value.strides), called,
                  HOST, not value.flags.writeable, value)


def _of_literal(value: Any, name: str, dtype: str | None) -> Memory:
    """A number, or lists of numbers, in the type that is asked for, which has to have these values."""
    try:
        array = np.asarray(value)
    except Exception as error:
        raise refuse("Mismatch", "%s is no array: %s" % (name, error)) from error
    if array.size == 0 and array.dtype.kind == "f" or dtype is None:
        array = array if dtype is None else array.astype(NUMPY[dtype])
    elif array.dtype.kind in "iufb":
        with np.errstate(all="ignore"):
            cast = array.astype(NUMPY[dtype])
        whole = dtype[0] in "iu" or dtype == "bool" or cast.dtype == np.uint16
        if whole and not (array.dtype.kind != "f" and bool(np.all(cast == array))):
            raise refuse("Mismatch", "%s has values that are not of type %s" % (name, dtype))
        array = cast
    if dtype_name(array.dtype) is None:
        raise refuse("Mismatch", "%s is a %s, not an array of numbers" % (name, type(value).__name__))
    return of_array(array, name)


def _of_cuda(value: Any, cuda: Mapping[str, Any], name: str) -> Memory:
    """https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html; it does not say the device: CuPy does."""
    called = dtype_name(cuda["typestr"])
    if called is None:
        raise refuse("Mismatch", "%s has elements of type %s, which Looptree has not" % (name, cuda["typestr"]))
    if cuda.get("mask") is not None:
        raise refuse("Mismatch", "%s has a mask; give its elements without one" % name)
    size, strides = NUMPY[called].itemsize, cuda.get("strides")
    if strides and any(stride % size for stride in strides):
        raise refuse("Mismatch", "the elements of %s do not lie at multiples of their size" % name)
    number = getattr(getattr(value, "device", None), "id", 0)
    return Memory(cuda["data"][0] or 0, tuple(cuda["shape"]), strides and tuple(s // size for s in strides), called,
                  "cuda:%d" % (number if isinstance(number, int) else 0), bool(cuda["data"][1]), value,
                  cuda.get("stream"))


def may_write(value: Any, memory: Memory) -> bool:
    """Whether a result may be written there.  A capsule from before DLPack 1.0 does not say it (JAX's, whose arrays
    never change): numpy is asked then."""
    if memory.read_only:
        return False
    if memory.device != HOST or not _is_valid(memory.keeper, b"dltensor"):
        return True
    try:
        seen = np.asarray(value)
    except Exception:                   # numpy has not its type
        return True
    return bool(seen.flags.writeable) and seen.__array_interface__["data"][0] == memory.address


def look(value: Any, name: str, stream: int | None = None, dtype: str | None = None) -> Memory:
    """Where an argument lies.  Numbers and lists become arrays of `dtype`; what is no array is refused.  stream: that
    on which a device is to use it, which its library sees to."""
    if isinstance(value, np.ndarray):
        return of_array(value, name)
    if isinstance(value, (bool, int, float, list, tuple)):
        return _of_literal(value, name, dtype)
    device = getattr(value, "__dlpack_device__", None)
    if device is not None and not isinstance(value, np.generic):
        try:
            kind = device()[0]
        except Exception as error:
            raise refuse("Mismatch", "%s does not say where it is: %s" % (name, error)) from error
        if getattr(value, "requires_grad", False):
            value = value.detach()
        return _of_dlpack(value, name, **({"stream": stream} if stream is not None and kind in (2, 13) else {}))
    cuda = getattr(value, "__cuda_array_interface__", None)
    if cuda is not None:
        return _of_cuda(value, cuda, name)
    try:
        array = np.asarray(value)
    except Exception as error:
        raise refuse("Mismatch", "%s is no array: %s" % (name, str(error).partition("\n")[0])) from error
    if array.dtype.kind not in "iufb" and dtype_name(array.dtype) is None:
        raise refuse("Mismatch", "%s is a %s, not an array of numbers" % (name, type(value).__name__))
    return of_array(array, name)


# ---- arrays in a device's memory ----

def is_on_device(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return False
    device = getattr(value, "__dlpack_device__", None)
    if device is not None:
        try:
            return int(device()[0]) in (2, 10, 13)
        except Exception:               # look says why
            return False
    return hasattr(value, "__cuda_array_interface__")


class Library(NamedTuple):
    """How the library that gave an array makes others beside it."""
    empty: Callable[[tuple[int, ...], str], Any]
    clone: Callable[[Any], Any]


LEGACY = 1              # the handle of CUDA's legacy stream, where 0 means none


def library_of(value: Any) -> tuple[Library | None, int]:
    """Of an array on a device: its library, if that is known, and the stream of CUDA on which the caller works."""
    called = type(value).__module__.split(".")[0]
    if called == "torch":
        import torch
        kinds = {"bf16": torch.bfloat16, "bool": torch.bool}
        return (Library(lambda shape, dtype: torch.empty(shape, dtype=kinds.get(dtype) or getattr(
                            torch, NUMPY[dtype].name), device=value.device), lambda v: v.clone().contiguous()),
                torch.cuda.current_stream(value.device).cuda_stream or LEGACY)
    if called == "cupy":
        import cupy
        return (Library(lambda shape, dtype: cupy.empty(shape, NUMPY[dtype]), lambda v: v.copy(order="C")),
                cupy.cuda.get_current_stream().ptr or LEGACY)
    cuda = getattr(value, "__cuda_array_interface__", None) or {}
    return None, cuda.get("stream") or LEGACY
