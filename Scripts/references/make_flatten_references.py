#!/usr/bin/env python3
"""Writes Tests/Fixtures/flatten.safetensors: what networks that flatten an image compute channels first.

Run it from anywhere, with a Python that has NumPy:

    python Scripts/references/make_flatten_references.py            # writes the fixture
    python Scripts/references/make_flatten_references.py --check    # compares, writes nothing

The networks are computed in double precision with images [channels][height][width], as PyTorch has
them, so that nn.Flatten gives channels, height, width. The fixture:

    sizes       width, height and channels of the input
    input       the input in Forge's memory order: height, width, channels
    parameters  by layer and type, in PyTorch's axis order
    outputs     by network
"""
# check: --check

import pathlib
import sys

import numpy as np

import fixtures

FIXTURE = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "flatten.safetensors"
WIDTH, HEIGHT, CHANNELS, FEATURES, NEURONS = 4, 3, 2, 3, 5
COUNT = FEATURES * HEIGHT * WIDTH
EPSILON = 0.001


def made():
    random = np.random.default_rng(13)

    def values(*sizes, low=-1.0, high=1.0):
        # Few digits, so that single precision and the text hold them exactly enough.
        return np.float32(random.uniform(low, high, sizes).round(3)).astype(np.float64)

    parameters = {
        "conv.weights": values(FEATURES, CHANNELS, 1, 1),
        "conv.biases": values(FEATURES),
        "fc.weights": values(NEURONS, COUNT),
        "fc.biases": values(NEURONS),
        "norm.gamma": values(COUNT),
        "norm.beta": values(COUNT),
        "norm.mean": values(COUNT),
        "norm.variance": values(COUNT, low=0.5, high=1.5),
        "act.slopes": values(COUNT),
    }
    image = values(CHANNELS, HEIGHT, WIDTH)
    p = parameters
    features = np.einsum("oi,ihw->ohw", p["conv.weights"][:, :, 0, 0], image)
    flat = (features + p["conv.biases"][:, None, None]).ravel()

    def dense(x):
        return p["fc.weights"] @ x + p["fc.biases"]

    scale = p["norm.gamma"] / np.sqrt(p["norm.variance"] + EPSILON)
    normal = scale * (flat - p["norm.mean"]) + p["norm.beta"]
    outputs = {
        "dense": dense(flat),
        "relu": dense(np.maximum(flat, 0)),
        "norm": dense(normal),
        "slopes": dense(np.where(flat > 0, flat, p["act.slopes"] * flat)),
    }
    return {
        "sizes": [WIDTH, HEIGHT, CHANNELS],
        "input": image.transpose(1, 2, 0).ravel().tolist(),
        "parameters": {name: array.ravel().tolist() for name, array in parameters.items()},
        "outputs": {name: array.tolist() for name, array in outputs.items()},
    }


def main():
    fixture = made()
    if "--check" not in sys.argv:
        fixtures.write(FIXTURE, fixture)
        return
    known = fixtures.read(FIXTURE)
    same = known.keys() == fixture.keys() and all(
        np.allclose(known["outputs"][name], values, rtol=1e-6, atol=1e-6)
        for name, values in fixture["outputs"].items())
    if not same:
        sys.exit(f"{FIXTURE} differs from what this script computes")


main()
