import ForgeShapes

/// The function of a pooling over any number of axes.
public enum PoolingNDKind: Hashable, Sendable, Encodable {
  /// The largest value; NaN if one is.
  case maximum
  /// The index of the first of the largest values, counted over the axes of the window in row-major
  /// order; 0 for a window without values.
  case maximumPlace
  /// The mean of the values inside the tensor.
  case averageInside
  /// The sum divided by the number of taps inside the tensor and its padding.
  case averageAll
  /// `(Σ |x|ᵖ)^(1/p)` for a whole `p` of at least 1.
  case lp(p: Int)
}

/// A window that moves over every axis of a tensor but the last, which holds the channels.
public struct PoolingWindow: Hashable, Sendable, Encodable {
  /// The function of each window.
  public let kind: PoolingNDKind
  /// The size of the window along each axis.
  public let kernel: [Int]
  /// The steps between windows.
  public let strides: [Int]
  /// The distances between taps.
  public let dilations: [Int]
  /// The padding before the first element of each axis.
  public let before: [Int]
  /// The padding after the last element of each axis.
  public let after: [Int]
  /// How the number of windows is rounded.
  public let rounding: WindowRounding

  /// Creates a window; each list has one number per axis.
  public init(
    kind: PoolingNDKind, kernel: [Int], strides: [Int], dilations: [Int], before: [Int],
    after: [Int], rounding: WindowRounding
  ) {
    self.kind = kind
    self.kernel = kernel
    self.strides = strides
    self.dilations = dilations
    self.before = before
    self.after = after
    self.rounding = rounding
  }

  /// Checks every number, and that each list has one per axis.
  ///
  /// - Throws: `ShapeError` of kind `invalidArgument` naming the argument.
  package func validate() throws(ShapeError) {
    let rank = kernel.count
    try ArgumentRule.require(
      (1..<Shape.maximumRank).contains(rank), "kernel", "\(kernel)",
      needs: "1 to \(Shape.maximumRank - 1) numbers")
    let lists = [
      ("kernel", kernel, 1), ("strides", strides, 1), ("dilations", dilations, 1),
      ("before", before, 0), ("after", after, 0),
    ]
    for (name, numbers, least) in lists {
      let range = least...ConvolutionGeometry.maximumArgument
      try ArgumentRule.require(
        numbers.count == rank && numbers.allSatisfy(range.contains), name, "\(numbers)",
        needs: "\(rank) numbers from \(range.lowerBound) to \(range.upperBound)")
    }
    try ArgumentRule.require(
      extents.allSatisfy { $0 <= ConvolutionGeometry.maximumExtent }, "the dilated kernel",
      "\(extents)", needs: "at most \(ConvolutionGeometry.maximumExtent) along each axis")
    try ArgumentRule.require(
      zip(zip(before, after), extents).allSatisfy { max($0.0, $0.1) < $1 }, "padding",
      "\(before), \(after)", needs: "less than the window along each axis")
    guard Shape.product(of: kernel) != nil else { throw .tooManyElements() }
    if case .lp(let p) = kind { try ArgumentRule.positive(p, "p") }
  }

  /// The elements that one window covers along each axis, dilation included.
  private var extents: [Int] {
    zip(kernel, dilations).map { ($0 - 1).multipliedSaturated(by: $1).addingSaturated(1) }
  }

  /// The shape of the output; unknown sizes stay unknown.
  ///
  /// - Throws: `ShapeError` for numbers out of range, an input of another rank, or when no window
  ///   fits.
  package func outputShape(for input: Shape) throws(ShapeError) -> Shape {
    try validate()
    guard input.rank == kernel.count + 1 else {
      throw ShapeError(
        .shapeMismatch, "the input has \(input.rank) axes",
        needs: "\(kernel.count + 1): one for each number of the kernel, then the channels")
    }
    var sizes = input.dimensions
    for axis in kernel.indices {
      guard let size = sizes[axis] else { continue }
      let count = rounding.count(
        size, before: before[axis], after: after[axis], extent: extents[axis],
        stride: strides[axis])
      guard count >= 1 else {
        throw ShapeError(
          .kernelLargerThanInput, "the kernel is larger than the input",
          needs: "at least \(max(extents[axis] - before[axis] - after[axis], 1)) "
            + "elements along axis \(axis)")
      }
      sizes[axis] = count
    }
    return try SizeRule.bounded(Shape(sizes))
  }
}
