#!/usr/bin/env python3
"""Writes Tests/ForgeImportersTests/Fixtures/Darknet: networks, weights and what they compute.

Run it from anywhere, with a Python that has NumPy:

    python Scripts/references/make_darknet_references.py            # writes the fixtures
    python Scripts/references/make_darknet_references.py --check    # compares, writes nothing

The networks are computed in double precision by the code below, channels first, written from the
description of Darknet's layers. The files:

    detector.cfg, .weights      every layer of a detector, sizes odd and unequal
    classifier.cfg, .weights    connected layers and softmax; an old file with transposed matrices
    expected.safetensors               by network: width, height, seed of the input, and the outputs in
                                channels-first order, of which every `step`-th value is kept

The network "yolo-fastest" is that of ../shared/data/detection with another input size; it is left
out of --check and of the fixture where that folder is absent. The input is Forge's `seededValues`
in the order height, width, channels, from 0 to 1.
"""
# check: --check

import pathlib
import struct
import sys

import numpy as np

import fixtures

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Tests" / "ForgeImportersTests" / "Fixtures" / "Darknet"
SHARED = ROOT.parent / "shared" / "data" / "detection"

DETECTOR = """
# Every layer of a detector.
[net]
batch=1
width=23
height=17
channels=3

[convolutional]
filters=8
size=3
stride=1
pad=1
batch_normalize=1
activation=leaky

[maxpool]
size=2
stride=2

[convolutional]
filters = 6   ; spaces and comments mean nothing
groups = 2
size = 3
pad = 1
activation = relu

[convolutional]
filters=12
groups=6
size=5
pad=1
batch_normalize=1
activation=mish

[maxpool]
size=2
stride=1

[route]
layers=-1
groups=3
group_id=1

[convolutional]
filters=12
size=1
activation=swish

[shortcut]
from=-3
activation=linear

[shortcut]
from=5
activation=relu6

[convolutional]
filters=4
size=1
activation=tanh

[shortcut]
from=-2
activation=hardtan

[maxpool]
size=3
stride=1

[route]
layers=-1,10

[upsample]
stride=2
scale=0.5

[reorg]
stride=2

[maxpool]
size=5
stride=3

[convolutional]
filters=21
size=3
dilation=2
pad=1
activation=elu

[yolo]
mask=0,2,3
anchors=10,14, 23,27, 37.5,58, 81,82
classes=2
num=4
scale_x_y=1.05

[route]
layers=14

[convolutional]
filters=14
size=3
stride_x=2
stride_y=1
padding=2
batch_normalize=1
activation=logistic

[region]
anchors=0.5,0.6, 1.5,2.5
classes=2
num=2
softmax=1
"""

CLASSIFIER = """
[net]
width=7
height=5
channels=2

[convolutional]
filters=5
size=3
pad=1
activation=selu

[local_avgpool]
size=2
stride=2

[connected]
output=13
batch_normalize=1
activation=leaky

[dropout]
probability=.5

[connected]
output=6
activation=linear

[softmax]
groups=2
temperature=1.5

[cost]
type=sse
"""


# ---- reading -------------------------------------------------------------------------------------


def parsed(text):
    """The sections of a configuration: type and options."""
    sections = []
    for line in text.splitlines():
        line = "".join(line.split("#")[0].split(";")[0].split())
        if line.startswith("["):
            sections.append((line[1:-1], {}))
        elif line:
            key, value = line.split("=", 1)
            sections[-1][1].setdefault(key, value)
    return sections


class Reader:
    """The values of a weights file in order."""

    def __init__(self, content):
        major, minor, _ = struct.unpack("<3i", content[:12])
        long = major * 10 + minor >= 2 and major < 1000 and minor < 1000
        self.transposed = major > 1000 or minor > 1000
        self.values = np.frombuffer(content[20 if long else 16 :], "<f4").astype(np.float64)
        self.position = 0

    def take(self, *sizes):
        """The next values."""
        count = int(np.prod(sizes))
        found = self.values[self.position : self.position + count]
        assert len(found) == count
        self.position += count
        return found.reshape(sizes)


class Writer:
    """Draws weights and keeps them in order."""

    def __init__(self, seed, transposed):
        self.random = np.random.default_rng(seed)
        self.transposed = transposed
        self.parts = []

    def take(self, *sizes, low=-0.5, high=0.5):
        """New values."""
        values = self.random.uniform(low, high, sizes).astype(np.float32)
        self.parts.append(values.ravel())
        return values.astype(np.float64)

    def content(self):
        """The bytes of the file."""
        header = struct.pack("<3iI", 0, 1001, 0, 7) if self.transposed else struct.pack("<3iQ", 0, 2, 5, 7)
        return header + np.concatenate(self.parts).astype("<f4").tobytes()


def variance(source, count):
    """Variances, of which one is so small that Darknet's epsilon shows."""
    if isinstance(source, Reader):
        return source.take(count)
    values = source.random.uniform(0.5, 1.5, count).astype(np.float32)
    values[0] = 1e-10
    source.parts.append(values)
    return values.astype(np.float64)


def gamma(source, count):
    """Factors, the first small enough for the variance."""
    if isinstance(source, Reader):
        return source.take(count)
    values = source.random.uniform(0.5, 1.5, count).astype(np.float32)
    values[0] = 1e-5
    source.parts.append(values)
    return values.astype(np.float64)


# ---- layers --------------------------------------------------------------------------------------


def softplus(x):
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


def activate(x, name):
    """Darknet's activation functions."""
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    return {
        "linear": lambda: x,
        "leaky": lambda: np.where(x > 0, x, 0.1 * x),
        "relu": lambda: np.maximum(x, 0),
        "relu6": lambda: np.clip(x, 0, 6),
        "logistic": lambda: 1 / (1 + np.exp(-x)),
        "tanh": lambda: np.tanh(x),
        "hardtan": lambda: np.clip(x, -1, 1),
        "elu": lambda: np.where(x > 0, x, np.expm1(x)),
        "selu": lambda: scale * np.where(x > 0, x, alpha * np.expm1(x)),
        "swish": lambda: x / (1 + np.exp(-x)),
        "mish": lambda: x * np.tanh(softplus(x)),
    }[name]()


def windows(x, size, stride_x, stride_y, dilation, top, bottom, value):
    """Every window of a padded image: [channels][rows][columns][size][size]."""
    x = np.pad(x, ((0, 0), (top, bottom), (top, bottom)), constant_values=value)
    extent = dilation * (size - 1) + 1
    found = np.lib.stride_tricks.sliding_window_view(x, (extent, extent), axis=(1, 2))
    return found[:, ::stride_y, ::stride_x, ::dilation, ::dilation]


def convolution(x, options, source):
    """A convolution with its normalization and activation."""
    number = lambda key, absent: int(options.get(key, absent))
    filters, size, groups = number("filters", 1), number("size", 1), number("groups", 1)
    stride, dilation = number("stride", 1), number("dilation", 1)
    pad = size // 2 if number("pad", 0) else number("padding", 0)
    normalized = number("batch_normalize", 0)
    bias = source.take(filters)
    if normalized:
        factor, mean = gamma(source, filters), source.take(filters)
        scale = factor / (np.sqrt(variance(source, filters)) + 1e-6)
    inputs = len(x) // groups
    weights = source.take(filters, inputs, size, size)
    patches = windows(
        x, size, number("stride_x", stride), number("stride_y", stride), dilation,
        pad * dilation, pad * dilation, 0)
    outputs = filters // groups
    parts = [
        np.einsum(
            "oiuv,ihwuv->ohw", weights[g * outputs : (g + 1) * outputs],
            patches[g * inputs : (g + 1) * inputs], optimize=True)
        for g in range(groups)
    ]
    y = np.concatenate(parts)
    if normalized:
        y = (y - mean[:, None, None]) * scale[:, None, None]
    return activate(y + bias[:, None, None], options.get("activation", "logistic"))


def connected(x, options, source):
    """A connected layer: biases, matrix, then normalization."""
    outputs = int(options["output"])
    bias = source.take(outputs)
    if source.transposed:
        weights = source.take(x.size, outputs).T
    else:
        weights = source.take(outputs, x.size)
    y = weights @ x.ravel()
    if int(options.get("batch_normalize", 0)):
        factor, mean = gamma(source, outputs), source.take(outputs)
        y = (y - mean) * factor / (np.sqrt(variance(source, outputs)) + 1e-6)
    y = activate(y + bias, options.get("activation", "logistic"))
    return y[:, None, None]


def pooling(x, options, kind):
    """A pooling with Darknet's padding."""
    stride = int(options.get("stride", 1))
    size = int(options.get("size", stride))
    padding = int(options.get("padding", size - 1))
    top = padding // 2
    value = -np.inf if kind == "max" else np.nan
    found = windows(x, size, stride, stride, 1, top, padding - top, value)
    return found.max((3, 4)) if kind == "max" else np.nanmean(found, (3, 4))


def reorganized(x, stride):
    """Darknet's own order, element by element in flat memory."""
    channels, height, width = x.shape
    small = channels // (stride * stride)
    flat, y = x.ravel(), np.empty(x.size)
    for k in range(channels):
        for j in range(height):
            for i in range(width):
                offset = k // small
                column = i * stride + offset % stride
                row = j * stride + offset // stride
                place = column + width * stride * (row + height * stride * (k % small))
                y[i + width * (j + height * k)] = flat[place]
    return y.reshape(channels * stride * stride, height // stride, width // stride)


def run(text, x, source):
    """The inputs of the detection layers, or the last output; x is [channels][height][width]."""
    results, outputs = [], []
    for kind, options in parsed(text)[1:]:
        at = lambda number: results[number if number >= 0 else len(results) + number]
        if kind == "convolutional":
            x = convolution(x, options, source)
        elif kind == "connected":
            x = connected(x, options, source)
        elif kind == "maxpool":
            x = pooling(x, options, "max")
        elif kind == "local_avgpool":
            x = pooling(x, options, "average")
        elif kind == "route":
            parts = [at(int(n)) for n in options["layers"].split(",")]
            groups, group = int(options.get("groups", 1)), int(options.get("group_id", 0))
            x = np.concatenate([np.split(part, groups)[group] for part in parts])
        elif kind == "shortcut":
            x = x.copy()
            for n in options["from"].split(","):
                other = at(int(n))
                common = min(len(x), len(other))
                x[:common] += other[:common]
            x = activate(x, options.get("activation", "linear"))
        elif kind == "upsample":
            s = int(options.get("stride", 2))
            x = x.repeat(s, 1).repeat(s, 2) * float(options.get("scale", 1))
        elif kind == "reorg":
            x = reorganized(x, int(options["stride"]))
        elif kind == "softmax":
            groups, t = int(options.get("groups", 1)), float(options.get("temperature", 1))
            rows = x.reshape(groups, -1) / t
            e = np.exp(rows - rows.max(1, keepdims=True))
            x = (e / e.sum(1, keepdims=True)).reshape(x.shape)
        elif kind in ("yolo", "region"):
            outputs.append((f"{kind}{len(results)}", x))
        else:
            assert kind in ("dropout", "cost"), kind
        results.append(x)
    return outputs or [("output", x)]


# ---- fixtures ------------------------------------------------------------------------------------


def seeded(count, seed):
    """Forge's seededValues from 0 to 1."""
    index = np.arange(1, count + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + index * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return ((z >> np.uint64(11)).astype(np.float64) * 2.0**-53).astype(np.float32)


def case(text, source, seed, step):
    """What a network computes for its seeded input."""
    net = parsed(text)[0][1]
    width, height, channels = (int(net[key]) for key in ("width", "height", "channels"))
    values = seeded(width * height * channels, seed).astype(np.float64)
    image = values.reshape(height, width, channels).transpose(2, 0, 1)
    outputs = run(text, image, source)
    return {
        "width": width, "height": height, "seed": seed, "step": step,
        "outputs": [
            {
                "name": name, "sizes": list(y.shape),
                "values": [float(f"{v:.8g}") for v in y.ravel()[::step]],
            }
            for name, y in outputs
        ],
    }


def made():
    """The files by name."""
    files, expected = {}, {}
    for name, text, transposed in [
        ("detector", DETECTOR, False), ("classifier", CLASSIFIER, True)
    ]:
        writer = Writer(11, transposed)
        expected[name] = case(text, writer, 5, 1)
        content = writer.content()
        # Reading the file gives the same numbers.
        assert case(text, Reader(content), 5, 1) == expected[name]
        files[name + ".cfg"] = text.lstrip().encode()
        files[name + ".weights"] = content
    if SHARED.exists():
        text = (SHARED / "yolo-fastest-1.1.cfg").read_text()
        text = text.replace("width=320", "width=351").replace("height=320", "height=287")
        reader = Reader((SHARED / "yolo-fastest-1.1.weights").read_bytes())
        expected["yolo-fastest"] = case(text, reader, 6, 101)
        assert reader.position == len(reader.values)
    files["expected.safetensors"] = fixtures.packed(expected)
    return files


def main():
    check = "--check" in sys.argv
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in made().items():
        path = FOLDER / name
        if not check:
            path.write_bytes(content)
        elif name.endswith(".safetensors"):
            old, new = fixtures.read(path), fixtures.unpacked(content)
            for key, value in new.items():
                for a, b in zip(old[key]["outputs"], value["outputs"]):
                    assert np.allclose(a["values"], b["values"], 1e-6, 1e-7), (key, a["name"])
        else:
            assert path.read_bytes() == content, name
    print("checked" if check else "written", FOLDER)


if __name__ == "__main__":
    main()
