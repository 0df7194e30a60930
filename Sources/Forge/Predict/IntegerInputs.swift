import ForgeOperations
import ForgeShapes

/// The inputs of a network whose values are integers of 32 or 64 bits.
///
/// A network computes in Float32, which has all whole numbers up to 2²⁴ and rounds larger ones to
/// it or beyond. So a number from there on may stand for another one, and is refused.
struct IntegerInputs: Sendable {
  /// The smallest magnitude that may be a rounded integer.
  static let limit: Float = 0x1p24

  /// The positions among the inputs.
  let positions: [Int]

  /// Whether there are none.
  var isEmpty: Bool { positions.isEmpty }

  /// The index of the first number that may be a rounded integer, or is NaN.
  static func firstInexact(_ values: UnsafeBufferPointer<Float>) -> Int? {
    values.firstIndex { !(abs($0) < limit) }
  }

  /// The first such number in the memory of a prediction.
  func firstInexact(
    in memory: PredictionMemory, batch: Int
  ) -> (input: Int, index: Int, example: Int)? {
    for input in positions {
      for example in 0..<batch {
        let values = UnsafeBufferPointer(memory.values(ofInput: input, example: example))
        if let index = Self.firstInexact(values) { return (input, index, example) }
      }
    }
    return nil
  }
}

extension CompiledModel {
  /// Checks the values of inputs that are integers, before they are copied.
  func checkIntegers(_ entries: [PredictionInputs.Entry]) throws(PredictionError) {
    for input in integerInputs.positions {
      let given = entries[input]
      guard let index = given.values.withUnsafeBufferPointer(IntegerInputs.firstInexact) else {
        continue
      }
      throw .inexactInteger(inputNames[input], given.text(of: index), index: index, example: nil)
    }
  }

  /// Checks the inputs in the memory of a prediction that are integers.
  ///
  /// `single` is the index of a single example that is one of several.
  @inline(never)
  func checkIntegers(
    _ memory: PredictionMemory, batch: Int, example single: Int? = nil
  ) throws(PredictionError) {
    guard let found = integerInputs.firstInexact(in: memory, batch: batch) else { return }
    let value = memory.values(ofInput: found.input, example: found.example)[found.index]
    throw .inexactInteger(
      inputNames[found.input], value.asIndex, index: found.index,
      example: batch > 1 ? found.example : single)
  }
}
