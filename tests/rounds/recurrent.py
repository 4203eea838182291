#!/usr/bin/env python3
"""recurrent.py N SEED O BACKEND... -- N random RNN, GRU and LSTM layers of ONNX, each one program for sequences of
1 to 40 steps, are what NumPy computes in float64, step by step, and ONNX Runtime, if it is there.  One of them as C,
too, whose steps are a loop that ends with the sequence.  Prints TAP.

One call of lt-run runs sequences of several lengths in turn, so that a run meets what a longer one left in memory.  A
state is below 1, or for a long sum of gates near it, and a step adds the roundings of a sum of I + H products and of
some functions to those that the states before brought: n steps stay within n (I + H + 16) of them.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
import numpy as np
import onnx
from onnx import TensorProto as T, helper as h, numpy_helper as nh

try:
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
except ImportError:
    onnxruntime = None

MOST = 40
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Layer:
    def __init__(self, r, kind=None, hidden=None):
        self.kind = kind or r.choice(list(GATES))
        self.direction = r.choice(["forward", "reverse", "bidirectional"])
        self.d = 2 if self.direction == "bidirectional" else 1
        self.i, self.h, self.b = r.choice([1, 3, 7]), hidden or r.choice([1, 5, 8]), r.choice([1, 2, 3])
        self.bias, self.lengths, self.state = (r.random() < 0.5 for _ in range(3))
        self.linear = r.random() < 0.5
        self.random = np.random.default_rng(r.getrandbits(32))
        g = GATES[self.kind]
        self.w = self.draw(self.d, g * self.h, self.i)
        self.r = self.draw(self.d, g * self.h, self.h)
        self.bs = self.draw(self.d, 2 * g * self.h) if self.bias else np.zeros((self.d, 2 * g * self.h), np.float32)
        self.outputs = ["Y", "Y_h"] + ["Y_c"] * (self.kind == "LSTM")

    def __str__(self):
        return (f"{self.kind} {self.direction} I {self.i} H {self.h} B {self.b} bias {self.bias} "
                f"lengths {self.lengths} state {self.state} linear {self.linear}")

    def tolerance(self, n):
        return n * (self.i + self.h + 16) * 2**-23

    def draw(self, *shape):
        return (self.random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)

    def model(self):
        given = [h.make_tensor_value_info("x", T.FLOAT, ["length", self.b, self.i])]
        names = ["x", "W", "R", "B" if self.bias else "", "", "", ""]
        weights = [nh.from_array(self.w, "W"), nh.from_array(self.r, "R")]
        if self.bias:
            weights.append(nh.from_array(self.bs, "B"))
        if self.lengths:
            names[4] = "lengths"
            given.append(h.make_tensor_value_info("lengths", T.INT32, [self.b]))
        if self.state:
            names[5] = "h"
            given.append(h.make_tensor_value_info("h", T.FLOAT, [self.d, self.b, self.h]))
        if self.state and self.kind == "LSTM":
            names[6] = "c"
            given.append(h.make_tensor_value_info("c", T.FLOAT, [self.d, self.b, self.h]))
        while not names[-1]:
            names.pop()
        more = {"linear_before_reset": int(self.linear)} if self.kind == "GRU" else {}
        node = h.make_node(self.kind, names, self.outputs, hidden_size=self.h, direction=self.direction, **more)
        results = [h.make_tensor_value_info(o, T.FLOAT, None) for o in self.outputs]
        graph = h.make_graph([node], "g", given, results, weights)
        return h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)

    def feed(self, n):
        x = {"x": self.random.standard_normal((n, self.b, self.i)).astype(np.float32)}
        if self.lengths:
            x["lengths"] = self.random.integers(1, n + 1, self.b).astype(np.int32)
        if self.state:
            x["h"] = self.random.uniform(-1, 1, (self.d, self.b, self.h)).astype(np.float32)
        if self.state and self.kind == "LSTM":
            x["c"] = self.random.uniform(-1, 1, (self.d, self.b, self.h)).astype(np.float32)
        return x

    def step(self, d, x, state, cell):
        """The next state and cell."""
        w, r = self.w[d].astype(np.float64), self.r[d].astype(np.float64)
        k = len(w)
        a, b = x @ w.T + self.bs[d, :k], self.bs[d, k:].astype(np.float64)
        H = self.h
        if self.kind == "RNN":
            return np.tanh(a + state @ r.T + b), cell
        if self.kind == "LSTM":
            i, o, f, c = np.split(a + state @ r.T + b, 4, axis=1)
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(c)
            return sigmoid(o) * np.tanh(cell), cell
        z = sigmoid(a[:, :H] + state @ r[:H].T + b[:H])
        reset = sigmoid(a[:, H:2 * H] + state @ r[H:2 * H].T + b[H:2 * H])
        if self.linear:
            new = np.tanh(a[:, 2 * H:] + reset * (state @ r[2 * H:].T + b[2 * H:]))
        else:
            new = np.tanh(a[:, 2 * H:] + (reset * state) @ r[2 * H:].T + b[2 * H:])
        return (1 - z) * new + z * state, cell

    def expected(self, feed):
        x = feed["x"].astype(np.float64)
        n = len(x)
        zero = np.zeros((self.d, self.b, self.h))
        y = np.zeros((n, self.d, self.b, self.h))
        last, cells = feed.get("h", zero).astype(np.float64), feed.get("c", zero).astype(np.float64)
        for d in range(self.d):
            turned = self.direction == "reverse" or d == 1
            for t in reversed(range(n)) if turned else range(n):
                state, cell = self.step(d, x[t], last[d], cells[d])
                going = (feed["lengths"] > t if self.lengths else np.ones(self.b, bool))[:, None]
                y[t, d] = np.where(going, state, 0)
                last[d], cells[d] = np.where(going, state, last[d]), np.where(going, cell, cells[d])
        return {"Y": y, "Y_h": last, "Y_c": cells}


def check(layer, lengths, run, backends, folder):
    model = os.path.join(folder, "model.onnx")
    onnx.save(layer.model(), model)
    feeds = [layer.feed(n) for n in lengths]
    inputs = []
    for k, feed in enumerate(feeds):
        np.savez(os.path.join(folder, f"in{k}.npz"), **feed)
        inputs += ["--inputs", os.path.join(folder, f"in{k}.npz")]
    wanted = [layer.expected(feed) for feed in feeds]
    if onnxruntime:
        session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        for n, feed, want in zip(lengths, feeds, wanted):
            for name, got in zip(layer.outputs, session.run(layer.outputs, feed)):
                assert np.abs(got - want[name]).max() <= layer.tolerance(n), "NumPy and ONNX Runtime differ"
    for backend in backends:
        to = os.path.join(folder, "out%d.npz")
        p = subprocess.run([run, model, "--dim", f"length=1..{MOST}", *inputs, "-o", to, "-q", "-b", backend],
                           capture_output=True, text=True)
        if p.returncode:
            return f"{backend}: {p.stderr}"
        for k, (n, want) in enumerate(zip(lengths, wanted)):
            got = np.load(to % k if os.path.exists(to % k) else to % (k + 1))
            for name in layer.outputs:
                if got[name].shape != want[name].shape:
                    return f"{backend}, {n} steps: {name} is {got[name].shape}"
                apart = np.abs(got[name] - want[name]).max()
                if not apart <= layer.tolerance(n):
                    return f"{backend}, {n} steps: {name} is {apart} apart"
    return None


def built(r, o, folder):
    """A layer as a program: its steps are a loop, which ends where those of the run do."""
    layer = Layer(r, "LSTM", 16)          # of states of 64 bytes, all of which lie alike
    layer.lengths = False
    model, program, data = (os.path.join(folder, x) for x in ("model.onnx", "program", "x.npy"))
    onnx.save(layer.model(), model)
    plan = subprocess.run([f"{o}/lt-run", model, "--dim", f"length=1..{MOST}", "--dump=plan", "-b", "ref"],
                          capture_output=True, text=True).stdout
    if not re.search(r"\n\d+ rounds of \d+ steps?\n(  run .*if length >= \d+ \+\d a round\n)+", plan):
        return f"no rounds that depend on length: {plan}"
    p = subprocess.run([f"{o}/lt-build", model, "--dim", f"length=1..{MOST}", "-o", program, "--debug", "--keep",
                        program + "-kept"], capture_output=True, text=True)
    if p.returncode:
        return p.stderr
    text = open(program + "-kept/program.c").read()
    loop = r"for \(int64_t round = 0; round < \d+ && param\[0\] >= \d+ \+ round \* \d+; round\+\+\)"
    if not re.search(loop, text):
        return "no loop whose end depends on length"
    for n in (MOST, 1, 2, 23):
        feed = layer.feed(n)
        want = layer.expected(feed)
        files = []
        for name in list(feed) + layer.outputs:
            files.append(f"{name}={os.path.join(folder, name + '.npy')}")
            if name in feed:
                np.save(os.path.join(folder, name + ".npy"), feed[name])
        p = subprocess.run([program, *files], capture_output=True, text=True)
        if p.returncode:
            return p.stderr
        for name in layer.outputs:
            got = np.load(os.path.join(folder, name + ".npy"))
            if got.shape != want[name].shape or not np.abs(got - want[name]).max() <= layer.tolerance(n):
                return f"{n} steps: {name} is wrong"
    return None


def main():
    n, seed, o, *backends = sys.argv[1:]
    r = random.Random(int(seed))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(int(n)):
            layer = Layer(r)
            lengths = [MOST, 1, r.randint(2, MOST - 1), 2, MOST, r.randint(1, MOST)]
            why = check(layer, lengths, f"{o}/lt-run", backends, folder)
            if why:
                wrong += 1
                print(f"seed {seed}, layer {i} ({layer}), lengths {lengths}: {why}", file=sys.stderr)
    print(f"{'not ok' if wrong else 'ok'} - {int(n) - wrong} of {n} recurrent layers of 1 to {MOST} steps on "
          f"{' '.join(backends)} are as NumPy has them")
    with tempfile.TemporaryDirectory() as folder:
        why = built(r, o, folder)
    if why:
        print(f"seed {seed}: {why}", file=sys.stderr)
    print(f"{'not ok' if why else 'ok'} - a recurrent layer as C is a loop that ends with the sequence")


if __name__ == "__main__":
    main()
