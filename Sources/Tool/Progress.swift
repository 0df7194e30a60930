import Forge
import ForgeSystem

/// Progress of long work, on standard error while that is a terminal.
enum Progress {
  private static let isShown = isatty(STDERR_FILENO) == 1
  /// Work that is shorter shows nothing.
  private static let patience = 0.3

  /// Writes a note to standard error.
  static func note(_ text: String) {
    ToolOutput.writeError("note: \(text)")
  }

  /// Writes a note where a plan has a different precision from the options, because the processor
  /// lacks the instructions.
  static func tell(
    of precision: CompileOptions.Precision, inPlaceOf requested: CompileOptions.Precision
  ) {
    guard precision != requested else { return }
    note(
      "the processor has no instructions for \(requested.argument): "
        + "the plan is \(precision.argument)")
  }

  /// Writes a note where a cache could not be used.
  static func tell(of cache: CacheUse?) {
    switch cache {
    case .notStored(let reason): note("not in the cache: \(reason)")
    case .stored(_, let fault?): note("a file of the cache was replaced: \(fault)")
    case .cached, .stored(_, nil), nil: break
    }
  }

  /// Shows what is done while `work` runs.
  static func during<Result>(_ what: String, _ work: () throws -> Result) rethrows -> Result {
    show(what)
    defer { clear() }
    return try work()
  }

  /// Shows the stages of a compile.
  static func compiling<Result>(_ title: String, _ compile: () throws -> Result) throws -> Result {
    guard isShown else { return try compile() }
    let start = ContinuousClock.now
    defer { clear() }
    return try CompileWatch.watching(
      { progress in
        guard ContinuousClock.now - start > .seconds(patience) else { return }
        show("\(title): \(progress.stage) \(Int(100 * progress.fraction)) %")
      }, compile)
  }

  /// Shows a count.
  static func count(_ done: Int, of total: Int, _ what: String) {
    show("\(what) \(done) of \(total)")
    if done == total { clear() }
  }

  private static func show(_ text: String) {
    guard isShown else { return }
    StandardError.write("\r\u{1B}[K\(text.printable)")
  }

  private static func clear() {
    guard isShown else { return }
    StandardError.write("\r\u{1B}[K")
  }
}
