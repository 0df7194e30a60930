/// 4-bit weights with a scale and a zero point for each block of neighboring inputs:
/// `w(o, i) = (q(o, i) − zeros(o, i / size)) · scales(o, i / size)` with `q` from 0 to 15.
///
/// Source: ONNX Runtime, MatMulNBits.
package struct WeightBlocks: Hashable, Sendable, Encodable {
  /// The inputs of a block.
  package let size: Int
  /// The scales, those of the blocks of an output after another.
  package let scales: [Float]
  /// The numbers that stand for 0, in the same order.
  package let zeros: [UInt8]

  /// Creates blocks.
  package init(size: Int, scales: [Float], zeros: [UInt8]) {
    self.size = size
    self.scales = scales
    self.zeros = zeros
  }

  /// The blocks of an output.
  package func count(of inputs: Int) -> Int { (inputs + size - 1) / size }

  /// The numbers of weights, two in a byte, the first in its lower half; `nil` unless each gives
  /// back every bit of its weight.
  ///
  /// - Parameters:
  ///   - weights: the weights, those of an output after another.
  ///   - inputs: the weights of an output.
  /// - Returns: whole blocks, filled up with what stands for 0.
  package func numbers(_ weights: UnsafeBufferPointer<Float>, inputs: Int) -> [UInt8]? {
    let blocks = count(of: inputs)
    guard inputs > 0, scales.count == zeros.count, scales.count.isMultiple(of: blocks),
      weights.count == scales.count / blocks * inputs
    else { return nil }
    let half = size / 2
    var isExact = true
    let numbers = [UInt8](unsafeUninitializedCapacity: scales.count * half) { numbers, count in
      for block in scales.indices where isExact {
        let (scale, zero) = (scales[block], zeros[block])
        let first = block % blocks * size
        let start = block / blocks * inputs + first
        for byte in 0..<half {
          var packed: UInt8 = 0
          for part in 0..<2 {
            let input = 2 * byte + part
            var number = Float(zero)
            if first + input < inputs {
              let weight = weights[start + input]
              number += (weight / scale).rounded(.toNearestOrEven)
              // Only numbers of 4 bits are exact; NaN is not one of them.
              if !(number >= 0 && number <= 15) || (number - Float(zero)) * scale != weight {
                isExact = false
                number = 0
              }
            }
            packed |= UInt8(number) << (4 * UInt8(part))
          }
          numbers[block * half + byte] = packed
        }
      }
      count = isExact ? scales.count * half : 0
    }
    return isExact ? numbers : nil
  }
}
