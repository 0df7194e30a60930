import CForgeZlib
import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// Real files on real digits (see ../shared/data/NOTES.md).
@Suite(.shared("data/mlmodel", "data/mnist"))
struct CoreMLDigitTests {
  /// The bytes of a gzip file.
  private func inflated(_ name: String, count: Int) throws -> [UInt8] {
    let path = SharedFiles.data.appending(path: name).path
    let file = try #require(gzopen(path, "rb"))
    defer { gzclose(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    let received = bytes.withUnsafeMutableBytes { gzread(file, $0.baseAddress, UInt32($0.count)) }
    #expect(Int(received) == count)
    return bytes
  }

  @Test func firstDigits() throws {
    let count = 500
    let images = try inflated(
      "mnist/t10k-images-idx3-ubyte.gz", count: 16 + 784 * count)
    let labels = try inflated("mnist/t10k-labels-idx1-ubyte.gz", count: 8 + count)
    var results: [[[Float]]] = []
    for name in ["mnistCNN", "mnistCNN_fp16"] {
      let imported = try ImportedModel(
        coreML: SharedFiles.data.appending(path: "mlmodel/\(name).mlmodel").path)
      #expect(imported.model.metadata.labels == (0...9).map { "\($0)" })
      #expect(imported.inputs.map(\.sizes) == [[1, 1, 28, 28]])
      let network = try imported.model.compile()
      var correct = 0
      var probabilities: [[Float]] = []
      for index in 0..<count {
        let pixels = images[(16 + 784 * index)..<(16 + 784 * (index + 1))].map { Float($0) }
        let result = try network.predict(pixels)
        #expect(abs(result.reduce(0, +) - 1) < 1e-5)
        correct += result.top(k: 1)[0].index == Int(labels[8 + index]) ? 1 : 0
        probabilities.append(result)
      }
      // 9,920 of all 10,000 are recorded.
      print("\(name): \(correct) of \(count) digits")
      #expect(correct >= 493)
      results.append(probabilities)
    }
    let difference = zip(results[0].joined(), results[1].joined()).map { abs($0 - $1) }.max() ?? 1
    // The recorded difference of the half-precision file is 8e-4.
    #expect(difference < 1e-3)
  }
}
