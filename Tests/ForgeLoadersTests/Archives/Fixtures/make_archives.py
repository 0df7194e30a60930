"""Writes the NumPy, safetensors, zip and Keras files that the tests of ForgeLoaders read.

Run it in this folder with a Python that has numpy, ml_dtypes, safetensors, h5py and Keras 3:

    python make_archives.py

Each array gets a line in expected.txt (file, entry, type, sizes, first value's place in expected.bin,
number of values); expected.bin holds all values as little-endian float32 in the order of those lines,
the last axis innermost. Values are seeded random numbers, exact in half precision and bfloat16.
The .keras files have times in them and differ from run to run.
"""

import io
import os
import struct
import zipfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["KERAS_BACKEND"] = "tensorflow"

import h5py
import ml_dtypes
import numpy as np
import safetensors.numpy

HERE = os.path.dirname(os.path.abspath(__file__))
random = np.random.default_rng(20240611)
expected_lines = []
expected_values = []
place = 0


def values(*shape, dtype="<f4"):
    """Random values with seven bits: exact in bfloat16, and so in every type that is used."""
    return (random.integers(-64, 64, shape)).astype(dtype)


def path(name):
    return os.path.join(HERE, name)


def expect(file, entry, type_name, array):
    global place
    array = np.asarray(array)
    flat = np.ascontiguousarray(array).astype("<f4").ravel()
    sizes = "x".join(map(str, array.shape)) or "-"
    expected_lines.append(f"{file} {entry} {type_name} {sizes} {place} {flat.size}")
    expected_values.append(flat)
    place += flat.size


NAMES = {"f4": "f32", "f2": "f16", "f8": "f64", "i1": "i8", "u1": "u8", "i4": "i32", "i8": "i64", "b1": "bool"}


def name_of(array):
    return NAMES[array.dtype.str[1:]]


# NumPy arrays.


def npy():
    arrays = {
        "f4.npy": values(2, 3, 4),
        "f2.npy": values(3, 5, dtype="<f2") / np.float16(8),
        "fortran.npy": np.asfortranarray(values(3, 4, 5)),
        "scalar.npy": np.asarray(values(), dtype="<f4"),
        "empty.npy": np.zeros((3, 0), "<f4"),
    }
    for name, array in arrays.items():
        np.save(path(name), array)
        expect(name, "-", name_of(array), array)
    for version in [2, 3]:
        array = values(2, 2)
        with open(path(f"version{version}.npy"), "wb") as file:
            np.lib.format.write_array(file, array, version=(version, 0))
        expect(f"version{version}.npy", "-", "f32", array)


ARRAYS = None


def arrays():
    return {
        "single": values(2, 3),
        "half": values(4, dtype="<f2"),
        "double": values(2, 2, dtype="<f8"),
        "signed": values(5, dtype="i1"),
        "unsigned": np.abs(values(5, dtype="i4")).astype("u1"),
        "int": values(2, 2, dtype="<i4"),
        "long": values(3, dtype="<i8"),
        "truth": values(6) > 0,
        "transposed": values(3, 4).T,
        "folder/inner": values(2),
        "big": np.arange(4000, dtype="<f4") % 13,
    }


def npz():
    for name, save in [("stored.npz", np.savez), ("deflated.npz", np.savez_compressed)]:
        all = arrays()
        save(path(name), **all)
        for entry, array in all.items():
            expect(name, entry, name_of(array), array)
    # What is not read.
    np.savez(
        path("other.npz"),
        swapped=values(3).astype(">f4"),
        complex=values(3).astype("<c8"),
        short=values(3, dtype="<i2"),
        text=np.array(["a", "bc"]),
        bfloat=values(3).astype(ml_dtypes.bfloat16),
        records=np.zeros(2, [("x", "<f4"), ("y(,'", "<i4", (2,))]),
        objects=np.array([None, {}], dtype=object),
        good=np.zeros(2, "<f4"),
    )


def network(wrap):
    """The parameters of three layers: a convolution, a batch normalization, a dense layer."""
    names = {
        "plain": ("{}/weights", "{}/biases", "{}/gamma", "{}/beta", "{}/mean", "{}/variance"),
        "keras": (
            "{}/kernel:0", "{}/bias:0", "{}/gamma:0", "{}/beta:0", "{}/moving_mean:0",
            "{}/moving_variance:0",
        ),
        "twice": (
            "{0}/{0}/kernel:0", "{0}/{0}/bias:0", "{0}/{0}/gamma:0", "{0}/{0}/beta:0",
            "{0}/{0}/moving_mean:0", "{0}/{0}/moving_variance:0",
        ),
        "flat": ("{}_w", "{}_b", "{}_gamma", "{}_beta", "{}_mean", "{}_var"),
    }[wrap]
    return {
        names[0].format("conv1"): values(3, 2, 1, 4),
        names[1].format("conv1"): values(4),
        names[2].format("bn1"): values(4),
        names[3].format("bn1"): values(4),
        names[4].format("bn1"): values(4),
        names[5].format("bn1"): values(4),
        names[0].format("fc"): values(8, 3),
        names[1].format("fc"): values(3),
    }


def networks():
    for wrap in ["plain", "keras", "twice", "flat"]:
        all = network(wrap)
        np.savez(path(f"network_{wrap}.npz"), **all)
        for entry, array in all.items():
            expect(f"network_{wrap}.npz", entry, "f32", array)


# Zip archives of other forms.


def npy_bytes(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


class Unseekable(io.RawIOBase):
    """A stream without a way back: zipfile then writes sizes behind the bytes."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, bytes):
        return self.file.write(bytes)


def zips():
    first, second = values(3), values(2, 2)

    def write(file, **options):
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, **options) as archive:
            archive.mkdir("folder")
            archive.writestr("a.npy", npy_bytes(first))
            archive.writestr("folder/b.npy", npy_bytes(second))
            archive.writestr("readme.txt", "not an array")
            archive.comment = b"PK\x05\x06 a comment that looks like an end, " + b"x" * 40

    limits = zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = 0, 0
    write(path("zip64.npz"))
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = limits
    with open(path("streamed.npz"), "wb") as file:
        write(Unseekable(file))
    for name in ["zip64.npz", "streamed.npz"]:
        expect(name, "a", "f32", first)
        expect(name, "folder/b", "f32", second)

    with zipfile.ZipFile(path("escaping.npz"), "w") as archive:
        archive.writestr("../../etc/passwd.npy", npy_bytes(first))
        archive.writestr("/absolute.npy", npy_bytes(second))
    expect("escaping.npz", "../../etc/passwd", "f32", first)
    expect("escaping.npz", "/absolute", "f32", second)

    import warnings

    warnings.simplefilter("ignore")
    with zipfile.ZipFile(path("duplicate.npz"), "w") as archive:
        archive.writestr("a.npy", npy_bytes(first))
        archive.writestr("a.npy", npy_bytes(second))
    with zipfile.ZipFile(path("bzip2.npz"), "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.npy", npy_bytes(first))
    # Zeros, a thousand times as many as the archive has bytes.
    with zipfile.ZipFile(path("zeros.npz"), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("a.npy", npy_bytes(np.zeros(500_000, "<f4")))

    # An entry inside another: the bytes of one are unpacked twice.
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("b.npy", npy_bytes(second))
        info = archive.infolist()[0]
    with zipfile.ZipFile(path("overlapping.npz"), "w") as archive:
        archive.writestr("a.npy", inner.getvalue())
        data = archive.infolist()[0].header_offset + 30 + len("a.npy")
        info.header_offset = data
        archive.filelist.append(info)
        archive.NameToInfo[info.filename] = info

    with open(path("bzip2.npz"), "rb") as file:
        bytes = bytearray(file.read())
    # The same with the mark of encryption, in both headers.
    for signature, offset in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)]:
        bytes[bytes.index(signature) + offset] |= 1
    with open(path("encrypted.npz"), "wb") as file:
        file.write(bytes)


# safetensors.


def tensors():
    all = {
        "conv1.weight": values(4, 1, 3, 2),
        "conv1.bias": values(4).astype("<f2"),
        "bn1.weight": values(4).astype(ml_dtypes.bfloat16),
        "bn1.bias": values(4),
        "bn1.running_mean": values(4).astype("<f8"),
        "bn1.running_var": values(4),
        "bn1.num_batches_tracked": np.array(12, "<i8"),
        "fc.weight": values(3, 8).astype("<f2"),
        "fc.bias": values(3).astype(ml_dtypes.bfloat16),
        "bytes": values(3, dtype="i1"),
        "ubytes": np.abs(values(3, dtype="i1")).astype("u1"),
        "ints": values(3, dtype="<i4"),
        "truths": values(3) > 0,
        "empty": np.zeros((0, 2), "<f4"),
    }
    safetensors.numpy.save_file(all, path("types.safetensors"), {"format": "pt", "note": "ä\n\"q\""})
    names = dict(NAMES, bfloat16="bf16")
    for entry, array in all.items():
        type_name = "bf16" if array.dtype == ml_dtypes.bfloat16 else name_of(array)
        expect("types.safetensors", entry, type_name, array)
    # Types that are listed and not read.
    safetensors.numpy.save_file(
        {"short": values(3, dtype="<i2"), "long": np.zeros(2, "<u8"), "good": values(2)},
        path("other.safetensors"),
    )


# Keras.


def keras_archives():
    import keras

    layers = keras.layers
    keras.utils.set_random_seed(1)
    image = keras.Input((4, 4, 2), name="image")
    x = layers.Conv2D(3, 3, name="head")(image)
    x = layers.BatchNormalization(name="norm")(x)
    x = layers.ReLU(name="act")(x)
    x = layers.DepthwiseConv2D(2, name="depth")(x)
    inner = keras.Sequential(
        [keras.Input((1, 1, 3)), layers.Conv2D(2, 1, name="deep"), layers.PReLU(name="slope")],
        name="inner",
    )
    x = layers.Flatten(name="flat")(inner(x))
    # The names Keras would give, but to the other layer.
    x = layers.Dense(3, name="dense_1")(x)
    x = layers.Dense(3, name="dense")(x)
    model = keras.Model(image, x, name="net")
    model.set_weights([values(*w.shape) for w in model.get_weights()])
    model.save(path("model.keras"))
    for layer in list(model.layers) + list(inner.layers):
        if layer is inner:
            continue
        for weight in layer.weights:
            for name in ["model", "deflated", "unnamed"]:
                expect(f"{name}.keras", f"{layer.name}/{weight.name}", "f32", weight.numpy())

    with zipfile.ZipFile(path("model.keras")) as archive:
        files = {info.filename: archive.read(info) for info in archive.infolist()}
    with zipfile.ZipFile(path("deflated.keras"), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, bytes in files.items():
            archive.writestr(name, bytes)
    # Early versions did not note the names.
    weights = io.BytesIO(files["model.weights.h5"])
    with h5py.File(weights, "r+") as file:
        def strip(_, item):
            if "name" in item.attrs:
                del item.attrs["name"]
        file.visititems(strip)
    files["model.weights.h5"] = weights.getvalue()
    with zipfile.ZipFile(path("unnamed.keras"), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, bytes in files.items():
            archive.writestr(name, bytes)


npy()
npz()
networks()
zips()
tensors()
keras_archives()

with open(path("expected.txt"), "w") as file:
    file.write("\n".join(expected_lines) + "\n")
np.concatenate(expected_values).tofile(path("expected.bin"))
