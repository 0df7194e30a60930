import ForgeShapes

/// An HDF5 file: its datasets, their values, and string attributes.
///
/// ```swift
/// for entry in try HDF5File("model.h5").entries { print(entry) }
/// // /model_weights/conv2d_1/conv2d_1/bias:0      32       f32    128 bytes
/// ```
/// Files may be untrusted. Every bound is checked, and ``LoadLimits`` bounds the memory and time
/// for reading the structure. Links to other files, virtual datasets and external storage are
/// refused; a truncated or altered file throws a ``LoadError``. Values are read on use. They may be
/// contiguous or in chunks, with the shuffle and Fletcher-32 filters and, with the trait `Zip`,
/// deflate. Threads and forked processes may read a file concurrently. It is not memory-mapped; a
/// change by another program is an error.
public struct HDF5File: Sendable {
  /// One dataset of a file; its name is its path: `/model_weights/conv1/conv1/kernel:0`.
  public typealias Entry = WeightFile.Entry

  /// The path of the file, as given.
  public var path: String { contents.input.path }
  let contents: HDF5Contents

  /// Opens a file and reads its structure.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - limits: the limits for reading the structure.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, `notARegularFile`, `notHDF5`,
  ///   `damaged`, `unsupported` or `refused`.
  public init(_ path: String, limits: LoadLimits = .init()) throws(LoadError) {
    try self.init(try InputFile(path: path), limits: limits)
  }

  /// Uses bytes in memory as a file and reads its structure.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the file.
  ///   - name: the origin of the bytes, for error messages.
  ///   - limits: the limits for reading the structure.
  /// - Throws: ``LoadError``: `notHDF5`, `damaged`, `unsupported`, `refused` or `outOfMemory`.
  public init(
    bytes: [UInt8], name: String = "memory", limits: LoadLimits = .init()
  ) throws(LoadError) {
    try self.init(try InputFile.copying(bytes, name: name), limits: limits)
  }

  /// Reads the structure of an open file.
  init(_ input: InputFile, limits: LoadLimits) throws(LoadError) {
    contents = try OtherFormat.naming(input, readAs: .hdf5) { () throws(LoadError) in
      try input.locating { () throws(LoadError) in
        guard let contents = try HDF5Contents(input, limits) else {
          throw try LoadError.notHDF5(input)
        }
        return contents
      }
    }
  }

  /// The datasets of the file, depth-first, sorted by name within each group.
  public var entries: [Entry] {
    contents.order.map { node in
      let name = EntryName(contents.fullPath(of: node)).text
      let dataset = contents.dataset(at: node)
      var problem: LoadError?
      do throws(LoadError) {
        if case .blocked(let fault) = contents.nodes[node].content { throw fault }
        if let dataset { _ = try HDF5Data(contents, entry: name, dataset, layout: .keras) }
      } catch {
        problem = located(error, name)
      }
      return Entry(
        name, sizes: dataset?.sizes ?? [], dataset?.datatype.elementType,
        typeName: dataset?.datatype.text ?? "unknown", byteCount: dataset?.byteCount ?? 0,
        problem: problem)
    }
  }

  /// The strings of an attribute of a group or dataset, such as `model_config` of Keras.
  ///
  /// - Parameters:
  ///   - attribute: the attribute; parts that Keras has split into `name0`, `name1`… are joined.
  ///   - entry: the path of the group or dataset.
  /// - Returns: the strings; `nil` when there is no such attribute or it is not of strings.
  /// - Throws: ``LoadError``: `damaged`, `unsupported` or `refused`.
  public func texts(
    ofAttribute attribute: String, at entry: String = "/"
  ) throws(LoadError) -> [String]? {
    try contents.input.locating(entry) { () throws(LoadError) in
      let reader = contents.reader()
      guard let node = try contents.resolve(entry.utf8, reader) else { return nil }
      return try contents.texts(of: EntryName(attribute), at: node, reader)?
        .map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// The values of a dataset.
  ///
  /// - Parameters:
  ///   - entry: the path of the dataset in the file.
  ///   - layout: the axis order of the values.
  /// - Returns: the values; they are read from the file when they are used.
  /// - Throws: ``LoadError``: `entryMissing`, `wrongElementType`, `unsupported` or `refused`.
  public func data(
    at entry: String, layout: ParameterLayout = .keras
  ) throws(LoadError) -> any ParameterData {
    try data(named: EntryName(entry), layout: layout)
  }

  /// The values of a dataset whose path may not be UTF-8.
  func data(
    named path: EntryName, layout: ParameterLayout
  ) throws(LoadError) -> any ParameterData {
    try contents.input.locating(path.text) { () throws(LoadError) in
      let node = try contents.resolve(path.bytes, contents.reader())
      guard let node, let dataset = contents.dataset(at: node) else {
        throw .entryMissing(isGroup: node.map(contents.isGroup) ?? false)
      }
      return try HDF5Data(contents, entry: path.text, dataset, layout: layout)
    }
  }
}

extension HDF5File: ParameterFileEntries {
  func located(_ error: LoadError, _ entry: String?) -> LoadError {
    contents.input.located(error, entry)
  }

  func values(
    of entry: EntryName, layout: ParameterLayout
  ) throws(LoadError) -> (any ParameterData)? {
    try data(named: entry, layout: layout)
  }

  func sizes(of entries: [EntryName]) -> [[Int]?] {
    let reader = contents.reader()
    return entries.map { entry in
      guard let node = try? contents.resolve(entry.bytes, reader) else { return nil }
      return contents.dataset(at: node)?.sizes
    }
  }
}
