import Forge
import ForgeHDF5
import ForgeTestSupport
import Foundation
import Testing

/// Flattened images before parameters of sources with channels first.
///
/// `Scripts/references/make_flatten_references.py` has computed the numbers.
@Suite struct FlattenedImageTests {
  private struct Reference: Decodable {
    let sizes: [Int]
    @Numbers var input: [Float]
    let parameters: [String: Numbers]
    let outputs: [String: Numbers]
  }

  private let reference: Reference
  private let input: Tensor
  private let features: Tensor

  init() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    reference = try FixtureFile.decode(
      Reference.self, from: folder.appending(path: "Fixtures/flatten.safetensors"))
    input = Input(
      width: reference.sizes[0], height: reference.sizes[1], channels: reference.sizes[2])
    features = input --> Convolution(kernel: (1, 1), channels: 3, name: "conv")
  }

  /// The parameters in PyTorch's axis order.
  private func source(_ layout: ParameterLayout = .pytorch) -> NamedParameters {
    var values: [String: [ParameterType: any ParameterData]] = [:]
    for (name, numbers) in reference.parameters {
      let parts = name.split(separator: ".").map(String.init)
      values[parts[0], default: [:]][ParameterType(parts[1])] = StoredValues(
        numbers.wrappedValue, layout: layout)
    }
    return NamedParameters(values: values)
  }

  private func expect(
    _ output: Tensor, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let network = try Model(input: input, output: output).compile(
      parameters: source(), options: CompileOptions(verify: .samples(1)))
    let expected = try #require(reference.outputs[name]).wrappedValue
    let result = try network.predict(reference.input)
    #expect(
      zip(result, expected).allSatisfy { abs($0 - $1) < 1e-5 * max(1, abs($1)) },
      "\(result) instead of \(expected)", sourceLocation: sourceLocation)
  }

  @Test func denseLayers() throws {
    let dense = Dense(neurons: 5, name: "fc")
    try expect(features --> dense, "dense")
    try expect(features --> Flatten() --> dense, "dense")
    try expect(features --> Reshape(to: [-1]) --> dense, "dense")
    try expect(features --> Reshape(to: [1, -1, 1]) --> dense, "dense")
    try expect(features --> Flatten() --> Dropout(rate: 0.5) --> Flatten() --> dense, "dense")
    try expect(features --> Flatten() --> Activation(.relu) --> dense, "relu")
    try expect(features --> Activation(.relu) --> Flatten() --> dense, "relu")
    try expect(
      features --> Flatten() --> PointwiseConvolution(channels: 5, name: "fc"), "dense")
    // An image again.
    try expect(
      features --> Flatten() --> Reshape(width: 4, height: 3, channels: 3) --> dense, "dense")
    // Permuted to the order in which the weights are.
    try expect(features --> Permute(order: [2, 0, 1]) --> Flatten() --> dense, "dense")
    try expect(features --> Permute(order: [2, 0, 1]) --> dense, "dense")
  }

  @Test func parametersPerElement() throws {
    let dense = Dense(neurons: 5, name: "fc")
    try expect(features --> Flatten() --> BatchNormalization(name: "norm") --> dense, "norm")
    try expect(features --> Flatten() --> PReLU(name: "act") --> dense, "slopes")
    try expect(features --> Flatten() --> PReLU(shared: [], name: "act") --> dense, "slopes")
  }

  /// A file for Keras has one axis per vector, in the order of a channels-last flatten.
  @Test func writtenForKeras() throws {
    let model = Model(
      input: input,
      output: features --> Flatten() --> BatchNormalization(name: "norm")
        --> Dense(neurons: 5, name: "fc"))
    let path = NSTemporaryDirectory() + "forge-flat-\(UUID().uuidString).h5"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try HDF5Weights.write(model, parameters: source(), to: path)
    let network = try model.compile(parameters: HDF5Parameters(path))
    let result = try network.predict(reference.input)
    #expect(try result == model.compile(parameters: source()).predict(reference.input))
    let sizes = Dictionary(
      uniqueKeysWithValues: try HDF5File(path).entries.map { ($0.name, $0.sizes) })
    #expect(sizes["/norm/norm/gamma:0"] == [36])
    #expect(sizes["/fc/fc/kernel:0"] == [36, 5])
  }

  /// Weights of channels-last sources have the order of Forge's flatten.
  @Test func channelsLastKeepsItsBits() throws {
    let seeded = SeededParameters()
    let values = seededValues(count: input.shape?.elementCount ?? 0, seed: 3)
    let dense = Dense(neurons: 5, name: "fc")
    let expected = try Model(input: input, output: features --> Flatten() --> dense)
      .compile(parameters: seeded).predict(values)
    for layout in [ParameterLayout.forge, .keras] {
      let network = try Model(input: input, output: features --> Flatten() --> dense)
        .compile { name, _, type in
          let count = name == "conv" ? (type == .weights ? 6 : 3) : type == .weights ? 180 : 5
          let spec = try #require(
            [
              ParameterSpec(
                layer: "conv", .weights, [.outputs: 3, .height: 1, .width: 1, .inputs: 2]),
              ParameterSpec(layer: "conv", .biases, [.outputs: 3]),
              ParameterSpec(
                layer: "fc", .weights, [.outputs: 5, .height: 1, .width: 1, .inputs: 36]),
              ParameterSpec(layer: "fc", .biases, [.outputs: 5]),
            ].first { $0.layer == name && $0.type == type && $0.count == count })
          let numbers = seeded.values(for: spec)
          guard layout == .keras, type == .weights else { return StoredValues(numbers) }
          let (rows, columns) = (spec.sizes[0], spec.sizes[3])
          let turned = (0..<numbers.count).map { numbers[$0 % rows * columns + $0 / rows] }
          return StoredValues(turned, layout: .keras)
        }
      #expect(try network.predict(values) == expected)
    }
  }

  @Test func rearrangedImagesAreRefused() throws {
    let flat = features --> Flatten()
    func dense(_ line: Int) -> Dense {
      Dense(neurons: 5, name: "fc", fileID: "App/Net.swift", line: line, column: 9)
    }
    func error(_ output: Tensor, _ layout: ParameterLayout = .pytorch) -> String? {
      do {
        let parameters = SeededParameters()
        _ = try Model(input: input, output: output).compile(
          parameters: LayoutParameters(parameters: parameters, layout: layout))
        return nil
      } catch {
        return "\(error)"
      }
    }
    let joined = Concatenate([flat, flat]) --> dense(4)
    #expect(
      error(joined) == """
        App/Net.swift:4:9: layer 4 "fc" (Dense): the order of the weights is not known
          received  values with channels first from memory, for a flattened image
          needs     a flattened image that is not rearranged, as it is here by concatenate
          remedy    join or cut images before they are flattened, or reorder the values and pass \
        them with layout: .forge, as in a ParameterDictionary
        """)
    #expect(error(joined, .forge) == nil)
    #expect(error(joined, .keras) == nil)
    let mixed = [
      features --> Permute(order: [2, 1, 0]) --> Flatten() --> dense(5),
      features --> Reshape(to: [12, 3]) --> dense(6),
      features --> Reshape(to: [9, 4]) --> Flatten() --> dense(7),
      [flat, flat --> Dense(neurons: 36, name: "other")] --> Add() --> dense(8),
      Concatenate([flat, flat]) --> BatchNormalization(name: "norm"),
    ]
    for output in mixed {
      #expect(error(output)?.contains("is not known") == true)
      #expect(error(output, .keras) == nil)
    }
    // One layer after two images of other sizes.
    let shared = Dense(neurons: 5, name: "fc", fileID: "App/Net.swift", line: 9, column: 9)
    let turned = features --> Reshape(width: 3, height: 4, channels: 3) --> Flatten()
    #expect(
      error([flat --> shared, turned --> shared] --> Add())?.contains(
        "as it is here by the use of its layer at several places") == true)
    // Images joined first, and channels normalized in a list of pixels, are not rearrangements.
    #expect(error(Concatenate([features, features]) --> Flatten() --> dense(10)) == nil)
    #expect(
      error(features --> Reshape(to: [12, 3]) --> BatchNormalization(name: "norm")) == nil)
  }
}

/// Seeded values that state a layout.
private struct LayoutParameters: ParameterSource {
  let parameters: SeededParameters
  let layout: ParameterLayout

  func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
    spec.axes.count == 1 && layout != .pytorch
      ? StoredValues(parameters.values(for: spec))
      : StoredValues(parameters.values(for: spec), layout: layout)
  }
}
