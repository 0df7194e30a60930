#!/usr/bin/env python3
"""Makes Tests/ForgeImportersTests/Fixtures/KerasMasks: masks, and the last states of layers.

    make_keras_masks.py            # Keras 3, with any back end
    make_keras_masks.py --legacy   # Keras 2: the package tf_keras with tensorflow-cpu

Each network NAME makes NAME-3.keras or NAME-2.keras, and in arrays-3.npz or arrays-2.npz an array
FILE.in.INPUT for each input and FILE.out.NUMBER for each output: what Keras computes.
"""
# check: KERAS_BACKEND=torch
# check: --legacy

import pathlib

import numpy as np
from make_keras_models import LEGACY, keras

L = keras.layers
FOLDER = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeImportersTests", "Fixtures", "KerasMasks")
STEPS, CHANNELS, VOCABULARY = 7, 4, 11
# Hidden at the start, inside and at the end.
IDS = [[0, 0, 5, 1, 0, 10, 0], [3, 7, 0, 2, 9, 0, 0], [1, 2, 3, 4, 5, 6, 7]]
random = np.random.default_rng(23)


def ids(name="ids"):
    return keras.Input((STEPS,), name=name)


def embedded(x, channels=CHANNELS):
    return L.Embedding(VOCABULARY, channels, mask_zero=True)(x)


def stack(*layers):
    """Layers behind an embedding that hides 0."""
    def network():
        x = ids()
        y = embedded(x)
        for layer in layers:
            y = layer(y)
        return [x], [y]
    return network


def attention(causal, dropout):
    def network():
        x = ids()
        y = embedded(x, 6)
        z = L.MultiHeadAttention(2, 3, dropout=dropout)(y, y, use_causal_mask=causal)
        y = L.LayerNormalization()(L.Add()([y, z]))
        return [x], [y, L.GlobalAveragePooling1D()(y)]
    return network


def grouped():
    x = ids()
    y = embedded(x, 6)
    return [x], [L.GroupQueryAttention(3, 4, 2)(y, y, use_causal_mask=True)]


def cross():
    x, others = ids(), ids("others")
    y, z = embedded(x, 6), embedded(others, 6)
    y = L.MultiHeadAttention(2, 3)(y, z)
    return [x, others], [L.LSTM(3)(y)]


def translation():
    x, others = ids(), ids("others")
    _, h, c = L.LSTM(5, return_state=True)(embedded(x))
    y = L.LSTM(5, return_sequences=True)(embedded(others), initial_state=[h, c])
    return [x, others], [L.Dense(VOCABULARY, activation="softmax")(y)]


def masking():
    x = keras.Input((STEPS, CHANNELS), name="x")
    y = L.Masking(0.5)(x)
    z = L.TimeDistributed(L.Dense(3, activation="tanh"))(L.GRU(5, return_sequences=True)(y))
    return [x], [y, z, L.GlobalAveragePooling1D()(z)]


def states():
    x = keras.Input((STEPS, CHANNELS), name="x")
    outputs = list(L.GRU(3, return_sequences=True, return_state=True)(x))
    outputs += list(L.SimpleRNN(3, return_state=True)(x))
    outputs += list(L.Bidirectional(L.LSTM(3, return_sequences=True, return_state=True))(x))
    outputs += list(L.Bidirectional(L.GRU(3), merge_mode=None)(x))
    return [x], outputs


def masked_states():
    x = ids()
    y = embedded(x)
    outputs = list(L.LSTM(3, return_sequences=True, return_state=True)(y))
    outputs += list(L.Bidirectional(L.GRU(3, return_sequences=True, return_state=True))(y))
    outputs.append(L.LSTM(3, return_sequences=True, go_backwards=True)(y))
    return [x], outputs


def merged():
    x = ids()
    y = embedded(x)
    z = L.Concatenate()([y, L.Dense(3)(y)])
    z = L.Average()([z, L.Dropout(0.2)(z)])
    return [x], [L.LSTM(3)(z)]


def nested():
    a = keras.Input((STEPS, CHANNELS))
    inner = keras.Model(a, L.LSTM(4, return_sequences=True)(L.Activation("tanh")(a)))
    x = ids()
    return [x], [L.GRU(3)(inner(embedded(x)))]


def sequential():
    model = keras.Sequential([
        ids(), L.Embedding(VOCABULARY, CHANNELS, mask_zero=True), L.Dropout(0.1),
        L.Bidirectional(L.LSTM(4, return_sequences=True)),
        keras.Sequential([keras.Input((STEPS, 8)), L.Dense(5), L.GRU(3, return_sequences=True)]),
        L.GlobalAveragePooling1D(), L.Dense(2)])
    return model.inputs, model.outputs, model


NETWORKS = {
    "lstm": stack(L.LSTM(5, return_sequences=True), L.LSTM(4), L.Dense(3)),
    "gru": stack(L.GRU(5, return_sequences=True), L.GRU(17)),
    "simple": stack(L.SimpleRNN(5, return_sequences=True)),
    "both": stack(
        L.Bidirectional(L.GRU(4, return_sequences=True)), L.LayerNormalization(),
        L.Bidirectional(L.LSTM(3, return_sequences=True), merge_mode="sum"), L.Dropout(0.3),
        L.Bidirectional(L.SimpleRNN(3))),
    "mean": stack(L.BatchNormalization(), L.GlobalAveragePooling1D(), L.Dense(2)),
    "lost": stack(L.Conv1D(4, 3, padding="same"), L.LSTM(3)),
    "attention": attention(False, 0),
    "causal": attention(True, 0),
    "dropout": attention(False, 0.1),
    "cross": cross, "translation": translation, "masking": masking, "states": states,
    "masked_states": masked_states, "merged": merged, "nested": nested,
    "sequential": sequential,
}
if not LEGACY:
    NETWORKS["grouped"] = grouped


def array(name):
    if name == "x":
        x = random.uniform(-1, 1, (3, STEPS, CHANNELS)).astype(np.float32)
        x[0, :2] = x[1, 3] = x[2, 5:] = 0.5
        x[2, 0, 1:] = 0.5
        return x
    return np.array(IDS if name == "ids" else IDS[::-1], np.float32)


def main():
    FOLDER.mkdir(exist_ok=True)
    arrays = {}
    version = 2 if LEGACY else 3
    for name, network in NETWORKS.items():
        inputs, outputs, *own = network()
        model = own[0] if own else keras.Model(inputs, outputs, name=name)
        for variable in model.weights:
            positive = "variance" in variable.name
            variable.assign(random.uniform(0.2 if positive else -0.8, 0.9, variable.shape))
        file = f"{name}-{version}"
        model.save(FOLDER / f"{file}.keras")
        values = {x.name.split(":")[0]: array(x.name.split(":")[0]) for x in inputs}
        results = model.predict(values, verbose=0)
        for key, value in values.items():
            arrays[f"{file}.in.{key}"] = value
        for number, value in enumerate(results if isinstance(results, list) else [results]):
            arrays[f"{file}.out.{number}"] = value
    np.savez_compressed(FOLDER / f"arrays-{version}.npz", **arrays)


if __name__ == "__main__":
    main()
