import Forge

/// Movements of known values: every result element is one operand element.
extension HostTensor {
  /// The most values of one constant that is computed while importing.
  static let maximumFoldedCount = 1 << 28

  /// The tensor of the given sizes whose element at each position is the source element at the
  /// returned offset.
  private func gathered(_ sizes: [Int], _ offset: ([Int]) -> Int) throws -> HostTensor {
    guard let count = Shape.product(of: sizes), count <= Self.maximumFoldedCount else {
      throw ImportError(
        .tooLarge, "a constant computed while importing is too large", received: "\(sizes)",
        needs: "at most \(Self.maximumFoldedCount) values")
    }
    var offsets: [Int] = []
    offsets.reserveCapacity(count)
    var index = Array(repeating: 0, count: sizes.count)
    for _ in 0..<count {
      offsets.append(offset(index))
      for axis in sizes.indices.reversed() {
        index[axis] += 1
        if index[axis] < sizes[axis] { break }
        index[axis] = 0
      }
    }
    return try picked(offsets, sizes: sizes)
  }

  /// The elements at these offsets with the given sizes.
  func picked(_ offsets: [Int], sizes: [Int]) throws -> HostTensor {
    var result = self
    result.sizes = sizes
    if isInteger {
      let values = try integers()
      result.storage = .integers(offsets.map { values[$0] })
    } else {
      let values = try floats()
      result.storage = .floats(offsets.map { values[$0] })
    }
    return result
  }

  /// The distances between neighbours along each axis.
  static func strides(_ sizes: [Int]) -> [Int] {
    var strides = Array(repeating: 1, count: sizes.count)
    for axis in sizes.indices.dropLast().reversed() {
      strides[axis] = strides[axis + 1] * sizes[axis + 1]
    }
    return strides
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
    if case .repeated = storage { return reshaped(order.map { sizes[$0] }) }
    let strides = Self.strides(sizes)
    return try gathered(order.map { sizes[$0] }) { index in
      zip(index, order).reduce(0) { $0 + $1.0 * strides[$1.1] }
    }
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
    let strides = Self.strides(sizes)
    let missing = target.count - sizes.count
    return try gathered(target) { index in
      sizes.indices.reduce(0) { sum, axis in
        sum + (sizes[axis] == 1 ? 0 : index[axis + missing] * strides[axis])
      }
    }
  }

  /// The elements from `start` in steps along an axis.
  package func sliced(axis: Int, start: Int, count: Int, step: Int) throws -> HostTensor {
    let strides = Self.strides(sizes)
    var target = sizes
    target[axis] = count
    return try gathered(target) { index in
      index.indices.reduce(0) { sum, a in
        sum + (a == axis ? start + index[a] * step : index[a]) * strides[a]
      }
    }
  }

  /// The entries of an axis at the given positions, which replace the axis by their own sizes.
  package func gathered(axis: Int, at positions: [Int], sizes shape: [Int]) throws -> HostTensor {
    let strides = Self.strides(sizes)
    let target = Array(sizes[..<axis]) + shape + sizes[(axis + 1)...]
    let own = Self.strides(shape)
    return try gathered(target) { index in
      let position = zip(index[axis..<(axis + shape.count)], own).reduce(0) { $0 + $1.0 * $1.1 }
      var sum = positions[position] * strides[axis]
      for a in 0..<axis { sum += index[a] * strides[a] }
      for a in (axis + 1)..<max(sizes.count, axis + 1) {
        sum += index[a - 1 + shape.count] * strides[a]
      }
      return sum
    }
  }

  /// Tensors of one type joined along an axis.
  package static func concatenated(_ parts: [HostTensor], axis: Int) throws -> HostTensor {
    guard var result = parts.first else {
      return HostTensor(floats: [], sizes: [0])
    }
    let outer = result.sizes[..<axis].reduce(1, *)
    result.sizes[axis] = parts.reduce(0) { $0 + $1.sizes[axis] }
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
    for position in 0..<outer {
      for (part, run) in zip(values, runs) {
        result += part[(position * run)..<((position + 1) * run)]
      }
    }
    return result
  }
}
