import Forge
import Synchronization

/// Where a request stands in a sequence, by Triton's parameters.
struct SequencePosition {
  /// The id, a number or a text.
  let id: ParameterValue
  let isStart: Bool
  let isEnd: Bool

  /// Reads the parameters; `nil` for a request without a sequence.
  ///
  /// - Throws: ``ServingError`` for an id that is neither a number nor a text.
  init?(_ parameters: [String: ParameterValue]) throws(ServingError) {
    guard let id = parameters["sequence_id"] else { return nil }
    if let text = id.text {
      guard !text.isEmpty, text.utf8.count <= 128 else {
        throw .invalid("the parameter sequence_id is empty or longer than 128 bytes")
      }
      self.id = .text(text)
    } else {
      guard let count = id.count else {
        throw .invalid("the parameter sequence_id must be a number or a text")
      }
      guard count > 0 else { return nil }
      self.id = .unsigned(count)
    }
    isStart = parameters["sequence_start"]?.flag ?? false
    isEnd = parameters["sequence_end"]?.flag ?? false
  }
}

/// The states of the sequences of a model.
package final class SessionTable: Sendable {
  private struct Entry {
    let session: StreamSession
    var last: ContinuousClock.Instant
  }

  private let runner: Runner<CompiledModel>
  private let limit: Int
  private let idle: Duration
  private let entries = Mutex<[ParameterValue: Entry]>([:])

  init(_ runner: Runner<CompiledModel>, limit: Int, idle: Duration) {
    self.runner = runner
    self.limit = limit
    self.idle = idle
  }

  /// The number of sequences that are open.
  package var count: Int { entries.withLock { $0.count } }

  /// Predicts with the state of a sequence.
  func predict(
    _ input: [String: TensorValues], _ position: SequencePosition, _ deadline: Deadline?
  ) async throws -> Predictions {
    let session = try session(position)
    let result = try await session.predict(input, deadline: deadline)
    if position.isEnd {
      entries.withLock { entries in
        if entries[position.id]?.session === session { entries[position.id] = nil }
      }
    }
    return result
  }

  private func session(_ position: SequencePosition) throws -> StreamSession {
    let now = ContinuousClock.now
    return try entries.withLock { entries in
      if !position.isStart {
        guard var entry = entries[position.id], now - entry.last <= idle else {
          entries[position.id] = nil
          throw ServingError.invalid(
            "the sequence has not begun, or was idle for more than \(idle): send sequence_start")
        }
        entry.last = now
        entries[position.id] = entry
        return entry.session
      }
      entries[position.id] = nil
      if entries.count >= limit {
        entries = entries.filter { now - $0.value.last <= idle }
        guard entries.count < limit else {
          throw ServingError(.overloaded, "\(limit) sequences are open", retryAfter: 1)
        }
      }
      let session = try runner.session()
      entries[position.id] = Entry(session: session, last: now)
      return session
    }
  }
}
