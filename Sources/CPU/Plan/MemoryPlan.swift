import ForgeSystem

/// Stage 6: assigns every tensor a place in one arena, given the steps that use it.
///
/// Tensors are placed in order of decreasing size, each in the lowest gap that is free during its
/// lifetime. This is the greedy-by-size algorithm of Pisarchyk and Lee (2020), which is within a
/// few percent of the best known plans for networks. Thousands of tensors are placed in order of
/// time instead, which takes time in proportion to their number.
struct MemoryPlan {
  /// The offset of each root tensor in floats; 0 for tensors outside the arena.
  let offsets: [Int]
  /// The first and last step that use each root tensor.
  let lifetimes: [Int: ClosedRange<Int>]
  /// The number of floats in the arena.
  let arenaCount: Int
  /// The number of floats of all tensors without sharing.
  let unsharedCount: Int

  /// Plans the arena of `steps`.
  ///
  /// A tensor lives from its first to its last use, scratch memory for one step.
  init(tensors: [PlannedTensor], steps: [PlannedStep]) {
    var lifetimes: [Int: ClosedRange<Int>] = [:]
    for (position, step) in steps.enumerated() {
      for id in step.reads + step.writes {
        let root = tensors[id.index].root.index
        lifetimes[root] = (lifetimes[root]?.lowerBound ?? position)...position
      }
    }
    self.lifetimes = lifetimes
    let unit = AlignedMemory.alignment / MemoryLayout<Float>.stride
    let roots = lifetimes.filter { tensors[$0.key].base == .arena }.map { root, lifetime in
      Root(
        index: root, size: AlignedMemory.round(tensors[root].storage, to: unit),
        storage: tensors[root].storage, lifetime: lifetime)
    }
    let placed =
      roots.count > Self.mostCompared ? Self.placedByTime(roots) : Self.placedBySize(roots)
    var offsets = Array(repeating: 0, count: tensors.count)
    for (root, memory) in placed { offsets[root] = memory.lowerBound }
    self.offsets = offsets
    arenaCount = placed.map(\.memory.upperBound).max() ?? 0
    unsharedCount = placed.reduce(0) { $0 + $1.memory.count }
  }

  /// A tensor with memory of its own.
  private struct Root {
    let index, size, storage: Int
    let lifetime: ClosedRange<Int>
  }

  /// The most tensors that are compared with each other, which takes quadratic time.
  private static let mostCompared = 4096
  /// The most gaps that a tensor is tried in, where there are many.
  private static let mostGaps = 64

  /// Places tensors in order of decreasing size.
  private static func placedBySize(_ roots: [Root]) -> [(root: Int, memory: Range<Int>)] {
    var placed: [(root: Int, memory: Range<Int>, lifetime: ClosedRange<Int>)] = []
    for root in roots.sorted(by: { ($1.storage, $0.index) < ($0.storage, $1.index) }) {
      var offset = 0
      let alive = placed.filter { $0.lifetime.overlaps(root.lifetime) }.map(\.memory)
        .sorted { $0.lowerBound < $1.lowerBound }
      for other in alive {
        if other.lowerBound >= offset + root.size { break }
        offset = max(offset, other.upperBound)
      }
      placed.append((root.index, offset..<offset + root.size, root.lifetime))
    }
    return placed.map { ($0.root, $0.memory) }
  }

  /// Places very many tensors in order of their first use, in the gaps that others have left.
  private static func placedByTime(_ roots: [Root]) -> [(root: Int, memory: Range<Int>)] {
    let begins = roots.sorted {
      ($0.lifetime.lowerBound, $0.index) < ($1.lifetime.lowerBound, $1.index)
    }
    let ends = roots.sorted {
      ($0.lifetime.upperBound, $0.index) < ($1.lifetime.upperBound, $1.index)
    }
    var memory: [Int: Range<Int>] = [:]
    var gaps = RangeSet<Int>()
    var (end, released) = (0, 0)
    for root in begins {
      while released < ends.count,
        ends[released].lifetime.upperBound < root.lifetime.lowerBound
      {
        // A tensor that has ended has been placed.
        if let range = memory[ends[released].index] { gaps.insert(contentsOf: range) }
        released += 1
      }
      var offset = end
      if let gap = gaps.ranges.prefix(mostGaps).first(where: { $0.count >= root.size }) {
        offset = gap.lowerBound
      } else if let last = gaps.ranges.last, last.upperBound == end {
        offset = last.lowerBound
      }
      let range = offset..<offset + root.size
      gaps.remove(contentsOf: range)
      end = max(end, range.upperBound)
      memory[root.index] = range
    }
    return begins.map { ($0.index, memory[$0.index] ?? 0..<0) }
  }
}
