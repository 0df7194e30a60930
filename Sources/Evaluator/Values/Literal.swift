#if Macros
  /// A number without a type: a literal, or arithmetic on literals.
  ///
  /// The type of a literal follows from its use: `1 / 2` is 0 as an `Int` and 0.5 as a `Float`.
  /// Arithmetic on literals therefore computes each reading, until the number gets a type.
  struct Literal {
    /// The value in each type by its index; `nil` where it has none, or is not certain.
    let readings: [Scalar?]
    /// Whether it holds a literal with a fraction, so it is a `Double` by default.
    let hasFraction: Bool
    /// Whether a use that asks for no type gives it the default one.
    var isCertain = true

    init(readings: [Scalar?], hasFraction: Bool, isCertain: Bool = true) {
      self.readings = readings
      self.hasFraction = hasFraction
      self.isCertain = isCertain
    }

    /// The literal of a whole number.
    init(magnitude: UInt64, isNegative: Bool = false) {
      func whole<Whole: FixedWidthInteger>(_: Whole.Type, _ type: NumberType) -> Scalar? {
        if !isNegative { return Whole(exactly: magnitude).map { Scalar($0, type) } }
        guard magnitude > 0 else { return Scalar(Whole.zero, type) }
        guard Whole.isSigned, magnitude <= UInt64(1) << 63 else { return nil }
        let value = magnitude == UInt64(1) << 63 ? Int64.min : -Int64(magnitude)
        return Whole(exactly: value).map { Scalar($0, type) }
      }
      func real<Real: BinaryFloatingPoint>(_: Real.Type, _ type: NumberType) -> Scalar? {
        let value = Real(magnitude)
        guard value.isFinite else { return nil }
        return Scalar(real: isNegative && magnitude > 0 ? -value : value, type)
      }
      readings = NumberType.allCases.map { type in
        if let integer = type.integer { return whole(integer, type) }
        return type.real.flatMap { real($0, type) }
      }
      hasFraction = false
    }

    /// A literal with a fraction or an exponent; `nil` if the text is none.
    ///
    /// Swift reads the text as the widest floating-point type of the machine and then rounds it to
    /// the type of the literal. Where both ways of rounding differ, the reading is not certain.
    init?(fraction text: String) {
      guard let double = Double(text) else { return nil }
      func real<Real: NumberType.Real>(_: Real.Type, _ type: NumberType) -> Scalar? {
        guard let value = Real(text), value.isFinite, value == Real(double) else { return nil }
        #if arch(x86_64) && !os(Windows) && !os(Android)
          guard let widest = Float80(text), Real(widest) == value else { return nil }
        #endif
        return Scalar(real: value, type)
      }
      readings = NumberType.allCases.map { type in type.real.flatMap { real($0, type) } }
      hasFraction = true
    }

    /// The reading of a type.
    subscript(_ type: NumberType) -> Scalar? { readings[type.index] }

    /// The type that it has by default.
    var defaultType: NumberType { hasFraction ? .double : .int }

    /// The literal with the same change to each reading; one that fails is lost.
    func map(_ change: (Scalar) -> Scalar?) -> Literal {
      Literal(
        readings: readings.map { $0.flatMap(change) }, hasFraction: hasFraction,
        isCertain: isCertain)
    }

    /// The literal of two with each reading of both combined.
    static func combine(
      _ a: Literal, _ b: Literal, _ change: (Scalar, Scalar) -> Scalar?
    ) -> Literal {
      Literal(
        readings: zip(a.readings, b.readings).map { a, b in
          guard let a, let b else { return nil }
          return change(a, b)
        },
        hasFraction: a.hasFraction || b.hasFraction, isCertain: a.isCertain && b.isCertain)
    }
  }
#endif
