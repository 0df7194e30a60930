#!/usr/bin/env python3
"""Makes Resources/message.wav: the first seconds of the recording of Examples/Keywords, at 8 kHz.

    python3 Examples/LevelStrip/make_message.py

Needs nothing but Python. The mean of two samples makes one; the words fade in and out as they would
in a message that is spoken closer to and further from the microphone.
"""
import array
import math
import pathlib
import wave

folder = pathlib.Path(__file__).resolve().parent
SECONDS = 4.2

with wave.open(str(folder.parent / "Keywords/Resources/recording.wav")) as file:
    assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16000, 1, 2)
    samples = array.array("h", file.readframes(int(16000 * SECONDS)))

slow = array.array("h")
for index in range(len(samples) // 2):
    mean = (samples[2 * index] + samples[2 * index + 1]) / 2
    slow.append(round(mean * (0.6 + 0.4 * math.sin(index / 8000 * 2))))

with wave.open(str(folder / "Resources/message.wav"), "wb") as file:
    file.setnchannels(1)
    file.setsampwidth(2)
    file.setframerate(8000)
    file.writeframes(slow.tobytes())
