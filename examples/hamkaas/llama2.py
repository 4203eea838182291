#!/usr/bin/env python3
"""A language model of llama2.c on HamKaas: goes on with a text.

    python3 llama2.py CHECKPOINT [TEMPERATURE [STEPS [PROMPT]]]

    python3 llama2.py stories15M.bin 0.8 256 "Donald was a little duck"

CHECKPOINT is of version 0 or 1, float32, which llama2.c's export.py writes; tokenizer.bin is here or beside it.
Temperature 0 takes the likeliest token each time.
"""
import os
import struct
import sys
import time

import numpy as np

from looptree import hamkaas

BEGIN, BYTES = 1, 3                     # the token that begins a text, and the first of 256 for bytes
MAGIC = 0x616b3432                      # of a version after 0, whose header has 256 bytes


class Checkpoint:
    """Sizes and weights; https://github.com/karpathy/llama2.c, export.py: legacy_export and version1_export."""

    def __init__(self, path):
        with open(path, "rb") as f:
            header = f.read(256)
        if len(header) < 28:
            sys.exit("llama2: %s: it is no checkpoint of llama2.c: %d bytes are too few for a header" % (
                path, len(header)))
        version, begin = 0, 28
        if len(header) == 256 and struct.unpack_from("I", header)[0] == MAGIC:
            version, begin = struct.unpack_from("i", header, 4)[0], 256
            if version != 1:
                sys.exit("llama2: %s: it is of version %d, and versions 0 and 1 are read here; lt-llama reads it, and "
                         "lt-llama %s --dtype f32 --convert FILE writes version 0" % (path, version, path))
        self.dim, self.hidden, self.layers, self.heads, self.kv_heads, vocab, self.context = struct.unpack_from(
            "7i", header, 8 if version else 0)
        own_classifier = vocab < 0 if version == 0 else header[36] == 0
        self.vocab = abs(vocab)
        sizes = (self.dim, self.hidden, self.layers, self.heads, self.kv_heads, self.vocab, self.context)
        if min(sizes) < 1 or max(sizes) > 1 << 24 or self.dim % self.heads or self.heads % self.kv_heads:
            sys.exit("llama2: %s: it is no checkpoint of version %d: its header says %s" % (path, version, list(sizes)))
        self.head = self.dim // self.heads
        self.kv_dim = self.kv_heads * self.head
        layers, dim, hidden = self.layers, self.dim, self.hidden
        shapes = {"embedding": (self.vocab, dim), "norm1": (layers, dim), "q": (layers, dim, dim),
                  "k": (layers, self.kv_dim, dim), "v": (layers, self.kv_dim, dim), "o": (layers, dim, dim),
                  "norm2": (layers, dim), "w1": (layers, hidden, dim), "w2": (layers, dim, hidden),
                  "w3": (layers, hidden, dim), "norm": (dim,), "rotations": (self.context, self.head)}
        if version == 1:                # the norms first, and no tables of rotations
            order = ("norm1", "norm2", "norm", "embedding", "q", "k", "v", "o", "w1", "w2", "w3")
            shapes = {name: shapes[name] for name in order}
        if own_classifier:
            shapes["classifier"] = (self.vocab, dim)
        counts = {name: int(np.prod(shape, dtype=np.int64)) for name, shape in shapes.items()}
        if os.path.getsize(path) != begin + 4 * sum(counts.values()):
            sys.exit("llama2: %s: its header asks for %d bytes, but it has %d" % (
                path, begin + 4 * sum(counts.values()), os.path.getsize(path)))
        numbers, at = np.memmap(path, np.float32, "r", begin), 0
        self.weight = {}
        for name, shape in shapes.items():
            self.weight[name] = numbers[at:at + counts[name]].reshape(shape)
            at += counts[name]
        if not own_classifier:
            self.weight["classifier"] = self.weight["embedding"]


class Tokenizer:
    """tokenizer.bin: the score and the bytes of each token."""

    def __init__(self, path, vocab):
        with open(path, "rb") as f:
            data = f.read()
        self.pieces, self.scores, at = [], [], 4
        while len(self.pieces) < vocab and at + 8 <= len(data):
            score, length = struct.unpack_from("<fi", data, at)
            self.pieces.append(data[at + 8:at + 8 + length])
            self.scores.append(score)
            at += 8 + length
        if len(self.pieces) < vocab or at != len(data):
            sys.exit("llama2: %s: it is not the tokenizer of a vocabulary of %d tokens" % (path, vocab))
        self.number = {}
        for token, piece in enumerate(self.pieces):
            self.number.setdefault(piece, token)

    def encode(self, text):
        """Characters, or their bytes, of which the pair with the best score becomes one until there is none."""
        tokens = [BEGIN]
        for character in " " + text if text else "":
            piece = character.encode("utf-8", "surrogateescape")
            tokens += [self.number[piece]] if piece in self.number else [BYTES + byte for byte in piece]
        while True:
            best, at = -1e10, -1
            for i in range(len(tokens) - 1):
                pair = self.number.get(self.pieces[tokens[i]] + self.pieces[tokens[i + 1]])
                if pair is not None and self.scores[pair] > best:
                    best, at, joined = self.scores[pair], i, pair
            if at < 0:
                return tokens
            tokens[at:at + 2] = [joined]

    def decode(self, before, token):
        """What is printed of a token: of single bytes those that are characters, as llama2.c does."""
        piece = self.pieces[token]
        if before == BEGIN and piece[:1] == b" ":
            piece = piece[1:]
        if len(piece) == 6 and piece[:3] == b"<0x" and piece[5:] == b">":
            piece = bytes([int(piece[3:5], 16)])
        return piece if len(piece) != 1 or 32 <= piece[0] < 127 or piece.isspace() else b""


def network(c):
    """One token to the logits of the next.  Inputs: x, its embedding; rotation, cosine and sine for each pair of a
    head; seen, 1 for each position up to this one; length, how many they are; start and end, where its keys and values
    are in a cache."""
    w, group = c.weight, c.heads // c.kv_heads
    x = hamkaas.InputTensor("x", "float32", [c.dim])
    rotation = hamkaas.InputTensor("rotation", "float32", [c.head // 2, 2]).reshape(1, c.head // 2, 2)
    seen = hamkaas.InputTensor("seen", "float32", [c.context]).reshape(1, c.context)
    length, start, end = (hamkaas.InputTensor(name, "int64", [1]) for name in ("length", "start", "end"))

    def rotated(y, heads):
        return y.reshape(heads, c.head // 2, 2).complex_hadamard_product(rotation)

    def cached(y):
        """The positions so far, [context, heads of keys, head]."""
        cache = hamkaas.BufferTensor("float32", [c.context * c.kv_dim])
        return cache.replace_slice(y.reshape(c.kv_dim), start, end).reshape(c.context, c.kv_heads, c.head)

    for layer in range(c.layers):
        y = x.rms_norm(w["norm1"][layer])
        query, key, value = (y @ w[name][layer].T for name in "qkv")
        # Heads of queries that share one of keys are columns of one product.
        query = rotated(query, c.heads).reshape(c.kv_heads, group, c.head).permute(0, 2, 1)
        keys = cached(rotated(key, c.kv_heads)).permute(1, 0, 2)
        values = cached(value).permute(1, 0, 2)
        scores = (keys @ query).permute(0, 2, 1).reshape(c.heads, c.context) * (1 / c.head ** 0.5)
        share = scores.sliced_softmax(length) * seen
        mixed = share.reshape(c.kv_heads, group, c.context) @ values
        x = x + mixed.reshape(c.dim) @ w["o"][layer].T
        y = x.rms_norm(w["norm2"][layer])
        x = x + ((y @ w["w1"][layer].T).silu() * (y @ w["w3"][layer].T)) @ w["w2"][layer].T
    return x.rms_norm(w["norm"]) @ w["classifier"].T


def logits(c, model, token, position):
    step = np.float32(1) / np.float32(10000) ** (np.arange(0, c.head, 2, dtype=np.float32) / np.float32(c.head))
    angle = np.float32(position) * step
    start = position * c.kv_dim
    return model.evaluate({
        "x": c.weight["embedding"][token], "rotation": np.stack([np.cos(angle), np.sin(angle)], axis=1),
        "seen": (np.arange(c.context) <= position).astype(np.float32), "length": np.array([position + 1]),
        "start": np.array([start]), "end": np.array([start + c.kv_dim])})


def generate(c, model, prompt, temperature, steps, random):
    """Tokens behind the one that begins the text: those of the prompt, then the model's."""
    token = prompt[0]
    for position in range(min(steps, c.context) if steps > 0 else c.context):
        scores = logits(c, model, token, position)
        if position + 1 < len(prompt):
            token = prompt[position + 1]
        elif temperature == 0:
            token = int(scores.argmax())
        else:
            share = np.exp((scores.astype("f8") - scores.max()) / temperature)
            token = int(random.choice(len(share), p=share / share.sum()))
        if token == BEGIN:
            return
        yield token


def main():
    if not 2 <= len(sys.argv) <= 5 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    path = sys.argv[1]
    temperature = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 256
    checkpoint = Checkpoint(path)
    beside = os.path.join(os.path.dirname(path), "tokenizer.bin")
    tokenizer = Tokenizer("tokenizer.bin" if os.path.exists("tokenizer.bin") else beside, checkpoint.vocab)
    prompt = tokenizer.encode(sys.argv[4] if len(sys.argv) > 4 else "")
    model = hamkaas.HamKaasPlugin().compile_model(network(checkpoint))
    begin, count, before = time.perf_counter(), 0, BEGIN
    for token in generate(checkpoint, model, prompt, temperature, steps, np.random.default_rng()):
        sys.stdout.buffer.write(tokenizer.decode(before, token))
        sys.stdout.buffer.flush()
        before, count = token, count + 1
        if count == 1:
            begin = time.perf_counter()
    print()
    if count > 1:
        print("achieved tok/s: %.1f" % ((count - 1) / (time.perf_counter() - begin)), file=sys.stderr)


if __name__ == "__main__":
    main()
