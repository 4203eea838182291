"""Arrays of others, lent without a copy where that is possible; what is copied is told."""
import array
import gc
import warnings

import dlpack
import numpy as np
import pytest

import looptree as lt


def copy_of(kind, shape="[2, 3]"):
    return lt.compile("x = InputTensor(x, %s, %s); result = CopyNode(x);" % (kind, shape), backend="ref")


X = np.float32([[1, -2, np.nan], [4, np.inf, -0.0]])


def no_copies(p, **inputs):
    with lt.options(copies="error"):
        return p(**inputs)


def test_buffers():
    p = copy_of("float64", "[3]")
    for given in (array.array("d", [1, 2, 3]), memoryview(np.arange(1., 4)), np.arange(1., 4)):
        np.testing.assert_array_equal(no_copies(p, x=given), [1, 2, 3])
    np.testing.assert_array_equal(copy_of("uint8", "[3]")(x=bytearray(b"\1\2\3")), [1, 2, 3])
    np.testing.assert_array_equal(copy_of("int64", "[2]")(x=array.array("q", [-1, 2])), [-1, 2])


def test_array_interface():
    class Own:
        __array_interface__ = X.__array_interface__
    np.testing.assert_array_equal(no_copies(copy_of("float32"), x=Own()), X)


def test_read_only_and_unaligned():
    x = X.copy()
    x.flags.writeable = False
    np.testing.assert_array_equal(no_copies(copy_of("float32"), x=x), X)
    raw = np.zeros(25, "u1")
    odd = raw[1:].view("f4").reshape(2, 3)
    odd[...] = X
    with lt.options(copies="warn"), pytest.warns(UserWarning, match="copied"):
        np.testing.assert_array_equal(copy_of("float32")(x=odd), X)


@pytest.mark.parametrize("view", [lambda a: np.asfortranarray(a), lambda a: np.repeat(a, 2, 1)[:, ::2],
                                  lambda a: a[::-1].copy()[::-1], lambda a: np.broadcast_to(a[:1], (2, 3))])
def test_copies_are_told(view):
    p, x = copy_of("float32"), view(X)
    np.testing.assert_array_equal(p(x=x), x)
    with lt.options(copies="warn"), pytest.warns(UserWarning, match="input 'x' is copied: its elements do not lie"):
        np.testing.assert_array_equal(p(x=x), x)
    with pytest.raises(lt.Invalid, match="would be copied"):
        no_copies(p, x=x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with lt.options(copies="warn"):
            p(x=X)


def test_inputs_that_share_memory():
    p = lt.compile("a = InputTensor(a, float32, [3]); b = InputTensor(b, float32, [3]); result = a - b;", backend="ref")
    x = np.float32([1, 2, 3, 4])
    np.testing.assert_array_equal(p(a=x[:3], b=x[1:]), [-1, -1, -1])
    with lt.options(copies="warn"), pytest.warns(UserWarning, match="shares memory"):
        np.testing.assert_array_equal(p(a=x[:3], b=x[:3]), [0, 0, 0])
    y = np.float32([1, 2, 3, 9, 9, 9])
    np.testing.assert_array_equal(no_copies(p, a=y[:3], b=y[3:]), [-8, -7, -6])     # they touch


def test_ones_and_empty_axes():
    """A stride of an axis of 1 means nothing."""
    p = copy_of("float32", "[3, 1]")
    x = np.zeros((3, 4), "f4")[:, :1].copy()
    x[:, 0] = [1, -2, 3]
    np.testing.assert_array_equal(no_copies(p, x=x), x)
    np.testing.assert_array_equal(no_copies(p, x=np.lib.stride_tricks.as_strided(x, (3, 1), (4, 999))), x)


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([[1, -2.5, np.nan], [3, np.inf, -0.0]], ml_dtypes.bfloat16)
    p = copy_of("bfloat16")
    y = no_copies(p, x=x)
    assert y.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(y.astype("f4"), x.astype("f4"))
    double = lt.compile("x = InputTensor(x, bfloat16, [2, 3]); result = x + x;", backend="ref")(x=np.asfortranarray(x))
    np.testing.assert_array_equal(double.astype("f4"), (x + x).astype("f4"))


def test_torch():
    torch = pytest.importorskip("torch")
    p = copy_of("float32")
    t = torch.from_numpy(X.copy())
    np.testing.assert_array_equal(no_copies(p, x=t), X)
    np.testing.assert_array_equal(no_copies(p, x=t.clone().requires_grad_()), X)
    np.testing.assert_array_equal(p(x=t.T.contiguous().T), X)
    with pytest.raises(lt.Invalid, match="would be copied"):
        no_copies(p, x=t.T.contiguous().T)
    out = torch.zeros(2, 3)
    assert p(x=t, out=out) is out
    np.testing.assert_array_equal(out.numpy(), X)
    for kind in ("float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "bool"):
        x = torch.tensor([[1, 0, 1], [0, 1, 1]]).to(getattr(torch, kind))
        y = no_copies(copy_of(kind), x=x)
        np.testing.assert_array_equal(y.astype("f4"), x.to(torch.float32).numpy())
    with pytest.raises(lt.Mismatch, match="has elements of a type|complex"):
        p(x=torch.zeros(2, 3, dtype=torch.complex64))
    with pytest.raises(lt.Mismatch):
        p(x=torch.zeros(2, 3, device="meta"))
    with pytest.raises(lt.Mismatch):
        p(x=torch.eye(3).to_sparse())


class Producer:
    """Of memory of numpy's, with anything else as it is said."""

    def __init__(self, of=X, device=(1, 0), **how):
        self.of, self.device, self.how = of.copy(), device, how

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, max_version=None):
        return dlpack.capsule(self.of.ctypes.data, self.of.shape, self.of.dtype, self.device, owner=self.of, **self.how)


class Old(Producer):
    """Of before DLPack 1.0, of arrays that never change, as JAX's are."""

    def __dlpack__(self, stream=None):
        return dlpack.capsule(self.of.ctypes.data, self.of.shape, self.of.dtype, self.device, version=None,
                              owner=self.of)

    def __array__(self, *_, **__):
        seen = self.of.view()
        seen.flags.writeable = False
        return seen


def test_capsules():
    p, begun = copy_of("float32"), len(dlpack.alive)
    turned = np.ascontiguousarray(X.T)
    for given in (Producer(), Producer(version=(1, 7)), Producer(version=None), Producer(flags=1), Producer(offset=4),
                  Producer(device=(3, 0)), Old()):
        np.testing.assert_array_equal(no_copies(p, x=given), X)
    np.testing.assert_array_equal(p(x=Producer(turned.reshape(2, 3), strides=(1, 2))), X)
    empty = lt.compile("x = InputTensor(x, float32, []); result = CopyNode(x);", backend="ref")
    assert empty(x=Producer(np.float32([7]).reshape(()))) == 7
    out = Producer(np.zeros((2, 3), "f4"))
    assert p(x=X, out=out) is out
    np.testing.assert_array_equal(out.of, X)
    gc.collect()
    assert len(dlpack.alive) == begun, "capsules that never go"


def test_capsules_that_are_refused():
    p = copy_of("float32")

    class Used(Producer):
        def __dlpack__(self, **how):
            used = super().__dlpack__(**how)
            np.from_dlpack(type("Lends", (), {"__dlpack__": lambda *_, **__: used,
                                              "__dlpack_device__": lambda _: (1, 0)})())
            return used

    class Text(Producer):
        def __dlpack__(self, **_):
            return "a text"
    for given, kind, sentence in (
            (Producer(version=(2, 0)), lt.Unsupported, "DLPack 2, where 1 is known"),
            (Producer(lanes=4), lt.Mismatch, "4 lanes"), (Producer(code=5), lt.Mismatch, "DLPack's 5, 32 bits"),
            (Producer(device=(7, 2)), lt.Mismatch, "on device 7:2, and this program takes it on the host"),
            (Used(), lt.Mismatch, "no tensor of DLPack that is still to be taken"),
            (Text(), lt.Mismatch, "a str for its memory"), (Producer(X[:1]), lt.Mismatch, r"\[1, 3\]")):
        with pytest.raises(kind, match=sentence):
            p(x=given)
    for out in (Producer(flags=1), Old()):
        with pytest.raises(lt.Invalid, match="'result' cannot be written to"):
            p(x=2 * X, out=out)
        np.testing.assert_array_equal(out.of, X)


def test_jax():
    """Arrays of JAX are lent, of each type; they never change, so that they are no place for results."""
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    for kind in ("float64", "float32", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16",
                 "uint32", "uint64", "bool"):
        x = jax.numpy.array([[1, 0, 1], [0, 1, 1]]).astype(kind)
        y = no_copies(copy_of(kind), x=x)
        assert y.dtype == x.dtype
        np.testing.assert_array_equal(np.asarray(y), np.asarray(x))
    p, x = copy_of("float32"), jax.numpy.asarray(X)
    np.testing.assert_array_equal(p(x=x[::-1].T.T), X[::-1])
    np.testing.assert_array_equal(np.asarray(jax.numpy.asarray(p(x=x)) + 1), X + 1)
    with pytest.raises(lt.Invalid, match="'result' cannot be written to"):
        p(x=x + 1, out=x)
    np.testing.assert_array_equal(np.asarray(x), X)
    with pytest.raises(lt.Mismatch, match="^x is no array: .*traced"):
        jax.jit(lambda x: p(x=x))(x)


def test_results_are_new():
    p = copy_of("float32")
    a, b = p(x=X), p(x=2 * X)
    assert not np.shares_memory(a, b) and not np.shares_memory(a, X)
    a[...] = 0
    np.testing.assert_array_equal(b, 2 * X)


def test_what_is_bound_stays():
    """A constant is borrowed: the program keeps it."""
    p = lt.compile("x = InputTensor(x, float32, [1000]); w = ConstantTensor(w, float32, [1000]); result = x * w;",
                   backend="ref", weights={"w": np.full(1000, -3, "f4")})
    for i in range(100):
        np.full(1000, i, "f4")
    np.testing.assert_array_equal(p(x=np.ones(1000, "f4")), np.full(1000, -3, "f4"))
