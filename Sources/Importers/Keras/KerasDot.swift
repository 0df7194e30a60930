import Forge

/// Products of vectors and of matrices.
enum KerasDot {
  static let classes: [KerasClass] = [
    .spatial("Dot", build: dot)
  ]

  static let functions: [KerasFunction] = [
    KerasFunction("matmul", activation: .none) { _ throws(KerasFault) in
      .one { call throws(KerasFault) in
        let operands = (call.value("x1", "a", at: 0), call.value("x2", "b", at: 1))
        guard case .tensor(let first)? = operands.0 else {
          throw .unsupported("a matrix that is not a tensor of the model")
        }
        guard case .tensor(let second)? = operands.1 else {
          guard let (sizes, values) = operands.1?.json?.numbers, 1...2 ~= sizes.count else {
            throw .unsupported("a matrix that is neither a tensor nor numbers of two axes")
          }
          return try KerasNodes.step { nodes in
            guard case .network(let tensor) = try KerasNodes.value(first) else {
              throw NodeFailure.unsupported(nil)
            }
            return try KerasSums.product(nodes, tensor, HostTensor(floats: values, sizes: sizes))
          }
          .only(call)
        }
        let transposesFirst = try call.flag(call.value("transpose_a"), default: false)
        let transposesSecond = try call.flag(call.value("transpose_b"), default: false)
        guard first.rank >= 2, first.rank == second.rank else {
          throw .unsupported("\(first.rank) and \(second.rank) axes")
        }
        let product = MatMul(
          transposeA: transposesFirst, transposeB: transposesSecond, name: call.name)
        return KerasTensor(
          tensor: try call.apply(product, to: first.tensor, second.tensor), rank: first.rank)
      }
    }
  ]

  private static func pair(_ call: KerasCall) throws(KerasFault) -> (KerasTensor, KerasTensor) {
    guard call.inputs.count == 2 else {
      throw .invalid("the layer takes two tensors", received: "\(call.inputs.count)")
    }
    return (call.inputs[0], call.inputs[1])
  }

  private static func dot(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    guard let axes = try layer.config.integers("axes", "dot_axes"), 1...2 ~= axes.count else {
      throw .invalid("the description lacks an argument", needs: "axes")
    }
    let normalizes = try layer.config.flag("normalize", default: false)
    return .one { call throws(KerasFault) in
      var (first, second) = try pair(call)
      let dotted = (try first.axis(axes[0]), try second.axis(axes[axes.count - 1]))
      if normalizes {
        let scaled = (L2Normalize(axes: [dotted.0]), L2Normalize(axes: [dotted.1]))
        first = KerasTensor(tensor: try call.apply(scaled.0, to: first.tensor), rank: first.rank)
        second = KerasTensor(
          tensor: try call.apply(scaled.1, to: second.tensor), rank: second.rank)
      }
      switch (first.rank, second.rank) {
      case (1, 1):
        let product = try call.apply(Multiply(), to: first.tensor, second.tensor)
        let sum = Reduce(.sum, axes: [2], keepsDimensions: true, name: call.name)
        return KerasTensor(tensor: try call.apply(sum, to: product), rank: 1)
      case (2, 2):
        // The sum is over the last axis of the first matrix and the first of the second.
        let product = MatMul(transposeA: dotted.0 == 0, transposeB: dotted.1 == 1, name: call.name)
        return KerasTensor(
          tensor: try call.apply(product, to: first.tensor, second.tensor), rank: 2)
      default: throw .unsupported("\(first.rank) and \(second.rank) axes")
      }
    }
  }
}
