"""Operators of ONNX Runtime's domain, of which the package onnx has no reference."""
import numpy as np

from graph import MICROSOFT, Skip
from registry import draw

ACTIVATIONS = ["BiasGelu", "FastGelu", "QuickGelu"]


@draw(1, *ACTIVATIONS)
def activation(graph):
    operator = graph.operator(ACTIVATIONS)
    x = graph.choose(rank=range(1, 6))
    inputs, attributes = [x], {}
    if operator == "BiasGelu" or (operator == "FastGelu" and graph.random.random() < 0.5):
        inputs.append(graph.weights(graph.shape(x)[-1:]))
    if operator == "QuickGelu":
        attributes["alpha"] = graph.random.choice([1.0, 1.702, 0.3])
    graph.add(operator, inputs, domain=MICROSOFT, **attributes)


@draw(2, "FusedMatMul")
def product(graph):
    """A product of factors whose axes are in any order that the operator has."""
    flags = {
        f"{kind}{factor}": graph.random.choice([0, 0, 1])
        for kind in ("trans", "transBatch") for factor in "AB"}
    x = graph.choose(rank=range(2, 5))
    rank = len(graph.shape(x))
    # The axes of the stored factor before their order is changed.
    axes = list(range(rank))
    if flags["transBatchA"]:
        axes = axes[1:-1] + [0, axes[-1]]
    if flags["transA"]:
        axes[-1], axes[-2] = axes[-2], axes[-1]
    plain = [graph.shape(x)[axis] for axis in axes]
    other = plain[:-2] + [plain[-1], graph.random.randint(1, 9)]
    if flags["transB"]:
        other[-1], other[-2] = other[-2], other[-1]
    if flags["transBatchB"]:
        other = [other[-2], *other[:-2], other[-1]]
    graph.add(
        "FusedMatMul", [x, graph.weights(other)], domain=MICROSOFT,
        alpha=graph.random.choice([1.0, 0.5, -2.0]), **flags)


SUMS = ["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"]


@draw(2, *SUMS)
def normalization(graph):
    operator = graph.operator(SUMS)
    x = graph.choose(lambda value: value.shape[-1] > 1, rank=[2, 3])
    sizes = graph.shape(x)
    skip = graph.weights(graph.random.choice([sizes, sizes[-2:]]))
    inputs = [x, skip, graph.weights(sizes[-1:])]
    if operator == "SkipLayerNormalization":
        inputs.append(graph.weights(sizes[-1:]) if graph.random.random() < 0.7 else "")
    if graph.random.random() < 0.5:
        inputs.append(graph.weights(sizes[-1:]))
    while inputs[-1] == "":
        inputs.pop()
    graph.add(operator, inputs, domain=MICROSOFT, epsilon=1e-3)


@draw(1, "SimplifiedLayerNormalization")
def root_mean_square(graph):
    x = graph.choose(lambda value: value.shape[-1] > 1, rank=range(1, 5))
    graph.add(
        "SimplifiedLayerNormalization", [x, graph.weights(graph.shape(x)[-1:])], epsilon=1e-3,
        axis=-1)


def mask(graph, rows, queries, keys, kinds):
    """A stored mask in which the first key counts."""
    kind = graph.random.choice(kinds)
    if kind == 1:
        return graph.constant(graph.numbers.integers(1, keys + 1, [rows]).astype(np.int32))
    sizes = [rows, keys] if kind == 2 else [rows, queries, keys]
    visible = (graph.numbers.uniform(size=sizes) < 0.7).astype(np.int32)
    visible[..., 0] = 1
    return graph.constant(visible)


@draw(2, "MultiHeadAttention")
def attention(graph):
    """Heads of queries, keys and values that other nodes make."""
    if graph.style == "hostile":
        # Forge hides a key whose score is −∞, and NaN behind it; ONNX Runtime gives NaN.
        raise Skip("scores that are not finite")
    x = graph.choose(lambda value: min(value.shape) > 0, rank=[3])
    rows, count, channels = graph.shape(x)
    heads, width, depth = (graph.random.randint(1, most) for most in (4, 6, 6))
    sizes = [heads * width, heads * width, heads * depth]
    parts = [graph.add("MatMul", [x, graph.weights([channels, size])]) for size in sizes]
    parts.append(graph.weights([sum(sizes)]) if graph.random.random() < 0.5 else "")
    parts.append(mask(graph, rows, count, count, [1, 2, 3]) if graph.random.random() < 0.6 else "")
    if graph.random.random() < 0.3:
        first = graph.random.choice([1, rows])
        second = graph.random.choice([1, heads])
        parts.append(graph.weights([first, second, count, count]))
    while parts[-1] == "":
        parts.pop()
    graph.add(
        "MultiHeadAttention", parts, domain=MICROSOFT, num_heads=heads,
        unidirectional=graph.random.choice([0, 1]))


@draw(1, "RotaryEmbedding")
def rotation(graph):
    x = graph.choose(lambda value: min(value.shape) > 0, rank=[4])
    rows, _, count, width = graph.shape(x)
    if width % 2:
        raise Skip("width")
    first = graph.random.random() < 0.4
    places = graph.numbers.integers(0, 12, [1] if first else [rows, count])
    tables = [graph.weights([32, width // 2]) for _ in range(2)]
    graph.add(
        "RotaryEmbedding", [x, graph.constant(places), *tables], domain=MICROSOFT,
        interleaved=graph.random.choice([0, 1]))
