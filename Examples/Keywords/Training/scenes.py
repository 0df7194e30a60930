"""Words in noise: random scenes with the answer for each frame."""
import numpy as np
from scipy.signal import oaconvolve

from features import HOP, RATE
from make_words import WORDS

NOTHING = len(WORDS)
IGNORED = -1
# The answer is asked for from 40 ms before the end of a word to 160 ms after it.
EARLY, LATE, SLACK = 2, 8, 4


class Utterances:
    """The utterances of a split."""

    def __init__(self, path, split):
        file = np.load(path)
        starts = np.concatenate([[0], np.cumsum(file["length"])[:-1]])
        # "write" sounds like "right": it can be no other word.
        told = np.array(["write" not in text.split() for text in file["text"]])
        chosen = np.flatnonzero((file["split"] == split) & told)
        sound = file["sound"]
        self.sounds = [sound[starts[i]: starts[i] + file["length"][i]] for i in chosen]
        self.label, self.begin, self.end = (file[k][chosen] for k in ("label", "begin", "end"))
        self.voice, self.text = file["voice"][chosen], file["text"][chosen]
        self.words = np.flatnonzero(self.label != NOTHING)
        self.others = np.flatnonzero(self.label == NOTHING)

    def speech(self, index):
        """An utterance without the silence around it, float."""
        return self.sounds[index][self.begin[index]: self.end[index]].astype(np.float32) / 32768


def varied(rng, speech):
    """Speech faster or slower with its pitch and timbre, as by a smaller or larger speaker."""
    count = int(len(speech) * rng.uniform(0.87, 1.15))
    return np.interp(np.linspace(0, len(speech) - 1, count), np.arange(len(speech)),
                     speech).astype(np.float32)


def in_room(rng, sound):
    """The sound with the echoes of a small room."""
    count = int(rng.uniform(0.04, 0.25) * RATE)
    echoes = rng.standard_normal(count) * np.exp(-6 * np.arange(count) / count)
    echoes *= rng.uniform(0.1, 0.9) / np.sqrt(np.sum(echoes ** 2))
    echoes[0] = 1
    return oaconvolve(sound, echoes.astype(np.float32))[: len(sound)]


def colored(rng, count):
    """Noise whose spectrum bends at random, of level 1."""
    spectrum = np.fft.rfft(rng.standard_normal(count))
    places = np.linspace(0, 1, 9)
    decibels = np.cumsum(rng.normal(rng.uniform(-4, 2), 5, 9))
    gains = 10 ** (np.interp(np.linspace(0, 1, len(spectrum)) ** 0.6, places, decibels) / 20)
    sound = np.fft.irfft(spectrum * gains, count)
    # Louder and softer within the scene.
    if rng.random() < 0.3:
        sound *= 10 ** (np.interp(np.linspace(0, 4, count), range(5), rng.normal(0, 5, 5)) / 20)
    return (sound / np.sqrt(np.mean(sound ** 2))).astype(np.float32)


def pink(rng, count):
    spectrum = np.fft.rfft(rng.standard_normal(count))
    return np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(len(spectrum)), 4)), count)


def noise(rng, utterances, count):
    """White or pink noise, voices that speak other words, or a hum, of level 1."""
    kind = rng.choice(["white", "pink", "babble", "hum"], p=[0.25, 0.4, 0.25, 0.1])
    if kind == "white":
        sound = rng.standard_normal(count)
    elif kind == "pink":
        sound = pink(rng, count)
    elif kind == "hum":
        time = np.arange(count) / RATE
        pitch = rng.uniform(45, 130)
        sound = sum(rng.uniform(0, 1) / k * np.sin(2 * np.pi * (k * pitch * time + rng.random()))
                    for k in range(1, 9))
    else:
        sound = 0.02 * pink(rng, count)
        for _ in range(4):
            at = 0
            while at < count:
                speech = utterances.speech(rng.choice(utterances.others))
                part = speech[: count - at]
                sound[at: at + len(part)] += part
                at += len(part) + int(rng.uniform(0, 0.2) * RATE)
    return (sound / max(np.sqrt(np.mean(sound ** 2)), 1e-9)).astype(np.float32)


def add_noise(rng, utterances, sound, lowest=5.0, highest=40.0, kind=None):
    """The sound with noise below its speech, at a random level; and how many decibels below."""
    loud = sound[np.abs(sound) > 0.01]
    level = np.sqrt(np.mean(loud ** 2)) if len(loud) else 0.1
    decibels = rng.uniform(lowest, highest)
    if kind is None:
        kind = noise(rng, utterances, len(sound))
    sound = sound + level * 10 ** (-decibels / 20) * kind
    peak = 10 ** (rng.uniform(-26, -0.5) / 20)
    return sound * np.float32(peak / max(np.abs(sound).max(), 1e-6)), decibels


class Noises:
    """Noise for training, made once: each scene takes two of them from random places."""

    def __init__(self, rng, utterances, count, of=300):
        self.sounds = [
            colored(rng, count) if rng.random() < 0.4 else noise(rng, utterances, count)
            for _ in range(of)]

    def mixed(self, rng):
        """Noise of level 1."""
        one, two = (np.roll(self.sounds[i], rng.integers(len(self.sounds[i])))
                    for i in rng.integers(0, len(self.sounds), 2))
        share = np.float32(rng.choice([0, rng.uniform(0, 1)]))
        return np.sqrt(1 - share) * one + np.sqrt(share) * two


def scene(rng, utterances, noises, frames):
    """Sound of so many frames for training, and the answer for each of them."""
    count = frames * HOP
    sound, labels = np.zeros(count, np.float32), np.full(frames, NOTHING)
    at = int(rng.uniform(0.05, 0.9) * RATE)
    while True:
        is_word = rng.random() < 0.62
        index = rng.choice(utterances.words if is_word else utterances.others)
        speech = utterances.speech(index)
        if rng.random() < 0.5:
            speech = varied(rng, speech)
        if at + len(speech) > count:
            break
        sound[at: at + len(speech)] += speech * np.float32(rng.uniform(0.4, 1))
        if is_word:
            first, last = at // HOP, (at + len(speech)) // HOP
            # Nobody can tell in the middle of a word.
            labels[(first + last) // 2: last + LATE + SLACK] = IGNORED
            labels[last - EARLY: last + LATE] = utterances.label[index]
        # Words of a phrase follow closely, unless the word before has to be answered.
        at += len(speech) + int(rng.uniform(0.24 if is_word else 0.02, 0.8) * RATE)
    if rng.random() < 0.2:
        sound = in_room(rng, sound)
    return add_noise(rng, utterances, sound, kind=noises.mixed(rng))[0], labels


def single(rng, utterances, index, frames, lowest=5.0, highest=40.0):
    """One utterance after 0.2 to 0.3 s of noise, without an index noise alone; and its decibels."""
    sound = np.zeros(frames * HOP, np.float32)
    if index is None:
        return 0.1 * add_noise(rng, utterances, sound)[0], np.inf
    at = int(rng.uniform(0.2, 0.3) * RATE)
    speech = utterances.speech(index)[: len(sound) - at]
    sound[at: at + len(speech)] = speech
    return add_noise(rng, utterances, sound, lowest, highest)
