"""Arrays in a device's memory, on a driver that is not there; test_device.py runs this file in a process of its own."""
import gc

import dlpack
import mock_cuda as m
import numpy as np
import pytest
from mock_cuda import CupyArray, DeviceArray, JaxArray, NumbaArray, Stream, TorchTensor, cupy, mock, torch

import looptree as lt

TEXT = "x = InputTensor(x, float32, [2, 3]); w = InputTensor(w, float32, [2, 3]); y = x * x - w; result = y;"
X = np.float32([[1, 2, 3], [4, 5, 6]])
W = np.float32([[9, -1, 0], [2, 2, 7]])
WANT = X * X - W
failed = []


@m.RUN
def run(launch):
    """A launch of the kernel of TEXT: its arguments are x, w and y, in this order."""
    try:
        x, w, y = (np.frombuffer((m.c.c_float * 6).from_address(mock.host(launch[0].arg[i])), "f4") for i in range(3))
        y[:] = x * x - w
    except Exception as error:
        failed.append(error)
    return 0


@m.COUNT
def count(code, function):
    return 3


mock.run_code, mock.parameters = run, count
LIBRARIES = {CupyArray: cupy, TorchTensor: torch}


@pytest.fixture(scope="module")
def p():
    made = lt.compile(TEXT, backend="cuda")
    assert "(const float *x, const float *w, float *y)" in made.source()
    return made


@pytest.fixture(autouse=True)
def nothing_wrong():
    cupy.stream, torch.stream = Stream(), Stream()
    before = len(dlpack.alive)
    yield
    gc.collect()
    assert mock.wrong == b"" and not failed
    assert len(dlpack.alive) == before, "capsules that never go"


@pytest.mark.parametrize("kind", LIBRARIES)
def test_on_the_callers_stream(p, kind):
    """The input is written on the caller's stream: a run on another one would not see it."""
    stream = LIBRARIES[kind].stream
    x, w = kind((2, 3), "f4").fill(7).send(X, stream), kind((2, 3), "f4").fill(W)
    copies, launches = mock.copies, mock.launches
    with lt.options(copies="error"):
        y = p(x=x, w=w)
    assert type(y) is kind and mock.launches == launches + 1
    assert mock.copies == copies                        # no copy to or from the device
    np.testing.assert_array_equal(y.numpy(), WANT)
    if kind is TorchTensor:
        assert kind.asked == {"stream": stream.ptr, "max_version": (1, 0)}


def test_another_stream_would_not_do(p):
    """What the test above relies on."""
    other = Stream()
    x = CupyArray((2, 3), "f4").fill(7).send(X, other)
    y = p(x=x, w=CupyArray((2, 3), "f4").fill(W))
    np.testing.assert_array_equal(y.numpy(), 49 - W)
    other.wait()


@pytest.mark.parametrize("kind", LIBRARIES)
def test_streams_one_after_the_other(p, kind):
    for i in range(6):
        stream = LIBRARIES[kind].stream = Stream() if i % 2 else LIBRARIES[kind].stream
        y = p(x=kind((2, 3), "f4").fill(0).send(X + i, stream), w=kind((2, 3), "f4").fill(W))
        np.testing.assert_array_equal(y.numpy(), (X + i) ** 2 - W)


@pytest.mark.parametrize("kind", LIBRARIES)
def test_strided_unaligned_and_shared_arrays_are_cloned(p, kind):
    w = kind((2, 3), "f4").fill(W)
    turned = kind((2, 3), "f4", strides=(1, 2)).fill(X)
    odd = kind((2, 3), "f4", offset=1).fill(X)
    for x, why in ((turned, "dense"), (odd, "aligned")):
        with pytest.raises(lt.Invalid, match="would be copied: a device takes dense arrays at aligned"):
            with lt.options(copies="error"):
                p(x=x, w=w)
        with lt.options(copies="warn"), pytest.warns(UserWarning, match=why):
            np.testing.assert_array_equal(p(x=x, w=w).numpy(), WANT)
    with lt.options(copies="warn"), pytest.warns(UserWarning, match="shares memory"):
        np.testing.assert_array_equal(p(x=w, w=w).numpy(), W * W - W)


@pytest.mark.parametrize("kind", [*LIBRARIES, JaxArray, NumbaArray])
def test_out(p, kind):
    x, w, y = (kind((2, 3), "f4").fill(values) for values in (X, W, 0))
    NumbaArray.stream = Stream().ptr
    JaxArray.__cuda_array_interface__ = {"stream": cupy.stream.ptr}     # the mock has no legacy stream
    try:
        assert p(x=x, w=w, out=y) is y
        np.testing.assert_array_equal(y.numpy(), WANT)
    finally:
        NumbaArray.stream = None
        del JaxArray.__cuda_array_interface__


def test_capsules_of_each_version(p):
    for version in (None, (1, 0), (1, 3)):
        TorchTensor.version = version
        y = p(x=TorchTensor((2, 3), "f4").fill(X), w=TorchTensor((2, 3), "f4").fill(W))
        np.testing.assert_array_equal(y.numpy(), WANT)
    TorchTensor.version = (2, 0)
    try:
        with pytest.raises(lt.Unsupported, match="DLPack 2, where 1 is known"):
            p(x=TorchTensor((2, 3), "f4"), w=TorchTensor((2, 3), "f4"))
    finally:
        TorchTensor.version = (1, 0)


def test_a_tensor_with_a_gradient_is_lent(p):
    x = TorchTensor((2, 3), "f4").fill(X)
    x.requires_grad = True
    np.testing.assert_array_equal(p(x=x, w=TorchTensor((2, 3), "f4").fill(W)).numpy(), WANT)


def test_the_legacy_stream_has_its_own_handle():
    """0 is no stream for DLPack, and none for a run."""
    from looptree._memory import library_of
    for kind, library in LIBRARIES.items():
        library.stream = type("Default", (), {"ptr": 0, "cuda_stream": 0})()
        assert library_of(kind((1,), "f4"))[1] == 1
    assert library_of(NumbaArray((1,), "f4")) == (None, 1)


def test_constants_and_a_program_of_the_device():
    """Weights stay; one that was compiled for a device is not compiled again, and takes no arrays of the host."""
    text = TEXT.replace("InputTensor(w", "ConstantTensor(w")
    host = lt.compile(text, backend="cuda", weights={"w": W})
    there = lt.compile(text, backend="cuda", weights={"w": W}, on_device="*")
    for q in (host, there):
        y = q(x=CupyArray((2, 3), "f4").fill(X))
        np.testing.assert_array_equal(y.numpy(), WANT)
    assert there._elsewhere is None
    for call in (lambda: there(x=X), lambda: there.time(x=X), lambda: there.run({"x": X}, out=X.copy())):
        with pytest.raises(lt.Mismatch, match="'x' is on the host, and this program takes it on a device"):
            call()
    with pytest.raises(lt.Error, match="judged on the host|on a device"):
        there.verify(x=X)


def test_refused(p):
    a = CupyArray((2, 3), "f4")
    states = lt.compile("s = BufferTensor(s, float32, [2, 3]); x = InputTensor(x, float32, [2, 3]);"
                        "t = UpdateNode(s, s + x, 0, 0); result = t + 1;", backend="cuda")
    NumbaArray.read_only = True
    read_only = NumbaArray((2, 3), "f4")
    assert read_only.__cuda_array_interface__["data"][1]
    for call, kind, sentence in (
            (lambda: p(x=a, w=W), lt.Mismatch, "'w' is on the host, and this program takes it on a device"),
            (lambda: p(x=a), lt.Missing, "input 'w' is missing"),
            (lambda: p(x=a, v=a), lt.Missing, "no input is named 'v'"),
            (lambda: p(x=a, w=CupyArray((3, 2), "f4")), lt.Mismatch, r"\[3, 2\], and \[2, 3\]"),
            (lambda: p(x=a, w=CupyArray((2, 3), "f8")), lt.Mismatch, "f64, and f32"),
            (lambda: p(x=a, w=CupyArray((2, 3), "c8")), lt.Mismatch, "which Looptree has not"),
            (lambda: p(x=a, w=CupyArray((2, 3), "f4", 1)), lt.Mismatch,
             "'w' is on cuda:1, and this program runs on device 0"),
            (lambda: p(x=JaxArray((2, 3), "f4"), w=a), lt.Unsupported, "torch or cupy; give out="),
            (lambda: p(x=NumbaArray((2, 3), "f4"), w=a, out=read_only), lt.Invalid, "cannot be written to"),
            (lambda: p(x=a, w=a.like(), out=CupyArray((2, 3), "f4", strides=(1, 2))), lt.Invalid, "side by side"),
            (lambda: p(x=a, w=a.like(), out=X.copy()), lt.Mismatch, "result 'result' is on the host"),
            (lambda: p(x=a, w=a.like(), out=CupyArray((3, 2), "f4")), lt.Mismatch, r"\[3, 2\]"),
            (lambda: p(x=X, w=W, out=a), lt.Mismatch, "result 'result' is on cuda:0"),
            (lambda: states(x=a), lt.Unsupported, "compile it with on_device="),
            (lambda: lt.compile(TEXT, backend="ref")(x=a, w=a), lt.Mismatch, "compile it with backend='cuda'"),
            (lambda: lt.compile(TEXT, backend="cuda", weights={"w": a}), lt.Error, ".")):
        with pytest.raises(kind, match=sentence):
            call()
    y = p(x=a.fill(X), w=a.like().fill(W))
    np.testing.assert_array_equal(y.numpy(), WANT)
    NumbaArray.read_only = None


def test_one_run_is_on_one_stream(p):
    x, w = CupyArray((2, 3), "f4").fill(X), NumbaArray((2, 3), "f4").fill(W)
    np.testing.assert_array_equal(p(x=x, w=w).numpy(), WANT)            # it says no stream: nothing to wait for
    w.stream = Stream().ptr
    with pytest.raises(lt.Invalid, match="'w' comes to be on the stream 0x"):
        p(x=x, w=w)
    w.stream = cupy.stream.ptr
    np.testing.assert_array_equal(p(x=x, w=w).numpy(), WANT)


def test_the_second_device():
    q = lt.compile(TEXT, backend="cuda:device=1")
    torch.stream = Stream(1)
    x, w = TorchTensor((2, 3), "f4", 1).fill(0).send(X, torch.stream), TorchTensor((2, 3), "f4", 1).fill(W)
    y = q(x=x, w=w)
    assert y.number == 1 and mock.device_of_launch == 1
    np.testing.assert_array_equal(y.numpy(), WANT)
    with pytest.raises(lt.Mismatch, match="is on cuda:0, and this program runs on device 1"):
        q(x=TorchTensor((2, 3), "f4"), w=w)


def test_memory_of_the_host_from_a_device():
    """Pinned memory (kDLCUDAHost) is the host's."""
    class Pinned:
        def __dlpack_device__(self):
            return 3, 0

        def __dlpack__(self, *, max_version=None):
            return dlpack.capsule(X.ctypes.data, X.shape, X.dtype, (3, 0))
    q = lt.compile("x = InputTensor(x, float32, [2, 3]); result = CopyNode(x);", backend="ref")
    np.testing.assert_array_equal(q(x=Pinned()), X)


def test_nothing_is_left():
    """What programs and arrays had on the device."""
    gc.collect()
    assert mock.blocks < 40 and mock.wrong == b""
    assert DeviceArray and mock.lost == 0
