import Forge

/// A network that hears ten words: two convolutions in time and a GRU on the bands of each frame.
///
/// All layers look back only and keep a state, so that sound is heard frame by frame.
enum KeywordNetwork {
  /// The words, in the order of the outputs.
  static let words = ["yes", "no", "up", "down", "left", "right", "stop", "go", "on", "off"]
  /// The output for anything else: the last one.
  static let nothing = words.count
  /// The number of outputs.
  static let classes = words.count + 1

  /// The probability of each word in features [frames][40], [frames][11].
  static func probabilities(of features: Tensor) -> Tensor {
    features
      --> Convolution1D(
        kernel: 5, channels: 96, padding: .streaming, activation: .relu, name: "conv1")
      --> Convolution1D(
        kernel: 5, channels: 96, padding: .streaming, activation: .relu, name: "conv2")
      --> GRU(units: 128, returnSequences: true, stateful: true, form: .pytorch, name: "gru")
      --> LastAxisDense(neurons: classes, name: "words")
      --> Softmax(name: "probabilities")
  }

  /// From samples [frames][320] to probabilities, with the features as a second output if asked for.
  static func model(frames: Int = 1, showsFeatures: Bool = false) -> Model {
    let samples = Input(shape: [frames, FrontEnd.frame], name: "samples")
    let features = FrontEnd.features(of: samples)
    let output = probabilities(of: features)
    return Model(inputs: [samples], outputs: showsFeatures ? [output, features] : [output])
  }

  /// From features of one frame to probabilities, for stored features.
  static func classifier() -> Model {
    let features = Input(shape: [1, FrontEnd.bands], name: "features")
    return Model(input: features, output: probabilities(of: features))
  }

  /// A model compiled with the weights of a file.
  static func compiled(_ model: Model, weights: String) throws -> CompiledModel {
    try model.compile(
      parameters: CombinedParameters([FrontEnd.parameters, SafeTensorsParameters(weights)]),
      options: CompileOptions(threads: 1))
  }
}
