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
      /// Which statements run is not known, so that nothing after it is.
      case unknown(Unknown)
    }

    /// The value of a body that has run.
    func value(of flow: Flow, at node: some SyntaxProtocol) -> Value {
      switch flow {
      case .result(let value), .return(let value): value
      case .unknown(let unknown): .unknown(unknown)
      case .next, .break, .continue: .void
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
      let isSingle = isBody && statements.count == 1
      for statement in statements {
        let flow = run(statement, in: scope)
        switch flow {
        case .next: continue
        case .result(let value):
          if isSingle { return flow }
          // A call whose result nobody takes cannot change the network; anything else may.
          if case .unknown(let unknown) = value, !statement.isDiscardedCall {
            return .unknown(unknown)
          }
        case .return, .break, .continue, .unknown: return flow
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
      case .labeledStmt(let labeled):
        return run(labeled.statement, in: scope, label: labeled.label.text)
      case .doStmt(let statement) where statement.catchClauses.isEmpty:
        return run(statement.body.statements, in: NameScope(scope))
      default: return .unknown(Unknown(statement, "this kind of statement is not evaluated"))
      }
    }

    // MARK: Conditions

    /// Runs the branch of an `if` that is taken.
    func run(_ conditional: IfExprSyntax, in scope: NameScope) -> Flow {
      let inner = NameScope(scope)
      switch check(conditional.conditions, in: inner, binding: inner) {
      case .failure(let unknown): return .unknown(unknown)
      case .success(true): return run(conditional.body.statements, in: inner, isBody: true)
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
          case .none: return .success(false)
          case .unknown(let unknown): return .failure(unknown)
          default: target.bind(name, to: value)
          }
        default: return .failure(Unknown(element, "this condition is not evaluated"))
        }
      }
      return .success(true)
    }

    /// Runs the case of a `switch` that matches.
    func run(_ choice: SwitchExprSyntax, in scope: NameScope) -> Flow {
      let subject = evaluate(choice.subject, in: scope)
      if let unknown = subject.unknown { return .unknown(unknown) }
      for element in choice.cases {
        guard case .switchCase(let branch) = element else {
          return .unknown(Unknown(element, "this case is not evaluated"))
        }
        let inner = NameScope(scope)
        switch matches(branch.label, subject, in: inner) {
        case true:
          let flow = run(branch.statements, in: inner, isBody: true)
          if case .break(nil) = flow { return .next }
          return flow
        case false: continue
        case nil: return .unknown(Unknown(branch.label, "it is not known whether this matches"))
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
        case true:
          guard let condition = item.whereClause?.condition else { return true }
          guard case .bool(let holds) = evaluate(condition, in: scope) else { return nil }
          if holds { return true }
        case false: continue
        case nil: return nil
        }
      }
      return false
    }

    private func matches(_ pattern: PatternSyntax, _ subject: Value, in scope: NameScope) -> Bool? {
      if pattern.is(WildcardPatternSyntax.self) { return true }
      if let binding = pattern.as(ValueBindingPatternSyntax.self) {
        return bind(binding.pattern, to: subject, in: scope, isRecorded: false) ? true : nil
      }
      guard let expression = pattern.as(ExpressionPatternSyntax.self)?.expression else {
        return nil
      }
      if let tuple = expression.as(TupleExprSyntax.self), case .tuple(let elements) = subject,
        tuple.elements.count == elements.count
      {
        var isMatch = true
        for (part, element) in zip(tuple.elements, elements) {
          let pattern =
            part.expression.as(PatternExprSyntax.self)?.pattern
            ?? PatternSyntax(ExpressionPatternSyntax(expression: part.expression))
          if part.expression.is(DiscardAssignmentExprSyntax.self) { continue }
          guard let result = matches(pattern, element.value, in: scope) else { return nil }
          isMatch = isMatch && result
        }
        return isMatch
      }
      let value = evaluate(expression, in: scope)
      if case .range(let numbers) = value, case .number(let number) = subject, let int = number.int
      {
        return numbers.contains(int)
      }
      return Value.areEqual(value, subject)
    }

    // MARK: Loops

    private func run(_ loop: ForStmtSyntax, in scope: NameScope, label: String?) -> Flow {
      let sequence = evaluate(loop.sequence, in: scope)
      guard let elements = sequence.elements else {
        return .unknown(sequence.unknown ?? Unknown(loop.sequence, "the sequence is not known"))
      }
      for element in elements {
        if let stop = spend(at: loop) { return .unknown(stop) }
        let inner = NameScope(scope)
        guard bind(loop.pattern, to: element, in: inner) else {
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
        if let end = end(of: run(loop.body.statements, in: inner), label) { return end }
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
          if let end = end(of: run(loop.body.statements, in: inner), label) { return end }
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
      case .next, .result: nil
      case .continue(let target): target == nil || target == label ? nil : flow
      case .break(let target): target == nil || target == label ? .next : flow
      case .return, .unknown: flow
      }
    }
  }

  extension CodeBlockItemSyntax {
    /// Whether it is a call without `inout` arguments whose result is dropped, as in `log("x")`.
    fileprivate var isDiscardedCall: Bool {
      guard case .expr(let expression) = item, let call = expression.as(FunctionCallExprSyntax.self)
      else { return false }
      return !call.arguments.contains { $0.expression.is(InOutExprSyntax.self) }
    }
  }
#endif
