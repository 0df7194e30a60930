import ForgeOperations
import ForgeShapes

/// One prediction's memory for the caller's own thread, for audio and control.
///
/// ``predict(batch:)`` runs the steps on one thread, whatever the options of the
/// compile: no allocation, no lock, no system call, no reference counting. The only protection from
/// use by two threads at once is that it cannot be copied.
///
/// Names are looked up before the thread starts. A `Mutex` hands the context over, and the thread
/// takes it out once:
/// ```swift
/// let context = try RealtimeContext(network, batch: 16)
/// let gain = try context.index(ofInput: "gain")
/// let handover = Mutex<RealtimeContext?>(context)
/// startAudioThread {
///   guard let context = handover.withLock({ $0.take() }) else { return }
///   while isPlaying {
///     context.setInput(gain, to: currentGain)
///     context.withInput(0) { samples in … }
///     try context.predict(batch: blocks)
///     context.withOutput(0) { samples in … }
///   }
/// }
/// ```
public struct RealtimeContext: ~Copyable {
  /// The most examples one prediction may hold.
  public let maximumBatch: Int
  package let network: CompiledModel
  /// Whether an input holds integers, which are checked.
  private let takesIntegers: Bool
  private let run: RealtimeRun
  let inputs: RealtimeTensors
  let outputs: RealtimeTensors
  /// Keeps alive what the pointers point to.
  let memory: PredictionMemory
  private let context: Context

  /// Creates a context; all memory is allocated here.
  ///
  /// - Parameters:
  ///   - network: the compiled model, without custom layers, whose time is unbounded.
  ///   - batch: the most examples one prediction may hold.
  ///   - inputShapes: the sizes of inputs that take any, by name.
  ///   - workspace: memory to use, as for ``Context``; by default the context allocates its own.
  /// - Throws: ``PredictionError`` when the model has a custom layer or a check, or when batch,
  ///   shapes or workspace do not fit.
  public init(
    _ network: CompiledModel, batch: Int = 1, inputShapes: [String: Shape] = [:],
    workspace: UnsafeMutableRawBufferPointer? = nil
  ) throws(PredictionError) {
    guard !network.options.checks.contains(.finiteOutputs) else {
      throw .notRealtime("checks: .finiteOutputs")
    }
    let context = try Context(
      network, batch: batch, inputShapes: inputShapes, workspace: workspace)
    let memory = context.memory
    guard let run = memory.runner.realtimeRun else { throw .notRealtime("a custom layer") }
    self.context = context
    self.memory = memory
    self.run = run
    self.network = network
    takesIntegers = !network.integerInputs.isEmpty
    maximumBatch = batch
    let executable = memory.executable
    inputs = RealtimeTensors(
      executable.inputSizes.indices.map { memory.input($0) }, bases: run.inputs, batch: batch,
      counts: executable.inputSizes.indices.map { memory.count(ofInput: $0) },
      copied: Set(network.integerInputs.positions))
    outputs = RealtimeTensors(
      executable.outputSizes.indices.map { memory.output($0) }, bases: run.outputs, batch: batch,
      counts: executable.outputSizes.indices.map { memory.count(ofOutput: $0) })
  }

  /// The position of an input, to be looked up before the real-time work begins.
  ///
  /// - Parameter input: the name, or the tensor that described it.
  /// - Returns: the position in the order of the model.
  /// - Throws: ``PredictionError`` when there is no such input.
  public func index(ofInput input: some TensorReference) throws(PredictionError) -> Int {
    try network.index(ofInput: input)
  }

  /// The position of an output or of a kept layer, to be looked up before the real-time work
  /// begins.
  ///
  /// - Parameter output: the name, or the tensor that described it.
  /// - Returns: the position in the order of the model; kept layers follow the outputs.
  /// - Throws: ``PredictionError`` when there is no such output.
  public func index(ofOutput output: some TensorReference) throws(PredictionError) -> Int {
    try network.index(ofOutput: output)
  }

  /// Lets `body` write an input: row-major values, `maximumBatch` examples one after the other.
  ///
  /// - Parameters:
  ///   - index: the input in the order of the model.
  ///   - body: writes the values.
  /// - Returns: what `body` returns, or `nil` when there is no such input.
  /// - Throws: what `body` throws.
  @discardableResult
  public func withInput<Result>(
    _ index: Int, _ body: (inout MutableSpan<Float>) throws -> Result
  ) rethrows -> Result? {
    guard let values = inputs.own(index) else { return nil }
    var span = values.mutableSpan
    return try body(&span)
  }

  /// Lets `body` read an output: row-major values, `maximumBatch` examples one after the other.
  ///
  /// - Parameters:
  ///   - index: the output in the order of the model; kept layers follow.
  ///   - body: reads the values.
  /// - Returns: what `body` returns, or `nil` when there is no such output.
  /// - Throws: what `body` throws.
  @discardableResult
  public func withOutput<Result>(
    _ index: Int, _ body: (Span<Float>) throws -> Result
  ) rethrows -> Result? {
    guard let values = outputs.own(index) else { return nil }
    return try body(UnsafeBufferPointer(values).span)
  }

  /// Sets all values of an input for all examples, for controls such as a gain.
  ///
  /// - Parameters:
  ///   - index: the input in the order of the model.
  ///   - value: the new value.
  /// - Returns: whether there is such an input.
  @discardableResult
  public func setInput(_ index: Int, to value: Float) -> Bool {
    guard let values = inputs.own(index) else { return false }
    values.update(repeating: value)
    return true
  }

  /// Computes the outputs from the inputs for `batch` examples, on this thread.
  ///
  /// - Parameter batch: the number of examples in the inputs, from 1 to ``maximumBatch``.
  /// - Throws: ``PredictionError`` when the batch or memory that was bound does not fit, a stream
  ///   has no room left, or an ``Embedding`` is given a number that is not an id; the states of all
  ///   examples stay as they were. Only these cases allocate.
  public func predict(batch: Int = 1) throws(PredictionError) {
    defer { unbind() }
    guard batch >= 1, batch <= maximumBatch else {
      throw .wrongBatch(
        batch, maximum: maximumBatch, remedy: "RealtimeContext(network, batch: …)")
    }
    try useBound(batch: batch)
    for example in 0..<batch where !run.hasRoom(run.context, example) {
      throw positionFailure(example: example, of: batch)
    }
    if takesIntegers { try network.checkIntegers(memory, batch: batch) }
    for example in 0..<batch where !run.function(run.context, example) {
      throw failure(example: example, of: batch)
    }
    for example in 0..<batch { run.advance(run.context, example) }
  }

  /// The error of an example whose stream has no room left.
  ///
  /// Errors are made apart from `predict`, so that `Scripts/check realtime` finds no reference
  /// counting in it.
  @inline(never)
  private func positionFailure(example: Int, of batch: Int) -> PredictionError {
    network.predictionError(
      memory.positionFailure(example: example), of: memory.executable,
      example: batch > 1 ? example : nil)
  }

  /// The error of an example; the states of all stay as they were.
  @inline(never)
  private func failure(example: Int, of batch: Int) -> PredictionError {
    memory.forgetAppended(batch: example + 1)
    return network.predictionError(
      memory.runner.realtimeFailure(example: example), of: memory.executable,
      example: batch > 1 ? example : nil)
  }

  /// What the layers keep from one prediction to the next.
  ///
  /// It reads and sets the state between predictions, on the same thread. Only
  /// ``ContextState/reset(example:)`` allocates nothing.
  public var state: ContextState { ContextState(context) }

  /// Sets the length of the sequences in the inputs, as ``Context/setLength(_:)``.
  ///
  /// - Parameter length: the length, up to ``CompiledModel/maximumLength``.
  /// - Throws: ``PredictionError`` when the network takes no such length, the only case that
  ///   allocates.
  public func setLength(_ length: Int) throws(PredictionError) {
    set(place: try network.place(ofLength: length))
  }

  /// Sets the length of the sequences, by its place among those of the network.
  private func set(place: Int) {
    memory.set(length: place)
    for index in inputs.indices { inputs.set(count: memory.count(ofInput: index), of: index) }
    for index in outputs.indices { outputs.set(count: memory.count(ofOutput: index), of: index) }
  }

  /// Computes the output of one example directly from the caller's values, on this thread.
  ///
  /// Nothing is copied: the network reads `input` and writes `output`.
  ///
  /// - Parameters:
  ///   - input: the values of the only input, of exactly its size.
  ///   - output: memory for exactly the values of the only output.
  /// - Throws: ``PredictionError`` when the model has several inputs or outputs or a count does not
  ///   fit, otherwise as ``predict(batch:)``. Only these cases allocate.
  public func predict(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(PredictionError) {
    try network.checkSingleInput()
    try network.checkSingleOutput()
    if let length = try network.sequenceLength?.length(ofInput: 0, count: input.count) {
      set(place: length)
    }
    try input.withUnsafeBufferPointer { (source) throws(PredictionError) in
      try output.withUnsafeMutableBufferPointer { (target) throws(PredictionError) in
        bindInput(0, to: source)
        bindOutput(0, to: target)
        try predict(batch: 1)
      }
    }
  }
}
