"""Compares the scalar kernels on bytes with ONNX Runtime: QLinearConv (dense, pointwise, depthwise),
QLinearMatMul, QLinearAdd, QLinearMul, QLinearGlobalAveragePool, QuantizeLinear and
DynamicQuantizeLinear, with uint8 and int8 activations. Prints for each how many numbers differ and by
how much at most; fails where they should be equal and are not, or differ by more than one.

Usage: against_onnxruntime.py FOLDER-OF-FORGE
Needs numpy, onnx, onnxruntime and clang."""
import ctypes
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

root = sys.argv[1] if len(sys.argv) > 1 else "."
folder = tempfile.mkdtemp()
kernels = [
    "quantized_packing.c", "scalar/quantize.c", "scalar/quantized_convolution.c",
    "scalar/quantized_images.c", "scalar/activation.c"]
subprocess.run(
    ["clang", "-std=c17", "-O2", "-shared", "-fPIC", f"-I{root}/Sources/Kernels", "-o",
     f"{folder}/shim.so", f"{root}/Scripts/checks/helpers/bytes/shim.c"]
    + [f"{root}/Sources/Kernels/{name}" for name in kernels] + ["-lm"], check=True)
shim = ctypes.CDLL(f"{folder}/shim.so")
rng = np.random.default_rng(7)
seen = {}


def pointer(array):
    return None if array is None else array.ctypes.data_as(ctypes.c_void_p)


def run(nodes, inputs, outputs, constants, opset=13):
    graph = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
         for n, a in inputs.items()],
        [helper.make_tensor_value_info(n, t, None) for n, t in outputs],
        [numpy_helper.from_array(a, n) for n, a in constants.items()])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)],
        ir_version=8)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    return session.run(None, inputs)


def compare(name, mine, theirs, exact):
    distance = np.abs(mine.astype(np.int64) - theirs.astype(np.int64))
    count, differ, most, all_exact = seen.get(name, (0, 0, 0, True))
    seen[name] = (count + distance.size, differ + int((distance > 0).sum()),
                  max(most, int(distance.max())), exact)


def numbers(kind, shape):
    low, high = (0, 256) if kind == np.uint8 else (-128, 128)
    return rng.integers(low, high, shape).astype(kind)


def unsigned(array):
    """As Forge stores it: int8 with 128 added."""
    return array if array.dtype == np.uint8 else (array.view(np.uint8) ^ 0x80)


def signed_as(array, kind):
    return array if kind == np.uint8 else (array ^ 0x80).view(np.int8)


def shift(kind):
    return 0 if kind == np.uint8 else 128


def convolution(kind, weight_kind, depthwise):
    kernel = int(rng.choice([1, 3, 5]))
    channels = int(rng.choice([3, 16, 33, 64, 70]))
    outputs = channels if depthwise else int(rng.choice([5, 24, 64, 97]))
    stride, dilation = int(rng.integers(1, 3)), 1
    pad = kernel // 2
    size = int(rng.integers(5, 15))
    x = numbers(kind, (1, channels, size, size))
    group = channels if depthwise else 1
    w = numbers(weight_kind, (outputs, channels // group, kernel, kernel))
    weight_zero = 0 if weight_kind == np.int8 else 128
    if weight_kind == np.uint8 and not depthwise:
        weight_zero = int(rng.integers(90, 160))
    per_channel = weight_kind == np.int8
    w_scale = (rng.random(outputs if per_channel else 1) * 0.01 + 0.001).astype(np.float32)
    x_scale, y_scale = np.float32(rng.random() * 0.1 + 0.01), np.float32(rng.random() * 3 + 0.3)
    x_zero, y_zero = numbers(kind, ()), numbers(kind, ())
    bias = rng.integers(-20000, 20000, outputs).astype(np.int32)
    constants = {
        "xs": x_scale, "xz": x_zero, "w": w, "ws": w_scale if per_channel else w_scale[0],
        "wz": np.full(outputs if per_channel else (), weight_zero, weight_kind),
        "ys": y_scale, "yz": y_zero, "b": bias}
    constants = {n: np.asarray(a) for n, a in constants.items()}
    node = helper.make_node(
        "QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"],
        kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4, group=group)
    tensor = TensorProto.UINT8 if kind == np.uint8 else TensorProto.INT8
    theirs = run([node], {"x": x}, [("y", tensor)], constants)[0]
    scales = (x_scale * w_scale / y_scale).astype(np.float32)
    scales = np.ascontiguousarray(np.broadcast_to(scales, outputs))
    out = np.zeros(theirs.shape[1:], np.uint8)
    sizes = np.array(
        [channels, size, size, outputs, kernel, stride, dilation, pad, *theirs.shape[2:]], np.int64)
    zeros = None
    if weight_zero not in (0, 128):
        zeros = np.full(outputs, weight_zero - 128, np.int32)
    shim.try_convolution(
        pointer(sizes), pointer(np.ascontiguousarray(unsigned(x))), pointer(np.ascontiguousarray(w)),
        int(weight_kind == np.uint8), pointer(zeros), pointer(bias), pointer(scales),
        int(x_zero) + shift(kind), int(y_zero) + shift(kind), int(depthwise), pointer(out))
    name = "depthwise" if depthwise else "QLinearConv"
    compare(f"{name} {np.dtype(kind).name} x {np.dtype(weight_kind).name}",
            signed_as(out, kind), theirs[0], True)


def matrix(kind):
    rows, inner, columns = (int(n) for n in rng.choice([1, 7, 33, 64, 100], 3))
    x, w = numbers(kind, (rows, inner)), numbers(np.int8, (inner, columns))
    x_scale, y_scale = np.float32(rng.random() * 0.1 + 0.01), np.float32(rng.random() * 3 + 0.3)
    w_scale = (rng.random(columns) * 0.01 + 0.001).astype(np.float32)
    x_zero, y_zero = numbers(kind, ()), numbers(kind, ())
    constants = {n: np.asarray(a) for n, a in {
        "xs": x_scale, "xz": x_zero, "w": w, "ws": w_scale, "wz": np.zeros(columns, np.int8),
        "ys": y_scale, "yz": y_zero}.items()}
    node = helper.make_node("QLinearMatMul", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"], ["y"])
    tensor = TensorProto.UINT8 if kind == np.uint8 else TensorProto.INT8
    theirs = run([node], {"x": x}, [("y", tensor)], constants)[0]
    scales = np.ascontiguousarray((x_scale * w_scale / y_scale).astype(np.float32))
    out = np.zeros((columns, 1, rows), np.uint8)
    sizes = np.array([inner, 1, rows, columns, 1, 1, 1, 0, 1, rows], np.int64)
    shim.try_convolution(
        pointer(sizes), pointer(np.ascontiguousarray(unsigned(x).T)),
        pointer(np.ascontiguousarray(w.T)), 0, None, None, pointer(scales),
        int(x_zero) + shift(kind), int(y_zero) + shift(kind), 0, pointer(out))
    compare(f"QLinearMatMul {np.dtype(kind).name}", signed_as(out[:, 0].T, kind), theirs, True)


def binary(operator, kind):
    shape = (int(rng.choice([3, 16, 64, 70])), int(rng.integers(1, 9)), int(rng.integers(1, 9)))
    a, b = numbers(kind, (1, *shape)), numbers(kind, (1, *shape))
    if rng.random() < 0.5:
        scales = [np.float32(s) for s in rng.random(3) * 0.05 + 0.01]
    else:  # ties
        scales = [np.float32(s) for s in rng.choice([0.25, 0.5, 1], 3)]
    zeros = [numbers(kind, ()) for _ in range(3)]
    constants = {n: np.asarray(v) for n, v in zip(
        ["as", "az", "bs", "bz", "cs", "cz"],
        [scales[0], zeros[0], scales[1], zeros[1], scales[2], zeros[2]])}
    node = helper.make_node(
        operator, ["a", "as", "az", "b", "bs", "bz", "cs", "cz"], ["c"], domain="com.microsoft")
    tensor = TensorProto.UINT8 if kind == np.uint8 else TensorProto.INT8
    theirs = run([node], {"a": a, "b": b}, [("c", tensor)], constants)[0]
    out = np.zeros(shape, np.uint8)
    is_add = operator == "QLinearAdd"
    factors = (scales[0] / scales[2], scales[1] / scales[2]) if is_add else (
        scales[0] * scales[1] / scales[2], np.float32(0))
    shim.try_binary(
        pointer(np.array(shape, np.int64)), pointer(np.ascontiguousarray(unsigned(a))),
        pointer(np.ascontiguousarray(unsigned(b))), int(not is_add), ctypes.c_float(factors[0]),
        ctypes.c_float(factors[1]), *[int(z) + shift(kind) for z in zeros], pointer(out))
    # int8 is shifted by 128, which is even: ties go the same way.
    compare(f"{operator} {np.dtype(kind).name}", signed_as(out, kind), theirs[0], False)


def average(kind):
    shape = (int(rng.choice([16, 64, 70])), int(rng.integers(1, 9)), int(rng.integers(1, 9)))
    x = numbers(kind, (1, *shape))
    scales = [np.float32(s) for s in rng.random(2) * 0.05 + 0.01]
    zeros = [numbers(kind, ()) for _ in range(2)]
    constants = {n: np.asarray(v) for n, v in zip(
        ["xs", "xz", "ys", "yz"], [scales[0], zeros[0], scales[1], zeros[1]])}
    node = helper.make_node(
        "QLinearGlobalAveragePool", ["x", "xs", "xz", "ys", "yz"], ["y"], domain="com.microsoft",
        channels_last=0)
    tensor = TensorProto.UINT8 if kind == np.uint8 else TensorProto.INT8
    theirs = run([node], {"x": x}, [("y", tensor)], constants)[0]
    out = np.zeros(shape[0], np.uint8)
    shim.try_average(
        pointer(np.array(shape, np.int64)), pointer(np.ascontiguousarray(unsigned(x))),
        ctypes.c_float(scales[0] / scales[1]), int(zeros[0]) + shift(kind),
        int(zeros[1]) + shift(kind), pointer(out))
    compare(f"QLinearGlobalAveragePool {np.dtype(kind).name}", signed_as(out, kind),
            theirs[0, :, 0, 0], False)


def quantize(kind):
    x = (rng.standard_normal(1000) * 10).astype(np.float32)
    x[:8] = [np.inf, -np.inf, 0.5, 1.5, -0.5, 1e30, -1e30, 2.5]
    scale, zero = np.float32(rng.choice([1.0, 0.25, rng.random() * 0.2 + 0.01])), numbers(kind, ())
    node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"])
    tensor = TensorProto.UINT8 if kind == np.uint8 else TensorProto.INT8
    theirs = run([node], {"x": x}, [("y", tensor)], {"s": np.asarray(scale), "z": zero})[0]
    out = np.zeros(1000, np.uint8)
    shim.try_quantize(pointer(x), ctypes.c_int64(1000), ctypes.c_float(scale),
                      int(zero) + shift(kind), None, pointer(out))
    compare(f"QuantizeLinear {np.dtype(kind).name}", signed_as(out, kind), theirs, True)


def dynamic():
    x = (rng.standard_normal(1000) * 10 ** rng.uniform(-3, 3)).astype(np.float32)
    x += np.float32(rng.choice([0, 1, -50, 50]))
    node = helper.make_node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"])
    theirs, scale, zero = run(
        [node], {"x": x},
        [("y", TensorProto.UINT8), ("s", TensorProto.FLOAT), ("z", TensorProto.UINT8)], {})
    out, q = np.zeros(1000, np.uint8), np.zeros(2, np.float32)
    shim.try_quantize(pointer(x), ctypes.c_int64(1000), ctypes.c_float(0), 0, pointer(q), pointer(out))
    compare("DynamicQuantizeLinear", out, theirs, True)
    compare("DynamicQuantizeLinear scale", q[:1].view(np.int32), scale.reshape(1).view(np.int32), True)
    compare("DynamicQuantizeLinear zero", q[1:].view(np.int32), zero.reshape(1), True)


for _ in range(60):
    for kind in (np.uint8, np.int8):
        for weight_kind in (np.int8, np.uint8):
            if kind == np.int8 and weight_kind == np.uint8:
                continue
            convolution(kind, weight_kind, False)
            convolution(kind, weight_kind, True)
        matrix(kind)
        binary("QLinearAdd", kind)
        binary("QLinearMul", kind)
        average(kind)
        quantize(kind)
    dynamic()

failed = False
for name, (count, differ, most, exact) in seen.items():
    bad = (exact and differ > 0) or most > 1 or differ > count / 1000
    failed = failed or bad
    print(f"{name:36} {count:8} numbers, {differ:4} differ, by {most} at most"
          + (" FAILED" if bad else ""))
sys.exit(failed)
