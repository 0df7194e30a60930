"""How far an element may be off: the spread of what ONNX Runtime computes under noise.

The nodes of a graph are run again with small random relative errors of size `STEP`, in the operands
of sums and in the results of all that rounds. What an element then strays, divided by STEP, is its
sensitivity: the root of the sum of the squares of the terms it is made of. Nothing of other rows,
tokens or examples enters it, so that the bound of an item follows from the item alone. Where an
element strays without measure (a comparison, a place, a number that is not finite in one run and
finite in another) it is undecided and not judged.

    |forge − judge|  ≤  ROUNDINGS · 2⁻²⁴ · sensitivity  +  FLOOR

Elements that are only moved, compared, rounded to whole numbers or chosen have no noise and must be
the same to the bit. What Docs/Accuracy.md allows is noise too:

- a product with many inputs, by Strassen's algorithm, has an error relative to the norms of its
  row and its column; what is not finite stays in its row;
- a convolution has one relative to the largest number of its picture (its example); a NaN there
  may reach all its pixels;
- interpolation rounds the place, so that neighbours count.
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

# No rounding: the result is one of the operands, a truth value, a whole number or a place.
EXACT = {
    "Abs", "And", "ArgMax", "ArgMin", "Ceil", "Clip", "Compress", "Concat", "ConstantOfShape",
    "DepthToSpace", "Equal", "Expand", "EyeLike", "Flatten", "Floor", "Gather",
    "GatherElements", "GatherND", "Greater", "GreaterOrEqual", "Hardmax", "Identity", "IsInf",
    "IsNaN", "Less", "LessOrEqual", "Max", "MaxPool", "GlobalMaxPool", "Min", "Mod", "Neg", "Not",
    "OneHot", "Or", "Pad", "Range", "ReduceMax", "ReduceMin", "Relu", "Reshape",
    "ReverseSequence", "Round", "Shape", "Sign", "Size", "Slice", "SpaceToDepth", "Split",
    "Squeeze", "Tile", "TopK", "Transpose", "Trilu", "Unsqueeze", "Where", "Xor",
}
# The relative error of the result is small whatever the operand is.
RELATIVE = {
    "Div", "LeakyRelu", "Mul", "PRelu", "Reciprocal", "Sqrt", "ThresholdedRelu",
    "DequantizeLinear",
}
# The error is small beside the result, or beside the operand where that is below 1.
FUNCTIONS = {
    "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Celu", "Cos", "Cosh", "Elu", "Erf", "Exp",
    "Gelu", "HardSigmoid", "HardSwish", "Log", "Mish", "Pow", "Selu", "Shrink", "Sigmoid", "Sin",
    "Sinh", "Softplus", "Softsign", "Swish", "Tan", "Tanh",
}
# Results that jump: of any change, or where an operand of whole numbers or truth values changed.
JUMPS = {
    "Ceil", "DequantizeLinear", "Floor", "Hardmax", "IsInf", "IsNaN", "Mod", "Round", "Sign",
    "ThresholdedRelu", "Shrink",
}
CHOICES = {"Cast", "Expand", "Gather", "GatherElements", "GatherND", "OneHot", "Where"}
# A jump is enlarged so that twice of it is allowed: a small error makes one or none.
JUMP = 2 * STEP / (ROUNDINGS * UNIT)
# The products of a fast algorithm, with the least inputs that make it worth while.
FAST_INPUTS, FAST = 64, 5.0
# The sums inside of an algorithm are larger than the result by this (Docs/Accuracy.md).
OVERFLOW = 600.0
GATE = 0.25
RECURRENT = {"LSTM", "GRU", "RNN"}
ABSOLUTE = {*RECURRENT, "LogSoftmax", "ReduceLogSum", "ReduceLogSumExp"}


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
        if group != 1:
            return None, 0
        largest = np.abs(x.astype(np.float64)).reshape(len(x), -1).max(axis=1)
        axes = tuple(range(1, x.ndim)) if node.op_type == "Conv" else (0, *range(2, x.ndim))
        taps = np.sqrt((weights.astype(np.float64) ** 2).sum(axis=axes))
        scale = largest.reshape([-1] + [1] * (x.ndim - 1)) * taps.reshape(
            [1, -1] + [1] * (x.ndim - 2))
        return scale, weights[0].size if node.op_type == "Conv" else weights.size
    if node.op_type == "Resize":
        mode = next((a.s for a in node.attribute if a.name == "mode"), b"nearest")
        if mode == b"nearest" or result.ndim < 2:
            return None, 0
        axes = tuple(range(max(0, result.ndim - 2), result.ndim))
        return np.abs(inputs[0].astype(np.float64)).max(axis=axes, keepdims=True), 0
    return None, 0


class Noise:
    """Runs the steps of a graph with noise."""

    def __init__(self, seed):
        self.numbers = np.random.default_rng(seed)
        self.unknown = {}

    def signs(self, shape):
        """Random errors, none of them near 0, so that a sum of few does not vanish."""
        size = self.numbers.uniform(0.5, 1.5, shape)
        return size * self.numbers.choice([-1.0, 1.0], shape)

    def relative(self, array):
        return (array.astype(np.float64) * (1 + STEP * self.signs(array.shape))).astype(FLOAT)

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
            shift = STEP * FAST * row * self.signs(inputs[0].shape)
            inputs[0] = (inputs[0] + shift).astype(FLOAT)
        return [
            self.relative(array) if array is not None and array.dtype == FLOAT else array
            for array in inputs]

    def jumped(self, node, inputs, known, result, exact):
        """A result whose jumps are enlarged."""
        if result.dtype != FLOAT or result.shape != exact.shape:
            return result
        chosen = node.op_type in CHOICES and any(
            array is not None and array.dtype != FLOAT and array is not other
            for array, other in zip(inputs, known))
        if node.op_type not in JUMPS and not chosen:
            return result
        if node.op_type == "DequantizeLinear" and node.input[0] in self.unknown:
            result = np.where(self.unknown[node.input[0]], FLOAT("nan"), result)
        with np.errstate(all="ignore"):
            change = result.astype(np.float64) - exact
            enlarged = np.clip(exact + JUMP * change, -3e38, 3e38)
        return np.where(np.isfinite(change) & (change != 0), enlarged, result).astype(FLOAT)

    def result(self, node, inputs, result):
        """A result with the noise of its rounding."""
        if node.op_type == "QuantizeLinear":
            # What NaN becomes is undefined, also behind the next DequantizeLinear.
            self.unknown[node.output[0]] = np.isnan(inputs[0])
            return np.where(self.unknown[node.output[0]], 1 - result, result).astype(result.dtype)
        if node.op_type in EXACT or result.dtype != FLOAT:
            return result
        exact = result.astype(np.float64)
        # A denormal number is rounded to a multiple of 2⁻¹⁴⁹.
        size = np.abs(exact) + np.where(exact == 0, 0, 2.0**-149 / (ROUNDINGS * UNIT))
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
            noisy = (exact + STEP * size * self.signs(result.shape)).astype(FLOAT)
        if node.op_type == "Resize" and scale is not None:
            # An element of the weight 0 is not read, even if it is not finite.
            noisy = np.where(np.isfinite(size), noisy, 0).astype(FLOAT)
        return noisy


def strays(graph, outputs, runs=RUNS):
    """For each output how far it strays under noise, as a part of STEP; infinity is undecided."""
    steps, _ = graph.needed(outputs)
    noise = Noise(graph.seed)
    largest = {name: np.zeros(graph.values[name].shape) for name in outputs}
    for _ in range(runs):
        altered = {}
        for step in steps:
            node = step.node
            names = [name for name in node.input]
            inputs = [
                altered.get(name, graph.values[name]) if name else None for name in names]
            given = noise.operands(node, inputs)
            untouched = all(
                array is graph.values[name] for name, array in zip(names, given) if name)
            if untouched:
                results = [graph.values[name] for name in node.output]
            else:
                try:
                    results = step.run({
                        name: array for name, array in zip(names, given) if name})
                except Exception:
                    # A place outside of its table, for one.
                    return {
                        name: np.full(graph.values[name].shape, np.inf) for name in outputs}
            known = [graph.values[name] if name else None for name in names]
            for name, result in zip(node.output, results):
                noisy = noise.result(node, inputs, result)
                noisy = noise.jumped(node, inputs, known, noisy, graph.values[name])
                if noisy is not graph.values[name]:
                    altered[name] = noisy
        for name in outputs:
            if name not in altered:
                continue
            exact, noisy = graph.values[name], altered[name]
            if exact.shape != noisy.shape:
                largest[name][...] = np.inf
                continue
            strayed = distance(exact, noisy)
            if exact.dtype != FLOAT:
                # A whole number or a truth value that may jump.
                strayed = np.where(strayed > 0, np.inf, 0)
            largest[name] = np.maximum(largest[name], strayed)
    return {name: largest[name] / STEP for name in outputs}


def distance(left, right):
    """The absolute difference of each element: 0 for the same NaN or infinity, else infinity."""
    left, right = left.astype(np.float64), right.astype(np.float64)
    with np.errstate(all="ignore"):
        result = np.abs(left - right)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    finite = np.isfinite(left) & np.isfinite(right)
    return np.where(same, 0, np.where(finite, result, np.inf))


def differs(result, judged, strayed):
    """Which elements are farther off than their noise allows."""
    allowed = ROUNDINGS * UNIT * strayed + np.where(strayed > 0, FLOOR, 0)
    return distance(judged, result) > allowed
