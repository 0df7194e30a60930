import Forge
import ForgeTestSupport
import Testing

/// The memory and the work of a prediction, counted by hand.
@Suite struct PredictionCostTests {
  private func cost(_ model: Model) throws -> PredictionCost { try model.predictionCost() }

  private func cost(_ input: Tensor, _ layer: some Layer) throws -> PredictionCost {
    try cost(Model(input: input, output: input --> layer))
  }

  /// An element that is moved is eight multiply-adds.
  @Test func work() throws {
    let vector = Input(shape: [100])
    // 100 read, 100 written, one operation for each.
    #expect(try cost(vector, Activation(.relu)).work == 8 * 200 + 100)
    #expect(try cost(vector, Tile([50])).work >= 8 * 5000)
    let image = Input(width: 32, height: 32, channels: 16)
    // 32·32·16 windows of 9.
    let pooled = try cost(image, MaxPooling(3, stride: 1, padding: .same))
    #expect(pooled.work == 8 * 2 * 16_384 + 9 * 16_384)
    let wide = try cost(
      image, MaxPooling(kernel: (101, 101), stride: (1, 1), padding: .same))
    #expect(wide.work == 8 * 2 * 16_384 + 101 * 101 * 16_384)
    // Multiply-adds of a convolution, and its image twice; weights count as multiply-adds alone.
    let convolved = try cost(image, Convolution(kernel: 3, channels: 8, name: "c"))
    #expect(convolved.work == 9 * 16 * 8 * 1024 + 8 * (16_384 + 16_384) + 8192)
  }

  /// Boxes are compared with those that are taken.
  @Test func suppression() throws {
    let boxes = Input(shape: [1000, 4]), scores = Input(shape: [3, 1000])
    let model = Model(
      inputs: [boxes, scores],
      outputs: [
        [boxes, scores]
          --> NonMaximumSuppression(
            maximumPerClass: 10, iouThreshold: 0.5, scoreThreshold: 0)
      ])
    // 30 rows of 3 numbers, each with 1,000 comparisons.
    #expect(try cost(model).work == 8 * (4000 + 3000 + 90) + 4 * 1000 * 90)
  }

  /// Values count from where they are made to where they are last read.
  @Test func memory() throws {
    let input = Input(shape: [1000])
    var chain = input
    for _ in 0..<10 { chain = chain --> Activation(.sigmoid) }
    // The operand and the result of a layer.
    #expect(try cost(Model(input: input, output: chain)).bytes == 2 * 4000)
    let kept = [
      input --> Activation(.tanh), input --> Activation(.sigmoid), input --> Activation(.relu),
    ]
    let sum = kept --> Add()
    // The input and three results; the sum takes place of its own.
    let bytes = try cost(Model(input: input, output: sum)).bytes
    #expect(bytes >= 4 * 4000 && bytes <= 6 * 4000)
    // Channels of images are in groups of 16.
    let image = Input(width: 10, height: 10, channels: 3)
    #expect(try cost(image, Activation(.tanh)).bytes == 2 * 100 * 16 * 4)
  }

  /// Counts do not overflow.
  @Test func saturation() throws {
    let input = Input(shape: [1 << 20])
    let huge = try cost(input, Tile([1 << 19]))
    #expect(huge.bytes >= 1 << 41)
    #expect(huge.work >= 1 << 42)
  }
}
