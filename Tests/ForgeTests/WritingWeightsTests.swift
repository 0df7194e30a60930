import Forge
import ForgeHDF5
import ForgeTestSupport
import Foundation
import Testing

/// Weight files of whole models: a model loaded from its own file predicts the same bits.
@Suite struct WritingWeightsTests {
  private static func model() -> Model {
    let input = Input(width: 9, height: 7, channels: 3)
    let features =
      input --> Convolution(kernel: (3, 2), channels: 5, activation: .relu, name: "conv")
      --> BatchNormalization(name: "bn")
      --> DepthwiseConvolution(kernel: (3, 3), multiplier: 2, name: "depthwise")
      --> PReLU(name: "prelu")
    let shared = { (x: Tensor) in
      x --> PointwiseConvolution(channels: 4, useBias: false, name: "shared")
    }
    let sum = [shared(features), shared(features --> Activation(.tanh))] --> Add()
    return Model(input: input, output: sum --> Dense(neurons: 6, name: "fc"))
  }

  private func withFile(_ body: (String) throws -> Void) rethrows {
    let path = NSTemporaryDirectory() + "forge-weights-\(UUID().uuidString).h5"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  @Test(arguments: [HDF5Parameters.Matching.byName, .inOrder])
  func modelRoundTripPreservesBits(_ matching: HDF5Parameters.Matching) throws {
    let model = Self.model()
    let source = SeededParameters(seed: 3)
    let values = seededValues(count: 9 * 7 * 3, seed: 4)
    let expected = try model.compile(parameters: source).predict(values)
    try withFile { path in
      try HDF5Weights.write(model, parameters: source, to: path)
      let read = try HDF5Parameters(path, matching: matching)
      #expect(try model.compile(parameters: read).predict(values) == expected)
      // A dense layer is a matrix, as in Keras, and the shared weights are there once.
      let entries = try HDF5File(path).entries
      #expect(entries.first { $0.name == "/fc/fc/kernel:0" }?.sizes == [9 * 7 * 4, 6])
      #expect(entries.filter { $0.name.hasPrefix("/shared/") && !$0.sizes.isEmpty }.count == 1)
    }
  }

  @Test func invalidArguments() {
    withFile { path in
      let none = ParameterDictionary([:])
      let error = #expect(throws: CompileError.self) {
        try HDF5Weights.write(Self.model(), parameters: none, to: path)
      }
      #expect((error?.problems.count ?? 0) >= 8)
      let input = Input(width: 2, height: 2, channels: 1)
      let wrong = Model(input: input, output: input --> Convolution(kernel: (5, 5), channels: 0))
      #expect(throws: CompileError.self) {
        try HDF5Weights.write(wrong, parameters: SeededParameters(), to: path)
      }
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(throws: LoadError.self) {
        try HDF5Weights.write(Self.model(), parameters: SeededParameters(), to: "/nowhere/a.h5")
      }
    }
  }
}
