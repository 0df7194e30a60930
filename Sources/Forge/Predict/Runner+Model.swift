import Dispatch
import ForgeOperations
import ForgeRunner

/// The result of one form of input to a runner of a compiled model.
public typealias ModelResult<Input: PredictionInput> =
  PredictionResult<Input.Output, [String: TensorValues]>

/// A runner of a compiled model takes every form of ``PredictionInput``.
///
/// ```swift
/// let probabilities = try await runner.predict(pixels)
/// let predictions = try await runner.predict(["image": picture], crops: ["resize": box])
/// ```
extension Runner where Network == CompiledModel {
  /// Predicts; while all slots are taken, it suspends and never blocks a thread.
  ///
  /// - Parameters:
  ///   - input: the values of the only input, or of each input by name.
  ///   - crops: the part of its source that a ``Resize`` samples, by the layer's name.
  ///   - deadline: the latest time for the prediction; none by default.
  /// - Returns: the values of the only output, or all outputs and kept layers if the inputs are
  ///   named.
  /// - Throws: ``RunnerError`` when the task is canceled, the deadline passes first or the runner
  ///   is closed; ``PredictionError`` when an input or a crop does not fit.
  public func predict<Input: PredictionInput>(
    _ input: Input, crops: [String: CropRectangle] = [:], deadline: Deadline? = nil
  ) async throws -> Input.Output {
    try await result(for: input, crops: crops, deadline: deadline).prediction
  }

  /// Predicts like ``predict(_:crops:deadline:)``, and also returns times and kept layers.
  ///
  /// - Parameters:
  ///   - input: the values of the only input, or of each input by name.
  ///   - crops: the part of its source that a ``Resize`` samples, by the layer's name.
  ///   - deadline: the latest time for the prediction; none by default.
  /// - Returns: the outputs, with latency and kept layers.
  /// - Throws: as ``predict(_:crops:deadline:)``.
  public func result<Input: PredictionInput>(
    for input: Input, crops: [String: CropRectangle] = [:], deadline: Deadline? = nil
  ) async throws -> ModelResult<Input> {
    try await result(for: input, crops: crops, until: moment(of: deadline), state: nil)
  }

  /// Predicts with the state of a session, which the caller advances if it receives the result.
  ///
  /// `end` is the latest time by the runner's clock.
  func result<Input: PredictionInput>(
    for input: Input, crops: [String: CropRectangle], until end: Nanoseconds, state: StateLease?
  ) async throws -> ModelResult<Input> {
    try network.checkOutput(of: Input.self)
    let request = SlotInput(input, crops: crops, state: state)
    let result: Output = try await self.result(for: request, until: end)
    return Self.converted(result, from: Input.self)
  }

  /// Requests a prediction and returns at once; the result is delivered on `queue`.
  ///
  /// - Parameters:
  ///   - input: the values of the only input, or of each input by name.
  ///   - crops: the part of its source that a ``Resize`` samples, by the layer's name.
  ///   - deadline: the latest time for the prediction; none by default.
  ///   - queue: the queue on which `completion` is called.
  ///   - completion: receives the result or the error, exactly once.
  /// - Returns: a request that can cancel the prediction.
  @discardableResult
  public func predict<Input: PredictionInput>(
    _ input: Input, crops: [String: CropRectangle] = [:], deadline: Deadline? = nil,
    queue: DispatchQueue,
    completion: @escaping @Sendable (Result<ModelResult<Input>, any Error>) -> Void
  ) -> Request {
    predict(
      SlotInput(input, crops: crops), deadline: deadline, queue: queue,
      result: { [network] result in
        try network.checkOutput(of: Input.self)
        return Self.converted(result, from: Input.self)
      }, completion: completion)
  }

  /// The results of an asynchronous sequence of inputs, in their order.
  ///
  /// - Parameters:
  ///   - inputs: the inputs, in one of the forms that the model takes, each of its own size.
  ///   - policy: how inputs that arrive too fast are handled.
  ///   - waiting: how many inputs may wait in addition to those that run.
  /// - Returns: the results; the stream ends with the inputs, or with the first error.
  /// - Throws: ``RunnerError`` when `waiting` is negative; ``PredictionError`` when the form of the
  ///   inputs has one output and the model several.
  public func predictions<Inputs: AsyncSequence & Sendable>(
    of inputs: Inputs, policy: StreamPolicy = .block, waiting: Int = 1
  ) throws -> PredictionStream<ModelResult<Inputs.Element>>
  where Inputs.Element: PredictionInput {
    try network.checkOutput(of: Inputs.Element.self)
    return try predictions(of: inputs, policy: policy, waiting: waiting) {
      SlotInput($0)
    } result: {
      Self.converted($0, from: Inputs.Element.self)
    }
  }

  /// The results of a sequence of inputs, in their order.
  ///
  /// - Parameters:
  ///   - inputs: the inputs, in one of the forms that the model takes, each of its own size.
  ///   - policy: how inputs that arrive too fast are handled.
  ///   - waiting: how many inputs may wait in addition to those that run.
  /// - Returns: the results; the stream ends with the inputs, or with the first error.
  /// - Throws: ``RunnerError`` when `waiting` is negative; ``PredictionError`` when the form of the
  ///   inputs has one output and the model several.
  public func predictions<Inputs: Sequence & Sendable>(
    of inputs: Inputs, policy: StreamPolicy = .block, waiting: Int = 1
  ) throws -> PredictionStream<ModelResult<Inputs.Element>>
  where Inputs.Element: PredictionInput {
    try network.checkOutput(of: Inputs.Element.self)
    return try predictions(of: inputs, policy: policy, waiting: waiting) {
      SlotInput($0)
    } result: {
      Self.converted($0, from: Inputs.Element.self)
    }
  }

  /// Predicts a finite number of inputs, filling slots as they become free.
  ///
  /// - Parameter inputs: the inputs, in one of the forms that the model takes.
  /// - Returns: the results, in the order of the inputs.
  /// - Throws: the first error in the order of the inputs; the remaining ones are then canceled.
  public func predictBatch<Inputs: Sequence & Sendable>(
    _ inputs: Inputs
  ) async throws -> [Inputs.Element.Output] where Inputs.Element: PredictionInput {
    try await predictions(of: inputs, waiting: inflightBuffers * batch)
      .reduce(into: []) { $0.append($1.prediction) }
  }

  /// Adds a preparation before this runner and a read-out after it.
  ///
  /// - Parameters:
  ///   - prepare: returns the inputs in one of the forms that the model takes; it occupies no slot.
  ///   - readOut: converts the result; it runs after the slot has been freed.
  /// - Returns: the pipeline.
  public func pipeline<Source: Sendable, Input: PredictionInput, Result: Sendable>(
    prepare: @escaping @Sendable (Source) async throws -> Input,
    readOut: @escaping @Sendable (ModelResult<Input>) async throws -> Result
  ) -> Pipeline<CompiledModel, Source, Result> {
    pipeline { [network] (source: Source) async throws -> SlotInput in
      try network.checkOutput(of: Input.self)
      return SlotInput(try await prepare(source))
    } readOut: { (result: Output) async throws -> Result in
      try await readOut(Self.converted(result, from: Input.self))
    }
  }

  private static func converted<Input: PredictionInput>(
    _ result: Output, from form: Input.Type
  ) -> ModelResult<Input> {
    result.replacing(prediction: Input.Output(result.prediction), kept: result.kept)
  }
}
