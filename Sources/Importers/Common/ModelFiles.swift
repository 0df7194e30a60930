import Forge
import Synchronization

/// The files that a model file names: those beside it, or what the caller gives for them.
final class ModelFiles: Sendable {
  /// The model file; `nil` if the model is in memory, so nothing is beside it.
  private let model: String?
  /// The path or the name of the model, for messages.
  private let origin: String
  private let given: (@Sendable (String) throws -> ExternalData)?
  /// What was given so far, by name.
  private let found = Mutex<[EntryName: ExternalData]>([:])

  /// The files of a model file.
  init(beside path: String, _ options: ImportOptions) {
    model = path
    origin = path
    given = options.externalData
  }

  /// The files of a model in memory.
  init(besideBytes name: String, _ options: ImportOptions) {
    model = nil
    origin = name
    given = options.externalData
  }

  /// A range of a file, which counts for the budget of the import.
  ///
  /// - Parameters:
  ///   - name: the file; the caller has checked that it is inside the model's folder.
  ///   - offset: where the range begins.
  ///   - byteCount: its size.
  /// - Returns: the bytes, which are read when they are needed.
  /// - Throws: ``ImportError``, `LoadError`, and what the caller's closure throws.
  func bytes(of name: String, offset: Int, byteCount: Int) throws -> any StoredBytes {
    if let given {
      let data = try found.withLock { found in
        if let data = found[EntryName(name)] { return data }
        let data = try given(name)
        found[EntryName(name)] = data
        return data
      }
      ImportBudget.add(file: "\(origin)/\(name)", bytes: data.byteCount)
      return try ExternalRange(data, offset: offset, byteCount: byteCount, name: name)
    }
    guard let model else {
      throw ImportError(
        .fileMissing, "the model is in memory and names a file of weights", path: origin,
        received: "\"\(name)\"", remedy: "pass its bytes through ImportOptions.externalData")
    }
    return try FileRange(
      try ModelFolder(of: model).file(name), offset: offset, byteCount: byteCount)
  }
}
