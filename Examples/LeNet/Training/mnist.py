"""Reads MNIST's files and knows which half of the 10,000 test digits trains."""

import gzip
import pathlib

import numpy as np

INDEX_FILE = (
    pathlib.Path(__file__).parent.parent / "Resources" / "training_indices.txt"
)
SPLIT_SEED = 2017


def read_idx(path):
    """The array in an IDX file of unsigned bytes, compressed or not."""
    data = pathlib.Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if data[:3] != b"\0\0\x08":
        raise ValueError(f"{path} is not an IDX file of unsigned bytes")
    rank = data[3]
    shape = np.frombuffer(data, ">u4", rank, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def read_digits(folder):
    """The 10,000 pictures (uint8, 10000 x 28 x 28) and their labels."""
    folder = pathlib.Path(folder)
    images, labels = (read_idx(next(folder.glob(name))) for name in
                      ("t10k-images-idx3-ubyte*", "t10k-labels-idx1-ubyte*"))
    return images, labels.astype(np.int64)


def training_half(count=10000):
    """The sorted indices of the half that trains, from training_indices.txt.

    The file is what counts. Where it is missing it is written anew.
    """
    if not INDEX_FILE.exists():
        chosen = np.random.default_rng(SPLIT_SEED).permutation(count)[:count // 2]
        INDEX_FILE.write_text("".join(f"{i}\n" for i in sorted(chosen)))
    return np.array([int(line) for line in INDEX_FILE.read_text().split()])


def held_out_half(count=10000):
    """The sorted indices of the half that is never seen in training."""
    return np.setdiff1d(np.arange(count), training_half(count))
