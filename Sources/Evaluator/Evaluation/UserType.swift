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
    }

    let name: String
    /// The scope of its static members, inside of which its other members are.
    let scope: NameScope
    private(set) var stored: [Property] = []
    /// The bodies of computed properties.
    private(set) var computed: [String: CodeBlockItemListSyntax] = [:]
    private(set) var methods: [Function] = []
    private(set) var initializers: [Function] = []
    /// The cases without values.
    private(set) var cases: [String] = []
    /// The names of the types and protocols it inherits from.
    let inherits: [String]
    /// Whether it is a structure, which has a memberwise initialiser.
    let isStructure: Bool
    /// Why its values are not evaluated; `nil` if they are.
    private(set) var obstacle: String?

    /// Creates a type with its extensions in the same scope.
    init(
      _ declaration: some DeclGroupSyntax, name: String, in outer: NameScope, evaluator: Evaluator
    ) {
      self.name = name
      scope = NameScope(outer)
      let extensions = outer.extensions(of: name)
      inherits = ([declaration.inheritanceClause] + extensions.map(\.inheritanceClause))
        .flatMap { $0?.inheritedTypes.map { $0.type.trimmedDescription } ?? [] }
      isStructure = declaration.is(StructDeclSyntax.self)
      if declaration.is(ClassDeclSyntax.self) { obstacle = "classes are not evaluated" }
      for member in declaration.memberBlock.members { add(member.decl, evaluator) }
      for declaration in extensions {
        for member in declaration.memberBlock.members { add(member.decl, evaluator) }
      }
    }

    /// Creates what the source adds to a type that it does not declare.
    init(extending name: String, in outer: NameScope, evaluator: Evaluator) {
      self.name = name
      scope = NameScope(outer)
      inherits = []
      isStructure = false
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
          if !variable.attributes.isEmpty
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
        guard let body = initializer.body else { return }
        initializers.append(
          Function(
            name: "init", parameters: Function.parameters(initializer.signature.parameterClause),
            body: body.statements, scope: scope))
      } else if let enumCase = declaration.as(EnumCaseDeclSyntax.self) {
        cases += enumCase.elements.filter { $0.parameterClause == nil }.map(\.name.text)
      } else {
        if declaration.is(IfConfigDeclSyntax.self) { obstacle = "#if is not evaluated" }
        evaluator.declare(declaration, in: scope)
      }
    }

    private func add(_ binding: PatternBindingSyntax, isConstant: Bool) {
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
        return
      }
      if let body = binding.getter {
        computed[name] = body
      } else {
        if binding.accessorBlock != nil { obstacle = "observed properties are not evaluated" }
        stored.append(
          Property(
            name: name, type: binding.typeAnnotation?.type, fallback: binding.initializer?.value,
            isConstant: isConstant))
      }
    }

    /// Whether it inherits from one of these.
    func inherits(_ names: Set<String>) -> Bool {
      inherits.contains { names.contains($0.split(separator: ".").last.map(String.init) ?? $0) }
    }
  }

  /// A value of a type that the source declares.
  struct Instance {
    let type: UserType
    let fields: [String: Value]
  }

  extension VariableDeclSyntax {
    /// Whether it is declared with `let`.
    var isConstant: Bool { bindingSpecifier.tokenKind == .keyword(.let) }
  }

  extension PatternBindingSyntax {
    /// The body that computes the value, if it is not stored.
    var getter: CodeBlockItemListSyntax? {
      switch accessorBlock?.accessors {
      case .getter(let body): body
      case .accessors(let list):
        list.first { $0.accessorSpecifier.tokenKind == .keyword(.get) }?.body?.statements
      case nil: nil
      }
    }
  }
#endif
