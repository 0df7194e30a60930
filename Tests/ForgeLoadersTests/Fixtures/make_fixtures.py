"""Writes the HDF5 files that the tests of ForgeLoaders read, and what is in them.

Run it in this folder with a Python that has numpy, h5py and Keras 3:

    python make_fixtures.py

Each file F.h5 gets a line per dataset in expected.txt (file, path, type, sizes, first value's
place in expected.bin, number of values); expected.bin holds all values as little-endian float32,
in the order of those lines. Values are seeded random numbers, exact in the type they are stored in.
deflated.bin, inflated.bin and zlib_takes.txt are for the decompressor. The newest form of HDF5 has
times in it: newest.h5 and virtual.h5 differ from run to run.
"""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["KERAS_BACKEND"] = "tensorflow"

import zlib

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {
    "<f4": "f32", "<f8": "f64", "<f2": "f16", "|i1": "i8", "|u1": "u8", "<i4": "i32", "<i8": "i64",
}

random = np.random.default_rng(20240607)


def values(*shape, dtype="<f4"):
    """Random values that are exact in half precision, and so in every type that is used."""
    return (random.integers(-512, 512, shape) / 64).astype(dtype)


def path(name):
    return os.path.join(HERE, name)


# Keras 1 and 2: lists of names in attributes, texts of fixed length.


def write_layers(group, layers, cut=False):
    names = [name.encode() for name, _ in layers]
    if cut:  # Keras cuts lists that do not fit an object header.
        group.attrs["layer_names0"] = names[:2]
        group.attrs["layer_names1"] = names[2:]
    else:
        group.attrs["layer_names"] = names
    group.attrs["backend"] = b"tensorflow"
    group.attrs["keras_version"] = b"2.4.0"
    for name, weights in layers:
        layer = group.create_group(name)
        layer.attrs["weight_names"] = [weight.encode() for weight, _ in weights]
        for weight, array in weights:
            layer.create_dataset(weight, data=array)


def two_layers():
    return [
        ("input_1", []),
        ("conv1", [("conv1/kernel:0", values(3, 2, 2, 4)), ("conv1/bias:0", values(4))]),
        ("dw", [("dw/depthwise_kernel:0", values(2, 3, 4, 2))]),
        (
            "bn",
            [
                ("bn/gamma:0", values(8)),
                ("bn/beta:0", values(8)),
                ("bn/moving_mean:0", values(8)),
                ("bn/moving_variance:0", values(8)),
            ],
        ),
        ("relu", []),
        ("fc", [("fc/kernel:0", values(24, 5)), ("fc/bias:0", values(5))]),
    ]


def keras2_model():
    with h5py.File(path("keras2_model.h5"), "w") as file:
        file.attrs["backend"] = b"tensorflow"
        file.attrs["model_config"] = b'{"class_name": "Functional", "config": {"name": "net"}}'
        write_layers(file.create_group("model_weights"), two_layers())
        file.create_group("optimizer_weights").create_dataset("Adam/iter:0", data=np.int64(7))


def keras2_weights():
    with h5py.File(path("keras2_weights.h5"), "w") as file:
        layers = [layer for layer in two_layers() if layer[0] in ("conv1", "fc", "relu")]
        # A model inside the model; TensorFlow's scopes; a wrapper; Keras 1's names.
        layers.append(
            (
                "backbone",
                [
                    ("conv1/kernel:0", values(1, 1, 2, 3)),
                    ("conv1/bias:0", values(3)),
                    ("deep/kernel:0", values(1, 1, 3, 2)),
                ],
            )
        )
        layers.append(
            ("neck", [("deep/kernel:0", values(1, 1, 2, 2)), ("top/kernel:0", values(1, 1, 2, 2))])
        )
        layers.append(("scoped", [("net_1/scoped/kernel:0", values(2, 2))]))
        layers.append(("td", [("tdd/kernel:0", values(2, 3)), ("tdd/bias:0", values(3))]))
        layers.append(("old_1", [("old_1_W_1:0", values(2, 2)), ("old_1_b_1:0", values(2))]))
        layers.append(
            (
                "sep",
                [
                    ("sep/depthwise_kernel:0", values(3, 3, 2, 1)),
                    ("sep/pointwise_kernel:0", values(1, 1, 2, 4)),
                    ("sep/bias:0", values(4)),
                ],
            )
        )
        layers.append(("prelu", [("prelu/alpha:0", values(1, 1, 4))]))
        write_layers(file, layers, cut=True)


# Other files: forms of storage, types, links.


def storage():
    with h5py.File(path("storage.h5"), "w") as file:
        file["plain/kernel"] = values(5, 3)
        file["plain/bias"] = values(3)
        file["scalar"] = np.float32(1.5)
        file["empty"] = np.zeros((0, 4), "<f4")
        file["half"] = values(7, dtype="<f2")
        file["double"] = values(7, dtype="<f8")
        file["bytes"] = np.arange(-3, 4, dtype="|i1")
        file["wide"] = np.arange(5, dtype="<i8")
        file["truth"] = np.array([True, False])
        file["big"] = values(4, dtype=">f4")
        file["texts"] = np.array([b"one", b"three"])
        file["pairs"] = np.zeros(2, [("a", "<f4"), ("b", "<i4")])
        file.create_dataset("never", (4,), "<f4")
        file.create_dataset("compact", data=values(6), dcpl=compact())
        # Chunks that do not divide the sizes.
        file.create_dataset("chunked", data=values(7, 5, 3), chunks=(3, 2, 2))
        file.create_dataset("gzip", data=values(40, 9), chunks=(16, 9), compression="gzip")
        file.create_dataset(
            "shuffled", data=values(33, dtype="<f8"), chunks=(8,), compression="gzip", shuffle=True,
            fletcher32=True,
        )
        file.create_dataset("summed", data=values(9), chunks=(4,), fletcher32=True)
        # Chunks that were not all written.
        partly = file.create_dataset("partly", (8,), "<f4", chunks=(4,))
        partly[:4] = values(4)
        # Many entries: the tree of the group gets more than one list of names.
        for index in range(20):
            file[f"many/entry{index:02}"] = np.float32(index)


def compact():
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_layout(h5py.h5d.COMPACT)
    return properties


def links():
    with h5py.File(path("links.h5"), "w") as file:
        file["conv1/kernel"] = values(2, 2)
        file["soft/kernel"] = h5py.SoftLink("/conv1/kernel")
        file["near/here"] = values(2)
        file["near/kernel"] = h5py.SoftLink("here")
        file["folder"] = h5py.SoftLink("/conv1")
        file["dangling/kernel"] = h5py.SoftLink("/nowhere")
        file["circle/one"] = h5py.SoftLink("/circle/two")
        file["circle/two"] = h5py.SoftLink("/circle/one")
        file["outside/kernel"] = h5py.ExternalLink("other.h5", "/secret")
        file["around/kernel"] = h5py.SoftLink("/outside/kernel")
        file["hard"] = file["conv1"]
        file["itself/again"] = file["/"]


def virtual():
    with h5py.File(path("virtual.h5"), "w") as file:
        file["source"] = values(4)
        layout = h5py.VirtualLayout((4,), "<f4")
        layout[:] = h5py.VirtualSource("virtual.h5", "source", (4,))
        file.create_virtual_dataset("layer/kernel", layout)
        file.create_dataset(
            "external/kernel", (4,), "<f4", external=[("secret.bin", 0, 16)]
        )


def newest():
    with h5py.File(path("newest.h5"), "w", libver="latest") as file:
        file["conv1/kernel"] = values(2, 3)
        file["conv1/bias"] = values(3)
        file["conv1"].attrs["note"] = "hello"
        file.create_dataset("rare", data=values(8), chunks=(4,))
        for index in range(12):
            file[f"large/entry{index}"] = values(1)


def user_block():
    with h5py.File(path("user_block.h5"), "w", userblock_size=512) as file:
        file["fc/kernel"] = values(2, 3)
        file["fc/bias"] = values(3)


def ambiguous():
    """In the form of Keras 3's weights: a 1×1 convolution and a dense layer of the same sizes."""
    with h5py.File(path("ambiguous.weights.h5"), "w") as file:
        file["layers/conv2d/vars/0"] = values(1, 1, 3, 3)
        file["layers/dense/vars/0"] = values(3, 3)


def theano():
    with h5py.File(path("theano.h5"), "w") as file:
        write_layers(file, two_layers()[1:2])
        file.attrs["backend"] = b"theano"


def deflated():
    """Streams of every kind of block, each with its length before it, and the bytes they give."""
    text = bytes(random.integers(97, 105, 1200, dtype="u1")) + b"forge" * 120
    streams = []
    with open(path("deflated.bin"), "wb") as file, open(path("inflated.bin"), "wb") as plain:
        plain.write(text)
        kinds = [(0, 0), (1, 0), (9, 0), (9, zlib.Z_FIXED), (9, zlib.Z_HUFFMAN_ONLY)]
        for level, strategy in kinds:
            packer = zlib.compressobj(level, zlib.DEFLATED, 15, 8, strategy)
            stream = packer.compress(text) + packer.flush()
            file.write(len(stream).to_bytes(4, "little") + stream)
            streams.append(stream)
    # Adler-32 is weak: the altered bytes that zlib itself takes, for other contents.
    with open(path("zlib_takes.txt"), "w") as taken:
        for index, stream in enumerate(streams):
            for position in range(len(stream)):
                for mask in (0x01, 0x10, 0x80, 0xFF):
                    altered = bytearray(stream)
                    altered[position] ^= mask
                    unpacker = zlib.decompressobj()
                    try:
                        result = unpacker.decompress(bytes(altered))
                    except zlib.error:
                        continue
                    if unpacker.eof and result != text and len(result) == len(text):
                        taken.write(f"{index} {position} {mask}\n")


# Keras 3, by itself.


def keras3():
    import keras

    layers = keras.layers
    start = layers.Input((8, 8, 2))
    x = layers.Conv2D(3, 3, name="stem")(start)
    x = layers.BatchNormalization(scale=False, name="norm")(x)
    x = layers.DepthwiseConv2D(3, depth_multiplier=2, use_bias=False, name="dw")(x)
    x = layers.SeparableConv2D(4, 1, name="sep")(x)
    x = layers.PReLU(shared_axes=[1, 2], name="slope")(x)
    inner = keras.Sequential(
        [layers.Input((4, 4, 4)), layers.Conv2D(2, 3, name="stem")], name="inner"
    )
    x = inner(x)
    x = layers.Dense(3, name="head")(layers.Flatten(name="flat")(x))
    model = keras.Model(start, x, name="net")
    fill(model, "keras3")
    model.save(path("keras3.h5"))

    start = layers.Input((6, 6, 1))
    x = layers.Conv2D(2, 3, name="first")(start)
    x = layers.Conv2D(2, 3, name="second", use_bias=False)(x)
    x = layers.BatchNormalization(name="third")(x)
    x = layers.Dense(3, name="fourth")(layers.Flatten(name="flat")(x))
    x = layers.Dense(3, name="fifth")(x)
    fill(keras.Model(start, x, name="chain"), "keras3_chain")


def fill(model, name):
    model.set_weights([values(*weight.shape) for weight in model.get_weights()])
    model.save_weights(path(name + ".weights.h5"))


def brain_floats():
    import keras

    model = keras.Sequential(
        [keras.layers.Input((4,)), keras.layers.Dense(3, dtype="bfloat16", name="brain")]
    )
    model.set_weights([values(*weight.shape) for weight in model.get_weights()])
    model.save_weights(path("keras3_bfloat16.weights.h5"))
    return model.get_weights()


def expect(files, brain):
    lines = []
    data = []
    count = 0

    def add(file, entry, type_name, array):
        nonlocal count
        array = np.asarray(array).astype("<f4").ravel()
        lines.append((file, entry, type_name, count, array.size))
        data.append(array)
        count += array.size

    shapes = {}
    for name in files:
        with h5py.File(path(name), "r") as file:

            def visit(entry, thing):
                if isinstance(thing, h5py.Dataset) and thing.dtype.str in TYPES:
                    shapes[name, "/" + entry] = thing.shape
                    add(name, "/" + entry, TYPES[thing.dtype.str], thing[()])

            file.visititems(visit)
    for index, array in enumerate(brain):
        entry = f"/layers/dense/vars/{index}"
        shapes["keras3_bfloat16.weights.h5", entry] = array.shape
        add("keras3_bfloat16.weights.h5", entry, "bf16", array)
    with open(path("expected.txt"), "w") as text:
        for name, entry, type_name, start, size in lines:
            shape = ",".join(map(str, shapes[name, entry])) or "-"
            text.write(f"{name} {entry} {type_name} {shape} {start} {size}\n")
    np.concatenate(data).tofile(path("expected.bin"))


def main():
    keras2_model()
    keras2_weights()
    storage()
    links()
    virtual()
    newest()
    user_block()
    theano()
    ambiguous()
    deflated()
    keras3()
    brain = brain_floats()
    files = [
        name for name in sorted(os.listdir(HERE))
        if name.endswith(".h5") and name not in ("virtual.h5", "keras3_bfloat16.weights.h5")
    ]
    expect(files, brain)


main()
