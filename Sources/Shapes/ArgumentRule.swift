/// Checks of single arguments and inputs that several layers share.
public enum ArgumentRule {
  /// Checks that `value` is from 1 to ``ConvolutionGeometry/maximumArgument``.
  public static func positive(_ value: Int, _ name: String) throws(ShapeError) {
    guard (1...ConvolutionGeometry.maximumArgument).contains(value) else {
      throw .notPositive(name, "\(value)")
    }
  }

  /// Checks that both sides are from 1 to ``ConvolutionGeometry/maximumArgument``.
  public static func positive(_ size: Size, _ name: String) throws(ShapeError) {
    let range = 1...ConvolutionGeometry.maximumArgument
    guard range.contains(size.width), range.contains(size.height) else {
      throw .notPositive(name, "(\(size.width), \(size.height))")
    }
  }

  /// Checks that every edge is from 0 to ``ConvolutionGeometry/maximumArgument``.
  public static func nonNegative(_ edges: Edges, _ name: String) throws(ShapeError) {
    let range = 0...ConvolutionGeometry.maximumArgument
    for edge in [edges.top, edges.left, edges.bottom, edges.right] where !range.contains(edge) {
      throw .negative(name, edges.text)
    }
  }

  /// Checks a condition on an argument and says what is needed when it does not hold.
  public static func require(
    _ condition: Bool, _ name: String, _ value: String, needs: String
  ) throws(ShapeError) {
    guard condition else { throw .outOfRange(name, value, needs: needs) }
  }

  /// Checks that a shape has the three axes of an image.
  public static func image(_ shape: Shape) throws(ShapeError) {
    guard shape.isImage else { throw .notAnImage() }
  }

  /// The single input of a layer that takes exactly one.
  public static func single(_ inputs: [Shape]) throws(ShapeError) -> Shape {
    guard let input = inputs.first, inputs.count == 1 else {
      throw .wrongInputCount(inputs.count, needs: "exactly 1 tensor")
    }
    return input
  }

  /// Checks that a layer of several inputs received at least `count`.
  public static func atLeast(_ count: Int, _ inputs: [Shape]) throws(ShapeError) {
    guard inputs.count >= count else {
      throw .wrongInputCount(inputs.count, needs: "at least \(count) tensors")
    }
  }

  /// The channels of an image, which must be known.
  public static func channels(of shape: Shape) throws(ShapeError) -> Int {
    try image(shape)
    guard let channels = shape.channels else { throw .unknownSize("a known number of channels") }
    return channels
  }

  /// Every size of a shape, which must be known; `what` says what for.
  public static func known(_ shape: Shape, _ what: String) throws(ShapeError) -> [Int] {
    guard let sizes = shape.sizes else { throw .unknownSize(what) }
    return sizes
  }
}

/// The bound on the size of any tensor.
public enum SizeRule {
  /// The shape itself when it is within bounds: rank, positive sizes, number of elements.
  ///
  /// - Throws: ``ShapeError`` of kind `emptyOutput`, `tooLarge` or `invalidArgument`.
  public static func bounded(_ shape: Shape) throws(ShapeError) -> Shape {
    guard (1...Shape.maximumRank).contains(shape.rank) else {
      throw .outOfRange("rank", "\(shape.rank)", needs: "1 to \(Shape.maximumRank) axes")
    }
    if shape.dimensions.contains(where: { ($0 ?? 1) < 1 }) {
      throw .emptyOutput(needs: "every size to be at least 1")
    }
    if Shape.product(of: shape.dimensions.map { $0 ?? 1 }) == nil {
      throw .tooManyElements()
    }
    return shape
  }
}

/// The rule of groups of channels.
public enum GroupRule {
  /// Checks that `groups` divides both numbers of channels.
  ///
  /// - Throws: ``ShapeError`` of kind `channelsNotDivisible`.
  public static func divides(_ groups: Int, input: Int, output: Int) throws(ShapeError) {
    guard input.isMultiple(of: groups) else {
      throw .channelsNotDivisible("input", input, groups: groups)
    }
    guard output.isMultiple(of: groups) else {
      throw .channelsNotDivisible("output", output, groups: groups)
    }
  }
}

extension SizeRule {
  /// Checks that a parameter is within the bounds of any tensor.
  ///
  /// - Throws: ``ShapeError`` of kind `tooLarge`.
  public static func bounded(_ spec: ParameterSpec) throws(ShapeError) {
    guard Shape.product(of: spec.sizes) != nil else {
      throw ShapeError(
        .tooLarge, "the \(spec.type) would be too large", received: spec.shapeText,
        needs: "at most \(Shape.maximumElementCount) values")
    }
  }
}
