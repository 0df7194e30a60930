/// A writer of HDF5 files whose structure is in order and yet made to cost a reader dear.
///
/// The head has version 0 and object headers version 1: nothing has checksums.
struct CraftedHDF5 {
  private static let undefined = UInt64.max

  private(set) var bytes = [UInt8](repeating: 0, count: 96)
  private let leafK: Int

  init(leafK: Int = 4) {
    self.leafK = leafK
  }

  /// Little-endian numbers, each in its own width.
  static func pack(_ numbers: any FixedWidthInteger...) -> [UInt8] {
    numbers.flatMap { little($0) }
  }

  private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
  }

  /// Puts bytes at the next address that is a multiple of 8, and says which.
  mutating func put(_ data: [UInt8]) -> Int {
    bytes.append(contentsOf: repeatElement(0, count: (8 - bytes.count % 8) % 8))
    let address = bytes.count
    bytes.append(contentsOf: data)
    return address
  }

  // MARK: Messages

  static func message(_ kind: UInt16, _ data: [UInt8]) -> [UInt8] {
    let data = padded(data)
    return pack(kind, UInt16(data.count), UInt32(0)) + data
  }

  static func space(_ sizes: [UInt64]) -> [UInt8] {
    pack(UInt8(1), UInt8(sizes.count), UInt16(0), UInt32(0)) + sizes.flatMap { pack($0) }
  }

  /// The type of single precision.
  private static let float: [UInt8] =
    pack(UInt8(0x11), UInt8(0x20), UInt8(0x1f), UInt8(0), UInt32(4), UInt16(0), UInt16(32))
    + pack(UInt8(23), UInt8(8), UInt8(0), UInt8(23), UInt32(127))

  /// The messages of a dataset of floats.
  static func datasetMessages(_ sizes: [UInt64], at address: Int, byteCount: UInt64) -> [[UInt8]] {
    [
      message(1, space(sizes)), message(3, float),
      message(8, pack(UInt8(3), UInt8(1), UInt64(truncatingIfNeeded: address), byteCount)),
    ]
  }

  private static func attribute(
    _ name: String, type: [UInt8], count: Int, values: [UInt8]
  ) -> [UInt8] {
    let name = [UInt8](name.utf8) + [0]
    let space = space([UInt64(count)])
    let lengths = pack(
      UInt8(1), UInt8(0), UInt16(name.count), UInt16(type.count), UInt16(space.count))
    return message(0xc, lengths + padded(name) + padded(type) + padded(space) + values)
  }

  /// An attribute of texts of one length.
  static func texts(_ name: String, _ texts: [String]) -> [UInt8] {
    let size = max(texts.map(\.utf8.count).max() ?? 1, 1)
    let values = texts.flatMap { text in
      [UInt8](text.utf8) + [UInt8](repeating: 0, count: size - text.utf8.count)
    }
    let type = pack(UInt8(0x13), UInt8(0), UInt16(0), UInt32(size))
    return attribute(name, type: type, count: texts.count, values: values)
  }

  /// An attribute of one variable-length string, the first object of a heap.
  static func heapText(_ name: String, length: Int, heap: Int) -> [UInt8] {
    let type =
      pack(UInt8(0x19), UInt8(1), UInt16(0), UInt32(16))
      + pack(UInt8(0x13), UInt8(0), UInt16(0), UInt32(1))
    return attribute(
      name, type: type, count: 1, values: pack(UInt32(length), UInt64(heap), UInt32(1)))
  }

  static func link(_ name: some Collection<UInt8>, _ address: Int) -> [UInt8] {
    message(6, pack(UInt8(1), UInt8(1), UInt16(name.count)) + name + pack(UInt64(address)))
  }

  static func softLink(_ name: String, _ target: String) -> [UInt8] {
    message(
      6,
      pack(UInt8(1), UInt8(9), UInt8(1), UInt16(name.utf8.count)) + name.utf8
        + pack(UInt16(target.utf8.count)) + target.utf8)
  }

  static func continuation(_ address: Int, byteCount: Int) -> [UInt8] {
    message(0x10, pack(UInt64(address), UInt64(byteCount)))
  }

  // MARK: Objects

  mutating func header(_ messages: [[UInt8]]) -> Int {
    let body = Array(messages.joined())
    return put(
      Self.pack(UInt8(1), UInt8(0), UInt16(min(messages.count, 65535)), UInt32(1))
        + Self.pack(UInt32(body.count), UInt32(0)) + body)
  }

  /// A dataset of one float.
  mutating func dataset() -> Int {
    let values = put(Self.pack(UInt32(0x3f80_0000)))
    return header(Self.datasetMessages([1], at: values, byteCount: 4))
  }

  mutating func group(_ links: [(String, Int)], _ more: [[UInt8]] = []) -> Int {
    let info = Self.message(
      2, Self.pack(UInt8(0), UInt8(0), Self.undefined, Self.undefined))
    return header([info] + links.map { Self.link($0.utf8, $1) } + more)
  }

  /// A group of the older form whose names are suffixes of one text of `a`s.
  ///
  /// - Parameters:
  ///   - names: how many there are; the longest has all of the text.
  ///   - length: the length of the text.
  ///   - object: what each leads to; `nil` for soft links to the whole text.
  /// - Returns: the address of the group.
  mutating func groupOfSuffixes(_ names: Int, length: Int, object: Int?) -> Int {
    let text = [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0x61, count: length)
    let data = put(text + [UInt8](repeating: 0, count: 8))
    let heap = put(
      [UInt8]("HEAP".utf8)
        + Self.pack(UInt32(0), UInt64(length + 16), UInt64(1), UInt64(data)))
    var entries: [UInt8] = []
    for number in 1...names {
      let offset = UInt64(8 + length - number * (length / names))
      if let object {
        entries += Self.pack(offset, UInt64(object), UInt64(0), UInt64(0), UInt64(0))
      } else {
        entries += Self.pack(offset, Self.undefined, UInt32(2), UInt32(0), UInt32(8), UInt32(0))
        entries += Self.pack(UInt64(0))
      }
    }
    let list = put(
      [UInt8]("SNOD".utf8) + Self.pack(UInt8(1), UInt8(0), UInt16(names)) + entries)
    let tree = put(
      [UInt8]("TREE".utf8) + Self.pack(UInt8(0), UInt8(0), UInt16(1))
        + Self.pack(Self.undefined, Self.undefined, UInt64(0), UInt64(list), UInt64(8)))
    return header([Self.message(0x11, Self.pack(UInt64(tree), UInt64(heap)))])
  }

  /// A heap of texts whose first object is a text; the others are empty.
  mutating func heap(_ text: String, objects: Int) -> Int {
    var body = Self.pack(UInt16(1), UInt16(1), UInt32(0), UInt64(text.utf8.count))
    body += Self.padded([UInt8](text.utf8))
    for number in 0..<objects {
      body += Self.pack(UInt16(2 + number % 60000), UInt16(1), UInt32(0), UInt64(0))
    }
    return put([UInt8]("GCOL".utf8) + Self.pack(UInt32(1), UInt64(16 + body.count)) + body)
  }

  /// The whole file, once its root is known.
  func file(root: Int) -> [UInt8] {
    let head: [UInt8] =
      [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]
      + Self.pack(UInt32(0), UInt8(0), UInt8(8), UInt8(8), UInt8(0), UInt16(leafK), UInt16(16))
      + Self.pack(UInt32(0), UInt64(0), Self.undefined, UInt64(bytes.count), Self.undefined)
      + Self.pack(UInt64(0), UInt64(root), UInt64(0), UInt64(0), UInt64(0))
    return head + bytes[head.count...]
  }
}
