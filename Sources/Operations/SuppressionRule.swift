import ForgeShapes

/// Which boxes a suppression keeps.
public struct SuppressionRule: Hashable, Sendable, Encodable {
  /// The most boxes of a class.
  public let maximumPerClass: Int
  /// The largest intersection over union that is kept.
  public let iouThreshold: Float
  /// Scores must be above it.
  public let scoreThreshold: Float
  /// Whether boxes are (x center, y center, width, height) instead of two corners.
  public let centerPointBoxes: Bool

  /// Creates a rule.
  public init(
    maximumPerClass: Int, iouThreshold: Float, scoreThreshold: Float, centerPointBoxes: Bool
  ) {
    self.maximumPerClass = maximumPerClass
    self.iouThreshold = iouThreshold
    self.scoreThreshold = scoreThreshold
    self.centerPointBoxes = centerPointBoxes
  }
}
