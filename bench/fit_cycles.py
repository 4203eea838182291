#!/usr/bin/env python3
"""What a microcontroller takes for a piece of each kind of work: the table of tools/build/predict.c, from emulators.

    python3 bench/fit_cycles.py [--n 200] [--seed 1] [--write] [--keep FILE.json] [--lt-build build/lt-build]
    python3 bench/fit_cycles.py --check N SEED [--within 3] [--target NAME]...

Functions of drawn kinds and extents are built by lt-build, run on an emulator, and counted: on Cortex-M instructions
(qemu-system-arm), on AVR cycles (simavr), the same in each run.  `--explain` says how much work of each kind
(LT_WORK_MAP in kernel/walk/walk.h) they do.  The costs are those, none below 0, with which what is predicted is least
off.  They are printed as rows of the table, with how far off half as many others are; --write puts them into
tools/build/predict.c.  --keep: what was counted is read from there, if it is there, and written.

--check: N others, predicted by lt-build as it is; prints TAP, for tests/micro.sh: each is within a factor of 3, and all
but one of twenty (or two) of 2.
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

    def text(self, results):
        results = [results] if isinstance(results, str) else results
        return "\n".join(self.lines + [f"result y{i or ''} = {y};" for i, y in enumerate(results)]) + "\n"

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
        x = self.given(kind, [r.randint(4, 200)])
        to = r.choice(["int8", "uint8", "int16", "int16", "int32", "float32", "int64"])
        return self.add(f"TableNode({x}, {self.given(to, [256], True)})")

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
        x = self.given(r.choice(["int8", "int16", "int32", "int64", "uint8", "uint32"]), [n])
        if r.random() < .3:
            return self.add(f"RequantStepNode({self.add(f'CastNode({x}, int32)')}, {self.given('float32', [1], True)}, "
                            f"{r.choice(['int8', 'int16'])})")
        x = self.add(f"CastNode({x}, float32) * 0.01")
        return r.choice([x, self.add(f"CastNode(ClipNode(RoundNode({x} * 0.3), -128, 127), int8)"),
                         self.add(f"CastNode({x}, {r.choice(['int16', 'int32', 'int64', 'uint8'])})")])

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

    # What is moved, asked for and compared.

    def joined(self):
        """Parts of tensors, and tensors of parts."""
        r, kind = self.r, self.r.choice(["int8", "int16", "int32", "uint8", "int64", "float32"])
        m, n = r.randint(1, 6), r.randint(4, 20)
        x = self.given(kind, [m, n])
        for _ in range(r.randint(1, 3)):
            way = r.randrange(8)
            if way < 4:
                other = self.given(kind, [m, n])
                x, m, n = [(f"ConcatNode(1, {x}, {other})", m, 2 * n), (f"ConcatNode(0, {x}, {other})", 2 * m, n),
                           (f"FlattenNode(StackNode(2, {x}, {other}))", m, 2 * n),
                           (f"PadNode({x}, [1, {r.randint(0, 2)}], [0, 2], 3)", m + 1, None)][way]
            elif way == 4:
                begin, step = r.randint(0, 1), r.randint(1, 2)
                x, n = f"SliceNode({x}, {begin}, {n - 1}, 1, {step})", None
            elif way == 5:
                x = f"FlipNode({x}, [{r.randint(0, 1)}])"
            elif way == 6:
                x, m, n = f"TileNode({x}, [1, 2])", m, 2 * n
            else:
                x, m, n = f"TransposeNode({x})", n, m
            x = self.add(x)
            if n is None or m * n > 150:
                break
        return x if r.random() < .5 else self.add(f"{x} + {x}")

    def gathered(self):
        """Rows, or elements, at numbers that are not known."""
        r, kind = self.r, self.r.choice(["int8", "int16", "int32", "float32"])
        index = r.choice(["uint8", "int32", "int64"])
        rows, n, asked = 8, r.choice([1, 3, 8, 16, 30]), r.randint(2, 12)
        i = self.add(f"{self.given(index, [asked])} & 7")
        i = self.add(f"CastNode({i}, {r.choice(['int32', 'int64'])})")
        x = self.given(kind, [rows, n], r.random() < .6)
        how = r.randrange(5)
        if how < 2:
            return self.add(f"GatherNode({x}, {i})")
        if how == 2:
            x = self.given(kind, [n, rows], r.random() < .6)
            return self.add(f"GatherNode({x}, {i}, 1)")
        if how == 3:
            return self.add(f"OneHotNode({i}, 8, -1, {kind})")
        x = self.given(kind, [asked, rows])
        return self.add(f"GatherAlongNode(ij,i->i: {x}, {i}, 1)")

    def pooled(self):
        r = self.r
        layout, c, size = r.choice(["NHWC", "NCHW"]), r.randint(1, 6), r.randint(4, 8)
        image = [1, size, size, c] if layout == "NHWC" else [1, c, size, size]
        k, step, pad = r.choice([2, 3]), r.choice([1, 2]), r.choice([0, 0, 1])
        if r.random() < .5:
            return self.add(f"MaxPool2dNode({self.given('float32', image)}, [{k}, {k}], [{step}, {step}], {[pad] * 4}, "
                            f"[1, 1], {layout})")
        return self.add(f"AveragePool2dNode({self.given('float32', image)}, [{k}, {k}], [{step}, {step}], {[pad] * 4}, "
                        f"{r.randint(0, 1)}, {layout})")

    def average(self):
        """Of integers: a sum and a quotient."""
        r, kind = self.r, self.r.choice(["int8", "uint8", "int16"])
        size, c = r.randint(3, 7), r.randint(1, 8)
        x = self.add(f"CastNode({self.given(kind, [1, size, size, c])}, int32)")
        by = size * size
        s = self.add(f"ReduceSumNode({x}, [1, 2])")
        s = self.add(f"({s} + {by // 2}) / {by}" if r.random() < .5 else f"RequantMultiplierNode({s}, "
                     f"{2**31 // by * 8 % 2**31}, 3, {kind}, once)")
        return s if r.random() < .3 else self.add(f"CastNode({s}, {kind})")

    def compared(self):
        r = self.r
        kind, shape = r.choice(["int8", "uint8", "int16", "uint16", "int32", "int64", "float32"]), [r.randint(5, 90)]
        x, y = self.given(kind, shape), self.given(kind, shape, r.random() < .3)
        c = self.add(f"{x} {r.choice(['<', '<=', '>', '>=', '==', '!='])} {y if r.random() < .6 else r.randint(0, 99)}")
        if r.random() < .5:
            c = self.add(f"({c}) {r.choice('&|^')} ({y} {r.choice(['<', '>', '=='])} {r.randint(0, 99)})")
        how = r.randrange(4)
        if how == 0:
            return c
        if how == 1:
            return self.add(f"CastNode({c}, {r.choice(['int8', 'int32', 'float32'])})")
        if how == 2:
            return self.add(f"SignNode({x}) + {y}")
        return self.add(f"WhereNode({c}, {x}, {y})")

    def bits(self):
        r = self.r
        kind, shape = r.choice(["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"]), [r.randint(5, 90)]
        x = self.given(kind, shape)
        for _ in range(r.randint(1, 4)):
            y = self.given(kind, shape, r.random() < .5)
            x = self.add(r.choice([f"{x} & {y}", f"{x} | {y}", f"{x} ^ {y}", f"{x} & {r.randint(1, 99)}",
                                   f"ShlNode({x}, {y} & 7)", f"ShrNode({x}, {y} & 7)", f"NegNode({x})",
                                   f"ShrNode({x}, FullNode({kind}, [], {r.randint(1, 6)}))"]))
        return x

    def casts(self):
        """Narrow and wide, with a sign and without."""
        r = self.r
        all_kinds = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"]
        x = self.given(r.choice(all_kinds), [r.randint(5, 90)])
        for _ in range(r.randint(1, 3)):
            x = self.add(f"CastNode({x}, {r.choice(all_kinds)})")
            if r.random() < .6:
                x = self.add(r.choice([f"{x} + {r.randint(1, 99)}", f"{x} * {r.randint(2, 99)}", f"{x} * {x}",
                                       f"MaxNode({x}, {r.randint(1, 99)})"]))
        return x

    def ordered(self):
        r = self.r
        kind, m, n = r.choice(["int8", "int16", "int32", "float32"]), r.randint(1, 5), r.randint(3, 24)
        x = self.given(kind, [m, n])
        how, axis = r.randrange(4), r.choice([1, 1, 0]) if m > 1 else 1
        if how < 2:
            return self.add(f"Arg{r.choice(['Max', 'Min'])}Node({x}, {axis})")
        if how == 2:
            return self.add(f"CastNode(ArgMaxNode({x}, {axis}), {r.choice(['int8', 'int32'])})")
        n = min(n, 8)
        return self.add(f"TopKNode({self.given(kind, [n])}, {r.randint(1, min(3, n))}, 0, "
                        f"{r.choice(['values', 'indices'])})")

    def cumulative(self):
        r = self.r
        kind, m, n = r.choice(["int16", "int32", "int64", "float32"]), r.randint(1, 6), r.randint(3, 20)
        x = self.given(kind, [m, n])
        return self.add(f"Cum{r.choice(['Sum', 'Sum', 'Prod'])}Node({x}, {r.choice([1, 1, 0]) if m > 1 else 1}, "
                        f"{r.randint(0, 1)}, {r.randint(0, 1)})")

    def reduced(self):
        r = self.r
        kind = r.choice(["int8", "int16", "int32", "int64", "uint8", "float32"])
        x = self.given(kind, [r.randint(1, 6), r.randint(2, 12), r.randint(1, 8)])
        if r.random() < .3:
            x = self.add(f"{x} * {x}")
        names = ["Sum", "Max", "Min", "Product"] + (["Mean", "Mean", "L2"] if kind == "float32" else [])
        return self.add(f"Reduce{r.choice(names)}Node({x}, {r.choice([[0], [1], [2], [1, 2], [0, 1], [0, 1, 2]])})")

    def several(self):
        """Results, several of which are made of one value."""
        r = self.r
        x = self.dense() if r.random() < .5 else self.integers(r.choice(["int16", "int32"]))
        w = self.add(f"CastNode({x}, int32)")
        ways = [f"{w} * 3 + 1", f"ReduceSumNode({w})", f"ReduceMaxNode({w})", f"CastNode({w}, int64)", f"{w} > 0",
                f"ClipNode({w}, -99, 99)"]
        return [x] + [self.add(way) for way in r.sample(ways, r.randint(1, 3))]

    def recurrent(self):
        """A loop over steps, of which each has the state of the one before."""
        r = self.r
        kind, steps, m, n = r.choice(["int8", "int16"]), r.randint(2, 12), r.randint(2, 12), r.randint(2, 10)
        x, w, u = self.given(kind, [steps, m]), self.given(kind, [m, n], True), self.given(kind, [n, n], True)
        h, way = self.given(kind, [n]), r.randrange(3)
        self.lines.append(f"repeat t in 0..{steps} {{")
        self.lines.append(f"s = FixedMatMulNode({x}[t], {w}, 0, 0, 0, int32) + "
                          f"FixedMatMulNode({h}, {u}, 0, 0, 0, int32);")
        q = f"RequantShiftNode(s, {r.randint(4, 12)}, {kind}, up)"
        if way == 1:
            q = f"ClipNode({q}, -100, 100)"
        elif way == 2 and kind == "int16":
            coarse, fine = (f"ConstantTensor({c}, int16, [{k}])" for c, k in (("coarse", 256), ("fine", 128)))
            self.lines.insert(0, f"coarse = {coarse}; fine = {fine};")
            q = f"Fixed{r.choice(['Tanh', 'Sigmoid'])}Node({q}, coarse, fine)"
        self.lines.append(f"{h} = {q}; }}")
        return h

    def float_recurrent(self):
        r = self.r
        steps, m, n, kind = r.randint(1, 3), r.randint(2, 6), r.randint(2, 6), r.choice(["Rnn", "Gru", "Lstm"])
        gates = {"Rnn": 1, "Gru": 3, "Lstm": 4}[kind]
        x = self.given("float32", [steps, 1, m])
        w, u = self.given("float32", [1, gates * n, m], True), self.given("float32", [1, gates * n, n], True)
        return self.add(f"{kind}Node({x}, {w}, {u}, {r.choice(['Y', 'Y_h'])})")

    def attention(self):
        r = self.r
        s, t, d = r.choice([1, 2, 4]), r.randint(2, 8), r.randint(2, 8)
        if r.random() < .4:
            q, k, v = (self.given("float32", [1, e, d]) for e in (s, t, t))
            return self.add(f"AttentionNode({q}, {k}, {v})")
        q, k, v = (self.given("int8", e) for e in ([s, d], [d, t], [t, d]))
        p = self.add(f"RequantShiftNode(FixedMatMulNode({q}, {k}, 0, 0, 0, int32), {r.randint(1, 5)}, int16, up)")
        p = self.add(f"FixedSoftmaxNode({p}, {self.given('int16', [256], True)}, {self.given('int16', [128], True)})")
        return self.requant(self.add(f"FixedMatMulNode({p}, {v}, 0, 0, 0, int32)"), d)

    def nibbles(self):
        """Weights of 4 bits, two in a byte."""
        r = self.r
        m, k, n = r.choice([1, 1, 2, 4]), 2 * r.randint(4, 30), r.randint(2, 16)
        w = self.given("uint8", [k // 2, n], True)
        low, high = f"{w} & 15", f"ShrNode({w}, FullNode(uint8, [], 4))"
        w = self.add(f"CastNode(ReshapeNode(StackNode(1, {low}, {high}), [{k}, {n}]), int8) - 8")
        kind = r.choice(["int8", "int8", "int16"])
        s = self.add(f"FixedMatMulNode({self.given(kind, [m, k])}, {w}, {self.given('int32', [n], True)}, 0, 0, int32)")
        return self.requant(s, n)

    def products(self):
        """Of several rows; of tensors none of which is a constant; of wide and narrow ones, and without signs."""
        r = self.r
        m, k, n = r.randint(1, 9), r.randint(2, 30), r.randint(1, 12)
        how = r.randrange(5)
        if how < 2:
            a, b = r.choice(["int8", "uint8", "int16"]), r.choice(["int8", "uint8", "int16"])
            zero = self.given(b, [n], True) if r.random() < .3 else r.choice([0, 0, 5])
            s = self.add(f"FixedMatMulNode({self.given(a, [m, k])}, {self.given(b, [k, n], r.random() < .6)}, 0, "
                         f"{r.choice([0, 7])}, {zero}, {r.choice(['int32', 'int32', 'int64', 'auto'])})")
            return s if r.random() < .5 else self.add(f"RequantShiftNode({s}, 9, {r.choice(['int8', 'int32'])}, up)")
        kind = r.choice(["int32", "int64", "int16", "float32", "float32"])
        x, w = self.given(kind, [m, k]), self.given(kind, [k, n], r.random() < .6)
        return self.add(f"MatMulNode({x}, {w})" if how < 4 else f"EinsumNode(mk,kn->nm: {x}, {w})")

    def norms(self):
        r = self.r
        c, n = r.randint(1, 6), r.randint(2, 12)
        how = r.randrange(5)
        a, b, mean, var = (self.given("float32", [c], True) for _ in range(4))
        x = self.given("float32", [1, c, n])
        if how < 2:
            return self.add(f"BatchNormNode({x}, {a}, {b}, {mean}, AbsNode({var}))")
        if how == 2:
            return self.add(f"InstanceNormNode({x}, {a}, {b})")
        x = self.given("float32", [n, c])
        return self.add(f"{r.choice(['LayerNorm', 'RMSNorm'])}Node({x}, {a})")

    def more_functions(self):
        r = self.r
        x = self.given("float32", [r.randint(4, 30)])
        name = r.choice(["Celu", "Elu", "HardSigmoid", "HardSwish", "LeakyRelu", "Mish", "Selu", "Softplus", "Softsign",
                         "Swish", "Log", "Sin", "Cos", "Erf", "Floor", "Ceil", "Round", "Reciprocal", "Atan", "Tan",
                         "Sinh", "Cosh", "Asinh"])
        if name == "Log":
            x = self.add(f"AbsNode({x}) + 0.1")
        return self.add(f"{name}Node({x})")

    def roots(self):
        r = self.r
        x = self.add(f"AbsNode({self.given('float32', [r.randint(4, 40)])}) + 0.5")
        return self.add(r.choice([f"SqrtNode({x})", f"RsqrtNode({x})", f"{x} / SqrtNode({x} + 1)"]))

    def powers(self):
        r = self.r
        x = self.add(f"AbsNode({self.given('float32', [r.randint(4, 20)])}) + 0.5")
        return self.add(r.choice([f"{x} ** 1.7", f"{x} ** {x}", f"2 ** {x}", f"{x} ** 3"]))

    def halves(self):
        r = self.r
        kind, shape = r.choice(["float16", "float16", "bfloat16"]), [r.randint(4, 40)]
        x = self.given(kind, shape)
        for _ in range(r.randint(1, 3)):
            y = self.given(kind, shape)
            x = self.add(r.choice([f"{x} + {y}", f"{x} * {y}", f"MaxNode({x}, {y})", f"CastNode({x}, {kind})",
                                   f"ReLUNode(CastNode({x}, float32))"]))
            if "ReLU" in self.lines[-1]:
                break
        return x

    def doubles(self):
        r = self.r
        shape = [r.randint(4, 40)]
        x = self.given("float64", shape)
        if r.random() < .5:
            return self.add(r.choice([f"{r.choice(['Exp', 'Tanh', 'Sigmoid', 'Log', 'Sqrt'])}Node(AbsNode({x}) + 1)",
                                      f"CastNode({x}, {r.choice(['float32', 'int32', 'int64'])})"]))
        for _ in range(r.randint(1, 3)):
            y = self.given("float64", shape)
            x = self.add(r.choice([f"{x} + {y}", f"{x} * {y}", f"MaxNode({x}, {y})", f"{x} / {y}", f"{x} - 2.5"]))
        return x

    def planes(self):
        """Convolutions of other layouts, of floats, too."""
        r = self.r
        kind, groups = r.choice(["int8", "int8", "int16", "float32"]), r.choice([1, 1, 2])
        k, per, out, size, dilation = r.choice([1, 2, 3]), r.randint(1, 3), r.randint(1, 4), r.randint(5, 8), 1
        if r.random() < .2:
            dilation = 2
        x, w = self.given(kind, [1, per * groups, size, size]), self.given(kind, [out * groups, per, k, k], True)
        where = f"[1, 1], {[r.choice([0, k // 2])] * 4}, [{dilation}, {dilation}], {groups}, NCHW"
        if kind == "float32":
            return self.add(f"Conv2dNode({x}, {w}, {where})")
        s = self.add(f"FixedConv2dNode({x}, {w}, 0, {r.choice([0, 3])}, 0, int32, {where})")
        return self.requant(s, 1)

    def places(self):
        """Conditions and numbers of loops; quotients of these."""
        r = self.r
        kind = r.choice(["int8", "int16", "int32", "float32"])
        m, n, k = r.randint(2, 9), r.randint(2, 9), r.randint(2, 3)
        x = self.given(kind, [m, n])
        return self.add(r.choice([
            f"TrilNode({x})", f"TriuNode({x}, 1)", f"{x} + CastNode(IndexNode({x}, 1), {kind})",
            f"ViewNode([i: {m + 2}, j: {n}]: {x}[i - 1, j] if i >= 1 and i <= {m} else 3)",
            f"ViewNode([i: {m * n}], q = floor(i / {n}): {x}[q, i - {n}*q])", f"TileNode({x}, [{k}, 1])",
            f"TileNode({x}, [1, {k}])", f"ReshapeNode(TransposeNode({x}), [{m}, {n}])",
            f"ReshapeNode(ExpandNode(ReshapeNode({x}, [{m}, {n}, 1]), [{m}, {n}, {k}]), [{m}, {n * k}])"]))

    def states(self):
        """Rows that are kept from call to call."""
        r = self.r
        kind, m, n = r.choice(["int8", "int16", "float32"]), r.randint(3, 8), r.randint(2, 12)
        s, x = self.add(f"BufferTensor(kept, {kind}, {[m, n]})"), self.given(kind, [1, n])
        y = self.add(f"ConcatNode(0, SliceNode({s}, 1, {m}), {x})")
        self.lines.append(f"set {s} = {y};")
        return self.add(f"ReduceMaxNode({y}, [0])")

    def requants_of_all(self):
        """From other types, to others, with other roundings and ends."""
        r, n = self.r, self.r.randint(4, 60)
        x = self.given(r.choice(["int8", "int16", "int32", "int32", "int64"]), [n])
        wide = self.lines[-1].find("int64") > 0
        to = r.choice(["int8", "uint8", "int16", "uint16", "int32"])
        word = r.choice(["even", "floor", "zero", "up", "away"])
        ends = r.choice(["", ", 3" if to != "int32" else "", ", 0, 1, 100"])
        if wide or r.random() < .6:
            by = r.randint(1, 30) if r.random() < .5 else self.add(f"{self.given('int32', [n], True)} & 15")
            return self.add(f"RequantShiftNode({x}, {by}, {to}, {word}{ends})")
        m = str(r.randrange(2**30, 2**31)) if r.random() < .5 else self.add(
            f"({self.given('int32', [n], True)} & 1073741823) + 1073741824")
        return self.add(f"RequantMultiplierNode({x}, {m}, {r.randint(-3, 12)}, {to}, "
                        f"{r.choice(['twice', 'once'])}{ends})")

    def small(self):
        """One to nine elements of something."""
        r, n = self.r, self.r.randint(1, 9)
        kind = r.choice(["int8", "int16", "int32", "int64", "float32"])
        x, y = self.given(kind, [n]), self.given(kind, [n])
        return self.add(r.choice([f"{x} + {y}", f"{x} * {y}", f"MaxNode({x}, {y})", f"CastNode({x}, int32)",
                                  f"CopyNode({x})", f"ReduceSumNode({x})", f"{x} < {y}"]))

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
    """n of the kinds in turn, in an order of the seed's own, and a fifth as many quotients, which have four costs of
    their own; (kind, script)."""
    kinds = random.Random(seed).sample(KINDS, len(KINDS))
    for i in range(n + n // 5):
        g = Graph(random.Random(f"{seed} {i}"))
        kind = kinds[i % len(kinds)] if i < n else "quotients"
        yield kind, g.text(getattr(g, kind)())


def measure(lt_build, script, target):
    """What a call takes, what was predicted, and its work; None: it has no room; a text: what went wrong."""
    if target == "avr5" and "float64" in script:        # its double has 32 bits
        return None
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
    columns = list(zip(*a))
    each = range(len(cost))
    dot = [[sum(x * y for x, y in zip(columns[i], columns[j])) for j in each] for i in each]
    to = [sum(x * y for x, y in zip(columns[j], want)) for j in each]
    for _ in range(5000):
        most = 0.0
        for j in each:
            if not dot[j][j]:
                continue
            best = max(0.0, cost[j] + (to[j] - sum(d * c for d, c in zip(dot[j], cost))) / dot[j][j])
            most = max(most, abs(best - cost[j]) / (best + .01))
            cost[j] = best
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
        half = sum(v[0] > 2 for v in far)
        for factor, kind, took, guess, script in wrong[:3]:
            print(f"# {t}, {kind}: {took} counted, {guess} predicted, a factor of {factor:.2f}: "
                  f"{' '.join(script.split())}")
        mean = sum(v[0] for v in far) / max(1, len(far))
        bad = wrong or half > max(2, n // 20) or len(far) * 2 < n
        print(f"{'not ' if bad else ''}ok - {t}: {len(far) - len(wrong)} of {len(far)} drawn functions are predicted "
              f"within a factor of {within:g}, all but {half} of 2 (seed {seed}; mean {mean:.2f})")


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
