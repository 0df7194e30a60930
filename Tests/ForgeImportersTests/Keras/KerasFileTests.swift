import Forge
import ForgeImages
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Files that other versions of Keras saved.
@Suite struct KerasFileTests {
  private static func shared(_ name: String) -> String {
    SharedFiles.data.appending(path: name).path
  }

  /// Keras 2.1: a Sequential whose arguments are a bare list.
  @Test(.shared("data/h5/mnistCNN.h5"))
  func sequentialOfKeras2() throws {
    let imported = try ImportedModel(keras: Self.shared("h5/mnistCNN.h5"))
    #expect(imported.model.parameterCount == 94_602)
    #expect(imported.inputs.map(\.sizes) == [[1, 28, 28, 1]])
    #expect(imported.outputs.map(\.sizes) == [[1, 10]])
    let network = try imported.model.compile()
    let sums = try network.predict([Float](repeating: 0.5, count: 784))
    #expect(abs(sums.reduce(0, +) - 1) < 1e-5)
  }

  /// Keras 2.4: a Functional model with an optimizer's values inside.
  @Test(.shared("data/h5/mlperf_tiny_resnet8_cifar10.h5"))
  func functionalOfKeras2() throws {
    let imported = try ImportedModel(keras: Self.shared("h5/mlperf_tiny_resnet8_cifar10.h5"))
    #expect(imported.model.parameterCount == 78_666)
    #expect(imported.inputs.map(\.sizes) == [[1, 32, 32, 3]])
    let network = try imported.model.compile()
    #expect(try network.predict([Float](repeating: 128, count: 32 * 32 * 3)).count == 10)
  }

  /// MobileNet in a file of Keras 3, on the recorded logits of six pictures.
  @Test(.shared("data/mobilenet/inputs224"))
  func mobileNetOfKeras3() throws {
    let folder = SharedFiles.data.appending(path: "mobilenet")
    let network = try Model(
      keras: folder.appending(path: "mobilenet_v1_0.25_224_keras3_full.h5").path
    ).compile()
    let inputs = folder.appending(path: "inputs224")
    let names = try FileManager.default.contentsOfDirectory(atPath: inputs.path)
      .filter { $0.hasSuffix(".png") }.map { String($0.dropLast(4)) }
    #expect(!names.isEmpty)
    for name in names {
      let image = try Image(contentsOf: inputs.appending(path: "\(name).png").path)
      let recorded = try Data(
        contentsOf: inputs.appending(path: "\(name).alpha0.25_logits1001.f32"))
      let logits: [Float] = recorded.withUnsafeBytes { bytes in
        // The first of the 1,001 classes is the background, which this file lacks.
        (1..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
      }
      let largest = logits.max() ?? 0
      let powers = logits.map { exp($0 - largest) }
      let sum = powers.reduce(0, +)
      let preparation = ImagePreparation(width: 224, height: 224, normalization: .keras(.tf))
      let prediction = try network.predict(image.values(prepared: preparation).values)
      expectClose(prediction, powers.map { $0 / sum }, relativeL2: 1e-4, name)
    }
  }

  @Test(.shared("data/mobilenet/mobilenet_2_5_224_tf_no_top.h5"))
  func weightsAloneNameARemedy() throws {
    let path = Self.shared("mobilenet/mobilenet_2_5_224_tf_no_top.h5")
    let error = #expect(throws: ImportError.self) { _ = try Model(keras: path) }
    #expect(error?.kind == .malformed)
    #expect(error?.remedy?.contains("HDF5Parameters") == true)
  }

  @Test func missingFile() {
    let error = #expect(throws: ImportError.self) { _ = try Model(keras: "/nowhere/net.keras") }
    #expect(error?.kind == .fileMissing)
  }

  @Test(arguments: ["keras", "h5"])
  func otherBytes(_ suffix: String) throws {
    try ImporterFixtures.withFile(Array("not a model".utf8), ending: suffix) { path in
      let error = #expect(throws: ImportError.self) { _ = try Model(keras: path) }
      #expect(error?.kind == .malformed)
    }
  }

  /// Every truncation and many altered bytes give a typed error or a model, never a crash.
  @Test(arguments: ["Keras/Dense.keras", "Keras/Conv2D.h5"])
  func damagedFiles(_ name: String) throws {
    let bytes = try ImporterFixtures.bytes(name)
    var random = SplitMix64(seed: 5)
    for round in 0..<200 {
      var altered = bytes
      if round.isMultiple(of: 2) {
        altered = Array(bytes.prefix(Int(random.next() % UInt64(bytes.count))))
      } else {
        for _ in 0..<4 {
          altered[Int(random.next() % UInt64(bytes.count))] = UInt8(
            truncatingIfNeeded: random.next())
        }
      }
      try ImporterFixtures.withFile(altered, ending: "model") { path in
        do { _ = try Model(keras: path) } catch { #expect(!"\(error)".isEmpty) }
      }
    }
  }
}
