import Forge
import ForgeLoaders

/// One input of a model.
struct KerasInput {
  /// The name of the `InputLayer`.
  let name: String
  /// The sizes without the batch; `nil` for any.
  let sizes: [Int?]
  /// The sizes that the caller states, without the batch; `nil` if none are.
  let stated: [InputSize]?
  /// The element type that the model states.
  let elementType: ElementType

  /// The inputs of a model in order.
  static func all(
    of plan: KerasPlan, _ options: ImportOptions, path: String?
  ) throws(ImportError) -> [KerasInput] {
    var inputs: [KerasInput] = []
    for reference in plan.description.inputs {
      // A reference to no layer is malformed; only a chain may leave its input out.
      _ = try plan.order.node(of: reference)
      guard let found = input(reference, of: plan) else {
        throw ImportError(
          .unknownSize, "the model does not say what its input is", path: path,
          entry: plan.description.name, received: "no InputLayer and no batch_input_shape",
          remedy: "begin the model with keras.Input(shape=…) and save it again")
      }
      inputs.append(found)
    }
    try options.checkLengths(path: path, batchIsFirst: true)
    for name in options.sizes.keys where !inputs.contains(where: { $0.name == name }) {
      throw ImportError(
        .unknownName, "the options state the sizes of an input that the model does not have",
        path: path,
        received: "\"\(name)\"", needs: inputs.map { "\"\($0.name)\"" }.joined(separator: ", "))
    }
    var sized: [KerasInput] = []
    for input in inputs { sized.append(try input.sized(options, path)) }
    return sized
  }

  private static func input(_ reference: KerasReference, of plan: KerasPlan) -> KerasInput? {
    let description = plan.description
    if let layer = description.layers.first(where: { $0.name == reference.layer }) {
      return KerasInput(layer.name, KerasConfig(layer.json["config"]))
    }
    // A chain states the input in its first layer, which may be a model of its own.
    guard let first = description.layers.first, let part = plan.parts.first else { return nil }
    if case .model(let inner) = part, let reference = inner.description.inputs.first {
      return input(reference, of: inner)
    }
    let config = KerasConfig(first.json["config"])
    return KerasInput("\(first.name)_input", config)
      ?? first.json["build_config"]
      .flatMap { $0["input_shape"] }
      .flatMap { KerasInput("\(first.name)_input", shape: $0, dtype: nil) }
  }

  private init?(_ name: String, _ config: KerasConfig) {
    if let shape = config["batch_shape", "batch_input_shape"] {
      self.init(name, shape: shape, dtype: config["dtype", "input_dtype"])
    } else if let count = config["input_dim"]?.wholeNumber {
      self.init(name, shape: .array([.null, .integer(count)]), dtype: config["dtype"])
    } else {
      return nil
    }
  }

  private init?(_ name: String, shape: JSONValue, dtype: JSONValue?) {
    guard let list = shape.array, !list.isEmpty,
      list.allSatisfy({ $0.isNull || $0.wholeNumber != nil })
    else { return nil }
    self.name = name
    sizes = list.dropFirst().map(\.wholeNumber)
    stated = nil
    let type = dtype?.text ?? dtype?["config"]?["name"]?.text
    elementType = type.flatMap { ElementType(keras: $0) } ?? .float32
  }

  private init(name: String, stated: [InputSize], elementType: ElementType) {
    self.name = name
    self.stated = stated
    sizes = stated.map(\.maximum)
    self.elementType = elementType
  }

  /// The input with the sizes that the caller states, which include the batch.
  private func sized(_ options: ImportOptions, _ path: String?) throws(ImportError) -> KerasInput {
    guard let stated = options.sizes[name] else { return self }
    guard stated.count == sizes.count + 1 else {
      throw ImportError(
        .invalidNode, "the options state a different number of sizes than the input has",
        path: path,
        entry: name, received: ImportOptions.text(stated),
        needs: "\(sizes.count + 1) sizes, the batch first")
    }
    return KerasInput(name: name, stated: Array(stated.dropFirst()), elementType: elementType)
  }

  /// The input with its batch, for those who state its open sizes.
  var asOpen: OpenInput { OpenInput(name: name, sizes: [1] + sizes) }

  /// The tensor of Forge.
  func tensor(path: String?, _ options: ImportOptions) throws(ImportError) -> KerasTensor {
    guard !sizes.isEmpty else {
      throw ImportError(
        .unsupported, "an input has no axes besides the batch", path: path, entry: name)
    }
    guard let known = Shape(sizes).sizes else {
      guard sizes.count == 3, let channels = sizes[2] else {
        throw ImportError(
          .unknownSize, "an input leaves a size open", path: path, entry: name,
          received: sizes.map { $0.map(String.init) ?? "?" }.joined(separator: "×"),
          needs: "known sizes, except for the height and width of images",
          remedy: options.remedy(forOpenSizesOf: [asOpen]))
      }
      return KerasTensor(
        tensor: Input(width: sizes[1], height: sizes[0], channels: channels, name: name), rank: 3)
    }
    let shift = KerasTensor.forgeSizes(known).count - known.count
    let shape = KerasTensor.forgeSizes(known).enumerated().map { axis, size -> InputSize in
      axis < shift ? 1 : stated?[axis - shift] ?? .exactly(size)
    }
    let input = Input(shape: shape, name: name)
    return KerasTensor(
      tensor: elementType.isWideInteger ? input.ofIntegers : input, rank: known.count)
  }

  /// How the input is stored in the world of Keras.
  var port: ImportedModel.Port {
    ImportedModel.Port(
      name: name, elementType: elementType, sizes: [1] + sizes.map { $0 ?? -1 },
      axes: ImportedModel.Port.kerasAxes(rank: sizes.count),
      lengthAxes: (stated ?? []).indices.filter { stated?[$0].isLength ?? false }.map { $0 + 1 })
  }
}

extension ImportedModel.Port {
  /// The axes of a tensor in Keras for those of Forge's.
  static func kerasAxes(rank: Int) -> [Int?] {
    rank == 1 ? [nil, nil, 1] : (0..<rank).map { $0 + 1 }
  }
}

extension ElementType {
  /// The type that Keras names.
  fileprivate init?(keras name: String) {
    switch name {
    case "float32": self = .float32
    case "float16": self = .float16
    case "bfloat16": self = .bfloat16
    case "float64": self = .float64
    case "int8": self = .int8
    case "uint8": self = .uint8
    case "int32": self = .int32
    case "int64": self = .int64
    case "bool": self = .bool
    default: return nil
    }
  }
}
