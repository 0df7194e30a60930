import Forge

extension ONNXOperators {
  /// Selections and patterns that are composed of other layers.
  static let rearrangements: [ONNXOperator] = [
    // What is cut or added depends on the size.
    ONNXOperator(
      "CenterCropPad", import: centerCropPad, fold: .none, bounds: nil, length: .refused,
      sizes: .none, examples: .apart(ONNXOpenRules.centerCropPad)),
    .computed("Hardmax", import: hardmax, rule: ONNXOpenRules.softmax),
    .computed("OneHot", import: oneHot, rule: ONNXOpenRules.oneHot),
    .computed("Trilu", import: trilu, rule: ONNXOpenRules.triangle),
  ]

  /// 1 at the first largest element of each row, 0 elsewhere.
  private static func hardmax(_ call: inout ONNXCall) throws {
    let original = try call.network(0)
    // Before operator set 13 all axes from the stated one on are one.
    let isOld = call.opset < 13
    let stated = try ONNXCall.axis(
      call.node.int("axis", isOld ? 1 : -1), rank: original.rank)
    let input =
      isOld
      ? original.reshaped(
        to: [
          original.sizes[..<stated].reduce(1, *), original.sizes[stated...].reduce(1, *),
        ]) : original
    let axis = isOld ? 1 : stated
    // The places along the axis are stored.
    guard try input.lengthSizes()[axis].constant != nil else {
      throw NodeFailure.unsupported("rows along a sequence whose length varies")
    }
    let layout = fullLayout(input, axes: [axis])
    let tensor = input.tensor(as: layout)
    let position = layout.firstIndex(of: axis) ?? 0
    let largest = try call.apply(ArgMax(axis: position, keepsDimensions: true), to: tensor)
    let result = try call.apply(
      Compare(.equal), to: largest, try places(input.sizes[axis], position, layout.count))
    let isLargest = FileTensor(result, sizes: input.sizes, layout: layout, type: input.type)
    call.set(isLargest.reshaped(to: original.sizes))
  }

  /// The numbers 0, 1, … along one axis of a tensor of a rank.
  private static func places(_ count: Int, _ axis: Int, _ rank: Int) throws -> Tensor {
    var sizes = Array(repeating: 1, count: rank)
    sizes[axis] = count
    let values = HostTensor(floats: (0..<count).map { Float($0) }, sizes: sizes)
    return try ONNXCall.constant(values, layout: FileTensor.fileLayout(sizes)).tensor
  }

  /// Cuts from the middle of each axis, or adds zeros on both sides.
  private static func centerCropPad(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    guard let target = try call.knownInts(1, "the shape") else {
      throw NodeFailure.invalid("no shape")
    }
    let axes = try (call.node.ints("axes") ?? Array(0..<input.rank)).map {
      try ONNXCall.axis($0, rank: input.rank)
    }
    guard axes.count == target.count, target.allSatisfy({ (1...(1 << 20)).contains($0) }) else {
      throw NodeFailure.invalid("the shape \(target) of \(axes.count) axes")
    }
    let layout = fullLayout(input, axes: axes)
    var (before, after) = (layout.map { _ in 0 }, layout.map { _ in 0 })
    for (axis, size) in zip(axes, target) {
      let difference = size - input.sizes[axis]
      let position = layout.firstIndex(of: axis) ?? 0
      // Of an odd number the smaller half comes first.
      before[position] = difference >= 0 ? difference / 2 : -(-difference / 2)
      after[position] = difference - before[position]
    }
    let result = try call.apply(Pad(before: before, after: after), to: input.tensor(as: layout))
    call.set(FileTensor(result, layout: layout, rank: input.rank, type: input.type))
  }

  /// Compares indices with the places along a new axis.
  private static func oneHot(_ call: inout ONNXCall) throws {
    let indices = try call.network(0)
    guard let depth = try call.knownInts(1, "the depth")?.first, (1...(1 << 24)).contains(depth)
    else { throw NodeFailure.invalid("no depth") }
    let given = try call.network(2)
    guard given.count == 2 else { throw NodeFailure.invalid("values of sizes \(given.sizes)") }
    let values = given.reshaped(to: [2])
    let rank = indices.rank + 1
    let axis = try ONNXCall.axis(call.node.int("axis", -1), rank: rank)
    var sizes = indices.sizes
    sizes.insert(1, at: axis)
    let wide = indices.reshaped(to: sizes)
    let layout = FileTensor.fileLayout(sizes)
    let places = try self.places(depth, axis, rank)
    let counted = try countedFromStart(&call, wide.tensor(as: layout), depth)
    let isPlace = try call.apply(Compare(.equal), to: counted, places)
    let number = values.tensor(as: [0])
    let ones = Array(repeating: 1, count: rank)
    let choices = try [1, 0].map { index in
      try call.apply(
        Reshape(to: ones),
        to: try call.apply(Slice(starts: [index], ends: [index + 1], axes: [0]), to: number))
    }
    sizes[axis] = depth
    call.set(
      FileTensor(
        try call.apply(Where(), to: [isPlace] + choices), sizes: sizes, layout: layout,
        type: values.type))
  }
}
