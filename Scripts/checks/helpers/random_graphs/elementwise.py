"""Functions of each element, sums of two values, comparisons and reductions."""
import numpy as np
from onnx import TensorProto

from graph import FLOAT, Skip
from registry import draw

ATTRIBUTES = {
    "Celu": {"alpha": 0.6}, "Elu": {"alpha": 0.7}, "HardSigmoid": {"alpha": 0.3, "beta": 0.4},
    "LeakyRelu": {"alpha": 0.2}, "Shrink": {"lambd": 0.3, "bias": 0.1},
    "ThresholdedRelu": {"alpha": 0.3},
}
FUNCTIONS = [
    "Abs", "Asinh", "Atan", "Ceil", "Celu", "Cos", "Cosh", "Elu", "Erf", "Exp", "Floor", "Gelu",
    "HardSigmoid", "HardSwish", "Identity", "LeakyRelu", "Mish", "Neg", "Relu", "Round", "Selu",
    "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Tanh", "ThresholdedRelu"]


@draw(8, *FUNCTIONS)
def function(graph):
    operator = graph.operator(FUNCTIONS)
    attributes = dict(ATTRIBUTES.get(operator, {}))
    x = graph.choose()
    if operator == "Gelu" and graph.random.random() < 0.5:
        attributes["approximate"] = "tanh"
    if operator in ("Exp", "Sinh", "Cosh") and graph.style != "hostile":
        x = graph.add("Clip", [x, graph.number(-3), graph.number(3)])
    if operator in ("Sin", "Cos") and graph.style != "hostile":
        # Beyond that the spacing of Float32 decides.
        x = graph.add("Clip", [x, graph.number(-1000), graph.number(1000)])
    graph.add(operator, [x], **attributes)


@draw(2, "Sqrt", "Log", "Reciprocal", "Asin", "Acos", "Atanh", "Acosh", "Tan")
def function_of_a_range(graph):
    operator = graph.operator(
        ["Sqrt", "Log", "Reciprocal", "Asin", "Acos", "Atanh", "Acosh", "Tan"])
    x = graph.choose()
    if operator in ("Sqrt", "Log", "Reciprocal"):
        x = graph.add("Add", [graph.add("Abs", [x]), graph.number(0.5)])
    elif operator == "Acosh":
        x = graph.add("Add", [graph.add("Abs", [x]), graph.number(1.1)])
    else:
        x = graph.add("Mul", [graph.add("Tanh", [x]), graph.number(0.9)])
    graph.add(operator, [x])


@draw(2, "Clip")
def clip(graph):
    low, high = sorted([graph.random.uniform(-2, 2), graph.random.uniform(-2, 2)])
    if graph.style == "hostile" and graph.random.random() < 0.5:
        low = graph.random.choice([np.nan, -np.inf, np.inf, 1.0])
        high = graph.random.choice([np.nan, -np.inf, np.inf, -1.0])
    graph.add("Clip", [
        graph.choose(), graph.random.choice(["", graph.number(low)]), graph.number(high)])


def broadcast_sizes(graph, sizes):
    """Sizes that broadcast to others."""
    result = [1 if graph.random.random() < 0.4 else size for size in sizes]
    cut = graph.random.randint(0, len(result)) if graph.random.random() < 0.4 else 0
    result = result[cut:]
    if not cut and len(result) < 5 and graph.random.random() < 0.15:
        result = [graph.random.randint(1, 3)] + result
    return result


def broadcasts(left, right):
    try:
        np.broadcast_shapes(left.shape, right.shape)
        return True
    except ValueError:
        return False


def other(graph, x):
    """A second operand: a value that broadcasts with the first, or a stored tensor."""
    if graph.random.random() < 0.5:
        try:
            return graph.choose(lambda value: broadcasts(value, graph.values[x]))
        except Skip:
            pass
    return graph.weights(broadcast_sizes(graph, graph.shape(x)))


BINARY = ["Add", "Div", "Max", "Mean", "Min", "Mod", "Mul", "PRelu", "Pow", "Sub", "Sum"]


@draw(10, *BINARY)
def binary(graph):
    operator = graph.operator(BINARY)
    x = graph.choose()
    y = other(graph, x)
    if operator in ("Div", "Mod"):
        y = graph.add("Add", [graph.add("Abs", [y]), graph.number(0.5)])
    if operator == "Mod":
        graph.add(operator, [x, y], fmod=1)
        return
    if operator == "Pow":
        x = graph.add("Add", [graph.add("Abs", [x]), graph.number(0.2)])
        y = graph.number(graph.random.choice([2, 0.5, 3, -1, 1.7, 0, 1, -2]))
    if operator == "PRelu":
        sizes = broadcast_sizes(graph, graph.shape(x))[-max(1, len(graph.shape(x))):]
        y = graph.weights(sizes)
    operands = [x, y]
    if operator in ("Add", "Mul", "Sub") and graph.random.random() < 0.4:
        operands = [y, x]
    if operator in ("Max", "Mean", "Min", "Sum") and graph.random.random() < 0.3:
        operands.append(other(graph, x))
    graph.add(operator, operands)


COMPARISONS = ["Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"]


@draw(4, *COMPARISONS, "Where", "And", "Or", "Xor", "Not", "IsNaN", "IsInf")
def comparison(graph):
    x = graph.choose()
    operator = graph.operator(COMPARISONS + ["IsNaN", "IsInf"])
    if operator.startswith("Is"):
        truth = graph.add(operator, [x])
    else:
        truth = graph.add(operator, [x, other(graph, x)])
    if graph.random.random() < 0.3:
        less = graph.add("Less", [x, graph.number(0.1)])
        truth = graph.add(graph.random.choice(["And", "Or", "Xor"]), [truth, less])
    if graph.random.random() < 0.2:
        truth = graph.add("Not", [truth])
    if graph.random.random() < 0.3:
        graph.add("Cast", [truth], to=TensorProto.FLOAT)
    else:
        graph.add("Where", [truth, other(graph, x), other(graph, x)])


REDUCTIONS = [
    "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
    "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"]


@draw(6, *REDUCTIONS)
def reduction(graph):
    operator = graph.operator(REDUCTIONS)
    x = graph.choose(rank=range(1, 6))
    rank = len(graph.shape(x))
    if operator == "ReduceLogSum":
        x = graph.add("Add", [graph.add("Abs", [x]), graph.number(0.1)])
    axes = [
        graph.signed(axis, rank)
        for axis in graph.random.sample(range(rank), graph.random.randint(1, rank))]
    keep = graph.random.choice([0, 1])
    since = 13 if operator == "ReduceSum" else 18
    if graph.random.random() < 0.15:
        empty = {}
        if graph.opset >= since and graph.random.random() < 0.5:
            empty = {"noop_with_empty_axes": graph.random.choice([0, 1])}
        graph.add(operator, [x], keepdims=keep, **empty)
        return
    graph.add_with_axes(operator, [x], axes, since, keepdims=keep)


@draw(2, "ArgMax", "ArgMin")
def place_of_the_largest(graph):
    x = graph.choose(rank=range(1, 6))
    rank = len(graph.shape(x))
    attributes = {
        "axis": graph.signed(graph.random.randrange(rank), rank),
        "keepdims": graph.random.choice([0, 1])}
    if graph.opset >= 12 and graph.random.random() < 0.3:
        attributes["select_last_index"] = 1
    y = graph.add(graph.operator(["ArgMax", "ArgMin"]), [x], **attributes)
    if graph.random.random() < 0.6:
        graph.add("Cast", [y], to=TensorProto.FLOAT)


@draw(2, "TopK")
def top(graph):
    x = graph.choose(rank=range(1, 6))
    rank = len(graph.shape(x))
    axis = graph.random.randrange(rank)
    count = graph.random.randint(1, max(1, graph.shape(x)[axis]))
    _, places = graph.add(
        "TopK", [x, graph.integers([count])], 2, axis=graph.signed(axis, rank),
        largest=graph.random.choice([0, 1]), sorted=1)
    if graph.random.random() < 0.5:
        graph.add("Cast", [places], to=TensorProto.FLOAT)


@draw(2, "CumSum")
def running_sum(graph):
    x = graph.choose(rank=range(1, 6))
    rank = len(graph.shape(x))
    axis = np.int64(graph.signed(graph.random.randrange(rank), rank))
    graph.add(
        "CumSum", [x, graph.constant(axis)], exclusive=graph.random.choice([0, 1]),
        reverse=graph.random.choice([0, 1]))


@draw(4, "Softmax", "LogSoftmax", "Hardmax")
def softmax(graph):
    operator = graph.operator(["Softmax", "LogSoftmax", "Softmax", "Hardmax"])
    x = graph.choose(rank=range(1, 6))
    rank = len(graph.shape(x))
    attributes = {}
    if graph.random.random() < 0.8:
        attributes["axis"] = graph.signed(graph.random.randrange(rank), rank)
    graph.add(operator, [x], **attributes)


@draw(2, "QuantizeLinear", "DequantizeLinear")
def quantization(graph):
    x = graph.choose()
    sizes = graph.shape(x)
    unsigned = graph.random.random() < 0.5
    kind = np.uint8 if unsigned else np.int8
    attributes = {}
    if sizes and graph.random.random() < 0.4 and graph.opset >= 13:
        axis = graph.random.randrange(len(sizes))
        scale = graph.constant(graph.uniform([sizes[axis]], 0.005, 0.05))
        low, high = (100, 140) if unsigned else (-20, 20)
        zero = graph.constant(graph.numbers.integers(low, high, size=[sizes[axis]]).astype(kind))
        attributes["axis"] = graph.signed(axis, len(sizes))
    else:
        scale, zero = graph.number(0.0173), graph.constant(kind(128 if unsigned else 3))
    y = graph.add("QuantizeLinear", [x, scale, zero], **attributes)
    graph.add("DequantizeLinear", [y, scale, zero], **attributes)


@draw(1, "Cast")
def rounding_cast(graph):
    half = graph.add("Cast", [graph.choose()], to=graph.random.choice(
        [TensorProto.FLOAT16, TensorProto.BFLOAT16] if graph.opset >= 13
        else [TensorProto.FLOAT16]))
    graph.add("Cast", [half], to=TensorProto.FLOAT)


@draw(2, "ReduceMean", "Sqrt", "Pow", "Div")
def written_normalization(graph):
    """A layer normalization as exporters write it, along an axis that may be another."""
    x = graph.choose(lambda value: value.shape[-1] > 1, rank=range(1, 6))
    sizes = graph.shape(x)
    axis = graph.random.choice([-1, -1, -1, 0, len(sizes) - 1])
    if sizes[axis] < 2:
        raise Skip("one element")

    def mean(name):
        return graph.add_with_axes("ReduceMean", [name], [axis], 18, keepdims=1)

    centered = graph.add("Sub", [x, mean(x)])
    if graph.random.random() < 0.5:
        square = graph.add("Pow", [centered, graph.number(2)])
    else:
        square = graph.add("Mul", [centered, centered])
    epsilon = graph.number(graph.random.choice([1e-3, 1e-2, 0.1]))
    root = graph.add("Sqrt", [graph.add("Add", [mean(square), epsilon])])
    y = graph.add("Div", [centered, root])
    if graph.random.random() < 0.7:
        y = graph.add("Mul", [y, graph.weights([sizes[-1]])])
    if graph.random.random() < 0.7:
        graph.add("Add", [y, graph.weights([sizes[-1]])])
