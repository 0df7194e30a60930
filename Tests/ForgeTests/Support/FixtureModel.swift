import Forge
import ForgeTestSupport

/// A case of a fixture written with Forge's layers.
struct FixtureModel {
  /// The model; its outputs are those of ``outputNames``.
  let model: Model
  /// The parameters by name.
  let parameters: NamedParameters
  /// The source rectangles by the name of their layer.
  let crops: [String: CropRectangle]
  /// The inputs in order.
  let inputs: [TensorValues]
  /// The names of the outputs in order.
  let outputNames: [String]

  init(_ testCase: FixtureCase) throws {
    var tensors: [String: Tensor] = [:]
    var inputTensors: [Tensor] = []
    for (index, input) in testCase.inputs.enumerated() {
      let tensor = Input(shape: input.sizes, name: "input\(index)")
      tensors["input\(index)"] = tensor
      inputTensors.append(tensor)
    }
    func tensor(_ name: String) throws -> Tensor {
      guard let tensor = tensors[name] else { throw FixtureError("nothing is called \(name)") }
      return tensor
    }
    var crops: [String: CropRectangle] = [:]
    for layer in testCase.layers {
      let inputs = try layer.inputs.map(tensor)
      let channels = inputs.first?.shape?.channels ?? 0
      tensors[layer.name] = inputs.chained(to: try LayerCase.layer(layer, channels: channels))
      if layer.type == "Resize" { crops[layer.name] = try layer.crop() }
    }
    outputNames = testCase.outputs.keys.sorted()
    model = Model(inputs: inputTensors, outputs: try outputNames.map(tensor))
    // A dense layer's weights keep the axes of inputs of any rank, which Forge flattens.
    let dense = Set(testCase.layers.filter { $0.type == "Dense" }.map(\.name))
    var values: [String: [ParameterType: any ParameterData]] = [:]
    for (layer, types) in testCase.parameters {
      for (type, tensor) in types {
        let sizes = dense.contains(layer) ? nil : tensor.sizes
        values[layer, default: [:]][ParameterType(type)] = StoredValues(
          tensor.values, sizes: sizes)
      }
    }
    parameters = NamedParameters(values: values)
    self.crops = crops
    inputs = testCase.inputs.map {
      TensorValues(shape: Shape(sizes: $0.sizes), values: $0.values)
    }
  }
}
