import Forge
import ForgeImporters
import ForgeTestSupport
import Testing

/// What a file says about its inputs, outputs and nodes.
@Suite struct DescriptionTests {
  /// Scripts/references/make_onnx_described.py makes it.
  private let path = ImporterFixtures.path("ONNX/Described/bgr.onnx")

  @Test func portsKeepWhatTheFileSays() throws {
    let imported = try ImportedModel(onnx: path)
    #expect(imported.inputs[0].about == "Pixels in BGR order,\nfrom 0 to 255")
    #expect(imported.outputs[0].about == "One score per color")
    #expect("\(imported.inputs[0])" == "image 1×3×6×5 f32, axes 2, 3, 1")
    #expect(ImportedModel.Port(name: "x", sizes: [4], axes: [nil, nil, 0]).about == nil)
    #expect(
      "\(ImportedModel.Port(name: "x", sizes: [4], axes: [nil, nil, 0]))" == "x 4 f32, axes –, –, 0"
    )
  }

  @Test(.shared("data/mlmodel"))
  func coreMLFeaturesAreDescribed() throws {
    let path = SharedFiles.data.appending(path: "mlmodel/mnistCNN.mlmodel").path
    let imported = try ImportedModel(coreML: path)
    #expect(imported.inputs[0].about == "Grayscale image of hand written digit")
    let entries = imported.model.layers.compactMap(\.place?.entry)
    #expect(entries.contains { $0.contains("\"conv2d_1\"") }, "\(entries)")
  }

  /// Layers name the node of the file, not a line inside Forge.
  @Test func layersNameTheirNodes() throws {
    let model = try Model(onnx: path)
    let places = model.layers.map { "\($0.place.map(\.description) ?? "none")" }
    #expect(places.allSatisfy { $0.hasPrefix(path) })
    let entries = Set(model.layers.compactMap(\.place?.entry))
    #expect(
      entries == [
        "Conv \"/stem/conv\"", "Conv \"/stem/again\"", "Softplus \"c\"",
        "GlobalAveragePool \"/head/pool\"",
      ])
    #expect(model.layers[0].description.hasSuffix("\(path): Conv \"/stem/conv\""))
    // Both convolutions have the same weights.
    #expect(try model.compile().predict([Float](repeating: 1, count: 90)).count == 3)
  }

  @Test func errorsOfCompilesNameTheNode() throws {
    var model = try Model(onnx: path)
    model.parameters = nil
    let error = #expect(throws: CompileError.self) {
      try model.compile { _, _, _ in nil }
    }
    #expect(
      error?.problems.first?.description == """
        \(path): Conv "/stem/conv": layer 1 "a" (Convolution): the weights are missing
          received  nil from the closure
          needs     9 values, 3×1×1×3 [O][H][W][I]
        """)
  }

  @Test func darknetLayersNameTheirSections() throws {
    let darknet = try ImportedDarknet(cfg: ImporterFixtures.path("Darknet/classifier.cfg"))
    let layer = try #require(darknet.imported.model.layers.first)
    #expect(layer.place?.entry == "[convolutional] \"convolutional0\"")
    #expect(
      darknet.imported.model.layers.allSatisfy {
        $0.place?.fileID.hasSuffix("classifier.cfg") ?? false
      })
  }
}
