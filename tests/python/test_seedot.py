"""Programs of SeeDot: compiled by the name of their file, and the accuracy of the four models of examples/seedot."""
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import looptree as lt

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
EXAMPLES = os.path.join(ROOT, "examples", "seedot")
sys.path.insert(0, os.path.join(ROOT, "tests", "seedot"))
MODELS = ["protonn", "bonsai", "fastgrnn", "lenet"]


def path(name):
    return os.path.join(EXAMPLES, name, name + ".sd")


def told():
    """By model: its numbers and how many are right, as docs/seedot.md has them."""
    with open(os.path.join(ROOT, "docs", "seedot.md"), encoding="utf-8") as f:
        rows = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \|$", f.read(), re.M)
    return {name: (int(n), int(right)) for name, n, right in rows}


def declared(name):
    folder = os.path.join(EXAMPLES, name)
    return {file[:-4]: np.load(os.path.join(folder, file)) for file in os.listdir(folder) if file.endswith(".npy")}


@pytest.mark.parametrize("backend", [b.name for b in lt.backends() if b.name in ("ref", "cpu", "llvm")])
@pytest.mark.parametrize("name", MODELS)
def test_models(name, backend):
    import interp
    digits = np.load(os.path.join(EXAMPLES, "digits.npz"))
    p = lt.compile(path(name), backend=backend)
    images = [np.float32(x[:, None]) / 16 for x in digits["x_test"]]
    classes = [int(p(X=x)) for x in images]
    assert told()[name] == (sum(x.size for x in declared(name).values()), sum(classes == digits["y_test"]))
    # As plain Python has them, whatever rounding may do.
    with open(path(name), encoding="utf-8") as f, pytest.MonkeyPatch.context() as patch:
        patch.setattr(interp, "SAFE", 0)
        text = f.read()
        for x, got in list(zip(images, classes))[::18]:
            assert interp.run(text, {**{k: v.astype(float) for k, v in declared(name).items()}, "X": x}) == got


def test_page(monkeypatch):
    """docs/seedot.md's Python gives what its table has."""
    with open(os.path.join(ROOT, "docs", "seedot.md"), encoding="utf-8") as f:
        block, = re.findall(r"^```python\n(.*?)^```$", f.read(), re.S | re.M)
    monkeypatch.chdir(ROOT)
    names = {}
    exec(block, names)
    assert names["right"] == told()["lenet"][1]


def test_sources(tmp_path):
    text = "let X = (2, 1) in [-1, 1] in let W = (1, 2) in [-1, 1] in W * X"
    x, w = np.float32([[0.5], [-0.25]]), np.float32([[1, -1]])
    for source in (text, text.encode()):
        p = lt.compile(source, frontend="seedot", backend="ref", weights={"W": w})
        np.testing.assert_array_equal(p(X=x), w @ x)
    # By its ending, what it begins with may be anything.
    (tmp_path / "m.sd").write_text("1.5 + 2.25")
    assert float(lt.compile(tmp_path / "m.sd", backend="ref")()) == 3.75
    (tmp_path / "m.sd").write_text(text)
    with pytest.raises(lt.Error, match=r"m.sd:1:38: the numbers of 'W' are to be in .*W.npy, which cannot be opened"):
        lt.compile(tmp_path / "m.sd", backend="ref")
    np.save(tmp_path / "W.npy", w.astype(np.float64))
    np.testing.assert_array_equal(lt.compile(tmp_path / "m.sd", backend="ref")(X=x), w @ x)
    np.testing.assert_array_equal(lt.compile(text, frontend="seedot", backend="ref", fixed={"W": w})(X=x), w @ x)


def test_random_programs():
    """Random programs over the whole grammar, as an interpreter in plain Python has them; check-more draws more."""
    out = os.environ.get("O", os.path.join(ROOT, "build"))
    lt_run = os.path.join(out if os.path.isabs(out) else os.path.join(ROOT, out), "lt-run")
    if not os.path.exists(lt_run):
        pytest.skip("lt-run is not built")
    there = subprocess.run([lt_run, "--list-backends"], capture_output=True, text=True, check=True).stdout
    quick = [b for b in ("ref", "llvm") if "\n%s " % b in "\n" + there]
    for n, backends in ((8, quick), (1, ["cpu"])):
        said = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "seedot", "draw.py"), str(n), "1", lt_run,
                               *backends], capture_output=True, text=True, check=True)
        print(said.stdout)
        assert said.stdout.count("ok - ") == len(backends) and "not ok" not in said.stdout, said.stdout + said.stderr
