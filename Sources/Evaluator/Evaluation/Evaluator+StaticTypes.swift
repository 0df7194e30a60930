#if Macros
  import SwiftSyntax

  /// The types of expressions that are not evaluated, as far as the source states them.
  extension Evaluator {
    /// The type of an operator tree.
    func staticType(of tree: OperatorTree, in scope: NameScope) -> StaticType {
      switch tree {
      case .operand(let expression): return staticType(of: expression, in: scope)
      case .cast(_, let type, let isOptional):
        let type = resolve(type, in: scope)
        return isOptional ? .unknown : type
      case .ternary(_, let then, let otherwise):
        return .join(staticType(of: then, in: scope), staticType(of: otherwise, in: scope))
      case .chain: return .forge("")
      case .assignment: return .void
      case .binary(let symbol, _, let left, let right):
        let (a, b) = (staticType(of: left, in: scope), staticType(of: right, in: scope))
        switch symbol {
        case "==", "!=", "<", "<=", ">", ">=", "&&", "||": return .bool
        case "+", "-", "*", "/", "%", "&+", "&-", "&*", "&", "|", "^":
          switch (a, b) {
          case (.number, .number), (.string, .string), (.array, .array): return .join(a, b)
          case (.integerLiteral, _), (.fractionLiteral, _), (_, .integerLiteral),
            (_, .fractionLiteral):
            let type = StaticType.join(a, b)
            if case .optional = type { return .unknown }
            return type
          default: return .unknown
          }
        case "<<", ">>":
          if case .number = a { return a }
          return .unknown
        case "??":
          guard case .optional(let wrapped) = a else { return .unknown }
          switch b {
          case .optional, .nilLiteral: return .join(a, b)
          default: return b.mayBeOptional ? .unknown : .join(wrapped, b)
          }
        default: return .unknown
        }
      }
    }

    /// The type of an expression; `.unknown` where the source does not state it.
    func staticType(of expression: ExprSyntax, in scope: NameScope) -> StaticType {
      switch expression.as(ExprSyntaxEnum.self) {
      case .integerLiteralExpr: return .integerLiteral
      case .floatLiteralExpr: return .fractionLiteral
      case .booleanLiteralExpr: return .bool
      case .stringLiteralExpr: return .string
      case .nilLiteralExpr: return .nilLiteral
      case .arrayExpr(let array):
        return .array(
          array.elements.reduce(.bottom) {
            .join($0, staticType(of: $1.expression, in: scope))
          })
      case .tupleExpr(let tuple):
        if tuple.elements.count == 1, let only = tuple.elements.first, only.label == nil {
          return staticType(of: only.expression, in: scope)
        }
        return .tuple(
          tuple.elements.map { ($0.label?.text, staticType(of: $0.expression, in: scope)) })
      case .prefixOperatorExpr(let prefixed):
        let type = staticType(of: prefixed.expression, in: scope)
        switch (prefixed.operator.text, type) {
        case ("-", .integerLiteral), ("-", .fractionLiteral), ("-", .number), ("~", .number),
          ("!", .bool):
          return type
        default: return .unknown
        }
      case .sequenceExpr, .infixOperatorExpr, .ternaryExpr, .asExpr:
        return staticType(of: OperatorTree(expression), in: scope)
      case .declReferenceExpr(let reference):
        return staticType(of: reference, in: scope)
      case .memberAccessExpr(let access):
        guard let base = access.base else { return .memberLiteral }
        if let reference = base.as(DeclReferenceExprSyntax.self),
          case .type(let type)? = scope.find(reference.baseName.text)?.binding.knownValue
        {
          return staticMember(access.declName.baseName.text, of: type, at: access).type
        }
        return member(
          access.declName.baseName.text,
          of: staticType(of: base, in: scope), isChained: OptionalChain.isOutermost(expression))
      case .subscriptCallExpr(let call):
        guard call.arguments.count == 1, call.arguments.first?.label == nil else { return .unknown }
        let index = call.arguments.first.map { staticType(of: $0.expression, in: scope) }
        switch (staticType(of: call.calledExpression, in: scope), index) {
        case (.array(let element), .number?), (.array(let element), .integerLiteral?),
          (.slice(let element), .number?), (.slice(let element), .integerLiteral?):
          return optional(element, OptionalChain.isOutermost(expression))
        case (.dictionary(_, let value), _): return optional(value, true)
        default: return .unknown
        }
      case .forceUnwrapExpr(let forced):
        if case .optional(let wrapped) = staticType(of: forced.expression, in: scope) {
          return wrapped
        }
        return .unknown
      case .optionalChainingExpr(let chaining):
        if case .optional(let wrapped) = staticType(of: chaining.expression, in: scope) {
          return wrapped
        }
        return .unknown
      case .functionCallExpr(let call): return staticType(of: call, in: scope)
      case .tryExpr(let tried) where tried.questionOrExclamationMark == nil:
        return staticType(of: tried.expression, in: scope)
      default: return .unknown
      }
    }

    private func optional(_ type: StaticType, _ isOptional: Bool) -> StaticType {
      switch type {
      case .optional, .unknown: type
      default: isOptional ? .optional(type) : type
      }
    }

    private func staticType(
      of reference: DeclReferenceExprSyntax, in scope: NameScope
    ) -> StaticType {
      let name = reference.baseName.text
      if reference.baseName.tokenKind == .keyword(.self) {
        return scope.owner.map { $0.value.type } ?? .unknown
      }
      var current: NameScope? = scope
      while let scope = current {
        switch scope.own(name) {
        case .variable(let variable):
          if case .unknown = variable.type { return variable.value.type }
          return variable.type
        case .computed(let computed):
          return computed.type.map { resolve($0, in: scope) } ?? .unknown
        case .lazy(let declaration): return declaration.value.type
        case nil: break
        }
        if let owner = scope.selfValue {
          let type = member(name, of: .user(owner.type), isChained: false)
          if case .unknown = type {} else { return type }
        }
        if !scope.ownFunctions(name).isEmpty { return .unknown }
        current = scope.parent
      }
      return .unknown
    }

    private func member(_ name: String, of type: StaticType, isChained: Bool) -> StaticType {
      let result: StaticType
      switch (type, name) {
      case (.array, "count"), (.slice, "count"), (.set, "count"), (.dictionary, "count"),
        (.string, "count"), (.range, "count"):
        result = .number(.int)
      case (.array, "isEmpty"), (.set, "isEmpty"), (.dictionary, "isEmpty"), (.string, "isEmpty"):
        result = .bool
      case (.array(let element), "first"), (.array(let element), "last"),
        (.slice(let element), "first"), (.slice(let element), "last"):
        result = optional(element, true)
      case (.tuple(let elements), _):
        if let index = Int(name), elements.indices.contains(index) {
          result = elements[index].type
        } else {
          result = elements.first { $0.label == name }?.type ?? .unknown
        }
      case (.user(let owner), _):
        if let property = owner.property(name) {
          result =
            self.type(of: property, in: owner)
        } else if let computed = owner.computed[name] {
          result = computed.type.map { resolve($0, in: owner.scope) } ?? .unknown
        } else {
          result = .unknown
        }
      case (.forge("Tensor"), "width"), (.forge("Tensor"), "height"),
        (.forge("Tensor"), "channels"), (.forge("Shape"), "width"), (.forge("Shape"), "height"),
        (.forge("Shape"), "channels"), (.forge("Shape"), "elementCount"):
        result = .optional(.number(.int))
      case (.forge("Tensor"), "shape"): result = .optional(.forge("Shape"))
      default: result = .unknown
      }
      return optional(result, isChained)
    }

    private func type(of property: UserType.Property, in owner: UserType) -> StaticType {
      if let type = owner.type(of: property, self) { return type }
      return property.fallback.map { staticType(of: $0, in: owner.scope).defaulted } ?? .unknown
    }

    private func staticType(of call: FunctionCallExprSyntax, in scope: NameScope) -> StaticType {
      let isChained = OptionalChain.isOutermost(ExprSyntax(call))
      if let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text {
        let found = functions(name, in: scope)
        if !found.isEmpty {
          guard found.count == 1, let result = found[0].function.types(self).result else {
            return .unknown
          }
          return result
        }
        if let binding = scope.find(name)?.binding {
          if case .type(let type)? = binding.knownValue {
            return type.initializers.contains(where: \.isFailable) ? .unknown : .user(type)
          }
          if case .function(let function)? = binding.knownValue {
            return function.types(self).result ?? .unknown
          }
          return .unknown
        }
        if let type = NumberType(rawValue: name), call.arguments.count == 1,
          let argument = call.arguments.first, argument.label == nil
        {
          switch staticType(of: argument.expression, in: scope) {
          case .number, .integerLiteral, .fractionLiteral: return .number(type)
          default: return .unknown
          }
        }
        switch name {
        case "Input", "Concatenate": return .forge("Tensor")
        case "max", "min", "abs":
          return call.arguments.reduce(.bottom) {
            .join($0, staticType(of: $1.expression, in: scope))
          }
        default: return Self.isForgeType(name) ? .forge("") : .unknown
        }
      }
      guard let access = call.calledExpression.as(MemberAccessExprSyntax.self),
        let base = access.base
      else { return .unknown }
      let name = access.declName.baseName.text
      if let reference = base.as(DeclReferenceExprSyntax.self),
        case .type(let type)? = scope.find(reference.baseName.text)?.binding.knownValue
      {
        let found = type.scope.ownFunctions(name)
        return found.count == 1 ? found[0].types(self).result ?? .unknown : .unknown
      }
      switch staticType(of: base, in: scope) {
      case .user(let type):
        let found = type.methods.filter { $0.name == name }
        guard found.count == 1, let result = found[0].types(self).result else { return .unknown }
        return optional(result, isChained)
      case .array(let element):
        guard call.arguments.isEmpty else { return .unknown }
        switch name {
        case "max", "min", "popLast": return optional(element, true)
        case "removeLast", "removeFirst": return optional(element, isChained)
        case "sorted": return optional(.array(element), isChained)
        default: return .unknown
        }
      case .number(let type):
        return name == "isMultiple"
          ? optional(.bool, isChained)
          : name == "rounded" || name == "squareRoot"
            ? optional(.number(type), isChained) : .unknown
      case .string:
        return name == "uppercased" || name == "lowercased"
          ? optional(.string, isChained) : .unknown
      default: return .unknown
      }
    }
  }

  extension NameScope.Binding {
    /// The value that needs no evaluation of a body.
    fileprivate var knownValue: Value? {
      switch self {
      case .variable(let variable): variable.value
      case .lazy(let declaration): declaration.value
      case .computed: nil
      }
    }
  }
#endif
