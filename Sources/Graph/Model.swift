import ForgeLayers
import ForgeShapes

/// A network: its inputs, its outputs and its metadata.
///
/// A model is a value and computes nothing itself; `compile` turns it into a network that predicts.
/// ```swift
/// let model = Model(input: input, output: output)
/// let another = Model() --> Resize(width: 64, height: 64) --> Dense(neurons: 10, name: "fc1")
/// ```
public struct Model: Sendable {
  /// The inputs of a prediction, in order.
  public private(set) var inputs: [Tensor]
  /// The outputs of a prediction, in order.
  public private(set) var outputs: [Tensor]
  /// The labels, names and other metadata of the network.
  public var metadata: ModelMetadata
  /// The source of trained parameters when `compile` is given none.
  public var parameters: (any ParameterSource)?
  /// What a prediction may take, if the network is from a file; a compile checks it.
  package var limits: PredictionLimits?
  /// How the model follows open sizes, if a file describes it for each of them.
  var importedSizes: ImportedSizes?
  /// The source location of the model, for mistakes that belong to no layer.
  package let place: SourcePlace

  /// Creates a model of several inputs and outputs.
  ///
  /// - Parameters:
  ///   - inputs: tensors made by `Input`, each of which must reach an output.
  ///   - outputs: the tensors to predict.
  ///   - metadata: labels, names and other facts.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    inputs: [Tensor], outputs: [Tensor], metadata: ModelMetadata = ModelMetadata(),
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.metadata = metadata
    self.place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  /// Creates a model of one input and one output.
  ///
  /// - Parameters:
  ///   - input: the tensor made by `Input`.
  ///   - output: the tensor to predict.
  ///   - metadata: labels, names and other facts.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    input: Tensor, output: Tensor, metadata: ModelMetadata = ModelMetadata(),
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      inputs: [input], outputs: [output], metadata: metadata, fileID: fileID, line: line,
      column: column)
  }

  /// Creates a model of everything that a tensor is made from.
  ///
  /// Its inputs are those that lead to the output, in the order in which they were created.
  /// ```swift
  /// let model = Model(output: Input(shape: [4]) --> Dense(neurons: 3, name: "fc"))
  /// ```
  ///
  /// - Parameters:
  ///   - output: the tensor to predict.
  ///   - metadata: labels, names and other facts.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    output: Tensor, metadata: ModelMetadata = ModelMetadata(),
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.init(
      outputs: [output], metadata: metadata, fileID: fileID, line: line, column: column)
  }

  /// Creates a model of everything that tensors are made from.
  ///
  /// Its inputs are those that lead to an output, in the order in which they were created.
  ///
  /// - Parameters:
  ///   - outputs: the tensors to predict.
  ///   - metadata: labels, names and other facts.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    outputs: [Tensor], metadata: ModelMetadata = ModelMetadata(),
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    let inputs = Inference.reached(from: outputs).filter(\.isInput).sorted { $0.order < $1.order }
    self.init(
      inputs: inputs, outputs: outputs, metadata: metadata, fileID: fileID, line: line,
      column: column)
  }

  /// Creates a model of images of any size, to be extended by `-->`.
  ///
  /// - Parameters:
  ///   - channels: values per pixel.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    channels: Int = 3, fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    let input = Input(channels: channels, fileID: fileID, line: line, column: column)
    self.init(inputs: [input], outputs: [input], fileID: fileID, line: line, column: column)
  }

  /// Returns a model of other tensors with the same metadata, parameters and limits.
  ///
  /// Its inputs and outputs are no longer those of a file.
  package func with(inputs: [Tensor], outputs: [Tensor]) -> Model {
    var model = self
    model.inputs = inputs
    model.outputs = outputs
    model.metadata.interface = []
    return model
  }

  /// Returns the same inputs with other outputs.
  package func with(outputs: [Tensor]) -> Model { with(inputs: inputs, outputs: outputs) }
}

extension Model: Chainable {
  /// Returns the model with a step after its outputs.
  ///
  /// - Parameter step: what takes the outputs.
  /// - Returns: the longer model, with the outputs of the step.
  public func chained(to step: any Step) -> Model {
    with(outputs: Tensor.results(of: step, for: outputs))
  }
}

/// Metadata of a network, which does not affect what it computes.
public struct ModelMetadata: Sendable {
  /// The name of the network.
  public var name: String?
  /// What it is and where it comes from, in the words of its makers.
  public var about: String?
  /// Who made it.
  public var author: String?
  /// Under which terms it may be used.
  public var license: String?
  /// Its version, as its makers count.
  public var version: String?
  /// The program that wrote the file, with its version.
  public var producer: String?
  /// What else the file says, by its own keys.
  public var values: [String: String] = [:]
  /// The meaning of each element of the output.
  public var labels: [String]
  /// What the network expects of pictures, by the name of the input.
  public var pictures: [String: PicturePreparation] = [:]
  /// The node of the model file that combines the examples of the file's own batch, for messages;
  /// `nil` if examples are independent or the file has no batch.
  package var exampleMixer: String?
  /// The inputs and outputs as the model file has them, in the encoding of the importers; empty for
  /// a model that is not from a file, and for one that was changed since.
  package var interface: [UInt8] = []

  /// Creates metadata; all of it is optional.
  public init(name: String? = nil, about: String? = nil, labels: [String] = []) {
    self.name = name
    self.about = about
    self.labels = labels
  }
}
