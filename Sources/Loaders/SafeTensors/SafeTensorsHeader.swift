import ForgeShapes

/// The header of a safetensors file: a length, and JSON with the type, shape and offsets of each
/// tensor.
struct SafeTensorsHeader {
  /// The maximum length of the JSON in bytes, as in the reference implementation.
  static let maximumByteCount = 100_000_000
  /// The size of the length field in bytes.
  private static let lengthBytes = 8
  /// The maximum nesting depth; valid headers need three levels.
  private static let maximumDepth = 4
  /// The maximum length of a type name, which messages show.
  private static let maximumTypeBytes = 64
  /// The maximum number of axes of a tensor.
  private static let maximumRank = 64

  private(set) var tensors: [SafeTensors.Tensor] = []
  /// The metadata, in the order of the file.
  private(set) var texts: [(name: EntryName, text: String)] = []

  /// The element size and type of each type of the format; `nil` if Forge does not read it.
  private static let types: [String: (byteCount: Int, type: ElementType?)] = [
    "F64": (8, .float64), "F32": (4, .float32), "F16": (2, .float16), "BF16": (2, .bfloat16),
    "I64": (8, .int64), "I32": (4, .int32), "I8": (1, .int8), "U8": (1, .uint8),
    "BOOL": (1, .bool), "I16": (2, nil), "U16": (2, nil), "U32": (4, nil), "U64": (8, nil),
    "F8_E4M3": (1, nil), "F8_E5M2": (1, nil), "F8_E8M0": (1, nil), "C64": (8, nil),
  ]

  /// Whether bytes begin with a valid length and a brace.
  static func begins(_ bytes: [UInt8]) -> Bool {
    var cursor = ByteCursor(bytes[...], "the header")
    guard let length = try? cursor.unsigned(lengthBytes) else { return false }
    return length <= maximumByteCount && cursor.peek == UInt8(ascii: "{")
  }

  /// Reads and checks the header of a file, with errors without a file.
  init(_ file: InputFile, _ budget: LoadBudget) throws(LoadError) {
    let notThisFormat = LoadError.notThisFormat("a safetensors file", size: file.count)
    guard file.count >= Self.lengthBytes else { throw notThisFormat }
    var head = ByteCursor(try file.prefix(Self.lengthBytes)[...], "the header")
    let length = try head.unsigned(Self.lengthBytes)
    let left = file.count - Self.lengthBytes
    guard length <= Self.maximumByteCount else {
      throw .headerTooLong(length, of: Self.maximumByteCount)
    }
    guard length <= left else { throw .headerCutOff(needs: Int(length), received: left) }
    let end = Self.lengthBytes + Int(length)
    try budget.take(bytes: Int(length))
    let text = ByteCursor(try file.array(Self.lengthBytes..<end)[...], "a JSON string")
    guard text.peek == UInt8(ascii: "{") else { throw notThisFormat }
    let json = try JSONReader.value(text, maximumDepth: Self.maximumDepth, budget)
    try read(json.object ?? JSONObject(), start: end, budget)
    try checkPlaces(from: end, to: file.count)
  }

  private mutating func read(
    _ json: JSONObject, start: Int, _ budget: LoadBudget
  ) throws(LoadError) {
    for (name, value) in json.members {
      try budget.take(entries: 1)
      guard let members = value.object else {
        throw .damaged("the header does not describe it", entry: name.text)
      }
      if name == "__metadata__" {
        try budget.take(entries: members.members.count)
        texts = members.members.compactMap { name, value in value.text.map { (name, $0) } }
      } else {
        tensors.append(try tensor(name, members, start: start))
      }
    }
    tensors.sort {
      ($0.byteRange.lowerBound, $0.byteRange.upperBound, $0.key)
        < ($1.byteRange.lowerBound, $1.byteRange.upperBound, $1.key)
    }
  }

  private func tensor(
    _ key: EntryName, _ members: JSONObject, start: Int
  ) throws(LoadError) -> SafeTensors.Tensor {
    var name: String { key.text }
    guard let typeName = members["dtype"]?.text, typeName.utf8.count <= Self.maximumTypeBytes,
      let sizes = members["shape"]?.array?.map(\.integer),
      let offsets = members["data_offsets"]?.array?.map(\.integer), offsets.count == 2,
      let first = offsets[0], let last = offsets[1]
    else { throw .damaged("the header does not describe it", entry: name) }
    let known = sizes.compactMap(\.self)
    guard known.count == sizes.count, sizes.count <= Self.maximumRank,
      let count = Shape.product(of: known)
    else { throw .damaged("no file can hold its shape", entry: name) }
    let (lower, overflows) = start.addingReportingOverflow(first)
    let (upper, overflowsToo) = start.addingReportingOverflow(last)
    guard first >= 0, last >= first, !overflows, !overflowsToo else {
      throw .damaged("its place is bytes \(first) to \(last)", entry: name)
    }
    let type = Self.types[typeName]
    if let type, upper - lower != count * type.byteCount {
      throw .wrongBytes(
        .damaged, received: upper - lower, needs: count * type.byteCount, known, typeName,
        entry: name)
    }
    return SafeTensors.Tensor(
      sizes: known, elementType: type?.type, typeName: type?.type?.rawValue ?? typeName,
      byteRange: lower..<upper, key: key)
  }

  /// Throws unless the tensors fill the file without gaps or overlaps.
  private func checkPlaces(from start: Int, to end: Int) throws(LoadError) {
    var covered = start
    for tensor in tensors {
      let lower = tensor.byteRange.lowerBound
      guard tensor.byteRange.upperBound <= end else {
        throw .tensorCutOff(tensor.name, tensor.byteRange, start: start, bytes: end - start)
      }
      guard lower >= covered else {
        throw .damaged("its bytes are another tensor's, too", entry: tensor.name, at: lower)
      }
      guard lower == covered else {
        throw .damaged(
          "\(LoadError.bytes(lower - covered)) before it belong to no tensor", entry: tensor.name,
          at: covered)
      }
      covered = tensor.byteRange.upperBound
    }
    guard covered == end else {
      throw .damaged("\(LoadError.bytes(end - covered)) after the last tensor", at: covered)
    }
  }
}
