/// A box of a tensor: a range of positions along each axis.
package struct TensorPart: Hashable, Sendable {
  /// The positions along each axis; none is empty.
  package var ranges: [Range<Int>]

  /// Creates a box of ranges.
  package init(_ ranges: [Range<Int>]) { self.ranges = ranges }

  /// The box of all positions of a tensor.
  package init(allOf sizes: [Int]) { ranges = sizes.map { 0..<$0 } }

  /// The number of positions along each axis.
  package var sizes: [Int] { ranges.map(\.count) }

  /// The number of elements.
  package var count: Int { ranges.reduce(1) { $0.multipliedSaturated(by: $1.count) } }

  /// Whether the box holds all positions of a tensor.
  package func coversAll(of sizes: [Int]) -> Bool { self == TensorPart(allOf: sizes) }

  /// Whether the box holds all positions of a tensor along an axis.
  package func coversAll(along axis: Int, of sizes: [Int]) -> Bool {
    ranges[axis] == 0..<sizes[axis]
  }

  /// The smallest box that holds this one and another one.
  package func union(_ other: TensorPart) -> TensorPart {
    TensorPart(
      zip(ranges, other.ranges).map {
        min($0.lowerBound, $1.lowerBound)..<max($0.upperBound, $1.upperBound)
      })
  }

  /// The box as part of a box that holds it.
  package func inside(_ outer: TensorPart) -> TensorPart {
    TensorPart(
      zip(ranges, outer.ranges).map {
        $0.lowerBound - $1.lowerBound..<$0.upperBound - $1.lowerBound
      })
  }

  /// The box that an operation of NumPy's broadcasting reads of an operand.
  func broadcast(to sizes: [Int]) -> TensorPart {
    TensorPart(zip(ranges.suffix(sizes.count), sizes).map { $1 == 1 ? 0..<1 : $0 })
  }

  /// The box with another range along an axis.
  func with(_ range: Range<Int>, along axis: Int) -> TensorPart {
    var part = self
    part.ranges[axis] = range
    return part
  }
}
