"""Writes Keras's networks of sequences as .onnx, with the operators that exporters of PyTorch write.

What tf2onnx makes of Keras's attention are Einsum operators, which no runtime fuses; of an LSTM it makes a loop.
"""
import numpy
from onnx import TensorProto, checker, helper, numpy_helper


class Writer:
    """A graph that grows by one operator at a time."""

    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0

    def constant(self, values, name=None):
        self.count += 1
        name = name or f"constant{self.count}"
        self.constants.append(numpy_helper.from_array(numpy.array(values, order="C"), name))
        return name

    def numbers(self, *values):
        return self.constant(numpy.array(values, numpy.int64))

    def add(self, kind, *inputs, outputs=1, **attributes):
        self.count += 1
        results = [f"{kind}{self.count}" + (f"_{index}" if index else "") for index in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, results, name=f"{kind}{self.count}", **attributes))
        return results[0] if outputs == 1 else results

    def model(self, inputs, outputs):
        """The finished model; inputs and outputs are names with their sizes."""
        def described(values):
            return [helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes) for name, sizes in values]

        graph = helper.make_graph(self.nodes, "network", described(inputs), described(outputs), self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        checker.check_model(model)
        return model

    def dense(self, x, kernel, bias):
        return self.add("Add", self.add("MatMul", x, self.constant(kernel)), self.constant(bias))

    def norm(self, x, layer):
        gamma, beta = layer.get_weights()
        return self.add("LayerNormalization", x, self.constant(gamma), self.constant(beta),
                        axis=-1, epsilon=layer.epsilon)

    def gelu(self, x):
        erf = self.add("Erf", self.add("Div", x, self.scalar(numpy.sqrt(2))))
        return self.add("Mul", self.add("Mul", x, self.add("Add", erf, self.scalar(1))), self.scalar(0.5))

    def scalar(self, value):
        # With one axis: else MNN recognizes GELU and computes an approximation, off by some 1e-4.
        return self.constant(numpy.array([value], numpy.float32))


def attention(graph, x, layer, sizes):
    width = sizes.channels // sizes.heads
    weights = layer.get_weights()  # kernel and bias of query, key, value and output

    def heads(index, order):
        kernel, bias = weights[2 * index].reshape(sizes.channels, -1), weights[2 * index + 1].reshape(-1)
        parts = graph.add("Reshape", graph.dense(x, kernel, bias), graph.numbers(0, 0, sizes.heads, width))
        return graph.add("Transpose", parts, perm=order)

    query, key, value = heads(0, [0, 2, 1, 3]), heads(1, [0, 2, 3, 1]), heads(2, [0, 2, 1, 3])
    scores = graph.add("Div", graph.add("MatMul", query, key), graph.scalar(numpy.sqrt(width)))
    means = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), value)
    joined = graph.add("Reshape", graph.add("Transpose", means, perm=[0, 2, 1, 3]),
                       graph.numbers(0, 0, sizes.channels))
    return graph.dense(joined, weights[6].reshape(-1, sizes.channels), weights[7])


def encoder_layers(graph, x, model, sizes):
    for number in range(sizes.depth):
        part = {name: model.get_layer(f"layer{number}_{name}")
                for name in ("attention", "norm1", "norm2", "dense1", "dense2")}

        def dense(x):
            x = graph.gelu(graph.dense(x, *part["dense1"].get_weights()))
            return graph.dense(x, *part["dense2"].get_weights())

        if sizes.before:
            x = graph.add("Add", attention(graph, graph.norm(x, part["norm1"]), part["attention"], sizes), x)
            x = graph.add("Add", dense(graph.norm(x, part["norm2"])), x)
        else:
            x = graph.norm(graph.add("Add", attention(graph, x, part["attention"], sizes), x), part["norm1"])
            x = graph.norm(graph.add("Add", dense(x), x), part["norm2"])
    return x


def encoder(model, sizes):
    graph = Writer()
    shape = [1, sizes.tokens, sizes.channels]
    return graph.model([("tokens", shape)], [(encoder_layers(graph, "tokens", model, sizes), shape)])


def vision_transformer(model, sizes):
    """Of channels-last pictures, as Keras's."""
    graph = Writer()
    kernel, bias = model.get_layer("patches").get_weights()
    patches = graph.add(
        "Conv", graph.add("Transpose", "image", perm=[0, 3, 1, 2]),
        graph.constant(kernel.transpose(3, 2, 0, 1)), graph.constant(bias),
        kernel_shape=[sizes.PATCH] * 2, strides=[sizes.PATCH] * 2)
    flat = graph.add("Reshape", patches, graph.numbers(0, sizes.channels, sizes.tokens - 1))
    positions = model.get_layer("positions").get_weights()[0].reshape(1, sizes.tokens, sizes.channels)
    token = positions[:, :1] / 2  # one half is the token's, one its position's
    positions = numpy.concatenate([positions[:, :1] - token, positions[:, 1:]], axis=1)
    x = graph.add("Concat", graph.constant(token), graph.add("Transpose", flat, perm=[0, 2, 1]), axis=1)
    x = encoder_layers(graph, graph.add("Add", x, graph.constant(positions)), model, sizes)
    first = graph.add("Gather", graph.norm(x, model.get_layer("norm")),
                      graph.constant(numpy.array(0, numpy.int64)), axis=1)
    classes = graph.dense(first, *model.get_layer("classes").get_weights())
    return graph.model([("image", [1, sizes.SIZE, sizes.SIZE, 3])], [(classes, [1, sizes.CLASSES])])


def recurrent(model, frames, states=False):
    """All LSTM layers of a model; with states these are inputs and outputs, too."""
    graph = Writer()
    lstms = [layer for layer in model.layers if layer.name.startswith("lstm")]
    inputs, ends = [("frames", [1, frames, model.input_shape[-1]])], []
    x = graph.add("Transpose", "frames", perm=[1, 0, 2])
    for number, layer in enumerate(lstms, start=1):
        kernel, recurrent_kernel, bias = layer.get_weights()
        given = ["", "", ""]  # no lengths; the states
        if states:
            given[1:] = [f"hidden{number}", f"cells{number}"]
            inputs += [(name, [1, 1, layer.units]) for name in given[1:]]
        both = numpy.concatenate([gates(bias), numpy.zeros_like(bias)])[None]
        y, *new = graph.add(
            "LSTM", x, graph.constant(gates(kernel).T[None]), graph.constant(gates(recurrent_kernel).T[None]),
            graph.constant(both), *given, outputs=3, hidden_size=layer.units)
        ends += [(name, [1, 1, layer.units]) for name in new if states]
        x = graph.add("Squeeze", y, graph.numbers(1))
    x = graph.add("Transpose", x, perm=[1, 0, 2])
    return graph.model(inputs, [(x, [1, frames, lstms[-1].units]), *ends])


def gates(values):
    """From Keras's order of the gates (input, forget, cell, output) to ONNX's (input, output, forget, cell)."""
    i, f, c, o = numpy.split(values, 4, axis=-1)
    return numpy.concatenate([i, o, f, c], axis=-1)
