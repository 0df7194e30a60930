import ForgeShapes
import ForgeSystem

/// The memory of one prediction at a time and its runner.
///
/// It is not `Sendable`: its owner has exclusive access.
package final class PredictionMemory {
  /// The executable.
  package let executable: any Executable
  /// The runner.
  package let runner: any ExampleRunner
  private let workspace: Workspace
  /// The length of the sequences in the inputs; 0 if all sizes are fixed.
  package private(set) var length: Int

  /// The maximum number of examples.
  package var maximumBatch: Int { workspace.batch }

  /// Allocates the memory, or prepares a `workspace` of at least the required size.
  ///
  /// - Throws: `NoMemory` if the allocation fails.
  package init(
    _ executable: any Executable, batch: Int, threads: Int,
    workspace: WorkspaceMemory? = nil
  ) throws(NoMemory) {
    self.executable = executable
    self.workspace = try Workspace(executable, batch: batch, memory: workspace)
    runner = executable.runner(in: self.workspace, threads: threads)
    length = executable.sequenceSizes?.maximum ?? 0
  }

  /// Sets the length of the sequences in the inputs, from 1 to the maximum.
  package func set(length: Int) {
    guard length != self.length, let sizes = executable.sequenceSizes,
      (1...sizes.maximum).contains(length)
    else { return }
    self.length = length
    runner.set(length: length)
    workspace.set(length: length, of: sizes)
  }

  /// The sizes of an input at the present length.
  package func sizes(ofInput index: Int) -> [Int] {
    executable.sequenceSizes?.sizes(ofInput: index, length: length) ?? executable.inputSizes[index]
  }

  /// The sizes of an output at the present length.
  package func sizes(ofOutput index: Int) -> [Int] {
    executable.sequenceSizes?.sizes(ofOutput: index, length: length)
      ?? executable.outputSizes[index]
  }

  /// The number of values of an input at the present length.
  package func count(ofInput index: Int) -> Int {
    executable.sequenceSizes?.count(ofInput: index, length: length)
      ?? executable.inputSizes[index].reduce(1, *)
  }

  /// The number of values of an output at the present length.
  package func count(ofOutput index: Int) -> Int {
    executable.sequenceSizes?.count(ofOutput: index, length: length)
      ?? executable.outputSizes[index].reduce(1, *)
  }

  /// The values of an input of one of the examples.
  ///
  /// Examples are as far apart as those of the longest sequence.
  package func values(ofInput index: Int, example: Int) -> UnsafeMutableBufferPointer<Float> {
    let start = example * executable.inputSizes[index].reduce(1, *)
    return UnsafeMutableBufferPointer(
      rebasing: workspace.inputs[index][start..<start + count(ofInput: index)])
  }

  /// The values of an output of one of the examples.
  package func values(ofOutput index: Int, example: Int) -> UnsafeMutableBufferPointer<Float> {
    let start = example * executable.outputSizes[index].reduce(1, *)
    return UnsafeMutableBufferPointer(
      rebasing: workspace.outputs[index][start..<start + count(ofOutput: index)])
  }

  /// Returns the values of an input for all examples.
  package func input(_ index: Int) -> UnsafeMutableBufferPointer<Float> { workspace.inputs[index] }

  /// Returns the values of an output for all examples.
  package func output(_ index: Int) -> UnsafeMutableBufferPointer<Float> {
    workspace.outputs[index]
  }

  /// What layers keep from one prediction to the next.
  package var state: StateMemory {
    get { workspace.state }
    set { workspace.state = newValue }
  }

  /// Computes the outputs and next states of `batch` examples, sequentially in the same arena.
  ///
  /// The states stay as they are until ``advance(batch:)``. If not all examples finish, nothing of
  /// the run remains in them.
  ///
  /// - Returns: `true` if all finished before `stop` was met.
  /// - Throws: ``LayerFailure`` if a custom layer throws, with ``IndexFault``, or, before anything
  ///   runs, with ``PositionFault``.
  @discardableResult
  package func run(
    batch: Int, until stop: StopCondition = StopCondition()
  ) throws(LayerFailure) -> Bool {
    if !workspace.limits.isEmpty {
      for example in 0..<batch where !hasRoom(example: example) {
        throw positionFailure(example: example)
      }
    }
    for example in 0..<batch {
      var isDone = false
      defer { if !isDone { forgetAppended(batch: example + 1) } }
      isDone = try runner.run(example: example, until: stop)
      guard isDone else { return false }
    }
    return true
  }

  /// Makes the next states of the last run the present ones.
  package func advance(batch: Int) {
    for example in 0..<batch { workspace.state.advance(example: example) }
  }

  // MARK: Positions

  /// Whether the positions of an example leave room for another prediction.
  package func hasRoom(example: Int) -> Bool {
    firstFull(example: example) == nil
  }

  /// The first limit that leaves no room for another prediction of an example.
  private func firstFull(example: Int) -> PositionLimit? {
    if workspace.limits.isEmpty { return nil }
    return workspace.state.firstFull(UnsafeBufferPointer(workspace.limits), example: example)
  }

  /// The failure of an example whose positions leave no room.
  package func positionFailure(example: Int) -> LayerFailure {
    guard let limit = firstFull(example: example) else {
      preconditionFailure("the positions leave room")
    }
    let position = workspace.state.position(limit.state, example: example)
    return LayerFailure(
      layer: limit.layer, cause: PositionFault(value: position, limit: limit, example: example))
  }

  /// Removes what the last run has appended to states, in place of ``advance(batch:)``.
  package func forgetAppended(batch: Int) {
    for example in 0..<batch {
      workspace.state.forgetAppended(UnsafeBufferPointer(workspace.limits), example: example)
    }
  }

  /// Fills the inputs with seeded random numbers in −1 ..< 1, or with indices, for measurements.
  package func fillInputs() {
    for (index, values) in workspace.inputs.enumerated() {
      var random = SplitMix64(seed: UInt64(index + 1))
      let rows = executable.indexInputs[index].map { UInt64(max($0, 1)) }
      for position in values.indices {
        values[position] = rows.map { Float(random.next() % $0) } ?? random.nextSymmetric()
      }
    }
  }

  // MARK: Crops

  /// The reason why a crop was not set.
  package enum CropProblem {
    /// No resize of that name can be cropped.
    case noSuchLayer
    /// The rectangle is not inside the image of this slot.
    case outside(CropSlot)
  }

  /// Sets the source rectangle of each resize of a layer; `nil` selects the whole image.
  ///
  /// - Returns: the reason why it was not set, or `nil`.
  package func setCrop(_ crop: CropRectangle?, of layer: String) -> CropProblem? {
    var problem: CropProblem? = .noSuchLayer
    for (index, slot) in executable.cropSlots.enumerated() where slot.name == layer {
      let rectangle = crop ?? slot.whole
      guard rectangle.fits(width: slot.width, height: slot.height) else { return .outside(slot) }
      workspace.setCrop(rectangle, slot: index)
      problem = nil
    }
    return problem
  }

  /// Copies the crops from the memory of another executable for the same inputs.
  package func takeCrops(from other: PredictionMemory) {
    for (index, slot) in executable.cropSlots.enumerated() {
      guard let source = other.executable.cropSlots.firstIndex(where: { $0.name == slot.name })
      else { continue }
      workspace.setCrop(other.workspace.crop(slot: source), slot: index)
    }
  }

  /// Resets every resize to sample its whole image.
  package func resetCrops() {
    for (index, slot) in executable.cropSlots.enumerated() {
      workspace.setCrop(slot.whole, slot: index)
    }
  }
}
