/// The messages of the rules of ForgeShapes, all in one place; tests pin them.
extension ShapeError {
  /// A layer of sequences has another input; a vector is often the last element of one.
  package static func notASequence(_ shape: Shape) -> ShapeError {
    let isVector = shape.isImage && shape.dimensions.prefix(2).allSatisfy { $0 == 1 }
    return ShapeError(
      .shapeMismatch, "the input is not a sequence", received: shape.description,
      needs: "two axes: time, channels",
      remedy: isVector
        ? "returnSequences: true in the layer before, or a Reshape to one time step"
        : "put a Reshape before this layer")
  }

  /// Numbers, given as text, that are not in a range from 0 or 1; `smallest` is the least of them.
  static func notInRange(
    _ name: String, _ numbers: String, smallest: Int, _ range: ClosedRange<Int>
  ) -> ShapeError {
    let rule =
      smallest >= range.lowerBound
      ? "be at most \(range.upperBound)" : range.lowerBound == 1 ? "be positive" : "not be negative"
    return ShapeError(
      .invalidArgument, "\(name) must \(rule)", received: "\(name): \(numbers)",
      needs: "numbers from \(range.lowerBound) to \(range.upperBound)")
  }

  package static func outOfRange(_ name: String, _ value: String, needs: String) -> ShapeError {
    ShapeError(
      .invalidArgument, "\(name) is out of range", received: "\(name): \(value)", needs: needs)
  }

  static func notAnImage() -> ShapeError {
    ShapeError(
      .shapeMismatch, "the input is not an image",
      needs: "three axes: height, width, channels",
      remedy: "put a Reshape before this layer")
  }

  package static func unknownSize(_ what: String) -> ShapeError {
    ShapeError(
      .unknownSize, "the size of the input is not known",
      needs: what,
      remedy: "give the Input a width and a height, or put a Resize before this layer")
  }

  package static func tooManyElements() -> ShapeError {
    ShapeError(
      .tooLarge, "the output would be too large",
      needs: "at most \(Shape.maximumElementCount) elements")
  }

  static func windowTooLarge(_ geometry: ConvolutionGeometry, kind: Kind) -> ShapeError {
    let extent = geometry.extent
    var width = extent.width
    var height = extent.height
    if case .edges(let edges) = geometry.padding {
      width = max(width - edges.left - edges.right, 1)
      height = max(height - edges.top - edges.bottom, 1)
    }
    let sides =
      width == height
      ? "width and height of at least \(width)"
      : "width of at least \(width) and height of at least \(height)"
    let dilated = geometry.dilation == .one ? "" : " dilated to \(extent)"
    return ShapeError(
      kind,
      kind == .emptyOutput
        ? "the output would be empty" : "the kernel is larger than the input",
      needs: "\(sides) for a \(geometry.kernel) kernel\(dilated) with padding "
        + geometry.padding.description)
  }

  package static func emptyOutput(needs: String) -> ShapeError {
    ShapeError(.emptyOutput, "the output would be empty", needs: needs)
  }

  /// A layer has two states of one name, which is that without the layer's.
  package static func repeatedState(_ name: String) -> ShapeError {
    ShapeError(
      .invalidArgument, "the layer declares the state \"\(name)\" twice",
      needs: "a name of its own for each state", remedy: "give the second another name")
  }

  /// Two layers of one name have a state, which is named with them.
  package static func sharedState(_ name: String) -> ShapeError {
    ShapeError(
      .invalidArgument, "two layers keep the state \"\(name)\"",
      needs: "a name of its own for each layer that keeps a state")
  }

  package static func cacheNeedsCausal() -> ShapeError {
    ShapeError(
      .invalidArgument, "keys and values are kept only for causal attention",
      needs: "isCausal: true", remedy: "cacheLength: nil if there is no stream")
  }

  package static func wrongInputCount(_ count: Int, needs: String) -> ShapeError {
    ShapeError(
      .wrongInputCount, "wrong number of inputs", received: counted(count, "tensor"), needs: needs)
  }

  static func wrongInputCount(
    _ count: Int, from least: Int, to most: Int, example: String?
  ) -> ShapeError {
    let needs: String
    switch (least, most) {
    case (_, 0): needs = "no tensor"
    case (_, .max): needs = "at least \(counted(least, "tensor"))"
    case _ where least == most: needs = "exactly \(counted(least, "tensor"))"
    default: needs = "\(least) to \(counted(most, "tensor"))"
    }
    return .wrongInputCount(count, needs: needs + (example.map { ", as in \($0)" } ?? ""))
  }

  static func badRank(_ rank: Int) -> ShapeError {
    ShapeError(
      .shapeMismatch, "the input has \(rank) axes",
      needs: "1 to \(Shape.maximumRank) axes")
  }

  static func emptyInput() -> ShapeError {
    ShapeError(.shapeMismatch, "the input is empty", needs: "every size to be at least 1")
  }

  static func hugeInput() -> ShapeError {
    ShapeError(
      .tooLarge, "the input is too large", needs: "at most \(Shape.maximumElementCount) elements")
  }

  static func tooManyConstants(_ channels: Int) -> ShapeError {
    ShapeError(
      .tooLarge, "the input has too many channels",
      needs: "at most \(SizeRule.maximumConstantCount) channels, not \(channels)")
  }

  static func wrongChannels(_ channels: Int, counts: [Int], meaning: String) -> ShapeError {
    let choices = counts.map(String.init).joined(separator: " or ")
    return ShapeError(
      .shapeMismatch, "the input has \(counted(channels, "channel"))",
      needs: "\(choices) channels: \(meaning)")
  }

  static func wrongValueCount(_ name: String, _ count: Int, channels: Int?) -> ShapeError {
    let needs =
      switch channels {
      case nil: "1 value, as the number of channels is not known"
      case 1: "1 value"
      case let channels?: "1 value, or one for each of \(channels) channels"
      }
    return ShapeError(
      .invalidArgument, "\(name) has the wrong number of values",
      received: "\(name): \(counted(count, "value"))", needs: needs)
  }

  static func wrongConstantCount(_ count: Int, shape: Shape) -> ShapeError {
    ShapeError(
      .invalidArgument, "the values do not fill the shape",
      received: "\(counted(count, "value")) for \(shape)",
      needs: shape.elementCount.map { counted($0, "value") } ?? "a shape of known sizes")
  }

  static func paddingTooLarge(_ geometry: ConvolutionGeometry) -> ShapeError {
    let extent = geometry.extent
    return .outOfRange(
      "padding", geometry.padding.description,
      needs: "left and right below \(extent.width), top and bottom below \(extent.height), "
        + "so that every window holds a pixel")
  }

  static func unnamedAxes(_ rank: Int) -> ShapeError {
    ShapeError(
      .shapeMismatch, "the axes of the input have no names", needs: "1 to 3 axes, not \(rank)",
      remedy: "put a Reshape before this layer")
  }

  static func channelsNotDivisible(_ what: String, _ channels: Int, groups: Int) -> ShapeError {
    ShapeError(
      .channelsNotDivisible, "the \(what) channels cannot be divided into \(groups) groups",
      needs: "a number of \(what) channels divisible by \(groups), not \(channels)")
  }

  package static func cannotBroadcast() -> ShapeError {
    ShapeError(
      .shapeMismatch, "the inputs do not match",
      needs: "sizes that are equal along each axis, or 1 where they differ")
  }

  package static func cannotScatter(_ operands: [Shape]) -> ShapeError {
    let sizes = operands.prefix(3).map(\.sizeText)
    let names = ["data", "indices", "updates"]
    return ShapeError(
      .shapeMismatch, "indices and updates do not fit the data",
      received: zip(names, sizes).map { "\($0) \($1)" }.joined(separator: ", "),
      needs: "tensors of one rank, updates no larger than the data except along the axis, "
        + "and indices of the updates' sizes or 1")
  }

  static func cannotConcatenate(axis: String) -> ShapeError {
    ShapeError(
      .shapeMismatch, "the inputs do not match",
      needs: "the same rank and, on every axis but \(axis), the same sizes")
  }

  package static func cannotReshape(_ count: Int, to target: String) -> ShapeError {
    ShapeError(
      .shapeMismatch, "the input cannot take the shape \(target)",
      needs: "a shape of " + ShapeError.counted(count, "element"))
  }

  static func badPermutation(_ order: [Int], rank: Int) -> ShapeError {
    ShapeError(
      .invalidArgument, "order is not a permutation of the axes",
      received: "order: \(order)", needs: "each of 0 to \(rank - 1) once")
  }

  package static func emptyParameter(_ spec: ParameterSpec) -> ShapeError {
    ShapeError(
      .invalidArgument, "the \(spec.type) would be empty", received: spec.shapeText,
      needs: "every size to be at least 1")
  }

  package static func repeatedAxis(_ spec: ParameterSpec) -> ShapeError {
    ShapeError(
      .invalidArgument, "the \(spec.type) name an axis twice", received: spec.shapeText,
      needs: "each axis once, as sources find values by their axes")
  }

  package static func repeatedParameter(_ spec: ParameterSpec) -> ShapeError {
    ShapeError(
      .invalidArgument, "the layer has two parameters called \(spec.type)",
      needs: "a type of its own for each, as sources find parameters by type")
  }
}
