"""Runs one layer, described with Forge's own words, in another framework.

A layer is a dictionary: "type" (the name of a Forge layer), "name", "inputs" (names of tensors) and
the layer's arguments, sizes being [width, height] and steps [x, y] as in Forge. Tensors have no
batch axis and are height, width, channels; parameters are in Forge's layouts. Everything a
framework wants otherwise is turned here, and nowhere else:

  convolution   Forge O H W I   Keras H W I O             ONNX O I H W
  depthwise     Forge C M H W   Keras H W C M             ONNX (C*M) 1 H W
  dense         Forge O HWC     Keras HWC O
"""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # oneDNN's sums depend on the processor
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
import onnx
import onnxruntime
import PIL
import tensorflow
from PIL import Image

# Keras computes in double precision, so that what it gives is right to Float's last digit. Only its
# Resizing is single all the same. Defaults, formulas and borders are those it has for Float.
keras.config.set_floatx("float64")

VERSIONS = {
    "keras": keras.__version__,
    "tensorflow": tensorflow.__version__,
    "onnx": onnx.__version__,
    "onnxruntime": onnxruntime.__version__,
    "numpy": np.__version__,
    "pillow": PIL.__version__,
}


# ---- parameters ----------------------------------------------------------------------------------


def nonzero(random, sizes, low=0.05, high=1.0):
    """Values whose magnitude is from low to high, of either sign: none is zero or nearly so."""
    magnitude = random.uniform(low, high, sizes)
    sign = random.choice([-1.0, 1.0], sizes)
    return (magnitude * sign).astype(np.float32)


def parameters_of(layer, sizes, random):
    """Seeded parameters of a layer for an input of the given sizes, by type, in Forge's layouts."""
    kind = layer["type"]
    parameters = {}
    if kind in ("Convolution", "PointwiseConvolution"):
        width, height = layer.get("kernel", [1, 1])
        weights = (layer["channels"], height, width, sizes[2] // layer.get("groups", 1))
        outputs = layer["channels"]
    elif kind == "DepthwiseConvolution":
        width, height = layer["kernel"]
        weights = (sizes[2], layer["multiplier"], height, width)
        outputs = sizes[2] * layer["multiplier"]
    elif kind == "Dense":
        weights = (layer["neurons"],) + tuple(sizes)
        outputs = layer["neurons"]
    elif kind == "BatchNormalization":
        channels = (sizes[-1],)
        if layer["useGamma"]:
            parameters["gamma"] = nonzero(random, channels, 0.5, 1.5)
        if layer["useBeta"]:
            parameters["beta"] = nonzero(random, channels)
        parameters["mean"] = nonzero(random, channels)
        least = layer.get("leastVariance", 0.1)
        parameters["variance"] = np.abs(nonzero(random, channels, least, 2))
        return parameters
    elif kind == "PReLU":
        shapes = {"channel": (sizes[-1],), "element": tuple(sizes), "layer": (1,)}
        return {"slopes": nonzero(random, shapes[layer["slopesPer"]], 0.05, 0.5)}
    else:
        return parameters
    # So scaled, sums of products stay near one however many there are.
    taps = weights[2] * weights[3] if kind == "DepthwiseConvolution" else np.prod(weights[1:])
    parameters["weights"] = nonzero(random, weights) * np.float32(1.7 / np.sqrt(taps))
    if layer["useBias"]:
        parameters["biases"] = nonzero(random, (outputs,))
    return parameters


# ---- Keras ---------------------------------------------------------------------------------------


def keras_activation(activation):
    """Keras's function for a Forge activation."""
    ops = keras.ops
    functions = {
        "linear": lambda x: x,
        "relu": ops.relu,
        "relu6": ops.relu6,
        "clipped": lambda x: ops.clip(x, activation["minimum"], activation["maximum"]),
        "leakyReLU": lambda x: ops.leaky_relu(x, activation["slope"]),
        "elu": lambda x: ops.elu(x, activation["alpha"]),
        "selu": ops.selu,
        "sigmoid": ops.sigmoid,
        "tanh": ops.tanh,
        "hardSigmoid": ops.hard_sigmoid,
        "hardSwish": ops.hard_silu,
        "swish": ops.silu,
        "mish": keras.activations.mish,
        "gelu": lambda x: ops.gelu(x, approximate=False),
        "geluTanh": lambda x: ops.gelu(x, approximate=True),
        "softplus": ops.softplus,
    }
    return functions[activation["function"]]


def keras_padded(layer, x):
    """The border argument of a Keras window layer, and its input with an explicit border added."""
    if isinstance(layer["padding"], str):
        return layer["padding"], x
    return "valid", keras.layers.ZeroPadding2D(keras_edges(layer["padding"]))(x)


def keras_edges(edges):
    """((top, bottom), (left, right))."""
    return ((edges["top"], edges["bottom"]), (edges["left"], edges["right"]))


def turned(pair):
    """(height, width) of [width, height]."""
    return (pair[1], pair[0])


def weighted(keras_layer, x, weights):
    """A Keras layer built for x, given weights, and applied."""
    keras_layer.build([t.shape for t in x] if isinstance(x, list) else x.shape)
    keras_layer.set_weights(weights)
    return keras_layer(x)


def keras_layer(layer, inputs, parameters):
    """The output of a Forge layer on Keras tensors."""
    kind = layer["type"]
    x = inputs[0]
    biases = [parameters["biases"]] if "biases" in parameters else []
    activation = keras_activation(layer.get("activation", {"function": "linear"}))
    if kind in ("Convolution", "PointwiseConvolution"):
        padding, x = keras_padded(layer, x) if kind == "Convolution" else ("valid", x)
        convolution = keras.layers.Conv2D(
            layer["channels"],
            turned(layer.get("kernel", [1, 1])),
            strides=turned(layer["stride"]),
            dilation_rate=turned(layer.get("dilation", [1, 1])),
            padding=padding,
            groups=layer.get("groups", 1),
            use_bias=layer["useBias"],
            activation=activation,
        )
        return weighted(convolution, x, [parameters["weights"].transpose(1, 2, 3, 0)] + biases)
    if kind == "DepthwiseConvolution":
        padding, x = keras_padded(layer, x)
        convolution = keras.layers.DepthwiseConv2D(
            turned(layer["kernel"]),
            strides=turned(layer["stride"]),
            dilation_rate=turned(layer["dilation"]),
            padding=padding,
            depth_multiplier=layer["multiplier"],
            use_bias=layer["useBias"],
            activation=activation,
        )
        return weighted(convolution, x, [parameters["weights"].transpose(2, 3, 0, 1)] + biases)
    if kind == "Dense":
        weights = parameters["weights"]
        dense = keras.layers.Dense(
            layer["neurons"], use_bias=layer["useBias"], activation=activation
        )
        flat = keras.layers.Flatten()(x)
        result = weighted(dense, flat, [weights.reshape(weights.shape[0], -1).T] + biases)
        return keras.layers.Reshape((1, 1, -1))(result)
    if kind in ("MaxPooling", "AveragePooling"):
        pooling = {
            "MaxPooling": keras.layers.MaxPooling2D,
            "AveragePooling": keras.layers.AveragePooling2D,
        }
        return pooling[kind](
            turned(layer["kernel"]), strides=turned(layer["stride"]), padding=layer["padding"]
        )(x)
    if kind == "GlobalMaxPooling":
        return keras.layers.GlobalMaxPooling2D(keepdims=True)(x)
    if kind == "GlobalAveragePooling":
        return keras.layers.GlobalAveragePooling2D(keepdims=True)(x)
    if kind == "Activation":
        return keras.layers.Activation(activation)(x)
    if kind == "PReLU":
        shared = {"channel": [1, 2], "element": [], "layer": [1, 2, 3]}[layer["slopesPer"]]
        slopes = parameters["slopes"]
        if layer["slopesPer"] != "element":
            slopes = slopes.reshape(1, 1, -1)
        return weighted(keras.layers.PReLU(shared_axes=shared), x, [slopes])
    if kind == "Softmax":
        return keras.layers.Softmax(axis=-1)(x)
    if kind == "LogSoftmax":
        return keras.layers.Activation(keras.ops.log_softmax)(x)
    if kind == "Flatten":
        return keras.layers.Reshape((1, 1, -1))(keras.layers.Flatten()(x))
    if kind == "Reshape":
        return keras.layers.Reshape(tuple(layer["shape"]))(x)
    if kind == "Permute":
        return keras.layers.Permute([axis + 1 for axis in layer["order"]])(x)
    if kind == "Concatenate":
        axis = layer["axis"]
        return keras.layers.Concatenate(axis=axis + 1 if axis >= 0 else axis)(inputs)
    if kind in ("Add", "Subtract", "Multiply", "Maximum", "Minimum", "Average"):
        return getattr(keras.layers, kind)()(inputs)
    if kind == "BatchNormalization":
        names = ["gamma", "beta", "mean", "variance"]
        normalization = keras.layers.BatchNormalization(
            epsilon=layer["epsilon"], scale=layer["useGamma"], center=layer["useBeta"]
        )
        return weighted(normalization, x, [parameters[n] for n in names if n in parameters])
    if kind == "ZeroPadding":
        return keras.layers.ZeroPadding2D(keras_edges(layer["padding"]))(x)
    if kind == "Cropping":
        return keras.layers.Cropping2D(keras_edges(layer["cropping"]))(x)
    if kind == "UpSampling":
        return keras.layers.UpSampling2D(
            turned(layer["size"]), interpolation=layer["interpolation"]
        )(x)
    if kind == "Resize":
        mode = layer["interpolation"]
        return keras.layers.Resizing(
            layer["height"],
            layer["width"],
            interpolation="nearest" if mode == "nearest" else "bilinear",
            antialias=mode == "bilinearAntialiased",
        )(x)
    if kind == "Scale":
        return keras.layers.Rescaling(layer["scale"], layer["bias"])(x)
    if kind == "Dropout":
        return keras.layers.Dropout(layer["rate"])(x)
    if kind == "ChannelShuffle":
        height, width, channels = x.shape[1:]
        groups = layer["groups"]
        x = keras.layers.Reshape((height, width, groups, channels // groups))(x)
        x = keras.layers.Permute((1, 2, 4, 3))(x)
        return keras.layers.Reshape((height, width, channels))(x)
    raise ValueError(f"Keras has no {kind}")


def run_keras(case, inputs, random):
    """A whole case as one Keras model; gives outputs and parameters by layer."""
    symbols = [keras.Input(tuple(value.shape)) for value in inputs]
    tensors = {f"input{i}": symbol for i, symbol in enumerate(symbols)}
    parameters = {}
    for layer in case["layers"]:
        operands = [tensors[name] for name in layer["inputs"]]
        values = parameters_of(layer, operands[0].shape[1:], random)
        if values:
            parameters[layer["name"]] = values
        tensors[layer["name"]] = keras_layer(layer, operands, values)
    model = keras.Model(symbols, [tensors[name] for name in case["outputs"]])
    doubles = [value[None].astype(np.float64) for value in inputs]
    outputs = keras.tree.flatten(model(doubles, training=False))
    return [np.asarray(value)[0] for value in outputs], parameters


# ---- TensorFlow ----------------------------------------------------------------------------------


def run_tensorflow(case, inputs, random):
    """A convolution with both stride and dilation, which Keras refuses and TensorFlow computes."""
    layer = case["layers"][0]
    parameters = parameters_of(layer, inputs[0].shape, random)
    result = tensorflow.nn.conv2d(
        inputs[0][None].astype(np.float64),
        parameters["weights"].transpose(1, 2, 3, 0).astype(np.float64),
        strides=turned(layer["stride"]),
        padding=layer["padding"].upper(),
        dilations=turned(layer["dilation"]),
    )
    return [result.numpy()[0] + parameters["biases"]], {layer["name"]: parameters}


# ---- ONNX Runtime --------------------------------------------------------------------------------


def onnx_pads(layer):
    """The auto_pad or pads attribute of a window layer: top, left, bottom, right."""
    if layer["padding"] == "same":
        return {"auto_pad": "SAME_UPPER"}
    if layer["padding"] == "valid":
        return {"auto_pad": "VALID"}
    edges = layer["padding"]
    return {"pads": [edges["top"], edges["left"], edges["bottom"], edges["right"]]}


def onnx_nodes(layer, channels, parameters):
    """The ONNX nodes of a layer from "x" to "y", and their initializers by name."""
    node = onnx.helper.make_node
    kind = layer["type"]
    if kind in ("Convolution", "DepthwiseConvolution", "MaxPooling", "AveragePooling"):
        window = dict(
            kernel_shape=turned(layer["kernel"]),
            strides=turned(layer["stride"]),
            dilations=turned(layer["dilation"]),
            **onnx_pads(layer),
        )
    if kind in ("Convolution", "DepthwiseConvolution"):
        weights = parameters["weights"]
        if kind == "Convolution":
            groups, weights = layer["groups"], weights.transpose(0, 3, 1, 2)
        else:
            groups, weights = channels, weights.reshape((-1, 1) + weights.shape[2:])
        constants = {"w": weights}
        if layer["useBias"]:
            constants["b"] = parameters["biases"]
        return [node("Conv", ["x"] + list(constants), ["y"], group=groups, **window)], constants
    if kind == "MaxPooling":
        return [node("MaxPool", ["x"], ["y"], **window)], {}
    if kind == "AveragePooling":
        counted = int(layer["border"] == "counted")
        return [node("AveragePool", ["x"], ["y"], count_include_pad=counted, **window)], {}
    if kind == "Activation":
        activation = layer["activation"]
        if activation["function"] == "hardSigmoidKeras2":
            return [node("HardSigmoid", ["x"], ["y"])], {}
        if activation["function"] == "hardSigmoidLinear":
            alpha, beta = activation["alpha"], activation["beta"]
            return [node("HardSigmoid", ["x"], ["y"], alpha=alpha, beta=beta)], {}
        if activation["function"] == "clipped":
            bounds = {"a": activation["minimum"], "b": activation["maximum"]}
            constants = {name: np.float32(value) for name, value in bounds.items()}
            return [node("Clip", ["x", "a", "b"], ["y"])], constants
        if activation["function"] == "leakyReLU":
            return [node("LeakyRelu", ["x"], ["y"], alpha=activation["slope"])], {}
    raise ValueError(f"no ONNX node for {layer}")


def run_onnx(case, inputs, random):
    """A case of one layer in ONNX Runtime; gives outputs and parameters by layer."""
    layer = case["layers"][0]
    sizes = inputs[0].shape
    parameters = parameters_of(layer, sizes, random)
    nodes, constants = onnx_nodes(layer, sizes[-1], parameters)
    x = inputs[0].transpose(2, 0, 1)[None]
    kind = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        nodes,
        "case",
        [onnx.helper.make_tensor_value_info("x", kind, x.shape)],
        [onnx.helper.make_tensor_value_info("y", kind, None)],
        [onnx.numpy_helper.from_array(np.array(v), name) for name, v in constants.items()],
    )
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 19)], ir_version=9
    )
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (y,) = session.run(None, {"x": np.ascontiguousarray(x)})
    return [y[0].transpose(1, 2, 0)], {layer["name"]: parameters} if parameters else {}


# ---- NumPy ---------------------------------------------------------------------------------------


def numpy_layer(layer, values):
    """The output of a Forge layer on arrays in double precision."""
    kind = layer["type"]
    x = values[0]
    if kind == "GatherChannels":
        return np.take(x, layer["order"], axis=-1)
    if kind == "Permute":
        return np.transpose(x, layer["order"])
    if kind == "Concatenate":
        return np.concatenate(values, axis=layer["axis"])
    if kind == "SwapRedBlue":
        return np.concatenate([x[..., 2::-1], x[..., 3:]], axis=-1)
    if kind == "Grayscale":
        red, green, blue = np.split(x, 3, axis=-1)
        return 0.299 * red + 0.587 * green + 0.114 * blue
    if kind == "SubtractMeanColor":
        mean = [layer["red"], layer["green"], layer["blue"]]
        return x - np.array(mean, dtype=np.float32).astype(np.float64)
    function = {
        "Add": np.add,
        "Subtract": np.subtract,
        "Multiply": np.multiply,
        "Maximum": np.maximum,
        "Minimum": np.minimum,
    }[kind]
    constant = np.array(layer.get("constant", 0), dtype=np.float32).astype(np.float64)
    for value in values[1:] + ([constant] if "constant" in layer else []):
        x = function(x, value)
    return x


def run_numpy(case, inputs, random):
    """A whole case in NumPy, in double precision; gives outputs and no parameters."""
    tensors = {f"input{i}": value.astype(np.float64) for i, value in enumerate(inputs)}
    for layer in case["layers"]:
        operands = [tensors[name] for name in layer["inputs"]]
        tensors[layer["name"]] = numpy_layer(layer, operands)
    return [tensors[name].astype(np.float32) for name in case["outputs"]], {}


# ---- Pillow --------------------------------------------------------------------------------------


def run_pillow(case, inputs, random):
    """A resize of each channel as a Pillow image of mode F; gives outputs and no parameters."""
    layer = case["layers"][0]
    size = (layer["width"], layer["height"])
    height, width, channels = inputs[0].shape
    crop = layer.get("crop", {"x": 0, "y": 0, "width": width, "height": height})
    box = (crop["x"], crop["y"], crop["x"] + crop["width"], crop["y"] + crop["height"])
    planes = []
    for channel in range(channels):
        image = Image.fromarray(np.ascontiguousarray(inputs[0][:, :, channel]))
        assert image.mode == "F"
        if layer["interpolation"] == "bilinearAntialiased":
            resized = image.resize(size, Image.Resampling.BILINEAR, box=box)
        else:
            # resize() always filters; transform() samples points.
            modes = {"nearest": Image.Resampling.NEAREST, "bilinear": Image.Resampling.BILINEAR}
            resized = image.transform(
                size, Image.Transform.EXTENT, box, modes[layer["interpolation"]]
            )
        planes.append(np.array(resized))
    return [np.stack(planes, axis=-1)], {}


FRAMEWORKS = {
    "keras": (
        run_keras,
        f"keras {VERSIONS['keras']} on tensorflow {VERSIONS['tensorflow']} in float64",
    ),
    "tensorflow": (run_tensorflow, f"tensorflow {VERSIONS['tensorflow']} in float64"),
    "onnx": (run_onnx, f"onnxruntime {VERSIONS['onnxruntime']} in float32"),
    "numpy": (run_numpy, f"numpy {VERSIONS['numpy']} in float64"),
    "pillow": (run_pillow, f"pillow {VERSIONS['pillow']} in float32"),
}
