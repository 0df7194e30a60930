"""Where the numbers in Sources/Kernels/vector/elementary.h come from.

Minimax polynomials by Remez's exchange, and a quotient of two polynomials by least squares,
weighted anew until its errors are even.

Run it (needs mpmath) and it prints each polynomial's coefficients, lowest power first, rounded to
float, with the largest relative error over its interval before and after that rounding.
"""
import struct

import mpmath as mp

mp.mp.dps = 40


def remez(target, basis, low, high, rounds=40, grid=2500):
    """Coefficients c that minimize max |sum c[i] basis[i](x) - target(x)| over low...high."""
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


def quotient(target, above, below, points, rounds=40):
    """Coefficients of N (of degree `above`) and D (`below`; D(0) = 1) with N / D near target.

    Each round solves N - target D = 0 in least squares, divided by target and the last round's D
    (Sanathanan and Koerner), with more weight where the last round's error was large (Lawson)."""
    wanted = [target(z) for z in points]
    weights, last, best = [mp.mpf(1)] * len(points), [mp.mpf(1)] * len(points), None
    count = above + 1 + below
    for turn in range(rounds):
        matrix, right = mp.matrix(count, count), mp.matrix(count, 1)
        for z, r, weight, d in zip(points, wanted, weights, last):
            row = [z**j / r for j in range(above + 1)] + [-(z ** (j + 1)) for j in range(below)]
            for i in range(count):
                for j in range(count):
                    matrix[i, j] += weight / d**2 * row[i] * row[j]
                right[i] += weight / d**2 * row[i]
        x = list(mp.lu_solve(matrix, right))
        n, d = x[: above + 1], [mp.mpf(1)] + x[above + 1 : count]
        last = [mp.polyval(d[::-1], z) for z in points]
        errors = [abs(mp.polyval(n[::-1], z) / q / r - 1)
                  for z, q, r in zip(points, last, wanted)]
        worst = max(errors)
        if best is None or worst < best[2]:
            best = n, d, worst
        if turn > 4:
            weights = [w * (e / worst + mp.mpf("1e-3")) for w, e in zip(weights, errors)]
            total = sum(weights)
            weights = [w / total * len(points) for w in weights]
    return best


def report_quotient(name, target, above, below, high):
    """Prints the quotient that is near target from 0 to `high`."""
    # Dense near 0, sparse near `high`: Chebyshev's points of 1 / (1 + 0.35 z).
    low = 1 / (1 + mp.mpf("0.35") * high)
    points = [(1 / ((low + 1) / 2 + (1 - low) / 2 * mp.cos(mp.pi * k / 159)) - 1) / mp.mpf("0.35")
              for k in range(160)]
    n, d, worst = quotient(target, above, below, points)
    rounded = [[mp.mpf(to_float(x)) for x in c] for c in (n, d)]
    as_floats = max(abs(mp.polyval(rounded[0][::-1], z) / mp.polyval(rounded[1][::-1], z)
                        / target(z) - 1) for z in points)
    print(f"{name}: relative error {mp.nstr(worst, 3)}, {mp.nstr(as_floats, 3)} as floats")
    for part, c in zip("ND", rounded):
        for x in c:
            print(f"    {part} {float(x):.9g}f")


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

    # erf(x) = x P(x^2) for x from 0 to 1.
    report("erf(x)", lambda x: mp.mpf(1), [lambda x, i=i: x ** (2 * i + 1) / mp.erf(x)
                                           for i in range(7)], mp.mpf("1e-3"), mp.mpf("1.001"))

    # Phi(-z) exp(z^2 / 2) = N(z) / D(z) for z from 0 to 15; Phi is the normal distribution,
    # erfc(z / sqrt 2) / 2. All coefficients are positive: nothing cancels.
    report_quotient("Phi(-z) exp(z^2 / 2)",
                    lambda z: mp.erfc(z / mp.sqrt(2)) * mp.exp(z * z / 2) / 2, 4, 5, mp.mpf(15))


if __name__ == "__main__":
    main()
