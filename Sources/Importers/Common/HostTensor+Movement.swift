import Forge

/// Movements of known values: every result element is one operand element.
extension HostTensor {
  /// The bytes of an element in memory.
  var width: Int { isInteger ? MemoryLayout<Int64>.size : MemoryLayout<Float>.size }

  /// The tensor of the given sizes whose element at each position is the source element at `start`
  /// plus the sum of the indices times their strides.
  private func strided(
    _ sizes: [Int], start: Int = 0, by strides: [Int]
  ) throws -> HostTensor {
    guard let count = Shape.product(of: sizes) else {
      throw NodeFailure.invalid("a constant of sizes \(sizes)")
    }
    var result = self
    result.sizes = sizes
    result.held = try ImportBudget.hold(count, width: width)
    let walk = ElementWalk(sizes, [strides])
    if isInteger {
      result.storage = .integers(walk.values(of: try integers(), from: start, count: count))
    } else {
      result.storage = .floats(walk.values(of: try floats(), from: start, count: count))
    }
    return result
  }

  /// The same values with other sizes.
  package func reshaped(_ sizes: [Int]) -> HostTensor {
    var result = self
    result.sizes = sizes
    return result
  }

  /// Axis `i` of the result is axis `order[i]`.
  package func transposed(_ order: [Int]) throws -> HostTensor {
    guard order != Array(sizes.indices) else { return self }
    let target = order.map { sizes[$0] }
    if case .repeated = storage { return reshaped(target) }
    // Axes of size 1 may go anywhere.
    let (before, after) = (sizes.indices.filter { sizes[$0] != 1 }, order.filter { sizes[$0] != 1 })
    if before == after { return reshaped(target) }
    let strides = Shape.strides(of: sizes)
    return try strided(target, by: order.map { strides[$0] })
  }

  /// The tensor broadcast to larger sizes of the same or a higher rank.
  ///
  /// - Throws: ``NodeFailure`` for other sizes.
  package func expanded(to target: [Int]) throws -> HostTensor {
    guard target != sizes else { return self }
    guard Self.broadcast(sizes, target) == target else {
      throw NodeFailure.invalid("values of sizes \(sizes) for sizes \(target)")
    }
    if case .repeated = storage { return reshaped(target) }
    return try strided(target, by: Shape.strides(of: sizes, broadcastTo: target))
  }

  /// The elements from `start` in steps along an axis.
  package func sliced(axis: Int, start: Int, count: Int, step: Int) throws -> HostTensor {
    if start == 0, step == 1, count == sizes[axis] { return self }
    var strides = Shape.strides(of: sizes)
    let first = count > 0 ? start * strides[axis] : 0
    strides[axis] *= step
    var target = sizes
    target[axis] = count
    if case .repeated = storage { return reshaped(target) }
    return try strided(target, start: first, by: strides)
  }

  /// The entries of an axis at the given positions, which replace the axis by their own sizes.
  package func gathered(axis: Int, at positions: [Int], sizes shape: [Int]) throws -> HostTensor {
    let target = Array(sizes[..<axis]) + shape + sizes[(axis + 1)...]
    guard let count = Shape.product(of: target) else {
      throw NodeFailure.invalid("a constant of sizes \(target)")
    }
    if case .repeated = storage { return reshaped(target) }
    let outer = sizes[..<axis].reduce(1, *), run = sizes[(axis + 1)...].reduce(1, *)
    let step = run * sizes[axis]
    var result = self
    result.sizes = target
    result.held = try ImportBudget.hold(count, width: width)
    func chosen<Element>(_ values: [Element]) -> [Element] {
      var chosen: [Element] = []
      chosen.reserveCapacity(count)
      guard count > 0 else { return chosen }
      for start in stride(from: 0, to: outer * step, by: step) {
        for position in positions {
          let first = start + position * run
          chosen += values[first..<first + run]
        }
      }
      return chosen
    }
    if isInteger {
      result.storage = .integers(chosen(try integers()))
    } else {
      result.storage = .floats(chosen(try floats()))
    }
    return result
  }

  /// For each element of `condition`, that of `a` where it is not 0, else that of `b`, with
  /// broadcasting to `sizes`.
  static func chosen(
    by condition: HostTensor, _ a: HostTensor, _ b: HostTensor, sizes: [Int]
  ) throws -> HostTensor {
    guard let count = Shape.product(of: sizes) else {
      throw NodeFailure.invalid("a constant of sizes \(sizes)")
    }
    var result = HostTensor(type: a.type, sizes: sizes)
    result.held = try ImportBudget.hold(count, width: a.width)
    let choices = try condition.cast(to: .bool).integers()
    let walk = ElementWalk(
      sizes, [condition.sizes, a.sizes, b.sizes].map { Shape.strides(of: $0, broadcastTo: sizes) })
    func values<Element>(_ a: [Element], _ b: [Element]) -> [Element] {
      var values: [Element] = []
      values.reserveCapacity(count)
      walk.forEach { values.append(choices[$0] != 0 ? a[$1] : b[$2]) }
      return values
    }
    if a.isInteger {
      result.storage = .integers(values(try a.integers(), try b.integers()))
    } else {
      result.storage = .floats(values(try a.floats(), try b.floats()))
    }
    return result
  }

  /// Tensors of one type joined along an axis.
  package static func concatenated(_ parts: [HostTensor], axis: Int) throws -> HostTensor {
    guard var result = parts.first else {
      return HostTensor(floats: [], sizes: [0])
    }
    let outer = result.sizes[..<axis].reduce(1, *)
    result.sizes[axis] = parts.reduce(0) { $0.addingSaturated($1.sizes[axis]) }
    guard let count = Shape.product(of: result.sizes) else {
      throw NodeFailure.invalid("a constant of sizes \(result.sizes)")
    }
    result.held = try ImportBudget.hold(count, width: result.width)
    let runs = parts.map { $0.sizes[axis...].reduce(1, *) }
    if result.isInteger {
      let values = try parts.map { try $0.integers() }
      result.storage = .integers(joined(values, outer: outer, runs: runs))
    } else {
      let values = try parts.map { try $0.floats() }
      result.storage = .floats(joined(values, outer: outer, runs: runs))
    }
    return result
  }

  private static func joined<Element>(
    _ values: [[Element]], outer: Int, runs: [Int]
  ) -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(outer * runs.reduce(0, +))
    for position in 0..<outer {
      for (part, run) in zip(values, runs) {
        result += part[(position * run)..<((position + 1) * run)]
      }
    }
    return result
  }
}

/// A walk over the elements of a tensor in row-major order, with the places of up to three operands
/// whose elements lie at strides.
struct ElementWalk {
  private let sizes: [Int]
  private let strides: [[Int]]

  init(_ sizes: [Int], _ strides: [[Int]]) {
    self.sizes = sizes
    let none = Array(repeating: 0, count: sizes.count)
    self.strides = (0..<3).map { $0 < strides.count ? strides[$0] : none }
  }

  /// Calls `body` with the places of each element in the operands; those of missing ones are 0.
  @inline(__always)
  func forEach(_ body: (Int, Int, Int) -> Void) {
    guard !sizes.contains(0) else { return }
    let inner = sizes.last ?? 1
    let steps = strides.map { $0.last ?? 0 }
    let (a, b, c) = (steps[0], steps[1], steps[2])
    var index = Array(repeating: 0, count: max(sizes.count - 1, 0))
    var (x, y, z) = (0, 0, 0)
    while true {
      for position in 0..<inner { body(x + position * a, y + position * b, z + position * c) }
      var axis = index.count - 1
      while axis >= 0 {
        index[axis] += 1
        x += strides[0][axis]
        y += strides[1][axis]
        z += strides[2][axis]
        if index[axis] < sizes[axis] { break }
        x -= strides[0][axis] * sizes[axis]
        y -= strides[1][axis] * sizes[axis]
        z -= strides[2][axis] * sizes[axis]
        index[axis] = 0
        axis -= 1
      }
      if axis < 0 { return }
    }
  }

  /// The elements of an array at the places of the first operand.
  func values<Element>(of source: [Element], from start: Int, count: Int) -> [Element] {
    var values: [Element] = []
    values.reserveCapacity(count)
    forEach { place, _, _ in values.append(source[start + place]) }
    return values
  }
}
