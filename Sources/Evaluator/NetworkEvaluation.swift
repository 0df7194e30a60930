#if Macros
  import ForgeGraph
  import ForgeShapes
  import SwiftParser
  import SwiftSyntax

  /// Evaluates what stands in a macro, with the file around it.
  public struct NetworkEvaluation {
    private let evaluator: Evaluator
    private let source: SourceText
    private let file: EnclosingFile?

    private init(evaluator: Evaluator, source: SourceText, file: EnclosingFile?) {
      self.evaluator = evaluator
      self.source = source
      self.file = file
    }

    /// Creates an evaluation of one macro.
    ///
    /// - Parameters:
    ///   - root: the syntax that the macro was given, as a whole.
    ///   - fileID: the file as `#fileID` names it.
    ///   - filePath: the path of the file; `nil` for none.
    ///   - line: the line of the first byte of the syntax.
    ///   - column: the column of that byte.
    public init(
      of root: some SyntaxProtocol, fileID: String, filePath: String?, line: Int, column: Int
    ) {
      evaluator = Evaluator()
      source = SourceText(root, fileID: fileID, line: line, column: column)
      file = filePath.map {
        EnclosingFile(
          path: $0, fileID: fileID, line: line, column: column, text: root.description,
          leadingBytes: root.leadingTriviaLength.utf8Length)
      }
    }

    /// The value that a closure without parameters returns.
    func call(_ closure: ClosureExprSyntax) -> Value {
      let function = Function(closure, in: outermostScope())
      let value = evaluator.call(function, [], at: Syntax(closure))
      return evaluator.typed(value, at: closure)
    }

    private func outermostScope() -> NameScope {
      let (file, evaluator) = (file, evaluator)
      return NameScope(source: source) { file?.scope(for: evaluator) }
    }

    private func check(
      _ value: Value, at node: Syntax, _ options: CheckOptions, isEdited: Bool = false,
      again: @escaping (NetworkEvaluation, Syntax) -> CheckedNetwork?
    ) -> CheckedNetwork {
      let check = NetworkCheck(evaluator: evaluator, source: source, options: options) { fixIt in
        // An edited network is not edited again.
        guard !isEdited, let network = edited(by: fixIt, again) else { return nil }
        return network.outputs.isEmpty ? nil : network.problems.count
      }
      return check.check(value, at: node)
    }

    /// The network of the source with a change.
    private func edited(
      by fixIt: Finding.FixIt, _ check: (NetworkEvaluation, Syntax) -> CheckedNetwork?
    ) -> CheckedNetwork? {
      var bytes = source.root.syntaxTextBytes
      let start = source.root.position.utf8Offset
      let lower = fixIt.range.lowerBound.utf8Offset - start
      let upper = fixIt.range.upperBound.utf8Offset - start
      guard lower >= 0, lower <= upper, upper <= bytes.count else { return nil }
      bytes.replaceSubrange(lower..<upper, with: fixIt.text.utf8)
      let file = Parser.parse(source: String(decoding: bytes, as: UTF8.self))
      guard let first = file.statements.first.map({ Syntax($0.item) }) else { return nil }
      let evaluation = NetworkEvaluation(
        evaluator: Evaluator(), source: source.replacing(root: Syntax(file)), file: self.file)
      return check(evaluation, first)
    }

    /// Checks the network that a type describes in its static property `body`.
    ///
    /// - Parameters:
    ///   - declaration: the type.
    ///   - name: its name.
    ///   - options: what is asked of the check.
    /// - Returns: the result; an error is found if the type has no body.
    public func check(
      _ declaration: some DeclGroupSyntax, named name: String, options: CheckOptions
    ) -> CheckedNetwork {
      check(declaration, named: name, options: options, isEdited: false)
    }

    private func check(
      _ declaration: some DeclGroupSyntax, named name: String, options: CheckOptions,
      isEdited: Bool
    ) -> CheckedNetwork {
      let outer = outermostScope()
      let type = UserType(declaration, name: name, in: outer, evaluator: evaluator)
      outer.bind(name, to: .type(type))
      outer.bind("Self", to: .type(type))
      let body = declaration.memberBlock.members.lazy
        .compactMap { $0.decl.as(VariableDeclSyntax.self) }
        .flatMap(\.bindings)
        .first { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == "body" }
      guard let body else {
        var result = CheckedNetwork()
        result.findings.append(
          Finding(
            severity: .error, node: Syntax(declaration.introducer),
            message: "a network needs a body: static let body = Input(…) --> …"))
        return result
      }
      // The body first: the order in which tensors are made is that of the running program.
      let value = evaluator.lookUp("body", at: body, in: type.scope)
      for case .lazy(let member) in type.scope.all { _ = member.value }
      return check(value, at: Syntax(body.pattern), options, isEdited: isEdited) { again, node in
        node.asProtocol((any DeclGroupSyntax).self).map {
          again.check($0, named: name, options: options, isEdited: true)
        }
      }
    }

    /// Checks the network that a closure describes.
    ///
    /// - Parameters:
    ///   - closure: the closure.
    ///   - node: the node for what belongs to no layer.
    ///   - options: what is asked of the check.
    /// - Returns: the result.
    public func check(
      _ closure: ClosureExprSyntax, at node: some SyntaxProtocol, options: CheckOptions
    ) -> CheckedNetwork {
      check(closure, at: Syntax(node), options: options, isEdited: false)
    }

    private func check(
      _ closure: ClosureExprSyntax, at node: Syntax, options: CheckOptions, isEdited: Bool
    ) -> CheckedNetwork {
      let value = evaluator.call(Function(closure, in: outermostScope()), [], at: node)
      return check(value, at: node, options, isEdited: isEdited) { again, node in
        guard let expansion = node.as(MacroExpansionExprSyntax.self),
          let closure =
            expansion.trailingClosure
            ?? expansion.arguments.last?.expression.as(ClosureExprSyntax.self)
        else { return nil }
        return again.check(closure, at: node, options: options, isEdited: true)
      }
    }

    /// Checks the network that an expression stands for: a tensor or a model.
    ///
    /// - Parameter expression: the expression, an argument of the macro.
    /// - Returns: the result.
    public func check(_ expression: ExprSyntax) -> CheckedNetwork {
      check(expression, isEdited: false).network
    }

    /// The shape of a tensor, with what there is to say about it.
    ///
    /// - Parameter expression: an expression of a tensor, an argument of the macro.
    /// - Returns: the shape, `nil` if it is not known.
    public func shape(of expression: ExprSyntax) -> (shape: Shape?, findings: [Finding]) {
      var (value, network) = check(expression, isEdited: false)
      // A tensor may be described in part only.
      network.findings.removeAll { $0.severity == .warning }
      guard case .tensor(let tensor) = value else { return (nil, network.findings) }
      return (tensor.shape, network.findings)
    }

    private func check(
      _ expression: ExprSyntax, isEdited: Bool
    ) -> (value: Value, network: CheckedNetwork) {
      let value = evaluator.evaluate(expression, in: outermostScope())
      let network = check(
        value, at: Syntax(expression), CheckOptions(), isEdited: isEdited
      ) { again, node in
        node.as(MacroExpansionExprSyntax.self)?.arguments.first.map {
          again.check($0.expression, isEdited: true).network
        }
      }
      return (value, network)
    }

    /// The places of the layers that stand in the macro itself, by the call of each.
    public var placedCalls: [(call: FunctionCallExprSyntax, place: SourcePlace)] {
      evaluator.nodes.compactMap { place, located in
        guard located.node.root.id == source.root.root.id,
          let call = located.node.as(FunctionCallExprSyntax.self)
        else { return nil }
        return (call, place)
      }
    }
  }
#endif
