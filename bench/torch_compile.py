#!/usr/bin/env python3
"""Networks by torch.compile(backend="looptree") beside eager and inductor, on the processor: milliseconds a call.

    PYTHONPATH=build/python python3 bench/torch_compile.py [--threads 1,2] [--seconds 5] [--fastest] [resnet50 bert]

The ways are called in turn, so that a machine that slows down does so for all; the median of each is printed (of a
machine that is busy with other work the fastest call), and the quotient of the better of the others by Looptree's.
Weights are random, in float32; what the ways give is compared first: a network whose results differ by more than 1e-3
of their norm is not measured.
"""
import argparse
import math
import statistics
import sys
import time

import torch
from torch import nn

import looptree.torch

WAYS = ("eager", "inductor", "looptree")


class Block(nn.Module):
    """A layer of a transformer: with the norms first and a mask as GPT-2 has it, or last as BERT has it."""

    def __init__(self, width, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def attend(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))

    def feed(self, x):
        return self.down(nn.functional.gelu(self.up(x), approximate="tanh" if self.causal else "none"))

    def forward(self, x):
        if self.causal:
            x = x + self.attend(self.norm1(x))
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed(x))


class Transformer(nn.Module):
    """The sizes of BERT-base and GPT-2: 12 layers of 768, 12 heads."""

    def __init__(self, words, causal, width=768, layers=12, places=512):
        super().__init__()
        self.word, self.place = nn.Embedding(words, width), nn.Parameter(torch.randn(places, width) * 0.02)
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.Sequential(*(Block(width, 12, causal) for _ in range(layers)))
        self.causal = causal

    def forward(self, ids):
        x = self.word(ids) + self.place[:ids.shape[1]]
        if not self.causal:
            return self.blocks(self.norm(x))
        return nn.functional.linear(self.norm(self.blocks(x)), self.word.weight)


def network(name):
    if name == "resnet50":
        import torchvision
        return torchvision.models.resnet50(weights=None), torch.randn(1, 3, 224, 224)
    if name == "bert":
        return Transformer(30522, False), torch.randint(30522, (1, 128))
    return Transformer(50257, True), torch.randint(50257, (1, 64))


def measure(name, threads, seconds, of):
    """What `of` makes of the times of each way, in ms, or None where the results differ."""
    torch.manual_seed(1)
    torch._dynamo.reset()
    torch.set_num_threads(threads)
    module, x = network(name)
    module.eval()
    told = []
    calls = {"eager": module, "inductor": torch.compile(module, dynamic=False),
        "looptree": torch.compile(module, backend="looptree", dynamic=False, options={"tell": told.append})}
    want = module(x)
    for way in WAYS[1:]:
        off = ((calls[way](x) - want).norm() / want.norm()).item()
        if not off < 1e-3:
            print(f"{name}: {way} differs from eager by {off:.2g}")
            return None
    for taken in told:
        for node, why in taken.left:
            print(f"{name}: left to eager: {node}: {why}")
    times, end = {way: [] for way in WAYS}, time.perf_counter() + seconds
    while time.perf_counter() < end or len(times["eager"]) < 5:
        for way in WAYS:
            begin = time.perf_counter()
            calls[way](x)
            times[way].append(1e3 * (time.perf_counter() - begin))
    return {way: of(t) for way, t in times.items()}


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("names", nargs="*", default=["resnet50", "bert", "gpt2"])
    a.add_argument("--threads", default="1,2")
    a.add_argument("--seconds", type=float, default=10)
    a.add_argument("--fastest", action="store_true", help="the fastest call of each instead of the median")
    a = a.parse_args()
    quotients = []
    print("network    threads " + "".join(f"{way:>10}" for way in WAYS) + "  better/looptree")
    with torch.inference_mode():
        for threads in map(int, a.threads.split(",")):
            for name in a.names:
                ms = measure(name, threads, a.seconds, min if a.fastest else statistics.median)
                if ms:
                    quotients.append(min(ms["eager"], ms["inductor"]) / ms["looptree"])
                    print(f"{name:10} {threads:7} " + "".join(f"{ms[way]:10.2f}" for way in WAYS)
                        + f"  {quotients[-1]:.2f}", flush=True)
    if quotients:
        print(f"geometric mean {math.exp(statistics.mean(map(math.log, quotients))):.2f}")
    return 0 if quotients else 1


if __name__ == "__main__":
    sys.exit(main())
