#!/usr/bin/env python3
"""Writes Tests/ForgeImportersTests/Fixtures/Darknet/boxes.json: raw outputs and their boxes.

Run it from anywhere, with a Python that has NumPy:

    python Scripts/references/make_darknet_boxes.py            # writes the fixture
    python Scripts/references/make_darknet_boxes.py --check    # compares, writes nothing

Each case is a detection layer with random numbers in front of it, among them NaN, infinities and
numbers whose exponential overflows. Boxes are computed in double precision by the formulas of
Darknet's layers, cell by cell, and suppressed as its `do_nms_sort` does: per class, highest score
first, those dropped that overlap a kept one by more than the threshold. No score is so near to the
threshold that rounding decides. Values are in the order rows, columns, anchors, values; boxes are
[class, score, x, y, width, height] with the center as a fraction of the picture.
"""
# check: --check

import json
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATH = ROOT / "Tests" / "ForgeImportersTests" / "Fixtures" / "Darknet" / "boxes.json"
THRESHOLD, IOU = 0.3, 0.45

# name, options of the layer, classes, anchors, grid (width, height), network input
CASES = [
    ("yolo", {}, 4, [(10, 14), (37.5, 58), (81, 82)], (5, 3), (160, 96)),
    ("yolo", {"scale_x_y": 1.05, "mask": [0, 2]}, 3, [(10, 14), (37, 58), (81, 82)], (4, 6), (128, 192)),
    ("yolo", {"scale_x_y": 2.0, "new_coords": 1}, 3, [(12, 16), (40, 28)], (4, 4), (64, 64)),
    ("Gaussian_yolo", {"scale_x_y": 1.1}, 3, [(8, 9), (30, 61)], (6, 4), (96, 64)),
    ("Gaussian_yolo", {"yolo_point": "left_top"}, 2, [(20, 20)], (4, 3), (64, 48)),
    ("Gaussian_yolo", {"yolo_point": "right_bottom"}, 2, [(20, 12)], (4, 3), (64, 48)),
    ("region", {"softmax": 1, "scale_x_y": 1.2}, 5, [(0.57, 0.67), (1.87, 2.06), (3.3, 5.4)], (5, 4), (160, 128)),
    ("region", {}, 3, [(1.2, 0.8), (2.5, 2.5)], (3, 5), (96, 160)),
    ("yolo", {}, 1, [(22, 25)], (7, 7), (56, 56)),
]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def decoded(kind, options, classes, anchors, grid, size, values):
    """All boxes above the threshold, in order."""
    width, height = grid
    anchors = [anchors[i] for i in options.get("mask", range(len(anchors)))]
    gaussian, region = kind == "Gaussian_yolo", kind == "region"
    raw = bool(options.get("new_coords"))
    s = 1.0 if region else options.get("scale_x_y", 1.0)
    activate = (lambda x: x) if raw else sigmoid
    boxes = []
    for row in range(height):
        for column in range(width):
            for n, (anchor_w, anchor_h) in enumerate(anchors):
                v = values[row, column, n]
                if gaussian:
                    tx, ty, tw, th = v[0], v[2], v[4], v[6]
                    uncertainty = np.mean(sigmoid(v[[1, 3, 5, 7]]))
                    rest = v[8:]
                else:
                    (tx, ty, tw, th), uncertainty, rest = v[:4], 0.0, v[4:]
                x = (column + activate(tx) * s - 0.5 * (s - 1)) / width
                y = (row + activate(ty) * s - 0.5 * (s - 1)) / height
                if raw:
                    w, h = tw * tw * 4 * anchor_w / size[0], th * th * 4 * anchor_h / size[1]
                elif region:
                    w, h = np.exp(tw) * anchor_w / width, np.exp(th) * anchor_h / height
                else:
                    w, h = np.exp(tw) * anchor_w / size[0], np.exp(th) * anchor_h / size[1]
                if options.get("yolo_point") == "left_top":
                    x, y = x + w / 2, y + h / 2
                elif options.get("yolo_point") == "right_bottom":
                    x, y = x - w / 2, y - h / 2
                objectness = activate(rest[0])
                if options.get("softmax"):
                    e = np.exp(rest[1:] - rest[1:].max())
                    scores = e / e.sum()
                else:
                    scores = activate(rest[1:])
                scores = objectness * scores * (1 - uncertainty)
                # Float32 overflows where double precision does not.
                with np.errstate(over="ignore"):
                    finite = np.isfinite(np.float32([x, y, w, h])).all()
                if not (objectness > THRESHOLD and finite):
                    continue
                for label in range(classes):
                    assert not abs(scores[label] - THRESHOLD) < 1e-4, "too near to the threshold"
                    if scores[label] > THRESHOLD:
                        boxes.append([label, scores[label], x, y, w, h])
    return boxes


def overlap(a, b):
    """The intersection over the union."""
    def common(i):
        low = max(a[i] - a[i + 2] / 2, b[i] - b[i + 2] / 2)
        return max(min(a[i] + a[i + 2] / 2, b[i] + b[i + 2] / 2) - low, 0)
    shared = common(2) * common(3)
    return shared / (a[4] * a[5] + b[4] * b[5] - shared) if shared else 0.0


def suppressed(boxes, per_class):
    """The indices of the boxes that are kept, highest score first."""
    kept = []
    for index in sorted(range(len(boxes)), key=lambda i: -boxes[i][1]):
        rivals = [overlap(boxes[k], boxes[index]) for k in kept
                  if not per_class or boxes[k][0] == boxes[index][0]]
        assert all(abs(value - IOU) > 1e-4 for value in rivals), "too near to the threshold"
        if all(value <= IOU for value in rivals):
            kept.append(index)
    return kept


def configuration(kind, options, classes, anchors, grid, size, channels):
    """A network whose only convolution makes the grid."""
    stride = size[0] // grid[0]
    text = f"[net]\nwidth={size[0]}\nheight={size[1]}\nchannels=3\n\n"
    text += f"[convolutional]\nfilters={channels}\nsize={stride}\nstride={stride}\nactivation=linear\n\n"
    text += f"[{kind}]\nclasses={classes}\nnum={len(anchors)}\n"
    text += "anchors=" + ", ".join(f"{w},{h}" for w, h in anchors) + "\n"
    for key, value in options.items():
        value = ",".join(map(str, value)) if isinstance(value, list) else value
        text += f"{key}={value}\n"
    return text


def case(number, hostile):
    """One case; hostile numbers replace every 11th value."""
    kind, options, classes, anchors, grid, size = CASES[number]
    count = len(options.get("mask", anchors))
    per_anchor = (9 if kind == "Gaussian_yolo" else 5) + classes
    random = np.random.default_rng(100 * number + hostile)
    values = random.uniform(-2.5, 3, (grid[1], grid[0], count, per_anchor))
    # Scores high enough, and boxes large enough, for several on one object.
    values[..., -classes - 1 :] += 1
    if kind == "Gaussian_yolo":
        values[..., [1, 3, 5, 7]] -= 2
    if options.get("new_coords"):
        values = sigmoid(values)
    if hostile:
        bad = [np.nan, np.inf, -np.inf, 200, -200, 88.5, 3e38, -3e38, 1e-45]
        flat = values.reshape(-1)
        places = np.arange(number, flat.size, 11)
        flat[places] = random.choice(bad, len(places))
    values = np.float32(values).astype(np.float64)
    with np.errstate(all="ignore"):
        boxes = decoded(kind, options, classes, anchors, grid, size, values)
    numbers = [float(f"{v:.9g}") if np.isfinite(v) else str(v) for v in values.ravel()]
    return {
        "name": f"{kind}{' hostile' if hostile else ''} {number}",
        "configuration": configuration(
            kind, options, classes, anchors, grid, size, count * per_anchor),
        "width": grid[0], "height": grid[1], "channels": count * per_anchor,
        "values": [str(n) for n in numbers],
        # Numbers below the range of Float32 are 0 in it.
        "boxes": [[float(f"{np.float32(v):.9g}") for v in box] for box in boxes],
        "kept": suppressed(boxes, True), "keptAcrossLabels": suppressed(boxes, False),
    }


def main():
    cases = [case(n, hostile) for n in range(len(CASES)) for hostile in (False, True)]
    for c in cases:
        print(c["name"], len(c["boxes"]), len(c["kept"]), len(c["keptAcrossLabels"]))
    assert all(len(c["boxes"]) > len(c["keptAcrossLabels"]) > 0 for c in cases[::2])
    assert all(c["boxes"] for c in cases)
    text = json.dumps({"threshold": THRESHOLD, "iou": IOU, "cases": cases})
    if "--check" in sys.argv:
        assert json.loads(PATH.read_text()) == json.loads(text)
    else:
        PATH.write_text(text)


if __name__ == "__main__":
    main()
