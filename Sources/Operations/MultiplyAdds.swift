import ForgeShapes

/// The multiply-adds of an operation; counts saturate at `Int.max`.
package enum MultiplyAdds: Sendable {
  /// None.
  case none
  /// One for each element of the output.
  case onePerElement
  /// One for each element of the output and each weight of its channel.
  case onePerWeight
  /// One for each element of the output and each element of the last axis of the first operand.
  case onePerInnerElement
  /// One for each element of the second operand and each index of the first one's outer axes.
  case onePerRecurrentWeight
  /// One for each key, the columns of the second operand, and each element of the first operand
  /// and of the output.
  case onePerKey

  /// The multiply-adds of one prediction; 0 while a size is not known.
  package func count(for operands: [Shape], output: Shape) -> Int {
    switch self {
    case .none: return 0
    case .onePerElement: return Self.perElement(of: output)
    case .onePerInnerElement:
      return Self.perElement(of: output, operands[0].channels ?? 0)
    case .onePerRecurrentWeight:
      return Self.perElement(
        of: Shape(Array(operands[0].dimensions.dropLast())), operands[1].elementCount ?? 0)
    case .onePerKey:
      let keys = operands[1].dimensions.dropLast().last.flatMap(\.self) ?? 0
      return Self.perElement(of: operands[0], keys).addingSaturated(
        Self.perElement(of: output, keys))
    case .onePerWeight:
      let weights = operands[1].elementCount ?? 0
      return Self.perElement(of: output, weights / max(output.channels ?? 1, 1))
    }
  }

  /// The number of elements of `output` times all `factors`; 0 while its size is not known.
  package static func perElement(of output: Shape, _ factors: Int...) -> Int {
    factors.reduce(output.elementCount ?? 0) { $0.multipliedSaturated(by: max($1, 0)) }
  }
}
