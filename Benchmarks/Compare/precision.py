"""Times lower precisions in turns and prints a table: `precision.py PREFIX QUANTIZED FORGE NETWORK ROUNDS`.

Started by ../precision. All in one process but Forge, which is started anew each round.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

import runtime

SECONDS = 0.5  # of each in a round


def opened(opening):
    """What predicts, of a runtime that is being opened: see runtime.py."""
    next(opening)
    return next(opening)


def timed(predict, picture):
    def round():
        predict(picture)
        times, begin = [], time.perf_counter()
        while time.perf_counter() - begin < SECONDS:
            start = time.perf_counter()
            answer = predict(picture)
            times.append(1e3 * (time.perf_counter() - start))
        return statistics.median(times), numpy.array(answer)
    return round


def forge(tool, network, precision, prefix, folder):
    answer = folder / f"{precision}.npy"

    def round():
        done = subprocess.run(
            [tool, "bench", network, "--weights", prefix + ".h5", "--input", prefix + ".input.npy",
             "--output", answer, "--threads", "1", "--runs", "50", "--precision", precision, "--json"],
            check=True, capture_output=True, text=True)
        return json.loads(done.stdout)["median_ms"], numpy.load(answer)
    return round


def main():
    prefix, quantized, tool, network, rounds = sys.argv[1:]
    picture, expected = numpy.load(prefix + ".input.npy"), numpy.load(prefix + ".output.npy")
    with tempfile.TemporaryDirectory() as folder:
        ways = {f"Forge {way}": forge(tool, network, way, prefix, pathlib.Path(folder))
                for way in ("float32", "half-weights", "bfloat16", "int8")}
        ways |= {f"OpenVINO {name}": timed(
            opened(runtime.openvino(prefix, 1, None, picture, hint)), picture)
                 for name, hint in (("float32", "f32"), ("bfloat16", "bf16"))}
        ways |= {name: timed(opened(runtime.litert(file, 1, None, picture)), picture)
                 for name, file in (("LiteRT float32", prefix),
                                    ("LiteRT int8, dynamic", quantized.removesuffix(".tflite")))}
        times, errors = {name: [] for name in ways}, {}
        for _ in range(int(rounds)):
            for name, round in ways.items():
                milliseconds, answer = round()
                times[name].append(milliseconds)
                difference = answer.reshape(expected.shape) - expected
                errors[name] = numpy.linalg.norm(difference) / numpy.linalg.norm(expected)
    print("| | ms | its own float32 / it | relative L2 error |\n| --- | ---: | ---: | ---: |")
    for name, each in times.items():
        own = times[f"{name.split()[0]} float32"]
        ratio = statistics.median(base / time for base, time in zip(own, each))
        print(f"| {name} | {statistics.median(each):.2f} | {ratio:.2f} | {errors[name]:.1e} |")


main()
