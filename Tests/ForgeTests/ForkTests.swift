import CForgeTestSupport
import Forge
import ForgeTestSupport
import Foundation
import Synchronization
import Testing

/// What was made before a fork, and goes on in the child.
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

  @Test(arguments: [1, 3]) func contexts(threads: Int) async {
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

  private static let movingPages = Mutex<LargePages?>(nil)

  /// Memory that moves to large pages in the background: its thread is not in the child, whose memory goes on.
  @Test func pagesThatMove() async {
    await #expect(processExitsWith: .success) {
      let pages = LargePages(slowPage: .zero)
      let count = 8 * LargePages.pageBytes
      let memory = (0..<8).compactMap { _ in pages.allocate(byteCount: count) }
      for start in memory { memset(start, 0x5a, count) }
      ForkTests.movingPages.withLock { $0 = pages }
      pages.moveToLargePages(after: .zero)
      for _ in 0..<10 {
        let status = forge_fork_and_wait {
          guard let pages = ForkTests.movingPages.withLock({ $0 }),
            let start = pages.allocate(byteCount: 3 * LargePages.pageBytes)
          else { return 2 }
          memset(start, 1, 3 * LargePages.pageBytes)
          pages.moveToLargePagesNow()
          pages.free(
            UnsafeMutableRawBufferPointer(start: start, count: 3 * LargePages.pageBytes))
          return 0
        }
        try #require(status == 0)
      }
      for start in memory {
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        try #require(bytes.allSatisfy { $0 == 0x5a })
      }
    }
  }

  /// One that a child makes of a model that was compiled before.
  @Test func realtimeContexts() async {
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
