#if Macros
  import SwiftSyntax

  /// A structure, enumeration or class that the source declares, or what the source adds to a type
  /// of Forge's or Swift's.
  final class UserType {
    /// A stored property.
    struct Property {
      let name: String
      let type: TypeSyntax?
      let fallback: ExprSyntax?
      let isConstant: Bool
      let before: ComputedVariable.Accessor?
      let after: ComputedVariable.Accessor?
      var isObserved: Bool { before != nil || after != nil }
    }

    /// A case of an enumeration.
    struct Case {
      let name: String
      let values: [(label: String?, type: TypeSyntax)]
      /// The raw value as it is written.
      let raw: ExprSyntax?
    }

    let name: String
    /// The scope of its static members, inside of which its other members are.
    let scope: NameScope
    private(set) var stored: [Property] = []
    /// The computed properties.
    private(set) var computed: [String: ComputedVariable] = [:]
    private(set) var methods: [Function] = []
    private(set) var initializers: [Function] = []
    /// The cases of an enumeration in order.
    private(set) var cases: [Case] = []
    /// The names of the types and protocols it inherits from.
    let inherits: [String]
    /// Whether it is a structure without initializers of its own, so it has a memberwise one.
    private(set) var isMemberwise: Bool
    /// Whether it is an enumeration.
    let isEnumeration: Bool
    /// Whether `==` is a function of the source.
    var hasOwnEquality: Bool {
      !scope.ownFunctions("==").isEmpty
        || !inherits(["Equatable", "Hashable", "Comparable"])
          && !(isEnumeration && cases.allSatisfy(\.values.isEmpty))
    }
    private var types: [String: StaticType] = [:]
    /// Why its values are not evaluated; `nil` if they are.
    private(set) var obstacle: String?

    /// Creates a type with its extensions in the same scope.
    init(
      _ declaration: some DeclGroupSyntax, name: String, in outer: NameScope, evaluator: Evaluator
    ) {
      self.name = name
      scope = NameScope(outer)
      scope.isOfType = true
      let extensions = outer.extensions(of: name)
      inherits = ([declaration.inheritanceClause] + extensions.map(\.inheritanceClause))
        .flatMap { $0?.inheritedTypes.map { $0.type.trimmedDescription } ?? [] }
      isMemberwise = declaration.is(StructDeclSyntax.self)
      isEnumeration = declaration.is(EnumDeclSyntax.self)
      if declaration.is(ClassDeclSyntax.self) || declaration.is(ActorDeclSyntax.self) {
        obstacle = "classes are not evaluated"
      }
      obstacle = obstacle ?? declaration.attributes.obstacle
      let generics = declaration.asProtocol((any WithGenericParametersSyntax).self)
      if generics?.genericParameterClause != nil {
        obstacle = "generic types are not evaluated"
      }
      for member in declaration.memberBlock.members { add(member.decl, evaluator) }
      if !initializers.isEmpty { isMemberwise = false }
      for declaration in extensions {
        for member in declaration.memberBlock.members { add(member.decl, evaluator) }
      }
    }

    /// Creates what the source adds to a type that it does not declare.
    init(extending name: String, in outer: NameScope, evaluator: Evaluator) {
      self.name = name
      scope = NameScope(outer)
      scope.isOfType = true
      inherits = []
      isMemberwise = false
      isEnumeration = false
      for declaration in outer.extensions(of: name) {
        for member in declaration.memberBlock.members { add(member.decl, evaluator) }
      }
    }

    private func add(_ declaration: DeclSyntax, _ evaluator: Evaluator) {
      if let variable = declaration.as(VariableDeclSyntax.self) {
        let isStatic = variable.modifiers.contains {
          $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class)
        }
        if isStatic {
          evaluator.declareLazily(variable, in: scope)
        } else {
          if variable.attributes.obstacle != nil
            || variable.modifiers.contains(where: { $0.name.tokenKind == .keyword(.lazy) })
          {
            obstacle = "properties with attributes or lazy ones are not evaluated"
          }
          for binding in variable.bindings { add(binding, isConstant: variable.isConstant) }
        }
      } else if let function = declaration.as(FunctionDeclSyntax.self) {
        guard let made = Function(function, in: scope) else { return }
        let isStatic = function.modifiers.contains { $0.name.tokenKind == .keyword(.static) }
        if isStatic { scope.declare(made) } else { methods.append(made) }
      } else if let initializer = declaration.as(InitializerDeclSyntax.self) {
        if let made = Function(initializer, in: scope) { initializers.append(made) }
      } else if let enumCase = declaration.as(EnumCaseDeclSyntax.self) {
        cases += enumCase.elements.map { element in
          let values = element.parameterClause?.parameters.map { parameter in
            let label = parameter.firstName?.text
            return (label: label == "_" ? nil : label, type: parameter.type)
          }
          if element.parameterClause?.parameters.contains(where: { $0.defaultValue != nil }) == true
          {
            obstacle = "cases with defaults are not evaluated"
          }
          return Case(name: element.name.text, values: values ?? [], raw: element.rawValue?.value)
        }
      } else {
        if declaration.is(IfConfigDeclSyntax.self) { obstacle = "#if is not evaluated" }
        evaluator.declare(declaration, in: scope)
      }
    }

    private func add(_ binding: PatternBindingSyntax, isConstant: Bool) {
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
        return
      }
      if let accessors = binding.computed {
        computed[name] = accessors
      } else {
        // Two accessors at most: what is neither is not followed.
        let observers = binding.observers
        if binding.accessorBlock != nil, observers == nil {
          obstacle = "properties with these accessors are not evaluated"
        }
        stored.append(
          Property(
            name: name, type: binding.typeAnnotation?.type, fallback: binding.initializer?.value,
            isConstant: isConstant, before: observers?.before, after: observers?.after))
      }
    }

    /// A stored property.
    func property(_ name: String) -> Property? { stored.first { $0.name == name } }

    /// The type of a stored property; `nil` if it is that of its first value.
    func type(of property: Property, _ evaluator: Evaluator) -> StaticType? {
      guard let syntax = property.type else { return nil }
      if let type = types[property.name] { return type }
      let type = evaluator.resolve(syntax, in: scope)
      types[property.name] = type
      return type
    }

    /// Whether it inherits from one of these.
    func inherits(_ names: Set<String>) -> Bool {
      inherits.contains { names.contains($0.split(separator: ".").last.map(String.init) ?? $0) }
    }
  }

  /// A value of a type that the source declares.
  struct Instance {
    let type: UserType
    private(set) var fields: [String: Value]
    /// The number of values inside, each counted as often as it is met.
    private(set) var weight: Int

    init(type: UserType, fields: [String: Value]) {
      self.type = type
      self.fields = fields
      weight = fields.values.reduce(1) { Value.sum($0, $1.weight) }
    }

    /// Sets a stored property.
    mutating func set(_ name: String, _ value: Value) {
      weight = Value.sum(weight - (fields[name]?.weight ?? 0), value.weight)
      fields[name] = value
    }

    /// Takes a stored property out for a change in place.
    mutating func moveOut(_ name: String) -> Value? {
      guard let value = fields[name] else { return nil }
      set(name, .void)
      return value
    }
  }

  extension VariableDeclSyntax {
    /// Whether it is declared with `let`.
    var isConstant: Bool { bindingSpecifier.tokenKind == .keyword(.let) }
  }

  extension PatternBindingSyntax {
    /// The accessors of a computed property; `nil` for a stored one and for accessors that are not
    /// followed.
    var computed: ComputedVariable? {
      let type = typeAnnotation?.type
      switch accessorBlock?.accessors {
      case .getter(let body): return ComputedVariable(getter: body, setter: nil, type: type)
      case .accessors(let list):
        guard let getter = list.first(.get)?.body?.statements,
          list.allSatisfy({
            [.keyword(.get), .keyword(.set)].contains($0.accessorSpecifier.tokenKind)
              && $0.modifier == nil
          })
        else { return nil }
        return ComputedVariable(getter: getter, setter: list.accessor(.set, "newValue"), type: type)
      case nil: return nil
      }
    }

    /// The observers of a stored property; `nil` if it has accessors of another kind.
    var observers: (before: ComputedVariable.Accessor?, after: ComputedVariable.Accessor?)? {
      guard case .accessors(let list)? = accessorBlock?.accessors,
        list.allSatisfy({
          [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
            && $0.modifier == nil
        })
      else { return nil }
      return (list.accessor(.willSet, "newValue"), list.accessor(.didSet, "oldValue"))
    }
  }

  extension AccessorDeclListSyntax {
    fileprivate func first(_ keyword: Keyword) -> AccessorDeclSyntax? {
      first { $0.accessorSpecifier.tokenKind == .keyword(keyword) }
    }

    fileprivate func accessor(
      _ keyword: Keyword, _ parameter: String
    ) -> ComputedVariable.Accessor? {
      guard let accessor = first(keyword), let body = accessor.body?.statements else { return nil }
      return ComputedVariable.Accessor(
        parameter: accessor.parameters?.name.text ?? parameter, body: body)
    }
  }
#endif
