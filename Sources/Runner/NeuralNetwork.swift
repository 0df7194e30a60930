/// Anything that predicts: what a ``Runner`` drives, whatever is inside.
///
/// A prediction has three stages in one slot, the memory of one prediction in flight. A slot is
/// used by one prediction at a time, which the runner sees to; a network may be used from any
/// thread.
public protocol NeuralNetwork: Sendable {
  /// What one prediction is given.
  associatedtype Input: Sendable
  /// What one prediction gives.
  associatedtype Prediction: Sendable
  /// Intermediate results that go with a prediction; nothing unless stated.
  associatedtype Kept: Sendable = Void
  /// The memory of one prediction in flight.
  associatedtype Slot

  /// Makes the memory of one more prediction in flight.
  func makeSlot() throws -> Slot
  /// Prepares an input and writes it into a slot.
  func encode(_ input: Input, into slot: Slot) throws
  /// Computes what the slot holds.
  func run(_ slot: Slot) throws
  /// Computes what the slot holds, and stops between two steps when it is not wanted any more.
  ///
  /// Unless a network has its own, this checks once and calls ``run(_:)``.
  func run(_ slot: Slot, until stop: borrowing StopSignal) throws
  /// Reads the result out of a slot.
  func fetch(from slot: Slot) throws -> Prediction
  /// Reads intermediate results out of a slot, after ``fetch(from:)``.
  func kept(in slot: Slot) throws -> Kept
}

extension NeuralNetwork {
  /// Checks once and runs.
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
  /// Makes the memory of one more prediction of up to `batch` examples.
  func makeSlot(batch: Int) throws -> Slot
  /// Prepares an input and writes it into a slot as example `index`.
  func encode(_ input: Input, into slot: Slot, at index: Int) throws
  /// Computes the first `batch` examples of a slot, and stops between two steps when they are not
  /// wanted any more.
  func run(_ slot: Slot, batch: Int, until stop: borrowing StopSignal) throws
  /// Reads the result of example `index` out of a slot.
  func fetch(from slot: Slot, at index: Int) throws -> Prediction
  /// Reads intermediate results of example `index` out of a slot.
  func kept(in slot: Slot, at index: Int) throws -> Kept
}

extension BatchNetwork where Kept == Void {
  /// No intermediate results.
  public func kept(in slot: Slot, at index: Int) {}
}
