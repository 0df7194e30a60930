extension ParameterSpec {
  /// The sizes of this parameter in a file of some layout; `nil` when the layout does not fit it.
  package func sizes(in layout: ParameterLayout) -> [Int]? {
    guard let order = layout.order(for: self) else { return nil }
    let known = Dictionary(zip(axes, sizes)) { first, _ in first }
    return order.map { known[$0] ?? 1 }
  }

  /// Whether stored sizes fit this parameter.
  ///
  /// Files may omit axes of size 1. They may merge adjacent axes, such as the rows, columns and
  /// channels of a dense layer. They may split an axis, such as the outputs of a dense layer into
  /// heads and channels.
  package func fits(_ stored: [Int], in layout: ParameterLayout) -> Bool {
    guard let needed = sizes(in: layout) else { return false }
    var (neededSizes, other) = (needed.filter { $0 != 1 }[...], stored.filter { $0 != 1 }[...])
    while let first = neededSizes.popFirst() {
      guard let second = other.popFirst() else { return false }
      let isMerged =
        first <= second
        ? Self.takes(&neededSizes, after: first, until: second)
        : Self.takes(&other, after: second, until: first)
      guard isMerged else { return false }
    }
    return other.isEmpty
  }

  /// Takes axes until the product of their sizes and `first` is `target`; returns whether it is.
  private static func takes(
    _ sizes: inout ArraySlice<Int>, after first: Int, until target: Int
  ) -> Bool {
    guard first > 0 else { return false }
    var product = first
    while product < target, let next = sizes.popFirst() {
      let (larger, overflow) = product.multipliedReportingOverflow(by: next)
      guard !overflow, larger > 0 else { return false }
      product = larger
    }
    return product == target
  }
}
