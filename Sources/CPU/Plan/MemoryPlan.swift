import ForgeSystem

/// Stage 6: assigns every tensor a place in one arena, given the steps that use it.
///
/// Tensors are placed in order of decreasing size, each in the lowest gap that is free during its
/// lifetime. This is the greedy-by-size algorithm of Pisarchyk and Lee (2020), which is within a
/// few per cent of the best known plans for networks.
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
    var offsets = Array(repeating: 0, count: tensors.count)
    var placed: [(memory: Range<Int>, lifetime: ClosedRange<Int>)] = []
    let roots = lifetimes.filter { tensors[$0.key].base == .arena }
      .sorted { (tensors[$1.key].storage, $0.key) < (tensors[$0.key].storage, $1.key) }
    for (root, lifetime) in roots {
      let size = AlignedMemory.round(tensors[root].storage, to: unit)
      let alive = placed.filter { $0.lifetime.overlaps(lifetime) }.map(\.memory)
        .sorted { $0.lowerBound < $1.lowerBound }
      for other in alive {
        if other.lowerBound >= offsets[root] + size { break }
        offsets[root] = max(offsets[root], other.upperBound)
      }
      placed.append((offsets[root]..<offsets[root] + size, lifetime))
    }
    self.offsets = offsets
    arenaCount = placed.map(\.memory.upperBound).max() ?? 0
    unsharedCount = placed.reduce(0) { $0 + $1.memory.count }
  }
}
