import ForgeOperations
import ForgeShapes

/// The results of a layer's lowering for the shapes of its inputs.
package struct LayerOutline: Sendable {
  /// The shape of the output, in which sizes may be unknown.
  package let shape: Shape
  /// The parameters in order of use, without the layer's name.
  package let parameters: [ParameterSpec]
  /// The multiply-adds of one prediction; 0 while a size is not known.
  package let multiplyAdds: Int
  /// The shapes of the states.
  package let states: [Shape]
  /// The largest length of the model's sequences, if the layer states it.
  package let maximumLength: Int?

  /// Creates the outline of an input of the model.
  package init(input shape: Shape) {
    self.init(shape: shape, parameters: [], multiplyAdds: 0)
  }

  /// Creates an outline of which a size is not known.
  package init(shape: Shape, parameters: [ParameterSpec], multiplyAdds: Int) {
    (self.shape, self.parameters, self.multiplyAdds) = (shape, parameters, multiplyAdds)
    states = []
    maximumLength = nil
  }

  /// Lowers a layer by itself.
  ///
  /// - Parameters:
  ///   - layer: the layer.
  ///   - inputs: the shapes of its inputs.
  ///   - length: the length of the model's sequences, if the layer follows it.
  /// - Throws: `ShapeError` naming the rule that the inputs or arguments violate.
  package init(
    _ layer: some Layer, inputs: [Shape], length: Int? = nil
  ) throws(ShapeError) {
    var lowering = Lowering()
    lowering.length = length
    let values = inputs.map { lowering.graph.addInput($0) }
    lowering.begin(layer: 1, name: "", inputs: values)
    try layer.lower(into: &lowering)
    // A custom layer may return one of its inputs unchanged, so the bounds are checked here.
    shape = try SizeRule.bounded(lowering.shape(of: try lowering.checkedOutput()))
    parameters = lowering.layerParameters
    multiplyAdds = lowering.layerMultiplyAdds
    states = lowering.graph.states.map { lowering.shape(of: $0.present) }
    maximumLength = lowering.maximumLength
  }
}

extension Layer {
  /// The shape of the output for the shapes of the inputs, in which sizes may be unknown.
  ///
  /// - Throws: `ShapeError` naming the rule that the inputs or arguments violate.
  public func outputShape(for inputs: [Shape]) throws(ShapeError) -> Shape {
    try LayerOutline(self, inputs: inputs).shape
  }

  /// The parameters for the shapes of the inputs, in order of use.
  ///
  /// - Throws: `ShapeError` naming the rule that the inputs or arguments violate.
  public func parameters(for inputs: [Shape]) throws(ShapeError) -> [ParameterSpec] {
    try LayerOutline(self, inputs: inputs).parameters
  }

  /// The multiply-adds of one prediction; 0 while a size is not known.
  ///
  /// - Throws: `ShapeError` naming the rule that the inputs or arguments violate.
  public func multiplyAdds(for inputs: [Shape]) throws(ShapeError) -> Int {
    try LayerOutline(self, inputs: inputs).multiplyAdds
  }
}
