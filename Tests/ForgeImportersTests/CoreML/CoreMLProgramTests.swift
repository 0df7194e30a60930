import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Small ML Programs against PyTorch and NumPy; Scripts/references/make_coreml_programs.py computed
/// the numbers.
@Suite struct CoreMLProgramTests {
  static let expected = Result {
    try ImporterFixtures.decode(
      "CoreML/Programs/expected.safetensors", as: [String: ReferenceCase].self)
  }

  static func path(_ name: String) -> String {
    ImporterFixtures.path("CoreML/Programs/\(name).mlpackage")
  }

  /// Imports a package, or a file in it, and compares its results.
  @discardableResult
  static func check(
    _ name: String, inside place: String = "", sizes: [String: [InputSize]] = [:],
    tolerance: Double = 1e-5
  ) throws -> ImportedModel {
    try check(
      try ModelFile(path(name) + place, sizes: sizes).imported(), name, tolerance: tolerance)
  }

  /// Compares the results of a model.
  @discardableResult
  static func check(
    _ imported: ImportedModel, _ name: String, tolerance: Double = 1e-5
  ) throws -> ImportedModel {
    let expected = try #require(try expected.get()[name])
    var inputs: [String: TensorValues] = [:]
    #expect(Set(imported.inputs.map(\.name)) == Set(expected.inputs.keys))
    for port in imported.inputs {
      let input = try #require(expected.inputs[port.name])
      #expect(port.sizes == input.sizes, "\(port.name)")
      inputs[port.name] = port.tensor(input.values)
    }
    #expect(Set(imported.outputs.map(\.name)) == Set(expected.outputs.keys))
    for threads in [1, 3] {
      let network = try imported.model.compile(options: .init(threads: .exactly(threads)))
      let predictions = try network.predict(inputs)
      for port in imported.outputs {
        let output = try #require(expected.outputs[port.name])
        #expect(port.sizes == output.sizes, "\(port.name)")
        let result: TensorValues = try #require(predictions[port.name])
        #expect(result.shape.sizes == port.forgeSizes, "\(port.name)")
        expectClose(
          port.values(result), output.values, relativeL2: tolerance, maximum: 10 * tolerance,
          "\(name): \(port.name)")
      }
    }
    return imported
  }

  /// Networks of PyTorch, as coremltools converts them.
  @Test(arguments: ["vision", "encoder", "fused", "tagger"])
  func networks(name: String) throws {
    try Self.check(name)
  }

  /// Every operation by itself.
  @Test(
    arguments: [
      "functions", "arrangements", "scattered", "windows", "later", "recurrent",
      "reversed_sequences", "resets_after",
    ])
  func operations(name: String) throws {
    try Self.check(name)
  }

  /// Weights in eight and fewer bits, in tables, in blocks, and sparse.
  @Test(arguments: ["compressed", "blocks", "nibbles", "sparse"])
  func compressedWeights(name: String) throws {
    try Self.check(name)
  }

  /// Matrices of 4-bit integers stay so for a row.
  @Test func rowsMultiplyNibbles() throws {
    let network = try ModelFile(Self.path("nibbles")).imported().model.compile()
    let products = network.report.steps.map(\.kernel).filter { $0.hasPrefix("4-bit product") }
    // The blocks of one of the five matrices are too small.
    #expect(products.count == 4)
  }

  /// `quantize` and `dequantize` around layers, which compute with integers.
  @Test func quantizedActivations() throws {
    let network = try Self.check("integers").model.compile()
    let kernels = network.report.steps.map(\.kernel)
    #expect(kernels.filter { $0.hasPrefix("integer convolution 3×3") }.count == 2)
    #expect(kernels.contains { $0.hasPrefix("integer convolution 1×1") })
  }

  /// Weights of half precision are exact; the other constants of the file are rounded to it.
  @Test func halfPrecision() throws {
    let imported = try Self.check("half", tolerance: 1e-3)
    #expect(imported.inputs.map(\.elementType) == [.float32])
  }

  @Test func imageWithLabels() throws {
    let imported = try Self.check("classifier")
    #expect(imported.model.metadata.labels == ["ant", "bee", "cat", "dog", "eel"])
    #expect(imported.inputs.map(\.axes) == [[2, 3, 1]])
  }

  @Test func programsInAPipeline() throws {
    let imported = try Self.check("chain")
    #expect(imported.model.layers.filter { $0.parameterCount > 0 }.count == 2)
  }

  @Test func theDefaultFunctionIsRead() throws { try Self.check("choice") }

  @Test func aFunctionByName() throws {
    for (function, name) in [("first", "choice first"), ("second", "choice")] {
      var options = ImportOptions()
      options.function = function
      try Self.check(
        try ImportedModel(coreML: Self.path("choice"), options: options), name)
    }
  }

  @Test func functionsAreNamed() throws {
    func problem(_ path: String, _ function: String) -> ImportError? {
      var file = ModelFile(path)
      file.options.function = function
      return #expect(throws: ImportError.self) { try file.imported() }
    }
    let error = problem(Self.path("choice"), "third")
    #expect(error?.kind == .unknownName)
    #expect(error?.headline == "the model has no function \"third\"")
    #expect(error?.needs == "one of first, second")
    #expect(problem(Self.path("tagger"), "first")?.needs == "one of main")
    for file in ["CoreML/windows.mlmodel", "ONNX/classifier.onnx"] {
      let none = problem(ImporterFixtures.path(file), "main")
      #expect(none?.headline == "the file has no functions to choose from", "\(file)")
    }
    let facts = try ModelFile(Self.path("choice")).facts()
    #expect(facts.contains(ModelFact("functions", "first, second")))
  }

  /// The model of a package from memory, its weights by a closure.
  @Test func aPackageFromBytes() throws {
    let folder = URL(filePath: Self.path("half")).appending(path: "Data/com.apple.CoreML")
    let bytes = try [UInt8](Data(contentsOf: folder.appending(path: "model.mlmodel")))
    var options = ImportOptions()
    let missing = #expect(throws: ImportError.self) {
      try ImportedModel(coreML: bytes, options: options)
    }
    #expect(missing?.kind == .fileMissing)
    options.externalData = { name in
      #expect(name == "weights/weight.bin")
      return ExternalData(try [UInt8](Data(contentsOf: folder.appending(path: name))))
    }
    try Self.check(
      try ImportedModel(coreML: bytes, name: "half", options: options), "half", tolerance: 1e-3)
  }

  @Test func labelsThatAreNumbers() throws {
    let imported = try Self.check("numbered", tolerance: 2e-3)
    #expect(imported.model.metadata.labels == ["3", "5", "7", "11", "13"])
  }

  @Test func integersAreStated() throws {
    let imported = try ImportedModel(coreML: Self.path("encoder"))
    #expect(imported.inputs.first { $0.name == "ids" }?.elementType == .int32)
  }

  @Test func sizesAreThoseOfTheFileOrOfTheCaller() throws {
    try Self.check("flexible", sizes: ["x": [1, 2, 8, 7]])
    var options = ImportOptions()
    options.largestOpenSize = nil
    let plain = try ImportedModel(coreML: Self.path("flexible"), options: options)
    #expect(plain.inputs.map(\.sizes) == [[1, 2, 6, 5]])
    #expect(plain.outputs.map(\.sizes) == [[1, 3, 5, 4]])
  }

  @Test func lengthsThatVaryAreRefused() throws {
    let options = ImportOptions(sizes: ["x": [1, 2, .upTo(8), 7]])
    let error = #expect(throws: ImportError.self) {
      try ImportedModel(coreML: Self.path("flexible"), options: options)
    }
    #expect(error?.kind == .unsupported)
    #expect(error?.received == "[1, 2, .upTo(8), 7]")
  }

  @Test func theModelFileInsideIsReadToo() throws {
    try Self.check("half", inside: "/Data/com.apple.CoreML/model.mlmodel", tolerance: 1e-3)
    try Self.check("tagger", inside: "/")
  }

  /// A fused layer, not the operations that PyTorch wrote out.
  @Test func attentionIsRecognized() throws {
    let network = try ImportedModel(coreML: Self.path("encoder")).model.compile()
    #expect(network.summary(.detailed).contains("ttention"))
  }

  @Test func everythingUnsupportedIsListed() throws {
    let error = #expect(throws: ImportError.self) {
      try Model(coreML: Self.path("unsupported"))
    }
    #expect(error?.kind == .unsupported)
    #expect(
      error?.received == """
        sliding_windows: 1 node ("cells")
        resize_bilinear with sampling_mode "OFFSET_CORNERS": 1 node ("offset")
        random_normal: 2 nodes ("noise", "random_normal_1")
        """)
  }

  @Test func factsNameTheOperations() throws {
    let facts = try ModelFile(Self.path("tagger")).facts()
    #expect(facts.contains(ModelFact("opset", "CoreML6")))
    #expect(
      facts.contains(ModelFact("operations", "expand_dims 2, lstm 2, transpose 2, linear 1")))
  }
}
