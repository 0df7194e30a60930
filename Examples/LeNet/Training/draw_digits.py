"""Draws the example digits of Examples/LeNet as binary PGM pictures.

    python draw_digits.py --output DIR

Each digit was sketched by hand as a few pen strokes: points on a sheet 100 wide
and 140 high, y pointing down, in the order in which a hand would write them. A
curve through the points, a hand's unsteadiness and a pen that presses harder in
the middle of a stroke make the picture. No scanned digit and no font is used,
and none of these pictures is used for training.
"""

# Made with Python 3.11, numpy 2.4.6 and scipy 1.17.1.

import argparse
import pathlib
import zlib

import numpy as np
from scipy import ndimage

import pen

# name: (the pen's radius in pixels, strokes). A stroke that begins with "sharp"
# goes straight from point to point.
SKETCHES = {
    "zero": (1.35, [[(70, 18), (50, 6), (28, 26), (14, 68), (18, 110), (40, 130), (64, 118),
                     (84, 82), (86, 42), (70, 12), (46, 20)]]),
    "one": (1.2, [["sharp", (26, 44), (64, 8)], [(64, 8), (61, 50), (54, 92), (49, 134)]]),
    "two": (1.2, [[(16, 38), (24, 16), (48, 6), (70, 18), (72, 44), (54, 78), (30, 106), (12, 126)],
                  [(12, 126), (30, 119), (52, 124), (72, 128), (92, 118)]]),
    "two-looped": (1.15, [[(22, 30), (40, 8), (66, 10), (76, 34), (66, 62), (42, 98), (22, 122), (2, 124),
                           (-4, 104), (14, 92), (36, 106), (60, 124), (82, 128), (104, 112)]]),
    "three": (1.25, [[(20, 22), (40, 7), (66, 12), (72, 34), (58, 54), (36, 63)],
                     [(36, 63), (62, 66), (80, 86), (74, 114), (48, 132), (22, 126), (10, 110)]]),
    "four": (1.25, [[(28, 10), (22, 40), (14, 72), (40, 74), (66, 70), (90, 66)],
                    [(72, 18), (68, 60), (60, 100), (56, 136)]]),
    "five": (1.25, [["sharp", (34, 14), (28, 62)],
                    [(28, 62), (50, 52), (72, 64), (78, 92), (64, 120), (38, 130), (14, 118)],
                    [(33, 14), (56, 15), (86, 8)]]),
    "six": (1.2, [[(72, 8), (48, 26), (28, 58), (18, 94), (26, 122), (48, 132), (70, 118), (74, 94),
                   (58, 80), (36, 88), (21, 108)]]),
    "seven": (1.3, [[(8, 26), (36, 17), (84, 12)], [(84, 12), (66, 46), (54, 88), (52, 136)]]),
    "seven-slanted": (1.1, [[(16, 34), (20, 18), (52, 20), (92, 10)], [(92, 10), (70, 46), (44, 90), (20, 136)],
                            [(34, 74), (56, 70), (80, 68)]]),
    "eight": (1.2, [[(82, 26), (62, 7), (38, 16), (34, 40), (52, 62), (68, 84), (66, 114), (42, 132),
                     (20, 120), (22, 96), (46, 70), (72, 48), (88, 16)]]),
    "nine": (1.25, [[(74, 26), (52, 12), (30, 24), (20, 48), (32, 64), (56, 58), (72, 34), (75, 24)],
                    [(75, 24), (73, 60), (66, 98), (58, 136)]]),
}


def wobble(curve, rng, amount=2.2):
    """The curve as an unsteady hand draws it: a slow drift off the way."""
    drift = ndimage.gaussian_filter1d(rng.standard_normal(curve.shape), 9, axis=0, mode="nearest")
    return curve + drift * amount / max(drift.std(), 1e-9)


def pressure(count, radius, rng):
    """The pen's radius along a stroke: light at both ends, uneven between."""
    along = np.linspace(0.0, 1.0, count)
    ends = 0.78 + 0.22 * np.clip(np.minimum(along, 1 - along) / 0.12, 0.0, 1.0)
    uneven = ndimage.gaussian_filter1d(rng.standard_normal(count), 8, mode="nearest")
    return radius * ends * (1 + 0.09 * uneven / max(uneven.std(), 1e-9))


def draw(name):
    """One example digit, 28 x 28, uint8."""
    radius, sketch = SKETCHES[name]
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    strokes, radii = [], []
    for points in sketch:
        if points[0] == "sharp":
            corners = np.array(points[1:], dtype=float)
            curve = np.vstack([pen.smooth_curve(pair, 24) for pair in zip(corners, corners[1:])])
        else:
            curve = pen.smooth_curve(points)
        strokes.append(wobble(curve, rng))
        radii.append(pressure(len(curve), radius, rng))
    return pen.draw_digit(strokes, radii, fineness=4)


def main():
    parser = argparse.ArgumentParser(description="Draws the example digits.")
    parser.add_argument("--output", required=True, help="the folder for the pictures")
    folder = pathlib.Path(parser.parse_args().output)
    folder.mkdir(parents=True, exist_ok=True)
    for name in SKETCHES:
        (folder / f"{name}.pgm").write_bytes(b"P5\n28 28\n255\n" + draw(name).tobytes())


if __name__ == "__main__":
    main()
