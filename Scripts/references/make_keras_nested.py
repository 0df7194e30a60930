#!/usr/bin/env python3
"""Makes Tests/ForgeImportersTests/Fixtures/KerasNested: models in models, and layers of layers.

    make_keras_nested.py            # Keras 3, with any back end
    make_keras_nested.py --legacy   # Keras 2: the package tf_keras with tensorflow-cpu

Each network NAME makes NAME.h5 or NAME.keras, and in arrays-3.npz or arrays-2.npz NAME.in and
NAME.out: what it reads and what Keras computes.
"""
# check: KERAS_BACKEND=torch
# check: --legacy

import pathlib

import numpy as np
from make_keras_models import LEGACY, keras

L = keras.layers
FOLDER = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeImportersTests", "Fixtures", "KerasNested")
STEPS, CHANNELS = 5, 3


def sequence(model, *layers):
    """A model that applies layers."""
    x = keras.Input((STEPS, CHANNELS))
    y = x
    for layer in layers:
        y = layer(y)
    return keras.Model(x, y, name=model)


def attention():
    x = keras.Input((STEPS, CHANNELS))
    return keras.Model(x, L.MultiHeadAttention(2, 3, name="heads")(x, x), name="attention")


def networks():
    def both(cell, name):
        return L.Bidirectional(cell(4, return_sequences=True), name=name)

    if LEGACY:
        for ending in ("h5", "keras"):
            yield ending, sequence("both", both(L.LSTM, "both"), both(L.GRU, "second"))
        yield "keras", attention()
        return
    yield "h5", sequence("alone", sequence("inner", L.Dense(4, name="d")))
    yield "h5", sequence("recurrent", sequence("inner", L.LSTM(4, name="d")))
    yield "h5", sequence("norm", sequence("inner", L.BatchNormalization(name="d")), L.Dense(2))
    yield "h5", sequence("both_inside", sequence("inner", both(L.LSTM, "b"), L.Dense(2, name="d")))
    yield "h5", sequence(
        "deep", sequence("middle", sequence("inner", L.Dense(4, name="d"), L.Dense(3, name="e"))),
        L.Dense(2, name="d"))


def main():
    random = np.random.default_rng(17)
    FOLDER.mkdir(exist_ok=True)
    arrays = {}
    for ending, model in networks():
        for variable in model.weights:
            positive = "variance" in variable.name
            variable.assign(random.uniform(0.2 if positive else -0.7, 0.9, variable.shape))
        name = f"{model.name}.{ending}"
        model.save(FOLDER / name)
        x = random.uniform(-1, 1, (STEPS, CHANNELS)).astype(np.float32)
        arrays[name + ".in"] = x
        arrays[name + ".out"] = model.predict(x[None], verbose=0)[0]
    np.savez(FOLDER / f"arrays-{2 if LEGACY else 3}.npz", **arrays)


if __name__ == "__main__":
    main()
