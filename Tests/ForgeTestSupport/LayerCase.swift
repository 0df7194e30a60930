import Forge

/// What the tests that walk all layers know of one type of layer.
///
/// A new layer gets one value in ``all``. With it the layer is checked for its name and place,
/// with absurd arguments, against the fixtures of other frameworks, on images of many sizes, and in
/// random networks.
public struct LayerCase: CustomStringConvertible, Sendable {
  /// What tests pass to a layer as arguments: one number wherever it takes one.
  public struct Arguments: Sendable {
    /// A whole number.
    public let n: Int
    /// A number.
    public let x: Float
    /// The layer's name.
    public let name: String?
    /// The place in source.
    public let fileID: String, line: Int, column: Int

    /// Creates arguments.
    public init(
      _ n: Int, _ x: Float, name: String?, fileID: String = "App/Net.swift", line: Int = 14,
      column: Int = 7
    ) {
      (self.n, self.x, self.name) = (n, x, name)
      (self.fileID, self.line, self.column) = (fileID, line, column)
    }
  }

  /// One layer, or a few, applied to an image whose channels are given, with so many output
  /// channels where they can be chosen.
  public typealias Network = @Sendable (_ image: Tensor, _ channels: Int, _ outputs: Int) -> Tensor

  /// The name of the type, as fixtures write it.
  public let description: String
  /// The name in the column "Type" of a summary.
  public let summaryName: String
  /// Layers with these arguments.
  public let layers: @Sendable (Arguments) -> [any Layer]
  /// The layer of a fixture whose first input has so many channels; nil where no framework has it.
  public let decode: (@Sendable (FixtureLayer, _ channels: Int) throws -> any Layer)?
  /// The layer in networks, by a name for each.
  public let networks: KeyValuePairs<String, Network>

  init(
    _ type: String, summary: String? = nil,
    networks: KeyValuePairs<String, Network>,
    decode: (@Sendable (FixtureLayer, _ channels: Int) throws -> any Layer)? = nil,
    layers: @escaping @Sendable (Arguments) -> [any Layer]
  ) {
    description = type
    summaryName = summary ?? type
    self.networks = networks
    self.decode = decode
    self.layers = layers
  }

  /// All layers.
  public static let all =
    windows + elementwise + rearrangements + products + general + sequences + recurrent + attention
    + normalizations

  /// The layer that a fixture describes.
  ///
  /// - Throws: ``FixtureError`` for an unknown type or argument.
  public static func layer(_ layer: FixtureLayer, channels: Int) throws -> any Layer {
    guard let decode = all.first(where: { $0.description == layer.type })?.decode else {
      throw FixtureError("no layer \(layer.type)")
    }
    return try decode(layer, channels)
  }

  /// Functions of every kind, twice the one that is most common.
  public static let functions: [ActivationFunction] = [
    .relu, .relu, .relu6, .leakyReLU(slope: 0.1), .elu(alpha: 0.7), .selu, .sigmoid, .tanh,
    .hardSigmoid, .hardSwish, .swish, .mish, .gelu, .geluTanh, .softplus,
    .clipped(minimum: -0.5, maximum: 1.5), .hardSigmoidLinear(alpha: 0.3, beta: 0.4),
  ]
}
