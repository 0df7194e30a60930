"""Artificial digits for training, put together from arcs and straight lines.

Each digit has one or more ways to be written, with random proportions, so that
the pool shows more styles than 5,000 scanned digits do. (The pictures that ship
as examples come from draw_digits.py, whose shapes are not these.)
"""

import numpy as np

from pen import draw_digit


def arc(cx, cy, rx, ry, start, end, count=24):
    """Part of an ellipse. Degrees: 0 is right, 90 is down, -90 is up."""
    angle = np.radians(np.linspace(start, end, count))
    return np.stack([cx + rx * np.cos(angle), cy + ry * np.sin(angle)], axis=1)


def line(*points):
    """Straight lines from point to point."""
    points = np.asarray(points, dtype=float)
    t = np.linspace(0.0, 1.0, 5)[:, None]
    return np.vstack([a * (1 - t) + b * t for a, b in zip(points, points[1:])])


def join(*parts):
    return np.vstack(parts)


def zero(u):
    start = u(-130, -50)
    return [arc(0, 0, u(0.3, 0.75), 1, start, start - u(335, 385), 48)]


def one(u):
    lean = u(-0.15, 0.5)
    shape = [line((lean, -1), (-lean, 1))]
    if u(0, 1) < 0.3:
        shape.append(line((lean, -1), (lean - u(0.15, 0.5), -1 + u(0.2, 0.5))))
    if u(0, 1) < 0.15:
        shape.append(line((-lean - u(0.2, 0.5), 1), (-lean + u(0.2, 0.5), 1)))
    return shape


def two(u):
    r, left, right = u(0.4, 0.6), u(-0.7, -0.4), u(0.4, 0.8)
    top = arc(0, -1 + r, u(0.4, 0.65), r, u(-190, -140), u(20, 50))
    if u(0, 1) < 0.4:  # a loop at the foot
        foot = join(arc(left + 0.15, 0.8, 0.22, u(0.1, 0.2), 60, 300, 16), line((left + 0.3, 0.72), (right, 1)))
    else:
        foot = line((left, 1), (right, 1 + u(-0.15, 0.1)))
    return [join(top, foot)]


def three(u):
    waist = u(-0.2, 0.1)
    upper, lower = (waist + 1) / 2, (1 - waist) / 2
    pinch = u(-0.15, 0.2)
    if u(0, 1) < 0.15:  # a flat top
        head = line((-0.5, -1), (0.45, -1), (pinch, waist))
    else:
        head = join(arc(0, -1 + upper, u(0.35, 0.55), upper, u(-190, -140), 65), line((pinch, waist), (pinch + 0.05, waist)))
    return [join(head, arc(0, 1 - lower, u(0.45, 0.65), lower, -70, u(130, 185)))]


def four(u):
    bar, stem = u(0.05, 0.4), u(0.2, 0.5)
    lean = u(-0.1, 0.2)
    left = u(-0.75, -0.5)
    if u(0, 1) < 0.35:  # closed
        return [line((stem + lean, -1), (left, bar), (stem + u(0.1, 0.5), bar + u(-0.1, 0.05))),
                line((stem + lean, -1), (stem - lean, 1))]
    return [line((left + u(0, 0.35), -1 + u(0, 0.2)), (left, bar), (stem + u(0, 0.4), bar + u(-0.15, 0.05))),
            line((stem + lean, -1 + u(0, 0.4)), (stem - lean, 1))]


def five(u):
    r = u(0.45, 0.6)
    left = u(-0.5, -0.25)
    belly = arc(0, 1 - r, u(0.45, 0.65), r, u(-150, -110), u(120, 175))
    top = line((u(0.4, 0.7), -1 + u(-0.15, 0.1)), (left + u(0, 0.15), -1))
    stem = line((left + 0.1, -1), (left, 1 - 1.7 * r))
    if u(0, 1) < 0.5:
        return [join(stem, belly), top]
    return [join(top, stem, belly)]


def six(u):
    r = u(0.35, 0.5)
    width = u(0.35, 0.55)
    back = arc(width + u(0, 0.3), 1 - r, 2 * width + 0.1, 2 - r, u(-115, -95), -180)
    return [join(back, arc(0, 1 - r, width, r, -180, -540 + u(-30, 30), 40))]


def seven(u):
    right, foot = u(0.4, 0.65), u(-0.35, 0.3)
    shape = [line((u(-0.65, -0.4), -1 + u(-0.1, 0.1)), (right, -1), (foot, 1))]
    if u(0, 1) < 0.3:
        shape[0] = join(line((-0.5, -1 + u(0.1, 0.3)), (-0.45, -1)), shape[0])
    if u(0, 1) < 0.25:
        mid = (right + foot) / 2
        shape.append(line((mid - u(0.25, 0.5), u(-0.1, 0.1)), (mid + u(0.25, 0.5), u(-0.2, 0.1))))
    return shape


def eight(u):
    waist = u(-0.25, 0.1)
    upper, lower = (waist + 1) / 2, (1 - waist) / 2
    wide, tight = u(0.35, 0.6), u(0.3, 0.5)
    lean = u(-0.1, 0.2)
    if u(0, 1) < 0.4:
        return [arc(lean, -1 + upper, tight, upper, 0, 360, 36), arc(-lean, 1 - lower, wide, lower, 0, 360, 36)]
    return [join(arc(lean, -1 + upper, tight, upper, u(-60, -10), -220), arc(-lean, 1 - lower, wide, lower, -40, 200, 30),
                 arc(lean, -1 + upper, tight, upper, 40, u(-60, -10)))]


def nine(u):
    r = u(0.35, 0.5)
    width = u(0.35, 0.55)
    loop = arc(0, -1 + r, width, r, u(-40, 0), u(-390, -340), 40)
    if u(0, 1) < 0.5:
        return [join(loop, line((width, -1 + r), (width - u(-0.1, 0.4), 1)))]
    return [join(loop, arc(-0.3, -1 + r, width + 0.3, 2 - r, 0, u(70, 110)))]


WRITERS = [zero, one, two, three, four, five, six, seven, eight, nine]


def make_digits(count, rng):
    """`count` random pictures (count x 28 x 28, uint8) and their labels."""
    images = np.zeros((count, 28, 28), dtype=np.uint8)
    labels = rng.integers(0, 10, count)
    for i, digit in enumerate(labels):
        shape = WRITERS[digit](rng.uniform)
        slant = rng.normal(0.15, 0.2)
        shape = [s @ np.array([[1.0, 0.0], [-slant, 1.0]]) for s in shape]
        radius = rng.uniform(0.8, 1.7)
        images[i] = draw_digit(shape, [np.full(len(s), radius) for s in shape])
    return images, labels
