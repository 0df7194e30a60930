import ForgeCPU
import ForgeRunner
import ForgeShapes
import ForgeSystem

/// A compiled model as a network for a ``Runner``.
///
/// A slot takes ``SlotInput`` and returns ``Predictions``. The runner of a compiled model takes
/// every form of ``PredictionInput`` and converts it.
extension CompiledModel: BatchNetwork {
  /// The cores that the affinity mask and the CPU quota of the control group leave.
  public var usableCores: Int? { Device.usableCores().logical }

  /// The memory of one prediction in flight.
  ///
  /// - Returns: the slot.
  /// - Throws: ``PredictionError`` when there is not enough memory.
  public func makeSlot() throws -> PredictionSlot {
    try PredictionSlot(self, batch: 1, threads: nil)
  }

  /// The memory of one prediction that uses at most `threads` threads.
  ///
  /// - Parameter threads: the number, at least 1.
  /// - Returns: the slot.
  /// - Throws: ``PredictionError`` when there is not enough memory.
  public func makeSlot(threads: Int) throws -> PredictionSlot {
    try PredictionSlot(self, batch: 1, threads: threads)
  }

  /// The memory of several predictions that use at most `threads` threads.
  ///
  /// - Parameters:
  ///   - batch: the most examples, up to ``maximumBatch``.
  ///   - threads: the number, at least 1.
  /// - Returns: the slot.
  /// - Throws: ``PredictionError`` when the batch does not fit or there is not enough memory.
  public func makeSlot(batch: Int, threads: Int) throws -> PredictionSlot {
    try PredictionSlot(self, batch: batch, threads: threads)
  }

  /// The memory of several predictions.
  ///
  /// - Parameter batch: the most examples, up to ``maximumBatch``.
  /// - Returns: the slot.
  /// - Throws: ``PredictionError`` when the batch does not fit or there is not enough memory.
  public func makeSlot(batch: Int) throws -> PredictionSlot {
    try PredictionSlot(self, batch: batch, threads: nil)
  }

  /// Checks the inputs of a prediction and keeps them in its slot.
  ///
  /// - Parameters:
  ///   - input: the inputs.
  ///   - slot: the slot of this prediction.
  /// - Throws: ``PredictionError`` when an input is missing, unknown or does not fit.
  public func encode(_ input: SlotInput, into slot: PredictionSlot) throws {
    try slot.encode(input, example: 0)
  }

  /// Checks the inputs of one of several examples and keeps them in its slot.
  ///
  /// - Parameters:
  ///   - input: the inputs.
  ///   - slot: the slot of this prediction.
  ///   - index: the index of the example.
  /// - Throws: ``PredictionError`` when an input is missing, unknown or does not fit, or the slot
  ///   has no such example.
  public func encode(_ input: SlotInput, into slot: PredictionSlot, at index: Int) throws {
    try slot.encode(input, example: index)
  }

  /// Computes the outputs.
  ///
  /// - Parameter slot: the slot of this prediction.
  public func run(_ slot: PredictionSlot) { _ = slot.run(batch: 1, until: StopCondition()) }

  /// Computes the outputs, checking the stop signal before each step.
  ///
  /// - Parameters:
  ///   - slot: the slot of this prediction.
  ///   - stop: the signal to stop.
  /// - Throws: ``RunnerError`` when it was stopped.
  public func run(_ slot: PredictionSlot, until stop: borrowing StopSignal) throws {
    try run(slot, batch: 1, until: stop)
  }

  /// Computes the outputs of several examples, checking the stop signal before each step.
  ///
  /// - Parameters:
  ///   - slot: the slot of these predictions.
  ///   - batch: the number of examples it holds.
  ///   - stop: the signal to stop.
  /// - Throws: ``RunnerError`` when it was stopped.
  public func run(_ slot: PredictionSlot, batch: Int, until stop: borrowing StopSignal) throws {
    if !slot.run(batch: batch, until: stop.condition) { try stop.check() }
  }

  /// Reads the results.
  ///
  /// - Parameter slot: the slot of this prediction.
  /// - Returns: the outputs and the kept layers.
  /// - Throws: ``PredictionError`` when a custom layer or a check failed.
  public func fetch(from slot: PredictionSlot) throws -> Predictions {
    try slot.results(example: 0)
  }

  /// Reads the results of one of several examples.
  ///
  /// - Parameters:
  ///   - slot: the slot of this prediction.
  ///   - index: the index of the example.
  /// - Returns: the outputs and the kept layers.
  /// - Throws: ``PredictionError`` when a custom layer or a check failed, or the slot has no such
  ///   example.
  public func fetch(from slot: PredictionSlot, at index: Int) throws -> Predictions {
    try slot.results(example: index)
  }

  /// Reads the layers that `keep` named.
  ///
  /// - Parameter slot: the slot of this prediction.
  /// - Returns: their values by name.
  /// - Throws: ``PredictionError``, as ``fetch(from:)``.
  public func kept(in slot: PredictionSlot) throws -> [String: TensorValues] {
    try slot.results(example: 0).kept
  }

  /// Reads the layers that `keep` named, of one of several examples.
  ///
  /// - Parameters:
  ///   - slot: the slot of this prediction.
  ///   - index: the index of the example.
  /// - Returns: their values by name.
  /// - Throws: ``PredictionError``, as ``fetch(from:at:)``.
  public func kept(in slot: PredictionSlot, at index: Int) throws -> [String: TensorValues] {
    try slot.results(example: index).kept
  }
}
