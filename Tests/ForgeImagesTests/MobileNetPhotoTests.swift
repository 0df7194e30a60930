import Forge
import ForgeImages
import ForgeModels
import ForgeTestSupport
import Foundation
import Testing

/// Real weights on real pictures, against recorded results (see ../shared/data/NOTES.md).
@Suite("MobileNet on photos", .shared("data/mobilenet", "data/photos"))
struct MobileNetPhotoTests {
  private let preparation = ImagePreparation(
    width: 224, height: 224, normalization: .keras(.tf))

  @Test("lossless pictures give the recorded logits")
  func logits() throws {
    let data = SharedFiles.data
    let network = try Model.mobileNetV1(alpha: 0.25, classes: 1000, head: .logits).compile(
      parameters: HDF5Parameters(
        data.appendingPathComponent("mobilenet/mobilenet_v1_0.25_224_keras3_full.h5").path))
    let names = ["chicken", "goldfish", "grace_hopper", "horse-cart", "kitten", "parrot"]
    for name in names {
      let folder = data.appendingPathComponent("mobilenet/inputs224")
      let image = try Image(contentsOf: folder.appendingPathComponent("\(name).png").path)
      let logits = try network.predict(image.values(prepared: preparation))
      let recorded = try Data(
        contentsOf: folder.appendingPathComponent("\(name).alpha0.25_logits1001.f32"))
      // 1,001 are recorded, of which the file's network has left out the first: the background.
      let expected = recorded.withUnsafeBytes { bytes in
        (1..<1001).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
      }
      #expect(relativeL2(logits, expected) <= 1e-4, "\(name)")
    }
  }

  @Test("photos, alpha 0.25, from a Keras file")
  func kerasPhotos() throws {
    let data = SharedFiles.data
    let network = try Model.mobileNetV1(alpha: 0.25, classes: 1000).compile(
      parameters: HDF5Parameters(
        data.appendingPathComponent("mobilenet/mobilenet_v1_0.25_224_keras3_full.h5").path))
    try checkPhotos(network, data: data, expected: "0.25")
  }

  @Test("photos, alpha 1, from a safetensors file of half precision")
  func safetensorsPhotos() throws {
    let data = SharedFiles.data
    let file = data.appendingPathComponent(
      "mobilenet/mobilenet_v1_1.0_224_dequant_f16.safetensors")
    let network = try Model.foldedMobileNet(alpha: 1).compile(
      parameters: SafeTensorsParameters(file.path, layout: .forge))
    try checkPhotos(network, data: data, expected: "1.0")
  }

  /// Against double precision: Fixtures/make_mobilenet_logits.py computed them with NumPy.
  @Test("real weights give logits within the stated accuracy")
  func exactLogits() throws {
    let data = SharedFiles.data
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Fixtures/mobilenet_logits.f64")
    let recorded = try Data(contentsOf: fixture)
    try #require(recorded.count == 2 * 1000 * 8)
    let file = data.appendingPathComponent(
      "mobilenet/mobilenet_v1_1.0_224_dequant_f16.safetensors")
    for (name, disabled, bound) in [
      ("direct", Set(["strassen", "winograd"]), 1e-6), ("default", [], 2.5e-6),
    ] {
      let network = try Model.foldedMobileNet(alpha: 1).compile(
        parameters: SafeTensorsParameters(file.path, layout: .forge),
        options: CompileOptions(keep: ["fc7"], disabledRewrites: disabled))
      // The real weights are even enough for Strassen's algorithm.
      let strassens = network.report.steps.count { $0.kernel.hasPrefix("strassen") }
      #expect(network.instructionSet == .scalar || (strassens > 0) == disabled.isEmpty)
      for (index, picture) in ["kitten", "horse-cart"].enumerated() {
        let path = data.appendingPathComponent("mobilenet/inputs224/\(picture).png").path
        let image = try Image(contentsOf: path).converted(to: .rgb)
        let pixels = image.pixels.map { Float($0) / 127.5 - 1 }
        let input = TensorValues(width: 224, height: 224, channels: 3, values: pixels)
        let kept = try network.predict([network.inputNames[0]: input]).kept
        let logits = try #require(kept["fc7"]?.values)
        let expected = recorded.withUnsafeBytes { bytes in
          (0..<1000).map {
            bytes.loadUnaligned(fromByteOffset: 8 * (index * 1000 + $0), as: Double.self)
          }
        }
        let squares = zip(logits, expected).reduce(0.0) { $0 + pow(Double($1.0) - $1.1, 2) }
        let error = (squares / expected.reduce(0) { $0 + $1 * $1 }).squareRoot()
        #expect(error < bound, "\(name), \(picture): relative L2 \(error)")
      }
    }
  }

  @Test("photos, alpha 0.25, from a folder of raw files")
  func rawPhotos() throws {
    let data = SharedFiles.data
    let folder = data.appendingPathComponent("mobilenet/parameters025")
    let network = try Model.foldedMobileNet(alpha: 0.25).compile(
      parameters: ParameterDirectory(
        folder.path, suffixes: [.weights: "_w", .biases: "_b"]))
    try checkPhotos(network, data: data, expected: "0.25")
  }

  /// Compares the answers for each photo with those recorded.
  private func checkPhotos(
    _ network: CompiledModel, data: URL, expected alpha: String
  ) throws {
    let recorded = try JSONSerialization.jsonObject(
      with: Data(
        contentsOf: data.appendingPathComponent("mobilenet/expected_top5_alpha\(alpha).json")))
    let photos = try #require(recorded as? [String: [[Any]]])
    #expect(photos.count >= 9)
    for (photo, answers) in photos {
      let image = try Image(contentsOf: data.appendingPathComponent("photos/\(photo)").path)
      let probabilities = try network.predict(image.values(prepared: preparation))
      let expected = try answers.map { answer in
        (
          index: try #require(answer.first as? Int),
          probability: try #require(answer.last as? Double)
        )
      }
      if expected[0].probability - expected[1].probability > 0.05 {
        #expect(probabilities.top(k: 1).first?.index == expected[0].index, "\(photo)")
      }
      for answer in expected {
        #expect(
          abs(Double(probabilities[answer.index]) - answer.probability) <= 0.01,
          "\(photo), class \(answer.index)")
      }
    }
  }

  private func relativeL2(_ actual: [Float], _ expected: [Float]) -> Double {
    let squares = zip(actual, expected).reduce(0.0) { $0 + pow(Double($1.0 - $1.1), 2) }
    let norm = expected.reduce(0.0) { $0 + pow(Double($1), 2) }
    return (squares / norm).squareRoot()
  }
}
