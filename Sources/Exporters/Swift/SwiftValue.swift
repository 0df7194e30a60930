import Forge
import ForgeShapes

/// A value that can be written as Swift source.
protocol SwiftValue {
  /// The expression.
  var swift: SwiftExpression { get }
}

extension Int: SwiftValue {
  var swift: SwiftExpression { .text("\(self)") }
}

extension Bool: SwiftValue {
  var swift: SwiftExpression { .text("\(self)") }
}

extension String: SwiftValue {
  var swift: SwiftExpression { .text(SwiftText.literal(self)) }
}

extension Float: SwiftValue {
  var swift: SwiftExpression { .text(SwiftText.number(self)) }
}

extension Double: SwiftValue {
  var swift: SwiftExpression { .text(SwiftText.number(self)) }
}

extension Optional: SwiftValue where Wrapped: SwiftValue {
  var swift: SwiftExpression { self?.swift ?? .text("nil") }
}

/// A value in a list.
protocol SwiftElement: SwiftValue {
  /// The name of the type.
  static var typeName: String { get }
  /// The value as a literal.
  var literal: String { get }
}

extension Int: SwiftElement {
  static var typeName: String { "Int" }
  var literal: String { "\(self)" }
}

extension Float: SwiftElement {
  static var typeName: String { "Float" }
  var literal: String { SwiftText.number(self) }
}

extension Double: SwiftElement {
  static var typeName: String { "Double" }
  var literal: String { SwiftText.number(self) }
}

extension String: SwiftElement {
  static var typeName: String { "String" }
  var literal: String { SwiftText.literal(self) }
}

extension Optional: SwiftElement where Wrapped: SwiftElement {
  static var typeName: String { "\(Wrapped.typeName)?" }
  var literal: String { self?.literal ?? "nil" }
}

extension Array: SwiftValue where Element: SwiftElement {
  var swift: SwiftExpression { .list(element: Element.typeName, map(\.literal)) }
}

extension Set: SwiftValue where Element == Axis {
  var swift: SwiftExpression {
    let names = Axis.ordered.filter(contains).map { ".\($0.rawValue)" }
    return .text("[\(names.joined(separator: ", "))]")
  }
}

extension Axis {
  /// The axes in the order in which they are written.
  fileprivate static let ordered: [Axis] = [.batch, .time, .height, .width, .channels, .unnamed]
}

extension Size: SwiftValue {
  /// A pair, which initializers take with labels of several kinds.
  var swift: SwiftExpression { .text("(\(width), \(height))") }
}

extension Edges: SwiftValue {
  var swift: SwiftExpression { .call("Edges", arguments) }

  fileprivate var arguments: [SwiftArgument] {
    [
      .optional("top", top, 0), .optional("left", left, 0), .optional("bottom", bottom, 0),
      .optional("right", right, 0),
    ]
  }
}

extension Padding: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .same: .member("same", [])
    case .valid: .member("valid", [])
    case .edges(let edges) where edges == Edges(all: edges.top):
      .member("all", [.required(nil, edges.top)])
    case .edges(let edges): .member("explicit", edges.arguments)
    }
  }
}

extension Shape: SwiftValue {
  var swift: SwiftExpression {
    guard let sizes else { return .call("Shape", [.required(nil, dimensions)]) }
    return .call("Shape", [.required("sizes", sizes)])
  }
}
