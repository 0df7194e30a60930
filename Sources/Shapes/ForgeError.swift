/// The one form of Forge's errors: a kind, which differs from module to module, and the mistake.
///
/// The properties of ``Problem`` are also properties of the error: `error.headline`,
/// `error.needs`, `error.path`.
///
/// ```
/// weights/conv1_W.bin: the file has the wrong size
///   received  5996 bytes
///   needs     6000 bytes, 1500 values of 4 bytes
///   remedy    check that the file belongs to this layer
/// ```
@dynamicMemberLookup
public struct ForgeError<ErrorKind: Hashable & Sendable>: Error, Sendable {
  /// The kinds of errors.
  public typealias Kind = ErrorKind

  /// The kind of error.
  public let kind: Kind
  /// What went wrong, with its place.
  public var problem: Problem

  /// Creates an error from a problem.
  public init(_ kind: Kind, _ problem: Problem) {
    self.kind = kind
    self.problem = problem
  }

  /// Creates an error; see ``Problem`` for its parts.
  public init(
    _ kind: Kind, _ headline: String, path: String? = nil, entry: String? = nil,
    parameter: ParameterSpec? = nil, received: String? = nil, needs: String? = nil,
    remedy: String? = nil, cause: (any Error)? = nil
  ) {
    var problem = Problem(headline: headline, cause: cause)
    problem.path = path
    problem.entry = entry
    problem.parameter = parameter
    problem.details = [("received", received), ("needs", needs), ("remedy", remedy)]
      .compactMap { label, text in text.map { (label, $0) } }
    self.init(kind, problem)
  }

  /// The name of the layer, if the error belongs to one.
  public var layer: String? { problem.layer?.name ?? problem.parameter?.layer }
  /// The role of the parameter in its layer, if the error belongs to one.
  public var type: ParameterType? { problem.parameter?.type }

  /// A property of the problem.
  public subscript<Value>(dynamicMember property: KeyPath<Problem, Value>) -> Value {
    problem[keyPath: property]
  }

  /// A stored property of the problem.
  public subscript<Value>(dynamicMember property: WritableKeyPath<Problem, Value>) -> Value {
    get { problem[keyPath: property] }
    set { problem[keyPath: property] = newValue }
  }
}

extension ForgeError {
  /// A number with its noun: `1 value`, `2 values`.
  package static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  /// A number of bytes: `1 byte`, `2 bytes`.
  package static func bytes(_ count: Int) -> String { counted(count, "byte") }
}

extension ForgeError: CustomStringConvertible {
  /// The error as text: its place, what is wrong, then labeled lines.
  public var description: String { problem.description }
}

extension ForgeError: Hashable {
  /// Whether kind and text are the same.
  public static func == (a: Self, b: Self) -> Bool {
    a.kind == b.kind && a.description == b.description
  }

  /// Hashes the kind and the text.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(description)
  }
}
