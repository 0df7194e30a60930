import ForgeShapes

/// One format of weight files.
///
/// A format is one file of this folder, which recognizes a file, lists its entries and gives its
/// parameters, and one line of ``WeightFile/formats``.
struct WeightFormat: Sendable {
  /// The name of the format.
  let format: WeightFile.Format
  /// The files of the format in messages: `HDF5 (.h5)`.
  let files: String
  /// Opens a file; `nil` when it is of another format.
  ///
  /// It throws ``LoadError`` when the file is of this format and cannot be read.
  let open: @Sendable (WeightOrigin) throws(LoadError) -> WeightContents?
}

extension WeightFile {
  /// Every format, in the order in which a file is compared with them.
  ///
  /// A `.keras` archive is also a zip archive, as an `.npz` is, so it comes first.
  static let formats: [WeightFormat] = [
    .hdf5, .keras, .safeTensors, .numPy, .numPyArchive, .folder,
  ]
}

extension WeightFile.Format {
  /// HDF5, as `.h5` and `.weights.h5` of Keras.
  public static let hdf5 = Self(rawValue: "HDF5")
  /// An archive of Keras 3.
  public static let keras = Self(rawValue: "Keras archive")
  /// A safetensors file.
  public static let safeTensors = Self(rawValue: "safetensors")
  /// One NumPy array.
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
  /// The possible meanings of the parameters, the likeliest first.
  var readings = [WeightReading(layout: .keras)]
  /// Returns the parameters with the meaning of a reading.
  let parameters: @Sendable (WeightReading) throws(LoadError) -> any ParameterSource
}

/// One possible meaning of the parameters of a file.
package struct WeightReading: Sendable {
  /// The axis order of the values.
  let layout: ParameterLayout
  /// How layers are matched; a format without an order matches by name only.
  var matching = LayerMatching.byName
}

/// A file or folder of unknown format.
struct WeightOrigin: Sendable {
  /// The number of bytes in which formats are recognized.
  private static let headBytes = 16

  /// The path, as it was given.
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
