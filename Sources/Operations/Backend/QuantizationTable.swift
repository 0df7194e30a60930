/// Which tensors of a network become 8-bit integers, and which layers compute with them.
///
/// `quantized(calibration:)` makes a table from samples. It is `Codable`, and a later compile of
/// the same network takes it:
/// ```swift
/// let table = try network.quantized(calibration: samples).table
/// let again = try model.compile(options: .init(quantization: table), parameters: source)
/// ```
/// A tensor is known by the name of its input or layer. Further results within a layer have a
/// number after the name: `name/1`.
public struct QuantizationTable: Sendable, Hashable, Codable {
  /// The current version of the format.
  public static let currentVersion = 1

  /// The format version of this table.
  public let version: Int
  /// The integers of each tensor that becomes integers, by name.
  public var tensors: [String: Quantization]
  /// The names of the results of convolutions and dense layers that multiply integers.
  ///
  /// Their weights become `round(w / s)`, where `s = max|w| / 127` for each output.
  public var products: Set<String>

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - tensors: the integers of each tensor, by name.
  ///   - products: the results of layers that multiply integers.
  public init(tensors: [String: Quantization] = [:], products: Set<String> = []) {
    version = Self.currentVersion
    self.tensors = tensors
    self.products = products
  }

  /// What is wrong with the table, whatever the network.
  package var problem: (received: String, needs: String)? {
    guard version == Self.currentVersion else {
      return ("version \(version)", "version \(Self.currentVersion)")
    }
    for (name, quantization) in tensors.sorted(by: { $0.key < $1.key }) {
      let range = quantization.storage.range
      guard quantization.scale.isNormal, quantization.scale > 0 else {
        return ("the scale \(quantization.scale) of \"\(name)\"", "a normal number above 0")
      }
      guard range.contains(quantization.zeroPoint) else {
        return (
          "the zero point \(quantization.zeroPoint) of \"\(name)\"",
          "\(range.lowerBound) to \(range.upperBound)"
        )
      }
    }
    return nil
  }
}
