"""The front end: the logarithm of the energy in 40 bands of frequency, every 20 ms.

A frame is the last 40 ms under Hann's window. The bands are triangles, evenly spaced on the mel
scale. A band's value is log(1 + energy / 10⁻⁶), where a sine of full scale has the energy 1, so that
digital silence is 0, which is what a state begins with. `../FrontEnd.swift` writes it as layers.
"""
import numpy as np
from scipy.fft import rfft

RATE, HOP, WINDOW, BANDS = 16_000, 320, 640, 40
LOW, HIGH, FLOOR = 60.0, 7600.0, 1e-6


def window():
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)


def bands():
    """The weight of each frequency of the transform in each band, [WINDOW / 2 + 1][BANDS]."""
    def mel(hertz):
        return 2595 * np.log10(1 + hertz / 700)
    edges = 700 * (10 ** (np.linspace(mel(LOW), mel(HIGH), BANDS + 2) / 2595) - 1)
    hertz = np.arange(WINDOW // 2 + 1)[:, None] * RATE / WINDOW
    rise = (hertz - edges[:-2]) / (edges[1:-1] - edges[:-2])
    fall = (edges[2:] - hertz) / (edges[2:] - edges[1:-1])
    return np.maximum(0, np.minimum(rise, fall))


_WINDOW = window() / (window().sum() / 2)
_BANDS = bands()


def features(sound):
    """[..., samples] to [..., frames, BANDS]; whole frames only, with silence before the first.

    In the precision of the samples.
    """
    frames = sound.shape[-1] // HOP
    sound = sound[..., : frames * HOP].reshape(*sound.shape[:-1], frames, HOP)
    before = np.concatenate([np.zeros_like(sound[..., :1, :]), sound[..., :-1, :]], axis=-2)
    windows = np.concatenate([before, sound], axis=-1).reshape(-1, WINDOW)
    spectrum = rfft(windows * _WINDOW.astype(sound.dtype))
    energy = spectrum.real ** 2 + spectrum.imag ** 2
    result = np.log1p(energy @ (_BANDS / FLOOR).astype(sound.dtype))
    return result.reshape(*sound.shape[:-1], BANDS)
