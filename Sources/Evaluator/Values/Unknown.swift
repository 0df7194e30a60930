#if Macros
  import SwiftSyntax

  /// A value that cannot be known while Swift compiles.
  struct Unknown: Error {
    /// The expression that has no known value.
    let node: Syntax
    /// Why it has none, as a clause: `"n" is declared outside this file`.
    let reason: String

    init(_ node: some SyntaxProtocol, _ reason: String) {
      self.node = Syntax(node)
      self.reason = reason
    }
  }
#endif
