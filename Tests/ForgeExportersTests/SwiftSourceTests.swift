import Forge
import ForgeExporters
import ForgeModels
import ForgeTestSupport
import Foundation
import Testing

/// Models that are written as Swift source.
///
/// Scripts/check swift-source compiles and runs it.
@Suite struct SwiftSourceTests {
  /// Layers whose arguments are Swift code or trained trees, and one of the tests themselves.
  static let unwritten: Set<String> = ["Custom", "TreeEnsemble", "GatherChannels"]

  @Test(arguments: LayerCase.all)
  func layerIsWritten(_ layer: LayerCase) {
    for (number, x) in [(1, 0.25), (3, -1.5)] as [(Int, Float)] {
      for value in layer.layers(LayerCase.Arguments(number, x, name: "a \"b\"")) {
        guard let call = value.swiftCall else {
          #expect(Self.unwritten.contains("\(type(of: value))"), "\(value)")
          continue
        }
        #expect(call.hasPrefix("\(type(of: value))("))
        #expect(call.hasSuffix("name: \"a \\\"b\\\"\")"), "\(call)")
      }
    }
  }

  @Test func callsLeaveDefaultsOut() {
    let layers: [(any Layer, String)] = [
      (Dense(neurons: 3), "Dense(neurons: 3)"),
      (
        Convolution(kernel: 3, channels: 8, padding: 1, activation: .leakyReLU(slope: 0.1)),
        "Convolution(kernel: (3, 3), channels: 8, padding: .all(1), "
          + "activation: .leakyReLU(slope: 0.1))"
      ),
      (Softmax(), "Softmax()"), (Softmax(axis: 0), "Softmax(axis: 0)"),
      (
        Bidirectional(LSTM(units: 4, projection: 2, form: .onnx), merge: .sum),
        "Bidirectional(LSTM(units: 4, projection: 2, form: .onnx), merge: .sum)"
      ),
      (TimeDistributed(Dense(neurons: 2)), "TimeDistributed(Dense(neurons: 2))"),
      (
        MultiHeadAttention(
          heads: 4, keyChannels: 8, isCausal: true, rotary: .halves(channels: 4), name: "a"),
        "MultiHeadAttention(heads: 4, keyChannels: 8, valueChannels: 8, isCausal: true, "
          + "rotary: .halves(channels: 4), name: \"a\")"
      ),
      (Scale(by: [2, -0.0]), "Scale(by: [2, -0.0])"),
      (
        Add(constant: Array(repeating: 0.5, count: 20)),
        "Add(constant: [Float](repeating: 0.5, count: 20))"
      ),
      (Add(constant: [.infinity, .nan]), "Add(constant: [.infinity, .nan])"),
      (PReLU(shared: [.height, .width]), "PReLU(shared: [.height, .width])"),
    ]
    for (layer, text) in layers { #expect(layer.swiftCall == text || text.contains("nan")) }
  }

  /// Blocks with a sum each.
  private var residual: Model {
    let image = Input(width: 16, height: 16, channels: 3, name: "image")
    var x = image --> Convolution(kernel: 3, channels: 8, name: "stem")
    for index in 1...4 {
      let y =
        x --> Convolution(kernel: 3, channels: 8, name: "block\(index).conv1") --> ReLU()
        --> Convolution(kernel: 3, channels: 8, name: "block\(index).conv2")
      x = [x, y] --> Add()
    }
    return Model(input: image, output: x --> Dense(neurons: 5, name: "classes"))
  }

  @Test func repeatedBlocksAreALoop() throws {
    let source = try residual.swiftSource(options: SwiftOptions(name: "Residual"))
    #expect(
      source == """
        // Written by Forge.

        import Forge

        /// A network.
        enum Residual {
          /// The layers, without the weights.
          static func model() -> Model {
            let image = Input(width: 16, height: 16, channels: 3, name: "image")
            let stem = image --> Convolution(kernel: (3, 3), channels: 8, name: "stem")
            var x = stem
            for index in 1..<5 {
              let conv2 = x
                --> Convolution(kernel: (3, 3), channels: 8, name: "block\\(index).conv1")
                --> Activation(.relu)
                --> Convolution(kernel: (3, 3), channels: 8, name: "block\\(index).conv2")
              x = [x, conv2] --> Add()
            }
            let classes = x --> Dense(neurons: 5, name: "classes")
            return Model(input: image, output: classes)
          }

          /// The network with the weights of `Residual.safetensors`, ready to predict.
          static func compiled(
            weights path: String, options: CompileOptions = CompileOptions()
          ) throws -> CompiledModel {
            let weights = try SafeTensorsParameters(path, layout: .forge)
            return try model().compile(parameters: weights, options: options)
          }
        }

        """)
    let plain = try residual.swiftSource(options: SwiftOptions(hasLoops: false))
    #expect(!plain.contains("for index"))
    #expect(plain.contains("name: \"block4.conv2\""))
  }

  @Test func encoderIsALoop() throws {
    let tokens = Input(shape: [.upTo(12), 16], name: "tokens")
    var x = tokens
    for index in 0..<12 {
      x = x --> TransformerEncoder(heads: 4, hidden: 24).named("layer\(index)")
    }
    let source = try Model(input: tokens, output: x).swiftSource()
    #expect(source.contains("for index in 0..<12 {"))
    #expect(source.contains("name: \"layer\\(index).attention\""))
    #expect(source.contains("Input(shape: [.upTo(12), 16], name: \"tokens\")"))
    #expect(source.components(separatedBy: "MultiHeadAttention").count == 2)
  }

  @Test func sharedLayersAreConstants() throws {
    let (a, b) = (Input(shape: [4], name: "a"), Input(shape: [4], name: "b"))
    let shared = Dense(neurons: 3, name: "shared")
    let sum = [a --> shared, b --> shared] --> Add()
    let source = try Model(inputs: [a, b], outputs: [sum]).swiftSource()
    #expect(source.contains("let shared = Dense(neurons: 3, name: \"shared\")"))
    #expect(source.contains("a --> shared\n"))
  }

  @Test func namesDoNotLeaveTheirLiterals() throws {
    let name = "a\\\"); fatalError(\"\u{202E}\u{7}\u{200D}é\n// x"
    let input = Input(shape: [4], name: "class")
    var model = Model(input: input, output: input --> Identity(name: "x\\(1)"))
    model.metadata.name = name
    model.metadata.labels = [name]
    model.metadata.values[name] = name
    let source = try model.swiftSource()
    let escaped = #""a\\\"); fatalError(\"\u{202E}\u{7}\u{200D}é\n// x""#
    #expect(source.contains("metadata.values[\(escaped)] = \(escaped)"))
    #expect(source.contains(#"name: "x\\(1)""#))
    #expect(source.contains("let class_ = Input(shape: [4], name: \"class\")"))
    #expect(!source.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{7}" })
    #expect(!source.split(separator: "\n").contains { $0.hasPrefix("// x") })
  }

  @Test func refusalsNameAllLayers() throws {
    let input = Input(shape: [2, 3], name: "x")
    let values = (0..<5000).map { Float($0) }
    let output =
      input --> Custom(name: "mine") { _, _ in }
      --> TimeDistributed(Dense(neurons: 5000), name: "d")
      --> Add(constant: values, name: "offsets")
    do {
      _ = try Model(input: input, output: output).swiftSource()
      Issue.record("it was written")
    } catch let error as ExportError {
      #expect(error.problems.map { $0.layer?.name } == ["mine", "offsets"])
      #expect(error.description.contains("a constant of 5000 numbers"))
    }
  }

  @Test func filesAreWritten() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var model = Model.mobileNetV1(alpha: 0.25, size: 32, classes: 3)
    #expect(throws: ExportError.self) { try model.write(swift: folder.path) }
    model.parameters = RandomParameters(seed: 1)
    let paths = try model.write(swift: folder.path, options: SwiftOptions(name: "mobile net"))
    #expect(paths == ["MobileNet.swift", "MobileNet.safetensors"].map { folder.path + "/" + $0 })
    let weights = try SafeTensorsParameters(paths[1], layout: .forge)
    let values = seededValues(count: 32 * 32 * 3, seed: 2)
    let own = try model.compile().predict(values)
    #expect(try model.compile(parameters: weights).predict(values) == own)
  }

  @Test func interfaceHasNamesAndSizes() throws {
    let image = Input(width: 4, height: 3, channels: 3, name: "the image")
    let other = Input(
      shape: [.open("height", 32...96, step: 32), .open("class", 1...9), 2], name: "class")
    let outputs = [image --> GlobalAveragePooling(name: "1"), other --> Identity(name: "b/c")]
    var model = Model(inputs: [image, other], outputs: outputs)
    model.metadata.pictures["the image"] = PicturePreparation(scale: [0.5], fit: .center)
    model.metadata.labels = ["cat", "dog", "a\"b"]
    let options = SwiftInterfaceOptions(name: "net", sizes: ["class": [1, .upTo(3)]])
    let text = try model.swiftInterface(options: options)
    for line in [
      "import ForgeImages", "struct Net: Sendable {", "    var theImage: [Float]",
      "    var class_: [Float]", "    /// A size of this prediction: from 32 to 96 in steps of 32.",
      "    var height: Int", "    var class_2: Int", "    let output_1: TensorValues",
      "    let bC: TensorValues", "    \"cat\", \"dog\", \"a\\\"b\",",
      "      \"class\": [1, .upTo(3)],",
      "        prepared: ImagePreparation(PicturePreparation("
        + "width: 4, height: 3, scale: [0.5], fit: .center))",
      "    (\"the image\", [3, 4, 3]),",
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
  }
}
