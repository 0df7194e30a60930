"""Runs models that a script has made through the tool and compares their outputs.

A folder of models has a list.json: a list of {name, file, inputs: [[NAME, FILE], …], outputs:
[[NAME, FILE], …]}, where the files are .npy files of the folder.
"""

import json
import subprocess
import sys

import numpy as np


def distance(a, b):
    """The relative L2 distance of a from b."""
    a, b = a.astype("float64"), b.astype("float64")
    return np.linalg.norm(a - b) / max(np.linalg.norm(b), 1e-30)


def compare(folder, forge, tolerance, list_all=False):
    """Prints what differs, and one closing line; exits with 1 where a model is wrong."""
    cases = json.loads((folder / "list.json").read_text())
    (folder / "cases.json").write_text(json.dumps([
        dict(model=str(folder / case["file"]),
             inputs={name: str(folder / path) for name, path in case["inputs"]},
             outputs={name: str(folder / ("forge." + path)) for name, path in case["outputs"]})
        for case in cases]))
    done = subprocess.run([forge, "run", "--list", str(folder / "cases.json")],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    counts, worst = dict(ok=0, unsupported=0, error=0, wrong=0), (0, "")
    for case, outcome in zip(cases, outcomes):
        status, message = outcome["status"], outcome["message"]
        if status == "ok":
            for _, path in case["outputs"]:
                expected = np.load(folder / path)
                if not (folder / ("forge." + path)).exists():
                    status, message = "wrong", f"no {path}"
                    continue
                found = np.load(folder / ("forge." + path))
                if found.shape != expected.shape:
                    status, message = "wrong", f"{found.shape}, not {expected.shape}"
                    continue
                far = distance(found, expected)
                worst = max(worst, (far, case["name"]))
                if list_all:
                    print(f"{case['name']}, {path}: {far:.1e}")
                if not far <= tolerance:
                    status, message = "wrong", f"distance {far:.2e} at {path}"
        if outcome["model"] != str(folder / case["file"]):
            sys.exit(f"the tool answered {outcome['model']} for {case['file']}")
        counts[status] += 1
        if status != "ok":
            print(f"{status}: {case['file']}: {message}")
    missing = len(cases) - len(outcomes)
    print(f"{len(cases)} models: " + ", ".join(f"{n} {s}" for s, n in counts.items())
          + f"; largest distance {worst[0]:.2e} ({worst[1]}); {missing} without a result")
    sys.exit(1 if counts["wrong"] or counts["error"] or missing else 0)
