import ForgeOperations
import ForgeShapes

extension Lowering {
  /// A sequence [positions][channels], or several in rows, as an image [rows][positions][channels].
  ///
  /// The number of positions may be unknown.
  mutating func positions(_ value: Value) throws(ShapeError) -> Value {
    let shape = shape(of: value)
    if shape.isImage { return value }
    guard shape.rank == 2 else {
      throw ShapeError(
        .shapeMismatch, "the input is not a sequence", received: shape.description,
        needs: "two axes: positions, channels; or three: rows, positions, channels",
        remedy: "put a Reshape before this layer")
    }
    return try apply(.reshape([1, -1, try ArgumentRule.lastAxis(of: shape)]), to: [value])
  }

  /// An image [rows][positions][channels] with as many axes as a value that it was made from.
  mutating func positions(_ image: Value, like value: Value) throws(ShapeError) -> Value {
    guard shape(of: value).rank == 2 else { return image }
    let sequence = try apply(
      .reshape([-1, try ArgumentRule.lastAxis(of: shape(of: image))]), to: [image])
    state(.stepsFirst, of: sequence)
    return sequence
  }
}
