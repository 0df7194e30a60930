/// The order of the axes that frameworks with channels first give a sequence, which Forge has as
/// [steps][channels].
package enum SequenceAxes {
  /// Steps, channels: what recurrent layers, attention and dense layers of each step make.
  case stepsFirst
  /// Channels, steps: what convolutions and poolings along the steps make.
  case channelsFirst
  /// The order of another value.
  case like(Lowering.Value)
}

extension Lowering {
  /// States the axes of a sequence that this layer makes, for weights that meet its values after a
  /// `Flatten`.
  package mutating func state(_ axes: SequenceAxes, of sequence: Value) {
    sequenceAxes.append((sequence, axes))
  }
}
