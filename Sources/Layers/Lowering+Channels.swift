import ForgeOperations
import ForgeShapes

extension Lowering {
  /// A constant of one value per channel of the first input: `values` themselves, or the only one
  /// repeated.
  package mutating func perChannel(_ values: [Float]) throws(ShapeError) -> Value {
    let input = try ArgumentRule.single(inputs.prefix(1).map { shape(of: $0) })
    let channels = try ArgumentRule.lastAxis(of: input)
    guard values.count == 1 else {
      return try constant(values, shape: Shape(sizes: [channels]))
    }
    try SizeRule.boundedConstant(channels: channels)
    return try constant(
      Array(repeating: values[0], count: channels), shape: Shape(sizes: [channels]))
  }
}
