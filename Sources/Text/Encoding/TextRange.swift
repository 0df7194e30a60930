/// A part of a text, counted in bytes or in scalars.
public struct TextRange: Sendable, Hashable, CustomStringConvertible {
  /// The first offset.
  public internal(set) var lower: Int
  /// The offset after the last one.
  public internal(set) var upper: Int

  /// Creates a range.
  @inline(__always)
  init(_ lower: Int, _ upper: Int) { (self.lower, self.upper) = (lower, upper) }

  /// The part as a range, empty where it is one.
  public var range: Range<Int> { lower..<max(lower, upper) }

  /// The part as two numbers: `3..<5`.
  public var description: String { "\(lower)..<\(upper)" }
}

/// A side of a text.
public enum TextSide: String, Sendable, Hashable {
  /// The beginning.
  case left = "Left"
  /// The end.
  case right = "Right"
}
