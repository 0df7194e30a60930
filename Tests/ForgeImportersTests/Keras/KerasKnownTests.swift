import Forge
import ForgeImporters
import ForgeLoaders
import ForgeTestSupport
import Foundation
import Testing

/// Every layer, function and activation of Keras that Forge knows has a case by Keras.
@Suite struct KerasKnownTests {
  /// Layers that no Keras 3 saves, each with a case below.
  private static let older: Set<String> = [
    "Merge", "ThresholdedReLU", "RandomHeight", "RandomWidth",
  ]
  /// Functions that only TensorFlow has, each with a case below.
  private static let functionsOfTensorFlow: Set<String> = ["flatten", "identity"]

  /// The classes, operations and activations in descriptions.
  private struct Found {
    var layers: Set<String> = []
    var functions: Set<String> = []
    var activations: Set<String> = []

    mutating func add(_ json: JSONValue) {
      if let name = json["class_name"]?.text {
        if json["module"]?.text?.contains(".ops.") == true {
          functions.insert(KerasNames.snakeCase(name))
        } else {
          layers.insert(name)
        }
      }
      for (name, value) in json.object?.members ?? [] {
        if name.text.hasSuffix("activation"), let text = value.text { activations.insert(text) }
        add(value)
      }
      for value in json.array ?? [] { add(value) }
    }
  }

  private static func found() throws -> Found {
    var found = Found()
    for known in KerasFunctionTests.cases {
      found.add(try JSONValue.python(known.description, name: known.name))
    }
    for folder in [
      "Keras", "KerasLayers", "KerasMasks", "KerasNested", "KerasCalls", "KerasQuantized",
      "KerasSpectra",
    ] {
      let path = ImporterFixtures.path(folder)
      for file in try FileManager.default.contentsOfDirectory(atPath: path)
      where file.hasSuffix(".keras") {
        let archive = try KerasArchive("\(path)/\(file)")
        found.add(try JSONValue.python(archive.configuration, name: file))
      }
    }
    return found
  }

  @Test func everythingHasACase() throws {
    let found = try Self.found()
    let layers = KerasKnown.layers.filter {
      !found.layers.contains($0) && !Self.older.contains($0)
    }
    #expect(layers == [])
    let functions = KerasKnown.functions.filter {
      !found.functions.contains($0) && !found.activations.contains($0)
        && !Self.functionsOfTensorFlow.contains($0)
    }
    #expect(functions == [])
    #expect(KerasKnown.activations.filter { !found.activations.contains($0) } == [])
  }

  @Test func namesAreThereOnce() {
    let names = KerasKnown.names
    #expect(Set(names.layers).count == names.layers.count)
    #expect(Set(names.functions).count == names.functions.count)
  }

  /// The result for one layer of Keras 2 on 6 numbers.
  private func result(
    _ layer: String, _ calls: String = #"[[["x", 0, 0, {}]]]"#, shape: String = "6",
    generation: Int = 2
  ) throws -> [Float] {
    let json = """
      {"class_name": "Model", "config": {"name": "net", "layers": [
        {"class_name": "InputLayer", "name": "x", "inbound_nodes": [],
         "config": {"name": "x", "batch_input_shape": [null, \(shape)]}},
        {\(layer), "name": "y", "inbound_nodes": \(calls)}],
       "input_layers": [["x", 0, 0]], "output_layers": [["y", 0, 0]]}}
      """
    let imported = try ImportedModel(kerasDescription: json, generation: generation)
    return try imported.model.compile().predict(Self.values)
  }

  private static let values: [Float] = [-3, 1.25, 0.5, -0.25, 2, 1]

  @Test func layersOfOlderVersions() throws {
    let twice = #"[[["x", 0, 0], ["x", 0, 0]]]"#
    for (mode, factor) in [("sum", 2), ("ave", 1), ("max", 1)] as [(String, Float)] {
      #expect(
        try result(
          #""class_name": "Merge", "config": {"name": "y", "mode": "\#(mode)"}"#, twice,
          generation: 1) == Self.values.map { $0 * factor })
    }
    #expect(
      try result(#""class_name": "ThresholdedReLU", "config": {"name": "y", "theta": 0.75}"#)
        == Self.values.map { $0 > 0.75 ? $0 : 0 })
    for name in ["RandomHeight", "RandomWidth"] {
      #expect(
        try result(
          #""class_name": "\#(name)", "config": {"name": "y", "factor": 0.2}"#, shape: "1, 2, 3")
          == Self.values)
    }
  }

  /// In Keras 2 a call in training changes pictures, and a crop resizes what it does not cut.
  @Test func augmentationOfKeras2() {
    for (name, arguments, what) in [
      ("RandomFlip", #"{"training": true}"#, "training true of a call"),
      ("RandomCrop", "{}", "a file of Keras 2"),
    ] {
      let error = #expect(throws: ImportError.self) {
        _ = try result(
          #""class_name": "\#(name)", "config": {"name": "y", "height": 1, "width": 2}"#,
          #"[[["x", 0, 0, \#(arguments)]]]"#, shape: "1, 2, 3")
      }
      #expect(error?.received?.contains(what) == true, "\(String(describing: error))")
    }
  }

  @Test func functionsOfTensorFlowAlone() throws {
    for function in ["layers.flatten", "identity"] {
      #expect(
        try result(
          #""class_name": "TFOpLambda", "config": {"name": "y", "function": "\#(function)"}"#,
          #"[["x", 0, 0, {}]]"#, shape: "2, 3") == Self.values)
    }
  }
}
