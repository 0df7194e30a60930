#!/usr/bin/env python3
"""Makes the small ONNX models of Serving/Tests, and what ONNX Runtime says of them.

Usage: make_models.py [FOLDER]

It needs onnx, onnxruntime and numpy. FOLDER is Serving/Tests/ForgeServingTests/Fixtures by default.
"""
import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else (
    HERE.parent / "Tests/ForgeServingTests/Fixtures")
rng = np.random.default_rng(56)


def weights(name, *shape):
    values = rng.uniform(-1, 1, shape).astype(np.float32)
    return numpy_helper.from_array(values, name)


def save(path, nodes, inputs, outputs, constants=()):
    def info(name, kind, shape):
        return helper.make_tensor_value_info(name, kind, shape)
    graph = helper.make_graph(
        nodes, "g", [info(*i) for i in inputs], [info(*o) for o in outputs], list(constants))
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="forge")
    onnx.checker.check_model(model)
    target = FOLDER / path
    target.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, target)
    return target


def mlp(path, width):
    """Two dense layers with an open batch."""
    return save(
        path,
        [helper.make_node("Gemm", ["x", "w1", "b1"], ["h"]),
         helper.make_node("Relu", ["h"], ["r"]),
         helper.make_node("Gemm", ["r", "w2", "b2"], ["y"])],
        [("x", TensorProto.FLOAT, ["N", 7])], [("y", TensorProto.FLOAT, ["N", 3])],
        [weights("w1", 7, width), weights("b1", width), weights("w2", width, 3), weights("b2", 3)])


first = mlp("models/mlp/1/model.onnx", 11)
third = mlp("models/mlp/3/model.onnx", 13)
picture = save(
    "models/picture.onnx",
    [helper.make_node("Conv", ["image", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
     helper.make_node("Sigmoid", ["c"], ["s"]),
     helper.make_node("Transpose", ["s"], ["features"], perm=[0, 2, 3, 1]),
     helper.make_node("GlobalAveragePool", ["c"], ["mean"])],
    [("image", TensorProto.FLOAT, ["N", 3, 5, 7])],
    [("features", TensorProto.FLOAT, ["N", 5, 7, 2]), ("mean", TensorProto.FLOAT, ["N", 2, 1, 1])],
    [weights("w", 2, 3, 3, 3), weights("b", 2)])
pair = save(
    "models/pair.onnx",
    [helper.make_node("MatMul", ["a", "w"], ["p"]),
     helper.make_node("Add", ["p", "b"], ["sum"]),
     helper.make_node("Mul", ["p", "b"], ["product"])],
    [("a", TensorProto.FLOAT, [2, 3]), ("b", TensorProto.FLOAT, [2, 5])],
    [("sum", TensorProto.FLOAT, [2, 5]), ("product", TensorProto.FLOAT, [2, 5])],
    [weights("w", 3, 5)])
TYPES = {
    "BOOL": TensorProto.BOOL, "UINT8": TensorProto.UINT8, "INT8": TensorProto.INT8,
    "INT32": TensorProto.INT32, "INT64": TensorProto.INT64, "FP16": TensorProto.FLOAT16,
    "BF16": TensorProto.BFLOAT16, "FP32": TensorProto.FLOAT,
}
for name, kind in TYPES.items():
    save(
        f"models/same_{name}.onnx", [helper.make_node("Identity", ["x"], ["y"])],
        [("x", kind, ["N", 3])], [("y", kind, ["N", 3])])
(FOLDER / "models/mlp/config.pbtxt").write_text("""name: "mlp"
platform: "onnxruntime_onnx"
max_batch_size: 8
version_policy { all { } }
input [ { name: "x" data_type: TYPE_FP32 dims: [ 7 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 3 ] } ]
""")

expected = {}


def run(name, path, feeds):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    results = dict(zip(names, session.run(None, feeds)))
    expected[name] = {
        kind: {key: {"shape": list(value.shape), "data": [float(v) for v in value.flatten()]}
               for key, value in tensors.items()}
        for kind, tensors in (("inputs", feeds), ("outputs", results))}


def uniform(*shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


run("mlp/1", first, {"x": uniform(5, 7)})
run("mlp/3", third, {"x": uniform(1, 7)})
run("picture", picture, {"image": uniform(3, 3, 5, 7)})
run("pair", pair, {"a": uniform(2, 3), "b": uniform(2, 5)})
(FOLDER / "expected.json").write_text(json.dumps(expected) + "\n")
