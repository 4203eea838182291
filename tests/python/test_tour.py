"""examples/tour.ipynb, executed by nbconvert, and its page in headless Chromium.

NOTEBOOK_PYTHON is an interpreter that has what a notebook needs (scripts/setup.sh python); default: this one.
"""
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

import pytest

import looptree as lt
from looptree.__main__ import program

NOTEBOOK = pathlib.Path(__file__).parents[2] / "examples" / "tour.ipynb"
PYTHON = os.path.abspath(shutil.which(os.environ.get("NOTEBOOK_PYTHON", "")) or sys.executable)
# What a page looks like: its colors, and the share of pixels that are not white.
LOOK = """
import sys
import matplotlib.image
import numpy as np
page = np.round(matplotlib.image.imread(sys.argv[1])[..., :3] * 255).astype(int)
print(len(np.unique(page @ [65536, 256, 1])), (page.min(axis=2) < 250).mean())
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The notebook with its outputs, and the page that is made of it."""
    modules = "import ipykernel, matplotlib, nbconvert, pandas"
    if subprocess.run([PYTHON, "-c", modules], capture_output=True).returncode:
        pytest.skip("a notebook needs more: pip install nbconvert ipykernel matplotlib pandas")
    if program() is None:
        pytest.skip("lt-run is not beside the library: make")
    to = tmp_path_factory.mktemp("tour")
    environment = {
        **os.environ, "IPYTHONDIR": str(to), "JUPYTER_CONFIG_DIR": str(to), "MPLCONFIGDIR": str(to),
        "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(lt.__file__)))}
    # Its list of fonts is made now: in the notebook a slow machine would be told on stderr that this takes a while.
    subprocess.run([PYTHON, "-c", "import matplotlib.font_manager"], env=environment, capture_output=True, check=True)
    for kind, name in (("notebook", "done.ipynb"), ("html", "page.html")):
        done = subprocess.run(
            [PYTHON, "-m", "nbconvert", "--to", kind, *(["--execute", NOTEBOOK] if kind == "notebook" else [
                to / "done.ipynb"]), "--output", to / name],
            capture_output=True, text=True, timeout=600, cwd=to, env=environment)
        assert done.returncode == 0, done.stderr
    return json.loads((to / "done.ipynb").read_text()), to / "page.html"


def test_the_notebook_has_no_outputs_of_its_own():
    """What it shows is made when it is run; its lines are not longer than others'."""
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs") and not cell.get("execution_count")
        assert max(len(line.rstrip("\n")) for line in cell["source"]) <= 120


@pytest.mark.more
def test_what_it_shows(executed):
    outputs = [output for cell in executed[0]["cells"] for output in cell.get("outputs", [])]
    assert not [o for o in outputs if o["output_type"] == "error" or o.get("name") == "stderr"]
    said = "".join("".join(o["text"]) for o in outputs if o["output_type"] == "stream")
    pages = ["".join(o["data"]["text/html"]) for o in outputs if "text/html" in o.get("data", {})]
    assert said.count("verify: passed") == 2
    for refusal in ("the parallel loop over k reduces %c", "%c writes at m=0, n=0, k=1", "there is no loop p",
                    "Mismatch: input 'a' is f64, and f32 is asked for", "give that tail peel"):
        assert refusal in said, said
    assert len(re.findall(r"^(?:Illegal|Mismatch): ", said, re.M)) == 4
    trees = [page for page in pages if "border:1px solid" in page]
    assert [page.count("<span>for ") for page in trees][0] == 3 and len(trees) == 3
    assert len([o for o in outputs if "image/png" in o.get("data", {})]) == 1
    speeds = next(page for page in pages if "GFLOP/s" in page)
    assert re.findall(r">(three loops|order|blocks|registers|sums|packed|six rows|default)</th>", speeds) == [
        "three loops", "order", "blocks", "registers", "sums", "packed", "six rows", "default"]


@pytest.mark.more
def test_its_page(executed):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("no Chromium is installed: scripts/setup.sh browser")
    page = executed[1]

    def run(*what):
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        done = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,3000",
             "--virtual-time-budget=5000", "--user-data-dir=%s" % (page.parent / "browser"), *what, page.as_uri()],
            capture_output=True, text=True, timeout=180, env={**os.environ, "HOME": str(page.parent)},
            # It reserves more addresses than the tests may have.
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (hard, hard)))
        assert done.returncode == 0, done.stderr
        return done.stdout
    run("--screenshot=%s" % (page.parent / "page.png"))
    colors, ink = subprocess.run([PYTHON, "-c", LOOK, page.parent / "page.png"], capture_output=True, text=True,
                                 check=True).stdout.split()
    assert int(colors) > 100 and 0.05 < float(ink) < 0.9
    dom = run("--dump-dom")

    def boxes(text):
        return len(re.findall(r'<div style="[^"]*border: ?1px solid', text.replace("'", '"')))
    # How many a default tree has depends on the processor: all that the notebook has made are in the page.
    made = [boxes("".join(output["data"]["text/html"])) for cell in executed[0]["cells"]
            for output in cell.get("outputs", []) if "text/html" in output.get("data", {})]
    assert len([n for n in made if n]) == 3 and boxes(dom) == sum(made)
    assert dom.count("<img") == 1
    assert not re.findall(r'data-mime-type="application/vnd\.jupyter\.(stderr|error)"', dom)
    assert 'data-mime-type="text/plain"' in dom
