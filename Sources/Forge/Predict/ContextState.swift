import ForgeOperations

/// What the layers of a network keep from one prediction to the next, in a ``Context`` or
/// ``RealtimeContext``.
///
/// ```swift
/// let context = try Context(network)
/// for await frame in frames { print(try context.predict(frame)) }  // each goes on from the last
/// let saved = try context.state.saved()
/// try context.state.reset()
/// try context.state.restore(saved)
/// ```
/// Each example of a batch has its own state: examples are independent streams.
public struct ContextState {
  private let context: Context

  init(_ context: Context) { self.context = context }

  /// The names of the states, such as `gru1.hidden`, in the order of the layers.
  public var names: [String] { context.network.stateNames }

  /// The values of a state.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - example: the index of the example, from 0.
  /// - Returns: the values with their sizes.
  /// - Throws: ``PredictionError`` when there is no such state or example, or the context is in
  ///   use.
  public func values(
    of name: String, example: Int = 0
  ) throws(PredictionError) -> TensorValues {
    let index = try context.network.index(ofState: name)
    try context.check(example: example)
    return try context.exclusively { memory throws(PredictionError) in
      memory.state.tensor(index, example: example)
    }
  }

  /// Sets the values of a state.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - values: the values in row-major order, as many as the state has.
  ///   - example: the index of the example, from 0.
  /// - Throws: ``PredictionError`` when there is no such state or example, the number of values is
  ///   another one, or the context is in use.
  public func set(
    _ name: String, to values: [Float], example: Int = 0
  ) throws(PredictionError) {
    let index = try context.network.index(ofState: name)
    try context.check(example: example)
    try context.exclusively { memory throws(PredictionError) in
      try memory.state.set(index, name: name, to: values, example: example)
    }
  }

  /// Sets all states to zero, as before the first prediction.
  ///
  /// - Parameter example: the index of the example; `nil` for all of them.
  /// - Throws: ``PredictionError`` when there is no such example, or the context is in use.
  public func reset(example: Int? = nil) throws(PredictionError) {
    if let example { try context.check(example: example) }
    try context.exclusively { memory throws(PredictionError) in
      if let example { memory.state.reset(example: example) } else { memory.state.reset() }
    }
  }

  /// All states of an example, to be restored later, in this or another context of the network.
  ///
  /// - Parameter example: the index of the example, from 0.
  /// - Returns: the states.
  /// - Throws: ``PredictionError`` when there is no such example, or the context is in use.
  public func saved(example: Int = 0) throws(PredictionError) -> SavedState {
    try context.check(example: example)
    return try context.exclusively { memory throws(PredictionError) in
      memory.state.saved(names: names, example: example)
    }
  }

  /// Sets all states of an example to saved ones.
  ///
  /// - Parameters:
  ///   - saved: the states, of this network or one with the same states.
  ///   - example: the index of the example, from 0.
  /// - Throws: ``PredictionError`` when the states are those of another network, there is no such
  ///   example, or the context is in use.
  public func restore(_ saved: SavedState, example: Int = 0) throws(PredictionError) {
    try context.check(example: example)
    try context.exclusively { memory throws(PredictionError) in
      try memory.state.restore(saved, names: names, example: example)
    }
  }
}

extension Context {
  /// What the layers keep from one prediction to the next.
  public var state: ContextState { ContextState(self) }
}
