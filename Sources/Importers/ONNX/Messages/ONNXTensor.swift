import Forge

/// A stored tensor, a `TensorProto`, whose values are read when they are needed.
struct ONNXTensor: Sendable {
  private(set) var name = ""
  /// The number of the element type; see ``ElementType/init(onnx:)``.
  private(set) var type: Int32 = 0
  /// The sizes, outermost first.
  private(set) var sizes: [Int64] = []
  /// The elements of a tensor of texts.
  private(set) var strings: [String] = []
  private var floats = ONNXNumbers(.bits32)
  private var doubles = ONNXNumbers(.bits64)
  private var int32s = ONNXNumbers(.varint)
  private var int64s = ONNXNumbers(.varint)
  private var raw: (bytes: any StoredBytes, byteCount: Int)?
  private var external = External()
  private var isExternal = false
  /// Where files are that the model names.
  private let files: ModelFiles

  /// A mistake in a stored tensor.
  struct Failure: Error {
    let text: String
    var isUnsupported = false
  }

  /// The place of values in another file.
  private struct External {
    var location, offset, length: String?
  }

  /// Reads a tensor.
  ///
  /// - Throws: ``ImportError``: `malformed`, `tooLarge` or `unreadable`.
  init(_ message: WireMessage) throws(ImportError) {
    files = message.file.files
    try message.file.take(bytes: MemoryLayout<ONNXTensor>.stride)
    try message.forEachField { field throws(ImportError) in
      switch field.number {
      case 1: try field.append(to: &sizes)
      case 2: type = try field.int32()
      case 4: try floats.append(field)
      case 5: try int32s.append(field)
      case 6: strings.append(try field.text())
      case 7: try int64s.append(field)
      case 8: name = try field.name()
      case 9: raw = (try field.stored(), try field.range().count)
      case 10: try doubles.append(field)
      case 13:
        let entry = try ONNXProperty(try field.message())
        switch entry.key {
        case "location": external.location = entry.value
        case "offset": external.offset = entry.value
        case "length": external.length = entry.value
        default: break
        }
      case 14: isExternal = try field.int32() == 1
      default: break
      }
    }
  }

  /// The tensor; large values stay in the file until they are needed.
  ///
  /// - Throws: ``Failure``, ``ImportError``, and what reading the file throws.
  func host() throws -> HostTensor {
    guard let type = ElementType(onnx: type) else {
      throw Failure(text: "element type \(ONNXTypeName.name(self.type))", isUnsupported: true)
    }
    let sizes = sizes.map { Int($0) }
    guard let count = Shape.product(of: sizes) else {
      throw Failure(text: "the sizes \(sizes) of a stored tensor are out of range")
    }
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: type.byteCount)
    guard !overflow else {
      throw Failure(text: "the sizes \(sizes) of a stored tensor are out of range")
    }
    func stored(_ bytes: any StoredBytes) -> HostTensor {
      HostTensor(type: type, sizes: sizes, storage: .stored(bytes))
    }
    if isExternal { return stored(try externalBytes(byteCount)) }
    if let raw, raw.byteCount > 0 {
      guard raw.byteCount == byteCount else {
        throw Failure(
          text: "a stored tensor has \(raw.byteCount) bytes where \(byteCount) are needed")
      }
      return stored(raw.bytes)
    }
    switch type {
    case .float32:
      if let (bytes, stated) = floats.bytes, stated == byteCount { return stored(bytes) }
      let values = try floats.values(count).map {
        Float(bitPattern: UInt32(truncatingIfNeeded: $0))
      }
      return HostTensor(type: type, sizes: sizes, storage: .floats(values))
    case .float64:
      if let (bytes, stated) = doubles.bytes, stated == byteCount { return stored(bytes) }
      let values = try doubles.values(count).map { Float(Double(bitPattern: $0)) }
      return HostTensor(type: type, sizes: sizes, storage: .floats(values))
    case .float16, .bfloat16:
      let values = try int32s.values(count).map { number -> Float in
        let bits = UInt16(truncatingIfNeeded: number)
        return type == .float16 ? Float(halfPrecision: bits) : Float(bfloat16: bits)
      }
      return HostTensor(type: type, sizes: sizes, storage: .floats(values))
    case .int64:
      let values = try int64s.values(count).map { Int64(bitPattern: $0) }
      return HostTensor(integers: values, sizes: sizes, type: type)
    case .int8, .uint8, .int32, .bool:
      let values = try int32s.values(count).map {
        Int64(Int32(truncatingIfNeeded: $0)).wrapped(to: type)
      }
      return HostTensor(integers: values, sizes: sizes, type: type)
    }
  }

  /// The bytes of a tensor in another file.
  private func externalBytes(_ byteCount: Int) throws -> any StoredBytes {
    guard let location = external.location else {
      throw Failure(text: "external data without a location")
    }
    let parts = location.split(separator: "/", omittingEmptySubsequences: false)
    guard !location.hasPrefix("/"), !location.contains("\0"), !parts.contains("..") else {
      throw Failure(text: "the external data \"\(location)\" is outside the model's folder")
    }
    let offset = external.offset.map { Int($0) } ?? 0
    let length = external.length.map { Int($0) } ?? byteCount
    guard let offset, offset >= 0, let length, length == byteCount else {
      throw Failure(text: "the external data \"\(location)\" does not hold \(byteCount) bytes")
    }
    return try files.bytes(of: location, offset: offset, byteCount: byteCount)
  }
}
