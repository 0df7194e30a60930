#!/usr/bin/env python3
"""Writes Tests/ForgeImportersTests/Fixtures/CoreML/Suppression: Core ML models that suppress boxes,
and what they return by their specification.

Run it from anywhere, with a Python that has coremltools 9:

    python Scripts/references/make_coreml_suppression.py            # writes the fixtures
    python Scripts/references/make_coreml_suppression.py --check    # compares, writes nothing

`pipeline_*.mlmodel` are two networks with layers of equal names and other weights, a scaler and a
NonMaximumSuppression; `nms_*.mlpackage` are ML Programs with the operation, as of iOS 15 and 17.
NumPy computes the outputs in double precision from the text of NonMaximumSuppression.proto and of
the operation; expected.safetensors holds by file the boxes, the scores and the outputs. coremltools
writes the models, it cannot run them on Linux.
"""
# check: PYTHON=COREML_PYTHON --check

import pathlib
import sys

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.models.neural_network import NeuralNetworkBuilder
from coremltools.proto import Model_pb2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import coreml_packages  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Tests" / "ForgeImportersTests" / "Fixtures" / "CoreML" / "Suppression"
RNG = np.random.default_rng(53)
ARRAY = ct.models.datatypes.Array


def overlaps(a, b):
    """Intersection over union of boxes (x center, y center, width, height)."""
    low = np.maximum(a[:2] - a[2:] / 2, b[:2] - b[2:] / 2)
    high = np.minimum(a[:2] + a[2:] / 2, b[:2] + b[2:] / 2)
    both = np.prod(np.maximum(high - low, 0))
    return both / (np.prod(a[2:]) + np.prod(b[2:]) - both)


def suppressed(boxes, scores, iou, least, per_class, rows):
    best, label = scores.max(-1), scores.argmax(-1)
    kept = []
    for i in np.argsort(-best, kind="stable"):
        if best[i] < least:
            continue
        others = [k for k in kept if not per_class or label[k] == label[i]]
        if all(overlaps(boxes[k], boxes[i]) <= iou for k in others):
            kept.append(int(i))
    kept = kept[:rows]
    free = rows - len(kept)
    pad = lambda values: np.concatenate([values[kept], np.zeros((free, values.shape[1]))])
    return pad(boxes), pad(scores), kept + [-1] * free, len(kept)


def drawn(count, classes):
    """Boxes in some heaps, of distinct scores."""
    centers = RNG.uniform(0.2, 0.8, (4, 2))[RNG.integers(0, 4, count)]
    boxes = np.concatenate([centers + RNG.normal(0, 0.03, (count, 2)),
                            RNG.uniform(0.1, 0.3, (count, 2))], 1)
    return boxes.astype("float32"), RNG.uniform(0, 1, (count, classes)).astype("float32")


def network(name, out, weights, count):
    width = weights.shape[0]
    builder = NeuralNetworkBuilder(
        [(name, ARRAY(count, width))], [(out, ARRAY(count, width))],
        disable_rank5_shape_mapping=True)
    builder.add_batched_mat_mul("fc", [name], out, weight_matrix_rows=width,
                                weight_matrix_columns=width, W=weights)
    return builder.spec


def feature(list_, name, sizes=None):
    item = list_.add()
    item.name = name
    if sizes is None:
        item.type.doubleType.SetInParent()
        item.type.isOptional = True
    else:
        item.type.multiArrayType.dataType = ct.proto.FeatureTypes_pb2.ArrayFeatureType.FLOAT32
        item.type.multiArrayType.shape.extend(sizes)


def pipeline(count, classes, iou, least, per_class, rows):
    weights = [RNG.uniform(0, 1 / classes, (classes, classes)).astype("float32") for _ in range(2)]
    shift, scale = np.array([0.5, -0.25, 1, 2]), np.array([2, 3, 0.5, 0.25])
    spec = Model_pb2.Model()
    spec.specificationVersion = 4
    models = spec.pipeline.models
    models.add().CopyFrom(network("scores", "middle", weights[0], count))
    models.add().CopyFrom(network("middle", "raw", weights[1], count))
    scaler = models.add()
    scaler.specificationVersion = 4
    feature(scaler.description.input, "boxes", [count, 4])
    feature(scaler.description.output, "scaled", [count, 4])
    scaler.scaler.shiftValue.extend(shift)
    scaler.scaler.scaleValue.extend(scale)
    nms = models.add()
    nms.specificationVersion = 4
    kept = [rows] if rows else []
    for names, sizes in [(nms.description.input, [count]), (nms.description.output, kept)]:
        output = names is nms.description.output
        feature(names, "confidence" if output else "raw", sizes and sizes + [classes])
        feature(names, "coordinates" if output else "scaled", sizes and sizes + [4])
    for item in nms.description.output:
        item.type.multiArrayType.SetInParent()
    feature(nms.description.input, "iouThreshold")
    feature(nms.description.input, "confidenceThreshold")
    rule = nms.nonMaximumSuppression
    rule.pickTop.perClass = per_class
    rule.stringClassLabels.vector.extend(f"class {i}" for i in range(classes))
    rule.iouThreshold, rule.confidenceThreshold = iou, least
    rule.confidenceInputFeatureName, rule.coordinatesInputFeatureName = "raw", "scaled"
    rule.iouThresholdInputFeatureName = "iouThreshold"
    rule.confidenceThresholdInputFeatureName = "confidenceThreshold"
    rule.confidenceOutputFeatureName = "confidence"
    rule.coordinatesOutputFeatureName = "coordinates"
    feature(spec.description.input, "scores", [count, classes])
    feature(spec.description.input, "boxes", [count, 4])
    feature(spec.description.input, "iouThreshold")
    feature(spec.description.input, "confidenceThreshold")
    spec.description.output.extend(nms.description.output)
    boxes, scores = drawn(count, classes)
    raw = scores.astype(float) @ weights[0] @ weights[1]
    scaled = (boxes.astype(float) + shift) * scale
    out = suppressed(scaled, raw, iou, least, per_class, rows or count)
    return spec, boxes, scores, dict(coordinates=out[0], confidence=out[1])


def program(count, classes, iou, least, per_class, rows, target):
    new = target == ct.target.iOS17
    order = (0, 2, 1)
    shapes = [(1, count, 4), (1, count, classes)]
    if new:
        shapes = [tuple(s[i] for i in order) for s in shapes]

    @mb.program([mb.TensorSpec(s) for s in shapes], opset_version=target)
    def prog(boxes, scores):
        arguments = dict(boxes=boxes, scores=scores, iou_threshold=np.float32(iou), max_boxes=rows,
                         per_class_suppression=per_class)
        if not new:
            arguments["score_threshold"] = np.float32(least)
        made = mb.non_maximum_suppression(**arguments)
        names = ["coordinates", "confidence", "places", "counts"]
        return tuple(mb.identity(x=value, name=name) for value, name in zip(made, names))

    model = ct.convert(prog, minimum_deployment_target=target, compute_precision=ct.precision.FLOAT32)
    boxes, scores = drawn(count, classes)
    out = suppressed(boxes.astype(float), scores.astype(float), iou, -np.inf if new else least,
                     per_class, rows)
    turn = (lambda values: np.transpose(values[None], order)) if new else (lambda values: values[None])
    expected = dict(coordinates=turn(out[0]), confidence=turn(out[1]), places=np.array([out[2]]))
    if not new:
        expected["counts"] = np.array([out[3]])
    given = [turn(boxes), turn(scores)]
    return model, *given, expected


def made():
    """The models by file name, each with boxes, scores and outputs."""
    yield "pipeline_all.mlmodel", pipeline(23, 5, 0.3, 0.01, False, 0)
    yield "pipeline_classes.mlmodel", pipeline(23, 5, 0.3, 0.2, True, 7)
    yield "pipeline_padded.mlmodel", pipeline(11, 3, 0.2, 0.3, False, 17)
    for target, word in [(ct.target.iOS15, "15"), (ct.target.iOS17, "17")]:
        yield f"nms_{word}.mlpackage", program(23, 5, 0.3, 0.4, False, 6, target)
        yield f"nms_{word}_classes.mlpackage", program(31, 4, 0.15, 0.6, True, 40, target)


def main():
    check = "--check" in sys.argv
    expected = {}
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, (model, boxes, scores, outputs) in made():
        path = FOLDER / name
        if name.endswith(".mlpackage"):
            coreml_packages.keep(model, path, check)
        elif check:
            assert ct.utils.load_spec(str(path)) == model, name
        else:
            path.write_bytes(model.SerializeToString(deterministic=True))
        numbers = lambda values: [float(v) for v in np.asarray(values, "float32").reshape(-1)]
        rows = {key: {"sizes": list(np.shape(values)), "values": numbers(values)}
                for key, values in outputs.items()}
        expected[name] = {"boxes": numbers(boxes), "scores": numbers(scores), "outputs": rows}
    coreml_packages.keep_expected(FOLDER / "expected.safetensors", expected, check)
    print("checked" if check else "written", FOLDER)


if __name__ == "__main__":
    main()
