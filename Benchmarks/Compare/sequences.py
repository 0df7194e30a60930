"""Makes the networks of sequences with seeded random weights: `sequences.py FOLDER NAME…`.

The batch is stated as one: .tflite files compute sizes that are not stated anew in each prediction. For each
network it writes Keras's .keras, an .onnx as an exporter would write it, a .tflite, one input and what Keras answers to
it.
"""
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras  # noqa: E402
import numpy  # noqa: E402
import onnx  # noqa: E402
import tensorflow  # noqa: E402
from keras import layers  # noqa: E402

import sequence_onnx  # noqa: E402

FRAMES, FEATURES, UNITS = 100, 80, 512


class Encoder:
    """Layers of attention and two dense layers, normalized after them as in BERT or before as in ViT."""

    def __init__(self, depth, channels, heads, hidden, tokens, before=False, epsilon=1e-12):
        self.depth, self.channels, self.heads, self.hidden = depth, channels, heads, hidden
        self.tokens, self.before, self.epsilon = tokens, before, epsilon

    def layer(self, x, number):
        name = f"layer{number}_"

        def norm(x, which):
            return layers.LayerNormalization(epsilon=self.epsilon, name=f"{name}norm{which}")(x)

        def attention(x):
            return layers.MultiHeadAttention(
                self.heads, self.channels // self.heads, name=f"{name}attention")(x, x)

        def dense(x):
            x = layers.Dense(self.hidden, activation="gelu", name=f"{name}dense1")(x)
            return layers.Dense(self.channels, name=f"{name}dense2")(x)

        if self.before:
            x = layers.Add()([x, attention(norm(x, 1))])
            return layers.Add()([x, dense(norm(x, 2))])
        x = norm(layers.Add()([x, attention(x)]), 1)
        return norm(layers.Add()([x, dense(x)]), 2)

    def layers(self, x):
        for number in range(self.depth):
            x = self.layer(x, number)
        return x

    def keras(self):
        tokens = layers.Input(batch_shape=(1, self.tokens, self.channels), name="tokens")
        return keras.Model(tokens, self.layers(tokens))

    def onnx(self, model):
        return sequence_onnx.encoder(model, self)


class VisionTransformer(Encoder):
    """ViT-B/16 (Dosovitskiy et al., 2021): patches, a class token, learned positions, the layers, a classifier."""

    PATCH, SIZE, CLASSES = 16, 224, 1000

    def __init__(self):
        super().__init__(12, 768, 12, 3072, (self.SIZE // self.PATCH) ** 2 + 1, before=True, epsilon=1e-6)

    def keras(self):
        image = layers.Input(batch_shape=(1, self.SIZE, self.SIZE, 3), name="image")
        x = layers.Conv2D(self.channels, self.PATCH, strides=self.PATCH, name="patches")(image)
        x = layers.Reshape((self.tokens - 1, self.channels))(x)
        # Keras has no layer of one learned vector for each place, but a normalization's shift is one: with
        # a mean of 0 and a variance of 1 it adds the positions, whose first is the class token's sum with its own.
        x = layers.ZeroPadding1D((1, 0))(x)
        x = layers.Reshape((self.tokens * self.channels,))(x)
        x = layers.BatchNormalization(scale=False, epsilon=1e-7, name="positions")(x)
        x = self.layers(layers.Reshape((self.tokens, self.channels))(x))
        x = layers.LayerNormalization(epsilon=self.epsilon, name="norm")(x)
        return keras.Model(image, layers.Dense(self.CLASSES, name="classes")(x[:, 0]))

    def onnx(self, model):
        return sequence_onnx.vision_transformer(model, self)


class Recurrent:
    """Two LSTM layers that return sequences."""

    def keras(self):
        x = frames = layers.Input(batch_shape=(1, FRAMES, FEATURES), name="frames")
        for number in (1, 2):
            x = layers.LSTM(UNITS, return_sequences=True, name=f"lstm{number}")(x)
        return keras.Model(frames, x)

    def onnx(self, model):
        return sequence_onnx.recurrent(model, FRAMES)


class Frames(Recurrent):
    """The same, one frame for each prediction; the states stay."""

    def keras(self):
        x = frames = layers.Input(batch_shape=(1, 1, FEATURES), name="frames")
        for number in (1, 2):
            x = layers.LSTM(UNITS, return_sequences=True, stateful=True, name=f"lstm{number}")(x)
        return keras.Model(frames, x)

    def lite(self, model):
        """The states as inputs and outputs, and the only step of the loop unrolled."""
        x = frames = layers.Input(batch_shape=(1, 1, FEATURES), name="frames")
        states, ends = [], []
        for number in (1, 2):
            given = [layers.Input(batch_shape=(1, UNITS), name=f"{what}{number}") for what in ("hidden", "cells")]
            x, *new = layers.LSTM(UNITS, return_sequences=True, return_state=True, unroll=True)(
                x, initial_state=given)
            states += given
            ends += new
        return with_weights(keras.Model([frames, *states], [x, *ends]), model)

    def onnx(self, model):
        return sequence_onnx.recurrent(model, 1, states=True)


# The seeds are stated so that the frame-by-frame network has the weights and the input of the whole sequence.
MAKERS = {
    "encoder128": (1, Encoder(12, 768, 12, 3072, 128)),
    "encoder512": (2, Encoder(12, 768, 12, 3072, 512)),
    "sentence128": (3, Encoder(6, 384, 12, 1536, 128)),
    "vit": (4, VisionTransformer()),
    "lstm": (5, Recurrent()),
    "lstmframes": (5, Frames()),
}


def with_weights(model, other):
    """The model, with the weights of another of the same layers."""
    model.set_weights([variable.numpy() for layer in other.layers for variable in layer.trainable_weights])
    return model


def fill(model, random):
    """Fills what Keras begins with zeros or ones, else leaving it out would be no mistake."""
    for layer in model.layers:
        for variable in layer.weights:
            if variable.name == "gamma":
                variable.assign(random.uniform(0.5, 1.5, variable.shape))
            elif variable.name in ("bias", "beta"):
                variable.assign(random.normal(0, 0.1, variable.shape))
            elif variable.name == "moving_variance":
                variable.assign(numpy.full(variable.shape, 1 - layer.epsilon, numpy.float32))


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, (seed, maker) in MAKERS.items():
        answer = folder / f"{name}.output.npy"
        if name not in sys.argv[2:] or answer.exists():
            continue
        keras.backend.clear_session()
        keras.utils.set_random_seed(seed)
        random = numpy.random.default_rng(seed)
        model = maker.keras()
        fill(model, random)
        model.save(folder / f"{name}.keras")
        onnx.save(maker.onnx(model), folder / f"{name}.onnx")
        lite = maker.lite(model) if isinstance(maker, Frames) else model
        converter = tensorflow.lite.TFLiteConverter.from_keras_model(lite)
        (folder / f"{name}.tflite").write_bytes(converter.convert())
        shape = (1, FRAMES, FEATURES) if isinstance(maker, Frames) else model.input_shape
        values = random.uniform(-1, 1, shape).astype(numpy.float32)
        numpy.save(folder / f"{name}.input.npy", values)
        if isinstance(maker, Frames):
            results = numpy.concatenate(
                [model.predict(values[:, at:at + 1], verbose=0) for at in range(FRAMES)], axis=1)
        else:
            results = model.predict(values, verbose=0)
        numpy.save(answer, results)  # last: it says that all is there


if __name__ == "__main__":
    main()
