import Dispatch
import Forge
import Foundation
import Synchronization

/// A thread that owns a real-time context, as the thread of a sound card would.
///
/// A `RealtimeContext` is neither copyable nor `Sendable`. It is moved into a `Mutex` here and out
/// of it on the thread, so two threads can never hold it.
final class AudioThread: Sendable {
  private let handover: Mutex<RealtimeContext?>

  /// Takes the context that the thread will own.
  init(_ context: consuming sending RealtimeContext) { handover = Mutex(context) }

  /// Starts the thread, waits until `body` has returned, and returns its result.
  ///
  /// - Throws: what `body` throws.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable (borrowing RealtimeContext) throws -> Value
  ) throws -> Value? {
    let answer = Answer<Value>()
    let thread = Thread { [self] in
      // Taken once: from here on no lock is touched.
      if let context = handover.withLock({ $0.take() }) {
        let result = Result { try body(context) }
        answer.result.withLock { $0 = result }
      }
      answer.isThere.signal()
    }
    thread.qualityOfService = .userInteractive
    thread.start()
    answer.isThere.wait()
    return try answer.result.withLock { $0 }?.get()
  }

  private final class Answer<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
    let isThere = DispatchSemaphore(value: 0)
  }
}
