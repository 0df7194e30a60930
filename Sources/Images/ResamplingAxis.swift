/// The resampling filter of a resize.
public enum ResamplingFilter: Hashable, Sendable {
  /// Linear interpolation with antialiasing, bit-identical to Pillow's `BILINEAR`.
  ///
  /// When shrinking, each pixel is a triangle-weighted mean of the pixels around it, as
  /// ``ResizeMode/bilinearAntialiased`` computes in floating point.
  case bilinear
  /// The nearest pixel, bit-identical to Pillow's `NEAREST`.
  case nearest
}

/// The part of a picture's axis that is resampled to `outputs` pixels.
struct AxisPart {
  let inputs: Int
  let outputs: Int
  /// The edges, in the precision that Pillow uses.
  let low: Float
  let high: Float

  init(inputs: Int, from start: Double, _ length: Double, outputs: Int) {
    self.inputs = inputs
    self.outputs = outputs
    low = Float(start)
    high = Float(start + length)
  }

  /// Whether each output pixel equals the input pixel at its index.
  var isUnchanged: Bool { outputs == inputs && low == 0 && high == Float(inputs) }

  /// The number of input pixels per output pixel.
  var scale: Double { Double(high - low) / Double(outputs) }

  /// The source pixel at the center of each output pixel; centers are accumulated, as in Pillow.
  var nearest: [Int] {
    let step = scale
    var centre = Double(low) + step * 0.5
    return (0..<outputs).map { _ in
      defer { centre += step }
      return min(max(Int(centre), 0), inputs - 1)
    }
  }
}

/// The source pixels of each output pixel along one axis, with fixed-point weights.
///
/// The weights are those of Pillow: a triangle computed in double precision, normalized to sum to
/// 1, and rounded to 22 fraction bits.
struct ResamplingAxis {
  /// The number of fraction bits; 32 bits also need eight value bits, a sign and one spare bit.
  static let fractionBits = 22
  /// One half, added to round a sum of products.
  static let half: Int32 = 1 << (fractionBits - 1)

  /// The first source pixel of each output pixel.
  private(set) var firsts: [Int] = []
  /// The start index of the weights of each output pixel, followed by the total count.
  private(set) var starts: [Int] = [0]
  /// The weights.
  private(set) var shares: [Int32] = []

  /// The source pixels that are read.
  var range: Range<Int> {
    guard let first = firsts.first, let last = firsts.last else { return 0..<0 }
    return first..<last + shares.count - starts[starts.count - 2]
  }

  /// Computes the weights of a part.
  init(_ part: AxisPart) {
    let (inputs, outputs, scale) = (part.inputs, part.outputs, part.scale)
    let filterScale = max(scale, 1)
    let toFilter = 1 / filterScale
    firsts.reserveCapacity(outputs)
    starts.reserveCapacity(outputs + 1)
    var weights: [Double] = []
    for output in 0..<outputs {
      let centre = Double(part.low) + (Double(output) + 0.5) * scale
      // The edges of very large pictures may round outwards as Float, so the taps are clamped.
      let first = min(max(Int(centre - filterScale + 0.5), 0), inputs - 1)
      let end = max(min(Int(centre + filterScale + 0.5), inputs), first + 1)
      weights.removeAll(keepingCapacity: true)
      var sum = 0.0
      for input in first..<end {
        let weight = max(0, 1 - abs((Double(input) - centre + 0.5) * toFilter))
        weights.append(weight)
        sum += weight
      }
      firsts.append(first)
      for weight in weights {
        let share = sum == 0 ? weight : weight / sum
        shares.append(Int32(share * Double(1 << Self.fractionBits) + 0.5))
      }
      starts.append(shares.count)
    }
  }

  /// The byte of a weighted sum.
  static func byte(_ sum: Int32) -> UInt8 {
    UInt8(clamping: sum >> fractionBits)
  }
}
