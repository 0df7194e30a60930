#if Macros
  /// A number of a known type, computed as Swift computes it.
  struct Scalar: Hashable {
    let type: NumberType
    /// A whole number with its sign extended to 64 bits, or the bits of a `Double` of equal value.
    let bits: UInt64

    /// A whole number.
    init<Whole: FixedWidthInteger>(_ value: Whole, _ type: NumberType) {
      self.type = type
      bits = UInt64(truncatingIfNeeded: value)
    }

    /// A floating-point number.
    init<Real: BinaryFloatingPoint>(real value: Real, _ type: NumberType) {
      self.type = type
      bits = Double(value).bitPattern
    }

    /// An `Int`.
    init(_ value: Int) { self.init(value, .int) }

    /// A whole number as its own type.
    func whole<Whole: FixedWidthInteger>(_: Whole.Type) -> Whole {
      Whole(truncatingIfNeeded: bits)
    }

    /// A floating-point number as its own type.
    func real<Real: BinaryFloatingPoint>(_: Real.Type) -> Real {
      Real(Double(bitPattern: bits))
    }

    /// The value of an `Int`.
    var int: Int? { type == .int ? whole(Int.self) : nil }

    /// The value of a floating-point number, which a `Double` holds exactly.
    var double: Double? { type.isReal ? Double(bitPattern: bits) : nil }

    /// Whether a whole number is below zero.
    private var isNegative: Bool {
      guard let integer = type.integer else { return false }
      return integer.isSigned && Int64(bitPattern: bits) < 0
    }

    // MARK: Operators

    /// The result of an operator; `nil` where Swift traps or has no such operator.
    static func combine(_ a: Scalar, _ symbol: String, _ b: Scalar) -> Scalar? {
      if ["<<", ">>", "&<<", "&>>"].contains(symbol) { return shifted(a, symbol, b) }
      guard a.type == b.type else { return nil }
      if let integer = a.type.integer { return whole(integer, a, symbol, b) }
      if let real = a.type.real { return self.real(real, a, symbol, b) }
      return nil
    }

    private static func whole<Whole: FixedWidthInteger>(
      _: Whole.Type, _ a: Scalar, _ symbol: String, _ b: Scalar
    ) -> Scalar? {
      let (x, y) = (a.whole(Whole.self), b.whole(Whole.self))
      let result: (partialValue: Whole, overflow: Bool)
      switch symbol {
      case "+": result = x.addingReportingOverflow(y)
      case "-": result = x.subtractingReportingOverflow(y)
      case "*": result = x.multipliedReportingOverflow(by: y)
      case "/": result = x.dividedReportingOverflow(by: y)
      case "%": result = x.remainderReportingOverflow(dividingBy: y)
      case "&+": result = (x &+ y, false)
      case "&-": result = (x &- y, false)
      case "&*": result = (x &* y, false)
      case "&": result = (x & y, false)
      case "|": result = (x | y, false)
      case "^": result = (x ^ y, false)
      default: return nil
      }
      return result.overflow ? nil : Scalar(result.partialValue, a.type)
    }

    private static func real<Real: BinaryFloatingPoint>(
      _: Real.Type, _ a: Scalar, _ symbol: String, _ b: Scalar
    ) -> Scalar? {
      let (x, y) = (a.real(Real.self), b.real(Real.self))
      switch symbol {
      case "+": return Scalar(real: x + y, a.type)
      case "-": return Scalar(real: x - y, a.type)
      case "*": return Scalar(real: x * y, a.type)
      case "/": return Scalar(real: x / y, a.type)
      default: return nil
      }
    }

    /// A shift, whose right operand may be of another type of whole numbers.
    private static func shifted(_ a: Scalar, _ symbol: String, _ b: Scalar) -> Scalar? {
      guard let left = a.type.integer, b.type.integer != nil else { return nil }
      return shifted(left, a, symbol, b)
    }

    private static func shifted<Whole: FixedWidthInteger>(
      _: Whole.Type, _ a: Scalar, _ symbol: String, _ b: Scalar
    ) -> Scalar? {
      let x = a.whole(Whole.self)
      switch symbol {
      case "<<", ">>":
        // Beyond the width all shifts are alike.
        let limit = Int64(Whole.bitWidth) * 2
        let isDown = b.isNegative
        let distance =
          isDown
          ? Int64(max(Int64(bitPattern: b.bits), -limit)) : Int64(min(b.bits, UInt64(limit)))
        return Scalar(symbol == "<<" ? x << distance : x >> distance, a.type)
      case "&<<": return Scalar(x &<< Whole(truncatingIfNeeded: b.bits), a.type)
      default: return Scalar(x &>> Whole(truncatingIfNeeded: b.bits), a.type)
      }
    }

    /// The result of a comparison; `nil` for types that Swift does not compare.
    static func compare(_ a: Scalar, _ symbol: String, _ b: Scalar) -> Bool? {
      if let integer = a.type.integer {
        guard b.type.integer != nil else { return nil }
        if a.type == b.type { return compareWhole(integer, a, symbol, b) }
        // Whole numbers of two types compare by their values.
        if a.isNegative != b.isNegative { return ordered(a.isNegative ? -1 : 1, symbol, 0) }
        return ordered(a.bits, symbol, b.bits)
      }
      guard a.type == b.type, let x = a.double, let y = b.double else { return nil }
      return ordered(x, symbol, y)
    }

    private static func compareWhole<Whole: FixedWidthInteger>(
      _: Whole.Type, _ a: Scalar, _ symbol: String, _ b: Scalar
    ) -> Bool? {
      ordered(a.whole(Whole.self), symbol, b.whole(Whole.self))
    }

    /// The result of a comparison of two values of one type.
    static func ordered<Value: Comparable>(_ x: Value, _ symbol: String, _ y: Value) -> Bool? {
      switch symbol {
      case "==": x == y
      case "!=": x != y
      case "<": x < y
      case "<=": x <= y
      case ">": x > y
      case ">=": x >= y
      default: nil
      }
    }

    /// The number with its sign changed; `nil` on overflow and for types without a sign.
    var negated: Scalar? {
      if let value = double { return Scalar(real: -value, type) }
      guard type.integer?.isSigned == true else { return nil }
      return Scalar.combine(Scalar(type: type, bits: 0), "-", self)
    }

    private init(type: NumberType, bits: UInt64) { (self.type, self.bits) = (type, bits) }

    /// A whole number with its bits inverted; `nil` for other numbers.
    var inverted: Scalar? {
      func invert<Whole: FixedWidthInteger>(_: Whole.Type) -> Scalar {
        Scalar(~whole(Whole.self), type)
      }
      return type.integer.map { invert($0) }
    }

    /// The absolute value, as `abs` computes it; `nil` on overflow.
    var absolute: Scalar? {
      if let value = double { return Scalar(real: abs(value), type) }
      return isNegative ? negated : self
    }

    // MARK: Conversions

    /// How a conversion to whole numbers treats a value that does not fit.
    enum Fit {
      /// `T(x)`, which traps.
      case required
      /// `T(exactly: x)`, which also needs a whole number.
      case exact
      case clamping
      case truncating
    }

    /// The number in another type; `nil` where Swift traps, or the number does not fit exactly.
    func converted(to target: NumberType, _ fit: Fit = .required) -> Scalar? {
      if let integer = target.integer { return whole(integer, target, fit) }
      guard let real = target.real else { return nil }
      return self.real(real, target, fit)
    }

    private func whole<Whole: FixedWidthInteger>(
      _: Whole.Type, _ target: NumberType, _ fit: Fit
    ) -> Scalar? {
      func from<Source: FixedWidthInteger>(_: Source.Type) -> Whole? {
        let value = whole(Source.self)
        switch fit {
        case .required, .exact: return Whole(exactly: value)
        case .clamping: return Whole(clamping: value)
        case .truncating: return Whole(truncatingIfNeeded: value)
        }
      }
      let result: Whole?
      if let source = type.integer {
        result = from(source)
      } else if let value = double, fit == .required || fit == .exact {
        result = Whole(exactly: fit == .exact ? value : value.rounded(.towardZero))
      } else {
        result = nil
      }
      return result.map { Scalar($0, target) }
    }

    private func real<Real: BinaryFloatingPoint>(
      _: Real.Type, _ target: NumberType, _ fit: Fit
    ) -> Scalar? {
      func from<Source: FixedWidthInteger>(_: Source.Type) -> Real? {
        let value = whole(Source.self)
        return fit == .exact ? Real(exactly: value) : Real(value)
      }
      let result: Real?
      if let source = type.integer {
        result = from(source)
      } else if let value = double {
        result = fit == .exact ? Real(exactly: value) : Real(value)
      } else {
        result = nil
      }
      return result.map { Scalar(real: $0, target) }
    }

    /// A floating-point number rounded to a whole one.
    func rounded(_ rule: FloatingPointRoundingRule) -> Scalar? {
      double.map { Scalar(real: $0.rounded(rule), type) }
    }

    /// The text of the number, as string interpolation writes it.
    var text: String {
      func whole<Whole: FixedWidthInteger>(_: Whole.Type) -> String { "\(self.whole(Whole.self))" }
      func real<Real: NumberType.Real>(_: Real.Type) -> String { "\(self.real(Real.self))" }
      if let integer = type.integer { return whole(integer) }
      return type.real.map { real($0) } ?? ""
    }
  }
#endif
