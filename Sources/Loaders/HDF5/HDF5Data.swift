#if HDF5
  import ForgeShapes

  /// The values of one dataset, read when they are used.
  struct HDF5Data: ParameterData {
    let count: Int
    let elementType: ElementType
    let layout: ParameterLayout
    let sizes: [Int]?
    var origin: String { "\(file.path): \(entry)" }
    var temporaryByteCount: Int { dataset.byteCount }
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

    /// Reads the values into memory with libhdf5, after a last look at what it is going to trust.
    func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
      let mapping = file.contents.mapping
      // Another file of that name has not been looked over.
      try mapping.verifyUnchanged()
      if case .chunked(let chunks) = dataset.storage {
        do { try chunks.check() } catch let fault as HDF5Fault {
          throw fault.error(path: file.path, entry: entry)
        }
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
