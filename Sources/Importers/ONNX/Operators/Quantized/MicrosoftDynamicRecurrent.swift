import Forge

extension ONNXOperators {
  /// Recurrent layers with weights that are 8-bit integers.
  static let dynamicRecurrent: [ONNXOperator] = [
    // The sequence and the hidden values of all rows have one range.
    ONNXOperator(
      "DynamicQuantizeLSTM", domain: microsoft, import: lstm, fold: .none, bounds: nil,
      length: .followed, sizes: .none, examples: .mixed)
  ]

  /// An LSTM whose sequence and hidden values become integers by their ranges.
  ///
  /// Inputs: those of LSTM, but the weights [directions][inputs][4 · units] are integers; then the
  /// scale and the zero point of the weights, and those of the recurrent weights, each
  /// [directions] or [directions][4 · units].
  private static func lstm(_ call: inout ONNXCall) throws {
    let weights = try matrix(call, 1, scale: 8)
    let recurrent = try matrix(call, 2, scale: 10)
    let quantized = try call.dynamicDifferences(0)
    guard case .network(let x) = try call.part("Mul", [quantized.differences, quantized.scale])
    else {
      throw NodeFailure.unsupported("a sequence that is known")
    }
    let reader = try RecurrentReader(
      call, gates: 4, activations: ["Sigmoid", "Tanh", "Tanh"], x: x,
      matrices: (weights.values, recurrent.values), scales: (weights.scales, recurrent.scales))
    let isCoupled = call.node.int("input_forget") != 0
    try reader.run(&call, gateBlocks: [0, 2, 3, 1]) { functions in
      .lstm(gates: functions[0], cell: functions[1], hidden: functions[2], isCoupled: isCoupled)
    }
  }

  /// The real numbers of integers [directions][inputs][rows] as [directions][rows][inputs], and the
  /// scale of each row.
  private static func matrix(
    _ call: ONNXCall, _ index: Int, scale: Int
  ) throws -> (values: HostTensor, scales: [[Float]]) {
    guard let stored = call.host(index), let scales = try call.host(scale)?.floats() else {
      throw NodeFailure.unsupported("recurrent weights computed at run time")
    }
    guard [.int8, .uint8].contains(stored.type), stored.sizes.count == 3, stored.count > 0 else {
      throw NodeFailure.invalid("weights of \(stored.type.rawValue), \(stored.sizes)")
    }
    let (directions, inputs, rows) = (stored.sizes[0], stored.sizes[1], stored.sizes[2])
    let zeros = try call.host(scale + 1)?.integers() ?? Array(repeating: 0, count: scales.count)
    guard [directions, directions.multipliedSaturated(by: rows)].contains(scales.count),
      zeros.count == scales.count, scales.allSatisfy({ $0.isNormal && $0 > 0 })
    else {
      throw NodeFailure.invalid(
        "\(scales.count) scales and \(zeros.count) zero points of \(stored.sizes)")
    }
    let held = try ImportBudget.hold(stored.count, width: MemoryLayout<Float>.size)
    let integers = try stored.integers()
    let rowScales = (0..<directions).map { direction in
      (0..<rows).map { scales[scales.count == directions ? direction : direction * rows + $0] }
    }
    var values: [Float] = []
    values.reserveCapacity(stored.count)
    for direction in 0..<directions {
      for row in 0..<rows {
        let zero = zeros[scales.count == directions ? direction : direction * rows + row]
        for input in 0..<inputs {
          let integer = integers[(direction * inputs + input) * rows + row]
          values.append(Float(integer - zero) * rowScales[direction][row])
        }
      }
    }
    var result = HostTensor(floats: values, sizes: [directions, rows, inputs])
    result.held = held
    return (result, rowScales)
  }
}
