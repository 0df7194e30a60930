"""Archives of Keras that ask for much memory or work; their weights are those of a small model."""
import json
import os
import zipfile

BIG = 1 << 62


def layer(kind, name, **config):
    return {"class_name": kind, "config": {"name": name, **config}}


def sequential(layers, shape=(None, 4)):
    first = layer("InputLayer", "in", batch_input_shape=list(shape), dtype="float32")
    return {"class_name": "Sequential", "config": {"name": "s", "layers": [first] + layers}}


def functional(layers, outputs):
    first = {
        "class_name": "InputLayer", "name": "in", "inbound_nodes": [],
        "config": {"batch_input_shape": [None, 4], "name": "in", "dtype": "float32"}}
    return {"class_name": "Functional", "config": {
        "name": "m", "layers": [first] + layers, "input_layers": [["in", 0, 0]],
        "output_layers": [[name, 0, 0] for name in outputs]}}


def called(kind, name, inputs, **config):
    return {
        **layer(kind, name, **config), "name": name,
        "inbound_nodes": [[[source, 0, 0, {}] for source in inputs]]}


def doubling(kind, count, **config):
    layers, name = [], "in"
    for index in range(count):
        layers.append(called(kind, f"c{index}", [name, name], **config))
        name = f"c{index}"
    return functional(layers, [name])


def cases():
    yield "activations", sequential(
        [layer("Activation", f"a{index}", activation="relu") for index in range(50_000)])
    image, row = [None, 4, 4, 1], [None, 4, 4]
    yield "repeat", sequential([layer("RepeatVector", "r", n=1 << 28)])
    yield "repeat-beyond", sequential([layer("RepeatVector", "r", n=1 << 40)])
    yield "up-sampling", sequential([layer("UpSampling2D", "u", size=[1 << 20] * 2)], image)
    yield "resizing", sequential(
        [layer("Resizing", "r", height=40000, width=40000, interpolation="bilinear")], image)
    yield "padding", sequential([layer("ZeroPadding1D", "p", padding=[1 << 28] * 2)], row)
    yield "dense", sequential([layer("Dense", "d", units=BIG, activation="linear", use_bias=True)])
    yield "lstm", sequential([layer("LSTM", "l", units=1 << 40)], row)
    yield "attention", sequential(
        [layer("MultiHeadAttention", "a", num_heads=BIG, key_dim=BIG)], row)
    yield "input", sequential([layer("Activation", "a", activation="relu")], [None, BIG, BIG])
    yield "axes", sequential(
        [layer("Activation", "a", activation="relu")], [None] + [1] * 100_000)
    yield "concatenate-doubles", doubling("Concatenate", 60, axis=-1)
    yield "add-doubles", doubling("Add", 3000)
    yield "outputs", functional(
        [called("Activation", f"o{index}", ["in"], activation="relu") for index in range(10_000)],
        [f"o{index}" for index in range(10_000)])
    yield "marks", sequential([
        layer("Activation", "a" + "\u0301\u0323" * 1000 + str(index), activation="relu")
        for index in range(1000)])
    yield "deep", '{"class_name":"Sequential","config":' + '{"a":' * 100_000 + "1" + "}" * 100_001


def files(folder, weights):
    """Writes the files with the weights of an archive of Keras and returns their paths."""
    with zipfile.ZipFile(weights) as archive:
        values = archive.read("model.weights.h5")
    for name, description in cases():
        text = description if isinstance(description, str) else json.dumps(
            description, ensure_ascii=False)
        path = os.path.join(folder, f"keras-{name}.keras")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("config.json", text)
            archive.writestr("metadata.json", '{"keras_version": "3.0.0"}')
            archive.writestr("model.weights.h5", values)
        yield path
    path = os.path.join(folder, "keras-zip-bomb.keras")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("config.json", "w", force_zip64=True) as file:
            for _ in range(500):
                file.write(b" " * 1_000_000)
        archive.writestr("model.weights.h5", values)
    yield path
