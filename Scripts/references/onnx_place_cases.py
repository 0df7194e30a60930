"""Cases of make_onnx_operators.py: images sampled at places, blocks put together, rows moved.

If PyTorch is installed, the samples are compared with torch.nn.functional.grid_sample too.
"""
import numpy as np
from onnx import TensorProto, helper

try:
    import torch
except ImportError:
    torch = None

node = helper.make_node
# Corners, edges, centers of pixels, places between them, and such far outside.
CORNERS = [[-1, -1], [1, 1], [-1, 1], [0, 0], [0.25, -0.5], [3.75, -4.5], [-0.984375, 1.015625]]


def cast(name, output, kind=TensorProto.FLOAT):
    return node("Cast", [name], [output], to=kind)


def coordinates(random, reach, shape):
    """Coordinates whose places in an image Float32 has, so that none is rounded to another pixel."""
    return (np.round(random.uniform(-reach, reach, shape) * 64) / 64).astype(np.float32)


def compare(made, grid, mode, padding, aligned):
    """Fails if PyTorch has other samples than the reference of a case."""
    if torch is None:
        return
    run = made["runs"][0]
    image = np.array(run["x"], np.float32).reshape(run["sizes"])
    wanted = torch.nn.functional.grid_sample(
        torch.tensor(image), torch.tensor(grid), align_corners=bool(aligned),
        mode={"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode), padding_mode=padding)
    got = np.array(run["y"], np.float32).reshape(run["outputSizes"])
    np.testing.assert_allclose(got, wanted.numpy(), rtol=1e-4, atol=2e-5, err_msg=made["name"])


def grids(case, random):
    """GridSample in every mode on images that are not square, and the grids of AffineGrid."""
    for mode in ("linear", "nearest", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            for aligned in (0, 1):
                grid = coordinates(random, 1.7, (2, 5, 3, 2))
                grid[0].reshape(-1, 2)[:len(CORNERS)] = CORNERS
                made = case(
                    f"grid_{mode}_{padding}_{aligned}", [
                        node("GridSample", ["x", "g"], ["y"], mode=mode, padding_mode=padding,
                             align_corners=aligned)],
                    (2, 3, 4, 7), opset=20, stored={"g": grid})
                compare(made, grid, mode, padding, aligned)
                yield made
    yield case(
        "grid_one_pixel", [
            node("GridSample", ["x", "g"], ["y"], padding_mode="reflection")],
        (1, 2, 1, 5), opset=20, stored={
            "g": coordinates(random, 3, (1, 3, 4, 2))})
    for mode in ("linear", "nearest"):
        grid = coordinates(random, 1.4, (1, 2, 3, 4, 3))
        made = case(
            f"grid_volume_{mode}", [
                node("GridSample", ["x", "g"], ["y"], mode=mode, padding_mode="border")],
            (1, 2, 3, 5, 4), opset=20, stored={"g": grid})
        compare(made, grid, mode, "border", 0)
        yield made
    for aligned in (0, 1):
        yield case(
            f"grid_affine_{aligned}", [
                node("AffineGrid", ["x", "s"], ["g"], align_corners=aligned),
                node("GridSample", ["i", "g"], ["y"], align_corners=aligned)],
            (2, 2, 3), opset=20, reference=True,
            stored={"s": np.array([2, 3, 5, 4], np.int64),
                    "i": random.uniform(-1, 1, (2, 3, 6, 7)).astype(np.float32)})
    yield case(
        "grid_affine_volume", [node("AffineGrid", ["x", "s"], ["y"])], (2, 3, 4), opset=20,
        reference=True, stored={"s": np.array([2, 1, 3, 5, 4], np.int64)})


def blocks_of_images(case):
    for name, sizes, image, block, attributes in (
            ("plain", (2, 18, 20), [6, 7], [3, 3], {}),
            ("strided", (1, 12, 8), [9, 5], [2, 3], {"strides": [2, 2], "pads": [0, 1, 0, 0]}),
            ("dilated", (1, 8, 10), [6, 7], [2, 2], {"dilations": [1, 5]}),
            ("line", (1, 6, 5), [7], [3], {}),
            ("volume", (1, 24, 12), [3, 4, 5], [2, 2, 3], {"pads": [0] * 6})):
        count = 1
        for axis, (size, own) in enumerate(zip(image, block)):
            pads = attributes.get("pads", [0] * 2 * len(image))
            room = size + pads[axis] + pads[axis + len(image)] \
                - attributes.get("dilations", [1] * len(image))[axis] * (own - 1) - 1
            count *= room // attributes.get("strides", [1] * len(image))[axis] + 1
        yield case(
            f"columns_{name}", [node("Col2Im", ["x", "s", "b"], ["y"], **attributes)],
            (sizes[0], sizes[1], count), opset=18,
            stored={"s": np.array(image, np.int64), "b": np.array(block, np.int64)})


def rows(case, random):
    """Rows in another order, written into a memory, and products along an axis."""
    lengths = np.array([5, 1, 0, 3], np.int64)
    for time, batch, sizes in ((0, 1, (5, 4, 3)), (1, 0, (4, 5))):
        yield case(
            f"rows_reversed_{time}", [
                node("ReverseSequence", ["x", "n"], ["y"], time_axis=time, batch_axis=batch)],
            sizes, stored={"n": lengths})
    memory = random.uniform(-1, 1, (3, 2, 7, 4)).astype(np.float32)
    for mode, first in (("linear", [0, 5, 3]), ("circular", [6, 2, 9])):
        yield case(
            f"rows_written_{mode}", [node("TensorScatter", ["m", "x", "i"], ["y"], mode=mode)],
            (3, 2, 2, 4), opset=24, reference=True,
            stored={"m": memory, "i": np.array(first, np.int64)})
    yield case(
        "rows_written_first", [node("TensorScatter", ["m", "x"], ["y"], axis=1)], (3, 1, 7, 4),
        opset=24, reference=True, stored={"m": memory})
    # The places are computed, so that wrong ones are errors of a prediction.
    yield case(
        "computed_rows_written", [
            cast("x", "i", TensorProto.INT64), node("TensorScatter", ["m", "u", "i"], ["y"])],
        (3,), low=0, high=5.9, opset=24, reference=True,
        stored={"m": memory, "u": random.uniform(-1, 1, (3, 2, 2, 4)).astype(np.float32)})
    yield case(
        "computed_rows_reversed", [
            cast("x", "n", TensorProto.INT64),
            node("ReverseSequence", ["d", "n"], ["y"], time_axis=1, batch_axis=0)],
        (3,), low=0, high=5.9,
        stored={"d": random.uniform(-1, 1, (3, 5, 2)).astype(np.float32)})
    for name, attributes in (("plain", {}), ("exclusive", {"exclusive": 1}),
                             ("reverse", {"reverse": 1}),
                             ("both", {"exclusive": 1, "reverse": 1})):
        yield case(
            f"products_{name}", [node("CumProd", ["x", "a"], ["y"], **attributes)], (2, 7, 3),
            low=-1.5, high=1.5, opset=26, reference=True, stored={"a": np.int64(1)})


def known(case):
    """Different values of a stored tensor, and values that are there or not."""
    for name, attributes in (("sorted", {}), ("kept", {"sorted": 0})):
        yield case(
            f"unique_{name}", [
                node("Unique", ["k"], ["u", "f", "n", "c"], **attributes),
                cast("c", "w"), node("Gather", ["x", "u"], ["a"], axis=1),
                node("Mul", ["a", "w"], ["b"]), node("Gather", ["b", "n"], ["d"], axis=1),
                node("Gather", ["x", "f"], ["e"], axis=1), node("Concat", ["d", "e"], ["y"], axis=1)],
            (3, 9), stored={"k": np.array([8, 2, 2, 5, 8, 0, 2], np.int64)})
    yield case(
        "unique_rows", [
            node("Unique", ["k"], ["u"], axis=1), node("MatMul", ["x", "u"], ["y"])], (3, 2),
        stored={"k": np.float32([[1, -2, 1, 0, -2], [0.0, 3, -0.0, 5, -3]])})
    yield case(
        "optional", [
            node("OptionalGetElement", ["x"], ["a"]), node("OptionalHasElement", ["a"], ["h"]),
            node("OptionalHasElement", [""], ["n"]), node("Where", ["h", "a", "k"], ["b"]),
            node("Where", ["n", "k", "b"], ["y"])],
        (3, 5), opset=18, stored={"k": np.float32([9])}, reference=True)
