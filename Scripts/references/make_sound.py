#!/usr/bin/env python3
"""Makes Tests/ForgeAudioTests/Fixtures: spectra, bands, coefficients, resampled sounds and WAV files.

The numbers are those of librosa, torchaudio, SciPy and soundfile, in double precision where they
have it. Where two libraries compute the same, the script fails if they differ.

    python3 -m venv /tmp/sound && /tmp/sound/bin/pip install librosa soundfile torch torchaudio scipy safetensors
    /tmp/sound/bin/python Scripts/references/make_sound.py
"""
# check:

import json
import pathlib
import warnings

import librosa
import numpy as np
import scipy.signal
import soundfile
import torch
import torchaudio
from safetensors.numpy import save_file

warnings.filterwarnings("ignore")
root = pathlib.Path(__file__).resolve().parents[2]
folder = root / "Tests/ForgeAudioTests/Fixtures"
random = np.random.default_rng(53)
arrays, cases = {}, []


def noise(count, scale):
    return random.normal(0, scale, count)


time = np.arange(2011) / 16000
voice = 0.4 * np.sin(2 * np.pi * (300 * time + 9000 * time**2)) + noise(2011, 0.05)
signals = {
    "voice": voice,
    "silence": np.zeros(1499),
    "denormal": noise(701, 1e-40),
    "full": np.where(np.arange(1023) % 7 < 3, 1.0, -1.0),
    "offset": 0.9 + noise(997, 1e-3),
    "impulse": np.eye(1, 800, 401)[0],
    "short": voice[:5],
}
for name in ["nan", "infinite"]:
    signals[name] = voice[:1200].copy()
    signals[name][613] = np.nan if name == "nan" else np.inf
for name in signals:
    signals[name] = signals[name].astype(np.float32)
    arrays["signal." + name] = signals[name]


def close(a, b, bound=1e-9):
    a, b = np.asarray(a), np.asarray(b)
    finite = np.isfinite(b)
    if not finite.any():
        return
    scale = max(np.abs(b[finite]).max(), 1e-30)
    difference = np.abs(np.where(finite, a - b, 0)).max() / scale
    assert difference < bound, (difference, bound)


def case(kind, signal, result, **arguments):
    name = f"{kind}.{len(cases)}"
    result = np.ascontiguousarray(np.asarray(result))
    if np.iscomplexobj(result):
        result = np.stack([result.real, result.imag], -1).reshape(result.shape[0], -1)
    result = result.astype(np.float32)
    # The sign of a NaN is that of the instruction that made it.
    arrays[name] = np.where(np.isnan(result), np.float32(np.nan), result)
    cases.append({"name": name, "kind": kind, "signal": signal, **arguments})


def windowed(name):
    return {"rectangular": "boxcar"}.get(name, name)


def stft(signal, size, hop, window="hann", length=None, padding="reflect"):
    length = length or size
    x = signals[signal].astype(np.float64)
    if padding == "streaming":
        x = np.concatenate([np.zeros(size - hop), x])
    mode = {"zeros": "constant", "reflect": "reflect"}.get(padding)
    weights = torch.from_numpy(scipy.signal.get_window(windowed(window), length))
    other = torch.stft(
        torch.from_numpy(x), size, hop, length, weights, center=mode is not None,
        pad_mode=mode or "constant", return_complex=True).numpy().T
    if not np.isfinite(x).all():
        return other  # librosa refuses such sounds
    result = librosa.stft(
        x, n_fft=size, hop_length=hop, win_length=length, window=windowed(window),
        center=mode is not None, pad_mode=mode or "constant", dtype=np.complex128).T
    close(other, result)
    return result


# ---- windows ----

for shape in ["hann", "hamming", "blackman"]:
    for count in [1, 2, 3, 8, 31, 400]:
        for symmetric in [False, True]:
            values = scipy.signal.get_window(shape, count, fftbins=not symmetric)
            case("window", None, values, window=shape, size=count, symmetric=symmetric)

# ---- spectra ----

sizes = [2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 25, 26, 29, 31, 37, 49, 60, 62, 64, 74, 97, 100, 121,
         127, 128, 134, 200, 211, 243, 256, 320, 400, 401, 441, 480, 509, 512]
for index, size in enumerate(sizes):
    hop = [160, 97, 211][index % 3]
    window = ["hann", "hamming", "blackman", "rectangular"][index % 4]
    padding = ["reflect", "zeros", "none"][index % 3]
    case("stft", "voice", stft("voice", size, hop, window, padding=padding), size=size, hop=hop,
         window=window, padding=padding)
for signal in signals:
    for size, hop in [(64, 48), (97, 31)]:
        if signal != "short":
            case("stft", signal, stft(signal, size, hop, padding="zeros"), size=size, hop=hop,
                 padding="zeros")
case("stft", "short", stft("short", 8, 2), size=8, hop=2)
case("stft", "voice", stft("voice", 128, 64, length=100), size=128, hop=64, length=100)
case("stft", "voice", stft("voice", 131, 64, length=90), size=131, hop=64, length=90)
case("stft", "voice", stft("voice", 100, 40, padding="streaming")[: 2011 // 40], size=100, hop=40,
     padding="streaming")
for values, power in [("power", 2), ("magnitude", 1)]:
    case("stft", "voice", np.abs(stft("voice", 256, 100)) ** power, size=256, hop=100, values=values)

# ---- the way back ----

for size, hop, padding, window in [
    (64, 16, "reflect", "hann"), (97, 24, "zeros", "hann"), (128, 100, "none", "hamming"),
    (100, 100, "zeros", "rectangular"), (74, 20, "zeros", "blackman"),
]:
    spectrum = stft("voice", size, hop, window, padding=padding)[:40]
    spectrum = spectrum * (1 + 0.3 * random.normal(size=spectrum.shape))
    values = librosa.istft(
        spectrum.T, hop_length=hop, n_fft=size, window=windowed(window), center=padding != "none",
        dtype=np.float64)
    case("inverse", None, values, size=size, hop=hop, padding=padding, window=window)
    arrays[cases[-1]["name"] + ".spectrum"] = np.stack(
        [spectrum.real, spectrum.imag], -1).reshape(len(spectrum), -1).astype(np.float32)

# ---- mel bands ----

for rate, size, count, low, high in [
    (16000, 400, 80, 0, None), (22050, 512, 128, 0, None), (8000, 97, 13, 60, 3800),
    (16000, 512, 40, 20, 7600),
]:
    for htk in [False, True]:
        for norm in ["slaney", None]:
            weights = librosa.filters.mel(
                sr=rate, n_fft=size, n_mels=count, fmin=low, fmax=high, htk=htk, norm=norm,
                dtype=np.float64)
            if size % 2 == 0:
                other = torchaudio.functional.melscale_fbanks(
                    size // 2 + 1, low, high or rate / 2, count, rate, norm,
                    "htk" if htk else "slaney")
                close(other.numpy().T, weights, 2e-4)
            case("bank", None, weights, rate=rate, size=size, bands=count, low=low, high=high,
                 mel="htk" if htk else "slaney", norm=norm or "none")


def bands(signal, size, hop, count, rate=16000, htk=False, norm="slaney", power=2, padding="reflect",
          low=0, high=None):
    weights = librosa.filters.mel(
        sr=rate, n_fft=size, n_mels=count, fmin=low, fmax=high, htk=htk, norm=norm, dtype=np.float64)
    powers = np.abs(stft(signal, size, hop, padding=padding)) ** power
    result = powers @ weights.T
    x = signals[signal]
    if np.isfinite(x).all() and padding == "reflect":
        other = librosa.feature.melspectrogram(
            y=x.astype(np.float64), sr=rate, n_fft=size, hop_length=hop, n_mels=count, htk=htk,
            norm=norm, power=power, fmin=low, fmax=high, pad_mode="reflect").T
        close(other, result, 1e-5)
        if size % 2 == 0:
            transform = torchaudio.transforms.MelSpectrogram(
                rate, size, hop_length=hop, n_mels=count, norm=norm, f_min=low, f_max=high,
                mel_scale="htk" if htk else "slaney", power=power).double()
            close(transform(torch.from_numpy(x).double()).numpy().T, result, 1e-4)
    return result


for signal in ["voice", "silence", "denormal", "full", "offset", "impulse", "nan", "infinite"]:
    case("mel", signal, bands(signal, 400, 160, 80), size=400, hop=160, bands=80)
case("mel", "voice", bands("voice", 256, 100, 40, htk=True, norm=None), size=256, hop=100, bands=40,
     mel="htk", norm="none")
case("mel", "voice", bands("voice", 127, 60, 20, power=1), size=127, hop=60, bands=20,
     values="magnitude")
case("mel", "voice", bands("voice", 64, 60, 90, low=100, high=7000), size=64, hop=60, bands=90,
     low=100, high=7000)

for signal in ["voice", "silence", "full", "offset", "impulse"]:
    x = bands(signal, 400, 160, 80)
    case("mel", signal, librosa.power_to_db(x, top_db=None), size=400, hop=160, bands=80,
         scale="decibels")
    ranged = librosa.power_to_db(x, ref=2.0, top_db=30)
    case("mel", signal, ranged, size=400, hop=160, bands=80, scale="ranged")
    case("mel", signal, np.log(x + 1e-6), size=400, hop=160, bands=80, scale="logarithm")
    whisper = np.log10(np.maximum(x[:-1], 1e-10))
    whisper = (np.maximum(whisper, whisper.max() - 8) + 4) / 4
    case("mel", signal, whisper, size=400, hop=160, bands=80, scale="whisper")
own = torchaudio.transforms.AmplitudeToDB("power", 30)(torch.from_numpy(bands("voice", 400, 160, 80)))
close(own, librosa.power_to_db(bands("voice", 400, 160, 80), top_db=30))

# ---- coefficients ----

for signal in ["voice", "full", "silence"]:
    y = signals[signal].astype(np.float64)
    for lifter in [0, 22]:
        values = librosa.feature.mfcc(
            y=y, sr=16000, n_mfcc=13, lifter=lifter, n_fft=400, hop_length=160, n_mels=40,
            pad_mode="reflect").T
        case("mfcc", signal, values, size=400, hop=160, bands=40, count=13, lifter=lifter,
             scale="range80")
    transform = torchaudio.transforms.MFCC(
        16000, 20, log_mels=True,
        melkwargs=dict(n_fft=256, hop_length=100, n_mels=30)).double()
    case("mfcc", signal, transform(torch.from_numpy(y)).numpy().T, size=256, hop=100, bands=30,
         count=20, lifter=0, scale="logarithm", mel="htk", norm="none")

# ---- resampling ----

for old, new in [(16000, 8000), (8000, 16000), (44100, 16000), (16000, 22050), (48000, 44100),
                 (7, 5), (11025, 48000), (16000, 16000), (1000, 13)]:
    transform = torchaudio.transforms.Resample(old, new, dtype=torch.float64)
    for signal in ["voice", "full", "short"]:
        x = torch.from_numpy(signals[signal].astype(np.float64))
        case("resample", signal, transform(x).numpy(), old=old, new=new)
transform = torchaudio.transforms.Resample(
    16000, 10000, lowpass_filter_width=64, rolloff=0.9475937167399596, dtype=torch.float64)
case("resample", "voice", transform(torch.from_numpy(signals["voice"].astype(np.float64))).numpy(),
     old=16000, new=10000, width=64, rolloff=0.9475937167399596)

# ---- files ----


def timeless(path):
    """Clears the time that the chunk of peaks has, after its size and version."""
    data = bytearray(path.read_bytes())
    peaks = data.find(b"PEAK")
    if peaks >= 0:
        data[peaks + 12:peaks + 16] = bytes(4)
        path.write_bytes(data)


for name, form, subtype, channels in [
    ("uint8", "WAV", "PCM_U8", 1), ("int16", "WAV", "PCM_16", 2), ("int24", "WAV", "PCM_24", 1),
    ("int32", "WAV", "PCM_32", 3), ("float32", "WAV", "FLOAT", 2), ("float64", "WAV", "DOUBLE", 1),
    ("extensible16", "WAVEX", "PCM_16", 2), ("extensible24", "WAVEX", "PCM_24", 4),
    ("extensibleFloat", "WAVEX", "FLOAT", 1), ("rf64", "RF64", "PCM_16", 1),
    ("rf64Float", "RF64", "FLOAT", 2), ("mulaw", "WAV", "ULAW", 1), ("adpcm", "WAV", "IMA_ADPCM", 1),
]:
    path = folder / f"{name}.wav"
    x = np.clip(noise(37 * channels, 0.4), -1, 1).reshape(37, channels)
    soundfile.write(path, x, 11025, format=form, subtype=subtype)
    timeless(path)
    if name not in ["mulaw", "adpcm"]:
        arrays["file." + name] = soundfile.read(path, dtype="float32", always_2d=True)[0]

save_file({name: np.ascontiguousarray(a) for name, a in arrays.items()}, folder / "sound.safetensors")
lines = [json.dumps({k: v for k, v in case.items() if v is not None}) for case in cases]
(folder / "cases.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
print(len(cases), "cases,", sum(a.nbytes for a in arrays.values()) // 1024, "KiB")
