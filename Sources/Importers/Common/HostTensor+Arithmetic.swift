import Forge

/// Arithmetic on known values, with NumPy's broadcasting.
extension HostTensor {
  /// The sizes that two lists broadcast to; `nil` if they do not fit.
  package static func broadcast(_ a: [Int], _ b: [Int]) -> [Int]? {
    let rank = max(a.count, b.count)
    func size(_ sizes: [Int], _ axis: Int) -> Int {
      let axisOfTensor = axis - (rank - sizes.count)
      return axisOfTensor < 0 ? 1 : sizes[axisOfTensor]
    }
    var result: [Int] = []
    for axis in 0..<rank {
      let (x, y) = (size(a, axis), size(b, axis))
      guard x == y || x == 1 || y == 1 else { return nil }
      result.append(x == 1 ? y : x)
    }
    return result
  }

  /// Combines two tensors element by element; `nil` if their sizes do not fit or an integer
  /// operation has no result.
  package func combined(
    _ other: HostTensor, type: ElementType? = nil,
    integers: (Int64, Int64) -> Int64?, floats: (Float, Float) -> Float
  ) throws -> HostTensor? {
    guard let target = Self.broadcast(sizes, other.sizes), let count = Shape.product(of: target)
    else { return nil }
    var result = HostTensor(type: type ?? self.type, sizes: target)
    result.held = try ImportBudget.hold(count, width: result.width)
    let walk = ElementWalk(
      target, [sizes, other.sizes].map { Shape.strides(of: $0, broadcastTo: target) })
    if isInteger && other.isInteger {
      let (a, b) = (try self.integers(), try other.integers())
      var values: [Int64] = []
      values.reserveCapacity(count)
      var isWhole = true
      walk.forEach { x, y, _ in
        guard let value = integers(a[x], b[y]) else { return isWhole = false }
        values.append(value.wrapped(to: result.type))
      }
      guard isWhole else { return nil }
      result.storage = .integers(values)
    } else if result.isInteger {
      let (a, b) = (try self.floats(), try other.floats())
      var values: [Int64] = []
      values.reserveCapacity(count)
      walk.forEach { x, y, _ in values.append(Int64(saturating: floats(a[x], b[y]))) }
      result.storage = .integers(values)
    } else {
      let (a, b) = (try self.floats(), try other.floats())
      var values: [Float] = []
      values.reserveCapacity(count)
      walk.forEach { x, y, _ in values.append(floats(a[x], b[y])) }
      result.storage = .floats(values)
    }
    return result
  }

  /// Applies a function to every number; `nil` if an integer has no result.
  package func mapped(
    integers: (Int64) -> Int64?, floats: (Float) -> Float
  ) throws -> HostTensor? {
    if case .repeated(let value) = storage {
      return HostTensor(type: type, sizes: sizes, storage: .repeated(floats(value)))
    }
    var result = HostTensor(type: type, sizes: sizes)
    result.held = try ImportBudget.hold(count, width: width)
    if isInteger {
      var values: [Int64] = []
      values.reserveCapacity(count)
      for x in try self.integers() {
        guard let value = integers(x) else { return nil }
        values.append(value.wrapped(to: type))
      }
      result.storage = .integers(values)
    } else {
      result.storage = .floats(try self.floats().map(floats))
    }
    return result
  }

  /// The values in another type.
  ///
  /// Integers that it does not have lose their higher bits, as in C; floating-point numbers become
  /// the nearest that it has.
  package func cast(to type: ElementType) throws -> HostTensor {
    guard type != self.type else { return self }
    if case .repeated(let value) = storage, !type.isInteger {
      return HostTensor(type: type, sizes: sizes, storage: .repeated(value.rounded(to: type)))
    }
    var result = HostTensor(type: type, sizes: sizes)
    result.held = try ImportBudget.hold(count, width: result.width)
    guard type.isInteger else {
      result.storage = .floats(try floats().map { $0.rounded(to: type) })
      return result
    }
    let values: [Int64]
    if isInteger {
      values = try integers().map { $0.wrapped(to: type) }
    } else if type == .bool {
      values = try floats().map { $0 == 0 ? 0 : 1 }
    } else {
      values = try integers().map { $0.clamped(to: type) }
    }
    result.storage = .integers(values)
    return result
  }

  /// Combines the elements along some axes; `nil` if an integer operation has no result.
  package func reduced(
    axes: [Int], keepsDimensions: Bool,
    integers: (Int64, Int64) -> Int64?, floats: (Float, Float) -> Float
  ) throws -> HostTensor? {
    let kept = sizes.indices.filter { !axes.contains($0) }
    let moved = try transposed(kept + axes)
    let outer = kept.map { sizes[$0] }.reduce(1, *)
    let inner = axes.map { sizes[$0] }.reduce(1, *)
    guard inner > 0 else { return nil }
    var reduced = HostTensor(
      type: type, sizes: reducedSizes(axes, keepsDimensions: keepsDimensions))
    reduced.held = try ImportBudget.hold(outer, width: width)
    try ImportBudget.take(count, width: 0)
    if isInteger {
      let values = try moved.integers()
      var sums: [Int64] = []
      for row in 0..<outer {
        var sum = values[row * inner]
        for value in values[(row * inner + 1)..<((row + 1) * inner)] {
          guard let next = integers(sum, value) else { return nil }
          sum = next.wrapped(to: type)
        }
        sums.append(sum)
      }
      reduced.storage = .integers(sums)
      return reduced
    }
    let values = try moved.floats()
    reduced.storage = .floats(
      (0..<outer).map { row in
        values[(row * inner + 1)..<((row + 1) * inner)].reduce(values[row * inner], floats)
      })
    return reduced
  }

  /// The square roots of the sums of squares along axes; `nil` for no elements.
  package func norm(axes: [Int], keepsDimensions: Bool) throws -> HostTensor? {
    let kept = sizes.indices.filter { !axes.contains($0) }
    let inner = axes.map { sizes[$0] }.reduce(1, *)
    guard inner > 0 else { return nil }
    try ImportBudget.take(count, width: 0)
    let values = try transposed(kept + axes).floats()
    let norms = stride(from: 0, to: values.count, by: inner).map { start -> Float in
      var squares = 0.0
      for value in values[start..<start + inner] { squares += Double(value) * Double(value) }
      return Float(squares.squareRoot())
    }
    return HostTensor(
      type: type, sizes: reducedSizes(axes, keepsDimensions: keepsDimensions),
      storage: .floats(norms))
  }

  private func reducedSizes(_ axes: [Int], keepsDimensions: Bool) -> [Int] {
    sizes.indices.compactMap { axes.contains($0) ? (keepsDimensions ? 1 : nil) : sizes[$0] }
  }
}

extension Int64 {
  /// The number with the bits that an integer type has; 0 or 1 as a Boolean.
  package func wrapped(to type: ElementType) -> Int64 {
    switch type {
    case .int8: Int64(Int8(truncatingIfNeeded: self))
    case .uint8: Int64(UInt8(truncatingIfNeeded: self))
    case .int32: Int64(Int32(truncatingIfNeeded: self))
    case .bool: self == 0 ? 0 : 1
    default: self
    }
  }

  /// The nearest number of an integer type.
  fileprivate func clamped(to type: ElementType) -> Int64 {
    switch type {
    case .int8: Int64(Int8(clamping: self))
    case .uint8: Int64(UInt8(clamping: self))
    case .int32: Int64(Int32(clamping: self))
    default: self
    }
  }
}

extension Float {
  /// The nearest number of a floating-point type, as Float.
  package func rounded(to type: ElementType) -> Float {
    switch type {
    case .float16: return Float(Float16(self))
    case .bfloat16: return roundedToBFloat16
    default: return self
    }
  }
}
