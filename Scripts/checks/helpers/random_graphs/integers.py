"""Whole numbers as inputs: moved, compared, cast, and as places. Some are beyond 2²⁴."""
import numpy as np
from onnx import TensorProto

import values
from registry import draw


@draw(1.5, "Equal", "Less", "Greater", "Where", "Cast", "Identity", "Gather")
def whole_numbers(graph):
    """A graph input of whole numbers with an operator or two that may read it."""
    shape = [graph.random.randint(1, 4) for _ in range(graph.random.randint(1, 3))]
    x = graph.input(values.whole(graph.random, graph.numbers, shape))
    kind = graph.values[x].dtype
    chance = graph.random.random()
    if chance < 0.3:
        near = graph.values[x] + graph.numbers.integers(-1, 2, size=shape).astype(kind)
        y = graph.constant(near) if graph.random.random() < 0.5 else graph.input(near)
        truth = graph.add(graph.random.choice(["Equal", "Less", "Greater"]), [x, y])
        if graph.random.random() < 0.5:
            graph.add("Cast", [truth], to=TensorProto.FLOAT)
        else:
            graph.add("Where", [truth, x, y])
    elif chance < 0.5:
        graph.add("Cast", [x], to=graph.random.choice(
            [TensorProto.FLOAT, TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64]))
    elif chance < 0.7:
        order = list(range(len(shape)))
        graph.random.shuffle(order)
        graph.add("Transpose", [x], perm=order)
    elif chance < 0.8:
        graph.add("Identity", [x])
    else:
        size = graph.random.randint(3, 9)
        table = graph.weights([size, graph.random.randint(1, 5)])
        places = np.asarray(graph.numbers.integers(0, size, size=shape)).astype(kind)
        graph.values[x] = graph.inputs[x] = places
        graph.add("Gather", [table, x])


@draw(1, "Gather", "GatherElements")
def places_of_an_input(graph):
    """Rows of a computed value at places that the prediction is given."""
    data = graph.choose(lambda value: value.size > 0, rank=range(1, 5))
    size = graph.shape(data)[0]
    shape = [graph.random.randint(1, 3) for _ in range(graph.random.randint(1, 2))]
    places = graph.input(np.asarray(graph.numbers.integers(0, size, size=shape)))
    graph.add("Gather", [data, places], axis=0)


BYTES = ["Add", "Sub", "Mul", "Max", "Min", "Div", "BitShift", "BitwiseAnd", "BitwiseOr",
         "BitwiseXor"]


@draw(1.5, *BYTES, "Mod", "BitwiseNot")
def bytes_that_wrap(graph):
    """8-bit integers of their whole range with an operator of two, or one for a single one."""
    kind = graph.random.choice([np.uint8, np.int8])
    limits = np.iinfo(kind)
    shape = [graph.random.randint(1, 5) for _ in range(graph.random.randint(1, 4))]

    def drawn(shape):
        return np.asarray(
            graph.numbers.integers(limits.min, limits.max + 1, size=shape)).astype(kind)
    x = graph.input(drawn(shape))
    operator = graph.operator(BYTES + ["Mod", "BitwiseNot"])
    if operator == "BitwiseNot":
        return graph.add(operator, [x])
    other = drawn(shape[graph.random.randint(0, len(shape) - 1):])
    if operator in ("Div", "Mod"):
        # A division by 0, and −128 / −1, end ONNX Runtime's process.
        other = np.where((other == 0) | (other == -1) if kind is np.int8 else other == 0,
                         kind(3), other).astype(kind)
    attributes = {}
    if operator == "Mod":
        attributes["fmod"] = graph.random.randint(0, 1)
    if operator == "BitShift":
        attributes["direction"] = graph.random.choice(["LEFT", "RIGHT"])
        # What more places do is undefined before operator set 28.
        other = (other.astype(np.int64) % 8).astype(kind)
    y = graph.constant(other) if graph.random.random() < 0.5 else graph.input(other)
    z = graph.add(operator, [x, y], **attributes)
    if graph.random.random() < 0.5:
        graph.add("Cast", [z], to=TensorProto.FLOAT)


@draw(1, "Div", "Mod", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "TopK")
def bounded_arithmetic(graph):
    """Integers below 2²⁴ with an operator whose results are below it too."""
    shape = [graph.random.randint(1, 5) for _ in range(graph.random.randint(1, 3))]
    kind = graph.random.choice([np.int32, np.int64])
    most = graph.random.choice([9, 1000, 2**24 - 1])

    def drawn():
        return np.asarray(graph.numbers.integers(-most, most + 1, size=shape)).astype(kind)
    x = graph.input(drawn())
    operator = graph.operator(["Div", "Mod", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "TopK"])
    if operator == "TopK":
        count = graph.random.randint(1, shape[-1])
        return graph.add("TopK", [x, graph.integers([count])], count=2, axis=-1)
    other = drawn()
    if operator in ("Div", "Mod"):
        other = np.where(other == 0, kind(7), other).astype(kind)
    attributes = {"fmod": graph.random.randint(0, 1)} if operator == "Mod" else {}
    y = graph.constant(other) if graph.random.random() < 0.5 else graph.input(other)
    graph.add(operator, [x, y], **attributes)
