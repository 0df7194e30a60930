"""Operators of ONNX Runtime's domain by their formulas in double precision, and cases for them."""

import itertools
import math

import numpy as np

FLOAT, INT = np.float32, np.int32
erf = np.vectorize(math.erf)


def softmax(scores):
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


def split(x, heads):
    rows, positions, channels = x.shape
    return x.reshape(rows, positions, heads, channels // heads).transpose(0, 2, 1, 3).astype(np.float64)


def join(x):
    rows, heads, positions, width = x.shape
    return x.transpose(0, 2, 1, 3).reshape(rows, positions, heads * width)


def attention(q, k, v, bias=0, causal=False, scale=None):
    """Heads [rows, heads, positions, width]; a query sees the keys up to its own, the last one's
    being the last."""
    scores = q @ k.transpose(0, 1, 3, 2) * (scale or q.shape[-1] ** -0.5) + bias
    if causal:
        before = k.shape[2] - q.shape[2]
        seen = np.arange(k.shape[2]) <= np.arange(q.shape[2])[:, None] + before
        scores = np.where(seen, scores, -3.4e38)
    return join(softmax(scores) @ v)


def rotate(x, cosines, sines, interleaved=0):
    """Heads turned by tables [rows, positions, pairs]."""
    pairs, y = cosines.shape[-1], x.astype(np.float64).copy()
    first = (slice(0, 2 * pairs, 2) if interleaved else slice(0, pairs))
    second = (slice(1, 2 * pairs, 2) if interleaved else slice(pairs, 2 * pairs))
    a, b, c, s = x[..., first], x[..., second], cosines[:, None], sines[:, None]
    y[..., first], y[..., second] = a * c - b * s, a * s + b * c
    return y


def layer_norm(x, scale, shift, epsilon):
    x = x.astype(np.float64)
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon) * scale + shift


def rms_norm(x, scale, epsilon):
    x = x.astype(np.float64)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon) * scale


class Numbers:
    """Seeded numbers."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def __call__(self, *sizes, scale=1.0):
        return (scale * self.random.normal(size=sizes)).astype(FLOAT)

    def mask(self, *sizes):
        """Ones and zeros; the first key counts."""
        mask = (self.random.random(sizes) < 0.7).astype(INT)
        mask[..., 0] = 1
        return mask


def operator_cases(cases):
    for part in (activations, products, normalizations, embeddings, self_attention, heads,
                 grouped, rotations, integer_attention, block_tables):
        part(cases, Numbers(len(part.__name__)))


def integer_attention(cases, n):
    """Attention of integers; the masks and the pasts are those of attention of real numbers."""
    heads, width, tokens = 2, 6, 5
    x = n.random.integers(0, 256, (2, tokens, 7)).astype(np.uint8)
    w = n.random.integers(-128, 128, (7, 3 * heads * width)).astype(np.int8)
    bias, x_scale, x_zero = n(w.shape[1]), np.float32(0.02), np.uint8(131)
    one = np.float32(0.004)
    each = n.random.uniform(0.002, 0.006, w.shape[1]).astype(FLOAT)
    w_zeros = n.random.integers(-5, 6, w.shape[1]).astype(np.int8)
    mask = n.mask(2, tokens)
    for name, scale, zero, seen, causal in [
        ("", one, None, None, 0), ("_each", each, None, None, 0),
        ("_zero", one, np.int8(3), None, 0), ("_zeros", each, w_zeros, None, 0),
        ("_mask", one, None, mask, 0), ("_causal", each, None, mask, 1),
    ]:
        integers = w.astype(np.float64) - (0 if zero is None else zero)
        sums = (x.astype(np.float64) - x_zero) @ integers * (x_scale * scale).astype(np.float64)
        q, k, v = (
            part.reshape(2, tokens, heads, width).transpose(0, 2, 1, 3)
            for part in np.split(sums + bias, 3, axis=-1))
        added = 0 if seen is None else np.where(seen, 0, -10000.0)[:, None, None]
        cases.operator(
            f"q_attention{name}", "QAttention",
            [x, [w], [bias], [x_scale], [scale], seen, [x_zero],
             None if zero is None else [zero]],
            [attention(q, k, v, added, causal)], num_heads=heads, unidirectional=causal,
            attentions=1)


def block_tables(cases, n):
    rows, width, block = 11, 48, 16
    ids = n.random.integers(0, rows, (2, 3)).astype(np.int64)
    scales = n.random.uniform(0.01, 0.03, (rows, width // block)).astype(FLOAT)
    for bits in (4, 8):
        numbers = n.random.integers(0, 1 << bits, (rows, width)).astype(np.uint8)
        zeros = n.random.integers(0, 1 << bits, scales.shape).astype(np.uint8)

        def packed(numbers):
            if bits == 8:
                return numbers
            even = np.pad(numbers, [(0, 0), (0, numbers.shape[1] % 2)])
            return even[:, ::2] | even[:, 1::2] << 4
        for name, zero in [("", None), ("_zeros", zeros)]:
            real = numbers.astype(np.float64) - np.repeat(
                np.full(scales.shape, 1 << (bits - 1)) if zero is None else zero, block, axis=1)
            table = real * np.repeat(scales, block, axis=1)
            cases.operator(
                f"block_table{bits}{name}", "GatherBlockQuantized",
                [[packed(numbers)], ids, [scales]] + ([] if zero is None else [[packed(zero)]]),
                [table[ids]], bits=bits, block_size=block, gather_axis=0, quantize_axis=1)


def activations(cases, n):
    x, b = n(2, 3, 7), n(7)
    x[0, 0], x[0, 1, 0], x[1, 1] = 1e4, np.nan, -1e4
    x[0, 2, 2] = 3e38
    wide = x.astype(np.float64)

    def gelu(x):
        return 0.5 * x * (1 + erf(x / np.sqrt(2)))

    def fast(x):
        return 0.5 * x * (1 + np.tanh(0.7978845608 * x + 0.035677408 * np.float64(x) ** 3))

    def quick(x, alpha):
        with np.errstate(over="ignore"):
            return x / (1 + np.exp(-alpha * x))
    cases.operator("gelu", "Gelu", [x], [gelu(wide)])
    cases.operator("bias_gelu", "BiasGelu", [x, [b]], [gelu(wide + b)])
    cases.operator("bias_gelu_computed", "BiasGelu", [x, b], [gelu(wide + b)])
    cases.operator("fast_gelu", "FastGelu", [x], [fast(wide)])
    cases.operator("fast_gelu_bias", "FastGelu", [x, [b]], [fast(wide + b)])
    cases.operator("quick_gelu", "QuickGelu", [x], [quick(wide, 1.702)])
    cases.operator("quick_gelu_silu", "QuickGelu", [x], [quick(wide, 1)], alpha=1.0)
    cases.operator("quick_gelu_alpha", "QuickGelu", [x], [quick(wide, -0.3)], alpha=-0.3)


def products(cases, n):
    def factor(x, transposed, batch):
        x = x.astype(np.float64)
        if batch:
            x = np.moveaxis(x, 0, -2)
        return x.swapaxes(-1, -2) if transposed else x
    flags = list(itertools.product((0, 1), repeat=4))
    for index, (ta, tb, ba, bb) in enumerate(flags):
        a = [2, 3, 7, 5] if ta else [2, 3, 5, 7]
        b = [2, 3, 1, 7] if tb else [2, 3, 7, 1]
        a = [a[2], a[0], a[1], a[3]] if ba else a
        b = [b[2], b[0], b[1], b[3]] if bb else b
        a, b = n(*a), n(*b)
        product = 0.7 * factor(a, ta, ba) @ factor(b, tb, bb)
        cases.operator(
            f"product_{ta}{tb}{ba}{bb}", "FusedMatMul", [a, [b] if index % 3 else b], [product],
            transA=ta, transB=tb, transBatchA=ba, transBatchB=bb, alpha=0.7)
    a, b = n(2, 5, 7), n(3, 7)
    a[0, 1], a[1, 2] = 1e4, 1e-4
    cases.operator("product_stored", "FusedMatMul", [a, [b]], [a.astype(float) @ b.T], transB=1)
    cases.operator("product_old", "TransposeMatMul", [a, [b]], [-2 * a.astype(float) @ b.T],
                   transB=1, alpha=-2.0)
    v = n(7)
    cases.operator("product_vector", "FusedMatMul", [a, [v]], [a.astype(float) @ v], transB=1)
    a, b, c = n(5, 7), n(3, 7), n(3)
    sum = 0.5 * a.astype(float) @ b.T + 2 * c

    def positive(x):
        return np.log1p(np.exp(x))
    kinds = {
        "Relu": ({}, np.maximum(sum, 0)), "Sigmoid": ({}, 1 / (1 + np.exp(-sum))),
        "Tanh": ({}, np.tanh(sum)), "Softplus": ({}, positive(sum)),
        "Softsign": ({}, sum / (1 + abs(sum))),
        "LeakyRelu": ({"alpha": 0.3}, np.where(sum < 0, 0.3 * sum, sum)),
        "Elu": ({"alpha": 0.3}, np.where(sum < 0, 0.3 * np.expm1(sum), sum)),
        "Celu": ({"alpha": 0.3}, np.where(sum < 0, 0.3 * np.expm1(sum / 0.3), sum)),
        "ThresholdedRelu": ({"alpha": 0.3}, np.where(sum > 0.3, sum, 0)),
        "HardSigmoid": ({"alpha": 0.3, "beta": 0.6}, np.clip(0.3 * sum + 0.6, 0, 1)),
        "ScaledTanh": ({"alpha": 0.3, "beta": 0.6}, 0.3 * np.tanh(0.6 * sum)),
        "ParametricSoftplus": ({"alpha": 0.3, "beta": 0.6}, 0.3 * positive(0.6 * sum)),
        "Selu": ({"alpha": 0.3, "gamma": 1.6},
                 1.6 * np.where(sum < 0, 0.3 * np.expm1(sum), sum)),
    }
    for kind, (numbers, result) in kinds.items():
        cases.operator(
            f"gemm_{kind.lower()}", "FusedGemm", [a, [b], [c]], [result], activation=kind,
            alpha=0.5, beta=2.0, transB=1, **{f"activation_{k}": v for k, v in numbers.items()})
    images(cases, n)


def images(cases, n):
    x, w, b = n(2, 4, 5, 7), n(6, 2, 3, 2), n(6)
    z = n(2, 6, 3, 6)
    sum = np.zeros((2, 6, 3, 6)) + b[:, None, None]
    for out, inside, i, j in itertools.product(range(6), range(2), range(3), range(2)):
        sum[:, out] += w[out, inside, i, j] * x[:, out // 3 * 2 + inside, i:i + 3, j:j + 6].astype(float)
    kinds = {
        "Relu": ([], lambda s: np.maximum(s, 0)), "Sigmoid": ([], lambda s: 1 / (1 + np.exp(-s))),
        "Tanh": ([], np.tanh), "HardSwish": ([], lambda s: s * np.clip(s / 6 + 0.5, 0, 1)),
        "LeakyRelu": ([0.3], lambda s: np.where(s < 0, 0.3 * s, s)),
        "Clip": ([-0.4, 1.2], lambda s: np.clip(s, -0.4, 1.2)),
        "HardSigmoid": ([0.3, 0.6], lambda s: np.clip(0.3 * s + 0.6, 0, 1)),
    }
    for kind, (numbers, function) in kinds.items():
        attributes = {"activation": kind, "group": 2, "kernel_shape": [3, 2]}
        if numbers:
            attributes["activation_params"] = numbers
        cases.operator(f"conv_{kind.lower()}", "FusedConv", [x, [w], [b]], [function(sum)], **attributes)
        if kind in ("Relu", "Clip"):
            cases.operator(f"conv_{kind.lower()}_sum", "FusedConv", [x, [w], [b], z],
                           [function(sum + z)], **attributes)
    cases.operator("conv_sum_alone", "FusedConv", [x, [w], None, z],
                   [np.maximum(sum - b[:, None, None] + z, 0)], activation="Relu", group=2)


def normalizations(cases, n):
    x, skip, g, b, bias = n(2, 7, 5), n(2, 7, 5), n(5), n(5), n(5)
    x[0, 1] *= 1e4
    x[1, 2] *= 1e-4
    x[1, 4, 0] = np.nan
    wide, both, four = x.astype(np.float64), ("y",), ("y", "", "", "sum")
    for name, s, operands, total in (
            ("skip", skip, [[g], [b], [bias]], wide + skip + bias),
            ("skip_bare", skip, [[g]], wide + skip),
            ("skip_shift", skip, [[g], [b]], wide + skip),
            ("skip_rows", skip[0], [[g], None, [bias]], wide + skip[0] + bias),
            ("skip_row", skip[:1], [[g], [b]], wide + skip[:1]),
            ("skip_computed", skip, [g, b, bias], wide + skip + bias)):
        shift = b if len(operands) > 1 and operands[1] is not None else 0
        cases.operator(name, "SkipLayerNormalization", [x, s, *operands],
                       [layer_norm(total, g, shift, 0.01), total], four, epsilon=0.01)
    cases.operator("skip_default", "SkipLayerNormalization", [x, skip, [g], [b]],
                   [layer_norm(wide + skip, g, b, 1e-12)], both)
    cases.operator("skip_matrix", "SkipLayerNormalization", [x[0], skip[0], [g], [b]],
                   [layer_norm(wide[0] + skip[0], g, b, 1e-12)], both)
    for name, operands, total in (("skip_simple", [[g], [bias]], wide + skip + bias),
                                  ("skip_simple_bare", [[g]], wide + skip)):
        cases.operator(name, "SkipSimplifiedLayerNormalization", [x, skip, *operands],
                       [rms_norm(total, g, 0.01), total], four, epsilon=0.01)
    cases.operator("simple", "SimplifiedLayerNormalization", [x, [g]],
                   [rms_norm(wide, g, 1e-5)], domain="")
    table = n(7, 5)
    flat = rms_norm(wide[:1].reshape(1, -1), table.ravel(), 0.01)
    cases.operator("simple_axes", "SimplifiedLayerNormalization", [x[:1], [table]],
                   [flat.reshape(1, 7, 5)], domain="", axis=1, epsilon=0.01)


def embeddings(cases, n):
    words, places, kinds, g, b = n(11, 5), n(16, 5), n(3, 5), n(5), n(5)
    random = n.random
    ids, own = random.integers(0, 11, (2, 7)).astype(INT), random.integers(0, 3, (2, 7)).astype(INT)
    mask = np.array([[1, 1, 1, 0, 2, 1, 0], [1] * 7], INT)
    sum = words[ids].astype(float) + places[:7] + kinds[own]
    none = np.zeros(2, INT)
    tables, norm = [[words], [places], [kinds]], [[g], [b]]
    three = ("y", "index", "sum")
    cases.operator("embed", "EmbedLayerNormalization", [ids, own, *tables, *norm],
                   [layer_norm(sum, g, b, 1e-3), none, sum], three, epsilon=1e-3)
    cases.operator("embed_mask", "EmbedLayerNormalization", [ids, own, *tables, *norm, mask],
                   [layer_norm(sum, g, b, 1e-12), np.array([4, 7])], ("y", "index"))
    other = random.integers(0, 16, (2, 7)).astype(INT)
    for name, at in (("embed_places", other), ("embed_place", other[:1])):
        plain = words[ids].astype(float) + places[at]
        cases.operator(
            name, "EmbedLayerNormalization",
            [ids, None, [words], [places], None, *norm, None, at],
            [layer_norm(plain, g, b, 1e-3), none, plain], three, epsilon=1e-3)


def filtered(visible, filter=-10000.0):
    return np.where(visible, 0, filter)


def self_attention(cases, n):
    rows, count, heads, width, inputs = 2, 7, 3, 5, 11
    hidden = heads * width
    x, w, b = n(rows, count, inputs), n(inputs, 3 * hidden, scale=0.3), n(3 * hidden)
    x[1, 3] *= 1e2
    keys = np.arange(count)

    def made(w, b, bias=0, past=None, widths=None, x=x, **attributes):
        y = x.astype(np.float64) @ w + (0 if b is None else b)
        q, k, v = (split(part, heads) for part in np.split(
            y, np.cumsum(widths or [hidden, hidden, hidden])[:2], -1))
        if past is not None:
            k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
        return attention(q, k, v, bias, **attributes), k, v

    def case(name, inputs, expected, outputs=("y",), **attributes):
        cases.operator(name, "Attention", inputs, expected, outputs, num_heads=heads,
                       attentions=1, **attributes)
    case("attention", [x, [w], [b]], made(w, b)[:1])
    case("attention_bare", [x, [w]], made(w, None)[:1])
    case("attention_computed", [x, w, b], made(w, b)[:1])
    case("attention_one", [x[:1], [w], [b]], made(w, b, x=x[:1])[:1])
    ends = np.array([4, 7], INT)
    before = (keys < ends[:, None])[:, None, None]
    case("attention_ends", [x, [w], [b], ends], made(w, b, filtered(before))[:1])
    case("attention_ends_stored", [x, [w], [b], [ends]], made(w, b, filtered(before))[:1])
    bounds = np.array([6, 7, 1, 3], INT)
    between = (keys < bounds[:2, None]) & (keys >= bounds[2:, None])
    case("attention_bounds", [x, [w], [b], bounds],
         made(w, b, filtered(between[:, None, None]))[:1])
    mask = n.mask(rows, count)
    mask[0, 2], mask[1, 3] = 5, -1
    seen = filtered(mask > 0)[:, None, None]
    case("attention_mask", [x, [w], [b], mask], made(w, b, seen)[:1])
    case("attention_mask_causal", [x, [w], [b], mask], made(w, b, seen, causal=True)[:1],
         unidirectional=1)
    case("attention_filter", [x, [w], [b], mask],
         made(w, b, filtered(mask > 0, -3)[:, None, None])[:1], mask_filter_value=-3.0)
    square = n.mask(rows, count, count)
    case("attention_square", [x, [w], [b], square], made(w, b, filtered(square > 0)[:, None])[:1])
    case("attention_causal", [x, [w], [b]], made(w, b, causal=True)[:1], unidirectional=1)
    case("attention_scale", [x, [w], [b]], made(w, b, scale=0.3)[:1], scale=0.3)
    for name, bias in (("", n(1, heads, count, count)), ("_rows", n(rows, 1, count, count))):
        case(f"attention_bias{name}", [x, [w], [b], None, None, bias], made(w, b, bias)[:1])
    case("attention_bias_mask", [x, [w], [b], mask, None, bias],
         made(w, b, bias + seen, causal=True)[:1], unidirectional=1)
    past, more = n(2, rows, heads, 4, width), n.mask(rows, count + 4)
    for name, operands, attributes, keywords in (
            ("past", [None, past], {}, {}),
            ("past_causal", [None, past], {"unidirectional": 1}, {"causal": True}),
            ("past_mask", [more, past], {"unidirectional": 1},
             {"causal": True, "bias": filtered(more > 0)[:, None, None]})):
        y, k, v = made(w, b, past=past, **keywords)
        case(f"attention_{name}", [x, [w], [b], *operands], [y, np.stack([k, v])],
             ("y", "present"), **attributes)
    y, k, v = made(w, b)
    case("attention_present", [x, [w], [b]], [y, np.stack([k, v])], ("y", "present"))
    widths = [hidden, hidden, 21]
    w, b = n(inputs, sum(widths), scale=0.3), n(sum(widths))
    case("attention_widths", [x, [w], [b]], made(w, b, widths=widths)[:1], qkv_hidden_sizes=widths)
    w, b, x = n(inputs, 3 * hidden, scale=0.3), n(3 * hidden), x.copy()
    x[0, 3] = np.nan
    y = made(w, b, x=x)[0]
    y[0] = np.nan
    case("attention_nan", [x, [w], [b]], [y])


def heads(cases, n):
    rows, count, others, heads, width = 2, 5, 7, 3, 5
    hidden = heads * width
    q, k, v = n(rows, count, hidden), n(rows, others, hidden), n(rows, others, hidden)
    q[0, 1] *= 50
    bias, short = n(3 * hidden), n(2 * hidden + heads * 2)
    less = n(rows, others, heads * 2)
    own = [split(part, heads) for part in (q, k, v)]
    keys = np.arange(others)

    def case(name, inputs, expected, outputs=("y",), **attributes):
        cases.operator(f"heads_{name}", "MultiHeadAttention", inputs, expected, outputs,
                       num_heads=heads, attentions=1, **attributes)

    def with_bias(q, k, v, bias):
        return [split(part + own, heads) for part, own in zip(
            (q, k, v), np.split(bias.astype(float), np.cumsum([hidden, hidden])))]
    case("plain", [q, k, v], [attention(*own)])
    case("bias", [q, k, v, [bias]], [attention(*with_bias(q, k, v, bias))])
    case("widths", [q, k, less, [short]], [attention(*with_bias(q, k, less, short))])
    ends, mask, square = np.array([4, 7], INT), n.mask(rows, others), n.mask(rows, count, others)
    mask[0, 1], mask[1, 1] = 4, -2
    added = n(1, heads, count, others)
    case("ends", [q, k, v, None, ends],
         [attention(*own, filtered(keys < ends[:, None])[:, None, None])])
    case("mask", [q, k, v, None, mask], [attention(*own, filtered(mask > 0)[:, None, None])])
    case("square", [q, k, v, None, square], [attention(*own, filtered(square > 0)[:, None])])
    case("added", [q, k, v, None, None, added], [attention(*own, added)])
    case("all", [q, k, v, [bias], mask, added],
         [attention(*with_bias(q, k, v, bias), added + filtered(mask > 0, -3)[:, None, None],
                    scale=0.3)], scale=0.3, mask_filter_value=-3.0)
    ks, vs = k[:, :count], v[:, :count]
    same = [split(part, heads) for part in (q, ks, vs)]
    case("causal", [q, ks, vs], [attention(*same, causal=True)], unidirectional=1)
    pk, pv = n(rows, heads, 4, width), n(rows, heads, 4, width)
    three = ("y", "present_key", "present_value")
    more = n.mask(rows, count + 4)
    for name, operands, attributes, keywords, b in (
            ("past", [None, None, None, pk, pv], {}, {}, None),
            ("past_causal", [[bias], None, None, pk, pv], {"unidirectional": 1},
             {"causal": True}, bias),
            ("past_mask", [None, more, None, pk, pv], {},
             {"bias": filtered(more > 0)[:, None, None]}, None)):
        a, b, c = same if b is None else with_bias(q, ks, vs, b)
        all_keys, all_values = np.concatenate([pk, b], 2), np.concatenate([pv, c], 2)
        case(name, [q, ks, vs, *operands], [attention(a, all_keys, all_values, **keywords),
                                            all_keys, all_values], three, **attributes)
    k4, v4 = n(rows, heads, others, width), n(rows, heads, others, width)
    case("cross", [q, k4, v4], [attention(own[0], k4, v4)])
    k = k.copy()
    k[1, 2] = np.nan
    y = attention(*own)
    y[1] = np.nan
    case("nan", [q, k, v], [y])


def grouped(cases, n):
    heads, groups, width, rows, count = 6, 2, 16, 2, 5
    q, k, v = n(rows, count, heads * width), n(rows, count, groups * width), n(rows, count, groups * width)
    cosines, sines = n(16, 8), n(16, 8)

    def expected(q, k, v, past, lengths, total, tables=None, interleaved=0, window=None, cap=None,
                 scale=None, places=None, bias=None):
        rows, count = q.shape[:2]
        q, k, v = split(q, heads), split(k, groups), split(v, groups)
        room = past[0].shape[2] if past else 0
        start = np.array(lengths) + 1 - count if total != count else np.zeros(rows, int)
        if tables:
            at = places if places is not None else start[:, None] + np.arange(count)
            q, k = (rotate(x, tables[0][at], tables[1][at], interleaved) for x in (q, k))
        size = max(room, total)
        keys, values = np.zeros((2, rows, groups, size, width))
        y = np.zeros(q.shape)
        for row, first in enumerate(start):
            for all, old, new in ((keys, 0, k), (values, 1, v)):
                if past:
                    all[row, :, :first] = past[old][row, :, :first]
                all[row, :, first:first + count] = new[row]
            for head, t in itertools.product(range(heads), range(count)):
                group, end = head // (heads // groups), first + t + 1
                begin = max(0, end - window) if window else 0
                s = keys[row, group, begin:end] @ q[row, head, t] * (scale or width**-0.5)
                s = cap * np.tanh(s / cap) if cap else s
                if bias is not None:
                    s = s + bias[row, head, t, begin:end]
                y[row, head, t] = softmax(s) @ values[row, group, begin:end]
        return join(y), keys, values

    def case(name, parts, past, lengths, total, rest=(), attributes=(), stored=False, valid=None,
             **keywords):
        y, keys, values = expected(*parts[-3:], past, lengths, total, **keywords)
        if valid is not None:
            y = None
        lengths = np.array(lengths, INT)
        inputs = parts[0] if stored else parts
        cases.operator(
            f"grouped_{name}", "GroupQueryAttention",
            [*(inputs if isinstance(inputs, list) else [inputs, None, None]), *(past or [None, None]),
             lengths, [np.array([total], INT)], *rest], [y, keys, values],
            ("y", "present_key", "present_value"), num_heads=heads, kv_num_heads=groups,
            attentions=1, **dict(attributes))
    full, plain = [count - 1] * rows, [q, k, v]
    rotated = {"do_rotary": 1}
    tables = [[cosines], [sines]]
    case("first", plain, None, full, count)
    packed = np.concatenate(plain, -1)
    case("packed", [packed, q, k, v], None, full, count, stored=True)
    case("packed_rotated", [packed, q, k, v], None, full, count, tables, rotated, stored=True,
         tables=(cosines, sines))
    for interleaved in (0, 1):
        case(f"rotated_{interleaved}", plain, None, full, count, tables,
             {**rotated, "rotary_interleaved": interleaved}, tables=(cosines, sines),
             interleaved=interleaved)
    for window in (1, 3, 8):
        case(f"window_{window}", plain, None, full, count, (), {"local_window_size": window},
             window=window)
    case("cap", plain, None, full, count, (), {"softcap": 0.7, "scale": 0.3}, cap=0.7, scale=0.3)
    bias = n(rows, heads, count, count)
    case("bias", plain, None, full, count, [None, None, None, bias], {}, bias=bias)
    places = np.array([[3, 4, 5, 6, 7], [9, 2, 6, 5, 3]])
    case("places", plain, None, full, count, [*tables, places], rotated, tables=(cosines, sines),
         places=3 + np.arange(count)[None])
    # One new token behind a past, whose memory is as large as needed, larger, or partly filled.
    one = [n(rows, 1, part.shape[2]) for part in plain]
    past = [n(rows, groups, 4, width), n(rows, groups, 4, width)]
    large = [n(rows, groups, 9, width), n(rows, groups, 9, width)]
    case("next", one, past, [4, 4], 5)
    case("next_ragged", one, past, [2, 4], 5)
    case("next_rotated", one, past, [2, 4], 5, tables, rotated, tables=(cosines, sines))
    case("next_window", one, past, [3, 4], 5, (), {"local_window_size": 2}, window=2)
    case("next_large", one, large, [2, 4], 5)
    case("next_places", one, past, [4, 4], 5, [*tables, np.array([[7], [11]])], rotated,
         tables=(cosines, sines), places=np.array([[7], [11]]))
    bias = n(rows, heads, 1, 5)
    case("next_bias", one, past, [3, 4], 5, [None, None, None, bias], {}, bias=bias)
    # Several new tokens, which ONNX Runtime takes for one row.
    single, before = [part[:1] for part in plain], [part[:1] for part in past]
    case("chunk", single, before, [8], 9)
    case("chunk_less", single, before, [7], 9, tables, rotated, tables=(cosines, sines))
    case("chunk_window", single, before, [8], 9, (), {"local_window_size": 3}, window=3)
    # ONNX Runtime rotates multiples of 16 channels, here half of them.
    width = 32
    wide = [n(1, 2, part * width) for part in (heads, groups, groups)]
    case("rotated_part", wide, None, [1], 2, tables, rotated, tables=(cosines, sines))


def rotations(cases, n):
    rows, count, heads, width = 2, 5, 3, 6
    x, x4 = n(rows, count, heads * width), n(rows, heads, count, width)
    cosines, sines, few = n(16, 3), n(16, 3), (n(16, 2), n(16, 2))
    places = np.array([[0, 3, 2, 7, 1], [5, 4, 9, 0, 2]])
    first = np.array([4])
    for interleaved in (0, 1):
        def case(name, inputs, tables, at, result, **attributes):
            y = rotate(inputs if inputs.ndim == 4 else split(inputs, heads), tables[0][at],
                       tables[1][at], interleaved)
            cases.operator(
                f"rotary_{name}_{interleaved}", "RotaryEmbedding",
                [inputs, result, [tables[0]], [tables[1]]], [y if inputs.ndim == 4 else join(y)],
                interleaved=interleaved, **attributes)
        case("joined", x, (cosines, sines), places, places)
        case("first", x, (cosines, sines), 4 + np.arange(count)[None], first)
        case("heads", x4, (cosines, sines), places, places)
        case("part", x, few, places, places, num_heads=heads, rotary_embedding_dim=4)
