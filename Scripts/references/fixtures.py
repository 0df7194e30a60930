"""Fixtures of the tests: JSON whose numbers are tensors, all in one safetensors file.

The metadata "content" of the file is the JSON. In place of a list of at least 16 numbers it has
the text "@", and the list is the tensor whose name is the path of keys and indices to that place,
joined by "/". An array of NumPy is a tensor with its sizes. Numbers are float32, NaN and infinities
among them. Tests read it with `Fixture.decode` (Tests/ForgeTestSupport/FixtureFile.swift).
"""
import json
import math
import pathlib
import struct

import numpy as np

FEWEST = 16
MARK = "@"
# JSON has no such numbers: lists may have them as texts, and NaN as null.
TEXTS = {None: math.nan, "nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def number(value):
    """Whether a value is one of a list of numbers."""
    if isinstance(value, (bool, np.bool_)):
        return False
    return isinstance(value, (int, float, np.number)) or value is None or value in list(TEXTS)[1:]


def numbers(values):
    """A list of numbers as float32."""
    return np.array([TEXTS[value] if value is None or isinstance(value, str) else value
                     for value in values], np.float64).astype("<f4")


def parted(value, path, tensors):
    """A value with its numbers taken out into `tensors`."""
    if isinstance(value, dict):
        return {key: parted(part, (*path, key), tensors) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        tensors["/".join(path)] = value.astype("<f4")
        return MARK
    if isinstance(value, (list, tuple)):
        if len(value) >= FEWEST and all(map(number, value)):
            tensors["/".join(path)] = numbers(value)
            return MARK
        return [parted(part, (*path, str(index)), tensors) for index, part in enumerate(value)]
    return value


def packed(content):
    """The bytes of a file with this content."""
    tensors, header, place = {}, {}, 0
    structure = parted(content, (), tensors)
    header["__metadata__"] = {"content": json.dumps(structure, separators=(",", ":"), ensure_ascii=False)}
    for name, values in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape),
                        "data_offsets": [place, place + values.nbytes]}
        place += values.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(values.tobytes() for values in tensors.values())


def unpacked(data):
    """The content of a file; numbers are arrays."""
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    structure = json.loads(header.pop("__metadata__")["content"])

    def joined(value, path):
        name = "/".join(path)
        if value == MARK and name in header:
            begin, end = (8 + length + offset for offset in header[name]["data_offsets"])
            return np.frombuffer(data[begin:end], "<f4").reshape(header[name]["shape"])
        if isinstance(value, dict):
            return {key: joined(part, (*path, key)) for key, part in value.items()}
        if isinstance(value, list):
            return [joined(part, (*path, str(index))) for index, part in enumerate(value)]
        return value
    return joined(structure, ())


def write(path, content):
    """Writes a fixture."""
    pathlib.Path(path).write_bytes(packed(content))


def read(path):
    """Reads a fixture."""
    return unpacked(pathlib.Path(path).read_bytes())
