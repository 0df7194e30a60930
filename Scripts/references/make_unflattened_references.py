#!/usr/bin/env python3
"""Writes Tests/Fixtures/unflattened.safetensors: a network that makes a vector into an image.

Run it from anywhere, with a Python that has NumPy:

    python3 Scripts/references/make_unflattened_references.py          # writes
    python3 Scripts/references/make_unflattened_references.py --check  # only compares

The network is nn.Linear, view(channels, height, width), ReLU and nn.Conv2d of PyTorch, computed in
double precision with images (channels, height, width). The file holds its parameters in PyTorch's
order under LAYER.TYPE, the vector that it reads as "input", and the image that it computes, as
height, width, channels, as "output".
"""
# check: --check

import json
import pathlib
import sys

import numpy as np

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures"
FILE = FIXTURES / "unflattened.safetensors"
INPUTS, CHANNELS, HEIGHT, WIDTH, OUTPUTS = 5, 4, 2, 3, 2


def made():
    """The tensors of the file."""
    random = np.random.default_rng(17)
    sizes = {
        "input": (INPUTS,),
        "fc.weight": (CHANNELS * HEIGHT * WIDTH, INPUTS),
        "fc.bias": (CHANNELS * HEIGHT * WIDTH,),
        "conv.weight": (OUTPUTS, CHANNELS, 3, 3),
        "conv.bias": (OUTPUTS,),
    }
    tensors = {name: random.uniform(-1, 1, size).astype("<f4") for name, size in sizes.items()}
    values = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}

    x = values["fc.weight"] @ values["input"] + values["fc.bias"]
    x = np.maximum(x.reshape(CHANNELS, HEIGHT, WIDTH), 0)
    x = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    patches = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    x = np.einsum("oijk,ihwjk->ohw", values["conv.weight"], patches)
    x += values["conv.bias"][:, None, None]
    tensors["output"] = np.ascontiguousarray(x.transpose(1, 2, 0), "<f4")
    return tensors


def main():
    header, offset = {}, 0
    tensors = made()
    for name, value in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(value.shape),
                        "data_offsets": [offset, offset + value.nbytes]}
        offset += value.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    file = len(text).to_bytes(8, "little") + text
    file += b"".join(value.tobytes() for value in tensors.values())
    if "--check" not in sys.argv:
        FILE.write_bytes(file)
    elif FILE.read_bytes() != file:
        sys.exit(f"{FILE} differs from what this script computes")


main()
