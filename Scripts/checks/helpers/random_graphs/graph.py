"""A graph that grows by an operator at a time, with what ONNX Runtime makes of each.

Every node is run alone when it is added, without optimizations, so that a draw knows the sizes and
values it goes on from, and so that a node which ONNX Runtime refuses is not added.
"""
import random
import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

import conventions
import values

warnings.filterwarnings("ignore")
onnxruntime.set_default_logger_severity(4)

FLOAT = np.float32
MOST_ELEMENTS = 300_000
OPSETS = list(range(11, 24))
# The first operator set that has an operator, beyond 11.
SINCE = {
    "Attention": 23, "BitwiseAnd": 18, "BitwiseNot": 18, "BitwiseOr": 18, "BitwiseXor": 18,
    "Celu": 12, "Col2Im": 18, "Einsum": 12, "GridSample": 16, "GatherND": 12, "Gelu": 20, "GreaterOrEqual": 12,
    "GroupNormalization": 21, "HardSwish": 14, "LayerNormalization": 17, "LessOrEqual": 12,
    "Mish": 18, "RMSNormalization": 23, "RotaryEmbedding": 23, "Swish": 24, "Trilu": 14,
}


MICROSOFT = "com.microsoft"


def opsets(graph_opset, nodes):
    """The operator sets of a model of some nodes."""
    sets = [helper.make_opsetid("", graph_opset)]
    if any(node.domain == MICROSOFT for node in nodes):
        sets.append(helper.make_opsetid(MICROSOFT, 1))
    return sets


class Skip(Exception):
    """This draw does not fit the graph; another is tried."""


class Step:
    """A node with its session of ONNX Runtime and the results that it had."""

    def __init__(self, node, session):
        self.node, self.session = node, session

    def run(self, inputs):
        return conventions.applied(self, inputs, self.session.run(None, inputs))


def described(name, array, shape=None):
    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    return helper.make_tensor_value_info(
        name, kind, list(array.shape) if shape is None else shape)


def session(model):
    """A session of ONNX Runtime on one thread, without optimizations."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"])


class Graph:
    """The nodes, stored tensors, inputs and values of a graph.

    `values` holds every value that there is by its name; `varying` the names of those that depend
    on an input; `steps` a `Step` for each node but constants.
    """

    def __init__(self, seed, only=None, style=None, opset=None):
        self.seed, self.only = seed, only
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.opset = opset or self.random.choice(OPSETS)
        self.style = style or self.random.choices(values.STYLES, values.WEIGHTS)[0]
        self.nodes, self.stored, self.steps = [], [], []
        self.inputs, self.values = {}, {}
        self.varying, self.used = set(), set()
        self.count = 0

    # Names and values

    def name(self, prefix="t"):
        self.count += 1
        return f"{prefix}{self.count}"

    def input(self, array):
        name = self.name("x")
        self.inputs[name] = self.values[name] = np.asarray(array)
        self.varying.add(name)
        return name

    def constant(self, array):
        """A stored tensor, as an initializer or as a node."""
        array, name = np.asarray(array), self.name("c")
        self.values[name] = array
        if self.random.random() < 0.8:
            self.stored.append(numpy_helper.from_array(array, name))
        else:
            tensor = numpy_helper.from_array(array, name + "_value")
            self.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        return name

    def integers(self, numbers):
        return self.constant(np.array(numbers, np.int64))

    def number(self, value):
        return self.constant(FLOAT(value))

    def uniform(self, shape, low=-1.0, high=1.0):
        return self.numbers.uniform(low, high, size=shape).astype(FLOAT)

    def weights(self, shape, low=-1.0, high=1.0):
        """A stored tensor of weights, often of uneven scale in a graph that is."""
        array = self.uniform(shape, low, high)
        chance = self.random.random()
        if self.style in ("uneven", "extreme") and chance < 0.4:
            array = values.uneven(self.random, self.numbers, array, 6)
        elif self.style == "hostile" and chance < 0.1:
            # The largest numbers as weights overflow where layers are folded, as documented.
            array = values.hostile(self.random, self.numbers, array)
            array = np.where(np.abs(array) > 1e36, np.sign(array), array).astype(FLOAT)
        return self.constant(array)

    # Choices

    def operator(self, names):
        """One of the operators that the set has and the caller wants."""
        fitting = [
            name for name in names
            if SINCE.get(name, 0) <= self.opset and (not self.only or name in self.only)]
        if not fitting:
            raise Skip("no operator")
        return self.random.choice(fitting)

    def choose(self, fits=None, rank=None):
        """The name of a varying Float32 value, rather a late one."""
        names = [
            name for name, value in self.values.items()
            if name in self.varying and value.dtype == FLOAT
            and (rank is None or value.ndim in rank) and (fits is None or fits(value))]
        if not names:
            raise Skip("no value")
        weights = [1 + 3 * place / len(names) for place in range(len(names))]
        return self.random.choices(names, weights)[0]

    def shape(self, name):
        return list(self.values[name].shape)

    def signed(self, axis, rank):
        """The axis, sometimes counted from the end."""
        return axis - rank if self.random.random() < 0.5 else axis

    # Nodes

    def add(self, operator, inputs, count=1, **attributes):
        """Adds a node; returns the name of its output, or the names of its `count` outputs."""
        if "domain" not in attributes and SINCE.get(operator, 0) > self.opset:
            raise Skip("operator set")
        outputs = [self.name() for _ in range(count)]
        node = helper.make_node(operator, inputs, outputs, name=f"n{self.count}", **attributes)
        given = [name for name in dict.fromkeys(inputs) if name]
        graph = helper.make_graph(
            [node], "g", [described(name, self.values[name]) for name in given],
            [helper.make_empty_tensor_value_info(name) for name in outputs])
        model = helper.make_model(
            graph, opset_imports=opsets(self.opset, [node]), ir_version=8)
        try:
            step = Step(node, session(model))
            results = step.run({name: self.values[name] for name in given})
        except Exception as error:
            raise Skip(f"{operator}: {str(error)[:200]}") from None
        for result in results:
            if result.size > MOST_ELEMENTS:
                raise Skip("too large")
            if result.dtype.kind == "f" and self.style != "hostile" and result.size:
                if not np.abs(result.astype(np.float64)).max() <= values.LARGEST[self.style]:
                    raise Skip("not finite")
        for name, result in zip(outputs, results):
            self.values[name] = result
            if any(name in self.varying for name in given):
                self.varying.add(name)
        self.nodes.append(node)
        self.steps.append(step)
        self.used.update(given)
        return outputs[0] if count == 1 else outputs

    def add_with_axes(self, operator, inputs, axes, since, **attributes):
        """Adds a node whose axes are an attribute before the operator set `since`."""
        if self.opset >= since:
            return self.add(operator, [*inputs, self.integers(axes)], **attributes)
        return self.add(operator, inputs, axes=axes, **attributes)

    def reopened(self, step):
        """The step with a session that takes other sizes."""
        given = [name for name in dict.fromkeys(step.node.input) if name]
        graph = helper.make_graph(
            [step.node], "g",
            [described(name, self.values[name], [None] * self.values[name].ndim)
             for name in given],
            [helper.make_empty_tensor_value_info(name) for name in step.node.output])
        model = helper.make_model(
            graph, opset_imports=opsets(self.opset, [step.node]), ir_version=8)
        return Step(step.node, session(model))

    def attempt(self, draw):
        """Calls a draw; takes back what it added where it does not fit."""
        state = (
            len(self.nodes), len(self.stored), len(self.steps), dict(self.values),
            set(self.used), set(self.varying))
        try:
            draw(self)
            return True
        except Skip:
            nodes, stored, steps, self.values, self.used, self.varying = state
            del self.nodes[nodes:], self.stored[stored:], self.steps[steps:]
            return False

    # Models

    def ends(self, most=6):
        """The last values that nothing reads."""
        names = [
            name for name, value in self.values.items()
            if name in self.varying and name not in self.used and name not in self.inputs
            and value.size]
        return names[-most:]

    def needed(self, outputs):
        """The steps that lead to outputs, in their order."""
        names, steps = set(outputs), []
        for step in reversed(self.steps):
            if any(name in names for name in step.node.output):
                names.update(step.node.input)
                steps.append(step)
        return list(reversed(steps)), names

    def model(self, outputs, sizes=None):
        """A model of what leads to the outputs; `sizes` states those of inputs otherwise."""
        _, names = self.needed(outputs)
        nodes = [node for node in self.nodes if any(name in names for name in node.output)]
        inputs = [
            described(name, array, (sizes or {}).get(name))
            for name, array in self.inputs.items() if name in names]
        results = [
            described(name, self.values[name], [None] * self.values[name].ndim if sizes else None)
            for name in outputs]
        stored = [tensor for tensor in self.stored if tensor.name in names]
        return helper.make_model(
            helper.make_graph(nodes, "g", inputs, results, stored),
            opset_imports=opsets(self.opset, nodes), ir_version=8)

    def operators(self):
        return [step.node.op_type for step in self.steps]


def node_text(step, known):
    """A node in one line: operator, sizes of its inputs, attributes."""
    sizes = ", ".join(
        "×".join(map(str, known[name].shape)) or "scalar" for name in step.node.input if name)
    attributes = []
    for attribute in step.node.attribute:
        value = helper.get_attribute_value(attribute)
        if isinstance(value, bytes):
            value = value.decode()
        if not isinstance(value, (onnx.TensorProto, onnx.GraphProto)):
            attributes.append(f"{attribute.name} {value}")
    return f"{step.node.op_type}({sizes}) " + ", ".join(attributes)
