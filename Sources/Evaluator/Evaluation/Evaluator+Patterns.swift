#if Macros
  import SwiftSyntax

  /// Patterns of `switch`, `if case`, `for` and of declarations.
  extension Evaluator {
    /// Whether a value matches a pattern, whose names it binds; `nil` if that is not known.
    func matches(_ pattern: PatternSyntax, _ subject: Value, in scope: NameScope) -> Bool? {
      if pattern.is(WildcardPatternSyntax.self) { return true }
      if let binding = pattern.as(ValueBindingPatternSyntax.self) {
        return matches(
          binding.pattern, subject, in: scope,
          isMutable: binding.bindingSpecifier.tokenKind == .keyword(.var))
      }
      if let tuple = pattern.as(TuplePatternSyntax.self) {
        return matches(
          tuple.elements.map { ($0.label?.text, $0.pattern) }, subject, in: scope, isMutable: nil)
      }
      guard let expression = pattern.as(ExpressionPatternSyntax.self)?.expression else {
        return nil
      }
      return matches(expression, subject, in: scope, isMutable: nil)
    }

    /// A pattern inside of `let` or `var`, in which names bind.
    private func matches(
      _ pattern: PatternSyntax, _ subject: Value, in scope: NameScope, isMutable: Bool?
    ) -> Bool? {
      guard let isMutable else { return matches(pattern, subject, in: scope) }
      if let name = pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
        let value = typed(subject, at: pattern)
        scope.bind(name, to: Variable(value, type: value.type, isMutable: isMutable))
        return true
      }
      if let tuple = pattern.as(TuplePatternSyntax.self) {
        return matches(
          tuple.elements.map { ($0.label?.text, $0.pattern) }, subject, in: scope,
          isMutable: isMutable)
      }
      if let expression = pattern.as(ExpressionPatternSyntax.self)?.expression {
        return matches(expression, subject, in: scope, isMutable: isMutable)
      }
      return matches(pattern, subject, in: scope)
    }

    private func matches(
      _ elements: [(label: String?, pattern: PatternSyntax)], _ subject: Value,
      in scope: NameScope, isMutable: Bool?
    ) -> Bool? {
      if elements.count == 1, let only = elements.first, only.label == nil {
        return matches(only.pattern, subject, in: scope, isMutable: isMutable)
      }
      guard case .tuple(let tuple) = subject, tuple.elements.count == elements.count,
        elements.allSatisfy({ $0.label == nil })
      else { return nil }
      for (part, element) in zip(elements, tuple.elements) {
        switch matches(part.pattern, element.value, in: scope, isMutable: isMutable) {
        case true: continue
        case false: return false
        case nil: return nil
        }
      }
      return true
    }

    private func matches(
      _ expression: ExprSyntax, _ subject: Value, in scope: NameScope, isMutable: Bool?
    ) -> Bool? {
      if case .unknown = subject {
        // Only what takes any value matches.
        if expression.is(DiscardAssignmentExprSyntax.self) { return true }
        return expression.as(PatternExprSyntax.self).flatMap {
          matches($0.pattern, subject, in: scope, isMutable: isMutable)
        }
      }
      if expression.is(DiscardAssignmentExprSyntax.self) { return true }
      if let inner = expression.as(PatternExprSyntax.self) {
        return matches(inner.pattern, subject, in: scope, isMutable: isMutable)
      }
      if let isMutable, let name = expression.as(DeclReferenceExprSyntax.self)?.baseName.text {
        let value = typed(subject, at: expression)
        scope.bind(name, to: Variable(value, type: value.type, isMutable: isMutable))
        return true
      }
      if let tuple = expression.as(TupleExprSyntax.self) {
        return matches(
          tuple.elements.map {
            ($0.label?.text, PatternSyntax(ExpressionPatternSyntax(expression: $0.expression)))
          }, subject, in: scope, isMutable: isMutable)
      }
      // `x?`
      if let chaining = expression.as(OptionalChainingExprSyntax.self) {
        switch subject {
        case .optional(nil, _), .none: return false
        case .optional(let inner?, _):
          return matches(chaining.expression, inner, in: scope, isMutable: isMutable)
        default: return nil
        }
      }
      if let call = expression.as(FunctionCallExprSyntax.self),
        let access = call.calledExpression.as(MemberAccessExprSyntax.self)
      {
        return matches(
          access, call.arguments.map { ($0.label?.text, $0.expression) }, subject, in: scope,
          isMutable: isMutable)
      }
      if let access = expression.as(MemberAccessExprSyntax.self) {
        switch subject {
        case .enumCase(let value) where value.type.cases.contains { $0.name == access.name }:
          return matches(access, [], subject, in: scope, isMutable: isMutable)
        case .optional where access.name == "none" || access.name == "some": return nil
        default: break
        }
      }
      return matchesValue(expression, subject, in: scope)
    }

    /// A pattern that names a case, as in `.some(let x)`.
    private func matches(
      _ access: MemberAccessExprSyntax, _ parts: [(label: String?, expression: ExprSyntax)],
      _ subject: Value, in scope: NameScope, isMutable: Bool?
    ) -> Bool? {
      if let base = access.base {
        guard case .type(let type) = evaluate(base, in: scope), case .user(let own) = subject.type,
          type === own
        else { return nil }
      }
      switch subject {
      case .optional(let inner, _) where access.name == "some" && parts.count == 1:
        guard let inner else { return false }
        return matches(parts[0].expression, inner, in: scope, isMutable: isMutable)
      case .enumCase(let value):
        guard !value.type.hasOwnPattern,
          let found = value.type.cases.first(where: { $0.name == access.name })
        else { return nil }
        guard value.name == found.name else { return false }
        if parts.isEmpty { return true }
        guard parts.count == value.payload.count else {
          // One tuple may stand for all values.
          return nil
        }
        for (part, element) in zip(parts, value.payload) {
          guard part.label == nil || part.label == element.label else { return nil }
          switch matches(part.expression, element.value, in: scope, isMutable: isMutable) {
          case true: continue
          case false: return false
          case nil: return nil
          }
        }
        return true
      default: return nil
      }
    }

    /// Whether a value is that of an expression, or inside its range.
    private func matchesValue(
      _ expression: ExprSyntax, _ subject: Value, in scope: NameScope
    ) -> Bool? {
      let value = evaluate(expression, in: scope)
      switch (value, subject) {
      case (.range(let range), .number(let number)):
        return range.contains(number)
      case (.range, _): return nil
      case (.instance, _), (_, .instance): return nil
      case (.none, .optional(let inner, _)): return inner == nil
      case (.member, .enumCase), (.member, .number):
        return Value.areEqual(coerced(value, to: subject.type, at: expression), subject)
      default: return Value.areEqual(value, subject)
      }
    }
  }

  extension MemberAccessExprSyntax {
    fileprivate var name: String { declName.baseName.text }
  }

  extension UserType {
    /// Whether `~=` is a function of the source.
    fileprivate var hasOwnPattern: Bool { !scope.ownFunctions("~=").isEmpty }
  }
#endif
