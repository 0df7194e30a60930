import ForgeSystem
import Synchronization

/// The files that the present task opens, by which it can be told later whether they have changed.
///
/// Files of a cache itself are not logged.
package final class FileLog: Sendable {
  @TaskLocal private static var current: [FileLog] = []

  private struct State {
    var stamps: [String: FileStamp] = [:]
    var isComplete = true
  }

  private let state = Mutex(State())

  package init() {}

  /// Notes what a body opens.
  package func during<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = Self.$current.withValue(Self.current + [self]) {
      Result { () throws(Failure) in try body() }
    }
    return try result.get()
  }

  /// The paths of the files with their versions, in order; `nil` if the result of the work may
  /// depend on something else: the names in a folder, a file that was missing, or one that has
  /// changed since.
  package var files: [(path: String, stamp: FileStamp)]? {
    state.withLock { state in
      guard state.isComplete else { return nil }
      return state.stamps.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  /// Notes a file that was opened; `nil` for one that could not be.
  static func add(_ path: String, _ stamp: FileStamp?) {
    for log in current {
      log.state.withLock { state in
        guard let stamp, state.stamps[path] ?? stamp == stamp else {
          state.isComplete = false
          return
        }
        state.stamps[path] = stamp
      }
    }
  }

  /// Notes that the names in a folder were read.
  static func addFolder() {
    for log in current { log.state.withLock { $0.isComplete = false } }
  }
}
