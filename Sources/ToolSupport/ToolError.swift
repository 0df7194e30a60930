import Forge

/// An error of the tool itself, in Forge's one form.
package typealias ToolError = ForgeError<ToolErrorKind>

/// The kinds of ``ToolError``.
package enum ToolErrorKind: String, Hashable, Sendable {
  /// A tensor does not fit an input.
  case wrongInput
  /// An argument names nothing in the model.
  case unknownName
  /// Two networks cannot be compared.
  case incomparable
  /// A list of cases is not one.
  case malformed
}
