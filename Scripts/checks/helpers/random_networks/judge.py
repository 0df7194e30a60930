"""The judge: each layer in double precision with NumPy, and how exact Float32 can be there.

A tensor is a `Judged`: its values for all examples (axis 0), and `variance`: the variance of each
value's error divided by ε², when every product and every result of the network is rounded by a
random relative error of standard deviation ε, and every sum by one that grows with its length. It
follows from each layer's derivative and the squares of the terms that the layer sums; where large
terms cancel it is large beside the value. The rule that compares results with it is in
`compare.py`.
"""
from collections import namedtuple

import numpy as np

Judged = namedtuple("Judged", "values variance")

# The accuracy that Docs/Accuracy.md promises for the output of a network; a kernel may err by a
# third of it. That third is ε.
BOUND = 1e-5
STEP = BOUND / 3
# A sum of n terms typically errs by 1.8·10⁻⁸ √n (Docs/Accuracy.md).
LONG_SUM = (1.8e-8 / STEP) ** 2
# A result below the smallest normal number may be flushed to 0; ε is at least 2⁻²⁴.
FLUSHED = (2.0**-126 / 2.0**-24) ** 2


def sum_rounding(count):
    """The factor on the variance of the terms for a sum of `count` of them."""
    return 1 + LONG_SUM * count


def exact(values):
    """Values that are Float32 as they are."""
    values = np.asarray(values, np.float64)
    return Judged(values, np.zeros_like(values))


# ---- windows -------------------------------------------------------------------------------------


def edges_of(layer, height, width, kernel, stride, dilation):
    """Top, left, bottom, right; `.same` as TensorFlow splits it."""
    if layer["padding"] == "valid":
        return 0, 0, 0, 0
    if layer["padding"] != "same":
        return tuple(layer["edges"])

    def split(size, kernel, stride, dilation):
        total = max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
        return total // 2, total - total // 2

    left, right = split(width, kernel[0], stride[0], dilation[0])
    top, bottom = split(height, kernel[1], stride[1], dilation[1])
    return top, left, bottom, right


def windows(values, layer, fill=0.0):
    """The windows of an image: [example, y, x, channel, row, column]; (width, height) pairs."""
    kernel, stride = layer["kernel"], layer["stride"]
    dilation = layer.get("dilation", [1, 1])
    _, height, width, _ = values.shape
    top, left, bottom, right = edges_of(layer, height, width, kernel, stride, dilation)
    padded = np.pad(
        values, [(0, 0), (top, bottom), (left, right), (0, 0)], constant_values=fill)
    extent = [(kernel[1] - 1) * dilation[1] + 1, (kernel[0] - 1) * dilation[0] + 1]
    view = np.lib.stride_tricks.sliding_window_view(padded, extent, axis=(1, 2))
    return view[:, :: stride[1], :: stride[0], :, :: dilation[1], :: dilation[0]]


def weighted(layer, parameters, inputs, product):
    """A layer with weights: `product(values, weights)`, biases, activation."""
    x, weights = inputs[0], parameters["weights"].astype(np.float64)
    y = product(x.values, weights)
    variance = product(x.variance + x.values**2, weights**2)
    if layer["type"] != "DepthwiseConvolution":
        variance *= sum_rounding(weights[0].size)
    # A kernel's error is promised for a channel over the whole image, not for each pixel:
    # Winograd's and Strassen's algorithms share it among pixels.
    variance = np.maximum(variance, variance.mean(axis=(1, 2), keepdims=True))
    if "biases" in parameters:
        biases = parameters["biases"].astype(np.float64)
        y, variance = y + biases, variance + biases**2
    return activation(layer, Judged(y, variance))


def convolution(layer, parameters, inputs):
    groups = layer["groups"]

    def product(values, weights):
        view = windows(values, layer)
        inside, outside = view.shape[3] // groups, weights.shape[0] // groups
        parts = []
        for group in range(groups):
            part = view[:, :, :, group * inside:(group + 1) * inside]
            kernel = weights[group * outside:(group + 1) * outside]
            parts.append(np.tensordot(part, kernel, axes=([3, 4, 5], [3, 1, 2])))
        return np.concatenate(parts, axis=-1)

    return weighted(layer, parameters, inputs, product)


def pointwise(layer, parameters, inputs):
    def product(values, weights):
        x, y = layer["stride"]
        return values[:, ::y, ::x] @ weights[:, 0, 0, :].T

    return weighted(layer, parameters, inputs, product)


def depthwise(layer, parameters, inputs):
    def product(values, weights):
        y = np.einsum("eyxcuv,cmuv->eyxcm", windows(values, layer), weights)
        return y.reshape(y.shape[:3] + (-1,))

    return weighted(layer, parameters, inputs, product)


def dense(layer, parameters, inputs):
    def product(values, weights):
        y = values.reshape(len(values), -1) @ weights.reshape(len(weights), -1).T
        return y.reshape(len(y), 1, 1, -1)

    return weighted(layer, parameters, inputs, product)


def max_pooling(layer, _, inputs):
    x = inputs[0]
    return Judged(
        windows(x.values, layer, -np.inf).max(axis=(4, 5)),
        windows(x.variance, layer).max(axis=(4, 5)))


def mean_variance(x, total, count):
    """The variance of a mean, whose terms may have the same error, as in an enlarged picture."""
    return (total(np.sqrt(x.variance)) / count) ** 2 + total(x.values**2) / count**2


def average_pooling(layer, _, inputs):
    x = inputs[0]
    ones = np.ones((1,) + x.values.shape[1:3] + (1,))
    area = layer["kernel"][0] * layer["kernel"][1]
    count = area if layer["counted"] else windows(ones, layer).sum(axis=(4, 5))
    return Judged(
        windows(x.values, layer).sum(axis=(4, 5)) / count,
        mean_variance(x, lambda part: windows(part, layer).sum(axis=(4, 5)), count))


def global_average_pooling(_layer, _, inputs):
    x = inputs[0]
    count = x.values.shape[1] * x.values.shape[2]
    return Judged(
        x.values.mean(axis=(1, 2), keepdims=True),
        mean_variance(x, lambda part: part.sum(axis=(1, 2), keepdims=True), count)
        * sum_rounding(count))


def global_max_pooling(_layer, _, inputs):
    return Judged(*(part.max(axis=(1, 2), keepdims=True) for part in inputs[0]))


# ---- functions of an element ---------------------------------------------------------------------


def logistic(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def erfc(x):
    """The complementary error function, which NumPy does not have."""
    from math import erfc as scalar

    return np.vectorize(scalar, otypes=[np.float64])(x)


SELU = 1.0507009873554805, 1.6732632423543772
FUNCTIONS = {
    "linear": lambda x, n: x,
    "relu": lambda x, n: np.maximum(x, 0),
    "relu6": lambda x, n: np.clip(x, 0, 6),
    "clipped": lambda x, n: np.clip(x, n[0], n[1]),
    "leakyReLU": lambda x, n: np.where(x > 0, x, n[0] * x),
    "elu": lambda x, n: np.where(x > 0, x, n[0] * np.expm1(np.minimum(x, 0))),
    "selu": lambda x, n: SELU[0] * np.where(x > 0, x, SELU[1] * np.expm1(np.minimum(x, 0))),
    "sigmoid": lambda x, n: logistic(x),
    "tanh": lambda x, n: np.tanh(x),
    "hardSigmoid": lambda x, n: np.clip(x / 6 + 0.5, 0, 1),
    "hardSigmoidKeras2": lambda x, n: np.clip(0.2 * x + 0.5, 0, 1),
    "hardSigmoidLinear": lambda x, n: np.clip(n[0] * x + n[1], 0, 1),
    "hardSwish": lambda x, n: x * np.clip(x / 6 + 0.5, 0, 1),
    "swish": lambda x, n: x * logistic(x),
    "mish": lambda x, n: x * np.tanh(softplus(x)),
    "gelu": lambda x, n: x / 2 * erfc(-x / np.sqrt(2)),
    "geluTanh": lambda x, n: x * logistic(np.sqrt(8 / np.pi) * (x + 0.044715 * x**3)),
    "softplus": lambda x, n: softplus(x),
}
PIECEWISE = {"linear", "relu", "relu6", "clipped", "leakyReLU"}


def activation(layer, x):
    """The function, the change that the error of `x` makes in it, and its own rounding."""
    name, numbers = layer["activation"], layer.get("numbers", [])
    function = FUNCTIONS[name]
    values, y = x.values, function(x.values, numbers)
    step = STEP * np.sqrt(x.variance) + 1e-7 * np.abs(values) + 1e-30
    slope = np.maximum(
        np.abs(function(values + step, numbers) - y), np.abs(y - function(values - step, numbers)))
    variance = (slope / step) ** 2 * x.variance
    if name in PIECEWISE:
        own = y**2
    elif name.startswith("hardS"):
        # x / 6 + ½ is a sum of two terms, which cancel near its zero.
        factor = values**2 if name == "hardSwish" else 1
        own = factor * ((values / 6) ** 2 + 1) * (np.abs(values) < 1e4) + y**2
    else:
        # An exponential of x cannot be more exact than x, rounded.
        own = y**2 * (1 + values**2)
    return Judged(y, variance + own)


def activation_layer(layer, _, inputs):
    return activation(layer, inputs[0])


def prelu(layer, parameters, inputs):
    x, slopes = inputs[0], parameters["slopes"].astype(np.float64)
    factor = np.where(x.values > 0, 1, slopes)
    y = factor * x.values
    return Judged(y, np.maximum(factor**2, slopes**2) * x.variance + y**2)


def affine(x, factor, shift, terms):
    """factor · x + shift, where the shift is a sum of terms."""
    variance = factor**2 * (x.variance + x.values**2) + sum(term**2 for term in terms)
    return Judged(factor * x.values + shift, variance)


def batch_normalization(layer, parameters, inputs):
    get = {name: values.astype(np.float64) for name, values in parameters.items()}
    factor = get.get("gamma", 1.0) / np.sqrt(get["variance"] + layer["epsilon"])
    beta = get.get("beta", 0.0)
    return affine(
        inputs[0], factor, beta - factor * get["mean"], [beta, factor * get["mean"]])


def scale(layer, _, inputs):
    factors, bias = np.array(layer["factors"]), np.array(layer["constant"])
    return affine(inputs[0], factors, bias, [bias])


def softmax_parts(x):
    below = x.values - x.values.max(axis=-1, keepdims=True)
    sums = np.exp(below).sum(axis=-1, keepdims=True)
    y = np.exp(below) / sums
    return below, sums, y, (y**2 * (x.variance + below**2 + 1)).sum(axis=-1, keepdims=True)


def softmax(_layer, _, inputs):
    below, _, y, shared = softmax_parts(inputs[0])
    return Judged(y, y**2 * (inputs[0].variance + below**2 + 1 + shared))


def log_softmax(_layer, _, inputs):
    below, sums, _, shared = softmax_parts(inputs[0])
    return Judged(
        below - np.log(sums),
        inputs[0].variance + inputs[0].values**2 + shared + below**2 + np.log(sums) ** 2)


# ---- several tensors -----------------------------------------------------------------------------


def aligned(inputs):
    """The tensors with leading axes of 1, so that examples stay on axis 0."""
    rank = max(x.values.ndim for x in inputs)

    def align(part):
        return part.reshape(part.shape[:1] + (1,) * (rank - part.ndim) + part.shape[1:])

    return [Judged(align(x.values), align(x.variance)) for x in inputs]


def combined(rule):
    """A layer that combines its tensors, then its constant, from left to right."""

    def run(layer, _, inputs):
        result, *others = aligned(inputs)
        if "constant" in layer:
            others.append(exact(np.array(layer["constant"])))
        for other in others:
            result = Judged(*np.broadcast_arrays(*rule(result, other)))
        return result

    return run


def joined(a, b):
    """The variance of a sum, whose terms may have the same error."""
    return (np.sqrt(a.variance) + np.sqrt(b.variance)) ** 2


def add(a, b):
    y = a.values + b.values
    return y, joined(a, b) + y**2


def subtract(a, b):
    y = a.values - b.values
    return y, joined(a, b) + y**2


def multiply(a, b):
    y = a.values * b.values
    error = np.abs(a.values) * np.sqrt(b.variance) + np.abs(b.values) * np.sqrt(a.variance)
    return y, error**2 + y**2


def maximum(a, b):
    return np.maximum(a.values, b.values), np.maximum(a.variance, b.variance)


def minimum(a, b):
    return np.minimum(a.values, b.values), np.maximum(a.variance, b.variance)


def average(layer, _, inputs):
    total, count = combined(add)(layer, _, inputs), len(inputs)
    return Judged(total.values / count, (total.variance + total.values**2) / count**2)


def concatenate(layer, _, inputs):
    rank = inputs[0].values.ndim - 1
    axis = layer["axis"] % rank + 1
    return Judged(
        np.concatenate([x.values for x in inputs], axis=axis),
        np.concatenate([x.variance for x in inputs], axis=axis))


# ---- other places --------------------------------------------------------------------------------


def moved(rule):
    """A layer that moves elements."""

    def run(layer, _, inputs):
        return Judged(*(rule(layer, part) for part in inputs[0]))

    return run


def crop(layer, x):
    top, left, bottom, right = layer["edges"]
    return x[:, top:x.shape[1] - bottom, left:x.shape[2] - right]


def zero_padding(layer, x):
    top, left, bottom, right = layer["edges"]
    return np.pad(x, [(0, 0), (top, bottom), (left, right), (0, 0)])


def taps(mode, size, count):
    """The matrix of a resize along one axis: [output, input]."""
    matrix, scaling = np.zeros((count, size)), size / count
    for index in range(count):
        center = (index + 0.5) * scaling
        if mode == "nearest":
            matrix[index, min(int(center), size - 1)] = 1
        elif mode == "bilinear":
            below = int(np.floor(center - 0.5))
            share = center - 0.5 - below
            matrix[index, min(max(below, 0), size - 1)] += 1 - share
            matrix[index, min(max(below + 1, 0), size - 1)] += share
        else:
            positions = np.arange(size) + 0.5
            matrix[index] = np.maximum(0, 1 - np.abs(positions - center) / max(scaling, 1))
            matrix[index] /= matrix[index].sum()
    return matrix


def resampled(layer, x, width, height):
    rows = taps(layer["mode"], x.values.shape[1], height)
    columns = taps(layer["mode"], x.values.shape[2], width)

    def run(values, rows, columns):
        return np.einsum("yi,eijc,xj->eyxc", rows, values, columns, optimize=True)

    if layer["mode"] == "nearest":
        return Judged(run(x.values, rows, columns), run(x.variance, rows, columns))
    # Neighbors may have the same error.
    variance = run(np.sqrt(x.variance), rows, columns) ** 2
    return Judged(
        run(x.values, rows, columns), variance + run(x.values**2, rows**2, columns**2))


def resize(layer, _, inputs):
    return resampled(layer, inputs[0], *layer["size"])


def up_sampling(layer, _, inputs):
    _, height, width, _ = inputs[0].values.shape
    return resampled(
        layer, inputs[0], width * layer["size"][0], height * layer["size"][1])


LAYERS = {
    "Convolution": convolution,
    "DepthwiseConvolution": depthwise,
    "PointwiseConvolution": pointwise,
    "Dense": dense,
    "MaxPooling": max_pooling,
    "AveragePooling": average_pooling,
    "GlobalMaxPooling": global_max_pooling,
    "GlobalAveragePooling": global_average_pooling,
    "Activation": activation_layer,
    "Softmax": softmax,
    "LogSoftmax": log_softmax,
    "PReLU": prelu,
    "BatchNormalization": batch_normalization,
    "Scale": scale,
    "Add": combined(add),
    "Subtract": combined(subtract),
    "Multiply": combined(multiply),
    "Maximum": combined(maximum),
    "Minimum": combined(minimum),
    "Average": average,
    "Concatenate": concatenate,
    "Flatten": moved(lambda layer, x: x.reshape(len(x), 1, 1, -1)),
    "Reshape": moved(lambda layer, x: x.reshape([len(x)] + layer["size"])),
    "Permute": moved(
        lambda layer, x: x.transpose([0] + [axis + 1 for axis in layer["order"]])),
    "Resize": resize,
    "UpSampling": up_sampling,
    "Crop": moved(crop),
    "ZeroPadding": moved(zero_padding),
    "Dropout": moved(lambda layer, x: x),
}


def judge(layer, parameters, inputs):
    """The layer's result. `parameters` are arrays by type, `inputs` the judged tensors."""
    result = LAYERS[layer["type"]](layer, parameters, inputs)
    return Judged(result.values, result.variance + FLUSHED)
