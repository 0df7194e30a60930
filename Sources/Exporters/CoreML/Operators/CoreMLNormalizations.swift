import Forge
import ForgeOperations
import ForgeShapes

/// Normalizations.
extension CoreMLGraphWriter {
  /// What a file states for an epsilon of 0, which would stand for the usual one.
  private static let leastEpsilon = Float.leastNormalMagnitude

  mutating func batchNormalization(
    _ call: CoreMLOperation, epsilon: Float
  ) throws(ExportRefusal) {
    let input = try value(call.inputs[0])
    let channels = input.sizes.last ?? 1
    let x = try name(of: call.inputs[0], in: input.primary)
    let outputName = name(for: call.output)
    func repeated(_ values: [Float]) -> [Float] {
      values.count == 1 ? Array(repeating: values[0], count: channels) : values
    }
    var numbers: [CoreMLNumbers] = []
    for operand in call.inputs.dropFirst() {
      numbers.append(try stored(operand, count: channels, repeated))
    }
    guard input.primary == .channelsFirst, epsilon > 0 else {
      let factors = try normalFactors(numbers, channels, epsilon)
      let sizes = input.primary == .channelsFirst ? [channels, 1, 1] : [channels]
      let scale = try loaded(factors.scale, sizes: sizes)
      let shift = try loaded(factors.shift, sizes: sizes)
      let product = try combined(.multiply, x, scale)
      return set(
        call.output, input.primary, try combined(.add, product, shift, named: outputName))
    }
    let result = try map(.batchNorm, x, named: outputName) { layer in
      layer.integer(1, channels)
      layer.float(10, epsilon)
      for (index, values) in numbers.enumerated() { layer.numbers(15 + index, values) }
    }
    set(call.output, .channelsFirst, result)
  }

  /// A batch normalization as a factor and a shift: gamma / √(variance + epsilon), and beta less
  /// the mean times it.
  private func normalFactors(
    _ numbers: [CoreMLNumbers], _ channels: Int, _ epsilon: Float
  ) throws(ExportRefusal) -> (scale: CoreMLNumbers, shift: CoreMLNumbers) {
    let (gamma, beta, mean, variance) = (numbers[0], numbers[1], numbers[2], numbers[3])
    func scale() throws -> [Double] {
      zip(try gamma.compute(), try variance.compute()).map {
        Double($0) / (Double($1) + Double(epsilon)).squareRoot()
      }
    }
    return (
      CoreMLNumbers(name: gamma.name, count: channels, isHalf: gamma.isHalf) {
        try scale().map { Float($0) }
      },
      CoreMLNumbers(name: beta.name, count: channels, isHalf: beta.isHalf) {
        zip(zip(try beta.compute(), try mean.compute()), try scale()).map {
          Float(Double($0.0) - Double($0.1) * $1)
        }
      }
    )
  }

  mutating func normalize(
    _ call: CoreMLOperation, _ rule: Normalization
  ) throws(ExportRefusal) {
    switch rule.extent {
    case .lastAxes(let count): try normalizeAxes(call, rule, count)
    case .groups(let groups): try normalizeGroups(call, rule, groups)
    }
  }

  private mutating func normalizeAxes(
    _ call: CoreMLOperation, _ rule: Normalization, _ count: Int
  ) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .plain)
    let from = sizes(call.inputs[0])
    let axes = Array(from.suffix(count))
    let last = Array(from.indices.suffix(count))
    let elements = axes.reduce(1, *)
    let outputName = name(for: call.output)
    let result: String
    switch rule.kind {
    case .standard:
      var factors: [CoreMLNumbers] = []
      for operand in call.inputs.dropFirst() {
        factors.append(try stored(operand, count: elements))
      }
      for (index, number) in [Float(1), 0].enumerated() where factors.count <= index {
        factors.append(
          CoreMLNumbers(name: "\(layer).constant", count: elements, isHalf: false) {
            Array(repeating: number, count: elements)
          })
      }
      result = try map(.layerNormalization, x, named: outputName) {
        $0.integers(1, axes)
        $0.float(2, max(rule.epsilon, Self.leastEpsilon))
        $0.numbers(3, factors[0])
        $0.numbers(4, factors[1])
      }
    case .rootMeanSquare:
      let mean = try reduced(.reduceMean, try combined(.multiply, x, x), axes: last)
      let root = try root(try shifted(mean, by: rule.epsilon))
      guard call.inputs.count > 1 else {
        result = try combined(.divide, x, root, named: outputName)
        break
      }
      let scale = try parameter(call.inputs[1], sizes: axes)
      let product = try combined(.multiply, try combined(.divide, x, root), scale)
      guard call.inputs.count > 2 else {
        result = product
        break
      }
      let shift = try parameter(call.inputs[2], sizes: axes)
      result = try combined(.add, product, shift, named: outputName)
    case .unitLength:
      let norm = try reduced(.reduceL2, x, axes: last)
      let divisor = try combined(.maximum, norm, try number(rule.epsilon))
      result = try combined(.divide, x, divisor, named: outputName)
    }
    set(call.output, .plain, result)
  }

  private mutating func normalizeGroups(
    _ call: CoreMLOperation, _ rule: Normalization, _ groups: Int
  ) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let channels = sizes(of: x)[1]
    let count = sizes(of: x).reduce(1, *) / groups
    let grouped = try reshaped(x, to: [1, groups, count])
    let rest = try combined(.subtract, grouped, try reduced(.reduceMean, grouped, axes: [2]))
    let variance = try reduced(.reduceMean, try combined(.multiply, rest, rest), axes: [2])
    let root = try root(try shifted(variance, by: rule.epsilon))
    let normal = try combined(.divide, rest, root)
    var result = try reshaped(
      normal, to: sizes(of: x), named: call.inputs.count < 3 ? name(for: call.output) : nil)
    if call.inputs.count > 2 {
      let scale = try stored(call.inputs[1], count: channels)
      let shift = try stored(call.inputs[2], count: channels)
      result = try map(.scale, result, named: name(for: call.output)) {
        $0.integer(1, channels)
        $0.numbers(2, scale)
        $0.flag(3, true)
        $0.integer(4, channels)
        $0.numbers(5, shift)
      }
    }
    set(call.output, .channelsFirst, result)
  }

  mutating func localResponse(
    _ call: CoreMLOperation, size: Int, alpha: Float, beta: Float, bias: Float
  ) throws(ExportRefusal) {
    let form = try value(call.inputs[0]).primary
    let x = try name(of: call.inputs[0], in: form)
    let from = sizes(of: x)
    // A pooling takes the mean of squares over the channels, which are rows or columns.
    let isFirst = form == .channelsFirst
    let channels = isFirst ? from[1] : from[from.count - 1]
    let others = from.reduce(1, *) / channels
    let rows = isFirst ? [1, 1, channels, others] : [1, 1, others, channels]
    let squares = try reshaped(try combined(.multiply, x, x), to: rows)
    let (before, after) = ((size - 1) / 2, size / 2)
    let means = try add(.pooling, [squares], sizes: rows) {
      $0.integer(1, 1)
      $0.integers(10, isFirst ? [size, 1] : [1, size])
      $0.integers(20, [1, 1])
      $0.message(30) {
        $0.message(1) { $0.borders(isFirst ? [before, 0, after, 0] : [0, before, 0, after]) }
      }
    }
    let sum = try shifted(try scaled(try reshaped(means, to: from), by: alpha), by: bias)
    let power = try combined(.power, sum, try number(beta))
    set(call.output, form, try combined(.divide, x, power, named: name(for: call.output)))
  }
}
