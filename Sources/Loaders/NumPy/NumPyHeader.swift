import ForgeShapes

/// The header of a `.npy` file: the type, memory order and sizes of its values.
///
/// It is a signature, a version, a length and a Python dictionary:
/// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
struct NumPyHeader: Sendable {
  private static let signature: [UInt8] = [0x93] + Array("NUMPY".utf8)
  /// The maximum length of the dictionary in bytes, which is that of version 1.
  private static let maximumTextBytes = 0xffff
  /// The number of bytes read first; most headers are shorter.
  private static let firstBytes = 128
  /// The maximum number of axes, as in NumPy 2.
  private static let maximumRank = 64

  /// The type as NumPy writes it: `<f4`, `|O`.
  private(set) var typeName = ""
  /// The type; `nil` when Forge does not read it.
  var elementType: ElementType? { Self.types[typeName] }
  /// Whether the first axis is the innermost in memory.
  private(set) var isFortran = false
  private(set) var sizes: [Int] = []
  private(set) var count = 0
  /// The offset of the values.
  private(set) var byteCount = 0

  private static let types: [String: ElementType] = [
    "<f4": .float32, "<f2": .float16, "<f8": .float64, "<i4": .int32, "<i8": .int64,
    "|i1": .int8, "|u1": .uint8, "|b1": .bool, "<i1": .int8, "<u1": .uint8, "<b1": .bool,
  ]

  /// The names that NumPy writes.
  private static let names: [ElementType: String] = [
    .float32: "<f4", .float16: "<f2", .float64: "<f8", .int32: "<i4", .int64: "<i8",
    .int8: "|i1", .uint8: "|u1", .bool: "|b1",
  ]

  /// Whether bytes begin as a `.npy` file does.
  static func begins(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: signature) }

  init(_ file: InputFile, _ budget: LoadBudget) throws(LoadError) {
    self = try file.locating { () throws(LoadError) in
      try budget.take(bytes: Self.firstBytes)
      var bytes = try file.prefix(Self.firstBytes)
      guard Self.begins(bytes) else {
        throw .notThisFormat("a NumPy array", size: file.count)
      }
      let text = try Self.textRange(bytes)
      if text.upperBound > Self.firstBytes {
        try budget.take(bytes: text.upperBound)
        bytes = try file.prefix(text.upperBound)
      }
      let end = min(text.upperBound, bytes.count)
      var cursor = ByteCursor(bytes[..<end], "the header")
      try cursor.seek(to: text.lowerBound)
      guard cursor.left == text.count else { throw cursor.damaged("the header is cut off") }
      return try NumPyHeader(&cursor)
    }
  }

  /// The byte range of the dictionary.
  private static func textRange(_ head: [UInt8]) throws(LoadError) -> Range<Int> {
    var cursor = ByteCursor(head[...], "the header")
    try cursor.skip(signature.count)
    let version = try cursor.byte()
    let minor = try cursor.byte()
    guard 1...3 ~= version, minor == 0 else {
      throw .unsupported(
        "version \(version).\(minor) of NumPy's format", needs: "version 1.0, 2.0 or 3.0")
    }
    let length = try cursor.integer(version == 1 ? 2 : 4)
    guard length <= maximumTextBytes else { throw .refused("a header of \(length) bytes") }
    return cursor.offset..<(cursor.offset + length)
  }

  // MARK: The dictionary

  private init(_ cursor: inout ByteCursor) throws(LoadError) {
    var missing: Set = ["descr", "fortran_order", "shape"]
    cursor.skipSpaces()
    guard cursor.take("{") else { throw cursor.damaged("the header is unreadable") }
    while true {
      cursor.skipSpaces()
      if cursor.take("}") { break }
      let key = try Self.text(&cursor)
      cursor.skipSpaces()
      guard missing.remove(key) != nil, cursor.take(":") else {
        throw cursor.damaged("the header is unreadable")
      }
      cursor.skipSpaces()
      switch key {
      case "descr": typeName = try Self.type(&cursor)
      case "shape": sizes = try Self.sizes(&cursor)
      default: isFortran = try Self.truth(&cursor)
      }
      cursor.skipSpaces()
      guard cursor.take(",") || cursor.peek == UInt8(ascii: "}") else {
        throw cursor.damaged("the header is unreadable")
      }
    }
    cursor.skipSpaces()
    guard missing.isEmpty, cursor.left == 0 else {
      throw cursor.damaged("the header is unreadable")
    }
    guard let count = Shape.product(of: sizes) else {
      throw cursor.damaged("sizes that no file can hold: \(LoadError.sizeText(sizes))")
    }
    self.count = count
    byteCount = cursor.offset
  }

  private static func text(_ cursor: inout ByteCursor) throws(LoadError) -> String {
    let quote: Unicode.Scalar = cursor.peek == UInt8(ascii: "'") ? "'" : "\""
    guard cursor.take(quote) else { throw cursor.damaged("the header is unreadable") }
    let text = cursor.run { $0 != UInt8(ascii: quote) }
    try cursor.skip(1)
    return String(decoding: text, as: UTF8.self)
  }

  /// The type; the field list of a structured array is skipped.
  private static func type(_ cursor: inout ByteCursor) throws(LoadError) -> String {
    guard cursor.peek == UInt8(ascii: "[") || cursor.peek == UInt8(ascii: "(") else {
      return try text(&cursor)
    }
    var depth = 0
    repeat {
      switch cursor.peek {
      case UInt8(ascii: "'"), UInt8(ascii: "\""): _ = try text(&cursor)
      case let byte:
        if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: "]") || byte == UInt8(ascii: ")") { depth -= 1 }
        try cursor.skip(1)
      }
    } while depth > 0
    return "records"
  }

  private static func truth(_ cursor: inout ByteCursor) throws(LoadError) -> Bool {
    switch cursor.run(of: "TrueFals") {
    case "True": return true
    case "False": return false
    default: throw cursor.damaged("the header is unreadable")
    }
  }

  private static func sizes(_ cursor: inout ByteCursor) throws(LoadError) -> [Int] {
    guard cursor.take("(") else { throw cursor.damaged("the header is unreadable") }
    var sizes: [Int] = []
    while true {
      cursor.skipSpaces()
      if cursor.take(")") { return sizes }
      let digits = cursor.run(of: "0123456789")
      // Python 2 writes long integers with an L.
      _ = cursor.take("L")
      guard let size = Int(digits), sizes.count < maximumRank else {
        throw cursor.damaged("the header has an unreadable shape")
      }
      sizes.append(size)
      cursor.skipSpaces()
      guard cursor.take(",") || cursor.peek == UInt8(ascii: ")") else {
        throw cursor.damaged("the header has an unreadable shape")
      }
    }
  }

  // MARK: Writing

  /// The header of values of a type and of these sizes.
  ///
  /// NumPy has no bf16; `nil` for it.
  static func bytes(for type: ElementType = .float32, sizes: [Int]) -> [UInt8]? {
    guard let name = names[type] else { return nil }
    let shape = sizes.map(String.init).joined(separator: ", ") + (sizes.count == 1 ? "," : "")
    var text = "{'descr': '\(name)', 'fortran_order': False, 'shape': (\(shape)), }"
    // As in NumPy, the values begin at a multiple of 64 bytes and the text ends with a newline.
    let head = signature.count + 4
    text += String(repeating: " ", count: 63 - (head + text.utf8.count) % 64) + "\n"
    let length = UInt16(truncatingIfNeeded: text.utf8.count)
    return signature + [1, 0, UInt8(length & 0xff), UInt8(length >> 8)] + Array(text.utf8)
  }
}
