import Forge
import ForgeTestSupport
import Foundation
import Testing

/// Recorded kernel choices passed to another compilation.
@Suite struct TuningRecordTests {
  /// A model of one convolution, and a record for it.
  private func model() -> Model {
    let input = Input(width: 20, height: 18, channels: 64)
    return Model(
      input: input,
      output: input --> Activation(.tanh, name: "tanh")
        --> Convolution(kernel: (3, 3), channels: 80, name: "conv"))
  }

  private let convolution = TuningRecord.Convolution(
    input: "20x18x64", output: "20x18x80", kernel: "3x3", stride: "1x1")

  private func compile(
    _ kernel: TuningRecord.Kernel, _ options: CompileOptions = CompileOptions()
  ) throws -> CompiledModel {
    try compile([TuningRecord.Choice(convolution: convolution, kernel: kernel)], options)
  }

  private func compile(
    _ choices: [TuningRecord.Choice], _ options: CompileOptions = CompileOptions()
  ) throws -> CompiledModel {
    var options = options
    let level = try #require(options.instructionSet ?? TunedNetwork.instructionSet)
    options.instructionSet = level
    options.tuning = .recorded(
      TuningRecord(instructionSet: level.rawValue, threads: 1, choices: choices))
    return try model().compile(parameters: SeededParameters(), options: options)
  }

  private func message(_ body: () throws -> CompiledModel) -> String? {
    do throws(any Error) {
      _ = try body()
      return nil
    } catch {
      // The place is that of this file.
      return "\(error)".replacing(#/^.*\.swift:\d+:\d+: /#, with: "")
    }
  }

  @Test func jsonRoundTrip() throws {
    let level = try #require(TunedNetwork.instructionSet)
    let model = TunedNetwork.model()
    let network = try model.compile(
      parameters: SeededParameters(),
      options: TunedNetwork.options(CompileOptions(instructionSet: level)) { _, kernel in
        Double(kernel.description.utf8.reduce(5381) { ($0 &* 33 &+ Int($1)) & 0xFFFF })
      })
    let record = network.report.tuning.record
    let data = try JSONEncoder().encode(record)
    let decoded = try JSONDecoder().decode(TuningRecord.self, from: data)
    #expect(decoded == record)
    #expect(decoded.hashValue == record.hashValue)
    let inputs = try ReferenceModel(model).inputs(seed: 1)
    let bits = try network.outputs(of: inputs).map(\.bits)
    for threads in 1...3 {
      var options = CompileOptions(
        instructionSet: level, tuning: .recorded(decoded), threads: .exactly(threads))
      options.smallestShare = 0
      let again = try model.compile(parameters: SeededParameters(), options: options)
      #expect(again.report.tuning.record.choices == record.choices)
      #expect(again.report.tuning.way == .recorded)
      #expect(try again.outputs(of: inputs).map(\.bits) == bits, "\(threads) threads")
    }
  }

  @Test func jsonFormat() throws {
    let record = TuningRecord(
      instructionSet: "avx512", threads: 2,
      choices: [
        .init(
          convolution: convolution,
          kernel: .init(name: "winograd", panelWidth: 64, tile: "4x4", summedChannels: 64)),
        .init(convolution: convolution, kernel: .init(name: "direct", panelWidth: 48)),
      ])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    #expect(
      String(decoding: try encoder.encode(record), as: UTF8.self) == """
        {
          "choices" : [
            {
              "convolution" : {
                "input" : "20x18x64",
                "kernel" : "3x3",
                "output" : "20x18x80",
                "stride" : "1x1"
              },
              "kernel" : {
                "name" : "winograd",
                "panelWidth" : 64,
                "summedChannels" : 64,
                "tile" : "4x4"
              }
            },
            {
              "convolution" : {
                "input" : "20x18x64",
                "kernel" : "3x3",
                "output" : "20x18x80",
                "stride" : "1x1"
              },
              "kernel" : {
                "name" : "direct",
                "panelWidth" : 48
              }
            }
          ],
          "instructionSet" : "avx512",
          "threads" : 2,
          "version" : 1
        }
        """)
  }

  /// Choices of the cost model can be recorded as well.
  @Test func costModelChoicesAreRecorded() throws {
    let level = try #require(TunedNetwork.instructionSet)
    let options = CompileOptions(instructionSet: level)
    let network = try TunedNetwork.model().compile(
      parameters: SeededParameters(), options: options)
    let tuning = network.report.tuning
    #expect(tuning.way == .costModel)
    #expect(tuning.record.choices.count == 5)
    #expect(tuning.fallbacks.isEmpty && tuning.differences.isEmpty && tuning.comparisons.isEmpty)
    #expect(!"\(network.report)".contains("Tuning"))
    var recorded = options
    recorded.tuning = .recorded(tuning.record)
    let again = try TunedNetwork.model().compile(
      parameters: SeededParameters(), options: recorded)
    #expect(again.report.steps.map(\.kernel) == network.report.steps.map(\.kernel))
    #expect(again.report.tuning.differences.isEmpty)
  }

  @Test func validKernels() throws {
    for kernel in [
      TuningRecord.Kernel(name: "direct", panelWidth: 16),
      .init(name: "direct", panelWidth: 64),
      .init(name: "winograd", panelWidth: 32, tile: "2x2", summedChannels: 64),
      .init(name: "winograd", panelWidth: 48, tile: "4x4", summedChannels: 32),
    ] {
      let network = try compile(kernel)
      #expect(network.report.tuning.record.choices.map(\.kernel) == [kernel])
      let reference = try ReferenceModel(model())
      let inputs = reference.inputs(seed: 8)
      expectClose(
        try network.outputs(of: inputs)[0], try reference.run(inputs).outputs[0],
        relativeL2: 5e-6, "\(kernel)")
    }
  }

  @Test func invalidKernels() throws {
    let text = message { try compile(.init(name: "magic", panelWidth: 64)) }
    // Without a fused multiply-add no sums are short enough for the largest tiles.
    let largest =
      TunedNetwork.instructionSet == .baseline
      ? "" : "\n            winograd tile 6x6 summed 32 or fewer panel 16 or 32 or 48 or 64"
    #expect(
      text == """
        layer 2 "conv" (Convolution): the tuning record has a kernel that cannot be used here
          received  magic panel 64
          for       3x3 stride 1x1, 20x18x64 to 20x18x80
          needs     direct panel 16 or 32 or 48 or 64
                    winograd tile 2x2 summed 64 or fewer panel 16 or 32 or 48 or 64
                    winograd tile 3x3 summed 64 or fewer panel 16 or 32 or 48 or 64
                    winograd tile 4x4 summed 64 or fewer panel 16 or 32 or 48 or 64
                    winograd tile 5x5 summed 64 or fewer panel 16 or 32 or 48 or 64
                    winograd tile 4x5 summed 64 or fewer panel 16 or 32 or 48 or 64\(largest)
          remedy    compile with the options of the record, or measure again
        """)
    for kernel in [
      TuningRecord.Kernel(name: "direct", panelWidth: nil),
      .init(name: "direct", panelWidth: 0), .init(name: "direct", panelWidth: -16),
      .init(name: "direct", panelWidth: 80), .init(name: "direct", panelWidth: 24),
      .init(name: "direct", panelWidth: .max), .init(name: "direct", panelWidth: .min),
      .init(name: "direct", panelWidth: 16, tile: "2x2"),
      .init(name: "strassen", panelWidth: 16, segments: 1),
      .init(name: "winograd", panelWidth: 64),
      .init(name: "winograd", panelWidth: 64, tile: "4x4"),
      .init(name: "winograd", panelWidth: 64, tile: "5x4", summedChannels: 64),
      .init(name: "winograd", panelWidth: 64, tile: "4x2", summedChannels: 64),
      .init(name: "winograd", panelWidth: 64, tile: "4x4", summedChannels: 0),
      .init(name: "winograd", panelWidth: 64, tile: "4x4", summedChannels: 40),
      .init(name: "winograd", panelWidth: 64, tile: "4x4", summedChannels: 128),
      .init(name: "winograd", panelWidth: 64, tile: "4x4", summedChannels: -32),
      .init(name: "winograd", panelWidth: 64, tile: "4x4", summedChannels: .min),
      .init(name: "winograd", panelWidth: 64, tile: "4x4", summedChannels: 64, segments: 2),
    ] {
      let text = message { try compile(kernel) }
      #expect(
        text?.hasPrefix(
          """
          layer 2 "conv" (Convolution): the tuning record has a kernel that cannot be used here
            received  \(kernel)

          """) == true, "\(kernel)")
    }
  }

  /// A record may not use kernels that other compile options forbid.
  @Test func recordsRespectCompileOptions() throws {
    let winograd = TuningRecord.Kernel(
      name: "winograd", panelWidth: 32, tile: "4x4", summedChannels: 64)
    let only = { (needs: String) in
      """
      layer 2 "conv" (Convolution): the tuning record has a kernel that cannot be used here
        received  winograd tile 4x4 summed 64 panel 32
        for       3x3 stride 1x1, 20x18x64 to 20x18x80
        needs     \(needs)
        remedy    compile with the options of the record, or measure again
      """
    }
    let panels = "direct panel 16 or 32 or 48 or 64"
    for options in [
      CompileOptions(accuracy: 1e-9), CompileOptions(disabledRewrites: ["winograd"]),
    ] {
      #expect(message { try compile(winograd, options) } == only(panels))
    }
    // Where sums have to be shorter.
    if TunedNetwork.instructionSet != .baseline {
      let text = message { try compile(winograd, CompileOptions(accuracy: 2.5e-6)) }
      #expect(text?.contains("winograd tile 4x4 summed 32 or fewer panel") == true)
    }
    // These have one kernel per convolution: a record has nothing to say.
    for options in [
      CompileOptions(preference: .size), CompileOptions(instructionSet: .scalar),
    ] {
      let network = try compile(winograd, options)
      #expect(network.report.tuning.record.choices.isEmpty)
      #expect(network.report.steps.contains { $0.kernel.hasPrefix("convolution 3×3") })
    }
  }

  @Test func mismatchedInstructionSetsAndVersions() throws {
    let level = try #require(TunedNetwork.instructionSet)
    let compile = { (record: TuningRecord) in
      try self.model().compile(
        parameters: SeededParameters(),
        options: CompileOptions(instructionSet: level, tuning: .recorded(record)))
    }
    for name in ["scalar", "neon", ""] {
      #expect(
        message { try compile(TuningRecord(instructionSet: name, threads: 1, choices: [])) } == """
          the tuning record is of another instruction set
            received  "\(name)"
            needs     "\(level.rawValue)", which the model is compiled for
            remedy    measure again with tuning: .measured, or set instructionSet
          """)
    }
    let later = TuningRecord(
      instructionSet: level.rawValue, threads: 1, choices: [], version: 2)
    #expect(
      message { try compile(later) } == """
        the tuning record is of another version
          received  version 2
          needs     version 1
          remedy    measure again with tuning: .measured
        """)
  }

  @Test func contradictoryRecords() throws {
    let direct = { (width: Int) in
      TuningRecord.Choice(
        convolution: self.convolution, kernel: .init(name: "direct", panelWidth: width))
    }
    #expect(
      message { try compile([direct(64), direct(16), direct(64)]) } == """
        layer 2 "conv" (Convolution): the tuning record has several kernels for one convolution
          received  direct panel 16
                    direct panel 64
          for       3x3 stride 1x1, 20x18x64 to 20x18x80
          needs     one
        """)
    #expect(try compile([direct(16), direct(16)]).report.tuning.fallbacks.isEmpty)
  }

  /// Convolutions missing from the model are ignored, those missing from the record are chosen by
  /// cost.
  @Test func recordsOfOtherModels() throws {
    let other = TuningRecord.Choice(
      convolution: .init(input: "rubbish", output: "", kernel: "3x3", stride: "-1x1"),
      kernel: .init(name: "magic", panelWidth: nil))
    let network = try compile([other])
    #expect(network.report.tuning.fallbacks == [convolution])
    #expect(network.report.tuning.differences.isEmpty)
    let plain = try model().compile(
      parameters: SeededParameters(),
      options: CompileOptions(instructionSet: TunedNetwork.instructionSet))
    #expect(network.report.steps.map(\.kernel) == plain.report.steps.map(\.kernel))
    #expect("\(network.report)".contains("  (by the cost model)\n"))
  }

  /// Layers are found by their sizes: the names do not matter.
  @Test func recordsMatchRenamedLayers() throws {
    let named = { (name: String) in
      let input = Input(width: 20, height: 18, channels: 64)
      return Model(
        input: input,
        output: input --> Activation(.tanh)
          --> Convolution(kernel: (3, 3), channels: 80, name: "\(name)1")
          --> Convolution(kernel: (1, 1), channels: 64, name: "\(name)2")
          --> Convolution(kernel: (3, 3), channels: 80, name: "\(name)3"))
    }
    let level = try #require(TunedNetwork.instructionSet)
    let first = try named("a").compile(
      parameters: SeededParameters(),
      options: TunedNetwork.options(CompileOptions(instructionSet: level)) {
        Double($1.panelWidth ?? 0)
      })
    #expect(!first.report.tuning.differences.isEmpty)
    let record = first.report.tuning.record
    #expect(record.choices.count == 2)
    let second = try named("b").compile(
      parameters: SeededParameters(),
      options: CompileOptions(instructionSet: level, tuning: .recorded(record)))
    #expect(second.report.tuning.record.choices == record.choices)
    #expect(second.report.steps.map(\.kernel) == first.report.steps.map(\.kernel))
  }
}
