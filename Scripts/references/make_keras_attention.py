#!/usr/bin/env python3
"""Converts attention of Keras to ONNX with tf2onnx: make_keras_attention.py FILE.onnx

Needs the PyPI packages tensorflow-cpu and tf2onnx. make_transformer_exports.py --keras FILE.onnx
makes a fixture of the result.
"""
# check: {scratch}/keras_attention.onnx
import sys

import numpy as np
import tensorflow as tf
import tf2onnx

tf.random.set_seed(5)
rng = np.random.default_rng(5)
layers = tf.keras.layers
x, z = tf.keras.Input((11, 30)), tf.keras.Input((7, 26))
y = layers.MultiHeadAttention(3, 8, value_dim=6)(x, z)
y = layers.LayerNormalization()(x + y)
y = layers.MultiHeadAttention(3, 5)(y, y, use_causal_mask=True)
model = tf.keras.Model([x, z], layers.Dense(20, activation="relu")(y))
for weight in model.weights:
    weight.assign(rng.uniform(-0.4, 0.4, weight.shape))
signature = [tf.TensorSpec((1, 11, 30), tf.float32, name="x"),
             tf.TensorSpec((1, 7, 26), tf.float32, name="z")]
function = tf.function(lambda a, b: model([a, b]), input_signature=signature)
tf2onnx.convert.from_function(
    function, input_signature=signature, opset=17, output_path=sys.argv[1])
