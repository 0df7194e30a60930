import Forge
import ForgeMessages

/// Reductions and selections along axes.
enum CoreMLReductions {
  /// The layer `reduce` of channels, height and width, which keeps the axes.
  static func channels(_ call: inout CoreMLCall, _ layer: CoreMLChannelReduction) throws {
    let input = try call.image()
    let rank = input.rank
    let axes: [Int]
    switch layer.axis {
    case 0: axes = [rank - 3, rank - 2, rank - 1]
    case 1: axes = [rank - 2, rank - 1]
    case 2: axes = [rank - 3]
    case 3: axes = [rank - 2]
    case 4: axes = [rank - 1]
    default: throw NodeFailure.unsupported("axis \(layer.axis)")
    }
    switch layer.mode {
    case 0: call.set(try reduced(call, input, .sum, axes))
    case 1: call.set(try reduced(call, input, .mean, axes))
    case 2: call.set(try reduced(call, input, .product, axes))
    case 3:
      // `Σ ln(x + epsilon)`
      let moved = try call.apply(
        Scale(1, bias: CoreMLCall.epsilon(layer.epsilon)), to: input.tensor)
      let logarithms = FileTensor(
        try call.apply(Unary(.logarithm), to: moved), layout: input.layout, rank: rank)
      call.set(try reduced(call, logarithms, .sum, axes))
    case 4: call.set(try reduced(call, input, .sumOfSquares, axes))
    case 5: call.set(try reduced(call, input, .l1, axes))
    case 6: call.set(try reduced(call, input, .l2, axes))
    case 7: call.set(try reduced(call, input, .maximum, axes))
    case 8: call.set(try reduced(call, input, .minimum, axes))
    case 9:
      guard axes.count == 1 else { throw NodeFailure.unsupported("ARGMAX of several axes") }
      call.set(try extreme(call, input, axes[0], isMaximum: true))
    default: throw NodeFailure.unsupported("mode \(layer.mode)")
    }
  }

  /// The later reductions of any axes.
  static func reduce(
    _ call: inout CoreMLCall, _ reduction: Reduction, _ layer: CoreMLReduction
  ) throws {
    let input = try call.network()
    let axes =
      layer.all || layer.axes.isEmpty
      ? Array(0..<input.rank) : try CoreMLCall.axes(layer.axes, rank: input.rank)
    let result = try reduced(call, input, reduction, axes)
    guard !layer.keepDims else { return call.set(result) }
    let sizes = (0..<input.rank).filter { !axes.contains($0) }.map { result.sizes[$0] }
    call.set(result.reshaped(to: sizes.isEmpty ? [1] : sizes))
  }

  /// The reduction of some axes, which stay with size 1.
  private static func reduced(
    _ call: CoreMLCall, _ input: FileTensor, _ reduction: Reduction, _ axes: [Int]
  ) throws -> FileTensor {
    let rank = input.rank
    let isImage = input.layout == CoreMLCall.imageLayout(rank: max(rank, 3))
    if isImage, Set(axes) == [rank - 2, rank - 1] {
      if reduction == .mean {
        let mean = try call.apply(GlobalAveragePooling(name: call.name), to: input.tensor)
        return FileTensor(mean, layout: input.layout, rank: rank)
      }
      if reduction == .maximum {
        let largest = try call.apply(GlobalMaxPooling(name: call.name), to: input.tensor)
        return FileTensor(largest, layout: input.layout, rank: rank)
      }
    }
    let layout = input.layout(with: axes)
    let positions = axes.map { axis in layout.firstIndex(of: axis) ?? 0 }
    let layer = Reduce(reduction, axes: positions, keepsDimensions: true, name: call.name)
    return FileTensor(
      try call.apply(layer, to: input.tensor(as: layout)), layout: layout, rank: rank)
  }

  /// The index of the largest or smallest value along an axis, which stays with size 1.
  private static func extreme(
    _ call: CoreMLCall, _ input: FileTensor, _ axis: Int, isMaximum: Bool
  ) throws -> FileTensor {
    let layout = input.layout(with: [axis])
    let position = layout.firstIndex(of: axis) ?? 0
    let layer: any Layer =
      isMaximum
      ? ArgMax(axis: position, keepsDimensions: true, name: call.name)
      : ArgMin(axis: position, keepsDimensions: true, name: call.name)
    return FileTensor(
      try call.apply(layer, to: input.tensor(as: layout)), layout: layout, rank: input.rank)
  }

  static func extreme(_ call: inout CoreMLCall, _ layer: CoreMLAxis, isMaximum: Bool) throws {
    let input = try call.network()
    let axis = try CoreMLCall.axis(layer.axis, rank: input.rank)
    let result = try extreme(call, input, axis, isMaximum: isMaximum)
    guard layer.first else { return call.set(result) }
    var sizes = result.sizes
    sizes.remove(at: axis)
    call.set(result.reshaped(to: sizes.isEmpty ? [1] : sizes))
  }

  /// The layer `topK`, with values and indices as outputs.
  static func largest(_ call: inout CoreMLCall, _ layer: CoreMLTopK) throws {
    guard call.inputs.count == 1 else { throw NodeFailure.unsupported("K computed at run time") }
    let input = try call.network()
    let axis = try CoreMLCall.axis(layer.axis, rank: input.rank)
    let count = try CoreMLCall.size(layer.count)
    let layout = input.layout(with: [axis])
    let position = layout.firstIndex(of: axis) ?? 0
    for index in call.outputs.indices {
      let result = try call.apply(
        TopK(
          count: count, axis: position, largest: !layer.smallest, sorted: true,
          output: index == 0 ? .values : .indices), to: input.tensor(as: layout))
      call.set(FileTensor(result, layout: layout, rank: input.rank), output: index)
    }
  }

  static func cumulativeSum(_ call: inout CoreMLCall, _ layer: CoreMLAxis) throws {
    guard call.inputs.count == 1 else {
      throw NodeFailure.unsupported("an axis computed at run time")
    }
    let input = try call.network()
    let axis = try CoreMLCall.axis(layer.axis, rank: input.rank)
    let layout = input.layout(with: [axis])
    let sum = CumulativeSum(
      axis: layout.firstIndex(of: axis) ?? 0, exclusive: layer.first, reversed: layer.second,
      name: call.name)
    call.set(
      FileTensor(
        try call.apply(sum, to: input.tensor(as: layout)), layout: layout, rank: input.rank))
  }

  /// Entries of an axis whose indices are computed at run time.
  static func gather(_ call: inout CoreMLCall, axis: Int64) throws {
    guard call.inputs.count == 2 else { throw NodeFailure.invalid("\(call.inputs.count) inputs") }
    let (input, indices) = (try call.network(0), try call.network(1))
    let axis = try CoreMLCall.axis(axis, rank: input.rank)
    let sizes = Array(input.sizes[..<axis]) + indices.sizes + input.sizes[(axis + 1)...]
    let result = try call.apply(
      GatherRows(axis: axis, name: call.name),
      to: input.tensor(as: FileTensor.fileLayout(input.sizes)),
      indices.tensor(as: FileTensor.fileLayout(indices.sizes)))
    call.set(FileTensor(result, layout: FileTensor.fileLayout(sizes), rank: sizes.count))
  }

  static func gatherAlong(_ call: inout CoreMLCall, axis: Int64) throws {
    guard call.inputs.count == 2 else { throw NodeFailure.invalid("\(call.inputs.count) inputs") }
    let (input, indices) = (try call.network(0), try call.network(1))
    guard indices.rank == input.rank else { throw NodeFailure.invalid("indices of another rank") }
    let layout = FileTensor.fileLayout(indices.sizes)
    let result = try call.apply(
      GatherElements(axis: try CoreMLCall.axis(axis, rank: input.rank), name: call.name),
      to: input.tensor(as: FileTensor.fileLayout(input.sizes)), indices.tensor(as: layout))
    call.set(FileTensor(result, layout: layout, rank: indices.rank))
  }
}
