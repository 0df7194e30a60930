import Forge

/// The operators of ONNX that Forge imports.
enum ONNXOperators {
  /// Imports a node: reads its inputs and attributes, and sets its outputs.
  typealias Operation = @Sendable (inout ONNXCall) throws -> Void

  /// The operators by family; each family is a file.
  private static let families: [[ONNXOperator]] = [
    ONNXFeatures.all, ONNXLabels.all, ONNXLinearModels.all, ONNXTrees.all,
  ]

  /// Operators of families whose facts still lie in tables.
  private static let imports: [[String: Operation]] = [
    activations, elementwise, products, convolutions, poolings, normalizations, movements,
    reductions, resizes, selections, rearrangements, quantizations, recurrent,
    attention, linearAttention, sums, experiments, triangles,
  ]

  private static let table = imports.reduce(into: [:]) { table, family in
    table.merge(family) { first, _ in first }
  }

  /// All operators.
  static let all: [ONNXOperator] =
    families.flatMap(\.self) + (Set(table.keys).union(folded)).sorted().map { named($0) }
    + previews.sorted { $0.key < $1.key }.map { type, operation in
      ONNXOperator(
        type, domain: "ai.onnx.preview", import: operation, fold: .none, bounds: nil,
        length: .refused, sizes: .none, examples: .mixed)
    }

  /// A domain and the name of an operator in it.
  private struct Name: Hashable {
    let domain, type: String
  }

  private static let byName = Dictionary(
    all.map { (Name(domain: $0.domain, type: $0.type), $0) }
  ) { first, _ in first }

  /// An operator of ONNX's own domain, from the tables.
  private static func named(_ type: String) -> ONNXOperator {
    let fold: ONNXOperator.Fold =
      ONNXFolding.always[type].map { .always($0) } ?? ONNXFolding.table[type].map { .known($0) }
      ?? .none
    let sizes: ONNXOperator.Sizes =
      ONNXLengthFolding.movements[type].map { .moved($0) }
      ?? (ONNXLengthFolding.arithmetic.contains(type)
        ? .computed { try ONNXLengthFolding.computed($0, $1) } : .none)
    return ONNXOperator(
      type,
      import: table[type] ?? { _ in
        throw NodeFailure.unsupported("values computed at run time")
      },
      fold: fold, bounds: ONNXIntegerBounds.rules[type], length: ONNXLengths.kind(of: type),
      sizes: sizes,
      examples: ONNXOpenRules.table[type].map {
        .apart($0, arguments: ONNXOpenRules.arguments[type] ?? [])
      } ?? .mixed)
  }

  /// Operators that exist only as folded constants or vanish.
  private static let folded: Set<String> = [
    "Constant", "ConstantOfShape", "Shape", "Size", "Range", "NonZero", "EyeLike",
    "HannWindow", "HammingWindow", "BlackmanWindow",
  ]

  /// The operator of a node; `nil` if Forge does not have it.
  static func find(_ node: ONNXNode) -> ONNXOperator? {
    byName[Name(domain: node.domain, type: node.type)]
  }

  /// Computes a node whose inputs are known, or imports it.
  ///
  /// - Throws: ``NodeFailure`` and what reading the file throws.
  static let run: Operation = { call in
    guard let found = find(call.node) else {
      throw NodeFailure.unsupported("ONNX's \(call.node.type)")
    }
    if try !ONNXFolding.fold(&call) { try found.import(&call) }
  }
}
