import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// The floats of the last axis that one tile has at least: those of a cache line.
  private static let leastShare = 16

  /// Adds updates at computed places along an axis.
  mutating func addScatterElements(
    _ node: OperationGraph.Node, axis: Int, _ combination: ScatterCombination
  ) throws {
    let (source, positions) = (try plain(node.inputs[0]), try plain(node.inputs[1]))
    let updates = try plain(node.inputs[2])
    let target = plainResult(node.output)
    let axes = ScatterAxes(
      data: sizes(of: node.inputs[0]), positions: sizes(of: node.inputs[1]),
      updates: sizes(of: node.inputs[2]), axis: axis)
    var arguments = forge_scatter_arguments()
    arguments.rank = Int32(axes.sizes.count)
    arguments.axis = Int32(axes.axis)
    arguments.split = Int32(axes.split)
    arguments.share = axes.split == axes.sizes.count - 1 ? Int64(Self.leastShare) : 1
    arguments.combination = combination.code
    arguments.fault_source = addFaultSource(size: axes.sizes[axes.axis], fromEnd: true)
    withUnsafeMutableBytes(of: &arguments.sizes) { $0.store(axes.sizes) }
    withUnsafeMutableBytes(of: &arguments.counts) { $0.store(axes.counts) }
    withUnsafeMutableBytes(of: &arguments.position_strides) { $0.store(axes.positionStrides) }
    addStep(
      "scatterElements", kernels.scatter, arguments, tiles: forge_scatter_tiles,
      reads: [\.in: source, \.positions: positions, \.updates: updates],
      writes: [\.out: target])
  }
}

/// The axes of a scatter, neighbors as one where that changes no place.
private struct ScatterAxes {
  /// The sizes of the data.
  private(set) var sizes: [Int] = []
  /// The sizes of the updates.
  private(set) var counts: [Int] = []
  /// The distances of positions, 0 where they repeat.
  private(set) var positionStrides: [Int] = []
  /// The axis along which updates are placed.
  private(set) var axis = 0

  init(data: [Int], positions: [Int], updates: [Int], axis: Int) {
    let along = axis < 0 ? axis + data.count : axis
    let own = Shape.strides(of: positions)
    var isBehindAxis = false
    for index in data.indices {
      let stride = positions[index] == 1 ? 0 : own[index]
      if index == along {
        self.axis = sizes.count
        isBehindAxis = true
      } else if data[index] == 1 {
        continue
      } else if !isBehindAxis || self.axis != sizes.count - 1,
        merge(data[index], updates[index], stride)
      {
        continue
      }
      sizes.append(data[index])
      counts.append(updates[index])
      positionStrides.append(stride)
    }
    // Threads divide a different axis from that of the places.
    if sizes.count == 1 {
      sizes.insert(1, at: 0)
      counts.insert(1, at: 0)
      positionStrides.insert(0, at: 0)
      self.axis = 1
    }
  }

  /// Makes an axis and the one before it one, if updates and positions lie side by side there.
  private mutating func merge(_ size: Int, _ count: Int, _ stride: Int) -> Bool {
    guard let last = sizes.indices.last, size == count, positionStrides[last] == stride * count
    else { return false }
    sizes[last] *= size
    counts[last] *= count
    positionStrides[last] = stride
    return true
  }

  /// The axis that threads share: the longest; of equal ones the first.
  var split: Int {
    let others = sizes.indices.filter { $0 != axis }
    return others.max { sizes[$0] == sizes[$1] ? $0 > $1 : sizes[$0] < sizes[$1] } ?? 0
  }
}

extension ScatterCombination {
  /// The C kind.
  fileprivate var code: Int32 {
    let code =
      switch self {
      case .replace: FORGE_SCATTER_REPLACE
      case .add: FORGE_SCATTER_ADD
      case .multiply: FORGE_SCATTER_MULTIPLY
      case .minimum: FORGE_SCATTER_MINIMUM
      case .maximum: FORGE_SCATTER_MAXIMUM
      }
    return Int32(code.rawValue)
  }
}
