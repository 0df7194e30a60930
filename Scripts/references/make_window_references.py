#!/usr/bin/env python3
"""Writes Tests/Fixtures/windows.safetensors: what other frameworks compute for transposed, one-dimensional and
separable convolutions, poolings with dilation or a rounded-up size, normalizations, rearrangements
of pixels, resampling and non-maximum suppression.

Run it from anywhere; each half of the cases needs its framework:

    python Scripts/references/make_window_references.py onnx    # onnx, onnxruntime
    python Scripts/references/make_window_references.py keras   # keras with any of its back ends

Each run replaces the cases of its framework and keeps the others. Numbers are seeded by the case's
name. The layers of the cases are written in Swift, in WindowFixtureTests.swift, by the same names.
Tensors are in memory order without the batch; parameters are as the framework stores them.
"""
# check: onnx
# check: KERAS_BACKEND=jax keras

import pathlib
import sys
import zlib

import numpy as np

import fixtures

FILE = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "windows.safetensors"
ONNX, KERAS = [], []


def tensor(value):
    """A tensor as JSON."""
    data = np.ascontiguousarray(value, dtype="<f4")
    return data


def drawn(random, shape, low=0.05, high=1.0):
    """Seeded values of both signs, never 0."""
    return (random.uniform(low, high, shape) * random.choice([-1, 1], shape)).astype(np.float32)


# ---- ONNX Runtime ----------------------------------------------------------------------------------


def onnx_case(name, operation, sizes, parameters=(), inputs=None, extra=(), opset=22, offset=0.0,
              **attributes):
    """One operation on a tensor; `sizes` are in memory order, channels last."""
    ONNX.append(dict(name=name, operation=operation, size=sizes, parameters=list(parameters),
                     inputs=inputs, extra=list(extra), opset=opset, offset=offset,
                     attributes=attributes))


def first(value):
    """Channels from the last to the first axis, with a batch."""
    return np.moveaxis(value, -1, 0)[None]


def last(value):
    """Channels back to the last axis, without the batch."""
    return np.moveaxis(value[0], 0, -1)


def run_onnx(case):
    """The case with its numbers."""
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper

    random = np.random.default_rng(zlib.crc32(case["name"].encode()))
    if case["inputs"] is None:
        inputs = [drawn(random, case["size"]) + np.float32(case["offset"])]
        fed = [first(inputs[0])]
    else:
        inputs = case["inputs"](random)
        fed = [value[None] for value in inputs]
    parameters, constants = {}, []
    for kind, size in case["parameters"]:
        parameters[kind] = drawn(random, size)
        constants.append(parameters[kind])
    constants += case["extra"]
    names = [f"x{index}" for index in range(len(fed))]
    kinds = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64}
    initializers, operands = [], list(names)
    for index, value in enumerate(constants):
        if value is None:
            operands.append("")
            continue
        operands.append(f"c{index}")
        initializers.append(helper.make_tensor(
            f"c{index}", kinds[value.dtype], value.shape, value.tobytes(), raw=True))
    node = helper.make_node(case["operation"], operands, ["y"], **case["attributes"])
    is_boxes = case["operation"] == "NonMaxSuppression"
    graph = helper.make_graph(
        [node], "case",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, v.shape) for n, v in zip(names, fed)],
        [helper.make_tensor_value_info(
            "y", TensorProto.INT64 if is_boxes else TensorProto.FLOAT, None)],
        initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", case["opset"])],
                              ir_version=10)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"])
    result = session.run(None, dict(zip(names, fed)))[0]
    if is_boxes:
        # The number of rows does not depend on the values: unused ones are -1.
        most = int(case["extra"][0][0])
        rows = inputs[1].shape[0] * min(most, inputs[1].shape[1])
        result = np.concatenate([result, np.full((rows - len(result), 3), -1)]).astype(np.float32)
    elif case["operation"] == "LayerNormalization" or case["inputs"] is not None:
        result = result[0]
    else:
        result = last(result)
    return record(case["name"], f"onnxruntime {onnxruntime.__version__}", inputs, parameters,
                  result)


def record(name, source, inputs, parameters, result):
    """A case as it goes into the file."""
    return {
        "name": name, "source": source, "layers": [], "inputs": [tensor(x) for x in inputs],
        "parameters": {"layer": {kind: tensor(value) for kind, value in parameters.items()}},
        "outputs": {"layer": tensor(result)},
    }


def plain(*size):
    """The input as it is, without channels to move."""
    return lambda random: [drawn(random, size)]


TRANSPOSED = [
    ("2x2 by 2", (5, 7, 6), (2, 2), dict(strides=[2, 2])),
    ("3x3 by 2", (5, 7, 6), (3, 3), dict(strides=[2, 2], pads=[1, 1, 1, 1])),
    ("3x3 by 2, padded output", (5, 7, 6), (3, 3),
     dict(strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])),
    ("4x4 by 2", (6, 5, 17), (4, 4), dict(strides=[2, 2], pads=[1, 1, 1, 1])),
    ("3x2 by 3x1", (5, 7, 3), (3, 2), dict(strides=[3, 1], pads=[0, 1, 2, 0])),
    ("5x3, dilated", (5, 7, 3), (5, 3), dict(dilations=[2, 3], pads=[3, 1, 2, 4])),
    ("3x3 by 3x2, dilated", (5, 7, 3), (3, 3), dict(strides=[3, 2], dilations=[2, 2])),
    ("1x1 by 2", (5, 7, 3), (1, 1), dict(strides=[2, 2])),
    ("2x2 by 2, cropped", (5, 7, 3), (2, 2), dict(strides=[2, 2], pads=[1, 1, 1, 1])),
    ("3x4 by 1", (5, 7, 3), (3, 4), dict()),
    ("2x2 by 2, padded output", (5, 7, 3), (2, 2), dict(strides=[2, 2], output_padding=[1, 1])),
    ("8x8 by 4, wide crop", (5, 7, 3), (8, 8), dict(strides=[4, 4], pads=[6, 6, 6, 6])),
]
for label, size, kernel, attributes in TRANSPOSED:
    onnx_case(f"transposed {label}", "ConvTranspose", size,
              [("weights", (size[-1], 5, *kernel)), ("biases", (5,))], **attributes)
onnx_case("transposed in groups", "ConvTranspose", (5, 7, 6),
          [("weights", (6, 2, 3, 3)), ("biases", (6,))], strides=[2, 2], pads=[1, 1, 1, 1], group=3)
onnx_case("transposed depthwise", "ConvTranspose", (5, 7, 19),
          [("weights", (19, 1, 4, 4))], strides=[2, 2], pads=[1, 1, 1, 1], group=19)
onnx_case("transposed sequence", "ConvTranspose", (11, 6),
          [("weights", (6, 5, 4)), ("biases", (5,))], strides=[2], pads=[1, 1])
onnx_case("transposed sequence in groups", "ConvTranspose", (11, 6),
          [("weights", (6, 2, 3)), ("biases", (4,))], strides=[2], group=2, output_padding=[1])

onnx_case("sequence convolution", "Conv", (23, 7), [("weights", (5, 7, 3)), ("biases", (5,))],
          strides=[2], pads=[2, 1], dilations=[2])
onnx_case("sequence convolution in groups", "Conv", (23, 6),
          [("weights", (4, 3, 3)), ("biases", (4,))], pads=[1, 1], group=2)
onnx_case("sequence depthwise", "Conv", (23, 7), [("weights", (14, 1, 3)), ("biases", (14,))],
          pads=[1, 1], group=7)
onnx_case("sequence maximum", "MaxPool", (23, 7), kernel_shape=[3], strides=[2], pads=[1, 0],
          dilations=[2], ceil_mode=1)
onnx_case("sequence average", "AveragePool", (23, 7), kernel_shape=[4], strides=[3], pads=[1, 2],
          ceil_mode=1, count_include_pad=1)

POOLS = [
    ("dilated", dict(kernel_shape=[3, 2], strides=[1, 2], dilations=[2, 3], pads=[1, 1, 2, 0])),
    ("rounded up", dict(kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)),
    ("rounded up, 2x2", dict(kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)),
    ("rounded up, padded",
     dict(kernel_shape=[3, 4], strides=[3, 3], pads=[1, 2, 1, 1], ceil_mode=1)),
    ("rounded up, last in the padding",
     dict(kernel_shape=[2, 2], strides=[3, 3], pads=[1, 1, 1, 1], ceil_mode=1)),
]
for label, attributes in POOLS:
    for kind, more in [("MaxPool", {}), ("AveragePool", {}),
                       ("AveragePool", {"count_include_pad": 1})]:
        word = "maximum" if kind == "MaxPool" else "all" if more else "inside"
        onnx_case(f"pooling {word} {label}", kind, (11, 13, 5), **attributes, **more)

VOLUME = dict(kernel_shape=[2, 3, 2], strides=[2, 1, 2], pads=[0, 1, 1, 1, 1, 0], ceil_mode=1)
onnx_case("volume maximum", "MaxPool", (5, 6, 7, 3), dilations=[1, 2, 1], **VOLUME)
onnx_case("volume inside", "AveragePool", (5, 6, 7, 3), **VOLUME)
onnx_case("volume all", "AveragePool", (5, 6, 7, 3), count_include_pad=1, **VOLUME)
for p in (1, 2, 3):
    onnx_case(f"image lp {p}", "LpPool", (9, 7, 5), kernel_shape=[3, 2], strides=[2, 1],
              pads=[1, 0, 1, 1], p=p)

onnx_case("layer last", "LayerNormalization", None, [("gamma", (37,)), ("beta", (37,))],
          inputs=plain(11, 37))
onnx_case("layer image", "LayerNormalization", None, [("gamma", (19,)), ("beta", (19,))],
          inputs=plain(5, 7, 19), epsilon=1e-3)
onnx_case("layer volume", "LayerNormalization", None,
          [("gamma", (3, 5, 7)), ("beta", (3, 5, 7))], inputs=plain(2, 3, 5, 7), axis=2)
for size in ((5, 7, 18), (13, 6), (3, 4, 5, 6)):
    count, text = size[-1], "x".join(map(str, size))
    onnx_case(f"instance {text}", "InstanceNormalization", size,
              [("gamma", (count,)), ("beta", (count,))])
    for groups in (1, 2, 3):
        onnx_case(f"group {groups} {text}", "GroupNormalization", size,
                  [("gamma", (count,)), ("beta", (count,))], num_groups=groups)
onnx_case("group 5 of 40", "GroupNormalization", (4, 3, 40), [("gamma", (40,)), ("beta", (40,))],
          num_groups=5)
for size, beta in ((5, 0.75), (7, 0.5), (3, 0.6), (99, 0.75)):
    onnx_case(f"response {size} {beta}", "LRN", (3, 4, 23), size=size, beta=beta, alpha=0.5,
              bias=1.5)
onnx_case("unit length", "LpNormalization", (3, 4, 23), p=2, axis=1)
onnx_case("unit length of rows", "LpNormalization", (3, 4, 23), p=2, axis=2)

for mode, word in (("DCR", "depthColumnRow"), ("CRD", "columnRowDepth")):
    onnx_case(f"depth to space {word}", "DepthToSpace", (3, 5, 36), blocksize=3, mode=mode)
    onnx_case(f"depth to space {word}, wide", "DepthToSpace", (3, 5, 128), blocksize=2, mode=mode)
onnx_case("space to depth", "SpaceToDepth", (6, 10, 5), blocksize=2)
onnx_case("space to depth, wide", "SpaceToDepth", (4, 6, 32), blocksize=2)

MODES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"]
ROUNDINGS = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]


def resize(name, size, out=None, scales=None, **attributes):
    """A resize by sizes, or by scales, in memory order."""
    moved = [1, (out or scales)[-1], *(out or scales)[:-1]]
    extra = [None, None, np.array(moved, np.int64)] if out else [
        None, np.array(moved, np.float32)]
    onnx_case(name, "Resize", size, extra=extra, opset=19, **attributes)


for word in MODES:
    for out in ((5, 13, 3), (14, 4, 3), (1, 1, 3)):
        text = "x".join(map(str, out))
        resize(f"linear {word} {text}", (7, 9, 3), out, mode="linear",
               coordinate_transformation_mode=word)
        resize(f"cubic {word} {text}", (7, 9, 3), out, mode="cubic",
               coordinate_transformation_mode=word)
    for rounding in ROUNDINGS:
        resize(f"nearest {word} {rounding}", (7, 9, 3), (14, 6, 3), mode="nearest",
               coordinate_transformation_mode=word, nearest_mode=rounding)
resize("linear scaled", (7, 9, 3), scales=(1.7, 0.6, 1), mode="linear")
resize("linear scaled symmetric", (7, 9, 3), scales=(1.7, 0.6, 1), mode="linear",
       coordinate_transformation_mode="half_pixel_symmetric")
resize("cubic scaled", (7, 9, 3), scales=(1.7, 0.6, 1), mode="cubic", cubic_coeff_a=-0.5)
resize("cubic outside", (7, 9, 3), (15, 5, 3), mode="cubic", exclude_outside=1)
resize("linear antialiased", (17, 19, 3), (5, 7, 3), mode="linear", antialias=1)
resize("linear antialiased outside", (17, 19, 3), (5, 7, 3), mode="linear", antialias=1,
       exclude_outside=1)
resize("cubic antialiased", (17, 19, 3), (5, 23, 3), mode="cubic", antialias=1)
resize("linear volume", (5, 4, 3, 2), (7, 3, 8, 2), mode="linear")
resize("linear sequence", (9, 4), (13, 4), mode="linear")


def boxes(count, classes, centered):
    """Boxes that overlap, and scores of which a few are equal."""
    def make(random):
        center = random.uniform(0.2, 0.8, (count, 2))
        side = random.uniform(0.1, 0.5, (count, 2))
        corners = np.concatenate([center - side / 2, center + side / 2], axis=1)
        corners[1::3] = corners[1::3][:, [2, 3, 0, 1]]
        values = np.concatenate([center, side], axis=1) if centered else corners
        scores = np.round(random.uniform(0.05, 1, (classes, count)), 1)
        return [values.astype(np.float32), scores.astype(np.float32)]
    return make


for centered in (0, 1):
    for most, threshold in ((3, 0.25), (100, 0.45)):
        onnx_case(f"suppression {most} {'centred' if centered else 'corners'}",
                  "NonMaxSuppression", None, inputs=boxes(31, 3, centered),
                  extra=[np.array([most], np.int64), np.array([0.4], np.float32),
                         np.array([threshold], np.float32)], center_point_box=centered)


# ---- Keras -----------------------------------------------------------------------------------------


def keras_case(name, size, make):
    """A layer of Keras; `make` takes the module of layers."""
    KERAS.append(dict(name=name, size=size, make=make))


def run_keras(case):
    """The case with its numbers."""
    import keras

    random = np.random.default_rng(zlib.crc32(case["name"].encode()))
    value = drawn(random, case["size"])
    layer, kinds = case["make"](keras.layers)
    layer.build((1, *case["size"]))
    parameters = {kind: drawn(random, w.shape) for kind, w in zip(kinds, layer.weights)}
    layer.set_weights(list(parameters.values()))
    result = np.array(layer(value[None]))[0]
    return record(case["name"], f"keras {keras.__version__}", [value], parameters, result)


for padding in ("same", "valid"):
    for kernel, stride in (((2, 2), 2), ((3, 3), 2), ((4, 4), 2), ((2, 5), (3, 2)), ((5, 4), 3)):
        text = f"{kernel[0]}x{kernel[1]} by {stride} {padding}"
        keras_case(
            f"keras transposed {text}", (5, 7, 3),
            lambda layers, kernel=kernel, stride=stride, padding=padding: (
                layers.Conv2DTranspose(4, kernel, strides=stride, padding=padding),
                ["weights", "biases"]))
    keras_case(f"keras transposed sequence {padding}", (11, 6), lambda layers, padding=padding: (
        layers.Conv1DTranspose(5, 3, strides=2, padding=padding), ["weights", "biases"]))
for padding in ("same", "valid", "causal"):
    keras_case(f"keras sequence {padding}", (23, 7), lambda layers, padding=padding: (
        layers.Conv1D(5, 4, padding=padding, dilation_rate=2), ["weights", "biases"]))
keras_case("keras sequence depthwise", (23, 7), lambda layers: (
    layers.DepthwiseConv1D(3, strides=2, depth_multiplier=2, padding="same"),
    ["weights", "biases"]))
keras_case("keras separable", (9, 7, 5), lambda layers: (
    layers.SeparableConv2D(11, (3, 2), strides=2, depth_multiplier=2, padding="same"),
    ["depthwise", "weights", "biases"]))
keras_case("keras separable sequence", (23, 7), lambda layers: (
    layers.SeparableConv1D(11, 3, depth_multiplier=2, padding="same"),
    ["depthwise", "weights", "biases"]))
keras_case("keras maximum sequence", (23, 7), lambda layers: (
    layers.MaxPooling1D(3, strides=2, padding="same"), []))
keras_case("keras average sequence", (23, 7), lambda layers: (
    layers.AveragePooling1D(3, strides=2, padding="same"), []))
keras_case("keras layer all axes", (5, 7, 3), lambda layers: (
    layers.LayerNormalization(axis=[1, 2, 3], epsilon=1e-3), ["gamma", "beta"]))
keras_case("keras layer height", (5, 7, 3), lambda layers: (
    layers.LayerNormalization(axis=1, epsilon=1e-3), ["gamma", "beta"]))
keras_case("keras group", (5, 7, 18), lambda layers: (
    layers.GroupNormalization(6, epsilon=1e-3), ["gamma", "beta"]))
keras_case("keras unit length of all", (5, 7, 3), lambda layers: (
    layers.UnitNormalization(axis=(1, 2, 3)), []))
for size in ((3, 2), (7, 5), (9, 11)):
    keras_case(f"keras adaptive {size[0]}x{size[1]}", (9, 7, 5), lambda layers, size=size: (
        layers.AdaptiveAveragePooling2D(size), []))


def main():
    """Replaces the cases of one framework."""
    which = sys.argv[1] if len(sys.argv) == 2 else ""
    if which not in ("onnx", "keras"):
        sys.exit(__doc__)
    old = fixtures.read(FILE)["cases"] if FILE.exists() else []
    kept = [case for case in old if case["source"].startswith("keras") != (which == "keras")]
    made = [run_keras(c) for c in KERAS] if which == "keras" else [run_onnx(c) for c in ONNX]
    cases = sorted(kept + made, key=lambda case: case["name"])
    versions = dict(sorted({case["source"].split()[0]: case["source"].split()[1]
                            for case in cases}.items()))
    fixtures.write(FILE, {"versions": versions, "cases": cases})
    print(f"{len(made)} cases of {which}, {len(cases)} in all")


if __name__ == "__main__":
    main()
