#!/usr/bin/env python3
"""Exports what PyTorch writes down for normalizations and for `nn.MultiheadAttention` to ONNX.

Usage: make_pattern_exports.py

Writes Tests/ForgeImportersTests/Fixtures/ONNX/Patterns: NAME.onnx and torch.safetensors, with the inputs
and outputs of each. ONNX Runtime computes the outputs, in single precision; for inputs of hostile
numbers NumPy does, in double precision. Graphs that only look like a normalization are made by
hand. Needs the PyPI packages torch, transformers, onnx, onnxscript, onnxruntime and numpy.
"""
# check:
import pathlib
import tempfile
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

import fixtures
from make_transformer_exports import spread, strip
from pattern_values import hostile, values

warnings.filterwarnings("ignore")
folder = pathlib.Path(__file__).resolve().parents[2] \
    / "Tests/ForgeImportersTests/Fixtures/ONNX/Patterns"
expected = {}


def record(name, model, feeds, steps, absent=(), exact=None):
    """Stores a model, and per case of inputs what it computes.

    `steps` are the numbers of steps of a kind that the compiled model has, `absent` kinds of which
    it has none. `exact` computes the outputs of hostile inputs.
    """
    data = strip(model).SerializeToString()
    (folder / f"{name}.onnx").write_bytes(data)
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    cases = []
    for index, feed in enumerate(feeds):
        results = session.run(None, feed)
        if index > 0 and exact is not None:
            results = [exact(**{k: v.astype(np.float64) for k, v in feed.items()})]
        cases.append({"inputs": {k: values(v) for k, v in feed.items()},
                      "outputs": {k: values(v) for k, v in zip(names, results)}})
    expected[name] = {"steps": steps, "absent": list(absent), "cases": cases}
    print(name, len(data), sorted({n.op_type for n in model.graph.node}))


def export(name, network, feeds, exporter, opset=None, **more):
    network = network.eval()
    arguments = tuple(torch.from_numpy(v) for v in feeds[0].values())
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "net.onnx"
        options = {} if exporter == "script" else {"external_data": False}
        torch.onnx.export(
            network, arguments, path, dynamo=exporter == "dynamo", input_names=list(feeds[0]),
            output_names=["y"], opset_version=opset or (17 if exporter == "script" else 18),
            **options)
        record(f"{name}_{exporter}", onnx.load(path), feeds, **more)


# Root mean squares.

ABSENT = ("reduce", "reciprocalSquareRoot", "squareRoot", "multiply", "power", "square")


def root_mean_square(gamma, epsilon):
    def exact(x):
        return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + epsilon) * gamma
    return exact


def behind_product(layer, channels=23):
    """The layer behind a product with the unit matrix: a normalization is never the first layer."""
    unit = nn.Linear(channels, channels, bias=False)
    with torch.no_grad():
        unit.weight.copy_(torch.eye(channels))
    return nn.Sequential(unit, layer)


class Written(nn.Module):
    """x/√(mean of x² + ε) as a person writes it, in other ways than the libraries."""

    def __init__(self, kind, channels):
        super().__init__()
        self.kind, self.weight = kind, nn.Parameter(torch.ones(channels))

    def forward(self, x):
        mean = torch.mean(x * x, dim=-1, keepdim=True) + 1e-5
        if self.kind == "root":
            return self.weight * (x / torch.sqrt(mean))
        if self.kind == "power":
            return x * mean.pow(-0.5) * self.weight
        return x * (self.weight * torch.rsqrt(mean))


def root_mean_squares(rng, generator):
    from transformers.models.gemma.modeling_gemma import GemmaRMSNorm
    from transformers.models.llama.modeling_llama import LlamaRMSNorm
    from transformers.models.t5.modeling_t5 import T5LayerNorm
    layers = {
        "llama": (LlamaRMSNorm(23, eps=1e-6), 1e-6), "t5": (T5LayerNorm(23, eps=1e-5), 1e-5),
        "gemma": (GemmaRMSNorm(23, eps=1e-6), 1e-6), "torch": (nn.RMSNorm(23, eps=1e-5), 1e-5),
        **{f"written_{k}": (Written(k, 23), 1e-5) for k in ["root", "power", "scaled"]},
    }
    for name, (layer, epsilon) in layers.items():
        spread(layer, generator)
        gamma = layer.weight.detach().numpy().astype(np.float64) + (name == "gemma")
        # TorchScript's exporter does not know rms_norm.
        for exporter in ["dynamo"] if name == "torch" else ["script", "dynamo"]:
            feeds = [{"x": x} for x in hostile(rng, 1, 7, 23)]
            export(f"rms_{name}", behind_product(layer), feeds, exporter,
                   steps={"normalize": 1}, absent=ABSENT, exact=root_mean_square(gamma, epsilon))


def near_misses(rng):
    """Graphs that look like a normalization, made by hand."""
    numbers = {"eps": np.float32(1e-3), "two": np.float32(2),
               "unit": np.eye(11, dtype=np.float32),
               "last": np.array([-1]), "middle": np.array([1]),
               "gamma": rng.uniform(-1, 1, 11).astype(np.float32),
               "beta": rng.uniform(-1, 1, 11).astype(np.float32),
               "rows": rng.uniform(-1, 1, (7, 1)).astype(np.float32)}

    def save(name, lines, outputs=("y",), inputs=("x0",), **steps):
        # A product comes first, so that the last axis is the last one in memory.
        nodes = [helper.make_node(*line) for line in [("MatMul", ["x0", "unit"], ["x"])] + lines]
        used = {n for node in nodes for n in node.input}
        sizes = {"x0": (1, 7, 11), "e": (1, 7, 1)}
        graph = helper.make_graph(
            nodes, name,
            [helper.make_tensor_value_info(k, TensorProto.FLOAT, sizes[k]) for k in inputs],
            [helper.make_tensor_value_info(k, TensorProto.FLOAT, None) for k in outputs],
            [numpy_helper.from_array(np.asarray(v), k) for k, v in numbers.items() if k in used])
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
        feed = {k: rng.uniform(0.5, 2, sizes[k]).astype(np.float32) for k in inputs}
        record(f"near_{name}", model, [feed], {"normalize": 0, **steps})

    def rms(axis="last", square="x", eps="eps", of="x"):
        return [("Mul", [square, square], ["s"]), ("ReduceMean", ["s", axis], ["m"]),
                ("Add", ["m", eps], ["a"]), ("Sqrt", ["a"], ["r"]), ("Reciprocal", ["r"], ["i"]),
                ("Mul", [of, "i"], ["n"]), ("Mul", ["n", "gamma"], ["y"])]

    twice = ("Add", ["x", "x"], ["t"])
    save("axis", rms(axis="middle"))
    save("epsilon", rms(eps="e"), inputs=("x0", "e"))
    save("other", [twice] + rms(square="t"))
    save("rows", rms()[:-1] + [("Mul", ["n", "rows"], ["y"])], normalize=1)
    # The arithmetic that something else reads stays beside the normalization.
    save("mean_read", rms() + [("Mul", ["m", "two"], ["z"])], outputs=("y", "z"), normalize=1)
    save("mean_output", rms(), outputs=("y", "m"), normalize=1)
    save("root_output", rms(), outputs=("y", "i"), normalize=1)
    save("normal_output", rms(), outputs=("y", "n"), normalize=1)

    def moved(axis="last", second="last", eps="eps", scale="v", inner="x", sign="Sub"):
        return [("ReduceMean", ["x", axis], ["m"]), ("Sub", [inner, "m"], ["d"]),
                ("Mul", ["d", "d"], ["q"]), ("ReduceMean", ["q", second], ["w"]),
                ("Add", ["w", eps], ["a"]), ("Sqrt", ["a"], ["r"]), ("Reciprocal", ["r"], ["i"]),
                ("Mul", ["i", "gamma"], ["v"]), ("Mul", ["x", "v"], ["p"]),
                ("Mul", ["m", scale], ["u"]), (sign, ["beta", "u"], ["b"]),
                ("Add", ["p", "b"], ["y"])]

    save("moved", moved(), normalize=1)
    save("moved_axis", moved(axis="middle", second="middle"))
    save("moved_variance", moved(second="middle"))
    save("moved_epsilon", moved(eps="e"), inputs=("x0", "e"))
    save("moved_scale", moved(scale="i"))
    save("moved_inner", [twice] + moved(inner="t"))
    save("moved_sign", moved(sign="Add"))
    save("moved_mean_output", moved(), outputs=("y", "m"), normalize=1)
    save("moved_shift_output", moved(), outputs=("y", "b"), normalize=1)


# Attention.

class SelfAttention(nn.Module):
    def __init__(self, channels, heads, batch_first=True, **options):
        super().__init__()
        self.attention = nn.MultiheadAttention(
            channels, heads, batch_first=batch_first, **options)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class CrossAttention(SelfAttention):
    """Queries of one sequence, keys and values of another: one product makes the latter two."""

    def forward(self, x, z):
        return self.attention(x, z, z, need_weights=False)[0]


class WeightedAttention(SelfAttention):
    """With the weights as a second way through the module, which exporters write down in full."""

    def forward(self, x):
        return self.attention(x, x, x, need_weights=True)[0]


def attentions(rng, generator):
    absent = ("softmax", "gather", "matrix")
    for name, network, sizes in [
            ("mha", SelfAttention(20, 4), (1, 11, 20)),
            ("mha_blocks", SelfAttention(32, 2), (1, 11, 32)),
            ("mha_rows", SelfAttention(20, 4), (3, 11, 20)),
            ("mha_time_first", SelfAttention(20, 4, batch_first=False), (11, 3, 20)),
            ("mha_no_bias", SelfAttention(20, 4, bias=False), (1, 11, 20)),
            ("mha_weights", WeightedAttention(20, 4), (1, 11, 20)),
            ("mha_cross", CrossAttention(20, 4), (1, 11, 20))]:
        spread(network, generator)
        feed = {"x": rng.standard_normal(sizes).astype(np.float32)}
        if name == "mha_cross":
            feed["z"] = rng.standard_normal((1, 7, 20)).astype(np.float32)
        for exporter in ["script", "dynamo"]:
            export(name, network, [feed], exporter, steps={"attention": 1}, absent=absent)


def main():
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(11)
    torch.manual_seed(11)
    generator = torch.Generator().manual_seed(11)
    root_mean_squares(rng, generator)
    near_misses(rng)
    attentions(rng, generator)
    fixtures.write(folder / "torch.safetensors", expected)


if __name__ == "__main__":
    main()
