"""The place in the input of Resize that an element of its output has, in exact fractions."""
import math
from fractions import Fraction

ROUNDINGS = {
    "floor": math.floor, "ceil": math.ceil,
    "round_prefer_floor": lambda place: math.ceil(place - Fraction(1, 2)),
    "round_prefer_ceil": lambda place: math.floor(place + Fraction(1, 2)),
}
TRANSFORMS = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]


def place(transform, index, size, wanted):
    """The exact place of an element in the input."""
    if transform == "asymmetric":
        return Fraction(index * size, wanted)
    if transform == "align_corners":
        return Fraction(index * (size - 1), wanted - 1) if wanted > 1 else Fraction(0)
    if transform == "pytorch_half_pixel" and wanted == 1:
        return Fraction(0)
    return Fraction(2 * index + 1, 2) * Fraction(size, wanted) - Fraction(1, 2)


def source(transform, rounding, index, size, wanted):
    """The element of the input that an element of the output is, by the nearest place."""
    return min(max(ROUNDINGS[rounding](place(transform, index, size, wanted)), 0), size - 1)
