"""ONNX files that ask for much memory or work, though they are small."""
import os
import struct

from wire import message

FLOAT, INT64 = 1, 7
BIG = 1 << 62


def attribute(name, value):
    if isinstance(value, float):
        return message(f1=name, f2=value, f20=1)
    if isinstance(value, int):
        return message(f1=name, f3=value, f20=2)
    if isinstance(value, str):
        return message(f1=name, f4=value, f20=3)
    return message(f1=name, f8=list(value), f20=7)


def node(kind, inputs, outputs, **attributes):
    return message(
        f1=inputs, f2=outputs, f3=f"n_{outputs[0]}", f4=kind,
        f5=[attribute(name, value) for name, value in attributes.items()])


def floats(name, values, dims=()):
    return message(
        f1=list(dims), f2=FLOAT, f8=name, f9=struct.pack(f"<{len(values)}f", *values))


def integers(name, values, scalar=False):
    return message(
        f1=None if scalar else [len(values)], f2=INT64, f8=name,
        f9=struct.pack(f"<{len(values)}q", *values))


def value(name, sizes, kind=FLOAT):
    shape = None
    if sizes is not None:
        shape = message(f1=[message(f1=size) for size in sizes])
    return message(f1=name, f2=message(f1=message(f1=kind, f2=shape)))


def model(nodes, stored=(), inputs=None, outputs=None, opset=18):
    graph = message(
        f1=nodes, f2="g", f5=list(stored), f11=inputs or [value("x", [1, 4])],
        f12=outputs or [value("y", None)])
    return message(f1=8, f7=graph, f8=message(f1="", f2=opset))


def reduced(nodes, stored, last):
    """A model that adds the sum of a constant to its input."""
    return model(
        nodes + [node("ReduceSum", [last], ["r"], keepdims=0), node("Add", ["x", "r"], ["y"])],
        stored)


ONE = floats("one", [1.0])


def expanded(sizes, *nodes):
    """A constant of sizes, and nodes that compute with it from `e` to the last output."""
    return [node("Expand", ["one", "s"], ["e"]), *nodes], [ONE, integers("s", sizes)]


def chain(count, make, first="x", last="y"):
    nodes, name = [], first
    for index in range(count):
        output = last if index == count - 1 else f"t{index}"
        nodes.append(make(name, output))
        name = output
    return nodes


# MARK: Constants

def constants():
    yield "constant-of-shape", reduced(
        [node("ConstantOfShape", ["s"], ["e"])], [integers("s", [1 << 28])], "e")
    yield "constant-of-shape-weights", model(
        [node("ConstantOfShape", ["s"], ["e"]), node("MatMul", ["x", "e"], ["y"])],
        [integers("s", [4, 1 << 25])])
    yield "concat-doubles-constant", reduced(
        chain(60, lambda a, b: node("Concat", [a, a], [b], axis=0), "c", "z"),
        [floats("c", [1.0] * 4, [4])], "z")
    nodes, stored = expanded(
        [1] * 7 + [1 << 24], node("NonZero", ["e"], ["p"]), node("Cast", ["p"], ["f"], to=1))
    yield "nonzero", reduced(nodes, stored, "f")
    nodes = []
    for index in range(50):
        nodes += [
            node("Expand", ["one", "s"], [f"e{index}"]),
            node("ReduceSum", [f"e{index}"], [f"r{index}"], keepdims=0),
            node("Add", ["x" if index == 0 else f"z{index - 1}", f"r{index}"],
                 ["y" if index == 49 else f"z{index}"])]
    yield "expand-fifty-times", model(nodes, [ONE, integers("s", [1 << 12, 1 << 10])])
    nodes, stored = expanded([500, 500])
    nodes += chain(1000, lambda a, b: node("Transpose", [a], [b], perm=[1, 0]), "e", "z")
    yield "transpose-thousand-times", reduced(nodes, stored, "z")
    for name, sizes, nodes in [
        ("expand", [1 << 14, 1 << 14], []),
        ("matmul", [8192, 8192], [node("MatMul", ["e", "e"], ["f"])]),
        ("trilu", [10000, 10000], [node("Trilu", ["e"], ["f"])]),
        ("cumsum", [10000, 10000], [node("CumSum", ["e", "axis"], ["f"])]),
        ("tile", [1 << 10, 1 << 10], [node("Tile", ["e", "many"], ["f"])]),
        ("equal", [1 << 13, 1 << 13], [
            node("Equal", ["e", "one"], ["q"]), node("Cast", ["q"], ["f"], to=1)]),
        ("eyelike", [1 << 14, 1 << 14], [node("EyeLike", ["e"], ["f"])]),
        ("where", [1 << 13, 1 << 13], [
            node("Cast", ["e"], ["q"], to=9), node("Where", ["q", "e", "e"], ["f"])]),
    ]:
        nodes, stored = expanded(sizes, *nodes)
        stored += [integers("axis", [0], scalar=True), integers("many", [64, 64])]
        yield f"constant-{name}", reduced(nodes, stored, "f" if len(nodes) > 1 else "e")
    nodes, stored = expanded([1, 1, 4096, 4096], node("Conv", ["e", "w"], ["f"]))
    yield "constant-conv", reduced(
        nodes, stored + [floats("w", [1.0] * 63 * 63, [1, 1, 63, 63])], "f")
    nodes, stored = expanded([2, 1 << 20], node("Gather", ["e", "i"], ["f"]))
    yield "constant-gather", reduced(nodes, stored + [integers("i", [0] * 5000)], "f")
    yield "range", reduced(
        [node("Range", ["a", "b", "d"], ["e"]), node("Cast", ["e"], ["f"], to=1)],
        [integers(n, [v], scalar=True) for n, v in (("a", 0), ("b", BIG), ("d", 1))], "f")
    yield "random-place-of-pad", model(
        [node("Relu", ["x"], ["v"]), node("Slice", ["v", "a", "b", "c"], ["w"]),
         node("Squeeze", ["w"], ["k"]), node("Pad", ["x", "p", "k"], ["y"])],
        [integers("a", [0]), integers("b", [1]), integers("c", [1]),
         integers("p", [0, 0, 0, 1])], [value("x", [1, 1 << 36])])


# MARK: Predictions

def predictions():
    yield "tile", model([node("Tile", ["x", "s"], ["y"])], [integers("s", [1 << 14, 1 << 12])])
    yield "expand", model(
        [node("Expand", ["x", "s"], ["y"])], [integers("s", [1 << 16, 1 << 12, 4])])
    image = [value("x", [1, 1, 8, 8])]
    yield "max-pool", model(
        [node("MaxPool", ["x"], ["y"], kernel_shape=[1 << 20] * 2, pads=[1 << 19] * 4,
              strides=[1 << 18] * 2)], inputs=image)
    yield "average-pool", model(
        [node("AveragePool", ["x"], ["y"], kernel_shape=[60000] * 2, pads=[59999] * 4,
              count_include_pad=1)], inputs=image)
    yield "suppression", model(
        [node("NonMaxSuppression", ["b", "s", "m"], ["y"])], [integers("m", [BIG])],
        [value("b", [1, 100000, 4]), value("s", [1, 80, 100000])], [value("y", None, INT64)])
    yield "attention", model(
        [node("Attention", ["x"] * 3, ["y"], q_num_heads=4, kv_num_heads=4)],
        inputs=[value("x", [1, 1 << 17, 64])], opset=23)
    yield "concat-doubles", model(
        chain(60, lambda a, b: node("Concat", [a, a], [b], axis=1)))
    yield "resize", model(
        [node("Resize", ["x", "", "s"], ["y"], mode="nearest")],
        [floats("s", [1, 1, 1e6, 1e6], [4])], image)
    yield "resize-by-sizes", model(
        [node("Resize", ["x", "", "", "s"], ["y"], mode="linear")],
        [integers("s", [1, 1, 1 << 15, 1 << 15])], image)
    yield "conv-transpose", model(
        [node("ConvTranspose", ["x", "w"], ["y"], strides=[20000, 20000])],
        [floats("w", [1.0] * 9, [1, 1, 3, 3])], image)
    yield "pad", model(
        [node("Pad", ["x", "s"], ["y"])], [integers("s", [0, 1 << 15, 0, 1 << 30])])
    yield "input", model([node("Relu", ["x"], ["y"])], inputs=[value("x", [1, 1 << 31, 1 << 31])])
    yield "big-input", model(
        [node("MatMul", ["x", "w"], ["y"])], [floats("w", [1.0], [1, 1])],
        [value("x", [1 << 20, 1 << 10, 1])])
    yield "lstm", model(
        [node("LSTM", ["x", "w", "r"], ["y"], hidden_size=4)],
        [floats("w", [1.0] * 64, [1, 16, 4]), floats("r", [1.0] * 64, [1, 16, 4])],
        [value("x", [1 << 22, 1, 4])])
    yield "einsum", model(
        [node("Einsum", ["x"] * 6, ["y"], equation="a,b,c,d,e,f->abcdef")],
        inputs=[value("x", [64])])
    yield "exp-thousand-times", model(
        chain(1000, lambda a, b: node("Exp", [a], [b])), inputs=[value("x", [1, 1 << 20])])
    yield "one-hot", model(
        [node("ArgMax", ["x"], ["a"], axis=1, keepdims=0), node("OneHot", ["a", "d", "v"], ["y"])],
        [integers("d", [1 << 28], scalar=True), floats("v", [0.0, 1.0], [2])])
    yield "top-k", model(
        [node("TopK", ["x", "k"], ["y", "i"])], [integers("k", [1 << 24])],
        [value("x", [4, 1 << 24])])


# MARK: Many

def many():
    count = 50000
    names = [f"y{index}" for index in range(count)]
    yield "outputs", model(
        [node("Relu", ["x"], [name]) for name in names],
        outputs=[value(name, [1, 4]) for name in names])
    names = [f"y{index}" for index in range(60000)]
    yield "split", model(
        [node("Split", ["x"], names, axis=1, num_outputs=60000)],
        inputs=[value("x", [1, 60000])], outputs=[value(name, None) for name in names])
    names = [f"x{index}" for index in range(30000)]
    yield "inputs", model(
        [node("Sum", names, ["y"])], inputs=[value(name, [1, 4]) for name in names])
    yield "sum", model([node("Sum", ["x"] * 200000, ["y"])])
    names = [f"r{index}" for index in range(20000)]
    yield "concat", model(
        [node("Relu" if index % 2 else "Tanh", ["x"], [name])
         for index, name in enumerate(names)]
        + [node("Concat", names, ["y"], axis=1)])
    yield "concat-of-one", model([node("Concat", ["x"] * 300000, ["y"], axis=1)])
    yield "relu", model(chain(20000, lambda a, b: node("Relu", [a], [b])))
    yield "add-constant", model(
        chain(10000, lambda a, b: node("Add", [a, "c"], [b])), [floats("c", [1.0] * 4, [1, 4])])
    yield "add-to-itself", model(chain(2000, lambda a, b: node("Add", [a, a], [b])))


# MARK: Names

def names():
    for count, marks in [(20, 3000), (100, 1000), (40, 1024)]:
        name = "a" + "\u0301\u0323" * marks
        yield f"marks-{count}", model(
            chain(count, lambda a, b: node("Relu", [a], [b])) if marks == 0 else [
                node("Relu", [f"{name}{index - 1}" if index else "x"],
                     [f"{name}{index}" if index < count - 1 else "y"])
                for index in range(count)])
    yield "long", model([node("Relu", ["x"], ["a" * 3_000_000]),
                         node("Relu", ["a" * 3_000_000], ["y"])])


# MARK: Files beside the model

def external(folder, name, location, dims, length=None, offset=0):
    entries = [("location", location), ("offset", str(offset))]
    if length is not None:
        entries.append(("length", str(length)))
    tensor = message(
        f1=list(dims), f2=FLOAT, f8="c", f13=[message(f1=k, f2=v) for k, v in entries], f14=1)
    path = os.path.join(folder, f"onnx-external-{name}.onnx")
    with open(path, "wb") as file:
        file.write(model(
            [node("Add", ["x", "c"], ["y"])], [tensor], [value("x", list(dims))]))
    return path


def sparse(path, size):
    with open(path, "wb"):
        pass
    os.truncate(path, size)
    return path


def beside(folder):
    sparse(os.path.join(folder, "hole.bin"), 1 << 42)
    yield external(folder, "hole", "hole.bin", [1 << 20, 1 << 18], 1 << 40)
    yield external(folder, "smaller-hole", "hole.bin", [1 << 13, 1 << 13], 1 << 28)
    os.makedirs(os.path.join(folder, "links"), exist_ok=True)
    inside = os.path.join(folder, "links")
    with open(os.path.join(folder, "outside.bin"), "wb") as file:
        file.write(bytes(64))
    for name, target in [
        ("out", "../outside.bin"), ("passwd", "/etc/passwd"), ("folder", ".."), ("self", "self"),
        ("zero", "/dev/zero"),
    ]:
        link = os.path.join(inside, name)
        if not os.path.islink(link):
            os.symlink(target, link)
    for name, location in [
        ("link", "out"), ("link-absolute", "passwd"), ("link-folder", "folder/outside.bin"),
        ("link-loop", "self"), ("link-device", "zero"),
    ]:
        yield external(inside, name, location, [1, 4], 16)
    yield sparse(os.path.join(folder, "onnx-hole.onnx"), (1 << 33) - 10)
    path = os.path.join(folder, "onnx-hole-behind-a-field.onnx")
    with open(path, "wb") as file:
        file.write(message(f1=8) + b"\x3a" + b"\xff\xff\xff\xff\x1f")
    os.truncate(path, (1 << 33) - 10)
    yield path


GROUPS = [constants, predictions, many, names]


def files(folder):
    """Writes the files and returns their paths."""
    for group in GROUPS:
        for name, data in group():
            path = os.path.join(folder, f"onnx-{group.__name__}-{name}.onnx")
            with open(path, "wb") as file:
                file.write(data)
            yield path
    yield from beside(folder)
