import CForgeKernels
import ForgeOperations
import ForgeShapes

/// How the steps of a plan follow the length of a sequence.
///
/// The plan is made for the largest length: its steps, their kernels, and all places in the arena.
/// For a shorter length the same steps work on the first part of each tensor. Their arguments
/// differ in sizes, counts and strides of plain tensors, each of which is a polynomial of the
/// length. The polynomials are found, and checked, with the arguments for some shorter lengths.
struct LengthPlan: Sendable {
  /// A word of the arguments that changes.
  struct Change: Sendable {
    /// The step.
    let step: Int
    /// The distance from the start of its arguments, in 32-bit words.
    let word: Int
    let value: LengthFunction
  }

  let sizes: SequenceSizes
  let changes: [Change]
  /// The number of rounds of each step.
  let rounds: [LengthFunction]
  /// The number of tiles of a step, given its arguments.
  let countTiles: [@Sendable (UnsafeRawPointer) -> Int64]

  /// A plan of parts that another one had.
  init(
    sizes: SequenceSizes, changes: [Change], rounds: [LengthFunction],
    countTiles: [@Sendable (UnsafeRawPointer) -> Int64]
  ) {
    (self.sizes, self.changes, self.rounds) = (sizes, changes, rounds)
    self.countTiles = countTiles
  }

  /// Compares the calls for the largest length with those for shorter ones.
  ///
  /// - Throws: ``BackendError`` naming a layer whose work does not follow the length.
  init(
    _ range: LengthRange, longest: PlanBuilder, calls: [KernelCall],
    probes: [(builder: PlanBuilder, calls: [KernelCall])]
  ) throws(BackendError) {
    guard
      let sizes = SequenceSizes(
        range, longest: longest.graph, probes: probes.map(\.builder.graph))
    else { throw .lengthNotFollowed(by: nil) }
    self.sizes = sizes
    let steps = longest.steps
    for (builder, _) in probes {
      if let layer = builder.layerOfOtherForm { throw .lengthNotFollowed(by: layer) }
      guard builder.steps.count == steps.count, builder.tensors.count == longest.tensors.count
      else { throw .lengthNotFollowed(by: nil) }
    }
    var changes: [Change] = []
    var rounds: [LengthFunction] = []
    for (index, call) in calls.enumerated() {
      let others = probes.map { $0.calls[index] }
      guard others.allSatisfy({ $0.isAlike(call) }),
        let count = LengthFunction(
          range, last: UInt32(clamping: steps[index].rounds),
          probes: probes.map { UInt32(clamping: $0.builder.steps[index].rounds) })
      else { throw .lengthNotFollowed(by: steps[index].layers.last) }
      rounds.append(count)
      for word in 0..<call.arguments.count / 4 {
        let last = call.word(word), values = others.map { $0.word(word) }
        if values.allSatisfy({ $0 == last }) { continue }
        guard let value = LengthFunction(range, last: last, probes: values) else {
          throw .lengthNotFollowed(by: steps[index].layers.last)
        }
        changes.append(Change(step: index, word: word, value: value))
      }
    }
    self.changes = changes
    self.rounds = rounds
    countTiles = calls.map(\.countTiles)
  }
}

extension KernelCall {
  /// A word of the arguments.
  fileprivate func word(_ index: Int) -> UInt32 {
    arguments.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self) }
  }

  /// Whether another call runs the same kernel.
  fileprivate func isAlike(_ other: KernelCall) -> Bool {
    unsafeBitCast(kernel, to: Int.self) == unsafeBitCast(other.kernel, to: Int.self)
      && arguments.count == other.arguments.count
  }
}

/// The steps of a plan with arguments for the length of the present prediction.
final class LengthSteps {
  /// The steps, which point to arguments of their own.
  let steps: UnsafeMutablePointer<forge_step>
  private let plan: LengthPlan
  private let arguments: UnsafeMutableRawPointer
  private let count: Int
  private var length: Int

  /// Copies the steps and arguments of a plan, which are those of the largest length.
  init(_ plan: LengthPlan, _ source: UnsafeBufferPointer<forge_step>, bytes: UnsafeRawBufferPointer)
  {
    self.plan = plan
    length = plan.sizes.maximum
    count = source.count
    arguments = .allocate(byteCount: max(bytes.count, 1), alignment: 64)
    if let start = bytes.baseAddress { arguments.copyMemory(from: start, byteCount: bytes.count) }
    steps = .allocate(capacity: max(count, 1))
    for (index, step) in source.enumerated() {
      var step = step
      if let start = bytes.baseAddress, let argument = step.arguments {
        step.arguments = UnsafeRawPointer(arguments + (argument - start))
      }
      (steps + index).initialize(to: step)
    }
  }

  deinit {
    steps.deallocate()
    arguments.deallocate()
  }

  /// Adapts the steps to a length; it does not allocate.
  func set(length: Int) {
    guard length != self.length else { return }
    self.length = length
    for change in plan.changes {
      guard let start = steps[change.step].arguments else { continue }
      UnsafeMutableRawPointer(mutating: start)
        .storeBytes(of: change.value[length], toByteOffset: 4 * change.word, as: UInt32.self)
    }
    for index in 0..<count {
      guard let start = steps[index].arguments else { continue }
      steps[index].tiles = plan.countTiles[index](start)
      steps[index].rounds = Int32(clamping: plan.rounds[index][length])
      // Tiles that no longer make whole parts are shared one by one.
      if steps[index].tiles % Int64(max(steps[index].parts, 1)) != 0 { steps[index].parts = 1 }
    }
  }
}
