"""Cases of make_onnx_operators.py: updates put at places that a prediction computes."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

node = helper.make_node
KINDS = ("none", "add", "mul", "max", "min")
# Of every kind of number: NaN, infinities, zeros of both signs, numbers below the normal ones.
HOSTILE = np.float32([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-40, -1e-42, 3e38, -3e38])


def cast(name, output, kind=TensorProto.INT64):
    return node("Cast", [name], [output], to=kind)


def places(name, output):
    """Numbers from -1 to 1 as places along an axis of `name`'s size, also from its end."""
    return [
        node("Mul", [name, "size"], [f"{output}_f"]),
        node("Floor", [f"{output}_f"], [f"{output}_g"]), cast(f"{output}_g", output)]


def ints(*values):
    return np.array(values, np.int64)


def elements(case):
    """Along each axis, more and fewer updates than the axis is long."""
    for kind in KINDS:
        for axis, sizes in enumerate(((9, 3, 5), (3, 13, 7), (5, 2, 11))):
            data = np.random.default_rng(axis).uniform(-1, 1, (5, 3, 7)).astype(np.float32)
            yield case(
                f"scattered_elements_{axis}_{kind}", [
                    *places("x", "i"), node("Neg", ["x"], ["u"]),
                    node("ScatterElements", ["d", "i", "u"], ["y"], axis=axis - 3, reduction=kind)],
                sizes, opset=18, high=0.999,
                stored={"size": np.float32(data.shape[axis]), "d": data})
        # Channels of an image, which Forge has last.
        yield case(
            f"scattered_image_{kind}", [
                node("Slice", ["x", "from", "to", "at"], ["u"]), *places("u", "i"),
                node("Relu", ["x"], ["a"]),
                node("ScatterElements", ["a", "i", "u"], ["y"], axis=3, reduction=kind)],
            (1, 3, 5, 7), opset=18, high=0.999,
            stored={"size": np.float32(7), "from": ints(0), "to": ints(2), "at": ints(1)})
        # One place for a whole row of updates.
        yield case(
            f"scattered_rows_{kind}", [
                *places("x", "p"), node("Expand", ["p", "es"], ["i"]),
                node("ScatterElements", ["d", "i", "u"], ["y"], axis=0, reduction=kind)],
            (11, 1), opset=18, high=0.999,
            stored={"size": np.float32(7), "es": ints(11, 17),
                    "d": np.random.default_rng(7).uniform(-1, 1, (7, 17)).astype(np.float32),
                    "u": np.random.default_rng(11).uniform(-1, 1, (11, 17)).astype(np.float32)})
    # More comparisons than 2 to the power of 24, if each place were compared with each update.
    yield case(
        "scattered_many", [
            *places("x", "i"), node("Sign", ["x"], ["u"]),
            node("ScatterElements", ["d", "i", "u"], ["y"], reduction="add")], (4099,), opset=18,
        high=0.999, stored={"size": np.float32(4127), "d": np.zeros(4127, np.float32)})


def slices(case):
    """Places along one, two and three axes."""
    random = np.random.default_rng(5)
    data = random.uniform(-1, 1, (5, 3, 7)).astype(np.float32)
    for kind in KINDS:
        for depth in (1, 2, 3):
            yield case(
                f"scattered_slices_{depth}_{kind}", [
                    *places("x", "i"),
                    node("ScatterND", ["d", "i", "u"], ["y"], reduction=kind)],
                (2, 13, depth), opset=18, high=0.999,
                stored={"size": np.float32(data.shape[:depth]), "d": data, "u": random.uniform(
                    -1, 1, (2, 13) + data.shape[depth:]).astype(np.float32)})


def hostile(case):
    """Numbers that are not finite stay where they are put.

    NaN is the larger and the smaller number, as NumPy and PyTorch have it; ONNX Runtime forgets a
    NaN that a number follows.
    """
    random = np.random.default_rng(3)
    for kind in KINDS:
        data, updates = (random.choice(HOSTILE, size) for size in ((7, 5), (23, 5)))
        yield case(
            f"scattered_hostile_{kind}", [
                *places("x", "i"), node("ScatterND", ["d", "i", "u"], ["y"], reduction=kind)],
            (23, 1), opset=18, high=0.999, reference=kind in ("max", "min"),
            stored={"size": np.float32(7), "d": data, "u": updates})


def integers(case):
    """Counts, Booleans, and sums that wrap around."""
    count = [node("ConstantOfShape", ["n"], ["one"], value=numpy_helper.from_array(ints(1)))]
    yield case(
        "scattered_counts", [
            *count, *places("x", "i"),
            node("ScatterElements", ["z", "i", "one"], ["c"], reduction="add"),
            cast("c", "y", TensorProto.FLOAT)], (29,), opset=18, high=0.999,
        stored={"size": np.float32(5), "n": ints(29), "z": ints(0, 3, 0, 1, 0)})
    yield case(
        "scattered_masks", [
            *places("x", "i"), node("Greater", ["x", "h"], ["g"]), cast("g", "m"),
            node("ScatterElements", ["z", "i", "m"], ["c"], reduction="mul"),
            cast("c", "y", TensorProto.FLOAT)], (13,), opset=18, high=0.999,
        stored={"size": np.float32(7), "h": np.float32(-0.5), "z": ints(1, 3, 5, 7, 9, 11, 13)})
    yield case(
        "scattered_truth", [
            *places("x", "i"), node("Greater", ["x", "h"], ["g"]),
            node("ScatterElements", ["z", "i", "g"], ["c"]), cast("c", "y", TensorProto.FLOAT)],
        (5,), opset=18, high=0.999,
        stored={"size": np.float32(7), "h": np.float32(0), "z": np.arange(7) % 2 == 0})
    for kind, low in ((np.uint8, 0), (np.int8, -128)):
        name = np.dtype(kind).name
        random = np.random.default_rng(low + 200)
        yield case(
            f"scattered_{name}", [
                *places("x", "i"), node("ScatterElements", ["d", "i", "u"], ["c"], reduction="add"),
                cast("c", "y", TensorProto.FLOAT)], (31,), opset=18, high=0.999,
            stored={"size": np.float32(7), "d": random.integers(low, low + 256, 7).astype(kind),
                    "u": random.integers(low, low + 256, 31).astype(kind)})


def all_cases(case):
    for family in (elements, slices, hostile, integers):
        yield from family(case)
