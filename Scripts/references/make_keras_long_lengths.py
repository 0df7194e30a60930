#!/usr/bin/env python3
"""Converts a small encoder of Keras for sequences of up to 300 positions with tf2onnx.

Usage: make_keras_long_lengths.py

Writes Tests/ForgeImportersTests/Fixtures/ONNX/LongLengths: NAME.onnx and keras.json, what ONNX
Runtime computes at several lengths. Needs the PyPI packages tensorflow-cpu, tf2onnx, onnxruntime
and numpy.
"""
import json
import pathlib

import numpy as np
import tensorflow as tf
import tf2onnx

from length_values import expected

folder = pathlib.Path(__file__).resolve().parents[2] \
    / "Tests/ForgeImportersTests/Fixtures/ONNX/LongLengths"
found = {}
layers = tf.keras.layers


def encoder(channels=20):
    """Two blocks over numbers of any length, the mean of all positions, and the last one."""
    x = tf.keras.Input((None, 13))
    y = layers.Dense(channels)(x)
    for _ in range(2):
        a = layers.MultiHeadAttention(2, 7, value_dim=9)(y, y)
        y = layers.LayerNormalization()(y + a)
        z = layers.Dense(31, activation="relu")(y)
        y = layers.LayerNormalization(epsilon=1e-6)(y + layers.Dense(channels)(z))
    y = layers.Dense(5)(y)
    return tf.keras.Model(x, [y, layers.GlobalAveragePooling1D()(y), y[:, -1]])


def words(channels=20):
    """Words, attention and root mean squares.

    tf2onnx writes causal masks with arithmetic on the places of their numbers, which is refused.
    """
    ids = tf.keras.Input((None,), dtype="int32")
    y = layers.Embedding(53, channels)(ids)
    y = layers.RMSNormalization()(y)
    y = y + layers.MultiHeadAttention(4, 5)(y, y)
    return tf.keras.Model(ids, layers.Dense(5)(layers.RMSNormalization()(y)))


def convert(name, model, kinds, kind):
    rng = np.random.default_rng(len(name))
    for weight in model.weights:
        weight.assign(rng.uniform(-0.4, 0.4, weight.shape))
    (given, shape), = kinds.items()
    sizes = [1, None] if shape == "ids" else [1] + [size or None for size in shape[1:]]
    signature = [tf.TensorSpec(sizes, kind, name=given)]
    function = tf.function(lambda x: model(x), input_signature=signature)
    converted, _ = tf2onnx.convert.from_function(function, input_signature=signature, opset=17)
    for node in converted.graph.node:
        node.ClearField("doc_string")
    data = converted.SerializeToString()
    (folder / f"{name}.onnx").write_bytes(data)

    def reference(feed):
        result = model(feed[given])
        return [r.numpy() for r in (result if isinstance(result, list) else [result])]

    found[name] = expected(data, kinds, reference)
    print(name, len(data), sorted({n.op_type for n in converted.graph.node}))


def main():
    folder.mkdir(parents=True, exist_ok=True)
    convert("keras_encoder", encoder(), {"x": (1, 0, 13)}, tf.float32)
    convert("keras_words", words(), {"ids": "ids"}, tf.int32)
    (folder / "keras.json").write_text(json.dumps(found, separators=(",", ":")))


main()
