#!/usr/bin/env python3
"""Makes the fixtures of Tests/ForgeToolSupportTests/Fixtures/Reports: faults that users reported.

Usage: make_report_cases.py FOLDER [--keras]

Each case is a folder with a small model, `in_NAME.npy` and `expected_NAME.npy`; `cases.json` beside
them says what is expected. The ONNX models need onnx and onnxruntime, which computes the outputs
without optimizations; `--keras` makes those of Keras 3.15 in place of them, with JAX.
"""
# check: {fixtures}/../../ForgeToolSupportTests/Fixtures/Reports
# check: KERAS_BACKEND=jax {fixtures}/../../ForgeToolSupportTests/Fixtures/Reports --keras
import argparse
import gzip
import os
import pathlib

import numpy as np

FLOAT, LONG = np.float32, np.int64


class Case:
    """A folder that is written file by file."""

    def __init__(self, folder, name):
        self.folder = folder / name
        self.folder.mkdir(parents=True, exist_ok=True)

    def arrays(self, kind, arrays):
        for name, array in arrays.items():
            np.save(self.folder / f"{kind}_{name}.npy", np.asarray(array))


def onnx_cases(root):
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
    onnxruntime.set_default_logger_severity(4)

    def described(name, array, sizes=None):
        kind = helper.np_dtype_to_tensor_dtype(np.asarray(array).dtype)
        return helper.make_tensor_value_info(
            name, kind, list(np.asarray(array).shape) if sizes is None else sizes)

    def model(nodes, inputs, outputs, stored, opset, sizes=None, domains=()):
        graph = helper.make_graph(
            nodes, "g", [described(k, v, (sizes or {}).get(k)) for k, v in inputs.items()],
            outputs, [numpy_helper.from_array(np.asarray(v), k) for k, v in stored.items()])
        opsets = [helper.make_opsetid("", opset), *[helper.make_opsetid(d, 1) for d in domains]]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)

    def computed(nodes, inputs, outputs, stored, opset, domains):
        empty = [helper.make_empty_tensor_value_info(name) for name in outputs]
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(
            model(nodes, inputs, empty, stored, opset, domains=domains).SerializeToString(),
            options, providers=["CPUExecutionProvider"])
        return dict(zip(outputs, session.run(None, inputs)))

    def node(operator, inputs, outputs, **attributes):
        return helper.make_node(operator, inputs.split(), outputs.split(), **attributes)

    def made(name, nodes, inputs, stored=None, outputs=("y",), opset=17, expected=None,
             sizes=None, open_outputs=False, domains=()):
        stored, case = stored or {}, Case(root, name)
        if expected is None:
            expected = computed(nodes, inputs, outputs, stored, opset, domains)
        results = [
            described(k, expected[k], [None] * np.ndim(expected[k]) if open_outputs else None)
            for k in outputs]
        onnx.save(
            model(nodes, inputs, results, stored, opset, sizes, domains),
            case.folder / "model.onnx")
        case.arrays("in", inputs)
        case.arrays("expected", expected)
        return case

    def numbers(seed, *sizes):
        return np.random.default_rng(seed).normal(size=sizes).astype(FLOAT)

    # Operators
    resize = node("Resize", "x roi s", "y", mode="nearest", nearest_mode="ceil",
                  coordinate_transformation_mode="tf_half_pixel_for_nn")
    made("01-resize-nn-batch", [resize], {"x": numbers(1, 2, 3, 4, 5)},
         {"roi": np.zeros(0, FLOAT), "s": np.array([1, 1, 3, 2], FLOAT)}, opset=11)
    # NaN ranks last in Forge (Docs/Accuracy.md); equal numbers in their order.
    ties = np.array([[3, np.nan, 7, 7, -np.inf, np.inf, 7, 1]], FLOAT)
    made("23-topk-nan-ties", [node("TopK", "x k", "v i", axis=1)], {"x": ties},
         {"k": np.array([5], LONG)}, ("v", "i"), expected={
             "v": np.array([[np.inf, 7, 7, 7, 3]], FLOAT), "i": np.array([[5, 2, 3, 6, 0]], LONG)})
    x = numbers(30, 2, 6, 3, 3) * FLOAT(0.01) + FLOAT(100)
    scale, shift = numbers(31, 3), numbers(32, 3)
    groups = x.astype(np.float64).reshape(2, 3, -1)
    normal = groups - groups.mean(2, keepdims=True)
    normal /= np.sqrt(groups.var(2, keepdims=True) + 1e-5)
    normal = normal * scale[:, None] + shift[:, None]
    made("30-groupnorm18", [node("GroupNormalization", "x s b", "y", num_groups=3)], {"x": x},
         {"s": scale, "b": shift}, opset=18,
         expected={"y": normal.reshape(x.shape).astype(FLOAT)})
    made("45-scatterelements-small", [node("ScatterElements", "x i u", "y", axis=0)],
         {"x": numbers(45, 2, 3, 4), "u": numbers(46, 1, 3, 1)},
         {"i": np.array([1, 0, -1], LONG).reshape(1, 3, 1)})
    made("47-scatternd-negative", [node("ScatterND", "x i u", "y")],
         {"x": numbers(47, 3, 4), "u": numbers(48, 2)}, {"i": np.array([[0, -1], [-3, 1]], LONG)})
    pair = {"a": np.array([7, -7, 7, -7, 5, 0], LONG), "b": np.array([3, 3, -3, -3, 5, 2], LONG)}
    made("49-mod-int", [node("Mod", "a b", "y")], pair)
    made("59-clip-nan-bound", [node("Clip", "x a b", "y")],
         {"x": np.array([0.5, -3, 4.5, 11, np.nan], FLOAT)}, {"a": FLOAT(0), "b": FLOAT("nan")})
    slopes = {"s": [4], "t": [4, 1, 1], "u": [1, 4, 4], "o": [1]}
    made("66-prelu-broadcast",
         [node("PRelu", f"x {slope}", name) for slope, name in zip("stuo", "abcd")],
         {"x": numbers(66, 1, 4, 4, 4)},
         {name: numbers(67 + place, *sizes) for place, (name, sizes) in enumerate(slopes.items())},
         tuple("abcd"))
    made("120-prelu-sequence", [node("PRelu", "x s", "a")], {"x": numbers(120, 2, 4, 4)},
         {"s": numbers(121, 4)}, ("a",))
    lstm = node("LSTM", "x w r b", "y yh yc", hidden_size=5, activation_alpha=[0.3],
                activation_beta=[0.4], activations=["HardSigmoid", "Softsign", "Relu"])
    layer = {"w": numbers(91, 1, 20, 4), "r": numbers(92, 1, 20, 5), "b": numbers(93, 1, 40)}
    made("91-lstm-activations", [lstm], {"x": numbers(94, 5, 3, 4)}, layer, ("y", "yh", "yc"),
         opset=14)
    rnn = node("RNN", "x w r b", "y yh", hidden_size=5, activation_alpha=[0.7],
               activation_beta=[0.1], activations=["Relu", "Affine"], clip=1.0,
               direction="bidirectional")
    layer = {"w": numbers(95, 2, 5, 4), "r": numbers(96, 2, 5, 5), "b": numbers(97, 2, 10)}
    made("92-rnn-relu", [rnn], {"x": numbers(98, 5, 3, 4)}, layer, ("y", "yh"), opset=14)
    made("94-quantize-nan", [node("QuantizeLinear", "x s z", "y")],
         {"x": np.array([np.nan, np.inf, -np.inf, 3], FLOAT)},
         {"s": FLOAT(0.5), "z": np.int8(3)})
    made("97-dynamicquantize", [node("DynamicQuantizeLinear", "x", "y s z")],
         {"x": numbers(99, 5)}, outputs=("y", "s", "z"))
    quantized = np.random.default_rng(98).integers(0, 200, size=(1, 2, 5, 5)).astype(np.uint8)
    made("98-qlinearconv", [node("QLinearConv", "x xs xz w ws wz ys yz b", "y", pads=[1] * 4)],
         {"x": quantized}, {
             "xs": FLOAT(0.02), "xz": np.uint8(10), "ws": np.array([0.01, 0.02, 0.03], FLOAT),
             "w": np.random.default_rng(9).integers(-30, 30, size=(3, 2, 3, 3)).astype(np.int8),
             "wz": np.zeros(3, np.int8), "ys": FLOAT(0.05), "yz": np.uint8(128),
             "b": np.array([100, -50, 3], np.int32)})

    # Boxes: the rows that there are
    def boxes(name, b, s, most, overlap, least, center):
        made(name, [node("NonMaxSuppression", "b s k i t", "y", center_point_box=center)],
             {"b": b, "s": s}, {
                 "k": np.array([most], LONG), "i": np.array([overlap], FLOAT),
                 "t": np.array([least], FLOAT)}, opset=11, open_outputs=True)

    corners = np.array([
        [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 5, 1, 6], [0, 5.2, 1, 6.2], [9, 9, 10, 10]],
        [[0, 0, 2, 2], [0, 0, 2, 2.1], [4, 4, 5, 5], [1, 1, 3, 3], [7, 7, 8, 8]]], FLOAT)
    scores = np.random.default_rng(105).uniform(0, 1, size=(2, 2, 5)).astype(FLOAT)
    boxes("105-nms-batches", corners, scores, 3, 0.6, 0.15, 0)
    centers = np.array([[[1, 1, 2, 2], [1.1, 1, 2, 2], [5, 5, 1, 1], [9, 9, 3, 3]]], FLOAT)
    boxes("807-nms-center", centers, np.array([[[0.9, 0.8, 0.7, 0.6]]], FLOAT), 20, 0.5, 0, 1)
    halves = np.array([[[0, 0, 2, 1], [0, 0, 1, 1], [5, 5, 6, 6]]], FLOAT)
    boxes("809-nms-iou-equal", halves, np.array([[[0.9, 0.8, 0.7]]], FLOAT), 3, 0.5, 0.7, 0)
    few = np.array([[[0, 0, 1, 1], [0, 0, 1, 1.1], [5, 5, 6, 6]]], FLOAT)
    boxes("nms_fewer", few, np.array([[[0.9, 0.8, 0.1]]], FLOAT), 3, 0.5, 0.5, 0)

    # Control flow, places, whole numbers
    def branch(operator, name):
        return helper.make_graph(
            [node(operator, "x", name)], operator,
            [], [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3])])

    made("112-if-constant", [
        node("Shape", "x", "sh"), node("ReduceProd", "sh", "n", keepdims=0),
        node("Greater", "n z", "c"),
        node("If", "c", "y", then_branch=branch("Relu", "p"), else_branch=branch("Neg", "q"))],
        {"x": numbers(112, 2, 3)}, {"z": LONG(4)})
    made("118-int64-exact", [
        node("Reshape", "a s", "r"), node("Concat", "r r", "y", axis=0)],
        {"a": np.array([2**24 + 1, 2**24 + 3, 5], LONG)}, {"s": np.array([3, 1], LONG)})
    made("129-gathernd-batchdims", [node("GatherND", "x i", "y", batch_dims=1)],
         {"x": numbers(129, 2, 3, 4)}, {"i": np.array([[[1], [0]], [[-1], [2]]], LONG)})
    made("601-int64-relu-path", [
        node("Unsqueeze", "a ax", "u"), node("Transpose", "u", "y", perm=[1, 0])],
        {"a": np.array([1, 2**24 + 1, 2**31 - 1, -2**24 - 1], LONG)}, {"ax": np.array([1], LONG)})
    made("603-int64-cast-int32", [node("Cast", "b", "y", to=TensorProto.INT32)],
         {"b": np.array([1, -5, 2**24 + 1, 2**30 + 1], LONG)})
    made("604-cast-uint8", [node("Cast", "x", "y", to=TensorProto.INT8)],
         {"x": np.array([127.9, -1.5, 0, 3], FLOAT)})
    sums = {"a": np.array([[1, 2], [3, 4]], np.int32), "b": np.array([[5, 6], [7, 8]], np.int32)}
    made("605-int32-add", [node("Add", "a b", "y")], sums)
    made("606-float64-identity", [node("Reshape", "d s", "y")],
         {"d": np.array([1.1, 2.2, 1e300, 16777217])}, {"s": np.array([2, 2], LONG)})
    made("616-ms-domain", [node("Gelu", "x", "y", domain="com.microsoft")],
         {"x": numbers(616, 2, 3)}, domains=("com.microsoft",))
    for policy, name in [("not_larger", "810-resize-not_larger-linear"),
                         ("not_smaller", "811-resize-not_smaller-linear")]:
        made(name, [helper.make_node(
            "Resize", ["x", "", "", "s"], ["y"], axes=[2, 3], keep_aspect_ratio_policy=policy,
            mode="linear")], {"x": numbers(810, 1, 1, 10, 6)}, {"s": np.array([7, 5], LONG)},
            opset=18)

    # Structure
    stored = {"w": np.array([1, 2, 3], FLOAT)}
    rows = {"x": numbers(512, 2, 3)}
    chain = [node("Relu", "x", "r"), node("Add", "r w", "y")]
    total = {"y": np.maximum(rows["x"], 0) + stored["w"]}
    made("512-unsorted-nodes", chain[::-1], rows, stored, expected=total)
    made("517-input-as-output", chain, rows, stored, ("y", "x"), expected={**total, **rows})
    long_name = "o" * 300
    case = Case(root, "523-output-name-300")
    onnx.save(model(
        [node("Relu", "x", long_name)], rows, [described(long_name, rows["x"])], {}, 17),
        case.folder / "model.onnx")
    case.arrays("in", rows)
    case.arrays("expected", {"0": np.maximum(rows["x"], 0)})
    for name, content in [
            ("532-gzip", gzip.compress(b"model", mtime=0)),
            ("538-html", b"<!DOCTYPE html>\n<html><body>Not found</body></html>\n")]:
        case = Case(root, name)
        (case.folder / "model.onnx").write_bytes(content)
        case.arrays("in", rows)

    # Items: rows of products and examples of a batch, with weights in halves to save space
    def halves_of(seed, *sizes):
        return (numbers(seed, *sizes) / FLOAT(sizes[0]**0.5)).astype(np.float16)

    def cast(name):
        return node("Cast", f"{name}h", name, to=TensorProto.FLOAT)

    def with_bad_row(value, seed, *sizes):
        x = numbers(seed, *sizes)
        x.reshape(-1, sizes[-1])[3, 7] = value
        return x

    for name, operator, value, sizes in [
            ("849-matmul-one-nan", "MatMul", np.nan, [32, 256]),
            ("872-rows-fixed-batch", "MatMul", np.inf, [48, 256]),
            ("874-rows-fixed-batch-1e6", "MatMul", 1e6, [33, 256]),
            ("877-tokens-huge", "MatMul", 1e30, [1, 33, 256]),
            ("881-gemm-batch32-nan", "Gemm", np.nan, [32, 256])]:
        made(name, [cast("w"), node(operator, "x w", "y")],
             {"x": with_bad_row(value, 849, *sizes)}, {"wh": halves_of(850, 256, 128)})
    picture = with_bad_row(np.nan, 884, 32, 3, 8, 8)
    made("884-classifier-batch32-nan", [
        cast("w"), cast("g"), node("Conv", "x w", "c", pads=[1] * 4), node("Relu", "c", "r"),
        node("MaxPool", "r", "p", kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", "p", "f"), node("Gemm", "f g", "h"), node("Relu", "h", "i"),
        node("Gemm", "i k", "y")], {"x": picture}, {
            "wh": halves_of(885, 16, 3, 3, 3), "gh": halves_of(886, 256, 128),
            "k": numbers(887, 128, 10) / FLOAT(11)})
    for name, value in [
            ("844-conv-one-nan", np.nan), ("845-conv-one-inf", np.inf),
            ("847-conv-huge-value", 1e30)]:
        x = numbers(844, 1, 32, 16, 16)
        x[0, 5, 7, 9] = value
        made(name, [cast("w"), node("Conv", "x w", "y", pads=[1] * 4)], {"x": x},
             {"wh": (numbers(845, 32, 32, 3, 3) / 17).astype(np.float16)})

    # Batches of open size whose examples are mixed, integers, PRelu, Resize
    open_rows = {"x": np.arange(8, dtype=FLOAT).reshape(2, 4)}
    axis = {"k": np.array([0], LONG)}
    cast_shape = [
        node("Shape", "x", "s"), node("Cast", "s", "c", to=1),
        node("ReduceProd", "c", "d", keepdims=0), node("Mul", "x d", "y")]
    for name, nodes, constants, opset in [
            ("cross_mean", [node("ReduceMean", "x k", "y", keepdims=1)], axis, 18),
            ("cross_cum", [node("CumSum", "x k", "y")], {"k": LONG(0)}, 18),
            ("cross_sm", [node("Softmax", "x", "y", axis=0)], {}, 18),
            ("cross_flat", [node("Softmax", "x", "y", axis=0)], {}, 11),
            ("cross_bn", [node("Sub", "x q", "y")], {"q": np.ones((1, 4), FLOAT)}, 18),
            ("cross_gather", [node("Gather", "x k", "y", axis=0)],
             {"k": np.array([0, 0], LONG)}, 18),
            ("cross_mm", [node("Transpose", "x", "t"), node("MatMul", "x t", "y")], {}, 18),
            ("cross_shape", cast_shape, {}, 18)]:
        made(name, nodes, open_rows, constants, opset=opset, sizes={"x": ["N", 4]},
             open_outputs=True)
    made("cross_topk", [node("TopK", "x k", "y i", axis=0)], open_rows,
         {"k": np.array([1], LONG)}, ("y", "i"), 18, sizes={"x": ["N", 4]}, open_outputs=True)
    made("int64_identity", [node("Identity", "x", "y")],
         {"x": np.array([2**24 + 1, 2**40 + 1], LONG)}, opset=18)
    made("int64_equal", [node("Equal", "x z", "b"), node("Cast", "b", "y", to=1)],
         {"x": np.array([2**24 + 1], LONG), "z": np.array([2**24], LONG)}, opset=18)
    made("prelu_w", [node("PRelu", "x s", "y")], {"x": -np.ones((1, 2, 2), FLOAT)},
         {"s": np.array([1, 2], FLOAT)}, opset=16)
    made("prelu_c1", [node("PRelu", "x s", "y")], {"x": -np.ones((1, 3, 3, 2), FLOAT)},
         {"s": np.array([[1], [2], [3]], FLOAT)}, opset=18)
    for wanted in (2, 4):
        resize = helper.make_node(
            "Resize", ["x", "", "", "s"], ["y"], mode="nearest", nearest_mode="round_prefer_ceil",
            coordinate_transformation_mode="asymmetric")
        made(f"rz_{wanted}", [resize], {"x": np.arange(7, dtype=FLOAT).reshape(1, 1, 1, 7)},
             {"s": np.array([1, 1, 1, wanted], LONG)}, opset=18)


def keras_cases(root):
    os.environ.setdefault("KERAS_BACKEND", "jax")
    import keras
    from keras import layers

    def made(name, inputs, outputs, x, file="model.keras"):
        case = Case(root, name)
        network = keras.Model(inputs, outputs)
        network.save(case.folder / "model.keras")
        (case.folder / "model.keras").rename(case.folder / file)
        case.arrays("in", {"x": x})
        results = network.predict(x, verbose=0)
        results = results if isinstance(results, list) else [results]
        case.arrays("expected", {str(place): y for place, y in enumerate(results)})

    keras.utils.set_random_seed(3)
    numbers = np.random.default_rng(3)

    def drawn(*sizes):
        return numbers.normal(size=sizes).astype(FLOAT)

    x = keras.Input((8, 5, 3))
    made("221-resizing-crop", x, [
        layers.Resizing(6, 6, crop_to_aspect_ratio=True)(x),
        layers.Resizing(6, 6, pad_to_aspect_ratio=True, fill_value=2.0)(x)], drawn(2, 8, 5, 3))
    x = keras.Input((6,))
    embedded = layers.Embedding(10, 4, mask_zero=True)(x)
    made("230-embedding-mask", x, [
        layers.LSTM(3)(embedded), layers.GlobalAveragePooling1D()(embedded)],
        np.array([[1, 2, 0, 3, 0, 0], [0, 0, 4, 9, 5, 0]], FLOAT))
    x = keras.Input((3, 6, 6, 2))
    y = layers.TimeDistributed(layers.Conv2D(2, 3))(x)
    y = layers.TimeDistributed(layers.Flatten())(y)
    made("232-timedistributed", x, [layers.TimeDistributed(layers.Dense(4))(y)],
         drawn(2, 3, 6, 6, 2))
    x = keras.Input((3, 5, 5, 2))
    made("235-convlstm", x, [layers.ConvLSTM2D(3, 3, padding="same")(x)], drawn(1, 3, 5, 5, 2))
    x = keras.Input((4, 5, 3))
    made("239-convtranspose-outpad", x, [layers.Conv2DTranspose(
        2, 3, strides=2, padding="same", output_padding=1)(x)], drawn(2, 4, 5, 3))
    made("536-keras-as-onnx", x, [layers.ReLU(2.0)(x)], drawn(1, 4, 5, 3), "model.onnx")


def main():
    parser = argparse.ArgumentParser(description="Makes the cases of public reports.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--keras", action="store_true", help="the cases of Keras")
    options = parser.parse_args()
    (keras_cases if options.keras else onnx_cases)(options.folder)


if __name__ == "__main__":
    main()
