#if Macros
  import SwiftSyntax

  /// Functions, initializers and members of numbers.
  extension Evaluator {
    /// A static constant of a type of numbers.
    func constant(_ name: String, of type: NumberType) -> Scalar? {
      func whole<Whole: FixedWidthInteger>(_: Whole.Type) -> Scalar? {
        switch name {
        case "max": Scalar(Whole.max, type)
        case "min": Scalar(Whole.min, type)
        case "zero": Scalar(Whole.zero, type)
        case "bitWidth": Scalar(Whole.bitWidth)
        default: nil
        }
      }
      func real<Real: BinaryFloatingPoint>(_: Real.Type) -> Scalar? {
        switch name {
        case "pi": Scalar(real: Real.pi, type)
        case "zero": Scalar(real: Real.zero, type)
        case "infinity": Scalar(real: Real.infinity, type)
        case "nan": Scalar(real: Real.nan, type)
        case "ulpOfOne": Scalar(real: Real.ulpOfOne, type)
        case "greatestFiniteMagnitude": Scalar(real: Real.greatestFiniteMagnitude, type)
        case "leastNonzeroMagnitude": Scalar(real: Real.leastNonzeroMagnitude, type)
        case "leastNormalMagnitude": Scalar(real: Real.leastNormalMagnitude, type)
        default: nil
        }
      }
      if let integer = type.integer { return whole(integer) }
      return type.real.flatMap { real($0) }
    }

    /// `Float(x)`, `Int(exactly: x)`, `UInt8(clamping: x)`; `nil` if it is not followed.
    func numberCall(_ type: NumberType, _ arguments: [Argument], _ node: Syntax) -> Value? {
      guard let first = arguments.first else {
        return constant("zero", of: type).map { .scalar($0) }
      }
      let fits: Scalar.Fit
      switch first.label {
      case nil: fits = .required
      case "exactly"?: fits = .exact
      case "clamping"?: fits = .clamping
      case "truncatingIfNeeded"?: fits = .truncating
      default: return nil
      }
      if case .string(let text) = first.value, first.label == nil {
        return parsed(text, type, arguments)
      }
      guard arguments.count == 1 else { return nil }
      guard case .number(let number) = first.value else { return first.value.unknownValue }
      if fits == .exact {
        guard let scalar = number.defaulted else { return nil }
        return .optional(scalar.converted(to: type, .exact).map { .scalar($0) }, .number(type))
      }
      if fits == .truncating || fits == .clamping, type.isReal { return nil }
      switch number {
      case .typed(let scalar): return scalar.converted(to: type, fits).map { .scalar($0) }
      case .literal(let literal):
        let converted = number.defaulted?.converted(to: type, fits)
        // `Float(0.1)` is the literal as a `Float`.
        if fits == .required, isPlainLiteral(first.node), !(literal.hasFraction && !type.isReal) {
          return literal[type].map { .scalar($0) }
        }
        if type.isReal {
          // The literals inside may be of this type or of the default one.
          guard let converted, literal[type] == converted else { return nil }
        }
        return converted.map { .scalar($0) }
      }
    }

    private func isPlainLiteral(_ node: Syntax) -> Bool {
      if node.is(IntegerLiteralExprSyntax.self) || node.is(FloatLiteralExprSyntax.self) {
        return true
      }
      guard let prefixed = node.as(PrefixOperatorExprSyntax.self) else { return false }
      return prefixed.operator.text == "-" && isPlainLiteral(Syntax(prefixed.expression))
    }

    /// A number read from text, as in `Int("ff", radix: 16)`.
    private func parsed(_ text: String, _ type: NumberType, _ arguments: [Argument]) -> Value? {
      var radix = 10
      if arguments.count == 2 {
        guard arguments[1].label == "radix", let stated = Int.converted(from: arguments[1].value),
          (2...36).contains(stated)
        else { return nil }
        radix = stated
      } else if arguments.count != 1 {
        return nil
      }
      func whole<Whole: FixedWidthInteger>(_: Whole.Type) -> Scalar? {
        Whole(text, radix: radix).map { Scalar($0, type) }
      }
      func real<Real: NumberType.Real>(_: Real.Type) -> Scalar? {
        Real(text).map { Scalar(real: $0, type) }
      }
      let scalar: Scalar?
      if let integer = type.integer {
        scalar = whole(integer)
      } else if let type = type.real, arguments.count == 1 {
        scalar = real(type)
      } else {
        return nil
      }
      return .optional(scalar.map { .scalar($0) }, .number(type))
    }

    /// A property of a number.
    func property(_ name: String, of scalar: Scalar) -> Value? {
      func whole<Whole: FixedWidthInteger>(_: Whole.Type) -> Value? {
        let value = scalar.whole(Whole.self)
        switch name {
        case "bitWidth": return .int(Whole.bitWidth)
        case "leadingZeroBitCount": return .int(value.leadingZeroBitCount)
        case "trailingZeroBitCount": return .int(value.trailingZeroBitCount)
        case "nonzeroBitCount": return .int(value.nonzeroBitCount)
        case "byteSwapped": return .scalar(Scalar(value.byteSwapped, scalar.type))
        case "magnitude":
          let name = Whole.isSigned ? "U" + scalar.type.rawValue : scalar.type.rawValue
          return NumberType(rawValue: name).map {
            .scalar(Scalar(UInt64(truncatingIfNeeded: value.magnitude), $0))
          }
        default: return nil
        }
      }
      if name == "description" { return .string(scalar.text) }
      if let integer = scalar.type.integer { return whole(integer) }
      guard let value = scalar.double else { return nil }
      switch name {
      case "magnitude": return scalar.absolute.map { .scalar($0) }
      case "isNaN": return .bool(value.isNaN)
      case "isFinite": return .bool(value.isFinite)
      case "isInfinite": return .bool(value.isInfinite)
      case "isZero": return .bool(value.isZero)
      default: return nil
      }
    }

    /// The value of a method of a number; `nil` if it is not followed.
    func numberMethod(
      _ name: String, of scalar: Scalar, _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      let first = arguments.first?.value
      /// The argument as a number of the same type.
      func other() -> Scalar? {
        guard case .number(let number)? = first else { return nil }
        return number.reading(scalar.type)
      }
      func real<Real: BinaryFloatingPoint>(_: Real.Type) -> Scalar? {
        let value = scalar.real(Real.self)
        switch (name, arguments.count) {
        case ("squareRoot", 0): return Scalar(real: value.squareRoot(), scalar.type)
        case ("truncatingRemainder", 1):
          return other().map {
            Scalar(
              real: value.truncatingRemainder(dividingBy: $0.real(Real.self)), scalar.type)
          }
        case ("remainder", 1):
          return other().map {
            Scalar(real: value.remainder(dividingBy: $0.real(Real.self)), scalar.type)
          }
        default: return nil
        }
      }
      if let type = scalar.type.real {
        guard name == "rounded" else { return real(type).map { .scalar($0) } }
        guard let rule = rounding(first) else { return first?.unknownValue }
        return scalar.rounded(rule).map { .scalar($0) }
      }
      switch (name, arguments.count) {
      case ("isMultiple", 1):
        guard let divisor = other() else { return first?.unknownValue }
        if divisor.bits == 0 { return .bool(scalar.bits == 0) }
        return Scalar.combine(scalar, "%", divisor).map { .bool($0.bits == 0) }
          ?? .bool(true)
      case ("quotientAndRemainder", 1):
        guard let divisor = other(), let quotient = Scalar.combine(scalar, "/", divisor),
          let remainder = Scalar.combine(scalar, "%", divisor)
        else { return first?.unknownValue }
        return .tuple([("quotient", .scalar(quotient)), ("remainder", .scalar(remainder))])
      case ("signum", 0):
        guard let zero = Number(literal: 0).reading(scalar.type),
          let isPositive = Scalar.compare(scalar, ">", zero)
        else { return nil }
        let sign = isPositive ? 1 : scalar.bits == 0 ? 0 : -1
        return Number(literal: sign).reading(scalar.type).map { .scalar($0) }
      case ("addingReportingOverflow", 1), ("subtractingReportingOverflow", 1),
        ("multipliedReportingOverflow", 1):
        let symbol = name.hasPrefix("a") ? "+" : name.hasPrefix("s") ? "-" : "*"
        guard let other = other(), let wrapped = Scalar.combine(scalar, "&" + symbol, other) else {
          return first?.unknownValue
        }
        let overflow = Scalar.combine(scalar, symbol, other) == nil
        return .tuple([("partialValue", .scalar(wrapped)), ("overflow", .bool(overflow))])
      default: return nil
      }
    }

    private func rounding(_ value: Value?) -> FloatingPointRoundingRule? {
      guard let value else { return .toNearestOrAwayFromZero }
      guard case .member(let name, let arguments) = value, arguments.isEmpty else { return nil }
      switch name {
      case "up": return .up
      case "down": return .down
      case "towardZero": return .towardZero
      case "awayFromZero": return .awayFromZero
      case "toNearestOrEven": return .toNearestOrEven
      case "toNearestOrAwayFromZero": return .toNearestOrAwayFromZero
      default: return nil
      }
    }

    /// A function of a number that is rounded correctly: `floor`, `ceil`, `round`, `trunc`, `sqrt`.
    func roundingCall(_ name: String, _ arguments: [Argument], _ node: Syntax) -> Value? {
      guard arguments.count == 1, arguments[0].label == nil else { return nil }
      guard case .number(let number) = arguments[0].value else {
        return arguments[0].value.unknownValue
      }
      // Which overload a literal takes is not certain.
      guard case .typed(let scalar) = number, scalar.type == .float || scalar.type == .double else {
        return nil
      }
      switch name {
      case "floor": return scalar.rounded(.down).map { .scalar($0) }
      case "ceil": return scalar.rounded(.up).map { .scalar($0) }
      case "trunc": return scalar.rounded(.towardZero).map { .scalar($0) }
      case "round": return scalar.rounded(.toNearestOrAwayFromZero).map { .scalar($0) }
      default: return numberMethod("squareRoot", of: scalar, [], node)
      }
    }

    /// `max` and `min` of several numbers or strings.
    func extreme(_ arguments: [Argument], isMaximum: Bool) -> Value? {
      if arguments.allSatisfy({ if case .string = $0.value { true } else { false } }) {
        let texts = arguments.compactMap { String.converted(from: $0.value) }
        return (isMaximum ? texts.max() : texts.min()).map { .string($0) }
      }
      var numbers: [Number] = []
      for argument in arguments {
        guard case .number(let number) = argument.value else { return argument.value.unknownValue }
        numbers.append(number)
      }
      // All have one type, which a later argument may state.
      for case .typed(let scalar) in numbers {
        var typed: [Number] = []
        for number in numbers {
          guard let reading = number.reading(scalar.type) else { return nil }
          typed.append(.typed(reading))
        }
        numbers = typed
        break
      }
      guard var best = numbers.first else { return nil }
      for number in numbers.dropFirst() {
        guard let next = Number.extreme(best, number, isMaximum: isMaximum) else { return nil }
        best = next
      }
      return .number(best)
    }
  }
#endif
