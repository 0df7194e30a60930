import CForgeTestSupport
import Forge
import ForgeTestSupport
import Foundation
import Synchronization
import Testing

/// Objects created before a fork remain usable in the child.
@Suite struct ForkTests {
  /// A context and the values it must give.
  private struct Made: @unchecked Sendable {
    let context: Context
    let expected: [Float]
  }

  private static let made = Mutex<Made?>(nil)
  private static let values = seededValues(count: 31 * 29 * 3, seed: 8)

  private static func network(threads: Int) throws -> CompiledModel {
    var options = CompileOptions(threads: .exactly(threads))
    options.smallestShare = 0
    let input = Input(width: 31, height: 29, channels: 3)
    let output = input --> Convolution(kernel: (3, 3), channels: 20, activation: .relu)
    return try Model(input: input, output: output).compile(
      parameters: SeededParameters(), options: options)
  }

  private static func predict(in context: Context) throws -> [Float] {
    context.withInput(0) { span in
      for (index, value) in values.enumerated() { span[index] = value }
    }
    try context.predict()
    return context.withOutput(0) { span in span.indices.map { span[$0] } } ?? []
  }

  @Test(arguments: [1, 3]) func contextsSurviveFork(threads: Int) async {
    await #expect(processExitsWith: .success) { [threads] in
      let context = try Context(try ForkTests.network(threads: threads))
      let expected = try ForkTests.predict(in: context)
      ForkTests.made.withLock { $0 = Made(context: context, expected: expected) }
      let status = forge_fork_and_wait {
        guard let made = ForkTests.made.withLock({ $0 }) else { return 2 }
        for _ in 0..<3 {
          guard (try? ForkTests.predict(in: made.context)) == made.expected else { return 3 }
        }
        return 0
      }
      try #require(status == 0)
      try #require(try ForkTests.predict(in: context) == expected)
    }
  }

  /// A child creates one from a model compiled before the fork.
  @Test func realtimeContextsSurviveFork() async {
    await #expect(processExitsWith: .success) {
      let context = try Context(try ForkTests.network(threads: 1))
      let expected = try ForkTests.predict(in: context)
      ForkTests.made.withLock { $0 = Made(context: context, expected: expected) }
      let status = forge_fork_and_wait {
        guard let made = ForkTests.made.withLock({ $0 }),
          let realtime = try? RealtimeContext(made.context.network)
        else { return 2 }
        realtime.withInput(0) { span in
          for (index, value) in ForkTests.values.enumerated() { span[index] = value }
        }
        guard (try? realtime.predict()) != nil else { return 3 }
        let result = realtime.withOutput(0) { span in span.indices.map { span[$0] } }
        return result == made.expected ? 0 : 4
      }
      try #require(status == 0)
    }
  }
}
