import ForgeLayers
import ForgeShapes

/// The facts about one layer of a model.
///
/// ```swift
/// for layer in model.layers where layer.parameterCount > 0 { print(layer) }
/// // layer 1 "conv1" (Convolution): (28, 28, 1) → (24, 24, 20), 520 parameters, App/Net.swift:14:7
/// ```
public struct ModelLayer: Sendable, CustomStringConvertible {
  /// The position in order of creation, from 1; inputs are not counted.
  public let position: Int
  /// The full name, given or generated: `stage1.conv1`, `__MaxPool_3__`.
  public let name: String
  /// Whether the name was given.
  public let isNamed: Bool
  /// The full name of the modules that made it: `stage1`; empty for none.
  public let scope: String
  /// The layer's Swift type: `Convolution`.
  public let type: String
  /// The layer; `nil` for a step that cannot be chained, which is a mistake of the model.
  public let layer: (any Layer)?
  /// The names of the inputs, which are layers or inputs of the model.
  public let inputs: [String]
  /// The shapes of the inputs; `nil` where a mistake prevents one from being known.
  public let inputShapes: [Shape?]
  /// The shape of the output; `nil` when a mistake prevents it from being known.
  public let outputShape: Shape?
  /// The parameters in order of use, named for the layer.
  public let parameters: [ParameterSpec]
  /// Whether an earlier layer of the same name has the same parameters.
  public let sharesParameters: Bool
  /// The number of values of its own parameters, excluding shared ones and those that are one
  /// tensor of a model file with an earlier layer's.
  public let parameterCount: Int
  /// The multiply-adds of one prediction; 0 while a size is not known.
  public let multiplyAdds: Int
  /// The source location; `nil` when it is unknown.
  public let place: SourcePlace?

  init(_ node: Inference.Node, of nodes: [Inference.Node]) {
    position = node.position
    name = node.name
    isNamed = node.isNamed
    scope = node.tensor.scopes.compactMap(\.name).joined(separator: ".")
    type = node.typeName
    layer = node.layer
    inputs = node.inputs.map { nodes[$0].name }
    inputShapes = node.inputs.map { nodes[$0].shape }
    outputShape = node.shape
    parameters = node.parameters
    sharesParameters = node.sharesParameters
    parameterCount = node.parameterCount
    multiplyAdds = node.multiplyAdds
    self.place = node.place
  }

  /// The layer as one line.
  public var description: String {
    let inputs = inputShapes.map { $0?.tupleText ?? "?" }.joined(separator: ", ")
    let facts = [
      "\(inputs.isEmpty ? "" : inputs + " → ")\(outputShape?.tupleText ?? "?")",
      parameterCount == 0 && !parameters.isEmpty
        ? "shared parameters" : ShapeError.counted(parameterCount, "parameter"),
      place?.description,
    ]
    return "layer \(position) \"\(name.printable)\" (\(type)): "
      + facts.compactMap(\.self).joined(separator: ", ")
  }
}

extension Model {
  /// The layers in order of creation, including those of a model with mistakes.
  ///
  /// Each access infers the model again.
  public var layers: [ModelLayer] {
    let nodes = Inference(self).nodes
    return nodes.filter { !$0.isInput }.map { ModelLayer($0, of: nodes) }
  }

  /// The parameters in order of use, shared ones once, as far as sizes are known.
  ///
  /// These are what `compile` asks a source for. Each access infers the model again.
  public var parameterSpecs: [ParameterSpec] {
    Inference(self).nodes.filter { !$0.sharesParameters }.flatMap(\.parameters)
  }
}
