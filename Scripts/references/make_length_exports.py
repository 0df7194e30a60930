"""Makes the models of sequences of any length, and what ONNX Runtime computes at some lengths.

usage: make_length_exports.py FOLDER

Each network is exported by both exporters of PyTorch with dynamic axes for batch and length. Small
graphs that follow no length, or only seem to, are made by hand.
"""
# check: {fixtures}/ONNX/Lengths

import math
import os
import sys
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

import fixtures

warnings.filterwarnings("ignore")
torch.manual_seed(5)
MAXIMUM = 40
LENGTHS = [1, 7, 23, MAXIMUM]


class Attention(nn.Module):
    def __init__(self, channels=24, heads=3):
        super().__init__()
        self.heads = heads
        self.queries, self.keys, self.values, self.result = (
            nn.Linear(channels, channels) for _ in range(4))

    def split(self, x):
        b, l, c = x.shape
        return x.view(b, l, self.heads, c // self.heads).permute(0, 2, 1, 3)

    def parts(self, x):
        return self.split(self.queries(x)), self.split(self.keys(x)), self.split(self.values(x))

    def forward(self, x, mask):
        q, k, v = self.parts(x)
        scores = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.size(-1)) + mask, -1)
        y = (scores @ v).permute(0, 2, 1, 3).contiguous()
        return self.result(y.view(y.size()[:-2] + (-1,)))


class FusedAttention(Attention):
    def forward(self, x, mask):
        q, k, v = self.parts(x)
        y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2)
        return self.result(y.reshape(x.shape[0], x.shape[1], -1))


class Encoder(nn.Module):
    """BERT with one block: ids, a mask, learned positions, and the mean of all words."""

    def __init__(self, attention, expands):
        super().__init__()
        c = 24
        self.words, self.places = nn.Embedding(53, c), nn.Embedding(MAXIMUM, c)
        self.types = nn.Embedding(2, c)
        self.register_buffer("ids", torch.arange(MAXIMUM).expand((1, -1)), persistent=False)
        self.register_buffer(
            "type_ids", torch.zeros(1, MAXIMUM, dtype=torch.long), persistent=False)
        self.norms = nn.ModuleList(nn.LayerNorm(c) for _ in range(3))
        self.attention, self.expands = attention, expands
        self.wide, self.narrow = nn.Linear(c, 2 * c), nn.Linear(2 * c, c)

    def forward(self, input_ids, attention_mask):
        b, l = input_ids.shape
        types = self.types(self.type_ids[:, :l].expand(b, l))
        x = self.norms[0](self.words(input_ids) + types + self.places(self.ids[:, :l]))
        mask = attention_mask[:, None, None, :].to(x.dtype)
        if self.expands:
            mask = mask.expand(b, 1, l, l)
        mask = (1.0 - mask) * torch.finfo(torch.float32).min
        x = self.norms[1](x + self.attention(x, mask))
        x = self.norms[2](x + self.narrow(nn.functional.gelu(self.wide(x))))
        kept = attention_mask.unsqueeze(-1).expand(x.size()).float()
        return x, (x * kept).sum(1) / torch.clamp(kept.sum(1), min=1e-9)


class Decoder(nn.Module):
    """Causal attention whose mask is a part of a stored one."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(53, 24), nn.Embedding(MAXIMUM, 24)
        self.attention, self.norm = Attention(), nn.LayerNorm(24)
        triangle = torch.tril(torch.ones(MAXIMUM, MAXIMUM, dtype=torch.bool))
        self.register_buffer("triangle", triangle.view(1, 1, MAXIMUM, MAXIMUM))

    def mask(self, l):
        return torch.where(self.triangle[:, :, :l, :l], 0.0, -1e9)

    def forward(self, ids):
        l = ids.shape[1]
        x = self.words(ids) + self.places(torch.arange(l, device=ids.device))[None]
        return self.norm(x + self.attention(x, self.mask(l)))


class Triangle(Decoder):
    """Causal attention whose mask is made of the length."""

    def mask(self, l):
        return torch.triu(torch.full((l, l), float("-inf")), diagonal=1)


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.layers = kind(13, 11, num_layers=2, bidirectional=True, batch_first=True)
        self.result = nn.Linear(22, 5)

    def forward(self, x):
        y, _ = self.layers(x)
        return self.result(y), y[:, -1]


class Convolutions(nn.Module):
    """Causal: nothing is added behind the sequence."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(13, 19, 3)
        self.second = nn.Conv1d(19, 19, 5, dilation=2, groups=19)
        self.last = nn.Conv1d(19, 7, 1)

    def forward(self, x):
        x = torch.relu(self.first(nn.functional.pad(x, (2, 0))))
        x = x + self.second(nn.functional.pad(x, (8, 0)))
        return self.last(x), x.mean(2)


def words(length, seed=0):
    generator = np.random.default_rng(100 * length + seed)
    mask = np.ones((1, length), np.int64)
    mask[0, max(length - length // 3, 1):] = 0
    return generator.integers(0, 53, (1, length)), mask


def numbers(length, axis):
    shape = (1, length, 13) if axis == 1 else (1, 13, length)
    return np.random.default_rng(length).standard_normal(shape).astype(np.float32)


NETWORKS = {
    "bert": (lambda: Encoder(Attention(), False), ("input_ids", "attention_mask"), 1, "yz"),
    "fused": (lambda: Encoder(FusedAttention(), True), ("input_ids", "attention_mask"), 1, "yz"),
    "decoder": (Decoder, ("ids",), 1, "y"),
    "triangle": (Triangle, ("ids",), 1, "y"),
    "lstm": (lambda: Recurrent(nn.LSTM), ("x",), 1, "yz"),
    "gru": (lambda: Recurrent(nn.GRU), ("x",), 1, "yz"),
    "convolutions": (Convolutions, ("x",), 2, "yz"),
}


def values(names, axis, length):
    if names == ("x",):
        return {"x": numbers(length, axis)}
    return dict(zip(names, words(length)))


def export(name, folder, kind):
    make, names, axis, outputs = NETWORKS[name]
    model = make().eval()
    examples = tuple(torch.tensor(v).repeat(2, *[1] * (v.ndim - 1))
                     for v in values(names, axis, 9).values())
    path = os.path.join(folder, f"{name}_{kind}.onnx")
    options = dict(
        input_names=list(names), output_names=list(outputs), opset_version=18,
        dynamo=kind == "dynamo")
    if kind == "dynamo":
        batch = torch.export.Dim("batch", min=1, max=64)
        length = torch.export.Dim("length", min=2, max=MAXIMUM)
        options["dynamic_shapes"] = tuple({0: batch, axis: length} for _ in names)
        options["external_data"] = False
    else:
        options["dynamic_axes"] = {n: {0: "batch", axis: "length"} for n in names}
    torch.onnx.export(model, examples, path, **options)
    stored = onnx.load(path)
    for node in stored.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    for value in list(stored.graph.value_info) + list(stored.graph.input):
        del value.metadata_props[:]
    onnx.save(stored, path)
    return path


def expected(path, names, axis):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    outputs = [o.name for o in session.get_outputs()]
    found = {}
    for length in LENGTHS:
        given = values(names, axis, length)
        results = session.run(outputs, given)
        found[str(length)] = {
            "inputs": {n: v.ravel().tolist() for n, v in given.items()},
            "outputs": {
                n: {"sizes": list(r.shape), "values": [float(f"{x:.7g}") for x in r.ravel()]}
                for n, r in zip(outputs, results)},
        }
    return found


def graph(folder, name, nodes, initializers, shape=(1, "length", 6), kind=TensorProto.FLOAT):
    """A small graph from `x` to `y`."""
    made = helper.make_graph(
        nodes, name, [helper.make_tensor_value_info("x", kind, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.array(v), n) for n, v in initializers.items()])
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path = os.path.join(folder, f"{name}.onnx")
    onnx.save(model, path)
    return path


def mistakes(folder):
    node = helper.make_node
    length = [node("Shape", ["x"], ["s"], start=1, end=2, name="size")]
    one, six = np.array([1]), np.array([6])
    half = length + [node("Div", ["s", "two"], ["h"], name="halve")]
    # Twelve rows in the place of a length that varies.
    graph(folder, "fixed_reshape", [node("Reshape", ["x", "t"], ["y"], name="rows")],
          {"t": np.array([1, 40, 6])})
    # The length and the channels change places without a transposition.
    graph(folder, "mixing_reshape",
          length + [node("Concat", ["one", "six", "s"], ["t"], axis=0),
                    node("Reshape", ["x", "t"], ["y"], name="mix")], {"one": one, "six": six})
    graph(folder, "half", half + [
        node("Slice", ["x", "zero", "h", "one"], ["y"], name="cut")],
        {"two": np.array([2]), "zero": np.array([0]), "one": one})
    graph(folder, "compared", length + [
        node("Greater", ["s", "twelve"], ["c"], name="longer"),
        node("Where", ["c", "x", "zero"], ["y"])],
        {"twelve": np.array([12]), "zero": np.array(0, np.float32)})
    graph(folder, "scaled", length + [
        node("Cast", ["s"], ["f"], to=TensorProto.FLOAT),
        node("Div", ["x", "f"], ["y"], name="by_length")], {})
    graph(folder, "strided", [
        node("Conv", ["x", "w"], ["y"], name="steps", strides=[2], kernel_shape=[3])],
        {"w": np.ones((4, 6, 3), np.float32)}, shape=(1, 6, "length"))
    graph(folder, "unpadded", [
        node("Conv", ["x", "w"], ["y"], name="window", kernel_shape=[4])],
        {"w": np.ones((4, 6, 4), np.float32)}, shape=(1, 6, "length"))
    graph(folder, "flattened", [
        node("Flatten", ["x"], ["f"], axis=1, name="flatten"),
        node("MatMul", ["f", "w"], ["y"], name="product")],
        {"w": np.ones((240, 3), np.float32)})
    graph(folder, "channels", [
        node("MatMul", ["x", "w"], ["y"], name="product")],
        {"w": np.ones((6, 3), np.float32)})
    graph(folder, "resized", [
        node("Resize", ["x", "", "scales"], ["y"], name="resize", mode="linear")],
        {"scales": np.array([1, 2, 1], np.float32)})
    # Integers of 8 bits wrap around; the number of positive values up to each place does not.
    positive = node("Greater", ["x", "zero"], ["b"])
    graph(folder, "narrow", [
        positive, node("Cast", ["b"], ["n"], to=TensorProto.UINT8),
        node("Sub", ["n", "one"], ["d"], name="wraps"),
        node("Cast", ["d"], ["y"], to=TensorProto.FLOAT)],
        {"zero": np.array(0, np.float32), "one": np.array(1, np.uint8)})
    graph(folder, "counted", [
        positive, node("Cast", ["b"], ["n"], to=TensorProto.INT64),
        node("CumSum", ["n", "axis"], ["c"], name="count"), node("Mul", ["c", "n"], ["m"]),
        node("Sub", ["m", "one"], ["d"]), node("Cast", ["d"], ["y"], to=TensorProto.FLOAT)],
        {"zero": np.array(0, np.float32), "one": np.array(1), "axis": np.array(1)})
    # Of integers that have no bound only the truth of a product is known, and what a clip leaves.
    whole = node("Cast", ["x"], ["i"], to=TensorProto.INT64)
    product = node("Mul", ["i", "i"], ["m"], name="product")
    graph(folder, "truth", [
        whole, product, node("Cast", ["m"], ["b"], to=TensorProto.BOOL),
        node("Cast", ["b"], ["y"], to=TensorProto.FLOAT)], {})
    graph(folder, "product", [whole, product, node("Cast", ["m"], ["y"], to=TensorProto.FLOAT)],
          {})
    graph(folder, "clipped", [
        whole, node("Clip", ["i", "low", "high"], ["c"]), node("Mul", ["c", "c"], ["m"]),
        node("Cast", ["m"], ["y"], to=TensorProto.FLOAT)],
        {"low": np.array(-3), "high": np.array(5)})
    # Rows at the places that the network computes: one along the length, or along two axes.
    graph(folder, "largest_rows", [
        node("ArgMax", ["x"], ["a"], axis=1, keepdims=0), node("Unsqueeze", ["a", "last"], ["p"]),
        node("Concat", ["zeros", "p"], ["q"], axis=2),
        node("GatherND", ["x", "q"], ["y"], name="rows")],
        {"last": np.array([-1]), "zeros": np.zeros((1, 6, 1), np.int64)})
    graph(folder, "computed_places", [
        node("Slice", ["x", "from", "to", "axes"], ["s"]), node("Squeeze", ["s", "zero"], ["f"]),
        node("Cast", ["f"], ["p"], to=TensorProto.INT64), node("Reshape", ["x", "t"], ["r"]),
        node("GatherND", ["r", "p"], ["y"], name="rows")],
        {"from": np.array([0, 0]), "to": np.array([4, 2]), "axes": np.array([1, 2]),
         "zero": np.array([0]), "t": np.array([5, 8, 6])})
    graph(folder, "third", [node("Gather", ["x", "three"], ["y"], axis=1, name="third")],
          {"three": np.array(3)})
    graph(folder, "shape", [node("Shape", ["x"], ["y"], name="shape")], {})
    graph(folder, "square", [
        node("Reshape", ["x", "t"], ["y"], name="square")],
        {"t": np.array([1, -1, 40])}, shape=(1, "length", 40))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    found = {}
    for name, (_, names, axis, _) in NETWORKS.items():
        for kind in ("script", "dynamo"):
            path = export(name, folder, kind)
            found[f"{name}_{kind}"] = expected(path, names, axis)
    mistakes(folder)
    fixtures.write(os.path.join(folder, "expected.safetensors"), found)


main()
