"""Models and packages of Core ML that ask for much memory or work."""
import json
import os

from wire import message

FLOAT32 = 65568
BIG = 1 << 62


def feature(name, sizes=()):
    return message(f1=name, f3=message(f5=message(f1=list(sizes), f2=FLOAT32)))


def layer(name, inputs, outputs, kind, content=b""):
    # The number of a kind of layer may have three digits or four.
    return message(f1=name, f2=inputs, f3=outputs, **{f"f{kind}": content})


def model(layers, sizes=(4,), outputs=("y",), exact=True, keys=()):
    description = message(
        f1=[feature("x", sizes)], f10=[feature(name) for name in outputs],
        f100=message(f100=[message(f1=key, f2="v") for key in keys]))
    network = message(f1=layers, f5=1 if exact else 0)
    return message(f1=4, f2=description, f500=network)


RELU, CONCAT, TILE, FILL, ADD, UP, REPEAT = 130, 320, 920, 1085, 880, 210, 340
RELU_CONTENT = message(f10=b"")


def chain(count, kind, content, copies=1):
    layers, name = [], "x"
    for index in range(count):
        output = "y" if index == count - 1 else f"t{index}"
        layers.append(layer(f"l{index}", [name] * copies, [output], kind, content))
        name = output
    return layers


def cases():
    fill = [layer("c", [], ["c"], FILL, message(f1=1.0, f2=[1 << 14, 1 << 14])),
            layer("a", ["x", "c"], ["y"], ADD)]
    yield "fill", model(fill)
    yield "tile", model([layer("t", ["x"], ["y"], TILE, message(f1=[1 << 28]))])
    yield "concat-doubles", model(chain(60, CONCAT, b"", copies=2), exact=False)
    yield "relu", model(chain(30_000, RELU, RELU_CONTENT))
    yield "layers", model(chain(100_000, RELU, RELU_CONTENT))
    yield "keys", model(
        chain(1, RELU, RELU_CONTENT), keys=[f"key{index}" for index in range(200_000)])
    yield "long-keys", model(
        chain(1, RELU, RELU_CONTENT), keys=["k" * 4000 + f"{index}" for index in range(2000)])
    yield "input", model(chain(1, RELU, RELU_CONTENT), [1 << 20, 1 << 20])
    yield "upsample", model(
        [layer("u", ["x"], ["y"], UP, message(f1=[1 << 15, 1 << 15]))], [3, 8, 8], exact=False)
    yield "repeat", model(
        [layer("r", ["x"], ["y"], REPEAT, message(f1=1 << 28))], exact=False)
    names = [f"o{index}" for index in range(20_000)]
    yield "outputs", model(
        [layer(name, ["x"], [name], RELU, RELU_CONTENT) for name in names], outputs=names)
    name = "a" + "\u0301\u0323" * 3000
    yield "marks", model([
        layer(f"{name}{index}", [f"{name}{index - 1}" if index else "x"],
              [f"{name}{index}" if index < 39 else "y"], RELU, RELU_CONTENT)
        for index in range(40)])


def package(folder, name, manifest=True, link=None):
    """A package with a small model, or with a link in its place."""
    path = os.path.join(folder, f"coreml-{name}.mlpackage")
    inside = os.path.join(path, "Data", "com.apple.CoreML")
    os.makedirs(inside, exist_ok=True)
    place = os.path.join(inside, "model.mlmodel")
    if link:
        if not os.path.islink(place):
            os.symlink(link, place)
    else:
        with open(place, "wb") as file:
            file.write(model(chain(1, RELU, RELU_CONTENT)))
    with open(os.path.join(path, "Manifest.json"), "w") as file:
        if manifest:
            json.dump({
                "fileFormatVersion": "1.0.0", "rootModelIdentifier": "A",
                "itemInfoEntries": {"A": {"path": "com.apple.CoreML/model.mlmodel"}}}, file)
    return path


def files(folder):
    """Writes the files and returns their paths."""
    for name, data in cases():
        path = os.path.join(folder, f"coreml-{name}.mlmodel")
        with open(path, "wb") as file:
            file.write(data)
        yield path
    yield package(folder, "good")
    path = package(folder, "sparse-manifest", manifest=False)
    os.truncate(os.path.join(path, "Manifest.json"), 7 << 30)
    yield path
    path = package(folder, "sparse-model")
    os.truncate(os.path.join(path, "Data/com.apple.CoreML/model.mlmodel"), 7 << 30)
    yield path
    with open(os.path.join(folder, "coreml-outside.mlmodel"), "wb") as file:
        file.write(model(chain(1, RELU, RELU_CONTENT)))
    yield package(folder, "link", link="../../../coreml-outside.mlmodel")
    yield package(folder, "link-device", link="/dev/zero")
    path = os.path.join(folder, "coreml-hole.mlmodel")
    with open(path, "wb") as file:
        file.write(model(chain(1, RELU, RELU_CONTENT)))
    os.truncate(path, (1 << 33) - 10)
    yield path
