"""Voices made at random: variants of espeak-ng that nobody wrote, for training alone.

A variant is a text of settings: the frequency, height and width of each formant, pitch, echo,
tone, breath and so on. Each is drawn here from a wide range around espeak-ng's own value, from a
seed and from nothing else: no variant of espeak-ng's, left out or not, has a part in it.
"""
import ctypes
import pathlib
import shutil

import numpy as np


def integers(values):
    return " ".join(str(round(float(value))) for value in values)


def settings(rng):
    """The text of a variant."""
    # The size of the speaker moves all formants; each is off by itself as well.
    size = rng.uniform(0.78, 1.42)
    spread = rng.uniform(0.02, 0.12)
    lines = ["language variant"]
    pitch = 62 * rng.uniform(0.8, 1.25) * 2 ** rng.uniform(0, 2)
    lines.append("pitch " + integers([pitch, pitch * rng.uniform(1, 1.9)]))
    for formant in range(9):
        frequency = 100 * (1 if formant == 0 else size) * 2.72 ** rng.normal(0, spread)
        height, width = 100 * 2.72 ** rng.normal([-0.05, 0.05], [0.35, 0.3])
        if formant > 3 and rng.random() < 0.25:
            height *= rng.uniform(0, 0.5)
        if formant == 3 and rng.random() < 0.1:
            height *= rng.uniform(0, 0.5)
        lines.append(f"formant {formant} " + integers([frequency, min(height, 220), width]))
    lines.append("voicing " + integers([100 * 2.72 ** rng.normal(-0.2, 0.5)]))
    lines.append("consonants " + integers(100 * 2.72 ** rng.normal([-0.1, 0], 0.35)))
    lines.append("roughness " + integers([rng.choice([0, 1, 2, 3, 5])]))
    lines.append("flutter " + integers([rng.choice([0, 1, 2, 5, 12])]))
    lines.append("intonation " + integers([rng.integers(1, 5)]))
    if rng.random() < 0.5:
        # The gain of bands, as a telephone or a small loudspeaker has it.
        hertz = [100, 250, 420, 600, 900, 1200, 1600, 2000, 2600, 3200, 4200, 5200]
        places = sorted(rng.choice(hertz, rng.integers(3, 7), replace=False))
        lines.append("tone " + " ".join(
            f"{place} {round(255 * rng.uniform(0.05, 1) ** 0.7)}" for place in places))
    if rng.random() < 0.3:
        lines.append("echo " + integers([rng.uniform(5, 200), 10 ** rng.uniform(1.3, 4)]))
    if rng.random() < 0.25:
        lines.append("breath " + integers(rng.uniform(0, 30, 8) * rng.uniform(0, 1)))
        lines.append("breathw " + integers(rng.uniform(60, 400, 6)))
    if rng.random() < 0.12:
        lines.append(f"klatt {rng.integers(1, 7)}")
    if rng.random() < 0.25:
        lines.append("stressAmp " + integers(rng.uniform(14, 35, 8)))
    if rng.random() < 0.3:
        lines.append("stressAdd " + integers(rng.uniform(-20, 200) + rng.uniform(-60, 60, 8)))
    return "\n".join(lines) + "\n"


class RandomVoices:
    """Speaks texts, each in a voice of its own, through espeak-ng's library."""

    NAME = "random"

    def __init__(self, data, folder):
        """Takes the folder of espeak-ng's data, and one for a copy of it with a voice more."""
        copy = pathlib.Path(folder) / "espeak-ng-data"
        shutil.copytree(data, copy)
        self.path = copy / "voices/!v" / self.NAME
        self.library = ctypes.CDLL("libespeak-ng.so.1")
        # Sound goes to the function below, and is there when the call returns.
        self.rate = self.library.espeak_Initialize(2, 0, str(folder).encode(), 0)
        self.parts = []
        self.callback = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)(self.take)
        self.library.espeak_SetSynthCallback(self.callback)

    def take(self, samples, count, _):
        if samples and count > 0:
            self.parts.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    def speak(self, rng, text, accent, speed, pitch):
        """The sound, float at the library's rate."""
        self.path.write_text(settings(rng))
        self.parts.clear()
        if self.library.espeak_SetVoiceByName(f"gmw/{accent}+{self.NAME}".encode()) != 0:
            raise RuntimeError(f"espeak-ng has no accent {accent}")
        self.library.espeak_SetParameter(1, speed, 0)
        self.library.espeak_SetParameter(3, pitch, 0)
        data = text.encode() + b"\0"
        self.library.espeak_Synth(data, ctypes.c_size_t(len(data)), 0, 1, 0, 1, None, None)
        return np.concatenate(self.parts or [np.zeros(0, np.int16)]) / 32768
