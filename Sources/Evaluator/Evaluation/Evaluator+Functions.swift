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
      invoke(function, in: function.scope, arguments, at: node)
    }

    /// Calls a method, which may change its value.
    func invoke(
      _ method: Function, on owner: SelfValue, _ arguments: [Argument], at node: Syntax
    ) -> Value {
      // A method calls observers, even where an initializer or an observer calls it.
      let (wasInitializing, observed) = (owner.isInitializing, owner.observed)
      (owner.isInitializing, owner.observed) = (false, [])
      defer { (owner.isInitializing, owner.observed) = (wasInitializing, observed) }
      let scope = NameScope(method.scope, selfValue: owner)
      let result = invoke(method, in: scope, arguments, at: node)
      return result
    }

    private func invoke(
      _ function: Function, in outer: NameScope, _ arguments: [Argument], at node: Syntax
    ) -> Value {
      var isDone = false
      let result = nested(at: node) {
        isDone = true
        if let obstacle = function.obstacle {
          return fail(function, in: outer, arguments, Unknown(node, obstacle))
        }
        let scope = NameScope(outer)
        guard let matched = function.match(arguments),
          bind(matched, of: function, in: scope, at: node)
        else {
          let unknown = Unknown(node, "the arguments of \"\(function.name)\" do not fit")
          return fail(function, in: outer, arguments, unknown)
        }
        let body = NameScope(scope)
        let flow = run(function.body, in: body, isBody: true)
        if case .unknown = flow {
          lose(function.body, in: body)
          if function.isMutating, let owner = outer.selfValue { lose(owner, at: node) }
        }
        copyOut(matched, of: function, from: scope, at: node)
        return finished(value(of: flow, at: node), flow, function, at: node)
      }
      if !isDone, let unknown = result.unknown {
        return fail(function, in: outer, arguments, unknown)
      }
      return result
    }

    /// The result of a call that is not evaluated.
    private func fail(
      _ function: Function, in outer: NameScope, _ arguments: [Argument], _ unknown: Unknown
    ) -> Value {
      lose(arguments)
      lose(function)
      if function.isMutating, let owner = outer.selfValue { lose(owner, at: unknown.node) }
      return .unknown(unknown)
    }

    /// The value of a body as the result of its function.
    private func finished(
      _ value: Value, _ flow: Flow, _ function: Function, at node: Syntax
    ) -> Value {
      if case .unknown(let unknown) = flow { return .unknown(unknown) }
      guard let type = function.types(self).result else {
        // Several results decide together which type a literal has.
        return function.hasOneResult ? value : waiting(value)
      }
      // The value of the only expression of a body without a result is dropped.
      if case .void = type { return .void }
      return coerced(value, to: type, at: node)
    }

    /// Stores what the function has made of its `inout` parameters.
    private func copyOut(
      _ matched: [[Argument]], of function: Function, from scope: NameScope, at node: Syntax
    ) {
      for (index, arguments) in matched.enumerated() {
        guard let place = arguments.first?.place else { continue }
        let name = function.isShorthand ? "$\(index)" : function.parameters[index].name
        if case .variable(let variable)? = scope.own(name) {
          _ = store(variable.value, at: place, node)
        }
      }
    }

    /// Gives the parameters their values; whether they fit.
    private func bind(
      _ matched: [[Argument]], of function: Function, in scope: NameScope, at node: Syntax
    ) -> Bool {
      let types = function.types(self).parameters
      /// The value of an argument as that of a parameter.
      func value(_ value: Value, _ index: Int) -> Value {
        guard types.indices.contains(index) else { return waiting(value) }
        if case .bottom = types[index] { return waiting(value) }
        return coerced(value, to: types[index], at: node)
      }
      func bind(_ name: String, _ bound: Value, _ index: Int, isInout: Bool) {
        let type = types.indices.contains(index) ? types[index] : .bottom
        let isStated = if case .bottom = type { false } else { true }
        scope.bind(
          name,
          to: Variable(bound, type: isStated ? type : bound.type, isMutable: isInout))
      }
      if function.isShorthand {
        // `$0.0` and `$0.name` take a tuple apart; `$1` may also be its second element.
        if matched.count == 1, case .tuple(let tuple)? = matched[0].first?.value,
          function.shorthandCount > 1
        {
          for (index, element) in tuple.elements.enumerated() {
            bind("$\(index)", waiting(element.value), types.count, isInout: false)
          }
          return function.shorthandCount <= tuple.elements.count
        }
        guard function.shorthandCount <= matched.count else { return false }
        for (index, arguments) in matched.enumerated() {
          guard let argument = arguments.first else { return false }
          bind(
            "$\(index)", value(argument.value, index), index, isInout: argument.place != nil)
        }
        return true
      }
      for (index, (parameter, arguments)) in zip(function.parameters, matched).enumerated() {
        if parameter.isVariadic {
          let element = types[index]
          let list = ArrayValue(arguments.map { value($0.value, index) }, of: element)
          scope.bind(
            parameter.name,
            to: Variable(.array(list), type: .array(element), isMutable: false))
          continue
        }
        if let argument = arguments.first {
          guard parameter.isInout == (argument.place != nil) || function.isClosure else {
            return false
          }
          bind(
            parameter.name, value(argument.value, index), index,
            isInout: argument.place != nil)
        } else if let fallback = parameter.fallback {
          bind(
            parameter.name, value(evaluate(fallback, in: function.scope), index), index,
            isInout: false)
        } else {
          return false
        }
      }
      return true
    }

    // MARK: Initializers

    /// A new value of a type that the source declares.
    func create(_ type: UserType, _ arguments: [Argument], at node: Syntax) -> Value {
      func fail(_ reason: String) -> Value {
        lose(arguments)
        for initializer in type.initializers { lose(initializer) }
        return .unknown(Unknown(node, reason))
      }
      if let obstacle = type.obstacle { return fail(obstacle) }
      let owner = SelfValue(type)
      owner.isInitializing = true
      if type.isEnumeration {
        return rawValueCase(type, arguments, at: node) ?? fail("this initializer is not evaluated")
      }
      let fitting = type.initializers.filter { $0.match(arguments) != nil }
      let admitted = fitting.filter { $0.admits(arguments, self) }
      let fields = type.isMemberwise ? memberwise(type, arguments) : nil
      guard admitted.count + (fields == nil ? 0 : 1) == 1 else {
        return fail(
          fitting.isEmpty && fields == nil
            ? "no initializer of \(type.name) takes these arguments"
            : "the overload is not known")
      }
      if let failure = setDefaults(of: type, owner, except: fields ?? [], at: node) {
        return failure
      }
      guard let initializer = admitted.first else {
        for (property, argument) in fields ?? [] {
          let stated = type.type(of: property, self)
          owner.set(
            property.name,
            stated.map { coerced(argument.value, to: $0, at: node) }
              ?? coerced(
                argument.value, to: owner.fields[property.name]?.type ?? .unknown, at: node))
        }
        return .instance(Instance(type: type, fields: owner.fields))
      }
      return initialized(owner, by: initializer, arguments, at: node)
    }

    private func initialized(
      _ owner: SelfValue, by initializer: Function, _ arguments: [Argument], at node: Syntax
    ) -> Value {
      let type = owner.type
      let result = nested(at: node) { () -> Value in
        let scope = NameScope(NameScope(initializer.scope, selfValue: owner))
        guard initializer.obstacle == nil, let matched = initializer.match(arguments),
          bind(matched, of: initializer, in: scope, at: node)
        else {
          lose(arguments)
          lose(initializer)
          return .unknown(Unknown(node, initializer.obstacle ?? "the arguments do not fit"))
        }
        let body = NameScope(scope)
        let flow = run(initializer.body, in: body)
        if case .unknown(let unknown) = flow {
          lose(initializer.body, in: body)
          copyOut(matched, of: initializer, from: scope, at: node)
          return .unknown(unknown)
        }
        copyOut(matched, of: initializer, from: scope, at: node)
        if case .return(.none) = flow, initializer.isFailable {
          return .optional(nil, .user(type))
        }
        return .void
      }
      if case .void = result {
        let value = owner.value
        return initializer.isFailable ? .optional(value, .user(type)) : value
      }
      return result
    }

    /// Gives the stored properties the values that their declarations state; what is wrong if that
    /// fails.
    private func setDefaults(
      of type: UserType, _ owner: SelfValue,
      except stated: [(property: UserType.Property, argument: Argument)], at node: Syntax
    ) -> Value? {
      for property in type.stored {
        let declared = type.type(of: property, self)
        guard let fallback = property.fallback else {
          // An optional variable begins as nil.
          if case .optional(let wrapped)? = declared, !property.isConstant {
            owner.set(property.name, .optional(nil, wrapped))
          } else {
            owner.set(
              property.name, .unknown(Unknown(node, "\"\(property.name)\" has no value here")))
          }
          continue
        }
        // What an argument replaces is not evaluated, but may state the type.
        let value = evaluate(fallback, in: type.scope)
        owner.set(
          property.name,
          declared.map { coerced(value, to: $0, at: fallback) } ?? typed(value, at: fallback))
      }
      return nil
    }

    /// The stored properties that the arguments of a memberwise initializer set; `nil` if they do
    /// not fit.
    private func memberwise(
      _ type: UserType, _ arguments: [Argument]
    ) -> [(property: UserType.Property, argument: Argument)]? {
      let properties = type.stored.filter { !($0.isConstant && $0.fallback != nil) }
      let parameters = properties.map { property in
        let isOptional =
          property.fallback != nil
          || (!property.isConstant && property.type?.is(OptionalTypeSyntax.self) == true)
        return isOptional ? Parameter.optional(property.name) : .required(property.name)
      }
      guard let matched = Parameters(parameters).match(arguments) else { return nil }
      var found: [(UserType.Property, Argument)] = []
      for (property, argument) in zip(properties, matched.list) {
        guard let argument else { continue }
        if let declared = type.type(of: property, self), !argument.value.mayBe(declared) {
          return nil
        }
        found.append((property, argument))
      }
      return found
    }

    /// The case of a raw value, as in `E(rawValue: 3)`.
    private func rawValueCase(
      _ type: UserType, _ arguments: [Argument], at node: Syntax
    ) -> Value? {
      guard type.initializers.isEmpty, arguments.count == 1, arguments[0].label == "rawValue",
        !type.cases.isEmpty
      else { return nil }
      for found in type.cases {
        guard let raw = rawValue(of: found.name, in: type, at: node) else { return nil }
        switch Value.areEqual(raw, coerced(arguments[0].value, to: raw.type, at: node)) {
        case true?: return .optional(enumCase(found, of: type, [], at: node), .user(type))
        case false?: continue
        case nil: return nil
        }
      }
      return .optional(nil, .user(type))
    }
  }
#endif
