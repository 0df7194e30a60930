import Forge

extension ONNXOperators {
  /// Sums, means and the like along axes, and the places of the largest elements.
  static let reductions: [ONNXOperator] = [
    .reduction(
      "ReduceSum", import: { try reduce(&$0, .sum) },
      fold: ONNXFolding.reduction(ofNothing: 0, ONNXFolding.sums)),
    .reduction(
      "ReduceMean", import: { try reduce(&$0, .mean) },
      fold: ONNXFolding.reduction(ofNothing: .nan, ONNXFolding.means)),
    .reduction(
      "ReduceMax", import: { try reduce(&$0, .maximum) },
      fold: ONNXFolding.reduction(ofNothing: -.infinity, ONNXFolding.maxima)),
    .reduction(
      "ReduceMin", import: { try reduce(&$0, .minimum) },
      fold: ONNXFolding.reduction(ofNothing: .infinity, ONNXFolding.minima)),
    .reduction(
      "ReduceProd", import: { try reduce(&$0, .product) },
      fold: ONNXFolding.reduction(ofNothing: 1, ONNXFolding.products)),
    .reduction(
      "ReduceL1", import: { try reduce(&$0, .l1) },
      fold: ONNXFolding.reduction(
        ofNothing: 0, ONNXFolding.integerSums { $0 == .min ? nil : abs($0) })),
    .reduction(
      "ReduceL2", import: { try reduce(&$0, .l2) },
      fold: ONNXFolding.reduction(ofNothing: 0, ONNXFolding.norms)),
    .reduction(
      "ReduceSumSquare", import: { try reduce(&$0, .sumOfSquares) },
      fold: ONNXFolding.reduction(
        ofNothing: 0,
        ONNXFolding.integerSums { ONNXFolding.checked($0.multipliedReportingOverflow(by: $0)) })),
    .reduction(
      "ReduceLogSum", import: { try reduce(&$0, .logSum) },
      fold: ONNXFolding.reduction(ofNothing: -.infinity, ONNXFolding.computed)),
    .reduction(
      "ReduceLogSumExp", import: { try reduce(&$0, .logSumExp) },
      fold: ONNXFolding.reduction(ofNothing: -.infinity, ONNXFolding.computed)),
    place("ArgMax") { ArgMax(axis: $0, keepsDimensions: true, selectsLast: $1) },
    place("ArgMin") { ArgMin(axis: $0, keepsDimensions: true, selectsLast: $1) },
    ONNXOperator(
      "CumSum", import: cumulativeSum, fold: .known(ONNXFolding.cumulativeSums),
      bounds: .cumulativeSum, length: .followed, sizes: .none,
      examples: .apart(ONNXOpenRules.cumulativeSum)),
    // Shifts along the axis depend on its size.
    ONNXOperator(
      "CumProd", import: cumulativeProduct, fold: .none, bounds: nil, length: .refused,
      sizes: .none, examples: .apart(ONNXOpenRules.cumulativeSum)),
  ]

  /// The place of the largest or smallest element along an axis, the first or the last of equals.
  private static func place(
    _ type: String, _ layer: @escaping @Sendable (_ axis: Int, _ selectsLast: Bool) -> some Layer
  ) -> ONNXOperator {
    ONNXOperator(
      type,
      import: { call in
        let selectsLast = call.node.int("select_last_index") != 0
        try position(&call) { layer($0, selectsLast) }
      }, fold: .none, bounds: .place, length: .followed, sizes: .none,
      examples: .apart(ONNXOpenRules.place))
  }

  private static func reduce(_ call: inout ONNXCall, _ kind: Reduction) throws {
    try call.refuseIntegers()
    let input = try call.network(0)
    let stated = try call.ints("axes", input: 1)
    var axes = try (stated ?? []).map { try ONNXCall.axis($0, rank: input.rank) }
    if axes.isEmpty {
      if call.node.int("noop_with_empty_axes") != 0 {
        // Each element is reduced by itself.
        let function: UnaryFunction? =
          switch kind {
          case .l1, .l2: .absolute
          case .sumOfSquares: .square
          case .logSum: .logarithm
          default: nil
          }
        guard let function else { return call.set(input) }
        let layer = Unary(function, name: call.layerName)
        return call.set(try call.apply(layer, to: input.tensor), like: input)
      }
      axes = Array(0..<input.rank)
    }
    call.set(
      try reduced(
        &call, input, kind, axes: axes, keepsDimensions: call.node.int("keepdims", 1) != 0,
        name: call.layerName))
  }

  /// The reduction of a tensor along axes of the file.
  static func reduced(
    _ call: inout ONNXCall, _ input: FileTensor, _ kind: Reduction, axes: [Int],
    keepsDimensions: Bool, name: String? = nil
  ) throws -> FileTensor {
    var sizes = input.sizes
    for axis in axes { sizes[axis] = 1 }
    let result: Tensor
    var layout = input.layout
    if input.layout == [2, 3, 1], Set(axes) == [2, 3], kind == .mean || kind == .maximum {
      result =
        kind == .mean
        ? try call.apply(GlobalAveragePooling(name: name), to: input.tensor)
        : try call.apply(GlobalMaxPooling(name: name), to: input.tensor)
      layout = [nil, nil, 1]
    } else {
      // Axes of size 1 matter for reductions that are not the identity on one element.
      layout = fullLayout(input, axes: axes)
      let positions = axes.compactMap { axis in layout.firstIndex(of: axis) }
      result = try call.apply(
        Reduce(kind, axes: positions, keepsDimensions: true, name: name),
        to: input.tensor(as: layout))
    }
    let reduced = FileTensor(result, sizes: sizes, layout: layout, type: input.type)
    guard !keepsDimensions else { return reduced }
    return reduced.reshaped(to: input.sizes.indices.filter { !axes.contains($0) }.map { sizes[$0] })
  }

  private static func position(
    _ call: inout ONNXCall, _ layer: (Int) -> some Layer
  ) throws {
    let input = try call.network(0)
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: input.rank)
    let layout = fullLayout(input, axes: [axis])
    let result = try call.apply(
      layer(layout.firstIndex(of: axis) ?? 0), to: input.tensor(as: layout))
    var sizes = input.sizes
    sizes[axis] = 1
    let reduced = FileTensor(result, sizes: sizes, layout: layout, type: .int64)
    guard call.node.int("keepdims", 1) == 0 else {
      call.set(reduced)
      return
    }
    sizes.remove(at: axis)
    call.set(reduced.reshaped(to: sizes))
  }

  /// Sums of all elements up to each one.
  private static func cumulativeSum(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    let input = try call.network(0)
    guard let stated = try call.knownInts(1, "the axis")?.first else {
      throw NodeFailure.invalid("no axis")
    }
    let axis = try ONNXCall.axis(stated, rank: input.rank)
    let layout = fullLayout(input, axes: [axis])
    let layer = CumulativeSum(
      axis: layout.firstIndex(of: axis) ?? 0, exclusive: call.node.int("exclusive") != 0,
      reversed: call.node.int("reverse") != 0)
    let result = try call.apply(layer, to: input.tensor(as: layout))
    call.set(FileTensor(result, sizes: input.sizes, layout: layout, type: input.type))
  }

  /// Products of all elements up to each one: of two, of four, and so on.
  private static func cumulativeProduct(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    let input = try call.network(0)
    guard let stated = try call.knownInts(1, "the axis")?.first else {
      throw NodeFailure.invalid("no axis")
    }
    let axis = try ONNXCall.axis(stated, rank: input.rank)
    let layout = fullLayout(input, axes: [axis])
    let isReversed = call.node.int("reverse") != 0
    /// The elements some places before each one; 1 where there are none.
    func shifted(_ tensor: Tensor, by count: Int) throws -> Tensor {
      var (before, after) = (layout.map { _ in 0 }, layout.map { _ in 0 })
      let position = layout.firstIndex(of: axis) ?? 0
      before[position] = isReversed ? -count : count
      after[position] = -before[position]
      return try ONNXCall.applied(
        Pad(before: before, after: after, mode: .constant(1)), to: [tensor])
    }
    var result = input.tensor(as: layout)
    let size = input.sizes[axis]
    if call.node.int("exclusive") != 0 {
      result =
        size > 1
        ? try shifted(result, by: 1)
        : try ONNXCall.constant(
          HostTensor(floats: Array(repeating: 1, count: input.count), sizes: input.sizes),
          layout: layout
        ).tensor
    }
    var count = 1
    while count < size {
      result = try call.apply(Multiply(), to: result, try shifted(result, by: count))
      count *= 2
    }
    call.set(FileTensor(result, sizes: input.sizes, layout: layout, type: input.type))
  }
}
