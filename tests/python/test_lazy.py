"""Lazy arrays against numpy.

Tolerances of sums are derived: n terms in a type of unit roundoff u differ by at most 2 n u of the sum of the absolute
terms, in whatever order either adds, products rounded or not; functions owe what the table of operators says.
"""
import importlib.util
import os
import pathlib

import looptree as lt
import numpy as np
import pytest
from looptree import _native, lazy

ROOT = pathlib.Path(__file__).resolve().parents[2]
MNIST = ROOT.parent / "shared/data/mnist"
ULP = {row["name"]: row["ulp"] for row in _native.rows("operator")}
RANDOM = np.random.default_rng(7)


def draw(*shape, dtype="f4"):
    return RANDOM.standard_normal(shape).astype(dtype)


def near_sum(found, right, size, n):
    """size: the sum of the absolute terms; n terms, twice: ours and numpy's rounding."""
    assert found.shape == right.shape and found.dtype == right.dtype
    u = np.finfo(right.dtype).eps / 2
    assert np.all(np.abs(found - right) <= 2 * (n + 1) * u * size / (1 - (n + 1) * u))


def near_ulp(found, right, ulp):
    """found against a value in double: `ulp` units in the last place of its own type, and half a one of rounding."""
    step = np.spacing(np.abs(right).astype(found.dtype)).astype("f8")
    assert np.all(np.abs(found.astype("f8") - right) <= (ulp + 1) * step)


# ---- the examples of loop_tool's tests, in this spelling ----

def product(a, b):
    m, k, n = lt.dims("m k n")
    return (a[m, k] * b[k, n]).sum(k)


def correlate(x, w):
    i, j = lt.dims("i j")
    return (x[i + j] * w[j]).sum(j)


def conv2d(x, w, pad=0):
    c, h, v, co, kh, kv = lt.dims("c h v co kh kv")
    if pad:
        x = x[c, h, v].pad(h, pad).pad(v, pad)
    return (x[c, h + kh, v + kv] * w[co, c, kh, kv]).sum(c, kh, kv).transpose(co, h, v)


def conv2d_by_windows(x, w, pad):
    x = np.pad(x, [(0, 0), (pad, pad), (pad, pad)])
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (1, 2))
    size = np.einsum("chvkl,ockl->ohv", np.abs(windows), np.abs(w))
    return np.einsum("chvkl,ockl->ohv", windows, w), size


@pytest.mark.parametrize("m,k,n", [(8, 8, 8), (1, 7, 13), (5, 1, 1), (123, 128, 231)])
def test_product(m, k, n):
    a, b = draw(m, k), draw(k, n)
    near_sum(product(lt.array(a), lt.array(b)).numpy(), a @ b, np.abs(a) @ np.abs(b), k)


@pytest.mark.parametrize("n,taps", [(128, 3), (11, 11), (7, 1)])
def test_correlation(n, taps):
    x, w = draw(n), draw(taps)
    near_sum(correlate(lt.array(x), lt.array(w)).numpy(), np.correlate(x, w, "valid"),
             np.correlate(np.abs(x), np.abs(w), "valid"), taps)


def test_correlations_in_a_row():
    """Each closes over its own i and j, which have other sizes."""
    x, w = np.ones(11), np.ones(3)
    y = lt.array(x)
    right = x
    for _ in range(3):
        y, right = correlate(y, lt.array(w)), np.correlate(right, w, "valid")
    assert np.array_equal(y.numpy(), right)                     # powers of 3: exact


@pytest.mark.parametrize("pad", [0, 1])
def test_convolution(pad):
    x, w = draw(16, 8, 8, dtype="f8"), draw(16, 16, 3, 3, dtype="f8")
    right, size = conv2d_by_windows(x, w, pad)
    near_sum(conv2d(lt.array(x), lt.array(w), pad).numpy(), right, size, 16 * 9)


def test_convolution_as_pytorch():
    torch = pytest.importorskip("torch")
    x, w = draw(3, 9, 7, dtype="f8"), draw(5, 3, 3, 3, dtype="f8")
    right = torch.nn.functional.conv2d(torch.tensor(x)[None], torch.tensor(w), padding=1)[0].numpy()
    near_sum(conv2d(lt.array(x), lt.array(w), 1).numpy(), right, conv2d_by_windows(x, w, 1)[1], 27)


def test_pads():
    x = draw(12, 5)
    m, n = lt.dims("m n")
    a = lt.array(x)[m, n]
    assert np.array_equal(a.pad(n, 3).numpy(), np.pad(x, [(0, 0), (3, 3)]))
    assert np.array_equal(a.pad(m, 2, 3).pad(n, 2, 3, fill=np.nan).numpy(),
                          np.pad(np.pad(x, [(2, 3), (0, 0)]), [(0, 0), (2, 3)], constant_values=np.nan), equal_nan=True)
    right = x[0]
    many = lt.array(right)[n]
    for _ in range(10):
        right, many = np.pad(right, 1), many.pad(n, 1)
    assert np.array_equal(many.numpy(), right)


def test_concatenation():
    a, b, c = draw(13, 16), draw(13, 5), draw(1, 5)
    m, n = lt.dims("m n")
    found = np.concatenate((lt.array(a)[m, n], lt.array(b)[m, n]), axis=n)
    assert np.array_equal(found.numpy(), np.concatenate((a, b), axis=1))
    assert np.array_equal((found * 2 + 1).numpy(), np.concatenate((a, b), axis=1) * 2 + 1)
    turned = lt.concatenate([lt.array(b)[m, n], lt.array(c)[m, n], lt.array(b.T.copy())[n, m]], axis=m)
    assert np.array_equal(turned.numpy(), np.concatenate((b, c, b)))


def test_functions_of_networks():
    x = draw(1, 32, 8, 8, dtype="f8")
    b, c, h, w = lt.dims("b c h w")
    a = lt.array(x)[b, c, h, w]
    clip = np.clip(x + 3, 0, 6)
    near_ulp(np.exp(a).numpy(), np.exp(x), ULP["exp"])
    near_ulp(np.tanh(a).numpy(), np.tanh(x), ULP["tanh"])
    near_ulp(lt.sigmoid(a).numpy(), 1 / (1 + np.exp(-x)), ULP["sigmoid"] + 2)
    near_ulp((a * lt.sigmoid(a)).numpy(), x / (1 + np.exp(-x)), ULP["sigmoid"] + 4)
    assert np.array_equal((1 / a).numpy(), 1 / x) and np.array_equal((1 + a).numpy(), 1 + x)
    assert np.array_equal(np.maximum(a, 0).numpy(), np.maximum(x, 0))
    assert np.array_equal(np.clip(a, 0, 6).numpy(), np.clip(x, 0, 6))
    assert np.array_equal((a * np.clip(a + 3, 0, 6)).numpy(), x * clip)
    near_sum(a.mean(b).numpy(), x.mean(0), np.abs(x).mean(0), 1)
    near_sum(a.mean(h, w).numpy(), x.mean((2, 3)), np.abs(x).mean((2, 3)), 64)


def test_batch_norm():
    x, mean, var, weight, bias = draw(8, 8, 4, 4), draw(8), np.abs(draw(8)) + 1, draw(8), draw(8)
    b, c, h, w = lt.dims("b c h w")
    m, v, g, s = (lt.constant(t)[c] for t in (mean, var, weight, bias))
    found = ((lt.array(x)[b, c, h, w] - m) / np.sqrt(v + 1e-5) * g + s).numpy()
    wide = [t.astype("f8")[:, None, None] for t in (mean, var, weight, bias)]
    scaled = (x - wide[0]) / np.sqrt(wide[1] + 1e-5) * wide[2]
    u = np.finfo("f4").eps / 2      # roundings of v + e (halved by the root), root, minus, over, times, plus, and 1e-5
    bound = 8 * u * ((np.abs(x) + np.abs(wide[0])) / np.sqrt(wide[1]) * np.abs(wide[2]) + np.abs(wide[3]))
    assert np.all(np.abs(found - (scaled + wide[3])) <= bound)


# ---- index arithmetic ----

def test_shifts_and_windows():
    x = draw(23)
    i, j = lt.dims("i j")
    a = lt.array(x)
    assert np.array_equal((a[i + 1] - a[i + 0]).numpy(), x[1:] - x[:-1])
    assert np.array_equal(a[22 - i].numpy(), x[::-1])
    assert np.array_equal(a[2 * i + 1].numpy(), x[1::2])
    assert np.array_equal(a[lt.dim("s", 5) + 3].numpy(), x[3:8])
    taps = lt.dim("j", 3)
    assert np.array_equal(a[2 * i + taps].numpy(), np.lib.stride_tricks.sliding_window_view(x, 3)[::2])
    assert np.array_equal(a.at(lt.dim("p", 25) - 1, fill=-np.inf).numpy(), np.pad(x, 1, constant_values=-np.inf))
    assert np.array_equal(a[5].numpy(), x[5])
    assert np.array_equal(a[lt.dim("l", 23) // 4].numpy(), x[np.arange(23) // 4])
    assert np.array_equal(a[lt.dim("l", 60) % 7 + 2].numpy(), x[np.arange(60) % 7 + 2])
    assert np.array_equal((a[i] * i).numpy(), x * np.arange(23))
    assert np.array_equal((i * a[i]).numpy(), x * np.arange(23))


def test_indices_whose_terms_depend_on_each_other():
    x = draw(12)
    i = lt.dim("i", 12)
    assert np.array_equal(lt.array(x)[i - i % 4].numpy(), x[np.arange(12) // 4 * 4])
    assert np.array_equal(lt.array(x)[i - 5 * (i // 5)].numpy(), x[np.arange(12) % 5])


def test_values():
    """c += d makes another one; copies are the same; names of arguments are free."""
    import copy
    x = draw(5)
    i = lt.dim("i")
    c = before = lt.array(x)[i]
    c += 1
    c **= 2
    assert np.array_equal(before.numpy(), x) and np.array_equal(c.numpy(), (x + 1) ** 2)
    assert copy.deepcopy([c])[0] is c
    assert np.array_equal(lt.input("self")[i].numpy(self=x), x)


def test_arrays_of_others():
    torch = pytest.importorskip("torch")
    x = draw(2, 3)
    i, j = lt.dims("i j")
    for of in (lt.array, lt.constant):
        assert np.array_equal((of(torch.tensor(x).T)[i, j] * 2).numpy(), x.T * 2)
    assert np.array_equal((lt.array(x) * torch.tensor(x[0])).numpy(), x * x[0]) and len(lt.array(x)) == 2
    assert np.array_equal((lt.input("x")[i, j] * 2).numpy(x=torch.tensor(x)), x * 2)


def test_threads():
    import threading
    i = lt.dim("i")
    c = lt.array(np.arange(1000.0))[i] * 3
    found = []
    workers = [threading.Thread(target=lambda: found.append(c.numpy())) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 8 and all(np.array_equal(f, np.arange(1000.0) * 3) for f in found)


def test_diagonals_and_reshapes():
    x = draw(6, 6)
    i, l = lt.dims("i l", l=36)
    a = lt.array(x)
    assert np.array_equal(a[i, i].numpy(), np.diag(x))
    assert np.array_equal(a[l // 6, l % 6].numpy(), x.ravel())
    flat = a[l // 6, l % 6]
    y, z = lt.dim("y", 9), lt.dim("z", 4)
    assert np.array_equal(flat[4 * y + z].numpy(), x.reshape(9, 4))


def test_positions_and_where():
    x = draw(7, 7)
    i, j = lt.dims("i j")
    a = lt.array(x)[i, j]
    assert np.array_equal(np.where(lt.index(i) >= j, a, -np.inf).numpy(), np.where(np.tri(7, dtype=bool), x, -np.inf))
    assert np.array_equal(lt.where(lt.index(2 * i - j + 1) % 3 == 0, a, 0).numpy(), np.where(
        (2 * np.arange(7)[:, None] - np.arange(7) + 1) % 3 == 0, x, 0))
    assert np.array_equal(lt.where(a > 0, lt.index(i // 2 - j % 2), 5).numpy(), np.where(
        x > 0, np.arange(7)[:, None] // 2 - np.arange(7) % 2, 5))


def test_tables():
    x, at = draw(9, 4), RANDOM.integers(0, 9, (3, 5))
    b, t, d = lt.dims("b t d")
    a = lt.array(x)
    assert np.array_equal(a[lt.array(at)[b, t], d].numpy(), x[at])
    row = RANDOM.integers(0, 4, 9)
    assert np.array_equal(a[b, lt.array(row)[b]].numpy(), x[np.arange(9), row])
    both = a[b, d].sum(d) + a[b, lt.array(row)[b]]
    near_sum(both.numpy(), x.sum(1) + x[np.arange(9), row], np.abs(x).sum(1) * 2, 5)
    with pytest.raises(lt.Error, match="9"):
        a[lt.array(np.array([0, 9]))[t], d].numpy()


def test_scopes():
    """A dim that was reduced is free again; an expression that is indexed has its own."""
    x, y = draw(5, 3, dtype="f8"), draw(11, dtype="f8")
    i, k = lt.dims("i k")
    s = lt.array(x)[i, k].sum(k)
    found = (s * lt.array(y)[k]).sum(k)
    near_sum(found.numpy(), x.sum(1) * y.sum(), np.abs(x).sum(1) * np.abs(y).sum(), 3 * 11)
    e = np.exp(lt.array(x)[i, k])
    assert np.array_equal((e / e[i, k]).numpy(), np.ones((5, 3)))
    assert np.array_equal((s * lt.array(y)[k]).numpy(), s.numpy()[:, None] * y)         # k, bound in s, and a free one
    turned = lt.array(x)[i, k] + lt.array(x.T.copy())[k, i]
    assert np.array_equal(turned.numpy(), 2 * x)


# ---- axes without names: the same text on arrays of numpy; whole numbers, so that equal is equal ----

def whole(*shape):
    return RANDOM.integers(-9, 9, shape)


A, B, V, W, Q, S = whole(6, 7), whole(7, 5), whole(7), whole(3, 1, 7), whole(2, 6, 7), whole(4, 4)
BY_POSITION = [
    "v[1:5]", "a[:, 2]", "a[2]", "a[-1]", "a[-1, -7]", "v[-2]", "a[1:5:2, ::-1]", "v[-3:]", "v[5:1:-2]",
    "v[None, :, None]", "q[..., 1]", "q[0, ..., 1:]", "q[:, None, 1:-1]", "a[1:][::2][:, 3:][-1]", "a[s[0, :2] % 6]",
    "a[:, s % 7]", "a[[5, 0, 5]]", "a[1:, [2]]", "q[1, s % 6, 2:]", "a + v", "v + a", "w * a - v", "a[:, :1] - a[:1]",
    "(a + 1) * (a + 2)", "s + s.T", "s * s[::-1] - s.T", "3 - v", "a + V", "A * v",
    "v + [1, 2, 3, 4, 5, 6, 7]", "a @ b", "a @ v", "v @ b",
    "v @ v", "q @ b", "q @ B", "s @ s @ s.T", "q[:, None] @ (w.reshape(3, 7, 1))", "(a > 0) @ (b > 0)",
    "a.astype('i4') @ b", "a.sum(axis=1)", "np.sum(q, axis=(0, 2))", "a.max(axis=0, keepdims=True) - a",
    "np.add.reduce(q, axis=1)", "np.maximum.reduce(a)", "np.logical_or.reduce(a > 8, axis=1)",
    "np.any(a > 7, axis=1, keepdims=True)", "a.min()", "np.where(a > v, a, 0)", "np.clip(a, -2, v)",
    "np.concatenate([a, v[None], a[::-1]])", "np.concatenate([s, s[:, 1:]], axis=-1) * 2", "np.stack([v, a[0], v])",
    "np.stack([a, A], axis=-1)", "a.reshape(2, -1)", "a.reshape(3, 14).reshape(42)", "q.reshape(3, 4, 7)[:, 1]",
    "q.reshape(2, 1, 42, 1)", "np.ravel(a.T)", "np.transpose(q, (2, 0, 1))", "np.swapaxes(q, 0, -1)", "np.squeeze(w)",
    "np.expand_dims(a, 1)", "np.flip(a)", "np.flip(q, axis=(0, 2))", "np.broadcast_to(v, (2, 6, 7)) + q",
    "np.broadcast_to(w, (3, 6, 7))", "np.pad(a, 1)", "np.pad(a, ((1, 2), (0, 3)), constant_values=5) + 1",
    "np.tril(s)", "np.triu(q, k=-1)", "np.tril(a, k=2)", "np.einsum('ij,jk->ki', a, b)",
    "np.einsum('bij,j->b', q, v)", "np.einsum('ii->i', s)", "np.einsum('ii', s)", "np.einsum('ij,ij', a, a)",
    "np.einsum('i,j,k->kij', v, v, v[:2])", "np.outer(v, a)", "np.dot(a, b)", "np.dot(3, v)",
    "np.count_nonzero(a, axis=0)", "np.astype(a, 'i4')", "np.round(a / 4)", "np.trunc(a / 4)",
    "np.isinf(1 / (v + 0.0))", "np.isfinite(1 / (v + 0.0))", "np.fabs(v + 0.5)", "np.shape(a)[0] + np.ndim(q) + v",
    "(a.T @ a)[2:4, -1:] + v[:2, None]",
]


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_by_position():
    named = {"a": A, "b": B, "v": V, "w": W, "q": Q, "s": S}
    lazily = {name: lt.array(value) for name, value in named.items()}
    first, *others = (eval(text, globals(), lazily) for text in BY_POSITION)
    for text, got in zip(BY_POSITION, lt.evaluate(first.with_options(backend="ref"), *others)):
        right = eval(text, globals(), named)
        assert got.dtype == right.dtype and got.shape == np.shape(right) and np.array_equal(got, right), text


def test_by_position_of_floats():
    x = draw(5, 9, dtype="f8")
    a = lt.array(x)
    size = np.abs(x).mean(1)
    near_sum(a.mean(axis=-1).numpy(), x.mean(1), size, 10)
    far = np.square(np.abs(x) + size[:, None]).mean(1)      # the mean's error goes into each difference
    i, j = lt.dims("i j")
    for found in (np.var(a, axis=1), a[i, j].var(j)):
        near_sum(found.numpy(), x.var(1), far, 40)
    near_ulp(np.std(a, axis=1, keepdims=True).numpy(), np.sqrt(np.var(a, axis=1, keepdims=True).numpy()), 1)
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    assert np.allclose((e / e.sum(axis=-1, keepdims=True)).numpy().sum(1), 1, rtol=0, atol=40 * 2.0 ** -53)
    near_ulp(lt.sigmoid(a).numpy(), 1 / (1 + np.exp(-x)), ULP["sigmoid"] + 2)


def test_random_slices():
    """Slices of slices, sums and products of them, against numpy."""
    random = np.random.default_rng(int(os.environ.get("LT_SEED", "4")))
    pairs = []
    for _ in range(int(os.environ.get("LT_DRAWS", "60"))):
        right = random.integers(-9, 9, random.integers(1, 8, random.integers(1, 4)))
        found = lt.array(right)
        for _ in range(3):
            index = []
            for extent in right.shape:
                begin, end = (int(n) for n in random.integers(-extent - 1, extent + 2, 2))
                step = int(random.choice([-3, -2, -1, 1, 2, 3]))
                index.append([slice(begin, end, step), slice(None, None, step), slice(None), int(random.integers(
                    -extent, extent))][random.integers(4)])
            index = tuple(index[:random.integers(len(index) + 1)])
            if right[index].size == 0 or right.ndim == 0:
                continue
            right, found = right[index], found[index]
            right, found = right + right[::-1] if right.ndim else right, found + found[::-1] if right.ndim else found
        pairs.append((right, found))
    first, *others = (found[...] for _, found in pairs)
    for (right, _), got in zip(pairs, lt.evaluate(first.with_options(backend="ref"), *others)):
        assert np.array_equal(got, right)


def test_products_by_name():
    b, c, m, k, n = lt.dims("b c m k n")
    a, w = lt.array(A), lt.array(B)
    assert (a[m, k] @ w[k, n]).dims == (m, n)
    assert np.array_equal((a[m, k] @ w[k, n]).numpy(), A @ B)
    assert np.array_equal((a[m, k] @ lt.array(V)[k]).numpy(), A @ V)
    many, other = whole(2, 6, 7), whole(3, 7, 5)
    found = lt.array(many)[b, m, k] @ lt.array(other)[c, k, n]
    assert found.dims == (b, c, m, n) and np.array_equal(found.numpy(), many[:, None] @ other)
    assert np.array_equal((a @ w)[n, m].numpy(), A @ B)         # what has no names is given them


def test_sizes_that_dims_say():
    """Of floors, and of inputs that are open, whose dims other arrays have."""
    l, m, k, n = lt.dims("l m k n")
    assert np.array_equal(lt.array(V)[l // 3].numpy(), np.repeat(V, 3))
    assert np.array_equal(lt.array(A)[l // 7, l % 7].numpy(), A.ravel())
    c = (lt.input("x", "f4")[m, k] * lt.array(draw(7, 5))[k, n]).sum(k) + lt.array(draw(3, 5))[m, n]
    assert c.shape == (3, 5) and c.program().inputs[0].shape == (3, 7) and "for m" in str(c.tree)
    x = draw(3, 7)
    assert np.array_equal(c.with_tree(c.tree).numpy(x=x), c.numpy(x=x))
    with pytest.raises(lt.Mismatch, match="dim k has two sizes"):
        c.numpy(x=draw(3, 6))
    with pytest.raises(lt.Missing, match="'x'"):
        c.numpy()
    d = lt.input("y", "f4", shape=(4, 6))
    assert np.array_equal((d[1:, ::2] + 1).numpy(y=(y := draw(4, 6))), y[1:, ::2] + np.float32(1))
    assert (d[1:] * 2).program().inputs[0].shape == (4, 6)
    with pytest.raises(lt.Mismatch):
        (d[1:] * 2).numpy(y=draw(5, 6))


# ---- types and operators: every one that numpy has, in every type that it computes in ----

TYPES = ["f4", "f8", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]


def samples(dtype):
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return np.array([0.0, -0.0, 1, -1, 0.5, -2.5, 3.25, np.nan, np.inf, -np.inf, 7, -13], kind)
    if kind.kind == "b":
        return np.array([True, False])
    info = np.iinfo(kind)
    return np.array([0, 1, 2, 3, 5, 7, 13, info.max, info.min, info.max - 1, info.min + 1], kind)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("backend", ["ref", pytest.param("cpu", marks=pytest.mark.more)])
def test_operators(backend, dtype):
    """Of each pair of values; what the library has not in a type is refused as Mismatch or Unsupported."""
    x = samples(dtype)
    i, j = lt.dims("i j")
    nodes = {}
    ufuncs = {f.__name__: f for f in vars(np).values() if isinstance(f, np.ufunc)}
    for ufunc in ufuncs.values():
        if ufunc.signature or ufunc.nout != 1 or ufunc.nin > 2:
            continue
        try:
            nodes[ufunc] = ufunc(*[lt.array(x)[i], lt.array(x)[j]][:ufunc.nin])
        except (lt.Mismatch, lt.Unsupported):
            continue
    assert len(nodes) >= (12 if dtype == "?" else 20)
    first, *others = nodes.values()
    for ufunc, found in zip(nodes, lt.evaluate(first.with_options(backend=backend), *others)):
        op = lazy._OF_NUMPY.get(ufunc.__name__, ufunc.__name__)
        with np.errstate(all="ignore"):
            right = ufunc(*[x[:, None], x[None, :]][:ufunc.nin] if ufunc.nin == 2 else [x])
            exact = ufunc(*[t.astype("f8") for t in ([x[:, None], x[None, :]] if ufunc.nin == 2 else [x])]) \
                if right.dtype.kind == "f" else right
        assert found.dtype == right.dtype, ufunc
        if op in ("shl", "shr"):        # beyond the bits of a type numpy's are undefined
            bits = x.dtype.itemsize * 8
            inside = (x[None, :] >= 0) & (x[None, :] < bits)
            assert np.array_equal(found[:, inside[0]], right[:, inside[0]]), ufunc
        elif ULP.get(op, 0) == 0 or right.dtype.kind != "f":
            assert np.array_equal(found, right, equal_nan=right.dtype.kind == "f"), (ufunc, found, right)
        else:
            finite = np.isfinite(right)
            assert np.array_equal(np.isnan(found), np.isnan(right)), ufunc
            assert np.array_equal(found[~finite & ~np.isnan(right)], right[~finite & ~np.isnan(right)]), ufunc
            near_ulp(found[finite], exact[finite], ULP[op])


def test_each_operator_of_the_table_has_a_name():
    """A ufunc of numpy, numpy.where, or a function of this package."""
    import math
    ufuncs = {name for name, f in vars(np).items() if isinstance(f, np.ufunc)}
    named = {lazy._OF_NUMPY.get(name, name) for name in ufuncs} | {"select"} | set(lazy.FUNCTIONS)
    assert set(lazy._OPERATORS) - named == {"copy"}
    assert set(lazy.FUNCTIONS) == {"sigmoid", "erf", "rsqrt"}
    x = np.abs(draw(40, dtype="f8")) + 0.01
    a = lt.array(x)
    near_ulp(lt.erf(a).numpy(), np.array([math.erf(v) for v in x]), ULP["erf"])
    near_ulp(lt.rsqrt(a).numpy(), 1 / np.sqrt(x), ULP["rsqrt"] + 1)


@pytest.mark.parametrize("dtype", TYPES)
def test_reductions(dtype):
    x = np.stack([samples(dtype), samples(dtype)[::-1]])
    i, j = lt.dims("i j")
    a = lt.array(x)[i, j]
    names = ("max", "min", "any", "all", *(() if x.dtype.kind == "f" else ("sum", "prod")))
    cases = [(name, axis) for name in names for axis in (0, 1, (0, 1))]
    by_axis = lt.evaluate(*(getattr(np, name)(a, axis=axis) for name, axis in cases))
    by_dim = lt.evaluate(*(getattr(a, name)(*([i, j][t] for t in np.atleast_1d(axis))) for name, axis in cases))
    with np.errstate(all="ignore"):
        for (name, axis), found, again in zip(cases, by_axis, by_dim):
            right = getattr(np, name)(x, axis=axis)
            assert found.dtype == again.dtype == right.dtype, name
            assert np.array_equal(found, right, equal_nan=x.dtype.kind == "f"), name
            assert np.array_equal(again, right, equal_nan=x.dtype.kind == "f"), name
        if x.dtype.kind in "iub":
            wide = x.astype("f8")
            near_sum(a.mean(j).numpy(), wide.mean(1), np.abs(wide).mean(1), x.shape[1])


def test_casts():
    x = np.array([0.0, -1.5, 2.5, 300.7, -7])
    i = lt.dim("i")
    assert np.array_equal(lt.array(x)[i].astype("f4").numpy(), x.astype("f4"))
    assert np.array_equal(lt.array(x)[i].astype(np.int16).numpy(), x.astype("i2"))
    assert np.array_equal(lt.array(x)[i].astype("i8").astype("u1").numpy(), x.astype("i8").astype("u1"))
    assert np.array_equal(lt.array(x)[i].astype(bool).numpy(), x.astype(bool))
    assert lt.array(np.array([np.nan, 1e30, -1e30]))[i].astype("i4").numpy().tolist() == [0, 2 ** 31 - 1, -2 ** 31]
    assert (lt.array(np.arange(3, dtype="u1"))[i] + 1).dtype == np.uint8            # a Python number is weak
    assert (lt.array(np.arange(3, dtype="f4"))[i] * np.float64(2)).dtype == np.float64
    assert (lt.array(np.arange(3, dtype="i4"))[i] / 2).dtype == np.float64


# ---- sizes, programs, trees ----

def test_open_sizes():
    m, k, n = lt.dims("m k n")
    c = (lt.input("x", "f4")[m, k] * lt.input("y", "f4")[k, n]).sum(k)
    for shape in ((3, 4, 5), (1, 1, 1), (7, 2, 3)):
        x, y = draw(shape[0], shape[1]), draw(shape[1], shape[2])
        near_sum(c.numpy(x=x, y=y), x @ y, np.abs(x) @ np.abs(y), shape[1])
    with pytest.raises(lt.Missing, match=r"input 'x' is open; give it when you ask: numpy\(x=...\)"):
        c.numpy()
    with pytest.raises(lt.Missing, match="no input is named 'z'"):
        c.numpy(x=draw(2, 2), y=draw(2, 2), z=draw(1))
    with pytest.raises(lt.Mismatch, match="dim k has two sizes: 3, axis 1 of x, and 2, axis 0 of y"):
        c.numpy(x=draw(2, 3), y=draw(2, 2))
    with pytest.raises(lt.Invalid, match="x has 1 axes, and 2 indices are given"):
        c.numpy(x=draw(2), y=draw(2, 2))
    with pytest.raises(lt.Mismatch):
        c.numpy(x=draw(2, 2, dtype="f8"), y=draw(2, 2))


def test_compiled_once():
    a, b = draw(4, 5), draw(5, 6)
    first = product(lt.array(a), lt.array(b))
    again = product(lt.array(2 * a), lt.array(b))
    assert first.shape == np.shape(first) == (4, 6) and np.allclose(first, a @ b)
    assert first.program() is again.program() and first.program() is first.program()
    assert product(lt.array(a), lt.array(b)).with_options(threads=1).program() is not first.program()
    assert product(lt.array(b.T.copy()), lt.array(a.T.copy())).program() is not first.program()
    near_sum(again.numpy(), 2 * a @ b, 2 * np.abs(a) @ np.abs(b), 5)
    a *= 3                                      # what it holds when it is asked counts
    near_sum(first.numpy(), a @ b, np.abs(a) @ np.abs(b), 5)
    near_sum(np.asarray(first, "f8").astype("f4"), a @ b, np.abs(a) @ np.abs(b), 5)


def test_constants_are_their_own():
    x = draw(4)
    i = lt.dim("i")
    one, two = (lt.array(x)[i] + lt.constant(np.full(4, n, "f4"))[i] for n in (1, 2))
    assert np.array_equal(one.numpy(), x + 1) and np.array_equal(two.numpy(), x + 2)
    assert np.array_equal(one.numpy(), x + 1)


def test_trees():
    a, b = draw(12, 8), draw(8, 6)
    c = product(lt.array(a), lt.array(b)).with_options(backend="ref")
    tree = c.tree.split("m", 5)
    other = c.with_tree(tree)
    assert "m'" in str(other.tree) and "m'" not in str(c.tree)
    near_sum(other.numpy(), a @ b, np.abs(a) @ np.abs(b), 8)
    with pytest.raises(lt.Illegal):
        c.tree.parallel("k")
    with pytest.raises(lt.Error):
        product(lt.array(b.T.copy()), lt.array(a.T.copy())).with_tree(tree)
    assert lt.compile(c).inputs[0].shape == (12, 8)
    assert c.program().verify(a0=a, a1=b)


def test_evaluated_together():
    x = draw(6, 5)
    i, j = lt.dims("i j")
    e = np.exp(lt.array(x)[i, j])
    top, all_of, share = lt.evaluate(e.max(), e.sum(j), e / e.sum(j))
    near_ulp(top, np.exp(x.astype("f8")).max(), ULP["exp"])
    near_sum(all_of, np.exp(x).sum(1), np.exp(x).sum(1), 5 + 2 * ULP["exp"])
    assert share.shape == (6, 5)


def test_deep():
    i = lt.dim("i")
    x = lt.array(np.zeros(3, "i4"))[i]
    for _ in range(2500):
        x = x + 1
    assert x.numpy().tolist() == [2500] * 3


def test_mnist():
    spec = importlib.util.spec_from_file_location("mnist_lazy", ROOT / "examples/mnist/lazy.py")
    net = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(net)
    if (MNIST / "t10k-images-idx3-ubyte.gz").exists():
        import gzip
        data = gzip.decompress((MNIST / "t10k-images-idx3-ubyte.gz").read_bytes())
        labels = np.frombuffer(gzip.decompress((MNIST / "t10k-labels-idx1-ubyte.gz").read_bytes()), np.uint8, offset=8)
        x, labels = np.frombuffer(data, np.uint8, offset=16).reshape(-1, 28, 28)[8000:] / np.float32(255), labels[8000:]
    else:
        x, labels = RANDOM.random((50, 28, 28), "f4"), None
    w = {name: value.astype("f8") for name, value in net.w.items()}
    h = np.maximum(x.reshape(-1, 784).astype("f8") @ w["weight_0"] + w["bias_0"], 0)
    right = h @ w["weight_1"] + w["bias_1"]
    size = (np.abs(x.reshape(-1, 784)) @ np.abs(w["weight_0"]) + np.abs(w["bias_0"])) @ np.abs(w["weight_1"]) \
        + np.abs(w["bias_1"])
    found = net.digit.numpy(image=x)
    assert np.all(np.abs(found - right) <= 2 * (784 + 128 + 4) * 2.0 ** -24 * size)
    assert np.allclose(net.probability.numpy(image=x).sum(1), 1, rtol=0, atol=40 * 2.0 ** -24)
    if labels is not None:
        assert (found.argmax(1) == labels).sum() == (right.argmax(1) == labels).sum() > 1900


# ---- random expressions ----

class Drawn:
    """A random expression twice: lazily, and as numpy computes it, over dims in the order of the array's axes.

    Values are whole numbers in int64, which wrap in both, so that equal is equal.
    """

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.sizes = {lt.dim("d%d" % n): int(self.random.choice([1, 2, 3, 5, 7, 8])) for n in range(4)}
        self.text = []

    def number(self, n):
        return int(self.random.integers(n))

    def leaf(self):
        rank = 1 + self.number(3)
        over = [list(self.sizes)[i] for i in self.random.permutation(4)[:rank]]
        shape, indices, views = [], [], []
        for d in over:
            size = self.sizes[d]
            how = self.number(4)
            if how == 0:
                step, begin = 1 + self.number(3), self.number(3)
                shape.append(begin + step * (size - 1) + 1 + self.number(2))
                indices.append(step * d + begin if self.number(2) else begin + d * step)
                views.append(begin + step * np.arange(size))
            elif how == 1:
                shape.append(size + self.number(2))
                indices.append(size - 1 - d)
                views.append(np.arange(size)[::-1])
            elif how == 2:
                by = 1 + self.number(3)
                shape.append(size)
                indices.append(d % by)
                views.append(np.arange(size) % by)
            else:
                shape.append(size)
                indices.append(d)
                views.append(np.arange(size))
        values = self.random.integers(-9, 9, shape)
        anchored = lt.array(np.zeros([self.sizes[d] for d in over], "i8"))[tuple(over)]    # sizes of all its dims
        self.text.append("leaf %s%s" % (shape, indices))
        return lt.array(values)[tuple(indices)] + anchored, values[np.ix_(*views)], over

    def meet(self, *parts):
        """Arrays of numpy's broadcast over the union of their dims, in order of appearance."""
        over = []
        for _, _, own in parts:
            over += [d for d in own if d not in over]
        return over, [value.transpose([own.index(d) for d in over if d in own]).reshape(
            [self.sizes[d] if d in own else 1 for d in over]) for _, value, own in parts]

    def expression(self, depth):
        if depth == 0:
            return self.leaf()
        how = self.number(9)
        self.text.append("how %d" % how)
        a = self.expression(depth - 1)
        if how < 4:
            b = self.expression(depth - 1)
            f = [np.add, np.subtract, np.multiply, np.maximum][how]
            over, values = self.meet(a, b)
            return f(a[0], b[0]), f(*values), over
        if how == 4:
            b = self.expression(depth - 1)
            over, values = self.meet(a, a, b)
            return np.where(a[0] > 0, a[0], b[0]), np.where(values[0] > 0, values[1], values[2]), over
        if how == 5 and a[2]:
            d = a[2][self.number(len(a[2]))]
            f = ["sum", "max", "min"][self.number(3)]
            return getattr(a[0], f)(d), getattr(a[1], f)(axis=a[2].index(d)), [e for e in a[2] if e is not d]
        if how == 6 and a[2]:
            d = a[2][self.number(len(a[2]))]
            axis = a[2].index(d)
            shift = self.number(5) - 2
            indices = tuple(e + shift if e is d else e for e in a[2])
            at = np.arange(self.sizes[d]) + shift
            inside = (at >= 0) & (at < self.sizes[d])
            shape = [1] * a[1].ndim
            shape[axis] = -1
            value = np.where(inside.reshape(shape), np.take(a[1], np.clip(at, 0, self.sizes[d] - 1), axis), 4)
            anchor = lt.array(np.zeros(self.sizes[d], "i8"))[d]
            return a[0].at(*indices, fill=4) + anchor, value, a[2]
        if how == 7 and a[2]:
            order = [a[2][i] for i in self.random.permutation(len(a[2]))]
            return a[0].transpose(*order), a[1].transpose([a[2].index(d) for d in order]), order
        if a[2]:
            d = a[2][0]
            shape = [-1] + [1] * (a[1].ndim - 1)
            return a[0] + 3 * d, a[1] + 3 * np.arange(self.sizes[d]).reshape(shape), a[2]
        return -a[0], -a[1], a[2]


def test_random():
    seed = int(os.environ.get("LT_SEED", "20260101"))
    for n in range(int(os.environ.get("LT_DRAWS", "60"))):
        drawn = Drawn(seed + n)
        lazily, right, over = drawn.expression(1 + n % 3)
        where = "LT_SEED=%d LT_DRAWS=1: %s" % (seed + n, "; ".join(drawn.text))
        assert list(lazily.dims) == over, where
        found = lazily.with_options(backend="ref" if n % 2 else "llvm,cpu").numpy()
        assert found.dtype == right.dtype and np.array_equal(found, right), where


# ---- what is refused ----

I, J = lt.dims("i j")
X = lt.array(np.arange(8.0))
REFUSED = [
    (lambda: (X[I] + lt.array(np.zeros(9))[I]).numpy(), "Mismatch",
     "dim i has two sizes: 8, axis 0 of a0, and 9, axis 0 of a1"),
    (lambda: (X[I] + X[I + 1]).numpy(), "OutOfRange", "index i \\+ 1 of axis 0 of a0 reaches from 1 to 8"),
    (lambda: X[lt.dim("i", 8) - 1].numpy(), "OutOfRange", "reaches from -1 to 6"),
    (lambda: X[I + 8].numpy(), "OutOfRange", "is outside for every i"),
    (lambda: X[8].numpy(), "OutOfRange", "index 8 of axis 0"),
    (lambda: X[-9].numpy(), "OutOfRange", "index -1 of axis 0"),
    (lambda: X[:][8:], "Invalid", "which has 8 elements, has none"),
    (lambda: X[I, 1:2], "Mismatch", "all by slices and numbers"),
    (lambda: X[1:2, 3], "Invalid", "has 1 axes, and 2 indices"),
    (lambda: X[..., ...], "Invalid", "has 1 axes"),
    (lambda: X["a":], "Mismatch", "a slice of axis 0"),
    (lambda: X + lt.array(np.zeros(9)), "Mismatch", r"shapes \[8\] and \[9\] do not go together"),
    (lambda: X @ lt.array(np.zeros(9)), "Mismatch", "the last of the left one, 8, is to be"),
    (lambda: X[I] @ lt.array(np.zeros((9, 8)))[J, I], "Mismatch", "the last of the left one, i"),
    (lambda: lt.array(np.zeros((8, 8)))[J, I] @ lt.array(np.zeros((8, 8)))[I, J], "Mismatch", "a dim of both"),
    (lambda: X[I] @ X, "Mismatch", "have no names yet"),
    (lambda: X[X > 3], "Unsupported", "a mask"),
    (lambda: np.sum(X, dtype="f4"), "Unsupported", "lazy numpy.sum: .*'dtype'"),
    (lambda: np.add.reduce(X, where=X > 1), "Unsupported", "lazy numpy.add: .*'where'"),
    (lambda: X[[1.5]], "Mismatch", "holds whole numbers"),
    (lambda: X @ 3, "Mismatch", "@ takes arrays with axes"),
    (lambda: lt.input("x")[1:3], "Missing", "the axes of input 'x' are open; name them"),
    (lambda: lt.input("x") + 1, "Missing", "say its shape"),
    (lambda: lt.input("x", shape=(0, 3)), "Invalid", "no elements"),
    (lambda: X[I].sum(I, keepdims=True), "Unsupported", "keepdims is for axes without names"),
    (lambda: X[:].reshape(3, -1), "Mismatch", "cannot have the shape"),
    (lambda: np.stack([X[I], X[I]]), "Unsupported", "goes by position"),
    (lambda: np.einsum("ij->i", X), "Unsupported", "a letter for each axis"),
    (lambda: np.einsum("i->ii", X), "Invalid", "repeats a letter"),
    (lambda: np.round(X, 2), "Unsupported", "to whole numbers"),
    (lambda: np.squeeze(X, 0), "Mismatch", "only axes of one element"),
    (lambda: np.pad(X, 1, mode="edge"), "Unsupported", "fills with one number"),
    (lambda: np.concatenate([X, lt.array(np.zeros((8, 1)))]), "Mismatch", "all axes but one of the same sizes"),
    (lambda: X[1.5], "Mismatch", "a number in an index is a whole number, not 1.5"),
    (lambda: X[I + 0.5], "Mismatch", "whole number, not 0.5"),
    (lambda: X[0.5 * I], "Mismatch", "whole number"),
    (lambda: X[I * J], "Invalid", "is a product of dims"),
    (lambda: X[I // 0], "Invalid", "from 1 on, not by 0"),
    (lambda: X["i"], "Mismatch", "whole number, not 'i'"),
    (lambda: X[I, J], "Invalid", "has 1 axes, and 2 indices"),
    (lambda: X[I].sum(J), "Missing", "j is no dim of an expression over \\(i\\)"),
    (lambda: X[I].sum(I, I), "Invalid", "named twice"),
    (lambda: X[I].sum(axis=1), "Missing", "1 is no dim"),
    (lambda: X[I].transpose(J), "Missing", "j is no dim"),
    (lambda: lt.index(I).numpy(), "Missing", "the size of dim i is open: no array has it"),
    (lambda: X[I + J].numpy(), "Missing", "its indices depend on other dims without sizes"),
    (lambda: X[I % 2].numpy(), "Missing", "or do not bound it"),
    (lambda: lt.dims("i j", k=3), "Missing", "has no dim 'k'"),
    (lambda: lt.dim("3"), "Invalid", "a dim's name"),
    (lambda: lt.dim("i", 0), "Invalid", "it is from 1 to"),
    (lambda: lt.dim("i", 2 ** 70), "Invalid", "it is from 1 to"),
    (lambda: X.at(lt.dim("i", 3) + 2 ** 70, fill=0).numpy(), "Overflow", "exceeds 62 bits"),
    (lambda: lt.index(lt.dim("i", 3) * 2 ** 64).numpy(), "Overflow", "exceeds 62 bits"),
    (lambda: X[lt.dim("i", 9) - lt.dim("j", 9) % 4 + 3].numpy(), "OutOfRange", "at index"),
    (lambda: lt.array([1.0], name="a\0b"), "Invalid", "without NUL"),
    (lambda: lt.input(3), "Invalid", "an array's name"),
    (lambda: lt.concatenate([]), "Invalid", "at least one"),
    (lambda: X[I].__reduce__(), "Unsupported", "not pickled"),
    (lambda: divmod(X[I], 2), "Unsupported", "no lazy numpy.divmod"),
    (lambda: (X[I] * 1j), "Mismatch", "a complex meets a lazy array"),
    (lambda: lt.dim("i", 2.0), "Mismatch", "whole number"),
    (lambda: I + X, "Mismatch", "have no names yet"),
    (lambda: X[I] + X, "Mismatch", "have no names yet"),
    (lambda: X[I] + np.zeros(8), "Mismatch", "have no names yet"),
    (lambda: X[I] + "1", "Mismatch", "a str meets a lazy array"),
    (lambda: X[X[I]], "Mismatch", "holds whole numbers"),
    (lambda: X[I] & 1, "Mismatch", "bitwise_and"),
    (lambda: np.arctan(X[I]), "Unsupported", "no lazy numpy.arctan"),
    (lambda: np.subtract.reduce(X[I]), "Unsupported", "takes no .reduce"),
    (lambda: np.add(X[I], 1, where=False), "Unsupported", "takes no where"),
    (lambda: np.fft.fft(X[I]), "Unsupported", "no lazy numpy.fft"),
    (lambda: iter(X[I]), "Mismatch", "not gone through"),
    (lambda: list(X), "Mismatch", "not gone through"),
    (lambda: X[I].pad(I, -1), "Invalid", "pad adds elements"),
    (lambda: X[I].astype("c8"), "Mismatch", "no elements of type complex64"),
    (lambda: lt.array(np.zeros((0, 3))), "Invalid", "has no elements"),
    (lambda: lt.array(np.array(["a"])), "Mismatch", "Looptree has not"),
    (lambda: lt.array(X), "Mismatch", "a lazy array already"),
    (lambda: lt.evaluate(3), "Mismatch", "takes lazy arrays"),
    (lambda: lt.concatenate([X[I], X[J]], axis=I), "Mismatch", "has the same dims"),
    (lambda: (lt.array([1.0], name="q")[I] + lt.array([2.0], name="q")[I]).numpy(), "Exists",
     "two arrays are named 'q'"),
    (lambda: X[I].with_options(nothing=1).numpy(), "Invalid", "no option 'nothing'"),
    (lambda: X[I].with_tree("looptree 1\nnothing\n"), "Error", "nothing"),
    (lambda: X[I].astype("float33"), "Mismatch", "numpy has no type"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused(number):
    f, name, text = REFUSED[number]
    with pytest.raises(getattr(lt, name), match=text):
        f()


def test_errors_in_cycles():
    """What failed frees its graph before its context, whatever the collector begins with."""
    import gc
    for _ in range(20):
        try:
            X[lt.dim("i", 9) - lt.dim("j", 9) % 4 + 3].numpy()
        except lt.OutOfRange as error:
            error.itself = error
    gc.collect()
    assert np.array_equal(X[I].numpy(), np.arange(8.0))


def test_page():
    """What docs/python-lazy.md shows is what comes out."""
    import doctest
    text = (ROOT / "docs/python-lazy.md").read_text(encoding="utf-8")
    text = "\n".join(line for line in text.split("\n") if not line.startswith("```"))
    page = doctest.DocTestParser().get_doctest(text, {}, "python-lazy.md", "docs/python-lazy.md", 0)
    assert len(page.examples) > 20
    out = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    failed, _ = runner.run(page, out=out.append)
    assert not failed, "".join(out)
