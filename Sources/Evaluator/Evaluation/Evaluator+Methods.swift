#if Macros
  import ForgeGraph
  import ForgeLayers
  import SwiftSyntax

  /// Methods.
  extension Evaluator {
    /// The value of `base.method(…)`.
    func methodCall(
      _ name: String, of base: ExprSyntax, _ call: FunctionCallExprSyntax, in scope: NameScope
    ) -> Value {
      let place = place(of: base, in: scope)
      var receiver = read(place, at: base)
      let node = Syntax(call)
      switch receiver {
      case .stopped: return receiver
      case .instance(let instance):
        if instance.type.methods.contains(where: { $0.name == name && $0.obstacle != nil }) {
          lose(place, at: node)
          return skipped(call, "this method is not evaluated", in: scope)
        }
      default: break
      }
      let arguments = arguments(of: call, in: scope)
      if arguments.contains(where: { $0.place != nil }), !isOfSource(receiver) {
        lose(arguments)
        lose(place, at: node)
        return .unknown(Unknown(call.calledExpression, "inout arguments are not evaluated"))
      }
      switch receiver {
      case .unknown:
        lose(arguments)
        return receiver
      case .type(let type): return staticCall(name, of: type, arguments, call, in: scope)
      case .typeName(let owner):
        let full = "\(owner).\(name)"
        if memberTypes.contains(full) { return .member("init", arguments) }
        if memberTypes.contains(owner) || owner == "Edges" { return .member(name, arguments) }
        for type in additions(to: owner, in: scope) {
          if let result = overload(type.scope.ownFunctions(name), arguments, at: node) {
            return result
          }
        }
        if NumberType(rawValue: owner) != nil, name != "init" { break }
        return knownCall(name == "init" ? owner : name, arguments, call, in: scope)
      case .instance(let instance):
        if let result = ownMethod(name, of: instance.type, receiver, place, arguments, node) {
          return result
        }
        if case .function(let function)? = instance.fields[name] {
          return invoke(function, arguments, at: node)
        }
        if name == "named", let step = step(of: receiver, at: node) {
          return named(step, arguments, call, in: scope)
        }
      case .enumCase(let enumCase):
        if let result = ownMethod(name, of: enumCase.type, receiver, place, arguments, node) {
          return result
        }
      case .step(let step) where name == "named":
        return named(step, arguments, call, in: scope)
      case .model(let model) where name == "named":
        return named(model, arguments, call, in: scope)
      case .step(let step) where name == "callAsFunction":
        return self.call(.step(step), arguments, call, in: scope)
      case .function(let function) where name == "callAsFunction":
        return invoke(function, arguments, at: node)
      default:
        var settled = typed(receiver, at: node)
        if case .unknown = settled {
          lose(arguments)
          lose(place, at: node)
          return settled
        }
        for type in additions(to: settled, in: scope) {
          if let result = ownMethod(name, of: type, settled, place, arguments, node) {
            return result
          }
        }
        // A method that the source adds to some type may be the one that is meant.
        if isAdded(name, in: scope) { break }
        if let changed = changed(by: name, settled) {
          // Nothing else holds the value while it changes.
          (receiver, settled) = (.void, .void)
          return changingMethod(name, changed, place, arguments, node)
        }
        if let result = standardMethod(name, of: settled, arguments, node) { return result }
      }
      // The method may change the variable, and what its closures may change.
      lose(arguments)
      switch receiver {
      case .tensor, .step, .model, .shape, .typeName, .type: break
      default: lose(place, at: node)
      }
      return .unknown(Unknown(call.calledExpression, "\"\(name)\" is not evaluated"))
    }

    private func isOfSource(_ value: Value) -> Bool {
      switch value {
      case .instance, .type, .enumCase: true
      default: false
      }
    }

    private func staticCall(
      _ name: String, of type: UserType, _ arguments: [Argument], _ call: FunctionCallExprSyntax,
      in scope: NameScope
    ) -> Value {
      let node = Syntax(call)
      if name == "init" { return create(type, arguments, at: node) }
      if let result = overload(type.scope.ownFunctions(name), arguments, at: node) { return result }
      if let found = type.cases.first(where: { $0.name == name }) {
        return enumCase(found, of: type, arguments, at: node)
      }
      return self.call(staticMember(name, of: type, at: call), arguments, call, in: scope)
    }

    /// The result of a method that the source declares; `nil` if none takes the arguments.
    private func ownMethod(
      _ name: String, of type: UserType, _ receiver: Value, _ place: Place,
      _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      let methods = type.methods.filter { $0.name == name && $0.match(arguments) != nil }
      if methods.isEmpty { return nil }
      let admitted = methods.filter { $0.admits(arguments, self) }
      guard admitted.count == 1, let method = admitted.first, type.obstacle == nil else {
        lose(arguments)
        lose(place, at: node)
        for method in methods { lose(method) }
        return .unknown(Unknown(node, type.obstacle ?? "the overload is not known"))
      }
      guard method.isMutating else {
        return invoke(method, on: SelfValue(type, receiver), arguments, at: node)
      }
      return modify(place, at: node) { value in
        // What the arguments have changed is seen by the method.
        if case .unknown = value { return value }
        let owner = SelfValue(type, value)
        value = .void
        let result = invoke(method, on: owner, arguments, at: node)
        value = owner.value
        return result
      }
    }

    /// `step.named("se1")`.
    private func named(
      _ step: any Step, _ arguments: [Argument], _ call: FunctionCallExprSyntax,
      in scope: NameScope
    ) -> Value {
      let place = record(call, in: scope)
      guard let first = arguments.first, case .string(let name) = first.value else {
        // The shapes are the same under any name.
        report(arguments.first?.value.unknown ?? Unknown(call, "the name is not evaluated"))
        return .step(step)
      }
      let (file, line, column) = (place.fileID, place.line, place.column)
      switch step {
      case let layer as any Layer:
        return .step(layer.named(name, fileID: file, line: line, column: column))
      case let block as Block:
        return .step(block.named(name, fileID: file, line: line, column: column))
      case let other as any GraphStep:
        return .step(other.named(name, fileID: file, line: line, column: column))
      default: return .step(step)
      }
    }
  }
#endif
