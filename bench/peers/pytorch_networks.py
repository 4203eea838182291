"""Whole networks by PyTorch on a GPU, to set beside lt-run --time --on-device: milliseconds of a run, the median of
many, inputs and results on the device.

    pytorch_networks.py [--compile] NAME:BATCH:TYPE ...        resnet50:32:f16  mobilenet_v2:1:f32  bert:16:f16

One line a network: eager, recorded as a CUDA graph, and the latter with channels inside (of images); with --compile
torch.compile, too.  Random weights, evaluation mode; float32 is true float32, with tf32 in place of f32 TF32.  bert is
the encoder of BERT-base, 128 tokens, by torch.nn.TransformerEncoder with its fused path; the others are torchvision's.
"""
import argparse
import statistics
import sys

sys.path.pop(0)             # beside it is pytorch.py, which other packages ask for by name

import torch


def bert():
    layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, dropout=0, activation="gelu", batch_first=True)
    return torch.nn.TransformerEncoder(layer, 12), lambda batch: torch.randn(batch, 128, 768)


def image(name):
    def model():
        import torchvision
        return getattr(torchvision.models, name)(weights=None), lambda batch: torch.randn(batch, 3, 224, 224)
    return model


MODELS = {"resnet50": image("resnet50"), "mobilenet_v2": image("mobilenet_v2"), "bert": bert}
TYPES = {"f32": torch.float32, "tf32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def median_ms(run, samples=30):
    for _ in range(5):
        run()
    times = []
    for _ in range(samples):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def recorded(model, x):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(5):
            model(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        model(x)
    return graph.replay


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--compile", action="store_true")
    arguments.add_argument("case", nargs="+")
    given = arguments.parse_args()
    torch.backends.cudnn.benchmark = True
    for case in given.case:
        name, batch, kind = case.split(":")
        if name not in MODELS or kind not in TYPES:
            sys.exit(f"pytorch_networks.py: {case} is no NAME:BATCH:TYPE of {', '.join(MODELS)} and {', '.join(TYPES)}")
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = kind == "tf32"
        torch.manual_seed(1)
        model, inputs = MODELS[name]()
        model = model.eval().to("cuda", TYPES[kind])
        x = inputs(int(batch)).to("cuda", TYPES[kind])
        with torch.inference_mode():
            times = {"eager": median_ms(lambda: model(x)), "graph": median_ms(recorded(model, x))}
            if x.dim() == 4:
                model = model.to(memory_format=torch.channels_last)
                x = x.to(memory_format=torch.channels_last)
                times["graph, channels last"] = median_ms(recorded(model, x))
            if given.compile:
                times["compile"] = median_ms(recorded(torch.compile(model), x))
        print(f"{case}: " + ", ".join(f"{way} {ms:.3f}" for way, ms in times.items()), flush=True)


main()
