import Forge
import ForgeGraph
import ForgeModels
import Testing

@Suite("Invalid arguments are model errors")
struct ArgumentTests {
  @Test(
    "Invalid width multipliers",
    arguments: [0, -1, -0.001, .nan, .infinity, -.infinity, 1e300, .leastNonzeroMagnitude])
  func alpha(_ alpha: Double) {
    // The smallest multiple of 8 is a sensible answer of MobileNet v2 to a tiny alpha.
    if alpha != .leastNonzeroMagnitude { expectRefused(.mobileNetV2(alpha: alpha), "channels") }
    expectRefused(.mobileNetV1(alpha: alpha), "channels")
  }

  @Test("Non-positive and oversized input sizes", arguments: [0, -1, .min, .max])
  func size(_ size: Int) {
    for model in models(size: size) { expectRefused(model, "input") }
  }

  @Test("Mistakes are reported where the architecture is called")
  func place() throws {
    let line = UInt(#line) + 1
    let models: [Model] = [.leNet(classes: 0), .mobileNetV1(alpha: 0), .resNet50(size: 0)]
    let own = Model.leNet() --> Dense(neurons: 0, name: "own")
    for model in models + [own] {
      let error = #expect(throws: ModelError.self) { try model.check() }
      for problem in error?.problems ?? [] {
        let place = try #require(problem.place)
        #expect(place.fileID == #fileID)
        #expect(
          place.line == Int(line)
            + (model.metadata.name == own.metadata.name
              && problem.layer?.name == "own" ? 1 : 0))
      }
    }
  }

  @Test("Input sizes that give an empty output")
  func tooSmall() {
    expectRefused(.inceptionV3(size: 74), "max_pooling2d_3")
    expectRefused(.vgg16(size: 31), "block5_pool")
    expectRefused(.squeezeNet(size: 30), "pool5")
    expectRefused(.mobileNetV1(size: 16), "conv_dw_12")
  }

  @Test("The smallest valid size compiles", arguments: [75])
  func leastSize(_ size: Int) throws {
    for model in models(size: size) { try model.check() }
    try Model.vgg16(size: 32).check()
  }

  @Test("Invalid counts of classes and anchors", arguments: [0, -1, .min, .max])
  func classes(_ classes: Int) {
    expectRefused(.leNet(classes: classes), "fc2")
    expectRefused(.mobileNetV1(classes: classes), "conv_preds")
    expectRefused(.mobileNetV2(classes: classes), "predictions")
    expectRefused(.inceptionV3(classes: classes), "predictions")
    expectRefused(.squeezeNet(classes: classes), "conv10")
    expectRefused(.resNet50(classes: classes), "predictions")
    expectRefused(.vgg16(classes: classes), "predictions")
    expectRefused(.tinyYOLOV2(classes: classes), "conv9")
    expectRefused(.tinyYOLOV2(anchors: classes), "conv9")
  }

  @Test("The class count is ignored without a classifier")
  func noClassifier() throws {
    try Model.resNet50(classes: 0, head: .features).check()
    #expect(Model.mobileNetV1(alpha: 0.25, head: .features).parameterCount == 218_544)
  }

  private func models(size: Int) -> [Model] {
    [
      .mobileNetV1(size: size), .mobileNetV2(size: size), .inceptionV3(size: size),
      .tinyYOLOV2(size: size), .squeezeNet(size: size), .resNet50(size: size), .vgg16(size: size),
    ]
  }

  private func expectRefused(_ model: Model, _ word: String) {
    #expect(throws: ModelError.self) { try model.check() }
    do { try model.check() } catch {
      #expect("\(error)".contains(word), "\(error)")
    }
    // Printing works for a model with mistakes.
    #expect(model.summary().contains("?"))
  }
}
