#!/usr/bin/env python3
"""Exports networks of torchvision, and a U-Net, to ONNX with seeded random weights.

    make_torch_models.py FOLDER [--seed S] [--networks NAME …] [--exporter dynamo|script]

Writes NAME.onnx, its input NAME.in0.npy, the outputs of PyTorch in double precision NAME.out0.npy …,
and list.json, which Scripts/check torch reads. Needs the PyPI packages torch, torchvision, onnx,
onnxscript and onnxruntime. Parameters are drawn by each network's own initialization; the statistics and factors
of batch normalizations are drawn here, since their initial values would hide mistakes.
"""
# check: {scratch}/torch --networks squeezenet1_1

import argparse
import json
import pathlib
import warnings

import numpy as np
import onnxruntime
import torch
import torchvision

SIDES = {"ssdlite320_mobilenet_v3_large": 320, "deeplabv3_mobilenet_v3_large": 225, "unet": 192}
NETWORKS = [
    "resnet18", "resnet50", "mobilenet_v2", "mobilenet_v3_small", "mobilenet_v3_large",
    "efficientnet_b0", "shufflenet_v2_x1_0", "regnet_y_400mf", "convnext_tiny", "densenet121",
    "squeezenet1_1", "googlenet", "mnasnet1_0", "vgg11_bn", "deeplabv3_mobilenet_v3_large",
    "ssdlite320_mobilenet_v3_large", "unet",
]


class UNet(torch.nn.Module):
    """Three levels, joined by transposed convolutions (Ronneberger et al., 2015)."""

    def __init__(self, channels=32, classes=5):
        super().__init__()
        sizes = [channels, channels * 2, channels * 4, channels * 8]
        self.down = torch.nn.ModuleList(
            self.block(a, b) for a, b in zip([3] + sizes, sizes))
        self.up = torch.nn.ModuleList(
            torch.nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in zip(sizes, sizes[1:]))
        self.merge = torch.nn.ModuleList(self.block(a * 2, a) for a in sizes[:-1])
        self.classes = torch.nn.Conv2d(channels, classes, 1)

    @staticmethod
    def block(inputs, outputs):
        layers = []
        for size in (inputs, outputs):
            layers += [torch.nn.Conv2d(size, outputs, 3, padding=1, bias=False),
                       torch.nn.BatchNorm2d(outputs), torch.nn.ReLU()]
        return torch.nn.Sequential(*layers)

    def forward(self, x):
        kept = []
        for number, block in enumerate(self.down):
            x = block(x if number == 0 else torch.nn.functional.max_pool2d(x, 2))
            kept.append(x)
        x = kept.pop()
        for up, merge in zip(reversed(self.up), reversed(self.merge)):
            x = merge(torch.cat([up(x), kept.pop()], 1))
        return self.classes(x)


class Segments(torch.nn.Module):
    """The class scores of a segmentation network, without its dictionary."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(x)["out"]


class Heads(torch.nn.Module):
    """The box offsets and class scores of a detector, of all anchors.

    Its sizes do not depend on values. What follows in torchvision (the boxes of one class above a
    threshold, then suppression) has as many rows as there are objects.
    """

    def __init__(self, detector):
        super().__init__()
        self.detector = detector

    def forward(self, x):
        heads = self.detector.head(list(self.detector.backbone(x).values()))
        return heads["bbox_regression"], heads["cls_logits"]


def network_named(name):
    if name == "unet":
        return UNet()
    if name.startswith("deeplab"):
        return Segments(torchvision.models.get_model(name, weights=None, weights_backbone=None))
    if name.startswith("ssd"):
        return Heads(torchvision.models.get_model(name, weights=None, weights_backbone=None))
    if name == "googlenet":
        return torchvision.models.googlenet(weights=None, aux_logits=False, init_weights=True)
    return torchvision.models.get_model(name, weights=None)


def randomize(network):
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.weight, 0.6, 1.4)
            torch.nn.init.normal_(module.bias, 0, 0.2)
            torch.nn.init.normal_(module.running_mean, 0, 0.1)
            torch.nn.init.uniform_(module.running_var, 0.8, 1.25)
        elif hasattr(module, "layer_scale"):
            torch.nn.init.uniform_(module.layer_scale, 0.05, 0.4)


def export(name, folder, seed, exporter):
    torch.manual_seed(seed)
    side = SIDES.get(name, 224)
    network = network_named(name).eval()
    randomize(network)
    x = torch.rand(1, 3, side, side) * 2 - 1
    file = folder / f"{name}.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if exporter == "dynamo":
            torch.onnx.export(network, (x,), str(file), dynamo=True, external_data=False,
                              verbose=False)
        else:
            torch.onnx.export(network, (x,), str(file), dynamo=False, input_names=["image"])
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    values = x.numpy()
    results = session.run(None, {session.get_inputs()[0].name: values})
    with torch.no_grad():
        truth = network.double()(x.double())
    truth = [y.numpy() for y in ([truth] if torch.is_tensor(truth) else truth)]
    far = max(float(np.linalg.norm(a - b) / np.linalg.norm(b)) for a, b in zip(results, truth))
    print(f"{name}: {file.stat().st_size / 1e6:.1f} MB, distance of ONNX Runtime {far:.1e}",
          flush=True)
    np.save(folder / f"{name}.in0.npy", values)
    outputs = []
    for number, (output, value) in enumerate(zip(session.get_outputs(), truth)):
        np.save(folder / f"{name}.out{number}.npy", value)
        outputs.append([output.name, f"{name}.out{number}.npy"])
    return dict(name=name, file=file.name,
                inputs=[[session.get_inputs()[0].name, f"{name}.in0.npy"]], outputs=outputs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", nargs="*", default=NETWORKS)
    parser.add_argument("--exporter", choices=["dynamo", "script"], default="dynamo")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    cases = [export(name, arguments.folder, arguments.seed, arguments.exporter)
             for name in arguments.networks]
    (arguments.folder / "list.json").write_text(json.dumps(cases))


if __name__ == "__main__":
    main()
