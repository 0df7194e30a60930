import Forge

/// Convolutions as sums of matrix products, one for each tap.
///
/// They serve where no layer does: weights computed at run time, and three dimensions.
enum ONNXTapProducts {
  /// The most taps of a kernel.
  private static let maximumTaps = 1 << 10

  /// A convolution of [N, C, …] with weights [outputs, C / groups, …], input 1 of the node.
  static func convolve(
    _ call: ONNXCall, _ input: FileTensor, _ window: ONNXWindow, groups: Int
  ) throws -> FileTensor {
    let weights = try call.network(1)
    let outputs = weights.sizes[0]
    let axes = Array(2..<input.rank)
    // [kernel…, inputs, outputs], so that each tap is a matrix.
    let taps = weights.tensor(as: axes + [1, 0])
    let padded = try call.apply(
      Pad(before: [0] + window.before + [0], after: [0] + window.after + [0]),
      to: input.tensor(as: [0] + axes + [1]))
    let counts = try axes.indices.map { axis -> Int in
      let extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1
      let size = input.sizes[axis + 2] + window.before[axis] + window.after[axis]
      guard size >= extent else { throw NodeFailure.invalid("an empty result") }
      return (size - extent) / window.strides[axis] + 1
    }
    let pixels = input.sizes[0] * counts.reduce(1, *)
    let sum = try summed(call, window.kernel) { place in
      let starts = zip(place, window.dilations).map { $0 * $1 }
      let ends = starts.indices.map { starts[$0] + (counts[$0] - 1) * window.strides[$0] + 1 }
      let part = try call.apply(
        Slice(starts: starts, ends: ends, axes: axes.indices.map { $0 + 1 }, steps: window.strides),
        to: padded)
      let tap = try reshaped(
        call, try self.tap(call, taps, place), [input.sizes[1] / groups, groups, outputs / groups])
      return try product(
        call, try reshaped(call, part, [pixels, groups, input.sizes[1] / groups]),
        try call.apply(Permute(order: [1, 0, 2]), to: tap))
    }
    return try finished(call, sum, sizes: [input.sizes[0]] + counts + [outputs], type: input.type)
  }

  /// A transposed convolution of [N, C, …] with weights [C, outputs / groups, …], input 1 of the
  /// node: the products are spread by the stride and moved to their places.
  static func transposedConvolve(
    _ call: ONNXCall, _ input: FileTensor, _ window: ONNXTransposedWindow, groups: Int
  ) throws -> FileTensor {
    let weights = try call.network(1)
    let outputs = weights.sizes[1].multipliedSaturated(by: groups)
    let axes = Array(2..<input.rank)
    let taps = weights.tensor(as: axes + [0, 1])
    let (images, channels, sizes) = (input.sizes[0], input.sizes[1], Array(input.sizes[2...]))
    let matrix = try reshaped(
      call, input.tensor(as: [0] + axes + [1]),
      [images * sizes.reduce(1, *), groups, channels / groups])
    // The result before the padding is cut off.
    let full = axes.indices.map { axis -> Int in
      let extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1
      return window.strides[axis] * (sizes[axis] - 1) + window.output[axis] + extent
    }
    let spread = zip(sizes, window.strides).map { $0 * $1 }
    let sum = try summed(call, window.kernel) { place in
      let tap = try reshaped(
        call, try self.tap(call, taps, place), [groups, channels / groups, outputs / groups])
      let pixels = try reshaped(
        call, try product(call, matrix, tap), [images] + sizes.flatMap { [$0, 1] } + [outputs])
      // Zeros between the pixels.
      let zeros = [0] + window.strides.flatMap { [0, $0 - 1] } + [0]
      let apart = try reshaped(
        call,
        try call.apply(Pad(before: zeros.map { _ in 0 }, after: zeros), to: pixels),
        [images] + spread + [outputs])
      let starts = zip(place, window.dilations).map { $0 * $1 }
      return try call.apply(
        Pad(
          before: [0] + starts.indices.map { starts[$0] - window.before[$0] } + [0],
          after: [0]
            + starts.indices.map { full[$0] - spread[$0] - starts[$0] - window.after[$0] } + [0]),
        to: apart)
    }
    return try finished(call, sum, sizes: nil, type: input.type)
  }

  /// The sum of the parts of all taps.
  private static func summed(
    _ call: ONNXCall, _ kernel: [Int], _ part: ([Int]) throws -> Tensor
  ) throws -> Tensor {
    guard kernel.reduce(1, { $0.multipliedSaturated(by: $1) }) <= maximumTaps else {
      throw NodeFailure.unsupported("a kernel of \(kernel)")
    }
    var places: [[Int]] = [[]]
    for size in kernel { places = places.flatMap { place in (0..<size).map { place + [$0] } } }
    var sum: Tensor?
    for place in places {
      let next = try part(place)
      sum = try sum.map { try call.apply(Add(), to: $0, next) } ?? next
    }
    guard let sum else { throw NodeFailure.invalid("an empty kernel") }
    return sum
  }

  /// The matrix of one tap.
  private static func tap(_ call: ONNXCall, _ taps: Tensor, _ place: [Int]) throws -> Tensor {
    try call.apply(
      Slice(starts: place, ends: place.map { $0 + 1 }, axes: Array(place.indices)), to: taps)
  }

  /// The products [pixels, groups · outputs] of [pixels, groups, inputs] and [groups, inputs,
  /// outputs].
  private static func product(
    _ call: ONNXCall, _ pixels: Tensor, _ matrices: Tensor
  ) throws -> Tensor {
    try call.apply(
      Permute(order: [1, 0, 2]),
      to: try call.apply(
        MatMul(), to: try call.apply(Permute(order: [1, 0, 2]), to: pixels), matrices))
  }

  private static func reshaped(_ call: ONNXCall, _ tensor: Tensor, _ sizes: [Int]) throws -> Tensor
  {
    try call.apply(Reshape(to: sizes), to: tensor)
  }

  /// The result with the bias, input 2 of the node, its channels last.
  private static func finished(
    _ call: ONNXCall, _ sum: Tensor, sizes: [Int]?, type: ElementType
  ) throws -> FileTensor {
    var result = try sizes.map { try reshaped(call, sum, $0) } ?? sum
    let rank = result.shape?.rank ?? 0
    if call.has(2) {
      let bias = try call.network(2)
      guard bias.rank == 1 else { throw NodeFailure.invalid("a bias of sizes \(bias.sizes)") }
      let ones = Array(repeating: nil as Int?, count: max(rank - 1, 0))
      result = try call.apply(Add(), to: result, bias.tensor(as: ones + [0]))
    }
    return FileTensor(result, layout: [0] + Array(2..<max(rank, 2)) + [1], rank: rank, type: type)
  }
}
