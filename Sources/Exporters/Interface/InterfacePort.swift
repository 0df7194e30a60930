import Forge
import ForgeShapes

/// An input or output of an interface.
struct InterfacePort {
  /// The name in the network.
  let name: String
  /// The property.
  let property: String
  /// The sizes in memory order: numbers, the properties of open ones, or `nil` for any.
  let sizes: [Size]
  /// The shape, with the largest sizes.
  let shape: Shape
  /// Whether the values are integers.
  let isInteger: Bool
  /// What is expected of a picture.
  let picture: PicturePreparation?

  /// One size.
  enum Size {
    /// A number.
    case fixed(Int)
    /// A property that a prediction chooses.
    case open(String)
  }

  /// The type of the elements.
  var element: String { isInteger ? "Int" : "Float" }

  /// Whether each prediction has the same sizes.
  var isFixed: Bool {
    sizes.allSatisfy { if case .fixed = $0 { true } else { false } }
  }

  /// The expression of the shape.
  var shapeText: String {
    let texts = sizes.map { size in
      switch size {
      case .fixed(let number): "\(number)"
      case .open(let property): property
      }
    }
    return "Shape(sizes: [\(texts.joined(separator: ", "))])"
  }

  /// The row of the table that is checked.
  var row: String {
    let sizes = shape.dimensions.map { $0.map { "\($0)" } ?? "nil" }
    return "(\(SwiftText.literal(name)), [\(sizes.joined(separator: ", "))])"
  }
}

/// A size of inputs that each prediction chooses.
struct InterfaceSize {
  /// The property.
  let property: String
  /// What it may be.
  let range: String
  /// The largest size, which is the default.
  let largest: Int
}
