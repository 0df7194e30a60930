#if Macros
  /// A number in the source of a network: one of a type, or a literal that has none yet.
  enum Number {
    case typed(Scalar)
    case literal(Literal)

    /// A value of type `Int`.
    init(_ int: Int) { self = .typed(Scalar(int)) }

    /// The literal of a whole number.
    init(literal magnitude: Int) {
      self = .literal(Literal(magnitude: magnitude.magnitude.toUInt64, isNegative: magnitude < 0))
    }

    /// Whether it has no type yet.
    var isLiteral: Bool { if case .literal = self { true } else { false } }

    /// The number as a value of a type; `nil` if it cannot be one.
    func reading(_ type: NumberType) -> Scalar? {
      switch self {
      case .typed(let scalar): scalar.type == type ? scalar : nil
      case .literal(let literal): literal[type]
      }
    }

    /// The number with the type that it has if its use asks for none; `nil` if that is not known.
    var defaulted: Scalar? {
      switch self {
      case .typed(let scalar): scalar
      case .literal(let literal): literal.isCertain ? literal[literal.defaultType] : nil
      }
    }

    /// The number as a literal whose use may ask for a type that the evaluator does not see.
    var uncertain: Number {
      guard case .literal(var literal) = self else { return self }
      literal.isCertain = false
      return .literal(literal)
    }

    /// Both numbers in one type, the first of them if both have one.
    private static func unified(_ a: Number, _ b: Number) -> (Scalar, Scalar)? {
      switch (a, b) {
      case (.typed(let a), .typed(let b)): return (a, b)
      case (.typed(let a), .literal(let b)): return b[a.type].map { (a, $0) }
      case (.literal(let a), .typed(let b)): return a[b.type].map { ($0, b) }
      case (.literal, .literal): return nil
      }
    }

    /// The result of an operator of two numbers; `nil` where Swift would trap or there is none.
    static func combine(_ a: Number, _ symbol: String, _ b: Number) -> Number? {
      if ["<<", ">>", "&<<", "&>>"].contains(symbol) { return shifted(a, symbol, b) }
      if case .literal(let a) = a, case .literal(let b) = b {
        let result = Literal.combine(a, b) { Scalar.combine($0, symbol, $1) }
        return result.readings.contains { $0 != nil } ? .literal(result) : nil
      }
      guard let (x, y) = unified(a, b) else { return nil }
      return Scalar.combine(x, symbol, y).map { .typed($0) }
    }

    /// A shift, whose distance may have a type of its own.
    private static func shifted(_ a: Number, _ symbol: String, _ b: Number) -> Number? {
      let distance: Scalar?
      switch b {
      case .typed(let scalar): distance = scalar
      case .literal(let literal): distance = literal[.int]
      }
      guard let distance else { return nil }
      switch a {
      case .typed(let scalar):
        // A literal distance may be of the type of the left operand.
        if case .literal(let literal) = b, symbol.hasPrefix("&") || literal[scalar.type] == nil {
          return literal[scalar.type].flatMap { Scalar.combine(scalar, symbol, $0) }
            .map { .typed($0) }
        }
        return Scalar.combine(scalar, symbol, distance).map { .typed($0) }
      case .literal(let literal):
        // Only an `Int` distance leaves the type of the left operand to its use.
        guard distance.type == .int, !literal.hasFraction else { return nil }
        return .literal(literal.map { Scalar.combine($0, symbol, distance) })
      }
    }

    /// The result of a comparison; `nil` if it is not known.
    static func compare(_ a: Number, _ symbol: String, _ b: Number) -> Bool? {
      if let (x, y) = unified(a, b) { return Scalar.compare(x, symbol, y) }
      guard case .literal(let a) = a, case .literal(let b) = b else { return nil }
      if a.isCertain, b.isCertain {
        let type: NumberType = a.hasFraction || b.hasFraction ? .double : .int
        guard let x = a[type], let y = b[type] else { return nil }
        return Scalar.compare(x, symbol, y)
      }
      // Any type may be meant, so all must agree.
      let results = zip(a.readings, b.readings).compactMap { x, y -> Bool? in
        guard let x, let y else { return nil }
        return Scalar.compare(x, symbol, y)
      }
      guard let first = results.first, results.allSatisfy({ $0 == first }) else { return nil }
      return first
    }

    /// The same change of the number in each type that it may have; `nil` where it fails.
    func map(_ change: (Scalar) -> Scalar?) -> Number? {
      switch self {
      case .typed(let scalar): return change(scalar).map { .typed($0) }
      case .literal(let literal):
        let result = literal.map(change)
        return result.readings.contains { $0 != nil } ? .literal(result) : nil
      }
    }

    /// The number with its sign changed; `nil` on overflow.
    var negated: Number? { map(\.negated) }

    /// The larger or the smaller of two, as `max` and `min` choose; `nil` if that is not known.
    static func extreme(_ a: Number, _ b: Number, isMaximum: Bool) -> Number? {
      func choose(_ x: Scalar, _ y: Scalar) -> Scalar? {
        // `max` returns the last of equal values, `min` the first.
        isMaximum
          ? Scalar.compare(y, ">=", x).map { $0 ? y : x }
          : Scalar.compare(y, "<", x).map { $0 ? y : x }
      }
      if case .literal(let a) = a, case .literal(let b) = b {
        return .literal(Literal.combine(a, b, choose))
      }
      guard let (x, y) = unified(a, b), x.type == y.type else { return nil }
      return choose(x, y).map { .typed($0) }
    }
  }

  extension UInt {
    fileprivate var toUInt64: UInt64 { UInt64(self) }
  }
#endif
