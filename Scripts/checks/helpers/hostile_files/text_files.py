"""Files whose names hold what acts on a terminal: escapes, bells, line breaks, turned directions."""
import os

from onnx_files import attribute, message, value

EVIL = (
    "\x1b[2J\x1b]0;title\x07\x1b[31mRED</svg><script>alert(1)</script>\"&\n"
    "compared   relative L2 0\r\x08\x7f\x9b31m\u202egnp\u2066\u2069\u200b\ufeff\u2028\t")
# Bytes that no output may hold; a line break is a part of a report, but none of a name. A name's
# line would end in an escape.
FORBIDDEN = [
    text.encode() for text in
    ["\x1b", "\x07", "\x08", "\r", "\x7f", "\x9b", "\u202e", "\u2066", "\u2069", "\u200b",
     "\ufeff", "\u2028"]] + [b"\ncompared   relative L2 0\\"]


def node(kind, inputs, outputs, name, domain=""):
    return message(f1=inputs, f2=outputs, f3=name, f4=kind, f7=domain)


def model(nodes, inputs, outputs):
    graph = message(f1=nodes, f2="g" + EVIL, f11=inputs, f12=outputs)
    return message(
        f1=8, f2="producer" + EVIL, f3=EVIL, f6="about" + EVIL, f7=graph,
        f8=[message(f1="", f2=18), message(f1="d" + EVIL, f2=1)],
        f14=[message(f1="k" + EVIL, f2="v" + EVIL)])


def cases():
    x, y, sizes = "x" + EVIL, "y" + EVIL, [1, 4]
    relu = node("Relu", [x], ["t" + EVIL], "n" + EVIL)
    yield "names.onnx", model(
        [relu, node("Tanh", ["t" + EVIL], [y], "m" + EVIL)], [value(x, sizes)], [value(y, sizes)])
    yield "operators.onnx", model(
        [relu, node("Foo" + EVIL, ["t" + EVIL], [y], "m" + EVIL, "d" + EVIL)],
        [value(x, sizes)], [value(y, sizes)])
    yield "missing.onnx", model([node("Relu", ["z" + EVIL], [y], "n" + EVIL)],
                                [value(x, sizes)], [value(y, sizes)])
    yield "sizes.onnx", model([relu], [value(x, [-1, -1])], [value("t" + EVIL, None)])
    yield "twice.onnx", model([relu, relu], [value(x, sizes)], [value("t" + EVIL, None)])
    yield "misfit.onnx", model(
        [message(f1=[x], f2=[y], f3="n" + EVIL, f4="Transpose",
                 f5=[attribute("perm", [5, 7])])], [value(x, sizes)], [value(y, None)])
    net = "[net]\nwidth=8\nheight=8\nchannels=3\n"
    line = EVIL.replace("\n", "").replace("\t", "")
    yield "section.cfg", (net + f"[{line}]\nfilters=1\n").encode()
    yield "activation.cfg", (
        net + f"[convolutional]\nfilters=4\nsize=3\nactivation={line}\n").encode()
    yield "line.cfg", (net + line + "\n").encode()


def files(folder):
    """Writes the files, one of them under an evil name, and returns their paths."""
    for name, data in cases():
        path = os.path.join(folder, f"text-{name}")
        with open(path, "wb") as file:
            file.write(data)
        yield path
    path = os.path.join(folder, "text" + EVIL.replace("/", "") + ".onnx")
    with open(path, "wb") as file:
        file.write(model([], [value("x", [1])], []))
    yield path
    yield os.path.join(folder, "missing" + EVIL.replace("/", "") + ".onnx")
