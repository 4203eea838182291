#!/usr/bin/env python3
"""loops.py N SEED O BACKEND... -- N random Scans and Loops of ONNX, each one program for 1 to 40 iterations, are what
NumPy computes in float64, iteration by iteration, and ONNX Runtime, if it is there.  One as C, too; what cannot be one
program is refused with a sentence.  Prints TAP.

One call of lt-run makes runs of several numbers of iterations in turn, so that one meets what a longer one left in
memory.  States are below 1: an iteration adds the roundings of a sum of I + H products and of a function to those of
the iterations before, which stay as large (the norm of the recurrent weights is below 1).
"""
import os
import random
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
F, I64, B = T.FLOAT, T.INT64, T.BOOL


def value(name, kind, shape=None):
    return h.make_tensor_value_info(name, kind, shape)


def constant(name, array):
    return nh.from_array(np.asarray(array), name)


class Repeat:
    """state s [H] and u [H], a count k; each iteration takes x [I] and gives y [H], z []."""

    def __init__(self, r):
        self.random = np.random.default_rng(r.getrandbits(32))
        self.kind = r.choice(["Scan", "Scan", "Loop of a shape", "Loop of an input", "Loop of an input [1]"])
        self.i, self.h = r.choice([1, 3, 7]), r.choice([1, 5, 8])
        self.body = r.choice(["product", "element", "table"])
        self.axis, self.out_axis = r.choice([0, 1]), r.choice([0, 1])
        self.back, self.out_back = r.choice([0, 1]), r.choice([0, 1])
        self.outer = r.random() < 0.5                   # weights of the graph around the body
        self.w = (self.random.standard_normal((self.i, self.h)) / np.sqrt(self.i)).astype(np.float32)
        self.r = (self.random.uniform(-1, 1, (self.h, self.h)) / self.h).astype(np.float32)
        self.table = self.random.uniform(-1, 1, (5, self.h)).astype(np.float32)

    def __str__(self):
        return (f"{self.kind} {self.body} I {self.i} H {self.h} axes {self.axis} {self.out_axis} "
                f"directions {self.back} {self.out_back} outer {self.outer}")

    def tolerance(self, n):
        return n * (self.i + self.h + 16) * 2**-23

    def constants(self):
        return [constant("w", self.w), constant("r", self.r), constant("table", self.table),
                constant("one", np.int64(1)), constant("five", np.int64(5)), constant("zero", np.int64([0])),
                constant("last", np.int64([-1]))]

    def step_nodes(self, x):
        """s, u, k and x to s2, u2, k2, y, z."""
        node = h.make_node
        nodes = [node("MatMul", [x, "w"], ["xw"])]
        if self.body == "product":
            nodes += [node("MatMul", ["s", "r"], ["sr"]), node("Add", ["xw", "sr"], ["a"])]
        elif self.body == "element":
            nodes += [node("Mul", ["s", "u"], ["su"]), node("Add", ["xw", "su"], ["a"])]
        else:                   # a row that a count names
            nodes += [node("Mod", ["k", "five"], ["at"]), node("Gather", ["table", "at"], ["row"]),
                      node("Mul", ["s", "row"], ["sr"]), node("Add", ["xw", "sr"], ["a"])]
        return nodes + [node("Tanh", ["a"], ["s2"]), node("Max", ["u", "s2"], ["u2"]),
                        node("Add", ["k", "one"], ["k2"]), node("Sub", ["s2", "u2"], ["y"]),
                        node("Identity", ["k2"], ["z"])]

    def model(self):
        states = [("s", F, [self.h]), ("u", F, [self.h]), ("k", I64, [])]
        gives = [("s2", F, [self.h]), ("u2", F, [self.h]), ("k2", I64, []), ("y", F, [self.h]), ("z", I64, [])]
        own = [] if self.outer else self.constants()
        around = self.constants() if self.outer else []
        given = [value(*s) for s in states]
        outputs = [value(name, kind) for name, kind in
                   (("s_last", F), ("u_last", F), ("k_last", I64), ("ys", F), ("zs", I64))]
        names = [o.name for o in outputs]
        if self.kind == "Scan":
            body = h.make_graph(self.step_nodes("x"), "body", [value(*s) for s in states] + [value("x", F, [self.i])],
                                [value(*g) for g in gives], own)
            x = value("xs", F, ["length", self.i] if self.axis == 0 else [self.i, "length"])
            nodes = [h.make_node("Scan", ["s", "u", "k", "xs"], names, body=body, num_scan_inputs=1,
                                 scan_input_axes=[self.axis], scan_input_directions=[self.back],
                                 scan_output_axes=[self.out_axis, 0],
                                 scan_output_directions=[self.out_back, self.out_back])]
            given.append(x)
        else:
            nodes = [h.make_node("Gather", ["xs", "i"], ["x"])] if self.kind == "Loop of a shape" else [
                h.make_node("Cast", ["i"], ["i_float"], to=F), h.make_node("Cos", ["i_float"], ["c"]),
                h.make_node("Mul", ["x0", "c"], ["x"])]
            nodes += [*self.step_nodes("x"), h.make_node("Identity", ["go"], ["go2"])]
            takes = [value("i", I64, []), value("go", B, []), *(value(*s) for s in states)]
            body = h.make_graph(nodes, "body", takes, [value("go2", B, []), *(value(*g) for g in gives)], own)
            if self.kind == "Loop of a shape":
                given.append(value("xs", F, ["length", self.i]))
                around = around + [constant("axis", np.int64(0))]
                nodes = [h.make_node("Shape", ["xs"], ["shape"]), h.make_node("Gather", ["shape", "axis"], ["length"])]
            else:
                given += [value("x0", F, [self.i]), value("length", I64, [1] if "[1]" in self.kind else [])]
                nodes = []
            around = around + [constant("yes", np.bool_(True))]
            nodes.append(h.make_node("Loop", ["length", "yes", "s", "u", "k"], names, body=body))
        graph = h.make_graph(nodes, "g", given, outputs, around)
        return h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)

    def feed(self, n):
        x = self.random.standard_normal((n, self.i)).astype(np.float32)
        out = {"s": self.random.uniform(-1, 1, self.h).astype(np.float32),
               "u": self.random.uniform(-1, 1, self.h).astype(np.float32),
               "k": np.array(self.random.integers(0, 10**6), np.int64)}
        if self.kind.startswith("Loop of an input"):
            out["x0"] = x[0]
            out["length"] = np.array([n] if "[1]" in self.kind else n, np.int64)
        else:
            out["xs"] = x if self.kind != "Scan" or self.axis == 0 else np.ascontiguousarray(x.T)
        return out

    def expected(self, feed, n):
        s, u, k = feed["s"].astype(np.float64), feed["u"].astype(np.float64), int(feed["k"])
        xs = feed.get("xs")
        if xs is not None and self.kind == "Scan":
            xs = xs if self.axis == 0 else xs.T
            xs = xs[::-1] if self.back else xs
        ys, zs = [], []
        for t in range(n):
            x = feed["x0"] * np.cos(float(t)) if xs is None else xs[t].astype(np.float64)
            a = x @ self.w.astype(np.float64)
            if self.body == "product":
                a = a + s @ self.r.astype(np.float64)
            elif self.body == "element":
                a = a + s * u
            else:
                a = a + s * self.table[k % 5]
            s = np.tanh(a)
            u = np.maximum(u, s)
            k += 1
            ys.append(s - u)
            zs.append(k)
        ys, zs = np.array(ys), np.array(zs)
        if self.kind == "Scan":
            ys, zs = (ys[::-1], zs[::-1]) if self.out_back else (ys, zs)
            ys = ys.T if self.out_axis else ys
        return {"s_last": s, "u_last": u, "k_last": np.int64(k), "ys": ys, "zs": zs}


def wrong_in(want, got, tolerance):
    for name, w in want.items():
        g = got[name]
        if g.shape != np.shape(w):
            return f"{name} is {g.shape}, not {np.shape(w)}"
        if name in ("k_last", "zs"):
            if not np.array_equal(g, w):
                return f"{name} is {g}, not {w}"
        elif not np.abs(g - w).max() <= tolerance:
            return f"{name} is {np.abs(g - w).max()} apart"
    return None


def check(repeat, lengths, o, backends, folder):
    model = os.path.join(folder, "model.onnx")
    onnx.save(repeat.model(), model)
    feeds = [repeat.feed(n) for n in lengths]
    inputs = []
    for k, feed in enumerate(feeds):
        np.savez(os.path.join(folder, f"in{k}.npz"), **feed)
        inputs += ["--inputs", os.path.join(folder, f"in{k}.npz")]
    wanted = [repeat.expected(feed, n) for feed, n in zip(feeds, lengths)]
    if onnxruntime:
        session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        for n, feed, want in zip(lengths, feeds, wanted):
            got = dict(zip(want, session.run(list(want), feed)))
            why = wrong_in(want, got, repeat.tolerance(n))
            if why:
                return f"NumPy and ONNX Runtime differ, {n} iterations: {why}"
    for backend in backends:
        to = os.path.join(folder, "out%d.npz")
        p = subprocess.run([f"{o}/lt-run", model, "--dim", f"length=1..{MOST}", *inputs, "-o", to, "-q", "-b", backend],
                           capture_output=True, text=True)
        if p.returncode:
            return f"{backend}: {p.stderr}"
        for k, (n, want) in enumerate(zip(lengths, wanted)):
            with np.load(to % k if os.path.exists(to % 0) else to % (k + 1)) as got:
                why = wrong_in(want, got, repeat.tolerance(n))
            if why:
                return f"{backend}, {n} iterations: {why}"
    return None


def built(r, o, folder, *options):
    """A Scan and a Loop as programs of C."""
    for kind in ("Scan", "Loop of an input"):
        repeat = Repeat(r)
        repeat.kind, repeat.body = kind, "product"
        model, program = os.path.join(folder, "model.onnx"), os.path.join(folder, "program")
        onnx.save(repeat.model(), model)
        p = subprocess.run([f"{o}/lt-build", model, "--dim", f"length=1..{MOST}", "-o", program, "--debug", *options],
                           capture_output=True, text=True)
        if p.returncode:
            return p.stderr
        for n in (MOST, 1, 2, 23):
            feed = repeat.feed(n)
            want = repeat.expected(feed, n)
            files = []
            for name in [*feed, *want]:
                files.append(f"{name}={os.path.join(folder, name + '.npy')}")
                if name in feed:
                    np.save(os.path.join(folder, name + ".npy"), feed[name])
            p = subprocess.run([program, *files], capture_output=True, text=True)
            if p.returncode:
                return f"{repeat}: {p.stderr}"
            why = wrong_in(want, {name: np.load(os.path.join(folder, name + ".npy")) for name in want},
                           repeat.tolerance(n))
            if why:
                return f"{repeat}, {n} iterations: {why}"
    return None


def bare(r, o, folder):
    """Of as many iterations in each run: bare C99, with sanitizers; lt-build judges it."""
    for kind in ("Scan", "Loop of a shape", "Loop of an input"):
        repeat = Repeat(r)
        repeat.kind = kind
        model = os.path.join(folder, "model.onnx")
        onnx.save(repeat.model(), model)
        p = subprocess.run([f"{o}/lt-build", model, "--dim", "length=9", "-o", os.path.join(folder, "bare.c"), "--bare",
                            "--overwrite", "--cc", "cc -fsanitize=address,undefined -fno-sanitize-recover=all"],
                           capture_output=True, text=True)
        if p.returncode or "verified: " not in p.stdout:
            return f"{repeat}: {p.stdout} {p.stderr}"
    return None


def loop_of(body_nodes, gives, extra=(), most=True):
    """A Loop of `length` iterations over a state s [2], whose condition and state are what the body gives."""
    body = h.make_graph(body_nodes, "body", [value("i", I64, []), value("go", B, []), value("s", F, [2])],
                        [value(gives[0], B, []), value(gives[1], F, None)])
    graph = h.make_graph([h.make_node("Loop", ["length" if most else "", "yes", "s"], ["y"], name="loop", body=body)],
                         "g", [value("s", F, [2]), value("length", I64, [])], [value("y", F)],
                         [constant("yes", np.bool_(True)), constant("three", np.int64(3)),
                          constant("table", np.float32([1, 2, 3])), *extra])
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8)


def refused(o, folder):
    node = h.make_node
    rows = [
        (loop_of([node("Less", ["i", "three"], ["go2"]), node("Neg", ["s"], ["s2"])], ("go2", "s2")),
         "length=1..9", "the condition after an iteration, whose number differs from run to run"),
        (loop_of([node("Not", ["go"], ["go2"]), node("Neg", ["s"], ["s2"])], ("go2", "s2")),
         "length=1..9", "its condition ends it after an iteration, while their number differs from run to run"),
        (loop_of([node("Identity", ["go"], ["go2"]), node("Concat", ["s", "s"], ["s2"], axis=0)], ("go2", "s2")),
         "length=1..9", "it has to stay of one type and shape"),
        (loop_of([node("Identity", ["go"], ["go2"]), node("Gather", ["table", "i"], ["g"]), node("Add", ["s", "g"],
                 ["s2"])], ("go2", "s2")), "length=0..3", "there may be no iteration"),
        (loop_of([node("Identity", ["go"], ["go2"]), node("Neg", ["s"], ["s2"])], ("go2", "s2")),
         "length=1..20001", "it has more than 20000 iterations"),
    ]
    for model, dim, sentence in rows:
        path = os.path.join(folder, "bad.onnx")
        onnx.save(model, path)
        p = subprocess.run([f"{o}/lt-run", path, "--dim", dim, "-b", "ref", "-i", "s=1", "-i", "length=2"],
                           capture_output=True, text=True)
        said = " ".join(p.stderr.split())
        if p.returncode not in (1, 2) or sentence not in said or "loop" not in said:
            return f"{sentence}: {p.returncode}, {said}"
    return None


def named_alike(r, o, folder):
    """An input and a dimension of the same name: what says either is refused, what says one of them is done."""
    node = h.make_node
    body = h.make_graph([node("Identity", ["go"], ["go2"]), node("Add", ["s", "step"], ["s2"])], "body",
                        [value("i", I64, []), value("go", B, []), value("s", F, None)],
                        [value("go2", B, []), value("s2", F, None)])
    graph = h.make_graph([node("Loop", ["n", "yes", "x"], ["y"], name="loop", body=body)], "g",
                         [value("n", I64, []), value("x", F, ["n", 3])], [value("y", F)],
                         [constant("yes", np.bool_(True)), constant("step", np.float32([1, -2, 3]))])
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8), f"{folder}/alike.onnx")
    rows, count = r.randint(2, 7), r.randint(1, 9)
    x = np.float32([[r.randint(-50, 50) for _ in range(3)] for _ in range(rows)])
    np.save(f"{folder}/x.npy", x)
    want = x + count * np.float32([1, -2, 3])       # integers: exact

    def run(*options):
        return subprocess.run([f"{o}/lt-run", f"{folder}/alike.onnx", "-b", "ref", "-i", f"x={folder}/x.npy", "-o",
                               f"{folder}/y.npy", *options], capture_output=True, text=True)

    for both in (f"n={rows}", "n=1..9"):
        p = run("--dim", both, "-i", f"n={count}")
        said = " ".join(p.stderr.split())
        if p.returncode != 2 or (f"--dim {both}: 'n' is axis 0 of 'x' [n, 3] and the input 'n', too: --dim x.0="
                                 + both[2:] + " says the axis alone") not in said:
            return f"{both}: {p.returncode}, {said}"
    for one in ((f"n={count}",), ("n=1..9", "-i", f"n={count}")):
        p = run("--dim", f"x.0={rows}", "--dim", *one)
        if p.returncode or not np.array_equal(np.load(f"{folder}/y.npy"), want):
            return f"{one}, {rows} rows: {p.returncode}, {p.stderr}"
        os.remove(f"{folder}/y.npy")
    return None


def main():
    n, seed, o, *backends = sys.argv[1:]
    r = random.Random(int(seed))
    wrong = 0

    def say(why, what):
        if why:
            print(f"seed {seed}: {why}", file=sys.stderr)
        print(f"{'not ok' if why else 'ok'} - {what}")

    with tempfile.TemporaryDirectory() as folder:
        for i in range(int(n)):
            repeat = Repeat(r)
            lengths = [MOST, 1, r.randint(2, MOST - 1), 2, 37, MOST, r.randint(1, MOST)]
            why = check(repeat, lengths, o, backends, folder)
            if why:
                wrong += 1
                print(f"seed {seed}, repeat {i} ({repeat}), lengths {lengths}: {why}", file=sys.stderr)
        say("some are wrong" if wrong else None, f"{int(n) - wrong} of {n} Scans and Loops of 1 to {MOST} iterations "
            f"on {' '.join(backends)} are as NumPy has them")
        say(built(r, o, folder), "a Scan and a Loop as C are as NumPy has them")
        say(built(r, o, folder, "--emit", "c99", "--overwrite"), "... and as C99")
        say(bare(r, o, folder), "... and as bare C99, of a number that is known, with sanitizers")
        say(named_alike(r, o, folder), "a dimension and an input of the same name are told apart")
        say(refused(o, folder), "what cannot be one program is refused with a sentence")


if __name__ == "__main__":
    main()
