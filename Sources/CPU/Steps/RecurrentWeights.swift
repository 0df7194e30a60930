import CForgeKernels
import ForgeOperations
import ForgeSystem

/// The weights that a recurrent step reads once per time.
struct RecurrentMatrices {
  /// A matrix and its form as floats.
  struct Matrix {
    let value: OperationGraph.Value
    let floats: CellForm

    func narrow(_ form: NarrowCellForm.Kind, accuracy: Double) -> NarrowCellForm {
      NarrowCellForm(kind: form, floats: floats, accuracy: accuracy)
    }
  }

  let weights: Matrix
  let projection: Matrix?
  /// The number of weights of all matrices.
  let count: Int

  init(_ rule: RecurrentRule, weights: OperationGraph.Value, projection: OperationGraph.Value?) {
    // The candidate of a GRU that resets before the product takes a round of its own.
    var firstBlocks: Int?
    if case .gru(_, _, resetsAfter: false) = rule.cell { firstBlocks = 2 }
    self.weights = Matrix(
      value: weights,
      floats: CellForm(
        blocks: rule.gateBlocks, firstBlocks: firstBlocks, units: rule.units, inputs: rule.outputs))
    self.projection = projection.map {
      Matrix(value: $0, floats: CellForm(blocks: [0], units: rule.outputs, inputs: rule.units))
    }
    count = (rule.cell.gates * rule.units + (projection == nil ? 0 : rule.units))
      .multipliedSaturated(by: rule.outputs)
  }
}

/// Recurrent weights narrower than Float32: the scale of each unit's gate, then the weights.
struct NarrowCellForm: PackedForm {
  /// How weights are stored.
  enum Kind: Hashable {
    case fixed, halves, bfloats, bytes

    /// The kind that a plan uses where weights suffice to be worth it.
    ///
    /// - Returns: `nil` if the instruction set has no kernel for it.
    init?(_ settings: PlanSettings) {
      switch settings.precision {
      case .float32:
        guard FixedPointConvolution.isEnabled(settings) else { return nil }
        self = .fixed
      case .halfWeights: self = .halves
      case .bfloat16: self = .bfloats
      case .int8: self = .bytes
      }
      guard kernel(settings.level) != nil else { return nil }
    }

    /// The name in those of steps.
    var name: String {
      switch self {
      case .fixed: FixedPointConvolution.name
      case .halves: HalfWeightConvolution.name
      case .bfloats: "bfloat16-weight"
      case .bytes: "int8-weight"
      }
    }

    var bits: Int {
      switch self {
      case .fixed: 24
      case .halves, .bfloats: 16
      case .bytes: 8
      }
    }

    fileprivate var form: forge_weight_form {
      switch self {
      case .fixed: FORGE_WEIGHTS_FIXED
      case .halves: FORGE_WEIGHTS_HALVES
      case .bfloats: FORGE_WEIGHTS_BFLOATS
      case .bytes: FORGE_WEIGHTS_BYTES
      }
    }

    func kernel(_ level: forge_level) -> forge_kernel? {
      let kernels = forge_precision_kernels(level)
      return switch self {
      case .fixed: kernels.fixed_recurrent
      case .halves: kernels.half_recurrent
      case .bfloats: kernels.bfloat_recurrent
      case .bytes: kernels.byte_recurrent
      }
    }
  }

  let kind: Kind
  let floats: CellForm
  /// The error that the 24-bit weights may have.
  let accuracy: Double

  /// The number of floats of the scales, before the weights.
  var weightsStart: Int {
    withUnsafePointer(to: packing(nil, threads: 1)) { Int(forge_recurrent_scale_floats($0)) }
  }

  var count: Int {
    weightsStart
      + withUnsafePointer(to: packing(nil, threads: 1)) { Int(forge_recurrent_packed_floats($0)) }
  }

  func write(_ packing: Packing) -> Bool {
    let weights = packing.memory + weightsStart
    return withUnsafePointer(to: self.packing(packing.values, threads: packing.threads)) {
      forge_pack_recurrent($0, weights, packing.memory) != 0
    }
  }

  private func packing(
    _ values: UnsafePointer<Float>?, threads: Int32
  ) -> forge_recurrent_packing {
    let blocks = floats.blocks.map { Int64($0) } + [0, 0, 0]
    return forge_recurrent_packing(
      weights: values, form: Int32(kind.form.rawValue), gates: Int32(floats.blocks.count),
      first_gates: Int32(floats.firstBlocks ?? floats.blocks.count), threads: threads,
      blocks: (blocks[0], blocks[1], blocks[2], blocks[3]), units: Int64(floats.units),
      inputs: Int64(floats.inputs), accuracy: accuracy)
  }
}

extension PlanBuilder {
  /// Packs the weights of a recurrent step.
  ///
  /// They are narrower than floats from 1 MB of Float32 on: fewer stay in the second-level cache,
  /// as those of ``FixedPointConvolution`` do.
  ///
  /// - Returns: The form, or `nil` for floats.
  mutating func addWeights(
    _ matrices: RecurrentMatrices, to arguments: inout forge_recurrent_arguments
  ) throws -> NarrowCellForm.Kind? {
    guard matrices.count >= 1 << 18, let kind = NarrowCellForm.Kind(settings),
      let weights = try narrow(matrices.weights, kind),
      let projection = try matrices.projection.map({ try narrow($0, kind) }) ?? .some((nil, nil))
    else {
      arguments.weights = try packed(
        matrices.weights.value, as: matrices.weights.floats, weights: matrices.weights.floats.tiny)
      if let projection = matrices.projection {
        arguments.projection = try packed(
          projection.value, as: projection.floats, weights: projection.floats.tiny)
      }
      return nil
    }
    (arguments.weights, arguments.scales) = weights
    (arguments.projection, arguments.projection_scales) = projection
    return kind
  }

  /// Packs a matrix; `nil` if the form is not exact enough for its weights.
  private mutating func narrow(
    _ matrix: RecurrentMatrices.Matrix, _ kind: NarrowCellForm.Kind
  ) throws -> (weights: UnsafePointer<Float>?, scales: UnsafePointer<Float>?)? {
    let form = matrix.narrow(kind, accuracy: settings.accuracy)
    do {
      let scales = try packed(matrix.value, as: form, weights: form.floats.tiny)
      return (scales.map { $0 + form.weightsStart }, scales)
    } catch is PackedConstants.NotExactEnough { return nil }
  }
}
