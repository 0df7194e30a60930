import CForgeKernels
import ForgeOperations
import ForgeRunner
import ForgeShapes

/// The memory of one prediction with the plan that runs in it, independent of the model.
///
/// It is not `Sendable`: its holder has exclusive access.
final class PredictionMemory {
  let plan: Plan
  /// The most examples it has room for.
  let maximumBatch: Int
  /// The most threads a prediction uses.
  let threads: Int
  private let layout: WorkspaceLayout
  private let workspace: UnsafeMutableRawPointer
  private let owner: Owner
  /// The buffers of each custom call, allocated here so that predictions do not allocate.
  ///
  /// There is one set for all examples, or one per example if the layer reads a model input
  /// directly.
  private let customInputs: [[[CustomInput]]]

  /// Allocates the memory, or takes `workspace`, which has been checked, and prepares it.
  ///
  /// - Throws: ``PredictionError`` when there is no memory of that size.
  init(
    plan: Plan, batch: Int, threads: Int, workspace: UnsafeMutableRawPointer? = nil
  ) throws(PredictionError) {
    let layout = try WorkspaceLayout(plan, batch: batch)
    guard let memory = workspace ?? AlignedMemory.allocate(byteCount: layout.byteCount) else {
      throw .noMemory(layout.byteCount)
    }
    self.plan = plan
    self.layout = layout
    self.maximumBatch = batch
    self.threads = min(threads, plan.mostThreads)
    self.workspace = memory
    let owner = Owner(plan: plan, memory: workspace == nil ? memory : nil)
    self.owner = owner
    // Threads are created here so that no prediction has to create one.
    if self.threads > 1 { forge_prepare_threads(Int32(self.threads)) }
    layout.prepare(memory, plan: plan)
    let bases = layout.bases(in: memory)
    customInputs = plan.segments.map { segment in
      guard case .custom(let call) = segment else { return [] }
      let sets = call.inputs.contains { $0.imageStride > 0 } ? batch : 1
      return (0..<sets).map { image in
        call.inputs.map { CustomInput(Self.buffer($0, bases: bases, image: image), in: owner) }
      }
    }
  }

  /// Owns the memory of a prediction, which inputs of custom layers may keep alive for longer.
  private final class Owner {
    /// Owns the constants.
    let plan: Plan
    /// The workspace, unless it belongs to the caller.
    let memory: UnsafeMutableRawPointer?

    init(plan: Plan, memory: UnsafeMutableRawPointer?) {
      self.plan = plan
      self.memory = memory
    }

    deinit { AlignedMemory.free(memory) }
  }

  /// The values of an input for all examples.
  func input(_ index: Int) -> UnsafeMutableBufferPointer<Float> {
    layout.input(index, in: workspace)
  }

  /// The values of an output for all examples.
  func output(_ index: Int) -> UnsafeMutableBufferPointer<Float> {
    layout.output(index, in: workspace)
  }

  /// The bases and crops that a frame of this memory refers to.
  var frame: (bases: UnsafePointer<UnsafeMutablePointer<Float>?>, crops: UnsafePointer<Double>) {
    (UnsafePointer(layout.bases(in: workspace)), UnsafePointer(layout.crops(in: workspace)))
  }

  /// Sets the source rectangle of a resize; `nil` is the whole image.
  func setCrop(_ crop: CropRectangle?, of layer: String) throws(PredictionError) {
    var found = false
    for (index, slot) in plan.cropSlots.enumerated() where slot.name == layer {
      let rectangle = crop ?? slot.whole
      guard rectangle.fits(width: slot.width, height: slot.height) else {
        throw .wrongCrop(layer, rectangle, width: slot.width, height: slot.height)
      }
      layout.setCrop(rectangle, slot: index, in: workspace)
      found = true
    }
    guard found else {
      throw .unknownName(layer, what: "Resize layer", known: plan.cropSlots.map(\.name))
    }
  }

  /// Copies the crops from the memory of another plan for the same inputs.
  func takeCrops(from other: PredictionMemory) {
    for (index, slot) in plan.cropSlots.enumerated() {
      guard let source = other.plan.cropSlots.firstIndex(where: { $0.name == slot.name }) else {
        continue
      }
      let crop = other.layout.crop(slot: source, in: other.workspace)
      layout.setCrop(crop, slot: index, in: workspace)
    }
  }

  /// Resets every resize to sample its whole image.
  func resetCrops() {
    for (index, slot) in plan.cropSlots.enumerated() {
      layout.setCrop(slot.whole, slot: index, in: workspace)
    }
  }

  /// A custom layer that threw: its position and what it threw.
  struct CustomFailure: Error {
    let layer: Int
    let cause: any Error
  }

  /// Runs the plan for `batch` examples, one after the other in the same arena.
  func run(batch: Int) throws(CustomFailure) {
    let bases = layout.bases(in: workspace)
    var frame = forge_frame()
    frame.bases = UnsafePointer(bases)
    frame.crops = UnsafePointer(layout.crops(in: workspace))
    for image in 0..<batch {
      frame.image = Int64(image)
      for (index, segment) in plan.segments.enumerated() {
        switch segment {
        case .steps(let start, let count):
          _ = forge_run_parallel(
            plan.steps(from: start), Int64(count), &frame, Int32(threads), nil, .max)
        case .custom(let call):
          let sets = customInputs[index]
          try run(call, inputs: sets[sets.count > 1 ? image : 0], bases: bases)
        }
      }
    }
  }

  /// Runs the plan as ``run(batch:)``, checking the stop signal before each step.
  ///
  /// - Returns: whether all steps ran.
  func run(batch: Int, until stop: borrowing StopSignal) throws(CustomFailure) -> Bool {
    let bases = layout.bases(in: workspace)
    var frame = forge_frame()
    frame.bases = UnsafePointer(bases)
    frame.crops = UnsafePointer(layout.crops(in: workspace))
    for image in 0..<batch {
      frame.image = Int64(image)
      for (index, segment) in plan.segments.enumerated() {
        switch segment {
        case .steps(let start, let count):
          let done = forge_run_parallel(
            plan.steps(from: start), Int64(count), &frame, Int32(threads), stop.flag, stop.deadline)
          if done < count { return false }
        case .custom(let call):
          if stop.isRaised { return false }
          let sets = customInputs[index]
          try run(call, inputs: sets[sets.count > 1 ? image : 0], bases: bases)
        }
      }
    }
    return true
  }

  /// Runs the plan for one example and adds the seconds each step took to `seconds`.
  func profile(adding seconds: inout [Double]) throws(CustomFailure) {
    let bases = layout.bases(in: workspace)
    var frame = forge_frame()
    frame.bases = UnsafePointer(bases)
    frame.crops = UnsafePointer(layout.crops(in: workspace))
    let clock = ContinuousClock()
    var position = 0
    for (index, segment) in plan.segments.enumerated() {
      switch segment {
      case .steps(let start, let count):
        for step in start..<start + count {
          let begin = clock.now
          _ = forge_run_parallel(plan.steps(from: step), 1, &frame, Int32(threads), nil, .max)
          seconds[position] += (clock.now - begin) / .seconds(1)
          position += 1
        }
      case .custom(let call):
        let begin = clock.now
        try run(call, inputs: customInputs[index][0], bases: bases)
        seconds[position] += (clock.now - begin) / .seconds(1)
        position += 1
      }
    }
  }

  private func run(
    _ call: Plan.CustomCall, inputs: [CustomInput], bases: Bases
  ) throws(CustomFailure) {
    let memory = UnsafeMutableBufferPointer(
      start: bases[call.output.base].map { $0 + call.output.offset }, count: call.output.count)
    var output = memory.mutableSpan
    do { try call.operation.body(inputs, &output) } catch {
      throw CustomFailure(layer: call.layer, cause: error)
    }
  }

  private typealias Bases = UnsafeMutablePointer<UnsafeMutablePointer<Float>?>

  private static func buffer(
    _ region: Plan.Region, bases: Bases, image: Int
  )
    -> UnsafeBufferPointer<Float>
  {
    UnsafeBufferPointer(
      start: bases[region.base].map {
        UnsafePointer($0 + region.offset + image * region.imageStride)
      }, count: region.count)
  }
}
