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
