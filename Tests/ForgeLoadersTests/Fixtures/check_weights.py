"""Reads a weight file that HDF5WeightsTests wrote with h5py, and with Keras where it is installed.

    python check_weights.py net.h5

Ends with an error where a value, a shape or a name is not what the test wrote.
"""

import os
import sys

import h5py
import numpy as np

# Layer, parameter, the sizes in Forge's order, their order in Keras's, and the shape in Keras; the
# place of the parameter in the test's list is its place here.
PARAMETERS = [
    ("conv1", "kernel", (4, 3, 2, 5), (1, 2, 3, 0), (3, 2, 5, 4)),
    ("conv1", "bias", (4,), (0,), (4,)),
    ("dw", "depthwise_kernel", (4, 2, 3, 3), (2, 3, 0, 1), (3, 3, 4, 2)),
    ("dw", "bias", (8,), (0,), (8,)),
    ("bn", "moving_variance", (8,), (0,), (8,)),
    ("bn", "beta", (8,), (0,), (8,)),
    ("bn", "moving_mean", (8,), (0,), (8,)),
    ("bn", "gamma", (8,), (0,), (8,)),
    ("prelu", "alpha", (3, 2, 8), (0, 1, 2), (3, 2, 8)),
    ("block/inner", "bias", (6,), (0,), (6,)),
    ("block/inner", "kernel", (6, 1, 1, 8), (1, 2, 3, 0), (1, 1, 8, 6)),
    ("separable", "depthwise_kernel", (6, 1, 3, 3), (2, 3, 0, 1), (3, 3, 6, 1)),
    ("separable", "pointwise_kernel", (5, 1, 1, 6), (1, 2, 3, 0), (1, 1, 6, 5)),
    ("separable", "bias", (5,), (0,), (5,)),
    ("fc", "kernel", (10, 3, 2, 5), (1, 2, 3, 0), (30, 10)),
    ("fc", "bias", (10,), (0,), (10,)),
]
LAYERS = ["conv1", "dw", "bn", "prelu", "block/inner", "separable", "fc"]


def expected(number):
    _, _, sizes, order, shape = PARAMETERS[number]
    count = int(np.prod(sizes))
    values = (np.arange(count) * 7 + number * 13) % 509 - 254
    values = (values / 64).astype("<f4").reshape(sizes)
    return np.ascontiguousarray(values.transpose(order)).reshape(shape)


def check(path):
    with h5py.File(path, "r") as file:
        names = [name.decode() for name in file.attrs["layer_names"]]
        assert names == LAYERS, names
        assert file.attrs["backend"].decode() == "tensorflow"
        assert file.attrs["keras_version"].decode() == "2.15.0"
        listed = []
        for layer in names:
            listed += [(layer, name.decode()) for name in file[layer].attrs["weight_names"]]
        assert len(listed) == len(PARAMETERS)
        for number, (layer, name, *_) in enumerate(PARAMETERS):
            assert (layer, f"{layer}/{name}:0") in listed, (layer, name)
            found = file[layer][f"{layer}/{name}:0"]
            wanted = expected(number)
            assert found.dtype == np.dtype("<f4") and found.shape == wanted.shape, (layer, name)
            assert found[...].tobytes() == wanted.tobytes(), (layer, name)
    print(f"h5py: {len(PARAMETERS)} parameters are the same")


def check_keras(path):
    os.environ.setdefault("KERAS_BACKEND", "jax")
    try:
        import keras
    except ImportError as error:
        print(f"skipped: Keras cannot be imported ({error})")
        return
    layers = keras.layers
    image = keras.Input((3, 2, 5))
    x = layers.Conv2D(4, (3, 2), padding="same", name="conv1")(image)
    x = layers.DepthwiseConv2D(3, depth_multiplier=2, padding="same", name="dw")(x)
    x = layers.BatchNormalization(name="bn")(x)
    x = layers.PReLU(name="prelu")(x)
    x = layers.Conv2D(6, 1, name="block_inner")(x)
    x = layers.SeparableConv2D(5, 3, padding="same", name="separable")(x)
    x = layers.Dense(10, name="fc")(layers.Flatten()(x))
    model = keras.Model(image, x)
    model.load_weights(path)
    for layer in LAYERS:
        found = model.get_layer(layer.replace("/", "_")).get_weights()
        numbers = [number for number, entry in enumerate(PARAMETERS) if entry[0] == layer]
        with h5py.File(path, "r") as file:
            order = [name.decode() for name in file[layer].attrs["weight_names"]]
        numbers.sort(key=lambda number: order.index(f"{layer}/{PARAMETERS[number][1]}:0"))
        assert len(found) == len(numbers), layer
        for array, number in zip(found, numbers):
            wanted = expected(number)
            assert array.shape == wanted.shape and array.tobytes() == wanted.tobytes(), layer
    print(f"Keras {keras.__version__}: {len(LAYERS)} layers are the same")


check(sys.argv[1])
check_keras(sys.argv[1])
