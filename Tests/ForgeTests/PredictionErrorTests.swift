import Forge
import ForgeTestSupport
import Synchronization
import Testing

/// The message of every prediction error.
@Suite struct PredictionErrorTests {
  /// Expects a mistake of a kind with exactly this text.
  private func expect(
    _ kind: PredictionError.Kind, _ text: String,
    sourceLocation: SourceLocation = #_sourceLocation, _ predict: () throws -> Void
  ) {
    let error = #expect(throws: PredictionError.self, sourceLocation: sourceLocation) {
      try predict()
    }
    #expect(error?.kind == kind, sourceLocation: sourceLocation)
    #expect(error?.description == text, sourceLocation: sourceLocation)
  }

  private func network(maximumBatch: Int = 4) throws -> CompiledModel {
    let input = Input(width: 3, height: 2, channels: 2, name: "pixels")
    let model = Model(input: input, output: input --> Dense(neurons: 5, name: "fc"))
    return try model.compile(
      parameters: SeededParameters(), options: CompileOptions(maximumBatch: maximumBatch))
  }

  private func twoInputs() throws -> CompiledModel {
    let left = Input(width: 3, height: 2, channels: 1, name: "left")
    let right = Input(channels: 1, name: "right")
    return try Model(
      inputs: [left, right],
      outputs: [[left, right --> Resize(width: 3, height: 2)] --> Add()]
    ).compile()
  }

  @Test func wrongInputValueCount() throws {
    let network = try network()
    expect(
      .wrongValueCount,
      """
      input "pixels" has the wrong number of values
        received  11 values
        needs     12 values: 3×2×2 (width×height×channels)
      """
    ) { _ = try network.predict(Array(repeating: 1, count: 11)) }
    let text = """
      input "pixels" has the wrong number of values
        received  25 values
        needs     24 values: 2 times 3×2×2 (width×height×channels)
      """
    expect(.wrongValueCount, text) {
      _ = try network.predict(Array(repeating: 1, count: 25), batch: 2)
    }
    for count in [0, 1, 13] {
      let values = Array(repeating: Float(1), count: count)
      let shape = Shape(width: 3, height: 2, channels: 2)
      for attempt in [
        { _ = try network.predict(values) },
        { _ = try network.predict(TensorValues(shape: shape, values: values)) },
        { _ = try network.predict(batch: [Array(repeating: 0, count: 12), values]) },
        { try network.encode(SlotInput(values), into: try network.makeSlot()) },
      ] {
        let error = #expect(throws: PredictionError.self) { try attempt() }
        #expect(error?.kind == .wrongValueCount)
      }
    }
  }

  @Test func wrongMemorySize() throws {
    let network = try network()
    let context = try Context(network)
    let values = Array(repeating: Float(1), count: 12)
    var small = Array(repeating: Float(0), count: 4)
    expect(
      .wrongValueCount,
      """
      the memory for output "fc" has the wrong size
        received  4 values
        needs     5 values
      """
    ) {
      var target = small.mutableSpan
      try context.predict(values.span, into: &target)
    }
    expect(
      .wrongValueCount,
      """
      input "pixels" has the wrong number of values
        received  13 values
        needs     12 values: 3×2×2 (width×height×channels)
      """
    ) {
      var target = small.mutableSpan
      try context.predict((values + [1]).span, into: &target)
    }
  }

  @Test func wrongBatchSizes() throws {
    let network = try network()
    let empty = """
      the batch is empty
        needs     at least 1 example
      """
    expect(.wrongBatch, empty) { _ = try network.predict([], batch: 0) }
    expect(.wrongBatch, empty) { _ = try network.predict([1], batch: -1) }
    expect(.wrongBatch, empty) { _ = try network.predict(batch: [[Float]]()) }
    let large = """
      the batch is too large
        received  5 examples
        needs     1 to 4
        remedy    compile(options: .init(maximumBatch: …))
      """
    expect(.wrongBatch, large) {
      _ = try network.predict(Array(repeating: 1, count: 60), batch: 5)
    }
    expect(.wrongBatch, large) { _ = try network.workspaceSize(batch: 5) }
    expect(.wrongBatch, large) { _ = try Context(network, batch: 5) }
    let context = try Context(network, batch: 2)
    expect(
      .wrongBatch,
      """
      the batch is too large
        received  3 examples
        needs     1 to 2
        remedy    Context(network, batch: …)
      """
    ) { try context.predict(batch: 3) }
    expect(
      .wrongBatch,
      """
      the batch is empty
        received  0 examples
        needs     1 to 2
        remedy    Context(network, batch: …)
      """
    ) { try context.predict(batch: 0) }
  }

  @Test func wrongInputNames() throws {
    let network = try twoInputs()
    let left = TensorValues.seeded(Shape(width: 3, height: 2, channels: 1), seed: 1)
    let right = TensorValues.seeded(Shape(width: 5, height: 4, channels: 1), seed: 1)
    expect(
      .missingInput,
      """
      input "right" is missing
        needs     ?×?×1 (width×height×channels)
      """
    ) { _ = try network.predict(["left": left]) }
    expect(
      .unknownName,
      """
      there is no input "rihgt"
        needs     "left", "right"
      """
    ) { _ = try network.predict(["left": left, "right": right, "rihgt": right]) }
    expect(
      .unknownName,
      """
      there is no input "rihgt"
        needs     "left", "right"
      """
    ) { _ = try network.predict(["left": left, "rihgt": right]) }
    expect(
      .unknownName,
      """
      there is no input "other"
        needs     "left", "right"
      """
    ) { _ = try Context(network, inputShapes: ["other": right.shape]) }
    let named = """
      the model has 2 inputs, so they must be named
        needs     "left", "right"
        remedy    predict(["left": values, …])
      """
    expect(.missingInput, named) { _ = try network.predict([1, 2, 3]) }
    expect(.missingInput, named) { _ = try network.predict(left) }
    expect(.missingInput, named) { _ = try network.predict(batch: [[1, 2, 3]]) }
    expect(.missingInput, named) {
      try network.encode(SlotInput([1]), into: try network.makeSlot())
    }
  }

  @Test func wrongInputShapes() throws {
    let network = try network()
    let turned = TensorValues.seeded(Shape(width: 2, height: 3, channels: 2), seed: 1)
    let text = """
      input "pixels" has the wrong shape
        received  2×3×2 (width×height×channels)
        needs     3×2×2 (width×height×channels)
      """
    expect(.wrongShape, text) { _ = try network.predict(turned) }
    expect(.wrongShape, text) { _ = try network.predict(["pixels": turned]) }
    expect(.wrongShape, text) {
      _ = try network.workspaceSize(inputShapes: ["pixels": turned.shape])
    }
    expect(
      .wrongShape,
      """
      input "pixels" has the wrong shape
        received  12 (in memory order)
        needs     3×2×2 (width×height×channels)
      """
    ) { _ = try network.predict(.seeded(Shape(sizes: [12]), seed: 1)) }
  }

  @Test func missingInputSizes() throws {
    let model = Model(channels: 1) --> Resize(width: 3, height: 2)
    let network = try model.compile()
    let text = """
      input "input" takes pictures of any size, so their size must be given
        needs     ?×?×1 (width×height×channels)
        remedy    predict(TensorValues(width:height:channels:values:))
      """
    expect(.wrongShape, text) { _ = try network.predict([1, 2, 3]) }
    expect(.wrongShape, text) { _ = try network.predict([1, 2, 3], batch: 1) }
    expect(.wrongShape, text) { _ = try network.predict(batch: [[1, 2, 3]]) }
    expect(.wrongShape, text) { _ = try Context(network) }
    expect(.wrongShape, text) { _ = try network.workspaceSize() }
    // A slot of a runner takes the sizes of each prediction.
    expect(.wrongShape, text) {
      try network.encode(SlotInput([1, 2, 3]), into: try network.makeSlot())
    }
  }

  /// The error names the layer that does not fit, whatever it is fused with.
  @Test func runtimeShapeErrorNamesLayer() throws {
    let input = Input(channels: 3)
    let output =
      input --> MaxPooling(kernel: (2, 2), name: "pool")
      --> Convolution(
        kernel: (5, 5), channels: 4, padding: .valid, name: "conv", fileID: "App/Net.swift",
        line: 3, column: 5)
      --> BatchNormalization(name: "norm") --> Activation(.relu, name: "relu")
    for disabled in [[], Set(Rewrites.names)] {
      let network = try Model(input: input, output: output).compile(
        parameters: SeededParameters(), options: CompileOptions(disabledRewrites: disabled))
      #expect(throws: Never.self) {
        try network.predict(.seeded(Shape(width: 10, height: 11, channels: 3), seed: 1))
      }
      expect(
        .wrongShape,
        """
        App/Net.swift:3:5: layer 2 "conv" (Convolution): the output would be empty
          received  4×5×3 (width×height×channels) from "pool"
          needs     width and height of at least 5 for a 5×5 kernel with padding .valid
        """
      ) { _ = try network.predict(.seeded(Shape(width: 9, height: 11, channels: 3), seed: 1)) }
    }
  }

  @Test func runtimeInputShapeMismatch() throws {
    let left = Input(channels: 1, name: "left")
    let right = Input(channels: 1, name: "right")
    let sum =
      [left, right] --> Add(name: "sum", fileID: "App/Net.swift", line: 3, column: 5)
    let network = try Model(inputs: [left, right], outputs: [sum]).compile()
    expect(
      .wrongShape,
      """
      App/Net.swift:3:5: layer 1 "sum" (Add): the inputs do not match
        received  4×3×1 (width×height×channels) from "left"
                  4×2×1 (width×height×channels) from "right"
        needs     sizes that are equal along each axis, or 1 where they differ
      """
    ) {
      _ = try network.predict([
        "left": .seeded(Shape(width: 4, height: 3, channels: 1), seed: 1),
        "right": .seeded(Shape(width: 4, height: 2, channels: 1), seed: 1),
      ])
    }
  }

  @Test func invalidWorkspaces() throws {
    let network = try network()
    let needed = try network.workspaceSize(batch: 2)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: needed + 64, alignment: 64)
    defer { memory.deallocate() }
    func part(_ offset: Int, _ count: Int) -> UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + count])
    }
    for (offset, count) in [(0, needed - 1), (0, 0), (4, needed), (32, needed), (63, needed)] {
      expect(
        .wrongWorkspace,
        """
        the workspace does not fit
          received  \(count) bytes at an address of \(offset) modulo 64
          needs     \(needed) bytes at a multiple of 64
        """
      ) { _ = try Context(network, batch: 2, workspace: part(offset, count)) }
    }
    let empty = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    expect(
      .wrongWorkspace,
      """
      the workspace does not fit
        received  0 bytes at an address of 0 modulo 64
        needs     \(needed) bytes at a multiple of 64
      """
    ) { _ = try Context(network, batch: 2, workspace: empty) }
    // Exactly as much, and more.
    let values = seededValues(count: 12, seed: 1)
    let expected = try network.predict(values)
    for workspace in [part(0, needed), part(64, needed), memory] {
      let context = try Context(network, batch: 2, workspace: workspace)
      try context.withInput(0) { span in
        for index in values.indices { span[index] = values[index] }
        try context.predict()
      }
      let result = context.withOutput(0) { span in (0..<5).map { span[$0] } }
      #expect(result == expected)
    }
  }

  @Test func reentrantContextUse() throws {
    let own = Locked<Reentrant?>(nil)
    let input = Input(width: 2, height: 1, channels: 1)
    let again = Custom(
      shape: { $0[0] }, name: "again",
      body: { inputs, output in
        _ = output.update(fromContentsOf: inputs[0])
        try own.withLock { $0 }?.context.predict()
      }, fileID: "App/Net.swift", line: 9, column: 1)
    let network = try Model(input: input, output: input --> again).compile()
    let context = try Context(network)
    own.withLock { $0 = Reentrant(context: context) }
    expect(
      .customLayer,
      """
      App/Net.swift:9:1: layer 1 "again" (Custom): the custom layer failed
        cause     a prediction is running in this context
                    remedy    give each thread a Context of its own, or call network.predict
      """
    ) { try context.predict() }
    var values: [Float] = [0, 0]
    let error = #expect(throws: PredictionError.self) {
      var target = values.mutableSpan
      try context.predict([1, 2].span, into: &target)
    }
    #expect((error?.problem.cause as? PredictionError)?.kind == .busy)
    // The context is free again, and a network has memory for calls within calls.
    own.withLock { $0 = nil }
    #expect(throws: Never.self) { try context.predict() }
  }

  /// A second thread gets an error immediately, and the first is not affected.
  @Test func concurrentContextUse() async throws {
    let isInside = Locked(false)
    let mayEnd = Locked(false)
    let input = Input(width: 2, height: 1, channels: 1)
    let slow = Custom(shape: { $0[0] }, name: "slow") { inputs, output in
      isInside.withLock { $0 = true }
      while !mayEnd.withLock({ $0 }) {}
      _ = output.update(fromContentsOf: inputs[0])
    }
    let network = try Model(input: input, output: input --> slow).compile()
    let context = Reentrant(context: try Context(network))
    context.context.withInput(0) { span in
      span[0] = 3
      span[1] = 4
    }
    let first = Task.detached { try context.context.predict() }
    while !isInside.withLock({ $0 }) { await Task.yield() }
    let error = #expect(throws: PredictionError.self) { try context.context.predict() }
    #expect(error?.kind == .busy)
    mayEnd.withLock { $0 = true }
    try await first.value
    #expect(context.context.withOutput(0) { [$0[0], $0[1]] } == [3, 4])
  }

  @Test func reentrantNetworkCalls() throws {
    let depth = Locked(0)
    let own = Locked<CompiledModel?>(nil)
    let input = Input(width: 2, height: 1, channels: 1)
    let nested = Custom(shape: { $0[0] }) { inputs, output in
      let isFirst = depth.withLock { depth in
        depth += 1
        return depth == 1
      }
      let network = own.withLock { $0 }
      let values: [Float] = [10, 20]
      let inner = isFirst ? try network?.predict(values) ?? [0, 0] : [1, 2]
      for index in output.indices { output[index] = inputs[0][index] + inner[index] }
    }
    let network = try Model(input: input, output: input --> nested).compile()
    own.withLock { $0 = network }
    #expect(try network.predict([100, 200]) == [111, 222])
    own.withLock { $0 = nil }
  }

  @Test func throwingCustomLayers() throws {
    struct Bad: Error, CustomStringConvertible { var description: String { "no numbers left" } }
    let fails = Locked(true)
    let input = Input(width: 2, height: 1, channels: 1)
    let model = Model(
      input: input,
      output: input --> Activation(.relu)
        --> Custom(
          shape: { $0[0] }, name: "odd",
          body: { inputs, output in
            if fails.withLock({ $0 }) { throw Bad() }
            _ = output.update(fromContentsOf: inputs[0])
          }, fileID: "App/Net.swift", line: 4, column: 2) --> Softmax())
    let network = try model.compile()
    let context = try Context(network, batch: 2)
    let text = """
      App/Net.swift:4:2: layer 2 "odd" (Custom): the custom layer failed
        cause     no numbers left
      """
    expect(.customLayer, text) { _ = try network.predict([1, 2]) }
    expect(.customLayer, text) { try context.predict(batch: 2) }
    expect(.customLayer, text) { _ = try network.profile(runs: 1) }
    let error = #expect(throws: PredictionError.self) { try network.predict([1, 2]) }
    #expect(error?.problem.cause is Bad)
    fails.withLock { $0 = false }
    // One channel: each pixel is certain.
    #expect(try network.predict([1, 2]) == [1, 1])
    #expect(throws: Never.self) { try context.predict(batch: 2) }
  }

  /// Finite inputs and parameters can overflow: the first layer that does is named.
  @Test func firstNonFiniteLayerIsNamed() throws {
    let input = Input(width: 2, height: 1, channels: 2)
    let output =
      input --> Multiply(constant: [2], name: "double")
      --> Multiply(constant: [1e30], name: "large", fileID: "App/Net.swift", line: 9, column: 5)
      --> Activation(.relu, name: "relu")
      --> Multiply(constant: [0], name: "none")
    let network = try Model(input: input, output: output).compile(
      options: CompileOptions(checks: [.finiteOutputs, .finiteParameters]))
    #expect(throws: Never.self) { try network.predict([1, 2, 3, 4]) }
    let message = """
      output "none" holds a number that is not finite
        received  nan at index 1
        first in  layer "large" at App/Net.swift:9:5
        remedy    look for large values in its input, and for NaN with checks: .finiteParameters
      """
    expect(.notFinite, message) { _ = try network.predict([1, 3e9, 3, 4]) }
    let context = try Context(network)
    _ = context.withInput(0) { span in for i in span.indices { span[i] = 3e9 } }
    expect(.notFinite, message.replacingOccurrences(of: "index 1", with: "index 0")) {
      try context.predict()
    }
  }

  @Test func nonFiniteOutputs() throws {
    let input = Input(width: 2, height: 1, channels: 2)
    let first = input --> Multiply(constant: [2], name: "double")
    let second = input --> Activation(.clipped(minimum: 0, maximum: 1), name: "clip")
    let model = Model(inputs: [input], outputs: [second, first])
    let checked = try model.compile(options: CompileOptions(checks: .finiteOutputs))
    expect(
      .notFinite,
      """
      output "clip" holds a number that is not finite
        received  nan at index 2
        first in  input "input", nan at index 2
        remedy    check the input before predicting
      """
    ) { _ = try checked.predict(["input": [1, 2, .nan, 4] as [Float]]) }
    expect(
      .notFinite,
      """
      output "double" holds a number that is not finite
        received  -inf at index 1 of example 1
        first in  input "input", -inf at index 1 of example 1
        remedy    check the input before predicting
      """
    ) {
      let context = try Context(checked, batch: 2)
      try context.set(input, to: [1, 2, 3, 4])
      try context.set(input, to: [5, -Float.infinity, 7, 8], example: 1)
      try context.predict(batch: 2)
    }
    // Examples that are predicted one by one are examples of their batch, too.
    expect(
      .notFinite,
      """
      output "clip" holds a number that is not finite
        received  nan at index 3 of example 2
        first in  input "input", nan at index 3 of example 2
        remedy    check the input before predicting
      """
    ) {
      let examples: [[Float]] = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, .nan]]
      _ = try checked.predict(batch: examples.map { ["input": $0] })
    }
    #expect(throws: Never.self) { try checked.predict(["input": [1, 2, 3, 4]]) }
    // Without the check they are handed on.
    let unchecked = try model.compile()
    let passed = try unchecked.predict(["input": [1, 2, .nan, 4] as [Float]])
    #expect(passed["clip"]?.values[2].isNaN == true)
    #expect(
      try unchecked.predict(["input": [1, 2, .infinity, 4] as [Float]])["clip"]?.values == [
        1, 1, 1, 1,
      ])
  }

  @Test func unknownInputsAndOutputs() throws {
    let context = try Context(try network())
    for index in [-1, 1, .max] {
      #expect(context.withInput(index) { _ in true } == nil)
      #expect(context.withOutput(index) { _ in true } == nil)
    }
    #expect(context.withInput(0) { $0.count } == 12)
    #expect(context.withOutput(0) { $0.count } == 5)
  }
}

/// A context that a closure holds; tests use it on one thread.
private struct Reentrant: @unchecked Sendable {
  let context: Context
}
