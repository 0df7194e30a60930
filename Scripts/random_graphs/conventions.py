"""What Forge does otherwise than ONNX Runtime with a NaN, as Docs/Accuracy.md says.

The results of ONNX Runtime are replaced by these, so that the places of a NaN are still judged
exactly.
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


CONVENTIONS = {"MaxPool": pooled, "GlobalMaxPool": pooled, "TopK": ranked}


def applied(step, inputs, results):
    """The results of a step as Docs/Accuracy.md has them."""
    convention = CONVENTIONS.get(step.node.op_type)
    if convention is None or inputs[step.node.input[0]].dtype != FLOAT:
        return results
    if not np.isnan(inputs[step.node.input[0]]).any():
        return results
    return convention(step, inputs, results)
