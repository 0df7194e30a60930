#!/usr/bin/env python3
"""Makes Tests/ForgeImportersTests/Fixtures/ONNX/Flow: branches, loops, functions, nodes in any
order, sequences, and values put into tensors.

    make_onnx_flow.py

Needs onnx, onnxruntime and numpy. `cases.safetensors` has, for each graph, inputs and what ONNX
Runtime computes for them, at several lengths where the length is free, or a word of the error that Forge
has. `given.json` has an operator of a made-up domain, and what NumPy computes for it.
"""
# check:

import json
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import AttributeProto, TensorProto, helper, numpy_helper

import fixtures

FOLDER = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeImportersTests", "Fixtures", "ONNX", "Flow")
node = helper.make_node
F, I, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
LENGTHS = (1, 7, 20)


def ints(*values):
    return np.array(values, np.int64)


def info(name, type=F, sizes=None):
    return helper.make_tensor_value_info(name, type, sizes)


def graph(nodes, outputs, inputs=(), stored=None, name="body"):
    return helper.make_graph(
        nodes, name, list(inputs), [o if not isinstance(o, str) else info(o) for o in outputs],
        [numpy_helper.from_array(np.asarray(v), k) for k, v in (stored or {}).items()])


def saved(name, nodes, sizes, stored=None, functions=(), opset=18, opsets=()):
    model = helper.make_model(
        graph(nodes, ["y"], [info("x", F, sizes)], stored, name),
        opset_imports=[helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in opsets],
        ir_version=9, functions=list(functions))
    onnx.save(model, FOLDER / f"{name}.onnx")


def text(value):
    """A number as JSON has it: NaN and infinities are words."""
    value = float(value)
    return value if np.isfinite(value) else "nan" if np.isnan(value) else (
        "inf" if value > 0 else "-inf")


def case(random, name, nodes, sizes, stored=None, xs=None, low=-1.0, high=1.0, **rest):
    """A graph that reads x and makes y; a size that is `None` is free."""
    axis = next((i for i, size in enumerate(sizes) if size is None), None)
    saved(name, nodes, [size or "T" for size in sizes], stored, **rest)
    session = onnxruntime.InferenceSession(str(FOLDER / f"{name}.onnx"))
    if xs is None:
        xs = [random.uniform(low, high, [size or length for size in sizes]).astype(np.float32)
              for length in (LENGTHS if axis is not None else (0,))]
    runs = []
    for x in xs:
        y = np.asarray(session.run(None, {"x": x})[0])
        assert y.dtype == np.float32, name
        runs.append({"sizes": list(x.shape), "x": [text(v) for v in x.ravel()],
                     "outputSizes": list(y.shape), "y": [text(v) for v in y.ravel()]})
    return {"name": name, "sizes": [size or -1 for size in sizes], "runs": runs, "error": ""}


def invalid(name, nodes, sizes, error, stored=None, **rest):
    saved(name, nodes, sizes, stored, **rest)
    return {"name": name, "sizes": list(sizes), "runs": [], "error": error}


def constant(name, value):
    return node("Constant", [], [name], value=numpy_helper.from_array(np.asarray(value)))


# Values put into tensors.

def scatters(random):
    numbers = lambda *sizes: random.uniform(-1, 1, sizes).astype(np.float32)
    relu = node("Relu", ["x"], ["a"])
    # Places that are known.
    yield case(random, "elements_few", [
        node("Mul", ["x", "h"], ["u"]), node("Slice", ["u", "s", "e"], ["v"]),
        node("ScatterElements", ["x", "i", "v"], ["y"], axis=0)], (2, 3, 5),
        stored={"h": np.float32(2), "s": ints(0, 0, 0), "e": ints(1, 3, 1),
                "i": ints(1, 0, -1).reshape(1, 3, 1)})
    yield case(random, "elements_twice", [
        relu, node("ScatterElements", ["a", "i", "u"], ["y"], axis=-1)], (3, 7),
        stored={"i": ints(6, 2, 2, 0, -7, 1, 3, 3, 3).reshape(3, 3), "u": numbers(3, 3)})
    yield case(random, "elements_old", [
        relu, node("Scatter", ["a", "i", "u"], ["y"], axis=1)], (3, 5),
        stored={"i": ints(1, 4, 0, 2).reshape(2, 2), "u": numbers(2, 2)}, opset=9)
    yield case(random, "elements_updates", [
        relu, node("ScatterElements", ["d", "i", "a"], ["y"], axis=1)], (3, 4),
        stored={"d": numbers(3, 7), "i": ints(6, 2, 5, 0, -7, 1, 3, 2, 3, 1, 0, 2).reshape(3, 4)})
    yield case(random, "nd_pairs", [
        node("Slice", ["x", "s", "e"], ["v"]), node("Reshape", ["v", "z"], ["w"]),
        node("ScatterND", ["x", "i", "w"], ["y"])], (3, 5),
        stored={"s": ints(1, 0), "e": ints(2, 2), "z": ints(2),
                "i": ints(0, -1, -3, 1).reshape(2, 2)})
    yield case(random, "nd_rows", [
        relu, node("Slice", ["x", "s", "e"], ["v"]), node("ScatterND", ["a", "i", "v"], ["y"])],
        (5, 3, 2), stored={"s": ints(1), "e": ints(4), "i": ints(4, -5, 4).reshape(3, 1)})
    yield case(random, "nd_image", [
        relu, node("ScatterND", ["a", "i", "u"], ["y"])], (1, 3, 5, 7),
        stored={"i": ints(0, 1, 0, 2).reshape(2, 2), "u": numbers(2, 5, 7)})
    # `x[:, 1:4] = 2 * x[:, 1:4]` as the older exporter of PyTorch writes it.
    yield case(random, "nd_slice_assignment", [
        node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"]),
        node("Range", ["zero", "n", "one"], ["r"]), node("Unsqueeze", ["r", "at"], ["rows"]),
        node("Slice", ["x", "from", "to", "at"], ["part"]), node("Mul", ["part", "two"], ["new"]),
        node("Shape", ["part"], ["ps"]), node("Expand", ["rows", "ps"], ["i"]),
        node("Expand", ["columns", "ps"], ["j"]), node("Unsqueeze", ["i", "last"], ["i1"]),
        node("Unsqueeze", ["j", "last"], ["j1"]), node("Concat", ["i1", "j1"], ["k"], axis=-1),
        node("ScatterND", ["x", "k", "new"], ["y"])], (3, 7),
        stored={"zero": np.int64(0), "one": np.int64(1), "at": ints(1), "from": ints(1),
                "to": ints(4), "two": np.float32(2), "columns": ints(1, 2, 3), "last": ints(-1)})
    for kind in ("add", "mul", "max", "min"):
        yield case(random, f"elements_{kind}", [
            relu, node("ScatterElements", ["x", "i", "u"], ["p"], axis=0, reduction=kind),
            node("ScatterElements", ["p", "j", "a"], ["y"], axis=1, reduction=kind)], (3, 5),
            stored={"i": ints(0, 2, 0, 1, 0, 2, 0, 0).reshape(4, 2), "u": numbers(4, 2),
                    "j": ints(*[0, 0, 3, 4, 3] * 3).reshape(3, 5)})
        yield case(random, f"nd_{kind}", [
            relu, node("ScatterND", ["x", "i", "u"], ["p"], reduction=kind),
            node("ScatterND", ["d", "j", "a"], ["q"], reduction=kind),
            node("ReduceSum", ["q"], ["r"]), node("Add", ["p", "r"], ["y"])], (3, 5),
            stored={"i": ints(2, 0, 2).reshape(3, 1), "u": numbers(3, 5), "d": numbers(7, 5),
                    "j": ints(6, 0, 6).reshape(3, 1)})
    # What is put nowhere takes part in nothing, and NaN and infinities stay where they are put.
    hostile = numbers(6, 3)
    hostile[1, 0], hostile[2, 1], hostile[4, 2] = np.nan, np.inf, -np.inf
    # Places that a prediction computes; sums as in nets of graphs.
    place = [node("ArgMax", ["x"], ["c"], axis=1, keepdims=1)]
    for kind in ("add", "mul", "max", "min"):
        yield case(random, f"computed_{kind}", place + [
            node("Expand", ["c", "es"], ["i"]),
            node("ScatterElements", ["z", "i", "u"], ["y"], axis=0, reduction=kind)], (6, 5),
            stored={"es": ints(6, 3), "z": numbers(5, 3),
                    "u": hostile if kind == "add" else numbers(6, 3)})
    yield case(random, "computed_none", place + [
        node("Concat", ["c", "c"], ["i"], axis=1),
        node("ScatterElements", ["z", "i", "u"], ["y"], axis=0)], (6, 5),
        stored={"z": numbers(7, 3), "u": numbers(6, 2)})
    yield case(random, "computed_columns", [
        node("ArgMax", ["x"], ["c"], axis=0, keepdims=1), node("ArgMin", ["x"], ["d"], axis=0,
        keepdims=1), node("Concat", ["c", "d"], ["i"], axis=0), node("Neg", ["u"], ["v"]),
        node("ScatterElements", ["x", "i", "v"], ["y"], axis=1, reduction="add")], (6, 5),
        stored={"u": numbers(2, 5)}, xs=[np.stack([random.permutation(5) for _ in range(6)])
                                         .astype(np.float32)[:5].repeat(2, 0)[:6]])
    yield case(random, "computed_nd", place + [
        node("Concat", ["c", "two"], ["i"], axis=1),
        node("ScatterND", ["z", "i", "u"], ["y"], reduction="add")], (6, 5),
        stored={"two": ints(0, -1, 0, 1, 2, 1).reshape(6, 1), "z": numbers(5, 3, 2),
                "u": numbers(6, 2)})
    yield case(random, "computed_nd_none", place + [
        node("ScatterND", ["z", "c", "u"], ["y"])], (6, 5),
        stored={"z": numbers(5, 3), "u": numbers(6, 3)})
    # All values are known.
    for kind in ("none", "add", "mul", "max", "min"):
        yield case(random, f"known_elements_{kind}", [
            node("ScatterElements", ["d", "i", "u"], ["p"], axis=1, reduction=kind),
            node("Add", ["x", "p"], ["y"])], (3, 5),
            stored={"d": numbers(3, 5), "u": numbers(2, 3),
                    "i": ints(0, -1, 0, 3, 3, 3).reshape(2, 3)})
        yield case(random, f"known_nd_{kind}", [
            node("ScatterND", ["d", "i", "u"], ["p"], reduction=kind),
            node("Cast", ["p"], ["q"], to=F), node("Add", ["x", "q"], ["y"])], (3, 5),
            stored={"d": random.integers(-9, 9, (3, 5)), "u": random.integers(-9, 9, (2, 5)),
                    "i": ints(2, 2 if kind != "none" else 0).reshape(2, 1)})
    for name, nodes, stored, error in [
        ("elements_outside", [node("ScatterElements", ["x", "i", "u"], ["y"])],
         {"i": ints(3).reshape(1, 1), "u": numbers(1, 1)}, "index 3 on an axis of size 3"),
        ("elements_before", [node("ScatterElements", ["x", "i", "u"], ["y"], axis=1)],
         {"i": ints(-6).reshape(1, 1), "u": numbers(1, 1)}, "index -6 on an axis of size 5"),
        ("elements_longer", [node("ScatterElements", ["x", "i", "u"], ["y"])],
         {"i": np.zeros((1, 6), np.int64), "u": numbers(1, 6)}, "updates [1, 6]"),
        ("elements_word", [node("ScatterElements", ["x", "i", "u"], ["y"], reduction="mean")],
         {"i": ints(0).reshape(1, 1), "u": numbers(1, 1)}, "reduction \"mean\""),
        ("nd_outside", [node("ScatterND", ["x", "i", "u"], ["y"])],
         {"i": ints(0, 5).reshape(1, 2), "u": numbers(1)}, "index 5 on an axis of size 5"),
        ("nd_sizes", [node("ScatterND", ["x", "i", "u"], ["y"])],
         {"i": ints(0, 1).reshape(2, 1), "u": numbers(2, 4)}, "updates [2, 4]"),
        ("nd_deep", [node("ScatterND", ["x", "i", "u"], ["y"])],
         {"i": ints(0, 1, 2).reshape(1, 3), "u": numbers(1)}, "updates [1]"),
        ("known_outside", [node("ScatterND", ["d", "i", "u"], ["p"]), node("Add", ["x", "p"], ["y"])],
         {"d": numbers(3, 5), "i": ints(-4).reshape(1, 1), "u": numbers(1, 5)},
         "index -4 on an axis of size 3"),
    ]:
        yield invalid(name, nodes, (3, 5), error, stored)


# Branches.

def two_ways(then, otherwise, outputs=("y",), **rest):
    return dict(then_branch=graph(then, [f"t_{o}" for o in outputs], name="then"),
                else_branch=graph(otherwise, [f"e_{o}" for o in outputs], name="else"), **rest)


def branches(random):
    one = [node("Shape", ["x"], ["s"]), node("Gather", ["s", "at"], ["d"]),
           node("Equal", ["d", "n"], ["c"])]
    for size in (4, 5):
        yield case(random, f"if_known_{size}", one + [
            node("If", ["c"], ["q"], **two_ways(
                [node("Squeeze", ["x", "ax"], ["t_y"])],
                [node("Neg", ["x"], ["m"]), node("Squeeze", ["m", "ax"], ["e_y"])])),
            node("Relu", ["q"], ["y"])], (1, size, 3),
            stored={"at": np.int64(1), "n": np.int64(5), "ax": ints(0)})
    # Four deep, with values of every graph around, constants of their own, and names used twice.
    inner = [node("Add", ["m", "k"], ["w"]), node("Add", ["w", "outer"], ["t3"])]
    for depth in range(2, -1, -1):
        then, other = graph(inner, [f"t{depth + 1}"]), graph([node("Neg", ["x"], ["e"])], ["e"])
        inner = [constant(f"k{depth}", np.float32(depth)),
                 node("Add", ["outer", f"k{depth}"], [f"w{depth}"]),
                 node("If", ["c"], [f"i{depth}"], then_branch=then, else_branch=other),
                 node("Sub", [f"i{depth}", f"w{depth}"], [f"t{depth}"])]
    yield case(random, "if_nested", one + [
        constant("k", np.float32(0.5)), node("Exp", ["x"], ["outer"]), node("Sin", ["x"], ["m"]),
        node("If", ["c"], ["y"], then_branch=graph(inner, ["t0"]),
             else_branch=graph([node("Neg", ["x"], ["e"])], ["e"]))], (3, 5),
        stored={"at": np.int64(1), "n": np.int64(5)})
    value = [node("ReduceMean", ["x"], ["p"], axes=[1], keepdims=1),
             node("GreaterOrEqual", ["p", "half"], ["c"])]
    both = [np.full((1, 5), v, np.float32) + np.arange(5, dtype=np.float32) / 8
            for v in (-1, 0.25, 0.5, 3)]
    yield case(random, "if_value", value + [
        node("If", ["c"], ["y"], **two_ways(
            [node("Mul", ["x", "two"], ["t_y"])], [node("Identity", ["x"], ["e_y"])]))], (1, 5),
        stored={"half": np.float32(0.5), "two": np.float32(2)}, xs=both, opset=17)
    # The condition has one axis, the results none; the branch that is not taken divides by zero.
    yield case(random, "if_scalar", [
        node("ReduceSum", ["x"], ["p"], keepdims=0), node("Greater", ["p", "zero"], ["g"]),
        node("Unsqueeze", ["g", "ax"], ["c"]),
        node("If", ["c"], ["v", "w"], **two_ways(
            [node("Sqrt", ["p"], ["t_v"]), node("Identity", ["p"], ["t_w"])],
            [node("Neg", ["p"], ["e_v"]), node("Exp", ["p"], ["e_w"])], ("v", "w"))),
        node("Add", ["v", "w"], ["y"])], (1, 5),
        stored={"zero": np.float32(0), "ax": ints(0)}, xs=both)
    # Only the rank of a sequence decides.
    yield case(random, "if_length", [
        node("Shape", ["x"], ["s"]), node("Size", ["s"], ["r"]), node("Equal", ["r", "three"], ["c"]),
        node("If", ["c"], ["y"], **two_ways(
            [node("Exp", ["x"], ["t_y"])], [node("Neg", ["x"], ["e_y"])]))], (1, None, 3),
        stored={"three": np.int64(3)})
    yield case(random, "if_untaken", one + [
        node("If", ["c"], ["y"], **two_ways(
            [node("Relu", ["x"], ["t_y"])], [node("Bernoulli", ["x"], ["e_y"])]))], (1, 5),
        stored={"at": np.int64(1), "n": np.int64(5)})
    yield invalid("if_unknown", one + [
        node("If", ["c"], ["q"], name="outer", **two_ways(
            [node("Bernoulli", ["x"], ["t_y"], name="inner")], [node("Neg", ["x"], ["e_y"])])),
        node("If", ["c"], ["y"], name="later", **two_ways(
            [node("If", ["c"], ["t_y"], name="deep", **two_ways(
                [node("Det", ["q"], ["t_y"], name="last")], [node("Neg", ["x"], ["e_y"])]))],
            [node("Neg", ["x"], ["e_y"])]))], (1, 5), "outer/then_branch#1/inner",
        stored={"at": np.int64(1), "n": np.int64(5)})
    yield invalid("if_sizes", value + [
        node("If", ["c"], ["y"], **two_ways(
            [node("Identity", ["p"], ["t_y"])], [node("Identity", ["x"], ["e_y"])]))], (1, 5),
        "branches of sizes [1, 1] and [1, 5]", stored={"half": np.float32(0.5)}, opset=17)


# Loops.

def loop_body(nodes, outputs, extra=()):
    return graph(nodes, outputs, [info("i", I, []), info("go", B, []), info("v", F)] + list(extra))


def loops(random):
    go = node("Identity", ["go"], ["go_on"])
    out = info("go_on", B, [])
    yield case(random, "loop_count", [
        node("Loop", ["n", "", "x"], ["last", "all"], body=loop_body(
            [go, node("Mul", ["v", "h"], ["w"]), node("Cast", ["i"], ["f"], to=F),
             node("Add", ["w", "f"], ["next"]), node("Sub", ["next", "x"], ["row"])],
            [out, "next", "row"])),
        node("Add", ["last", "all"], ["y"])], (3, 5), stored={"n": np.int64(5), "h": np.float32(0.5)})
    # It ends when 2 to the power of the trip is larger than 10; the number of trips is not a limit.
    yield case(random, "loop_condition", [
        node("Loop", ["n", "yes", "x", "one"], ["y", "k"], body=graph(
            [node("Add", ["v", "h"], ["next"]), node("Mul", ["k_in", "two"], ["k_out"]),
             node("Less", ["k_out", "ten"], ["go_on"])], [out, "next", info("k_out", I, [])],
            [info("i", I, []), info("go", B, []), info("v", F), info("k_in", I, [])]))], (3, 5),
        stored={"n": np.int64(2**40), "yes": np.bool_(True), "one": np.int64(1), "two": np.int64(2),
                "ten": np.int64(10), "h": np.float32(0.25)})
    yield case(random, "loop_none", [
        node("Exp", ["x"], ["a"]),
        node("Loop", ["n", "no", "a"], ["y"], body=loop_body(
            [go, node("Neg", ["v"], ["next"])], [out, "next"]))], (3, 5),
        stored={"n": np.int64(7), "no": np.bool_(False)})
    # The parity of the trip decides in it, and a list grows.
    sequence = helper.make_tensor_sequence_value_info("list", F, None)
    longer = helper.make_tensor_sequence_value_info("longer", F, None)
    yield case(random, "loop_sequence", [
        node("SequenceEmpty", [], ["empty"]),
        node("Loop", ["n", "", "empty"], ["rows"], body=graph(
            [go, node("Mod", ["i", "two"], ["odd"]), node("Cast", ["odd"], ["c"], to=B),
             node("If", ["c"], ["r"], **two_ways(
                 [node("Gather", ["x", "i"], ["g"], axis=0), node("Neg", ["g"], ["t_y"])],
                 [node("Gather", ["x", "i"], ["e_y"], axis=0)])),
             node("SequenceInsert", ["list", "r"], ["longer"])], [out, longer],
            [info("i", I, []), info("go", B, []), sequence])),
        node("ConcatFromSequence", ["rows"], ["y"], axis=0, new_axis=1)], (4, 5),
        stored={"n": np.int64(4), "two": np.int64(2)})
    yield case(random, "loop_length", [
        node("Loop", ["n", "", "x"], ["y"], body=loop_body(
            [go, node("MatMul", ["v", "w"], ["p"]), node("Tanh", ["p"], ["next"])],
            [out, "next"]))], (1, None, 3),
        stored={"n": np.int64(3), "w": random.uniform(-1, 1, (3, 3)).astype(np.float32)})
    yield case(random, "scan_sum", [
        node("Scan", ["z", "x"], ["last", "all"], num_scan_inputs=1, body=graph(
            [node("Add", ["v", "e"], ["next"]), node("Mul", ["next", "h"], ["row"])],
            ["next", "row"], [info("v", F, [5]), info("e", F, [5])], {"h": np.float32(0.5)})),
        node("Add", ["all", "last"], ["y"])], (4, 5),
        stored={"z": random.uniform(-1, 1, 5).astype(np.float32)})
    yield case(random, "scan_backward", [
        node("Exp", ["x"], ["a"]),
        node("Scan", ["z", "x", "a"], ["last", "all"], num_scan_inputs=2, scan_input_axes=[1, 1],
             scan_input_directions=[1, 0], scan_output_axes=[1], scan_output_directions=[1],
             body=graph(
                 [node("Add", ["v", "e"], ["s"]), node("Mul", ["s", "f"], ["next"]),
                  node("Identity", ["next"], ["row"])], ["next", "row"],
                 [info("v", F, [3]), info("e", F, [3]), info("f", F, [3])])),
        node("Add", ["all", "b"], ["y"])], (3, 4),
        stored={"z": random.uniform(-1, 1, 3).astype(np.float32),
                "b": random.uniform(-1, 1, 4).astype(np.float32)})
    endless = loop_body([go, node("Neg", ["v"], ["next"])], [out, "next"])
    yield invalid("loop_long", [node("Loop", ["n", "", "x"], ["y"], body=endless)], (3, 5),
                  "too many nodes", stored={"n": np.int64(10**9)})
    yield invalid("loop_endless", [node("Loop", ["", "yes", "x"], ["y"], body=endless)], (3, 5),
                  "too many nodes", stored={"yes": np.bool_(True)})
    inside = loop_body([go, node("Loop", ["n", "", "v"], ["next"], body=endless)], [out, "next"])
    yield invalid("loop_in_loop", [node("Loop", ["n", "", "x"], ["y"], body=inside)], (3, 5),
                  "too many nodes", stored={"n": np.int64(10**5)})
    yield invalid("loop_value", [
        node("Loop", ["n", "", "x"], ["y"], body=loop_body(
            [node("Neg", ["v"], ["next"]), node("ReduceSum", ["next"], ["p"], keepdims=0),
             node("Greater", ["p", "zero"], ["go_on"])], [out, "next"]))], (3, 5),
        "a condition computed at run time", stored={"n": np.int64(3), "zero": np.float32(0)})
    yield invalid("loop_unknown", [
        node("Loop", ["n", "", "x"], ["y"], name="outer", body=loop_body(
            [go, node("Bernoulli", ["v"], ["next"], name="inner")], [out, "next"]))], (3, 5),
        "Bernoulli: 1 node (\"outer/body#", stored={"n": np.int64(30)})


# Functions and the order of nodes.

def reference(node, name, type, outer):
    attribute = AttributeProto()
    attribute.name, attribute.type, attribute.ref_attr_name = name, type, outer
    node.attribute.append(attribute)
    return node


def function(name, inputs, outputs, nodes, attributes=(), defaults=(), domain="org.example"):
    return helper.make_function(
        domain, name, inputs, outputs, nodes,
        [helper.make_opsetid("", 18), helper.make_opsetid("org.example", 1)], list(attributes),
        list(defaults))


def functions(random):
    leaky = function("Leak", ["a"], ["b"], [
        reference(node("LeakyRelu", ["a"], ["c"]), "alpha", AttributeProto.FLOAT, "slope"),
        node("Mul", ["c", "c"], ["b"])], defaults=[helper.make_attribute("slope", 0.25)])
    # It calls the other twice, has a graph, and an input that may be left out.
    outer = function("Outer", ["a", "b", "unused"], ["c", "d"], [
        reference(node("Leak", ["a"], ["p"], domain="org.example"), "slope", AttributeProto.FLOAT,
                  "first"),
        node("Leak", ["b"], ["q"], domain="org.example"),
        node("Size", ["a"], ["n"]), node("Cast", ["n"], ["t"], to=B),
        node("If", ["t"], ["r"], then_branch=graph(
            [reference(node("LeakyRelu", ["q"], ["k"]), "alpha", AttributeProto.FLOAT, "first")],
            ["k"]),
            else_branch=graph([node("Neg", ["q"], ["k"])], ["k"])),
        node("Add", ["p", "r"], ["c"]), node("Sub", ["p", "r"], ["d"])], ["first"])
    yield case(random, "function_calls", [
        node("Outer", ["x", "w"], ["c", "d"], domain="org.example", first=0.5),
        node("Outer", ["d", "c"], ["y", "z"], domain="org.example", first=-2.0)], (3, 5),
        stored={"w": random.uniform(-1, 1, 5).astype(np.float32)}, functions=[leaky, outer],
        opsets=["org.example"])
    # An operator that another domain has, too.
    gelu = function("Gelu", ["a"], ["b"], [
        node("Mul", ["a", "a"], ["c"]), node("Add", ["c", "a"], ["b"])], domain="com.example.more")
    yield case(random, "function_name", [
        node("Gelu", ["x"], ["y"], domain="com.example.more")], (3, 5), functions=[gelu],
        opsets=["com.example.more"])
    own = [function("Again", ["a"], ["b"], [
        node("Neg", ["a"], ["c"]), node("Once", ["c"], ["b"], domain="org.example")]),
        function("Once", ["a"], ["b"], [node("Again", ["a"], ["b"], domain="org.example")])]
    yield invalid("function_recursive", [node("Again", ["x"], ["y"], domain="org.example")], (3, 5),
                  "calls itself", functions=own, opsets=["org.example"])
    many = [function("F0", ["a"], ["b"], [node("Neg", ["a"], ["b"])])] + [
        function(f"F{i}", ["a"], ["b"], [
            node(f"F{i - 1}", ["a"], ["c"], domain="org.example"),
            node(f"F{i - 1}", ["c"], ["b"], domain="org.example")]) for i in range(1, 30)]
    yield invalid("function_many", [node("F29", ["x"], ["y"], domain="org.example")], (3, 5),
                  "too many nodes", functions=many, opsets=["org.example"])
    chain = [function("F0", ["a"], ["b"], [node("Neg", ["a"], ["b"])])] + [
        function(f"F{i}", ["a"], ["b"], [node(f"F{i - 1}", ["a"], ["b"], domain="org.example")])
        for i in range(1, 400)]
    yield invalid("function_deep", [node("F399", ["x"], ["y"], domain="org.example")], (3, 5),
                  "nested too deeply", functions=chain, opsets=["org.example"])
    broken = function("Broken", ["a"], ["b"], [node("Bernoulli", ["a"], ["b"], name="inner")])
    yield invalid("function_unknown", [
        node("Det", ["x"], ["d"], name="first"),
        node("Broken", ["d"], ["y"], name="call", domain="org.example")], (3, 3),
        "Bernoulli: 1 node (\"Broken/inner\")", functions=[broken], opsets=["org.example"])
    yield invalid("function_hidden", [
        node("Sees", ["x"], ["y"], domain="org.example")], (3, 5), "no earlier node makes",
        functions=[function("Sees", ["a"], ["b"], [node("Add", ["a", "w"], ["b"])])],
        stored={"w": np.float32(1)}, opsets=["org.example"])
    unsorted = [node("Sub", ["p", "q"], ["y"]), node("Exp", ["r"], ["q"]), node("Relu", ["x"], ["r"]),
                node("If", ["c"], ["p"], **two_ways(
                    [node("Add", ["h", "r"], ["t_y"]), node("Neg", ["q"], ["h"])],
                    [node("Neg", ["x"], ["e_y"])]))]
    rows = case(random, "sorted", [unsorted[2], unsorted[1], node("If", ["c"], ["p"], **two_ways(
        [node("Neg", ["q"], ["h"]), node("Add", ["h", "r"], ["t_y"])],
        [node("Neg", ["x"], ["e_y"])])), unsorted[0]], (3, 5), stored={"c": np.bool_(True)})
    yield rows
    saved("unsorted", unsorted, (3, 5), {"c": np.bool_(True)})
    yield rows | {"name": "unsorted"}
    yield invalid("cycle", [
        node("Relu", ["x"], ["r"]), node("Add", ["r", "q"], ["p"], name="first"),
        node("Neg", ["p"], ["q"], name="second"), node("Exp", ["q"], ["y"])], (3, 5),
        "node \"first\" needs its own result")


# Sequences.

def sequences(random):
    back = [node("SequenceAt", ["s", "k"], ["a"]), node("SequenceAt", ["s", "z"], ["b"])]
    for name, attributes, inputs, stored in [
        ("whole", {"axis": 1}, ["x"], {}), ("squeezed", {"axis": -1, "keepdims": 0}, ["x"], {}),
        ("each", {"axis": 1}, ["x", "p"], {"p": np.int64(3)}),
        ("parts", {"axis": 1}, ["x", "p"], {"p": ints(3, 3, 1)}),
    ]:
        yield case(random, f"split_{name}", [
            node("SplitToSequence", inputs, ["s"], **attributes)] + back + [
            node("Mul", ["a", "b"], ["m"]), node("SequenceLength", ["s"], ["n"]),
            node("Cast", ["n"], ["f"], to=F), node("Add", ["m", "f"], ["y"])],
            (3, 7), stored={"k": np.int64(1), "z": np.int64(0)} | stored)
    yield case(random, "sequence_edits", [
        node("Neg", ["x"], ["a"]), node("Exp", ["x"], ["b"]),
        node("SequenceConstruct", ["x", "a"], ["s0"]),
        node("SequenceInsert", ["s0", "b", "one"], ["s1"]),
        node("SequenceInsert", ["s1", "w", "back"], ["s2"]), node("SequenceErase", ["s2"], ["s3"]),
        node("SequenceErase", ["s3", "back"], ["s4"]), node("Identity", ["s4"], ["s5"]),
        node("ConcatFromSequence", ["s5"], ["y"], axis=0)], (2, 5),
        stored={"one": np.int64(1), "back": np.int64(-2),
                "w": random.uniform(-1, 1, (3, 5)).astype(np.float32)})
    yield case(random, "sequence_stacked", [
        node("Neg", ["x"], ["a"]), node("SequenceConstruct", ["x", "a", "x"], ["s"]),
        node("ConcatFromSequence", ["s"], ["y"], axis=-1, new_axis=1)], (2, 5))
    yield case(random, "sequence_map", [
        node("SplitToSequence", ["x"], ["s"], axis=0),
        node("SequenceMap", ["s", "w"], ["t"], body=graph(
            [node("Add", ["e", "o"], ["r"])], ["r"], [info("e", F), info("o", F)])),
        node("ConcatFromSequence", ["t"], ["y"], axis=1)], (3, 5),
        stored={"w": random.uniform(-1, 1, 5).astype(np.float32)})
    yield case(random, "sequence_length", [
        node("SplitToSequence", ["x"], ["s"], axis=2, keepdims=0)] + back + [
        node("Mul", ["a", "b"], ["y"])], (1, None, 3),
        stored={"k": np.int64(1), "z": np.int64(-1)})
    for name, nodes, error in [
        ("sequence_outside", [node("SequenceConstruct", ["x", "x"], ["s"]),
                              node("SequenceAt", ["s", "k"], ["y"])], "index 2 on an axis of size 2"),
        ("sequence_tensor", [node("SequenceConstruct", ["x"], ["s"]), node("Relu", ["s"], ["y"])],
         "a sequence of tensors"),
        ("sequence_output", [node("SequenceConstruct", ["x"], ["y"])], "a sequence of tensors"),
        ("sequence_computed", [
            node("SequenceConstruct", ["x", "x"], ["s"]), node("ArgMax", ["x"], ["m"], axis=1),
            node("Squeeze", ["m"], ["p"]), node("SequenceAt", ["s", "p"], ["y"])],
         "an index in a sequence computed at run time"),
    ]:
        yield invalid(name, nodes, (1, 5), error, {"k": np.int64(2)})


def given(random):
    """`y = scale · (x + w)³ + first`, and its sum, as an operator of a made-up domain."""
    saved("given", [
        node("Relu", ["x"], ["a"]),
        node("Cube", ["a", "w", ""], ["b", "s"], name="cube", domain="org.example", scale=0.5,
             first=3, kind="sum", values=[1.0, 2.0]),
        node("Add", ["b", "s"], ["y"])], (3, 5),
        {"w": random.uniform(-1, 1, 5).astype(np.float32)}, opsets=["org.example"])
    model = onnx.load(FOLDER / "given.onnx")
    w = numpy_helper.to_array(model.graph.initializer[0])
    x = random.uniform(-1, 1, (3, 5)).astype(np.float32)
    b = 0.5 * (np.maximum(x, 0).astype(np.float64) + w) ** 3 + 3
    return {"x": x.ravel().tolist(), "y": (b + b.sum()).ravel().tolist(), "w": w.tolist()}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(53)
    cases = [case for make in (scatters, branches, loops, functions, sequences)
             for case in make(random)]
    fixtures.write(FOLDER / "cases.safetensors", cases)
    (FOLDER / "given.json").write_text(json.dumps(given(random), indent=0) + "\n")
    print(f"{len(cases)} cases")


if __name__ == "__main__":
    main()
