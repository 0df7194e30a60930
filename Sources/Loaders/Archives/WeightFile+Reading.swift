import ForgeShapes

extension WeightFile {
  private static let rawEnding = ".bin"

  /// The form of a file by its first bytes.
  static func format(of path: String, _ limits: LoadLimits) throws(LoadError) -> Format {
    if try Folder.isFolder(path) { return .folder }
    let file = try InputFile(path: path)
    let head = try file.prefix(16)
    if head.withBytes(NumPyHeader.begins) { return .numPy }
    if head.withBytes(SafeTensorsHeader.begins) { return .safeTensors }
    if try isHDF5(file) { return .hdf5 }
    guard head.withBytes(isZip) else { throw .unknownFormat(path) }
    #if Zip
      let archive = try ZipArchive(file, LoadBudget(limits, fileBytes: file.count, path: path))
      return archive.entries.contains { $0.name == ZipArchive.kerasWeights }
        ? .keras : .numPyArchive
    #else
      throw .needsTrait(path, "Zip", "zip archives")
    #endif
  }

  /// Whether bytes begin as a zip archive does; one without entries has only its end.
  static func isZip(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.starts(with: [0x50, 0x4b, 3, 4]) || bytes.starts(with: [0x50, 0x4b, 5, 6])
  }

  /// An HDF5 file may begin with something else, of 512 bytes or a doubling of them.
  private static func isHDF5(_ file: InputFile) throws(LoadError) -> Bool {
    var place = 0
    while place <= file.count - hdf5Signature.count {
      let bytes = try file.bytes(place..<(place + hdf5Signature.count))
      if bytes.withBytes({ $0.elementsEqual(hdf5Signature) }) { return true }
      place = place == 0 ? 512 : place * 2
    }
    return false
  }

  /// Whether the first bytes of a file are enough to tell that it is an HDF5 file.
  static func beginsAsHDF5(_ head: [UInt8]) -> Bool {
    var place = 0
    while place < head.count {
      if head[place...].starts(with: hdf5Signature) { return true }
      place = place == 0 ? 512 : place * 2
    }
    return false
  }

  /// What an HDF5 file, or what follows its foreign head, begins with.
  static let hdf5Signature: [UInt8] = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]

  // MARK: Listings

  /// What an array is; its error where it cannot be read.
  private static func entry(
    _ stored: some StoredBytes, named name: String, _ budget: LoadBudget
  ) throws(LoadError) -> Entry {
    let header = try NumPyHeader(stored, budget)
    var problem: LoadError?
    do throws(LoadError) { _ = try NumPyArray(stored, header) } catch { problem = error }
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

  static func arrayEntry(_ path: String, _ limits: LoadLimits) throws(LoadError) -> Entry {
    let file = try InputFile(path: path)
    return try entry(
      FileRange(file), named: path, LoadBudget(limits, fileBytes: file.count, path: path))
  }

  static func folderEntries(
    _ path: String, _ limits: LoadLimits
  ) throws(LoadError) -> [Entry] {
    var entries: [Entry] = []
    for name in try Folder.files(in: path, limits: limits) ?? [] {
      guard name.hasSuffix(NumPyParameters.ending) || name.hasSuffix(rawEnding) else { continue }
      entries.append(
        entry(trying: name, byteCount: 0) { () throws(LoadError) in
          let file = try InputFile(path: "\(path)/\(name)")
          let stored = FileRange(file)
          guard name.hasSuffix(rawEnding) else {
            return try entry(
              stored, named: name,
              LoadBudget(limits, fileBytes: file.count, path: file.path))
          }
          return Entry(name, sizes: [stored.count], typeName: "raw", byteCount: stored.count)
        })
    }
    return entries
  }

  /// All headers are read from one budget, however many there are.
  static func archiveEntries(
    _ path: String, _ limits: LoadLimits
  ) throws(LoadError) -> [Entry] {
    #if Zip
      let file = try InputFile(path: path)
      let budget = LoadBudget(limits, fileBytes: file.count, path: path)
      let archive = try ZipArchive(file, budget)
      return archive.entries.map { stored in
        let name = stored.name.text
        return entry(trying: name, byteCount: stored.count) { () throws(LoadError) in
          guard let bytes = try archive.bytes(named: stored.name) else {
            throw .noSuchEntry(path, name, found: [])
          }
          return try entry(bytes, named: name, budget)
        }
      }
    #else
      throw .needsTrait(path, "Zip", "zip archives")
    #endif
  }

  static func hdf5Entries(
    _ path: String, _ limits: LoadLimits
  ) throws(LoadError) -> [Entry] {
    try HDF5File(path, limits: limits).entries.map(Entry.init)
  }

  static func kerasEntries(
    _ path: String, _ limits: LoadLimits
  ) throws(LoadError) -> [Entry] {
    #if Zip
      return try KerasArchive(path, limits: limits).entries.map(Entry.init)
    #else
      throw .needsTrait(path, "Zip", "zip archives")
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
    _ path: String, _ layout: ParameterLayout, _ limits: LoadLimits
  ) throws(LoadError) -> any ParameterSource {
    try HDF5Parameters(path, layout: layout, limits: limits)
  }

  static func kerasParameters(
    _ path: String, _ layout: ParameterLayout, _ limits: LoadLimits
  ) throws(LoadError) -> any ParameterSource {
    #if Zip
      return try KerasArchive(path, layout: layout, limits: limits)
    #else
      throw .needsTrait(path, "Zip", "zip archives")
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

  /// A dataset of an HDF5 file.
  init(_ entry: HDF5File.Entry) {
    self.init(
      entry.name, sizes: entry.sizes, entry.elementType, typeName: entry.typeName,
      byteCount: entry.byteCount, problem: entry.problem)
  }
}
