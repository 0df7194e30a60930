"""When a word counts as heard; the same rule as `../Listener.swift`."""
import numpy as np

from scenes import NOTHING

MEAN_OF, RELEASE = 5, 0.3


def heard(probabilities, threshold):
    """The words heard in probabilities [frames][classes], as (frame, word)."""
    result, holding = [], None
    for frame in range(len(probabilities)):
        mean = probabilities[max(0, frame - MEAN_OF + 1): frame + 1].sum(axis=0) / MEAN_OF
        if holding is not None and mean[holding] < RELEASE:
            holding = None
        if holding is None:
            word = int(mean[:NOTHING].argmax())
            if mean[word] >= threshold:
                result.append((frame, word))
                holding = word
    return result


def first_words(probabilities, threshold):
    """The first word heard in each of many clips, or NOTHING."""
    return np.array([next((word for _, word in heard(clip, threshold)), NOTHING)
                     for clip in probabilities])
