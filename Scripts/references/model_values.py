"""The rule by which the parameters and inputs of the model references are made.

A value depends only on the name of its layer, what it is to the layer, and its index, so that no
weights need to be stored: Tests/ForgeModelsTests/SeededParameters.swift computes the same ones, and
the fixtures hold samples on which both must agree.

    key      FNV-1a (64 bits) of the UTF-8 bytes of "LAYER/TYPE"
    bits     the number `index` of SplitMix64 started from the key, counted from 0
    unit     (the upper 24 bits + 1/2) / 2^24: above 0, below 1
    value    low + unit * (high - low), in double precision, rounded to single

The index counts the values of a parameter in Keras's layout. TYPE is Forge's name of the parameter;
the pixels of an input are those of layer "input" and type "pixels".
"""

import math

import numpy as np


def key_of(layer, kind):
    """Where the numbers of a parameter start."""
    key = 0xCBF29CE484222325
    for byte in f"{layer}/{kind}".encode():
        key = (key ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return key


def limits_of(kind, inputs, gain):
    """The range of a parameter; `inputs` is the number of products summed for one output."""
    if kind == "weights":
        limit = gain * math.sqrt(6 / inputs)
        return -limit, limit
    return {
        "gamma": (0.8, 1.2),
        "variance": (0.5, 1.5),
        "pixels": (-1.0, 1.0),
    }.get(kind, (-0.1, 0.1))


def values(layer, kind, sizes, inputs=1, gain=1.0):
    """A parameter in Keras's layout."""
    count = math.prod(sizes)
    with np.errstate(over="ignore"):
        bits = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        bits += np.uint64(key_of(layer, kind))
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits ^= bits >> np.uint64(31)
    unit = ((bits >> np.uint64(40)).astype(np.float64) + 0.5) / 2**24
    low, high = limits_of(kind, inputs, gain)
    return (low + unit * (high - low)).astype(np.float32).reshape(sizes)
