import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

@Suite struct BatchNormalizationTests {
  @Test(arguments: [
    image(7, 5, 11), image(nil, nil, 11), .vector(11), Shape(sizes: [13, 11]), Shape(sizes: [11]),
  ])
  func shapesAndParameters(input: Shape) throws {
    let layer = BatchNormalization()
    #expect(try layer.outputShape(for: [input]) == input)
    let specs = try layer.parameters(for: [input])
    #expect(specs.map(\.type) == [.gamma, .beta, .mean, .variance])
    #expect(specs.map(\.shapeText) == Array(repeating: "11 [C]", count: 4))
  }

  @Test func absentGammaAndBeta() throws {
    func types(_ layer: BatchNormalization) throws -> [ParameterType] {
      try layer.parameters(for: [image(7, 5, 11)]).map(\.type)
    }
    #expect(try types(BatchNormalization(scale: false)) == [.beta, .mean, .variance])
    #expect(try types(BatchNormalization(center: false)) == [.gamma, .mean, .variance])
    #expect(try types(BatchNormalization(center: false, scale: false)) == [.mean, .variance])
  }

  @Test func multiplyAdds() throws {
    // One for each of 7·5·11 values.
    #expect(try BatchNormalization().multiplyAdds(for: [image(7, 5, 11)]) == 385)
    #expect(try BatchNormalization().multiplyAdds(for: [image(nil, 5, 11)]) == 0)
  }

  @Test func lowering() throws {
    let lowered = try Lowered(BatchNormalization(epsilon: 0.25), image(nil, nil, 3))
    #expect(lowered.text == ["batchNormalization x0, gamma, beta, mean, variance"])
    guard case .batchNormalization(epsilon: 0.25) = lowered.nodes[0].primitive else {
      Issue.record("\(lowered.nodes[0].primitive)")
      return
    }
  }

  @Test func loweringOfAbsentParameters() throws {
    let unscaled = try Lowered(BatchNormalization(scale: false), image(7, 5, 3))
    #expect(unscaled.text == ["batchNormalization x0, [1.0, 1.0, 1.0], beta, mean, variance"])
    let bare = try Lowered(BatchNormalization(center: false, scale: false), image(7, 5, 2))
    #expect(bare.text == ["batchNormalization x0, [1.0, 1.0], [0.0, 0.0], mean, variance"])
    #expect(bare.constants.map(\.shape) == [Shape(sizes: [2]), Shape(sizes: [2])])
  }

  @Test(arguments: [-0.001, .nan, .infinity, -.infinity] as [Float])
  func epsilonOutOfRange(epsilon: Float) {
    expectError(
      BatchNormalization(epsilon: epsilon), [image(7, 5, 3)], .invalidArgument,
      """
      epsilon is out of range
        received  epsilon: \(epsilon)
        needs     a finite number of at least 0
      """)
  }

  @Test func otherErrors() throws {
    #expect(try BatchNormalization(epsilon: 0).outputShape(for: [.vector(2)]) == .vector(2))
    expectError(
      BatchNormalization(), [image(7, 5, nil)], .unknownSize,
      unknownSize("a known number of channels"))
    expectError(
      BatchNormalization(), [.vector(1 << 25)], .tooLarge,
      """
      the input has too many channels
        needs     at most 16777216 channels, not 33554432
      """)
  }
}

@Suite struct ScaleTests {
  @Test(arguments: [
    image(7, 5, 3), image(nil, nil, 3), .vector(3), Shape(sizes: [13, 3]), Shape(sizes: [3]),
  ])
  func shapes(input: Shape) throws {
    #expect(try Scale(by: [2], bias: [1]).outputShape(for: [input]) == input)
    #expect(try Scale(by: [1, 2, 3], bias: [4, 5, 6]).outputShape(for: [input]) == input)
    #expect(try Scale(by: [1, 2, 3]).parameters(for: [input]).isEmpty)
  }

  @Test func multiplyAdds() throws {
    // One for each of 7·5·3 values.
    #expect(try Scale(by: [2]).multiplyAdds(for: [image(7, 5, 3)]) == 105)
  }

  @Test func lowering() throws {
    let single = try Lowered(Scale(by: [0.5], bias: [-1]), image(nil, nil, 3))
    #expect(single.text == ["affine x0, [0.5, 0.5, 0.5], [-1.0, -1.0, -1.0]"])
    let each = try Lowered(Scale(by: [1, 2], bias: [3]), Shape(sizes: [4, 2]))
    #expect(each.text == ["affine x0, [1.0, 2.0], [3.0, 3.0]"])
    #expect(each.constants.map(\.shape) == [Shape(sizes: [2]), Shape(sizes: [2])])
  }

  @Test func errors() {
    expectError(
      Scale(by: [1, 2]), [image(7, 5, 3)], .invalidArgument,
      """
      by has the wrong number of values
        received  by: 2 values
        needs     1 value, or one for each of 3 channels
      """)
    expectError(
      Scale(bias: []), [image(7, 5, 1)], .invalidArgument,
      """
      bias has the wrong number of values
        received  bias: 0 values
        needs     1 value
      """)
    expectError(
      Scale(by: [.nan]), [image(7, 5, 3)], .invalidArgument,
      """
      by is out of range
        received  by: nan
        needs     a finite number
      """)
    expectError(
      Scale(bias: [0, .infinity, 1]), [image(7, 5, 3)], .invalidArgument,
      """
      bias is out of range
        received  bias: inf
        needs     a finite number
      """)
    expectError(
      Scale(), [image(7, 5, nil)], .unknownSize, unknownSize("a known number of channels"))
    expectError(
      Scale(), [.vector((1 << 24) + 1)], .tooLarge,
      """
      the input has too many channels
        needs     at most 16777216 channels, not 16777217
      """)
  }
}
