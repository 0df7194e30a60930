#!/usr/bin/env python3
"""Makes Tests/ForgeImportersTests/Fixtures/ONNX/Edges: small graphs at the edges of operators.

    make_onnx_edges.py

Needs onnx, onnxruntime and numpy. `cases.safetensors` has, for each graph, inputs and what ONNX Runtime
computes for them, at several lengths where the length is free, or a word of the error that Forge
has for a file that is not valid.
"""
# check:

import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import fixtures

FOLDER = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeImportersTests", "Fixtures", "ONNX", "Edges")
node = helper.make_node
LARGEST = 2**63 - 1
LENGTHS = (1, 7, 20)
OPSET = 17


def saved(name, nodes, inputs, stored):
    described = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
                 for n, s in inputs.items()]
    graph = helper.make_graph(
        nodes, name, described, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(value), n) for n, value in stored.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
    onnx.save(model, FOLDER / f"{name}.onnx")


def valid(random, name, nodes, sizes, stored):
    """A graph that reads x; a size that is `None` is free."""
    axis = next((i for i, size in enumerate(sizes) if size is None), None)
    saved(name, nodes, {"x": [size or "T" for size in sizes]}, stored)
    session = onnxruntime.InferenceSession(str(FOLDER / f"{name}.onnx"))
    runs = []
    for length in LENGTHS if axis is not None else (0,):
        x = random.uniform(-1, 1, [size or length for size in sizes]).astype(np.float32)
        y = session.run(None, {"x": x})[0]
        runs.append({
            "sizes": list(x.shape), "x": x.ravel().tolist(), "outputSizes": list(y.shape),
            "y": y.ravel().tolist()})
    return {"name": name, "sizes": [size or -1 for size in sizes], "runs": runs, "error": ""}


def invalid(name, nodes, sizes, stored, error):
    saved(name, nodes, {"x": sizes}, stored)
    return {"name": name, "sizes": sizes, "runs": [], "error": error}


def numbers_of(random):
    """A function that draws Float32 numbers of some sizes."""
    return lambda *sizes: random.uniform(-1, 1, sizes).astype(np.float32)


def cases():
    random = np.random.default_rng(41)
    numbers = numbers_of(random)

    def ints(*values):
        return np.array(values, np.int64)

    for number, (scale, shift) in enumerate([((4, 6), (1, 4, 6)), ((4, 1), (6,)), ((1, 1, 6), (1,))]):
        yield valid(
            random, f"norm{number}", [node("LayerNormalization", ["x", "s", "b"], ["y"])],
            (1, 4, 6), {"s": numbers(*scale), "b": numbers(*shift)})
    for number, size in enumerate((7, 12, 3)):
        yield invalid(
            f"wrong_norm{number}", [node("LayerNormalization", ["x", "s"], ["y"])], (1, 4, 6),
            {"s": numbers(size)}, "does not fit")
    # The first rows of a table, as many as the sequence has.
    length = [node("Shape", ["x"], ["l"], start=1, end=2)]
    yield valid(
        random, "table", length + [
            node("Slice", ["t", "zero", "l", "one"], ["p"]), node("Add", ["x", "p"], ["y"])],
        (1, None, 3), {"t": numbers(1, 64, 3), "zero": ints(0), "one": ints(1)})
    # Positions along the last axis, and angles that are a product of matrices.
    count = [
        node("Shape", ["x"], ["l"], start=2), node("Squeeze", ["l"], ["n"]),
        node("Range", ["z", "n", "o"], ["r"]), node("Cast", ["r"], ["f"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["f", "axes"], ["p"])]
    stored = {"z": np.int64(0), "o": np.int64(1), "axes": ints(0, 1)}
    yield valid(random, "positions", count + [node("Mul", ["x", "p"], ["y"])], (1, 3, None), stored)
    yield valid(
        random, "angles", count + [
            node("MatMul", ["i", "p"], ["a"]), node("Transpose", ["a"], ["b"], perm=[0, 2, 1]),
            node("Concat", ["b", "b"], ["c"], axis=-1), node("Cos", ["c"], ["d"]),
            node("Transpose", ["x"], ["e"], perm=[0, 2, 1]), node("Mul", ["e", "d"], ["y"])],
        (1, 6, None), {**stored, "i": numbers(1, 3, 1)})
    # A sequence whose first axis is time.
    yield valid(
        random, "time_first", [node("LSTM", ["x", "w", "r"], ["y"], hidden_size=5)], (None, 1, 3),
        {"w": numbers(1, 20, 3), "r": numbers(1, 20, 5)})
    # Numbers as large as they can be.
    for number, (start, end, step) in enumerate(
            [(1, LARGEST, LARGEST), (1, LARGEST, 2**62), (-1, -LARGEST, -LARGEST)]):
        yield valid(
            random, f"step{number}", [node("Slice", ["x", "s", "e", "a", "t"], ["y"])], (3, 5),
            {"s": ints(start), "e": ints(end), "a": ints(1), "t": ints(step)})
    yield valid(
        random, "range", [node("Range", ["a", "b", "c"], ["r"]),
                          node("Concat", ["x", "r"], ["y"], axis=0)], (5,),
        {"a": np.float32(1e30), "b": np.float32(0), "c": np.float32(1)})
    yield invalid(
        "split", [node("Split", ["x", "s"], ["y", "z"])], (4, 3), {"s": ints(LARGEST, 1)},
        "parts")
    weights = {"w": numbers(1, 5, 3), "r": numbers(1, 5, 5), "n": np.array([9, 2], np.int32)}
    for name, inputs, attributes, error in [
        ("hidden_size", ["x", "w", "r"], {"hidden_size": 99}, "hidden_size 99"),
        ("layout", ["x", "w", "r"], {"hidden_size": 5, "layout": 7}, "layout 7"),
        ("clip", ["x", "w", "r"], {"hidden_size": 5, "clip": float("nan")}, "clip"),
        ("lengths", ["x", "w", "r", "", "n"], {"hidden_size": 5}, "of 4 times"),
    ]:
        yield invalid(
            "rnn_" + name, [node("RNN", inputs, ["y"], **attributes)], (4, 2, 3), weights, error)


def main():
    FOLDER.mkdir(exist_ok=True)
    fixtures.write(FOLDER / "cases.safetensors", list(cases()))


if __name__ == "__main__":
    main()
