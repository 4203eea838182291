#!/usr/bin/env python3
"""The models of examples/seedot as integers: what they lose on images that nobody trained with, what lt-quantize takes,
and what a call takes on an emulated ATmega328P, beside the same program as floats; and SeeDot's own integers
(lt-quantize --compat): of SeeDot, of Shiftry with 16 bits and with 8.

    python3 bench/seedot_table.py [--bits 8] [--scales any] [--per-channel] [--loss 0.5] [--build build] [--own]

lt-quantize sees 600 of the images that the models were trained with; the 360 others are counted with the evaluator
(the backend ref), one by one.  Needs NumPy and what scripts/setup.sh micro installs.
"""
import argparse
import re
import subprocess
import tempfile
import time

import numpy as np

MODELS = ("protonn", "bonsai", "fastgrnn", "lenet")


def said(*command):
    """What it says, and whether it succeeded."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout, done.returncode == 0


def right(build, to, model, images, labels, *weights):
    """How many labels a model of one image gives."""
    found = 0
    for image, label in zip(images, labels):
        np.save(f"{to}/X.npy", image.reshape(64, 1))
        text, ok = said(f"{build}/lt-run", model, *weights, "-b", "ref", "-q", "-i", f"X={to}/X.npy", "-o",
                        f"{to}/y.npy")
        if not ok:
            raise SystemExit(text)
        found += int(np.load(f"{to}/y.npy")) == label
    return found


def integers(script, images, rounds=lambda x: np.floor(x + .5)):
    """Images as a script of lt-quantize takes them: its type and step, to the nearest, halves up."""
    with open(script, encoding="utf-8") as f:
        text = f.read()
    name, dtype = re.search(r"(\$\d+) = InputTensor\(X, (\w+),", text).groups()
    step = float(re.search(r"MeansNode\(%s, ([-+.e0-9]+)" % re.escape(name), text)[1])
    ends = np.iinfo(dtype)
    return np.clip(rounds(images.astype(np.float64) / step), ends.min, ends.max).astype(dtype)


OWN = (("seedot", "16"), ("shiftry", "16"), ("shiftry", "8"))


def own(build, to, model, data, test, labels, compat, bits):
    """How many labels SeeDot's own integers give."""
    script = f"{to}/own.lt"
    text, ok = said(f"{build}/lt-quantize", f"examples/seedot/{model}/{model}.sd", *data, "--compat", compat, "--bits",
                    bits, "--loss", "100", "--time", "600", "-o", script)
    if not ok:
        raise SystemExit(text)
    return right(build, to, script, integers(script, test, np.trunc), labels, "-w", f"{to}/own.safetensors")


REGION_END = {"text": 0x8000, "data": 0x800900}         # of the ATmega328P, as its linker has addresses


def program_bytes(to, name, tensors):
    """Flash of a program that calls the function, with what it takes of the C library: what a sketch takes.  tensors:
    bytes of what the call is given and gives.  A text where a chip has no room for that."""
    with open(f"{to}/{name}.c", encoding="utf-8") as f:
        text = f.read()
    with open(f"{to}/main.c", "w", encoding="utf-8") as f:
        f.write(f'#include "{name}.h"\nstatic volatile char x[{tensors - 4}], y[4];\n'
                f"int main(void) {{ return {name}((void *)x, (void *)y); }}\n")
    flags = re.search(r"Flags: (.*?) \*/", text)[1].split()
    text, ok = said("avr-gcc", *flags, *(f"{to}/{v}.c" for v in ("main", name, name + "_data")), "-lm", "-o",
                    f"{to}/main.elf")
    over = [(int(at, 16) - REGION_END[region], region) for at, region in re.findall(
        r"address (0x[0-9a-f]+) of .* is not within region .(text|data).", text)]
    if not ok and over:
        bytes_over, region = max(over)
        return f"no room: {bytes_over} bytes of {'flash' if region == 'text' else 'RAM'} are missing"
    if not ok:
        raise SystemExit(text)
    sizes = re.findall(r"^\.(?:text|data)\s+(\d+)", said("avr-size", "-A", f"{to}/main.elf")[0], re.MULTILINE)
    return sum(map(int, sizes))


def on_chip(build, to, model, *weights):
    """Cycles of a call on the chip, bytes of flash, and those of a program; or None, and why there are none."""
    text, ok = said(f"{build}/lt-build", model, *weights, "-i", "X=zeros", "--target", "avr5", "-o", f"{to}/model.c")
    if not ok:
        over = re.search(r"has no room: \d+ bytes of (\w+) are wanted, (\d+) more", text)
        return None, f"no room: {over[2]} bytes of {over[1]} are missing" if over else text.strip(), None
    return (int(re.search(r"takes (\d+) cycles", text)[1]), int(re.search(r"flash (\d+) bytes", text)[1]),
            program_bytes(to, "model", int(re.search(r"tensors of a call (\d+)", text)[1])))


def beside(a, b):
    """Of floats and of integers, and their ratio: bytes or cycles, a text that says why there are none, or None, which
    another column explains."""
    told = [format(v, ",") if isinstance(v, int) else v or "" for v in (a, b)]
    return f"{told[0]} | {told[1]} | {format(a / b, '.2f') if isinstance(a, int) and isinstance(b, int) else ''}"


def usps10(build, to, bits):
    """FastGRNN in the shape that SeeDot's authors have for usps10: 16 steps of 16 numbers, a state of 32.  What it
    takes does not depend on its numbers, which are drawn."""
    random = np.random.default_rng(1)
    with open("examples/seedot/fastgrnn/fastgrnn.sd", encoding="utf-8") as f:
        text = f.read()
    lines = []
    for name, shape in (("W", (16, 32)), ("U", (32, 32)), ("Bg", (1, 32)), ("Bh", (1, 32)), ("FC", (32, 10)),
                        ("FCbias", (1, 10))):
        value = np.float32(random.normal(0, .4, shape))
        np.save(f"{to}/{name}.npy", value)
        lines.append(f"let {name} = {shape} in [{value.min() - .001:.4f}, {value.max() + .001:.4f}] in")
    for old, new in (("(64, 1)", "(256, 1)"), ("(8, 1, 8)", "(16, 1, 16)"), ("[1, 24]", "[1, 32]"),
                     ("[0:8]", "[0:16]")):
        text = text.replace(old, new)
    with open(f"{to}/usps10.sd", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n" + text[text.index("let X"):])
    np.save(f"{to}/rows.npy", np.float32(random.random((64, 256, 1))))
    text, ok = said(f"{build}/lt-quantize", f"{to}/usps10.sd", "--data", f"{to}/rows.npy", "--bits", bits, "-b", "ref",
                     "-o", f"{to}/usps10.lt")
    if not ok:
        raise SystemExit(text)
    took, flash, program = on_chip(build, to, f"{to}/usps10.lt", "-w", f"{to}/usps10.safetensors")
    if took is None:
        print(f"FastGRNN in the shape of usps10: {flash}")
        return
    program = format(program, ",") if isinstance(program, int) else program
    print(f"FastGRNN in the shape of usps10: {took:,} cycles, {took / 16:,.0f} us on an Arduino Uno; flash {flash:,}, "
          f"of a program {program}")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--bits", default="mixed")
    ask.add_argument("--per-channel", action="store_true", help="a step for the weights of each channel")
    ask.add_argument("--scales", default="pow2", help="what steps may be: pow2, any")
    ask.add_argument("--loss", default="0.5", help="what lt-quantize may lose, in points; 4 bits lose more")
    ask.add_argument("--build", default="build")
    ask.add_argument("--own", action="store_true", help="SeeDot's own integers, and nothing else")
    ask.add_argument("--usps10", action="store_true", help="FastGRNN in the shape of usps10, and nothing else")
    given = ask.parse_args()
    if given.usps10:
        with tempfile.TemporaryDirectory() as to:
            usps10(given.build, to, given.bits)
        return
    digits = np.load("examples/seedot/digits.npz")
    train, test = (np.float32(digits[part]).reshape(-1, 64, 1) / 16 for part in ("x_train", "x_test"))
    if given.own:
        print("| model | seedot | shiftry, 16 bits | shiftry, 8 bits |")
        print("| --- | --- | --- | --- |")
        with tempfile.TemporaryDirectory() as to:
            np.save(f"{to}/data.npy", train[:600])
            np.save(f"{to}/labels.npy", digits["y_train"][:600])
            data = ("--data", f"{to}/data.npy", "--labels", f"{to}/labels.npy")
            for model in MODELS:
                cells = [own(given.build, to, model, data, test, digits["y_test"], *which) for which in OWN]
                print(f"| {model} | {' | '.join(map(str, cells))} |", flush=True)
        return
    print("| model | right, floats | right, integers | lt-quantize | cycles, floats | cycles, integers | ratio | "
          "flash, floats | flash, integers | ratio | program, floats | program, integers | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as to:
        np.save(f"{to}/data.npy", train[:600])
        np.save(f"{to}/labels.npy", digits["y_train"][:600])
        for model in MODELS:
            source, script = f"examples/seedot/{model}/{model}.sd", f"{to}/{model}.lt"
            begin = time.monotonic()
            text, ok = said(f"{given.build}/lt-quantize", source, "--data", f"{to}/data.npy", "--labels",
                            f"{to}/labels.npy", "--bits", given.bits, "--scales", given.scales, "--loss", given.loss,
                            "-o", script, *(["--per-channel"] if given.per_channel else []))
            if not ok:
                raise SystemExit(text)
            took = time.monotonic() - begin
            weights = ("-w", f"{to}/{model}.safetensors")
            floats = right(given.build, to, source, test, digits["y_test"])
            whole = right(given.build, to, script, integers(script, test), digits["y_test"], *weights)
            (slow, big, whole_big), (fast, small, whole_small) = (on_chip(given.build, to, source),
                                                                  on_chip(given.build, to, script, *weights))
            print(f"| {model} | {floats} | {whole} | {took:.1f} s | {beside(slow or big, fast or small)} | "
                  f"{beside(big if slow else '', small if fast else '')} | {beside(whole_big, whole_small)} |",
                  flush=True)


if __name__ == "__main__":
    main()
