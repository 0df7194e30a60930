import Forge
import Foundation

/// An ONNX file without the bytes of its large weights.
///
/// The decoder would copy every weight. Here the weights stay in the file: the fields of the model
/// are walked as the wire format of Protocol Buffers states, and of each large initialiser only the
/// place of its `raw_data` is kept.
struct ONNXOutline {
  /// A message that the decoder reads, with all but the large weights.
  private(set) var message: [UInt8] = []
  /// The places of the weights that are left out, by the number of their initialiser.
  private(set) var weights: [Int: Range<Int>] = [:]

  private var initializers = 0

  /// The field numbers of ONNX's messages.
  private enum Field {
    static let graph = 7
    static let initializer = 5
    static let rawData = 9
  }

  /// The messages that are walked.
  private enum Level {
    case model, graph, tensor

    /// The fields that the format has.
    var fields: ClosedRange<Int> {
      switch self {
      case .model: 1...26
      case .graph: 1...16
      case .tensor: 1...16
      }
    }
  }

  /// Weights of fewer bytes stay in the message.
  private static let smallest = 1 << 12

  /// Walks a file.
  ///
  /// - Returns: `nil` if the file is no such message, which the decoder then tells.
  /// - Throws: `LoadError` when the file cannot be read.
  init?(_ file: InputFile) throws(LoadError) {
    var bytes = WireBytes(file)
    guard let message = try walk(&bytes, to: file.count, .model) else { return nil }
    self.message = message
  }

  /// The fields of a message that ends at a place, without weights; `nil` if it is malformed.
  private mutating func walk(
    _ bytes: inout WireBytes, to end: Int, _ level: Level
  ) throws(LoadError) -> [UInt8]? {
    var kept: [UInt8] = []
    while bytes.position < end {
      let start = bytes.position
      guard let tag = try bytes.varint(to: end) else { return nil }
      let field = Int(truncatingIfNeeded: tag >> 3)
      guard field > 0 else { return nil }
      switch tag & 7 {
      case 0: guard try bytes.varint(to: end) != nil else { return nil }
      case 1: guard bytes.skip(8, to: end) else { return nil }
      case 5: guard bytes.skip(4, to: end) else { return nil }
      case 2:
        guard let stated = try bytes.varint(to: end), let count = Int(exactly: stated),
          count <= end - bytes.position
        else { return nil }
        let content = bytes.position..<(bytes.position + count)
        switch (level, field) {
        case (.model, Field.graph), (.graph, Field.initializer):
          let inner: Level = level == .model ? .graph : .tensor
          guard let message = try walk(&bytes, to: content.upperBound, inner) else { return nil }
          if inner == .tensor { initializers += 1 }
          Self.append(tag, to: &kept)
          Self.append(UInt64(message.count), to: &kept)
          kept += message
          continue
        case (.tensor, Field.rawData) where count >= Self.smallest:
          // Of several fields the last would count.
          guard weights.updateValue(content, forKey: initializers) == nil,
            bytes.skip(count, to: end)
          else { return nil }
          continue
        case (.tensor, Field.rawData) where weights[initializers] != nil: return nil
        default: guard bytes.skip(count, to: end) else { return nil }
        }
      default: return nil
      }
      // What the decoder does not know is left out here.
      guard level.fields.contains(field) else { continue }
      kept += try bytes.copy(start..<bytes.position)
    }
    return kept
  }

  /// Appends a number in the variable length of Protocol Buffers.
  private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}

/// A position in a file that is read through a window.
private struct WireBytes {
  private let file: InputFile
  private(set) var position = 0
  private var window: [UInt8] = []
  private var windowStart = 0

  private static let windowCount = 1 << 16

  init(_ file: InputFile) { self.file = file }

  /// The next number of variable length; `nil` at the end or if it is too long.
  mutating func varint(to end: Int) throws(LoadError) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard position < end else { return nil }
      let byte = try next()
      value |= UInt64(byte & 0x7f) << UInt64(shift)
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }

  /// Moves on; returns whether that is before the end.
  mutating func skip(_ count: Int, to end: Int) -> Bool {
    guard count <= end - position else { return false }
    position += count
    return true
  }

  /// The bytes of a range.
  func copy(_ range: Range<Int>) throws(LoadError) -> [UInt8] {
    if range.lowerBound >= windowStart, range.upperBound <= windowStart + window.count {
      return Array(window[(range.lowerBound - windowStart)..<(range.upperBound - windowStart)])
    }
    return try Self.read(range, of: file)
  }

  private mutating func next() throws(LoadError) -> UInt8 {
    if position < windowStart || position >= windowStart + window.count {
      let end = min(position + Self.windowCount, file.count)
      window = try Self.read(position..<end, of: file)
      windowStart = position
    }
    defer { position += 1 }
    return window[position - windowStart]
  }

  private static func read(_ range: Range<Int>, of file: InputFile) throws(LoadError) -> [UInt8] {
    try file.checkReadable(range)
    var bytes = [UInt8](repeating: 0, count: range.count)
    var failure: LoadError?
    bytes.withUnsafeMutableBytes { memory in
      do throws(LoadError) { try file.read(range, into: memory) } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }
}
