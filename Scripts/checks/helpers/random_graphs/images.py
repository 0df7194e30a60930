"""Windows over images and sequences: convolution, pooling, resizing."""
import numpy as np

from graph import FLOAT, Skip
from products import batch_normalization
from registry import draw


def window(graph, sizes):
    """Sizes, strides, dilations and padding of windows."""
    kernel = [graph.random.randint(1, min(4, size)) for size in sizes]
    attributes = {
        "kernel_shape": kernel, "strides": [graph.random.randint(1, 3) for _ in sizes],
        "dilations": [
            graph.random.choice([1, 1, 1, 2]) if (length - 1) * 2 + 1 <= size else 1
            for length, size in zip(kernel, sizes)]}
    padding = graph.random.choice(["NOTSET"] * 4 + ["SAME_UPPER", "SAME_LOWER", "VALID"])
    if padding == "NOTSET":
        attributes["pads"] = [graph.random.randint(0, length - 1) for length in kernel * 2]
    else:
        attributes["auto_pad"] = padding
        if padding != "VALID":
            # Runtimes differ where windows leave gaps: some pad by negative numbers.
            attributes["dilations"] = [1] * len(sizes)
            attributes["strides"] = [
                min(stride, length) for stride, length in zip(attributes["strides"], kernel)]
    if graph.random.random() < 0.3:
        del attributes["dilations"]
    return kernel, attributes


def divisors(count):
    return [divisor for divisor in range(1, count + 1) if count % divisor == 0]


@draw(7, "Conv", "BatchNormalization", "Relu")
def convolution(graph):
    x = graph.choose(lambda value: min(value.shape) > 0, rank=[3, 4, 5])
    channels, sizes = graph.shape(x)[1], graph.shape(x)[2:]
    kernel, attributes = window(graph, sizes)
    groups = graph.random.choice([1, 1, channels, *divisors(channels)])
    outputs = groups * graph.random.randint(1, 4)
    inputs = [x, graph.weights([outputs, channels // groups, *kernel])]
    if graph.random.random() < 0.6:
        inputs.append(graph.weights([outputs]))
    y = graph.add("Conv", inputs, group=groups, **attributes)
    if graph.random.random() < 0.3:
        y = batch_normalization(graph, y)
    if graph.random.random() < 0.5:
        graph.add("Relu", [y])


@draw(2, "ConvTranspose")
def transposed_convolution(graph):
    x = graph.choose(lambda value: min(value.shape) > 0, rank=[3, 4])
    channels, sizes = graph.shape(x)[1], graph.shape(x)[2:]
    kernel = [graph.random.randint(1, 4) for _ in sizes]
    strides = [graph.random.randint(1, 3) for _ in sizes]
    groups = graph.random.choice([1, 1, *divisors(channels)])
    outputs = graph.random.randint(1, 3)
    attributes = {"kernel_shape": kernel, "strides": strides, "group": groups}
    kind = graph.random.random()
    if kind < 0.6:
        attributes["pads"] = [graph.random.randint(0, length - 1) for length in kernel * 2]
        if graph.random.random() < 0.5:
            attributes["output_padding"] = [
                graph.random.randint(0, stride - 1) for stride in strides]
        if graph.random.random() < 0.3:
            attributes["dilations"] = [2] * len(kernel)
    elif kind < 0.8 and all(stride <= length for stride, length in zip(strides, kernel)):
        attributes["auto_pad"] = graph.random.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    inputs = [x, graph.weights([channels, outputs, *kernel])]
    if graph.random.random() < 0.5:
        inputs.append(graph.weights([outputs * groups]))
    graph.add("ConvTranspose", inputs, **attributes)


POOLS = [
    "AveragePool", "GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool", "LpPool", "MaxPool"]


@draw(5, *POOLS)
def pooling(graph):
    operator = graph.operator(["AveragePool", "MaxPool"] * 2 + POOLS)
    x = graph.choose(lambda value: min(value.shape) > 0, rank=[3, 4, 5])
    if operator.startswith("Global"):
        graph.add(operator, [x])
        return
    _, attributes = window(graph, graph.shape(x)[2:])
    if graph.opset < {"LpPool": 18, "AveragePool": 19}.get(operator, 0):
        attributes.pop("dilations", None)
    if operator == "LpPool":
        attributes["p"] = graph.random.choice([1, 2, 3])
    if operator == "AveragePool":
        attributes["count_include_pad"] = graph.random.choice([0, 1])
    if graph.random.random() < 0.4 and (operator != "LpPool" or graph.opset >= 18):
        attributes["ceil_mode"] = 1
    graph.add(operator, [x], **attributes)


@draw(4, "Resize")
def resize(graph):
    x = graph.choose(lambda value: min(value.shape) > 0, rank=range(2, 6))
    sizes = graph.shape(x)
    mode = graph.random.choice(["nearest", "linear", "cubic"])
    transform = graph.random.choice(
        ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]
        + (["half_pixel_symmetric"] if graph.opset >= 19 else []))
    attributes = {"mode": mode, "coordinate_transformation_mode": transform}
    if mode == "nearest":
        attributes["nearest_mode"] = graph.random.choice(
            ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
    if mode == "cubic":
        attributes["cubic_coeff_a"] = graph.random.choice([-0.75, -0.5])
        attributes["exclude_outside"] = graph.random.choice([0, 1])
    if graph.opset >= 18 and mode != "nearest" and graph.random.random() < 0.2:
        attributes["antialias"] = 1
    axes = range(max(0, len(sizes) - 2), len(sizes))
    if mode == "nearest" and graph.random.random() < 0.2:
        axes = range(len(sizes))
    # Before the operator set 13 all four inputs are there.
    empty = graph.constant(np.zeros(0, FLOAT)) if graph.opset < 13 else ""
    if graph.random.random() < 0.5:
        scales = [1.0] * len(sizes)
        for axis in axes:
            scales[axis] = graph.random.choice([1, 2, 1.5, 0.5, 0.7, 3, 0.3])
            exact = sizes[axis] * scales[axis]
            if int(exact) < 1 or transform == "align_corners" and exact != int(exact):
                scales[axis] = 2.0
        graph.add("Resize", [x, empty, graph.constant(np.array(scales, FLOAT))], **attributes)
        return
    wanted = list(sizes)
    for axis in axes:
        wanted[axis] = graph.random.randint(1, 2 * sizes[axis] + 1)
    graph.add("Resize", [x, empty, empty, graph.integers(wanted)], **attributes)
