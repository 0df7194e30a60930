"""Writes the fixtures of Tests/ForgeTextTests: small tokenizers and what the libraries answer.

Usage: python make_tokenizer_fixtures.py FOLDER   (with tokenizers, sentencepiece and Django)

FOLDER gets tokenizers trained by make_tokenizers.py on part of its text, texts.json with strings of
`Scripts/check tokenizers`, and answers.json: for each tokenizer what that check compares, in full
for the first strings and as FNV-1a hashes of 64 bits for all of them.
"""
# check: Tests/ForgeTextTests/Fixtures

import importlib.machinery
import importlib.util
import json
import pathlib
import sys

import make_tokenizers

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "checks/tokenizers"
FULL = 12
# Rules for characters take 300 kB in each file: two files have them.
LEFT_OUT = ["albert.json", "spm-unigram.model", "spm-bpe-suffix.model"]


def checker():
    """The script `Scripts/check tokenizers` as a module."""
    loader = importlib.machinery.SourceFileLoader("check_tokenizers", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def fnv(text):
    """FNV-1a of 64 bits."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{value:016x}"


def main():
    """Trains and writes."""
    folder = pathlib.Path(sys.argv[1])
    make_tokenizers.make(folder, 500, make_tokenizers.corpus()[::60])
    for name in LEFT_OUT:
        (folder / name).unlink()
    check = checker()
    texts = [text for text in check.strings(460, 7) if len(text) < 400]
    pairs = [(text, texts[(3 * index) % len(texts)] if index % 8 == 7 else None)
             for index, text in enumerate(texts)]
    answers = {}
    for path in sorted(folder.glob("*.json")) + sorted(folder.glob("*.model")):
        if path.name in ("texts.json", "answers.json"):
            continue
        judge = check.Pieces(path) if path.suffix == ".model" else check.Faces(path)
        lines = [judge.line(a, b if judge.has_pairs else None) for a, b in pairs]
        # In the middle of the list are the strings that say most.
        full = {str(index): lines[index] for index in range(40, 40 + FULL * 7, 7)
                if lines[index] != "error"}
        answers[path.name] = {
            "hashes": "".join(fnv(line) if line != "error" else "-" * 16 for line in lines),
            "full": full}
    (folder / "texts.json").write_text(json.dumps(texts))
    (folder / "answers.json").write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
