"""Draws arrays: numbers of uneven scale, numbers that are not finite, and whole numbers.

A graph has one style, so that a difference can be told by it:

- `plain`: numbers from −2 to 2;
- `uneven`: rows, channels or examples have factors of 10⁻⁶ to 10⁶, or one of them has;
- `extreme`: the same with 10⁻³⁰ to 10³⁰;
- `hostile`: NaN, infinities, denormal numbers, zeros and the largest numbers among the others.
"""
import numpy as np

FLOAT = np.float32
STYLES = ["plain", "uneven", "extreme", "hostile"]
WEIGHTS = [30, 45, 10, 15]
# What the largest results of a graph may be.
LARGEST = {"plain": 1e6, "uneven": 1e18, "extreme": 3e38, "hostile": np.inf}
HOSTILE = [
    np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-40, 1e-45, 1.1754944e-38, 3.4028235e38,
    -3.4028235e38, 1e30, 0.5, 2.5, -2.5, 16777217.0]


def factors(random, numbers, count, exponent):
    """A factor for each place of an axis: all random, or one of them."""
    if random.random() < 0.5:
        return 10.0 ** numbers.uniform(-exponent, exponent, count)
    result = np.ones(count)
    result[random.randrange(count)] = 10.0 ** random.choice(
        [-exponent, -exponent / 2, exponent / 2, exponent])
    return result


def uneven(random, numbers, array, exponent):
    """The array with factors along one or two of its axes."""
    result = array.astype(np.float64)
    axes = [axis for axis, size in enumerate(array.shape) if size > 1]
    random.shuffle(axes)
    for axis in axes[:random.choice([1, 1, 2])]:
        shape = [1] * array.ndim
        shape[axis] = array.shape[axis]
        result *= factors(random, numbers, array.shape[axis], exponent).reshape(shape)
    return np.clip(result, -1e37, 1e37).astype(FLOAT)


def hostile(random, numbers, array):
    """The array with a few numbers of `HOSTILE`."""
    result = array.copy()
    flat = result.reshape(-1)
    for _ in range(random.choice([1, 1, 2, 4])):
        if flat.size:
            flat[random.randrange(flat.size)] = random.choice(HOSTILE)
    return result


def tied(random, array):
    """The array with few different numbers, so that many are equal."""
    return (np.round(array * random.choice([1, 2])) / 2).astype(FLOAT)


def styled(random, numbers, array, style):
    """The array of an input in the style of the graph."""
    if random.random() < 0.1:
        array = tied(random, array)
    if style == "uneven" or style == "extreme" and random.random() < 0.5:
        return uneven(random, numbers, array, 6)
    if style == "extreme":
        return uneven(random, numbers, array, 30)
    if style == "hostile":
        return hostile(random, numbers, array)
    return array


def whole(random, numbers, shape):
    """Whole numbers: small ones, some beside 2²⁴, or some that only 64 bits hold."""
    array = np.asarray(numbers.integers(-9, 10, size=shape))
    flat = array.reshape(-1)
    kind = random.random()
    if flat.size and kind < 0.4:
        for _ in range(random.choice([1, 2, 4])):
            flat[random.randrange(flat.size)] = random.choice(
                [2**24 - 1, 2**24, 2**24 + 1, -2**24, -2**24 - 1, 2**25 + 2, 2**31 - 1])
    if flat.size and kind < 0.1:
        flat[random.randrange(flat.size)] = random.choice([2**40 + 1, -2**53, 2**62])
    return array.astype(np.int64 if kind < 0.1 or random.random() < 0.7 else np.int32)
