#!/usr/bin/env python3
"""mutants.py LT_QUANTIZE LT_RUN SEED N -- N wrong scripts of lt-quantize, and how many of them networks.py sees.

A mutant is one node of the integers that a random network becomes, changed: a constant of a rounding one more or one
less, a clamp left out, a shift or a factor one off, a step done twice, another channel, too narrow a sum
(tests/fixed/mutants.py has the changes).  It is caught if what it gives is not what numpy finds.  What is not caught is
run on numbers of the whole range of its inputs: if no result moves then, it computes the same.  Prints TAP; 99 of 100
have to be caught.
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys

import numpy as np

import networks

FIXED = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "fixed")
sys.path.append(FIXED)
_spec = importlib.util.spec_from_file_location("changes", os.path.join(FIXED, "mutants.py"))
changes = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(changes)
KINDS = changes.KINDS
NODE = re.compile(r"%(?P<stem>[\w.]+)(?P<part>) = (?P<type>\w+)\[(?P<dims>[^]]*)\] (?P<op>[\w.]+) "
                  r"(?P<rest>[^@]*?)\s*(?P<at>@ [\d:]+)?$")
AGAIN = 8                               # times that numbers are drawn before a mutant counts as none
CASES = [(case, bits) for case in (networks.dense, networks.images, networks.recurrent, networks.softmax)
         for bits in ("8", "16")] + [(networks.dense, "4")]


class Searched:
    """lt-quantize of each network runs once, and searches to its end: one that time ends is not the same twice."""

    def __init__(self):
        self.run, self.at, self.seen = networks.run, None, {}

    def __call__(self, *words, code=0):
        if words[0] != networks.QUANTIZE:
            return self.run(*words, code=code)
        to = os.path.dirname(words[words.index("-o") + 1])
        if self.at not in self.seen:
            words = list(words)
            words[words.index("--time") + 1] = "600"
            self.seen[self.at] = to, self.run(*words, code=code)
        source, said = self.seen[self.at]
        for name in os.listdir(source):
            if source != to and name.startswith(("q.", "xq.")):
                shutil.copy(os.path.join(source, name), to)
        return said


class Mutant:
    """The change of one line of a graph; line -1: none, the lines are told."""

    def __init__(self, line=-1, kind=None):
        self.line, self.kind = line, kind
        self.lines, self.where, self.first, self.possible = [], "", None, True

    def __call__(self, d, script):
        told = subprocess.run([networks.RUN, script, "--dump=graph"], capture_output=True, text=True, check=True).stdout
        told = re.sub(r"\{\n\s*|(?<=;)\n\s*|\n(?=\})", lambda m: m[0].strip() + " ", told)
        lines = re.sub(r" means scale \S+(?: zero \S+)?", "", told).split("\n")
        extents = {m[1]: int(m[2]) for m in (re.match(r"var (\w+) (\d+)$", v) for v in lines) if m}
        self.first = self.first or [d.write("first.graph", "\n".join(lines)), "-w", d("q.safetensors")]
        if self.line < 0:
            self.lines = [(i, kind) for i, v in enumerate(lines) for kind in KINDS
                          if NODE.match(v) and KINDS[kind](NODE.match(v), extents)]
            return [script]
        self.where = lines[self.line]
        lines[self.line] = "\n".join(KINDS[self.kind](NODE.match(lines[self.line]), extents))
        at = [d.write("mutant.graph", "\n".join(lines)), "-w", d("q.safetensors")]
        ran = subprocess.run([networks.RUN, *at, "--dump=graph"], capture_output=True, text=True)
        self.possible, self.at = ran.returncode == 0, at
        return at


def moves(mutant, rng):
    """Whether a result is another one for some input of its types."""
    with open(mutant.first[0]) as f:
        text = f.read()
    extents = dict(re.findall(r"^var (\w+) (\d+)$", text, re.MULTILINE))
    inputs = re.findall(r'= (\w)(\d+)\[([^]]*)\] input "([^"]+)"', text)
    to = os.path.dirname(mutant.first[0])
    for _ in range(AGAIN):
        given = []
        for kind, bits, dims, name in inputs:
            low, high = (0, 2 ** int(bits) - 1) if kind == "u" else (-2 ** (int(bits) - 1), 2 ** (int(bits) - 1) - 1)
            x = rng.integers(low, high, [int(extents[v.strip()]) for v in dims.split(",")], endpoint=True)
            np.save("%s/%s.npy" % (to, name), x.astype({"u": "uint", "i": "int"}[kind] + bits))
            given += ["-i", "%s=%s/%s.npy" % (name, to, name)]
        got = []
        for which, of in (("a", mutant.first), ("b", mutant.at)):
            ran = subprocess.run([networks.RUN, *of, "-b", "ref", *given, "-q", "-o", "%s/%s.npz" % (to, which)],
                                 capture_output=True)
            got.append(np.load("%s/%s.npz" % (to, which)) if ran.returncode == 0 else None)
        if got[1] is None or any((got[0][k] != got[1][k]).any() for k in got[0]):
            return True
    return False


def tried(mutant, at):
    networks.CHANGED, networks.run.at = mutant, at
    case, bits, seed = at
    case(np.random.default_rng([seed, len(bits), ord(bits[0])]), bits)
    return mutant


def judged(at, line, kind):
    """caught, survived, harmless or impossible; and where."""
    mutant = Mutant(line, kind)
    try:
        tried(mutant, at)
    except (AssertionError, ValueError):
        return ("caught" if mutant.possible else "impossible"), mutant.where
    return ("survived" if moves(mutant, np.random.default_rng([at[2], line])) else "harmless"), mutant.where


def main():
    seed, n = networks.SEED, int(sys.argv[4])
    networks.run = Searched()
    rng = np.random.default_rng(seed)
    spots = {}
    count = {"caught": 0, "survived": 0, "harmless": 0, "impossible": 0}
    kinds = set()
    while count["caught"] + count["survived"] < n:
        case, bits = CASES[int(rng.integers(len(CASES)))]
        at = case, bits, seed + int(rng.integers(2))
        if at not in spots:
            spots[at] = tried(Mutant(), at).lines
        kind = sorted({k for _, k in spots[at]})[int(rng.integers(len({k for _, k in spots[at]})))]
        lines = [i for i, k in spots[at] if k == kind]
        line = lines[int(rng.integers(len(lines)))]
        what, where = judged(at, line, kind)
        count[what] += 1
        kinds |= {kind} if what == "caught" else set()
        if what == "survived":
            print("# not caught: %s of %s, %s bits, seed %d: %s" % (kind, case.__name__, bits, at[2], where))
    print("# show - lt-quantize: %d of %d mutants caught (%d kinds); %d compute the same, %d are no graphs" % (
        count["caught"], n, len(kinds), count["harmless"], count["impossible"]))
    print("%sok - of %d mutants of what lt-quantize writes %d are caught" % (
        "" if count["caught"] * 100 >= n * 99 else "not ", n, count["caught"]))


main()
