#if Macros
  import SwiftSyntax

  /// Declarations.
  extension Evaluator {
    /// Declares a function or a type; variables of a body are bound where they are written.
    func declare(_ declaration: DeclSyntax, in scope: NameScope) {
      if let config = declaration.as(IfConfigDeclSyntax.self) {
        scope.declareConditionals(DeclaredNames.of(config))
      } else if let function = declaration.as(FunctionDeclSyntax.self) {
        if let made = Function(function, in: scope) { scope.declare(made) }
      } else if let type = declaration.as(StructDeclSyntax.self) {
        declare(type, type.name.text, in: scope)
      } else if let type = declaration.as(EnumDeclSyntax.self) {
        declare(type, type.name.text, in: scope)
      } else if let type = declaration.as(ClassDeclSyntax.self) {
        declare(type, type.name.text, in: scope)
      } else if let extended = declaration.as(ExtensionDeclSyntax.self) {
        scope.extend(extended.extendedType.trimmedDescription, extended)
      } else if let alias = declaration.as(TypeAliasDeclSyntax.self) {
        scope.declare(alias)
        let name = alias.name.text
        let target = alias.initializer.value.trimmedDescription
        scope.bind(
          name,
          to: LazyValue(alias) { [self, unowned scope] in lookUp(target, at: alias, in: scope) })
      }
    }

    private func declare(_ type: some DeclGroupSyntax, _ name: String, in scope: NameScope) {
      // The scope keeps the closure, which therefore must not keep the scope.
      scope.bind(
        name,
        to: LazyValue(type) { [self, unowned scope] in
          .type(UserType(type, name: name, in: scope, evaluator: self))
        })
    }

    /// Declares the variables of a file or of a type, which are evaluated when they are used.
    func declareLazily(_ variable: VariableDeclSyntax, in scope: NameScope) {
      for (name, value) in lazyValues(of: variable, in: scope) { scope.bind(name, to: value) }
    }

    private func lazyValues(
      of variable: VariableDeclSyntax, in scope: NameScope
    ) -> [(String, LazyValue)] {
      var values: [(String, LazyValue)] = []
      let obstacle = variable.attributes.obstacle
      for binding in variable.bindings {
        if let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
          if let computed = binding.computed, obstacle == nil {
            scope.bind(name, to: computed)
            continue
          }
          let value = LazyValue(binding) { [self, unowned scope] in
            if let obstacle { return .unknown(Unknown(binding, obstacle)) }
            guard let initializer = binding.initializer else {
              return .unknown(Unknown(binding, "\"\(name)\" has no value here"))
            }
            guard variable.isConstant else {
              return .unknown(Unknown(binding, "\"\(name)\" is a variable, which may change"))
            }
            let value = evaluate(initializer.value, in: scope)
            let stored =
              binding.typeAnnotation.map {
                coerced(value, to: resolve($0.type, in: scope), at: binding)
              } ?? typed(value, at: binding)
            record(name, stored, at: binding.pattern, isLocal: false)
            return stored
          }
          values.append((name, value))
        } else if let tuple = binding.pattern.as(TuplePatternSyntax.self),
          let initializer = binding.initializer
        {
          let whole = LazyValue(binding) { [self, unowned scope] in
            guard variable.isConstant else {
              return .unknown(Unknown(binding, "it is a variable, which may change"))
            }
            let value = evaluate(initializer.value, in: scope)
            return binding.typeAnnotation.map {
              coerced(value, to: resolve($0.type, in: scope), at: binding)
            } ?? typed(value, at: binding)
          }
          for (index, element) in tuple.elements.enumerated() {
            guard let name = element.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
            else { continue }
            values.append(
              (
                name,
                LazyValue(element) {
                  guard case .tuple(let tuple) = whole.value,
                    tuple.elements.indices.contains(index)
                  else {
                    return whole.value.unknownValue
                      ?? .unknown(Unknown(element, "this pattern is not evaluated"))
                  }
                  return tuple.elements[index].value
                }
              ))
          }
        }
      }
      return values
    }

    /// Evaluates the variables of a body.
    func bind(_ variable: VariableDeclSyntax, in scope: NameScope) {
      let isAsync = variable.modifiers.contains { $0.name.tokenKind == .keyword(.async) }
      let isLazy = variable.modifiers.contains { $0.name.tokenKind == .keyword(.lazy) }
      for binding in variable.bindings {
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
        if let name, let computed = binding.computed {
          scope.bind(name, to: computed)
          continue
        }
        if binding.accessorBlock != nil || isAsync || isLazy || variable.attributes.obstacle != nil
        {
          lose(binding, in: scope)
          let unknown = Unknown(binding, "this kind of variable is not evaluated")
          bindUnknown(binding.pattern, unknown, in: scope)
          continue
        }
        let stated = binding.typeAnnotation.map { resolve($0.type, in: scope) }
        var value: Value
        if let initializer = binding.initializer {
          value = evaluate(initializer.value, in: scope)
          value =
            stated.map { coerced(value, to: $0, at: initializer) } ?? typed(value, at: initializer)
        } else if case .optional(let wrapped)? = stated, !variable.isConstant {
          value = .optional(nil, wrapped)
        } else {
          value = .unknown(Unknown(binding, "it has no value here"))
        }
        // A constant without a value gets one later.
        let isMutable = !variable.isConstant || binding.initializer == nil
        if !bind(binding.pattern, to: value, of: stated, in: scope, isMutable: isMutable) {
          bindUnknown(binding.pattern, value.unknown, in: scope)
        }
      }
    }

    /// Gives the names of a pattern the parts of a value; whether they fit.
    @discardableResult
    func bind(
      _ pattern: PatternSyntax, to value: Value, of type: StaticType? = nil, in scope: NameScope,
      isMutable: Bool = false
    ) -> Bool {
      if let identifier = pattern.as(IdentifierPatternSyntax.self) {
        let name = identifier.identifier.text
        scope.bind(name, to: Variable(value, type: type ?? value.type, isMutable: isMutable))
        record(name, value, at: pattern, isLocal: true)
        return true
      }
      if pattern.is(WildcardPatternSyntax.self) { return true }
      if let binding = pattern.as(ValueBindingPatternSyntax.self) {
        return bind(
          binding.pattern, to: value, in: scope,
          isMutable: binding.bindingSpecifier.tokenKind == .keyword(.var))
      }
      if let tuple = pattern.as(TuplePatternSyntax.self) {
        let parts: [Value]
        switch value {
        case .tuple(let elements): parts = elements.elements.map(\.value)
        case .unknown: parts = tuple.elements.map { _ in value }
        default: return false
        }
        guard parts.count == tuple.elements.count else { return false }
        return zip(tuple.elements, parts).allSatisfy {
          bind($0.pattern, to: $1, in: scope, isMutable: isMutable)
        }
      }
      return false
    }

    private func bindUnknown(_ pattern: PatternSyntax, _ unknown: Unknown?, in scope: NameScope) {
      let value = Value.unknown(unknown ?? Unknown(pattern, "this pattern is not evaluated"))
      for name in DeclaredNames.of(pattern) {
        scope.bind(name, to: Variable(value, type: .unknown, isMutable: true))
      }
    }
  }
#endif
