/// A shape rule that a layer's arguments or inputs violate.
///
/// It includes neither the layer's name nor its location; the graph adds both and the received
/// shapes (see ``Problem``).
public typealias ShapeError = ForgeError<ShapeErrorKind>

/// The kinds of ``ShapeError``.
public enum ShapeErrorKind: String, Hashable, Sendable {
  /// A layer needs a size that is not known before prediction.
  case unknownSize
  /// The output would have no elements.
  case emptyOutput
  /// A pooling window does not fit into its input.
  case kernelLargerThanInput
  /// Inputs do not fit together, or the shape of an input is not what the layer takes.
  case shapeMismatch
  /// Channels cannot be divided evenly into groups.
  case channelsNotDivisible
  /// An argument is zero or negative where that is not allowed, or out of range.
  case invalidArgument
  /// A product of sizes is larger than any tensor may be.
  case tooLarge
  /// The number of inputs is not what the layer takes.
  case wrongInputCount
  /// The shape rule of a `Custom` layer threw.
  case customRule
}
