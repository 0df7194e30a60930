import Forge

/// The operations of ML Programs that Forge imports.
///
/// An operation says by which operators of ONNX it is computed; see ``MILCall``. So arithmetic,
/// layouts and the folding of known values are those of the ONNX importer.
enum MILOperators {
  /// Imports an operation: reads its operands and sets its results.
  typealias Operation = @Sendable (inout MILCall) throws -> Void

  /// The operations by family; each family is a file.
  private static let families: [[String: Operation]] = [
    constants, sparseConstants, quantizations, activations, elementwise, products, windows,
    normalizations, reductions, movements, selections, scatters, resizes, recurrent, attention,
  ]

  /// The operations by type.
  static let table = families.reduce(into: [:]) { table, family in
    table.merge(family) { first, _ in first }
  }
}
