import ForgeOperations
import ForgeShapes

/// What a rearrangement of the last axis of a tensor is made of: for each channel there, the
/// channel in the tensor and a sign.
///
/// Exporters write the partners of a rotation as slices, a negation and a concatenation, and those
/// of neighbors with reshapes between them.
struct RotatedLanes {
  typealias Value = OperationGraph.Value

  /// A channel of the tensor's last axis, and the sign of its number.
  struct Lane: Hashable {
    var channel: Int
    var sign: Int
  }

  /// A bound on the operations that are followed; exporters write up to eight.
  private static let mostOperations = 32
  /// A bound on the lanes, which are the channels of one head.
  private static let mostLanes = 1 << 12

  private let graph: OperationGraph
  private let index: GraphIndex
  private let tensor: Value
  /// The sizes of the tensor before its last axis, which all values share.
  private let outer: [Int]
  private let width: Int

  /// Prepares for rearrangements of a tensor; `nil` if its sizes are unknown or too large.
  init?(of tensor: Value, in graph: OperationGraph, _ index: GraphIndex) {
    guard let sizes = graph.shape(of: tensor).sizes, let width = sizes.last,
      (1...Self.mostLanes).contains(width)
    else { return nil }
    (self.graph, self.index, self.tensor, self.width) = (graph, index, tensor, width)
    outer = Array(sizes.dropLast())
  }

  /// The lanes of a value in the order of its axes behind the outer ones; `nil` if it is not made
  /// of the tensor alone.
  func lanes(of value: Value) -> [Lane]? {
    var operations = Self.mostOperations
    return lanes(of: value, &operations)
  }

  private func lanes(of value: Value, _ operations: inout Int) -> [Lane]? {
    if value == tensor { return (0..<width).map { Lane(channel: $0, sign: 1) } }
    operations -= 1
    guard operations > 0, let inner = inner(of: value), let position = index.producer[value.index],
      graph.isBare(position)
    else { return nil }
    let node = graph.nodes[position]
    switch node.primitive {
    case .reshape: return lanes(of: node.inputs[0], &operations)
    case .unary(.negate): return lanes(of: node.inputs[0], &operations).map(Self.negated)
    case .concatenate(let axis):
      let before = axis - outer.count
      guard before >= 0 else { return nil }
      let runs = inner[..<before].reduce(1, *)
      var parts: [[Lane]] = []
      for input in node.inputs {
        guard let part = lanes(of: input, &operations) else { return nil }
        parts.append(part)
      }
      return (0..<runs).flatMap { run in
        parts.flatMap { $0[$0.count / runs * run..<$0.count / runs * (run + 1)] }
      }
    case .slice(let starts, let sizes, let steps):
      let kept = outer.indices.allSatisfy { starts[$0] == 0 && sizes[$0] == outer[$0] }
      guard kept, let sizesBefore = self.inner(of: node.inputs[0]),
        let lanes = lanes(of: node.inputs[0], &operations)
      else { return nil }
      var channels = [0]
      for (axis, size) in sizesBefore.enumerated() {
        let sliced = outer.count + axis
        channels = channels.flatMap { channel in
          (0..<sizes[sliced]).map { channel * size + starts[sliced] + $0 * steps[sliced] }
        }
      }
      return channels.map { lanes[$0] }
    default:
      guard let (scaled, factor) = graph.multiple(node), factor == -1 else { return nil }
      return lanes(of: scaled, &operations).map(Self.negated)
    }
  }

  private static func negated(_ lanes: [Lane]) -> [Lane] {
    lanes.map { Lane(channel: $0.channel, sign: -$0.sign) }
  }

  /// The sizes of a value behind the outer ones; `nil` if it has others, or too many lanes.
  private func inner(of value: Value) -> [Int]? {
    guard let sizes = graph.shape(of: value).sizes, sizes.count >= outer.count,
      Array(sizes[..<outer.count]) == outer,
      Shape.product(of: Array(sizes[outer.count...])) ?? .max <= Self.mostLanes
    else { return nil }
    return Array(sizes[outer.count...])
  }
}
