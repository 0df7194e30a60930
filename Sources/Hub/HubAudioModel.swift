import Forge

/// The encoder of a Whisper network in a folder of the Hub.
///
/// ``Transcriber`` does the whole task, from sound to text.
///
/// ```swift
/// let hub = try HubAudioModel(contentsOf: "whisper-tiny")
/// let network = try hub.model.compile()
/// let features = try network.predict(values)  // [1500][384]
/// ```
/// - Input: `input_features` [``steps``][``bands``], a log-mel spectrogram: the bands of a step
///   beside each other, as everywhere in Forge. transformers has them the other way around.
/// - Output: `last_hidden_state` [``steps`` / 2][``channels``].
public struct HubAudioModel: Sendable {
  /// The folder, as given.
  public let path: String
  /// The kind of network, as config.json names it: `whisper`.
  public let architecture: String
  /// The channels of the features.
  public let channels: Int
  /// The steps of the input: 3000 for 30 seconds.
  public let steps: Int
  /// The bands of a step of the input.
  public let bands: Int
  /// The network with its weights; `compile()` makes it ready.
  public let model: Model

  /// Reads a folder.
  ///
  /// - Parameters:
  ///   - folder: the folder with config.json and model.safetensors.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``: `fileMissing`, `unreadable`, `malformed`, `tooLarge`, `invalid` or
  ///   `unsupported`, with the file and the name of the value.
  public init(contentsOf folder: String, limits: HubLimits = HubLimits()) throws(HubError) {
    let root = HubFolder(path: folder, limits: limits)
    let settings = try root.configuration()
    _ = try settings.architecture(among: [WhisperEncoder.self]) { $0.types }
    let encoder = try WhisperEncoder(settings, limits: limits)
    let tensors = try HubTensors(root)
    path = folder
    architecture = try settings.text("model_type") ?? ""
    channels = encoder.channels
    steps = 2 * encoder.positions
    bands = encoder.bands
    let sound = Input(shape: [steps, bands], name: "input_features")
    let output = encoder.features(of: sound) --> Identity(name: "last_hidden_state")
    var model = Model(inputs: [sound], outputs: [output])
    model.parameters = HubParameters(tensors: tensors, prefixes: WhisperEncoder.prefixes) {
      encoder.place(of: $0)
    }
    self.model = model
  }
}
