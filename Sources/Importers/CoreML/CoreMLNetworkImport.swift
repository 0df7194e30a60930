import Forge
import ForgeMessages

/// Builds the layers of Core ML's networks, one network after the other in a pipeline.
struct CoreMLNetworkImport {
  private let path: String
  private let limits: ImportLimits
  /// What Forge lacks, collected over all networks.
  var unsupported: [UnsupportedNode] = []
  private(set) var parameters: [ImportedParameters.Key: ImportedParameters.Entry] = [:]
  /// The names that layers of the model already have.
  private var names: Set<String>
  /// How often a name was made unique, so that many equal names take no quadratic time.
  private var repeats: [String: Int] = [:]
  private var layerCount = 0

  init(path: String, limits: ImportLimits, reserved: Set<String>) {
    self.path = path
    self.limits = limits
    names = reserved
  }

  /// Builds a network on values by name, and returns all its values.
  ///
  /// - Throws: ``ImportError``: `malformed`, `tooLarge` or `invalidNode`. What is not supported is
  ///   collected, and its values are missing.
  mutating func build(
    _ network: CoreMLNeuralNetwork, on inputs: [String: FileValue]
  ) throws(ImportError) -> [String: FileValue] {
    layerCount = network.layers.reduce(layerCount) { count, layer in
      // Each result and four operands are a layer or a part of one.
      count.addingSaturated(max(layer.output.count, 1) + layer.input.count / 4)
    }
    guard layerCount <= limits.nodes else {
      throw .tooLarge("\(layerCount) layers", limit: "nodes", limits.nodes, path: path)
    }
    var values = inputs
    // Values that do not exist because a layer before them is not supported.
    var missing: Set<String> = []
    for layer in network.layers {
      for name in [layer.name] + layer.input + layer.output {
        try limits.check(name: name, path: path)
      }
      if layer.input.contains(where: { missing.contains($0) && values[$0] == nil }) {
        // Its own type may be unsupported as well.
        if layer.kind == nil || CoreMLOperators.isUnknown(layer) { refuse(layer, nil) }
        missing.formUnion(layer.output)
        continue
      }
      var operands: [FileValue] = []
      for name in layer.input {
        guard let value = values[name] else {
          throw ImportError(
            .malformed, "a layer reads a value that no earlier layer makes", path: path,
            entry: layer.name, received: "\"\(name)\"")
        }
        operands.append(value)
      }
      var call = CoreMLCall(
        layer, name: uniqueName(layer.name), isExact: network.arrayInputShapeMapping == 1,
        inputs: operands)
      do {
        let entry = "\(CoreMLOperators.typeName(layer)) \"\(layer.name)\""
        try SourcePlace.describing(for: SourcePlace(file: path, entry: entry)) {
          try CoreMLOperators.build(&call)
        }
      } catch NodeFailure.unsupported(let detail) {
        refuse(layer, detail)
        missing.formUnion(layer.output)
        continue
      } catch NodeFailure.invalid(let text) {
        throw ImportError(
          .invalidNode, "a layer does not fit its inputs", path: path,
          entry: "\(layer.name) (\(CoreMLOperators.typeName(layer)))", received: text)
      } catch let error as ImportError {
        throw error
      } catch {
        throw ImportError(
          .unreadable, "the weights of a layer cannot be read", path: path, entry: layer.name,
          cause: error)
      }
      try take(call)
      for (name, value) in zip(layer.output, call.outputs) { values[name] = value }
    }
    return values
  }

  /// Takes over the parameters of a layer.
  private mutating func take(_ call: CoreMLCall) throws(ImportError) {
    parameters.merge(call.parameters) { first, _ in first }
    guard parameters.count <= limits.tensors else {
      throw .tooLarge("more weights", limit: "tensors", limits.tensors, path: path)
    }
  }

  private mutating func refuse(_ layer: CoreMLLayer, _ detail: String?) {
    unsupported.append(
      UnsupportedNode(
        type: CoreMLOperators.typeName(layer), detail: detail, name: layer.name))
  }

  /// A name that no other layer has.
  private mutating func uniqueName(_ name: String) -> String {
    let start = name.isEmpty || name.contains(where: \.isNewline) ? "layer" : name
    var unique = start
    while !names.insert(unique).inserted {
      let number = repeats[start, default: 1] + 1
      repeats[start] = number
      unique = "\(start)_\(number)"
    }
    return unique
  }
}

extension CoreMLOperators {
  /// The type of a layer, as the format names it: `convolution`.
  static func typeName(_ layer: CoreMLLayer) -> String {
    guard let kind = layer.kind else { return "an unknown layer" }
    let label = Mirror(reflecting: kind).children.first?.label ?? "\(kind)"
    if case .custom(let custom) = kind, !custom.className.isEmpty {
      return "custom \(custom.className)"
    }
    return label
  }

  /// Whether Forge has no layer of this type, whatever its inputs.
  static func isUnknown(_ layer: CoreMLLayer) -> Bool {
    switch layer.kind {
    case .cropResize, .dot, .custom, .branch, .loop, .loopBreak, .loopContinue,
      .rangeStatic, .rangeDynamic, .scatter, .gatherNd, .scatterNd, .scatterAlongAxis,
      .reverseSeq, .sliceDynamic, .slidingWindows, .getShape, .fillLike,
      .fillDynamic, .broadcastToLike, .broadcastToDynamic, .reshapeLike, .reshapeDynamic,
      .whereNonZero, .matrixBandPart, .lowerTriangular, .upperTriangular, .nonMaximumSuppression,
      .oneHot, .argSort, .pooling3D, .globalPooling3D, .sliceBySize, .convolution3D:
      true
    default: false
    }
  }
}
