import Forge

/// A neural network, classifier or regressor (NeuralNetwork.proto).
struct CoreMLNetwork {
  let layers: [CoreMLLayer]
  let preprocessing: [CoreMLPreprocessing]
  /// Whether arrays have the rank that they state, so values have any rank.
  let isExact: Bool
  /// The rank of an image: exact networks add a sequence axis unless they say otherwise.
  let imageRank: Int
  /// The labels of a classifier; `nil` for other networks.
  let labels: [String]?
  /// The value with the probabilities of a classifier; that of the last layer if it is empty.
  let probabilities: String

  /// The numbers of fields.
  private enum Field {
    static let layers = 1
    static let preprocessing = 2
    static let arrayMapping = 5
    static let imageMapping = 6
    static let textLabels = 100
    static let numberLabels = 101
    static let probabilities = 200
  }

  /// Reads a network; the parameters of its layers are read with each layer.
  ///
  /// - Throws: ``ImportError``: `malformed`, `unreadable` or `tooLarge`.
  init(_ fields: WireFields, limits: ImportLimits) throws(ImportError) {
    let messages = try fields.messages(Field.layers)
    guard messages.count <= limits.nodes else {
      throw .tooLarge(
        "\(messages.count) layers", limit: "nodes", limits.nodes, path: messages[0].file.path)
    }
    var layers: [CoreMLLayer] = []
    for message in messages { layers.append(try CoreMLLayer(message)) }
    self.layers = layers
    var steps: [CoreMLPreprocessing] = []
    for step in try fields.list(Field.preprocessing) {
      steps.append(try CoreMLPreprocessing(step))
    }
    preprocessing = steps
    isExact = try fields.int(Field.arrayMapping) == 1
    let isPlain = try fields.int(Field.imageMapping) == 1
    imageRank = isExact && !isPlain ? 5 : 4
    switch fields.last(where: { [Field.textLabels, Field.numberLabels].contains($0) }) {
    case Field.textLabels: labels = try fields.message(Field.textLabels)?.strings(1)
    case Field.numberLabels:
      labels = try fields.message(Field.numberLabels)?.ints(1).map { "\($0)" }
    default: labels = nil
    }
    probabilities = try fields.name(Field.probabilities)
  }
}

/// A layer: its name, the names of what it reads and makes, and its type (NeuralNetwork.proto).
struct CoreMLLayer {
  let name: String
  let inputs, outputs: [String]
  /// The number of the field with the parameters, which is that of the type; `nil` for none.
  let type: Int?
  private let message: WireMessage

  init(_ message: WireMessage) throws(ImportError) {
    self.message = message
    let fields = try WireFields(message)
    name = try fields.name(1)
    inputs = try fields.names(2)
    outputs = try fields.names(3)
    type = fields.last { $0 >= 100 }
  }

  /// The parameters.
  ///
  /// - Throws: ``ImportError``: `malformed`, `unreadable` or `tooLarge`.
  func parameters() throws(ImportError) -> WireFields {
    let fields = try WireFields(message)
    guard let type, let parameters = try fields.message(type) else { return try WireFields([]) }
    return parameters
  }
}
