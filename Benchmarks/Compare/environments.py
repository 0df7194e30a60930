"""Sets up what the comparison needs: the other runtimes, and the networks in their formats.

What exists is left as it is, so that a set-up that was cut off goes on where it stopped.
"""
import ast
import pathlib
import subprocess
import sys

RUNTIMES = ["numpy", "onnxruntime==1.31.1", "openvino==2026.4.1", "ai-edge-litert==2.3.0", "MNN==3.6.1",
            "ncnn==1.0.20261020"]
# Apart from the runtimes: TensorFlow wants versions of shared packages that they do not.
EXPORTERS = ["tensorflow-cpu==2.21.0", "tf2onnx==1.17.0", "MNN==3.6.1"]
# ONNX Runtime's own optimizer of transformers, which needs the first and the last.
OPTIMIZER = ["onnx==1.23.2", "onnxruntime==1.31.1", "sympy==1.14.0"]
PNNX = "pnnx==20261020"  # a program that writes ncnn's files; its Python side, which wants PyTorch, is not used


def runtimes(directory):
    """The virtual environment of the other runtimes."""
    return _environment(directory / "runtimes", RUNTIMES)


def exporters(directory):
    """The virtual environment that makes the networks."""
    return _environment(directory / "exporters", EXPORTERS)


def optimizer(directory):
    """The virtual environment that fuses transformers for ONNX Runtime."""
    return _environment(directory / "optimizer", OPTIMIZER)


def pnnx(directory):
    """The program that turns .onnx files into ncnn's."""
    environment = _environment(directory / "pnnx", [PNNX], "--no-deps")
    return next(environment.glob("lib/python3*/site-packages/pnnx/pnnx"))


def networks(directory, names):
    """The folder with NAME.h5, .tflite, .onnx, .mnn, .ncnn.param, .ncnn.bin, .input.npy and .output.npy."""
    folder = directory / "networks"
    folder.mkdir(exist_ok=True)
    if all((folder / f"{name}.ncnn.param").exists() for name in names):
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
        if not (folder / f"{name}.ncnn.param").exists():
            shape = ",".join(str(size) for size in numpy_shape(folder / f"{name}.input.npy"))
            run(pnnx(directory), f"{name}.onnx", f"inputshape=[{shape}]", "fp16=0", folder=folder)
    return folder


def sequences(directory, names):
    """The folder with NAME.keras, .tflite, .onnx, .mnn, .input.npy, .output.npy, of encoders .fused.onnx."""
    folder = directory / "sequences"
    folder.mkdir(exist_ok=True)
    if all((folder / f"{name}.mnn").exists() for name in names):
        return folder
    here = pathlib.Path(__file__).parent
    run(exporters(directory) / "bin" / "python", here / "sequences.py", folder, *names)
    for name in names:
        onnx, mnn = folder / f"{name}.onnx", folder / f"{name}.mnn"
        # Of ViT the plain file is as fast.
        if name.startswith(("encoder", "sentence")) and not (folder / f"{name}.fused.onnx").exists():
            run(optimizer(directory) / "bin" / "python", here / "fuse.py", onnx, folder / f"{name}.fused.onnx")
        if not mnn.exists():
            run(exporters(directory) / "bin" / "mnnconvert", "-f", "ONNX", "--modelFile", onnx, "--MNNModel", mnn,
                "--bizCode", "benchmark")
    return folder


def numpy_shape(path):
    """The shape in the header of a .npy file, read without NumPy: this runs outside of the environments."""
    with open(path, "rb") as file:
        return ast.literal_eval(file.read(512)[10:].split(b"}")[0].decode() + "}")["shape"]


def _environment(path, packages, *options):
    """A virtual environment with packages; a file in it says that they are all there."""
    ready = path / "ready"
    if not ready.exists() or ready.read_text().split() != packages:
        print(f"setting up {path}")
        run(sys.executable, "-m", "venv", path)
        run(path / "bin" / "python", "-m", "pip", "install", "--quiet", *options, *packages)
        ready.write_text("\n".join(packages))
    return path


def run(*command, folder=None):
    """Runs a command, in a folder if given; what it says is shown when it fails."""
    done = subprocess.run([str(word) for word in command], text=True, cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stdout[-3000:]}")
