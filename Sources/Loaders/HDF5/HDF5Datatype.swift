import ForgeShapes

/// The type of the values of a dataset or an attribute.
struct HDF5Datatype: Hashable, Sendable {
  enum Form: Hashable, Sendable {
    /// Numbers of a supported type.
    case numbers(ElementType)
    /// Strings of a fixed number of bytes.
    case text
    /// Strings of variable length, in the global heap.
    case variableText
    /// Opaque bytes; Keras stores bfloat16 this way, marked by an attribute.
    case opaque
    /// Other types, with a name for messages.
    case other(String)
  }

  var form: Form
  let byteCount: Int

  /// The type of the numbers; `nil` for other values.
  var elementType: ElementType? {
    if case .numbers(let type) = form { type } else { nil }
  }

  /// The name of the type, for messages and listings: `f32`, `big-endian f32`, `text`.
  var text: String {
    switch form {
    case .numbers(let type): type.rawValue
    case .text: "text"
    case .variableText: "variable-length string"
    case .opaque: "opaque, \(LoadError.bytes(byteCount))"
    case .other(let name): name
    }
  }

  init(_ cursor: inout ByteCursor) throws(LoadError) {
    let start = cursor.offset
    let classAndVersion = try cursor.byte()
    let bits = try cursor.integer(3)
    byteCount = try cursor.integer(4)
    guard byteCount > 0 else { throw .damaged("a type of 0 bytes", at: start) }
    guard (1...4).contains(classAndVersion >> 4) else {
      throw .unsupportedHDF5("version \(classAndVersion >> 4) of a type")
    }
    switch classAndVersion & 0xf {
    case 0: form = try Self.whole(&cursor, bits: bits, byteCount: byteCount)
    case 1: form = try Self.floating(&cursor, bits: bits, byteCount: byteCount)
    case 2: form = .other("time")
    case 3: form = .text
    case 4: form = .other("bit field")
    case 5: form = .opaque
    case 6: form = .other("compound")
    case 7: form = .other("reference")
    case 8: form = .other("enumeration")
    case 9: form = bits & 0xf == 1 ? .variableText : .other("variable-length sequence")
    case 10: form = .other("array")
    default: throw .damaged("a type of the unknown class \(classAndVersion & 0xf)", at: start)
    }
  }

  private static func whole(
    _ cursor: inout ByteCursor, bits: Int, byteCount: Int
  ) throws(LoadError) -> Form {
    let offset = try cursor.integer(2)
    let precision = try cursor.integer(2)
    let isSigned = bits & 0x8 != 0
    let name = "\(isSigned ? "i" : "u")\(byteCount * 8)"
    guard offset == 0, precision == byteCount * 8 else { return .other("padded \(name)") }
    guard bits & 0x1 == 0 || byteCount == 1 else { return .other("big-endian \(name)") }
    return ElementType(rawValue: name).map(Form.numbers) ?? .other(name)
  }

  private static func floating(
    _ cursor: inout ByteCursor, bits: Int, byteCount: Int
  ) throws(LoadError) -> Form {
    let offset = try cursor.integer(2)
    let precision = try cursor.integer(2)
    let exponent = (at: try cursor.byte(), size: try cursor.byte())
    let mantissa = (at: try cursor.byte(), size: try cursor.byte())
    let bias = try cursor.integer(4)
    let types: [(type: ElementType, exponent: Int)] = [
      (.float16, 5), (.bfloat16, 8), (.float32, 8), (.float64, 11),
    ]
    let found = types.first { $0.type.byteCount == byteCount && $0.exponent == exponent.size }
    let width = byteCount * 8
    guard let found, offset == 0, precision == width, mantissa.at == 0,
      mantissa.size == width - 1 - exponent.size, exponent.at == mantissa.size,
      bits >> 8 & 0xff == width - 1, bits >> 4 & 0x3 == 2, bias == 1 << (exponent.size - 1) - 1
    else { return .other("floating point of another form, \(LoadError.bytes(byteCount))") }
    switch bits & 0x41 {
    case 0: return .numbers(found.type)
    case 1: return .other("big-endian \(found.type.rawValue)")
    default: return .other("mixed-endian \(found.type.rawValue)")
    }
  }
}

/// The sizes of a dataset or an attribute.
struct HDF5Dataspace: Sendable {
  /// The maximum size of a dataset in bytes.
  private static let maximumByteCount = 1 << 40

  /// The sizes, outermost first: none for a single value.
  private(set) var sizes: [Int] = []
  /// The maximum sizes of the dataset; `nil` for an unlimited axis.
  private(set) var maximum: [Int?] = []

  init(_ cursor: inout ByteCursor, _ head: HDF5Superblock) throws(LoadError) {
    let start = cursor.offset
    let version = try cursor.byte()
    let rank = try cursor.byte()
    let flags = try cursor.byte()
    switch version {
    case 1: try cursor.skip(5)
    case 2:
      // An empty dataset.
      if try cursor.byte() == 2 {
        sizes = [0]
        maximum = [0]
        return
      }
    default: throw .unsupportedHDF5("version \(version) of a shape")
    }
    guard rank <= 32 else { throw .damaged("a shape of \(rank) axes", at: start) }
    for _ in 0..<rank { sizes.append(try cursor.length(head)) }
    maximum = sizes
    if flags & 1 != 0 {
      for axis in 0..<rank {
        maximum[axis] = try cursor.address(head.lengthSize)
        guard maximum[axis].map({ $0 >= sizes[axis] }) ?? true else {
          throw .damaged("a shape larger than it may be", at: start)
        }
      }
    }
  }

  /// The size of all elements in bytes; throws if it exceeds the maximum.
  static func byteCount(_ sizes: [Int], of elementByteCount: Int) throws(LoadError) -> Int {
    let product = sizes.reduce(elementByteCount) { $0.multipliedSaturated(by: max($1, 1)) }
    guard product <= maximumByteCount else {
      throw .refusedHDF5("a dataset of more than 2⁴⁰ bytes, \(LoadError.sizeText(sizes))")
    }
    return sizes.contains(0) ? 0 : product
  }
}
