#!/usr/bin/env python3
"""Writes Tests/Fixtures/attention.safetensors: what Keras, PyTorch, ONNX Runtime and NumPy compute for
attention and the layers around it.

Run it from anywhere; each part of the cases needs its packages:

    python Scripts/references/make_attention_references.py keras   # keras with any of its back ends
    python Scripts/references/make_attention_references.py torch   # torch
    python Scripts/references/make_attention_references.py onnx    # onnx, onnxruntime
    python Scripts/references/make_attention_references.py numpy

Each run replaces the cases of its part and keeps the others. Numbers are seeded by the case's name.
The layers of the cases are written in Swift, in AttentionLayers.swift, by the same names. Sequences
are [positions][channels], without a batch. Parameters have Keras's orientation.
"""
# check: KERAS_BACKEND=jax keras
# check: torch
# check: onnx
# check: numpy

import pathlib
import sys

import numpy as np

import fixtures
from make_general_references import record
from make_recurrent_references import seeded, values

FILE = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "attention.safetensors"


def visible(random, size):
    """A mask of 0 and 1 with a key for each query."""
    mask = (random.uniform(0, 1, size) < 0.6).astype(np.float32)
    mask[..., 0] = 1
    return mask


# ---- Keras ---------------------------------------------------------------------------------------


def attention_names(layer):
    """The name of each weight of an attention in Forge."""
    parts = {"query": "query", "key": "key", "value": "value", "attention_output": "output"}
    kinds = {"kernel": "Weights", "bias": "Biases"}
    names = []
    for weight in layer.weights:
        part, kind = weight.path.split("/")[-2:]
        names.append(parts[part] + kinds[kind])
    return names


def run_keras(case):
    """A case as Keras computes it."""
    import keras

    name, sizes, make, arguments = case
    random = seeded(name)
    inputs = [values(random, size, scale=1.5) for size in sizes]
    layer = make(keras.layers)
    is_attention = "Attention" in type(layer).__name__
    if "ids" in arguments:
        inputs = [random.integers(0, arguments["ids"], sizes[0]).astype(np.float32)]
    more = {}
    if arguments.get("mask"):
        mask = visible(random, arguments["mask"])
        more["attention_mask"] = mask[None].astype(bool)
    if arguments.get("causal"):
        more["use_causal_mask"] = True
    batched = [x[None] for x in inputs]
    call = batched if is_attention else batched[:1]
    if is_attention and len(call) == 1:
        call = call * 2
    layer(*call)
    layer.set_weights([values(random, weight.shape) for weight in layer.weights])
    result = np.array(layer(*call, **more))[0]
    if arguments.get("mask"):
        inputs.append(mask)
    if is_attention:
        names = attention_names(layer)
    elif isinstance(layer, keras.layers.RMSNormalization):
        names = ["gamma"]
    else:
        names = ["weights", "biases"]
    parameters = {key: np.array(value) for key, value in zip(names, layer.weights)}
    return record(name, f"keras {keras.__version__}", inputs, result, parameters)


KERAS = [
    ("keras attention", [(13, 20)], lambda k: k.MultiHeadAttention(4, 5), {}),
    ("keras attention of blocks", [(37, 48)], lambda k: k.MultiHeadAttention(3, 16), {}),
    ("keras attention causal", [(41, 18)], lambda k: k.MultiHeadAttention(
        2, 7, output_shape=13), {"causal": True}),
    ("keras attention of two", [(5, 12), (9, 17)], lambda k: k.MultiHeadAttention(
        3, 16, use_bias=False), {}),
    ("keras attention of three", [(7, 12), (11, 10), (11, 19)], lambda k: k.MultiHeadAttention(
        2, 19), {}),
    ("keras attention masked", [(11, 12)], lambda k: k.MultiHeadAttention(2, 6), {
        "mask": (11, 11)}),
    ("keras grouped attention", [(17, 24)], lambda k: k.GroupQueryAttention(
        6, 4, 2), {"causal": True}),
    ("keras rms", [(7, 37)], lambda k: k.RMSNormalization(epsilon=1e-5), {}),
    ("keras rms of an image", [(5, 3, 16)], lambda k: k.RMSNormalization(), {}),
    ("keras embedding", [(13,)], lambda k: k.Embedding(23, 19), {"ids": 23}),
    ("keras embedding of rows", [(3, 7)], lambda k: k.Embedding(11, 32), {"ids": 11}),
    ("keras time distributed dense", [(7, 13)], lambda k: k.TimeDistributed(
        k.Dense(9, activation="relu")), {}),
    ("keras time distributed convolution", [(5, 6, 7, 3)], lambda k: k.TimeDistributed(
        k.Conv2D(8, 3, strides=2, padding="same")), {}),
    ("keras time distributed pooling", [(4, 6, 5, 3)], lambda k: k.TimeDistributed(
        k.GlobalAveragePooling2D()), {}),
]


# ---- PyTorch -------------------------------------------------------------------------------------


def split_heads(x, heads):
    """[positions][heads · channels] as [1][heads][positions][channels]."""
    return x.reshape(x.shape[0], heads, -1).transpose(1, 0, 2)[None]


def run_torch(case):
    """A case as PyTorch computes it."""
    import torch

    name, kind, arguments = case
    random = seeded(name)
    source = f"torch {torch.__version__.split('+')[0]}"
    with torch.no_grad():
        if kind == "sdpa":
            heads, groups, queries, keys, channels, value_channels = arguments["sizes"]
            scale = arguments.get("values", 1.5)
            q = values(random, (queries, heads * channels), scale=scale)
            k = values(random, (keys, groups * channels), scale=scale)
            v = values(random, (keys, groups * value_channels), scale=scale)
            inputs, more = [q, k, v], {}
            if "mask" in arguments:
                mask = values(random, arguments["mask"], scale=3)
                mask[random.uniform(0, 1, mask.shape) < 0.3] = -np.inf
                mask[..., 0] = 0.5
                more["attn_mask"] = torch.from_numpy(mask)
                inputs.append(mask)
            parts = [
                torch.from_numpy(np.ascontiguousarray(split_heads(x, n)))
                for x, n in [(q, heads), (k, groups), (v, groups)]]
            result = torch.nn.functional.scaled_dot_product_attention(
                *[part.double() for part in parts],
                is_causal=arguments.get("causal", False), enable_gqa=groups != heads,
                **{key: value.double() for key, value in more.items()})
            result = result[0].permute(1, 0, 2).reshape(queries, -1).float().numpy()
            return record(name, source, inputs, result)
        if kind == "rms":
            x = values(random, arguments["size"], scale=arguments.get("values", 1.5))
            module = torch.nn.RMSNorm(x.shape[-1], eps=arguments["eps"])
            gamma = values(random, x.shape[-1:])
            module.weight.copy_(torch.from_numpy(gamma))
            return record(
                name, source, [x], module(torch.from_numpy(x)).numpy(), {"gamma": gamma})
        channels, heads, length = arguments["sizes"]
        x = values(random, (length, channels), scale=1.5)
        module = torch.nn.MultiheadAttention(channels, heads, batch_first=True)
        names = {
            "in_proj_weight": "weights", "in_proj_bias": "biases",
            "out_proj.weight": "outputWeights", "out_proj.bias": "outputBiases"}
        parameters = {}
        for key, parameter in module.named_parameters():
            array = values(random, tuple(parameter.shape))
            parameter.copy_(torch.from_numpy(array))
            parameters[names[key]] = array.T if array.ndim == 2 else array
        batch = torch.from_numpy(x)[None]
        result = module(batch, batch, batch, need_weights=False)[0][0].numpy()
        return record(name, source, [x], result, parameters)


TORCH = [
    ("torch attention", "mha", {"sizes": (36, 4, 11)}),
    ("torch sdpa", "sdpa", {"sizes": (1, 1, 7, 5, 3, 4)}),
    ("torch sdpa of one query", "sdpa", {"sizes": (3, 3, 1, 300, 16, 16)}),
    ("torch sdpa long", "sdpa", {"sizes": (2, 2, 37, 530, 3, 5)}),
    ("torch sdpa causal", "sdpa", {"sizes": (2, 1, 291, 291, 5, 8), "causal": True}),
    ("torch sdpa masked", "sdpa", {"sizes": (4, 2, 37, 41, 8, 16), "mask": (4, 37, 41)}),
    ("torch sdpa masked alike", "sdpa", {"sizes": (3, 3, 19, 23, 5, 7), "mask": (1, 19, 23)}),
    ("torch sdpa masked keys", "sdpa", {"sizes": (2, 2, 33, 270, 16, 16), "mask": (1, 270)}),
    ("torch sdpa large", "sdpa", {"sizes": (2, 2, 35, 61, 16, 16), "values": 12}),
    ("torch rms", "rms", {"size": (11, 19), "eps": 1e-6}),
    ("torch rms tiny", "rms", {"size": (5, 7), "eps": 1e-30, "values": 1e-1}),
]


# ---- ONNX ----------------------------------------------------------------------------------------


def run_onnx(case):
    """A case as ONNX Runtime computes it."""
    import onnx
    import onnxruntime

    name, operator, sizes, attributes = case
    random = seeded(name)
    arrays = [values(random, (1, *size), scale=1.5) for size in sizes]
    names = ["A", "B", "C"][: len(arrays)]
    fixed = {}
    if operator == "RotaryEmbedding":
        names = ["A", "cos", "sin", "ids"]
        length, channels = sizes[0][0], sizes[0][1] // attributes["num_heads"]
        rotated = attributes.get("rotary_embedding_dim", 0) or channels
        angles = np.arange(length)[:, None] * 10000.0 ** (-np.arange(0, rotated, 2) / rotated)
        fixed = {
            "cos": np.cos(angles).astype(np.float32), "sin": np.sin(angles).astype(np.float32),
            "ids": np.arange(length, dtype=np.int64)[None]}
    node = onnx.helper.make_node(operator, names, ["Y"], **attributes)
    graph = onnx.helper.make_graph(
        [node], "case", [
            onnx.helper.make_tensor_value_info(key, onnx.TensorProto.FLOAT, array.shape)
            for key, array in zip(names, arrays)],
        [onnx.helper.make_tensor_value_info("Y", onnx.TensorProto.FLOAT, None)],
        [onnx.numpy_helper.from_array(array, key) for key, array in fixed.items()])
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 23)], ir_version=11)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"])
    result = session.run(None, dict(zip(names, arrays)))[0][0]
    return record(
        name, f"onnxruntime {onnxruntime.__version__}", [x[0] for x in arrays], result)


ONNX = [
    ("onnx attention capped", "Attention", [(13, 12), (17, 12), (17, 24)], {
        "q_num_heads": 3, "kv_num_heads": 3, "softcap": 0.75, "scale": 1.3}),
    ("onnx attention grouped", "Attention", [(9, 32), (9, 16), (9, 10)], {
        "q_num_heads": 4, "kv_num_heads": 2, "is_causal": 1}),
    ("onnx rotary halves", "RotaryEmbedding", [(11, 32)], {"num_heads": 4}),
    ("onnx rotary neighbors", "RotaryEmbedding", [(11, 30)], {
        "num_heads": 3, "interleaved": 1}),
    ("onnx rotary of a part", "RotaryEmbedding", [(7, 28)], {
        "num_heads": 2, "rotary_embedding_dim": 8}),
]


# ---- NumPy ---------------------------------------------------------------------------------------


def sines(length, channels, base):
    """Sines and cosines of positions, in double precision.

    "Attention Is All You Need" has sin(t / base^(2i/channels)) in channel 2i and the cosine in
    channel 2i + 1; KerasHub's SinePositionEncoding computes them by this arithmetic. An odd number
    of channels ends with a sine.
    """
    channel = np.arange(channels)
    timescales = (1 / base) ** (2.0 * (channel // 2) / channels)
    angles = np.arange(length, dtype=np.float64)[:, None] * timescales
    table = np.where(channel % 2 == 0, np.sin(angles), np.cos(angles))
    if channels % 2 == 0:
        # The arithmetic of PyTorch's tutorial on transformers, which takes even numbers only.
        factors = np.exp(np.arange(0, channels, 2) * (-np.log(base) / channels))
        other = np.arange(length)[:, None] * factors
        assert np.allclose(table[:, 0::2], np.sin(other), rtol=0, atol=1e-10)
        assert np.allclose(table[:, 1::2], np.cos(other), rtol=0, atol=1e-10)
    return table


def run_numpy(case):
    """A sequence with the sines of its positions added, as NumPy computes it."""
    name, size, base = case
    x = values(seeded(name), size, scale=1.5)
    result = x.astype(np.float64) + sines(*size[-2:], base)
    return record(name, f"numpy {np.__version__}", [x], result)


NUMPY = [
    ("numpy sines", (13, 8), 10_000),
    ("numpy sines of odd channels", (10, 7), 10_000),
    ("numpy sines of one channel", (5, 1), 10_000),
    ("numpy sines of many positions", (601, 3), 10_000),
    ("numpy sines of rows", (3, 5, 6), 10_000),
    ("numpy sines of another base", (9, 11), 77),
]


def main():
    """Replaces the cases of one part."""
    parts = {
        "keras": (KERAS, run_keras), "torch": (TORCH, run_torch), "onnx": (ONNX, run_onnx),
        "numpy": (NUMPY, run_numpy)}
    which = sys.argv[1] if len(sys.argv) == 2 else ""
    if which not in parts:
        sys.exit(__doc__)
    old = fixtures.read(FILE)["cases"] if FILE.exists() else []
    kept = [case for case in old if not case["source"].startswith(which)]
    cases, run = parts[which]
    every = sorted(kept + [run(case) for case in cases], key=lambda case: case["name"])
    assert len({case["name"] for case in every}) == len(every)
    versions = dict(sorted({case["source"].split()[0]: case["source"].split()[1]
                            for case in every}.items()))
    fixtures.write(FILE, {"versions": versions, "cases": every})
    print(f"{len(every)} cases in {FILE.name}, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
