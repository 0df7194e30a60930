#!/usr/bin/env python3
"""Makes Tests/ForgeImportersTests/Fixtures/ONNX/Operators: a small graph for each operator that no
other fixture has, and for operators along a sequence of open length.

    make_onnx_operators.py

Needs onnx, onnxruntime and numpy. `cases.safetensors` has, for each graph, inputs and what ONNX Runtime
computes for them (the reference of the package onnx for operators that ONNX Runtime lacks), at
several lengths where the length is free. The files `blocks_*` hold channels in blocks of 16 with
AVX-512, else of 8.
"""
# check:

import pathlib
import zlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import fixtures
import onnx_place_cases
import onnx_scatter_cases
import onnx_whole_number_cases

FOLDER = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeImportersTests", "Fixtures", "ONNX", "Operators")
node = helper.make_node
LENGTHS = (1, 7, 20)
LONGEST = 20
OPSET = 17
# Halves are rounded to even numbers, and NaN and infinities stay where they are.
HOSTILE = (np.nan, np.inf, -np.inf, 0.5, -1.5, 2.5, -0.0)


def ints(*values):
    return np.array(values, np.int64)


def generator(name):
    """Random numbers of a name, so that a new case leaves the others as they are."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def case(name, nodes, sizes, stored=None, opset=OPSET, low=-1.0, high=1.0,
         special=(), reference=False, domain=None, step=1):
    """A graph that reads x and makes y; a size that is `None` is free, in steps of 2 if so stated."""
    axis = next((i for i, size in enumerate(sizes) if size is None), None)
    random = generator(name)
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [size or "T" for size in sizes])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(value), key)
         for key, value in (stored or {}).items()])
    opsets = [helper.make_opsetid("", opset)]
    if domain:
        opsets.append(helper.make_opsetid(domain, 1))
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    path = FOLDER / f"{name}.onnx"
    onnx.save(model, path)
    run = (ReferenceEvaluator(model) if reference else onnxruntime.InferenceSession(str(path))).run
    runs = []
    lengths = (LENGTHS if step == 1 else (2, 8, 20)) if axis is not None else (0,)
    for length in lengths:
        x = random.uniform(low, high, [size or length for size in sizes]).astype(np.float32)
        x.ravel()[:len(special)] = special[:x.size]
        y = np.asarray(run(None, {"x": x})[0])
        assert y.dtype == np.float32, name
        runs.append({
            "sizes": list(x.shape), "x": [text(v) for v in x.ravel()],
            "outputSizes": list(y.shape), "y": [text(v) for v in y.ravel()]})
    return {"name": name, "sizes": [size or -step for size in sizes], "runs": runs, "error": ""}


def text(value):
    """A number as JSON has it: NaN and infinities are words."""
    value = float(value)
    return value if np.isfinite(value) else "nan" if np.isnan(value) else (
        "inf" if value > 0 else "-inf")


def cast(name, output):
    return node("Cast", [name], [output], to=TensorProto.FLOAT)


def functions(random):
    """Functions of one element each, along a sequence of open length."""
    ranges = {"Acos": (-1, 1), "Acosh": (1, 9), "Asin": (-1, 1), "Atanh": (-0.99, 0.99),
              "Tan": (-1.5, 1.5), "Exp": (-5, 5), "Sinh": (-4, 4), "Cosh": (-4, 4)}
    attributes = {"Celu": {"alpha": 1.7}, "Elu": {"alpha": 0.3}, "Selu": {"alpha": 1.3, "gamma": 0.7},
                  "Shrink": {"lambd": 0.9, "bias": 0.25}, "ThresholdedRelu": {"alpha": 0.75}}
    for name in ("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Celu", "Cosh", "Elu", "Exp",
                 "Floor", "Mish", "Round", "Selu", "Shrink", "Sinh", "Softsign", "Tan",
                 "ThresholdedRelu"):
        low, high = ranges.get(name, (-3, 3))
        special = HOSTILE[3:] if name in ("Floor", "Round") else ()
        yield case(
            f"function_{name.lower()}", [node(name, ["x"], ["y"], **attributes.get(name, {}))],
            (1, None, 5), low=low, high=high, opset=18, special=special)
    yield case("function_dropout", [node("Dropout", ["x"], ["y"])], (1, None, 5))
    yield case(
        "function_isinf", [
            node("IsInf", ["x"], ["b"], detect_negative=0), cast("b", "y")],
        (1, None, 5), special=HOSTILE)
    yield case(
        "function_castlike", [
            node("CastLike", ["x", "t"], ["b"]), cast("b", "y")], (1, None, 5), low=-9, high=9,
        opset=15, stored={"t": ints(1)})
    yield case("function_swish", [node("Swish", ["x"], ["y"], alpha=1.25)], (1, None, 5),
               opset=24, reference=True)
    yield case(
        "function_prelu", [node("PRelu", ["x", "s"], ["y"])], (1, 5, None),
        stored={"s": random.uniform(-1, 1, (5, 1)).astype(np.float32)})
    yield case(
        "function_prelu_rows", [node("PRelu", ["x", "s"], ["y"])], (1, None, 5),
        stored={"s": random.uniform(-1, 1, (5,)).astype(np.float32)})
    yield case(
        "function_prelu_one", [node("PRelu", ["x", "s"], ["y"])], (1, None, 5),
        stored={"s": np.float32([[0.3]])})


def arithmetic(random):
    for name in ("Mean", "Sum"):
        yield case(
            f"many_{name.lower()}", [node(name, ["x", "a", "b"], ["y"])], (1, None, 5),
            stored={"a": random.uniform(-1, 1, (5,)).astype(np.float32),
                    "b": random.uniform(-1, 1, (1, 1, 1)).astype(np.float32)})
    for name in ("Or", "Xor"):
        yield case(
            f"truth_{name.lower()}", [
                node("Greater", ["x", "a"], ["p"]), node("Less", ["x", "b"], ["q"]),
                node(name, ["p", "q"], ["r"]), cast("r", "y")], (1, None, 5),
            stored={"a": np.float32([-0.3]), "b": np.float32([0.4])})
    yield case(
        "gated_swiglu", [
            node("Split", ["x"], ["a", "b"], axis=2, num_outputs=2),
            node("SwiGLU", ["a", "b"], ["y"])],
        (1, None, 6), opset=27, reference=True)
    yield case("old_affine", [node("Affine", ["x"], ["y"], alpha=1.5, beta=-0.25)],
               (1, None, 5), opset=6)
    yield case(
        "old_scaler", [node("ImageScaler", ["x"], ["y"], scale=0.5, bias=[0.1, -0.2, 0.3])],
        (1, 3, 5, 7), opset=6)
    yield case("old_crop", [node("Crop", ["x"], ["y"], border=[1, 2, 3, 1])], (1, 3, 7, 9),
               opset=6)


def reductions(random):
    """Reductions along the sequence, and along the channels."""
    for name in ("ReduceL1", "ReduceLogSum", "ReduceLogSumExp", "ReduceMin", "ReduceProd",
                 "ReduceSumSquare"):
        low = 0.1 if name == "ReduceLogSum" else -1.5
        for axis in (1, 2):
            yield case(
                f"{name.lower()}_{axis}", [node(name, ["x"], ["y"], axes=[axis], keepdims=0)],
                (1, None, 5), low=low, high=1.5)
    yield case("argmin", [node("ArgMin", ["x"], ["i"], axis=2), cast("i", "y")],
               (1, None, 5))
    # Of known values, and used as numbers of a shape.
    known = {"k": ints(3, -4, 2), "z": ints(0), "o": ints(1)}
    for name, nodes in [
        ("reducesumsquare", [node("ReduceSumSquare", ["k"], ["s"], axes=[0], keepdims=1)]),
        ("reducel1", [node("ReduceL1", ["k"], ["s"], axes=[0], keepdims=1)]),
        ("sum", [node("Abs", ["k"], ["a"]), node("ReduceSum", ["a"], ["s"], keepdims=1)]),
        ("cumsum", [node("CumSum", ["k", "z"], ["c"], reverse=1),
                    node("Slice", ["c", "z", "o"], ["s"])]),
        ("cumsum_exclusive", [node("CumSum", ["k", "z"], ["c"], exclusive=1, reverse=1),
                              node("Abs", ["c"], ["a"]), node("Slice", ["a", "z", "o"], ["s"])]),
    ]:
        # The number of rows must be known while importing.
        yield case(
            f"known_{name}", [
                *nodes, node("Concat", ["s", "o"], ["t"], axis=0), node("Expand", ["x", "t"], ["y"])],
            (1, 5), stored=known, opset=13 if name == "sum" else 17)
    # The number of rows is made of the results, so that they must be known while importing.
    rows = [
        node("Mul", ["g", "ten"], ["h"]), node("Add", ["h", "ten"], ["i"]),
        node("Cast", ["i"], ["j"], to=TensorProto.INT64), node("ReduceMax", ["j"], ["m"], axes=[0]),
        node("Concat", ["m", "o"], ["t"], axis=0), node("Add", ["x", "g"], ["z"]),
        node("Expand", ["z", "t"], ["y"])]
    numbers = {"ten": np.float32([10]), "o": ints(1)}
    for name in ("Round", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh",
                 "Acosh", "Atanh", "Erf", "Softsign", "IsNaN", "IsInf"):
        angles = np.linspace(-0.9, 0.9, 5, dtype=np.float32) + (2 if name == "Acosh" else 0)
        yield case(
            f"known_{name.lower()}", [node(name, ["k"], ["f"]), cast("f", "g"), *rows],
            (1, 5), stored={**numbers, "k": angles})
    yield case(
        "known_xor", [node("Xor", ["p", "q"], ["f"]), cast("f", "g"), *rows], (1, 4),
        stored={**numbers, "p": np.array([0, 0, 1, 1], bool), "q": np.array([0, 1, 0, 1], bool)})


def constants(random):
    """Constants that follow from sizes."""
    for name in ("BlackmanWindow", "HammingWindow", "HannWindow"):
        yield case(
            name.lower(), [node(name, ["n"], ["w"]), node("Mul", ["x", "w"], ["y"])], (3, 7),
            stored={"n": np.int64(7)})
    yield case(
        "eyelike", [
            node("EyeLike", ["x"], ["e"], k=1, dtype=TensorProto.FLOAT),
            node("Add", ["x", "e"], ["y"])], (3, 5))
    yield case(
        "nonzero", [
            node("NonZero", ["m"], ["p"]), node("Squeeze", ["p", "z"], ["q"]),
            node("Gather", ["x", "q"], ["y"], axis=1)], (3, 5),
        stored={"m": np.float32([0, 2, 0, -1, 3]), "z": ints(0)})


def images(random):
    """Images whose width is open, and such whose sizes are fixed."""
    for name, nodes in [
        ("depthtospace", [node("DepthToSpace", ["x"], ["y"], blocksize=2)]),
        ("depthtospace_crd", [node("DepthToSpace", ["x"], ["y"], blocksize=2, mode="CRD")]),
        ("lrn", [node("LRN", ["x"], ["y"], size=3, alpha=0.5, beta=0.6, bias=1.5)]),
        ("lppool", [node("LpPool", ["x"], ["y"], kernel_shape=[3, 1], p=3)]),
        ("globallppool", [node("GlobalLpPool", ["x"], ["y"], p=1)]),
        ("globalmaxpool", [node("GlobalMaxPool", ["x"], ["y"])]),
        ("mvn", [node("MeanVarianceNormalization", ["x"], ["y"])]),
        ("lpnormalization", [node("LpNormalization", ["x"], ["y"], axis=1, p=2)]),
        ("lpnormalization_along", [node("LpNormalization", ["x"], ["y"], axis=3, p=1)]),
        ("hardmax", [node("Hardmax", ["x"], ["y"], axis=1)]),
    ]:
        # No single value has a deviation.
        yield case(f"image_{name}", nodes, (1, 8, 5, None), low=0.1)
    yield case("image_spacetodepth", [node("SpaceToDepth", ["x"], ["y"], blocksize=2)],
               (1, 3, 4, None), step=2)
    yield case(
        "image_groups", [node("GroupNormalization", ["x", "s", "b"], ["y"], num_groups=3)],
        (1, 6, 5, None), opset=21,
        stored={"s": random.uniform(0.5, 1, (6,)).astype(np.float32),
                "b": random.uniform(-1, 1, (6,)).astype(np.float32)})
    yield case(
        "image_upsample", [node("Upsample", ["x", "f"], ["y"], mode="nearest")],
        (1, 3, 5, None), opset=9, stored={"f": np.float32([1, 1, 2, 3])})
    yield case(
        "image_centercroppad", [node("CenterCropPad", ["x", "t"], ["y"], axes=[2, 3])],
        (1, 3, 5, 8), opset=18, stored={"t": ints(8, 5)}, reference=True)


def choices(random):
    yield case(
        "topk", [node("TopK", ["x", "k"], ["y", "i"], axis=-1)], (1, None, 5),
        stored={"k": ints(3)})
    yield case(
        "onehot", [
            node("Cast", ["x"], ["i"], to=TensorProto.INT64),
            node("OneHot", ["i", "d", "v"], ["y"], axis=-1)], (1, None), low=-4.9, high=4.9,
        stored={"d": np.int64(5), "v": np.float32([0.25, 2])})
    yield case(
        "compress", [node("Compress", ["x", "c"], ["y"], axis=2)], (1, None, 5),
        stored={"c": np.array([0, 1, 1, 0, 1], bool)})
    scales = {"s": np.float32([0.02, 0.03, 0.01, 0.025, 0.04]),
              "z": np.array([3, 128, 0, 255, 7], np.uint8)}
    yield case(
        "quantized", [
            node("QuantizeLinear", ["x", "s", "z"], ["q"], axis=2),
            node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=2)], (1, None, 5), stored=scales)
    # Fewer boxes than the largest number.
    yield case(
        "boxes", [
            node("Sigmoid", ["x"], ["s"]), node("NonMaxSuppression", ["b", "s", "n", "u", "t"], ["i"]),
            cast("i", "y")], (1, 2, 3), low=0.5, high=2,
        stored={"b": np.float32([[[0, 0, 2, 2], [0, 0, 2, 1.9], [3, 3, 5, 5]]]), "n": ints(2),
                "u": np.float32([0.5]), "t": np.float32([0.1])})


def heads(random):
    parts = [node("Split", ["x"], ["q", "k", "v"], axis=3, num_outputs=3)]
    yield case(
        "flex", [
            *parts, node("FlexAttention", ["q", "k", "v"], ["y"], domain="ai.onnx.preview")],
        (1, 2, 5, 9), opset=25, reference=True, domain="ai.onnx.preview")
    yield case(
        "linear", [
            node("Split", ["x"], ["q", "k", "v"], axis=2, num_outputs=3),
            node("LinearAttention", ["q", "k", "v"], ["y"], q_num_heads=2, kv_num_heads=2,
         update_rule="linear")],
        (1, 5, 18), opset=27, reference=True)


def features(_):
    """Features of several tensors side by side, in another order than they came."""
    yield case(
        "features", [
            node("Split", ["x"], ["a", "b"], axis=1, num_outputs=2),
            node("FeatureVectorizer", ["b", "x", "a"], ["y"], domain="ai.onnx.ml",
                 inputdimensions=[2, 5, 3])], (4, 5), opset=18, domain="ai.onnx.ml")


def blocks(random):
    """Images with channels in blocks, as ONNX Runtime's highest level writes them for this machine.

    The poolings and the enlargement take 16 channels, which need no filling, and a convolution to
    24 shows how large the blocks are.
    """
    weights = {"v": random.uniform(-0.3, 0.3, (16, 3, 3, 3)).astype(np.float32),
               "w": random.uniform(-0.3, 0.3, (24, 16, 1, 1)).astype(np.float32),
               "s": np.float32([1, 1, 2, 3])}
    for name, middle in [
        ("maxpool", node("MaxPool", ["a"], ["b"], kernel_shape=[3, 2], strides=[2, 1],
                         pads=[1, 0, 1, 1])),
        ("averagepool", node("AveragePool", ["a"], ["b"], kernel_shape=[3, 2], strides=[2, 1],
                             pads=[1, 0, 1, 1], count_include_pad=1)),
        ("globalaveragepool", node("GlobalAveragePool", ["a"], ["b"])),
        ("globalmaxpool", node("GlobalMaxPool", ["a"], ["b"])),
        ("upsample", node("Resize", ["a", "", "s"], ["b"], mode="nearest", nearest_mode="floor",
                          coordinate_transformation_mode="asymmetric")),
        ("upsample_linear", node("Resize", ["a", "", "s"], ["b"], mode="linear",
                                 coordinate_transformation_mode="asymmetric")),
        ("upsample_corners", node("Resize", ["a", "", "s"], ["b"], mode="linear",
                                  coordinate_transformation_mode="align_corners")),
        ("upsample_halves", node("Resize", ["a", "", "s"], ["b"], mode="linear",
                                 coordinate_transformation_mode="half_pixel")),
    ]:
        made = case(
            f"blocks_{name}", [
                node("Conv", ["x", "v"], ["a"], kernel_shape=[3, 3]), middle,
                node("Conv", ["b", "w"], ["y"], kernel_shape=[1, 1])],
            (2, 3, 9, 8), stored={k: v for k, v in weights.items()
                                  if k != "s" or middle.op_type == "Resize"})
        optimize(FOLDER / f"blocks_{name}.onnx", name.split("_")[0])
        yield made


def optimize(path, operator):
    """Puts a file as ONNX Runtime's highest level writes it, with an operator, in its own place."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.optimized_model_filepath = str(path)
    options.log_severity_level = 4
    onnxruntime.InferenceSession(path.read_bytes(), options)
    model = onnx.load(path)
    found = [n.op_type.lower() for n in model.graph.node if n.domain == "com.microsoft.nchwc"]
    assert operator in found, (path, found)


def refused(name, nodes, sizes, error, stored=None, opset=OPSET):
    """A graph that fits one length only, and a part of the error."""
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [size or "T" for size in sizes])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(value), key)
         for key, value in (stored or {}).items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    onnx.save(model, FOLDER / f"{name}.onnx")
    return {"name": name, "sizes": [size or -1 for size in sizes], "runs": [], "error": error}


def spectra(random):
    """Transforms of signals along every axis, shorter and longer than the signal."""
    def scalar(value, dtype=np.int64):
        return np.array(value, dtype)

    yield case("spectrum_dft", [node("DFT", ["x", "", "a"], ["y"])], (3, None, 7, 1), opset=20,
               stored={"a": scalar(-2)}, reference=True)
    for name, length in (("cut", 5), ("padded", 11)):
        yield case(
            f"spectrum_dft_{name}", [node("DFT", ["x", "n", "a"], ["y"])], (2, 7, 3, 2), opset=20,
            stored={"n": scalar(length), "a": scalar(1)}, reference=True)
    yield case("spectrum_dft_inverse", [node("DFT", ["x", "", "a"], ["y"], inverse=1)], (6, 5, 2),
               opset=20, stored={"a": scalar(0)}, reference=True)
    yield case("spectrum_dft_half", [node("DFT", ["x"], ["y"], axis=1, onesided=1)], (2, 13, 1),
               opset=17, reference=True)
    yield case(
        "spectrum_stft", [node("STFT", ["x", "step", "w"], ["y"])], (2, 61, 1), opset=17,
        stored={"step": scalar(5), "w": random.uniform(0, 1, 16).astype(np.float32)})
    yield case(
        "spectrum_stft_whole", [node("STFT", ["x", "step", "", "n"], ["y"], onesided=0)], (1, 40, 1),
        opset=17, stored={"step": scalar(3), "n": scalar(7)})
    yield case(
        "spectrum_mel", [
            node("MelWeightMatrix", ["m", "n", "r", "l", "h"], ["w"]),
            node("MatMul", ["x", "w"], ["y"])], (1, None, 129), opset=17,
        stored={"m": scalar(20), "n": scalar(256), "r": scalar(8000), "l": scalar(60, np.float32),
                "h": scalar(3800, np.float32)})
    stft = [node("STFT", ["x", "s", "w", "n"], ["y"])]
    stored = {"s": scalar(3), "w": np.ones(7, np.float32), "n": scalar(7)}
    yield refused("spectrum_of_complex", stft, (1, 40, 2), "a complex signal", stored)
    yield refused("spectrum_other_window", stft, (1, 40, 1), "another window", {**stored, "n": scalar(8)})
    yield refused("spectrum_no_step", stft, (1, 40, 1), "without a step", {**stored, "s": scalar(0)})
    yield refused("spectrum_short", stft, (1, 5, 1), "the output would be empty", stored)
    dft = [node("DFT", ["x", "n"], ["y"], axis=1)]
    yield refused("spectrum_no_length", dft, (2, 5, 1), "a transform of length 0", {"n": scalar(0)})
    yield refused("spectrum_large", dft, (2, 5, 1), "a constant of", {"n": scalar(1 << 40)})
    yield refused("spectrum_no_parts", [node("DFT", ["x"], ["y"], axis=1)], (2, 5, 3), "is not 1 or 2")
    yield refused(
        "spectrum_half_inverse", [node("DFT", ["x"], ["y"], axis=1, onesided=1, inverse=1)], (2, 5, 1),
        "one side")
    yield refused(
        "spectrum_along_length", [node("DFT", ["x"], ["y"], axis=1)], (1, None, 1),
        "a sequence whose length varies")
    yield refused(
        "spectrum_mel_above", [
            node("MelWeightMatrix", ["m", "n", "r", "l", "h"], ["w"]),
            node("MatMul", ["x", "w"], ["y"])], (1, 129), "above half the sample rate",
        {"m": scalar(20), "n": scalar(256), "r": scalar(8000), "l": scalar(60, np.float32),
         "h": scalar(4800, np.float32)})


def causal(random):
    """Convolutions of the past, with a state that goes in and comes out."""
    weights = {"w": random.uniform(-1, 1, (5, 1, 4)).astype(np.float32),
               "b": random.uniform(-1, 1, 5).astype(np.float32)}
    yield case(
        "causal_convolution", [
            node("CausalConvWithState", ["x", "w", "b"], ["c", "s"], activation="silu"),
            node("Concat", ["c", "s"], ["y"], axis=2)], (2, 5, 7), stored=weights, opset=27,
        reference=True)
    yield case(
        "causal_convolution_state", [
            node("Split", ["x"], ["p", "n"], axis=2, num_outputs=2),
            node("CausalConvWithState", ["n", "w", "", "p"], ["c", "s"]),
            node("Concat", ["c", "s"], ["y"], axis=2)], (3, 5, 6), stored={"w": weights["w"]}, opset=27,
        reference=True)
    yield refused(
        "causal_convolution_weights", [node("CausalConvWithState", ["x", "w"], ["y"])], (2, 4, 7),
        "weights of [5, 1, 4]", {"w": weights["w"]}, opset=27)
    yield refused(
        "causal_convolution_past", [node("CausalConvWithState", ["x", "w", "", "p"], ["y"])], (2, 5, 7),
        "a past of [2, 5, 2]", {"w": weights["w"], "p": np.zeros((2, 5, 2), np.float32)}, opset=27)


def losses(random):
    """Losses of stored targets, with weights of classes and a number that does not count."""
    for kind, name in (("NegativeLogLikelihoodLoss", "likelihood"),
                       ("SoftmaxCrossEntropyLoss", "entropy")):
        for reduction in ("none", "sum", "mean"):
            yield case(
                f"loss_{name}_{reduction}", [node(kind, ["x", "t"], ["y"], reduction=reduction)],
                (3, 5, 4), low=-3, stored={"t": random.integers(0, 5, (3, 4))})
        yield case(
            f"loss_{name}_weighted", [node(kind, ["x", "t", "w"], ["y"], ignore_index=2)], (7, 5),
            low=-3, stored={"t": random.integers(0, 5, 7),
                            "w": random.uniform(0.2, 2, 5).astype(np.float32)})
        yield case(
            f"loss_{name}_ignored", [node(kind, ["x", "t"], ["y"], ignore_index=-1)], (4, 3),
            low=-3, stored={"t": ints(2, -1, 0, -1)})
        yield refused(f"loss_{name}_targets", [node(kind, ["x", "t"], ["y"])], (3, 5, 4), "targets of",
                      {"t": ints(1, 2, 3)})


def fixed(_):
    """Operators that follow no open length."""
    varies = "a sequence whose length varies"
    parts = [node("Split", ["x"], ["q", "k", "v"], axis=2, num_outputs=3)]
    yield refused("fixed_hardmax", [node("Hardmax", ["x"], ["y"], axis=1)], (1, None, 5),
                  f"Hardmax with rows along {varies}")
    yield refused(
        "fixed_linear", [*parts, node("LinearAttention", ["q", "k", "v"], ["y"], q_num_heads=2,
                                      kv_num_heads=2, update_rule="linear")],
        (1, None, 18), f"LinearAttention with {varies}", opset=27)
    yield refused(
        "fixed_middle", [node("CenterCropPad", ["x", "t"], ["y"], axes=[1])], (1, None, 5),
        f"CenterCropPad with {varies}", stored={"t": ints(4)}, opset=18)
    yield refused(
        "fixed_crop", [node("Crop", ["x"], ["y"], border=[1, 2, 3, 1], scale=[2, 3])],
        (1, 3, 7, None), f"Crop with {varies}", opset=6)
    yield refused("fixed_eyelike", [node("EyeLike", ["x"], ["y"], dtype=TensorProto.FLOAT)],
                  (None, 5), f"EyeLike with {varies}")
    yield refused("fixed_nonzero", [node("NonZero", ["x"], ["i"]), cast("i", "y")], (1, None),
                  f"NonZero with {varies}")
    yield refused(
        "fixed_topk", [node("TopK", ["x", "k"], ["y", "i"], axis=1)], (1, None, 5), "TopK",
        stored={"k": ints(3)})
    yield refused(
        "fixed_compress", [node("Compress", ["x", "c"], ["y"], axis=1)], (1, None, 5), "Compress",
        stored={"c": np.array([0, 1, 1], bool)})
    yield refused(
        "fixed_prelu", [node("PRelu", ["x", "s"], ["y"])], (1, None, 5), "PRelu",
        stored={"s": np.full((20, 1), 0.3, np.float32)})
    yield refused("fixed_spacetodepth", [node("SpaceToDepth", ["x"], ["y"], blocksize=2)],
                  (1, 3, 4, None), "SpaceToDepth")
    yield refused(
        "fixed_quantize", [
            node("QuantizeLinear", ["x", "s"], ["q"], axis=1),
            node("DequantizeLinear", ["q", "s"], ["y"], axis=1)], (1, None, 5), "QuantizeLinear",
        stored={"s": np.full((20,), 0.1, np.float32)})


def recurrences(random):
    weights = {"w": random.uniform(-1, 1, (1, 5, 3)).astype(np.float32),
               "r": random.uniform(-1, 1, (1, 5, 5)).astype(np.float32)}
    yield case("rnn", [node("RNN", ["x", "w", "r"], ["y"], hidden_size=5)], (None, 1, 3),
               stored=weights)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in FOLDER.glob("*.onnx"):
        path.unlink()
    made = []
    for family in (functions, arithmetic, reductions, constants, images, choices, heads,
                   features, blocks, recurrences, causal,
                   spectra, losses, fixed):
        made += family(generator(family.__name__))
    made += onnx_place_cases.grids(case, generator("grids"))
    made += onnx_place_cases.blocks_of_images(case)
    made += onnx_place_cases.rows(case, generator("rows"))
    made += onnx_place_cases.known(case)
    made += onnx_scatter_cases.all_cases(case)
    made += onnx_whole_number_cases.narrow(case)
    made += onnx_whole_number_cases.bits(case)
    made += onnx_whole_number_cases.bounded(case)
    fixtures.write(FOLDER / "cases.safetensors", made)
    print(f"{len(made)} cases")


if __name__ == "__main__":
    main()
