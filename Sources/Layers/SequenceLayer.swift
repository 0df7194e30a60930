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
      throw .notASequence(shape)
    }
    let sizes = try ArgumentRule.known(shape, "a sequence of known length")
    return try apply(.reshape([1] + sizes), to: [input])
  }

  /// The only input as an image of one row; with padding `.streaming` after the steps that a window
  /// covers before it, which are kept from one prediction to the next.
  mutating func sequence(
    kernel: Int, stride: Int, dilation: Int, padding: Padding1D
  ) throws(ShapeError) -> Value {
    let image = try sequence()
    guard padding == .streaming, stride > 0 else { return image }
    let sizes = try ArgumentRule.known(shape(of: image), "a sequence of known length")
    guard sizes[1].isMultiple(of: stride) else {
      throw ShapeError(
        .invalidArgument, "a part of the stream ends between two windows",
        received: ShapeError.counted(sizes[1], "step"), needs: "a multiple of the stride \(stride)",
        remedy: length == nil ? nil : BackendError.lengthRemedy)
    }
    let before = max(kernel.addingSaturated(-1), 0).multipliedSaturated(by: dilation)
    guard before > 0 else { return image }
    let kept = try state("steps", shape: Shape(sizes: [1, before, sizes[2]]))
    let steps = try apply(.concatenate(axis: 1), to: [kept, image])
    try setState(kept, to: try apply(.crop(Edges(left: sizes[1])), to: [steps]))
    return steps
  }

  /// Sets the output to an image of one row as a sequence [time][channels].
  mutating func setSequence(_ image: Value) throws(ShapeError) {
    let sizes = try ArgumentRule.known(shape(of: image), "a sequence of known length")
    let sequence = try apply(.reshape(Array(sizes.dropFirst())), to: [image])
    state(.channelsFirst, of: sequence)
    output = sequence
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
      case .valid, .streaming: .valid
      case .causal:
        .explicit(left: max(kernel.addingSaturated(-1), 0).multipliedSaturated(by: dilation))
      case .explicit(let before, let after): .explicit(left: before, right: after)
      }
    self.init(
      kernel: Size(width: kernel, height: 1), stride: Size(width: stride, height: 1),
      dilation: Size(width: dilation, height: 1), padding: edges, rounding: rounding)
  }
}
