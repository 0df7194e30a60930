#if Macros
  import SwiftSyntax

  /// Statements and declarations.
  extension Evaluator {
    /// What follows a statement.
    enum Flow {
      /// The next statement.
      case next
      /// The value of an expression that stands alone, and so may be the result of its body.
      case result(Value)
      case `return`(Value)
      case `break`(String?)
      case `continue`(String?)
      /// The next case of a `switch`.
      case `fallthrough`
      /// Which statements run is not known, so nothing after it is.
      case unknown(Unknown)
    }

    /// The value of a body that has run.
    func value(of flow: Flow, at node: some SyntaxProtocol) -> Value {
      switch flow {
      case .result(let value), .return(let value): value
      case .unknown(let unknown): .unknown(unknown)
      case .next, .break, .continue, .fallthrough: .void
      }
    }

    /// Runs statements; the only expression of a body is its result.
    func run(
      _ statements: CodeBlockItemListSyntax, in scope: NameScope, isBody: Bool = false
    ) -> Flow {
      for statement in statements {
        if case .decl(let declaration) = statement.item,
          !declaration.is(VariableDeclSyntax.self)
        {
          declare(declaration, in: scope)
        }
      }
      var deferred: [CodeBlockItemListSyntax] = []
      var flow = run(statements, in: scope, isBody: isBody, &deferred)
      // What `defer` holds runs in turn, after the result is known.
      for body in deferred.reversed() {
        if case .unknown(let unknown) = run(body, in: NameScope(scope)) { flow = .unknown(unknown) }
      }
      return flow
    }

    private func run(
      _ statements: CodeBlockItemListSyntax, in scope: NameScope, isBody: Bool,
      _ deferred: inout [CodeBlockItemListSyntax]
    ) -> Flow {
      let isSingle = isBody && statements.count == 1
      for statement in statements {
        if case .stmt(let item) = statement.item, let delayed = item.as(DeferStmtSyntax.self) {
          deferred.append(delayed.body.statements)
          continue
        }
        let flow = run(statement, in: scope)
        switch flow {
        case .next: continue
        case .result:
          // What a statement may change that is not evaluated is unknown already.
          if isSingle { return flow }
        case .return, .break, .continue, .fallthrough, .unknown: return flow
        }
      }
      return .next
    }

    private func run(_ statement: CodeBlockItemSyntax, in scope: NameScope) -> Flow {
      if let stop = spend(at: statement) { return .unknown(stop) }
      switch statement.item {
      case .expr(let expression): return .result(evaluate(expression, in: scope))
      case .decl(let declaration):
        if let variable = declaration.as(VariableDeclSyntax.self) { bind(variable, in: scope) }
        if declaration.is(IfConfigDeclSyntax.self) {
          return .unknown(Unknown(declaration, "#if is not evaluated"))
        }
        return .next
      case .stmt(let statement): return run(statement, in: scope)
      }
    }

    private func run(_ statement: StmtSyntax, in scope: NameScope, label: String? = nil) -> Flow {
      switch statement.as(StmtSyntaxEnum.self) {
      case .returnStmt(let statement):
        return .return(statement.expression.map { evaluate($0, in: scope) } ?? .void)
      case .expressionStmt(let statement):
        if let conditional = statement.expression.as(IfExprSyntax.self) {
          return run(conditional, in: scope)
        }
        if let choice = statement.expression.as(SwitchExprSyntax.self) {
          return run(choice, in: scope)
        }
        return .result(evaluate(statement.expression, in: scope))
      case .forStmt(let loop): return run(loop, in: scope, label: label)
      case .whileStmt(let loop): return run(loop, in: scope, label: label)
      case .repeatStmt(let loop): return run(loop, in: scope, label: label)
      case .guardStmt(let statement):
        switch check(statement.conditions, in: scope, binding: scope) {
        case .success(true): return .next
        case .success(false): return run(statement.body.statements, in: NameScope(scope))
        case .failure(let unknown): return .unknown(unknown)
        }
      case .breakStmt(let statement): return .break(statement.label?.text)
      case .continueStmt(let statement): return .continue(statement.label?.text)
      case .fallThroughStmt: return .fallthrough
      case .labeledStmt(let labeled):
        let flow = run(labeled.statement, in: scope, label: labeled.label.text)
        if case .break(labeled.label.text) = flow { return .next }
        return flow
      case .doStmt(let statement) where statement.catchClauses.isEmpty:
        let flow = run(statement.body.statements, in: NameScope(scope))
        if case .result = flow { return .next }
        return flow
      default: return .unknown(Unknown(statement, "this kind of statement is not evaluated"))
      }
    }

    // MARK: Conditions

    /// Runs the branch of an `if` that is taken.
    func run(_ conditional: IfExprSyntax, in scope: NameScope) -> Flow {
      let inner = NameScope(scope)
      switch check(conditional.conditions, in: inner, binding: inner) {
      case .failure(let unknown): return .unknown(unknown)
      case .success(true):
        return run(conditional.body.statements, in: NameScope(inner), isBody: true)
      case .success(false):
        switch conditional.elseBody {
        case .ifExpr(let next): return run(next, in: scope)
        case .codeBlock(let block):
          return run(block.statements, in: NameScope(scope), isBody: true)
        case nil: return .next
        }
      }
    }

    private func check(
      _ conditions: ConditionElementListSyntax, in scope: NameScope, binding target: NameScope
    ) -> Result<Bool, Unknown> {
      for element in conditions {
        switch element.condition {
        case .expression(let expression):
          switch evaluate(expression, in: scope) {
          case .bool(true): continue
          case .bool(false): return .success(false)
          case let other:
            return .failure(other.unknown ?? Unknown(expression, "the condition is not known"))
          }
        case .optionalBinding(let binding):
          guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
            return .failure(Unknown(binding, "this condition is not evaluated"))
          }
          let value =
            binding.initializer.map { evaluate($0.value, in: scope) }
            ?? lookUp(name, at: binding, in: scope)
          switch value {
          case .none, .optional(nil, _): return .success(false)
          case .unknown(let unknown): return .failure(unknown)
          case .optional(let inner?, let wrapped):
            let stated = binding.typeAnnotation.map { resolve($0.type, in: scope) }
            let value = stated.map { coerced(inner, to: $0, at: binding) } ?? inner
            target.bind(
              name,
              to: Variable(
                value, type: stated ?? wrapped,
                isMutable: binding.bindingSpecifier.tokenKind == .keyword(.var)))
          default: return .failure(Unknown(binding, "it is not known whether it is optional"))
          }
        case .matchingPattern(let matching):
          let subject = typed(evaluate(matching.initializer.value, in: scope), at: matching)
          switch matches(matching.pattern, subject, in: target) {
          case true?: continue
          case false?: return .success(false)
          case nil:
            return .failure(
              subject.unknown ?? Unknown(matching, "it is not known whether this matches"))
          }
        default: return .failure(Unknown(element, "this condition is not evaluated"))
        }
      }
      return .success(true)
    }

    /// Runs the case of a `switch` that matches.
    func run(_ choice: SwitchExprSyntax, in scope: NameScope) -> Flow {
      let subject = typed(evaluate(choice.subject, in: scope), at: choice.subject)
      if let unknown = subject.unknown { return .unknown(unknown) }
      let branches = choice.cases.compactMap { $0.as(SwitchCaseSyntax.self) }
      guard branches.count == choice.cases.count else {
        return .unknown(Unknown(choice.cases, "#if is not evaluated"))
      }
      // `default` is taken last, wherever it stands.
      let order =
        branches.indices.filter { !branches[$0].isDefault }
        + branches.indices.filter { branches[$0].isDefault }
      for index in order {
        let inner = NameScope(scope)
        switch matches(branches[index].label, subject, in: inner) {
        case true?:
          var flow = run(branches[index].statements, in: NameScope(inner), isBody: true)
          var next = index + 1
          while case .fallthrough = flow, branches.indices.contains(next) {
            flow = run(branches[next].statements, in: NameScope(scope), isBody: true)
            next += 1
          }
          if case .break(nil) = flow { return .next }
          return flow
        case false?: continue
        case nil:
          return .unknown(
            Unknown(branches[index].label, "it is not known whether this matches"))
        }
      }
      return .next
    }

    private func matches(
      _ label: SwitchCaseSyntax.Label, _ subject: Value, in scope: NameScope
    ) -> Bool? {
      guard case .case(let label) = label else { return true }
      for item in label.caseItems {
        switch matches(item.pattern, subject, in: scope) {
        case true?:
          guard let condition = item.whereClause?.condition else { return true }
          guard case .bool(let holds) = evaluate(condition, in: scope) else { return nil }
          if holds { return true }
        case false?: continue
        case nil: return nil
        }
      }
      return false
    }

    // MARK: Loops

    private func run(_ loop: ForStmtSyntax, in scope: NameScope, label: String?) -> Flow {
      let sequence = typed(evaluate(loop.sequence, in: scope), at: loop.sequence)
      guard loop.awaitKeyword == nil, let elements = elements(of: sequence) else {
        return .unknown(sequence.unknown ?? Unknown(loop.sequence, "the sequence is not known"))
      }
      let stated = loop.typeAnnotation.map { resolve($0.type, in: scope) }
      for element in elements {
        if let stop = spend(at: loop) { return .unknown(stop) }
        let inner = NameScope(scope)
        let element = stated.map { coerced(element, to: $0, at: loop.pattern) } ?? element
        if loop.caseKeyword != nil {
          switch matches(loop.pattern, element, in: inner) {
          case true?: break
          case false?: continue
          case nil:
            return .unknown(Unknown(loop.pattern, "it is not known whether this matches"))
          }
        } else if !bind(loop.pattern, to: element, in: inner) {
          return .unknown(Unknown(loop.pattern, "this pattern is not evaluated"))
        }
        if let condition = loop.whereClause?.condition {
          switch evaluate(condition, in: inner) {
          case .bool(true): break
          case .bool(false): continue
          case let other:
            return .unknown(other.unknown ?? Unknown(condition, "the condition is not known"))
          }
        }
        if let end = end(of: run(loop.body.statements, in: NameScope(inner)), label) { return end }
      }
      return .next
    }

    private func run(_ loop: WhileStmtSyntax, in scope: NameScope, label: String?) -> Flow {
      while true {
        if let stop = spend(at: loop) { return .unknown(stop) }
        let inner = NameScope(scope)
        switch check(loop.conditions, in: inner, binding: inner) {
        case .failure(let unknown): return .unknown(unknown)
        case .success(false): return .next
        case .success(true):
          if let end = end(of: run(loop.body.statements, in: NameScope(inner)), label) {
            return end
          }
        }
      }
    }

    private func run(_ loop: RepeatStmtSyntax, in scope: NameScope, label: String?) -> Flow {
      while true {
        if let stop = spend(at: loop) { return .unknown(stop) }
        if let end = end(of: run(loop.body.statements, in: NameScope(scope)), label) { return end }
        switch evaluate(loop.condition, in: scope) {
        case .bool(true): continue
        case .bool(false): return .next
        case let other:
          return .unknown(other.unknown ?? Unknown(loop.condition, "the condition is not known"))
        }
      }
    }

    /// What follows a loop after one turn; `nil` for the next turn.
    private func end(of flow: Flow, _ label: String?) -> Flow? {
      switch flow {
      case .next, .result, .fallthrough: nil
      case .continue(let target): target == nil || target == label ? nil : flow
      case .break(let target): target == nil || target == label ? .next : flow
      case .return, .unknown: flow
      }
    }
  }

  extension SwitchCaseSyntax {
    fileprivate var isDefault: Bool { if case .default = label { true } else { false } }
  }
#endif
