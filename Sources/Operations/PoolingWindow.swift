import ForgeShapes

/// The function of a pooling over any number of axes.
public enum PoolingNDKind: Hashable, Sendable {
  /// The largest value; NaN if one is.
  case maximum
  /// The mean of the values inside the tensor.
  case averageInside
  /// The sum divided by the number of taps inside the tensor and its padding.
  case averageAll
  /// `(Σ |x|ᵖ)^(1/p)` for a whole `p` of at least 1.
  case lp(p: Int)
}

/// A window that moves over every axis of a tensor but the last, which holds the channels.
public struct PoolingWindow: Hashable, Sendable {
  /// The function of each window.
  public let kind: PoolingNDKind
  /// The size of the window along each axis.
  public let kernel: [Int]
  /// The steps between windows.
  public let strides: [Int]
  /// The distances between taps.
  public let dilations: [Int]
  /// The padding before the first element of each axis.
  public let before: [Int]
  /// The padding after the last element of each axis.
  public let after: [Int]
  /// How the number of windows is rounded.
  public let rounding: WindowRounding

  /// Creates a window; each list has one number per axis.
  public init(
    kind: PoolingNDKind, kernel: [Int], strides: [Int], dilations: [Int], before: [Int],
    after: [Int], rounding: WindowRounding
  ) {
    self.kind = kind
    self.kernel = kernel
    self.strides = strides
    self.dilations = dilations
    self.before = before
    self.after = after
    self.rounding = rounding
  }
}
