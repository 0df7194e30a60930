"""Trains the LeNet of Examples/LeNet on half of MNIST's 10,000 test digits.

    python train.py --mnist DIR --output DIR

reads t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz in DIR, trains on
the 5,000 digits that training_indices.txt lists (distorted anew every epoch)
and on artificial digits (strokes.py), writes lenet.h5, and prints how many
digits the saved network reads in each half. The other half is used for nothing
but that last count.

    python train.py --mnist DIR --output DIR --validation 1000

is for trying out settings: it sets the last 1,000 digits of a shuffled training
half aside, reports on those, and doesn't look at the other half.

The network takes raw pixels, 0 for black to 255 for white. It is trained on
pixels / 255, and that division then goes into conv1's kernel.
"""

# Made with Python 3.11, tensorflow-cpu 2.21.0, keras 3.15.1, numpy 2.4.6,
# scipy 1.17.1 and h5py 3.14.0.

import argparse
import os
import pathlib
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
import tensorflow as tf

import augment
import mnist
import strokes


def build(dropout=0.0, softmax=True):
    """LeNet. Training wants drop-out and logits; what ships has a softmax."""
    conv = dict(kernel_size=5, padding="same", activation="relu", kernel_initializer="he_normal")
    x = pixels = keras.Input((28, 28, 1), name="pixels")
    x = keras.layers.Conv2D(20, name="conv1", **conv)(x)
    x = keras.layers.MaxPooling2D(2, name="pool1")(x)
    x = keras.layers.Conv2D(50, name="conv2", **conv)(x)
    x = keras.layers.MaxPooling2D(2, name="pool2")(x)
    x = keras.layers.Flatten(name="flatten")(x)
    if dropout:
        x = keras.layers.Dropout(dropout / 2)(x)
    x = keras.layers.Dense(320, activation="relu", kernel_initializer="he_normal", name="fc1")(x)
    if dropout:
        x = keras.layers.Dropout(dropout)(x)
    x = keras.layers.Dense(10, name="fc2")(x)
    if softmax:
        x = keras.layers.Softmax(name="softmax")(x)
    return keras.Model(pixels, x, name="lenet")


class Epochs(keras.utils.PyDataset):
    """The scanned digits plus some artificial ones, distorted for each epoch."""

    def __init__(self, images, labels, pool, artificial, batch, rng):
        super().__init__()
        self.images, self.labels = images, labels
        self.pool_images, self.pool_labels = pool
        self.artificial, self.batch, self.rng = artificial, batch, rng
        self.on_epoch_end()

    def on_epoch_end(self):
        x, y = self.images, self.labels
        if self.artificial:
            chosen = self.rng.choice(len(self.pool_labels), self.artificial, replace=False)
            x = np.concatenate([x, self.pool_images[chosen]])
            y = np.concatenate([y, self.pool_labels[chosen]])
        order = self.rng.permutation(len(y))
        x = x[order].astype(np.float32) / 255
        # In parts, so that one epoch sees several smoothnesses of distortion.
        parts = [augment.distort(part, self.rng) for part in np.array_split(x, 12)]
        self.x, self.y = np.concatenate(parts)[..., None], y[order]

    def __len__(self):
        return len(self.y) // self.batch

    def __getitem__(self, i):
        part = slice(i * self.batch, (i + 1) * self.batch)
        return self.x[part], self.y[part]


class Progress(keras.callbacks.Callback):
    """One line an epoch."""

    def on_train_begin(self, logs=None):
        self.start = time.time()

    def on_epoch_end(self, epoch, logs=None):
        print(f"epoch {epoch + 1:3d}  loss {logs['loss']:.4f}  accuracy {logs['accuracy']:.4f}  "
              f"{time.time() - self.start:.0f} s", flush=True)


def train(images, labels, options):
    """A trained network that takes raw pixels."""
    keras.utils.set_random_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    pool = strokes.make_digits(4 * options.artificial, rng)
    data = Epochs(images, labels, pool, options.artificial, options.batch, rng)
    model = build(dropout=options.dropout, softmax=False)
    steps = len(data) * options.epochs
    rate = keras.optimizers.schedules.CosineDecay(
        0.0, steps, alpha=0.0, warmup_target=options.rate, warmup_steps=len(data))
    model.compile(
        # What is kept is a running mean of the weights over the last steps.
        optimizer=keras.optimizers.AdamW(rate, weight_decay=options.decay, use_ema=True, ema_momentum=0.999),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"], jit_compile=False)
    model.fit(data, epochs=options.epochs, shuffle=False, verbose=0, callbacks=[Progress()])

    network = build()
    weights = model.get_weights()
    weights[0] = weights[0] / np.float32(255)  # conv1's kernel takes raw pixels from now on
    network.set_weights(weights)
    return network


def count_correct(network, images, labels):
    """How many digits the network reads."""
    pixels = images[..., None].astype(np.float32)
    return int((network.predict(pixels, batch_size=500, verbose=0).argmax(axis=1) == labels).sum())


def main():
    parser = argparse.ArgumentParser(description="Trains Examples/LeNet's network.")
    parser.add_argument("--mnist", required=True, help="the folder of t10k-*-ubyte.gz")
    parser.add_argument("--output", required=True, help="the folder for lenet.h5")
    parser.add_argument("--epochs", type=int, default=150)
    parser.add_argument("--artificial", type=int, default=1000, help="artificial digits an epoch")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=0.002, help="the greatest learning rate")
    parser.add_argument("--decay", type=float, default=0.01, help="weight decay")
    parser.add_argument("--dropout", type=float, default=0.4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="more is faster, but rounds differently")
    parser.add_argument("--validation", type=int, default=0, metavar="COUNT",
                        help="digits of the training half to set aside and report on")
    options = parser.parse_args()

    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.experimental.enable_op_determinism()
    images, labels = mnist.read_digits(options.mnist)
    chosen = mnist.training_half()
    if options.validation:
        shuffled = np.random.default_rng(0).permutation(chosen)
        chosen, aside = shuffled[:-options.validation], shuffled[-options.validation:]
    network = train(images[chosen], labels[chosen], options)

    path = pathlib.Path(options.output) / "lenet.h5"
    path.parent.mkdir(parents=True, exist_ok=True)
    network.save(path, include_optimizer=False)
    saved = keras.models.load_model(path, compile=False)
    reports = [("training", chosen)]
    reports.append(("validation", aside) if options.validation else ("held-out", mnist.held_out_half()))
    for name, half in reports:
        correct = count_correct(saved, images[half], labels[half])
        print(f"{name} digits: {correct} of {len(half)} correct ({correct / len(half):.2%})")


if __name__ == "__main__":
    main()
