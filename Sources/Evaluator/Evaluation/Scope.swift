#if Macros
  import SwiftSyntax

  /// The names that source may use at one place, with those around it.
  final class NameScope {
    /// What a name stands for.
    enum Binding {
      /// A constant or variable of a body.
      case variable(Variable)
      /// A declaration that is evaluated when it is first used, as those of a file or a type are.
      case lazy(LazyValue)
      /// A property whose value is computed at each use.
      case computed(ComputedVariable)
    }

    /// The scope around this one.
    var parent: NameScope? { inner ?? outer }
    private let inner: NameScope?
    /// The scope around the outermost one of a macro, read from its file when it is first needed.
    private lazy var outer: NameScope? = findOuter?()
    private let findOuter: (() -> NameScope?)?
    /// The piece of source.
    let source: SourceText
    /// Whether it holds the static members of a type.
    var isOfType = false
    /// The value of which members are names here.
    let selfValue: SelfValue?
    private var bindings: [String: Binding] = [:]
    private var functions: [String: [Function]] = [:]
    private var extensions: [String: [ExtensionDeclSyntax]] = [:]
    private var aliases: [String: TypeAliasDeclSyntax] = [:]
    private var generics: Set<String> = []
    /// The names of what stands inside `#if`.
    private var conditionals: Set<String> = []
    /// The names of the members that extensions add to each type.
    private var addedMembers: [String: Set<String>] = [:]
    /// What the extensions add to types that the source does not declare, made when it is used.
    private var additions: [String: UserType] = [:]

    init(_ parent: NameScope, selfValue: SelfValue? = nil) {
      inner = parent
      findOuter = nil
      source = parent.source
      self.selfValue = selfValue
    }

    /// The outermost scope of a piece of source, around which there may be that of its file.
    init(source: SourceText, outer: (() -> NameScope?)? = nil) {
      inner = nil
      findOuter = outer
      self.source = source
      selfValue = nil
    }

    /// Gives a name a constant value in this scope.
    func bind(_ name: String, to value: Value) {
      bindings[name] = .variable(Variable(value, type: .unknown, isMutable: false))
    }

    /// Declares a constant or variable in this scope.
    func bind(_ name: String, to variable: Variable) { bindings[name] = .variable(variable) }

    /// Declares a computed property in this scope.
    func bind(_ name: String, to computed: ComputedVariable) {
      bindings[name] = .computed(computed)
    }

    /// Gives a name a declaration in this scope.
    func bind(_ name: String, to declaration: LazyValue) { bindings[name] = .lazy(declaration) }

    /// Declares a function, of which there may be several of one name.
    func declare(_ function: Function) { functions[function.name, default: []].append(function) }

    /// Adds an extension of a type.
    func extend(_ name: String, _ declaration: ExtensionDeclSyntax) {
      extensions[name, default: []].append(declaration)
      addedMembers[name, default: []].formUnion(DeclaredNames.of(declaration.memberBlock))
    }

    /// Whether an extension adds a member of a name to a type that is not declared in this scope.
    func isAdded(_ member: String) -> Bool {
      addedMembers.contains { type, members in members.contains(member) && bindings[type] == nil }
    }

    /// Declares another name for a type.
    func declare(_ alias: TypeAliasDeclSyntax) { aliases[alias.name.text] = alias }

    /// Another name for a type, in this scope alone.
    func alias(_ name: String) -> TypeAliasDeclSyntax? { aliases[name] }

    /// Declares the parameters of a generic function or type.
    func declareGenerics(_ names: Set<String>) { generics.formUnion(names) }

    /// Whether a name is that of a generic parameter, in this scope alone.
    func isGeneric(_ name: String) -> Bool { generics.contains(name) }

    /// Declares names of which some builds only have a meaning.
    func declareConditionals(_ names: Set<String>) { conditionals.formUnion(names) }

    /// Whether a name has a meaning in some builds only, in this scope alone.
    func isConditional(_ name: String) -> Bool { conditionals.contains(name) }

    /// The extensions of a type in this scope alone.
    func extensions(of name: String) -> [ExtensionDeclSyntax] { extensions[name] ?? [] }

    /// What the source adds to a type of Forge's or Swift's, in this scope alone.
    func additions(to name: String, _ evaluator: Evaluator) -> UserType? {
      if let made = additions[name] { return made }
      guard extensions[name] != nil else { return nil }
      let type = UserType(extending: name, in: self, evaluator: evaluator)
      additions[name] = type
      return type
    }

    /// What a name stands for, and the scope that says so.
    func find(_ name: String) -> (binding: Binding, scope: NameScope)? {
      var current: NameScope? = self
      while let scope = current {
        if let binding = scope.own(name) { return (binding, scope) }
        current = scope.parent
      }
      return nil
    }

    /// The value that methods work on here.
    var owner: SelfValue? {
      var current: NameScope? = self
      while let scope = current {
        if let owner = scope.selfValue { return owner }
        current = scope.parent
      }
      return nil
    }

    /// What a name stands for in this scope alone.
    func own(_ name: String) -> Binding? { bindings[name] }

    /// Everything with a name in this scope alone, in the order of the names.
    var all: [Binding] { bindings.sorted { $0.key < $1.key }.map(\.value) }

    /// The functions of a name in this scope alone.
    func ownFunctions(_ name: String) -> [Function] { functions[name] ?? [] }
  }

  /// A constant or variable.
  final class Variable {
    var value: Value
    /// The type that it was declared with, or that of its first value.
    let type: StaticType
    let isMutable: Bool

    init(_ value: Value, type: StaticType, isMutable: Bool) {
      (self.value, self.type, self.isMutable) = (value, type, isMutable)
    }
  }

  /// The accessors of a property that is computed.
  final class ComputedVariable {
    let getter: CodeBlockItemListSyntax
    let setter: Accessor?
    let type: TypeSyntax?

    init(getter: CodeBlockItemListSyntax, setter: Accessor?, type: TypeSyntax?) {
      (self.getter, self.setter, self.type) = (getter, setter, type)
    }

    /// `set`, `willSet` or `didSet` with the name of its parameter.
    struct Accessor {
      let parameter: String
      let body: CodeBlockItemListSyntax
    }
  }

  /// The value that methods and initializers work on.
  final class SelfValue {
    let type: UserType
    private(set) var fields: [String: Value] = [:]
    /// The value itself, where it has no stored properties: a case of an enumeration, or a value of
    /// a type that the source extends and does not declare.
    private var whole: Value?
    /// Whether an initializer runs, which calls no observers.
    var isInitializing = false
    /// The properties whose observers run, which call themselves no more.
    var observed: Set<String> = []

    init(_ type: UserType, _ value: Value? = nil) {
      self.type = type
      if let value { replace(with: value) }
    }

    /// The value as an expression.
    var value: Value { whole ?? .instance(Instance(type: type, fields: fields)) }

    /// Whether the value is that of a type which the source declares or extends, with no fields.
    var extended: Value? { whole }

    /// Sets the whole value.
    func replace(with value: Value) {
      if case .instance(let instance) = value, instance.type === type {
        (fields, whole) = (instance.fields, nil)
      } else {
        (fields, whole) = ([:], value)
      }
    }

    /// Sets a stored property.
    func set(_ name: String, _ value: Value) { fields[name] = value }

    /// Takes the value out for a change in place.
    func moveOut() -> Value {
      let value = value
      (fields, whole) = ([:], .void)
      return value
    }
  }

  /// A declaration that is evaluated once, when it is first used.
  final class LazyValue {
    /// Computes the value; asked once.
    private let compute: () -> Value
    private let node: Syntax
    private var result: Value?
    private var isRunning = false

    init(_ node: some SyntaxProtocol, compute: @escaping () -> Value) {
      self.node = Syntax(node)
      self.compute = compute
    }

    var value: Value {
      if let result { return result }
      guard !isRunning else { return .unknown(Unknown(node, "it depends on itself")) }
      isRunning = true
      let value = compute()
      isRunning = false
      result = value
      return value
    }
  }
#endif
