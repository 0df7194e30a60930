"""Runs Core ML's neural networks with NumPy: the layers that Forge writes, in double precision.

`run(path, inputs)` reads a file with coremltools' messages and returns the outputs by name. Core ML
itself runs only on Apple's systems, so this is the outside truth for the files that Forge writes.
Every layer follows its description in NeuralNetwork.proto; a layer or a field that is not known
here is an error.
"""
import math

import numpy
from coremltools.proto import Model_pb2


class Unknown(Exception):
    """A layer, or a mode of one, that this file does not have."""


def weights(stored, sizes=None):
    if stored.float16Value:
        values = numpy.frombuffer(stored.float16Value, "float16")
    else:
        values = numpy.array(stored.floatValue, "float32")
    values = values.astype("float64")
    return values if sizes is None else values.reshape(sizes)


def pair(values, absent=1):
    return list(values) or [absent, absent]


def borders(amounts):
    edges = [(edge.startEdgeSize, edge.endEdgeSize) for edge in amounts.borderAmounts]
    return edges or [(0, 0), (0, 0)]


def at_least(x, rank):
    if x.ndim < rank:
        raise Unknown(f"a tensor of rank {x.ndim} where {rank} is needed")


def padded(x, edges, value=0.0):
    return numpy.pad(x, [(0, 0)] * (x.ndim - 2) + list(edges), constant_values=value)


# Images.

def convolution(p, x):
    at_least(x, 4)
    if p.isDeconvolution or p.WhichOneof("ConvolutionPaddingType") != "valid":
        raise Unknown("a deconvolution, or another padding")
    kernel, stride, dilation = (
        pair(p.kernelSize, 3), pair(p.stride), pair(p.dilationFactor))
    groups = max(p.nGroups, 1)
    x = padded(x, borders(p.valid.paddingAmounts))
    kernels = weights(p.weights, [p.outputChannels, p.kernelChannels] + kernel)
    extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    made = [(size - e) // s + 1 for size, e, s in zip(x.shape[-2:], extent, stride)]
    lead = x.shape[:-3]
    x = x.reshape((-1, groups, x.shape[-3] // groups) + x.shape[-2:])
    assert x.shape[2] == p.kernelChannels
    kernels = kernels.reshape((groups, -1) + kernels.shape[1:])
    result = numpy.zeros((x.shape[0], groups, kernels.shape[1]) + tuple(made))
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            top, left = row * dilation[0], column * dilation[1]
            part = x[:, :, :, top:top + (made[0] - 1) * stride[0] + 1:stride[0],
                     left:left + (made[1] - 1) * stride[1] + 1:stride[1]]
            result += numpy.einsum("ngchw,goc->ngohw", part, kernels[..., row, column])
    result = result.reshape(lead + (p.outputChannels,) + tuple(made))
    if p.hasBias:
        result += weights(p.bias, [p.outputChannels, 1, 1])
    return result


def pooling(p, x):
    at_least(x, 4)
    if p.globalPooling:
        function = numpy.max if p.type == 0 else numpy.mean
        return function(x, axis=(-2, -1), keepdims=True)
    if p.WhichOneof("PoolingPaddingType") != "valid" or p.type > 1:
        raise Unknown("another pooling")
    kernel, stride = pair(p.kernelSize, 3), pair(p.stride)
    edges = borders(p.valid.paddingAmounts)
    values = padded(x, edges, -numpy.inf if p.type == 0 else 0.0)
    inside = padded(numpy.ones(x.shape), edges)
    made = [(size - k) // s + 1 for size, k, s in zip(values.shape[-2:], kernel, stride)]
    result = None
    counts = 0
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            place = (..., slice(row, row + (made[0] - 1) * stride[0] + 1, stride[0]),
                     slice(column, column + (made[1] - 1) * stride[1] + 1, stride[1]))
            part = values[place]
            counts = counts + (inside[place] if p.avgPoolExcludePadding else 1)
            if result is None:
                result = part.copy()
            else:
                result = numpy.maximum(result, part) if p.type == 0 else result + part
    return result if p.type == 0 else result / counts


def batchnorm(p, x):
    at_least(x, 3)
    if p.computeMeanVar:
        raise Unknown("a batch normalization by the batch")
    gamma, beta, mean, variance = (
        weights(w, [p.channels, 1, 1]) for w in (p.gamma, p.beta, p.mean, p.variance))
    return gamma * (x - mean) / numpy.sqrt(variance + (p.epsilon or 1e-5)) + beta


def crop(p, x):
    at_least(x, 3)
    (top, bottom), (left, right) = borders(p.cropAmounts)
    return x[..., top:x.shape[-2] - bottom, left:x.shape[-1] - right]


def padding(p, x):
    at_least(x, 3)
    if p.WhichOneof("PaddingType") != "constant":
        raise Unknown("another padding")
    return padded(x, borders(p.paddingAmounts), p.constant.value)


def linear(x, axis, places):
    places = numpy.clip(places, 0, x.shape[axis] - 1)
    below = numpy.floor(places).astype(int)
    above = numpy.minimum(below + 1, x.shape[axis] - 1)
    shape = [1] * x.ndim
    shape[axis] = -1
    share = (places - below).reshape(shape)
    return numpy.take(x, below, axis) * (1 - share) + numpy.take(x, above, axis) * share


def upsample(p, x):
    at_least(x, 3)
    factors = pair(p.scalingFactor)
    if p.mode == 0:
        return x.repeat(factors[0], -2).repeat(factors[1], -1)
    if p.linearUpsampleMode != 2:
        raise Unknown("another linear mode")
    for axis, factor in zip((-2, -1), factors):
        places = (numpy.arange(x.shape[axis] * factor) + 0.5) / factor - 0.5
        x = linear(x, axis, places)
    return x


def resize_bilinear(p, x):
    at_least(x, 3)
    if p.mode.samplingMethod != 0:
        raise Unknown("another sampling")
    for axis, size in zip((-2, -1), p.targetSize):
        x = linear(x, axis, numpy.linspace(0, x.shape[axis] - 1, size))
    return x


def spread(shape, values):
    shape = list(shape)
    return weights(values, shape + [1, 1] if len(shape) == 1 else shape)


def scale(p, x):
    at_least(x, 3)
    result = x * spread(p.shapeScale, p.scale)
    return result + spread(p.shapeBias, p.bias) if p.hasBias else result


def reorganize_data(p, x):
    at_least(x, 3)
    block = p.blockSize
    *lead, channels, height, width = x.shape
    lead, n = tuple(lead), len(lead)
    axes = list(range(n))
    if p.mode == 0:
        x = x.reshape(lead + (channels, height // block, block, width // block, block))
        x = x.transpose(axes + [n + 2, n + 4, n, n + 1, n + 3])
        return x.reshape(lead + (channels * block * block, height // block, width // block))
    if p.mode == 1:
        x = x.reshape(lead + (block, block, channels // block ** 2, height, width))
        x = x.transpose(axes + [n + 2, n + 3, n, n + 4, n + 1])
        return x.reshape(lead + (channels // block ** 2, height * block, width * block))
    raise Unknown("another reorganization")


# Products, tables and normalizations.

def inner_product(p, x):
    if x.ndim > 3:
        raise Unknown("an inner product of images")
    assert x.shape[-1] == p.inputChannels
    result = x @ weights(p.weights, [p.outputChannels, p.inputChannels]).T
    return result + weights(p.bias) if p.hasBias else result


def batched_product(p, x, *others):
    if not others:
        columns = weights(
            p.weights, [p.weightMatrixSecondDimension, p.weightMatrixFirstDimension])
        result = x @ columns.T
        return result + weights(p.bias) if p.hasBias else result
    other = others[0]
    at_least(x, 2)
    at_least(other, 2)
    if p.transposeA:
        x = x.swapaxes(-1, -2)
    return x @ (other.swapaxes(-1, -2) if p.transposeB else other)


def embedding(p, x):
    at_least(x, 2)
    assert x.shape[-1] == 1
    table = weights(p.weights, [p.embeddingSize, p.vocabSize])
    # The specification has no ids below 0.
    assert (x >= 0).all() and (x < p.vocabSize).all()
    return numpy.take(table, x[..., 0].astype(int), 1).transpose(
        list(range(1, x.ndim)) + [0])


def layer_normalization(p, x):
    sizes = list(p.normalizedShape)
    axes = tuple(range(x.ndim - len(sizes), x.ndim))
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    normal = (x - mean) / numpy.sqrt(variance + (p.eps or 1e-5))
    return normal * weights(p.gamma, sizes) + weights(p.beta, sizes)


def softmax(p, x):
    with numpy.errstate(invalid="ignore"):
        powers = numpy.exp(x - x.max(p.axis, keepdims=True))
    return powers / powers.sum(p.axis, keepdims=True)


# Recurrent layers.

def bounded(x):
    return numpy.clip(x, -50, 50)


def gates(p, names, field):
    return [weights(getattr(p, name + field)) for name in names]


def sequence(p, x):
    if x.ndim != 5 or x.shape[2:] != (p.inputVectorSize, 1, 1) or p.reverseInput:
        raise Unknown("another sequence")
    return x.reshape(x.shape[:3])


def first(states, index, rows, units):
    return states[index].reshape(rows, units) if len(states) > index else numpy.zeros((rows, units))


def state(x):
    return x.reshape((1,) + x.shape + (1, 1))


def simple_recurrent(p, x, *states):
    x, units = sequence(p, x), p.outputVectorSize
    w = weights(p.weightMatrix, [units, p.inputVectorSize])
    r = weights(p.recursionMatrix, [units, units])
    b = weights(p.biasVector) if p.hasBiasVector else 0
    y = first(states, 0, x.shape[1], units)
    all_times = []
    for part in x:
        y = activation(p.activation, bounded(part @ w.T + y @ r.T + b))
        all_times.append(y)
    return numpy.stack(all_times).reshape(len(x), -1, units, 1, 1), state(y)


def gru(p, x, *states):
    x, units = sequence(p, x), p.outputVectorSize
    names = ["updateGate", "resetGate", "outputGate"]
    w = [m.reshape(units, p.inputVectorSize) for m in gates(p, names, "WeightMatrix")]
    r = [m.reshape(units, units) for m in gates(p, names, "RecursionMatrix")]
    b = gates(p, names, "BiasVector") if p.hasBiasVectors else [0, 0, 0]
    y = first(states, 0, x.shape[1], units)
    f, g = p.activations
    all_times = []
    for part in x:
        z = activation(f, bounded(part @ w[0].T + y @ r[0].T + b[0]))
        reset = activation(f, bounded(part @ w[1].T + y @ r[1].T + b[1]))
        o = activation(g, bounded(part @ w[2].T + (y * reset) @ r[2].T + b[2]))
        y = (1 - z) * o + z * y
        all_times.append(y)
    return numpy.stack(all_times).reshape(len(x), -1, units, 1, 1), state(y)


def lstm(p, x, *states):
    x, units, q, m = sequence(p, x), p.outputVectorSize, p.weightParams, p.params
    if not m.sequenceOutput:
        raise Unknown("only the last output")
    names = ["inputGate", "forgetGate", "blockInput", "outputGate"]
    w = [v.reshape(units, p.inputVectorSize) for v in gates(q, names, "WeightMatrix")]
    r = [v.reshape(units, units) for v in gates(q, names, "RecursionMatrix")]
    b = gates(q, names, "BiasVector") if m.hasBiasVectors else [0] * 4
    peepholes = [0, 0, 0]
    if m.hasPeepholeVectors:
        peepholes = gates(q, [names[0], names[1], names[3]], "PeepholeVector")
    y, c = first(states, 0, x.shape[1], units), first(states, 1, x.shape[1], units)
    f, g, h = p.activations
    bound = m.cellClipThreshold or 50
    all_times = []
    for part in x:
        sums = [part @ w[k].T + y @ r[k].T + b[k] for k in range(4)]
        i = activation(f, bounded(sums[0] + peepholes[0] * c))
        forget = activation(f, bounded(sums[1] + peepholes[1] * c + m.forgetBias))
        z = activation(g, bounded(sums[2]))
        keep = 1 - i if m.coupledInputAndForgetGate else forget
        c = numpy.clip(c * keep + i * z, -bound, bound)
        o = activation(f, bounded(sums[3] + peepholes[2] * c))
        y = activation(h, c) * o
        all_times.append(y)
    return numpy.stack(all_times).reshape(len(x), -1, units, 1, 1), state(y), state(c)


# Functions.

def softplus(x):
    return numpy.maximum(x, 0) + numpy.log1p(numpy.exp(-numpy.abs(x)))


def sigmoid(x):
    return 0.5 * (1 + numpy.tanh(0.5 * x))


def activation(p, x):
    kind = p.WhichOneof("NonlinearityType")
    q = getattr(p, kind)
    if kind == "linear":
        return q.alpha * x + q.beta
    if kind == "ReLU":
        return numpy.maximum(x, 0)
    if kind == "leakyReLU":
        return numpy.where(x > 0, x, q.alpha * x)
    if kind == "PReLU":
        alpha = weights(q.alpha)
        return numpy.where(x > 0, x, alpha.reshape(-1, 1, 1) * x)
    if kind == "tanh":
        return numpy.tanh(x)
    if kind == "scaledTanh":
        return q.alpha * numpy.tanh(q.beta * x)
    if kind == "sigmoid":
        return sigmoid(x)
    if kind == "sigmoidHard":
        return numpy.clip(q.alpha * x + q.beta, 0, 1)
    if kind == "ELU":
        return numpy.where(x > 0, x, q.alpha * numpy.expm1(numpy.minimum(x, 0)))
    if kind == "softsign":
        return x / (1 + numpy.abs(x))
    if kind == "softplus":
        return softplus(x)
    raise Unknown(f"the activation {kind}")


def unary(p, x):
    if p.shift or p.scale not in (0, 1):
        raise Unknown("a shift or scale")
    functions = {0: numpy.sqrt, 4: numpy.exp, 5: numpy.log, 6: numpy.abs}
    if p.type not in functions:
        raise Unknown(f"the function {p.type}")
    return functions[p.type](x)


def gelu(p, x):
    if p.mode == 0:
        return x / 2 * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2)))
    if p.mode == 1:
        return x / 2 * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
    raise Unknown("another GELU")


def plain(function):
    return lambda p, x: function(x)


def both(function):
    return lambda p, x, y: function(x, y) * 1.0


def compared(function):
    return lambda p, x, *y: function(x, y[0] if y else p.alpha) * 1.0


def reduced(function):
    return lambda p, x: function(x, tuple(p.axes)) if p.keepDims else unknown()


def unknown():
    raise Unknown("a reduction that loses axes")


def norm(x, axes, power):
    return (numpy.abs(x) ** power).sum(axes, keepdims=True) ** (1 / power)


def log_sum_exp(x, axes):
    largest = x.max(axes, keepdims=True)
    return largest + numpy.log(numpy.exp(x - largest).sum(axes, keepdims=True))


# Movements.

def split(p, x):
    return tuple(numpy.split(x, numpy.cumsum(p.splitSizes)[:-1], p.axis))


def sliced(p, x):
    if any(p.beginMasks) or any(p.endMasks) or any(p.squeezeMasks):
        raise Unknown("masks of a slice")
    return x[tuple(slice(*three) for three in zip(p.beginIds, p.endIds, p.strides))]


def scatter_along_axis(p, x, indices, updates):
    result = x.copy()
    for place in numpy.ndindex(*indices.shape):
        target = list(place)
        target[p.axis] = int(indices[place])
        old, new = result[tuple(target)], updates[place]
        result[tuple(target)] = {
            0: new, 1: old + new, 2: old - new, 3: old * new, 5: max(old, new), 6: min(old, new),
        }[p.mode]
    return result


def top_k(p, x):
    order = numpy.argsort(x if p.useBottomK else -x, p.axis, kind="stable")
    places = numpy.take(order, range(p.K), p.axis)
    return numpy.take_along_axis(x, places, p.axis), places.astype("float64")


def cumulative_sum(p, x):
    if p.reverse:
        x = numpy.flip(x, p.axis)
    sums = numpy.cumsum(x, p.axis)
    if p.excludeFinalSum:
        sums = sums - x
    return numpy.flip(sums, p.axis) if p.reverse else sums


def extreme(function):
    return lambda p, x: numpy.expand_dims(function(x, p.axis), p.axis).astype("float64")


def constant(p):
    if len(p.shape) > 4:
        raise Unknown("a constant of five axes")
    return weights(p.data, list(p.shape))


LAYERS = {
    "convolution": convolution, "pooling": pooling, "batchnorm": batchnorm, "crop": crop,
    "padding": padding, "upsample": upsample, "resizeBilinear": resize_bilinear, "scale": scale,
    "reorganizeData": reorganize_data, "innerProduct": inner_product,
    "batchedMatmul": batched_product, "embeddingND": embedding,
    "layerNormalization": layer_normalization, "softmaxND": softmax,
    "simpleRecurrent": simple_recurrent, "gru": gru, "uniDirectionalLSTM": lstm,
    "activation": activation, "unary": unary, "gelu": gelu,
    "add": lambda p, x: x + p.alpha, "multiply": lambda p, x: x * p.alpha,
    "clip": lambda p, x: numpy.clip(x, p.minVal, p.maxVal),
    "ceil": plain(numpy.ceil), "floor": plain(numpy.floor), "sign": plain(numpy.sign),
    "round": plain(numpy.round), "sin": plain(numpy.sin), "cos": plain(numpy.cos),
    "tan": plain(numpy.tan), "asin": plain(numpy.arcsin), "acos": plain(numpy.arccos),
    "atan": plain(numpy.arctan), "sinh": plain(numpy.sinh), "cosh": plain(numpy.cosh),
    "tanh": plain(numpy.tanh), "asinh": plain(numpy.arcsinh), "acosh": plain(numpy.arccosh),
    "atanh": plain(numpy.arctanh), "erf": plain(numpy.vectorize(math.erf)),
    "copy": plain(lambda x: x),
    "equal": compared(numpy.equal), "notEqual": compared(numpy.not_equal),
    "lessThan": compared(numpy.less), "lessEqual": compared(numpy.less_equal),
    "greaterThan": compared(numpy.greater), "greaterEqual": compared(numpy.greater_equal),
    "logicalOr": both(numpy.logical_or), "logicalXor": both(numpy.logical_xor),
    "logicalAnd": both(numpy.logical_and), "modBroadcastable": both(numpy.mod),
    "minBroadcastable": both(numpy.minimum), "maxBroadcastable": both(numpy.maximum),
    "addBroadcastable": both(numpy.add), "powBroadcastable": both(numpy.power),
    "divideBroadcastable": both(numpy.divide), "multiplyBroadcastable": both(numpy.multiply),
    "subtractBroadcastable": both(numpy.subtract),
    "whereBroadcastable": lambda p, c, x, y: numpy.where(c != 0, x, y),
    "stack": lambda p, *xs: numpy.stack(xs, p.axis),
    "gather": lambda p, x, i: numpy.take(x, i.astype(int), p.axis),
    "gatherAlongAxis": lambda p, x, i: numpy.take_along_axis(x, i.astype(int), p.axis),
    "scatterAlongAxis": scatter_along_axis,
    "reverse": lambda p, x: numpy.flip(x, numpy.flatnonzero(list(p.reverseDim))),
    "splitND": split, "concatND": lambda p, *xs: numpy.concatenate(xs, p.axis),
    "transpose": lambda p, x: x.transpose(list(p.axes)), "sliceStatic": sliced,
    "loadConstantND": constant,
    "broadcastToStatic": lambda p, x: numpy.broadcast_to(x, list(p.targetShape)),
    "reshapeStatic": lambda p, x: x.reshape(list(p.targetShape)),
    "constantPad": lambda p, x: numpy.pad(
        x, numpy.array(p.padAmounts, "int64").reshape(-1, 2), constant_values=p.value),
    "topK": top_k, "argMin": extreme(numpy.argmin), "argMax": extreme(numpy.argmax),
    "reduceL1": reduced(lambda x, a: norm(x, a, 1)),
    "reduceL2": reduced(lambda x, a: norm(x, a, 2)),
    "reduceMax": reduced(lambda x, a: x.max(a, keepdims=True)),
    "reduceMin": reduced(lambda x, a: x.min(a, keepdims=True)),
    "reduceSum": reduced(lambda x, a: x.sum(a, keepdims=True)),
    "reduceProd": reduced(lambda x, a: x.prod(a, keepdims=True)),
    "reduceMean": reduced(lambda x, a: x.mean(a, keepdims=True)),
    "reduceLogSum": reduced(lambda x, a: numpy.log(x.sum(a, keepdims=True))),
    "reduceSumSquare": reduced(lambda x, a: (x * x).sum(a, keepdims=True)),
    "reduceLogSumExp": reduced(log_sum_exp), "cumSum": cumulative_sum,
}
# Layers, or modes of them, that came after the fourth version of the specification.
FIFTH = {"cumSum"}


def prepared(network, feature, image):
    """The values of an image input, [1][channels][height][width], behind the network's scaler."""
    for step in network.preprocessing:
        if step.featureName in ("", feature.name):
            p = step.scaler
            colors = [p.redBias, p.greenBias, p.blueBias]
            space = feature.type.imageType.colorSpace
            bias = [p.grayBias] if space == 10 else colors if space == 20 else colors[::-1]
            image = image * (p.channelScale or 1) + numpy.array(bias).reshape(-1, 1, 1)
    return image


def load(path):
    spec = Model_pb2.Model()
    with open(path, "rb") as file:
        spec.ParseFromString(file.read())
    return spec


def run(path, inputs):
    """The outputs of a file by name, for inputs of the sizes that the file states.

    An image is [1][channels][height][width] in the order of its color space.
    """
    spec = load(path)
    network = getattr(spec, spec.WhichOneof("Type"))
    assert network.arrayInputShapeMapping == 1 and network.imageInputShapeMapping == 1
    values = {}
    for feature in spec.description.input:
        value = numpy.asarray(inputs[feature.name], "float64")
        if feature.type.HasField("imageType"):
            values[feature.name] = prepared(network, feature, value)
            continue
        assert list(value.shape) == list(feature.type.multiArrayType.shape), value.shape
        values[feature.name] = value
    names = set()
    for layer in network.layers:
        kind = layer.WhichOneof("layer")
        if kind not in LAYERS:
            raise Unknown(f"the layer {kind}")
        is_late = kind in FIFTH or kind == "upsample" and layer.upsample.linearUpsampleMode
        assert spec.specificationVersion >= (5 if is_late else 4)
        assert layer.name and layer.name not in names, layer.name
        names.add(layer.name)
        with numpy.errstate(all="ignore"):
            results = LAYERS[kind](getattr(layer, kind), *(values[name] for name in layer.input))
        results = results if isinstance(results, tuple) else (results,)
        for name, result in zip(layer.output, results, strict=False):
            assert name not in values, f"two values {name}"
            assert 1 <= result.ndim <= 5, f"{name} has {result.ndim} axes"
            # Core ML's numbers are of 32 bits; the constants and weights are exactly those.
            values[name] = result
    outputs = {}
    for feature in spec.description.output:
        if feature.name == spec.description.predictedFeatureName:
            continue
        result = values[feature.name]
        if feature.type.HasField("multiArrayType"):
            assert list(result.shape) == list(feature.type.multiArrayType.shape), feature.name
        outputs[feature.name] = result
    return outputs
