/// The role of a parameter in its layer.
///
/// The names are those in files: a source finds `gamma` of layer `bn1` by the pair of names.
public struct ParameterType: Hashable, Sendable, CustomStringConvertible, Encodable {
  /// The name, such as `weights`, `biases` or `gamma`.
  public let name: String

  /// Creates a type with a name; custom layers may define their own types.
  public init(_ name: String) {
    self.name = name
  }

  /// The kernel of a convolution, or the matrix of a dense layer.
  public static let weights = ParameterType("weights")
  /// The first kernel of a separable convolution, which treats each channel on its own.
  public static let depthwise = ParameterType("depthwise")
  /// One value per output channel, added last.
  public static let biases = ParameterType("biases")
  /// The scale of a batch normalization.
  public static let gamma = ParameterType("gamma")
  /// The shift of a batch normalization.
  public static let beta = ParameterType("beta")
  /// The mean of a batch normalization.
  public static let mean = ParameterType("mean")
  /// The variance of a batch normalization.
  public static let variance = ParameterType("variance")
  /// The matrix that a recurrent layer multiplies its last output by.
  public static let recurrentWeights = ParameterType("recurrentWeights")
  /// One value per gate and unit, added to the products with the recurrent weights.
  public static let recurrentBiases = ParameterType("recurrentBiases")
  /// The factors of the cells in the gates of an LSTM.
  public static let peepholes = ParameterType("peepholes")
  /// The matrix that the output of an LSTM is multiplied by.
  public static let projection = ParameterType("projection")
  /// The matrix that makes the queries of an attention.
  public static let queryWeights = ParameterType("queryWeights")
  /// One value per channel of the queries.
  public static let queryBiases = ParameterType("queryBiases")
  /// The matrix that makes the keys of an attention.
  public static let keyWeights = ParameterType("keyWeights")
  /// One value per channel of the keys.
  public static let keyBiases = ParameterType("keyBiases")
  /// The matrix that makes the values of an attention.
  public static let valueWeights = ParameterType("valueWeights")
  /// One value per channel of the values.
  public static let valueBiases = ParameterType("valueBiases")
  /// The matrix that the heads of an attention are multiplied by.
  public static let outputWeights = ParameterType("outputWeights")
  /// One value per output of an attention.
  public static let outputBiases = ParameterType("outputBiases")
  /// The slopes of a PReLU for negative values.
  public static let slopes = ParameterType("slopes")

  /// The name.
  public var description: String { name }
}

/// The meaning of one axis of a parameter.
public enum ParameterAxis: Character, Hashable, Sendable, Encodable {
  /// Output channels, or neurons.
  case outputs = "O"
  /// Rows of the kernel, or of the image a dense layer flattens.
  case height = "H"
  /// Columns of the kernel, or of the image a dense layer flattens.
  case width = "W"
  /// Input channels, of one group if there are several.
  case inputs = "I"
  /// Channels of a depthwise kernel, or of a parameter with one value per channel.
  case channels = "C"
  /// Outputs per channel of a depthwise kernel.
  case multiplier = "M"

  /// Hashes the letter as a number; as a character it would be hashed as a text.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue.asciiValue) }

  /// Encodes the letter.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(rawValue))
  }
}

/// The specification of a parameter: its name, meaning, sizes and axis order.
public struct ParameterSpec: Hashable, Sendable, Encodable {
  /// The name of the layer it belongs to.
  public private(set) var layer: String
  /// The role of the parameter in its layer.
  public let type: ParameterType
  /// The meaning of each axis, outermost first, in Forge's own order.
  public let axes: [ParameterAxis]
  /// The size of each axis.
  public let sizes: [Int]
  /// The axes in the order in which Keras and TensorFlow store them, outermost first.
  public let kerasAxes: [ParameterAxis]
  /// The axes in the order in which PyTorch, ONNX and Core ML store them, outermost first.
  public let pytorchAxes: [ParameterAxis]

  /// Creates a specification; a layer may leave its own name empty, and the graph fills it in.
  ///
  /// - Parameters:
  ///   - layer: the name of the layer.
  ///   - type: the role of the parameter in the layer.
  ///   - shape: the meaning and the size of each axis in Forge's order, outermost first.
  ///   - keras: the order of the axes in Keras. The default is that of a convolution for axes
  ///     [outputs][height][width][inputs], that of a depthwise convolution for
  ///     [channels][multiplier][height][width], and Forge's for all others.
  ///   - pytorch: the order of the axes in PyTorch. The defaults are as for Keras, and
  ///     [channels][height][width] for one value per element of an image.
  public init(
    layer: String = "", _ type: ParameterType, _ shape: KeyValuePairs<ParameterAxis, Int>,
    keras: [ParameterAxis]? = nil, pytorch: [ParameterAxis]? = nil
  ) {
    self.init(
      layer: layer, type, axes: shape.map(\.key), sizes: shape.map(\.value), keras: keras,
      pytorch: pytorch)
  }

  /// Creates a specification from as many sizes as axes.
  package init(
    layer: String = "", _ type: ParameterType, axes: [ParameterAxis], sizes: [Int],
    keras: [ParameterAxis]? = nil, pytorch: [ParameterAxis]? = nil
  ) {
    self.layer = layer
    self.type = type
    self.axes = axes
    self.sizes = sizes
    let usual = Self.usualOrders(axes)
    self.kerasAxes = keras ?? usual.keras
    self.pytorchAxes = pytorch ?? usual.pytorch
  }

  /// The orders in which other frameworks store the axes of a convolution and of an image.
  private static func usualOrders(
    _ axes: [ParameterAxis]
  ) -> (keras: [ParameterAxis], pytorch: [ParameterAxis]) {
    switch axes {
    case [.outputs, .height, .width, .inputs]:
      ([.height, .width, .inputs, .outputs], [.outputs, .inputs, .height, .width])
    case [.channels, .multiplier, .height, .width]:
      ([.height, .width, .channels, .multiplier], [.channels, .multiplier, .height, .width])
    case [.height, .width, .channels]:
      ([.height, .width, .channels], [.channels, .height, .width])
    default: (axes, axes)
    }
  }

  /// Returns the same parameter for the layer named `layer`.
  public func named(_ layer: String) -> ParameterSpec {
    var spec = self
    spec.layer = layer
    return spec
  }

  /// The number of values; 0 when the product is out of bounds, which shape inference rejects.
  public var count: Int { Shape.product(of: sizes) ?? 0 }

  /// Whether an axis is stated twice.
  package var repeatsAxis: Bool {
    axes.indices.contains { axes[..<$0].contains(axes[$0]) }
  }

  /// Whether the axes are those of another parameter in any order, where no axis is stated twice.
  package func hasAxes(of other: ParameterSpec) -> Bool {
    axes.count == other.axes.count && axes.allSatisfy(other.axes.contains)
  }

  /// The sizes in Forge's order with their axes: `20×5×5×3 [O][H][W][I]`.
  package var shapeText: String {
    sizes.map(String.init).joined(separator: "×") + " "
      + axes.map { "[\($0.rawValue)]" }.joined()
  }
}
