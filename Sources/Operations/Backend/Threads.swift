extension CompileOptions {
  /// The number of threads of one prediction, including the calling one.
  ///
  /// An integer literal is ``atMost(_:)``: `CompileOptions(threads: 1)`. The result is
  /// bit-identical for any number.
  ///
  /// All predictions of a process share one thread pool. A prediction that finds the pool in use
  /// runs on its calling thread alone and does not wait. A server that predicts on all its threads
  /// at once therefore never oversubscribes the machine. A worker that has been idle for 200 µs
  /// sleeps. With one thread, a prediction does not use the pool.
  public enum Threads: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// One per physical core that the process may use, at most ``automaticMaximum``.
    ///
    /// The affinity mask and the CPU quota of the control group limit the cores.
    case automatic
    /// At most this many, and at most the number of logical cores that the process may use.
    case atMost(Int)
    /// Exactly this many, even if the process may use fewer cores, which is slower.
    case exactly(Int)

    /// The maximum number of threads of one prediction.
    public static let maximum = 256

    /// The maximum that ``automatic`` uses; Forge has been measured up to this number.
    public static let automaticMaximum = 16

    /// Creates ``atMost(_:)`` from a literal.
    ///
    /// - Parameter value: the number.
    public init(integerLiteral value: Int) { self = .atMost(value) }

    /// The given number, or `nil` for ``automatic``.
    package var given: Int? {
      switch self {
      case .automatic: nil
      case .atMost(let count), .exactly(let count): count
      }
    }
  }
}
