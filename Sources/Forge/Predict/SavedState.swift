import ForgeShapes

/// The states of a network's layers at one moment of a stream.
///
/// ``ContextState/saved(example:)`` and a session of a runner return them.
public struct SavedState: Hashable, Sendable {
  /// The names of the states, such as `gru1.hidden`, in the order of the layers.
  public let names: [String]
  /// The values of each state with their sizes.
  public let values: [TensorValues]

  init(names: [String], values: [TensorValues]) {
    (self.names, self.values) = (names, values)
  }

  /// The values of a state; `nil` if there is none of this name.
  ///
  /// - Parameter name: the name.
  public subscript(name: String) -> TensorValues? {
    names.firstIndex(of: name).map { values[$0] }
  }

  /// Names and sizes as messages have them.
  static func text(_ names: [String], _ shapes: [Shape]) -> String {
    guard !names.isEmpty else { return "no states" }
    let shown = zip(names, shapes).prefix(4).map { "\"\($0)\" (\($1.sizeText))" }
    return (shown + (names.count > 4 ? ["…"] : [])).joined(separator: ", ")
  }
}
