"""What replaces a result of ONNX Runtime.

Forge has rules of its own for NaN in pooling and in TopK and for infinity in Softsign
(Docs/Accuracy.md): with those in the place of ONNX Runtime's, they are still judged exactly. Norms are
computed in double precision, because ONNX Runtime's and the reference's squares overflow or vanish
(LpNormalization, GlobalLpPool), or are off by 10⁻⁵ and by a whole channel (LRN).
"""
import numpy as np

FLOAT = np.float32


def attribute(node, name, default):
    for found in node.attribute:
        if found.name == name:
            return found.i
    return default


def pooled(step, inputs, results):
    """A window with a NaN has the result NaN: ONNX Runtime's depends on the place."""
    x = inputs[step.node.input[0]]
    hit = step.session.run(None, {step.node.input[0]: np.isnan(x).astype(FLOAT)})[0] > 0
    return [np.where(hit, FLOAT("nan"), results[0]).astype(FLOAT), *results[1:]]


def ranked(step, inputs, results):
    """NaN ranks last, whether the largest or the smallest are wanted; ties by their place."""
    x = inputs[step.node.input[0]].astype(np.float64)
    axis = attribute(step.node, "axis", -1)
    count = results[0].shape[axis]
    keys = -x if attribute(step.node, "largest", 1) else x
    # Infinities come before NaN, which NumPy sorts to the end.
    places = np.take(np.argsort(keys, axis=axis, kind="stable"), range(count), axis=axis)
    values = np.take_along_axis(inputs[step.node.input[0]], places, axis=axis)
    return [values, places.astype(results[1].dtype)]


def normalized(step, inputs, results):
    """x / ‖x‖ along an axis; 0 where the norm is."""
    x = inputs[step.node.input[0]].astype(np.float64)
    axis = attribute(step.node, "axis", -1)
    if attribute(step.node, "p", 2) == 1:
        norm = np.abs(x).sum(axis=axis, keepdims=True)
    else:
        norm = np.sqrt((x * x).sum(axis=axis, keepdims=True))
    with np.errstate(all="ignore"):
        return [np.where(norm == 0, 0, x / norm).astype(FLOAT)]


def local(step, inputs, results):
    """x / (bias + alpha / size · Σ x²)^beta over the neighbouring channels."""
    x = inputs[step.node.input[0]].astype(np.float64)
    values = {found.name: found for found in step.node.attribute}
    size = values["size"].i
    alpha, beta, bias = (
        values[name].f if name in values else default
        for name, default in [("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0)])
    before = (size - 1) // 2
    padded = np.pad(x * x, [(0, 0), (before, size - 1 - before)] + [(0, 0)] * (x.ndim - 2))
    total = sum(padded[:, place:place + x.shape[1]] for place in range(size))
    with np.errstate(all="ignore"):
        # The squares are in single precision in every runtime.
        total = total.astype(FLOAT).astype(np.float64)
        return [(x / (bias + alpha / size * total) ** beta).astype(FLOAT)]


def spatial_norm(step, inputs, results):
    """The norm over all pixels of a channel."""
    x = np.abs(inputs[step.node.input[0]].astype(np.float64))
    power = attribute(step.node, "p", 2)
    total = (x ** power).sum(axis=tuple(range(2, x.ndim)), keepdims=True)
    with np.errstate(all="ignore"):
        return [(total ** (1 / power)).astype(FLOAT)]


def limited(step, inputs, results):
    """Softsign of an infinity is its limit, ±1: other runtimes divide infinity by infinity."""
    x = inputs[step.node.input[0]]
    return [np.where(np.isinf(x), np.sign(x), results[0]).astype(FLOAT)]


FOR_NAN = {"MaxPool": pooled, "GlobalMaxPool": pooled, "TopK": ranked}
ALWAYS = {"LpNormalization": normalized, "LRN": local, "GlobalLpPool": spatial_norm, "Softsign": limited}


def applied(step, inputs, results):
    """The results of a step with what replaces them."""
    kind = step.node.op_type
    if kind not in ALWAYS and kind not in FOR_NAN or inputs[step.node.input[0]].dtype != FLOAT:
        return results
    if kind in ALWAYS:
        return ALWAYS[kind](step, inputs, results)
    if np.isnan(inputs[step.node.input[0]]).any():
        return FOR_NAN[kind](step, inputs, results)
    return results
