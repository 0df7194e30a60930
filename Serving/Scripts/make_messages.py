#!/usr/bin/env python3
"""Makes the gRPC messages of Serving/Tests with the classes of the Python package tritonclient.

Usage: make_messages.py [FOLDER]
"""
import pathlib
import struct
import sys

from tritonclient.grpc import service_pb2

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else (
    HERE.parent / "Tests/ForgeServingTests/Fixtures")

request = service_pb2.ModelInferRequest(model_name="mlp", model_version="3", id="id-7")
request.parameters["sequence_id"].uint64_param = 1 << 40
request.parameters["sequence_start"].bool_param = True
request.parameters["label"].string_param = "hello"
request.parameters["weight"].double_param = 0.25
request.parameters["offset"].int64_param = -5
request.parameters["timeout"].int64_param = 250_000
request.inputs.add(name="x", datatype="FP32", shape=[2, 3])
request.inputs.add(name="names", datatype="BYTES", shape=[2])
output = request.outputs.add(name="y")
output.parameters["classification"].int64_param = 2
request.raw_input_contents.append(struct.pack("<6f", 0.5, -1, 2, 3, 4, 1e-30))
strings = ["é".encode(), b"\x00\xff"]
request.raw_input_contents.append(
    b"".join(struct.pack("<I", len(s)) + s for s in strings))
(FOLDER / "raw_request.bin").write_bytes(request.SerializeToString(deterministic=True))

request = service_pb2.ModelInferRequest(model_name="types")
for datatype, field, values in [
    ("BOOL", "bool_contents", [True, False]),
    ("INT8", "int_contents", [-128, 127]),
    ("INT16", "int_contents", [-32768, 32767]),
    ("INT32", "int_contents", [-1, 7]),
    ("INT64", "int64_contents", [-(1 << 63), 1]),
    ("UINT8", "uint_contents", [0, 255]),
    ("UINT16", "uint_contents", [65535, 1]),
    ("UINT32", "uint_contents", [(1 << 32) - 1, 1]),
    ("UINT64", "uint64_contents", [(1 << 64) - 1, 1]),
    ("FP32", "fp32_contents", [1.5, -1]),
    ("FP64", "fp64_contents", [1.5, -1]),
    ("BYTES", "bytes_contents", [b"a", b""]),
]:
    tensor = request.inputs.add(name=datatype, datatype=datatype, shape=[2])
    getattr(tensor.contents, field).extend(values)
(FOLDER / "typed_request.bin").write_bytes(request.SerializeToString(deterministic=True))
