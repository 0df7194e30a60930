#!/usr/bin/env python3
"""Makes models of sequences of up to 300 positions with the operators Attention and Einsum.

Usage: make_long_length_exports.py

Writes Tests/ForgeImportersTests/Fixtures/ONNX/LongLengths: NAME.onnx and torch.safetensors, what ONNX
Runtime computes at several lengths. PyTorch exports most; graphs with other attributes of Attention
are made by hand. Needs the PyPI packages torch, onnx, onnxscript, onnxruntime and numpy.
"""
# check:
import pathlib
import tempfile
import warnings

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

import fixtures
from length_values import MAXIMUM, expected
from make_transformer_exports import strip

warnings.filterwarnings("ignore")
folder = pathlib.Path(__file__).resolve().parents[2] \
    / "Tests/ForgeImportersTests/Fixtures/ONNX/LongLengths"
found = {}


class Fused(nn.Module):
    """Attention by the function of PyTorch."""

    def __init__(self, channels=24, heads=3, causal=False):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.all, self.result = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)

    def forward(self, x, mask=None):
        b, l, c = x.shape
        q, k, v = (
            y.view(b, l, self.heads, -1).transpose(1, 2) for y in self.all(x).split(c, dim=-1))
        y = nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, is_causal=self.causal)
        return self.result(y.transpose(1, 2).reshape(b, l, c))


class Einsum(nn.Module):
    """Attention by formulas, as models of research write it."""

    def __init__(self, channels=24, heads=3):
        super().__init__()
        self.q, self.k, self.v, self.o = (
            nn.Parameter(0.2 * torch.randn(channels, heads, channels // heads)) for _ in range(4))

    def forward(self, x, mask=None):
        q, k, v = (torch.einsum("btc,chd->bthd", x, w) for w in (self.q, self.k, self.v))
        scores = torch.einsum("bthd,bshd->bhts", q, k) / 8 ** 0.5
        if mask is not None:
            scores = scores + mask
        y = torch.einsum("bhts,bshd->bthd", torch.softmax(scores, -1), v)
        return torch.einsum("bthd,chd->btc", y, self.o)


class Encoder(nn.Module):
    """Words with a mask; the results of all words, of the first and of the last one."""

    def __init__(self, attention, hidden):
        super().__init__()
        self.words, self.places = nn.Embedding(53, 24), nn.Embedding(MAXIMUM, 24)
        self.attention, self.norm, self.last = attention, nn.LayerNorm(24), nn.Linear(24, 5)
        self.hidden = hidden

    def forward(self, ids, mask):
        places = self.places(torch.arange(ids.shape[1], device=ids.device))
        x = self.words(ids) + places[None]
        # ONNX Runtime takes no mask that is the same for all queries.
        visible = mask[:, None, None, :].expand(-1, 1, ids.shape[1], -1)
        visible = visible > 0 if self.hidden == "bool" else (1.0 - visible.float()) * -1e9
        x = self.last(self.norm(x + self.attention(x, visible)))
        return x, x[:, 0], x[:, -1]


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(53, 24)
        self.first, self.second = (nn.RMSNorm(24, eps=1e-6) for _ in range(2))
        self.attention, self.last = Fused(causal=True), nn.Linear(24, 5)

    def forward(self, ids):
        x = self.words(ids)
        return self.last(self.second(x + self.attention(self.first(x))))


class MultiHead(nn.Module):
    """`nn.MultiheadAttention`, whose in-projection is one product."""

    def __init__(self):
        super().__init__()
        self.attention, self.last = nn.MultiheadAttention(24, 3, batch_first=True), nn.Linear(24, 5)

    def forward(self, x):
        return self.last(self.attention(x, x, x, need_weights=False)[0])


def export(name, network, kinds, outputs, exporter="dynamo", opset=23):
    torch.manual_seed(len(name))
    for parameter in network.parameters():
        nn.init.uniform_(parameter, -0.4, 0.4)
    network = network.eval()
    example = {"ids": torch.randint(0, 53, (1, 9)), "mask": torch.ones(1, 9, dtype=torch.long)}
    arguments = tuple(
        example[k] if isinstance(k, str) else torch.randn([s or 9 for s in k])
        for k in kinds.values())
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "net.onnx"
        options = dict(input_names=list(kinds), output_names=outputs, opset_version=opset)
        if exporter == "dynamo":
            length = torch.export.Dim("length", min=2, max=MAXIMUM)
            options |= {"dynamic_shapes": tuple({1: length} for _ in kinds),
                        "external_data": False}
        else:
            options["dynamic_axes"] = {n: {1: "length"} for n in kinds}
        torch.onnx.export(network, arguments, path, dynamo=exporter == "dynamo", **options)
        model = strip(onnx.load(path))

    def reference(feed):
        with torch.no_grad():
            result = network(*[torch.from_numpy(v) for v in feed.values()])
        return [r.numpy() for r in (result if isinstance(result, tuple) else (result,))]

    record(f"{name}_{exporter}", model, kinds, reference)


def record(name, model, kinds, reference=None):
    data = model.SerializeToString()
    (folder / f"{name}.onnx").write_bytes(data)
    found[name] = expected(data, kinds, reference)
    print(name, len(data), sorted({n.op_type for n in model.graph.node}))


def by_hand():
    """Attributes and inputs of Attention that PyTorch does not write."""
    rng = np.random.default_rng(3)

    def save(name, nodes, kinds, outputs, stored={}, opset=23):
        graph = helper.make_graph(
            nodes, name,
            [helper.make_tensor_value_info(
                k, TensorProto.FLOAT, [s or "length" for s in kind]) for k, kind in kinds.items()],
            [helper.make_tensor_value_info(k, TensorProto.FLOAT, None) for k in outputs],
            [numpy_helper.from_array(np.asarray(v), k) for k, v in stored.items()])
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
        record(name, model, kinds)

    node = helper.make_node
    x = {"x": (1, 0, 18)}
    weights = {k: rng.uniform(-0.5, 0.5, (18, n)).astype(np.float32)
               for k, n in [("wq", 6), ("wk", 2), ("wv", 2)]}
    products = [node("MatMul", ["x", w], [y]) for w, y in [("wq", "q"), ("wk", "k"), ("wv", "v")]]
    save("grouped", products + [
        node("Attention", ["q", "k", "v"], ["y"], q_num_heads=3, kv_num_heads=1, is_causal=1,
             softcap=2.0, scale=0.4)], x, ["y"], weights)
    past = {n: rng.uniform(-1, 1, (1, 1, 5, 2)).astype(np.float32) for n in ["pk", "pv"]}
    save("past", products + [
        node("Attention", ["q", "k", "v", "", "pk", "pv"], ["y", "keys", "values"], q_num_heads=3,
             kv_num_heads=1, is_causal=1)], x, ["y", "keys", "values"], weights | past)
    heads = {"q": (1, 2, 0, 4), "k": (1, 2, 0, 4), "v": (1, 2, 0, 3)}
    save("heads", [node("Attention", ["q", "k", "v"], ["y"])], heads, ["y"])
    save("masked", [node("Attention", ["q", "k", "v", "m"], ["y"], is_causal=1)],
         heads | {"m": (1, 1, 0, 0)}, ["y"])
    save("crossed", [node("Attention", ["q", "k", "v"], ["y"])],
         {"q": (1, 2, 11, 4), "k": (1, 2, 0, 4), "v": (1, 2, 0, 3)}, ["y"])
    for mode in range(4):
        save(f"scores{mode}", [
            node("Attention", ["q", "k", "v"], ["y", "", "", "s"], is_causal=1,
                 qk_matmul_output_mode=mode),
            # Sums of their functions are fewer numbers than the scores.
            node("Tanh" if mode < 2 else "Softmax" if mode == 2 else "Identity", ["s"], ["t"]),
            node("MatMul", ["t", "v"], ["w"])], heads, ["w"])
    # Formulas with a weight on either side, sums along the length, and three operands.
    w = {"w": rng.uniform(-0.5, 0.5, (4, 5)).astype(np.float32)}
    save("formulas", [
        node("Einsum", ["w", "q"], ["a"], equation="ce,bhtc->bthe"),
        node("Einsum", ["q", "k"], ["b"], equation="bhtc,bhsc->bths"),
        node("Einsum", ["b", "v"], ["c"], equation="bths,bhsd->bthd"),
        node("Einsum", ["q", "k"], ["d"], equation="bhtc,bhtd->bhcd"),
        node("Einsum", ["q", "v", "w"], ["e"], equation="...tc,...td,ce->...de"),
        node("Einsum", ["q"], ["f"], equation="bhtc->bc")], heads, ["a", "c", "d", "e", "f"], w)


def main():
    folder.mkdir(parents=True, exist_ok=True)
    words = {"ids": "ids", "mask": "mask"}
    export("masked_bool", Encoder(Fused(), "bool"), words, ["y", "first", "last"])
    export("masked_added", Encoder(Fused(), "added"), words, ["y", "first", "last"])
    export("causal", Decoder(), {"ids": "ids"}, ["y"])
    for exporter, opset in [("script", 17), ("dynamo", 18)]:
        export("einsum", Encoder(Einsum(), "added"), words, ["y", "first", "last"], exporter, opset)
    # TorchScript's exporter writes the length of its example into nn.MultiheadAttention.
    export("multihead", MultiHead(), {"x": (1, 0, 24)}, ["y"], opset=18)
    by_hand()
    fixtures.write(folder / "torch.safetensors", found)


if __name__ == "__main__":
    main()
