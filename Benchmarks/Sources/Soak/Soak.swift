import Forge
import ForgeModels
import Foundation

/// Predicts with a LeNet through a Runner for a long time, canceling at random, and checks that no
/// result is wrong, no slot is lost and resident memory stays as it was after the first tenth.
///
/// `Soak [PREDICTIONS]`; Scripts/check soak calls it. It exits with 1 when something is wrong.
@main
struct Soak {
  /// What the tasks of a round saw.
  private struct Counts {
    var done = 0
    var cancelled = 0
    var late = 0
    var wrong = 0
  }

  static func main() async throws {
    let total = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
    guard total >= 1000 else {
      FileHandle.standardError.write(Data("PREDICTIONS must be at least 1000\n".utf8))
      exit(64)
    }
    let network = try Model.leNet().compile(parameters: RandomParameters(seed: 1))
    let inputs = (0..<16).map { number in
      (0..<28 * 28).map { position -> Float in
        let level: Int = (position * 7 + number * 31) % 256
        return Float(level) / 255
      }
    }
    let expected = try inputs.map { try network.predict($0) }
    let runner = try Runner(network, inflightBuffers: 3)
    var counts = Counts()
    var baseline = 0
    let rounds = 10
    for round in 0..<rounds {
      let part = try await predict(
        total / rounds, seed: UInt64(round), runner: runner, inputs: inputs, expected: expected)
      counts.done += part.done
      counts.cancelled += part.cancelled
      counts.late += part.late
      counts.wrong += part.wrong
      await runner.drain()
      let memory = residentKilobytes()
      if round == 0 { baseline = memory }
      print(
        "\((round + 1) * (total / rounds)) predictions: \(counts.done) done,",
        "\(counts.cancelled) canceled, \(counts.late) too late, \(counts.wrong) wrong;",
        "\(runner.freeSlots) of \(runner.inflightBuffers) slots free; \(memory) KB resident")
      guard counts.wrong == 0, runner.freeSlots == runner.inflightBuffers else { exit(1) }
    }
    let growth = residentKilobytes() - baseline
    print("memory grew by \(growth) KB after the first tenth")
    guard growth < 4096 else { exit(1) }
    print("soak: passed")
  }

  /// So many predictions from 64 tasks; one in eight is canceled, one in sixteen has a deadline.
  private static func predict(
    _ count: Int, seed: UInt64, runner: Runner<CompiledModel>, inputs: [[Float]],
    expected: [[Float]]
  ) async throws -> Counts {
    try await withThrowingTaskGroup(of: Counts.self) { group in
      for worker in 0..<64 {
        group.addTask {
          var counts = Counts()
          var random = Random(state: seed &* 64 &+ UInt64(worker))
          for _ in stride(from: worker, to: count, by: 64) {
            let choice = Int(random.next() % 16)
            let deadline: Deadline? =
              random.next() % 16 == 0 ? .after(.microseconds(Int(random.next() % 4000))) : nil
            let prediction = Task { try await runner.predict(inputs[choice], deadline: deadline) }
            if random.next() % 8 == 0 {
              for _ in 0..<random.next() % 8 { await Task.yield() }
              prediction.cancel()
            }
            do {
              if try await prediction.value == expected[choice] {
                counts.done += 1
              } else {
                counts.wrong += 1
              }
            } catch let error as RunnerError where error.kind == .cancelled {
              counts.cancelled += 1
            } catch let error as RunnerError where error.kind == .deadlineExceeded {
              counts.late += 1
            }
          }
          return counts
        }
      }
      return try await group.reduce(into: Counts()) { sum, part in
        sum.done += part.done
        sum.cancelled += part.cancelled
        sum.late += part.late
        sum.wrong += part.wrong
      }
    }
  }

  private static func residentKilobytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  /// Random numbers that are the same on every run (SplitMix64).
  private struct Random {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      return bits ^ (bits >> 31)
    }
  }
}
