import CForgeKernels
import Foundation
import Testing

/// What the steps of a run share: what each tile holds, and when the run is told to stop.
private final class Trace {
  let steps, tiles: Int
  /// [step][tile]: how often it was computed, and what from.
  let counts: UnsafeMutablePointer<Int32>
  let values: UnsafeMutablePointer<Float>
  /// The step that raises `stop`, or one after all of them.
  var stopsAt = Int.max
  /// The step that lasts until `deadline`, or one after all of them.
  var lastsAt = Int.max
  var deadline = Int64.max
  let stop: UnsafeMutablePointer<Int32>

  init(steps: Int, tiles: Int) {
    (self.steps, self.tiles) = (steps, tiles)
    counts = .allocate(capacity: steps * tiles)
    counts.initialize(repeating: 0, count: steps * tiles)
    values = .allocate(capacity: (steps + 1) * tiles)
    var random = SeededGenerator(seed: 21)
    for i in 0..<(steps + 1) * tiles { values[i] = random.value() }
    stop = .allocate(capacity: 1)
    stop.initialize(to: 0)
  }

  deinit {
    counts.deallocate()
    values.deallocate()
    stop.deallocate()
  }

  /// How many steps have all of their tiles computed once, and none after them any.
  var done: Int? {
    let rows = (0..<steps).map { step in (0..<tiles).map { counts[step * tiles + $0] } }
    let done = rows.prefix { $0.allSatisfy { $0 == 1 } }.count
    return rows[done...].allSatisfy { $0.allSatisfy { $0 == 0 } } ? done : nil
  }

  func restart() {
    for i in 0..<steps * tiles { counts[i] = 0 }
    stop.pointee = 0
    (stopsAt, lastsAt, deadline) = (.max, .max, .max)
  }

  /// What step `step` makes of what the one before made, computed again.
  func expected() -> [Float] {
    var row = (0..<tiles).map { values[$0] }
    for step in 0..<steps {
      row = (0..<tiles).map { row[$0] * 0.5 + row[tiles - 1 - $0] * Float(step + 1) }
    }
    return row
  }

  var last: [Float] { (0..<tiles).map { values[steps * tiles + $0] } }
}

private struct StepArguments {
  var trace: Unmanaged<Trace>
  var step: Int
}

/// Reads what all tiles of the step before made, so that a missing join would show.
private func work(
  _ arguments: UnsafeRawPointer?, _ frame: UnsafePointer<forge_frame>?, _ first: Int64,
  _ last: Int64
) {
  guard let arguments = arguments?.assumingMemoryBound(to: StepArguments.self).pointee else {
    return
  }
  let trace = arguments.trace._withUnsafeGuaranteedRef { $0 }
  let (step, tiles) = (arguments.step, trace.tiles)
  let from = trace.values + step * tiles
  for tile in Int(first)..<Int(last) {
    trace.counts[step * tiles + tile] += 1
    from[tiles + tile] = from[tile] * 0.5 + from[tiles - 1 - tile] * Float(step + 1)
  }
  if step == trace.stopsAt, first == 0 { trace.stop.pointee = 1 }
  if step == trace.lastsAt, first == 0 { while now() < trace.deadline {} }
}

private func now() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Steps that are worth any number of threads.
private struct Steps {
  var trace: Trace
  private var arguments: [StepArguments]
  var parts: Int32 = 1
  var mostThreads: Int32 = 256
  var pieces: Int32 = 1

  init(_ trace: Trace) {
    self.trace = trace
    arguments = (0..<trace.steps).map {
      StepArguments(trace: .passUnretained(trace), step: $0)
    }
  }

  /// Runs steps from `first` on; gives how many were run.
  func run(
    from first: Int = 0, threads: Int32, stop: UnsafePointer<Int32>? = nil,
    deadline: Int64 = .max
  ) -> Int {
    withExtendedLifetime(trace) {
      arguments.withUnsafeBufferPointer { arguments in
        let steps = arguments.indices.dropFirst(first).map { i in
          forge_step(
            kernel: work, arguments: arguments.baseAddress.map { $0 + i },
            tiles: Int64(trace.tiles), most_threads: mostThreads, parts: parts,
            pieces: pieces, rounds: 1)
        }
        var frame = forge_frame()
        return Int(
          forge_run_parallel(steps, Int64(steps.count), &frame, threads, stop, deadline))
      }
    }
  }
}

/// Running steps on the pool: distribution of tiles, and early termination.
///
/// The pool is shared by the process: while another test uses it, a run continues on one thread
/// with the same results.
@Suite(.serialized) struct PoolTests {
  static let threads: [Int32] = [-1, 0, 1, 2, 3, 8, 300]

  @Test("every tile is computed once, in step order", arguments: threads)
  func all(threads: Int32) {
    for tiles in [1, 2, 3, 7, 64, 67] {
      for most in [0, 1, 2, 256] as [Int32] {
        let trace = Trace(steps: 9, tiles: tiles)
        var steps = Steps(trace)
        steps.mostThreads = most
        #expect(steps.run(threads: threads) == 9)
        #expect(trace.done == 9, "\(tiles) tiles, at most \(most) threads")
        #expect(trace.last == trace.expected())
      }
    }
  }

  @Test("image parts, in pieces and whole", arguments: threads)
  func parts(threads: Int32) {
    for (parts, times) in [
      (1, 5), (2, 1), (2, 7), (5, 3), (7, 1), (12, 4), (1, 67), (67, 1), (31, 5),
    ] {
      for pieces in [-1, 0, 1, 2, 3, 7, 16, .max] as [Int32] {
        let trace = Trace(steps: 5, tiles: parts * times)
        var steps = Steps(trace)
        steps.parts = Int32(parts)
        steps.pieces = pieces
        #expect(steps.run(threads: threads) == 5)
        #expect(trace.done == 5, "\(parts) parts of \(times) tiles in \(pieces) pieces")
        #expect(trace.last == trace.expected())
      }
    }
  }

  @Test("step without tiles")
  func noTile() {
    for pieces in [1, 8] as [Int32] {
      let trace = Trace(steps: 3, tiles: 0)
      var steps = Steps(trace)
      steps.pieces = pieces
      #expect(steps.run(threads: 2) == 3)
    }
  }

  @Test("plan without steps")
  func none() {
    var frame = forge_frame()
    #expect(forge_run_parallel(nil, 0, &frame, 2, nil, .max) == 0)
    #expect(forge_run_parallel(nil, 0, &frame, 1, nil, 0) == 0)
  }

  @Test("a stop flag set before the run prevents the first step", arguments: threads)
  func stoppedBefore(threads: Int32) {
    let trace = Trace(steps: 4, tiles: 6)
    for value in [1, -1, .max] as [Int32] {
      trace.stop.pointee = value
      #expect(Steps(trace).run(threads: threads, stop: trace.stop) == 0)
      #expect(trace.done == 0)
    }
  }

  @Test("a stop flag set by a step prevents the next step", arguments: threads)
  func stoppedBetween(threads: Int32) {
    for step in 0..<4 {
      let trace = Trace(steps: 4, tiles: 6)
      trace.stopsAt = step
      #expect(Steps(trace).run(threads: threads, stop: trace.stop) == step + 1)
      #expect(trace.done == step + 1)
    }
  }

  @Test("a missing stop flag is ignored")
  func noFlag() {
    let trace = Trace(steps: 4, tiles: 6)
    trace.stop.pointee = 1
    #expect(Steps(trace).run(threads: 2) == 4)
  }

  @Test("a past deadline prevents every step", arguments: threads)
  func deadlineBefore(threads: Int32) {
    let trace = Trace(steps: 4, tiles: 6)
    for deadline in [Int64.min, -1, 0, now(), now() - 1] {
      #expect(Steps(trace).run(threads: threads, deadline: deadline) == 0)
      #expect(trace.done == 0)
    }
  }

  @Test("a deadline reached during a step ends the run after it", arguments: threads)
  func deadlineBetween(threads: Int32) {
    for step in 0..<4 {
      let trace = Trace(steps: 4, tiles: 6)
      trace.lastsAt = step
      // Far enough away for the steps before, which take a microsecond, also on a busy machine; where they
      // come too late all the same, fewer have run.
      trace.deadline = now() + 50_000_000
      let done = Steps(trace).run(threads: threads, deadline: trace.deadline)
      #expect(done <= step + 1)
      #expect(trace.done == done)
      #expect(now() >= trace.deadline)
    }
  }

  @Test("a distant deadline has no effect", arguments: threads)
  func deadlineFar(threads: Int32) {
    let trace = Trace(steps: 4, tiles: 6)
    #expect(Steps(trace).run(threads: threads, deadline: now() + 3_600_000_000_000) == 4)
    #expect(trace.done == 4)
  }

  @Test("a stopped run can be resumed or restarted", arguments: threads)
  func again(threads: Int32) {
    let trace = Trace(steps: 6, tiles: 10)
    let steps = Steps(trace)
    trace.stopsAt = 2
    let done = steps.run(threads: threads, stop: trace.stop)
    #expect(done == 3)
    trace.stop.pointee = 0
    trace.stopsAt = .max
    #expect(steps.run(from: done, threads: threads, stop: trace.stop) == 3)
    #expect(trace.done == 6)
    #expect(trace.last == trace.expected())

    trace.restart()
    #expect(steps.run(threads: threads, deadline: 0) == 0)
    #expect(steps.run(threads: threads, stop: trace.stop, deadline: .max) == 6)
    #expect(trace.done == 6)
    #expect(trace.last == trace.expected())
  }
}
