import ForgeShapes

/// How a tensor is resampled along its axes.
public struct Resampling: Hashable, Sendable, Encodable {
  /// What an element of the output is made of along one axis.
  public enum Filter: Hashable, Sendable, Encodable {
    /// Elements around its coordinate.
    case around(
      ResampleMode, ResampleCoordinates, antialias: Bool = false, excludesOutside: Bool = false)
    /// The mean of the elements from ⌊i·n / n′⌋ to ⌈(i + 1)·n / n′⌉, the last one excluded.
    case meanOfParts
  }

  /// The size of each axis of the output; `nil` where it is unchanged or follows from a scale.
  public let sizes: [Int?]
  /// The scale of each axis, where it is given; axes beyond the list have none.
  public let scales: [Float?]
  /// The scale of each axis that has a size, where it is not that of the sizes.
  package let ratios: [SizeRatio?]
  /// What an element of the output is made of.
  public let filter: Filter

  /// Creates a resampling.
  public init(sizes: [Int?], scales: [Float?] = [], filter: Filter) {
    self.init(sizes: sizes, scales: scales, ratios: [], filter: filter)
  }

  package init(sizes: [Int?], scales: [Float?] = [], ratios: [SizeRatio?], filter: Filter) {
    self.sizes = sizes
    self.scales = scales
    self.ratios = ratios
    self.filter = filter
  }

  /// The ratio of an axis that has no scale in floating point.
  private func ratio(_ axis: Int, input: Int, output: Int) -> SizeRatio {
    (ratios.indices.contains(axis) ? ratios[axis] : nil) ?? SizeRatio(output, to: input)
  }

  /// The scale that is given for an axis.
  private func scale(_ axis: Int) -> Float? { scales.indices.contains(axis) ? scales[axis] : nil }

  /// The size given for an axis.
  private func size(_ axis: Int) -> Int? { sizes.indices.contains(axis) ? sizes[axis] : nil }

  /// The shape of the output; unknown sizes stay unknown.
  ///
  /// - Throws: `ShapeError` for numbers out of range, and for more of them than the input has axes.
  package func outputShape(for input: Shape) throws(ShapeError) -> Shape {
    try ArgumentRule.require(
      max(sizes.count, scales.count) <= input.rank, "sizes",
      "\(max(sizes.count, scales.count)) numbers", needs: "at most one for each axis")
    for case let size? in sizes { try ArgumentRule.positive(size, "sizes") }
    for case let scale? in scales {
      try ArgumentRule.require(
        scale > 0 && scale <= Float(ConvolutionGeometry.maximumArgument), "scales", "\(scale)",
        needs: "positive numbers up to \(ConvolutionGeometry.maximumArgument)")
    }
    if case .around(.cubic(let coefficient), _, _, _) = filter {
      try ArgumentRule.finite(coefficient, "coefficient")
    }
    if case .around(_, .part(let from, let to), _, _) = filter {
      try ArgumentRule.finite(from, "from")
      try ArgumentRule.finite(to, "to")
    }
    let dimensions = input.dimensions.enumerated().map { axis, size -> Int? in
      if let target = self.size(axis) { return target }
      guard let scale = scale(axis) else { return size }
      // Rounded as a product of floats, like in other frameworks; the bounds keep it in range.
      return size.map { Int(min((Float($0) * scale).rounded(.down), 0x1p40)) }
    }
    return try SizeRule.bounded(Shape(dimensions))
  }

  /// Whether an axis of `input` elements stays as it is.
  package func keeps(axis: Int, input: Int, output: Int) -> Bool {
    if case .around(_, .part(let from, let to), _, _) = filter, (from, to) != (0, 1) {
      return scale(axis) == nil && size(axis) == nil
    }
    let ratio = ratio(axis, input: input, output: output)
    return input == output && (scale(axis) ?? 1) == 1 && ratio.output == ratio.input
  }

  /// The elements of the input that make each element of the output along an axis.
  package func spans(axis: Int, input: Int, output: Int) -> [ResampleSpan] {
    let given = scale(axis)
    let ratio = ratio(axis, input: input, output: output)
    return (0..<output).map { index in
      switch filter {
      case .meanOfParts:
        let (first, end) = (index * input / output, ((index + 1) * input - 1) / output + 1)
        return ResampleSpan(
          first: first, weights: Array(repeating: 1 / Double(end - first), count: end - first))
      case .around(.nearest(let rounding), let coordinates, _, _):
        if given == nil,
          let place = ExactPlace(coordinates, index, ratio: ratio, input: input, output: output)
        {
          let nearest = min(max(place.rounded(rounding), 0), Int128(input - 1))
          return ResampleSpan(first: Int(clamping: nearest), weights: [1])
        }
        // A scale is given in single precision, in which ties fall as in ONNX Runtime.
        let place = coordinates.place(
          Float(index), scale: given ?? Float(ratio.value), input: Float(input),
          output: Float(output))
        let nearest = min(max(rounding.round(place), 0), Float(input - 1))
        return ResampleSpan(first: Int(nearest), weights: [1])
      case .around(let mode, let coordinates, let antialias, let excludesOutside):
        let scale = given.map(Double.init) ?? ratio.value
        let place = coordinates.place(
          Double(index), scale: scale, input: Double(input), output: Double(output))
        return ResampleSpan(
          mode.kernel, around: place, input: input, stretch: antialias ? max(1 / scale, 1) : 1,
          excludesOutside: excludesOutside && (antialias || mode != .linear))
      }
    }
  }
}

/// Neighboring elements of the input and their weights in one element of the output.
package struct ResampleSpan: Hashable, Sendable {
  /// The index of the first.
  package let first: Int
  /// The weights from the first on.
  package let weights: [Double]

  init(first: Int, weights: [Double]) {
    (self.first, self.weights) = (first, weights)
  }

  /// Samples a kernel around a place; elements outside the input repeat the edge unless excluded.
  fileprivate init(
    _ kernel: ResampleKernel, around place: Double, input: Int, stretch: Double,
    excludesOutside: Bool
  ) {
    // Far outside, all taps are the edge.
    let bound = Double(input) + 2 * kernel.support * stretch
    let place = place.isNaN ? 0 : min(max(place, -bound), bound)
    let support = kernel.support * stretch
    let start = Int((place - support + 1).rounded(.down))
    let end = Int((place + support + 1).rounded(.down))
    var weights: [Int: Double] = [:]
    for tap in start..<max(end, start) {
      let weight = kernel.value((Double(tap) - place) / stretch)
      guard weight != 0, !excludesOutside || (0..<input).contains(tap) else { continue }
      weights[min(max(tap, 0), input - 1), default: 0] += weight
    }
    let sum = weights.values.reduce(0, +)
    guard let first = weights.keys.min(), let last = weights.keys.max(), sum != 0 else {
      self.init(first: Int(min(max(place.rounded(), 0), Double(input - 1))), weights: [1])
      return
    }
    // The sum of an unordered collection may differ from run to run in its last bits.
    let ordered = (first...last).map { weights[$0] ?? 0 }
    let total = ordered.reduce(0, +)
    self.init(first: first, weights: ordered.map { $0 / total })
  }
}

/// A function that weights elements by their distance from a place.
private struct ResampleKernel {
  /// The distance from which on it is 0.
  let support: Double
  /// The weight at a distance.
  let value: (Double) -> Double
}

extension ResampleMode {
  /// The kernel of an interpolation.
  fileprivate var kernel: ResampleKernel {
    guard case .cubic(let coefficient) = self else {
      return ResampleKernel(support: 1) { max(1 - abs($0), 0) }
    }
    let a = Double(coefficient)
    return ResampleKernel(support: 2) { distance in
      let x = abs(distance)
      if x < 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
      return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0
    }
  }
}

extension NearestRounding {
  fileprivate func round(_ x: Float) -> Float {
    switch self {
    case .roundPreferFloor: (x - 0.5).rounded(.up)
    case .roundPreferCeiling: (x + 0.5).rounded(.down)
    case .floor: x.rounded(.down)
    case .ceiling: x.rounded(.up)
    }
  }
}

extension ResampleCoordinates {
  /// The coordinate of an index.
  fileprivate func place<Number: BinaryFloatingPoint>(
    _ index: Number, scale: Number, input: Number, output: Number
  ) -> Number {
    let half: Number = 0.5
    switch self {
    case .halfPixel: return (index + half) / scale - half
    case .halfPixelSymmetric:
      let adjustment = output / (scale * input)
      return input / 2 * (1 - adjustment) + (index + half) / scale - half
    case .pytorchHalfPixel: return output > 1 ? (index + half) / scale - half : 0
    case .alignCorners:
      // ONNX takes the stated scale's length, which need not be whole.
      let length = scale * input
      return output > 1 && length > 1 ? index * (input - 1) / (length - 1) : 0
    case .asymmetric: return index / scale
    case .part(let from, let to):
      let (from, to) = (Number(from), Number(to))
      guard output > 1 else { return half * (from + to) * (input - 1) }
      return from * (input - 1) + index * (to - from) * (input - 1) / (output - 1)
    case .tensorflowHalfPixelNearest: return (index + half) / scale
    }
  }
}
