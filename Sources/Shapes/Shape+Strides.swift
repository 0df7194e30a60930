extension Shape {
  /// The strides of a tensor in row-major order: for each axis the distance in elements between
  /// neighbors, such as [12, 4, 1] for the sizes [2, 3, 4].
  ///
  /// - Parameter sizes: the sizes, outermost first; not negative.
  /// - Returns: the strides; those beyond the bounds of `Int` are its largest number.
  package static func strides(of sizes: [Int]) -> [Int] {
    var strides = Array(repeating: 1, count: sizes.count)
    for axis in sizes.indices.dropLast().reversed() {
      strides[axis] = strides[axis + 1].multipliedSaturated(by: sizes[axis + 1])
    }
    return strides
  }

  /// The strides with which a tensor in row-major order is read as one of larger sizes: 0 along
  /// each axis that it lacks or that has the size 1.
  ///
  /// - Parameters:
  ///   - sizes: the sizes of the tensor, at most as many as those of the target.
  ///   - target: the sizes that it is broadcast to.
  /// - Returns: a stride for each axis of the target.
  package static func strides(of sizes: [Int], broadcastTo target: [Int]) -> [Int] {
    let repeated = Array(repeating: 0, count: max(target.count - sizes.count, 0))
    return repeated + zip(sizes, strides(of: sizes)).map { $0 == 1 ? 0 : $1 }
  }
}
