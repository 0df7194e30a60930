extension ParameterSpec {
  /// The sizes this parameter has in a file of some layout; `nil` when the layout does not fit it.
  package func sizes(in layout: ParameterLayout) -> [Int]? {
    guard let order = layout.order(for: self) else { return nil }
    let known = Dictionary(zip(axes, sizes)) { first, _ in first }
    return order.map { known[$0] ?? 1 }
  }

  /// Whether stored sizes are this parameter's.
  ///
  /// Files leave out axes of 1 and put neighbouring axes together, as a dense layer's rows, columns
  /// and channels.
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
