import ForgeShapes

/// Which values a normalisation takes together, and what it divides them by.
public struct Normalization: Hashable, Sendable {
  /// The values that share a mean and a variance, or a norm.
  public enum Extent: Hashable, Sendable {
    /// Those of the last axes, so many, for each index of the axes before.
    case lastAxes(Int)
    /// Those of all pixels of an image and of one of so many groups of channels.
    case groups(Int)
  }

  /// What values become.
  public enum Kind: Hashable, Sendable {
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

  /// Creates a normalisation.
  public init(extent: Extent, kind: Kind = .standard, epsilon: Float) {
    self.extent = extent
    self.kind = kind
    self.epsilon = epsilon
  }
}
