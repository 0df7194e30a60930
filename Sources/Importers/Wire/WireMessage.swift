import Forge

/// A message of Protocol Buffers: a range of a file whose fields are walked once, in their order.
package struct WireMessage {
  package let file: WireFile
  /// The bytes of the message.
  package let range: Range<Int>
  /// How many messages it is inside of.
  package let depth: Int

  package init(_ file: WireFile, _ range: Range<Int>, depth: Int) {
    self.file = file
    self.range = range
    self.depth = depth
  }

  /// Walks the fields of the message.
  ///
  /// - Parameter body: what is done with a field; fields that it does not know it leaves alone.
  /// - Throws: what `body` throws; ``ImportError``: `malformed`, `unreadable`.
  package func forEachField(
    _ body: (WireField) throws(ImportError) -> Void
  ) throws(ImportError) {
    var position = range.lowerBound
    let end = range.upperBound
    while position < end {
      let tag = try file.varint(at: &position, end: end)
      guard tag >> 3 != 0, let number = Int(exactly: tag >> 3), number < 1 << 29 else {
        throw file.malformed
      }
      let content: WireField.Content
      switch tag & 7 {
      case 0: content = .varint(try file.varint(at: &position, end: end))
      case 1: content = .fixed64(try file.fixed(UInt64.self, at: &position, end: end))
      case 5: content = .fixed32(try file.fixed(UInt32.self, at: &position, end: end))
      case 2:
        let stated = try file.varint(at: &position, end: end)
        guard let count = Int(exactly: stated), count <= end - position else {
          throw file.malformed
        }
        content = .bytes(position..<(position + count))
        position += count
      default: throw file.malformed
      }
      try body(WireField(number: number, content: content, file: file, depth: depth))
    }
  }
}
