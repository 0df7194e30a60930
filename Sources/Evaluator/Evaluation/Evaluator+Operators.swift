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
        case .bool(true):
          return joined(evaluate(then, in: scope), with: otherwise, at: then, in: scope)
        case .bool(false):
          return joined(
            evaluate(otherwise, in: scope), with: .operand(then), at: then, in: scope)
        case let other:
          lose(then, in: scope)
          lose(otherwise, in: scope)
          return .unknown(other.unknown ?? Unknown(then, "the condition is not known"))
        }
      case .cast(let tree, let type, let isOptional):
        let value = evaluate(tree, in: scope)
        if isOptional {
          return .unknown(
            value.unknown ?? Unknown(type, "casts with ? and ! are not evaluated"))
        }
        return coerced(value, to: resolve(type, in: scope), at: type)
      case .assignment(let symbol, let node, let target, let source):
        return assign(symbol, node, target, source, in: scope)
      case .binary(let symbol, let node, let left, let right):
        return binary(symbol, node, left, right, in: scope)
      }
    }

    /// The value of one branch as one of the type that both branches have.
    private func joined(
      _ value: Value, with other: OperatorTree, at node: some SyntaxProtocol, in scope: NameScope
    ) -> Value {
      switch value {
      case .unknown, .tensor, .step, .model, .shape: return value
      default: break
      }
      let type = StaticType.join(value.type, staticType(of: other, in: scope))
      switch (value, type) {
      case (.number(.literal(let literal)), .integerLiteral),
        (.number(.literal(let literal)), .fractionLiteral):
        // Both are literals: one with a fraction makes the other a `Double` by default.
        var isFraction = literal.hasFraction
        if case .fractionLiteral = type { isFraction = true }
        return .number(
          .literal(
            Literal(
              readings: literal.readings, hasFraction: isFraction, isCertain: literal.isCertain)))
      case (.bool, .bool), (.string, .string), (.range, .range), (.function, _): return value
      case (.member, .memberLiteral), (.member, .unknown), (.member, .forge): return value
      case (.none, .nilLiteral): return value
      case (.number(.literal), .unknown): return waiting(value)
      case (_, .unknown):
        // Only the type of the branch that is not taken may make it optional, or another number.
        return .unknown(Unknown(node, "the type of the other branch is not known"))
      default: return type.isOpen ? waiting(value) : coerced(value, to: type, at: node)
      }
    }

    private func binary(
      _ symbol: String, _ node: Syntax, _ left: OperatorTree, _ right: OperatorTree,
      in scope: NameScope
    ) -> Value {
      guard OperatorTree.standardSymbols.contains(symbol) else {
        // It may also change its operands.
        for operand in [left, right] {
          lose(operand, in: scope)
          if case .operand(let target) = operand { lose(place(of: target, in: scope), at: node) }
        }
        return .unknown(Unknown(node, "operators of the source are not evaluated"))
      }
      let a = evaluate(left, in: scope)
      if isOwnOperator(symbol, in: scope) {
        lose(right, in: scope)
        return .unknown(Unknown(node, "operators of the source are not evaluated"))
      }
      switch (symbol, a) {
      case ("&&", .bool(false)): return .bool(false)
      case ("||", .bool(true)): return .bool(true)
      case ("&&", .bool(true)), ("||", .bool(false)): return evaluate(right, in: scope)
      case ("&&", _), ("||", _):
        lose(right, in: scope)
        return .unknown(a.unknown ?? Unknown(node, "the condition is not known"))
      case ("??", _): return coalesced(a, right, node, in: scope)
      default:
        let b = evaluate(right, in: scope)
        if case .instance(let instance) = a {
          return own(symbol, of: instance.type, a, b, node)
        }
        if case .instance(let instance) = b {
          return own(symbol, of: instance.type, a, b, node)
        }
        return operate(symbol, node, a, b)
      }
    }

    /// Whether the source declares an operator for types that it does not declare.
    private func isOwnOperator(_ symbol: String, in scope: NameScope) -> Bool {
      isAdded(symbol, in: scope)
        || functions(symbol, in: scope).contains { !$0.function.declaringScope.isOfType }
    }

    /// An operator that a type of the source declares, or `==` that Swift writes itself.
    private func own(
      _ symbol: String, of type: UserType, _ a: Value, _ b: Value, _ node: Syntax
    ) -> Value {
      let arguments = [a, b].map { Argument(label: nil, value: $0, node: node) }
      if let result = overload(type.scope.ownFunctions(symbol), arguments, at: node) {
        return result
      }
      return operate(symbol, node, a, b)
    }

    /// The value of `a ?? b`.
    private func coalesced(
      _ a: Value, _ right: OperatorTree, _ node: Syntax, in scope: NameScope
    ) -> Value {
      switch a {
      case .none: return evaluate(right, in: scope)
      case .optional(nil, let wrapped):
        let b = evaluate(right, in: scope)
        switch b {
        case .optional, .none: return coerced(b, to: .optional(wrapped), at: node)
        case .unknown: return b
        default:
          if case .unknown = wrapped { return b.isOfGraph ? b : waiting(b) }
          return coerced(b, to: wrapped, at: node)
        }
      case .optional(let value?, let wrapped):
        let type = staticType(of: right, in: scope)
        switch type {
        case .optional, .nilLiteral: return .optional(value, wrapped)
        default: break
        }
        return type.mayBeOptional && !value.isOfGraph
          ? .unknown(Unknown(node, "the type of the right operand is not known")) : value
      case .unknown:
        lose(right, in: scope)
        return a
      default:
        lose(right, in: scope)
        return .unknown(Unknown(node, "it is not known whether it is optional"))
      }
    }

    /// Makes unknown what an operand may change that is not evaluated.
    private func lose(_ tree: OperatorTree, in scope: NameScope) {
      switch tree {
      case .operand(let expression): lose(expression, in: scope)
      case .binary(_, _, let a, let b), .assignment(_, _, let a, let b):
        lose(a, in: scope)
        lose(b, in: scope)
      case .chain(let source, let steps):
        lose(source, in: scope)
        for step in steps { lose(step.step, in: scope) }
      case .ternary(let condition, let then, let otherwise):
        lose(condition, in: scope)
        lose(then, in: scope)
        lose(otherwise, in: scope)
      case .cast(let tree, _, _): lose(tree, in: scope)
      }
      // The target of an assignment.
      if case .assignment(_, let node, .operand(let target), _) = tree {
        lose(place(of: target, in: scope), at: node)
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
        charge((a.utf8.count + b.utf8.count) / 16)
        return bounded(.string(a + b), a.utf8.count + b.utf8.count, at: node)
      case (.array(let a), _) where symbol == "+":
        if let result = concatenated(a, b, node) { return result }
      case (.tensor, _), (_, .tensor):
        if let unknown = a.unknown ?? b.unknown { report(unknown) }
        if let tensor = arithmetic(symbol, a, b) {
          record(tensor, at: node)
          return .tensor(tensor)
        }
      default: break
      }
      if symbol == "==" || symbol == "!=" {
        let (x, y) = unified(a, b, node)
        charge(min(x.weight, y.weight))
        if let isEqual = Value.areEqual(x, y) { return .bool(isEqual == (symbol == "==")) }
      }
      if ["<", "<=", ">", ">="].contains(symbol) {
        let (x, y) = unified(a, b, node)
        if let result = Value.compare(x, symbol, y) { return .bool(result) }
      }
      if symbol == "===" || symbol == "!==", case .tensor(let a) = a, case .tensor(let b) = b {
        return .bool((a === b) == (symbol == "==="))
      }
      if let unknown = a.unknown ?? b.unknown { return .unknown(unknown) }
      return .unknown(Unknown(node, "this operator is not evaluated for these values"))
    }

    /// Both operands as values of one type.
    private func unified(_ a: Value, _ b: Value, _ node: Syntax) -> (Value, Value) {
      switch (a, b) {
      case (.number, .number): return (a, b)
      case (.member, .member): return (a, b)
      default: break
      }
      let (x, y) = (a.type, b.type)
      let type = StaticType.join(x, y)
      switch type {
      case .unknown, .forge, .nilLiteral: return (a, b)
      default:
        let settled = type.defaulted
        return (coerced(a, to: settled, at: node), coerced(b, to: settled, at: node))
      }
    }

    private func concatenated(_ a: ArrayValue, _ b: Value, _ node: Syntax) -> Value? {
      guard a.kind == .array || a.kind == .slice, let other = sequence(of: b),
        other.kind != .unordered || other.count <= 1
      else { return nil }
      let count = a.count + other.count
      guard Value.sum(a.weight, other.weight) <= Self.maximumElements else {
        return bounded(.void, Self.maximumElements + 1, at: node)
      }
      charge(count)
      // Literals on one side have the type of the other.
      var (left, right) = (a, other)
      if a.elementType == nil || other.elementType == nil {
        let element = StaticType.join(a.type.element, other.type.element)
        if !element.isOpen {
          guard case .array(let x) = coerced(.array(a), to: a.typed(element), at: node),
            case .array(let y) = coerced(.array(other), to: .sequence(element), at: node)
          else { return nil }
          (left, right) = (x, y)
        } else {
          left.elementType = nil
        }
      }
      _ = left.unshare()
      left.append(right.elements)
      return .array(left)
    }

    private func range(_ symbol: String, _ node: Syntax, _ a: Number, _ b: Number) -> Value {
      guard let isOrdered = Number.compare(a, "<=", b) else {
        return .unknown(Unknown(node, "the bounds of the range are not known"))
      }
      guard isOrdered else { return .unknown(Unknown(node, "the range ends before it begins")) }
      return .range(RangeValue(lower: a, upper: b, isClosed: symbol == "..."))
    }

    /// Arithmetic on tensors, with Forge's own operators.
    private func arithmetic(_ symbol: String, _ a: Value, _ b: Value) -> Tensor? {
      switch (symbol, a, b) {
      case ("+", .tensor(let a), .tensor(let b)): a + b
      case ("-", .tensor(let a), .tensor(let b)): a - b
      case ("*", .tensor(let a), .tensor(let b)): a * b
      case ("+", .tensor(let a), .number(let b)): b.asFloat.map { a + $0 }
      case ("-", .tensor(let a), .number(let b)): b.asFloat.map { a - $0 }
      case ("*", .tensor(let a), .number(let b)): b.asFloat.map { a * $0 }
      case ("/", .tensor(let a), .number(let b)): b.asFloat.map { a / $0 }
      case ("+", .number(let a), .tensor(let b)): a.asFloat.map { $0 + b }
      case ("-", .number(let a), .tensor(let b)): a.asFloat.map { $0 - b }
      case ("*", .number(let a), .tensor(let b)): a.asFloat.map { $0 * b }
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
        lose(target, in: scope)
        lose(source, in: scope)
        return .unknown(Unknown(node, "this assignment is not evaluated"))
      }
      // `_ = x` evaluates and drops.
      if expression.is(DiscardAssignmentExprSyntax.self) {
        _ = evaluate(source, in: scope)
        return .void
      }
      if symbol == "=", let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count > 1 {
        return assign(tuple, source, node, in: scope)
      }
      let place = place(of: expression, in: scope)
      if isStopped(place, at: expression) { return .optional(nil, .void) }
      let value = evaluate(source, in: scope)
      if case .value = place {
        return .unknown(Unknown(expression, "this assignment is not evaluated"))
      }
      let result: Value
      if symbol == "=" {
        result = store(value, at: place, expression)
      } else {
        let plain = String(symbol.dropLast())
        let isOwn = isOwnOperator(plain, in: scope) || isOwnOperator(symbol, in: scope)
        result = modify(place, at: expression) { stored in
          change(&stored, plain, value, node, isOwn: isOwn)
          return .void
        }
      }
      if case .unknown = result { return result }
      return OptionalChain.isOutermost(expression) ? .optional(.void, .void) : .void
    }

    /// Changes a value, as in `stored += value`.
    private func change(
      _ stored: inout Value, _ symbol: String, _ value: Value, _ node: Syntax, isOwn: Bool
    ) {
      switch (stored, value) {
      case _ where isOwn, (.instance, _), (.enumCase, _):
        stored = .unknown(Unknown(node, "operators of the source are not evaluated"))
      case (.array(var array), _) where symbol == "+":
        guard let element = array.elementType, array.kind == .array,
          let added = elements(of: coercedSequence(value, element, node))
        else {
          stored = value.unknownValue ?? .unknown(Unknown(node, "this change is not evaluated"))
          return
        }
        stored = .void
        charge(added.count + array.unshare())
        array.append(added)
        stored =
          array.weight <= Self.maximumElements
          ? .array(array) : bounded(.void, array.weight, at: node)
      default: stored = operate(symbol, node, stored, value)
      }
    }

    /// Stores the elements of a tuple, as in `(a, b) = (b, a)`.
    private func assign(
      _ targets: TupleExprSyntax, _ source: OperatorTree, _ node: Syntax, in scope: NameScope
    ) -> Value {
      var places: [Place?] = []
      for target in targets.elements {
        let isDropped = target.expression.is(DiscardAssignmentExprSyntax.self)
        places.append(isDropped ? nil : place(of: target.expression, in: scope))
      }
      let value = evaluate(source, in: scope)
      guard case .tuple(let tuple) = value, tuple.elements.count == places.count else {
        for case let place? in places { lose(place, at: node) }
        return .unknown(value.unknown ?? Unknown(node, "this assignment is not evaluated"))
      }
      for case (let place?, let element) in zip(places, tuple.elements) {
        _ = store(element.value, at: place, node)
      }
      return .void
    }
  }

  extension Number {
    /// The number as a value of type `Float`.
    fileprivate var asFloat: Float? { Float.converted(from: .number(self)) }
  }

  extension ArrayValue {
    /// The type of a sequence of this kind.
    fileprivate func typed(_ element: StaticType) -> StaticType {
      kind == .slice ? .slice(element) : .array(element)
    }
  }
#endif
