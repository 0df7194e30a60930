import Forge

/// Values put into a tensor at places that a prediction computes.
///
/// Each place of the result is compared with the places of all updates, so that the work is the
/// product of both numbers. What is not put somewhere takes no part in a sum, so that NaN and
/// infinities stay where they are put.
struct ONNXScatterCompare {
  /// The axis along which the updates are put.
  let axis: Int
  let combination: ONNXScatter.Combination

  /// The largest number of comparisons.
  private static let most = 1 << 24

  /// The data with the updates.
  ///
  /// - Parameters:
  ///   - call: the node.
  ///   - data: the tensor.
  ///   - places: a place along the axis for each update, counted from 0; sizes of 1 repeat.
  ///   - updates: the updates, along other axes no longer than the data.
  /// - Returns: the tensor with the sizes of the data.
  /// - Throws: ``NodeFailure``.
  func scattered(
    _ call: inout ONNXCall, _ data: FileTensor, at places: FileTensor, _ updates: FileTensor
  ) throws -> FileTensor {
    let (size, count) = (data.sizes[axis], updates.sizes[axis])
    guard data.rank < Shape.maximumRank,
      updates.count.multipliedSaturated(by: size) <= Self.most
    else { throw NodeFailure.unsupported("\(updates.count) updates at \(size) computed indices") }
    let isThere = try ONNXOperators.combined(
      &call, Self.widened(places, at: axis), try numbers(0..<size, along: axis, data.rank + 1)
    ) { Compare(.equal) }
    guard let reduction = combination.reduction else {
      return try replaced(&call, data, isThere, updates, count)
    }
    let chosen = try Self.chosen(
      call, isThere, Self.widened(updates, at: axis), combination.neutral)
    let sum = try ONNXOperators.reduced(
      &call, chosen, reduction, axes: [axis + 1], keepsDimensions: false)
    let layout = FileTensor.fileLayout(data.sizes)
    let filledSum = try filled(call, sum, to: data.sizes, combination.neutral)
    let result = try ONNXScatter.combined(
      call, combination, data.tensor(as: layout), filledSum.tensor(as: layout))
    return FileTensor(result, sizes: data.sizes, layout: layout, type: data.type)
  }

  /// The data with the last update of each place in place of what was there.
  private func replaced(
    _ call: inout ONNXCall, _ data: FileTensor, _ isThere: FileTensor, _ updates: FileTensor,
    _ count: Int
  ) throws -> FileTensor {
    // The numbers of the updates from 1 on; 0 where there is none.
    let numbers = try numbers(1..<count + 1, along: axis + 1, data.rank + 1)
    let ranked = try Self.chosen(call, isThere, numbers, 0)
    let last = try ONNXOperators.reduced(
      &call, ranked, .maximum, axes: [axis + 1], keepsDimensions: false)
    var sizes = updates.sizes
    sizes[axis] = data.sizes[axis]
    let layout = FileTensor.fileLayout(sizes)
    var places = last.tensor(as: layout)
    if last.sizes != sizes { places = try call.apply(Expand(to: sizes), to: places) }
    let lastPlaces = FileTensor(places, sizes: sizes, layout: layout)
    let earlier = try call.apply(
      Maximum(constant: [0]), to: try call.apply(Scale(bias: [-1]), to: places))
    let taken = try call.apply(
      GatherElements(axis: axis),
      to: [updates.tensor(as: FileTensor.fileLayout(updates.sizes)), earlier])
    let isWritten = try call.apply(
      Compare(.greater, than: [0]),
      to: try filled(call, lastPlaces, to: data.sizes, 0).tensor(as: layout))
    let new = try filled(
      call, FileTensor(taken, sizes: sizes, layout: layout), to: data.sizes, 0)
    let result = try call.apply(
      Where(name: call.layerName),
      to: [isWritten, new.tensor(as: layout), data.tensor(as: layout)])
    return FileTensor(result, sizes: data.sizes, layout: layout, type: data.type)
  }

  /// Places along an axis of some size, counted from 0; others are an error of the prediction.
  static func counted(_ call: ONNXCall, _ places: FileTensor, _ size: Int) throws -> FileTensor {
    let table = HostTensor(floats: (0..<size).map { Float($0) }, sizes: [size])
    let layout = FileTensor.fileLayout(places.sizes)
    let result = try call.apply(
      GatherRows(axis: 0),
      to: [try ONNXCall.constant(table, layout: [0]).tensor, places.tensor(as: layout)])
    return FileTensor(result, sizes: places.sizes, layout: layout, type: .int64)
  }

  /// What an `Expand` before the places repeats, so that each is compared once.
  static func unrepeated(_ places: FileTensor) -> FileTensor {
    guard places.layout == FileTensor.fileLayout(places.sizes),
      case .layer(let layer) = places.tensor.source, layer is Expand,
      let before = places.tensor.inputs.first, let sizes = before.shape?.sizes,
      sizes.count == places.rank
    else { return places }
    return FileTensor(before, sizes: sizes, layout: places.layout, type: places.type)
  }

  /// A tensor with another axis of size 1.
  private static func widened(_ tensor: FileTensor, at axis: Int) -> FileTensor {
    var sizes = tensor.sizes
    sizes.insert(1, at: axis)
    return tensor.reshaped(to: sizes)
  }

  /// Numbers along one axis of a tensor of a rank.
  private func numbers(_ range: Range<Int>, along axis: Int, _ rank: Int) throws -> FileTensor {
    var sizes = Array(repeating: 1, count: rank)
    sizes[axis] = range.count
    let values = HostTensor(floats: range.map { Float($0) }, sizes: sizes)
    return try ONNXCall.constant(values, layout: FileTensor.fileLayout(sizes))
  }

  /// Values where a condition holds, else a number.
  private static func chosen(
    _ call: ONNXCall, _ condition: FileTensor, _ values: FileTensor, _ number: Float
  ) throws -> FileTensor {
    let all: [FileValue] = [
      .network(condition), .network(values), .host(HostTensor(floats: [number], sizes: [])),
    ]
    let common = try ONNXOperators.commonLayout(all)
    let result = try call.apply(
      Where(), to: try all.map { try ONNXOperators.operand($0, common) })
    return FileTensor(result, sizes: common.sizes, layout: common.layout, type: values.type)
  }

  /// A tensor with a number behind its entries along each axis, up to some sizes.
  private func filled(
    _ call: ONNXCall, _ tensor: FileTensor, to sizes: [Int], _ number: Float
  ) throws -> FileTensor {
    guard tensor.sizes != sizes else { return tensor }
    let layout = FileTensor.fileLayout(sizes)
    let after = zip(sizes, tensor.sizes).map { $0 - $1 }
    let result = try call.apply(
      Pad(before: sizes.map { _ in 0 }, after: after, mode: .constant(number)),
      to: tensor.tensor(as: layout))
    return FileTensor(result, sizes: sizes, layout: layout, type: tensor.type)
  }
}
