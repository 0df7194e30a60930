#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeShapes
  import SwiftSyntax

  /// The value of an expression in the source of a network.
  indirect enum Value {
    /// `()`, and what statements without a value have.
    case void
    /// `nil`.
    case none
    case number(Number)
    case bool(Bool)
    case string(String)
    case tuple([(label: String?, value: Value)])
    case array([Value])
    case dictionary([(key: Value, value: Value)])
    /// Whole numbers in a row, as `0..<3` or `stride(from:to:by:)` states them.
    case range([Int])
    /// A case or static member whose type follows from its use: `.relu`, `.explicit(top: 1)`.
    case member(String, [Argument])
    case tensor(Tensor)
    /// What stands right of `-->`: a layer, a block, a module.
    case step(any Step)
    case model(Model)
    case shape(Shape)
    case function(Function)
    /// A type that the source declares.
    case type(UserType)
    /// The name of a type or a module that the evaluator knows: `Padding`, `Forge`.
    case typeName(String)
    /// A value of such a type.
    case instance(Instance)
    case unknown(Unknown)

    /// What is not known about the value or a part of it that has no shape.
    var unknown: Unknown? {
      switch self {
      case .unknown(let unknown): unknown
      case .tuple(let elements): elements.lazy.compactMap(\.value.unknown).first
      case .array(let elements): elements.lazy.compactMap(\.unknown).first
      case .dictionary(let entries): entries.lazy.compactMap(\.value.unknown).first
      case .member(_, let arguments): arguments.lazy.compactMap(\.value.unknown).first
      default: nil
      }
    }

    /// The value after it was stored without a stated type.
    var typed: Value {
      switch self {
      case .number(let number): .number(number.typed)
      case .tuple(let elements): .tuple(elements.map { ($0.label, $0.value.typed) })
      case .array(let elements):
        // One element of a floating-point type makes all of them so.
        if elements.contains(where: \.isFraction) {
          .array(elements.map(\.asFloatingPoint))
        } else {
          .array(elements.map(\.typed))
        }
      default: self
      }
    }

    /// Whether it is a number that is no `Int`.
    private var isFraction: Bool {
      if case .number(let number) = self { number.int == nil } else { false }
    }

    /// A number as one of a floating-point type; anything else as it is.
    var asFloatingPoint: Value {
      switch self {
      case .number(let number): .number(number.asFloatingPoint)
      case .array(let elements): .array(elements.map(\.asFloatingPoint))
      default: self
      }
    }

    /// The elements of what a `for` loop may run over.
    var elements: [Value]? {
      switch self {
      case .array(let elements): elements
      case .range(let numbers): numbers.map { .number(Number($0, isLiteral: false)) }
      case .dictionary(let entries):
        entries.map { .tuple([("key", $0.key), ("value", $0.value)]) }
      default: nil
      }
    }

    /// Whether the value may be of a type, by the name of the type.
    func mayBe(_ type: String) -> Bool {
      switch self {
      case .tensor:
        !["Int", "Float", "Double", "String", "Bool", "Model", "[Tensor]"].contains(type)
      case .array: !["Int", "Float", "Double", "String", "Bool", "Model", "Tensor"].contains(type)
      case .number(let number):
        !["Tensor", "[Tensor]", "String", "Bool", "Model"].contains(type)
          && (type != "Int" || number.int != nil)
          && (!["Float", "Double"].contains(type) || number.int == nil || number.isLiteral)
      case .string: !["Tensor", "[Tensor]", "Int", "Float", "Double", "Bool"].contains(type)
      case .bool: !["Tensor", "[Tensor]", "Int", "Float", "Double", "String"].contains(type)
      case .model: !["Tensor", "[Tensor]", "Int", "Float", "Double", "String"].contains(type)
      default: true
      }
    }

    /// An `Int` value.
    static func int(_ value: Int) -> Value { .number(Number(value, isLiteral: false)) }

    /// An optional `Int` value.
    static func int(_ value: Int?) -> Value { value.map { .int($0) } ?? .none }

    /// Whether two values are equal; `nil` if that is not known.
    static func areEqual(_ a: Value, _ b: Value) -> Bool? {
      switch (a, b) {
      case (.none, .none), (.void, .void): return true
      case (.none, .unknown), (.unknown, .none): return nil
      case (.none, _), (_, .none): return false
      case (.number(let a), .number(let b)): return Number.compare(a, "==", b)
      case (.bool(let a), .bool(let b)): return a == b
      case (.string(let a), .string(let b)): return a == b
      case (.shape(let a), .shape(let b)): return a == b
      case (.tensor(let a), .tensor(let b)): return a == b
      case (.range(let a), .range(let b)): return a == b
      case (.member(let a, let x), .member(let b, let y)):
        // Two ways to write a value with arguments may mean the same.
        guard a == b, x.count == y.count else { return x.isEmpty && y.isEmpty ? false : nil }
        return areAllEqual(zip(x, y).map { areEqual($0.value, $1.value) })
      case (.tuple(let x), .tuple(let y)):
        guard x.count == y.count else { return false }
        return areAllEqual(zip(x, y).map { areEqual($0.value, $1.value) })
      case (.array(let x), .array(let y)):
        guard x.count == y.count else { return false }
        return areAllEqual(zip(x, y).map { areEqual($0, $1) })
      default: return nil
      }
    }

    private static func areAllEqual(_ results: [Bool?]) -> Bool? {
      if results.contains(false) { return false }
      return results.contains(nil) ? nil : true
    }
  }

  /// One argument of a call, evaluated.
  struct Argument {
    /// The label, if there is one.
    let label: String?
    /// The value.
    let value: Value
    /// The expression.
    let node: Syntax
  }
#endif
