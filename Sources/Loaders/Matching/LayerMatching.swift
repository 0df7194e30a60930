/// How the layers of the model and of a file find each other.
public enum LayerMatching: Sendable {
  /// By name.
  case byName
  /// One after the other, counting only layers that have parameters; names do not matter.
  ///
  /// A `.weights.h5` of Keras 3 keeps the order only among layers of one class; there, each
  /// layer takes the next of the one class whose shapes fit.
  case inOrder
}
