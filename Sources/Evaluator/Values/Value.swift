#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeShapes
  import SwiftSyntax

  /// The value of an expression in the source of a network.
  indirect enum Value {
    /// `()`, and what statements without a value have.
    case void
    /// The literal `nil`, whose use decides its type.
    case none
    /// An optional with its value, if it has one, and the type of that.
    case optional(Value?, StaticType)
    case number(Number)
    case bool(Bool)
    case string(String)
    case tuple(TupleValue)
    case array(ArrayValue)
    /// The literal of a dictionary.
    case pairs([(key: Value, value: Value)])
    case dictionary(DictionaryValue)
    case set(SetValue)
    case range(RangeValue)
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
    /// A type by the way it is written: `[Float]`.
    case metatype(StaticType)
    /// A value of such a type.
    case instance(Instance)
    case enumCase(EnumCaseValue)
    /// An operator as a function: `+` in `reduce(0, +)`.
    case operatorName(String)
    /// `\.count`
    case keyPath([String], NameScope)
    /// What follows `?` after `nil`: the rest of the chain is not evaluated.
    case stopped
    case unknown(Unknown)

    /// Adds counts of values, up to a number that is larger than any limit.
    static func sum(_ a: Int, _ b: Int) -> Int { min(a + b, 1 << 40) }

    /// The number of values inside, each counted as often as it is met.
    var weight: Int {
      switch self {
      case .string(let text): 1 + text.utf8.count / 64
      case .tuple(let tuple): tuple.weight
      case .array(let array): array.weight
      case .pairs(let entries):
        entries.reduce(1) { Value.sum($0, Value.sum($1.key.weight, $1.value.weight)) }
      case .dictionary(let dictionary): dictionary.weight
      case .set(let set): set.weight
      case .instance(let instance): instance.weight
      case .enumCase(let value): value.weight
      case .optional(let value, _): value?.weight ?? 1
      case .member(_, let arguments): arguments.reduce(1) { Value.sum($0, $1.value.weight) }
      default: 1
      }
    }

    /// What is not known about the value or a part of it that has no shape.
    var unknown: Unknown? {
      switch self {
      case .unknown(let unknown): unknown
      case .tuple(let tuple): tuple.elements.lazy.compactMap(\.value.unknown).first
      case .array(let array): array.elements.lazy.compactMap(\.unknown).first
      case .pairs(let entries):
        entries.lazy.compactMap { $0.key.unknown ?? $0.value.unknown }.first
      case .dictionary(let dictionary):
        dictionary.entries.values.lazy.compactMap(\.value.unknown).first
      case .member(_, let arguments): arguments.lazy.compactMap(\.value.unknown).first
      case .optional(let value, _): value?.unknown
      case .enumCase(let value): value.payload.lazy.compactMap(\.value.unknown).first
      default: nil
      }
    }

    /// The value if it is not known, else `nil`.
    var unknownValue: Value? { unknown.map { .unknown($0) } }

    /// The static type, as far as the value tells it.
    var type: StaticType {
      switch self {
      case .void: .void
      case .none: .nilLiteral
      case .optional(_, let wrapped): .optional(wrapped)
      case .number(.typed(let scalar)): .number(scalar.type)
      case .number(.literal(let literal)):
        literal.isCertain
          ? (literal.hasFraction ? .fractionLiteral : .integerLiteral) : .uncertainLiteral
      case .bool: .bool
      case .string: .string
      case .tuple(let tuple): .tuple(tuple.elements.map { ($0.label, $0.value.type) })
      case .array(let array): array.type
      case .pairs(let entries):
        .dictionary(
          entries.reduce(.bottom) { .join($0, $1.key.type) },
          entries.reduce(.bottom) { .join($0, $1.value.type) })
      case .dictionary(let dictionary): .dictionary(dictionary.keyType, dictionary.valueType)
      case .set(let set): .set(set.elementType)
      case .range(let range): range.type
      case .member: .memberLiteral
      case .tensor: .forge("Tensor")
      case .step: .forge("")
      case .model: .forge("Model")
      case .shape: .forge("Shape")
      case .instance(let instance): .user(instance.type)
      case .enumCase(let value): .user(value.type)
      case .function(let function): function.type
      case .type, .typeName, .metatype, .operatorName, .keyPath, .stopped, .unknown: .unknown
      }
    }

    /// Whether it belongs to the graph, so that no type changes it.
    var isOfGraph: Bool {
      switch self {
      case .tensor, .step, .model, .shape: true
      default: false
      }
    }

    /// An optional without the optional: `nil` and the value that it holds.
    var unwrapped: Value {
      if case .optional(let value, _) = self { value ?? Value.none } else { self }
    }

    /// Whether the value may be passed for a type.
    func mayBe(_ type: StaticType) -> Bool {
      switch (self, type) {
      case (.unknown, _), (_, .unknown), (_, .generic): true
      case (_, .optional(let wrapped)):
        if case .none = self { true } else { unwrapped.mayBe(wrapped) }
      case (.number(.typed(let scalar)), .number(let type)): scalar.type == type
      case (.number(.literal(let literal)), .number(let type)): literal[type] != nil
      case (.bool, .bool), (.string, .string), (.range, .range): true
      case (.number, .forge(let name)), (.string, .forge(let name)):
        !["Tensor", "Model", "Shape"].contains(name)
      case (.tuple(let values), .tuple(let types)):
        values.elements.count == types.count
          && zip(values.elements, types).allSatisfy { $0.value.mayBe($1.type) }
      case (.array(let array), .array(let element)), (.array(let array), .slice(let element)),
        (.array(let array), .set(let element)), (.array(let array), .sequence(let element)):
        array.elements.prefix(8).allSatisfy { $0.mayBe(element) }
      case (.pairs, .dictionary), (.dictionary, .dictionary), (.set, .set): true
      case (.function, .function), (.member, .user), (.member, .forge), (.member, .number): true
      case (.tensor, .forge(let name)): name == "Tensor" || name == ""
      case (.model, .forge(let name)): name != "Tensor" && name != "Shape"
      case (.step, .forge(let name)): !["Tensor", "Shape", "Model"].contains(name)
      case (.shape, .forge(let name)): name == "Shape"
      case (.instance(let instance), .user(let type)): instance.type === type
      case (.instance, .forge(let name)): !["Tensor", "Shape", "Model"].contains(name)
      case (.enumCase(let value), .user(let type)): value.type === type
      default: false
      }
    }

    // MARK: Making values

    /// An `Int` value.
    static func int(_ value: Int) -> Value { .number(Number(value)) }

    /// An optional `Int` value.
    static func optionalInt(_ value: Int?) -> Value {
      .optional(value.map { .int($0) }, .number(.int))
    }

    /// A number of a known type.
    static func scalar(_ scalar: Scalar) -> Value { .number(.typed(scalar)) }

    /// An array of `Int`.
    static func ints(_ values: some Sequence<Int>) -> Value {
      .array(ArrayValue(values.map { .int($0) }, of: .number(.int)))
    }

    /// An array of tensors.
    static func tensors(_ tensors: [Tensor]) -> Value {
      .array(ArrayValue(tensors.map { .tensor($0) }, of: .forge("Tensor")))
    }

    /// A tuple.
    static func tuple(_ elements: [(label: String?, value: Value)]) -> Value {
      .tuple(TupleValue(elements))
    }
  }

  extension RangeValue {
    /// The static type.
    var type: StaticType {
      guard let bound = lower ?? upper, case .typed(let scalar) = bound else { return .unknown }
      if let upper, case .literal = upper { return .unknown }
      return .range(scalar.type)
    }

    /// The range with bounds of the types that they have by default; `nil` if those differ.
    var typed: RangeValue? {
      let bounds = [lower, upper].compactMap { $0 }
      var type: NumberType?
      for case .typed(let scalar) in bounds {
        guard type == nil || type == scalar.type else { return nil }
        type = scalar.type
      }
      if type == nil {
        var isFraction = false
        for case .literal(let literal) in bounds {
          guard literal.isCertain else { return nil }
          isFraction = isFraction || literal.hasFraction
        }
        type = isFraction ? .double : .int
      }
      guard let type else { return nil }
      return readings(type)
    }

    /// The range with bounds of a type.
    func readings(_ type: NumberType) -> RangeValue? {
      func bound(_ number: Number?) -> Number?? {
        guard let number else { return .some(nil) }
        return number.reading(type).map { .some(.typed($0)) } ?? nil
      }
      guard let lower = bound(lower), let upper = bound(upper) else { return nil }
      return RangeValue(lower: lower, upper: upper, isClosed: isClosed)
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
    /// What an `inout` argument changes.
    var place: Place?

    init(label: String?, value: Value, node: Syntax, place: Place? = nil) {
      self.label = label
      self.value = value
      self.node = node
      self.place = place
    }
  }
#endif
