import ForgeShapes

/// An error of the reference executor.
package typealias ReferenceError = ForgeError<ReferenceErrorKind>

/// The kinds of ``ReferenceError``.
package enum ReferenceErrorKind: String, Hashable, Sendable {
  /// The shapes do not fit the operation.
  case shapeMismatch
  /// The number of tensors is not what the operation takes.
  case wrongInputCount
  /// The number of values does not match the tensor's sizes, or the operation.
  case wrongElementCount
  /// A size of the graph is not known.
  case unknownShape
  /// A crop rectangle is empty or reaches outside its image.
  case invalidCrop
  /// An argument of the operation is out of range.
  case invalidArgument
  /// The source of parameters failed.
  case parameter
  /// A custom operation threw.
  case customBody
  /// The graph has no such value.
  case unknownValue
}
