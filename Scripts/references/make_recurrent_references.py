#!/usr/bin/env python3
"""Writes Tests/Fixtures/recurrent.safetensors: what Keras, PyTorch and ONNX Runtime compute for recurrent
layers.

Run it from anywhere; each part of the cases needs its packages:

    python Scripts/references/make_recurrent_references.py keras   # keras with any of its back ends
    python Scripts/references/make_recurrent_references.py torch   # torch
    python Scripts/references/make_recurrent_references.py onnx    # onnx, onnxruntime

Each run replaces the cases of its part and keeps the others. Numbers are seeded by the case's name.
The layers of the cases are written in Swift, in RecurrentLayers.swift, by the same names. Sequences
are [time][channels], without a batch. Parameters have Keras's orientation, [inputs][outputs], and
the order of gates of the framework.
"""
# check: KERAS_BACKEND=jax keras
# check: torch
# check: onnx

import pathlib
import sys
import zlib

import numpy as np

import fixtures
from make_general_references import record

FILE = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "recurrent.safetensors"


def values(random, size, scale=0.6):
    """Seeded values of both signs, never 0."""
    return (random.uniform(0.05, scale, size) * random.choice([-1, 1], size)).astype(np.float32)


def seeded(name):
    """The generator of a case."""
    return np.random.default_rng(zlib.crc32(name.encode()))


# ---- Keras ---------------------------------------------------------------------------------------


def keras_parameters(weights, prefix=""):
    """The parameters of one direction from Keras's arrays."""
    names = ["weights", "recurrentWeights", "biases"]
    found = dict(zip(names, weights))
    if prefix:
        found = {prefix + name[0].upper() + name[1:]: value for name, value in found.items()}
    return found


def run_keras(case):
    """A case as Keras computes it."""
    import keras

    name, size, make, states = case
    random = seeded(name)
    sequence = values(random, size, scale=1.5)
    layer = make(keras.layers)
    layer.build((None, *size))
    layer.set_weights([values(random, weight.shape) for weight in layer.weights])
    initial = [values(random, (count,)) for count in states]
    arguments = {"initial_state": [state[None] for state in initial]} if states else {}
    result = np.array(layer(sequence[None], **arguments))[0]
    weights = [np.array(weight) for weight in layer.weights]
    if isinstance(layer, keras.layers.Bidirectional):
        half = len(weights) // 2
        parameters = keras_parameters(weights[:half])
        parameters |= keras_parameters(weights[half:], "backward")
    else:
        parameters = keras_parameters(weights)
    # Forge returns a vector as an image of one pixel.
    result = result if result.ndim == 2 else result[None, None]
    return record(name, f"keras {keras.__version__}", [sequence, *initial], result, parameters)


KERAS = [
    ("keras lstm", (13, 7), lambda k: k.LSTM(5), []),
    ("keras lstm sequence", (11, 17), lambda k: k.LSTM(19, return_sequences=True), []),
    ("keras lstm of one time", (1, 3), lambda k: k.LSTM(32, return_sequences=True), []),
    ("keras lstm with state", (5, 7), lambda k: k.LSTM(18, return_sequences=True), [18, 18]),
    ("keras lstm without bias", (7, 5), lambda k: k.LSTM(
        21, activation="relu", recurrent_activation="hard_sigmoid", use_bias=False), []),
    ("keras lstm backwards", (9, 3), lambda k: k.LSTM(17, go_backwards=True), []),
    ("keras gru", (13, 7), lambda k: k.GRU(5), []),
    ("keras gru sequence", (11, 17), lambda k: k.GRU(35, return_sequences=True), []),
    ("keras gru before", (11, 5), lambda k: k.GRU(
        19, return_sequences=True, reset_after=False), []),
    ("keras gru with state", (5, 7), lambda k: k.GRU(16, return_sequences=True), [16]),
    ("keras gru without bias", (7, 5), lambda k: k.GRU(
        13, recurrent_activation="hard_sigmoid",
        use_bias=False), []),
    ("keras rnn", (13, 7), lambda k: k.SimpleRNN(5), []),
    ("keras rnn sequence", (6, 31), lambda k: k.SimpleRNN(
        33, activation="relu", return_sequences=True), []),
    ("keras rnn with state", (4, 3), lambda k: k.SimpleRNN(11, return_sequences=True), [11]),
]
for merge in ["concat", "sum", "mul", "ave"]:
    KERAS.append((
        f"keras bidirectional {merge}", (7, 5),
        lambda k, merge=merge: k.Bidirectional(
            k.LSTM(17, return_sequences=True), merge_mode=merge), []))
KERAS += [
    ("keras bidirectional last", (7, 5), lambda k: k.Bidirectional(k.GRU(9)), []),
    ("keras bidirectional with state", (7, 5), lambda k: k.Bidirectional(
        k.LSTM(6, return_sequences=True)), [6, 6, 6, 6]),
]


# ---- PyTorch -------------------------------------------------------------------------------------


TORCH_NAMES = {
    "weight_ih_l0": "weights", "weight_hh_l0": "recurrentWeights", "bias_ih_l0": "biases",
    "bias_hh_l0": "recurrentBiases", "weight_hr_l0": "projection",
}


def run_torch(case):
    """A case as PyTorch computes it."""
    import torch

    name, size, make = case
    random = seeded(name)
    sequence = values(random, size, scale=1.5)
    module = make(torch.nn)
    parameters = {}
    with torch.no_grad():
        for key, parameter in module.named_parameters():
            array = values(random, tuple(parameter.shape))
            parameter.copy_(torch.from_numpy(array))
            is_backward = key.endswith("_reverse")
            found = TORCH_NAMES[key.removesuffix("_reverse")]
            if is_backward:
                found = "backward" + found[0].upper() + found[1:]
            parameters[found] = array.T if array.ndim == 2 else array
        result = module(torch.from_numpy(sequence))[0].numpy()
    return record(name, f"torch {torch.__version__.split('+')[0]}", [sequence], result, parameters)


TORCH = [
    ("torch lstm", (11, 7), lambda nn: nn.LSTM(7, 19)),
    ("torch lstm projected", (9, 5), lambda nn: nn.LSTM(5, 21, proj_size=17)),
    ("torch lstm projected bidirectional", (9, 5), lambda nn: nn.LSTM(
        5, 33, proj_size=3, bidirectional=True)),
    ("torch gru", (11, 7), lambda nn: nn.GRU(7, 19)),
    ("torch gru bidirectional", (6, 3), lambda nn: nn.GRU(3, 16, bidirectional=True)),
    ("torch rnn", (11, 7), lambda nn: nn.RNN(7, 5, nonlinearity="relu")),
]


# ---- ONNX ----------------------------------------------------------------------------------------


def run_onnx(case):
    """A case as ONNX Runtime computes it."""
    import onnx
    import onnxruntime

    name, operator, size, units, attributes, has_peepholes = case
    random = seeded(name)
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[operator]
    sequence = values(random, size, scale=1.5)
    arrays = {
        "W": values(random, (1, gates * units, size[1])),
        "R": values(random, (1, gates * units, units)),
        "B": values(random, (1, 2 * gates * units)),
    }
    names = ["X", "W", "R", "B"]
    if has_peepholes:
        arrays["P"] = values(random, (1, 3 * units))
        names += ["", "", "", "P"]
    node = onnx.helper.make_node(operator, names, ["Y"], hidden_size=units, **attributes)
    graph = onnx.helper.make_graph(
        [node], "case",
        [onnx.helper.make_tensor_value_info("X", onnx.TensorProto.FLOAT, [size[0], 1, size[1]])],
        [onnx.helper.make_tensor_value_info("Y", onnx.TensorProto.FLOAT, None)],
        [onnx.numpy_helper.from_array(array, key) for key, array in arrays.items()])
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 14)], ir_version=8)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"])
    result = session.run(None, {"X": sequence[:, None]})[0][:, 0, 0]
    biases = arrays["B"][0].reshape(2, -1)
    parameters = {
        "weights": arrays["W"][0].T, "recurrentWeights": arrays["R"][0].T, "biases": biases[0],
        "recurrentBiases": biases[1],
    }
    if has_peepholes:
        parameters["peepholes"] = arrays["P"][0].reshape(3, -1)
    return record(
        name, f"onnxruntime {onnxruntime.__version__}", [sequence], result, parameters)


ONNX = [
    ("onnx lstm peepholes", "LSTM", (9, 5), 19, {}, True),
    ("onnx lstm reversed", "LSTM", (9, 5), 7, {"direction": "reverse"}, False),
    ("onnx gru", "GRU", (7, 3), 17, {}, False),
    ("onnx gru after", "GRU", (7, 3), 17, {"linear_before_reset": 1}, False),
    ("onnx gru reversed", "GRU", (7, 3), 5, {"direction": "reverse"}, False),
    ("onnx rnn reversed", "RNN", (7, 3), 18, {"direction": "reverse"}, False),
]


def main():
    """Replaces the cases of one part."""
    parts = {"keras": (KERAS, run_keras), "torch": (TORCH, run_torch), "onnx": (ONNX, run_onnx)}
    which = sys.argv[1] if len(sys.argv) == 2 else ""
    if which not in parts:
        sys.exit(__doc__)
    old = fixtures.read(FILE)["cases"] if FILE.exists() else []
    kept = [case for case in old if not case["source"].startswith(which)]
    cases, run = parts[which]
    made = [run(case) for case in cases]
    every = sorted(kept + made, key=lambda case: case["name"])
    assert len({case["name"] for case in every}) == len(every)
    versions = dict(sorted({case["source"].split()[0]: case["source"].split()[1]
                            for case in every}.items()))
    fixtures.write(FILE, {"versions": versions, "cases": every})
    print(f"{len(made)} cases of {which}, {len(every)} in all")


if __name__ == "__main__":
    main()
