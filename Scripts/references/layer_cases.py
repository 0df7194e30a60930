"""The cases of the fixtures: which layer, which sizes, which framework says what comes out.

Sizes are odd, prime or otherwise awkward and, single pixels aside, never square, so that a width
taken for a height shows. A case is a dictionary: name, framework (a key of FRAMEWORKS), sizes of
the inputs in memory order, how the inputs are drawn ("unit": magnitudes from 0.05 to 1, another
highest magnitude, or a list of values), layers, and the names of the layers whose outputs are kept.
"""

LINEAR = {"function": "linear"}
RELU = {"function": "relu"}


def explicit(top=0, left=0, bottom=0, right=0):
    """Edges in pixels."""
    return {"top": top, "left": left, "bottom": bottom, "right": right}


# ---- layers, with Forge's defaults ---------------------------------------------------------------


def layer(kind, name=None, inputs=("input0",), **arguments):
    """A layer of any type; its name is its type unless given."""
    return {"type": kind, "name": name or kind.lower(), "inputs": list(inputs), **arguments}


def convolution(kernel, channels, name=None, inputs=("input0",), **arguments):
    """A convolution."""
    defaults = dict(stride=[1, 1], dilation=[1, 1], padding="same", groups=1, useBias=True)
    defaults.update({"activation": LINEAR, **arguments})
    return layer("Convolution", name, inputs, kernel=kernel, channels=channels, **defaults)


def depthwise(kernel, name=None, inputs=("input0",), **arguments):
    """A depthwise convolution."""
    defaults = dict(multiplier=1, stride=[1, 1], dilation=[1, 1], padding="same", useBias=True)
    defaults.update({"activation": LINEAR, **arguments})
    return layer("DepthwiseConvolution", name, inputs, kernel=kernel, **defaults)


def pointwise(channels, name=None, inputs=("input0",), **arguments):
    """A convolution of single pixels."""
    defaults = dict(stride=[1, 1], useBias=True)
    defaults.update({"activation": LINEAR, **arguments})
    return layer("PointwiseConvolution", name, inputs, channels=channels, **defaults)


def pooling(kind, kernel, stride, padding="valid", name=None, inputs=("input0",), **arguments):
    """A pooling; "border" says whether an average counts the border's zeros."""
    defaults = dict(dilation=[1, 1])
    if kind == "AveragePooling":
        defaults["border"] = "excluded"
    defaults.update(arguments)
    return layer(kind, name, inputs, kernel=kernel, stride=stride, padding=padding, **defaults)


def dense(neurons, name=None, inputs=("input0",), **arguments):
    """A dense layer on all elements of its input."""
    defaults = dict(useBias=True)
    defaults.update({"activation": LINEAR, **arguments})
    return layer("Dense", name, inputs, neurons=neurons, **defaults)


def normalization(name=None, inputs=("input0",), **arguments):
    """A batch normalization."""
    defaults = dict(epsilon=0.001, useGamma=True, useBeta=True)
    defaults.update(arguments)
    return layer("BatchNormalization", name, inputs, **defaults)


def activated(function, inputs, name=None, **arguments):
    """An activation as a layer."""
    return layer("Activation", name, inputs, activation={"function": function, **arguments})


# ---- cases ---------------------------------------------------------------------------------------

CASES = []


def case(name, framework, sizes, *layers, values="unit", outputs=None):
    """Adds a case; the first word of its name is its family. A flat list is one input's sizes."""
    sizes = [sizes] if isinstance(sizes[0], int) else sizes
    CASES.append(
        {
            "name": name,
            "framework": framework,
            "sizes": [list(size) for size in sizes],
            "values": values,
            "layers": list(layers),
            "outputs": outputs or [layers[-1]["name"]],
        }
    )


def convolutions():
    case("convolution same 3x3", "keras", [7, 11, 1], convolution([3, 3], 3))
    case("convolution same 3x3, 3 to 17", "keras", [5, 7, 3], convolution([3, 3], 17))
    case("convolution same 3x3, 17 to 5", "keras", [7, 5, 17], convolution([3, 3], 5))
    case("convolution same even 4x2", "keras", [7, 9, 3], convolution([4, 2], 5))
    case("convolution same 7x1", "keras", [5, 11, 3], convolution([7, 1], 3))
    case("convolution same 1x7", "keras", [11, 5, 3], convolution([1, 7], 3))
    case("convolution same 7x7 over 3x2 pixels", "keras", [2, 3, 3], convolution([7, 7], 5))
    case("convolution same over one pixel", "keras", [1, 1, 5], convolution([3, 3], 3))
    case(
        "convolution same, stride 2x3", "keras", [11, 13, 3],
        convolution([3, 3], 5, stride=[2, 3]))
    case(
        "convolution same, stride 3x2, even sizes", "keras", [10, 8, 3],
        convolution([5, 4], 5, stride=[3, 2]))
    case(
        "convolution same, stride beyond kernel", "keras", [7, 8, 3],
        convolution([2, 1], 3, stride=[3, 3]))
    case(
        "convolution valid 5x5", "keras", [11, 13, 3],
        convolution([5, 5], 5, padding="valid"))
    case(
        "convolution valid 5x3, stride 3x2", "keras", [11, 17, 5],
        convolution([5, 3], 3, padding="valid", stride=[3, 2]))
    case(
        "convolution valid, whole image", "keras", [5, 7, 3],
        convolution([7, 5], 17, padding="valid"))
    case(
        "convolution explicit, four edges", "keras", [7, 9, 3],
        convolution([3, 3], 5, padding=explicit(1, 2, 3, 0)))
    case(
        "convolution explicit, bottom and right, stride 2", "keras", [8, 10, 3],
        convolution([3, 3], 5, padding=explicit(bottom=1, right=1), stride=[2, 2]))
    case(
        "convolution explicit, wider than kernel", "keras", [3, 4, 3],
        convolution([2, 2], 3, padding=explicit(4, 3, 5, 4)))
    case(
        "convolution same, dilation 2x3", "keras", [11, 13, 3],
        convolution([3, 3], 5, dilation=[2, 3]))
    case(
        "convolution valid, dilation 3x2", "keras", [11, 13, 5],
        convolution([3, 2], 3, padding="valid", dilation=[3, 2]))
    case(
        "convolution explicit, stride and dilation", "onnx", [13, 11, 3],
        convolution(
            [3, 2], 5, padding=explicit(2, 1, 0, 3), stride=[2, 3], dilation=[2, 3]))
    case(
        "convolution same, stride and dilation", "tensorflow", [13, 11, 3],
        convolution([3, 3], 5, stride=[2, 3], dilation=[2, 1]))
    case(
        "convolution in 3 groups", "keras", [7, 5, 15],
        convolution([3, 3], 9, groups=3))
    case(
        "convolution in 5 groups of one channel", "keras", [7, 5, 5],
        convolution([3, 3], 15, groups=5))
    case(
        "convolution in 2 groups, stride 2x3", "keras", [9, 11, 34],
        convolution([3, 2], 6, groups=2, stride=[2, 3], padding="valid"))
    case(
        "convolution in 3 groups, everything", "onnx", [13, 11, 9],
        convolution(
            [2, 3], 15, groups=3, stride=[3, 2], dilation=[3, 2], padding=explicit(3, 0, 1, 2)))
    case("convolution 1x1", "keras", [5, 7, 17], convolution([1, 1], 17))
    case("convolution without bias", "keras", [5, 7, 3], convolution([3, 3], 5, useBias=False))
    case("convolution relu", "keras", [5, 7, 3], convolution([3, 3], 5, activation=RELU))
    case(
        "convolution leakyReLU", "keras", [5, 7, 3],
        convolution([3, 3], 5, activation={"function": "leakyReLU", "slope": 0.1}))
    case(
        "convolution hardSwish, 1 to 1", "keras", [5, 7, 1],
        convolution([3, 3], 1, activation={"function": "hardSwish"}))

    case("depthwise same 3x3", "keras", [7, 11, 5], depthwise([3, 3]))
    case("depthwise same 3x3, one channel", "keras", [7, 5, 1], depthwise([3, 3]))
    case("depthwise same 5x3, 17 channels", "keras", [5, 7, 17], depthwise([5, 3]))
    case("depthwise same, stride 2", "keras", [7, 11, 3], depthwise([3, 3], stride=[2, 2]))
    case(
        "depthwise same, stride 2, even sizes", "keras", [8, 10, 3],
        depthwise([3, 3], stride=[2, 2]))
    case("depthwise valid 3x5", "keras", [9, 7, 3], depthwise([3, 5], padding="valid"))
    case(
        "depthwise explicit, stride 2", "keras", [8, 10, 5],
        depthwise([3, 3], padding=explicit(bottom=1, right=1), stride=[2, 2]))
    case("depthwise multiplier 3", "keras", [5, 7, 5], depthwise([3, 3], multiplier=3))
    case(
        "depthwise multiplier 3, stride 2, valid", "keras", [9, 7, 3],
        depthwise([3, 2], multiplier=3, stride=[2, 2], padding="valid"))
    case("depthwise dilation 2", "keras", [9, 11, 3], depthwise([3, 3], dilation=[2, 2]))
    case(
        "depthwise everything", "onnx", [11, 13, 5],
        depthwise(
            [3, 2], multiplier=2, stride=[2, 3], dilation=[3, 2], padding=explicit(1, 2, 0, 3)))
    case(
        "depthwise without bias, relu6", "keras", [5, 7, 3],
        depthwise([3, 3], useBias=False, activation={"function": "relu6"}))

    case("pointwise 5 to 17", "keras", [5, 7, 5], pointwise(17))
    case("pointwise stride 2x3", "keras", [7, 11, 3], pointwise(5, stride=[2, 3]))
    case("pointwise stride 2, even sizes", "keras", [8, 6, 17], pointwise(3, stride=[2, 2]))
    case("pointwise without bias, relu", "keras", [5, 3, 1],
         pointwise(3, useBias=False, activation=RELU))

    case("dense of an image", "keras", [3, 5, 7], dense(11))
    case("dense of an image, one neuron", "keras", [5, 2, 3], dense(1))
    case("dense of a vector", "keras", [1, 1, 17], dense(5))
    case("dense of rank 2", "keras", [3, 7], dense(5))
    case("dense without bias, tanh", "keras", [2, 3, 5],
         dense(17, useBias=False, activation={"function": "tanh"}))


def poolings():
    for kind, word in (("MaxPooling", "maximum"), ("AveragePooling", "average")):
        def add(name, framework, sizes, *arguments, **named):
            case(f"pooling {word} {name}", framework, sizes, pooling(kind, *arguments, **named))

        add("valid 2x2", "keras", [7, 11, 3], [2, 2], [2, 2])
        add("valid 3x2, stride 2x3", "keras", [11, 13, 5], [3, 2], [2, 3])
        add("valid, whole image", "keras", [5, 7, 17], [7, 5], [1, 1])
        add("valid, overlapping 3x3", "keras", [8, 9, 1], [3, 3], [2, 2])
        add("same 3x3, stride 2", "keras", [7, 10, 3], [3, 3], [2, 2], "same")
        add("same 2x2, stride 1", "keras", [5, 7, 3], [2, 2], [1, 1], "same")
        add("same 5x5, stride 1", "keras", [7, 5, 3], [5, 5], [1, 1], "same")
        add("same 4x3, stride 3x2", "keras", [9, 11, 5], [4, 3], [3, 2], "same")
        add("explicit 3x3, stride 2", "onnx", [8, 9, 3], [3, 3], [2, 2], explicit(1, 1, 0, 2))
        add("explicit 4x3, dilation 2x1", "onnx", [7, 11, 3], [4, 3], [2, 1],
            explicit(2, 3, 1, 0), dilation=[2, 1])
    case(
        "pooling average counted, same 3x3, stride 2", "onnx", [8, 9, 3],
        pooling("AveragePooling", [3, 3], [2, 2], "same", border="counted"))
    case(
        "pooling average counted, explicit 3x2", "onnx", [7, 11, 5],
        pooling("AveragePooling", [3, 2], [2, 2], explicit(1, 2, 0, 1), border="counted"))
    case(
        "pooling average counted, valid 2x3", "onnx", [7, 5, 3],
        pooling("AveragePooling", [2, 3], [1, 2], border="counted"))
    for kind, word in (("GlobalMaxPooling", "maximum"), ("GlobalAveragePooling", "average")):
        case(f"global {word}", "keras", [5, 7, 17], layer(kind))
        case(f"global {word} of a row", "keras", [1, 11, 3], layer(kind))
        case(f"global {word} of a pixel", "keras", [1, 1, 5], layer(kind))


ACTIVATIONS = [
    ("keras", dict(function="linear")),
    ("keras", dict(function="relu")),
    ("keras", dict(function="relu6")),
    ("onnx", dict(function="clipped", minimum=-1.5, maximum=2.25)),
    ("keras", dict(function="clipped", minimum=0.0, maximum=20.0)),
    ("keras", dict(function="leakyReLU", slope=0.1)),
    ("onnx", dict(function="leakyReLU", slope=0.01)),
    ("keras", dict(function="elu", alpha=1.0)),
    ("keras", dict(function="elu", alpha=0.3)),
    ("keras", dict(function="selu")),
    ("keras", dict(function="sigmoid")),
    ("keras", dict(function="tanh")),
    ("keras", dict(function="hardSigmoid")),
    ("onnx", dict(function="hardSigmoidKeras2")),
    ("onnx", dict(function="hardSigmoidLinear", alpha=0.3, beta=0.6)),
    ("keras", dict(function="hardSwish")),
    ("keras", dict(function="swish")),
    ("keras", dict(function="mish")),
    ("keras", dict(function="gelu")),
    ("keras", dict(function="geluTanh")),
    ("keras", dict(function="softplus")),
]

# Zeros of both signs, tiny, the corners of the piecewise functions, where exponentials under- and
# overflow, and what is not a number. Pairs of either sign.
SPECIAL = [0.0, 1e-6, 1e-3, 1.5, 2.25, 2.5, 3.0, 6.0, 10.0, 20.0, 50.0, 88.0, 100.0, 1e3, 1e10]
SPECIAL = [sign * value for value in SPECIAL for sign in (1, -1)]
NOT_FINITE = [float("inf"), float("-inf"), float("nan")]


def activations():
    for framework, activation in ACTIVATIONS:
        numbers = ", ".join(f"{k} {v:g}" for k, v in activation.items() if k != "function")
        name = activation["function"] + (f" {numbers}" if numbers else "")
        step = layer("Activation", activation=activation)
        case(f"activation {name}", framework, [3, 7, 5], step, values=6.0)
        case(f"activation {name}, special", framework, [1, 1, len(SPECIAL)], step, values=SPECIAL)
        case(
            f"activation {name}, not finite", framework, [1, 1, 3], step, values=NOT_FINITE)

    for per in ("channel", "element", "layer"):
        case(
            f"prelu per {per}", "keras", [5, 7, 3], layer("PReLU", slopesPer=per), values=6.0)
    case("prelu of one channel", "keras", [3, 5, 1], layer("PReLU", slopesPer="channel"))
    for kind, word in (("Softmax", "softmax"), ("LogSoftmax", "logSoftmax")):
        case(f"{word} of a vector", "keras", [1, 1, 17], layer(kind), values=6.0)
        case(f"{word} of an image", "keras", [3, 5, 7], layer(kind), values=6.0)
        case(f"{word} of rank 2", "keras", [5, 3], layer(kind), values=6.0)
        case(f"{word} of one channel", "keras", [2, 3, 1], layer(kind))
        case(
            f"{word} of large values", "keras", [2, 1, 3], layer(kind),
            values=[1000.0, 999.0, 998.5, -1000.0, -1000.0, -1003.0])


def combinations():
    pairs = {
        "same shapes": ([5, 7, 3], [5, 7, 3]),
        "channels": ([5, 7, 3], [1, 1, 3]),
        "channels first": ([1, 1, 3], [5, 7, 3]),
        "one channel": ([5, 7, 1], [5, 7, 3]),
        "row and column": ([5, 1, 3], [1, 7, 3]),
        "all axes": ([5, 1, 3], [1, 7, 1]),
        "vectors": ([1, 1, 17], [1, 1, 17]),
    }
    for kind in ("Add", "Subtract", "Multiply", "Maximum", "Minimum", "Average"):
        word = kind.lower()
        for name, sizes in pairs.items():
            # Subtraction shows the order of the operands; the rest need not repeat every shape.
            if kind in ("Add", "Subtract") or name in ("same shapes", "channels", "all axes"):
                case(f"{word} {name}", "keras", sizes, layer(kind, inputs=["input0", "input1"]))
        if kind != "Subtract":
            three = layer(kind, inputs=["input0", "input1", "input2"])
            case(f"{word} of three", "keras", [[3, 5, 2], [3, 5, 2], [3, 5, 2]], three)
    for kind in ("Add", "Subtract", "Multiply", "Maximum", "Minimum"):
        case(
            f"{kind.lower()} ranks 3 and 1", "numpy", [[5, 7, 3], [3]],
            layer(kind, inputs=["input0", "input1"]))
    case("add ranks 1 and 4", "numpy", [[3], [2, 5, 7, 3]],
         layer("Add", inputs=["input0", "input1"]))
    case("add a constant", "numpy", [5, 7, 3], layer("Add", constant=[0.75]))
    case("multiply by constants", "numpy", [5, 7, 3],
         layer("Multiply", constant=[0.75, -1.5, 0.1]))
    case("subtract constants", "numpy", [5, 7, 3], layer("Subtract", constant=[0.75, -1.5, 0.1]))

    for name, arguments in {
        "": {},
        " without gamma": dict(useGamma=False),
        " without beta": dict(useBeta=False),
        " without either": dict(useGamma=False, useBeta=False),
        " epsilon 1e-5": dict(epsilon=1e-5),
        " small variances": dict(leastVariance=0.0),
    }.items():
        case(f"batchNormalization{name}", "keras", [5, 7, 3], normalization(**arguments))
    case("batchNormalization of 17 channels", "keras", [2, 3, 17], normalization())
    case("batchNormalization of a vector", "keras", [1, 1, 5], normalization())
    case("scale one", "keras", [5, 7, 3], layer("Scale", scale=[0.0078125], bias=[-1.0]))
    case(
        "scale per channel", "keras", [5, 7, 3],
        layer("Scale", scale=[0.5, 2.0, -0.3], bias=[0.1, -0.2, 0.7]))


def rearrangements():
    case("flatten", "keras", [3, 5, 7], layer("Flatten"))
    case("flatten rank 2", "keras", [3, 5], layer("Flatten"))
    for shape in ([5, 21], [7, 5, 3], [-1], [3, -1, 5], [5, 7, 3, 1], [1, 3, -1]):
        case(f"reshape to {shape}", "keras", [3, 5, 7], layer("Reshape", shape=shape))
    for order in ([0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]):
        case(f"permute {order}", "keras", [3, 5, 7], layer("Permute", order=order))
    case("permute rank 2", "keras", [3, 5], layer("Permute", order=[1, 0]))
    case("permute rank 4", "keras", [2, 3, 4, 5], layer("Permute", order=[2, 0, 3, 1]))
    case("permute rank 5", "numpy", [2, 3, 1, 4, 5], layer("Permute", order=[4, 2, 0, 3, 1]))
    three = ["input0", "input1", "input2"]
    for axis, sizes in {
        0: [[1, 5, 3], [4, 5, 3], [2, 5, 3]],
        1: [[5, 1, 3], [5, 4, 3], [5, 2, 3]],
        2: [[5, 3, 1], [5, 3, 17], [5, 3, 2]],
        -1: [[5, 3, 3], [5, 3, 1], [5, 3, 5]],
    }.items():
        case(f"concatenate axis {axis}", "keras", sizes,
             layer("Concatenate", inputs=three, axis=axis))
    case("concatenate one tensor", "numpy", [5, 3, 3], layer("Concatenate", axis=2))
    case("concatenate a tensor with itself", "keras", [5, 3, 3],
         layer("Concatenate", inputs=["input0", "input0"], axis=2))
    case("concatenate rank 2", "keras", [[2, 5], [3, 5]],
         layer("Concatenate", inputs=["input0", "input1"], axis=0))
    case("zeroPadding", "keras", [5, 7, 3], layer("ZeroPadding", padding=explicit(1, 2, 3, 0)))
    case("zeroPadding right and bottom", "keras", [2, 3, 17],
         layer("ZeroPadding", padding=explicit(bottom=1, right=1)))
    case("cropping", "keras", [7, 9, 3], layer("Cropping", cropping=explicit(1, 2, 3, 0)))
    case("cropping to one pixel", "keras", [3, 4, 5],
         layer("Cropping", cropping=explicit(1, 2, 1, 1)))
    case("gatherChannels", "numpy", [3, 5, 5],
         layer("GatherChannels", order=[4, 0, 0, 3, 2, 1, 4]))
    case("channelShuffle", "keras", [3, 5, 15], layer("ChannelShuffle", groups=3))


def resizes():
    for mode in ("nearest", "bilinear"):
        for size in ([2, 2], [3, 2], [1, 5]):
            case(f"upSampling {mode} {size[0]}x{size[1]}", "keras", [5, 7, 3],
                 layer("UpSampling", size=size, interpolation=mode))
    targets = {
        "up": ([5, 7, 3], 13, 11),
        "down": ([13, 17, 3], 7, 5),
        "up and down": ([5, 13, 3], 7, 11),
        "far down": ([29, 31, 1], 3, 2),
        "from one pixel": ([1, 1, 5], 3, 5),
        "to one pixel": ([5, 7, 3], 1, 1),
        "halves": ([8, 12, 3], 6, 4),
        "same size": ([5, 7, 3], 7, 5),
    }
    for mode, frameworks in {
        "nearest": ["keras"],
        "bilinear": ["keras", "pillow"],
        "bilinearAntialiased": ["pillow", "keras"],
    }.items():
        for framework in frameworks:
            for name, (sizes, width, height) in targets.items():
                case(
                    f"resize {mode} {name} ({framework})", framework, sizes,
                    layer("Resize", width=width, height=height, interpolation=mode))
    crops = {
        "crop up": (11, 13, 2.0, 3.0, 4.0, 5.0),
        "crop down": (5, 3, 1.0, 2.0, 13.0, 9.0),
        "crop of fractions": (7, 5, 2.25, 0.5, 9.3, 8.75),
        "crop at the corner": (5, 7, 9.5, 6.25, 7.5, 6.75),
        "crop inside one pixel": (3, 5, 4.25, 7.1, 0.5, 0.6),
        "crop, width up and height down": (9, 4, 6.5, 0.25, 4.5, 12.5),
    }
    for mode in ("nearest", "bilinear", "bilinearAntialiased"):
        for name, (width, height, x, y, w, h) in crops.items():
            crop = dict(x=x, y=y, width=w, height=h)
            case(
                f"resize {mode} {name}", "pillow", [13, 17, 3],
                layer("Resize", width=width, height=height, interpolation=mode, crop=crop))


def colors():
    for name, sizes in {
        "3 channels": [5, 7, 3],
        "4 channels": [7, 5, 4],
        "3 channels, a column": [11, 1, 3],
        "4 channels, a pixel": [1, 1, 4],
    }.items():
        case(f"swapRedBlue of {name}", "numpy", sizes, layer("SwapRedBlue"))
    for name, sizes in {
        "": [5, 7, 3],
        " of many pixels": [17, 29, 3],
        " of a row": [1, 13, 3],
        " of a pixel": [1, 1, 3],
    }.items():
        case(f"grayscale{name}", "numpy", sizes, layer("Grayscale"))
    case("grayscale of large values", "numpy", [7, 3, 3], layer("Grayscale"), values=255.0)
    published = dict(red=123.68, green=116.779, blue=103.939)
    case("subtractMeanColor", "numpy", [5, 7, 3],
         layer("SubtractMeanColor", **published), values=255.0)
    case("subtractMeanColor of small values", "numpy", [11, 3, 3],
         layer("SubtractMeanColor", red=0.485, green=-0.456, blue=0.406))
    case("subtractMeanColor of one color", "numpy", [3, 5, 3],
         layer("SubtractMeanColor", red=0.0, green=0.3, blue=0.0))
    case(
        "colors in a row", "numpy", [7, 11, 3],
        layer("SubtractMeanColor", "mean", **published),
        layer("SwapRedBlue", "swapped", ["mean"]),
        layer("Grayscale", "gray", ["swapped"]),
        values=255.0,
        outputs=["swapped", "gray"],
    )
    case("dropout", "keras", [5, 7, 3], layer("Dropout", rate=0.5))
    case("dropout of rank 2", "keras", [3, 5], layer("Dropout", rate=0.25))
    case("dropout of a vector", "keras", [1, 1, 17], layer("Dropout", rate=0.9))
    case("dropout of nothing", "keras", [3, 2, 5], layer("Dropout", rate=0.0))
    case("dropout of everything", "keras", [2, 3, 5], layer("Dropout", rate=1.0))
    case(
        "dropout between layers", "keras", [7, 5, 3],
        convolution([3, 3], 5, "conv", activation=RELU),
        layer("Dropout", "drop1", ["conv"], rate=0.25),
        dense(11, "fc1", ["drop1"], activation=RELU),
        layer("Dropout", "drop2", ["fc1"], rate=0.5),
        dense(3, "fc2", ["drop2"]),
        outputs=["drop1", "fc2"],
    )


def networks():
    # A residual block, and one whose shortcut is a projection with stride.
    case(
        "network residual", "keras", [11, 13, 3],
        convolution([3, 3], 8, "stem", activation=RELU),
        convolution([3, 3], 8, "a1", ["stem"], useBias=False),
        normalization("a1_bn", ["a1"]),
        activated("relu", ["a1_bn"], "a1_relu"),
        convolution([3, 3], 8, "a2", ["a1_relu"]),
        layer("Add", "a_sum", ["stem", "a2"]),
        activated("relu", ["a_sum"], "a"),
        convolution([1, 1], 17, "b0", ["a"], stride=[2, 2]),
        convolution([3, 3], 17, "b1", ["a"], stride=[2, 2], activation=RELU),
        convolution([3, 3], 17, "b2", ["b1"]),
        layer("Add", "b", ["b2", "b0"]),
        activated("relu", ["b"], "b_relu"),
        layer("GlobalAveragePooling", "pool", ["b_relu"]),
        dense(10, "logits", ["pool"]),
        layer("Softmax", "probabilities", ["logits"]),
        outputs=["probabilities", "a"],
    )
    # Concatenations inside concatenations, a tensor in two of them, and two inputs.
    case(
        "network nested concatenation", "keras", [[7, 9, 3], [7, 9, 2]],
        convolution([3, 3], 5, "a", ["input0"], activation=RELU),
        convolution([1, 1], 3, "b", ["input1"]),
        layer("Concatenate", "ab", ["a", "b"], axis=2),
        convolution([3, 1], 4, "c", ["ab"], activation={"function": "swish"}),
        layer("Concatenate", "abc", ["ab", "c", "input1"], axis=2),
        pooling("MaxPooling", [3, 3], [1, 1], "same", "d", ["abc"]),
        layer("Concatenate", "all", ["d", "abc", "a"], axis=2),
        convolution([3, 3], 5, "e", ["all"], stride=[2, 2]),
        layer("Concatenate", "rows", ["e", "e"], axis=0),
        outputs=["rows", "all"],
    )
    # Depthwise-separable blocks as in MobileNet, with squeeze-excite and a multiplied sum.
    case(
        "network depthwise separable", "keras", [13, 11, 3],
        layer("ZeroPadding", "pad", padding=explicit(bottom=1, right=1)),
        convolution([3, 3], 8, "conv", ["pad"], padding="valid", stride=[2, 2], useBias=False),
        normalization("conv_bn", ["conv"]),
        activated("relu6", ["conv_bn"], "conv_relu"),
        depthwise([3, 3], "dw1", ["conv_relu"], useBias=False),
        normalization("dw1_bn", ["dw1"], useGamma=False),
        activated("relu6", ["dw1_bn"], "dw1_relu"),
        pointwise(16, "pw1", ["dw1_relu"], useBias=False),
        normalization("pw1_bn", ["pw1"]),
        activated("hardSwish", ["pw1_bn"], "pw1_act"),
        layer("GlobalAveragePooling", "squeeze", ["pw1_act"]),
        pointwise(4, "reduce", ["squeeze"], activation=RELU),
        pointwise(16, "expand", ["reduce"], activation={"function": "hardSigmoid"}),
        layer("Multiply", "excite", ["pw1_act", "expand"]),
        depthwise([5, 5], "dw2", ["excite"], stride=[2, 2], multiplier=2, useBias=False),
        normalization("dw2_bn", ["dw2"], useBeta=False),
        pointwise(7, "pw2", ["dw2_bn"]),
        layer("Flatten", "flat", ["pw2"]),
        dense(5, "logits", ["flat"]),
        outputs=["logits"],
    )
    # An Inception block: four branches, an average pool whose border is not counted, 1x7 and 7x1.
    case(
        "network inception", "keras", [9, 13, 5],
        convolution([1, 1], 4, "b0", activation=RELU),
        convolution([1, 1], 3, "b1a", activation=RELU),
        convolution([7, 1], 4, "b1b", ["b1a"], activation=RELU),
        convolution([1, 7], 5, "b1c", ["b1b"], activation=RELU),
        convolution([1, 1], 3, "b2a", activation=RELU),
        convolution([3, 3], 4, "b2b", ["b2a"], activation=RELU),
        convolution([3, 1], 3, "b2c", ["b2b"], activation=RELU),
        convolution([1, 3], 3, "b2d", ["b2b"], activation=RELU),
        layer("Concatenate", "b2", ["b2c", "b2d"], axis=2),
        pooling("AveragePooling", [3, 3], [1, 1], "same", "b3a"),
        convolution([1, 1], 3, "b3b", ["b3a"], activation=RELU),
        layer("Concatenate", "mixed", ["b0", "b1c", "b2", "b3b"], axis=2),
        pooling("MaxPooling", [3, 3], [2, 2], "valid", "pool", ["mixed"]),
        convolution([3, 3], 6, "down", ["mixed"], padding="valid", stride=[2, 2]),
        normalization("down_bn", ["down"], useGamma=False),
        layer("Concatenate", "reduction", ["pool", "down_bn"], axis=2),
        outputs=["reduction"],
    )


for family in (
    convolutions, poolings, activations, combinations, rearrangements, resizes, colors, networks
):
    family()
