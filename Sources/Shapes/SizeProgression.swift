/// The sizes that an axis may have, from prediction to prediction: `first`, `first + step`, … up to
/// a largest one.
///
/// A length of a model's sequences is a number from 1 to ``count``. Each axis that follows it has
/// the size at that place of its own progression.
package struct SizeProgression: Hashable, Sendable, Encodable {
  package let first, step: Int
  /// The number of sizes.
  package let count: Int

  /// The sizes from `first` through `last`, as those of Swift's `stride(from:through:by:)`.
  ///
  /// It is `nil` if there are none, or if a number is not from 1 to
  /// ``ConvolutionGeometry/maximumArgument``.
  package init?(from first: Int, through last: Int, by step: Int) {
    let allowed = 1...ConvolutionGeometry.maximumArgument
    guard allowed.contains(first), allowed.contains(last), allowed.contains(step), first <= last
    else { return nil }
    (self.first, self.step) = (first, step)
    count = (last - first) / step + 1
  }

  /// The largest size.
  package var last: Int { self[count] }

  /// The size in the middle, by which it is found what follows the sizes.
  package var middle: Int { self[(count + 1) / 2] }

  /// The size at a place from 1 to ``count``.
  package subscript(place: Int) -> Int { first + (place - 1) * step }

  /// The place of a size; `nil` for one that is none of them.
  package func place(of size: Int) -> Int? {
    guard size >= first, size <= last, (size - first).isMultiple(of: step) else { return nil }
    return (size - first) / step + 1
  }

  /// The size as a function of its place.
  package var polynomial: LengthSize { LengthSize(first - step, times: step) }

  /// The sizes as messages write them: `from 1 to 512`, `from 400 to 160080 in steps of 320`.
  package var text: String {
    "from \(first) to \(last)" + (step == 1 ? "" : " in steps of \(step)")
  }
}

/// An axis of an input whose size each prediction chooses.
package struct LengthAxis: Hashable, Sendable, Encodable {
  package let axis: Int
  /// The sizes that it may have.
  package let sizes: SizeProgression

  package init(axis: Int, sizes: SizeProgression) { (self.axis, self.sizes) = (axis, sizes) }
}
