"""How far an element may be off: what ONNX Runtime computes under noise.

The nodes of a graph are run again with small random relative errors in the operands of sums and in
the results of all that rounds. What an element then strays, divided by the size of the errors, is
its sensitivity: the root of the sum of the squares of the terms it is made of. Nothing of other
rows, tokens or examples enters it, so that the bound of an item follows from the item alone.

    |forge − judge|  ≤  ROUNDINGS · 2⁻²⁴ · sensitivity  +  2 · jump  +  FLOOR

The sensitivity is measured with errors of size STEP, which no rounding of ONNX Runtime hides, while
nodes that jump (`Floor`, comparisons, places) keep their results. The jump is what an element
strays under errors of size ROUNDINGS · 2⁻²⁴ when they may jump. A whole number or a Boolean
that changes then is undecided and not judged, as is an element that is finite in one run only.

Elements that are only moved, compared, rounded to whole numbers or chosen have no noise and must be
the same to the bit. What Docs/Accuracy.md allows is noise too:

- a product with many inputs, by Strassen's algorithm, has an error relative to the norms of its
  row and its column; what is not finite stays in its row;
- a convolution has one relative to the largest number of its picture (its example); a NaN there
  may reach all its pixels;
- interpolation rounds the place, so that neighbors count;
- gates of recurrent layers and logarithms of sums have one relative to 1.
"""
import numpy as np

from graph import FLOAT

STEP = 2.0**-14
UNIT = 2.0**-24
ROUNDINGS = 32
FLOOR = 1e-37
RUNS = 5
# More runs before a difference is reported.
CAREFUL_RUNS = 40

# No rounding: the result is one of the operands, a Boolean, a whole number or a place.
EXACT = {
    "Abs", "And", "ArgMax", "ArgMin", "Ceil", "Clip", "Compress", "Concat", "ConstantOfShape",
    "DepthToSpace", "Equal", "Expand", "EyeLike", "Flatten", "Floor", "Gather",
    "GatherElements", "GatherND", "Greater", "GreaterOrEqual", "Hardmax", "Identity", "IsInf",
    "IsNaN", "Less", "LessOrEqual", "Max", "MaxPool", "GlobalMaxPool", "Min", "Mod", "Neg", "Not",
    "OneHot", "Or", "Pad", "Range", "ReduceMax", "ReduceMin", "Relu", "Reshape",
    "ReverseSequence", "Round", "ScatterElements", "ScatterND", "Shape", "Sign", "Size", "Slice", "SpaceToDepth", "Split",
    "Squeeze", "Tile", "TopK", "Transpose", "Trilu", "Unsqueeze", "Where", "Xor",
}
# The relative error of the result is small whatever the operand is.
RELATIVE = {
    "Div", "LeakyRelu", "Mul", "PRelu", "Reciprocal", "Sqrt", "ThresholdedRelu",
    "DequantizeLinear",
}
# The error is small beside the result, or beside the operand where that is below 1.
FUNCTIONS = {
    "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BiasGelu", "Celu", "Cos", "Cosh", "Elu",
    "Erf", "Exp", "FastGelu", "Gelu", "HardSigmoid", "HardSwish", "Log", "Mish", "Pow",
    "QuickGelu", "Selu", "Shrink", "Sigmoid", "Sin", "Sinh", "Softplus", "Softsign", "Swish", "Tan", "Tanh",
}
# ONNX Runtime's result is 0 where the exact one is below the smallest normal number.
VANISHING = {"Exp", "Pow", "ReduceL2", "Sigmoid", "Softmax", "Softplus"}
# Results that jump wherever an operand changes a little.
JUMPS = {"Ceil", "DequantizeLinear", "Floor", "Hardmax", "Round", "Sign"}
# Results that jump where one is 0 and the other is not.
THRESHOLDS = {"Shrink", "ThresholdedRelu"}
# The products of a fast algorithm, with the least inputs that make it worth while.
FAST_INPUTS, FAST = 64, 5.0
# The sums inside of an algorithm are larger than the result by this (Docs/Accuracy.md).
OVERFLOW = 600.0
GATE = 0.25
# Places along an axis, with the axis where none is stated.
PLACES = {"ArgMax": 0, "ArgMin": 0, "TopK": -1}
PICTURES = {"Conv", "ConvTranspose", "Resize"}
# Normalizations whose squares overflow in ONNX Runtime.
SQUARED = {
    "LayerNormalization", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
    "SimplifiedLayerNormalization", "EmbedLayerNormalization"}
# The input that is added before the squares.
BIASES = {"SkipLayerNormalization": 4, "SkipSimplifiedLayerNormalization": 3}
RECURRENT = {"LSTM", "GRU", "RNN"}
# ONNX Runtime adds 1 to what is near −1 in the two kinds of Gelu.
ABSOLUTE = {
    *RECURRENT, "LogSoftmax", "ReduceLogSum", "ReduceLogSumExp", "BiasGelu", "FastGelu"}


def norms(array, axis):
    """The L2 norm along an axis, in double precision."""
    return np.sqrt((array.astype(np.float64) ** 2).sum(axis=axis, keepdims=True))


def product_norms(left, right):
    """The norm of the row times that of the column for each element of a product."""
    left = left[None, :] if left.ndim == 1 else left
    columns = right[:, None] if right.ndim == 1 else right
    return norms(left, -1) * norms(columns, -2)


def shared_scale(node, inputs, result):
    """The size that errors of a fast algorithm are relative to, for each element, and the number
    of its terms; `None` where an error is relative to the element's own terms.

    The size is infinite where sums inside of the algorithm may overflow.
    """
    scale, terms = unbounded_scale(node, inputs, result)
    if scale is None:
        return None, 0
    with np.errstate(all="ignore"):
        return np.where(scale * OVERFLOW * max(terms, 1) ** 0.5 < 3.4e38, scale, np.inf), terms


def unbounded_scale(node, inputs, result):
    if node.op_type == "MatMul":
        scale = product_norms(inputs[0], inputs[1])
        return scale.reshape(result.shape) if scale.size == result.size else None, \
            inputs[0].shape[-1]
    if node.op_type == "Gemm":
        attributes = {a.name: a for a in node.attribute}
        turned = [attributes[n].i if n in attributes else 0 for n in ("transA", "transB")]
        left, right = (m.T if t else m for m, t in zip(inputs, turned))
        return product_norms(left, right), left.shape[1]
    if node.op_type in ("Conv", "ConvTranspose"):
        x, weights = inputs[0], inputs[1]
        group = next((a.i for a in node.attribute if a.name == "group"), 1)
        if not np.isfinite(weights).all():
            # It may meet the zeros of a padding, or not.
            return np.full_like(result, np.inf, dtype=np.float64), 1
        if group != 1:
            return None, 0
        largest = np.abs(x.astype(np.float64)).reshape(len(x), -1).max(axis=1)
        axes = tuple(range(1, x.ndim)) if node.op_type == "Conv" else (0, *range(2, x.ndim))
        taps = np.sqrt((weights.astype(np.float64) ** 2).sum(axis=axes))
        scale = largest.reshape([-1] + [1] * (x.ndim - 1)) * taps.reshape(
            [1, -1] + [1] * (x.ndim - 2))
        # Winograd's algorithm pays with few inputs too.
        return scale, max(weights[0].size, FAST_INPUTS)
    if node.op_type in SQUARED:
        # ONNX Runtime sums squares in single precision, Forge in double precision where they overflow.
        with np.errstate(all="ignore"):
            first = next((a.i for a in node.attribute if a.name == "axis"), -1) % inputs[0].ndim
            axes = tuple(range(first - inputs[0].ndim, 0))
            rows = sum(
                np.abs(x.astype(np.float64)).max(axis=axes, keepdims=True)
                for place, x in enumerate(inputs[:2]) if place == 0 or x.ndim >= max(2, len(axes)))
            bias = BIASES.get(node.op_type, len(inputs))
            if bias < len(inputs) and inputs[bias] is not None:
                rows = rows + np.abs(inputs[bias].astype(np.float64)).max()
        return np.broadcast_to(np.where(rows < 1e18, 0, np.inf), result.shape), 1
    if node.op_type == "Resize":
        mode = next((a.s for a in node.attribute if a.name == "mode"), b"nearest")
        if mode == b"nearest" or result.ndim < 2:
            return None, 0
        axes = tuple(range(max(0, result.ndim - 2), result.ndim))
        return np.abs(inputs[0].astype(np.float64)).max(axis=axes, keepdims=True), 0
    return None, 0


class Noise:
    """Runs the steps of a graph with noise."""

    def __init__(self, seed, step):
        self.step = step
        self.numbers = np.random.default_rng(seed)
        self.unknown = {}

    def signs(self, shape):
        """Random errors, none of them near 0, so that a sum of few does not vanish."""
        size = self.numbers.uniform(0.5, 1.5, shape)
        return size * self.numbers.choice([-1.0, 1.0], shape)

    def relative(self, array):
        return (array.astype(np.float64) * (1 + self.step * self.signs(array.shape))).astype(FLOAT)

    def operands(self, node, inputs):
        """The operands of a sum with noise; the others as they are."""
        kind = node.op_type
        if kind in EXACT or kind in RELATIVE or kind in FUNCTIONS:
            return inputs
        if kind in ("Resize", "Cast", "QuantizeLinear", "CumSum", "LRN"):
            noisy = [self.relative(inputs[0])] if inputs[0].dtype == FLOAT else inputs[:1]
            return noisy + inputs[1:]
        inputs = list(inputs)
        if kind in RECURRENT and inputs[0].size:
            row = norms(inputs[0], -1) / inputs[0].shape[-1] ** 0.5
            shift = self.step * FAST * row * self.signs(inputs[0].shape)
            inputs[0] = (inputs[0] + shift).astype(FLOAT)
        return [
            self.relative(array) if array is not None and array.dtype == FLOAT else array
            for array in inputs]

    def steady(self, node, inputs, result, exact, operand):
        """A result in which what jumped is as it was; `operand` is the first without noise."""
        if result.dtype != FLOAT or node.op_type in JUMPS:
            return exact
        if node.op_type in THRESHOLDS:
            return np.where((result == 0) == (exact == 0), result, exact)
        if node.op_type == "Relu":
            # Errors that were cut off on one side would not be errors around 0 any more.
            return rectified(inputs[0], operand, exact)
        if node.op_type == "Mod":
            far = np.abs(result - exact) > 0.5 * np.abs(inputs[1])
            return np.where(far, exact, result)
        return result

    def undefined(self, node, inputs, result):
        """A result with another value in some runs where ONNX or a judge leaves it open."""
        other = self.numbers.random() < 0.5
        if node.op_type == "Equal" and inputs[0].dtype == FLOAT and other:
            # Errors make few numbers equal, but unequal ones that are near might be.
            size = np.maximum(np.abs(inputs[0]), np.abs(inputs[1]))
            with np.errstate(all="ignore"):
                near = np.abs(inputs[0] - inputs[1]) <= 4 * ROUNDINGS * UNIT * size
            return np.where(near & (inputs[0] != inputs[1]), ~result, result)
        if node.op_type == "DequantizeLinear" and node.input[0] in self.unknown:
            return np.where(self.unknown[node.input[0]] & other, FLOAT("nan"), result)
        if node.op_type == "ReduceProd":
            # Whether it overflows or vanishes depends on the order.
            with np.errstate(all="ignore"):
                logs = np.log10(np.abs(inputs[0].astype(np.float64)))
            logs = logs[np.isfinite(logs)]
            if logs[logs > 0].sum() > 37 and logs[logs < 0].sum() < -37 and other:
                return np.full_like(result, np.nan)
        if node.op_type in RECURRENT and result.dtype == FLOAT:
            # ONNX Runtime's Relu of NaN is 0 in these; the example has no other number.
            lost = ~np.isfinite(inputs[0]).all(axis=(0, 2))
            if lost.any() and other:
                result = result.copy()
                result[..., lost, :] = np.nan
        return result

    def result(self, node, inputs, result, judged):
        """A result with the noise of its rounding; `judged` is the one without any noise."""
        if node.op_type == "QuantizeLinear":
            # What NaN becomes is undefined, also behind the next DequantizeLinear.
            self.unknown[node.output[0]] = np.isnan(inputs[0])
            return np.where(self.unknown[node.output[0]], 1 - result, result).astype(result.dtype)
        result = self.undefined(node, inputs, result)
        if node.op_type in EXACT or result.dtype != FLOAT:
            return result
        exact = result.astype(np.float64)
        # A denormal number is rounded to a multiple of 2⁻¹⁴⁹.
        lost = 2.0**-126 if node.op_type in VANISHING else 0
        size = np.abs(exact) + np.where(exact == 0, lost, 2.0**-149) / (ROUNDINGS * UNIT)
        if node.op_type in FUNCTIONS and inputs[0].shape == result.shape:
            size = size + np.minimum(np.abs(inputs[0]), 1)
        if node.op_type in ABSOLUTE:
            # A gate or a logarithm near 0 has an error relative to 1.
            size = size + GATE
        scale, terms = shared_scale(node, inputs, result)
        if scale is not None:
            # The root of squares, so that what is small beside it adds nothing.
            size = np.hypot(size, scale * (FAST if terms >= FAST_INPUTS else 1))
        with np.errstate(all="ignore"):
            noisy = (exact + self.step * size * self.signs(result.shape)).astype(FLOAT)
        if node.op_type in SQUARED and scale is not None:
            noisy = np.where(np.isfinite(size), noisy, np.nan).astype(FLOAT)
        if node.op_type in PICTURES and scale is not None:
            # What is not finite is so in one way or another. Resize does not read an element of
            # the weight 0, and may add the weights of a pixel that it reads twice.
            way = np.inf if self.numbers.random() < 0.5 else np.nan
            lost = np.where(np.isnan(judged), way, np.nan)
            if node.op_type == "Resize":
                lost = self.numbers.choice([0, np.inf, -np.inf, np.nan], result.shape)
            other = np.where(np.isfinite(judged), FLOAT("nan"), lost)
            noisy = np.where(np.isfinite(size), noisy, other).astype(FLOAT)
        return noisy


def rectified(noisy, operand, exact):
    """Relu of an operand with noise; noise that exceeds the operand stays as large."""
    with np.errstate(all="ignore"):
        stray = noisy.astype(np.float64) - operand
        strayed = (exact + stray).astype(FLOAT)
    result = np.where(np.isnan(noisy), noisy, np.maximum(noisy, 0))
    return np.where(np.abs(stray) > np.abs(operand), strayed, result).astype(FLOAT)


def without_places(node, operand, exact, result, judged):
    """The places of a row that noise made NaN are none, so that none agrees by chance.

    A row of Hardmax that noise changed may be any; `judged` is the result without noise.
    """
    if node.op_type == "Hardmax":
        lost = (np.isnan(operand) & ~np.isnan(exact)).any()
        if lost or result.shape != judged.shape:
            return np.full_like(result, np.nan)
        axis = next((a.i for a in node.attribute if a.name == "axis"), -1)
        changed = (result != judged).any(axis=axis, keepdims=True)
        return np.where(changed, FLOAT("nan"), result)
    if node.op_type not in PLACES or result.dtype == FLOAT:
        return result
    axis = next((a.i for a in node.attribute if a.name == "axis"), PLACES[node.op_type])
    lost = (np.isnan(operand) & ~np.isnan(exact)).any(axis=axis, keepdims=True)
    if not lost.any():
        return result
    if lost.ndim != result.ndim:
        lost = lost.squeeze(axis)
    return np.where(lost, np.iinfo(result.dtype).max, result)


def run(graph, steps, noise, steady):
    """The values that noise alters, by name; `None` if a node has no answer."""
    altered = {}
    for step in steps:
        node = step.node
        inputs = [
            altered.get(name, graph.values[name]) if name else None for name in node.input]
        given = noise.operands(node, inputs)
        if all(array is graph.values[name] for name, array in zip(node.input, given) if name):
            results = [graph.values[name] for name in node.output]
        else:
            try:
                results = step.run({
                    name: array for name, array in zip(node.input, given) if name})
            except Exception:
                # A place outside of its table, for one.
                return None
        for name, result in zip(node.output, results):
            exact = graph.values[name]
            noisy = noise.result(node, inputs, result, exact)
            if noisy is exact:
                continue
            noisy = without_places(node, inputs[0], graph.values[node.input[0]], noisy, exact)
            if noisy.shape != exact.shape:
                return None
            if steady:
                noisy = noise.steady(
                    node, inputs, noisy, exact, graph.values.get(node.input[0]))
            altered[name] = noisy
    return altered


def largest_strays(graph, steps, outputs, step, runs, steady):
    """How far each output strays at most in some runs with errors of a size."""
    noise = Noise(graph.seed, step)
    largest = {name: np.zeros(graph.values[name].shape) for name in outputs}
    for _ in range(runs):
        altered = run(graph, steps, noise, steady)
        for name in outputs:
            exact = graph.values[name]
            noisy = exact if altered is None else altered.get(name, exact)
            strayed = distance(exact, noisy) if altered is not None else np.inf
            if exact.dtype != FLOAT:
                # A whole number or a Boolean that may jump.
                strayed = np.where(np.asarray(strayed) > 0, np.inf, 0)
            largest[name] = np.maximum(largest[name], strayed)
    return largest


def allowances(graph, outputs, runs=RUNS):
    """How far each element of the outputs may be off; infinity where it is undecided."""
    steps, _ = graph.needed(outputs)
    size = ROUNDINGS * UNIT
    smooth = largest_strays(graph, steps, outputs, STEP, runs, True)
    jumps = largest_strays(graph, steps, outputs, size, runs, False)
    return {name: size / STEP * smooth[name] + 2 * jumps[name] for name in outputs}


def distance(left, right):
    """The absolute difference of each element: 0 for the same NaN or infinity, else infinity."""
    left, right = left.astype(np.float64), right.astype(np.float64)
    with np.errstate(all="ignore"):
        result = np.abs(left - right)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    finite = np.isfinite(left) & np.isfinite(right)
    return np.where(same, 0, np.where(finite, result, np.inf))


def differs(result, judged, allowed):
    """Which elements are farther off than allowed."""
    return distance(judged, result) > allowed + np.where(allowed > 0, FLOOR, 0)
