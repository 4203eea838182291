"""Programs compiled and run, compared with numpy."""
import os

import numpy as np
import pytest

import looptree as lt

DIGITS = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "mnist", "digits.onnx")
OPEN = """
n = InputTensor(n, int64, []);
x = InputTensor(x, float32, [n <= 5, 2]);
y = InputTensor(y, float32, [n <= 5]);
result sum = ReduceSumNode(x, [0]);
result twice = x * 2;
result less = y - 1;
"""
COUNTER = """
s = BufferTensor(s, float32, [3]);
x = InputTensor(x, float32, [3]);
t = UpdateNode(s, s + x, 0);
result = t;
"""


@pytest.mark.parametrize("backend", ["ref", "cpu"])
@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (5, 7, 3), (13, 1, 17)])
def test_product(product, random, backend, m, k, n):
    p = product(m, k, n, backend=backend)
    x, w = random.integers(-9, 9, (m, k)).astype("f4"), random.integers(-9, 9, (k, n)).astype("f4")
    y = p(x=x, w=w)
    assert y.dtype == np.float32 and y.shape == (m, n)
    np.testing.assert_array_equal(y, x @ w)         # small integers: exact in any order


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int8", "uint8", "int16", "int32", "int64", "uint16",
                                  "uint32", "uint64", "bool"])
def test_types(kind, random):
    p = lt.compile("x = InputTensor(x, %s, [3, 2]); result = CopyNode(x);" % kind, backend="ref")
    x = random.integers(0, 2, (3, 2)).astype(kind)
    if x.dtype.kind in "if":
        x[1] = -1
    if x.dtype.kind == "f":
        x[0, 0] = np.nan
    for given in (x, np.asfortranarray(x), x[::-1], np.stack([x, x])[1]):
        y = p(x=given)
        assert y.dtype == x.dtype
        np.testing.assert_array_equal(y, given)


def test_ports(product):
    p = product(2, 3, 4)
    assert [(i.name, i.dtype, i.shape, i.needed) for i in p.inputs] == [("x", "f32", (2, 3), True),
                                                                       ("w", "f32", (3, 4), True)]
    assert [(r.name, r.shape) for r in p.results] == [("result", (2, 4))]
    assert repr(p) == "<looptree.Program (x f32[2, 3], w f32[3, 4]) -> (result f32[2, 4])>"


def test_several_results():
    p = lt.compile("x = InputTensor(x, float32, [2]); result a = x + 1; result b = x * 2;", backend="ref")
    found = p(x=np.float32([-1, np.nan]))
    np.testing.assert_array_equal(found["a"], np.float32([0, np.nan]))
    np.testing.assert_array_equal(found["b"], np.float32([-2, np.nan]))


def test_numbers_and_lists():
    p = lt.compile("x = InputTensor(x, float32, [2]); n = InputTensor(n, int64, []);"
                   "result = x + CastNode(n, float32);", backend="ref")
    np.testing.assert_array_equal(p(x=[1, 2.5], n=-3), np.float32([-2, -0.5]))


def test_weights(tmp_path):
    p = lt.compile("x = InputTensor(x, float32, [2]); w = ConstantTensor(w, float32, [2]); result = x * w;",
                   backend="ref", weights={"w": np.float32([3, -2])})
    np.testing.assert_array_equal(p(x=np.float32([5, 7])), [15, -14])
    np.savez(tmp_path / "w.npz", w=np.float32([2, 4]))
    q = lt.compile("x = InputTensor(x, float32, [2]); w = ConstantTensor(w, float32, [2]); result = x * w;",
                   backend="ref", weights=tmp_path / "w.npz")
    np.testing.assert_array_equal(q(x=np.float32([5, 7])), [10, 28])


def test_one_array_for_two_constants():
    text = "a = ConstantTensor(a, float32, [2]); b = ConstantTensor(b, float32, [2]);" \
        "x = InputTensor(x, float32, [2]); result = (x + a) * b;"
    w = np.float32([2, 3])
    with lt.options(copies="warn"), pytest.warns(UserWarning, match="shares memory with another constant"):
        p = lt.compile(text, backend="ref", weights={"a": w, "b": w})
    np.testing.assert_array_equal(p(x=np.float32([1, 1])), [6, 12])


def test_states():
    p = lt.compile(COUNTER, backend="ref")
    x = np.float32([1, -2, 3])
    np.testing.assert_array_equal(p(x=x), x)
    np.testing.assert_array_equal(p(x=x), 2 * x)
    np.testing.assert_array_equal(p.state("s"), 2 * x)
    p.set_state("s", [10, 10, 10])
    np.testing.assert_array_equal(p(x=x), 10 + x)
    p.reset()
    np.testing.assert_array_equal(p(x=x), x)


def test_open_extents(random):
    p = lt.compile(OPEN, backend="ref")
    for n in (0, 1, 3, 5):
        x, y = random.integers(-9, 9, (n, 2)).astype("f4"), random.integers(-9, 9, n).astype("f4")
        for more in ({}, {"n": n}):
            found = p(x=x, y=y, **more)
            np.testing.assert_array_equal(found["sum"], x.sum(0))
            np.testing.assert_array_equal(found["twice"], 2 * x)
            np.testing.assert_array_equal(found["less"], y - 1)
    whole = random.integers(-9, 9, (5, 2)).astype("f4")
    found = p(x=whole, y=np.zeros(5, "f4"), n=2)        # as memory is: of the greatest extents
    np.testing.assert_array_equal(found["sum"], whole[:2].sum(0))
    with pytest.raises(lt.Mismatch, match="'n' is 3 by axis 0 of input 'x' and 2 by axis 0 of input 'y'"):
        p(x=whole[:3], y=np.zeros(2, "f4"))
    with pytest.raises(lt.Mismatch, match=r"\[6, 2\], and \[5, 2\] is asked for"):
        p(x=np.zeros((6, 2), "f4"), y=np.zeros(6, "f4"))
    with pytest.raises(lt.Mismatch):
        p(x=whole[:3], y=np.zeros(2, "f4"), n=2)


def test_open_batch_of_a_model(random):
    p = lt.compile(DIGITS, dims={"batch": "1..8"}, backend="ref")
    weights = lt.read_weights(os.path.join(os.path.dirname(DIGITS), "weights.safetensors"))
    by_name = {c.name: c for c in p.constants}
    assert set(by_name) == set(weights)
    image = random.uniform(0, 255, (3, 28, 28)).astype("f4")
    digit = p(image=image)
    assert digit.shape == (3,) and digit.dtype == np.int64
    one = lt.compile(DIGITS, dims={"batch": 1}, backend="ref")
    np.testing.assert_array_equal(digit, [one(image=image[i:i + 1])[0] for i in range(3)])


def test_out(product, random):
    p = product()
    x, w = random.integers(-9, 9, (5, 7)).astype("f4"), random.integers(-9, 9, (7, 3)).astype("f4")
    y = np.full((5, 3), np.nan, "f4")
    assert p(x=x, w=w, out=y) is y
    np.testing.assert_array_equal(y, x @ w)
    assert p.run({"x": x, "w": w}, out={"result": y}) is y
    square = lt.compile("x = InputTensor(x, float32, [4]); result = x * x;", backend="ref")
    a = np.float32([1, 2, 3, 4])
    with lt.options(copies="warn"), pytest.warns(UserWarning, match="shares memory with a result"):
        square(x=a, out=a)
    np.testing.assert_array_equal(a, [1, 4, 9, 16])


def test_an_input_that_is_called_out():
    p = lt.compile("out = InputTensor(out, float32, [2]); result = out + 1;", backend="ref")
    np.testing.assert_array_equal(p(out=np.float32([1, 2])), [2, 3])
    y = np.empty(2, "f4")
    assert p.run({"out": [3, 4]}, out=y) is y and list(y) == [4, 5]


def test_dumps_and_reports(product, random):
    p = product(backend="cpu")
    assert str(p.tree()).startswith("looptree 1\n") and p.graph().startswith("graph 1\n") and "float" in p.source()
    assert [row.backend for row in p.explain()] == ["cpu"] * len(p.kernels())
    v = p.verify()
    assert v and v.verdict == "passed" and str(v).startswith("verify: passed: 15 elements")
    t = p.time(samples=5)
    assert len(t.samples) == 5 and 0 < t.min_ns <= t.median_ns and t.median == t.median_ns * 1e-9
    assert sum(row.ns for row in p.profile()) > 0
    before = p.stats()["n_run"]
    p(x=np.zeros((5, 7), "f4"), w=np.zeros((7, 3), "f4"))
    assert p.stats()["n_run"] == before + 1


def test_schedule_and_apply(product, random):
    x, w = random.integers(-9, 9, (8, 6)).astype("f4"), random.integers(-9, 9, (6, 4)).astype("f4")
    p = product(8, 6, 4, apply="split %y/m 2")
    assert "step 2" in str(p.tree())
    q = product(8, 6, 4, schedule=str(p.tree()))
    for program in (p, q):
        np.testing.assert_array_equal(program(x=x, w=w), x @ w)


def test_backends():
    named = {b.name: b for b in lt.backends()}
    assert named["ref"].usable and named["cpu"].summary
    for b in named.values():
        assert b.usable or b.reason


def test_errors_have_places():
    with pytest.raises(lt.Syntax) as caught:
        lt.compile("x = InputTensor(x, float32, [2]);\nresult = ;", backend="ref")
    assert (caught.value.status, caught.value.file, caught.value.line) == ("ESYNTAX", "source", 2)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, lt.Error)
