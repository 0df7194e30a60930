import ForgeOperations
import ForgeShapes

/// One of Forge's own layers, which keeps its name and its place in one field.
package protocol BuiltInLayer: Layer {
  /// The name and the place.
  var label: LayerLabel { get }
}

extension BuiltInLayer {
  /// The name, if given.
  public var name: String? { label.name }
  /// The source location.
  public var place: SourcePlace { label.place }
}

/// The name of a layer, if given, and its source location.
package struct LayerLabel: Hashable, Sendable {
  let name: String?
  let place: SourcePlace

  init(_ name: String?, _ fileID: String, _ line: Int, _ column: Int) {
    self.name = name
    place = SourcePlace(fileID: fileID, line: line, column: column)
  }
}

/// A layer that applies one primitive to its only input.
package protocol PrimitiveLayer: BuiltInLayer {
  /// The primitive, which checks the layer's arguments.
  var primitive: Primitive { get }
}

extension PrimitiveLayer {
  /// Lowers to one operation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.applyToInput(primitive)
  }
}
