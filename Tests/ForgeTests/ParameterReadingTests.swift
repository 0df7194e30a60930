import Forge
import ForgeTestSupport
import Testing

/// How parameters are requested and read: axis orders and element types, each parameter once.
@Suite struct ParameterReadingTests {
  /// Values in Forge's layout put into the order of `axes`.
  private func reordered(
    _ values: [Float], of spec: ParameterSpec, into axes: [ParameterAxis]
  ) throws -> [Float] {
    var result: [Float] = []
    let order = try axes.map { try #require(spec.axes.firstIndex(of: $0)) }
    var strides = Array(repeating: 1, count: spec.sizes.count)
    for axis in spec.sizes.indices.dropLast().reversed() {
      strides[axis] = strides[axis + 1] * spec.sizes[axis + 1]
    }
    func walk(_ depth: Int, _ offset: Int) {
      guard depth < order.count else {
        result.append(values[offset])
        return
      }
      let axis = order[depth]
      for index in 0..<spec.sizes[axis] { walk(depth + 1, offset + index * strides[axis]) }
    }
    walk(0, 0)
    return result
  }

  /// Expects the same bits whatever the order in which the weights are held.
  private func expectEqual(
    _ output: Tensor, of input: Tensor, keras: [ParameterAxis], pytorch: [ParameterAxis],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let model = Model(input: input, output: output)
    let values = seededValues(count: input.shape?.elementCount ?? 0, seed: 3)
    let seeded = SeededParameters()
    let expected = try model.compile(parameters: seeded).predict(values)
    let others: [(ParameterLayout, [ParameterAxis])] = [
      (.keras, keras), (.pytorch, pytorch), (.axes(keras), keras),
      (.axes(keras.reversed()), keras.reversed()), (.axes(pytorch), pytorch),
    ]
    for (layout, axes) in others {
      let source = LayoutSource { spec in
        guard spec.axes.count > 1 else { return StoredValues(seeded.values(for: spec)) }
        let held = try reordered(seeded.values(for: spec), of: spec, into: axes)
        let sizes = axes.compactMap { axis in
          spec.axes.firstIndex(of: axis).map { spec.sizes[$0] }
        }
        return StoredValues(held, layout: layout, sizes: sizes)
      }
      let actual = try model.compile(parameters: source).predict(values)
      #expect(actual.bits == expected.bits, "\(layout)", sourceLocation: sourceLocation)
    }
  }

  private let input = Input(width: 7, height: 5, channels: 6)

  @Test func convolutionLayouts() throws {
    let keras: [ParameterAxis] = [.height, .width, .inputs, .outputs]
    let pytorch: [ParameterAxis] = [.outputs, .inputs, .height, .width]
    for layer in [
      Convolution(kernel: (3, 2), channels: 17, name: "conv"),
      Convolution(kernel: (2, 3), channels: 4, groups: 2, useBias: false, name: "conv"),
      PointwiseConvolution(channels: 5, name: "conv"),
    ] as [any Layer] {
      try expectEqual(input.chained(to: layer), of: input, keras: keras, pytorch: pytorch)
    }
  }

  @Test func depthwiseConvolutionLayouts() throws {
    for multiplier in [1, 3] {
      try expectEqual(
        input --> DepthwiseConvolution(kernel: (3, 2), multiplier: multiplier, name: "depth"),
        of: input, keras: [.height, .width, .channels, .multiplier],
        pytorch: [.channels, .multiplier, .height, .width])
    }
  }

  @Test func denseLayouts() throws {
    let keras: [ParameterAxis] = [.height, .width, .inputs, .outputs]
    let pytorch: [ParameterAxis] = [.outputs, .inputs, .height, .width]
    try expectEqual(
      input --> Dense(neurons: 9, name: "fc"), of: input, keras: keras, pytorch: pytorch)
    try expectEqual(
      input --> GlobalMaxPooling() --> Dense(neurons: 9, name: "fc"), of: input, keras: keras,
      pytorch: pytorch)
  }

  /// The matrix of a dense layer in each framework's axis order after its flatten.
  @Test func denseLayoutsAfterFlatten() throws {
    let model = Model(input: input, output: input --> Dense(neurons: 9, name: "fc"))
    let values = seededValues(count: 7 * 5 * 6, seed: 3)
    let seeded = SeededParameters()
    let expected = try model.compile(parameters: seeded).predict(values)
    for (layout, axes, sizes) in [
      (ParameterLayout.keras, [.height, .width, .inputs, .outputs], [210, 9]),
      (.pytorch, [.outputs, .inputs, .height, .width], [9, 210]),
    ] as [(ParameterLayout, [ParameterAxis], [Int])] {
      let source = LayoutSource { spec in
        guard spec.type == .weights else { return StoredValues(seeded.values(for: spec)) }
        let held = try reordered(seeded.values(for: spec), of: spec, into: axes)
        return StoredValues(held, layout: layout, sizes: sizes)
      }
      #expect(try model.compile(parameters: source).predict(values).bits == expected.bits)
    }
  }

  @Test func slopeLayoutsPerElement() throws {
    try expectEqual(
      input --> PReLU(shared: [], name: "slopes"), of: input,
      keras: [.height, .width, .channels], pytorch: [.channels, .height, .width])
  }

  // MARK: Element types

  /// What a network makes of stored numbers: the slopes of −1, so each with the other sign.
  private func read(_ bytes: [UInt8], _ type: ElementType) throws -> [Float] {
    let count = bytes.count / type.byteCount
    let input = Input(width: 1, height: 1, channels: count)
    let model = Model(input: input, output: input --> PReLU(name: "slopes"))
    let network = try model.compile { _, _, _ in StoredValues(bytes: bytes, type) }
    return try network.predict(Array(repeating: -1, count: count)).map { -$0 }
  }

  private func bytes<Bits: FixedWidthInteger>(_ numbers: [Bits]) -> [UInt8] {
    numbers.flatMap { number in
      (0..<Bits.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
  }

  /// Each of the 65,536 half-precision values against its definition in IEEE 754.
  @Test func halfPrecision() throws {
    let all = (0...UInt16.max).map { $0 }
    let values = try read(bytes(all), .float16)
    for (bits, value) in zip(all, values) {
      let sign: Double = bits >> 15 == 1 ? -1 : 1
      let (exponent, fraction) = (Int(bits >> 10 & 31), Double(bits & 1023))
      switch exponent {
      case 0: #expect(Double(value) == sign * fraction * 0x1p-24)
      case 31 where fraction == 0: #expect(Double(value) == sign * .infinity)
      case 31: #expect(value.isNaN)
      default:
        var power = 1.0
        for _ in 0..<abs(exponent - 15) { power *= exponent > 15 ? 2 : 0.5 }
        #expect(Double(value) == sign * (1 + fraction / 1024) * power)
      }
    }
    #expect(values[0x0001] == 0x1p-24)
    #expect(values[0x03FF] == 0x1.FF8p-15)
    #expect(values[0x0400] == 0x1p-14)
    #expect(values[0x7BFF] == 65504)
    #expect(values[0xBC00] == -1)
  }

  @Test func bfloat16() throws {
    let all = (0...UInt16.max).map { $0 }
    let values = try read(bytes(all), .bfloat16)
    for (bits, value) in zip(all, values) {
      let expected = Float(bitPattern: UInt32(bits) << 16)
      #expect(value == expected || (value.isNaN && expected.isNaN))
    }
    #expect(values[0x3F80] == 1)
    #expect(values[0x0001] == 0x1p-133)
  }

  @Test func doublePrecision() throws {
    let numbers = [
      1, -2.5, .pi, 1e-300, -1e300, 0x1p-149, 0x1.8p-150, .infinity, -.infinity, .nan, 1 + 0x1p-30,
      1 + 0x1.8p-24, Double(Float.greatestFiniteMagnitude), 0x1.FFFFFFp127,
    ]
    let values = try read(bytes(numbers.map(\.bitPattern)), .float64)
    for (number, value) in zip(numbers, values) {
      let expected = Float(number)
      #expect(value == expected || (value.isNaN && expected.isNaN), "\(number)")
    }
    #expect(values[6] == 0x1p-149)
    #expect(values[13] == .infinity)
  }

  @Test func singlePrecision() throws {
    let numbers: [Float] = [1, -0.5, .pi, 0x1p-149, .greatestFiniteMagnitude, .infinity, .nan]
    let values = try read(bytes(numbers.map(\.bitPattern)), .float32)
    for (number, value) in zip(numbers, values) {
      #expect(value == number || (value.isNaN && number.isNaN))
    }
  }

  /// Stored types in the layouts of frameworks, for a convolution and the layers folded into it.
  @Test func elementTypesCombineWithLayouts() throws {
    let output =
      input --> Convolution(kernel: (3, 3), channels: 5, name: "conv")
      --> BatchNormalization(name: "norm") --> Dense(neurons: 4, name: "fc")
    let model = Model(input: input, output: output)
    let values = seededValues(count: 7 * 5 * 6, seed: 3)
    let seeded = SeededParameters()
    // Numbers that bfloat16 holds exactly.
    let rounded = { @Sendable (spec: ParameterSpec) in
      seeded.values(for: spec).map { Float(bitPattern: $0.bitPattern & 0xFFFF_0000) }
    }
    let expected = try model.compile(parameters: LayoutSource { StoredValues(rounded($0)) })
      .predict(values)
    let axes: [ParameterAxis] = [.height, .width, .inputs, .outputs]
    for type in [ElementType.bfloat16, .float64] {
      let source = LayoutSource { spec in
        let held =
          spec.axes.count == 4 ? try reordered(rounded(spec), of: spec, into: axes) : rounded(spec)
        let bytes =
          type == .bfloat16
          ? bytes(held.map { UInt16($0.bitPattern >> 16) })
          : bytes(held.map { Double($0).bitPattern })
        return StoredValues(bytes: bytes, type, layout: .keras)
      }
      #expect(try model.compile(parameters: source).predict(values).bits == expected.bits)
    }
  }

  // MARK: Asking

  @Test func parametersAreRequestedOnceInOrder() throws {
    let shared = Convolution(kernel: (3, 3), channels: 6, name: "shared")
    let output =
      input --> shared --> BatchNormalization(center: false, name: "norm") --> shared
      --> Dense(neurons: 2, useBias: false, name: "fc")
    let asked = Locked<[String]>([])
    _ = try Model(input: input, output: output).compile { name, count, type in
      asked.withLock { $0.append("\(name) \(type) \(count)") }
      return StoredValues(Array(repeating: 0.5, count: count))
    }
    #expect(
      asked.withLock { $0 } == [
        "shared weights 324", "shared biases 6", "norm gamma 6", "norm mean 6",
        "norm variance 6", "fc weights 420",
      ])
  }

  @Test func sharedLayersLoadParametersOnce() throws {
    let shared = Convolution(kernel: (3, 3), channels: 6, activation: .tanh, name: "shared")
    // None reads the model's own input, for which weights have another form.
    let first = input --> Activation(.sigmoid)
    let model = Model(input: input, output: first --> shared --> shared --> shared)
    try expectAgreement(model)
    // One packed form of the weights, and one of the biases.
    let single = Model(input: input, output: first --> shared)
    #expect(try report(of: model).constantBytes == report(of: single).constantBytes)
  }

  @Test func modelParameterSource() throws {
    var model = Model(input: input, output: input --> Dense(neurons: 3, name: "fc"))
    let values = seededValues(count: 7 * 5 * 6, seed: 3)
    let expected = try model.compile(parameters: SeededParameters(seed: 7)).predict(values)
    model.parameters = SeededParameters(seed: 7)
    #expect(try model.compile().predict(values) == expected)
    let other = try model.compile(parameters: SeededParameters(seed: 8)).predict(values)
    #expect(other != expected)
  }

  @Test func asynchronousCompile() async throws {
    let model = Model(input: input, output: input --> Dense(neurons: 3, name: "fc"))
    let values = seededValues(count: 7 * 5 * 6, seed: 3)
    let network = try await model.compiled(parameters: SeededParameters())
    let other = try model.compile(parameters: SeededParameters())
    #expect(try network.predict(values) == other.predict(values))
  }
}

/// A source that a closure answers for.
private struct LayoutSource: ParameterSource {
  let answer: @Sendable (ParameterSpec) throws -> any ParameterData
  var goesByName: Bool { false }

  init(_ answer: @escaping @Sendable (ParameterSpec) throws -> any ParameterData) {
    self.answer = answer
  }

  func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? { try answer(spec) }
}
