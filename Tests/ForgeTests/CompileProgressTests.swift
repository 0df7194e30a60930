import Forge
import ForgeTestSupport
import Testing

/// Compiles in the background: their progress, and their end when they are canceled.
@Suite struct CompileProgressTests {
  private func model() -> Model {
    let input = Input(width: 32, height: 32, channels: 16)
    return Model(
      input: input,
      output: input --> Convolution(kernel: (3, 3), channels: 32, name: "a")
        --> Convolution(kernel: (3, 3), channels: 48, name: "b") --> Dense(neurons: 10, name: "c"))
  }

  @Test func stagesInOrder() async throws {
    let reports = Locked<[CompileProgress]>([])
    var options = CompileOptions(verify: .samples(2), tuning: .measured, threads: .exactly(1))
    options.tuningTimer = { _, _ in 1 }
    _ = try await model().compiled(parameters: SeededParameters(), options: options) { progress in
      reports.withLock { $0.append(progress) }
    }
    let all = reports.withLock { $0 }
    var stages: [CompileProgress.Stage] = []
    for progress in all where stages.last != progress.stage { stages.append(progress.stage) }
    #expect(stages == CompileProgress.Stage.allCases)
    for stage in stages {
      let fractions = all.filter { $0.stage == stage }.map(\.fraction)
      #expect(fractions == fractions.sorted())
      #expect(fractions.first.map { $0 < 1 } == true)
      #expect(fractions.last == 1)
      #expect(fractions.count { $0 == 1 } == 1)
    }
    // Six parameters, and two samples.
    #expect(all.count { $0.stage == .load } == 7)
    #expect(all.count { $0.stage == .verify } == 3)
  }

  /// Cancels a compile as soon as a stage has begun.
  @Test(arguments: CompileProgress.Stage.allCases)
  func cancelled(in stage: CompileProgress.Stage) async throws {
    let model = model()
    let last = Locked<CompileProgress.Stage?>(nil)
    let task = Task { () throws(CompileError) in
      try await model.compiled(
        parameters: SeededParameters(),
        options: CompileOptions(verify: .samples(100), tuning: .measured)
      ) { progress in
        last.withLock { $0 = progress.stage }
        if progress.stage == stage { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    do {
      _ = try await task.value
      Issue.record("the compile went on")
    } catch {
      let error = try #require(error as? CompileError)
      #expect(error.isCancelled)
      #expect(error.description == "the compile was canceled")
    }
    #expect(last.withLock { $0 } == stage)
  }

  @Test func cancelledBeforehand() async throws {
    let model = model()
    let task = Task { () throws(CompileError) in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await model.compiled { _, _, _ in
        Issue.record("a parameter was asked for")
        return nil
      }
    }
    let result = await task.result
    #expect((result.error as? CompileError)?.isCancelled == true)
  }

  /// A plain compile ends as usual in a canceled task, as do predictions of a compiled model.
  @Test func onlyWatchedCompilesAreCancelled() async throws {
    let input = Input(channels: 3)
    let model = Model(
      input: input, output: input --> Convolution(kernel: (3, 3), channels: 4, name: "a"))
    let network = try await model.compiled(parameters: SeededParameters())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try model.compile(parameters: SeededParameters())
      let context = try Context(
        network, inputShapes: ["input": Shape(width: 5, height: 4, channels: 3)])
      try context.predict()
    }
    _ = try await task.value
  }

  @Test func everyFormHasAnAsynchronousOne() async throws {
    var model = model()
    let values = seededValues(count: 32 * 32 * 16, seed: 1)
    let source = SeededParameters()
    let expected = try model.compile(parameters: source).predict(values)
    let options = CompileOptions()
    let byClosure = Model(
      input: model.inputs[0], output: model.inputs[0] --> Multiply(constant: [2]))
    #expect(try await byClosure.compiled { _, _, _ in nil }.predict(values)[0] == 2 * values[0])
    #expect(
      try await model.compiled(parameters: source, options: options).predict(values) == expected)
    model.parameters = source
    #expect(try await model.compiled().predict(values) == expected)
    // Sources and options in either order.
    #expect(try model.compile(options: options, parameters: source).predict(values) == expected)
    #expect(try model.compile(parameters: source, options: options).predict(values) == expected)
    let closure: (String, Int, ParameterType) -> (any ParameterData)? = { _, count, _ in
      StoredValues(Array(repeating: 0, count: count))
    }
    let zeros = try model.compile(options: options, parameters: closure).predict(values)
    #expect(try model.compile(parameters: closure, options: options).predict(values) == zeros)
  }
}

extension Result {
  fileprivate var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
