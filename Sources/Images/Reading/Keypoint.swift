/// A point that a network found in a picture, with its score.
///
/// Places are fractions of the picture that entered the network: 0 is its left or top edge and 1
/// its right or bottom edge.
public struct Keypoint: Hashable, Sendable {
  /// The horizontal position.
  public var x: Float
  /// The vertical position.
  public var y: Float
  /// The score; the value of a heat map at the point.
  public var score: Float

  /// Creates a keypoint.
  public init(x: Float, y: Float, score: Float) {
    self.x = x
    self.y = y
    self.score = score
  }
}
