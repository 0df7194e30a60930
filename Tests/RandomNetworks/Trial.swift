import Forge
import ForgeTestSupport

/// A random network with its values.
struct Trial: Sendable {
  /// The results of a form of prediction: the values of each output of each example.
  typealias Results = [[[Float]]]

  let model: Model
  let parameters: ParameterDictionary
  /// The inputs of each example by name.
  let examples: [[String: TensorValues]]
  let inputNames: [String]
  let outputNames: [String]
  /// The names of all layers.
  let layerNames: [String]

  /// Builds the model.
  ///
  /// - Parameters:
  ///   - description: what Scripts/check random-networks drew.
  ///   - values: the values that it refers to.
  /// - Throws: ``DescriptionError`` and `FixtureError` when it makes no sense.
  init(_ description: NetworkDescription, values: [Float]) throws {
    func slice(_ offset: Int, _ count: Int) throws -> [Float] {
      guard offset >= 0, count >= 0, offset + count <= values.count else {
        throw DescriptionError("values \(offset)..<\(offset + count) of \(values.count)")
      }
      return Array(values[offset..<offset + count])
    }
    var tensors: [String: Tensor] = [:]
    func tensor(_ name: String) throws -> Tensor {
      guard let tensor = tensors[name] else { throw DescriptionError("there is no \(name)") }
      return tensor
    }
    for input in description.inputs {
      let (sizes, name) = (input.sizes, input.name)
      tensors[name] =
        sizes.count == 3
        ? Input(width: sizes[1], height: sizes[0], channels: sizes[2], name: name)
        : Input(shape: sizes, name: name)
    }
    for layer in description.layers {
      let inputs = try layer.inputs.map(tensor)
      let channels = inputs.first?.shape?.sizes?.last ?? 0
      let step = try LayerCase.layer(layer, channels: channels)
      tensors[layer.name] = inputs.count == 1 ? inputs[0] --> step : inputs --> step
    }
    var parameters: [String: [ParameterType: [Float]]] = [:]
    for parameter in description.parameters {
      parameters[parameter.layer, default: [:]][ParameterType(parameter.type)] =
        try slice(parameter.offset, parameter.count)
    }
    self.parameters = ParameterDictionary(parameters)
    model = Model(
      inputs: try description.inputs.map { try tensor($0.name) },
      outputs: try description.outputs.map(tensor))
    examples = try (0..<description.examples).map { example in
      var inputs: [String: TensorValues] = [:]
      for input in description.inputs {
        inputs[input.name] = TensorValues(
          shape: Shape(sizes: input.sizes),
          values: try slice(input.offset + example * input.count, input.count))
      }
      return inputs
    }
    inputNames = description.inputs.map(\.name)
    outputNames = description.outputs
    layerNames = description.layers.map(\.name)
  }

  /// Compiles the model.
  ///
  /// - Parameters:
  ///   - set: the instruction set; `nil` for the machine's best.
  ///   - threads: the threads of a prediction.
  ///   - keep: the layers to keep.
  /// - Returns: the network.
  /// - Throws: `CompileError`.
  func compile(
    _ set: CompileOptions.InstructionSet?, threads: Int, keep: [String] = []
  ) throws -> CompiledModel {
    try model.compile(
      parameters: parameters,
      options: CompileOptions(
        maximumBatch: max(examples.count, 1), keep: keep, instructionSet: set,
        threads: .exactly(threads)))
  }

  /// The values of an input of an example.
  func values(_ input: String, of example: Int) -> [Float] {
    examples[example][input]?.values ?? []
  }
}
