"""Operators that move, repeat, cut and choose elements, and arithmetic on sizes."""
import numpy as np
from onnx import TensorProto, numpy_helper

from elementwise import broadcasts
from graph import FLOAT, Skip
from registry import draw


@draw(6, "Transpose")
def transpose(graph):
    x = graph.choose(rank=range(2, 6))
    if graph.random.random() < 0.1:
        graph.add("Transpose", [x])
        return
    order = list(range(len(graph.shape(x))))
    graph.random.shuffle(order)
    graph.add("Transpose", [x], perm=order)


def factored(graph, count, rank):
    """Sizes of a rank whose product is the count."""
    sizes, divisor = [1] * rank, 2
    while count > 1:
        while count % divisor == 0:
            sizes[graph.random.randrange(rank)] *= divisor
            count //= divisor
        divisor += 1
    return sizes


@draw(6, "Reshape")
def reshape(graph):
    x = graph.choose(lambda value: value.size > 0)
    sizes = factored(graph, graph.values[x].size, graph.random.randint(1, 5))
    if graph.random.random() < 0.3:
        kept = list(zip(sizes, graph.shape(x)))
        sizes = [0 if size == old else size for size, old in kept] + sizes[len(kept):]
    if graph.random.random() < 0.4:
        sizes[graph.random.randrange(len(sizes))] = -1
    graph.add("Reshape", [x, graph.integers(sizes)])


@draw(1, "Flatten")
def flatten(graph):
    x = graph.choose()
    rank = len(graph.shape(x))
    graph.add("Flatten", [x], axis=graph.random.randint(-rank, rank))


@draw(4, "Squeeze", "Unsqueeze")
def squeeze(graph):
    x = graph.choose(rank=range(1, 6))
    rank = len(graph.shape(x))
    ones = [axis for axis, size in enumerate(graph.shape(x)) if size == 1]
    if ones and graph.random.random() < 0.5:
        axes = graph.random.sample(ones, graph.random.randint(1, len(ones)))
        graph.add_with_axes("Squeeze", [x], [graph.signed(axis, rank) for axis in axes], 13)
    elif rank < 5:
        axis = graph.signed(graph.random.randrange(rank + 1), rank + 1)
        graph.add_with_axes("Unsqueeze", [x], [axis], 13)
    else:
        raise Skip("rank")


@draw(5, "Concat")
def concat(graph):
    x = graph.choose(rank=range(1, 6))
    sizes = graph.shape(x)
    axis = graph.random.randrange(len(sizes))

    def fits(value):
        return value.ndim == len(sizes) and all(
            place == axis or size == sizes[place] for place, size in enumerate(value.shape))

    parts = [x]
    for _ in range(graph.random.randint(1, 3)):
        if graph.random.random() < 0.5:
            parts.append(graph.choose(fits))
        else:
            other = list(sizes)
            other[axis] = graph.random.randint(1, 3)
            parts.append(graph.weights(other))
    graph.random.shuffle(parts)
    graph.add("Concat", parts, axis=graph.signed(axis, len(sizes)))


@draw(3, "Split")
def split(graph):
    x = graph.choose(lambda value: max(value.shape) > 1, rank=range(1, 6))
    sizes = graph.shape(x)
    axis = graph.random.choice([axis for axis, size in enumerate(sizes) if size > 1])
    count = graph.random.randint(2, min(3, sizes[axis]))
    cuts = sorted(graph.random.sample(range(1, sizes[axis]), count - 1))
    parts = [end - start for start, end in zip([0] + cuts, cuts + [sizes[axis]])]
    signed = graph.signed(axis, len(sizes))
    if graph.opset >= 18 and graph.random.random() < 0.4:
        # The last part is smaller where the size does not divide.
        if -(-sizes[axis] // count) * (count - 1) >= sizes[axis]:
            raise Skip("an empty part")
        graph.add("Split", [x], count, axis=signed, num_outputs=count)
    elif graph.opset >= 13:
        graph.add("Split", [x, graph.integers(parts)], count, axis=signed)
    else:
        graph.add("Split", [x], count, axis=signed, split=parts)


@draw(5, "Slice")
def cut(graph):
    x = graph.choose(rank=range(1, 6))
    sizes = graph.shape(x)
    axes = graph.random.sample(range(len(sizes)), graph.random.randint(1, len(sizes)))
    starts, ends, steps = [], [], []
    for axis in axes:
        size, step = sizes[axis], graph.random.choice([1, 1, 1, 2, 3, -1, -2])
        start = graph.random.randint(0, max(0, size - 1))
        if step > 0:
            end = graph.random.randint(start + 1, size + 1) if size else 1
            if graph.random.random() < 0.3:
                end = graph.random.choice([2**63 - 1, 2**31 - 1])
            elif graph.random.random() < 0.3 and end < size:
                end -= size
            if graph.random.random() < 0.3:
                start -= size
        else:
            end = graph.random.randint(-1, start - 1)
            if end == -1:
                end = -size - 1 - graph.random.randint(0, 3)
            if graph.random.random() < 0.3:
                start = 2**31 - 1
        starts.append(start)
        ends.append(end)
        steps.append(step)
    inputs = [
        x, graph.integers(starts), graph.integers(ends),
        graph.integers([graph.signed(axis, len(sizes)) for axis in axes])]
    if any(step != 1 for step in steps) or graph.random.random() < 0.3:
        inputs.append(graph.integers(steps))
    graph.add("Slice", inputs)


@draw(4, "Gather", "GatherElements")
def gather(graph):
    x = graph.choose(lambda value: value.size > 0, rank=range(1, 6))
    sizes = graph.shape(x)
    axis = graph.random.randrange(len(sizes))
    size, signed = sizes[axis], graph.signed(axis, len(sizes))
    if graph.operator(["Gather"] * 4 + ["GatherElements"]) == "GatherElements":
        sizes[axis] = graph.random.randint(1, 4)
        places = graph.integers(graph.numbers.integers(-size, size, size=sizes))
        graph.add("GatherElements", [x, places], axis=signed)
        return
    if graph.random.random() < 0.7:
        shape = [graph.random.randint(1, 3) for _ in range(graph.random.choice([0, 1, 1, 2]))]
        places = graph.constant(
            np.asarray(graph.numbers.integers(-size, size, size=shape)).astype(
                graph.random.choice([np.int64, np.int32])))
    else:
        places = graph.add("ArgMax", [graph.choose(rank=range(1, 6))], axis=-1, keepdims=0)
        if graph.values[places].max(initial=0) >= size:
            if graph.opset < 12:
                raise Skip("places")
            zero, last = graph.constant(np.int64(0)), graph.constant(np.int64(size - 1))
            places = graph.add("Clip", [places, zero, last])
    graph.add("Gather", [x, places], axis=signed)


@draw(1, "GatherND")
def gather_places(graph):
    x = graph.choose(lambda value: value.size > 0, rank=range(1, 6))
    sizes = graph.shape(x)
    shared = graph.random.choice([0, 0, 1]) if len(sizes) > 1 else 0
    depth = graph.random.randint(1, len(sizes) - shared)
    shape = sizes[:shared] + [
        graph.random.randint(1, 3) for _ in range(graph.random.randint(0, 1))]
    places = np.stack([
        graph.numbers.integers(-sizes[shared + place], sizes[shared + place], size=shape)
        for place in range(depth)], -1)
    graph.add("GatherND", [x, graph.integers(places)], batch_dims=shared)


@draw(1.5, "ScatterElements", "ScatterND")
def put_updates(graph):
    """Updates at places that are stored or given, some of them twice."""
    x = graph.choose(lambda value: value.size > 0, rank=range(1, 6))
    sizes = graph.shape(x)
    if graph.operator(["ScatterElements", "ScatterND"]) == "ScatterElements":
        axis = graph.random.randrange(len(sizes))
        counts = [graph.random.randint(1, size) for size in sizes]
        counts[axis] = graph.random.randint(1, 4)
        places = graph.numbers.integers(-sizes[axis], sizes[axis], size=counts)
        attributes = {"axis": graph.signed(axis, len(sizes))}
    else:
        depth = graph.random.randint(1, len(sizes))
        shape = [graph.random.randint(1, 3) for _ in range(graph.random.randint(0, 2))]
        places = np.stack([
            graph.numbers.integers(-sizes[axis], sizes[axis], size=shape)
            for axis in range(depth)], -1)
        counts, attributes = shape + sizes[depth:], {}
    is_given = graph.random.random() < 0.5
    places = graph.input(np.asarray(places)) if is_given else graph.integers(places)
    kind = "ScatterElements" if attributes else "ScatterND"
    graph.add(kind, [x, places, graph.weights(counts)], **attributes)


@draw(3, "Expand", "Tile")
def repeat(graph):
    x = graph.choose()
    sizes = graph.shape(x)
    if graph.operator(["Expand", "Tile"]) == "Tile":
        graph.add("Tile", [x, graph.integers([graph.random.randint(1, 2) for _ in sizes])])
        return
    wanted = [graph.random.randint(1, 3) if size == 1 else size for size in sizes]
    wanted = [1 if graph.random.random() < 0.2 else size for size in wanted]
    if graph.random.random() < 0.3 and len(wanted) < 5:
        wanted = [graph.random.randint(1, 2)] + wanted
    graph.add("Expand", [x, graph.integers(wanted)])


@draw(4, "Pad")
def pad(graph):
    x = graph.choose(lambda value: value.size > 0, rank=range(1, 6))
    sizes = graph.shape(x)
    modes = ["constant", "constant", "edge", "reflect"] + (["wrap"] if graph.opset >= 19 else [])
    mode = graph.random.choice(modes)

    def most(size):
        return min(2, {"reflect": size - 1, "wrap": size}.get(mode, 3))

    pads = [
        graph.random.randint(0, max(0, most(size))) if graph.random.random() < 0.6 else 0
        for size in sizes * 2]
    if mode == "constant" and graph.random.random() < 0.3:
        axis = graph.random.randrange(len(sizes))
        if sizes[axis] > 2:
            pads[axis] = -1
    inputs = [x, graph.integers(pads)]
    if mode == "constant" and graph.random.random() < 0.5:
        inputs.append(graph.number(0.7))
    graph.add("Pad", inputs, mode=mode)


@draw(2, "DepthToSpace", "SpaceToDepth")
def blocks(graph):
    if graph.operator(["DepthToSpace", "SpaceToDepth"]) == "DepthToSpace":
        x = graph.choose(lambda value: value.shape[1] % 4 == 0, rank=[4])
        graph.add("DepthToSpace", [x], blocksize=2, mode=graph.random.choice(["DCR", "CRD"]))
    else:
        x = graph.choose(
            lambda value: value.shape[2] % 2 == 0 and value.shape[3] % 2 == 0, rank=[4])
        graph.add("SpaceToDepth", [x], blocksize=2)


@draw(1, "Trilu")
def triangle(graph):
    inputs = [graph.choose(rank=range(2, 6))]
    if graph.random.random() < 0.5:
        inputs.append(graph.constant(np.int64(graph.random.randint(-2, 2))))
    graph.add("Trilu", inputs, upper=graph.random.choice([0, 1]))


@draw(1, "OneHot")
def one_hot(graph):
    places = graph.add("ArgMax", [graph.choose(rank=range(1, 6))], axis=-1, keepdims=0)
    rank = len(graph.shape(places)) + 1
    pair = graph.random.choice([[0.0, 1.0], [-1.0, 2.0]])
    graph.add("OneHot", [
        places, graph.constant(np.int64(graph.random.randint(2, 6))),
        graph.constant(np.array(pair, FLOAT))], axis=graph.random.randint(-rank, rank - 1))


@draw(1, "ReverseSequence", "EyeLike")
def rows_in_reverse(graph):
    x = graph.choose(rank=range(2, 5))
    if graph.operator(["ReverseSequence", "EyeLike"]) == "EyeLike":
        x = graph.choose(rank=[2])
        eye = graph.add("EyeLike", [x], k=graph.random.randint(-1, 1))
        graph.add("Mul", [x, eye])
        return
    time = graph.random.choice([0, 1])
    sizes = graph.shape(x)
    lengths = graph.numbers.integers(1, sizes[time] + 1, size=[sizes[1 - time]])
    graph.add(
        "ReverseSequence", [x, graph.integers(lengths)], time_axis=time, batch_axis=1 - time)


@draw(2, "Shape", "Range", "ConstantOfShape", "Size")
def sizes_as_values(graph):
    x = graph.choose(rank=range(2, 6))
    shape = graph.add("Shape", [x])
    size = graph.add(
        "Gather", [shape, graph.integers([graph.random.randrange(len(graph.shape(x)))])], axis=0)
    kind = graph.random.random()
    if kind < 0.5:
        graph.add("Reshape", [x, graph.add("Concat", [size, graph.integers([-1])], axis=0)])
    elif kind < 0.7:
        value = numpy_helper.from_array(np.array([0.5], FLOAT))
        graph.add("Add", [x, graph.add("ConstantOfShape", [shape], value=value)])
    elif kind < 0.9:
        end = graph.add_with_axes("Squeeze", [size], [0], 13)
        zero, one = graph.constant(np.int64(0)), graph.constant(np.int64(1))
        places = graph.add("Cast", [graph.add("Range", [zero, end, one])], to=TensorProto.FLOAT)
        if not broadcasts(graph.values[places], graph.values[x]):
            raise Skip("sizes")
        graph.add("Mul", [x, places])
    else:
        count = graph.add("Cast", [graph.add("Size", [x])], to=TensorProto.FLOAT)
        graph.add("Div", [x, count])
