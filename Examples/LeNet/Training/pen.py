"""A round, anti-aliased pen that draws white digits on a black 28x28 picture.

A digit is a list of strokes. A stroke is an array of (x, y) points, y pointing
down, in any unit; only the shape matters, because `draw_digit` fits the digit
the way MNIST's pictures are fitted: the ink lies within 20x20 pixels and its
center of mass is the center of the picture.
"""

import numpy as np

SIZE = 28
BOX = 20.0


def smooth_curve(points, steps=12):
    """A Catmull-Rom curve through `points`, as a polyline."""
    points = np.asarray(points, dtype=float)
    if len(points) < 3:
        t = np.linspace(0.0, 1.0, steps + 1)[:, None]
        return points[0] * (1 - t) + points[-1] * t
    padded = np.vstack([2 * points[0] - points[1], points, 2 * points[-1] - points[-2]])
    t = np.linspace(0.0, 1.0, steps, endpoint=False)[:, None]
    pieces = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:]):
        pieces.append(0.5 * (2 * b + (c - a) * t
                             + (2 * a - 5 * b + 4 * c - d) * t ** 2
                             + (3 * b - a - 3 * c + d) * t ** 3))
    return np.vstack(pieces + [points[-1:]])


def _ink(strokes, radii, fineness):
    """Coverage, 0 to 1, of a picture whose pixels are 1 wide and start at 0."""
    count = SIZE * fineness
    axis = (np.arange(count) + 0.5) / fineness
    px, py = np.meshgrid(axis, axis)
    coverage = np.zeros((count, count))
    for stroke, radius in zip(strokes, radii):
        start, end = stroke[:-1], stroke[1:]
        step = end - start
        length2 = np.maximum((step ** 2).sum(axis=1), 1e-12)
        # Where on each segment the nearest point to each pixel lies.
        dx = px[..., None] - start[:, 0]
        dy = py[..., None] - start[:, 1]
        t = np.clip((dx * step[:, 0] + dy * step[:, 1]) / length2, 0.0, 1.0)
        distance = np.hypot(dx - t * step[:, 0], dy - t * step[:, 1])
        reach = radius[:-1] * (1 - t) + radius[1:] * t
        depth = (reach - distance).max(axis=-1)
        coverage = np.maximum(coverage, np.clip(0.5 + depth * fineness, 0.0, 1.0))
    return coverage.reshape(SIZE, fineness, SIZE, fineness).mean(axis=(1, 3))


def draw_digit(strokes, radii, fineness=1):
    """Draws strokes as a 28x28 array of uint8.

    `radii` holds, for each stroke, the pen's radius in pixels at each point.
    `fineness` is how many samples are taken in each direction in a pixel.
    """
    low = np.min([s.min(axis=0) for s in strokes], axis=0)
    high = np.max([s.max(axis=0) for s in strokes], axis=0)
    widest = max(float(np.max(r)) for r in radii)
    scale = (BOX - 2 * widest) / max(high - low)
    middle = (low + high) / 2
    placed = [(s - middle) * scale + SIZE / 2 for s in strokes]

    # Move the center of mass to the center, without leaving the picture.
    ink = _ink(placed, radii, fineness)
    axis = np.arange(SIZE) + 0.5
    mass = np.array([(ink.sum(axis=0) * axis).sum(), (ink.sum(axis=1) * axis).sum()]) / ink.sum()
    shift = np.clip(SIZE / 2 - mass, -(SIZE - BOX) / 2, (SIZE - BOX) / 2)
    ink = _ink([s + shift for s in placed], radii, fineness)
    return np.round(ink * 255).astype(np.uint8)
