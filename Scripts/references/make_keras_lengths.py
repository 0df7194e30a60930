#!/usr/bin/env python3
"""Saves models of sequences of any length, and what Keras computes: make_keras_lengths.py FOLDER

Needs the PyPI packages keras and tensorflow-cpu.
"""
# check: {fixtures}/KerasLengths
import os
import sys

import keras
import numpy as np
from keras import layers

import fixtures

LENGTHS = [1, 7, 40]
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
random = np.random.default_rng(11)
found = {}


def save(name, model, kind, make, lengths=LENGTHS):
    for weight in model.weights:
        least = 0.1 if "variance" in weight.path else -0.4
        weight.assign(random.uniform(least, 0.4, weight.shape))
    model.save(os.path.join(folder, f"{name}.{kind}"))
    cases = {}
    for length in lengths:
        given = make(length)
        results = model(given, training=False)
        results = results if isinstance(results, (list, tuple)) else [results]
        cases[str(length)] = {
            "input": np.asarray(given, np.float32).ravel().tolist(),
            "outputs": [
                {"sizes": list(r.shape), "values": [float(f"{x:.7g}") for x in np.ravel(r)]}
                for r in map(np.asarray, results)],
        }
    found[f"{name}.{kind}"] = cases


def ids(length):
    return random.integers(0, 23, (1, length))


def frames(length):
    return random.standard_normal((1, length, 13)).astype(np.float32)


x = keras.Input((None,), name="tokens", dtype="int32")
y = layers.Embedding(23, 24)(x)
y = layers.LayerNormalization()(y + layers.MultiHeadAttention(3, 8)(y, y))
y = layers.MultiHeadAttention(2, 12)(y, y, use_causal_mask=True)
z = layers.Dense(9, activation="gelu")(y)
save("attention", keras.Model(x, [z, layers.GlobalAveragePooling1D()(z)]), "keras", ids)

x = keras.Input((None, 13), name="tokens")
y = layers.Conv1D(19, 3, padding="causal", activation="relu")(x)
y = layers.Bidirectional(layers.GRU(11, return_sequences=True))(y)
y = layers.LSTM(7, return_sequences=True)(y)
z = layers.TimeDistributed(layers.Dense(5))(y)
save("recurrent", keras.Model(x, [z, layers.LSTM(6)(y), y[:, -1]]), "h5", frames)

x = keras.Input((None, 13), name="tokens")
y = layers.ZeroPadding1D((2, 3))(x)
y = layers.DepthwiseConv1D(4, padding="valid")(y)
y = layers.Cropping1D((1, 1))(y)
y = layers.BatchNormalization()(y)
z = layers.GlobalMaxPooling1D()(y)
save("borders", keras.Model(x, [y * keras.ops.expand_dims(layers.Dense(13)(z), 1), z]), "keras", frames)

x = keras.Input((None, 13), name="tokens")
save("flat", keras.Model(x, layers.Conv1D(4, 3, strides=2, padding="same", name="steps")(x)),
     "keras", frames)

x = keras.Input((None, 13), name="tokens")
a = layers.Conv1D(8, 5, padding="same", activation="relu")(x)
y = layers.Conv1D(12, 4, strides=2, padding="same")(layers.MaxPooling1D(2)(a))
y = layers.GroupNormalization(4)(y)
y = layers.UpSampling1D(2)(layers.Conv1DTranspose(8, 3, strides=2, padding="same")(y))
z = layers.GRU(5)(layers.AveragePooling1D(4)(y))
save("strides", keras.Model(x, [layers.Concatenate()([y, a]), z]), "keras", frames, [4, 24, 40])

fixtures.write(os.path.join(folder, "expected.safetensors"), found)
