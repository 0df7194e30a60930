import Forge

/// The options of an import.
///
/// ```swift
/// var options = ImportOptions()
/// options.sizes["image"] = [1, 3, 224, 224]
/// options.sizes["ids"] = [1, .upTo(512)]
/// options.constants["axes"] = try StoredTensor(int64s: [1, 2])
/// ```
public struct ImportOptions: Sendable {
  /// The sizes of inputs, by name, with the axes of the file, batch included.
  ///
  /// They are needed where the file leaves a size open, and replace those of the file. A size
  /// `.upTo(512)` is the length of a sequence, which each prediction chooses up to this number;
  /// `.stepping(from:through:by:)` is one of a network with strides along the sequence. All inputs
  /// have equally many lengths.
  public var sizes: [String: [InputSize]]
  /// The values of inputs that are bound while importing, by name.
  ///
  /// Such an input becomes a constant of the model and is not one of its inputs.
  public var constants: [String: StoredTensor]
  /// Finds the files of weights that a model names, such as ONNX's external data.
  ///
  /// It is called once for each name with the path as the file states it, and must return what it
  /// holds. Without it, the files are looked for beside the model; a model of bytes has none. Its
  /// errors become the cause of an ``ImportError``.
  public var externalData: (@Sendable (_ name: String) throws -> ExternalData)?
  /// Builds the nodes of ONNX operators that Forge does not have, by their names: `Domain::Name`,
  /// or `Name` for ONNX's own domain.
  ///
  /// The function gets a node and returns its outputs, made of layers or a `Custom`. Operators that
  /// Forge has are never asked for; functions of the file are replaced. Forge knows nothing about
  /// examples and lengths in such a node: a file with an open batch predicts one example at a time,
  /// unless ``sizes`` states the whole batch, and lengths are fixed.
  ///
  /// ```swift
  /// var options = ImportOptions()
  /// options.onnxOperators["org.example::Cube"] = { node in
  ///   let x = try node.tensor(0)
  ///   return [ONNXNode.Output([x, x, x] --> Multiply())]
  /// }
  /// ```
  public var onnxOperators: [String: ONNXOperatorBuilder] = [:]
  /// The function of a Core ML package that has several; `nil` for the default one.
  public var function: String?
  /// What builds layers and models of classes of your own in Core ML files, by class name.
  ///
  /// ```swift
  /// var options = ImportOptions()
  /// options.coreMLLayers["Swirl"] = { layer, inputs in
  ///   [inputs[0].with(inputs[0].tensor --> Activation(.swish))]
  /// }
  /// ```
  public var coreMLLayers: [String: CoreMLLayerBuilder] = [:]
  /// What builds layers of Keras files by the name of their class, for `Lambda`, own layers and
  /// registered classes: `MyLayer`, or `Package>MyLayer` with the package.
  ///
  /// It takes precedence over Forge's own layer of the same name. Each call of a layer calls it
  /// once.
  public var kerasLayers: [String: KerasLayerBuilder] = [:]
  /// The limits on the file.
  public var limits: ImportLimits
  /// Whose words the remedies of errors are in.
  package var style = Style.swift

  /// How the caller states options.
  package enum Style: Sendable {
    /// In Swift: `options.sizes["x"] = [1, 128]`.
    case swift
    /// As arguments of the tool: `--size x=1x128`.
    case tool
  }

  /// Makes the outputs of a node of ONNX whose operator Forge does not have.
  public typealias ONNXOperatorBuilder = @Sendable (_ node: ONNXNode) throws -> [ONNXNode.Output]

  /// Creates options; those that are not given have defaults.
  ///
  /// - Parameters:
  ///   - sizes: the sizes of inputs, by name, with the axes of the file.
  ///   - constants: the values of inputs that are bound while importing, by name.
  ///   - limits: the limits on the file.
  ///   - externalData: what finds the files of weights that the model names.
  public init(
    sizes: [String: [InputSize]] = [:], constants: [String: StoredTensor] = [:],
    limits: ImportLimits = ImportLimits(),
    externalData: (@Sendable (_ name: String) throws -> ExternalData)? = nil
  ) {
    self.externalData = externalData
    self.sizes = sizes
    self.constants = constants
    self.limits = limits
  }

  /// Checks the options against a model: that all names are those of inputs, and that lengths of
  /// sequences are stated where they may be.
  ///
  /// - Parameters:
  ///   - inputs: the names of the inputs.
  ///   - path: the file, for messages.
  ///   - takesLengths: whether the format takes sequences of changing length.
  ///   - hasFunctions: whether the importer has found the function that is asked for.
  /// - Throws: ``ImportError`` of kind `unknownName`, `unknownSize` or `unsupported`.
  func check(
    against inputs: Set<String>, path: String, takesLengths: Bool = false,
    hasFunctions: Bool = false
  ) throws(ImportError) {
    if !hasFunctions { try refuseFunction(path: path) }
    if takesLengths {
      try checkLengths(path: path, batchIsFirst: false)
    } else {
      try refuseLengths(path: path)
    }
    for (names, purpose) in [(constants.keys.sorted(), " to bind"), (sizes.keys.sorted(), "")] {
      for name in names where !inputs.contains(name) {
        throw ImportError(
          .unknownName, "the model has no input \"\(name)\"\(purpose)", path: path,
          needs: "one of " + inputs.sorted().joined(separator: ", "))
      }
    }
  }

  /// Refuses the name of a function, for formats without functions to choose.
  ///
  /// - Throws: ``ImportError`` of kind `unknownName`.
  func refuseFunction(path: String?) throws(ImportError) {
    guard let function else { return }
    throw ImportError(
      .unknownName, "the file has no functions to choose from", path: path,
      received: "the function \"\(function)\"")
  }
}
