"""Speaks the recording that ships with the example, by voices that no training heard.

Usage: python make_recording.py FOLDER [--seed N]

Writes recording.wav and recording.txt into the folder. A line of the text is where a word begins
and ends in seconds, what was said, and by which voice; words that the network does not know are in
parentheses.
"""
import argparse
import pathlib
import wave

import numpy as np

from make_words import ACCENTS, RATE, UNSEEN, UNSEEN_OTHERS, WORDS, extent, speak
from scenes import pink


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    said = WORDS + [f"({word})" for word in rng.choice(UNSEEN_OTHERS, 3, replace=False)]
    rng.shuffle(said)
    sounds, lines, at = [], [], 0
    for text, variant in zip(said, rng.permutation(UNSEEN)):
        pause = np.zeros(int(rng.uniform(0.4, 0.7) * RATE))
        voice = f"{rng.choice(ACCENTS)}+{variant}"
        sound = speak(text.strip("()"), f"gmw/{voice}", int(rng.integers(120, 200)),
                      int(rng.integers(30, 70)))
        begin, end = extent(sound)
        sound = sound[begin:end] / np.abs(sound).max() * rng.uniform(0.3, 0.8)
        start = (at + len(pause)) / RATE
        lines.append(f"{start:.2f}\t{start + len(sound) / RATE:.2f}\t{text}\t{voice}\n")
        sounds += [pause, sound]
        at += len(pause) + len(sound)
    sound = np.concatenate(sounds + [np.zeros(RATE // 2)])
    noise = pink(rng, len(sound))
    sound += 0.01 * noise / np.sqrt(np.mean(noise ** 2))
    samples = np.clip(np.round(sound * 32767), -32768, 32767).astype("<i2")
    with wave.open(str(arguments.folder / "recording.wav"), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(samples.tobytes())
    (arguments.folder / "recording.txt").write_text("".join(lines))
    print(f"{len(samples) / RATE:.1f} s, {2 * len(samples)} bytes")


if __name__ == "__main__":
    main()
