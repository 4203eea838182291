#!/usr/bin/env python3
"""The network of handwritten digits of HamKaas' course: prints its script.

    python3 mnist.py                the script
    python3 mnist.py --run          evaluates it on random images, too, and compares with numpy
"""
import sys

import numpy as np

from looptree import hamkaas

BATCH, HIDDEN, CLASSES = 128, 1000, 10


def network(weights):
    """weights: of two layers, each a matrix [inputs, outputs] and a bias [1, outputs]."""
    x = hamkaas.InputTensor("input", "float32", [BATCH, 28, 28]).reshape(BATCH, 28 * 28)
    (first, first_bias), (second, second_bias) = weights
    return (x @ first + first_bias).relu() @ second + second_bias


def main():
    random = np.random.default_rng(1)
    weights = [(random.uniform(-0.1, 0.1, (n, m)).astype("f4"), random.uniform(-0.1, 0.1, (1, m)).astype("f4"))
               for n, m in ((28 * 28, HIDDEN), (HIDDEN, CLASSES))]
    node = network(weights)
    print(hamkaas.traverse_node(node).script, end="")
    if "--run" in sys.argv[1:]:
        images = random.uniform(0, 1, (BATCH, 28, 28)).astype("f4")
        model = hamkaas.HamKaasPlugin().compile_model(node)
        (a, b), (c, d) = [(w.astype("f8"), bias.astype("f8")) for w, bias in weights]
        expected = np.maximum(images.reshape(BATCH, -1).astype("f8") @ a + b, 0) @ c + d
        print("largest difference from numpy: %.2g" % abs(model.evaluate({"input": images}) - expected).max())


if __name__ == "__main__":
    main()
