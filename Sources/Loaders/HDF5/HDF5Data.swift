import ForgeShapes

/// The values of one dataset, read when they are used.
struct HDF5Data: ParameterData {
  let count: Int
  let elementType: ElementType
  let layout: ParameterLayout
  let sizes: [Int]?
  var origin: String { "\(file.path): \(entry)" }
  private let file: HDF5File
  private let entry: String
  private let dataset: HDF5Dataset

  init(
    _ file: HDF5File, entry: String, _ dataset: HDF5Dataset, layout: ParameterLayout
  ) throws(HDF5Fault) {
    guard case .numbers(let type) = dataset.datatype.form else {
      throw .elementType(dataset.datatype.text)
    }
    switch dataset.storage {
    case .plain(nil, byteCount: 1...):
      throw .unsupported("a dataset whose values were never written")
    case .other(let fault):
      guard file.isTrusted, HDF5Library.canRead(fault) else { throw fault }
    case .plain, .chunked: break
    }
    self.file = file
    self.entry = entry
    self.dataset = dataset
    self.layout = layout
    count = dataset.count
    elementType = type
    sizes = dataset.sizes
  }

  /// Gives the values to `body`: mapped where they lie in one piece, else put together.
  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let bytes = file.contents.head.bytes
    do {
      switch dataset.storage {
      case .plain(let address, let byteCount):
        guard let address, byteCount > 0 else {
          try body(UnsafeRawBufferPointer(start: nil, count: 0))
          return
        }
        let start = bytes.base + address
        try bytes.mapping.withUnsafeBytes(in: start..<(start + byteCount)) { values in
          try Self.aligned(values, to: elementType.byteCount, origin: origin, body)
        }
      case .chunked(let chunks):
        try bytes.mapping.verify()
        let memory = try chunks.read()
        try body(UnsafeRawBufferPointer(memory.bytes))
      case .other:
        let memory = try RawMemory(byteCount: dataset.byteCount, for: origin)
        try HDF5Library.read(
          file.path, entry: entry, sizes: dataset.sizes, elementType: elementType,
          into: memory.bytes)
        try body(UnsafeRawBufferPointer(memory.bytes))
      }
    } catch let fault as HDF5Fault {
      throw fault.error(path: file.path, entry: entry)
    }
  }

  /// Gives `values` to `body` as they are, or a copy where their place in the file is uneven.
  private static func aligned(
    _ values: UnsafeRawBufferPointer, to alignment: Int, origin: String,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard UInt(bitPattern: values.baseAddress) % UInt(alignment) != 0 else {
      return try body(values)
    }
    let copy = try RawMemory(byteCount: values.count, for: origin)
    copy.bytes.copyMemory(from: values)
    try body(UnsafeRawBufferPointer(copy.bytes))
  }
}
