import ForgeShapes

/// One format of weight files.
///
/// Each format has one source file in this folder, which recognizes files, lists their entries and
/// returns their parameters, and one line in ``WeightFile/formats``.
struct WeightFormat: Sendable {
  /// The name of the format.
  let format: WeightFile.Format
  /// The name of the format's files in messages: `HDF5 (.h5)`.
  let files: String
  /// One file of the format in messages: `an HDF5 file`.
  let name: String
  /// The type that reads it.
  let reader: String
  /// The label of the path in the reader's initializer, with a space: `path: `.
  var argument = ""
  /// Whether a file has this format, without reading its structure.
  let recognizes: @Sendable (WeightOrigin) throws(LoadError) -> Bool
  /// Opens a file; `nil` if it has another format.
  ///
  /// Throws ``LoadError`` if the file has this format but cannot be read.
  let open: @Sendable (WeightOrigin) throws(LoadError) -> WeightContents?
}

extension WeightFile {
  /// All formats, in the order they are tried.
  ///
  /// Both `.keras` and `.npz` files are zip archives; the more specific `.keras` comes first.
  static let formats: [WeightFormat] = [
    .hdf5, .keras, .safeTensors, .numPy, .numPyArchive, .folder,
  ]
}

extension WeightFile.Format {
  /// HDF5, such as the `.h5` and `.weights.h5` files of Keras.
  public static let hdf5 = Self(rawValue: "HDF5")
  /// A `.keras` archive of Keras 3.
  public static let keras = Self(rawValue: "Keras archive")
  /// A safetensors file.
  public static let safeTensors = Self(rawValue: "safetensors")
  /// A single NumPy array.
  public static let numPy = Self(rawValue: "NumPy array")
  /// An archive of NumPy arrays.
  public static let numPyArchive = Self(rawValue: "NumPy archive")
  /// A folder of NumPy arrays or of raw files.
  public static let folder = Self(rawValue: "folder")
}

/// The contents of an open weight file.
struct WeightContents: Sendable {
  /// The entries of the file, in its own order.
  let entries: [WeightFile.Entry]
  /// The usual axis order of the values.
  var layout = ParameterLayout.keras
  /// The possible interpretations of the parameters, the most likely first.
  var readings = [WeightReading(layout: .keras)]
  /// Returns the parameters under one interpretation.
  let parameters: @Sendable (WeightReading) throws(LoadError) -> any ParameterSource
}

/// One possible interpretation of a file's parameters.
package struct WeightReading: Sendable {
  /// The axis order of the values.
  let layout: ParameterLayout
  /// How layers are matched; formats without a layer order support only `byName`.
  var matching = LayerMatching.byName
}

/// A file or folder whose format is not yet known.
struct WeightOrigin: Sendable {
  /// The number of leading bytes used to recognize formats.
  private static let headBytes = 16

  /// The path, as given.
  let path: String
  let limits: LoadLimits
  /// The file; `nil` for a folder.
  let file: InputFile?
  /// The first bytes of the file; empty for a folder.
  let head: [UInt8]

  init(_ path: String, _ file: InputFile?, _ limits: LoadLimits) throws(LoadError) {
    self.path = path
    self.limits = limits
    self.file = file
    head = try file?.prefix(Self.headBytes) ?? []
  }

  /// The file as a zip archive; `nil` for other files.
  func archive() throws(LoadError) -> ZipArchive? {
    guard let file, ZipArchive.begins(head) else { return nil }
    return try ZipArchive(file, LoadBudget(limits, file))
  }
}
