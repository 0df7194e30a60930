#!/usr/bin/env python3
"""Writes Tests/ForgeModelsTests/Fixtures: what Keras says and computes about Forge's models.

Run it from anywhere, with a Python that has tensorflow-cpu==2.21.0 and keras==3.15.1:

    python Scripts/references/make_model_references.py            # writes the fixtures
    python Scripts/references/make_model_references.py --check    # compares, writes nothing
    FORGE_MODEL_REFERENCES=FOLDER python Scripts/references/make_model_references.py --full

The last one writes what the networks of full size compute, for the test that is skipped where
FORGE_MODEL_REFERENCES is not set. Names of networks may follow to make only these.

Keras computes in double precision, so that what differs is Forge's error alone. model_networks.py
has the networks, model_values.py the rule by which parameters (in single precision) and inputs are
made.
A file of a network:

    versions    the versions that computed it
    full        alpha (or null), size, classes, and what the network then has:
                  parameters      their number
                  multiply_adds   of convolutions and dense layers
                  widths          other alphas with the number of parameters they give
                  layers          output sizes by layer, in memory order without the batch
    small       alpha, size and classes of a small version, its number of parameters, and
                  gain            the factor on the weights
                  samples         some parameters: layer, type, index, value
                  outputs         of a layer of features, and "output"; rounded to single
                                  precision
A file made by --full is the part "small" for the full size.
"""
# check: --check

import math
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras
import numpy as np
import tensorflow as tf

import fixtures
from model_networks import NETWORKS, forge_name
from model_values import values

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Tests/ForgeModelsTests/Fixtures"
VERSIONS = {"keras": keras.__version__, "tensorflow": tf.__version__}
keras.config.set_floatx("float64")
TYPES = {
    "kernel": "weights", "bias": "biases", "gamma": "gamma", "beta": "beta",
    "moving_mean": "mean", "moving_variance": "variance",
}


def made(network, arguments):
    """The Keras model, named as in a fresh session."""
    keras.backend.clear_session()
    return network.make(*arguments)


def layers_of(model):
    """The layers but the input, and the sizes of their outputs."""
    return [
        (layer, [int(size) for size in layer.output.shape[1:]])
        for layer in model.layers
        if not isinstance(layer, keras.layers.InputLayer)
    ]


def multiply_adds(model):
    """One for each product of a convolution or dense layer."""
    total = 0
    for layer, sizes in layers_of(model):
        if isinstance(layer, keras.layers.DepthwiseConv2D):
            total += math.prod(sizes) * math.prod(layer.kernel_size)
        elif isinstance(layer, (keras.layers.Conv2D, keras.layers.Dense)):
            total += math.prod(sizes) * math.prod(layer.kernel.shape[:-1])
    return total


def fill(model, gain):
    """Sets every parameter by the rule; gives samples of them."""
    samples = []
    for layer, _ in layers_of(model):
        name = forge_name(layer.name)
        for variable in layer.weights:
            if variable.name not in TYPES:
                continue  # the state of a dropout's random numbers
            sizes = [int(size) for size in variable.shape]
            depthwise = isinstance(layer, keras.layers.DepthwiseConv2D)
            inputs = math.prod(sizes[:2] if depthwise else sizes[:-1])
            kind = TYPES[variable.name]
            made = values(name, kind, sizes, inputs, gain)
            variable.assign(made)
            index = made.size * len(samples) // 97 % made.size
            samples.append([name, kind, index, float(made.flat[index])])
    return samples[:: max(1, len(samples) // 8)]


def encoded(value):
    """A tensor of the file."""
    data = np.ascontiguousarray(value, dtype="<f4")
    return data


def computed(name, arguments):
    """What the network computes for the input that the rule gives."""
    network = NETWORKS[name]
    model = made(network, arguments)
    samples = fill(model, network.gain)
    features = model.get_layer(network.features).output
    sizes = [1] + [int(size) for size in model.input_shape[1:]]
    pixels = values("input", "pixels", sizes).astype(np.float64)
    every = [layer.output for layer, _ in layers_of(model)]
    results = keras.Model(model.inputs, every + [features, model.output])([pixels])
    for (layer, _), result in zip(layers_of(model), results):
        assert result.dtype == "float64"
        size = float(np.sqrt(np.mean(np.square(result))))
        if "--sizes" in sys.argv:
            print(f"  {layer.name}: root mean square {size:.3g}")
        assert 1e-3 < size < 1e4, f"{name}: {layer.name} has values of size {size}"
    alpha, size, classes = arguments
    return {
        "alpha": alpha, "size": size, "classes": classes,
        "parameters": model.count_params(),
        "gain": network.gain,
        "samples": samples,
        "outputs": {
            forge_name(network.features): encoded(results[-2][0]),
            "output": encoded(results[-1][0]),
        },
    }


def described(name):
    """What Keras says about the network of full size."""
    network = NETWORKS[name]
    model = made(network, network.full)
    alpha, size, classes = network.full
    return {
        "alpha": alpha, "size": size, "classes": classes,
        "parameters": model.count_params(),
        "multiply_adds": multiply_adds(model),
        "widths": [
            [other, made(network, (other, size, classes)).count_params()]
            for other in network.alphas
        ],
        "layers": {forge_name(layer.name): sizes for layer, sizes in layers_of(model)},
    }


def agree(old, new):
    """Whether two files say the same: exactly, but for the last bits of what was computed."""
    if isinstance(new, np.ndarray):
        return old.size == new.size and np.linalg.norm(old - new) <= 1e-7 * np.linalg.norm(new)
    if isinstance(new, dict):
        return old.keys() == new.keys() and all(agree(old[key], new[key]) for key in new)
    return old == new


def main():
    options = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    names = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    folder = FIXTURES
    if "--full" in options:
        folder = os.environ.get("FORGE_MODEL_REFERENCES")
        if not folder:
            sys.exit("set FORGE_MODEL_REFERENCES to the folder to write to")
        folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    differing = 0
    for name in names or NETWORKS:
        if "--full" in options:
            result = computed(name, NETWORKS[name].full)
        else:
            small = computed(name, NETWORKS[name].small)
            result = {"versions": VERSIONS, "full": described(name), "small": small}
        path = folder / f"{name}.safetensors"
        file = fixtures.packed(result)
        parameters = (result.get("full") or result)["parameters"]
        if "--check" in options:
            same = path.exists() and agree(fixtures.read(path), fixtures.unpacked(file))
            differing += not same
            print(f"{name}: {'the same' if same else 'differs'}")
        else:
            path.write_bytes(file)
            print(f"{name}: {parameters:,} parameters, {len(file):,} bytes")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
