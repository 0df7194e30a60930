"""Configurations of Darknet that ask for much memory or work."""
import os

NET = "[net]\nwidth=8\nheight=8\nchannels=3\n"
CONV = "[convolutional]\nfilters=4\nsize=3\nstride=1\npad=1\nactivation=leaky\n"
MARKS = "\u0301" * 1_000_000


def cases():
    yield "dropouts", NET + "[dropout]\n" * 100_000
    yield "activations", NET + "[activation]\nactivation=relu\n" * 100_000
    yield "convolutions", NET + CONV * 20_000
    yield "many-convolutions", NET + CONV * 130_000
    yield "route-of-one", NET + CONV + "[route]\nlayers=" + ",".join(["0"] * 200_000) + "\n"
    yield "route-doubles", NET + CONV + "[route]\nlayers=-1,-1\n" * 60
    yield "upsample-doubles", NET + CONV + "[upsample]\nstride=2\n" * 11
    yield "upsample", NET + CONV + "[upsample]\nstride=100000000\n"
    yield "input", "[net]\nwidth=16384\nheight=16384\nchannels=3\n" + CONV
    yield "filters", NET + CONV.replace("filters=4", "filters=2000000000")
    yield "kernel", NET + CONV.replace("size=3", "size=4000000")
    yield "connected", NET + "[connected]\noutput=2000000\nactivation=linear\n"
    yield "max-pool", NET + CONV + "[maxpool]\nsize=100000000\nstride=1\n"
    yield "large-max-pool", (
        NET.replace("=8", "=1024") + CONV + "[maxpool]\nsize=1001\nstride=1\n")
    yield "masks", (
        NET + CONV + "[yolo]\nmask=" + ",".join(["0"] * 1_000_000)
        + "\nanchors=1,1\nclasses=1000000000000\nnum=9999999999\n")
    yield "long-line", NET + "#" * 30_000_000 + "\n" + CONV
    yield "long-key", NET + CONV + "a" * 5_000_000 + "=" + "b" * 5_000_000 + "\n"
    yield "marks-key", NET + CONV + "a" + MARKS + "=1\n"
    yield "marks-section", NET + "[a" + MARKS + "]\nx=1\n"
    yield "marks-value", NET + CONV.replace("leaky", "a" + MARKS)
    yield "keys", NET + CONV + "".join(f"k{index}=1\n" for index in range(300_000))


def files(folder):
    """Writes the files and returns their paths."""
    for name, text in cases():
        path = os.path.join(folder, f"darknet-{name}.cfg")
        with open(path, "w") as file:
            file.write(text)
        yield path
