#!/usr/bin/env python3
"""Writes Tests/ForgeImportersTests/Fixtures/KerasSpectra: Keras 3 models of STFTSpectrogram and
MelSpectrogram with every option, and what `predict` returns for each sample alone.

Run it from anywhere, with a Python that has Keras 3.15 and JAX:

    python Scripts/references/make_keras_spectra.py            # writes the fixtures
    python Scripts/references/make_keras_spectra.py --check    # compares, writes nothing

Each case NAME makes NAME.keras; expected.safetensors has by case the inputs and outputs of three
samples: noise, silence with a loud click, and tiny numbers; `..._hostile` have one sample with an
infinity and one that is not a number in place of the last two.
"""
# check: KERAS_BACKEND=jax --check

import io
import json
import os
import pathlib
import sys
import tempfile
import zipfile

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import fixtures  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Tests" / "ForgeImportersTests" / "Fixtures" / "KerasSpectra"
L = keras.layers
SAMPLES = 3
RNG = np.random.default_rng(530)
CASES = {}


def stft(name, shape=(83, 1), trained=False, **arguments):
    def make():
        x = keras.Input(shape, name="x")
        model = keras.Model(x, L.STFTSpectrogram(name="spectrum", **arguments)(x))
        if trained:
            model.set_weights([w + RNG.standard_normal(w.shape).astype("float32") * 0.1
                               for w in model.get_weights()])
        return model
    CASES[name] = make


def mel(name, samples=301, **arguments):
    def make():
        x = keras.Input((samples,), name="x")
        return keras.Model(x, L.MelSpectrogram(name="mel", **arguments)(x))
    CASES[name] = make


SMALL = dict(frame_length=17, frame_step=5, fft_length=32)
for mode in ["log", "magnitude", "psd", "real", "imag", "angle", "stft"]:
    stft(f"stft_{mode}", mode=mode, **SMALL)
    stft(f"stft_{mode}_stereo_image", shape=(61, 3), mode=mode, padding="same", expand_dims=True, **SMALL)
stft("stft_usual", shape=(700, 2))
stft("stft_odd_size", frame_length=13, fft_length=19, mode="psd")
stft("stft_hamming", window="hamming", periodic=True, scaling="spectrum", mode="stft", **SMALL)
stft("stft_without_window", window=None, scaling=None, mode="magnitude", **SMALL)
stft("stft_own_window", window=[0.1 * i for i in range(17)], scaling=None, mode="real", **SMALL)
stft("stft_blackman", window="blackmanharris", mode="imag", **SMALL)
stft("stft_channels_first", shape=(3, 83), data_format="channels_first", mode="stft", **SMALL)
stft("stft_channels_first_image", shape=(3, 83), data_format="channels_first", mode="angle",
     padding="same", expand_dims=True, **SMALL)
stft("stft_trained", shape=(83, 2), trained=True, mode="log", **SMALL)
stft("stft_short_frames", frame_length=2, frame_step=1, mode="psd")
stft("stft_hostile", mode="magnitude", **SMALL)
stft("stft_log_hostile", mode="log", **SMALL)

TINY = dict(fft_length=64, sequence_stride=20, sampling_rate=8000, num_mel_bins=11)
mel("mel_usual", samples=4001)
mel("mel_small", **TINY)
mel("mel_powers", power_to_db=False, **TINY)
mel("mel_magnitudes", mag_exp=1.0, **TINY)
mel("mel_cubes", mag_exp=3.0, power_to_db=False, **TINY)
mel("mel_short_window", sequence_length=41, window="hamming", **TINY)
mel("mel_without_window", window=None, min_freq=0.0, max_freq=3100.0, **TINY)
mel("mel_own_window", sequence_length=3, window=[0.5, -1.0, 2.0], **TINY)
mel("mel_range", top_db=7.5, ref_power=0.003, min_power=1e-4, **TINY)
mel("mel_small_reference", ref_power=1e-12, top_db=200.0, **TINY)
mel("mel_odd", fft_length=45, sequence_stride=7, sampling_rate=11025, num_mel_bins=5)
mel("mel_many_bands", fft_length=32, sequence_stride=9, num_mel_bins=40)
mel("mel_powers_hostile", power_to_db=False, **TINY)


def values(name, shape):
    noise = RNG.standard_normal(shape)
    click = np.zeros(shape)
    click.reshape(-1)[shape[0] // 2 + 1] = 3e4
    # The squares are normal numbers, because XLA takes smaller ones as 0. Decibels at the floor would
    # be 0 up to rounding, if the floor is the reference.
    tiny = RNG.standard_normal(shape) * (1e-3 if name in ("mel_small_reference", "mel_cubes") else 1e-13)
    if name.endswith("hostile"):
        click = RNG.standard_normal(shape)
        tiny = RNG.standard_normal(shape)
        click.reshape(-1)[40] = np.inf
        tiny.reshape(-1)[40] = np.nan
    return np.stack([noise, click, tiny]).astype("float32")


def saved(model):
    """The bytes of the file of a model, without the time at which it was saved."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "net.keras"
        model.save(path)
        file = io.BytesIO()
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(file, "w") as new:
            for entry in old.infolist():
                content = old.read(entry)
                if entry.filename == "metadata.json":
                    facts = {**json.loads(content), "date_saved": "2026-01-01@00:00:00"}
                    content = json.dumps(facts).encode()
                new.writestr(
                    zipfile.ZipInfo(entry.filename), content, compress_type=entry.compress_type)
        return file.getvalue()


def entries(file):
    """The entries of an archive by name."""
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def keep(file, path, check):
    """Writes a file, or compares its entries with those of the one that is there."""
    if check:
        assert entries(path.read_bytes()) == entries(file), path
    else:
        path.write_bytes(file)


def keep_expected(expected, check):
    """Writes inputs and outputs by case, or compares them with those that are there."""
    path = FOLDER / "expected.safetensors"
    if not check:
        return fixtures.write(path, expected)
    old = fixtures.read(path)
    assert old.keys() == expected.keys()
    for name, case in expected.items():
        assert np.allclose(old[name]["input"], case["input"], 1e-6, 0, equal_nan=True), name
        # Each sample by its norm: the click is much louder than the other two.
        for kept, found in zip(old[name]["output"], case["output"], strict=True):
            finite = np.isfinite(kept)
            assert np.array_equal(np.where(finite, 0, kept), np.where(finite, 0, found), True), name
            kept, found = kept[finite].astype("float64"), found[finite].astype("float64")
            assert np.linalg.norm(found - kept) <= 1e-5 * np.linalg.norm(kept), name


def main():
    check = "--check" in sys.argv
    expected = {}
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in CASES.items():
        keras.backend.clear_session()
        model = make()
        data = values(name, model.inputs[0].shape[1:])
        # The largest number that top_db means is one of the whole batch.
        results = [np.asarray(model.predict(row[None], verbose=0), "float32") for row in data]
        keep(saved(model), FOLDER / f"{name}.keras", check)
        expected[name] = {"input": data, "output": np.concatenate(results)}
    keep_expected(expected, check)
    print("checked" if check else "written", FOLDER)


if __name__ == "__main__":
    main()
