import Forge

/// Builds the layers of Core ML's networks, one network after the other in a pipeline.
struct CoreMLNetworkImport {
  private let path: String
  private let options: ImportOptions
  private var limits: ImportLimits { options.limits }
  /// What Forge lacks, collected over all networks.
  var unsupported: [UnsupportedNode] = []
  var parameters: [ImportedParameters.Key: ImportedParameters.Entry] = [:]
  /// The names that layers of the model already have.
  private var names: Set<String>
  /// How often a name was made unique, so that many equal names take no quadratic time.
  private var repeats: [String: Int] = [:]
  /// The names before the numbers of names such as `scale/2`.
  private var stems: Set<String> = []
  private var layerCount = 0

  init(path: String, options: ImportOptions, reserved: Set<String>) {
    self.path = path
    self.options = options
    names = reserved
  }

  /// Builds a network on values by name, and returns all its values.
  ///
  /// - Throws: ``ImportError``: `malformed`, `tooLarge` or `invalidNode`. What is not supported is
  ///   collected, and its values are missing.
  mutating func build(
    _ network: CoreMLNetwork, on inputs: [String: FileValue]
  ) throws(ImportError) -> [String: FileValue] {
    layerCount = network.layers.reduce(layerCount) { count, layer in
      // Each result and four operands are a layer or a part of one.
      count.addingSaturated(max(layer.outputs.count, 1) + layer.inputs.count / 4)
    }
    guard layerCount <= limits.nodes else {
      throw .tooLarge("\(layerCount) layers", limit: "nodes", limits.nodes, path: path)
    }
    var values = inputs
    // Values that do not exist because a layer before them is not supported.
    var missing: Set<String> = []
    for layer in network.layers {
      if layer.inputs.contains(where: { missing.contains($0) && values[$0] == nil }) {
        // Its own type may be unsupported as well.
        if try translation(of: layer) == nil { try refuse(layer, nil) }
        missing.formUnion(layer.outputs)
        continue
      }
      var operands: [FileValue] = []
      for name in layer.inputs {
        guard let value = values[name] else {
          throw ImportError(
            .malformed, "a layer reads a value that no earlier layer makes", path: path,
            entry: layer.name, received: "\"\(name)\"")
        }
        operands.append(value)
      }
      let results: [FileValue?]
      do {
        results = try built(layer, operands, isExact: network.isExact)
      } catch NodeFailure.unsupported(let detail) {
        try refuse(layer, detail)
        missing.formUnion(layer.outputs)
        continue
      } catch NodeFailure.invalid(let text) {
        throw ImportError(
          .invalidNode, "a layer does not fit its inputs", path: path,
          entry: "\(layer.name) (\(try typeName(layer)))", received: text)
      } catch var error as ImportError {
        if error.path == nil { error.path = path }
        throw error
      } catch {
        throw ImportError(
          .unreadable, "the weights of a layer cannot be read", path: path, entry: layer.name,
          cause: error)
      }
      for (name, value) in zip(layer.outputs, results) { values[name] = value }
    }
    return values
  }

  /// What translates a layer; `nil` if neither Forge nor the caller has its type.
  private func translation(
    of layer: CoreMLLayer
  ) throws(ImportError) -> CoreMLLayerType.Translation? {
    guard let type = layer.type else { return nil }
    guard type == CoreMLLayerType.custom else { return CoreMLLayerType.find(type)?.translate }
    let name = try CoreMLCustomLayer.className(layer.parameters())
    guard let build = options.coreMLLayers[name] else { return nil }
    return { call in
      let custom = try CoreMLCustomLayer(
        call.fields, name: call.name, outputCount: call.outputs.count)
      let inputs = try call.inputs.indices.map { try call.network($0) }
      for (index, result) in try custom.built(by: build, on: inputs).enumerated() {
        call.set(.network(result), output: index)
      }
    }
  }

  /// The results of a layer, whose parameters are taken over.
  private mutating func built(
    _ layer: CoreMLLayer, _ inputs: [FileValue], isExact: Bool
  ) throws -> [FileValue?] {
    guard let translate = try translation(of: layer) else { throw NodeFailure.unsupported(nil) }
    var call = try CoreMLCall(
      layer, name: uniqueName(layer.name), isExact: isExact, inputs: inputs)
    let entry = "\(try typeName(layer)) \"\(layer.name)\""
    try SourcePlace.describing(for: SourcePlace(file: path, entry: entry)) { try translate(&call) }
    parameters.merge(call.parameters) { first, _ in first }
    guard parameters.count <= limits.tensors else {
      throw ImportError.tooLarge("more weights", limit: "tensors", limits.tensors, path: path)
    }
    return call.outputs
  }

  /// The type of a layer: `convolution`, `custom Swirl`.
  func typeName(_ layer: CoreMLLayer) throws(ImportError) -> String {
    let name = CoreMLLayerType.name(of: layer.type)
    guard layer.type == CoreMLLayerType.custom else { return name }
    let className = try CoreMLCustomLayer.className(layer.parameters())
    return className.isEmpty ? name : "\(name) \(className)"
  }

  private mutating func refuse(_ layer: CoreMLLayer, _ detail: String?) throws(ImportError) {
    unsupported.append(
      UnsupportedNode(type: try typeName(layer), detail: detail, name: layer.name))
  }

  /// A name that no other layer has, nor a layer that another one is translated to: `scale/2`.
  private mutating func uniqueName(_ name: String) -> String {
    let start = name.isEmpty || name.contains(where: \.isNewline) ? "layer" : name
    var unique = start
    while !isFree(unique) {
      let number = repeats[start, default: 1] + 1
      repeats[start] = number
      unique = "\(start)_\(number)"
    }
    names.insert(unique)
    if let stem = Self.stem(of: unique) { stems.insert(stem) }
    return unique
  }

  private func isFree(_ name: String) -> Bool {
    !names.contains(name) && !stems.contains(name)
      && Self.stem(of: name).map { !names.contains($0) } != false
  }

  /// What stands before the number of a name of the form `scale/2`.
  private static func stem(of name: String) -> String? {
    let digits = name.utf8.reversed().prefix { (48...57).contains($0) }.count
    let stem = name.dropLast(digits)
    return digits > 0 && stem.last == "/" ? String(stem.dropLast()) : nil
  }
}
