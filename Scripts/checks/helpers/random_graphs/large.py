"""Graphs with products that are large enough for fast algorithms, with items that differ.

Rows of a product (examples, tokens) and examples of a batch are items: each has a factor of its
own, or one of them holds a number that is not finite. A few small operators go before and behind.
"""
import numpy as np

import values
from graph import FLOAT
from images import batch_normalization
from products import attend

ROWS = [32, 33, 48, 64, 96, 128]


def items(graph, sizes, axis):
    """An array whose entries along an axis are of very different size."""
    array = graph.uniform(sizes, -2, 2)
    count, kind = sizes[axis], graph.random.random()
    place = graph.random.randrange(count)
    index = tuple(place if a == axis else slice(None) for a in range(len(sizes)))
    if kind < 0.35:
        exponent = 30 if graph.random.random() < 0.15 else 6
        scale = values.factors(graph.random, graph.numbers, count, exponent)
        shape = [count if a == axis else 1 for a in range(len(sizes))]
        return (array * scale.reshape(shape)).astype(FLOAT)
    if kind < 0.6:
        part = array[index].copy()
        part.reshape(-1)[graph.random.randrange(part.size)] = graph.random.choice(
            [np.nan, np.inf, -np.inf, 1e20, 3e38, 1e6, 1e4])
        array[index] = part
        return array
    if kind < 0.8:
        return values.uneven(graph.random, graph.numbers, array, 6)
    return array


def fitting(graph, inner, columns):
    """Weights of a product, of about the scale that training leaves."""
    array = graph.numbers.normal(size=[inner, columns]) / inner**0.5
    if graph.random.random() < 0.4:
        array *= values.factors(graph.random, graph.numbers, columns, 3)
    if graph.random.random() < 0.2:
        array *= values.factors(graph.random, graph.numbers, inner, 3)[:, None]
    return graph.constant(array.astype(FLOAT))


def product(graph, x):
    """A product with stored weights over rows, as MatMul or Gemm, with what often follows."""
    inner = graph.shape(x)[-1]
    columns = graph.random.choice([128, 130, 192, 256, 320])
    if len(graph.shape(x)) == 2 and graph.random.random() < 0.5:
        turned = graph.random.choice([0, 1])
        weights = fitting(graph, inner, columns)
        if turned:
            weights = graph.constant(np.ascontiguousarray(graph.values[weights].T))
        bias = [graph.weights([columns])] if graph.random.random() < 0.7 else []
        y = graph.add("Gemm", [x, weights, *bias], transB=turned)
    else:
        y = graph.add("MatMul", [x, fitting(graph, inner, columns)])
        if graph.random.random() < 0.6:
            y = graph.add("Add", [y, graph.weights([columns])])
    if graph.random.random() < 0.5:
        y = graph.add(graph.random.choice(["Relu", "Tanh", "Sigmoid"]), [y])
    return y


def rows(graph):
    """One or two products over the rows of a matrix."""
    y = product(graph, graph.input(items(
        graph, [graph.random.choice(ROWS), graph.random.choice([256, 272, 384, 512])], 0)))
    if graph.random.random() < 0.4:
        product(graph, y)


def tokens(graph):
    """Products over tokens, or attention, in which later tokens are often hidden."""
    steps = graph.random.choice(ROWS[:4])
    width = graph.random.choice([256, 256, 320])
    x = graph.input(items(graph, [graph.random.choice([1, 1, 2]), steps, width], 1))
    kind = graph.random.random()
    if kind < 0.5:
        y = attend(graph, x, 4, width // 4, graph.random.random() < 0.7)
        if graph.random.random() < 0.5:
            graph.add("Add", [x, y])
    elif kind < 0.7 and graph.opset >= 17:
        stored = [graph.constant(graph.uniform([width], 0.5, 1.5)) for _ in range(2)]
        y = graph.add("LayerNormalization", [x, *stored], axis=-1, epsilon=1e-5)
        product(graph, y)
    else:
        product(graph, x)


def pictures(graph):
    """Convolutions over a batch that the file states, and perhaps a classifier behind them."""
    batch = graph.random.choice([1, 2, 8, 32, 64])
    channels = graph.random.choice([3, 16, 32] if batch < 8 else [3, 8, 16])
    size = graph.random.choice([12, 16, 17, 24] if batch < 8 else [4, 6, 8])
    x = graph.input(items(graph, [batch, channels, size, size], 0 if batch > 1 else 1))
    for _ in range(graph.random.choice([1, 2])):
        channels = graph.shape(x)[1]
        outputs = graph.random.choice([16, 24, 32, 48] if batch < 32 else [8, 16])
        length = graph.random.choice([1, 3, 3, 3, 5])
        weights = graph.numbers.normal(size=[outputs, channels, length, length])
        weights /= (channels * length * length)**0.5
        x = graph.add("Conv", [
            x, graph.constant(weights.astype(FLOAT)), graph.weights([outputs])],
            pads=[length // 2] * 4, strides=graph.random.choice([[1, 1], [1, 1], [2, 2]]))
        if graph.random.random() < 0.3:
            x = batch_normalization(graph, x)
        if graph.random.random() < 0.6:
            x = graph.add("Relu", [x])
    if graph.random.random() < 0.6:
        if graph.random.random() < 0.5:
            x = graph.add("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
        x = graph.add("Flatten", [x], axis=1)
        product(graph, x)


def tokens_of_layers(graph):
    """A recurrent layer over many examples, and a product behind it."""
    steps, batch, width, units = graph.random.choice([4, 9]), 32, 128, 32
    x = graph.input(items(graph, [steps, batch, width], 1))
    operator, gates = graph.random.choice([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
    stored = [
        graph.constant((graph.numbers.normal(size=[1, gates * units, size]) / 8).astype(FLOAT))
        for size in (width, units)]
    y = graph.add(
        operator, [x, *stored], 3 if operator == "LSTM" else 2, hidden_size=units)[0]
    y = graph.add("Reshape", [y, graph.integers([steps * batch, units])])
    graph.add("MatMul", [y, fitting(graph, units, 64)])


KINDS = [rows, tokens, pictures, tokens_of_layers]
WEIGHTS = [4, 4, 4, 1]


def draw(graph):
    graph.style = "hostile"  # Nothing is too large here.
    graph.random.choices(KINDS, WEIGHTS)[0](graph)
