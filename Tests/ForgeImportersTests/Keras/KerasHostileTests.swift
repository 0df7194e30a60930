import Forge
import ForgeImporters
import Foundation
import Testing

/// Damaged files of Keras give a model or a typed error, and never trap.
@Suite struct KerasHostileTests {
  private let limits = ImportLimits(
    fileBytes: 1 << 20, nodes: 1000, tensors: 1000, depth: 8, foldedElements: 1 << 20)

  /// Calls `check` with every truncation of the bytes, and with four changes of every byte.
  private func eachDamage(_ bytes: [UInt8], _ check: ([UInt8]) throws -> Void) rethrows {
    for count in bytes.indices { try check(Array(bytes[..<count])) }
    var changed = bytes
    for index in bytes.indices {
      for change: UInt8 in [1, 0x08, 0x80, 0xff] {
        changed[index] = bytes[index] ^ change
        try check(changed)
      }
      changed[index] = bytes[index]
    }
  }

  @Test(arguments: ["Conv2D.h5", "Operation6.keras"])
  func files(name: String) throws {
    let bytes = try ImporterFixtures.bytes("Keras/\(name)")
    let url = ImporterFixtures.scratch
      .appending(path: "forge-\(UUID().uuidString)-\(name)")
    defer { try? FileManager.default.removeItem(at: url) }
    var models = 0
    try eachDamage(bytes) { damaged in
      try ImporterFixtures.write(damaged, to: url)
      do throws(ImportError) {
        _ = try ImportedModel(keras: url.path, limits: limits)
        models += 1
      } catch {
        #expect(!error.headline.isEmpty)
      }
    }
    // Weights may have any bytes.
    #expect(models > 50)
  }

  /// The description alone, whose changes an archive's checksums would hide.
  @Test func descriptions() throws {
    let description = #"""
      {"class_name": "Functional", "config": {"name": "m", "layers": [
      {"class_name": "InputLayer", "name": "x", "config": {"name": "x",
      "batch_shape": [null, 8, 6, 3]}, "inbound_nodes": []},
      {"class_name": "Conv2D", "name": "c", "config": {"name": "c", "filters": 5,
      "kernel_size": [3, 2], "strides": [2, 1], "padding": "same", "activation": "relu"},
      "inbound_nodes": [{"args": [{"class_name": "__keras_tensor__", "config": {"shape":
      [null, 8, 6, 3], "dtype": "float32", "keras_history": ["x", 0, 0]}}], "kwargs": {}}]},
      {"class_name": "Flatten", "name": "f", "config": {"name": "f"},
      "inbound_nodes": [{"args": [{"class_name": "__keras_tensor__", "config": {"shape":
      [null, 4, 6, 5], "dtype": "float32", "keras_history": ["c", 0, 0]}}], "kwargs": {}}]}],
      "input_layers": [["x", 0, 0]], "output_layers": [["f", 0, 0]]}}
      """#
    func model(_ text: String) -> Bool {
      do throws(ImportError) {
        _ = try ImportedModel(
          kerasDescription: text, options: ImportOptions(limits: limits))
        return true
      } catch {
        return false
      }
    }
    #expect(model(description))
    var models = 0
    eachDamage(Array(description.utf8)) { bytes in
      models += model(String(decoding: bytes, as: UTF8.self)) ? 1 : 0
    }
    #expect(models > 100)
  }

  @Test func limitsHold() throws {
    let path = ImporterFixtures.path("Keras/mobile.keras")
    for limits in [ImportLimits(fileBytes: 100), ImportLimits(nodes: 2)] {
      do throws(ImportError) {
        _ = try ImportedModel(keras: path, limits: limits)
        Issue.record("a file beyond \(limits)")
      } catch {
        #expect(error.kind == .tooLarge)
      }
    }
  }
}
