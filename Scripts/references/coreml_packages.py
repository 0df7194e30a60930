"""Core ML packages as fixtures: written without what changes each time, and compared."""
import json
import pathlib
import shutil
import tempfile

import numpy as np
from coremltools.proto import Model_pb2

import fixtures


def cleared(spec):
    """Takes out versions of programs and places in the original source."""
    spec.description.metadata.userDefined.clear()
    if spec.WhichOneof("Type") == "pipeline":
        for model in spec.pipeline.models:
            cleared(model)
    else:
        spec.mlProgram.attributes.pop("buildInfo", None)


def write(model, path):
    """Writes a package without identifiers that change."""
    with tempfile.TemporaryDirectory() as folder:
        saved = pathlib.Path(folder) / "net.mlpackage"
        model.save(str(saved))
        manifest = json.loads((saved / "Manifest.json").read_text())
        entries = sorted(manifest["itemInfoEntries"].items(), key=lambda e: e[1]["path"])
        names = {old: f"00000000-0000-4000-8000-{k:012d}" for k, (old, _) in enumerate(entries)}
        manifest["itemInfoEntries"] = {names[old]: entry for old, entry in entries}
        manifest["rootModelIdentifier"] = names[manifest["rootModelIdentifier"]]
        (saved / "Manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
        file = saved / "Data/com.apple.CoreML/model.mlmodel"
        spec = Model_pb2.Model.FromString(file.read_bytes())
        cleared(spec)
        file.write_bytes(spec.SerializeToString(deterministic=True))
        if path.exists():
            shutil.rmtree(path)
        shutil.copytree(saved, path)


def compare(kept, new):
    """Whether two packages have the same files."""
    files = {p.relative_to(new) for p in new.rglob("*") if p.is_file()}
    assert files == {p.relative_to(kept) for p in kept.rglob("*") if p.is_file()}, kept
    for file in files:
        assert (kept / file).read_bytes() == (new / file).read_bytes(), kept / file


def keep(model, path, check):
    """Writes the package of a model, or compares it with the one that is there."""
    if not check:
        return write(model, path)
    with tempfile.TemporaryDirectory() as folder:
        write(model, pathlib.Path(folder) / "new")
        compare(path, pathlib.Path(folder) / "new")


def keep_expected(path, expected, check):
    """Writes inputs and outputs by case, or compares the outputs with those that are there."""
    if not check:
        return fixtures.write(path, expected)
    old = fixtures.read(path)
    assert old.keys() == expected.keys()
    for name, case in expected.items():
        for output, row in case["outputs"].items():
            kept = old[name]["outputs"][output]
            assert kept["sizes"] == row["sizes"]
            assert np.allclose(kept["values"], row["values"], 1e-5, 1e-6), (name, output)
