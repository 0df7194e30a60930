#!/usr/bin/env python3
"""Makes Tests/ForgeImportersTests/Fixtures/ONNX/Quantized: small graphs with numbers of few bits.

    make_onnx_quantized.py

Quantised weights and values, integers of 8, 32 and 64 bits, and float16. `cases.safetensors` is as in
make_onnx_edges.py, which this needs beside it.
"""
# check:


import fixtures
import make_onnx_edges as edges
import numpy as np
from make_onnx_edges import invalid, node, numbers_of, valid
from onnx import TensorProto, helper

edges.FOLDER = edges.FOLDER.with_name("Quantized")
edges.OPSET = 21


def added(*nodes):
    """y = x + what the nodes make of constants, which is `k`."""
    return [*nodes, node("Cast", ["k"], ["f"], to=TensorProto.FLOAT), node("Add", ["x", "f"], ["y"])]


def cases():
    random = np.random.default_rng(43)
    numbers, ints = numbers_of(random), lambda *values: np.array(values, np.int64)
    table = np.arange(6, dtype=np.int64).reshape(2, 3) + 1

    # Reductions of constants without axes.
    for name, kind, inputs, noop in [
        ("sum_all", "ReduceSum", ["c", "none"], 0), ("sum_none", "ReduceSum", ["c"], 1),
        ("sum_empty", "ReduceSum", ["c", "none"], 1), ("max_all", "ReduceMax", ["c", "none"], 0),
        ("max_none", "ReduceMax", ["c"], 1), ("product_all", "ReduceProd", ["c", "none"], 0),
    ]:
        yield valid(
            random, name, added(node(kind, inputs, ["k"], noop_with_empty_axes=noop)), (2, 3),
            {"c": table, "none": ints()})
    # Integers of few bits wrap.
    for name, values, kind in [
        ("cast_u8", ints(300, -1, 255), TensorProto.UINT8),
        ("cast_i8", ints(200, -129, 127), TensorProto.INT8),
        ("cast_i32", ints(2**31, -2**31 - 1, 7), TensorProto.INT32),
        ("cast_i8_u8", np.array([-1, -128, 5], np.int8), TensorProto.UINT8),
    ]:
        yield valid(random, name, added(node("Cast", ["c"], ["k"], to=kind)), (3,), {"c": values})
    for name, kind, a, b in [
        ("add_u8", "Add", np.uint8([200, 1]), np.uint8([100, 2])),
        ("subtract_u8", "Sub", np.uint8([1, 9]), np.uint8([100, 2])),
        ("multiply_i32", "Mul", np.int32([2**20 + 3, 5]), np.int32([2**20, 3])),
    ]:
        yield valid(random, name, added(node(kind, ["a", "b"], ["k"])), (2,), {"a": a, "b": b})
    pair = [node("QuantizeLinear", ["x", "s", "z"], ["q"]),
            node("DequantizeLinear", ["q", "s", "z"], ["y"])]
    yield valid(
        random, "zero_point", [node("Cast", ["c"], ["z"], to=TensorProto.INT8)] + pair, (4, 5),
        {"c": np.int64(200), "s": np.float32(0.01)})
    # One step for a scalar and for a vector.
    yield valid(random, "vector", pair, (5,), {"s": np.float32([0.01]), "z": np.uint8([120])})
    yield valid(
        random, "scalar", [
            node("ReduceMean", ["x"], ["m"], keepdims=0),
            node("QuantizeLinear", ["m", "s", "z"], ["q"]),
            node("DequantizeLinear", ["q", "s", "z"], ["y"])],
        (2, 3), {"s": np.float32([0.01]), "z": np.uint8([120])})
    # Weights that are stored as numbers and quantized in the graph.
    steps = np.float32([0.01, 0.02, 0.007, 0.013])
    weights = [node("QuantizeLinear", ["w", "s", "z"], ["q"], axis=0),
               node("DequantizeLinear", ["q", "s", "z"], ["v"], axis=0)]
    for name, zeros in [("weights_i8", np.int8([0, 3, -5, 0])),
                        ("weights_u8", np.uint8([128, 120, 131, 0]))]:
        yield valid(
            random, name, weights + [node("Conv", ["x", "v", "b"], ["y"], pads=[1, 1, 1, 1])],
            (1, 3, 5, 7), {"w": numbers(4, 3, 3, 3), "b": numbers(4), "s": steps, "z": zeros})
    yield valid(
        random, "weights_lstm", [
            node("QuantizeLinear", ["w", "s"], ["q"]), node("DequantizeLinear", ["q", "s"], ["v"]),
            node("LSTM", ["x", "v", "r"], ["y"], hidden_size=5)],
        (4, 1, 3), {"w": numbers(1, 20, 3), "r": numbers(1, 20, 5), "s": np.float32(0.01)})
    # Float16 steps, and numbers beyond those of float16.
    yield valid(
        random, "half", [
            node("QuantizeLinear", ["x", "s", "z"], ["q"]),
            node("DequantizeLinear", ["q", "h", "z"], ["d"]),
            node("Cast", ["d"], ["y"], to=TensorProto.FLOAT)],
        (3, 4), {"s": np.float32(0.01), "h": np.float16(0.37), "z": np.uint8(100)})
    for name, kind in [("rounded_half", TensorProto.FLOAT16), ("rounded_bf16", TensorProto.BFLOAT16)]:
        yield valid(
            random, name, [
                node("Mul", ["x", "c"], ["a"]), node("Cast", ["a"], ["i"], to=TensorProto.INT64),
                node("Cast", ["i"], ["h"], to=kind), node("Cast", ["h"], ["y"], to=TensorProto.FLOAT)],
            (4, 9), {"c": np.float32(6000)})
    # Means of quantized values; the last bit decides many of them, so there are no results.
    edges.saved(
        "ties", pair[:1] + [
            node("DequantizeLinear", ["q", "s", "z"], ["d"]),
            node("AveragePool", ["d"], ["m"], kernel_shape=[2, 2], strides=[2, 2]),
            node("QuantizeLinear", ["m", "s", "z"], ["p"]),
            node("DequantizeLinear", ["p", "s", "z"], ["y"])],
        {"x": [1, 8, 24, 24]}, {"s": np.float32(0.0123), "z": np.uint8(117)})
    # A quantized table, and a start before the first element.
    yield valid(
        random, "embedding", [
            node("Abs", ["x"], ["a"]), node("Mul", ["a", "n"], ["b"]),
            node("Cast", ["b"], ["i"], to=TensorProto.INT64), node("Gather", ["t", "i"], ["q"]),
            node("DequantizeLinear", ["q", "s", "z"], ["y"])],
        (1, 6), {"n": np.float32(6.9), "s": np.float32(0.03), "z": np.int8(-7),
                 "t": random.integers(-128, 127, (7, 4)).astype(np.int8)})
    yield valid(
        random, "backwards", [node("Slice", ["x", "s", "e", "a", "t"], ["y"])], (2, 3),
        {"s": ints(-9), "e": ints(-2**63), "a": ints(1), "t": ints(-1)})
    # A type that is not read, in an initializer that nothing reads.
    yield valid(
        random, "unread", [node("Neg", ["x"], ["y"])], (3,), {"u": np.uint16([1, 2])})
    yield invalid(
        "read", [node("Cast", ["u"], ["f"], to=TensorProto.FLOAT), node("Add", ["x", "f"], ["y"])],
        (2,), {"u": np.uint16([1, 2])}, "element type uint16")
    yield invalid(
        "exact", [node("Cast", ["x"], ["i"], to=TensorProto.INT64), node("Equal", ["i", "c"], ["e"]),
                  node("Cast", ["e"], ["y"], to=TensorProto.FLOAT)],
        (3,), {"c": ints(2**24 + 1)}, "the integer 16777217")
    yield invalid(
        "four_bits", [
            node("Constant", [], ["q"], value=helper.make_tensor(
                "q", TensorProto.INT4, [4], [1, 2, 3, -4])),
            node("DequantizeLinear", ["q", "s"], ["d"]), node("Add", ["x", "d"], ["y"])],
        (4,), {"s": np.float32(0.1)}, "int4")


def main():
    edges.FOLDER.mkdir(exist_ok=True)
    fixtures.write(edges.FOLDER / "cases.safetensors", list(cases()))


if __name__ == "__main__":
    main()
