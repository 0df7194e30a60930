#!/usr/bin/env python3
"""Writes Tests/ForgeImagesTests/Fixtures/video: Y4M files as FFmpeg writes them, and their frames.

    python Scripts/references/make_video.py           # writes the fixtures
    python Scripts/references/make_video.py --check   # compares, writes nothing

It needs PyAV 18 (FFmpeg 8) and NumPy. Frames of odd sizes are drawn from a fixed seed. FFmpeg writes
each NAME.y4m and reads it again; videos.json has its size, its rate and the bytes of each frame
(y, u and v without padding) as base64. Files of forms that Forge does not read are there, too, with
the words of their header.
"""
# check: --check

import base64
import fractions
import io
import json
import pathlib
import sys

import av
import numpy as np

av.logging.set_level(av.logging.ERROR)
FOLDER = (pathlib.Path(__file__).resolve().parents[2]
          / "Tests" / "ForgeImagesTests" / "Fixtures" / "video")
# name: width, height, pixel format, rate, options of the stream
READ = {
    "odd": (35, 21, "yuv420p", (30000, 1001), {}),
    "even": (16, 10, "yuv420p", (25, 1), {}),
    "full_range": (17, 4, "yuvj420p", (24, 1), {"color_range": 2}),
    "odd_columns": (9, 7, "yuv420p", (12, 1), {}),
    "gray": (33, 5, "gray", (50, 2), {}),
    "one_pixel": (1, 1, "yuv420p", (1, 1), {}),
}
REFUSED = {
    "bits10": (8, 6, "yuv420p10le", (25, 1), {}),
    "colors422": (8, 6, "yuv422p", (25, 1), {}),
    "colors444": (8, 6, "yuv444p", (25, 1), {}),
    "bits16_gray": (8, 6, "gray16le", (25, 1), {}),
}


def planes(frame):
    """The bytes of a frame without padding."""
    rows = []
    for plane in frame.planes:
        array = np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)
        rows.append(array[:, :plane.width * (2 if frame.format.name.endswith("le") else 1)].tobytes())
    return b"".join(rows)


def written(rng, width, height, form, rate, options):
    """A video of three frames."""
    memory = io.BytesIO()
    with av.open(memory, "w", format="yuv4mpegpipe", options={"strict": "-1"}) as container:
        stream = container.add_stream("wrapped_avframe", rate=fractions.Fraction(*rate))
        stream.width, stream.height, stream.pix_fmt = width, height, form
        if "color_range" in options:
            stream.codec_context.color_range = options["color_range"]
        for index in range(3):
            frame = av.VideoFrame(width, height, form)
            for plane in frame.planes:
                plane.update(rng.integers(0, 256, plane.buffer_size, dtype=np.uint8).tobytes())
            frame.pts = index
            for packet in stream.encode(frame):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return memory.getvalue()


def described(data):
    with av.open(io.BytesIO(data), format="yuv4mpegpipe") as container:
        stream = container.streams.video[0]
        rate = stream.average_rate
        frames = [base64.b64encode(planes(frame)).decode() for frame in container.decode(video=0)]
        return dict(width=stream.width, height=stream.height,
                    rate=[rate.numerator, rate.denominator], frames=frames)


def main():
    rng = np.random.default_rng(5304)
    files, videos = {}, {}
    for name, case in READ.items():
        files[f"{name}.y4m"] = data = written(rng, *case)
        videos[name] = described(data)
    for name, case in REFUSED.items():
        files[f"{name}.y4m"] = data = written(rng, *case)
        videos[name] = dict(described(data), frames=[],
                            refused=next(w for w in data.split(b"\n")[0].decode().split() if w[0] == "C"))
    files["videos.json"] = (json.dumps(videos, indent=1) + "\n").encode()
    if "--check" in sys.argv:
        wrong = [n for n, d in files.items() if (FOLDER / n).read_bytes() != d]
        sys.exit(f"differ: {wrong}" if wrong else 0)
    FOLDER.mkdir(exist_ok=True)
    for name, data in files.items():
        (FOLDER / name).write_bytes(data)
        print(name, len(data), data.split(b"\n")[0][:100] if name.endswith("y4m") else "")


main()
