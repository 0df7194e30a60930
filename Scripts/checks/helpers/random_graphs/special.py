"""Fixed small graphs: special values, casts, integers, empty tensors, quantization, reductions.

Each is a list of nodes over named inputs `x`, `z` and stored tensors. They go through the same
judge as random graphs; integers must be the same.
"""
import tempfile

import numpy as np
from onnx import helper, numpy_helper

import tool
from graph import Graph, Step, described, session
from judge import Verdict, judge

FLOAT, HALF, LONG = np.float32, np.float16, np.int64
NAN, INF = FLOAT("nan"), FLOAT("inf")
X = np.array([[
    NAN, INF, -INF, 0.0, -0.0, 1e-40, -1e-40, 3.4e38, -3.4e38, 1, -1, 0.5, 2.5, -2.5, 1.5]], FLOAT)
CASES = []


def case(name, nodes, inputs, stored=(), opset=18, outputs=("y",)):
    """Registers a graph. A node is (operator, inputs, outputs) with or without attributes."""
    CASES.append((name, nodes, inputs, dict(stored), opset, outputs))


def one(name, operator, inputs, stored=(), opset=18, outputs=("y",), **attributes):
    """A graph of one node that reads all inputs and stored tensors in order."""
    names = [*inputs, *dict(stored)]
    case(name, [(operator, names, list(outputs), attributes)], inputs, stored, opset, outputs)


def folded(name, nodes, stored):
    """A graph that adds what nodes make of stored integers, as Float32, to an input."""
    count = max(np.size(value) for value in stored.values())
    case(
        name, nodes + [("Cast", ["r"], ["f"], {"to": 1}), ("Add", ["x", "f"], ["y"])],
        {"x": np.zeros(count, FLOAT)}, stored)


def register_functions():
    for operator in [
            "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Celu", "Cos",
            "Cosh", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish", "Identity",
            "IsInf", "IsNaN", "LeakyRelu", "Log", "Mish", "Neg", "Reciprocal", "Relu", "Round",
            "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt",
            "Tan", "Tanh", "ThresholdedRelu"]:
        one(operator, operator, {"x": X}, opset=20)
    rows = [
        X, X[:, 3:], X[:, 1:], np.array([[INF, 1, 2]], FLOAT), np.array([[-INF, -INF]], FLOAT),
        np.array([[-INF, 1]], FLOAT), np.array([[3e38, -3e38]], FLOAT)]
    for operator in ["Softmax", "LogSoftmax", "Hardmax"]:
        for place, row in enumerate(rows):
            one(f"{operator} of row {place}", operator, {"x": row}, axis=-1)
    for low, high in [(-1, 1), (1, -1), (-INF, INF), (NAN, 1), (-1, NAN), (NAN, NAN)]:
        bounds = {"low": FLOAT(low), "high": FLOAT(high)}
        one(f"Clip to {low} and {high}", "Clip", {"x": X}, bounds)
    turned = np.roll(X, 3, 1)
    for operator in ["Add", "Div", "Max", "Min", "Mul", "PRelu", "Pow", "Sub"]:
        one(f"{operator} of inputs", operator, {"x": X, "z": turned})
        one(f"{operator} of a stored tensor", operator, {"x": X}, {"z": turned})
        one(f"{operator} of NaN", operator, {"x": X}, {"z": np.array([NAN], FLOAT)})
    one("Mod of floats", "Mod", {
        "x": np.array([5.3, -5.3, 5.3, -5.3, 1e10, NAN, INF, 0], FLOAT)},
        {"z": np.array([3, 3, -3, -3, 0.1, 1, 1, 0], FLOAT)}, fmod=1)
    for operator in ["Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"]:
        one(f"{operator} of inputs", operator, {"x": X, "z": np.roll(X, 1, 1)})
        one(f"{operator} of a stored tensor", operator, {"x": X}, {"z": X})


def register_reductions():
    rows = [
        X, np.array([[-INF, -INF]], FLOAT), np.array([[INF, 1]], FLOAT),
        np.array([[1e30, 1e30]], FLOAT), np.array([[1, NAN, 3]], FLOAT),
        np.array([[100, 100]], FLOAT)]
    for operator in [
            "ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
            "ReduceProd", "ReduceSum"]:
        for place, row in enumerate(rows):
            one(f"{operator} of row {place}", operator, {"x": row}, opset=12, axes=[1])
    for operator in ["ArgMax", "ArgMin"]:
        for place, row in enumerate(rows):
            one(f"{operator} of row {place}", operator, {"x": row}, opset=12, axis=1)
    picture = np.ones((1, 1, 4, 4), FLOAT)
    picture[0, 0, 1, 1], picture[0, 0, 3, 3] = NAN, -INF
    for operator in ["MaxPool", "AveragePool"]:
        one(f"{operator} of NaN", operator, {"x": picture}, kernel_shape=[2, 2])
        one(
            f"{operator} of -inf", operator, {"x": np.full((1, 1, 4, 4), -INF)},
            kernel_shape=[2, 2], strides=[2, 2], pads=[1, 1, 1, 1])
    one(
        "TopK with ties", "TopK", {"x": np.array([[1, 1, 2, 2, 0, 2]], FLOAT)},
        {"k": np.array([4], LONG)}, outputs=("y", "places"))
    one(
        "TopK with NaN", "TopK", {"x": np.array([[1, NAN, 2, INF, 0, 2]], FLOAT)},
        {"k": np.array([4], LONG)}, outputs=("y", "places"))
    one("CumSum with NaN", "CumSum", {"x": np.array([1, NAN, 3, 4], FLOAT)}, {"axis": LONG(0)},
        exclusive=1, reverse=1)
    mask = {"b": np.array([[False, False, False]]), "x": np.array([[1, 2, 3]], FLOAT)}
    case(
        "Softmax of hidden keys", [
            ("Where", ["b", "x", "low"], ["m"]), ("Softmax", ["m"], ["y"], {"axis": -1})],
        mask, {"low": -INF})


def register_casts():
    numbers = np.array([[0, 0.4, 0.6, 1.5, 2.5, -1.5, 100, -100]], FLOAT)
    wide = np.array([[0, 0.4, -1.5, 200, -200, 70000, 3e9, -3e9, NAN, INF]], FLOAT)
    for to in (2, 3, 5, 6, 7, 9, 10, 11, 16):
        values = wide if to in (9, 10, 11, 16) else numbers
        case(
            f"Cast to type {to} and back",
            [("Cast", ["x"], ["z"], {"to": to}), ("Cast", ["z"], ["y"], {"to": 1})],
            {"x": values})
        if to != 16:
            one(f"Cast to type {to}", "Cast", {"x": values}, to=to)
    halves = np.array([0.1, 70000, 1e-8, 65519, 65520, 5.96e-8, 2.98e-8, NAN], FLOAT)
    for to in (10, 16):
        case(
            f"rounding by type {to}",
            [("Cast", ["x"], ["z"], {"to": to}), ("Cast", ["z"], ["y"], {"to": 1})],
            {"x": halves})
    one("Round", "Round", {"x": np.array([0.5, 1.5, 2.5, -0.5, -1.5, 8388609.5, 1e20], FLOAT)})


def register_integers():
    small = np.array([[7, -7, 9, -9, 100]], LONG)
    large = np.array([[1, -7, 2**24 + 1, 2**31 - 1, -2**31, 2**40 + 1, 0]], LONG)
    other = np.array([[2, 2, -4, 4, 7]], LONG)
    for operator in ["Add", "Div", "Max", "Min", "Mod", "Mul", "Pow", "Sub"]:
        one(f"{operator} of integers", operator, {"x": small, "z": other})
        one(f"{operator} of stored integers", operator, {"x": small}, {"z": other})
    for operator in ["Abs", "ArgMax", "Identity", "Neg", "ReduceMax", "ReduceSum", "Relu", "Sign"]:
        one(f"{operator} of integers", operator, {"x": small}, opset=14)
    one("Identity of large integers", "Identity", {"x": large})
    case("Reshape of large integers", [("Reshape", ["x", "s"], ["y"])], {"x": large},
         {"s": np.array([7, 1], LONG)})
    for operator in ["Equal", "Less", "Greater"]:
        one(f"{operator} of large integers", operator, {"x": large, "z": large - 1})
        one(
            f"{operator} of a large stored integer", operator, {"x": np.array([2**24 + 1], LONG)},
            {"z": np.array([2**24], LONG)})
    pair = {
        "c": np.array([True, False]), "x": np.array([2**24 + 1, 1], LONG),
        "z": np.array([2, 2**25 + 1], LONG)}
    one("Where of large integers", "Where", pair)
    for to in (1, 6, 9):
        one(f"Cast of large integers to type {to}", "Cast", {"x": large}, to=to)
    first, second = np.array([7, -7, 7, -7], LONG), np.array([2, 2, -2, -2], LONG)
    for operator in ["Div", "Mod", "Mul"]:
        folded(f"{operator} while importing", [(operator, ["a", "b"], ["r"])],
               {"a": first, "b": second})
    folded("wrapping of uint8", [("Add", ["a", "b"], ["r"])],
           {"a": np.array([200, 1], np.uint8), "b": np.array([100, 1], np.uint8)})
    folded("wrapping of int32", [("Mul", ["a", "b"], ["r"])],
           {"a": np.array([2**20, 1], np.int32), "b": np.array([2**12, 1], np.int32)})
    for operator in ["Abs", "Neg"]:
        folded(f"{operator} of the least integer", [(operator, ["a"], ["r"])],
               {"a": np.array([-2**63], LONG)})
    folded("Cast of floats while importing", [("Cast", ["a"], ["r"], {"to": 7})],
           {"a": np.array([1.9, -1.9, 2.5, 1e9], FLOAT)})


def register_places():
    table = np.arange(12, dtype=FLOAT).reshape(3, 4)
    for name, places in [
            ("places", [0, 2, 1]), ("negative places", [0, -1, 1]), ("a place outside", [0, 5, 1])]:
        places = np.array(places, LONG)
        case(f"Gather of {name} in a stored table", [("Gather", ["d", "x"], ["y"])],
             {"x": places}, {"d": table})
        case(f"Gather of {name} in a stored row", [("Gather", ["d", "x"], ["y"])],
             {"x": places}, {"d": table[0, :3]})
        case(f"Gather of {name} in an input", [("Gather", ["d", "x"], ["y"], {"axis": 0})],
             {"x": places, "d": table})
        case(f"GatherElements of {name}", [("GatherElements", ["d", "x"], ["y"])],
             {"x": places.reshape(1, 3), "d": table[:, :3]})
    case("OneHot outside", [("OneHot", ["x", "d", "v"], ["y"])],
         {"x": np.array([0, -1, 7, 2], LONG)}, {"d": LONG(3), "v": np.array([0, 1], FLOAT)})


def register_empty():
    ones = np.ones((2, 3), FLOAT)
    one("Relu of nothing", "Relu", {"x": np.zeros((0, 4), FLOAT)})
    one("MatMul of nothing", "MatMul", {"x": np.zeros((2, 0), FLOAT)},
        {"w": np.zeros((0, 3), FLOAT)})
    one("Concat with nothing", "Concat", {"x": ones}, {"c": np.zeros((2, 0), FLOAT)}, axis=1)
    for operator in ["ReduceMax", "ReduceMean", "ReduceProd", "ReduceSum"]:
        case(
            f"{operator} of nothing", [
                (operator, ["c", "k"], ["z"], {"keepdims": 0}), ("Add", ["x", "z"], ["y"])],
            {"x": ones}, {"c": np.zeros((0, 3), FLOAT), "k": np.array([0], LONG)})
    one("Add of scalars", "Add", {"x": FLOAT(3), "z": FLOAT(4)})
    one("Mul by a scalar", "Mul", {"x": FLOAT(3), "z": np.ones((2, 2), FLOAT)})


def register_quantization():
    numbers = np.array([[
        -1e9, -12.85, -0.05, 0.05, 0.15, 0.25, 12.7, 12.75, 1e9, 0, INF, -INF]], FLOAT)
    for kind, zero in [(np.uint8, 128), (np.int8, 0), (np.uint16, 5), (np.int16, -3)]:
        case(
            f"quantization by {kind.__name__}", [
                ("QuantizeLinear", ["x", "s", "z"], ["q"]),
                ("DequantizeLinear", ["q", "s", "z"], ["y"])],
            {"x": numbers}, {"s": FLOAT(0.1), "z": kind(zero)}, opset=21)


def register_normalizations():
    x = np.random.default_rng(3).normal(size=(2, 3, 4)).astype(FLOAT)
    stored = {
        "s": np.ones(3, FLOAT), "b": np.zeros(3, FLOAT), "m": np.zeros(3, FLOAT),
        "v": np.array([-1, 0, 1e-30], FLOAT)}
    one("BatchNormalization of a negative variance", "BatchNormalization", {"x": x}, stored)
    one("Softmax of the operator set 11", "Softmax", {"x": x}, opset=11, axis=1)
    base = {"x": np.array([-2, -8, 0, -1], FLOAT)}
    for exponent in [FLOAT(1 / 3), FLOAT(3), np.array([3], LONG)]:
        one(f"Pow by {exponent} of {exponent.dtype}", "Pow", base, {"e": exponent})
    one("Pow of inputs", "Pow", {**base, "e": np.array([3, 2, 0, -1], FLOAT)})
    roots = {"x": np.array([0, 1, -1], FLOAT), "s": np.array([INF, INF, 1], FLOAT)}
    one("PRelu of an infinite slope", "PRelu", roots)
    one(
        "ConvTranspose of one pixel", "ConvTranspose", {"x": np.ones((1, 1, 1), FLOAT)},
        {"w": np.arange(1, 4, dtype=FLOAT).reshape(1, 1, 3)}, kernel_shape=[3], strides=[3],
        pads=[1, 1], output_padding=[2])


def register_halves():
    numbers = np.random.default_rng(3)
    x = numbers.normal(size=(2, 3, 8, 8)).astype(HALF)
    weights = (numbers.normal(size=(4, 3, 3, 3)) * 0.2).astype(HALF)
    one("Conv of halves", "Conv", {"x": x}, {"w": weights}, pads=[1] * 4)
    one("Mul of halves", "Mul", {"x": np.array([300, 60000, 1e-5, 2], HALF)},
        {"z": np.array([300, 2, 1e-4, 3], HALF)})


for register in [
        register_functions, register_reductions, register_casts, register_integers,
        register_places, register_empty, register_quantization, register_normalizations,
        register_halves]:
    register()


def built(name, nodes, inputs, stored, opset, outputs):
    """The graph of a case; `None` if ONNX Runtime has no answer."""
    graph = Graph(0, style="hostile", opset=opset)
    for key, array in inputs.items():
        graph.inputs[key] = graph.values[key] = np.asarray(array)
        graph.varying.add(key)
    for key, array in stored.items():
        graph.values[key] = np.asarray(array)
        graph.stored.append(numpy_helper.from_array(np.asarray(array), key))
    for operator, sources, results, *attributes in nodes:
        node = helper.make_node(
            operator, sources, results, name=name.replace(" ", "_"),
            **(attributes[0] if attributes else {}))
        given = [key for key in dict.fromkeys(sources) if key]
        part = helper.make_graph(
            [node], "g", [described(key, graph.values[key]) for key in given],
            [helper.make_empty_tensor_value_info(key) for key in results])
        step = Step(node, session(helper.make_model(
            part, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)))
        graph.values.update(zip(results, step.run({key: graph.values[key] for key in given})))
        graph.nodes.append(node)
        graph.steps.append(step)
        if any(key in graph.varying for key in given):
            graph.varying.update(results)
    return graph


def parts():
    return [CASES[start:start + 40] for start in range(0, len(CASES), 40)]


def run(forge, part):
    graphs, results = [], []
    for name, nodes, inputs, stored, opset, outputs in part:
        try:
            graphs.append((name, built(name, nodes, inputs, stored, opset, outputs), outputs))
        except Exception as error:
            results.append((name, Verdict("refused", f"by ONNX Runtime: {str(error)[:60]}"), [],
                            "", (0, 0)))
    with tempfile.TemporaryDirectory(prefix="random-graphs-", dir=tool.SCRATCH) as folder:
        cases = [
            tool.Case(graph.model(list(outputs)), graph.inputs, list(outputs))
            for _, graph, outputs in graphs]
        outcomes = tool.run(forge, cases, folder)
    for (name, graph, outputs), outcome in zip(graphs, outcomes):
        if outcome.status == "crash":
            verdict = Verdict("wrong", outcome.message)
        elif outcome.status != "ok":
            verdict = Verdict("refused", tool.refusal(outcome.message))
        else:
            verdict = judge(graph, list(outputs), outcome.outputs)
        results.append((name, verdict, graph.operators(), "special", (0, 0)))
    return results

