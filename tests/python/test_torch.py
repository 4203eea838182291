"""looptree.torch beside PyTorch's own eager runs, of the same module in float64 where numbers are rounded."""
import copy
import os
import pathlib
import subprocess
import sys
import tomllib
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
pytest.importorskip("onnxscript", reason="torch.onnx needs onnxscript: pip install onnx onnxscript")

import looptree as lt
import looptree.torch as ltt
from torch import nn

EPS = 2.0**-24          # the unit roundoff of float32


@pytest.fixture(autouse=True)
def apart(torchlib_once):
    torch._dynamo.reset()
    torch.manual_seed(1)
    with torch.no_grad():
        yield


class Digits(nn.Module):
    """A network of convolutions for 28x28 digits, as seeds of exporters have it."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 5, 3), nn.Conv2d(5, 7, 3)
        self.norm = nn.BatchNorm2d(5)
        self.fc1, self.fc2 = nn.Linear(7 * 12 * 12, 13), nn.Linear(13, 10)
        self.norm.running_mean.normal_()

    def forward(self, x):
        x = torch.relu(self.norm(self.conv1(x)))
        x = torch.max_pool2d(torch.relu(self.conv2(x)), 2)
        return torch.log_softmax(self.fc2(torch.relu(self.fc1(torch.flatten(x, 1)))), 1)


# Sums of at most n products one after another, each a value rounded once: an error of n EPS of the sum of the terms'
# magnitudes.  Layers hand on at most what they got, times the magnitudes, and those are here below 8 of the largest
# result (the weights are about 1/sqrt(n)); four layers of at most 7 * 12 * 12 = 1008 terms.
def bound(want):
    return 4 * 1008 * EPS * 8 * max(1.0, want.abs().max().item())


def near(got, module, *args):
    want = copy.deepcopy(module).double()(*(a.double() if a.is_floating_point() else a for a in args))
    assert got.dtype == torch.float32 and got.shape == want.shape
    assert (got.double() - want).abs().max() <= bound(want)


@pytest.fixture
def digits():
    return Digits().eval(), torch.randn(3, 1, 28, 28)


def scripted(module, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.script(module).save(tmp_path / "mnist_cnn.pt")
        return torch.jit.load(tmp_path / "mnist_cnn.pt")


def test_module(digits):
    module, x = digits
    near(ltt.compile(module, x)(x), module, x)


def test_script(digits, tmp_path):
    module, x = digits
    near(ltt.compile(scripted(module, tmp_path), (x,))(x), module, x)


def test_script_with_several_results(tmp_path):
    class Two(nn.Module):
        def forward(self, x, y):
            return x - y, x * -2
    x, y = torch.randn(7), torch.randn(7)
    got = ltt.compile(scripted(Two(), tmp_path), (x, y))(x, y)
    assert isinstance(got, tuple) and torch.equal(got[0], x - y) and torch.equal(got[1], x * -2)


def test_exported_program_has_its_example(digits):
    module, x = digits
    near(ltt.compile(torch.export.export(module, (x,)))(x), module, x)


def test_lt_compile_takes_a_module(digits):
    module, x = digits
    got = lt.compile(module, x)(x=x.numpy())
    assert isinstance(got, np.ndarray)
    near(torch.from_numpy(got), module, x)


def test_no_class_of_torch_wants_no_example():
    with pytest.raises(lt.Invalid, match="example"):
        lt.compile("x = InputTensor(x, float32, [2]); result y = x;", np.ones(2))


def test_structure_of_arguments_and_results():
    class Pair(nn.Module):
        def forward(self, a, *, others):
            return {"sum": a + others[0], "rest": (others[1] * 2, a)}
    a, b, c = torch.randn(3), torch.tensor([-0.0, float("nan"), float("-inf")]), torch.tensor([-3, 0, 7])
    got = ltt.Compiled(Pair(), (a,), {"others": [b, c]}, {})(a, others=[b, c])
    assert set(got) == {"sum", "rest"}
    assert torch.equal(got["sum"].isnan(), (a + b).isnan()) and got["sum"][2] == float("-inf")
    assert torch.equal(got["rest"][0], c * 2) and torch.equal(got["rest"][1], a)
    with pytest.raises(lt.Mismatch, match="arguments"):
        ltt.Compiled(Pair(), (a,), {"others": [b, c]}, {})(a, others=(b, c))


def test_results_that_are_no_tensors():
    class Mixed(nn.Module):
        def forward(self, first, second=None):
            return {"a": first - 1, "b": (3, None, ["text", first * -2])}
    x = torch.randn(3)
    f = ltt.compile(Mixed(), {"first": x})
    got = f(first=x)
    assert torch.equal(got["a"], x - 1) and got["b"][:2] == (3, None)
    assert got["b"][2][0] == "text" and torch.equal(got["b"][2][1], x * -2)
    assert [port.name for port in f.program.inputs] == ["first"]


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "bool", "float16", "bfloat16",
                                   "float64"])
def test_types(dtype):
    """Each type by PyTorch's own name, whatever the order is in which PyTorch's types are gone through."""
    program = lt.compile("x = InputTensor(x, %s, [1]); result = x;" % dtype, backend="ref")
    assert ltt._dtypes()[program.inputs[0].dtype] is getattr(torch, dtype)


def test_bytes_of_an_image():
    class Scaled(nn.Module):
        def forward(self, x):
            return x.float() - 128, x // 3
    x = torch.arange(256, dtype=torch.uint8).reshape(2, 128)
    for got, want in zip(ltt.compile(Scaled(), x)(x), Scaled()(x)):
        assert got.dtype == want.dtype and torch.equal(got, want)


def test_numbers_are_constants_and_an_argument_may_be_unused():
    class Scaled(nn.Module):
        def forward(self, x, unused, n):
            y = x * n
            return y, y
    x, unused = torch.randn(3), torch.randn(2)
    f = ltt.compile(Scaled(), (x, unused, -3))
    assert all(torch.equal(y, x * -3) for y in f(x, unused, -3))
    with pytest.raises(lt.Mismatch, match="constant"):
        f(x, unused, 2)


def test_layouts_and_shared_memory():
    class Less(nn.Module):
        def forward(self, a, b):
            return a - 2 * b
    whole = torch.arange(35.0).reshape(5, 7)
    f = ltt.compile(Less(), (torch.ones(7, 5), torch.ones(7, 5)))
    a, b = whole.t(), whole.reshape(7, 5)
    assert torch.equal(f(a, b), a - 2 * b) and torch.equal(f(b, b), -b)
    with lt.options(copies="error"), pytest.raises(lt.Invalid, match="copied"):
        f(a, b)


def test_wrong_tensors():
    f = ltt.compile(nn.ReLU(), torch.ones(7, 5))
    for wrong in (torch.ones(7, 4), torch.ones(7, 5, dtype=torch.float64), torch.ones(7, 5, device="meta")):
        with pytest.raises(lt.Mismatch, match="asked for"):
            f(wrong)


def test_arguments_that_are_no_tensors_or_none():
    x = torch.ones(7, 5)
    for call in (lambda: ltt.compile(nn.ReLU()), lambda: lt.compile(nn.ReLU())):
        with pytest.raises(lt.Missing, match="an example of the module's arguments"):
            call()
    with pytest.raises(lt.Mismatch, match="ndarray of numpy: torch.from_numpy"):
        ltt.compile(nn.ReLU(), x.numpy())
    f = ltt.compile(nn.ReLU(), x)
    with pytest.raises(lt.Mismatch, match="ndarray of numpy: torch.from_numpy"):
        f(x.numpy())
    with pytest.raises(lt.Mismatch, match=r"are \(tensor, tensor\), and the example's were \(tensor\)$"):
        f(x, x)
    with pytest.raises(lt.Mismatch, match=r"are \(x=\[tensor\]\), and"):
        f(x=[x])


def test_what_the_exporter_cannot_is_said():
    class Values(nn.Module):
        def forward(self, x):
            return torch.linalg.svd(x)[1]
    with pytest.raises(lt.Unsupported, match="_linalg_svd"):
        ltt.compile(Values(), torch.ones(3, 3))


def test_what_looptree_cannot_is_said():
    with pytest.raises(lt.Error, match="random"):
        ltt.compile(nn.Dropout(0.5).train(), torch.ones(3, 3))


def test_training_changes_buffers(digits):
    module, x = digits
    with pytest.raises(lt.Unsupported, match="running_mean.*eval"):
        ltt.compile(module.train(), x)


# ---- torch.compile ----

def watched(module, **options):
    told = []
    return torch.compile(module, backend="looptree", options={"tell": told.append, **options}), told


def test_backend(digits):
    module, x = digits
    f, told = watched(module)
    near(f(x), module, x)
    assert len(told) == 1 and not told[0].left
    # Parameters and statistics are constants: there is one input.
    assert len(told[0].programs) == 1 and [p.shape for p in told[0].programs[0].inputs] == [(3, 1, 28, 28)]


@pytest.mark.more
def test_an_installed_package_is_found_without_an_import(tmp_path):
    root = pathlib.Path(__file__).parents[2]
    points = tomllib.loads((root / "pyproject.toml").read_text())["project"]["entry-points"]["torch_dynamo_backends"]
    info = tmp_path / "looptree-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: looptree\nVersion: 0\n")
    lines = "".join("%s = %s\n" % point for point in points.items())
    (info / "entry_points.txt").write_text("[torch_dynamo_backends]\n" + lines)
    code = """import torch, warnings
with torch.no_grad():
    x = torch.tensor([-3.0, 0.0, 7.0])
    assert torch.equal(torch.compile(lambda x: x - 2 * x, backend="looptree")(x), -x)
import sys
assert "looptree.torch" in sys.modules"""
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": paths}, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr


def test_changed_parameters_are_seen():
    module, x = nn.Linear(13, 10), torch.randn(3, 13)
    f, told = watched(module)
    for factor in (1.0, -1.5, 0.5, 2.0):
        module.weight.mul_(factor)
        near(f(x), module, x)
    module.weight.data = module.weight.data.clone() * -1
    near(f(x), module, x)
    assert len(told) == 1


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 5)

    def forward(self, x):
        y = torch.relu(self.linear(x))
        values = torch.linalg.svd(y)[1]
        return values * 2 - y.sum(0), self.linear(y)


@pytest.mark.more
def test_the_rest_is_left_to_eager_and_told():
    module, x = Mixed(), torch.randn(5, 5)
    f = torch.compile(module, backend="looptree")
    with pytest.warns(ltt.LeftToEager, match="linalg_svd.*No ONNX function"):
        got = f(x)
    for g, w in zip(got, module(x)):
        assert (g - w).abs().max() <= bound(w)
    f, told = watched(module)
    torch._dynamo.reset()
    f(x)
    assert told[0].programs and any(node == "linalg_svd" for node, _ in told[0].left)


@pytest.mark.more
def test_what_is_left_names_no_file_of_ours():
    f, told = watched(lambda x: torch.nn.functional.dropout(x * 2, 0.5))
    x = torch.ones(64)
    got = f(x)
    assert set(got.tolist()) == {0.0, 4.0}
    assert len(told[0].programs) == 1 and len(told[0].left) == 1 and "needs random numbers" in told[0].left[0][1]
    assert "module.onnx" not in told[0].left[0][1]


@pytest.mark.more
def test_a_fast_path_is_named_with_what_switches_it_off():
    module, x = nn.TransformerEncoderLayer(8, 2, 12, batch_first=True).eval(), torch.randn(2, 5, 8)
    f, told = watched(module)
    near(f(x), module, x)
    assert not told[0].programs and "set_fastpath_enabled(False)" in told[0].left[0][1]
    torch._dynamo.reset()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        f, told = watched(module)
        near(f(x), module, x)
    finally:
        torch.backends.mha.set_fastpath_enabled(True)
    assert len(told[0].programs) == 1 and not told[0].left


@pytest.mark.more
@pytest.mark.parametrize("in_place", [False, True])
def test_buffers_that_change_with_each_call(in_place):
    class Count(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.zeros(3))

        def forward(self, x):
            if in_place:
                self.n += 1
            else:
                self.n = self.n + 1
            return x * self.n
    module, x = Count(), torch.randn(2, 3)
    f, told = watched(module)
    for n in range(1, 6):
        assert torch.equal(f(x), x * n) and torch.equal(module.n, torch.full((3,), float(n)))
    assert told


def test_gradients_are_left_to_eager():
    module, x = nn.Linear(3, 2), torch.randn(4, 3)
    with torch.enable_grad():
        f, told = watched(module)
        f(x).sum().backward()
        with pytest.warns(ltt.LeftToEager, match="the whole graph: gradients are asked for"):
            torch.compile(nn.Linear(3, 1), backend="looptree")(x)
    assert "gradients" in told[0].left[0][1] and not told[0].programs
    assert torch.allclose(module.weight.grad, x.sum(0).expand(2, 3))


def test_extents_that_differ_are_left_to_eager():
    f, told = watched(lambda x: x * 2 - 1)
    for n in (3, 5, 7):
        x = torch.randn(n, 2)
        assert torch.equal(f(x), x * 2 - 1)
    assert told[0].programs and "dynamic=False" in told[-1].left[0][1]


def test_a_view_of_an_argument_stays_one():
    def f(x):
        return x.view(-1), x.exp()
    x = torch.randn(3, 2)
    compiled, told = watched(f)
    view, _ = compiled(x)
    view.zero_()
    assert torch.equal(x, torch.zeros(3, 2)) and told[0].programs


def test_changes_in_place_are_seen_by_the_caller():
    def f(x, y):
        x.mul_(-2)
        return x + y
    x, y = torch.randn(3), torch.randn(3)
    want_x, want = x * -2, x * -2 + y
    compiled, told = watched(f)
    assert torch.equal(compiled(x, y), want) and torch.equal(x, want_x)
    assert "in place" in told[0].left[-1][1]


@pytest.mark.more
def test_inference_mode(digits):
    module, x = digits
    with torch.inference_mode():
        got = watched(module)[0](x)
    near(got.clone(), module, x)


# ---- python -m looptree.torch ----

def test_a_script_to_onnx_and_to_a_program(digits, tmp_path, capsys):
    """The model is the script's network, and so is what lt-build makes of it.  As a command: test_pytorch_md."""
    from looptree.__main__ import program
    module, x = digits
    scripted(module, tmp_path)
    status = ltt.main([str(tmp_path / "mnist_cnn.pt"), "--input", "3,1,28,28", "-o", str(tmp_path / "mnist.onnx"),
                       "--verify"])
    said = capsys.readouterr()
    assert status == 0, said.err
    assert float(said.out.split()[2]) < 1e-5
    got = lt.compile(tmp_path / "mnist.onnx")(x=x.numpy())
    near(torch.from_numpy(got), module, x)
    build = pathlib.Path(program() or "").with_name("lt-build")
    if not build.exists():
        pytest.skip("lt-build is not beside lt-run")
    made = subprocess.run([build, tmp_path / "mnist.onnx", "-o", tmp_path / "mnist"], capture_output=True, text=True)
    assert made.returncode == 0 and "verified" in made.stdout + made.stderr, made.stderr
    x.numpy().tofile(tmp_path / "x.bin")
    subprocess.run([tmp_path / "mnist", tmp_path / "x.bin", tmp_path / "y.bin"], check=True)
    near(torch.from_numpy(np.fromfile(tmp_path / "y.bin", "f4").reshape(3, 10)), module, x)


def test_an_exported_program_has_its_shapes(digits, tmp_path, capsys):
    module, x = digits
    torch.export.save(torch.export.export(module, (x,)), tmp_path / "mnist.pt2")
    status = ltt.main([str(tmp_path / "mnist.pt2"), "-o", str(tmp_path / "mnist.onnx"), "--verify"])
    assert status == 0, capsys.readouterr().err
    near(torch.from_numpy(lt.compile(tmp_path / "mnist.onnx")(x=x.numpy())), module, x)


@pytest.mark.parametrize("words, said", [
    (["none.pt", "--input", "1", "-o", "x.onnx"], "none.pt"),
    (["weights.pt", "--input", "1", "-o", "x.onnx"], "no network"),
    (["mnist_cnn.pt", "-o", "x.onnx"], "--input 1,1,28,28"),
    (["mnist_cnn.pt", "--input", "1,a", "-o", "x.onnx"], "is no shape"),
])
def test_what_the_tool_refuses(tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.chdir(tmp_path)
    module = nn.Linear(3, 2)
    scripted(module, tmp_path)
    torch.save(module.state_dict(), "weights.pt")
    try:
        status = ltt.main(words)
    except SystemExit as error:         # argparse's
        status = error.code
    err = capsys.readouterr().err
    assert status and said in err and "Traceback" not in err
