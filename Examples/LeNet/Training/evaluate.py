"""Reports what a LeNet saved by train.py reads, and writes expected.json.

    python evaluate.py lenet.h5 --mnist DIR --digits ../Resources/digits --expected expected.json

prints the digits read in both halves of MNIST's test digits and what each
example picture is taken for. expected.json holds, for the first 50 held-out
digits, the index in MNIST's file and Keras's ten probabilities.
"""

# Made with Python 3.11, tensorflow-cpu 2.21.0, keras 3.15.1 and numpy 2.4.6.

import argparse
import json
import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np

import mnist


def probabilities(network, images):
    """The network's output for raw pixels (count x 28 x 28)."""
    return network.predict(images[..., None].astype(np.float32), batch_size=500, verbose=0)


def read_pgm(path):
    """A binary 28 x 28 PGM as draw_digits.py writes it."""
    magic, size, most, pixels = pathlib.Path(path).read_bytes().split(b"\n", 3)
    if (magic, size, most) != (b"P5", b"28 28", b"255"):
        raise ValueError(f"{path} is not a 28 x 28 PGM of draw_digits.py's form")
    return np.frombuffer(pixels, np.uint8).reshape(28, 28)


def main():
    parser = argparse.ArgumentParser(description="Reports what a saved LeNet reads.")
    parser.add_argument("model", help="lenet.h5")
    parser.add_argument("--mnist", required=True, help="the folder of t10k-*-ubyte.gz")
    parser.add_argument("--digits", help="a folder of example pictures")
    parser.add_argument("--expected", help="the JSON file to write")
    options = parser.parse_args()

    network = keras.models.load_model(options.model, compile=False)
    images, labels = mnist.read_digits(options.mnist)
    for name, half in (("training", mnist.training_half()), ("held-out", mnist.held_out_half())):
        correct = int((probabilities(network, images[half]).argmax(axis=1) == labels[half]).sum())
        print(f"{name} digits: {correct} of {len(half)} correct ({correct / len(half):.2%})")

    if options.digits:
        for path in sorted(pathlib.Path(options.digits).glob("*.pgm")):
            output = probabilities(network, read_pgm(path)[None])[0]
            print(f"{path.name}: {output.argmax()} with probability {output.max():.6f}")

    if options.expected:
        first = mnist.held_out_half()[:50]
        lines = []
        for index, output in zip(first, probabilities(network, images[first])):
            values = ", ".join(f"{p:.7g}" for p in output)
            lines.append(f'"{index}": [{values}]')
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        json.loads(text)
        pathlib.Path(options.expected).write_text(text)


if __name__ == "__main__":
    main()
