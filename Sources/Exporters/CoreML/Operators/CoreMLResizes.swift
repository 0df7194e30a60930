import Forge
import ForgeOperations
import ForgeShapes

/// Images and tensors of other sizes.
extension CoreMLGraphWriter {
  mutating func resize(_ call: CoreMLOperation, _ mode: ResizeMode) throws(ExportRefusal) {
    let filter: Resampling.Filter =
      switch mode {
      case .nearest: .around(.nearest(.floor), .tensorflowHalfPixelNearest)
      case .bilinear: .around(.linear, .halfPixel)
      case .bilinearAntialiased: .around(.linear, .halfPixel, antialias: true)
      }
    let made = sizes(call.output)
    try resample(call, Resampling(sizes: [made[0], made[1], nil], filter: filter))
  }

  mutating func resample(
    _ call: CoreMLOperation, _ resampling: Resampling
  ) throws(ExportRefusal) {
    let (from, made) = (sizes(call.inputs[0]), sizes(call.output))
    let axes = from.indices.filter {
      !resampling.keeps(axis: $0, input: from[$0], output: made[$0])
    }
    guard !axes.isEmpty else { return alias(call.output, try value(call.inputs[0])) }
    let isImage = from.count == 3 && !axes.contains(2)
    let form: CoreMLValue.Form = isImage ? .channelsFirst : .plain
    var x = try name(of: call.inputs[0], in: form)
    let outputName = name(for: call.output)
    if isImage, let result = try resized(x, resampling, made, from, named: outputName) {
      return set(call.output, form, result)
    }
    for axis in axes {
      let spans = resampling.spans(axis: axis, input: from[axis], output: made[axis])
      let place = place(of: axis, in: form)
      let named = axis == axes.last ? outputName : nil
      if spans.allSatisfy({ $0.weights == [1] }) {
        x = try gathered(x, axis: place, spans.map(\.first), named: named)
      } else {
        x = try weighted(x, axis: place, spans, input: from[axis], named: named)
      }
    }
    set(call.output, form, x)
  }

  /// An image by one layer, or `nil` if there is none for the resampling.
  private mutating func resized(
    _ x: String, _ resampling: Resampling, _ made: [Int], _ from: [Int], named: String?
  ) throws(ExportRefusal) -> String? {
    guard case .around(let mode, let coordinates, let antialias, _) = resampling.filter else {
      return nil
    }
    let target = [1, from[2], made[0], made[1]]
    let factors = (0..<2).map { made[$0] / from[$0] }
    let isWhole = (0..<2).allSatisfy { made[$0] == from[$0] * factors[$0] }
    if case .nearest = mode {
      // The layer repeats pixels.
      let repeats = (0..<2).allSatisfy { axis in
        resampling.spans(axis: axis, input: from[axis], output: made[axis]).enumerated()
          .allSatisfy { $1.first == $0 / max(factors[axis], 1) && $1.weights == [1] }
      }
      guard isWhole, repeats else { return nil }
      return try add(.upsample, [x], sizes: target, named: named) { $0.integers(1, factors) }
    }
    let isUsual = resampling.scales.allSatisfy { $0 == nil } && resampling.ratios.isEmpty
    guard mode == .linear, !antialias, isUsual else { return nil }
    switch coordinates {
    case .alignCorners:
      return try add(.resizeBilinear, [x], sizes: target, named: named) {
        $0.integers(1, [made[0], made[1]])
        $0.message(2) { $0.integer(1, 0) }
      }
    case .halfPixel where isWhole:
      return try add(.upsampleLinear, [x], sizes: target, named: named) {
        $0.integers(1, factors)
        $0.integer(5, 1)
        $0.integer(6, 2)
      }
    case .halfPixel, .halfPixelSymmetric, .pytorchHalfPixel, .asymmetric, .part,
      .tensorflowHalfPixelNearest:
      return nil
    }
  }

  /// A resampling along an axis as a product with the weights of all elements.
  private mutating func weighted(
    _ x: String, axis: Int, _ spans: [ResampleSpan], input: Int, named: String?
  ) throws(ExportRefusal) -> String {
    let count = spans.count
    guard let total = Shape.product(of: [count, input]), total <= Shape.maximumElementCount else {
      throw ExportRefusal(what: "a resampling of \(input) elements to \(count)")
    }
    var matrix = Array(repeating: Float(0), count: total)
    for (index, span) in spans.enumerated() {
      for (tap, weight) in span.weights.enumerated() {
        matrix[index * input + span.first + tap] = Float(weight)
      }
    }
    // [before][axis][behind]: the weights are multiplied from the left.
    let current = sizes(of: x)
    let (front, back) = (current[..<axis].reduce(1, *), current[(axis + 1)...].reduce(1, *))
    let rows = try reshaped(x, to: [front, input, back])
    let weights = try numbers(matrix, sizes: [1, count, input], named: "weights_\(axis)")
    var target = current
    target[axis] = count
    return try reshaped(try product(weights, rows), to: target, named: named)
  }
}
