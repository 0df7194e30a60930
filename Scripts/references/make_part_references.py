#!/usr/bin/env python3
"""Writes Tests/Fixtures/parts.safetensors and parts.weights.h5: layers that files have in parts.

Run it from anywhere, with a Python that has PyTorch and Keras:

    python3 Scripts/references/make_part_references.py

The first file holds the parameters of PyTorch's layers under PyTorch's names, what each network
reads as "input_NETWORK", and what it computes as "output_NETWORK". "llama" is attention with
separate projections by PyTorch's functions. The second file holds the parameters of Keras's layers
as Keras saves them; the first has their inputs and outputs, too.
"""
# check: KERAS_BACKEND=jax

import json
import os
import pathlib

os.environ["KERAS_BACKEND"] = "torch"

import keras  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from keras import layers as L  # noqa: E402
from torch import nn  # noqa: E402

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures"
STEPS = 11


class Llama(nn.Module):
    """Grouped attention of 4 heads of 3 channels, two of keys and values."""

    def __init__(self):
        super().__init__()
        self.q_proj, self.o_proj = nn.Linear(5, 12, bias=False), nn.Linear(12, 5, bias=False)
        self.k_proj, self.v_proj = nn.Linear(5, 6, bias=False), nn.Linear(5, 6, bias=False)

    def forward(self, x):
        q, k, v = (
            layer(x).reshape(STEPS, -1, 3).transpose(0, 1)
            for layer in (self.q_proj, self.k_proj, self.v_proj))
        k, v = (part.repeat_interleave(2, dim=0) for part in (k, v))
        means = nn.functional.scaled_dot_product_attention(q, k, v)
        return self.o_proj(means.transpose(0, 1).reshape(STEPS, 12))


class Networks(nn.Module):
    def __init__(self):
        super().__init__()
        self.both = nn.LSTM(5, 7, batch_first=True, bidirectional=True, proj_size=3)
        self.stack = nn.GRU(5, 7, num_layers=2, batch_first=True, bidirectional=True)
        self.heads = nn.MultiheadAttention(6, 3, batch_first=True)
        self.llama = Llama()


def of_torch(random):
    torch.manual_seed(3)
    networks = Networks().double()
    tensors = {}
    with torch.no_grad():
        for name, parameter in networks.named_parameters():
            parameter.copy_(torch.from_numpy(random.uniform(-0.7, 0.7, parameter.shape)).float())
            tensors[name] = parameter.numpy()
        for name, run in {
            "both": lambda x: networks.both(x)[0],
            "stack": lambda x: networks.stack(x)[0],
            "heads": lambda x: networks.heads(x, x, x)[0],
            "llama": lambda x: networks.llama(x[0])[None],
        }.items():
            x = random.uniform(-1, 1, (STEPS, 6 if name == "heads" else 5)).astype(np.float32)
            tensors["input_" + name] = x
            tensors["output_" + name] = run(torch.from_numpy(x[None]).double())[0].numpy()
    return tensors


def of_keras(random):
    x = keras.Input((STEPS, 5))
    y = L.Bidirectional(L.LSTM(7, return_sequences=True), name="bi")(x)
    y = L.Bidirectional(L.GRU(3, return_sequences=True), name="bg")(y)
    tagger = L.TimeDistributed(L.Dense(4), name="tags")(y)
    z = keras.Input((STEPS, 6))
    y = L.Add()([z, L.MultiHeadAttention(3, 4, value_dim=5, name="mha")(z, z)])
    attention = L.GroupQueryAttention(4, 4, 2, name="gqa")(y, y)
    model = keras.Model([x, z], [tagger, attention])
    for variable in model.weights:
        variable.assign(random.uniform(-0.7, 0.7, variable.shape))
    model.save_weights(FIXTURES / "parts.weights.h5")
    inputs = [random.uniform(-1, 1, (STEPS, width)).astype(np.float32) for width in (5, 6)]
    outputs = model.predict([part[None] for part in inputs], verbose=0)
    names = ("tagger", "attention")
    return {
        **{"input_" + name: value for name, value in zip(names, inputs)},
        **{"output_" + name: value[0] for name, value in zip(names, outputs)},
    }


def main():
    random = np.random.default_rng(29)
    tensors = {**of_torch(random), **of_keras(random)}
    header, offset, values = {}, 0, []
    for name, tensor in tensors.items():
        value = np.ascontiguousarray(tensor, "<f4")
        header[name] = {"dtype": "F32", "shape": list(value.shape),
                        "data_offsets": [offset, offset + value.nbytes]}
        offset += value.nbytes
        values.append(value.tobytes())
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    file = len(text).to_bytes(8, "little") + text + b"".join(values)
    (FIXTURES / "parts.safetensors").write_bytes(file)


if __name__ == "__main__":
    main()
