"""Resize for every pair of lengths, and PRelu for every slope that broadcasts, against exact rules.

The source of an element of Resize is computed in exact fractions; ONNX Runtime has the same in all
of these. PRelu is compared with NumPy's broadcasting.
"""
import itertools
import math
import tempfile
from fractions import Fraction

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import tool
from judge import PASSED, Verdict
from places import ROUNDINGS, TRANSFORMS, place, source

FLOAT = np.float32
INPUTS, OUTPUTS = range(1, 34), range(1, 50)


def keys(size, place, coefficient=Fraction(-3, 4)):
    """The weights of an element by cubic interpolation; the border is repeated."""
    floor = math.floor(place)
    part, weights = place - floor, [Fraction(0)] * size
    for offset in range(-1, 3):
        far = abs(part - offset)
        if far <= 1:
            weight = ((coefficient + 2) * far - (coefficient + 3)) * far * far + 1
        else:
            weight = ((coefficient * far - 5 * coefficient) * far + 8 * coefficient) * far \
                - 4 * coefficient
        weights[min(max(floor + offset, 0), size - 1)] += weight
    return weights


def exact(mode, rounding, transform, size, wanted):
    """The weights of each element over the input, as floating-point numbers."""
    rows = []
    for index in range(wanted):
        spot = place(transform, index, size, wanted)
        if mode == "nearest":
            chosen = source(transform, rounding, index, size, wanted)
            rows.append([float(chosen == column) for column in range(size)])
        elif mode == "linear":
            spot = min(max(spot, Fraction(0)), Fraction(size - 1))
            rows.append([float(max(Fraction(0), 1 - abs(spot - c))) for c in range(size)])
        else:
            rows.append([float(weight) for weight in keys(size, spot)])
    return np.array(rows)


def resizes(size, mode, rounding, transform):
    """A model that resizes a row to every length, and its input."""
    x = np.random.default_rng(size).permutation(size).astype(FLOAT).reshape(1, 1, 1, size)
    nodes, outputs, stored = [], [], []
    attributes = {"mode": mode, "coordinate_transformation_mode": transform}
    if rounding:
        attributes["nearest_mode"] = rounding
    for wanted in OUTPUTS:
        sizes = np.array([1, 1, 1, wanted], np.int64)
        stored.append(numpy_helper.from_array(sizes, f"s{wanted}"))
        nodes.append(helper.make_node(
            "Resize", ["x", "", "", f"s{wanted}"], [f"y{wanted}"], **attributes))
        outputs.append(helper.make_tensor_value_info(
            f"y{wanted}", TensorProto.FLOAT, [1, 1, 1, wanted]))
    return model(nodes, x, outputs, stored), x


def model(nodes, x, outputs, stored):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, list(x.shape))],
        outputs, stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def forms():
    for transform in TRANSFORMS:
        for rounding in ROUNDINGS:
            yield "nearest", rounding, transform
        for mode in ("linear", "cubic"):
            yield mode, "", transform


def slopes():
    """Pairs of sizes and the sizes of a slope that broadcast to them."""
    for rank in range(1, 5):
        for sizes in itertools.product([1, 2, 3], repeat=rank):
            if np.prod(sizes) > 27:
                continue
            for kept in range(0, rank + 1):
                for slope in itertools.product(*[{1, size} for size in sizes[rank - kept:]]):
                    yield sizes, slope


def parts():
    """What a process runs at a time."""
    return [("Resize", *form) for form in forms()] + [("PRelu",)]


def run(forge, part):
    with tempfile.TemporaryDirectory(prefix="random-graphs-", dir=tool.SCRATCH) as folder:
        judge = run_slopes if part[0] == "PRelu" else run_resizes
        judged = list(judge(forge, folder, *part[1:]))
    return [(name, verdict, [part[0]], "", (0, 0)) for name, verdict in judged]


def run_resizes(forge, folder, mode, rounding, transform):
    models = [resizes(size, mode, rounding, transform) for size in INPUTS]
    names = [f"y{wanted}" for wanted in OUTPUTS]
    outcomes = tool.run(
        forge, [tool.Case(model, {"x": x}, names) for model, x in models], folder)
    for size, (_, x), outcome in zip(INPUTS, models, outcomes):
        name = f"Resize {mode} {rounding} {transform}, {size}"
        if outcome.status != "ok":
            kind = "wrong" if outcome.status == "crash" else "refused"
            yield name, Verdict(kind, tool.refusal(outcome.message))
            continue
        for wanted in OUTPUTS:
            expected = exact(mode, rounding, transform, size, wanted) @ x.reshape(-1)
            found = outcome.outputs[f"y{wanted}"].reshape(-1)
            allowed = 0 if mode == "nearest" else 4e-6 * size
            far = np.abs(found - expected) > allowed
            verdict = PASSED
            if far.any():
                index = int(np.argmax(far))
                verdict = Verdict(
                    "wrong", f"element {index} is {found[index]}, not {expected[index]:.7g}")
            yield f"{name} → {wanted}", verdict


def run_slopes(forge, folder):
    cases, expected = [], []
    for sizes, slope in slopes():
        x = -np.ones(sizes, FLOAT)
        stored = np.arange(1, np.prod(slope) + 1, dtype=FLOAT).reshape(slope)
        node = helper.make_node("PRelu", ["x", "slope"], ["y"])
        output = helper.make_tensor_value_info("y", TensorProto.FLOAT, list(sizes))
        cases.append(tool.Case(
            model([node], x, [output], [numpy_helper.from_array(stored, "slope")]), {"x": x},
            ["y"]))
        expected.append((sizes, slope, x * stored))
    for (sizes, slope, y), outcome in zip(expected, tool.run(forge, cases, folder)):
        name = f"PRelu {sizes} slope {slope}"
        if outcome.status != "ok":
            kind = "wrong" if outcome.status == "crash" else "refused"
            yield name, Verdict(kind, tool.refusal(outcome.message))
        elif not np.array_equal(outcome.outputs["y"], y):
            yield name, Verdict("wrong", f"{outcome.outputs['y'].ravel()}, not {y.ravel()}")
        else:
            yield name, PASSED
