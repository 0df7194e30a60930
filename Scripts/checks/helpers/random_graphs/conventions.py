"""What replaces a result of ONNX Runtime.

Forge has rules of its own for NaN in maxima, places and TopK, and for infinity in Softsign
(Docs/Accuracy.md): with those in the place of ONNX Runtime's, they are still judged exactly. Some
functions are computed in double precision, because the squares of ONNX Runtime and of the reference
overflow or vanish (LpNormalization, GlobalLpPool, GroupNormalization,
MeanVarianceNormalization), are off by 10⁻⁵ and by a whole channel (LRN), or
lose what is small (Celu, Elu, Selu). GatherElements has places that the reference cannot read.
The places of Resize are exact.
"""
import numpy as np

import places

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
    """x / (bias + alpha / size · Σ x²)^beta over the neighboring channels."""
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


def exponential(step, inputs, results):
    """Elu, Celu and Selu of small numbers: ONNX Runtime's exp(x) − 1 loses them."""
    x = inputs[step.node.input[0]].astype(np.float64)
    values = {found.name: FLOAT(found.f) for found in step.node.attribute}
    kind, factor, width = step.node.op_type, 1.0, 1.0
    alpha = float(values.get("alpha", FLOAT(1)))
    if kind == "Celu":
        width = alpha
    if kind == "Selu":
        alpha = float(values.get("alpha", FLOAT(1.67326319217681884765625)))
        factor = float(values.get("gamma", FLOAT(1.05070102214813232421875)))
    with np.errstate(all="ignore"):
        return [(factor * np.where(x > 0, x, alpha * np.expm1(x / width))).astype(FLOAT)]


def placed(step, inputs, results):
    """The place of the first NaN."""
    x = inputs[step.node.input[0]]
    axis = attribute(step.node, "axis", 0)
    hit = np.isnan(x)
    places = np.argmax(hit, axis=axis)
    found = hit.any(axis=axis)
    if attribute(step.node, "keepdims", 1):
        places, found = np.expand_dims(places, axis), np.expand_dims(found, axis)
    return [np.where(found, places, results[0]).astype(results[0].dtype)]


def extreme(step, inputs, results):
    """The largest or smallest of numbers of which one is NaN is NaN."""
    name = step.node.input[0]
    given = {**inputs, name: np.isnan(inputs[name]).astype(FLOAT)}
    hit = step.session.run(None, given)[0]
    if step.node.op_type == "ReduceMin":
        given[name] = 1 - given[name]
        hit = 1 - step.session.run(None, given)[0]
    return [np.where(hit > 0, FLOAT("nan"), results[0]).astype(FLOAT)]


def taken(step, inputs, results):
    """The elements at places along an axis: the reference fails for more than 64 places."""
    x, places = (inputs[name] for name in step.node.input)
    axis = attribute(step.node, "axis", 0) % x.ndim
    within = tuple(
        slice(None) if place == axis else slice(size) for place, size in enumerate(places.shape))
    return [np.take_along_axis(x[within], places % x.shape[axis], axis=axis)]


def highest(step, inputs, results):
    """NaN is larger than every number, infinity included."""
    x = inputs[step.node.input[0]]
    ranked_x = np.where(np.isnan(x), FLOAT("inf"), np.minimum(x, np.finfo(FLOAT).max))
    return step.session.run(None, {step.node.input[0]: ranked_x})


def standardized(x, axes, epsilon):
    """(x − mean) / √(variance + epsilon) in double precision."""
    x = x.astype(np.float64)
    with np.errstate(all="ignore"):
        centered = x - x.mean(axis=axes, keepdims=True)
        return centered / np.sqrt((centered * centered).mean(axis=axes, keepdims=True) + epsilon)


def grouped(step, inputs, results):
    """GroupNormalization, whose squares overflow in ONNX Runtime."""
    x, scale, shift = (inputs[name] for name in step.node.input)
    values = {found.name: found for found in step.node.attribute}
    epsilon = values["epsilon"].f if "epsilon" in values else 1e-5
    groups = values["num_groups"].i
    rows = x.reshape(x.shape[0], groups, -1)
    result = standardized(rows, (2,), epsilon).reshape(x.shape)
    channels = [1, -1] + [1] * (x.ndim - 2)
    repeats = x.shape[1] // scale.size
    with np.errstate(all="ignore"):
        return [(
            result * np.repeat(scale, repeats).reshape(channels)
            + np.repeat(shift, repeats).reshape(channels)).astype(FLOAT)]


def instances(step, inputs, results):
    """InstanceNormalization, whose squares overflow in ONNX Runtime."""
    x, scale, shift = (inputs[name] for name in step.node.input)
    epsilon = next((a.f for a in step.node.attribute if a.name == "epsilon"), 1e-5)
    channels = [1, -1] + [1] * (x.ndim - 2)
    with np.errstate(all="ignore"):
        return [(
            standardized(x, tuple(range(2, x.ndim)), epsilon) * scale.reshape(channels)
            + shift.reshape(channels)).astype(FLOAT)]


def nearest(step, inputs, results):
    """Resize by sizes to the nearest place, which ONNX Runtime rounds before operator set 18."""
    node, values = step.node, {a.name: a for a in step.node.attribute}
    transform = values["coordinate_transformation_mode"].s.decode() \
        if "coordinate_transformation_mode" in values else "half_pixel"
    if transform == "half_pixel_symmetric":
        # The same where sizes are stated.
        transform = "half_pixel"
    mode = values["mode"].s if "mode" in values else b"nearest"
    rounding = values["nearest_mode"].s.decode() if "nearest_mode" in values \
        else "round_prefer_floor"
    sizes = inputs.get(node.input[3]) if len(node.input) > 3 else None
    if mode != b"nearest" or sizes is None or {"axes", "keep_aspect_ratio_policy"} & set(values) \
            or transform not in places.TRANSFORMS:
        return results
    x = inputs[node.input[0]]
    for axis, (size, wanted) in enumerate(zip(x.shape, sizes)):
        if size:
            chosen = [places.source(transform, rounding, index, size, int(wanted))
                      for index in range(wanted)]
            x = np.take(x, chosen, axis=axis)
    return [x] if x.shape == results[0].shape else results


def centered(step, inputs, results):
    """MeanVarianceNormalization, whose squares overflow in ONNX Runtime."""
    axes = next((tuple(a.ints) for a in step.node.attribute if a.name == "axes"), (0, 2, 3))
    x = inputs[step.node.input[0]].astype(np.float64)
    with np.errstate(all="ignore"):
        moved = x - x.mean(axis=axes, keepdims=True)
        deviation = np.sqrt((moved * moved).mean(axis=axes, keepdims=True))
        return [(moved / (deviation + 1e-9)).astype(FLOAT)]


def lowest(x, results):
    """The maximum of −∞ alone is −∞; ONNX Runtime begins with the lowest finite number."""
    least = np.finfo(FLOAT).min
    if (x == least).any():
        return results
    return [np.where(results[0] == least, FLOAT("-inf"), results[0])] + results[1:]


FOR_NAN = {
    "ArgMax": placed, "ArgMin": placed, "GlobalMaxPool": pooled, "Hardmax": highest,
    "MaxPool": pooled,
    "ReduceMax": extreme, "ReduceMin": extreme, "TopK": ranked,
}
ALWAYS = {
    "Celu": exponential, "Elu": exponential, "Selu": exponential,
    "LpNormalization": normalized, "LRN": local, "GlobalLpPool": spatial_norm, "Softsign": limited,
    "GatherElements": taken, "GroupNormalization": grouped, "InstanceNormalization": instances,
    "MeanVarianceNormalization": centered,
}


def applied(step, inputs, results):
    """The results of a step with what replaces them."""
    kind = step.node.op_type
    if kind == "Resize":
        return nearest(step, inputs, results)
    if kind not in ALWAYS and kind not in FOR_NAN or inputs[step.node.input[0]].dtype != FLOAT:
        return results
    if kind in ALWAYS:
        return ALWAYS[kind](step, inputs, results)
    if kind == "MaxPool" and np.isneginf(inputs[step.node.input[0]]).any():
        results = lowest(inputs[step.node.input[0]], results)
    if np.isnan(inputs[step.node.input[0]]).any():
        return FOR_NAN[kind](step, inputs, results)
    return results
