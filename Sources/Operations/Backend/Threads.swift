extension CompileOptions {
  /// How many threads one prediction may use, including the calling one.
  ///
  /// An integer literal is ``atMost(_:)``: `CompileOptions(threads: 1)`. The result is
  /// bit-identical for any number.
  ///
  /// All predictions of a process share one thread pool. A prediction that finds the pool in use
  /// runs on its calling thread alone and waits for nobody. A server that predicts on all its
  /// threads at once therefore never oversubscribes the machine. A worker that has been idle for
  /// 200 µs sleeps. With one thread, a prediction does not touch the pool.
  public enum Threads: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// One per physical core that the process may use, at most ``automaticMaximum``.
    ///
    /// The affinity mask and the CPU quota of the control group limit the cores.
    case automatic
    /// This many, but not more than the logical cores that the process may use.
    case atMost(Int)
    /// This many, even if the process may use fewer cores, which is slower.
    case exactly(Int)

    /// The most threads of one prediction.
    public static let maximum = 256

    /// The most threads that ``automatic`` uses; Forge has been measured up to this number.
    public static let automaticMaximum = 16

    /// At most this many threads.
    ///
    /// - Parameter value: the number.
    public init(integerLiteral value: Int) { self = .atMost(value) }

    /// The number, if one was given.
    package var given: Int? {
      switch self {
      case .automatic: nil
      case .atMost(let count), .exactly(let count): count
      }
    }
  }
}
