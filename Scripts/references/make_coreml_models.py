#!/usr/bin/env python3
"""Writes Tests/ForgeImportersTests/Fixtures/CoreML: small models and what they compute.

Run it from anywhere, with a Python that has NumPy and coremltools 9 (for its model builder; nothing
is predicted with Core ML itself, which only Apple's systems have):

    python Scripts/references/make_coreml_models.py            # writes the fixtures
    python Scripts/references/make_coreml_models.py --check    # compares, writes nothing

Every layer is added twice: to the model, and to a computation in double precision below, which was
written from the specification of Core ML's layers. expected.safetensors holds by model the inputs (their
sizes in the file, a seed, and the range; the values are Forge's `seededValues`) and the outputs
with the sizes of the computation. Arrays are [C, H, W] in the models of the first versions.
"""
# check: PYTHON=COREML_PYTHON --check

import math
import pathlib
import sys

import coremltools as ct
import numpy as np
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from coremltools.proto import NeuralNetwork_pb2 as nn
from coremltools.proto import Model_pb2

import fixtures

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Tests" / "ForgeImportersTests" / "Fixtures" / "CoreML"


def seeded(count, seed, low=-1.0, high=1.0):
    """Forge's seededValues."""
    index = np.arange(1, count + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + index * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    unit = (z >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return (low + unit * (high - low)).astype(np.float32)


# ---- arithmetic on [C, H, W] ---------------------------------------------------------------------


def windows(x, kernel, stride, dilation, edges, value):
    """Every window of a padded image: [C][rows][columns][kh][kw]."""
    (top, bottom), (left, right) = edges
    x = np.pad(x, ((0, 0), (top, bottom), (left, right)), constant_values=value)
    extent = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
    found = np.lib.stride_tricks.sliding_window_view(x, extent, axis=(1, 2))
    return found[:, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]


def same(size, extent, stride, heavy_top):
    """The padding for an output of ceil(size / stride)."""
    total = max((math.ceil(size / stride) - 1) * stride + extent - size, 0)
    small, large = total // 2, total - total // 2
    return (large, small) if heavy_top else (small, large)


def convolution(x, w, b, stride, dilation, edges, groups):
    outputs, inputs = len(w) // groups, len(x) // groups
    patches = windows(x, w.shape[2:], stride, dilation, edges, 0)
    parts = [
        np.einsum("oiuv,ihwuv->ohw", w[g * outputs : (g + 1) * outputs],
                  patches[g * inputs : (g + 1) * inputs])
        for g in range(groups)
    ]
    return np.concatenate(parts) + b[:, None, None]


def deconvolution(x, w, b, stride, groups):
    """All pixels that kernels reach; w is [inputs][outputs / groups][kh][kw]."""
    inputs, height, width = x.shape
    kh, kw = w.shape[2:]
    y = np.zeros((w.shape[1] * groups, (height - 1) * stride[0] + kh, (width - 1) * stride[1] + kw))
    per = w.shape[1]
    for c in range(inputs):
        g = c // (inputs // groups)
        for i in range(height):
            for j in range(width):
                y[g * per : (g + 1) * per, i * stride[0] : i * stride[0] + kh,
                  j * stride[1] : j * stride[1] + kw] += x[c, i, j] * w[c]
    return y + b[:, None, None]


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def bilinear(x, height, width, grid):
    """Samples rows and columns at the positions of a grid."""
    def taps(size, wanted):
        at = np.clip(grid(size, wanted), 0, size - 1)
        low = np.floor(at).astype(int)
        return low, np.minimum(low + 1, size - 1), at - low
    a, b, t = taps(x.shape[1], height)
    x = x[:, a] * (1 - t)[:, None] + x[:, b] * t[:, None]
    a, b, t = taps(x.shape[2], width)
    return x[:, :, a] * (1 - t) + x[:, :, b] * t


GRIDS = {
    "asymmetric": lambda size, n: np.arange(n) * size / n,
    "align": lambda size, n: np.arange(n) * (size - 1) / (n - 1),
    "half": lambda size, n: (np.arange(n) + 0.5) * size / n - 0.5,
}


# ---- recurrent layers on [S, B, C] ---------------------------------------------------------------

FUNCTIONS = {
    "SIGMOID": lambda x: 1 / (1 + np.exp(-x)),
    "SIGMOID_HARD": lambda x: np.clip(0.2 * x + 0.5, 0, 1),
    "TANH": np.tanh,
    "RELU": lambda x: np.maximum(x, 0),
    "LINEAR": lambda x: x,
}


def bounded(x):
    """What gates are computed from."""
    return np.clip(x, -50, 50)


def run_cells(step, x, state, reverse):
    """Outputs in the order in which they are computed, and the last state."""
    outputs = []
    for t in range(len(x))[:: -1 if reverse else 1]:
        state = step(x[t], *state)
        outputs.append(state[0])
    return np.stack(outputs), state


def simple_cells(x, h, w, r, b, f, reverse=False):
    f = FUNCTIONS[f]
    return run_cells(lambda x, h: (f(bounded(x @ w.T + h @ r.T + b)),), x, (h,), reverse)


def gru_cells(x, h, w, r, b, f, g, reverse=False):
    """Matrices of the update, reset and output gates."""
    f, g = FUNCTIONS[f], FUNCTIONS[g]

    def step(x, h):
        z = f(bounded(x @ w[0].T + h @ r[0].T + b[0]))
        reset = f(bounded(x @ w[1].T + h @ r[1].T + b[1]))
        o = g(bounded(x @ w[2].T + (reset * h) @ r[2].T + b[2]))
        return ((1 - z) * o + z * h,)

    return run_cells(step, x, (h,), reverse)


def lstm_cells(x, h, c, w, r, b, functions, p=None, coupled=False, clip=None, reverse=False):
    """Matrices of the input, forget and output gates and of the block's input."""
    f, g, last = (FUNCTIONS[name] for name in functions)
    p = np.zeros((3, h.shape[-1])) if p is None else p

    def step(x, h, c):
        i = f(bounded(x @ w[0].T + h @ r[0].T + p[0] * c + b[0]))
        forget = 1 - i if coupled else f(bounded(x @ w[1].T + h @ r[1].T + p[1] * c + b[1]))
        c = forget * c + i * g(bounded(x @ w[3].T + h @ r[3].T + b[3]))
        c = c if clip is None else np.clip(c, -clip, clip)
        o = f(bounded(x @ w[2].T + h @ r[2].T + p[2] * c + b[2]))
        return (o * last(c), c)

    return run_cells(step, x, (h, c), reverse)


# ---- models --------------------------------------------------------------------------------------


class Net:
    """A model and its computation."""

    def __init__(self, name, inputs, outputs, exact=False, mode=None, seed=3):
        self.name, self.inputs, self.outputs = name, inputs, outputs
        features = [(key, datatypes.Array(*sizes)) for key, sizes in inputs.items()]
        self.builder = NeuralNetworkBuilder(
            features, [(key, None) for key in outputs] if exact else
            [(key, datatypes.Array(1)) for key in outputs],
            mode=mode, disable_rank5_shape_mapping=exact)
        self.random = np.random.default_rng(seed)
        self.values, self.ranges = {}, {}
        for index, (key, sizes) in enumerate(inputs.items()):
            self.set_input(key, sizes, 17 + index)

    def set_input(self, key, sizes, seed, low=-1.0, high=1.0):
        self.ranges[key] = dict(sizes=list(sizes), seed=seed, low=low, high=high)
        count = int(np.prod(sizes))
        self.values[key] = seeded(count, seed, low, high).astype(np.float64).reshape(sizes)

    def draw(self, *sizes, low=-0.6, high=0.6):
        """Weights."""
        return self.random.uniform(low, high, sizes).astype(np.float32).astype(np.float64)

    def put(self, name, value):
        """The value of a layer of one output of its own name."""
        self.values[name] = value
        return name

    def raw(self, name, inputs, outputs=None):
        """A layer to be filled by hand."""
        layer = self.builder.nn_spec.layers.add()
        layer.name = name
        layer.input.extend(inputs)
        layer.output.extend(outputs or [name])
        return layer

    # Layers with weights.

    def conv(self, name, x, channels, kernel, stride=(1, 1), dilation=(1, 1), groups=1,
             border="valid", amounts=(0, 0, 0, 0), heavy="BOTTOM_RIGHT_HEAVY", weights=None,
             **options):
        value = self.values[x]
        w = self.draw(channels, len(value) // groups, *kernel) if weights is None else weights
        b = self.draw(channels)
        top, bottom, left, right = amounts
        self.builder.add_convolution(
            name, len(value) // groups, channels, kernel[0], kernel[1], stride[0], stride[1],
            border, groups, w.transpose(2, 3, 1, 0) if not options else options.pop("bytes"), b,
            True, False, None, x, name, dilation_factors=list(dilation), padding_top=top,
            padding_bottom=bottom, padding_left=left, padding_right=right,
            same_padding_asymmetry_mode=heavy, **options)
        extent = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
        edges = ((top, bottom), (left, right))
        if border == "same":
            edges = [same(n, e, s, heavy == "TOP_LEFT_HEAVY")
                     for n, e, s in zip(value.shape[1:], extent, stride)]
        return self.put(name, convolution(value, w, b, stride, dilation, edges, groups))

    def deconv(self, name, x, channels, kernel, stride, groups=1, border="valid",
               amounts=(0, 0, 0, 0), shape=None, heavy="BOTTOM_RIGHT_HEAVY"):
        value = self.values[x]
        w, b = self.draw(len(value), channels // groups, *kernel), self.draw(channels)
        top, bottom, left, right = amounts
        self.builder.add_convolution(
            name, len(value), channels, kernel[0], kernel[1], stride[0], stride[1], border,
            groups, w.transpose(2, 3, 0, 1), b, True, True, shape, x, name, padding_top=top,
            padding_bottom=bottom, padding_left=left, padding_right=right,
            same_padding_asymmetry_mode=heavy)
        # The builder writes [inputs][outputs]; make sure.
        params = self.builder.nn_spec.layers[-1].convolution
        del params.weights.floatValue[:]
        params.weights.floatValue.extend(w.ravel().astype(np.float32))
        params.kernelChannels = len(value)
        y = deconvolution(value, w, b, stride, groups)
        wanted = shape
        if border == "same" and wanted is None:
            wanted = [n * s for n, s in zip(value.shape[1:], stride)]
        if wanted:
            for axis in (1, 2):
                total = y.shape[axis] - wanted[axis - 1]
                start = total - total // 2 if heavy == "TOP_LEFT_HEAVY" else total // 2
                y = np.take(y, range(start, start + wanted[axis - 1]), axis)
        else:
            y = y[:, top : y.shape[1] - bottom, left : y.shape[2] - right]
        return self.put(name, y)

    def dense(self, name, x, channels, half=False):
        value = self.values[x].ravel()
        w, b = self.draw(channels, len(value)), self.draw(channels)
        if half:
            w = w.astype(np.float16).astype(np.float64)
            b = b.astype(np.float16).astype(np.float64)
        self.builder.add_inner_product(name, w, b, len(value), channels, True, x, name)
        if half:
            params = self.builder.nn_spec.layers[-1].innerProduct
            for field, array in ((params.weights, w), (params.bias, b)):
                del field.floatValue[:]
                field.float16Value = array.astype(np.float16).tobytes()
        return self.put(name, (w @ value + b)[:, None, None])

    def norm(self, name, x, instance=False):
        value = self.values[x]
        c = len(value)
        gamma, beta = self.draw(c, low=0.5, high=1.5), self.draw(c)
        mean, variance = self.draw(c), self.draw(c, low=0.5, high=1.5)
        self.builder.add_batchnorm(
            name, c, gamma, beta, mean, variance, x, name, compute_mean_var=instance,
            instance_normalization=instance, epsilon=1e-3)
        if instance:
            mean, variance = value.mean((1, 2)), value.var((1, 2))
        scale = gamma / np.sqrt(variance + np.float32(1e-3))
        return self.put(
            name, (value - mean[:, None, None]) * scale[:, None, None] + beta[:, None, None])

    # Layers without weights.

    def pool(self, name, x, kind, kernel, stride, padding="VALID", exclude=False, whole=False,
             amounts=(0, 0, 0, 0), heavy="BOTTOM_RIGHT_HEAVY"):
        value = self.values[x]
        top, bottom, left, right = amounts
        self.builder.add_pooling(
            name, kernel[0], kernel[1], stride[0], stride[1], kind, padding, x, name, exclude,
            whole, padding_top=top, padding_bottom=bottom, padding_left=left,
            padding_right=right, same_padding_asymmetry_mode=heavy)
        if whole:
            y = value.max((1, 2)) if kind == "MAX" else value.mean((1, 2))
            return self.put(name, y[:, None, None])
        edges = [[top, bottom], [left, right]]
        if padding == "SAME":
            edges = [same(n, k, s, heavy == "TOP_LEFT_HEAVY")
                     for n, k, s in zip(value.shape[1:], kernel, stride)]
        if padding == "INCLUDE_LAST_PIXEL":
            edges = []
            for n, k, s, p in zip(value.shape[1:], kernel, stride, (top, left)):
                count = math.ceil((n + 2 * p - k) / s) + 1
                if (count - 1) * s >= n + p:
                    count -= 1
                edges.append((p, max((count - 1) * s + k - n - p, 0)))
        found = windows(value, kernel, stride, (1, 1), edges, np.nan)
        if kind == "MAX":
            return self.put(name, np.nanmax(found, (3, 4)))
        if exclude:
            return self.put(name, np.nanmean(found, (3, 4)))
        return self.put(name, np.nansum(found, (3, 4)) / (kernel[0] * kernel[1]))

    def activation(self, name, x, kind, function, params=None):
        self.builder.add_activation(name, kind, x, name, params)
        return self.put(name, function(self.values[x]))

    def flatten(self, name, x, mode):
        self.builder.add_flatten(name, mode, x, name)
        value = self.values[x]
        if mode == 1:
            value = value.transpose(1, 2, 0)
        return self.put(name, value.reshape(-1, 1, 1))

    def case(self):
        """The fixture's entry."""
        return {
            "inputs": self.ranges,
            "outputs": {
                name: {"sizes": list(self.values[name].shape),
                       "values": [float(f"{v:.8g}") for v in self.values[name].ravel()]}
                for name in self.outputs
            },
        }

    def content(self):
        """The bytes of the model."""
        return self.builder.spec.SerializeToString()


def classifier():
    """A BGR image with a mean image and biases; probabilities."""
    net = Net("classifier", {"picture": (3, 11, 13)}, ["prob"], mode="classifier")
    net.set_input("picture", (3, 11, 13), 21, 0, 255)
    x = net.values["picture"][::-1]
    # The mean image first, then the scaler, as the file lists them.
    mean = net.draw(3, 11, 13, low=90, high=130)
    x = x - mean
    scale = np.float64(np.float32(1 / 64))
    bias = np.float32([0.1, -0.2, 0.3]).astype(np.float64)  # red, green, blue
    x = x * scale + bias[::-1][:, None, None]
    net.values["data"] = x
    net.builder.spec.description.input[0].name = "data"
    picture = net.builder.spec.description.input[0].type
    picture.imageType.width, picture.imageType.height = 13, 11
    picture.imageType.colorSpace = 30
    step = net.builder.nn_spec.preprocessing.add()
    step.featureName = "data"
    step.meanImage.meanImage.extend(mean.ravel().astype(np.float32))
    step = net.builder.nn_spec.preprocessing.add()
    step.featureName = "data"
    step.scaler.channelScale = scale
    step.scaler.redBias, step.scaler.greenBias, step.scaler.blueBias = bias
    net.conv("conv1", "data", 6, (3, 5), (2, 2), border="same", heavy="TOP_LEFT_HEAVY")
    net.norm("bn1", "conv1")
    net.activation("relu1", "bn1", "RELU", lambda v: np.maximum(v, 0))
    net.pool("pool1", "relu1", "MAX", (3, 2), (2, 2), "INCLUDE_LAST_PIXEL")
    net.conv("dw2", "pool1", 6, (2, 3), groups=6, amounts=(1, 0, 1, 2))
    net.activation("leaky2", "dw2", "LEAKYRELU", lambda v: np.where(v > 0, v, 0.25 * v), [0.25])
    net.flatten("flat", "leaky2", 0)
    net.dense("fc", "flat", 5)
    net.builder.add_softmax("prob", "fc", "prob")
    net.put("prob", softmax(net.values["fc"], 0))
    net.builder.set_class_labels(["ant", "bee", "cat", "dog", "eel"], "label", "prob")
    net.ranges["data"] = net.ranges.pop("picture")
    return net


def flatten_last():
    """A gray image, an old network with a reshape and a flattening, channels last."""
    net = Net("flatten_last", {"gray": (1, 7, 9)}, ["out", "same"])
    net.set_input("gray", (1, 7, 9), 22, 0, 255)
    net.builder.set_pre_processing_parameters(
        image_input_names=["gray"], gray_bias=-0.5, image_scale=1 / 255)
    net.builder.spec.description.input[0].type.imageType.colorSpace = 10
    raw = net.values["gray"]
    net.values["gray"] = raw * np.float64(np.float32(1 / 255)) - 0.5
    net.conv("c", "gray", 4, (3, 3))
    net.flatten("f", "c", 1)
    net.dense("out", "f", 3)
    net.builder.add_reshape("r", "c", "r", (2, 14, 5), 1)
    value = net.values["c"].transpose(1, 2, 0).reshape(14, 5, 2).transpose(2, 0, 1)
    net.put("r", value)
    net.builder.add_permute("p", (0, 3, 1, 2), "r", "p")
    net.put("p", value.transpose(2, 0, 1))
    net.flatten("q", "p", 0)
    net.dense("same", "q", 2)
    return net


def window_layers():
    """Convolutions, transposed convolutions and poolings."""
    names = ["grouped", "up", "upsame", "upshape", "average", "border", "whole", "mean", "ceil"]
    net = Net("windows", {"x": (6, 9, 7)}, names)
    net.conv("grouped", "x", 4, (3, 2), (1, 2), (2, 1), groups=2, border="same")
    net.deconv("up", "x", 4, (3, 4), (2, 3), groups=2, amounts=(1, 0, 0, 2))
    net.deconv("upsame", "x", 3, (3, 3), (2, 2), border="same")
    net.deconv("upshape", "x", 2, (3, 3), (2, 2), shape=(18, 13))
    net.pool("average", "x", "AVERAGE", (3, 3), (2, 2), "SAME", True)
    net.pool("border", "x", "AVERAGE", (3, 2), (1, 2), "VALID", False, amounts=(1, 2, 1, 0))
    net.pool("whole", "x", "MAX", (1, 1), (1, 1), whole=True)
    net.pool("mean", "x", "AVERAGE", (1, 1), (1, 1), whole=True)
    net.pool("ceil", "x", "AVERAGE", (3, 3), (2, 3), "INCLUDE_LAST_PIXEL", True,
             amounts=(1, 1, 1, 1))
    return net


def activations():
    """Every activation; each is an output."""
    f = lambda v: float(np.float32(v))
    alpha = np.float32([0.1, 0.2, 0.3]).astype(np.float64)
    beta = np.float32([1.1, 0.7, 2.3]).astype(np.float64)
    table = [
        ("linear", "LINEAR", lambda v: f(1.5) * v + f(0.25), [1.5, 0.25]),
        ("tanh", "TANH", np.tanh, None),
        ("scaled", "SCALED_TANH", lambda v: f(1.7) * np.tanh(f(0.6) * v), [1.7, 0.6]),
        ("sigmoid", "SIGMOID", lambda v: 1 / (1 + np.exp(-v)), None),
        ("hard", "SIGMOID_HARD", lambda v: np.clip(f(0.4) * v + f(0.6), 0, 1), [0.4, 0.6]),
        ("elu", "ELU", lambda v: np.where(v > 0, v, f(0.7) * np.expm1(v)), 0.7),
        ("softplus", "SOFTPLUS", lambda v: np.log1p(np.exp(v)), None),
        ("prelu", "PRELU", lambda v: np.where(v > 0, v, alpha[:, None, None] * v), alpha),
        ("parametric", "PARAMETRICSOFTPLUS",
         lambda v: alpha[:, None, None] * np.log1p(np.exp(beta[:, None, None] * v)),
         [alpha, beta]),
    ]
    later = [
        ("threshold", "THRESHOLDEDRELU", lambda v: np.where(v > f(0.3), v, 0), 0.3),
        ("softsign", "SOFTSIGN", lambda v: v / (1 + np.abs(v)), None),
    ]
    nets = []
    for title, rows in (("activations", table), ("activations_later", later)):
        net = Net(title, {"x": (3, 5, 4)}, [row[0] for row in rows])
        for name, kind, function, params in rows:
            net.activation(name, "x", kind, function, params)
        nets.append(net)
    return nets


def packed(codes, bits):
    """Codes in consecutive bits, the highest first."""
    rows = np.unpackbits(codes.astype(np.uint8).reshape(-1, 1), axis=1)[:, 8 - bits :]
    return np.packbits(rows.ravel()).tobytes()


def quantized():
    """Weights of 8, 5 and 3 bits, and of half precision."""
    net = Net("quantized", {"x": (2, 6, 5)}, ["linear", "odd", "table", "half"])
    for name, x, bits, per_channel in (
        ("linear", "x", 8, True), ("odd", "x", 5, False), ("table", "x", 3, False)
    ):
        codes = net.random.integers(0, 1 << bits, (3, 2, 3, 3))
        # The builder takes [height][width][inputs][outputs] and turns it round itself.
        stored = codes.transpose(2, 3, 1, 0)
        if name == "table":
            entries = net.draw(1 << bits)
            weights = entries[codes]
            options = dict(quantization_type="lut", quant_lut=entries)
        else:
            scale = net.draw(3 if per_channel else 1, low=0.001, high=0.01)
            bias = net.draw(3 if per_channel else 1, low=-0.5, high=0.0)
            weights = (np.float32(scale).reshape(-1, 1, 1, 1) * codes
                       + np.float32(bias).reshape(-1, 1, 1, 1)).astype(np.float64)
            options = dict(quantization_type="linear", quant_scale=scale, quant_bias=bias)
        net.conv(name, x, 3, (3, 3), weights=weights, bytes=packed(stored.ravel(), bits),
                 nbits=bits, **options)
    net.flatten("flat", "linear", 0)
    net.dense("half", "flat", 4, half=True)
    return net


def dynamic():
    """Products that quantize their input; the scale is that of its largest magnitude."""
    net = Net("dynamic", {"x": (3, 1, 5)}, ["inner", "matrix"], exact=True)
    x = net.values["x"].astype(np.float32)
    scale = np.float32(np.abs(x).max()) / np.float32(127)
    integers = np.round(x / scale)
    b = net.builder
    for name, columns in (("inner", 7), ("matrix", 4)):
        factor = float(np.float32(net.draw(1, low=0.001, high=0.02)[0]))
        codes = net.random.integers(-127, 128, (columns, 5)).astype(np.int8)
        options = dict(int_8_dynamic_quantize=True, is_quantized_weight=True, nbits=8,
                       quantization_type="linear", quant_scale=np.array([factor]))
        if name == "inner":
            b.add_inner_product(name, codes.tobytes(), None, 5, columns, False, "x", name, **options)
        else:
            b.add_batched_mat_mul(name, ["x"], name, weight_matrix_rows=5, W=codes.T.tobytes(),
                                  weight_matrix_columns=columns, **options)
        net.put(name, (integers @ codes.T.astype(np.float64)) * (factor * float(scale)))
    return net


def images():
    """Layers that crop, pad, resize, rearrange or normalize images."""
    names = ["crop", "cropto", "pad", "near", "asym", "align", "half", "strict", "s2d",
             "d2s", "shuffle", "lrn", "mvn", "across", "instance"]
    net = Net("images", {"x": (4, 6, 8)}, names)
    b, x = net.builder, net.values["x"]
    b.add_crop("crop", 1, 2, 0, 3, [0, 0], ["x"], "crop")
    # The builder's order is left, right, top, bottom.
    net.put("crop", x[:, 0 : 6 - 3, 1 : 8 - 2])
    b.add_crop("cropto", 0, 0, 0, 0, [2, 1], ["x", "crop"], "cropto")
    net.put("cropto", x[:, 2:5, 1:6])
    b.add_padding("pad", 1, 0, 2, 3, 0.0, "x", "pad", "constant")
    net.put("pad", np.pad(x, ((0, 0), (2, 3), (1, 0))))
    b.add_upsample("near", 2, 3, "x", "near", "NN")
    net.put("near", x.repeat(2, 1).repeat(3, 2))
    for name, mode, grid in (("asym", "DEFAULT", "asymmetric"), ("align", "ALIGN_CORNERS_TRUE", "align"),
                             ("half", "ALIGN_CORNERS_FALSE", "half")):
        b.add_upsample(name, 3, 2, "x", name, "BILINEAR", mode)
        net.put(name, bilinear(x, 18, 16, GRIDS[grid]))
    b.add_resize_bilinear("strict", "x", "strict", 9, 5, "STRICT_ALIGN_ENDPOINTS_MODE")
    net.put("strict", bilinear(x, 9, 5, GRIDS["align"]))
    b.add_reorganize_data("s2d", "x", "s2d", "SPACE_TO_DEPTH", 2)
    net.put("s2d", x.reshape(4, 3, 2, 4, 2).transpose(2, 4, 0, 1, 3).reshape(16, 3, 4))
    b.add_reorganize_data("d2s", "x", "d2s", "DEPTH_TO_SPACE", 2)
    net.put("d2s", x.reshape(2, 2, 1, 6, 8).transpose(2, 3, 0, 4, 1).reshape(1, 12, 16))
    b.add_reorganize_data("shuffle", "near", "shuffle", "PIXEL_SHUFFLE", 2)
    near = net.values["near"]
    net.put("shuffle", near.reshape(1, 2, 2, 12, 24).transpose(0, 3, 1, 4, 2).reshape(1, 24, 48))
    b.add_lrn("lrn", "x", "lrn", 0.3, 0.75, 3, 1.5)
    total = np.stack([(x[max(c - 1, 0) : c + 2] ** 2).sum(0) for c in range(4)])
    net.put("lrn", x / (1.5 + np.float32(0.3) / 3 * total) ** 0.75)
    b.add_mvn("mvn", "x", "mvn", False, True, 1e-3)
    e = np.float32(1e-3)
    net.put("mvn", (x - x.mean((1, 2), keepdims=True)) / np.sqrt(x.var((1, 2), keepdims=True) + e))
    b.add_mvn("across", "x", "across", True, True, 1e-3)
    net.put("across", (x - x.mean()) / np.sqrt(x.var() + e))
    net.norm("instance", "x", instance=True)
    return net


def arithmetic():
    """Sums, products, scales, constants and joins."""
    names = ["sum", "product", "plus", "largest", "smallest", "average", "scaled", "plane",
             "moved", "fixed", "joined", "reshaped", "turned", "soft"]
    net = Net("arithmetic", {"x": (3, 4, 5), "y": (3, 4, 5), "c": (3,)}, names)
    b = net.builder
    x, y, c = (net.values[k] for k in ("x", "y", "c"))
    c = c[:, None, None]
    b.add_elementwise("sum", ["x", "y", "c"], "sum", "ADD")
    net.put("sum", x + y + c)
    b.add_elementwise("product", ["x", "c"], "product", "MULTIPLY")
    net.put("product", x * c)
    b.add_elementwise("plus", ["x"], "plus", "ADD", 0.5)
    net.put("plus", x + 0.5)
    b.add_elementwise("largest", ["x", "y"], "largest", "MAX")
    net.put("largest", np.maximum(x, y))
    b.add_elementwise("smallest", ["x", "c"], "smallest", "MIN")
    net.put("smallest", np.minimum(x, c))
    b.add_elementwise("average", ["x", "y"], "average", "AVE")
    net.put("average", (x + y) / 2)
    w, v = net.draw(3, 1, 1), net.draw(3, 1, 1)
    b.add_scale("scaled", w, v, True, "x", "scaled", [3], [3])
    net.put("scaled", x * w + v)
    w = net.draw(1, 4, 5)
    b.add_scale("plane", w, None, False, "x", "plane", [1, 4, 5])
    net.put("plane", x * w)
    v = net.draw(3, 4, 5)
    b.add_bias("moved", v, "x", "moved", [3, 4, 5])
    net.put("moved", x + v)
    k = net.draw(3, 1, 1)
    b.add_load_constant("k", "k", k, [3, 1, 1])
    net.put("k", k)
    b.add_elementwise("fixed", ["k", "x"], "fixed", "MULTIPLY")
    net.put("fixed", x * k)
    k3 = net.draw(2, 4, 5)
    b.add_load_constant("k3", "k3", k3, [2, 4, 5])
    b.add_elementwise("joined", ["x", "product", "k3"], "joined", "CONCAT")
    net.put("joined", np.concatenate([x, x * c, k3]))
    b.add_reshape("reshaped", "x", "reshaped", (5, 6, 2), 0)
    net.put("reshaped", x.reshape(5, 6, 2))
    b.add_permute("turned", (0, 2, 3, 1), "x", "turned")
    net.put("turned", x.transpose(1, 2, 0))
    b.add_softmax("soft", "x", "soft")
    net.put("soft", softmax(x, 0))
    return net


def exact():
    """Layers of later networks on tensors of any rank."""
    names = ["turned", "reshaped", "inferred", "squeezed", "joined", "soft", "normal", "matrix",
             "last", "vector", "added", "less", "gelu", "gelutanh", "gelusig", "clipped",
             "clamped", "stacked", "flat", "product"]
    net = Net("exact", {"x": (2, 3, 5), "y": (2, 5, 4), "z": (5,), "v": (1, 7)}, names, exact=True)
    b = net.builder
    x, y, z, v = (net.values[k] for k in "xyzv")
    b.add_transpose("turned", (2, 0, 1), "x", "turned")
    net.put("turned", x.transpose(2, 0, 1))
    b.add_reshape_static("reshaped", "turned", "reshaped", (3, 10))
    net.put("reshaped", x.transpose(2, 0, 1).reshape(3, 10))
    b.add_rank_preserving_reshape("inferred", "x", "inferred", (-1, 0, 2))
    net.put("inferred", x.reshape(5, 3, 2))
    b.add_expand_dims("expanded", "x", "expanded", (0, 4))
    net.put("expanded", x[None, ..., None])
    b.add_squeeze("squeezed", "expanded", "squeezed", (0,))
    net.put("squeezed", x[..., None])
    b.add_concat_nd("joined", ["x", "x"], "joined", 1)
    net.put("joined", np.concatenate([x, x], 1))
    b.add_softmax_nd("soft", "x", "soft", 1)
    net.put("soft", softmax(x, 1))
    gamma, beta = net.draw(3, 5), net.draw(3, 5)
    b.add_layer_normalization("normal", "x", "normal", [3, 5], gamma, beta, 1e-3)
    mean, var = x.mean((1, 2), keepdims=True), x.var((1, 2), keepdims=True)
    net.put("normal", (x - mean) / np.sqrt(var + np.float32(1e-3)) * gamma + beta)
    b.add_batched_mat_mul("matrix", ["x", "y"], "matrix")
    net.put("matrix", x @ y)
    w, bias = net.draw(5, 6), net.draw(6)
    b.add_batched_mat_mul("last", ["x"], "last", weight_matrix_rows=5, weight_matrix_columns=6,
                          W=w, bias=bias)
    net.put("last", x @ w + bias)
    w, bias = net.draw(3, 7), net.draw(3)
    b.add_inner_product("vector", w, bias, 7, 3, True, "v", "vector")
    net.put("vector", v @ w.T + bias)
    w, bias = net.draw(4, 5), net.draw(4)
    b.add_inner_product("product", w, bias, 5, 4, True, "x", "product")
    net.put("product", x @ w.T + bias)
    b.add_add_broadcastable("added", ["x", "z"], "added")
    net.put("added", x + z)
    b.add_subtract_broadcastable("less", ["z", "x"], "less")
    net.put("less", z - x)
    erf = np.vectorize(math.erf)
    b.add_gelu("gelu", "x", "gelu", "EXACT")
    net.put("gelu", 0.5 * x * (1 + erf(x / np.sqrt(2))))
    b.add_gelu("gelutanh", "x", "gelutanh", "TANH_APPROXIMATION")
    net.put("gelutanh", 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))
    b.add_gelu("gelusig", "x", "gelusig", "SIGMOID_APPROXIMATION")
    net.put("gelusig", x / (1 + np.exp(-np.float32(1.702) * x)))
    b.add_clip("clipped", "x", "clipped", -0.25, 0.5)
    net.put("clipped", np.clip(x, -0.25, 0.5))
    b.add_clamped_relu("clamped", "x", "clamped", 0.25, 0.5)
    net.put("clamped", np.where(x > 0, np.minimum(x, 0.5), 0.25 * x))
    b.add_stack("stacked", ["x", "x"], "stacked", 1)
    net.put("stacked", np.stack([x, x], 1))
    b.add_flatten_to_2d("flat", "x", "flat", 2)
    net.put("flat", x.reshape(6, 5))
    return net


def later_layers():
    """Layers of the first versions on functions, reductions and slices."""
    names = ["root", "inverse", "power", "threshold", "mean", "total", "logsum", "peak", "row",
             "slice", "part2", "unit", "reflect", "replicate", "filled", "centred"]
    net = Net("later", {"x": (4, 5, 6)}, names)
    net.set_input("x", (4, 5, 6), 31, 0.2, 1.0)
    b, x = net.builder, net.values["x"]
    b.add_unary("root", "x", "root", "sqrt", shift=0.5, scale=2)
    net.put("root", np.sqrt(2 * x + 0.5))
    b.add_unary("inverse", "x", "inverse", "inverse", epsilon=0.125)
    net.put("inverse", 1 / (x + 0.125))
    b.add_unary("power", "x", "power", "power", alpha=1.5)
    net.put("power", x**1.5)
    b.add_unary("threshold", "x", "threshold", "threshold", alpha=0.5)
    net.put("threshold", np.maximum(x, 0.5))
    b.add_reduce("mean", "x", "mean", "HW", "avg")
    net.put("mean", x.mean((1, 2), keepdims=True))
    b.add_reduce("total", "x", "total", "CHW", "sum")
    net.put("total", x.sum(keepdims=True))
    b.add_reduce("logsum", "x", "logsum", "W", "logsum", 0.25)
    net.put("logsum", np.log(x + 0.25).sum(2, keepdims=True))
    b.add_reduce("peak", "x", "peak", "C", "argmax")
    net.put("peak", x.argmax(0)[None].astype(np.float64))
    b.add_reduce("row", "x", "row", "H", "L2")
    net.put("row", np.sqrt((x**2).sum(1, keepdims=True)))
    b.add_slice("slice", "x", "slice", "width", 1, 6, 2)
    net.put("slice", x[:, :, 1:6:2])
    b.add_split("split", "x", ["part1", "part2"])
    net.put("part2", x[2:])
    b.add_l2_normalize("unit", "x", "unit", 0.125)
    net.put("unit", x / np.sqrt((x**2).sum() + 0.125))
    b.add_padding("reflect", 1, 2, 2, 1, 0, "x", "reflect", "reflection")
    net.put("reflect", np.pad(x, ((0, 0), (2, 1), (1, 2)), mode="reflect"))
    b.add_padding("replicate", 1, 2, 2, 1, 0, "x", "replicate", "replication")
    net.put("replicate", np.pad(x, ((0, 0), (2, 1), (1, 2)), mode="edge"))
    b.add_padding("filled", 1, 2, 2, 1, 0.75, "x", "filled", "constant")
    net.put("filled", np.pad(x, ((0, 0), (2, 1), (1, 2)), constant_values=0.75))
    b.add_mvn("centred", "x", "centred", True, False)
    net.put("centred", x - x.mean())
    return net


def later_exact():
    """Layers of later networks on functions, comparisons, reductions and selections."""
    names = ["ratio", "floored", "power", "rest", "greater", "both", "chosen", "sine", "whole",
             "reduced", "kept", "best", "firsts", "sliced", "picked", "right", "tiled", "wide",
             "running", "gathered", "padded"]
    net = Net("later_exact", {"x": (2, 3, 5), "y": (3, 1)}, names, exact=True)
    net.set_input("x", (2, 3, 5), 33, 0.3, 2.0)
    net.set_input("y", (3, 1), 34, 0.3, 2.0)
    b, x, y = net.builder, net.values["x"], net.values["y"]
    b.add_divide_broadcastable("ratio", ["x", "y"], "ratio")
    net.put("ratio", x / y)
    b.add_floor_div_broadcastable("floored", ["x", "y"], "floored")
    net.put("floored", np.floor(x / y))
    b.add_pow_broadcastable("power", ["x", "y"], "power")
    net.put("power", x**y)
    b.add_mod_broadcastable("rest", ["x", "y"], "rest")
    net.put("rest", np.mod(x, y))
    b.add_greater_than("greater", ["x", "y"], "greater")
    net.put("greater", (x > y).astype(float))
    b.add_less_than("lesser", ["x"], "lesser", alpha=1.25)
    net.put("lesser", (x < 1.25).astype(float))
    b.add_logical("both", ["greater", "lesser"], "both", "AND")
    net.put("both", net.values["greater"] * net.values["lesser"])
    b.add_where_broadcastable("chosen", ["greater", "x", "y"], "chosen")
    net.put("chosen", np.where(x > y, x, y))
    b.add_sin("sine", "x", "sine")
    net.put("sine", np.sin(x))
    b.add_round("whole", "x", "whole")
    net.put("whole", np.round(x))
    b.add_reduce_mean("reduced", "x", "reduced", [0, 2], keepdims=False)
    net.put("reduced", x.mean((0, 2)))
    b.add_reduce_max("kept", "x", "kept", [-1], keepdims=True)
    net.put("kept", x.max(2, keepdims=True))
    b.add_argmax("best", "x", "best", 1, keepdims=False)
    net.put("best", x.argmax(1).astype(float))
    b.add_topk("top", ["x"], ["firsts", "places"], 2, 2)
    net.put("firsts", -np.sort(-x, 2)[..., :2])
    b.add_slice_static("sliced", "x", "sliced", [0, 2, 4], [2, 0, 0], [1, -1, -2],
                       [True, False, False], [True, True, False])
    net.put("sliced", x[:, 2::-1, 4:0:-2])
    b.add_slice_static("picked", "x", "picked", [0, 1, 0], [2, 2, 5], [1, 1, 1],
                       [False] * 3, [False] * 3, [False, True, False])
    net.put("picked", x[:, 1])
    b.add_split_nd("parts", "x", ["left", "right"], 2, split_sizes=[2, 3])
    net.put("right", x[..., 2:])
    b.add_tile("tiled", "y", "tiled", [2, 3])
    net.put("tiled", np.tile(y, (2, 3)))
    b.add_broadcast_to_static("wide", "y", "wide", (2, 3, 4))
    net.put("wide", np.broadcast_to(y, (2, 3, 4)))
    b.add_cumsum("running", ["x"], "running", axis=1, reverse=True)
    net.put("running", np.cumsum(x[:, ::-1], 1)[:, ::-1])
    b.add_load_constant_nd("rows", "rows", np.array([2.0, 0.0]), (2,))
    b.add_gather("gathered", ["x", "rows"], "gathered", 1)
    net.put("gathered", x[:, [2, 0]])
    b.add_constant_pad("padded", ["x"], "padded", 0.5, pad_amounts=[0, 1, 0, 0, 2, 0])
    net.put("padded", np.pad(x, ((0, 1), (0, 0), (2, 0)), constant_values=0.5))
    return net


def single_exact():
    """Layers of later networks that compute one function, one comparison or one reduction each."""
    functions = {
        "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "ceil": np.ceil, "cos": np.cos,
        "exp2": np.exp2, "floor": np.floor, "sign": np.sign, "sinh": np.sinh, "cosh": np.cosh,
        "asinh": np.arcsinh, "tan": np.tan, "tanh": np.tanh, "erf": np.vectorize(math.erf),
        "copy": lambda x: x,
    }
    reductions = {
        "l1": lambda x, a: np.abs(x).sum(a), "l2": lambda x, a: np.sqrt((x**2).sum(a)),
        "logsumexp": lambda x, a: np.log(np.exp(x).sum(a)), "min": np.min, "prod": np.prod,
        "sum": np.sum, "sumsquare": lambda x, a: (x**2).sum(a),
    }
    names = [*functions, *reductions, "logsum", "product", "acosh", "atanh", "larger", "smaller",
             "equal", "other", "at_least", "at_most", "either", "one", "neither", "least",
             "filled", "gathered"]
    net = Net("single_exact", {"x": (2, 3, 5), "y": (3, 1)}, names, exact=True)
    net.set_input("x", (2, 3, 5), 35, -0.9, 0.9)
    net.set_input("y", (3, 1), 36, -0.9, 0.9)
    b, x, y = net.builder, net.values["x"], net.values["y"]

    for name, function in functions.items():
        getattr(b, f"add_{name}")(name, "x", name)
        net.put(name, function(x))
    for name, reduction in reductions.items():
        getattr(b, f"add_reduce_{name}")(name, "x", name, axes=[0, 2], keepdims=False)
        net.put(name, reduction(x, (0, 2)))
    # Functions of numbers that are not below 0, or not below 1.
    b.add_exp2("large", "x", "large")
    b.add_reduce_logsum("logsum", "large", "logsum", axes=[1], keepdims=False)
    net.put("logsum", np.log((2**x).sum(1)))
    b.add_load_constant_nd("two", "two", np.array([2.0]), (1,))
    b.add_multiply_broadcastable("product", ["large", "two"], "product")
    net.put("product", 2 * 2**x)
    b.add_acosh("acosh", "product", "acosh")
    net.put("acosh", np.arccosh(2 * 2**x))
    b.add_atanh("atanh", "x", "atanh")
    net.put("atanh", np.arctanh(x))
    b.add_max_broadcastable("larger", ["x", "y"], "larger")
    net.put("larger", np.maximum(x, y))
    b.add_min_broadcastable("smaller", ["x", "y"], "smaller")
    net.put("smaller", np.minimum(x, y))
    b.add_equal("equal", ["larger", "x"], "equal")
    net.put("equal", (x >= y).astype(float))
    b.add_not_equal("other", ["larger", "x"], "other")
    net.put("other", (x < y).astype(float))
    b.add_greater_than("at_least", ["larger", "x"], "at_least", use_greater_than_equal=True)
    net.put("at_least", np.ones(x.shape))
    b.add_less_than("at_most", ["larger", "x"], "at_most", use_less_than_equal=True)
    net.put("at_most", (y <= x).astype(float))
    b.add_greater_than("positive", ["x"], "positive", alpha=0)
    for name, mode, value in [
            ("either", "OR", (x > 0) | (x >= y)), ("one", "XOR", (x > 0) ^ (x >= y))]:
        b.add_logical(name, ["positive", "at_most"], name, mode)
        net.put(name, value.astype(float))
    b.add_logical("neither", ["either"], "neither", "NOT")
    net.put("neither", 1 - net.values["either"])
    b.add_argmin("least", "x", "least", 2, keepdims=False)
    net.put("least", x.argmin(2).astype(float))
    b.add_fill_static("five", "five", [3, 1], value=5.0)
    b.add_add_broadcastable("filled", ["x", "five"], "filled")
    net.put("filled", x + 5)
    places = np.array([[[2, 0, 1, 2, 0]], [[1, 1, 0, 2, 2]]])
    b.add_load_constant_nd("places", "places", places.astype(float), places.shape)
    b.add_gather_along_axis("gathered", ["x", "places"], "gathered", 1)
    net.put("gathered", np.take_along_axis(x, places, 1))
    return net


SCATTERS = {
    "update": lambda a, b: b, "add": np.add, "sub": np.subtract, "mul": np.multiply,
    "div": np.divide, "max": np.maximum, "min": np.minimum}


def put_entries(data, places, updates, axis, mode):
    """Updates of entries of an axis, one after the other."""
    data, rank = data.copy(), places.ndim
    rows = np.moveaxis(data, axis, 0)
    moved = np.moveaxis(updates, list(range(axis, axis + rank)), list(range(rank)))
    for place, update in zip(places.ravel(), moved.reshape((-1,) + rows.shape[1:])):
        rows[place] = SCATTERS[mode](rows[place], update)
    return data


def put_elements(data, places, updates, axis, mode):
    """Updates of single elements along an axis, one after the other."""
    data = data.copy()
    for index in np.ndindex(places.shape):
        target = index[:axis] + (places[index],) + index[axis + 1:]
        data[target] = SCATTERS[mode](data[target], updates[index])
    return data


def put_slices(data, places, updates, mode):
    """Updates of slices at places along the leading axes, one after the other."""
    data = data.copy()
    for index in np.ndindex(places.shape[:-1]):
        target = tuple(places[index])
        data[target] = SCATTERS[mode](data[target], updates[index])
    return data


def scattered():
    """Updates put into tensors at computed places, in every mode, and what is read at places."""
    names = ["slices", "order", "falling", *(f"rows_{m}" for m in SCATTERS),
             "columns", *(f"along_{m}" for m in SCATTERS), *(f"nd_{m}" for m in SCATTERS)]
    net = Net("scattered", {"x": (5, 3, 7), "u": (11, 3, 7), "v": (5, 4, 7), "p": (11,), "q": (4,),
                            "r": (5, 4, 7), "t": (11, 2)}, names, exact=True)
    net.set_input("x", (5, 3, 7), 51, 0.3, 2.0)
    net.set_input("u", (11, 3, 7), 52, 0.3, 2.0)
    net.set_input("v", (5, 4, 7), 53, 0.3, 2.0)
    net.set_input("p", (11,), 54, -5.0, 5.0)
    net.set_input("q", (4,), 55, -3.0, 3.0)
    net.set_input("r", (5, 4, 7), 56, -3.0, 3.0)
    net.set_input("t", (11, 2), 57, -3.0, 3.0)
    b, x, u, v = net.builder, net.values["x"], net.values["u"], net.values["v"]
    places = {}
    for name in ["p", "q", "r", "t"]:
        b.add_floor(f"{name}_whole", name, f"{name}_whole")
        places[name] = np.floor(net.values[name]).astype(int)
    b.add_gather_nd("slices", ["x", "t_whole"], "slices")
    net.put("slices", x[places["t"][:, 0], places["t"][:, 1]])
    b.add_argsort("order", "x", "order", axis=-1)
    net.put("order", np.argsort(x, 2, kind="stable").astype(float))
    b.add_argsort("falling", "x", "falling", axis=0, descending=True)
    net.put("falling", np.argsort(-x, 0, kind="stable").astype(float))
    net.put("mid", u[:, 0])
    b.add_slice_static("mid", "u", "mid", [0, 0, 0], [11, 1, 7], [1, 1, 1], [False] * 3,
                       [False] * 3, [False, True, False])
    for mode in SCATTERS:
        b.add_scatter(f"rows_{mode}", ["x", "p_whole", "u"], f"rows_{mode}", 0, mode.upper())
        net.put(f"rows_{mode}", put_entries(x, places["p"], u, 0, mode))
        b.add_scatter_along_axis(
            f"along_{mode}", ["x", "r_whole", "v"], f"along_{mode}", 1, mode.upper())
        net.put(f"along_{mode}", put_elements(x, places["r"], v, 1, mode))
        b.add_scatter_nd(f"nd_{mode}", ["x", "t_whole", "mid"], f"nd_{mode}", mode.upper())
        net.put(f"nd_{mode}", put_slices(x, places["t"], net.values["mid"], mode))
    b.add_scatter("columns", ["x", "q_whole", "v"], "columns", 1, "SUB")
    net.put("columns", put_entries(x, places["q"], v, 1, "sub"))
    return net


def recurrent():
    """Recurrent layers on [7, 3, 5, 1, 1], with states as inputs and as results."""
    names = ["simple", "simple_h", "steep", "gru", "gru_h", "lstm", "lstm_h", "lstm_c", "last",
             "both", "both_c", "both_rh", "ends"]
    states = {key: (1, 3, 4, 1, 1) for key in ["h", "c", "rh", "rc"]}
    net = Net("recurrent", {"x": (7, 3, 5, 1, 1), **states}, names, exact=True)
    b, draw = net.builder, net.draw
    net.set_input("x", (7, 3, 5, 1, 1), 41, -2.0, 2.0)
    x = net.values["x"][..., 0, 0]
    h, c, rh, rc = (net.values[key][0, ..., 0, 0] for key in states)
    zero = np.zeros_like(h)

    def keep(name, value):
        net.put(name, value.reshape((-1, 3, value.shape[-1], 1, 1)))

    def gates(count):
        return ([draw(4, 5) for _ in range(count)], [draw(4, 4) for _ in range(count)],
                [draw(4) for _ in range(count)])

    # One state that is given, outputs from the last to the first.
    (w,), (r,), (v,) = gates(1)
    b.add_simple_rnn("simple", r, w, v, 4, 5, "TANH", ["x", "h"], ["simple", "simple_h"], True,
                     True)
    y, (last,) = simple_cells(x, h, w, r, v, "TANH", True)
    keep("simple", y)
    keep("simple_h", last)
    # No bias, and sums that are bounded.
    w = draw(4, 5, low=-60, high=60)
    b.add_simple_rnn("steep", r, w, None, 4, 5, "LINEAR", ["x"], ["steep", "steep_h"])
    keep("steep", simple_cells(x, zero, w, r, 0, "LINEAR")[0][-1])
    w, r, v = gates(3)
    b.add_gru("gru", r, w, v, 4, 5, ["x", "h"], ["gru", "gru_h"], "TANH", "SIGMOID_HARD", True,
              True)
    y, (last,) = gru_cells(x, h, w, r, v, "SIGMOID_HARD", "TANH", True)
    keep("gru", y)
    keep("gru_h", last)
    # Everything that an LSTM may have but coupled gates, then those.
    w, r, v = gates(4)
    p = draw(3, 4)
    b.add_unilstm("lstm", r, w, v, 4, 5, ["x", "h", "c"], ["lstm", "lstm_h", "lstm_c"],
                  peep=p, output_all=True, forget_bias=True, cell_clip_threshold=0.25)
    raised = [v[0], v[1] + 1, *v[2:]]
    y, (last, cells) = lstm_cells(
        x, h, c, w, r, raised, ["SIGMOID", "TANH", "TANH"], p, clip=0.25)
    keep("lstm", y)
    keep("lstm_h", last)
    keep("lstm_c", cells)
    functions = ["SIGMOID_HARD", "RELU", "TANH"]
    b.add_unilstm("last", r, w, None, 4, 5, ["x"], ["last", "last_h", "last_c"], *functions,
                  output_all=False, coupled_input_forget_gate=True, cell_clip_threshold=0,
                  reverse_input=True)
    keep("last", lstm_cells(x, zero, zero, w, r, np.zeros(4), functions, coupled=True,
                            reverse=True)[0][-1])
    # Both directions.
    w2, r2, v2 = gates(4)
    functions = ["SIGMOID", "TANH", "TANH"]
    b.add_bidirlstm("both", r, w, v, r2, w2, v2, 4, 5, ["x", "h", "c", "rh", "rc"],
                    ["both", "both_h", "both_c", "both_rh", "both_rc"], output_all=True)
    y, (_, cells) = lstm_cells(x, h, c, w, r, v, functions)
    back, (last, _) = lstm_cells(x, rh, rc, w2, r2, v2, functions, reverse=True)
    keep("both", np.concatenate([y, back[::-1]], 2))
    keep("both_c", cells)
    keep("both_rh", last)
    b.add_bidirlstm("ends", r, w, v, r2, w2, v2, 4, 5, ["x"],
                    ["ends", "ends_h", "ends_c", "ends_rh", "ends_rc"], forget_bias=True)
    v = [v[0], v[1] + 1, *v[2:]]
    v2 = [v2[0], v2[1] + 1, *v2[2:]]
    y, _ = lstm_cells(x, zero, zero, w, r, v, functions)
    back, _ = lstm_cells(x, zero, zero, w2, r2, v2, functions, reverse=True)
    keep("ends", np.concatenate([y[-1], back[-1]], 1))
    return net


def tables():
    """Vectors for ids, and entries from the last to the first."""
    net = Net("tables", {"ids": (7, 3, 1)}, ["vectors", "reversed"], exact=True)
    net.set_input("ids", (7, 3, 1), 47, 0.0, 12.999)
    ids = np.floor(net.values["ids"]).astype(int)[..., 0]
    table, bias = net.draw(5, 13), net.draw(5)
    net.builder.add_embedding_nd("vectors", "ids", "vectors", 13, 5, table, bias)
    net.put("vectors", table.T[ids] + bias)
    net.builder.add_reverse("reversed", "vectors", "reversed", [True, False, True])
    net.put("reversed", net.values["vectors"][::-1, :, ::-1])
    return net


def words():
    """A network of the first versions on a sequence of ids; its file states no length."""
    net = Net("words", {"ids": (1,), "h": (6,), "c": (6,)}, ["prob", "more", "h_out", "c_out"])
    net.set_input("ids", (9, 1, 1), 43, 0.0, 10.999)
    b, draw = net.builder, net.draw
    ids = np.floor(net.values["ids"]).astype(int)[:, 0, 0]
    table, bias = draw(5, 11), draw(5)
    b.add_embedding("vectors", table, bias, 11, 5, True, "ids", "vectors")
    x = table.T[ids] + bias
    w, r = [draw(6, 5) for _ in range(4)], [draw(6, 6) for _ in range(4)]
    v = [draw(6) for _ in range(4)]
    b.add_unilstm("lstm", r, w, v, 6, 5, ["vectors", "h", "c"], ["y", "h_out", "c_out"],
                  output_all=True)
    y, (h, c) = lstm_cells(x[:, None], net.values["h"][None], net.values["c"][None], w, r, v,
                           ["SIGMOID", "TANH", "TANH"])
    net.put("h_out", h[0])
    net.put("c_out", c[0])
    y = y[:, 0]
    w, v = draw(4, 6), draw(4)
    scores = y @ w.T + v
    b.add_inner_product("fc", w, v, 6, 4, True, "y", "fc")
    b.add_softmax("prob", "fc", "prob")
    net.put("prob", softmax(scores, 1))
    b.add_activation("positive", "RELU", "fc", "positive")
    b.add_sequence_repeat("twice", 2, "positive", "twice")
    w, r = [draw(3, 4) for _ in range(3)], [draw(3, 3) for _ in range(3)]
    b.add_gru("gru", r, w, None, 3, 4, ["twice"], ["more", "more_h"], "TANH", "SIGMOID")
    net.put("more", gru_cells(np.tile(np.maximum(scores, 0), (2, 1))[:, None], np.zeros((1, 3)), w, r,
                              np.zeros(3), "SIGMOID", "TANH")[0][-1, 0])
    return net


def pipeline():
    """Two networks in a row; the second is a classifier."""
    first = Net("features", {"x": (2, 5, 4)}, ["deep"])
    first.conv("deep", "x", 3, (3, 3))
    second = Net("head", {"deep": (3, 3, 2)}, ["prob"], mode="classifier")
    second.values["deep"] = first.values["deep"]
    second.flatten("flat", "deep", 0)
    second.dense("fc", "flat", 2)
    second.builder.add_softmax("prob", "fc", "prob")
    second.put("prob", softmax(second.values["fc"], 0))
    second.builder.set_class_labels([7, 9], "digit", "prob")
    spec = Model_pb2.Model(specificationVersion=1)
    spec.description.CopyFrom(second.builder.spec.description)
    del spec.description.input[:]
    spec.description.input.extend(first.builder.spec.description.input)
    spec.description.metadata.author = "Forge"
    spec.pipelineClassifier.pipeline.models.extend([first.builder.spec, second.builder.spec])
    case = second.case()
    case["inputs"] = first.ranges
    return spec.SerializeToString(), case


def defaults():
    """Numbers that a file leaves out."""
    names = ["lrn", "mvn", "unit", "root", "inverse", "logsum"]
    net = Net("defaults", {"x": (3, 5, 7)}, names)
    net.set_input("x", (3, 5, 7), 53, 0.0, 2e-3)
    b, x = net.builder, net.values["x"]
    b.add_lrn("lrn", "x", "lrn", 9e5, 0.5, 3, 0)
    total = np.stack([(x[max(c - 1, 0) : c + 2] ** 2).sum(0) for c in range(3)])
    net.put("lrn", x / (1 + 3e5 * total) ** 0.5)
    b.add_mvn("mvn", "x", "mvn", False, True, 0)
    net.put("mvn", (x - x.mean((1, 2), keepdims=True))
            / np.sqrt(x.var((1, 2), keepdims=True) + 1e-6))
    b.add_l2_normalize("unit", "x", "unit", 0)
    net.put("unit", x / np.sqrt((x**2).sum() + 1e-6))
    b.add_unary("root", "x", "root", "rsqrt")
    b.add_unary("inverse", "x", "inverse", "inverse")
    b.add_reduce("logsum", "x", "logsum", "W", "logsum", 0)
    for layer in b.nn_spec.layers:
        if layer.WhichOneof("layer") == "unary":
            layer.unary.epsilon = 0
    net.put("root", 1 / np.sqrt(x + 1e-6))
    net.put("inverse", 1 / (x + 1e-6))
    net.put("logsum", np.log(x + 1e-6).sum(2, keepdims=True))
    return net


def flattened():
    """Layers with weights behind an image that is flattened in both orders."""
    names = [kind + str(mode) for mode in (0, 1) for kind in ("lstm", "conv", "dense")]
    net = Net("flattened", {"x": (2, 3, 5)}, names + ["turned", "mean"])
    b, functions = net.builder, ["SIGMOID", "TANH", "TANH"]
    for mode in (0, 1):
        flat = net.values[net.flatten(f"flat{mode}", "x", mode)].reshape(1, 1, 30)
        w = [net.draw(4, 30) for _ in range(4)]
        r = [net.draw(4, 4) for _ in range(4)]
        name = f"lstm{mode}"
        b.add_unilstm(name, r, w, None, 4, 30, [f"flat{mode}"], [name, name + "h", name + "c"],
                      output_all=True)
        zero = np.zeros((1, 4))
        y, _ = lstm_cells(flat, zero, zero, w, r, np.zeros(4), functions)
        net.put(name, y.reshape(4, 1, 1))
        net.conv(f"conv{mode}", f"flat{mode}", 3, (1, 1))
        net.dense(f"dense{mode}", f"flat{mode}", 3)
    b.add_permute("p", (0, 2, 3, 1), "x", "p")
    net.put("p", net.values["x"].transpose(1, 2, 0))
    net.conv("turned", "p", 4, (1, 1))
    # One number for the whole image, then factors of channels.
    b.add_reduce("all", "x", "all", "CHW", "avg")
    b.add_add_broadcastable("moved", ["x", "all"], "moved")
    net.put("moved", net.values["x"] + net.values["x"].mean())
    net.norm("mean", "moved")
    return net


def products():
    """Products of later networks on tensors of several ranks."""
    net = Net("products", {"x": (2, 3, 2, 5), "one": (1, 1, 1)}, ["rows", "single", "stored"],
              exact=True)
    b, x = net.builder, net.values["x"]
    w, v = net.draw(4, 30), net.draw(4)
    b.add_inner_product("rows", w, v, 30, 4, True, "x", "rows")
    net.put("rows", (x.reshape(2, 30) @ w.T + v).reshape(2, 4, 1, 1))
    w = net.draw(6, 1)
    b.add_inner_product("single", w, None, 1, 6, False, "one", "single")
    net.put("single", net.values["one"] @ w.T)
    w = net.draw(30, 3)
    b.add_flatten_to_2d("flat", "x", "flat", 1)
    b.add_batched_mat_mul("stored", ["flat"], "stored", False, True, weight_matrix_rows=30,
                          weight_matrix_columns=3, W=w.astype(np.float32))
    net.put("stored", x.reshape(2, 30) @ w)
    return net


def swirl(message, w, bias):
    """A layer of a class of its own: tanh(strength · x) · w + bias per channel."""
    message.className = "Swirl"
    message.description = "a test"
    message.parameters["strength"].doubleValue = 0.75
    message.parameters["turns"].intValue = -3
    message.parameters["count"].longValue = 1 << 40
    message.parameters["side"].stringValue = "left"
    message.parameters["isOn"].boolValue = True
    message.weights.add().floatValue.extend(w.astype(np.float32))
    message.weights.add().float16Value = bias.astype(np.float16).tobytes()


def custom():
    """A layer whose class only its maker knows, between two that Forge has."""
    net = Net("custom", {"x": (3, 5, 7)}, ["y"])
    net.conv("first", "x", 4, (3, 3))
    w = net.draw(4)
    bias = net.draw(4).astype(np.float16).astype(np.float64)
    swirl(net.raw("mine", ["first"]).custom, w, bias)
    net.put("mine", np.tanh(0.75 * net.values["first"]) * w[:, None, None] + bias[:, None, None])
    net.conv("y", "mine", 2, (1, 1))
    return net


def custom_model():
    """A model whose class only its maker knows: gain · x."""
    spec = Model_pb2.Model(specificationVersion=3)
    for feature in (spec.description.input.add(), spec.description.output.add()):
        feature.type.multiArrayType.shape.extend([2, 3])
        feature.type.multiArrayType.dataType = 65568
    spec.description.input[0].name, spec.description.output[0].name = "x", "y"
    spec.description.metadata.author = "Forge"
    spec.description.metadata.license = "MIT"
    spec.description.metadata.versionString = "1.2"
    spec.description.metadata.shortDescription = "A gain"
    spec.description.metadata.userDefined["key"] = "value"
    spec.description.metadata.userDefined["com.github.apple.coremltools.version"] = "9.0"
    spec.customModel.className = "Gain"
    spec.customModel.parameters["gain"].doubleValue = -2.5
    spec.customModel.parameters["raw"].bytesValue = b"\x01\x02"
    return spec.SerializeToString(deterministic=True)


def unsupported():
    """Layers that Forge does not have."""
    net = Net("unsupported", {"x": (2, 5, 4), "times": (2,)}, ["y"])
    layer = net.raw("l2", ["x"])
    layer.pooling.type = 2
    net.raw("again", ["l2"]).crop.SetInParent()
    custom = net.raw("mine", ["again"])
    custom.custom.className = "Swirl"
    net.raw("cut", ["mine"], ["y"]).cropResize.SetInParent()
    net.raw("side", ["x"], ["s"]).dot.cosineSimilarity = True
    net.builder.add_resize_bilinear("roi", "x", "roi", 4, 11, "ROI_ALIGN_MODE")
    w = np.zeros((3, 2))
    net.builder.add_simple_rnn("steep", np.zeros((3, 3)), w, None, 3, 2, "SCALED_TANH", ["times"],
                               ["rnn", "rnn_h"])
    return net.content()


def made():
    """The files by name."""
    files, expected = {}, {}
    nets = [classifier(), flatten_last(), window_layers(), *activations(), quantized(), dynamic(), images(),
            arithmetic(), exact(), later_layers(), later_exact(), single_exact(), scattered(), recurrent(),
            tables(), words(), defaults(), flattened(), products(), custom()]
    for net in nets:
        files[net.name + ".mlmodel"] = net.content()
        expected[net.name] = net.case()
    files["pipeline.mlmodel"], expected["pipeline"] = pipeline()
    files["unsupported.mlmodel"] = unsupported()
    files["custom_model.mlmodel"] = custom_model()
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
            assert old.keys() == new.keys()
            for key, value in new.items():
                for output, row in value["outputs"].items():
                    kept = old[key]["outputs"][output]
                    assert kept["sizes"] == row["sizes"]
                    assert np.allclose(kept["values"], row["values"], 1e-6, 1e-7), (key, output)
        else:
            kept = ct.utils.load_spec(str(path))
            assert kept == Model_pb2.Model.FromString(content), name
    print("checked" if check else "written", FOLDER)


if __name__ == "__main__":
    main()
