#!/usr/bin/env python3
"""draw_fixed.py N SEED BUILD BACKEND... -- N random programs of SeeDot's grammar as SeeDot's own integers
(lt-quantize --compat), on each backend as fixed.py has them, bit for bit.

The scales follow from ranges, which fixed.py finds, too; those of lt-quantize have to be near, and are taken from its
report, since one that is next to a power of two may be on either side of it.  Prints TAP: a line a backend.  A program
that differs is kept in a folder that is named.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

import draw
import fixed
import interp

ROWS = 2


class Draw(draw.Draw):
    """More often a product of many terms in the end, of which every rounding is seen."""

    def last(self, scope):
        r = self.r
        if r.random() < 0.5:
            return super().last(scope)
        k = r.choice([5, 6, 7, 9, 13, 16, 20])
        a = self.declare((2, k))
        b = r.choice([self.declare((k, 3)), self.of((k, 3), scope, 1)])
        for name in (a, b):
            if name in self.data and r.random() < 0.8:          # a sum that is larger than its terms
                self.data[name] = np.abs(self.data[name])
        return "%s %s %s" % (a, r.choice(["*", "*", "*", "|*|"]), b)


def sizes_of(report, variables, sizes, tree):
    """By variable what lt-quantize saw; a sentence where that is not near."""
    seen, stages = {}, {}
    for row in report["variables"]:
        at = row["line"], row["column"]
        if at in seen or (row["name"] == "mbconv" and at not in variables.of.values()):
            stages.setdefault(at, []).append(row["most"])
        else:
            seen[at] = row["most"]
    out = {}
    for variable, (most, err) in sizes.items():
        if isinstance(variable, tuple) and variable[0] == "stage":
            where, stage = variable[1]
            got = stages[places(tree)[where]][stage]
        elif variable not in seen:
            return None, "there is no variable at %s" % (variable,)
        else:
            got = seen[variable]
        if not abs(got - most) <= interp.SAFE * err + 1e-6 * most:
            return None, "the range at %s is %r, not %r within %r" % (variable, got, most, err)
        out[variable] = got
    if set(variables.of.values()) | set(variables.own.values()) != set(seen):
        return None, "variables are at %s, not %s" % (sorted(seen), sorted(set(variables.of.values())))
    return out, None


def places(tree):
    out, todo = {}, [tree]
    while todo:
        e = todo.pop()
        if isinstance(e, interp.Node):
            out[id(e)] = e.place
        todo += ([e[4], e[5]] + e[2]) if e[0] == "let" else fixed.children(e)
    return out


def program(rng):
    """A text, its data, rows of its input, ranges; None: what it chooses depends on rounding."""
    d = Draw(rng, 0)
    text = d.program()
    exact = {name: x.astype(np.float32).astype(np.float64) for name, x in d.data.items()}
    more = np.random.default_rng(rng.getrandbits(32))
    rows = [exact.pop("X")]
    rows += [more.uniform(-1.5, 1.5, rows[0].shape).astype(np.float32).astype(np.float64) for _ in range(ROWS - 1)]
    try:
        with np.errstate(all="ignore"):
            tree, variables, sizes, results = fixed.Ranges.run(text, exact, rows)
    except interp.Open:
        return None
    if any(not np.isfinite(most) or most > 1e15 or err > 1e-3 * most + 1e-3 for most, err in sizes.values()):
        return None
    if not all(isinstance(y, int) or np.isfinite(y.x).all() for y in results):
        return None
    del d.data["X"]
    return text, d.data, exact, rows, tree, variables, sizes, results


def choices(compat):
    return [{"derives": compat == "seedot", "maxscale": -k, "input": -k} for k in range(16)]


def expected(p, sizes, choice, narrow):
    _, _, exact, rows, tree, variables, _, _ = p
    with np.errstate(all="ignore"):
        return [fixed.Fixed.run(tree, exact, x, variables, sizes, choice, narrow)[0] for x in rows]


def has_none(p, compat, bits):
    """Whether SeeDot has no scales, whatever the choice is."""
    sizes = {v: most for v, (most, _) in p[6].items()}
    narrow = {v: 0 for v in set(p[5].of.values()) | set(p[5].own.values())} if bits == "8" else {}
    for choice in choices(compat):
        try:
            expected(p, sizes, choice, narrow)
        except fixed.NoScales:
            continue
        return False
    return True


def quantised(x, f):
    return fixed.quantise(x, *f)


def check(p, folder, build, backends, compat, bits):
    """By backend a sentence, or None; "none": SeeDot has no scales."""
    text, data, _, rows, tree, variables, sizes, results = p
    draw.write(folder, text, data)
    at = lambda name: os.path.join(folder, name)
    np.save(at("rows.npy"), np.float32(rows))
    metric = "agree" if isinstance(results[0], int) or (results[0].x.ndim and results[0].x.shape[-1] > 1) else "error"
    run = subprocess.run([os.path.join(build, "lt-quantize"), at("program.sd"), "--data", at("rows.npy"), "--compat",
                          compat, "--bits", bits, "--loss", "1e9", "--metric", metric, "-b", "ref", "--time", "4", "-q",
                          "-o", at("q.lt"), "--report", at("report.json"), "--data-out", at("ints.npy")],
                         capture_output=True, text=True, check=False)
    if run.returncode:
        if "SeeDot has no scales" in run.stderr and has_none(p, compat, bits):
            return "none"
        return {b: run.stderr.strip()[-300:] or "exit code %d" % run.returncode for b in backends}
    with open(at("report.json"), encoding="utf-8") as f:
        report = json.load(f)
    sizes, wrong = sizes_of(report, variables, sizes, tree)
    if wrong:
        return {b: wrong for b in backends}
    narrow = {(row["line"], row["column"]): row["offset"] for row in report["variables"] if row["offset"] is not None}
    at_x = [(row["line"], row["column"]) for row in report["variables"] if row["name"] == "X"]
    x_scale = report["input"]
    if compat == "shiftry" and at_x[0] in narrow:
        x_scale -= 8 + narrow[at_x[0]]
    choice = {"derives": compat == "seedot", "maxscale": report.get("maxscale"), "input": x_scale}
    try:
        want = expected(p, sizes, choice, narrow)
    except fixed.NoScales:
        return {b: "fixed.py has no scales for it" for b in backends}
    ints = np.load(at("ints.npy"))
    for x, q in zip(rows, ints.reshape((ROWS,) + rows[0].shape)):
        if not (fixed.quantise(x, 8 * ints.itemsize, report["input"]) == q).all():
            return {b: "the input's integers differ" for b in backends}
    return {b: compare(build, b, folder, ints.reshape((ROWS,) + rows[0].shape), want, report) for b in backends}


def compare(build, backend, folder, ints, want, report):
    at = lambda name: os.path.join(folder, name)
    weights = ["-w", at("q.safetensors")] if os.path.exists(at("q.safetensors")) else []
    for i, y in enumerate(want):
        np.save(at("x.npy"), ints[i])
        run = subprocess.run([os.path.join(build, "lt-run"), at("q.lt"), *weights, "-b", backend, "-q", "-o",
                              at("y.npy"), "-i", "X=" + at("x.npy")], capture_output=True, text=True, check=False)
        if run.returncode:
            return run.stderr.strip()[-300:] or "exit code %d" % run.returncode
        got = np.load(at("y.npy"))
        if isinstance(y, int):
            if got.shape or got != y:
                return "row %d: %s, not %d" % (i, got, y)
        elif got.shape != y.q.shape or got.itemsize * 8 != y.bits or not (got == y.q).all():
            return "row %d: %s, not %s (%d bits)" % (i, got.reshape(-1)[:4], y.q.reshape(-1)[:4], y.bits)
        elif report["result"] != y.scale:
            return "the result has scale %s, not %d" % (report["result"], y.scale)
    return None


def main():
    n, seed, build, backends = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    bad = {b: 0 for b in backends}
    done = left = none = 0
    for i in range(n):
        rng = random.Random(seed * 1000003 + i)
        p = program(rng)
        compat = rng.choice(["seedot", "shiftry"]) if p and "mbconv" not in p[0] else "shiftry"
        bits = "16" if compat == "seedot" else rng.choice(["8", "16", "16", "mixed"])
        if p is None:
            left += 1
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = check(p, folder, build, backends, compat, bits)
        if found == "none":
            none += 1
            continue
        done += 1
        for b, wrong in found.items():
            if wrong:
                bad[b] += 1
                kept = "/tmp/seedot-fixed-%d-%d" % (seed, i)
                os.makedirs(kept, exist_ok=True)
                draw.write(kept, p[0], p[1])
                np.save(os.path.join(kept, "rows.npy"), np.float32(p[3]))
                print("%s: program %d of seed %d (%s, --compat %s --bits %s): %s"
                      % (b, i, seed, kept, compat, bits, wrong), file=sys.stderr)
    for b in backends:
        print("%sok - SeeDot's own integers on %s: %d of %d programs of seed %d as plain Python has them (of %d no "
              "scales, %d left out)" % ("not " if bad[b] or not done else "", b, done - bad[b], done, seed, none, left))


if __name__ == "__main__":
    main()
