import Forge

/// The operators of ONNX that Forge imports.
enum ONNXOperators {
  /// Imports a node: reads its inputs and attributes, and sets its outputs.
  typealias Operation = @Sendable (inout ONNXCall) throws -> Void

  /// The operators by family; each family is a file.
  private static let families: [[String: Operation]] = [
    activations, elementwise, products, convolutions, poolings, normalizations, movements,
    reductions, resizes, selections, rearrangements, quantizations, recurrent,
    attention, linearAttention, sums, experiments, triangles,
  ]

  private static let table = families.reduce(into: [:]) { table, family in
    table.merge(family) { first, _ in first }
  }

  /// Operators that exist only as folded constants or vanish.
  private static let folded: Set<String> = [
    "Constant", "ConstantOfShape", "Shape", "Size", "Range", "NonZero", "EyeLike",
    "HannWindow", "HammingWindow", "BlackmanWindow",
  ]

  /// The operation of a node; `nil` if Forge does not have it.
  static func find(_ node: ONNXNode) -> Operation? {
    if node.domain == "ai.onnx.preview" { return previews[node.type] }
    guard node.domain.isEmpty else { return nil }
    if let operation = table[node.type] { return operation }
    guard folded.contains(node.type) else { return nil }
    return { _ in throw NodeFailure.unsupported("values computed at run time") }
  }

  /// Computes a node whose inputs are known, or imports it.
  ///
  /// - Throws: ``NodeFailure`` and what reading the file throws.
  static let run: Operation = { call in
    guard let operation = find(call.node) else {
      throw NodeFailure.unsupported("ONNX's \(call.node.type)")
    }
    if try !ONNXFolding.fold(&call) { try operation(&call) }
  }
}
