import CForgeKernels

extension CompileOptions {
  /// How many threads one prediction may use, the calling one among them.
  ///
  /// An integer literal is ``atMost(_:)``: `CompileOptions(threads: 1)`. No bit of any result depends on it.
  ///
  /// All predictions of a process share one pool of workers. A prediction that finds the pool in use by
  /// another runs on its own thread alone and waits for nobody, so that a server which predicts on all its
  /// threads at once does not get more threads than it has. Workers sleep when they have had nothing to do
  /// for 200 µs. With one thread the pool is not touched at all.
  public enum Threads: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// One per physical core that the process may use, by its affinity mask and by the CPU quota of its
    /// control group; at most ``automaticMaximum``.
    case automatic
    /// This many, but not more than the logical cores that the process may use.
    case atMost(Int)
    /// This many, even where the process may use fewer cores: they then take turns, which is slower.
    case exactly(Int)

    /// The most threads of one prediction.
    public static let maximum = Int(FORGE_MOST_THREADS)

    /// The most threads that ``automatic`` gives; with more, nothing has been measured.
    public static let automaticMaximum = 16

    /// At most this many threads.
    ///
    /// - Parameter value: the number.
    public init(integerLiteral value: Int) { self = .atMost(value) }

    /// The number that was given.
    var given: Int? {
      switch self {
      case .automatic: nil
      case .atMost(let count), .exactly(let count): count
      }
    }

    /// The number of threads on a machine that lets the process use so many cores.
    package func count(usable: @autoclosure () -> Device.UsableCores) -> Int {
      switch self {
      case .automatic: min(usable().physical, Self.automaticMaximum)
      // One thread needs no look at the machine.
      case .atMost(1): 1
      case .atMost(let count): min(count, usable().logical, Self.maximum)
      case .exactly(let count): count
      }
    }
  }
}
