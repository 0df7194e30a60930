#!/usr/bin/env python3
"""Makes Tests/ForgeImportersTests/Fixtures/ONNX/Microsoft: operators of ONNX Runtime's domain.

    make_microsoft_models.py [FOLDER]

Needs onnx, numpy and onnxruntime 1.32 with the modules that its transformers optimizer imports
(coloredlogs, sympy). Each case is a file of one operator, or a network as the optimizer writes it.
`cases.safetensors` has its inputs and what ONNX Runtime computes. That is checked before it is written:
for an operator against formulas in double precision, for a network against the graph from which
the optimizer started.
"""
# check:

import json
import pathlib
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import fixtures
import microsoft_formulas as formulas
import microsoft_networks as networks

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve()
                      .parents[2].joinpath("Tests", "ForgeImportersTests", "Fixtures", "ONNX",
                                           "Microsoft"))
onnxruntime.set_default_logger_severity(4)
Level = onnxruntime.GraphOptimizationLevel
LEVELS = {"basic": Level.ORT_ENABLE_BASIC, "extended": Level.ORT_ENABLE_EXTENDED,
          "all": Level.ORT_ENABLE_ALL}
TOLERANCE = 1e-5


def session(model, level=Level.ORT_DISABLE_ALL, path=None):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    if path:
        options.optimized_model_filepath = str(path)
    source = str(model) if isinstance(model, pathlib.Path) else model.SerializeToString()
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def distance(a, b):
    """The relative L2 distance of a from b, of the numbers that are finite in b."""
    a, b = np.asarray(a, np.float64).ravel(), np.asarray(b, np.float64).ravel()
    there = np.isfinite(b)
    if not there.any():
        return 0
    return np.linalg.norm((a - b)[there]) / max(np.linalg.norm(b[there]), 1e-30)


def described(array):
    array = np.asarray(array)
    # JSON has no NaN.
    short = float if array.dtype == np.float32 else int
    numbers = [None if np.isnan(v) else short(str(v)) for v in array.ravel()]
    return {"sizes": list(array.shape), "values": numbers}


class Cases:
    """The cases so far."""

    def __init__(self):
        self.found, self.refusals = {}, {}

    def add(self, name, inputs, outputs, attentions=None, apart=None):
        assert name not in self.found, name
        self.found[name] = {
            "apart": apart,
            "inputs": {k: described(v) for k, v in inputs.items()},
            "outputs": {k: described(v) for k, v in outputs.items()},
            "attentions": attentions}

    def operator(self, name, operator, inputs, expected, outputs=("y",), domain="com.microsoft",
                 attentions=None, **attributes):
        """A file of one node.

        `inputs` are arrays, or `None` for one that is left out; an array in a list of its own is
        stored in the file. `expected` has an array for each output, or `None` for one that the
        formulas leave unspecified.
        """
        names, given, stored = [], {}, []
        for index, value in enumerate(inputs):
            names.append("" if value is None else f"x{index}")
            if isinstance(value, list):
                stored.append(numpy_helper.from_array(value[0], names[-1]))
            elif value is not None:
                given[names[-1]] = value
        node = helper.make_node(operator, names, list(outputs), domain=domain, **attributes)
        # The number of examples is open where all inputs have it first.
        fixed = ("product", "gemm_", "attention_past", "attention_ends")
        is_apart = not name.startswith(fixed) and all(
            v.ndim > 1 and len(v) == 2 for v in given.values())
        kinds = [helper.make_tensor_value_info(
            k, helper.np_dtype_to_tensor_dtype(v.dtype), ["N", *v.shape[1:]] if is_apart else v.shape)
            for k, v in given.items()]

        def model(described):
            graph = helper.make_graph([node], name, kinds, described, stored)
            return helper.make_model(graph, ir_version=9, opset_imports=[
                helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])
        kept = [o for o in outputs if o]
        found = session(model([helper.make_empty_tensor_value_info(o) for o in kept])).run(None, given)
        for output, value, formula in zip(kept, found, expected):
            if formula is None:
                continue
            there = np.isfinite(np.asarray(formula, np.float64))
            assert np.shape(formula) == value.shape, (name, np.shape(formula), value.shape)
            assert np.array_equal(value[~there], np.asarray(formula)[~there], True), name
            assert distance(value, formula) < TOLERANCE, (name, output, distance(value, formula))
        onnx.save(model([helper.make_tensor_value_info(
            o, helper.np_dtype_to_tensor_dtype(v.dtype), None if is_apart else v.shape)
            for o, v in zip(kept, found)]), FOLDER / f"{name}.onnx")
        apart = {o: int(o == "present") for o in kept} if is_apart else None
        self.add(name, given, dict(zip(kept, found)), attentions, apart)

    def refused(self, name, says, operator, inputs, **attributes):
        """A file of one node that Forge refuses; `inputs` are sizes, of integers in a tuple."""
        names = ["" if sizes is None else f"x{i}" for i, sizes in enumerate(inputs)]
        kinds = [helper.make_tensor_value_info(
            n, TensorProto.INT32 if isinstance(sizes, tuple) else TensorProto.FLOAT, sizes)
            for n, sizes in zip(names, inputs) if n]
        node = helper.make_node(operator, names, ["y"], domain="com.microsoft", **attributes)
        graph = helper.make_graph(
            [node], name, kinds, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
        onnx.save(helper.make_model(graph, ir_version=9, opset_imports=[
            helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]),
            FOLDER / f"{name}.onnx")
        self.refusals[name] = says

    def network(self, name, model, inputs, attentions, files):
        """Files that the optimizer makes from a model: {suffix: function of a path}."""
        truth = session(model).run(None, inputs)
        names = [o.name for o in model.graph.output]
        for suffix, make in files.items():
            path = FOLDER / f"{name}_{suffix}.onnx"
            make(model, path)
            found = session(path).run(None, inputs)
            for output, a, b in zip(names, found, truth):
                assert distance(a, b) < TOLERANCE, (path, output, distance(a, b))
            self.add(path.stem, inputs, dict(zip(names, truth)), attentions)
            counts = sorted({f"{n.domain}::{n.op_type}" for n in onnx.load(path).graph.node
                             if n.domain or n.op_type.startswith("Simplified")})
            print(path.stem, *counts)


def level(name):
    return lambda model, path: session(model, LEVELS[name], path)


def transformer_optimizer(kind, heads, hidden, **options):
    """What onnxruntime.transformers writes."""
    def make(model, path):
        from onnxruntime.transformers import optimizer
        from onnxruntime.transformers.fusion_options import FusionOptions
        fusion = FusionOptions(kind)
        for key, value in options.items():
            setattr(fusion, key, value)
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "source.onnx")
            onnx.save(model, source)
            made = optimizer.optimize_model(
                str(source), model_type=kind, num_heads=heads, hidden_size=hidden, opt_level=0,
                optimization_options=fusion)
            made.save_model_to_file(str(path))
    return make


def network_cases(cases):
    random = np.random.default_rng(7)
    levels = {name: level(name) for name in LEVELS}
    image = random.uniform(-1, 1, (2, 3, 29, 31)).astype(np.float32)
    cases.network("cnn", networks.cnn(), {"image": image}, 0, levels)

    def tokens(rows, length):
        mask = np.ones((rows, length), np.int64)
        mask[-1, length - 2:] = 0
        return {"input_ids": random.integers(0, 37, (rows, length)),
                "attention_mask": mask,
                "token_type_ids": random.integers(0, 2, (rows, length))}
    inputs = tokens(2, 7)
    cases.network("bert", networks.bert(2, 7), inputs, 2, levels)
    cases.network("bert_open", networks.bert(), inputs, 2, {"extended": level("extended")})
    ids = {"input_ids": inputs["input_ids"]}
    cases.network("gpt", networks.gpt(2, 7), ids, 2, levels)
    cases.network("gpt_open", networks.gpt(), ids, 2, {"extended": level("extended")})
    cases.network("bert", networks.bert(2, 7), inputs, 2, {
        "optimiser": transformer_optimizer("bert", 3, 24),
        "optimiser_heads": transformer_optimizer("bert", 3, 24, use_multi_head_attention=True),
        "optimiser_gelu": transformer_optimizer("bert", 3, 24, enable_bias_gelu=False)})
    cases.network("bert_open", networks.bert(), inputs, 2, {"optimiser": transformer_optimizer("bert", 3, 24)})
    cases.network("gpt", networks.gpt(2, 7), ids, 2, {"optimiser": transformer_optimizer("gpt2", 3, 15)})
    cases.network("llama", networks.llama(2, 7), ids, 2, {
        "basic": level("basic"), "extended": level("extended"), "all": level("all")})


def refusals(cases):
    x, hidden = [2, 7, 15], {"num_heads": 3}
    cases.refused("no_packed", "packed queries", "MultiHeadAttention", [[2, 7, 3, 3, 5]], **hidden)
    cases.refused("no_packed_keys", "packed keys", "MultiHeadAttention",
                  [x, [2, 7, 3, 2, 5], [2, 7, 3, 2, 5]], **hidden)
    cases.refused("no_past_length", "past_sequence_length", "MultiHeadAttention",
                  [x, x, x, *[None] * 5, (1,)], **hidden)
    cases.refused("no_rotary", "do_rotary", "Attention", [x, [15, 45]], do_rotary=1, **hidden)
    cases.refused("no_four", "a mask of", "Attention", [x, [15, 45], None, (2, 1, 9, 9)], **hidden)
    cases.refused("no_packing", "a mask of", "Attention", [x, [15, 45], None, (8,)], **hidden)
    keys = [[2, 7, 32], [2, 7, 16], [2, 7, 16], None, None, (2,)]
    shared = {"num_heads": 2, "kv_num_heads": 1}
    cases.refused("no_total", "total_sequence_length computed", "GroupQueryAttention",
                  [*keys, (1,)], **shared)
    cases.refused("no_sink", "head_sink", "GroupQueryAttention",
                  [*keys, (1,), *[None] * 4, [2]], **shared)
    cases.refused("no_smooth", "smooth_softmax", "GroupQueryAttention", [*keys, (1,)],
                  smooth_softmax=1, **shared)
    cases.refused("no_causal", "causal 0", "GroupQueryAttention", [*keys, (1,)], causal=0, **shared)
    cases.refused("no_activation", "the activation \"Erf\"", "FusedGemm", [[5, 7], [7, 3]],
                  activation="Erf")
    cases.refused("no_scale", "scale 0.5", "RotaryEmbedding", [x, (1,), [9, 2], [9, 2]], scale=0.5)
    # Blocks of channels whose size the file leaves open.
    path = FOLDER / "no_blocks.onnx"
    session(networks.blocks(), LEVELS["all"], path)
    cases.refusals["no_blocks"] = "in blocks of 8 or 16"


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.onnx"):
        old.unlink()
    cases = Cases()
    formulas.operator_cases(cases)
    network_cases(cases)
    refusals(cases)
    (FOLDER / "refusals.json").write_text(json.dumps(cases.refusals, indent=1) + "\n")
    fixtures.write(FOLDER / "cases.safetensors", cases.found)
    print(f"{len(cases.found)} cases")


if __name__ == "__main__":
    main()
