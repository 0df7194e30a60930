"""Makes the first files of the corpora: small valid ones of every layout, and ones whose form asks for much.

  python make_corpus.py FOLDER

needs h5py, NumPy and Pillow, and writes FOLDER/TARGET/*. Everything is drawn from a fixed seed.
"""

import io
import json
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import h5py
import numpy as np
from PIL import Image

random = np.random.default_rng(11)
FOLDER = Path(sys.argv[1])
MODELS = Path(__file__).parent.parent / "Tests/ForgeImportersTests/Fixtures"
SOUNDS = Path(__file__).parent.parent / "Tests/ForgeAudioTests/Fixtures"
TOKENIZERS = Path(__file__).parent.parent / "Tests/ForgeTextTests/Fixtures"
PICTURES = Path(__file__).parent.parent / "Tests/ForgeImagesTests/Fixtures/pictures"


def put(target, name, data):
    """Writes one file of a target's corpus."""
    path = FOLDER / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def values(*sizes):
    """Normal values."""
    return random.standard_normal(sizes).astype(np.float32)


LAYERS = {"conv1": {"kernel:0": values(3, 3, 2, 4), "bias:0": values(4)},
          "fc1": {"kernel:0": values(8, 3), "bias:0": values(3)}}


# ---- HDF5 ----------------------------------------------------------------------------------------


def hdf5(write, **options):
    """The bytes of an HDF5 file that `write` fills."""
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", **options) as file:
        write(file)
    return buffer.getvalue()


def keras_layers(file, **storage):
    """Weights as Keras 1 and 2 store them."""
    file.attrs["layer_names"] = [name.encode() for name in LAYERS]
    file.attrs["model_config"] = json.dumps({"class_name": "Model", "config": {"layers": []}})
    for layer, weights in LAYERS.items():
        group = file.create_group(layer)
        group.attrs["weight_names"] = [f"{layer}/{name}".encode() for name in weights]
        for name, array in weights.items():
            group.create_dataset(f"{layer}/{name}", data=array, **storage)


def keras3_layers(file):
    """Weights as Keras 3 stores them."""
    for layer, weights in LAYERS.items():
        for index, array in enumerate(weights.values()):
            file.create_dataset(f"layers/{layer}/vars/{index}", data=array)


def many_types(file):
    """What weight files do not have, but HDF5 does."""
    file["compound"] = np.zeros(3, dtype=[("a", "f4"), ("b", "i8")])
    file["texts"] = np.array([b"ab", b"cde"])
    file.create_dataset("long", data=["a", "bcd"], dtype=h5py.string_dtype())
    file["big"] = np.arange(4, dtype=">f4")
    file["half"] = np.zeros(2, "f2")
    file["scalar"] = np.float32(3)
    file["none"] = h5py.Empty("f4")
    file["zero"] = np.zeros((0, 3), "f4")
    file["soft"] = h5py.SoftLink("/big")
    file["loop"] = h5py.SoftLink("/loop")
    file["outside"] = h5py.ExternalLink("other.h5", "/x")
    file["group/again"] = file["/"]
    file.create_dataset("filled", shape=(100,), dtype="f4", fillvalue=3)


def many_groups(file):
    """Groups whose entries fill several nodes of a tree."""
    for index in range(60):
        file.create_dataset(f"layer_{index}/kernel", data=np.zeros(2, "f4"))


STORAGE = {"plain": {}, "chunked": {"chunks": True}, "gzip": {"chunks": True, "compression": "gzip"},
           "shuffled": {"chunks": True, "compression": "gzip", "shuffle": True},
           "checked": {"chunks": True, "fletcher32": True}}
VERSIONS = {"early": "earliest", "v108": ("v108", "v108"), "v110": ("v110", "v110")}

for version, bounds in VERSIONS.items():
    for storage, options in STORAGE.items():
        put("hdf5", f"{version}-{storage}.h5",
            hdf5(lambda file: keras_layers(file, **options), libver=bounds))
    for name, write in [("keras3", keras3_layers), ("types", many_types), ("many", many_groups)]:
        put("hdf5", f"{version}-{name}.h5", hdf5(write, libver=bounds))
# A chunk that unpacks to a thousand times its size.
put("hdf5", "bomb.h5", hdf5(lambda file: file.create_dataset(
    "zeros", data=np.zeros(1 << 20, "f4"), chunks=(1 << 20,), compression="gzip")))


# ---- archives ------------------------------------------------------------------------------------


def npy(array):
    """The bytes of a .npy file."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def npy_claiming(shape, data=b"", padding=0):
    """A .npy file whose header says any shape, and is as long as wanted."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode() + b" " * padding
    return b"\x93NUMPY\x02\0" + struct.pack("<I", len(head)) + head + data


ARRAYS = {"f4": values(3, 4), "f8": values(5).astype("f8"), "f2": values(2, 2, 2).astype("f2"),
          "big": values(4).astype(">f4"), "i8": np.arange(5), "bool": np.zeros(3, "?"),
          "u1": np.arange(7, dtype="u1"), "fortran": np.asfortranarray(values(3, 4, 5)),
          "scalar": np.float32(3), "empty": np.zeros((0, 4), "f4"), "texts": np.array(["ab", "ü"]),
          "record": np.zeros(2, dtype=[("a", "f4"), ("b", "i8")])}
for name, array in ARRAYS.items():
    put("npy", f"{name}.npy", npy(array))
put("npy", "huge.npy", npy_claiming("(1099511627776,)", bytes(16)))
put("npy", "overflow.npy", npy_claiming("(4294967296, 4294967296, 4)", bytes(16)))
put("npy", "spaces.npy", npy_claiming("(4,)", bytes(16), padding=60000))

for name, method in [("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)]:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for layer, weights in LAYERS.items():
            for weight, array in weights.items():
                archive.writestr(f"{layer}/{weight[:-2]}.npy", npy(array))
    put("npz", f"{name}.npz", buffer.getvalue())

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("metadata.json", json.dumps({"keras_version": "3.0.0"}))
        archive.writestr("config.json", json.dumps({
            "class_name": "Functional", "config": {"name": "m", "layers": [
                {"class_name": "Conv2D", "name": "conv1", "config": {"name": "conv1"}},
                {"class_name": "Functional", "config": {"name": "inner", "layers": [
                    {"class_name": "Dense", "config": {"name": "fc1"}}]}}]}}))
        archive.writestr("model.weights.h5", hdf5(keras3_layers))
    put("keras", f"{name}.keras", buffer.getvalue())
# Entries that unpack to a thousand times their size: a header of spaces, an array of zeros.
buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for index in range(8):
        archive.writestr(f"{index}.npy", npy_claiming("(1,)", bytes(4), padding=1 << 20))
    archive.writestr("zeros.npy", npy(np.zeros(1 << 20, "f4")))
put("npz", "bomb.npz", buffer.getvalue())


def nested(depth):
    """A configuration of models in models, whose names add up."""
    model = {"class_name": "Dense", "config": {"name": "d"}}
    for _ in range(depth):
        model = {"class_name": "Functional", "config": {"name": "n" * 500, "layers": [model] * 2}}
    return model


buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("config.json", json.dumps(nested(6)))
    archive.writestr("model.weights.h5", hdf5(keras3_layers))
put("keras", "names.keras", buffer.getvalue())


# ---- safetensors ---------------------------------------------------------------------------------


def safetensors(header, data=b""):
    """The bytes of a safetensors file."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensor(kind, shape, start, end):
    """One entry of a header."""
    return {"dtype": kind, "shape": shape, "data_offsets": [start, end]}


put("safetensors", "usual.safetensors", safetensors(
    {"__metadata__": {"format": "pt"}, "conv1.weight": tensor("F32", [4, 2, 3, 3], 0, 288),
     "conv1.bias": tensor("F16", [4], 288, 296), "n": tensor("I64", [], 296, 304),
     "b": tensor("BF16", [0, 3], 304, 304)}, bytes(304)))
put("safetensors", "marks.safetensors", safetensors(
    {"a" + "\u0301" * 3000: tensor("F32", [1], 0, 4)}, bytes(4)))
put("safetensors", "same.safetensors", safetensors(
    {"\u00e9": tensor("F32", [1], 0, 4), "e\u0301": tensor("F32", [1], 4, 8)}, bytes(8)))
put("safetensors", "deep.safetensors", safetensors(b"[" * 2000 + b"]" * 2000))
put("safetensors", "long.safetensors", struct.pack("<Q", 1 << 62) + b"{}")


# ---- models --------------------------------------------------------------------------------------

# The fixtures of the importers' tests are small models of every kind of layer.
for target, folder, suffixes in [("onnx", "ONNX", [".onnx"]), ("coreml", "CoreML", [".mlmodel"]),
                                 ("kerasmodel", "Keras", [".keras", ".h5"]),
                                 ("darknet", "Darknet", [".cfg"])]:
    for path in sorted((MODELS / folder).iterdir()):
        if path.suffix in suffixes and path.stat().st_size < 1 << 17:
            put(target, path.name, path.read_bytes())
# ML Programs without their weight files: packages whose weights are inside of the model.
for path in sorted((MODELS / "CoreML" / "Programs").glob("*/Data/*/model.mlmodel")):
    put("coreml", path.parts[-4] + ".mlmodel", path.read_bytes())


# ---- sounds --------------------------------------------------------------------------------------

for path in sorted(SOUNDS.glob("*.wav")):
    put("wave", path.name, path.read_bytes())


# ---- pictures ------------------------------------------------------------------------------------

for path in sorted(PICTURES.glob("*")):
    target = {".jpg": "jpeg", ".png": "png", ".ppm": "ppm", ".pgm": "ppm"}[path.suffix]
    if path.read_bytes()[:1] == {"jpeg": b"\xff", "png": b"\x89", "ppm": b"P"}[target]:
        put(target, path.name, path.read_bytes())


def chunk(kind, data):
    """One chunk of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


for name, width, height, interlaced in [("tall", 1, 1 << 16, 0), ("wide", 1 << 16, 1, 1),
                                        ("square", 1024, 1024, 0)]:
    rows = zlib.compress(bytes((width // 8 + 2) * height * 2), 9)
    put("png", f"{name}.png", b"\x89PNG\r\n\x1a\n" + chunk(
        b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 3, 0, 0, interlaced)) + chunk(
            b"PLTE", bytes(6)) + chunk(b"tRNS", b"\x80") + chunk(b"IDAT", rows) + chunk(b"IEND", b""))

for mode in ("L", "RGB", "CMYK"):
    buffer = io.BytesIO()
    Image.new(mode, (512, 512)).save(buffer, "JPEG", quality=1, progressive=True, optimize=True)
    data = buffer.getvalue()
    put("jpeg", f"flat-{mode}.jpg", data)
    last = data.rfind(b"\xff\xda")
    put("jpeg", f"scans-{mode}.jpg", data[:-2] + data[last:-2] * 40 + b"\xff\xd9")
    put("jpeg", f"missing-{mode}.jpg", data[:last] + b"\xff\xd9")


# A view: width, height, stride and its form, then the preparation, then the bytes of the picture.
for form in range(6):
    for kind in (0, 1):
        put("view", f"{form}-{kind}", bytes(
            [9, 7, 60, form % 3, 12, 9, 11, form % 4, form, form, form % 3, kind, form, 0, 0, 0]) +
            bytes(range(250)) * 4)


# ---- records of kernels --------------------------------------------------------------------------

FIRST = {"input": "8x8x16", "output": "8x8x32", "kernel": "3x3", "stride": "1x1"}
SECOND = {"input": "8x8x32", "output": "8x8x16", "kernel": "1x1", "stride": "1x1"}
KERNELS = [
    {"name": "direct", "panelWidth": 16},
    {"name": "winograd", "tile": "4x4", "summedChannels": 16, "panelWidth": 64},
    {"name": "winograd", "tile": "2x2", "summedChannels": 15, "panelWidth": 64, "segments": 2},
    {"name": "strassen", "levels": 1, "panelWidth": 64},
    {"name": "strassen", "levels": 2, "summedChannels": 32},
    {"name": "reduced", "summedChannels": 1 << 62},
]
for instructions in ("scalar", "baseline", "avx2", "avx512"):
    for index, kernel in enumerate(KERNELS):
        put("tuning", f"{instructions}-{index}.json", json.dumps({
            "version": 1, "instructionSet": instructions, "threads": 1,
            "choices": [{"convolution": FIRST, "kernel": kernel},
                        {"convolution": SECOND, "kernel": kernel}]}).encode())


# ---- Tokenizers ----------------------------------------------------------------------------------


for path in sorted(TOKENIZERS.glob("*.json")):
    if path.name not in ("texts.json", "answers.json") and path.stat().st_size < 1 << 17:
        put("tokenizer", path.name, path.read_bytes())
for path in sorted(TOKENIZERS.glob("*.model")):
    if path.stat().st_size < 1 << 17:
        put("sentencepiece", path.name, path.read_bytes())

WORDS = {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0, "b": 1, "<mask>": 2}}
ADDED = [{"id": 2, "content": "<mask>", "single_word": True, "lstrip": True, "rstrip": True,
          "normalized": True, "special": True}]


def word_tokenizer(name, **parts):
    """A small tokenizer with the parts that a seed is about."""
    put("tokenizer", name, json.dumps(
        {"version": "1.0", "model": WORDS, "added_tokens": ADDED, **parts}).encode())


for number, pattern in enumerate([
        r"(a+)+b", r"\s+(?!\S)|\s+", r"(?i:'s|'ll)|[^\r\n\p{L}]?\p{L}+|\p{N}{1,3}", r"(?<=a)b|(?>a|b)*+c",
        r"[[:punct:]&&[^a-z]]+?\b", r"^.$|\A\z"]):
    for kind in ("isolated", "mergedWithNext"):
        word_tokenizer(f"pattern{number}{kind}", pre_tokenizer={
            "type": "Split", "pattern": {"Regex": pattern},
            "behavior": kind[0].upper() + kind[1:], "invert": kind != "isolated"})
word_tokenizer("normalizers", normalizer={"type": "Sequence", "normalizers": [
    {"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Nmt", "StripAccents", "Lowercase",
                                "ByteLevel")] + [
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Prepend", "prepend": "a"},
    {"type": "Replace", "pattern": {"Regex": " +"}, "content": "aa"}]})
word_tokenizer("lengths", truncation={
    "max_length": 3, "stride": 1, "strategy": "LongestFirst", "direction": "Left"}, padding={
    "strategy": {"Fixed": 40}, "direction": "Left", "pad_to_multiple_of": 8, "pad_id": 0,
    "pad_type_id": 0, "pad_token": "a"})
word_tokenizer("decoders", decoder={"type": "Sequence", "decoders": [
    {"type": "ByteFallback"}, {"type": "Strip", "content": "a", "start": 3, "stop": 3},
    {"type": "CTC", "pad_token": "a", "word_delimiter_token": "b", "cleanup": True},
    {"type": "BPEDecoder", "suffix": "a"}, {"type": "Fuse"}]})
put("tokenizer", "nested", b"[" * 5000 + b"]" * 5000)
