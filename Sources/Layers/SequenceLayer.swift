import ForgeOperations
import ForgeShapes

/// A layer of sequences [time][channels], lowered to operations on images of one row.
package protocol SequenceLayer: BuiltInLayer {}

extension Lowering {
  /// The only input, a sequence [time][channels] of known sizes, as an image of one row.
  mutating func sequence() throws(ShapeError) -> Value {
    let input = try input()
    let shape = shape(of: input)
    guard shape.rank == 2 else {
      throw ShapeError(
        .shapeMismatch, "the input is not a sequence", received: shape.description,
        needs: "two axes: time, channels", remedy: "put a Reshape before this layer")
    }
    let sizes = try ArgumentRule.known(shape, "a sequence of known length")
    return try apply(.reshape([1] + sizes), to: [input])
  }

  /// Sets the output to an image of one row as a sequence [time][channels].
  mutating func setSequence(_ image: Value) throws(ShapeError) {
    let sizes = try ArgumentRule.known(shape(of: image), "a sequence of known length")
    output = try apply(.reshape(Array(sizes.dropFirst())), to: [image])
  }
}

extension ConvolutionGeometry {
  /// The window of a sequence, which is an image of one row.
  init(
    kernel: Int, stride: Int, dilation: Int, padding: Padding1D,
    rounding: WindowRounding = .floor
  ) {
    let edges: Padding =
      switch padding {
      case .same: .same
      case .valid: .valid
      case .causal:
        .explicit(left: max(kernel.addingSaturated(-1), 0).multipliedSaturated(by: dilation))
      case .explicit(let before, let after): .explicit(left: before, right: after)
      }
    self.init(
      kernel: Size(width: kernel, height: 1), stride: Size(width: stride, height: 1),
      dilation: Size(width: dilation, height: 1), padding: edges, rounding: rounding)
  }
}
