"""Sets up what the comparison needs: the other runtimes, and the networks in their formats.

What exists is left as it is, so that a set-up that was cut off goes on where it stopped.
"""
import pathlib
import subprocess
import sys

RUNTIMES = ["numpy", "onnxruntime==1.31.1", "openvino==2026.4.1", "ai-edge-litert==2.3.0", "MNN==3.6.1"]
# Apart from the runtimes: TensorFlow wants versions of shared packages that they do not.
EXPORTERS = ["tensorflow-cpu==2.21.0", "tf2onnx==1.17.0", "MNN==3.6.1"]


def runtimes(directory):
    """The virtual environment of the other runtimes."""
    return _environment(directory / "runtimes", RUNTIMES)


def exporters(directory):
    """The virtual environment that makes the networks."""
    return _environment(directory / "exporters", EXPORTERS)


def networks(directory, names):
    """The folder with NAME.h5, .tflite, .onnx, .mnn, .input.npy and .output.npy of each network."""
    folder = directory / "networks"
    folder.mkdir(exist_ok=True)
    if all((folder / f"{name}.mnn").exists() for name in names):
        return folder
    tools = exporters(directory) / "bin"
    run(tools / "python", pathlib.Path(__file__).with_name("networks.py"), folder, *names)
    for name in names:
        onnx, mnn = folder / f"{name}.onnx", folder / f"{name}.mnn"
        if not onnx.exists():
            run(tools / "python", "-m", "tf2onnx.convert", "--opset", "17",
                 "--saved-model", folder / f"{name}.saved", "--output", onnx)
        if not mnn.exists():
            run(tools / "mnnconvert", "-f", "ONNX", "--modelFile", onnx, "--MNNModel", mnn,
                 "--bizCode", "benchmark")
    return folder


def _environment(path, packages):
    """A virtual environment with packages; a file in it says that they are all there."""
    ready = path / "ready"
    if not ready.exists() or ready.read_text().split() != packages:
        print(f"setting up {path}")
        run(sys.executable, "-m", "venv", path)
        run(path / "bin" / "python", "-m", "pip", "install", "--quiet", *packages)
        ready.write_text("\n".join(packages))
    return path


def run(*command):
    """Runs a command; what it says is shown when it fails."""
    done = subprocess.run([str(word) for word in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stdout[-3000:]}")
