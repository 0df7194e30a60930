import ForgeSystem

/// The resampling filter of a resize.
///
/// All filters use half-pixel centers: the center of output pixel `i` is at
/// `(i + ½) · scale` in the source, whose pixel `k` has its center at `k + ½`. Keras, Pillow,
/// torchvision, OpenCV and TensorFlow 2 do the same.
public enum ResamplingFilter: Hashable, Sendable {
  /// Linear interpolation with antialiasing, bit-identical to Pillow's `BILINEAR`.
  ///
  /// When shrinking, each pixel is a triangle-weighted mean of the pixels around it, as
  /// ``ResizeMode/bilinearAntialiased`` computes in floating point.
  case bilinear
  /// Linear interpolation between the four nearest pixels whatever the scale.
  ///
  /// Bit-identical to OpenCV's `INTER_LINEAR`, with weights of 11 bits, except at half the size,
  /// for which OpenCV takes ``area``. Shrinking to less than half skips pixels: it is faster and
  /// coarser than ``bilinear``.
  case bilinearAliased
  /// Cubic interpolation with antialiasing and `a = −0.5`, bit-identical to Pillow's `BICUBIC`.
  case bicubic
  /// A windowed sinc over three pixels, with antialiasing, bit-identical to Pillow's `LANCZOS`.
  case lanczos
  /// The mean over the area that a pixel covers, as OpenCV's `INTER_AREA` computes when shrinking.
  case area
  /// The nearest pixel, bit-identical to Pillow's `NEAREST`.
  case nearest
}

/// The part of a picture's axis that is resampled to `outputs` pixels.
struct AxisPart: Equatable {
  let inputs: Int
  let outputs: Int
  /// The edges, in the precision that Pillow uses.
  let low: Float
  let high: Float
  /// The first output that is computed, of as many as the edges cover.
  var skipped = 0
  /// How many are computed.
  var count: Int

  init(inputs: Int, from start: Double, _ length: Double, outputs: Int) {
    self.inputs = inputs
    self.outputs = outputs
    count = outputs
    low = Float(start)
    high = Float(start + length)
  }

  /// Whether each output pixel equals the input pixel at its index.
  var isUnchanged: Bool {
    outputs == inputs && low == 0 && high == Float(inputs) && skipped == 0 && count == outputs
  }

  /// The number of input pixels per output pixel.
  var scale: Double { Double(high - low) / Double(outputs) }

  /// The source pixel at the center of each output pixel; centers are accumulated, as in Pillow.
  var nearest: [Int32] {
    let step = scale
    var center = Double(low) + step * 0.5
    for _ in 0..<skipped { center += step }
    return (0..<count).map { _ in
      defer { center += step }
      return Int32(min(max(Int(center), 0), inputs - 1))
    }
  }
}

/// The source pixels of each output pixel along one axis, with their weights.
struct SamplingAxis {
  /// The fraction bits of the weights of ``fixedPoint(_:_:)``; 32 bits also need eight value bits,
  /// a sign and one spare bit.
  static let fractionBits = 22

  /// The first source pixel of each output pixel.
  private(set) var firsts: [Int32] = []
  /// The number of source pixels of each output pixel.
  private(set) var counts: [Int32] = []
  /// The distance between the weights of two outputs; 0 for an axis that is left as it is.
  private(set) var stride = 0
  /// The weights in fixed point, zeros after those of an output.
  private(set) var weights: [Int32] = []
  /// The weights as floats.
  private(set) var shares: [Float] = []
  /// The second source pixel of pairs.
  private(set) var seconds: [Int32] = []

  /// The source pixels that are read.
  var range: Range<Int> {
    let first = firsts.min() ?? 0
    let last = zip(firsts, counts).map { $0 + $1 }.max() ?? 0
    return Int(first)..<Int(max(first, last))
  }

  /// An axis that is left as it is, `outputs` long.
  static func unchanged() -> SamplingAxis { SamplingAxis() }

  /// The weights of Pillow: computed in double precision, normalized to sum to 1, and rounded to 22
  /// fraction bits; or to floats.
  static func filtered(
    _ part: AxisPart, _ filter: ResamplingFilter, asFloats: Bool
  ) -> SamplingAxis {
    if filter == .area {
      return SamplingAxis(part, asFloats: true) { covered(part, $0) }
    }
    let window = Window(filter)
    return SamplingAxis(part, asFloats: asFloats) { windowed(part, window, $0) }
  }

  private init() {}

  /// Collects the taps of all outputs.
  private init(
    _ part: AxisPart, asFloats: Bool, _ taps: (Int) -> (first: Int, shares: [Double])
  ) {
    var all: [(first: Int, shares: [Double])] = []
    all.reserveCapacity(part.count)
    for output in part.skipped..<part.skipped + part.count { all.append(taps(output)) }
    let most = all.map(\.shares.count).max() ?? 1
    stride = (most + 3) / 4 * 4
    firsts.reserveCapacity(all.count)
    counts.reserveCapacity(all.count)
    for (first, shares) in all {
      firsts.append(Int32(first))
      counts.append(Int32(shares.count))
      let padding = stride - shares.count
      if asFloats {
        self.shares += shares.map { Float($0) } + Array(repeating: 0, count: padding)
      } else {
        weights += shares.map(Self.fixedPoint) + Array(repeating: 0, count: padding)
      }
    }
  }

  /// The taps of a window around the center of an output, as Pillow finds them.
  private static func windowed(
    _ part: AxisPart, _ window: Window, _ output: Int
  ) -> (first: Int, shares: [Double]) {
    let scale = part.scale
    let filterScale = max(scale, 1)
    let (support, toFilter) = (window.support * filterScale, 1 / filterScale)
    let center = Double(part.low) + (Double(output) + 0.5) * scale
    // The edges of very large pictures may round outwards as Float, so the taps are clamped.
    let first = min(max(Int(center - support + 0.5), 0), part.inputs - 1)
    let end = max(min(Int(center + support + 0.5), part.inputs), first + 1)
    var sum = 0.0
    var weights: [Double] = []
    weights.reserveCapacity(end - first)
    for input in first..<end {
      let weight = window.weight((Double(input) - center + 0.5) * toFilter)
      weights.append(weight)
      sum += weight
    }
    return (first, sum == 0 ? weights : weights.map { $0 / sum })
  }

  private static func fixedPoint(_ share: Double) -> Int32 {
    Int32(share * Double(1 << fractionBits) + (share < 0 ? -0.5 : 0.5))
  }

  /// The taps of the area of an output, with OpenCV's tolerance of a thousandth of a pixel.
  private static func covered(
    _ part: AxisPart, _ output: Int
  ) -> (first: Int, shares: [Double]) {
    let scale = part.scale
    let low = Double(part.low) + Double(output) * scale
    let high = min(low + scale, Double(part.inputs))
    let size = high - low
    var first: Int?
    var shares: [Double] = []
    for input in max(Int(low), 0)..<min(Int(high.rounded(.up)), part.inputs) {
      let overlap = min(high, Double(input + 1)) - max(low, Double(input))
      // When shrinking, slivers come from rounding.
      guard overlap > (scale >= 1 ? 1e-3 : 0) else { continue }
      first = first ?? input
      shares.append(overlap / size)
    }
    guard let first else { return (min(max(Int(low), 0), part.inputs - 1), [1]) }
    return (first, shares)
  }

  /// The two pixels around the center of each output, with weights of 11 bits, as OpenCV has them.
  ///
  /// Of columns, a pixel beyond an edge has no weight, and both weights are in one number. Of rows,
  /// the edge is repeated, which rounds differently.
  static func pairs(_ part: AxisPart, areColumns: Bool) -> SamplingAxis {
    var axis = SamplingAxis()
    let scale = 1 / (Double(part.outputs) / Double(part.high - part.low))
    let last = part.inputs - 1
    axis.stride = areColumns ? 1 : 2
    for output in part.skipped..<part.skipped + part.count {
      let center = Float(Double(part.low) + (Double(output) + 0.5) * scale - 0.5)
      var first = Int(center.rounded(.down))
      var fraction = center - Float(first)
      if areColumns, first < 0 || first >= last {
        // The last pixel as the second of a pair, so that pairs are neighbors.
        fraction = first < 0 || last == 0 ? 0 : 1
        first = min(max(first, 0), max(last - 1, 0))
      }
      axis.firsts.append(Int32(min(max(first, 0), last)))
      axis.seconds.append(Int32(min(max(first + 1, 0), last)))
      axis.counts.append(2)
      let weights = [1 - fraction, fraction].map {
        Int32(($0 * 2048).rounded(.toNearestOrEven))
      }
      axis.weights += areColumns ? [weights[0] | weights[1] << 16] : weights
    }
    return axis
  }

  /// The two pixels around the center of each output, with floats as weights.
  static func linear(_ part: AxisPart) -> SamplingAxis {
    SamplingAxis(part, asFloats: true) { output in
      let center = Double(part.low) + (Double(output) + 0.5) * part.scale - 0.5
      let first = Int(center.rounded(.down))
      guard first >= 0, first + 1 < part.inputs else {
        return (min(max(first, 0), part.inputs - 1), [1])
      }
      let fraction = center - Double(first)
      return (first, [1 - fraction, fraction])
    }
  }

  /// One pixel for each output.
  static func nearest(_ part: AxisPart) -> SamplingAxis {
    var axis = SamplingAxis()
    axis.firsts = part.nearest
    axis.counts = Array(repeating: 1, count: part.count)
    return axis
  }

  /// Counts source pixels from another one on.
  mutating func rebase(to first: Int) {
    for index in firsts.indices { firsts[index] -= Int32(first) }
  }
}

/// A filter around 0, as Pillow defines it.
private struct Window {
  let support: Double
  let weight: (Double) -> Double

  init(_ filter: ResamplingFilter) {
    switch filter {
    case .bicubic:
      support = 2
      weight = { x in
        let (x, a) = (abs(x), -0.5)
        if x < 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
        return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0
      }
    case .lanczos:
      support = 3
      weight = { x in
        func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(x * .pi) / (x * .pi) }
        return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0
      }
    default:
      support = 1
      weight = { max(0, 1 - abs($0)) }
    }
  }
}
