import Forge

/// Sums, means and extrema along axes as operations.
enum KerasReductions {
  static let functions: [KerasFunction] = [
    KerasFunction("mean", "reduce_mean", activation: .none, build: reduction(.mean)),
    KerasFunction("sum", "reduce_sum", activation: .none, build: reduction(.sum)),
    KerasFunction("max", "amax", "reduce_max", activation: .none, build: reduction(.maximum)),
    KerasFunction("min", "amin", "reduce_min", activation: .none, build: reduction(.minimum)),
    KerasFunction("prod", "reduce_prod", activation: .none, build: reduction(.product)),
    KerasFunction("logsumexp", "reduce_logsumexp", activation: .none, build: reduction(.logSumExp)),
  ]

  private static func reduction(_ kind: Reduction) -> KerasFunction.Build {
    { _ throws(KerasFault) in
      .one { call throws(KerasFault) in try reduced(kind, call) }
    }
  }

  /// The only input of a call, reduced along the axes among the arguments.
  static func reduced(_ kind: Reduction, _ call: KerasCall) throws(KerasFault) -> KerasTensor {
    let input = try call.only()
    guard let axes = try call.integers(call.value("axis", at: 1)), !axes.isEmpty else {
      throw .unsupported("all axes, the batch included")
    }
    let keepsAxes = try call.flag(call.value("keepdims", at: 2), default: false)
    var forgeAxes: Set<Int> = []
    for axis in axes { forgeAxes.insert(try input.axis(axis)) }
    return try reduced(input, kind, axes: forgeAxes, keepsAxes: keepsAxes, call)
  }

  /// A reduction along axes of the Forge tensor, with the axes that Keras has afterwards.
  static func reduced(
    _ input: KerasTensor, _ kind: Reduction, axes: Set<Int>, keepsAxes: Bool, _ call: KerasCall
  ) throws(KerasFault) -> KerasTensor {
    let rest = keepsAxes ? input.rank : input.rank - axes.count
    guard rest > 0 else { throw .unsupported("a result without axes besides the batch") }
    // A vector of Keras is 1×1×n; a sum to one is then an image or a sequence of size 1.
    let becomesVector = !keepsAxes && rest == 1
    let reduce = Reduce(
      kind, axes: axes.sorted(), keepsDimensions: keepsAxes, name: becomesVector ? nil : call.name)
    let result = try call.apply(reduce, to: input.tensor)
    guard becomesVector else { return KerasTensor(tensor: result, rank: rest) }
    let vector = Reshape(to: [1, 1, -1], name: call.name)
    return KerasTensor(tensor: try call.apply(vector, to: result), rank: 1)
  }
}
