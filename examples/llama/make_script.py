#!/usr/bin/env python3
"""Prints the script of one decoding step of a LLaMA-2 model.

    python3 make_script.py DIM HIDDEN LAYERS HEADS CONTEXT VOCABULARY

A run takes the embedding row of a token and gives the logits of the next; the caches of keys and values are state. The
inputs of position p are: x, the embedding; pos_indicator, 1 up to p and 0 behind; pos_plus_one, p + 1; freq_cis, (cos,
sin) of row p; and for each layer l the run-time bounds cache_start_l = (l * CONTEXT + p) * DIM and cache_end_l =
cache_start_l + DIM.
"""
import sys

dim, hidden, layers, heads, context, vocab = map(int, sys.argv[1:7])
head = dim // heads
count = 0


def node(text):
    global count
    count += 1
    print(f"${count} = {text};")
    return f"${count}"


def constant(name, *shape):
    return node(f"ConstantTensor({name}, float32, [{', '.join(map(str, shape))}])")


def reshape(x, *shape):
    return node(f"ReshapeNode({x}, [{', '.join(map(str, shape))}])")


def cache_of(cache, layer, *perm):
    whole = node(f"SliceNode({cache}, {layer * context * dim}, {(layer + 1) * context * dim})")
    return node(f"PermuteNode({reshape(whole, context, heads, head)}, [{', '.join(map(str, perm))}])")


x = node(f"InputTensor(x, float32, [{dim}])")
indicator = node(f"InputTensor(pos_indicator, float32, [{context}])")
position = node("InputTensor(pos_plus_one, int64, [1])")
freq = node(f"InputTensor(freq_cis, float32, [{head // 2}, 2])")
keys = node(f"BufferTensor(float32, [{layers * context * dim}])")
values = node(f"BufferTensor(float32, [{layers * context * dim}])")
rms_att = constant("rms_att", layers * dim)
scale = constant("scale", 1, 1)
for layer in range(layers):
    start = node(f"InputTensor(cache_start_{layer}, int64, [1])")
    end = node(f"InputTensor(cache_end_{layer}, int64, [1])")
    norm = node(f"SliceNode({rms_att}, {layer * dim}, {(layer + 1) * dim})")
    xb = node(f"RMSNormNode({x}, {norm})")
    q, k, v = (node(f"MatMulNode({xb}, {constant(f'w{name}_{layer}', dim, dim)})") for name in "qkv")
    rotation = reshape(freq, 1, head // 2, 2)
    q, k = (reshape(node(f"ComplexHadamardProductNode({reshape(y, heads, head // 2, 2)}, {rotation})"), dim)
            for y in (q, k))
    keys = node(f"ReplaceSliceNode({keys}, {k}, {start}, {end})")
    values = node(f"ReplaceSliceNode({values}, {v}, {start}, {end})")
    scores = node(f"MatMulNode({cache_of(keys, layer, 1, 0, 2)}, {reshape(q, heads, head, 1)})")
    scores = node(f"HadamardProductNode({reshape(scores, heads, context)}, {scale})")
    scores = node(f"SlicedSoftmaxNode({scores}, {position})")
    scores = node(f"HadamardProductNode({scores}, {reshape(indicator, 1, context)})")
    mixed = node(f"MatMulNode({cache_of(values, layer, 1, 2, 0)}, {reshape(scores, heads, context, 1)})")
    out = node(f"MatMulNode({reshape(mixed, dim)}, {constant(f'wo_{layer}', dim, dim)})")
    x = node(f"SumNode({x}, {out})")
    xb = node(f"RMSNormNode({x}, {constant(f'rms_ffn_{layer}', dim)})")
    gate = node(f"SiLUNode({node(f'MatMulNode({xb}, ' + constant(f'w1_{layer}', dim, hidden) + ')')})")
    up = node(f"MatMulNode({xb}, {constant(f'w3_{layer}', dim, hidden)})")
    product = node(f"HadamardProductNode({gate}, {up})")
    down = node(f"MatMulNode({product}, {constant(f'w2_{layer}', hidden, dim)})")
    x = node(f"SumNode({x}, {down})")
x = node(f"RMSNormNode({x}, {constant('rms_final', dim)})")
print(f"result = {node(f'MatMulNode({x}, ' + constant('wcls', dim, vocab) + ')')};")
