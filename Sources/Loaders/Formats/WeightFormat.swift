import ForgeShapes

/// One format of weight files: how a file is recognized, listed and read.
///
/// A format is one file of this folder and one line of ``WeightFile/formats``.
protocol WeightFormat: Sendable {
  /// What the format is called.
  static var format: WeightFile.Format { get }
  /// What its files are called in messages: `HDF5 (.h5)`.
  static var files: String { get }
  /// The entries of the file, in its own order.
  var entries: [WeightFile.Entry] { get }
  /// The usual axis order of the values.
  var layout: ParameterLayout { get }
  /// The ways in which the parameters may be meant, the likeliest first.
  var readings: [WeightReading] { get }

  /// Opens a file; `nil` when it is of another format.
  ///
  /// - Throws: ``LoadError`` when the file is of this format and cannot be read.
  init?(_ origin: WeightOrigin) throws(LoadError)

  /// The parameters in the file, found by the usual names.
  func parameters(_ reading: WeightReading) throws(LoadError) -> any ParameterSource
}

extension WeightFormat {
  /// By name, in the usual axis order.
  var readings: [WeightReading] { [.byName(layout)] }
}

extension WeightFile {
  /// Every format, in the order in which a file is compared with them.
  ///
  /// A `.keras` archive is a zip archive as an `.npz` is, so it comes first.
  static let formats: [any WeightFormat.Type] = [
    HDF5Format.self,
    KerasFormat.self,
    SafeTensorsFormat.self,
    NumPyFormat.self,
    NumPyArchiveFormat.self,
    FolderFormat.self,
  ]

  /// The file in the format it is of.
  static func open(_ origin: WeightOrigin) throws(LoadError) -> any WeightFormat {
    for format in formats {
      if let file = try format.init(origin) { return file }
    }
    throw .unknownFormat(origin.path, known: formats.map { $0.files })
  }
}

/// One way in which the parameters of a file may be meant.
package struct WeightReading: Sendable {
  /// The axis order of the values.
  let layout: ParameterLayout
  /// How layers find each other; a format without an order knows only names.
  var matching = HDF5Parameters.Matching.byName

  /// Layers that are found by name.
  static func byName(_ layout: ParameterLayout) -> WeightReading { WeightReading(layout: layout) }

  /// Layers that follow each other.
  static func inOrder(_ layout: ParameterLayout) -> WeightReading {
    WeightReading(layout: layout, matching: .inOrder)
  }
}

/// A file or folder whose format is not known yet.
struct WeightOrigin: Sendable {
  /// As many first bytes as formats begin with.
  private static let headBytes = 16

  /// The path, as it was given.
  let path: String
  /// What reading the structure may cost.
  let limits: LoadLimits
  /// The file; `nil` for a folder.
  let file: InputFile?
  /// The first bytes of the file; none for a folder.
  let head: [UInt8]

  /// Opens a file or folder.
  ///
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable` or `notARegularFile`.
  init(_ path: String, _ limits: LoadLimits) throws(LoadError) {
    let isFolder = try Folder.isFolder(path)
    try self.init(path, isFolder ? nil : try InputFile(path: path), limits)
  }

  /// Takes an open file.
  init(_ file: InputFile, _ limits: LoadLimits) throws(LoadError) {
    try self.init(file.path, file, limits)
  }

  private init(_ path: String, _ file: InputFile?, _ limits: LoadLimits) throws(LoadError) {
    self.path = path
    self.limits = limits
    self.file = file
    head = try file?.prefix(Self.headBytes).withBytes { Array($0) } ?? []
  }

  /// The file as a zip archive; `nil` when it is none.
  ///
  /// - Throws: ``LoadError`` when the archive cannot be read.
  func archive() throws(LoadError) -> ZipArchive? {
    guard let file, ZipArchive.begins(head) else { return nil }
    return try ZipArchive(file, LoadBudget(limits, file))
  }
}
