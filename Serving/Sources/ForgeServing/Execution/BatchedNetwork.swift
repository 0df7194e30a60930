import Forge

/// A network whose slots run several examples in one prediction.
///
/// A slot of a compiled model runs its examples one after the other, each with its own sizes. Where
/// all sizes are fixed, one prediction of several examples reads the weights once.
package struct BatchedNetwork: BatchNetwork {
  /// The network, without states and with fixed sizes.
  let network: CompiledModel

  /// Whether a network can run several examples in one prediction.
  static func takes(_ network: CompiledModel, exampleMixer: String?) -> Bool {
    network.inputShapes.allSatisfy(\.isKnown) && network.maximumLength == nil
      && network.stateNames.isEmpty && exampleMixer == nil && network.maximumBatch > 1
  }

  package var usableCores: Int? { network.usableCores }

  package func makeSlot() throws -> Context { try Context(network) }

  package func makeSlot(batch: Int) throws -> Context { try Context(network, batch: batch) }

  package func makeSlot(batch: Int, threads: Int) throws -> Context {
    try Context(network, batch: batch, threads: threads)
  }

  package func encode(_ input: [String: TensorValues], into slot: Context) throws {
    try encode(input, into: slot, at: 0)
  }

  package func encode(_ input: [String: TensorValues], into slot: Context, at index: Int) throws {
    for name in network.inputNames {
      // A missing input fails with the sentence of the network.
      guard let values = input[name] else {
        _ = try network.predict(input)
        return
      }
      try slot.set(name, to: values, example: index)
    }
  }

  package func run(_ slot: Context) throws { try slot.predict() }

  package func run(_ slot: Context, batch: Int, until stop: borrowing StopSignal) throws {
    try slot.predict(batch: batch, until: stop)
  }

  package func fetch(from slot: Context) throws -> [String: TensorValues] {
    try fetch(from: slot, at: 0)
  }

  package func fetch(from slot: Context, at index: Int) throws -> [String: TensorValues] {
    var results: [String: TensorValues] = [:]
    for name in network.outputNames { results[name] = slot[name, example: index] }
    return results
  }
}
