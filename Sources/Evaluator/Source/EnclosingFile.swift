#if Macros
  import FoundationEssentials
  import SwiftParser
  import SwiftSyntax

  /// The file around a macro, whose declarations the network may use.
  ///
  /// The Swift compiler passes a macro its own syntax only. Names that are declared elsewhere in
  /// the file are looked up in the file itself, which is read when the first of them is used. A
  /// change of the file compiles it again, and so expands the macro again.
  struct EnclosingFile {
    /// The path of the file.
    let path: String
    /// The file as `#fileID` names it.
    let fileID: String
    /// The line and column at which the macro begins.
    let line: Int
    let column: Int
    /// The text of the macro with its trivia, by which it is found in the file.
    let text: String
    /// The bytes of trivia before the macro.
    let leadingBytes: Int

    /// The largest file that is read, in bytes.
    private static let maximumSize = 16 << 20

    /// The names at the place of the macro; `nil` if the file cannot be read or holds something
    /// else there, such as changes in an editor that are not saved.
    func scope(for evaluator: Evaluator) -> NameScope? {
      guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)),
        data.count <= Self.maximumSize, let content = String(data: data, encoding: .utf8)
      else { return nil }
      let file = Parser.parse(source: content)
      let source = SourceText(file, fileID: fileID, isVisible: false)
      guard
        let position = source.position(of: .init(fileID: fileID, line: line, column: column)),
        content.utf8.dropFirst(position.utf8Offset).starts(with: text.utf8)
      else { return nil }
      let outer = NameScope(source: source)
      // The macro begins with its trivia, which may belong to the code before it.
      let start = position.advanced(by: leadingBytes)
      declare(file.statements, before: nil, around: start, in: outer, evaluator)
      guard let token = file.token(at: start) else { return outer }
      return enclosing(Syntax(token), outer, evaluator)
    }

    /// The scopes from the file inwards to a node.
    private func enclosing(
      _ node: Syntax, _ file: NameScope, _ evaluator: Evaluator
    ) -> NameScope {
      var ancestors: [Syntax] = []
      var next: Syntax? = node
      while let current = next {
        ancestors.append(current)
        next = current.parent
      }
      var scope = file
      for ancestor in ancestors.reversed() {
        if let type = ancestor.asProtocol(DeclGroupSyntax.self) {
          let name = ancestor.asProtocol(NamedDeclSyntax.self)?.name.text ?? ""
          scope = UserType(type, name: name, in: scope, evaluator: evaluator).scope
        } else if let function = ancestor.as(FunctionDeclSyntax.self) {
          scope = NameScope(scope)
          let parameters = Function.parameters(function.signature.parameterClause)
          for parameter in parameters { bindParameter(parameter.name, function, scope) }
        } else if let initializer = ancestor.as(InitializerDeclSyntax.self) {
          scope = NameScope(scope)
          let parameters = Function.parameters(initializer.signature.parameterClause)
          for parameter in parameters { bindParameter(parameter.name, initializer, scope) }
        } else if let closure = ancestor.as(ClosureExprSyntax.self) {
          scope = NameScope(scope)
          for parameter in Function(closure, in: scope).parameters {
            bindParameter(parameter.name, closure, scope)
          }
          for capture in closure.signature?.capture?.items ?? [] {
            bindParameter(capture.name.text, closure, scope)
          }
        } else if let body = ancestor.as(CodeBlockItemListSyntax.self),
          ancestor.parent?.is(SourceFileSyntax.self) != true
        {
          scope = NameScope(scope)
          declare(body, before: node.position, around: node.position, in: scope, evaluator)
        } else {
          let header = Self.header(of: ancestor)
          if !header.isEmpty { scope = NameScope(scope) }
          for part in header { bindNames(of: part, in: scope) }
        }
      }
      return scope
    }

    /// The parts of a statement that declare names for its body.
    private static func header(of node: Syntax) -> [Syntax] {
      if let loop = node.as(ForStmtSyntax.self) { return [Syntax(loop.pattern)] }
      if let conditional = node.as(IfExprSyntax.self) { return [Syntax(conditional.conditions)] }
      if let loop = node.as(WhileStmtSyntax.self) { return [Syntax(loop.conditions)] }
      if let branch = node.as(SwitchCaseSyntax.self) { return [Syntax(branch.label)] }
      if let handler = node.as(CatchClauseSyntax.self) { return [Syntax(handler.catchItems)] }
      return []
    }

    /// Makes the names that patterns bind unknown, so that they hide those of outer scopes.
    private func bindNames(of node: Syntax, in scope: NameScope) {
      if let pattern = node.as(IdentifierPatternSyntax.self) {
        let name = pattern.identifier.text
        scope.bind(
          name, to: .unknown(Unknown(pattern, "\"\(name)\" is known when the program runs")))
      }
      guard !node.is(ClosureExprSyntax.self) else { return }
      for child in node.children(viewMode: .sourceAccurate) { bindNames(of: child, in: scope) }
    }

    private func bindParameter(_ name: String, _ node: some SyntaxProtocol, _ scope: NameScope) {
      scope.bind(name, to: .unknown(Unknown(node, "\"\(name)\" is a parameter")))
    }

    /// Declares what statements declare, as far as they stand before a position.
    ///
    /// The clause of a `#if` that holds the macro is compiled, so its condition is known to hold.
    /// It declares its names in a scope of its own.
    private func declare(
      _ statements: CodeBlockItemListSyntax, before end: AbsolutePosition?,
      around macro: AbsolutePosition, in scope: NameScope, _ evaluator: Evaluator
    ) {
      for statement in statements {
        if case .stmt(let statement) = statement.item,
          let condition = statement.as(GuardStmtSyntax.self)?.conditions
        {
          bindNames(of: Syntax(condition), in: scope)
        }
        guard case .decl(let declaration) = statement.item else { continue }
        if declaration.is(IfConfigDeclSyntax.self), declaration.position <= macro,
          macro < declaration.endPosition
        {
          continue
        }
        if let variable = declaration.as(VariableDeclSyntax.self) {
          if let end, statement.position >= end { continue }
          evaluator.declareLazily(variable, in: scope)
        } else {
          evaluator.declare(declaration, in: scope)
        }
      }
    }
  }
#endif
