"""Products between quantizations, as quantize_static writes them."""
import numpy as np

from registry import draw


def both_ways(graph, x):
    """What is left of a value in integers of 8 bits."""
    unsigned = graph.random.random() < 0.6
    scale = graph.number(graph.random.choice([0.0173, 0.004, 0.31]))
    zero = graph.constant(
        np.uint8(graph.random.choice([0, 117, 255])) if unsigned
        else np.int8(graph.random.choice([-128, 0, 9])))
    return graph.add("DequantizeLinear", [graph.add("QuantizeLinear", [x, scale, zero]), scale, zero])


def integer_weights(graph, sizes, axis):
    """Weights that are integers of 8 bits, for each entry of an axis or in all with one scale."""
    unsigned = graph.random.random() < 0.3
    kind = np.uint8 if unsigned else np.int8
    low, high = (0, 256) if unsigned else (-128, 128)
    stored = graph.constant(graph.numbers.integers(low, high, size=sizes).astype(kind))
    if graph.random.random() < 0.5:
        scale = graph.constant(graph.uniform([sizes[axis]], 0.001, 0.05))
        zeros = np.full(sizes[axis], 128 if unsigned else 0) + (
            graph.numbers.integers(-9, 9, sizes[axis]) if graph.random.random() < 0.4 else 0)
        return graph.add(
            "DequantizeLinear", [stored, scale, graph.constant(zeros.astype(kind))], axis=axis)
    zero = graph.constant(kind(graph.random.choice([0, 131] if unsigned else [0, -7])))
    return graph.add("DequantizeLinear", [stored, graph.number(0.011), zero])


@draw(3, "QuantizeLinear", "DequantizeLinear", "MatMul", "Conv")
def quantized_product(graph):
    if graph.opset < 13:
        return
    # What NaN becomes is undefined.
    x = graph.choose(
        lambda value: min(value.shape) > 0 and np.isfinite(value).all(), rank=range(1, 5))
    sizes = graph.shape(x)
    q = both_ways(graph, x)
    if len(sizes) == 4 and graph.random.random() < 0.7:
        kernel = [graph.random.randint(1, min(3, size)) for size in sizes[2:]]
        groups = sizes[1] if graph.random.random() < 0.3 else 1
        outputs = groups if groups > 1 else graph.random.randint(1, 7)
        operands = [q, integer_weights(graph, [outputs, sizes[1] // groups, *kernel], 0)]
        if graph.random.random() < 0.5:
            operands.append(graph.constant(graph.uniform([outputs])))
        y = graph.add(
            "Conv", operands, group=groups, pads=[graph.random.randint(0, 1) for _ in range(4)])
    else:
        y = graph.add(
            "MatMul", [q, integer_weights(graph, [sizes[-1], graph.random.randint(1, 9)], 1)])
    if graph.random.random() < 0.4:
        y = graph.add("Relu", [y])
    if graph.random.random() < 0.7:
        both_ways(graph, y)
