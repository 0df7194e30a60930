#if Macros
  /// A number in the source of a network.
  ///
  /// The type of a literal depends on what it is used for: `1 / 2` is 0 as an `Int` and 0.5 as a
  /// `Float`. Arithmetic on literals therefore computes each reading, until the number gets a type.
  struct Number: Hashable {
    /// The value as an `Int`; `nil` for a number that cannot be one.
    let int: Int?
    /// The value as a `Float`.
    let float: Float
    /// The value as a `Double`.
    let double: Double
    /// Whether the number is a literal, or arithmetic on literals, and has no type yet.
    let isLiteral: Bool

    /// An integer literal, or a value of type `Int`.
    init(_ int: Int, isLiteral: Bool) {
      (self.int, float, double, self.isLiteral) = (int, Float(int), Double(int), isLiteral)
    }

    /// A number of each reading.
    init(int: Int?, float: Float, double: Double, isLiteral: Bool) {
      (self.int, self.float, self.double, self.isLiteral) = (int, float, double, isLiteral)
    }

    /// A value of type `Double` or `Float`.
    init(_ double: Double) {
      self.init(int: nil, float: Float(double), double: double, isLiteral: false)
    }

    /// The number after it was stored without a stated type: an `Int` if it can be one.
    var typed: Number {
      guard isLiteral else { return self }
      if let int { return Number(int, isLiteral: false) }
      return Number(int: nil, float: Float(double), double: double, isLiteral: false)
    }

    /// The number as a value of a floating-point type.
    var asFloatingPoint: Number {
      Number(int: nil, float: float, double: double, isLiteral: false)
    }

    /// The result of an operator of two numbers; `nil` where Swift would trap or there is none.
    static func combine(_ a: Number, _ symbol: String, _ b: Number) -> Number? {
      let isLiteral = a.isLiteral && b.isLiteral
      var int: Int?
      if let x = a.int, let y = b.int {
        int = integer(x, symbol, y)
        // Whole numbers that overflow have no value, unless a literal may still be a `Float`.
        if int == nil, !isLiteral { return nil }
      }
      guard let float: Float = real(a.float, symbol, b.float),
        let double: Double = real(a.double, symbol, b.double)
      else {
        return int.map { Number($0, isLiteral: isLiteral) }
      }
      if let int, !isLiteral { return Number(int, isLiteral: false) }
      return Number(int: int, float: float, double: double, isLiteral: isLiteral)
    }

    private static func integer(_ x: Int, _ symbol: String, _ y: Int) -> Int? {
      let result: (partialValue: Int, overflow: Bool)
      switch symbol {
      case "+": result = x.addingReportingOverflow(y)
      case "-": result = x.subtractingReportingOverflow(y)
      case "*": result = x.multipliedReportingOverflow(by: y)
      case "/": result = x.dividedReportingOverflow(by: y)
      case "%": result = x.remainderReportingOverflow(dividingBy: y)
      case "&": result = (x & y, false)
      case "|": result = (x | y, false)
      case "^": result = (x ^ y, false)
      case "<<": result = (x << y, false)
      case ">>": result = (x >> y, false)
      default: return nil
      }
      return result.overflow ? nil : result.partialValue
    }

    private static func real<Real: BinaryFloatingPoint>(
      _ x: Real, _ symbol: String, _ y: Real
    ) -> Real? {
      switch symbol {
      case "+": x + y
      case "-": x - y
      case "*": x * y
      case "/": x / y
      default: nil
      }
    }

    /// The result of a comparison.
    static func compare(_ a: Number, _ symbol: String, _ b: Number) -> Bool? {
      if let x = a.int, let y = b.int { return ordered(x, symbol, y) }
      return ordered(a.double, symbol, b.double)
    }

    private static func ordered<Value: Comparable>(
      _ x: Value, _ symbol: String, _ y: Value
    ) -> Bool? {
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

    /// The number with its sign changed; `nil` on overflow.
    var negated: Number? {
      Number.combine(Number(0, isLiteral: isLiteral), "-", self)?.signed(self)
    }

    /// Keeps the sign of a floating-point zero, which `0 - x` loses.
    private func signed(_ original: Number) -> Number {
      Number(int: int, float: -original.float, double: -original.double, isLiteral: isLiteral)
    }

    /// The number as string interpolation writes it.
    var text: String {
      if let int { return "\(int)" }
      return "\(double)"
    }
  }
#endif
