/// What a window layer does at the border of its input.
public enum Padding: Hashable, Sendable, CustomStringConvertible, Encodable {
  /// As much zero padding as makes the output ⌈input / stride⌉ pixels.
  ///
  /// An odd amount puts the extra pixel at the bottom and right, as TensorFlow does.
  case same
  /// No padding: windows lie entirely inside the input.
  case valid
  /// A number of padding pixels on each edge.
  case edges(Edges)

  /// A number of padding pixels on each edge; edges that are left out are 0.
  public static func explicit(top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0) -> Self
  {
    .edges(Edges(top: top, left: left, bottom: bottom, right: right))
  }

  /// The same number of padding pixels on each of the four edges.
  ///
  /// - Parameter pixels: the rows and columns on each edge.
  /// - Returns: the padding.
  public static func all(_ pixels: Int) -> Self { .edges(Edges(all: pixels)) }

  /// The padding as written in source: `.same`, `.valid` or `.explicit(…)`.
  public var description: String {
    switch self {
    case .same: ".same"
    case .valid: ".valid"
    case .edges(let edges): ".explicit(\(edges))"
    }
  }
}

extension Padding: ExpressibleByIntegerLiteral {
  /// Creates the same number of padding pixels on each edge, as in `padding: 1`.
  ///
  /// A number that is not a literal is written `.all(count)`.
  ///
  /// - Parameter pixels: the rows and columns on each edge.
  public init(integerLiteral pixels: Int) { self = .all(pixels) }
}
