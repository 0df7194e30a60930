"""The networks of the model references: each as Keras builds it, small and in full size.

LeNet, Tiny YOLO v2 and SqueezeNet are not in keras.applications; they are described here. Keras 3
takes no slash in a layer's name, so SqueezeNet's are written with a double underscore, which
`forge_name` undoes.
"""

import dataclasses
from typing import Callable

import keras

LAYERS = keras.layers
APPLICATIONS = keras.applications


def forge_name(name):
    """A layer's name as Forge has it."""
    return name.replace("__", "/")


@dataclasses.dataclass
class Network:
    """A network: how Keras makes it, and what of it is compared.

    make      called with alpha (or None), size and classes
    small     the arguments of the version that every test run compares
    full      the arguments of the version in the paper
    features  the layer compared besides the output
    gain      a factor on the weights that keeps activations at a sensible size, and random layers
              from amplifying the rounding errors of those before them
    alphas    other width multipliers, whose parameters are counted
    """

    make: Callable
    small: tuple
    full: tuple
    features: str
    gain: float = 1.0
    alphas: tuple = ()


def keras_application(make):
    """A network of keras.applications without weights."""

    def network(alpha, size, classes):
        width = {} if alpha is None else {"alpha": alpha}
        return make(weights=None, input_shape=(size, size, 3), classes=classes, **width)

    return network


def lenet(alpha, size, classes):
    x = pixels = keras.Input((size, size, 1))
    for number, channels in [(1, 20), (2, 50)]:
        x = LAYERS.Conv2D(
            channels, 5, padding="same", activation="relu", name=f"conv{number}")(x)
        x = LAYERS.MaxPool2D(name=f"pool{number}")(x)
    x = LAYERS.Flatten(name="flatten")(x)
    x = LAYERS.Dense(320, activation="relu", name="fc1")(x)
    x = LAYERS.Dense(classes, name="fc2")(x)
    return keras.Model(pixels, LAYERS.Softmax(name="probabilities")(x))


def tiny_yolo(alpha, size, classes):
    """The network of shared/peers/make_models.py, five anchors, with all layers named."""
    x = pixels = keras.Input((size, size, 3))
    for number, channels in enumerate([16, 32, 64, 128, 256, 512, 1024, 1024], 1):
        x = LAYERS.Conv2D(channels, 3, padding="same", use_bias=False, name=f"conv{number}")(x)
        x = LAYERS.BatchNormalization(name=f"conv{number}_bn")(x)
        x = LAYERS.LeakyReLU(negative_slope=0.1, name=f"conv{number}_leaky")(x)
        if number <= 6:
            stride = 2 if number < 6 else 1
            x = LAYERS.MaxPool2D(2, stride, padding="same", name=f"pool{number}")(x)
    return keras.Model(pixels, LAYERS.Conv2D(5 * (5 + classes), 1, name="conv9")(x))


def squeezenet(alpha, size, classes):
    """SqueezeNet 1.1 of forresti/SqueezeNet, with the names of its Keras port."""

    def fire(x, number, squeeze, expand):
        def convolution(x, name, channels, kernel):
            x = LAYERS.Conv2D(channels, kernel, padding="same", name=f"fire{number}__{name}")(x)
            return LAYERS.ReLU(name=f"fire{number}__relu_{name}")(x)

        x = convolution(x, "squeeze1x1", squeeze, 1)
        parts = [convolution(x, "expand1x1", expand, 1), convolution(x, "expand3x3", expand, 3)]
        return LAYERS.Concatenate(name=f"fire{number}__concat")(parts)

    x = pixels = keras.Input((size, size, 3))
    x = LAYERS.Conv2D(64, 3, 2, padding="valid", name="conv1")(x)
    x = LAYERS.ReLU(name="relu_conv1")(x)
    x = LAYERS.MaxPool2D(3, 2, name="pool1")(x)
    x = fire(fire(x, 2, 16, 64), 3, 16, 64)
    x = LAYERS.MaxPool2D(3, 2, name="pool3")(x)
    x = fire(fire(x, 4, 32, 128), 5, 32, 128)
    x = LAYERS.MaxPool2D(3, 2, name="pool5")(x)
    x = fire(fire(x, 6, 48, 192), 7, 48, 192)
    x = fire(fire(x, 8, 64, 256), 9, 64, 256)
    x = LAYERS.Dropout(0.5, name="drop9")(x)
    x = LAYERS.Conv2D(classes, 1, name="conv10")(x)
    x = LAYERS.ReLU(name="relu_conv10")(x)
    x = LAYERS.GlobalAveragePooling2D(name="global_average_pooling2d")(x)
    return keras.Model(pixels, LAYERS.Softmax(name="loss")(x))


# Odd sizes are deliberate: there the paddings of frameworks part.
NETWORKS = {
    "lenet": Network(lenet, (None, 28, 10), (None, 28, 10), "pool2"),
    "mobilenet_v1": Network(
        keras_application(APPLICATIONS.MobileNet), (0.25, 75, 10), (1.0, 224, 1000),
        "conv_pw_13_relu", gain=1.15, alphas=(0.25, 0.5, 0.75)),
    "mobilenet_v2": Network(
        keras_application(APPLICATIONS.MobileNetV2), (0.35, 75, 10), (1.0, 224, 1000),
        "out_relu", gain=0.85, alphas=(0.35, 0.5, 0.75, 1.3, 1.4)),
    "inception_v3": Network(
        keras_application(APPLICATIONS.InceptionV3), (None, 107, 10), (None, 299, 1000),
        "mixed10"),
    "tiny_yolo_v2": Network(tiny_yolo, (None, 90, 3), (None, 416, 20), "conv8_leaky"),
    "squeezenet": Network(squeezenet, (None, 63, 10), (None, 227, 1000), "fire9__concat"),
    "resnet50": Network(
        keras_application(APPLICATIONS.ResNet50), (None, 57, 10), (None, 224, 1000),
        "conv5_block3_out", gain=0.7),
    "vgg16": Network(
        keras_application(APPLICATIONS.VGG16), (None, 64, 10), (None, 224, 1000),
        "block5_pool"),
}
