#if Macros
  import SwiftSyntax

  /// What is not evaluated may change variables, which are not known from then on.
  extension Evaluator {
    /// Makes unknown what source may change that is not evaluated, or of which it is not known
    /// whether it runs.
    func lose(_ node: some SyntaxProtocol, in scope: NameScope) {
      var visited: Set<ObjectIdentifier> = []
      lose(Syntax(node), in: scope, &visited)
    }

    /// The result of source that is not evaluated.
    func skipped(_ node: some SyntaxProtocol, _ reason: String, in scope: NameScope) -> Value {
      lose(node, in: scope)
      return .unknown(Unknown(node, reason))
    }

    /// Makes unknown what a call may change that is not evaluated.
    func lose(_ arguments: [Argument]) {
      var visited: Set<ObjectIdentifier> = []
      for argument in arguments {
        if let place = argument.place { lose(place, at: argument.node) }
        lose(functionsIn: argument.value, &visited)
      }
    }

    /// Makes unknown what the body of a function may change.
    func lose(_ function: Function) {
      var visited: Set<ObjectIdentifier> = []
      lose(function, &visited)
    }

    /// Makes a variable unknown, or the part of it that may have changed.
    func lose(_ place: Place, at node: Syntax) {
      _ = modify(place, at: node) { value in
        value = .unknown(Unknown(node, "it may be changed by what is not evaluated"))
        return .void
      }
    }

    private func lose(
      _ node: Syntax, in scope: NameScope, _ visited: inout Set<ObjectIdentifier>
    ) {
      let effects = effects(of: node)
      for name in effects.written.sorted() { lose(name, at: node, in: scope) }
      if effects.writesSelf { loseSelf(at: node, in: scope) }
      for name in effects.names.sorted() {
        for callable in functions(name, in: scope) {
          if callable.function.isMutating, let owner = callable.owner { lose(owner, at: node) }
          lose(callable.function, &visited)
        }
        guard let found = scope.find(name) else { continue }
        switch found.binding {
        case .variable(let variable): lose(functionsIn: variable.value, &visited)
        case .computed(let computed):
          guard visited.insert(ObjectIdentifier(computed)).inserted else { continue }
          for body in [computed.getter, computed.setter?.body].compactMap({ $0 }) {
            lose(Syntax(body), in: found.scope, &visited)
          }
        case .lazy: break
        }
      }
    }

    private func lose(_ function: Function, _ visited: inout Set<ObjectIdentifier>) {
      guard visited.insert(ObjectIdentifier(function)).inserted else { return }
      lose(Syntax(function.body), in: function.scope, &visited)
    }

    private func lose(functionsIn value: Value, _ visited: inout Set<ObjectIdentifier>) {
      switch value {
      case .function(let function): lose(function, &visited)
      case .optional(let value?, _): lose(functionsIn: value, &visited)
      case .array(let array):
        charge(array.weight)
        for element in array.elements { lose(functionsIn: element, &visited) }
      case .tuple(let tuple):
        for element in tuple.elements { lose(functionsIn: element.value, &visited) }
      case .pairs(let entries):
        for entry in entries { lose(functionsIn: entry.value, &visited) }
      case .dictionary(let dictionary):
        charge(dictionary.weight)
        for entry in dictionary.entries.values { lose(functionsIn: entry.value, &visited) }
      case .instance(let instance):
        for field in instance.fields.values { lose(functionsIn: field, &visited) }
      case .enumCase(let value):
        for part in value.payload { lose(functionsIn: part.value, &visited) }
      case .member(_, let arguments):
        for argument in arguments { lose(functionsIn: argument.value, &visited) }
      default: break
      }
    }

    private func lose(_ name: String, at node: Syntax, in scope: NameScope) {
      var current: NameScope? = scope
      while let scope = current {
        switch scope.own(name) {
        case .variable(let variable):
          if variable.isMutable {
            let reason = "\"\(name)\" may be changed by what is not evaluated"
            variable.value = .unknown(Unknown(node, reason))
          }
          return
        case .lazy: return
        // Its setter is among the functions of the name.
        case .computed: return
        case nil: break
        }
        if let owner = scope.selfValue {
          if owner.type.property(name) != nil || owner.type.computed[name] != nil {
            return lose(owner, at: node)
          }
        }
        current = scope.parent
      }
    }

    private func loseSelf(at node: Syntax, in scope: NameScope) {
      if let owner = scope.owner { lose(owner, at: node) }
    }

    /// Makes the value of a method unknown.
    func lose(_ owner: SelfValue, at node: some SyntaxProtocol) {
      owner.replace(with: .unknown(Unknown(node, "it may be changed by what is not evaluated")))
    }
  }
#endif
