import ForgeCPU
import ForgeRunner
import ForgeShapes

/// A compiled model of one input as a network for a ``Runner``: an array in, the first output out.
extension CompiledModel: BatchNetwork {
  /// A context for one example.
  ///
  /// - Returns: the context.
  /// - Throws: ``PredictionError`` when the model has inputs of unknown size or there is no memory.
  public func makeSlot() throws -> Context { try Context(self) }

  /// The cores that the affinity mask and the CPU quota of the control group leave.
  public var usableCores: Int? { Device.usableCores().logical }

  /// A context for one example whose predictions use at most `threads` threads.
  ///
  /// - Parameter threads: the number, at least 1.
  /// - Returns: the context.
  /// - Throws: ``PredictionError`` when the model has inputs of unknown size or there is no memory.
  public func makeSlot(threads: Int) throws -> Context { try Context(self, threads: threads) }

  /// A context for several examples whose predictions use at most `threads` threads.
  ///
  /// - Parameters:
  ///   - batch: the most examples, up to ``maximumBatch``.
  ///   - threads: the number, at least 1.
  /// - Returns: the context.
  /// - Throws: ``PredictionError`` when the batch does not fit, the model has inputs of unknown
  ///   size, or there is no memory.
  public func makeSlot(batch: Int, threads: Int) throws -> Context {
    try Context(self, batch: batch, threads: threads)
  }

  /// A context for several examples.
  ///
  /// - Parameter batch: the most examples, up to ``maximumBatch``.
  /// - Returns: the context.
  /// - Throws: ``PredictionError`` when the batch does not fit, the model has inputs of unknown
  ///   size, or there is no memory.
  public func makeSlot(batch: Int) throws -> Context { try Context(self, batch: batch) }

  /// Writes the values of the single input.
  ///
  /// - Parameters:
  ///   - input: the values in row-major order, of exactly the input's size.
  ///   - slot: the context of this prediction.
  /// - Throws: ``PredictionError`` when the number of values is not the input's.
  public func encode(_ input: [Float], into slot: Context) throws { try slot.write(input) }

  /// Writes the values of the single input for one of several examples.
  ///
  /// - Parameters:
  ///   - input: the values in row-major order, of exactly the input's size.
  ///   - slot: the context of this prediction.
  ///   - index: the index of the example.
  /// - Throws: ``PredictionError`` when the number of values is not the input's, or the context has
  ///   no such example.
  public func encode(_ input: [Float], into slot: Context, at index: Int) throws {
    try slot.write(input, example: index)
  }

  /// Computes the outputs.
  ///
  /// - Parameter slot: the context of this prediction.
  /// - Throws: ``PredictionError`` as ``Context/predict(batch:)``.
  public func run(_ slot: Context) throws { try slot.predict() }

  /// Computes the outputs, checking the stop signal before each step.
  ///
  /// - Parameters:
  ///   - slot: the context of this prediction.
  ///   - stop: the signal to stop.
  /// - Throws: ``RunnerError`` when it was stopped, else ``PredictionError``.
  public func run(_ slot: Context, until stop: borrowing StopSignal) throws {
    try slot.predict(until: stop)
  }

  /// Computes the outputs of several examples, checking the stop signal before each step.
  ///
  /// - Parameters:
  ///   - slot: the context of this prediction.
  ///   - batch: the number of examples it holds.
  ///   - stop: the signal to stop.
  /// - Throws: ``RunnerError`` when it was stopped, else ``PredictionError``.
  public func run(_ slot: Context, batch: Int, until stop: borrowing StopSignal) throws {
    try slot.predict(batch: batch, until: stop)
  }

  /// Reads the values of the first output.
  ///
  /// - Parameter slot: the context of this prediction.
  /// - Returns: the values in row-major order.
  public func fetch(from slot: Context) -> [Float] { slot.output() }

  /// Reads the values of the first output of one of several examples.
  ///
  /// - Parameters:
  ///   - slot: the context of this prediction.
  ///   - index: the index of the example.
  /// - Returns: the values in row-major order.
  /// - Throws: ``PredictionError`` when the context has no such example.
  public func fetch(from slot: Context, at index: Int) throws -> [Float] {
    try slot.check(example: index)
    return slot.output(example: index)
  }

  /// Reads the layers that `keep` named.
  ///
  /// - Parameter slot: the context of this prediction.
  /// - Returns: their values by name.
  public func kept(in slot: Context) -> [String: TensorValues] { slot.kept() }

  /// Reads the layers that `keep` named, of one of several examples.
  ///
  /// - Parameters:
  ///   - slot: the context of this prediction.
  ///   - index: the index of the example.
  /// - Returns: their values by name.
  /// - Throws: ``PredictionError`` when the context has no such example.
  public func kept(in slot: Context, at index: Int) throws -> [String: TensorValues] {
    try slot.check(example: index)
    return slot.kept(example: index)
  }
}
