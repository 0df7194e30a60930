#if Macros
  /// The type that the Swift compiler gives to an expression, as far as values depend on it.
  indirect enum StaticType {
    case number(NumberType)
    case bool
    case string
    case void
    case optional(StaticType)
    case array(StaticType)
    case slice(StaticType)
    /// The result of `zip`, `stride`, `reversed` and the like.
    case sequence(StaticType)
    case dictionary(StaticType, StaticType)
    case set(StaticType)
    case tuple([(label: String?, type: StaticType)])
    case range(NumberType)
    /// A type that the source declares.
    case user(UserType)
    case function([StaticType], StaticType)
    /// A type of Forge's, in whose values no number is waiting for a type.
    case forge(String)
    /// A parameter of a generic function.
    case generic
    /// A type that the evaluator does not follow.
    case unknown

    // MARK: Types of literals, which their uses decide

    /// Any type: the elements of an empty array.
    case bottom
    case integerLiteral
    case fractionLiteral
    /// A literal whose use may ask for a type that the evaluator does not see.
    case uncertainLiteral
    case nilLiteral
    /// `.relu`
    case memberLiteral

    /// The type of an expression whose use asks for none.
    var defaulted: StaticType {
      switch self {
      case .integerLiteral: .number(.int)
      case .fractionLiteral: .number(.double)
      case .uncertainLiteral, .nilLiteral, .memberLiteral, .bottom: .unknown
      case .optional(let wrapped): .optional(wrapped.defaulted)
      case .array(let element): .array(element.defaulted)
      case .slice(let element): .slice(element.defaulted)
      case .sequence(let element): .sequence(element.defaulted)
      case .dictionary(let key, let value): .dictionary(key.defaulted, value.defaulted)
      case .set(let element): .set(element.defaulted)
      case .tuple(let elements): .tuple(elements.map { ($0.label, $0.type.defaulted) })
      default: self
      }
    }

    /// Whether it is the type of a literal, or holds one.
    var isOpen: Bool {
      switch self {
      case .integerLiteral, .fractionLiteral, .uncertainLiteral, .nilLiteral, .memberLiteral,
        .bottom, .unknown:
        true
      case .optional(let type), .array(let type), .slice(let type), .sequence(let type),
        .set(let type):
        type.isOpen
      case .dictionary(let key, let value): key.isOpen || value.isOpen
      case .tuple(let elements): elements.contains { $0.type.isOpen }
      default: false
      }
    }

    /// Whether it is an optional type, or may be one.
    var mayBeOptional: Bool {
      switch self {
      case .optional, .unknown, .nilLiteral, .bottom, .memberLiteral, .generic: true
      default: false
      }
    }

    /// Whether both are the same type for certain.
    static func areSame(_ a: StaticType, _ b: StaticType) -> Bool {
      switch (a, b) {
      case (.number(let a), .number(let b)): a == b
      case (.range(let a), .range(let b)): a == b
      case (.bool, .bool), (.string, .string), (.void, .void): true
      case (.optional(let a), .optional(let b)), (.array(let a), .array(let b)),
        (.slice(let a), .slice(let b)), (.sequence(let a), .sequence(let b)),
        (.set(let a), .set(let b)):
        areSame(a, b)
      case (.dictionary(let k, let v), .dictionary(let l, let w)):
        areSame(k, l) && areSame(v, w)
      case (.tuple(let a), .tuple(let b)):
        a.count == b.count
          && zip(a, b).allSatisfy { $0.label == $1.label && areSame($0.type, $1.type) }
      case (.user(let a), .user(let b)): a === b
      case (.forge(let a), .forge(let b)): a == b
      default: false
      }
    }

    /// The type of an expression that is one or the other, such as the elements of an array.
    static func join(_ a: StaticType, _ b: StaticType) -> StaticType {
      switch (a, b) {
      case (.bottom, let other), (let other, .bottom): return other
      case (.unknown, _), (_, .unknown): return .unknown
      case (.nilLiteral, .nilLiteral): return .nilLiteral
      case (.nilLiteral, .optional), (.memberLiteral, .user), (.memberLiteral, .forge): return b
      case (.optional, .nilLiteral), (.user, .memberLiteral), (.forge, .memberLiteral): return a
      case (.memberLiteral, .memberLiteral): return a
      case (.nilLiteral, _): return .optional(b)
      case (_, .nilLiteral): return .optional(a)
      case (.optional(let a), .optional(let b)): return .optional(join(a, b))
      case (.optional(let a), _): return .optional(join(a, b))
      case (_, .optional(let b)): return .optional(join(a, b))
      case (.integerLiteral, .integerLiteral): return a
      case (.integerLiteral, .fractionLiteral), (.fractionLiteral, .integerLiteral),
        (.fractionLiteral, .fractionLiteral):
        return .fractionLiteral
      case (.integerLiteral, .number), (.fractionLiteral, .number), (.uncertainLiteral, .number):
        return b
      case (.number, .integerLiteral), (.number, .fractionLiteral), (.number, .uncertainLiteral):
        return a
      case (.uncertainLiteral, .integerLiteral), (.uncertainLiteral, .fractionLiteral),
        (.uncertainLiteral, .uncertainLiteral), (.integerLiteral, .uncertainLiteral),
        (.fractionLiteral, .uncertainLiteral):
        return .uncertainLiteral
      case (.array(let a), .array(let b)): return .array(join(a, b))
      case (.slice(let a), .slice(let b)): return .slice(join(a, b))
      case (.set(let a), .set(let b)): return .set(join(a, b))
      case (.dictionary(let k, let v), .dictionary(let l, let w)):
        return .dictionary(join(k, l), join(v, w))
      case (.tuple(let a), .tuple(let b)) where a.count == b.count:
        return .tuple(
          zip(a, b).map { ($0.label == $1.label ? $0.label : nil, join($0.type, $1.type)) })
      case (.forge, .forge), (.user, .forge), (.forge, .user):
        return areSame(a, b) ? a : .forge("")
      default: return areSame(a, b) ? a : .unknown
      }
    }
  }
#endif
