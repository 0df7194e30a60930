import ForgeSystem

/// Stage 6: a place in one arena for every tensor, by the steps between which it is needed.
///
/// Largest first, each into the lowest gap that no tensor alive at the same time occupies: the
/// greedy by size of Pisarchyk and Lee (2020), which is within a few per cent of the best known for
/// networks.
struct MemoryPlan {
  /// The offset of each root tensor in floats; 0 for those that are not in the arena.
  let offsets: [Int]
  /// The steps from the first to the last that need each root tensor.
  let lifetimes: [Int: ClosedRange<Int>]
  /// The floats the arena has.
  let arenaCount: Int
  /// The floats of all tensors if none shared memory.
  let unsharedCount: Int

  /// Plans the arena of `steps`; scratch lives for one step, everything else from write to last
  /// read.
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
