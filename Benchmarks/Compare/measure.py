"""Measures Forge and the other runtimes in turns and hands the figures to report.py; started by ../compare."""
import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnxruntime

import report
import streams

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = {"onnxruntime": "onnxruntime", "openvino": "openvino", "litert": "ai-edge-litert", "mnn": "MNN",
            "ncnn": "ncnn"}
# ncnn has no sequences.
OTHERS = {kind: [name for name in PACKAGES if kind != "sequences" or name != "ncnn"]
          for kind in ("ready", "imported", "sequences")}
ALLOWED_ERROR = 1e-5  # relative L2 against Keras's answer, for all alike
BATCHES = [1, 8, 32]


class Wrong(Exception):
    """A runtime that cannot run a network, or answers it wrongly."""


def check(figures):
    if not figures["error"] < ALLOWED_ERROR:
        raise Wrong(f"its answer is off by {figures['error']:.1e}")
    return figures


class Other:
    """Another runtime in its own process, which stays for all rounds; idle it waits for a line."""

    def __init__(self, name, network, threads, options):
        prefix = str(options.models / network)
        command = [sys.executable, HERE / "runtime.py", name, prefix, threads, *tensor_names(prefix)]
        self.complaints = pathlib.Path(options.scratch) / f"{name}.txt"
        with open(self.complaints, "w") as complaints:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=complaints, text=True)
        try:
            self.start = check(self.answer())
        except Wrong:
            self.close()
            raise

    def answer(self):
        for line in self.process.stdout:
            if line.startswith("{"):  # some libraries print notes of their own
                return json.loads(line)
        lines = self.complaints.read_text().strip().splitlines()
        raise Wrong(lines[-1] if lines else "it ended without a word")

    def burst(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return check(self.answer())

    def close(self):
        self.process.kill()
        self.process.communicate()


class Forge:
    """The tool, a new process each time."""

    def __init__(self, network, threads, options, batch=1):
        prefix = options.models / network
        self.expected = numpy.load(f"{prefix}.output.npy")
        self.batch = batch
        self.output = pathlib.Path(options.scratch) / "answer.npy"
        model = {"ready": [network, "--weights", f"{prefix}.h5"], "imported": [f"{prefix}.onnx"],
                 "sequences": [f"{prefix}.keras"]}[options.kind]
        is_stream = network in streams.NETWORKS
        self.frames = self.expected.shape[1] if is_stream else 1
        model += ["--stream"] if is_stream else []
        self.command = [str(options.forge), "bench", *model, "--input", f"{prefix}.input.npy",
                        "--output", str(self.output), "--json", "--threads", str(threads), "--batch", str(batch)]
        self.start = self.run(1)
        self.start["resident_bytes"] = {
            "before": self.start["resident_bytes"]["before_compile"],
            "after": self.start["resident_bytes"]["after_predicting"]}
        self.milliseconds = self.run(3)["median_ms"] * self.frames

    def run(self, runs):
        done = subprocess.run(self.command + ["--runs", str(runs)], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"forge failed: {done.stderr.strip()}")
        answers = numpy.load(self.output).reshape(self.batch, -1)
        expected = self.expected.reshape(1, -1)
        error = numpy.linalg.norm(answers - expected, axis=1).max() / numpy.linalg.norm(expected)
        try:
            return check({**json.loads(done.stdout), "error": float(error)})
        except Wrong as wrong:
            sys.exit(f"forge: {wrong}")  # a wrong answer of Forge's ends everything

    def burst(self, seconds):
        return self.run(max(5, round(1e3 * seconds / self.milliseconds)))

    def close(self):
        pass


def tensor_names(prefix, known={}):
    """The input's and the output's name in the .onnx file."""
    if prefix not in known:
        session = onnxruntime.InferenceSession(prefix + ".onnx", providers=["CPUExecutionProvider"])
        known[prefix] = [session.get_inputs()[0].name, session.get_outputs()[0].name]
    return known[prefix]


def all_runtimes(network, threads, options, left_out):
    """Forge and all others that answer rightly, each loaded in a process of its own."""
    runtimes = {"forge": Forge(network, threads, options)}
    for name in OTHERS[options.kind]:
        try:
            runtimes[name] = Other(name, network, threads, options)
        except Wrong as wrong:
            left_out[f"{network}, {name}"] = str(wrong)
    return runtimes


def speed(network, threads, options, left_out):
    """Milliseconds of a prediction: per runtime and round the least and the median."""
    runtimes = all_runtimes(network, threads, options, left_out)
    rounds = {name: [] for name in runtimes}
    try:
        for number in range(options.rounds):
            order = list(runtimes)
            order = order[number % len(order):] + order[:number % len(order)]
            for name in order:
                time.sleep(options.pause)  # the threads of the one before go to sleep
                figures = runtimes[name].burst(options.seconds)
                rounds[name].append([figures["min_ms"], figures["median_ms"]])
    finally:
        for runtime in runtimes.values():
            runtime.close()
    return rounds


def starts(network, threads, options):
    """Of fresh processes: milliseconds until the first answer, and bytes, medians over repetitions."""
    samples = {}
    for _ in range(options.starts):
        time.sleep(options.pause)
        for name, runtime in all_runtimes(network, threads, options, {}).items():
            before, after = (runtime.start["resident_bytes"][when] for when in ("before", "after"))
            samples.setdefault(name, []).append({
                "load_ms": runtime.start["load_ms"], "first_ms": runtime.start["first_ms"],
                "total_ms": runtime.start["load_ms"] + runtime.start["first_ms"],
                "growth": after["current"] - before["current"],
                "peak_growth": after["peak"] - before["current"], "resident": after["current"]})
            runtime.close()
    return {name: {key: statistics.median(one[key] for one in ones) for key in ones[0]}
            for name, ones in samples.items()}


def batches(network, options):
    """Forge's milliseconds per picture of each batch size, per round."""
    tools = [Forge(network, 1, options, batch) for batch in BATCHES]
    rounds = []
    for _ in range(options.batch_rounds):
        time.sleep(options.pause)
        rounds.append([tool.burst(max(options.seconds, 5e-3 * tool.milliseconds))["per_picture_ms"]
                       for tool in tools])
    return rounds


def text_of(command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE)
    return done.stdout.strip() if done.returncode == 0 else ""


def facts(options):
    """What the figures depend on."""
    cpu = dict(line.split(":", 1) for line in text_of(["lscpu"]).splitlines() if ":" in line)
    memory = dict(line.split(":", 1) for line in open("/proc/meminfo"))
    names = ["Model name", "CPU(s)", "Thread(s) per core", "L1d cache", "L2 cache", "L3 cache", "Hypervisor vendor"]
    return {
        "date": datetime.date.today().isoformat(), "quick": options.quick, "rounds": options.rounds,
        "seconds": options.seconds, "starts": options.starts, "batch_rounds": options.batch_rounds,
        "load": os.getloadavg()[0],
        "machine": {name: cpu[name].strip() for name in names if name in cpu},
        "memory": int(memory["MemTotal"].split()[0]) << 10, "kernel": platform.release(),
        "forge": text_of(["git", "describe", "--always", "--dirty"]),
        "swift": text_of(["swift", "--version"]).split("\n")[0],
        "versions": {name: importlib.metadata.version(PACKAGES[name]) for name in OTHERS[options.kind]},
        "python": platform.python_version()}


def main():
    parser = argparse.ArgumentParser()
    for name in ("--models", "--forge", "--docs", "--results"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    parser.add_argument("--networks", type=lambda text: text.split(","), required=True)
    parser.add_argument("--threads", type=lambda text: [int(word) for word in text.split(",")], required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--kind", choices=OTHERS, required=True, help="all but ready: the times of predictions alone")
    options = parser.parse_args()
    quick = options.quick
    options.rounds = min(options.rounds, 2) if quick else options.rounds
    options.seconds, options.pause = (0.1, 0.05) if quick else (0.5, 0.2)
    options.starts, options.batch_rounds = (1, 1) if quick else (7, 5)
    results = {"facts": facts(options), "speed": {}, "starts": {}, "batches": {}, "left_out": {}}
    if results["facts"]["load"] > 0.3:
        print(f"the machine is not quiet: its load is {results['facts']['load']:.1f}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as options.scratch:
        for network in options.networks:
            for threads in options.threads:
                print(f"{network}, threads {threads}", flush=True)
                results["speed"].setdefault(network, {})[str(threads)] = speed(
                    network, threads, options, results["left_out"])
            if options.kind == "ready":
                results["starts"][network] = starts(network, 1, options)
                results["batches"][network] = batches(network, options)
    results["kind"] = options.kind
    results["layers"] = None if options.kind != "ready" else json.loads(text_of(
        [str(options.forge.resolve()), "bench", "--layers", str(HERE.parent / "layers.txt"), "--json", "--runs",
         "10" if quick else "100"]) or "null")
    options.results.write_text(json.dumps(results, indent=1))
    report.write(results, options.docs)
    print(f"wrote {options.docs}/Performance.md, Engine/Figures.md, the charts and {options.results}")


if __name__ == "__main__":
    main()
