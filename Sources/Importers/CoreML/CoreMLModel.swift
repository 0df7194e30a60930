import Forge

/// A model as a file holds it, of which inputs, outputs and metadata are read (Model.proto).
struct CoreMLModel {
  /// The version of the format.
  let version: Int
  let description: CoreMLDescription
  /// The number of the field with the network, program or other model; `nil` for none.
  private let type: Int?
  private let fields: WireFields

  /// The numbers of fields.
  private enum Field {
    static let version = 1
    static let description = 2
    static let pipelineClassifier = 200
    static let pipelineRegressor = 201
    static let pipeline = 202
    static let networks: Set = [303, 403, 500]
    static let program = 502
    static let custom = 555
    static let scaler = 604
    static let suppression = 610
  }

  /// What a model is.
  enum Content {
    case network(CoreMLNetwork)
    case program(MILProgram)
    /// Models one behind the other.
    case pipeline([WireMessage])
    /// One of a class that the file only names.
    case custom(WireFields)
    /// One that is not a network.
    case stage(any CoreMLStage)
    /// One that Forge does not read, or none.
    case other
  }

  init(_ message: WireMessage) throws(ImportError) {
    fields = try WireFields(message)
    version = try fields.int(Field.version)
    description = try CoreMLDescription(fields.message(Field.description))
    type = fields.last { $0 >= Field.pipelineClassifier }
  }

  /// The type of the model, as the format names it; `nil` for none.
  var typeName: String? { type.map { Self.types[$0] ?? "an unknown model" } }

  /// Reads the model.
  ///
  /// - Throws: ``ImportError``: `malformed`, `unreadable` or `tooLarge`.
  func content(limits: ImportLimits) throws(ImportError) -> Content {
    guard let type, let content = try fields.message(type) else { return .other }
    switch type {
    case Field.pipeline: return .pipeline(try content.messages(1))
    case Field.pipelineClassifier, Field.pipelineRegressor:
      return .pipeline(try content.message(1)?.messages(1) ?? [])
    case Field.program: return .program(try MILProgram(content))
    case Field.custom: return .custom(content)
    case Field.scaler: return .stage(try CoreMLScaler(content))
    case Field.suppression: return .stage(try CoreMLSuppressionStage(content))
    case let type where Field.networks.contains(type):
      return .network(try CoreMLNetwork(content, limits: limits))
    default: return .other
    }
  }

  /// The types of models by the number of their field.
  private static let types: [Int: String] = [
    200: "pipelineClassifier", 201: "pipelineRegressor", 202: "pipeline", 300: "glmRegressor",
    301: "supportVectorRegressor", 302: "treeEnsembleRegressor", 303: "neuralNetworkRegressor",
    304: "bayesianProbitRegressor", 400: "glmClassifier", 401: "supportVectorClassifier",
    402: "treeEnsembleClassifier", 403: "neuralNetworkClassifier",
    404: "kNearestNeighborsClassifier", 500: "neuralNetwork", 501: "itemSimilarityRecommender",
    502: "mlProgram", 555: "customModel", 556: "linkedModel",
    560: "classConfidenceThresholding", 600: "oneHotEncoder", 601: "imputer",
    602: "featureVectorizer", 603: "dictVectorizer", 604: "scaler", 606: "categoricalMapping",
    607: "normalizer", 609: "arrayFeatureExtractor", 610: "nonMaximumSuppression",
    900: "identity", 2000: "textClassifier", 2001: "wordTagger", 2002: "visionFeaturePrint",
    2003: "soundAnalysisPreprocessing", 2004: "gazetteer", 2005: "wordEmbedding",
    2006: "audioFeaturePrint", 3000: "serializedModel",
  ]
}

/// The inputs and outputs of a model or of one of its functions.
struct CoreMLDescription {
  var input, output: [CoreMLFeature]
  var predictedFeatureName, predictedProbabilitiesName: String
  /// The functions of a package with several; none for other models.
  private(set) var functions: [(name: String, fields: WireFields)] = []
  /// The function that is meant where none is named.
  private(set) var defaultFunction = ""
  private(set) var metadata = CoreMLMetadata()

  init(_ fields: WireFields?) throws(ImportError) {
    try self.init(fields, input: 1, output: 10, predicted: 11, probabilities: 12)
    guard let fields else { return }
    for function in try fields.list(20) { functions.append((try function.name(1), function)) }
    defaultFunction = try fields.name(21)
    if let about = try fields.message(100) { metadata = try CoreMLMetadata(about) }
  }

  private init(
    _ fields: WireFields?, input: Int, output: Int, predicted: Int, probabilities: Int
  ) throws(ImportError) {
    self.input = try Self.features(fields, input)
    self.output = try Self.features(fields, output)
    predictedFeatureName = try fields?.name(predicted) ?? ""
    predictedProbabilitiesName = try fields?.name(probabilities) ?? ""
  }

  private static func features(
    _ fields: WireFields?, _ number: Int
  ) throws(ImportError) -> [CoreMLFeature] {
    var features: [CoreMLFeature] = []
    for feature in try fields?.list(number) ?? [] { features.append(try CoreMLFeature(feature)) }
    return features
  }

  /// The description with the inputs and outputs of a function; its own if it has no such function.
  func of(function name: String) throws(ImportError) -> CoreMLDescription {
    guard let function = functions.first(where: { $0.name == name }) else { return self }
    let functionDescription = try CoreMLDescription(
      function.fields, input: 2, output: 3, predicted: 4, probabilities: 5)
    var description = self
    (description.input, description.output) = (
      functionDescription.input, functionDescription.output
    )
    description.predictedFeatureName = functionDescription.predictedFeatureName
    description.predictedProbabilitiesName = functionDescription.predictedProbabilitiesName
    return description
  }
}

/// What the author says about a model.
struct CoreMLMetadata {
  private(set) var about = ""
  private(set) var version = ""
  private(set) var author = ""
  private(set) var license = ""
  /// Keys and values of the author's own.
  private(set) var values: [String: String] = [:]

  init() {}

  init(_ fields: WireFields) throws(ImportError) {
    about = try fields.string(1)
    version = try fields.string(2)
    author = try fields.string(3)
    license = try fields.string(4)
    values = try fields.map(100) { entry throws(ImportError) in try entry.string(2) }
  }
}

/// An input or output of a model (FeatureTypes.proto).
struct CoreMLFeature {
  let name: String
  let about: String
  let type: Kind
  /// The sizes that it may have besides its default ones, if any.
  let flexible: CoreMLSizes?

  /// What its values are.
  enum Kind {
    case image(width: Int, height: Int, colorSpace: Int)
    case array(sizes: [Int], type: Int)
    /// Neither.
    case other
  }

  init(_ fields: WireFields) throws(ImportError) {
    name = try fields.name(1)
    about = try fields.string(2)
    let kinds = try fields.message(3)
    let kind = kinds?.last { $0 < 1000 }
    var content: WireFields?
    if let kind { content = try kinds?.message(kind) }
    switch (kind, content) {
    case (4, let image?):
      let (width, height) = (try image.int(1), try image.int(2))
      type = .image(width: width, height: height, colorSpace: try image.int(3))
      flexible = try CoreMLSizes(image: image, width: width, height: height)
    case (5, let array?):
      let sizes = try array.ints(1)
      type = .array(sizes: sizes, type: try array.int(2))
      flexible = try CoreMLSizes(array: array, sizes: sizes)
    default: (type, flexible) = (.other, nil)
    }
  }

  /// The sizes of an array; none of other features.
  var sizes: [Int] {
    if case .array(let sizes, _) = type { sizes } else { [] }
  }

  /// The element type of an array; that of other features is Float32.
  var elementType: ElementType {
    guard case .array(_, let type) = type else { return .float32 }
    return switch type {
    case 65_552: .float16
    case 65_600: .float64
    case 131_104: .int32
    case 131_080: .int8
    default: .float32
    }
  }
}
