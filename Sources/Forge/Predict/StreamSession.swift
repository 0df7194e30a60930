import ForgeOperations
import ForgeRunner
import ForgeShapes

/// A stream of predictions on a ``Runner``: each begins with the state that the previous one left.
///
/// ```swift
/// let runner = try Runner(network, inflightBuffers: 3)
/// let caller = try runner.session()  // one for each stream
/// for await frame in frames { print(try await caller.predict(frame)) }
/// ```
/// Any number of sessions share the slots of a runner and never see each other's state. The
/// predictions of one session run one after the other, in the order of their calls.
public final class StreamSession: Sendable {
  /// The runner.
  public let runner: Runner<CompiledModel>
  private let state: SessionState

  init(_ runner: Runner<CompiledModel>, _ state: SessionState) {
    (self.runner, self.state) = (runner, state)
  }

  /// Predicts, beginning with the state that the prediction before has left.
  ///
  /// A prediction that throws leaves the state as it was, whether it failed, was canceled or
  /// missed its deadline, which include its wait for the predictions before it.
  ///
  /// - Parameters:
  ///   - input: the values of the only input, or of each input by name.
  ///   - crops: the part of its source that a ``Resize`` samples, by the layer's name.
  ///   - deadline: the latest time for the prediction; none by default.
  /// - Returns: the values of the only output, or all outputs and kept layers if the inputs are
  ///   named.
  /// - Throws: as ``Runner/predict(_:crops:deadline:)``.
  public func predict<Input: PredictionInput>(
    _ input: Input, crops: [String: CropRectangle] = [:], deadline: Deadline? = nil
  ) async throws -> Input.Output {
    let end = runner.moment(of: deadline)
    let lease = try await state.take(for: runner, until: end)
    let result = try await runner.result(for: input, crops: crops, until: end, state: lease)
    lease.advance()
    lease.end()
    return result.prediction
  }

  /// Sets all states to zero, as before the first prediction, when those requested before are done.
  public func reset() async { await state.use { $0.reset() } }

  /// All states, when the predictions requested before are done.
  ///
  /// - Returns: the states, for this or another session, or a ``Context``.
  public func saved() async -> SavedState {
    await state.use { $0.saved(names: runner.network.stateNames, example: 0) }
  }

  /// Sets the values of a state, when the predictions requested before are done.
  ///
  /// - Parameters:
  ///   - name: the name, one of ``CompiledModel/stateNames``.
  ///   - values: the values in row-major order, as many as the state has.
  /// - Throws: ``PredictionError`` when there is no such state or the number of values differs
  ///   one.
  public func set(_ name: String, to values: [Float]) async throws(PredictionError) {
    let index = try runner.network.index(ofState: name)
    try await state.use { memory throws(PredictionError) in
      try memory.set(index, name: name, to: values, example: 0)
    }
  }

  /// Sets all states to saved ones, when the predictions requested before are done.
  ///
  /// - Parameter saved: the states, of this network or one with the same states.
  /// - Throws: ``PredictionError`` when the states are those of another network.
  public func restore(_ saved: SavedState) async throws(PredictionError) {
    try await state.use { memory throws(PredictionError) in
      try memory.restore(saved, names: runner.network.stateNames, example: 0)
    }
  }
}

extension Runner where Network == CompiledModel {
  /// A stream of predictions with a state of its own, which is zero at first.
  ///
  /// - Returns: the session.
  /// - Throws: ``PredictionError`` when there is not enough memory.
  public func session() throws(PredictionError) -> StreamSession {
    do {
      let memory = try StateMemory(network.stateLayouts, batch: 1)
      return StreamSession(self, SessionState(memory))
    } catch {
      throw .noMemory(error)
    }
  }
}
