import Forge
import ForgeLoaders

/// A product of rows with the matrix of a quantized layer of Keras.
///
/// `y(o) = f(Σ q(i) · w(i, o) / (s · d(o)) + b(o))`, where `q` are the integers of a row and `s` is
/// its scale. Without a quantizer `q` is the row and `s` is 1, and matrices of groups have no `d`.
struct KerasQuantizedProduct: Sendable {
  /// The name of the layer of Forge that has the matrix.
  private let name: String
  private let outputs: Int
  private let divisors: [Float]?
  private let blocks: WeightBlocks?
  private let quantizer: KerasRowQuantizer?
  private let biases: [Float]?
  private let activation: ActivationFunction

  /// States the parameters of a product.
  ///
  /// - Parameters:
  ///   - layer: the layer.
  ///   - matrix: its matrix.
  ///   - quantizer: what makes integers of rows; `nil` if they stay as they are.
  ///   - biases: what is added at last.
  ///   - activation: the function of the sums.
  ///   - name: the name of the product, if the layer has several.
  init(
    _ layer: KerasLayer, _ matrix: KerasStoredMatrix, _ quantizer: KerasRowQuantizer?,
    biases: [Float]?, activation: ActivationFunction, name: String = "product"
  ) {
    self.name = "\(layer.path)/\(name)"
    outputs = matrix.outputs
    divisors = matrix.divisors
    blocks = matrix.blocks
    self.quantizer = quantizer
    self.biases = biases
    self.activation = activation
    layer.file.decode(matrix.factors, as: .weights, of: self.name)
  }

  /// States the parameters of a dense layer.
  ///
  /// - Parameters:
  ///   - layer: the layer.
  ///   - quantization: the quantization of the layer.
  ///   - outputs: the outputs.
  ///   - biases: the number of biases; `nil` without any.
  ///   - activation: the function of the sums.
  /// - Throws: ``KerasFault``.
  init(
    dense layer: KerasLayer, _ quantization: KerasQuantization, outputs: Int, biases: Int?,
    activation: ActivationFunction
  ) throws(KerasFault) {
    let stored = KerasStoredWeights(kernelOf: layer, quantization.weights, hasBiases: biases != nil)
    let matrix = try KerasStoredMatrix(
      layer, stored, quantization.weights, .kernel,
      inputs: try stored.inputs(quantization.weights, outputs: outputs), outputs: outputs)
    self.init(
      layer, matrix, quantization.inputs,
      biases: try biases.map { count throws(KerasFault) in
        try stored.floats("bias", count: count)
      }, activation: activation)
  }

  /// The product of the last axis of a tensor.
  func callAsFunction(
    _ call: KerasCall, _ input: KerasTensor
  ) throws(KerasFault) -> KerasTensor {
    var (factors, scales): (KerasTensor, KerasTensor?) = (input, nil)
    if let quantizer {
      let made = try KerasNodes.run(
        call.with(inputs: [input], name: "\(call.name)/integers")
      ) { nodes in
        let quantized = try quantizer.integers(
          nodes, try KerasNodes.value(input), axes: [input.rank])
        return [quantized.integers, quantized.scales]
      }
      (factors, scales) = (made[0], made[1])
    }
    var layer = LastAxisDense(neurons: outputs, useBias: false, name: name)
    layer.weightScales = divisors == nil ? nil : [1]
    layer.weightBlocks = blocks
    let sums = try call.apply(layer, to: factors)
    let end = call.with(
      inputs: [sums], name: activation == .linear ? call.name : "\(call.name)/sum")
    let result = try KerasNodes.run(end) { [scales] nodes in
      var value = try KerasNodes.value(sums)
      var divisor = divisors.map { FileValue.host(HostTensor(floats: $0, sizes: [$0.count])) }
      if let scales {
        let rows = try KerasNodes.value(scales)
        divisor = try divisor.map { try nodes("Mul", rows, $0) } ?? rows
      }
      if let divisor { value = try nodes("Div", value, divisor) }
      if let biases {
        value = try nodes("Add", value, .host(HostTensor(floats: biases, sizes: [biases.count])))
      }
      return [value]
    }
    guard activation != .linear else { return result[0] }
    return try call.apply(Activation(activation, name: call.name), to: result[0])
  }
}
