import ForgeGraph
import ForgeShapes

/// The facts about one tensor of a model: an input, or the output of a layer.
///
/// ```swift
/// for tensor in model.tensors { print(tensor) }
/// // input   28×28×1 (width×height×channels)
/// // conv1   28×28×20 (width×height×channels), Convolution
/// ```
public struct ModelTensor: Sendable, CustomStringConvertible {
  /// The name of the input or of the layer, given or generated: `conv1`, `__MaxPool_3__`.
  public let name: String
  /// The shape; `nil` when a mistake prevents it from being known.
  public let shape: Shape?
  /// The Swift type of the layer that makes it; `Input` for an input.
  public let type: String
  /// Whether it is an input of the model.
  public let isInput: Bool
  /// Whether it is an output of the model.
  public let isOutput: Bool
  /// The names of the tensors it is made from.
  public let inputs: [String]
  /// The tensor, to build on.
  public let tensor: Tensor

  /// The tensor as one line.
  public var description: String {
    let facts = [
      shape.map(\.description) ?? "?", isInput ? nil : type, isOutput ? "output" : nil,
    ]
    return "\(name.printable)  " + facts.compactMap(\.self).joined(separator: ", ")
  }
}

extension Model {
  /// Every tensor of the model, in order of creation, including those of a model with mistakes.
  ///
  /// Generated names such as `__MaxPool_3__` count the layers, so they may change when layers
  /// are inserted or removed. Each access infers the model again.
  public var tensors: [ModelTensor] {
    let inference = Inference(self)
    let outputs = Set(inference.outputs)
    return inference.nodes.enumerated().map { index, node in
      ModelTensor(
        name: node.name, shape: node.shape, type: node.typeName, isInput: node.isInput,
        isOutput: outputs.contains(index), inputs: node.inputs.map { inference.nodes[$0].name },
        tensor: node.tensor)
    }
  }

  /// The tensor of a name: an input, or the output of a layer.
  ///
  /// ```swift
  /// let features = try model.tensor(named: "pool5")
  /// let head = features --> Dense(neurons: 5, name: "own")
  /// ```
  ///
  /// - Parameter name: the name, given or generated.
  /// - Returns: the tensor, to build on.
  /// - Throws: ``SurgeryError``: `noSuchName`, or `ambiguousName` for layers that share parameters.
  public func tensor(named name: String) throws(SurgeryError) -> Tensor {
    try Inference(self).node(named: name).tensor
  }
}

extension Inference {
  /// The nodes of a name; layers that share their parameters have one name.
  func nodes(named name: String) throws(SurgeryError) -> [Node] {
    let found = nodes.filter { $0.name == name }
    guard !found.isEmpty else {
      throw .noSuchName(name, known: nodes.map(\.name), what: "tensor of the model")
    }
    return found
  }

  /// The only node of a name.
  func node(named name: String) throws(SurgeryError) -> Node {
    let found = try nodes(named: name)
    guard found.count == 1 else { throw .ambiguous(found) }
    return found[0]
  }

  /// The only layer of a name.
  func layerNode(named name: String) throws(SurgeryError) -> Node {
    let layers = nodes.filter { !$0.isInput }.map(\.name)
    guard layers.contains(name) else { throw .noSuchName(name, known: layers, what: "layer") }
    return try node(named: name)
  }
}
