#!/usr/bin/env python3
"""functions.py N SEED LT_BUILD TARGET... -- functions of floats that a C library may lack, on microcontrollers.

What an emulated chip said on its serial line of round, floor and ceil is compared with Python's, bit by bit but for the
bits of a NaN; erf with math.erf, within the 4 ulp of docs/accuracy.md.  Arguments: what is special, what lies between
two whole numbers, and N of random bits.  Prints TAP.
"""
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

ULPS = 4
ROOM = 128      # elements of a call: in and out 1,024 of the 2,048 bytes of an ATmega328P


def single(x):
    """The float next to x."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def of_bits(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def whole(function):
    """Of a number, with its sign, where that is a zero, too."""
    return lambda x: math.copysign(function(x), x) if math.isfinite(x) else x


# Name, what it means (as a number with more bits), and where its arguments of interest are.
FUNCTIONS = {
    "Round": (whole(round), 0),
    "Floor": (whole(math.floor), 0),
    "Ceil": (whole(math.ceil), 0),
    "Erf": (lambda x: x if x != x else math.erf(x), ULPS),
}


def arguments(r, n):
    """Ties and their neighbours, the first floats that are whole, the ends, and n others."""
    edges = [0.0, 0.5, 1.5, 2.5, 3.5, 254.5, 255.5, 0.921875, 1.0, 3.9, 4.0, 4194303.5, 4194304.5, 8388607.5, 8388608.0,
             8388609.0, 16777216.0, 1e10, of_bits(0x7f7fffff), of_bits(1), of_bits(0x00800000), math.inf]
    near = [of_bits(bits_of(x) + d) for x in edges for d in (-1, 0, 1) if 0 <= bits_of(x) + d <= 0x7f800000]
    values = near + [-x for x in near] + [math.nan]
    for _ in range(n):
        values.append(r.choice([lambda: of_bits(r.getrandbits(32)), lambda: single(r.uniform(-4, 4)),
                                lambda: single(r.randrange(-2000, 2000) / 2)])())
    return values


def write_npy(path, values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += " " * (-(10 + len(head) + 1) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        f.write(struct.pack("<%df" % len(values), *values))


def call(name, values, lt_build, target, folder):
    """What the chip says; a text: what went wrong."""
    script, kept = os.path.join(folder, "drawn.lt"), os.path.join(folder, "kept")
    with open(script, "w", encoding="utf-8") as f:
        f.write("$1 = InputTensor(x, float32, [%d]);\n$2 = %sNode($1);\nresult y = $2;\n" % (len(values), name))
    write_npy(os.path.join(folder, "x.npy"), values)
    command = [lt_build, script, "--target", target, "-q", "-o", os.path.join(folder, "drawn.c"), "--keep", kept,
               "-i", "x=" + os.path.join(folder, "x.npy")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr or done.stdout).strip()[-600:]
    with open(os.path.join(kept, "drawn_said.txt"), errors="replace", encoding="utf-8") as f:
        said = bytes.fromhex("".join(re.findall("@r0000 ([0-9a-f]*);", f.read())))
    return list(struct.unpack("<%df" % (len(said) // 4), said))


def ulps(got, want):
    """By how much `got` is off, in floats' steps at `want`."""
    if got != got or want != want:
        return 0 if got != got and want != want else math.inf
    if got == want:
        return 0 if math.copysign(1, got) == math.copysign(1, want) else math.inf
    if math.isinf(got) or math.isinf(want):
        return math.inf
    return abs(got - want) / 2.0 ** max(math.frexp(want)[1] - 24, -149)


def check(name, values, lt_build, target):
    """What is wrong, or "", and the most ulps."""
    meaning, limit = FUNCTIONS[name]
    worst = 0
    for at in range(0, len(values), ROOM):
        part = values[at:at + ROOM]
        with tempfile.TemporaryDirectory() as folder:
            said = call(name, part, lt_build, target, folder)
        if isinstance(said, str) or len(said) != len(part):
            return said if isinstance(said, str) else "%d of %d numbers are said" % (len(said), len(part)), worst
        for x, got in zip(part, said):
            off = ulps(got, meaning(x))
            if off > limit:
                return "of %s (%08x) it is %s, not %s" % (float(x).hex(), bits_of(x), got.hex(), meaning(x)), worst
            worst = max(worst, off)
    return "", worst


def main():
    n, seed, lt_build, targets = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    values = arguments(random.Random(seed), n)
    for target in targets:
        for name in FUNCTIONS:
            wrong, worst = check(name, values, lt_build, target)
            for line in wrong.splitlines():
                print("#", line)
            how = ", within %.2f ulp" % worst if FUNCTIONS[name][1] else ""
            print("%sok - %s: %s of %d floats (seed %s)%s" % ("not " if wrong else "", target, name.lower(),
                                                              len(values), seed, how))


if __name__ == "__main__":
    main()
