#!/usr/bin/env python3
"""train.py [FOLDER] -- trains ProtoNN, Bonsai, FastGRNN and LeNet on scikit-learn's handwritten digits.

Writes FOLDER/NAME/NAME.sd with its numbers beside it, for each model, and FOLDER/digits.npz: 1437 images to train with
and 360 to test with, of 64 pixels from 0 to 16, which the models take divided by 16.  Needs PyTorch and scikit-learn;
FOLDER is this file's, if it is not given.  The same numbers come out on the same versions.
"""
import os
import sys

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn import functional as f


class ProtoNN(nn.Module):
    """Distances to prototypes in a space of few dimensions, each with a score for each class."""

    def __init__(self, x):
        super().__init__()
        self.W = nn.Parameter(torch.randn(10, 64) / 8)
        self.B = nn.Parameter((self.W @ x[torch.randperm(len(x))[:30]].T).T.detach().clone())
        self.Z = nn.Parameter(torch.randn(30, 10) / 3)
        self.g2 = nn.Parameter(torch.tensor(0.3))

    def forward(self, x, progress=1.0):
        distance = ((x @ self.W.T)[:, None] - self.B[None]).square().sum(-1)
        return torch.exp(-self.g2 * distance) @ self.Z

    def numbers(self):
        return {"W": self.W, "B": self.B[:, :, None], "Z": self.Z[:, :, None]}

    def text(self):
        return """let WX = W |*| X in
let score = $(i = [0:30]) (
	let del = WX - B[i] in
	Z[i] * exp(-%s * (del^T * del))
) in
argmax(score)
""" % literal(self.g2)


class Bonsai(nn.Module):
    """A tree of depth 2, whose nodes all score; which way a sample goes is hard in the end."""

    def __init__(self, x):
        super().__init__()
        self.Zp = nn.Parameter(torch.randn(12, 64) / 8)
        self.W = nn.Parameter(torch.randn(7, 10, 12) / 3)
        self.V = nn.Parameter(torch.randn(7, 10, 12) / 3)
        self.T = nn.Parameter(torch.randn(3, 12) / 3)

    def forward(self, x, progress=1.0):
        z = x @ self.Zp.T
        sharp = 1 + 60 * progress ** 2
        side = z @ self.T.T
        right = (side >= 0).float() if not self.training else torch.sigmoid(sharp * side)
        at = [torch.ones(len(x)), 1 - right[:, 0], right[:, 0]]
        at += [at[1] * (1 - right[:, 1]), at[1] * right[:, 1], at[2] * (1 - right[:, 2]), at[2] * right[:, 2]]
        each = (z @ self.W.transpose(1, 2)) * torch.tanh(z @ self.V.transpose(1, 2))
        return (torch.stack(at)[:, :, None] * each).sum(0)

    def numbers(self):
        return {"Zp": self.Zp, "W": self.W, "V": self.V, "T": self.T[:, None]}

    def text(self):
        return """let ZX = Zp |*| X in
let node1 = T[0] * ZX >= 0 ? 2 : 1 in
let node2 = T[node1] * ZX >= 0 ? 2 * node1 + 2 : 2 * node1 + 1 in
let score0 = (W[0] * ZX) <*> tanh(V[0] * ZX) in
let score1 = (W[node1] * ZX) <*> tanh(V[node1] * ZX) in
let score2 = (W[node2] * ZX) <*> tanh(V[node2] * ZX) in
argmax(score0 + score1 + score2)
"""


class FastGRNN(nn.Module):
    """A recurrent cell with one gate, over the rows of an image."""

    def __init__(self, x):
        super().__init__()
        self.W = nn.Parameter(torch.randn(8, 24) / 3)
        self.U = nn.Parameter(torch.randn(24, 24) / 5)
        self.Bg = nn.Parameter(torch.ones(24))
        self.Bh = nn.Parameter(torch.zeros(24))
        self.zeta = nn.Parameter(torch.tensor(1.0))
        self.nu = nn.Parameter(torch.tensor(-4.0))
        self.FC = nn.Parameter(torch.randn(24, 10) / 5)
        self.FCbias = nn.Parameter(torch.zeros(10))

    def forward(self, x, progress=1.0):
        h = torch.zeros(len(x), 24)
        for row in x.reshape(-1, 8, 8).unbind(1):
            c = row @ self.W + h @ self.U
            gate = torch.sigmoid(c + self.Bg)
            h = gate * h + (torch.sigmoid(self.zeta) * (1 - gate) + torch.sigmoid(self.nu)) * torch.tanh(c + self.Bh)
        return h @ self.FC + self.FCbias

    def numbers(self):
        return {"W": self.W, "U": self.U, "Bg": self.Bg[None], "Bh": self.Bh[None], "FC": self.FC,
                "FCbias": self.FCbias[None]}

    def text(self):
        return """let XX = reshape(X, (8, 1, 8), (1, 2)) in
let zeta = %s in
let nu = %s in
let H = init([1, 24], 0.0) in
let last = loop(i = [0:8], H) (
	let c = XX[i] * W + H * U in
	let g = sigmoid(c + Bg) in
	let h = tanh(c + Bh) in
	let H = g <*> H + (zeta * (1.0 - g) + nu) <*> h in H
) in
argmax(last * FC + FCbias)
""" % (literal(torch.sigmoid(self.zeta)), literal(torch.sigmoid(self.nu)))


class LeNet(nn.Module):
    """Two convolutions with pools, and a layer."""

    def __init__(self, x):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 6, 3, padding=1), nn.Conv2d(6, 16, 3, padding=1)
        self.last = nn.Linear(64, 10)

    def forward(self, x, progress=1.0):
        y = f.max_pool2d(torch.relu(self.first(x.reshape(-1, 1, 8, 8))), 2)
        y = f.max_pool2d(torch.relu(self.second(y)), 2)
        return self.last(y.permute(0, 2, 3, 1).reshape(-1, 64))

    def numbers(self):
        return {"F1": self.first.weight.permute(2, 3, 1, 0)[None], "b1": self.first.bias,
                "F2": self.second.weight.permute(2, 3, 1, 0)[None], "b2": self.second.bias,
                "FC": self.last.weight.T, "FCbias": self.last.bias[None]}

    def text(self):
        return """let image = reshape(X, (1, 8, 8, 1), (1, 2)) in
let c1 = relu(conv2d(image, F1, {s 1 1}, {p 1 1 1 1}, {d 1 1}, {g 1}) <+> b1) in
let p1 = maxpool(c1, {k 2 2}, {p 0 0 0 0}, {s 2 2}) in
let c2 = relu(conv2d(p1, F2, {s 1 1}, {p 1 1 1 1}, {d 1 1}, {g 1}) <+> b2) in
let p2 = maxpool(c2, {k 2 2}, {p 0 0 0 0}, {s 2 2}) in
argmax(reshape(p2, (1, 64), (1, 2, 3, 4)) * FC + FCbias)
"""


MODELS = {"protonn": (ProtoNN, 0.02, 400), "bonsai": (Bonsai, 0.02, 400), "fastgrnn": (FastGRNN, 0.02, 150),
          "lenet": (LeNet, 0.01, 60)}


def literal(x):
    return repr(float(np.float32(x.item())))


def train(model, rate, epochs, x, y):
    optimizer = torch.optim.Adam(model.parameters(), rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for epoch in range(epochs):
        for batch in torch.randperm(len(x)).split(128):
            loss = f.cross_entropy(model(x[batch], epoch / epochs), y[batch], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
    return model.eval()


def write(folder, name, model):
    to = os.path.join(folder, name)
    os.makedirs(to, exist_ok=True)
    lines = []
    for key, value in model.numbers().items():
        array = value.detach().numpy().astype(np.float32).copy()
        np.save(os.path.join(to, key + ".npy"), array)
        lines.append("let %s = (%s) in [%.4f, %.4f] in\n"
                     % (key, ", ".join(map(str, array.shape)), array.min(), array.max()))
    lines.append("let X = (64, 1) in [0.0, 1.0] in\n\n")
    with open(os.path.join(to, name + ".sd"), "w", encoding="utf-8") as out:
        out.write("// %s on the digits of scikit-learn.\n// %s\n" % (type(model).__name__, model.__doc__))
        out.write("".join(lines) + model.text())


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    torch.set_num_threads(1)
    digits = load_digits()
    x_train, x_test, y_train, y_test = train_test_split(digits.data, digits.target, test_size=360, random_state=0)
    os.makedirs(folder, exist_ok=True)
    np.savez_compressed(os.path.join(folder, "digits.npz"),
                        x_train=x_train.astype(np.uint8), x_test=x_test.astype(np.uint8),
                        y_train=y_train.astype(np.uint8), y_test=y_test.astype(np.uint8))
    x, y = torch.tensor(x_train / 16, dtype=torch.float32), torch.tensor(y_train)
    held, labels = torch.tensor(x_test / 16, dtype=torch.float32), torch.tensor(y_test)
    for name, (kind, rate, epochs) in MODELS.items():
        torch.manual_seed(0)
        model = train(kind(x), rate, epochs, x, y)
        write(folder, name, model)
        with torch.no_grad():
            right = [int((model(a).argmax(1) == b).sum()) for a, b in ((x, y), (held, labels))]
        print("%-9s %5d numbers, right: %d of %d trained with, %d of %d held out"
              % (name, sum(v.numel() for v in model.numbers().values()), right[0], len(x), right[1], len(held)))


if __name__ == "__main__":
    main()
