/// The error of a reader that was given a file of another format: it names the right reader.
struct OtherFormat {
  private let format: WeightFormat
  /// The reader with its argument: `HDF5Parameters("net.h5")`.
  private let remedy: String

  /// Recognizes a file by its contents; `nil` if it has no known format.
  init?(_ file: InputFile) {
    let limits = LoadLimits()
    guard let origin = try? WeightOrigin(file.path, file, limits),
      let format = WeightFile.formats.first(where: { (try? $0.recognizes(origin)) ?? false })
    else { return nil }
    self.format = format
    let argument = file.isInMemory ? "bytes: …" : "\(format.argument)\"\(file.path)\""
    remedy = "\(format.reader)(\(argument))"
  }

  /// Recognizes the file at a path; `nil` if it cannot be opened or has no known format.
  init?(path: String) {
    guard let file = try? InputFile(path: path, staysOpen: false) else { return nil }
    self.init(file)
  }

  /// Runs a reader of one format.
  ///
  /// - Throws: what the reader throws; for a file of another format, an error that names the right
  ///   reader.
  static func naming<Value: ~Copyable>(
    _ file: InputFile, readAs format: WeightFile.Format, _ read: () throws(LoadError) -> Value
  ) throws(LoadError) -> Value {
    do throws(LoadError) { return try read() } catch {
      guard [.damaged, .notHDF5, .refused, .unsupported, .entryMissing].contains(error.kind),
        let needed = WeightFile.formats.first(where: { $0.format == format })
      else { throw error }
      if let other = OtherFormat(file) {
        guard other.format.format != format else { throw error }
        throw .otherFormat(
          error.kind, other.format.name, needs: needed.name, remedy: other.remedy
        ).located(in: file.path, file.entry)
      }
      // A file that does not hold weights is named for what it is.
      guard file.count > 0, let contents = FileContents(file), contents.isReadByNone else {
        throw error
      }
      throw .otherFormat(
        error.kind, contents.name, needs: needed.name, remedy: contents.remedy
      ).located(in: file.path, file.entry)
    }
  }

  /// The reader of a folder: of NumPy arrays if it has some, else of raw files; `nil` if it has
  /// neither.
  static func reader(ofFolder path: String) -> String? {
    guard let names = (try? Folder.files(in: path, limits: LoadLimits())) ?? nil else { return nil }
    if names.contains(where: { $0.hasSuffix(NumPyArrays.ending) }) {
      return "NumPyParameters(\"\(path)\")"
    }
    return names.contains { $0.hasSuffix(".bin") } ? "ParameterDirectory(\"\(path)\")" : nil
  }

  /// What to write instead of a reader of folders or of raw values; `nil` for unknown files.
  static func remedy(forFile path: String) -> String? {
    OtherFormat(path: path)?.sentence
  }

  /// What to write instead of a reader of raw values; `nil` for unknown files.
  static func remedy(for file: InputFile) -> String? { OtherFormat(file)?.sentence }

  private var sentence: String { "this is \(format.name): \(remedy)" }
}
