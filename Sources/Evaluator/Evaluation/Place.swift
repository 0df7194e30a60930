#if Macros
  import SwiftSyntax

  /// Where a value is stored.
  ///
  /// It is what stands left of `=`, behind `&`, or before a method that changes it. The indices
  /// inside are evaluated.
  indirect enum Place {
    case variable(Variable, name: String)
    /// A property that is computed outside of a type.
    case computed(ComputedVariable, NameScope)
    /// `self`
    case owner(SelfValue)
    /// A property, or an element of a tuple.
    case property(Place, String, NameScope)
    case element(Place, [Argument])
    /// `x!`
    case forced(Place)
    /// `x?`
    case chained(Place)
    /// A value that is stored nowhere.
    case value(Value)
  }

  extension Evaluator {
    // MARK: Finding

    /// The place that an expression names.
    func place(of expression: ExprSyntax, in scope: NameScope) -> Place {
      if let reference = expression.as(DeclReferenceExprSyntax.self) {
        if reference.baseName.tokenKind == .keyword(.self), let owner = scope.owner {
          return .owner(owner)
        }
        return place(named: reference.baseName.text, in: scope)
          ?? .value(evaluate(expression, in: scope))
      }
      if let access = expression.as(MemberAccessExprSyntax.self), let base = access.base {
        let basePlace = place(of: base, in: scope)
        if case .value = basePlace {
          return .value(
            member(access.declName.baseName.text, of: read(basePlace, at: base), access, in: scope))
        }
        return .property(basePlace, access.declName.baseName.text, scope)
      }
      if let access = expression.as(SubscriptCallExprSyntax.self) {
        let base = place(of: access.calledExpression, in: scope)
        if isStopped(base, at: expression) { return .value(.stopped) }
        return .element(base, subscriptArguments(of: access, in: scope))
      }
      if let forced = expression.as(ForceUnwrapExprSyntax.self) {
        return .forced(place(of: forced.expression, in: scope))
      }
      if let chaining = expression.as(OptionalChainingExprSyntax.self) {
        return .chained(place(of: chaining.expression, in: scope))
      }
      if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
        let only = tuple.elements.first, only.label == nil
      {
        return place(of: only.expression, in: scope)
      }
      return .value(evaluate(expression, in: scope))
    }

    /// The place of an element, or of what stands before `!` or `?`.
    func place(ofPostfix expression: ExprSyntax, in scope: NameScope) -> Place {
      place(of: expression, in: scope)
    }

    private func place(named name: String, in scope: NameScope) -> Place? {
      var current: NameScope? = scope
      while let scope = current {
        switch scope.own(name) {
        case .variable(let variable):
          return .variable(variable, name: name)
        case .computed(let computed): return .computed(computed, scope)
        case .lazy: return nil
        case nil: break
        }
        if let owner = scope.selfValue,
          owner.type.property(name) != nil || owner.type.computed[name] != nil
        {
          return .property(.owner(owner), name, scope)
        }
        if !scope.ownFunctions(name).isEmpty { return nil }
        current = scope.parent
      }
      return nil
    }

    /// Whether a chain ends before this place, because what stands before `?` is `nil`.
    func isStopped(_ place: Place, at node: some SyntaxProtocol) -> Bool {
      switch place {
      case .variable, .computed, .owner: return false
      case .value(let value): if case .stopped = value { return true } else { return false }
      case .property(let base, _, _), .element(let base, _), .forced(let base):
        return isStopped(base, at: node)
      case .chained(let base):
        if isStopped(base, at: node) { return true }
        switch read(base, at: node) {
        case .optional(nil, _), .none: return true
        default: return false
        }
      }
    }

    // MARK: Reading

    /// The value at a place.
    func read(_ place: Place, at node: some SyntaxProtocol) -> Value {
      switch place {
      case .variable(let variable, let name):
        noteUse(of: name)
        let value = variable.value
        // What is not known of a declaration elsewhere in the file is said where it is used.
        if case .unknown(let unknown) = value, unknown.node.root.id != node.root.id {
          return .unknown(Unknown(node, unknown.reason))
        }
        return value
      case .computed(let computed, let scope): return get(computed, in: scope, at: node)
      case .owner(let owner): return owner.value
      case .property(let base, let name, let scope):
        // A property of `self` without a copy of all others.
        if case .owner(let owner) = base, owner.extended == nil,
          owner.type.property(name) != nil
        {
          return owner.fields[name] ?? .unknown(Unknown(node, "\"\(name)\" has no value here"))
        }
        let value = read(base, at: node)
        switch value {
        case .stopped, .unknown: return value
        default: return member(name, of: value, node, in: scope)
        }
      case .element(let base, let arguments):
        let value = read(base, at: node)
        switch value {
        case .stopped, .unknown: return value
        default: return element(of: value, arguments, at: Syntax(node))
        }
      case .forced(let base):
        let value = read(base, at: node)
        switch value {
        case .optional(let inner?, _): return inner
        case .optional(nil, _), .none: return .unknown(Unknown(node, "it is nil"))
        case .stopped, .unknown: return value
        default: return .unknown(Unknown(node, "it is not known whether it is optional"))
        }
      case .chained(let base):
        let value = read(base, at: node)
        switch value {
        case .optional(let inner?, _): return inner
        case .optional(nil, _), .none: return .stopped
        case .stopped, .unknown: return value
        default: return .unknown(Unknown(node, "it is not known whether it is optional"))
        }
      case .value(let value): return value
      }
    }

    /// The value of a computed property.
    func get(
      _ computed: ComputedVariable, in scope: NameScope, at node: some SyntaxProtocol
    ) -> Value {
      let result = nested(at: node) {
        let inner = NameScope(scope)
        let flow = run(computed.getter, in: inner, isBody: true)
        if case .unknown = flow { lose(computed.getter, in: inner) }
        return value(of: flow, at: node)
      }
      guard let type = computed.type else { return result }
      return coerced(result, to: resolve(type, in: scope), at: node)
    }

    // MARK: Changing

    /// Stores a value at a place; what is wrong if it cannot.
    func store(_ value: Value, at place: Place, _ node: some SyntaxProtocol) -> Value {
      modify(place, at: node) { stored in
        stored = value
        return .void
      }
    }

    /// Changes the value at a place; the result of the change.
    ///
    /// Where the change is not followed, the innermost value around the place becomes unknown.
    func modify(
      _ place: Place, at node: some SyntaxProtocol, _ change: (inout Value) -> Value
    ) -> Value {
      switch place {
      case .variable(let variable, let name):
        var value = Value.void
        swap(&value, &variable.value)
        let result = change(&value)
        let type = variable.type
        variable.value = isOfType(value, type) ? value : coerced(value, to: type, at: node)
        record(name, variable.value, at: node, isLocal: true)
        return result
      case .owner(let owner):
        var value = owner.moveOut()
        let result = change(&value)
        owner.replace(with: value)
        return result
      case .computed(let computed, let scope):
        return changeComputed(computed, in: scope, at: node, change)
      case .property(let base, let name, _):
        return modify(base, at: node) { changeProperty(name, of: &$0, base, at: node, change) }
      case .element(let base, let arguments):
        return modify(base, at: node) { changeElement(arguments, of: &$0, at: node, change) }
      case .forced(let base):
        return modify(base, at: node) { value in
          guard case .optional(var inner?, let type) = value else {
            return self.lost(&value, "it is nil", at: node)
          }
          value = .void
          let result = change(&inner)
          value = .optional(
            isOfType(inner, type) ? inner : coerced(inner, to: type, at: node), type)
          return result
        }
      case .chained(let base):
        return modify(base, at: node) { value in
          switch value {
          case .stopped, .none, .optional(nil, _): return .stopped
          case .optional(var inner?, let type):
            value = .void
            let result = change(&inner)
            value = .optional(
              isOfType(inner, type) ? inner : coerced(inner, to: type, at: node), type)
            return result
          default: return self.lost(&value, "it is not known whether it is optional", at: node)
          }
        }
      case .value(let value):
        switch value {
        case .stopped, .unknown: return value
        default: break
        }
        var copy = value
        return change(&copy)
      }
    }

    /// Makes a value unknown that changes in a way which is not followed.
    private func lost(_ value: inout Value, _ reason: String, at node: some SyntaxProtocol) -> Value
    {
      if case .unknown = value { return value }
      value = .unknown(Unknown(node, reason))
      return value
    }

    /// Whether a value is of a type already, without a look at what is inside.
    private func isOfType(_ value: Value, _ type: StaticType) -> Bool {
      switch (value, type) {
      case (.unknown, _): return true
      case (.array(let array), .array(let element)):
        guard array.kind == .array, let old = array.elementType else { return false }
        return StaticType.areSame(old, element)
      case (.instance(let instance), .user(let type)): return instance.type === type
      case (.enumCase(let value), .user(let type)): return value.type === type
      case (.dictionary, .dictionary), (.set, .set), (.bool, .bool), (.string, .string): return true
      case (.number(.typed(let scalar)), .number(let type)): return scalar.type == type
      case (.optional(_, let old), .optional(let wrapped)): return StaticType.areSame(old, wrapped)
      default: return value.isOfGraph
      }
    }

    private func changeComputed(
      _ computed: ComputedVariable, in scope: NameScope, at node: some SyntaxProtocol,
      _ change: (inout Value) -> Value
    ) -> Value {
      guard let setter = computed.setter else {
        return .unknown(Unknown(node, "it has no setter that is evaluated"))
      }
      var value = get(computed, in: scope, at: node)
      let result = change(&value)
      let type = computed.type.map { resolve($0, in: scope) } ?? .unknown
      run(setter, with: coerced(value, to: type, at: node), type, in: scope, at: node)
      return result
    }

    /// Runs a setter or an observer.
    private func run(
      _ accessor: ComputedVariable.Accessor, with value: Value, _ type: StaticType,
      in scope: NameScope, at node: some SyntaxProtocol
    ) {
      _ = nested(at: node) {
        let inner = NameScope(scope)
        inner.bind(accessor.parameter, to: Variable(value, type: type, isMutable: false))
        let body = NameScope(inner)
        if case .unknown(let unknown) = run(accessor.body, in: body) {
          lose(accessor.body, in: body)
          if let owner = scope.selfValue { lose(owner, at: node) }
          return .unknown(unknown)
        }
        return .void
      }
    }

    private func changeProperty(
      _ name: String, of value: inout Value, _ base: Place, at node: some SyntaxProtocol,
      _ change: (inout Value) -> Value
    ) -> Value {
      switch value {
      case .stopped, .unknown: return value
      case .tuple(let tuple):
        guard let index = tuple.index(of: name) else { break }
        var elements = tuple.elements
        let type = elements[index].value.type
        let result = change(&elements[index].value)
        elements[index].value = coerced(elements[index].value, to: type, at: node)
        value = .tuple(elements)
        return result
      case .instance(var instance):
        let type = instance.type
        if let property = type.property(name) {
          if property.isObserved {
            guard let old = instance.fields[name] else { break }
            // An initializer and the observers themselves set the property alone.
            if case .owner(let owner) = base, owner.isInitializing || owner.observed.contains(name)
            {
            } else {
              return changeObserved(property, old, of: &value, instance, at: node, change)
            }
          }
          value = .void
          var field = instance.moveOut(name) ?? .unknown(Unknown(node, "it has no value here"))
          let old = field.type
          let result = change(&field)
          let stated = type.type(of: property, self)
          instance.set(name, coerced(field, to: stated ?? old, at: node))
          value = .instance(instance)
          return result
        }
        if let computed = type.computed[name] {
          guard computed.setter != nil else { break }
          let owner = SelfValue(type, value)
          let scope = NameScope(type.scope, selfValue: owner)
          let result = changeComputed(computed, in: scope, at: node, change)
          value = owner.value
          return result
        }
      default: break
      }
      return lost(&value, "changes of \"\(name)\" are not evaluated", at: node)
    }

    private func changeObserved(
      _ property: UserType.Property, _ old: Value, of value: inout Value, _ instance: Instance,
      at node: some SyntaxProtocol, _ change: (inout Value) -> Value
    ) -> Value {
      let name = property.name
      let type = instance.type.type(of: property, self) ?? old.type
      var new = old
      let result = change(&new)
      new = coerced(new, to: type, at: node)
      let owner = SelfValue(instance.type, value)
      owner.observed.insert(name)
      let scope = NameScope(instance.type.scope, selfValue: owner)
      if let observer = property.before { run(observer, with: new, type, in: scope, at: node) }
      if owner.extended == nil { owner.set(name, new) }
      if let observer = property.after { run(observer, with: old, type, in: scope, at: node) }
      owner.observed = []
      value = owner.value
      return result
    }

    private func changeElement(
      _ arguments: [Argument], of value: inout Value, at node: some SyntaxProtocol,
      _ change: (inout Value) -> Value
    ) -> Value {
      guard let first = arguments.first else {
        return lost(&value, "this subscript is not evaluated", at: node)
      }
      switch value {
      case .stopped, .unknown: return value
      case .array(var array):
        guard arguments.count == 1, array.kind == .array || array.kind == .slice,
          let element = array.elementType,
          case .number(let number) = first.value, let index = number.reading(.int)?.int,
          array.indices.contains(index)
        else { break }
        value = .void
        charge(array.unshare())
        var changed = array.moveOut(index)
        let result = change(&changed)
        array[index] =
          isOfType(changed, element) ? changed : coerced(changed, to: element, at: node)
        value = .array(array)
        return result
      case .dictionary(var dictionary):
        let keyValue = coerced(first.value, to: dictionary.keyType, at: node)
        guard first.label == nil, let key = Key(keyValue) else { break }
        if arguments.count == 2, arguments[1].label == "default" {
          value = .void
          charge(dictionary.unshare())
          var changed =
            dictionary[key] ?? coerced(arguments[1].value, to: dictionary.valueType, at: node)
          if dictionary[key] != nil { dictionary.set(key, keyValue, .void) }
          let result = change(&changed)
          dictionary.set(key, keyValue, coerced(changed, to: dictionary.valueType, at: node))
          value = .dictionary(dictionary)
          return result
        }
        guard arguments.count == 1 else { break }
        value = .void
        charge(dictionary.unshare())
        var changed = Value.optional(dictionary[key], dictionary.valueType)
        // Nothing else holds the element while it changes.
        if dictionary[key] != nil { dictionary.set(key, keyValue, .void) }
        let result = change(&changed)
        switch coerced(changed, to: .optional(dictionary.valueType), at: node) {
        case .optional(let new, _): dictionary.set(key, keyValue, new)
        case let other:
          value = other
          return result
        }
        value = .dictionary(dictionary)
        return result
      default: break
      }
      return lost(&value, "changes of this element are not evaluated", at: node)
    }
  }
#endif
