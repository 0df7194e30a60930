#!/usr/bin/env python3
"""Makes Tests/ForgeImportersTests/Fixtures/ONNX/Sklearn: files of scikit-learn, LightGBM, XGBoost.

    make_sklearn_models.py

Needs scikit-learn, skl2onnx, lightgbm, xgboost, onnxmltools, onnx, onnxruntime and numpy. Models are
trained on odd numbers of rows and on columns of scales from 1e-6 to 1e6, some with NaN. cases.safetensors has
rows, what ONNX Runtime makes of the file, and what the model itself predicts in double precision.
Cases "trees …" and "operator …" are graphs of one node with numbers at its edges.
"""
# check:
import pathlib
import re
import warnings

import lightgbm
import numpy as np
import onnx
import onnxmltools
import onnxruntime
import skl2onnx.common._container as container
import xgboost
from onnx import TensorProto, helper
from onnxmltools.convert.common.data_types import FloatTensorType
from sklearn import ensemble, impute, linear_model, neural_network, preprocessing, svm, tree
from sklearn.pipeline import make_pipeline
from skl2onnx import to_onnx

import fixtures

warnings.filterwarnings("ignore")
FOLDER = pathlib.Path(__file__).resolve().parents[2].joinpath(
    "Tests", "ForgeImportersTests", "Fixtures", "ONNX", "Sklearn")
OPSET = {"": 15, "ai.onnx.ml": 3}
ROWS, COLUMNS = 13, 5
SCALES = np.array([1, 1e-6, 1e6, 30, 1e-2])
cases = []


def plain_lists(original):
    """onnx takes no arrays of doubles and no Booleans, which skl2onnx hands over."""
    def add_node(self, kind, inputs, outputs, **attributes):
        for key, value in attributes.items():
            if isinstance(value, np.ndarray) and value.dtype == np.float64:
                attributes[key] = value.astype(np.float32).tolist()
            if key.endswith("_tracks_true"):
                attributes[key] = [int(v) for v in value]
        return original(self, kind, inputs, outputs, **attributes)
    return add_node


container.ModelComponentContainer.add_node = plain_lists(
    container.ModelComponentContainer.add_node)


def numbers(values):
    """NaN and infinities as texts, which JSON has not."""
    return [v if np.isfinite(v) else str(v) for v in np.asarray(values, np.float64).ravel().tolist()]


def session(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def save(name, model):
    """Writes a model. Converters order the domains at random and draw names for graphs."""
    if re.fullmatch("[0-9a-f]{32}", model.graph.name):
        model.graph.name = name
    domains = sorted(((one.domain, one.version) for one in model.opset_import), reverse=True)
    del model.opset_import[:]
    model.opset_import.extend(helper.make_opsetid(*one) for one in domains)
    onnx.save(model, FOLDER / f"{name}.onnx")


def add(name, model, rows, own=None, labels=None):
    """A case; `own` are the model's predictions by output, `labels` the names of its classes."""
    runtime = session(model)
    feed = {runtime.get_inputs()[0].name: rows}
    outputs = {}
    for info, value in zip(runtime.get_outputs(), runtime.run(None, feed)):
        if isinstance(value, list):  # a map for each row
            value = np.array([[row[key] for key in row] for row in value], np.float32)
        value = np.asarray(value)
        if value.dtype.kind in "OUS":
            # Texts are their places among the labels.
            value = np.array([labels.index(text) for text in value.ravel()])
        found = {"sizes": list(value.shape), "values": numbers(value),
                 "whole": value.dtype.kind == "i"}
        if own is not None and info.name in own:
            wanted = np.asarray(own[info.name], np.float64).reshape(value.shape)
            found["own"] = numbers(wanted)
            found["distance"] = float(np.max(np.abs(value - wanted)) / max(np.max(np.abs(wanted)), 1e-30))
        outputs[info.name] = found
    save(name, model)
    cases.append({"name": name, "sizes": list(rows.shape), "rows": numbers(rows),
                  "outputs": outputs, "labels": [str(label) for label in labels or []]})


def data(random, count, nan=0.0):
    rows = (random.standard_normal((count, COLUMNS)) + 0.5) * SCALES
    rows[random.random(rows.shape) < nan] = np.nan
    return rows.astype(np.float32)


def targets(rows):
    clean = np.nan_to_num(rows / SCALES)
    number = 2 * clean[:, 0] - clean[:, 1] * clean[:, 2] + np.sin(clean[:, 3])
    return number, (number > 0.8).astype(int), np.digitize(number, [-0.5, 1.5])


def names(model):
    return [o.name for o in model.graph.output]


def trained(name, model, nan=0.0, kind="three", options=None, rows=None, convert=None):
    """A trained model: kind is number, numbers, two, three, text or odd (labels 3, 7, 20)."""
    random = np.random.default_rng(abs(hash_of(name)))
    x = data(random, 211, nan) if rows is None else rows
    number, two, three = targets(x)
    y = {"number": number, "numbers": np.stack([number, -number * 1e3, three], 1), "two": two,
         "three": three, "text": np.array(["cat", "dog", "emu"])[three],
         "odd": np.array([3, 7, 20])[three], "none": None}[kind]
    model.fit(x, y)
    some = x[:ROWS]
    if convert is None:
        file = to_onnx(model, x[:1], target_opset=OPSET, options=options)
    else:
        file = convert(model, initial_types=[("X", FloatTensorType([None, COLUMNS]))],
                       target_opset=15)
    outputs = names(file)
    if hasattr(model, "predict_proba"):
        classes = model.classes_.tolist()
        predicted = model.predict(some)
        own = {outputs[1]: model.predict_proba(some)}
        own[outputs[0]] = [classes.index(c) for c in predicted] if kind == "text" else predicted
        add(name, file, some, own, classes)
    elif kind in ("number", "numbers"):
        add(name, file, some, {outputs[0]: model.predict(some)})
    else:
        add(name, file, some, labels=list(getattr(model, "classes_", [])))


def hash_of(text):
    return sum((i + 1) * ord(c) for i, c in enumerate(text))


def scikit():
    scaled = lambda *steps: make_pipeline(preprocessing.StandardScaler(), *steps)
    plain = {"zipmap": False}
    mlp = dict(hidden_layer_sizes=(7,), max_iter=60, random_state=0)
    classifier, regressor = neural_network.MLPClassifier, neural_network.MLPRegressor
    trained("mlp", scaled(classifier(**mlp)), kind="three")
    trained("mlp two", scaled(classifier(**mlp)), kind="two")
    trained("mlp text", scaled(classifier(**mlp)), kind="text")
    trained("mlp odd", scaled(classifier(**mlp)), kind="odd", options=plain)
    trained("mlp number", scaled(regressor(**mlp)), kind="number")
    small = dict(n_estimators=9, max_depth=4, random_state=0)
    for kind in ("two", "three", "text", "odd"):
        trained(f"forest {kind}", ensemble.RandomForestClassifier(**small), kind=kind,
                options=plain if kind == "odd" else None)
    trained("forest number", ensemble.RandomForestRegressor(**small), kind="number")
    trained("forest numbers", ensemble.RandomForestRegressor(**small), kind="numbers")
    trained("extra trees", ensemble.ExtraTreesClassifier(**small))
    trained("extra trees number", ensemble.ExtraTreesRegressor(**small), kind="number")
    for kind in ("two", "three"):
        trained(f"boosting {kind}", ensemble.GradientBoostingClassifier(
            n_estimators=6, random_state=0), kind=kind)
    trained("boosting number", ensemble.GradientBoostingRegressor(
        n_estimators=6, random_state=0), kind="number")
    hist = dict(max_iter=5, max_leaf_nodes=7, random_state=0)
    for kind in ("two", "three"):
        trained(f"histogram {kind}", ensemble.HistGradientBoostingClassifier(**hist), 0.1, kind)
    trained("histogram number", ensemble.HistGradientBoostingRegressor(**hist), 0.1, "number")
    trained("tree", tree.DecisionTreeClassifier(max_depth=4, random_state=0), kind="text")
    trained("tree number", tree.DecisionTreeRegressor(max_depth=4, random_state=0), kind="number")
    for kind in ("two", "three", "text"):
        trained(f"logistic {kind}", scaled(linear_model.LogisticRegression()), kind=kind)
    trained("linear", linear_model.LinearRegression(), kind="number")
    trained("linear numbers", linear_model.LinearRegression(), kind="numbers")
    trained("ridge", scaled(linear_model.Ridge()), kind="number")
    trained("linear machine", svm.LinearSVC(random_state=0), kind="three")
    trained("normalizer", make_pipeline(preprocessing.Normalizer(), linear_model.Ridge()),
            kind="number")
    trained("minmax", make_pipeline(preprocessing.MinMaxScaler(), linear_model.Ridge()),
            kind="number")
    trained("robust", make_pipeline(preprocessing.RobustScaler(), linear_model.Ridge()),
            kind="number")
    trained("imputer", make_pipeline(
        impute.SimpleImputer(), preprocessing.StandardScaler(), linear_model.Ridge()), 0.2, "number")
    trained("polynomials", scaled(preprocessing.PolynomialFeatures(2), linear_model.Ridge()),
            kind="number")
    whole = np.random.default_rng(3).integers(-2, 3, (211, COLUMNS)).astype(np.float32)
    trained("categories", make_pipeline(
        preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        linear_model.Ridge()), kind="number", rows=whole)
    trained("ordinals", make_pipeline(preprocessing.OrdinalEncoder(), linear_model.Ridge()),
            kind="number", rows=whole)
    trained("bagging", ensemble.BaggingClassifier(
        tree.DecisionTreeClassifier(max_depth=3), n_estimators=3, random_state=0), kind="three")
    trained("stacking", scaled(ensemble.StackingClassifier([
        ("a", linear_model.LogisticRegression()),
        ("b", ensemble.RandomForestClassifier(n_estimators=3, max_depth=2, random_state=0))])),
        kind="three")


def boosted():
    light = dict(n_estimators=5, num_leaves=7, verbose=-1, random_state=0)
    extreme = dict(n_estimators=5, max_depth=3, random_state=0)
    for kind in ("two", "three", "text"):
        trained(f"lightgbm {kind}", lightgbm.LGBMClassifier(**light), 0.1, kind,
                convert=onnxmltools.convert_lightgbm)
    trained("lightgbm number", lightgbm.LGBMRegressor(**light), 0.1, "number",
            convert=onnxmltools.convert_lightgbm)
    for kind in ("two", "three"):
        trained(f"xgboost {kind}", xgboost.XGBClassifier(**extreme), 0.1, kind,
                convert=onnxmltools.convert_xgboost)
    trained("xgboost number", xgboost.XGBRegressor(**extreme), 0.1, "number",
            convert=onnxmltools.convert_xgboost)


def graph(kind, attributes, outputs, columns, ml=3):
    nodes = [helper.make_node(kind, ["X"], list(outputs), domain="ai.onnx.ml", **attributes)]
    described = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, columns])],
        [helper.make_tensor_value_info(n, t, None) for n, t in outputs.items()])
    return helper.make_model(
        described, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", ml)],
        ir_version=9)


MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]


def random_trees(random, count, columns, modes, depth):
    """Node lists; numbers of nodes have gaps, thresholds are halves so that rows meet them."""
    nodes = []

    def grow(number, free, left):
        if left == 0 or random.random() < 0.15:
            nodes.append((number, free[0], 0, "LEAF", 0.0, 0, 0, 0))
            return free[0]
        own, place = free[0], len(nodes)
        nodes.append(None)
        ends = []
        for _ in range(2):
            free[0] += int(random.integers(1, 4))
            ends.append(grow(number, free, left - 1))
        nodes[place] = (number, own, int(random.integers(columns)), modes[random.integers(len(modes))],
                        float(random.integers(-3, 4) / 2), ends[0], ends[1], int(random.integers(2)))
        return own

    for number in range(count):
        grow(number * 3 + 1, [5], depth)
    return nodes


def tree_case(name, seed, count, columns, outputs, modes=MODES, depth=5, some=1.0, positive=False,
              labels=None, one=False, **attributes):
    random = np.random.default_rng(seed)
    nodes = random_trees(random, count, columns, modes, depth)
    prefix = "class" if labels else "target"
    votes = [(n[0], n[1], target, float(np.float32(
        random.random() / count if positive else random.standard_normal())))
        for n in nodes if n[3] == "LEAF"
        for target in range(1 if one else outputs) if random.random() < some]
    order = random.permutation(len(votes))
    votes = [votes[i] for i in order]
    keys = ["treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids",
            "missing_value_tracks_true"]
    attributes |= {f"nodes_{key}": [n[i] for n in nodes] for i, key in enumerate(keys)}
    attributes |= {f"{prefix}_{key}": [v[i] for v in votes]
                   for i, key in enumerate(["treeids", "nodeids", "ids", "weights"])}
    if labels:
        attributes |= {"classlabels_int64s": labels}
    else:
        attributes |= {"n_targets": outputs}
    rows = (random.integers(-4, 5, (67 if seed % 2 else ROWS, columns)) / 2).astype(np.float32)
    rows[random.random(rows.shape) < 0.1] = np.nan
    rows[0, 0], rows[1, 0] = np.inf, -np.inf
    kind = "TreeEnsembleClassifier" if labels else "TreeEnsembleRegressor"
    results = {"L": TensorProto.INT64} if labels else {}
    model = graph(kind, attributes, results | {"Y": TensorProto.FLOAT}, columns)
    add(f"trees {name}", model, rows, labels=labels)


def trees():
    tree_case("of every question", 1, 11, 3, 1)
    for index, mode in enumerate(MODES):
        tree_case(f"of {mode[7:].lower()}", 10 + index, 9, 2, 1, modes=[mode])
    for index, aggregate in enumerate(["AVERAGE", "MIN", "MAX"]):
        tree_case(aggregate.lower(), 20 + index, 7, 3, 3, some=0.7, aggregate_function=aggregate)
        tree_case(f"{aggregate.lower()} with a base", 31 + index, 5, 3, 1,
                  aggregate_function=aggregate, base_values=[1.5])
    for index, transform in enumerate(["LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"]):
        tree_case(f"{transform.lower()}", 40 + index, 7, 3, 3, post_transform=transform,
                  base_values=[0.5, -1.0, 0.25])
        tree_case(f"classes {transform.lower()}", 50 + index, 7, 3, 3, post_transform=transform,
                  labels=[4, 2, 9])
    tree_case("classes", 60, 17, 3, 5, labels=[1, 0, 2, 3, 4], base_values=[0.5, -1, 0, 0.25, 1])
    tree_case("two classes", 61, 9, 3, 2, labels=[5, 6], one=True, base_values=[-0.25])
    tree_case("two classes logistic", 62, 9, 3, 2, labels=[0, 1], one=True,
              post_transform="LOGISTIC")
    tree_case("two classes of probabilities", 63, 9, 3, 2, labels=[0, 1], one=True, positive=True)
    # A list of equal questions that lead to one leaf, as LightGBM's categories do; and one leaf.
    shared = dict(
        nodes_treeids=[0] * 5 + [1], nodes_nodeids=[0, 1, 2, 3, 4, 0],
        nodes_featureids=[0, 0, 0, 0, 0, 0], nodes_modes=["BRANCH_EQ"] * 3 + ["LEAF"] * 3,
        nodes_values=[1.0, 2.0, 4.0, 0, 0, 0], nodes_truenodeids=[3, 3, 3, 0, 0, 0],
        nodes_falsenodeids=[1, 2, 4, 0, 0, 0], target_treeids=[0, 0, 1], target_nodeids=[3, 4, 0],
        target_ids=[0, 0, 0], target_weights=[10.0, -1.0, 0.5], n_targets=1)
    add("trees with a shared leaf", graph("TreeEnsembleRegressor", shared, {"Y": 1}, 2),
        np.array([[1, 0], [2, 0], [3, 0], [4, 0], [np.nan, 0]], np.float32))
    tensor = lambda name, kind, values: helper.make_tensor(name, kind, [len(values)], values)
    five = dict(
        n_targets=2, aggregate_function=1, post_transform=0, tree_roots=[0, 2],
        nodes_modes=tensor("m", TensorProto.UINT8, [0, 3, 5]), nodes_featureids=[0, 1, 0],
        nodes_splits=tensor("s", TensorProto.FLOAT, [0.5, -1.0, 2.0]),
        nodes_truenodeids=[1, 0, 2], nodes_trueleafs=[0, 1, 1], nodes_falsenodeids=[1, 2, 0],
        nodes_falseleafs=[1, 1, 1], nodes_missing_value_tracks_true=[1, 0, 1],
        leaf_targetids=[0, 1, 0], leaf_weights=tensor("w", TensorProto.FLOAT, [1.5, -2.0, 0.25]))
    add("trees of version 5", graph("TreeEnsemble", five, {"Y": 1}, 2, ml=5),
        np.array([[0, 0], [0, -3], [1, 1], [2, 0], [np.nan, np.nan]], np.float32))


def operators():
    rows = np.array([[1, -4, 2], [0, 0, 0], [-1, -2, -3], [1e-6, 1e6, 3], [2, 2, 1]], np.float32)
    gaps = rows.copy()
    gaps[0, 1] = gaps[4, 2] = np.nan
    single = lambda name, kind, values, ml=3, type=TensorProto.FLOAT, **attributes: add(
        f"operator {name}", graph(kind, attributes, {"Y": type}, 3, ml), values)
    for norm in ("MAX", "L1", "L2"):
        single(f"normalizer {norm}", "Normalizer", rows, norm=norm)
    single("scaler", "Scaler", gaps, scale=[2.0, 1e-6, 4.0], offset=[1.0, 1e6, 2.0])
    single("scaler of one number", "Scaler", gaps, scale=[2.0], offset=[1.0])
    single("imputer", "Imputer", gaps, imputed_value_floats=[7.0, 8.0, 9.0],
           replaced_value_float=float("nan"))
    single("imputer of zeros", "Imputer", gaps, imputed_value_floats=[9.0], replaced_value_float=0.0)
    single("binarizer", "Binarizer", rows, threshold=1.0)
    single("one-hot", "OneHotEncoder", rows + np.float32(0.5), cats_int64s=[1, 2, -3], zeros=1)
    single("encoder", "LabelEncoder", gaps, keys_floats=[1.0, 2.0, 1.0], values_floats=[5.5, -6.0, 7.0],
           default_float=-1.5)
    single("encoder to integers", "LabelEncoder", gaps, type=TensorProto.INT64,
           keys_floats=[1.0, 2.0], values_int64s=[5, -60000])


FOLDER.mkdir(parents=True, exist_ok=True)
for old in FOLDER.glob("*.onnx"):
    old.unlink()
scikit()
boosted()
trees()
operators()
fixtures.write(FOLDER / "cases.safetensors", cases)
print(len(cases), "cases")
