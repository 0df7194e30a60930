import ForgeShapes

/// A tensor in the API: sizes and Float32 values in row-major order.
public struct TensorValues: Hashable, Sendable {
  /// The sizes of one example.
  public let shape: Shape
  /// The values: height, width, channels of an image; several examples follow each other.
  public var values: [Float]

  /// Creates a tensor of any rank.
  ///
  /// - Parameters:
  ///   - shape: the sizes in memory order.
  ///   - values: the values in row-major order.
  public init(shape: Shape, values: [Float]) {
    self.shape = shape
    self.values = values
  }

  /// Creates an image.
  ///
  /// - Parameters:
  ///   - width: pixels in a row.
  ///   - height: rows.
  ///   - channels: values per pixel.
  ///   - values: height × width × channels values, the channels of a pixel next to each other.
  public init(width: Int, height: Int, channels: Int, values: [Float]) {
    self.init(shape: Shape(width: width, height: height, channels: channels), values: values)
  }
}

/// The results of one prediction, by name.
public struct Predictions: Sendable {
  /// The outputs of the model by the names of their layers.
  public let outputs: [String: TensorValues]
  /// The layers that `keep` named.
  public let kept: [String: TensorValues]

  /// The values of an output or of a kept layer.
  public subscript(name: String) -> [Float]? { (outputs[name] ?? kept[name])?.values }
}
