import ForgeShapes

/// The header of a safetensors file: a length, and JSON that says where each tensor is.
struct SafeTensorsHeader {
  /// Bytes of the JSON, the bound of the format's own reader.
  private static let maximumByteCount = 100_000_000
  /// An object of tensors, each an object, with arrays.
  private static let maximumDepth = 4
  /// Axes of one tensor.
  private static let maximumRank = 64

  private(set) var tensors: [SafeTensors.Tensor] = []
  private(set) var metadata: [String: String] = [:]
  private let path: String

  /// The bytes of one element of each type of the format; Forge reads those of an `ElementType`.
  private static let types: [String: (byteCount: Int, type: ElementType?)] = [
    "F64": (8, .float64), "F32": (4, .float32), "F16": (2, .float16), "BF16": (2, .bfloat16),
    "I64": (8, .int64), "I32": (4, .int32), "I8": (1, .int8), "U8": (1, .uint8),
    "BOOL": (1, .bool), "I16": (2, nil), "U16": (2, nil), "U32": (4, nil), "U64": (8, nil),
    "F8_E4M3": (1, nil), "F8_E5M2": (1, nil), "F8_E8M0": (1, nil), "C64": (8, nil),
  ]

  /// Whether bytes begin as such a file does: a length that may be one, and a bracket.
  static func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > 8, bytes[8] == UInt8(ascii: "{") else { return false }
    return bytes.loadUnaligned(as: UInt64.self).littleEndian <= UInt64(maximumByteCount)
  }

  /// Reads and checks the header of a file.
  init(_ mapping: FileMapping) throws(LoadError) {
    path = mapping.path
    try mapping.verify()
    guard mapping.count >= 8 else {
      throw .notThisFormat(path, entry: nil, "a safetensors file", size: mapping.count)
    }
    var cursor = ByteCursor(mapping.bytes, path: path)
    let length = try cursor.unsigned(8, "the header")
    guard length <= Self.maximumByteCount else {
      throw .headerTooLong(path, length, of: Self.maximumByteCount)
    }
    guard length <= cursor.left else {
      throw .headerCutOff(path, needs: Int(length), received: cursor.left)
    }
    let text = try cursor.raw(Int(length), "the header")
    guard text.first == UInt8(ascii: "{") else {
      throw .notThisFormat(path, entry: nil, "a safetensors file", size: mapping.count)
    }
    let json = try JSONReader.value(
      ByteCursor(text, path: path), maximumDepth: Self.maximumDepth)
    try read(json.object ?? JSONObject(), start: cursor.offset)
    try checkPlaces(from: cursor.offset, to: mapping.count)
  }

  private mutating func read(_ json: JSONObject, start: Int) throws(LoadError) {
    for name in json.names {
      guard let members = json[name]?.object else {
        throw .damaged(path, entry: name, "the header does not describe it")
      }
      if name == "__metadata__" {
        for key in members.names { metadata[key] = members[key]?.text }
      } else {
        tensors.append(try tensor(name, members, start: start))
      }
    }
    tensors.sort {
      ($0.byteRange.lowerBound, $0.byteRange.upperBound, $0.name)
        < ($1.byteRange.lowerBound, $1.byteRange.upperBound, $1.name)
    }
  }

  private func tensor(
    _ name: String, _ members: JSONObject, start: Int
  ) throws(LoadError) -> SafeTensors.Tensor {
    guard let typeName = members["dtype"]?.text,
      let sizes = members["shape"]?.array?.map(\.integer),
      let offsets = members["data_offsets"]?.array?.map(\.integer), offsets.count == 2,
      let first = offsets[0], let last = offsets[1]
    else { throw .damaged(path, entry: name, "the header does not describe it") }
    let known = sizes.compactMap(\.self)
    guard known.count == sizes.count, sizes.count <= Self.maximumRank,
      let count = Shape.product(of: known)
    else { throw .damaged(path, entry: name, "its shape is none a file can hold") }
    let (lower, overflows) = start.addingReportingOverflow(first)
    let (upper, overflowsToo) = start.addingReportingOverflow(last)
    guard first >= 0, last >= first, !overflows, !overflowsToo else {
      throw .damaged(path, entry: name, "its place is bytes \(first) to \(last)")
    }
    let type = Self.types[typeName]
    if let type, upper - lower != count * type.byteCount {
      throw .wrongTensorBytes(
        path, entry: name, received: upper - lower, known, typeName,
        needs: count * type.byteCount)
    }
    return SafeTensors.Tensor(
      name: name, sizes: known, elementType: type?.type,
      typeName: type?.type?.rawValue ?? typeName, byteRange: lower..<upper)
  }

  /// Throws unless the tensors fill the file, one after the other.
  private func checkPlaces(from start: Int, to end: Int) throws(LoadError) {
    var place = start
    for tensor in tensors {
      let lower = tensor.byteRange.lowerBound
      guard tensor.byteRange.upperBound <= end else {
        throw .tensorCutOff(path, tensor, start: start, bytes: end - start)
      }
      guard lower >= place else {
        throw .damaged(path, entry: tensor.name, "its bytes are another tensor's, too", at: lower)
      }
      guard lower == place else {
        throw .damaged(
          path, entry: tensor.name, "\(LoadError.bytes(lower - place)) before it are no tensor's",
          at: place)
      }
      place = tensor.byteRange.upperBound
    }
    guard place == end else {
      throw .damaged(
        path, entry: nil, "\(LoadError.bytes(end - place)) after the last tensor", at: place)
    }
  }
}
