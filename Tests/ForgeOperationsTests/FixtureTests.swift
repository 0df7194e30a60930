import ForgeOperations
import ForgeShapes
import ForgeTestSupport
import Testing

/// The reference of each operation against other frameworks.
@Suite struct FixtureTests {
  /// What separates double precision from the single precision of ONNX Runtime and Pillow, and from
  /// outputs that are written as Float.
  static let relativeL2 = 2e-7
  /// TensorFlow resizes in single precision, the places it samples included.
  static let tensorFlowResizeL2 = 3e-6

  @Test(arguments: try Fixture.load("layers").cases)
  func referenceMatchesFixtures(_ testCase: FixtureCase) throws {
    let isTensorFlowResize =
      testCase.source.hasPrefix("keras") && ["resize", "upSampling"].contains(testCase.family)
    for output in try outputs(of: testCase) {
      #expect(output.actual.sizes == output.expected.sizes)
      expectClose(
        output.actual.floats, output.expected.values,
        relativeL2: isTensorFlowResize ? Self.tensorFlowResizeL2 : Self.relativeL2, output.name)
    }
  }

  /// Values of an activation may differ by many orders of magnitude: each is compared separately.
  @Test(arguments: try Fixture.load("layers").cases.filter { $0.family == "activation" })
  func activationValuesMatchFixtures(_ testCase: FixtureCase) throws {
    let input = try #require(testCase.inputs.first).values
    for output in try outputs(of: testCase) {
      for (x, (actual, expected)) in zip(input, zip(output.actual.floats, output.expected.values)) {
        if expected.isFinite {
          #expect(abs(actual - expected) <= 1e-6 * abs(expected) + 1e-12, "at \(x)")
        } else {
          #expect(actual == expected || (actual.isNaN && expected.isNaN), "at \(x)")
        }
      }
    }
  }

  /// The outputs of the executor beside those of the fixture.
  private func outputs(
    of testCase: FixtureCase
  ) throws -> [(name: String, actual: ReferenceTensor, expected: FixtureTensor)] {
    let lowered = try LoweredCase(testCase)
    let inputs = try testCase.inputs.map {
      try ReferenceTensor(sizes: $0.sizes, floats: $0.values)
    }
    let results = try ReferenceExecutor(lowered.graph).run(
      inputs: inputs, crops: lowered.crops, values: lowered.graph.outputs
    ) { lowered.parameters[$0] }
    return try zip(lowered.outputNames, lowered.graph.outputs).map { name, value in
      (name, try #require(results[value]), try #require(testCase.outputs[name]))
    }
  }

  @Test func everyOperationHasCases() throws {
    var seen: Set<String> = []
    for testCase in try Fixture.load("layers").cases {
      for node in try LoweredCase(testCase).graph.nodes {
        switch node.primitive {
        case .activation(let function):
          // The name without its numbers.
          seen.insert(String(function.description.prefix { $0 != "(" }))
        case .pooling(let kind, _): seen.insert("pooling \(kind)")
        case .globalPooling(let kind): seen.insert("globalPooling \(kind)")
        case .resize(_, let mode): seen.insert("resize \(mode)")
        default: seen.insert(node.primitive.name)
        }
      }
    }
    // A linear activation lowers to nothing, and custom bodies belong to no framework.
    let all: Set = [
      "convolution", "depthwiseConvolution", "dense", "softmax", "logSoftmax", "affine",
      "batchNormalization", "pad", "crop", "concatenate", "reshape", "permute", "gatherChannels",
      "pooling maximum", "pooling averageInside", "pooling averageAll",
      "globalPooling maximum", "globalPooling averageInside",
      "resize nearest", "resize bilinear", "resize bilinearAntialiased",
      "add", "subtract", "multiply", "maximum", "minimum", "prelu",
      "identity", "relu", "relu6", "clipped", "leakyReLU", "elu", "selu", "sigmoid", "tanh",
      "hardSigmoid", "hardSigmoidKeras2", "hardSigmoidLinear", "hardSwish", "swish", "mish",
      "gelu", "geluTanh", "softplus",
    ]
    #expect(seen == all)
  }

  @Test func casesAreDistinctAndNonzero() throws {
    let fixture = try Fixture.load("layers")
    #expect(Set(fixture.cases.map(\.name)).count == fixture.cases.count)
    #expect(fixture.versions.keys.contains("keras"))
    for testCase in fixture.cases {
      let tensors = testCase.inputs + testCase.parameters.values.flatMap(\.values)
      if testCase.name.hasSuffix("special") { continue }
      #expect(tensors.allSatisfy { !$0.values.contains(0) }, "\(testCase.name)")
    }
  }
}
