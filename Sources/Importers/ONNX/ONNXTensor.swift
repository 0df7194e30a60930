import Forge
import ForgeMessages
import Foundation

/// Reads tensors that are stored in an ONNX file or beside it.
struct ONNXTensorReader {
  /// The model file.
  let path: String

  /// A mistake in a stored tensor.
  struct Failure: Error {
    let text: String
    var isUnsupported = false
  }

  /// The tensor of a stored one; large values stay as bytes until they are needed.
  ///
  /// - Parameters:
  ///   - stored: the tensor.
  ///   - place: where its bytes are in the model file, if they are not in `stored`.
  /// - Returns: the tensor.
  /// - Throws: ``Failure``.
  func tensor(_ stored: OnnxTensor, place: Range<Int>? = nil) throws -> HostTensor {
    guard let type = ElementType(onnx: stored.dataType) else {
      throw Failure(
        text: "element type \(ONNXTypeName.name(stored.dataType))", isUnsupported: true)
    }
    let sizes = stored.dims.map { Int($0) }
    guard let count = Shape.product(of: sizes) else {
      throw Failure(text: "the sizes \(sizes) of a stored tensor are out of range")
    }
    func check(_ received: Int, _ unit: String, needs: Int) throws {
      guard received == needs else {
        throw Failure(text: "a stored tensor has \(received) \(unit) where \(needs) are needed")
      }
    }
    let byteCount = count * type.byteCount
    if stored.dataLocation == 1 {
      return HostTensor(
        type: type, sizes: sizes, storage: .stored(try external(stored, byteCount: byteCount)))
    }
    if let place {
      try check(place.count, "bytes", needs: byteCount)
      return HostTensor(
        type: type, sizes: sizes,
        storage: .stored(
          try FileRange(path: path, offset: place.lowerBound, byteCount: place.count)))
    }
    if !stored.rawData.isEmpty {
      try check(stored.rawData.count, "bytes", needs: byteCount)
      return HostTensor(type: type, sizes: sizes, storage: .stored(DataBytes(stored.rawData)))
    }
    switch type {
    case .float32:
      try check(stored.floatData.count, "values", needs: count)
      return HostTensor(type: type, sizes: sizes, storage: .floats(stored.floatData))
    case .float64:
      try check(stored.doubleData.count, "values", needs: count)
      let values = stored.doubleData.map { Float($0) }
      return HostTensor(type: type, sizes: sizes, storage: .floats(values))
    case .float16, .bfloat16:
      try check(stored.int32Data.count, "values", needs: count)
      let values = stored.int32Data.map { (number: Int32) -> Float in
        let bits = UInt16(truncatingIfNeeded: number)
        return type == .float16 ? Float(halfPrecision: bits) : Float(bfloat16: bits)
      }
      return HostTensor(type: type, sizes: sizes, storage: .floats(values))
    case .int64:
      try check(stored.int64Data.count, "values", needs: count)
      return HostTensor(integers: stored.int64Data, sizes: sizes, type: type)
    case .int8, .uint8, .int32, .bool:
      try check(stored.int32Data.count, "values", needs: count)
      let values = stored.int32Data.map { Int64($0).wrapped(to: type) }
      return HostTensor(integers: values, sizes: sizes, type: type)
    }
  }

  /// The bytes of a tensor in a file beside the model.
  private func external(_ stored: OnnxTensor, byteCount: Int) throws -> any StoredBytes {
    var entries: [String: String] = [:]
    for entry in stored.externalData { entries[entry.key] = entry.value }
    guard let location = entries["location"] else {
      throw Failure(text: "external data without a location")
    }
    let parts = location.split(separator: "/", omittingEmptySubsequences: false)
    guard !location.hasPrefix("/"), !location.contains("\0"), !parts.contains("..") else {
      throw Failure(text: "the external data \"\(location)\" is outside the model's folder")
    }
    let offset = entries["offset"].map { Int($0) } ?? 0
    let length = entries["length"].map { Int($0) } ?? byteCount
    guard let offset, offset >= 0, let length, length == byteCount else {
      throw Failure(text: "the external data \"\(location)\" does not hold \(byteCount) bytes")
    }
    return try FileRange(
      try ModelFolder(of: path).file(location), offset: offset, byteCount: byteCount)
  }
}

/// Bytes of a decoded file.
struct DataBytes: StoredBytes {
  private let data: Data

  init(_ data: Data) { self.data = data }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    try data.withUnsafeBytes(body)
  }
}
