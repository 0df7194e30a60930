import ForgeShapes

/// A `.keras` file, as `model.save("net.keras")` of Keras 3 writes it.
///
/// ```swift
/// let network = try model.compile(parameters: try KerasArchive("net.keras"))
/// ```
/// It is a zip archive with a description of the model and an HDF5 file of its parameters. Keras
/// stores the HDF5 file uncompressed, so it is read in place. A compressed one is decompressed into
/// memory that lives as long as the archive and the parameters read from it.
///
/// Layers are found by the user's names for them. If the HDF5 file lacks these names, they come
/// from the description of the model. See ``HDF5Parameters`` for other details.
public struct KerasArchive: ParameterSource {
  static let configurationEntry: EntryName = "config.json"
  private static let metadataEntry: EntryName = "metadata.json"
  static let weightsEntry: EntryName = "model.weights.h5"
  /// The number of leading bytes searched for the HDF5 signature before decompression.
  private static let headBytes = 1 << 16

  /// The path of the archive, as given.
  public let path: String
  /// The description of the model, in JSON.
  public let configuration: String
  /// The Keras version and the date of the archive, in JSON; `nil` when it has no metadata.
  public let metadata: String?
  /// The user's names of the layers that have values.
  public let availableNames: [String]
  private let file: HDF5File
  /// The parameters, by the names in the HDF5 file.
  private let source: HDF5Parameters
  /// The name in the HDF5 file of each layer whose user's name it lacks.
  private let names: [EntryName: EntryName]
  /// The parameters, by the user's layer names.
  private var weights: any ParameterSource

  /// Opens an archive and finds its layers.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - matching: how layers are matched.
  ///   - layout: the axis order of the values.
  ///   - limits: the limits for reading the structure and decompressing the parameters.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, `notARegularFile`,
  ///   `entryMissing`, `notHDF5`, `damaged`, `duplicate`, `unsupported`, `refused` or
  ///   `outOfMemory`.
  public init(
    _ path: String, matching: LayerMatching = .byName,
    layout: ParameterLayout = .keras, limits: LoadLimits = LoadLimits()
  ) throws(LoadError) {
    try self.init(
      try InputFile(path: path), matching: matching, layout: layout, limits: limits)
  }

  /// Uses bytes in memory as an archive.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the archive.
  ///   - name: the origin of the bytes, for error messages.
  ///   - matching: how layers are matched.
  ///   - layout: the axis order of the values.
  ///   - limits: the limits for reading the structure and decompressing the parameters.
  /// - Throws: ``LoadError``: `entryMissing`, `notHDF5`, `damaged`, `duplicate`, `unsupported`,
  ///   `refused` or `outOfMemory`.
  public init(
    bytes: [UInt8], name: String = "memory", matching: LayerMatching = .byName,
    layout: ParameterLayout = .keras, limits: LoadLimits = LoadLimits()
  ) throws(LoadError) {
    try self.init(
      try InputFile.copying(bytes, name: name), matching: matching, layout: layout, limits: limits)
  }

  init(
    _ input: InputFile, matching: LayerMatching = .byName,
    layout: ParameterLayout = .keras, limits: LoadLimits
  ) throws(LoadError) {
    let budget = LoadBudget(limits, input)
    let (archive, description) = try OtherFormat.naming(
      input, readAs: .keras
    ) { () throws(LoadError) in
      let archive = try ZipArchive(input, budget)
      return (archive, try archive.existing(Self.configurationEntry))
    }
    configuration = try Self.text(description, budget)
    metadata = try archive.bytes(named: Self.metadataEntry).map { stored throws(LoadError) in
      try Self.text(stored, budget)
    }
    path = input.path
    file = try HDF5File(
      try Self.weights(try archive.existing(Self.weightsEntry)), limits: limits)
    let source = try HDF5Parameters(file, matching: matching, layout: layout)
    let names = try KerasNames.names(configuration, in: input, known: source, budget)
    self.source = source
    self.names = names
    availableNames = Self.availableNames(names, source.availableNames)
    weights = source.renamed { layer in names[EntryName(layer)]?.text ?? layer }
  }

  /// Whether a file is a zip archive, as one of Keras is; other Keras files are HDF5.
  ///
  /// - Parameter path: the file.
  /// - Returns: whether it begins as one.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable` or `notARegularFile`.
  package static func isArchive(_ path: String) throws(LoadError) -> Bool {
    ZipArchive.begins(try InputFile(path: path, staysOpen: false).prefix(4))
  }

  /// The user's names of the layers that the HDF5 file has.
  private static func availableNames(
    _ names: [EntryName: EntryName], _ available: [String]
  ) -> [String] {
    guard !names.isEmpty else { return available }
    let inFile = Set(available.map { EntryName($0) })
    return names.filter { _, name in
      // The file lists a layer of a nested model by the last part of its name if that is unique.
      let last = name.bytes.split(separator: UInt8(ascii: "/")).last.map { EntryName($0) }
      return inFile.contains(name) || inFile.contains(last ?? name)
    }.keys.sorted().map(\.text)
  }

  /// The HDF5 file of an archive, in place or decompressed.
  private static func weights(_ stored: ZipBytes) throws(LoadError) -> InputFile {
    let file = InputFile(stored)
    return try file.locating { () throws(LoadError) in
      try stored.checkInflation()
      let head = try InputFile.copying(try file.prefix(headBytes), name: file.origin)
      guard
        try HDF5Superblock.place(in: head) != nil || (file.count > headBytes && !stored.isDeflated)
      else { throw .noHDF5(byteCount: file.count) }
      guard !stored.isDeflated else {
        return InputFile(try file.bytes(0..<file.count), path: file.path, entry: file.entry)
      }
      // Only the checksum of the entry is read here.
      _ = try file.bytes(file.count..<file.count)
      return try InputFile(stored.entry.range, of: stored.file, entry: file.entry)
    }
  }

  /// The datasets of the parameters, depth-first, sorted by name within each group.
  public var entries: [HDF5File.Entry] { file.entries }

  /// The path of the archive, as given.
  public var origin: String? { path }

  /// Whether layers are matched by name.
  public var goesByName: Bool { weights.goesByName }

  /// The archive, with every parameter of the model matched.
  ///
  /// - Parameter specs: the parameters of the model, in the order of the plan.
  /// - Returns: the source for these.
  /// - Throws: what ``HDF5Parameters`` throws.
  public func prepared(for specs: [ParameterSpec]) throws -> any ParameterSource {
    var ready = self
    ready.weights = try weights.prepared(for: specs)
    return ready
  }

  /// The values of a parameter, or `nil` when the archive has none.
  ///
  /// - Parameter spec: the parameter.
  /// - Returns: the values, which are read when they are used, or `nil`.
  /// - Throws: what ``HDF5Parameters`` throws.
  public func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    do {
      return try weights.parameter(for: spec)
    } catch let error as LoadError {
      throw error.asked(for: spec)
    }
  }

  /// The values that the archive has for a layer; see ``HDF5Parameters/values(of:)``.
  package func values(
    of layer: String
  ) throws(LoadError) -> [(name: String, data: any ParameterData)]? {
    try source.values(of: names[EntryName(layer)]?.text ?? layer)
  }

  /// The values of a dataset, for closures that know the name of each parameter.
  ///
  /// - Parameters:
  ///   - entry: the path of the dataset, as in ``entries``: `/layers/conv2d/vars/0`.
  ///   - layout: the axis order of the values.
  /// - Returns: the values; they are read when they are used.
  /// - Throws: ``LoadError``: `entryMissing`, `wrongElementType`, `damaged`, `unsupported` or
  ///   `refused`.
  public func data(
    at entry: String, layout: ParameterLayout = .keras
  ) throws(LoadError) -> any ParameterData {
    try file.data(at: entry, layout: layout)
  }

  private static func text(_ stored: ZipBytes, _ budget: LoadBudget) throws(LoadError) -> String {
    let file = InputFile(stored)
    guard file.count <= budget.limits.structureBytes else {
      throw file.located(
        .beyondLimit("\(LoadError.bytes(file.count)) of text", limit: "structureBytes"))
    }
    try budget.take(bytes: file.count)
    return String(decoding: try file.array(0..<file.count), as: UTF8.self)
  }
}
