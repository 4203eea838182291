#!/usr/bin/env python3
"""draw.py N SEED LT_RUN BACKEND... -- N random programs of SeeDot's grammar, on each backend as interp.py has them.

Prints TAP: a line a backend, with how many programs were left out because what they choose depends on rounding.  A
program that differs is kept in a folder that is named.
"""
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

import interp


class Draw:
    """A text, with the data of what it declares.  Names in scope: by type, "I" or a shape."""

    def __init__(self, rng, bound=1):
        self.r, self.bound = rng, bound
        self.data, self.lines, self.n = {}, [], 0

    def name(self, what="v"):
        self.n += 1
        return "%s%d%s" % (what, self.n, self.r.choice(["", "", "", "'"]))

    def shape(self, rank=None):
        rank = rank if rank is not None else self.r.choice([1, 2, 2, 2, 3, 4])
        return tuple(self.r.choice([1, 2, 3, 3, 4, 5]) for _ in range(rank))

    def declare(self, shape, name=None):
        name = name or self.name("W")
        x = np.random.default_rng(self.r.getrandbits(32)).uniform(-1.5, 1.5, shape)
        if self.r.random() < 0.2:
            x.reshape(-1)[self.r.randrange(x.size)] = 0
        if self.r.random() < 0.2:
            x = np.round(x)
        self.data[name] = x.astype(self.r.choice([np.float32, np.float64]))
        self.lines.append("let %s = (%s) in [-1.5, %s] in" % (name, ", ".join(map(str, shape)),
                                                              self.r.choice(["1.5", "2"])))
        return name

    def number(self):
        return self.r.choice(["0.5", "-1.25", "1.0", "0.0", "2.", ".75", "1e-1", "-0.3"])

    # -- whole numbers; trips: (name, low, high) of those in scope --

    def begin(self, n, extent, scope):
        """Where a part of n of extent may begin: [0, extent - n]."""
        room = extent - n
        fits = [t for t in scope["trips"] if t[1] >= 0 and t[2] - 1 <= room]
        kind = self.r.random()
        if fits and kind < 0.6:
            name, low, high = self.r.choice(fits)
            if self.r.random() < 0.3 and high - 1 + 1 <= room:
                return "%s + %d" % (name, self.r.randrange(room - high + 2))
            if self.r.random() < 0.2:
                return "%d - %s" % (high - 1, name)
            return name
        if kind < 0.75:
            return self.whole(scope, 0)
        return str(self.r.randint(0, room))

    def known(self, n, extent, scope):
        """The same, known to be inside."""
        room = extent - n
        fits = [t for t in scope["trips"] if t[1] >= 0 and t[2] - 1 <= room]
        if fits and self.r.random() < 0.7:
            return self.r.choice(fits)[0]
        return str(self.r.randint(0, room))

    def whole(self, scope, depth):
        """A whole number that is computed, so that it may be anything."""
        if depth and self.r.random() < 0.3:
            return "(%s %s %s)" % (self.whole(scope, depth - 1), self.r.choice("+-*"), self.whole(scope, depth - 1))
        if depth and self.r.random() < 0.2:
            e, yes, no = (self.whole(scope, 0) for _ in range(3))
            return "(%s >= %d ? %s : %s)" % (e, self.bound, yes, no)
        tensors = [t for t in scope["tensors"] if t[1]]
        name, shape = self.r.choice(tensors)
        if self.r.random() < 0.5:
            return "argmax(%s)" % name
        return "sgn(%s)" % self.part(name, shape, (1,) * len(shape), scope, known=not depth)

    # -- tensors --

    def part(self, name, shape, counts, scope, known=False):
        begin = self.known if known else self.begin
        return name + "".join("[%s:+%d]" % (begin(n, extent, scope), n) for n, extent in zip(counts, shape))

    def of(self, shape, scope, depth):
        """An expression of that shape."""
        r, same = self.r, [t[0] for t in scope["tensors"] if t[1] == shape]
        if depth <= 0 or r.random() < 0.1:
            if same and r.random() < 0.9:
                return r.choice(same)
            larger = [t for t in scope["tensors"]
                      if len(t[1]) == len(shape) and all(a >= b for a, b in zip(t[1], shape))]
            if larger and shape:
                t = r.choice(larger)
                return self.part(t[0], t[1], shape, scope)
            higher = [t for t in scope["tensors"] if t[1][1:] == shape and len(t[1]) == len(shape) + 1]
            if higher:
                t = r.choice(higher)
                return "%s[%s]" % (t[0], self.begin(1, t[1][0], scope))
            return "init([%s], %s)" % (", ".join(map(str, shape)), self.number()) if shape else self.number()
        go = lambda s: self.of(s, scope, depth - 1)
        kinds = ["add", "add", "times", "function", "choose", "scalar", "sign", "sum", "norm", "paren", "let"]
        if len(shape) >= 1:
            kinds += ["bias", "slice", "index", "reshape", "reverse", "loop", "loop"]
        if len(shape) == 2:
            kinds += ["product"] * 3 + ["transpose"]
        if len(shape) == 4:
            kinds += ["conv"] * 3 + ["pool", "mbconv"]
        kind = r.choice(kinds)
        if kind == "add":
            return "(%s %s %s)" % (go(shape), r.choice("+-"), go(shape))
        if kind == "times":
            return "(%s <*> %s)" % (go(shape), go(shape)) if shape else "(%s * %s)" % (go(()), go(()))
        if kind == "function":
            f = r.choice(["relu", "relu6", "tanh", "sigmoid", "exp"])
            return "exp(-relu6(%s))" % go(shape) if f == "exp" else "%s(%s)" % (f, go(shape))
        if kind == "choose":
            one = go(r.choice([(), (1, 1)])) if r.random() < 0.6 else self.whole(scope, 1)
            return "(%s >= 0 ? %s : %s)" % (one, go(shape), go(shape))
        if kind == "scalar":
            a, b = go(()), go(shape)
            return "(%s %s %s)" % ((a, r.choice("*+-"), b) if r.random() < 0.5 else (b, r.choice("*+-"), a))
        if kind == "sign":
            return "(%s%s)" % (r.choice("+--"), go(shape))
        if kind == "norm" and shape:
            return "normaliseL2(%s)" % go(shape)
        if kind == "let":
            return self.inner_let(shape, scope, depth)
        if kind == "sum":
            return self.sum(shape, scope, depth)
        if kind == "loop":
            return self.loop(shape, scope, depth)
        if kind == "bias":
            return "(%s %s %s)" % (go(shape), r.choice(["<+>", "<->"]), go(shape[-1:]))
        if kind == "slice":
            whole = tuple(n + r.choice([0, 0, 1, 2]) for n in shape)
            return self.part("(%s)" % go(whole), whole, shape, scope)
        if kind == "index":
            n = r.choice([1, 2, 3])
            return "(%s)[%s]" % (go((n,) + shape), self.begin(1, n, scope))
        if kind == "reverse":
            return "reverse(%s, %d)" % (go(shape), r.randrange(len(shape)))
        if kind == "reshape":
            source = self.factor(int(np.prod(shape)))
            order = list(range(1, len(source) + 1))
            r.shuffle(order)
            return "reshape(%s, (%s), (%s))" % (go(source), ", ".join(map(str, shape)), ", ".join(map(str, order)))
        if kind == "product":
            k = r.choice([1, 2, 3, 4])
            return "(%s %s %s)" % (go((shape[0], k)), r.choice(["*", "|*|"]), go((k, shape[1])))
        if kind == "transpose":
            return "%s^T" % (go((shape[1], shape[0])))
        if kind in ("conv", "pool", "mbconv"):
            return self.image(kind, shape, go)
        return "(%s)" % go(shape)

    def factor(self, n):
        out = []
        while n > 1 and len(out) < 3:
            d = self.r.choice([k for k in range(2, n + 1) if n % k == 0])
            out.append(d)
            n //= d
        out.append(n)
        if self.r.random() < 0.3:
            out.insert(self.r.randrange(len(out) + 1), 1)
        return tuple(out)

    def image(self, kind, shape, go):
        """A window whose result has the shape: strides, pads and dilations first, then the image that fits."""
        r = self.r
        size, stride = [r.choice([1, 2, 3]) for _ in "ij"], [r.choice([1, 1, 2]) for _ in "ij"]
        dilation = [1, 1] if kind != "conv" else [r.choice([1, 1, 2]) for _ in "ij"]
        pads = [r.choice([0, 0, 1, 2]) if kind != "pool" else min(r.choice([0, 0, 1]), size[k // 2] - 1)
                for k in range(4)]
        rows = []
        for k in (0, 1):
            reach = dilation[k] * (size[k] - 1) + 1
            rows.append((shape[1 + k] - 1) * stride[k] + reach + r.randrange(stride[k]) - pads[2 * k] - pads[2 * k + 1])
        if min(rows) < 1:
            return "(%s)" % go(shape)
        text = lambda letter, numbers: "{%s %s}" % (letter, " ".join(map(str, numbers)))
        if kind == "pool":
            return "maxpool(%s, %s, %s, %s)" % (go((shape[0], *rows, shape[3])), text("k", size), text("p", pads),
                                                text("s", stride))
        if kind == "conv":
            groups = r.choice([g for g in (1, 2, 3) if shape[3] % g == 0])
            c = r.choice([1, 2, 3])
            return "conv2d(%s, %s, %s, %s, %s, %s)" % (
                go((shape[0], *rows, c * groups)), go((groups, *size, c, shape[3] // groups)), text("s", stride),
                text("p", pads), text("d", dilation), text("g", [groups]))
        c, t = r.choice([1, 2, 3]), r.choice([1, 2, 3])
        return "mbconv(%s, [%s, %s, %s], [%s, %s, %s], [%s, %s, %s], %s, %s)" % (
            go((shape[0], *rows, c)), go((1, 1, 1, c, t)), go((t,)), go((t,)), go((t, *size, 1, 1)), go((t,)), go((t,)),
            go((1, 1, 1, t, shape[3])), go((shape[3],)), go((shape[3],)), text("s", stride), text("p", pads))

    # -- names and loops --

    @staticmethod
    def more(scope, tensors=(), trips=()):
        return {"tensors": scope["tensors"] + list(tensors), "trips": scope["trips"] + list(trips)}

    def inner_let(self, shape, scope, depth):
        name, of = self.name(), self.shape(self.r.choice([1, 2, len(shape)]))
        return "(let %s = %s in %s)" % (name, self.of(of, scope, depth - 1),
                                        self.of(shape, self.more(scope, [(name, of)]), depth - 1))

    def sum(self, shape, scope, depth):
        name, low = self.name("i"), self.r.choice([0, 0, 1])
        high = low + self.r.choice([1, 2, 3, 4])
        return "$(%s = [%d:%d]) (%s)" % (name, low, high,
                                         self.of(shape, self.more(scope, (), [(name, low, high)]), depth - 1))

    def loop(self, shape, scope, depth):
        """An accumulator of that shape: carried, written by parts that do not meet, or by any."""
        r, a = self.r, self.name("A")
        begin = "let %s = %s in " % (a, self.of(shape, scope, depth - 1))
        inner = self.more(scope, [(a, shape)])
        kind = r.choice(["carry", "parts", "parts", "nest", "any", "other", "whole", "choose", "value"])
        i, low = self.name("i"), r.choice([0, 0, 0, 1])
        high = low + r.choice([1, 2, 3])
        trip = [(i, low, high)]
        if kind in ("parts", "nest"):
            # without the accumulator, which is not read
            axes = list(range(len(shape)))
            r.shuffle(axes)
            loops, begins, counts, trips = [], [None] * len(shape), list(shape), []
            for axis in axes[:1 if kind == "parts" else 2]:
                step = r.choice([1, 1, 2])
                if shape[axis] < step:
                    continue
                name, most = self.name("i"), shape[axis] // step
                n = r.randint(1, most)
                first = r.randrange(n)
                loops.append("loop(%s = [%d:%d], %s)" % (name, first, n, a))
                begins[axis] = "%d * %s" % (step, name) if step > 1 else name
                counts[axis] = r.randint(1, step)
                trips.append((name, first, n))
            for axis in range(len(shape)):
                if begins[axis] is None:
                    counts[axis] = r.randint(1, shape[axis])
                    begins[axis] = str(r.randint(0, shape[axis] - counts[axis]))
            if loops:
                body = self.of(tuple(counts), self.more(scope, (), trips), depth - 1)
                end = a if r.random() < 0.8 else a + " + 0.0"
                return "(%s%s (let %s%s = %s in %s))" % (
                    begin, " ".join(loops), a, "".join("[%s:+%d]" % p for p in zip(begins, counts)), body, end)
        head = "loop(%s = [%d:%d], %s) " % (i, low, high, a)
        within = self.more(inner, (), trip)
        if kind == "any":
            counts = tuple(r.randint(1, n) for n in shape)
            return "(%s%s(let %s = %s in %s))" % (begin, head, self.part(a, shape, counts, within),
                                                  self.of(counts, within, depth - 1), self.of(shape, within, 0))
        if kind == "other":
            b, other = self.name("B"), self.shape(r.choice([1, 2]))
            counts = tuple(r.randint(1, n) for n in other)
            use = self.more(scope, [(b, other)])
            return "(%slet %s = %s in let %s = %s(let %s = %s in let %s = %s in %s) in %s)" % (
                begin, b, self.of(other, scope, depth - 1), self.name(), head,
                self.part(b, other, counts, self.more(scope, (), trip), known=r.random() < 0.8),
                self.of(counts, self.more(scope, (), trip), depth - 1), a,
                self.of(shape, self.more(use if r.random() < 0.5 else scope, (), trip), depth - 1), a,
                self.of(shape, self.more(use, [(a, shape)]), 1))
        if kind == "value":
            b, other = self.name("B"), shape + (2,)
            return "(let %s = %s in loop(%s = [%d:%d], %s) %s)" % (
                b, self.of(other, scope, 0), i, low, high, b,
                self.of(shape, self.more(scope, [(b, other)], trip), depth - 1))
        if kind == "whole":
            return "(%s%s%s)" % (begin, head, self.of(shape, self.more(scope, (), trip), depth - 1))
        if kind == "choose":
            counts = tuple(r.randint(1, n) for n in shape)
            return "(%s%s(%s >= 0 ? (let %s = %s in %s) : (let %s = %s in %s)))" % (
                begin, head, self.whole(within, 1) if r.random() < 0.5 else self.of((), within, 1),
                self.part(a, shape, counts, within), self.of(counts, within, 0), a, a, self.of(shape, within, 1), a)
        return "(%s%s(let %s = tanh(%s) in %s))" % (begin, head, a, self.of(shape, within, depth - 1), a)

    def last(self, scope):
        if self.r.random() < 0.1:
            return self.whole(scope, 1)
        return self.of(self.shape(self.r.choice([0, 1, 2, 4])), scope, 2)

    def program(self):
        r = self.r
        scope = {"tensors": [], "trips": []}
        for _ in range(r.randint(2, 4)):
            shape = self.shape()
            scope["tensors"].append((self.declare(shape), shape))
        shape = self.shape(2)
        scope["tensors"].append((self.declare(shape, "X"), shape))
        for _ in range(r.randint(1, 4)):
            shape = self.shape(r.choice([0, 1, 2, 2, 3, 4]))
            name = self.name()
            self.lines.append("let %s = %s in%s" % (name, self.of(shape, scope, r.choice([1, 2, 3])),
                                                    r.choice(["", " // why"])))
            scope["tensors"].append((name, shape))
        last = self.last(scope)
        return "\n".join(self.lines + [last]) + "\n"


SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 1e-40]


def draw(seed):
    """A program, its data, and what it gives; None: left out."""
    rng = random.Random(seed)
    d = Draw(rng)
    text = d.program()
    if rng.random() < 0.15:
        x = d.data["X"] = d.data["X"].copy()
        x.reshape(-1)[rng.randrange(x.size)] = rng.choice(SPECIAL)
    d.data["X"] = d.data["X"].astype(np.float32)
    exact = {name: value.astype(np.float32).astype(np.float64) for name, value in d.data.items()}
    try:
        with np.errstate(all="ignore"):
            want = interp.run(text, exact)
    except interp.Open:
        return text, d.data, None
    if not isinstance(want, int) and np.abs(want.x[np.isfinite(want.x)]).max(initial=0) > 1e20:
        return text, d.data, None
    return text, d.data, want


def differs(got, want):
    """A sentence; None: it does not."""
    if isinstance(want, int):
        return None if got.dtype == np.int32 and got.shape == () and int(got) == want else "%s, not %d" % (got, want)
    if got.dtype != np.float32 or got.shape != want.x.shape:
        return "%s of shape %s, not %s" % (got.dtype, got.shape, want.x.shape)
    with np.errstate(all="ignore"):
        near = np.abs(got - want.x) <= interp.SAFE * want.err
    # Where an infinity meets an error, any of inf and NaN may come out.
    fine = near | (np.isnan(got) & np.isnan(want.x)) | (got == want.x) | ~np.isfinite(want.err)
    return None if fine.all() else "%s, not %s, within %s" % (got[~fine][:4], want.x[~fine][:4], want.err[~fine][:4])


def write(folder, text, data):
    with open(os.path.join(folder, "program.sd"), "w", encoding="utf-8") as f:
        f.write(text)
    for name, value in data.items():
        if name == "X" or random.random() < 0.8:
            np.save(os.path.join(folder, name + ".npy"), value)
        else:
            np.save(os.path.join(folder, name + ".npy"), np.asfortranarray(value.astype(value.dtype.newbyteorder(">"))))


def main():
    n, seed, lt_run, backends = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    bad = {b: [] for b in backends}
    open_, done = 0, 0
    for i in range(n):
        text, data, want = draw(seed * 1000003 + i)
        if want is None:
            open_ += 1
            continue
        done += 1
        with tempfile.TemporaryDirectory() as folder:
            write(folder, text, data)
            for b in backends:
                out = os.path.join(folder, "y.npy")
                run = subprocess.run([lt_run, os.path.join(folder, "program.sd"), "-b", b, "-q", "-o", out,
                                      "-i", "X=" + os.path.join(folder, "X.npy")],
                                     capture_output=True, text=True, check=False)
                wrong = run.stderr.strip()[-300:] or "exit code %d" % run.returncode
                if run.returncode == 0:
                    wrong = differs(np.load(out), want)
                if wrong:
                    bad[b].append((i, wrong))
                    kept = "/tmp/seedot-%d-%d" % (seed, i)
                    os.makedirs(kept, exist_ok=True)
                    write(kept, text, data)
                    print("%s: program %d of seed %d (%s): %s" % (b, i, seed, kept, wrong), file=sys.stderr)
    for b in backends:
        print("%sok - SeeDot on %s: %d of %d programs of seed %d as plain Python has them (%d left out)"
              % ("not " if bad[b] or not done else "", b, done - len(bad[b]), done, seed, open_))


if __name__ == "__main__":
    main()
