"""PyTorch as a peer of lt-bench: eager; results go into a tensor that is there already where a function takes one."""
import os
import sys

import torch
import torch.nn.functional as F

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import peer


def chain(x, operations):
    def run():
        t = x * 1.25
        for i in range(1, operations):
            t = (None, lambda v: v.add_(0.5), lambda v: v.clamp_(min=-0.25), lambda v: v.sub_(0.75),
                 lambda v: v.abs_(), lambda v: v.mul_(-1.5), lambda v: v.clamp_(max=0.125), lambda v: v.add_(2.0))[i](t)
        return t
    return run


def ways_of(case, t, out):
    """Functions that give the result, each another way to it."""
    op, n = case["op"], case["numbers"]
    if op == "gemm":
        return [lambda: torch.mm(t["a"], t["b"], out=out)]
    if op == "conv2d":
        def plain(x, w):
            return lambda: F.conv2d(x, w, stride=n["stride"], padding=n["pad"], groups=n["groups"])
        last = torch.channels_last
        return [plain(t["x"], t["w"]),
                plain(t["x"].contiguous(memory_format=last), t["w"].contiguous(memory_format=last))]
    if op == "mlp":
        b1, b2 = t["b1"].reshape(-1), t["b2"].reshape(-1)
        return [lambda: torch.addmm(b2, torch.addmm(b1, t["x"], t["w1"]).relu_(), t["w2"], out=out)]
    x = t["x"]
    if op == "softmax":
        return [lambda: F.softmax(x, 1)]
    if op == "layernorm":
        return [lambda: F.layer_norm(x, x.shape[1:], t["weight"], t["bias"], 1e-5)]
    if op == "rmsnorm":
        return [lambda: F.rms_norm(x, x.shape[1:], t["weight"], 1e-5)]
    if op == "sum":
        return [lambda: torch.sum(x, 1, out=out)]
    if op == "chain":
        return [chain(x, n["operations"])]
    if op == "gelu":
        return [lambda: F.gelu(x)]
    if op == "silu":
        return [lambda: F.silu(x)]
    if op == "multiply-add":
        return [lambda: torch.addcmul(x, x, t["y"], out=out)]
    if op == "permute":
        perm = [n[f"perm{i}"] for i in range(4) if f"perm{i}" in n]
        return [lambda: out.copy_(x.permute(perm))]
    if op == "concat":
        return [lambda: torch.cat((x, t["y"]), n["axis"], out=out)]
    if op == "pad":
        return [lambda: F.pad(x, (n["pad"],) * 4)]
    raise peer.Skip(f"no {op} here")


@torch.inference_mode()
def begin(case, inputs):
    torch.set_num_threads(case["threads"])
    t = {k: torch.from_numpy(v) for k, v in inputs.items()}
    out = torch.zeros(case["result"]["shape"], dtype=torch.float32)
    chosen = peer.best(ways_of(case, t, out))
    last = [None]

    def run():
        last[0] = chosen()

    return run, lambda: last[0].contiguous().numpy()


with torch.inference_mode():
    peer.serve("pytorch", torch.__version__, begin)
