"""One program on many threads, the GIL, Ctrl-C, fork, memory."""
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import looptree as lt
from looptree.__main__ import program

counts_memory = pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""),
                                   reason="AddressSanitizer keeps what is freed")
SLOW = """
x = InputTensor(x, float64, [600, 600]);
%s
result = y;
""" % "\n".join(["y = x @ x;"] + ["y = TanhNode(y) @ x;"] * 30)


def python(*words, cwd=None, **environment):
    """A shell starts what runs beside it with SIGINT ignored."""
    return subprocess.Popen([sys.executable, *(["-c"] * (len(words) == 1)), *words], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, cwd=cwd,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
                                 **environment})


def test_many_threads(product, random):
    p = product(5, 7, 3, backend="cpu")
    cases = [(random.integers(-9, 9, (5, 7)).astype("f4"), random.integers(-9, 9, (7, 3)).astype("f4"))
             for _ in range(8)]
    wrong = []

    def work(x, w):
        want = x @ w
        for _ in range(300):
            if not np.array_equal(p(x=x, w=w), want):
                wrong.append((x, w))
    threads = [threading.Thread(target=work, args=case) for case in cases]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_a_program_with_states_takes_turns():
    p = lt.compile("s = BufferTensor(s, int64, [1]); x = InputTensor(x, int64, [1]); t = UpdateNode(s, s + x, 0);"
                   "result = t;", backend="ref")
    one = np.ones(1, "i8")
    threads = [threading.Thread(target=lambda: [p(x=one) for _ in range(200)]) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert list(p.state("s")) == [1200]


def test_programs_are_compiled_side_by_side(product, random):
    x, w = random.integers(-9, 9, (5, 7)).astype("f4"), random.integers(-9, 9, (7, 3)).astype("f4")
    found = [None] * 6

    def work(i):
        found[i] = product(5, 7, 3, backend="cpu")(x=x, w=w)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for y in found:
        np.testing.assert_array_equal(y, x @ w)


def test_the_gil_is_released(random):
    """While a run is under way, another thread of Python goes on."""
    p = lt.compile(SLOW, backend="cpu", threads=1)
    x = random.uniform(-1, 1, (600, 600))
    ended, counted = threading.Event(), [0]

    def work():
        while not ended.wait(0.001):
            counted[0] += 1
    thread = threading.Thread(target=work)
    thread.start()
    p(x=x)
    before = counted[0]
    p(x=x)
    during = counted[0] - before
    ended.set()
    thread.join()
    # If the run kept the GIL, the other thread came in once before and once after it.
    assert during > 2


def test_ctrl_c_ends_a_run():
    """Between two kernels; the program can be run again."""
    child = python("""
import looptree as lt, numpy as np, sys
p = lt.compile(%r, backend="cpu", threads=1)
x = np.zeros((600, 600))
p(x=x)
print("ready", flush=True)
try:
    while True:
        p(x=x)
except KeyboardInterrupt:
    print("interrupted", np.abs(p(x=x)).max())
""" % SLOW)
    assert child.stdout.readline() == "ready\n", child.stderr.read()
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert out == "interrupted 0.0\n", err


def interrupted(text):
    """A child that is interrupted after it has said ready ends before it is done, which would take ten seconds."""
    child = python(text)
    assert child.stdout.readline() == "ready\n", child.stderr.read()
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert out == "interrupted\n", err


def test_ctrl_c_ends_a_compilation():
    text = "x = InputTensor(x, float32, [64, 64]);\n" + "".join(
        "x = SoftmaxNode(x @ x + %d);\n" % i for i in range(400)) + "result = x;"
    interrupted("""
import looptree as lt
print("ready", flush=True)
try:
    lt.compile(%r, backend="cpu", threads=1)
    print("compiled")
except KeyboardInterrupt:
    print("interrupted")
""" % text)


def test_ctrl_c_ends_one_run():
    """Of 400 softmaxes in several kernels, between two of these."""
    text = "x = InputTensor(x, float32, [100, 250]);\n" + "x = SoftmaxNode(x);\n" * 400 + "result = x;"
    interrupted("""
import looptree as lt, numpy as np
p = lt.compile(%r, backend="ref", threads=1)
assert len(p.explain()) > 4
x = np.zeros((100, 250), "f4")
print("ready", flush=True)
try:
    p(x=x)
    print("done")
except KeyboardInterrupt:
    print("interrupted")
""" % text)


def test_ctrl_c_ends_a_run_between_two_kernels(tmp_path):
    """Whoever makes it: a kernel of one's own is where the signal comes, and the one behind it is not called."""
    (tmp_path / "interrupted.lt").write_text("def interrupted(x) { return x + 1; }")
    (tmp_path / "interrupted.c").write_text("""
#include <signal.h>
#include <unistd.h>
#include "lt/own.h"
LT_KERNEL(interrupted, f32, 0)
{
	for (int64_t i = 0; i < own->result[0].elems; i++)
		LT_RESULT(0, float)[i] = LT_OPERAND(0, float)[i] + 1;
	if (access("quiet", F_OK))
		kill(getpid(), SIGINT), usleep(50000);  /* it is asked fifty times a second */
}
""")
    (tmp_path / "told.lt").write_text("def told(x) { return x * 2; }")
    (tmp_path / "told.c").write_text("""
#include <fcntl.h>
#include <unistd.h>
#include "lt/own.h"
LT_KERNEL(told, f32, 0)
{
	for (int64_t i = 0; i < own->result[0].elems; i++)
		LT_RESULT(0, float)[i] = LT_OPERAND(0, float)[i] * 2;
	close(open("told", O_CREAT | O_WRONLY, 0600));
}
""")
    child = python("""
import looptree as lt, numpy as np, os
p = lt.compile("x = InputTensor(x, float32, [5]); result = told(interrupted(x));", backend="cpu", threads=1,
               kernels=".")
x = np.arange(-2, 3, dtype="f4")
for what in (lambda: p(x=x), lambda: p.run({"x": x}, out=x.copy()), lambda: p.verify(x=x), lambda: p.time(x=x),
             lambda: p.profile(x=x)):
    try:
        what()
        print("done")
    except KeyboardInterrupt:
        print(os.path.exists("told"))
open("quiet", "w").close()
print(p(x=x).tolist(), p.verify(x=x).verdict, os.path.exists("told"))
""", cwd=tmp_path)
    out, err = child.communicate(timeout=120)
    assert out == "False\n" * 5 + "[-2.0, 0.0, 2.0, 4.0, 6.0] passed True\n", err


def test_ctrl_c_ends_lt_run(tmp_path):
    """python -m looptree becomes lt-run: it dies of the signal, without a traceback and a folder that is left."""
    if program() is None:
        pytest.skip("there is no lt-run")
    script = tmp_path / "large.lt"
    script.write_text("x = InputTensor(x, float32, [768, 768]); result = x @ x;")
    (tmp_path / "tmp").mkdir()
    child = python("-m", "looptree", str(script), "-i", "x=random", "-v", "-q", "-b", "ref", "-n", "1000",
                   TMPDIR=str(tmp_path / "tmp"))
    said = []
    for line in child.stderr:
        said.append(line)
        if line.startswith("1 kernel for "):
            break
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == -signal.SIGINT, (said, err)
    assert "Traceback" not in "".join(said) + err and os.listdir(tmp_path / "tmp") == []


def test_fork_after_use():
    """The child runs and compiles; its threads are its own."""
    child = python("""
import looptree as lt, numpy as np, os
text = "x = InputTensor(x, float32, [256, 256]); y = x @ x; result = y;"
p = lt.compile(text, backend="cpu", threads=2)
x = (np.arange(65536) % 7 - 3).astype("f4").reshape(256, 256)
assert np.array_equal(p(x=x), x @ x)
pid = os.fork()
assert np.array_equal(p(x=x), x @ x)
assert np.array_equal(lt.compile(text, backend="cpu", threads=2)(x=x), x @ x)
if pid:
    assert os.waitpid(pid, 0)[1] == 0
    print("both")
""")
    out, err = child.communicate(timeout=120)
    assert out == "both\n", err


@counts_memory
@pytest.mark.parametrize("calls", [100000, pytest.param(1000000, marks=pytest.mark.more)])
def test_memory_stays_the_same(product, random, calls):
    p = product(8, 8, 8, backend="cpu")
    x, w = random.uniform(-1, 1, (8, 8)).astype("f4"), random.uniform(-1, 1, (8, 8)).astype("f4")
    odd = np.asfortranarray(x)

    def call(n):
        for _ in range(n):
            p(x=x, w=w)
        for _ in range(n // 100):
            p(x=odd, w=w)
            try:
                p(x=x[0], w=w)
            except lt.Error:
                pass
    call(10000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    call(calls)
    # A page a thousand calls would be 400 KB; what the allocator rounds is less than that.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400


@counts_memory
def test_trees_and_programs_are_freed(product):
    def make(n):
        for _ in range(n):
            p = product(3, 3, 3)
            p(x=np.zeros((3, 3), "f4"), w=np.zeros((3, 3), "f4"))
            p.tree().split("%y/m", 2).access()
            p.verify()
            p.close()
    make(30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    make(300)
    # A program of this size holds more than 30 KB: 300 of them, kept, would be 9 MB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096
