import Forge

/// The operators of ONNX that Forge imports.
enum ONNXOperators {
  /// Imports a node: reads its inputs and attributes, and sets its outputs.
  typealias Operation = ONNXOperator.Import

  /// The operators by family; each family is a file.
  static let families: [[ONNXOperator]] = [
    constants, conversions, functions, activations, arithmetic, comparisons, products,
    convolutions, poolings, normalizations, movements, reductions, resizes, selections,
    rearrangements, chosenPlaces, quantizations, quantizedProducts, quantizedElements, recurrent,
    attention,
    experiments, causalConvolutions, samplings, bits, sequenceRows, uniques, options,
    columns, spectra, losses, blockWeights, blockTables, dynamicRecurrent,
    scatters,
    microsoftActivations, microsoftProducts, microsoftConvolutions, microsoftNormalizations,
    microsoftEmbeddings, microsoftAttention, quantizedAttention, microsoftGroupedAttention,
    microsoftRotations, microsoftBlocked,
    ONNXFeatures.all, ONNXLabels.all, ONNXLinearModels.all, ONNXTrees.all,
  ]

  /// All operators.
  static let all = families.flatMap(\.self)

  /// A domain and the name of an operator in it.
  private struct Name: Hashable {
    let domain, type: String
  }

  private static let byName = Dictionary(
    all.map { (Name(domain: $0.domain, type: $0.type), $0) }
  ) { first, _ in first }

  /// The operator of a node; `nil` if Forge does not have it.
  static func find(_ node: FileNode) -> ONNXOperator? {
    byName[Name(domain: node.domain, type: node.type)]
  }

  /// An operator by its name and domain; `nil` if Forge does not have it.
  static func find(_ type: String, domain: String = "") -> ONNXOperator? {
    byName[Name(domain: domain, type: type)]
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
