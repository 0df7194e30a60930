/// A width and a height, or a step in x and y, in pixels.
public struct Size: Hashable, Sendable, CustomStringConvertible, Encodable {
  /// The extent along a row.
  public let width: Int
  /// The extent along a column.
  public let height: Int

  /// Creates a size of `width` by `height`.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Creates a size from a pair (width, height), the order of every layer's labels.
  public init(_ pair: (width: Int, height: Int)) {
    self.init(width: pair.width, height: pair.height)
  }

  /// Creates a step from a pair (x, y), the order of every layer's labels.
  package init(step: (x: Int, y: Int)) {
    self.init(width: step.x, height: step.y)
  }

  /// Creates a size of equal width and height.
  ///
  /// - Parameter side: the width and the height.
  public init(square side: Int) {
    self.init(width: side, height: side)
  }

  /// The size 1×1.
  public static let one = Size(width: 1, height: 1)

  /// The size as text: `5×3`.
  public var description: String { "\(width)×\(height)" }

  /// Whether both sides are at least 1.
  public var isPositive: Bool { width > 0 && height > 0 }
}

/// Pixels to add to or to crop from each edge of an image.
public struct Edges: Hashable, Sendable, CustomStringConvertible, Encodable {
  /// Rows at the top.
  public let top: Int
  /// Columns at the left.
  public let left: Int
  /// Rows at the bottom.
  public let bottom: Int
  /// Columns at the right.
  public let right: Int

  /// Creates edges; those that are left out are 0.
  public init(top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }

  /// Creates the same amount on all four edges.
  public init(all amount: Int) {
    self.init(top: amount, left: amount, bottom: amount, right: amount)
  }

  /// Nothing on any edge.
  public static let none = Edges()

  /// The edges as text: `top 1, left 0, bottom 1, right 0`.
  public var description: String { "top \(top), left \(left), bottom \(bottom), right \(right)" }

  /// Whether no edge is negative.
  public var isNonNegative: Bool { top >= 0 && left >= 0 && bottom >= 0 && right >= 0 }

  /// The sum of both, edge by edge, clamped to the bounds of Int.
  public static func + (a: Edges, b: Edges) -> Edges {
    Edges(
      top: a.top.addingSaturated(b.top), left: a.left.addingSaturated(b.left),
      bottom: a.bottom.addingSaturated(b.bottom), right: a.right.addingSaturated(b.right))
  }
}
