#!/usr/bin/env python3
"""Writes Tests/ForgeImportersTests/Fixtures/KerasCalls: layers called with several arguments.

    KERAS_BACKEND=jax python Scripts/references/make_keras_calls.py   # keras with any back end

Each network calls layers by position, by name, or in both ways. expected.json has by network the
inputs and what Keras computes from them. NAME_by_position.keras is NAME.keras with all arguments of
its calls by position, in the order of the parameters of Keras's own methods.
"""
# check: KERAS_BACKEND=jax

import inspect
import json
import pathlib
import zipfile

import keras
import numpy as np
from keras import layers as L

FOLDER = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeImportersTests", "Fixtures", "KerasCalls")
STEPS, CHANNELS = 7, 6


def attention():
    """Masks and the causal mask, by name: Keras 3.15 refuses what follows the key by position."""
    x = keras.Input((STEPS, CHANNELS), name="x")
    y = keras.Input((5, CHANNELS), name="y")
    square = keras.Input((STEPS, STEPS), dtype="bool", name="square")
    wide = keras.Input((STEPS, 5), dtype="bool", name="wide")
    return keras.Model([x, y, square, wide], [
        L.MultiHeadAttention(2, 3, name="masked")(x, x, x, attention_mask=square),
        L.MultiHeadAttention(2, 3, name="causal")(x, x, use_causal_mask=True),
        L.MultiHeadAttention(2, 3, name="both")(
            x, x, x, attention_mask=square, use_causal_mask=True),
        L.MultiHeadAttention(2, 3, name="named")(value=y, query=x, attention_mask=wide),
        L.GroupQueryAttention(3, 4, 2, name="groups")(x, y, key=y, attention_mask=wide),
    ])


def recurrent():
    """Initial states that are the second argument."""
    x = keras.Input((STEPS, CHANNELS), name="x")
    h, c, back_h, back_c = (keras.Input((4,), name=n) for n in ("h", "c", "back_h", "back_c"))
    return keras.Model([x, h, c, back_h, back_c], [
        L.LSTM(4, name="lstm")(x, [h, c]),
        L.LSTM(4, return_sequences=True, name="lstm_named")(x, initial_state=[h, c]),
        L.GRU(4, name="gru")(x, h),
        L.GRU(4, name="gru_named")(sequences=x, initial_state=h),
        L.SimpleRNN(4, return_sequences=True, name="rnn")(x, h),
        L.Bidirectional(L.LSTM(4), name="both")(x, [h, c, back_h, back_c]),
    ])


def numbers(values):
    return {"sizes": list(values.shape[1:]), "values": [float(f"{v:.8g}") for v in values.ravel()]}


def write(path, entries):
    """Writes an archive of Keras without times, and smaller than Keras does."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def save(path, model):
    """Saves a model, and once more with the arguments of its calls by position."""
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    write(path, entries)
    config = json.loads(entries["config.json"])
    for layer in config["config"]["layers"]:
        parameters = list(inspect.signature(model.get_layer(layer["name"]).call).parameters)
        for call in layer["inbound_nodes"]:
            values = dict(zip(parameters, call["args"])) | call["kwargs"]
            last = max(parameters.index(name) for name in values)
            call["args"] = [values.get(name) for name in parameters[:last + 1]]
            call["kwargs"] = {}
    entries["config.json"] = json.dumps(config).encode()
    write(path.with_name(f"{path.stem}_by_position.keras"), entries)


def main():
    FOLDER.mkdir(exist_ok=True)
    expected = {}
    for make in (attention, recurrent):
        keras.utils.set_random_seed(11)
        random = np.random.default_rng(11)
        model = make()
        for variable in model.weights:
            variable.assign(random.normal(0, 0.7, variable.shape))
        inputs = {}
        for tensor in model.inputs:
            values = random.uniform(-1, 1, (1, *tensor.shape[1:])).astype(np.float32)
            if tensor.dtype == "bool":
                values = values < 0
                # A query without keys has no mean.
                values[..., 0] = True
            inputs[tensor.name] = values
        outputs = [np.asarray(y) for y in model(list(inputs.values()), training=False)]
        save(FOLDER / f"{make.__name__}.keras", model)
        expected[make.__name__] = {
            "inputs": {n: numbers(v.astype(np.float32)) for n, v in inputs.items()},
            "outputs": {
                y._keras_history[0].name: numbers(v) for y, v in zip(model.outputs, outputs)},
        }
    (FOLDER / "expected.json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
