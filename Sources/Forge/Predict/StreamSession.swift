import ForgeOperations
import ForgeRunner
import ForgeShapes
import ForgeSystem

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
  /// A prediction that fails, or that is stopped by a cancellation or a deadline while it runs,
  /// leaves the state as it was.
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
    try await runner.result(
      for: input, crops: crops, deadline: deadline, state: await state.take()
    ).prediction
  }

  /// Sets all states to zero, as before the first prediction, when those requested before are done.
  public func reset() async { await state.take().memory.reset() }

  /// All states, when the predictions requested before are done.
  ///
  /// - Returns: the states, for this or another session, or a ``Context``.
  public func saved() async -> SavedState {
    let lease = await state.take()
    let memory = lease.memory
    return SavedState(
      names: runner.network.stateNames,
      values: memory.sizes.indices.map {
        TensorValues(
          shape: Shape(sizes: memory.sizes[$0]), values: Array(memory.values($0, example: 0)))
      })
  }

  /// Sets all states to saved ones, when the predictions requested before are done.
  ///
  /// - Parameter saved: the states, of this network or one with the same states.
  /// - Throws: ``PredictionError`` when the states are those of another network.
  public func restore(_ saved: SavedState) async throws(PredictionError) {
    let lease = await state.take()
    try lease.memory.restore(saved, names: runner.network.stateNames, example: 0)
  }
}

extension Runner where Network == CompiledModel {
  /// A stream of predictions with a state of its own, which is zero at first.
  ///
  /// - Returns: the session.
  /// - Throws: ``PredictionError`` when there is no memory.
  public func session() throws(PredictionError) -> StreamSession {
    do {
      let memory = try StateMemory(network.stateLayouts, batch: 1)
      return StreamSession(self, SessionState(memory))
    } catch {
      throw .noMemory(error)
    }
  }
}

/// The state of a session, which one prediction at a time takes and gives back.
final class SessionState: Sendable {
  private struct Turn {
    /// `nil` while a lease has it.
    var memory: StateMemory?
    /// Those who wait for it, in order.
    var waiting: [CheckedContinuation<StateLease, Never>] = []
  }

  private let turn: ForkSafe<Turn>

  init(_ memory: sending StateMemory) { turn = ForkSafe(Turn(memory: memory)) }

  /// Takes the state as soon as those who have asked before have given it back.
  func take() async -> StateLease {
    await withCheckedContinuation { continuation in
      let lease = turn.withLock { turn -> StateLease? in
        guard let memory = turn.memory.take() else {
          turn.waiting.append(continuation)
          return nil
        }
        return StateLease(memory, of: self)
      }
      if let lease { continuation.resume(returning: lease) }
    }
  }

  /// Gives the state to the next who waits, or keeps it.
  fileprivate func giveBack(_ memory: StateMemory) {
    let next = turn.withLock { turn -> (CheckedContinuation<StateLease, Never>, StateLease)? in
      guard !turn.waiting.isEmpty else {
        turn.memory = memory
        return nil
      }
      return (turn.waiting.removeFirst(), StateLease(memory, of: self))
    }
    if let (continuation, lease) = next { continuation.resume(returning: lease) }
  }
}

/// The right to use the state of a session; it ends with ``end()`` or with the last reference.
///
/// `@unchecked Sendable`: the memory belongs to the one prediction that holds the lease.
final class StateLease: @unchecked Sendable {
  /// The state.
  let memory: StateMemory
  private let session: SessionState
  private let hasEnded = ForkSafe(false)

  init(_ memory: StateMemory, of session: SessionState) {
    (self.memory, self.session) = (memory, session)
  }

  deinit { end() }

  /// Gives the state back; the memory must not be used any more.
  func end() {
    let isFirst = hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
    if isFirst { session.giveBack(memory) }
  }
}

extension StateMemory {
  /// Sets all states of an example to saved ones.
  func restore(
    _ saved: SavedState, names: [String], example: Int
  ) throws(PredictionError) {
    let shapes = sizes.map { Shape(sizes: $0) }
    guard saved.names == names, saved.values.map(\.shape) == shapes else {
      throw .otherState(
        received: SavedState.text(saved.names, saved.values.map(\.shape)),
        needs: SavedState.text(names, shapes))
    }
    for (index, tensor) in saved.values.enumerated() {
      _ = values(index, example: example).update(fromContentsOf: tensor.values)
    }
  }
}
