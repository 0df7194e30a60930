import ForgeOperations
import ForgeShapes

extension Lowering {
  /// A transposed convolution of an image, with biases and activation.
  ///
  /// A block of `stride` pixels of the output repeats: for each pixel of it, a convolution with the
  /// taps of the kernel that reach it makes every such pixel of the output. Together they have as
  /// many multiply-adds as the kernel has taps for each pixel of the input.
  mutating func transposed(
    _ image: Value, _ geometry: TransposedGeometry, channels: Int, groups: Int, hasBias: Bool,
    activation: ActivationFunction, isSequence: Bool
  ) throws(ShapeError) -> Value {
    try geometry.validate()
    try ArgumentRule.positive(channels, "channels")
    try ArgumentRule.positive(groups, "groups")
    try activation.validate()
    let shape = shape(of: image)
    let inputs = try ArgumentRule.channels(of: shape)
    try GroupRule.divides(groups, input: inputs, output: channels)
    let (rows, columns, step) = (geometry.rows, geometry.columns, geometry.window.stride)
    let sizes = [(shape.height, rows, step.height), (shape.width, columns, step.width)]
    for case (let size?, let axis, let step) in sizes
    where size.multipliedSaturated(by: step) + axis.growth * step - axis.cut < 1 {
      throw ShapeError(
        .emptyOutput, "the output would be empty",
        needs: "less padding than the kernels reach")
    }
    let parts = TransposedParts(
      image: image, kernel: geometry.window.kernel, rows: rows, columns: columns,
      channels: channels, groups: groups, inputs: inputs / groups,
      weights: try parameter(
        Self.transposedWeights(
          geometry.window.kernel, outputs: channels, inputs: inputs, groups: groups,
          isSequence: isSequence)),
      biases: hasBias ? try parameter(.biases, [.outputs: channels]) : nil)
    if parts.areAlike {
      let sum = try apply(activation, to: try parts.sums(in: &self))
      return try apply(.depthToSpace(step, interleaved: false), to: [sum])
    }
    var results: [Value] = []
    for row in rows.parts {
      for column in columns.parts {
        results.append(try apply(activation, to: try parts.sum(row, column, in: &self)))
      }
    }
    // Of one part it is a crop, if anything.
    return try apply(
      .interleavePixels(step, cut: Size(width: columns.cut, height: rows.cut)), to: results)
  }

  /// The weights of a transposed convolution; with groups, an axis of them comes first.
  private static func transposedWeights(
    _ kernel: Size, outputs: Int, inputs: Int, groups: Int, isSequence: Bool
  ) -> ParameterSpec {
    let space: [ParameterAxis] = isSequence ? [.width] : [.height, .width]
    let spaceSizes = isSequence ? [kernel.width] : [kernel.height, kernel.width]
    // The groups are called channels, as there is no other axis left.
    let (group, count): ([ParameterAxis], [Int]) = groups == 1 ? ([], []) : ([.channels], [groups])
    return ParameterSpec(
      .weights, axes: group + [.outputs] + space + [.inputs],
      sizes: count + [outputs / groups] + spaceSizes + [inputs / groups],
      keras: space + group + [.outputs, .inputs], pytorch: group + [.inputs, .outputs] + space)
  }
}

/// The convolutions that together are a transposed one.
private struct TransposedParts {
  typealias Value = Lowering.Value

  let image: Value
  let kernel: Size
  let rows: TransposedGeometry.AxisParts
  let columns: TransposedGeometry.AxisParts
  let channels: Int
  let groups: Int
  /// The input channels of a group.
  let inputs: Int
  /// [outputs][kernel height][kernel width][inputs].
  let weights: Value
  let biases: Value?

  /// Whether every part is one tap on the same pixel, so one convolution can make all.
  var areAlike: Bool {
    let axes = [rows, columns]
    return groups == 1 && rows.parts.count * columns.parts.count > 1
      && axes.allSatisfy { axis in
        axis.growth == 0 && axis.cut == 0
          && axis.parts.allSatisfy { $0.count == 1 && $0.start == 0 }
      }
  }

  /// All parts, one after the other along the channels, from one convolution.
  func sums(in lowering: inout Lowering) throws(ShapeError) -> Value {
    let (height, width) = (rows.parts.count, columns.parts.count)
    let all = try lowering.strided(
      weights, start: 0, shape: Shape(sizes: [height, width, channels, inputs]),
      strides: [kernel.width * inputs, inputs, kernel.width * kernel.height * inputs, 1])
    var operands = [image, all]
    if let biases {
      operands.append(
        try lowering.strided(
          biases, start: 0, shape: Shape(sizes: [height * width, channels]), strides: [0, 1]))
    }
    let outputs = height * width * channels
    return try lowering.apply(
      .convolution(ConvolutionGeometry(kernel: .one), outputs: outputs, groups: 1), to: operands)
  }

  /// One part: a convolution of the image, padded or cropped to what its taps reach.
  func sum(
    _ row: TransposedGeometry.Part, _ column: TransposedGeometry.Part,
    in lowering: inout Lowering
  ) throws(ShapeError) -> Value {
    guard row.count > 0, column.count > 0 else { return try empty(in: &lowering) }
    let (tops, lefts) = (reach(row, rows), reach(column, columns))
    let shape = lowering.shape(of: image)
    guard readsPixels(tops, shape.height), readsPixels(lefts, shape.width) else {
      return try empty(in: &lowering)
    }
    let stride = [kernel.height * kernel.width * inputs, kernel.width * inputs, inputs, 1]
    let taps = try lowering.strided(
      weights, start: row.firstTap * stride[1] + column.firstTap * stride[2],
      shape: Shape(sizes: [channels, row.count, column.count, inputs]),
      strides: [stride[0], -row.step * stride[1], -column.step * stride[2], 1])
    let cropped = try crop(tops, lefts, in: &lowering)
    let geometry = ConvolutionGeometry(
      kernel: Size(width: column.count, height: row.count),
      dilation: Size(width: column.dilation, height: row.dilation),
      padding: .explicit(
        top: max(tops.before, 0), left: max(lefts.before, 0), bottom: max(tops.after, 0),
        right: max(lefts.after, 0)))
    return try lowering.apply(
      .convolution(geometry, outputs: channels, groups: groups),
      to: [cropped, taps] + (biases.map { [$0] } ?? []))
  }

  /// The padding of a part along an axis; negative where pixels are not read.
  private func reach(
    _ part: TransposedGeometry.Part, _ axis: TransposedGeometry.AxisParts
  ) -> (before: Int, after: Int) {
    (-part.start, axis.growth + part.start + (part.count - 1) * part.dilation)
  }

  /// Whether a part with this padding reads any pixel of an axis; of an unknown size it may.
  private func readsPixels(_ reach: (before: Int, after: Int), _ size: Int?) -> Bool {
    size.map { max(-reach.before, 0) + max(-reach.after, 0) < $0 } ?? true
  }

  /// The image without the pixels that are not read.
  private func crop(
    _ rows: (before: Int, after: Int), _ columns: (before: Int, after: Int),
    in lowering: inout Lowering
  ) throws(ShapeError) -> Value {
    let edges = Edges(
      top: max(-rows.before, 0), left: max(-columns.before, 0), bottom: max(-rows.after, 0),
      right: max(-columns.after, 0))
    return edges == .none ? image : try lowering.apply(.crop(edges), to: [image])
  }

  /// A part that no tap reaches: zeros, and the biases.
  private func empty(in lowering: inout Lowering) throws(ShapeError) -> Value {
    try SizeRule.boundedConstant(channels: channels)
    let (bottom, right) = (rows.growth, columns.growth)
    let cropped = try crop((0, bottom), (0, right), in: &lowering)
    let channel = try lowering.apply(.gatherChannels([0]), to: [cropped])
    // Zeros, whatever the image holds: a product with a number that is not finite is none.
    let source = try lowering.apply(
      .unary(.isInfinite(positive: false, negative: false)), to: [channel])
    let zeros = try lowering.constant(
      Array(repeating: 0, count: channels), shape: Shape(sizes: [channels, 1, 1, 1]))
    let geometry = ConvolutionGeometry(
      kernel: .one, padding: .explicit(bottom: max(bottom, 0), right: max(right, 0)))
    return try lowering.apply(
      .convolution(geometry, outputs: channels, groups: 1),
      to: [source, zeros] + (biases.map { [$0] } ?? []))
  }
}
