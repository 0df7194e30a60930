#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeShapes
  import SwiftSyntax

  /// Evaluates the source that describes a network.
  ///
  /// It understands the part of Swift in which networks are written. What it does not understand
  /// has an unknown value (``Unknown``), which is never guessed. Layers are made by their own
  /// initializers and tensors by `-->`, so that shapes and mistakes are those of `compile()`.
  final class Evaluator {
    /// The most expressions and statements evaluated, so that no source holds up the compiler.
    private static let maximumSteps = 500_000
    /// The most calls inside one another.
    private static let maximumDepth = 100

    /// The most elements of an array and bytes of a string.
    static let maximumElements = 1_000_000
    /// The most values made or looked at, so that large ones hold up nobody either.
    private static let maximumWork = 2_000_000

    private var steps = 0
    private var work = 0
    private var depth = 0
    /// What was not known where it mattered, once for each place.
    private(set) var unknowns: [Unknown] = []
    private var unknownPlaces: Set<SyntaxIdentifier> = []
    /// The syntax of each layer by the place that its initializer captures.
    private(set) var nodes: [SourcePlace: LocatedNode] = [:]
    /// The operators that made tensors, which do not know their own place.
    private(set) var operators: [Tensor: Syntax] = [:]
    private var effects: [SyntaxIdentifier: SourceEffects] = [:]
    /// The names that were used anywhere.
    private var usedNames: Set<String> = []
    /// The tensors that were given a name, in the order of the source.
    private(set) var namedTensors: [NamedTensor] = []

    /// A node with the piece of source that holds it.
    struct LocatedNode {
      let node: Syntax
      let scope: NameScope
    }

    /// A tensor with the name it was bound to.
    struct NamedTensor {
      let name: String
      let tensor: Tensor
      let node: Syntax
      /// Whether it is a variable of a body, of which Swift says itself that it is never used.
      let isLocal: Bool
    }

    init() {}

    // MARK: Bounds

    /// Counts a step; `nil`, or why the evaluation must end.
    func spend(at node: some SyntaxProtocol) -> Unknown? {
      steps += 1
      return steps > Self.maximumSteps || work > Self.maximumWork
        ? Unknown(node, "it takes more than \(Self.maximumSteps) steps") : nil
    }

    /// Counts values that are made or looked at.
    func charge(_ count: Int) { work = Value.sum(work, count) }

    /// What a piece of source may change, read from its syntax once.
    func effects(of node: Syntax) -> SourceEffects {
      if let known = effects[node.id] { return known }
      let made = SourceEffects(of: node)
      effects[node.id] = made
      return made
    }

    /// Evaluates a call inside the current one.
    func nested(at node: some SyntaxProtocol, _ body: () -> Value) -> Value {
      guard depth < Self.maximumDepth else {
        return .unknown(Unknown(node, "calls are nested more than \(Self.maximumDepth) deep"))
      }
      depth += 1
      defer { depth -= 1 }
      return body()
    }

    /// A value of a number of elements or bytes; unknown if they are too many.
    ///
    /// An element that is shared counts as often as it is met.
    func bounded(_ value: Value, _ count: Int, at node: some SyntaxProtocol) -> Value {
      count <= Self.maximumElements && value.weight <= Self.maximumElements
        ? value : .unknown(Unknown(node, "it has more than \(Self.maximumElements) elements"))
    }

    // MARK: Records

    /// Records that something that is not known matters to the network.
    func report(_ unknown: Unknown) {
      if unknownPlaces.insert(unknown.node.id).inserted { unknowns.append(unknown) }
    }

    /// Records the syntax of a layer; returns the place that its initializer captures.
    func record(_ call: FunctionCallExprSyntax, in scope: NameScope) -> SourcePlace {
      // `#line` and `#column` are those of the list of arguments.
      let start = call.leftParen ?? call.trailingClosure?.leftBrace
      let place = scope.source.place(start?.positionAfterSkippingLeadingTrivia ?? call.position)
      if nodes[place] == nil { nodes[place] = LocatedNode(node: Syntax(call), scope: scope) }
      return place
    }

    /// Records the operator that made a tensor.
    func record(_ tensor: Tensor, at node: Syntax) { operators[tensor] = node }

    /// Records the name of a tensor.
    func record(
      _ name: String, _ value: Value, at node: some SyntaxProtocol, isLocal: Bool
    ) {
      guard case .tensor(let tensor) = value else { return }
      namedTensors.append(
        NamedTensor(name: name, tensor: tensor, node: Syntax(node), isLocal: isLocal))
    }

    /// Notes that a name was used.
    func noteUse(of name: String) { usedNames.insert(name) }

    /// Whether a name was used anywhere.
    func isUsed(_ name: String) -> Bool { usedNames.contains(name) }

    // MARK: Names

    /// The value of a name.
    func lookUp(_ name: String, at node: some SyntaxProtocol, in scope: NameScope) -> Value {
      usedNames.insert(name)
      let value = declared(name, at: node, in: scope)
      // What is not known of a declaration elsewhere in the file is said where it is used.
      if case .unknown(let unknown) = value, unknown.node.root.id != node.root.id {
        return .unknown(Unknown(node, unknown.reason))
      }
      return value
    }

    private func declared(
      _ name: String, at node: some SyntaxProtocol, in scope: NameScope
    ) -> Value {
      var current: NameScope? = scope
      while let scope = current {
        switch scope.own(name) {
        case .variable(let variable): return variable.value
        case .lazy(let declaration): return declaration.value
        case .computed(let computed): return get(computed, in: scope, at: node)
        case nil: break
        }
        if scope.isConditional(name) {
          return .unknown(Unknown(node, "\"\(name)\" is inside #if"))
        }
        let functions = scope.ownFunctions(name)
        if functions.count == 1 { return .function(functions[0]) }
        if !functions.isEmpty { return .unknown(Unknown(node, "the overload is not known")) }
        if let owner = scope.selfValue {
          if let value = member(name, of: owner, at: node) { return value }
          if owner.type.property(name) != nil {
            return .unknown(Unknown(node, "\"\(name)\" has no value here"))
          }
        }
        current = scope.parent
      }
      if memberTypes.contains(name) || Self.isKnownType(name) { return .typeName(name) }
      return .unknown(Unknown(node, "\"\(name)\" is not declared where the macro can see it"))
    }

    /// Whether a name is that of a layer or of another type that source may call.
    static func isKnownType(_ name: String) -> Bool {
      LayerTable.shared.initializers[name] != nil || GraphCalls.names.contains(name)
        || ["Forge", "ForgeLayers", "ForgeGraph", "ForgeShapes", "ForgeOperations", "Edges"]
          .contains(name)
        || ["String", "Array", "Set", "Bool", "Swift"].contains(name)
        || NumberType(rawValue: name) != nil
    }

    /// A function that source may call, with the value that it works on if it is a method.
    struct Callable {
      let function: Function
      let owner: SelfValue?
    }

    /// The functions of a name that source may call at a place, innermost first.
    func functions(_ name: String, in scope: NameScope) -> [Callable] {
      var found: [Callable] = []
      var current: NameScope? = scope
      while let scope = current {
        found += scope.ownFunctions(name).map { Callable(function: $0, owner: nil) }
        if let owner = scope.selfValue {
          found += owner.type.methods.filter { $0.name == name }
            .map { Callable(function: $0, owner: owner) }
        }
        current = scope.parent
      }
      return found
    }

    /// What the source adds to a type of Forge's or Swift's, innermost first.
    func additions(to name: String, in scope: NameScope) -> [UserType] {
      var found: [UserType] = []
      var current: NameScope? = scope
      while let scope = current {
        if let type = scope.additions(to: name, self) { found.append(type) }
        current = scope.parent
      }
      return found
    }
  }
#endif
