/// A function from 8-bit integers to 8-bit integers, as its 256 values.
public struct ByteTable: Hashable, Sendable, Encodable {
  /// The type of the arguments.
  package let input: Quantization.Storage
  /// The type of the values.
  package let output: Quantization.Storage
  /// The values, from that of the least argument to that of the greatest.
  package let values: [Int]

  /// Creates the table of a function.
  package init(
    from input: Quantization.Storage, to output: Quantization.Storage,
    _ function: (Int) throws -> Int
  ) rethrows {
    self.input = input
    self.output = output
    values = try input.range.map(function)
  }

  /// The value of an integer of the type.
  func value(_ integer: Double) -> Double {
    let range = input.range
    let index = Int(min(max(integer, Double(range.lowerBound)), Double(range.upperBound)))
    return Double(values[index - range.lowerBound])
  }
}
