"""Writes HDF5 files with every layout, chunk index and filter that ForgeLoaders reads.

Run it in this folder with a Python that has numpy and h5py:

    python make_layouts.py

The tests read the files with Forge and with libhdf5 and compare the values bit for bit. Values are
seeded random numbers.
"""

import os

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
random = np.random.default_rng(20260611)


def values(*shape, dtype="<f4"):
    return (random.integers(-512, 512, shape) / 64).astype(dtype)


def low_level(file, name, array, chunk, prepare, maximum=None):
    """A dataset with properties that h5py's own interface does not have."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    file.require_group(os.path.dirname(name))
    if chunk:
        properties.set_chunk(chunk)
    prepare(properties)
    space = h5py.h5s.create_simple(array.shape, maximum)
    dataset = h5py.h5d.create(
        file.id, name.encode(), h5py.h5t.py_create(array.dtype), space, properties)
    return h5py.Dataset(dataset)


def compact(properties):
    properties.set_layout(h5py.h5d.COMPACT)


def early(properties):
    properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)


def summed_then_deflated(properties):
    properties.set_fletcher32()
    properties.set_deflate(6)


def summed_shuffled_deflated(properties):
    properties.set_fletcher32()
    properties.set_shuffle()
    properties.set_deflate(6)


def deflated_then_shuffled(properties):
    properties.set_deflate(6)
    properties.set_shuffle()


def common(file):
    """What both the older and the newer form have; no group has more than eight entries."""
    file["plain/contiguous"] = values(5, 7)
    file["plain/double"] = values(5, 7, dtype="<f8")
    file["plain/half"] = values(9, dtype="<f2")
    file["plain/single"] = np.float32(2.5)
    file["plain/empty"] = np.zeros((0, 3), "<f4")
    small = values(6)
    low_level(file, "plain/compact", small, None, compact)[...] = small
    make = file.create_dataset
    make("chunks/one_axis", data=values(33), chunks=(8,))
    make("chunks/two_axes", data=values(7, 11), chunks=(3, 4))
    make("chunks/rows", data=values(10, 6), chunks=(3, 6))
    make("chunks/even_rows", data=values(12, 6), chunks=(3, 6))
    make("chunks/three_axes", data=values(5, 4, 6), chunks=(2, 3, 4))
    make("chunks/inner_whole", data=values(5, 7, 3), chunks=(2, 2, 3))
    make("chunks/many", data=values(300), chunks=(2,))
    make("filters/deflate", data=values(40, 9), chunks=(16, 9), compression="gzip")
    make("filters/stored", data=values(40, 9), chunks=(16, 9), compression="gzip",
         compression_opts=0)
    make("filters/shuffle", data=values(33, dtype="<f8"), chunks=(8,), shuffle=True)
    make("filters/fletcher32", data=values(33), chunks=(8,), fletcher32=True)
    make("filters/odd_fletcher32", data=values(15, dtype="|i1"), chunks=(5,), fletcher32=True)
    make("filters/all", data=values(33, 3), chunks=(8, 2), compression="gzip", shuffle=True,
         fletcher32=True)
    for name, prepare in [
        ("summed_deflate", summed_then_deflated),
        ("summed_shuffle_deflate", summed_shuffled_deflated),
        ("deflate_shuffle", deflated_then_shuffled),
    ]:
        array = values(21, 4)
        low_level(file, "orders/" + name, array, (6, 3), prepare)[...] = array
    # One chunk leaves out the deflate filter.
    left_out = make("filters/left_out", (8,), "<f4", chunks=(4,), compression="gzip")
    left_out[:4] = values(4)
    left_out.id.write_direct_chunk((4,), values(4).tobytes(), filter_mask=1)
    make("fill/zeros", (4, 3), "<f4")
    make("fill/value", (4, 3), "<f4", fillvalue=-2.5)
    make("fill/chunks", (9,), "<f8", chunks=(4,), fillvalue=3.25)
    partly = make("fill/partly", (9, 5), "<f4", chunks=(4, 2), fillvalue=1.5)
    partly[4:8, 2:4] = values(4, 2)
    grows = make("fill/larger_chunk", (3,), "<f4", chunks=(8,), maxshape=(None,))
    grows[...] = values(3)


def older():
    with h5py.File(os.path.join(HERE, "layouts_old.h5"), "w", libver="earliest") as file:
        common(file)


def newer():
    path = os.path.join(HERE, "layouts_new.h5")
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        common(file)
        make = file.create_dataset
        make("lists/one", data=values(4, 5), chunks=(4, 5))
        make("lists/one_deflate", data=values(4, 5), chunks=(4, 5), compression="gzip")
        array = values(7, 5)
        low_level(file, "lists/implicit", array, (3, 2), early)[...] = array
        array = values(4, 3)
        low_level(file, "lists/implicit_may_grow", array, (2, 2), early, (8, 7))[...] = array
        make("lists/fixed", data=values(5, 4), chunks=(2, 2), maxshape=(9, 12))
        make("lists/fixed_deflate", data=values(5, 4), chunks=(2, 2), maxshape=(9, 12),
             compression="gzip")
        paged = make("lists/fixed_pages", (3000,), "|i1", chunks=(1,), fillvalue=7)
        for place in (0, 5, 1023, 1024, 2999):
            paged[place] = place % 100
        make("one_axis/few", data=values(3, 4), chunks=(1, 4), maxshape=(None, 4))
        make("one_axis/more", data=values(120, 3), chunks=(1, 2), maxshape=(None, 3))
        make("one_axis/deflate", data=values(60, 3), chunks=(1, 2), maxshape=(None, 3),
             compression="gzip")
        make("one_axis/last", data=values(3, 40), chunks=(2, 1), maxshape=(3, None))
        make("one_axis/middle", data=values(3, 9, 4), chunks=(2, 2, 3), maxshape=(5, None, 4))
        long = make("one_axis/super_blocks", (140_000,), "|i1", chunks=(1,), maxshape=(None,),
                    fillvalue=3)
        for place in (0, 3, 4, 19, 243, 244, 5000, 70_000, 131_075, 131_076, 132_100, 139_999):
            long[place] = place % 100
        make("two_axes/few", data=values(5, 4), chunks=(2, 2), maxshape=(None, None))
        make("two_axes/deflate", data=values(9, 8), chunks=(2, 3), maxshape=(None, None),
             compression="gzip", shuffle=True)
        # The tree has two levels above its leaves.
        make("two_axes/levels", data=values(14, 14, 14, dtype="|i1"), chunks=(1, 1, 1),
             maxshape=(None, None, None), compression="gzip")


older()
newer()
