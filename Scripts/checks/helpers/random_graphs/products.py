"""Products of matrices, recurrent layers, attention and normalizations."""
import numpy as np

from graph import FLOAT, Skip
from registry import draw


@draw(7, "MatMul")
def matrix_product(graph):
    x = graph.choose(rank=range(1, 6))
    sizes = graph.shape(x)
    inner = sizes[-1]
    if graph.random.random() < 0.4:
        other = graph.choose(lambda value: value.shape[-1] == inner, rank=range(2, 6))
        order = list(range(len(graph.shape(other))))
        order[-1], order[-2] = order[-2], order[-1]
        graph.add("MatMul", [x, graph.add("Transpose", [other], perm=order)])
        return
    kind = graph.random.random()
    if kind < 0.5:
        stored = [inner, graph.random.randint(1, 9)]
    elif kind < 0.6:
        stored = [inner]
    elif kind < 0.85:
        stored = [size if graph.random.random() < 0.6 else 1 for size in sizes[:-2]]
        stored += [inner, graph.random.randint(1, 5)]
    elif len(sizes) > 1:
        left = graph.weights([graph.random.randint(1, 5), sizes[-2]])
        graph.add("MatMul", [left, x])
        return
    else:
        raise Skip("rank")
    graph.add("MatMul", [x, graph.weights(stored)])


@draw(2, "Gemm")
def gemm(graph):
    x = graph.choose(rank=[2])
    turned, turned_weights = graph.random.choice([0, 0, 1]), graph.random.choice([0, 1])
    rows, inner = graph.shape(x)[::-1] if turned else graph.shape(x)
    columns = graph.random.randint(1, 8)
    inputs = [x, graph.weights([columns, inner] if turned_weights else [inner, columns])]
    if graph.random.random() < 0.7:
        sizes = [[columns], [1, columns], [rows, 1], [rows, columns], [1], []]
        inputs.append(graph.weights(graph.random.choice(sizes)))
    graph.add(
        "Gemm", inputs, transA=turned, transB=turned_weights,
        alpha=graph.random.choice([1.0, 0.5]), beta=graph.random.choice([1.0, 2.0, 0.0]))


@draw(2, "Einsum")
def einsum(graph):
    x = graph.choose(rank=range(1, 5))
    sizes = graph.shape(x)
    letters = "abcd"[:len(sizes)]
    other = graph.random.sample(letters, graph.random.randint(1, len(letters)))
    other += ["e"] if graph.random.random() < 0.7 else []
    graph.random.shuffle(other)
    stored = [3 if letter == "e" else sizes[letters.index(letter)] for letter in other]
    known = sorted(set(letters) | set(other))
    result = graph.random.sample(known, graph.random.randint(0, min(4, len(known))))
    graph.add(
        "Einsum", [x, graph.weights(stored)],
        equation=f"{letters},{''.join(other)}->{''.join(result)}")


@draw(5, "LSTM", "GRU", "RNN")
def recurrent(graph):
    operator = graph.operator(["LSTM", "GRU", "RNN"])
    x = graph.choose(lambda value: min(value.shape) > 0, rank=[3])
    steps, batch, width = graph.shape(x)
    units = graph.random.randint(1, 7)
    direction = graph.random.choice(["forward", "reverse", "bidirectional"])
    directions = 2 if direction == "bidirectional" else 1
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[operator]
    chance = graph.random.random

    def stored(*sizes):
        return graph.constant(graph.uniform([directions, *sizes]))

    inputs = [x, stored(gates * units, width), stored(gates * units, units)]
    attributes = {"hidden_size": units, "direction": direction}
    inputs.append(stored(2 * gates * units) if chance() < 0.7 else "")
    lengths = graph.numbers.integers(1, steps + 1, size=[batch]).astype(np.int32)
    inputs.append(graph.constant(lengths) if chance() < 0.25 else "")
    inputs.append(stored(batch, units) if chance() < 0.4 else "")
    if operator == "LSTM":
        inputs.append(stored(batch, units) if chance() < 0.4 else "")
        inputs.append(stored(3 * units) if chance() < 0.3 else "")
    if operator == "GRU":
        attributes["linear_before_reset"] = graph.random.choice([0, 1])
    if chance() < 0.15:
        attributes["clip"] = 0.8
    if chance() < 0.2:
        names = {
            "LSTM": ["Sigmoid", "Tanh", "Relu"], "GRU": ["HardSigmoid", "Relu"], "RNN": ["Relu"]}
        attributes["activations"] = names[operator] * directions
    while inputs[-1] == "":
        inputs.pop()
    results = graph.add(operator, inputs, 3 if operator == "LSTM" else 2, **attributes)
    if chance() < 0.5:
        y = graph.add("Transpose", [results[0]], perm=[0, 2, 1, 3])
        graph.add("Reshape", [y, graph.integers([0, 0, -1])])


def heads(graph, x, count, width, order):
    """A product that makes heads, in an order of the axes."""
    batch, steps, channels = graph.shape(x)
    y = graph.add("MatMul", [x, graph.weights([channels, count * width])])
    if graph.random.random() < 0.5:
        y = graph.add("Add", [y, graph.weights([count * width])])
    y = graph.add("Reshape", [y, graph.integers([0, 0, count, width])])
    return graph.add("Transpose", [y], perm=order)


def attend(graph, x, count, width, causal):
    """Attention as PyTorch's exporter writes it."""
    steps = graph.shape(x)[1]
    query, value = (heads(graph, x, count, width, [0, 2, 1, 3]) for _ in range(2))
    key = heads(graph, x, count, width, [0, 2, 3, 1])
    scores = graph.add("MatMul", [query, key])
    operator = graph.random.choice(["Div", "Mul"])
    factor = width**0.5 if operator == "Div" else width**-0.5
    scores = graph.add(operator, [scores, graph.number(factor)])
    if causal:
        low = graph.random.choice([-1e4, -1e9, -np.inf])
        hidden = np.where(np.tri(steps, steps) > 0, 0, low).astype(FLOAT)
        scores = graph.add("Add", [scores, graph.constant(hidden)])
    shares = graph.add("Softmax", [scores], axis=graph.random.choice([-1, -1, -1, 3, -2]))
    y = graph.add("Transpose", [graph.add("MatMul", [shares, value])], perm=[0, 2, 1, 3])
    return graph.add("Reshape", [y, graph.integers([0, 0, count * width])])


@draw(2, "MatMul", "Softmax")
def written_attention(graph):
    x = graph.choose(lambda value: min(value.shape) > 0, rank=[3])
    attend(
        graph, x, graph.random.randint(1, 3), graph.random.randint(1, 5),
        graph.random.random() < 0.4)


@draw(1, "Attention")
def attention(graph):
    x = graph.choose(lambda value: min(value.shape) > 0, rank=[3])
    count, width = graph.random.randint(1, 3), graph.random.randint(1, 5)
    channels = graph.shape(x)[2]
    parts = [
        graph.add("MatMul", [x, graph.weights([channels, count * width])]) for _ in range(3)]
    graph.add(
        "Attention", parts, q_num_heads=count, kv_num_heads=count,
        is_causal=graph.random.choice([0, 1]))


@draw(2, "LayerNormalization", "RMSNormalization", "LpNormalization")
def row_normalization(graph):
    operator = graph.operator(["LayerNormalization", "RMSNormalization", "LpNormalization"])
    x = graph.choose(lambda value: value.shape[-1] > 1, rank=range(1, 6))
    sizes = graph.shape(x)
    axis = graph.random.randrange(len(sizes))
    signed = graph.signed(axis, len(sizes))
    if operator == "LpNormalization":
        graph.add(operator, [x], axis=signed, p=graph.random.choice([1, 2]))
        return
    inputs = [x, graph.weights(sizes[axis:])]
    if operator == "LayerNormalization" and graph.random.random() < 0.6:
        inputs.append(graph.weights(sizes[axis:]))
    graph.add(operator, inputs, axis=signed, epsilon=1e-3)


CHANNEL_NORMALIZATIONS = [
    "BatchNormalization", "GroupNormalization", "InstanceNormalization", "LRN",
    "MeanVarianceNormalization"]


def batch_normalization(graph, x):
    channels = [graph.shape(x)[1]]
    stored = [
        graph.weights(channels, 0.5, 1.5), graph.weights(channels), graph.weights(channels),
        graph.constant(graph.uniform(channels, 0.3, 1.5))]
    return graph.add("BatchNormalization", [x, *stored], epsilon=1e-3)


@draw(3, *CHANNEL_NORMALIZATIONS)
def channel_normalization(graph):
    operator = graph.operator(CHANNEL_NORMALIZATIONS)
    x = graph.choose(lambda value: min(value.shape) > 0 and value.shape[2] > 1, rank=range(3, 6))
    channels = graph.shape(x)[1]
    if operator == "BatchNormalization":
        batch_normalization(graph, x)
    elif operator == "LRN":
        graph.add(
            operator, [x], size=graph.random.choice([1, 3, 5, 2]), alpha=0.01, beta=0.75, bias=1.0)
    elif operator == "MeanVarianceNormalization":
        graph.add(operator, [graph.choose(rank=[4])])
    else:
        attributes = {"epsilon": 1e-3}
        if operator == "GroupNormalization":
            attributes["num_groups"] = graph.random.choice(
                [count for count in range(1, channels + 1) if channels % count == 0])
        graph.add(
            operator, [x, graph.weights([channels]), graph.weights([channels])], **attributes)
