extension ParameterSpec {
  /// The sizes of this parameter in a file of some layout; `nil` when the layout does not fit it.
  package func sizes(in layout: ParameterLayout) -> [Int]? {
    guard let order = layout.order(for: self) else { return nil }
    let known = Dictionary(zip(axes, sizes)) { first, _ in first }
    return order.map { known[$0] ?? 1 }
  }

  /// Whether stored sizes fit this parameter.
  ///
  /// Files may omit axes of size 1 and merge adjacent axes, such as the rows, columns and channels
  /// of a dense layer.
  package func fits(_ stored: [Int], in layout: ParameterLayout) -> Bool {
    guard let needed = sizes(in: layout) else { return false }
    var rest = needed.filter { $0 != 1 }[...]
    for size in stored where size != 1 {
      guard var left = rest.popFirst(), left > 0 else { return false }
      while left < size, let next = rest.popFirst() {
        let (product, overflow) = left.multipliedReportingOverflow(by: next)
        guard !overflow else { return false }
        left = product
      }
      guard left == size else { return false }
    }
    return rest.isEmpty
  }
}
