"""Arrays of others, lent without a copy where that is possible; what is copied is told."""
import array
import warnings

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
