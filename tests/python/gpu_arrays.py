"""Arrays of PyTorch, CuPy and JAX in the memory of a GPU that is there: python -m pytest tests/python/gpu_arrays.py

Not a part of make check, which has a driver that is not there (test_device.py).
"""
import threading

import numpy as np
import pytest

import looptree as lt

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU of NVIDIA that PyTorch can use", allow_module_level=True)

TEXT = "x = InputTensor(x, float32, [256, 512]); w = InputTensor(w, float32, [512, 128]); y = x @ w; result = y;"
LONG = 200_000_000                      # cycles: a tenth of a second


@pytest.fixture(scope="module")
def p():
    return lt.compile(TEXT, backend="cuda")


@pytest.fixture(scope="module")
def data():
    """Whole numbers, whose sums are exact."""
    random = np.random.default_rng(3)
    return (random.integers(-8, 9, (256, 512)).astype("f4"), random.integers(-8, 9, (512, 128)).astype("f4"))


def equal(y, want):
    np.testing.assert_array_equal(np.asarray(y.cpu() if hasattr(y, "cpu") else y.get()), want)


def test_the_default_stream(p, data):
    x, w = (torch.from_numpy(a).cuda() for a in data)
    with lt.options(copies="error"):
        y = p(x=x, w=w)
    assert y.is_cuda and y.dtype is torch.float32 and y.shape == (256, 128)
    equal(y, data[0] @ data[1])


def test_what_is_under_way_on_a_stream(p, data):
    """The input is written long after the call; the run comes after that."""
    host = [torch.from_numpy(a).pin_memory() for a in data]
    for stream in (torch.cuda.Stream(), torch.cuda.Stream(), torch.cuda.default_stream()):
        with torch.cuda.stream(stream):
            x, w = torch.zeros(256, 512, device="cuda"), host[1].cuda()
            stream.synchronize()
            torch.cuda._sleep(LONG)
            x.copy_(host[0], non_blocking=True)
            y = p(x=x, w=w)
        equal(y, data[0] @ data[1])


def test_a_tensor_of_another_stream(p, data):
    """Its memory is written on the current stream, as PyTorch asks for; another one has to be waited for."""
    other = torch.cuda.Stream()
    with torch.cuda.stream(other):
        torch.cuda._sleep(LONG)
        x, w = (torch.from_numpy(a).cuda() for a in data)
    torch.cuda.current_stream().wait_stream(other)
    equal(p(x=x, w=w), data[0] @ data[1])


@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "bfloat16", "int8", "int16", "int32", "int64",
                                  "uint8", "bool"])
def test_types(kind):
    q = lt.compile("x = InputTensor(x, %s, [3, 5]); result = CopyNode(x);" % kind, backend="cuda")
    x = torch.arange(15).reshape(3, 5).to(getattr(torch, kind)).cuda()
    y = q(x=x)
    assert y.dtype is x.dtype and torch.equal(x, y)


def test_views_gradients_and_shared_memory(data):
    q = lt.compile("a = InputTensor(a, float32, [64, 64]); b = InputTensor(b, float32, [64, 64]); result = a - b + b;",
                   backend="cuda")
    t = torch.arange(4 * 4096, dtype=torch.float32, device="cuda")
    a, b = t[:4096].reshape(64, 64), t[4096:8192].reshape(64, 64)
    for x in (a.T, t[1:4097].reshape(64, 64), t[::4].reshape(64, 64), b, torch.nn.Parameter(a.clone())):
        assert torch.equal(q(a=x, b=b), x - b + b)
    with pytest.raises(lt.Invalid, match="would be copied"), lt.options(copies="error"):
        q(a=a.T, b=b)
    with pytest.raises(lt.Mismatch, match="conjugate|complex|has not"):
        q(a=a.to(torch.complex64), b=b)


def test_out(p, data):
    x, w = (torch.from_numpy(a).cuda() for a in data)
    whole = torch.full((3, 256, 128), -1.0, device="cuda")
    assert p(x=x, w=w, out=whole[1]) is not None
    equal(whole[1], data[0] @ data[1])
    assert bool((whole[0] == -1).all() and (whole[2] == -1).all())
    with pytest.raises(lt.Invalid, match="side by side"):
        p(x=x, w=w, out=torch.zeros(128, 256, device="cuda").T)
    with pytest.raises(lt.Mismatch, match="'w' is on the host"):
        p(x=x, w=data[1])


def test_constants_and_open_extents():
    w = np.arange(12, dtype="f4").reshape(3, 4)
    q = lt.compile("x = InputTensor(x, float32, [2, 3]); w = ConstantTensor(w, float32, [3, 4]); result = x @ w;",
                   backend="cuda", weights={"w": w})
    x = np.float32([[1, 2, 3], [4, 5, 6]])
    equal(q(x=torch.from_numpy(x).cuda()), x @ w)
    np.testing.assert_array_equal(q(x=x), x @ w)                # and on the host


def test_states_stay_on_a_program_of_the_device():
    q = lt.compile("s = BufferTensor(s, float32, [4]); x = InputTensor(x, float32, [4]); t = UpdateNode(s, s + x, 0);"
                   "result = t + 0;", backend="cuda", on_device="*")
    x = torch.ones(4, device="cuda")
    for i in range(1, 5):
        equal(q(x=x), np.full(4, i, "f4"))


def test_cupy(p, data):
    cupy = pytest.importorskip("cupy")
    x, w = map(cupy.asarray, data)
    y = p(x=x, w=w)
    assert type(y) is cupy.ndarray
    equal(y, data[0] @ data[1])
    with cupy.cuda.Stream(non_blocking=True) as stream:
        late = cupy.zeros_like(x)
        stream.synchronize()
        for _ in range(300):
            late += x
        y = p(x=late, w=w)
    equal(y, 300 * (data[0] @ data[1]))
    equal(p(x=cupy.asarray(data[0].T.copy()).T, w=w), data[0] @ data[1])


def test_only_the_array_interface(p, data):
    """As numba's arrays: results are in an array that the caller has."""
    class Interface:
        def __init__(self, of):
            self.of, self.__cuda_array_interface__ = of, of.__cuda_array_interface__
    x, w = (torch.from_numpy(a).cuda() for a in data)
    y = torch.zeros(256, 128, device="cuda")
    torch.cuda.synchronize()
    out = Interface(y)
    assert p(x=Interface(x), w=Interface(w), out=out) is out
    equal(y, data[0] @ data[1])
    with pytest.raises(lt.Unsupported, match="give out="):
        p(x=Interface(x), w=Interface(w))


def test_jax(p, data):
    jax = pytest.importorskip("jax")
    try:
        gpu = jax.devices("cuda")[0]
    except RuntimeError as error:
        pytest.skip("JAX has no GPU: %s" % error)
    x, w = (jax.device_put(a, gpu) for a in data)
    y = torch.zeros(256, 128, device="cuda")
    p(x=x * 1, w=w, out=y)
    equal(y, data[0] @ data[1])
    equal(p(x=torch.from_dlpack(x), w=torch.from_dlpack(w)), data[0] @ data[1])
    with pytest.raises(lt.Unsupported, match="torch or cupy"):
        p(x=x, w=w)


def test_threads_with_streams_of_their_own(p, data):
    w, wrong = torch.from_numpy(data[1]).cuda(), []
    torch.cuda.synchronize()

    def work(i):
        with torch.cuda.stream(torch.cuda.Stream()):
            for j in range(50):
                x = torch.from_numpy(data[0] + i + j).cuda()
                if not np.array_equal(p(x=x, w=w).cpu().numpy(), (data[0] + i + j) @ data[1]):
                    wrong.append((i, j))
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_memory_stays_the_same(p, data):
    x, w = (torch.from_numpy(a).cuda() for a in data)

    def used(n):
        for _ in range(n):
            p(x=x, w=w)
        torch.cuda.synchronize()
        return torch.cuda.memory_allocated(), torch.cuda.mem_get_info()[0]
    used(100)
    before = used(100)
    assert used(5000) == before
