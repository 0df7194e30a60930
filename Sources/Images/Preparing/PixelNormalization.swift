/// The order of the channels of a network's input.
public enum ChannelOrder: Hashable, Sendable {
  /// One channel.
  case gray
  /// Red, green, blue.
  case rgb
  /// Blue, green, red.
  case bgr

  /// The number of values in a pixel.
  public var channels: Int { self == .gray ? 1 : 3 }
}

/// The conversion of a picture's bytes to the input values that a network was trained with.
///
/// `y = x · scale + bias` for each channel, where `x` is 0 to 255; computed in double precision and
/// rounded once to Float.
public struct PixelNormalization: Hashable, Sendable {
  /// The modes of `preprocess_input` in Keras.
  public enum KerasMode: Hashable, Sendable {
    /// RGB, `x / 127.5 − 1`: MobileNet, Inception, Xception, NASNet.
    case tf
    /// BGR, minus the means of ImageNet (103.939, 116.779, 123.68): VGG, ResNet.
    case caffe
    /// RGB, `(x / 255 − mean) / deviation` of ImageNet: DenseNet, and most PyTorch models.
    case torch
  }

  /// The order of the channels.
  public let order: ChannelOrder
  /// The factor of each channel in `order`, or one for all channels.
  public let scale: [Double]
  /// The number added to each channel in `order`, or one for all channels.
  public let bias: [Double]

  /// Creates a normalization.
  ///
  /// - Parameters:
  ///   - order: the order of the channels; pictures are converted to it.
  ///   - scale: one factor, or one for each channel.
  ///   - bias: one summand, or one for each channel.
  public init(order: ChannelOrder = .rgb, scale: [Double] = [1], bias: [Double] = [0]) {
    self.order = order
    self.scale = scale
    self.bias = bias
  }

  /// RGB unchanged: 0 to 255.
  public static let raw = PixelNormalization()

  /// RGB from 0 to 1: `x / 255`.
  public static let unitRange = PixelNormalization(scale: [1 / 255])

  /// The preparation of a Keras Applications model.
  public static func keras(_ mode: KerasMode) -> PixelNormalization {
    switch mode {
    case .tf: PixelNormalization(scale: [1 / 127.5], bias: [-1])
    case .caffe: PixelNormalization(order: .bgr, bias: [-103.939, -116.779, -123.68])
    case .torch:
      PixelNormalization(
        scale: [1 / (255 * 0.229), 1 / (255 * 0.224), 1 / (255 * 0.225)],
        bias: [-0.485 / 0.229, -0.456 / 0.224, -0.406 / 0.225])
    }
  }

  /// BGR minus the means of ImageNet, 103.939, 116.779 and 123.68: Caffe's classifiers, VGG,
  /// ResNet.
  public static let caffe = PixelNormalization.keras(.caffe)

  /// RGB as `(x / 255 − mean) / deviation` of ImageNet: torchvision, most PyTorch models.
  public static let torch = PixelNormalization.keras(.torch)

  /// Returns this normalization with another channel order: `.unitRange.ordered(.gray)`.
  ///
  /// Between RGB and BGR, scale and bias are reversed with the channels.
  public func ordered(_ order: ChannelOrder) -> PixelNormalization {
    let turns = self.order != order && self.order != .gray && order != .gray
    return PixelNormalization(
      order: order, scale: turns ? scale.reversed() : scale, bias: turns ? bias.reversed() : bias)
  }

  func check() throws(ImageError) {
    for (name, factors) in [("scale", scale), ("bias", bias)]
    where factors.count != 1 && factors.count != order.channels {
      throw .wrongFactorCount(factors.count, name, channels: order.channels)
    }
  }
}
