#if Macros
  import SwiftSyntax

  /// The names that source may use at one place, with those around it.
  final class NameScope {
    /// What a name stands for.
    enum Binding {
      /// A value, which an assignment may replace.
      case value(Value)
      /// A declaration that is evaluated when it is first used, as those of a file or a type are.
      case lazy(LazyValue)
    }

    /// The scope around this one.
    var parent: NameScope? { inner ?? outer }
    private let inner: NameScope?
    /// The scope around the outermost one of a macro, read from its file when it is first needed.
    private lazy var outer: NameScope? = findOuter?()
    private let findOuter: (() -> NameScope?)?
    /// The piece of source.
    let source: SourceText
    /// The value of which members are names here.
    let selfValue: SelfValue?
    private var bindings: [String: Binding] = [:]
    private var functions: [String: [Function]] = [:]
    private var extensions: [String: [ExtensionDeclSyntax]] = [:]
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

    /// Gives a name a meaning in this scope.
    func bind(_ name: String, to value: Value) { bindings[name] = .value(value) }

    /// Gives a name a declaration in this scope.
    func bind(_ name: String, to declaration: LazyValue) { bindings[name] = .lazy(declaration) }

    /// Declares a function, of which there may be several of one name.
    func declare(_ function: Function) { functions[function.name, default: []].append(function) }

    /// Adds an extension of a type.
    func extend(_ name: String, _ declaration: ExtensionDeclSyntax) {
      extensions[name, default: []].append(declaration)
    }

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

    /// What a name stands for in this scope alone.
    func own(_ name: String) -> Binding? { bindings[name] }

    /// Everything with a name in this scope alone, in the order of the names.
    var all: [Binding] { bindings.sorted { $0.key < $1.key }.map(\.value) }

    /// The functions of a name in this scope alone.
    func ownFunctions(_ name: String) -> [Function] { functions[name] ?? [] }

    /// Replaces the value of a variable where it is declared; whether there is one.
    func assign(_ name: String, _ value: Value) -> Bool {
      var scope: NameScope? = self
      while let current = scope {
        if current.bindings[name] != nil {
          current.bindings[name] = .value(value)
          return true
        }
        if let owner = current.selfValue, owner.assign(name, value) { return true }
        scope = current.parent
      }
      return false
    }
  }

  /// The value that methods and initialisers work on.
  final class SelfValue {
    let type: UserType
    var fields: [String: Value]
    /// The value itself, where the source extends a type that it does not declare.
    let extended: Value?

    init(_ type: UserType, fields: [String: Value], extended: Value? = nil) {
      self.type = type
      self.fields = fields
      self.extended = extended
    }

    /// The value as an expression.
    var value: Value { extended ?? .instance(instance) }

    /// Sets a stored property; whether there is one.
    func assign(_ name: String, _ value: Value) -> Bool {
      guard type.stored.contains(where: { $0.name == name }) else { return false }
      fields[name] = value
      return true
    }

    var instance: Instance { Instance(type: type, fields: fields) }
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
