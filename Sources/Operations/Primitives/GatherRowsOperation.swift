import ForgeShapes

/// The entries of an axis at places that are computed.
///
/// Fractions are dropped. Places below 0 count from the end, unless places are checked: then they
/// are ids from 0. A place outside of the axis is a mistake of the caller: NaN here, an error of a
/// prediction. The places' axes replace the axis.
///
/// Operands: the data, the places.
package struct GatherRowsOperation: PrimitiveOperation {
  let axis: Int
  let isChecked: Bool

  package var name: String { "gatherRows" }
  package var traits: OperationTraits {
    .unweighted(2...2, takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    let axis = try CombinationRule.axis(axis, rank: operands[0].rank)
    try ExactRule.check(operands[0].dimensions[axis])
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    let axis = try CombinationRule.axis(axis, rank: operands[0].rank)
    let data = operands[0].dimensions
    return try SizeRule.bounded(
      Shape(Array(data[..<axis]) + operands[1].dimensions + data[(axis + 1)...]))
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (data, places) = (call.input, call.operands[1])
    let axis = axis < 0 ? axis + data.sizes.count : axis
    let count = places.sizes.count
    return ReferenceTensor(call.output) { position in
      let stated = places.values[places.offset(of: Array(position[axis..<(axis + count)]))]
      if isChecked, !(stated >= 0) { return .nan }
      guard let index = ExactRule.index(stated, size: data.sizes[axis]) else { return .nan }
      return data.values[
        data.offset(of: Array(position[..<axis]) + [index] + position[(axis + count)...])]
    }
  }
}

/// Whole numbers that a Float holds exactly.
enum ExactRule {
  /// Throws if places along an axis of this size are not exact as Float.
  static func check(_ size: Int?) throws(ShapeError) {
    guard (size ?? 0) <= 1 << 24 else {
      throw ShapeError(
        .tooLarge, "indices along an axis are not exact in Float32", received: "\(size ?? 0)",
        needs: "an axis of at most \(1 << 24)")
    }
  }

  /// The index that a stated number means; `nil` outside of the axis.
  static func index(_ stated: Double, size: Int) -> Int? {
    guard stated >= Double(-size), stated < Double(size) else { return nil }
    let index = Int(stated)
    return index < 0 ? index + size : index
  }

  /// A number as a position from 0 to `last`; NaN is 0.
  static func position(_ value: Double, last: Int) -> Int {
    value >= 0 ? Int(min(value, Double(max(last, 0)))) : 0
  }
}
