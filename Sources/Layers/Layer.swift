import ForgeOperations
import ForgeShapes

/// One layer of a network: a value that says what to compute, knowing neither input nor device.
///
/// A layer is an immutable struct. Its file holds, in this order: documentation, fields, initialiser,
/// shape rule, parameters, cost, lowering. Layers of your own conform in the same way and compose the
/// primitives of `Lowering`; for arithmetic of your own there is ``Custom``.
public protocol Layer: Step, Chainable, Equatable where Chained == Block {
  /// The short name in a summary's column "Type": `Conv`. The Swift type's name unless stated.
  static var summaryName: String { get }
  /// The name given by the user; parameters are found and shared by it.
  var name: String? { get }
  /// Where the layer stands in the user's source.
  var place: SourcePlace { get }
  /// The shape of the output for the shapes of the inputs, in which sizes may be unknown.
  ///
  /// - Throws: `ShapeError` naming the rule that inputs or arguments break.
  func outputShape(for inputs: [Shape]) throws(ShapeError) -> Shape
  /// The parameters for the shapes of the inputs; none unless stated.
  ///
  /// Called only with inputs for which ``outputShape(for:)`` gave a shape.
  func parameters(for inputs: [Shape]) throws(ShapeError) -> [ParameterSpec]
  /// The multiply-adds of one prediction; 0 unless stated.
  func multiplyAdds(for inputs: [Shape], output: Shape) -> Int
  /// Writes the layer down as primitive operations.
  func lower(into lowering: inout Lowering) throws(ShapeError)
}

extension Layer {
  /// The Swift type's name.
  public static var summaryName: String { "\(Self.self)" }
  /// No parameters.
  public func parameters(for inputs: [Shape]) throws(ShapeError) -> [ParameterSpec] { [] }
  /// No multiply-adds.
  public func multiplyAdds(for inputs: [Shape], output: Shape) -> Int { 0 }
  /// A block of this layer and `step`.
  public func chained(to step: any Step) -> Block { Block([self, step]) }
}
