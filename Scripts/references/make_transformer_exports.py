#!/usr/bin/env python3
"""Exports small transformers to ONNX and writes what ONNX Runtime computes with them.

Usage: make_transformer_exports.py [--keras FILE.onnx …]

Writes Tests/ForgeImportersTests/Fixtures/ONNX/Transformers: NAME.onnx and expected.safetensors, with the
inputs and outputs of each and the number of attentions in it. Needs the PyPI packages torch,
transformers, onnx, onnxscript, onnxruntime and numpy; the models have random weights, so nothing is
downloaded. A model of Keras is made by make_keras_attention.py in an environment of its own and
given with --keras.
"""
# check: --keras {scratch}/keras_attention.onnx
import argparse
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

warnings.filterwarnings("ignore")
folder = pathlib.Path(__file__).resolve().parents[2] \
    / "Tests/ForgeImportersTests/Fixtures/ONNX/Transformers"
expected = {}


def strip(model):
    """Leaves out what does not change the model: places in the source, shapes in between."""
    for node in model.graph.node:
        node.ClearField("doc_string")
        node.ClearField("metadata_props")
    for value in list(model.graph.input) + list(model.graph.output) + list(model.graph.initializer):
        value.ClearField("metadata_props")
        value.ClearField("doc_string")
    model.graph.ClearField("value_info")
    model.graph.ClearField("metadata_props")
    model.ClearField("metadata_props")
    return model


def record(name, model, feeds, attentions, reference=None):
    model = strip(model)
    data = model.SerializeToString()
    (folder / f"{name}.onnx").write_bytes(data)
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    results = session.run(None, feeds)
    if reference is not None:
        assert np.allclose(results[0], reference, rtol=1e-4, atol=1e-5), name
    expected[name] = {
        "attentions": attentions,
        "inputs": {k: {"sizes": list(v.shape), "values": v.astype(float).ravel().tolist()}
                   for k, v in feeds.items()},
        "outputs": {o.name: {"sizes": list(v.shape), "values": v.astype(float).ravel().tolist()}
                    for o, v in zip(session.get_outputs(), results)}}
    print(name, len(data), [list(v.shape) for v in results])


def export(name, network, inputs, attentions, exporters=("script", "dynamo")):
    """Exports a network with both exporters of PyTorch."""
    network = network.eval()
    arguments = tuple(torch.from_numpy(v) for v in inputs.values())
    with torch.no_grad():
        reference = network(*arguments).numpy()
    for exporter in exporters:
        with tempfile.TemporaryDirectory() as place:
            path = pathlib.Path(place) / "net.onnx"
            more = {"opset_version": 17} if exporter == "script" else {"external_data": False}
            torch.onnx.export(
                network, arguments, path, dynamo=exporter == "dynamo", input_names=list(inputs),
                output_names=["y"], **more)
            record(f"{name}_{exporter}", onnx.load(path), inputs, attentions, reference)


class Call(nn.Module):
    """The first result of a model of the package transformers."""

    def __init__(self, model, *names, **fixed):
        super().__init__()
        self.model, self.names, self.fixed = model, names, fixed

    def forward(self, *inputs):
        return self.model(**dict(zip(self.names, inputs)), return_dict=False, **self.fixed)[0]


def spread(network, generator):
    """Weights that let every part of the network matter."""
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.uniform_(-0.4, 0.4, generator=generator)
    return network


def pytorch(rng, generator):
    def encoder(**options):
        layer = nn.TransformerEncoderLayer(20, 4, 28, **options)
        return spread(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), generator)

    x = rng.standard_normal((1, 11, 20)).astype(np.float32)
    export("encoder", encoder(activation="gelu", batch_first=True), {"x": x}, 2)
    x = rng.standard_normal((7, 2, 20)).astype(np.float32)
    export("encoder_rows", encoder(norm_first=True), {"x": x}, 2)


def hugging_face(rng, generator):
    from transformers import (BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, LlamaConfig,
                              LlamaForCausalLM, ViTConfig, ViTModel)
    ids = rng.integers(0, 31, (1, 13))
    mask = np.ones((1, 13), np.int64)
    mask[0, 9:] = 0
    for kind in ["sdpa", "eager"]:
        config = BertConfig(
            vocab_size=31, hidden_size=20, num_hidden_layers=2, num_attention_heads=4,
            intermediate_size=28, max_position_embeddings=16, attn_implementation=kind)
        network = spread(BertModel(config, add_pooling_layer=False), generator)
        export(f"bert_{kind}", Call(network, "input_ids", "attention_mask"),
               {"ids": ids, "mask": mask}, 2)
    config = ViTConfig(
        hidden_size=20, num_hidden_layers=2, num_attention_heads=4, intermediate_size=28,
        image_size=(15, 20), patch_size=5, attn_implementation="sdpa")
    network = spread(ViTModel(config, add_pooling_layer=False), generator)
    image = rng.standard_normal((1, 3, 15, 20)).astype(np.float32)
    export("vit", Call(network, "pixel_values"), {"image": image}, 2)
    config = GPT2Config(
        vocab_size=31, n_positions=16, n_embd=20, n_layer=2, n_head=4, attn_implementation="sdpa")
    network = spread(GPT2LMHeadModel(config), generator)
    export("gpt2", Call(network, "input_ids", use_cache=False), {"ids": ids}, 2, ["dynamo"])
    config = LlamaConfig(
        vocab_size=31, hidden_size=24, intermediate_size=30, num_hidden_layers=2,
        num_attention_heads=6, num_key_value_heads=2, max_position_embeddings=16,
        attn_implementation="eager")
    network = spread(LlamaForCausalLM(config), generator)
    export("llama", Call(network, "input_ids", use_cache=False), {"ids": ids}, 2, ["dynamo"])


def operators(rng):
    """The operators of attention beside stored weights, and formulas."""
    stored, nodes = [], []

    def constant(*sizes):
        values = rng.uniform(-0.5, 0.5, sizes).astype(np.float32)
        stored.append(numpy_helper.from_array(values, f"w{len(stored)}"))
        return stored[-1].name

    def node(kind, *inputs, outputs=1, **attributes):
        names = [f"{kind.lower()}{len(nodes)}_{index}" for index in range(outputs)]
        nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def save(name, opset, inputs, outputs, attentions):
        graph = helper.make_graph(
            nodes, name, [helper.make_tensor_value_info(k, TensorProto.FLOAT, v.shape)
                          for k, v in inputs.items()],
            [helper.make_tensor_value_info(k, TensorProto.FLOAT, None) for k in outputs], stored)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
        record(name, model, inputs, attentions)

    x = rng.standard_normal((2, 7, 18)).astype(np.float32)
    normal = node("RMSNormalization", "x", constant(18), epsilon=1e-5)
    q, k = (node("RotaryEmbedding", node("MatMul", normal, constant(18, width)),
                 constant(2, 7, 3), constant(2, 7, 3), num_heads=heads)
            for heads, width in [(3, 18), (1, 6)])
    v = node("MatMul", normal, constant(18, 5))
    y = node("Attention", q, k, v, q_num_heads=3, kv_num_heads=1, is_causal=1, scale=0.3)
    save("operators", 23, {"x": x}, [y], 1)

    stored, nodes = [], []
    z = rng.standard_normal((2, 5, 11)).astype(np.float32)
    x = rng.standard_normal((2, 7, 11)).astype(np.float32)
    q = node("Add", node("Einsum", "x", constant(11, 3, 4), equation="btc,chd->bthd"),
             constant(3, 4))
    k = node("Einsum", constant(11, 3, 4), "z", equation="chd,bsc->bshd")
    v = node("Einsum", "z", constant(11, 3, 6), equation="bsc,chd->bshd")
    scores = node("Einsum", k, q, equation="bshd,bthd->bhts")
    weights = node("Softmax", scores, axis=-1)
    y = node("Einsum", weights, v, equation="bhts,bshd->bthd")
    y = node("Einsum", y, constant(3, 6, 9), equation="bthd,hdo->bto")
    w = node("Einsum", "x", "z", constant(9, 11), equation="...tc,...sc,oc->...to")
    save("formulas", 17, {"x": x, "z": z}, [y, w], 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keras", nargs="*", default=[])
    options = parser.parse_args()
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(5)
    torch.manual_seed(5)
    generator = torch.Generator().manual_seed(5)
    operators(rng)
    for path in map(pathlib.Path, options.keras):
        model = onnx.load(path)
        feeds = {value.name: rng.standard_normal(
            [d.dim_value for d in value.type.tensor_type.shape.dim]).astype(np.float32)
            for value in model.graph.input}
        record(path.stem, model, feeds, 2)
    pytorch(rng, generator)
    hugging_face(rng, generator)
    fixtures.write(folder / "expected.safetensors", expected)


if __name__ == "__main__":
    main()
