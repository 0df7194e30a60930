"""Draws graphs that follow a sequence of open length, and predicts several lengths of each."""
import collections
import tempfile

import numpy as np
from onnx import TensorProto, numpy_helper

import elementwise
import movement
import noise
import tool
from graph import FLOAT, Graph, Skip
from judge import PASSED, Verdict

LONGEST = 16
# The length that a graph is drawn with; no other size is this one.
DRAWN = 13
LENGTHS = [16, 13, 8, 5, 2, 1]
DRAWS = []


def draw(weight):
    def register(function):
        DRAWS.append((function, weight))
        return function
    return register


for function, weight in [
        (elementwise.function, 6), (elementwise.comparison, 3), (elementwise.softmax, 3),
        (elementwise.reduction, 3), (elementwise.running_sum, 2),
        (elementwise.place_of_the_largest, 1), (elementwise.written_normalization, 2),
        (movement.transpose, 2), (elementwise.top, 0.5)]:
    draw(weight)(function)


def sequence(graph):
    """A sequence 1 × length × channels."""
    return graph.choose(
        lambda value: value.shape[1] == DRAWN and DRAWN not in (value.shape[0], value.shape[2]),
        rank=[3])


def steps_first(graph):
    x = sequence(graph)
    return x, graph.add("Transpose", [x], perm=[0, 2, 1])


def length_of(graph, x):
    """The length as a scalar and as a vector of one."""
    size = graph.add("Gather", [graph.add("Shape", [x]), graph.constant(np.int64(1))], axis=0)
    return size, graph.add_with_axes("Unsqueeze", [size], [0], 13)


@draw(5)
def sum_of_two(graph):
    x = graph.choose()
    sizes = [
        1 if size == DRAWN or graph.random.random() < 0.3 else size for size in graph.shape(x)]
    y = graph.constant(graph.uniform(sizes))
    if graph.random.random() < 0.5:
        y = graph.choose(lambda value: value.shape == graph.values[x].shape)
    graph.add(graph.random.choice(["Add", "Sub", "Mul", "Max", "Min"]), [x, y])


@draw(5)
def product(graph):
    x = graph.choose(lambda value: value.shape[-1] != DRAWN, rank=range(2, 6))
    columns = graph.random.choice([3, 4, 6, 8])
    graph.add("MatMul", [x, graph.constant(graph.uniform([graph.shape(x)[-1], columns]))])


@draw(4)
def self_attention(graph):
    x, turned = steps_first(graph)
    scores = graph.add("Mul", [graph.add("MatMul", [x, turned]), graph.number(0.3)])
    if graph.random.random() < 0.4:
        _, size = length_of(graph, x)
        shape = graph.add("Concat", [size, size], axis=0)
        value = numpy_helper.from_array(np.array([-1e4], FLOAT))
        hidden = graph.add("ConstantOfShape", [shape], value=value)
        if graph.opset >= 14:
            hidden = graph.add("Trilu", [hidden, graph.constant(np.int64(1))], upper=1)
            scores = graph.add("Add", [scores, hidden])
    graph.add("MatMul", [graph.add("Softmax", [scores], axis=-1), x])


@draw(4)
def positions(graph):
    x = sequence(graph)
    channels, kind = graph.shape(x)[2], graph.random.random()
    size, sizes = length_of(graph, x)
    if kind >= 0.7:
        table = graph.constant(graph.uniform([1, 40, channels]))
        part = graph.add("Slice", [table, graph.integers([0]), sizes, graph.integers([1])])
        graph.add("Add", [x, part])
        return
    zero, one = graph.constant(np.int64(0)), graph.constant(np.int64(1))
    places = graph.add("Range", [zero, size, one])
    if kind < 0.4:
        table = graph.constant(graph.uniform([40, channels]))
        graph.add("Add", [x, graph.add("Gather", [table, places], axis=0)])
    else:
        angles = graph.add("Cast", [places], to=TensorProto.FLOAT)
        angles = graph.add_with_axes("Unsqueeze", [angles], [1], 13)
        angles = graph.add("Mul", [angles, graph.constant(graph.uniform([channels]))])
        graph.add("Add", [x, graph.add(graph.random.choice(["Sin", "Cos"]), [angles])])


@draw(6)
def window(graph):
    _, x = steps_first(graph)
    channels = graph.shape(x)[1]
    if graph.random.random() < 0.6:
        length, dilation = graph.random.choice([1, 3, 3, 5, 2]), graph.random.choice([1, 1, 2])
        groups = channels if graph.random.random() < 0.3 else 1
        outputs = channels if groups > 1 else graph.random.choice([channels, 4, 6])
        total = (length - 1) * dilation
        before = graph.random.choice([total // 2, total, 0])
        weights = graph.constant(graph.uniform([outputs, channels // groups, length]))
        y = graph.add(
            "Conv", [x, weights], pads=[before, total - before], dilations=[dilation],
            group=groups, kernel_shape=[length])
    else:
        length = graph.random.choice([2, 3])
        operator = graph.random.choice(["MaxPool", "AveragePool"])
        attributes = {}
        if operator == "AveragePool":
            attributes["count_include_pad"] = graph.random.choice([0, 1])
        y = graph.add(
            operator, [x], kernel_shape=[length], strides=[1],
            pads=graph.random.choice([[length - 1, 0], [0, length - 1]]), **attributes)
    graph.add("Transpose", [y], perm=[0, 2, 1])


@draw(4)
def recurrent(graph):
    x = graph.add("Transpose", [sequence(graph)], perm=[1, 0, 2])
    operator, gates = graph.random.choice([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
    units, width = graph.random.choice([3, 4]), graph.shape(x)[2]
    direction = graph.random.choice(["forward", "reverse", "bidirectional"])
    count = 2 if direction == "bidirectional" else 1
    stored = [
        graph.constant(graph.uniform([count, *sizes]))
        for sizes in ([gates * units, width], [gates * units, units], [2 * gates * units])]
    results = graph.add(
        operator, [x, *stored], 3 if operator == "LSTM" else 2, hidden_size=units,
        direction=direction)
    if graph.random.random() < 0.8:
        y = graph.add("Transpose", [results[0]], perm=[2, 0, 1, 3])
        graph.add("Reshape", [y, graph.integers([0, 0, -1])])


@draw(3)
def joined(graph):
    x = sequence(graph)
    sizes = graph.shape(x)
    if graph.random.random() < 0.5:
        y = graph.choose(lambda value: list(value.shape[:2]) == sizes[:2], rank=[3])
        graph.add("Concat", [x, y], axis=-1)
        return
    first = graph.constant(graph.uniform([sizes[0], 1, sizes[2]]))
    y = graph.add("Concat", [first, x], axis=1)
    start, end = graph.random.choice([(1, 2**63 - 1), (0, -1)])
    graph.add("Slice", [y, graph.integers([start]), graph.integers([end]), graph.integers([1])])


@draw(4)
def part(graph):
    x = sequence(graph)
    channels, kind = graph.shape(x)[2], graph.random.random()

    def cut(start, end, axis, step=1):
        return graph.add("Slice", [
            x, graph.integers([start]), graph.integers([end]), graph.integers([axis]),
            graph.integers([step])])

    if kind < 0.4:
        cut(0, max(1, channels // 2), -1)
    elif kind < 0.55:
        cut(-1, -2**62, 1, -1)
    elif kind < 0.7:
        graph.add("Gather", [x, graph.constant(np.int64(graph.random.choice([0, -1])))], axis=1)
    elif kind < 0.85:
        graph.add("Sub", [cut(1, 2**31 - 1, 1), cut(0, -1, 1)])
    else:
        cut(0, graph.random.choice([1, 2, 5]), 1)


@draw(2)
def padding(graph):
    x = sequence(graph)
    before, after = graph.random.choice([(1, 0), (0, 1), (1, 1), (2, 3)])
    graph.add(
        "Pad", [x, graph.integers([0, before, 0, 0, after, 0])],
        mode=graph.random.choice(["constant", "edge", "constant"]))


@draw(3)
def heads(graph):
    x = sequence(graph)
    channels = graph.shape(x)[2]
    if channels % 2:
        raise Skip("odd")
    shapes = [[0, 0, 2, channels // 2], [0, -1, 2, channels // 2], [1, -1, 2, channels // 2]]
    y = graph.add("Reshape", [x, graph.integers(graph.random.choice(shapes))])
    order, back = graph.random.choice([([0, 2, 1, 3], [0, 2, 1, 3]), ([0, 1, 3, 2], [0, 1, 3, 2])])
    y = graph.add("Transpose", [y], perm=order)
    if graph.random.random() < 0.5:
        y = graph.add("Softmax", [y], axis=graph.random.choice([-1, 1, 2]))
    y = graph.add("Transpose", [y], perm=back)
    shapes = [[0, 0, channels], [0, 0, -1], [1, -1, channels]]
    graph.add("Reshape", [y, graph.integers(graph.random.choice(shapes))])


@draw(4)
def mean(graph):
    x = sequence(graph)
    if graph.random.random() < 0.5:
        y = graph.add_with_axes("ReduceMean", [x], [1], 18, keepdims=1)
        if graph.random.random() < 0.5:
            graph.add("Sub", [x, y])
        return
    kept = graph.add("Cast", [graph.add("Greater", [x, graph.number(0)])], to=TensorProto.FLOAT)
    count = graph.add_with_axes("ReduceSum", [kept], [1], 13, keepdims=1)
    count = graph.add("Max", [count, graph.number(1)])
    total = graph.add_with_axes("ReduceSum", [graph.add("Mul", [x, kept])], [1], 13, keepdims=1)
    graph.add("Div", [total, count])


@draw(3)
def sizes_as_values(graph):
    x = sequence(graph)
    kind, channels = graph.random.random(), graph.shape(x)[2]
    size, sizes = length_of(graph, x)
    if kind < 0.25:
        first = graph.add("Gather", [x, graph.integers([0])], axis=1)
        graph.add("Add", [x, graph.add("Expand", [first, graph.add("Shape", [x])])])
    elif kind < 0.5:
        graph.add("Div", [x, graph.add("Cast", [size], to=TensorProto.FLOAT)])
    elif kind < 0.65:
        half = graph.add("Div", [sizes, graph.integers([2])])
        graph.add("Slice", [x, graph.integers([0]), half, graph.integers([1])])
    elif kind < 0.8:
        y = graph.add("Reshape", [x, graph.integers([-1, channels])])
        y = graph.add("Gemm", [y, graph.constant(graph.uniform([channels, 4]))])
        shape = graph.add("Concat", [graph.integers([1]), sizes, graph.integers([4])], axis=0)
        graph.add("Reshape", [y, shape])
    else:
        y = graph.add_with_axes("Squeeze", [x], [0], 13)
        graph.add_with_axes("Unsqueeze", [graph.add("Tanh", [y])], [0], 13)


def drawn(seed):
    """A graph, its outputs and the name and channels of its input."""
    graph = Graph(seed, style="plain")
    channels = graph.random.choice([3, 4, 6, 8])
    x = graph.input(graph.uniform([1, DRAWN, channels], -2, 2))
    wanted = graph.random.randint(1, 9)
    functions, weights = zip(*DRAWS)
    for _ in range(60):
        if len(graph.steps) >= wanted:
            break
        graph.attempt(graph.random.choices(functions, weights)[0])
    outputs = [name for name in graph.ends() if graph.values[name].dtype == FLOAT][-4:]
    if not outputs or x not in graph.needed(outputs)[1]:
        return None
    return graph, outputs, x, channels


def at_length(graph, outputs, x, length):
    """The graph with an input of another length; `None` where ONNX Runtime refuses it."""
    channels = graph.values[x].shape[2]
    numbers = np.random.default_rng(graph.seed * 7 + length)
    other = Graph(graph.seed, style="plain", opset=graph.opset)
    other.values = dict(graph.values)
    other.values[x] = numbers.uniform(-2, 2, (1, length, channels)).astype(FLOAT)
    other.inputs = {x: other.values[x]}
    other.steps = graph.steps
    steps, _ = graph.needed(outputs)
    try:
        for step in steps:
            given = {name: other.values[name] for name in step.node.input if name}
            other.values.update(zip(step.node.output, step.run(given)))
    except Exception:
        return None
    return other


def run(forge, seeds, only, keep):
    """(seed, verdict, operators, style, elements) of graphs of open length."""
    del only, keep
    results = []
    for seed in seeds:
        pair = drawn(seed)
        if pair is None:
            continue
        graph, outputs, x, channels = pair
        # The sessions of the steps must take other lengths, so they state none.
        graph.steps = [graph.reopened(step) for step in graph.steps]
        model = graph.model(outputs, {x: [1, "length", channels]})
        sizes = {x: f"1x..{LONGEST}x{channels}"}
        others = [at_length(graph, outputs, x, length) for length in LENGTHS]
        cases = []
        for length, other in zip(LENGTHS, others):
            array = other.values[x] if other else np.zeros((1, length, channels), FLOAT)
            cases.append(tool.Case(model, {x: array}, outputs, sizes))
        with tempfile.TemporaryDirectory(prefix="random-graphs-", dir=tool.SCRATCH) as folder:
            outcomes = tool.run(forge, cases, folder)
        results.append((seed, verdict_of(outputs, others, outcomes), graph.operators(), "",
                        (0, 0)))
    return results


def verdict_of(outputs, others, outcomes):
    kinds = collections.Counter(outcome.status for outcome in outcomes)
    for length, outcome in zip(LENGTHS, outcomes):
        if outcome.status == "crash":
            return Verdict("wrong", f"length {length}: {outcome.message}")
    if not kinds["ok"]:
        return Verdict("refused", "lengths: " + tool.refusal(outcomes[0].message))
    for length, other, outcome in zip(LENGTHS, others, outcomes):
        if other is None:
            if outcome.status == "ok":
                return Verdict("wrong", f"length {length}: ONNX Runtime has no answer, Forge has")
            continue
        if outcome.status != "ok":
            return Verdict("wrong", f"length {length} alone is refused: {outcome.message}")
        allowed = noise.allowances(other, outputs)
        for name in outputs:
            found, judged = outcome.outputs[name], other.values[name]
            if found.shape != judged.shape:
                return Verdict(
                    "wrong", f"length {length}: {name} is {found.shape}, not {judged.shape}")
            if noise.differs(found, judged, allowed[name]).any():
                careful = noise.allowances(other, [name], noise.CAREFUL_RUNS)[name]
                far = noise.differs(found, judged, careful)
                if far.any():
                    place = tuple(np.argwhere(far)[0])
                    return Verdict(
                        "wrong", f"length {length}: {name}{list(map(int, place))} is "
                        f"{found[place]}, not {judged[place]}")
    return PASSED
