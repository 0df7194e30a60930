"""Speaks the words of the example with espeak-ng, and keeps them as 16 kHz sound.

Usage: python make_words.py OUT.npz

The file holds all utterances one after the other (`sound`, int16), where each begins and ends, where
speech begins and ends within it, its word, and whether its voice is one for training, for choosing
thresholds, or for testing.
"""
import pathlib
import subprocess
import sys
import tempfile
import wave

import numpy as np
from scipy.signal import resample_poly

RATE = 16_000
WORDS = ["yes", "no", "up", "down", "left", "right", "stop", "go", "on", "off"]
# What is none of the words: for training, and others that no training saw.
OTHERS = """
    hello table seven window water never house music garden yellow letter open after under over
    snow note stock lift lest test own often ton bright light town cup gone one two three four five
    six eight nine ten red green blue black white day night morning paper river mountain friend
    school book chair kitchen bottle green street summer winter people number answer question
    because maybe please thank sorry always again before between little great small large start
    begin end close play pause next last first second back forward turn switch volume weather radio
    computer telephone machine picture sound voice learn listen speak write read run walk sit stand
    cat dog bird fish horse apple bread cheese coffee tea sugar salt pepper nose knee done gum
    """.split()
UNSEEN_OTHERS = """
    orange dinner island pencil village doctor silver candle market ladder basket engine station
    rabbit sister brother thunder blanket pocket mirror hammer planet bridge forest camera uncle
    nobody yesterday press loft theft rope tape tight bite coat boat lawn sauce
    """.split()

ACCENTS = ["en", "en-US", "en-US-nyc", "en-GB-x-gbclan", "en-GB-x-gbcwmd", "en-GB-x-rp", "en-029"]
UNSEEN_ACCENT = "en-GB-scotland"
# Voices that are left out of training: whole families of variants, and single ones.
UNSEEN = """
    Annie Denis Hugo Michael belinda croak david edward edward2 f3 grandma iven iven2 iven3 iven4
    linda m3 m7 shelby steph steph2 steph3 victor zac
    """.split()
# Voices for choices while training, left out of it, too.
VALIDATION = "Andrea Marco f5 m5 miguel paul max quincy".split()


def variants():
    """The variants that espeak-ng has, but the one whose name has a space."""
    data = subprocess.run(["espeak-ng", "--version"], capture_output=True, text=True).stdout
    folder = pathlib.Path(data.split("Data at:")[1].strip()) / "voices/!v"
    return sorted(path.name for path in folder.iterdir() if " " not in path.name)


def speak(text, voice, speed=160, pitch=50):
    """The sound of a text, float at 16 kHz."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/x.wav"
        subprocess.run(
            ["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "-w", path, text],
            check=True, capture_output=True)
        with wave.open(path) as file:
            assert file.getnchannels() == 1 and file.getsampwidth() == 2
            rate = file.getframerate()
            sound = np.frombuffer(file.readframes(file.getnframes()), np.int16) / 32768
    divisor = np.gcd(rate, RATE)
    return resample_poly(sound, RATE // divisor, rate // divisor)


def extent(sound):
    """Where speech begins and ends: the 10 ms parts within 34 dB of the loudest."""
    parts = sound[: len(sound) // 160 * 160].reshape(-1, 160)
    level = np.sqrt((parts ** 2).mean(axis=1))
    loud = np.flatnonzero(level > 0.02 * level.max())
    return int(loud[0]) * 160, int(loud[-1] + 1) * 160


def main():
    rng = np.random.default_rng(16)
    known = variants()
    missing = set(UNSEEN + VALIDATION) - set(known)
    assert not missing, f"espeak-ng lacks the variants {missing}"
    training = [name for name in known if name not in UNSEEN + VALIDATION]
    none = len(WORDS)
    plan = []
    for split, names, others, count, other_count in (
            ("training", training, OTHERS, 400, 3200),
            ("validation", VALIDATION, OTHERS, 40, 200),
            ("test", UNSEEN, UNSEEN_OTHERS, 80, 400)):
        texts = [(word, label) for label, word in enumerate(WORDS) for _ in range(count)]
        for _ in range(other_count):
            several = rng.choice(others, rng.choice([1, 2, 3], p=[0.7, 0.2, 0.1]))
            texts.append((" ".join(several), none))
        for text, label in texts:
            accent = rng.choice(ACCENTS)
            # A fifth of the test is of an accent that no training heard.
            if split == "test" and rng.random() < 0.2:
                accent = UNSEEN_ACCENT
            plan.append((split, text, label, f"gmw/{accent}+{rng.choice(names)}",
                         int(rng.integers(110, 231)), int(rng.integers(20, 81))))
    sounds, rows = [], []
    for split, text, label, voice, speed, pitch in plan:
        sound = speak(text, voice, speed, pitch)
        peak = np.abs(sound).max() if len(sound) else 0
        if peak < 0.01:
            continue  # This variant cannot say it.
        begin, end = extent(sound)
        sounds.append((sound / peak * 32000).astype(np.int16))
        rows.append((split, text, label, voice, begin, end, len(sound)))
        if len(rows) % 1000 == 0:
            print(len(rows), "of", len(plan), flush=True)
    columns = list(zip(*rows))
    np.savez(
        sys.argv[1], sound=np.concatenate(sounds), split=columns[0], text=columns[1],
        label=columns[2], voice=columns[3], begin=columns[4], end=columns[5], length=columns[6])
    print(len(rows), "utterances of", len({voice for voice in columns[3]}), "voices")


if __name__ == "__main__":
    main()
