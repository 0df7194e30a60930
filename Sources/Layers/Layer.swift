import ForgeOperations
import ForgeShapes

/// One layer of a network: a value that describes a computation, independent of input and device.
///
/// A layer is an immutable struct. Its file holds, in this order: documentation, fields,
/// initializer, lowering. The shape of the output, the parameters and the cost follow from the
/// lowering. Your own layers conform in the same way and compose the primitives of `Lowering`; for
/// your own arithmetic there is ``Custom``. They need no fields for a name or a place:
/// `x --> Own().named("own1")` states both where the layer is used.
public protocol Layer: Step, Chainable, Equatable where Chained == Block {
  /// The short name in a summary's column "Type": `Conv`; by default the name of the Swift type.
  static var summaryName: String { get }
  /// The name given by the user; parameters are found and shared by it. `nil` by default.
  var name: String? { get }
  /// The location of the layer in the user's source; `SourcePlace.unknown` by default.
  var place: SourcePlace { get }
  /// Lowers the layer to primitive operations.
  ///
  /// It is called while the network is described, when sizes of the inputs may be unknown, and
  /// again while it is compiled.
  ///
  /// - Throws: `ShapeError` naming the rule that the inputs or arguments violate.
  func lower(into lowering: inout Lowering) throws(ShapeError)
}

extension Layer {
  /// The name of the Swift type.
  public static var summaryName: String { "\(Self.self)" }
  /// `nil`: unnamed.
  public var name: String? { nil }
  /// Unknown.
  public var place: SourcePlace { .unknown }
  /// Returns a block of this layer and `step`.
  public func chained(to step: any Step) -> Block { Block([self, step]) }
}
