#!/usr/bin/env python3
"""Writes Tests/Fixtures/layers.safetensors: what other frameworks compute for every kind of layer.

Run it from anywhere, with a Python that has the packages below (versions as in the file itself):

    python3 -m venv .venv
    .venv/bin/pip install tensorflow-cpu==2.21.0 keras==3.15.1 onnx==1.23.2 onnxruntime==1.32.0 \\
        pillow==13.0.0
    .venv/bin/python Scripts/references/make_layer_references.py          # writes
    .venv/bin/python Scripts/references/make_layer_references.py --check  # only compares

layer_cases.py lists the cases, layer_frameworks.py runs them: in Keras wherever Keras has the
layer, else in TensorFlow, ONNX Runtime, NumPy or Pillow; each case says which. Numbers are seeded
by the case's name, so that a case does not change when others come or go. Inputs and parameters are
single precision; outputs are rounded to it, whatever they were computed in.

The content of the file, which fixtures.py writes:

    versions      the versions that computed it
    cases
      name        unique; its first word is the family
      source      the framework
      layers      in order; "inputs" names earlier layers, or input0, input1 and so on. Sizes are
                  [width, height] and steps [x, y], as in Forge; axes are counted in memory order,
                  without the batch
      inputs      tensors in memory order (height, width, channels)
      parameters  by layer and type, in Forge's layouts: convolution O H W I, depthwise C M H W,
                  dense O followed by the sizes of its input
      outputs     tensors by the layer that gives them
"""
# check: --check

import pathlib
import sys
import zlib

import numpy as np

import fixtures
from layer_cases import CASES
from layer_frameworks import FRAMEWORKS, VERSIONS, nonzero

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures"


def tensor(value):
    """A tensor of the file."""
    data = np.ascontiguousarray(value, dtype="<f4")
    return data


def inputs_of(case, random):
    """The inputs of a case: stated values, or seeded ones of magnitudes from 0.05 up."""
    if isinstance(case["values"], list):
        return [np.array(case["values"], np.float32).reshape(case["sizes"][0])]
    high = 1.0 if case["values"] == "unit" else case["values"]
    return [nonzero(random, size, high=high) for size in case["sizes"]]


def computed(case):
    """A case with all its numbers, as it goes into the file."""
    random = np.random.default_rng(zlib.crc32(case["name"].encode()))
    inputs = inputs_of(case, random)
    run, source = FRAMEWORKS[case["framework"]]
    outputs, parameters = run(case, inputs, random)
    return {
        "name": case["name"],
        "source": source,
        "layers": case["layers"],
        "inputs": [tensor(value) for value in inputs],
        "parameters": {
            name: {kind: tensor(value) for kind, value in values.items()}
            for name, values in parameters.items()
        },
        "outputs": {name: tensor(value) for name, value in zip(case["outputs"], outputs)},
    }


def agree(old, new):
    """Whether two values are the same, except for versions and the last bits of single precision."""
    if isinstance(new, np.ndarray):
        return old.shape == new.shape and np.allclose(old, new, rtol=1e-5, atol=1e-6, equal_nan=True)
    if isinstance(new, dict):
        return old.keys() == new.keys() and all(
            agree(old[key], new[key]) for key in new if key != "source")
    if isinstance(new, list):
        return len(old) == len(new) and all(map(agree, old, new))
    if isinstance(new, float):
        return np.isclose(old, new, rtol=1e-5, atol=1e-6, equal_nan=True)
    return old == new


def main():
    names = [case["name"] for case in CASES]
    assert len(names) == len(set(names)), "names are unique"
    result = fixtures.packed({"versions": VERSIONS, "cases": [computed(case) for case in CASES]})
    path = FIXTURES / "layers.safetensors"
    if sys.argv[1:] == ["--check"]:
        old = {case["name"]: case for case in fixtures.read(path)["cases"]}
        new = {case["name"]: case for case in fixtures.unpacked(result)["cases"]}
        differing = sorted(old.keys() ^ new.keys()) + [
            name for name in new if name in old and not agree(old[name], new[name])]
        for name in differing:
            print(f"{path.name}: {name!r} differs")
        sys.exit(1 if differing else 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(result)
    print(f"{path.name}: {len(CASES)} cases, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
