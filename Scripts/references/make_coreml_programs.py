#!/usr/bin/env python3
"""Writes Tests/ForgeImportersTests/Fixtures/CoreML/Programs: small ML Programs and what they compute.

Run it from anywhere, with a Python that has PyTorch and coremltools 9 (which writes packages
everywhere, and predicts with Core ML on Apple's systems only):

    python Scripts/references/make_coreml_programs.py            # writes the fixtures
    python Scripts/references/make_coreml_programs.py --check    # compares, writes nothing

Networks are converted from PyTorch, whose results are the expected ones. Operations that PyTorch
does not lead to are made with coremltools' builder, beside a computation with NumPy or PyTorch that
was written from the descriptions of the operations. expected.safetensors holds by model the inputs (their
sizes in the file, a seed, and the range; the values are Forge's `seededValues`, rounded down for
inputs of integers) and the outputs.
"""
# check: PYTHON=COREML_PYTHON --check

import pathlib
import sys
import tempfile

import coremltools as ct
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.frontend.torch import ops as torch_ops
from coremltools.converters.mil.mil import types
from coremltools.converters.mil.mil.ops.defs.iOS18.compression import (
    constexpr_blockwise_shift_scale, constexpr_lut_to_sparse, constexpr_sparse_blockwise_shift_scale,
    constexpr_sparse_to_dense)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import coreml_packages  # noqa: E402
from make_coreml_models import (  # noqa: E402
    SCATTERS, put_elements, put_entries, put_slices, seeded)

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Tests" / "ForgeImportersTests" / "Fixtures" / "CoreML" / "Programs"
FLOAT32 = ct.precision.FLOAT32

# coremltools 9 makes Python's numbers from arrays of one element, which NumPy 2.4 refuses.
plain_cast = torch_ops._cast
torch_ops._cast = lambda context, node, kind, name: plain_cast(
    context, node,
    type("Number", (kind,), {"__new__": lambda _, value: kind(np.asarray(value).item())}), name)


class Case:
    """The seeded inputs of a model and its results."""

    def __init__(self):
        self.inputs, self.outputs, self.others = {}, {}, {}

    def input(self, name, sizes, low=-1.0, high=1.0, whole=False):
        seed = sum(map(ord, name)) + len(sizes) + sizes[-1]
        self.inputs[name] = {
            "sizes": list(sizes), "seed": seed, "low": low, "high": high, "whole": whole,
        }
        values = seeded(int(np.prod(sizes)), seed, low, high).reshape(sizes)
        return np.floor(values) if whole else values

    def output(self, name, values):
        values = np.asarray(values, np.float32)
        self.outputs[name] = {
            "sizes": list(values.shape),
            "values": [float(f"{value:.7g}") for value in values.ravel()],
        }

    def json(self):
        return {"inputs": self.inputs, "outputs": self.outputs}


def fill(module, seed):
    """Gives every parameter and running value seeded numbers."""
    for index, (name, values) in enumerate(module.state_dict().items()):
        if not values.dtype.is_floating_point:
            continue
        numbers = torch.from_numpy(seeded(values.numel(), seed + index)).reshape(values.shape)
        if "running_var" in name:
            numbers = numbers.abs() + 0.5
        elif values.ndim > 1:
            numbers = numbers * (3.0 / values[0].numel()) ** 0.5
        else:
            numbers = numbers * 0.5 + (1 if name.endswith("weight") else 0)
        values.copy_(numbers)
    return module.eval()


def converted(module, case, names, *, whole=(), precision=FLOAT32, target=ct.target.iOS16,
              inputs=None, **options):
    """The package of a module of PyTorch; fills in the results of the case."""
    tensors = [
        torch.from_numpy(a.astype(np.int64 if name in whole else np.float32))
        for name, a in case[1].items()
    ]
    with torch.no_grad():
        results = module(*tensors)
        results = results if isinstance(results, tuple) else (results,)
        traced = torch.jit.trace(module, tuple(tensors), check_trace=False)
    for name, result in zip(names, results):
        case[0].output(name, result.numpy())
    stated = inputs or [
        ct.TensorType(name=name, shape=a.shape, dtype=np.int32 if name in whole else np.float32)
        for name, a in case[1].items()
    ]
    return ct.convert(
        traced, inputs=stated, outputs=[ct.TensorType(name=n) for n in names] if names else None,
        compute_precision=precision, minimum_deployment_target=target, skip_model_load=True,
        **options)


# ---- networks of PyTorch -------------------------------------------------------------------------


class Vision(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.depthwise = nn.Conv2d(8, 8, (5, 3), padding=(2, 1), groups=8)
        self.grouped = nn.Conv2d(8, 12, (1, 3), padding=(0, 2), dilation=(1, 2), groups=2)
        self.instance = nn.InstanceNorm2d(12, affine=True)
        self.slope = nn.PReLU(12)
        self.back = nn.ConvTranspose2d(12, 6, 3, stride=2, padding=1, output_padding=1)
        self.plain = nn.ConvTranspose2d(6, 4, (2, 3), stride=(2, 1), groups=2)
        self.dense = nn.Linear(12, 5)

    def forward(self, x):
        y = F.relu6(self.norm(self.stem(x)))
        y = y + F.hardswish(self.depthwise(y))
        y = self.slope(self.instance(self.grouped(y)))
        largest = F.max_pool2d(y, 3, 2, 1, ceil_mode=True)
        pooled = torch.cat([
            F.avg_pool2d(y, 3, 2, 1, count_include_pad=False), F.avg_pool2d(y, 3, 2, 1),
        ], 1)
        large = self.plain(F.silu(self.back(y)))
        near = F.interpolate(y, scale_factor=2, mode="nearest")
        smooth = F.interpolate(y[:, :3], size=(11, 9), mode="bilinear", align_corners=False)
        aligned = F.interpolate(y[:, 3:5], scale_factor=2, mode="bilinear", align_corners=True)
        vector = torch.flatten(F.adaptive_avg_pool2d(y, 1), 1)
        return largest, pooled, large, near, smooth, aligned, F.log_softmax(self.dense(vector), 1)


def vision():
    case = Case()
    given = {"image": case.input("image", (1, 3, 15, 11))}
    names = ["largest", "pooled", "large", "near", "smooth", "aligned", "scores"]
    return converted(fill(Vision(), 1), (case, given), names), case


class Flat(nn.Module):
    """A classifier whose dense layer reads a flattened image."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3)
        self.second = nn.Linear(4 * 3 * 2, 5)

    def forward(self, x):
        y = F.max_pool2d(F.relu(self.first(x)), 2)
        return F.softmax(self.second(torch.flatten(y, 1)), 1)


def half():
    """Half precision, which coremltools writes by default."""
    case = Case()
    given = {"x": case.input("x", (1, 3, 8, 6))}
    module = fill(Flat(), 3)
    for values in module.state_dict().values():
        values.copy_(values.half().float())
    return converted(module, (case, given), ["y"], precision=ct.precision.FLOAT16), case


def classifier():
    """An image of blue, green and red with scale and bias, and labels."""
    case = Case()
    pixels = case.input("photo", (1, 3, 8, 6), 0, 255)
    module = fill(Flat(), 5)
    scale, bias = 1 / 127.5, [-1.0, -0.75, -0.5]
    blue_first = pixels[:, ::-1] * scale + np.array(bias, np.float32)[:, None, None]
    given = {"photo": blue_first.astype(np.float32)}
    image = ct.ImageType(
        name="photo", shape=(1, 3, 8, 6), scale=scale, bias=bias, color_layout=ct.colorlayout.BGR)
    labels = ct.ClassifierConfig(["ant", "bee", "cat", "dog", "eel"])
    model = converted(
        module, (case, given), [], inputs=[image], classifier_config=labels)
    with torch.no_grad():
        result = module(torch.from_numpy(given["photo"])).numpy()
    case.output(model.get_spec().description.predictedProbabilitiesName, result)
    return model, case


def numbered():
    """Labels that are numbers, in half precision."""
    case = Case()
    given = {"x": case.input("x", (1, 3, 8, 6))}
    module = fill(Flat(), 6)
    model = converted(
        module, (case, given), [], precision=ct.precision.FLOAT16,
        classifier_config=ct.ClassifierConfig([3, 5, 7, 11, 13]))
    with torch.no_grad():
        result = module(torch.from_numpy(given["x"])).numpy()
    case.output(model.get_spec().description.predictedProbabilitiesName, result)
    return model, case


class Encoder(nn.Module):
    """Embeddings and a block of attention that is written out."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(13, 8)
        self.places = nn.Parameter(torch.zeros(1, 7, 8))
        self.norm = nn.LayerNorm(8)
        self.qkv = nn.Linear(8, 24)
        self.out = nn.Linear(8, 8)
        self.wide = nn.Linear(8, 12)
        self.narrow = nn.Linear(12, 8)
        self.last = nn.LayerNorm(8)

    def forward(self, ids, mask):
        x = self.norm(self.words(ids) + self.places)
        q, k, v = self.qkv(x).reshape(1, 7, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-2, -1) / 2.0 + (1 - mask)[:, None, None, :] * -1e4
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(1, 7, 8))
        return self.last(x + self.narrow(F.gelu(self.wide(x))))


def encoder():
    case = Case()
    given = {"ids": case.input("ids", (1, 7), 0, 13, whole=True),
             "mask": case.input("mask", (1, 7), 0, 2, whole=True)}
    module = fill(Encoder(), 7)
    return converted(module, (case, given), ["states"], whole=["ids"]), case


class Fused(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(6, 18)

    def forward(self, x, mask):
        q, k, v = self.dense(x).reshape(2, 5, 3, 2, 3).permute(2, 0, 3, 1, 4).unbind(0)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def fused():
    """Attention as one operation."""
    case = Case()
    given = {"x": case.input("x", (2, 5, 6)), "mask": case.input("mask", (2, 1, 5, 5))}
    module = fill(Fused(), 9)
    return converted(module, (case, given), ["y"], target=ct.target.iOS18), case


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.LSTM(5, 4, batch_first=True, bidirectional=True)
        self.second = nn.LSTM(8, 3, batch_first=True)
        self.dense = nn.Linear(3, 2)

    def forward(self, x):
        y, _ = self.first(x)
        y, (h, c) = self.second(y)
        return self.dense(y), h, c


def tagger():
    case = Case()
    given = {"x": case.input("x", (1, 7, 5))}
    return converted(fill(Tagger(), 11), (case, given), ["tags", "h", "c"]), case


class Sizes(nn.Module):
    """Sizes computed from those of the input."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(2, 4, 3, padding=1)

    def forward(self, x):
        y = self.convolution(x)
        n, c, h, w = y.shape
        z = y.reshape(n, c, h * w).transpose(1, 2)
        return (z * torch.softmax(z, 1)).reshape(n, h, w, c)[:, : h // 2]


def flexible():
    """An input whose rows and columns are left open; 6×5 by default."""
    case = Case()
    given = {"x": case.input("x", (1, 2, 8, 7))}
    rows, columns = ct.RangeDim(4, 20, default=6), ct.RangeDim(4, 20, default=5)
    stated = [ct.TensorType(name="x", shape=(1, 2, rows, columns))]
    return converted(fill(Sizes(), 13), (case, given), ["y"], inputs=stated), case


def chain():
    """Two programs one after the other, with the same names inside."""
    case = Case()
    x = case.input("x", (1, 3, 6, 7))
    one = fill(nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()), 15)
    two = fill(nn.Sequential(nn.Conv2d(4, 3, 3), nn.Sigmoid()), 17)
    with torch.no_grad():
        between = one(torch.from_numpy(x)).numpy()
    models = [
        converted(one, (Case(), {"x": x}), ["between"]),
        converted(two, (case, {"between": between}), ["y"]),
    ]
    return ct.utils.make_pipeline(*models), case


class Saved:
    """A package of several functions, which coremltools makes of files only."""

    def __init__(self, models, chosen):
        self.models, self.chosen = models, chosen

    def save(self, path):
        with tempfile.TemporaryDirectory() as folder:
            descriptor = ct.utils.MultiFunctionDescriptor()
            for name, model in self.models.items():
                file = f"{folder}/{name}.mlpackage"
                model.save(file)
                descriptor.add_function(file, "main", name)
            descriptor.default_function_name = self.chosen
            ct.utils.save_multifunction(descriptor, path)


def choice():
    """Two functions, of which the second is the default one."""
    case, other = Case(), Case()
    given = {"x": case.input("x", (1, 4))}
    other.input("x", (1, 4))
    first = converted(fill(nn.Linear(4, 6), 19), (other, given), ["y"])
    second = converted(fill(nn.Linear(4, 3), 21), (case, given), ["y"])
    # What the function that is not the default one computes.
    case.others["choice first"] = other
    return Saved({"first": first, "second": second}, "second"), case


# ---- operations of the builder -------------------------------------------------------------------


def torched(function, *arrays):
    return function(*[torch.from_numpy(np.asarray(a, np.float32)) for a in arrays]).numpy()


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def built(case, sizes, build, target=ct.target.iOS16, whole=()):
    """The package of a program whose inputs are those of a case and whose outputs are named."""
    specs = [
        mb.TensorSpec(shape=s, dtype=types.int32 if name in whole else types.fp32)
        for name, s in sizes.items()
    ]
    names = list(sizes)
    # The builder takes the names of inputs from those of the arguments.
    source = f"lambda {', '.join(names)}: build(dict({', '.join(f'{n}={n}' for n in names)}))"
    program = mb.program(input_specs=specs, opset_version=target)(eval(source, {"build": build}))
    # Nothing is optimized away.
    return ct.convert(
        program, compute_precision=FLOAT32, minimum_deployment_target=target,
        pass_pipeline=ct.PassPipeline.EMPTY, skip_model_load=True)


class Program:
    """A program whose every operation is an output."""

    def __init__(self, **sizes):
        self.case, self.sizes, self.steps = Case(), sizes, []
        self.arrays = {}
        self.whole = set()

    def range(self, name, low, high, whole=False):
        if whole:
            self.whole.add(name)
        self.arrays[name] = self.case.input(name, self.sizes[name], low, high, whole)

    def ready(self):
        for name, sizes in self.sizes.items():
            if name not in self.arrays:
                self.arrays[name] = self.case.input(name, sizes)
        return self.arrays

    def add(self, name, make, *expected):
        """An operation and its results."""
        self.steps.append((name, make, len(expected)))
        for index, values in enumerate(expected):
            self.case.output(name if index == 0 else f"{name}_{index}", values)

    def package(self, target=ct.target.iOS16):
        def build(inputs):
            results = []
            for name, make, count in self.steps:
                made = make(inputs)
                made = list(made) if isinstance(made, (tuple, list)) else [made]
                for index, value in enumerate(made[:count]):
                    value.name = name if index == 0 else f"{name}_{index}"
                    results.append(value)
            return tuple(results)

        return built(self.case, self.sizes, build, target, self.whole), self.case


def functions():
    """Functions of single elements."""
    p = Program(x=(1, 3, 4, 5), y=(1, 3, 4, 5), unit=(2, 7), p=(3, 1, 5))
    p.range("unit", -0.9, 0.9)
    p.range("p", 0.5, 2.5)
    a = p.ready()
    x, y, u, q = (a[k].astype(np.float64) for k in ["x", "y", "unit", "p"])
    slopes, betas = np.array([0.1, 0.3, -0.2], np.float32), np.array([1, 2, 0.5], np.float32)

    def unary(name, make, expected, key="x"):
        p.add(name, lambda i: make(i[key]), expected)

    unary("leaky", lambda v: mb.leaky_relu(x=v, alpha=0.2), np.where(x > 0, x, 0.2 * x))
    unary("elu", lambda v: mb.elu(x=v, alpha=0.7), np.where(x > 0, x, 0.7 * np.expm1(x)))
    unary("prelu", lambda v: mb.prelu(x=v, alpha=slopes),
          np.where(x > 0, x, slopes[:, None, None] * x))
    for mode in ["EXACT", "TANH_APPROXIMATION", "SIGMOID_APPROXIMATION"]:
        expected = x * sigmoid(1.702 * x) if mode[0] == "S" else torched(
            lambda v, m=mode: F.gelu(v, approximate="none" if m[0] == "E" else "tanh"), x)
        unary(f"gelu_{mode}", lambda v, m=mode: mb.gelu(x=v, mode=m), expected)
    unary("hard", lambda v: mb.sigmoid_hard(x=v, alpha=0.4, beta=0.3), np.clip(0.4 * x + 0.3, 0, 1))
    unary("clip", lambda v: mb.clip(x=v, alpha=-0.3, beta=0.6), np.clip(x, -0.3, 0.6))
    unary("threshold", lambda v: mb.threshold(x=v, alpha=0.2), np.maximum(x, 0.2))
    unary("clamped", lambda v: mb.clamped_relu(x=v, alpha=0.5, beta=0.4),
          np.minimum(np.where(x > 0, x, 0.5 * x), 0.4))
    unary("thresholded", lambda v: mb.thresholded_relu(x=v, alpha=0.25), np.where(x >= 0.25, x, 0))
    unary("line", lambda v: mb.linear_activation(x=v, alpha=1.5, beta=-0.5), 1.5 * x - 0.5)
    unary("scaled", lambda v: mb.scaled_tanh(x=v, alpha=1.3, beta=0.7), 1.3 * np.tanh(0.7 * x))
    unary("parametric", lambda v: mb.softplus_parametric(x=v, alpha=slopes, beta=betas),
          slopes[:, None, None] * np.log1p(np.exp(betas[:, None, None] * x)))
    unary("softsign", lambda v: mb.softsign(x=v), x / (1 + abs(x)))
    unary("softplus", lambda v: mb.softplus(x=v), np.log1p(np.exp(x)))
    unary("exp2", lambda v: mb.exp2(x=v), np.exp2(x))
    unary("square", lambda v: mb.square(x=v), x * x)
    unary("log", lambda v: mb.log(x=v, epsilon=0.1), np.log(q + 0.1), "p")
    unary("inverse", lambda v: mb.inverse(x=v, epsilon=0.2), 1 / (q + 0.2), "p")
    unary("rsqrt", lambda v: mb.rsqrt(x=v, epsilon=0.3), 1 / np.sqrt(q + 0.3), "p")
    for name, function in [
        ("abs", abs), ("ceil", np.ceil), ("floor", np.floor), ("round", np.round),
        ("sign", np.sign), ("sin", np.sin), ("cos", np.cos), ("tan", np.tan), ("asin", np.arcsin),
        ("acos", np.arccos), ("atan", np.arctan), ("sinh", np.sinh), ("cosh", np.cosh),
        ("atanh", np.arctanh), ("exp", np.exp), ("tanh", np.tanh), ("sigmoid", sigmoid),
    ]:
        unary(name, lambda v, n=name: getattr(mb, n)(x=v), function(u), "unit")
    unary("erf", lambda v: mb.erf(x=v), torched(torch.erf, u), "unit")
    unary("sqrt", lambda v: mb.sqrt(x=v), np.sqrt(q), "p")
    unary("relu", lambda v: mb.relu(x=v), np.maximum(x, 0))
    unary("same", lambda v: mb.identity(x=v), x)

    def both(name, expected, other="y"):
        p.add("two_" + name, lambda i: getattr(mb, name)(x=i["x"], y=i[other]), expected)

    for name, function in [("add", np.add), ("sub", np.subtract), ("mul", np.multiply),
                           ("maximum", np.maximum), ("minimum", np.minimum)]:
        both(name, function(x, y))
    both("real_div", x / q, "p")
    both("floor_div", np.floor(x / q), "p")
    both("mod", np.mod(x, q), "p")
    p.add("power", lambda i: mb.pow(x=i["p"], y=i["x"]), q ** x)
    for name, function in [("equal", np.equal), ("not_equal", np.not_equal), ("less", np.less),
                           ("less_equal", np.less_equal), ("greater", np.greater),
                           ("greater_equal", np.greater_equal)]:
        p.add("is_" + name,
              lambda i, n=name: mb.cast(x=getattr(mb, n)(x=mb.round(x=i["x"]), y=mb.round(x=i["y"])),
                                        dtype="fp32"),
              function(np.round(x), np.round(y)))
    for name, function in [("logical_and", np.logical_and), ("logical_or", np.logical_or),
                           ("logical_xor", np.logical_xor)]:
        p.add("is_" + name,
              lambda i, n=name: mb.cast(
                  x=getattr(mb, n)(x=mb.greater(x=i["x"], y=0.0), y=mb.greater(x=i["y"], y=0.0)),
                  dtype="fp32"),
              function(x > 0, y > 0))
    p.add("select",
          lambda i: mb.select(cond=mb.logical_not(x=mb.less(x=i["x"], y=i["y"])), a=i["x"],
                              b=i["y"]),
          np.where(x < y, y, x))
    p.add("whole", lambda i: mb.cast(x=mb.cast(x=mb.mul(x=i["x"], y=3.0), dtype="int32"),
                                     dtype="fp32"), np.trunc(x.astype(np.float32) * 3))
    return p.package()


def arrangements():
    """Operations that move elements, and reductions."""
    p = Program(x=(2, 3, 4, 6), m=(3, 5), i=(2, 4))
    p.range("i", 0, 5, whole=True)
    a = p.ready()
    x, m, i = a["x"].astype(np.float64), a["m"].astype(np.float64), a["i"].astype(int)

    def one(name, make, expected, key="x"):
        expected = expected if isinstance(expected, list) else [expected]
        p.add(name, lambda v: make(v[key]), *expected)

    one("reshape", lambda v: mb.reshape(x=v, shape=[0, 6, -1, 0]), x.reshape(2, 6, 2, 6))
    one("transpose", lambda v: mb.transpose(x=v, perm=[-2, 0, -1, 1]), x.transpose(2, 0, 3, 1))
    one("expand", lambda v: mb.squeeze(x=mb.expand_dims(x=v, axes=[1, -1]), axes=[1]),
        m[..., None], "m")
    one("flatten", lambda v: mb.flatten2d(x=v, axis=2), x.reshape(6, 24))
    p.add("concat", lambda v: mb.concat(values=[v["x"], v["x"]], axis=-2), np.concatenate([x, x], 2))
    p.add("interleave", lambda v: mb.concat(values=[v["x"], mb.relu(x=v["x"])], axis=1,
                                            interleave=True),
          np.stack([x, np.maximum(x, 0)], 2).reshape(2, 6, 4, 6))
    p.add("stack", lambda v: mb.stack(values=[v["m"], mb.relu(x=v["m"])], axis=1),
          np.stack([m, np.maximum(m, 0)], 1))
    one("split", lambda v: mb.split(x=v, num_splits=3, axis=-1), np.split(x, 3, -1))
    one("parts", lambda v: mb.split(x=v, split_sizes=[1, 3, 2], axis=3), np.split(x, [1, 4], 3))
    one("slice", lambda v: mb.slice_by_index(
        x=v, begin=[1, 0, 3, -2], end=[2, 0, 0, 0], stride=[1, 2, -2, -1],
        begin_mask=[False, True, False, False], end_mask=[False, True, True, False],
        squeeze_mask=[True, False, False, False]), x[1, ::2, 3::-2, -2:0:-1])
    one("last", lambda v: mb.slice_by_index(
        x=v, begin=[0, -1, 0, 1], end=[2, 0, -1, 5], squeeze_mask=[False, True, False, False]),
        x[:, -1, :-1, 1:5])
    one("size", lambda v: mb.slice_by_size(x=v, begin=[0, 1, 2, -4], size=[-1, 2, 1, 3]),
        x[:, 1:3, 2:3, 2:5])
    one("reverse", lambda v: mb.reverse(x=v, axes=[-1, 1]), x[:, ::-1, :, ::-1])
    one("crop", lambda v: mb.crop(x=v, crop_height=[1, 2], crop_width=[2, 1]), x[:, :, 1:2, 2:5])
    one("pad", lambda v: mb.pad(x=v, pad=[1, 0, 2, 3], constant_val=0.5),
        np.pad(x, [(0, 0), (0, 0), (1, 0), (2, 3)], constant_values=0.5))
    one("reflect", lambda v: mb.pad(x=v, pad=[1, 2, 3, 0], mode="reflect"),
        np.pad(x, [(0, 0), (0, 0), (1, 2), (3, 0)], mode="reflect"))
    one("replicate", lambda v: mb.pad(x=v, pad=[2, 1], mode="replicate"),
        np.pad(x, [(0, 0), (0, 0), (0, 0), (2, 1)], mode="edge"))
    one("tile", lambda v: mb.tile(x=v, reps=[1, 2, 1, 3]), np.tile(x, [1, 2, 1, 3]))
    one("deep", lambda v: mb.space_to_depth(x=v, block_size=2),
        x.reshape(2, 3, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(2, 12, 2, 3))
    deep = np.concatenate([x, x * 2, x * 3, x * 4], 1)
    wide = "mb.concat(values=[v['x'], mb.mul(x=v['x'], y=2.0), mb.mul(x=v['x'], y=3.0), " \
           "mb.mul(x=v['x'], y=4.0)], axis=1)"
    wide = eval(f"lambda v: {wide}", {"mb": mb})
    p.add("space", lambda v: mb.depth_to_space(x=wide(v), block_size=2),
          deep.reshape(2, 2, 2, 3, 4, 6).transpose(0, 3, 4, 1, 5, 2).reshape(2, 3, 8, 12))
    p.add("shuffle", lambda v: mb.pixel_shuffle(x=wide(v), upscale_factor=2),
          torched(lambda t: F.pixel_shuffle(t, 2), deep))
    one("unshuffle", lambda v: mb.pixel_unshuffle(x=v, downscale_factor=np.uint32(2)),
        torched(lambda t: F.pixel_unshuffle(t, 2), x))
    one("gather", lambda v: mb.gather(x=v, indices=[[1, 0], [-1, 2]], axis=1),
        x[:, [[1, 0], [-1, 2]]])
    table = seeded(15, 77).reshape(5, 3)
    one("rows", lambda v: mb.gather(x=table, indices=v, axis=0), table[i], "i")
    one("columns", lambda v: mb.gather(x=v, indices=[2, 0], axis=1), m[:, [2, 0]], "m")
    along = np.array([[0, 2, 1, 0, 1], [2, 2, 0, 1, 0]])
    one("along", lambda v: mb.gather_along_axis(x=v, indices=along.astype(np.int32), axis=0),
        np.take_along_axis(m, along, 0), "m")
    one("nd", lambda v: mb.gather_nd(x=v, indices=[[1, 2], [0, 1]]), x[[1, 0], [2, 1]])
    one("hot", lambda v: mb.one_hot(indices=v, one_hot_vector_size=5, axis=-1, on_value=2.0,
                                    off_value=-1.0), np.eye(5)[i] * 3 - 1, "i")
    row, column = np.indices((4, 6))
    one("band", lambda v: mb.band_part(x=v, lower=1, upper=2),
        np.where((row - column <= 1) & (column - row <= 2), x, 0))
    one("lower", lambda v: mb.band_part(x=v, lower=-1, upper=0), np.tril(x))
    one("fill", lambda v: mb.add(x=v, y=mb.fill(shape=[3, 5], value=0.25)), m + 0.25, "m")
    order = np.argsort(-m, 1)
    one("top", lambda v: mb.topk(x=v, k=2, axis=1),
        [np.take_along_axis(m, order, 1)[:, :2], order[:, :2]], "m")
    one("bottom", lambda v: mb.topk(x=v, k=2, axis=0, ascending=True), np.sort(m, 0)[:2], "m")
    one("order", lambda v: mb.argsort(x=v, axis=1, ascending=True), np.argsort(m, 1), "m")
    one("sums", lambda v: mb.cumsum(x=v, axis=2, exclusive=True, reverse=True),
        np.flip(np.cumsum(np.flip(x, 2), 2), 2) - x)
    for name, function in [("sum", np.sum), ("mean", np.mean), ("max", np.max), ("min", np.min),
                           ("prod", np.prod)]:
        one("reduce_" + name, lambda v, n=name: getattr(mb, "reduce_" + n)(x=v, axes=[1, -1]),
            function(x, (1, 3)))
    one("keep", lambda v: mb.reduce_mean(x=v, axes=[2, 3], keep_dims=True),
        x.mean((2, 3), keepdims=True))
    one("all", lambda v: mb.reduce_sum(x=v, keep_dims=True), x.sum(keepdims=True))
    one("l1", lambda v: mb.reduce_l1_norm(x=v, axes=[0]), abs(x).sum(0))
    one("l2", lambda v: mb.reduce_l2_norm(x=v, axes=[0]), np.sqrt((x * x).sum(0)))
    one("squares", lambda v: mb.reduce_sum_square(x=v, axes=[3]), (x * x).sum(3))
    one("logs", lambda v: mb.reduce_log_sum_exp(x=v, axes=[1]), np.log(np.exp(x).sum(1)))
    one("logs_of", lambda v: mb.reduce_log_sum(x=mb.exp(x=v), axes=[1]), np.log(np.exp(x).sum(1)))
    one("like", lambda v: mb.add(x=v, y=mb.fill_like(ref_tensor=v, value=0.5)), m + 0.5, "m")
    one("range", lambda v: mb.gather(x=v, indices=mb.range_1d(start=0, end=5, step=2), axis=1),
        m[:, ::2], "m")
    chosen = np.array([[0, 1, 0, 0, 1], [0, 0, 0, 0, 0], [1, 0, 0, 1, 0]], np.int32)
    one("chosen", lambda v: mb.gather_nd(x=v, indices=mb.non_zero(x=chosen)), m[chosen > 0], "m")
    one("largest", lambda v: mb.reduce_argmax(x=v, axis=-1), x.argmax(-1))
    one("smallest", lambda v: mb.reduce_argmin(x=v, axis=1, keep_dims=True),
        x.argmin(1)[:, None])
    return p.package()


def scattered():
    """Updates put into tensors, in every mode."""
    p = Program(x=(5, 3, 7), u=(11, 3, 7), v=(5, 4, 7), m=(11, 7), p=(11,), q=(2, 2), r=(5, 4, 7),
                t=(11, 2))
    for name in ["x", "u", "v", "m"]:
        p.range(name, 0.3, 2.0)
    for name, size in [("p", 5), ("q", 3), ("r", 3), ("t", 3)]:
        p.range(name, 0, size, whole=True)
    a = p.ready()
    x, u, v, m = (a[key].astype(np.float64) for key in ["x", "u", "v", "m"])
    places = {key: a[key].astype(int) for key in ["p", "q", "r", "t"]}
    for mode in SCATTERS:
        p.add(f"rows_{mode}", lambda i, mode=mode: mb.scatter(
            data=i["x"], indices=i["p"], updates=i["u"], axis=0, mode=mode),
            put_entries(x, places["p"], u, 0, mode))
        p.add(f"along_{mode}", lambda i, mode=mode: mb.scatter_along_axis(
            data=i["x"], indices=i["r"], updates=i["v"], axis=-2, mode=mode),
            put_elements(x, places["r"], v, 1, mode))
        p.add(f"nd_{mode}", lambda i, mode=mode: mb.scatter_nd(
            data=i["x"], indices=i["t"], updates=i["m"], mode=mode),
            put_slices(x, places["t"], m, mode))
    p.add("columns", lambda i: mb.scatter(
        data=i["x"], indices=mb.reshape(x=i["q"], shape=[4]), updates=i["v"], axis=1, mode="update"),
        put_entries(x, places["q"].ravel(), v, 1, "update"))
    p.add("read", lambda i: mb.gather_nd(x=i["x"], indices=i["t"]),
          x[places["t"][:, 0], places["t"][:, 1]])
    p.add("known", lambda i: mb.scatter(
        data=i["x"], indices=np.int32([4, 0, 4]), updates=mb.slice_by_size(
            x=i["u"], begin=[0, 0, 0], size=[3, 3, 7]), axis=0, mode="add"),
        put_entries(x, np.array([4, 0, 4]), u[:3], 0, "add"))
    return p.package()


def windows():
    """Convolutions, poolings, normalizations, products and resampling."""
    p = Program(x=(1, 4, 7, 6), s=(2, 4, 9), v=(2, 3, 5))
    a = p.ready()
    x, s, v = a["x"], a["s"], a["v"]
    w = seeded(4 * 4 * 3 * 2, 5).reshape(4, 4, 3, 2)
    b = seeded(4, 6)

    def padded(size, kernel, stride, upper):
        total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
        return (total // 2, total - total // 2) if upper else (total - total // 2, total // 2)

    for name, upper in [("same", True), ("same_lower", False)]:
        rows, columns = padded(7, 3, 2, upper), padded(6, 2, 1, upper)
        p.add("conv_" + name,
              lambda i, n=name: mb.conv(x=i["x"], weight=w, bias=b, strides=[2, 1], pad_type=n),
              torched(lambda t: F.conv2d(F.pad(t, (*columns, *rows)), torch.from_numpy(w),
                                         torch.from_numpy(b), (2, 1)), x))
        p.add("pool_" + name,
              lambda i, n=name: mb.max_pool(x=i["x"], kernel_sizes=[3, 2], strides=[2, 1],
                                            pad_type=n),
              torched(lambda t: F.max_pool2d(F.pad(t, (*columns, *rows), value=-1e9), (3, 2),
                                             (2, 1)), x))
    line = seeded(6 * 2 * 3, 8).reshape(6, 2, 3)
    p.add("conv_line",
          lambda i: mb.conv(x=i["s"], weight=line, strides=[2], pad_type="custom", pad=[2, 1],
                            dilations=[2], groups=2),
          torched(lambda t: F.conv1d(F.pad(t, (2, 1)), torch.from_numpy(line), None, 2, 0, 2, 2), s))
    back = seeded(4 * 3 * 3 * 2, 9).reshape(4, 3, 3, 2)
    p.add("back", lambda i: mb.conv_transpose(x=i["x"], weight=back, strides=[2, 3],
                                              pad_type="custom", pad=[1, 0, 0, 1]),
          torched(lambda t: F.conv_transpose2d(t, torch.from_numpy(back), None, (2, 3)), x)
          [:, :, 1:, :-1])
    p.add("back_same", lambda i: mb.conv_transpose(x=i["x"], weight=back[:, :, :, :], strides=[2, 1],
                                                   pad_type="same"),
          torched(lambda t: F.conv_transpose2d(t, torch.from_numpy(back), None, (2, 1)), x)
          [:, :, : 14, : 6])
    p.add("average", lambda i: mb.avg_pool(x=i["x"], kernel_sizes=[3, 3], strides=[2, 2],
                                           pad_type="custom", pad=[1, 1, 1, 1],
                                           exclude_padding_from_average=True),
          torched(lambda t: F.avg_pool2d(t, 3, 2, 1, count_include_pad=False), x))
    p.add("average_line", lambda i: mb.avg_pool(x=i["s"], kernel_sizes=[3], strides=[2],
                                                pad_type="valid"),
          torched(lambda t: F.avg_pool1d(t, 3, 2), s))
    p.add("power_pool", lambda i: mb.l2_pool(x=i["x"], kernel_sizes=[2, 3], strides=[1, 2],
                                             pad_type="valid"),
          np.sqrt(torched(lambda t: F.avg_pool2d(t * t, (2, 3), (1, 2), divisor_override=1), x)))
    g, h = seeded(4, 10, 0.5, 1.5), seeded(4, 11)
    mean, variance = seeded(4, 12), seeded(4, 13, 0.5, 2)
    x64 = x.astype(np.float64)
    each = (slice(None), None, None)
    p.add("batch", lambda i: mb.batch_norm(x=i["x"], mean=mean, variance=variance, gamma=g, beta=h,
                                           epsilon=1e-3),
          (x64 - mean[each]) / np.sqrt(variance[each] + 1e-3) * g[each] + h[each])
    p.add("batch_plain", lambda i: mb.batch_norm(x=i["s"], mean=mean, variance=variance),
          (s - mean[:, None]) / np.sqrt(variance[:, None] + 1e-5))
    p.add("instance", lambda i: mb.instance_norm(x=i["x"], gamma=g, beta=h, epsilon=1e-3),
          torched(lambda t: F.instance_norm(t, weight=torch.from_numpy(g),
                                            bias=torch.from_numpy(h), eps=1e-3), x))
    p.add("layer", lambda i: mb.layer_norm(x=i["x"], axes=[1], gamma=g, beta=h, epsilon=1e-3),
          (x64 - x64.mean(1, keepdims=True)) / np.sqrt(x64.var(1, keepdims=True) + 1e-3)
          * g[each] + h[each])
    p.add("layer_two", lambda i: mb.layer_norm(x=i["v"], axes=[-2, -1], epsilon=1e-4),
          torched(lambda t: F.layer_norm(t, (3, 5), eps=1e-4), v))
    p.add("norm", lambda i: mb.l2_norm(x=i["x"], epsilon=0.1),
          x64 / np.sqrt((x64 * x64).sum((1, 2, 3), keepdims=True) + 0.1))
    p.add("response", lambda i: mb.local_response_norm(x=i["x"], size=3, alpha=0.5, beta=0.6, k=1.2),
          torched(lambda t: F.local_response_norm(t, 3, 0.5, 0.6, 1.2), x))
    p.add("soft", lambda i: mb.softmax(x=i["x"], axis=1), torched(lambda t: t.softmax(1), x))
    matrix, bias = seeded(7 * 5, 14).reshape(7, 5), seeded(7, 15)
    p.add("dense", lambda i: mb.linear(x=i["v"], weight=matrix, bias=bias), v @ matrix.T + bias)
    p.add("product", lambda i: mb.matmul(x=i["v"], y=i["v"], transpose_y=True),
          v @ v.transpose(0, 2, 1))
    p.add("turned", lambda i: mb.matmul(x=i["v"], y=i["v"], transpose_x=True),
          v.transpose(0, 2, 1) @ v)
    p.add("stored", lambda i: mb.matmul(x=i["v"], y=matrix, transpose_y=True), v @ matrix.T)
    p.add("first", lambda i: mb.matmul(x=matrix[:, :3].copy(), y=i["v"]), matrix[:, :3] @ v)
    p.add("sums", lambda i: mb.einsum(values=(i["v"], mb.transpose(x=i["v"], perm=[2, 1, 0])),
                                      equation="chw,whu->chu"),
          np.einsum("chw,whu->chu", v, v.transpose(2, 1, 0)))
    p.add("near", lambda i: mb.upsample_nearest_neighbor(
        x=i["x"], scale_factor_height=2, scale_factor_width=3), x.repeat(2, 2).repeat(3, 3))
    p.add("near_size", lambda i: mb.resize_nearest_neighbor(
        x=i["x"], target_size_height=10, target_size_width=5),
        x[:, :, np.arange(10) * 7 // 10][:, :, :, np.arange(5) * 6 // 5])
    for name, half in [("pixels", True), ("corners", False)]:
        p.add("linear_" + name, lambda i, f=half: mb.upsample_bilinear(
            x=i["x"], scale_factor_height=2.0, scale_factor_width=1.5, align_corners=not f),
            torched(lambda t: F.interpolate(t, size=(14, 9), mode="bilinear",
                                            align_corners=not half), x))

    def sampled(points_y, points_x):
        def line(values, points, axis):
            low = np.clip(np.floor(points).astype(int), 0, values.shape[axis] - 1)
            high = np.minimum(low + 1, values.shape[axis] - 1)
            part = (points - low).reshape([-1 if k == axis else 1 for k in range(4)])
            return np.take(values, low, axis) * (1 - part) + np.take(values, high, axis) * part
        return line(line(x64, points_y, 2), points_x, 3)

    def points(size, count, mode):
        i = np.arange(count)
        if mode == "DEFAULT":
            found = i * size / count
        elif mode == "UNALIGN_CORNERS":
            found = (i + 0.5) * size / count - 0.5
        else:
            found = i * (size - 1) / max(count - 1, 1)
        return np.clip(found, 0, size - 1)

    for mode in ["DEFAULT", "STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "UNALIGN_CORNERS"]:
        p.add("size_" + mode, lambda i, m=mode: mb.resize_bilinear(
            x=i["x"], target_size_height=11, target_size_width=4, sampling_mode=m),
            sampled(points(7, 11, mode), points(6, 4, mode)))
    return p.package()


def later():
    """Operations of later versions."""
    p = Program(x=(1, 2, 5, 4), q=(2, 3, 4), k=(2, 5, 4), v=(2, 5, 6), i=(3, 4))
    p.range("i", -5, 5, whole=True)
    a = p.ready()
    table = seeded(20, 78).reshape(5, 4)
    # As coremltools writes an embedding: places are made positive, and are of 16 bits.
    p.add("rows", lambda i: mb.gather(x=table, axis=0, indices=mb.cast(dtype="int16", x=mb.select(
        cond=mb.greater_equal(x=i["i"], y=0), a=i["i"], b=mb.add(x=i["i"], y=5)))),
        table[a["i"].astype(int)])
    p.add("before", lambda i: mb.gather(x=table, axis=0, indices=mb.sub(
        x=mb.select(cond=mb.less(x=i["i"], y=1), a=1, b=i["i"]), y=1)),
        table[np.maximum(a["i"].astype(int), 1) - 1])
    x = a["x"]
    p.add("sized", lambda i: mb.resize(
        x=i["x"], shape=[1, 10, 0], resized_dims=np.uint32(2), interpolation_mode="LINEAR",
        sampling_mode="UNALIGN_CORNERS"),
        torched(lambda t: F.interpolate(t, size=(10, 4), mode="bilinear"), x))
    p.add("near", lambda i: mb.resize(
        x=i["x"], shape=[10, 12], resized_dims=np.uint32(2), interpolation_mode="NEAREST_NEIGHBOR",
        sampling_mode="DEFAULT"), x.repeat(2, 2).repeat(3, 3))
    p.add("short", lambda i: mb.gather(x=i["x"], indices=np.array([3, 0], np.uint16), axis=2),
          x[:, :, [3, 0]])
    p.add("attention", lambda i: mb.scaled_dot_product_attention(
        query=i["q"], key=i["k"], value=i["v"]),
        torched(F.scaled_dot_product_attention, a["q"], a["k"], a["v"]))
    visible = np.tril(np.ones((3, 5), bool), 1)
    p.add("hidden", lambda i: mb.scaled_dot_product_attention(
        query=i["q"], key=i["k"], value=i["v"], attn_mask=visible),
        F.scaled_dot_product_attention(*[torch.from_numpy(a[n]) for n in "qkv"],
                                       attn_mask=torch.from_numpy(visible)).numpy())
    return p.package(ct.target.iOS18)


def lstm_steps(x, w, r, b, peephole, h, c, backwards=False):
    """Gates in the order input, forget, output, cell; outputs in the order of the input."""
    units, rows = r.shape[1], {}
    times = range(len(x))
    for t in reversed(times) if backwards else times:
        z = x[t] @ w.T + h @ r.T + b
        i, f, o, g = (z[:, k * units : (k + 1) * units] for k in range(4))
        pi, pf, po = peephole.reshape(3, units)
        i, f = sigmoid(i + pi * c), sigmoid(f + pf * c)
        c = f * c + i * np.tanh(g)
        h = sigmoid(o + po * c) * np.tanh(c)
        rows[t] = h
    return np.stack([rows[t] for t in times]), h, c


def gru_steps(x, w, r, b, h):
    """Gates in the order reset, candidate, update.

    coremltools' own test computes it so (TestGRU of
    converters/mil/mil/ops/tests/iOS14/test_recurrent.py).
    """
    rows = []
    wr, wo, wz = np.split(w, 3)
    rr, ro, rz = np.split(r, 3)
    br, bo, bz = np.split(b, 3)
    for row in x:
        reset = sigmoid(row @ wr.T + h @ rr.T + br)
        update = sigmoid(row @ wz.T + h @ rz.T + bz)
        candidate = np.tanh(row @ wo.T + (h * reset) @ ro.T + bo)
        h = (1 - update) * candidate + update * h
        rows.append(h)
    return np.stack(rows), h


def rnn_steps(x, w, r, b, h, function):
    rows = []
    for row in x:
        h = function(row @ w.T + b + h @ r.T)
        rows.append(h)
    return np.stack(rows), h


def recurrent():
    p = Program(x=(5, 2, 3), h=(2, 4), c=(2, 4), hh=(2, 8), cc=(2, 8))
    a = {name: values.astype(np.float64) for name, values in p.ready().items()}
    x = a["x"]

    def weights(gates, seed):
        return [seeded(4 * gates * n, seed + n).reshape((4 * gates, n) if n > 1 else (4 * gates,))
                for n in (3, 4, 1)]

    w, r, b = weights(4, 20)
    wb, rb, bb = weights(4, 40)
    peep = [seeded(12, 60), seeded(12, 61)]
    y, h, c = lstm_steps(x, w, r, b, peep[0], a["h"], a["c"])
    p.add("lstm", lambda i: mb.lstm(
        x=i["x"], initial_h=i["h"], initial_c=i["c"], weight_ih=w, weight_hh=r, bias=b,
        peephole=peep[0], output_sequence=True), y, h, c)
    y, h, c = lstm_steps(x, w, r, b, 0 * peep[0], a["h"], a["c"], True)
    p.add("reverse", lambda i: mb.lstm(
        x=i["x"], initial_h=i["h"], initial_c=i["c"], weight_ih=w, weight_hh=r, bias=b,
        direction="reverse", output_sequence=False), h[None], h, c)
    one = lstm_steps(x, w, r, b, peep[0], a["hh"][:, :4], a["cc"][:, :4])
    two = lstm_steps(x, wb, rb, bb, peep[1], a["hh"][:, 4:], a["cc"][:, 4:], True)
    p.add("both", lambda i: mb.lstm(
        x=i["x"], initial_h=i["hh"], initial_c=i["cc"], weight_ih=w, weight_hh=r, bias=b,
        peephole=peep[0], weight_ih_back=wb, weight_hh_back=rb, bias_back=bb,
        peephole_back=peep[1], direction="bidirectional", output_sequence=True),
        *[np.concatenate(pair, -1) for pair in zip(one, two)])
    w3, r3, b3 = weights(3, 80)
    p.add("gru", lambda i: mb.gru(
        x=i["x"], initial_h=i["h"], weight_ih=w3, weight_hh=r3, bias=b3, output_sequence=True),
        *gru_steps(x, w3, r3, b3, a["h"]))
    w1, r1, b1 = weights(1, 120)
    _, h = rnn_steps(x[::-1], w1, r1, b1, a["h"], lambda z: np.maximum(z, 0))
    p.add("rnn", lambda i: mb.rnn(
        x=i["x"], initial_h=i["h"], weight_ih=w1, weight_hh=r1, bias=b1, direction="reverse",
        output_sequence=False, activation="relu"), h[None], h)
    return p.package()


def torch_layer(kind, order, *parameters):
    """A layer of PyTorch on 3 channels with 4 units, in double precision.

    The parameters are weights and biases of input and state with MIL's gates; order has the gates
    of PyTorch among these.
    """
    layer = kind(3, 4)
    for own, values in zip(layer.all_weights[0], parameters):
        parts = np.split(values, len(order))
        own.data = torch.from_numpy(np.concatenate([parts[k] for k in order]))
    return layer.double()


def reversed_sequences():
    """All outputs of recurrent layers that read the sequence from its end.

    coremltools' own tests (converters/mil/mil/ops/tests/iOS14/test_recurrent.py) compare them with
    a layer of PyTorch, or of NumPy, that reads the reversed sequence, and reverse no outputs.
    """
    p = Program(x=(5, 2, 3), h=(2, 4), c=(2, 4))
    a = {name: values.astype(np.float64) for name, values in p.ready().items()}

    def weights(gates, seed):
        return [seeded(4 * gates * n, seed + n).reshape((4 * gates, n) if n > 1 else (4 * gates,))
                for n in (3, 4, 1)]

    def options(w, r, b):
        return dict(weight_ih=w, weight_hh=r, bias=b, direction="reverse", output_sequence=True)

    flipped = torch.flip(torch.from_numpy(a["x"]), [0])
    h0, c0 = (torch.from_numpy(a[name])[None] for name in "hc")
    w, r, b = weights(4, 20)
    with torch.no_grad():
        lstm = torch_layer(nn.LSTM, [0, 1, 3, 2], w, r, b, np.zeros_like(b))
        y, (h, c) = lstm(flipped, (h0, c0))
    p.add("lstm", lambda i: mb.lstm(
        x=i["x"], initial_h=i["h"], initial_c=i["c"], **options(w, r, b)), y, h[0], c[0])
    w1, r1, b1 = weights(1, 120)
    with torch.no_grad():
        y, h = torch_layer(nn.RNN, [0], w1, r1, b1, np.zeros_like(b1))(flipped, h0)
    p.add("rnn", lambda i: mb.rnn(x=i["x"], initial_h=i["h"], **options(w1, r1, b1)), y, h[0])
    w3, r3, b3 = weights(3, 80)
    p.add("gru", lambda i: mb.gru(x=i["x"], initial_h=i["h"], **options(w3, r3, b3)),
          *gru_steps(a["x"][::-1], w3, r3, b3, a["h"]))
    return p.package()


def resets_after():
    """A GRU whose reset gate multiplies the recurrent product, with both biases, as PyTorch's."""
    p = Program(x=(5, 2, 3), h=(2, 4))
    a = {name: values.astype(np.float64) for name, values in p.ready().items()}
    w, r = seeded(36, 13).reshape(12, 3), seeded(48, 14).reshape(12, 4)
    inner, own = seeded(12, 15), seeded(12, 16)
    # MIL has the gates reset, candidate, update; PyTorch reset, update, candidate.
    layer = torch_layer(nn.GRU, [0, 2, 1], w, r, inner, own)
    with torch.no_grad():
        y, h = layer(torch.from_numpy(a["x"]), torch.from_numpy(a["h"])[None])
    p.add("gru", lambda i: mb.gru(
        x=i["x"], initial_h=i["h"], weight_ih=w, weight_hh=r, input_bias=inner, bias=own,
        reset_after=True, output_sequence=True), y, h[0])
    return p.package(ct.target.iOS18)


def bits(values, count):
    """Numbers of a few bits each, packed from the lowest bit on."""
    flat = ((np.asarray(values).ravel()[:, None] >> np.arange(count)) & 1).astype(np.uint8)
    return np.packbits(flat.ravel(), bitorder="little")


def compressed():
    """Weights of eight bits, tables and sparse ones, as versions 16 of the systems have them."""
    p = Program(x=(1, 6))
    x = p.ready()["x"].astype(np.float64)
    codes = (seeded(30, 1, 0, 256)).astype(np.uint8).reshape(5, 6)
    scale, zero = seeded(5, 2, 0.001, 0.02), seeded(5, 3, 100, 150).astype(np.uint8)
    dense = scale[:, None] * (codes.astype(float) - zero[:, None])
    p.add("affine", lambda i: mb.linear(x=i["x"], weight=mb.constexpr_affine_dequantize(
        quantized_data=codes, scale=scale, zero_point=zero, axis=0)), x @ dense.T)
    signed = codes.astype(np.int16).astype(np.int8)
    p.add("columns", lambda i: mb.linear(x=i["x"], weight=mb.constexpr_affine_dequantize(
        quantized_data=signed, scale=np.float32(0.01), zero_point=np.int8(-3), axis=1)),
        x @ (0.01 * (signed.astype(float) + 3)).T)
    for count in [1, 2, 4, 6, 8]:
        table = seeded(1 << count, 10 + count)
        places = seeded(30, 20 + count, 0, 1 << count).astype(int)
        p.add(f"table{count}", lambda i, c=count, t=table, k=places: mb.linear(
            x=i["x"], weight=mb.constexpr_lut_to_dense(
                indices=bits(k, c), lut=t, shape=np.array([5, 6], np.uint32))),
            x @ table[places].reshape(5, 6).T)
    mask = seeded(30, 40) > 0.2
    values = seeded(int(mask.sum()), 41)
    sparse = np.zeros(30)
    sparse[mask] = values
    p.add("sparse", lambda i: mb.linear(x=i["x"], weight=mb.constexpr_sparse_to_dense(
        nonzero_data=values, mask=bits(mask, 1), shape=np.array([5, 6], np.uint32))),
        x @ sparse.reshape(5, 6).T)
    narrow = seeded(30, 42).astype(np.float16).reshape(5, 6)
    p.add("half", lambda i: mb.linear(x=i["x"], weight=mb.constexpr_cast(
        source_val=narrow, output_dtype="fp32")), x @ narrow.astype(float).T)
    return p.package()


def blocks():
    """Weights in blocks, as versions 18 of the systems have them."""
    p = Program(x=(1, 6))
    x = p.ready()["x"].astype(np.float64)
    codes = np.floor(seeded(24, 1, -8, 8)).astype(np.int8).reshape(4, 6)
    scale = seeded(8, 2, 0.01, 0.2).reshape(4, 2)
    offset = np.floor(seeded(8, 3, -3, 3)).astype(np.int8).reshape(4, 2)
    wide, shift = scale.repeat(3, 1), offset.repeat(3, 1)
    int4 = types.np_int4_dtype
    p.add("four", lambda i: mb.linear(x=i["x"], weight=mb.constexpr_blockwise_shift_scale(
        data=codes.astype(int4), scale=scale, offset=offset.astype(int4))),
        x @ (wide * (codes.astype(float) - shift)).T)
    p.add("eight", lambda i: mb.linear(x=i["x"], weight=mb.constexpr_blockwise_shift_scale(
        data=codes, scale=scale)), x @ (wide * codes).T)
    places = seeded(24, 4, 0, 8).astype(np.uint8).reshape(4, 6)
    table = seeded(2 * 3 * 8, 5).reshape(2, 3, 8, 1)
    blocks_of = np.indices((4, 6))
    dense = table[blocks_of[0] // 2, blocks_of[1] // 2, places, 0]
    p.add("three", lambda i: mb.linear(x=i["x"], weight=mb.constexpr_lut_to_dense(
        indices=places.astype(types.np_uint3_dtype), lut=table)), x @ dense.T)
    pairs = seeded(12, 6, 0, 4).astype(np.uint8).reshape(2, 6)
    vectors = seeded(8, 7).reshape(1, 1, 4, 2)
    dense = vectors[0, 0][pairs].transpose(0, 2, 1).reshape(4, 6)
    p.add("vectors", lambda i: mb.linear(x=i["x"], weight=mb.constexpr_lut_to_dense(
        indices=pairs.astype(types.np_uint2_dtype), lut=vectors, vector_axis=0)), x @ dense.T)
    mask = (seeded(24, 8) > 0).reshape(4, 6)
    values = seeded(int(mask.sum()), 9)
    dense = np.zeros((4, 6))
    dense[mask] = values
    p.add("sparse", lambda i: mb.linear(x=i["x"], weight=mb.constexpr_sparse_to_dense(
        nonzero_data=values, mask=mask.astype(types.np_uint1_dtype))), x @ dense.T)
    return p.package(ct.target.iOS18)


def nibbles():
    """Matrices of 4-bit integers in blocks of many inputs, with and without offsets."""
    p = Program(x=(1, 96))
    x = p.ready()["x"].astype(np.float64)
    for name, low, dtype, scales, has_offset in (
        ("signed", -8, types.np_int4_dtype, (7, 3), False),
        ("unsigned", 0, types.np_uint4_dtype, (7, 2), True),
        ("rows", -8, types.np_int4_dtype, (7, 1), True),
        ("one", -8, types.np_int4_dtype, (1, 1), False),
        ("small", 0, types.np_uint4_dtype, (7, 12), True),
    ):
        number = len(name)
        codes = np.floor(seeded(7 * 96, number, low, low + 16)).astype(np.int8).reshape(7, 96)
        scale = seeded(int(np.prod(scales)), number + 1, 0.001, 0.2).reshape(scales)
        offset = np.floor(seeded(scale.size, number + 2, low, low + 16)).astype(np.int8)
        offset = offset.reshape(scales) if has_offset else None
        kind = np.uint8 if low == 0 else np.int8
        dense = constexpr_blockwise_shift_scale.decompress(
            codes.astype(np.float64), scale.astype(np.float64), offset)
        p.add(name, lambda i, c=codes.astype(kind), s=scale, o=offset, d=dtype, k=kind: mb.linear(
            x=i["x"], weight=mb.constexpr_blockwise_shift_scale(
                data=c.astype(d), scale=s, offset=None if o is None else o.astype(k).astype(d))),
            x @ dense.T)
    return p.package(ct.target.iOS18)


def sparse():
    """Sparse weights whose values are in blocks or in tables."""
    p = Program(x=(1, 6))
    x = p.ready()["x"].astype(np.float64)
    uint1 = types.np_uint1_dtype

    def places(rows, seed):
        return (seeded(rows * 6, seed) > -0.2).astype(np.uint8).reshape(rows, 6)

    mask = places(4, 1)
    codes = np.floor(seeded(int(mask.sum()), 2, -128, 128)).astype(np.int8)
    scale, offset = seeded(8, 3, 0.01, 0.2).reshape(4, 2), np.floor(seeded(8, 4, -9, 9)).astype(np.int8)
    offset = offset.reshape(4, 2)
    for name, shift in (("shifted", offset), ("scaled", None)):
        kept, values = constexpr_sparse_blockwise_shift_scale.decompress(
            mask, codes.astype(np.float64), scale.astype(np.float64), shift)
        dense = constexpr_sparse_to_dense.decompress(values, kept)
        p.add(name, lambda i, o=shift: mb.linear(x=i["x"], weight=dense_of(
            mb.constexpr_sparse_blockwise_shift_scale(
                data_mask=mask.astype(uint1), nonzero_data=codes, scale=scale, offset=o))),
            x @ dense.T)
    for name, rows, table, axis in (
        ("table", 4, seeded(2 * 3 * 4, 5).reshape(2, 3, 4, 1), None),
        ("vectors", 2, seeded(3 * 4 * 2, 6).reshape(1, 3, 4, 2), 0),
        ("across", 4, seeded(4 * 3, 7).reshape(1, 1, 4, 3), 1),
    ):
        mask_ = places(rows, 8 + rows)[:, : 2 if axis == 1 else 6]
        indices = seeded(int(mask_.sum()), 9, 0, 4).astype(np.uint8)
        kept, values = constexpr_lut_to_sparse.decompress(
            mask_, indices, table.astype(np.float64), axis)
        dense = constexpr_sparse_to_dense.decompress(values, kept)
        options = {} if axis is None else {"vector_axis": axis}
        p.add(name, lambda i, m=mask_, k=indices, t=table, o=options: mb.linear(
            x=i["x"], weight=dense_of(mb.constexpr_lut_to_sparse(
                indices_mask=m.astype(uint1), indices_nonzero_data=k.astype(types.np_uint2_dtype),
                lut=t, **o))), x @ dense.T)
    return p.package(ct.target.iOS18)


def dense_of(results):
    """The dense weights of a sparse operation."""
    mask, values = results
    return mb.constexpr_sparse_to_dense(nonzero_data=values, mask=mask)


def integers():
    """Activations that are quantized, around convolutions and products; outputs are exact."""
    p = Program(x=(1, 3, 9, 7), row=(5, 12))
    arrays = {name: a.astype(np.float32) for name, a in p.ready().items()}

    def quantized(values, scale, zero=0, dtype=np.uint8, axis=None):
        if axis is not None:
            shape = [-1 if k == axis else 1 for k in range(values.ndim)]
            scale, zero = np.reshape(scale, shape), np.reshape(zero, shape)
        exact = values / np.float32(scale)
        # Arithmetic in another order must not change an integer.
        assert np.abs(np.abs(exact - np.floor(exact)) - 0.5).min() > 1e-4
        info = np.iinfo(dtype)
        return np.clip(np.round(exact) + zero, info.min, info.max)

    def both(x, scale, zero=None, dtype="uint8", axis=None):
        """Quantizes and dequantizes."""
        kind = np.uint8 if dtype == "uint8" else np.int8
        options = {} if axis is None else {"axis": np.int32(axis)}
        if zero is not None:
            options["zero_point"] = np.asarray(zero, kind) if np.ndim(zero) else kind(zero)
        scale = np.asarray(scale, np.float32) if np.ndim(scale) else np.float32(scale)
        q = mb.quantize(input=x, scale=scale, output_dtype=dtype, **options)
        return mb.dequantize(input=q, scale=scale, **options)

    x, row = arrays["x"], arrays["row"]
    wide = (quantized(x, 0.009, 128) - 128) * np.float32(0.009)
    p.add("plain", lambda i: both(i["x"], 0.009, 128), wide)
    p.add("clipped", lambda i: both(i["x"], 0.004, dtype="int8"),
          quantized(x, 0.004, 0, np.int8) * np.float32(0.004))
    scales, zeros = [0.0081, 0.0125, 0.02], [-3, 0, 100]
    p.add("axis", lambda i: both(i["x"], scales, zeros, "int8", 1),
          (quantized(x, np.float32(scales), zeros, np.int8, 1) - np.reshape(zeros, (-1, 1, 1)))
          * np.float32(scales).reshape(-1, 1, 1))
    codes = np.floor(seeded(5 * 3 * 3 * 3, 3, -127, 128)).astype(np.int8).reshape(5, 3, 3, 3)
    factors, bias = seeded(5, 4, 0.002, 0.02), seeded(5, 5)
    kernel = codes * factors.astype(np.float64).reshape(-1, 1, 1, 1)
    image = F.conv2d(torch.from_numpy(wide).double(), torch.from_numpy(kernel),
                     torch.from_numpy(bias).double(), stride=2, padding=1).numpy()
    q = quantized(image, 0.11, 7)

    def convolved(i, weights):
        y = mb.conv(x=both(i["x"], 0.009, 128), weight=weights, bias=bias, strides=[2, 2],
                    pad_type="custom", pad=[1, 1, 1, 1])
        return both(mb.relu(x=y), 0.11, 7)

    relu = np.maximum((q - 7) * np.float32(0.11), 0)
    p.add("convolution", lambda i: convolved(i, mb.constexpr_affine_dequantize(
        quantized_data=codes, scale=factors, zero_point=np.int8(0), axis=0)), relu)
    p.add("dequantized", lambda i: convolved(i, mb.dequantize(
        input=codes, scale=factors, axis=0)), relu)
    narrow = (quantized(row, 0.0083, 3, np.int8) - 3) * np.float32(0.0083)
    matrix = np.floor(seeded(4 * 12, 6, 0, 256)).astype(np.uint8).reshape(4, 12)
    dense = (matrix.astype(np.float64) - 131) * np.float32(0.013)
    p.add("product", lambda i: mb.linear(
        x=both(i["row"], 0.0083, 3, "int8"), weight=mb.constexpr_affine_dequantize(
            quantized_data=matrix, scale=np.float32(0.013), zero_point=np.uint8(131), axis=0)),
        narrow @ dense.T)
    total = wide + 2 * wide
    p.add("sum", lambda i: both(mb.add(
        x=both(i["x"], 0.009, 128), y=mb.mul(x=both(i["x"], 0.009, 128), y=np.float32(2))), 0.031, 127),
        (quantized(total, 0.031, 127) - 127) * np.float32(0.031))
    return p.package(ct.target.iOS17)


def unsupported():
    """Operations that Forge does not have."""
    p = Program(x=(1, 2, 5, 4))
    p.ready()
    p.add("cells", lambda i: mb.sliding_windows(x=i["x"], axis=2, size=2), np.zeros(1))
    p.add("offset", lambda i: mb.resize_bilinear(
        x=i["x"], target_size_height=3, target_size_width=3, sampling_mode="OFFSET_CORNERS"),
        np.zeros(1))
    p.add("noise", lambda i: mb.random_normal(shape=[2, 2]), np.zeros(1))
    p.add("noise2", lambda i: mb.add(x=mb.random_normal(shape=[2, 2]), y=1.0), np.zeros(1))
    return p.package()[0], None


def made():
    for make in [vision, half, classifier, numbered, encoder, fused, tagger, flexible, chain,
                 choice, functions, arrangements, scattered, windows, later, recurrent, reversed_sequences,
                 resets_after, compressed, blocks, nibbles, sparse, integers, unsupported]:
        yield make.__name__, *make()


def main():
    check = "--check" in sys.argv
    expected = {}
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, model, case in made():
        coreml_packages.keep(model, FOLDER / f"{name}.mlpackage", check)
        if case:
            expected[name] = case.json()
            expected.update({key: other.json() for key, other in case.others.items()})
    coreml_packages.keep_expected(FOLDER / "expected.safetensors", expected, check)
    print("checked" if check else "written", FOLDER)


if __name__ == "__main__":
    main()
