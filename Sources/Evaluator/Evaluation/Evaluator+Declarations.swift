#if Macros
  import SwiftSyntax

  /// Declarations.
  extension Evaluator {
    /// Declares a function or a type; variables of a body are bound where they are written.
    func declare(_ declaration: DeclSyntax, in scope: NameScope) {
      if let function = declaration.as(FunctionDeclSyntax.self) {
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
      for binding in variable.bindings {
        if let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
          let value = LazyValue(binding) { [self, unowned scope] in
            if let body = binding.getter {
              return self.value(of: run(body, in: NameScope(scope), isBody: true), at: binding)
            }
            guard let initializer = binding.initializer else {
              return .unknown(Unknown(binding, "\"\(name)\" has no value here"))
            }
            guard variable.isConstant else {
              return .unknown(Unknown(binding, "\"\(name)\" is a variable, which may change"))
            }
            let value = evaluate(initializer.value, in: scope)
            let typed = binding.typeAnnotation.map { converted(value, to: $0.type) } ?? value.typed
            record(name, typed, at: binding.pattern, isLocal: false)
            return typed
          }
          values.append((name, value))
        } else if let tuple = binding.pattern.as(TuplePatternSyntax.self),
          let initializer = binding.initializer
        {
          let whole = LazyValue(binding) { [self, unowned scope] in
            evaluate(initializer.value, in: scope).typed
          }
          for (index, element) in tuple.elements.enumerated() {
            guard let name = element.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
            else { continue }
            values.append(
              (
                name,
                LazyValue(element) {
                  guard case .tuple(let parts) = whole.value, parts.indices.contains(index) else {
                    return whole.value.unknownValue
                      ?? .unknown(Unknown(element, "this pattern is not evaluated"))
                  }
                  return parts[index].value
                }
              ))
          }
        }
      }
      return values
    }

    /// Evaluates the variables of a body.
    func bind(_ variable: VariableDeclSyntax, in scope: NameScope) {
      for binding in variable.bindings {
        if let body = binding.getter {
          if let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
            let value = LazyValue(binding) { [self, unowned scope] in
              self.value(of: run(body, in: NameScope(scope), isBody: true), at: binding)
            }
            scope.bind(name, to: value)
          }
          continue
        }
        var value = Value.void
        if let initializer = binding.initializer {
          value = evaluate(initializer.value, in: scope)
        } else if binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) == true {
          value = Value.none
        } else {
          value = .unknown(Unknown(binding, "it has no value here"))
        }
        let typed = binding.typeAnnotation.map { converted(value, to: $0.type) } ?? value.typed
        if !bind(binding.pattern, to: typed, in: scope) {
          bindUnknown(binding.pattern, typed.unknown, in: scope)
        }
      }
    }

    /// Gives the names of a pattern the parts of a value; whether they fit.
    @discardableResult
    func bind(
      _ pattern: PatternSyntax, to value: Value, in scope: NameScope, isRecorded: Bool = true
    ) -> Bool {
      if let identifier = pattern.as(IdentifierPatternSyntax.self) {
        scope.bind(identifier.identifier.text, to: value)
        if isRecorded { record(identifier.identifier.text, value, at: pattern, isLocal: true) }
        return true
      }
      if pattern.is(WildcardPatternSyntax.self) { return true }
      if let binding = pattern.as(ValueBindingPatternSyntax.self) {
        return bind(binding.pattern, to: value, in: scope, isRecorded: isRecorded)
      }
      if let tuple = pattern.as(TuplePatternSyntax.self) {
        let parts: [Value]
        switch value {
        case .tuple(let elements): parts = elements.map(\.value)
        case .unknown: parts = tuple.elements.map { _ in value }
        default: return false
        }
        guard parts.count == tuple.elements.count else { return false }
        return zip(tuple.elements, parts).allSatisfy {
          bind($0.pattern, to: $1, in: scope, isRecorded: isRecorded)
        }
      }
      return false
    }

    private func bindUnknown(_ pattern: PatternSyntax, _ unknown: Unknown?, in scope: NameScope) {
      let value = Value.unknown(unknown ?? Unknown(pattern, "this pattern is not evaluated"))
      if let tuple = pattern.as(TuplePatternSyntax.self) {
        for element in tuple.elements { bindUnknown(element.pattern, unknown, in: scope) }
      } else if let identifier = pattern.as(IdentifierPatternSyntax.self) {
        scope.bind(identifier.identifier.text, to: value)
      }
    }
  }
#endif
