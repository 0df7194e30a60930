import Forge

/// The strides of an array in row-major order.
package struct AxisStrides {
  /// The distance of neighbors along each axis.
  package let values: [Int]

  package init(_ sizes: [Int]) {
    var stride = 1
    values = sizes.reversed().map { size in
      defer { stride = stride.multipliedSaturated(by: size) }
      return stride
    }.reversed()
  }

  /// The elements at all positions of `sizes` in row-major order; positions outside are 0.
  package static func gather(
    _ values: [Float], from start: Int, sizes: [Int], strides: [Int]
  ) -> [Float] {
    guard let count = Shape.product(of: sizes), count > 0 else { return [] }
    var result: [Float] = []
    result.reserveCapacity(count)
    var position = Array(repeating: 0, count: sizes.count)
    var offset = start
    while true {
      result.append(values.indices.contains(offset) ? values[offset] : 0)
      var axis = sizes.count - 1
      while axis >= 0 {
        position[axis] += 1
        offset += strides[axis]
        if position[axis] < sizes[axis] { break }
        offset -= position[axis] * strides[axis]
        position[axis] = 0
        axis -= 1
      }
      if axis < 0 { return result }
    }
  }
}
