import ForgeOperations
import ForgeShapes

/// The axes of a value while it is followed through reshapes and permutations.
///
/// Every axis is a list of parts, outermost first. A reshape regroups the parts and may split one;
/// a permutation moves the axes. Values with the same parts in the same order hold the same numbers
/// in the same memory order. Axes of size 1 have no parts.
struct MovedAxes {
  /// A part of an axis.
  struct Part: Hashable {
    /// What the part is a part of.
    enum Role: Int, Hashable { case batch, row, head, position, channel }

    let role: Role
    /// Its position among all parts before they are moved: that of the axis, then of its splits.
    let origin: [Int]
    let size: Int
  }

  /// The parts of each axis.
  private(set) var axes: [[Part]]
  /// The parts that a broadcast has repeated, which are no longer there.
  private(set) var repeated: [Part] = []
  /// All parts in the order in which they were at first, without the repeated ones.
  private(set) var all: [Part]

  /// Axes of these roles and sizes.
  init(_ roles: [Part.Role], sizes: [Int]) {
    axes = zip(roles, sizes).enumerated().map { position, axis in
      axis.1 == 1 ? [] : [Part(role: axis.0, origin: [position], size: axis.1)]
    }
    all = axes.flatMap { $0 }
  }

  /// The parts in memory order.
  var parts: [Part] { axes.flatMap { $0 } }

  /// The parts of a role in their first order.
  func parts(of role: Part.Role) -> [Part] { all.filter { $0.role == role } }

  /// The parts in the order of an image [rows][positions][channels of all heads].
  var image: [Part] {
    parts(of: .row) + parts(of: .position) + parts(of: .head) + parts(of: .channel)
  }

  /// How many heads share one, if the repeated parts are the innermost ones of the heads; `nil` if
  /// others are repeated.
  var sharing: Int? {
    guard repeated.allSatisfy({ $0.role == .head }) else { return nil }
    let heads = (parts(of: .head) + repeated).sorted {
      $0.origin.lexicographicallyPrecedes($1.origin)
    }
    guard Set(heads.suffix(repeated.count)) == Set(repeated) else { return nil }
    return repeated.reduce(1) { $0 * $1.size }
  }

  /// The axes of the operand of a permutation.
  mutating func undoPermutation(_ order: [Int]) {
    let moved = axes
    for (axis, source) in order.enumerated() { axes[source] = moved[axis] }
  }

  /// The axes of the result of a permutation.
  mutating func permute(_ order: [Int]) {
    let moved = axes
    axes = order.map { moved[$0] }
  }

  /// The axes behind or before a reshape; returns whether the parts fit these sizes.
  mutating func regroup(_ sizes: [Int]) -> Bool {
    var rest = parts[...]
    var result: [[Part]] = []
    var splits: [Part: [Part]] = [:]
    for size in sizes {
      var axis: [Part] = []
      var needed = size
      while needed > 1, let next = rest.popFirst() {
        if needed.isMultiple(of: next.size) {
          axis.append(next)
          needed /= next.size
        } else if next.size.isMultiple(of: needed) {
          let outer = Part(role: next.role, origin: next.origin + [0], size: needed)
          let inner = Part(role: next.role, origin: next.origin + [1], size: next.size / needed)
          splits[next] = [outer, inner]
          axis.append(outer)
          rest = [inner] + rest
          needed = 1
        } else {
          return false
        }
      }
      guard needed == 1 else { return false }
      result.append(axis)
    }
    guard rest.isEmpty else { return false }
    axes = result
    // The inner half may have been split again.
    func halves(_ part: Part) -> [Part] { splits[part].map { $0.flatMap(halves) } ?? [part] }
    all = all.flatMap(halves)
    return true
  }

  /// The axes of the operand of a broadcast from these sizes.
  mutating func undoBroadcast(_ sizes: [Int]) {
    for (axis, size) in sizes.enumerated() where size == 1 && !axes[axis].isEmpty {
      repeated += axes[axis]
      axes[axis] = []
    }
    all.removeAll { repeated.contains($0) }
  }
}
