import Forge
import ForgeOperations
import ForgeShapes

/// Tensors, weights and biases as integers.
///
/// Results of `QuantizeLinear` are kept as they are and as numbers: the inverse reads the former,
/// whatever else reads the latter.
extension ONNXGraphWriter {
  /// The integers nearest to numbers: saturate(round(x / scale) + zeroPoint).
  mutating func quantize(
    _ call: ONNXOperation, _ quantization: Quantization
  ) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let x = try name(of: call.inputs[0], in: input.primary)
    let integers = add("QuantizeLinear", [x] + scaleAndZero(quantization))
    let numbers = add("Cast", [integers], named: name(for: call.output), ("to", .int(1)))
    set(call.output, input.primary, numbers, isBatched: input.isBatched)
    quantized[call.output.index] = integers
  }

  /// The numbers of integers: (x − zeroPoint) · scale.
  mutating func dequantize(
    _ call: ONNXOperation, _ quantization: Quantization
  ) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let integers: String
    if let known = quantized[call.inputs[0].index],
      case .quantize(quantization)? = producers[call.inputs[0].index]?.primitive
    {
      integers = known
    } else {
      let numbers = try name(of: call.inputs[0], in: input.primary)
      integers = add("Cast", [numbers], ("to", .int(quantization.storage == .int8 ? 3 : 2)))
    }
    let result = add(
      "DequantizeLinear", [integers] + scaleAndZero(quantization), named: name(for: call.output))
    set(call.output, input.primary, result, isBatched: input.isBatched)
  }

  private mutating func scaleAndZero(_ quantization: Quantization) -> [String] {
    let (zero, isSigned) = (quantization.zeroPoint, quantization.storage == .int8)
    let zeroPoint = constant("byte \(zero) \(isSigned)", named: "zero_\(zero)") {
      ONNXInitializer(name: $0, sizes: [], contents: .bytes([zero], isSigned: isSigned))
    }
    return [number(quantization.scale), zeroPoint]
  }

  // MARK: Weights

  /// The weights of a product, outputs first: integers of 8 bits where the network has scales for
  /// them, else numbers.
  ///
  /// - Parameters:
  ///   - value: the weights.
  ///   - sizes: the sizes in the file, that of the outputs first.
  ///   - form: what is done to the elements, for weights that are used several times.
  ///   - arrange: returns the elements in the order of the file.
  /// - Returns: the name of the numbers.
  /// - Throws: ``ExportRefusal`` when the weights are computed.
  mutating func weights(
    _ value: OperationGraph.Value, sizes: [Int], as form: String = "",
    _ arrange: @escaping ([Float]) -> [Float] = { $0 }
  ) throws(ExportRefusal) -> String {
    guard let scales = scales(of: value, outputs: sizes[0]),
      let recipe = network.graph.constant(value),
      let numbers = try? network.values(of: recipe)
    else { return try parameter(value, sizes: sizes, as: form, arrange) }
    let arranged = arrange(numbers)
    let count = arranged.count / max(scales.count, 1)
    guard count > 0,
      let integers = Self.integers(
        arranged, in: -128...127,
        unit: {
          Double(scales[$0 / count])
        })
    else { return try parameter(value, sizes: sizes, as: form, arrange) }
    let name = name(of: recipe)
    let stored = constant("bytes \(value.index) \(sizes) \(form)", named: "\(name).int8") {
      ONNXInitializer(name: $0, sizes: sizes, contents: .bytes(integers, isSigned: true))
    }
    return dequantized(stored, scales, zeroPoints: true, named: name)
  }

  /// The biases of a product, as integers of the unit of its sums where its input and its weights
  /// are integers, else as numbers.
  ///
  /// - Throws: ``ExportRefusal`` when the biases are computed.
  mutating func bias(_ call: ONNXOperation, outputs: Int) throws(ExportRefusal) -> String {
    guard case .dequantize(let input)? = producers[call.inputs[0].index]?.primitive,
      let scales = scales(of: call.inputs[1], outputs: outputs),
      let recipe = network.graph.constant(call.inputs[2]),
      let numbers = try? network.values(of: recipe), numbers.count == outputs
    else { return try parameter(call.inputs[2], sizes: [outputs]) }
    let units = scales.map { input.scale * $0 }
    guard
      let integers = Self.integers(
        numbers, in: Int(Int32.min)...Int(Int32.max), unit: { Double(units[$0]) })
    else { return try parameter(call.inputs[2], sizes: [outputs]) }
    let name = name(of: recipe)
    let stored = constant("int32 \(call.inputs[2].index) \(units)", named: "\(name).int32") {
      ONNXInitializer(
        name: $0, sizes: [outputs], contents: .int32(integers.map { Int32(clamping: $0) }))
    }
    return dequantized(stored, units, zeroPoints: false, named: name)
  }

  /// The scale of the weights of each output; `nil` if the network has none.
  private func scales(of value: OperationGraph.Value, outputs: Int) -> [Float]? {
    guard let scales = network.graph.weightScales[value.index] else { return nil }
    if scales.count == 1 { return Array(repeating: scales[0], count: outputs) }
    return scales.count == outputs ? scales : nil
  }

  /// The integers of which numbers are multiples; `nil` if one is not, or is out of range.
  private static func integers(
    _ numbers: [Float], in range: ClosedRange<Int>, unit: (Int) -> Double
  ) -> [Int]? {
    var integers: [Int] = []
    integers.reserveCapacity(numbers.count)
    for (index, number) in numbers.enumerated() {
      let unit = unit(index)
      let nearest = (Double(number) / unit).rounded(.toNearestOrEven)
      guard let integer = Int(exactly: nearest), range.contains(integer),
        Float(nearest * unit) == number || Float(nearest) * Float(unit) == number
      else { return nil }
      integers.append(integer)
    }
    return integers
  }

  /// Integers times a scale for each entry of their first axis.
  private mutating func dequantized(
    _ integers: String, _ scales: [Float], zeroPoints: Bool, named name: String
  ) -> String {
    if let known = quantizedConstants[integers] { return known }
    var inputs = [integers, numbers(scales, sizes: [scales.count], named: "scale")]
    if zeroPoints {
      inputs.append(
        constant("zeros \(scales.count)", named: "zeros_\(scales.count)") {
          ONNXInitializer(
            name: $0, sizes: [scales.count],
            contents: .bytes(Array(repeating: 0, count: scales.count), isSigned: true))
        })
    }
    let result = add("DequantizeLinear", inputs, named: name, ("axis", .int(0)))
    quantizedConstants[integers] = result
    return result
  }
}
