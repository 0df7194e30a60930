import Forge
import ForgeTestSupport
import Testing

/// Operations that are dropped: identities, reshapes before dense layers, constants.
@Suite struct DroppedOperationTests {
  private let input = Input(width: 7, height: 5, channels: 6)

  private func expect(
    _ rewrite: String, _ places: Int, _ kernels: [String], _ outputs: Tensor...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRewrite(
      rewrite, places: places, leaving: kernels, inputs: [input], outputs: outputs,
      sourceLocation: sourceLocation)
  }

  @Test func identitiesAreDropped() throws {
    let layers: [any Layer] = [
      Dropout(rate: 0.5), Activation(.linear), Reshape(to: [5, 7, 6]),
      Reshape(to: [5, -1, 6]), Permute(order: [0, 1, 2]), Crop(), ZeroPadding(0),
      UpSampling(size: (1, 1), mode: .bilinear), ForgeLayers.Concatenate(),
      ForgeLayers.Concatenate(axis: 0), GatherChannels(order: [0, 1, 2, 3, 4, 5]),
    ]
    for layer in layers {
      // The output is the input; all that is left is to copy it.
      try expect("dropIdentities", 1, ["copy"], input.chained(to: layer))
      try expect(
        "dropIdentities", 1, ["convolution"],
        input.chained(to: layer) --> Convolution(kernel: (3, 3), channels: 3))
    }
  }

  @Test func consecutiveIdentitiesAreDropped() throws {
    try expect(
      "dropIdentities", 3, ["convolution"],
      input --> Dropout(rate: 0.1) --> Crop() --> Convolution(kernel: (3, 3), channels: 3)
        --> Dropout(rate: 0.2))
  }

  @Test func nearIdentitiesAreKept() throws {
    let layers: [any Layer] = [
      Reshape(to: [7, 5, 6]), Permute(order: [1, 0, 2]), Crop(left: 1), ZeroPadding(right: 1),
      UpSampling(size: (1, 2)), GatherChannels(order: [0, 1, 2, 3, 5, 4]),
      GatherChannels(order: [0, 1, 2]), Scale(by: [1]), Resize(width: 7, height: 5),
    ]
    for layer in layers {
      let model = Model(input: input, output: input.chained(to: layer))
      #expect(try report(of: model).places("dropIdentities") == 0, "\(layer)")
      try expectAgreement(model)
    }
  }

  @Test func reshapesBeforeDenseAreDropped() throws {
    let dense = Dense(neurons: 9, name: "dense")
    let drop = "dropReshapeBeforeDense"
    try expect(drop, 1, ["convolution"], input --> Flatten() --> dense)
    try expect(drop, 1, ["convolution"], input --> Reshape(to: [35, 6]) --> dense)
    try expect(
      drop, 2, ["convolution"],
      input --> Reshape(to: [35, 6]) --> Reshape(to: [2, 3, 5, 7]) --> dense)
    // The result of a convolution is read where it lies.
    try expect(
      drop, 1, ["convolution", "convolution"],
      input --> Convolution(kernel: (3, 3), channels: 17) --> Flatten() --> dense)
  }

  @Test func otherReshapesAreKept() throws {
    let drop = "dropReshapeBeforeDense"
    let convolution = Convolution(kernel: (2, 2), channels: 3, name: "conv")
    try expect(
      drop, 0, ["convolution"], input --> Reshape(to: [7, 5, 6]) --> convolution)
    try expect(
      drop, 0, ["activation", "convolution"],
      input --> Flatten() --> Activation(.tanh) --> Dense(neurons: 9))
    try expect(
      drop, 0, ["copy", "convolution"],
      input --> Permute(order: [2, 0, 1]) --> Dense(neurons: 9))
  }

  @Test func sharedReshapesAreKept() throws {
    let flat = input --> Flatten()
    try expect(
      "dropReshapeBeforeDense", 1, ["convolution", "copy"], flat --> Dense(neurons: 9), flat)
  }

  @Test func constantExpressionsAreFolded() throws {
    let constant = Constant([0.5, -1, 2, 0.25, -0.75, 1.5])
    let computed =
      constant --> Activation(.softplus) --> Multiply(constant: [2])
      --> Dense(neurons: 6, activation: .tanh)
    try expect("foldConstants", 4, ["add"], [input, computed] --> Add())
  }

  @Test func inputDependentExpressionsAreKept() throws {
    let constant = Constant([0.5, -1, 2, 0.25, -0.75, 1.5])
    try expect(
      "foldConstants", 0, ["add", "softmax", "activation", "multiply"],
      [[input, constant] --> Add() --> Softmax(), input --> Activation(.tanh)] --> Multiply())
  }

  /// A few bytes of a file must not state work without bounds for the compiler.
  @Test func enlargedConstantsAreKept() throws {
    for (side, kernels) in [(64, ["add"]), (4100, ["copy", "reduce", "add"])] {
      let one: Tensor = [Tensor]() --> Constant([0.5], shape: Shape(sizes: [1, 1]))
      let largest = one --> Tile([side, side]) --> Reduce(.maximum)
      let model = Model(input: input, output: [input, largest] --> Add())
      #expect(try report(of: model).arithmetic == kernels)
    }
  }
}
