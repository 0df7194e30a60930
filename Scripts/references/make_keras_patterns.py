#!/usr/bin/env python3
"""Converts normalizations of Keras to ONNX with tf2onnx.

Usage: make_keras_patterns.py

Writes Tests/ForgeImportersTests/Fixtures/ONNX/Patterns: NAME.onnx and keras.safetensors, with the inputs
and outputs of each. ONNX Runtime computes the outputs, in single precision; for inputs of hostile
numbers NumPy does, in double precision. Needs the PyPI packages tensorflow-cpu, tf2onnx,
onnxruntime and numpy.
"""
# check:
import pathlib
import zlib

import numpy as np
import onnx
import onnxruntime
import tensorflow as tf
import tf2onnx

import fixtures
from pattern_values import hostile, values

folder = pathlib.Path(__file__).resolve().parents[2] \
    / "Tests/ForgeImportersTests/Fixtures/ONNX/Patterns"
expected = {}
ABSENT = ("reduce", "reciprocal", "squareRoot", "multiply", "subtract", "square")


def convert(name, layer, inputs, exact, steps):
    """Converts a layer behind a product with the unit matrix: it is never the first one."""
    channels = inputs[0].shape[-1]
    unit = np.eye(channels, dtype=np.float32)

    def function(x):
        flat = tf.matmul(tf.reshape(x, (-1, channels)), unit)
        return layer(tf.reshape(flat, inputs[0].shape))

    signature = [tf.TensorSpec(inputs[0].shape, tf.float32, name="x")]
    model, _ = tf2onnx.convert.from_function(
        tf.function(function, input_signature=signature), input_signature=signature, opset=17)
    for node in model.graph.node:
        node.ClearField("doc_string")
    data = model.SerializeToString()
    (folder / f"{name}.onnx").write_bytes(data)
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    output = session.get_outputs()[0].name
    cases = []
    for index, x in enumerate(inputs):
        result = session.run(None, {"x": x})[0]
        assert index > 0 or np.allclose(result, exact(x.astype(np.float64)), atol=1e-4), name
        if index > 0:
            result = exact(x.astype(np.float64))
        cases.append({"inputs": {"x": values(x)}, "outputs": {output: values(result)}})
    expected[name] = {"steps": steps, "absent": ABSENT, "cases": cases}
    print(name, len(data), [n.op_type for n in model.graph.node])


def layer_normalization(axes, epsilon, gamma=1.0, beta=0.0):
    def exact(x):
        centered = x - x.mean(axis=axes, keepdims=True)
        return gamma * centered / np.sqrt(
            np.mean(centered * centered, axis=axes, keepdims=True) + epsilon) + beta
    return exact


def seeded(name):
    """Random numbers of a case, which do not change when other cases come or go."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def main():
    folder.mkdir(parents=True, exist_ok=True)
    layers = tf.keras.layers
    for name, sizes, axes, options in [
            ("keras_layer", (1, 7, 23), (-1,), {}),
            ("keras_plain", (1, 7, 23), (-1,), {"center": False, "scale": False}),
            ("keras_scale", (1, 7, 23), (-1,), {"center": False}),
            ("keras_centre", (1, 7, 23), (-1,), {"scale": False})]:
        rng = seeded(name)
        layer = layers.LayerNormalization(axis=list(axes), epsilon=1e-3, **options)
        layer.build(sizes)
        for weight in layer.weights:
            weight.assign(rng.uniform(-1, 1, weight.shape))
        gamma = np.asarray(layer.gamma, np.float64) if options.get("scale", True) else 1.0
        beta = np.asarray(layer.beta, np.float64) if options.get("center", True) else 0.0
        convert(name, layer, hostile(rng, *sizes),
                layer_normalization(axes, 1e-3, gamma, beta),
                {"normalize": 1})
    rng = seeded("keras_rms")
    layer = layers.RMSNormalization(epsilon=1e-4)
    layer.build((1, 7, 23))
    layer.scale.assign(rng.uniform(-1, 1, 23))
    scale = np.asarray(layer.scale, np.float64)
    convert("keras_rms", layer, hostile(rng, 1, 7, 23),
            lambda x: x / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-4) * scale,
            {"normalize": 1})
    rng = seeded("tf_batch_normalization")
    gamma, beta = rng.uniform(-1, 1, (2, 23)).astype(np.float32)

    def batch_normalization(x):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-3)

    convert("tf_batch_normalization", batch_normalization, hostile(rng, 1, 7, 23),
            layer_normalization((-1,), 1e-3, gamma.astype(np.float64), beta.astype(np.float64)),
            {"normalize": 1})
    fixtures.write(folder / "keras.safetensors", expected)


main()
