#!/usr/bin/env python3
"""Writes Tests/ForgeImportersTests/Fixtures/ONNX/Described: a model that says what its inputs are.

Run it from anywhere, with a Python that has ONNX 1.23:

    python Scripts/references/make_onnx_described.py

`bgr.onnx` has a doc_string at its input and its output, nodes with and without names, and two
convolutions that share their weights.
"""
# check:

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Tests" / "ForgeImportersTests" / "Fixtures" / "ONNX" / "Described"


def main():
    weights = np.linspace(-1, 1, 3 * 3, dtype=np.float32).reshape(3, 3, 1, 1)
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["image", "w"], ["a"], name="/stem/conv"),
            helper.make_node("Conv", ["a", "w"], ["b"], name="/stem/again"),
            helper.make_node("Softplus", ["b"], ["c"]),
            helper.make_node("GlobalAveragePool", ["c"], ["scores"], name="/head/pool"),
        ],
        "described",
        [helper.make_tensor_value_info(
            "image", TensorProto.FLOAT, [1, 3, 6, 5], doc_string="Pixels in BGR order,\nfrom 0 to 255")],
        [helper.make_tensor_value_info(
            "scores", TensorProto.FLOAT, [1, 3, 1, 1], doc_string="One score per color")],
        [numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "bgr.onnx").write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
