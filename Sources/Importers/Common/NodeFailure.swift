/// Why a node cannot be imported.
enum NodeFailure: Error {
  /// Forge lacks the operator, or what the text names of it.
  case unsupported(String?)
  /// The node contradicts its inputs.
  case invalid(String)
}
