import Forge
import ForgeLoaders

/// A model whose layers are all understood: what each does, and in which order they are called.
struct KerasPlan: Sendable {
  /// What an entry of the description is.
  enum Part: Sendable {
    case input
    case layer(KerasLayer, KerasStep)
    case model(KerasPlan)
    /// It is not supported, which has been noted.
    case unsupported
  }

  let description: KerasModelDescription
  let order: KerasOrder
  /// One part for each layer of the description.
  private(set) var parts: [Part] = []

  /// Facts about the file that all its models share.
  struct Context: Sendable {
    let file: KerasSource
    /// What is not supported so far.
    var unsupported: [UnsupportedNode] = []

    var path: String? { file.path }
    var limits: ImportLimits { file.limits }

    init(_ file: KerasSource) { self.file = file }

    /// Notes what is not supported; throws other faults.
    mutating func note(_ fault: KerasFault, _ layer: KerasLayer) throws(ImportError) {
      if let error = ImportError.keras(fault, layer: layer, path: path) { throw error }
      guard case .unsupported(let detail) = fault else { return }
      unsupported.append(
        UnsupportedNode(type: layer.shownKind, detail: detail, name: layer.path))
    }
  }

  /// Reads the description of a model and of the models inside it.
  init(
    _ json: JSONValue, prefix: String = "", depth: Int = 0, _ context: inout Context
  ) throws(ImportError) {
    guard depth < context.limits.depth else {
      throw ImportError(
        .tooLarge, "the model is beyond the limits of the import", path: context.path,
        received: "models more than \(context.limits.depth) levels deep",
        needs: "at most \(context.limits.depth)",
        remedy: "for a file that you trust, raise depth in ImportLimits")
    }
    description = try KerasModelDescription(json, path: context.path)
    order = try KerasOrder(description, path: context.path)
    for entry in description.layers {
      try context.file.count()
      let path = prefix + entry.name
      if entry.isInput {
        parts.append(.input)
      } else if entry.isModel {
        parts.append(
          .model(
            try KerasPlan(entry.json, prefix: path + "/", depth: depth + 1, &context)))
      } else {
        parts.append(try Self.part(entry, path, &context))
      }
    }
  }

  /// Whether a call with `training=True` computes something else than other calls.
  var differsInTraining: Bool {
    parts.contains { part in
      switch part {
      case .layer(let layer, _): layer.differsInTraining
      case .model(let inner): inner.differsInTraining
      case .input, .unsupported: false
      }
    }
  }

  private static func part(
    _ entry: KerasModelDescription.Entry, _ path: String, _ context: inout Context
  ) throws(ImportError) -> Part {
    let layer = KerasLayer(
      name: entry.name, path: path, kind: entry.kind,
      registered: KerasModelDescription.registeredNames(entry.json), module: entry.module,
      config: KerasConfig(entry.json["config"]), file: context.file)
    do throws(KerasFault) {
      return .layer(layer, try KerasClasses.step(for: layer))
    } catch {
      try context.note(error, layer)
      return .unsupported
    }
  }
}

extension KerasLayer {
  /// The class as messages name it: with its module unless it is one of Keras's own layers.
  var shownKind: String {
    if kind == "TFOpLambda", let function = config["function"]?.text { return "tf.\(function)" }
    guard isOperation || module?.hasPrefix("keras") == false, let module else { return kind }
    return "\(module).\(kind)"
  }
}
