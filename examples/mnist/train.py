#!/usr/bin/env python3
"""Trains the network of mnist.lt and writes its weights.

    python3 train.py IMAGES.gz LABELS.gz [weights.safetensors]

IMAGES and LABELS are MNIST's t10k files (IDX, gzipped). Images 0..7999 are for training, each epoch with every image
moved, turned, slanted and scaled a little, so that digits drawn by other pens and hands are recognized too; images
8000..9999 are only looked at for the accuracy that is printed at the end. Needs numpy; takes about a minute.
"""
import gzip
import json
import struct
import sys

import numpy as np

HIDDEN, EPOCHS, BATCH, RATE, SEED = 128, 60, 100, 2e-3, 1


def read_idx(path):
    """The array in a gzipped IDX file of bytes."""
    with gzip.open(path, "rb") as f:
        data = f.read()
    rank = data[3]
    shape = struct.unpack(">%dI" % rank, data[4:4 + 4 * rank])
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def distort(images, rng):
    """Each image under its own small affine map, sampled bilinearly, with a pen of varying weight."""
    n = len(images)
    turn, slant = rng.normal(0, 0.12, n), rng.normal(0, 0.15, n)
    sx, sy = np.exp(rng.normal(0, 0.10, (2, n)))
    dx, dy = rng.uniform(-1.5, 1.5, (2, n))
    c, s = np.cos(turn), np.sin(turn)
    at = np.arange(28) - 13.5
    y, x = np.meshgrid(at, at, indexing="ij")
    col = lambda v: v[:, None, None].astype(np.float32)
    y, x = y[None].astype(np.float32), x[None].astype(np.float32)
    u = col(sx) * (col(c) * x - col(s) * y) + col(slant) * y + col(dx) + 15.5
    v = col(sy) * (col(s) * x + col(c) * y) + col(dy) + 15.5
    u, v = np.clip(u, 0, 30.99), np.clip(v, 0, 30.99)
    iu, iv = u.astype(np.int32), v.astype(np.int32)
    fu, fv = u - iu, v - iv
    padded = np.zeros((n, 33, 33), np.float32)
    padded[:, 2:30, 2:30] = images
    flat, at = padded.reshape(-1), np.arange(n, dtype=np.int32)[:, None, None] * (33 * 33) + iv * 33 + iu
    out = ((1 - fv) * ((1 - fu) * flat[at] + fu * flat[at + 1])
           + fv * ((1 - fu) * flat[at + 33] + fu * flat[at + 34]))
    return np.clip(out * col(rng.uniform(0.8, 1.5, n)), 0, 1)


def forward(w, x):
    h = np.maximum(x @ w["weight_0"] + w["bias_0"], 0)
    return h, h @ w["weight_1"] + w["bias_1"]


def accuracy(w, images, labels):
    return np.mean(forward(w, images.reshape(-1, 784))[1].argmax(1) == labels)


def train(images, labels, rng):
    f = np.float32
    w = {"weight_0": rng.normal(0, np.sqrt(2 / 784), (784, HIDDEN)).astype(f), "bias_0": np.zeros((1, HIDDEN), f),
         "weight_1": rng.normal(0, np.sqrt(1 / HIDDEN), (HIDDEN, 10)).astype(f), "bias_1": np.zeros((1, 10), f)}
    m1, m2 = {k: np.zeros_like(v) for k, v in w.items()}, {k: np.zeros_like(v) for k, v in w.items()}
    steps, step = EPOCHS * (len(images) // BATCH), 0
    for epoch in range(EPOCHS):
        x_all = distort(images, rng).reshape(-1, 784)
        order = rng.permutation(len(images))
        for at in range(0, len(images) - BATCH + 1, BATCH):
            pick = order[at:at + BATCH]
            x = x_all[pick]
            h, y = forward(w, x)
            p = np.exp(y - y.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            p[np.arange(BATCH), labels[pick]] -= 1
            p /= BATCH
            back = (p @ w["weight_1"].T) * (h > 0)
            grad = {"weight_1": h.T @ p, "bias_1": p.sum(0, keepdims=True),
                    "weight_0": x.T @ back, "bias_0": back.sum(0, keepdims=True)}
            step += 1
            rate = RATE * (0.5 + 0.5 * np.cos(np.pi * step / steps))  # Adam under a cosine
            for k, g in grad.items():
                m1[k] += 0.1 * (g - m1[k])
                m2[k] += 0.001 * (g * g - m2[k])
                w[k] -= f(rate) * (m1[k] / f(1 - 0.9 ** step)) / (np.sqrt(m2[k] / f(1 - 0.999 ** step)) + f(1e-8))
        if epoch % 10 == 9:
            right = 100 * accuracy(w, images, labels)
            print("epoch %d: %.2f %% of the training images" % (epoch + 1, right), flush=True)
    return w


def write_safetensors(path, tensors):
    header, at = {}, 0
    for name, t in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + t.nbytes]}
        at += t.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for t in tensors.values():
            f.write(np.ascontiguousarray(t, "<f4").tobytes())


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.strip())
    images = (read_idx(sys.argv[1]) / np.float32(255)).astype(np.float32)
    labels = read_idx(sys.argv[2]).astype(np.int64)
    w = train(images[:8000], labels[:8000], np.random.default_rng(SEED))
    print("accuracy on images 8000..9999: %.2f %%" % (100 * accuracy(w, images[8000:], labels[8000:])))
    write_safetensors(sys.argv[3] if len(sys.argv) == 4 else "weights.safetensors", w)


if __name__ == "__main__":
    main()
