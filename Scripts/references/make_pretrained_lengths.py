"""Makes models of PyPI's transformers with sequences of any length, and what ONNX Runtime computes.

usage: make_pretrained_lengths.py FOLDER

Small networks of well-known architectures, with random weights, are exported by both exporters of
PyTorch with a dynamic length, as users export theirs. Needs torch, transformers and onnxruntime.
"""
# check: {fixtures}/ONNX/Pretrained

import os
import sys
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
import transformers

import fixtures
from make_onnx_models import seeded

warnings.filterwarnings("ignore")
torch.manual_seed(3)
SIZES = dict(
    hidden_size=24, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, vocab_size=53,
    max_position_embeddings=48)
SOUND = dict(
    SIZES, conv_dim=(8,) * 7, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4)
TEXT_LENGTHS, SOUND_LENGTHS = [40, 2, 9, 17], [3280, 400, 1680, 2640]
NETWORKS = {
    "bert": lambda t: t.BertModel(t.BertConfig(**SIZES)),
    "roberta": lambda t: t.RobertaModel(t.RobertaConfig(**SIZES)),
    "mpnet": lambda t: t.MPNetModel(t.MPNetConfig(**SIZES)),
    "t5": lambda t: t.T5EncoderModel(t.T5Config(
        d_model=24, d_kv=12, d_ff=32, num_layers=1, num_heads=2, vocab_size=53)),
    "gpt2": lambda t: t.GPT2Model(t.GPT2Config(
        n_embd=24, n_layer=1, n_head=2, vocab_size=53, n_positions=48, use_cache=False)),
    "llama": lambda t: t.LlamaModel(t.LlamaConfig(
        num_key_value_heads=1, use_cache=False, **SIZES)),
    "wav2vec2": lambda t: t.Wav2Vec2Model(t.Wav2Vec2Config(**SOUND)),
    "deberta": lambda t: t.DebertaV2Model(t.DebertaV2Config(
        relative_attention=True, pos_att_type=["p2c", "c2p"], position_buckets=8, **SIZES)),
    "cliptext": lambda t: t.CLIPTextModelWithProjection(t.CLIPTextConfig(
        eos_token_id=52, bos_token_id=51, pad_token_id=1, projection_dim=12, **SIZES)),
}


class Features(torch.nn.Module):
    """The first result of a model, its features or their projection."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x, mask=None):
        return (self.model(x) if mask is None else self.model(x, attention_mask=mask))[0]


def inputs(name, length):
    if name == "wav2vec2":
        return {"x": seeded(length, length)[None]}
    mask = np.ones((1, length), np.int64)
    mask[0, max(length - length // 3, 1):] = 0
    ids = np.random.default_rng(length).integers(3, 53, (1, length))
    if name == "cliptext":
        ids %= 51
        ids[0, length // 2] = 52  # the end of the text, whose row is the result
    return {"x": ids, "mask": mask}


def export(name, folder, kind, lengths):
    model = Features(NETWORKS[name](transformers).eval()).eval()
    given = inputs(name, lengths[-1])
    names = list(given)
    options = dict(
        input_names=names, output_names=["y"], opset_version=18, dynamo=kind == "dynamo")
    if kind == "dynamo":
        options["dynamic_shapes"] = {n: {1: torch.export.Dim.DYNAMIC} for n in names}
        options["external_data"] = False
    else:
        options["dynamic_axes"] = {n: {1: "length"} for n in names}
    path = os.path.join(folder, f"{name}_{kind}.onnx")
    with torch.no_grad():
        torch.onnx.export(model, tuple(map(torch.tensor, given.values())), path, **options)
    stored = onnx.load(path)
    for node in stored.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    del stored.graph.value_info[:]
    del stored.metadata_props[:]
    onnx.save(stored, path)
    return path


def expected(name, path, lengths):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    found = {}
    for length in lengths:
        given = inputs(name, length)
        result = session.run(None, given)[0]
        found[str(length)] = {
            "inputs": {
                n: {"sizes": list(v.shape), "seed": length} if v.dtype == np.float32 else
                {"sizes": list(v.shape), "values": v.ravel().tolist()} for n, v in given.items()},
            "outputs": {"y": {
                "sizes": list(result.shape),
                "values": [float(f"{x:.6g}") for x in result.ravel()]}}}
    return found


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    found = {}
    for name in NETWORKS:
        lengths = SOUND_LENGTHS if name == "wav2vec2" else TEXT_LENGTHS
        for kind in ("script", "dynamo"):
            path = export(name, folder, kind, lengths)
            found[f"{name}_{kind}"] = expected(name, path, lengths)
    fixtures.write(os.path.join(folder, "expected.safetensors"), found)


main()
