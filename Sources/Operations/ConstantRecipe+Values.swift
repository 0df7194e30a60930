extension ConstantRecipe {
  /// The values of the constant, in row-major order.
  ///
  /// A scaled value is the Float nearest to the product of two Floats, as stored in memory.
  ///
  /// - Parameter parameter: returns the values of the parameter at an index in Forge's own layout;
  ///   their number must match the recipe's sizes.
  /// - Returns: the values, whose number matches the recipe's sizes.
  /// - Throws: what `parameter` throws.
  package func values<Failure: Error>(
    parameter: (Int) throws(Failure) -> [Float]
  ) throws(Failure) -> [Float] {
    switch self {
    case .parameter(let index):
      return try parameter(index)
    case .literal(let values):
      return values
    case .scaled(let recipe, let axis, let sizes, let factors):
      var values = try recipe.values(parameter: parameter)
      values.withUnsafeMutableBufferPointer {
        Self.scale($0, axis: axis, sizes: sizes, by: factors)
      }
      return values
    case .rounded(let recipe, let scales):
      var values = try recipe.values(parameter: parameter)
      values.withUnsafeMutableBufferPointer { Self.round($0, scales: scales) }
      return values
    case .strided(let recipe, _, let start, let sizes, let strides):
      let all = try recipe.values(parameter: parameter)
      var values = Array(repeating: Float(0), count: sizes.reduce(1, *))
      values.withUnsafeMutableBufferPointer {
        Self.gather(all, start: start, sizes: sizes, strides: strides, into: $0)
      }
      return values
    case .joined(let recipes, _):
      var values: [Float] = []
      for recipe in recipes { values += try recipe.values(parameter: parameter) }
      return values
    }
  }

  /// The number of values.
  ///
  /// - Parameter parameter: returns the number of values of the parameter at an index.
  /// - Returns: the number of values that ``values(parameter:)`` returns.
  package func count(parameter: (Int) -> Int) -> Int {
    switch self {
    case .parameter(let index): parameter(index)
    case .literal(let values): values.count
    case .scaled(let recipe, _, _, _): recipe.count(parameter: parameter)
    case .rounded(let recipe, _): recipe.count(parameter: parameter)
    case .strided(_, _, _, let sizes, _): sizes.reduce(1, *)
    case .joined(_, let counts): counts.reduce(0, +)
    }
  }

  /// The number of values of each parameter that the recipe reads, by index.
  ///
  /// - Parameter count: the number of values of the recipe.
  /// - Returns: the numbers; of a parameter, `count` unless only some of its values are taken.
  func parameterCounts(for count: Int) -> [Int: Int] {
    switch self {
    case .parameter(let index): [index: count]
    case .literal: [:]
    case .scaled(let recipe, _, _, _): recipe.parameterCounts(for: count)
    case .rounded(let recipe, _): recipe.parameterCounts(for: count)
    case .strided(let recipe, let all, _, _, _): recipe.parameterCounts(for: all)
    case .joined(let recipes, let counts):
      zip(recipes, counts).reduce(into: [:]) { all, part in
        all.merge(part.0.parameterCounts(for: part.1)) { first, _ in first }
      }
    }
  }

  /// Writes the values of ``values(parameter:)`` to a buffer of their count.
  ///
  /// - Parameters:
  ///   - memory: the buffer, all of which is written.
  ///   - parameter: writes the values of the parameter at an index in Forge's own layout.
  /// - Throws: what `parameter` throws.
  package func write<Failure: Error>(
    to memory: UnsafeMutableBufferPointer<Float>,
    parameter: (Int, UnsafeMutableBufferPointer<Float>) throws(Failure) -> Void
  ) throws(Failure) {
    switch self {
    case .parameter(let index): try parameter(index, memory)
    case .literal(let values): _ = memory.update(fromContentsOf: values)
    case .scaled(let recipe, let axis, let sizes, let factors):
      try recipe.write(to: memory, parameter: parameter)
      Self.scale(memory, axis: axis, sizes: sizes, by: factors)
    case .rounded(let recipe, let scales):
      try recipe.write(to: memory, parameter: parameter)
      Self.round(memory, scales: scales)
    case .strided(let recipe, let count, let start, let sizes, let strides):
      var all = Array(repeating: Float(0), count: count)
      try all.withUnsafeMutableBufferPointer { (buffer) throws(Failure) in
        try recipe.write(to: buffer, parameter: parameter)
      }
      Self.gather(all, start: start, sizes: sizes, strides: strides, into: memory)
    case .joined(let recipes, let counts):
      var start = 0
      for (recipe, count) in zip(recipes, counts) {
        try recipe.write(
          to: UnsafeMutableBufferPointer(rebasing: memory[start..<start + count]),
          parameter: parameter)
        start += count
      }
    }
  }

  /// Writes the values at the places of all indices below `sizes`.
  private static func gather(
    _ values: [Float], start: Int, sizes: [Int], strides: [Int],
    into memory: UnsafeMutableBufferPointer<Float>
  ) {
    precondition(memory.count == sizes.reduce(1, *), "the recipe's sizes are its constant's")
    var index = Array(repeating: 0, count: sizes.count)
    var source = start
    for target in memory.indices {
      memory[target] = values[source]
      // The last axis changes fastest; an axis at its end carries into the one before it.
      for axis in sizes.indices.reversed() {
        index[axis] += 1
        source += strides[axis]
        if index[axis] < sizes[axis] { break }
        source -= sizes[axis] * strides[axis]
        index[axis] = 0
      }
    }
  }

  /// Rounds each slice along the first axis to 8-bit integers times its scale.
  private static func round(_ values: UnsafeMutableBufferPointer<Float>, scales: [Float]) {
    let count = values.count / max(scales.count, 1)
    precondition(values.count == count * scales.count, "one scale per slice")
    for (slice, scale) in scales.enumerated() {
      for index in slice * count..<(slice + 1) * count {
        let integer = (values[index] / scale).rounded(.toNearestOrEven)
        values[index] = min(max(integer, -127), 127) * scale
      }
    }
  }

  /// Multiplies each slice along an axis by its factor.
  private static func scale(
    _ values: UnsafeMutableBufferPointer<Float>, axis: Int, sizes: [Int], by factors: [Float]
  ) {
    precondition(values.count == sizes.reduce(1, *), "the recipe's sizes are its constant's")
    precondition(factors.count == sizes[axis], "one factor per slice")
    let sliceCount = sizes[(axis + 1)...].reduce(1, *)
    for start in stride(from: 0, to: values.count, by: max(sliceCount, 1)) {
      let factor = factors[start / sliceCount % factors.count]
      for index in start..<start + sliceCount { values[index] *= factor }
    }
  }
}
