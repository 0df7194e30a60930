import Forge
import ForgeOperations
import ForgeShapes

/// Poolings, and images whose pixels and channels change places.
extension KerasGraphWriter {
  mutating func pooling(
    _ call: KerasOperation, _ kind: PoolingKind, _ geometry: ConvolutionGeometry
  ) throws(ExportRefusal) {
    let x = try plain(call.inputs[0])
    let (kernel, steps) = (lengths(geometry.kernel, false), lengths(geometry.stride, false))
    let pads = pads(geometry, call, false)
    let isSame = geometry.padding == .same && geometry.dilation == .one && kind != .averageAll
    guard geometry.dilation == .one else { throw ExportRefusal(what: "a pooling with dilation") }
    let divisors: [[Int]]? =
      switch kind {
      case .maximum, .averageAll: nil
      case .averageInside:
        isSame
          ? nil
          : counts(
            x.sizes, made: sizes(call.output), kernel, steps, pads,
            inside: pads.map { _ in [0, 0] })
      }
    try pooled(
      call, x, kind == .maximum ? "Max" : "Average", kernel, steps, isSame ? nil : pads,
      divisors: divisors)
  }

  /// The numbers of taps of each window along each axis that count; `nil` where all do.
  private func counts(
    _ input: [Int], made: [Int], _ kernel: [Int], _ steps: [Int], _ pads: [[Int]],
    inside: [[Int]]
  ) -> [[Int]]? {
    let counts = kernel.indices.map { axis in
      (0..<made[axis]).map { index in
        let first = index * steps[axis] - pads[axis][0]
        let low = max(first, -inside[axis][0])
        return min(first + kernel[axis], input[axis] + inside[axis][1]) - low
      }
    }
    let isFull = zip(counts, kernel).allSatisfy { counts, size in
      counts.allSatisfy { $0 == size }
    }
    return isFull ? nil : counts
  }

  /// A pooling, of a tensor with a border unless Keras's own is meant.
  private mutating func pooled(
    _ call: KerasOperation, _ x: KerasTensor, _ kind: String, _ kernel: [Int], _ steps: [Int],
    _ pads: [[Int]]?, divisors: [[Int]]?, then: ((inout Self, KerasTensor) -> KerasTensor)? = nil
  ) throws(ExportRefusal) {
    guard kernel.count <= 3 else {
      throw ExportRefusal(what: "a pooling over \(kernel.count) axes")
    }
    let made = sizes(call.output)
    let isResult = isResult(call.output)
    var input = x
    if let pads, pads.joined().contains(where: { $0 > 0 }) {
      guard zip(pads, kernel).allSatisfy({ max($0[0], $0[1]) < $1 }) else {
        throw ExportRefusal(
          what: "a pooling whose padding is as large as its kernel",
          remedy: "put a padding layer before it")
      }
      input =
        kind == "Max"
        ? padded(x, pads + [[0, 0]], value: -.infinity)
        : kernel.count <= 2 ? zeroPadded(x, pads) : padded(x, pads + [[0, 0]], value: 0)
    }
    let isLast = divisors == nil && then == nil
    var result = layer(
      "\(kind)Pooling\(kernel.count)D", input,
      [
        ("pool_size", .integers(kernel)), ("strides", .integers(steps)),
        ("padding", .text(pads == nil ? "same" : "valid")),
        ("data_format", .text("channels_last")),
      ], sizes: made, named: isResult && isLast)
    if let divisors {
      // The mean over the whole window becomes that over the taps that count.
      let area = kernel.reduce(1, *)
      var factors: [Float] = [1]
      for counts in divisors {
        factors = factors.flatMap { factor in counts.map { factor * Float($0) } }
      }
      result = one(
        .numpy("Multiply"),
        [
          .tensor(result),
          numbers(
            factors.map { $0 > 0 ? Float(area) / $0 : 0 }, sizes: divisors.map(\.count) + [1]),
        ], sizes: made, named: isResult && then == nil)
    }
    if let then { result = then(&self, result) }
    set(call.output, to: result)
  }

  /// A tensor with a border of one number; `pads` has all axes but that of the examples.
  mutating func padded(_ x: KerasTensor, _ pads: [[Int]], value: Float) -> KerasTensor {
    let made = zip(x.sizes, pads).map { $0 + $1[0] + $1[1] }
    return one(
      .numpy("Pad"), [.tensor(x)], keywords: [("constant_values", .json(.number(value)))],
      [
        ("pad_width", .list(([[0, 0]] + pads).map { .integers($0) })),
        ("mode", .text("constant")),
      ], sizes: made)
  }

  mutating func globalPooling(
    _ call: KerasOperation, _ kind: PoolingKind
  ) throws(ExportRefusal) {
    let x = try plain(call.inputs[0])
    set(
      call.output,
      to: layer(
        kind == .maximum ? "GlobalMaxPooling2D" : "GlobalAveragePooling2D", x,
        [("data_format", .text("channels_last")), ("keepdims", .flag(false))],
        sizes: [x.sizes[2]], named: isResult(call.output)))
  }

  mutating func poolingND(
    _ call: KerasOperation, _ window: PoolingWindow
  ) throws(ExportRefusal) {
    guard window.dilations.allSatisfy({ $0 == 1 }) else {
      throw ExportRefusal(what: "a pooling with dilation")
    }
    let x = try plain(call.inputs[0])
    let made = sizes(call.output)
    let pads = window.kernel.indices.map { axis in
      [
        window.before[axis],
        max(
          0,
          (made[axis] - 1) * window.strides[axis] + window.kernel[axis] - x.sizes[axis]
            - window.before[axis]),
      ]
    }
    let stated = window.kernel.indices.map { [window.before[$0], window.after[$0]] }
    switch window.kind {
    case .maximum:
      try pooled(call, x, "Max", window.kernel, window.strides, pads, divisors: nil)
    case .maximumPlace: throw ExportRefusal(what: "the positions of the maxima of a pooling")
    case .averageInside:
      try pooled(
        call, x, "Average", window.kernel, window.strides, pads,
        divisors: counts(
          x.sizes, made: made, window.kernel, window.strides, pads,
          inside: pads.map { _ in [0, 0] }))
    case .averageAll:
      try pooled(
        call, x, "Average", window.kernel, window.strides, pads,
        divisors: counts(
          x.sizes, made: made, window.kernel, window.strides, pads, inside: stated))
    case .lp(let p):
      let powers = pair("Power", numpy("Absolute", x), Float(p))
      let area = Float(window.kernel.reduce(1, *))
      let isResult = isResult(call.output)
      try pooled(
        call, powers, "Average", window.kernel, window.strides, pads, divisors: nil
      ) { writer, mean in
        let sum = writer.pair("Multiply", mean, area)
        return writer.pair("Power", sum, 1 / Float(p), named: isResult)
      }
    }
  }

  mutating func interleavePixels(
    _ call: KerasOperation, _ step: Size, cut: Size
  ) throws(ExportRefusal) {
    let own = sizes(call.inputs[0])
    let (height, width, channels) = (own[0], own[1], own[2])
    var images: [KerasArgument] = []
    for input in call.inputs { images.append(.tensor(try plain(input))) }
    var joined = images[0].tensors[0]
    if images.count > 1 {
      joined = one(
        .layer("Concatenate"), [.list(images)], [("axis", .integer(-1))],
        sizes: [height, width, channels * images.count])
    }
    let isCut = cut.width > 0 || cut.height > 0
    let isResult = isResult(call.output)
    var result = blocks(
      joined, [height, width, step.height, step.width, channels], order: [0, 2, 1, 3, 4],
      to: [height * step.height, width * step.width, channels], named: isResult && !isCut)
    if isCut {
      result = cropped(
        result, Edges(top: 0, left: 0, bottom: cut.height, right: cut.width), named: isResult)
    }
    set(call.output, to: result)
  }

  mutating func depthToSpace(
    _ call: KerasOperation, _ block: Size, interleaved: Bool
  ) throws(ExportRefusal) {
    let x = try plain(call.inputs[0])
    let (height, width) = (x.sizes[0], x.sizes[1])
    let channels = x.sizes[2] / (block.width * block.height)
    let split =
      interleaved
      ? [height, width, channels, block.height, block.width]
      : [height, width, block.height, block.width, channels]
    set(
      call.output,
      to: blocks(
        x, split, order: interleaved ? [0, 3, 1, 4, 2] : [0, 2, 1, 3, 4],
        to: sizes(call.output), named: isResult(call.output)))
  }

  mutating func spaceToDepth(_ call: KerasOperation, _ block: Size) throws(ExportRefusal) {
    let x = try plain(call.inputs[0])
    let (rows, columns) = (x.sizes[0] / block.height, x.sizes[1] / block.width)
    set(
      call.output,
      to: blocks(
        x, [rows, block.height, columns, block.width, x.sizes[2]], order: [0, 2, 1, 3, 4],
        to: sizes(call.output), named: isResult(call.output)))
  }

  /// Splits axes, changes their order, and joins them.
  private mutating func blocks(
    _ x: KerasTensor, _ split: [Int], order: [Int], to joined: [Int], named isResult: Bool
  ) -> KerasTensor {
    reshaped(permuted(reshaped(x, to: split), order), to: joined, named: isResult)
  }
}
