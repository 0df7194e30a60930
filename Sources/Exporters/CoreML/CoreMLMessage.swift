import Forge

/// A message of Protocol Buffers with stored numbers, which are computed when they are written.
struct CoreMLMessage {
  /// A part of the bytes.
  private enum Piece {
    case bytes([UInt8])
    case numbers(CoreMLNumbers)
  }

  private var pieces: [Piece] = []
  /// The fields after the last piece.
  private var tail = WireWriter()
  /// The bytes of all pieces, without the tail.
  private var pieceBytes = 0

  /// The number of bytes.
  var byteCount: Int { pieceBytes.addingSaturated(tail.bytes.count) }

  mutating func integer(_ field: Int, _ value: Int) { tail.integer(field, Int64(value)) }

  mutating func integers(_ field: Int, _ values: [Int]) {
    for value in values { integer(field, value) }
  }

  mutating func flag(_ field: Int, _ value: Bool) { integer(field, value ? 1 : 0) }

  mutating func flags(_ field: Int, _ values: [Bool]) {
    for value in values { flag(field, value) }
  }

  mutating func float(_ field: Int, _ value: Float) { tail.float(field, value) }

  mutating func text(_ field: Int, _ text: String) { tail.text(field, text) }

  /// A message that a closure fills.
  mutating func message(_ field: Int, _ fill: (inout CoreMLMessage) -> Void) {
    var inner = CoreMLMessage()
    fill(&inner)
    message(field, inner)
  }

  /// A message.
  mutating func message(_ field: Int, _ inner: CoreMLMessage) {
    tail.prefix(field, count: inner.byteCount)
    for piece in inner.pieces {
      switch piece {
      case .bytes(let bytes): tail.append(bytes)
      case .numbers(let numbers): append(numbers)
      }
    }
    tail.append(inner.tail.bytes)
  }

  /// Stored numbers (`WeightParams`).
  mutating func numbers(_ field: Int, _ numbers: CoreMLNumbers) {
    var values = WireWriter()
    values.prefix(numbers.field, count: numbers.byteCount)
    tail.prefix(field, count: values.bytes.count.addingSaturated(numbers.byteCount))
    tail.append(values.bytes)
    append(numbers)
  }

  private mutating func append(_ numbers: CoreMLNumbers) {
    pieces.append(.bytes(tail.bytes))
    pieces.append(.numbers(numbers))
    pieceBytes = pieceBytes.addingSaturated(tail.bytes.count).addingSaturated(numbers.byteCount)
    tail = WireWriter()
  }

  /// Hands the bytes over, piece by piece.
  ///
  /// - Throws: what the source of the numbers and `add` throw.
  func write(_ add: ([UInt8]) throws -> Void) throws {
    for piece in pieces {
      switch piece {
      case .bytes(let bytes): try add(bytes)
      case .numbers(let numbers): try add(try numbers.bytes())
      }
    }
    try add(tail.bytes)
  }
}

/// Stored numbers of a Core ML file; they are computed when they are written.
struct CoreMLNumbers {
  /// What they are called in messages.
  let name: String
  let count: Int
  /// Whether they are written in half precision.
  let isHalf: Bool
  let compute: () throws -> [Float]

  /// The field of `WeightParams`.
  var field: Int { isHalf ? 2 : 1 }

  /// The bytes of the numbers.
  var byteCount: Int { count.multipliedSaturated(by: isHalf ? 2 : 4) }

  /// The little-endian bytes of the numbers.
  func bytes() throws -> [UInt8] {
    let values = try compute()
    guard values.count == count else {
      throw ExportError([
        Problem(
          headline: "the values of \"\(name)\" do not fill it",
          details: [("received", "\(values.count) values"), ("needs", "\(count)")])
      ])
    }
    guard isHalf else { return values.withUnsafeBytes { Array($0) } }
    let halves = values.map { Float16($0) }
    for (value, half) in zip(values, halves) where value.isFinite && !half.isFinite {
      throw ExportError([
        Problem(
          headline: "a value of \"\(name)\" has no half precision",
          details: [
            ("received", "\(value)"), ("needs", "−65504 to 65504"),
            ("remedy", "CoreMLOptions(weights: .float32)"),
          ])
      ])
    }
    return halves.withUnsafeBytes { Array($0) }
  }
}
