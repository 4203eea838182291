"""Capsules of DLPack as any library may make them, of any memory, and who still has one."""
import ctypes as c

import numpy as np

class _Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32), ("ndim", c.c_int32),
                ("code", c.c_uint8), ("bits", c.c_uint8), ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


class _Old(c.Structure):
    _fields_ = [("tensor", _Tensor), ("ctx", c.c_void_p), ("deleter", c.c_void_p)]


class _New(c.Structure):
    _fields_ = [("major", c.c_uint32), ("minor", c.c_uint32), ("ctx", c.c_void_p), ("deleter", c.c_void_p),
                ("flags", c.c_uint64), ("tensor", _Tensor)]


_python = c.PyDLL(None)
_new = _python.PyCapsule_New
_new.restype, _new.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]
_at = _python.PyCapsule_GetPointer
_at.restype, _at.argtypes = c.c_void_p, [c.c_void_p, c.c_char_p]
_named = _python.PyCapsule_GetName
_named.restype, _named.argtypes = c.c_char_p, [c.c_void_p]
alive = {}                              # what capsules lend, by its address


@c.CFUNCTYPE(None, c.c_void_p)
def _gone(capsule):
    """A capsule goes that nobody used up."""
    del alive[_at(capsule, _named(capsule))]


def capsule(address, shape, dtype, device, strides=None, version=(1, 0), flags=0, lanes=1, code=None, offset=0,
            owner=None):
    """version None: a capsule of before DLPack 1.0; owner: of the memory, kept."""
    dtype = np.dtype(dtype)
    n = len(shape)
    lent = _Old() if version is None else _New(major=version[0], minor=version[1], flags=flags)
    dims = (c.c_int64 * max(1, n))(*shape), strides and (c.c_int64 * max(1, n))(*strides)
    lent.tensor = _Tensor(address - offset, *device, n, {"i": 0, "u": 1, "f": 2, "b": 6}[dtype.kind]
                          if code is None else code, 8 * dtype.itemsize, lanes, dims[0], dims[1] or None, offset)
    alive[c.addressof(lent)] = lent, dims, owner
    return _new(c.addressof(lent), b"dltensor" if version is None else b"dltensor_versioned", _gone)
