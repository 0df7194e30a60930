"""Inputs of normalizations, tame and hostile, and values as the fixtures have them."""
import numpy as np


def values(array):
    array = np.asarray(array)
    return {"sizes": list(array.shape),
            "values": [float(f"{x:.9g}") for x in array.astype(float).ravel()]}


def hostile(rng, *sizes):
    """Tame numbers; and rows of a large mean, of very different scales, and of equal channels."""
    tame = rng.standard_normal(sizes)
    scales = 10.0 ** rng.uniform(-4, 4, sizes[-1])
    rows = tame.reshape(-1, sizes[-1]).copy()
    changes = [lambda x: 1e4 + x, lambda x: x * scales, lambda x: scales * x - 300,
               lambda x: 0 * x, lambda x: 1e-6 * x, lambda x: 1e9 * x, lambda x: 0 * x + 0.375]
    for index, row in enumerate(rows):
        rows[index] = changes[index % len(changes)](row)
    return [x.reshape(sizes).astype(np.float32) for x in (tame, rows)]
