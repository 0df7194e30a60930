#!/usr/bin/env python3
"""Writes Tests/Fixtures/decoder.safetensors: what PyTorch computes for small decoders, token by token.

    python Scripts/references/make_decoder_references.py   # torch

The loop over tokens is written out: each token's keys and values are appended to lists, and the
token attends to all of them. The networks are written in Swift, in DecoderTests.swift, by the same
names. Numbers are seeded by the case's name. Parameters have Keras's orientation.
"""
# check:

import math
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

import fixtures
from make_general_references import tensor
from make_recurrent_references import seeded, values

FILE = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "decoder.safetensors"

# name, vocabulary, channels, heads, groups, hidden, tokens, positions
CASES = [
    ("learned", 23, 24, 3, 3, 40, 19, "learned"),
    ("rotary", 29, 32, 4, 2, 37, 23, "rotary"),
]
BLOCKS = 2


def rotated(x, position):
    """A head's channels, [heads][channels], rotated by a position: channel i pairs with i + half."""
    half = x.shape[-1] // 2
    angles = position * 10_000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
    cosines, sines = torch.cos(angles).float(), torch.sin(angles).float()
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cosines - b * sines, b * cosines + a * sines], dim=-1)


def run(case):
    """A case as PyTorch computes it."""
    name, vocabulary, channels, heads, groups, hidden, tokens, kind = case
    random = seeded(name)
    ids = random.integers(0, vocabulary, tokens)
    size = channels // heads
    parameters = {}

    def weight(layer, key, *shape, scale=0.5):
        array = values(random, shape, scale=scale)
        parameters.setdefault(layer, {})[key] = tensor(array)
        return torch.from_numpy(array)

    words = weight("words", "weights", vocabulary, channels, scale=1.5)
    places = weight("places", "weights", 40, channels) if kind == "learned" else None
    blocks = []
    for block in range(1, BLOCKS + 1):
        layer = f"block{block}."
        w = {}
        for key in ["norm1", "norm2"]:
            w[key] = (weight(layer + key, "gamma", channels), weight(layer + key, "beta", channels))
        for key, count in [("query", heads), ("key", groups), ("value", groups)]:
            # Keras: [inputs][heads][channels of a head].
            w[key] = (
                weight(layer + "attention", f"{key}Weights", channels, count, size),
                weight(layer + "attention", f"{key}Biases", count, size))
        w["output"] = (
            weight(layer + "attention", "outputWeights", heads, size, channels),
            weight(layer + "attention", "outputBiases", channels))
        w["expand"] = (
            weight(layer + "expand", "weights", channels, hidden),
            weight(layer + "expand", "biases", hidden))
        w["reduce"] = (
            weight(layer + "reduce", "weights", hidden, channels),
            weight(layer + "reduce", "biases", channels))
        blocks.append(w)
    head = (weight("head", "weights", channels, vocabulary), weight("head", "biases", vocabulary))

    kept = [([], []) for _ in blocks]
    logits = []
    with torch.no_grad():
        for position, token in enumerate(ids):
            x = words[int(token)]
            if places is not None:
                x = x + places[position]
            for w, (keys, all_values) in zip(blocks, kept):
                y = F.layer_norm(x, (channels,), *w["norm1"], eps=1e-5)
                query, key, value = (
                    torch.einsum("i,ihc->hc", y, w[part][0]) + w[part][1]
                    for part in ["query", "key", "value"])
                if kind == "rotary":
                    query, key = rotated(query, position), rotated(key, position)
                keys.append(key)
                all_values.append(value)
                mean = []
                for h in range(heads):
                    group = h * groups // heads
                    scores = torch.stack([query[h] @ k[group] for k in keys]) / math.sqrt(size)
                    weights = torch.softmax(scores, dim=0)
                    mean.append(weights @ torch.stack([v[group] for v in all_values]))
                x = x + torch.einsum("hc,hco->o", torch.stack(mean), w["output"][0]) + w["output"][1]
                y = F.layer_norm(x, (channels,), *w["norm2"], eps=1e-5)
                y = F.gelu(y @ w["expand"][0] + w["expand"][1])
                x = x + y @ w["reduce"][0] + w["reduce"][1]
            logits.append(x @ head[0] + head[1])
    return {
        "name": name, "source": f"torch {torch.__version__.split('+')[0]}", "layers": [],
        "inputs": [tensor(ids.astype(np.float32))], "parameters": parameters,
        "outputs": {"output": tensor(torch.stack(logits).numpy())},
    }


def main():
    """Writes all cases."""
    cases = [run(case) for case in CASES]
    version = torch.__version__.split("+")[0]
    fixtures.write(FILE, {"versions": {"torch": version}, "cases": cases})
    print(f"{len(cases)} cases, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
