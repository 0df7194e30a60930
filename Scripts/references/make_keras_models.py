#!/usr/bin/env python3
"""Makes Keras models with seeded weights, inputs and the outputs that Keras computes for them.

    make_keras_models.py FOLDER [--seed S] [--random N] [--architectures N] [--applications]
                                [--fixtures] [--legacy]

With --legacy, Keras 2 (the package tf_keras with tensorflow-cpu) makes .h5 files.

One model per kind of layer by default, or N layers and N architectures of random arguments, or the
networks of keras.applications with random weights. Each model NAME makes NAME.keras or NAME.h5,
NAME.in*.npy (one for each input) and NAME.out*.npy. `list.json` names them all. With --fixtures the
cases of the test suite are made, in one .npz per group of cases.
"""
# check: KERAS_BACKEND=jax {fixtures}/Keras --fixtures

import argparse
import json
import os
import pathlib
import sys

import numpy as np

LEGACY = "--legacy" in sys.argv
if LEGACY:
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf
    import tf_keras as keras
else:
    os.environ.setdefault("KERAS_BACKEND", "jax")
    import keras
L = keras.layers

ACTIVATIONS = [
    "linear", "relu", "relu6", "leaky_relu", "elu", "selu", "sigmoid", "tanh", "hard_sigmoid",
    "hard_silu", "silu", "mish", "gelu", "softplus", "softmax", "log_softmax", "softsign",
    "exponential", "log_sigmoid", "hard_tanh",
]


def seeded_weights(model, rng):
    """Fills all weights with values that make each of them matter."""
    values = []
    for weight in model.weights:
        path, shape = weight.name if LEGACY else weight.path, tuple(weight.shape)
        name, kind = path.split("/")[-1], np.dtype(getattr(weight.dtype, "name", weight.dtype)).kind
        if "seed_generator" in path or kind in "iu":
            values.append(np.asarray(weight))
        elif "variance" in name:
            values.append(rng.uniform(0.3, 2, shape).astype("float32"))
        elif "gamma" in name:
            values.append(rng.uniform(0.5, 1.5, shape).astype("float32"))
        elif "kernel" in name:
            count = max(int(np.prod(shape[:-1])), 1)
            if "depthwise" in path:
                count = int(np.prod(shape[:2]))
            values.append((rng.standard_normal(shape) * (1.6 / count) ** 0.5).astype("float32"))
        else:
            values.append((rng.standard_normal(shape) * 0.3).astype("float32"))
    model.set_weights(values)
    for layer in model.layers:
        if isinstance(layer, L.Normalization) and layer.input_mean is None:
            layer.finalize_state()


UNFUSED = {"softmax", "log_softmax", "log_sigmoid", "softsign", "exponential"}


def forge_name(tensor, prefix=""):
    """The name that the importer gives to an output."""
    operation, _, index = tuple(tensor._keras_history)
    if hasattr(operation, "outputs") and hasattr(operation, "layers"):
        return forge_name(operation.outputs[index], prefix + operation.name + "/")
    activation = getattr(getattr(operation, "activation", None), "__name__", None)
    if isinstance(operation, L.TimeDistributed):
        activation = getattr(getattr(operation.layer, "activation", None), "__name__", None)
        unfused = isinstance(operation.layer, L.Dense) and activation in UNFUSED
    else:
        unfused = activation in UNFUSED and not isinstance(operation, L.Activation)
    suffix = f"/{activation}" if unfused else ""
    if getattr(operation, "data_format", None) == "channels_first" or (
            isinstance(operation, L.BatchNormalization) and operation.axis in (1, [1])):
        suffix = "/channels_first" + suffix if len(tensor.shape) > 2 else suffix
    if getattr(operation, "go_backwards", False) and operation.return_sequences:
        suffix = "/go_backwards" + suffix
    return prefix + operation.name + suffix


class Maker:
    """Random arguments for layers."""

    def __init__(self, rng):
        self.rng = rng

    def int(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def pick(self, *choices):
        return choices[self.int(0, len(choices) - 1)]

    def flag(self, chance=0.5):
        return bool(self.rng.random() < chance)

    def activation(self):
        return self.pick(None, "relu", *ACTIVATIONS)

    def image(self, low=7, high=15, channels=None):
        return (self.int(low, high), self.int(low, high), channels or self.int(1, 19))

    def sequence(self, low=9, high=31):
        return (self.int(low, high), self.int(1, 19))

    def shape(self):
        return self.pick((self.int(2, 40),), self.sequence(), self.image())

    def window(self, kernels=(1, 2, 3, 5)):
        """Kernel, strides and dilation of an image; only one of the last two is not 1."""
        kernel = (self.pick(*kernels), self.pick(*kernels))
        strides, dilation = (1, 1), (1, 1)
        if self.flag():
            s = self.int(1, 3)
            strides = (s, s)
        elif self.flag():
            dilation = (self.int(1, 2), self.int(1, 2))
        return dict(kernel_size=kernel, strides=strides, dilation_rate=dilation)

    def window1d(self):
        strides, dilation = 1, 1
        if self.flag():
            strides = self.int(1, 3)
        elif self.flag():
            dilation = self.int(1, 3)
        return dict(kernel_size=self.pick(1, 2, 3, 4, 5), strides=strides, dilation_rate=dilation)

    # Each method makes a layer (or a function of tensors) and the shapes of its inputs.

    def Conv2D(self):
        shape = self.image()
        groups = self.pick(*[g for g in (1, 1, 2, 3) if shape[-1] % g == 0])
        return [shape], L.Conv2D(
            groups * self.int(1, 9), padding=self.pick("same", "valid"), groups=groups,
            activation=self.activation(), use_bias=self.flag(0.8), **self.window((1, 2, 3, 3)))

    def DepthwiseConv2D(self):
        shape = self.image(channels=self.int(1, 17))
        window = self.window((1, 2, 3))
        return [shape], L.DepthwiseConv2D(
            padding=self.pick("same", "valid"), depth_multiplier=self.int(1, 3),
            activation=self.activation(), use_bias=self.flag(0.8), **window)

    def SeparableConv2D(self):
        return [self.image()], L.SeparableConv2D(
            self.int(1, 19), padding=self.pick("same", "valid"), depth_multiplier=self.int(1, 3),
            activation=self.activation(), use_bias=self.flag(0.8), **self.window((1, 2, 3)))

    def Conv2DTranspose(self):
        s = self.int(1, 3)
        return [self.image(3, 7)], L.Conv2DTranspose(
            self.int(1, 19), (self.int(1, 5), self.int(1, 5)), strides=(s, self.int(1, 3)),
            padding=self.pick("same", "valid"), activation=self.activation(),
            use_bias=self.flag(0.8))

    def Conv1D(self):
        shape = self.sequence(13, 31)
        groups = self.pick(*[g for g in (1, 1, 2, 3) if shape[-1] % g == 0])
        return [shape], L.Conv1D(
            groups * self.int(1, 9), padding=self.pick("same", "valid", "causal"), groups=groups,
            activation=self.activation(), use_bias=self.flag(0.8), **self.window1d())

    def DepthwiseConv1D(self):
        return [self.sequence(13, 31)], L.DepthwiseConv1D(
            padding=self.pick("same", "valid"), depth_multiplier=self.int(1, 3),
            activation=self.activation(), use_bias=self.flag(0.8), **self.window1d())

    def SeparableConv1D(self):
        return [self.sequence(13, 31)], L.SeparableConv1D(
            self.int(1, 19), padding=self.pick("same", "valid"),
            depth_multiplier=self.int(1, 3), activation=self.activation(),
            use_bias=self.flag(0.8), **self.window1d())

    def Conv1DTranspose(self):
        return [self.sequence(5, 11)], L.Conv1DTranspose(
            self.int(1, 19), self.int(1, 5), strides=self.int(1, 3),
            padding=self.pick("same", "valid"), activation=self.activation(),
            use_bias=self.flag(0.8))

    def Dense(self):
        shape = self.pick(self.shape(), (2, 3, 4, self.int(2, 9)))
        return [shape], L.Dense(
            self.int(1, 33), activation=self.activation(), use_bias=self.flag(0.8))

    def Pooling2D(self):
        kind = self.pick(L.MaxPooling2D, L.AveragePooling2D)
        return [self.image()], kind(
            (self.int(1, 4), self.int(1, 4)),
            strides=self.pick(None, (self.int(1, 3), self.int(1, 3))),
            padding=self.pick("same", "valid"))

    def Pooling1D(self):
        kind = self.pick(L.MaxPooling1D, L.AveragePooling1D)
        return [self.sequence()], kind(
            self.int(1, 5), strides=self.pick(None, self.int(1, 4)),
            padding=self.pick("same", "valid"))

    def GlobalPooling(self):
        keep = self.flag()
        if self.flag():
            kind = self.pick(L.GlobalMaxPooling2D, L.GlobalAveragePooling2D)
            return [self.image()], kind(keepdims=keep)
        kind = self.pick(L.GlobalMaxPooling1D, L.GlobalAveragePooling1D)
        return [self.sequence()], kind(keepdims=keep)

    def BatchNormalization(self):
        return [self.shape()], L.BatchNormalization(
            epsilon=self.pick(1e-3, 1e-5), center=self.flag(0.7), scale=self.flag(0.7))

    def LayerNormalization(self):
        shape = self.shape()
        axis = self.pick(-1, list(range(1, len(shape) + 1)))
        return [shape], L.LayerNormalization(
            axis=axis, epsilon=self.pick(1e-3, 1e-6), center=self.flag(0.7), scale=self.flag(0.7))

    def GroupNormalization(self):
        groups = self.int(1, 4)
        channels = groups * self.int(1, 6)
        shape = self.pick(self.image(channels=channels), (self.int(5, 20), channels))
        return [shape], L.GroupNormalization(
            groups=self.pick(groups, groups, -1), epsilon=self.pick(1e-3, 1e-5),
            center=self.flag(0.7), scale=self.flag(0.7))

    def UnitNormalization(self):
        shape = self.shape()
        return [shape], L.UnitNormalization(axis=self.pick(-1, len(shape)))

    def Rescaling(self):
        shape = self.shape()
        one = self.flag()
        scale = 0.37 if one else [float(x) for x in self.rng.uniform(0.2, 2, shape[-1])]
        offset = -1.5 if one else [float(x) for x in self.rng.uniform(-1, 1, shape[-1])]
        return [shape], L.Rescaling(scale, offset)

    def Normalization(self):
        shape = self.shape()
        if self.flag():
            return [shape], L.Normalization(axis=-1, invert=self.flag(0.3))
        return [shape], L.Normalization(
            axis=-1, mean=[float(x) for x in self.rng.uniform(-1, 1, shape[-1])],
            variance=[float(x) for x in self.rng.uniform(0.5, 2, shape[-1])],
            invert=self.flag(0.3))

    def Activation(self):
        return [self.shape()], L.Activation(self.pick(*ACTIVATIONS))

    def ReLU(self):
        return [self.shape()], L.ReLU(
            max_value=self.pick(None, 6.0, 1.5), negative_slope=self.pick(0.0, 0.2),
            threshold=self.pick(0.0, 0.0, 0.4))

    def OtherActivation(self):
        shape = self.shape()
        shared = self.pick(None, list(range(1, len(shape))) or None)
        return [shape], self.pick(
            L.LeakyReLU(negative_slope=0.2), L.ELU(alpha=0.7), L.PReLU(shared_axes=shared),
            L.Softmax(axis=self.pick(-1, 1)))

    def Merge(self):
        shape = self.shape()
        kind = self.pick(L.Add, L.Subtract, L.Multiply, L.Average, L.Maximum, L.Minimum)
        count = 2 if kind is L.Subtract else self.int(2, 4)
        other = shape
        if self.flag(0.3) and len(shape) == 3:
            other = (1, 1, shape[-1])
        elif self.flag(0.3):
            other = (shape[-1],)
        return [shape] * (count - 1) + [other], kind()

    def Concatenate(self):
        shape = self.shape()
        axis = self.int(1, len(shape))
        shapes = []
        for _ in range(self.int(2, 4)):
            one = list(shape)
            one[axis - 1] = self.int(1, 9)
            shapes.append(tuple(one))
        return shapes, L.Concatenate(axis=self.pick(axis, axis - len(shape) - 1))

    def Dot(self):
        if self.flag():
            n = self.int(2, 20)
            return [(n,), (n,)], L.Dot(axes=1, normalize=self.flag(0.3))
        a, b, n = self.int(2, 9), self.int(2, 9), self.int(2, 9)
        first, second = self.int(1, 2), self.int(1, 2)
        return [(a, n) if first == 2 else (n, a), (b, n) if second == 2 else (n, b)], L.Dot(
            axes=(first, second))

    def Border(self):
        n = [self.int(0, 3) for _ in range(4)]
        if self.flag():
            kind = self.pick(L.ZeroPadding2D, L.Cropping2D)
            return [self.image(9, 15)], kind(((n[0], n[1]), (n[2], n[3])))
        kind = self.pick(L.ZeroPadding1D, L.Cropping1D)
        return [self.sequence()], kind((n[0], n[1]))

    def Sampling(self):
        mode = self.pick("nearest", "bilinear")
        if self.flag(0.2):
            return [self.sequence()], L.UpSampling1D(self.int(1, 4))
        if self.flag(0.4):
            return [self.image(3, 8)], L.UpSampling2D(
                (self.int(1, 3), self.int(1, 3)), interpolation=self.pick(mode, "bicubic"))
        if self.flag(0.3):
            return [self.image(8, 15)], L.CenterCrop(self.int(1, 8), self.int(1, 8))
        return [self.image(5, 20)], L.Resizing(
            self.int(3, 25), self.int(3, 25), interpolation=self.pick(mode, "bicubic"),
            antialias=self.flag(0.3))

    def Rearrangement(self):
        kind = self.int(0, 4)
        if kind == 0:
            return [self.shape()], L.Flatten()
        if kind == 1:
            return [(6, 4, self.int(1, 5))], L.Reshape(
                self.pick((-1,), (8, 3, -1), (24, -1), (-1, 2, 2, 3)))
        if kind == 2:
            shape = self.pick(self.sequence(), self.image())
            dims = list(range(1, len(shape) + 1))
            self.rng.shuffle(dims)
            return [shape], L.Permute(tuple(int(d) for d in dims))
        if kind == 3:
            return [(self.int(2, 9),)], L.RepeatVector(self.int(1, 6))
        return [self.shape()], self.pick(L.Dropout(0.4), L.GaussianNoise(0.3), L.Identity())

    def cells(self, **arguments):
        functions = ("tanh", "relu", "sigmoid", "softplus", "hard_sigmoid")
        arguments |= dict(
            units=self.int(1, 35), activation=self.pick("tanh", *functions),
            use_bias=self.flag(0.8), return_sequences=self.flag())
        kind = self.pick(L.LSTM, L.GRU, L.SimpleRNN)
        if kind is not L.SimpleRNN:
            arguments["recurrent_activation"] = self.pick("sigmoid", "hard_sigmoid")
        if kind is L.GRU:
            arguments["reset_after"] = self.flag()
        return kind(**arguments)

    def Recurrent(self):
        return [self.sequence(2, 9)], self.cells(go_backwards=self.flag(0.3))

    def Bidirectional(self):
        return [self.sequence(2, 9)], L.Bidirectional(
            self.cells(), merge_mode=self.pick("concat", "sum", "mul", "ave"))

    def recurrent_network(self):
        x = sound = keras.Input((23, 6), name="sound")
        x = L.Conv1D(17, 3, padding="causal", activation="relu")(x)
        x = L.Bidirectional(L.LSTM(9, return_sequences=True), name="both")(x)
        x = L.GRU(20, return_sequences=True, name="gru")(x)
        state = L.Dense(11, name="state")(L.GlobalAveragePooling1D()(x))
        x = L.SimpleRNN(11, name="rnn")(x, initial_state=state)
        return keras.Model(sound, L.Dense(4, activation="softmax", name="words")(x))

    def Attention(self):
        heads, channels = self.int(1, 5), self.int(1, 19)
        shapes = [self.sequence()]
        is_causal = self.flag(0.3)
        if not is_causal and self.flag():
            shapes.append(self.sequence())
        if self.flag(0.3):
            layer = L.GroupQueryAttention(channels, 2 * heads, heads, use_bias=self.flag())
        else:
            layer = L.MultiHeadAttention(
                heads, channels, use_bias=self.flag(0.8),
                output_shape=self.int(1, 17) if self.flag(0.3) else None)
        return shapes, lambda *x: layer(
            x[0], x[-1], **({"use_causal_mask": True} if is_causal else {}))

    def Embedding(self):
        count = self.int(2, 40)
        embedding = L.Embedding(count, self.int(1, 20))
        return [(self.int(1, 12),)], lambda x: L.RMSNormalization()(
            embedding(L.Rescaling(count)(L.Activation("sigmoid")(x))))

    def encoder_network(self):
        x = words = keras.Input((13, 24), name="words")
        for number in range(1, 3):
            y = L.MultiHeadAttention(3, 8, name=f"attention{number}")(x, x)
            x = L.LayerNormalization(name=f"norm{number}a")(L.Add()([x, y]))
            y = L.Dense(40, activation="gelu", name=f"expand{number}")(x)
            y = L.Dense(24, name=f"reduce{number}")(y)
            x = L.LayerNormalization(name=f"norm{number}b")(L.Add()([x, y]))
        return keras.Model(words, L.Dense(4, name="kind")(L.GlobalAveragePooling1D()(x)))

    def TimeDistributed(self):
        inner = self.pick(
            L.Dense(self.int(1, 9), activation=self.activation()), L.Activation("tanh"))
        if self.flag(0.3):
            return [(4, 3, 2, 5)], L.TimeDistributed(L.Flatten())
        return [self.sequence()], L.TimeDistributed(inner)

    def ChannelsFirst(self):
        shape = (self.int(1, 9), self.int(8, 12), self.int(8, 12))
        first = dict(data_format="channels_first")
        return [shape], self.pick(
            L.Conv2D(self.int(1, 7), 3, activation="relu", padding="same", **first),
            L.MaxPooling2D(2, **first), L.AveragePooling2D(2, **first),
            L.GlobalAveragePooling2D(**first), L.ZeroPadding2D(((0, 1), (2, 3)), **first),
            L.Flatten(**first), L.BatchNormalization(axis=1))

    def Operation(self):
        if LEGACY:
            return self.tensorflow_operation()
        ops = keras.ops
        shape = self.shape()
        kind = self.int(0, 11)
        if kind == 0:
            return [shape], lambda x: (x + 3.0) * 0.25 - 1.5
        if kind == 1:
            return [shape], lambda x: 2.0 - x / 1.7
        if kind == 2:
            return [shape, shape], lambda x, y: ops.maximum(x * y, x - y)
        if kind == 3:
            return [shape], lambda x: ops.relu6(x) + ops.silu(x) + ops.gelu(x)
        if kind == 4:
            return [self.image()], lambda x: ops.mean(x, axis=(1, 2), keepdims=True) * x
        if kind == 5:
            return [shape], lambda x: ops.clip(x, -0.5, 0.75)
        if kind == 6:
            return [self.image(8, 12)], lambda x: x[:, 1:-1, ::2, :] * 2.0
        if kind == 7:
            return [(6, 4, 2)], lambda x: ops.transpose(ops.reshape(x, (-1, 8, 6)), (0, 2, 1))
        if kind == 8:
            return [self.sequence()], lambda x: ops.sum(ops.square(x), axis=-1, keepdims=True)
        if kind == 9:
            return [self.sequence()], lambda x: ops.squeeze(ops.expand_dims(x, 1), 1) + ops.exp(x)
        if kind == 10:
            return [self.image()], lambda x: ops.max(x, axis=-1, keepdims=True) + ops.sqrt(
                ops.abs(x))
        a, b, n = self.int(2, 9), self.int(2, 9), self.int(2, 9)
        return [(a, n), (n, b)], lambda x, y: ops.matmul(x, y)

    def tensorflow_operation(self):
        shape = self.shape()
        kind = self.int(0, 6)
        if kind == 0:
            return [shape], lambda x: (x + 3.0) * 0.25 - 1.5
        if kind == 1:
            return [shape], lambda x: 2.0 - x / 1.7
        if kind == 2:
            return [shape, shape], lambda x, y: tf.maximum(x * y, x - y)
        if kind == 3:
            return [shape], lambda x: tf.nn.relu6(x) + tf.nn.silu(x) + tf.nn.gelu(x)
        if kind == 4:
            return [self.image()], lambda x: tf.reduce_mean(x, [1, 2], keepdims=True) * x
        if kind == 5:
            return [(6, 4, 2)], lambda x: tf.transpose(tf.reshape(x, (-1, 8, 6)), (0, 2, 1))
        return [self.image(8, 12)], lambda x: x[:, 1:-1, ::2, :] * 2.0

    # Whole networks

    def architecture(self):
        return self.pick(self.residual, self.mobile, self.sequence_network, self.autoencoder,
                         self.siamese, self.several_outputs)()

    def residual(self):
        x = image = keras.Input(self.image(13, 21), name="picture")
        x = L.Conv2D(8 * self.int(1, 3), 3, padding="same", use_bias=False)(x)
        for _ in range(self.int(1, 3)):
            channels = x.shape[-1]
            y = L.BatchNormalization(epsilon=1e-5)(x)
            y = L.Activation(self.pick("relu", "silu", "gelu"))(y)
            y = L.Conv2D(channels, 3, padding="same", groups=self.pick(1, 2, 8))(y)
            y = L.LayerNormalization()(y)
            if self.flag():
                s = L.GlobalAveragePooling2D(keepdims=True)(y)
                s = L.Conv2D(4, 1, activation="relu")(s)
                s = L.Conv2D(channels, 1, activation="sigmoid")(s)
                y = y * s if self.flag() else L.Multiply()([y, s])
            x = L.Add()([x, y])
            if self.flag():
                x = L.MaxPooling2D(2, padding="same")(x)
        x = L.Flatten()(x) if self.flag() else L.GlobalMaxPooling2D()(x)
        x = L.Dropout(0.3)(x)
        return keras.Model(image, L.Dense(7, activation="softmax", name="classes")(x))

    def mobile(self):
        inner = keras.Sequential(name="backbone")
        inner.add(keras.Input((self.int(15, 23), self.int(15, 23), 3)))
        inner.add(L.Rescaling(1 / 127.5, -1))
        for index in range(self.int(1, 3)):
            inner.add(L.ZeroPadding2D(((0, 1), (0, 1))))
            inner.add(L.DepthwiseConv2D(3, strides=2, use_bias=False, name=f"dw{index}"))
            inner.add(L.BatchNormalization(scale=self.flag(), name=f"bn{index}"))
            inner.add(L.ReLU(6.0))
            inner.add(L.SeparableConv2D(self.int(4, 20), 3, padding="same"))
        model = keras.Sequential([inner, L.GlobalAveragePooling2D(),
                                  L.Dense(self.int(2, 9), name="dw0")])
        model.build((None,) + tuple(inner.input_shape[1:]))
        return model

    def sequence_network(self):
        x = sound = keras.Input(self.sequence(40, 60), name="sound")
        for index in range(self.int(1, 4)):
            y = L.Conv1D(16, 3, padding="causal", dilation_rate=2 ** index, activation="tanh")(x)
            z = L.Conv1D(16, 3, padding="causal", dilation_rate=2 ** index,
                         activation="sigmoid")(x)
            y = L.Dense(x.shape[-1])(L.Multiply()([y, z]))
            x = L.Add()([x, y])
        x = L.MaxPooling1D(2)(x)
        x = L.TimeDistributed(L.Dense(5, activation="relu"))(x)
        x = L.GlobalAveragePooling1D()(x)
        return keras.Model(sound, L.Dense(3)(x))

    def autoencoder(self):
        x = image = keras.Input((16, 24, self.int(1, 3)))
        skips = []
        for channels in (6, 11):
            x = L.Conv2D(channels, 3, padding="same", activation="leaky_relu")(x)
            skips.append(x)
            x = L.AveragePooling2D(2)(x)
        for skip in reversed(skips):
            x = (L.Conv2DTranspose(9, 3, strides=2, padding="same")(x) if self.flag()
                 else L.UpSampling2D(2, interpolation=self.pick("nearest", "bilinear"))(x))
            x = L.Concatenate()([x, skip])
            x = L.PReLU(shared_axes=[1, 2])(L.Conv2D(8, 3, padding="same")(x))
        return keras.Model(image, L.Conv2D(2, 1, activation="softmax")(x))

    def siamese(self):
        shape = self.image(9, 12)
        a, b = keras.Input(shape, name="left"), keras.Input(shape, name="right")
        inside = keras.Input(shape)
        y = L.Conv2D(6, 3, activation="relu", name="conv")(inside)
        y = L.Flatten()(y)
        tower = keras.Model(inside, [L.Dense(5, name="fc")(y), L.Dense(3, name="fc2")(y)],
                            name="tower")
        first, second = tower(a), tower(b)
        shared = L.Dense(4, activation="relu", name="conv")
        x = L.Concatenate()([shared(first[0]), shared(second[0])])
        y = L.Subtract()([first[1], second[1]])
        return keras.Model([a, b], L.Dense(2, name="verdict")(L.Concatenate()([x, y])))

    def several_outputs(self):
        x = image = keras.Input((None, None, 3) if self.flag() else (17, 19, 3), name="picture")
        x = L.Conv2D(9, 3, strides=2, padding="same", activation="mish")(x)
        near = L.Conv2D(5, 1, name="near")(x)
        x = L.MaxPooling2D(3, strides=2, padding="same")(x)
        far = L.Conv2D(4, 3, padding="same", activation="sigmoid", name="far")(x)
        vector = L.Dense(6, activation="softmax", name="class")(L.GlobalAveragePooling2D()(x))
        return keras.Model(image, [near, far, vector])


KINDS = [
    "Conv2D", "DepthwiseConv2D", "SeparableConv2D", "Conv2DTranspose", "Conv1D", "DepthwiseConv1D",
    "SeparableConv1D", "Conv1DTranspose", "Dense", "Pooling2D", "Pooling1D", "GlobalPooling",
    "BatchNormalization", "LayerNormalization", "GroupNormalization", "UnitNormalization",
    "Rescaling", "Normalization", "Activation", "ReLU", "OtherActivation", "Merge", "Concatenate",
    "Dot", "Border", "Sampling", "Rearrangement", "TimeDistributed", "ChannelsFirst", "Operation",
]
# Made after the others, so that these keep their numbers.
RECURRENT = ["Recurrent", "Bidirectional"]
ATTENTION = ["Attention", "Embedding"]

APPLICATIONS = [
    "MobileNet", "MobileNetV2", "MobileNetV3Small", "MobileNetV3Large", "EfficientNetB0",
    "EfficientNetV2B0", "ResNet50", "ResNet50V2", "DenseNet121", "InceptionV3", "Xception",
    "InceptionResNetV2", "NASNetMobile", "ConvNeXtTiny", "VGG16",
]


class Writer:
    """Saves models with their inputs and outputs."""

    def __init__(self, folder, rng):
        self.folder, self.rng, self.cases = pathlib.Path(folder), rng, []
        self.folder.mkdir(parents=True, exist_ok=True)

    def save(self, name, model, form="keras", scale=1.0, offset=0.0, side=29):
        """Saves a model; sizes that it leaves open are `side`."""
        seeded_weights(model, self.rng)
        inputs = []
        for tensor in model.inputs:
            shape = [1] + [size or side for size in tensor.shape[1:]]
            inputs.append((self.rng.standard_normal(shape) * scale + offset).astype("float32"))
        outputs = model(inputs if len(inputs) > 1 else inputs[0], training=False)
        form = "h5" if LEGACY else form
        outputs = [np.asarray(y) for y in
                   (outputs if isinstance(outputs, (list, tuple)) else [outputs])]
        file = f"{name}.{form}"
        model.save(self.folder / file)
        case = dict(name=name, file=file, inputs=[], outputs=[])
        for index, (tensor, values) in enumerate(zip(model.inputs, inputs)):
            path = f"{name}.in{index}.npy"
            np.save(self.folder / path, values)
            case["inputs"].append(
                [model.input_names[index] if LEGACY else tensor._keras_history[0].name, path])
        for index, (tensor, values) in enumerate(zip(model.outputs, outputs)):
            path = f"{name}.out{index}.npy"
            np.save(self.folder / path, values)
            case["outputs"].append([forge_name(tensor), path])
        self.cases.append(case)

    def layer(self, name, maker, kind, form="keras"):
        """Saves one layer; arguments that this Keras refuses are drawn again."""
        for _ in range(8):
            try:
                shapes, layer = getattr(maker, kind)()
                inputs = [keras.Input(shape, name=f"x{i}") for i, shape in enumerate(shapes)]
                if isinstance(layer, L.Layer):
                    output = layer(inputs if len(inputs) > 1 else inputs[0])
                else:
                    output = layer(*inputs)
                model = keras.Model(inputs if len(inputs) > 1 else inputs[0], output)
                return self.save(name, model, form)
            except (TypeError, ValueError, NotImplementedError) as error:
                print(f"{name}: {error}", file=sys.stderr)
        print(f"{name}: left out", file=sys.stderr)

    def pack(self):
        """Replaces the arrays by one archive."""
        files = [path for case in self.cases for _, path in case["inputs"] + case["outputs"]]
        np.savez_compressed(
            self.folder / "arrays.npz", **{f[:-4]: np.load(self.folder / f) for f in files})
        for file in files:
            (self.folder / file).unlink()

    def finish(self):
        (self.folder / "list.json").write_text(json.dumps(self.cases, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--architectures", type=int, default=0)
    parser.add_argument("--applications", nargs="*")
    parser.add_argument("--fixtures", action="store_true")
    parser.add_argument("--legacy", action="store_true")
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    keras.utils.set_random_seed(arguments.seed)
    maker, writer = Maker(rng), Writer(arguments.folder, rng)
    if arguments.fixtures:
        for kind in KINDS:
            writer.layer(kind, maker, kind, form="h5" if kind == "Conv2D" else "keras")
        for index in range(8):
            writer.layer(f"Operation{index}", maker, "Operation")
            writer.layer(f"ChannelsFirst{index}", maker, "ChannelsFirst")
        for kind in ("residual", "mobile", "sequence_network", "autoencoder", "siamese",
                     "several_outputs"):
            writer.save(kind, getattr(maker, kind)(), "h5" if kind == "siamese" else "keras")
        for index in range(6):
            for kind in RECURRENT:
                writer.layer(f"{kind}{index}", maker, kind, form="h5" if index % 2 else "keras")
        writer.save("recurrent_network", maker.recurrent_network())
        writer.save("recurrent_network_h5", maker.recurrent_network(), "h5")
        for index in range(6):
            for kind in ATTENTION:
                writer.layer(f"{kind}{index}", maker, kind, form="h5" if index % 2 else "keras")
        writer.save("encoder_network", maker.encoder_network())
        writer.save("encoder_network_h5", maker.encoder_network(), "h5")
        writer.pack()
    for index in range(arguments.random):
        kinds = KINDS + RECURRENT + ATTENTION
        kind = kinds[index % len(kinds)]
        writer.layer(f"{index:04}_{kind}", maker, kind, maker.pick("keras", "h5"))
    for index in range(arguments.architectures):
        writer.save(f"net{index:03}", maker.architecture(), maker.pick("keras", "h5"))
    if arguments.applications is not None:
        for name in arguments.applications or APPLICATIONS:
            keras.backend.clear_session()
            # Random weights make large logits, of which a softmax leaves a one and zeros.
            model = getattr(keras.applications, name)(weights=None, classifier_activation=None)
            inside = name.startswith(("MobileNetV3", "Efficient", "ConvNeXt"))
            writer.save(name, model, scale=60.0 if inside else 1.0, offset=120.0 if inside else 0.0,
                        side=113)
    writer.finish()


if __name__ == "__main__":
    main()
