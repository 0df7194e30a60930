"""Where the benchmarks keep their files, and the tool they time."""
import os
import pathlib
import subprocess

PACKAGE = pathlib.Path(__file__).resolve().parents[2]


def default_directory():
    base = os.environ.get("TMPDIR")
    return pathlib.Path(base) if base else pathlib.Path.home() / ".cache"


def build_forge():
    print("building the tool")
    command = ["swift", "build", "-c", "release", "--product", "forge"]
    subprocess.run(command, cwd=PACKAGE, check=True, stdout=subprocess.DEVNULL)
    path = subprocess.run(command[:4] + ["--show-bin-path"], cwd=PACKAGE, check=True,
                          capture_output=True, text=True).stdout.strip()
    return pathlib.Path(path) / "forge"
