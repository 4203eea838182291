"""One program on many threads, the GIL, Ctrl-C, fork, memory."""
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np

import looptree as lt

SLOW = """
x = InputTensor(x, float64, [600, 600]);
%s
result = y;
""" % "\n".join(["y = x @ x;"] + ["y = TanhNode(y) @ x;"] * 30)


def python(text, **how):
    return subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, **how)


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


def test_ctrl_c_ends_a_compilation():
    child = python("""
import looptree as lt
text = "x = InputTensor(x, float32, [64, 64]);\\n" + "".join(
    "x = SoftmaxNode(x @ x + %d);\\n" % i for i in range(150)) + "result = x;"
print("ready", flush=True)
try:
    lt.compile(text, backend="cpu", threads=1)
    print("compiled")
except KeyboardInterrupt:
    print("interrupted")
""")
    assert child.stdout.readline() == "ready\n", child.stderr.read()
    time.sleep(0.5)
    begin = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert out == "interrupted\n", err
    assert time.monotonic() - begin < 20


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


def test_memory_stays_the_same(product, random):
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
    call(100000)
    # A page a thousand calls would be 400 KB; what the allocator rounds is less than that.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400


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
