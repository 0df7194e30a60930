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
  /// The memory of one prediction in flight.
  associatedtype Slot

  /// Makes the memory of one more prediction in flight.
  func makeSlot() throws -> Slot
  /// Prepares an input and writes it into a slot.
  func encode(_ input: Input, into slot: Slot) throws
  /// Computes what the slot holds.
  func run(_ slot: Slot) throws
  /// Reads the result out of a slot.
  func fetch(from slot: Slot) throws -> Prediction
}
