#!/usr/bin/env python3
"""The network of mnist.lt by lazy arrays: lazy.py IMAGES LABELS (of MNIST, .gz) says how many it gets right."""
import gzip
import os
import sys

import looptree as lt
import numpy as np

w = lt.read_weights(os.path.join(os.path.dirname(os.path.abspath(__file__)), "weights.safetensors"))
b, y, x, h, c = lt.dims("b y x h c")

image = lt.input("image", "float32")
weight_0 = lt.constant(w["weight_0"].reshape(28, 28, -1), name="weight_0")
weight_1 = lt.constant(w["weight_1"], name="weight_1")
bias_0, bias_1 = (lt.constant(w[name].reshape(-1), name=name) for name in ("bias_0", "bias_1"))

hidden = np.maximum((image[b, y, x] * weight_0[y, x, h]).sum(y, x) + bias_0[h], 0)
digit = (hidden * weight_1[h, c]).sum(h) + bias_1[c]
share = np.exp(digit - digit.max(c))
probability = share / share.sum(c)

if __name__ == "__main__":
    with gzip.open(sys.argv[1]) as images, gzip.open(sys.argv[2]) as labels:
        seen = np.frombuffer(images.read(), np.uint8, offset=16).reshape(-1, 28, 28) / np.float32(255)
        right = np.frombuffer(labels.read(), np.uint8, offset=8)
    found = probability.numpy(image=seen)
    print("%d of %d are right" % ((found.argmax(1) == right).sum(), len(right)))
