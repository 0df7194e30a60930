import Forge
import ForgeOperations
import ForgeShapes

/// Normalizations.
extension KerasGraphWriter {
  mutating func batchNormalization(
    _ call: KerasOperation, epsilon: Float
  ) throws(ExportRefusal) {
    let x = try rows(call.inputs[0])
    let channels = x.sizes.last ?? 1
    let (gamma, beta) = (call.inputs[1], call.inputs[2])
    let hasScale = !isAll(gamma, 1)
    let hasCenter = !isAll(beta, 0)
    var weights: [KerasRecord.Weight] = []
    for operand in (hasScale ? [gamma] : []) + (hasCenter ? [beta] : []) + call.inputs[3...] {
      weights.append(try biases(operand, count: channels))
    }
    set(
      call.output,
      to: layer(
        "BatchNormalization", x,
        [
          ("axis", .integer(-1)), ("epsilon", .number(epsilon)), ("center", .flag(hasCenter)),
          ("scale", .flag(hasScale)),
        ], weights: weights, sizes: x.sizes, named: isResult(call.output)))
  }

  /// Whether a value is a literal that has one number everywhere.
  private func isAll(_ value: OperationGraph.Value, _ number: Float) -> Bool {
    literal(value)?.allSatisfy { $0 == number } ?? false
  }

  mutating func normalize(
    _ call: KerasOperation, _ rule: Normalization
  ) throws(ExportRefusal) {
    switch rule.extent {
    case .lastAxes(let count): try normalizeAxes(call, rule, count)
    case .groups(let groups): try normalizeGroups(call, rule, groups)
    }
  }

  /// The factors that a normalization has, and those that Keras needs.
  private func factors(
    _ call: KerasOperation, sizes: [Int]
  ) throws(ExportRefusal) -> (
    config: [(name: String, value: KerasJSON)], weights: [KerasRecord.Weight]
  ) {
    var weights: [KerasRecord.Weight] = []
    var isUsed = [false, false]
    for (place, operand) in call.inputs.dropFirst().prefix(2).enumerated()
    where !isAll(operand, place == 0 ? 1 : 0) {
      isUsed[place] = true
      weights.append(try weight(operand, sizes: sizes))
    }
    return ([("center", .flag(isUsed[1])), ("scale", .flag(isUsed[0]))], weights)
  }

  private mutating func normalizeAxes(
    _ call: KerasOperation, _ rule: Normalization, _ count: Int
  ) throws(ExportRefusal) {
    let x = try count == 1 ? rows(call.inputs[0]) : plain(call.inputs[0])
    let axes = Array(x.sizes.suffix(count))
    let places = Array(x.sizes.count - count + 1...x.sizes.count)
    let isResult = isResult(call.output)
    let axis: KerasJSON = count == 1 ? .integer(-1) : .integers(places)
    switch rule.kind {
    case .standard:
      let (config, weights) = try factors(call, sizes: axes)
      set(
        call.output,
        to: layer(
          "LayerNormalization", x, [("axis", axis), ("epsilon", .number(rule.epsilon))] + config,
          weights: weights, sizes: x.sizes, named: isResult))
    case .rootMeanSquare:
      let scale: KerasRecord.Weight
      if call.inputs.count > 1 {
        scale = try weight(call.inputs[1], sizes: axes)
      } else {
        let count = axes.reduce(1, *)
        scale = KerasRecord.Weight(sizes: axes, key: "ones") {
          Array(repeating: 1, count: count)
        }
      }
      let shifts = call.inputs.count > 2 && !isAll(call.inputs[2], 0)
      var result = layer(
        "RMSNormalization", x, [("axis", axis), ("epsilon", .number(rule.epsilon))],
        weights: [scale], sizes: x.sizes, named: isResult && !shifts)
      if shifts {
        result = one(
          .numpy("Add"), [.tensor(result), try constant(call.inputs[2], sizes: axes)],
          sizes: x.sizes, named: isResult)
      }
      set(call.output, to: result)
    case .unitLength:
      let sums = one(
        .numpy("Sum"), [.tensor(numpy("Square", x))],
        [("axis", .integers(places)), ("keepdims", .flag(true))],
        sizes: x.sizes.dropLast(count) + axes.map { _ in 1 })
      let norm = pair("Maximum", numpy("Sqrt", sums), rule.epsilon)
      set(call.output, to: pair("Divide", x, norm, named: isResult))
    }
  }

  private mutating func normalizeGroups(
    _ call: KerasOperation, _ rule: Normalization, _ groups: Int
  ) throws(ExportRefusal) {
    let x = try plain(call.inputs[0])
    let (config, weights) = try factors(call, sizes: [x.sizes[2]])
    set(
      call.output,
      to: layer(
        "GroupNormalization", x,
        [
          ("groups", .integer(groups)), ("axis", .integer(-1)),
          ("epsilon", .number(rule.epsilon)),
        ] + config, weights: weights, sizes: x.sizes, named: isResult(call.output)))
  }

  mutating func localResponse(
    _ call: KerasOperation, size: Int, alpha: Float, beta: Float, bias: Float
  ) throws(ExportRefusal) {
    let x = try rows(call.inputs[0])
    let channels = x.sizes.last ?? 1
    let count = x.sizes.dropLast().reduce(1, *)
    // The channels become a row, along which a pooling takes the mean of squares.
    let squares = reshaped(numpy("Square", x), to: [count, channels, 1])
    let wide = zeroPadded(squares, [[0, 0], [(size - 1) / 2, size / 2]])
    let means = layer(
      "AveragePooling2D", wide,
      [
        ("pool_size", .integers([1, size])), ("strides", .integers([1, 1])),
        ("padding", .text("valid")), ("data_format", .text("channels_last")),
      ], sizes: [count, channels, 1])
    let sums = pair("Add", pair("Multiply", reshaped(means, to: x.sizes), alpha), bias)
    set(
      call.output,
      to: pair("Divide", x, pair("Power", sums, beta), named: isResult(call.output)))
  }
}
