import ForgeOperations
import ForgeShapes

/// Takes the entries of an axis at fixed indices.
///
/// `y(…, i, …) = x(…, indices[i], …)`.
///
/// - Input shape: any, with a known size along the axis.
/// - Output shape: the same with as many entries along the axis as there are indices.
/// - Parameters: none.
/// - Errors: `invalidArgument` for an axis or an index that the tensor does not have or no index.
/// - Names elsewhere: NumPy take, ONNX Gather with constant indices, Core ML gather.
///
/// ```swift
/// x --> Gather(indices: [2, 1, 0], axis: -1)  // the channels in another order
/// ```
public struct Gather: BuiltInLayer {
  package let label: LayerLabel
  /// The indices, negative from the end.
  public let indices: [Int]
  /// The axis in memory order.
  public let axis: Int

  /// Creates a choice of entries.
  ///
  /// - Parameters:
  ///   - indices: the indices, negative from the end.
  ///   - axis: the axis in memory order, negative from the back.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    indices: [Int], axis: Int, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.indices = indices
    self.axis = axis
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one gathering operation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let shape = lowering.shape(of: input)
    let axis = try CombinationRule.axis(axis, rank: shape.rank)
    guard let size = shape.dimensions[axis] else {
      throw .unknownSize("a known size along the axis")
    }
    for index in indices {
      try ArgumentRule.require(
        (-size..<size).contains(index), "indices", "\(index)", needs: "\(-size) to \(size - 1)")
    }
    lowering.output = try lowering.apply(
      .gather(axis: axis, indices: indices.map { $0 < 0 ? $0 + size : $0 }, value: 0),
      to: [input])
  }
}
