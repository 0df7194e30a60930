#!/usr/bin/env python3
"""Makes one Keras 3 model for each function of keras.ops that Forge imports, each activation and
each layer without weights that only Keras 3 has, with inputs and what `predict` returns for them.

    make_keras_functions.py FOLDER

The models have no weights: list.json has their descriptions (`model.to_json()`), arrays.npz the
inputs and outputs of three samples. Sizes are odd or prime; the samples have very different scales,
and NaN and infinities where a function says what it does with them.
"""
# check: KERAS_BACKEND=jax {fixtures}/KerasFunctions

import json
import os
import pathlib
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np

L, ops, A = keras.layers, keras.ops, keras.activations
SAMPLES = 3
RNG = np.random.default_rng(49)
CASES = []


def case(name, function, *shapes, kind="plain", dtype="float32"):
    """A case: the function of inputs of these shapes without the batch, or a layer."""
    CASES.append((name, function, shapes, kind, dtype))


def values(shape, kind):
    x = RNG.standard_normal((SAMPLES, *shape)).astype("float32")
    if kind == "plain":
        x *= np.array([1, 3, 30], "float32").reshape(-1, *[1] * len(shape))
    elif kind == "unit":
        x = np.tanh(x) * np.float32(0.97)
    elif kind == "positive":
        x = np.abs(x) * 4 + np.float32(0.05)
    elif kind == "special":
        flat = x.reshape(SAMPLES, -1)
        flat[:, 1], flat[:, 3], flat[:, 4] = np.nan, np.inf, -np.inf
    elif kind == "ids":
        x = RNG.integers(0, 5, (SAMPLES, *shape)).astype("float32")
    elif kind == "ties":
        x = RNG.integers(-3, 4, (SAMPLES, *shape)).astype("float32")
    elif kind == "small":
        x = x * np.array([1e-6, 1e-3, 0.5], "float32").reshape(-1, *[1] * len(shape))
    elif kind == "huge":
        # A mean beside small differences would leave no digits of these in single precision.
        scale, mean = np.array([[1e4, 1e6, 1e-4], [7, 7, 0]], "float32")
        x = x * scale.reshape(-1, *[1] * len(shape)) + mean.reshape(-1, *[1] * len(shape))
    return x


for name in ("celu elu exponential gelu glu hard_shrink hard_sigmoid hard_silu hard_swish hard_tanh "
             "leaky_relu linear log_sigmoid log_softmax mish relu relu6 selu sigmoid silu "
             "soft_shrink softmax softplus softsign sparse_plus sparse_sigmoid sparsemax squareplus "
             "swish tanh tanh_shrink").split():
    case(f"activation_{name}", L.Activation(name), (5, 6), kind="small" if name == "exponential" else "plain")
for name in ("relu relu6 selu sigmoid tanh silu hard_silu hard_sigmoid softplus hard_tanh "
             "log_sigmoid gelu leaky_relu elu softmax log_softmax softsign celu soft_shrink "
             "hard_shrink tanh_shrink sparse_plus sparse_sigmoid sparsemax squareplus").split():
    case(name, getattr(ops, name), (5, 7))
case("glu", ops.glu, (5, 6))
case("glu_axis", lambda x: ops.glu(x, axis=1), (6, 5))
case("threshold", lambda x: ops.threshold(x, 0.3, -2.5), (5, 7))
case("threshold_special", lambda x: ops.threshold(x, 0.3, -2.5), (5, 7), kind="special")
case("squareplus_b", lambda x: ops.squareplus(x, 0.5), (5, 7))
case("sparsemax_axis", lambda x: ops.sparsemax(x, axis=1), (5, 7))
case("sparsemax_small", ops.sparsemax, (11,), kind="small")
case("soft_shrink_special", lambda x: ops.soft_shrink(x, 1.5), (5, 7))
case("gelu_exact", lambda x: ops.gelu(x, approximate=False), (5, 7))
for name in ("absolute negative sign square floor ceil trunc erf sin cos tan arctan expm1 "
             "round").split():
    case(name, getattr(ops, name), (5, 7))
for name in "exp sinh cosh".split():
    case(name, getattr(ops, name), (5, 7), kind="unit")
for name in "arcsin arccos arctanh".split():
    case(name, getattr(ops, name), (5, 7), kind="unit")
for name in "log sqrt rsqrt log1p reciprocal log2 log10 arcsinh".split():
    case(name, getattr(ops, name), (5, 7), kind="positive")
case("arccosh", lambda x: ops.arccosh(x + 1.0), (5, 7), kind="positive")
case("log1p_small", ops.log1p, (5, 7), kind="small")
case("expm1_small", ops.expm1, (5, 7), kind="small")
case("logaddexp", ops.logaddexp, (5, 7), (5, 7))
case("clip", lambda x: ops.clip(x, -0.5, 1.25), (5, 7))
case("cast", lambda x: ops.cast(ops.cast(x, "int32"), "float32"), (5, 7))
case("convert_to_tensor", lambda x: ops.convert_to_tensor(x) * 2, (5, 7))
case("identity", lambda x: ops.stop_gradient(ops.copy(x)) * 2, (5, 7))
for name in "add subtract multiply divide maximum minimum floor_divide mod arctan2".split():
    case(name, getattr(ops, name), (5, 7), (5, 7))
case("power", lambda x: ops.power(x, 1.7), (5, 7), kind="positive")
case("floor_divide_number", lambda x: ops.floor_divide(x, 0.7), (5, 7))
case("mod_number", lambda x: ops.mod(x, -1.7), (5, 7))
case("divide_number_by_tensor", lambda x: 3.0 / x, (5, 7), kind="positive")
case("power_of_number", lambda x: ops.power(2.0, x), (5, 7), kind="unit")
case("add_array", lambda x: x + np.arange(7, dtype="float32"), (5, 7))
case("add_matrix", lambda x: x * np.arange(35, dtype="float32").reshape(1, 5, 7), (5, 7))
for name in "equal not_equal greater greater_equal less less_equal".split():
    case(name, lambda a, b, f=getattr(ops, name): ops.cast(f(a, b), "float32"), (5, 7), (5, 7), kind="ties")
for name in "logical_and logical_or logical_xor".split():
    case(name, lambda a, b, f=getattr(ops, name): ops.cast(f(a > 0, b > 0), "float32"), (5, 7), (5, 7))
case("logical_not", lambda x: ops.cast(ops.logical_not(x > 0), "float32"), (5, 7))
case("any", lambda x: ops.cast(ops.any(x > 1, axis=-1), "float32"), (5, 7))
case("all", lambda x: ops.cast(ops.all(x > -1, axis=-1), "float32"), (5, 7))
case("isnan", lambda x: ops.cast(ops.isnan(x), "float32"), (5, 7), kind="special")
case("isinf", lambda x: ops.cast(ops.isinf(x), "float32"), (5, 7), kind="special")
case("isfinite", lambda x: ops.cast(ops.isfinite(x), "float32"), (5, 7), kind="special")
case("nan_to_num", ops.nan_to_num, (5, 7), kind="special")
case("nan_to_num_stated", lambda x: ops.nan_to_num(x, nan=1.5, posinf=9.0, neginf=-3.0), (5, 7), kind="special")
case("where", lambda a, b: ops.where(a > 0, a, b), (5, 7), (5, 7))
case("where_number", lambda x: ops.where(x > 0.5, x, -1.0), (5, 7))
case("where_special", lambda x: ops.where(ops.isnan(x), 0.0, x), (5, 7), kind="special")
case("where_row", lambda a, b: ops.where(a > 0, a, ops.expand_dims(b, 1)), (5, 7), (7,))
case("zeros_like", lambda x: ops.zeros_like(x) + x, (5, 7))
case("ones_like", lambda x: ops.ones_like(x) + x, (5, 7))
case("full_like", lambda x: ops.full_like(x, 2.5) * x, (5, 7))
for name in "mean sum max min prod logsumexp var std".split():
    kind = "unit" if name == "prod" else "plain"
    case(name, lambda x, f=getattr(ops, name): f(x, axis=-1), (5, 7), kind=kind)
    case(f"{name}_axes", lambda x, f=getattr(ops, name): f(x, axis=(1, 2), keepdims=True), (5, 7, 3), kind=kind)
case("var_large_mean", lambda x: ops.var(x + 1000.0, axis=1), (11, 3))
case("norm", lambda x: ops.norm(x, axis=-1), (5, 7))
case("norm_1", lambda x: ops.norm(x, ord=1, axis=1, keepdims=True), (5, 7))
case("norm_infinite", lambda x: ops.norm(x, ord=float("inf"), axis=2), (5, 7))
case("normalize", lambda x: ops.normalize(x, axis=-1), (5, 7))
case("normalize_1", lambda x: ops.normalize(x, axis=1, order=1), (5, 7))
case("argmax", lambda x: ops.cast(ops.argmax(x, axis=-1), "float32"), (5, 7), kind="ties")
case("argmin", lambda x: ops.cast(ops.argmin(x, axis=1, keepdims=True), "float32"), (5, 7), kind="ties")
case("top_k", lambda x: ops.top_k(x, 3)[0], (5, 7))
case("top_k_both", lambda x: [y if i == 0 else ops.cast(y, "float32") for i, y in enumerate(ops.top_k(x, 3))], (5, 7))
case("sort", lambda x: ops.sort(x, axis=1), (5, 7))
case("argsort", lambda x: ops.cast(ops.argsort(x), "float32"), (5, 7))
case("cumsum", lambda x: ops.cumsum(x, axis=1), (5, 7))
case("reshape", lambda x: ops.reshape(x, (-1, 7, 5)), (5, 7))
case("transpose", lambda x: ops.transpose(x, (0, 3, 1, 2)), (5, 7, 3))
case("concatenate", lambda a, b: ops.concatenate([a, b], axis=1), (5, 7), (2, 7))
case("expand_dims", lambda x: ops.expand_dims(x, 1), (5, 7))
case("squeeze", lambda x: ops.squeeze(x, 2), (5, 1, 7))
case("flip", lambda x: ops.flip(x, axis=1), (5, 7))
case("flip_axes", lambda x: ops.flip(x, axis=(1, 2)), (5, 7, 3))
case("roll", lambda x: ops.roll(x, 3, axis=1), (5, 7))
case("roll_negative", lambda x: ops.roll(x, -2, axis=2), (5, 7))
case("pad", lambda x: ops.pad(x, [[0, 0], [1, 2], [0, 3]]), (5, 7))
case("pad_value", lambda x: ops.pad(x, [[0, 0], [1, 2], [0, 3]], constant_values=-1.5), (5, 7))
case("pad_reflect", lambda x: ops.pad(x, [[0, 0], [1, 2], [0, 0]], mode="reflect"), (5, 7))
case("pad_edge", lambda x: ops.pad(x, [[0, 0], [1, 2], [2, 0]], mode="edge"), (5, 7))
case("take", lambda x: ops.take(x, [4, 0, 2], axis=1), (5, 7))
case("take_one", lambda x: ops.take(x, -1, axis=2), (5, 7))
case("take_tensor", lambda x, i: ops.take(x[0], ops.cast(i, "int32"), axis=0) if False else ops.take_along_axis(x, ops.cast(i, "int32"), axis=1), (5, 7), (3, 7), kind="ids")
case("stack", lambda a, b: ops.stack([a, b], axis=1), (5, 7), (5, 7))
case("stack_last", lambda a, b: ops.stack([a, b], axis=-1), (5, 7), (5, 7))
case("unstack", lambda x: ops.unstack(x, axis=1), (3, 7))
case("split", lambda x: ops.split(x, [2, 3], axis=1), (5, 7))
case("tile", lambda x: ops.tile(x, (1, 2, 3)), (5, 7))
case("repeat", lambda x: ops.repeat(x, 3, axis=1), (5, 7))
case("one_hot", lambda x: ops.one_hot(ops.cast(x, "int32"), 5), (7,), kind="ids")
case("broadcast_to", lambda x: ops.broadcast_to(x, (SAMPLES, 5, 7)), (1, 7))
case("swapaxes", lambda x: ops.swapaxes(x, 1, 3), (5, 7, 3))
case("moveaxis", lambda x: ops.moveaxis(x, 1, -1), (5, 7, 3))
case("slice", lambda x: ops.slice(x, (0, 1, 2), (SAMPLES, 3, 4)), (5, 7))
case("get_item", lambda x: x[:, 1:-1, ::2], (5, 7))
case("tril", lambda x: ops.tril(x, 1), (5, 7))
case("triu", lambda x: ops.triu(x), (5, 7))
case("matmul", ops.matmul, (5, 7), (7, 3))
case("matmul_array", lambda x: ops.matmul(x, np.arange(21, dtype="float32").reshape(7, 3) / 7), (5, 7))
case("einsum", lambda a, b: ops.einsum("bij,bjk->bki", a, b), (5, 7), (7, 3))
case("einsum_array", lambda x: ops.einsum("bij,jk->bik", x, np.arange(21, dtype="float32").reshape(7, 3) / 7), (5, 7))
case("tensordot", lambda x: ops.tensordot(x, np.arange(21, dtype="float32").reshape(7, 3) / 7, axes=1), (5, 7))
case("dot", lambda x: ops.dot(x, np.arange(21, dtype="float32").reshape(7, 3) / 7), (5, 7))
case("average_pool", lambda x: ops.average_pool(x, 3, 2, padding="same"), (9, 7, 3))
case("max_pool", lambda x: ops.max_pool(x, (3, 2), (2, 3), padding="valid"), (9, 7, 3))
case("max_pool_1d", lambda x: ops.max_pool(x, 3, 2, padding="same"), (11, 3))
case("layer_normalization", lambda x: ops.layer_normalization(x), (5, 7), kind="huge")
case("rms_normalization", lambda x: ops.rms_normalization(x), (5, 7), kind="huge")
case("layer_normalization_gamma", lambda x: ops.layer_normalization(x, gamma=np.linspace(1, 2, 7).astype("float32"), beta=np.linspace(0, 3, 7).astype("float32")), (5, 7))
case("dot_product_attention", lambda q, k, v: ops.dot_product_attention(q, k, v), (5, 2, 4), (7, 2, 4), (7, 2, 4))
case("dot_product_attention_causal", lambda q: ops.dot_product_attention(q, q, q, is_causal=True), (5, 2, 4))
case("image_resize", lambda x: ops.image.resize(x, (5, 11)), (9, 7, 3))
case("image_resize_nearest", lambda x: ops.image.resize(x, (5, 11), interpolation="nearest"), (9, 7, 3))
case("depth_to_space", lambda x: ops.nn.depth_to_space(x, 2), (3, 5, 8))
case("space_to_depth", lambda x: ops.nn.space_to_depth(x, 2), (6, 4, 3))
case("sparse_sigmoid_special", ops.sparse_sigmoid, (5, 7), kind="special")
case("sparse_plus_special", ops.sparse_plus, (5, 7), kind="special")
case("expm1_special", lambda x: ops.expm1(ops.minimum(x, 3.0)), (5, 7), kind="special")
case("log1p_special", ops.log1p, (5, 7), kind="special")
case("arctan2_zeros", ops.arctan2, (5, 7), (5, 7), kind="ties")
case("arctan2_special", ops.arctan2, (5, 7), (5, 7), kind="special")
case("flatten", lambda x: ops.reshape(x, (-1, 35)), (5, 7))

# Layers without weights.
IMAGE = (9, 7, 3)
AUGMENTATIONS = dict(
    RandomCrop=dict(height=6, width=5), RandomRotation=dict(factor=.2),
    RandomZoom=dict(height_factor=.2), RandomTranslation=dict(height_factor=.2, width_factor=.2),
    RandomContrast=dict(factor=.2), RandomBrightness=dict(factor=.2), RandomHue=dict(factor=.3),
    RandomSaturation=dict(factor=.3), RandomSharpness=dict(factor=.3),
    RandomPosterization=dict(factor=4), RandomColorDegeneration=dict(factor=.3),
    **{name: {} for name in (
        "AugMix CutMix MixUp RandAugment RandomColorJitter RandomElasticTransform RandomErasing "
        "RandomFlip RandomGaussianBlur RandomGrayscale RandomInvert RandomPerspective RandomShear "
        "Solarization").split()})
for name, arguments in AUGMENTATIONS.items():
    case(name, getattr(L, name)(**arguments), IMAGE)
case("RandomFlip_direct", lambda x: L.RandomFlip()(x, training=True), IMAGE)
for name, size in (("Resizing_crop", (5, 11)), ("Resizing_crop_tall", (8, 3))):
    case(name, L.Resizing(*size, crop_to_aspect_ratio=True), IMAGE)
    case(name.replace("crop", "pad"), L.Resizing(*size, pad_to_aspect_ratio=True, fill_value=1.5), IMAGE)
for name in "Dropout SpatialDropout1D GaussianDropout GaussianNoise AlphaDropout".split():
    case(name, getattr(L, name)(0.3), (5, 7))
case("SpatialDropout2D", L.SpatialDropout2D(0.3), IMAGE)
case("SpatialDropout3D", L.SpatialDropout3D(0.3), (3, 5, 2, 3))
case("ActivityRegularization", L.ActivityRegularization(l2=0.1), (5, 7))
case("Identity", L.Identity(), (5, 7))
for name in "Add Subtract Multiply Maximum Minimum Average Concatenate".split():
    case(f"layer_{name}", lambda a, b, k=getattr(L, name): k()([a, b]), (5, 7), (5, 7))
case("layer_Dot", lambda a, b: L.Dot(axes=(2, 1))([a, b]), (5, 7), (7, 3))
case("ReLU", L.ReLU(max_value=1.5, negative_slope=0.1), (5, 7))
case("LeakyReLU", L.LeakyReLU(0.15), (5, 7))
case("ELU", L.ELU(1.3), (5, 7))
case("layer_Softmax", L.Softmax(axis=1), (5, 7))
case("Rescaling", L.Rescaling(1 / 127.5, -1), IMAGE)
case("Normalization", L.Normalization(mean=[1.0, 2.0, 3.0], variance=[0.5, 2.0, 4.0]), IMAGE)
case("UnitNormalization", L.UnitNormalization(), (5, 7))
case("ZeroPadding2D", L.ZeroPadding2D(((1, 2), (0, 3))), IMAGE)
case("Cropping2D", L.Cropping2D(((1, 2), (0, 3))), IMAGE)
case("ZeroPadding1D", L.ZeroPadding1D((1, 2)), (5, 7))
case("Cropping1D", L.Cropping1D((1, 2)), (5, 7))
for name in "MaxPooling AveragePooling".split():
    case(f"{name}2D", getattr(L, f"{name}2D")(3, 2, padding="same"), IMAGE)
    case(f"{name}1D", getattr(L, f"{name}1D")(3, 2), (11, 3))
for name in "GlobalMaxPooling GlobalAveragePooling".split():
    case(f"{name}2D", getattr(L, f"{name}2D")(), IMAGE)
    case(f"{name}1D", getattr(L, f"{name}1D")(), (11, 3))
case("UpSampling2D", L.UpSampling2D((2, 3)), IMAGE)
case("UpSampling1D", L.UpSampling1D(3), (5, 7))
case("CenterCrop", L.CenterCrop(5, 4), IMAGE)
case("Flatten", L.Flatten(), IMAGE)
case("Reshape", L.Reshape((7, -1)), (5, 7))
case("Permute", L.Permute((2, 1)), (5, 7))
case("RepeatVector", L.RepeatVector(3), (7,))
case("Masking", L.Masking(), (5, 7))
case("Attention_plain", lambda q, v: L.Attention()([q, v]), (5, 7), (11, 7))
case("Attention_causal", lambda q, v, k: L.Attention()([q, v, k], use_causal_mask=True), (5, 7), (5, 3), (5, 7))
case("AdditiveAttention_plain", lambda q, v: L.AdditiveAttention(use_scale=False)([q, v]), (5, 7), (11, 7))
case("TimeDistributed_Flatten", L.TimeDistributed(L.Flatten()), (3, 5, 7))
case("TimeDistributed_Reshape", L.TimeDistributed(L.Reshape((7, 5))), (3, 5, 7))
case("TimeDistributed_Softmax", L.TimeDistributed(L.Softmax(axis=1)), (3, 5, 7))


def main():
    folder = pathlib.Path(sys.argv[1])
    only = set(sys.argv[2:])
    folder.mkdir(parents=True, exist_ok=True)
    listed, arrays = [], {}
    for name, function, shapes, kind, dtype in CASES:
        if only and name not in only:
            continue
        inputs = [keras.Input(shape, name=f"x{i}") for i, shape in enumerate(shapes)]
        try:
            outputs = function(*inputs)
        except Exception as error:
            print(f"{name}: {error!r}"[:300], file=sys.stderr)
            continue
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        model = keras.Model(inputs, outputs, name="net")
        data = [values(shape, kind) if i == 0 or kind not in ("ids",) else values(shape, kind)
                for i, shape in enumerate(shapes)]
        if name == "take_tensor":
            data[0] = values(shapes[0], "plain")
        description = model.to_json()
        for operation in model.operations:
            # JAX takes no lists of axes for norms.
            if type(operation).__name__ == "Norm" and operation.axis is not None:
                operation.axis = tuple(operation.axis)
        try:
            results = model.predict(data, verbose=0)
        except Exception as error:
            print(f"{name}: {error!r}"[:300], file=sys.stderr)
            continue
        results = results if isinstance(results, (list, tuple)) else [results]
        listed.append(dict(name=name, description=description, inputs=len(data), outputs=len(results)))
        for i, array in enumerate(data):
            arrays[f"{name}.in{i}"] = array
        for i, array in enumerate(results):
            arrays[f"{name}.out{i}"] = np.asarray(array, "float32")
    np.savez_compressed(folder / "arrays.npz", **arrays)
    (folder / "list.json").write_text(json.dumps(listed, indent=1) + "\n")
    print(len(listed), "cases")


main()
