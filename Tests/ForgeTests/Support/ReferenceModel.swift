import Forge
import ForgeTestSupport
import Testing

/// A model as the reference executor computes it, lowered here and not by Forge's own stages.
struct ReferenceModel {
  /// What the outputs and layers of one prediction must be.
  struct Values {
    /// The outputs in order.
    let outputs: [[Float]]
    /// The outputs of the layers that were asked for.
    let layers: [String: [Float]]
  }

  /// The layers and inputs.
  let inference: Inference
  /// The operations.
  let graph: OperationGraph
  private let specs: [ParameterSpec]

  /// Lowers a model without mistakes.
  init(_ model: Model) throws {
    inference = try model.inferred()
    var lowering = Lowering()
    var values: [OperationGraph.Value] = []
    for node in inference.nodes {
      guard let layer = node.layer else {
        values.append(lowering.graph.addInput(try #require(node.shape)))
        continue
      }
      lowering.begin(
        layer: node.position, name: node.name, inputs: node.inputs.map { values[$0] })
      try layer.lower(into: &lowering)
      let output = try #require(lowering.output)
      values.append(output)
      lowering.graph.layerOutputs[node.position] = output
    }
    lowering.graph.outputs = inference.outputs.map { values[$0] }
    lowering.graph.reorderInputs(inference.inputs.map { values[$0] })
    lowering.graph.closeStates()
    graph = lowering.graph
    specs = lowering.parameters
  }

  /// The declared shapes of the inputs.
  var inputShapes: [Shape] { inference.inputs.compactMap { inference.nodes[$0].shape } }

  /// The names of all layers in order of creation.
  var layerNames: [String] { inference.nodes.filter { !$0.isInput }.map(\.name) }

  /// Seeded inputs for a model whose sizes are known.
  func inputs(seed: UInt64) -> [TensorValues] {
    let indices = graph.indexInputs
    return inputShapes.enumerated().map { index, shape in
      let values = TensorValues.seeded(shape, seed: seed &+ UInt64(index))
      // Ids are whole numbers of their vocabulary.
      guard let count = indices[index] else { return values }
      return TensorValues(
        shape: shape, values: values.values.map { (abs($0) * Float(count)).rounded(.down) })
    }
  }

  /// Computes one prediction in double precision.
  func run(
    _ inputs: [TensorValues], crops: [String: CropRectangle] = [:], layers: [String] = [],
    parameters: SeededParameters = SeededParameters()
  ) throws -> Values {
    try run(inputs, crops: crops, layers: layers) { parameters.values(for: $0) }
  }

  /// Computes one prediction with any parameters.
  func run(
    _ inputs: [TensorValues], crops: [String: CropRectangle] = [:], layers: [String] = [],
    values: (ParameterSpec) throws -> [Float]
  ) throws -> Values {
    let bound = try graph.binding(inputs: inputs.map(\.shape))
    let tensors = try inputs.map {
      try ReferenceTensor(sizes: try #require($0.shape.sizes), floats: $0.values)
    }
    let asked = try layers.map { name in
      let node = try #require(inference.nodes.first { $0.name == name && !$0.isInput })
      return (name, try #require(graph.layerOutputs[node.position]))
    }
    let results = try ReferenceExecutor(bound).run(
      inputs: tensors, crops: crops, values: Array(graph.modelOutputs) + asked.map(\.1)
    ) { try values(specs[$0]) }
    return Values(
      outputs: try graph.modelOutputs.map { try #require(results[$0]).floats },
      layers: Dictionary(
        uniqueKeysWithValues: try asked.map { ($0.0, try #require(results[$0.1]).floats) }))
  }
}

extension TensorValues {
  /// Seeded values from −1 to 1, none of them 0, of a shape of known sizes.
  static func seeded(_ shape: Shape, seed: UInt64) -> TensorValues {
    TensorValues(
      shape: shape, values: seededValues(count: shape.elementCount ?? 0, seed: seed))
  }
}

extension CompiledModel {
  /// Predicts inputs given in the order of the model.
  func predict(
    ordered inputs: [TensorValues], crops: [String: CropRectangle] = [:]
  ) throws(PredictionError) -> Predictions {
    try predict(
      Dictionary(zip(inputNames, inputs), uniquingKeysWith: { first, _ in first }), crops: crops)
  }

  /// The outputs of a prediction in the order of the model.
  func outputs(of inputs: [TensorValues]) throws -> [[Float]] {
    let predictions = try predict(ordered: inputs)
    return try outputNames.prefix(predictions.outputs.count).map {
      try #require(predictions.outputs[$0]?.values)
    }
  }
}

/// The bits of values: two of equal bits hold the same zeros and NaNs too.
struct Bits: Hashable, Sendable, CustomTestStringConvertible {
  let patterns: [UInt32]

  /// A few of the values; failures would fill pages with all of them.
  var testDescription: String {
    let first = patterns.prefix(4).map { "\(Float(bitPattern: $0))" }.joined(separator: ", ")
    return "\(patterns.count) values: \(first), …"
  }
}

extension [Float] {
  /// The bits of the values.
  var bits: Bits { Bits(patterns: map(\.bitPattern)) }
}

/// Compiles a model with seeded parameters and expects what the reference executor computes.
func expectAgreement(
  _ model: Model, options: CompileOptions = CompileOptions(), relativeL2: Double = 1e-6,
  _ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let reference = try ReferenceModel(model)
  let inputs = reference.inputs(seed: 11)
  let expected = try reference.run(inputs).outputs
  let network = try model.compile(parameters: SeededParameters(), options: options)
  for (actual, expected) in zip(try network.outputs(of: inputs), expected) {
    expectClose(
      actual, expected, relativeL2: relativeL2, comment, sourceLocation: sourceLocation)
  }
}
