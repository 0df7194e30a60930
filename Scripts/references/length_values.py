"""Inputs of sequences of several lengths, and what ONNX Runtime computes with them, as fixtures."""
import numpy as np
import onnxruntime

from make_onnx_models import seeded

MAXIMUM = 300
LENGTHS = [1, 7, 40, 41, 129, 257, MAXIMUM]


def inputs(kinds, length):
    """The inputs of a length: `ids` below 53, a `mask` of the first two thirds, or numbers.

    Numbers are given by sizes, in which 0 stands for the length.
    """
    feed = {}
    for index, (name, kind) in enumerate(kinds.items()):
        if kind == "ids":
            feed[name] = np.random.default_rng(length + index).integers(0, 53, (1, length))
        elif kind == "mask":
            feed[name] = np.ones((1, length), np.int64)
            feed[name][0, max(length - length // 3, 1):] = 0
        else:
            sizes = [size or length for size in kind]
            feed[name] = seeded(int(np.prod(sizes)), 1000 * index + length).reshape(sizes)
    return feed


def expected(data, kinds, reference=None):
    """What ONNX Runtime computes with a model at every length, and the inputs of it."""
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    found = {}
    for length in LENGTHS:
        feed = inputs(kinds, length)
        for given in session.get_inputs():
            if given.type == "tensor(int32)":
                feed[given.name] = feed[given.name].astype(np.int32)
        results = session.run(names, feed)
        if reference is not None:
            for result, own in zip(results, reference(feed)):
                assert np.allclose(result, own, rtol=1e-4, atol=1e-5), length
        found[str(length)] = {
            "inputs": {
                name: {"sizes": list(value.shape), "seed": 1000 * index + length}
                if value.dtype == np.float32 else
                {"sizes": list(value.shape), "values": value.ravel().tolist()}
                for index, (name, value) in enumerate(feed.items())},
            "outputs": {
                name: {"sizes": list(value.shape),
                       "values": [float(f"{x:.6g}") for x in value.astype(float).ravel()]}
                for name, value in zip(names, results)}}
    return found
