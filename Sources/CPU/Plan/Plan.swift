import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// The executable plan for inputs of one size: a flat array of C steps and their memory.
final class Plan: Executable {
  /// A run of consecutive C steps, or a call of a custom operation between them.
  enum Segment: Sendable {
    case steps(start: Int, count: Int)
    case custom(CustomCall)
  }

  /// A custom operation and its tensors.
  struct CustomCall: Sendable {
    let operation: CustomOperation
    /// The operands: inputs, then parameters.
    let inputs: [Region]
    let output: Region
    /// The position of the layer.
    let layer: Int
  }

  /// A check of numbers that choose rows of a table.
  struct FaultSource: Sendable {
    /// The position of the layer.
    let layer: Int
    /// The number of rows.
    let size: Int
    /// Whether numbers below 0 count from the end.
    let fromEnd: Bool
  }

  /// A contiguous range of memory: its place in the frame and a count of floats.
  struct Region: Sendable {
    let place: forge_place
    let count: Int
  }

  /// The segments in execution order.
  let segments: [Segment]
  let steps: [StepReport]
  /// The maximum number of threads of any step.
  let mostThreads: Int
  /// The tensors of the arena in order of their first step.
  let tensors: [TensorReport]
  let inputSizes: [[Int]]
  let outputSizes: [[Int]]
  let states: [StateLayout]
  let positionLimits: [PositionLimit]
  let indexInputs: [Int: Int]
  let faultSources: [FaultSource]
  let cropSlots: [CropSlot]
  let arenaByteCount: Int
  let unsharedByteCount: Int
  /// How the steps follow the length of a sequence; `nil` if all sizes are fixed.
  let lengths: LengthPlan?
  private let calls: AlignedMemory
  let arguments: AlignedMemory
  let constants: AlignedMemory
  /// The packed parameters and tables that arguments point to.
  let retained: [AlignedMemory]
  /// The instruction set of the kernels.
  let level: forge_level
  /// The compiled file whose memory arguments point to, in place of ``retained``.
  private let file: StoredBytes?

  /// Creates the plan from a finished builder.
  ///
  /// `shorter` are the builders for the probes of `lengths`, with the steps and tensors of the
  /// first.
  ///
  /// - Throws: ``NoMemory`` if memory is insufficient, ``BackendError`` if a layer does not follow
  ///   the length.
  init(
    _ builder: PlanBuilder, split: ThreadSplit, lengths: LengthRange? = nil,
    shorter: [PlanBuilder] = []
  ) throws {
    let memory = MemoryPlan(tensors: builder.tensors, steps: builder.steps)
    let places = TensorPlaces(builder, offsets: memory.offsets)
    arenaByteCount = memory.arenaCount * MemoryLayout<Float>.stride
    unsharedByteCount = memory.unsharedCount * MemoryLayout<Float>.stride
    inputSizes = builder.graph.modelInputs.map { builder.sizes(of: $0) }
    outputSizes = builder.graph.modelOutputs.map { builder.sizes(of: $0) }
    states = builder.graph.stateLayouts
    positionLimits = builder.graph.positionLimits
    indexInputs = builder.graph.indexInputs
    faultSources = builder.faultSources
    cropSlots = builder.cropSlots
    retained = builder.retained
    level = builder.settings.level
    file = nil
    steps = builder.steps.map { step in
      let values = Set(step.reads + step.writes).filter { !builder.isWorkerScratch($0) }
        .reduce(0) { $0 + builder.tensor($1).byteCount }
      return StepReport(
        kernel: step.name, layers: step.layers, node: step.node, multiplyAdds: step.multiplyAdds,
        bytes: values + step.parameterBytes)
    }
    tensors = memory.lifetimes.filter { builder.tensors[$0.key].base == .arena }
      .sorted { ($0.value.lowerBound, $0.key) < ($1.value.lowerBound, $1.key) }
      .map { root, lifetime in
        TensorReport(
          description: builder.tensors[root].description,
          offset: memory.offsets[root] * MemoryLayout<Float>.stride, lifetime: lifetime)
      }
    constants = try AlignedMemory(
      byteCount: builder.constantCount * MemoryLayout<Float>.stride
    ) { bytes in
      let floats = bytes.bindMemory(to: Float.self)
      for (offset, values) in builder.constantFloats {
        _ = floats[offset...].update(fromContentsOf: values.floats)
      }
    }

    var segments: [Segment] = []
    var calls: [KernelCall] = []
    var dealt: [forge_step] = []
    let following = TensorPlaces.following(builder.steps)
    for (index, step) in builder.steps.enumerated() {
      var places = places
      places.next = following[index]
      switch step.action {
      case .kernel(let make):
        if case .steps(let start, let count) = segments.last {
          segments[segments.count - 1] = .steps(start: start, count: count + 1)
        } else {
          segments.append(.steps(start: calls.count, count: 1))
        }
        let call = make(places)
        calls.append(call)
        let report = steps[index]
        // Threads meet after each round, which reads all parameters.
        let roundMultiplyAdds = report.multiplyAdds / step.rounds
        let roundBytes =
          (report.bytes - step.parameterBytes) / step.rounds + step.parameterBytes
        let most = split.mostThreads(
          tiles: Int(call.tiles), multiplyAdds: roundMultiplyAdds, bytes: roundBytes)
        // The image whose parts the threads share; a step may write a plain tensor derived from it.
        let image = [step.writes[0], step.reads.first ?? step.writes[0]].map { builder.tensor($0) }
          .first { $0.isBlocked }
        let parts = split.parts(
          tiles: Int(call.tiles), parts: call.parts, threads: min(most, builder.settings.threads),
          pixels: image.map { $0.height * $0.width } ?? 0)
        let pieces = split.pieces(
          threads: most, multiplyAdds: roundMultiplyAdds, bytes: roundBytes)
        // The argument pointers are set below.
        dealt.append(
          forge_step(
            kernel: call.kernel, arguments: nil, tiles: call.tiles, most_threads: Int32(most),
            parts: Int32(clamping: parts), pieces: Int32(clamping: pieces),
            rounds: Int32(clamping: step.rounds)))
      case .custom(let operation):
        let region = { Region(place: places.place($0), count: builder.tensor($0).count) }
        segments.append(
          .custom(
            CustomCall(
              operation: operation, inputs: step.reads.map(region), output: region(step.writes[0]),
              layer: step.layers.last ?? 0)))
      }
    }
    self.segments = segments
    mostThreads = dealt.map { Int($0.most_threads) }.max() ?? 1

    self.lengths = try lengths.map { range throws(BackendError) in
      let probes = try shorter.map { shorter throws(BackendError) in
        let places = TensorPlaces(shorter, offsets: memory.offsets)
        return (shorter, try Self.calls(shorter, places, following))
      }
      _ = try Self.calls(builder, places, following)
      return try LengthPlan(range, longest: builder, calls: calls, probes: probes)
    }

    // All arguments share one block, each starting on a cache line.
    let sizes = calls.map { AlignedMemory.round($0.arguments.count, to: AlignedMemory.alignment) }
    let arguments = try AlignedMemory(byteCount: sizes.reduce(0, +)) { bytes in
      var offset = 0
      for (call, size) in zip(calls, sizes) {
        UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyBytes(from: call.arguments)
        offset += size
      }
    }
    self.arguments = arguments
    self.calls = try AlignedMemory(byteCount: dealt.count * MemoryLayout<forge_step>.stride) {
      bytes in
      let steps = bytes.bindMemory(to: forge_step.self)
      var offset = 0
      for (index, step) in dealt.enumerated() {
        steps[index] = step
        steps[index].arguments = arguments.bytes.baseAddress?.advanced(by: offset)
        offset += sizes[index]
      }
    }
  }

  /// Creates a plan from the parts of a compiled file.
  init(
    segments: [Segment], steps: [StepReport], mostThreads: Int, tensors: [TensorReport],
    inputSizes: [[Int]], outputSizes: [[Int]], states: [StateLayout],
    positionLimits: [PositionLimit], indexInputs: [Int: Int], faultSources: [FaultSource],
    cropSlots: [CropSlot], arenaByteCount: Int, unsharedByteCount: Int, lengths: LengthPlan?,
    calls: AlignedMemory, arguments: AlignedMemory, constants: AlignedMemory, level: forge_level,
    file: StoredBytes
  ) {
    (self.segments, self.steps, self.mostThreads) = (segments, steps, mostThreads)
    (self.tensors, self.inputSizes, self.outputSizes) = (tensors, inputSizes, outputSizes)
    (self.states, self.positionLimits) = (states, positionLimits)
    (self.indexInputs, self.faultSources) = (indexInputs, faultSources)
    (self.cropSlots, self.arenaByteCount) = (cropSlots, arenaByteCount)
    (self.unsharedByteCount, self.lengths) = (unsharedByteCount, lengths)
    (self.calls, self.arguments, self.constants) = (calls, arguments, constants)
    (retained, self.level, self.file) = ([], level, file)
  }

  /// The calls of a plan whose steps are all kernels.
  private static func calls(
    _ builder: PlanBuilder, _ places: TensorPlaces, _ following: [FirstWeights?]
  ) throws(BackendError) -> [KernelCall] {
    guard builder.layerOfOtherForm == nil, builder.steps.count == following.count else {
      throw .lengthNotFollowed(by: builder.layerOfOtherForm)
    }
    var calls: [KernelCall] = []
    for (step, next) in zip(builder.steps, following) {
      guard case .kernel(let make) = step.action else {
        throw .customAlongLength(step.layers.last)
      }
      var places = places
      places.next = next
      calls.append(make(places))
    }
    return calls
  }

  var sequenceSizes: SequenceSizes? { lengths?.sizes }

  /// Steps of its own for a runner that predicts sequences of changing length.
  func makeLengthSteps() -> LengthSteps? {
    lengths.map { lengths in
      LengthSteps(
        lengths, UnsafeBufferPointer(start: steps(from: 0), count: steps.count),
        bytes: UnsafeRawBufferPointer(arguments.bytes))
    }
  }

  /// Returns the steps starting at an index.
  func steps(from start: Int) -> UnsafePointer<forge_step>? {
    calls.bytes.baseAddress?.assumingMemoryBound(to: forge_step.self).advanced(by: start)
  }

  /// The base of the constants in a frame; kernels do not write to it.
  var constantsBase: UnsafeMutablePointer<Float>? { constants.writableFloats }

  var byteCount: Int { calls.byteCount + arguments.byteCount + constants.byteCount }

  func runner(in workspace: Workspace, threads: Int) -> any ExampleRunner {
    StepLoop(self, in: workspace, threads: threads)
  }
}
