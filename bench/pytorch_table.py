"""Looptree on a GPU beside PyTorch: the layers and networks of the table in docs/cudnn.md, as that table.

    pytorch_table.py [--lt-run FILE] [--backend NAME] [--nets FOLDER] [--types f32,tf32,f16,bf16] [--filter TEXT]
                     [--compile default|most] PART...

Parts: convolutions, depthwise, products, swiglu, attention, norms, networks (the scripts in FOLDER that make_nets.py
and lt-run --dump=script make: resnet50_32.lt, resnet50_f16_1.lt, mobilenet_v2_..., bert_...).

Everything is on the device, a run is recorded (a CUDA graph), and the median of many counts, each from its launch to
its end by the host's clock, so that 5 us or more are the launch's on both sides; in brackets by the device's, between
two events around the launch: PyTorch's median, our mean.  PyTorch is the better of both orders in memory, with the
benchmark mode, TF32 off unless the type is tf32.  convolutions and depthwise are all layers of ResNet-50 and of
MobileNetV2 one after the other, with what follows each.  Products with an activation and SwiGLU are there twice: as the
model in PyTorch computes them, whose every operator rounds, and in float32 until the end.  Last is the ratio: PyTorch's
time over ours.
"""
import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.pop(0)                 # beside it are files that other packages ask for by name

import torch
import torch.nn.functional as F

TYPES = {"f32": ("float32", torch.float32), "tf32": ("float32", torch.float32), "f16": ("float16", torch.float16),
         "bf16": ("bfloat16", torch.bfloat16)}


class Case:
    """script: what lt-run runs; ways: functions without arguments, each another way to it in PyTorch; apart: of
    something less, which is printed beside them."""
    def __init__(self, name, kind, script, ways, apart=()):
        self.name, self.kind, self.script, self.ways, self.apart = name, kind, script, ways, apart


def rand(shape, kind, scale=1.0):
    return (torch.rand(shape, device="cuda") * 2 - 1).mul(scale).to(TYPES[kind][1])


# ---- scripts ----

def head(kind):
    """f, h: to float32 and back; of float32 nothing."""
    if TYPES[kind][0] == "float32":
        return "def f(x) { return x; }\ndef h(x) { return x; }\n"
    return "def f(x) { return CastNode(x, float32); }\ndef h(x) { return CastNode(x, %s); }\n" % TYPES[kind][0]


def tensor(node, name, kind, shape):
    return "%s = %sTensor(%s, %s, [%s]);\n" % (name, node, name, TYPES[kind][0], ", ".join(map(str, shape)))


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


def layers(kind, batch, shapes, depthwise):
    script, ways = head(kind), []
    for last in (False, True):
        order = torch.channels_last if last else torch.contiguous_format
        steps = []
        for i, (c, k, w, s, e, residual, relu) in enumerate(shapes):
            groups = c if depthwise else 1
            o = -(-e // s)
            x, v, b = (rand((batch, c, e, e), kind), rand((k, c // groups, w, w), kind, 1 / w), rand((k,), kind))
            x, v = x.to(memory_format=order), v.to(memory_format=order)
            r = rand((batch, k, o, o), kind).to(memory_format=order) if residual else None
            steps.append((x, v, b, r, s, w // 2, groups, relu))
            if last:
                n = str(i)
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

        def run(steps=steps):
            for x, v, b, r, s, p, g, relu in steps:
                y = F.conv2d(x, v, b, s, p, 1, g)
                if r is not None:
                    y = y.add_(r)
                if relu:
                    y = F.relu6(y, inplace=True) if depthwise else y.relu_()
        ways.append(run)
    return script, ways


def convolutions(kind):
    for batch in (32, 1):
        yield Case("53 convolutions of ResNet-50, batch %d" % batch, kind,
                   *layers(kind, batch, list(resnet50()), False))


def depthwise(kind):
    if kind != "tf32":
        for batch in (32, 1):
            shapes = [(c, c, 3, s, e, False, True) for c, s, e in mobilenet_v2()]
            yield Case("17 depthwise layers of MobileNetV2, batch %d" % batch, kind, *layers(kind, batch, shapes, True))


# ---- products ----

SIZES = ((4096, 4096, 4096), (8192, 4096, 4096), (512, 4096, 11008), (128, 768, 3072))
TANH = "def gelu(x) { return 0.5 * x * (1 + TanhNode(0.7978845608028654 * (x + 0.044715 * x * x * x))); }\n"


def products(kind):
    if kind not in ("f16", "bf16"):
        return
    for m, k, n in SIZES:
        for after, rounds in (("relu", True), ("gelu", True), ("gelu", False), ("silu", True), ("silu", False)):
            script = head(kind) + TANH + tensor("Input", "x", kind, (m, k)) + tensor("Constant", "w", kind, (k, n)) \
                + tensor("Constant", "b", kind, (n,)) + "result = h(%s(%s));\n" % (
                    {"relu": "ReLUNode", "gelu": "gelu", "silu": "SiLUNode"}[after],
                    "f(h(f(x) @ f(w) + f(b)))" if rounds else "f(x) @ f(w) + f(b)")
            x, w, b = rand((m, k), kind), rand((k, n), kind), rand((n,), kind)
            act = {"relu": torch.relu, "gelu": lambda t: F.gelu(t, approximate="tanh"), "silu": F.silu}[after]
            ways = [lambda: act(torch.addmm(b, x, w))]
            if after != "silu":
                ways.append(lambda: torch._addmm_activation(b, x, w, use_gelu=after == "gelu"))
            yield Case("%dx%dx%d, bias, %s%s" % (m, k, n, after, "" if rounds else ", float32 between"), kind, script,
                       ways)


def swiglu(kind):
    if kind not in ("f16", "bf16"):
        return
    for m, k, n in SIZES:
        for rounds in (True, False):
            script = head(kind) + tensor("Input", "x", kind, (m, k)) + tensor("Constant", "w", kind, (k, n)) \
                + tensor("Constant", "v", kind, (k, n)) + "def r(x) { return %s; }\n" % ("f(h(x))" if rounds else "x") \
                + "result = h(r(SiLUNode(r(f(x) @ f(w)))) * r(f(x) @ f(v)));\n"
            x, w, v = rand((m, k), kind), rand((k, n), kind), rand((k, n), kind)
            yield Case("SwiGLU %dx%dx%d%s" % (m, k, n, "" if rounds else ", float32 between"), kind, script,
                       [lambda: F.silu(x @ w) * (x @ v)])


def attention(kind):
    if kind not in ("f16", "bf16"):
        return
    for d in (64, 128):
        for s, b in ((128, 128), (512, 32), (1024, 16), (2048, 8), (4096, 4), (8192, 2), (16384, 1)):
            for causal in (False, True):
                heads = 16 * b
                seen = "LessEqualNode(IndexNode(s, 2), IndexNode(s, 1))"
                script = head(kind) + "".join(tensor("Input", t, kind, (heads, s, d)) for t in "qkv") \
                    + "s = EinsumNode(hsd,htd->hst: f(q), f(k)) * %.17g;\n" % d ** -0.5 \
                    + "p = h(SoftmaxNode(%s));\n" % ("WhereNode(%s, s, -inf)" % seen if causal else "s") \
                    + "result = h(EinsumNode(hst,htd->hsd: f(p), f(v)));\n"
                q, k, v = (rand((b, 16, s, d), kind) for _ in "qkv")
                yield Case("attention s%d d%d b%d%s" % (s, d, b, " causal" if causal else ""), kind, script,
                           [lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)])


def norms(kind):
    for m, n in ((8192, 4096), (128, 768)):
        for name in ("layer", "RMS"):
            script = head(kind) + tensor("Input", "x", kind, (m, n)) + tensor("Constant", "g", kind, (n,))
            x, g = rand((m, n), kind), rand((n,), kind)
            if name == "layer":
                b = rand((n,), kind)
                script += tensor("Constant", "b", kind, (n,)) + "result = h(LayerNormNode(f(x), f(g), f(b)));\n"
                ways = [lambda: F.layer_norm(x, (n,), g, b)]
            else:
                script += "result = h(RMSNormNode(f(x), f(g)));\n"
                ways = [lambda: F.rms_norm(x, (n,), g, 1e-5)]
            yield Case("%s norm %dx%d" % (name, m, n), kind, script, ways)


# ---- networks ----

class Bert(torch.nn.Module):
    """BERT-base as the script has it: transformers' model, with its mask (masked) or without one."""
    def __init__(self, attention, masked):
        super().__init__()
        from transformers import BertConfig, BertModel
        self.model, self.masked = BertModel(BertConfig(attn_implementation=attention)), masked

    def forward(self, ids):
        out = self.model(input_ids=ids, attention_mask=torch.ones_like(ids) if self.masked else None)
        return out.last_hidden_state, out.pooler_output


def encoder():
    layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, dropout=0, activation="gelu", batch_first=True)
    return torch.nn.TransformerEncoder(layer, 12)


def compiled(model, x):
    """By inductor, the result of a call among them: compiled before it is recorded."""
    with torch.inference_mode():
        made = torch.compile(model, mode="max-autotune-no-cudagraphs" if OPTIONS.compile == "most" else "default")
        made(x)
    return made


# Name, model, whether the input is numbers of words.  BERT's encoder alone, by PyTorch's own layers, is less than the
# script: no embeddings, no pooling, and a GELU by tanh where erf is asked for; it is measured beside the others.
def models(name):
    if name != "bert":
        import torchvision
        yield name, lambda: getattr(torchvision.models, name)(weights=None)
        return
    for attention in ("sdpa", "eager"):
        for masked in (False, True):
            yield "transformers, %s%s" % (attention, ", mask" if masked else ""), lambda: Bert(attention, masked)
    yield "encoder alone", encoder


def inputs(what, batch, kind):
    if what.startswith("transformers"):
        return torch.zeros(batch, 128, dtype=torch.int64)
    shape = (batch, 128, 768) if what == "encoder alone" else (batch, 3, 224, 224)
    return torch.randn(shape, dtype=TYPES[kind][1])


def networks(kind):
    middle = "" if kind in ("f32", "tf32") else "_" + kind
    for name in ("resnet50", "mobilenet_v2", "bert"):
        for batch in (1, 32) if name != "bert" else (1, 16):
            path = "%s%s_%d.lt" % (name, middle, batch)
            title = "%s, batch %d" % (name, batch)
            if not os.path.exists(os.path.join(OPTIONS.nets, path)) or OPTIONS.filter not in title:
                continue
            ways, apart = [], []
            for what, make in models(name):
                for last in (False, True) if name != "bert" else (False,):
                    order = {"memory_format": torch.channels_last} if last else {}
                    model, x = make().eval().to("cuda", TYPES[kind][1], **order), inputs(what, batch, kind)
                    x = x.to("cuda", **order)
                    (apart if what == "encoder alone" else ways).append(lambda model=model, x=x: model(x))
                    if OPTIONS.compile and what != "encoder alone":
                        ways.append(lambda model=compiled(model, x), x=x: model(x))
            yield Case(title, kind, os.path.join(OPTIONS.nets, path), ways, apart)


# ---- times ----

def recorded_us(run):
    """The median of 40 replays, by the clock from the launch to the end, as lt-run --time takes it; the same of 20 by
    the device's clock."""
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


def ours_us(case, backend, folder):
    path = case.script
    if not path.endswith(".lt"):
        path = os.path.join(folder, "case.lt")
        with open(path, "w") as f:
            f.write(case.script)
    given = ["-i", "*=random", "-c", "*=random"]
    with open(path) as f:
        for node, name in re.findall(r"= (Input|Constant)Tensor\(([^,]+), int64,", f.read()):
            given += ["-i" if node == "Input" else "-c", name + "=0"]
    if case.kind == "tf32":
        backend += (":" if ":" not in backend else "/") + "tf32"
    done = subprocess.run([OPTIONS.lt_run, path, "-b", backend, *given, "-q", "--time=20", "--on-device"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200)
    units = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
    median, device = (re.search(r"^%s ([0-9.]+) (ns|us|ms|s)\b" % what, done.stdout, re.M)
                      for what in ("time: median", "device:"))
    dropped = done.stdout.count(" is not used: ")
    if done.returncode or not median or not device:
        print("# %s: %s" % (case.name, done.stdout.strip().splitlines()[-1:]), flush=True)
        return math.nan, math.nan, dropped
    return *(float(t[1]) * units[t[2]] for t in (median, device)), dropped


def main():
    torch.backends.cudnn.benchmark = True
    print("PyTorch %s, cuDNN %s, %s"
          % (torch.__version__, torch.backends.cudnn.version(), torch.cuda.get_device_name()))
    print("| what | type | PyTorch, us | %s, us | ratio |\n| --- | --- | --- | --- | --- |"
          % ", us | ".join(OPTIONS.backend))
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        for part in OPTIONS.part:
            for kind in OPTIONS.types.split(","):
                torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = kind == "tf32"
                for case in globals()[part](kind):
                    if OPTIONS.filter not in case.name:
                        continue
                    (theirs, device), (apart, _) = least_us(case.ways), least_us(case.apart)
                    case.ways = case.apart = None
                    torch.cuda.empty_cache()
                    times = [ours_us(case, backend, folder) for backend in OPTIONS.backend]
                    ratio = theirs / times[0][0]
                    if ratio == ratio:
                        ratios.setdefault((part, kind), []).append(ratio)
                    print("| %s | %s | %.1f (%.1f) | %s | %.2f |" % (case.name, kind, theirs, device, " | ".join(
                        "%.1f (%.1f)%s" % (us, by_device, " (%d plans dropped)" % n if n else "")
                        for us, by_device, n in times), ratio), flush=True)
                    if apart == apart:
                        print("# encoder alone: %.1f" % apart, flush=True)
    for (part, kind), all_of in ratios.items():
        print("%s, %s: geometric mean %.3f, lowest %.3f of %d"
              % (part, kind, math.exp(statistics.mean(map(math.log, all_of))), min(all_of), len(all_of)))


PARTS = ("convolutions", "depthwise", "products", "swiglu", "attention", "norms", "networks")
arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("--lt-run", default="build/lt-run")
arguments.add_argument("--backend", action="append")
arguments.add_argument("--nets", default="build/nets")
arguments.add_argument("--types", default=",".join(TYPES))
arguments.add_argument("--filter", default="")
arguments.add_argument("--compile", choices=("default", "most"), help="networks by torch.compile, too")
arguments.add_argument("part", nargs="+", choices=PARTS)
OPTIONS = arguments.parse_args()
OPTIONS.backend = OPTIONS.backend or ["cudnn"]
if __name__ == "__main__":
    main()
