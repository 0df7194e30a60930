import ForgeOperations
import ForgeShapes

extension Lowering {
  /// A constant of one value per channel of the first input.
  ///
  /// It holds `values`, or the only one repeated.
  package mutating func perChannel(_ values: [Float]) throws(ShapeError) -> Value {
    let channels = try ArgumentRule.lastAxis(of: shape(of: try input()))
    var values = values
    if values.count == 1 {
      try SizeRule.boundedConstant(channels: channels)
      values = Array(repeating: values[0], count: channels)
    }
    return try constant(values, shape: Shape(sizes: [channels]))
  }

  /// Applies a primitive to the only input.
  package mutating func applyToInput(_ primitive: Primitive) throws(ShapeError) -> Value {
    try apply(primitive, to: [try input()])
  }
}
