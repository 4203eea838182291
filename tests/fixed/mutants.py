#!/usr/bin/env python3
"""mutants.py N SEED LT_RUN [SCRIPTS] -- N wrong ways to build fixed point, and how many of them the tests see.

A mutant is one spot of what a builder makes, changed in every graph that has it: a constant of a rounding one more or
one less, a clamp or a zero point left out or done twice, another channel, a shift one off, floor for a rounding, a
narrow sum.  It is caught if a result of the scripts that `make check` draws (SCRIPTS of them, from seed 1) is not as
the interpreter has it.  What is not caught is run on numbers that are drawn again, many times: if no result moves then,
it is no mutant, but another way to compute the same.  Prints TAP; 99 of 100 have to be caught.
"""
import random
import re
import subprocess
import sys
import tempfile
from draw import difference, drawn_script, run_library
from fixed import RANGES, run

NODE = re.compile(r"%(?P<stem>\w+)\.?(?P<part>\w*) = (?P<type>\w+)\[(?P<dims>[^]]*)\] (?P<op>[\w.]+) "
                  r"(?P<rest>[^@]*?)\s*(?P<at>@ [\d:]+)?$")
NAMES = {"i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "i64": "int64"}
AGAIN = 16                              # times that numbers are drawn before a mutant counts as none


# -- changes of a node: its line becomes lines; None: it is not of this kind

def operands(m):
    return [v.strip() for v in m["rest"].split(",")]


def head(m, name=None):
    own = "%" + m["stem"] + ("." + m["part"] if m["part"] else "")
    return "%s = %s[%s]" % (name or own, m["type"], m["dims"]), own


def literal(by):
    def change(m, _):
        if m["op"] != "lit" or m["type"] not in NAMES:
            return None
        low, high = RANGES[NAMES[m["type"]]]
        v = int(m["rest"].strip(), 0) + by
        return ["%s lit %d" % (head(m)[0], v)] if low <= v <= high else None
    return change


def kept(which):
    """One operand alone, cast and spread to the result: an operator that is not there."""
    def change(m, extents):
        if m["op"] not in ("min", "max", "add", "sub", "and", "shr", "shl", "mul", "div", "neg", "abs"):
            return None
        if len(operands(m)) <= which:
            return None
        here, own = head(m)
        nought = own + ".nought"
        return ["%s = %s[] lit 0" % (nought, m["type"]), "%s add %s, %s" % (here, operands(m)[which], nought)]
    return change


def replaced(table):
    def change(m, _):
        return ["%s %s %s" % (head(m)[0], table[m["op"]], m["rest"])] if m["op"] in table else None
    return change


def twice(m, _):
    if m["op"] not in ("add", "sub", "shr", "shl", "mul") or len(operands(m)) != 2:
        return None
    here, own = head(m)
    return ["%s %s %s" % (head(m, own + ".once")[0], m["op"], m["rest"]),
            "%s %s %s, %s" % (here, m["op"], own + ".once", operands(m)[1])]


def nudged(which, by):
    """An operand one more or one less."""
    def change(m, _):
        if m["op"] not in ("shr", "shl", "div", "add", "mul", "less", "lessequal") or len(operands(m)) != 2:
            return None
        here, own = head(m)
        out = operands(m)
        # Of the type of the operand, which is that of the result but of comparisons.
        if m["type"] == "bool":
            return None
        lines = ["%s.by = %s[] lit %d" % (own, m["type"], by),
                 "%s add %s, %s" % (head(m, own + ".near")[0], out[which], own + ".by")]
        out[which] = own + ".near"
        return [*lines, "%s %s %s" % (here, m["op"], ", ".join(out))]
    return change


def other_channel(m, extents):
    """A vector read from its other end."""
    if m["op"] != "view" or len(m["dims"].split(",")) != 1 or extents.get(m["dims"], 1) < 2:
        return None
    inner = re.fullmatch(r"\{ (%[\w.]+)\[(\w+)\] \}", m["rest"].strip())
    if not inner or inner[2] != m["dims"]:
        return None
    return ["%s view { %s[%d - %s] }" % (head(m)[0], inner[1], extents[m["dims"]] - 1, m["dims"])]


def narrowed(to):
    def change(m, _):
        if m["type"] not in ("i32", "i64") or m["op"] not in ("mul", "add", "add.reduce", "cast"):
            return None
        here, own = head(m)
        return ["%s %s %s" % (head(m, own + ".wide")[0], m["op"], m["rest"]),
                "%s.small = %s[%s] cast %s.wide" % (own, to, m["dims"], own), "%s cast %s.small" % (here, own)]
    return change


KINDS = {
    "constant + 1": literal(1), "constant - 1": literal(-1),
    "the first operand alone": kept(0), "the second operand alone": kept(1),
    "min for max": replaced({"max": "min"}), "max for min": replaced({"min": "max"}),
    "sub for add": replaced({"add": "sub"}), "add for sub": replaced({"sub": "add"}),
    "or for and": replaced({"and": "or"}), "left for right": replaced({"shr": "shl"}),
    "less for at most": replaced({"lessequal": "less", "less": "lessequal"}),
    "twice": twice, "second + 1": nudged(1, 1), "second - 1": nudged(1, -1), "first + 1": nudged(0, 1),
    "first - 1": nudged(0, -1), "another channel": other_channel,
    "16 bits": narrowed("i16"), "32 bits": narrowed("i32"),
}


# -- which spots there are

class Text:
    """A script's graph: lines, and the spots of each builder."""

    def __init__(self, d, lt_run, folder):
        self.d = d
        path = "%s/drawn.lt" % folder
        with open(path, "w") as f:
            f.write("\n".join(d.lines) + "\n")
        told = subprocess.run([lt_run, path, "--dump=graph"], capture_output=True, text=True, check=True).stdout
        self.lines = re.sub(r"\{\n\s*|(?<=;)\n\s*|\n(?=\})", lambda m: m[0].strip() + " ", told).split("\n")
        self.extents = {m[1]: int(m[2]) for m in (re.match(r"var (\w+) (\d+)$", v) for v in self.lines) if m}
        self.want = run("\n".join(d.lines), d.given)
        calls = {m[1]: m[2] for m in (re.match(r"\$(\d+) = (\w+)\(", v) for v in d.lines) if m}
        words = {m[1]: re.findall(r"\b(even|floor|zero|up|away|twice|once|NCHW|NHWC)\b", m[2]) for m in
                 (re.match(r"\$(\d+) = (.*)", v) for v in d.lines) if m}
        matches = list(map(NODE.match, self.lines))
        needs = {}                      # of a statement, of a result: the statements that it is made of
        for v in d.lines:
            if m := re.match(r"\$(\d+) = (.*)", v):
                needs[m[1]] = {m[1]}.union(*(needs[k] for k in re.findall(r"\$(\d+)", m[2])))
        self.needs = {m[1]: needs[m[2]] for m in (re.match(r"result (\w+) = \$(\d+)", v) for v in d.lines) if m}
        self.spots = {}                 # (what is built, part) -> (line, match)
        for i, m in enumerate(matches):
            node = m and calls.get(m["stem"])
            if node and re.match("Requant|Fixed|Table", node):
                spot = (node, *words[m["stem"]], m["part"] or m["op"])
                self.spots.setdefault(spot, []).append((i, m))

    def mutated(self, spot, kind):
        """The text; None: this kind is not possible there."""
        lines = list(self.lines)
        changed = [(i, KINDS[kind](m, self.extents)) for i, m in self.spots[spot]]
        if not any(new for _, new in changed):
            return None
        for i, new in changed:
            lines[i] = "\n".join(new or [lines[i]])
        stems = {m["stem"] for _, m in self.spots[spot]}
        return "\n".join(v for v in lines if not v.startswith("result ") or stems & self.needs[v.split('"')[1]]) + "\n"


def judged(texts, spot, kind, lt_run, folder, seed):
    """caught, survived, harmless or impossible; and what shows it."""
    ran = False
    for t in texts:
        text = t.mutated(spot, kind) if spot in t.spots else None
        if not text:
            continue
        got = run_library(t.d, lt_run, "ref", folder, text)
        if isinstance(got, str):
            if "exit code 1" in got or "exit code 2" in got:
                continue                # it is no graph, or reads beside a table
            return "caught", got
        ran = True
        said = difference(t.d, got, {k: v for k, v in t.want.items() if k in got})
        if said:
            return "caught", said
    if not ran:
        return "impossible", ""
    r = random.Random(seed)
    there = [t for t in texts if spot in t.spots and t.d.free and t.mutated(spot, kind)]
    for i in range(AGAIN if there else 0):
        t = there[i % len(there)]
        before, t.d.r = dict(t.d.given), r
        t.d.given.update((label, again()) for label, again in t.d.free.items())
        want = run_library(t.d, lt_run, "ref", folder)
        got = run_library(t.d, lt_run, "ref", folder, t.mutated(spot, kind))
        t.d.given = before
        if not isinstance(got, str) and not isinstance(want, str) and (
                said := difference(t.d, want, got)):
            return "survived", said
    return "harmless", ""


def main():
    n, seed, lt_run = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    scripts = int(sys.argv[4]) if len(sys.argv) > 4 else 40
    count = {"caught": 0, "survived": 0, "harmless": 0, "impossible": 0}
    with tempfile.TemporaryDirectory(prefix="fixed-mutants-") as folder:
        texts = [Text(drawn_script(1, i), lt_run, folder) for i in range(scripts)]
        r = random.Random(seed)
        spots = sorted({(spot, kind) for t in texts for spot in t.spots for kind in KINDS if t.mutated(spot, kind)})
        r.shuffle(spots)
        kinds = {}
        for spot, kind in spots:
            if count["caught"] + count["survived"] >= n:
                break
            what, why = judged(texts[1:] + texts[:1], spot, kind, lt_run, folder, seed)
            count[what] += 1
            if what == "survived":
                print("# not caught: %s of %s, %s: %s" % (kind, spot[-1], " ".join(spot[:-1]), why))
            elif what == "caught":
                kinds[kind] = kinds.get(kind, 0) + 1
    of = count["caught"] + count["survived"]
    print("# show - fixed point: %d of %d mutants caught (%d kinds); %d compute the same, %d are no graphs" % (
        count["caught"], of, len(kinds), count["harmless"], count["impossible"]))
    good = "" if of >= min(n, 100) and count["caught"] * 100 >= of * 99 else "not "
    print("%sok - of %d mutants of fixed point %d are caught" % (good, of, count["caught"]))


if __name__ == "__main__":
    main()
