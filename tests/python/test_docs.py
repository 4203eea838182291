"""The examples of docs/python.md give what stands below them; those of docs/pytorch.md run."""
import doctest
import os
import pathlib
import re
import subprocess
import sys

import pytest

import looptree as lt

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")


def test_python_md(monkeypatch):
    monkeypatch.chdir(ROOT)
    with open("docs/python.md", encoding="utf-8") as file:
        text = file.read()
    names = {}
    blocks = list(re.finditer(r"^```pycon\n(.*?)^```$", text, re.S | re.M))
    assert len(blocks) > 5
    said = []
    for block in blocks:
        line = text.count("\n", 0, block.start()) + 1
        test = doctest.DocTestParser().get_doctest(block[1], names, "docs/python.md", "docs/python.md", line)
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append, clear_globs=False)
        names.update(test.globs)
    assert not said, "".join(said)


@pytest.mark.more
def test_pytorch_md(tmp_path):
    """Its Python from top to bottom, on a module; its commands, on that module as TorchScript."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    pytest.importorskip("onnxscript", reason="torch.onnx needs onnxscript: pip install onnx onnxscript")
    from looptree.__main__ import program
    text = pathlib.Path(ROOT, "docs", "pytorch.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M)
    torch.manual_seed(1)
    module = torch.nn.Sequential(torch.nn.Conv2d(1, 3, 5), torch.nn.ReLU(), torch.nn.Flatten(),
                                 torch.nn.Linear(1728, 10))
    x = torch.randn(1, 1, 28, 28)
    want = module.double()(x.double()).detach()
    module.float()
    found = []
    for block in (of for language, of in blocks if language == "python"):
        names = {"module": module, "x": x, "torch": torch}
        exec(block, names)
        found.append(names["y"])
    # sums of 25 and of 1,728 products, and of what they hand on: below 4,000 roundings of 2^-24
    assert len(found) == 2 and all(((y - want).norm() < 4000 * 2.0**-24 * want.norm()) for y in found)
    block = next(of for _, of in blocks if of.startswith("python -m looptree.torch"))
    folder = pathlib.Path(program() or "").parent
    if not (folder / "lt-build").exists():
        pytest.skip("lt-build is not beside lt-run")
    torch.jit.script(module.eval()).save(tmp_path / "mnist_cnn.pt")
    package = str(pathlib.Path(os.path.abspath(lt.__file__)).parents[1])
    for line in block.splitlines():
        words = line.split()
        words[:1] = [sys.executable] if words[0] == "python" else [str(folder / words[0])]
        words = [word.strip("'") for word in words]
        if words[0].endswith("lt-run"):         # as a tensor of the scripted module's own name
            words[words.index("x=random")] = "input=random"
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": package})
        assert done.returncode == 0, line + done.stderr
    assert (tmp_path / "mnist").stat().st_mode & 0o100


def test_everything_public_says_what_it_is():
    for name in lt.__all__:
        assert getattr(lt, name).__doc__, name
    for of in (lt.Program, lt.Tree, lt.Access):
        for name, member in vars(of).items():
            assert name.startswith("_") or not callable(member) or member.__doc__, "%s.%s" % (of.__name__, name)
