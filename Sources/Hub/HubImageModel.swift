import Forge

/// A folder of the Hub with a network for pictures: ViT, DINOv2, or the pictures' half of CLIP.
///
/// ```swift
/// let hub = try HubImageModel(contentsOf: "dinov2-small")
/// let network = try hub.model.compile()
/// let features = try network.predict(["pixel_values": pixels])["last_hidden_state"]
/// ```
/// - Input: `pixel_values` [``height``][``width``][``colors``], as ``preparation`` says: the values
///   of a pixel beside each other, as everywhere in Forge.
/// - Outputs: see ``HubImageHead``.
///
/// The size is the one that config.json states. A DINOv2 takes pictures of the size of its
/// ``preparation``: the positions of the patches are interpolated as in transformers.
public struct HubImageModel: Sendable {
  /// The folder, as given.
  public let path: String
  /// The kind of network, as config.json names it: `vit`.
  public let architecture: String
  /// What the network returns.
  public let head: HubImageHead
  /// The labels of a classification, in the order of the output; empty for other heads.
  public let labels: [String]
  /// The channels of the features.
  public let channels: Int
  /// The rows of a picture.
  public let height: Int
  /// The columns of a picture.
  public let width: Int
  /// The values of a pixel: 3 for red, green and blue.
  public let colors: Int
  /// How pictures become the input; `nil` if the folder does not say.
  public let preparation: HubPreparation?
  /// The network with its weights; `compile()` makes it ready.
  public let model: Model
  /// The labels, and how their numbers become scores.
  let labelList: LabelList
  /// The tensors of the folder.
  let tensors: HubTensors

  /// Reads a folder.
  ///
  /// - Parameters:
  ///   - folder: the folder with config.json and model.safetensors.
  ///   - head: what the network returns; if `nil`, what its config.json says.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``: `fileMissing`, `unreadable`, `malformed`, `tooLarge`, `invalid` or
  ///   `unsupported`, with the file and the name of the value.
  public init(
    contentsOf folder: String, head: HubImageHead? = nil, limits: HubLimits = HubLimits()
  ) throws(HubError) {
    let root = HubFolder(path: folder, limits: limits)
    let settings = try root.configuration()
    var architecture = try ImageArchitectures.architecture(settings, limits: limits)
    var preparation: HubPreparation?
    if let settings = try HubPreparation.settings(of: root) {
      let stated = try HubPreparation(settings)
      try stated.fit(&architecture, settings)
      preparation = stated
    }
    let tensors = try HubTensors(root)
    let head = if let head { head } else { try Self.head(of: settings) }
    let labels = try LabelList(settings)
    let sizes = architecture.sizes
    let prefixes = type(of: architecture).prefixes
    let pixels = Input(
      shape: [sizes.height, sizes.width, sizes.colors], name: "pixel_values")
    let outputs = architecture.outputs(of: head, on: pixels, labels: labels.names.count) { name in
      ([""] + prefixes).contains { tensors.has($0 + name) }
    }
    guard let outputs else {
      throw .unsupported(
        "architectures", head.rawValue, in: settings.path,
        needs: "another head for this kind of network")
    }
    path = folder
    self.architecture = try settings.text("model_type") ?? ""
    self.head = head
    self.labels = head == .classification ? labels.names : []
    channels = sizes.channels
    (height, width, colors) = (sizes.height, sizes.width, sizes.colors)
    self.preparation = preparation
    labelList = labels
    self.tensors = tensors
    var model = Model(
      inputs: [pixels], outputs: outputs.map { $0.value --> Identity(name: $0.key) })
    let finished = architecture
    model.parameters = HubParameters(tensors: tensors, prefixes: prefixes) {
      finished.place(of: $0)
    }
    model.metadata.labels = self.labels
    model.metadata.pictures["pixel_values"] = preparation?.stated(colors: colors)
    self.model = model
  }

  /// The head that config.json states with the class of the network.
  private static func head(of settings: Settings) throws(HubError) -> HubImageHead {
    let needs = "a model for features, classification or vectors"
    return try settings.head(needs: needs) { HubImageHead(className: $0) } ?? .features
  }
}
