#if Macros
  import SwiftSyntax

  extension Evaluator {
    /// Calls a function or a closure with values.
    func call(_ function: Function, _ values: [Value], at node: Syntax) -> Value {
      let labels = function.isClosure ? [] : function.parameters.map(\.label)
      let arguments = values.enumerated().map { index, value in
        Argument(label: index < labels.count ? labels[index] : nil, value: value, node: node)
      }
      return invoke(function, arguments, at: node)
    }

    /// Calls a function or a closure with evaluated arguments.
    func invoke(_ function: Function, _ arguments: [Argument], at node: Syntax) -> Value {
      nested(at: node) {
        let scope = NameScope(function.scope)
        if let failure = bind(arguments, of: function, in: scope, at: node) { return failure }
        return result(of: function, in: scope, at: node)
      }
    }

    /// Calls a method, which may change its value.
    func invoke(
      _ method: Function, on owner: SelfValue, _ arguments: [Argument], at node: Syntax
    ) -> Value {
      nested(at: node) {
        let scope = NameScope(NameScope(method.scope, selfValue: owner))
        if let failure = bind(arguments, of: method, in: scope, at: node) { return failure }
        return result(of: method, in: scope, at: node)
      }
    }

    private func result(of function: Function, in scope: NameScope, at node: Syntax) -> Value {
      let value = value(of: run(function.body, in: scope, isBody: true), at: node)
      return function.resultType.map { converted(value, to: $0) } ?? value
    }

    /// Gives the parameters their values; what is wrong if the arguments do not fit.
    private func bind(
      _ arguments: [Argument], of function: Function, in scope: NameScope, at node: Syntax
    ) -> Value? {
      guard let matched = function.match(arguments) else {
        return .unknown(Unknown(node, "the arguments of \"\(function.name)\" do not fit"))
      }
      if function.isShorthand {
        for (index, values) in matched.enumerated() {
          scope.bind("$\(index)", to: values.first?.value ?? .void)
        }
        // `$0.0` and `$0.name` take a tuple apart; `$1` may also be its second element.
        if matched.count == 1, case .tuple(let elements)? = matched[0].first?.value,
          function.body.description.contains("$1")
        {
          for (index, element) in elements.enumerated() {
            scope.bind("$\(index)", to: element.value)
          }
        }
        return nil
      }
      for (parameter, values) in zip(function.parameters, matched) {
        if parameter.isVariadic {
          scope.bind(parameter.name, to: .array(values.map(\.value)))
        } else {
          let value =
            values.first?.value ?? parameter.fallback.map { evaluate($0, in: function.scope) }
            ?? .void
          scope.bind(
            parameter.name, to: parameter.type.map { converted(value, to: $0) } ?? value.typed)
        }
      }
      return nil
    }

    /// A new value of a type that the source declares.
    func create(_ type: UserType, _ arguments: [Argument], at node: Syntax) -> Value {
      if let obstacle = type.obstacle { return .unknown(Unknown(node, obstacle)) }
      return nested(at: node) {
        let owner = SelfValue(type, fields: [:])
        let scope = NameScope(type.scope, selfValue: owner)
        for property in type.stored {
          guard let fallback = property.fallback else {
            // An optional variable begins as nil.
            if property.type?.is(OptionalTypeSyntax.self) == true {
              owner.fields[property.name] = Value.none
            }
            continue
          }
          let value = evaluate(fallback, in: type.scope)
          owner.fields[property.name] =
            property.type.map { converted(value, to: $0) } ?? value.typed
        }
        if !type.initializers.isEmpty {
          for initializer in type.initializers where initializer.match(arguments) != nil {
            let inner = NameScope(scope)
            if let failure = bind(arguments, of: initializer, in: inner, at: node) {
              return failure
            }
            if case .unknown(let unknown) = value(
              of: run(initializer.body, in: inner, isBody: false), at: node)
            {
              return .unknown(unknown)
            }
            return .instance(owner.instance)
          }
        } else if type.isStructure, memberwise(type, owner, arguments) {
          return .instance(owner.instance)
        }
        return .unknown(Unknown(node, "no initializer of \(type.name) takes these arguments"))
      }
    }

    /// Sets the stored properties in order, as the memberwise initialiser does.
    private func memberwise(_ type: UserType, _ owner: SelfValue, _ arguments: [Argument]) -> Bool {
      let properties = type.stored.filter { !($0.isConstant && $0.fallback != nil) }
      let parameters = properties.map { property in
        let isOptional =
          property.fallback != nil
          || (!property.isConstant && property.type?.is(OptionalTypeSyntax.self) == true)
        return isOptional ? Parameter.optional(property.name) : .required(property.name)
      }
      guard let matched = Parameters(parameters).match(arguments) else { return false }
      for (property, argument) in zip(properties, matched.list) {
        guard let argument else { continue }
        owner.fields[property.name] =
          property.type.map { converted(argument.value, to: $0) } ?? argument.value.typed
      }
      return true
    }
  }
#endif
