#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Primitive {
  /// `eˣ / Σ eˣ` over the last axis, or its logarithm `x − ln Σ eˣ`, shifted by the maximum.
  ///
  /// NaN or +∞ in a row, or −∞ throughout it, makes the row NaN.
  static func softmax(_ input: ReferenceTensor, logarithm: Bool) -> ReferenceTensor {
    let columns = input.lastSize
    var values: [Double] = []
    for start in stride(from: 0, to: input.count, by: columns) {
      let row = input.values[start..<start + columns]
      let largest = row.reduce(-.infinity, max)
      let shifted = row.map { $0 - largest }
      let sum = shifted.map { exp($0) }.reduce(0, +)
      values += shifted.map { logarithm ? $0 - log(sum) : exp($0) / sum }
    }
    return ReferenceTensor(unchecked: input.sizes, values)
  }
}
