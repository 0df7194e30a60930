#!/usr/bin/env python3
"""Writes Tests/Fixtures/general.safetensors: what ONNX Runtime, NumPy and Keras compute for functions of one
or two tensors, choices, reductions, rankings, movements and products of matrices.

Run it from anywhere; each half of the cases needs its packages:

    python Scripts/references/make_general_references.py onnx    # onnx, onnxruntime
    python Scripts/references/make_general_references.py keras   # keras with any of its back ends

Each run replaces the cases of its half and keeps the others. Numbers are seeded by the case's name.
The layers of the cases are written in Swift, in GeneralLayers.swift, by the same names. Tensors are in
memory order without a batch. What no operator of ONNX computes is computed by NumPy, in double
precision where that is a function of real numbers.
"""
# check: onnx
# check: KERAS_BACKEND=jax keras

import pathlib
import sys
import zlib

import numpy as np

import fixtures

FILE = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "general.safetensors"
ONNX, KERAS = [], []


def tensor(value):
    """A tensor as JSON."""
    data = np.ascontiguousarray(value, dtype="<f4")
    return data


def record(name, source, inputs, result, parameters=None):
    """A case as it goes into the file."""
    return {
        "name": name, "source": source, "layers": [], "inputs": [tensor(x) for x in inputs],
        "parameters": {"layer": {k: tensor(v) for k, v in (parameters or {}).items()}},
        "outputs": {"layer": tensor(result)},
    }


# ---- inputs ----------------------------------------------------------------------------------------


def signed(*size, low=0.05, high=2.0):
    """Seeded values of both signs, never 0."""
    return lambda random: (
        random.uniform(low, high, size) * random.choice([-1, 1], size)).astype(np.float32)


def between(low, high, *size):
    """Seeded values of a range."""
    return lambda random: random.uniform(low, high, size).astype(np.float32)


def whole(low, high, *size):
    """Seeded whole numbers, low and high included."""
    return lambda random: random.integers(low, high + 1, size).astype(np.float32)


def halves(*size):
    """Seeded multiples of a half: ties of every rounding."""
    return lambda random: (random.integers(-9, 10, size) / 2).astype(np.float32)


def exactly(*values):
    """These values."""
    return lambda random: np.array(values, np.float32)


SPECIAL = exactly(np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 88.0,
                  -88.0, 1e-30, -1e-30, 3e38, -3e38, 0.25)


# ---- ONNX Runtime and NumPy ------------------------------------------------------------------------


def onnx_case(name, operation, inputs, constants=(), casts=(), output=0, opset=22,
              **attributes):
    """One operator. `casts` names the type an input has inside, where that is not float32; results of
    other types become float32."""
    ONNX.append(dict(name=name, operation=operation, inputs=inputs, constants=list(constants),
                     casts=list(casts), output=output, opset=opset, attributes=attributes))


def numpy_case(name, inputs, function):
    """One function of arrays."""
    ONNX.append(dict(name=name, inputs=inputs, function=function))


def drawn(case):
    """The inputs of a case."""
    random = np.random.default_rng(zlib.crc32(case["name"].encode()))
    return [draw(random) for draw in case["inputs"]]


def run_onnx(case):
    """The case with its numbers."""
    inputs = drawn(case)
    if "function" in case:
        with np.errstate(all="ignore"):
            result = case["function"](*inputs)
        return record(case["name"], f"numpy {np.__version__}", inputs, result)
    import onnxruntime
    from onnx import TensorProto, helper

    kinds = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64, "bool": TensorProto.BOOL}
    fed, operands, declared, initializers = {}, [], [], []
    for index, value in enumerate(inputs):
        kind = case["casts"][index] if index < len(case["casts"]) else "float32"
        fed[f"x{index}"] = value.astype(kind)
        operands.append(f"x{index}")
        declared.append(helper.make_tensor_value_info(f"x{index}", kinds[kind], value.shape))
    for index, value in enumerate(case["constants"]):
        if value is None:
            operands.append("")
            continue
        array = np.array(value)
        array = array.astype("float32" if array.dtype.kind == "f" else "int64")
        operands.append(f"c{index}")
        initializers.append(helper.make_tensor(
            f"c{index}", kinds[array.dtype.name], array.shape, array.tobytes(), raw=True))
    count = 2 if case["operation"] == "TopK" else 1
    names = ["y" if index == case["output"] else "unused" for index in range(count)]
    node = helper.make_node(case["operation"], operands, names, **case["attributes"])
    graph = helper.make_graph([node], "case", declared, [helper.make_empty_tensor_value_info("y")],
                              initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", case["opset"])],
                              ir_version=10)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"])
    result = session.run(["y"], fed)[0]
    if result.ndim == 0:
        result = result.reshape(1)
    return record(case["name"], f"onnxruntime {onnxruntime.__version__}", inputs,
                  result.astype(np.float32))


# Functions of each element.

SIZES = [(5, 7, 3), (11, 13), (17,), (2, 3, 4, 5), (3, 5, 17)]


def sized(index):
    return SIZES[index % len(SIZES)]


REAL = ["Abs", "Neg", "Sign", "Reciprocal", "Exp", "Erf", "Sin", "Cos", "Atan", "Sinh", "Cosh", "Asinh",
        "Softsign"]
for index, operation in enumerate(REAL):
    onnx_case(f"unary {operation}", operation, [signed(*sized(index))])
for index, operation in enumerate(["Floor", "Ceil", "Round"]):
    onnx_case(f"unary {operation}", operation, [halves(*sized(index))])
for index, operation in enumerate(["Sqrt", "Log"]):
    onnx_case(f"unary {operation}", operation, [between(0.01, 5, *sized(index))])
for index, operation in enumerate(["Asin", "Acos", "Atanh", "Tan"]):
    onnx_case(f"unary {operation}", operation, [between(-0.97, 0.97, *sized(index))])
onnx_case("unary Acosh", "Acosh", [between(1.01, 9, 5, 7, 3)])
onnx_case("unary Not", "Not", [whole(0, 1, 5, 7, 3)], casts=["bool"])
onnx_case("unary IsNaN", "IsNaN", [SPECIAL])
for name, attributes in [("both", {}), ("positive", {"detect_negative": 0}),
                         ("negative", {"detect_positive": 0})]:
    onnx_case(f"unary IsInf {name}", "IsInf", [SPECIAL], **attributes)
onnx_case("unary ThresholdedRelu", "ThresholdedRelu", [signed(5, 7, 3)], alpha=0.7)
onnx_case("unary Selu", "Selu", [signed(5, 7, 3)], alpha=1.3, gamma=0.9)
onnx_case("unary Celu", "Celu", [signed(11, 13)], alpha=0.6)
onnx_case("unary Shrink", "Shrink", [signed(11, 13)], bias=0.3, lambd=0.8)
DOUBLE = [
    ("rsqrt", between(0.01, 5, 5, 7, 3), lambda x: 1 / np.sqrt(x)),
    ("square", signed(5, 7, 3), lambda x: x * x),
    ("trunc", halves(11, 13), np.trunc),
    ("isNonzero", whole(-1, 1, 11, 13), lambda x: x != 0),
    ("swish", signed(11, 13, high=20), lambda x: x / (1 + np.exp(-1.7 * x))),
    ("scaledTanh", signed(17), lambda x: 1.7 * np.tanh(0.6 * x)),
    ("parametricSoftplus", signed(11, 13, high=60), lambda x: 0.8 * np.logaddexp(0, 1.9 * x)),
]
for name, draw, function in DOUBLE:
    numpy_case(f"unary {name}", [draw], lambda x, function=function: function(x.astype(np.float64)))
SPECIAL_FUNCTIONS = dict(
    absolute=np.abs, negate=np.negative, sign=np.sign, reciprocal=lambda x: 1 / x,
    squareRoot=np.sqrt, square=lambda x: x * x, exponential=np.exp, logarithm=np.log,
    floor=np.floor, ceiling=np.ceil, round=np.rint, truncate=np.trunc, sine=np.sin, cosine=np.cos,
    tangent=np.tan, arcsine=np.arcsin, arccosine=np.arccos, arctangent=np.arctan,
    hyperbolicCosine=np.cosh, hyperbolicSine=np.sinh, hyperbolicArcsine=np.arcsinh,
    hyperbolicArccosine=np.arccosh, hyperbolicArctangent=np.arctanh)
for name, function in SPECIAL_FUNCTIONS.items():
    numpy_case(f"special {name}", [SPECIAL],
               lambda x, function=function: function(x.astype(np.float64)).astype(np.float32))

# Functions of two tensors, and choices.

PAIRS = [((5, 7, 3), (5, 7, 3)), ((5, 7, 3), (7, 1)), ((3,), (5, 7, 3)), ((2, 1, 4, 5), (3, 1, 5)),
         ((11, 13), (1,))]
for index, (operation, left, right) in enumerate([
        ("Div", signed, signed), ("Pow", lambda *s: between(0.1, 3, *s), signed),
        ("Equal", lambda *s: whole(0, 2, *s), lambda *s: whole(0, 2, *s)),
        ("Less", lambda *s: whole(0, 2, *s), lambda *s: whole(0, 2, *s)),
        ("LessOrEqual", lambda *s: whole(0, 2, *s), lambda *s: whole(0, 2, *s)),
        ("Greater", lambda *s: whole(0, 2, *s), lambda *s: whole(0, 2, *s)),
        ("GreaterOrEqual", lambda *s: whole(0, 2, *s), lambda *s: whole(0, 2, *s))]):
    for number in range(2):
        a, b = PAIRS[(index + number * 3) % len(PAIRS)]
        onnx_case(f"binary {operation} {number}", operation, [left(*a), right(*b)])
onnx_case("binary Mod of the dividend", "Mod", [signed(5, 7, 3, high=9), signed(7, 1)], fmod=1)
numpy_case("binary Mod of the divisor", [signed(5, 7, 3, high=9), signed(7, 1)], np.mod)
numpy_case("binary NotEqual", [whole(0, 2, 5, 7, 3), whole(0, 2, 3)], np.not_equal)
for index, operation in enumerate(["And", "Or", "Xor"]):
    a, b = PAIRS[index]
    onnx_case(f"binary {operation}", operation, [whole(0, 1, *a), whole(0, 1, *b)],
              casts=["bool", "bool"])
onnx_case("binary Div by numbers", "Div", [signed(5, 7, 3)], [[0.5, -3.0, 7.0]])
onnx_case("binary Pow of a number", "Pow", [between(0.1, 3, 11, 13)], [[2.5]])
onnx_case("binary Mod by a number", "Mod", [signed(11, 13, high=9)], [[1.5]], fmod=1)
onnx_case("binary Greater than a number", "Greater", [signed(11, 13)], [[0.25]])
PAIRED = (exactly(np.nan, np.nan, 1, np.inf, -np.inf, np.inf, 0, 0, 1, -1, -8, 5, -5, 3),
          exactly(np.nan, 1, np.nan, np.inf, np.inf, 2, 0, -2, 0, 0, 3, np.inf, np.inf, -np.inf))
for name, function in dict(
        divide=np.divide, remainderOfDividend=np.fmod, remainderOfDivisor=np.mod, equal=np.equal,
        notEqual=np.not_equal, less=np.less, lessOrEqual=np.less_equal, greater=np.greater,
        greaterOrEqual=np.greater_equal, and_=np.logical_and, or_=np.logical_or,
        xor=np.logical_xor, power=np.power).items():
    numpy_case("special " + name.strip("_"), list(PAIRED), function)
onnx_case("where of one shape", "Where", [whole(0, 1, 5, 7, 3), signed(5, 7, 3), signed(5, 7, 3)],
          casts=["bool"])
onnx_case("where with other ranks", "Where", [whole(0, 1, 7, 1), signed(5, 1, 3), signed(3)],
          casts=["bool"])
onnx_case("where of four axes", "Where", [whole(0, 1, 2, 1, 1, 5), signed(3, 4, 1), signed(1)],
          casts=["bool"])

# Reductions, rankings and running sums.

AXES = [((5, 7, 3), None, 0), ((5, 7, 3), [0, 1], 1), ((5, 7, 3), [-1], 0), ((2, 3, 4, 5), [1, 3], 0),
        ((2, 3, 4, 5), [0, -2], 1), ((13,), None, 1), ((11, 7), [0], 0)]
for index, kind in enumerate(["Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSum",
                              "LogSumExp"]):
    for number in range(3):
        size, axes, keeps = AXES[(3 * index + number) % len(AXES)]
        draw = between(0.5, 1.5, *size) if kind in ("LogSum", "Prod") else signed(*size)
        onnx_case(f"reduce {kind} {number}", f"Reduce{kind}", [draw], [axes] if axes else [],
                  keepdims=keeps)
onnx_case("reduce image mean", "ReduceMean", [signed(5, 7, 19)], [[0, 1]], keepdims=0)
onnx_case("reduce image maximum", "ReduceMax", [signed(5, 7, 19)], [[0, 1]], keepdims=1)
numpy_case("special reduce maximum", [exactly([1, np.nan, 3], [np.inf, -np.inf, 0])],
           lambda x: x.max(axis=1))
numpy_case("special reduce minimum", [exactly([1, np.nan, 3], [np.inf, -np.inf, 0])],
           lambda x: x.min(axis=1))
numpy_case("special reduce sum", [exactly([1, np.nan, 3], [np.inf, -np.inf, 0], [np.inf, 1, 2])],
           lambda x: x.sum(axis=1))
numpy_case("special reduce logSumExp",
           [exactly([1e4, 1e4, 3], [-np.inf, -np.inf, -np.inf], [np.inf, 1, 2], [np.nan, 1, 2],
                    [-1e4, -1e4, -2e4])],
           lambda x: np.logaddexp.reduce(x.astype(np.float64), axis=1))
for size, axis in [((5, 7, 3), 0), ((5, 7, 3), 1), ((5, 7, 3), -1), ((2, 3, 4, 5), 1), ((13,), 0),
                   ((11, 7), -2)]:
    text = "x".join(map(str, size))
    for operation in ["Softmax", "LogSoftmax"]:
        onnx_case(f"{operation.lower()} {text} along {axis}", operation, [signed(*size, high=9)],
                  axis=axis)
for size, axis, keeps, last in [((5, 7, 3), 0, 0, 0), ((5, 7, 3), 1, 1, 1), ((5, 7, 3), -1, 0, 1),
                                ((2, 3, 4, 5), 2, 0, 0), ((13,), 0, 1, 0), ((11, 7), -1, 1, 0)]:
    text = "x".join(map(str, size))
    for operation in ["ArgMax", "ArgMin"]:
        onnx_case(f"{operation.lower()} {text} along {axis}", operation, [whole(0, 2, *size)],
                  axis=axis, keepdims=keeps, select_last_index=last)
numpy_case("special argmax", [exactly([1, np.nan, 3, np.nan], [np.inf, 1, np.inf, 0])],
           lambda x: x.argmax(axis=1))
numpy_case("special argmin", [exactly([1, np.nan, 3, np.nan], [-np.inf, 1, -np.inf, 0])],
           lambda x: x.argmin(axis=1))
for size, axis, count, largest in [((5, 7, 3), -1, 2, 1), ((5, 7, 3), 0, 5, 0), ((2, 3, 4, 5), 2, 3, 1),
                                   ((29,), 0, 11, 1), ((11, 7), 0, 1, 0), ((3, 41), 1, 17, 0)]:
    text = "x".join(map(str, size))
    for output, word in enumerate(["values", "indices"]):
        onnx_case(f"top {count} {word} {text} along {axis}", "TopK", [whole(-9, 9, *size)],
                  [[count]], output=output, axis=axis, largest=largest, sorted=1)
for size, axis, exclusive, reverse in [((5, 7, 3), 0, 0, 0), ((5, 7, 3), 1, 1, 0), ((5, 7, 3), -1, 0, 1),
                                       ((2, 3, 4, 5), 2, 1, 1), ((13,), 0, 0, 0), ((11, 7), 0, 1, 1)]:
    text = "x".join(map(str, size))
    onnx_case(f"cumulative {text} along {axis}", "CumSum", [signed(*size)], [np.int64(axis)],
              exclusive=exclusive, reverse=reverse)

# Movements.

LARGE = 1 << 40
for name, size, starts, ends, axes, steps in [
        ("rows", (7, 5, 3), [1], [-1], [0], [1]),
        ("channels", (7, 5, 17), [3], [16], [-1], [2]),
        ("backwards", (7, 5, 3), [-1, -2], [-LARGE, -LARGE], [0, 1], [-2, -1]),
        ("beyond", (11, 13), [-100, 3], [100, LARGE], [0, 1], [3, 4]),
        ("four axes", (2, 3, 4, 5), [1, 0, 3, 4], [2, 3, 0, 0], [0, 1, 2, 3], [1, 2, -1, -3])]:
    onnx_case(f"slice {name}", "Slice", [signed(*size)], [starts, ends, axes, steps])
onnx_case("gather rows at fixed places", "Gather", [signed(7, 5, 3)], [[-1, 0, 0, 3]], axis=0)
onnx_case("gather channels at fixed places", "Gather", [signed(7, 5, 19)], [[18, -19, 4]], axis=2)
onnx_case("gather rows", "Gather", [signed(7, 5), whole(-7, 6, 2, 3)], casts=["float32", "int64"],
          axis=0)
onnx_case("gather columns", "Gather", [signed(3, 7, 5), whole(-7, 6, 4)], casts=["float32", "int64"],
          axis=1)
onnx_case("gather elements of rows", "GatherElements", [signed(7, 5), whole(-7, 6, 3, 5)],
          casts=["float32", "int64"], axis=0)
onnx_case("gather elements of channels", "GatherElements", [signed(4, 3, 7), whole(-7, 6, 3, 2, 9)],
          casts=["float32", "int64"], axis=-1)


def scattered(axis, function):
    """NumPy's updates of entries of an axis, one after the other."""
    def result(data, places, updates):
        data = data.astype(np.float64)
        rows = np.moveaxis(data, axis, 0)
        whole = tuple(range(axis, axis + places.ndim))
        moved = np.moveaxis(updates.astype(np.float64), whole, tuple(range(places.ndim)))
        moved = moved.reshape((-1,) + rows.shape[1:])
        for place, update in zip(places.astype(int).ravel(), moved):
            rows[place] = function(rows[place], update)
        return data
    return result


SCATTERS = {"replace": ("none", lambda a, b: b), "add": ("add", np.add),
            "multiply": ("mul", np.multiply), "minimum": ("min", np.minimum),
            "maximum": ("max", np.maximum)}
for kind, (word, function) in SCATTERS.items():
    onnx_case(f"scatter elements of rows {kind}", "ScatterElements",
              [signed(7, 5), whole(-7, 6, 11, 4), signed(11, 4)],
              casts=["float32", "int64"], axis=0, reduction=word)
    onnx_case(f"scatter elements of channels {kind}", "ScatterElements",
              [signed(4, 3, 7), whole(-7, 6, 3, 2, 9), signed(3, 2, 9)],
              casts=["float32", "int64"], axis=-1, reduction=word)
    numpy_case(f"scatter rows {kind}", [signed(7, 5, 3), whole(-7, 6, 2, 5), signed(2, 5, 5, 3)],
               scattered(0, function))
    numpy_case(f"scatter columns {kind}", [signed(3, 7, 17), whole(-7, 6, 13), signed(3, 13, 17)],
               scattered(1, function))
for size, target in [((1, 7, 1), (5, 7, 3)), ((3,), (2, 5, 3)), ((5, 1, 3), (5, 1, 3)),
                     ((2, 1, 4), (3, 1, 5, 1)), ((7, 3), (1, 3))]:
    text = "x".join(map(str, size)) + " to " + "x".join(map(str, target))
    onnx_case(f"expand {text}", "Expand", [signed(*size)], [list(target)])
for size, repeats in [((3, 5, 2), (2, 1, 3)), ((7,), (3,)), ((2, 3, 2, 3), (1, 2, 2, 1))]:
    onnx_case("tile " + "x".join(map(str, size)), "Tile", [signed(*size)], [list(repeats)])
onnx_case("squeeze", "Squeeze", [signed(1, 7, 1, 3)], [[0, -2]])
onnx_case("unsqueeze", "Unsqueeze", [signed(7, 3)], [[0, -2]])
for name, size, before, after, mode in [
        ("with zeros", (5, 7, 3), (1, 2, 0), (3, 0, 0), "constant"),
        ("with a number", (5, 7, 3), (1, 0, 2), (0, 2, 3), "constant"),
        ("mirrored", (5, 7, 3), (4, 0, 1), (2, 6, 2), "reflect"),
        ("with edges", (5, 7), (3, 9), (1, 0), "edge"),
        ("around", (5, 7), (3, 1), (4, 7), "wrap"),
        ("cut", (5, 7, 3), (-1, 2, 0), (1, -3, -2), "constant"),
        ("cut at edges", (5, 7), (-1, 2), (2, -3), "edge")]:
    constants = [list(before) + list(after)] + ([np.float32(2.5)] if name == "with a number" else [])
    onnx_case(f"pad {name}", "Pad", [signed(*size)], constants, mode=mode)

# Products of matrices.

for left, right in [((7, 13), (13, 11)), ((3, 1, 7, 5), (4, 5, 9)), ((1, 17), (17, 1)),
                    ((2, 5, 3), (3, 19)), ((85, 3), (3, 2)), ((2, 3), (3, 193))]:
    text = "x".join(map(str, left)) + " by " + "x".join(map(str, right))
    numpy_case(f"product {text}", [signed(*left), signed(*right)],
               lambda a, b: np.matmul(a.astype(np.float64), b.astype(np.float64)))
numpy_case("product transposed", [signed(3, 13, 7), signed(11, 13)],
           lambda a, b: np.matmul(a.astype(np.float64).swapaxes(-1, -2), b.astype(np.float64).T))


# ---- Keras -----------------------------------------------------------------------------------------


def run_keras(case):
    """The case with its numbers."""
    import keras

    name, size, units, arguments = case
    random = np.random.default_rng(zlib.crc32(name.encode()))
    value = signed(*size)(random)
    layer = keras.layers.Dense(units, **arguments)
    layer.build((None, *size))
    weights = [signed(*w.shape, high=0.8)(random) for w in layer.weights]
    layer.set_weights(weights)
    result = np.array(layer(value[None]))[0]
    return record(name, f"keras {keras.__version__}", [value], result,
                  dict(zip(["weights", "biases"], weights)))


KERAS += [
    ("keras dense of a vector", (17,), 5, {}),
    ("keras dense of a sequence", (13, 7), 19, dict(activation="gelu")),
    ("keras dense of pixels", (3, 5, 7), 4, dict(activation="relu")),
    ("keras dense of four axes", (2, 3, 5, 7), 3, dict(use_bias=False)),
]


def main():
    """Replaces the cases of one half."""
    which = sys.argv[1] if len(sys.argv) == 2 else ""
    if which not in ("onnx", "keras"):
        sys.exit(__doc__)
    old = fixtures.read(FILE)["cases"] if FILE.exists() else []
    kept = [case for case in old if case["source"].startswith("keras") != (which == "keras")]
    made = [run_keras(c) for c in KERAS] if which == "keras" else [run_onnx(c) for c in ONNX]
    cases = sorted(kept + made, key=lambda case: case["name"])
    assert len({case["name"] for case in cases}) == len(cases)
    versions = dict(sorted({case["source"].split()[0]: case["source"].split()[1]
                            for case in cases}.items()))
    fixtures.write(FILE, {"versions": versions, "cases": cases})
    print(f"{len(made)} cases of {which}, {len(cases)} in all")


if __name__ == "__main__":
    main()
