import Forge

/// Builds the network of a Darknet configuration, layer by layer.
struct DarknetImporter {
  private let configuration: DarknetConfiguration
  private let input: Tensor
  /// The output of each layer so far.
  private(set) var results: [Tensor] = []
  var places = DarknetPlaces()
  /// Whether the matrices of connected layers are stored [inputs][outputs].
  let isTransposed: Bool
  private var outputs: [(name: String, tensor: Tensor)] = []
  private(set) var detections: [DarknetDetection] = []
  let inputSize: Size

  /// Describes the input.
  ///
  /// - Throws: ``ImportError``: `unsupported` with every layer and option that Forge lacks,
  ///   `malformed` or `invalidNode` for a wrong size of the input.
  init(_ configuration: DarknetConfiguration, isTransposed: Bool) throws(ImportError) {
    self.configuration = configuration
    self.isTransposed = isTransposed
    var unsupported: [UnsupportedNode] = []
    for section in configuration.sections.dropFirst() {
      unsupported += try DarknetSupport.missing(in: section)
    }
    guard unsupported.isEmpty else {
      throw .unsupported(unsupported, path: configuration.path)
    }
    let net = configuration.sections[0]
    let size = Size(width: try net.int("width", 0), height: try net.int("height", 0))
    let channels = try net.int("channels", 0)
    inputSize = size
    input = Input(width: size.width, height: size.height, channels: channels, name: "data")
    guard input.shape != nil else {
      throw net.error(
        .invalidNode, "the size of the input is not valid",
        received: "width \(size.width), height \(size.height), channels \(channels)",
        needs: "positive numbers")
    }
  }

  /// Builds all layers.
  ///
  /// - Throws: ``ImportError``: `malformed`, `invalidNode` or `unsupported`.
  mutating func build() throws(ImportError) {
    for section in configuration.sections.dropFirst() {
      let place = SourcePlace(
        file: configuration.path, entry: "[\(section.type)] \"\(section.name)\"")
      let result = try SourcePlace.describing(for: place) { () throws(ImportError) in
        try layer(section)
      }
      if case .failed(let error) = result.outcome {
        throw .invalidNode(
          error, path: configuration.path, entry: "layer \(section.index) [\(section.type)]")
      }
      guard result.shape != nil else {
        throw section.error(.invalidNode, "the layer does not fit its inputs")
      }
      results.append(result)
    }
    if outputs.isEmpty { outputs = [("output", named(current, "output"))] }
  }

  /// The network.
  func imported(parameters: DarknetParameters?) -> ImportedDarknet {
    var model = Model(inputs: [input], outputs: outputs.map(\.tensor))
    model.parameters = parameters
    if let colors = ModelMetadata.colors(of: input) {
      // As the program does without the option letter_box.
      model.metadata.pictures["data"] = PicturePreparation(colors: colors, scale: [1 / 255])
    }
    func port(_ name: String, _ tensor: Tensor) -> ImportedModel.Port {
      let sizes = tensor.shape?.sizes ?? []
      return ImportedModel.Port(
        name: name, sizes: [1] + [2, 0, 1].map { sizes[$0] }, axes: [2, 3, 1])
    }
    return ImportedDarknet(
      imported: ImportedModel(
        model: model, inputs: [port("data", input)],
        outputs: outputs.map { port($0.name, $0.tensor) }),
      detections: detections)
  }

  // MARK: Layers

  /// The tensor in front of the next layer.
  var current: Tensor { results.last ?? input }

  /// The output of a layer that an option names: an earlier one by its number, or counted back from
  /// this layer.
  func result(_ number: Int, for section: DarknetSection) throws(ImportError) -> Tensor {
    let index = number < 0 ? section.index.addingSaturated(number) : number
    guard results.indices.contains(index) else {
      throw section.error(
        .invalidNode, "there is no such layer", received: "layer \(number)",
        needs: section.index == 0
          ? "an earlier layer"
          : "a number from −\(section.index) to −1, "
            + "or from 0 to \(section.index - 1)")
    }
    return results[index]
  }

  /// A tensor under another name.
  func named(_ tensor: Tensor, _ name: String) -> Tensor {
    tensor --> Activation(.linear, name: name)
  }

  /// The function of a layer's option `activation`, as ``DarknetSupport`` admits it.
  func activation(
    _ section: DarknetSection, _ absent: String = "linear"
  ) -> ActivationFunction {
    DarknetActivation.function(section.string("activation", absent)) ?? .linear
  }

  private mutating func layer(_ section: DarknetSection) throws(ImportError) -> Tensor {
    let x = current
    let name = section.name
    switch section.type {
    case "convolutional": return try convolution(section)
    case "connected": return try connected(section)
    case "maxpool": return try pooling(section, isMaximum: true)
    case "local_avgpool": return try pooling(section, isMaximum: false)
    case "avgpool": return x --> GlobalAveragePooling(name: name)
    case "route": return try route(section)
    case "shortcut": return try shortcut(section)
    case "sam": return try scaling(section)
    case "scale_channels": return try scaling(section)
    case "upsample": return try upsample(section)
    case "reorg": return try reorganization(section)
    case "softmax": return try softmax(section)
    case "activation": return x --> Activation(activation(section), name: name)
    case "yolo", "gaussian_yolo", "region":
      let (output, detection) = try detection(section)
      outputs.append((name, output))
      detections.append(detection)
      return output
    // Training only.
    default: return x
    }
  }

  /// Checks a number that becomes a size.
  func positive(_ section: DarknetSection, _ key: String, _ absent: Int) throws(ImportError) -> Int
  {
    let value = try section.int(key, absent)
    guard 1...ConvolutionGeometry.maximumArgument ~= value else {
      throw section.error(
        .invalidNode, "\(key) must be positive", received: "\(value)",
        needs: "1 to \(ConvolutionGeometry.maximumArgument)")
    }
    return value
  }

  /// The sizes of an image that a layer reads.
  func sizes(
    of tensor: Tensor, for section: DarknetSection
  ) throws(ImportError) -> (width: Int, height: Int, channels: Int) {
    guard let sizes = tensor.shape?.sizes, sizes.count == 3 else {
      throw section.error(.invalidNode, "the layer's input has no known size")
    }
    return (sizes[1], sizes[0], sizes[2])
  }
}
