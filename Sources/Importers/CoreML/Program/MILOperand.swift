import Forge

/// What an operation of an ML Program reads or makes.
enum MILOperand: Sendable {
  /// A tensor.
  case value(FileValue)
  /// Stored integers of a width that Forge's tensors do not have.
  case packed(MILPacked)
  /// Texts, such as a mode or the labels of classes.
  case texts([String])
}
