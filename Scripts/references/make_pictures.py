#!/usr/bin/env python3
"""Writes Tests/ForgeImagesTests/Fixtures/references.json: pixels as Pillow and OpenCV make them.

Run it from anywhere, with a Python that has Pillow 13, opencv-python-headless and NumPy:

    python Scripts/references/make_pictures.py [--photos FOLDER]   # writes the fixture
    python Scripts/references/make_pictures.py --check             # compares, writes nothing

Pictures and frames are drawn from a fixed seed; --photos (by default ../shared/data/photos) adds small
versions of real photos, with a checksum of the pixels that Pillow decoded. OpenCV runs without
its optimizations by Intel and on one thread, so that its arithmetic is the portable one.

- resizes: Pillow's filters on bytes; OpenCV's INTER_LINEAR and INTER_AREA on bytes; both on floats.
- frames: OpenCV's conversions (BT.601, video range), and the formulas of BT.601, 709 and 2020 in double
  precision, rounded.
- letterbox: Ultralytics's LetterBox, which is cv2.resize and cv2.copyMakeBorder.
- torchvision: Resize (which is Pillow's for bytes), CenterCrop, ToTensor, Normalize in NumPy.
"""
# check: --check

import argparse
import base64
import json
import pathlib
import sys

import cv2
import numpy as np
import PIL
from PIL import Image, ImageOps

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATH = ROOT / "Tests" / "ForgeImagesTests" / "Fixtures" / "references.json"
PILLOW = {"bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "lanczos": Image.LANCZOS}
OPENCV = {"bilinearAliased": cv2.INTER_LINEAR, "area": cv2.INTER_AREA}
MATRICES = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722), "bt2020": (0.2627, 0.0593)}

cv2.setNumThreads(1)
cv2.setUseOptimized(False)


def text(array, kind=np.uint8):
    """Numbers as JSON holds them."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode()


def picture(random, height, width, channels):
    """Gradients, edges and noise."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    planes = []
    for channel in range(channels):
        plane = 128 + 110 * np.sin(x / (4 + channel)) * np.cos(y / (6 + channel))
        plane[(x // 9 + y // 7) % 3 == channel % 3] = 250 - 80 * channel
        planes.append(plane + random.normal(0, 12, plane.shape))
    return np.clip(np.stack(planes, axis=-1), 0, 255).astype(np.uint8)


# ---- resizes -------------------------------------------------------------------------------------

def resizes(random):
    """Every filter, up, down, and far down."""
    sizes = [(20, 15), (31, 33), (96, 71), (7, 40), (3, 2), (1, 1), (67, 45)]
    for mode, channels in (("L", 1), ("RGB", 3), ("RGBA", 4)):
        source = picture(random, 45, 67, channels)
        name = {1: "gray", 3: "rgb", 4: "rgba"}[channels]
        image = Image.fromarray(source[..., 0] if channels == 1 else source, mode)
        entry = dict(width=67, height=45, format=name, pixels=text(source), cases=[])
        for width, height in sizes:
            for filter, number in PILLOW.items():
                made = np.asarray(image.resize((width, height), number))
                entry["cases"].append(
                    dict(filter=filter, width=width, height=height, pixels=text(made)))
            if channels == 4:
                continue  # OpenCV does not know alpha
            for filter, number in OPENCV.items():
                if filter == "area" and (width > 67 or height > 45):
                    continue  # it is not an area when enlarging
                made = cv2.resize(source, (width, height), interpolation=number)
                entry["cases"].append(
                    dict(filter=filter, width=width, height=height, pixels=text(made)))
        yield entry


def floats(random):
    """The same on floats: Pillow's mode F, OpenCV's 32-bit pictures."""
    source = random.normal(0.5, 0.4, (29, 41)).astype(np.float32)
    entry = dict(width=41, height=29, values=text(source, np.float32), cases=[])
    image = Image.fromarray(source, "F")
    for width, height in [(17, 12), (60, 50), (41, 9), (1, 1)]:
        for filter, number in PILLOW.items():
            made = np.asarray(image.resize((width, height), number))
            entry["cases"].append(
                dict(filter=filter, width=width, height=height, values=text(made, np.float32)))
        for filter, number in OPENCV.items():
            if filter == "area" and (width > 41 or height > 29):
                continue
            made = cv2.resize(source, (width, height), interpolation=number)
            entry["cases"].append(
                dict(filter=filter, width=width, height=height, values=text(made, np.float32)))
    return entry


# ---- frames --------------------------------------------------------------------------------------

def formula(y, u, v, matrix, is_full):
    """Colors in double precision."""
    red, blue = MATRICES[matrix]
    green = 1 - red - blue
    y, u, v = (plane.astype(np.float64) for plane in (y, u, v))
    if is_full:
        y, u, v = y, u - 128, v - 128
    else:
        # As OpenCV, darker than black is black.
        y = np.maximum(y - 16, 0) * 255 / 219
        u, v = (u - 128) * 255 / 224, (v - 128) * 255 / 224
    rgb = np.stack([
        y + 2 * (1 - red) * v,
        y - 2 * (1 - red) * red / green * v - 2 * (1 - blue) * blue / green * u,
        y + 2 * (1 - blue) * u], axis=-1)
    return np.clip(np.floor(rgb + 0.5), 0, 255)


def frames(random):
    """A frame in each arrangement, of any bytes."""
    width, height = 50, 22
    y = random.integers(0, 256, (height, width), dtype=np.uint8)
    u = random.integers(0, 256, (height // 2, width // 2), dtype=np.uint8)
    v = random.integers(0, 256, (height // 2, width // 2), dtype=np.uint8)
    pairs = np.stack([u, v], axis=-1).reshape(height // 2, width)
    turned = np.stack([v, u], axis=-1).reshape(height // 2, width)
    wide = random.integers(0, 256, (height, width // 2, 4), dtype=np.uint8)
    sources = {
        "i420": (np.concatenate([y.ravel(), u.ravel(), v.ravel()]), cv2.COLOR_YUV2RGB_I420),
        "nv12": (np.concatenate([y.ravel(), pairs.ravel()]), cv2.COLOR_YUV2RGB_NV12),
        "nv21": (np.concatenate([y.ravel(), turned.ravel()]), cv2.COLOR_YUV2RGB_NV21)}
    result = []
    for name, (source, code) in sources.items():
        rgb = cv2.cvtColor(source.reshape(height * 3 // 2, width), code)
        result.append(dict(format=name, width=width, height=height, bytes=text(source),
                           rgb=text(rgb)))
    rgb = cv2.cvtColor(wide.reshape(height, width, 2), cv2.COLOR_YUV2RGB_YUYV)
    result.append(dict(format="yuyv", width=width, height=height, bytes=text(wide), rgb=text(rgb)))
    wide_u, wide_v = (np.repeat(np.repeat(plane, 2, 0), 2, 1) for plane in (u, v))
    formulas = [
        dict(matrix=matrix, isFull=is_full,
             rgb=text(formula(y, wide_u, wide_v, matrix, is_full)))
        for matrix in MATRICES for is_full in (False, True)]
    return result, formulas


# ---- preparations --------------------------------------------------------------------------------

def letterboxed(source, width, height, level=114):
    """Ultralytics's LetterBox with auto, scale_fill and stride off."""
    h, w = source.shape[:2]
    ratio = min(height / h, width / w)
    inside = int(round(w * ratio)), int(round(h * ratio))
    dw, dh = (width - inside[0]) / 2, (height - inside[1]) / 2
    if (w, h) != inside:
        source = cv2.resize(source, inside, interpolation=cv2.INTER_LINEAR)
    top, bottom = int(round(dh - 0.1)), int(round(dh + 0.1))
    left, right = int(round(dw - 0.1)), int(round(dw + 0.1))
    return cv2.copyMakeBorder(
        source, top, bottom, left, right, cv2.BORDER_CONSTANT, value=(level,) * 3)


def letterboxes(random):
    """Wide, high, enlarged and odd."""
    for (w, h), (width, height) in [((67, 45), (32, 32)), ((23, 58), (32, 32)), ((9, 5), (40, 33)),
                                    ((64, 40), (64, 40)), ((61, 60), (31, 64))]:
        source = picture(random, h, w, 3)
        yield dict(width=w, height=h, pixels=text(source), toWidth=width, toHeight=height,
                   result=text(letterboxed(source, width, height)))


def torchvision(random):
    """Resize(side), CenterCrop(size), ToTensor(), Normalize(ImageNet)."""
    mean, deviation = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    for (w, h), side, size in [((67, 45), 29, 24), ((40, 83), 35, 31), ((50, 50), 33, 33)]:
        source = picture(random, h, w, 3)
        to = (side, int(side * h / w)) if w <= h else (int(side * w / h), side)
        image = Image.fromarray(source).resize(to, Image.BILINEAR)
        top, left = (int(round((to[i] - size) / 2.0)) for i in (1, 0))
        part = np.asarray(image.crop((left, top, left + size, top + size)))
        values = (part / 255.0 - mean) / deviation
        yield dict(width=w, height=h, pixels=text(source), side=side, size=size,
                   values=text(values, np.float32))


# ---- photos --------------------------------------------------------------------------------------

def checksum(array):
    """FNV-1a over a picture's bytes."""
    value = 0xCBF29CE484222325
    for byte in np.ascontiguousarray(array).tobytes():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def photos(folder):
    """Each photo in 40×30 by every filter, and in a letterbox of 48×48."""
    for path in sorted(p for p in folder.iterdir() if p.suffix in (".jpg", ".png")):
        image = ImageOps.exif_transpose(Image.open(path))
        if image.mode == "RGBA":
            under = Image.new("RGB", image.size, "white")
            under.paste(image, mask=image.getchannel("A"))
            image = under
        image = image.convert("RGB")
        source = np.asarray(image)
        made = {name: text(np.asarray(image.resize((40, 30), number)))
                for name, number in PILLOW.items()}
        made |= {name: text(cv2.resize(source, (40, 30), interpolation=number))
                 for name, number in OPENCV.items()}
        yield dict(file=path.name, checksum=checksum(source), resized=made,
                   letterbox=text(letterboxed(source, 48, 48)))


def main():
    """Writes or compares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--photos", type=pathlib.Path,
                        default=ROOT.parent / "shared" / "data" / "photos")
    options = parser.parse_args()
    random = np.random.default_rng(20261129)
    content = {
        "versions": dict(pillow=PIL.__version__, opencv=cv2.__version__, numpy=np.__version__),
        "resizes": list(resizes(random)), "floats": floats(random)}
    content["frames"], content["formulas"] = frames(random)
    content["letterboxes"] = list(letterboxes(random))
    content["torchvision"] = list(torchvision(random))
    if not options.check:
        content["photos"] = list(photos(options.photos)) if options.photos.exists() else []
        PATH.write_text(json.dumps(content) + "\n")
        return
    stored = json.loads(PATH.read_text())
    different = [key for key in content if key != "versions" and content[key] != stored[key]]
    sys.exit(f"differs: {', '.join(different)}" if different else 0)


if __name__ == "__main__":
    main()
