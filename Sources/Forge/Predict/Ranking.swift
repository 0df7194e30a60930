/// A class and its probability.
public struct RankedClass: Hashable, Sendable, CustomStringConvertible {
  /// The index into the output.
  public let index: Int
  /// The label, if labels were given.
  public let label: String?
  /// The value of the output at the index.
  public let probability: Float

  /// The class with its probability: `7: 0.9987`, or with the label in place of the index.
  public var description: String { "\(label?.printable ?? "\(index)"): \(probability)" }
}

extension Array where Element == Float {
  /// The `k` largest values with their indices, largest first; ties are ordered by index.
  ///
  /// NaN ranks below every number.
  ///
  /// - Parameters:
  ///   - k: the number of classes, capped at the number of values.
  ///   - labels: the meaning of each index, where known.
  /// - Returns: the classes, largest first.
  public func top(k: Int, labels: [String] = []) -> [RankedClass] {
    // NaN sorts after every number.
    let key = { (index: Int) -> (Int, Float, Int) in
      self[index].isNaN ? (1, 0, index) : (0, -self[index], index)
    }
    let order = indices.sorted { key($0) < key($1) }
    return order.prefix(Swift.max(k, 0)).map { index in
      RankedClass(
        index: index, label: labels.indices.contains(index) ? labels[index] : nil,
        probability: self[index])
    }
  }
}
