import Forge
import Testing

/// Sizes, counts and layers of users' own that no kernel may ever see.
@Suite struct HostileValueTests {
  private func network() throws -> CompiledModel {
    let model =
      Model(channels: 3) --> Resize(width: 4, height: 4)
      --> Convolution(kernel: (3, 3), channels: 2, name: "conv")
    return try model.compile(parameters: SeededParameters())
  }

  @Test func sizesThatAreNone() throws {
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
          needs     ?×?×3 (width×height×channels), each size from 1 to 1048576
        """)
  }

  @Test func sizesBeyondAnyMemory() throws {
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

  @Test func shapesOfAnotherRank() throws {
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

  /// A plan for an image with more pixels than 32 bits count; nothing is allocated for it.
  @Test func imagesOfMorePixelsThan32BitsCount() throws {
    let input = Input(width: 1 << 17, height: 1 << 16, channels: 1)
    let output = input --> PointwiseConvolution(channels: 1) --> GlobalMaxPooling()
    let network = try Model(input: input, output: output).compile(
      parameters: SeededParameters())
    #expect(try network.workspaceSize() > 1 << 36)
  }

  @Test func workspacesThatCannotBe() throws {
    let input = Input(width: 1 << 20, height: 1 << 20, channels: 1)
    let model = Model(
      inputs: [input], outputs: [input --> Dropout(rate: 0.5), input --> Softmax()])
    let network = try model.compile(options: CompileOptions(maximumBatch: 1 << 20))
    let error = #expect(throws: PredictionError.self) {
      try network.workspaceSize(batch: 1 << 20)
    }
    #expect(error?.kind == .wrongBatch)
    #expect(throws: PredictionError.self) { try Context(network, batch: 1 << 20) }
    #expect(throws: PredictionError.self) { try network.predict([1], batch: 1 << 20) }
  }

  /// Weights that a layer computes from its input are refused; those from constants are worked out.
  @Test func weightsThatAreNoConstants() throws {
    let input = Input(width: 1, height: 1, channels: 4)
    let model = Model(
      input: input,
      output: input
        --> SelfWeighted(fileID: "App/Net.swift", line: 3, column: 5))
    let error = #expect(throws: CompileError.self) { try model.compile() }
    #expect(
      error?.description == """
        App/Net.swift:3:5: layer 1 "__SelfWeighted_1__" (SelfWeighted): the weights of dense \
        depend on an input
          needs     parameters, constants, or what follows from them alone
        """)
  }
}

/// A dense layer whose weights are its own input.
private struct SelfWeighted: Layer {
  let place: SourcePlace
  var name: String? { nil }

  init(fileID: String, line: Int, column: Int) {
    place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  func outputShape(for inputs: [Shape]) throws(ShapeError) -> Shape { .vector(1) }

  func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.apply(
      .dense(outputs: 1), to: [lowering.inputs[0], lowering.inputs[0]])
  }
}
