import Forge
import Testing

/// Operations on sequences between layers that work on images of one row.
@Suite struct RunSequencesAsImagesTests {
  private let name = "runSequencesAsImages"

  @Test func convolutionsOfSequencesAreOneChainOfImages() throws {
    let input = Input(shape: [23, 5])
    let output =
      input --> Convolution1D(kernel: 3, channels: 7) --> BatchNormalization()
      --> Activation(.relu) --> MaxPooling1D(kernel: 2) --> Convolution1D(kernel: 2, channels: 4)
    // Two functions move, two reshapes to an image go.
    try expectRewrite(
      name, places: 4, leaving: ["convolution", "pooling", "convolution", "copy"],
      inputs: [input], outputs: [output])
  }

  @Test func otherReadersHaveTheSequence() throws {
    let input = Input(shape: [23, 5])
    let middle = input --> Convolution1D(kernel: 3, channels: 7)
    let output = middle --> Activation(.tanh) --> Convolution1D(kernel: 2, channels: 4)
    try expectRewrite(name, places: 2, inputs: [input], outputs: [middle, output])
  }

  @Test func sumsAndNormalizationsMove() throws {
    let input = Input(shape: [19, 20])
    let a = input --> LastAxisDense(neurons: 20, activation: .gelu) --> LastAxisDense(neurons: 20)
    let normalized = [a, input] --> Add() --> LayerNormalization()
    let output = [normalized, normalized --> LastAxisDense(neurons: 20)] --> Add()
    let model = Model(input: input, output: output)
    let plan = try model.compile(parameters: SeededParameters()).report.arithmetic
    #expect(
      plan == ["convolution", "convolution", "normalize", "convolution", "copy"]
        || plan == ["copy", "convolution", "convolution", "normalize", "convolution", "copy"],
      "\(plan)")
    for disabled in [[], [name]] {
      try expectAgreement(model, options: CompileOptions(disabledRewrites: Set(disabled)))
    }
  }

  /// What reads several positions, or a constant that differs among them, keeps its meaning.
  @Test func otherOperationsKeepTheirMeaning() throws {
    let input = Input(shape: [11, 6])
    let a = input --> LastAxisDense(neurons: 7)
    let weights = Constant((0..<11).map { 0.5 + Float($0) }, shape: [11, 1])
    let scaled = [a, weights] --> Multiply()
    let b = scaled --> LastAxisDense(neurons: 5)
    let summed = b --> CumulativeSum(axis: 0) --> Softmax()
    let output = [summed, b] --> Maximum() --> LastAxisDense(neurons: 3)
    let model = Model(input: input, output: output)
    for disabled in [[], [name]] {
      try expectAgreement(model, options: CompileOptions(disabledRewrites: Set(disabled)))
    }
  }
}
