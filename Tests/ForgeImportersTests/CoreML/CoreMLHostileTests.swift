import Forge
import ForgeImporters
import Foundation
import Testing

/// Damaged files give a model or a typed error, and never trap.
@Suite struct CoreMLHostileTests {
  private func problem(
    _ bytes: [UInt8], limits: ImportLimits = ImportLimits()
  ) -> ImportError? {
    do throws(ImportError) {
      _ = try ImportedModel(
        coreML: bytes, path: "net.mlmodel", options: ImportOptions(limits: limits))
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "activations", "activations_later", "images", "later", "later_exact", "pipeline", "quantized",
    "arithmetic", "exact", "recurrent", "tables", "words", "unsupported",
  ])
  func everyTruncationAndChange(name: String) throws {
    let bytes = try ImporterFixtures.bytes("CoreML/\(name).mlmodel")
    // Of larger files every thirteenth place, to keep the time of CI.
    let step = bytes.count < 1000 ? 1 : 13
    for count in bytes.indices where count % step == 0 { _ = problem(Array(bytes[..<count])) }
    for index in bytes.indices where index % step == 0 {
      for change: UInt8 in [1, 0x08, 0x80, 0xff] {
        var changed = bytes
        changed[index] ^= change
        _ = problem(changed)
      }
    }
  }

  @Test func noModel() throws {
    #expect(problem([])?.kind == .malformed)
    #expect(problem(Array("not a model".utf8))?.kind == .malformed)
    #expect(problem(Array(repeating: 255, count: 1000))?.kind == .malformed)
  }

  @Test func limitsHold() throws {
    let bytes = try ImporterFixtures.bytes("CoreML/pipeline.mlmodel")
    #expect(problem(bytes) == nil)
    #expect(problem(bytes, limits: ImportLimits(nodes: 2))?.kind == .tooLarge)
    #expect(problem(bytes, limits: ImportLimits(tensors: 2))?.kind == .tooLarge)
    #expect(problem(bytes, limits: ImportLimits(depth: 1))?.kind == .tooLarge)
    let path = ImporterFixtures.path("CoreML/pipeline.mlmodel")
    do throws(ImportError) {
      _ = try ImportedModel(
        coreML: path, options: ImportOptions(limits: ImportLimits(fileBytes: 100)))
      Issue.record("a file beyond the limit")
    } catch {
      #expect(error.kind == .tooLarge)
    }
  }

  @Test func missingFile() {
    do throws(ImportError) {
      _ = try Model(coreML: "/nowhere/net.mlmodel")
      Issue.record("a model of no file")
    } catch {
      #expect(error.kind == .fileMissing)
    }
  }
}
