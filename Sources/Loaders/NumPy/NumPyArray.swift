import ForgeShapes

/// An array in a `.npy` file, as `numpy.save` writes it.
///
/// ```swift
/// let input = try NumPyArray(path: "input.npy")
/// let output = try network.predict(input.values)
/// try NumPyArray(output, sizes: [1, 10]).write(to: "output.npy")
/// ```
/// It reads versions 1 to 3 of the format with little-endian f2, f4, f8, i1, u1, i4, i8 and bool in
/// either memory order, and writes f4. NumPy has no bf16: save such values as f4. Pickled objects
/// are never read. A `.npy` file is not kept open; its values are read on use. A file that was
/// truncated, changed or replaced since the array was created is an error.
public struct NumPyArray: Sendable {
  private enum Storage: Sendable {
    case memory([Float])
    case file(FileValues)
  }

  /// The sizes, outermost first; none for a single value.
  public let sizes: [Int]
  /// The number of values.
  public let count: Int
  /// The type the values are stored in.
  public let elementType: ElementType
  /// The origin of the values, for error messages.
  public let origin: String
  private let storage: Storage

  /// Creates an array from values in memory.
  ///
  /// - Parameters:
  ///   - values: the values, the last axis innermost.
  ///   - sizes: the size of each axis, outermost first.
  /// - Throws: ``LoadError`` of kind `wrongCount` when the sizes do not match the number of values,
  ///   or there are more than 64.
  public init(_ values: [Float], sizes: [Int]) throws(LoadError) {
    guard Shape.product(of: sizes) == values.count, sizes.count <= 64 else {
      throw .valuesDoNotFill(sizes, count: values.count)
    }
    self.sizes = sizes
    count = values.count
    elementType = .float32
    origin = "memory"
    storage = .memory(values)
  }

  /// Opens a `.npy` file.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - limits: the limits for reading the header.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, `notARegularFile`, `damaged`,
  ///   `unsupported`, `refused`, `wrongElementType` or `wrongSize`.
  public init(path: String, limits: LoadLimits = LoadLimits()) throws(LoadError) {
    try self.init(of: try InputFile(path: path, staysOpen: false), limits)
  }

  /// Uses bytes in memory as a `.npy` file.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the file.
  ///   - name: the origin of the bytes, for error messages.
  ///   - limits: the limits for reading the header.
  /// - Throws: ``LoadError``: `damaged`, `unsupported`, `refused`, `wrongElementType`, `wrongSize`
  ///   or `outOfMemory`.
  public init(
    bytes: [UInt8], name: String = "memory", limits: LoadLimits = LoadLimits()
  ) throws(LoadError) {
    try self.init(of: try InputFile.copying(bytes, name: name), limits)
  }

  /// Opens an array in a `.npz` archive.
  ///
  /// - Parameters:
  ///   - path: the archive; relative to the working directory unless it begins with `/`.
  ///   - entry: the array's name, without `.npy`.
  ///   - limits: the limits for reading the directory and decompressing the array.
  /// - Throws: ``LoadError``: `entryMissing`, and what ``init(path:limits:)`` throws.
  public init(
    path: String, entry: String, limits: LoadLimits = LoadLimits()
  ) throws(LoadError) {
    try self.init(entry, of: try InputFile(path: path), limits)
  }

  /// Opens an array in a `.npz` archive in memory.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the archive.
  ///   - name: the origin of the bytes, for error messages.
  ///   - entry: the array's name, without `.npy`.
  ///   - limits: the limits for reading the directory and decompressing the array.
  /// - Throws: ``LoadError``: `entryMissing`, and what ``init(bytes:name:limits:)`` throws.
  public init(
    bytes: [UInt8], name: String = "memory", entry: String, limits: LoadLimits = LoadLimits()
  ) throws(LoadError) {
    try self.init(entry, of: try InputFile.copying(bytes, name: name), limits)
  }

  private init(
    _ entry: String? = nil, of file: InputFile, _ limits: LoadLimits
  ) throws(LoadError) {
    let budget = LoadBudget(limits, file)
    guard let entry else {
      let header = try OtherFormat.naming(file, readAs: .numPy) { () throws(LoadError) in
        try NumPyHeader(file, budget)
      }
      try self.init(file, header)
      return
    }
    let name = EntryName(entry + NumPyArrays.ending)
    let archive = try OtherFormat.naming(file, readAs: .numPyArchive) { () throws(LoadError) in
      try ZipArchive(file, budget)
    }
    let array = InputFile(try archive.existing(name, shown: entry))
    try self.init(array, try NumPyHeader(array, budget))
  }

  /// Checks the header of an array against the size of the file.
  init(_ file: InputFile, _ header: NumPyHeader) throws(LoadError) {
    guard let type = header.elementType else {
      throw file.located(.unreadableType(header.typeName))
    }
    let needed = header.count.multipliedSaturated(by: type.byteCount)
    let received = file.count - header.byteCount
    guard received == needed else {
      throw file.located(
        .wrongBytes(.wrongSize, received: received, needs: needed, header.sizes, type.rawValue))
    }
    sizes = header.sizes
    count = header.count
    elementType = type
    origin = file.origin
    storage = .file(
      FileValues(
        file: try InputFile(header.byteCount..<file.count, of: file, entry: file.entry),
        count: count, elementType: type, layout: .keras, sizes: sizes,
        isFortran: header.isFortran && sizes.count > 1))
  }

  /// The values, converted to Float32 in C order, the last axis innermost.
  ///
  /// - Throws: ``LoadError``: `damaged` when a compressed entry is damaged or the file was
  ///   truncated or changed; `refused` when a compressed entry exceeds the limits; `outOfMemory`.
  public var values: [Float] {
    get throws {
      let file: FileValues
      switch storage {
      case .memory(let values): return values
      case .file(let values): file = values
      }
      // Array allocation traps on failure, so the available memory is checked first.
      func checkRoom() throws(LoadError) {
        try AvailableMemory.checkArray(
          count.multipliedSaturated(by: MemoryLayout<Float>.size), for: origin)
      }
      if elementType == .float32, !file.isFortran {
        try checkRoom()
        return try [Float](unsafeUninitializedCapacity: count) { buffer, written in
          try file.read(
            into: UnsafeMutableRawBufferPointer(
              UnsafeMutableBufferPointer(rebasing: buffer[..<count])))
          written = count
        }
      }
      var floats: [Float] = []
      try file.withUnsafeBytes { bytes in
        try checkRoom()
        floats = [Float](unsafeUninitializedCapacity: count) { buffer, written in
          elementType.convert(bytes, into: UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
          written = count
        }
      }
      return floats
    }
  }

  /// The array as the values of a parameter.
  ///
  /// ```swift
  /// let network = try model.compile { name, count, type in
  ///   try NumPyArray(path: "weights/\(name)_\(type).npy").parameter()
  /// }
  /// ```
  ///
  /// - Parameter layout: the axis order of the array.
  /// - Returns: the values, which are read when they are used.
  public func parameter(layout: ParameterLayout = .keras) -> any ParameterData {
    switch storage {
    case .memory(let values):
      return ParameterValues(values, layout: layout, sizes: sizes, origin: origin)
    case .file(var values):
      values.layout = layout
      return values
    }
  }

  /// Writes the array as a `.npy` file of single-precision values.
  ///
  /// It is written to a temporary file and renamed, so no partial file is visible and an error
  /// leaves the old file unchanged.
  ///
  /// - Parameter path: the file; an existing one is replaced.
  /// - Throws: ``LoadError``: `badName`, `notARegularFile` or `unreadable` when it cannot be
  ///   written; and what ``values`` throws.
  public func write(to path: String) throws {
    let values = try values
    try values.withUnsafeBytes { try Self.write($0, .float32, sizes: sizes, to: path) }
  }
}

extension NumPyArray {
  /// The elements as they are stored: little-endian, in C order, of ``elementType``.
  package var storedBytes: [UInt8] {
    get throws {
      switch storage {
      case .memory(let values): return values.withUnsafeBytes { Array($0) }
      case .file(let file):
        let byteCount = count.multipliedSaturated(by: elementType.byteCount)
        try AvailableMemory.checkArray(byteCount, for: origin)
        return try [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, written in
          try file.read(
            into: UnsafeMutableRawBufferPointer(
              UnsafeMutableBufferPointer(rebasing: buffer[..<byteCount])))
          written = byteCount
        }
      }
    }
  }

  /// Writes elements of any type but bf16, which NumPy does not have, as a `.npy` file.
  ///
  /// - Throws: ``LoadError``: `wrongElementType`, `badName`, `notARegularFile` or `unreadable`.
  package static func write(
    _ bytes: UnsafeRawBufferPointer, _ type: ElementType, sizes: [Int], to path: String
  ) throws(LoadError) {
    guard let header = NumPyHeader.bytes(for: type, sizes: sizes) else {
      throw LoadError(
        .wrongElementType, "NumPy has no such type", path: path, received: type.rawValue)
    }
    let result = header.withUnsafeBytes { header in
      Result { () throws(LoadError) in try FileReplacement.replace(path, with: [header, bytes]) }
    }
    try result.get()
  }
}
