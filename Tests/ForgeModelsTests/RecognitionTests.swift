import Forge
import ForgeGraph
import ForgeModels
import Testing

@Suite("Architecture recognition from weight files")
struct RecognitionTests {
  /// A network and what it is recognized as.
  struct Case: CustomTestStringConvertible {
    let name: String
    let make: @Sendable () -> Model
    var layer: @Sendable (String) -> String = { $0 }
    var testDescription: String { name }
  }

  /// The 2017 toolkit's names of a few layers and the rule of the others.
  private static let toolkitName: @Sendable (String) -> String = { layer in
    let numbers = [
      "2_1", "2_2", "3_1", "3_2", "4_1", "4_2", "5_1", "5_2", "5_3", "5_4", "5_5", "5_6", "6",
    ]
    let parts = layer.split(separator: "_")
    guard parts.count == 3, let index = Int(parts[2]) else {
      return layer == "conv_preds" ? "fc7" : layer
    }
    return "conv\(numbers[index - 1])_\(parts[1] == "dw" ? "dw" : "sep")"
  }

  /// Names of a later network of one Keras session: 94 layers of each kind came before.
  private static let laterName: @Sendable (String) -> String = { layer in
    for kind in ["conv2d", "batch_normalization"] where layer.hasPrefix(kind) {
      return "\(kind)_\(94 + (Int(layer.dropFirst(kind.count + 1)) ?? 0))"
    }
    return layer
  }

  static let cases = [
    Case(name: "lenet (3 classes)") { .leNet(classes: 3) },
    Case(name: "mobilenet (alpha 0.25, 7 classes)") { .mobileNetV1(alpha: 0.25, classes: 7) },
    Case(name: "mobilenet (alpha 0.7001953125, 2 classes)") {
      .mobileNetV1(alpha: 0.7001953125, classes: 2)
    },
    Case(name: "mobilenet (alpha 0.5, without a classifier)") {
      .mobileNetV1(alpha: 0.5, head: .features)
    },
    Case(
      name: "mobilenet (alpha 0.75, folded, 1001 classes)",
      make: { .mobileNetV1(alpha: 0.75, classes: 1001, isFolded: true) }, layer: toolkitName),
    Case(name: "mobilenetv2 (alpha 1.4, 10 classes)") { .mobileNetV2(alpha: 1.4, classes: 10) },
    Case(name: "mobilenetv2 (alpha 0.35, without a classifier)") {
      .mobileNetV2(alpha: 0.35, head: .features)
    },
    Case(name: "inceptionv3 (5 classes)") { .inceptionV3(classes: 5) },
    Case(
      name: "inceptionv3 (6 classes)", make: { .inceptionV3(classes: 6) }, layer: laterName),
    Case(name: "tinyyolo (5 anchors, 3 classes)") { .tinyYOLOV2(classes: 3) },
    Case(name: "squeezenet (9 classes)") { .squeezeNet(classes: 9) },
    Case(name: "resnet50 (without a classifier)") { .resNet50(head: .features) },
    Case(name: "vgg16 (size 96, 4 classes)") { .vgg16(size: 96, classes: 4) },
    Case(name: "vgg16 (without a classifier)") { .vgg16(head: .features) },
  ]

  @Test("The architecture and its arguments are recognized", arguments: cases)
  func recognizes(_ expected: Case) throws {
    let model = expected.make()
    let file = try SparseWeights(SparseWeights.entries(of: model, layer: expected.layer))
    let recognized = try RecognizedModel(weights: file.path)
    #expect(recognized.name == expected.name)
    #expect(recognized.model.parameterCount == model.parameterCount)
    #expect(recognized.model.parameters != nil)
  }

  @Test("The recognized network loads the file")
  func loads() throws {
    let model = Model.mobileNetV1(alpha: 0.25, classes: 7)
    let file = try SparseWeights(SparseWeights.entries(of: model))
    let network = try RecognizedModel(weights: file.path).model.compile()
    let output = try network.predict([Float](repeating: 0.5, count: 224 * 224 * 3))
    #expect(output == [Float](repeating: 1 / 7, count: 7))
  }

  /// The message of a file of these entries, which must fit nothing.
  private func message(_ entries: [String: SparseWeights.Entry]) throws -> String {
    let file = try SparseWeights(entries)
    let error = #expect(throws: RecognitionError.self) { try RecognizedModel(weights: file.path) }
    return error?.description.replacing(file.path, with: "FILE") ?? ""
  }

  private let needs = """
      needs     all parameters of one of lenet, mobilenet, mobilenetv2, inceptionv3, tinyyolo, \
    squeezenet, resnet50, vgg16, and no others
    """

  @Test func missingParameter() throws {
    var entries = SparseWeights.entries(of: .leNet())
    entries["conv2.bias"] = nil
    #expect(
      try message(entries) == """
        FILE: these are not the weights of a ready architecture
          nearest   lenet (10 classes): 7 of its 8 parameters fit
          misfits   conv2 has no biases, 50 [O], in the file
        \(needs)
        """)
  }

  @Test func wrongKernelSize() throws {
    var entries = SparseWeights.entries(of: .leNet())
    entries["conv2.weight"]?.shape = [50, 3, 3, 20]
    #expect(
      try message(entries) == """
        FILE: these are not the weights of a ready architecture
          nearest   lenet (10 classes): 7 of its 8 parameters fit
          misfits   FILE: conv2.weight: the weights of "conv2" have the wrong shape
                      received  50×3×3×20
                      needs     50×5×5×20 [O][H][W][I]
        \(needs)
        """)
  }

  @Test func extraLayers() throws {
    var entries = SparseWeights.entries(of: .leNet())
    entries["fc3.weight"] = SparseWeights.Entry(shape: [2, 10])
    #expect(
      try message(entries) == """
        FILE: these are not the weights of a ready architecture
          nearest   lenet (10 classes): 8 of its 8 parameters fit
          misfits   1 unknown layer: fc3
        \(needs)
        """)
  }

  @Test func unrelatedWeights() throws {
    #expect(
      try message(["stem.weight": SparseWeights.Entry(shape: [2, 10])]) == """
        FILE: these are not the weights of a ready architecture
          received  1 entry
          needs     one of lenet, mobilenet, mobilenetv2, inceptionv3, tinyyolo, squeezenet, \
        resnet50, vgg16
        """)
  }
}
