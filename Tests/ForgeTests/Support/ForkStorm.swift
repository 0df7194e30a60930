import CForgeTestSupport
import Dispatch
import Forge
import ForgeRunner
import ForgeSystem
import ForgeTestSupport
import Foundation
import Synchronization

/// Threads that are at one kind of work while the process forks, and children that do all kinds.
///
/// Everything is done once before the first fork, so that no child meets a lock of the Swift runtime, which it takes
/// when a type or a global is used for the first time.
final class ForkStorm: @unchecked Sendable {
  /// What threads of the parent do: the rows of the table in Docs/Concurrency.md.
  enum Work: String, CaseIterable, Codable, Sendable {
    case knownSize, severalThreads, newSize, compile, load, context, realtime, runner, pages, tuning
  }

  /// What a child has found to be wrong; its exit status.
  enum Fault: Int32, Error {
    case knownSize = 2
    case severalThreads, newSize, compile, load, context, realtime, runner, pages, tuning
  }

  private static let sides = 6..<30
  private static let channels = 5

  private let small, pooled, anySize: CompiledModel
  private let context: Context
  private let runner: Runner<CompiledModel>
  private let pages = LargePages()
  private let directory: String
  private let smallInput = seededValues(count: 4, seed: 1)
  private let pooledInput = seededValues(count: 23 * 17 * channels, seed: 2)
  private let inputs: [TensorValues]
  private let smallResult, pooledResult: [Float]
  private let results: [[Float]]
  private let isOver = Atomic(false)

  init() throws {
    small = try Self.smallModel().compile(parameters: SeededParameters())
    smallResult = try small.predict(smallInput)
    var options = CompileOptions(threads: .exactly(2))
    options.smallestShare = 0
    pooled = try Self.model(width: 23, height: 17).compile(
      parameters: SeededParameters(), options: options)
    pooledResult = try pooled.predict(pooledInput)
    options.planCacheSize = 2
    let anySize = try Self.model(width: nil, height: nil).compile(
      parameters: SeededParameters(), options: options)
    self.anySize = anySize
    inputs = Self.sides.map { side in
      TensorValues(
        width: side, height: 9, channels: Self.channels,
        values: seededValues(count: side * 9 * Self.channels, seed: UInt64(side)))
    }
    results = try inputs.map { try anySize.predict($0) }
    context = try Context(pooled)
    runner = try Runner(pooled, inflightBuffers: 2)
    directory = NSTemporaryDirectory() + "forge-fork-\(getpid())"
    try Self.write(to: directory)
    // The first time of everything.
    let error = try Fault.allCases.compactMap { try fault(of: $0) }.first
    if let error { throw error }
    // The first error of a kind too: the metadata of its type is created then.
    for case .success in [
      Result { try context.predict(batch: 0) },
      Result { try small.predict(pooledInput) }.map { _ in },
      Result { try Runner(small, inflightBuffers: 0) }.map { _ in },
    ] { throw Fault.context }
  }

  private static func smallModel() -> Model {
    let input = Input(width: 1, height: 1, channels: 4)
    return Model(input: input, output: input --> Dense(neurons: 2, name: "dense"))
  }

  private static func model(width: Int?, height: Int?) -> Model {
    let input = Input(width: width, height: height, channels: channels)
    let output =
      input --> Convolution(kernel: (3, 3), channels: 20, activation: .relu, name: "first")
      --> Convolution(kernel: (1, 1), channels: 33, name: "second") --> GlobalAveragePooling()
    return Model(input: input, output: output)
  }

  /// A folder with the parameters of ``smallModel()``.
  private static func write(to directory: String) throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    for (name, spec) in [
      (
        "dense_W",
        ParameterSpec(
          layer: "dense", .weights, [.outputs: 2, .height: 1, .width: 1, .inputs: 4])
      ), ("dense_b", ParameterSpec(layer: "dense", .biases, [.outputs: 2])),
    ] {
      let values = SeededParameters().values(for: spec)
      try values.withUnsafeBytes {
        try Data($0).write(to: URL(fileURLWithPath: "\(directory)/\(name).bin"))
      }
    }
  }

  // MARK: Work

  /// Does a kind of work once and gives what was wrong with its result.
  private func fault(of work: Fault, isChild: Bool = false) throws -> Fault? {
    switch work {
    case .knownSize:
      return try small.predict(smallInput) == smallResult ? nil : work
    case .severalThreads:
      return try pooled.predict(pooledInput) == pooledResult ? nil : work
    case .newSize:
      let index = Int.random(in: inputs.indices)
      return try anySize.predict(inputs[index]) == results[index] ? nil : work
    case .compile:
      let made = try Self.model(width: 23, height: 17).compile(parameters: SeededParameters())
      return try made.predict(pooledInput) == pooledResult ? nil : work
    case .load:
      let made = try Self.smallModel().compile(parameters: try ParameterDirectory(directory))
      return try made.predict(smallInput) == smallResult ? nil : work
    case .context:
      var result = Array(repeating: Float(0), count: pooledResult.count)
      var target = result.mutableSpan
      let input = pooledInput
      try context.predict(input.span, into: &target)
      return result == pooledResult ? nil : work
    case .realtime:
      let realtime = try RealtimeContext(small)
      realtime.withInput(0) { span in
        for (index, value) in self.smallInput.enumerated() { span[index] = value }
      }
      for _ in 0..<100 { try realtime.predict() }
      return realtime.withOutput(0) { span in span.indices.map { span[$0] } } == smallResult
        ? nil : work
    case .runner: return isChild ? faultOfRunnerInChild() : faultOfRunner()
    case .pages: return faultOfPages()
    case .tuning:
      var options = CompileOptions(tuning: .measured)
      // In a child it would take too long.
      if isChild { options.tuningTimer = { _, kernel in kernel.name == "direct" ? 1 : 2 } }
      let made = try Self.model(width: 23, height: 17).compile(
        parameters: SeededParameters(), options: options)
      return try made.predict(pooledInput).count == pooledResult.count ? nil : work
    }
  }

  private func faultOfRunner() -> Fault? {
    let isRight = Atomic(false)
    let isDone = DispatchSemaphore(value: 0)
    let expected = pooledResult
    withUnsafePointer(to: isRight) { isRight in
      nonisolated(unsafe) let isRight = isRight
      runner.predictDirectly(SlotInput(pooledInput)) { answer in
        isRight.pointee.store(
          (try? answer.get().prediction.outputs.values.first?.values) == expected,
          ordering: .relaxed)
        isDone.signal()
      }
      isDone.wait()
    }
    return isRight.load(ordering: .relaxed) ? nil : .runner
  }

  /// Every form of asking is refused, nothing that watches waits.
  private func faultOfRunnerInChild() -> Fault? {
    let isRefused = ForkSafe(false)
    runner.predictDirectly(SlotInput(pooledInput)) { answer in
      guard case .failure(let error as RunnerError) = answer else { return }
      isRefused.withLock { $0 = error.kind == .forked }
    }
    runner.resetStatistics()
    guard runner.freeSlots == 0, runner.waitingPredictions == 0, !runner.isAtRest,
      runner.statistics.completed == 0
    else { return .runner }
    return isRefused.withLock { $0 } ? nil : .runner
  }

  private func faultOfPages() -> Fault? {
    let count = 3 * LargePages.pageBytes
    guard let memory = pages.allocate(byteCount: count) else { return .pages }
    let bytes = UnsafeMutableRawBufferPointer(start: memory, count: count)
    defer { pages.free(bytes) }
    let value = UInt8.random(in: 1...255)
    memset(memory, Int32(value), count)
    return stride(from: 0, to: count, by: 512).allSatisfy { bytes[$0] == value } ? nil : .pages
  }

  // MARK: Forks

  /// Forks while threads are at work.
  ///
  /// - Returns: what the children found to be wrong; a signal counts as 1000 and its number.
  func run(_ work: Work, forks: Int) -> [Int32: Int] {
    let kind = Fault.allCases[Work.allCases.firstIndex(of: work) ?? 0]
    // Two threads would find the context in use. Swift Testing takes a lock at each throw, and a
    // child that throws would wait for it forever.
    for _ in 0..<(work == .context ? 1 : 2) {
      _ = WorkerThread.start { [self] in
        while !isOver.load(ordering: .relaxed) { _ = try? fault(of: kind) }
      }
    }
    var faults: [Int32: Int] = [:]
    for index in 0..<forks {
      usleep(useconds_t(200 + index * 7919 % 3000))
      let child = forge_fork()
      if child == 0 { _exit(childStatus(of: work, index)) }
      let status = forge_wait(child)
      if status != 0 { faults[status, default: 0] += 1 }
      // One that waits for a lock waits long.
      if faults.values.reduce(0, +) > 2 { break }
    }
    isOver.store(true, ordering: .relaxed)
    try? FileManager.default.removeItem(atPath: directory)
    return faults
  }

  /// What a child does: the work of its parent's threads, then all that is quick, then one of the others in turn.
  private func childStatus(of work: Work, _ index: Int) -> Int32 {
    forge_set_alarm(20)
    let first = Fault.allCases[Work.allCases.firstIndex(of: work) ?? 0]
    let slow: [Fault] = [.compile, .load, .realtime, .pages, .tuning]
    let quick = Fault.allCases.filter { !slow.contains($0) }
    for kind in [first] + quick + [slow[index % slow.count]] {
      do {
        if let fault = try fault(of: kind, isChild: true) { return fault.rawValue }
      } catch {
        return 100 + kind.rawValue
      }
    }
    return 0
  }
}

extension ForkStorm.Fault: CaseIterable {}
