"""Programs compiled and run, compared with numpy."""
import os
import subprocess
import sys

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
    with pytest.raises(lt.Mismatch, match=r"\[6, 2\], and \[n: 0\.\.5, 2\] is asked for"):
        p(x=np.zeros((6, 2), "f4"), y=np.zeros(6, "f4"))
    with pytest.raises(lt.Mismatch):
        p(x=whole[:3], y=np.zeros(2, "f4"), n=2)


def test_open_inputs_that_nothing_reads_and_scalars_of_an_array():
    """What passes leave out is given all the same; sums of elements of an array; names with quotes."""
    p = lt.compile("""graph 1
var i 2
var t 9 limit 2*a - b + 1
var u 3 limit b
var two 2
param a = %at[1] in 1..4
param b = %n[0] in 0..3
%at = i64[two] input "at"
%n = i64[] input "n"
%x = f32[i, t] input "x"
%unread = f32[u, two] input "no\\"body"
%y = f32[i, t] neg %x
result "y" = %y
""", backend="ref")
    assert repr(p.inputs[2]) == "x f32[2, 2*a - b + 1: 0..9]" and p.inputs[3].axes == ["b: 0..3", "2"]
    at = np.array([7, 2])
    for b in range(4):
        x = np.arange(2.0 * (5 - b), dtype="f4").reshape(2, 5 - b)
        unread = np.zeros((b, 2), "f4")
        np.testing.assert_array_equal(p(at=at, x=x, n=b), -x)
        np.testing.assert_array_equal(p.run({"at": at, "x": x, 'no"body': unread}), -x)    # which says what n is
        with pytest.raises(lt.Mismatch, match=r"in this run \[2, %d\], is asked for" % (5 - b)):
            p(at=at, x=np.zeros((2, 6), "f4"), n=b)
    with pytest.raises(lt.Mismatch, match=r"\[4, 2\], and \[b: 0\.\.3, 2\] is asked for"):
        p.run({"at": at, "x": x, 'no"body': np.zeros((4, 2), "f4")})


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


def test_results_that_share_memory_with_constants(random):
    """Those are borrowed: a result in one of them would be another constant in each later run."""
    text = "x = InputTensor(x, float32, [4]); w = ConstantTensor(w, float32, [4]);" \
        "v = ConstantTensor(v, float32, [4]); result a = x * w; result b = x - v;"
    memory, x = np.concatenate([random.integers(-9, 9, 8), [np.nan] * 9]).astype("f4"), np.float32([3, -1, 0, 2])
    w, v, before = memory[:4], memory[4:8], memory.copy()
    p = lt.compile(text, backend="ref", weights={"w": w, "v": v})
    gaps = np.repeat(x, 2)[::2]                         # has to be copied: the long way
    for given in (x, gaps):
        for name, port, out in (("v", "b", v), ("w", "a", w), ("w", "b", memory[1:5]), ("v", "a", memory[7:11])):
            with pytest.raises(lt.Invalid, match="result '%s' shares memory with constant '%s'" % (port, name)):
                p.run({"x": given}, out={port: out})
            np.testing.assert_array_equal(memory, before)
        found = p.run({"x": given}, out={"a": memory[8:12], "b": memory[13:]})          # they touch
        np.testing.assert_array_equal(found["a"], x * before[:4])
        np.testing.assert_array_equal(found["b"], x - before[4:8])
        memory[8:] = np.nan
    np.testing.assert_array_equal(p(x=w)["a"], before[:4] * before[:4])                 # both are only read
    one = lt.compile("x = InputTensor(x, float32, [4]); w = ConstantTensor(w, float32, [4]); result y = x * w;",
                     backend="ref")
    with pytest.raises(lt.Missing):                     # a call before the constant is there
        one(x=x, out=v)
    one.bind("w", v)
    one.bind("w", w)                                    # in place of that one, which is free then
    with pytest.raises(lt.Invalid, match="constant 'w'"):
        one(x=x, out=w)
    np.testing.assert_array_equal(one(x=x, out=v), x * before[:4])
    np.testing.assert_array_equal(memory[:4], before[:4])
    two = one.with_tree(one.tree())
    with pytest.raises(lt.Invalid, match="constant 'w'"):
        two.run({"x": x}, w)


def test_arrays_that_fit_go_the_short_way(random, monkeypatch):
    """They are lent as they are, results that are given too: nothing is looked at twice."""
    def other(*_):
        raise AssertionError("the long way")
    monkeypatch.setattr(lt.Program, "_call_others", other)
    x = random.integers(-9, 9, (3, 5)).astype("f4")
    one = lt.compile("x = InputTensor(x, float32, [3, 5]); result = x - 2;", backend="ref")
    two = lt.compile("x = InputTensor(x, float32, [3, 5]); result a = x - 2; result b = x * -3;", backend="ref")
    y, a, b = (np.full((3, 5), np.nan, "f4") for _ in range(3))
    assert one(x=x, out=y) is y and np.array_equal(y, x - 2)
    y[...] = np.nan
    assert one.run({"x": x}, y) is y and one.run({"x": x}, {"result": y}) is y and np.array_equal(y, x - 2)
    assert np.array_equal(one(x=x, out=None), x - 2)
    found = two(x=x, out={"a": a, "b": b})
    assert found["a"] is a and found["b"] is b and np.array_equal(a, x - 2) and np.array_equal(b, x * -3)
    b[...] = np.nan
    found = two.run({"x": x}, out={"b": b})
    assert found["b"] is b and np.array_equal(b, x * -3) and np.array_equal(found["a"], x - 2)
    # What is not just what the program takes is for the long way, which says so.
    for out in (y.astype("f8"), y[:, :4], np.asfortranarray(y), y[:2], y.tolist(), {"z": y}, {"result": y, "z": a},
                np.frombuffer(y.tobytes(), "f4").reshape(3, 5), np.ma.masked_array(y), x, x[::-1]):
        with pytest.raises(AssertionError, match="the long way"):
            one(x=x, out=out)
    for out in (a, {"a": a, "b": a}, {"a": a, "c": b}, {"a": a, "b": None}):
        with pytest.raises(AssertionError, match="the long way"):
            two(x=x, out=out)


def test_an_input_that_is_called_out():
    p = lt.compile("out = InputTensor(out, float32, [2]); result = out + 1;", backend="ref")
    np.testing.assert_array_equal(p(out=np.float32([1, 2])), [2, 3])
    y = np.empty(2, "f4")
    assert p.run({"out": [3, 4]}, out=y) is y and list(y) == [4, 5]


def test_a_plug_in_of_a_third_party():
    """It logs when its kernels are freed: when a program is dropped, during a call, at the end."""
    build = os.path.join(os.path.dirname(os.path.abspath(lt.__file__)), "..", "..")
    path = os.path.normpath(os.path.join(build, "examples", "plugin", "trace.so"))
    if not os.path.exists(path):
        pytest.skip("there is no " + path)
    text = """
import gc, sys, looptree as lt
lt.load_backend(sys.argv[1])
assert "trace" in [b.name for b in lt.backends()]
TEXT = "x = InputTensor(x, float32, [3]); y = ReLUNode(x); result = y;"
said = []
p = lt.compile(TEXT, backend="trace", log=lambda level, line: said.append(line))
assert list(p(x=[-1, 2, 3])) == [0, 2, 3]
del p
gc.collect()
assert any("1 run" in line for line in said), said
dropped = [lt.compile(TEXT, backend="trace")]
dropped[0](x=[1, 2, 3])
lt.compile(TEXT, backend="ref", progress=lambda done, total: dropped.clear())
gc.collect()
last = lt.compile(TEXT, backend="trace", log=lambda level, line: said.append(line))
last(x=[1, 2, 3])
"""
    done = subprocess.run([sys.executable, "-c", text, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and not done.stderr, (done.returncode, done.stderr)


def test_dumps_and_reports(product, random):
    p = product(backend="cpu")
    assert str(p.tree()).startswith("looptree 1\n") and p.graph().startswith("graph 1\n") and "float" in p.source()
    assert [row.backend for row in p.explain()] == ["cpu"] * len(p.kernels())
    kernel = p.kernels()[0]
    assert kernel.kernel == p.explain()[0].kernel and str(kernel) == p.dump("kernel") == str(p.kernels())
    assert kernel.kernel in kernel.source() and kernel.source() != kernel.asm() == p.dump("asm", 0)
    frozen = product(backend="ref").kernels()[0]
    assert str(frozen) == frozen.dump("frozen") and str(frozen).startswith("kernel " + frozen.kernel)
    with pytest.raises(lt.Unsupported, match="no source"):
        frozen.source()
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
