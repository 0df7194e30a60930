/// What is wrong inside an HDF5 file; ``HDF5File`` adds the path and the entry.
enum HDF5Fault: Error {
  /// The file contradicts itself or ends too early; at a byte of the file, where that helps.
  case damaged(String, at: Int? = nil)
  /// The file uses a form of storage that is not read.
  case unsupported(String)
  /// The file points out of itself, or asks for more than it may.
  case refused(String)
  /// The values have a type that is not read.
  case elementType(String)
  /// Reading the file failed, or its budget is spent: nothing more of it can be read.
  case outside(LoadError)

  /// Whether the rest of the file is of no use either.
  var endsReading: Bool {
    switch self {
    case .damaged, .outside: true
    case .unsupported, .refused, .elementType: false
    }
  }

  /// Does something whose errors end the reading of the file.
  static func wrapping<Value>(
    _ body: () throws(LoadError) -> Value
  ) throws(HDF5Fault) -> Value {
    do throws(LoadError) { return try body() } catch { throw .outside(error) }
  }

  /// Does something whose errors a user sees.
  static func wording<Value: ~Copyable>(
    _ path: String, entry: String? = nil, _ body: () throws(HDF5Fault) -> Value
  ) throws(LoadError) -> Value {
    do throws(HDF5Fault) {
      return try body()
    } catch {
      throw error.error(path: path, entry: entry)
    }
  }

  /// The error a user sees.
  func error(path: String, entry: String? = nil) -> LoadError {
    switch self {
    case .damaged(let what, let offset):
      .damaged(path, entry: entry, what, at: offset)
    case .unsupported(let what):
      .unsupportedHDF5(path, entry: entry, what)
    case .refused(let what):
      .refusedHDF5(path, entry: entry, what)
    case .elementType(let type):
      .wrongElementType(path, entry: entry, type)
    case .outside(let error): error
    }
  }
}

/// What no HDF5 file of parameters needs, whatever its size.
enum HDF5Limits {
  /// Links that lead to links.
  static let maximumHops = 64
  /// Bytes of one dataset.
  static let maximumDatasetBytes = 1 << 40
  /// Messages of one object.
  static let maximumMessages = 1 << 16
  /// Bytes that one stored byte can stand for: the largest ratio of deflate.
  static let maximumRatio = 1032
}
