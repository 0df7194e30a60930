import ForgeShapes

/// The values of one dataset, read on use.
struct HDF5Data: FiledParameterData {
  let elementType: ElementType
  let layout: ParameterLayout
  private let contents: HDF5Contents
  private let entry: String
  private let dataset: HDF5Dataset

  var count: Int { dataset.byteCount / elementType.byteCount }
  var sizes: [Int]? { dataset.sizes }
  var origin: String { "\(contents.input.origin): \(entry)" }

  init(
    _ contents: HDF5Contents, entry: String, _ dataset: HDF5Dataset, layout: ParameterLayout
  ) throws(LoadError) {
    guard let type = dataset.datatype.elementType else {
      throw .wrongElementType(dataset.datatype.text)
    }
    switch dataset.storage {
    case .other(let fault): throw fault
    case .unwritten:
      if dataset.fill == nil, dataset.byteCount > 0 {
        throw .unsupportedHDF5("a dataset whose values were never written")
      }
    case .chunked(let chunks):
      guard Zlib.isPresent || !chunks.filters.contains(.deflate) else {
        throw contents.input.located(.needsTrait("Zip", "compressed values of HDF5 files"))
      }
    case .plain: break
    }
    self.contents = contents
    self.entry = entry
    self.dataset = dataset
    self.layout = layout
    elementType = type
  }

  /// The byte range of the values in the file; `nil` unless they are contiguous.
  private var place: Range<Int>? {
    guard dataset.byteCount > 0, case .plain(let address) = dataset.storage else { return nil }
    let start = contents.head.base + address
    return start..<start + dataset.byteCount
  }

  var filePlace: (file: InputFile, range: Range<Int>)? { place.map { (contents.input, $0) } }

  /// The memory for the values and for decoding chunks.
  var temporaryByteCount: Int {
    if let place {
      return contents.input.temporaryByteCount(in: place, alignment: elementType.byteCount)
    }
    guard case .chunked(let chunks) = dataset.storage else { return dataset.byteCount }
    return dataset.byteCount + HDF5ChunkDecoder.byteCount(chunks)
  }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    if let place {
      return try contents.input.withUnsafeBytes(in: place, alignment: elementType.byteCount, body)
    }
    let chunks = try contents.input.locating(entry, writtenChunks)
    let memory = try RawMemory(byteCount: dataset.byteCount, for: origin)
    try read(chunks, into: memory.bytes)
    try body(UnsafeRawBufferPointer(memory.bytes))
  }

  func read(into memory: UnsafeMutableRawBufferPointer) throws {
    guard memory.count == dataset.byteCount else {
      throw LoadError.otherRoom(memory.count, needs: dataset.byteCount, at: origin)
    }
    if let place { return try contents.input.read(place, into: memory) }
    let chunks = try contents.input.locating(entry, writtenChunks)
    // Values without a chunk must be zero, as in new memory.
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    try read(chunks, into: memory)
  }

  /// The chunks that were written, if their values are within the limits.
  private func writtenChunks() throws(LoadError) -> [HDF5Chunk] {
    guard dataset.byteCount > 0 else { return [] }
    guard case .chunked(let layout) = dataset.storage else {
      try checkInflated(dataset.byteCount)
      return []
    }
    if layout.filters.contains(.deflate) {
      try checkInflated(max(dataset.byteCount, layout.byteCount))
    }
    // The file is too small to contain all chunks uncompressed.
    if layout.total > contents.head.count / max(layout.byteCount, 1) {
      try checkInflated(dataset.byteCount)
    }
    let chunks = try layout.chunks(contents.reader())
    if chunks.count < layout.total {
      if dataset.fill == nil {
        throw .unsupportedHDF5(
          chunks.isEmpty
            ? "a dataset whose values were never written"
            : "a dataset of which only \(chunks.count) of \(layout.total) chunks were written")
      }
      try checkInflated(dataset.byteCount)
    }
    return chunks
  }

  /// Throws if values that are not stored byte for byte exceed the limits.
  private func checkInflated(_ byteCount: Int) throws(LoadError) {
    let limit = contents.limits.inflatedBytes(in: contents.input.count)
    guard byteCount <= limit else {
      throw contents.input.located(
        .beyondLimit(
          "\(LoadError.bytes(byteCount)) of values",
          limit: limit < contents.limits.inflatedBytes ? "inflatedPerByte" : "inflatedBytes"))
    }
  }

  private func read(
    _ chunks: [HDF5Chunk], into values: UnsafeMutableRawBufferPointer
  ) throws(LoadError) {
    guard case .chunked(let layout) = dataset.storage, dataset.byteCount > 0 else {
      return fill(values)
    }
    if chunks.count < layout.total { fill(values) }
    let assembly = HDF5ChunkAssembly(layout)
    try contents.input.locating(entry) { () throws(LoadError) in
      let decoder = try HDF5ChunkDecoder(
        contents, layout, largestStored: chunks.map(\.stored).max() ?? 0)
      for chunk in chunks {
        if let range = assembly.place(of: chunk.number) {
          let target = UnsafeMutableRawBufferPointer(rebasing: values[range])
          _ = try decoder.decode(chunk, into: target)
        } else {
          assembly.copy(try decoder.decode(chunk, into: nil), of: chunk.number, into: values)
        }
      }
    }
  }

  /// Writes the fill value to all elements of zeroed memory.
  private func fill(_ values: UnsafeMutableRawBufferPointer) {
    guard let bytes = dataset.fill, bytes.contains(where: { $0 != 0 }) else { return }
    for start in stride(from: 0, to: values.count, by: bytes.count) {
      for (index, byte) in bytes.enumerated() { values[start + index] = byte }
    }
  }
}
