import ForgeSystem

/// The number of predictions in flight and the threads of each.
///
/// For latency, one prediction uses all cores; for throughput, each uses one. Pass both numbers to
/// a ``Runner``. No prediction uses more threads than its network was compiled for.
public struct RunnerSizing: Hashable, Sendable {
  /// The number of predictions in flight.
  public var inflightBuffers: Int
  /// The number of threads of one prediction.
  public var threads: Int

  /// The optimization goal.
  public enum Goal: Hashable, Sendable, CaseIterable {
    /// The shortest time per prediction: it uses all cores while the next input is prepared.
    case latency
    /// The highest number of predictions per second.
    ///
    /// Each prediction uses one core. There is one more slot than cores, so that the next input is
    /// ready when a core becomes free.
    case throughput
  }

  /// Creates a sizing.
  ///
  /// - Parameters:
  ///   - inflightBuffers: the number of predictions in flight.
  ///   - threads: the number of threads of one prediction.
  public init(inflightBuffers: Int, threads: Int) {
    self.inflightBuffers = inflightBuffers
    self.threads = threads
  }

  /// A sizing for a goal.
  ///
  /// - Parameters:
  ///   - goal: the optimization goal.
  ///   - cores: the cores this process may use; by default those of its affinity mask.
  /// - Returns: the sizing, with at most 64 buffers.
  public static func sensible(for goal: Goal, cores: Int? = nil) -> RunnerSizing {
    let cores = max(cores ?? usableCores, 1)
    return switch goal {
    case .latency: RunnerSizing(inflightBuffers: 2, threads: cores)
    case .throughput: RunnerSizing(inflightBuffers: min(cores, 63) + 1, threads: 1)
    }
  }

  /// The number of cores in this process's affinity mask.
  package static var usableCores: Int {
    allowedCores(inStatus: contents(of: "/proc/self/status"))
      ?? max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
  }

  /// The number of cores in the line `Cpus_allowed:` of a process's status, a hexadecimal mask.
  package static func allowedCores(inStatus text: String) -> Int? {
    let lines = text.split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("Cpus_allowed:") }) else { return nil }
    let mask = line.dropFirst("Cpus_allowed:".count)
    let count = mask.reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
    return count > 0 ? count : nil
  }

  /// The first 16 KiB of a file; empty if it cannot be read.
  private static func contents(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
