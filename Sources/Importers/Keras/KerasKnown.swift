/// What Forge knows of Keras by name, so that tests find what has no case.
package enum KerasKnown {
  /// The class names of layers in Keras 3, or in the last version that has them.
  package static var layers: [String] { KerasClasses.all.map { $0.names[0] } }
  /// The names of functions in `keras.ops`.
  package static var functions: [String] { KerasFunctions.all.map { $0.names[0] } }
  /// The names of activations.
  package static var activations: [String] {
    KerasFunctions.all.filter { if case .none = $0.activation { false } else { true } }
      .map { $0.names[0] }
  }
  /// All names of layers, and all of functions.
  package static var names: (layers: [String], functions: [String]) {
    (KerasClasses.all.flatMap(\.names), KerasFunctions.all.flatMap(\.names))
  }
}
