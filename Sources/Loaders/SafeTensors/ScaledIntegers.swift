import ForgeShapes

/// Weights as integers from −127 to 127 times a scale for each output.
struct ScaledIntegers {
  /// The scale of each output.
  let scales: [Float]
  /// How many neighbors have one scale.
  private let run: Int

  /// Finds the scales of values.
  ///
  /// - Parameters:
  ///   - values: the values in row-major order.
  ///   - sizes: their sizes, which are those of the values.
  ///   - axis: the axis of the outputs: the first or the last one.
  ///   - spec: the parameter, for messages.
  /// - Throws: ``LoadError`` of kind `wrongElementType` for a value that is not finite.
  init(
    of values: UnsafeBufferPointer<Float>, sizes: [Int], axis: Int, _ spec: ParameterSpec
  ) throws(LoadError) {
    let count = max(sizes[axis], 1)
    // Along the last axis the output changes with every value.
    run = axis == 0 ? max(values.count / count, 1) : 1
    var largest = Array(repeating: Float(0), count: count)
    for (index, value) in values.enumerated() {
      guard value.isFinite else {
        throw .doesNotFit(value, .int8, spec, remedy: "write f16, bf16 or f32")
      }
      let output = index / run % count
      largest[output] = max(largest[output], value.magnitude)
    }
    scales = largest.map { $0 == 0 ? 1 : max($0 / 127, .leastNormalMagnitude) }
  }

  /// Converts single-precision values to integers, in place, at the front of memory.
  func narrow(_ memory: UnsafeMutableRawBufferPointer) {
    for index in 0..<memory.count / MemoryLayout<Float>.size {
      let value = memory.load(fromByteOffset: index * 4, as: Float.self)
      let nearest = (value / scales[index / run % scales.count]).rounded(.toNearestOrEven)
      memory.storeBytes(of: Int8(min(max(nearest, -127), 127)), toByteOffset: index, as: Int8.self)
    }
  }
}

/// The values of 8-bit integers times the scale of their output, each of which a file holds.
struct ScaledValues: ParameterData {
  let integers: FileValues
  let scales: FileValues
  /// How many neighbors have one scale, and how many scales there are.
  private let run: Int
  private let scaleCount: Int

  /// Joins integers and scales; `nil` if the scales are not one per index of the first or the last
  /// axis, or one for all.
  init?(_ integers: FileValues, times scales: FileValues) {
    guard let sizes = integers.sizes, let scaleSizes = scales.sizes,
      scales.elementType == .float32 || scales.elementType == .float16
        || scales.elementType == .bfloat16
    else { return nil }
    let places = scaleSizes.indices.filter { scaleSizes[$0] != 1 }
    scaleCount = scales.count
    guard let axis = places.first else {
      guard scales.count == 1 else { return nil }
      run = max(integers.count, 1)
      (self.integers, self.scales) = (integers, scales)
      return
    }
    let isFirst = axis == 0 && scaleSizes.first == sizes.first
    let isLast =
      axis == scaleSizes.count - 1 && scaleSizes.count == sizes.count
      && scaleSizes.last == sizes.last
    guard places.count == 1, isFirst || isLast, scales.count > 0 else { return nil }
    run = isFirst ? max(integers.count / scales.count, 1) : 1
    (self.integers, self.scales) = (integers, scales)
  }

  var count: Int { integers.count }
  var layout: ParameterLayout { integers.layout }
  var sizes: [Int]? { integers.sizes }
  var origin: String { integers.origin }
  var temporaryByteCount: Int {
    integers.temporaryByteCount.addingSaturated(count.multipliedSaturated(by: 4))
  }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let memory = try RawMemory(byteCount: count.multipliedSaturated(by: 4), for: origin)
    let factors = try RawMemory(byteCount: scaleCount.multipliedSaturated(by: 4), for: origin)
    let scales = factors.bytes.bindMemory(to: Float.self)
    try self.scales.withBytes(atLeast: scaleCount * self.scales.elementType.byteCount) {
      self.scales.elementType.convert($0, into: scales)
    }
    let floats = memory.bytes.bindMemory(to: Float.self)
    try integers.withBytes(atLeast: count) { bytes in
      for index in floats.indices {
        let integer = Int8(bitPattern: bytes[index])
        floats[index] = Float(integer) * scales[index / run % scaleCount]
      }
    }
    try body(UnsafeRawBufferPointer(memory.bytes))
  }
}
