"""Images sampled at stored places, blocks put together, and reversed sequences."""
import numpy as np

from registry import draw

OLD_MODES = {"linear": "bilinear", "cubic": "bicubic", "nearest": "nearest"}


@draw(1, "GridSample")
def grid_sample(graph):
    x = graph.choose(lambda value: min(value.shape) > 0, rank=[4])
    sizes = graph.shape(x)
    outer = [graph.random.randint(1, 5), graph.random.randint(1, 5)]
    reach = graph.random.choice([0.9, 1.5, 6.0])
    grid = graph.uniform([sizes[0], *outer, 2], -reach, reach)
    mode = graph.random.choice(sorted(OLD_MODES))
    aligned = graph.random.randint(0, 1)
    padding = graph.random.choice(["zeros", "border", "reflection"])
    if padding == "reflection" and aligned and 1 in sizes[2:]:
        # A mirror of a width of 0: what ONNX Runtime does is undefined.
        padding = "border"
    graph.add(
        "GridSample", [x, graph.constant(grid)],
        mode=mode if graph.opset >= 20 else OLD_MODES[mode], padding_mode=padding,
        align_corners=aligned)


@draw(0.5, "Col2Im")
def blocks(graph):
    x = graph.choose(lambda value: min(value.shape) > 0, rank=range(2, 6))
    count = graph.values[x].size
    block = graph.random.choice([size for size in (1, 2, 3) if count % size == 0])
    flat = graph.add("Reshape", [x, graph.integers([1, block, count // block])])
    stride = graph.random.randint(1, 3)
    image = (count // block - 1) * stride + block
    graph.add(
        "Col2Im", [flat, graph.integers([1, image]), graph.integers([1, block])],
        strides=[1, stride])


@draw(0.5, "ReverseSequence")
def reversed_sequence(graph):
    x = graph.choose(lambda value: min(value.shape) > 0, rank=range(2, 6))
    batch, time = graph.random.choice([(0, 1), (1, 0)])
    sizes = graph.shape(x)
    lengths = np.asarray(graph.numbers.integers(0, sizes[time] + 1, size=[sizes[batch]]))
    places = graph.constant(lengths) if graph.random.random() < 0.5 else graph.input(lengths)
    graph.add("ReverseSequence", [x, places], batch_axis=batch, time_axis=time)
