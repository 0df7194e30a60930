#if Macros
  import ForgeGraph
  import ForgeShapes

  /// A type whose values are written as members: `.relu`, `.explicit(top: 1)`.
  protocol MemberValue: SourceValue {
    /// The members: their names, the parameters of each, and how a value is made of them.
    static var members: MemberTable<Self> { get }
    /// Converts a literal; by default there is none.
    static func converted(fromLiteral value: Value) -> Self?
  }

  extension MemberValue {
    static func converted(fromLiteral value: Value) -> Self? { nil }

    static func converted(from value: Value) -> Self? {
      guard case .member(let name, let arguments) = value else {
        return converted(fromLiteral: value)
      }
      for member in members.list[name] ?? [] {
        guard let matched = member.parameters.match(arguments) else { continue }
        if let result = try? member.make(matched) { return result }
      }
      return nil
    }
  }

  /// The ways to write a value of a type as a member.
  struct MemberTable<Result>: Sendable {
    /// One way.
    struct Member: Sendable {
      let parameters: Parameters
      let make: @Sendable (MatchedArguments) throws -> Result
    }

    /// The ways by their names.
    private(set) var list: [String: [Member]] = [:]

    init(_ fill: (inout MemberTable) -> Void) { fill(&self) }

    /// Adds a member.
    mutating func add(
      _ name: String, _ parameters: [Parameter] = [],
      make: @escaping @Sendable (MatchedArguments) throws -> Result
    ) {
      list[name, default: []].append(Member(parameters: Parameters(parameters), make: make))
    }
  }

  extension InputSize: MemberValue {
    static let members = MemberTable<InputSize> { table in
      table.add("exactly", [.required("_")]) { c in .exactly(try c(0)) }
      table.add("upTo", [.required("_")]) { c in .upTo(try c(0)) }
      table.add("stepping", [.required("from"), .required("through"), .required("by")]) { c in
        .stepping(from: try c(0), through: try c(1), by: try c(2))
      }
      table.add("open", [.required("_"), .required("_"), .optional("step")]) { c in
        .open(try c(0), try c(1), step: try c(2, 1))
      }
    }

    static func converted(fromLiteral value: Value) -> InputSize? {
      Int.converted(from: value).map { .exactly($0) }
    }
  }

  extension Edges: MemberValue {
    static let members = MemberTable<Edges> { table in
      table.add("none") { _ in .none }
      table.add("init", [.required("all")]) { c in Edges(all: try c(0)) }
      table.add(
        "init", [.optional("top"), .optional("left"), .optional("bottom"), .optional("right")]
      ) { c in
        Edges(top: try c(0, 0), left: try c(1, 0), bottom: try c(2, 0), right: try c(3, 0))
      }
    }
  }
#endif
