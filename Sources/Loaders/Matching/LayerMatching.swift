/// How the layers of a model and a file are matched.
public enum LayerMatching: Sendable {
  /// By name.
  case byName
  /// In order, regardless of names; layers without parameters are skipped.
  ///
  /// A `.weights.h5` of Keras 3 keeps the order only among layers of one class; there, each layer
  /// takes the next layer of the only class whose shapes fit.
  case inOrder
}
