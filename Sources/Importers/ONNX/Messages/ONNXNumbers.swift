import Forge

/// The elements of a repeated field of numbers, which are decoded when they are needed.
///
/// Elements in one piece stay as the bytes of the file. Those of several fields, as writers of old
/// made them, are bits in memory.
struct ONNXNumbers: Sendable {
  /// How an element is stored.
  enum Width: Sendable {
    case varint, bits32, bits64
  }

  private enum Content: Sendable {
    case none
    case packed(any StoredBytes, byteCount: Int)
    case listed([UInt64])
  }

  private let width: Width
  private var content = Content.none

  init(_ width: Width) { self.width = width }

  /// The elements as the bytes of the file, if they are there in one piece; `nil` otherwise.
  var bytes: (any StoredBytes, byteCount: Int)? {
    if case .packed(let bytes, let byteCount) = content { (bytes, byteCount) } else { nil }
  }

  /// Appends the elements of a field.
  mutating func append(_ field: WireField) throws(ImportError) {
    if case .none = content, case .bytes(let range) = field.content {
      content = .packed(try field.file.stored(range), byteCount: range.count)
      return
    }
    var list: [UInt64]
    switch content {
    case .none: list = []
    case .listed(let values): list = values
    case .packed(let bytes, let byteCount):
      try field.file.take(bytes: byteCount.multipliedSaturated(by: MemoryLayout<UInt64>.size))
      do { list = try decoded(bytes) } catch { throw field.file.malformed }
    }
    // The memory is not shared while the list grows.
    content = .none
    if case .bytes(let range) = field.content {
      try field.file.take(bytes: range.count.multipliedSaturated(by: MemoryLayout<UInt64>.size))
      let bytes = try field.file.stored(range)
      do { list += try decoded(bytes) } catch { throw field.file.malformed }
    } else {
      try field.file.take(bytes: MemoryLayout<UInt64>.size)
      list.append(try number(field))
    }
    content = .listed(list)
  }

  /// The bits of all elements.
  ///
  /// - Parameter count: the number of elements that are needed.
  /// - Returns: the elements, small ones in the last bits.
  /// - Throws: ``ONNXTensor/Failure`` for a different number of them; ``ImportError``; what reading
  ///   the file throws.
  func values(_ count: Int) throws -> [UInt64] {
    let values: [UInt64]
    switch content {
    case .none: values = []
    case .listed(let list): values = list
    case .packed(let bytes, let byteCount):
      try ImportBudget.take(byteCount, width: MemoryLayout<UInt64>.size)
      values = try decoded(bytes)
    }
    guard values.count == count else {
      throw ONNXTensor.Failure(
        text: "a stored tensor has \(values.count) values where \(count) are needed")
    }
    return values
  }

  /// The bits of a field with one element.
  private func number(_ field: WireField) throws(ImportError) -> UInt64 {
    switch width {
    case .varint: UInt64(bitPattern: try field.int64())
    case .bits32: UInt64(try field.float().bitPattern)
    case .bits64: try field.double().bitPattern
    }
  }

  private func decoded(_ bytes: any StoredBytes) throws -> [UInt64] {
    let damaged = ONNXTensor.Failure(text: "the values of a stored tensor are damaged")
    return try bytes.withBytes { raw in
      switch width {
      case .bits32, .bits64:
        let size = width == .bits32 ? 4 : 8
        guard raw.count.isMultiple(of: size) else { throw damaged }
        return stride(from: 0, to: raw.count, by: size).map { offset in
          width == .bits32
            ? UInt64(
              UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            : UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
      case .varint:
        var values: [UInt64] = []
        // Each number ends with a byte below 128.
        values.reserveCapacity(raw.reduce(0) { $1 < 0x80 ? $0 + 1 : $0 })
        var (value, shift): (UInt64, UInt64) = (0, 0)
        for byte in raw {
          guard shift < 64 else { throw damaged }
          value |= UInt64(byte & 0x7f) << shift
          shift += 7
          guard byte < 0x80 else { continue }
          values.append(value)
          (value, shift) = (0, 0)
        }
        guard shift == 0 else { throw damaged }
        return values
      }
    }
  }
}
