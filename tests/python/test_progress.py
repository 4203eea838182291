"""Bars of progress: on a terminal, in a notebook, and nowhere else; DataFrames of what is found."""
import os
import pty
import re
import subprocess
import sys
import types

import numpy as np
import pytest

import looptree as lt
from looptree import _progress

CHILD = """
import looptree as lt, threading
from looptree import _progress
_progress.AFTER_S = _progress.EVERY_S = %s
def work():
    p = lt.compile("x = InputTensor(x, float32, [5, 7]); w = InputTensor(w, float32, [7, 3]); y = x @ w; result = y;",
                   backend="cpu", threads=1)
    assert p.verify() and p.time(samples=4).n_sample == 4 and p.profile()
"""


def run(after, lines, terminal=True, columns=60):
    """What is written to stderr, a terminal or a pipe, and whether all went well."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    if terminal:
        import fcntl
        import struct
        import termios
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    child = subprocess.Popen([sys.executable, "-c", CHILD % after + lines], stdout=subprocess.PIPE, stderr=theirs,
                             text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    os.close(theirs)
    said = b""
    while True:
        try:
            more = os.read(ours, 4096)
        except OSError:                 # a terminal whose last writer has gone
            break
        if not more:
            break
        said += more
    os.close(ours)
    assert child.wait(60) == 0, said.decode()
    return said.decode().replace("\r\n", "\n")


def screens(said):
    """The line of a terminal after each carriage return."""
    line, seen = "", []
    for part in said.split("\r"):
        line = part + line[len(part):]
        seen.append(line)
    return seen


def test_on_a_terminal():
    seen = screens(run(0, "work()"))
    assert seen[-1].strip() == "" and "\n" not in "".join(seen)
    assert max(map(len, seen)) < 60
    for label, what in (("compiling", r"1 of 1"), ("verifying", r".+"), ("timing", r"[1-4] of 4")):
        line_of = r"%s +\d+ %% \[[#.]{8,24}\] %s *" % (label, what)
        assert any(re.fullmatch(line_of, line) for line in seen), (label, seen)
    shares = [int(m[1]) for line in seen if (m := re.match(r"timing +(\d+) % .* \d of 4 *$", line))]
    assert shares == [25, 50, 75, 100]


def test_a_narrow_terminal():
    seen = screens(run(0, "work()", columns=22))
    assert max(map(len, seen)) < 22 and seen[-1].strip() == ""


def test_what_is_short_shows_nothing():
    assert run(0.5, "lt.compile('x = InputTensor(x, float32, [5]); result = x + 1;', backend='ref')"
                    ".time(samples=2)") == ""


def test_a_pipe_shows_nothing_unless_asked():
    assert run(0, "work()", terminal=False) == ""
    said = run(0, "with lt.options(progress=True): work()", terminal=False)
    # the last is the compilation of profile
    assert re.sub(r"\d+\.\d", "T", said).splitlines() == [
        line for label in ("compiling", "verifying", "timing", "compiling") for line in (label, label + ": T s")]


def test_off_on_other_threads_and_with_a_function_of_ones_own():
    assert run(0, "with lt.options(progress=False): work()\n"
                  "t = threading.Thread(target=work); t.start(); t.join()\n"
                  "lt.compile('x = InputTensor(x, float32, [5]); result = x + 1;', backend='ref',"
                  "           progress=lambda *a: None).verify(progress=lambda *a: None)") == ""


def test_a_terminal_that_is_gone():
    assert run(0, "import os, sys; work(); os.close(2); work()").count("\n") == 0
    assert run(0, "import sys; sys.stderr.close(); work(); sys.stderr = None; work()") == ""


def test_in_a_notebook(monkeypatch, product):
    """IPython's display is called once, and what it showed is changed and taken away."""
    log = []

    class Shown:
        def update(self, what):
            log.append(what)

    def display(what, display_id):
        assert display_id is True
        log.append(what)
        return Shown()
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = type("ZMQInteractiveShell", (), {})
    of_display = types.ModuleType("IPython.display")
    of_display.HTML, of_display.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", of_display)
    monkeypatch.setattr(_progress, "AFTER_S", 0)
    monkeypatch.setattr(_progress, "EVERY_S", 0)
    p = product(backend="cpu")
    assert log[-1] == "" and log[-2].startswith("compiling <progress max='1' value='1.000'>")
    log.clear()
    p.time(samples=2)
    assert [re.sub(r"<.*>", "", line) for line in log] == ["timing  50 % 1 of 2", "timing  100 % 2 of 2", ""]
    log.clear()
    with lt.options(progress=False):
        p.time(samples=2)
    ipython.get_ipython = type("TerminalInteractiveShell", (), {})     # on a terminal, which stderr is not here
    p.time(samples=2)
    assert log == []


def test_options_stay_as_they_are():
    """What an inner `with` does not name, the outer one says."""
    p = lt.compile("x = InputTensor(x, float32, [2, 3]); result = x + 1;", backend="ref")
    with lt.options(copies="error"), lt.options(progress=False):
        with pytest.raises(lt.Invalid, match="would be copied"):
            p(x=np.ones((3, 2), "f4").T)
    p(x=np.ones((3, 2), "f4").T)
    for wrong in ("yes", 1, 0.5):
        with pytest.raises(lt.Invalid, match="'auto', True and False"), lt.options(progress=wrong):
            pass


def test_to_pandas(product):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")
    p = product()
    for rows in (p.explain(), p.kernels(), p.tree().memory(), p.profile(), lt.backends()):
        frame = rows.to_pandas()
        assert isinstance(frame, pandas.DataFrame) and len(frame) == len(rows) > 0
        assert list(frame.columns) == [name for name in vars(rows[0]) if name[0] != "_"]
        for name in frame.columns:
            for found, row in zip(frame[name], rows):
                want = getattr(row, name)
                assert want is None and pandas.isna(found) or found == want, name
    times, verified = p.time(samples=5), p.verify()
    assert list(times.to_pandas()["ns"]) == times.samples and len(times.samples) == 5
    frame = verified.to_pandas()
    assert len(frame) == 1 and frame["verdict"][0] == "passed" and frame["elements"][0] == 15


def test_without_pandas(monkeypatch, product):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        product().explain().to_pandas()
