#!/usr/bin/env python3
"""Makes Tests/ForgeImportersTests/Fixtures/ONNX/DynamicLengths: dynamic quantization of sequences.

    make_onnx_dynamic_lengths.py

Needs onnx and numpy. Each file has an input x [1, n, 48] of open length and an output y. In `attention`
the range is that of what attention of four heads makes, in `recurrent` that of an LSTM's input.
"""
# check:

import pathlib

import numpy as np
from onnx import TensorProto as T
from onnx import helper, numpy_helper

FOLDER = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeImportersTests", "Fixtures", "ONNX", "DynamicLengths")
node = helper.make_node
random = np.random.default_rng(51)


def integers(*sizes):
    return random.integers(-100, 100, sizes).astype(np.int8)


def write(name, nodes, sizes, **constants):
    graph = helper.make_graph(
        nodes, name, [helper.make_tensor_value_info("x", T.FLOAT, [1, "n", 48])],
        [helper.make_tensor_value_info("y", T.FLOAT, sizes)],
        [numpy_helper.from_array(np.asarray(value), key) for key, value in constants.items()])
    model = helper.make_model(
        graph, ir_version=8,
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString())


def product(x, weights, scale, out):
    """What quantize_dynamic makes of MatMul."""
    return [
        node("DynamicQuantizeLinear", [x], [f"{out}_q", f"{out}_s", f"{out}_z"]),
        node("MatMulInteger", [f"{out}_q", weights, f"{out}_z"], [f"{out}_i"]),
        node("Cast", [f"{out}_i"], [f"{out}_f"], to=T.FLOAT),
        node("Mul", [f"{out}_s", scale], [f"{out}_m"]), node("Mul", [f"{out}_f", f"{out}_m"], [out]),
    ]


write("attention", [
    *product("x", "w", "s", "h"), node("Reshape", ["h", "heads"], ["a"]),
    node("Transpose", ["a"], ["q"], perm=[0, 2, 1, 3]),
    node("Transpose", ["a"], ["k"], perm=[0, 2, 3, 1]), node("MatMul", ["q", "k"], ["scores"]),
    node("Softmax", ["scores"], ["p"], axis=-1), node("MatMul", ["p", "q"], ["o"]),
    node("Transpose", ["o"], ["t"], perm=[0, 2, 1, 3]), node("Reshape", ["t", "joined"], ["z"]),
    *product("z", "v", "s", "y"),
], [1, "n", 32], w=integers(48, 64), v=integers(64, 32), s=np.float32(0.003),
    heads=np.array([1, -1, 4, 16]), joined=np.array([1, -1, 64]))
write("recurrent", [
    node("Transpose", ["x"], ["t"], perm=[1, 0, 2]),
    node("DynamicQuantizeLSTM", ["t", "w", "r", "", "", "", "", "", "s", "z", "s", "z"], ["y"],
         domain="com.microsoft", hidden_size=20),
], ["n", 1, 1, 20], w=integers(1, 48, 80), r=integers(1, 20, 80), s=np.array([0.01], np.float32),
    z=np.zeros(1, np.int8))
