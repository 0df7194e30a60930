import Forge
import ForgeLayers
import ForgeShapes

/// A layer that can be written as Swift source: as a call of one of its public initializers.
///
/// The conformances are generated from the initializers by Scripts/layer-calls, so that labels and
/// defaults have one source. ``rebuilt`` is the proof that the arguments say everything: a layer
/// that differs from it has what no initializer states, such as the scales of 8-bit weights, and is
/// not written.
protocol SwiftLayer: Layer {
  /// The arguments of the initializer, without the name and the place.
  var swiftArguments: [SwiftArgument] { get }
  /// The layer that the initializer creates from these arguments, the name and the place.
  var rebuilt: Self { get }
}

extension SwiftLayer {
  /// Whether the arguments say everything about the layer.
  var isSaidByArguments: Bool {
    // The places of imported layers have an entry of their file besides a line.
    SourcePlace.describing(for: place) { rebuilt } == self
  }
}

extension Layer {
  /// The call that makes the layer, with its name; `nil` if no public initializer makes it.
  package var swiftCall: String? {
    guard let layer = self as? any SwiftLayer, layer.isSaidByArguments else { return nil }
    var writer = SwiftNetworkWriter([], inputs: [:], names: SwiftNames())
    return writer.inline(layer)
  }
}

/// One argument of a call.
struct SwiftArgument: Hashable {
  /// The label, if there is one.
  let label: String?
  /// The value.
  let value: SwiftExpression
  /// Whether the value is the default, so the argument can be left out.
  let isDefault: Bool

  /// An argument without a default.
  static func required(_ label: String?, _ value: some SwiftValue) -> SwiftArgument {
    SwiftArgument(label: label, value: value.swift, isDefault: false)
  }

  /// An argument with a default.
  static func optional<Value: SwiftValue & Equatable>(
    _ label: String?, _ value: Value, _ standard: Value
  ) -> SwiftArgument {
    SwiftArgument(label: label, value: value.swift, isDefault: value == standard)
  }

  /// An argument that is a layer.
  static func layer(_ label: String?, _ layer: any Layer) -> SwiftArgument {
    SwiftArgument(label: label, value: .layer(layer), isDefault: false)
  }
}

/// A value in Swift source.
indirect enum SwiftExpression: Hashable {
  /// Text as it is: a literal.
  case text(String)
  /// A list of numbers of one type, which stands apart if it is long.
  case list(element: String, [String])
  /// A case of an enumeration or a static function, with a leading dot.
  case member(String, [SwiftArgument])
  /// The call of an initializer.
  case call(String, [SwiftArgument])
  /// A layer inside a layer.
  case nested(SwiftNestedLayer)

  /// A layer inside a layer.
  static func layer(_ layer: any Layer) -> SwiftExpression { .nested(SwiftNestedLayer(layer)) }
}

/// A layer inside a layer, or its type if it cannot be written.
struct SwiftNestedLayer: Hashable {
  /// The type.
  let type: String
  /// The name, if it has one.
  let name: String?
  /// The arguments; `nil` if the layer cannot be written.
  let arguments: [SwiftArgument]?

  init(_ layer: any Layer) {
    type = "\(Swift.type(of: layer))"
    name = layer.name
    let written = layer as? any SwiftLayer
    arguments = written.flatMap { $0.isSaidByArguments ? $0.swiftArguments : nil }
  }
}
