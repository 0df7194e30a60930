#if HDF5
  import ForgeShapes

  /// The values of one dataset, read when they are used.
  struct HDF5Data: ParameterData {
    let count: Int
    let elementType: ElementType
    let layout: ParameterLayout
    let sizes: [Int]?
    var origin: String { "\(file.path): \(entry)" }
    var temporaryByteCount: Int { isInPlace ? 0 : dataset.byteCount }
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
      case .other(let fault): throw fault
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

    /// Whether the values lie in the file one after the other, aligned to what they are.
    private var isInPlace: Bool {
      guard case .plain(let address, _) = dataset.storage else { return false }
      return ((address ?? 0) + file.contents.head.bytes.base)
        .isMultiple(of: elementType.byteCount)
    }

    /// Gives the values where the file has them; those in chunks, which may be compressed, libhdf5 reads into
    /// memory, after a last look at what it is going to trust.
    ///
    /// The reader that looked the file over has found where plain values lie. Taken from there and not
    /// through libhdf5, which opens the file anew and copies, a compile of Inception-v3 takes 130 ms in place of 200,
    /// and holds no parameter twice.
    func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
      let mapping = file.contents.mapping
      // Another file of that name has not been looked over.
      try mapping.verifyUnchanged()
      switch dataset.storage {
      case .plain(let address?, let byteCount):
        let all = file.contents.head.bytes
        do { try all.check(address, byteCount, "the values of a dataset") } catch {
          throw error.error(path: file.path, entry: entry)
        }
        let start = all.base + address
        return try mapping.withUnsafeBytes(in: start..<start + byteCount) { bytes in
          guard !isInPlace else { return try body(bytes) }
          let memory = try RawMemory(byteCount: byteCount, for: origin)
          memory.bytes.copyMemory(from: bytes)
          try body(UnsafeRawBufferPointer(memory.bytes))
        }
      case .chunked(let chunks):
        do { try chunks.check() } catch let fault as HDF5Fault {
          throw fault.error(path: file.path, entry: entry)
        }
      case .plain, .other: break
      }
      let memory = try RawMemory(byteCount: dataset.byteCount, for: origin)
      if dataset.byteCount > 0 {
        try HDF5Library.read(
          file.path, entry: entry, sizes: dataset.sizes, elementByteCount: elementType.byteCount,
          into: memory.bytes)
      }
      try body(UnsafeRawBufferPointer(memory.bytes))
    }
  }
#endif
