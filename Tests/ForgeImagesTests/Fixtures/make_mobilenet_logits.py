"""Writes mobilenet_logits.f64: the 1,000 logits of MobileNet v1 (alpha 1, 224) for two pictures, in float64.

Weights and pictures are those of ../shared/data (NOTES.md there): the network as its paper has it, TensorFlow's padding,
ReLU6, every sum in double precision with NumPy. Usage: make_mobilenet_logits.py SHARED_DATA [OUTPUT]
"""
import json
import struct
import sys
from pathlib import Path

import numpy as np
from PIL import Image

PICTURES = ["kitten", "horse-cart"]
STRIDES = {"conv1": 2, "conv2_2_dw": 2, "conv3_2_dw": 2, "conv4_2_dw": 2, "conv5_6_dw": 2}


def read_weights(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    types = {"F16": "<f2", "F32": "<f4"}
    weights = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        first, last = (8 + length + offset for offset in entry["data_offsets"])
        values = np.frombuffer(data[first:last], dtype=types[entry["dtype"]])
        weights[name] = values.reshape(entry["shape"]).astype(np.float64)
    return weights


def windows(image, kernel, stride):
    """The pixels under each tap, with TensorFlow's padding: yields (row, column, image of the output's size)."""
    size = image.shape[0]
    out = -(-size // stride)
    total = max((out - 1) * stride + kernel - size, 0)
    padded = np.pad(image, ((total // 2, total - total // 2),) * 2 + ((0, 0),))
    last = (out - 1) * stride + 1
    for y in range(kernel):
        for x in range(kernel):
            yield y, x, padded[y:y + last:stride, x:x + last:stride]


def logits(weights, image):
    for name in [name[:-7] for name in weights if name.endswith(".weight")]:
        weight, bias = weights[name + ".weight"], weights[name + ".bias"]
        stride = STRIDES.get(name, 1)
        if name == "fc7":
            return image.mean((0, 1)) @ weight.reshape(weight.shape[0], -1).T + bias
        taps = windows(image, weight.shape[1], stride)
        if name.endswith("_dw"):
            image = sum(part * weight[:, y, x] for y, x, part in taps)
        else:
            image = sum(part @ weight[:, y, x].T for y, x, part in taps)
        image = np.clip(image + bias, 0, 6)
    raise ValueError("no fc7")


def main():
    data = Path(sys.argv[1])
    output = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parent / "mobilenet_logits.f64"
    weights = read_weights(data / "mobilenet/mobilenet_v1_1.0_224_dequant_f16.safetensors")
    rows = []
    for name in PICTURES:
        picture = Image.open(data / f"mobilenet/inputs224/{name}.png").convert("RGB")
        # As Forge prepares it: Float32 arithmetic, whose results are then taken as exact.
        pixels = np.asarray(picture, np.float32) / np.float32(127.5) - np.float32(1)
        rows.append(logits(weights, pixels.astype(np.float64)))
        print(name, np.argsort(rows[-1])[-3:][::-1])
    np.array(rows, "<f8").tofile(output)


main()
