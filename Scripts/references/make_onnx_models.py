#!/usr/bin/env python3
"""Makes the small ONNX models of Tests/ForgeImportersTests/Fixtures/ONNX and their outputs.

Usage: make_onnx_models.py

ONNX Runtime computes the expected outputs of seeded inputs. Needs onnx, onnxruntime and numpy.
"""
# check:
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import fixtures

folder = pathlib.Path(__file__).resolve().parents[2] / "Tests/ForgeImportersTests/Fixtures/ONNX"


def seeded(count, seed, low=-1.0, high=1.0):
    """Forge's seededValues."""
    index = np.arange(1, count + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + index * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    unit = (z >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return (low + unit * (high - low)).astype(np.float32)


class Graph:
    """A graph that is written node by node."""

    def __init__(self, opset=17):
        self.nodes, self.stored, self.opset, self.seed = [], [], opset, 100

    def weights(self, *sizes, low=-0.5, high=0.5, kind=np.float32):
        self.seed += 1
        values = seeded(int(np.prod(sizes)), self.seed, low, high).reshape(sizes).astype(kind)
        return self.constant(values)

    def constant(self, values):
        name = f"w{len(self.stored)}"
        self.stored.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def __call__(self, operator, *inputs, outputs=1, **attributes):
        names = [f"{operator.lower()}{len(self.nodes)}" + (f"_{i}" if outputs > 1 else "")
                 for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def save(self, name, inputs, outputs):
        described = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
                     for n, s in inputs.items()]
        results = [helper.make_tensor_value_info(n, t, None) for n, t in outputs.items()]
        graph = helper.make_graph(self.nodes, name, described, results, self.stored)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8,
            producer_name="make_onnx_models.py")
        path = folder / f"{name}.onnx"
        path.write_bytes(model.SerializeToString())
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"])
        values, record = {}, {}
        for index, (input_name, sizes) in enumerate(inputs.items()):
            sizes = [size if isinstance(size, int) else 1 for size in sizes]
            seed = 7 + index
            values[input_name] = seeded(int(np.prod(sizes)), seed).reshape(sizes)
            record[input_name] = {"sizes": sizes, "seed": seed, "low": -1, "high": 1}
        computed = session.run(None, values)
        return {"inputs": record, "outputs": {
            n: {"sizes": list(v.shape), "values": [float(x) for x in v.astype(np.float64).ravel()]}
            for n, v in zip(outputs, computed)}}


FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def classifier():
    """Convolutions with groups, normalization, a flattening of channels first, and Gemm."""
    g = Graph()
    x = g("Conv", "image", g.weights(6, 3, 3, 3), g.weights(6), pads=[1, 1, 1, 1], strides=[2, 2])
    x = g("BatchNormalization", x, g.weights(6), g.weights(6), g.weights(6),
          g.weights(6, low=0.5, high=2))
    x = g("HardSwish", x)
    x = g("Conv", x, g.weights(12, 1, 3, 5), pads=[0, 2, 2, 1], group=6, dilations=[1, 1])
    x = g("Conv", x, g.weights(8, 6, 1, 1), group=2)
    y = g("GlobalAveragePool", x)
    y = g("Conv", y, g.weights(8, 8, 1, 1), g.weights(8))
    x = g("Mul", x, g("HardSigmoid", y))
    x = g("MaxPool", x, kernel_shape=[2, 3], strides=[2, 2], ceil_mode=1)
    x = g("Flatten", x)
    x = g("Gemm", x, g.weights(5, 8 * 3 * 3), g.weights(5), transB=1, alpha=0.5, beta=2.0)
    return g.save("classifier", {"image": ["N", 3, 11, 16]}, {g("Softmax", x): FLOAT})


def shuffle():
    """A channel shuffle as exporters write it, with the shapes computed in the graph."""
    g = Graph()
    x = g("Conv", "image", g.weights(8, 3, 1, 1))
    shape = g("Shape", x)
    height = g("Gather", shape, g.constant(np.array(2, np.int64)))
    width = g("Gather", shape, g.constant(np.array(3, np.int64)))
    sizes = g("Concat", g.ints(1), g.ints(2), g.ints(4), g("Unsqueeze", height, g.ints(0)),
              g("Unsqueeze", width, g.ints(0)), axis=0)
    x = g("Transpose", g("Reshape", x, sizes), perm=[0, 2, 1, 3, 4])
    x = g("Reshape", x, g.ints(0, 8, 5, 7))
    a, b = g("Split", x, g.ints(3, 5), outputs=2, axis=1)
    b = g("Relu", b)
    x = g("Concat", b, a, axis=1)
    x = g("Slice", x, g.ints(1, -1), g.ints(100, -100), g.ints(1, 3), g.ints(2, -1))
    return g.save("shuffle", {"image": [1, 3, 5, 7]}, {g("Sigmoid", x): FLOAT})


def decoder():
    """Enlargements: transposed convolutions, resizes, paddings; a batch of two."""
    g = Graph()
    x = g("ConvTranspose", "features", g.weights(4, 6, 2, 2), g.weights(6), strides=[2, 2])
    y = g("Resize", "features", "", g.constant(np.array([1, 1, 2, 2], np.float32)), mode="nearest")
    y = g("Conv", g("Pad", y, g.ints(0, 0, 1, 1, 0, 0, 1, 1), mode="reflect"),
          g.weights(6, 4, 3, 3))
    x = g("InstanceNormalization", g("Add", x, y), g.weights(6), g.weights(6))
    x = g("ConvTranspose", x, g.weights(6, 2, 3, 3), strides=[2, 1], pads=[1, 0, 1, 2],
          output_padding=[1, 0], group=2)
    z = g("Resize", x, "", "", g.ints(2, 4, 9, 5), mode="linear",
          coordinate_transformation_mode="align_corners")
    z = g("Resize", z, "", "", g.ints(2, 4, 7, 11), mode="cubic")
    return g.save("decoder", {"features": [2, 4, 3, 5]}, {x: FLOAT, z: FLOAT})


def encoder():
    """One block of a transformer, as PyTorch writes it."""
    g = Graph()

    def normal(x):
        mean = g("ReduceMean", x, axes=[-1])
        centered = g("Sub", x, mean)
        variance = g("ReduceMean", g("Pow", centered, g.constant(np.float32(2))), axes=[-1])
        root = g("Sqrt", g("Add", variance, g.constant(np.float32(1e-5))))
        return g("Add", g("Mul", g("Div", centered, root), g.weights(12)), g.weights(12))

    def project(x, inputs, outputs):
        return g("Add", g("MatMul", x, g.weights(inputs, outputs)), g.weights(outputs))

    def heads(x, order):
        return g("Transpose", g("Reshape", x, g.ints(0, -1, 3, 4)), perm=order)

    x = normal("tokens")
    q, k = heads(project(x, 12, 12), [0, 2, 1, 3]), heads(project(x, 12, 12), [0, 2, 3, 1])
    v = heads(project(x, 12, 12), [0, 2, 1, 3])
    scores = g("Softmax", g("Div", g("MatMul", q, k), g.constant(np.float32(2))), axis=-1)
    y = g("Transpose", g("MatMul", scores, v), perm=[0, 2, 1, 3])
    y = project(g("Reshape", y, g.ints(0, 0, 12)), 12, 12)
    x = g("Add", "tokens", y)
    y = project(normal(x), 12, 20)
    half = g("Mul", g("Erf", g("Div", y, g.constant(np.float32(2**0.5)))), g.constant(np.float32(1)))
    y = g("Mul", g("Mul", y, g("Add", half, g.constant(np.float32(1)))), g.constant(np.float32(0.5)))
    x = g("Add", x, project(y, 20, 12))
    best = g("ArgMax", x, axis=2, keepdims=0)
    large = g("Greater", x, g.constant(np.float32(0)))
    return g.save("encoder", {"tokens": [1, 7, 12]}, {x: FLOAT, best: INT64, large: BOOL})


def sequence():
    """Layers of one dimension, quantized and half-precision weights, two inputs."""
    g = Graph()
    half = g("Cast", g.weights(6, 3, 3, kind=np.float16), to=FLOAT)
    x = g("Conv", "sound", half, pads=[2, 0], dilations=[1])
    stored = g.constant(np.round(seeded(6 * 6, 55, -9, 9)).astype(np.int8).reshape(6, 6, 1))
    scale = g.constant(seeded(6, 56, 0.01, 0.1))
    zero = g.constant(np.zeros(6, np.int8))
    x = g("Conv", x, g("DequantizeLinear", stored, scale, zero, axis=0))
    x = g("PRelu", x, g.weights(6, 1))
    x = g("AveragePool", x, kernel_shape=[3], strides=[2], pads=[1, 1], count_include_pad=1)
    gate = g("Where", g("Less", "gate", g.constant(np.float32(0))), g.constant(np.float32(0.25)),
             "gate")
    x = g("Mul", x, gate)
    values, places = g("TopK", x, g.ints(3), outputs=2, axis=2)
    return g.save(
        "sequence", {"sound": [1, 3, 13], "gate": [1, 6, 1]},
        {values: FLOAT, places: INT64, g("ReduceL2", x, axes=[1, 2], keepdims=0): FLOAT})


def channels_last():
    """Images with channels last, as tf2onnx writes them: values are scaled, then transposed."""
    g = Graph()
    x = g("Sub", g("Div", "image", g.constant(np.float32(0.5))), g.constant(np.float32(1)))
    x = g("Transpose", x, perm=[0, 3, 1, 2])
    x = g("Conv", x, g.weights(7, 3, 3, 3), g.weights(7), pads=[0, 1, 2, 1], strides=[2, 1])
    x = g("Mul", x, g("Sigmoid", x))
    x = g("Transpose", x, perm=[0, 2, 3, 1])
    return g.save(
        "channels_last", {"image": [1, 9, 13, 3]},
        {x: FLOAT, g("ReduceMean", x, axes=[1, 2], keepdims=0): FLOAT})


def rare():
    """What few models have: three dimensions, parts of images, places, quantization, casts."""
    g = Graph(opset=17)
    v = g("Conv", "volume", g.weights(4, 1, 2, 3, 2), g.weights(4), group=2, strides=[1, 2, 1],
          pads=[1, 0, 2, 0, 1, 1])
    v = g("ConvTranspose", v, g.weights(4, 3, 2, 2, 1), g.weights(3), strides=[2, 1, 1])
    # The same weights as above, computed while predicting.
    shared = g("Mul", g.weights(6, 2, 3, 3), g("ReduceMax", "image", keepdims=1))
    c = g("Conv", "image", shared, group=2, pads=[1, 1, 0, 0])
    m, places = g("MaxPool", c, outputs=2, kernel_shape=[3, 2], strides=[2, 2], pads=[0, 1, 1, 0])
    part = g("Resize", "image", g.constant(np.array([0, 0, 0.1, -0.2, 1, 1, 0.7, 1.1], np.float32)),
             "", g.ints(1, 4, 5, 8), mode="linear", extrapolation_value=2.5,
             coordinate_transformation_mode="tf_crop_and_resize")
    scale, zero = g.constant(np.float32(0.03)), g.constant(np.uint8(120))
    q = g("QuantizeLinear", m, scale, zero)
    d = g("DequantizeLinear", q, scale, zero)
    half = g("Cast", g("Cast", part, to=TensorProto.FLOAT16), to=FLOAT)
    hot = g("OneHot", g("ArgMax", c, axis=1, keepdims=0), g.constant(np.int64(6)),
            g.constant(np.array([-1, 2], np.float32)), axis=1)
    some = g("Compress", c, g.constant(np.array([0, 1, 1, 0, 0, 1], bool)), axis=1)
    hard = g("Hardmax", c, axis=1)
    shape = g("Shape", c)
    return g.save(
        "rare", {"volume": [1, 2, 4, 7, 5], "image": [1, 4, 6, 9]},
        {v: FLOAT, m: FLOAT, places: INT64, part: FLOAT, q: TensorProto.UINT8, d: FLOAT,
         half: FLOAT, hot: FLOAT, some: FLOAT, hard: FLOAT, shape: INT64})


def shapes():
    """Outputs that no input changes: shapes, ranges, and reductions of tensors without elements."""
    g = Graph(opset=18)
    shape = g("Shape", "image", start=1)
    size = g("Size", "image")
    constant = g("ConstantOfShape", g.ints(2, 3),
                 value=numpy_helper.from_array(np.array([1.5], np.float32)))
    empty = g("ReduceProd", "nothing", g.ints(1), keepdims=0)
    none = g("Slice", "image", g.ints(5), g.ints(9), g.ints(2))
    return g.save(
        "shapes", {"image": [1, 2, 3, 4], "nothing": [3, 0]},
        {shape: INT64, size: INT64, constant: FLOAT, empty: FLOAT, none: FLOAT})


def large():
    """Weights of more than 4 KiB, which stay in the file until a compile needs them."""
    g = Graph()
    x = g("Conv", "image", g.weights(41, 3, 3, 3), g.weights(41))
    x = g("Conv", x, g.weights(3, 41, 2, 1), g.weights(3))
    return g.save("large", {"image": [1, 3, 6, 5]}, {x: FLOAT})


def main():
    folder.mkdir(parents=True, exist_ok=True)
    expected = {make.__name__: make()
                for make in [classifier, shuffle, decoder, encoder, sequence, channels_last,
                             rare, shapes, large]}
    fixtures.write(folder / "expected.safetensors", expected)
    for name in expected:
        print(name, {n: o["sizes"] for n, o in expected[name]["outputs"].items()})


if __name__ == "__main__":
    main()
