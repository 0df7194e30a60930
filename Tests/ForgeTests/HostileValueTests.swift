import Forge
import Testing

/// Sizes, counts and user-defined layers that must be rejected before any kernel runs.
@Suite struct HostileValueTests {
  private func network() throws -> CompiledModel {
    let model =
      Model(channels: 3) --> Resize(width: 4, height: 4)
      --> Convolution(kernel: (3, 3), channels: 2, name: "conv")
    return try model.compile(parameters: SeededParameters())
  }

  @Test func nonPositiveSizes() throws {
    let network = try network()
    for (width, height, count) in [(-1, -1, 3), (0, 5, 0), (5, 0, 0), (-3, 1, 9), (0, 0, 0)] {
      let input = TensorValues(
        width: width, height: height, channels: 3, values: Array(repeating: 1, count: count))
      let error = #expect(throws: PredictionError.self) { try network.predict(input) }
      #expect(error?.kind == .wrongShape)
      let context = #expect(throws: PredictionError.self) {
        try Context(network, inputShapes: ["input": input.shape])
      }
      #expect(context?.kind == .wrongShape)
    }
    let zero = TensorValues(width: 0, height: 5, channels: 3, values: [])
    let error = #expect(throws: PredictionError.self) { try network.predict(zero) }
    #expect(
      error?.description == """
        input "input" has the wrong shape
          received  0×5×3 (width×height×channels)
          needs     ?×?×3 (width×height×channels), each size from 1 to 1048576, at most \
        1099511627776 elements
        """)
  }

  @Test func sizesExceedingMemory() throws {
    let network = try network()
    for (width, height) in [(.max, 1), (1, .max), (1 << 32, 1 << 32), (1 << 20, 1 << 20)] {
      let shape = Shape(width: width, height: height, channels: 3)
      let error = #expect(throws: PredictionError.self) {
        try network.predict(TensorValues(shape: shape, values: [1, 2, 3]))
      }
      #expect([.wrongShape, .wrongValueCount].contains(error?.kind))
      #expect(throws: PredictionError.self) {
        try network.workspaceSize(batch: 1, inputShapes: ["input": shape])
      }
    }
  }

  @Test func wrongShapeRank() throws {
    let network = try network()
    for sizes in [[], [3], [4, 3], [4, 4, 3, 1], [4, 4, 4]] {
      let input = TensorValues(
        shape: Shape(sizes: sizes), values: Array(repeating: 1, count: sizes.reduce(1, *)))
      let error = #expect(throws: PredictionError.self) { try network.predict(input) }
      #expect(error?.kind == .wrongShape)
    }
    let unknown = TensorValues(shape: Shape([4, nil, 3]), values: [1])
    let error = #expect(throws: PredictionError.self) { try network.predict(unknown) }
    #expect(error?.kind == .wrongShape)
  }

  /// A plan for an image of more than 2³² pixels; nothing is allocated for it.
  @Test func imagesExceeding32BitPixelCount() throws {
    let input = Input(width: 1 << 17, height: 1 << 16, channels: 1)
    let output = input --> PointwiseConvolution(channels: 1) --> GlobalMaxPooling()
    let network = try Model(input: input, output: output).compile(
      parameters: SeededParameters())
    #expect(try network.workspaceSize() > 1 << 36)
  }

  /// Padding that exceeds memory, around a model input and around a layer's output.
  @Test(arguments: [false, true])
  func paddingExceedingMemory(ofALayer: Bool) {
    let channels = 1 << 20
    let input = Input(width: 1, height: 1, channels: channels)
    let source = ofALayer ? input --> Activation(.sigmoid, name: "sigmoid") : input
    let output =
      source
      --> Convolution(
        kernel: (4, 4), channels: 1, dilation: (1 << 20, 1 << 20), groups: 1, name: "wide")
    let error = #expect(throws: CompileError.self) {
      try Model(input: input, output: output).compile(parameters: SeededParameters())
    }
    // (4 − 1) · 2²⁰ pixels beside the one there is.
    #expect(
      Self.withoutPlace(error) == """
        layer \(ofALayer ? "1 \"sigmoid\" (Activation)" : "1 \"wide\" (Convolution)"): an \
        image would be too large in memory
          received  1×1×1048576 (width×height×channels), stored as 3145729×3145729×1048576 \
        (width×height×channels): with the border that windows reach into and channels in blocks \
        of 16
          needs     at most 1099511627776 elements as stored
        """)
  }

  /// Channels that exceed memory once padded to blocks, although the image itself fits.
  @Test func paddedChannelsExceedingMemory() {
    let input = Input(width: 1 << 20, height: 1 << 17, channels: 1)
    let error = #expect(throws: CompileError.self) {
      try Model(input: input, output: input --> Activation(.sigmoid)).compile()
    }
    #expect(
      Self.withoutPlace(error)?.hasSuffix(
        """
        : an image would be too large in memory
          received  1048576×131072×1 (width×height×channels), stored as 1048576×131072×16 \
        (width×height×channels): with the border that windows reach into and channels in blocks \
        of 16
          needs     at most 1099511627776 elements as stored
        """) == true, "\(String(describing: error))")
  }

  /// Two images in one tensor, one wide and one high, whose padding exceeds memory only in
  /// combination.
  @Test func combinedPaddingExceedingMemory() {
    let input = Input(width: 1, height: 1, channels: 16)
    let parts = [1, 2].map { input --> Activation(.sigmoid, name: "part\($0)") }
    let far = 1 << 20
    let read = zip(parts, [(4, 1), (1, 4)]).map { part, kernel in
      part
        --> Convolution(
          kernel: kernel, channels: 1, dilation: (far, far), name: "read\(kernel.0)")
    }
    let model = Model(inputs: [input], outputs: [Concatenate(parts)] + read)
    let error = #expect(throws: CompileError.self) {
      try model.compile(parameters: SeededParameters())
    }
    #expect(
      Self.withoutPlace(error) == """
        layer 1 "part1" (Activation): an image would be too large in memory
          received  1×1×16 (width×height×channels), stored as 3145729×3145729×16 \
        (width×height×channels): with the border that windows reach into and channels in blocks \
        of 16
          needs     at most 1099511627776 elements as stored
        """)
    #expect(throws: Never.self) {
      try model.compile(
        parameters: SeededParameters(),
        options: CompileOptions(disabledRewrites: ["concatenateInPlace"]))
    }
  }

  /// The text of an error with one problem, without the place in this file.
  private static func withoutPlace(_ error: CompileError?) -> String? {
    guard var problem = error?.problems.first, error?.problems.count == 1 else {
      return error?.description
    }
    problem.place = nil
    return problem.description
  }

  @Test func unavailableMemory() throws {
    let input = Input(width: 1 << 20, height: 1 << 10, channels: 1)
    let network = try Model(input: input, output: input --> Dropout(rate: 0.5)).compile(
      options: CompileOptions(maximumBatch: 1 << 20))
    // Two of 2⁵² bytes, which is more than a machine can address, and the bases.
    let bytes = try network.workspaceSize(batch: 1 << 20)
    #expect(bytes > 2 << 51)
    let error = #expect(throws: PredictionError.self) { try Context(network, batch: 1 << 20) }
    #expect(error?.kind == .noMemory)
    #expect(
      error?.description == """
        not enough memory for the prediction
          needs     \(bytes) bytes
          remedy    predict fewer examples at a time, or smaller inputs
        """)
  }

  @Test func memorySizeOverflow() throws {
    let input = Input(width: 1 << 20, height: 1 << 20, channels: 1)
    let model = Model(
      inputs: [input], outputs: [input --> Dropout(rate: 0.5), input])
    let network = try model.compile(options: CompileOptions(maximumBatch: 1 << 20))
    for use in [
      { _ = try network.workspaceSize(batch: 1 << 20) },
      { _ = try Context(network, batch: 1 << 20) },
    ] {
      let error = #expect(throws: PredictionError.self) { try use() }
      #expect(
        error?.description == """
          not enough memory for the prediction
            needs     more bytes than can be counted
            remedy    predict fewer examples at a time, or smaller inputs
          """)
    }
    let error = #expect(throws: PredictionError.self) {
      try network.predict(["input": [1]])
    }
    #expect(error?.kind == .wrongValueCount)
  }

  @Test func axesExceedingKernelLimits() throws {
    let input = Input(width: 1 << 16, height: 1 << 16, channels: 1)
    let model = Model(input: input, output: input --> Flatten() --> Softmax())
    let error = #expect(throws: CompileError.self) { try model.compile() }
    #expect(
      error?.description == """
        a tensor is too long
          received  1×1×4294967296 (width×height×channels)
          needs     at most 2147483647 along each axis
        """)
  }

  /// Weights that a layer computes from its input are rejected.
  @Test func inputDependentWeightsAreRejected() throws {
    let input = Input(width: 1, height: 1, channels: 4)
    let layer = ComputedWeights(fileID: "App/Net.swift", line: 3, column: 5) { lowering in
      lowering.inputs[0]
    }
    let error = #expect(throws: CompileError.self) {
      try Model(input: input, output: input --> layer).compile()
    }
    #expect(
      error?.description == """
        App/Net.swift:3:5: layer 1 "__ComputedWeights_1__" (ComputedWeights): operand 1 of dense \
        depends on an input
          needs     parameters, constants, or what follows from them alone
        """)
  }

  /// Weights computed from constants are evaluated at compile time, also for kept layers.
  @Test func constantDerivedWeightsAreFolded() throws {
    let input = Input(width: 1, height: 1, channels: 4)
    let layer = ComputedWeights(fileID: "App/Net.swift", line: 3, column: 5) {
      lowering throws(ShapeError) in
      let weights = try lowering.constant([1, -2, 3, 0.5], shape: Shape(sizes: [1, 4]))
      return try lowering.apply(.binary(.add), to: [weights, weights])
    }
    let model = Model(
      input: input, output: input --> layer --> BatchNormalization() --> Activation(.tanh))
    for keep in [[], ["__ComputedWeights_1__"], ["__BatchNorm_2__", "__ComputedWeights_1__"]] {
      let network = try model.compile(
        parameters: SeededParameters(),
        options: CompileOptions(keep: keep, verify: .samples(3), accuracy: 1e-6))
      let predictions = try network.predict(
        ordered: [TensorValues(width: 1, height: 1, channels: 4, values: [1, 1, 1, 2])])
      for name in keep.suffix(1) { #expect(predictions[name]?.values == [6]) }
    }
  }

  /// A single normalization value applies to all channels.
  @Test func scalarNormalizationOperandsBroadcast() throws {
    let input = Input(width: 1, height: 1, channels: 2)
    let model = Model(input: input, output: input --> MixedNormalization())
    for disabled in [[], Set(Rewrites.names)] {
      let network = try model.compile(options: CompileOptions(disabledRewrites: disabled))
      #expect(try network.predict([3, 5]) == [2, 13])
    }
  }
}

/// A normalization whose mean and variance are those of the whole image.
private struct MixedNormalization: Layer {
  var name: String? { nil }
  var place: SourcePlace { SourcePlace(fileID: "", line: 1, column: 1) }

  func lower(into lowering: inout Lowering) throws(ShapeError) {
    let gamma = try lowering.constant([1, 3], shape: Shape(sizes: [2]))
    let beta = try lowering.constant([0, 1], shape: Shape(sizes: [2]))
    let mean = try lowering.constant([1], shape: Shape(sizes: [1]))
    let variance = try lowering.constant([1], shape: Shape(sizes: [1]))
    lowering.output = try lowering.apply(
      .batchNormalization(epsilon: 0), to: [lowering.inputs[0], gamma, beta, mean, variance])
  }
}

/// A dense layer of one output that makes its weights itself.
private struct ComputedWeights: Layer {
  typealias Weights = @Sendable (inout Lowering) throws(ShapeError) -> Lowering.Value
  let place: SourcePlace
  let weights: Weights
  var name: String? { nil }

  init(fileID: String, line: Int, column: Int, weights: @escaping Weights) {
    place = SourcePlace(fileID: fileID, line: line, column: column)
    self.weights = weights
  }

  static func == (a: Self, b: Self) -> Bool { a.place == b.place }

  func lower(into lowering: inout Lowering) throws(ShapeError) {
    let weights = try weights(&lowering)
    lowering.output = try lowering.apply(
      .dense(outputs: 1), to: [lowering.inputs[0], weights])
  }
}
