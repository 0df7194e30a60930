import ForgeShapes

/// The messages, all in one place; tests pin them.
extension ReferenceError {
  static func badSizes(_ sizes: [Int]) -> ReferenceError {
    ReferenceError(
      .shapeMismatch, "the tensor's sizes are out of range", received: "\(sizes)",
      needs: "1 to \(Shape.maximumRank) sizes of at least 1, together at most "
        + "\(Shape.maximumElementCount) values")
  }

  static func wrongElementCount(_ what: String, _ count: Int, sizes: [Int]) -> ReferenceError {
    let product = sizes.map(String.init).joined(separator: "·")
    // A product beyond the bounds of a tensor is not evaluated.
    let needs = sizes.count == 1 ? product : Shape.product(of: sizes).map { "\($0) = \(product)" }
    return ReferenceError(
      .wrongElementCount, "there are too few or too many \(what)",
      received: counted(count, "value"), needs: needs ?? product)
  }

  static func wrongInputCount(_ operation: String, _ count: Int, needs: String) -> ReferenceError {
    ReferenceError(
      .wrongInputCount, "wrong number of inputs for \(operation)",
      received: count == 1 ? "1 tensor" : "\(count) tensors", needs: needs)
  }

  static func shape(_ error: ShapeError) -> ReferenceError {
    ReferenceError(
      .shapeMismatch, error.headline, received: error.received, needs: error.needs, cause: error)
  }

  static func otherShape(_ what: String, _ sizes: [Int], needs: Shape) -> ReferenceError {
    ReferenceError(
      .shapeMismatch, "\(what) has the wrong shape", received: Shape(sizes: sizes).description,
      needs: needs.description)
  }

  static func unknownShape(_ shape: Shape) -> ReferenceError {
    ReferenceError(
      .unknownShape, "a size of the graph is not known", received: shape.description,
      needs: "a graph bound to the sizes of its inputs")
  }

  static func invalidCrop(_ slot: String, _ crop: CropRectangle, image: Size) -> ReferenceError {
    ReferenceError(
      .invalidCrop, "the crop rectangle \"\(slot)\" does not lie inside the image",
      received: "x \(crop.x), y \(crop.y), width \(crop.width), height \(crop.height)",
      needs: "a width and height above 0, inside \(image) (width×height)")
  }

  static func channelOutOfRange(_ channel: Int, channels: Int) -> ReferenceError {
    ReferenceError(
      .invalidArgument, "order is out of range", received: "channel \(channel)",
      needs: "0 to \(channels - 1)")
  }

  static func emptyOrder() -> ReferenceError {
    ReferenceError(
      .invalidArgument, "order is empty", received: "order: []", needs: "at least 1 channel")
  }

  static func unknownValue(_ index: Int) -> ReferenceError {
    ReferenceError(
      .unknownValue, "the graph does not compute the value", received: "value \(index)")
  }

  static func customBody(_ cause: any Error) -> ReferenceError {
    ReferenceError(.customBody, "the arithmetic of the custom layer failed", cause: cause)
  }

  static func parameter(_ index: Int, _ cause: any Error) -> ReferenceError {
    ReferenceError(.parameter, "parameter \(index) could not be read", cause: cause)
  }
}
