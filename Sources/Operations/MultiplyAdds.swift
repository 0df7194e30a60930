import ForgeShapes

/// Counts of multiply-adds, which saturate at `Int.max`.
package enum MultiplyAdds {
  /// The number of elements of `output` times all `factors`; 0 while its size is not known.
  package static func perElement(of output: Shape, _ factors: Int...) -> Int {
    factors.reduce(output.elementCount ?? 0) { $0.multipliedSaturated(by: max($1, 0)) }
  }

  /// The sum of two counts.
  package static func sum(_ a: Int, _ b: Int) -> Int { a.addingSaturated(b) }
}
