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

    init(
      name: String, parameters: [Parameter], body: CodeBlockItemListSyntax, scope: NameScope,
      resultType: TypeSyntax? = nil, isClosure: Bool = false, isMutating: Bool = false,
      isShorthand: Bool = false
    ) {
      self.name = name
      self.parameters = parameters
      self.body = body
      self.scope = scope
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
        isMutating: declaration.modifiers.contains { $0.name.tokenKind == .keyword(.mutating) })
    }

    /// The parameters of a function, an initialiser or a subscript.
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
    func admits(_ arguments: [Argument]) -> Bool {
      guard let matched = match(arguments), !isShorthand else { return true }
      return zip(parameters, matched).allSatisfy { parameter, values in
        guard let type = parameter.type?.trimmedDescription else { return true }
        return values.allSatisfy { $0.value.mayBe(type) }
      }
    }

    /// The arguments by the position of their parameters; `nil` if they do not fit.
    func match(_ arguments: [Argument]) -> [[Argument]]? {
      if isClosure {
        guard !isShorthand else { return arguments.map { [$0] } }
        // One tuple may stand for all parameters.
        if arguments.count == 1, parameters.count > 1,
          case .tuple(let elements) = arguments[0].value, elements.count == parameters.count
        {
          return elements.map { [Argument(label: nil, value: $0.value, node: arguments[0].node)] }
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
#endif
