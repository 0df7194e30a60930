/// How a picture is sampled when its size changes.
public enum ResamplingFilter: Hashable, Sendable {
  /// Linear interpolation over as many pixels as fall on one: Pillow's `BILINEAR`, bit for bit.
  ///
  /// Made smaller, each pixel is a mean of all it covers, weighted by a triangle (this is what
  /// ``ResizeMode/bilinearAntialiased`` computes in floating point).
  case bilinear
  /// The nearest pixel: Pillow's `NEAREST`, bit for bit.
  case nearest
}

/// The pixels of one axis that each output pixel is made of, with their shares in fixed point.
///
/// The shares are those of Pillow: a triangle computed in double precision, made to sum to 1,
/// rounded to 22 bits after the point.
struct ResamplingAxis {
  /// The bits after the point: a byte, a sign and one bit to spare are left of 32.
  static let fractionBits = 22
  /// One half, which rounds a sum of products.
  static let half: Int32 = 1 << (fractionBits - 1)

  /// The first pixel of each output pixel.
  private(set) var firsts: [Int] = []
  /// Where the shares of each output pixel begin; one more at the end.
  private(set) var starts: [Int] = [0]
  /// The shares.
  private(set) var shares: [Int32] = []

  /// The pixels that are read.
  var range: Range<Int> {
    guard let first = firsts.first, let last = firsts.last else { return 0..<0 }
    return first..<last + shares.count - starts[starts.count - 2]
  }

  /// Works out the shares of `outputs` pixels made from `low` to `high` of `inputs` pixels.
  ///
  /// The edges are Float because Pillow's are.
  init(inputs: Int, low: Float, high: Float, outputs: Int) {
    let scale = Double(high - low) / Double(outputs)
    let filterScale = max(scale, 1)
    let toFilter = 1 / filterScale
    firsts.reserveCapacity(outputs)
    starts.reserveCapacity(outputs + 1)
    var weights: [Double] = []
    for output in 0..<outputs {
      let centre = Double(low) + (Double(output) + 0.5) * scale
      // Edges of very large pictures may round outwards as Float: nothing outside is read.
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

  /// The byte of a sum of shares.
  static func byte(_ sum: Int32) -> UInt8 {
    UInt8(clamping: sum >> fractionBits)
  }
}
