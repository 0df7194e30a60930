#!/usr/bin/env python3
"""Makes Tests/ForgeImportersTests/Fixtures/ONNX/OpenSizes: networks of several open sizes.

    make_onnx_open_sizes.py

Needs onnx, onnxruntime and numpy. Each file leaves two sizes or more open and computes with them:
`detector` enlarges maps to the sizes of others, `decoder` masks a prefix by a `Range` of it and
attends to a memory of another length, `anchors` makes boxes from `Range` of height and width,
`recognizer` reads lines of any width, and `graph` passes messages between any number of nodes. The
weights are of uneven scale. `expected.safetensors` has the results of ONNX Runtime for ten
combinations of sizes each.
"""
# check:
import pathlib

import numpy as np
import onnxruntime
from onnx import TensorProto as T
from onnx import helper, numpy_helper

import fixtures

FOLDER = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeImportersTests", "Fixtures", "ONNX", "OpenSizes")
node = helper.make_node
random = np.random.default_rng(52)


def weights(*sizes):
    """Weights whose outputs differ in scale by up to a hundred."""
    scale = 10.0 ** random.uniform(-1, 1, sizes[:1] + (1,) * (len(sizes) - 1))
    values = random.standard_normal(sizes) * scale / np.sqrt(np.prod(sizes[1:]))
    return values.astype(np.float32)


def integers(*values):
    return np.array(values, np.int64)


def conv(x, name, out, weight, stride=1, pad=1, strides=None):
    return node("Conv", [x, weight, f"{weight}_b"], [out], name=name, pads=[pad] * 4,
                strides=strides or [stride] * 2)


def sized(x, out, like):
    """`x` enlarged to the height and width of `like`."""
    return [
        node("Shape", [like], [f"{out}_s"]),
        node("Slice", [f"{out}_s", "two", "four", "zero"], [f"{out}_hw"]),
        node("Shape", [x], [f"{out}_x"]),
        node("Slice", [f"{out}_x", "zero", "two", "zero"], [f"{out}_nc"]),
        node("Concat", [f"{out}_nc", f"{out}_hw"], [f"{out}_all"], axis=0),
        node("Resize", [x, "", "", f"{out}_all"], [out], mode="nearest",
             coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
    ]


def size(x, axis, out):
    """The size of an axis, as a number without axes."""
    return [node("Shape", [x], [f"{out}_s"]),
            node("Gather", [f"{out}_s", f"axis{axis}"], [out], axis=0)]


NETWORKS = {
    "detector": dict(
        inputs={"x": (T.FLOAT, [1, 3, "h", "w"])},
        outputs={"map": [1, 1, "mh", "mw"]},
        sizes=lambda: {"h": 8 * random.integers(1, 9), "w": 8 * random.integers(1, 9)},
        nodes=[
            conv("x", "c1", "a", "w1", stride=2), node("Relu", ["a"], ["f1"]),
            conv("f1", "c2", "b", "w2", stride=2), node("Relu", ["b"], ["f2"]),
            conv("f2", "c3", "c", "w3", stride=2), node("Relu", ["c"], ["f3"]),
            *sized("f3", "u3", "f2"), node("Add", ["u3", "f2"], ["g2"]),
            *sized("g2", "u2", "f1"), node("Concat", ["u2", "f1"], ["g1"], axis=1),
            conv("g1", "c4", "d", "w4"), node("Sigmoid", ["d"], ["map"]),
        ],
        constants=dict(
            w1=weights(8, 3, 3, 3), w1_b=weights(8), w2=weights(12, 8, 3, 3), w2_b=weights(12),
            w3=weights(12, 12, 3, 3), w3_b=weights(12), w4=weights(1, 20, 3, 3), w4_b=weights(1),
            zero=integers(0), two=integers(2), four=integers(4))),
    "decoder": dict(
        inputs={"ids": (T.INT64, [1, "prefix"]), "memory": (T.FLOAT, [1, "length", 16])},
        outputs={"y": [1, "prefix", 10]},
        sizes=lambda: {"prefix": random.integers(1, 20), "length": random.integers(1, 40)},
        nodes=[
            node("Gather", ["table", "ids"], ["e"]), *size("ids", 1, "n"),
            node("Range", ["none", "n", "one"], ["r"]), node("Gather", ["places", "r"], ["p"]),
            node("Add", ["e", "p"], ["x"]),
            # A position sees those up to itself.
            node("Unsqueeze", ["r", "last"], ["column"]), node("Unsqueeze", ["r", "zero"], ["row"]),
            node("Less", ["column", "row"], ["later"]),
            node("Where", ["later", "low", "nothing"], ["mask"]),
            node("Transpose", ["x"], ["xt"], perm=[0, 2, 1]), node("MatMul", ["x", "xt"], ["s"]),
            node("Add", ["s", "mask"], ["sm"]), node("Softmax", ["sm"], ["sp"], axis=-1),
            node("MatMul", ["sp", "x"], ["h"]),
            node("MatMul", ["h", "wq"], ["q"]), node("MatMul", ["memory", "wk"], ["k"]),
            node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]), node("MatMul", ["q", "kt"], ["c"]),
            node("Softmax", ["c"], ["cp"], axis=-1), node("MatMul", ["cp", "memory"], ["v"]),
            node("Add", ["h", "v"], ["z"]), node("MatMul", ["z", "wo"], ["y"]),
        ],
        constants=dict(
            table=weights(50, 16), places=weights(64, 16), wq=weights(16, 16), wk=weights(16, 16),
            wo=weights(16, 10), axis1=np.int64(1), none=np.int64(0), one=np.int64(1),
            zero=integers(0), last=integers(1), low=np.float32(-1e9), nothing=np.float32(0))),
    "anchors": dict(
        inputs={"x": (T.FLOAT, [1, 3, "h", "w"])},
        outputs={"boxes": [1, 2, "boxes"]},
        sizes=lambda: {"h": 8 * random.integers(1, 8), "w": 8 * random.integers(1, 8)},
        nodes=[
            conv("x", "c1", "a", "w1", stride=4, pad=0), node("Relu", ["a"], ["b"]),
            conv("b", "c2", "f", "w2", stride=2, pad=0),
            *size("f", 2, "fh"), *size("f", 3, "fw"),
            node("Range", ["none", "fw", "one"], ["columns_i"]),
            node("Range", ["none", "fh", "one"], ["rows_i"]),
            node("Cast", ["columns_i"], ["columns"], to=T.FLOAT),
            node("Cast", ["rows_i"], ["rows"], to=T.FLOAT),
            node("Add", ["columns", "half"], ["cx"]), node("Add", ["rows", "half"], ["cy"]),
            node("Unsqueeze", ["cy", "last"], ["cy2"]),
            node("Unsqueeze", ["fh", "zero"], ["fh1"]), node("Unsqueeze", ["fw", "zero"], ["fw1"]),
            node("Concat", ["fh1", "fw1"], ["grid"], axis=0),
            node("Expand", ["cx", "grid"], ["gx"]), node("Expand", ["cy2", "grid"], ["gy"]),
            node("Reshape", ["gx", "flat"], ["gxf"]), node("Reshape", ["gy", "flat"], ["gyf"]),
            node("Concat", ["gxf", "gyf"], ["centers"], axis=1),
            node("Reshape", ["f", "pairs"], ["offsets"]), node("Sub", ["centers", "offsets"], ["moved"]),
            node("Mul", ["moved", "stride"], ["boxes"]),
        ],
        constants=dict(
            w1=weights(6, 3, 4, 4), w1_b=weights(6), w2=weights(2, 6, 2, 2), w2_b=weights(2),
            axis2=np.int64(2), axis3=np.int64(3), none=np.int64(0), one=np.int64(1),
            half=np.float32(0.5), last=integers(1), zero=integers(0), flat=integers(1, 1, -1),
            pairs=integers(1, 2, -1), stride=np.float32(8))),
    "recognizer": dict(
        inputs={"x": (T.FLOAT, ["lines", 1, 8, "w"])},
        outputs={"y": ["lines", "steps", 11]},
        sizes=lambda: {"lines": random.integers(1, 4), "w": random.integers(8, 60)},
        nodes=[
            conv("x", "c1", "a", "w1", strides=[2, 1]), node("Relu", ["a"], ["b"]),
            conv("b", "c2", "c", "w2", strides=[4, 2], pad=0), node("Relu", ["c"], ["d"]),
            node("Squeeze", ["d", "two"], ["s"]), node("Transpose", ["s"], ["t"], perm=[0, 2, 1]),
            node("MatMul", ["t", "wo"], ["z"]), node("Softmax", ["z"], ["y"], axis=-1),
        ],
        constants=dict(
            w1=weights(8, 1, 3, 3), w1_b=weights(8), w2=weights(16, 8, 4, 3), w2_b=weights(16),
            wo=weights(16, 11), two=integers(2))),
    "graph": dict(
        inputs={"nodes": (T.FLOAT, ["n", 8]), "edges": (T.FLOAT, ["n", "n"])},
        outputs={"y": ["n", 4], "total": [1, 4]},
        sizes=lambda: {"n": random.integers(1, 30)},
        nodes=[
            node("MatMul", ["nodes", "w1"], ["a"]), node("MatMul", ["edges", "a"], ["b"]),
            node("Relu", ["b"], ["c"]), node("MatMul", ["c", "w2"], ["d"]),
            node("MatMul", ["edges", "d"], ["y"]), node("ReduceMean", ["y"], ["total"], axes=[0]),
        ],
        constants=dict(w1=weights(8, 8), w2=weights(8, 4))),
}


def model(name, network):
    graph = helper.make_graph(
        network["nodes"], name,
        [helper.make_tensor_value_info(key, *value) for key, value in network["inputs"].items()],
        [helper.make_tensor_value_info(key, T.FLOAT, value)
         for key, value in network["outputs"].items()],
        [numpy_helper.from_array(np.asarray(value), key)
         for key, value in network["constants"].items()])
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def case(network, session):
    sizes = {key: int(value) for key, value in network["sizes"]().items()}
    inputs = {}
    for name, (kind, axes) in network["inputs"].items():
        shape = [sizes.get(axis, axis) for axis in axes]
        inputs[name] = (random.integers(0, 50, shape) if kind == T.INT64
                        else random.standard_normal(shape).astype(np.float32))
    outputs = session.run(None, inputs)
    named = lambda values: {
        key: {"sizes": list(value.shape), "values": np.asarray(value, np.float32).ravel().tolist()}
        for key, value in values.items()}
    return {"inputs": named(inputs), "outputs": named(dict(zip(network["outputs"], outputs)))}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    expected = {}
    for name, network in NETWORKS.items():
        data = model(name, network).SerializeToString()
        (FOLDER / f"{name}.onnx").write_bytes(data)
        session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
        expected[name] = [case(network, session) for _ in range(10)]
    fixtures.write(FOLDER / "expected.safetensors", expected)


main()
