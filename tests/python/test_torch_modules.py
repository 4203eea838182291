"""Modules of many kinds in float64 by looptree.torch.compile and by torch.compile, beside PyTorch's eager runs.

In float64 what differs by a rounding and what differs in meaning are far apart.  The bound: no result has more than
10,000 roundings one after another on its way, each of 2^-53 of a value, and what is added up has at most 100 times the
norm of what comes out: 1e6 * 2^-53 of the result's norm.
"""
import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
pytest.importorskip("onnxscript", reason="torch.onnx needs onnxscript: pip install onnx onnxscript")

import looptree.torch as ltt
import torch.nn.functional as F
import torch.utils._pytree as pytree
from torch import nn

BOUND = 1e6 * 2.0**-53
CASES = {}


class Of(nn.Module):
    def __init__(self, f, **inner):
        super().__init__()
        self.f = f
        for name, module in inner.items():
            self.add_module(name, module)

    def forward(self, *args):
        return self.f(self, *args)


def case(f):
    CASES[f.__name__] = f
    return f


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def whole(most, *shape):
    return torch.randint(-most, most, shape)


def simple(name, make, *shapes):
    CASES[name] = lambda: (make(), tuple(draw(*s) for s in shapes))


@case
def lstm():
    return nn.LSTM(7, 11, 2, bidirectional=True), (draw(5, 3, 7), (draw(4, 3, 11), draw(4, 3, 11)))


@case
def products():
    def f(s, a, b, n):
        return (torch.einsum("bij,bjk,bk->bi", a, b, b[:, 0]), torch.baddbmm(a[:, :, :2], a, b[..., :2]),
                n // 3, n % 5, n << 1, n.cumsum(0), n.argmax(), (n > 2).any(1))
    return Of(f), (draw(2, 3, 4), draw(2, 4, 5), whole(20, 4, 5))


simple("gru", lambda: nn.GRU(7, 11, 2, batch_first=True), (3, 5, 7))
simple("rnn", lambda: nn.RNN(7, 11), (5, 3, 7))
simple("attention", lambda: nn.MultiheadAttention(16, 4, batch_first=True), (2, 5, 16), (2, 6, 16), (2, 6, 16))
simple("decoder", lambda: nn.TransformerDecoderLayer(16, 4, 32), (6, 2, 16), (4, 2, 16))
simple("conv1d", lambda: nn.Sequential(nn.Conv1d(4, 6, 3, padding=2, dilation=2, groups=2), nn.GELU()), (2, 4, 15))
simple("conv3d", lambda: nn.Sequential(nn.Conv3d(2, 3, 3, stride=2, padding=1), nn.AvgPool3d(2)), (1, 2, 9, 9, 9))
simple("transposed", lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2), (2, 4, 5, 6))
simple("norms", lambda: nn.Sequential(nn.GroupNorm(3, 6), nn.InstanceNorm2d(6), nn.LocalResponseNorm(3)), (2, 6, 4, 5))
simple("layer_norm", lambda: nn.Sequential(nn.LayerNorm((5, 6)), nn.RMSNorm(6), nn.Softplus(), nn.Hardswish()),
       (3, 5, 6))
simple("bilinear", lambda: Of(lambda s, x: F.interpolate(x, scale_factor=2, mode="bilinear")), (1, 3, 5, 7))
simple("nearest", lambda: Of(lambda s, x: F.interpolate(x, size=(9, 4))), (1, 3, 5, 7))
simple("pools", lambda: Of(lambda s, x: (F.adaptive_avg_pool2d(x, (3, 2)), F.max_pool2d(x, 3, 2, 1))), (1, 3, 9, 8))
simple("shuffled", lambda: nn.Sequential(nn.PixelShuffle(2), nn.ReflectionPad2d(1), nn.PReLU().double()), (1, 8, 4, 4))
simple("no_parameters", lambda: Of(lambda s, x: torch.softmax(x, -1).log().clamp(-3, 0).cumsum(1)), (3, 5))
simple("sorted", lambda: Of(lambda s, x: (x.sort(1), x.topk(2), x.argsort(0, descending=True))), (4, 5))
simple("statistics", lambda: Of(lambda s, x: (x.var(1), x.std(0), x.norm(), torch.logsumexp(x, 1))), (3, 5))
simple("functions", lambda: Of(lambda s, x: (x.tan(), x.sinh(), x.atan(), torch.atan2(x, x + 1), x.erf())), (3, 5))
simple("parts", lambda: Of(lambda s, x: (x.flip(1) * 2, x.roll(2, 1) + 1, x.unfold(1, 3, 2) + 1, x.tril(),
                                         x.repeat(2, 1))), (4, 6))
simple("masks", lambda: Of(lambda s, x: (x.masked_fill(x > 0, -1.0), torch.where(x > 0, x, x.exp()), x.isnan())),
       (4, 6))
simple("in_place", lambda: Of(lambda s, x: x.clone().add_(1).relu_().mul_(2)), (4, 6))
simple("causal", lambda: Of(lambda s, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)),
       *[(2, 3, 5, 8)] * 3)
simple("spectrum", lambda: Of(lambda s, x: torch.fft.rfft(x).abs()), (3, 8))


@case
def table():
    return nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 3)), (whole(10, 4, 6).abs(),)


@case
def places():
    return Of(lambda s, x, i: (x.gather(1, i), torch.zeros(4, 5, dtype=x.dtype).scatter_add(1, i, x), x[i[0]])), \
        (draw(4, 5), whole(4, 4, 5).abs())


@case
def losses():
    return Of(lambda s, x, t: (F.cross_entropy(x, t), F.one_hot(t, 5))), (draw(3, 5), torch.tensor([1, 4, 0]))


@case
def a_dict():
    return Of(lambda s, d: {"z": d["x"] @ d["y"]}), ({"x": draw(3, 4), "y": draw(4, 2)},)


@case
def truths():
    return Of(lambda s, x, y: (x & y, ~x, x ^ y)), (torch.tensor([True, False]), torch.tensor([True, True]))


def compared(got, want):
    flat, spec = pytree.tree_flatten(got)
    right, right_spec = pytree.tree_flatten(want)
    assert spec == right_spec
    for g, w in zip(flat, right):
        assert g.dtype == w.dtype and g.shape == w.shape
        if w.is_floating_point():
            assert (g - w).norm() <= BOUND * w.norm()
        else:
            assert torch.equal(g, w)


@pytest.mark.more
@pytest.mark.parametrize("name", CASES)
def test_module(name):
    torch._dynamo.reset()
    torch.manual_seed(3)
    with torch.no_grad():
        module, args = CASES[name]()
        module = module.double().eval()
        want = copy.deepcopy(module)(*copy.deepcopy(args))
        compared(ltt.compile(module, args)(*args), want)
        told = []
        with torch._dynamo.config.patch(allow_rnn=True):        # PyTorch keeps such modules out of graphs else
            compared(torch.compile(module, backend="looptree", options={"tell": told.append})(*args), want)
        assert sum(len(t.programs) for t in told) >= 1
