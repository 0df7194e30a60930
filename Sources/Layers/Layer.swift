import ForgeOperations
import ForgeShapes

/// One layer of a network: a value that says what to compute, knowing neither input nor device.
///
/// A layer is an immutable struct. Its file holds, in this order: documentation, fields, initialiser,
/// lowering. The shape of the output, the parameters and the cost follow from the lowering. Layers of
/// your own conform in the same way and compose the primitives of `Lowering`; for arithmetic of your
/// own there is ``Custom``.
public protocol Layer: Step, Chainable, Equatable where Chained == Block {
  /// The short name in a summary's column "Type": `Conv`. The Swift type's name unless stated.
  static var summaryName: String { get }
  /// The name given by the user; parameters are found and shared by it.
  var name: String? { get }
  /// Where the layer stands in the user's source.
  var place: SourcePlace { get }
  /// Writes the layer down as primitive operations.
  ///
  /// It is called while the network is described, when sizes of the inputs may be unknown, and again
  /// while it is compiled.
  ///
  /// - Throws: `ShapeError` naming the rule that inputs or arguments break.
  func lower(into lowering: inout Lowering) throws(ShapeError)
}

extension Layer {
  /// The Swift type's name.
  public static var summaryName: String { "\(Self.self)" }
  /// A block of this layer and `step`.
  public func chained(to step: any Step) -> Block { Block([self, step]) }
}
