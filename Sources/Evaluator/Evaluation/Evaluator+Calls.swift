#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeShapes
  import SwiftSyntax

  extension Evaluator {
    /// The value of a call as it is written.
    func call(_ call: FunctionCallExprSyntax, in scope: NameScope) -> Value {
      let callee = call.calledExpression
      if let access = callee.as(MemberAccessExprSyntax.self) {
        guard let base = access.base else {
          return .member(access.declName.baseName.text, arguments(of: call, in: scope))
        }
        if base.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self),
          access.declName.baseName.text == "init"
        {
          return delegated(call, in: scope)
        }
        return methodCall(access.declName.baseName.text, of: base, call, in: scope)
      }
      if let reference = callee.as(DeclReferenceExprSyntax.self) {
        return namedCall(reference.baseName.text, call, in: scope)
      }
      if let type = literalType(callee, in: scope) {
        let arguments = arguments(of: call, in: scope)
        lose(arguments.filter { $0.place != nil })
        let value = made(type, arguments, Syntax(call))
        return value.map { coerced($0, to: type, at: call) }
          ?? .unknown(Unknown(call, "this call is not evaluated"))
      }
      let value = evaluate(callee, in: scope)
      if case .stopped = value { return value }
      return self.call(value, arguments(of: call, in: scope), call, in: scope)
    }

    /// The type that `[Float]` or `[String: Int]` names before parentheses.
    private func literalType(_ callee: ExprSyntax, in scope: NameScope) -> StaticType? {
      func type(_ expression: ExprSyntax?) -> StaticType? {
        guard let expression else { return nil }
        let parsed = expression.as(TypeExprSyntax.self)?.type
        let name = expression.as(DeclReferenceExprSyntax.self)?.baseName
        let syntax = parsed ?? name.map { TypeSyntax(IdentifierTypeSyntax(name: $0.trimmed)) }
        if let nested = literalType(expression, in: scope) { return nested }
        guard let syntax, case let type = resolve(syntax, in: scope) else { return nil }
        if case .unknown = type { return nil }
        return type
      }
      if let array = callee.as(ArrayExprSyntax.self), array.elements.count == 1 {
        return type(array.elements.first?.expression).map { .array($0) }
      }
      if let dictionary = callee.as(DictionaryExprSyntax.self),
        case .elements(let elements) = dictionary.content, elements.count == 1,
        let key = type(elements.first?.key), let value = type(elements.first?.value)
      {
        return .dictionary(key, value)
      }
      return nil
    }

    /// `self.init(…)` in an initializer.
    private func delegated(_ call: FunctionCallExprSyntax, in scope: NameScope) -> Value {
      let arguments = arguments(of: call, in: scope)
      guard let owner = scope.owner, owner.isInitializing else {
        lose(arguments)
        return .unknown(Unknown(call, "this call is not evaluated"))
      }
      let value = create(owner.type, arguments, at: Syntax(call))
      owner.replace(with: value)
      if case .optional = value { lose(owner, at: call) }
      return value.unknownValue ?? .void
    }

    /// The evaluated arguments of a call, closures after its parentheses included.
    func arguments(of call: FunctionCallExprSyntax, in scope: NameScope) -> [Argument] {
      var arguments = call.arguments.map { argument in
        if let changed = argument.expression.as(InOutExprSyntax.self) {
          let place = place(of: changed.expression, in: scope)
          return Argument(
            label: argument.label?.text, value: read(place, at: changed),
            node: Syntax(argument.expression), place: place)
        }
        return Argument(
          label: argument.label?.text, value: evaluate(argument.expression, in: scope),
          node: Syntax(argument.expression))
      }
      if let closure = call.trailingClosure {
        arguments.append(
          Argument(
            label: nil, value: evaluate(ExprSyntax(closure), in: scope), node: Syntax(closure)))
      }
      arguments += call.additionalTrailingClosures.map { extra in
        Argument(
          label: extra.label.text, value: evaluate(ExprSyntax(extra.closure), in: scope),
          node: Syntax(extra.closure))
      }
      return arguments
    }

    /// A call of a plain name: a function, a type, a variable that holds a function, a layer.
    private func namedCall(
      _ name: String, _ call: FunctionCallExprSyntax, in scope: NameScope
    ) -> Value {
      let functions = functions(name, in: scope)
      if let obstacle = functions.lazy.compactMap(\.function.obstacle).first {
        // Whether and how often the arguments are evaluated is not known.
        for callable in functions {
          lose(callable.function)
          if callable.function.isMutating, let owner = callable.owner { lose(owner, at: call) }
        }
        return skipped(call, obstacle, in: scope)
      }
      if isConditional(name, in: scope) {
        return skipped(call, "\"\(name)\" is inside #if", in: scope)
      }
      if ["assert", "precondition", "assertionFailure"].contains(name), functions.isEmpty {
        // Not every build evaluates the condition.
        lose(call.arguments, in: scope)
        return .void
      }
      let arguments = arguments(of: call, in: scope)
      if let result = overload(functions, arguments, at: Syntax(call)) { return result }
      if isDeclared(name, in: scope) {
        return self.call(lookUp(name, at: call, in: scope), arguments, call, in: scope)
      }
      let value = knownCall(name, arguments, call, in: scope)
      if case .unknown = value { lose(arguments) }
      return value
    }

    /// Whether a name has a meaning in some builds only.
    func isConditional(_ name: String, in scope: NameScope) -> Bool {
      var current: NameScope? = scope
      while let scope = current {
        if scope.isConditional(name) { return true }
        if scope.own(name) != nil || !scope.ownFunctions(name).isEmpty { return false }
        current = scope.parent
      }
      return false
    }

    private func isDeclared(_ name: String, in scope: NameScope) -> Bool {
      var current: NameScope? = scope
      while let scope = current {
        if scope.own(name) != nil { return true }
        if let owner = scope.selfValue,
          owner.type.property(name) != nil || owner.type.computed[name] != nil
        {
          return true
        }
        current = scope.parent
      }
      return false
    }

    /// Calls the first function that takes the arguments; `nil` if none does.
    func overload(_ callables: [Callable], _ arguments: [Argument], at node: Syntax) -> Value? {
      let fitting = callables.filter { $0.function.match(arguments) != nil }
      guard let first = fitting.first else { return nil }
      // Functions of one scope that differ in the types of their parameters.
      let overloads = fitting.filter {
        $0.function.declaringScope === first.function.declaringScope
          && $0.function.admits(arguments, self)
      }
      guard overloads.count == 1, let callable = overloads.first else {
        lose(arguments)
        for callable in fitting {
          lose(callable.function)
          if callable.function.isMutating, let owner = callable.owner { lose(owner, at: node) }
        }
        return .unknown(Unknown(node, "the overload is not known"))
      }
      guard let owner = callable.owner else {
        return invoke(callable.function, arguments, at: node)
      }
      return invoke(callable.function, on: owner, arguments, at: node)
    }

    /// Calls the first of several functions that takes the arguments; `nil` if none does.
    func overload(
      _ functions: [Function], _ arguments: [Argument], at node: Syntax, on owner: SelfValue? = nil
    ) -> Value? {
      overload(functions.map { Callable(function: $0, owner: owner) }, arguments, at: node)
    }

    /// A call of Forge's or of Swift's.
    func knownCall(
      _ name: String, _ arguments: [Argument], _ call: FunctionCallExprSyntax, in scope: NameScope
    ) -> Value {
      if GraphCalls.names.contains(name) {
        let place = record(call, in: scope)
        let request = GraphCalls.Call(
          name: name, arguments: arguments, place: place, node: Syntax(call), evaluator: self)
        if let value = GraphCalls.value(of: request) { return value }
      }
      if LayerTable.shared.initializers[name] != nil {
        let place = record(call, in: scope)
        if let step = layer(name, arguments, place, Syntax(call)) { return .step(step) }
        return .unknown(Unknown(call, "no initializer of \(name) takes these arguments"))
      }
      if memberTypes.contains(name) || name == "Edges" { return .member("init", arguments) }
      if let value = standardCall(name, arguments, call, in: scope) { return value }
      if NumberType(rawValue: name) != nil {
        return .unknown(Unknown(call, "this \(name) is not evaluated, or does not exist"))
      }
      return .unknown(
        Unknown(call.calledExpression, "\"\(name)\" is not declared where the macro can see it"))
    }

    /// Calls a value.
    func call(
      _ callee: Value, _ arguments: [Argument], _ call: FunctionCallExprSyntax, in scope: NameScope
    ) -> Value {
      switch callee {
      case .function(let function):
        return invoke(function, arguments, at: Syntax(call))
      case .type(let type): return create(type, arguments, at: Syntax(call))
      case .typeName(let name):
        let value = knownCall(name, arguments, call, in: scope)
        if case .unknown = value { lose(arguments) }
        return value
      case .instance(let instance):
        let methods = instance.type.methods.filter {
          $0.name == "callAsFunction" && !$0.isMutating
        }
        let owner = SelfValue(instance.type, callee)
        return overload(methods, arguments, at: Syntax(call), on: owner)
          ?? .unknown(Unknown(call, "\"\(instance.type.name)\" has no such callAsFunction"))
      case .model(let model):
        guard let tensors = tensors(arguments.map(\.value)) else { break }
        return .tensors(model.outputs(for: tensors))
      case .step(let step):
        return apply(step, arguments, at: call)
      case .unknown:
        lose(arguments)
        return callee
      default: break
      }
      lose(arguments)
      return .unknown(Unknown(call, "this call is not evaluated"))
    }

    /// `scope(x)` and `scope([a, b])`.
    private func apply(
      _ step: any Step, _ arguments: [Argument], at call: FunctionCallExprSyntax
    ) -> Value {
      switch arguments.first?.value {
      case .tensor(let tensor)?: return .tensor(tensor.chained(to: step))
      case .array(let array)?:
        guard let tensors = tensors(array.elements) else { break }
        return .tensors(Block([step]).outputs(for: tensors))
      default: break
      }
      return .unknown(Unknown(call, "this call is not evaluated"))
    }

    // MARK: Layers

    /// The labels whose values change no shape.
    private static let shapeless: Set<String> = ["name", "activation", "useBias", "epsilon"]
    /// The labels of the last size of a layer's output.
    private static let lastSizes: Set<String> = ["channels", "neurons"]

    /// Makes a layer; `nil` if no initializer takes the arguments.
    func layer(
      _ name: String, _ arguments: [Argument], _ place: SourcePlace, _ node: Syntax
    ) -> (any Step)? {
      var arguments = arguments
      var hasUnknownChannels = false
      // Each turn replaces one argument that is not known.
      for _ in 0...arguments.count {
        switch made(name, arguments, place) {
        case .success(let step):
          guard hasUnknownChannels, let layer = step as? any Layer else { return step }
          return LayerOfUnknownChannels(layer: layer)
        case .failure(.mismatch): return nil
        case .failure(.unknown(let unknown, let index)):
          report(unknown)
          let argument = arguments[index]
          if let label = argument.label, Self.shapeless.contains(label) {
            arguments.remove(at: index)
          } else if let label = argument.label, Self.lastSizes.contains(label) {
            arguments[index] = Argument(
              label: label, value: .number(Number(literal: 1)), node: argument.node)
            hasUnknownChannels = true
          } else {
            return UnknownStep()
          }
        }
      }
      return nil
    }

    /// Makes a layer with the first initializer that takes the arguments.
    ///
    /// - Returns: the layer, or why there is none; an unknown argument by its position in the call.
    private func made(
      _ name: String, _ arguments: [Argument], _ place: SourcePlace
    ) -> Result<any Step, MatchedArguments.Failure> {
      var failure = MatchedArguments.Failure.mismatch
      for initializer in LayerTable.shared.initializers[name] ?? [] {
        guard let matched = initializer.parameters.match(arguments) else { continue }
        do {
          return .success(try initializer.make(matched, place))
        } catch let error as MatchedArguments.Failure {
          guard case .unknown(let unknown, let parameter) = error,
            let argument = matched.list[parameter],
            let position = arguments.firstIndex(where: { $0.node.id == argument.node.id })
          else { continue }
          failure = .unknown(unknown, argument: position)
        } catch {
          continue
        }
      }
      return .failure(failure)
    }
  }
#endif
