"""Compares what Forge computed with what the judge computed.

The rule, for each tensor of each example and each of its channels (the last axis) on its own, so
that no large channel hides a small one:

    ‖forge − judge‖₂  ≤  BOUND · ‖judge‖₂  +  DEVIATIONS · STEP · ‖σ‖₂

BOUND, 10⁻⁵, is the accuracy that Docs/Accuracy.md states. A kernel may err by a third of it: that
is STEP. STEP · σ is the standard deviation of a value's error when every product and every result
of the network is rounded by a random relative error of STEP, and long sums by a little more
(`judge.py` follows σ² through the layers). Without cancellation σ is about as large as the value.
Where terms that are large beside their sum cancel, or a function is steep, σ is larger than the
value by just that ratio. DEVIATIONS is 6: in a single channel a kernel may err by all of BOUND, and
one value, or a whole channel that was made from one, by twice the root mean square.
"""
import numpy as np

from judge import BOUND, STEP

DEVIATIONS = 6


def norms(values):
    """The L2 norm of each channel of each example."""
    rows = values.reshape(len(values), -1, values.shape[-1])
    return np.sqrt((rows**2).sum(axis=1))


def ratio(result, judged):
    """The largest error of a channel as a part of what the rule allows; above 1 is a failure.

    `result` holds all examples one after the other.
    """
    if result.size != judged.values.size:
        return np.inf
    if not np.isfinite(result).all():
        return np.inf
    error = norms(result.reshape(judged.values.shape) - judged.values)
    spread = norms(np.sqrt(judged.variance))
    allowed = BOUND * norms(judged.values) + DEVIATIONS * STEP * spread
    return (error / allowed).max()


def relative(result, judged):
    """The relative L2 error of the whole tensor, for messages."""
    if result.size != judged.values.size:
        return np.inf
    difference = result.reshape(judged.values.shape) - judged.values
    size = np.linalg.norm(judged.values)
    return np.linalg.norm(difference) / size if size > 0 else np.linalg.norm(difference)
