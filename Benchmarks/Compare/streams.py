"""The runtimes with a network that takes one frame at a time, its states carried from call to call.

Each opens as the functions of runtime.py do, and in the form in which the runtime is fastest: OpenVINO keeps
the states inside, the others take them as inputs and give them as outputs.
"""
import numpy

NETWORKS = ["lstmframes"]


class Stream:
    """Predicts the next frame; a new stream begins with zeros."""

    def __init__(self, step, restart):
        self.step, self.restart = step, restart

    def __call__(self, frame):
        return self.step(frame)


def onnxruntime(prefix, threads, names, sequence):
    import onnxruntime as library
    yield
    options = library.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = library.InferenceSession(
        prefix + ".onnx", sess_options=options, providers=["CPUExecutionProvider"])
    inputs, results = session.get_inputs(), [output.name for output in session.get_outputs()]
    feeds = {}

    def restart():
        for state in inputs[1:]:
            feeds[state.name] = numpy.zeros(state.shape, numpy.float32)

    def step(frame):
        feeds[inputs[0].name] = frame
        answer, *states = session.run(results, feeds)
        feeds.update(zip((state.name for state in inputs[1:]), states))
        return answer
    restart()
    yield Stream(step, restart)


def openvino(prefix, threads, names, sequence):
    import openvino as library
    from openvino._offline_transformations import apply_make_stateful_transformation
    yield
    core = library.Core()
    model = core.read_model(prefix + ".onnx")
    states = zip(model.inputs[1:], model.outputs[1:])
    apply_make_stateful_transformation(
        model, {source.get_any_name(): result.get_any_name() for source, result in states})
    properties = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    request = core.compile_model(model, "CPU", properties).create_infer_request()

    def step(frame):
        request.infer([frame], share_inputs=True)
        return request.get_output_tensor(0).data.copy()
    yield Stream(step, request.reset_state)


def litert(prefix, threads, names, sequence):
    from ai_edge_litert import interpreter as library
    yield
    interpreter = library.Interpreter(model_path=prefix + ".tflite", num_threads=threads)
    interpreter.allocate_tensors()
    signature = interpreter.get_signature_runner()
    indexes = {name: detail["index"] for details in (signature.get_input_details(), signature.get_output_details())
               for name, detail in details.items()}
    del signature  # while it is there, the interpreter refuses to run
    states = ["hidden1", "cells1", "hidden2", "cells2"]  # the names and the order that sequences.py gives them
    sources = [indexes[name] for name in ["frames", *states]]
    results = [indexes[f"output_{number}"] for number in range(1 + len(states))]

    def restart():
        for source in sources[1:]:
            interpreter.set_tensor(source, numpy.zeros_like(interpreter.get_tensor(source)))

    def step(frame):
        interpreter.set_tensor(sources[0], frame)
        interpreter.invoke()
        for source, result in zip(sources[1:], results[1:]):
            interpreter.set_tensor(source, interpreter.get_tensor(result))
        return interpreter.get_tensor(results[0])
    restart()
    yield Stream(step, restart)


def mnn(prefix, threads, names, sequence):
    import MNN as library
    import MNN.nn
    yield
    settings = {"backend": "CPU", "precision": "high", "memory": "high", "numThread": threads}
    manager = library.nn.create_runtime_manager((settings,))
    module = library.nn.load_module_from_file(prefix + ".mnn", [], [], runtime_manager=manager)
    states = []

    def tensor(values):
        return library.expr.const(values, list(values.shape), library.expr.NCHW)

    def restart():
        states[:] = [tensor(numpy.zeros(state.shape, numpy.float32)) for state in shapes[1:]]

    def step(frame):
        # States that were given back as they are would be overwritten while they are read.
        answer, *new = module.forward([tensor(frame), *states])
        states[:] = [tensor(numpy.array(state.read()).reshape(shape.shape)) for state, shape in zip(new, shapes[1:])]
        return numpy.array(answer.read())
    shapes = module.get_info()["inputs"]
    restart()
    yield Stream(step, restart)


STREAMS = {"onnxruntime": onnxruntime, "openvino": openvino, "litert": litert, "mnn": mnn}
