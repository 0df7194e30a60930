/// What a window layer does at the border of its input.
public enum Padding: Hashable, Sendable {
  /// As much zero border as makes the output ⌈input / stride⌉ pixels.
  ///
  /// An odd amount puts the extra pixel at the bottom and right, as TensorFlow does.
  case same
  /// No border: windows lie wholly inside the input.
  case valid
  /// A border of stated pixels on each edge.
  case edges(Edges)

  /// A border of stated pixels on each edge; what is not named is 0.
  public static func explicit(
    top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0
  )
    -> Padding
  {
    .edges(Edges(top: top, left: left, bottom: bottom, right: right))
  }

  /// The padding as it is written in source: `.same`, `.valid` or `.explicit(…)`.
  public var text: String {
    switch self {
    case .same: ".same"
    case .valid: ".valid"
    case .edges(let edges): ".explicit(\(edges.text))"
    }
  }
}
