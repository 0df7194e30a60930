#!/usr/bin/env python3
"""Writes Tests/Fixtures/sequence_flattens.safetensors: PyTorch networks that flatten a sequence.

Run it from anywhere, with a Python that has torch, safetensors and NumPy:

    python Scripts/references/make_sequence_flattens.py            # writes the fixture
    python Scripts/references/make_sequence_flattens.py --check    # compares, writes nothing

Recurrent layers, attention and nn.Linear have sequences [steps][channels], so that nn.Flatten keeps
the steps first; nn.Conv1d and nn.MaxPool1d have [channels][steps]. The fixture holds the state of
each network below its name, the input [steps][channels] as `input`, and what each network computes
in double precision as NAME.expected.
"""
# check: --check

import pathlib
import sys

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn

FIXTURE = pathlib.Path(__file__).resolve().parents[2] / "Tests/Fixtures/sequence_flattens.safetensors"
STEPS, CHANNELS, OUTPUTS = 7, 6, 3


class Network(nn.Module):
    """The layers of one network and how they are chained; `x` is [1][steps][channels]."""

    def __init__(self, forward, features, **layers):
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)
        self.out = nn.Linear(features, OUTPUTS)
        self.chain = forward

    def forward(self, x):
        return self.out(self.chain(self, x).flatten(1))


def first(layer, x):
    return layer(x, x, x)[0] if isinstance(layer, nn.MultiheadAttention) else layer(x)[0]


def turned(x):
    return x.transpose(1, 2)


def networks():
    conv = lambda kernel=3, outputs=5: nn.Conv1d(CHANNELS, outputs, kernel, padding=kernel // 2)
    return {
        "lstm": Network(
            lambda s, x: first(s.rnn, x), STEPS * 5,
            rnn=nn.LSTM(CHANNELS, 5, batch_first=True)),
        "linear": Network(
            lambda s, x: torch.relu(s.fc(x)), STEPS * 5, fc=nn.Linear(CHANNELS, 5)),
        "attention": Network(
            lambda s, x: s.norm(x + first(s.attention, x)), STEPS * CHANNELS,
            attention=nn.MultiheadAttention(CHANNELS, 2, batch_first=True),
            norm=nn.LayerNorm(CHANNELS)),
        "conv": Network(lambda s, x: torch.relu(s.conv(turned(x))), STEPS * 5, conv=conv()),
        "pointwise": Network(lambda s, x: s.conv(turned(x)), STEPS * 5, conv=conv(1)),
        "normalized": Network(
            lambda s, x: nn.functional.max_pool1d(s.norm(s.conv(turned(x))), 2),
            STEPS // 2 * 5, conv=conv(), norm=nn.BatchNorm1d(5)),
        "grouped": Network(
            lambda s, x: s.norm(s.conv(turned(x))), STEPS * 6, conv=conv(3, 6),
            norm=nn.GroupNorm(2, 6)),
        "joined": Network(
            lambda s, x: torch.cat([s.conv(turned(x)), s.other(turned(x))], 1), STEPS * 7,
            conv=conv(), other=conv(1, 2)),
        "recurrent": Network(
            lambda s, x: first(s.rnn, turned(s.conv(turned(x)))), STEPS * 4,
            conv=conv(), rnn=nn.GRU(5, 4, batch_first=True)),
    }


def made():
    torch.manual_seed(17)
    x = torch.rand(1, STEPS, CHANNELS) * 2 - 1
    tensors = {"input": x[0].contiguous()}
    for name, network in networks().items():
        for layer in network.modules():
            if isinstance(layer, nn.BatchNorm1d):
                layer.running_mean.uniform_(-1, 1)
                layer.running_var.uniform_(0.5, 2)
                nn.init.uniform_(layer.weight, 0.5, 2)
            if isinstance(layer, (nn.GroupNorm, nn.LayerNorm)):
                nn.init.uniform_(layer.weight, 0.5, 2)
                nn.init.uniform_(layer.bias, -1, 1)
        state = {key: value.clone() for key, value in network.state_dict().items()}
        tensors |= {f"{name}.{key}": value for key, value in state.items()}
        with torch.no_grad():
            tensors[f"{name}.expected"] = network.double().eval()(x.double())[0].float()
    return tensors


def main():
    tensors = made()
    if "--check" not in sys.argv:
        save_file(tensors, FIXTURE)
        return
    known = load_file(FIXTURE)
    same = known.keys() == tensors.keys() and all(
        np.allclose(known[name], values, rtol=1e-6, atol=1e-6) for name, values in tensors.items())
    if not same:
        sys.exit(f"{FIXTURE} differs from what this script computes")


main()
