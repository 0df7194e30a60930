#if Macros
  import ForgeGraph
  import ForgeLayers
  import SwiftSyntax

  extension Evaluator {
    /// The value of an expression.
    func evaluate(_ expression: ExprSyntax, in scope: NameScope) -> Value {
      if let stop = spend(at: expression) { return .unknown(stop) }
      switch expression.as(ExprSyntaxEnum.self) {
      case .integerLiteralExpr(let literal): return integer(literal)
      case .floatLiteralExpr(let literal): return fraction(literal)
      case .booleanLiteralExpr(let literal):
        return .bool(literal.literal.tokenKind == .keyword(.true))
      case .nilLiteralExpr: return .none
      case .stringLiteralExpr(let literal): return string(literal, in: scope)
      case .arrayExpr(let array):
        return .array(array.elements.map { evaluate($0.expression, in: scope) })
      case .dictionaryExpr(let dictionary): return self.dictionary(dictionary, in: scope)
      case .tupleExpr(let tuple): return self.tuple(tuple, in: scope)
      case .declReferenceExpr(let reference): return self.reference(reference, in: scope)
      case .memberAccessExpr(let access): return member(access, in: scope)
      case .functionCallExpr(let call): return self.call(call, in: scope)
      case .subscriptCallExpr(let call): return element(call, in: scope)
      case .closureExpr(let closure): return self.closure(closure, in: scope)
      case .sequenceExpr, .infixOperatorExpr, .ternaryExpr, .asExpr:
        return evaluate(OperatorTree(expression), in: scope)
      case .prefixOperatorExpr(let prefixed): return self.prefixed(prefixed, in: scope)
      case .tryExpr(let tried): return evaluate(tried.expression, in: scope)
      case .awaitExpr(let awaited): return evaluate(awaited.expression, in: scope)
      case .forceUnwrapExpr(let forced): return unwrapped(forced, in: scope)
      case .optionalChainingExpr(let chaining): return evaluate(chaining.expression, in: scope)
      case .ifExpr(let conditional): return value(of: run(conditional, in: scope), at: conditional)
      case .switchExpr(let choice): return value(of: run(choice, in: scope), at: choice)
      case .macroExpansionExpr(let expansion): return self.expansion(expansion, in: scope)
      case .editorPlaceholderExpr:
        return .unknown(Unknown(expression, "it is a placeholder"))
      default:
        return .unknown(Unknown(expression, "this kind of expression is not evaluated"))
      }
    }

    // MARK: Literals

    private func integer(_ literal: IntegerLiteralExprSyntax) -> Value {
      let digits = literal.literal.text.filter { $0 != "_" }
      let radices: [(prefix: String, radix: Int)] = [("0x", 16), ("0o", 8), ("0b", 2)]
      for (prefix, radix) in radices where digits.hasPrefix(prefix) {
        if let value = Int(digits.dropFirst(2), radix: radix) {
          return .number(Number(value, isLiteral: true))
        }
      }
      if let value = Int(digits) { return .number(Number(value, isLiteral: true)) }
      return .unknown(Unknown(literal, "the number is out of range"))
    }

    private func fraction(_ literal: FloatLiteralExprSyntax) -> Value {
      let digits = literal.literal.text.filter { $0 != "_" }
      guard let double = Double(digits), let float = Float(digits) else {
        return .unknown(Unknown(literal, "the number is out of range"))
      }
      return .number(Number(int: nil, float: float, double: double, isLiteral: true))
    }

    private func string(_ literal: StringLiteralExprSyntax, in scope: NameScope) -> Value {
      if let text = literal.representedLiteralValue { return .string(text) }
      var text = ""
      for segment in literal.segments {
        switch segment {
        case .stringSegment(let segment): text += segment.content.text
        case .expressionSegment(let segment):
          guard segment.expressions.count == 1, let part = segment.expressions.first else {
            return .unknown(Unknown(segment, "this interpolation is not evaluated"))
          }
          switch evaluate(part.expression, in: scope) {
          case .string(let part): text += part
          case .number(let number): text += number.text
          case .bool(let bool): text += "\(bool)"
          case .member(let name, let arguments) where arguments.isEmpty: text += name
          case .unknown(let unknown): return .unknown(unknown)
          default: return .unknown(Unknown(segment, "this interpolation is not evaluated"))
          }
        }
      }
      return bounded(.string(text), text.utf8.count, at: literal)
    }

    private func dictionary(_ literal: DictionaryExprSyntax, in scope: NameScope) -> Value {
      guard case .elements(let elements) = literal.content else { return .dictionary([]) }
      return .dictionary(
        elements.map { (evaluate($0.key, in: scope), evaluate($0.value, in: scope)) })
    }

    private func tuple(_ literal: TupleExprSyntax, in scope: NameScope) -> Value {
      if literal.elements.isEmpty { return .void }
      if literal.elements.count == 1, let only = literal.elements.first, only.label == nil {
        return evaluate(only.expression, in: scope)
      }
      return .tuple(literal.elements.map { ($0.label?.text, evaluate($0.expression, in: scope)) })
    }

    // MARK: Names

    private func reference(_ reference: DeclReferenceExprSyntax, in scope: NameScope) -> Value {
      switch reference.baseName.tokenKind {
      case .dollarIdentifier(let name): return lookUp(name, at: reference, in: scope)
      case .keyword(.self): return selfValue(in: scope) ?? lookUp("self", at: reference, in: scope)
      default: break
      }
      let name = reference.baseName.text
      // `f(_:label:)` names one of several functions.
      if let labels = reference.argumentNames {
        let wanted = labels.arguments.map { $0.name.text == "_" ? nil : $0.name.text }
        let found = functions(name, in: scope).first {
          $0.owner == nil && $0.function.parameters.map(\.label) == wanted
        }
        return found.map { .function($0.function) }
          ?? .unknown(Unknown(reference, "\"\(name)\" is not declared where the macro can see it"))
      }
      return lookUp(name, at: reference, in: scope)
    }

    /// The value that methods of a scope work on.
    func selfValue(in scope: NameScope) -> Value? {
      var current: NameScope? = scope
      while let scope = current {
        if let owner = scope.selfValue { return owner.value }
        current = scope.parent
      }
      return nil
    }

    /// A closure, with the values that it captures by name.
    private func closure(_ closure: ClosureExprSyntax, in scope: NameScope) -> Value {
      guard let captures = closure.signature?.capture?.items else {
        return .function(Function(closure, in: scope))
      }
      let inner = NameScope(scope)
      for capture in captures {
        guard let initializer = capture.initializer else { continue }
        inner.bind(capture.name.text, to: evaluate(initializer.value, in: scope).typed)
      }
      return .function(Function(closure, in: inner))
    }

    private func prefixed(_ expression: PrefixOperatorExprSyntax, in scope: NameScope) -> Value {
      let value = evaluate(expression.expression, in: scope)
      switch (expression.operator.text, value) {
      case (_, .unknown): return value
      case ("-", .number(let number)):
        return number.negated.map { .number($0) } ?? .unknown(Unknown(expression, "it overflows"))
      case ("+", .number): return value
      case ("-", .tensor(let tensor)): return .tensor(-tensor)
      case ("!", .bool(let bool)): return .bool(!bool)
      // `f` in `x --> &f` and ranges of one bound are not of use here.
      default: return .unknown(Unknown(expression, "this operator is not evaluated"))
      }
    }

    private func unwrapped(_ expression: ForceUnwrapExprSyntax, in scope: NameScope) -> Value {
      let value = evaluate(expression.expression, in: scope)
      if case .none = value { return .unknown(Unknown(expression, "it is nil")) }
      return value
    }

    /// A macro of Forge's inside a network: `#network { … }` is a model, `#shape(of:)` a shape.
    private func expansion(_ expansion: MacroExpansionExprSyntax, in scope: NameScope) -> Value {
      let closure =
        expansion.trailingClosure ?? expansion.arguments.last?.expression.as(ClosureExprSyntax.self)
      switch expansion.macroName.text {
      case "network":
        guard let closure else { break }
        let body = call(Function(closure, in: scope), [], at: Syntax(expansion))
        return NetworkBody.model(of: body, place: scope.source.place(expansion.position))
          .map { .model($0) } ?? .unknown(Unknown(expansion, "the network is not known"))
      case "shape":
        guard let argument = expansion.arguments.first?.expression else { break }
        guard case .tensor(let tensor) = evaluate(argument, in: scope), let shape = tensor.shape
        else { return .unknown(Unknown(expansion, "the shape is not known")) }
        return .shape(shape)
      default: break
      }
      return .unknown(Unknown(expansion, "macros are not evaluated"))
    }
  }
#endif
