#!/usr/bin/env python3
"""What a microcontroller takes for a piece of each kind of work: the table of tools/build/predict.c, from emulators.

    python3 bench/fit_cycles.py [--n 200] [--seed 1] [--write] [--keep FILE.json] [--lt-build build/lt-build]
    python3 bench/fit_cycles.py --check N SEED [--within 3] [--target NAME]...

Functions of drawn kinds and extents are built by lt-build, run on an emulator, and counted: on Cortex-M instructions
(qemu-system-arm), on AVR cycles (simavr), the same in each run.  `--explain` says how much work of each kind
(LT_WORK_MAP in kernel/walk/walk.h) they do.  The costs are those, none below 0, with which what is predicted is least
off.  They are printed as rows of the table, with how far off half as many others are; --write puts them into
tools/build/predict.c.  --keep: what was counted is read from there, if it is there, and written.

--check: N others, predicted by lt-build as it is; prints TAP, for tests/micro.sh.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile

TARGETS = ("cortex-m0", "cortex-m3", "cortex-m4", "avr5")
SOURCE = "tools/build/predict.c"

# -- functions


class Graph:
    """A script that grows."""

    def __init__(self, r):
        self.r, self.lines, self.n = r, [], 0

    def add(self, text):
        self.n += 1
        self.lines.append(f"v{self.n} = {text};")
        return f"v{self.n}"

    def given(self, kind, shape, constant=False):
        return self.add(f"{'ConstantTensor' if constant else 'InputTensor'}(t{self.n}, {kind}, {list(shape)})")

    def text(self, result):
        return "\n".join(self.lines) + f"\nresult y = {result};\n"

    # Each kind of layer is given nothing, and gives its result.

    def requant(self, x, channels):
        r, to = self.r, self.r.choice(["int8", "int16", "uint8"])
        how = r.randrange(4)
        if how == 0:
            by, word = r.randint(1, 14), r.choice(["up", "away", "even", "zero"])
            return self.add(f"RequantShiftNode({x}, {by}, {to}, {word})")
        if how == 1:
            by = self.add(f"AbsNode({self.given('int32', [channels], True)}) % 12")
            return self.add(f"RequantShiftNode({x}, {by}, {to}, up)")
        m = self.add(f"AbsNode({self.given('int32', [channels], True)}) + 1073741824 - AbsNode("
                     f"{self.given('int32', [channels], True)})") if how == 2 else str(r.randrange(2**30, 2**31))
        word = r.choice(["twice", "twice", "once"])
        return self.add(f"RequantMultiplierNode({x}, {m}, {r.randint(0, 12)}, {to}, {word})")

    def dense(self):
        r = self.r
        bits, m, k, n = r.choice(["int8", "int8", "int16"]), r.choice([1, 1, 2]), r.randint(8, 90), r.randint(2, 24)
        b = self.given("int32", [n], True) if r.random() < .7 else "0"
        s = self.add(f"FixedMatMulNode({self.given(bits, [m, k])}, {self.given(bits, [k, n], True)}, {b}, "
                     f"{r.choice([0, -3])}, 0, {r.choice(['int32', 'int32', 'int32', 'int64'])})")
        s = self.add(f"CastNode({s}, int32)")
        return self.requant(s, n)

    def convolution(self):
        r = self.r
        bits = r.choice(["int8", "int8", "int16"])
        k, groups = r.choice([1, 3, 3, 5]), r.choice([1, 1, 1, 4])
        per, out, step = r.randint(1, 6), r.randint(1, 8), r.choice([1, 1, 2])
        if r.random() < .3:             # depthwise
            groups, per, out = r.choice([4, 6, 8]), 1, 1
        image = [1, r.randint(5, 8), r.randint(5, 8), per * groups]
        b = self.given("int32", [out * groups], True)
        s = self.add(f"FixedConv2dNode({self.given(bits, image)}, {self.given(bits, [k, k, per, out * groups], True)}, "
                     f"{b}, {r.choice([0, -3])}, 0, int32, [{step}, {step}], {[k // 2] * 4}, [1, 1], {groups}, NHWC)")
        return self.requant(s, out * groups)

    def integers(self, kind="int32"):
        """Operators of elements, one after the other."""
        r, shape = self.r, [self.r.randint(20, 90)]
        x = self.given(kind, shape)
        for _ in range(r.randint(1, 6)):
            other = self.given(kind, shape, r.random() < .5)
            x = self.add(r.choice([
                f"{x} + {other}", f"{x} - {other} + {r.randint(1, 999)}", f"{x} * {other}", f"{x} * {r.randint(3, 99)}",
                f"MinNode({x}, {other})", f"ClipNode({x}, {-r.randint(1, 9999)}, {r.randint(1, 9999)})",
                f"ShrNode({x}, FullNode({kind}, [], {r.randint(1, 15)}))",
                f"ShlNode({x}, FullNode({kind}, [], {r.randint(1, 9)}))",
                f"WhereNode({x} > {other}, {x}, {r.randint(1, 99)})", f"AbsNode({x})"]))
        return x

    def wide(self):
        return self.integers("int64")

    def quotients(self):
        r, shape = self.r, [self.r.randint(10, 40)]
        kind = r.choice(["int32", "int32", "int64"])
        by = self.given(kind, shape) if r.random() < .7 else str(r.choice([3, 7, 10, 100, 1000]))
        x = self.given(kind, shape)
        for _ in range(r.randint(0, 2)):
            x = self.add(f"{x} + {r.randint(1, 99)}")
        return self.add(f"{x} {r.choice('//%')} {by}")

    def requants(self):
        n = self.r.randint(20, 80)
        return self.requant(self.given("int32", [2, n]), n)

    def functions(self):
        """In fixed point, by two tables."""
        r, n = self.r, self.r.randint(5, 40)
        coarse, fine = self.given("int16", [256], True), self.given("int16", [128], True)
        x = self.given("int16", [r.choice([1, 2]), n])
        kind = r.choice(["Softmax", "Softmax", "Softmax", "Exp", "Sigmoid", "Tanh", "L2Norm", "L2Norm"])
        return self.add(f"Fixed{kind}Node({x})" if kind == "L2Norm" else f"Fixed{kind}Node({x}, {coarse}, {fine})")

    def table(self):
        r = self.r
        kind = r.choice(["int8", "uint8"])
        x = self.given(kind, [r.randint(20, 200)])
        return self.add(f"TableNode({x}, {self.given(r.choice(['int8', 'int16', 'int32']), [256], True)})")

    def floats(self):
        r, shape = self.r, [self.r.randint(20, 80)]
        x = self.given("float32", shape)
        for _ in range(r.randint(1, 5)):
            other = self.given("float32", shape, r.random() < .5)
            x = self.add(r.choice([f"{x} + {other}", f"{x} - {other}", f"{x} * {other}", f"{x} * 1.7", f"{x} / {other}",
                                   f"MaxNode({x}, {other})", f"ReLUNode({x})", f"ClipNode({x}, -1, 1)"]))
        return x

    def float_functions(self):
        r = self.r
        x = self.given("float32", [r.randint(8, 30)])
        for _ in range(r.choice([1, 1, 2])):
            x = self.add(f"{r.choice(['Exp', 'Tanh', 'Sigmoid', 'Exp', 'Tanh', 'Sigmoid', 'Gelu', 'SiLU'])}Node({x})")
        return x

    def float_layers(self):
        r = self.r
        if r.random() < .5:
            k, n = r.randint(8, 50), r.randint(2, 12)
            b = self.given("float32", [n], True)
            x, w = self.given("float32", [1, k]), self.given("float32", [k, n], True)
            return self.add(f"ReLUNode(MatMulNode({x}, {w}) + {b})")
        k, c, n = r.choice([1, 3]), r.randint(1, 4), r.randint(1, 5)
        x, w = self.given("float32", [1, 6, 5, c]), self.given("float32", [k, k, c, n], True)
        return self.add(f"Conv2dNode({x}, {w}, [1, 1], {[k // 2] * 4}, [1, 1], 1, NHWC)")

    def float_rows(self):
        r = self.r
        x = self.given("float32", [r.choice([1, 2]), r.randint(6, 30)])
        return self.add(f"{r.choice(['Softmax', 'Softmax', 'LayerNorm'])}Node({x})")

    def conversions(self):
        r, n = self.r, self.r.randint(20, 80)
        x = self.given(r.choice(["int8", "int16", "int32"]), [n])
        if r.random() < .5:
            return self.add(f"RequantStepNode({self.add(f'CastNode({x}, int32)')}, {self.given('float32', [1], True)}, "
                            f"{r.choice(['int8', 'int16'])})")
        x = self.add(f"CastNode({x}, float32) * 0.01")
        return x if r.random() < .5 else self.add(f"CastNode(ClipNode(RoundNode({x} * 0.3), -128, 127), int8)")

    def moved(self):
        """Pools, sums, what is moved."""
        r = self.r
        kind = r.choice(["int8", "int16", "int32"])
        x = self.given(kind, [1, 2 * r.randint(2, 5), 2 * r.randint(2, 5), r.randint(2, 6)])
        w = self.add(f"CastNode({x}, int32)")
        how = r.randrange(5)
        if how == 0:
            return self.add(f"TransposeNode({x}, [0, 3, 1, 2])")
        if how == 1:
            return self.add(f"ReduceSumNode({w}, [1, 2])")
        if how == 2:
            return self.add(f"ReduceMaxNode({w}, [3])")
        k = r.choice([2, 3])
        for axis in (1, 3):
            w = self.add(f"WindowNode({w}, {axis}, {k}, {r.choice([1, 2])})")
        return self.add(f"Reduce{r.choice(['Max', 'Sum'])}Node({w}, [2, 4])")

    def network(self):
        """A layer, a table or a clamp, and softmax or a quotient."""
        r = self.r
        x = self.dense()
        x = self.add(f"CastNode({x}, int16)")
        if r.random() < .5:
            coarse, fine = self.given("int16", [256], True), self.given("int16", [128], True)
            return self.add(f"FixedSoftmaxNode({x}, {coarse}, {fine})")
        x = self.add(f"CastNode({x}, int32)")
        return self.add(f"{x} * 100 / (AbsNode({x}) + 3)")


KINDS = [k for k in vars(Graph) if k not in ("__init__", "add", "given", "text", "requant") and not k.startswith("__")]


def drawn(n, seed):
    """n of the kinds in turn, so that each is there, and a fifth as many quotients, which have four costs of their own;
    (kind, script)."""
    for i in range(n + n // 5):
        g = Graph(random.Random(f"{seed} {i}"))
        kind = KINDS[i % len(KINDS)] if i < n else "quotients"
        yield kind, g.text(getattr(g, kind)())


def measure(lt_build, script, target):
    """What a call takes, what was predicted, and its work; None: it has no room; a text: what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "drawn.lt")
        with open(path, "w", encoding="utf-8") as f:
            f.write(script)
        done = subprocess.run([lt_build, path, "-c", "*=random", "--target", target, "--explain", "-o",
                               os.path.join(folder, "drawn.c")], capture_output=True, text=True, check=False)
    took = re.search(r"a call takes (\d+) .*; (\d+) \w+ were predicted", done.stdout)
    if not took:
        if "no room" in done.stderr:
            return None
        return f"{target}: {done.stdout}{done.stderr}\n{script}"
    work = {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", done.stdout[done.stdout.index("work of a call"):])}
    return int(took[1]), int(took[2]), work


def measured(lt_build, functions, targets):
    """By target, (kind, took, predicted, work) of each function that has room there."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = {t: [(kind, script, pool.submit(measure, lt_build, script, t)) for kind, script in functions]
                for t in targets}
        rows = {t: [(kind, run.result(), script) for kind, script, run in rows] for t, rows in runs.items()}
    for result in (result for of in rows.values() for _, result, _ in of):
        if isinstance(result, str):
            print(result, file=sys.stderr)
    if any(isinstance(result, str) for of in rows.values() for _, result, _ in of):
        sys.exit("lt-build failed")
    return {t: [(kind, *result, script) for kind, result, script in of if result] for t, of in rows.items()}


# -- the fit


def fit(rows, words):
    """Costs of words, none below 0: the squares of predicted - counted over the product of both are the least, so that
    half is as far off as twice.  Layers with weights, which are most of a network, count four times."""
    cost = [0.0] * len(words)
    guess = [took for _, took, _, _, _ in rows]
    for _ in range(12):
        by = [(took * max(g, took / 9)) ** .5 / (2 if kind in ("dense", "convolution", "network") else 1)
              for (kind, took, _, _, _), g in zip(rows, guess)]
        a = [[work.get(w, 0) / v for w in words] for (_, _, _, work, _), v in zip(rows, by)]
        descend(a, [took / v for (_, took, _, _, _), v in zip(rows, by)], cost)
        guess = [sum(c * n for c, n in zip(cost, row)) * v for row, v in zip(a, by)]
    return cost


def descend(a, want, cost):
    """Moves one cost after the other to its best, the others fixed, until none moves."""
    left = [sum(c * n for c, n in zip(cost, row)) - w for row, w in zip(a, want)]
    square = [sum(row[j] ** 2 for row in a) for j in range(len(cost))]
    for _ in range(5000):
        most = 0.0
        for j in range(len(cost)):
            if not square[j]:
                continue
            step = max(-cost[j], -sum(row[j] * v for row, v in zip(a, left)) / square[j])
            if step:
                cost[j] += step
                left = [v + row[j] * step for row, v in zip(a, left)]
                most = max(most, abs(step) / (cost[j] + .01))
        if most < 1e-4:
            break


def off(rows, costs):
    """How far off each is: by which factor."""
    factors = []
    for kind, took, _, work, _ in rows:
        guess = sum(costs[w] * n for w, n in work.items())
        factors.append((max(guess / took, took / guess) if guess else float("inf"), kind))
    return factors


def words_of_source():
    """Kinds of work, as kernel/walk/walk.h has them: (KIND, word)."""
    with open("kernel/walk/walk.h", encoding="utf-8") as f:
        text = f.read()
    return re.findall(r"X\((\w+), (\w+)\)", text[text.index("#define LT_WORK_MAP"):text.index("enum lt_work_kind")])


def rows_of_table(kinds, costs):
    """As predict.c has them, three a line."""
    cells = [f"X({kind}, {', '.join(format(costs[t][word], '.4g') for t in TARGETS)})" for kind, word in kinds]
    lines, line = [], "\t"
    for cell in cells:
        if len(line) + len(cell) > 110:
            lines.append(line.rstrip() + " \\")
            line = "\t"
        line += cell + " "
    return "\n".join(lines + [line.rstrip()])


def write(rows):
    with open(SOURCE, encoding="utf-8") as f:
        text = f.read()
    head = "#define COSTS(X) \\\n"
    begin = text.index(head) + len(head)
    with open(SOURCE, "w", encoding="utf-8") as f:
        f.write(text[:begin] + rows + text[text.index("\n\n", begin):])


def check(n, seed, within, targets, lt_build):
    """TAP: lt-build's own predictions."""
    for t, rows in measured(lt_build, list(drawn(n, seed)), targets).items():
        far = [(max(took / guess, guess / took) if guess else float("inf"), kind, took, guess, script)
               for kind, took, guess, _, script in rows]
        wrong = [v for v in far if v[0] > within]
        for factor, kind, took, guess, script in wrong[:3]:
            print(f"# {t}, {kind}: {took} counted, {guess} predicted, a factor of {factor:.2f}: "
                  f"{' '.join(script.split())}")
        mean = sum(v[0] for v in far) / max(1, len(far))
        print(f"{'not ' if wrong or len(far) * 2 < n else ''}ok - {t}: {len(far) - len(wrong)} of {len(far)} drawn "
              f"functions are predicted within a factor of {within:g} (seed {seed}; mean {mean:.2f})")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--n", type=int, default=200)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--write", action="store_true")
    ask.add_argument("--keep", metavar="FILE.json")
    ask.add_argument("--check", type=int, nargs=2, metavar=("N", "SEED"))
    ask.add_argument("--within", type=float, default=3)
    ask.add_argument("--target", action="append")
    ask.add_argument("--lt-build", default="build/lt-build")
    o = ask.parse_args()
    targets = o.target or TARGETS
    if o.check:
        check(*o.check, o.within, targets, o.lt_build)
        return
    if o.keep and os.path.exists(o.keep):
        with open(o.keep, encoding="utf-8") as f:
            fitted, others = json.load(f)
    else:
        fitted, others = (measured(o.lt_build, list(drawn(n, seed)), targets)
                          for n, seed in ((o.n, o.seed), (o.n // 2, o.seed + 1)))
        if o.keep:
            with open(o.keep, "w", encoding="utf-8") as f:
                json.dump([fitted, others], f)
    kinds, costs = words_of_source(), {}
    print("| target | fitted to | off by a factor of, mean, worst | others | mean | worst |\n"
          "| --- | --- | --- | --- | --- | --- |")
    for t in targets:
        words = [word for _, word in kinds]
        costs[t] = {w: float(format(c, ".4g")) for w, c in zip(words, fit(fitted[t], words))}
        a, b = off(fitted[t], costs[t]), off(others[t], costs[t])
        mean = lambda v: sum(f for f, _ in v) / len(v)
        print(f"| {t} | {len(a)} | {mean(a):.2f}, {max(a)[0]:.2f} ({max(a)[1]}) | {len(b)} | {mean(b):.2f} | "
              f"{max(b)[0]:.2f} ({max(b)[1]}) |", flush=True)
    if len(targets) == len(TARGETS):
        print(rows_of_table(kinds, costs))
        if o.write:
            write(rows_of_table(kinds, costs))


if __name__ == "__main__":
    sys.exit(main())
