"""Where the numbers in vector/elementary.h come from: minimax polynomials by Remez's exchange.

Run it (needs mpmath) and it prints each polynomial's coefficients, lowest power first, rounded to
float, with the largest relative error over its interval before and after that rounding.
"""
import struct

import mpmath as mp

mp.mp.dps = 40


def remez(target, basis, low, high, rounds=40, grid=2500):
    """Coefficients c that minimise max |sum c[i] basis[i](x) - target(x)| over low...high."""
    n = len(basis)
    middle, half = (low + high) / 2, (high - low) / 2
    # Chebyshev's points to begin with, a little off, so that none falls on a zero of the basis.
    nodes = [middle - half * mp.cos(mp.pi * (k / mp.mpf(n) + mp.mpf("0.013") * (0 < k < n)))
             for k in range(n + 1)]
    points = [middle - half * mp.cos(mp.pi * (k + mp.mpf("0.37")) / (grid + 1))
              for k in range(grid + 1)]
    wanted = [target(x) for x in points]
    values = [[b(x) for b in basis] for x in points]
    for _ in range(rounds):
        # The polynomial whose error at the nodes is +e, -e, +e, ...
        matrix, right = mp.matrix(n + 1, n + 1), mp.matrix(n + 1, 1)
        for i, x in enumerate(nodes):
            for j, b in enumerate(basis):
                matrix[i, j] = b(x)
            matrix[i, n] = (-1) ** i
            right[i] = target(x)
        c = list(mp.lu_solve(matrix, right))[:n]
        errors = [sum(a * b for a, b in zip(c, row)) - w for row, w in zip(values, wanted)]
        # The largest error of each run of one sign becomes a node.
        extremes, k = [], 0
        while k <= grid:
            best, sign = k, errors[k] > 0
            while k <= grid and (errors[k] > 0) == sign:
                if abs(errors[k]) > abs(errors[best]):
                    best = k
                k += 1
            extremes.append(best)
        while len(extremes) > n + 1:
            extremes.pop(0 if abs(errors[extremes[0]]) < abs(errors[extremes[-1]]) else -1)
        if len(extremes) < n + 1:
            break
        moved = max(abs(points[m] - x) for m, x in zip(extremes, nodes))
        nodes = [points[m] for m in extremes]
        if moved < mp.mpf("1e-12"):
            break
    return c, points


def to_float(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def report(name, target, basis, low, high):
    """Prints the polynomial; target and basis are relative to the function approximated."""
    c, points = remez(target, basis, low, high)
    rounded = [to_float(x) for x in c]

    def worst(coefficients):
        return max(abs(sum(a * b(x) for a, b in zip(coefficients, basis)) - target(x))
                   for x in points)

    print(f"{name}: relative error {mp.nstr(worst(c), 3)}, "
          f"{mp.nstr(worst([mp.mpf(x) for x in rounded]), 3)} as floats")
    for x in rounded:
        print(f"    {x:.9g}f")


def main():
    # ln 2 in two parts: the first has 15 bits, so that its product with any exponent is exact.
    first = mp.floor(mp.log(2) * 2**15) / 2**15
    print("log 2 =", f"{float(first):.10g}f", "+", f"{to_float(mp.log(2) - first):.9g}f",
          " 1 / log 2 =", f"{to_float(1 / mp.log(2)):.9g}f")

    # exp(r) - 1 = r + r^2 / 2 + r^3 P(r) for |r| <= log(2) / 2 and a little more.
    edge = mp.log(2) / 2 * mp.mpf("1.001")
    report("exp(r) - 1", lambda r: (mp.expm1(r) - r - r * r / 2) / mp.expm1(r),
           [lambda r, i=i: r ** (3 + i) / mp.expm1(r) for i in range(4)], -edge, edge)

    # log(1 + s) = s - s^2 / 2 + s^3 P(s) for 1 + s from sqrt(1/2) to sqrt(2) and a little more.
    report("log(1 + s)", lambda s: (mp.log1p(s) - s + s * s / 2) / mp.log1p(s),
           [lambda s, i=i: s ** (3 + i) / mp.log1p(s) for i in range(8)],
           mp.sqrt(0.5) - 1 - mp.mpf("1e-4"), mp.sqrt(2) - 1 + mp.mpf("1e-4"))

    # Phi(-z) exp(z^2 / 2) = t Q(t), t = 1 / (1 + 0.35 z), for z from 0 to 15; Phi is the normal
    # distribution, erfc(z / sqrt 2) / 2. Of the factors tried (0.2 to 0.5), 0.35 serves best.
    factor = mp.mpf(to_float(0.35))

    def scaled(t):
        z = (1 / t - 1) / factor
        return mp.erfc(z / mp.sqrt(2)) * mp.exp(z * z / 2) / 2

    report("Phi(-z) exp(z^2/2)", lambda t: mp.mpf(1),
           [lambda t, i=i: t ** (1 + i) / scaled(t) for i in range(9)],
           1 / (1 + factor * 15), mp.mpf(1))


if __name__ == "__main__":
    main()
