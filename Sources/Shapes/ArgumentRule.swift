/// Checks of single arguments and inputs that several layers share.
package enum ArgumentRule {
  /// Checks that `value` is from 1 to ``ConvolutionGeometry/maximumArgument``.
  package static func positive(_ value: Int, _ name: String) throws(ShapeError) {
    let range = 1...ConvolutionGeometry.maximumArgument
    guard range.contains(value) else {
      throw .notInRange(name, "\(value)", smallest: value, range)
    }
  }

  /// Checks that both sides are from 1 to ``ConvolutionGeometry/maximumArgument``.
  package static func positive(_ size: Size, _ name: String) throws(ShapeError) {
    let range = 1...ConvolutionGeometry.maximumArgument
    guard range.contains(size.width), range.contains(size.height) else {
      let smallest = min(size.width, size.height)
      throw .notInRange(name, "(\(size.width), \(size.height))", smallest: smallest, range)
    }
  }

  /// Checks that every edge is from 0 to ``ConvolutionGeometry/maximumArgument``.
  package static func nonNegative(_ edges: Edges, _ name: String) throws(ShapeError) {
    let range = 0...ConvolutionGeometry.maximumArgument
    let numbers = [edges.top, edges.left, edges.bottom, edges.right]
    guard numbers.allSatisfy(range.contains) else {
      throw .notInRange(name, edges.description, smallest: numbers.min() ?? 0, range)
    }
  }

  /// Checks a condition on an argument; the error states what is needed.
  package static func require(
    _ condition: Bool, _ name: String, _ value: String, needs: String
  ) throws(ShapeError) {
    guard condition else { throw .outOfRange(name, value, needs: needs) }
  }

  /// Checks that a shape has the three axes of an image.
  package static func image(_ shape: Shape) throws(ShapeError) {
    guard shape.isImage else { throw .notAnImage() }
  }

  /// The single input of a layer that takes exactly one; it must be a shape that a tensor can have.
  package static func single(_ inputs: [Shape]) throws(ShapeError) -> Shape {
    try count(inputs, from: 1, to: 1)
    return try tensor(inputs[0])
  }

  /// Checks that a layer received from `least` to `most` tensors.
  ///
  /// `example` shows the correct syntax in the error: `[a, b] --> Add()`.
  package static func count(
    _ inputs: [Shape], from least: Int, to most: Int = .max, example: String? = nil
  ) throws(ShapeError) {
    guard inputs.count >= least, inputs.count <= most else {
      throw .wrongInputCount(inputs.count, from: least, to: most, example: example)
    }
  }

  /// Checks and returns a shape: rank, positive sizes, number of elements.
  ///
  /// Later computations with its sizes cannot overflow.
  package static func tensor(_ input: Shape) throws(ShapeError) -> Shape {
    guard (1...Shape.maximumRank).contains(input.rank) else { throw .badRank(input.rank) }
    guard input.dimensions.allSatisfy({ ($0 ?? 1) >= 1 }) else { throw .emptyInput() }
    guard Shape.product(of: input.dimensions.map { $0 ?? 1 }) != nil else { throw .hugeInput() }
    return input
  }

  /// The channels of an image, which must be known.
  package static func channels(of shape: Shape) throws(ShapeError) -> Int {
    try image(shape)
    guard let channels = shape.channels else { throw .unknownSize("a known number of channels") }
    return channels
  }

  /// Checks that an image has one of the given numbers of channels; `meaning` describes them.
  package static func channels(
    of shape: Shape, oneOf counts: [Int], meaning: String
  ) throws(ShapeError) {
    let channels = try channels(of: shape)
    guard counts.contains(channels) else {
      throw .wrongChannels(channels, counts: counts, meaning: meaning)
    }
  }

  /// The size of the last axis, which must be known.
  package static func lastAxis(of shape: Shape) throws(ShapeError) -> Int {
    guard let size = shape.channels else { throw .unknownSize("a known number of channels") }
    return size
  }

  /// Checks that a number is neither infinite nor NaN.
  package static func finite(_ value: Float, _ name: String) throws(ShapeError) {
    try require(value.isFinite, name, "\(value)", needs: "a finite number")
  }

  /// Checks that there is one value or one per channel, and that each is finite.
  ///
  /// If the number of channels is not known, there must be one value.
  package static func perChannel(
    _ values: [Float], _ name: String, channels: Int?
  ) throws(ShapeError) {
    guard values.count == 1 || values.count == channels else {
      throw .wrongValueCount(name, values.count, channels: channels)
    }
    if let value = values.first(where: { !$0.isFinite }) { try finite(value, name) }
  }

  /// Checks that each axis of a shape has a name, which requires 1 to 3 axes.
  package static func namedAxes(_ shape: Shape) throws(ShapeError) {
    guard !shape.axes.contains(.unnamed) else { throw .unnamedAxes(shape.rank) }
  }

  /// Checks that `count` values fill a shape, which must be known.
  package static func values(_ count: Int, fill shape: Shape) throws(ShapeError) {
    _ = try SizeRule.bounded(shape)
    guard shape.elementCount == count else { throw .wrongConstantCount(count, shape: shape) }
  }

  /// Every size of a shape, which must be known; `what` states the purpose in the error.
  package static func known(_ shape: Shape, _ what: String) throws(ShapeError) -> [Int] {
    guard let sizes = shape.sizes else { throw .unknownSize(what) }
    return sizes
  }
}

/// The bound on the size of any tensor.
package enum SizeRule {
  /// Checks and returns a shape: rank, positive sizes, number of elements.
  ///
  /// - Throws: ``ShapeError`` of kind `emptyOutput`, `tooLarge` or `invalidArgument`.
  package static func bounded(_ shape: Shape) throws(ShapeError) -> Shape {
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

  /// Checks that a parameter is within the bounds of any tensor.
  ///
  /// - Throws: ``ShapeError`` of kind `tooLarge`.
  package static func bounded(_ spec: ParameterSpec) throws(ShapeError) {
    guard Shape.product(of: spec.sizes) != nil else {
      throw ShapeError(
        .tooLarge, "the \(spec.type) would be too large", received: spec.shapeText,
        needs: "at most \(Shape.maximumElementCount) values")
    }
  }

  /// The most values per channel that a layer generates itself (2²⁴ values are 64 MiB of Float32).
  package static let maximumConstantCount = 1 << 24

  /// Checks the number of values that a layer generates itself, such as ones for a missing gamma.
  ///
  /// - Throws: ``ShapeError`` of kind `tooLarge`.
  package static func boundedConstant(channels: Int) throws(ShapeError) {
    guard channels <= maximumConstantCount else { throw .tooManyConstants(channels) }
  }
}

/// The rule of groups of channels.
package enum GroupRule {
  /// Checks that `groups` divides both numbers of channels.
  ///
  /// - Throws: ``ShapeError`` of kind `channelsNotDivisible`.
  package static func divides(_ groups: Int, input: Int, output: Int) throws(ShapeError) {
    guard input.isMultiple(of: groups) else {
      throw .channelsNotDivisible("input", input, groups: groups)
    }
    guard output.isMultiple(of: groups) else {
      throw .channelsNotDivisible("output", output, groups: groups)
    }
  }
}
