import Forge
import ForgeTestSupport
import Testing

/// An image of one pixel is in memory as a plain vector is, so that no step converts it.
@Suite struct PixelViewTests {
  private func kernels(_ model: Model) throws -> [String] {
    try model.compile(parameters: SeededParameters()).report.steps.map(\.kernel)
  }

  @Test(arguments: [16, 40, 1])
  func imagesOfOnePixelAreViews(channels: Int) throws {
    let conversions = try (1...2).map { width in
      let input = Input(width: width, height: 1, channels: 23)
      // The softmax and the permutations read the same image in row-major order.
      let image = input --> PointwiseConvolution(channels: channels, activation: .tanh)
      let turned = image --> Permute(order: [2, 0, 1]) --> Softmax()
      let model = Model(inputs: [input], outputs: [turned, image --> Permute(order: [1, 2, 0])])
      try expectAgreement(model, relativeL2: 1e-6)
      return try kernels(model).count { $0 == "unblock" }
    }
    #expect(conversions[0] < conversions[1], "\(conversions)")
  }

  /// No later operation overwrites an image that a reshape shows in row-major order.
  @Test func viewedImagesAreNotOverwritten() throws {
    let input = Input(width: 1, height: 1, channels: 23)
    let image = input --> PointwiseConvolution(channels: 32)
    let table = image --> Reshape(to: [4, 8])
    // Their only other use is the last one of the image, so that they could take its memory.
    for other in [
      image --> Softmax(), image --> Activation(.tanh), image --> BatchNormalization(),
    ] {
      let later = table --> Permute(order: [1, 0])
      let joined = [other --> Flatten(), later --> Flatten()] --> Concatenate()
      try expectAgreement(Model(input: input, output: joined), relativeL2: 1e-6)
      try expectAgreement(
        Model(inputs: [input], outputs: [other, later --> Softmax()]), relativeL2: 1e-6)
    }
  }

  /// Neither the image of a later frame nor the part of a concatenation is taken for another.
  @Test func framesOfRecurrentLayersAreViews() throws {
    let input = Input(shape: [1, 24])
    let first = input --> LSTM(units: 40, returnSequences: true, name: "first")
    let model = Model(
      input: input, output: first --> GRU(units: 48, returnSequences: true, name: "second"))
    let steps = try kernels(model)
    #expect(!steps.contains("unblock"), "\(steps)")
    try expectAgreement(model, relativeL2: 1e-6)

    let pixel = Input(width: 1, height: 1, channels: 32)
    let parts = [16, 32, 21].enumerated().map { index, channels in
      pixel --> PointwiseConvolution(channels: channels, name: "part\(index)")
    }
    let joined = parts --> Concatenate()
    let mixed = Model(
      inputs: [pixel],
      outputs: [
        joined --> Permute(order: [2, 1, 0]) --> Softmax(), parts[1] --> Permute(order: [2, 0, 1]),
      ])
    try expectAgreement(mixed, relativeL2: 1e-6)
  }
}
