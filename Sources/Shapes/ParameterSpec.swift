/// What a parameter is to its layer.
///
/// The names are those of files: a source finds `gamma` of layer `bn1` by the pair of names.
public struct ParameterType: Hashable, Sendable, CustomStringConvertible {
  /// The name, as `weights`, `biases` or `gamma`.
  public let name: String

  /// Creates a type of a name; layers of your own may have types of their own.
  public init(_ name: String) {
    self.name = name
  }

  /// The kernel of a convolution, the matrix of a dense layer.
  public static let weights = ParameterType("weights")
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
  /// The slopes of a PReLU for negative values.
  public static let slopes = ParameterType("slopes")

  /// The name.
  public var description: String { name }
}

/// The meaning of one axis of a parameter.
public enum ParameterAxis: Character, Hashable, Sendable {
  /// Output channels, or neurons.
  case outputs = "O"
  /// Rows of the kernel, or of the image a dense layer flattens.
  case height = "H"
  /// Columns of the kernel, or of the image a dense layer flattens.
  case width = "W"
  /// Input channels; of one group where there are groups.
  case inputs = "I"
  /// Channels of a depthwise kernel, or of one value per channel.
  case channels = "C"
  /// Outputs per channel of a depthwise kernel.
  case multiplier = "M"
}

/// One parameter a layer needs: its name, meaning, sizes and axis order.
public struct ParameterSpec: Hashable, Sendable {
  /// The name of the layer it belongs to.
  public let layer: String
  /// What it is to the layer.
  public let type: ParameterType
  /// The meaning of each axis, outermost first, in Forge's own order.
  public let axes: [ParameterAxis]
  /// The size of each axis.
  public let sizes: [Int]

  /// Creates a specification; a layer may leave its own name empty, the graph fills it in.
  public init(
    layer: String = "", _ type: ParameterType, _ shape: KeyValuePairs<ParameterAxis, Int>
  ) {
    self.layer = layer
    self.type = type
    self.axes = shape.map(\.key)
    self.sizes = shape.map(\.value)
  }

  private init(layer: String, type: ParameterType, axes: [ParameterAxis], sizes: [Int]) {
    self.layer = layer
    self.type = type
    self.axes = axes
    self.sizes = sizes
  }

  /// The same parameter of the layer called `layer`.
  public func named(_ layer: String) -> ParameterSpec {
    ParameterSpec(layer: layer, type: type, axes: axes, sizes: sizes)
  }

  /// The number of values; 0 when the product is out of bounds, which shape inference has refused.
  public var count: Int { Shape.product(of: sizes) ?? 0 }

  /// The sizes in Forge's order with their axes: `20×5×5×3 [O][H][W][I]`.
  public var shapeText: String {
    sizes.map(String.init).joined(separator: "×") + " "
      + axes.map { "[\($0.rawValue)]" }.joined()
  }
}
