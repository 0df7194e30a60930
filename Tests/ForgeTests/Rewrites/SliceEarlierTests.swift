import Forge
import ForgeTestSupport
import Testing

/// Slices that move to the beginning of what makes their operand.
@Suite struct SliceEarlierTests {
  private let name = "sliceEarlier"
  private let image = Input(width: 23, height: 31, channels: 9)

  private func expect(
    _ places: Int, _ outputs: Tensor..., inputs: [Tensor]? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRewrite(
      name, places: places, inputs: inputs ?? [image], outputs: outputs,
      sourceLocation: sourceLocation)
  }

  private func memory(_ outputs: [Tensor], inputs: [Tensor], without: Set<String>) throws -> Int {
    try report(of: Model(inputs: inputs, outputs: outputs), without: without).arenaBytes
  }

  /// An addition, a convolution, a function, and 8 of 64 rows or half of the channels.
  @Test func rowsOfConvolution() throws {
    let (a, b) = (
      Input(width: 64, height: 64, channels: 16, name: "a"),
      Input(width: 64, height: 64, channels: 16, name: "b")
    )
    let whole =
      a + b --> Convolution(kernel: (3, 5), channels: 32, padding: .same) --> Activation(.relu)
    let rows = whole --> Slice(starts: [24], ends: [32], axes: [0])
    try expect(3, rows, inputs: [a, b])
    #expect(
      try memory([rows], inputs: [a, b], without: [])
        < memory([rows], inputs: [a, b], without: [name]))
    try expect(2, whole --> Slice(starts: [16], ends: [32], axes: [2]), inputs: [a, b])
    // Both at once, at the edge of the image.
    try expect(
      3, whole --> Slice(starts: [61, 0, 3], ends: [64, 5, 8], axes: [0, 1, 2]), inputs: [a, b])
    // Everything is read.
    try expect(
      0, rows, whole --> Slice(starts: [0], ends: [64], axes: [1]), inputs: [a, b])
    try expect(0, rows, whole, inputs: [a, b])
    try expect(3, rows, whole --> Slice(starts: [24], ends: [32], axes: [0]), inputs: [a, b])
    // A box holds what two slices read.
    try expect(
      3, rows, whole --> Slice(starts: [30], ends: [40], axes: [0]), inputs: [a, b])
  }

  @Test func chainsOfWindows() throws {
    let strided =
      image --> Convolution(kernel: (5, 3), channels: 17, stride: (2, 3), padding: .same)
      --> BatchNormalization() --> Activation(.swish)
      --> DepthwiseConvolution(kernel: (3, 3), padding: .same)
      --> MaxPooling(kernel: (2, 2), stride: (1, 1))
    try expect(4, strided --> Crop(top: 4, left: 1, bottom: 3, right: 2))
    let padded =
      image --> ZeroPadding(top: 3, left: 2, bottom: 1, right: 0)
      --> AveragePooling(kernel: (3, 3), stride: (2, 2), padding: .same)
      --> PointwiseConvolution(channels: 40)
    try expect(3, padded --> Slice(starts: [2, 5], ends: [4, 9], axes: [0, 2]))
    let split =
      [image --> PointwiseConvolution(channels: 12), image --> PointwiseConvolution(channels: 20)]
      --> Concatenate()
    // The other convolution is not computed.
    try expect(1, split --> Gather(indices: [3, 4, 5], axis: 2))
  }

  /// The first token of the last block of a transformer.
  @Test func tokenOfTransformer() throws {
    let tokens = Input(shape: [19, 24], name: "tokens")
    func block(_ input: Tensor) -> Tensor {
      let attended =
        input + (input --> MultiHeadAttention(heads: 3, keyChannels: 8))
        --> LayerNormalization()
      return attended
        + (attended --> LastAxisDense(neurons: 50, activation: .gelu) --> LastAxisDense(neurons: 24))
        --> LayerNormalization()
    }
    let last = block(block(tokens))
    for slice in [
      Slice(starts: [0], ends: [1], axes: [0]), Slice(starts: [7], ends: [9], axes: [0]),
    ] {
      let model = Model(input: tokens, output: last --> slice)
      let compiled = try report(of: model)
      #expect(try #require(compiled.places(name)) >= 8)
      try expectAgreement(model)
      try expectAgreement(model, options: CompileOptions(disabledRewrites: [name]))
      try expectAgreement(model, options: CompileOptions(verify: .samples(2)))
    }
  }

  /// Factors and rows of a product of matrices, through what moves elements.
  @Test func products() throws {
    let (a, b) = (Input(shape: [40, 30], name: "a"), Input(shape: [30, 50], name: "b"))
    let product = [a, b] --> MatMul()
    try expect(1, product --> Slice(starts: [3], ends: [6], axes: [0]), inputs: [a, b])
    try expect(1, product --> Slice(starts: [45], ends: [50], axes: [1]), inputs: [a, b])
    try expect(
      4,
      product --> Permute(order: [1, 0]) --> Reshape(to: [10, 5, 40]) --> Softmax()
        --> Slice(starts: [4], ends: [5], axes: [0]), inputs: [a, b])
    let dense = Input(shape: [30], name: "x")
    try expect(
      2,
      dense --> Dense(neurons: 90, activation: .tanh) --> Slice(starts: [1], ends: [4], axes: [2]),
      inputs: [dense])
  }

  /// A layer that is kept is computed as a whole.
  @Test func keptLayers() throws {
    let output =
      image --> Convolution(kernel: (3, 3), channels: 12, name: "conv") --> Activation(.relu)
      --> Slice(starts: [0], ends: [2], axes: [0])
    let model = Model(input: image, output: output)
    try expectAgreement(model, options: CompileOptions(keep: ["conv"]))
    let network = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(keep: ["conv"]))
    let prediction = try network.predict(ordered: ReferenceModel(model).inputs(seed: 2))
    #expect(prediction.kept["conv"]?.shape.sizes == [31, 23, 12])
  }

  /// Rows that nobody keeps do not matter, even if they are not finite.
  @Test func rowsThatAreNotKept() throws {
    let model = Model(
      input: image,
      output: image --> Convolution(kernel: (3, 3), channels: 12)
        --> Slice(starts: [0], ends: [2], axes: [0]))
    let network = try model.compile(parameters: SeededParameters())
    let values = try ReferenceModel(model).inputs(seed: 2)[0].values
    let changed = values[..<(4 * 23 * 9)] + values[(4 * 23 * 9)...].map { _ in Float.nan }
    #expect(try network.predict(values) == network.predict(Array(changed)))
  }

  /// A slice stays behind steps of sequences of any length.
  @Test func openLengths() throws {
    let tokens = Input(shape: [.upTo(40), 8])
    let model = Model(
      input: tokens,
      output: tokens --> LastAxisDense(neurons: 12) --> Slice(starts: [0], ends: [1], axes: [0]))
    #expect(try report(of: model).places(name) == 0)
  }
}
