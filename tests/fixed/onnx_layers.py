#!/usr/bin/env python3
"""onnx_layers.py N SEED LT_RUN BACKEND... -- N random layers of ONNX in integers, equal to NumPy's and ONNX Runtime's.

QLinearConv, QLinearMatMul, ConvInteger and MatMulInteger: windows of one to three axes, pads, strides, dilations,
groups, batches; zero points at the ends of types, one or one a channel, known or of the run; scales one or one a
channel.  What is expected is computed here: exact sums, one product by a float32, halves to even.  Prints TAP.
"""
import itertools
import os
import random
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
import numpy as np
import onnx
from onnx import TensorProto as T, helper as h, numpy_helper as nh

try:
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
except ImportError:
    onnxruntime = None

OF = {np.dtype(np.uint8): T.UINT8, np.dtype(np.int8): T.INT8, np.dtype(np.int32): T.INT32,
      np.dtype(np.float32): T.FLOAT}


def integers(r, shape, t, bits=8):
    """Any numbers, the ends more often."""
    low, high = np.iinfo(t).min >> 8 - bits, np.iinfo(t).max >> 8 - bits
    v = [r.choice([low, high, r.randint(low, high), r.randint(low, high)]) for _ in range(int(np.prod(shape)))]
    return np.array(v, t).reshape(shape)


def conv(x, w, strides, pads, dilations, groups):
    """Sums of x, 0 beside it, by w, in 64 bits."""
    n = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0), *zip(pads[:n], pads[n:])])
    out = [(x.shape[2 + i] - dilations[i] * (w.shape[2 + i] - 1) - 1) // strides[i] + 1 for i in range(n)]
    y = np.zeros((x.shape[0], w.shape[0], *out), np.int64)
    per_in, per_out = w.shape[1], w.shape[0] // groups
    for tap in itertools.product(*map(range, w.shape[2:])):
        at = tuple(slice(k * d, k * d + s * (o - 1) + 1, s) for k, d, s, o in zip(tap, dilations, strides, out))
        part = x[(slice(None), slice(None), *at)]
        for m in range(w.shape[0]):
            g = m // per_out
            for c in range(per_in):
                y[:, m] += part[:, g * per_in + c] * w[(m, c, *tap)]
    return y


def stepped(y, step, zero, t):
    y = np.rint(y.astype(np.float32) * step) + int(zero)
    return np.clip(y, np.iinfo(t).min, np.iinfo(t).max).astype(t)


class Layer:
    def __init__(self, r, i):
        self.r, self.i = r, i
        self.values, self.known = {}, {}
        # Without VNNI, ONNX Runtime cuts sums of two products of u8 and i8 off at 16 bits: it is right of 7 bits.
        self.bits = r.choice([7, 8])
        kind = r.choice(["QLinearConv", "QLinearConv", "ConvInteger", "QLinearMatMul", "MatMulInteger"])
        self.kind = kind
        (self.conv if "Conv" in kind else self.matmul)(kind.startswith("QLinear"))

    def give(self, name, value, constant=None):
        """A value of the run, or one that the model knows."""
        name = "%s_%d" % (name, self.i)
        value = np.asarray(value)
        constant = self.r.random() < 0.6 if constant is None else constant
        (self.known if constant else self.values)[name] = value
        return name

    def zero(self, t, n=None):
        low, high = np.iinfo(t).min, np.iinfo(t).max
        drawn = [self.r.choice([0, low, high, self.r.randint(low, high)]) for _ in range(n or 1)]
        return np.array(drawn if n else drawn[0], t)

    def scales(self, n=None):
        drawn = [self.r.choice([.5, .25, 2.0**-9, self.r.random() / 50 + 1e-4]) for _ in range(n or 1)]
        return np.array(drawn if n else drawn[0], np.float32)

    def end(self, node, sums, step, to):
        """The node, and what it gives."""
        self.name = "y_%d" % self.i
        if to is None:
            self.want = sums.astype(np.int32)
        else:
            self.want = stepped(sums, step, self.zero_y, to)
        self.node = h.make_node(self.kind, node, [self.name], **self.attributes)

    def conv(self, quantised):
        r = self.r
        n, groups = r.choice([1, 2, 2, 2, 3]), r.choice([1, 1, 2, 3])
        per, out = r.choice([1, 2, 3]), groups * r.choice([1, 2])
        kernel, dilations = [r.choice([1, 2, 3]) for _ in range(n)], [r.choice([1, 1, 2]) for _ in range(n)]
        strides, pads = [r.choice([1, 2]) for _ in range(n)], [r.randrange(3) for _ in range(2 * n)]
        shape = [d * (k - 1) + r.choice([1, 2, 4]) for d, k in zip(dilations, kernel)]
        tx, tw = r.choice([np.uint8, np.int8]), r.choice([np.uint8, np.int8])
        x = integers(r, [r.choice([1, 2]), per * groups, *shape], tx)
        w = integers(r, [out, per, *kernel], tw, self.bits)
        zx, zw = self.zero(tx), self.zero(tw, out if r.random() < .4 else None)
        self.attributes = dict(strides=strides, pads=pads, dilations=dilations, group=groups)
        across = (-1,) + (1,) * (n + 1)
        sums = conv(x.astype(np.int64) - int(zx), w.astype(np.int64) - zw.astype(np.int64).reshape(
            across if zw.ndim else ()), strides, pads, dilations, groups)
        x_name, w_name = self.give("x", x, False), self.give("w", w)
        if not quantised:
            return self.end([x_name, w_name, self.give("zx", zx), self.give("zw", zw)], sums, None, None)
        bias = np.array([r.randint(-9999, 9999) for _ in range(out)], np.int32) if r.random() < .6 else None
        sx, sw, sy = self.scales(), self.scales(out if r.random() < .5 else None), self.scales()
        self.zero_y = self.zero(tx)
        if bias is not None:
            sums = sums + bias.reshape(across[:-1])
        step = sx * sw / sy
        names = [x_name, self.give("sx", sx), self.give("zx", zx), w_name, self.give("sw", sw), self.give("zw", zw),
                 self.give("sy", sy), self.give("zy", self.zero_y)]
        if bias is not None:
            names.append(self.give("bias", bias))
        self.end(names, sums, step.reshape(across[:-1]) if step.ndim else step, tx)

    def matmul(self, quantised):
        r = self.r
        m, k, n = (r.choice([1, 2, 3, 7]) for _ in range(3))
        ta, tb = r.choice([np.uint8, np.int8]), r.choice([np.uint8, np.int8])
        batch = r.choice([(), (), (2,), (2, 3)])
        a = integers(r, [*batch, m, k], ta)
        b = integers(r, [*(batch if r.random() < .5 else ()), k, n], tb, self.bits)
        za = self.zero(ta, m if r.random() < .2 and not batch else None)
        zb = self.zero(tb, n if r.random() < .4 else None)
        whole_a = a.astype(np.int64) - (za.astype(np.int64)[:, None] if za.ndim else int(za))
        sums = whole_a @ (b.astype(np.int64) - zb.astype(np.int64))
        self.attributes = {}
        names = [self.give("a", a, False), self.give("b", b)]
        if not quantised:
            return self.end([*names, self.give("za", za), self.give("zb", zb)], sums, None, None)
        sa, sb, sy = self.scales(), self.scales(n if r.random() < .5 and zb.ndim else None), self.scales()
        self.zero_y = self.zero(ta)
        self.end([names[0], self.give("sa", sa), self.give("za", za), names[1], self.give("sb", sb),
                  self.give("zb", zb), self.give("sy", sy), self.give("zy", self.zero_y)], sums, sa * sb / sy, ta)

    def text(self):
        return "%s %s %s" % (self.kind, self.attributes, {k: (v.dtype.name, v.shape) for k, v in
                                                         {**self.values, **self.known}.items()})


def model(layers):
    inputs = [h.make_tensor_value_info(k, OF[v.dtype], v.shape) for la in layers for k, v in la.values.items()]
    known = [nh.from_array(v, k) for la in layers for k, v in la.known.items()]
    outputs = [h.make_tensor_value_info(la.name, OF[la.want.dtype], la.want.shape) for la in layers]
    graph = h.make_graph([la.node for la in layers], "layers", inputs, outputs, known)
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 13)], ir_version=8)


def by_runtime(la):
    """What ONNX Runtime gives; None: it does not take the layer."""
    try:
        session = onnxruntime.InferenceSession(model([la]).SerializeToString(), providers=["CPUExecutionProvider"])
        return session.run(None, la.values)[0]
    except Exception:           # whatever it calls what it does not have
        return None


# -- what has no meaning

NAN, U8, I8 = float("nan"), np.uint8, np.int8
QLINEAR = ["x", "sx", "zx", "w", "sw", "zw", "sy", "zy"]
BAD = [                                 # operator, what is given in place of what fits (None: nothing), the sentence
    ("QLinearConv", {"sx": np.float32(0)}, "the scale of the first operand ('sx') is 0 at 0: it has to be above 0"),
    ("QLinearConv", {"sw": np.float32([1, -2])}, "the scale of the second operand ('sw') is -2 at 1"),
    ("QLinearConv", {"sy": np.float32(NAN)}, "the scale of the result ('sy') is nan"),
    ("QLinearMatMul", {"sw": np.float32(np.inf)}, "the scale of the second operand ('sw') is inf"),
    ("QLinearMatMul", {"sx": None}, "input 1 is missing"),
    ("QLinearConv", {"sw": np.int32(1)}, "the scale of the second operand ('sw') is int32, and has to be a float"),
    ("QLinearConv", {"zx": I8(1)}, "the zero point 'zx' is int8, and 'x' is uint8: they have to be of one type"),
    ("QLinearMatMul", {"zw": U8(1)}, "the zero point 'zw' is uint8, and 'w' is int8"),
    ("QLinearConv", {"zw": I8([1, 2, 3])}, "one number is needed, or one for each of 2 channels"),
    ("QLinearConv", {"x": np.float32([[[[1]]]])}, "the zero point 'zx' is uint8, and 'x' is float32"),
    ("QLinearConv", {"zy": np.float32(1)}, "it is to give float32"),
    ("QuantizeLinear", {"sx": np.float32(-1)}, "the scale ('sx') is -1"),
    ("DequantizeLinear", {"sx": np.float32(0)}, "the scale ('sx') is 0"),
    ("DequantizeLinear", {"zx": I8(0)}, "the zero point 'zx' is int8, and 'x' is uint8"),
    ("ConvInteger", {"zx": I8(0)}, "the zero point 'zx' is int8, and 'x' is uint8"),
    ("MatMulInteger", {"w": np.float32([[1]])}, "the zero point 'zw' is int8, and 'w' is float32"),
]


def bad_model(operator, changed):
    product = "MatMul" in operator
    given = {"x": np.ones((1, 1) if product else (1, 1, 2, 2), U8), "sx": np.float32(1), "zx": U8(0),
             "w": np.ones((1, 1) if product else (2, 1, 1, 1), I8), "sw": np.float32(1), "zw": I8(0),
             "sy": np.float32(1), "zy": U8(0)}
    if operator == "QuantizeLinear":
        given["x"] = given["x"].astype(np.float32)
    given.update(changed)
    order = {"ConvInteger": ["x", "w", "zx", "zw"], "MatMulInteger": ["x", "w", "zx", "zw"],
             "QuantizeLinear": ["x", "sx", "zx"], "DequantizeLinear": ["x", "sx", "zx"]}.get(operator, QLINEAR)
    known = [nh.from_array(np.asarray(given[k]), k) for k in order if k != "x" and given[k] is not None]
    graph = h.make_graph([h.make_node(operator, [k if given[k] is not None else "" for k in order], ["y"], "layer")],
                         "bad", [h.make_tensor_value_info("x", OF[given["x"].dtype], given["x"].shape)],
                         [h.make_tensor_value_info("y", T.UINT8, None)], known)
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 13)], ir_version=8)


def refused(lt_run, folder):
    path, wrong = os.path.join(folder, "bad.onnx"), 0
    for operator, changed, sentence in BAD:
        with open(path, "wb") as f:
            f.write(bad_model(operator, changed).SerializeToString())
        done = subprocess.run([lt_run, path, "-b", "ref", "-i", "x=1"], capture_output=True, text=True, check=False)
        said = " ".join(done.stderr.split())
        if done.returncode not in (1, 2) or sentence not in said or operator not in said or path not in said:
            print("# %s of %s: %d, %s" % (operator, list(changed), done.returncode, said))
            wrong += 1
    print("%sok - %d of %d layers without a meaning are refused with a sentence" % (
        "not " if wrong else "", len(BAD) - wrong, len(BAD)))


def main():
    n, seed, lt_run, backends = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    r = random.Random(seed)
    layers = [Layer(r, i) for i in range(n)]
    with tempfile.TemporaryDirectory(prefix="fixed-onnx-") as folder:
        path, out = os.path.join(folder, "layers.onnx"), os.path.join(folder, "y.npz")
        onnx.save(model(layers), path)
        np.savez(os.path.join(folder, "x.npz"), **{k: v for la in layers for k, v in la.values.items()})
        refused(lt_run, folder)
        for b in backends:
            done = subprocess.run([lt_run, path, "-b", b, "-q", "--inputs", os.path.join(folder, "x.npz"), "-o", out],
                                  capture_output=True, text=True, check=False)
            wrong = ["exit code %d: %s" % (done.returncode, done.stderr.strip()[-300:])] if done.returncode else []
            if not wrong:
                with np.load(out) as got:
                    wrong = [la.text() for la in layers if got[la.name].dtype != la.want.dtype
                             or not np.array_equal(got[la.name], la.want)]
            for said in wrong[:5]:
                print("# %s, seed %d: %s" % (b, seed, said))
            print("%sok - %d of %d layers of ONNX in integers on %s are NumPy's" % (
                "not " if wrong else "", n - len(wrong), n, b))
    if not onnxruntime:
        print("ok - layers of ONNX in integers as ONNX Runtime has them # SKIP onnxruntime is not installed")
        return
    there = [(la, y) for la, y in ((la, by_runtime(la)) for la in layers if la.bits == 7) if y is not None]
    wrong = [la.text() for la, y in there if not np.array_equal(y, la.want)]
    for said in wrong[:5]:
        print("# ONNX Runtime, seed %d: %s" % (seed, said))
    print("%sok - %d of %d layers that ONNX Runtime takes have its bytes" % (
        "not " if wrong or not there else "", len(there) - len(wrong), len(there)))


main()
