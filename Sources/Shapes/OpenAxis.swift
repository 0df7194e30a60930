/// An axis of an input whose size each prediction chooses, apart from axes of other names.
package struct OpenAxis: Hashable, Sendable {
  /// The position of the axis.
  package let axis: Int
  /// The name of the size; axes of one name have one size in a prediction.
  package let name: String
  /// The sizes that it may have.
  package let sizes: SizeProgression

  package init(axis: Int, name: String, sizes: SizeProgression) {
    (self.axis, self.name, self.sizes) = (axis, name, sizes)
  }
}
