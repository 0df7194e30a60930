/// Reordering of the axes of arrays.
package enum AxisOrder {
  /// Copies elements of `byteCount` bytes into row-major order, the last axis innermost.
  ///
  /// The sizes are those of the target, outermost first. The strides are the distances, in
  /// elements, between neighbors in the source along each of these axes.
  package static func gather(
    _ source: UnsafeRawBufferPointer, sizes: [Int], strides: [Int], byteCount: Int,
    into target: UnsafeMutableRawBufferPointer
  ) {
    switch byteCount {
    case 1: copy(source, sizes, strides, as: UInt8.self, target)
    case 2: copy(source, sizes, strides, as: UInt16.self, target)
    case 4: copy(source, sizes, strides, as: UInt32.self, target)
    default: copy(source, sizes, strides, as: UInt64.self, target)
    }
  }

  private static func copy<Element: BitwiseCopyable>(
    _ source: UnsafeRawBufferPointer, _ sizes: [Int], _ strides: [Int], as type: Element.Type,
    _ target: UnsafeMutableRawBufferPointer
  ) {
    let width = MemoryLayout<Element>.size
    var position = Array(repeating: 0, count: sizes.count)
    var from = 0
    for to in 0..<(target.count / width) {
      let element = source.loadUnaligned(fromByteOffset: from * width, as: type)
      target.storeBytes(of: element, toByteOffset: to * width, as: type)
      var axis = sizes.count - 1
      while axis >= 0 {
        position[axis] += 1
        from += strides[axis]
        if position[axis] < sizes[axis] { break }
        from -= strides[axis] * sizes[axis]
        position[axis] = 0
        axis -= 1
      }
    }
  }
}
