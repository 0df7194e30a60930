#!/usr/bin/env python3
"""Writes Tests/ForgeImportersTests/Fixtures/KerasStateful: recurrent layers that keep their state.

Needs keras with any back end. It writes a network, a sequence in parts, and what Keras answers to
the parts one after the other.
"""
# check: KERAS_BACKEND=jax

import pathlib

import keras
import numpy as np
from keras import layers as L

FOLDER = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeImportersTests", "Fixtures", "KerasStateful")
PARTS, STEPS, CHANNELS = 4, 3, 6


def main():
    keras.utils.set_random_seed(7)
    random = np.random.default_rng(7)
    x = sound = keras.Input(batch_shape=(1, STEPS, CHANNELS), name="sound")
    x = L.LSTM(19, return_sequences=True, stateful=True, name="lstm")(x)
    x = L.GRU(13, return_sequences=True, stateful=True, reset_after=False, name="gru")(x)
    x = L.SimpleRNN(5, return_sequences=True, stateful=True, name="rnn")(x)
    model = keras.Model(sound, L.Dense(3, name="words")(x))
    for variable in model.weights:
        if variable.name == "bias":
            variable.assign(random.normal(0, 0.3, variable.shape))
    parts = random.uniform(-1, 1, (PARTS, STEPS, CHANNELS)).astype(np.float32)
    answers = np.concatenate([np.asarray(model(part[None])) for part in parts])
    FOLDER.mkdir(exist_ok=True)
    model.save(FOLDER / "network.keras")
    np.save(FOLDER / "parts.npy", parts)
    np.save(FOLDER / "answers.npy", answers)


if __name__ == "__main__":
    main()
