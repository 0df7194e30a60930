"""Prints the numbers of Sources/Kernels/winograd.h: per alpha the points, the product of z - p^2
over all pairs, and per pair the product over the others, exactly (all are sums of powers of two),
lowest power first."""
from fractions import Fraction as F

POINTS = {4: ["1"], 6: ["5/8", "3/2"], 7: ["1/2", "9/8", "3"], 8: ["1", "1/2", "2"], 10: ["1/2", "3/4", "5/4", "2"],
          12: ["1", "3/8", "3/4", "3/2", "5/2"]}


def product(points):
    coefficients = [F(1)]
    for p in points:
        shifted = [F(0)] + coefficients
        scaled = [-p * p * c for c in coefficients] + [F(0)]
        coefficients = [a + b for a, b in zip(shifted, scaled)]
    return coefficients


def text(numbers):
    return "{" + ", ".join(f"{float(n)!r}" for n in numbers) + "}"


for alpha, points in POINTS.items():
    points = [F(p) for p in points]
    others = [product(points[:i] + points[i + 1:]) for i in range(len(points))]
    for numbers in [points, product(points)] + others:
        for n in numbers:  # a float has 24 bits
            assert (n.denominator & (n.denominator - 1)) == 0 and abs(n.numerator).bit_length() <= 24
    print(f"[{alpha}] = {{{len(points)}, {text(points)}, {text(product(points))}, "
          "{" + ", ".join(text(o) for o in others) + "}},")
