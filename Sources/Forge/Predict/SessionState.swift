import ForgeOperations
import ForgeRunner
import ForgeSystem

/// The state of a session, which one prediction at a time uses.
///
/// `@unchecked Sendable`: the memory belongs to the holder of the one lease.
final class SessionState: @unchecked Sendable {
  fileprivate let memory: StateMemory
  fileprivate let turns = TurnQueue()

  init(_ memory: sending StateMemory) { self.memory = memory }

  /// Passes the state to `body` when those who have asked before are done.
  func use<Result, Failure: Error>(
    _ body: (StateMemory) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    await turns.begin()
    defer { turns.end() }
    return try body(memory)
  }

  /// Takes the state for a prediction that must finish by `end`.
  ///
  /// - Throws: ``RunnerError`` when the task is canceled or the deadline passes first.
  func take(
    for runner: Runner<CompiledModel>, until end: Nanoseconds
  ) async throws -> StateLease {
    try await runner.begin(turns, until: end)
    return StateLease(self)
  }
}

/// The right to use the state of a session; it ends with ``end()`` or with the last reference.
///
/// The caller of a prediction and the runner's thread both hold it. The caller advances the state
/// when it has the result. If it gives up before, the state stays as it was, and the lease ends
/// when the thread is done, too.
///
/// `@unchecked Sendable`: the thread uses the memory while the caller waits for the result or has
/// given up; the caller does afterwards.
final class StateLease: @unchecked Sendable {
  /// The state.
  var memory: StateMemory { session.memory }
  private let session: SessionState
  /// What a prediction has appended to whose result the caller has not received yet.
  private var appended: [PositionLimit] = []
  private let hasEnded = ForkSafe(false)

  fileprivate init(_ session: SessionState) { self.session = session }

  deinit { end() }

  /// Records that an executable has computed the next state.
  func hasRun(_ executable: any Executable) { appended = executable.positionLimits }

  /// Makes the next state of the prediction the present one.
  func advance() {
    appended = []
    memory.advance(example: 0)
  }

  /// Gives the state back; the memory must not be used anymore.
  func end() {
    let isFirst = hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
    guard isFirst else { return }
    appended.withUnsafeBufferPointer { memory.forgetAppended($0, example: 0) }
    session.turns.end()
  }
}
