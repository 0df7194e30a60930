#!/usr/bin/env python3
"""Makes Tests/ForgeToolSupportTests/Fixtures/stated.json: graphs whose results are easily guessed wrong.

    make_onnx_stated.py

Needs onnx, onnxruntime and numpy. Each case is a graph, inputs in the world of the file, whether the
first axis counts examples, and what ONNX Runtime computes, or NumPy where ONNX Runtime does not have
the operator, or a part of the error that Forge has. Two runtimes that differ make an error.
"""
# check:

import base64
import json
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T
from onnx import helper, numpy_helper

FILE = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeToolSupportTests", "Fixtures", "stated.json")
onnxruntime.set_default_logger_severity(4)
node = helper.make_node
F, I = np.float32, np.int64
NAN, INF = np.nan, np.inf
TYPES = {"float32": "f32", "int64": "i64", "int32": "i32", "int8": "i8", "uint8": "u8", "bool": "bool"}
cases = []


def info(name, array, is_open=False):
    sizes = ["N", *array.shape[1:]] if is_open else list(array.shape)
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), sizes)


def stored(array):
    array = np.asarray(array, order="C")
    name = next(k for k in ElementTypes if ElementTypes[k] == array.dtype)
    return {"type": name, "sizes": list(array.shape), "data": base64.b64encode(array.tobytes()).decode()}


ElementTypes = {v: np.dtype(k) for k, v in TYPES.items()}


def runtime(model, inputs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, inputs)))


def case(name, nodes, inputs, stored_values={}, opset=18, batch=False, outputs=("y",), expected=None,
         error=""):
    """A case; with `batch` the first size of all inputs is open."""
    inputs = {k: np.asarray(v) for k, v in inputs.items()}
    values = [numpy_helper.from_array(np.asarray(v), k) for k, v in stored_values.items()]
    described = [info(k, v, batch) for k, v in inputs.items()]

    def model(results):
        graph = helper.make_graph(nodes, "g", described, results, values)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)

    if not error and expected is None:
        expected = runtime(model([helper.make_empty_tensor_value_info(o) for o in outputs]), inputs)
    if error:
        results = [helper.make_tensor_value_info(o, T.FLOAT, None) for o in outputs]
    else:
        expected = {k: np.asarray(v) for k, v in expected.items()}
        results = [info(o, expected[o]) for o in outputs]
        for described_result in results:
            if batch:
                described_result.type.tensor_type.ClearField("shape")
    cases.append({
        "name": name, "batch": batch, "error": error,
        "model": base64.b64encode(model(results).SerializeToString()).decode(),
        "inputs": {k: stored(v) for k, v in inputs.items()},
        "outputs": {} if error else {k: stored(v) for k, v in expected.items()},
    })


def counting(*sizes):
    return np.arange(1, 1 + int(np.prod(sizes))).astype(F).reshape(sizes)


def slopes():
    for sizes in [(1, 2, 2), (2, 2, 2), (1, 3, 3), (1, 2, 2, 2), (4, 2, 4, 2), (2, 2), (1, 3, 3, 2),
                  (4,), (1, 2, 3, 4, 2), (1, 4, 4, 4), (1, 4, 4, 5)]:
        rank = len(sizes)
        shapes = {sizes[-1:], (1,) * rank, (), sizes[1:]}
        if rank > 1:
            shapes |= {(sizes[-2], 1), (sizes[1],) + (1,) * (rank - 2)}
        for shape in sorted(shapes):
            case(f"PRelu {sizes} {shape}", [node("PRelu", ["x", "s"], ["y"])],
                 {"x": -counting(*sizes)}, {"s": counting(*shape)}, 16)
            case(f"PRelu {sizes} {shape} computed", [node("PRelu", ["x", "s"], ["y"])],
                 {"x": -counting(*sizes), "s": counting(*shape)}, {}, 16)
    case("PRelu of one channel per value", [node("PRelu", ["x", "s"], ["y"])],
         {"x": -counting(1, 3, 4, 5)}, {"s": counting(3)}, 16, error="does not broadcast")
    case("PRelu of a higher rank", [node("PRelu", ["x", "s"], ["y"])],
         {"x": -counting(1, 2, 2)}, {"s": counting(1, 1, 2, 2)}, 16,
         error="a slope of sizes [1, 1, 2, 2], which does not broadcast to [1, 2, 2]")
    # Before operator set 7 a slope has a value per channel.
    x = -counting(1, 2, 2)
    case("PRelu of operator set 6", [node("PRelu", ["x", "s"], ["y"])], {"x": x},
         {"s": counting(2)}, 6, expected={"y": x * counting(2).reshape(1, 2, 1)})
    for slope in (INF, NAN):
        x = np.array([[0, -1, 2, NAN, -0.0]], F)
        for inputs, values in [({"x": x}, {"s": F([slope])}), ({"x": x, "s": F([slope])}, {})]:
            case(f"PRelu with {slope}, {len(inputs)}", [node("PRelu", ["x", "s"], ["y"])], inputs,
                 values, 16)


def bounds():
    x = np.array([[-2, -0.0, 0.5, NAN, 3, INF]], F)
    for low, high in [(NAN, 1), (-1, NAN), (NAN, NAN)]:
        case(f"Clip {low} {high}", [node("Clip", ["x", "a", "b"], ["y"])], {"x": x},
             {"a": F(low), "b": F(high)}, error="a bound that is not a number")
        case(f"Clip {low} {high}, stored", [
            node("Clip", ["c", "a", "b"], ["d"]), node("Add", ["x", "d"], ["y"])], {"x": x},
            {"a": F(low), "b": F(high), "c": x}, error="a bound that is not a number")
    case("Clip", [node("Clip", ["x", "a", "b"], ["y"])], {"x": x}, {"a": F(-1), "b": F(1)})
    for kind, numbers in [
            ("ThresholdedRelu", dict(alpha=NAN)), ("ThresholdedRelu", dict(alpha=1.0)),
            ("ThresholdedRelu", dict(alpha=-INF)), ("Shrink", dict(lambd=NAN, bias=0.0)),
            ("Shrink", dict(lambd=0.5, bias=NAN)), ("Shrink", dict(lambd=0.5, bias=1.0)),
            ("HardSigmoid", dict(alpha=NAN)), ("HardSigmoid", dict(beta=NAN)),
            ("HardSigmoid", dict(alpha=INF)), ("LeakyRelu", dict(alpha=NAN)),
            ("LeakyRelu", dict(alpha=INF))]:
        case(f"{kind} {numbers}", [node(kind, ["x"], ["y"], **numbers)], {"x": x}, opset=16)
    case("Elu NAN", [node("Elu", ["x"], ["y"], alpha=NAN)], {"x": x}, error="a finite alpha")
    case("Pad NAN", [node("Pad", ["x", "p", "v"], ["y"])], {"x": x},
         {"p": I([0, 1, 0, 1]), "v": F(NAN)})


def integers():
    case("Identity", [node("Identity", ["x"], ["y"])], {"x": I([16777215, -16777215, 0])})
    for kind in ("Identity", "Neg"):
        case(f"{kind} of a large integer", [node(kind, ["x"], ["y"])], {"x": I([1, 2**24 + 1])},
             error="16777217 at index 1")
    case("Equal of large integers", [node("Equal", ["x", "z"], ["y"])],
         {"x": I([2**24 + 1]), "z": I([2**24])}, error="an integer that Float32 may not represent exactly")
    case("Cast of a large integer", [node("Cast", ["x"], ["y"], to=T.INT32)], {"x": I([2**40 + 1])},
         error="1099511627777 at index 0")
    case("a stored limit of another type", [
        node("Where", ["c", "x", "z"], ["y"])], {"c": [True, False], "x": I([1, 2])},
        {"z": I([2**31 - 1])}, error="the integer 2147483647")
    case("Add to the limit", [node("Add", ["x", "z"], ["y"])], {"x": I([16777215, 3])}, {"z": I([1])})
    case("Add beyond the limit", [node("Add", ["x", "z"], ["y"])], {"x": I([3])}, {"z": I([2])},
         error="arithmetic on i64")
    for kind in ("Neg", "Abs", "Sign"):
        case(f"{kind} of integers", [node(kind, ["x"], ["y"])], {"x": I([16777215, -3, 0])})
    values = [0, 255, 256, -1, -129, 300, 127, 128, 70000, -70000]
    for source in (np.int64, np.int32):
        for target in (np.int8, np.uint8, np.int32):
            case(f"Cast {source.__name__} to {target.__name__}",
                 [node("Cast", ["x"], ["y"], to=helper.np_dtype_to_tensor_dtype(np.dtype(target)))],
                 {"x": np.array(values, source)})
    x = F([2**40, 2**31, -2**31, 2**33 + 2**20, 3.7, -3.7, 2**24 + 2, -2**35 - 2**24])
    for target in (np.int32, np.int8, np.uint8):
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(target))
        # ONNX Runtime joins the two casts, which the standard does not.
        case(f"Cast of large numbers to {target.__name__}",
             [node("Cast", ["x"], ["a"], to=T.INT64), node("Cast", ["a"], ["y"], to=kind)], {"x": x},
             expected={"y": x.astype(np.int64).astype(target)})
    for target, x in [(np.uint8, [0, 1.9, 254.9, 255]), (np.int8, [0, 1.9, -127.9, -128, 127.9])]:
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(target))
        case(f"Cast of numbers to {target.__name__}", [node("Cast", ["x"], ["y"], to=kind)],
             {"x": F(x)})


def places():
    table = counting(4)
    for rows, error in [([0, 3], ""), ([-1, -4], ""), ([4], "4 at index 0"), ([1, -5], "-5 at index 1")]:
        x, more = I(rows), counting(4, 2)
        both = {"x": x, "d": table}
        case(f"Gather {rows}", [node("Gather", ["d", "x"], ["y"])], {"x": x}, {"d": table}, error=error)
        case(f"Gather computed {rows}", [node("Gather", ["d", "x"], ["y"])], both, error=error)
        case(f"GatherElements {rows}", [node("GatherElements", ["d", "x"], ["y"])], both, error=error)
        case(f"GatherND {rows}", [node("GatherND", ["d", "x"], ["y"])],
             {"x": x.reshape(-1, 1), "d": table}, error=error)
        pairs = np.stack([x, np.zeros_like(x)], 1)
        case(f"GatherND of two axes {rows}", [node("GatherND", ["d", "x"], ["y"])],
             {"x": pairs, "d": more}, error="not an index along the axis" if error else "")
    data, chosen = counting(2, 3, 4), I([[[0], [2]], [[1], [-1]]])
    for inputs, values in [({"d": data}, {"x": chosen}), ({"d": data, "x": chosen}, {})]:
        case(f"GatherND in a batch, {len(inputs)}",
             [node("GatherND", ["d", "x"], ["y"], batch_dims=1)], inputs, values)
        case(f"GatherND in two batches, {len(inputs)}",
             [node("GatherND", ["d", "x"], ["y"], batch_dims=2)],
             {k: v if k == "d" else v[..., :1] for k, v in inputs.items() if k == "d"},
             {"x": I([[[0], [1], [2]], [[3], [0], [1]]])})


def resizes():
    x = counting(1, 1, 10, 6)
    for policy in ("not_larger", "not_smaller"):
        for mode in ("nearest", "linear", "cubic"):
            for sizes in ((7, 5), (3, 8), (13, 7), (20, 12)):
                case(f"Resize {policy} {mode} {sizes}", [
                    node("Resize", ["x", "", "", "s"], ["y"], mode=mode, axes=[2, 3],
                         keep_aspect_ratio_policy=policy)], {"x": x}, {"s": I(sizes)})
    case("Resize of TensorFlow", [
        node("Resize", ["x", "r", "e", "s"], ["y"], mode="nearest", nearest_mode="ceil",
             coordinate_transformation_mode="tf_half_pixel_for_nn")],
        {"x": counting(2, 3, 4, 5)}, {"r": F([]), "e": F([]), "s": I([2, 3, 7, 9])}, 11)


def batches():
    """Graphs with an open batch: those that combine examples, and those that do not."""
    x = np.random.default_rng(5).uniform(-1, 1, (3, 4)).astype(F)
    wide = np.random.default_rng(6).uniform(-1, 1, (3, 2, 4)).astype(F)
    mixed = "combines the examples of a batch"

    def refused(name, nodes, x=x, values={}, opset=18):
        # The name of the node is that of its first output.
        case(f"batch: {name}", nodes, {"x": x}, values, opset, True, error=mixed)

    def kept(name, nodes, x=x, values={}, opset=18, outputs=("y",)):
        case(f"batch: {name}", nodes, {"x": x}, values, opset, True, outputs)

    zero, one = {"a": I([0])}, {"a": I([1])}
    refused("ReduceMean", [node("ReduceMean", ["x", "a"], ["y"])], values=zero)
    refused("ReduceMean of all", [node("ReduceMean", ["x"], ["y"])])
    refused("ReduceMax before more", [
        node("ReduceMax", ["x", "a"], ["m"]), node("Sub", ["x", "m"], ["y"])], values=zero)
    refused("CumSum", [node("CumSum", ["x", "a"], ["y"])], values={"a": I(0)})
    refused("TopK", [node("TopK", ["x", "a"], ["y", "i"], axis=0)], values=one)
    refused("Softmax", [node("Softmax", ["x"], ["y"], axis=0)])
    refused("Softmax of operator set 11", [node("Softmax", ["x"], ["y"], axis=0)], opset=11)
    refused("a product with itself", [
        node("Transpose", ["x"], ["t"]), node("MatMul", ["x", "t"], ["y"])])
    refused("a product over examples", [
        node("Transpose", ["x"], ["t"]), node("MatMul", ["t", "x"], ["y"])])
    refused("the number of examples", [
        node("Shape", ["x"], ["s"]), node("ReduceProd", ["s"], ["p"]),
        node("Cast", ["p"], ["f"], to=T.FLOAT), node("Mul", ["x", "f"], ["y"])])
    refused("the shape", [node("Shape", ["x"], ["y"])])
    refused("positions of examples", [
        node("Shape", ["x"], ["s"], end=1), node("Squeeze", ["s"], ["n"]),
        node("Range", ["z", "n", "o"], ["r"]), node("Unsqueeze", ["r", "o1"], ["c"]),
        node("Cast", ["c"], ["f"], to=T.FLOAT), node("Add", ["x", "f"], ["y"])],
        values={"z": I(0), "o": I(1), "o1": I([1])})
    refused("Gather", [node("Gather", ["x", "a"], ["y"])], values=zero)
    refused("Concat", [node("Concat", ["x", "x"], ["y"], axis=0)])
    refused("Slice backwards", [node("Slice", ["x", "a", "b", "c", "d"], ["y"])],
            values={"a": I([-1]), "b": I([-2**63 + 1]), "c": I([0]), "d": I([-1])})
    refused("Slice", [node("Slice", ["x", "a", "b", "c"], ["y"])],
            values={"a": I([0]), "b": I([1]), "c": I([0])})
    refused("Pad", [node("Pad", ["x", "a"], ["y"])], values={"a": I([1, 0, -1, 0])})
    refused("Reshape across examples", [
        node("Reshape", ["x", "a"], ["r"]), node("Softmax", ["r"], ["y"])], values={"a": I([4, -1])})
    refused("a normalization over examples", [
        node("Transpose", ["x"], ["t"]), node("LayerNormalization", ["t", "w"], ["u"]),
        node("Transpose", ["u"], ["y"])], values={"w": F([1])})
    refused("MeanVarianceNormalization",
            [node("MeanVarianceNormalization", ["x"], ["y"])], wide.reshape(3, 2, 2, 2))
    refused("Einsum", [node("Einsum", ["x", "x"], ["y"], equation="ni,nj->ij")])
    refused("ArgMax", [node("ArgMax", ["x"], ["y"], axis=0)])
    refused("OneHot of the number", [
        node("Shape", ["x"], ["s"], end=1), node("Cast", ["s"], ["f"], to=T.FLOAT),
        node("Div", ["x", "f"], ["y"])])

    weights = counting(4, 5) / 20
    kept("Gemm", [node("Gemm", ["x", "w"], ["y"])], values={"w": weights})
    kept("softmax of each", [node("Softmax", ["x"], ["y"])])
    kept("mean of each", [node("ReduceMean", ["x", "a"], ["y"], keepdims=0)], values=one)
    kept("Reshape to one row", [node("Reshape", ["x", "a"], ["y"])], values={"a": I([1, -1])})
    kept("Reshape 0 −1", [node("Reshape", ["x", "a"], ["y"])], wide, {"a": I([0, -1])})
    kept("Flatten", [node("Flatten", ["x"], ["f"]), node("Gemm", ["f", "w"], ["y"])], wide,
         {"w": counting(8, 3) / 30})
    kept("a shape put together", [
        node("Shape", ["x"], ["s"], end=1), node("Concat", ["s", "r"], ["t"], axis=0),
        node("Reshape", ["x", "t"], ["y"])], wide, {"r": I([-1])})
    kept("heads", [
        node("Shape", ["x"], ["s"], end=1), node("Concat", ["s", "r"], ["t"], axis=0),
        node("Reshape", ["x", "t"], ["a"]), node("Transpose", ["a"], ["b"], perm=[0, 2, 1, 3]),
        node("Transpose", ["b"], ["c"], perm=[0, 1, 3, 2]), node("MatMul", ["b", "c"], ["d"]),
        node("Softmax", ["d"], ["y"])], wide, {"r": I([2, 2, 2])})
    # As torch.nn.MultiheadAttention does it: the batch is second, and merged with the heads.
    kept("heads merged with the batch", [
        node("Transpose", ["x"], ["t"], perm=[1, 0, 2]), node("Shape", ["x"], ["s"], end=1),
        node("Mul", ["s", "two"], ["n"]), node("Concat", ["len", "n", "two"], ["u"], axis=0),
        node("Reshape", ["t", "u"], ["a"]), node("Transpose", ["a"], ["b"], perm=[1, 0, 2]),
        node("Transpose", ["b"], ["c"], perm=[0, 2, 1]), node("MatMul", ["b", "c"], ["d"]),
        node("Softmax", ["d"], ["e"]), node("MatMul", ["e", "b"], ["f"]),
        node("Transpose", ["f"], ["g"], perm=[1, 0, 2]), node("Concat", ["len", "s", "rest"], ["v"], axis=0),
        node("Reshape", ["g", "v"], ["h"]), node("Transpose", ["h"], ["y"], perm=[1, 0, 2])],
        wide, {"two": I([2]), "len": I([2]), "rest": I([4])})
    kept("an output with the batch second", [node("Transpose", ["x"], ["y"], perm=[1, 0, 2])], wide)
    kept("a row of zeros for each", [
        node("Shape", ["x"], ["s"], end=1), node("Concat", ["s", "r"], ["t"], axis=0),
        node("ConstantOfShape", ["t"], ["z"]), node("Concat", ["z", "x"], ["y"], axis=1)], wide,
        {"r": I([1, 4])})
    kept("a token for each", [
        node("Shape", ["x"], ["s"], end=1), node("Concat", ["s", "r"], ["t"], axis=0),
        node("Expand", ["c", "t"], ["z"]), node("Concat", ["z", "x"], ["y"], axis=1)], wide,
        {"r": I([-1, -1]) * 0 + 1, "c": counting(1, 1, 4)})
    kept("convolution", [
        node("Conv", ["x", "w"], ["c"], pads=[1, 1]), node("Relu", ["c"], ["r"]),
        node("GlobalAveragePool", ["r"], ["g"]), node("Squeeze", ["g", "a"], ["y"])], wide,
        {"w": counting(3, 2, 3) / 18, "a": I([2])})
    random = np.random.default_rng(7)
    recurrent = {
        "w": random.uniform(-1, 1, (1, 12, 4)).astype(F), "r": random.uniform(-1, 1, (1, 12, 3)).astype(F)}
    start = [
        node("Transpose", ["x"], ["t"], perm=[1, 0, 2]), node("Shape", ["x"], ["s"], end=1),
        node("Concat", ["o", "s", "u"], ["v"], axis=0), node("ConstantOfShape", ["v"], ["h"])]
    kept("LSTM", start + [
        node("LSTM", ["t", "w", "r", "", "", "h", "h"], ["all", "last"], hidden_size=3),
        node("Squeeze", ["all", "o"], ["q"]), node("Transpose", ["q"], ["y"], perm=[1, 0, 2])], wide,
        {**recurrent, "o": I([1]), "u": I([3])}, outputs=("y", "last"))
    kept("a constant beside", [node("Relu", ["x"], ["y"]), node("Shape", ["c"], ["z"])],
         values={"c": counting(2, 3)}, outputs=("y", "z"))
    kept("Split and Concat", [
        node("Split", ["x"], ["a", "b"], axis=2, num_outputs=2), node("Concat", ["b", "a"], ["y"], axis=2)],
        wide)
    kept("Einsum of each", [node("Einsum", ["x", "w"], ["y"], equation="nij,jk->nik")], wide,
         {"w": weights})
    kept("a table", [
        node("Cast", ["x"], ["i"], to=T.INT64), node("Gather", ["t", "i"], ["y"])],
        np.array([[0, 1], [2, 0], [1, 1]], F), {"t": counting(3, 2)})


def outputs():
    x = counting(2, 3)
    case("an input as output", [], {"x": x}, outputs=("x",), expected={"x": x})
    case("an input beside a result", [node("Neg", ["x"], ["y"])], {"x": x}, outputs=("y", "x"))
    case("a stored output", [node("Neg", ["x"], ["y"]), node("Identity", ["c"], ["z"])], {"x": x},
         {"c": counting(3)}, outputs=("y", "z"))
    case("a product of constants", [node("Neg", ["x"], ["y"]), node("MatMul", ["c", "d"], ["z"])],
         {"x": x}, {"c": counting(2, 3), "d": -counting(3, 4)}, outputs=("z", "y"))
    case("an output from a shape", [
        node("Neg", ["x"], ["y"]), node("ConstantOfShape", ["s"], ["o"], value=numpy_helper.from_array(F([2]))),
        node("Shape", ["x"], ["s"]), node("Softmax", ["o"], ["z"])][0:1] + [
        node("Shape", ["x"], ["s"]),
        node("ConstantOfShape", ["s"], ["o"], value=numpy_helper.from_array(F([2]))),
        node("Softmax", ["o"], ["z"])], {"x": x}, outputs=("y", "z"))
    for size, kernel, stride, pads, extra in [
            (1, 3, 3, 1, 2), (1, 2, 3, 0, 1), (2, 3, 3, 1, 2), (1, 3, 2, 1, 1), (1, 4, 2, 1, 1)]:
        for rank in (1, 2):
            case(f"ConvTranspose {size} {kernel} {stride} {pads} {extra} {rank}", [
                node("ConvTranspose", ["x", "w", "b"], ["y"], strides=[stride] * rank,
                     pads=[1] * rank + [pads] * rank, output_padding=[extra] * rank)],
                {"x": counting(1, 2, *[size] * rank)},
                {"w": counting(2, 3, *[kernel] * rank), "b": counting(3)}, 13)
    case("GroupNormalization of operator set 18", [
        node("GroupNormalization", ["x", "s", "b"], ["y"], num_groups=2)],
        {"x": np.sin(counting(2, 4, 3, 2))}, {"s": F([2, 3]), "b": F([-1, 1])})
    for kind, a, b, extra in [
            ("Mod", I([7, -7, 5]), I([3, 3, -3]), dict(fmod=1)), ("Pow", I([2, -3, 1]), I([10, 3, 0]), {}),
            ("Mod", F([7.5, -7.5]), F([2, 2]), dict(fmod=1))]:
        case(f"{kind} of constants {a.dtype}", [
            node(kind, ["a", "b"], ["z"], **extra), node("Neg", ["x"], ["y"])], {"x": x},
            {"a": a, "b": b}, outputs=("y", "z"))
    for kind in ("Sum", "Mean", "Max", "Prod", "L1", "L2", "SumSquare", "LogSum", "LogSumExp"):
        for axes in ({}, {"a": I([])}):
            case(f"Reduce{kind} of no axes, {len(axes)}", [
                node(f"Reduce{kind}", ["x", *axes], ["y"], noop_with_empty_axes=1)],
                {"x": F([[-1.5, 2, 3], [4, -5, 0.5]])}, axes)
    case("ReduceMean of constants", [
        node("ReduceMean", ["a"], ["z"], keepdims=0), node("Neg", ["x"], ["y"])], {"x": x},
        {"a": I([[1, 2], [3, 8]])}, outputs=("y", "z"))


def selections():
    """Rows of boxes: as many as there are."""
    boxes = F([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1],
                [0, 100, 1, 101]]])
    scores = F([[[0.9, 0.75, 0.6, 0.95, 0.5, 0.3], [0.1, 0.2, 0.7, 0.05, 0.8, 0.6]]])
    select = [node("NonMaxSuppression", ["b", "s", "m", "i", "t"], ["y"])]

    def values(threshold, most=3):
        return {"m": I([most]), "i": F([0.5]), "t": F([threshold])}

    for threshold in (0.0, 0.55, 0.92, 2.0):
        case(f"NonMaxSuppression {threshold}", select, {"b": boxes, "s": scores}, values(threshold))
        case(f"NonMaxSuppression of two {threshold}", select,
             {"b": np.concatenate([boxes, boxes[:, ::-1]]), "s": np.concatenate([scores, scores])},
             values(threshold))
        case(f"NonMaxSuppression and its boxes {threshold}", [
            node("NonMaxSuppression", ["b", "s", "m", "i", "t"], ["r"]),
            node("Slice", ["r", "two", "three", "one"], ["c"]), node("Squeeze", ["c", "one"], ["d"]),
            node("Squeeze", ["b", "zero"], ["all"]), node("Gather", ["all", "d"], ["y"]),
            node("Cast", ["r"], ["z"], to=T.FLOAT)],
            {"b": boxes, "s": scores},
            {**values(threshold), "zero": I([0]), "one": I([1]), "two": I([2]), "three": I([3])},
            outputs=("y", "z"))
    case("NonMaxSuppression of one", select, {"b": boxes, "s": scores[:, :1]}, values(2.0, 1))
    case("NonMaxSuppression, summed", [
        node("NonMaxSuppression", ["b", "s", "m", "i", "t"], ["r"]),
        node("Cast", ["r"], ["f"], to=T.FLOAT), node("ReduceSum", ["f"], ["y"])],
        {"b": boxes, "s": scores}, values(0.0), error="ReduceSum with the rows of a selection")
    case("NonMaxSuppression, counted", [
        node("NonMaxSuppression", ["b", "s", "m", "i", "t"], ["r"]), node("Shape", ["r"], ["y"])],
        {"b": boxes, "s": scores}, values(0.0), error="the rows of a selection")


def chosen():
    """Elements that a condition or a number of the prediction chooses."""
    x = F([[0, 1.5, -0.0, NAN], [-2, 0, INF, 0], [0, 0, 0, 1e-40]])
    for name, value in (
            ("float32", x), ("bool", x > 0), ("int64", np.where(x > 0, 7, 0).astype(I)),
            ("one axis", x[0]), ("three axes", x.reshape(2, 3, 2)), ("one element", x[:1, 1:2]),
            ("none", np.zeros((2, 3), F)), ("all", np.ones((3, 1, 2), F))):
        case(f"NonZero of {name}", [node("NonZero", ["x"], ["y"])], {"x": value})
    case("NonZero, turned", [
        node("NonZero", ["x"], ["r"]), node("Transpose", ["r"], ["y"], perm=[1, 0])], {"x": x})
    case("NonZero and its elements", [
        node("Greater", ["x", "zero"], ["m"]), node("NonZero", ["m"], ["r"]),
        node("Transpose", ["r"], ["t"], perm=[1, 0]), node("GatherND", ["x", "t"], ["y"])],
        {"x": counting(3, 5) - 8}, {"zero": F(0)})
    case("NonZero, as places of rows", [
        node("Greater", ["s", "limit"], ["m"]), node("NonZero", ["m"], ["r"]),
        node("Squeeze", ["r", "zero"], ["p"]), node("Gather", ["x", "p"], ["y"])],
        {"x": counting(4, 3), "s": F([0.1, 0.9, 0.4, 0.6])}, {"limit": F(0.5), "zero": I([0])})
    case("NonZero, summed", [
        node("NonZero", ["x"], ["r"]), node("Cast", ["r"], ["f"], to=T.FLOAT),
        node("ReduceSum", ["f"], ["y"])], {"x": x}, error="ReduceSum with the rows of a selection")
    case("NonZero, counted", [node("NonZero", ["x"], ["r"]), node("Shape", ["r"], ["y"])],
         {"x": x}, error="the rows of a selection")
    case("NonZero of a batch", [node("NonZero", ["x"], ["y"])], {"x": counting(2, 3)}, batch=True,
         error="NonZero")
    images = counting(2, 3, 4, 5)
    for axis, condition in ((0, [False, True]), (1, [True, False, True]), (2, [False, True]),
                            (-1, [True, True, False, False, True]), (1, [False] * 3)):
        case(f"Compress along {axis} {condition}", [node("Compress", ["x", "c"], ["y"], axis=axis)],
             {"x": images, "c": np.array(condition)})
    case("Compress of all elements", [node("Compress", ["x", "c"], ["y"])],
         {"x": counting(3, 2), "c": np.array([True, False, False, True, True])})
    case("Compress by a comparison", [
        node("Greater", ["s", "limit"], ["c"]), node("Compress", ["x", "c"], ["z"], axis=0),
        node("Mul", ["z", "two"], ["y"])],
        {"x": counting(4, 3), "s": F([0.7, 0.2, NAN, 0.8])}, {"limit": F(0.5), "two": F(2)})
    case("Compress by a long condition", [node("Compress", ["x", "c"], ["y"], axis=0)],
         {"x": counting(2, 3), "c": np.array([True] * 3)}, error="a condition of [3]")
    repeats = F([2, -1, 2, 7.5, -1, 2, 0, 7.5, 3])
    every = ("y", "first", "group", "count")
    for name, value in (
            ("float32", repeats), ("two axes", repeats.reshape(3, 3)), ("one element", F([4])),
            ("equal elements", F([3] * 5)), ("different elements", counting(6)[::-1].copy()),
            ("int64", I([5, 5, -3, 9, 5])), ("signs of zero", F([0, -0.0, 1, 0]))):
        for order in (0, 1):
            case(f"Unique of {name}, sorted {order}",
                 [node("Unique", ["x"], list(every), sorted=order)], {"x": value}, outputs=every)
    case("Unique along the only axis", [node("Unique", ["x"], ["y", "", "z"], axis=-1)],
         {"x": repeats}, outputs=("y", "z"))
    case("Unique along an axis of two", [node("Unique", ["x"], ["y"], axis=0)],
         {"x": counting(2, 3)}, error="Unique with different slices of a computed tensor")
    case("Unique, read back", [
        node("Unique", ["x"], ["u", "", "i"]), node("Gather", ["u", "i"], ["y"])],
        {"x": repeats}, error="Gather with the rows of a selection")
    table = np.sin(counting(3, 7)).astype(F)
    for count, axis, largest in ((1, 1, 1), (3, -1, 0), (2, 0, 1), (7, 1, 1), (0, 1, 1)):
        case(f"TopK of {count} computed along {axis}, {largest}", [
            node("TopK", ["x", "k"], ["y", "z"], axis=axis, largest=largest)],
            {"x": table, "k": I([count])}, outputs=("y", "z"))
    case("TopK of a share", [
        node("ReduceSum", ["w"], ["n"], keepdims=1), node("Cast", ["n"], ["i"], to=T.INT64),
        node("TopK", ["x", "i"], ["v", "z"], axis=0), node("Exp", ["v"], ["y"])],
        {"x": table[0], "w": F([1, 2])}, outputs=("y", "z"))
    for count in (8, -1):
        case(f"TopK of {count} computed of seven", [node("TopK", ["x", "k"], ["y", "z"])],
             {"x": table, "k": I([count])}, error="a whole number from 0 to 7")


for part in (slopes, bounds, integers, places, resizes, batches, outputs, selections, chosen):
    part()
FILE.parent.mkdir(exist_ok=True)
FILE.write_text(json.dumps(cases, indent=0) + "\n")
print(len(cases), "cases,", FILE.stat().st_size, "bytes")
