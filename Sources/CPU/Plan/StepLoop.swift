import CForgeKernels
import ForgeOperations
import ForgeSystem

/// Runs the steps of a plan in a workspace.
final class StepLoop: ExampleRunner {
  let threads: Int
  private let plan: Plan
  private let workspace: Workspace
  private let stateBases: StateBases
  /// The steps for the length of a sequence; `nil` if all sizes are fixed.
  private let lengthSteps: LengthSteps?
  /// The bases of the frame: arena, constants, inputs, present states, outputs, next states.
  private let bases: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
  /// Where kernels record numbers that choose no row of a table.
  private let fault: UnsafeMutablePointer<forge_fault>
  /// The context of ``realtimeRun``.
  private let realtime: UnsafeMutablePointer<RealtimeSteps>
  /// The operands of each custom call, created in advance so that predictions do not allocate.
  ///
  /// There is one set for all examples, or one per example if the layer reads a model input
  /// directly.
  private let customOperands: [[CustomOperands]]

  init(_ plan: Plan, in workspace: Workspace, threads: Int) {
    self.plan = plan
    self.workspace = workspace
    self.threads = min(threads, plan.mostThreads)
    lengthSteps = plan.makeLengthSteps()
    // Threads are created here so that no prediction has to create one.
    if self.threads > 1 { forge_prepare_threads(Int32(self.threads)) }
    // The addresses of states are set before each run.
    let states = [UnsafeMutablePointer<Float>?](repeating: nil, count: plan.states.count)
    fault = .allocate(capacity: 1)
    fault.initialize(to: forge_fault())
    let places =
      [workspace.arena.assumingMemoryBound(to: Float.self), plan.constantsBase]
      + workspace.inputs.map(\.baseAddress) + states
      + workspace.outputs.map(\.baseAddress) + states
    let firstState = Int(FORGE_BASE_FIRST_BINDING) + workspace.inputs.count
    stateBases = StateBases(
      count: states.count, present: firstState,
      next: firstState + states.count + workspace.outputs.count)
    let bases = UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>.allocate(
      capacity: places.count)
    _ = bases.initialize(from: places)
    self.bases = bases
    realtime = .allocate(capacity: 1)
    realtime.initialize(
      to: RealtimeSteps(
        steps: lengthSteps.map { UnsafePointer($0.steps) } ?? plan.steps(from: 0),
        count: Int64(plan.steps.count),
        bases: bases.baseAddress, crops: workspace.crops, fault: fault,
        limits: UnsafeBufferPointer(workspace.limits), stateBases: stateBases,
        state: .passUnretained(workspace.state)))
    customOperands = plan.segments.map { segment in
      guard case .custom(let call) = segment else { return [] }
      let sets = call.inputs.contains { $0.place.image_stride > 0 } ? workspace.batch : 1
      return (0..<sets).map { example in
        let operands = call.inputs.map { region in
          let values = Self.values(of: region, bases: bases, example: example)
          // Parameters are in the memory of the plan.
          let owner: AnyObject =
            region.place.base == Int32(FORGE_BASE_CONSTANTS) ? plan : workspace
          return CustomInput(UnsafeBufferPointer(values), in: owner)
        }
        return CustomOperands(operands, of: call.operation)
      }
    }
  }

  deinit {
    bases.deallocate()
    realtime.deallocate()
    fault.deallocate()
  }

  func run(example: Int, until stop: StopCondition) throws(LayerFailure) -> Bool {
    fault.pointee.source = 0
    stateBases.set(in: bases.baseAddress, workspace.state, example: example)
    var frame = frame(of: example)
    let flag = stop.flag.map { UnsafeRawPointer($0).assumingMemoryBound(to: Int32.self) }
    for (index, segment) in plan.segments.enumerated() {
      switch segment {
      case .steps(let start, let count):
        let done = forge_run_parallel(
          steps(from: start), Int64(count), &frame, Int32(threads), flag, stop.deadline)
        if done < count { return false }
      case .custom(let call):
        if stop.isMet { return false }
        let sets = customOperands[index]
        try run(call, on: sets[sets.count > 1 ? example : 0])
      }
      if fault.pointee.source > 0 { throw failure(example: example) }
    }
    return true
  }

  /// Runs each step of the first example by itself and adds its time.
  ///
  /// This loop is apart from `run`, because the metadata of a clock's instants is allocated at its
  /// first use and a prediction must not allocate.
  func profile(adding seconds: inout [Double]) throws(LayerFailure) {
    stateBases.set(in: bases.baseAddress, workspace.state, example: 0)
    var frame = frame(of: 0)
    let clock = ContinuousClock()
    // The position among all steps, C steps and custom calls.
    var position = 0
    for (index, segment) in plan.segments.enumerated() {
      switch segment {
      case .steps(let start, let count):
        for step in start..<start + count {
          let begin = clock.now
          _ = forge_run_parallel(
            steps(from: step), 1, &frame, Int32(threads), nil, StopCondition().deadline)
          seconds[position] += (clock.now - begin) / .seconds(1)
          position += 1
        }
      case .custom(let call):
        let begin = clock.now
        try run(call, on: customOperands[index][0])
        seconds[position] += (clock.now - begin) / .seconds(1)
        position += 1
      }
    }
  }

  func set(length: Int) {
    lengthSteps?.set(length: length)
  }

  private func steps(from start: Int) -> UnsafePointer<forge_step>? {
    if let lengthSteps { UnsafePointer(lengthSteps.steps + start) } else { plan.steps(from: start) }
  }

  private func frame(of example: Int) -> forge_frame {
    forge_frame(
      bases: UnsafePointer(bases.baseAddress), image: Int64(example), crops: workspace.crops,
      worker: 0, calls: 0, round: 0, fault: fault)
  }

  /// The failure that a kernel has recorded.
  private func failure(example: Int) -> LayerFailure {
    let found = fault.pointee
    let source = plan.faultSources[Int(found.source) - 1]
    return LayerFailure(
      layer: source.layer,
      cause: IndexFault(
        value: found.value, index: Int(found.index), size: source.size, fromEnd: source.fromEnd,
        example: example))
  }

  func realtimeFailure(example: Int) -> LayerFailure { failure(example: example) }

  private func run(_ call: Plan.CustomCall, on operands: CustomOperands) throws(LayerFailure) {
    var output = Self.values(of: call.output, bases: bases, example: 0).mutableSpan
    do { try call.operation.body(operands.inputs, operands.parameters, &output) } catch {
      throw LayerFailure(layer: call.layer, cause: error)
    }
  }

  private static func values(
    of region: Plan.Region, bases: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>,
    example: Int
  ) -> UnsafeMutableBufferPointer<Float> {
    let place = region.place
    return UnsafeMutableBufferPointer(
      start: bases[Int(place.base)].map {
        $0 + Int(place.offset) + example * Int(place.image_stride)
      }, count: region.count)
  }

  // MARK: Real time

  /// The arguments of `forge_run`.
  private struct RealtimeSteps {
    let steps: UnsafePointer<forge_step>?
    let count: Int64
    let bases: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?
    let crops: UnsafePointer<Double>
    let fault: UnsafeMutablePointer<forge_fault>
    let limits: UnsafeBufferPointer<PositionLimit>
    let stateBases: StateBases
    /// The workspace keeps it alive.
    let state: Unmanaged<StateMemory>
  }

  var realtimeRun: RealtimeRun? {
    // Only custom calls have sets of operands.
    guard customOperands.allSatisfy(\.isEmpty), let base = bases.baseAddress else { return nil }
    return RealtimeRun(
      context: UnsafeRawPointer(realtime), inputs: base + Int(FORGE_BASE_FIRST_BINDING),
      outputs: base + stateBases.present + stateBases.count
    ) { context, example in
      let plan = context.assumingMemoryBound(to: RealtimeSteps.self)
      if plan.pointee.limits.isEmpty { return true }
      return plan.pointee.state._withUnsafeGuaranteedRef {
        $0.firstFull(plan.pointee.limits, example: example) == nil
      }
    } function: { context, example in
      let plan = context.assumingMemoryBound(to: RealtimeSteps.self)
      let (bases, stateBases) = (plan.pointee.bases, plan.pointee.stateBases)
      plan.pointee.fault.pointee.source = 0
      plan.pointee.state._withUnsafeGuaranteedRef { state in
        stateBases.set(in: bases, state, example: example)
      }
      var frame = forge_frame(
        bases: UnsafePointer(bases), image: Int64(example), crops: plan.pointee.crops, worker: 0,
        calls: 0, round: 0, fault: plan.pointee.fault)
      forge_run(plan.pointee.steps, plan.pointee.count, &frame)
      return plan.pointee.fault.pointee.source == 0
    } advance: { context, example in
      let plan = context.assumingMemoryBound(to: RealtimeSteps.self)
      plan.pointee.state._withUnsafeGuaranteedRef { $0.advance(example: example) }
    }
  }
}

/// The places of states among the bases of a frame.
private struct StateBases {
  let count: Int
  /// The base of the first present state, and that of the first next one.
  let present, next: Int

  /// Sets the bases for one of the examples.
  func set(
    in bases: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?, _ state: StateMemory,
    example: Int
  ) {
    guard count > 0, let bases else { return }
    let half = state.isSecond[example] ? 1 : 0
    for index in 0..<count {
      bases[present + index] = state.buffers[2 * index + half]
      bases[next + index] = state.buffers[2 * index + 1 - half]
    }
  }
}
