#!/usr/bin/env python3
"""draw.py N SEED LT_BUILD TARGET... -- N random graphs of integers as bare C99 on each target, as fixed.py has them.

A target is a microcontroller's name, or "bare" for the same text here, with sanitizers.  What the emulated chip said on
its serial line is compared with tests/fixed/fixed.py, which is written from docs/script.md in plain Python.  Graphs
that have no room on the smallest chip are drawn again.  Prints TAP; a graph that differs is kept in a folder, which is
named.
"""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixed"))
from draw import LETTER, NPY, Drawn, grow, write_npy  # noqa: E402
from fixed import run  # noqa: E402

ROOM = 1200     # bytes of tensors


def said_bytes(text, number):
    """Of a result, as the serial line has them."""
    return bytes.fromhex("".join(re.findall("@r%04x ([0-9a-f]*);" % number, text)))


def compare(d, want, lt_build, target, folder):
    """What is wrong on a target; "" if nothing is; None: it has no room there."""
    script, kept = os.path.join(folder, "drawn.lt"), os.path.join(folder, "kept")
    with open(script, "w") as f:
        f.write("\n".join(d.lines) + "\n")
    command = [lt_build, script, "-o", os.path.join(folder, "drawn.c"), "-q", "--integer", "--keep", kept]
    if target == "bare":
        command += ["--bare", "--target", "portable", "--cc",
                    "cc -fsanitize=address,undefined -fno-sanitize-recover=all"]
    else:
        command += ["--target", target]
    for label, t in d.given.items():
        path = os.path.join(folder, label + ".npy")
        write_npy(path, t)
        command += ["-i" if label in d.inputs else "-c", "%s=%s" % (label, path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        message = (done.stderr or done.stdout).strip()
        return None if " has no room: " in message else "exit code %d: %s" % (done.returncode, message[-600:])
    with open(os.path.join(kept, "drawn_said.txt"), errors="replace") as f:
        text = f.read()
    for number, (name, w) in enumerate(want.items()):
        got = said_bytes(text, number)
        expected = struct.pack("<%d%s" % (len(w.data), LETTER[NPY[w.type]]), *w.data)
        if got != expected:
            at = next((i for i in range(min(len(got), len(expected))) if got[i] != expected[i]), len(got))
            return "%s differs at byte %d of %d" % (name, at, len(expected))
    return ""


def drawn(r):
    """A graph that is small enough, and what it means."""
    while True:
        d = Drawn(r, floats=False)
        grow(d)
        want = run("\n".join(d.lines), d.given)
        used = list(want.values()) + [d.given[label] for label in d.inputs]
        if sum(len(t.data) * struct.calcsize(LETTER[NPY[t.type]]) for t in used) <= ROOM:
            return d, want


def main():
    n, seed, lt_build, targets = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    wrong, done = {t: 0 for t in targets}, {t: 0 for t in targets}
    r = random.Random(seed)
    for i in range(n):
        d, want = drawn(r)
        for t in targets:
            folder = tempfile.mkdtemp(prefix="micro-")
            said = compare(d, want, lt_build, t, folder)
            done[t] += said is not None
            if said:
                wrong[t] += 1
                print("# %s, seed %d, graph %d: %s" % (t, seed, i, said))
                print("# %s" % folder)
            else:
                subprocess.run(["rm", "-rf", folder], check=True)
        sys.stdout.flush()
    for t in targets:
        good = "not " if wrong[t] or done[t] * 2 < n else ""
        print("%sok - %d of %d graphs of integers as bare C99 on %s are as the interpreter has them" % (
            good, done[t] - wrong[t], done[t], t))


if __name__ == "__main__":
    main()
