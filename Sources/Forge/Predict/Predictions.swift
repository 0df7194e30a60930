import ForgeShapes

/// The results of one prediction, found by name or by the `Tensor` that described them.
///
/// ```swift
/// let predictions = try network.predict(["image": picture])
/// let boxes = predictions["boxes"]?.values
/// ```
public struct Predictions: Sendable {
  /// The names of the results, shared by all predictions of a network.
  let table: TensorTable
  /// The outputs of the model, then the kept layers.
  package let tensors: [TensorValues]

  /// The outputs of the model by the names of their layers.
  public var outputs: [String: TensorValues] { named(0..<table.modelCount) }

  /// The layers that `keep` named.
  public var kept: [String: TensorValues] { named(table.modelCount..<tensors.count) }

  /// An output or a kept layer; `nil` if the model has none of that name.
  ///
  /// - Parameter reference: the name, or the tensor that described it.
  public subscript(reference: some TensorReference) -> TensorValues? {
    table.index(of: reference).flatMap { tensors.indices.contains($0) ? tensors[$0] : nil }
  }

  private func named(_ range: Range<Int>) -> [String: TensorValues] {
    Dictionary(
      range.map { (table.names[$0], tensors[$0]) }, uniquingKeysWith: { _, last in last })
  }
}

extension Predictions: Equatable {
  /// Whether names, shapes and values are equal.
  public static func == (a: Predictions, b: Predictions) -> Bool {
    a.tensors == b.tensors && a.table.names == b.table.names
  }
}

extension Predictions: CustomStringConvertible {
  /// The names and the shapes of the results.
  public var description: String {
    zip(table.names, tensors).map { "\($0.printable): \($1.shape)" }.joined(separator: "\n")
  }
}
