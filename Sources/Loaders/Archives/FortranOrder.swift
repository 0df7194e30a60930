/// The memory order of Fortran and MATLAB, where the first axis is the innermost.
///
/// NumPy writes it for every transposed matrix.
enum FortranOrder {
  /// Puts elements into the order in which the last axis is the innermost.
  ///
  /// - Parameters:
  ///   - source: the elements, the first axis innermost.
  ///   - sizes: the size of each axis.
  ///   - byteCount: the bytes of an element.
  ///   - target: receives the elements; as large as `source`, which is as large as the sizes need.
  static func undo(
    _ source: UnsafeRawBufferPointer, sizes: [Int], _ byteCount: Int,
    into target: UnsafeMutableRawBufferPointer
  ) {
    switch byteCount {
    case 1: copy(source, sizes, as: UInt8.self, target)
    case 2: copy(source, sizes, as: UInt16.self, target)
    case 4: copy(source, sizes, as: UInt32.self, target)
    default: copy(source, sizes, as: UInt64.self, target)
    }
  }

  private static func copy<Element: BitwiseCopyable>(
    _ source: UnsafeRawBufferPointer, _ sizes: [Int], as type: Element.Type,
    _ target: UnsafeMutableRawBufferPointer
  ) {
    let width = MemoryLayout<Element>.size
    var strides: [Int] = []
    var stride = 1
    for size in sizes {
      strides.append(stride)
      stride *= size
    }
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
