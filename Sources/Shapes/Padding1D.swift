/// What a window layer does at the ends of a sequence.
public enum Padding1D: Hashable, Sendable {
  /// As much zero padding as makes the output ⌈input / stride⌉ steps.
  ///
  /// An odd amount puts the extra step at the end, as TensorFlow does.
  case same
  /// No padding: windows lie entirely inside the input.
  case valid
  /// Zero padding at the start only, so that no output depends on later steps: as many steps as a
  /// dilated kernel covers before its last tap.
  case causal
  /// The steps before are the last ones of the prediction before, in the same context or session;
  /// zeros before the first.
  ///
  /// The parts of a sequence, predicted one after the other, then give the outputs of the whole
  /// sequence with ``causal``. Convolutions take it. A part has a multiple of `stride` steps.
  case streaming
  /// A number of padding steps at each end.
  case explicit(before: Int, after: Int)
}
