import Forge
import ForgeTestSupport
import Testing

/// Convolutions of patches that become pointwise ones.
@Suite struct RunPatchesAsPixelsTests {
  private func expect(
    _ places: Int, _ input: Tensor, _ outputs: Tensor...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRewrite(
      "runPatchesAsPixels", places: places, inputs: [input], outputs: outputs,
      sourceLocation: sourceLocation)
  }

  private func patches(
    _ kernel: (width: Int, height: Int), channels: Int = 128, padding: Padding = .valid
  ) -> Convolution {
    Convolution(
      kernel: kernel, channels: channels, stride: (kernel.width, kernel.height), padding: padding,
      name: "patches")
  }

  /// Squares, rows and columns of RGB, gray and other images; patches that are not whole blocks.
  @Test(arguments: [
    (width: 16, height: 16, columns: 3, rows: 5, channels: 3),
    (width: 19, height: 5, columns: 2, rows: 7, channels: 3),
    (width: 7, height: 37, columns: 5, rows: 1, channels: 1),
    (width: 300, height: 1, columns: 1, rows: 11, channels: 1),
    (width: 1, height: 32, columns: 13, rows: 2, channels: 15),
  ])
  func patchesBecomePixels(width: Int, height: Int, columns: Int, rows: Int, channels: Int) throws {
    let input = Input(width: width * columns, height: height * rows, channels: channels)
    try expect(1, input, input --> patches((width, height)))
    try expect(1, input, input --> patches((width, height), channels: 131, padding: .same))
  }

  @Test func strassensAlgorithmComputesThem() throws {
    let input = Input(width: 224, height: 224, channels: 3)
    let model = Model(input: input, output: input --> patches((16, 16), channels: 768))
    #expect(try report(of: model).arithmetic.contains("strassen"))
    // Two levels double the rounding error.
    try expectAgreement(model, relativeL2: 3e-6)
  }

  @Test func patchesOfScaledPicturesBecomePixels() throws {
    let input = Input(width: 64, height: 48, channels: 3)
    let scaled = input --> Scale(1 / 127.5, bias: -1)
    try expect(1, input, scaled --> patches((16, 16)))
  }

  @Test func activationsStayAndOthersReadTheImage() throws {
    let input = Input(width: 64, height: 48, channels: 3)
    let patches = input --> patches((16, 16)) --> Activation(.gelu)
    try expect(1, input, patches, input --> MaxPooling(kernel: (2, 2)))
  }

  @Test func keptPatchesAreThoseOfTheLayer() throws {
    let input = Input(width: 48, height: 32, channels: 3)
    let model = Model(
      input: input, output: input --> patches((16, 16)) --> Activation(.gelu) --> Softmax())
    try expectAgreement(model, options: CompileOptions(keep: ["patches"]))
  }

  /// Windows that overlap, leave pixels out, reach over the border or lie apart.
  @Test func othersStay() throws {
    let input = Input(width: 48, height: 33, channels: 3)
    try expect(0, input, input --> patches((16, 16)))
    try expect(0, input, input --> patches((16, 16), padding: .same))
    for (stride, dilation) in [((8, 11), (1, 1)), ((16, 11), (2, 1)), ((24, 11), (1, 1))] {
      let layer = Convolution(
        kernel: (16, 11), channels: 128, stride: stride, dilation: dilation, padding: .valid)
      try expect(0, input, input --> layer)
    }
  }

  /// Small patches, few outputs, and many channels.
  @Test func patchesStayWhereTheCopyWouldNotPay() throws {
    let input = Input(width: 48, height: 32, channels: 3)
    try expect(0, input, input --> patches((4, 4)))
    try expect(0, input, input --> patches((16, 16), channels: 127))
    try expect(
      0, input, input --> Convolution(kernel: (3, 3), channels: 16) --> patches((4, 4)))
  }

  @Test func imagesOfAnySizeStay() throws {
    let input = Input(channels: 3)
    let model = Model(input: input, output: input --> patches((16, 16)))
    let network = try model.compile(parameters: SeededParameters())
    #expect(network.report.places("runPatchesAsPixels") == 0)
    let image = TensorValues.seeded(Shape(width: 37, height: 50, channels: 3), seed: 3)
    let outputs = try network.predict(ordered: [image]).outputs
    let expected = try ReferenceModel(model).run([image]).outputs[0]
    let actual = try #require(outputs.values.first)
    expectClose(actual.values, expected, relativeL2: 1e-6)
  }
}
