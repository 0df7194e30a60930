import Forge

/// A case of a fixture as a graph of primitive operations, for the reference executor alone.
public struct LoweredCase: Sendable {
  /// The graph; its outputs are the case's, in the order of ``outputNames``.
  package private(set) var graph = OperationGraph()
  /// The values of the parameters by their index in the graph.
  public private(set) var parameters: [[Float]] = []
  /// The source rectangles by the name of their slot.
  public private(set) var crops: [String: CropRectangle] = [:]
  /// The names of the outputs.
  public let outputNames: [String]

  /// Lowers a case.
  ///
  /// - Throws: ``FixtureError`` for a mistake in the file, `ShapeError` where a rule is broken.
  public init(_ testCase: FixtureCase) throws {
    outputNames = testCase.outputs.keys.sorted()
    var lowering = Lowering()
    var values: [String: Lowering.Value] = [:]
    func value(named name: String) throws -> Lowering.Value {
      guard let value = values[name] else { throw FixtureError("nothing is called \(name)") }
      return value
    }
    for (index, input) in testCase.inputs.enumerated() {
      values["input\(index)"] = lowering.graph.addInput(Shape(sizes: input.sizes))
    }
    for (index, layer) in testCase.layers.enumerated() {
      let inputs = try layer.inputs.map(value(named:))
      let channels = inputs.first.flatMap { lowering.shape(of: $0).channels } ?? 0
      lowering.begin(layer: index, name: layer.name, inputs: inputs)
      try LayerCase.layer(layer, channels: channels).lower(into: &lowering)
      values[layer.name] = try lowering.checkedOutput()
      lowering.graph.layerOutputs[index] = lowering.output
      if layer.type == "Resize" { crops[layer.name] = try layer.crop() }
    }
    graph = lowering.graph
    graph.outputs = try outputNames.map(value(named:))
    parameters = try lowering.parameters.map { spec in
      guard let tensor = testCase.parameters[spec.layer]?[spec.type.name] else {
        throw FixtureError("no \(spec.type) of \(spec.layer)")
      }
      return tensor.values
    }
  }
}
