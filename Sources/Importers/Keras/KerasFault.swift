import Forge

/// What prevents one layer of a Keras model from being imported.
enum KerasFault: Error {
  /// The layer, or one of its arguments (`data_format "channels_first"`), is not supported.
  case unsupported(String?)
  /// The description of the layer is not one that Keras writes.
  case invalid(String, received: String? = nil, needs: String? = nil)
  /// The layer does not fit its inputs.
  case shape(ShapeError, inputs: [Shape?])
  /// Values that the description needs cannot be read.
  case loading(LoadError)
  /// A limit of the import is exceeded, or anything else that ends it.
  case fatal(ImportError)
}

extension ForgeError where ErrorKind == ImportErrorKind {
  /// The error of a file that cannot be read.
  static func keras(loading error: LoadError) -> ImportError {
    let kind: ImportErrorKind =
      switch error.kind {
      case .fileMissing: .fileMissing
      case .wrongSize, .wrongCount, .wrongShape, .wrongElementType, .unused: .parameter
      case .refused, .outOfMemory: .tooLarge
      case .damaged, .notHDF5, .entryMissing, .duplicate: .malformed
      case .unsupported: .unsupported
      case .unreadable, .notARegularFile, .badName: .unreadable
      }
    return ImportError(kind, error.problem)
  }

  /// The error of a description that Keras does not write.
  static func kerasDescription(
    _ headline: String, path: String?, entry: String? = nil, received: String? = nil,
    needs: String? = nil
  ) -> ImportError {
    ImportError(.malformed, headline, path: path, entry: entry, received: received, needs: needs)
  }

  /// The error of a layer, unless the fault is that it is not supported.
  static func keras(_ fault: KerasFault, layer: KerasLayer, path: String?) -> ImportError? {
    let entry = "layer \"\(layer.path)\" (\(layer.kind))"
    switch fault {
    case .unsupported: return nil
    case .invalid(let headline, let received, let needs):
      return ImportError(
        .invalidNode, headline, path: path, entry: entry, received: received, needs: needs)
    case .shape(let cause, let inputs):
      var problem = cause.problem
      problem.path = path
      problem.entry = entry
      if problem.received == nil, !inputs.isEmpty {
        let shapes = inputs.map { $0?.description ?? "an unknown shape" }
        problem.details.insert(("received", shapes.joined(separator: ", ")), at: 0)
      }
      return ImportError(.invalidNode, problem)
    case .loading(let error):
      var problem = error.problem
      if problem.entry == nil { problem.entry = entry }
      return ImportError(.parameter, problem)
    case .fatal(let error): return error
    }
  }
}
