import Forge

/// A constant of an ONNX file to write; its values are computed when they are written.
struct ONNXInitializer {
  /// The values.
  enum Contents {
    /// A number of floats, computed when they are written.
    case floats(count: Int, () throws -> [Float])
    /// Integers.
    case integers([Int])
    /// Booleans.
    case flags([Bool])
    /// Integers of 8 bits, from −128 to 127 or from 0 to 255.
    case bytes([Int], isSigned: Bool)
    /// Integers of 32 bits.
    case int32([Int32])
  }

  let name: String
  let sizes: [Int]
  let contents: Contents

  /// The bytes of the values.
  var byteCount: Int {
    switch contents {
    case .floats(let count, _): count.multipliedSaturated(by: 4)
    case .integers(let values): values.count * 8
    case .flags(let values): values.count
    case .bytes(let values, _): values.count
    case .int32(let values): values.count * 4
    }
  }

  /// The number of the element type.
  private var type: Int64 {
    switch contents {
    case .floats: 1
    case .integers: 7
    case .flags: 9
    case .bytes(_, let isSigned): isSigned ? 3 : 2
    case .int32: 6
    }
  }

  /// The fields before the values.
  func header(name: String) -> WireWriter {
    var tensor = WireWriter()
    for size in sizes { tensor.integer(1, Int64(size)) }
    tensor.integer(2, type)
    tensor.text(8, name)
    return tensor
  }

  /// The little-endian bytes of the values.
  func bytes() throws -> [UInt8] {
    switch contents {
    case .floats(let count, let compute):
      let values = try compute()
      guard values.count == count else {
        throw ExportError([
          Problem(
            headline: "the values of \"\(name)\" do not fill it",
            details: [("received", "\(values.count) values"), ("needs", "\(count)")])
        ])
      }
      return values.withUnsafeBytes { Array($0) }
    case .integers(let values):
      return values.map { Int64($0).littleEndian }.withUnsafeBytes { Array($0) }
    case .flags(let values): return values.map { $0 ? 1 : 0 }
    case .bytes(let values, _): return values.map { UInt8(truncatingIfNeeded: $0) }
    case .int32(let values):
      return values.map(\.littleEndian).withUnsafeBytes { Array($0) }
    }
  }
}
