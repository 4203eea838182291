#!/usr/bin/env python3
"""Looptree on a GPU beside PyTorch: the rows of the table in docs/cudnn.md, with what is asked for beside each.

    bench/pytorch_table.py [--only ROWS] [--types f32,tf32,f16,bf16] [--filter PATTERN] [--json FILE] [--check]
    bench/pytorch_table.py --from FILE.json... [--only ROWS] [--check] [--cases]

ROWS: some of convolutions,depthwise,products,silu,attention,norms,networks,backends,start,own; default: all.

convolutions, depthwise   all such layers of ResNet-50 and of MobileNetV2 one after the other, with what follows each
products, silu            products with a bias and what follows: ReLU, GELU by tanh (`cudnn:gelu`, the library's own
                          formula); SiLU, SwiGLU; as the model in PyTorch computes them, whose every operator rounds,
                          and in float32 until the end
networks                  the scripts NETS/resnet50_32.lt, bert_f16_1.lt ...; those that are not there are not measured:
                              bench/make_nets.py build/nets resnet50{,_f16} mobilenet_v2{,_f16} bert{,_f16}
                              bench/make_nets.py --scripts build/nets
backends                  the first of --backend against the better of the others (cuda, cuda:generated), of the cases
                          of all rows above that --only names, or of all
start                     a step of a LLaMA of six layers, from nothing and by a second process
own                       what a call of an own kernel takes above the kernel (docs/own-kernels.md), on the processor

Everything is on the device, a run is recorded (a CUDA graph), and the median of many counts, each from its launch to
its end by the host's clock, so that 5 us or more are the launch's on both sides; in brackets by the device's, between
two events around the launch: PyTorch's median, our mean.  PyTorch is the better of both orders in memory, with the
benchmark mode, TF32 off unless the type is tf32.  Programs are compiled first, several at once, then timed one by one.

--json keeps what was measured, case by case; what one sitting did not reach another one measures, and --from makes one
table of all: of a ratio the last file counts that has both sides.  --seconds ends a sitting in time: what is left is
"not measured".  --check: exit code 1 if something is less than what is asked for, or was not measured.
"""
import argparse
import concurrent.futures
import datetime
import fnmatch
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.pop(0)                 # beside it are files that other packages ask for by name

TYPES = {"f32": "float32", "tf32": "float32", "f16": "float16", "bf16": "bfloat16"}
BEGIN = time.monotonic()


class Case:
    """script: what lt-run runs, or a file of it; peers: makes two lists of functions without arguments, each another
    way to it in PyTorch, and ways to something less, which are told beside them.  option: of the backend."""
    def __init__(self, row, name, kind, script, peers, option=""):
        self.row, self.name, self.kind, self.script, self.peers, self.option = row, name, kind, script, peers, option


# ---- PyTorch ----

def peer():
    """PyTorch, where a case is measured beside it."""
    import torch
    return torch


def rand(shape, kind, scale=1.0):
    torch = peer()
    return (torch.rand(shape, device="cuda") * 2 - 1).mul(scale).to(getattr(torch, TYPES[kind]))


# ---- scripts ----

def head(kind):
    """f, h: to float32 and back; of float32 nothing."""
    if TYPES[kind] == "float32":
        return "def f(x) { return x; }\ndef h(x) { return x; }\n"
    return "def f(x) { return CastNode(x, float32); }\ndef h(x) { return CastNode(x, %s); }\n" % TYPES[kind]


def tensor(node, name, kind, shape):
    return "%s = %sTensor(%s, %s, [%s]);\n" % (name, node, name, TYPES[kind], ", ".join(map(str, shape)))


# ---- convolutions ----

def resnet50():
    """(channels, filters, window, stride, extent before, residual, relu) of each of the 53."""
    yield 3, 64, 7, 2, 224, False, True
    channels, extent = 64, 56
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            s = stride if block == 0 else 1
            yield channels, width, 1, 1, extent, False, True
            yield width, width, 3, s, extent, False, True
            yield width, 4 * width, 1, 1, extent // s, True, True
            if block == 0:
                yield channels, 4 * width, 1, s, extent, False, False
            channels, extent = 4 * width, extent // s


def mobilenet_v2():
    """The same of the 17 depthwise layers: channels, stride, extent before."""
    channels, extent = 32, 112
    for t, c, n, s in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                       (6, 320, 1, 1)):
        for i in range(n):
            stride = s if i == 0 else 1
            yield channels * t, stride, extent
            channels, extent = c, extent // stride


def layers_script(kind, batch, shapes, depthwise):
    script = head(kind)
    for i, (c, k, w, s, e, residual, relu) in enumerate(shapes):
        n, groups, o = str(i), c if depthwise else 1, -(-e // s)
        script += tensor("Input", "x" + n, kind, (batch, e, e, c))
        script += tensor("Constant", "w" + n, kind, (k, w, w, c // groups))
        script += tensor("Constant", "b" + n, kind, (k, 1, 1))
        value = "Conv2dNode(f(PermuteNode(x%s, [0, 3, 1, 2])), f(PermuteNode(w%s, [0, 3, 1, 2])), [%d, %d], " \
            "[%d, %d, %d, %d], [1, 1], %d)" % (n, n, s, s, *[w // 2] * 4, groups)
        value += " + f(b%s)" % n
        if residual:
            script += tensor("Input", "r" + n, kind, (batch, o, o, k))
            value += " + f(PermuteNode(r%s, [0, 3, 1, 2]))" % n
        if relu:
            value = "MinNode(MaxNode(%s, 0), 6)" % value if depthwise else "ReLUNode(%s)" % value
        script += "result y%s = PermuteNode(h(%s), [0, 2, 3, 1]);\n" % (n, value)
    return script


def layers_peers(kind, batch, shapes, depthwise):
    torch, ways = peer(), []
    F = torch.nn.functional
    for order in (torch.contiguous_format, torch.channels_last):
        steps = []
        for c, k, w, s, e, residual, relu in shapes:
            groups, o = c if depthwise else 1, -(-e // s)
            x, v, b = (rand((batch, c, e, e), kind), rand((k, c // groups, w, w), kind, 1 / w), rand((k,), kind))
            x, v = x.to(memory_format=order), v.to(memory_format=order)
            r = rand((batch, k, o, o), kind).to(memory_format=order) if residual else None
            steps.append((x, v, b, r, s, w // 2, groups, relu))

        def run(steps=steps):
            for x, v, b, r, s, p, g, relu in steps:
                y = F.conv2d(x, v, b, s, p, 1, g)
                if r is not None:
                    y = y.add_(r)
                if relu:
                    y = F.relu6(y, inplace=True) if depthwise else y.relu_()
        ways.append(run)
    return ways, []


def layers(row, name, kind, batch, shapes, depthwise):
    given = kind, batch, shapes, depthwise
    return Case(row, "%s, batch %d" % (name, batch), kind, layers_script(*given), lambda: layers_peers(*given))


def convolutions(kind):
    for batch in (32, 1):
        yield layers("convolutions", "53 convolutions of ResNet-50", kind, batch, list(resnet50()), False)


def depthwise(kind):
    if kind != "tf32":
        shapes = [(c, c, 3, s, e, False, True) for c, s, e in mobilenet_v2()]
        for batch in (32, 1):
            yield layers("depthwise", "17 depthwise layers of MobileNetV2", kind, batch, shapes, True)


# ---- products ----

SIZES = ((4096, 4096, 4096), (8192, 4096, 4096), (512, 4096, 11008), (128, 768, 3072))
TANH = "def gelu(x) { return 0.5 * x * (1 + TanhNode(0.7978845608028654 * (x + 0.044715 * x * x * x))); }\n"
BETWEEN = ", float32 between"
AFTER = {"relu": "ReLUNode", "gelu": "gelu", "silu": "SiLUNode"}


def product_peers(kind, m, k, n, after):
    torch = peer()
    F = torch.nn.functional
    x, w, b = rand((m, k), kind), rand((k, n), kind), rand((n,), kind)
    act = {"relu": torch.relu, "gelu": lambda t: F.gelu(t, approximate="tanh"), "silu": F.silu}[after]
    ways = [lambda: act(torch.addmm(b, x, w))]
    if after != "silu":         # cublasLt's epilogue
        ways.append(lambda: torch._addmm_activation(b, x, w, use_gelu=after == "gelu"))
    return ways, []


def product(row, kind, m, k, n, after, rounds):
    script = head(kind) + TANH + tensor("Input", "x", kind, (m, k)) + tensor("Constant", "w", kind, (k, n)) \
        + tensor("Constant", "b", kind, (n,)) + "result = h(%s(%s));\n" % (
            AFTER[after], "f(h(f(x) @ f(w) + f(b)))" if rounds else "f(x) @ f(w) + f(b)")
    return Case(row, "%dx%dx%d, bias, %s%s" % (m, k, n, after, "" if rounds else BETWEEN), kind, script,
                lambda: product_peers(kind, m, k, n, after), "gelu" if after == "gelu" else "")


def products(kind):
    if kind in ("f16", "bf16"):
        for size in SIZES:
            for after, rounds in (("relu", True), ("gelu", True), ("gelu", False)):
                yield product("products", kind, *size, after, rounds)


def swiglu_peers(kind, m, k, n):
    F = peer().nn.functional
    x, w, v = rand((m, k), kind), rand((k, n), kind), rand((k, n), kind)
    return [lambda: F.silu(x @ w) * (x @ v)], []


def silu(kind):
    if kind not in ("f16", "bf16"):
        return
    for m, k, n in SIZES:
        for rounds in (True, False):
            yield product("silu", kind, m, k, n, "silu", rounds)
            script = head(kind) + tensor("Input", "x", kind, (m, k)) + tensor("Constant", "w", kind, (k, n)) \
                + tensor("Constant", "v", kind, (k, n)) + "def r(x) { return %s; }\n" % ("f(h(x))" if rounds else "x") \
                + "result = h(r(SiLUNode(r(f(x) @ f(w)))) * r(f(x) @ f(v)));\n"
            yield Case("silu", "SwiGLU %dx%dx%d%s" % (m, k, n, "" if rounds else BETWEEN), kind, script,
                       lambda m=m, k=k, n=n: swiglu_peers(kind, m, k, n))


def attention_peers(kind, b, s, d, causal):
    F = peer().nn.functional
    q, k, v = (rand((b, 16, s, d), kind) for _ in "qkv")
    return [lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)], []


def attention(kind):
    if kind not in ("f16", "bf16"):
        return
    for d in (64, 128):
        for s, b in ((128, 128), (512, 32), (1024, 16), (2048, 8), (4096, 4), (8192, 2), (16384, 1)):
            for causal in (False, True):
                seen = "LessEqualNode(IndexNode(s, 2), IndexNode(s, 1))"
                script = head(kind) + "".join(tensor("Input", t, kind, (16 * b, s, d)) for t in "qkv") \
                    + "s = EinsumNode(hsd,htd->hst: f(q), f(k)) * %.17g;\n" % d ** -0.5 \
                    + "p = h(SoftmaxNode(%s));\n" % ("WhereNode(%s, s, -inf)" % seen if causal else "s") \
                    + "result = h(EinsumNode(hst,htd->hsd: f(p), f(v)));\n"
                name = "attention s%d d%d b%d%s" % (s, d, b, " causal" if causal else "")
                yield Case("attention", name, kind, script,
                           lambda b=b, s=s, d=d, causal=causal: attention_peers(kind, b, s, d, causal))


def norm_peers(kind, m, n, name):
    F = peer().nn.functional
    x, g, b = rand((m, n), kind), rand((n,), kind), rand((n,), kind)
    return [(lambda: F.layer_norm(x, (n,), g, b)) if name == "layer" else lambda: F.rms_norm(x, (n,), g, 1e-5)], []


def norms(kind):
    if kind == "tf32":
        return
    for m, n in ((8192, 4096), (128, 768)):
        for name in ("layer", "RMS"):
            script = head(kind) + tensor("Input", "x", kind, (m, n)) + tensor("Constant", "g", kind, (n,))
            if name == "layer":
                script += tensor("Constant", "b", kind, (n,)) + "result = h(LayerNormNode(f(x), f(g), f(b)));\n"
            else:
                script += "result = h(RMSNormNode(f(x), f(g)));\n"
            yield Case("norms", "%s norm %dx%d" % (name, m, n), kind, script,
                       lambda m=m, n=n, name=name: norm_peers(kind, m, n, name))


# ---- networks ----

COMPILED = {("resnet50", "f16", 32), ("bert", "f16", 16)}       # by torch.compile, too


def bert(how, masked):
    """BERT-base as the script has it: transformers' model, with its mask (masked) or without one."""
    torch = peer()
    from transformers import BertConfig, BertModel

    class Bert(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = BertModel(BertConfig(attn_implementation=how))

        def forward(self, ids):
            out = self.model(input_ids=ids, attention_mask=torch.ones_like(ids) if masked else None)
            return out.last_hidden_state, out.pooler_output
    return Bert()


def encoder():
    nn = peer().nn
    layer = nn.TransformerEncoderLayer(768, 12, 3072, dropout=0, activation="gelu", batch_first=True)
    return nn.TransformerEncoder(layer, 12)


def compiled(model, x):
    """By inductor, the result of a call among them: compiled before it is recorded."""
    torch = peer()
    with torch.inference_mode():
        made = torch.compile(model, mode="max-autotune-no-cudagraphs" if OPTIONS.compile == "most" else "default")
        made(x)
    return made


# Name, model.  BERT's encoder alone, by PyTorch's own layers, is less than the script: no embeddings, no pooling, and a
# GELU by tanh where erf is asked for; it is measured beside the others.
def models(name):
    if name != "bert":
        import torchvision
        yield name, lambda: getattr(torchvision.models, name)(weights=None)
        return
    for how in ("sdpa", "eager"):
        for masked in (False, True):
            yield "transformers, %s%s" % (how, ", mask" if masked else ""), lambda: bert(how, masked)
    yield "encoder alone", encoder


def network_peers(name, batch, kind):
    torch = peer()
    dtype = getattr(torch, TYPES[kind])
    ways, apart = [], []
    for what, make in models(name):
        for last in (False, True) if name != "bert" else (False,):
            order = {"memory_format": torch.channels_last} if last else {}
            model = make().eval().to("cuda", dtype, **order)
            if what.startswith("transformers"):
                x = torch.zeros(batch, 128, dtype=torch.int64, device="cuda")
            else:
                shape = (batch, 128, 768) if what == "encoder alone" else (batch, 3, 224, 224)
                x = torch.randn(shape, dtype=dtype).to("cuda", **order)
            (apart if what == "encoder alone" else ways).append(lambda model=model, x=x: model(x))
            # By products or with a mask BERT is not faster, and compiling takes half a minute.
            if OPTIONS.compile != "none" and (name, kind, batch) in COMPILED and what in (name, "transformers, sdpa"):
                ways.append(lambda made=compiled(model, x), x=x: made(x))
    return ways, apart


def networks(kind):
    if kind not in ("f32", "f16"):
        return
    for name in ("resnet50", "mobilenet_v2", "bert"):
        for batch in (1, 32) if name != "bert" else (1, 16):
            path = os.path.join(OPTIONS.nets, "%s%s_%d.lt" % (name, "" if kind == "f32" else "_" + kind, batch))
            yield Case("networks", "%s, batch %d" % (name, batch), kind, path,
                       lambda name=name, batch=batch: network_peers(name, batch, kind))


# ---- what is asked for ----

class Line:
    """What is asked of the cases of a row whose names have `name`, of some types: most: ours over PyTorch's at most;
    mean, least: of PyTorch's over ours at least, the geometric mean and the lowest."""
    def __init__(self, row, what, kinds, name="", most=None, mean=None, least=None):
        self.row, self.what, self.kinds, self.name = row, what, kinds.split(), name
        self.most, self.mean, self.least = most, mean, least

    def has(self, case):
        if case.row != self.row or case.kind not in self.kinds:
            return False
        # With float32 between it is another graph than PyTorch's: a line of its own, of which nothing is asked.
        return self.name in case.name if self.name else BETWEEN not in case.name


ROWS = {"convolutions": convolutions, "depthwise": depthwise, "products": products, "silu": silu,
        "attention": attention, "norms": norms, "networks": networks, "backends": None, "start": None, "own": None}
LINES = [
    *(Line("convolutions", "53 convolutions of ResNet-50, batch %d" % batch, kind, "batch %d" % batch, most=most)
      for batch, mosts in ((32, (0.85, 0.46, 0.40, 0.43)), (1, (0.93, 0.60, 0.48, 0.52)))
      for kind, most in zip(TYPES, mosts)),
    *(Line("depthwise", "depthwise layers of MobileNetV2", kind, least=least)
      for kind, least in (("f32", 1.7), ("f16", 1.6), ("bf16", 1.0))),
    Line("products", "products, bias, ReLU or GELU", "f16 bf16", mean=1.0, least=0.95),
    Line("products", "the same" + BETWEEN, "f16 bf16", BETWEEN),
    Line("silu", "products, bias, SiLU; SwiGLU", "f16 bf16", least=1.0),
    Line("silu", "the same" + BETWEEN, "f16 bf16", BETWEEN),
    Line("attention", "attention", "f16 bf16", mean=1.05, least=0.9),
    Line("norms", "layer norm, RMS norm", "f16", least=1.2),
    Line("norms", "layer norm, RMS norm", "f32"), Line("norms", "layer norm, RMS norm", "bf16"),
    Line("networks", "networks", "f32 f16", mean=1.2, least=1.0),
]
OTHERS = 0.97                   # of the better of the other backends
CALL_US = 1.0                   # a call of an own kernel, above the kernel


def mean_of(values):
    return math.exp(statistics.mean(map(math.log, values)))


def decided(good, whole):
    """None: what is missing decides."""
    return good if whole or not good else None


def line_of(line, cases, found):
    """what, types, asked, reached or None, in words."""
    cases = [c for c in cases if line.has(c)]
    known = [(r["pytorch"] / r[OURS], c, r) for c in cases for r in [found.get((c.name, c.kind), {}).get("torch")] if r]
    asked = " / ".join("≥ %g" % b for b in (line.mean, line.least) if b) or (line.most and "≤ %g" % line.most) or ""
    if not known:
        return line.what, line.kinds, asked, None, "not measured"
    worst = min(known, key=lambda k: k[0])
    ok = len(known) == len(cases)
    if line.most:
        value = 1 / worst[0]
        return (line.what, line.kinds, asked, decided(value <= line.most, ok),
                "%.3f: %.1f us, PyTorch's %.1f us" % (value, worst[2][OURS], worst[2]["pytorch"]))
    mean = mean_of([k[0] for k in known])
    words = "%.3f" % mean if len(known) > 1 else ""
    words += " / %.3f (%s, %s)" % (worst[0], worst[1].name, worst[1].kind)
    words += " of %d" % len(known) + (", %d not measured" % (len(cases) - len(known)) if not ok else "")
    good = (not line.mean or mean >= line.mean) and (not line.least or worst[0] >= line.least)
    return line.what, line.kinds, asked, decided(good, ok) if asked else "", words.removeprefix(" / ")


def others_of(cases, found):
    known = []
    for c in cases:
        r = found.get((c.name, c.kind), {}).get("others")
        if r:
            known.append((min(us for name, us in r.items() if name != OURS) / r[OURS], c, r))
    what = "cudnn over the better of cuda and cuda:generated"
    if not known:
        return what, [], "≥ %g" % OTHERS, None, "not measured"
    worst = min(known, key=lambda k: k[0])
    missing = len(cases) - len(known)
    return (what, [], "≥ %g" % OTHERS, decided(worst[0] >= OTHERS, not missing), "%.3f (%s, %s) of %d%s"
            % (worst[0], worst[1].name, worst[1].kind, len(known), ", %d not measured" % missing if missing else ""))


def lines_of(rows, cases, found):
    for line in LINES:
        if line.row in rows and any(map(line.has, cases)):
            yield line_of(line, cases, found)
    if "backends" in rows:
        yield others_of(cases, found)
    if "start" in rows:
        r = found.get("start")
        yield ("LLaMA of six layers, cudnn:tf32: plans, first and second process", [], "one layer's; 0",
               r and r["first"]["plans"] <= r["layer"]["plans"] and r["second"]["plans"] == 0,
               "%d (one layer: %d); %d" % (r["first"]["plans"], r["layer"]["plans"], r["second"]["plans"])
               if r else "not measured")
        yield ("its start over that of cuda: first process; second", [], "", "" if r else None,
               "%.2f; %.2f: %.2f and %.2f s, cuda %.2f and %.2f s"
               % (r["first"]["s"] / r["first_cuda"]["s"], r["second"]["s"] / r["second_cuda"]["s"], r["first"]["s"],
                  r["second"]["s"], r["first_cuda"]["s"], r["second_cuda"]["s"]) if r else "not measured")
    if "own" in rows:
        for size, r in (found.get("own") or dict.fromkeys(("8", "64", "512"))).items():
            above = r and (r["call_s"] - r["loops_s"]) * 1e6
            yield ("a call of an own product %s³ above its loops" % size, [], "≤ %g us" % CALL_US,
                   r and above <= CALL_US, "%.3f us: %.2f and %.2f us, fastest of %d by turns; the loops and "
                   "themselves %.3f us" % (above, r["call_s"] * 1e6, r["loops_s"] * 1e6, r["n"], r["noise_s"] * 1e6)
                   if r else "not measured")


# ---- times ----

def recorded_us(run):
    """The median of 40 replays, by the clock from the launch to the end, as lt-run --time takes it; the same of 20 by
    the device's clock."""
    torch = peer()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), torch.inference_mode():
        for _ in range(3):
            run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream), torch.inference_mode():
        run()
    times = []
    for i in range(50):
        begin = time.perf_counter()
        graph.replay()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e6)
    device = []
    for i in range(20):
        begins, ends = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begins.record()
        graph.replay()
        ends.record()
        torch.cuda.synchronize()
        device.append(begins.elapsed_time(ends) * 1e3)
    return statistics.median(times[10:]), statistics.median(device)


def least_us(ways):
    """By both clocks; NaN where there is none, or none can be recorded, which is said."""
    times = []
    for way in ways:
        try:
            times.append(recorded_us(way))
        except RuntimeError as e:
            print("# not recorded: %s" % str(e).splitlines()[0], flush=True)
    return tuple(min(t) for t in zip(*times)) or (math.nan, math.nan)


class Programs:
    """Scripts in files, each with the command that runs it by a backend."""
    def __init__(self, folder):
        self.folder, self.cache, self.n = folder, os.path.join(folder, "cache"), 0
        os.mkdir(self.cache, 0o700)

    def command(self, case, backend):
        path = case.script
        if not path.endswith(".lt"):
            self.n += 1
            path = os.path.join(self.folder, "case%d.lt" % self.n)
            with open(path, "w") as f:
                f.write(case.script)
        given = ["-i", "*=random", "-c", "*=random"]
        with open(path) as f:
            for node, name in re.findall(r"= (Input|Constant)Tensor\(([^,]+), int64,", f.read()):
                given += ["-i" if node == "Input" else "-c", name + "=%d" % (name == "mask")]
        for option in ("tf32" if case.kind == "tf32" else "", case.option):
            if option:
                backend += ("/" if ":" in backend else ":") + option
        return [OPTIONS.lt_run, path, "-b", backend, *given, "--cache-dir", self.cache]


def ran(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200, **more)


def ours_us(case, command):
    """By both clocks, and how many plans were dropped."""
    done = ran([*command, "-q", "--time=20", "--on-device"])
    units = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
    median, device = (re.search(r"^%s ([0-9.]+) (ns|us|ms|s)\b" % what, done.stdout, re.M)
                      for what in ("time: median", "device:"))
    if done.returncode or not median or not device:
        print("# %s, %s: %s" % (case.name, case.kind, done.stdout.strip().splitlines()[-1:]), flush=True)
        return math.nan, math.nan, 0
    return *(float(t[1]) * units[t[2]] for t in (median, device)), done.stdout.count(" is not used: ")


def prepared(cases):
    """What each program is, to find those that are the same, and a run of each that is not, several processes at once:
    the cache is full then.  cases: of each the backends and their commands; gives the same with one command for all
    backends by which it is the same program."""
    def attempt(command):
        try:
            done = ran(command)
        except subprocess.TimeoutExpired:
            return None
        return re.sub(r"^target .*\n", "", done.stdout, flags=re.M) if done.returncode == 0 else None
    several = any(len(some) > 1 for some in cases)
    with concurrent.futures.ThreadPoolExecutor(OPTIONS.jobs) as pool:
        asked = [[*command, "--dump=frozen"] for some in cases for _, command in some] if several else []
        texts = iter(list(pool.map(attempt, asked)))
        found = []
        for some in cases:
            same = {}
            for backend, command in some:
                same.setdefault(next(texts, None) or backend, ([], command))[0].append(backend)
            found.append(list(same.values()))
        list(pool.map(attempt, [[*command, "-q", "--on-device"] for some in found for _, command in some]))
    return found


def measure_case(case, commands, peers):
    """commands: by backend, those that are the same program once.  {backend or "pytorch": us} by the host's clock and
    by the device's, plans that were dropped, and what is told beside them."""
    us, device, dropped, apart = {}, {}, 0, math.nan
    if peers:
        torch = peer()
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = case.kind == "tf32"
        ways, less = case.peers()
        (us["pytorch"], device["pytorch"]), (apart, _) = least_us(ways), least_us(less)
        del ways, less
        torch.cuda.empty_cache()

    def once():
        nonlocal dropped
        for backends, command in commands:
            host, by_device, n = ours_us(case, command)
            dropped += n
            for b in backends:
                us[b], device[b] = min(host, us.get(b, host)), min(by_device, device.get(b, by_device))
    once()
    others = [b for b in us if b not in (OURS, "pytorch")]
    # Runs differ by some percent: what seems to be behind is measured again, by turns, and the fastest medians count.
    for _ in range(2):
        if others and min(us[b] for b in others) / us[OURS] < OTHERS:
            once()
    return us, device, dropped, apart


def start():
    """Processes with an empty cache, and with the one that this has filled."""
    def process(script, backend, cache):
        begin = time.monotonic()
        done = ran([OPTIONS.lt_run, script, "-b", backend, "-i", "*=random", "-c", "*=random", "-q", "-v",
                    "--cache-dir", cache])
        took = time.monotonic() - begin
        plans = re.search(r"plans of libraries: (\d+) built", done.stdout)
        if done.returncode:
            raise RuntimeError(done.stdout.strip().splitlines()[-1])
        said = [line for line in done.stdout.splitlines() if re.match(r"\d+ kernels?", line)]
        return {"s": took, "plans": int(plans[1]) if plans else 0, "said": said[-1:]}
    here = os.path.join(OPTIONS.examples, "llama")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        layer = os.path.join(folder, "layer.lt")
        with open(layer, "w") as f:
            shape = "288 768 1 6 256 32000".split()
            subprocess.run([sys.executable, os.path.join(here, "make_script.py"), *shape], stdout=f, check=True)
        six = os.path.join(here, "stories15M.lt")
        for name, script, backend in (("layer", layer, "cudnn:tf32"), ("", six, "cudnn:tf32"), ("_cuda", six, "cuda")):
            cache = os.path.join(folder, "cache" + name)
            os.mkdir(cache, 0o700)
            if name == "layer":
                found[name] = process(script, backend, cache)
            else:
                found["first" + name] = process(script, backend, cache)
                found["second" + name] = min((process(script, backend, cache) for _ in range(3)), key=lambda r: r["s"])
    return found


OWN = """#include "lt/own.h"
%s
LT_KERNEL(own_product, f32, 0)
{
	%s(LT_OPERAND(0, float), LT_OPERAND(1, float), LT_RESULT(0, float));
}
"""


def own():
    """The C of the default product in a kernel, beside itself: lt-bench runs both by turns, in one process."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        kernels = os.path.join(folder, "kernels")
        os.mkdir(kernels)
        meaning = "def own_product(x, w) { return MatMulNode(x, w); }\n"
        with open(os.path.join(kernels, "own_product.lt"), "w") as f:
            f.write(meaning)
        for n in map(int, OPTIONS.sizes.split(",")):
            script = os.path.join(folder, "product.lt")
            with open(script, "w") as f:
                f.write(meaning + "x = InputTensor(x, float32, [%d, %d]); w = InputTensor(w, float32, [%d, %d]);\n"
                        "result = own_product(x, w);\n" % (n, n, n, n))
            text = ran([OPTIONS.lt_run, script, "-b", "cpu", "--threads", "1", "--dump=source"], check=True).stdout
            entry = re.search(r"^static __attribute__\(\(noinline\)\) void (\w+)\(", text, re.M)[1]
            # Its own frame has the slots and the entry that the program around it defines, too.
            text = text[text.index("#define LT_LANES"):text.index("LT_ENTRY void")]
            text = re.sub(r"static inline void \*lt_slot_at.*?\n}\n", "", text, flags=re.S)
            text = re.sub(r"\b(lt_[fiu]\d+x|LT_LANES)", r"own_\1", text)
            with open(os.path.join(kernels, "own_product.c"), "w") as f:
                f.write(OWN % (text, entry))
            out = os.path.join(folder, "out.json")
            fastest = {"cpu": math.inf, "cpu again": math.inf, "cpu kernels": math.inf}
            # Where a process has its memory and its code makes more of a difference than a call does.
            left, why = OPTIONS.rounds, ""
            # lt-bench gives no time where others took so much of the processor that it is above the peak.
            for _ in range(4 + OPTIONS.rounds):
                if not left:
                    break
                done = ran([OPTIONS.lt_bench, "nets", "-b", "cpu", "--model", script, "--kernels", kernels,
                            "--no-vendor", "--samples", str(OPTIONS.samples), "--seconds", "0.001", "--json", out])
                if not os.path.exists(out):
                    raise RuntimeError(done.stdout.strip().splitlines()[-1])
                with open(out) as f:
                    rows = {r["contestant"]: r for r in json.load(f)["cases"][0]["rows"]}
                os.remove(out)
                bad = [name for name in fastest if rows[name]["status"] != "measured"]
                if bad:
                    why = "%s: %s" % (bad[0], rows[bad[0]].get("why", rows[bad[0]]["status"]))
                    continue
                left -= 1
                for name in fastest:
                    fastest[name] = min(fastest[name], rows[name]["minimum_s"])
            if left:
                raise RuntimeError(why)
            loops = fastest["cpu"], fastest["cpu again"]
            found[str(n)] = {"call_s": fastest["cpu kernels"], "loops_s": min(loops),
                             "noise_s": max(loops) - min(loops), "n": OPTIONS.rounds * OPTIONS.samples}
    return found


# ---- sittings ----

class Sitting:
    """What was measured, kept after each case."""
    def __init__(self, path):
        self.path, self.data = path, {"format": 1, **machine(), "cases": []}

    def keep(self, **more):
        self.data.update(more)
        if self.path:
            with open(self.path + ".new", "w") as f:
                json.dump(self.data, f, indent=1)
            os.replace(self.path + ".new", self.path)


def machine():
    """When and where: the device as lt-run and PyTorch name it, versions."""
    said = ran([OPTIONS.lt_run, "--list-backends"]).stdout
    mine = re.search(r"^cudnn .*\n(?: .*\n)*", said, re.M)
    facts = re.findall(r"^ +(device 0, .*|driver .*|NVRTC .*|cuDNN .*)", mine[0], re.M) if mine else []
    facts = facts or [" ".join(mine[0].split())] if mine else ["no backend cudnn"]
    known = {"date": datetime.date.today().isoformat(), "looptree": ran([OPTIONS.lt_run, "--version"]).stdout.strip(),
             "device": ", ".join(facts)}
    if OPTIONS.peer != "none":
        torch = peer()
        known["pytorch"] = "PyTorch %s, cuDNN %s, %s" % (torch.__version__, torch.backends.cudnn.version(),
                                                        torch.cuda.get_device_name())
    return known


def found_in(sittings):
    """By case and type: of the last sitting that has both sides of a ratio, these; start and own, the last ones."""
    found = {}
    for data in sittings:
        for r in data["cases"]:
            us = {name: t for name, t in r["us"].items() if t == t and t is not None}
            if OURS not in us:
                continue
            to = found.setdefault((r["name"], r["kind"]), {})
            if "pytorch" in us:
                to["torch"] = us
            others = {name: t for name, t in us.items() if name != "pytorch"}
            if len(others) > 1:
                to["others"] = others
        for name in ("start", "own"):
            if name in data:
                found[name] = data[name]
    return found


def print_table(rows, cases, sittings):
    """0 where all that was asked for is reached."""
    found, good = found_in(sittings), True
    for data in sittings:
        print("%s: %s; %s; %s" % tuple(data.get(k, "no PyTorch") for k in ("date", "looptree", "device", "pytorch")))
    print("\n| what | types | asked | reached | measured |\n| --- | --- | --- | --- | --- |")
    for what, kinds, asked, reached, words in lines_of(rows, cases, found):
        good = good and (reached == "" or reached is True)
        kinds = "" if not kinds else " ".join(kinds)
        print("| %s | %s | %s | %s | %s |" % (what, kinds, asked, {True: "yes", False: "no"}.get(reached, ""), words))
    return good


def print_cases(cases, found):
    print("\n| what | type | PyTorch, us | cudnn, us | ratio | cuda, generated, us | ratio |\n" + "| --- " * 7 + "|")
    for c in cases:
        r = found.get((c.name, c.kind), {})
        t, o = r.get("torch"), r.get("others")
        if not t and not o:
            continue
        rest = [us for name, us in (o or {}).items() if name != OURS]
        print("| %s | %s | %s | %.1f | %s | %s | %s |" % (
            c.name, c.kind, "%.1f" % t["pytorch"] if t else "", (t or o)[OURS], "%.2f" % (t["pytorch"] / t[OURS]) if t
            else "", ", ".join("%.1f" % us for us in rest), "%.2f" % (min(rest) / o[OURS]) if rest else ""))


def measure(rows, cases):
    sitting = Sitting(OPTIONS.json)
    late = lambda: time.monotonic() - BEGIN > OPTIONS.seconds
    peers = OPTIONS.peer != "none" and rows != ["backends"]
    if peers:
        peer().backends.cudnn.benchmark = True
    for row, function in (("own", own), ("start", start)):
        if row in rows and not late():
            try:
                sitting.keep(**{row: function()})
            except (RuntimeError, subprocess.SubprocessError) as e:
                print("# %s: %s" % (row, e), flush=True)
    backends = OPTIONS.backend if "backends" in rows else OPTIONS.backend[:1]
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(folder)
        cases = [c for c in cases if not c.script.endswith(".lt") or os.path.exists(c.script)]
        for i in range(0, len(cases), 2 * OPTIONS.jobs):
            some = cases[i:i + 2 * OPTIONS.jobs]
            if late():
                break
            commands = prepared([[(b, programs.command(c, b)) for b in backends] for c in some])
            print("# prepared: %d cases, %.0f s" % (len(some), time.monotonic() - BEGIN), flush=True)
            for case, them in zip(some, commands):
                if not late():
                    measure_one(sitting, case, them, peers)
    print("# measured in %.0f s" % (time.monotonic() - BEGIN), flush=True)
    return sitting.data


def measure_one(sitting, case, commands, peers):
    try:
        us, device, dropped, apart = measure_case(case, commands, peers)
    except subprocess.SubprocessError as e:
        print("# %s, %s: %s" % (case.name, case.kind, e), flush=True)
        return
    known = lambda times: {name: t if t == t else None for name, t in times.items()}
    sitting.data["cases"].append({"name": case.name, "kind": case.kind, "dropped": dropped, "us": known(us),
                                  "device_us": known(device), "programs": len(commands)})
    sitting.keep()
    print("# %s, %s: %s us%s%s, %.0f s" % (
        case.name, case.kind, ", ".join("%s %.1f (%.1f)" % (name, us[name], device[name]) for name in us),
        "; %d plans dropped" % dropped if dropped else "", "; encoder alone %.1f" % apart if apart == apart else "",
        time.monotonic() - BEGIN), flush=True)


def main():
    rows = OPTIONS.only.split(",") if OPTIONS.only else list(ROWS)
    for row in rows:
        if row not in ROWS:
            sys.exit("pytorch_table.py: there is no row '%s'; there are %s" % (row, ", ".join(ROWS)))
    of = [row for row in rows if ROWS[row]] or ([row for row in ROWS if ROWS[row]] if "backends" in rows else [])
    cases = [c for row in of for kind in OPTIONS.types.split(",") for c in ROWS[row](kind)
             if any(fnmatch.fnmatchcase("%s, %s" % (c.name, c.kind), p) for p in OPTIONS.filter or "*")]
    if OPTIONS.list:
        print("".join("%s: %s, %s\n" % (c.row, c.name, c.kind) for c in cases), end="")
        return 0
    if OPTIONS.scripts:
        os.makedirs(OPTIONS.scripts, exist_ok=True)
        for i, c in enumerate(c for c in cases if not c.script.endswith(".lt")):
            with open(os.path.join(OPTIONS.scripts, "%d.lt" % i), "w") as f:
                f.write("# %s, %s\n%s" % (c.name, c.kind, c.script))
        return 0
    if OPTIONS.files:
        sittings = []
        for name in OPTIONS.files:
            with open(name) as f:
                sittings.append(json.load(f))
    else:
        sittings = [measure(rows, cases)]
    good = print_table(rows, cases, sittings)
    if OPTIONS.cases:
        print_cases(cases, found_in(sittings))
    return 0 if good or not OPTIONS.check else 1


def options():
    here = os.path.dirname(os.path.abspath(__file__))
    packed = os.path.isdir(os.path.join(here, "bin"))           # build/gpu on a machine that cannot build
    tree = here if packed else os.path.dirname(here)
    built = os.path.join(here, "bin") if packed else os.path.join(tree, os.environ.get("O", "build"))
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--only", default="", metavar="ROWS")
    a.add_argument("--types", default=",".join(TYPES))
    a.add_argument("--filter", action="append", metavar="PATTERN",
                   help="of the cases those that match it, such as '*batch 1, f32' (--list); several times: of any")
    a.add_argument("--list", action="store_true", help="the cases, and nothing is measured")
    a.add_argument("--scripts", metavar="FOLDER", help="their scripts, and nothing is measured")
    a.add_argument("--from", dest="files", nargs="+", metavar="FILE", help="what --json kept: nothing is measured")
    a.add_argument("--json", metavar="FILE")
    a.add_argument("--check", action="store_true")
    a.add_argument("--cases", action="store_true", help="a second table, of the cases")
    a.add_argument("--seconds", type=float, default=math.inf, help="no case begins after so many")
    a.add_argument("--jobs", type=int, default=max(1, min(12, (os.cpu_count() or 2) - 2)))
    a.add_argument("--backend", action="append", metavar="NAME", help="default: cudnn, cuda, cuda:generated")
    a.add_argument("--peer", choices=("torch", "none"), default="torch")
    a.add_argument("--compile", choices=("default", "most", "none"), default="default",
                   help="how torch.compile takes %s" % ", ".join("%s of %s at batch %d" % c for c in sorted(COMPILED)))
    a.add_argument("--sizes", default="8,64,512", help="of the row own")
    a.add_argument("--rounds", type=int, default=4, help="of the row own: processes of lt-bench")
    a.add_argument("--samples", type=int, default=40, help="of each of these")
    a.add_argument("--lt-run", default=os.path.join(built, "lt-run"))
    a.add_argument("--lt-bench", default=os.path.join(built, "lt-bench"))
    a.add_argument("--examples", default=os.path.join(tree, "examples"))
    a.add_argument("--nets", default=os.path.join(tree if packed else built, "nets"))
    return a.parse_args()


OPTIONS = options()
OPTIONS.backend = OPTIONS.backend or ["cudnn", "cuda", "cuda:generated"]
OURS = OPTIONS.backend[0]
if __name__ == "__main__":
    sys.exit(main())
