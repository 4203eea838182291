"""What is wrong is an exception with a sentence, and never a crash: each case in turn, in one process, and the program
still runs after it."""
import array
import copy
import gc
import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import looptree as lt

TEXT = "x = InputTensor(x, float32, [2, 3]); w = ConstantTensor(w, float32, [3]); y = x * w; result = y;"
TWO = "x = InputTensor(x, int64, [2]); i = InputTensor(i, int64, []); result a = x + 1; result b = x[0] + i;"
X = np.float32([[1, 2, 3], [4, 5, 6]])
W = np.float32([1, -1, 2])


def program():
    return lt.compile(TEXT, backend="ref", weights={"w": W})


def read_only(array):
    array.flags.writeable = False
    return array


class Raises:
    def __array__(self, *_):
        raise RuntimeError("no array today")


class BadDlpack:
    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        raise BufferError("not lent")


class NoDevice:
    def __dlpack_device__(self):
        raise ValueError("nowhere")

    def __dlpack__(self, **_):
        return None


class OnDevice:
    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **_):
        raise BufferError("not lent")


class OnMetal(OnDevice):
    def __dlpack_device__(self):
        return 8, 0


class OnCuda:
    __cuda_array_interface__ = {"shape": (2, 3), "typestr": "<f4", "data": (4096, False), "version": 3}


OPEN = "n = InputTensor(n, int64, []); x = InputTensor(x, float32, [n <= 4]); result = x + 1;"
STATE = "s = BufferTensor(s, int64, [1]); x = InputTensor(x, int64, [1]); result = UpdateNode(s, x + s, 0);"
LATE = "i = InputTensor(i, int64, [2]); x = InputTensor(x, float32, [5]); result = GatherNode(x, i);"


def closed():
    p = program()
    p(x=X)
    p.close()
    return p


def other_tree():
    program().with_tree(lt.compile("x = InputTensor(x, float32, [2, 3]); result = x + 1;", backend="ref").tree())


def bound_late():
    p = program()
    p(x=X)
    p.bind("w", W)


ARRAYS = {
    "another type": (X.astype("f8"), "f64, and f32 is asked for"),
    "integers": (X.astype("i4"), "i32, and f32"),
    "another rank": (X[0], r"\[3\], and \[2, 3\]"),
    "a scalar of numpy": (np.float32(3), r"\[\], and \[2, 3\]"),
    "another extent": (np.zeros((2, 4), "f4"), r"\[2, 4\]"),
    "transposed": (X.T, r"\[3, 2\]"),
    "empty": (np.zeros((0, 3), "f4"), r"\[0, 3\]"),
    "byte order": (X.astype(">f4"), "other byte order"),
    "objects": (X.astype(object), "type object"),
    "complex": (X.astype("c8"), "complex64"),
    "dates": (np.zeros((2, 3), "M8[s]"), "datetime64"),
    "records": (np.zeros((2, 3), [("a", "f4")]), "has not"),
    "long double": (X.astype(np.longdouble), "longdouble|float128"),
    "text of numpy": (np.full((2, 3), "a"), "has not"),
    "a mask": (np.ma.masked_array(X, X > 2), "mask"),
    "a text": ("1 2 3", "str, not an array"),
    "bytes": (b"123456", "bytes"),
    "nothing": (None, "NoneType"),
    "a dict": ({"a": 1}, "dict"),
    "a set": ({1, 2}, "set"),
    "a function": (len, "not an array"),
    "rows of several lengths": ([[1], [1, 2]], "no array"),
    "a list of texts": ([["a", "b", "c"]] * 2, "not an array of numbers"),
    "a list of another shape": ([1, 2, 3], r"\[3\], and"),
    "too deep": (np.zeros((1,) * 32, "f4"), "asked for"),
    "a memoryview of bytes": (memoryview(b"abcdef"), "u8"),
    "an array of doubles": (array.array("d", [1, 2]), "f64"),
    "what raises": (Raises(), "no array today"),
    "dlpack that raises": (BadDlpack(), "not lent"),
    "no device": (NoDevice(), "nowhere"),
    "a device that is not this program's": (OnDevice(), "compile it with backend='cuda'"),
    "metal": (OnMetal(), "not lent"),
    "cuda that is not this program's": (OnCuda(), "compile it with backend='cuda'"),
}
CALLS = {
    "an unknown input": (lambda: program()(x=X, z=X), "no input is named 'z'"),
    "an input that is a constant": (lambda: program()(x=X, w=W), r"'w': it is a constant, .*weights=\{'w': \.\.\.\}"),
    "an input that is a state": (lambda: lt.compile(STATE, backend="ref")(x=[1], s=[2]), "it is a state.*set_state"),
    "a constant in capitals": (lambda: program().bind("W", W), "'W'; did you mean 'w'"),
    "a result of no name that is near": (lambda: lt.compile(TWO, backend="ref").run(
        {"x": [1, 2], "i": 3}, out={"result": X}), "'result'; there are a, b"),
    "an option of compile that is near": (lambda: lt.compile(TEXT, weight={"w": W}), "did you mean 'weights'"),
    "samples by a near name": (lambda: program().time(sample=3), "did you mean 'samples'"),
    "progress by a near name": (lambda: program().verify(progres=print), "did you mean 'progress'"),
    "progress that is no function": (lambda: lt.compile(TEXT, progress=True), r"lt\.options\(progress=\.\.\.\)"),
    "progress of a verdict that is none": (lambda: program().verify(progress=1), "a function, not 1"),
    "a log that is no function": (lambda: lt.compile(TEXT, log="log.txt"), "log is a function, not 'log.txt'"),
    "a schedule that is a path": (lambda: lt.compile(TEXT, schedule=__file__), r"schedule=pathlib\.Path"),
    "one index for two axes": (lambda: lt.array(X)[lt.dims("m")], "has 2 axes, and 1 index is given"),
    "a function in a part of numpy": (lambda: np.linalg.svd(lt.array(X)), r"no lazy numpy\.linalg\.svd"),
    "a name that is near": (lambda: program()(X=X), "did you mean 'x'|no input is named 'X'"),
    "a missing input": (lambda: program()(), "input 'x' is missing"),
    "a name with a NUL": (lambda: program()(**{"x\0": X}), "no input is named"),
    "out of another type": (lambda: program()(x=X, out=np.zeros((2, 3))), "f64, and f32"),
    "out of another shape": (lambda: program()(x=X, out=np.zeros((3, 2), "f4")), r"\[3, 2\]"),
    "out that is not writable": (lambda: program()(x=X, out=read_only(np.zeros((2, 3), "f4"))), "cannot be written"),
    "out with gaps": (lambda: program()(x=X, out=np.zeros((2, 6), "f4")[:, ::2]), "side by side"),
    "out that is a list": (lambda: program()(x=X, out=[[0] * 3] * 2), "cannot be written|f64|i64"),
    "out of another name": (lambda: program().run({"x": X}, out={"z": X.copy()}), "no result is named 'z'"),
    "results that overlap": (lambda: (lambda a: lt.compile(
        "x = InputTensor(x, float32, [4]); result a = x + 1; result b = x + 2;", backend="ref").run(
            {"x": X.ravel()[:4].copy()}, out={"a": a[:4], "b": a[2:6]}))(np.zeros(8, "f4")), "shares memory"),
    "out that is no dict": (lambda: lt.compile(TWO, backend="ref")(x=[1, 2], i=3, out=X), "dict of arrays"),
    "a copy that is refused": (lambda: refused_copy(), "would be copied"),
    "a closed program": (lambda: closed()(x=X), "is closed"),
    "the tree of a closed one": (lambda: closed().tree(), "is closed"),
    "a constant of a closed one": (lambda: closed().bind("w", W), "is closed"),
    "a verdict of a closed one": (lambda: closed().verify(), "is closed"),
    "inputs without names": (lambda: program()(X), r"by name: p\(x=\.\.\.\)"),
    "inputs of run without names": (lambda: program().run(X), r"by name: p\.run\({'x': \.\.\.}\)"),
    "nothing for the inputs of run": (lambda: program().run(None), r"by name: p\.run"),
    "names of inputs that are numbers": (lambda: program().run({3: X}), "no input is named '3'"),
    "inputs of a verdict without names": (lambda: program().verify(X), r"by name: p\.verify\(x=\.\.\.\)"),
    "inputs of times without names": (lambda: program().time(X), "by name.*ndarray"),
    "samples below 0": (lambda: program().time(samples=-1), "samples .* not a -1"),
    "a program pickled": (lambda: pickle.dumps(program()), "of this process.*schedule=str"),
    "a program copied": (lambda: copy.copy(program()), "neither pickled nor copied"),
    "a tree pickled": (lambda: pickle.dumps(program().tree()), "its text"),
    "a handle copied": (lambda: copy.deepcopy(program()._handle), "neither pickled nor copied"),
    "a program for a tree": (lambda: program().with_tree(program()), "not a Program"),
    "nothing for a tree": (lambda: program().with_tree(None), "not a NoneType"),
    "a tree of another graph": (other_tree, "another program"),
    "another graph's tree as a text": (lambda: program().with_tree(str(lt.compile(
        "x = InputTensor(x, float32, [9]); result = x + 1;", backend="ref").tree())), "graph"),
    "a constant that is none": (lambda: program().bind("q", W), "no constant is named 'q'"),
    "a constant that is late": (bound_late, "."),
    "a missing constant": (lambda: lt.compile(TEXT, backend="ref")(x=X), "w"),
    "a state that is none": (lambda: program().state("s"), "no state is named"),
    "a fraction for an integer": (lambda: lt.compile(TWO, backend="ref")(x=[1, 2], i=1.5), "not of type i64"),
    "an integer beyond": (lambda: lt.compile(TWO, backend="ref")(x=[1, 2], i=2 ** 70), "array of numbers|not of type"),
    "a run-time value out of range": (lambda: lt.compile(OPEN, backend="ref")(x=np.zeros(4, "f4"), n=9), "0..4"),
    "an extent below": (lambda: lt.compile(OPEN, backend="ref")(x=np.zeros(2, "f4"), n=-1), "."),
    "an index out of range": (lambda: lt.compile(LATE, backend="ref")(x=np.zeros(5, "f4"), i=[0, 5]), "."),
    "a dump that is none": (lambda: program().dump("trees"), "no dump 'trees'.*'tree'"),
    "a kernel that is none": (lambda: program().dump("source", 99), "."),
    "a source of another type": (lambda: lt.compile(3), "not a int"),
    "a file that is none": (lambda: lt.compile("/nonexistent.lt"), "No such file"),
    "a folder": (lambda: lt.compile("/"), "directory"),
    "an empty source": (lambda: lt.compile(b""), "."),
    "a text with a NUL": (lambda: lt.compile("x = 1;\0y"), "."),
    "bytes that are no text": (lambda: lt.compile(bytes(range(256))), "."),
    "an unknown backend": (lambda: lt.compile(TEXT, backend="nvcc"), "nvcc"),
    "a backend with a NUL": (lambda: lt.compile(TEXT, backend="ref\0x"), "NUL"),
    "an unknown option": (lambda: lt.compile(TEXT, thread=2), "no option 'thread'; did you mean 'threads'"),
    "threads below 0": (lambda: lt.compile(TEXT, threads=-1), "number of at least 0"),
    "threads beyond": (lambda: lt.compile(TEXT, threads=2 ** 40), r"option threads .* below 2\*\*32"),
    "backends as a list": (lambda: lt.compile(TEXT, backend=["ref", "cpu"]), "option backend is a text"),
    "threads as a text": (lambda: lt.compile(TEXT, threads="2"), "number of at least 0"),
    "a schedule that is none": (lambda: lt.compile(TEXT, backend="ref", schedule="looptree 7"), "."),
    "a schedule with a NUL": (lambda: lt.compile(TEXT, backend="ref", schedule="a\0b"), "NUL"),
    "an unknown primitive": (lambda: lt.compile(TEXT, backend="ref", apply="splitt i 3"), "splitt"),
    "a path with a NUL": (lambda: program().tree().find("i\0j"), "NUL"),
    "a path that is none": (lambda: program().tree().find("nowhere"), "nowhere"),
    "steps with a NUL": (lambda: program().tree().apply("split i 2\0"), "."),
    "steps that are no text": (lambda: program().tree().apply(3), "steps are a text"),
    "a node that is none": (lambda: program().tree().access("%nothing"), "no node %nothing"),
    "dims that are no dict": (lambda: lt.compile(TEXT, dims=3), "dims is a dict of extents by name, not a int"),
    "weights that are no dict": (lambda: lt.compile(TEXT, weights=[W]), "weights is a dict .* or a file.* not a list"),
    "fixed that is no dict": (lambda: lt.compile(TEXT, fixed="x"), "fixed is a dict of arrays by name, not a str"),
    "a file of weights that is none": (lambda: lt.read_weights("/nonexistent.npz"), "No such file"),
    "a file of a schedule that is none": (lambda: lt.compile(TEXT, schedule=pathlib.Path("/nonexistent")), "No such"),
    "dims as a list": (lambda: lt.dims(["m", "k"]), "a text of names"),
    "dims that are one": (lambda: lt.dims("m k m"), "names 'm' twice"),
    "dims of nothing": (lambda: lt.compile(TEXT, backend="ref", dims={"batch": 3}), "dimensions of a text"),
    "a dim that is not said": (lambda: lt.compile("examples/mnist/digits.onnx"),
                               r"dims=\{'batch': 8\} fixes it, dims=\{'batch': '1\.\.8'\} lets it differ"),
    "rows of a lazy array of several lengths": (lambda: lt.array([[1], [1, 2]]), "no array"),
    "a dim that is none": (lambda: lt.compile("examples/mnist/digits.onnx", dims={"batch": "many"}), "batch"),
    "a dim below 1": (lambda: lt.compile("examples/mnist/digits.onnx", dims={"batch": -2}), "batch"),
    "an unknown front end": (lambda: lt.compile(TEXT, frontend="tf"), "tf"),
    "a plug-in that is none": (lambda: lt.load_backend(__file__), "."),
    "a plug-in that is not there": (lambda: lt.load_backend("/nonexistent.so"), "."),
    "a library that is no plug-in": (lambda: lt.load_backend(sys.executable), "."),
    "weights that are no file": (lambda: lt.read_weights(__file__), "no file of safetensors"),
    "weights of another shape": (lambda: lt.compile(TEXT, backend="ref", weights={"w": W[:2]}), r"\[2\]"),
    "copies of another word": (lambda: lt.options(copies="never").__enter__(), "'allow', 'warn' and 'error'"),
    "a cache that is a file": (lambda: lt.compile(TEXT, backend="cpu", cache=__file__), "."),
}


def refused_copy():
    with lt.options(copies="error"):
        program()(x=np.asfortranarray(X))


def test_there_are_sixty():
    assert len(ARRAYS) + len(CALLS) >= 60


@pytest.mark.parametrize("name", ARRAYS)
def test_array(name):
    value, sentence = ARRAYS[name]
    p = program()
    with pytest.raises(lt.Error, match=sentence) as caught:
        p(x=value)
    assert caught.value.status and len(str(caught.value)) > 15
    np.testing.assert_array_equal(p(x=X), X * W)


@pytest.mark.parametrize("name", CALLS)
def test_call(name):
    call, sentence = CALLS[name]
    with pytest.raises(lt.Error, match="(?s)" + sentence) as caught:
        call()
    assert len(str(caught.value)) > 9
    gc.collect()
    np.testing.assert_array_equal(program()(x=X), X * W)


def test_exceptions_in_callbacks():
    class Own(Exception):
        pass

    def raises(*_):
        raise Own("mine")
    with pytest.raises(Own, match="mine"):
        lt.compile(TEXT, backend="cpu", weights={"w": W}, progress=raises)
    p = program()
    with pytest.raises(Own, match="mine"):
        p.verify(progress=raises)
    np.testing.assert_array_equal(p(x=X), X * W)


def test_a_callback_that_calls_what_it_is_called_by():
    p = program()
    found = []

    def asks(*_):
        try:
            p.graph()
        except lt.Invalid as error:
            found.append(str(error))
    assert p.verify(progress=asks)
    assert found and "callback" in found[0]


def python(text):
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def test_shutdown_with_live_objects():
    done = python("""
import looptree as lt, numpy as np, sys
p = lt.compile(%r, backend="cpu", weights={"w": np.ones(3, "f4")})
p(x=np.ones((2, 3), "f4"))
t = p.tree(); a = t.access(); v = p.verify(); e = p.explain()
sys.kept = [p, t, a, v, e]                      # goes after all modules
class Late:
    def __del__(self, p=p, x=np.ones((2, 3), "f4")): p(x=x)
circle = [p]; circle.append(circle)
late = Late()
""" % TEXT)
    assert (done.returncode, done.stderr) == (0, "")


def test_circles():
    """A program in a circle with what it was made of: nothing is freed before what was made of it."""
    done = python("""
import gc, looptree as lt, numpy as np
for i in range(50):
    circle = []
    p = lt.compile(%r, backend="ref", weights={"w": np.ones(3, "f4")}, progress=lambda *a: circle)
    p(x=np.ones((2, 3), "f4"))
    circle += [p, p.tree(), p.tree().access(), p._graph, p._graph.context, p._runner, p._handle, circle]
    del p, circle
    gc.collect()
""" % TEXT)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_free_threaded_interpreter():
    """It has no limited API: a sentence says so, before anything is loaded."""
    done = python("import sysconfig; sysconfig.get_config_vars()['Py_GIL_DISABLED'] = 1; import looptree")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == ("ImportError: looptree uses Python's limited API, which a free-threaded "
                                            "interpreter has not; use one with the GIL")


def test_another_thread_library_is_not_needed():
    """Only numpy is imported, and no signal's handler is changed."""
    done = python("""
import signal, sys
before = [signal.getsignal(s) for s in signal.valid_signals()]
import looptree
print([m for m in ('torch', 'onnx', 'pandas', 'cupy') if m in sys.modules])
assert before == [signal.getsignal(s) for s in signal.valid_signals()]
""")
    assert done.stdout.strip() == "[]" and done.returncode == 0, done.stderr


def test_a_backend_of_the_package_that_cannot_be_loaded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from looptree import _program

    def broken(path: str) -> None:
        raise lt.LoadFailed("%s: cut" % path)
    monkeypatch.setattr(_program, "_loaded", False)
    monkeypatch.setattr(_program, "_load", broken)
    monkeypatch.setattr(_program.os, "listdir", lambda folder: ["mine.so"])
    with pytest.warns(UserWarning, match=r"the backend \w+\.so of this package is not there: .*: cut"):
        _program.load_backends()
