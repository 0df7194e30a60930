"""Finds the first node whose result differs, by making every value an output in turn."""
import numpy as np

import tool
from graph import node_text
from judge import judge


def case_of(graph, name):
    _, names = graph.needed([name])
    inputs = {key: array for key, array in graph.inputs.items() if key in names}
    return tool.Case(graph.model([name]), inputs, [name])


def first_difference(forge, graph, outputs, folder):
    """The first node that is wrong when its result is the only output, in words."""
    steps, _ = graph.needed(outputs)
    places = [
        (step, name) for step in steps for name in step.node.output
        if name and name in graph.varying and graph.values[name].size]
    outcomes = tool.run(forge, [case_of(graph, name) for _, name in places], folder)
    for (step, name), outcome in zip(places, outcomes):
        if outcome.status == "crash":
            return f"first at {node_text(step, graph.values)}: {outcome.message}"
        if outcome.status == "ok":
            verdict = judge(graph, [name], outcome.outputs)
            if verdict.kind == "wrong":
                return (
                    f"first at {node_text(step, graph.values)} ({graph.style}): {verdict.text}")
    chain = " → ".join(step.node.op_type for step in steps)
    return f"only in the whole of {chain} ({graph.style}, {scale(graph)})"


def scale(graph):
    """The range of the inputs."""
    sizes = np.concatenate([
        np.abs(array.astype(np.float64)).ravel() for array in graph.inputs.values()])
    finite = sizes[np.isfinite(sizes) & (sizes > 0)]
    return f"{finite.min():.1g} to {finite.max():.1g}" if finite.size else "zeros"

