"""Writes a Keras LeNet as the raw parameter files of the 2017 toolkit.

    python export_2017.py lenet.h5 --output DIR

writes conv1_W.bin (20 x 5 x 5 x 1), conv2_W.bin (50 x 5 x 5 x 20), fc1_W.bin
(320 x 7 x 7 x 50), fc2_W.bin (10 x 320) and the biases conv1_b.bin to fc2_b.bin:
little-endian float32 without a header, in the order output, height, width,
input. `LeNet --parameters DIR` reads them.
"""

# Made with Python 3.11, numpy 2.4.6 and h5py 3.14.0.

import argparse
import pathlib

import h5py
import numpy as np

# Each layer's kernel as Keras has it, outputs last; a dense layer that follows
# a flattened 7 x 7 x 50 picture is a 7 x 7 convolution.
LAYERS = {"conv1": (5, 5, 1, 20), "conv2": (5, 5, 20, 50), "fc1": (7, 7, 50, 320), "fc2": (1, 1, 320, 10)}


def layer_weights(file, layer):
    """The kernel and bias of a layer, however Keras named the groups within."""
    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            found[name.rsplit("/", 1)[-1].split(":")[0]] = item[()]

    file["model_weights"][layer].visititems(visit)
    return found["kernel"], found["bias"]


def main():
    parser = argparse.ArgumentParser(description="Writes raw parameter files from a Keras LeNet.")
    parser.add_argument("model", help="lenet.h5")
    parser.add_argument("--output", required=True, help="the folder for the eight files")
    options = parser.parse_args()
    folder = pathlib.Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    with h5py.File(options.model) as file:
        for layer, shape in LAYERS.items():
            kernel, bias = layer_weights(file, layer)
            outputs_first = np.moveaxis(kernel.reshape(shape), -1, 0)
            for suffix, values in (("W", outputs_first), ("b", bias)):
                path = folder / f"{layer}_{suffix}.bin"
                path.write_bytes(values.astype("<f4").tobytes())
                print(path.name, " x ".join(map(str, values.shape)))


if __name__ == "__main__":
    main()
