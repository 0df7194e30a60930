import CForgeTestSupport
import Forge
import ForgeModels
import ForgeTestSupport
import Foundation
import Synchronization
import Testing

/// The real-time path calls neither the allocator nor the system, and gives the same bits.
@Suite struct RealtimeTests {
  private func network(batch: Int = 5) throws -> CompiledModel {
    let input = Input(width: 7, height: 5, channels: 3, name: "image")
    let gain = Input(width: 1, height: 1, channels: 1, name: "gain")
    let features = input --> Convolution(kernel: (3, 3), channels: 17, activation: .tanh)
    let output = [features, gain] --> Multiply() --> Dense(neurons: 11) --> Softmax()
    return try Model(inputs: [input, gain], outputs: [output]).compile(
      parameters: SeededParameters(), options: CompileOptions(maximumBatch: batch))
  }

  @Test(arguments: 1...5) func bitsMatchContextForEveryBatch(batch: Int) throws {
    let network = try network()
    let context = try RealtimeContext(network, batch: 5)
    #expect(context.maximumBatch == 5)
    let values = seededValues(count: 105 * batch, seed: 3)
    context.withInput(0) { span in
      for (index, value) in values.enumerated() { span[index] = value }
    }
    let isSet = context.setInput(1, to: 1.25)
    #expect(isSet)
    try context.predict(batch: batch)
    for example in 0..<batch {
      let expected = try network.predict([
        "image": TensorValues(
          width: 7, height: 5, channels: 3,
          values: Array(values[example * 105..<(example + 1) * 105])),
        "gain": TensorValues(width: 1, height: 1, channels: 1, values: [1.25]),
      ])
      let result = context.withOutput(0) { span in
        (example * 11..<(example + 1) * 11).map { span[$0] }
      }
      #expect(result == expected.outputs.values.first?.values)
    }
  }

  @Test func invalidArguments() throws {
    let network = try network()
    let context = try RealtimeContext(network, batch: 3)
    for batch in [.min, -1, 0, 4, .max] as [Int] {
      #expect(throws: PredictionError.self) { try context.predict(batch: batch) }
    }
    let answers = [
      context.withInput(2) { _ in true }, context.withInput(-1) { _ in true },
      context.withOutput(1) { _ in true },
    ]
    #expect(answers == [nil, nil, nil])
    let isSet = context.setInput(2, to: 1)
    #expect(!isSet)
    #expect(throws: PredictionError.self) { _ = try RealtimeContext(network, batch: 6) }
  }

  @Test func unsupportedModels() throws {
    let input = Input(width: 5, height: 4, channels: 3)
    let custom = try Model(input: input, output: input --> reversal()).compile()
    let checked = try Model(input: input, output: input --> Softmax()).compile(
      options: CompileOptions(checks: .finiteOutputs))
    for (network, reason) in [(custom, "a custom layer"), (checked, "checks: .finiteOutputs")] {
      let error = #expect(throws: PredictionError.self) { _ = try RealtimeContext(network) }
      #expect(error?.kind == .notRealtime)
      #expect(
        error?.description == """
          the model does not suit real-time use
            received  \(reason)
            needs     only Forge's own layers, compiled with checks: .none
            remedy    Context(network)
          """)
    }
  }

  @Test func predictionDoesNotAllocate() throws {
    let context = try RealtimeContext(try network(), batch: 5)
    var sum: Float = 0
    forge_count_allocations()
    for step in 0..<1000 {
      context.withInput(0) { span in span[step % 105] += 0.5 }
      context.setInput(1, to: Float(step % 7))
      try context.predict(batch: step % 5 + 1)
      context.withOutput(0) { span in sum += span[0] }
    }
    #expect(forge_counted_allocations() == 0)
    #expect(sum > 0)
  }

  /// Traces a thread's system calls: none between two marks around 1,000 predictions.
  @Test(.enabled(if: Tracer.path != nil, "there is no strace on this machine"))
  func predictionMakesNoSystemCalls() throws {
    let tracer = try #require(Tracer.path)
    let network = try network()
    let marks = Marks()
    let thread = Thread {
      do {
        let context = try RealtimeContext(network, batch: 5)
        marks.thread.store(Tracer.currentThread, ordering: .releasing)
        while !marks.isTraced.load(ordering: .acquiring) {
          _ = getppid()
          usleep(1000)
        }
        _ = getppid()
        for step in 0..<1000 {
          context.withInput(0) { span in span[step % 105] += 0.5 }
          try context.predict(batch: step % 5 + 1)
        }
        _ = getppid()
      } catch {
        Issue.record(error)
      }
      marks.isDone.store(true, ordering: .releasing)
    }
    thread.start()
    while marks.thread.load(ordering: .acquiring) == 0 { usleep(1000) }
    let trace = try Tracer(tracer, thread: marks.thread.load(ordering: .relaxed))
    let isAttached = trace.waitUntilTraced("getppid(")
    marks.isTraced.store(true, ordering: .releasing)
    while !marks.isDone.load(ordering: .acquiring) { usleep(1000) }
    let calls = trace.end()
    guard isAttached else { try Test.cancel("strace may not trace here") }
    let marked = calls.indices.filter { calls[$0].contains("getppid(") }
    try #require(marked.count > 2, "\(calls)")
    #expect(Array(calls[marked[marked.count - 2] + 1..<marked[marked.count - 1]]) == [])
  }

  private final class Marks: Sendable {
    let thread = Atomic<Int>(0)
    let isTraced = Atomic(false)
    let isDone = Atomic(false)
  }
}

/// A tracer that is attached to one thread of this process.
private final class Tracer {
  private let process = Process()
  private let file = FileManager.default.temporaryDirectory
    .appendingPathComponent("forge-trace-\(UUID().uuidString)")

  static var path: String? {
    ["/usr/bin/strace", "/usr/local/bin/strace", "/bin/strace"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  /// The number the kernel gives the calling thread.
  static var currentThread: Int {
    let link =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
    return link.split(separator: "/").last.flatMap { Int($0) } ?? 0
  }

  init(_ path: String, thread: Int) throws {
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-q", "-p", "\(thread)", "-o", file.path]
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Whether the trace has a call of this name within five seconds.
  ///
  /// An attached tracer may still miss calls until it lets the thread go on.
  func waitUntilTraced(_ call: String) -> Bool {
    for _ in 0..<5000 {
      if let text = try? String(contentsOf: file, encoding: .utf8), text.contains(call) {
        return true
      }
      guard process.isRunning else { return false }
      usleep(1000)
    }
    return false
  }

  /// The lines of the trace.
  func end() -> [String] {
    process.waitUntilExit()
    defer { try? FileManager.default.removeItem(at: file) }
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }
}
