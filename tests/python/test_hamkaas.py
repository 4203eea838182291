"""looptree.hamkaas: nodes before numpy, scripts before the course's page, who frees what, what is refused."""
import contextlib
import ctypes
import gc
import importlib.util
import io
import os
import re
import shutil
import struct
import subprocess
import sys
import threading

import numpy as np
import pytest

import looptree as lt
from looptree import hamkaas
from looptree.hamkaas import BufferTensor, ConstantTensor, HamKaasPlugin, InputTensor, traverse_node

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(lt.__file__)), "..", ".."))
DATA = os.environ.get("LLAMA", os.path.join(ROOT, "..", "shared", "data", "llama"))
U = 2.0 ** -24                          # what rounding to float32 is off by, of the number


@pytest.fixture(scope="module")
def plugin():
    return HamKaasPlugin()


def example(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(ROOT, "examples", "hamkaas", name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def integers(*shape, seed=1):
    """Floats whose sums and products are exact."""
    return np.random.default_rng(seed).integers(-9, 10, shape).astype("f4")


def evaluate(plugin, node, **inputs):
    return plugin.compile_model(node).evaluate(inputs)


# ---- scripts ----

PAGE = """$1 = InputTensor(input, float32, [128, 28, 28]);
$2 = ReshapeNode($1, [128, 784]);
$3 = ConstantTensor(constant_0, float32, [784, 1000]);
$4 = MulNode($2, $3);
$5 = ConstantTensor(constant_1, float32, [1, 1000]);
$6 = SumNode($4, $5);
$7 = ReLUNode($6);
$8 = ConstantTensor(constant_2, float32, [1000, 10]);
$9 = MulNode($7, $8);
$10 = ConstantTensor(constant_3, float32, [1, 10]);
$11 = SumNode($9, $10);
result = $11;
"""


def python(*words, **how):
    package = os.path.dirname(os.path.dirname(os.path.abspath(lt.__file__)))
    environment = {**os.environ, "PYTHONPATH": package}
    return subprocess.run([sys.executable, *words], capture_output=True, env=environment, **how)


def test_the_page_of_the_course():
    said = python(os.path.join(ROOT, "examples", "hamkaas", "mnist.py"), text=True)
    assert said.stderr == "" and said.stdout == PAGE.replace("= MulNode", "= MatMulNode")


def test_mnist_before_numpy(plugin):
    random = np.random.default_rng(3)
    weights = [(random.uniform(-1, 1, shape).astype("f4"), random.uniform(-1, 1, (1, shape[1])).astype("f4"))
               for shape in ((784, 1000), (1000, 10))]
    x = random.uniform(-1, 1, (128, 28, 28)).astype("f4")
    got = evaluate(plugin, example("mnist").network(weights), input=x)
    (a, b), (c, d) = [(w.astype("f8"), bias.astype("f8")) for w, bias in weights]
    x = x.reshape(128, 784).astype("f8")
    hidden = np.maximum(x @ a + b, 0)
    # A sum of n products and a bias, in any order, is off by at most (n + 1) U / (1 - (n + 1) U) of the magnitudes.
    off = [n * U / (1 - n * U) for n in (785, 1001)]
    error = off[0] * (abs(x) @ abs(a) + abs(b))
    error = error @ abs(c) + off[1] * ((hidden + error) @ abs(c) + abs(d))
    assert got.dtype == np.float32 and got.shape == (128, 10)
    assert (abs(got - (hidden @ c + d)) <= error).all()


def test_a_node_is_printed_once_and_before_what_uses_it():
    x = InputTensor("x", "float32", [3])
    y = x.relu()
    for _ in range(3000):               # deeper than Python's own stack
        y = y + y
    lines = traverse_node(y).script.splitlines()
    assert lines[:3] == ["$1 = InputTensor(x, float32, [3]);", "$2 = ReLUNode($1);", "$3 = SumNode($2, $2);"]
    assert len(lines) == 3003 and lines[-1] == "result = $3002;"


def test_what_a_traversal_gives():
    w = integers(2, 5)
    found = traverse_node(InputTensor("x", np.float32, (3, 2)) @ w)
    assert found.inputs == {"x": ("float32", (3, 2))} and found.output == ("float32", (3, 5))
    assert list(found.constants) == ["constant_0"] and (found.constants["constant_0"] == w).all()


def test_the_page_of_this_front_end():
    """Each example of docs/hamkaas-python.md prints what is behind it."""
    with open(os.path.join(ROOT, "docs", "hamkaas-python.md"), encoding="utf-8") as f:
        examples = re.findall(r"```python\n(.*?)```\n```\n(.*?)```", f.read(), re.S)
    names = {}
    for code, says in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == says
    assert len(examples) == 2


# ---- nodes ----

EXACT = [
    ("sum", lambda x, y: x + y, (7, 3), (7, 3)),
    ("sum, the right one broadcast", lambda x, y: x + y, (7, 3), (1, 3)),
    ("sum, the left one broadcast", lambda x, y: x + y, (1, 3), (7, 3)),
    ("sum, a vector", lambda x, y: x + y, (3,), (7, 3)),
    ("sum with numbers", lambda x, y: 2 + x + y + -0.5, (7, 3), (7, 3)),
    ("sum with a list of integers", lambda x, y: x + [[1, 2, -3]], (7, 3), (1,)),
    ("product of elements", lambda x, y: x * y, (7, 3), (7, 1)),
    ("product with a number", lambda x, y: 3 * x * np.float32(-2) * 1.5, (7, 3), (1,)),
    ("product with an array", lambda x, y: x * integers(7, 1, seed=5), (7, 3), (1,)),
    ("an array and a product", lambda x, y: integers(5, 7, seed=5) @ x, (7, 3), (1,)),
    ("matrices", lambda x, y: x @ y, (5, 7), (7, 3)),
    ("a vector and a matrix", lambda x, y: x @ y, (7,), (7, 3)),
    ("a matrix and a vector", lambda x, y: x @ y, (5, 7), (7,)),
    ("stacks of matrices", lambda x, y: x @ y, (2, 5, 7), (2, 7, 3)),
    ("a stack and a matrix", lambda x, y: x @ y, (2, 1, 7), (7, 1)),
    ("reshape", lambda x, y: x.reshape(3, 7), (7, 3), (1,)),
    ("reshape by a list with -1", lambda x, y: x.reshape([-1, 1, 3]), (7, 3), (1,)),
    ("reshape by an array", lambda x, y: x.reshape(np.array([21])), (7, 3), (1,)),
    ("a slice", lambda x, y: x[1:4], (7, 3), (1,)),
    ("slices of two axes, from the end", lambda x, y: x[-3:, :-1], (7, 3), (1,)),
    ("every second one", lambda x, y: x[1::2], (7, 3), (1,)),
    ("a row, a column, an element", lambda x, y: x[2] + x[:3, 1] + x[-1, -1], (7, 3), (1,)),
    ("all of it", lambda x, y: x[:, 0:99], (7, 3), (1,)),
]


@pytest.mark.parametrize("name, f, a, b", EXACT, ids=[row[0] for row in EXACT])
def test_exact(plugin, name, f, a, b):
    x, y = integers(*a), integers(*b, seed=2)
    node = f(InputTensor("x", "float32", a), InputTensor("y", "float32", b))
    expected = np.asarray(f(x, y))
    inputs = {name: value for name, value in (("x", x), ("y", y)) if name in traverse_node(node).inputs}
    got = plugin.compile_model(node).evaluate(inputs)
    assert got.shape == node.shape == expected.shape and (got == expected).all()


def test_permute(plugin):
    a = integers(2, 5, 3)
    x = InputTensor("x", "float32", a.shape)
    for permutation in ([2, 0, 1], [1, 0, 2], [0, 1, 2], [-1, 1, 0]):
        got = evaluate(plugin, x.permute(*permutation), x=a)
        assert (got == a.transpose(permutation)).all()
        assert (got == evaluate(plugin, x.permute(permutation), x=a)).all()


def test_relu_keeps_nan(plugin):
    got = evaluate(plugin, InputTensor("x", "float32", [5]).relu(), x=np.array([-1, np.nan, -np.inf, np.inf, 3], "f4"))
    assert np.array_equal(got, np.array([0, np.nan, 0, np.inf, 3], "f4"), equal_nan=True)


def test_silu(plugin):
    a = np.linspace(-20, 20, 1009, dtype="f4")
    x = a.astype("f8")
    got = evaluate(plugin, InputTensor("x", "float32", [1009]).silu(), x=a)
    # exp is off by at most 4 ulp of 2 U (docs/accuracy.md), which counts at most fully; then a sum and a quotient.
    assert (abs(got - x / (1 + np.exp(-x))) <= (8 + 2) * U * abs(x / (1 + np.exp(-x)))).all()


@pytest.mark.parametrize("n", [1, 17, 64])
def test_rms_norm(plugin, n):
    random = np.random.default_rng(n)
    a, w = random.uniform(-3, 3, n).astype("f4"), random.uniform(-2, 2, n).astype("f4")
    expected = w.astype("f8") * a / np.sqrt((a.astype("f8") ** 2).mean() + 1e-5)
    got = evaluate(plugin, InputTensor("x", "float32", [n]).rms_norm(w), x=a)
    # Half of what a sum of n squares, a mean and eps are off by, then a root, a quotient and two products.
    assert (abs(got - expected) <= ((n + 4) / 2 + 6) * U * abs(expected)).all()


@pytest.mark.parametrize("shape, prefix", [((7,), 3), ((5, 11), 11), ((5, 11), 1), ((2, 3), 0)])
def test_sliced_softmax(plugin, shape, prefix):
    a = np.random.default_rng(1).uniform(-5, 5, shape).astype("f4")
    expected = a.astype("f8")
    if prefix:
        e = np.exp(expected[..., :prefix] - expected[..., :prefix].max(-1, keepdims=True))
        expected[..., :prefix] = e / e.sum(-1, keepdims=True)
    x, size = InputTensor("x", "float32", shape), InputTensor("size", "int64", [1])
    by_number = evaluate(plugin, x.sliced_softmax(prefix), x=a)
    by_node = evaluate(plugin, x.sliced_softmax(size), x=a, size=[prefix])
    # Differences of at most 10 are rounded (10 U in the exponent); exp is off by 4 ulp of 2 U, the sum of n by n U.
    for got in (by_number, by_node):
        assert (abs(got - expected) <= (2 * (10 + 4 * 2) + shape[-1] + 1) * U * abs(expected)).all()
        assert (got[..., prefix:] == a[..., prefix:]).all()


def test_complex_hadamard_product(plugin):
    a, b = integers(3, 5, 2), integers(1, 5, 2, seed=2)
    got = evaluate(plugin, InputTensor("x", "float32", a.shape).complex_hadamard_product(b), x=a)
    expected = (a[..., 0] + 1j * a[..., 1]) * (b[..., 0] + 1j * b[..., 1])
    assert (got[..., 0] == expected.real).all() and (got[..., 1] == expected.imag).all()


def test_replace_slice(plugin):
    a, b = integers(11), integers(3, seed=2)
    x, part = InputTensor("x", "float32", [11]), InputTensor("part", "float32", [3])
    start, end = InputTensor("start", "int64", [1]), InputTensor("end", "int64", [1])
    for at in (0, 4, 8):
        expected = a.copy()
        expected[at:at + 3] = b
        assert (evaluate(plugin, x.replace_slice(part, at, at + 3), x=a, part=b) == expected).all()
        got = evaluate(plugin, x.replace_slice(part, start, end), x=a, part=b, start=[at], end=np.array([at + 3]))
        assert (got == expected).all()


def test_state_stays_and_is_the_models_own(plugin):
    x, at, end = InputTensor("x", "float32", [1]), InputTensor("at", "int64", [1]), InputTensor("end", "int64", [1])
    node = BufferTensor("float32", [4]).replace_slice(x, at, end)
    first, second = plugin.compile_model(node), plugin.compile_model(node)
    held = np.zeros(4, "f4")
    for value, place in ((5, 1), (-7, 3), (2, 1)):
        held[place] = value
        assert (first.evaluate({"x": [value], "at": [place], "end": [place + 1]}) == held).all()
    assert (second.evaluate({"x": [1], "at": [0], "end": [1]}) == [1, 0, 0, 0]).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int8", "float16"])
def test_constants_of_types(plugin, dtype):
    for shape in ((3,), (2, 2), (1, 2, 3), (100003,)):
        a = integers(*shape).astype(dtype)
        got = evaluate(plugin, ConstantTensor(a))
        assert got.dtype == a.dtype and (got == a).all()


# ---- arrays ----

def test_arrays_that_are_not_contiguous(plugin):
    whole, w = integers(14, 9), integers(3, 7)
    a = whole[::2, 1:7:2]
    node = InputTensor("x", "float32", [7, 3]) @ w.T.T[:, ::-1]
    assert (evaluate(plugin, node, x=a) == a @ w[:, ::-1]).all()
    assert (evaluate(plugin, InputTensor("x", "float32", [3, 7]) + 0, x=a.T) == a.T).all()
    with lt.options(copies="error"), pytest.raises(lt.Invalid, match="would be copied"):
        evaluate(plugin, InputTensor("x", "float32", [3, 7]) + ConstantTensor(w), x=a.T)


def test_tensors_of_pytorch(plugin):
    torch = pytest.importorskip("torch")
    a, w = torch.tensor(integers(5, 7)), torch.tensor(integers(3, 7, seed=2), requires_grad=True)
    node = InputTensor("x", torch.float32, a.shape) @ w.T + 1
    got = evaluate(plugin, node, x=a)
    assert isinstance(got, torch.Tensor) and torch.equal(got, (a @ w.T + 1).detach())
    assert torch.equal(evaluate(plugin, InputTensor("x", "float32", [7, 5]) + 0, x=a.T), a.T)
    assert isinstance(evaluate(plugin, InputTensor("x", "float32", [2]) + 0, x=np.ones(2, "f4")), np.ndarray)
    assert torch.equal(evaluate(plugin, torch.ones(3, 5) @ InputTensor("x", "float32", [5, 7]) * 2, x=a), torch.ones(
        3, 5) @ a * 2)
    for tensor, says in ((a.to("meta"), "meta"), (a.to_sparse(), "strided"), (a.double(), "float64")):
        with pytest.raises(lt.Mismatch, match=says):
            evaluate(plugin, InputTensor("x", "float32", [5, 7]).relu(), x=tensor)
    half = torch.tensor([1.5, -2.25], dtype=torch.bfloat16)
    assert torch.equal(evaluate(plugin, ConstantTensor(half)), half)
    assert torch.equal(plugin.inverse_elements(torch.tensor([[1.0, -4.0], [0.5, 2.0]]).T),
                       torch.tensor([[1.0, 2.0], [-0.25, 0.5]]))


def test_inputs_that_share_memory(plugin):
    a = integers(20)
    node = InputTensor("x", "float32", [16]) + InputTensor("y", "float32", [16])
    assert (evaluate(plugin, node, x=a[:16], y=a[:16]) == 2 * a[:16]).all()
    assert (evaluate(plugin, node, x=a[:16], y=a[4:]) == a[:16] + a[4:]).all()


def test_inverse_elements(plugin):
    a = integers(40, 3)
    a[a == 0] = 7
    for x in (a, a[::2, ::-1], a[:0], np.float32(-4).reshape(())):
        got = plugin.inverse_elements(x)
        assert got.shape == x.shape and (got == np.float32(1) / x).all()
    assert plugin.inverse_elements([2.0, -8]).tolist() == [0.5, -0.125]
    with pytest.raises(lt.Error, match=r"Division by zero \(index = 2\)"):
        plugin.inverse_elements(np.array([1, -1, 0, 0], "f4"))
    with pytest.raises(lt.Mismatch, match="float64, and float32 is asked for"):
        plugin.inverse_elements(np.ones(3))


def test_ctypes_by_the_hints_of_the_course():
    """A front end's own loader: pointers to floats and bytes, tensors by their addresses."""
    library = ctypes.CDLL(hamkaas._own_library())
    floats, text = ctypes.POINTER(ctypes.c_float), ctypes.POINTER(ctypes.c_ubyte)
    inverse, free = library.HamKaasInverseElements, library.HamKaasFreeErrorMessage
    inverse.argtypes, inverse.restype = [floats, floats, ctypes.c_int], text
    free.argtypes, free.restype = [text], None
    a, out = np.array([1, -4, 0, 2], "f4"), np.zeros(4, "f4")
    pointers = [ctypes.cast(x.ctypes.data, floats) for x in (a, out)]
    assert not inverse(*pointers, 2) and out.tolist() == [1, -0.25, 0, 0]
    message = inverse(*pointers, 4)
    assert ctypes.string_at(message) == b"Division by zero (index = 2)"
    free(message)


def test_threads_share_a_model(plugin):
    model = plugin.compile_model(InputTensor("x", "float32", [64, 64]) @ integers(64, 64))
    inputs = [integers(64, 64, seed=i) for i in range(8)]
    wrong = []

    def work(a):
        for _ in range(50):
            if not (model.evaluate({"x": a}) == a @ integers(64, 64)).all():
                wrong.append(a)

    threads = [threading.Thread(target=work, args=(a,)) for a in inputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# ---- who frees what ----

COUNTING = r"""
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
struct with { void *at; char *message; };
struct named { const char *name, *data; };
struct options { bool gpu, cudnn; };
int messages, freed, models, handles, gpu, cudnn;
static char *say(const char *text) { messages++; return strdup(text); }
void HamKaasFreeErrorMessage(char *text) { freed++; free(text); }
struct with HamKaasInitialize(void) { handles++; return (struct with){ malloc(1), NULL }; }
void HamKaasFinalize(void *handle) { if (!models) handles--; free(handle); }
struct with HamKaasCompileModel(void *h, struct options o, const char *script, const struct named *c, int n)
{
	gpu = o.gpu, cudnn = o.cudnn;
	if (n != 1 || strcmp(c->name, "constant_0") || !strstr(script, "constant_0"))
		return (struct with){ NULL, say("script:3:7: no constant") };
	models++;
	return (struct with){ malloc(1), NULL };
}
void HamKaasFreeModel(void *h, void *model) { models--; free(model); }
char *HamKaasEvaluateModel(void *h, void *m, const struct named *in, int n, char *out)
{
	if (!n)
		return say("Missing input");
	memcpy(out, in->data, 8);
	return NULL;
}
char *HamKaasInverseElements(float *in, float *out, int size) { return say("no"); }
"""


def test_messages_models_and_handles_are_freed(tmp_path):
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    (tmp_path / "counting.c").write_text(COUNTING)
    path = str(tmp_path / "libhamkaas.so")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", path, str(tmp_path / "counting.c")], check=True)
    counts = ctypes.CDLL(path)

    def count(name):
        return ctypes.c_int.in_dll(counts, name).value

    plugin = HamKaasPlugin(path)
    x = InputTensor("x", "float32", [2])
    model = plugin.compile_model(x + np.ones(2, "f4"), use_gpu=True)
    assert (count("models"), count("handles"), count("gpu"), count("cudnn")) == (1, 1, 1, 0)
    assert model.evaluate({"x": [3, 4]}).tolist() == [3, 4]
    with pytest.raises(lt.Error) as caught:
        plugin.compile_model(x, use_cudnn=True)
    assert (caught.value.file, caught.value.line, caught.value.column) == ("script", 3, 7)
    assert (count("gpu"), count("cudnn")) == (0, 1)
    with pytest.raises(lt.Error, match="Missing input"):
        model.evaluate({})
    with pytest.raises(lt.Error, match="no"):
        plugin.inverse_elements([1.0])
    assert count("messages") == count("freed") == 3
    del plugin, caught
    gc.collect()
    assert (count("models"), count("handles")) == (1, 1)        # a model keeps its plug-in
    del model
    gc.collect()
    assert (count("models"), count("handles")) == (0, 0)        # which goes after it


def test_the_end_of_the_interpreter():
    text = ("from looptree.hamkaas import *\np = HamKaasPlugin()\n"
            "m = p.compile_model(InputTensor('x', 'f4', [2]).relu())\n"
            "p.self, m.self = p, m\nprint(m.evaluate({'x': [-1, 2]}).tolist())\n")
    said = python("-c", text, text=True)
    assert (said.returncode, said.stdout, said.stderr) == (0, "[0.0, 2.0]\n", "")


def test_backends_lie_beside_the_library_in_a_wheel(monkeypatch):
    """libhamkaas.so looks for its backends in the folder `backends` beside itself."""
    if not os.path.isdir(os.path.join(BUILD, "backends")):
        pytest.skip("there are no backends that are loaded")
    spec = importlib.util.spec_from_file_location("looptree_hook", os.path.join(ROOT, "python/hook/looptree_hook.py"))
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    monkeypatch.setattr(hook, "stripped", lambda path: b"")
    names = list(hook.built_files(BUILD))
    folder, = (os.path.dirname(name) for name in names if name.endswith("libhamkaas.so"))
    assert [os.path.dirname(name) for name in names if name.endswith("/llvm.so")] == [folder + "/backends"]
    assert "looptree/_facts.txt" in names and "looptree/hamkaas.py" in names


# ---- what is refused ----

X, V, I = InputTensor("x", "float32", [2, 3]), InputTensor("v", "float32", [4]), InputTensor("i", "int64", [1])
REFUSED = [
    (lambda: InputTensor("x", "float31", [2]), lt.Mismatch, "no type 'float31'; there are float32"),
    (lambda: InputTensor("x", "complex64", [2]), lt.Mismatch, "no type 'complex64'"),
    (lambda: InputTensor("x", None, [2]), lt.Mismatch, "no type 'None'"),
    (lambda: InputTensor("x\0", "float32", [2]), lt.Invalid, "cannot be named"),
    (lambda: InputTensor("x); y", "float32", [2]), lt.Invalid, "cannot be named"),
    (lambda: InputTensor("", "float32", [2]), lt.Invalid, "cannot be named"),
    (lambda: InputTensor("x", "float32", [2, 0]), lt.Invalid, "at least 1"),
    (lambda: InputTensor("x", "float32", [2.5]), lt.Mismatch, "integers"),
    (lambda: BufferTensor("float32", [-1]), lt.Invalid, "at least 1"),
    (lambda: ConstantTensor(X), lt.Mismatch, "not of a node"),
    (lambda: ConstantTensor("text"), lt.Mismatch, "constant"),
    (lambda: ConstantTensor(np.array([1j])), lt.Mismatch, "complex128"),
    (lambda: ConstantTensor(np.ones(2, ">f4")), lt.Mismatch, "byte order"),
    (lambda: ConstantTensor(np.ones(0, "f4")), lt.Invalid, "at least 1"),
    (lambda: ConstantTensor([[1], [2, 3]]), lt.Mismatch, "array"),
    (lambda: ConstantTensor([300, -1], "int8"), lt.Overflow, "numbers that int8 has not"),
    (lambda: ConstantTensor(np.ones(2, "f4"), "int8"), lt.Mismatch, "float32, and int8 is asked for"),
    (lambda: I + 1.5, lt.Mismatch, "cannot be made an array"),
    (lambda: I + 2 ** 80, lt.Error, "cannot be made|has not"),
    (lambda: X + None, lt.Mismatch, "a constant"),
    (lambda: X + "a", lt.Mismatch, "a constant"),
    (lambda: X @ X, lt.Mismatch, r"float32 \[2, 3\] and float32 \[2, 3\]"),
    (lambda: X @ 2, lt.Mismatch, "the product"),
    (lambda: X + V, lt.Mismatch, "SumNode"),
    (lambda: X + I, lt.Mismatch, "int64"),
    (lambda: X[:, :1] + X[:1], lt.Mismatch, "SumNode"),
    (lambda: X.complex_hadamard_product(X), lt.Mismatch, "2 elements"),
    (lambda: X.rms_norm(V), lt.Mismatch, "vector"),
    (lambda: X.reshape(5), lt.Mismatch, "6 elements"),
    (lambda: X.reshape(-1, -1), lt.Mismatch, "reshape"),
    (lambda: X.reshape(-1, 4), lt.Mismatch, "reshape"),
    (lambda: X.reshape([[2], [3]]), lt.Mismatch, "integers"),
    (lambda: X[None], lt.Mismatch, "integers"),
    (lambda: X.reshape("ab"), lt.Mismatch, "integers"),
    (lambda: X.permute(0, 0), lt.Mismatch, "once"),
    (lambda: X.permute(0), lt.Mismatch, "once"),
    (lambda: X[1:1], lt.Mismatch, "slice 1:1"),
    (lambda: X[::-1], lt.Mismatch, "step"),
    (lambda: X[::0], ValueError, "zero"),
    (lambda: X[0:I], lt.Unsupported, "numbers here"),
    (lambda: X["a"], lt.Mismatch, "integers"),
    (lambda: X[2], lt.OutOfRange, "position 2"),
    (lambda: X[0, 0, 0], lt.Mismatch, "fewer axes"),
    (lambda: X.replace_slice(V, 0, 4), lt.Mismatch, "vectors"),
    (lambda: V.replace_slice(V, 1, 5), lt.Mismatch, "lies in"),
    (lambda: V.replace_slice(V[:2], 1, 4), lt.Mismatch, "as long"),
    (lambda: V.replace_slice(V, V, 4), lt.Mismatch, "int64"),
    (lambda: V.replace_slice(V, "a", 4), lt.Mismatch, "integers"),
    (lambda: V.sliced_softmax(5), lt.Mismatch, "at least as many"),
    (lambda: V.sliced_softmax(V), lt.Mismatch, "int64"),
    (lambda: hamkaas.SumNode(X, "text"), lt.Mismatch, "not a str"),
    (lambda: hamkaas.ReLUNode(np.ones(2, "f4")), lt.Mismatch, "not a ndarray; ConstantTensor"),
    (lambda: hamkaas.MulNode(3, X), lt.Mismatch, "not a int"),
    (lambda: bool(X), lt.Mismatch, "evaluated"),
    (lambda: list(X), lt.Mismatch, "iterable"),
    (lambda: traverse_node(3), lt.Mismatch, "not a int"),
    (lambda: traverse_node(V + InputTensor("v", "float32", [4])), lt.Exists, "named 'v'"),
    (lambda: HamKaasPlugin("/nowhere/libhamkaas.so"), lt.LoadFailed, "nowhere"),
    (lambda: HamKaasPlugin("a\0b"), lt.LoadFailed, "no libhamkaas.so"),
    (lambda: HamKaasPlugin().compile_model(3), lt.Mismatch, "not a int"),
    (lambda: HamKaasPlugin().inverse_elements(X), lt.Mismatch, "cannot be made an array"),
    (lambda: HamKaasPlugin(lt._native.library._name), lt.LoadFailed, "HamKaasInitialize"),
    (lambda: HamKaasPlugin().compile_model(V.relu()).evaluate({"w": [1]}), lt.Missing, "no input is named 'w'"),
    (lambda: HamKaasPlugin().compile_model(V.relu()).evaluate({1: [1]}), lt.Missing, "no input is named '1'"),
    (lambda: HamKaasPlugin().compile_model(V.relu()).evaluate([1]), lt.Mismatch, "a dict of arrays"),
    (lambda: HamKaasPlugin().compile_model(V.relu()).evaluate({}), lt.Error, "Missing input 'v'"),
    (lambda: HamKaasPlugin().compile_model(V.relu()).evaluate({"v": np.ones(5, "f4")}), lt.Mismatch, r"\[4\] is asked"),
    (lambda: HamKaasPlugin().compile_model(V.relu()).evaluate({"v": np.ones(4)}), lt.Mismatch, "float64"),
    (lambda: HamKaasPlugin().compile_model(I.relu()), lt.Error, "script:2:"),
]


@pytest.mark.parametrize("i", range(len(REFUSED)))
def test_refused(i):
    act, kind, says = REFUSED[i]
    with pytest.raises(kind, match=says):
        act()


def test_bounds_that_a_run_says_are_checked_by_it(plugin):
    model = plugin.compile_model(V.replace_slice(V[:2], I, InputTensor("end", "int64", [1])))
    a = integers(4)
    with pytest.raises(lt.Error):
        model.evaluate({"v": a, "i": [3], "end": [5]})
    assert (model.evaluate({"v": a, "i": [2], "end": [4]})[2:] == a[:2]).all()


# ---- language models ----

def lt_llama(*words, **how):
    program = os.path.join(BUILD, "lt-llama")
    if not os.access(program, os.X_OK):
        pytest.skip("there is no lt-llama")
    return subprocess.run([program, *words], capture_output=True, check=True, **how).stdout


def test_greedy_tokens_of_a_checkpoint(plugin):
    path = os.path.join(DATA, "stories260K.bin")
    if not os.path.exists(path):
        pytest.skip("there is no " + path)
    llama2 = example("llama2")
    checkpoint = llama2.Checkpoint(path)
    model = plugin.compile_model(llama2.network(checkpoint))
    expected = [int(word) for word in lt_llama(path, "--tokens", "-t", "0", "-n", "200").split()]
    assert list(llama2.generate(checkpoint, model, [llama2.BEGIN], 0, 200, None)) == expected


def version_1(path, to):
    """A file of version 0 as one of version 1, as llama2.c's export.py lays it out."""
    with open(path, "rb") as f:
        data = f.read()
    dim, hidden, layers, heads, kv_heads, vocab, context = struct.unpack_from("7i", data)
    kv_dim = dim // heads * kv_heads
    of_0 = [("embedding", abs(vocab) * dim), ("norm1", layers * dim), ("q", layers * dim * dim),
            ("k", layers * kv_dim * dim), ("v", layers * kv_dim * dim), ("o", layers * dim * dim),
            ("norm2", layers * dim), ("w1", layers * dim * hidden), ("w2", layers * dim * hidden),
            ("w3", layers * dim * hidden), ("norm", dim),
            ("rotations", context * (dim // heads)), ("classifier", abs(vocab) * dim if vocab < 0 else 0)]
    parts, at = {}, 28
    for name, count in of_0:
        parts[name] = data[at:at + 4 * count]
        at += 4 * count
    assert at == len(data)
    head = struct.pack("<Ii7iB", 0x616b3432, 1, dim, hidden, layers, heads, kv_heads, abs(vocab), context, vocab > 0)
    with open(to, "wb") as f:
        f.write(head.ljust(256, b"\0"))
        for name in ("norm1", "norm2", "norm", "embedding", "q", "k", "v", "o", "w1", "w2", "w3", "classifier"):
            f.write(parts[name])


@pytest.mark.parametrize("shared", [False, True])
def test_version_1(plugin, tmp_path, shared):
    """Its weights are those of version 0, and lt-llama says the same of it."""
    write_model(tmp_path, 2, shared)
    old, new = str(tmp_path / "m.bin"), str(tmp_path / "v1.bin")
    version_1(old, new)
    llama2 = example("llama2")
    one, other = llama2.Checkpoint(old), llama2.Checkpoint(new)
    assert set(one.weight) - set(other.weight) == {"rotations"}
    assert all(np.array_equal(one.weight[name], other.weight[name]) for name in other.weight)
    model = plugin.compile_model(llama2.network(other))
    expected = [int(word) for word in lt_llama(new, "--tokens", "-t", "0", "-n", "20").split()]
    assert list(llama2.generate(other, model, [llama2.BEGIN], 0, 20, None)) == expected


@pytest.mark.parametrize("version", [2, 100])
def test_other_versions_are_refused_with_what_makes_version_0(tmp_path, version):
    (tmp_path / "m.bin").write_bytes(struct.pack("<Ii7iB", 0x616b3432, version, 64, 64, 2, 4, 4, 512, 64, 1).ljust(300))
    with pytest.raises(SystemExit, match="version %d, and versions 0 and 1.*--dtype f32 --convert FILE" % version):
        example("llama2").Checkpoint(str(tmp_path / "m.bin"))


class Chosen:
    """Instead of random.choice: keeps the shares, takes the token of the least one."""
    def __init__(self):
        self.shares = []

    def choice(self, n, p):
        assert len(p) == n
        self.shares.append(p)
        return int(p.argmin())


def test_tokens_are_drawn_by_their_shares(plugin, tmp_path):
    write_model(tmp_path, 2, False)
    llama2, chosen = example("llama2"), Chosen()
    checkpoint = llama2.Checkpoint(str(tmp_path / "m.bin"))
    model = plugin.compile_model(llama2.network(checkpoint))
    prompt = [llama2.BEGIN, 100, 50]
    tokens = list(llama2.generate(checkpoint, model, prompt, 0.7, 6, chosen))
    assert tokens[:2] == prompt[1:] and len(tokens) == 6 and len(chosen.shares) == 4
    again = plugin.compile_model(llama2.network(checkpoint))
    for position, token in enumerate([llama2.BEGIN, *tokens[:-1]]):
        scores = llama2.logits(checkpoint, again, token, position).astype("f8")
        if position >= 2:
            share = np.exp(scores / 0.7) / np.exp(scores / 0.7).sum()
            assert np.allclose(chosen.shares[position - 2], share, rtol=1e-12, atol=0)


WORDS = [" ", "D", "o", "n", "a", "l", "d", "w", "s", "i", "t", "e", "u", "c", "k", "na", "al", "ld", "ck", "uck", " D",
         " w", "wa", "was", " was", "duck", " duck", "Don", "on", "\u00e9"]


def write_model(folder, kv_heads, shared):
    """Random weights; pieces of words, so that a prompt is encoded in several steps."""
    dim, hidden, layers, heads, context = 24, 40, 2, 6, 31
    vocab, head = 259 + len(WORDS), dim // heads
    random = np.random.default_rng(kv_heads)
    kv = kv_heads * head
    with open(os.path.join(folder, "m.bin"), "wb") as f:
        f.write(struct.pack("7i", dim, hidden, layers, heads, kv_heads, vocab if shared else -vocab, context))
        for *shape, scale in ([vocab, dim, 1], [layers, dim, 1], [layers, dim, dim, 0.5], [layers, kv, dim, 0.5],
                              [layers, kv, dim, 0.5], [layers, dim, dim, 0.5], [layers, dim, 1],
                              [layers, hidden, dim, 0.5], [layers, dim, hidden, 0.5], [layers, hidden, dim, 0.5],
                              [dim, 1], [context, head, 1], *([] if shared else [[vocab, dim, 1]])):
            f.write(random.uniform(-scale, scale, shape).astype("f4").tobytes())
    with open(os.path.join(folder, "tokenizer.bin"), "wb") as f:
        f.write(struct.pack("<i", 7))
        pieces = [b"<unk>", b"\n<s>\n", b"\n</s>\n", *(b"<0x%02X>" % i for i in range(256)),
                  *(word.encode() for word in WORDS)]
        for i, piece in enumerate(pieces):
            f.write(struct.pack("<fi", float(max(0, i - 258)), len(piece)) + piece)


PROMPTS = ["Donald was a little duck", "caf\u00e9 \u4e2d", ""]
MODELS = [(6, True), (2, False), (1, True)]


@pytest.mark.parametrize("kv_heads, shared, prompt", [
    pytest.param(*model, prompt, marks=[] if i == k else pytest.mark.more)
    for i, model in enumerate(MODELS) for k, prompt in enumerate(PROMPTS)])
def test_the_program_says_what_lt_llama_says(tmp_path, kv_heads, shared, prompt):
    write_model(tmp_path, kv_heads, shared)
    words = ["m.bin", "0", "30", prompt]
    said = python(os.path.abspath(os.path.join(ROOT, "examples", "hamkaas", "llama2.py")), *words, cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert said.stdout == lt_llama(*words, cwd=tmp_path)


def test_the_command_of_its_page(tmp_path):
    """Beyond the checkpoint's context it ends; tokens that are drawn go on with the prompt."""
    write_model(tmp_path, 2, True)
    path, prompt = os.path.abspath(os.path.join(ROOT, "examples", "hamkaas", "llama2.py")), "Donald was a little duck"
    said = python(path, "m.bin", "0.8", "256", prompt, cwd=tmp_path)
    assert said.returncode == 0 and b"tok/s" in said.stderr, said.stderr
    assert said.stdout.startswith(prompt.encode()) and said.stdout.endswith(b"\n")
    greedy = [python(path, "m.bin", "0", "256", prompt, cwd=tmp_path).stdout,
              lt_llama("m.bin", "0", "256", prompt, cwd=tmp_path)]
    assert greedy[0] == greedy[1] and greedy[0].startswith(prompt.encode())


def test_files_that_are_no_model(tmp_path):
    write_model(tmp_path, 2, True)
    llama2, path = example("llama2"), str(tmp_path / "m.bin")
    whole = open(path, "rb").read()
    for content, says in ((whole[:20], "too few"), (whole[:-4], "asks for"), (b"\0" * 40, "version 0")):
        with open(path, "wb") as f:
            f.write(content)
        with pytest.raises(SystemExit, match=says):
            llama2.Checkpoint(path)
    with pytest.raises(SystemExit, match="vocabulary of 300"):
        llama2.Tokenizer(str(tmp_path / "tokenizer.bin"), 300)
