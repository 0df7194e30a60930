#if Macros
  import ForgeGraph
  import ForgeLayers
  import SwiftSyntax

  extension Evaluator {
    /// The value of an expression.
    func evaluate(_ expression: ExprSyntax, in scope: NameScope) -> Value {
      if let stop = spend(at: expression) { return .unknown(stop) }
      if OptionalChain.isOutermost(expression) { return chained(expression, in: scope) }
      return plain(expression, in: scope)
    }

    /// A chain with `?`, whose value is optional.
    private func chained(_ expression: ExprSyntax, in scope: NameScope) -> Value {
      switch plain(expression, in: scope) {
      case .stopped:
        // The rest has not been evaluated, so its type is read from the source.
        switch staticType(of: expression, in: scope) {
        case .optional(let wrapped): return .optional(nil, wrapped)
        case let type: return .optional(nil, type.isOpen ? .unknown : type)
        }
      case .unknown(let unknown): return .unknown(unknown)
      case .optional(let value, let type): return .optional(value, type)
      case let value:
        let value = typed(value, at: expression)
        return .optional(value, value.type)
      }
    }

    private func plain(_ expression: ExprSyntax, in scope: NameScope) -> Value {
      switch expression.as(ExprSyntaxEnum.self) {
      case .integerLiteralExpr(let literal): return integer(literal, isNegative: false)
      case .floatLiteralExpr(let literal): return fraction(literal)
      case .booleanLiteralExpr(let literal):
        return .bool(literal.literal.tokenKind == .keyword(.true))
      case .nilLiteralExpr: return .none
      case .stringLiteralExpr(let literal): return string(literal, in: scope)
      case .arrayExpr(let array):
        return .array(ArrayValue(array.elements.map { evaluate($0.expression, in: scope) }))
      case .dictionaryExpr(let dictionary): return self.dictionary(dictionary, in: scope)
      case .tupleExpr(let tuple): return self.tuple(tuple, in: scope)
      case .declReferenceExpr(let reference): return self.reference(reference, in: scope)
      case .memberAccessExpr(let access): return member(access, in: scope)
      case .functionCallExpr(let call): return self.call(call, in: scope)
      case .subscriptCallExpr, .forceUnwrapExpr, .optionalChainingExpr:
        return read(place(ofPostfix: expression, in: scope), at: expression)
      case .closureExpr(let closure): return self.closure(closure, in: scope)
      case .sequenceExpr, .infixOperatorExpr, .ternaryExpr, .asExpr:
        return evaluate(OperatorTree(expression), in: scope)
      case .prefixOperatorExpr(let prefixed): return self.prefixed(prefixed, in: scope)
      case .postfixOperatorExpr(let postfixed): return self.postfixed(postfixed, in: scope)
      case .tryExpr(let tried):
        let value = evaluate(tried.expression, in: scope)
        guard tried.questionOrExclamationMark?.tokenKind == .postfixQuestionMark else {
          return value
        }
        switch value {
        case .unknown, .optional: return value
        case .none: return .unknown(Unknown(tried, "its type is not known"))
        default:
          let value = typed(value, at: tried)
          return .optional(value, value.type)
        }
      case .awaitExpr(let awaited): return evaluate(awaited.expression, in: scope)
      case .ifExpr(let conditional): return value(of: run(conditional, in: scope), at: conditional)
      case .switchExpr(let choice): return value(of: run(choice, in: scope), at: choice)
      case .macroExpansionExpr(let expansion): return self.expansion(expansion, in: scope)
      case .keyPathExpr(let path): return keyPath(path, in: scope)
      case .editorPlaceholderExpr:
        return .unknown(Unknown(expression, "it is a placeholder"))
      default:
        return skipped(expression, "this kind of expression is not evaluated", in: scope)
      }
    }

    // MARK: Literals

    private func integer(_ literal: IntegerLiteralExprSyntax, isNegative: Bool) -> Value {
      let digits = literal.literal.text.filter { $0 != "_" }
      let radices: [(prefix: String, radix: Int)] = [("0x", 16), ("0o", 8), ("0b", 2)]
      var magnitude = UInt64(digits)
      for (prefix, radix) in radices where digits.hasPrefix(prefix) {
        magnitude = UInt64(digits.dropFirst(2), radix: radix)
      }
      guard let magnitude else { return .unknown(Unknown(literal, "the number is out of range")) }
      return .number(.literal(Literal(magnitude: magnitude, isNegative: isNegative)))
    }

    private func fraction(_ literal: FloatLiteralExprSyntax) -> Value {
      guard let value = Literal(fraction: literal.literal.text.filter { $0 != "_" }) else {
        return .unknown(Unknown(literal, "the number is out of range"))
      }
      return .number(.literal(value))
    }

    private func string(_ literal: StringLiteralExprSyntax, in scope: NameScope) -> Value {
      if let text = literal.representedLiteralValue { return .string(text) }
      var text = ""
      var unknown: Unknown?
      for segment in literal.segments {
        switch segment {
        case .stringSegment(let segment):
          let content = segment.content.text
          // Escapes are read by the parser, for a literal of one line that has nothing else.
          let plain =
            content.contains("\\")
            ? literal.with(\.segments, [.stringSegment(segment)]).representedLiteralValue : content
          if plain == nil || content.contains("\\") && literal.isSpecial {
            unknown = unknown ?? Unknown(segment, "this string is not evaluated")
          }
          text += plain ?? ""
        case .expressionSegment(let segment):
          guard segment.expressions.count == 1, let part = segment.expressions.first,
            part.label == nil
          else {
            let reason = "this interpolation is not evaluated"
            lose(segment, in: scope)
            unknown = unknown ?? Unknown(segment, reason)
            continue
          }
          let value = typed(evaluate(part.expression, in: scope), at: part.expression)
          if let part = self.text(of: value) {
            text += part
          } else {
            unknown =
              unknown ?? value.unknown ?? Unknown(segment, "this interpolation is not evaluated")
          }
        }
        guard text.utf8.count <= Self.maximumElements else { break }
      }
      if let unknown { return .unknown(unknown) }
      charge(text.utf8.count / 16)
      return bounded(.string(text), text.utf8.count, at: literal)
    }

    private func dictionary(_ literal: DictionaryExprSyntax, in scope: NameScope) -> Value {
      guard case .elements(let elements) = literal.content else { return .pairs([]) }
      return .pairs(
        elements.map { (evaluate($0.key, in: scope), evaluate($0.value, in: scope)) })
    }

    private func tuple(_ literal: TupleExprSyntax, in scope: NameScope) -> Value {
      if literal.elements.isEmpty { return .void }
      if literal.elements.count == 1, let only = literal.elements.first, only.label == nil {
        return evaluate(only.expression, in: scope)
      }
      let tuple = TupleValue(
        literal.elements.map { ($0.label?.text, evaluate($0.expression, in: scope)) })
      return bounded(.tuple(tuple), tuple.weight, at: literal)
    }

    /// A key path, as in `\.count`.
    private func keyPath(_ path: KeyPathExprSyntax, in scope: NameScope) -> Value {
      var names: [String] = []
      for component in path.components {
        guard case .property(let property) = component.component,
          property.genericArgumentClause == nil
        else { return skipped(path, "this key path is not evaluated", in: scope) }
        names.append(property.declName.baseName.text)
      }
      return .keyPath(names, scope)
    }

    // MARK: Names

    private func reference(_ reference: DeclReferenceExprSyntax, in scope: NameScope) -> Value {
      switch reference.baseName.tokenKind {
      case .dollarIdentifier(let name): return lookUp(name, at: reference, in: scope)
      case .keyword(.self): return selfValue(in: scope) ?? lookUp("self", at: reference, in: scope)
      default: break
      }
      let name = reference.baseName.text
      if case .binaryOperator(let symbol) = reference.baseName.tokenKind {
        return functions(symbol, in: scope).isEmpty
          ? .operatorName(symbol)
          : .unknown(Unknown(reference, "operators of the source are not evaluated"))
      }
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
    func selfValue(in scope: NameScope) -> Value? { scope.owner?.value }

    /// A closure, with the values that it captures by name as they are now.
    private func closure(_ closure: ClosureExprSyntax, in scope: NameScope) -> Value {
      guard let captures = closure.signature?.capture?.items else {
        return .function(Function(closure, in: scope))
      }
      let inner = NameScope(scope)
      for capture in captures {
        let name = capture.name.text
        if name == "self" { continue }
        let value =
          capture.initializer.map { typed(evaluate($0.value, in: scope), at: capture) }
          ?? lookUp(name, at: capture, in: scope)
        let isPlain = capture.specifier == nil
        inner.bind(
          name, to: isPlain ? value : .unknown(Unknown(capture, "weak captures are not evaluated")))
      }
      return .function(Function(closure, in: inner))
    }

    private func prefixed(_ expression: PrefixOperatorExprSyntax, in scope: NameScope) -> Value {
      let symbol = expression.operator.text
      // The sign belongs to the literal: there is no 128 of type `Int8`.
      if symbol == "-", let literal = expression.expression.as(IntegerLiteralExprSyntax.self) {
        return integer(literal, isNegative: true)
      }
      let value = evaluate(expression.expression, in: scope)
      guard functions(symbol, in: scope).isEmpty, !isAdded(symbol, in: scope) else {
        return .unknown(Unknown(expression, "operators of the source are not evaluated"))
      }
      switch (symbol, value) {
      case (_, .unknown): return value
      case ("-", .number(let number)):
        return number.negated.map { .number($0) } ?? .unknown(Unknown(expression, "it overflows"))
      case ("~", .number(let number)):
        return number.map(\.inverted).map { .number($0) }
          ?? .unknown(Unknown(expression, "this operator is not evaluated"))
      case ("+", .number): return value
      case ("-", .tensor(let tensor)): return .tensor(-tensor)
      case ("!", .bool(let bool)): return .bool(!bool)
      case ("..<", .number(let number)), ("...", .number(let number)):
        return .range(RangeValue(lower: nil, upper: number, isClosed: symbol == "..."))
      default: return .unknown(Unknown(expression, "this operator is not evaluated"))
      }
    }

    private func postfixed(_ expression: PostfixOperatorExprSyntax, in scope: NameScope) -> Value {
      let value = evaluate(expression.expression, in: scope)
      if expression.operator.text == "...", case .number(let number) = value {
        return .range(RangeValue(lower: number, upper: nil, isClosed: false))
      }
      return value.unknownValue
        ?? .unknown(Unknown(expression, "this operator is not evaluated"))
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
      return skipped(expansion, "macros are not evaluated", in: scope)
    }
  }

  extension StringLiteralExprSyntax {
    /// Whether it has several lines, or escapes of its own.
    fileprivate var isSpecial: Bool {
      openingPounds != nil || openingQuote.tokenKind == .multilineStringQuote
    }
  }

  /// Chains of members, calls and subscripts with `?`.
  enum OptionalChain {
    /// Whether an expression is the end of a chain with `?`, which makes it optional.
    static func isOutermost(_ expression: ExprSyntax) -> Bool {
      guard holdsMark(expression) else { return false }
      guard let parent = expression.parent?.as(ExprSyntax.self), let base = base(of: parent) else {
        return true
      }
      return base.id != expression.id
    }

    /// What a member, a call, a subscript or a mark belongs to.
    private static func base(of expression: ExprSyntax) -> ExprSyntax? {
      switch expression.as(ExprSyntaxEnum.self) {
      case .memberAccessExpr(let access): access.base
      case .functionCallExpr(let call): call.calledExpression
      case .subscriptCallExpr(let call): call.calledExpression
      case .forceUnwrapExpr(let forced): forced.expression
      case .optionalChainingExpr(let chaining): chaining.expression
      default: nil
      }
    }

    private static func holdsMark(_ expression: ExprSyntax) -> Bool {
      var next: ExprSyntax? = expression
      while let current = next {
        if current.is(OptionalChainingExprSyntax.self) { return true }
        next = base(of: current)
      }
      return false
    }
  }
#endif
