import ForgeGraph
import ForgeLayers
import ForgeShapes

/// An image's shape, short enough for tables.
func image(_ width: Int?, _ height: Int?, _ channels: Int?) -> Shape {
  Shape(width: width, height: height, channels: channels)
}

/// A network as text, a tensor a line in order of creation: `conv1 = Convolution(input)`.
func wiring(_ model: Model) -> [String] {
  let nodes = Inference(model).nodes
  return nodes.map { node in
    let inputs = node.inputs.map { nodes[$0].name }.joined(separator: ", ")
    return node.isInput ? node.name : "\(node.name) = \(node.typeName)(\(inputs))"
  }
}

/// The names of a network's tensors in order of creation.
func names(_ model: Model) -> [String] {
  Inference(model).nodes.map(\.name)
}

/// Everything that is wrong with a model.
func problems(_ model: Model) -> [Problem] {
  do throws(ModelError) {
    try model.check()
    return []
  } catch {
    return error.problems
  }
}

/// Everything that is wrong with a model in Forge's voice, the places left out.
func mistakes(_ model: Model) -> [String] {
  problems(model).map { problem in
    var problem = problem
    problem.place = nil
    return problem.description
  }
}

/// Everything that is wrong with what leads to a tensor, the places left out.
func mistakes(_ input: Tensor, _ output: Tensor) -> [String] {
  mistakes(Model(input: input, output: output))
}

/// The places of everything that is wrong with a model, in the order of the mistakes.
func places(_ model: Model) -> [String] {
  problems(model).map { $0.place?.description ?? "nowhere" }
}
