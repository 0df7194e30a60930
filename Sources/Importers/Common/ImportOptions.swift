import Forge

/// The options of an import.
///
/// ```swift
/// var options = ImportOptions()
/// options.sizes["image"] = [1, 3, 224, 224]
/// options.sizes["ids"] = [1, .upTo(512)]
/// options.constants["axes"] = try StoredTensor(int64s: [1, 2])
/// ```
/// They are encoded for keys of the cache. Options that are Swift code cannot be encoded.
public struct ImportOptions: Sendable, Encodable {
  /// The sizes of inputs, by name, with the axes of the file, batch included.
  ///
  /// They replace those of the file, and those that are assumed where it leaves a size open. A size
  /// `.upTo(512)` is the length of a sequence, which each prediction chooses up to this number;
  /// `.stepping(from:through:by:)` is one of a network with strides along the sequence. All inputs
  /// have equally many lengths.
  public var sizes: [String: [InputSize]]
  /// The largest size that is assumed for an axis that the file leaves open and ``sizes`` does not
  /// state; `nil` to refuse such files, and to take the default sizes of Core ML files.
  ///
  /// If the network does not support it, such as one with 128 learned positions, a quarter or a
  /// sixteenth of it is tried. ``ImportedModel/assumedSizes`` says what was assumed. The largest
  /// sizes determine memory and limits of the compiled model.
  public var largestOpenSize: Int? = 512
  /// The values of inputs that are bound while importing, by name.
  ///
  /// Such an input becomes a constant of the model and is not one of its inputs.
  public var constants: [String: StoredTensor]
  /// Finds the files of weights that a model names, such as ONNX's external data.
  ///
  /// It is called once for each name with the path as the file states it, and must return what it
  /// holds. Without it, the files are looked for beside the model; a model of bytes has none. Its
  /// errors become the cause of an ``ImportError``.
  public var externalData: (@Sendable (_ name: String) throws -> ExternalData)? {
    get { code.externalData }
    set { code.externalData = newValue }
  }
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
  public var onnxOperators: [String: ONNXOperatorBuilder] {
    get { code.onnxOperators }
    set { code.onnxOperators = newValue }
  }
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
  public var coreMLLayers: [String: CoreMLLayerBuilder] {
    get { code.coreMLLayers }
    set { code.coreMLLayers = newValue }
  }
  /// What builds layers of Keras files by the name of their class, for `Lambda`, custom layers
  /// and registered classes: `MyLayer`, or `Package>MyLayer` with the package.
  ///
  /// It takes precedence over Forge's own layer of the same name. Each call of a layer calls it
  /// once.
  public var kerasLayers: [String: KerasLayerBuilder] {
    get { code.kerasLayers }
    set { code.kerasLayers = newValue }
  }
  /// The limits on the file.
  public var limits: ImportLimits
  /// The axes of inputs, by name, in place of those that the importer of ONNX chooses.
  ///
  /// A file that is imported for many sizes has one order for all.
  var layouts: [String: [Int?]] = [:]
  /// The inputs whose sizes are assumed; their batch is that of the file.
  var assumedInputs: Set<String> = []
  /// Whose words the remedies of errors are in.
  package var style = Style.swift
  private var code = ImportCode()

  /// How the caller states options.
  package enum Style: Sendable, Encodable {
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
    self.sizes = sizes
    self.constants = constants
    self.limits = limits
    self.externalData = externalData
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
