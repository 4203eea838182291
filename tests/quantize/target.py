#!/usr/bin/env python3
"""target.py LT-QUANTIZE LT-BUILD TARGET...: lt-quantize --target.  What it says of a microcontroller is what lt-build
prints of the script when that is written; a byte less than that is refused, with the byte that is missing; where values
are narrowed until there is room, there is room, and no more is lost than may be.  Prints TAP.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

QUANTIZE, BUILD = sys.argv[1:3]
SKETCH_RAM, SKETCH_FLASH = 190, 2700            # docs/build.md: what a sketch takes beside the function
ROOM = {"avr5": (2048, 32256), "arduino-uno": (2048, 32256)}
NET = """x = InputTensor(x, float32, [1, 48]);
h = TanhNode(x @ ConstantTensor(w, float32, [48, 32]));
result y = h @ ConstantTensor(v, float32, [32, 10]);
"""


def run(*words, code=0, **more):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False, **more)
    said = done.stdout + done.stderr
    assert done.returncode == code, (words, done.returncode, said)
    return said


def quantize(*more, code=0, **env):
    for name in ("q.lt", "q.safetensors", "r.json", "p.html"):
        if os.path.exists(name):
            os.unlink(name)
    said = run(QUANTIZE, "net.lt", "-w", "w.npz", "--data", "x.npy", "-o", "q.lt", "--report", "r.json", "--page",
               "p.html", *more, code=code, **env)
    written = [n for n in ("q.lt", "q.safetensors", "r.json", "p.html") if os.path.exists(n)]
    assert len(written) == (0 if code else 4), (code, written, said)
    assert not os.listdir("tmp"), os.listdir("tmp")
    if code:
        return said, None
    with open("r.json", encoding="ascii") as f:
        return said, json.load(f)


def built(target):
    """What lt-build prints of the script, as numbers: flash, constants, RAM, tensors; time, stack; predicted."""
    uno = target == "arduino-uno"
    said = run(BUILD, "q.lt", "-o", "uno" if uno else "q.c", "--target", target)
    sizes = re.search(r"^flash (\d+) bytes, (\d+) of them constants; RAM (\d+), .*; tensors of a call (\d+)$", said,
                      re.M)
    call = re.search(r"^a call takes (\d+) (\w+) and (\d+) bytes of stack; (\d+) \w+ were predicted$", said, re.M)
    assert sizes and call, said
    return list(map(int, sizes.groups())), int(call[1]), call[2], int(call[3]), int(call[4])


def same_figures(target):
    said, report = quantize("--loss", 5, "--target", target)
    (flash, constants, ram, tensors), time, unit, stack, predicted = built(target)
    uno = target == "arduino-uno"
    # An input of 48 bytes and a result of 10, of 32 bits.
    assert tensors == 48 + 40, tensors
    all_flash = flash + (SKETCH_FLASH + tensors if uno else 0)
    all_ram = ram + tensors + stack + (SKETCH_RAM if uno else 0)
    t = report["target"]
    has = ROOM.get(target, (None, None))
    assert t["target"] == target and t["fits"] and t["verified"], t
    assert (t["flash"]["wanted"], t["flash"]["has"]) == (all_flash, has[1]), (t, all_flash)
    assert (t["ram"]["wanted"], t["ram"]["has"]) == (all_ram, has[0]), (t, all_ram)
    for memory in ("flash", "ram"):
        parts = [p["bytes"] for p in t[memory]["parts"]]
        assert sum(parts) == t[memory]["wanted"] and parts == sorted(parts, reverse=True), t
    assert (t["function"]["flash"], t["function"]["constants"]) == (flash, constants), t
    assert (t["function"]["ram"], t["function"]["tensors"]) == (ram, tensors), t
    assert t["call"] == {"time": time, "unit": unit, "stack": stack}, t
    assert t["predicted"] == {"time": predicted, "unit": unit}, t
    line = ("%d%s bytes of flash and %d%s bytes of RAM, of which %d are stack; a call takes %d %s; %d %s were "
            "predicted") % (
        all_flash, " of %d" % has[1] if has[1] else "", all_ram, " of %d" % has[0] if has[0] else "", stack, time, unit,
        predicted, unit)
    assert line in said, (line, said)
    with open("p.html", encoding="ascii") as f:
        page = f.read()
    assert "<h2>Microcontroller</h2>" in page and line in page, page
    assert "<td>constants</td><td>%d</td>" % constants in page, page


def byte_less(target):
    """Bounds that are what is taken, and a byte less."""
    _, report = quantize("--loss", 5, "--bits", 8, "--target", target)
    flash, ram = report["target"]["flash"]["wanted"], report["target"]["ram"]["wanted"]
    said, report = quantize("--loss", 5, "--bits", 8, "--target", target, "--flash", flash, "--ram", ram)
    assert (report["target"]["flash"]["has"], report["target"]["ram"]["has"]) == (flash, ram), report["target"]
    said, _ = quantize("--loss", 5, "--bits", 8, "--target", target, "--flash", flash - 1, code=1)
    assert "net.lt: " in said, said
    assert "%d bytes of flash are wanted, 1 more than its %d: " % (flash, flash - 1) in said, said
    assert " for constants (the largest tensor of them is 'w', 1536 bytes)" in said, said
    assert "fewer bits (--bits 4) take less" in said, said
    said, report = quantize("--loss", 60, "--target", target, "--flash", flash - 1)
    assert 4 in {c["bits"] for c in report["cells"]}, report["cells"]
    assert report["target"]["flash"]["wanted"] < flash, report["target"]
    for bits in (8, "mixed"):
        said, _ = quantize("--loss", 5, "--bits", bits, "--target", target, "--ram", ram - 1, code=1)
        assert "%d bytes of RAM are wanted, 1 more than its %d: " % (ram, ram - 1) in said, said
        # The script is none of the user's: it is called as the one that would be written.
        assert "quantized.lt" not in said and ("the loops of" in said or ", the largest of them q.lt:" in said), said
        assert ": 88 for inputs, results and states (the largest tensor of them is 'x', 48 bytes)" in said \
            or " 88 for inputs, results and states" in said, said


def narrowed(target):
    """The constants of 16 bits are within the bound, and the function with them is a byte beyond it."""
    said, report = quantize("--bits", 16, "--target", target)
    most = report["target"]["flash"]["wanted"] - 1
    assert report["constants"] <= most, report["constants"]
    said, _ = quantize("--bits", 16, "--target", target, "--flash", most, code=1)
    assert "1 more than its %d" % most in said and "fewer bits (--bits mixed) take less" in said, said
    said, report = quantize("--target", target, "--flash", most, "--loss", 1, "-v")
    assert "%d bytes of flash are wanted, 1 more than its %d: " % (most + 1, most) in said, said
    bits = {c["bits"] for c in report["cells"] if c["kind"] in ("constant", "value")}
    assert report["loss"] <= 1 and 8 in bits and 16 in bits, (report["loss"], bits)
    assert report["target"]["flash"]["wanted"] <= most, report["target"]
    run(BUILD, "q.lt", "-o", "q.c", "--target", target, "--flash", most)
    said, _ = quantize("--target", target, "--flash", most, "--metric", "error", "--loss", 0.2, code=1)
    assert "1 more than its %d: " % most in said, said
    assert re.search(r"; narrower values lose \d+\.\d* points of error, and --loss allows 0.200: a greater --loss is "
                     "the way out", said), said


def floats(target):
    """Weights alone: floats are in memory, and counted."""
    _, report = quantize("--mode", "weights", "--loss", 5, "--target", target)
    (flash, _, ram, tensors), _, _, stack, _ = built(target)
    assert tensors == 4 * 48 + 4 * 10, tensors
    t = report["target"]
    assert (t["flash"]["wanted"], t["ram"]["wanted"]) == (flash, ram + tensors + stack), t
    said, _ = quantize("--mode", "weights", "--loss", 5, "--target", target, "--ram", ram + tensors + stack - 1, code=1)
    assert "1 more than its %d" % (ram + tensors + stack - 1) in said, said


def own_memory(target):
    """Without --ram it is the machine's.  A result has 32 bits: 5500 bytes with its input."""
    with open("large.lt", "w", encoding="ascii") as f:
        f.write("x = InputTensor(x, float32, [1, 1100]);\nresult y = MaxNode(x, FullNode(float32, [], 0));\n")
    np.save("large.npy", np.linspace(-1, 1, 3300, dtype="f").reshape(3, 1100))
    said = run(QUANTIZE, "large.lt", "--data", "large.npy", "-o", "l.lt", "--metric", "error", "--loss", 5, "--target",
               target, code=1)
    wanted = 5 * 1100 + (SKETCH_RAM if target == "arduino-uno" else 0)
    assert "large.lt: atmega328p has no room: at least %d bytes of RAM are wanted, %d more than its 2048: 5500 for " % (
        wanted, wanted - 2048) in said and not os.path.exists("l.lt"), said


def no_compiler(target):
    said, _ = quantize("--target", target, code=2, env={**os.environ, "PATH": "/nonexistent"})
    assert "--target %s: lt-build says: the compiler '" % target in said and "scripts/setup.sh micro" in said, said


def options():
    said, _ = quantize("--target", "cortex-m5", code=2)
    assert "no microcontroller 'cortex-m5': --target takes cortex-m0, cortex-m3, cortex-m4, avr5, arduino-uno" \
        "; did you mean 'cortex-m" in said, said
    said, _ = quantize("--target", "native", code=2)
    assert "there is no microcontroller 'native': --target takes" in said, said
    said, _ = quantize("--target", "avr5", "--flash", 2 ** 31, code=2)
    assert "--flash is at most 2147483647 with --target" in said, said
    said = run(QUANTIZE, "net.sd", "--data", "x.npy", "-o", "q.lt", "--compat", "seedot", "--target", "avr5", code=2)
    assert "--target does not go with --compat" in said, said
    # Both programs are in one folder.
    os.mkdir("alone")
    os.symlink(os.path.realpath(QUANTIZE), "alone/lt-quantize")
    with open(QUANTIZE, "rb") as one, open("alone/copy", "wb") as other:
        other.write(one.read())
    os.chmod("alone/copy", 0o755)
    said = run("alone/copy", "net.lt", "-w", "w.npz", "--data", "x.npy", "-o", "q.lt", "--target", "avr5", code=2)
    assert "--target needs lt-build, which is not beside this program, as " in said, said


def check(name, body, *args):
    try:
        body(*args)
        print("ok -", name, flush=True)
    except AssertionError as e:
        print("not ok -", name, flush=True)
        print("#", str(e).replace("\n", "\n# ")[:3000], file=sys.stderr)


def main():
    rng = np.random.default_rng(7)
    with open("net.lt", "w", encoding="ascii") as f:
        f.write(NET)
    x = rng.normal(size=(200, 48)).astype("f")
    w, v = rng.normal(size=(48, 32)).astype("f") / 7, rng.normal(size=(32, 10)).astype("f") / 6
    np.save("x.npy", x)
    np.savez("w.npz", w=w, v=v)
    os.mkdir("tmp")
    os.environ["TMPDIR"] = os.path.realpath("tmp")
    check("--target: what is refused", options)
    targets = sys.argv[3:] + ["arduino-uno"] * ("avr5" in sys.argv[3:])
    for t in targets:
        check("%s: what it takes is what lt-build prints of the script" % t, same_figures, t)
        check("%s: a compiler that is not there" % t, no_compiler, t)
        if t in ("cortex-m3", "avr5"):
            check("%s: a byte less is refused, and said" % t, byte_less, t)
            check("%s: narrower values where there is no room" % t, narrowed, t)
            check("%s: floats are counted, too" % t, floats, t)
        if t in ROOM:
            check("%s: the bounds are the machine's" % t, own_memory, t)


if __name__ == "__main__":
    QUANTIZE, BUILD = os.path.realpath(QUANTIZE), os.path.realpath(BUILD)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
        os.chdir("/")
