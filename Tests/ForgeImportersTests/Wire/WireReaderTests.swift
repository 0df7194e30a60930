import Forge
import ForgeImporters
import Testing

/// Messages of Protocol Buffers, byte by byte.
///
/// Expected values are those of the page "Encoding" of its documentation.
@Suite struct WireReaderTests {
  private typealias Writer = ONNXWriter

  private func file(
    _ bytes: [UInt8], limits: ImportLimits = ImportLimits()
  ) throws(ImportError) -> WireFile {
    try WireFile(
      bytes, name: "test", options: ImportOptions(limits: limits), headline: "not a message")
  }

  /// What a walk does with the fields.
  private func fields<Value>(
    _ bytes: [UInt8], limits: ImportLimits = ImportLimits(),
    _ read: (WireField) throws(ImportError) -> Value
  ) throws(ImportError) -> [Value] {
    var values: [Value] = []
    let message = try file(bytes, limits: limits).message
    try message.forEachField { field throws(ImportError) in values.append(try read(field)) }
    return values
  }

  private func kind<Value>(
    _ bytes: [UInt8], limits: ImportLimits = ImportLimits(),
    _ read: (WireField) throws(ImportError) -> Value
  ) -> ImportError.Kind? {
    do throws(ImportError) {
      _ = try fields(bytes, limits: limits, read)
      return nil
    } catch { return error.kind }
  }

  // MARK: Wire types

  @Test func integersAreVarints() throws {
    // 150 is the example of the page; -1 takes ten bytes.
    #expect(try fields([0x08, 0x96, 0x01]) { f throws(ImportError) in try f.int() } == [150])
    let minusOne: [UInt8] = [0x08] + Array(repeating: 0xff, count: 9) + [0x01]
    #expect(try fields(minusOne) { f throws(ImportError) in try f.int64() } == [-1])
    #expect(try fields(minusOne) { f throws(ImportError) in try f.int32() } == [-1])
    let wide = Writer.field(1, 1 << 32 + 7)
    #expect(try fields(wide) { f throws(ImportError) in try f.int32() } == [7])
    #expect(
      try fields([0x08, 0, 0x08, 2]) { f throws(ImportError) in try f.bool() } == [false, true])
  }

  @Test func numbersAreLittleEndian() throws {
    let single: [UInt8] = [0x15, 0x00, 0x00, 0x28, 0xc1]
    #expect(try fields(single) { f throws(ImportError) in try f.float() } == [-10.5])
    let double: [UInt8] = [0x11, 0, 0, 0, 0, 0, 0, 0x25, 0xc0]
    #expect(try fields(double) { f throws(ImportError) in try f.double() } == [-10.5])
  }

  @Test func textsAndMessages() throws {
    // The examples of the page: "testing", and a message with 150.
    let text: [UInt8] = [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]
    #expect(try fields(text) { f throws(ImportError) in try f.string() } == ["testing"])
    let nested: [UInt8] = [0x1a, 0x03, 0x08, 0x96, 0x01]
    let values = try fields(nested) { f throws(ImportError) in
      var values: [Int] = []
      try f.message().forEachField { inner throws(ImportError) in
        values.append(inner.number * 1000 + (try inner.int()))
      }
      return values
    }
    #expect(values == [[1150]])
  }

  @Test func listsArePackedOrNot() throws {
    // The packed example of the page: 3, 270, 86942.
    let packed: [UInt8] = [0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05]
    let plain = [3, 270, 86942].flatMap { Writer.field(6, $0) }
    for (bytes, times) in [(packed, 1), (plain, 1), (packed + plain, 2), (plain + packed, 2)] {
      var list: [Int64] = []
      _ = try fields(bytes) { f throws(ImportError) in try f.append(to: &list) }
      #expect(list == Array(repeating: [3, 270, 86942], count: times).flatMap(\.self))
    }
    let halves: [UInt8] = [0x22, 0x08, 0, 0, 0, 0x3f, 0, 0, 0x80, 0xbf, 0x25, 0, 0, 0, 0x40]
    var floats: [Float] = []
    _ = try fields(halves) { f throws(ImportError) in try f.append(to: &floats) }
    #expect(floats == [0.5, -1, 2])
  }

  // MARK: What is malformed

  @Test(
    arguments: [
      [0x08], [0x08, 0x80],  // an integer that ends too soon
      [0x08] + [UInt8](repeating: 0x80, count: 10) + [0x00],  // one that is too long
      [0x12], [0x12, 0x05, 0x61],  // a text that ends too soon
      [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],  // one of 2⁶³ - 1 bytes
      [0x12] + [UInt8](repeating: 0xff, count: 9) + [0x01],  // one of 2⁶⁴ - 1 bytes
      [0x15, 0, 0, 0], [0x11, 0, 0, 0, 0, 0, 0, 0],  // numbers that end too soon
      [0x0b], [0x0c], [0x0e], [0x0f],  // groups, and wire types that do not exist
      [0x00, 0x00],  // the field 0
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00],  // a field beyond 2²⁹
    ] as [[UInt8]])
  func malformed(_ bytes: [UInt8]) {
    #expect(kind(bytes) { _ in } == .malformed)
  }

  @Test func fieldsOfOtherTypes() {
    let integer: [UInt8] = [0x08, 0x01]
    #expect(kind(integer) { f throws(ImportError) in try f.string() } == .malformed)
    #expect(kind(integer) { f throws(ImportError) in _ = try f.message() } == .malformed)
    #expect(kind(integer) { f throws(ImportError) in try f.float() } == .malformed)
    #expect(kind(integer) { f throws(ImportError) in try f.double() } == .malformed)
    #expect(kind([0x12, 0x01, 0x61]) { f throws(ImportError) in try f.int() } == .malformed)
  }

  @Test(
    arguments: [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]
      as [[UInt8]])
  func textsMustBeUTF8(_ text: [UInt8]) throws {
    let bytes = Writer.field(2, text)
    #expect(kind(bytes) { f throws(ImportError) in try f.string() } == .malformed)
    // Attributes of bytes are read as far as they are text.
    let read = try fields(bytes) { f throws(ImportError) in try f.text() }
    #expect(read.allSatisfy { $0.contains("\u{fffd}") })
  }

  @Test func packedListsEndWhereTheFieldDoes() {
    var integers: [Int64] = []
    let cut: [UInt8] = [0x32, 0x02, 0x03, 0x8e, 0x02]
    #expect(kind(cut) { f throws(ImportError) in try f.append(to: &integers) } == .malformed)
    var floats: [Float] = []
    let odd = Writer.field(4, [0, 0, 0, 0, 1])
    #expect(kind(odd) { f throws(ImportError) in try f.append(to: &floats) } == .malformed)
  }

  // MARK: Limits

  @Test func messagesInEachOther() throws {
    func nested(_ depth: Int) -> [UInt8] {
      (0..<depth).reduce([]) { bytes, _ in Writer.field(1, bytes) }
    }
    func walk(_ message: WireMessage) throws(ImportError) -> Int {
      var deepest = message.depth
      try message.forEachField { field throws(ImportError) in
        deepest = max(deepest, try walk(try field.message()))
      }
      return deepest
    }
    let limits = ImportLimits(depth: 2)
    #expect(try walk(try file(nested(8), limits: limits).message) == 8)
    let error = #expect(throws: ImportError.self) {
      try walk(try file(nested(9), limits: limits).message)
    }
    #expect(error?.kind == .tooLarge)
    #expect(error?.description.contains("nested too deeply") == true)
  }

  @Test func manyMessages() {
    let limits = ImportLimits(nodes: 1, tensors: 1)
    let message = Writer.field(1, [] as [UInt8])
    let most = Array(repeating: message, count: 16).flatMap(\.self)
    #expect(kind(most, limits: limits) { f throws(ImportError) in _ = try f.message() } == nil)
    #expect(
      kind(most + message, limits: limits) { f throws(ImportError) in _ = try f.message() }
        == .tooLarge)
  }

  /// Empty texts take memory, although they take no bytes of the file.
  @Test func textsTakeFromTheBudget() {
    let text = Writer.field(1, [] as [UInt8])
    let bytes = Array(repeating: text, count: 1000).flatMap(\.self)
    let read = { (field: WireField) throws(ImportError) in try field.string() }
    #expect(kind(bytes, limits: ImportLimits(foldedBytes: 0), read) == nil)
    let lists = Writer.field(1, [UInt8](repeating: 1, count: 100))
    var list: [Int64] = []
    #expect(
      kind(lists, limits: ImportLimits(foldedBytes: 0)) { f throws(ImportError) in
        try f.append(to: &list)
        try f.append(to: &list)
      } == .tooLarge)
  }

  @Test func sizesOfFiles() {
    #expect(kind([0x08, 0x01], limits: ImportLimits(fileBytes: 1)) { _ in } == .tooLarge)
    #expect(kind([0x08, 0x01], limits: ImportLimits(fileBytes: 2)) { _ in } == nil)
  }

  /// Large bytes stay where they are, small ones are copied; both are the same.
  @Test(arguments: [0, 1, 4095, 4096, 70_001]) func bytesAreThere(_ count: Int) throws {
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let bytes = Writer.field(1, 5) + Writer.field(9, content)
    let stored = try fields(bytes) { f throws(ImportError) -> (any StoredBytes)? in
      try f.number == 9 ? f.stored() : nil
    }
    let read = try stored.compactMap(\.self).map { try $0.withBytes { Array($0) } }
    #expect(read == [content])
  }
}
