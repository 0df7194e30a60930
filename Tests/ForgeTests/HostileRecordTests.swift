import Forge
import ForgeTestSupport
import Foundation
import Testing

/// Altered tuning records: compilation accepts them or reports the error.
@Suite struct HostileRecordTests {
  private typealias Object = [String: Any]

  private let kernelFields = [
    "name", "panelWidth", "tile", "summedChannels", "segments", "levels",
  ]
  private let sizeFields = ["input", "output", "kernel", "stride"]
  private let values: [Any] = [
    0, -1, 1, 2, 3, 7, 8, 15, 16, 17, 32, 48, 64, 65, 96, 256, 1 << 31, (1 << 31) - 1, -(1 << 31),
    1 << 32, Int.max, Int.min, NSNull(), "x", "", "6x6", "0x0", "-1x-1", "4x4", "2x2", "3x3", "6x1",
    "1x6", "99999999999999999999x1", "winograd", "strassen", "direct", "reduced",
  ]

  /// What comes of a record.
  private enum Outcome: Hashable { case unreadable, refused, compiled }

  private func compile(_ object: Object, _ options: CompileOptions) throws -> Outcome {
    let data = try JSONSerialization.data(withJSONObject: object)
    guard let record = try? JSONDecoder().decode(TuningRecord.self, from: data) else {
      return .unreadable
    }
    var options = options
    options.tuning = .recorded(record)
    do throws(CompileError) {
      _ = try TunedNetwork.model().compile(parameters: SeededParameters(), options: options)
      return .compiled
    } catch {
      // A sentence, not an empty list.
      #expect(!error.problems.isEmpty)
      return .refused
    }
  }

  private func record(_ options: CompileOptions) throws -> Object {
    let network = try TunedNetwork.model().compile(
      parameters: SeededParameters(), options: options)
    let data = try JSONEncoder().encode(network.report.tuning.record)
    return try #require(try JSONSerialization.jsonObject(with: data) as? Object)
  }

  /// Invalid numbers of summed channels.
  @Test func excessSummedChannels() throws {
    let level = try #require(TunedNetwork.instructionSet)
    let options = CompileOptions(instructionSet: level)
    let convolution = TuningRecord.Convolution(
      input: "26x22x16", output: "26x22x64", kernel: "3x3", stride: "1x1")
    for tile in ["2x2", "4x4", "6x6"] {
      for summed in [Int.min, -16, -1, 0, 1, 15, 17, 32, 48, Int.max - 15, Int.max] {
        let kernel = TuningRecord.Kernel(
          name: "winograd", panelWidth: 64, tile: tile, summedChannels: summed)
        var options = options
        options.tuning = .recorded(
          TuningRecord(
            instructionSet: level.rawValue, threads: 1,
            choices: [.init(convolution: convolution, kernel: kernel)]))
        #expect(throws: CompileError.self, "\(kernel)") {
          try TunedNetwork.model().compile(parameters: SeededParameters(), options: options)
        }
      }
    }
  }

  @Test func alteredRecords() throws {
    let level = try #require(TunedNetwork.instructionSet)
    let options = CompileOptions(instructionSet: level)
    let original = try record(options)
    #expect(try compile(original, options) == .compiled)
    var random = SplitMix64(seed: 11)
    var outcomes: [Outcome: Int] = [:]
    for _ in 0..<300 {
      var object = original
      var choices = try #require(object["choices"] as? [Object])
      for _ in 0..<1 + random.index(3) {
        let index = random.index(choices.count)
        // Kernels are looked at only where the sizes are those of a convolution.
        let isKernel = random.index(4) > 0
        let part = isKernel ? "kernel" : "convolution"
        let fields = isKernel ? kernelFields : sizeFields
        var fieldsOfPart = try #require(choices[index][part] as? Object)
        fieldsOfPart[fields[random.index(fields.count)]] =
          values[random.index(values.count)]
        choices[index][part] = fieldsOfPart
      }
      if random.index(10) == 0 { choices += choices }
      object["choices"] = choices
      for field in ["version", "threads", "instructionSet"] where random.index(30) == 0 {
        object[field] = values[random.index(values.count)]
      }
      outcomes[try compile(object, options), default: 0] += 1
    }
    // Each way out is met, so that the records are neither all nonsense nor all harmless.
    for outcome in [Outcome.unreadable, .refused, .compiled] {
      #expect(outcomes[outcome, default: 0] > 10, "\(outcomes)")
    }
  }
}

extension SplitMix64 {
  /// One of `count` indices.
  fileprivate mutating func index(_ count: Int) -> Int { Int(next() % UInt64(count)) }
}
