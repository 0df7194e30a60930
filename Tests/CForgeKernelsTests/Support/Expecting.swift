import Testing

/// What a kernel should give, in double precision, and how far off each number may be.
struct Expected {
  var values: [Double] = []
  var tolerances: [Double] = []

  mutating func append(_ value: Double, tolerance: Double) {
    values.append(value)
    tolerances.append(tolerance)
  }
}

/// The rounding error a sum of `terms` floats may have whose absolute values add up to `magnitude`.
///
/// Errors of single additions are as good as random: they grow with the root of their number.
func tolerance(terms: Int, magnitude: Double) -> Double {
  6e-8 * (8 + 2 * Double(terms).squareRoot()) * magnitude
}

/// The worst of the numbers that are too far off, in words, or nil.
func difference(
  _ actual: [Float], _ expected: Expected, place: (Int) -> String
) -> String? {
  precondition(actual.count == expected.values.count)
  var worst = (excess: 1.0, index: -1)
  var wrong = 0
  for (i, value) in actual.enumerated() {
    let wanted = expected.values[i]
    let excess: Double
    if wanted.isNaN || value.isNaN {
      excess = wanted.isNaN && value.isNaN ? 0 : .infinity
    } else if Double(value) == wanted || (value.isInfinite && value == Float(wanted)) {
      excess = 0  // also a number too large for floats
    } else {
      excess = abs(Double(value) - wanted) / expected.tolerances[i]
    }
    if !(excess <= 1) { wrong += 1 }
    if !(excess <= worst.excess) { worst = (excess, i) }
  }
  guard wrong > 0 else { return nil }
  let i = worst.index
  return """
    \(wrong) of \(actual.count) numbers are wrong, most of all the one at \(place(i)): \
    \(actual[i]) instead of \(expected.values[i]) ± \(expected.tolerances[i])
    """
}

/// Checks one image of a blocked tensor that a kernel wrote: its numbers, the zeros in its padded
/// lanes, and that nothing around it has changed since `before`.
func expect(
  _ out: Blocked, image: Int = 0, equals expected: Expected, before: [UInt32], _ label: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  var actual: [Float] = []
  var interior = [Bool](repeating: false, count: out.buffer.count)
  var problems: [String] = []
  for y in 0..<out.height {
    for x in 0..<out.width {
      for c in 0..<out.blocks * 16 {
        let at = out.at(y, x, c, image)
        interior[at] = true
        if c < out.channels {
          actual.append(out.buffer.pointer[at])
        } else if out.buffer.pointer[at].bitPattern != 0 {
          problems.append("padded lane \(c) of (\(y), \(x)) is \(out.buffer.pointer[at])")
        }
      }
    }
  }
  let wrong = difference(actual, expected) { i in
    let pixel = i / out.channels
    return "(y \(pixel / out.width), x \(pixel % out.width), c \(i % out.channels))"
  }
  if let wrong { problems.append(wrong) }
  let after = out.buffer.bits
  if let touched = after.indices.first(where: { after[$0] != before[$0] && !interior[$0] }) {
    problems.append("float \(touched), outside, has been written")
  }
  if let first = problems.first {
    Issue.record(
      "\(label): \(first) (\(problems.count) problems)", sourceLocation: sourceLocation)
  }
}
