#!/usr/bin/env python3
"""Makes Tests/ForgeToolSupportTests/Fixtures/batches.json: files that fix a batch of images.

    make_onnx_batches.py

Needs onnx, onnxruntime and numpy. Each case is a graph whose inputs and outputs have a fixed first
size, the inputs, what ONNX Runtime computes from them, and the number of examples that Forge finds
in the file: 0 for a graph that combines them, or that has other numbers for each.
"""
# check:

import base64
import json
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

FILE = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeToolSupportTests", "Fixtures", "batches.json")
onnxruntime.set_default_logger_severity(4)
node = helper.make_node
F, I = np.float32, np.int64
TYPES = {np.dtype(F): "f32", np.dtype(I): "i64", np.dtype(np.uint8): "u8", np.dtype(bool): "bool"}
random = np.random.default_rng(49)
cases = []


def values(*sizes):
    """Values of which no two are equal, with few digits."""
    return (random.permutation(int(np.prod(sizes))) / 64 - 1).astype(F).reshape(sizes)


def weights(*sizes):
    return (random.integers(-16, 17, sizes) / 32).astype(F)


def stored(array):
    array = np.asarray(array, order="C")
    return {"type": TYPES[array.dtype], "sizes": list(array.shape),
            "data": base64.b64encode(array.tobytes()).decode()}


def case(name, batch, nodes, inputs, constants=None, outputs=("y",), opset=18, sizes=True):
    """A case; `batch` is what Forge finds, and without `sizes` the outputs state none."""
    constants = {key: np.asarray(value) for key, value in (constants or {}).items()}
    tensors = [numpy_helper.from_array(value, key) for key, value in constants.items()]
    described = [helper.make_tensor_value_info(
        key, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for key, value in inputs.items()]

    def model(results):
        graph = helper.make_graph(nodes, "g", described, results, tensors)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model([helper.make_empty_tensor_value_info(key) for key in outputs]).SerializeToString(),
        options, providers=["CPUExecutionProvider"])
    expected = dict(zip(outputs, session.run(list(outputs), inputs)))
    results = [helper.make_tensor_value_info(
        key, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape if sizes else None)
        for key, value in expected.items()]
    cases.append({
        "name": name, "batch": batch,
        "model": base64.b64encode(model(results).SerializeToString()).decode(),
        "inputs": {key: stored(value) for key, value in inputs.items()},
        "outputs": {key: stored(value) for key, value in expected.items()},
    })


# A convolution of 3 channels to 4, whose images keep their sizes.
CONVOLUTION = node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1])
KERNEL = weights(4, 3, 3, 3)


def image(count, height=5, width=6):
    return {"x": values(count, 3, height, width)}


def flattening(count):
    relu, pool = node("Relu", ["c"], ["r"]), node("GlobalAveragePool", ["r"], ["p"])
    gemm = node("Gemm", ["f", "m", "b"], ["y"], transB=1)
    dense = {"w": KERNEL, "m": weights(5, 4), "b": weights(5)}
    body = [CONVOLUTION, relu, pool]
    for shape in ([count, -1], [count, 4], [-1, 4], [0, -1]):
        case(f"Reshape to {shape}", count, [*body, node("Reshape", ["p", "s"], ["f"]), gemm],
             image(count), {**dense, "s": I(shape)})
    case(f"Flatten {count}", count, [*body, node("Flatten", ["p"], ["f"]), gemm], image(count), dense)
    case(f"outputs without sizes {count}", count, [*body, node("Flatten", ["p"], ["f"]), gemm],
         image(count), dense, sizes=False)
    case(f"all pixels {count}", count,
         [CONVOLUTION, node("Reshape", ["c", "s"], ["f"]), node("MatMul", ["f", "m"], ["y"])],
         image(count), {"w": KERNEL, "m": weights(120, 7), "s": I([count, 120])})
    # The shape that the file computes.
    case(f"a computed shape {count}", count,
         [*body, node("Shape", ["c"], ["sizes"]), node("Gather", ["sizes", "zero"], ["n"]),
          node("Unsqueeze", ["n", "axis"], ["n1"]), node("Concat", ["n1", "rest"], ["s"], axis=0),
          node("Reshape", ["p", "s"], ["f"]), gemm],
         image(count), {**dense, "zero": I(0), "axis": I([0]), "rest": I([-1])})


def constants(count):
    add = node("Add", ["c", "k"], ["y"])
    case(f"a constant for each example {count}", 0, [CONVOLUTION, add], image(count),
         {"w": KERNEL, "k": values(count, 4, 1, 1)})
    case(f"a constant with one other example {count}", 0, [CONVOLUTION, add], image(count),
         {"w": KERNEL, "k": np.concatenate([np.ones((count - 1, 4, 1, 1), F), np.zeros((1, 4, 1, 1), F)])})
    case(f"a constant for all examples {count}", count, [CONVOLUTION, add], image(count),
         {"w": KERNEL, "k": np.tile(values(1, 4, 1, 1), (count, 1, 1, 1))})
    case(f"rows for each example {count}", 0,
         [CONVOLUTION, node("GlobalAveragePool", ["c"], ["p"]), node("Flatten", ["p"], ["f"]),
          node("Mul", ["f", "k"], ["y"])], image(count), {"w": KERNEL, "k": values(count, 4)})
    case(f"a bias of Gemm for each example {count}", 0,
         [CONVOLUTION, node("GlobalAveragePool", ["c"], ["p"]), node("Flatten", ["p"], ["f"]),
          node("Gemm", ["f", "m", "k"], ["y"])], image(count),
         {"w": KERNEL, "m": weights(4, 3), "k": values(count, 3)})
    case(f"matrices for each example {count}", 0,
         [CONVOLUTION, node("Reshape", ["c", "s"], ["f"]), node("MatMul", ["f", "m"], ["y"])],
         image(count), {"w": KERNEL, "s": I([count, 4, 30]), "m": weights(count, 30, 2)})
    # The class token of a vision transformer, expanded by the file and folded before.
    patches = [node("Conv", ["x", "p"], ["c"], strides=[2, 2]), node("Reshape", ["c", "s"], ["f"]),
               node("Transpose", ["f"], ["t"], perm=[0, 2, 1])]
    token = {"p": weights(4, 3, 2, 2), "s": I([count, 4, 6]), "e": I([count, 1, 4])}
    joined = [node("Concat", ["k", "t"], ["j"], axis=1), node("Add", ["j", "o"], ["y"])]
    positions = {"o": values(1, 7, 4)}
    case(f"a token expanded {count}", count,
         [*patches, node("Expand", ["k1", "e"], ["k"]), *joined], image(count, 4, 6),
         {**token, **positions, "k1": values(1, 1, 4)})
    case(f"a token folded {count}", count, [*patches, *joined], image(count, 4, 6),
         {**token, **positions, "k": np.tile(values(1, 1, 4), (count, 1, 1))})
    case(f"a token for each example {count}", 0, [*patches, *joined], image(count, 4, 6),
         {**token, **positions, "k": values(count, 1, 4)})


def attention(count):
    """Heads beside the examples, as exporters with fixed sizes write them."""
    parts = [node("Conv", ["x", "p"], ["c"], strides=[2, 2]), node("Reshape", ["c", "s"], ["f"]),
             node("Transpose", ["f"], ["t"], perm=[0, 2, 1])]
    consts = {"p": weights(4, 3, 2, 2), "s": I([count, 4, 6]), "h": I([count, 6, 2, 2]),
              "g": I([2 * count, 6, 2]), "back": I([count, 2, 6, 2]), "out": I([count, 6, 4])}
    for name in "qkv":
        consts["w" + name] = weights(4, 4)
        parts += [node("MatMul", ["t", "w" + name], [name + "1"]),
                  node("Reshape", [name + "1", "h"], [name + "2"]),
                  node("Transpose", [name + "2"], [name + "3"], perm=[0, 2, 1, 3]),
                  node("Reshape", [name + "3", "g"], [name])]
    parts += [node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]), node("MatMul", ["q", "kt"], ["a"]),
              node("Softmax", ["a"], ["b"], axis=-1), node("MatMul", ["b", "v"], ["o"]),
              node("Reshape", ["o", "back"], ["o1"]),
              node("Transpose", ["o1"], ["o2"], perm=[0, 2, 1, 3]),
              node("Reshape", ["o2", "out"], ["y"])]
    case(f"attention {count}", count, parts, image(count, 4, 6), consts)


def mixtures(count):
    for name, ending in {
        "ReduceMean": [node("ReduceMean", ["c", "a"], ["m"]), node("Sub", ["c", "m"], ["y"])],
        "Softmax": [node("Softmax", ["c"], ["y"], axis=0)],
        "CumSum": [node("CumSum", ["c", "zero"], ["y"])],
        "the first example": [node("Slice", ["c", "zeros", "ones", "zeros"], ["m"]),
                              node("Sub", ["c", "m"], ["y"])],
        "the examples backwards": [node("Gather", ["c", "order"], ["y"])],
        "a product of examples": [node("Reshape", ["c", "rows"], ["r"]),
                                  node("Gemm", ["r", "r"], ["y"], transB=1)],
        "the number as a factor": [
            node("Shape", ["c"], ["sizes"], start=0, end=1), node("Cast", ["sizes"], ["n"], to=1),
            node("Mul", ["c", "n"], ["y"])],
        "a comparison of the number": [
            node("Shape", ["c"], ["sizes"], start=0, end=1), node("Equal", ["sizes", "count"], ["q"]),
            node("Where", ["q", "c", "x4"], ["y"])],
        "channels at the number": [
            node("Shape", ["c"], ["n"], start=0, end=1), node("Sub", ["n", "less"], ["first"]),
            node("Slice", ["c", "first", "ends", "one", "far"], ["y"])],
    }.items():
        consts = {"w": KERNEL, "a": I([0]), "zero": I(0), "zeros": I([0]), "ones": I([1]),
                  "order": I(np.arange(count)[::-1].copy()), "rows": I([count, -1]),
                  "count": I([count]), "x4": np.zeros((1, 4, 1, 1), F), "less": I([count - 3]),
                  "ends": I([4]), "one": I([1]), "far": I([8])}
        used = {key for part in ending for key in part.input} | {"w"}
        case(f"{name} {count}", 0, [CONVOLUTION, *ending], image(count),
             {key: value for key, value in consts.items() if key in used})
    then, other = (helper.make_graph(
        [node("Mul", ["c", "k" + str(i)], ["z" + str(i)])], "g" + str(i), [],
        [helper.make_empty_tensor_value_info("z" + str(i))]) for i in range(2))
    case(f"a branch by the number {count}", 0,
         [CONVOLUTION, node("Shape", ["c"], ["sizes"], start=0, end=1),
          node("Equal", ["sizes", "count"], ["q"]), node("Squeeze", ["q"], ["q1"]),
          node("If", ["q1"], ["y"], then_branch=then, else_branch=other)],
         image(count), {"w": KERNEL, "count": I([count]), "k0": F(2), "k1": F(3)})
    case(f"one output of two {count}", 0,
         [CONVOLUTION, node("Relu", ["c"], ["y"]), node("ReduceMax", ["c", "a"], ["z"])],
         image(count), {"w": KERNEL, "a": I([0])}, outputs=("y", "z"))
    case(f"examples turned into channels {count}", 0,
         [node("Conv", ["x", "w"], ["c"]), node("Transpose", ["c"], ["y"], perm=[1, 0, 2, 3])],
         image(count), {"w": weights(count, 3, 1, 1)})
    case(f"examples and channels of one size {count}", count,
         [node("Conv", ["x", "w"], ["c"]), node("Reshape", ["c", "s"], ["r"]),
          node("Softmax", ["r"], ["t"], axis=1), node("Reshape", ["t", "s4"], ["y"])],
         image(count), {"w": weights(count, 3, 1, 1), "s": I([count, count, -1]),
                        "s4": I([count, count, 5, 6])})
    case(f"examples in rows of channels {count}", 0,
         [node("Conv", ["x", "w"], ["c"]), node("Transpose", ["c"], ["t"], perm=[1, 0, 2, 3]),
          node("Reshape", ["t", "s"], ["r"]), node("Softmax", ["r"], ["y"], axis=1)],
         image(count), {"w": weights(count, 3, 1, 1), "s": I([count, -1])})


def others(count):
    case(f"Resize {count}", count,
         [CONVOLUTION, node("Resize", ["c", "", "", "s"], ["y"], mode="nearest")], image(count),
         {"w": KERNEL, "s": I([count, 4, 10, 12])})
    case(f"groups {count}", count,
         [CONVOLUTION, node("Reshape", ["c", "s"], ["g"]),
          node("InstanceNormalization", ["g", "one", "zero"], ["n"]),
          node("Reshape", ["n", "s4"], ["m"]), node("Mul", ["m", "k"], ["y"])], image(count),
         {"w": KERNEL, "s": I([count, 2, -1]), "one": np.ones(2, F), "zero": np.zeros(2, F),
          "s4": I([count, 4, 5, 6]), "k": values(4, 1, 1)})
    case(f"all channels in a row {count}", count,
         [CONVOLUTION, node("Reshape", ["c", "s"], ["r"]), node("ReduceMax", ["r", "a"], ["m"], keepdims=0),
          node("Reshape", ["m", "s2"], ["y"])], image(count),
         {"w": KERNEL, "s": I([4 * count, 30]), "a": I([1]), "s2": I([count, 4])})
    case(f"two inputs {count}", count,
         [node("Conv", ["x", "w"], ["c"]), node("Conv", ["z", "w"], ["d"]),
          node("Concat", ["c", "d"], ["e"], axis=1), node("Sub", ["c", "d"], ["f"]),
          node("Concat", ["e", "f"], ["y"], axis=1)],
         {"x": values(count, 3, 4, 5), "z": values(count, 3, 4, 5)}, {"w": weights(2, 3, 1, 1)})
    case(f"two inputs of other sizes {count}", 0,
         [node("Conv", ["x", "w"], ["c"]), node("Conv", ["z", "w"], ["d"]),
          node("Add", ["c", "d"], ["y"])],
         {"x": values(count, 3, 4, 5), "z": values(1, 3, 4, 5)}, {"w": weights(2, 3, 1, 1)})
    case(f"channels last {count}", count,
         [node("Cast", ["x"], ["f"], to=1), node("Transpose", ["f"], ["t"], perm=[0, 3, 1, 2]),
          node("Conv", ["t", "w"], ["c"]), node("Transpose", ["c"], ["y"], perm=[0, 2, 3, 1])],
         {"x": random.integers(0, 256, (count, 4, 5, 3)).astype(np.uint8)}, {"w": weights(2, 3, 1, 1)})
    case(f"two outputs and a constant one {count}", count,
         [CONVOLUTION, node("Relu", ["c"], ["y"]), node("ReduceMax", ["c", "a"], ["z"], keepdims=0),
          node("Expand", ["k", "e"], ["u"])], image(count),
         {"w": KERNEL, "a": I([2, 3]), "k": values(1, 2), "e": I([count, 2])}, outputs=("y", "z", "u"))


def sequences(count):
    sequence = {"x": values(count, 3, 8)}
    convolution = node("Conv", ["x", "w"], ["c"], pads=[1, 1])
    kernel = {"w": weights(4, 3, 3)}
    case(f"a sequence {count}", count,
         [convolution, node("MaxPool", ["c"], ["p"], kernel_shape=[2], strides=[2]),
          node("Reshape", ["p", "s"], ["f"]), node("MatMul", ["f", "m"], ["y"])], sequence,
         {**kernel, "s": I([count, 16]), "m": weights(16, 3)})
    recurrent = [convolution, node("Transpose", ["c"], ["t"], perm=[2, 0, 1]),
                 node("LSTM", ["t", "i", "r", "b", "", "h", "s"], ["o"], hidden_size=2),
                 node("Squeeze", ["o", "one"], ["q"]), node("Transpose", ["q"], ["y"], perm=[1, 0, 2])]
    gates = {**kernel, "i": weights(1, 8, 4), "r": weights(1, 8, 2), "b": weights(1, 16), "one": I([1])}
    zeros = np.zeros((1, count, 2), F)
    case(f"a recurrent layer {count}", count, recurrent, sequence, {**gates, "h": zeros, "s": zeros})
    case(f"a recurrent layer with states {count}", 0, recurrent, sequence,
         {**gates, "h": values(1, count, 2), "s": zeros})
    # One example of it does not compile, because its sums have the order of no image.
    case(f"sums that are flattened {count}", 0,
         [CONVOLUTION, node("CumSum", ["c", "two"], ["t"]), node("Reshape", ["t", "s"], ["f"]),
          node("MatMul", ["f", "m"], ["y"])], image(count),
         {"w": KERNEL, "two": I(2), "s": I([count, 120]), "m": weights(120, 2)})
    # Without a convolution that reads it, the first size may be anything.
    case(f"a sequence of vectors {count}", 0, [node("MatMul", ["x", "m"], ["y"])], sequence,
         {"m": weights(8, 3)})


for number in (2, 3, 7):
    flattening(number)
    constants(number)
    attention(number)
    mixtures(number)
    others(number)
    sequences(number)
case("one example", 0, [CONVOLUTION, node("Relu", ["c"], ["y"])], image(1), {"w": KERNEL})

text = ",\n".join(json.dumps(entry) for entry in cases)
FILE.write_text(f"[\n{text}\n]\n")
print(f"{len(cases)} cases, {FILE.stat().st_size} bytes")
