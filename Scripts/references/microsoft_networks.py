"""A convolutional network and three kinds of transformers as PyTorch writes them to ONNX.

ONNX Runtime's optimizer recognizes their patterns and puts its own operators in their place.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """A graph that is written node by node."""

    def __init__(self, seed, opset=17):
        self.random = np.random.default_rng(seed)
        self.opset = opset
        self.nodes, self.stored, self.inputs, self.outputs = [], [], [], []

    def input(self, name, sizes, type=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, type, sizes))
        return name

    def output(self, value, name, type=TensorProto.FLOAT):
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, type, None))

    def constant(self, values, type=np.float32):
        name = f"c{len(self.stored)}"
        self.stored.append(numpy_helper.from_array(np.asarray(values, type), name))
        return name

    def weights(self, *sizes, scale=None):
        """Numbers whose products keep the scale of what they are multiplied with."""
        scale = scale or (3 / max(int(np.prod(sizes[1:] if len(sizes) > 2 else sizes[:1])), 1)) ** 0.5
        return self.constant(self.random.uniform(-scale, scale, sizes))

    def around(self, mean, *sizes):
        return self.constant(mean + self.random.uniform(-0.3, 0.3, sizes))

    def node(self, type, *inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(type, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def model(self, name):
        graph = helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.stored)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=9)


def cnn():
    """Convolutions with every activation that the optimizer fuses, sums, poolings and a classifier."""
    g = Graph(1)

    def conv(x, inputs, outputs, kernel=3, groups=1, bias=True, **attributes):
        operands = [x, g.weights(outputs, inputs // groups, kernel, kernel)]
        if bias:
            operands.append(g.around(0, outputs))
        return g.node("Conv", *operands, group=groups, kernel_shape=[kernel] * 2,
                      pads=[kernel // 2] * 4, **attributes)

    def norm(x, channels):
        return g.node("BatchNormalization", x, g.around(1, channels), g.around(0, channels),
                      g.around(0, channels), g.around(1, channels), epsilon=1e-5)

    x = g.input("image", ["N", 3, 29, 31])
    x = g.node("Relu", norm(conv(x, 3, 24, bias=False, strides=[2, 2]), 24))
    x = g.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    y = g.node("LeakyRelu", conv(x, 24, 24), alpha=0.1)
    y = norm(conv(y, 24, 24), 24)
    x = g.node("Relu", g.node("Add", y, x))
    y = g.node("HardSigmoid", conv(g.node("GlobalAveragePool", x), 24, 24, 1), alpha=1 / 6, beta=0.5)
    x = g.node("Mul", x, y)
    x = g.node("Clip", conv(x, 24, 24, groups=24), g.constant(0), g.constant(6))
    a = g.node("Sigmoid", conv(x, 24, 16, 1))
    b = g.node("Tanh", conv(x, 24, 16))
    c = g.node("AveragePool", conv(x, 24, 16, 1), kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    x = g.node("Concat", a, b, c, axis=1)
    x = g.node("Relu", conv(x, 48, 30, groups=3))
    x = g.node("Flatten", g.node("GlobalAveragePool", x))
    x = g.node("Relu", g.node("Gemm", x, g.weights(30, 17), g.around(0, 17)))
    g.output(g.node("Gemm", x, g.weights(10, 17), g.around(0, 10), transB=1), "scores")
    return g.model("cnn")


def blocks():
    """A convolution between numbers of channels that fill blocks of 8 and of 16."""
    g = Graph(5)
    x = g.input("image", [1, 16, 5, 7])
    g.output(g.node("Conv", x, g.weights(16, 16, 3, 3), kernel_shape=[3, 3], pads=[1] * 4), "y")
    return g.model("blocks")


def norm(g, x, hidden, epsilon=1e-12):
    """A layer normalization in single steps."""
    centered = g.node("Sub", x, g.node("ReduceMean", x, axes=[-1]))
    variance = g.node("ReduceMean", g.node("Pow", centered, g.constant(2)), axes=[-1])
    root = g.node("Sqrt", g.node("Add", variance, g.constant(epsilon)))
    scaled = g.node("Mul", g.node("Div", centered, root), g.around(1, hidden))
    return g.node("Add", scaled, g.around(0, hidden))


def linear(g, x, inputs, outputs):
    return g.node("Add", g.node("MatMul", x, g.weights(inputs, outputs)), g.around(0, outputs))


def gelu(g, x):
    erf = g.node("Erf", g.node("Div", x, g.constant(2**0.5)))
    product = g.node("Mul", x, g.node("Add", erf, g.constant(1)))
    return g.node("Mul", product, g.constant(0.5))


def fast_gelu(g, x):
    """The approximation by a hyperbolic tangent."""
    cube = g.node("Pow", x, g.constant(3))
    sum = g.node("Add", x, g.node("Mul", cube, g.constant(0.044715)))
    tanh = g.node("Tanh", g.node("Mul", sum, g.constant((2 / np.pi) ** 0.5)))
    half = g.node("Mul", x, g.constant(0.5))
    return g.node("Mul", half, g.node("Add", tanh, g.constant(1)))


def size(g, x, axis):
    return g.node("Gather", g.node("Shape", x), g.constant(axis, np.int64), axis=0)


def shape(g, *sizes):
    """A shape of numbers and of scalars that nodes compute."""
    parts = [
        g.constant([s], np.int64) if isinstance(s, int)
        else g.node("Unsqueeze", s, g.constant([0], np.int64)) for s in sizes]
    return g.node("Concat", *parts, axis=0)


def bert(batch="N", length="T", layers=2, heads=3, width=8, vocabulary=37):
    """An encoder: embeddings, and layers with the norm after each sum."""
    hidden = heads * width
    g = Graph(2, opset=13)
    ids = g.input("input_ids", [batch, length], TensorProto.INT64)
    mask = g.input("attention_mask", [batch, length], TensorProto.INT64)
    types = g.input("token_type_ids", [batch, length], TensorProto.INT64)
    wide = g.node("Unsqueeze", g.node("Unsqueeze", mask, g.constant([1], np.int64)),
                  g.constant([2], np.int64))
    inverse = g.node("Sub", g.constant(1), g.node("Cast", wide, to=TensorProto.FLOAT))
    bias = g.node("Mul", inverse, g.constant(-10000))
    count = size(g, ids, 1)
    places = g.constant(np.arange(16)[None], np.int64)
    places = g.node("Slice", places, g.constant([0], np.int64),
                    g.node("Unsqueeze", count, g.constant([0], np.int64)),
                    g.constant([1], np.int64))
    words = g.node("Gather", g.weights(vocabulary, hidden, scale=1), ids)
    x = g.node("Add", words, g.node("Gather", g.weights(2, hidden, scale=1), types))
    x = g.node("Add", x, g.node("Gather", g.weights(16, hidden, scale=1), places))
    x = norm(g, x, hidden)
    for _ in range(layers):
        def split(y, order):
            y = g.node("Reshape", y, shape(g, size(g, y, 0), size(g, y, 1), heads, width))
            return g.node("Transpose", y, perm=order)
        q = split(linear(g, x, hidden, hidden), [0, 2, 1, 3])
        k = split(linear(g, x, hidden, hidden), [0, 2, 3, 1])
        v = split(linear(g, x, hidden, hidden), [0, 2, 1, 3])
        scores = g.node("Div", g.node("MatMul", q, k), g.constant(width**0.5))
        weights = g.node("Softmax", g.node("Add", scores, bias), axis=-1)
        y = g.node("Transpose", g.node("MatMul", weights, v), perm=[0, 2, 1, 3])
        y = g.node("Reshape", y, shape(g, size(g, y, 0), size(g, y, 1), hidden))
        x = norm(g, g.node("Add", linear(g, y, hidden, hidden), x), hidden)
        y = gelu(g, linear(g, x, hidden, 2 * hidden + 1))
        x = norm(g, g.node("Add", linear(g, y, 2 * hidden + 1, hidden), x), hidden)
    g.output(x, "last_hidden_state")
    return g.model("bert")


def gpt(batch="N", length="T", layers=2, heads=3, width=5, vocabulary=37, past=False):
    """A decoder: the norm before each part, and each token attends to those before it."""
    hidden = heads * width
    g = Graph(3, opset=13)
    ids = g.input("input_ids", [batch, length], TensorProto.INT64)
    pasts = [g.input(f"past_{i}", [2, batch, heads, "P", width]) for i in range(layers)] if past else []
    count = size(g, ids, 1)
    end = count
    if past:
        positions = g.input("position_ids", [batch, length], TensorProto.INT64)
        mask = g.input("attention_mask", [batch, "L"], TensorProto.FLOAT)
        wide = g.node("Unsqueeze", g.node("Unsqueeze", mask, g.constant([1], np.int64)),
                      g.constant([2], np.int64))
        bias = g.node("Mul", g.node("Sub", g.constant(1), wide), g.constant(-10000))
    else:
        one = g.constant([0], np.int64)
        positions = g.node(
            "Slice", g.constant(np.arange(16)[None], np.int64), one,
            g.node("Unsqueeze", count, one), g.constant([1], np.int64))
    x = g.node("Add", g.node("Gather", g.weights(vocabulary, hidden, scale=1), ids),
               g.node("Gather", g.weights(16, hidden, scale=1), positions))
    triangle = g.constant(np.tril(np.ones((16, 16)))[None, None], np.bool_)

    def dense(y, inputs, outputs):
        """GPT-2's Conv1D: a Gemm on all tokens."""
        flat = g.node("Reshape", y, g.constant([-1, inputs], np.int64))
        flat = g.node("Gemm", flat, g.weights(inputs, outputs), g.around(0, outputs))
        return g.node("Reshape", flat, shape(g, size(g, y, 0), size(g, y, 1), outputs))

    for layer in range(layers):
        y = norm(g, x, hidden, 1e-5)
        parts = g.node("Split", dense(y, hidden, 3 * hidden),
                       g.constant([hidden] * 3, np.int64), outputs=3, axis=2)

        def split(y, order):
            y = g.node("Reshape", y, shape(g, size(g, y, 0), size(g, y, 1), heads, width))
            return g.node("Transpose", y, perm=order)
        q, k, v = (split(part, order) for part, order in zip(
            parts, ([0, 2, 1, 3], [0, 2, 3, 1] if not past else [0, 2, 1, 3], [0, 2, 1, 3])))
        start = None
        if past:
            at = [g.node("Gather", pasts[layer], g.constant(i, np.int64), axis=0) for i in (0, 1)]
            k = g.node("Concat", at[0], k, axis=2)
            v = g.node("Concat", at[1], v, axis=2)
            axes = g.constant([0], np.int64)
            present = g.node("Concat", g.node("Unsqueeze", k, axes), g.node("Unsqueeze", v, axes), axis=0)
            g.output(present, f"present_{layer}")
            start = g.node("Sub", size(g, k, 2), size(g, q, 2))
            end = size(g, k, 2)
            k = g.node("Transpose", k, perm=[0, 1, 3, 2])
        scores = g.node("Div", g.node("MatMul", q, k), g.constant(width**0.5))
        zero, two, three = (g.constant([i], np.int64) for i in (0, 2, 3))
        axis = g.constant([0], np.int64)
        rows = g.node("Slice", triangle, zero if start is None else g.node("Unsqueeze", start, axis),
                      g.node("Unsqueeze", end, axis), two)
        visible = g.node("Slice", rows, zero, g.node("Unsqueeze", end, axis), three)
        scores = g.node("Where", visible, scores, g.constant(-10000))
        if past:
            scores = g.node("Add", scores, bias)
        y = g.node("MatMul", g.node("Softmax", scores, axis=-1), v)
        y = g.node("Transpose", y, perm=[0, 2, 1, 3])
        y = g.node("Reshape", y, shape(g, size(g, y, 0), size(g, y, 1), hidden))
        x = g.node("Add", x, dense(y, hidden, hidden))
        y = norm(g, x, hidden, 1e-5)
        y = dense(fast_gelu(g, dense(y, hidden, 4 * hidden)), 4 * hidden, hidden)
        x = g.node("Add", x, y)
    g.output(norm(g, x, hidden, 1e-5), "last_hidden_state")
    return g.model("gpt")


def llama(batch, length, layers=2, heads=3, width=4, vocabulary=37):
    """A decoder with norms by the root of the mean square, rotated positions and gated parts."""
    hidden = heads * width
    g = Graph(4, opset=17)
    ids = g.input("input_ids", [batch, length], TensorProto.INT64)
    angles = np.arange(length)[:, None] / 100 ** (np.arange(width // 2) / (width // 2))
    angles = np.concatenate([angles, angles], 1)[None, None]
    hidden_keys = np.where(np.tri(length) > 0, 0, -1e9)[None, None]

    def norm(x):
        mean = g.node("ReduceMean", g.node("Pow", x, g.constant(2)), axes=[-1])
        root = g.node("Sqrt", g.node("Add", mean, g.constant(1e-6)))
        return g.node("Mul", g.around(1, hidden), g.node("Mul", x, g.node("Div", g.constant(1), root)))

    def product(x, inputs, outputs):
        return g.node("MatMul", x, g.weights(inputs, outputs))

    def split(x):
        x = g.node("Reshape", product(x, hidden, hidden), g.constant([batch, length, heads, width], np.int64))
        return g.node("Transpose", x, perm=[0, 2, 1, 3])

    def rotated(x):
        axis = g.constant([3], np.int64)
        first = g.node("Slice", x, g.constant([0], np.int64), g.constant([width // 2], np.int64), axis)
        rest = g.node("Slice", x, g.constant([width // 2], np.int64), g.constant([width], np.int64), axis)
        turned = g.node("Concat", g.node("Neg", rest), first, axis=-1)
        return g.node("Add", g.node("Mul", x, g.constant(np.cos(angles))),
                      g.node("Mul", turned, g.constant(np.sin(angles))))

    x = g.node("Gather", g.weights(vocabulary, hidden, scale=1), ids)
    for _ in range(layers):
        y = norm(x)
        q, k, v = rotated(split(y)), rotated(split(y)), split(y)
        scores = g.node("MatMul", q, g.node("Transpose", k, perm=[0, 1, 3, 2]))
        scores = g.node("Add", g.node("Div", scores, g.constant(width**0.5)), g.constant(hidden_keys))
        y = g.node("MatMul", g.node("Softmax", scores, axis=-1), v)
        y = g.node("Reshape", g.node("Transpose", y, perm=[0, 2, 1, 3]),
                   g.constant([batch, length, hidden], np.int64))
        x = g.node("Add", x, product(y, hidden, hidden))
        y = norm(x)
        gate = product(y, hidden, 2 * hidden + 1)
        gate = g.node("Mul", gate, g.node("Sigmoid", gate))
        y = g.node("Mul", gate, product(y, hidden, 2 * hidden + 1))
        x = g.node("Add", x, product(y, 2 * hidden + 1, hidden))
    g.output(norm(x), "last_hidden_state")
    return g.model("llama")
