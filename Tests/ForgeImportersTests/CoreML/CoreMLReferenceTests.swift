import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Small models against NumPy; Scripts/references/make_coreml_models.py computed the numbers.
@Suite struct CoreMLReferenceTests {
  static let expected = Result {
    try ImporterFixtures.decode("CoreML/expected.safetensors", as: [String: ReferenceCase].self)
  }

  /// Imports a model and compares its results.
  static func check(
    _ name: String, options: ImportOptions = ImportOptions()
  ) throws -> ImportedModel {
    let expected = try #require(try expected.get()[name])
    let imported = try ImportedModel(
      coreML: ImporterFixtures.path("CoreML/\(name).mlmodel"), options: options)
    var inputs: [String: TensorValues] = [:]
    #expect(Set(imported.inputs.map(\.name)).isSubset(of: expected.inputs.keys))
    for port in imported.inputs {
      let input = try #require(expected.inputs[port.name])
      #expect(port.sizes.drop { $0 == 1 } == input.sizes.drop { $0 == 1 }, "\(port.name)")
      inputs[port.name] = port.tensor(input.values)
    }
    #expect(Set(imported.outputs.map(\.name)) == Set(expected.outputs.keys))
    for threads in [1, 3] {
      let network = try imported.model.compile(options: .init(threads: .exactly(threads)))
      let predictions = try network.predict(inputs)
      for port in imported.outputs {
        let output = try #require(expected.outputs[port.name])
        #expect(
          port.sizes.filter { $0 != 1 } == output.sizes.filter { $0 != 1 }, "\(port.name)")
        let result: TensorValues = try #require(predictions[port.name])
        #expect(result.shape.sizes == port.forgeSizes, "\(port.name)")
        expectClose(
          port.values(result), output.values, relativeL2: 1e-5, maximum: 1e-4,
          "\(name): \(port.name)")
      }
    }
    return imported
  }

  @Test(
    arguments: ["windows", "activations", "images", "arithmetic", "exact", "quantized", "dynamic"])
  func layers(name: String) throws {
    _ = try Self.check(name)
  }

  /// Functions, reductions, selections, updates at places and paddings.
  @Test(arguments: ["activations_later", "later", "later_exact", "single_exact", "scattered"])
  func furtherLayers(name: String) throws {
    _ = try Self.check(name)
  }

  @Test func colorImageWithMeanAndLabels() throws {
    let imported = try Self.check("classifier")
    #expect(imported.model.metadata.labels == ["ant", "bee", "cat", "dog", "eel"])
    #expect(imported.inputs.map(\.axes) == [[2, 3, 1]])
    #expect(imported.outputs.map(\.name) == ["prob"])
  }

  @Test func grayImageFlattenedChannelsLast() throws {
    let imported = try Self.check("flatten_last")
    #expect(imported.inputs.map(\.sizes) == [[1, 1, 7, 9]])
    #expect(imported.model.metadata.labels == [])
  }

  /// Numbers that are not set have the values of the specification.
  @Test func numbersThatAreNotSet() throws { _ = try Self.check("defaults") }

  /// Weights behind flattened and turned images have the order of the file.
  @Test func flattenedImages() throws { _ = try Self.check("flattened") }

  @Test func productsOfSeveralRanks() throws { _ = try Self.check("products") }

  @Test func inputThatNothingReads() throws {
    let bytes = try ImporterFixtures.bytes("CoreML/windows.mlmodel")
    // Repeated messages are merged: this adds a MultiArray of 3 Float32 to the description.
    let type: [UInt8] = [0x1a, 9, 0x2a, 7, 0x0a, 1, 3, 0x10, 0xa0, 0x80, 0x04]
    let feature = [0x0a, 7] + Array("nothing".utf8) + type
    let description = [0x0a, UInt8(feature.count)] + feature
    let imported = try ImportedModel(
      coreML: bytes + [0x12, UInt8(description.count)] + description, name: "net.mlmodel",
      options: ImportOptions())
    #expect(imported.inputs.map(\.name) == ["x"])
    #expect(imported.ignoredInputs == ["nothing"])
  }

  @Test func networksInAPipeline() throws {
    let imported = try Self.check("pipeline")
    #expect(imported.model.metadata.labels == ["7", "9"])
    #expect(imported.model.metadata.about == nil)
    #expect(imported.model.metadata.author == "Forge")
  }

  @Test func everythingUnsupportedIsListed() throws {
    do throws(ImportError) {
      _ = try Model(coreML: ImporterFixtures.path("CoreML/unsupported.mlmodel"))
      Issue.record("a model of layers that Forge does not have")
    } catch {
      #expect(error.kind == .unsupported)
      #expect(
        error.received == """
          pooling with type L2: 1 node ("l2")
          custom Swirl: 1 node ("mine")
          cropResize: 1 node ("cut")
          dot: 1 node ("side")
          resizeBilinear with ROI_ALIGN_MODE: 1 node ("roi")
          simpleRecurrent with the activation scaledTanh in a recurrent layer: 1 node ("steep")
          """)
    }
  }
}
