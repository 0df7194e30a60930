import ForgeOperations
import ForgeRunner
import ForgeShapes
import ForgeSystem
import Synchronization

/// The memory of one prediction: inputs, outputs, and the arena for intermediate results.
///
/// A context is made once and used for any number of predictions, by one thread at a time. Using it
/// from two threads at once is an error. ``predict(batch:)`` does not allocate.
/// ```swift
/// let context = try Context(network)
/// try context.set("image", to: pixels)
/// try context.predict()
/// let probabilities = context["class"]?.values
/// ```
/// ``withInput(_:_:)-(Int,_)`` and ``withOutput(_:_:)-(Int,_)`` reach the memory itself, without
/// copies or allocations.
public final class Context {
  /// The compiled model it belongs to.
  public let network: CompiledModel
  let memory: PredictionMemory
  /// 0, or the number of the process in which a prediction is running, from 1 as ``ForkCount``
  /// counts.
  ///
  /// A prediction that runs in the parent process does not run in its child, which may use the
  /// context.
  private let runningIn = Atomic(0)

  /// The most examples one prediction may hold.
  public var maximumBatch: Int { memory.maximumBatch }

  /// The most threads a prediction uses, fewer than requested if no step is large enough.
  public var threads: Int { memory.runner.threads }

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - network: the compiled model.
  ///   - batch: the most examples one prediction may hold.
  ///   - inputShapes: the sizes of inputs that take any, by name.
  ///   - threads: the most threads of a prediction in this context; by default, and at most, as
  ///     many as the network was compiled for. With 1, predictions do not touch the thread pool.
  ///   - workspace: memory to use, of at least ``CompiledModel/workspaceSize(batch:inputShapes:)``
  ///     bytes and aligned to 64, which must outlive the context; by default the context allocates
  ///     its own.
  /// - Throws: ``PredictionError`` when batch, shapes, threads or workspace do not fit, or there is
  ///   not enough memory.
  public init(
    _ network: CompiledModel, batch: Int = 1, inputShapes: [String: Shape] = [:],
    threads: Int? = nil, workspace: UnsafeMutableRawBufferPointer? = nil
  ) throws(PredictionError) {
    if let threads, threads < 1 { throw .wrongThreads(threads) }
    let needed = try network.workspaceSize(batch: batch, inputShapes: inputShapes)
    if let workspace {
      let unit = UInt(AlignedMemory.alignment)
      let rest = UInt(bitPattern: workspace.baseAddress) % unit
      guard workspace.count >= needed, rest == 0 else {
        throw .wrongWorkspace(
          "\(workspace.count) bytes at an address of \(rest) modulo \(unit)",
          needs: "\(needed) bytes at a multiple of \(unit)")
      }
    }
    self.network = network
    memory = try network.makeMemory(
      try network.executable(for: try network.shapes(named: inputShapes)), batch: batch,
      threads: threads,
      workspace: workspace.flatMap { memory in
        memory.baseAddress.map { WorkspaceMemory(borrowing: $0, byteCount: memory.count) }
      })
  }

  // MARK: Inputs and outputs

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
    guard memory.executable.inputSizes.indices.contains(index) else { return nil }
    var span = memory.input(index).mutableSpan
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
    guard memory.executable.outputSizes.indices.contains(index) else { return nil }
    return try body(UnsafeBufferPointer(memory.output(index)).span)
  }

  /// Sets the part of its source that a ``Resize`` samples from now on.
  ///
  /// - Parameters:
  ///   - crop: the rectangle in pixels of the source; `nil` is the whole image.
  ///   - layer: the name of the layer.
  /// - Throws: ``PredictionError`` when there is no such layer or the rectangle is not inside.
  public func setCrop(_ crop: CropRectangle?, of layer: String) throws(PredictionError) {
    try memory.crop(layer, to: crop)
  }

  // MARK: Predicting

  /// Computes the outputs from the inputs for `batch` examples.
  ///
  /// It allocates no memory and never waits for another prediction. With one thread, it takes no
  /// lock and makes no system call, except in custom layers. With more, it wakes sleeping threads.
  ///
  /// - Parameter batch: the number of examples in the inputs.
  /// - Throws: ``PredictionError`` when the context is in use, the batch does not fit, a stream has
  ///   become too long for a layer, an ``Embedding`` is given a number that is not an id, a custom
  ///   layer throws, or a check fails. The states of all examples stay as they were.
  public func predict(batch: Int = 1) throws(PredictionError) {
    _ = try run(batch: batch, until: StopCondition())
  }

  /// Computes the outputs as ``predict(batch:)``, checking the stop signal before each step.
  ///
  /// - Parameters:
  ///   - batch: the number of examples in the inputs.
  ///   - stop: the signal, polled before each step.
  /// - Throws: ``RunnerError`` when the signal was raised before the last step, otherwise as
  ///   ``predict(batch:)``.
  public func predict(batch: Int = 1, until stop: borrowing StopSignal) throws {
    if try !run(batch: batch, until: stop.condition) { try stop.check() }
  }

  /// Returns whether the prediction ran to the end before `stop` was met.
  private func run(batch: Int, until stop: StopCondition) throws(PredictionError) -> Bool {
    guard (1...maximumBatch).contains(batch) else {
      throw .wrongBatch(batch, maximum: maximumBatch, remedy: "Context(network, batch: …)")
    }
    guard begin() else { throw .busy }
    defer { end() }
    let isDone = try network.run(memory, batch: batch, until: stop)
    if isDone { memory.advance(batch: batch) }
    return isDone
  }

  /// Claims the context for a prediction; returns whether it was free.
  private func begin() -> Bool {
    let own = ForkCount.current + 1
    var running = runningIn.load(ordering: .relaxed)
    while running != own {
      let (isTaken, other) = runningIn.compareExchange(
        expected: running, desired: own, ordering: .acquiring)
      if isTaken { return true }
      running = other
    }
    return false
  }

  private func end() { runningIn.store(0, ordering: .releasing) }

  /// Computes the output of one example directly from the caller's values.
  ///
  /// - Parameters:
  ///   - input: the values of the only input.
  ///   - output: memory for exactly the values of the only output.
  /// - Throws: ``PredictionError`` when the model has several inputs or outputs or a count does not
  ///   fit, otherwise as ``predict(batch:)``.
  public func predict(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(PredictionError) {
    try network.checkSingleOutput()
    try network.checkSingleInput()
    guard begin() else { throw .busy }
    // The context stays in use until the output is copied, lest another prediction overwrite it.
    defer { end() }
    try takeLength(ofInput: 0, count: input.count)
    let target = try values(ofInput: 0, count: input.count)
    let source = memory.values(ofOutput: 0, example: 0)
    guard output.count == source.count else {
      throw .wrongOutputCount(
        output.count, output: network.outputNames[0], needs: source.count)
    }
    input.withUnsafeBufferPointer { _ = target.update(fromContentsOf: $0) }
    try network.run(memory, batch: 1)
    memory.advance(batch: 1)
    output.withUnsafeMutableBufferPointer { _ = $0.update(fromContentsOf: source) }
  }

  /// Claims the context, passes its memory to `body` and releases it.
  func exclusively<Result>(
    _ body: (PredictionMemory) throws(PredictionError) -> Result
  ) throws(PredictionError) -> Result {
    guard begin() else { throw .busy }
    defer { end() }
    return try body(memory)
  }

  /// The length of the sequences in the inputs, up to ``CompiledModel/maximumLength``; `nil` if all
  /// sizes are fixed.
  ///
  /// It is that of the last prediction whose values were given, or what ``setLength(_:)`` has set;
  /// at first it is the maximum.
  public var length: Int? { network.sequenceLength?.sizes[memory.length] }

  /// Sets the length of the sequences in the inputs, for ``predict(batch:)``.
  ///
  /// The values of an input or output are the first ones of its memory. Examples of a batch have
  /// one length and are as far apart as the longest.
  ///
  /// - Parameter length: the length, up to ``CompiledModel/maximumLength``: the size of the first
  ///   axis that follows it.
  /// - Throws: ``PredictionError`` when the network takes no such length, or the context is in use.
  public func setLength(_ length: Int) throws(PredictionError) {
    let place = try network.place(ofLength: length)
    guard begin() else { throw .busy }
    defer { end() }
    memory.set(length: place)
  }

  /// Sets the length to that of this many values of an input.
  private func takeLength(ofInput index: Int, count: Int) throws(PredictionError) {
    if let length = try network.sequenceLength?.length(ofInput: index, count: count) {
      memory.set(length: length)
    }
  }

  /// The memory of an input for one of the examples, when `count` values fit it.
  func values(
    ofInput index: Int, count: Int, example: Int = 0
  ) throws(PredictionError) -> UnsafeMutableBufferPointer<Float> {
    guard count == memory.count(ofInput: index) else {
      throw .wrongValueCount(
        count, input: network.inputNames[index], needs: memory.count(ofInput: index),
        shape: Shape(sizes: memory.sizes(ofInput: index)), batch: 1,
        remedy: network.maximumLength == nil
          ? nil : "call setLength(_:) first for a sequence of a different length")
    }
    try check(example: example)
    return memory.values(ofInput: index, example: example)
  }

  /// Checks that there is such an example.
  func check(example: Int) throws(PredictionError) {
    guard (0..<maximumBatch).contains(example) else {
      throw .wrongExample(example, count: maximumBatch, remedy: "Context(network, batch: …)")
    }
  }
}

extension PredictionMemory {
  /// The values of an output of one of the examples.
  func tensor(ofOutput index: Int, example: Int = 0) -> TensorValues {
    TensorValues(
      shape: Shape(sizes: sizes(ofOutput: index)),
      values: Array(values(ofOutput: index, example: example)))
  }

  /// Sets the source rectangle of a resize; `nil` is the whole image.
  func crop(_ layer: String, to crop: CropRectangle?) throws(PredictionError) {
    switch setCrop(crop, of: layer) {
    case nil: break
    case .outside(let slot):
      throw .wrongCrop(layer, crop ?? slot.whole, width: slot.width, height: slot.height)
    case .noSuchLayer:
      throw .unknownName(layer, what: "Resize layer", known: executable.cropSlots.map(\.name))
    }
  }
}
