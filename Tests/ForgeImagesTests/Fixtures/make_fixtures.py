"""Makes the fixtures of ForgeImagesTests: pictures of every form, and what Pillow makes of them.

  python make_fixtures.py [--photos FOLDER --inputs FOLDER]

needs Pillow 13 or later (whose resize differs from older ones by 1) and NumPy. Writes pictures/* and
pictures.json, resizing.json, normalization.json beside itself; with the two folders of test data also
photos.json. Everything is drawn from fixed seeds.

Where Pillow does not follow the PNG specification, the expected pixels come from the specification
("by" says which): Pillow cuts 16-bit gray off at 255 when it is made 8-bit, and compares the
transparent value of gray and 16-bit pictures with pixels that it has already scaled.
"""

import argparse
import base64
import io
import json
import struct
import zlib
from pathlib import Path

import numpy as np
import PIL
from PIL import Image, ImageOps, features

HERE = Path(__file__).parent
PICTURES = HERE / "pictures"
FORMATS = {"L": "gray", "RGB": "rgb", "RGBA": "rgba"}
random = np.random.default_rng(20260729)


def text(array):
    """Bytes as JSON holds them."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=np.uint8).tobytes()).decode()


def smooth(height, width, channels):
    """A picture with gradients, an edge and a little noise: what JPEG is made for."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    planes = []
    for channel in range(channels):
        plane = 120 + 90 * np.sin(x / (5 + channel) + channel) * np.cos(y / (7 - channel))
        plane[(x - width / 2) ** 2 + (y - height / 2) ** 2 < 40] = 40 + 70 * channel
        planes.append(plane + random.normal(0, 3, plane.shape))
    return np.clip(np.stack(planes, axis=-1), 0, 255).astype(np.uint8)


# ---- PNG: a writer of every form -----------------------------------------------------------------

GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
         (0, 1, 1, 2)]


def chunk(kind, data):
    """One chunk with its length and checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def packed_rows(samples, depth):
    """Rows of samples as PNG stores them, unfiltered."""
    height, width, channels = samples.shape
    flat = samples.reshape(height, width * channels)
    if depth == 16:
        return [row.astype(">u2").tobytes() for row in flat]
    if depth == 8:
        return [row.astype(np.uint8).tobytes() for row in flat]
    per_byte = 8 // depth
    rows = []
    for row in flat:
        row = np.concatenate([row, np.zeros(-len(row) % per_byte, dtype=row.dtype)])
        parts = row.reshape(-1, per_byte).astype(np.uint32)
        shifts = np.arange(per_byte - 1, -1, -1) * depth
        rows.append((parts << shifts).sum(axis=1).astype(np.uint8).tobytes())
    return rows


def filtered(rows, pixel_bytes):
    """Rows with their filters, all five in turn."""
    out, above = b"", bytes(len(rows[0]))
    for index, row in enumerate(rows):
        kind, coded = index % 5, bytearray()
        for i, byte in enumerate(row):
            a = row[i - pixel_bytes] if i >= pixel_bytes else 0
            b = above[i]
            c = above[i - pixel_bytes] if i >= pixel_bytes else 0
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            coded.append((byte - [0, a, b, (a + b) // 2, paeth][kind]) % 256)
        out += bytes([kind]) + bytes(coded)
        above = row
    return out


def png(samples, depth, color, palette=None, transparent=None, interlaced=False, extra=b""):
    """A PNG file of height x width x channels samples."""
    height, width, channels = samples.shape
    pixel_bytes = max(1, depth * channels // 8)
    data = b""
    for x, y, dx, dy in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        part = samples[y::dy, x::dx]
        if part.size:
            data += filtered(packed_rows(part, depth), pixel_bytes)
    body = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced))
    body += extra
    if palette is not None:
        body += chunk(b"PLTE", np.asarray(palette, np.uint8).tobytes())
    if transparent is not None:
        body += chunk(b"tRNS", transparent)
    packed = zlib.compress(data, 9)
    middle = len(packed) // 2
    body += chunk(b"IDAT", packed[:middle]) + chunk(b"IDAT", packed[middle:])
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")


def png_cases():
    """Name, file, expected pixels or None for Pillow's."""
    height, width = 11, 13

    def draw(depth, channels, high=None, h=height, w=width):
        return random.integers(0, high or 1 << depth, (h, w, channels), dtype=np.uint32)

    for interlaced in (False, True):
        suffix = "-interlaced" if interlaced else ""
        for depth in (1, 2, 4, 8, 16):
            samples = draw(depth, 1)
            expected = samples >> 8 if depth == 16 else None
            yield f"gray{depth}{suffix}", png(samples, depth, GRAY, interlaced=interlaced), expected
            key = int(samples[3, 4, 0])
            gray = samples >> 8 if depth == 16 else samples * 255 // ((1 << depth) - 1)
            alpha = np.where(samples == key, 0, 255)
            yield (f"gray{depth}-transparent{suffix}",
                   png(samples, depth, GRAY, transparent=struct.pack(">H", key),
                       interlaced=interlaced),
                   np.concatenate([gray, gray, gray, alpha], axis=-1))
        for depth in (1, 2, 4, 8):
            count = min(1 << depth, 200)
            palette = random.integers(0, 256, (count, 3))
            samples = draw(depth, 1, count)
            yield (f"palette{depth}{suffix}",
                   png(samples, depth, PALETTE, palette, interlaced=interlaced), None)
            alphas = random.integers(0, 256, max(1, count // 2)).astype(np.uint8).tobytes()
            yield (f"palette{depth}-transparent{suffix}",
                   png(samples, depth, PALETTE, palette, alphas, interlaced=interlaced), None)
        for depth in (8, 16):
            samples = draw(depth, 3)
            yield f"rgb{depth}{suffix}", png(samples, depth, RGB, interlaced=interlaced), None
            key = samples[2, 2]
            alpha = np.where((samples == key).all(axis=-1, keepdims=True), 0, 255)
            yield (f"rgb{depth}-transparent{suffix}",
                   png(samples, depth, RGB, transparent=struct.pack(">HHH", *map(int, key)),
                       interlaced=interlaced),
                   np.concatenate([samples >> (depth - 8), alpha], axis=-1))
            yield (f"rgba{depth}{suffix}",
                   png(draw(depth, 4), depth, RGBA, interlaced=interlaced), None)
            yield (f"gray-alpha{depth}{suffix}",
                   png(draw(depth, 2), depth, GRAY_ALPHA, interlaced=interlaced), None)
    gamma = chunk(b"gAMA", struct.pack(">I", 100000)) + chunk(b"tEXt", b"Comment\0any")
    yield "rgb8-gamma", png(draw(8, 3), 8, RGB, extra=gamma), None
    yield "one-pixel", png(draw(8, 3, h=1, w=1), 8, RGB), None
    yield "one-pixel-interlaced", png(draw(8, 3, h=1, w=1), 8, RGB, interlaced=True), None
    yield "one-row", png(draw(1, 1, h=1, w=37), 1, GRAY), None


# ---- JPEG ----------------------------------------------------------------------------------------


def jpeg(image, **options):
    """A JPEG file by Pillow."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", **{"quality": 85, **options})
    return buffer.getvalue()


def jpeg_cases():
    """Name and file."""
    rgb = Image.fromarray(smooth(29, 37, 3))
    gray = Image.fromarray(smooth(29, 37, 1)[..., 0])
    cmyk = Image.fromarray(smooth(29, 37, 4), "CMYK")
    for name, subsampling in (("444", 0), ("422", 1), ("420", 2)):
        yield f"jpeg-{name}", jpeg(rgb, subsampling=subsampling)
        yield (f"jpeg-{name}-progressive",
               jpeg(rgb, subsampling=subsampling, progressive=True))
    yield "jpeg-low-quality", jpeg(rgb, quality=10)
    yield "jpeg-best-quality", jpeg(rgb, quality=100, subsampling=0)
    yield "jpeg-restarts", jpeg(rgb, restart_marker_blocks=2)
    yield "jpeg-rgb", jpeg(rgb, keep_rgb=True)
    yield "jpeg-gray", jpeg(gray)
    yield "jpeg-gray-progressive", jpeg(gray, progressive=True)
    yield "jpeg-one-pixel", jpeg(rgb.crop((0, 0, 1, 1)))
    yield "jpeg-cmyk", jpeg(cmyk)
    yield "jpeg-cmyk-progressive", jpeg(cmyk, progressive=True)
    # YCCK is CMYK's file with another number in Adobe's segment.
    stored = jpeg(cmyk)
    place = stored.index(b"Adobe") + 11
    yield "jpeg-ycck", stored[:place] + b"\x02" + stored[place + 1:]
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        exif[0x010F] = "Forge"
        small = rgb.crop((0, 0, 19, 11))
        yield f"jpeg-exif{orientation}", jpeg(small, exif=exif.tobytes(), quality=90)
    # The other order of bytes, written by hand.
    tiff = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x0112, 3, 1, 6, 0, 0)
    yield "jpeg-exif6-big-endian", jpeg(rgb.crop((0, 0, 19, 11)), exif=b"Exif\0\0" + tiff)


# ---- PPM and PGM ---------------------------------------------------------------------------------


def portable(kind, samples, most, comment=False):
    """A PPM or PGM file."""
    height, width, _ = samples.shape
    note = "# made by hand, 99 bottles\n" if comment else ""
    head = f"P{kind}\n{note}{width} {height}\n{note}{most}\n".encode()
    if kind in (2, 3):
        lines = [" ".join(map(str, row.ravel())) for row in samples]
        return head + ("\n" + note).join(lines).encode() + b"\n"
    return head + samples.astype(">u2" if most > 255 else np.uint8).tobytes()


def portable_cases():
    """Name, file, expected pixels or None for Pillow's."""
    for most in (1, 2, 7, 100, 255, 256, 1000, 65535):
        for kind, channels in ((2, 1), (3, 3), (5, 1), (6, 3)):
            samples = random.integers(0, most + 1, (7, 9, channels), dtype=np.uint32)
            # Pillow keeps 16-bit gray as 32-bit integers, and makes no sense of its text.
            expected = None
            if channels == 1 and most > 255:
                expected = np.array([round(int(v) / most * 255) for v in samples.ravel()])
                expected = expected.reshape(samples.shape)
            yield f"p{kind}-{most}", portable(kind, samples, most, comment=most == 100), expected


# ---- what is expected ----------------------------------------------------------------------------


def plain(image):
    """A decoded picture as gray, RGB or RGBA."""
    if "transparency" in image.info or image.mode in ("LA", "PA"):
        return image.convert("RGBA")
    if image.mode == "1":
        return image.convert("L")
    if image.mode in ("P", "CMYK"):
        return image.convert("RGB")
    assert image.mode in FORMATS, image.mode
    return image


def entry(name, extension, data, expected=None, by=None):
    """One picture and its pixels."""
    (PICTURES / f"{name}.{extension}").write_bytes(data)
    if expected is None:
        image = plain(ImageOps.exif_transpose(Image.open(io.BytesIO(data))))
        form, expected, by = FORMATS[image.mode], np.asarray(image), by or "Pillow"
    else:
        form, by = {1: "gray", 3: "rgb", 4: "rgba"}[expected.shape[-1]], "specification"
    return dict(file=f"{name}.{extension}", width=expected.shape[1], height=expected.shape[0],
                format=form, by=by, pixels=text(expected))


def pictures():
    """All pictures."""
    PICTURES.mkdir(exist_ok=True)
    for old in PICTURES.iterdir():
        old.unlink()
    cases = [entry(name, "png", data, expected) for name, data, expected in png_cases()]
    cases += [entry(name, "jpg", data) for name, data in jpeg_cases()]
    for name, data, expected in portable_cases():
        extension = "pgm" if name[1] in "25" else "ppm"
        cases.append(entry(name, extension, data, expected))
    # The name says PNG, the bytes say JPEG.
    cases.append(entry("named-wrongly", "png", (PICTURES / "jpeg-gray.jpg").read_bytes()))
    return cases


# ---- sizes, colours, numbers ---------------------------------------------------------------------


def resizing():
    """Random pictures and what Pillow's resize makes of them."""
    sources = {
        "L": random.integers(0, 256, (29, 41), dtype=np.uint8),
        "RGB": random.integers(0, 256, (23, 37, 3), dtype=np.uint8),
        "RGBA": random.integers(0, 256, (31, 19, 4), dtype=np.uint8),
        # Black and white only: the widest range, every rounding.
        "sharp": 255 * random.integers(0, 2, (53, 47), dtype=np.uint8),
    }
    sources["RGBA"][::3, ::2, 3] = 0
    sources["RGBA"][1::3, ::2, 3] = 255
    targets = [(1, 1), (7, 5), (13, 17), (24, 24), (37, 23), (41, 29), (59, 61), (3, 67), (71, 2)]
    boxes = [None, (0, 0, 11, 13), (3, 5, 17, 19), (0.5, 1.25, 16.75, 20.125),
             (2.3, 0.1, 18.9, 22.7), (4.2, 6.1, 5.3, 6.9)]
    cases = []
    for name, source in sources.items():
        image = Image.fromarray(source)
        for target in targets if name != "sharp" else targets[1:7]:
            cases.append((name, image, target, None, "bilinear"))
        for box in boxes[1:]:
            for target in ((9, 14), (25, 22)):
                cases.append((name, image, target, box, "bilinear"))
        cases.append((name, image, (int(image.width), 9), None, "bilinear"))
        cases.append((name, image, (9, int(image.height)), None, "bilinear"))
        for target, box in (((11, 7), None), ((50, 43), None), ((13, 12), boxes[3])):
            cases.append((name, image, target, box, "nearest"))
    filters = {"bilinear": Image.Resampling.BILINEAR, "nearest": Image.Resampling.NEAREST}
    result = []
    for name, image, target, box, method in cases:
        resized = image.resize(target, filters[method], box=box)
        result.append(dict(source=name, width=target[0], height=target[1], filter=method,
                           box=box and list(map(float, box)), pixels=text(np.asarray(resized))))
    fits = []
    for name in ("L", "RGB"):
        image = Image.fromarray(sources[name])
        for target in ((16, 16), (30, 11), (9, 25)):
            fitted = ImageOps.fit(image, target, Image.Resampling.BILINEAR)
            fits.append(dict(source=name, width=target[0], height=target[1],
                             pixels=text(np.asarray(fitted))))
    rgba = Image.fromarray(sources["RGBA"])
    conversions = []
    for color in ((255, 255, 255), (0, 0, 0), (12, 200, 99)):
        under = Image.new("RGB", rgba.size, color)
        under.paste(rgba, mask=rgba.getchannel("A"))
        conversions.append(dict(source="RGBA", to="rgb", background=list(color),
                                pixels=text(np.asarray(under))))
    for source, to in (("RGB", "L"), ("RGB", "RGBA"), ("L", "RGB"), ("L", "RGBA")):
        converted = Image.fromarray(sources[source]).convert(to)
        conversions.append(dict(source=source, to=FORMATS[to], background=[255, 255, 255],
                                pixels=text(np.asarray(converted))))
    forms = {"L": "gray", "RGB": "rgb", "RGBA": "rgba", "sharp": "gray"}
    return dict(
        sources={name: dict(width=array.shape[1], height=array.shape[0], format=forms[name],
                            pixels=text(array)) for name, array in sources.items()},
        cases=result, fits=fits, conversions=conversions)


def normalization():
    """What Keras's formulas, in NumPy, make of the 256 bytes, in red, green, blue of the result."""
    x = np.arange(256, dtype=np.float32)[:, None].repeat(3, axis=1)
    mean = np.array([0.485, 0.456, 0.406], np.float32)
    deviation = np.array([0.229, 0.224, 0.225], np.float32)
    presets = {
        "raw": x,
        "unitRange": x / np.float32(255),
        "tf": x / np.float32(127.5) - np.float32(1),
        "caffe": x - np.array([123.68, 116.779, 103.939], np.float32),
        "torch": (x / np.float32(255) - mean) / deviation,
    }
    return {name: [float(v) for v in values.astype(np.float32).ravel()]
            for name, values in presets.items()}


def checksum(array):
    """FNV-1a over a picture's bytes."""
    value = 0xCBF29CE484222325
    for byte in np.ascontiguousarray(array).tobytes():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def photos(folder, inputs):
    """Size, checksum and a small version of each photo, and of each lossless input."""
    def entries(paths, size):
        for path in paths:
            image = plain(ImageOps.exif_transpose(Image.open(path)))
            if image.mode == "RGBA":
                under = Image.new("RGB", image.size, "white")
                under.paste(image, mask=image.getchannel("A"))
                image = under
            small = image.resize((size, size), Image.Resampling.BILINEAR)
            yield dict(file=path.name, width=image.width, height=image.height,
                       checksum=checksum(np.asarray(image)), size=size,
                       resized=checksum(np.asarray(image.resize((224, 224), Image.BILINEAR))),
                       small=text(np.asarray(small)))
    pictures = sorted(p for p in folder.iterdir() if p.suffix in (".jpg", ".png"))
    return dict(photos=list(entries(pictures, 16)),
                inputs=list(entries(sorted(inputs.glob("*.png")), 4)))


def main():
    """Writes everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--inputs", type=Path)
    options = parser.parse_args()
    assert int(PIL.__version__.split(".")[0]) >= 13, "older Pillows resize differently"
    versions = dict(pillow=PIL.__version__, numpy=np.__version__,
                    libjpeg_turbo=features.version("libjpeg_turbo"))

    def write(name, content):
        (HERE / name).write_text(json.dumps(dict(versions=versions, **content)) + "\n")

    write("pictures.json", dict(cases=pictures()))
    write("resizing.json", resizing())
    write("normalization.json", dict(presets=normalization()))
    if options.photos and options.inputs:
        write("photos.json", photos(options.photos, options.inputs))


main()
