"""Writes HDF5 files with random groups, types, shapes, layouts, indices, fill values and filters.

    python make_random.py FOLDER COUNT [SEED]

FORGE_HDF5_RANDOM=FOLDER makes the tests read the files with Forge and with libhdf5 and compare the
values bit for bit. The same seed writes the same files. All forms are such that libhdf5 1.10 reads
them.
"""

import itertools
import os
import sys

import h5py
import numpy as np

# The last three are listed, and not read.
READ = ["<f2", "<f4", "<f8", "|i1", "|u1", "<i4", "<i8"]
TYPES = 4 * READ + ["|b1", ">f4", ">i4"]
# The oldest and the newest forms that the library may write. Only libhdf5 1.12 and later read files
# whose oldest forms are of these.
VERSIONS = [("earliest", "v108"), ("earliest", "v110"), ("earliest", "latest"), ("v108", "v108"),
            ("v108", "v110"), ("v110", "v110"), ("v110", "latest")]
FILTERS = [order for count in range(4)
           for order in itertools.permutations(["deflate", "shuffle", "fletcher32"], count)]


def values(random, dtype, sizes):
    """Any bits, but truth values that are true or false."""
    kind = np.dtype(dtype)
    if kind == np.dtype("bool"):
        return random.integers(0, 2, sizes).astype(bool)
    count = int(np.prod(sizes, dtype=int))
    # Few different bytes are what deflate shortens.
    bound = int(random.choice([3, 256]))
    raw = random.integers(0, bound, count * kind.itemsize, dtype=np.uint8).tobytes()
    return np.frombuffer(raw, kind).reshape(sizes)


def shape(random):
    rank = int(random.integers(0, 5))
    most = {0: 1, 1: 400, 2: 40, 3: 12, 4: 7}[rank]
    return tuple(int(size) for size in random.integers(0 if random.random() < 0.05 else 1, most + 1,
                                                       rank))


def maximum(random, sizes):
    """The sizes a dataset may grow to, which decide how its chunks are found."""
    kind = random.choice(["none", "fixed", "one", "all"])
    if kind == "none":
        return None
    if kind == "fixed":
        return tuple(size + int(random.integers(0, 9)) for size in sizes)
    if kind == "all":
        return (None,) * len(sizes)
    endless = int(random.integers(0, len(sizes)))
    return tuple(None if axis == endless else size + int(random.integers(0, 4))
                 for axis, size in enumerate(sizes))


def dataset(random, group, name):
    dtype = np.dtype(TYPES[random.integers(len(TYPES))])
    sizes = shape(random)
    array = values(random, dtype, sizes)
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    layouts = ["contiguous", "compact"] + (["chunked"] * 5 if sizes else [])
    layout = layouts[random.integers(len(layouts))]
    space = None
    if layout == "compact":
        if array.nbytes > 60_000:
            return
        properties.set_layout(h5py.h5d.COMPACT)
    elif layout == "chunked":
        # Some chunks are larger than the dataset where it may grow.
        limit = maximum(random, sizes)
        chunk = tuple(
            int(random.integers(1, max(size, 1) + (3 if limit and limit[axis] is None else 1)))
            for axis, size in enumerate(sizes))
        # The library wants chunks of a fixed axis to be no larger than it may become.
        chunk = tuple(min(part, max((limit or sizes)[axis] or part, 1))
                      for axis, part in enumerate(chunk))
        if np.prod([-(-max(size, 1) // part) for size, part in zip(sizes, chunk)]) > 3000:
            chunk = tuple(max(size, 1) for size in sizes)
        properties.set_chunk(chunk)
        space = h5py.h5s.create_simple(sizes, tuple(
            h5py.h5s.UNLIMITED if most is None else most for most in limit) if limit else None)
        if random.random() < 0.2:
            properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        for kind in FILTERS[random.integers(len(FILTERS))]:
            if kind == "deflate":
                properties.set_deflate(int(random.integers(0, 10)))
            elif kind == "shuffle":
                properties.set_shuffle()
            else:
                properties.set_fletcher32()
    if random.random() < 0.5:
        properties.set_fill_value(values(random, dtype, (1,)))
    if space is None:
        space = (h5py.h5s.create_simple(sizes) if sizes else h5py.h5s.create(h5py.h5s.SCALAR))
    made = h5py.Dataset(h5py.h5d.create(
        group.id, name.encode(), h5py.h5t.py_create(dtype, logical=True), space, properties))
    how = random.choice(["whole", "part", "none", "grown"], p=[0.7, 0.15, 0.05, 0.1])
    if how == "whole" or not sizes or 0 in sizes:
        made[...] = array
    elif how == "part":
        part = tuple(slice(int(random.integers(0, size)), None) for size in sizes)
        made[part] = array[part]
    elif how == "grown":
        made[...] = array
        if layout == "chunked" and made.maxshape[0] is None:
            made.resize((sizes[0] + int(random.integers(1, 6)),) + sizes[1:])


def write(path, seed):
    random = np.random.default_rng(seed)
    options = {}
    if random.random() < 0.1:
        options["userblock_size"] = int(random.choice([512, 1024, 4096]))
    options["libver"] = VERSIONS[random.integers(len(VERSIONS))]
    with h5py.File(path, "w", **options) as file:
        groups = [file]
        for number in range(int(random.integers(0, 5))):
            parent = groups[random.integers(len(groups))]
            groups.append(parent.create_group(f"group{number}"))
        for number in range(int(random.integers(1, 9))):
            dataset(random, groups[random.integers(len(groups))], f"values{number}")


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    os.makedirs(folder, exist_ok=True)
    for number in range(count):
        write(os.path.join(folder, f"random{number:04d}.h5"), [seed, number])


main()
