"""Draws a random network: its layers one after the other, each judged at once.

`Network(seed)` is the same for a seed on every machine: the structure comes from Python's
`random.Random`, values from NumPy's `RandomState`, whose streams never change.
"""
import random

import numpy as np

from judge import LAYERS, exact, judge

SIZES = [1, 2, 3, 5, 6, 7, 8, 9, 11, 13, 16, 17, 19, 23, 28, 31, 37]
CHANNELS = [1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 24, 31, 32, 33, 48, 64]
PLAIN = [
    "linear", "relu", "relu6", "selu", "sigmoid", "tanh", "hardSigmoid", "hardSigmoidKeras2",
    "hardSwish", "swish", "mish", "gelu", "geluTanh", "softplus"]
EXAMPLES = 3
# Limits of one layer, so that a network takes NumPy tenths of a second.
MOST_ELEMENTS = 60_000
MOST_PRODUCTS = 6_000_000


class Impossible(Exception):
    """A layer that does not fit the tensors there are."""


class Network:
    """A random network, its values, and what the judge says."""

    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.numbers = np.random.RandomState(seed % 2**32)
        self.inputs, self.layers, self.parameters = [], [], []
        # The judged tensors by name in the order of their creation, and the names used so far.
        self.tensors, self.used = {}, set()
        # A few are large, so that every kind of kernel and threads have something to do.
        self.is_large = self.chance(0.08)
        self.has_wild_scales = self.chance(0.15)
        self.has_large_means = self.chance(0.12)
        self.draw()

    # ---- chance ----

    def chance(self, probability):
        return self.random.random() < probability

    def one(self, options):
        return self.random.choice(options)

    def normal(self, *sizes):
        return self.numbers.standard_normal(sizes).astype(np.float32)

    def scales(self, count):
        """One factor per channel: all 1, or very different ones."""
        if not (self.has_wild_scales and self.chance(0.5)):
            return np.ones(count, np.float32)
        return (10 ** self.numbers.uniform(-3, 3, count)).astype(np.float32)

    # ---- the network ----

    def draw(self):
        for _ in range(self.one([1, 1, 1, 1, 2, 2, 3])):
            self.add_input()
        target = self.one(range(2, 6)) if self.is_large else self.one(range(2, 19))
        attempts = 0
        while len(self.layers) < target and attempts < 30 * target:
            attempts += 1
            self.try_one(self.random.choices(list(DRAWERS), WEIGHTS)[0])
        # All that nothing uses becomes an output; too many are joined first.
        while len(self.leaves()) > 3:
            self.join(self.leaves()[:2])
        for name in self.leaves():
            if name in {spec["name"] for spec in self.inputs}:
                self.add(self.layer("Activation", [name], activation="tanh"), limited=False)
        leaves = self.leaves()
        inner = [spec["name"] for spec in self.layers if spec["name"] not in leaves]
        if inner and len(leaves) < 3 and self.chance(0.25):
            leaves.append(self.one(inner))
        self.random.shuffle(leaves)
        self.outputs = leaves

    def leaves(self):
        return [name for name in self.tensors if name not in self.used]

    def join(self, names):
        small = [
            self.add(self.layer("GlobalMaxPooling", [name]), limited=False)
            if len(self.sizes(name)) == 3 else name for name in names]
        flat = [self.add(self.layer("Flatten", [name]), limited=False) for name in small]
        joined = self.add(self.layer("Concatenate", flat, axis=-1), limited=False)
        try:
            self.add(
                self.layer("Dense", [joined], channels=self.one(CHANNELS), **self.dressing()))
        except Impossible:
            pass

    def add_input(self):
        index = len(self.inputs)
        images = [spec["sizes"] for spec in self.inputs if len(spec["sizes"]) == 3]
        if images and self.chance(0.6):
            sizes = self.similar(images[0])
        elif self.is_large:
            sizes = [self.one([29, 37, 56]), self.one([31, 40, 57]), self.one([32, 48, 64, 96])]
        else:
            sizes = [self.one(SIZES), self.one(SIZES), self.one(CHANNELS)]
            if self.chance(0.1):
                sizes = sizes[1:] if self.chance(0.5) else sizes[2:]
        values = self.normal(EXAMPLES, *sizes) * self.scales(sizes[-1])
        if self.has_large_means:
            values += np.float32(10 ** self.random.uniform(1, 3)) * self.scales(sizes[-1])
        name = f"input{index}"
        self.inputs.append({"name": name, "sizes": sizes, "values": values.astype(np.float32)})
        self.tensors[name] = exact(self.inputs[-1]["values"])

    def similar(self, sizes):
        """Sizes that broadcast with those given."""
        return [size if self.chance(0.8) else 1 for size in sizes]

    def sizes(self, name):
        return list(self.tensors[name].values.shape[1:])

    def pick(self, rank=None):
        """A tensor, rather the newest, or one that nothing uses."""
        names = [n for n in self.tensors if rank is None or len(self.sizes(n)) == rank]
        if not names:
            raise Impossible
        return names[-1] if self.chance(0.5) else self.rather_unused(names)

    def rather_unused(self, names):
        """One of the names, mostly one that nothing uses."""
        unused = [name for name in names if name not in self.used]
        return self.one(unused if unused and self.chance(0.75) else names)

    def layer(self, kind, inputs, **arguments):
        """A layer with a name of its own."""
        name = f"{kind.lower()}{len(self.layers)}"
        return {"type": kind, "name": name, "inputs": inputs, **arguments}

    def try_one(self, kind):
        try:
            self.add(DRAWERS[kind](self, kind))
        except Impossible:
            pass

    def add(self, layer, limited=True):
        """Draws the layer's parameters and judges it; returns its name."""
        inputs = [self.tensors[name] for name in layer["inputs"]]
        parameters = self.draw_parameters(layer, [self.sizes(name) for name in layer["inputs"]])
        self.check_work(layer, parameters)
        with np.errstate(all="ignore"):
            result = judge(layer, parameters, inputs)
        if limited:
            self.check_result(result)
        self.layers.append(layer)
        self.tensors[layer["name"]] = result
        self.used.update(layer["inputs"])
        for kind, values in parameters.items():
            self.parameters.append({"layer": layer["name"], "type": kind, "values": values})
        return layer["name"]

    def check_work(self, layer, parameters):
        """Refuses what would take NumPy too long."""
        height, width = 1, 1
        if "kernel" in layer or layer["type"] == "PointwiseConvolution":
            height, width, _ = self.sizes(layer["inputs"][0])
        window = np.prod(layer.get("kernel", [1, 1]))
        weights = parameters["weights"].size if "weights" in parameters else window
        limit = (25 if self.is_large else 1) * MOST_PRODUCTS
        if weights > 1_000_000 or height * width * weights > limit:
            raise Impossible

    def check_result(self, result):
        """Refuses numbers that overflow or vanish, and tensors that are too large."""
        peak = np.abs(result.values).max()
        if not np.isfinite(result.variance).all() or not (peak == 0 or 1e-12 < peak < 1e12):
            raise Impossible
        if result.values[0].size > (10 if self.is_large else 1) * MOST_ELEMENTS:
            raise Impossible

    def draw_parameters(self, layer, sizes):
        """The parameters of a layer by type, in Forge's order of axes."""
        kind, channels = layer["type"], sizes[0][-1] if sizes else 0
        if kind == "PReLU":
            shape = [1 if axis in layer["shared"] else size
                     for axis, size in zip(axes(len(sizes[0])), sizes[0])]
            if all(axis in layer["shared"] for axis in axes(len(sizes[0]))[:-1]):
                shape = shape[-1:]
            return {"slopes": self.normal(*shape) * np.float32(0.3)}
        if kind == "BatchNormalization":
            result = {}
            if layer["scale"]:
                result["gamma"] = self.normal(channels) * self.scales(channels)
            if layer["center"]:
                result["beta"] = self.normal(channels)
            result["mean"] = self.normal(channels) * np.float32(self.one([0.3, 1, 30]))
            result["variance"] = np.abs(self.normal(channels)) * self.scales(channels) ** 2
            return result
        shapes = {
            "Convolution": lambda: [
                layer["channels"], *layer["kernel"][::-1], channels // layer["groups"]],
            "PointwiseConvolution": lambda: [layer["channels"], 1, 1, channels],
            "DepthwiseConvolution": lambda: [
                channels, layer["multiplier"], *layer["kernel"][::-1]],
            "Dense": lambda: [layer["channels"], int(np.prod(sizes[0]))],
        }
        if kind not in shapes:
            return {}
        shape = shapes[kind]()
        outputs = shape[0] * shape[1] if kind == "DepthwiseConvolution" else shape[0]
        inside = int(np.prod(shape)) // outputs
        scales = self.scales(outputs)
        if inside * outputs > 1_000_000:
            raise Impossible
        weights = self.normal(outputs, inside) * scales[:, None] / np.float32(inside**0.5)
        result = {"weights": weights.reshape(shape).astype(np.float32)}
        if layer["useBias"]:
            result["biases"] = self.normal(outputs) * scales * np.float32(0.5)
        return result

    # ---- arguments ----

    def dressing(self):
        """The activation and the bias of a layer with weights."""
        function = {"activation": self.one(PLAIN)} if self.chance(0.5) else self.function()
        return {"useBias": self.chance(0.8), **function}

    def function(self):
        name = self.one(PLAIN + ["clipped", "leakyReLU", "elu", "hardSigmoidLinear"])
        numbers = {
            "clipped": lambda: [-self.number(0, 2), self.number(0, 3)],
            "leakyReLU": lambda: [self.number(0.01, 0.9)],
            "elu": lambda: [self.number(0.1, 2)],
            "hardSigmoidLinear": lambda: [self.number(0.1, 0.6), self.number(0, 1)],
        }
        return {"activation": name, "numbers": numbers[name]() if name in numbers else []}

    def number(self, low, high):
        """A Float32 as a Python number."""
        return float(np.float32(self.random.uniform(low, high)))

    def constant(self, channels):
        return [self.number(-2, 2) for _ in range(self.one([1, channels]))]

    def window(self, sizes, dilates=True, pools=False):
        """Kernel, stride, dilation and padding that leave a pixel; (width, height) pairs."""
        height, width, _ = sizes
        kernel = [self.one([1, 2, 3, 3, 3, 4, 5, 7]) for _ in range(2)]
        if self.chance(0.5):
            kernel = [self.one([1, 3, 3, 5])] * 2
        stride = [1, 1] if self.chance(0.5) else [self.one([1, 2, 3]) for _ in range(2)]
        dilation = [1, 1]
        if dilates and self.chance(0.2):
            dilation = [self.one([1, 2, 3]) for _ in range(2)]
        arguments = {"kernel": kernel, "stride": stride, "padding": self.one(["same", "valid"])}
        if dilates:
            arguments["dilation"] = dilation
        extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
        edges = [0, 0, 0, 0]
        if self.chance(0.3):
            # A pooling's padding is smaller than its kernel.
            edges = [
                self.random.randint(0, (kernel[i % 2 == 0] - 1) if pools else extent[i % 2 == 0])
                for i in range(4)]
            arguments.update(padding="explicit", edges=edges)
        rows, columns = height + edges[0] + edges[2], width + edges[1] + edges[3]
        if arguments["padding"] != "same" and (rows < extent[1] or columns < extent[0]):
            raise Impossible
        return arguments


def axes(rank):
    return {1: ["channels"], 2: ["time", "channels"]}.get(rank, ["height", "width", "channels"])


# ---- one function per kind of layer --------------------------------------------------------------


def draw_convolution(net, kind):
    x = net.pick(3)
    channels = net.sizes(x)[-1]
    groups = 1
    if net.chance(0.25):
        groups = net.one([g for g in range(1, channels + 1) if channels % g == 0])
    outputs = net.one(CHANNELS) if groups == 1 else groups * net.one([1, 2, 3, 8])
    return net.layer(
        kind, [x], channels=outputs, groups=groups, **net.window(net.sizes(x)), **net.dressing())


def draw_depthwise(net, kind):
    x = net.pick(3)
    return net.layer(
        kind, [x], multiplier=net.one([1, 1, 1, 2, 3]), **net.window(net.sizes(x)),
        **net.dressing())


def draw_pointwise(net, kind):
    stride = net.one([[1, 1], [1, 1], [2, 2], [1, 3]])
    return net.layer(
        kind, [net.pick(3)], channels=net.one(CHANNELS), stride=stride, **net.dressing())


def draw_dense(net, kind):
    return net.layer(kind, [net.pick()], channels=net.one(CHANNELS), **net.dressing())


def draw_pooling(net, kind):
    x = net.pick(3)
    arguments = net.window(net.sizes(x), dilates=False, pools=True)
    if kind == "AveragePooling":
        arguments["counted"] = net.chance(0.5)
    return net.layer(kind, [x], **arguments)


def draw_image(net, kind):
    return net.layer(kind, [net.pick(3)])


def draw_any(net, kind):
    return net.layer(kind, [net.pick()])


def draw_activation(net, kind):
    return net.layer(kind, [net.pick()], **net.function())


def draw_prelu(net, kind):
    x = net.pick()
    rank = len(net.sizes(x))
    if rank > 3:
        raise Impossible
    shared = [["time", "height", "width"], [], ["time", "height", "width", "channels"], ["height"]]
    return net.layer(kind, [x], shared=net.one(shared))


def draw_normalization(net, kind):
    return net.layer(
        kind, [net.pick()], epsilon=net.one([float(np.float32(0.001)), float(np.float32(1e-5))]),
        center=net.chance(0.8), scale=net.chance(0.8))


def draw_scale(net, kind):
    x = net.pick()
    channels = net.sizes(x)[-1]
    return net.layer(
        kind, [x], factors=net.constant(channels), constant=net.constant(channels))


def draw_elementwise(net, kind):
    x = net.pick()
    sizes = net.sizes(x)
    if kind != "Average" and net.chance(0.25):
        return net.layer(kind, [x], constant=net.constant(sizes[-1]))
    others = [name for name in net.tensors if broadcasts(net.sizes(name), sizes)]
    inputs = [x, net.rather_unused(others)]
    if kind != "Subtract" and net.chance(0.2):
        inputs.append(net.rather_unused(others))
    net.random.shuffle(inputs)
    result = [max(along) for along in zip(*(padded(net.sizes(name), 8) for name in inputs))]
    if np.prod(result) > MOST_ELEMENTS or not all(
            broadcasts(net.sizes(name), result) for name in inputs):
        raise Impossible
    return net.layer(kind, inputs)


def padded(sizes, rank):
    """Sizes with leading ones."""
    return [1] * (rank - len(sizes)) + sizes


def broadcasts(a, b):
    return all(x == y or 1 in (x, y) for x, y in zip(a[::-1], b[::-1]))


def draw_concatenation(net, kind):
    x = net.pick()
    sizes = net.sizes(x)
    axis = net.one(range(len(sizes)))

    def fits(other):
        return len(other) == len(sizes) and all(
            i == axis or a == b for i, (a, b) in enumerate(zip(other, sizes)))

    others = [name for name in net.tensors if fits(net.sizes(name))]
    inputs = [x] + [net.rather_unused(others) for _ in range(net.one([1, 1, 2]))]
    net.random.shuffle(inputs)
    return net.layer(kind, inputs, axis=axis - len(sizes) if net.chance(0.3) else axis)


def draw_reshape(net, kind):
    x = net.pick()
    count = int(np.prod(net.sizes(x)))
    sizes = []
    for _ in range(net.one([0, 1, 2, 2, 2, 3])):
        divisor = net.one([d for d in range(1, min(count, 64) + 1) if count % d == 0])
        sizes.append(divisor)
        count //= divisor
    return net.layer(kind, [x], size=sizes + [count])


def draw_permutation(net, kind):
    x = net.pick()
    order = list(range(len(net.sizes(x))))
    net.random.shuffle(order)
    return net.layer(kind, [x], order=order)


def draw_resize(net, kind):
    return net.layer(
        kind, [net.pick(3)], size=[net.one(SIZES), net.one(SIZES)],
        mode=net.one(["nearest", "bilinear", "bilinearAntialiased"]))


def draw_up_sampling(net, kind):
    return net.layer(
        kind, [net.pick(3)], size=[net.one([1, 2, 2, 3]), net.one([1, 2, 2, 3])],
        mode=net.one(["nearest", "bilinear"]))


def draw_edges(net, kind):
    x = net.pick(3)
    height, width, _ = net.sizes(x)
    edges = [net.one([0, 0, 1, 2, 3]) for _ in range(4)]
    if kind == "Crop" and (edges[0] + edges[2] >= height or edges[1] + edges[3] >= width):
        raise Impossible
    return net.layer(kind, [x], edges=edges)


DRAWERS = {
    "Convolution": draw_convolution,
    "DepthwiseConvolution": draw_depthwise,
    "PointwiseConvolution": draw_pointwise,
    "Dense": draw_dense,
    "MaxPooling": draw_pooling,
    "AveragePooling": draw_pooling,
    "GlobalMaxPooling": draw_image,
    "GlobalAveragePooling": draw_image,
    "Activation": draw_activation,
    "Softmax": draw_any,
    "LogSoftmax": draw_any,
    "PReLU": draw_prelu,
    "BatchNormalization": draw_normalization,
    "Scale": draw_scale,
    "Add": draw_elementwise,
    "Subtract": draw_elementwise,
    "Multiply": draw_elementwise,
    "Maximum": draw_elementwise,
    "Minimum": draw_elementwise,
    "Average": draw_elementwise,
    "Concatenate": draw_concatenation,
    "Flatten": draw_any,
    "Reshape": draw_reshape,
    "Permute": draw_permutation,
    "Resize": draw_resize,
    "UpSampling": draw_up_sampling,
    "Crop": draw_edges,
    "ZeroPadding": draw_edges,
    "Dropout": draw_any,
}
assert set(DRAWERS) == set(LAYERS)
FREQUENT = {
    "Convolution": 8, "DepthwiseConvolution": 4, "PointwiseConvolution": 4, "Dense": 2,
    "MaxPooling": 2, "AveragePooling": 2, "BatchNormalization": 2, "Activation": 2, "Add": 3,
    "Multiply": 2, "Concatenate": 6}
WEIGHTS = [FREQUENT.get(kind, 1) for kind in DRAWERS]
