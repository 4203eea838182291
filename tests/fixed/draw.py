#!/usr/bin/env python3
"""draw.py N SEED LT_RUN BACKEND... -- N random scripts of fixed point on each backend, equal to the interpreter.

Each script has several graphs.  Numbers are the ends of types, ties of roundings and their neighbours as often as any
others; extents are ones and primes.  Prints TAP; a script that differs is kept in the folder that is named.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile
import zipfile
from fixed import BITS, RANGES, Tensor, coarse_table, f32, fine_table, run

NPY = {"int8": "|i1", "uint8": "|u1", "int16": "<i2", "uint16": "<u2", "int32": "<i4", "int64": "<i8", "float32": "<f4"}
LETTER = {"|i1": "b", "|u1": "B", "<i2": "h", "<u2": "H", "<i4": "i", "<i8": "q", "<f4": "f"}
NARROW = ["int8", "uint8", "int16"]


def write_npy(path, t):
    kind = NPY[t.type]
    shape = "(%s)" % "".join("%d, " % e for e in t.shape)
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        f.write(struct.pack("<%d%s" % (len(t.data), LETTER[kind]), *t.data))


def read_npy(data):
    size, = struct.unpack("<H", data[8:10])
    head = eval(data[10:10 + size])
    kind = head["descr"]
    n = (len(data) - 10 - size) // struct.calcsize(LETTER[kind])
    name = next(k for k, v in NPY.items() if v == kind)
    return Tensor(name, head["shape"], struct.unpack("<%d%s" % (n, LETTER[kind]), data[10 + size:]))


class Drawn:
    """A script that grows."""

    def __init__(self, r, floats=True):
        self.kinds = ["shift", "shift", "multiplier"] + (["step"] if floats else [])
        self.r, self.lines, self.given, self.inputs, self.n, self.results = r, [], {}, [], 0, 0
        self.free = {}                  # what may be any numbers: how to draw them again
        self.coarse = self.tensor("int16", (256,), coarse_table(), constant=True)
        self.fine = self.tensor("int16", (128,), fine_table(), constant=True)
        self.head = self.start = len(self.lines)

    def mean(self, x=None):
        """The results of the graph that grows; or what a value of it is."""
        now = ["result x = %s;" % x] if x else []
        results = run("\n".join(self.lines[:self.head] + self.lines[self.start:] + now), self.given)
        return results["x"] if x else results

    def add(self, text):
        self.n += 1
        self.lines.append("$%d = %s;" % (self.n, text))
        return "$%d" % self.n

    def tensor(self, name, shape, data, constant=None):
        if constant is None:
            constant = self.r.random() < 0.5
        label = "t%d" % (self.n + 1)
        self.given[label] = Tensor(name, shape, data)
        if not constant:
            self.inputs.append(label)
        return self.add("%s(%s, %s, [%s])" % ("ConstantTensor" if constant else "InputTensor", label, name,
                                              ", ".join(map(str, shape))))

    def number(self, name, bound=None):
        """An end, a tie of some shift, or any number."""
        low, high = RANGES[name] if bound is None else (-bound, bound)
        r = self.r
        which = r.randrange(5)
        if which == 0:
            v = r.choice([low, high, 0]) + r.randrange(-1, 2)
        elif which == 1:
            v = r.randrange(-9, 10) * 2**r.randrange(BITS[name]) // 2 + r.randrange(-1, 2)
        else:
            v = r.randrange(low, high + 1) >> r.choice([0, 0, r.randrange(BITS[name])])
        return max(low, min(high, v))

    def drawn(self, name, shape, constant=None, bound=None):
        n = 1
        for extent in shape:
            n *= extent
        x = self.tensor(name, shape, [self.number(name, bound) for _ in range(n)], constant)
        self.free["t%d" % self.n] = lambda: Tensor(name, shape, [self.number(name, bound) for _ in range(n)])
        return x

    def result(self, x):
        self.results += 1
        self.lines.append("result r%d = %s;" % (self.results, x))

    def ends(self, to):
        """zero, least, most"""
        low, high = RANGES[to]
        zero = self.r.choice([0, low, high, self.r.randrange(low, high + 1)]) if to != "int32" else 0
        if self.r.random() < 0.5:
            return ", %d" % zero
        least, most = sorted(self.r.randrange(low, high + 1) for _ in range(2))
        return ", %d, %d, %d" % (zero, least, most)

    def by_channel(self, numbers, name, channels):
        """One number as it is, one in a tensor, or one a channel."""
        how = self.r.randrange(3)
        if how == 0 and name != "float32":
            return str(numbers())
        n = channels if how == 2 else 1
        return self.tensor(name, (n,), [numbers() for _ in range(n)])

    def requant(self, x, own, channels):
        """x of the type `own`, whose last axis are channels; what it is then."""
        r = self.r
        kind = "shift" if own == "int64" else r.choice(self.kinds)
        to = r.choice(["int8", "uint8", "int16", "uint16", "int32"])
        if kind == "shift":
            word = ", " + r.choice(["even", "floor", "zero", "up", "away"])
            most = 62 if own == "int64" else 30
            by = self.by_channel(lambda: r.choice([0, 1, 7, 8, most, r.randrange(most + 1)]), "int32", channels)
            return self.add("RequantShiftNode(%s, %s, %s%s%s)" % (x, by, to, word, self.ends(to)))
        if kind == "multiplier":
            high = [0, 1, 2**30, 2**31 - 1]
            by = self.by_channel(lambda: r.choice(high + [r.randrange(2**30, 2**31)]), "int32", channels)
            shift = self.by_channel(lambda: r.choice([-30, -1, 0, 1, 7, 30, r.randrange(31)]), "int32", channels)
            word = r.choice(["twice", "once"])
            return self.add("RequantMultiplierNode(%s, %s, %s, %s, %s%s)" % (x, by, shift, to, word, self.ends(to)))
        step = self.by_channel(lambda: f32(r.choice([1, 0.5, 2.0**-r.randrange(30), r.random() / 2**r.randrange(20)])
                                           or 1), "float32", channels)
        return self.add("RequantStepNode(%s, %s, %s%s)" % (x, step, to, self.ends(to)))

    def zero_of(self, name):
        low, high = RANGES[name]
        return self.r.choice([0, 0, low, high, self.r.randrange(low, high + 1)])

    def matmul(self):
        r = self.r
        m, k, n = (r.choice([1, 2, 3, 5, 7, 13]) for _ in range(3))
        a, b = r.choice(NARROW + ["uint16", "int32", "int64"]), r.choice(NARROW + ["int32"])
        bias = self.drawn("int32", (n,)) if r.random() < 0.6 else r.choice(["0", "-77"])
        zero_b = self.by_channel(lambda: self.zero_of(b), b, n) if r.random() < 0.5 else "0"
        left, right = self.drawn(a, (m, k)), self.drawn(b, (k, n))
        word = r.choice(["auto", "int32", "int64"])
        y = self.add("FixedMatMulNode(%s, %s, %s, %d, %s, %s)" % (left, right, bias, self.zero_of(a), zero_b, word))
        return y, n

    def conv2d(self):
        r = self.r
        groups = r.choice([1, 1, 2, 3])
        per, out = r.choice([1, 2, 3]), groups * r.choice([1, 2])
        kh, kw = r.choice([1, 2, 3]), r.choice([1, 2, 3])
        dilations, strides = [r.choice([1, 2]) for _ in "hw"], [r.choice([1, 2, 3]) for _ in "hw"]
        height, width = dilations[0] * (kh - 1) + r.choice([1, 4, 6]), dilations[1] * (kw - 1) + r.choice([1, 3, 5])
        pads = [r.randrange(3) for _ in range(4)]
        nchw = r.random() < 0.5
        xs, ws = r.choice(NARROW), r.choice(NARROW)
        batch = r.choice([1, 2])
        x = self.drawn(xs, (batch, per * groups, height, width) if nchw else (batch, height, width, per * groups))
        w = self.drawn(ws, (out, per, kh, kw) if nchw else (kh, kw, per, out))
        bias = self.drawn("int32", (out,)) if r.random() < 0.6 else "0"
        zero_w = self.by_channel(lambda: self.zero_of(ws), ws, out) if r.random() < 0.5 else "0"
        word = r.choice(["auto", "int32", "int64"])
        y = self.add("FixedConv2dNode(%s, %s, %s, %d, %s, %s, %s, %s, %s, %d, %s)" % (
            x, w, bias, self.zero_of(xs), zero_w, word, strides, pads, dilations, groups, "NCHW" if nchw else "NHWC"))
        return y, 1 if nchw else out

    def plain(self):
        r = self.r
        shape = tuple(r.choice([1, 2, 5, 7]) for _ in range(r.randrange(1, 4)))
        return self.drawn(r.choice(["int8", "uint8", "int16", "int32", "int64"]), shape), shape[-1]


def grow(d):
    """One graph: a source, what is made of it, functions of that."""
    d.start = len(d.lines)
    x, channels = d.r.choice([d.matmul, d.conv2d, d.plain])()
    d.result(x)
    own = d.mean(x)
    if own.type in ("uint8", "int8") and d.r.random() < 0.4:
        table = d.drawn(d.r.choice(["int8", "int16", "int32"]), (256,), constant=True)
        d.result(d.add("TableNode(%s, %s)" % (x, table)))
    if own.type in ("int8", "uint8", "int16") and d.r.random() < 0.5:
        d.result(d.add("FixedL2NormNode(%s, %d)" % (x, d.r.randrange(len(own.shape)))))
    if own.type != "int64" and d.r.random() < 0.7:
        name = d.r.choice(["FixedExpNode", "FixedSigmoidNode", "FixedTanhNode", "FixedSoftmaxNode"])
        axis = ", %d" % d.r.randrange(len(own.shape)) if name == "FixedSoftmaxNode" else ""
        d.result(d.add("%s(%s, %s, %s%s)" % (name, x, d.coarse, d.fine, axis)))
    y = d.requant(x, own.type, channels)
    d.result(y)
    d.result(d.requant(y, d.mean(y).type, channels))


def sweep(d):
    """Small numbers and the ends by every shift and rounding; tables and functions over all of their numbers."""
    edges = [v for e in range(31) for v in (2**e - 1, 2**e, -2**e, -2**e - 1)]
    numbers = sorted({v for v in [*range(-70, 71), *edges] if -2**31 <= v < 2**31})
    x = d.tensor("int32", (len(numbers), 1), numbers, constant=False)
    shifts = d.tensor("int32", (31,), range(31), constant=True)
    across = d.add("AddNode(%s, %s)" % (x, d.tensor("int32", (31,), [0] * 31, constant=True)))
    for word in ("even", "floor", "zero", "up", "away"):
        d.result(d.add("RequantShiftNode(%s, %s, int32, %s)" % (across, shifts, word)))
    for multiplier in (2**30, 2**30 + 1):
        for word in ("twice", "once"):
            d.result(d.add("RequantMultiplierNode(%s, %d, %s, int32, %s)" % (across, multiplier, shifts, word)))
    halves = d.tensor("float32", (31,), [2.0**-i for i in range(31)], constant=True)
    for ends in ("int32", "uint8, 255", "int8, -128", "int16, 77, -300, 300"):
        d.result(d.add("RequantStepNode(%s, %s, %s)" % (across, halves, ends)))
    for name in ("int8", "uint8"):
        every = d.tensor(name, (256,), range(RANGES[name][0], RANGES[name][1] + 1), constant=False)
        d.result(d.add("TableNode(%s, %s)" % (every, d.drawn("int16", (256,), constant=True))))
    many = d.tensor("int16", (2**14,), [v * 4 + v % 4 for v in range(-2**13, 2**13)], constant=False)
    for name in ("FixedExpNode", "FixedSigmoidNode", "FixedTanhNode"):
        d.result(d.add("%s(%s, %s, %s)" % (name, many, d.coarse, d.fine)))
    # Small numbers, of whose roots and quotients each bit is seen.
    pairs = [v for i in range(-3, 4) for k in range(-3, 4) for v in (i, k, 1)]
    rows = d.tensor("int16", (7 * 7, 3), pairs, constant=False)
    d.result(d.add("FixedL2NormNode(%s, 1)" % rows))
    d.result(d.add("FixedL2NormNode(%s, 0)" % rows))
    steps = d.tensor("int16", (40, 3), [v for i in range(40) for v in (0, i * 101, -i * 57)], constant=False)
    d.result(d.add("FixedSoftmaxNode(%s, %s, %s)" % (steps, d.coarse, d.fine)))


def drawn_script(seed, i):
    """Script i of a seed: of five graphs; the first one is the sweep."""
    d = Drawn(random.Random(seed * 1000003 + i))
    for _ in range(5 if i else 0):
        grow(d)
    if i == 0:
        sweep(d)
    return d


def given_options(d, folder):
    """What a script is given, as options of lt-run and lt-build that name files."""
    options = []
    for label, t in d.given.items():
        path = os.path.join(folder, label + ".npy")
        write_npy(path, t)
        options += ["-i" if label in d.inputs else "-c", "%s=%s" % (label, path)]
    return options


def run_library(d, lt_run, backend, folder, text=None, options=()):
    """The results of a script, or of a graph with its names; a sentence where it fails."""
    script = os.path.join(folder, "drawn.lt" if text is None else "drawn.graph")
    with open(script, "w") as f:
        f.write("\n".join(d.lines) + "\n" if text is None else text)
    command = [lt_run, script, "-b", backend, "-q", "-o", os.path.join(folder, "results.npz"), *options]
    done = subprocess.run(command + given_options(d, folder), capture_output=True, text=True, check=False)
    if done.returncode:
        return "exit code %d: %s" % (done.returncode, (done.stderr or done.stdout).strip()[-400:])
    results = zipfile.ZipFile(os.path.join(folder, "results.npz"))
    return {name[:-4]: read_npy(results.read(name)) for name in results.namelist()}


def difference(d, got, want):
    """Which result is not as it should be; "" if all are."""
    for name, w in want.items():
        g = got[name]
        if g.type != w.type or g.shape != w.shape:
            return "%s is %s %s, not %s %s" % (name, g.type, g.shape, w.type, w.shape)
        for i, (p, q) in enumerate(zip(g.data, w.data)):
            if p != q:
                made = next(line for line in d.lines if line.startswith("result %s " % name)).split()[-1][:-1]
                text = next(line for line in d.lines if line.startswith(made + " "))
                return "%s[%d] is %d, not %d: %s" % (name, i, p, q, text)
    return ""


def compare(d, lt_run, backend, folder):
    """What is wrong on a backend; "" if nothing is."""
    got = run_library(d, lt_run, backend, folder)
    return got if isinstance(got, str) else difference(d, got, run("\n".join(d.lines), d.given))


def main():
    n, seed, lt_run, backends = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    wrong = {b: 0 for b in backends}
    for i in range(n):
        d = drawn_script(seed, i)
        for b in backends:
            folder = tempfile.mkdtemp(prefix="fixed-")
            said = compare(d, lt_run, b, folder)
            if said:
                wrong[b] += 1
                print("# %s, seed %d, script %d: %s" % (b, seed, i, said))
                print("# %s" % folder)
            else:
                subprocess.run(["rm", "-rf", folder], check=True)
        sys.stdout.flush()
    for b in backends:
        good = "not " if wrong[b] else ""
        print("%sok - %d scripts of fixed point on %s are as the interpreter has them" % (good, n, b))


if __name__ == "__main__":
    main()
