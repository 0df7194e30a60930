#!/usr/bin/env python3
"""Makes models that Keras 3 has quantized, with inputs and what Keras computes from the saved file.

    make_keras_quantized.py FOLDER

Each case is a `.keras` file; list.json says what it holds, arrays.npz has the inputs and outputs of
three samples. Sizes are odd or prime; rows have scales from 1e-30 to 1e30, some are all zeros, and
so are columns of kernels. Files that are refused have no arrays: float8; attention, whose layers
`quantize` changes although Keras itself cannot read such a file; GPTQ and AWQ, of which Keras 3.15
saves no zero points, so that it cannot read them either; and quantized layers in TimeDistributed,
which calls them without their scales.
"""
# check: KERAS_BACKEND=tensorflow {fixtures}/KerasQuantized

import json
import os
import pathlib
import sys
import warnings

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
import keras
import numpy as np

warnings.filterwarnings("ignore", message="Layer .* does not have a `quantize` method")
L, Q = keras.layers, keras.quantizers
SAMPLES = 3
RNG = np.random.default_rng(51)
INT8 = Q.Int8QuantizationConfig()
INT8_WEIGHTS = Q.Int8QuantizationConfig(activation_quantizer=None)
INT8_NARROW = Q.Int8QuantizationConfig(
    weight_quantizer=Q.AbsMaxQuantizer(axis=0, value_range=(-100, 100)),
    activation_quantizer=Q.AbsMaxQuantizer(axis=-1, value_range=(-10, 120), epsilon=0.5))
INT4 = Q.Int4QuantizationConfig()
INT4_BLOCKS = Q.Int4QuantizationConfig(block_size=16)
INT4_ODD_BLOCKS = Q.Int4QuantizationConfig(block_size=5)
INT4_CHANNEL = Q.Int4QuantizationConfig(block_size=None)
INT4_INPUTS = Q.Int4QuantizationConfig(
    block_size=-1, activation_quantizer=Q.AbsMaxQuantizer(axis=-1))
FLOAT8 = Q.Float8QuantizationConfig()
CASES = []


def case(name, build, shape, config, kind="rows", **facts):
    """A case: a model of one input, or a function that makes it."""
    CASES.append((name, build, shape, config, kind, facts))


def values(shape, kind):
    if kind == "ids":
        return RNG.integers(0, 11, (SAMPLES, *shape)).astype("float32")
    x = RNG.standard_normal((SAMPLES, *shape)).astype("float32")
    if kind == "plain":
        return x
    rows = x.reshape(-1, x.shape[-1])
    scales = np.array([1, 1e-3, 0, 1e30, 1e-30, 1e5, 1e-8], "float32")
    rows *= scales[np.arange(len(rows)) % len(scales)][:, None]
    return x


def weights(model, rng):
    """Sets weights of uneven scale; a column of each kernel is 0."""
    for weight in model.weights:
        value = rng.uniform(-1, 1, weight.shape).astype("float32")
        if len(weight.shape) > 1:
            value *= np.exp(rng.uniform(-4, 2, weight.shape[-1])).astype("float32")
            value[..., weight.shape[-1] // 2] = 0
        weight.assign(value)


def lora(layer, rng):
    """Enables LoRA with matrices that are not 0."""
    layer.enable_lora(3, lora_alpha=2)
    for name in ("lora_kernel_a", "lora_kernel_b", "lora_embeddings_a", "lora_embeddings_b"):
        if hasattr(layer, name):
            weight = getattr(layer, name)
            weight.assign(rng.uniform(-0.3, 0.3, weight.shape))


def dense(units, **options):
    return lambda x: L.Dense(units, name="layer", **options)(x)


def einsum(equation, shape, **options):
    return lambda x: L.EinsumDense(equation, shape, name="layer", **options)(x)


def embedding(vocabulary, channels):
    return lambda x: L.Embedding(vocabulary, channels, name="layer")(x)


def reversible(vocabulary, channels, **options):
    def build(x):
        layer = L.ReversibleEmbedding(vocabulary, channels, name="layer", **options)
        return layer(layer(x), reverse=True)
    return build


def network(x):
    y = L.Embedding(11, 37, mask_zero=False, name="embedding")(x)
    y = L.Dense(53, activation="gelu", name="wide")(y)
    y = y + L.EinsumDense("abc,cde->abde", (None, 1, 53), bias_axes="de", name="heads")(y)[:, :, 0]
    y = L.LayerNormalization(name="norm")(y)
    y = L.Dense(19, activation="softmax", name="narrow")(y)
    y = L.GlobalAveragePooling1D(name="mean")(y)
    return L.Dense(3, name="classes")(y)


def nested(x):
    inner = keras.Sequential(
        [keras.Input((5, 13)), L.Dense(11, activation="tanh", name="a"), L.Dense(13, name="b")],
        name="inner")
    return L.Dense(3, name="last")(inner(x))


def shared(x):
    layer = L.Dense(13, name="layer", activation="softsign")
    return layer(layer(x))


def convolved(x):
    y = L.Conv2D(5, 3, name="convolution", activation="relu")(x)
    return L.Dense(7, name="layer")(L.Flatten()(y))


for name, config in (("int8", INT8), ("int8_weights", INT8_WEIGHTS), ("int8_narrow", INT8_NARROW),
                     ("int4", INT4), ("int4_blocks", INT4_BLOCKS), ("int4_odd_blocks", INT4_ODD_BLOCKS),
                     ("int4_channel", INT4_CHANNEL), ("int4_inputs", INT4_INPUTS)):
    rows = "plain" if name == "int8_narrow" else "rows"
    case(f"dense_{name}", dense(9, activation="relu"), (7, 37), config, rows)
    case(f"dense_few_{name}", dense(17, use_bias=False), (3, 37), config, rows)
    case(f"dense_vector_{name}", dense(5, activation="leaky_relu"), (13,), config)
    case(f"dense_image_{name}", dense(3), (3, 5, 7), config)
    if name != "int8_narrow":
        case(f"einsum_{name}", einsum("abc,cde->abde", (None, 3, 5), bias_axes="de"), (7, 37), config)
        case(f"einsum_back_{name}", einsum("abcd,cde->abe", (None, 9), bias_axes="e", activation="relu"),
             (7, 3, 11), config)
        case(f"embedding_{name}", embedding(11, 37), (7,), config, "ids")
        case(f"reversible_{name}", reversible(11, 37), (7,), config, "ids")
        case(f"reversible_untied_{name}", reversible(11, 37, tie_weights=False, logit_soft_cap=3.0),
             (7,), config, "ids")
for config, name in ((INT8, "int8"), (INT8_WEIGHTS, "int8_weights")):
    case(f"einsum_moved_{name}", einsum("abc,dce->abde", (None, 3, 5), bias_axes="de"), (7, 37), config)
    case(f"einsum_places_{name}", einsum("abc,bcd->abd", (7, 5)), (7, 13), config)
    case(f"einsum_turned_{name}", einsum("abcd,dbe->acbe", (5, 3, 2), bias_axes="be"), (3, 5, 7), config)
for name, build, shape, config, kind in (
    ("lora_dense", dense(9), (7, 37), INT8, "rows"),
    ("lora_dense_int4", dense(9), (7, 37), INT4_BLOCKS, "rows"),
    ("lora_dense_float", dense(9, activation="relu"), (7, 37), None, "plain"),
    ("lora_einsum", einsum("abc,cde->abde", (None, 3, 5)), (7, 37), INT8, "rows"),
    ("lora_embedding", embedding(11, 37), (7,), INT8, "ids"),
):
    case(name, build, shape, config, kind, lora=True)
case("reversible_float", reversible(11, 37), (7,), None, "ids")
case("reversible_untied_float", reversible(11, 37, tie_weights=False), (7,), None, "ids")
for name, config in (("int8", INT8), ("int4", INT4), ("int4_inputs", INT4_INPUTS)):
    case(f"network_{name}", network, (7,), config, "ids", chained=True)
    case(f"nested_{name}", nested, (5, 13), config, "plain", chained=True)
    case(f"shared_{name}", shared, (5, 13), config, "plain", chained=True)
    case(f"convolved_{name}", convolved, (7, 9, 3), config, "plain", chained=True)
case("steps", lambda x: L.TimeDistributed(L.Dense(9, name="inner"), name="layer")(x), (5, 13), INT8,
     refused="whose scales Keras does not apply")
for mode in ("gptq", "awq"):
    case(mode, dense(9), (3, 37), (mode, 4, 16), refused=f'the dtype policy "{mode}/4/16_from_float32"')
case("float8", dense(9), (7, 13), FLOAT8, refused='the dtype policy "float8_from_float32"')
case("attention", lambda x: L.MultiHeadAttention(2, 3, name="layer")(x, x), (5, 12), INT8,
     refused="other parameters in the file")
case("einsum_moved_int4", einsum("abc,dce->abde", (None, 3, 5)), (7, 37), INT4,
     refused="a different equation from that of a dense layer")


def grouped(layer, mode, bits, group):
    """Quantizes a layer as GPTQ or AWQ do, without what they compute."""
    common = dict(dataset=None, tokenizer=None, weight_bits=bits, group_size=group)
    config = Q.GPTQConfig(**common) if mode == "gptq" else Q.AWQConfig(**common)
    layer.quantize(mode, config=config)
    top = 256 if bits == 4 else 1 << bits
    layer.is_gptq_calibrated = mode == "gptq"
    layer.is_awq_calibrated = mode == "awq"


def main():
    folder = pathlib.Path(sys.argv[1])
    only = set(sys.argv[2:])
    folder.mkdir(parents=True, exist_ok=True)
    listed, arrays = [], {}
    for number, (name, build, shape, config, kind, facts) in enumerate(CASES):
        if only and name not in only:
            continue
        rng = np.random.default_rng(number)
        x = keras.Input(shape, name="x")
        model = keras.Model(x, build(x), name="net")
        weights(model, rng)
        if facts.get("lora"):
            lora(model.get_layer("layer"), rng)
        if isinstance(config, tuple):
            grouped(model.get_layer("layer"), *config)
        elif config is not None:
            model.quantize(config=config)
        path = folder / f"{name}.keras"
        model.save(path)
        fact = dict(name=name, isChained=facts.get("chained", False), refused=facts.get("refused"))
        if fact["refused"] is None:
            data = values(shape, kind)
            arrays[f"{name}.in"] = data
            # The file is what counts, in which LoRA is merged.
            model = keras.models.load_model(path)
            arrays[f"{name}.out"] = np.asarray(model(data), "float32")
        listed.append(fact)
    np.savez_compressed(folder / "arrays.npz", **arrays)
    (folder / "list.json").write_text(json.dumps(listed, indent=1) + "\n")
    print(len(listed), "cases")


main()
