#!/usr/bin/env python3
"""Writes Tests/ForgeImportersTests/Fixtures/CoreML/Sizes: Core ML models whose inputs have several
sizes, and what they compute at some of them.

Run it from anywhere, with a Python that has PyTorch and coremltools 9:

    python Scripts/references/make_coreml_sizes.py            # writes the fixtures
    python Scripts/references/make_coreml_sizes.py --check    # compares, writes nothing

The networks are converted from PyTorch, whose results are the expected ones. expected.safetensors
holds by model and sizes the inputs and outputs, as make_coreml_programs.py writes them.
"""
# check: PYTHON=COREML_PYTHON --check

import pathlib
import sys

import coremltools as ct
import numpy as np
import torch
import torch.nn as nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import coreml_packages  # noqa: E402
from make_coreml_programs import Case, Sizes, converted, fill  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Tests" / "ForgeImportersTests" / "Fixtures" / "CoreML" / "Sizes"


class Tokens(nn.Module):
    """A convolution along tokens and their mean."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv1d(6, 5, 3, padding=1)

    def forward(self, x, y):
        z = torch.relu(self.convolution(x.transpose(1, 2))).transpose(1, 2)
        return z * y, z.mean(1)


class Filter(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 2, 3, stride=2, padding=1)

    def forward(self, x):
        return torch.sigmoid(self.convolution(x) * 0.01)


def cases(module, shapes, names, low=-1.0, high=1.0):
    """The results of a module at several shapes of its inputs; the first are the default ones."""
    made = {}
    for shape in shapes:
        case = Case()
        given = {name: case.input(name, sizes, low, high) for name, sizes in shape.items()}
        with torch.no_grad():
            results = module(*[torch.from_numpy(v.astype(np.float32)) for v in given.values()])
        for name, result in zip(names, results if isinstance(results, tuple) else (results,)):
            case.output(name, result.numpy())
        made["×".join(str(size) for sizes in shape.values() for size in sizes)] = case
    return made


def ranges():
    """Rows from 4 to 20 and columns from 4 to 2000; 6×5 by default."""
    module = fill(Sizes(), 13)
    made = cases(module, [{"x": (1, 2, h, w)} for h, w in [(6, 5), (4, 4), (20, 31), (13, 7)]], ["y"])
    stated = ct.TensorType(
        name="x", shape=(1, 2, ct.RangeDim(4, 20, default=6), ct.RangeDim(4, 2000, default=5)))
    x = np.zeros((1, 2, 6, 5), np.float32)
    return converted(module, (Case(), {"x": x}), ["y"], inputs=[stated]), made


def enumerated():
    """Two inputs of 8, 12 or 24 tokens."""
    module = fill(Tokens(), 21)
    made = cases(
        module, [{"x": (1, n, 6), "y": (1, n, 1)} for n in (8, 12, 24, 16)], ["z", "mean"])
    stated = [
        ct.TensorType(name=name, shape=ct.EnumeratedShapes(
            shapes=[(1, n, c) for n in (8, 12, 24)], default=(1, 8, c)))
        for name, c in (("x", 6), ("y", 1))]
    given = {"x": np.zeros((1, 8, 6), np.float32), "y": np.zeros((1, 8, 1), np.float32)}
    return converted(
        module, (Case(), given), ["z", "mean"], inputs=stated, target=ct.target.iOS18), made


def picture():
    """An image of 16 to 64 pixels a side, 32×24 by default."""
    module = fill(Filter(), 33)
    shapes = [{"x": (1, 3, h, w)} for h, w in [(24, 32), (17, 41)]]
    made = cases(module, shapes, ["y"], 0.0, 255.0)
    stated = ct.ImageType(
        name="x",
        shape=(1, 3, ct.RangeDim(16, 64, default=24), ct.RangeDim(16, 64, default=32)))
    x = np.zeros((1, 3, 24, 32), np.float32)
    return converted(module, (Case(), {"x": x}), ["y"], inputs=[stated]), made


def main():
    check = "--check" in sys.argv
    expected = {}
    FOLDER.mkdir(parents=True, exist_ok=True)
    for make in [ranges, enumerated, picture]:
        model, made = make()
        coreml_packages.keep(model, FOLDER / f"{make.__name__}.mlpackage", check)
        expected.update({f"{make.__name__} {sizes}": case.json() for sizes, case in made.items()})
    coreml_packages.keep_expected(FOLDER / "expected.safetensors", expected, check)
    print("checked" if check else "written", FOLDER)


if __name__ == "__main__":
    main()
