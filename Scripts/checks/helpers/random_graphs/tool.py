"""Runs models by the tool `forge`, many in one process."""
import collections
import json
import os
import pathlib
import queue
import re
import subprocess
import threading

import numpy as np
import onnx

Outcome = collections.namedtuple("Outcome", ["status", "message", "outputs"])
# In memory, if the system has such a folder.
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
# Seconds until a case counts as one that does not end.
PATIENCE = 120
# Rewrites and algorithms that are switched off.
without = []


class Case:
    """A model with its inputs and the names of its outputs; `sizes` states open sizes."""

    def __init__(self, model, inputs, outputs, sizes=None, batch=False):
        self.model, self.inputs, self.outputs = model, inputs, outputs
        self.sizes, self.batch = sizes or {}, batch


def refusal(message):
    """The kind of a refusal: its sentence, or what is not supported, without names and numbers."""
    rows = message.splitlines()
    text = rows[0].split(": ", 1)[-1] if rows else ""
    for row in rows[1:]:
        if row.strip().startswith("received"):
            text = row.strip()[len("received"):].split(": ")[0].strip()
            break
    return re.sub(r'"[^"]*"', '""', re.sub(r"\d+", "#", text))[:100]


def written(case, place, folder):
    """Writes a case; returns its entry in the list."""
    path = folder / f"{place}.onnx"
    onnx.save(case.model, path)
    inputs = {}
    for index, (name, array) in enumerate(case.inputs.items()):
        inputs[name] = str(folder / f"{place}-in{index}.npy")
        np.save(inputs[name], array)
    outputs = {
        name: str(folder / f"{place}-out{index}.npy") for index, name in enumerate(case.outputs)}
    return {
        "model": str(path), "inputs": inputs, "outputs": outputs, "sizes": case.sizes,
        "batch": case.batch, "disabledRewrites": without}


def lines(forge, path):
    """The lines that the tool prints for a list, and how it ended."""
    process = subprocess.Popen(
        [forge, "run", "--threads", "1", "--list", str(path)], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    found, errors = queue.Queue(), []
    readers = [
        threading.Thread(
            target=lambda: [found.put(line) for line in process.stdout] + [found.put(None)]),
        threading.Thread(target=lambda: errors.extend(process.stderr))]
    for reader in readers:
        reader.start()
    result, end = [], None
    while True:
        try:
            line = found.get(timeout=PATIENCE)
        except queue.Empty:
            process.kill()
            end = f"no answer in {PATIENCE} s"
            break
        if line is None:
            break
        if line.startswith("{"):
            result.append(json.loads(line))
    process.wait()
    for reader in readers:
        reader.join()
    if end is None and process.returncode != 0:
        message = " | ".join(line.strip() for line in errors[-3:])
        end = f"the tool ended with {process.returncode}: {message}"
    return result, end


def run(forge, cases, folder):
    """The outcome of each case: `ok`, `unsupported`, `error`, or `crash` (also of a hang)."""
    folder = pathlib.Path(folder)
    entries = [written(case, place, folder) for place, case in enumerate(cases)]
    outcomes = []
    while len(outcomes) < len(cases):
        path = folder / "cases.json"
        path.write_text(json.dumps(entries[len(outcomes):]))
        found, end = lines(forge, path)
        for line in found:
            files = entries[len(outcomes)]["outputs"] if line["status"] == "ok" else {}
            outcomes.append(Outcome(
                line["status"], line.get("message", ""),
                {name: np.load(file) for name, file in files.items()}))
        if len(outcomes) < len(cases):
            # The case that the tool did not come back from; the others follow without it.
            outcomes.append(Outcome("crash", end or "the tool ended early", {}))
    for file in folder.iterdir():
        file.unlink()
    return outcomes
