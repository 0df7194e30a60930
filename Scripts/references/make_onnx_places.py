#!/usr/bin/env python3
"""Makes Tests/ForgeImportersTests/Fixtures/ONNX/Places: arithmetic on integers that are places.

    make_onnx_places.py

Needs onnx and numpy. Each file has inputs x (ids [4]) and output y [4, 3]: rows of a table [7, 3] with
the number 10 · row + column, at places that the file computes.
"""
# check:

import pathlib

import numpy as np
from onnx import TensorProto as T
from onnx import checker, helper, numpy_helper

FOLDER = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeImportersTests", "Fixtures", "ONNX", "Places")
node = helper.make_node
TABLE = np.add.outer(np.arange(7) * 10, np.arange(3)).astype(np.float32)


def write(name, kind, nodes, more_outputs=(), **constants):
    given = {"table": TABLE, **constants}
    graph = helper.make_graph(
        nodes, name, [helper.make_tensor_value_info("x", kind, [4])],
        [helper.make_tensor_value_info("y", T.FLOAT, [4, 3]), *more_outputs],
        [numpy_helper.from_array(np.asarray(value), key) for key, value in given.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model, full_check=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString())


def wrapped(ids, kind):
    """Places from the end where ids are below 0, as exporters write them: a sum of two products."""
    return [
        node("Cast", [ids], ["f"], to=T.FLOAT), node("Less", ["f", "zero"], ["less"]),
        node("Not", ["less"], ["not"]), node("Cast", ["less"], ["a"], to=kind),
        node("Cast", ["not"], ["b"], to=kind), node("Add", [ids, "n"], ["later"]),
        node("Mul", ["a", "later"], ["c"]), node("Mul", [ids, "b"], ["d"]),
        node("Add", ["c", "d"], ["i"]), node("Gather", ["table", "i"], ["y"]),
    ]


zero = np.float32(0)
write("wrapped_i32", T.INT32, wrapped("x", T.INT32), n=np.int32(7), zero=zero)
write("wrapped_i64", T.INT64, wrapped("x", T.INT64), n=np.int64(7), zero=zero)
write("wrapped_from_float", T.FLOAT,
      [node("Cast", ["x"], ["ids"], to=T.INT32), *wrapped("ids", T.INT32)], n=np.int32(7), zero=zero)
# Sums that a difference brings back.
write("moved", T.INT64,
      [node("Add", ["x", "large"], ["a"]), node("Sub", ["a", "large"], ["i"]),
       node("Gather", ["table", "i"], ["y"])], large=np.int64(1 << 21))
write("moved_far", T.INT64,
      [node("Add", ["x", "large"], ["a"]), node("Sub", ["a", "large"], ["i"]),
       node("Gather", ["table", "i"], ["y"])], large=np.int64(1 << 25))
# The sum is an output, too, so that it is a number.
write("output", T.INT32,
      [node("Add", ["x", "n"], ["i"]), node("Gather", ["table", "i"], ["y"])],
      [helper.make_tensor_value_info("i", T.INT32, [4])], n=np.int32(1 << 24))
