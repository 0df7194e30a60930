import Synchronization

/// Watches a compile in the background: it reports progress and stops with its task.
///
/// The watch is a task-local value, so it ends with the compile: predictions that make plans for
/// new input sizes later are not watched. Without a watch, the functions do nothing.
package final class CompileWatch: Sendable {
  @TaskLocal private static var current: CompileWatch?

  private typealias Count = (stage: CompileProgress.Stage, done: Int, total: Int)

  private let report: @Sendable (CompileProgress) -> Void
  private let count = Mutex<Count?>(nil)

  private init(_ report: @escaping @Sendable (CompileProgress) -> Void) {
    self.report = report
  }

  /// Runs a compile with a watch.
  ///
  /// - Parameters:
  ///   - progress: receives the progress, on the thread of the compile.
  ///   - compile: the compile.
  /// - Returns: what the compile returns.
  /// - Throws: what the compile throws.
  package static func watching<Result, Failure: Error>(
    _ progress: @escaping @Sendable (CompileProgress) -> Void,
    _ compile: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = $current.withValue(CompileWatch(progress)) {
      Swift.Result { () throws(Failure) in try compile() }
    }
    return try result.get()
  }

  /// Whether the task of the watched compile has been canceled.
  package static var isCancelled: Bool { current != nil && Task.isCancelled }

  /// Stops a watched compile whose task has been canceled.
  ///
  /// - Throws: `CancellationError` when it has been.
  package static func check() throws(CancellationError) {
    if isCancelled { throw CancellationError() }
  }

  /// Reports the part of a stage that is done.
  package static func report(_ stage: CompileProgress.Stage, _ fraction: Double) {
    current?.report(CompileProgress(stage: stage, fraction: min(max(fraction, 0), 1)))
  }

  /// Begins a stage of a number of units, each of which ``advance(_:)`` reports.
  package static func begin(_ stage: CompileProgress.Stage, of total: Int) {
    current?.count.withLock { $0 = (stage, 0, total) }
    report(stage, 0)
  }

  /// Reports one more unit of a stage that has begun, at most as many as it has.
  package static func advance(_ stage: CompileProgress.Stage) {
    guard let current else { return }
    let fraction = current.count.withLock { count -> Double? in
      guard let (begun, done, total) = count, begun == stage, done < total else { return nil }
      count = (begun, done + 1, total)
      return Double(done + 1) / Double(total)
    }
    if let fraction { report(stage, fraction) }
  }

  /// Reports that a stage is done, and ends the count of its units.
  package static func end(_ stage: CompileProgress.Stage) {
    guard let current else { return }
    let isDone = current.count.withLock { count in
      defer { count = nil }
      return count.map { $0.stage == stage && $0.done == $0.total && $0.total > 0 } ?? false
    }
    if !isDone { report(stage, 1) }
  }
}
