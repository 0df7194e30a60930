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
import openvino
from ai_edge_litert.interpreter import Interpreter

SECONDS = 0.5  # of each in a round


def openvino_in(precision, prefix, picture):
    core = openvino.Core()
    model = core.read_model(prefix + ".onnx")
    model.reshape(picture.shape)
    request = core.compile_model(model, "CPU", {
        "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1,
        "INFERENCE_PRECISION_HINT": precision}).create_infer_request()

    def predict():
        request.infer([picture], share_inputs=True)
        return request.get_output_tensor(0).data
    return predict


def litert(path, picture):
    interpreter = Interpreter(model_path=path, num_threads=1)
    interpreter.allocate_tensors()
    source = interpreter.get_input_details()[0]["index"]
    result = interpreter.get_output_details()[0]["index"]

    def predict():
        interpreter.set_tensor(source, picture)
        interpreter.invoke()
        return interpreter.get_tensor(result)
    return predict


def timed(predict):
    def round():
        predict()
        times, begin = [], time.perf_counter()
        while time.perf_counter() - begin < SECONDS:
            start = time.perf_counter()
            answer = predict()
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
        ways |= {f"OpenVINO {name}": timed(openvino_in(hint, prefix, picture))
                 for name, hint in (("float32", "f32"), ("bfloat16", "bf16"))}
        ways |= {"LiteRT float32": timed(litert(prefix + ".tflite", picture)),
                 "LiteRT int8, dynamic": timed(litert(quantized, picture))}
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
