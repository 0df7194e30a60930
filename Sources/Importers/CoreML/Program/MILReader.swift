import Forge

/// Reads the constants of an ML Program: those in the file, and those in the weight file beside it.
struct MILReader {
  /// The files that `@model_path` stands for.
  private let files: ModelFiles

  /// Creates a reader of the constants of a model.
  init(files: ModelFiles) { self.files = files }

  /// A constant.
  ///
  /// - Throws: ``NodeFailure``, ``ImportError`` or `LoadError`.
  func operand(_ constant: MILConstant) throws -> MILOperand { try operand(constant.fields()) }

  private func operand(_ value: WireFields) throws -> MILOperand {
    switch value.last(where: { [3, 5].contains($0) }) {
    case 3:
      let immediate = try value.message(3)
      switch immediate?.last(where: { (1...4).contains($0) }) {
      case 1:
        guard let tensor = try immediate?.message(1) else { break }
        return try stored(tensor, try type(value))
      case let kind? where kind < 4: return try list(try immediate?.message(kind)?.list(1) ?? [])
      default: break
      }
      throw NodeFailure.unsupported("a constant that is not a tensor")
    case 5:
      guard let place = try value.message(5) else { break }
      return try stored(place, name: try place.string(1), try type(value))
    default: break
    }
    throw NodeFailure.invalid("a constant without values")
  }

  /// Texts, or numbers one after the other.
  private func list(_ items: [WireFields]) throws -> MILOperand {
    var texts: [String] = []
    var numbers: [HostTensor] = []
    for item in items {
      switch try operand(item) {
      case .texts(let itemTexts): texts += itemTexts
      case .value(.host(let tensor)): numbers.append(tensor.reshaped([tensor.count]))
      default: throw NodeFailure.unsupported("a list of other constants")
      }
    }
    guard !numbers.isEmpty else { return .texts(texts) }
    return .value(.host(try HostTensor.concatenated(numbers, axis: 0)))
  }

  /// The element type and the sizes of a constant; texts have no element type.
  private func type(_ value: WireFields) throws -> (element: MILElement?, sizes: [Int]) {
    let type = try value.message(2)
    guard type?.last(where: { (1...5).contains($0) }) == 1, let tensor = try type?.message(1) else {
      throw NodeFailure.unsupported("a constant that is not a tensor")
    }
    let sizes = try tensor.list(3).map { dimension -> Int in
      guard dimension.last(where: { [1, 2].contains($0) }) == 1,
        let size = try dimension.message(1)?.int(1), size >= 0
      else { throw NodeFailure.invalid("a constant of an open size") }
      return size
    }
    guard sizes.count <= Shape.maximumRank + 2, Shape.product(of: sizes) != nil else {
      throw NodeFailure.invalid("a constant of sizes \(sizes)")
    }
    let number = try tensor.int(1)
    if number == 2 { return (nil, sizes) }
    guard let element = MILElement(specification: number) else {
      throw NodeFailure.unsupported("element type \(number)")
    }
    return (element, sizes)
  }

  /// A tensor whose values are in the model file, where many of them stay.
  private func stored(
    _ tensor: WireFields, _ type: (element: MILElement?, sizes: [Int])
  ) throws -> MILOperand {
    let kind = tensor.last { (1...7).contains($0) }
    let content = try kind.flatMap { try tensor.message($0) }
    if kind == 4 { return .texts(try content?.strings(1) ?? []) }
    guard let element = type.element else {
      throw NodeFailure.invalid("numbers where texts are declared")
    }
    let count = type.sizes.reduce(1, *)
    func check(_ received: Int) throws {
      guard received == count else {
        throw NodeFailure.invalid("\(received) values of sizes \(type.sizes)")
      }
    }
    func integers(_ values: [Int]) throws -> MILOperand {
      try check(values.count)
      var integerType = ElementType.int32
      if case .plain(let type) = element { integerType = type }
      guard integerType.isInteger else {
        throw NodeFailure.invalid("integers for \(integerType.rawValue)")
      }
      return .value(
        .host(HostTensor(integers: values.map { Int64($0) }, sizes: type.sizes, type: integerType)))
    }
    func numbers(_ numberType: ElementType, _ values: WireBytes?) throws -> MILOperand {
      try check((values?.count ?? 0) / numberType.byteCount)
      guard case .plain(let stated) = element, !stated.isInteger else {
        throw NodeFailure.invalid("floating-point numbers where integers are declared")
      }
      return Self.operand(.plain(numberType), type.sizes, values?.bytes ?? BytesInMemory([]))
    }
    switch (kind, content) {
    case (1, let list?): return try numbers(.float32, try list.storedFloats(1))
    case (6, let list?): return try numbers(.float64, try list.storedDoubles(1))
    case (2, let list?):
      return try integers(try list.ints(1).map { Int(Int32(truncatingIfNeeded: $0)) })
    case (5, let list?): return try integers(try list.ints(1))
    case (3, let list?): return try integers(try list.ints(1).map { $0 == 0 ? 0 : 1 })
    case (7, let list?):
      let bytes = try list.stored(1)
      guard bytes?.count ?? 0 == element.byteCount(count) else {
        throw NodeFailure.invalid("\(bytes?.count ?? 0) bytes of sizes \(type.sizes)")
      }
      return Self.operand(element, type.sizes, bytes?.bytes ?? BytesInMemory([]))
    case (nil, _) where count == 0:
      return Self.operand(element, type.sizes, BytesInMemory([]))
    default: throw NodeFailure.invalid("a constant without values")
    }
  }

  private static func operand(
    _ element: MILElement, _ sizes: [Int], _ bytes: any StoredBytes
  ) -> MILOperand {
    switch element {
    case .plain(let type):
      .value(.host(HostTensor(type: type, sizes: sizes, storage: .stored(bytes))))
    case .packed(let bits, let isSigned):
      .packed(MILPacked(sizes: sizes, bits: bits, isSigned: isSigned, bytes: bytes))
    }
  }

  // MARK: The weight file

  /// The number at the start of each entry of a weight file.
  private static let sentinel: UInt32 = 0xDEAD_BEEF
  /// Header and entries begin at multiples of it.
  private static let alignment = 64

  /// A tensor whose values are in the weight file.
  ///
  /// The file begins with the number of entries and the version, 2. An entry has the sentinel, the
  /// element type, the number of bytes and their place; the constant says where the entry is.
  private func stored(
    _ place: WireFields, name: String, _ type: (element: MILElement?, sizes: [Int])
  ) throws -> MILOperand {
    guard let element = type.element else { throw NodeFailure.unsupported("texts in a file") }
    let file = try relative(name)
    let header = try bytes(of: file, at: 0)
    let version = Self.number(header, at: 4, as: UInt32.self)
    guard version == 2 else {
      throw NodeFailure.unsupported("a weight file of version \(version)")
    }
    let start = try place.int(2)
    guard start.isMultiple(of: Self.alignment), start > 0 else {
      throw NodeFailure.invalid("weights at \(start), which is not a multiple of 64")
    }
    let entry = try bytes(of: file, at: start)
    guard Self.number(entry, at: 0, as: UInt32.self) == Self.sentinel else {
      throw NodeFailure.invalid("no entry of the weight file at \(start)")
    }
    let code = Self.number(entry, at: 4, as: UInt32.self)
    guard let stored = MILElement(storage: code) else {
      throw NodeFailure.unsupported("stored element type \(code)")
    }
    // Booleans are stored as bytes.
    let isBool = element == .plain(.bool) && stored.bits == 8
    guard stored == element || isBool else {
      throw NodeFailure.invalid("weights of another element type, number \(code)")
    }
    let needed = element.byteCount(type.sizes.reduce(1, *))
    let (size, offset) = (
      Self.number(entry, at: 8, as: UInt64.self), Self.number(entry, at: 16, as: UInt64.self)
    )
    guard size == UInt64(needed) else {
      throw NodeFailure.invalid("\(size) bytes of weights of sizes \(type.sizes)")
    }
    guard let offset = Int(exactly: offset), offset.isMultiple(of: Self.alignment) else {
      throw NodeFailure.invalid("weights at \(offset), which is not a multiple of 64")
    }
    return Self.operand(
      element, type.sizes, try files.bytes(of: file, offset: offset, byteCount: needed))
  }

  /// The file in the folder that the model names: `@model_path/weights/weight.bin`.
  private func relative(_ name: String) throws -> String {
    let prefix = "@model_path/"
    let rest = name.dropFirst(prefix.count)
    guard name.hasPrefix(prefix), CoreMLPackage.isInside(rest) else {
      throw NodeFailure.invalid("weights in \"\(name)\", which is outside of the model's folder")
    }
    return String(rest)
  }

  /// The header of the weight file or of an entry.
  private func bytes(of file: String, at offset: Int) throws -> [UInt8] {
    try files.bytes(of: file, offset: offset, byteCount: Self.alignment).withBytes { Array($0) }
  }

  /// A number of an entry of 64 bytes.
  private static func number<Number: FixedWidthInteger>(
    _ bytes: [UInt8], at offset: Int, as: Number.Type
  ) -> Number {
    (0..<MemoryLayout<Number>.size).reduce(0) { $0 | Number(bytes[offset + $1]) << ($1 * 8) }
  }
}
