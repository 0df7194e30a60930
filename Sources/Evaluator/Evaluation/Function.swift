#if Macros
  import SwiftSyntax

  /// A function or closure of the source.
  final class Function {
    /// A parameter.
    struct Parameter {
      let label: String?
      let name: String
      let type: TypeSyntax?
      let fallback: ExprSyntax?
      let isVariadic: Bool
      var isInout: Bool { type?.as(AttributedTypeSyntax.self)?.isInout == true }
    }

    let name: String
    let parameters: [Parameter]
    let body: CodeBlockItemListSyntax
    let scope: NameScope
    let resultType: TypeSyntax?
    /// Whether it is a closure, whose arguments have no labels.
    let isClosure: Bool
    /// Whether it is a method that changes its value.
    let isMutating: Bool
    /// Whether the parameters have no names but `$0` and `$1`.
    let isShorthand: Bool
    /// Whether an initializer may return `nil`.
    let isFailable: Bool
    /// Why calls are not evaluated; `nil` if they are.
    let obstacle: String?
    /// The scope in which it is declared.
    let declaringScope: NameScope
    /// The types that a closure gets from its use.
    private var inferred: (parameters: [StaticType], result: StaticType)?
    private var resolved: (parameters: [StaticType], result: StaticType?)?

    init(
      name: String, parameters: [Parameter], body: CodeBlockItemListSyntax, scope: NameScope,
      resultType: TypeSyntax? = nil, isClosure: Bool = false, isMutating: Bool = false,
      isShorthand: Bool = false, isFailable: Bool = false, generics: Set<String> = [],
      obstacle: String? = nil
    ) {
      self.name = name
      self.parameters = parameters
      self.body = body
      declaringScope = scope
      if generics.isEmpty {
        self.scope = scope
      } else {
        self.scope = NameScope(scope)
        self.scope.declareGenerics(generics)
      }
      self.isFailable = isFailable
      self.obstacle = obstacle ?? Self.obstacle(parameters)
      self.resultType = resultType
      self.isClosure = isClosure
      self.isMutating = isMutating
      self.isShorthand = isShorthand
    }

    /// A function declaration; `nil` for one without a body.
    convenience init?(_ declaration: FunctionDeclSyntax, in scope: NameScope) {
      guard let body = declaration.body else { return nil }
      self.init(
        name: declaration.name.text,
        parameters: Self.parameters(declaration.signature.parameterClause),
        body: body.statements, scope: scope,
        resultType: declaration.signature.returnClause?.type,
        isMutating: declaration.modifiers.contains { $0.name.tokenKind == .keyword(.mutating) },
        generics: declaration.genericParameterClause.names,
        obstacle: declaration.attributes.obstacle)
    }

    /// An initializer of a type; `nil` for one without a body.
    convenience init?(_ declaration: InitializerDeclSyntax, in scope: NameScope) {
      guard let body = declaration.body else { return nil }
      self.init(
        name: "init", parameters: Self.parameters(declaration.signature.parameterClause),
        body: body.statements, scope: scope, isMutating: true,
        isFailable: declaration.optionalMark != nil,
        generics: declaration.genericParameterClause.names,
        obstacle: declaration.attributes.obstacle)
    }

    /// Why parameters of these types are not evaluated.
    private static func obstacle(_ parameters: [Parameter]) -> String? {
      for parameter in parameters {
        guard let type = parameter.type?.as(AttributedTypeSyntax.self) else { continue }
        for case .attribute(let attribute) in type.attributes {
          let name = attribute.attributeName.trimmedDescription
          if !["escaping", "Sendable", "MainActor"].contains(name) {
            return "parameters with @\(name) are not evaluated"
          }
        }
      }
      return nil
    }

    // MARK: Types

    /// The function with the types that its use gives it.
    func typed(_ parameters: [StaticType], _ result: StaticType) -> Function {
      let copy = Function(
        name: name, parameters: self.parameters, body: body, scope: scope, resultType: resultType,
        isClosure: isClosure, isMutating: isMutating, isShorthand: isShorthand,
        isFailable: isFailable, obstacle: obstacle)
      copy.inferred = (parameters, result)
      return copy
    }

    /// The types of the parameters and of the result; `nil` for a result that no type is stated of.
    func types(_ evaluator: Evaluator) -> (parameters: [StaticType], result: StaticType?) {
      if let resolved { return resolved }
      var types: [StaticType] = parameters.map { parameter in
        parameter.type.map { evaluator.resolve($0, in: scope) } ?? .bottom
      }
      var result = resultType.map { evaluator.resolve($0, in: scope) }
      if let inferred {
        for (index, type) in inferred.parameters.enumerated() {
          if index >= types.count {
            if isShorthand { types.append(type) }
          } else if case .bottom = types[index] {
            types[index] = type
          }
        }
        result = result ?? inferred.result
      }
      if !isClosure, result == nil { result = .void }
      resolved = (types, result)
      return (types, result)
    }

    /// The static type, as far as a use has given it.
    var type: StaticType { inferred.map { .function($0.parameters, $0.result) } ?? .unknown }

    /// Whether one expression alone gives the result, so it alone determines its type.
    private(set) lazy var hasOneResult: Bool = SourceEffects.returns(in: Syntax(body)) <= 1

    /// The number of parameters that `$0`, `$1`, … name.
    private(set) lazy var shorthandCount: Int = ShorthandNames.count(in: Syntax(body))

    /// The parameters of a function, an initializer or a subscript.
    static func parameters(_ clause: FunctionParameterClauseSyntax) -> [Parameter] {
      clause.parameters.map { parameter in
        let label = parameter.firstName.text
        return Parameter(
          label: label == "_" ? nil : label,
          name: (parameter.secondName ?? parameter.firstName).text,
          type: parameter.type, fallback: parameter.defaultValue?.value,
          isVariadic: parameter.ellipsis != nil)
      }
    }

    /// A closure.
    convenience init(_ closure: ClosureExprSyntax, in scope: NameScope) {
      var parameters: [Parameter] = []
      switch closure.signature?.parameterClause {
      case .simpleInput(let names):
        parameters = names.map {
          Parameter(label: nil, name: $0.name.text, type: nil, fallback: nil, isVariadic: false)
        }
      case .parameterClause(let clause):
        parameters = clause.parameters.map {
          Parameter(
            label: nil, name: ($0.secondName ?? $0.firstName).text, type: $0.type, fallback: nil,
            isVariadic: false)
        }
      case nil: break
      }
      self.init(
        name: "closure", parameters: parameters, body: closure.statements, scope: scope,
        resultType: closure.signature?.returnClause?.type, isClosure: true,
        isShorthand: closure.signature?.parameterClause == nil)
    }

    /// Whether the types of the parameters may be those of the arguments, as far as that is seen.
    func admits(_ arguments: [Argument], _ evaluator: Evaluator) -> Bool {
      guard let matched = match(arguments), !isShorthand else { return true }
      return zip(types(evaluator).parameters, matched).allSatisfy { type, values in
        if case .bottom = type { return true }
        return values.allSatisfy { $0.value.mayBe(type) }
      }
    }

    /// The arguments by the position of their parameters; `nil` if they do not fit.
    func match(_ arguments: [Argument]) -> [[Argument]]? {
      if isClosure {
        guard !isShorthand else { return arguments.map { [$0] } }
        // One tuple may stand for all parameters.
        if arguments.count == 1, parameters.count > 1,
          case .tuple(let tuple) = arguments[0].value, tuple.elements.count == parameters.count
        {
          return tuple.elements.map {
            [Argument(label: nil, value: $0.value, node: arguments[0].node)]
          }
        }
        return arguments.count == parameters.count ? arguments.map { [$0] } : nil
      }
      var matched = [[Argument]](repeating: [], count: parameters.count)
      var next = 0
      for (index, argument) in arguments.enumerated() {
        // Further values of a variadic parameter have no label.
        if next > 0, parameters[next - 1].isVariadic, argument.label == nil, index > 0,
          !(next < parameters.count && parameters[next].label == nil)
        {
          matched[next - 1].append(argument)
          continue
        }
        let isTrailing = argument.node.is(ClosureExprSyntax.self) && argument.label == nil
        while next < parameters.count, parameters[next].label != argument.label,
          !(isTrailing && next == parameters.count - 1)
        {
          guard parameters[next].fallback != nil || parameters[next].isVariadic else { return nil }
          next += 1
        }
        guard next < parameters.count else { return nil }
        matched[next] = [argument]
        next += 1
      }
      for (parameter, arguments) in zip(parameters, matched)
      where arguments.isEmpty && parameter.fallback == nil && !parameter.isVariadic {
        return nil
      }
      return matched
    }
  }

  extension Optional where Wrapped == GenericParameterClauseSyntax {
    /// The names of the parameters.
    var names: Set<String> { Set(self?.parameters.map(\.name.text) ?? []) }
  }

  extension AttributedTypeSyntax {
    /// Whether a function changes the argument.
    var isInout: Bool {
      specifiers.contains {
        $0.as(SimpleTypeSpecifierSyntax.self)?.specifier.tokenKind == .keyword(.inout)
      }
    }
  }

  extension AttributeListSyntax {
    /// Why what they stand at is not evaluated; `nil` if they change nothing about it.
    var obstacle: String? {
      let harmless: Set<String> = [
        "discardableResult", "inline", "inlinable", "available", "MainActor", "Sendable",
        "usableFromInline", "frozen", "Network", "escaping", "unchecked", "preconcurrency",
      ]
      for element in self {
        guard case .attribute(let attribute) = element else { return "#if is not evaluated" }
        let name = attribute.attributeName.trimmedDescription
        if !harmless.contains(name) { return "declarations with @\(name) are not evaluated" }
      }
      return nil
    }
  }
#endif
