#!/usr/bin/env python3
"""Writes Tests/Fixtures/transformer.safetensors: what PyTorch computes for blocks of transformers.

    python Scripts/references/make_transformer_references.py   # torch

Numbers are seeded by the case's name. The blocks are written in Swift, in
TransformerEncoderTests.swift, by the same names. Sequences are [positions][channels], without a
batch. Parameters have Keras's orientation.
"""
# check:

import pathlib

import numpy as np
import torch

import fixtures
from make_general_references import tensor
from make_recurrent_references import seeded, values

FILE = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "transformer.safetensors"

NAMES = {
    "self_attn.in_proj_weight": ("attention", "weights"),
    "self_attn.in_proj_bias": ("attention", "biases"),
    "self_attn.out_proj.weight": ("attention", "outputWeights"),
    "self_attn.out_proj.bias": ("attention", "outputBiases"),
    "linear1.weight": ("expand", "weights"), "linear1.bias": ("expand", "biases"),
    "linear2.weight": ("reduce", "weights"), "linear2.bias": ("reduce", "biases"),
    "norm1.weight": ("norm1", "gamma"), "norm1.bias": ("norm1", "beta"),
    "norm2.weight": ("norm2", "gamma"), "norm2.bias": ("norm2", "beta"),
}

# name, positions, channels, heads, hidden, blocks, arguments
CASES = [
    ("last", 13, 24, 3, 40, 2, {"activation": "gelu"}),
    ("first", 11, 20, 4, 37, 2, {"activation": "relu", "norm_first": True}),
    ("causal", 37, 32, 2, 64, 3, {"activation": "gelu", "norm_first": True}),
]


def run(case):
    """A case as PyTorch computes it."""
    name, positions, channels, heads, hidden, blocks, arguments = case
    random = seeded(name)
    inputs = values(random, (positions, channels), scale=1.5)
    parameters = {}
    x = torch.from_numpy(inputs)[None]
    mask = None
    if name == "causal":
        mask = torch.nn.Transformer.generate_square_subsequent_mask(positions)
    for block in range(1, blocks + 1):
        layer = torch.nn.TransformerEncoderLayer(
            channels, heads, hidden, batch_first=True, dropout=0, **arguments).eval()
        with torch.no_grad():
            for key, parameter in layer.named_parameters():
                array = values(random, tuple(parameter.shape), scale=0.5)
                parameter.copy_(torch.from_numpy(array))
                part, kind = NAMES[key]
                parameters.setdefault(f"block{block}.{part}", {})[kind] = tensor(
                    array.T if array.ndim == 2 else array)
            # The exact order of operations: the fast path is another one.
            torch.backends.mha.set_fastpath_enabled(False)
            x = layer(x, src_mask=mask)
    return {
        "name": name, "source": f"torch {torch.__version__.split('+')[0]}", "layers": [],
        "inputs": [tensor(inputs)], "parameters": parameters,
        "outputs": {"output": tensor(x[0].numpy())},
    }


def main():
    """Writes all cases."""
    cases = [run(case) for case in CASES]
    version = torch.__version__.split("+")[0]
    fixtures.write(FILE, {"versions": {"torch": version}, "cases": cases})
    print(f"{len(cases)} cases, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
