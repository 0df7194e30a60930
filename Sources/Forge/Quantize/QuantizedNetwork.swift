import ForgeOperations
import ForgeShapes

/// A network that computes with 8-bit integers where that is faster and near enough.
///
/// ```swift
/// let quantized = try network.quantized(calibration: samples, bound: 0.02)
/// print(quantized)
/// let probabilities = try quantized.network.predict(pixels)
/// ```
public struct QuantizedNetwork: Sendable {
  /// One convolution or dense layer.
  public struct Layer: Sendable {
    /// The name of its result in the ``QuantizationTable``.
    public let name: String
    /// Whether it multiplies integers.
    public let isQuantized: Bool
    /// The relative L2 error of the outputs when this layer alone multiplies integers.
    public let error: Double
    /// Seconds per prediction of real numbers; `nil` when the sizes of inputs are not known.
    public let seconds: Double?
    /// Seconds per prediction of integers; `nil` when the sizes of inputs are not known.
    public let quantizedSeconds: Double?
  }

  /// The network, for predictions.
  public let network: CompiledModel
  /// The tensors that are integers, for later compiles of the same model.
  public let table: QuantizationTable
  /// The convolutions and dense layers, in order.
  public let layers: [Layer]
  /// ‖quantized − real‖₂ / ‖real‖₂ over all samples, of the output where it is largest.
  public let error: Double
  /// The error that was allowed.
  public let bound: Double
  /// Seconds per prediction of the network of real numbers, of the first sample.
  public let realSeconds: Double
  /// Seconds per prediction of this network.
  public let seconds: Double
}

extension QuantizedNetwork: CustomStringConvertible {
  /// A table of the layers with type, error and gain, and a line for the whole network.
  public var description: String {
    var rows = [["Layer", "Type", "Error", "Real", "Integers"]]
    for layer in layers {
      rows.append([
        layer.name.printable, layer.isQuantized ? "int8" : "float32", Self.text(layer.error),
        layer.seconds.map(Self.milliseconds) ?? "",
        layer.quantizedSeconds.map(Self.milliseconds)
          ?? "",
      ])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var lines = rows.map { row in
      zip(row, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return column < 2 ? cell.0 + padding : padding + cell.0
      }.joined(separator: "  ").trimmingEnd
    }
    lines.insert(String(repeating: "-", count: lines.map(\.count).max() ?? 0), at: 1)
    let count = layers.count { $0.isQuantized }
    lines.append(
      "\(count) of \(layers.count) layers on integers, relative L2 error \(Self.text(error)) "
        + "of \(Self.text(bound)) allowed, \(Self.milliseconds(realSeconds)) to "
        + Self.milliseconds(seconds))
    return lines.joined(separator: "\n")
  }

  /// Three digits, such as `0.00123`.
  private static func text(_ number: Double) -> String {
    guard number.isFinite, number != 0 else { return "\(number)" }
    var (digits, unit) = (number.magnitude, 0.01)
    while digits < 1, unit > 1e-12 { (digits, unit) = (digits * 10, unit / 10) }
    return "\(Float((number / unit).rounded() * unit))"
  }

  private static func milliseconds(_ seconds: Double) -> String {
    let hundredths = Int((seconds * 1e5).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
  }
}

extension String {
  /// The text without spaces at its end.
  fileprivate var trimmingEnd: String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}
