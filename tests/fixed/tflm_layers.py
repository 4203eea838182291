#!/usr/bin/env python3
"""tflm_layers.py N SEED LT_RUN BACKEND... -- N random layers of integers, as TensorFlow Lite Micro has them, in bits.

Each layer is a model of one operator, which tflite-micro's interpreter (PyPI) runs by its reference kernels, and the
same of nodes of a script: dense layers, convolutions with strides, dilations, groups and pads, depthwise ones, sums,
pools and softmax; of int8, whose multipliers round twice, and of int16 with biases of int64, whose multipliers round
once.  Scales are one or one a channel, zero points at the ends of types, too.  Prints TAP.
"""
import math
import os
import random
import subprocess
import sys
import tempfile

import flatbuffers
import numpy as np
from tflite_micro.python.tflite_micro import runtime
from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

I8, I16, I32, I64 = np.int8, np.int16, np.int32, np.int64
TYPES = {I8: schema.TensorType.INT8, I16: schema.TensorType.INT16, I32: schema.TensorType.INT32,
         I64: schema.TensorType.INT64}
KINDS = ["dense", "dense", "convolution", "convolution", "depthwise", "sum", "average", "maximum", "softmax"]


def ends(t):
    return int(np.iinfo(t).min), int(np.iinfo(t).max)


def quantised_multiplier(real):
    """Of 31 bits, and the bits that it is shifted to the right, as RequantMultiplierNode counts them."""
    q, exponent = math.frexp(real)
    q = math.floor(q * 2**31 + .5)
    return (2**30, -exponent - 1) if q == 2**31 else (q, -exponent)


# -- softmax in fixed point, as gemmlowp has it

def doubling_high(a, b):
    """a * b / 2^31, halves up, of int32: only the least number by itself would be cut off, and none is here."""
    return a * b + 2**30 >> 31


def by_power(x, bits):
    """x / 2^bits, halves away from 0."""
    return x + 2**(bits - 1) - (x < 0) >> bits


def cut(x):
    return max(-2**31, min(2**31 - 1, x))


def exp_of_negative(a):
    """e^a in steps of 2^-31, a <= 0 in steps of 2^-26: a polynomial from -1/4 to 0, and one factor for each bit."""
    if a == 0:
        return 2**31 - 1
    quarter = 2**24
    rest = (a & quarter - 1) - quarter
    x = cut(rest << 5) + 2**28
    x2 = doubling_high(x, x)
    x3, x4 = doubling_high(x2, x), doubling_high(x2, x2)
    sixth = by_power(doubling_high(by_power(x4, 2) + x3, 715827883) + x2, 1)
    y = 1895147668 + doubling_high(1895147668, x + sixth)
    for bit, factor in enumerate((1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)):
        if rest - a >> 24 + bit & 1:
            y = doubling_high(y, factor)
    return y


class Layer:
    """One operator: its model, what it is given, and the lines of a script."""

    def __init__(self, r, i):
        self.r, self.i, self.kind = r, i, r.choice(KINDS)
        self.t = r.choice([I8, I8, I16])
        if self.kind == "softmax":
            self.t = I8
        self.lines, self.constants, self.inputs, self.tensors = [], {}, {}, []
        self.rounding = "twice"
        getattr(self, self.kind)()

    # -- what both sides are made of

    def numbers(self, t, shape, least=None, most=None):
        low, high = ends(t)
        low, high = low if least is None else least, high if most is None else most
        r = self.r
        v = [r.choice([low, high, r.randint(low, high), r.randint(low, high)]) for _ in range(int(np.prod(shape)))]
        return np.array(v, t).reshape(shape)

    def zero_of(self):
        low, high = ends(self.t)
        return 0 if self.t is I16 else self.r.choice([0, low, high, self.r.randint(low, high)])

    def scale(self, about):
        return np.float32(self.r.choice([about, about * self.r.uniform(.6, 1.7), 2.0**math.floor(math.log2(about))]))

    def tensor(self, t, shape, scales, zero, data=None, axis=0):
        """Of the model; its number."""
        scales = np.atleast_1d(scales)
        zeros = [int(zero)] * len(scales)
        self.tensors.append((t, [int(e) for e in shape], [float(s) for s in scales], zeros, data, axis))
        return len(self.tensors) - 1

    def line(self, name, text):
        self.lines.append("%s_%d = %s;" % (name, self.i, text))
        return "%s_%d" % (name, self.i)

    def given(self, name, x):
        """An input of the script."""
        self.inputs["%s_%d" % (name, self.i)] = x
        return self.line(name, "InputTensor(%s_%d, %s, %s)" % (name, self.i, x.dtype.name, list(x.shape)))

    def known(self, name, x):
        """A constant of the script."""
        x = np.ascontiguousarray(x)
        self.constants["%s_%d" % (name, self.i)] = x
        return self.line(name, "ConstantTensor(%s_%d, %s, %s)" % (name, self.i, x.dtype.name, list(x.shape)))

    def activation(self, scale, zero):
        """One of the model, and what it leaves: the least and the most number."""
        low, high = ends(self.t)
        kind = schema.ActivationFunctionType
        which = self.r.choice([kind.NONE, kind.RELU, kind.RELU6, kind.RELU_N1_TO_1])
        of = lambda x: zero + int(np.float32(math.floor(abs(np.float32(x) / scale) + .5)) * np.sign(x))
        if which in (kind.RELU, kind.RELU6):
            low = max(low, zero)
        if which == kind.RELU6:
            high = min(high, of(6))
        if which == kind.RELU_N1_TO_1:
            low, high = max(low, of(-1)), min(high, of(1))
        return which, low, high

    def operator(self, code, options, inputs, out):
        self.code, self.options, self.ins, self.out = code, options, inputs, out

    def result(self, name):
        self.lines.append("result y_%d = %s;" % (self.i, name))

    # -- layers with weights

    def weighted(self, x_shape, w_shape, channel_axis, n, terms, make_options, code, sums, script_weights, one_product):
        """x by w plus a bias, requantised.  sums(x, w, bias, zero_x, zero_w): the node of the script.  one_product: a
        scale of all channels is multiplied by that of x in float32, as the dense layer does."""
        r, t = self.r, self.t
        per_channel = r.random() < .5
        zero_x, zero_y = self.zero_of(), self.zero_of()
        # A zero point of weights: of the dense layer alone, and of one scale.
        zero_w = r.choice([-128, 5, 127]) if one_product and t is I8 and not per_channel and r.random() < .3 else 0
        # Small sums by a power of two, half of them: what lies between two numbers is often a tie, or just beside one.
        small, low, high = r.random() < .5, *ends(t)
        if small:
            x = self.numbers(t, x_shape, max(low, zero_x - 4), min(high, zero_x + 4))
            w = self.numbers(I8, w_shape, max(-127, zero_w - 3), min(127, zero_w + 3))
            x_scale, w_scales = np.float32(2.0**-6), [np.float32(2.0**-7)] * (n if per_channel else 1)
            y_scale = np.float32(2.0**(-13 + r.choice([0, 1, 1, 2, 2, 3, 4])))
        else:
            x, w = self.numbers(t, x_shape), self.numbers(I8, w_shape, -127)
            w_scales = [self.scale(.01 * r.uniform(.3, 3)) for _ in range(n if per_channel else 1)]
            x_scale = self.scale(.02)
            # What a sum is of random numbers, over what the result holds: most of it is used, some is cut off.
            about = math.sqrt(terms) * (73 if t is I8 else 19000) * 73 * .01 * .02 / (100 if t is I8 else 26000)
            y_scale = self.scale(about * r.choice([.05, .5, 1, 1, 2, 20]))
        # A bias of int32 with numbers of int16 has other sums; the depthwise layer has those of int64 alone.
        bias_type = r.choice([None, I32 if t is I8 else I64 if self.kind == "depthwise" else r.choice([I32, I64])])
        # Sums of int16 and biases of int64 have to fit int32 here: a model's author sees to that, too.
        room = 60 if small else 2**20 if t is I8 else 2**30 - terms * 2**22
        bias = None if bias_type is None else self.numbers(I64, [n], -room, room).astype(bias_type)
        self.rounding = "once" if t is I16 and bias_type is not I32 else "twice"
        act, low, high = self.activation(y_scale, zero_y)

        ins = [self.tensor(t, x_shape, x_scale, zero_x),
               self.tensor(I8, w_shape, w_scales, zero_w, w, channel_axis)]
        if bias is not None:
            scales = [np.float32(np.float64(x_scale) * np.float64(s)) for s in w_scales]
            ins.append(self.tensor(bias_type, [n], scales, 0, bias))
        options = make_options(act)
        if bias is None and hasattr(options, "quantizedBiasType"):
            options.quantizedBiasType = schema.TensorType.INT64 if t is I16 else schema.TensorType.INT32
        self.x = x
        self.operator(code, options, ins, (t, y_scale, zero_y))

        pairs = []
        for s in w_scales:
            product = float(np.float32(x_scale * s)) if one_product and not per_channel else float(x_scale) * float(s)
            m, shift = quantised_multiplier(product / float(y_scale))
            if self.rounding == "once":
                # A multiplier of 15 bits, which has those of the other to the nearest.
                m = ((m + 2**15 >> 16) if m < 0x7fff0000 else 0x7fff) << 16
            pairs.append((m, shift))
        m, shift = (self.known(name, np.array([p[j] for p in pairs], I32)) for j, name in enumerate(("m", "shift")))
        b = "0" if bias is None else self.known("b", bias.astype(I32))
        s = self.line("s", sums(self.given("x", x), self.known("w", script_weights(w)), b, zero_x, zero_w))
        self.result("RequantMultiplierNode(%s, %s, %s, %s, %s, %d, %d, %d)" % (
            s, m, shift, np.dtype(t).name, self.rounding, zero_y, low, high))

    def dense(self):
        m, k, n = (self.r.choice([1, 2, 3, 7, 16, 33]) for _ in range(3))

        def options(act):
            o = schema.FullyConnectedOptionsT()
            o.fusedActivationFunction = act
            return o

        self.weighted([m, k], [n, k], 0, n, k, options, schema.BuiltinOperator.FULLY_CONNECTED,
                      lambda x, w, b, zx, zw: "FixedMatMulNode(%s, %s, %s, %d, %d, int32)" % (x, w, b, zx, zw),
                      lambda w: w.T, True)
        self.shape = [m, n]

    def window(self, kernel, dilations):
        """Image extents, strides, the padding of the model and the pads that it makes, extents of the result."""
        r = self.r
        strides = [r.choice([1, 1, 2, 3]) for _ in range(2)]
        same = r.random() < .5
        image = [d * (k - 1) + r.choice([1, 2, 5]) for d, k in zip(dilations, kernel)]
        pads, out = [0, 0, 0, 0], []
        for i in range(2):
            long = dilations[i] * (kernel[i] - 1) + 1
            n = -(-image[i] // strides[i]) if same else (image[i] - long) // strides[i] + 1
            both = max(0, (n - 1) * strides[i] + long - image[i]) if same else 0
            pads[i], pads[i + 2] = both // 2, both - both // 2
            out.append(n)
        return image, strides, schema.Padding.SAME if same else schema.Padding.VALID, pads, out

    def convolution(self, depthwise=False):
        r = self.r
        kernel, dilations = [r.choice([1, 2, 3]) for _ in range(2)], [r.choice([1, 1, 2]) for _ in range(2)]
        groups = r.choice([1, 2, 3, 5]) if depthwise else r.choice([1, 1, 2, 3])
        per, out = 1 if depthwise else r.choice([1, 3, 4]), r.choice([1, 2, 3])
        n = groups * out
        image, strides, padding, pads, y = self.window(kernel, dilations)
        batch = r.choice([1, 1, 2])

        def options(act):
            o = schema.DepthwiseConv2DOptionsT() if depthwise else schema.Conv2DOptionsT()
            o.padding, o.fusedActivationFunction = padding, act
            (o.strideH, o.strideW), (o.dilationHFactor, o.dilationWFactor) = strides, dilations
            if depthwise:
                o.depthMultiplier = out
            return o

        self.weighted([batch, *image, per * groups], [1, *kernel, n] if depthwise else [n, *kernel, per],
                      3 if depthwise else 0, n, per * kernel[0] * kernel[1], options,
                      schema.BuiltinOperator.DEPTHWISE_CONV_2D if depthwise else schema.BuiltinOperator.CONV_2D,
                      lambda x, w, b, zx, zw: "FixedConv2dNode(%s, %s, %s, %d, %d, int32, %s, %s, %s, %d, NHWC)" % (
                          x, w, b, zx, zw, strides, pads, dilations, groups),
                      lambda w: w.reshape(*kernel, 1, n) if depthwise else w.transpose(1, 2, 3, 0), False)
        self.shape = [batch, *y, n]

    def depthwise(self):
        self.convolution(True)

    # -- layers without

    def sum(self):
        """Both operands at twice the larger scale, with 20 bits more (of int16 15), and the sum at the result's."""
        r, t = self.r, self.t
        bits = 20 if t is I8 else 15
        shape = [r.choice([1, 2, 3]), r.choice([1, 5, 17])]
        scales = [self.scale(.02 * r.uniform(.2, 5)) for _ in range(2)]
        zeros = [self.zero_of() for _ in range(3)]
        y_scale = self.scale(float(max(scales)) * r.choice([.5, 1, 2]))
        act, low, high = self.activation(y_scale, zeros[2])
        twice = 2 * float(max(scales))
        ins = [self.tensor(t, shape, scales[i], zeros[i]) for i in range(2)]
        self.x, self.x2 = self.numbers(t, shape), self.numbers(t, shape)
        o = schema.AddOptionsT()
        o.fusedActivationFunction, o.potScaleInt16 = act, False
        self.operator(schema.BuiltinOperator.ADD, o, ins, (t, y_scale, zeros[2]))
        parts = []
        for name, x, scale, zero in (("x", self.x, scales[0], zeros[0]), ("z", self.x2, scales[1], zeros[1])):
            wide = "(CastNode(%s, int32) - %d) * %d" % (self.given(name, x), zero, 2**bits)
            m, shift = quantised_multiplier(float(scale) / twice)
            parts.append(self.line(name + "s", "RequantMultiplierNode(%s, %d, %d, int32)" % (
                self.line(name + "w", wide), m, shift)))
        m, shift = quantised_multiplier(twice / (2**bits * float(y_scale)))
        self.result("RequantMultiplierNode(%s + %s, %d, %d, %s, twice, %d, %d, %d)" % (
            *parts, m, shift, np.dtype(t).name, zeros[2], low, high))
        self.shape = shape

    def pool(self, average):
        r, t = self.r, self.t
        kernel = [r.choice([1, 2, 3]) for _ in range(2)]
        image, strides, padding, pads, out = self.window(kernel, [1, 1])
        shape = [r.choice([1, 2]), *image, r.choice([1, 3])]
        scale, zero = self.scale(.02), self.zero_of()
        act, low, high = self.activation(scale, zero)
        o = schema.Pool2DOptionsT()
        o.padding, o.fusedActivationFunction = padding, act
        (o.strideH, o.strideW), (o.filterHeight, o.filterWidth) = strides, kernel
        self.x = self.numbers(t, shape)
        code = schema.BuiltinOperator
        self.operator(code.AVERAGE_POOL_2D if average else code.MAX_POOL_2D, o, [self.tensor(t, shape, scale, zero)],
                      (t, scale, zero))
        outside = 0 if average else ends(t)[0]
        v = self.line("v", "CastNode(%s, int32)" % self.given("x", self.x))
        for axis, i in ((1, 0), (3, 1)):
            v = self.line("v%d" % i, "WindowNode(%s, %d, %d, %d, 1, %d, %d, %d)" % (
                v, axis, kernel[i], strides[i], pads[i], pads[i + 2], outside))
        if average:
            # How many pixels of the image a window has; the mean is of those, halves away from 0.
            there = [[sum(0 <= p * strides[i] + k - pads[i] < image[i] for k in range(kernel[i]))
                      for p in range(out[i])] for i in range(2)]
            n = self.known("n", np.outer(*there).astype(I32)[:, :, None])
            half = self.known("half", np.outer(*there).astype(I32)[:, :, None] // 2)
            s = self.line("s", "ReduceSumNode(%s, [2, 4])" % v)
            v = "WhereNode(%s > 0, (%s + %s) / %s, 0 - (%s - %s) / %s)" % (s, s, half, n, half, s, n)
        else:
            v = "ReduceMaxNode(%s, [2, 4])" % v
        self.result("CastNode(ClipNode(%s, %d, %d), %s)" % (self.line("y", v), low, high, np.dtype(t).name))
        self.shape = [shape[0], *out, shape[3]]

    def average(self):
        self.pool(True)

    def maximum(self):
        self.pool(False)

    def softmax(self):
        """A table of e^x for the 256 distances to the largest number, and one quotient by three steps of Newton."""
        r = self.r
        shape = [r.choice([1, 3]), r.choice([1, 2, 10, 100])]
        scale, beta = self.scale(r.choice([.005, .05, .5])), r.choice([1.0, .5])
        to = r.choice([I8, I16])
        bits = 8 if to is I8 else 16
        self.x = self.numbers(I8, shape)
        o = schema.SoftmaxOptionsT()
        o.beta = beta
        self.operator(schema.BuiltinOperator.SOFTMAX, o, [self.tensor(I8, shape, scale, self.zero_of())],
                      (to, np.float32(2.0**-bits), ends(to)[0]))
        m, right = quantised_multiplier(min(beta * float(scale) * 2**26, 2.0**31 - 1))
        farthest = -math.floor(31 * 2**26 / 2**-right)
        powers = [exp_of_negative(doubling_high(d * 2**-right, m)) if d >= farthest else 0 for d in range(-255, 1)]
        e = self.known("e", np.array(powers, I64))
        parts = self.known("parts", np.array([by_power(p, 12) for p in powers], I64))
        x = self.line("w", "CastNode(%s, int64)" % self.given("x", self.x))
        at = self.line("at", "%s - ReduceMaxNode(%s, [1], 1) + 255" % (x, x))
        s = self.line("s", "ReduceSumNode(GatherNode(%s, %s), [1], 1)" % (parts, at))
        # The zeros before its first bit, of 32.
        zeros = self.line("zeros", "ReduceSumNode(CastNode(%s < %s, int64), [1], 1)" % (
            s, self.known("bounds", np.array([[2**i for i in range(32)]], I64))))

        def high(name, a, b):
            return self.line(name, "CastNode(RequantShiftNode(%s * %s, 31, int32, up), int64)" % (a, b))

        def raised(x, by):
            return "ClipNode(%s * %d, -2147483648, 2147483647)" % (x, 2**by)

        half = self.line("half", "ShlNode(%s, %s) / 2" % (s, zeros))
        q = self.line("q", "%s + 1515870810" % high("q0", half, "(0 - 1010580540)"))
        for i in range(3):
            off = self.line("off%d" % i, "536870912 - %s" % high("by%d" % i, half, q))
            q = self.line("q%d" % (i + 1), "%s + %s" % (q, raised(high("step%d" % i, q, off), 2)))
        one = self.line("one", raised(q, 1))
        y = high("y", one, self.line("own", "GatherNode(%s, %s)" % (e, at)))
        self.result("RequantShiftNode(%s, 12 - %s + %d, %s, away, %d)" % (y, zeros, 31 - bits, np.dtype(to).name,
                                                                        ends(to)[0]))
        self.shape = shape

    # -- TensorFlow Lite Micro

    def model(self):
        """The bytes of a .tflite."""
        m, graph, op = schema.ModelT(), schema.SubGraphT(), schema.OperatorT()
        m.version, m.description = 3, self.kind
        m.buffers = [schema.BufferT()]
        t, scale, zero = self.out
        out = self.tensor(t, self.shape, scale, zero)
        graph.tensors = []
        for t, shape, scales, zeros, data, axis in self.tensors:
            v = schema.TensorT()
            v.shape, v.type, v.name, v.buffer = shape, TYPES[t], "v%d" % len(graph.tensors), 0
            v.quantization = schema.QuantizationParametersT()
            v.quantization.scale, v.quantization.zeroPoint = np.float32(scales), np.int64(zeros)
            v.quantization.quantizedDimension = axis
            if data is not None:
                v.buffer = len(m.buffers)
                m.buffers.append(schema.BufferT())
                m.buffers[-1].data = np.frombuffer(data.tobytes(), np.uint8)
            graph.tensors.append(v)
        code = schema.OperatorCodeT()
        code.builtinCode = code.deprecatedBuiltinCode = self.code
        code.version = 1
        m.operatorCodes = [code]
        op.opcodeIndex, op.inputs, op.outputs = 0, self.ins, [out]
        op.builtinOptions = self.options
        op.builtinOptionsType = getattr(schema.BuiltinOptions, type(self.options).__name__[:-1])
        graph.operators, graph.inputs, graph.outputs = [op], [v for v in self.ins if self.tensors[v][4] is None], [out]
        m.subgraphs = [graph]
        builder = flatbuffers.Builder(4096)
        builder.Finish(m.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def want(self):
        run = runtime.Interpreter.from_bytes(self.model(), arena_size=1 << 20)
        run.set_input(self.x, 0)
        if self.kind == "sum":
            run.set_input(self.x2, 1)
        run.invoke()
        return run.get_output(0)

    def text(self):
        return "layer %d, %s of %s, %s: %s" % (self.i, self.kind, np.dtype(self.t).name, self.rounding,
                                               "; ".join(v[:90] for v in self.lines if "Tensor" not in v))


def main():
    n, seed, lt_run, backends = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    r = random.Random(seed)
    layers = [Layer(r, i) for i in range(n)]
    wants = [la.want() for la in layers]
    counts = ", ".join("%d %s" % (sum(la.kind == k for la in layers), k) for k in sorted(set(KINDS)))
    once = sum(la.rounding == "once" for la in layers)
    print("# seed %d: %s; %d round once" % (seed, counts, once))
    # A layer whose bytes are all one number would say little.
    flat = sum(w.size > 8 and w.min() == w.max() for w in wants)
    print("%sok - %d of %d layers have bytes that differ" % ("not " if flat > n // 5 else "", n - flat, n))
    with tempfile.TemporaryDirectory(prefix="fixed-tflm-") as folder:
        at = lambda name: os.path.join(folder, name)
        with open(at("layers.lt"), "w") as f:
            f.write("\n".join(line for la in layers for line in la.lines) + "\n")
        np.savez(at("w.npz"), **{k: v for la in layers for k, v in la.constants.items()})
        np.savez(at("x.npz"), **{k: v for la in layers for k, v in la.inputs.items()})
        for b in backends:
            done = subprocess.run([lt_run, at("layers.lt"), "-b", b, "-q", "-w", at("w.npz"), "--inputs", at("x.npz"),
                                   "-o", at("y.npz")], capture_output=True, text=True, check=False)
            wrong = ["exit code %d: %s" % (done.returncode, done.stderr.strip()[-400:])] if done.returncode else []
            if not wrong:
                with np.load(at("y.npz")) as got:
                    wrong = [la.text() for la, w in zip(layers, wants) if got["y_%d" % la.i].dtype != w.dtype
                             or not np.array_equal(got["y_%d" % la.i], w)]
            for said in wrong[:5]:
                print("# %s, seed %d: %s" % (b, seed, said))
            print("%sok - %d of %d layers on %s are those of TensorFlow Lite Micro" % (
                "not " if wrong else "", 0 if done.returncode else n - len(wrong), n, b))


main()
