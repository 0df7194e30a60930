"""Counts what the network hears on voices left out of training, and writes what Swift compares with.

Usage: python evaluate.py WORDS.npz WEIGHTS.safetensors FOLDER

Beside this script goes expected.json: how often each word, or nothing, was heard in those clips of
each, and the words heard in the recording. Into the folder, which has recording.wav, go

- test_features.npy, test_labels.npy and test_noise.npy: clips of the left-out voices, bands in 8
  bits; the word said; how many whole decibels the noise is below it;
- reference_features.npy and reference_probabilities.npy: the front end in double precision and
  PyTorch's probabilities for the recording.
"""
import json
import os
import pathlib
import sys
import wave

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np
import torch
from safetensors.torch import load_file

from features import features
from listener import first_words, heard
from make_words import UNSEEN_ACCENT, WORDS
from scenes import NOTHING, Utterances, single
from train import Network, probabilities

THRESHOLD, FRAMES, SCALE = 0.6, 70, 14.5
LEVELS = ((25, 40), (15, 25), (5, 15))
NAMES = WORDS + ["nothing"]


def share(right):
    return f"{right.sum()} of {len(right)} ({100 * right.mean():.1f} %)"


def report(title, found, labels, accent):
    right = found == labels
    words = labels != NOTHING
    print(f"{title}: {share(right)} right")
    print(f"  words: {share(right[words])}; other words and noise: {share(right[~words])}")
    print(f"  accents heard in training: {share(right[~accent])}; "
          f"not heard: {share(right[accent])}")
    for label in range(NOTHING + 1):
        of_label = found[labels == label]
        wrong = {NAMES[other]: int((of_label == other).sum()) for other in range(NOTHING + 1)
                 if other != label and (of_label == other).any()}
        print(f"  {NAMES[label]:8} {share(of_label == label)}  {wrong or ''}")


def main():
    words, weights, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    network = Network()
    network.load_state_dict(load_file(weights))
    test = Utterances(words, "test")
    accent = np.array([UNSEEN_ACCENT in voice for voice in test.voice])

    # Each utterance in each kind of noise, and noise alone.
    for decibels in LEVELS:
        rng = np.random.default_rng(21)
        indices = list(range(len(test.label))) + [None] * 60
        sound = np.stack([single(rng, test, i, FRAMES, *decibels)[0] for i in indices])
        labels = np.array([NOTHING if i is None else test.label[i] for i in indices])
        found = first_words(probabilities(network, features(sound).astype(np.float32)), THRESHOLD)
        report(f"noise {decibels[0]} to {decibels[1]} dB below", found, labels,
               np.array([i is not None and accent[i] for i in indices]))

    # The clips that ship: some of each word, 8 bits for each value.
    rng = np.random.default_rng(22)
    indices = []
    for label in range(NOTHING + 1):
        of_label = np.flatnonzero(test.label == label)
        indices += list(rng.permutation(of_label)[: 120 if label == NOTHING else 50])
    indices += [None] * 20
    rng.shuffle(indices)
    sound, decibels = map(np.stack, zip(*(single(rng, test, i, FRAMES) for i in indices)))
    stored = np.clip(np.round(features(sound) * 255 / SCALE), 0, 255).astype(np.uint8)
    labels = np.array([NOTHING if i is None else test.label[i] for i in indices], np.uint8)
    np.save(folder / "test_features.npy", stored)
    np.save(folder / "test_labels.npy", labels)
    np.save(folder / "test_noise.npy", np.minimum(decibels, 255).astype(np.uint8))
    restored = stored.astype(np.float32) * np.float32(SCALE / 255)
    found = first_words(probabilities(network, restored), THRESHOLD)
    report("the clips that ship, noise 5 to 40 dB below", found, labels,
           np.array([i is not None and accent[i] for i in indices]))
    counts = {NAMES[label]: {NAMES[other]: int(((labels == label) & (found == other)).sum())
                             for other in range(NOTHING + 1)} for label in range(NOTHING + 1)}
    counts = {name: {other: count for other, count in row.items() if count or other == name}
              for name, row in counts.items()}
    words = labels != NOTHING
    for low, high in LEVELS:
        at = words & (low <= decibels) & (decibels < high)
        counts[f"noise {low} to {high} dB"] = {
            "right": int((found == labels)[at].sum()), "of": int(at.sum())}
    with wave.open(str(folder / "recording.wav")) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768
    bands = features(samples)
    np.save(folder / "reference_features.npy", bands.astype(np.float32))
    found = probabilities(network.double(), bands[None])[0]
    np.save(folder / "reference_probabilities.npy", found.astype(np.float32))
    words = heard(found, THRESHOLD)
    print("recording:", " ".join(f"{0.02 * (frame + 1):.2f} {WORDS[word]}" for frame, word in words))
    counts["recording"] = [WORDS[word] for _, word in words]
    text = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in counts.items())
    pathlib.Path(__file__).with_name("expected.json").write_text(f"{{\n{text}\n}}\n")


if __name__ == "__main__":
    main()
