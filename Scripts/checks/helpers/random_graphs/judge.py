"""Judges what Forge computed by ONNX Runtime and by the reference of the package onnx."""
import collections
import functools

import numpy as np
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

import conventions
import noise
from graph import FLOAT

# passed, disputed or wrong, and why.
Verdict = collections.namedtuple("Verdict", ["kind", "text"])
PASSED = Verdict("passed", "")
# Multiplications up to which the reference computes every graph; beyond, only those that differ.
MOST_WORK = 4e6


# The relative error of what ONNX Runtime lost, of which nothing tells how much cancels.
LOST = 2.0**-10


# The reference

@functools.lru_cache(maxsize=4096)
def evaluator(text, opset):
    from onnx import NodeProto
    node = NodeProto.FromString(text)
    graph = helper.make_graph(
        [node], "g",
        [helper.make_empty_tensor_value_info(name) for name in dict.fromkeys(node.input) if name],
        [helper.make_empty_tensor_value_info(name) for name in node.output if name])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return ReferenceEvaluator(model)


def reference_step(step, inputs, opset, double):
    """The results of a node by the reference, in single or double precision."""
    node = step.node
    if node.op_type in conventions.ALWAYS:
        # The reference's own are off where ONNX Runtime's are, or more.
        results = conventions.ALWAYS[node.op_type](step, inputs, [inputs[node.input[0]]])
        return [
            result.astype(np.float64) if double and result.dtype == FLOAT else result
            for result in results]
    if node.op_type in noise.RECURRENT and any(a.name == "clip" for a in node.attribute):
        raise NotImplementedError("the reference does not clip")
    given = {}
    for place, name in enumerate(node.input):
        if not name:
            continue
        array = inputs[name]
        if double and array.dtype == FLOAT and not (node.op_type == "Resize" and place in (1, 2)):
            array = array.astype(np.float64)
        given[name] = array
    if double and node.op_type == "Cast":
        to = next(a.i for a in node.attribute if a.name == "to")
        if to == TensorProto.FLOAT:
            return [given[node.input[0]].astype(np.float64)]
    with np.errstate(all="ignore"):
        results = evaluator(node.SerializeToString(), opset).run(None, given)
    results = [np.asarray(result) for result in results]
    return [
        result.astype(np.float64) if double and result.dtype == FLOAT else result
        for result in results]


def reference(graph, outputs, double=False):
    """The outputs by the reference; `None` where it has no answer.

    What the reference cannot compute is computed by ONNX Runtime of the reference's operands.
    """
    known = dict(graph.values)
    steps, _ = graph.needed(outputs)
    try:
        for step in steps:
            try:
                results = reference_step(step, known, graph.opset, double)
            except Exception:
                results = step.run({
                    name: known[name].astype(graph.values[name].dtype)
                    for name in step.node.input if name})
            known.update(zip(step.node.output, results))
    except Exception:
        return None
    return {name: known[name] for name in outputs}


def work(graph):
    """About how many multiplications the graph needs."""
    total = 0
    for step in graph.steps:
        shapes = [graph.values[name].shape for name in step.node.input if name]
        result = graph.values[step.node.output[0]]
        if step.node.op_type in ("Conv", "ConvTranspose", "LSTM", "GRU", "RNN"):
            total += result.size * int(np.prod(shapes[1][1:]))
        elif step.node.op_type in ("MatMul", "Gemm"):
            total += result.size * max(shapes[0][-1:] or (1,))
        else:
            total += 20 * result.size
    return total


def cause(graph, outputs):
    """The first operator of which ONNX Runtime and the reference think differently."""
    steps, _ = graph.needed(outputs)
    for step in steps:
        try:
            results = reference_step(step, graph.values, graph.opset, False)
        except Exception as error:
            return f"{step.node.op_type} (no reference: {type(error).__name__})"
        for name, result in zip(step.node.output, results):
            judged = graph.values[name]
            if result.shape != judged.shape:
                return f"{step.node.op_type} (sizes)"
            size = 0
            if judged.dtype.kind == "f":
                size = np.abs(judged[np.isfinite(judged)]).max(initial=0)
            far = noise.distance(judged, result) > 1e-5 * size
            if not far.any():
                continue
            finite = True
            if judged.dtype.kind == "f":
                finite = np.isfinite(judged[far]).all() and np.isfinite(result[far]).all()
            return step.node.op_type + ("" if finite else " (not finite)")
    return "rounding"


# Judgement

def described_difference(name, result, judged, others, far, allowed):
    place = tuple(int(index) for index in np.argwhere(far)[0])
    text = (
        f"{name}{list(place)}: {result[place]} in place of {judged[place]}, "
        f"allowed {allowed[place]:.2g}; "
        f"{int(far.sum())} of {far.size}")
    for title, other in zip(["reference", "double"], others):
        if other is not None:
            text += f"; {title} {other[place]:.9g}"
    return text


def mismatch(graph, name, found):
    """What is wrong with the sizes or the type of an output."""
    judged = graph.values[name]
    if name not in found:
        return "no output"
    if found[name].shape != judged.shape:
        return f"sizes {found[name].shape} in place of {judged.shape}"
    if found[name].dtype != judged.dtype:
        return f"{found[name].dtype} in place of {judged.dtype}"
    return None


def agrees(result, judged, allowed):
    return judged is not None and result.shape == judged.shape and \
        not noise.differs(result, judged, allowed).any()


def judge(graph, outputs, found):
    """The verdict on the outputs of a graph that Forge has computed."""
    for name in outputs:
        problem = mismatch(graph, name, found)
        if problem:
            return Verdict("wrong", f"{name}: {problem}")
    allowed = noise.allowances(graph, outputs)
    differing = [
        name for name in outputs
        if noise.differs(found[name], graph.values[name], allowed[name]).any()]
    if differing:
        careful = noise.allowances(graph, differing, noise.CAREFUL_RUNS)
        allowed.update({name: np.maximum(careful[name], allowed[name]) for name in differing})
    verdicts = [
        judged_output(graph, name, found[name], allowed[name])
        for name in differing
        if noise.differs(found[name], graph.values[name], allowed[name]).any()]
    if not verdicts and work(graph) < MOST_WORK:
        others = reference(graph, outputs)
        if others is not None and any(
                not agrees(found[name], others[name], allowed[name]) for name in outputs):
            return Verdict("disputed", f"reference alone: {cause(graph, outputs)}")
    for verdict in sorted(verdicts, reverse=True):
        return verdict
    return PASSED


def judged_output(graph, name, result, allowed):
    """The verdict on an output that differs from ONNX Runtime's."""
    judged = graph.values[name]
    far = noise.differs(result, judged, allowed)
    others = []
    for title, double in [("ONNX Runtime alone", False), ("double precision, with Forge", True)]:
        other = (reference(graph, [name], double) or {}).get(name)
        if other is None or other.shape != far.shape:
            others.append(None)
            continue
        others.append(other)
        other = other.astype(result.dtype)
        # Where ONNX Runtime lost the result, or one before it, its noise says nothing of how far
        # rounding goes.
        rounding = 0
        if result.dtype == FLOAT:
            size = np.abs(other.astype(np.float64))
            kept = np.isfinite(judged) & ("(not finite)" not in cause(graph, [name]))
            rounding = np.where(kept, noise.ROUNDINGS * noise.UNIT, LOST) * size
        far = far & noise.differs(result, other, np.maximum(allowed, rounding))
        if not far.any():
            return Verdict("disputed", f"{title}: {cause(graph, [name])}")
    text = described_difference(name, result, judged, others, far, allowed)
    return Verdict("wrong", text + f"; ONNX Runtime and reference: {cause(graph, [name])}")


def undecided(graph, outputs):
    """How many elements of the outputs are not judged, and how many there are."""
    allowed = noise.allowances(graph, outputs)
    return (
        sum(int(np.isinf(array).sum()) for array in allowed.values()),
        sum(array.size for array in allowed.values()))

