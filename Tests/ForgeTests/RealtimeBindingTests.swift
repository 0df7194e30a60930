import CForgeTestSupport
import Forge
import ForgeGraph
import ForgeTestSupport
import Testing

/// A real-time prediction reads and writes memory of the caller, and gives the same bits.
@Suite struct RealtimeBindingTests {
  private func network() throws -> CompiledModel {
    let input = Input(width: 7, height: 5, channels: 3, name: "image")
    let gain = Input(width: 1, height: 1, channels: 1, name: "gain")
    let features = input --> Convolution(kernel: 3, channels: 17, activation: .tanh, name: "conv")
    let scaled = [features, gain] --> Multiply()
    return try Model(
      inputs: [input, gain], outputs: [scaled --> Dense(neurons: 11, name: "fc"), scaled]
    ).compile(parameters: SeededParameters())
  }

  /// Memory of the caller, at an address that is a multiple of a float's size and of no larger one.
  private final class Floats {
    let values: UnsafeMutableBufferPointer<Float>
    private let all: UnsafeMutableBufferPointer<Float>

    init(_ values: [Float]) {
      all = .allocate(capacity: values.count + 1)
      all.initialize(repeating: 0)
      self.values = UnsafeMutableBufferPointer(rebasing: all[1...])
      _ = self.values.update(fromContentsOf: values)
    }

    deinit { all.deallocate() }
  }

  /// The bits of all outputs, by the memory of the context itself.
  private func bits(
    _ network: CompiledModel, _ inputs: [[Float]], batch: Int = 1, shapes: [String: Shape] = [:]
  ) throws -> [[UInt32]] {
    let context = try RealtimeContext(network, batch: batch, inputShapes: shapes)
    for (index, values) in inputs.enumerated() {
      let isSet = context.setInput(index, to: values.span)
      #expect(isSet)
    }
    try context.predict(batch: batch)
    return network.outputNames.indices.map { index in
      context.withOutput(index) { span in span.indices.map { span[$0].bitPattern } } ?? []
    }
  }

  @Test(arguments: 1...3) func bitsAreThoseOfACopy(batch: Int) throws {
    let network = try network()
    let inputs = [
      seededValues(count: 105 * batch, seed: 3), seededValues(count: batch, seed: 4),
    ]
    let expected = try bits(network, inputs, batch: batch)
    let context = try RealtimeContext(network, batch: batch)
    let image = Floats(inputs[0])
    let results = expected.map { Floats(Array(repeating: .nan, count: $0.count)) }
    defer { withExtendedLifetime((image, results)) {} }
    // An input of the context, and one of the caller.
    let gains = inputs[1]
    let isSet = context.setInput(1, to: gains.span)
    #expect(isSet)
    for _ in 0..<2 {
      context.bindInput(0, to: UnsafeBufferPointer(image.values))
      for (index, result) in results.enumerated() { context.bindOutput(index, to: result.values) }
      try context.predict(batch: batch)
      #expect(results.map { $0.values.map(\.bitPattern) } == expected)
      for result in results { result.values.update(repeating: 0) }
    }
    #expect(image.values.map(\.bitPattern) == inputs[0].map(\.bitPattern))
  }

  /// The next prediction is on the memory of the context again, also after an error.
  @Test func bindingsEndWithThePrediction() throws {
    let network = try network()
    let (first, second) = (seededValues(count: 105, seed: 5), seededValues(count: 105, seed: 6))
    let context = try RealtimeContext(network)
    let isSet = context.setInput(0, to: first.span)
    #expect(isSet)
    context.setInput(1, to: 1)
    let (image, result) = (Floats(second), Floats(Array(repeating: 7, count: 11)))
    defer { withExtendedLifetime((image, result)) {} }
    for isTooShort in [false, true] {
      context.bindInput(0, to: UnsafeBufferPointer(image.values))
      let target = UnsafeMutableBufferPointer(rebasing: result.values[(isTooShort ? 1 : 0)...])
      context.bindOutput(0, to: target)
      if isTooShort {
        #expect(throws: PredictionError.self) { try context.predict() }
      } else {
        try context.predict()
      }
      result.values.update(repeating: 7)
      try context.predict()
      #expect(result.values.allSatisfy { $0 == 7 })
      let found = context.withOutput(0) { span in span.indices.map { span[$0].bitPattern } }
      #expect(try bits(network, [first, [1]])[0] == found)
    }
  }

  @Test func errors() throws {
    let context = try RealtimeContext(try network(), batch: 2)
    let memory = Floats(Array(repeating: 0, count: 300))
    defer { withExtendedLifetime(memory) {} }
    func part(_ range: Range<Int>) -> UnsafeMutableBufferPointer<Float> {
      UnsafeMutableBufferPointer(rebasing: memory.values[range])
    }
    context.bindInput(0, to: UnsafeBufferPointer(part(0..<104)))
    var error = #expect(throws: PredictionError.self) { try context.predict() }
    #expect(
      error?.description == """
        input "image" has the wrong number of values
          received  104 values
          needs     105 values: 7×5×3 (width×height×channels)
        """)
    context.bindOutput(0, to: part(0..<23))
    error = #expect(throws: PredictionError.self) { try context.predict(batch: 2) }
    #expect(
      error?.description.hasPrefix("the memory for output \"\(context.network.outputNames[0])\"")
        == true)
    let bound = [
      context.bindInput(2, to: UnsafeBufferPointer(part(0..<1))),
      context.bindInput(-1, to: UnsafeBufferPointer(part(0..<1))),
      context.bindOutput(2, to: part(0..<1)), context.bindOutput(.min, to: part(0..<1)),
    ]
    #expect(bound == [false, false, false, false])
    // Memory that is empty or absent.
    context.bindInput(1, to: UnsafeBufferPointer(start: nil, count: 0))
    #expect(throws: PredictionError.self) { try context.predict() }
    try context.predict()
  }

  @Test func outputsMustNotOverlap() throws {
    let input = Input(shape: [4], name: "x")
    let network = try Model(
      inputs: [input],
      outputs: [
        input --> Activation(.relu, name: "a"), input --> Activation(.tanh, name: "b"),
      ]
    ).compile()
    let context = try RealtimeContext(network)
    let memory = Floats(Array(repeating: -1, count: 8))
    defer { withExtendedLifetime(memory) {} }
    for (start, isFine) in [(3, false), (4, true)] {
      context.bindOutput(0, to: UnsafeMutableBufferPointer(rebasing: memory.values[0..<4]))
      context.bindOutput(
        1, to: UnsafeMutableBufferPointer(rebasing: memory.values[start..<start + 4]))
      if isFine {
        try context.predict()
      } else {
        let error = #expect(throws: PredictionError.self) { try context.predict() }
        #expect(error?.kind == .overlappingOutputs)
        #expect(
          error?.description == """
            two outputs are bound to overlapping memory
              received  "a" and "b"
              remedy    bind separate memory to each output
            """)
      }
    }
  }

  /// Many audio hosts give one buffer for input and output.
  @Test(arguments: [0, 1, 3, 16]) func processingInPlace(offset: Int) throws {
    let input = Input(shape: [9, 2], name: "x")
    let network = try Model(
      input: input,
      output: input --> Convolution1D(kernel: 3, channels: 2, padding: .same, name: "conv")
        --> Activation(.tanh)
    ).compile(parameters: SeededParameters())
    let values = seededValues(count: 18, seed: 9)
    let expected = try bits(network, [values])[0]
    let context = try RealtimeContext(network)
    let memory = Floats(values + Array(repeating: 0, count: 16))
    defer { withExtendedLifetime(memory) {} }
    let target = UnsafeMutableBufferPointer(rebasing: memory.values[offset..<offset + 18])
    context.bindInput(0, to: UnsafeBufferPointer(rebasing: memory.values[0..<18]))
    context.bindOutput(0, to: target)
    try context.predict()
    #expect(target.map(\.bitPattern) == expected)
  }

  /// Nothing before or after the caller's memory is touched, in networks of many kinds.
  @Test(arguments: GuardedMemory.End.allCases)
  func memoryBesideIsNotTouched(end: GuardedMemory.End) throws {
    var count = 0
    for seed in UInt64(0)..<60 {
      let network = try RandomNetwork(seed: seed).model.compile(
        parameters: SeededParameters(seed: seed), options: CompileOptions(checks: .none))
      for batch in 1...2 {
        do {
          try expectSameBits(network, batch: batch, guarding: end, seed: seed)
          count += 1
        } catch let error as PredictionError where error.kind == .notRealtime {
          // The network has a custom layer.
        }
      }
    }
    #expect(count > 40)
  }

  /// Compares a prediction between forbidden pages with one in the context's own memory.
  private func expectSameBits(
    _ network: CompiledModel, batch: Int, guarding end: GuardedMemory.End, seed: UInt64
  ) throws {
    let context = try RealtimeContext(network, batch: batch)
    let inputs = network.inputNames.indices.map { index in
      seededValues(count: context.size(ofInput: index) ?? 0, seed: seed + 1)
    }
    let expected = try bits(network, inputs, batch: batch)
    let sources = try inputs.map { try GuardedMemory($0, guarding: end) }
    let targets = try expected.map {
      try GuardedMemory(Array(repeating: .nan, count: $0.count), guarding: end)
    }
    defer { withExtendedLifetime((sources, targets)) {} }
    for (index, source) in sources.enumerated() {
      context.bindInput(index, to: UnsafeBufferPointer(source.values))
    }
    for (index, target) in targets.enumerated() { context.bindOutput(index, to: target.values) }
    try context.predict(batch: batch)
    #expect(targets.map { $0.values.map(\.bitPattern) } == expected, "seed \(seed)")
  }

  /// Integers are checked before the network reads them, in a copy.
  @Test func integersAreChecked() throws {
    let ids = Input(shape: [4], name: "ids").ofIntegers
    let network = try Model(input: ids, output: ids --> Unary(.negate)).compile()
    let context = try RealtimeContext(network)
    let result = Floats([0, 0, 0, 0])
    defer { withExtendedLifetime(result) {} }
    for wrong in [nil, 0x1p24, .nan, -.infinity] as [Float?] {
      let memory = Floats([1, 2, wrong ?? 3, 4])
      defer { withExtendedLifetime(memory) {} }
      context.bindInput(0, to: UnsafeBufferPointer(memory.values))
      context.bindOutput(0, to: result.values)
      guard wrong != nil else {
        try context.predict()
        #expect(Array(result.values) == [-1, -2, -3, -4])
        continue
      }
      let error = #expect(throws: PredictionError.self) { try context.predict() }
      #expect(error?.kind == .inexactInteger)
    }
  }

  /// The count follows the length of the sequence; a state goes on from prediction to prediction.
  @Test func lengthsAndStates() throws {
    let input = Input(shape: [.upTo(8), 3], name: "x")
    let network = try Model(
      input: input,
      output: input --> GRU(units: 5, returnSequences: true, stateful: true, name: "gru")
    ).compile(parameters: SeededParameters())
    let (values, reference) = (seededValues(count: 30, seed: 8), try Context(network))
    let context = try RealtimeContext(network)
    var start = 0
    for length in [1, 4, 2, 3] {
      let part = Array(values[start * 3..<(start + length) * 3])
      start += length
      try context.setLength(length)
      let (memory, result) = (Floats(part), Floats(Array(repeating: 0, count: length * 5)))
      defer { withExtendedLifetime((memory, result)) {} }
      context.bindInput(0, to: UnsafeBufferPointer(memory.values))
      context.bindOutput(0, to: result.values)
      try context.predict()
      #expect(result.values.map(\.bitPattern) == (try reference.predict(part)).map(\.bitPattern))
    }
  }

  @Test func nothingIsAllocated() throws {
    let context = try RealtimeContext(try network())
    let (image, gain) = (Floats(seededValues(count: 105, seed: 1)), Floats([1.5]))
    let (result, other) = (Floats(Array(repeating: 0, count: 11)), Floats([2, 0, 2, 0]))
    defer { withExtendedLifetime((image, gain, result, other)) {} }
    forge_count_allocations()
    for step in 0..<1000 {
      if step % 3 > 0 { context.bindInput(0, to: UnsafeBufferPointer(image.values)) }
      if step % 2 > 0 { context.bindInput(1, to: UnsafeBufferPointer(gain.values)) }
      context.bindOutput(0, to: result.values)
      context.setInput(0, to: UnsafeBufferPointer(other.values).span, stride: 2, first: 3, step: 7)
      try context.predict()
    }
    #expect(forge_counted_allocations() == 0)
    #expect(result.values.contains { $0 != 0 })
  }

  @Test func strides() throws {
    let input = Input(shape: [4, 2], name: "x")
    let network = try Model(input: input, output: input --> Activation(.relu)).compile()
    let context = try RealtimeContext(network)
    // Planes into interleaved channels, then one channel of three out of an interleaved buffer.
    let planes: [[Float]] = [[1, 2, 3, 4], [5, 6, 7, 8]]
    for (channel, plane) in planes.enumerated() {
      let isSet = context.setInput(0, to: plane.span, first: channel, step: 2)
      #expect(isSet)
    }
    try context.predict()
    let all = context.withOutput(0) { span in span.indices.map { span[$0] } }
    #expect(all == [1, 5, 2, 6, 3, 7, 4, 8])
    let interleaved: [Float] = [9, 0, 0, 10, 0, 0, 11, 0, 0, 12]
    var isSet = context.setInput(0, to: interleaved.span, stride: 3, first: 1, step: 2)
    #expect(isSet)
    try context.predict()
    var right = [Float](repeating: -1, count: 8)
    var target = right.mutableSpan
    let isRead = context.copyOutput(0, to: &target, stride: 2, first: 1, step: 2)
    #expect(isRead)
    #expect(right == [9, -1, 10, -1, 11, -1, 12, -1])
    // Elements outside, and numbers that fit nothing.
    let four = planes[0]
    for (stride, first, step) in [
      (1, 5, 1), (1, 0, 3), (1, -1, 1), (0, 0, 1), (1, 0, 0), (-1, 0, 1), (1, 0, .max),
      (1, .max, 1),
      (1, .min, .min),
    ] {
      isSet = context.setInput(0, to: four.span, stride: stride, first: first, step: step)
      #expect(!isSet, "\(stride) \(first) \(step)")
    }
    isSet = context.setInput(1, to: four.span)
    #expect(!isSet)
    isSet = context.setInput(0, to: four.span, stride: .max, first: 7, step: .max)
    #expect(isSet)
  }
}
