"""The wheel of what was built, installed alone into a folder of its own: docs/python.md in it, from top to bottom."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import sysconfig
import zipfile

import pytest

import looptree as lt
from looptree.__main__ import program

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    built = pathlib.Path(program() or "").parent
    if not (built / "libhamkaas.so").exists() or "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("nothing is built that a wheel would have: make")
    spec = importlib.util.spec_from_file_location("looptree_hook", ROOT / "python" / "hook" / "looptree_hook.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    to = tmp_path_factory.mktemp("wheel")
    tag = "cp311-abi3-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    wheel = to / ("looptree-%s-%s.whl" % (hook.version(), tag))
    hook.write_wheel(str(wheel), tag, hook.built_files(str(built)))
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--target",
                           to / "site", wheel], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return wheel, to / "site"


def run(site, *words):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=ROOT, timeout=300,
                          env={**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"})


@pytest.mark.more
def test_the_page_runs_in_it(installed, tmp_path):
    site = installed[1]
    done = run(site, "-c", "import looptree; print(looptree.__file__)")
    assert done.stdout.strip() == str(site / "looptree" / "__init__.py"), done.stderr
    done = run(site, "-m", "pytest", "-p", "no:cacheprovider", "-q", "tests/python/test_docs.py::test_python_md")
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr
    script = tmp_path / "small.lt"
    script.write_text("x = InputTensor(x, float32, [3, 5]); result = ReLUNode(x - 1);")
    done = run(site, "-m", "looptree", str(script), "-i", "x=random", "-b", "ref", "--verify", "-q")
    assert done.returncode == 0 and "passed" in done.stdout, done.stdout + done.stderr
    names = run(site, "-c", "import looptree; print(*sorted(b.name for b in looptree.backends()))").stdout.split()
    assert names == sorted(b.name for b in lt.backends())


@pytest.mark.more
def test_what_is_in_it(installed):
    names = zipfile.ZipFile(installed[0]).namelist()
    sources = {"looptree/" + path.name for path in (ROOT / "python" / "looptree").iterdir()
               if path.suffix in (".py", ".pyi") or path.name == "py.typed"}
    assert sources < set(names) and "looptree/bin/lt-run" in names
    assert [name for name in names if name.endswith("/licenses/LICENSE")]
