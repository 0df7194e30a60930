import ArgumentParser
import Forge
import ForgeImporters
import ForgeToolSupport

/// The frames of a stream: what a network with a state takes in one prediction after the other.
struct FrameStream {
  /// The number of values of one frame.
  private let count: Int
  /// The number of frames without a file.
  private let seedCount: Int

  /// Creates a stream for a network of one input that keeps a state.
  init(_ network: CompiledModel, seedCount: Int) throws {
    guard !network.stateNames.isEmpty else {
      throw ValidationError("--stream is for networks with a state; this one keeps none")
    }
    guard let shape = network.inputShapes.first, network.inputShapes.count == 1 else {
      throw ValidationError("--stream is for models of one input")
    }
    guard let count = shape.elementCount, count > 0 else {
      throw ValidationError("an input takes any size; state it with --size")
    }
    (self.count, self.seedCount) = (count, seedCount)
  }

  /// The values of the only input for each prediction, from a file or seeded random ones.
  func frames(of path: String?) throws -> [[[Float]]] {
    guard let path else {
      var state: UInt32 = 1
      return (0..<seedCount).map { _ in
        [
          (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Float(state >> 8) * 0x1p-23 - 1
          }
        ]
      }
    }
    let array = try StoredTensor(numPy: path)
    guard array.count > 0, array.count.isMultiple(of: count) else {
      throw ValidationError(
        "\(path.printable) holds \(LoadError.counted(array.count, "value")), "
          + "which are not whole frames: the network takes \(count) in each")
    }
    let values = array.floats
    return stride(from: 0, to: values.count, by: count).map { [Array(values[$0..<$0 + count])] }
  }
}
