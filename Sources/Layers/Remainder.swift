import ForgeOperations
import ForgeShapes

/// The remainder of a division, element by element.
///
/// `y = x₁ − n·x₂` with a whole number `n`, with NumPy's broadcasting.
///
/// - Input shape: two tensors whose sizes are equal or 1; with a constant exactly one tensor.
/// - Output shape: the largest size along each axis.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `shapeMismatch` for sizes that do not
///   broadcast, `invalidArgument` for a constant with the wrong number of values or one that is not
///   finite.
/// - Names elsewhere: ONNX Mod, Core ML modBroadcastable.
///
/// ```swift
/// [a, b] --> Remainder(.ofDivisor)
/// ```
public struct Remainder: ElementwiseLayer {
  /// Whose sign a remainder has.
  public enum Sign: Hashable, Sendable {
    /// That of the first operand, as C's fmod.
    case ofDividend
    /// That of the second operand, as Python's %.
    case ofDivisor
  }

  package let label: LayerLabel
  /// whose sign the remainder has.
  public let sign: Sign
  /// The second operand: one value, or one per channel; `nil` for a second tensor.
  public let divisor: [Float]?
  package var constant: [Float]? { divisor }
  package var maximumInputs: Int { divisor == nil ? 2 : 1 }
  package var operation: BinaryOperator {
    sign == .ofDividend ? .remainderOfDividend : .remainderOfDivisor
  }

  /// Creates a remainder.
  ///
  /// - Parameters:
  ///   - sign: whose sign the remainder has.
  ///   - divisor: the second operand: one value, or one per channel; `nil` for a second tensor.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ sign: Sign = .ofDivisor, by divisor: [Float]? = nil, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.sign = sign
    self.divisor = divisor
    label = LayerLabel(name, fileID, line, column)
  }
}
