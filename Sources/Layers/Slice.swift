import ForgeOperations
import ForgeShapes

/// Cuts ranges out of axes.
///
/// `y(…, i, …) = x(…, start + i·step, …)`. Starts and ends below 0 count from the end of their
/// axis, those beyond it are moved to its end, and a negative step runs backwards, as in NumPy.
///
/// - Input shape: any, with known sizes along the axes that are cut.
/// - Output shape: the number of indices from start to end in steps, along each of the axes.
/// - Parameters: none.
/// - Errors: `invalidArgument` for lists of different lengths, an axis that the tensor does not
///   have or that is named twice, or a step of 0, `emptyOutput` where nothing is left,
///   `unknownSize`.
/// - Names elsewhere: NumPy's slices, ONNX Slice, Core ML sliceStatic.
///
/// ```swift
/// x --> Slice(starts: [0], ends: [-1], axes: [0], steps: [2])
/// ```
public struct Slice: BuiltInLayer {
  package let label: LayerLabel
  /// The first index along each of the axes.
  public let starts: [Int]
  /// The index after the last one along each of the axes.
  public let ends: [Int]
  /// The axes in memory order; `nil` for the first ones.
  public let axes: [Int]?
  /// The distance between indices; `nil` for 1.
  public let steps: [Int]?

  /// Creates a slice.
  ///
  /// - Parameters:
  ///   - starts: the first index along each of the axes.
  ///   - ends: the index after the last one along each of the axes.
  ///   - axes: the axes in memory order, negative from the back; `nil` for the first ones.
  ///   - steps: the distance between indices; `nil` for 1.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    starts: [Int], ends: [Int], axes: [Int]? = nil, steps: [Int]? = nil, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.starts = starts
    self.ends = ends
    self.axes = axes
    self.steps = steps
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to a crop of an image's rows and columns, or to one slice.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try lower(into: &lowering, crops: true)
  }

  /// Lowers the layer; without `crops` it is the same operation whatever it takes.
  func lower(into lowering: inout Lowering, crops: Bool) throws(ShapeError) {
    let input = try lowering.input()
    let shape = lowering.shape(of: input)
    let known = try ArgumentRule.known(shape, "known sizes to slice")
    let axes = axes ?? Array(starts.indices)
    let steps = steps ?? Array(repeating: 1, count: starts.count)
    try ArgumentRule.require(
      ends.count == starts.count && axes.count == starts.count && steps.count == starts.count,
      "ends", "\(ends)", needs: "as many ends, axes and steps as starts")
    var first = Array(repeating: 0, count: known.count)
    var (counts, strides) = (known, Array(repeating: 1, count: known.count))
    var seen: Set<Int> = []
    for index in starts.indices {
      let axis = try CombinationRule.axis(axes[index], rank: known.count)
      try ArgumentRule.require(
        seen.insert(axis).inserted, "axes", "\(axes)", needs: "each axis once")
      let range = try SliceRange(
        from: starts[index], to: ends[index], by: steps[index], size: known[axis])
      first[axis] = range.start
      counts[axis] = range.count
      // A step of one element may be any number.
      strides[axis] = range.count > 1 ? steps[index] : 1
    }
    // Rows and columns of an image need no copy.
    if crops, shape.isImage, counts[2] == known[2], strides == [1, 1, 1] {
      let edges = Edges(
        top: first[0], left: first[1], bottom: known[0] - first[0] - counts[0],
        right: known[1] - first[1] - counts[1])
      lowering.output = try lowering.apply(.crop(edges), to: [input])
      return
    }
    lowering.output = try lowering.apply(
      .slice(starts: first, sizes: counts, steps: strides), to: [input])
  }
}

/// The places of a slice along one axis.
struct SliceRange {
  let start: Int
  let count: Int

  /// Clamps a start and an end to the axis.
  init(from start: Int, to end: Int, by step: Int, size: Int) throws(ShapeError) {
    try ArgumentRule.require(
      step != 0 && step != .min, "steps", "\(step)", needs: "a step other than 0")
    let range = step > 0 ? 0...size : -1...(size - 1)
    func clamped(_ place: Int) -> Int {
      let counted = place < 0 ? place + size : place
      return min(max(counted, range.lowerBound), range.upperBound)
    }
    let (first, last) = (clamped(start), clamped(end))
    let distance = step > 0 ? last - first : first - last
    guard distance > 0 else {
      throw .emptyOutput(needs: "an index from \(start) to \(end) in steps of \(step)")
    }
    self.start = first
    count = (distance - 1) / abs(step) + 1
  }
}
