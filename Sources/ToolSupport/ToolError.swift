import Forge

/// An error of the tool itself, in Forge's one form.
package typealias ToolError = ForgeError<ToolErrorKind>

/// The kinds of ``ToolError``.
package enum ToolErrorKind: String, Hashable, Sendable {
  /// A tensor does not fit an input.
  case wrongInput
  /// A path does not suit what is to be written.
  case wrongOutput
  /// An argument names nothing in the model.
  case unknownName
  /// Two networks cannot be compared.
  case incomparable
  /// A command needs the layers of a network, and a compiled file does not hold them.
  case layersNeeded
  /// An argument chooses what a compiled file fixes.
  case fixedByFile
  /// A list of cases is not one.
  case malformed
}

extension ToolError {
  /// The error of a name that is not that of an input.
  package static func noInput(_ name: String, known: [String]) -> ToolError {
    let names = known.map { "\"\($0)\"" }.joined(separator: ", ")
    return ToolError(
      .unknownName, "the model has no input \"\(name)\"", needs: names.isEmpty ? "none" : names)
  }
}
