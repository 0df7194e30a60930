import Forge
import ForgeTestSupport
import Foundation
import Testing

/// Vectors that become images, with weights of sources with channels first.
///
/// `Scripts/references/make_unflattened_references.py` has computed the numbers.
@Suite struct UnflattenedImageTests {
  private static let path = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/unflattened.safetensors").path

  private let image = Input(width: 5, height: 4, channels: 3)

  /// The values of a tensor of the fixture.
  private func values(_ name: String) throws -> [Float] {
    var result: [Float] = []
    try SafeTensors(Self.path).data(named: name).withUnsafeBytes { bytes in
      result = Array(bytes.bindMemory(to: Float.self))
    }
    return result
  }

  /// Expects a source with channels first to be refused with exactly this text.
  private func expectRefusal(
    _ text: String, _ output: Tensor, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: CompileError.self, sourceLocation: sourceLocation) {
      try Model(input: image, output: output).compile(parameters: SeededValues())
    }
    #expect(error?.description == text, sourceLocation: sourceLocation)
  }

  private func dense(_ name: String, neurons: Int = 6) -> Dense {
    Dense(neurons: neurons, name: name, fileID: "App/Net.swift", line: 9, column: 7)
  }

  /// The remedy of ``outputsThatBecomeAnImage()``.
  @Test func permutationRestoresTheOrder() throws {
    let input = Input(width: 1, height: 1, channels: 5)
    let convolution = Convolution(kernel: (3, 3), channels: 2, name: "conv")
    let (relu, order) = (Activation(.relu), Permute(order: [1, 2, 0]))
    let vector = input --> dense("fc", neurons: 24)
    for output in [
      vector --> Reshape(to: [4, 2, 3]) --> order --> relu --> convolution,
      vector --> Reshape(to: [4, 2, 3]) --> relu --> order --> convolution,
      vector --> relu --> Reshape(to: [4, 2, 3]) --> Dropout(rate: 0.5) --> order --> convolution,
    ] {
      let network = try Model(input: input, output: output).compile(
        parameters: SafeTensorsParameters(Self.path), options: CompileOptions(verify: .samples(2)))
      expectClose(
        try network.predict(values("input")), try values("output"), relativeL2: 1e-6)
    }
  }

  @Test func outputsThatBecomeAnImage() {
    let text = """
      App/Net.swift:9:7: layer 1 "fc" (Dense): the order of the weights is not known
        received  values with channels first from memory, for outputs that become an image
        needs     outputs in the order height, width, channels of 3×2×4 (width×height×channels)
        remedy    Reshape(to: [4, 2, 3]) --> Permute(order: [1, 2, 0]), or reorder the values and \
      pass them with layout: .forge, as in a ParameterDictionary
      """
    let vector = image --> dense("fc", neurons: 24)
    let unflattened = vector --> Reshape(width: 3, height: 2, channels: 4)
    expectRefusal(text, unflattened)
    expectRefusal(text, unflattened --> Convolution(kernel: (3, 3), channels: 2, name: "conv"))
    expectRefusal(
      text,
      vector --> Activation(.relu) --> Flatten() --> Reshape(to: [2, 3, 4]) --> Activation(.relu)
        --> GlobalAveragePooling())
  }

  @Test func outputsOfOnePixelHaveNoOrder() {
    let output = image --> dense("fc", neurons: 24) --> Reshape(width: 1, height: 1, channels: 24)
    #expect(throws: Never.self) {
      try Model(input: image, output: output --> PointwiseConvolution(channels: 3, name: "conv"))
        .compile(parameters: SeededValues())
    }
  }

  /// A vector that becomes an image and a vector again is in no other order.
  @Test func outputsFlattenedAgainKeepTheirOrder() throws {
    let direct = image --> dense("fc", neurons: 24)
    let again = direct --> Reshape(width: 3, height: 2, channels: 4) --> Flatten()
    let values = seededValues(count: 60, seed: 5)
    let outputs = try [direct, again].map {
      try Model(input: image, output: $0 --> dense("fc2")).compile(parameters: SeededValues())
        .predict(values)
    }
    #expect(outputs[0] == outputs[1])
  }

  /// A window over a flattened image holds other values in each order.
  @Test func poolingAcrossAFlattenedImageIsRefused() {
    expectRefusal(
      """
      App/Net.swift:9:7: layer 3 "fc" (Dense): the order of the weights is not known
        received  values with channels first from memory, for a flattened image
        needs     a flattened image that is not rearranged, as it is here by pooling
        remedy    join or cut images before they are flattened, or reorder the values and pass \
      them with layout: .forge, as in a ParameterDictionary
      """,
      image --> Reshape(width: 60, height: 1, channels: 1)
        --> MaxPooling(kernel: (3, 1), stride: (1, 1), padding: .same) --> dense("fc"))
  }

  @Test func channelsLastIsAccepted() throws {
    let output = image --> dense("fc", neurons: 24) --> Reshape(to: [2, 3, 4])
    for layout in [ParameterLayout.keras, .forge] {
      #expect(throws: Never.self) {
        try Model(input: image, output: output).compile(parameters: SeededValues(layout: layout))
      }
    }
  }
}

/// Seeded values in one order, whatever the axes of a parameter are.
private struct SeededValues: ParameterSource {
  var layout = ParameterLayout.pytorch

  func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
    StoredValues(seededValues(count: spec.count, seed: UInt64(spec.count)), layout: layout)
  }
}
