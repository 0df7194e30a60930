import CForgeKernels
import ForgeOperations
import ForgeSystem

/// Weights below the smallest normal Float32, which become zero when they are packed.
///
/// A processor multiplies by a denormal number many times slower than by another one. A weight `w`
/// with `|w| < 2⁻¹²⁶` becomes zero if another weight of the same output, or the output's bias, is
/// at least ``least`` in magnitude. An output of `n` weights then changes by at most
/// `n · 2⁻¹²⁶ · max|x|`: `n · 2⁻⁶²` of the largest weight's product with an input of like
/// magnitude, where Float32 rounds to 2⁻²⁴. Other outputs keep their weights, because denormal
/// numbers may be all that they have.
struct TinyWeights {
  /// The magnitude of a weight or a bias beside which denormal weights do not count.
  static let least: Float = 0x1p-64

  private static let signless: UInt32 = 0x7FFF_FFFF
  private static let mostDenormal: UInt32 = 0x007F_FFFF

  /// The number of weights of an output; those of each follow one another.
  let rowLength: Int
  /// Returns the biases of all outputs; `nil` if there are none.
  let biases: () throws -> FloatMemory?

  /// Sets denormal weights to zero.
  ///
  /// - Parameters:
  ///   - values: the weights, whole outputs.
  ///   - first: the place of the first output among the biases.
  /// - Returns: whether the biases were needed for it.
  /// - Throws: what reading the biases throws.
  func clear(_ values: UnsafeMutableBufferPointer<Float>, from first: Int) throws -> Bool {
    guard rowLength > 0, let start = values.baseAddress,
      forge_has_denormals(start, Int64(values.count)) != 0
    else { return false }
    var undecided: [Int] = []
    for row in 0..<values.count / rowLength
    where forge_has_denormals(start + row * rowLength, Int64(rowLength)) != 0 {
      let places = row * rowLength..<(row + 1) * rowLength
      UnsafeMutableBufferPointer(rebasing: values[places]).withMemoryRebound(to: UInt32.self) {
        if Self.largest($0) >= Self.least.bitPattern {
          Self.clear($0)
        } else {
          undecided.append(first + row)
        }
      }
    }
    guard !undecided.isEmpty, let biases = try biases() else { return false }
    values.withMemoryRebound(to: UInt32.self) { bits in
      for output in undecided where biases.floats.indices.contains(output) {
        guard abs(biases.floats[output]) >= Self.least else { continue }
        let start = (output - first) * rowLength
        Self.clear(UnsafeMutableBufferPointer(rebasing: bits[start..<start + rowLength]))
      }
    }
    withExtendedLifetime(biases) {}
    return true
  }

  private static func isDenormal(_ bits: UInt32) -> Bool {
    // Zero wraps around to the largest number.
    (bits & signless) &- 1 < mostDenormal
  }

  /// The bits of the largest magnitude; those of NaN are above infinity's.
  private static func largest(_ weights: UnsafeMutableBufferPointer<UInt32>) -> UInt32 {
    var largest: UInt32 = 0
    for bits in weights { largest = max(largest, bits & signless) }
    return largest
  }

  private static func clear(_ weights: UnsafeMutableBufferPointer<UInt32>) {
    for (index, bits) in weights.enumerated() where isDenormal(bits) { weights[index] = 0 }
  }
}

extension TinyWeights {
  /// The weights of a node: a convolution, a depthwise convolution or a dense layer.
  ///
  /// Weights are ordered by outputs, which are the channels of the node's result.
  init(
    of node: OperationGraph.Node, in graph: OperationGraph, _ source: any ConstantSource
  ) {
    let count = graph.shape(of: node.inputs[1]).elementCount ?? 0
    let outputs = graph.imageSizes(of: node.output).last ?? 0
    rowLength = outputs > 0 && count.isMultiple(of: outputs) ? count / outputs : 0
    biases = {
      try node.bias.flatMap { graph.constant($0) }.map { try source.floats(of: $0) }
    }
  }
}
