#if Macros
  import SwiftSyntax

  /// The names that a piece of syntax declares, at any depth.
  enum DeclaredNames {
    static func of(_ node: some SyntaxProtocol) -> Set<String> {
      var names: Set<String> = []
      collect(Syntax(node), into: &names)
      return names
    }

    private static func collect(_ node: Syntax, into names: inout Set<String>) {
      if let pattern = node.as(IdentifierPatternSyntax.self) {
        names.insert(pattern.identifier.text)
      } else if let named = node.asProtocol((any NamedDeclSyntax).self) {
        names.insert(named.name.text)
      } else if let element = node.as(EnumCaseElementSyntax.self) {
        names.insert(element.name.text)
      } else if node.is(CodeBlockSyntax.self) || node.is(AccessorBlockSyntax.self) {
        // Names of a body are none outside of it.
        return
      }
      for child in node.children(viewMode: .sourceAccurate) { collect(child, into: &names) }
    }
  }

  /// The parameters that a closure names `$0`, `$1` and so on.
  enum ShorthandNames {
    /// One more than the largest number, without those of closures inside.
    static func count(in node: Syntax) -> Int {
      if let reference = node.as(DeclReferenceExprSyntax.self),
        case .dollarIdentifier(let name) = reference.baseName.tokenKind,
        let number = Int(name.dropFirst())
      {
        return number + 1
      }
      return node.children(viewMode: .sourceAccurate).reduce(0) { count, child in
        child.is(ClosureExprSyntax.self) ? count : max(count, self.count(in: child))
      }
    }
  }
#endif
