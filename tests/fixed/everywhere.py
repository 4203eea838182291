#!/usr/bin/env python3
"""everywhere.py N SEED O [TARGET...] -- N random graphs of integers on every backend and emulator that is here, bit for
bit as fixed.py has them, which is written from docs/script.md in plain Python.  EVERYWHERE_FIRST=K begins with script
K of the seed, and so do what a failure names and a run that was interrupted.

Some 25 graphs are one script: one compilation and one start of an emulator are for all of them (what `cpu` prints of
them is one text, for --use-source).  Most of those are compiled without optimisation; which of a target's are optimised
differs from target to target, so that all graphs are, somewhere.  FIXED_OPTIMISED=1: all.  A target is BACKEND, or
build:NAME of lt-build --target NAME, :bare of --bare:

    lt-run    ref  llvm  sim  sim:grid  cpu  wasm (in node)  opencl  cuda (with no device but tests/cuda's: compiled
              by NVRTC, not run)
    lt-build  avx512 avx2 sse4 sse2 (C), portable (C99), the same bare with sanitizers, arm, riscv64, aarch64 by
              qemu-user, cortex-m0, -m3, -m4 by qemu-system-arm, avr5 by simavr

Of `opencl` and CUDA C, whose compilers take some 30 milliseconds of processor time for each kernel, and 100 to optimise
it, a fifth of each script is run, and one graph where it is optimised; with FIXED_OPTIMISED all.
Prints TAP, and the seconds that each target took; a script that differs is kept in a folder, which is named.  Ctrl-C
or SIGTERM ends it after the script that is at work, and counts what was run.
"""
import contextlib
import functools
import os
import platform
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from draw import LETTER, NPY, Drawn, difference, given_options, read_npy, run_library, write_npy
from fixed import RANGES, run

HERE = os.path.dirname(os.path.abspath(__file__))
GRAPHS = 25             # of a script
ROOM = 400              # bytes of tensors of a graph, so that a script's fit a chip of 16 KB
UNOPTIMISED = {"llvm": ":level=0", "opencl": ":O0"}
SLOW = ("opencl", "cuda:mock")          # a compilation for each kernel
ARITHMETIC = ["Add", "Sub", "Multiply", "Min", "Max", "Shr", "Shl"]


# -- graphs

def arithmetic(d, x, own, channels):
    """By a number, or one for each channel, of its own type."""
    name = d.r.choice(ARITHMETIC)
    shape = (d.r.choice([1, channels]),)
    if name in ("Shr", "Shl"):
        by = d.tensor(own, shape, [d.r.choice([0, 1, 3, 7, 31]) for _ in range(shape[0])])
    else:
        by = d.drawn(own, shape)
    return d.add("%sNode(%s, %s)" % (name, x, by))


def function(d, x, own):
    name = d.r.choice(["FixedExpNode", "FixedSigmoidNode", "FixedTanhNode", "FixedSoftmaxNode"])
    axis = ", %d" % d.r.randrange(len(own.shape)) if name == "FixedSoftmaxNode" else ""
    return d.add("%s(%s, %s, %s%s)" % (name, x, d.coarse, d.fine, axis))


def step(d, x, channels):
    """What is made of a value."""
    own = d.mean(x)
    kinds = ["requant", "requant", "arithmetic"]
    kinds += ["table"] if own.type in ("uint8", "int8") else []
    kinds += ["norm"] if own.type in ("int8", "uint8", "int16") else []
    kinds += ["function"] if own.type != "int64" else []
    kind = d.r.choice(kinds)
    if own.shape[-1:] != (channels,):
        channels = 1
    if kind == "requant":
        return d.requant(x, own.type, channels) if own.type in SCALED else arithmetic(d, x, own.type, channels)
    if kind == "arithmetic":
        return arithmetic(d, x, own.type, channels)
    if kind == "table":
        return d.add("TableNode(%s, %s)" % (x, d.drawn(d.r.choice(["int8", "int16", "int32"]), (256,), True)))
    if kind == "norm":
        return d.add("FixedL2NormNode(%s, %d)" % (x, d.r.randrange(len(own.shape))))
    return function(d, x, own)


SCALED = ("int8", "uint8", "int16", "uint16", "int32", "int64")


def grow(d):
    """A graph: a source, one to three steps; what is between is a result, too, at times, which keeps it from being
    fused away."""
    d.start = len(d.lines)
    x, channels = d.r.choice([d.matmul, d.conv2d, d.plain])()
    for _ in range(d.r.choice([1, 1, 2, 3])):
        if d.r.random() < 0.15:
            d.result(x)
        x = step(d, x, channels)
    d.result(x)


def bytes_of(t):
    return len(t.data) * struct.calcsize(LETTER[NPY[t.type]])


def small(r):
    """The seed of a graph that is small enough for the smallest chip."""
    while True:
        seed = r.getrandbits(32)
        d = Drawn(random.Random(seed), floats=False)
        try:
            grow(d)
        except KeyError:                # a type that no function takes
            continue
        used = list(d.mean().values()) + [d.given[label] for label in d.inputs]
        if sum(map(bytes_of, used)) <= ROOM and sum(map(bytes_of, d.given.values())) < 768 + 4 * ROOM:
            return seed


@functools.lru_cache(maxsize=4)
def script_of(seeds):
    """One script, and what it means, once for all targets."""
    d = Drawn(random.Random(0), floats=False)
    want = {}
    for seed in seeds:
        d.r = random.Random(seed)
        d.start = len(d.lines)
        grow(d)
        want.update(d.mean())
    return d, want


# -- where they run

def said_bytes(text, number):
    """Of a result, as the line of an emulated chip has them."""
    return bytes.fromhex("".join(re.findall("@r%04x ([0-9a-f]*);" % number, text)))


def tensor_of(data, w):
    n = len(data) // struct.calcsize(LETTER[NPY[w.type]])
    return type(w)(w.type, w.shape, struct.unpack("<%d%s" % (n, LETTER[NPY[w.type]]), data))


class NoRoom(Exception):
    pass


def built(d, want, o, target, optimised, folder):
    """The results of what lt-build makes; a sentence where it fails."""
    name, _, bare = target[len("build:"):].partition(":")
    micro = name.startswith("cortex") or name == "avr5"
    script, kept = os.path.join(folder, "drawn.lt"), os.path.join(folder, "kept")
    with open(script, "w") as f:
        f.write("\n".join(d.lines) + "\n")
    command = [o + "/lt-build", script, "-q", "--keep", kept, "--target", name]
    if micro or bare:
        command += ["-o", os.path.join(folder, "drawn.c"), "--integer", "--bare"]
    else:
        command += ["-o", os.path.join(folder, "drawn"), "--format", "exe"]
    if name == "avr5":                  # avr-gcc 5.4 crashes without optimisation, of reads of either memory
        command += ["--ram", "16384", "--flash", "130048"]
    elif not optimised:
        command += ["--debug"]
    if bare:
        command += ["--cc", "cc -fsanitize=address,undefined -fno-sanitize-recover=all"]
    done = subprocess.run(command + given_options(d, folder), capture_output=True, text=True, check=False)
    message = (done.stderr or done.stdout).strip()
    # The assembler of avr-gcc 5.4 is told of jumps shorter than they are, in a function of 50 KB.
    if " has no room: " in message or "relocation truncated to fit: R_AVR" in message:
        raise NoRoom(message)
    if done.returncode and "the binary is wrong" not in message:
        return "exit code %d: %s" % (done.returncode, message[-600:])
    if not (micro or bare):
        out = {}
        for number, label in enumerate(want):
            with open(os.path.join(kept, "result%d.npy" % number), "rb") as f:
                out[label] = read_npy(f.read())
        return out
    with open(os.path.join(kept, "drawn_said.txt"), errors="replace") as f:
        text = f.read()
    return {label: tensor_of(said_bytes(text, number), w) for number, (label, w) in enumerate(want.items())}


def compiled(d, o, folder):
    """What is wrong with CUDA C for a device that is not there: NVRTC compiles it, and the device's driver loads it."""
    script = os.path.join(folder, "drawn.lt")
    with open(script, "w") as f:
        f.write("\n".join(d.lines) + "\n")
    mock = dict(os.environ, LD_LIBRARY_PATH=os.path.join(o, "tests/cuda"))
    command = [o + "/lt-run", script, "-b", "cuda:device=0", "--strict", "--dump=stats", "--cache-dir",
               os.path.join(folder, "cache")]
    for label, t in d.given.items():
        path = os.path.join(folder, label + ".npy")
        write_npy(path, t)
        command += [] if label in d.inputs else ["-c", "%s=%s" % (label, path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=mock)
    if done.returncode:
        return "exit code %d: %s" % (done.returncode, done.stderr.strip()[-600:])
    return "" if ".registers " in done.stdout else "no kernels: " + done.stdout[-300:]


def in_one_text(d, o, folder):
    """What the backend cpu prints of all kernels, compiled at once, and not each by a process of its own."""
    text, script = os.path.join(folder, "kernels.c"), os.path.join(folder, "drawn.lt")
    with open(script, "w") as f:
        f.write("\n".join(d.lines) + "\n")
    command = [o + "/lt-run", script, "-b", "cpu:O0", "--dump=source", "-o", text]
    done = subprocess.run(command + given_options(d, folder), capture_output=True, text=True, check=False)
    if done.returncode:
        return "exit code %d: %s" % (done.returncode, done.stderr.strip()[-600:])
    return run_library(d, o + "/lt-run", "cpu:O0", folder, options=["--use-source", text])


def wrong(seeds, o, target, optimised, folder):
    """What is wrong with a script on a target; "" if nothing is."""
    d, want = script_of(tuple(seeds))
    if target == "cuda:mock":
        return compiled(d, o, folder)
    if target.startswith("build:"):
        try:
            got = built(d, want, o, target, optimised, folder)
        except NoRoom as e:
            if len(seeds) == 1:
                return str(e)
            half = len(seeds) // 2
            said = [wrong(part, o, target, optimised, os.path.join(folder, n)) for part, n in
                    ((seeds[:half], "a"), (seeds[half:], "b")) if not os.mkdir(os.path.join(folder, n))]
            return said[0] or said[1]
    elif target == "cpu" and not optimised:
        got = in_one_text(d, o, folder)
    else:
        backend = target + UNOPTIMISED.get(target, "") * (not optimised)
        backend = "wasm:engine=" + ENGINE[0] if target == "wasm" else backend
        # Of what is kept, PoCL compiles each kernel a second time.
        got = run_library(d, o + "/lt-run", backend, folder, options=["--no-cache"])
    return got if isinstance(got, str) else difference(d, got, want)


ENGINE = []             # the socket of one of WebAssembly, while there is one


@contextlib.contextmanager
def engine(targets):
    """One for all scripts.  By one of V8's two compilers, which give other bits of a NaN."""
    if "wasm" not in targets:
        yield
        return
    folder = tempfile.mkdtemp(prefix="everywhere-")
    socket = os.path.join(folder, "engine")
    node = subprocess.Popen(["node", "--no-liftoff", os.path.join(HERE, "../wasm/engine.mjs"), socket],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if node.stdout.readline().strip() != "ready":
            sys.exit("node's engine of WebAssembly does not listen")
        ENGINE[:] = [socket]
        yield
    finally:
        node.stdin.close()              # which ends it
        node.wait()
        shutil.rmtree(folder)


def listed(o, env=None):
    return subprocess.run([o + "/lt-run", "--list-backends"], capture_output=True, text=True, check=True,
                          env=env).stdout


def all_targets(o):
    """Those that are here, and sentences of those that are not."""
    targets, missing = ["ref", "sim", "sim:grid"], []
    text = listed(o)
    for b in ("llvm", "cpu", "opencl", "cuda"):
        line = next((v for v in text.split("\n") if v.split()[:1] == [b]), "")
        if line and "not usable here" not in line:
            targets.append(b)
        elif b != "cuda":
            missing.append((b, "it is not there"))
    if not re.search("^wasm ", text, re.M):
        missing.append(("wasm", "it is not there"))
    elif not shutil.which("node"):
        missing.append(("wasm", "node is not installed (scripts/setup.sh wasm)"))
    else:
        targets.append("wasm")
    if "cuda" not in targets:
        mock = os.path.join(o, "tests/cuda/libcuda.so.1")
        if os.path.exists(mock) and re.search(r"^cuda .* cuda:sm_", listed(o, dict(
                os.environ, LD_LIBRARY_PATH=os.path.dirname(mock))), re.M):
            targets.append("cuda:mock")
            missing.append(("cuda", "there is no device: NVRTC compiles it"))
        else:
            missing.append(("cuda", "there is no device, and no NVRTC"))
    names = []
    if platform.machine() == "x86_64":
        with open("/proc/cpuinfo") as f:
            flags = f.read().split()
        names = ["sse2"] + ["sse4"] * ("sse4_1" in flags) + ["avx2"] * ("avx2" in flags)
        names += ["avx512"] * ("avx512vnni" in flags)           # the widest of them is what `native` is
    targets += ["build:" + name for name in names + ["portable", "portable:bare"]]
    for name, compiler, emulator in (
            ("arm-linux-gnueabihf", "arm-linux-gnueabihf-gcc", "qemu-arm"),
            ("riscv64-linux-gnu", "riscv64-linux-gnu-gcc", "qemu-riscv64"),
            ("aarch64-linux-gnu", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
            *((m, "arm-none-eabi-gcc", "qemu-system-arm") for m in ("cortex-m0", "cortex-m3", "cortex-m4")),
            ("avr5", "avr-gcc", "simavr")):
        absent = [p for p in (compiler, emulator) if not shutil.which(p)]
        if absent:
            missing.append((name, "%s is not installed (scripts/setup.sh %s)" % (
                " and ".join(absent), "cross" if "linux" in name else "micro")))
        else:
            targets.append("build:" + name)
    return targets, missing


def seconds():
    """Of processor time, of this process and of those that it has waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main():
    n, seed, o = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    o = o if "/" in o else "./" + o
    targets, missing = (sys.argv[4:], []) if sys.argv[4:] else all_targets(o)
    whole = os.environ.get("FIXED_OPTIMISED") == "1"
    os.environ.pop("CC", None)
    first = int(os.environ.get("EVERYWHERE_FIRST", "0"))
    count = {t: 0 for t in targets}
    bad = {t: 0 for t in targets}
    took = {t: 0.0 for t in targets}
    scripts, done = (n + GRAPHS - 1) // GRAPHS, 0
    rare = 8 if scripts >= 8 else 4     # one script of a target in so many is optimised
    ended = []
    kept = tempfile.TemporaryDirectory(prefix="everywhere-pocl-")       # PoCL's, and not for ever in the user's folder
    os.environ.setdefault("POCL_CACHE_DIR", kept.name)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.append(True))
    with kept, engine(targets):
        for script in range(first, scripts):
            if ended:
                print("# ended before script %d: EVERYWHERE_FIRST=%d goes on" % (script, script))
                break
            r = random.Random(seed * 1000003 + script)
            seeds = [small(r) for _ in range(min(GRAPHS, n - script * GRAPHS))]
            for number, t in enumerate(targets):
                turn = (script + number) % rare == 0 and not t.endswith(":bare")
                some = seeds
                if t in SLOW and not whole:
                    some = seeds[:1 if turn else GRAPHS // 5]
                folder = tempfile.mkdtemp(prefix="everywhere-")
                begin = seconds()
                said = wrong(some, o, t, whole or turn, folder)
                took[t] += seconds() - begin
                count[t] += len(some)
                if said:
                    bad[t] += 1
                    print("# %s, seed %d, script %d: %s" % (t, seed, script, said.replace("\n", "\n# ")))
                    print("# %s" % folder)
                else:
                    shutil.rmtree(folder)
            done += len(seeds)
            sys.stdout.flush()
    for t in targets:
        what = "are compiled" if t == "cuda:mock" else "are as the interpreter has them"
        print("%sok - %d graphs of integers on %s %s" % ("not " if bad[t] else "", count[t], t, what))
    for t, why in missing:
        print("ok - graphs of integers on %s # SKIP %s" % (t, why))
    print("# show - %d graphs of integers everywhere: %s, in %d s of processor time: %s" % (
        done, "%d scripts differ" % sum(bad.values()) if any(bad.values()) else "all equal", sum(took.values()),
        ", ".join("%s %.1f" % (t.replace("build:", ""), s) for t, s in took.items())))


if __name__ == "__main__":
    main()
