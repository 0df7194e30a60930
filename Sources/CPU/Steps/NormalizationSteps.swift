import CForgeKernels
import ForgeOperations
import ForgeSystem

extension PlanBuilder {
  /// Adds a normalization over the last axes, or over groups of channels of an image.
  mutating func addNormalization(_ node: OperationGraph.Node, _ rule: Normalization) throws {
    switch rule.extent {
    case .groups(let groups): try addGroupNormalization(node, rule, groups: groups)
    case .lastAxes(1) where isImage(node.output): try addPixelNormalization(node, rule)
    case .lastAxes(let axes): try addRowNormalization(node, rule, axes: axes)
    }
  }

  private mutating func addRowNormalization(
    _ node: OperationGraph.Node, _ rule: Normalization, axes: Int
  ) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    let columns = sizes(of: node.output).suffix(axes).reduce(1, *)
    var arguments = forge_normalize_rows_arguments()
    arguments.rows = Int64(tensor(target).count / max(columns, 1))
    arguments.columns = Int64(columns)
    (arguments.gamma, arguments.beta) = try gammaAndBeta(node)
    arguments.kind = rule.code
    arguments.epsilon = rule.epsilon
    addStep(
      "normalize", kernels.normalize_rows, arguments, tiles: forge_normalize_rows_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }

  private mutating func addPixelNormalization(
    _ node: OperationGraph.Node, _ rule: Normalization
  ) throws {
    let source = try blocked(node.inputs[0])
    let target = try blockedResult(node.output, reusing: [node.inputs[0]])
    var arguments = forge_normalize_pixels_arguments()
    (arguments.gamma, arguments.beta) = try gammaAndBeta(node)
    arguments.kind = rule.code
    arguments.epsilon = rule.epsilon
    addStep(
      "normalize", kernels.normalize_pixels, arguments, tiles: forge_normalize_pixels_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }

  /// Adds three steps: the moments of each row of each channel, those of groups, the result.
  private mutating func addGroupNormalization(
    _ node: OperationGraph.Node, _ rule: Normalization, groups: Int
  ) throws {
    let source = try blocked(node.inputs[0])
    let target = try blockedResult(node.output, reusing: [node.inputs[0]])
    let image = tensor(source)
    let moments = addPlain([image.blocks * image.height * 3 * PlannedTensor.lanes])
    let factors = addPlain([3 * image.blocks * PlannedTensor.lanes])
    var arguments = forge_normalize_groups_arguments()
    (arguments.gamma, arguments.beta) = try gammaAndBeta(node)
    arguments.groups = Int32(clamping: groups)
    arguments.epsilon = rule.epsilon
    addStep(
      "normalizeMoments", kernels.normalize_moments, arguments,
      tiles: forge_normalize_moments_tiles, parts: image.height, reads: [\.in: source],
      writes: [\.row_moments: moments])
    addStep(
      "normalizeGroups", kernels.normalize_groups, arguments, tiles: forge_normalize_groups_tiles,
      reads: [\.in: source, \.row_moments: moments], writes: [\.factors: factors])
    addStep(
      "normalize", kernels.normalize_apply, arguments, tiles: forge_normalize_apply_tiles,
      parts: image.height, reads: [\.in: source, \.factors: factors], writes: [\.out: target])
  }

  /// The constants of a normalization, padded to whole vectors; `nil` if it has none.
  private mutating func gammaAndBeta(
    _ node: OperationGraph.Node
  ) throws -> (UnsafePointer<Float>?, UnsafePointer<Float>?) {
    guard node.inputs.count == 3, let gamma = graph.constant(node.inputs[1]),
      let beta = graph.constant(node.inputs[2])
    else { return (nil, nil) }
    return (try retain(gamma), try retain(beta))
  }

  private mutating func retain(_ recipe: ConstantRecipe) throws -> UnsafePointer<Float>? {
    let values = try constants.source.values(of: recipe)
    return try retain(
      values, count: AlignedMemory.round(values.count, to: PlannedTensor.lanes))
  }

  /// Adds a local response normalization along the last axis.
  mutating func addLocalResponse(
    _ node: OperationGraph.Node, size: Int, alpha: Float, beta: Float, bias: Float
  ) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    let columns = sizes(of: node.output).last ?? 1
    var arguments = forge_local_response_arguments()
    arguments.rows = Int64(tensor(target).count / max(columns, 1))
    arguments.columns = Int64(columns)
    arguments.before = Int64((size - 1) / 2)
    arguments.after = Int64(size - 1 - (size - 1) / 2)
    arguments.factor = alpha / Float(size)
    arguments.beta = beta
    arguments.bias = bias
    addStep(
      "localResponse", kernels.local_response, arguments, tiles: forge_local_response_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }
}

extension Normalization {
  /// The C value of the kind.
  fileprivate var code: Int32 {
    let code =
      switch kind {
      case .standard: FORGE_NORMALIZE_STANDARD
      case .rootMeanSquare: FORGE_NORMALIZE_ROOT_MEAN_SQUARE
      case .unitLength: FORGE_NORMALIZE_UNIT
      }
    return Int32(code.rawValue)
  }
}
