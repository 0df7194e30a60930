import ForgeOperations
import ForgeShapes

/// Combines all elements along axes to one: a sum, mean, maximum and so on.
///
/// For each index of the other axes, `y = Σ x`, or as ``Reduction`` says.
///
/// - Input shape: any.
/// - Output shape: the sizes of the other axes; with `keepsDimensions` also 1 for each of the axes.
///   If no axis is left, [1].
/// - Parameters: none.
/// - Errors: `invalidArgument` for an axis that the tensor does not have or that is named twice,
///   `unknownSize` for sizes that are not known.
/// - Names elsewhere: NumPy sum, mean and so on, ONNX ReduceSum and so on, Core ML reduceSum and so
///   on.
///
/// ```swift
/// Input(shape: [7, 5, 3]) --> Reduce(.mean, axes: [0, 1])  // [3]
/// ```
public struct Reduce: BuiltInLayer {
  package let label: LayerLabel
  /// How elements become one.
  public let kind: Reduction
  /// The axes in memory order; `nil` for all.
  public let axes: [Int]?
  /// Whether the axes stay with size 1.
  public let keepsDimensions: Bool

  /// Creates a reduction.
  ///
  /// - Parameters:
  ///   - kind: how elements become one.
  ///   - axes: the axes in memory order, negative from the back; `nil` for all.
  ///   - keepsDimensions: whether the axes stay with size 1.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ kind: Reduction, axes: [Int]? = nil, keepsDimensions: Bool = false, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.kind = kind
    self.axes = axes
    self.keepsDimensions = keepsDimensions
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to a pooling of whole images, or to a reduction of rows with the axes last.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let shape = lowering.shape(of: input)
    let rank = shape.rank
    var along: Set<Int> = []
    for axis in axes ?? Array(0..<rank) {
      try ArgumentRule.require(
        along.insert(try CombinationRule.axis(axis, rank: rank)).inserted, "axes",
        "\(axes ?? [])", needs: "each axis once")
    }
    if shape.isImage, along == [0, 1], kind == .mean || kind == .maximum,
      let channels = shape.channels
    {
      let pooled = try lowering.apply(
        .globalPooling(kind == .mean ? .averageInside : .maximum), to: [input])
      lowering.output =
        keepsDimensions ? pooled : try lowering.apply(.reshape([channels]), to: [pooled])
      return
    }
    let sizes = try ArgumentRule.known(shape, "known sizes to reduce")
    let kept = sizes.indices.filter { !along.contains($0) }
    let order = kept + along.sorted()
    let moved =
      order == Array(sizes.indices) ? input : try lowering.apply(.permute(order), to: [input])
    let rows = kept.map { sizes[$0] }.reduce(1, *)
    let columns = along.map { sizes[$0] }.reduce(1, *)
    let flat = try lowering.apply(.reshape([rows, columns]), to: [moved])
    let reduced = try lowering.apply(.reduceRows(kind), to: [flat])
    var result = keepsDimensions ? sizes : kept.map { sizes[$0] }
    if keepsDimensions { for axis in along { result[axis] = 1 } }
    lowering.output = try lowering.apply(
      .reshape(result.isEmpty ? [1] : result), to: [reduced])
  }
}

extension Lowering {
  /// Applies an operation along the last axis to another axis, with permutations around it.
  mutating func applyAlong(
    _ axis: Int, to value: Value, _ primitive: Primitive
  ) throws(ShapeError) -> Value {
    let rank = shape(of: value).rank
    let axis = try CombinationRule.axis(axis, rank: rank)
    guard axis != rank - 1 else { return try apply(primitive, to: [value]) }
    let order = (0..<rank).filter { $0 != axis } + [axis]
    let moved = try apply(.permute(order), to: [value])
    let result = try apply(primitive, to: [moved])
    let back = (0..<rank).map { place in order.firstIndex(of: place) ?? 0 }
    return try apply(.permute(back), to: [result])
  }

  /// Removes an axis of size 1.
  mutating func squeezed(_ value: Value, axis: Int) throws(ShapeError) -> Value {
    var sizes = try ArgumentRule.known(shape(of: value), "known sizes")
    let axis = try CombinationRule.axis(axis, rank: sizes.count)
    guard sizes.count > 1 else { return value }
    sizes.remove(at: axis)
    return try apply(.reshape(sizes), to: [value])
  }
}
