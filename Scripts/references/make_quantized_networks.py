#!/usr/bin/env python3
"""Makes Tests/ForgeImportersTests/Fixtures/ONNX/QuantizedNetworks: small networks that ONNX Runtime
quantized, and what ONNX Runtime computes with them.

    make_quantized_networks.py

A network is quantized in several forms: QDQ and QOperator, activations and weights of either sign,
weights per channel or per tensor, weights of 7 bits, and dynamically. `values.safetensors` holds
inputs `FILE/SAMPLE/INPUT` and outputs `FILE/SAMPLE/OUTPUT`, and in `FILE/quantum/OUTPUT` the scale of
the last quantization before an output, or a 255th of the output's largest number.
"""
# check:

import json
import logging
import pathlib
import struct
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import (
    CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static)

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Tests/ForgeImportersTests/Fixtures/ONNX/QuantizedNetworks"
SAMPLES = 3


class Network:
    """A graph under construction, whose weights are drawn."""

    def __init__(self, seed, **inputs):
        self.random = np.random.default_rng(seed)
        self.inputs, self.nodes, self.weights, self.count = inputs, [], [], 0

    def weight(self, *sizes, scale=None):
        name = f"w{len(self.weights)}"
        scale = scale or 1.7 / np.sqrt(max(np.prod(sizes[1:]), 1))
        # Outputs of very different scale tell weights per channel from others.
        spread = np.exp(self.random.uniform(-1.5, 1.5, (sizes[0],) + (1,) * (len(sizes) - 1)))
        values = self.random.normal(0, scale, sizes) * spread
        self.weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def constant(self, values):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def add(self, kind, *inputs, **attributes):
        self.count += 1
        name = f"{kind.lower()}{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def conv(self, x, inputs, outputs, kernel=3, bias=True, groups=1, **attributes):
        operands = [x, self.weight(outputs, inputs // groups, kernel, kernel)]
        if bias:
            operands.append(self.weight(outputs, scale=0.3))
        attributes.setdefault("pads", [kernel // 2] * 4)
        return self.add("Conv", *operands, group=groups, **attributes)

    def model(self, *outputs):
        value = lambda name, sizes: helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes)
        for index, name in enumerate(outputs):
            self.nodes.append(helper.make_node("Identity", [name], [f"y{index}"], name=f"end{index}"))
        graph = helper.make_graph(
            self.nodes, "network", [value(n, s) for n, s in self.inputs.items()],
            [value(f"y{i}", None) for i in range(len(outputs))], self.weights)
        model = helper.make_model(graph, opset_imports=[
            helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])
        model.ir_version = 8
        return onnx.shape_inference.infer_shapes(model)


def networks():
    n = Network(1, x=[1, 3, 17, 13])
    a = n.add("Relu", n.conv("x", 3, 19, strides=[2, 2]))
    b = n.add("Relu", n.conv(a, 19, 67))
    p = n.add("MaxPool", b, kernel_shape=[2, 2], strides=[2, 2])
    f = n.add("Flatten", n.add("GlobalAveragePool", n.conv(p, 67, 70, kernel=1)))
    yield "plain", n.model(n.add("Gemm", f, n.weight(11, 70), n.weight(11, scale=0.3), transB=1))

    n = Network(2, x=[1, 4, 11, 13])
    a = n.add("Clip", n.conv("x", 4, 24, bias=False), n.constant(np.float32(0)),
              n.constant(np.float32(6)))
    d = n.add("Clip", n.conv(a, 24, 24, groups=24, strides=[2, 2]), n.constant(np.float32(0)),
              n.constant(np.float32(6)))
    e = n.conv(d, 24, 16, kernel=1)
    g = n.add("Relu", n.conv(e, 16, 96, kernel=1))
    h = n.add("Relu", n.conv(g, 96, 96, kernel=5, groups=96))
    yield "separable", n.model(n.add("Add", n.conv(h, 96, 16, kernel=1), e))

    n = Network(3, x=[1, 65, 7, 5])
    a = n.add("Relu", n.conv("x", 65, 65))
    b = n.add("Relu", n.add("Add", n.conv(a, 65, 65), "x"))
    c = n.add("AveragePool", b, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    yield "residual", n.model(c, n.add("AveragePool", b, kernel_shape=[2, 2], count_include_pad=1,
                                       pads=[1, 0, 0, 1]))

    n = Network(4, x=[1, 16, 9, 9])
    a = n.conv("x", 16, 32, kernel=1)
    s = n.add("Mul", a, n.add("Sigmoid", a))
    m = n.add("GlobalAveragePool", s)
    g = n.add("Sigmoid", n.conv(n.add("Relu", n.conv(m, 32, 8, kernel=1)), 8, 32, kernel=1))
    yield "squeeze", n.model(n.conv(n.add("Mul", s, g), 32, 17, kernel=1))

    n = Network(5, x=[1, 6, 10, 7])
    a = n.add("Relu", n.conv("x", 6, 20))
    b = n.add("LeakyRelu", n.conv("x", 6, 13, kernel=1), alpha=0.1)
    c = n.add("Concat", a, b, n.conv("x", 6, 64, dilations=[2, 2], pads=[2, 2, 2, 2]), axis=1)
    yield "concatenated", n.model(n.conv(c, 97, 9, kernel=1))

    n = Network(6, x=[1, 5, 23])
    w = n.weight(12, 5, 7)
    a = n.add("Relu", n.add("Conv", "x", w, n.weight(12, scale=0.3), pads=[3, 3]))
    yield "sequence", n.model(n.add("Conv", a, n.weight(6, 12, 3)))

    n = Network(7, x=[1, 13, 31])
    a = n.add("Relu", n.add("Add", n.add("MatMul", "x", n.weight(31, 64)), n.weight(64, scale=0.3)))
    b = n.add("Softmax", n.add("MatMul", a, n.weight(64, 9)), axis=-1)
    yield "tokens", n.model(b)

    n = Network(8, x=[1, 37])
    a = n.add("Relu", n.add("Gemm", "x", n.weight(37, 128), n.weight(128, scale=0.3)))
    b = n.add("Tanh", n.add("Gemm", a, n.weight(128, 64), n.weight(64, scale=0.3)))
    yield "dense", n.model(n.add("Gemm", b, n.weight(64, 3), n.weight(3, scale=0.3)))

    n = Network(9, x=[1, 8, 6, 5])
    a = n.add("HardSwish", n.conv("x", 8, 24))
    r = n.add("Resize", a, "", n.constant(np.float32([1, 1, 2, 2])), mode="nearest",
              nearest_mode="floor", coordinate_transformation_mode="asymmetric")
    t = n.add("ConvTranspose", r, n.weight(24, 6, 2, 2), strides=[2, 2])
    yield "upsampled", n.model(t)

    n = Network(10, x=[1, 8, 9, 7])
    a = n.add("Relu", n.conv("x", 8, 24, groups=4))
    yield "grouped", n.model(n.conv(a, 24, 12, kernel=3, groups=3, strides=[2, 1]))

    n = Network(11, x=[1, 7, 16], h=[1, 1, 12], c=[1, 1, 12])
    w, r = n.weight(1, 48, 16), n.weight(1, 48, 12)
    x = n.add("Transpose", "x", perm=[1, 0, 2])
    n.nodes.append(helper.make_node(
        "LSTM", [x, w, r, n.weight(1, 96, scale=0.2), "", "h", "c"], ["lstm", "hn", "cn"],
        name="lstm", hidden_size=12))
    yield "recurrent", n.model("lstm", "hn", "cn")

    n = Network(12, x=[1, 3, 9, 9])
    a = n.conv("x", 3, 12, kernel=3, strides=[2, 2], pads=[0, 0, 1, 1])
    p = n.add("Pad", a, n.constant(np.int64([0, 0, 1, 2, 0, 0, 2, 1])))
    u = n.add("Unsqueeze", n.add("ReduceMean", p, axes=[2, 3], keepdims=0), n.constant(np.int64([0])))
    yield "padded", n.model(p, u)


def made():
    """Networks of operators that ONNX Runtime's quantization does not write."""
    def model(random, inputs, nodes, weights, outputs=("y",)):
        value = lambda name, sizes: helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes)
        graph = helper.make_graph(
            nodes, "made", [value(n, s) for n, s in inputs.items()],
            [value(n, None) for n in outputs],
            [numpy_helper.from_array(np.asarray(w), n) for n, w in weights.items()])
        result = helper.make_model(graph, opset_imports=[
            helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])
        result.ir_version = 8
        return result

    def ours(kind, inputs, outputs, **attributes):
        return helper.make_node(kind, inputs, outputs, domain="com.microsoft", **attributes)

    random = np.random.default_rng(31)
    bytes_of = lambda *sizes: random.integers(0, 256, sizes, np.uint8)
    scales = lambda *sizes: random.uniform(0.01, 0.03, sizes).astype(np.float32)
    for bits, zeros in [(4, False), (4, True), (8, True)]:
        columns, rows, block = 80, 19, 32
        blocks = 3
        weights = {"w": bytes_of(rows, blocks, block * bits // 8), "s": scales(rows * blocks),
                   "b": scales(rows)}
        if zeros:
            weights["z"] = bytes_of(rows * ((blocks * bits + 7) // 8))
        yield f"bits{bits}{'_zeros' if zeros else ''}", model(
            random, {"x": [1, 5, columns]}, [ours(
                "MatMulNBits", ["x", "w", "s", "z" if zeros else "", "", "b"], ["y"], K=columns,
                N=rows, bits=bits, block_size=block)], weights)
    quantize = helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["q"])
    end = helper.make_node("DequantizeLinear", ["o", "os", "oz"], ["y"])
    ends = {"xs": np.float32(0.023), "xz": np.uint8(117), "os": np.float32(0.031),
            "oz": np.uint8(93)}
    yield "to_float", model(
        random, {"x": [1, 7, 33]}, [quantize, ours(
            "MatMulIntegerToFloat", ["q", "w", "xs", "ws", "xz", "wz", "b"], ["y"])],
        dict(ends, w=bytes_of(33, 10), ws=scales(10), wz=bytes_of(10), b=scales(10)))
    yield "dynamic_product", model(
        random, {"x": [1, 7, 33]}, [ours("DynamicQuantizeMatMul", ["x", "w", "ws", "wz", "b"], ["y"])],
        {"w": bytes_of(33, 10).view(np.int8), "ws": scales(10), "wz": np.zeros(10, np.int8),
         "b": scales(10)})
    yield "choice", model(
        random, {"x": [3, 5]}, [quantize, ours(
            "QLinearWhere", ["c", "q", "xs", "xz", "k", "ks", "kz", "os", "oz"], ["o"]), end],
        dict(ends, c=random.integers(0, 2, (3, 5)).astype(bool), k=bytes_of(3, 5),
             ks=np.float32(0.017), kz=np.uint8(130)))
    # More products than 2²⁴ holds.
    for name, kind, sizes, weights in [
            ("integer_product", "MatMulInteger", [1, 3, 997], bytes_of(997, 9)),
            ("integer_convolution", "ConvInteger", [1, 67, 5, 6], bytes_of(9, 67, 3, 3))]:
        yield name, model(
            random, {"x": sizes}, [quantize, helper.make_node(
                kind, ["q", "w", "xz", "wz"], ["i"],
                **({"pads": [1, 0, 1, 2]} if kind == "ConvInteger" else {})),
                helper.make_node("Cast", ["i"], ["y"], to=TensorProto.FLOAT)],
            dict(ends, xz=np.uint8(3), w=weights, wz=np.uint8(201)))


class Samples(CalibrationDataReader):
    """Inputs for calibration."""

    def __init__(self, inputs, seed):
        random = np.random.default_rng(seed)
        self.samples = iter([drawn(inputs, random) for _ in range(4)])

    def get_next(self):
        return next(self.samples, None)


def sizes_of(model):
    return {i.name: [d.dim_value for d in i.type.tensor_type.shape.dim] for i in model.graph.input}


def quantum(model, output):
    """The scale of the last quantization before an output; `None` if there is none near it."""
    makers = {name: node for node in model.graph.node for name in node.output}
    weights = {w.name: w for w in model.graph.initializer}
    node = makers.get(output)
    while node and node.op_type in ("Identity", "Reshape", "Transpose", "Squeeze"):
        node = makers.get(node.input[0])
    if not node or node.op_type != "DequantizeLinear":
        return None
    return float(np.max(numpy_helper.to_array(weights[node.input[1]])))


def drawn(inputs, random):
    return {name: random.normal(0, 1, sizes).astype(np.float32) for name, sizes in inputs.items()}


FORMS = {
    "qdq_u8s8": dict(quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt8,
                     weight_type=QuantType.QInt8, per_channel=True),
    "qdq_s8s8": dict(quant_format=QuantFormat.QDQ, activation_type=QuantType.QInt8,
                     weight_type=QuantType.QInt8, per_channel=False),
    "qdq_reduced": dict(quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt8,
                        weight_type=QuantType.QInt8, per_channel=True, reduce_range=True),
    "operators_u8s8": dict(quant_format=QuantFormat.QOperator, activation_type=QuantType.QUInt8,
                           weight_type=QuantType.QInt8, per_channel=True),
    "operators_u8u8": dict(quant_format=QuantFormat.QOperator, activation_type=QuantType.QUInt8,
                           weight_type=QuantType.QUInt8, per_channel=False),
}


def quantized(folder, model, inputs):
    """The forms of a model by name."""
    plain, target = folder / "plain.onnx", folder / "quantized.onnx"
    onnx.save(model, plain)
    for name, arguments in FORMS.items():
        quantize_static(plain, target, Samples(inputs, 99), **arguments)
        yield name, onnx.load(target)
    for name, kind in [("dynamic_s8", QuantType.QInt8), ("dynamic_u8", QuantType.QUInt8)]:
        quantize_dynamic(plain, target, weight_type=kind)
        yield name, onnx.load(target)


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        values = np.ascontiguousarray(values, np.float32)
        header[name] = {"dtype": "F32", "shape": list(values.shape),
                        "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    logging.disable(logging.WARNING)
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.onnx"):
        old.unlink()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    tensors = {}
    files = list(made())
    with tempfile.TemporaryDirectory() as scratch:
        for network, model in networks():
            for form, result in quantized(pathlib.Path(scratch), model, sizes_of(model)):
                files.append((f"{network}_{form}", result))
    for file, model in files:
        model.producer_version = ""
        onnx.save(model, FOLDER / f"{file}.onnx")
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        random = np.random.default_rng(7)
        names = [o.name for o in session.get_outputs()]
        largest = {name: 0.0 for name in names}
        for sample in range(SAMPLES):
            # Numbers beyond those that the ranges were found with saturate.
            given = {k: v * 4 ** sample / 2 for k, v in drawn(sizes_of(model), random).items()}
            for name, values in given.items():
                tensors[f"{file}/{sample}/{name}"] = values
            for name, values in zip(names, session.run(names, given)):
                tensors[f"{file}/{sample}/{name}"] = values
                largest[name] = max(largest[name], float(np.abs(values).max()))
        for name in names:
            tensors[f"{file}/quantum/{name}"] = np.float32([
                quantum(model, name) or largest[name] / 255])
    write_safetensors(FOLDER / "values.safetensors", tensors)


if __name__ == "__main__":
    main()
