#!/usr/bin/env python3
"""Writes ONNX files whose statements contradict each other.

Usage: make_onnx_contradictions.py FOLDER  (needs onnx and numpy; prints what onnxruntime says if it is there)
The files in Tests/ForgeImportersTests/Fixtures/ONNX/Contradictions were made with onnx 1.23.2.
"""
# check: {fixtures}/ONNX/Contradictions
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(sys.argv[1])


def value(name, sizes):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes)


def write(name, nodes, inputs, outputs, weights=()):
    graph = helper.make_graph(nodes, name, inputs, outputs, [
        numpy_helper.from_array(array, key) for key, array in weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, FOLDER / f"{name}.onnx")


weights = np.random.default_rng(1).standard_normal((2, 3, 3, 5)).astype(np.float32)
image, result = value("x", [1, 3, 7, 9]), value("y", None)
write("kernel_shape", [helper.make_node("Conv", ["x", "w"], ["y"], "conv", kernel_shape=[3, 3])],
      [image], [result], [("w", weights)])
write("made_twice", [helper.make_node("Relu", ["x"], ["y"], "first"),
                     helper.make_node("Neg", ["x"], ["y"], "second")], [image], [result])
write("made_input", [helper.make_node("Relu", ["x"], ["x"], "first"),
                     helper.make_node("Neg", ["x"], ["y"], "second")], [image], [result])

try:
    import onnxruntime
except ImportError:
    sys.exit()
for path in sorted(FOLDER.glob("*.onnx")):
    try:
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        session.run(None, {"x": np.ones((1, 3, 7, 9), np.float32)})
        print(path.name, "is accepted")
    except Exception as error:  # the exceptions of the runtime have no common class
        print(path.name, str(error)[:150])
