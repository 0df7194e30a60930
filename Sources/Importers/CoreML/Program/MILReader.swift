import Forge
import ForgeMessages

/// Reads the constants of an ML Program: those in the file, and those in the weight file beside it.
struct MILReader {
  /// The folder of the model file, which `@model_path` stands for.
  private let folder: ModelFolder

  /// Creates a reader of the constants of a model file.
  init(path: String) {
    folder = ModelFolder(of: path)
  }

  /// A constant.
  ///
  /// - Throws: ``NodeFailure`` or `LoadError`.
  func operand(_ value: MILValue) throws -> MILOperand {
    switch value.kind {
    case .immediate(let immediate):
      switch immediate.kind {
      case .tensor(let tensor): return try stored(tensor, try type(value.type))
      case .list(let list), .tuple(let list):
        var texts: [String] = []
        var numbers: [HostTensor] = []
        for item in list.values {
          switch try operand(item) {
          case .texts(let own): texts += own
          case .value(.host(let tensor)): numbers.append(tensor.reshaped([tensor.count]))
          default: throw NodeFailure.unsupported("a list of other constants")
          }
        }
        guard !numbers.isEmpty else { return .texts(texts) }
        return .value(.host(try HostTensor.concatenated(numbers, axis: 0)))
      default: throw NodeFailure.unsupported("a constant that is no tensor")
      }
    case .blob(let place): return try stored(place, try type(value.type))
    case nil: throw NodeFailure.invalid("a constant without values")
    }
  }

  /// The element type and the sizes of a constant; texts have no element type.
  private func type(_ type: MILType) throws -> (element: MILElement?, sizes: [Int]) {
    guard case .tensor(let tensor) = type.kind else {
      throw NodeFailure.unsupported("a constant that is no tensor")
    }
    let sizes = try tensor.dimensions.map { dimension -> Int in
      guard case .constant(let size) = dimension.kind, let size = Int(exactly: size.size) else {
        throw NodeFailure.invalid("a constant of an open size")
      }
      return size
    }
    guard sizes.count <= Shape.maximumRank + 2, Shape.product(of: sizes) != nil else {
      throw NodeFailure.invalid("a constant of sizes \(sizes)")
    }
    if tensor.dataType == 2 { return (nil, sizes) }
    guard let element = MILElement(specification: tensor.dataType) else {
      throw NodeFailure.unsupported("element type \(tensor.dataType)")
    }
    return (element, sizes)
  }

  /// A tensor whose values are in the model file.
  private func stored(
    _ tensor: MILTensor, _ type: (element: MILElement?, sizes: [Int])
  ) throws -> MILOperand {
    if case .strings(let strings) = tensor.kind { return .texts(strings.values) }
    guard let element = type.element else { throw NodeFailure.invalid("numbers for texts") }
    let count = type.sizes.reduce(1, *)
    func check(_ received: Int) throws {
      guard received == count else {
        throw NodeFailure.invalid("\(received) values of sizes \(type.sizes)")
      }
    }
    func integers(_ values: [Int64]) throws -> MILOperand {
      try check(values.count)
      var own = ElementType.int32
      if case .plain(let type) = element { own = type }
      guard own.isInteger else { throw NodeFailure.invalid("integers for \(own.rawValue)") }
      return .value(.host(HostTensor(integers: values, sizes: type.sizes, type: own)))
    }
    func numbers(_ values: [Float]) throws -> MILOperand {
      try check(values.count)
      guard case .plain(let own) = element, !own.isInteger else {
        throw NodeFailure.invalid("numbers for integers")
      }
      return .value(.host(HostTensor(floats: values, sizes: type.sizes)))
    }
    switch tensor.kind {
    case .floats(let list): return try numbers(list.values)
    case .doubles(let list): return try numbers(list.values.map { Float($0) })
    case .ints(let list): return try integers(list.values.map { Int64($0) })
    case .longs(let list): return try integers(list.values)
    case .bools(let list): return try integers(list.values.map { $0 ? 1 : 0 })
    case .bytes(let list):
      guard list.values.count == element.byteCount(count) else {
        throw NodeFailure.invalid("\(list.values.count) bytes of sizes \(type.sizes)")
      }
      return Self.operand(element, type.sizes, CoreMLBytes(data: list.values))
    case nil where count == 0:
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
    _ place: MILBlobPlace, _ type: (element: MILElement?, sizes: [Int])
  ) throws -> MILOperand {
    guard let element = type.element else { throw NodeFailure.unsupported("texts in a file") }
    let file = try folder.file(try name(of: place.fileName))
    let header = try file.bytes(at: 0, count: Self.alignment)
    let version = Self.number(header, at: 4, as: UInt32.self)
    guard version == 2 else {
      throw NodeFailure.unsupported("a weight file of version \(version)")
    }
    guard let start = Int(exactly: place.offset), start.isMultiple(of: Self.alignment), start > 0
    else { throw NodeFailure.invalid("weights at \(place.offset), which is no multiple of 64") }
    let entry = try file.bytes(at: start, count: Self.alignment)
    guard Self.number(entry, at: 0, as: UInt32.self) == Self.sentinel else {
      throw NodeFailure.invalid("no entry of the weight file at \(start)")
    }
    let code = Self.number(entry, at: 4, as: UInt32.self)
    guard let stored = MILElement(storage: code) else {
      throw NodeFailure.unsupported("stored element type \(code)")
    }
    // Truth values are stored as bytes.
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
      throw NodeFailure.invalid("weights at \(offset), which is no multiple of 64")
    }
    let bytes = try FileRange(file, offset: offset, byteCount: needed)
    return Self.operand(element, type.sizes, bytes)
  }

  /// The file in the folder that the model names: `@model_path/weights/weight.bin`.
  private func name(of name: String) throws -> Substring {
    let prefix = "@model_path/"
    let rest = name.dropFirst(prefix.count)
    guard name.hasPrefix(prefix), CoreMLPackage.isInside(rest) else {
      throw NodeFailure.invalid("weights in \"\(name)\", which is outside of the model's folder")
    }
    return rest
  }

  /// A number of an entry of 64 bytes.
  private static func number<Number: FixedWidthInteger>(
    _ bytes: [UInt8], at offset: Int, as: Number.Type
  ) -> Number {
    (0..<MemoryLayout<Number>.size).reduce(0) { $0 | Number(bytes[offset + $1]) << ($1 * 8) }
  }
}
