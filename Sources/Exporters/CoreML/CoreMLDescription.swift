import Forge

/// An input or output of a Core ML file.
struct CoreMLPort {
  /// What its values are.
  enum Kind {
    case array(sizes: [Int], isInteger: Bool)
    case image(CoreMLPicture)
  }

  let name: String
  /// What the file says about it.
  let about: String
  let kind: Kind

  /// The port as a message (`FeatureDescription`).
  var message: CoreMLMessage {
    Self.message(name) { type in
      switch kind {
      case .array(let sizes, let isInteger):
        type.message(5) {
          $0.integers(1, sizes)
          $0.integer(2, isInteger ? 131_104 : 65_568)
        }
      case .image(let picture): picture.write(to: &type)
      }
    }
  }

  /// A feature whose type a closure fills.
  static func message(
    _ name: String, _ fill: (inout CoreMLMessage) -> Void
  ) -> CoreMLMessage {
    var feature = CoreMLMessage()
    feature.text(1, name)
    feature.message(3, fill)
    return feature
  }

  /// Writes what the network does to the pixels of an image.
  func preprocess(_ network: inout CoreMLMessage) {
    guard case .image(let picture) = kind else { return }
    network.message(2) { step in
      step.text(1, name)
      step.message(10) { picture.writeScaler(to: &$0) }
    }
  }
}

/// The description of a Core ML file: inputs, outputs and metadata (`ModelDescription`).
struct CoreMLDescription {
  private let metadata: ModelMetadata
  private let inputs: [CoreMLPort]
  private let outputs: [CoreMLPort]
  /// The output with the probabilities of a classifier; `nil` for other models.
  let probabilities: String?

  init(
    _ metadata: ModelMetadata, _ options: CoreMLOptions, inputs: [CoreMLPort],
    outputs: [CoreMLPort]
  ) {
    (self.metadata, self.inputs, self.outputs) = (metadata, inputs, outputs)
    // A dictionary has each label once.
    let isUsable =
      options.isClassifier && !metadata.labels.isEmpty
      && Set(metadata.labels).count == metadata.labels.count
    probabilities =
      isUsable
      ? outputs.first { port in
        guard case .array(let sizes, _) = port.kind else { return false }
        return sizes.reduce(1, *) == metadata.labels.count
      }?.name : nil
  }

  /// The name of the output with the label of the largest probability, which no other has.
  private var labelName: String {
    let taken = Set((inputs + outputs).map(\.name))
    var name = "classLabel"
    while taken.contains(name) { name += "_" }
    return name
  }

  /// The description as a message.
  var message: CoreMLMessage {
    var description = CoreMLMessage()
    for port in inputs { description.message(1, port.message) }
    for port in outputs {
      guard port.name == probabilities else {
        description.message(10, port.message)
        continue
      }
      // Numbers by label.
      description.message(
        10, CoreMLPort.message(port.name) { $0.message(6) { $0.message(2) { _ in } } })
    }
    if let probabilities {
      description.message(10, CoreMLPort.message(labelName) { $0.message(3) { _ in } })
      description.text(11, labelName)
      description.text(12, probabilities)
    }
    description.message(100) { about in
      if let text = metadata.about { about.text(1, text) }
      if let version = metadata.version { about.text(2, version) }
      if let author = metadata.author { about.text(3, author) }
      if let license = metadata.license { about.text(4, license) }
      for (key, text) in values.sorted(by: { $0.key < $1.key }) {
        about.message(100) {
          $0.text(1, key)
          $0.text(2, text)
        }
      }
    }
    return description
  }

  /// The metadata that the format has no field for.
  private var values: [String: String] {
    var values = metadata.values
    // Labels of a model that is not a classifier.
    if probabilities == nil, !metadata.labels.isEmpty {
      values["labels"] = ExportedText.json(metadata.labels)
    }
    return values
  }
}
