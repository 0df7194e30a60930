"""Makes models with strides along their sequences, and what ONNX Runtime computes at some lengths.

usage: make_stepping_exports.py FOLDER

Each network is exported by the exporters of PyTorch with a dynamic length. Its lengths are first,
first + step, first + 2 step, … (InputSize.stepping).
"""
# check: {fixtures}/ONNX/Stepping

import os
import sys
import warnings

import onnx
import onnxruntime
import torch
from torch import nn

import fixtures
from make_onnx_models import seeded

warnings.filterwarnings("ignore")
torch.manual_seed(9)
COUNT = 12
PLACES = [1, 2, 5, 7, COUNT]


class Speech(nn.Module):
    """The front of wav2vec 2.0: strided convolutions, a norm over time, grouped positions."""

    def __init__(self):
        super().__init__()
        sizes = [(1, 10, 5), (16, 3, 2), (16, 3, 2), (16, 2, 2)]
        self.layers = nn.ModuleList(
            nn.Conv1d(channels, 16, kernel, stride, bias=False) for channels, kernel, stride in sizes)
        self.norm = nn.GroupNorm(16, 16)
        self.project = nn.Linear(16, 24)
        self.places = nn.Conv1d(24, 24, 4, padding=2, groups=4)
        block = nn.TransformerEncoderLayer(24, 3, 32, batch_first=True, activation="gelu")
        self.block = nn.TransformerEncoder(block, 1, enable_nested_tensor=False)

    def forward(self, x):
        for index, layer in enumerate(self.layers):
            x = layer(x)
            x = nn.functional.gelu(self.norm(x) if index == 0 else x)
        x = self.project(x.transpose(1, 2))
        places = self.places(x.transpose(1, 2))[:, :, :-1]
        return self.block(x + nn.functional.gelu(places).transpose(1, 2))


class UNet(nn.Module):
    """A U-Net along time: poolings, values repeated, a transposed convolution."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv1d(3, 8, 5, padding=2)
        self.b = nn.Conv1d(8, 12, 5, padding=2)
        self.c = nn.Conv1d(12, 16, 3, padding=1)
        self.norm = nn.InstanceNorm1d(16, affine=True)
        self.up = nn.ConvTranspose1d(16, 12, 4, stride=2, padding=1)
        self.d = nn.Conv1d(24, 8, 3, padding=1)
        self.e = nn.Conv1d(16, 2, 1)

    def forward(self, x):
        f = nn.functional
        a = f.relu(self.a(x))
        b = f.leaky_relu(self.b(f.max_pool1d(a, 2)), 0.1)
        c = self.norm(f.relu(self.c(f.avg_pool1d(b, 2))))
        d = f.relu(self.d(torch.cat([self.up(c), b], 1)))
        e = torch.cat([f.interpolate(d, scale_factor=2.0, mode="nearest"), a], 1)
        return self.e(e)


class Text(nn.Module):
    """A line of text: the columns of a picture, left to right."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(1, 8, 3, padding=1)
        self.b = nn.Conv2d(8, 12, 3, padding=1)
        self.norm = nn.BatchNorm2d(12)
        self.c = nn.Conv2d(12, 16, (4, 2))
        self.lstm = nn.LSTM(16, 10, bidirectional=True, batch_first=True)
        self.letters = nn.Linear(20, 11)

    def forward(self, x):
        f = nn.functional
        x = f.max_pool2d(f.relu(self.a(x)), 2)
        x = f.max_pool2d(f.relu(self.norm(self.b(x))), (2, 2))
        x = f.relu(self.c(x)).squeeze(2).permute(0, 2, 1)
        y, _ = self.lstm(x)
        return f.log_softmax(self.letters(y), -1)


# The network, the sizes of the input with 0 for the length, the first length, and the step.
NETWORKS = {
    "speech": (Speech, [1, 1, 0], 80, 40),
    "unet": (UNet, [1, 3, 0], 8, 4),
    "text": (Text, [1, 1, 16, 0], 16, 4),
}


def sizes(name, place):
    _, stated, first, step = NETWORKS[name]
    return [size or first + (place - 1) * step for size in stated]


def values(name, place):
    shape = sizes(name, place)
    count = 1
    for size in shape:
        count *= size
    return seeded(count, place).reshape(shape)


def export(name, folder, kind):
    model = NETWORKS[name][0]().eval()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.uniform_(-0.3, 0.3)
            module.running_var.uniform_(0.5, 1.5)
    axis = NETWORKS[name][1].index(0)
    path = os.path.join(folder, f"{name}_{kind}.onnx")
    options = dict(
        input_names=["x"], output_names=["y"], opset_version=18, dynamo=kind == "dynamo")
    if kind == "dynamo":
        # The U-Net's lengths must be multiples of four.
        length = 4 * torch.export.Dim("quarter", min=2, max=64) if name == "unet" \
            else torch.export.Dim.DYNAMIC
        options["dynamic_shapes"] = ({axis: length},)
        options["external_data"] = False
    else:
        options["dynamic_axes"] = {"x": {axis: "length"}}
    torch.onnx.export(model, (torch.tensor(values(name, 6)),), path, **options)
    stored = onnx.load(path)
    for node in stored.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    for value in list(stored.graph.value_info) + list(stored.graph.input):
        del value.metadata_props[:]
    onnx.save(stored, path)
    return path


def expected(name, path):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    found = {}
    for place in PLACES:
        result = session.run(None, {"x": values(name, place)})[0]
        found[str(place)] = {
            "inputs": {"x": {"sizes": sizes(name, place), "seed": place}},
            "outputs": {
                "y": {"sizes": list(result.shape),
                      "values": [float(f"{x:.6g}") for x in result.ravel()]}}}
    return found


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    found = {}
    for name in NETWORKS:
        # The older exporter stores the length of attention that it was shown.
        for kind in ["dynamo"] if name == "speech" else ["script", "dynamo"]:
            found[f"{name}_{kind}"] = expected(name, export(name, folder, kind))
    fixtures.write(os.path.join(folder, "expected.safetensors"), found)


main()
