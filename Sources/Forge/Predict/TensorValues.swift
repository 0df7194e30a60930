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

  /// Creates a tensor from elements of any type and layout: each becomes `scale · x + bias`.
  ///
  /// - Parameters:
  ///   - shape: the sizes in Forge's order; the last axis holds the channels.
  ///   - elements: the elements, such as `[UInt8]`, `ArraySlice<Float>` or a buffer.
  ///   - scale: the factor of each element.
  ///   - bias: the number added after the multiplication.
  ///   - layout: the order of `elements`.
  @inlinable
  public init<Elements: Collection>(
    shape: Shape, elements: Elements, scale: Float = 1, bias: Float = 0,
    layout: ImageLayout = .channelsLast
  ) where Elements.Element: TensorElement {
    self.init(
      shape: shape,
      values: elements.floats(
        scale: scale, bias: bias, layout: layout, channels: shape.channels ?? 1))
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

  /// Creates an image from elements of any type and layout: each becomes `scale · x + bias`.
  ///
  /// ```swift
  /// TensorValues(width: 640, height: 480, channels: 3, elements: bytes, scale: 1 / 255)
  /// ```
  ///
  /// - Parameters:
  ///   - width: pixels in a row.
  ///   - height: rows.
  ///   - channels: values per pixel.
  ///   - elements: height × width × channels elements, such as `[UInt8]`.
  ///   - scale: the factor of each element.
  ///   - bias: the number added after the multiplication.
  ///   - layout: the order of `elements`.
  @inlinable
  public init<Elements: Collection>(
    width: Int, height: Int, channels: Int, elements: Elements, scale: Float = 1, bias: Float = 0,
    layout: ImageLayout = .channelsLast
  ) where Elements.Element: TensorElement {
    self.init(
      shape: Shape(width: width, height: height, channels: channels), elements: elements,
      scale: scale, bias: bias, layout: layout)
  }

  /// The values in another order.
  ///
  /// - Parameter layout: the order.
  /// - Returns: the values; in `.channelsFirst` one plane per channel.
  public func values(in layout: ImageLayout) -> [Float] {
    let channels = shape.channels ?? 1
    let pixels = values.count / Swift.max(channels, 1)
    guard layout == .channelsFirst, channels > 1, pixels * channels == values.count else {
      return values
    }
    return (0..<channels).flatMap { channel in
      (0..<pixels).map { values[$0 * channels + channel] }
    }
  }

  /// The `k` largest values with their indices; see `Array.top(k:labels:)`.
  ///
  /// - Parameters:
  ///   - k: the number of classes, capped at the number of values.
  ///   - labels: the meaning of each index, where known.
  /// - Returns: the classes, largest first.
  public func top(k: Int, labels: [String] = []) -> [RankedClass] {
    values.top(k: k, labels: labels)
  }
}
