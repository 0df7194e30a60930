import Forge

/// A context in memory that a test fills with NaN wherever a prediction must not read what was there.
final class SpoiledWorkspace {
  let context: Context
  private let memory: UnsafeMutableRawBufferPointer
  private let arenaBytes: Int

  /// Makes a context in memory full of NaN.
  init(
    _ network: CompiledModel, batch: Int = 1, inputShapes: [String: Shape] = [:]
  ) throws {
    let count = try network.workspaceSize(batch: batch, inputShapes: inputShapes)
    memory = .allocate(byteCount: count, alignment: 64)
    arenaBytes = network.report.arenaBytes
    Self.spoil(memory)
    do {
      context = try Context(
        network, batch: batch, inputShapes: inputShapes, workspace: memory)
    } catch {
      memory.deallocate()
      throw error
    }
  }

  deinit { memory.deallocate() }

  /// Fills the arena with NaN; it is the last part of a workspace.
  func spoilArena() {
    let start = memory.count - arenaBytes
    Self.spoil(UnsafeMutableRawBufferPointer(rebasing: memory[start...]))
  }

  /// Whether the arena holds anything but NaN.
  var arenaIsUsed: Bool {
    let start = memory.count - arenaBytes
    return memory[start...].contains { $0 != 0xFF }
  }

  private static func spoil(_ bytes: UnsafeMutableRawBufferPointer) {
    bytes.initializeMemory(as: UInt8.self, repeating: 0xFF)
  }

  /// Predicts inputs that are written one after the other, as many examples as there are.
  func predict(_ examples: [[TensorValues]]) throws -> [[[Float]]] {
    try context.predict(examples)
  }
}

extension Context {
  /// Predicts examples, each with its inputs in order; the outputs of each in order, kept ones last.
  func predict(_ examples: [[TensorValues]]) throws -> [[[Float]]] {
    for index in network.inputNames.indices {
      let values = examples.flatMap { $0[index].values }
      withInput(index) { span in
        for (position, value) in values.enumerated() { span[position] = value }
      }
    }
    try predict(batch: examples.count)
    let outputs = network.outputNames.indices.map { index in
      withOutput(index) { span in span.indices.map { span[$0] } } ?? []
    }
    return examples.indices.map { example in
      outputs.map { values in
        let count = values.count / maximumBatch
        return Array(values[example * count..<(example + 1) * count])
      }
    }
  }
}
