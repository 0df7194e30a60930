/// A network that a ``Runner`` can run.
///
/// A prediction has three stages: encode, run and fetch. They use a slot, which is the memory of
/// one prediction in flight. The runner never uses a slot for two predictions at once. A network
/// may be used from any thread.
public protocol NeuralNetwork: Sendable {
  /// The input of one prediction.
  associatedtype Input: Sendable
  /// The result of one prediction.
  associatedtype Prediction: Sendable
  /// The intermediate results of a prediction; `Void` by default.
  associatedtype Kept: Sendable = Void
  /// The memory of one prediction in flight.
  associatedtype Slot

  /// The number of cores it may use, if not those of the affinity mask; `nil` by default.
  var usableCores: Int? { get }
  /// Allocates the memory of another prediction in flight.
  func makeSlot() throws -> Slot
  /// Allocates the memory of another prediction, which uses at most `threads` threads.
  ///
  /// By default this calls ``makeSlot()``.
  func makeSlot(threads: Int) throws -> Slot
  /// Encodes an input and writes it into a slot.
  func encode(_ input: Input, into slot: Slot) throws
  /// Runs the prediction in a slot.
  func run(_ slot: Slot) throws
  /// Runs the prediction in a slot, checking the stop signal between steps.
  ///
  /// By default this checks once and calls ``run(_:)``.
  func run(_ slot: Slot, until stop: borrowing StopSignal) throws
  /// Reads the result from a slot.
  func fetch(from slot: Slot) throws -> Prediction
  /// Reads intermediate results from a slot, after ``fetch(from:)``.
  func kept(in slot: Slot) throws -> Kept
}

extension NeuralNetwork {
  /// `nil`, for the cores of the affinity mask.
  public var usableCores: Int? { nil }

  /// Calls ``makeSlot()``, ignoring `threads`.
  public func makeSlot(threads: Int) throws -> Slot { try makeSlot() }

  /// Checks the stop signal once and runs.
  public func run(_ slot: Slot, until stop: borrowing StopSignal) throws {
    try stop.check()
    try run(slot)
  }
}

extension NeuralNetwork where Kept == Void {
  /// No intermediate results.
  public func kept(in slot: Slot) {}
}

/// A network whose slots can hold several examples, for micro-batches.
public protocol BatchNetwork: NeuralNetwork {
  /// Allocates the memory of another batch of up to `batch` examples.
  func makeSlot(batch: Int) throws -> Slot
  /// Allocates the memory of another batch of up to `batch` examples on at most `threads` threads.
  ///
  /// By default this calls ``makeSlot(batch:)``.
  func makeSlot(batch: Int, threads: Int) throws -> Slot
  /// Encodes an input and writes it into a slot as example `index`.
  func encode(_ input: Input, into slot: Slot, at index: Int) throws
  /// Runs the first `batch` examples of a slot, checking the stop signal between steps.
  func run(_ slot: Slot, batch: Int, until stop: borrowing StopSignal) throws
  /// Reads the result of example `index` from a slot.
  func fetch(from slot: Slot, at index: Int) throws -> Prediction
  /// Reads intermediate results of example `index` from a slot.
  func kept(in slot: Slot, at index: Int) throws -> Kept
}

extension BatchNetwork {
  /// Calls ``makeSlot(batch:)``, ignoring `threads`.
  public func makeSlot(batch: Int, threads: Int) throws -> Slot { try makeSlot(batch: batch) }
}

extension BatchNetwork where Kept == Void {
  /// No intermediate results.
  public func kept(in slot: Slot, at index: Int) {}
}
