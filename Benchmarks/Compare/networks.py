"""Makes the networks with seeded random weights: `networks.py FOLDER NAME…`.

For each it writes Keras's .h5, a SavedModel, a .tflite, one input and what Keras answers to it.
"""
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras  # noqa: E402
import numpy  # noqa: E402
import tensorflow  # noqa: E402
from keras import layers  # noqa: E402


def lenet():
    x = image = layers.Input((28, 28, 1))
    for number, channels in enumerate((20, 50), start=1):
        x = layers.Conv2D(channels, 5, padding="same", activation="relu", name=f"conv{number}")(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Dense(320, activation="relu", name="fc1")(layers.Flatten()(x))
    return keras.Model(image, layers.Softmax()(layers.Dense(10, name="fc2")(x)))


def tinyyolo():
    x = image = layers.Input((416, 416, 3))
    for number in range(1, 9):
        channels = min(16 << (number - 1), 1024)
        x = layers.Conv2D(channels, 3, padding="same", use_bias=False, name=f"conv{number}")(x)
        x = layers.BatchNormalization(name=f"conv{number}_bn")(x)
        x = layers.LeakyReLU(negative_slope=0.1)(x)
        if number <= 6:  # the sixth keeps the size of the map
            x = layers.MaxPooling2D(2, 2 if number < 6 else 1, padding="same")(x)
    return keras.Model(image, layers.Conv2D(125, 1, name="conv9")(x))


def unet():
    """Four levels of two convolutions, joined by transposed convolutions (Ronneberger et al., 2015)."""
    def block(x, channels):
        for _ in range(2):
            x = layers.Conv2D(channels, 3, padding="same", use_bias=False)(x)
            x = layers.ReLU()(layers.BatchNormalization()(x))
        return x

    image = layers.Input((256, 256, 3))
    levels = [block(image, 32)]
    for channels in (64, 128, 256):
        levels.append(block(layers.MaxPooling2D()(levels[-1]), channels))
    x = levels.pop()
    for channels in (128, 64, 32):
        x = layers.Conv2DTranspose(channels, 2, strides=2)(x)
        x = block(layers.Concatenate()([x, levels.pop()]), channels)
    return keras.Model(image, layers.Conv2D(5, 1)(x))


MAKERS = {
    "lenet": lenet,
    "mobilenet": lambda: keras.applications.MobileNet(weights=None),
    "mobilenetv2": lambda: keras.applications.MobileNetV2(weights=None),
    "resnet50": lambda: keras.applications.ResNet50(weights=None),
    "tinyyolo": tinyyolo,
    "inceptionv3": lambda: keras.applications.InceptionV3(weights=None),
    "mobilenetv3": lambda: keras.applications.MobileNetV3Large(
        (224, 224, 3), weights=None, include_preprocessing=False),
    "efficientnetb0": lambda: keras.applications.EfficientNetB0(weights=None),
    "densenet121": lambda: keras.applications.DenseNet121(weights=None),
    "unet": unet,
}


def give_statistics(model, random):
    """Fills batch normalizations as training would, else folding them would be no work and no risk."""
    for layer in model.layers:
        if not isinstance(layer, layers.BatchNormalization):
            continue
        for variable in (layer.gamma, layer.moving_variance):
            if variable is not None:
                variable.assign(random.uniform(0.5, 1.5, variable.shape))
        for variable in (layer.beta, layer.moving_mean):
            if variable is not None:
                variable.assign(random.normal(0, 0.1, variable.shape))


def main():
    folder = pathlib.Path(sys.argv[1])
    for seed, name in enumerate(MAKERS):
        answer = folder / f"{name}.output.npy"
        if name not in sys.argv[2:] or answer.exists():
            continue
        keras.backend.clear_session()  # layers are numbered from the start, as in a fresh session
        keras.utils.set_random_seed(seed)
        random = numpy.random.default_rng(seed)
        model = MAKERS[name]()
        give_statistics(model, random)
        model.save(folder / f"{name}.h5")
        model.export(folder / f"{name}.saved", verbose=False)
        converter = tensorflow.lite.TFLiteConverter.from_keras_model(model)
        (folder / f"{name}.tflite").write_bytes(converter.convert())
        picture = random.uniform(-1, 1, (1, *model.input_shape[1:])).astype(numpy.float32)
        numpy.save(folder / f"{name}.input.npy", picture)
        numpy.save(answer, model.predict(picture, verbose=0))  # last: it says that all is there


main()
