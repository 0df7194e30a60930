import CForgeKernels
import Testing

/// Runs tiles of a kernel; `bases[i]` is the memory that views with base i lie in, and `fault` what
/// the kernel records.
func run<Arguments>(
  _ kernel: forge_kernel, _ arguments: Arguments, bases: [Buffer], image: Int = 0,
  worker: Int = 0, calls: Int = 0, crops: [Double] = [],
  fault: UnsafeMutablePointer<forge_fault>? = nil, tiles: Range<Int64>
) {
  let pointers: [UnsafeMutablePointer<Float>?] = bases.map(\.pointer)
  pointers.withUnsafeBufferPointer { pointers in
    crops.withUnsafeBufferPointer { crops in
      var frame = forge_frame(
        bases: pointers.baseAddress, image: Int64(image), crops: crops.baseAddress,
        worker: Int64(worker), calls: Int64(calls), round: 0, fault: fault)
      withUnsafePointer(to: arguments) {
        kernel($0, &frame, tiles.lowerBound, tiles.upperBound)
      }
    }
  }
}

/// A kernel's call that can be made in parts: what a step of a plan is.
struct Call {
  var tiles: Int64
  /// Memory that is written: all of it is put back before each try.
  var out: Buffer
  /// As the worker that the call was made for.
  var run: (Range<Int64>) -> Void
  /// As any worker.
  var runAs: (_ worker: Int, _ tiles: Range<Int64>) -> Void {
    { runAgain($0, 0, $1) }
  }
  /// As any worker, which has made so many calls before.
  private var runAgain: (_ worker: Int, _ calls: Int, _ tiles: Range<Int64>) -> Void

  init<Arguments>(
    _ kernel: forge_kernel, _ arguments: Arguments, bases: [Buffer], image: Int = 0,
    worker: Int = 0, out: Buffer, tiles: (UnsafePointer<Arguments>) -> Int64
  ) {
    self.tiles = withUnsafePointer(to: arguments) { tiles($0) }
    self.out = out
    let runAgain = { (worker: Int, calls: Int, tiles: Range<Int64>) in
      CForgeKernelsTests.run(
        kernel, arguments, bases: bases, image: image, worker: worker, calls: calls, tiles: tiles)
    }
    self.runAgain = runAgain
    run = { runAgain(worker, 0, $0) }
  }

  func runAll() { run(0..<tiles) }

  /// Deals the tiles out as threads do: in runs of any length, in any order, to any worker.
  func runDealt(workers: Int, random: inout SeededGenerator) {
    var runs: [Range<Int64>] = []
    var first: Int64 = 0
    while first < tiles {
      let last = min(tiles, first + Int64.random(in: 1...max(1, tiles / 3), using: &random))
      runs.append(first..<last)
      first = last
    }
    var calls = [Int](repeating: 0, count: workers)
    for tiles in runs.shuffled(using: &random) {
      let worker = Int.random(in: 0..<workers, using: &random)
      runAgain(worker, calls[worker], tiles)
      calls[worker] += 1
    }
  }
}

/// Checks that the tiles of a call are independent: each, run alone, writes floats that no other
/// writes, and the bits that the whole call writes; so do the halves, run in the wrong order.
func expectIndependentTiles(
  _ call: Call, _ label: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let before = call.out.bits
  call.runAll()
  let whole = call.out.bits
  var problem: String?
  var writers = [Int](repeating: 0, count: before.count)
  for tile in 0..<call.tiles {
    call.out.bits = before
    call.run(tile..<tile + 1)
    for (i, bits) in call.out.bits.enumerated() where bits != before[i] {
      writers[i] += 1
      if bits != whole[i] { problem = "tile \(tile), alone, gives float \(i) other bits" }
    }
  }
  for i in before.indices where writers[i] != (before[i] == whole[i] ? 0 : 1) {
    problem = "float \(i) is written by \(writers[i]) tiles"
  }
  let middle = call.tiles / 2
  call.out.bits = before
  call.run(middle..<call.tiles)
  call.run(middle..<middle)
  call.run(0..<middle)
  if call.out.bits != whole { problem = "two halves give other bits than the whole" }
  if let problem { Issue.record("\(label): \(problem)", sourceLocation: sourceLocation) }
}
