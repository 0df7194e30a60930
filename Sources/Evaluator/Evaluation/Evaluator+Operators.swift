#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeShapes
  import SwiftSyntax

  extension Evaluator {
    /// The value of operators and operands.
    func evaluate(_ tree: OperatorTree, in scope: NameScope) -> Value {
      switch tree {
      case .operand(let expression): return evaluate(expression, in: scope)
      case .chain(let source, let steps):
        return steps.reduce(evaluate(source, in: scope)) { source, link in
          chain(source, evaluate(link.step, in: scope), at: link.node, in: scope)
        }
      case .ternary(let condition, let then, let otherwise):
        switch evaluate(condition, in: scope) {
        case .bool(true): return evaluate(then, in: scope)
        case .bool(false): return evaluate(otherwise, in: scope)
        case .unknown(let unknown): return .unknown(unknown)
        default: return .unknown(Unknown(then, "the condition is not known"))
        }
      case .cast(let tree, let type, let isOptional):
        let value = evaluate(tree, in: scope)
        if isOptional { return .unknown(Unknown(type, "casts with ? and ! are not evaluated")) }
        return converted(value, to: type)
      case .assignment(let symbol, let node, let target, let source):
        return assign(symbol, node, target, source, in: scope)
      case .binary(let symbol, let node, let left, let right):
        return binary(symbol, node, left, right, in: scope)
      }
    }

    private func binary(
      _ symbol: String, _ node: Syntax, _ left: OperatorTree, _ right: OperatorTree,
      in scope: NameScope
    ) -> Value {
      let a = evaluate(left, in: scope)
      switch (symbol, a) {
      case ("&&", .bool(false)): return .bool(false)
      case ("||", .bool(true)): return .bool(true)
      case ("??", .none): return evaluate(right, in: scope)
      case ("??", .unknown): return a
      case ("??", _): return a
      default: return operate(symbol, node, a, evaluate(right, in: scope))
      }
    }

    /// The result of a binary operator that needs both operands.
    func operate(_ symbol: String, _ node: Syntax, _ a: Value, _ b: Value) -> Value {
      switch (a, b) {
      case (.number(let a), .number(let b)):
        if symbol == "..<" || symbol == "..." { return range(symbol, node, a, b) }
        if let result = Number.compare(a, symbol, b) { return .bool(result) }
        return Number.combine(a, symbol, b).map { .number($0) }
          ?? .unknown(Unknown(node, "the result is out of range"))
      case (.bool(let a), .bool(let b)):
        switch symbol {
        case "&&": return .bool(a && b)
        case "||": return .bool(a || b)
        default: break
        }
      case (.string(let a), .string(let b)) where symbol == "+":
        return bounded(.string(a + b), a.utf8.count + b.utf8.count, at: node)
      case (.array(let a), .array(let b)) where symbol == "+":
        return bounded(.array(a + b), a.count + b.count, at: node)
      case (.tensor, _), (_, .tensor):
        if let unknown = a.unknown ?? b.unknown { report(unknown) }
        if let tensor = arithmetic(symbol, a, b) {
          record(tensor, at: node)
          return .tensor(tensor)
        }
      default: break
      }
      if symbol == "==" || symbol == "!=", let isEqual = Value.areEqual(a, b) {
        return .bool(isEqual == (symbol == "=="))
      }
      if symbol == "===" || symbol == "!==", case .tensor(let a) = a, case .tensor(let b) = b {
        return .bool((a === b) == (symbol == "==="))
      }
      if let unknown = a.unknown ?? b.unknown { return .unknown(unknown) }
      return .unknown(Unknown(node, "this operator is not evaluated for these values"))
    }

    private func range(_ symbol: String, _ node: Syntax, _ a: Number, _ b: Number) -> Value {
      guard let low = a.int, let high = b.int, low <= high,
        case let (count, overflow) = high.subtractingReportingOverflow(low), !overflow,
        count <= Self.maximumElements
      else {
        return .unknown(Unknown(node, "the range is not one of whole numbers"))
      }
      return .range(symbol == "..<" ? Array(low..<high) : Array(low...high))
    }

    /// Arithmetic on tensors, with Forge's own operators.
    private func arithmetic(_ symbol: String, _ a: Value, _ b: Value) -> Tensor? {
      switch (symbol, a, b) {
      case ("+", .tensor(let a), .tensor(let b)): a + b
      case ("-", .tensor(let a), .tensor(let b)): a - b
      case ("*", .tensor(let a), .tensor(let b)): a * b
      case ("+", .tensor(let a), .number(let b)): a + b.float
      case ("-", .tensor(let a), .number(let b)): a - b.float
      case ("*", .tensor(let a), .number(let b)): a * b.float
      case ("/", .tensor(let a), .number(let b)): a / b.float
      case ("+", .number(let a), .tensor(let b)): a.float + b
      case ("-", .number(let a), .tensor(let b)): a.float - b
      case ("*", .number(let a), .tensor(let b)): a.float * b
      // What is not known may be a number or a tensor of any shape.
      case ("+", .tensor(let a), .unknown), ("-", .tensor(let a), .unknown),
        ("*", .tensor(let a), .unknown), ("/", .tensor(let a), .unknown):
        Tensor.unknown(from: [a])
      case ("+", .unknown, .tensor(let b)), ("-", .unknown, .tensor(let b)),
        ("*", .unknown, .tensor(let b)):
        Tensor.unknown(from: [b])
      default: nil
      }
    }

    // MARK: Assignment

    private func assign(
      _ symbol: String, _ node: Syntax, _ target: OperatorTree, _ source: OperatorTree,
      in scope: NameScope
    ) -> Value {
      guard case .operand(let expression) = target else {
        return .unknown(Unknown(node, "this assignment is not evaluated"))
      }
      var value = evaluate(source, in: scope)
      if symbol != "=" {
        value = operate(String(symbol.dropLast()), node, evaluate(expression, in: scope), value)
      }
      // `_ = x` evaluates and drops.
      if expression.is(DiscardAssignmentExprSyntax.self) { return .void }
      return store(value, in: expression, scope) ?? .void
    }

    /// Stores a value in a variable, a property or an element; what is wrong if it cannot.
    func store(_ value: Value, in target: ExprSyntax, _ scope: NameScope) -> Value? {
      if let reference = target.as(DeclReferenceExprSyntax.self) {
        let stored = value.typed
        if scope.assign(reference.baseName.text, stored) {
          record(reference.baseName.text, stored, at: reference, isLocal: true)
          return nil
        }
      } else if let access = target.as(MemberAccessExprSyntax.self),
        access.base?.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
      {
        var current: NameScope? = scope
        while let scope = current {
          if let owner = scope.selfValue {
            owner.fields[access.declName.baseName.text] = value.typed
            return nil
          }
          current = scope.parent
        }
      } else if let access = target.as(SubscriptCallExprSyntax.self),
        case .dictionary(var entries) = evaluate(access.calledExpression, in: scope),
        let argument = access.arguments.first
      {
        let key = evaluate(argument.expression, in: scope)
        entries.removeAll { Value.areEqual($0.key, key) == true }
        entries.append((key, value.typed))
        return store(.dictionary(entries), in: access.calledExpression, scope)
      } else if let access = target.as(SubscriptCallExprSyntax.self),
        case .array(var elements) = evaluate(access.calledExpression, in: scope),
        access.arguments.count == 1, let argument = access.arguments.first,
        case .number(let index) = evaluate(argument.expression, in: scope), let index = index.int,
        elements.indices.contains(index)
      {
        elements[index] = value.typed
        return store(.array(elements), in: access.calledExpression, scope)
      }
      return .unknown(Unknown(target, "this assignment is not evaluated"))
    }

    // MARK: Types

    /// A value stored with a type, as in `let scale: Float = 1`.
    func converted(_ value: Value, to type: TypeSyntax) -> Value {
      let name = type.trimmedDescription.filter { !"[]?".contains($0) }
      switch name {
      case "Float", "Double", "Float16", "CGFloat": return value.asFloatingPoint
      case "Int", "String", "Bool", "Tensor", "Model": return value.typed
      // A literal of any other type keeps all its readings.
      default: return value
      }
    }
  }
#endif
