#!/usr/bin/env python3
"""Makes Keras 3 models of layers with weights, of cells, of wrappers and of own layers, with inputs
and what `predict` returns for them.

    make_keras_layers.py FOLDER

Each case NAME makes NAME.keras (and NAME.h5 where both forms name weights in their own way);
list.json names them, arrays.npz has the inputs and outputs of three samples of odd sizes and very
different scales. Masks hide positions at the start, inside, at the end, and none.
"""
# check: KERAS_BACKEND=jax {fixtures}/KerasLayers

import json
import os
import pathlib
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np

L, ops = keras.layers, keras.ops
SAMPLES = 3
RNG = np.random.default_rng(490)
CASES = {}


@keras.saving.register_keras_serializable("Own")
class Swish(L.Layer):
    """x · sigmoid(beta · x) · gain, the gain one trained number for each channel."""

    def __init__(self, beta=1.0, **arguments):
        super().__init__(**arguments)
        self.beta = beta

    def build(self, shape):
        self.gain = self.add_weight(name="gain", shape=(shape[-1],), initializer="ones")

    def call(self, x):
        return x * ops.sigmoid(self.beta * x) * self.gain

    def get_config(self):
        return {**super().get_config(), "beta": self.beta}


@keras.saving.register_keras_serializable("Own")
class Pooled(L.Layer):
    """The mean of an image to the power p, and its root: a vector."""

    def __init__(self, p=3.0, **arguments):
        super().__init__(**arguments)
        self.p = p
        self.mix = L.Dense(5, name="mix")

    def call(self, x):
        mean = ops.mean(ops.power(ops.maximum(x, 1e-6), self.p), axis=(1, 2))
        return self.mix(ops.power(mean, 1 / self.p))

    def get_config(self):
        return {**super().get_config(), "p": self.p}


def case(function):
    CASES[function.__name__] = function


def sequence(length=7, channels=6, name="x"):
    return keras.Input((length, channels), name=name)


@case
def dense():
    x = sequence()
    return keras.Model(x, L.Dense(5, activation="sparse_plus")(L.Dense(8, activation="squareplus")(x)))


@case
def einsum_dense():
    x = sequence()
    y = L.EinsumDense("abc,cd->abd", output_shape=(None, 5), bias_axes="d", activation="relu")(x)
    return keras.Model(x, y)


@case
def einsum_dense_heads():
    x = sequence()
    y = L.EinsumDense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="de")(x)
    return keras.Model(x, L.EinsumDense("abde,dec->abc", output_shape=(None, 5))(y))


@case
def einsum_dense_open():
    x = sequence()
    y = L.EinsumDense("...x,xy->...y", output_shape=5, bias_axes="y", activation="softmax")(x)
    return keras.Model(x, y)


@case
def einsum_dense_general():
    x = sequence()
    # The positions are mixed, for each channel with weights of its own.
    y = L.EinsumDense("abc,bcd->adc", output_shape=(3, 6), bias_axes="dc", activation="tanh")(x)
    return keras.Model(x, y)


@case
def attention():
    q, v = sequence(name="q"), sequence(11, name="v")
    return keras.Model([q, v], L.Attention(use_scale=True)([q, v]))


@case
def attention_concat():
    q, v = sequence(name="q"), sequence(11, name="v")
    return keras.Model([q, v], L.Attention(use_scale=True, score_mode="concat")([q, v]))


@case
def attention_masked():
    a, b = keras.Input((7,), name="ids"), keras.Input((7,), name="ids2")
    embed = L.Embedding(5, 6, mask_zero=True)
    return keras.Model([a, b], L.Attention(use_scale=True)([embed(a), embed(b)]))


@case
def attention_masked_causal():
    a = keras.Input((7,), name="ids")
    x = L.Embedding(5, 6, mask_zero=True)(a)
    return keras.Model(a, L.Attention()([x, x], use_causal_mask=True))


@case
def additive_attention():
    q, v = sequence(name="q"), sequence(11, name="v")
    return keras.Model([q, v], L.AdditiveAttention()([q, v]))


@case
def additive_attention_masked():
    a, b = keras.Input((7,), name="ids"), keras.Input((7,), name="ids2")
    embed = L.Embedding(5, 6, mask_zero=True)
    return keras.Model([a, b], L.AdditiveAttention()([embed(a), embed(b)], use_causal_mask=True))


@case
def rnn_lstm_cell():
    x = sequence()
    return keras.Model(x, L.RNN(L.LSTMCell(5), return_sequences=True)(x))


@case
def rnn_gru_cell():
    x = sequence()
    return keras.Model(x, L.RNN(L.GRUCell(5), go_backwards=True, return_sequences=True)(x))


@case
def rnn_gru_cell_before():
    x = sequence()
    return keras.Model(x, L.RNN(L.GRUCell(5, reset_after=False))(x))


@case
def rnn_simple_cell_states():
    x = sequence()
    return keras.Model(x, L.RNN(L.SimpleRNNCell(5, activation="relu"), return_state=True)(x))


@case
def rnn_stack():
    x = sequence()
    cells = [L.LSTMCell(5), L.GRUCell(4), L.SimpleRNNCell(3)]
    return keras.Model(x, L.RNN(cells, return_sequences=True)(x))


@case
def rnn_stack_backwards():
    x = sequence()
    return keras.Model(x, L.RNN([L.GRUCell(5), L.GRUCell(4)], go_backwards=True)(x))


@case
def rnn_stack_masked():
    ids = keras.Input((7,), name="ids")
    x = L.Embedding(5, 6, mask_zero=True)(ids)
    return keras.Model(ids, L.RNN([L.LSTMCell(5), L.LSTMCell(3)], return_sequences=True)(x))


@case
def distributed_lstm():
    x = keras.Input((3, 7, 6), name="x")
    return keras.Model(x, L.TimeDistributed(L.LSTM(5))(x))


@case
def distributed_convolution():
    x = keras.Input((3, 9, 7, 2), name="x")
    return keras.Model(x, L.TimeDistributed(L.Conv2D(4, 3, activation="relu"))(x))


@case
def distributed_normalization():
    x = keras.Input((3, 7, 6), name="x")
    return keras.Model(x, L.TimeDistributed(L.LayerNormalization(axis=1))(x))


@case
def distributed_attention():
    x = keras.Input((3, 7, 6), name="x")
    return keras.Model(x, L.TimeDistributed(L.PReLU())(x))


@case
def distributed_model():
    x = keras.Input((3, 9, 7, 2), name="x")
    inner = keras.Sequential([
        keras.Input((9, 7, 2)), L.Conv2D(4, 3, name="conv"), L.BatchNormalization(name="norm"),
        L.GlobalAveragePooling2D(), L.Dense(5, name="dense")])
    return keras.Model(x, L.TimeDistributed(inner)(x))


@case
def applications():
    from keras.src.applications.convnext import LayerScale, StochasticDepth
    from keras.src.applications.inception_resnet_v2 import CustomScaleLayer
    x = keras.Input((9, 7, 3), name="x")
    y = StochasticDepth(0.2)(LayerScale(1.0, 3, name="scale")(x))
    return keras.Model(x, CustomScaleLayer(0.17, name="sum")([x, y]))


@case
def augmented():
    x = keras.Input((9, 7, 3), name="x")
    y = L.RandomFlip()(x, training=True)
    y = L.RandomRotation(0.2)(L.RandomErasing()(y))
    return keras.Model(x, L.Conv2D(4, 3)(y))


@case
def own_layers():
    x = keras.Input((9, 7, 3), name="x")
    y = Swish(0.7, name="swish")(x)
    y = L.Lambda(lambda t: t * 2 + 1, name="twice")(y)
    return keras.Model(x, Pooled(2.0, name="pooled")(y))


def seed(model):
    weights = []
    for weight in model.weights:
        name, shape = weight.path.split("/")[-1], tuple(weight.shape)
        if "seed" in weight.path or np.dtype(weight.dtype).kind in "iu":
            weights.append(np.asarray(weight))
        elif "variance" in name or name in ("gain", "gamma"):
            weights.append(RNG.uniform(0.4, 2, shape).astype("float32"))
        else:
            scale = (1.6 / max(int(np.prod(shape[:-1])), 1)) ** 0.5 if "kernel" in name else 0.4
            weights.append((RNG.standard_normal(shape) * scale + (name == "scale")).astype("float32"))
    model.set_weights(weights)


def values(tensor):
    shape = (SAMPLES, *tensor.shape[1:])
    if tensor.name.startswith("ids"):
        ids = RNG.integers(1, 5, shape)
        ids[0, [0, 3, -1]] = 0
        ids[1, -2:] = 0
        return ids.astype("float32")
    scales = np.array([1, 3, 30], "float32").reshape(-1, *[1] * (len(shape) - 1))
    return RNG.standard_normal(shape).astype("float32") * scales


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    listed, arrays = [], {}
    for name, make in CASES.items():
        keras.backend.clear_session()
        model = make()
        seed(model)
        data = [values(tensor) for tensor in model.inputs]
        results = model.predict(data if len(data) > 1 else data[0], verbose=0)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        forms = ["keras", "h5"] if name.startswith(("rnn", "distributed", "own", "attention")) else ["keras"]
        for form in forms:
            model.save(folder / f"{name}.{form}")
        listed.append(dict(name=name, forms=forms, inputs=[t.name for t in model.inputs],
                           outputs=len(results)))
        for i, array in enumerate(data):
            arrays[f"{name}.in{i}"] = array
        for i, array in enumerate(results):
            arrays[f"{name}.out{i}"] = np.asarray(array, "float32")
    np.savez_compressed(folder / "arrays.npz", **arrays)
    (folder / "list.json").write_text(json.dumps(listed, indent=1) + "\n")
    print(len(listed), "cases")


main()
