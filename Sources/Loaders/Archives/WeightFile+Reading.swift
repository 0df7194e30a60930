import ForgeShapes

extension WeightFile {
  private static let rawEnding = ".bin"

  /// The form of a file by its first bytes.
  static func format(of path: String) throws(LoadError) -> Format {
    if try Folder.isFolder(path) { return .folder }
    let mapping = try FileMapping(path: path)
    try mapping.verify()
    let bytes = mapping.bytes
    if NumPyHeader.begins(bytes) { return .numPy }
    if SafeTensorsHeader.begins(bytes) { return .safeTensors }
    if isHDF5(bytes) { return .hdf5 }
    guard isZip(bytes) else { throw .unknownFormat(path) }
    #if Zip
      let names = try ZipArchive(mapping).entries.map(\.name)
      return names.contains(ZipArchive.kerasWeights) ? .keras : .numPyArchive
    #else
      throw .needsTrait(path, "Zip", "zip archives")
    #endif
  }

  /// Whether bytes begin as a zip archive does; one without entries has only its end.
  static func isZip(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.starts(with: [0x50, 0x4b, 3, 4]) || bytes.starts(with: [0x50, 0x4b, 5, 6])
  }

  /// An HDF5 file may begin with something else, of 512 bytes or a doubling of them.
  private static func isHDF5(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let signature: [UInt8] = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]
    var place = 0
    while place < bytes.count {
      if bytes[place...].starts(with: signature) { return true }
      place = place == 0 ? 512 : place * 2
    }
    return false
  }

  // MARK: Listings

  /// What an array is; its error where it cannot be read.
  static func entry(_ stored: some StoredBytes, named name: String) throws(LoadError) -> Entry {
    let header = try NumPyHeader(stored)
    var problem: LoadError?
    do throws(LoadError) { _ = try NumPyArray(stored) } catch { problem = error }
    return Entry(
      name, sizes: header.sizes, header.elementType,
      typeName: header.elementType?.rawValue ?? header.typeName,
      byteCount: stored.count - header.byteCount, problem: problem)
  }

  /// What something that should be an array is.
  private static func entry(
    trying name: String, byteCount: Int, _ read: () throws(LoadError) -> Entry
  ) -> Entry {
    do throws(LoadError) { return try read() } catch {
      return Entry(name, typeName: "unknown", byteCount: byteCount, problem: error)
    }
  }

  static func folderEntries(_ path: String) throws(LoadError) -> [Entry] {
    var entries: [Entry] = []
    for name in try Folder.files(in: path) ?? [] {
      guard name.hasSuffix(NumPyParameters.ending) || name.hasSuffix(rawEnding) else { continue }
      entries.append(
        entry(trying: name, byteCount: 0) { () throws(LoadError) in
          let stored = FileRange(try FileMapping(path: "\(path)/\(name)"))
          guard name.hasSuffix(rawEnding) else { return try entry(stored, named: name) }
          return Entry(name, sizes: [stored.count], typeName: "raw", byteCount: stored.count)
        })
    }
    return entries
  }

  static func archiveEntries(_ path: String) throws(LoadError) -> [Entry] {
    #if Zip
      let archive = try ZipArchive(try FileMapping(path: path))
      return archive.entries.map { file in
        entry(trying: file.name, byteCount: file.count) { () throws(LoadError) in
          guard let stored = try archive.bytes(named: file.name) else {
            throw .noSuchEntry(path, file.name, found: [])
          }
          return try entry(stored, named: file.name)
        }
      }
    #else
      throw .needsTrait(path, "Zip", "zip archives")
    #endif
  }

  static func hdf5Entries(_ path: String) throws(LoadError) -> [Entry] {
    #if HDF5
      return try HDF5File(path).entries.map(Entry.init)
    #else
      throw .needsTrait(path, "HDF5", "HDF5 files")
    #endif
  }

  static func kerasEntries(_ path: String) throws(LoadError) -> [Entry] {
    #if HDF5 && Zip
      return try KerasArchive(path).entries.map(Entry.init)
    #else
      throw .needsTrait(path, "HDF5", "HDF5 files")
    #endif
  }

  // MARK: Sources

  /// A folder of raw files; some write the ending of weights small.
  static func rawParameters(
    _ path: String, _ entries: [Entry], _ layout: ParameterLayout
  ) throws(LoadError) -> any ParameterSource {
    let isSmall = entries.contains { $0.name.hasSuffix("_w" + rawEnding) }
    let isCapital = entries.contains { $0.name.hasSuffix("_W" + rawEnding) }
    return try ParameterDirectory(
      path, suffixes: isSmall && !isCapital ? [.weights: "_w"] : [:], layout: layout)
  }

  static func hdf5Parameters(
    _ path: String, _ layout: ParameterLayout
  ) throws(LoadError) -> any ParameterSource {
    #if HDF5
      return try HDF5Parameters(path, layout: layout)
    #else
      throw .needsTrait(path, "HDF5", "HDF5 files")
    #endif
  }

  static func kerasParameters(
    _ path: String, _ layout: ParameterLayout
  ) throws(LoadError) -> any ParameterSource {
    #if HDF5 && Zip
      return try KerasArchive(path, layout: layout)
    #else
      throw .needsTrait(path, "HDF5", "HDF5 files")
    #endif
  }
}

extension WeightFile.Entry {
  /// A tensor of a safetensors file.
  init(_ tensor: SafeTensors.Tensor) {
    self.init(
      tensor.name, sizes: tensor.sizes, tensor.elementType, typeName: tensor.typeName,
      byteCount: tensor.byteRange.count)
  }

  #if HDF5
    /// A dataset of an HDF5 file.
    init(_ entry: HDF5File.Entry) {
      self.init(
        entry.name, sizes: entry.sizes, entry.elementType, typeName: entry.typeName,
        byteCount: entry.byteCount, problem: entry.problem)
    }
  #endif
}
