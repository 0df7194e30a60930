"""One runtime with one network in a process of its own: `runtime.py RUNTIME PREFIX THREADS INPUT OUTPUT`.

INPUT and OUTPUT are the tensors' names in the .onnx file. It prints one JSON line when it has loaded the
network and predicted once, then one for each line "SECONDS" that it reads: predictions of that long. Of a
network that takes a sequence frame by frame (streams.py) a prediction is that of one frame.
"""
import json
import pathlib
import statistics
import sys
import time

import numpy

import streams

WARM_UPS = 2
FEWEST = 5


def onnxruntime(prefix, threads, names, picture):
    import onnxruntime as library
    yield
    options = library.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    fused = prefix + ".fused.onnx"  # what its optimizer has made of a transformer
    session = library.InferenceSession(
        fused if pathlib.Path(fused).exists() else prefix + ".onnx", sess_options=options,
        providers=["CPUExecutionProvider"])
    yield lambda x: session.run([names[1]], {names[0]: x})[0]


def openvino(prefix, threads, names, picture, precision="f32"):
    import openvino as library
    yield
    core = library.Core()
    model = core.read_model(prefix + ".onnx")
    model.reshape(picture.shape)
    properties = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": precision}
    request = core.compile_model(model, "CPU", properties).create_infer_request()

    def predict(x):
        request.infer([x], share_inputs=True)
        return request.get_output_tensor(0).data.copy()
    yield predict


def litert(prefix, threads, names, picture):
    from ai_edge_litert import interpreter as library
    yield
    interpreter = library.Interpreter(model_path=prefix + ".tflite", num_threads=threads)
    interpreter.allocate_tensors()
    source = interpreter.get_input_details()[0]["index"]
    result = interpreter.get_output_details()[0]["index"]

    def predict(x):
        interpreter.set_tensor(source, x)
        interpreter.invoke()
        return interpreter.get_tensor(result)
    yield predict


def mnn(prefix, threads, names, picture):
    import MNN as library
    import MNN.nn
    yield
    settings = {"backend": "CPU", "precision": "high", "memory": "high", "numThread": threads}
    manager = library.nn.create_runtime_manager((settings,))
    module = library.nn.load_module_from_file(
        prefix + ".mnn", [names[0]], [names[1]], runtime_manager=manager)

    def predict(x):  # the file's tensors are in memory order, which MNN calls NCHW whatever they hold
        tensor = library.expr.const(x, list(x.shape), library.expr.NCHW)
        return module.forward([tensor])[0].read()
    yield predict


def ncnn(prefix, threads, names, picture):
    import ncnn as library
    yield
    with open(prefix + ".ncnn.param") as file:
        if "Pad " in file.read():  # how the converter writes a padding of channels-last pictures
            raise SystemExit("it has no padding of channels-last pictures")
    net = library.Net()
    net.opt.num_threads = threads
    for narrow in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage"):
        setattr(net.opt, narrow, False)
    net.load_param(prefix + ".ncnn.param")
    net.load_model(prefix + ".ncnn.bin")

    def predict(x):
        with net.create_extractor() as extractor:
            extractor.input("in0", library.Mat(x[0]).clone())
            return numpy.array(extractor.extract("out0")[1])
    yield predict


RUNTIMES = {"onnxruntime": onnxruntime, "openvino": openvino, "litert": litert, "mnn": mnn, "ncnn": ncnn}


def resident():
    """Bytes of this process in the machine's memory: now and at most so far."""
    with open("/proc/self/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return {"current": int(lines["VmRSS"].split()[0]) << 10, "peak": int(lines["VmHWM"].split()[0]) << 10}


class Whole:
    """The whole input at once."""

    def __init__(self, predict, picture):
        self.predict, self.picture = predict, picture

    def run(self):
        """The answer and the milliseconds."""
        start = time.perf_counter()
        answer = self.predict(self.picture)
        return answer, [1e3 * (time.perf_counter() - start)]


class Frames:
    """One frame after the other, each from the state that the one before has left."""

    def __init__(self, stream, sequence):
        self.stream = stream
        self.frames = [numpy.ascontiguousarray(sequence[:, at:at + 1]) for at in range(sequence.shape[1])]

    def run(self):
        """The answers, joined, and the milliseconds of each frame."""
        self.stream.restart()
        answers, times = [], []
        for frame in self.frames:
            start = time.perf_counter()
            answers.append(self.stream(frame))
            times.append(1e3 * (time.perf_counter() - start))
        return numpy.concatenate(answers, axis=1), times


def main():
    name, prefix, threads, *names = sys.argv[1:]
    picture, expected = numpy.load(prefix + ".input.npy"), numpy.load(prefix + ".output.npy")
    is_stream = pathlib.Path(prefix).name in streams.NETWORKS

    def error(answer):
        answer = numpy.asarray(answer).reshape(expected.shape)
        return float(numpy.linalg.norm(answer - expected) / numpy.linalg.norm(expected))

    opening = (streams.STREAMS if is_stream else RUNTIMES)[name](prefix, int(threads), names, picture)
    next(opening)  # the library is imported
    before = resident()
    start = time.perf_counter()
    work = (Frames if is_stream else Whole)(next(opening), picture)
    loaded = time.perf_counter()
    answer, _ = work.run()
    end = time.perf_counter()
    print(json.dumps({
        "load_ms": 1e3 * (loaded - start), "first_ms": 1e3 * (end - loaded), "error": error(answer),
        "resident_bytes": {"before": before, "after": resident()}}), flush=True)
    for line in sys.stdin:
        for _ in range(WARM_UPS):
            work.run()
        times, begin = [], time.perf_counter()
        while len(times) < FEWEST or time.perf_counter() - begin < float(line):
            answer, measured = work.run()
            times += measured
        print(json.dumps({"min_ms": min(times), "median_ms": statistics.median(times),
                          "error": error(answer)}), flush=True)


if __name__ == "__main__":
    main()
