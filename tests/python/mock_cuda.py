"""Arrays in the memory of a GPU that is not there: the driver of tests/cuda/mock.h, with two devices, and on it
libraries that give arrays as CuPy, PyTorch and others do.

Its kernels are functions of numpy: `kernel` is called with the arguments of a launch.  What is enqueued runs when
somebody waits for it: what is not on the right stream is not there when it is read.
"""
import ctypes as c
import importlib.util
import os
import sys
import types
import weakref

import numpy as np
from dlpack import capsule


class Launch(c.Structure):
    _fields_ = [("code", c.c_void_p), ("function", c.c_char_p), ("arg", c.POINTER(c.c_uint64))]


RUN = c.CFUNCTYPE(c.c_int, c.POINTER(Launch))
COUNT = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_char_p)


class Mock(c.Structure):
    _fields_ = [("n_device", c.c_int), ("memory", c.c_size_t * 2), ("fail", c.c_char * 64), ("fail_at", c.c_int),
                ("fail_with", c.c_int), ("lost", c.c_int),
                *((name, c.c_int) for name in ("blocks", "pinned", "streams", "events", "modules", "contexts", "graphs",
                                               "graphs_made", "handles")),
                ("bytes", c.c_size_t),
                *((name, c.c_int) for name in ("launches", "graph_launches", "copies", "waits", "early", "calls",
                                               "choices", "compute")),
                *((name, c.c_uint * 3) for name in ("blocks_of_launch", "threads_of_launch")),
                ("shared_of_launch", c.c_uint), ("device_of_launch", c.c_int), ("wrong", c.c_char * 200),
                ("host", c.CFUNCTYPE(c.c_void_p, c.c_uint64)), ("kernels", c.c_void_p), ("parameters", COUNT),
                ("run_code", RUN)]


driver = c.CDLL(os.path.join(os.environ.get("O", "build"), "tests", "cuda", "libcuda.so.1"))
driver.mock_cuda.restype = c.POINTER(Mock)
mock = driver.mock_cuda().contents
_U64, _contexts = c.c_uint64, {}


def ask(name, *arguments):
    status = getattr(driver, name)(*arguments)
    assert status == 0, "%s: %d" % (name, status)


class Current:
    """A device's context, as its library has it current."""

    def __init__(self, device):
        self.device = device

    def __enter__(self):
        if self.device not in _contexts:
            context = c.c_void_p()
            ask("cuInit", 0)
            ask("cuDevicePrimaryCtxRetain", c.byref(context), self.device)
            _contexts[self.device] = context
        ask("cuCtxPushCurrent_v2", _contexts[self.device])

    def __exit__(self, *_):
        ask("cuCtxPopCurrent_v2", c.byref(c.c_void_p()))


class Stream:
    def __init__(self, device=0):
        at = c.c_void_p()
        with Current(device):
            ask("cuStreamCreate", c.byref(at), 1)
        self.ptr = self.cuda_stream = at.value
        self.device = device

    def wait(self):
        with Current(self.device):
            ask("cuStreamSynchronize", c.c_void_p(self.ptr))


class Block:
    """Memory of a device."""

    def __init__(self, device, size):
        at = _U64()
        with Current(device):
            ask("cuMemAlloc_v2", c.byref(at), c.c_size_t(size))
        self.at, self.device = at.value, device
        weakref.finalize(self, Block.free, at.value, device)

    @staticmethod
    def free(at, device):
        with Current(device):
            ask("cuMemFree_v2", _U64(at))


class DeviceArray:
    """What the arrays of such libraries have in common.  offset and strides: in elements."""

    def __init__(self, shape, dtype, device=0, strides=None, offset=0, block=None):
        self.shape, self.dtype, self.strides, self.offset = tuple(shape), np.dtype(dtype), strides, offset
        self.number = device
        room = max(1, int(np.prod(shape)), offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides or ())))
        self.block = block or Block(device, room * self.dtype.itemsize)
        self.at = self.block.at + offset * self.dtype.itemsize

    def _host(self):
        at = mock.host(self.at)
        view = np.frombuffer((c.c_char * self.dtype.itemsize).from_address(at), self.dtype)
        steps = self.strides or [int(np.prod(self.shape[i + 1:])) for i in range(len(self.shape))]
        return np.lib.stride_tricks.as_strided(view, self.shape, [s * self.dtype.itemsize for s in steps])

    def numpy(self):
        return self._host().copy()

    def fill(self, values):
        """At once."""
        self._host()[...] = values
        return self

    def send(self, values, stream):
        """On a stream: there when that is waited for."""
        self.sent = np.ascontiguousarray(values, self.dtype)
        with Current(self.number):
            ask("cuMemcpyHtoDAsync_v2", _U64(self.at), c.c_void_p(self.sent.ctypes.data), c.c_size_t(self.sent.nbytes),
                c.c_void_p(stream.ptr))
        return self

    def like(self):
        return type(self)(self.shape, self.dtype, self.number).fill(self.numpy())


# ---- libraries ----

class Dlpack:
    """A mixin: DLPack as it is now; `asked`: with what it was asked last."""
    version = (1, 0)
    flags = 0

    def __dlpack_device__(self):
        return 2, self.number

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        type(self).asked = {"stream": stream, "max_version": max_version}
        return capsule(self.at, self.shape, self.dtype, (2, self.number), self.strides,
                       self.version if max_version else None, self.flags, owner=self.block)


class CupyArray(DeviceArray):
    """As of CuPy: __cuda_array_interface__, version 3."""
    @property
    def device(self):
        return types.SimpleNamespace(id=self.number)

    @property
    def __cuda_array_interface__(self):
        size = self.dtype.itemsize
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.at, False), "version": 3,
                "strides": self.strides and tuple(s * size for s in self.strides), "stream": self.stream}

    @property
    def stream(self):
        return cupy.stream.ptr

    def copy(self, order):
        assert order == "C"
        return self.like()


class TorchTensor(Dlpack, DeviceArray):
    """As of PyTorch: DLPack."""
    requires_grad = False

    @property
    def device(self):
        return types.SimpleNamespace(type="cuda", index=self.number)

    def clone(self):
        return types.SimpleNamespace(contiguous=self.like)

    def __dlpack__(self, **how):
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        assert how.get("stream") not in (0, 2), "unsupported stream on CUDA"
        return super().__dlpack__(**how)

    def detach(self):
        return TorchTensor(self.shape, self.dtype, self.number, self.strides, self.offset, self.block)


class JaxArray(Dlpack, DeviceArray):
    """Of a library that makes no arrays here; as JAX's, whose capsules are old."""
    version = None


class NumbaArray(DeviceArray):
    """Of a library that says a stream, and makes no arrays here."""
    stream = read_only = None

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.at, bool(self.read_only)), "version": 3,
                "strides": None, **({"stream": self.stream} if self.stream else {})}


def _library(name, array, **members):
    array.__module__ = name
    module = types.ModuleType(name)
    module.__spec__ = importlib.util.spec_from_loader(name, None)
    for member, value in members.items():
        setattr(module, member, value)
    sys.modules[name] = module
    return module


cupy = _library("cupy", CupyArray, stream=None, empty=lambda shape, dtype: CupyArray(shape, dtype))
cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: cupy.stream)
torch = _library("torch", TorchTensor, stream=None, Tensor=TorchTensor, bfloat16=np.uint16, bool=np.bool_,
                 float32=np.float32, empty=lambda shape, dtype, device: TorchTensor(shape, dtype, device.index))
torch.cuda = types.SimpleNamespace(current_stream=lambda device: torch.stream)
