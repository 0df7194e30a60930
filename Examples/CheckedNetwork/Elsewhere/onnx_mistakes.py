"""The five mistakes of Sources/Mistakes in ONNX Runtime: what is said, and when."""
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def weights(name, *sizes):
    return numpy_helper.from_array(np.full(sizes, 0.01, "float32"), name)


def conv(name, source, target, **attributes):
    return helper.make_node("Conv", [source, f"{name}.weight"], [target], name=name, **attributes)


def model(nodes, parameters, output):
    graph = helper.make_graph(
        nodes, "net", [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 28, 28])],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)], parameters)
    return helper.make_model(
        graph, ir_version=10, opset_imports=[helper.make_opsetid("", 20)])


first, first_weights = conv("conv1", "image", "a", pads=[2] * 4), weights("conv1.weight", 16, 1, 5, 5)
attempts = [
    model([
        first, helper.make_node("MaxPool", ["a"], ["b"], kernel_shape=[4, 4], strides=[4, 4]),
        conv("last", "b", "y")], [first_weights, weights("last.weight", 32, 16, 9, 9)], "y"),
    model([
        first, conv("fine", "a", "b", pads=[1] * 4, strides=[2, 2]),
        conv("coarse", "a", "c", pads=[2] * 4),
        helper.make_node("Concat", ["b", "c"], ["y"], name="join", axis=1)],
        [first_weights, weights("fine.weight", 16, 16, 3, 3),
         weights("coarse.weight", 16, 16, 5, 5)], "y"),
    model([first, conv("grouped", "a", "y", group=3)],
          [first_weights, weights("grouped.weight", 30, 5, 3, 3)], "y"),
    model([first, conv("conv1", "a", "y", pads=[2] * 4)],
          [first_weights, weights("conv1.weight", 16, 16, 5, 5)], "y"),
    model([first], [first_weights], "a"),
]
print("ONNX Runtime", onnxruntime.__version__, "with ONNX", onnx.__version__)
options = onnxruntime.SessionOptions()
options.log_severity_level = 4
for number, attempt in enumerate(attempts, 1):
    side = 32 if number == 5 else 28
    stage = "when it is loaded"
    try:
        session = onnxruntime.InferenceSession(attempt.SerializeToString(), options)
        stage = "when it runs"
        session.run(None, {"image": np.full((1, 1, side, side), 0.5, "float32")})
        print(f"{number}. nothing")
    except Exception as error:
        print(f"{number}. {stage}: {type(error).__name__}: {error}")
