import Forge
import Foundation

/// Predicts random networks in every form and writes what comes out.
///
/// `RandomNetworks FOLDER`; Scripts/check random-networks calls it. The folder holds `networks.json`
/// and `values.bin`; `results.bin` is written into it. For each network one line of JSON says where
/// its results lie and what went wrong. The line `begin SEED` comes before, so that a network that
/// ends the process is known.
@main
struct RandomNetworks {
  /// The line of a network.
  private struct Report: Encodable {
    /// A tensor of one instruction set: `examples` times `count` values in `results.bin`.
    struct Tensor: Encodable {
      let instructionSet: String
      let name: String
      let offset: Int
      let count: Int
      let examples: Int
    }

    let seed: Int
    var tensors: [Tensor] = []
    /// The number of predictions in some form whose bits were compared.
    var comparisons = 0
    var failures: [String] = []
  }

  static func main() async throws {
    guard let path = CommandLine.arguments.dropFirst().first else {
      FileHandle.standardError.write(Data("usage: RandomNetworks FOLDER\n".utf8))
      exit(64)
    }
    let folder = URL(filePath: path)
    let networks = try JSONDecoder().decode(
      [NetworkDescription].self, from: Data(contentsOf: folder.appending(path: "networks.json")))
    let bytes = try Data(contentsOf: folder.appending(path: "values.bin"))
    let values = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    var results: [Float] = []
    for network in networks {
      write("begin \(network.seed)")
      var report = Report(seed: network.seed)
      do {
        let trial = try Trial(network, values: values)
        let sets =
          network.everyInstructionSet
          ? Device.all[0].instructionSets.compactMap(CompileOptions.InstructionSet.init(rawValue:))
          : [nil]
        for set in sets {
          do { try await run(trial, on: set, &report, &results) } catch {
            report.failures.append("\(set?.rawValue ?? "best"): \(error)")
          }
        }
      } catch {
        report.failures.append("\(error)")
      }
      write(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }
    try results.withUnsafeBytes { Data($0) }.write(to: folder.appending(path: "results.bin"))
  }

  /// Predicts a network in every form on an instruction set.
  private static func run(
    _ trial: Trial, on set: CompileOptions.InstructionSet?, _ report: inout Report,
    _ results: inout [Float]
  ) async throws {
    let setName = set?.rawValue ?? "best"
    let alone = try trial.compile(set, threads: 1)
    let expected = try await Form.named.predict(alone, trial)
    for (index, name) in trial.outputNames.enumerated() {
      add(name, expected.map { $0[index] }, setName, to: &report, &results)
    }
    let keeping = try trial.compile(set, threads: 3, keep: trial.layerNames)
    let networks = [
      ("1 thread", alone), ("3 threads", try trial.compile(set, threads: 3)),
      ("3 threads, every layer kept", keeping),
    ]
    for (threads, network) in networks {
      for form in Form.all where form.takes(trial) {
        let found: String?
        do {
          found = trial.difference(expected, try await form.predict(network, trial))
        } catch {
          found = "\(error)"
        }
        report.comparisons += trial.examples.count
        if let found { report.failures.append("\(setName), \(threads), \(form.name): \(found)") }
      }
    }
    let kept = try trial.examples.map { try keeping.predict($0).kept }
    for name in trial.layerNames where !trial.outputNames.contains(name) {
      add(name, kept.map { $0[name]?.values ?? [] }, setName, to: &report, &results)
    }
  }

  /// Adds a tensor to the results.
  private static func add(
    _ name: String, _ examples: [[Float]], _ set: String, to report: inout Report,
    _ results: inout [Float]
  ) {
    let count = examples.first?.count ?? 0
    guard examples.allSatisfy({ $0.count == count }) else {
      report.failures.append("\(set): \(name) has \(examples.map(\.count)) values")
      return
    }
    report.tensors.append(
      .init(
        instructionSet: set, name: name, offset: results.count, count: count,
        examples: examples.count))
    for example in examples { results += example }
  }

  /// Writes a line at once, without a buffer that a crash would lose.
  private static func write(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
