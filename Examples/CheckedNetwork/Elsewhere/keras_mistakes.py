"""The five mistakes of Sources/Mistakes in Keras: what is said, and when."""
import os

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np
from keras import layers


def kernel_too_large():
    return keras.Sequential([
        layers.Input((28, 28, 1)), layers.Conv2D(16, 5, padding="same", activation="relu"),
        layers.MaxPooling2D(4), layers.Conv2D(32, 9, activation="relu"), layers.Flatten(),
        layers.Dense(10)])


def branches_differ():
    image = layers.Input((28, 28, 1))
    stem = layers.Conv2D(16, 5, padding="same")(image)
    return layers.Concatenate()([
        layers.Conv2D(16, 3, strides=2, padding="same", name="fine")(stem),
        layers.Conv2D(16, 5, padding="same", name="coarse")(stem)])


def groups_do_not_divide():
    return keras.Sequential([
        layers.Input((28, 28, 1)), layers.Conv2D(16, 5, padding="same"),
        layers.Conv2D(30, 3, groups=3, name="grouped")])


def name_twice():
    return keras.Sequential([
        layers.Input((28, 28, 1)), layers.Conv2D(16, 5, padding="same", name="conv1"),
        layers.Conv2D(16, 5, padding="same", name="conv1")])


def picture_of_another_size():
    model = keras.Sequential([
        layers.Input((28, 28, 1)), layers.Conv2D(16, 5, padding="same"), layers.Flatten(),
        layers.Dense(10)])
    return model.predict(np.full((1, 32, 32, 1), 0.5, "float32"), verbose=0)


print("Keras", keras.__version__, "on", keras.backend.backend())
for number, attempt in enumerate(
        [kernel_too_large, branches_differ, groups_do_not_divide, name_twice,
         picture_of_another_size], 1):
    try:
        attempt()
        print(f"{number}. nothing")
    except Exception as error:
        print(f"{number}. {type(error).__name__}: {error}")
