import Forge

/// A kind of network for pictures: what its configuration means, and its layers.
///
/// Layers have the names of the tensors in files, as ``TextArchitecture`` has them.
protocol ImageArchitecture: Sendable {
  /// The values of `model_type` that name it.
  static var types: [String] { get }
  /// The prefixes that the tensors of the body may have.
  static var prefixes: [String] { get }

  /// Reads `config.json`.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  init(_ settings: Settings, limits: HubLimits) throws(HubError)

  /// The sizes of the picture and of the blocks.
  var sizes: PatchSizes { get set }
  /// Whether the library interpolates the places of patches for pictures of another size.
  static var interpolates: Bool { get }

  /// Describes the network.
  ///
  /// - Parameters:
  ///   - head: the head.
  ///   - pixels: the picture, [height][width][colors].
  ///   - labels: the number of labels.
  ///   - has: whether the folder has a tensor.
  /// - Returns: the outputs of the head, by name; `nil` if there is none of the kind.
  func outputs(
    of head: HubImageHead, on pixels: Tensor, labels: Int, has: (String) -> Bool
  ) -> KeyValuePairs<String, Tensor>?
  /// The tensor that holds a parameter.
  func place(of spec: ParameterSpec) -> TensorPlace?
}

extension ImageArchitecture {
  static var interpolates: Bool { false }
}

/// The architectures for pictures, by the names that configurations have for them.
enum ImageArchitectures {
  static let all: [any ImageArchitecture.Type] = [ViT.self, DINOv2.self, CLIPVision.self]

  /// Reads the architecture of a configuration.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  static func architecture(
    _ settings: Settings, limits: HubLimits
  ) throws(HubError) -> any ImageArchitecture {
    let type = try settings.architecture(among: all) { $0.types }
    try settings.refuseQuantization()
    return try type.init(settings, limits: limits)
  }
}

extension TensorPlace {
  /// Adds other names, which a file may have instead.
  ///
  /// - Parameter names: what stands in the names of layers, and what files have in its place.
  /// - Returns: the place under all names.
  func adding(_ names: KeyValuePairs<String, String>) -> TensorPlace {
    var place = self
    place.names = self.names.flatMap { name in
      let other = names.reduce(name) { $0.replacing($1.key, with: $1.value) }
      return other == name ? [name] : [name, other]
    }
    return place
  }
}
