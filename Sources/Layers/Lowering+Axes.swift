import ForgeOperations
import ForgeShapes

extension ArgumentRule {
  /// The axes counted from the front, in memory order; negative ones count from the back.
  static func axes(_ axes: [Int], of shape: Shape) throws(ShapeError) -> [Int] {
    let rank = shape.rank
    let known = axes.map { $0 < 0 ? $0.addingSaturated(rank) : $0 }.sorted()
    try require(
      !known.isEmpty && Set(known).count == known.count
        && known.allSatisfy((0..<rank).contains), "axes", "\(axes)",
      needs: "different numbers from \(-rank) to \(rank - 1)")
    return known
  }
}

extension Lowering {
  /// Applies an operation on the last axes to other axes, in memory order, and moves them back.
  mutating func onLastAxes(
    _ axes: [Int], _ input: Value,
    _ apply: (Value, inout Lowering) throws(ShapeError) -> Value
  ) throws(ShapeError) -> Value {
    let rank = shape(of: input).rank
    let order = (0..<rank).filter { !axes.contains($0) } + axes
    guard order != Array(0..<rank) else { return try apply(input, &self) }
    let moved = try self.apply(.permute(order), to: [input])
    let result = try apply(moved, &self)
    var back = order
    for (place, axis) in order.enumerated() { back[axis] = place }
    return try self.apply(.permute(back), to: [result])
  }
}
