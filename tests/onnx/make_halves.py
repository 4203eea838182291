#!/usr/bin/env python3
"""Writes tests/onnx/halves.npz: operators of halves that round once (casefile.py says what the file holds).

    build/onnx-venv/bin/python tests/onnx/make_halves.py        (make onnx-suite makes the environment)

The sums are 2049, which a half cannot hold, and the bias takes 2048 of it: 1, and 0 if the sum was rounded before.
"""
import numpy as np

from casefile import one, save


def h(x, *shape):
	return np.array(x, np.float16).reshape(shape)


one_left, ones, bias = h([1], 1, 1, 1), h([1, 1], 1, 2, 1), h([-2048], 1)
image = h([2048, 1], 1, 2, 1)
one("half_conv", "Conv", image, ones, bias, out=one_left)
one("half_conv_2d", "Conv", image.reshape(1, 2, 1, 1), ones.reshape(1, 2, 1, 1), bias, out=one_left.reshape(1, 1, 1, 1))
one("half_conv_transposed", "ConvTranspose", image, ones.reshape(2, 1, 1), bias, out=one_left)
one("half_gemm", "Gemm", image.reshape(1, 2), ones.reshape(2, 1), bias, out=h([1], 1, 1))
one("half_gemm_scaled", "Gemm", image.reshape(2, 1), ones.reshape(1, 2), h([2048], 1), out=h([1], 1, 1), transA=1,
	transB=1, beta=-1.0)
save("halves.npz")
