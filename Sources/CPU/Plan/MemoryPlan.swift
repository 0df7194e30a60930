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
    var first: [Int: Int] = [:]
    var last: [Int: Int] = [:]
    for (position, step) in steps.enumerated() {
      for id in step.reads + step.writes {
        let root = tensors[id.index].root.index
        first[root] = min(first[root] ?? position, position)
        last[root] = max(last[root] ?? position, position)
      }
    }
    let unit = AlignedMemory.alignment / MemoryLayout<Float>.stride
    var offsets = Array(repeating: 0, count: tensors.count)
    var placed: [(start: Int, end: Int, first: Int, last: Int)] = []
    var arena = 0
    var unshared = 0
    let roots = first.keys.filter { tensors[$0].base == .arena }
      .sorted { (tensors[$1].storage, $0) < (tensors[$0].storage, $1) }
    for root in roots {
      guard let begin = first[root], let end = last[root] else { continue }
      let size = AlignedMemory.round(tensors[root].storage, to: unit)
      let alive = placed.filter { $0.first <= end && begin <= $0.last }
        .sorted { $0.start < $1.start }
      var offset = 0
      for other in alive {
        if other.start >= offset + size { break }
        offset = max(offset, other.end)
      }
      offsets[root] = offset
      placed.append((offset, offset + size, begin, end))
      arena = max(arena, offset + size)
      unshared += size
    }
    self.offsets = offsets
    self.lifetimes = first.reduce(into: [:]) { ranges, entry in
      ranges[entry.key] = entry.value...(last[entry.key] ?? entry.value)
    }
    self.arenaCount = arena
    self.unsharedCount = unshared
  }
}
