import CForgeKernels
import ForgeOperations
import ForgeSystem

extension Device {
  /// The measured peak speed of this machine, a reference for the times of layers.
  public struct Speed: Sendable, Hashable {
    /// The instruction set that was measured.
    public let instructionSet: CompileOptions.InstructionSet
    /// The number of threads measured together.
    public let threads: Int
    /// The multiplications and additions per second on registers only, in billions.
    public let gigaflops: Double
    /// The bytes per second read from memory outside all caches with one stream per thread, in
    /// billions.
    public let gigabytesPerSecond: Double

    /// Creates a known speed.
    ///
    /// - Parameters:
    ///   - instructionSet: the instruction set.
    ///   - threads: the number of threads working together.
    ///   - gigaflops: billions of multiplications and additions per second.
    ///   - gigabytesPerSecond: billions of bytes per second.
    public init(
      instructionSet: CompileOptions.InstructionSet, threads: Int, gigaflops: Double,
      gigabytesPerSecond: Double
    ) {
      self.instructionSet = instructionSet
      self.threads = threads
      self.gigaflops = gigaflops
      self.gigabytesPerSecond = gigabytesPerSecond
    }

    /// The resource that limits the speed of a computation.
    public enum Bound: String, Sendable {
      /// Multiplications and additions.
      case compute
      /// Bytes read and written.
      case memory
    }

    /// Returns the minimum time of a computation and its bound: max(2·multiplyAdds / peak, bytes /
    /// bandwidth).
    ///
    /// A computation whose tensors stay in a cache may take less time than its bytes require. An
    /// algorithm that saves multiplications may take less than its multiply-adds require.
    ///
    /// - Parameters:
    ///   - multiplyAdds: the number of multiplications, each with an addition.
    ///   - bytes: the bytes that are read or written, each counted once.
    /// - Returns: the seconds and the bound that determines them.
    public func bound(multiplyAdds: Int, bytes: Int) -> (seconds: Double, by: Bound) {
      let compute = 2e-9 * Double(multiplyAdds) / gigaflops
      let memory = 1e-9 * Double(bytes) / gigabytesPerSecond
      return compute >= memory ? (compute, .compute) : (memory, .memory)
    }
  }

  /// Measures the speed of arithmetic and memory.
  ///
  /// It briefly uses 32 MiB, or up to 1 GiB if the processor cannot empty its caches.
  ///
  /// It shares its threads with predictions. The best of many short runs counts, because other load
  /// on the machine only makes runs longer.
  ///
  /// - Parameters:
  ///   - threads: the number of threads, 1 to ``CompileOptions/Threads/maximum``; others are
  ///     clamped.
  ///   - instructionSet: the instruction set to measure; by default the best of the machine.
  /// - Returns: the speed, or `nil` if the machine lacks the instruction set or the memory.
  public static func measuredSpeed(
    threads: Int = 1, instructionSet: CompileOptions.InstructionSet? = nil
  ) -> Speed? {
    let set = instructionSet ?? .best
    guard set.isAvailable else { return nil }
    let threads = min(max(threads, 1), CompileOptions.Threads.maximum)
    let level = set.level
    let flops = arithmetic(level, threads: threads)
    guard let bytes = reading(level, threads: threads) else { return nil }
    return Speed(
      instructionSet: set, threads: threads, gigaflops: flops, gigabytesPerSecond: bytes)
  }

  /// Returns the multiplications and additions per second, in billions.
  private static func arithmetic(_ level: forge_level, threads: Int) -> Double {
    let rounds = 500_000
    let operations =
      2 * Double(rounds * threads) * Double(FORGE_PEAK_CHAINS) * Double(forge_peak_lanes(level))
    var results = [Float](repeating: 0, count: threads)
    return results.withUnsafeMutableBufferPointer { results in
      var arguments = forge_peak_arguments(
        level: Int32(level.rawValue), rounds: Int64(rounds), results: results.baseAddress)
      return 1e-9 * operations
        / leastSeconds(
          forge_peak_arithmetic, &arguments, tiles: threads, threads: threads, runs: 40)
    }
  }

  /// Returns the bytes read per second, in billions; `nil` if memory is insufficient.
  private static func reading(_ level: forge_level, threads: Int) -> Double? {
    let tileBytes = 1 << 20
    let tiles = readBytes / tileBytes
    guard let memory = AlignedMemory.allocate(byteCount: tiles * tileBytes) else { return nil }
    defer { AlignedMemory.free(memory) }
    let floats = tiles * tileBytes / MemoryLayout<Float>.stride
    memory.initializeMemory(as: Float.self, repeating: 1, count: floats)
    var results = [Float](repeating: 0, count: tiles)
    return results.withUnsafeMutableBufferPointer { results in
      var arguments = forge_read_arguments(
        level: Int32(level.rawValue), values: memory.assumingMemoryBound(to: Float.self),
        tile_count: Int64(floats / tiles), results: results.baseAddress)
      return 1e-9 * Double(tiles * tileBytes)
        / leastSeconds(forge_peak_read, &arguments, tiles: tiles, threads: threads, runs: 8) {
          _ = forge_flush(memory, Int64(tiles * tileBytes))
        }
    }
  }

  /// The bytes that are read to measure memory, a multiple of 1 MiB.
  private static var readBytes: Int {
    guard forge_flush(nil, 0) == 0 else { return 32 << 20 }
    // Several times the size of the caches, so that few lines remain from the previous run.
    let largest = all.first?.caches.map(\.byteCount).max() ?? 0
    return min(max(4 * largest, 256 << 20), 1 << 30)
  }

  /// Returns the shortest of several runs of one step, split over threads; calls `prepare` before
  /// each.
  private static func leastSeconds<Arguments>(
    _ kernel: forge_kernel, _ arguments: inout Arguments, tiles: Int, threads: Int, runs: Int,
    prepare: () -> Void = {}
  ) -> Double {
    forge_prepare_threads(Int32(threads))
    return withUnsafePointer(to: &arguments) { arguments in
      var step = forge_step(
        kernel: kernel, arguments: arguments, tiles: Int64(tiles), most_threads: Int32(threads),
        parts: 1, pieces: 1, rounds: 1)
      var frame = forge_frame()
      let clock = ContinuousClock()
      var least = Double.infinity
      for _ in 0..<runs {
        prepare()
        let start = clock.now
        _ = forge_run_parallel(&step, 1, &frame, Int32(threads), nil, .max)
        least = min(least, (clock.now - start) / .seconds(1))
      }
      return max(least, 1e-12)
    }
  }
}
