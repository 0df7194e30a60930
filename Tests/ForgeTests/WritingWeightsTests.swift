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

  private func withFile(_ ending: String = "h5", _ body: (String) throws -> Void) rethrows {
    let path = NSTemporaryDirectory() + "forge-weights-\(UUID().uuidString).\(ending)"
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

  @Test(arguments: [ParameterLayout.pytorch, .keras, .forge])
  func safeTensorsRoundTripPreservesBits(_ layout: ParameterLayout) throws {
    let model = Self.model()
    let source = SeededParameters(seed: 3)
    let values = seededValues(count: 9 * 7 * 3, seed: 4)
    let expected = try model.compile(parameters: source).predict(values)
    try withFile("safetensors") { path in
      try SafeTensors.write(model, parameters: source, layout: layout, to: path)
      let read = try SafeTensorsParameters(path, layout: layout)
      #expect(try model.compile(parameters: read).predict(values) == expected)
      let tensors = try SafeTensors(path).tensors
      let matrix = layout == .keras ? [9 * 7 * 4, 6] : [6, 9 * 7 * 4]
      #expect(tensors.first { $0.name == "fc.weight" }?.sizes == matrix)
      #expect(tensors.filter { $0.name.hasPrefix("shared.") }.count == 1)
      // From one format to another and back.
      try withFile { other in
        try HDF5Weights.write(model, parameters: read, to: other)
        try SafeTensors.write(
          model, parameters: try HDF5Parameters(other), layout: layout, to: path)
        let again = try SafeTensorsParameters(path, layout: layout)
        #expect(try model.compile(parameters: again).predict(values) == expected)
      }
    }
  }

  /// Halves are read as the numbers that they are, by libhdf5 and by Forge.
  @Test func narrowTypes() throws {
    let model = Self.model()
    let source = SeededParameters(seed: 3)
    let values = seededValues(count: 9 * 7 * 3, seed: 4)
    try withFile { path in
      try HDF5Weights.write(model, parameters: source, as: .float16, to: path)
      let halves = try model.compile(parameters: HDF5Parameters(path)).predict(values)
      try withFile("safetensors") { other in
        try SafeTensors.write(model, parameters: source, as: .float16, to: other)
        let same = try model.compile(parameters: SafeTensorsParameters(other)).predict(values)
        #expect(same == halves)
      }
      let entry = try HDF5File(path).entries.first { $0.name == "/fc/fc/kernel:0" }
      #expect(entry?.elementType == .float16)
      for type in [StoredType.bfloat16, .int8] {
        let error = #expect(throws: LoadError.self) {
          try HDF5Weights.write(model, parameters: source, as: type, to: path)
        }
        #expect(error?.kind == .unsupported)
      }
    }
  }

  /// The names of scopes and the parameters of custom layers are names in files.
  @Test func scopesAndCustomParameters() throws {
    let scaled: @Sendable (Tensor) -> Tensor = { x in
      x --> Convolution(kernel: (1, 1), channels: 3, name: "conv")
        --> Custom(
          name: "scaled", parameters: { [ParameterType("scale"): [$0[0].channels]] }
        ) { inputs, parameters, output in
          for (index, value) in inputs[0].enumerated() {
            output[index] = value * parameters[0][index % parameters[0].count]
          }
        }
    }
    let input = Input(width: 3, height: 2, channels: 3)
    let model = Model(
      input: input,
      output: input --> Scope("stage1") { $0 --> Scope("a") { scaled($0) } }
        --> Scope("stage2") { scaled($0) })
    let values = seededValues(count: 18, seed: 4)
    let expected = try model.compile(parameters: SeededParameters()).predict(values)
    try withFile("safetensors") { path in
      try SafeTensors.write(model, parameters: SeededParameters(), to: path)
      #expect(
        try SafeTensors(path).tensors.map(\.name) == [
          "stage1.a.conv.weight", "stage1.a.conv.bias", "stage1.a.scaled.scale",
          "stage2.conv.weight", "stage2.conv.bias", "stage2.scaled.scale",
        ])
      let read = try SafeTensorsParameters(path)
      #expect(try model.compile(parameters: read).predict(values) == expected)
    }
    try withFile { path in
      try HDF5Weights.write(model, parameters: SeededParameters(), to: path)
      #expect(try model.compile(parameters: HDF5Parameters(path)).predict(values) == expected)
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
      #expect(throws: CompileError.self) {
        try SafeTensors.write(Self.model(), parameters: none, to: path)
      }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }
}
