import ForgeShapes

/// How floats are stored as 8-bit integers: `x = (q − zeroPoint) · scale`.
///
/// `q = clamp(round(x / scale) + zeroPoint)`, with halves rounded to even numbers and the quotient
/// rounded to Float32 first. NaN becomes the lowest integer. Source: ONNX, QuantizeLinear.
public struct Quantization: Hashable, Sendable, Codable {
  /// An integer type of 8 bits.
  public enum Storage: String, Hashable, Sendable, Codable {
    /// −128 to 127.
    case int8
    /// 0 to 255.
    case uint8

    /// The numbers of the type.
    public var range: ClosedRange<Int> {
      switch self {
      case .int8: -128...127
      case .uint8: 0...255
      }
    }
  }

  /// The distance between the real numbers of neighboring integers; finite and above 0.
  public let scale: Float
  /// The integer that stands for 0; a number of the type.
  public let zeroPoint: Int
  /// The type of the integers.
  public let storage: Storage

  /// Whole numbers that stand for themselves.
  package static func unscaled(_ storage: Storage) -> Quantization {
    Quantization(scale: 1, zeroPoint: 0, storage: storage)
  }

  /// Creates a quantization.
  public init(scale: Float, zeroPoint: Int, storage: Storage) {
    self.scale = scale
    self.zeroPoint = zeroPoint
    self.storage = storage
  }

  /// Checks the numbers.
  ///
  /// - Throws: `ShapeError` of kind `invalidArgument` naming the argument.
  package func validate() throws(ShapeError) {
    try ArgumentRule.require(
      scale.isFinite && scale > 0, "scale", "\(scale)", needs: "a finite number above 0")
    let range = storage.range
    try ArgumentRule.require(
      range.contains(zeroPoint), "zeroPoint", "\(zeroPoint)",
      needs: "\(range.lowerBound) to \(range.upperBound)")
  }

  /// The integer of a real number.
  package func integer(_ x: Double) -> Int {
    let quotient = (Float(x) / scale).rounded(.toNearestOrEven)
    return clamped(quotient)
  }

  /// The integer of a quotient that has been rounded, before the zero point is added.
  package func clamped(_ quotient: Float) -> Int {
    let range = storage.range
    guard quotient >= Float(range.lowerBound - zeroPoint) else { return range.lowerBound }
    guard quotient < Float(range.upperBound - zeroPoint) else { return range.upperBound }
    return Int(quotient) + zeroPoint
  }

  /// The real number of an integer, rounded to Float32.
  package func real(_ q: Double) -> Float { Float(q - Double(zeroPoint)) * scale }
}
