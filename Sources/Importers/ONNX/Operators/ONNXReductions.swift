import Forge

extension ONNXOperators {
  /// Sums, means and the like along axes, and the places of the largest elements.
  static let reductions: [String: Operation] = {
    let kinds: [String: Reduction] = [
      "ReduceSum": .sum, "ReduceMean": .mean, "ReduceMax": .maximum, "ReduceMin": .minimum,
      "ReduceProd": .product, "ReduceL1": .l1, "ReduceL2": .l2,
      "ReduceSumSquare": .sumOfSquares, "ReduceLogSum": .logSum, "ReduceLogSumExp": .logSumExp,
    ]
    var table: [String: Operation] = [:]
    for (name, kind) in kinds {
      table[name] = { call in try reduce(&call, kind) }
    }
    table["ArgMax"] = { call in
      let selectsLast = call.node.int("select_last_index") != 0
      try position(&call) { axis, keeps in
        ArgMax(axis: axis, keepsDimensions: keeps, selectsLast: selectsLast)
      }
    }
    table["ArgMin"] = { call in
      let selectsLast = call.node.int("select_last_index") != 0
      try position(&call) { axis, keeps in
        ArgMin(axis: axis, keepsDimensions: keeps, selectsLast: selectsLast)
      }
    }
    return table
  }()

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
      // Axes of size 1 matter for reductions that are no identity on one element.
      layout = fullLayout(input, axes: axes)
      let positions = axes.compactMap { axis in layout.firstIndex(of: axis) }
      result = try call.apply(
        Reduce(kind, axes: positions, keepsDimensions: true, name: name),
        to: input.tensor(as: layout))
    }
    let whole = FileTensor(result, sizes: sizes, layout: layout, type: input.type)
    guard !keepsDimensions else { return whole }
    return whole.reshaped(to: input.sizes.indices.filter { !axes.contains($0) }.map { sizes[$0] })
  }

  private static func position(
    _ call: inout ONNXCall, _ layer: (Int, Bool) -> some Layer
  ) throws {
    let input = try call.network(0)
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: input.rank)
    let layout = fullLayout(input, axes: [axis])
    let result = try call.apply(
      layer(layout.firstIndex(of: axis) ?? 0, true), to: input.tensor(as: layout))
    var sizes = input.sizes
    sizes[axis] = 1
    let whole = FileTensor(result, sizes: sizes, layout: layout, type: .int64)
    guard call.node.int("keepdims", 1) == 0 else {
      call.set(whole)
      return
    }
    sizes.remove(at: axis)
    call.set(whole.reshaped(to: sizes))
  }
}
