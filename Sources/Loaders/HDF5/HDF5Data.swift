import ForgeShapes

/// The values of one dataset, read when they are used.
struct HDF5Data: ParameterData {
  let count: Int
  let elementType: ElementType
  let layout: ParameterLayout
  let sizes: [Int]?
  private let contents: HDF5Contents
  private let entry: String
  private let dataset: HDF5Dataset

  var origin: String { "\(contents.input.path): \(entry)" }

  init(
    _ contents: HDF5Contents, entry: String, _ dataset: HDF5Dataset, layout: ParameterLayout
  ) throws(HDF5Fault) {
    guard case .numbers(let type) = dataset.datatype.form else {
      throw .elementType(dataset.datatype.text)
    }
    switch dataset.storage {
    case .other(let fault): throw fault
    case .unwritten:
      if case .none = dataset.fill, dataset.byteCount > 0 {
        throw .unsupported("a dataset whose values were never written")
      }
    case .chunked(let chunks):
      guard Zlib.isPresent || !chunks.filters.deflates else {
        throw .outside(
          .needsTrait(contents.input.path, "Zip", "compressed values of HDF5 files"))
      }
    case .plain: break
    }
    self.contents = contents
    self.entry = entry
    self.dataset = dataset
    self.layout = layout
    count = dataset.count
    elementType = type
    sizes = dataset.sizes
  }

  /// The memory of the values, and of chunks while they are put together.
  ///
  /// Values that lie in memory one after the other are used where they are.
  var temporaryByteCount: Int {
    switch dataset.storage {
    case .plain(let address):
      let isAligned = (contents.head.base + address).isMultiple(of: elementType.byteCount)
      return isAligned
        ? contents.input.temporaryByteCount(for: dataset.byteCount) : dataset.byteCount
    case .chunked(let chunks):
      // A chunk is stored in no more bytes than it has, but for its checksum.
      return dataset.byteCount
        + HDF5ChunkDecoder.byteCount(
          chunk: chunks.byteCount, largestStored: chunks.byteCount, filters: chunks.filters)
    case .unwritten, .other: return dataset.byteCount
    }
  }

  /// Reads the values and gives them to `body`.
  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    if dataset.byteCount > 0, case .plain(let address) = dataset.storage {
      let start = contents.head.base + address
      return try contents.input.withUnsafeBytes(in: start..<start + dataset.byteCount) { bytes in
        let place = UInt(bitPattern: bytes.baseAddress)
        guard !place.isMultiple(of: UInt(elementType.byteCount)) else { return try body(bytes) }
        let memory = try RawMemory(byteCount: bytes.count, for: origin)
        memory.bytes.copyMemory(from: bytes)
        try body(UnsafeRawBufferPointer(memory.bytes))
      }
    }
    let chunks = try worded { () throws(HDF5Fault) in try writtenChunks() }
    let memory = try RawMemory(byteCount: dataset.byteCount, for: origin)
    try worded { () throws(HDF5Fault) in try read(chunks, into: memory.bytes) }
    try body(UnsafeRawBufferPointer(memory.bytes))
  }

  /// Reads the values into memory that has room for exactly these.
  func read(into memory: UnsafeMutableRawBufferPointer) throws {
    guard memory.count == dataset.byteCount else {
      throw LoadError.otherRoom(origin, memory.count, needs: dataset.byteCount)
    }
    if dataset.byteCount > 0, case .plain(let address) = dataset.storage {
      let start = contents.head.base + address
      return try contents.input.read(start..<start + dataset.byteCount, into: memory)
    }
    let chunks = try worded { () throws(HDF5Fault) in try writtenChunks() }
    // What no chunk gives is as in new memory.
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    try worded { () throws(HDF5Fault) in try read(chunks, into: memory) }
  }

  /// Does something whose errors name the dataset.
  private func worded<Value>(
    _ body: () throws(HDF5Fault) -> Value
  ) throws(LoadError) -> Value {
    try HDF5Fault.wording(contents.input.path, entry: entry, body)
  }

  /// The chunks that were written, once what they give is found not to be too much.
  private func writtenChunks() throws(HDF5Fault) -> [HDF5Chunk] {
    guard dataset.byteCount > 0 else { return [] }
    guard case .chunked(let layout) = dataset.storage else {
      try checkInflated(dataset.byteCount)
      return []
    }
    if layout.filters.deflates {
      try checkInflated(max(dataset.byteCount, layout.byteCount))
    }
    // Chunks that are not in the file byte for byte cannot all have been written as they are.
    if layout.total > contents.head.count / max(layout.byteCount, 1) {
      try checkInflated(dataset.byteCount)
    }
    let chunks = try layout.chunks(contents.reader())
    if chunks.count < layout.total {
      if case .none = dataset.fill {
        throw .unsupported(
          chunks.isEmpty
            ? "a dataset whose values were never written"
            : "a dataset of which only \(chunks.count) of \(layout.total) chunks were written")
      }
      try checkInflated(dataset.byteCount)
    }
    return chunks
  }

  /// Throws when the file is too small for values that it does not hold byte for byte.
  private func checkInflated(_ byteCount: Int) throws(HDF5Fault) {
    let limit = contents.limits.inflatedBytes(in: contents.input.count)
    guard byteCount <= limit else {
      throw .outside(
        .beyondLimit(
          contents.input.path, "\(LoadError.bytes(byteCount)) of values",
          limit: limit < contents.limits.inflatedBytes ? "inflatedPerByte" : "inflatedBytes"))
    }
  }

  private func read(
    _ chunks: [HDF5Chunk], into values: UnsafeMutableRawBufferPointer
  ) throws(HDF5Fault) {
    guard case .chunked(let layout) = dataset.storage, dataset.byteCount > 0 else {
      return fill(values)
    }
    if chunks.count < layout.total { fill(values) }
    let assembly = HDF5ChunkAssembly(layout)
    let decoder: HDF5ChunkDecoder
    do throws(LoadError) {
      decoder = try HDF5ChunkDecoder(
        contents.input, base: contents.head.base, byteCount: layout.byteCount,
        largestStored: chunks.map(\.stored).max() ?? 0, filters: layout.filters)
    } catch {
      throw .outside(error)
    }
    for chunk in chunks {
      if let whole = assembly.place(of: chunk.number) {
        _ = try decoder.decode(chunk, into: UnsafeMutableRawBufferPointer(rebasing: values[whole]))
      } else {
        assembly.copy(try decoder.decode(chunk, into: nil), of: chunk.number, into: values)
      }
    }
  }

  /// Puts the fill value in every place; memory begins as zeros.
  private func fill(_ values: UnsafeMutableRawBufferPointer) {
    guard case .value(let bytes) = dataset.fill, bytes.contains(where: { $0 != 0 }) else { return }
    for start in stride(from: 0, to: values.count, by: bytes.count) {
      for (index, byte) in bytes.enumerated() { values[start + index] = byte }
    }
  }
}
