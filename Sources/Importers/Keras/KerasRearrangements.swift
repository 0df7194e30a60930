import Forge

/// Layers that move values without changing them.
enum KerasRearrangements {
  static let classes: [KerasClass] = [
    .spatial("Flatten") { layer throws(KerasFault) in flatten.arranged(for: layer) },
    .spatial("Reshape", build: reshape),
    .spatial("Permute", build: permute),
    .spatial("RepeatVector", build: repeatVector),
  ]

  static let flatten = KerasStep.one { call throws(KerasFault) in
    let input = try call.only()
    return KerasTensor(
      tensor: try call.apply(Flatten(name: call.name), to: input.tensor), rank: 1)
  }

  private static func reshape(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    guard let sizes = try layer.config.integers("target_shape"), !sizes.isEmpty else {
      throw .unsupported("an empty target_shape")
    }
    return reshape(to: sizes)
  }

  /// Other sizes of the same axes, which follow the length of a sequence as those of the input do.
  static func relabel(to sizes: [Int]) -> KerasStep {
    .one { call throws(KerasFault) in
      let input = try call.only()
      let reshape = input.tensor.reshape(to: KerasTensor.forgeSizes(sizes), name: call.name)
      return KerasTensor(tensor: try call.apply(reshape, to: input.tensor), rank: sizes.count)
    }
  }

  /// A reshape to sizes without the batch.
  static func reshape(to sizes: [Int]) -> KerasStep {
    .one { call throws(KerasFault) in
      let input = try call.only()
      let reshape = Reshape(to: KerasTensor.forgeSizes(sizes), name: call.name)
      return KerasTensor(tensor: try call.apply(reshape, to: input.tensor), rank: sizes.count)
    }
  }

  private static func permute(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    guard let dims = try layer.config.integers("dims") else {
      throw .invalid("the description lacks an argument", needs: "dims")
    }
    return permute(dims: dims)
  }

  /// A permutation; `dims` count from 1, the batch being 0.
  static func permute(dims: [Int]) -> KerasStep {
    .one { call throws(KerasFault) in
      let input = try call.only()
      guard dims.sorted() == Array(1...max(input.rank, 1)) else {
        throw .invalid(
          "the order must name each axis exactly once",
          received: dims.map { "\($0)" }.joined(separator: ", "), needs: "1 to \(input.rank)")
      }
      guard input.rank > 1 else { return input }
      let permute = Permute(order: dims.map { $0 - 1 }, name: call.name)
      return try call.apply(permute, to: input)
    }
  }

  private static func repeatVector(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let count = try layer.config.integer("n")
    return .one { call throws(KerasFault) in
      let input = try call.only(rank: 1)
      let sizes = try input.knownSizes("a known number of values")
      let rows = try call.apply(UpSampling(size: (1, count)), to: input.tensor)
      return KerasTensor(
        tensor: try call.apply(Reshape(to: [-1] + sizes, name: call.name), to: rows), rank: 2)
    }
  }
}
