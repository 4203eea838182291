#!/usr/bin/env python3
"""scripts.py N SEED O BACKEND... -- N random scripts with a repeat of as many rounds as a run says, each one program
for 0 or 1 to 40 rounds, are what NumPy computes in float64, round by round.  Two as C and C99, too; what cannot be one
program is refused with a sentence.  Prints TAP.

One call of lt-run makes runs of several numbers of rounds in turn, so that one meets what a longer one left in memory.
States are below 1, and the norm of what multiplies them is: a round adds the roundings of a sum of I + H products and
of a function to those of the rounds before, which stay as large.
"""
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

MOST = 40


class Repeat:
    """States h, u [H] and k; each round reads x[t] [I].  Where a round takes a row of a table, at a place that is
    carried (k % 5), made of the counter, or read of a list, a round that a run does not have would find a wrong one.
    """

    def __init__(self, r):
        self.random = np.random.default_rng(r.getrandbits(32))
        self.i, self.h = r.choice([1, 3, 7]), r.choice([1, 5, 8])
        self.body = r.choice(["product", "element", "table", "nested"])
        self.begin = r.choice([0, 0, 1, 2])
        self.least = self.begin + (1 if self.body == "table" else r.choice([0, 1]))
        self.before = self.begin and r.random() < 0.5           # x[t - 1], too
        self.function = r.random() < 0.5
        self.stack = r.random() < 0.3                           # an element of a constant by round
        self.places = r.choice(["carried", "counter", "list", "limited", "extent"])
        self.taken = r.choice(["slice", "along"] + (["elements"] if self.places != "extent" else []))
        self.constants = {
            "w": (self.random.standard_normal((self.i, self.h)) / np.sqrt(self.i)).astype(np.float32),
            "r": (self.random.uniform(-1, 1, (self.h, self.h)) / self.h).astype(np.float32),
            "table": self.random.uniform(-1, 1, (MOST, self.h)).astype(np.float32),
            "stack": self.random.uniform(-1, 1, (MOST, self.h)).astype(np.float32)}

    def __str__(self):
        return (f"{self.body} I {self.i} H {self.h} from {self.begin}, {self.least} at least, before {self.before} "
                f"function {self.function} stack {self.stack} places {self.places} taken {self.taken}")

    def tolerance(self, n):
        return (n + 1) * 2 * (2 * self.i + self.h + 16) * 2**-23

    def text(self):
        lines = [f"n = InputTensor(length, int64, []); length = ScalarNode(n, {self.least}, {MOST});",
                 f"x = InputTensor(x, float32, [length <= {MOST}, {self.i}]);",
                 f"h = InputTensor(h, float32, [{self.h}]); k = InputTensor(k, int64, []);"]
        for name in sorted(self.needs()):
            lines.append(f"{name} = ConstantTensor({name}, float32, {list(self.constants[name].shape)});")
        if self.body == "table" and self.places in ("list", "limited"):
            lines.append(f"p = InputTensor(p, int64, [{'length <= ' * (self.places == 'limited')}{MOST}]);")
        if self.body == "table" and self.places == "extent":
            lines.append(f"table = InputTensor(rows, float32, [length <= {MOST}, {self.h}]);")
        lines += ["u = h; scale = 2; start = k;"]
        if self.function:
            lines.append("def step(a, t) { b = TanhNode(a); return b; }")
        lines.append(f"repeat t in {self.begin}..length {{")
        lines.append("  a = x[t] @ w" + (" + x[t - 1] @ w" if self.before else "") + ";")
        if self.body == "product":
            lines.append("  a = a + h @ r;")
        elif self.body == "element":
            lines.append("  a = a + h * u;")
        elif self.body == "table":
            place = {"carried": "k % 5", "counter": "start + t", "list": "p[t]", "limited": "p[t]",
                     "extent": "start * 0 + t"}[self.places]
            lines.append("  a = a + h * " + {
                "slice": f"GatherNode(table, {place})",
                "along": f"GatherAlongNode(ab,->b: table, {place}, 0)",
                "elements": f"GatherElementsNode(table, {place} + FullNode(int64, [1, {self.h}], 0), 0)[0]",
            }[self.taken] + ";")
        else:
            lines.append("  repeat j in 0..3 { a = a + h * r[0] * (j + 1); }")
        if self.stack:
            lines.append("  a = a + stack[t];")
        lines.append("  h = step(a, t);" if self.function else "  h = TanhNode(a);")
        lines += ["  u = MaxNode(u, h);", "  k = k + 1;", "  last = h * scale;", "}",
                  "result h = h; result u = u; result k = k;"]
        if self.least > self.begin:
            lines.append("result last = last;")
        return "\n".join(lines) + "\n"

    def needs(self):
        table = {"table"} if self.places != "extent" else set()
        return {"w"} | {"product": {"r"}, "element": set(), "table": table, "nested": {"r"}}[self.body] | (
            {"stack"} if self.stack else set())

    def feed(self, n):
        feed = {"length": np.int64(n), "x": self.random.standard_normal((n, self.i)).astype(np.float32),
                "h": self.random.uniform(-1, 1, self.h).astype(np.float32),
                "k": np.int64(self.random.integers(0, 10**6))}
        if self.body == "table" and self.places == "counter":
            feed["k"] = np.int64(MOST - n)      # the last row in the last round
        if self.body == "table" and self.places in ("list", "limited"):
            feed["p"] = self.random.choice([-10**12, -1, MOST, 10**12], MOST if self.places == "list" else n)
            feed["p"][self.begin:n] = self.random.integers(0, MOST, n - self.begin)
        if self.body == "table" and self.places == "extent":
            feed["rows"] = self.random.uniform(-1, 1, (n, self.h)).astype(np.float32)
        return feed

    def row(self, feed, t, k):
        if self.places == "extent":
            return feed["rows"][t].astype(np.float64)
        place = {"carried": lambda: k % 5, "counter": lambda: feed["k"] + t}.get(self.places, lambda: feed["p"][t])()
        return self.constants["table"][place].astype(np.float64)

    def expected(self, feed, n):
        c = {name: v.astype(np.float64) for name, v in self.constants.items()}
        x, h, k = feed["x"].astype(np.float64), feed["h"].astype(np.float64), int(feed["k"])
        u = h
        for t in range(self.begin, n):
            a = x[t] @ c["w"] + (x[t - 1] @ c["w"] if self.before else 0)
            if self.body == "product":
                a = a + h @ c["r"]
            elif self.body == "element":
                a = a + h * u
            elif self.body == "table":
                a = a + h * self.row(feed, t, k)
            else:
                a = a + 6 * h * c["r"][0]
            h = np.tanh(a + (c["stack"][t] if self.stack else 0))
            u, k = np.maximum(u, h), k + 1
        return {"h": h, "u": u, "k": np.int64(k), **({"last": 2 * h} if self.least > self.begin else {})}


def wrong_in(want, got, tolerance):
    for name, w in want.items():
        if name == "k":
            if got[name] != w:
                return f"k is {got[name]}, not {w}"
        elif got[name].shape != w.shape or not np.abs(got[name] - w).max() <= tolerance:
            return f"{name} is {got[name]}, not {w}"
    return None


def written(repeat, folder):
    """The script, and options of its constants."""
    options = []
    with open(os.path.join(folder, "drawn.lt"), "w") as f:
        f.write(repeat.text())
    for name in repeat.needs():
        np.save(os.path.join(folder, name + ".npy"), repeat.constants[name])
        options += ["-c", f"{name}={os.path.join(folder, name + '.npy')}"]
    return [os.path.join(folder, "drawn.lt"), *options]


def check(repeat, lengths, o, backends, folder):
    script, inputs = written(repeat, folder), []
    feeds = [repeat.feed(n) for n in lengths]
    for k, feed in enumerate(feeds):
        np.savez(os.path.join(folder, f"in{k}.npz"), **feed)
        inputs += ["--inputs", os.path.join(folder, f"in{k}.npz")]
    for backend in backends:
        to = os.path.join(folder, "out%d.npz")
        p = subprocess.run([f"{o}/lt-run", *script, *inputs, "-o", to, "-q", "-b", backend], capture_output=True,
                           text=True)
        if p.returncode:
            return f"{backend}: {p.stderr}\n{repeat.text()}"
        for k, (n, feed) in enumerate(zip(lengths, feeds)):
            with np.load(to % k if os.path.exists(to % 0) else to % (k + 1)) as got:
                why = wrong_in(repeat.expected(feed, n), got, repeat.tolerance(n))
            if why:
                return f"{backend}, {n} rounds: {why}\n{repeat.text()}"
        for k in range(len(lengths) + 1):
            if os.path.exists(to % k):
                os.remove(to % k)
    return None


def placed(r, o, backends, folder):
    """Each kind of places, of which rounds that a run does not have would find wrong ones."""
    for places in ("counter", "list", "limited", "extent"):
        repeat = Repeat(r)
        repeat.body, repeat.places, repeat.begin, repeat.before, repeat.least = "table", places, 1, False, 2
        if places == "extent":
            repeat.taken = "slice"
        why = check(repeat, [2, 23, MOST], o, backends, folder)
        if why:
            return f"{repeat}: {why}"
    return None


def built(r, o, folder, *options):
    """As programs of C."""
    for body in ("product", "table"):
        repeat = Repeat(r)
        repeat.body, repeat.least, repeat.places = body, max(repeat.least, repeat.begin + 1), "counter"
        program = os.path.join(folder, "program")
        p = subprocess.run([f"{o}/lt-build", *written(repeat, folder), "-o", program, "--debug", *options],
                           capture_output=True, text=True)
        if p.returncode:
            return f"{p.stderr}\n{repeat.text()}"
        for n in (MOST, repeat.least, 23):
            feed = repeat.feed(n)
            want = repeat.expected(feed, n)
            given = [os.path.join(folder, name + ".npy") for name in ("x", "h", "k")]
            for file, name in zip(given, ("x", "h", "k")):
                np.save(file, feed[name])
            to = {name: os.path.join(folder, "to_" + name + ".npy") for name in want}
            p = subprocess.run([program, *given, *to.values(), f"length={n}"], capture_output=True, text=True)
            if p.returncode:
                return f"{repeat}: {p.stderr}"
            why = wrong_in(want, {name: np.load(to[name]) for name in want}, repeat.tolerance(n))
            if why:
                return f"{repeat}, {n} rounds: {why}"
    return None


KEPT = """n = InputTensor(length, int64, []); length = ScalarNode(n, 0, 9);
x = InputTensor(x, float32, [length <= 9, 2]); h = InputTensor(h, float32, [2]);
m = InputTensor(often, int64, []); often = ScalarNode(m, 0, 3);
eps = 0.5; by = [2, 3]; type = float32; changed = 7;
def sum(x, k, n, h) { y = k; changed = 0; repeat t in 0..n { h = h + x[t]; } return h * k + y + changed; }
result called = sum(x, 3, length, h);
repeat i in 0..2 {
    repeat t in 0..length { h = h + x[t] * (i + 1); }
    result r{i} = h * by[i] + eps + i;
}
repeat t in 0..length {
    repeat j in 0..often { h = h + x[t]; }
    h = h + t + eps;
}
result nested = h + changed + FullNode(type, [2], by[1]);
ahead = InputTensor(ahead, float32, [length + 1 <= 10, 2]); g = ahead[0];
repeat t in 0..length { g = g + ahead[t + 1]; }
result ahead = g;
"""


def kept(o, backends, folder):
    """What no round assigns keeps its value: numbers, lists, types, parameters, counters of repeats around; x[t + 1] of
    an extent of one more.  All sums
    are multiples of a half below 2^23, and exact.
    """
    path, to = os.path.join(folder, "kept.lt"), os.path.join(folder, "kept.npz")
    with open(path, "w") as f:
        f.write(KEPT)
    for backend in backends:
        for n, often in ((0, 3), (1, 0), (4, 2), (9, 3)):
            x, h, want = np.arange(2 * n, dtype=np.float32).reshape(n, 2) - 5, np.float32([1, -2]), {}
            ahead = np.arange(2 * n + 2, dtype=np.float32).reshape(n + 1, 2)
            np.savez(os.path.join(folder, "in.npz"), length=np.int64(n), often=np.int64(often), x=x, h=h, ahead=ahead)
            want["ahead"] = ahead.sum(0)
            want["called"] = (h + x.sum(0)) * 3 + 3
            for i in range(2):
                h = h + x.sum(0) * (i + 1)
                want[f"r{i}"] = h * [2, 3][i] + 0.5 + i
            for t in range(n):
                h = h + often * x[t] + t + 0.5
            want["nested"] = h + 7 + 3
            p = subprocess.run([f"{o}/lt-run", path, "--inputs", os.path.join(folder, "in.npz"), "-o", to, "-q", "-b",
                                backend], capture_output=True, text=True)
            if p.returncode:
                return f"{backend}: {p.stderr}"
            with np.load(to) as got:
                why = wrong_in(want, got, 0)
            if why:
                return f"{backend}, {n} rounds of {often}: {why}"
    return None


HEAD = """n = InputTensor(length, int64, []); length = ScalarNode(n, 0, 9);
x = InputTensor(x, float32, [length <= 9, 2]); h = InputTensor(h, float32, [2]); m = InputTensor(m, int64, []);
"""
REFUSED = (
    ("repeat t in 0..n { h = h + x[t]; } result = h;",
     "'n' is a value, expected an integer or a run-time scalar, which ScalarNode gives"),
    ("repeat t in 2..length { h = h + x[t]; } result = h;",
     "the end may be below the begin, as it is at least 0: have it be 2 at least, ScalarNode(.., 2, 9)"),
    ("repeat t in 10..length { h = h + x[t]; } result = h;", "the end may be below the begin, as it is at least 0"),
    ("repeat t in 0..length { h = ConcatNode(0, h, x[t]); } result = h;", "it has to stay of one type and shape"),
    ("repeat t in 0..length { y = h + x[t]; } result = y;",
     "Unknown name: 'y' is what a round of the repeat in line 3 gave, whose rounds differ in number from run to run"),
    ("k = 1; repeat t in 0..length { k = k + 1; } result = h * k;",
     "has a value after it, which FullNode(int64, [], 0) is for a number that is 0 then"),
    ("eps = 1; def f(x, h, n) { eps = 2; repeat t in 0..n { eps = 3; h = h + x[t]; } return h + eps; } "
     "result = f(x, h, length);",
     "Unknown name: 'eps' is what a round of the repeat in line 3 gave"),
    ("def f(x, h, n) { repeat t in 0..n { y = h + x[t]; } return h; } def g(h) { return h + y; } "
     "h = f(x, h, length); result = g(h);", "Unknown name: 'y' is not defined before it is used"),
    ("repeat t in 0..length { h = h + x[t + 1]; } result = h;",
     "cannot be indexed by 1 in round t = 0: of a run whose last round this is it has 1 element, and none at t + 1: "
     "read that in the round after, or have the extent be length + 1 <= 10"),
    ("repeat t in 0..length { h = h + x[3]; } result = h;", "which not every run has: index within a repeat of as many "
     "rounds, or have each run have it: ScalarNode(.., 4, 9) for its extent"),
    ("repeat t in 0..length { } result = x[0];", "which not every run has: index within a repeat of as many rounds, or "
     "have each run have it: ScalarNode(.., 1, 9) for its extent"),
    ("repeat t in 0..length { result y{t} = h; } result = h;",
     "Unexpected result in a repeat whose number of rounds"),
    ("repeat t in 0..length { s = ScalarNode(m, 0, 1); } result = h;",
     "what it decides has to be before the repeat"),
    ("b = BufferTensor(b, float32, [2]); repeat t in 0..length { c = UpdateNode(b, h, 0); } result = b;",
     "A buffer is updated in a repeat whose number of rounds differs from run to run"),
    ("repeat t in 0..length { h = h + GatherNode(h, m); } result = h;",
     "and there may be no round: length has to be"),
    ("many = ScalarNode(m, 0, 9000000000000000000); repeat t in 0..many { h = h + 1; } result = h;",
     "The number of rounds, many less 0, exceeds 62 bits: narrow the range of many"),
    ("low = ScalarNode(m, -9223372036854775808, -1); repeat t in -9223372036854775808..low { h = h + 1; } result = h;",
     "exceeds 62 bits: narrow the range of low, and begin nearer to 0"),
    ("many = ScalarNode(m, 0, 1000000000); repeat t in 0..many { h = h + 1; } result = h;", "go through too much text"),
)


def refused(o, folder):
    path = os.path.join(folder, "bad.lt")
    for text, sentence in REFUSED:
        with open(path, "w") as f:
            f.write(HEAD + text + "\n")
        p = subprocess.run([f"{o}/lt-run", path, "-b", "ref", "-i", "length=2", "-i", "h=ones", "-i", "x=ones",
                            "-i", "m=0"], capture_output=True, text=True)
        said = " ".join(p.stderr.split())
        if p.returncode != 2 or sentence not in said or "bad.lt:3:" not in said:
            return f"{text}: {p.returncode}, {said}"
    return None


def main():
    n, seed, o, *backends = sys.argv[1:]
    r = random.Random(int(seed))

    def say(why, what):
        if why:
            print(f"seed {seed}: {why}", file=sys.stderr)
        print(f"{'not ok' if why else 'ok'} - {what}")

    with tempfile.TemporaryDirectory() as folder:
        equal = 0
        for _ in range(int(n)):
            repeat = Repeat(r)
            lengths = [MOST, repeat.least, r.randint(repeat.least, MOST - 1), repeat.begin + 2, 37, MOST,
                       r.randint(repeat.least, MOST)]
            why = check(repeat, lengths, o, backends, folder)
            if why:
                print(f"seed {seed}, {repeat}: {why}", file=sys.stderr)
            equal += not why
        print(f"{'ok' if equal == int(n) else 'not ok'} - {equal} of {n} repeats of a script, whose rounds a run says, "
              f"on {' '.join(backends)}, are what NumPy computes")
        say(placed(r, o, backends, folder), "places that only the rounds of a run have")
        say(kept(o, backends, folder), "what no round assigns keeps its value, and x[t + 1] of an axis that has it")
        say(built(r, o, folder), "repeats of a script, whose rounds a run says, as programs of C")
        say(built(r, o, folder, "--target", "portable"), "the same as programs of C99")
        say(refused(o, folder), "repeats that cannot be one program are refused")


if __name__ == "__main__":
    main()
