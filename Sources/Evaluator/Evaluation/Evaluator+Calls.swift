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
        return methodCall(access.declName.baseName.text, of: base, call, in: scope)
      }
      if let reference = callee.as(DeclReferenceExprSyntax.self) {
        return namedCall(reference.baseName.text, call, in: scope)
      }
      return self.call(
        evaluate(callee, in: scope), arguments(of: call, in: scope), call, in: scope)
    }

    /// The evaluated arguments of a call, closures after its parentheses included.
    func arguments(of call: FunctionCallExprSyntax, in scope: NameScope) -> [Argument] {
      var arguments = call.arguments.map { argument in
        var value = evaluate(argument.expression, in: scope)
        if let changed = argument.expression.as(InOutExprSyntax.self) {
          // The function may change the variable.
          value = .unknown(Unknown(changed, "inout arguments are not evaluated"))
          _ = store(value, in: changed.expression, scope)
        }
        return Argument(
          label: argument.label?.text, value: value, node: Syntax(argument.expression))
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
      let arguments = arguments(of: call, in: scope)
      if let result = overload(functions(name, in: scope), arguments, at: Syntax(call)) {
        return result
      }
      if isDeclared(name, in: scope) {
        return self.call(lookUp(name, at: call, in: scope), arguments, call, in: scope)
      }
      return knownCall(name, arguments, call, in: scope)
    }

    private func isDeclared(_ name: String, in scope: NameScope) -> Bool {
      var current: NameScope? = scope
      while let scope = current {
        if scope.own(name) != nil || scope.selfValue?.fields[name] != nil { return true }
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
        $0.function.scope === first.function.scope && $0.function.admits(arguments)
      }
      guard overloads.count == 1, let callable = overloads.first else {
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
      case .typeName(let name): return knownCall(name, arguments, call, in: scope)
      case .instance(let instance):
        let methods = instance.type.methods.filter { $0.name == "callAsFunction" }
        let owner = SelfValue(instance.type, fields: instance.fields)
        return overload(methods, arguments, at: Syntax(call), on: owner)
          ?? .unknown(Unknown(call, "\"\(instance.type.name)\" has no such callAsFunction"))
      case .model(let model):
        guard let tensors = tensors(arguments.map(\.value)) else { break }
        return .array(model.outputs(for: tensors).map { .tensor($0) })
      case .step(let step):
        return apply(step, arguments, at: call)
      case .unknown: return callee
      default: break
      }
      return .unknown(Unknown(call, "this call is not evaluated"))
    }

    /// `scope(x)` and `scope([a, b])`.
    private func apply(
      _ step: any Step, _ arguments: [Argument], at call: FunctionCallExprSyntax
    ) -> Value {
      switch arguments.first?.value {
      case .tensor(let tensor)?: return .tensor(tensor.chained(to: step))
      case .array(let elements)?:
        guard let tensors = tensors(elements) else { break }
        return .array(Block([step]).outputs(for: tensors).map { .tensor($0) })
      default: break
      }
      return .unknown(Unknown(call, "this call is not evaluated"))
    }

    // MARK: Layers

    /// The labels whose values change no shape.
    private static let shapeless: Set<String> = ["name", "activation", "useBias", "epsilon"]
    /// The labels of the last size of a layer's output.
    private static let lastSizes: Set<String> = ["channels", "neurons"]

    /// Makes a layer; `nil` if no initialiser takes the arguments.
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
              label: label, value: .number(Number(1, isLiteral: true)), node: argument.node)
            hasUnknownChannels = true
          } else {
            return UnknownStep()
          }
        }
      }
      return nil
    }

    /// Makes a layer with the first initialiser that takes the arguments.
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
