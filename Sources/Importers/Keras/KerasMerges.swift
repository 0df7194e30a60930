import Forge

/// Layers of several tensors.
enum KerasMerges {
  static let classes: [KerasClass] = [
    merge("Add") { Add(name: $0) },
    merge("Subtract") { Subtract(name: $0) },
    merge("Multiply", choosesPositions: true) { Multiply(name: $0) },
    merge("Maximum", choosesPositions: true) { Maximum(name: $0) },
    merge("Minimum", choosesPositions: true) { Minimum(name: $0) },
    merge("Average") { Average(name: $0) },
    .masking("Concatenate", build: concatenation),
    .spatial("Merge", build: merge),
  ]

  /// An elementwise layer whose result has the mask of its inputs.
  ///
  /// - Parameters:
  ///   - name: the class.
  ///   - choosesPositions: whether Keras 3 computes it from those inputs only which count at a
  ///     position.
  ///   - layer: makes the layer from its name.
  /// - Returns: the class.
  private static func merge(
    _ name: String, choosesPositions: Bool = false,
    _ layer: @escaping @Sendable (String) -> any Layer
  ) -> KerasClass {
    .masking(name) { _ throws(KerasFault) in
      let step = elementwise(layer)
      return .one { call throws(KerasFault) in
        if choosesPositions, call.layer.generation > 2 { try KerasMask.refuse(call) }
        var result = try step.only(call)
        result.mask = try KerasMask.merged(call)
        return result
      }
    }
  }

  /// An elementwise layer; tensors of fewer axes get new ones after the batch, as in Keras.
  static func elementwise(_ layer: @escaping @Sendable (String) -> any Layer) -> KerasStep {
    .one { call throws(KerasFault) in
      let (tensors, rank) = try aligned(call.inputs, call)
      return KerasTensor(tensor: try call.apply(layer(call.name), to: tensors), rank: rank)
    }
  }

  /// Tensors with the same number of axes, as far as broadcasting needs it.
  static func aligned(
    _ inputs: [KerasTensor], _ call: KerasCall
  ) throws(KerasFault) -> (tensors: [Tensor], rank: Int) {
    let rank = inputs.map(\.rank).max() ?? 1
    var tensors: [Tensor] = []
    for input in inputs {
      // A vector has three axes in Forge, which is too many beside a sequence.
      if input.rank == 1, rank == 2 {
        let sizes = try input.knownSizes("known sizes for broadcasting")
        tensors.append(try call.apply(input.tensor.reshape(to: [1] + sizes), to: input.tensor))
      } else {
        tensors.append(input.tensor)
      }
    }
    return (tensors, rank)
  }

  private static func concatenation(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let axis = try layer.config.integer("axis", default: -1)
    let step = concatenation(axis: axis)
    return .one { call throws(KerasFault) in
      var result = try step.only(call)
      // Along the channels, positions count that count in all inputs, or in Keras 3 in any.
      if call.inputs.allSatisfy({ $0.mask != nil }), axis == -1 || axis == result.rank {
        result.mask = try KerasMask.merged(call)
      } else {
        try KerasMask.refuse(call)
      }
      return result
    }
  }

  static func concatenation(axis: Int) -> KerasStep {
    .one { call throws(KerasFault) in
      guard let first = call.inputs.first, call.inputs.allSatisfy({ $0.rank == first.rank }) else {
        throw .invalid(
          "the tensors have different numbers of axes",
          received: call.inputs.map { "\($0.rank)" }.joined(separator: ", "))
      }
      let layer = Concatenate(axis: try first.axis(axis), name: call.name)
      return KerasTensor(
        tensor: try call.apply(layer, to: call.inputs.map(\.tensor)), rank: first.rank)
    }
  }

  /// The layer of Keras 1 for all of these.
  private static func merge(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    switch try layer.config.text("mode", default: "sum") {
    case "sum": return elementwise { Add(name: $0) }
    case "mul": return elementwise { Multiply(name: $0) }
    case "max": return elementwise { Maximum(name: $0) }
    case "ave": return elementwise { Average(name: $0) }
    case "concat": return concatenation(axis: try layer.config.integer("concat_axis", default: -1))
    case let mode: throw .unsupported("mode \"\(mode.prefix(20))\"")
    }
  }
}
