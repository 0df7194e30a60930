import ForgeOperations
import ForgeShapes

/// Repeats the whole tensor along its axes.
///
/// `y(i₁, i₂, …) = x(i₁ mod n₁, i₂ mod n₂, …)`.
///
/// - Input shape: any of known sizes.
/// - Output shape: each size times its repeats.
/// - Parameters: none.
/// - Errors: `invalidArgument` for a different number of repeats than axes, or repeats below 1,
///   `unknownSize`, `tooLarge`.
/// - Names elsewhere: NumPy tile, ONNX Tile, Core ML tile.
///
/// ```swift
/// Input(shape: [2, 3]) --> Tile([1, 4])  // 2×12
/// ```
public struct Tile: BuiltInLayer {
  package let label: LayerLabel
  /// The repeats of each axis in memory order.
  public let repeats: [Int]

  /// Creates a repetition.
  ///
  /// - Parameters:
  ///   - repeats: the repeats of each axis in memory order.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ repeats: [Int], name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.repeats = repeats
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to a repetition of each axis: a new axis before it is repeated, then merged.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    var sizes = try ArgumentRule.known(lowering.shape(of: input), "known sizes to repeat")
    try ArgumentRule.require(
      repeats.count == sizes.count && repeats.allSatisfy { (1...(1 << 30)).contains($0) },
      "repeats", "\(repeats)", needs: "one number of at least 1 for each of \(sizes.count) axes")
    var value = input
    for (axis, count) in repeats.enumerated() where count > 1 {
      let outer = sizes[..<axis].reduce(1, *)
      let inner = sizes[axis...].reduce(1, *)
      let apart = try lowering.apply(.reshape([outer, 1, inner]), to: [value])
      let repeated = try lowering.apply(.expand([outer, count, inner]), to: [apart])
      sizes[axis] *= count
      value = try lowering.apply(.reshape(sizes), to: [repeated])
    }
    lowering.output = value == input ? try lowering.apply(.identity, to: [input]) : value
  }
}
