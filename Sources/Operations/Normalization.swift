import ForgeShapes

/// Which values a normalization takes together, and what it divides them by.
public struct Normalization: Hashable, Sendable, Encodable {
  /// The values that share a mean and a variance, or a norm.
  public enum Extent: Hashable, Sendable, Encodable {
    /// The values of a number of last axes, for each index of the axes before them.
    case lastAxes(Int)
    /// The values of all pixels of an image in one of a number of groups of channels.
    case groups(Int)
  }

  /// What values become.
  public enum Kind: Hashable, Sendable, Encodable {
    /// `(x − mean) / √(variance + epsilon)`.
    case standard
    /// `x / √(mean of x² + epsilon)`.
    case rootMeanSquare
    /// `x / max(√Σ x², epsilon)`.
    case unitLength
  }

  /// The values that are taken together.
  public let extent: Extent
  /// What they become.
  public let kind: Kind
  /// The number added to a variance or a mean of squares, or the least norm.
  public let epsilon: Float

  /// Creates a normalization.
  public init(extent: Extent, kind: Kind = .standard, epsilon: Float) {
    self.extent = extent
    self.kind = kind
    self.epsilon = epsilon
  }
}
