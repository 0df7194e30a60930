/// What the C functions use.
extension RealtimeContext {
  /// The number of values of an example of an input, at the present length.
  package func count(ofInput index: Int) -> Int? {
    inputs.indices.contains(index) ? inputs.count(index, batch: 1) : nil
  }

  /// The number of values of an example of an output, at the present length.
  package func count(ofOutput index: Int) -> Int? {
    outputs.indices.contains(index) ? outputs.count(index, batch: 1) : nil
  }

  /// The number of elements of an input in the context's own memory, for all examples.
  package func size(ofInput index: Int) -> Int? { inputs.own(index)?.count }

  /// The number of elements of an output in the context's own memory, for all examples.
  package func size(ofOutput index: Int) -> Int? { outputs.own(index)?.count }

  /// The present values of a state of one of the examples.
  package func stateMemory(
    _ index: Int, example: Int
  ) -> UnsafeMutableBufferPointer<Float>? {
    guard memory.state.sizes.indices.contains(index) else { return nil }
    return memory.state.values(index, example: example)
  }
}

extension CompiledModel {
  /// Whether an input holds integers.
  package func isOfIntegers(input index: Int) -> Bool {
    facts.inputs.indices.contains(index) && facts.inputs[index].isOfIntegers
  }

  /// The sizes of each state, in memory order.
  package var stateSizes: [[Int]] { stateLayouts.map(\.sizes) }
}
