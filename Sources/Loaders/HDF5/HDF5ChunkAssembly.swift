/// Copies the chunks of a dataset to their places.
struct HDF5ChunkAssembly {
  /// The sizes of the dataset and of a chunk; the last in bytes.
  ///
  /// Last axes that a chunk covers whole are merged with the axis before them.
  private let sizes: [Int]
  private let chunk: [Int]
  private let counts: [Int]

  init(_ layout: HDF5Chunks) {
    var sizes = layout.sizes
    var chunk = layout.chunk
    var counts = layout.counts
    sizes[sizes.count - 1] *= layout.elementByteCount
    chunk[chunk.count - 1] *= layout.elementByteCount
    while let size = sizes.last, sizes.count > 1, size == chunk.last {
      sizes.removeLast()
      chunk.removeLast()
      counts.removeLast()
      sizes[sizes.count - 1] *= size
      chunk[chunk.count - 1] *= size
    }
    self.sizes = sizes
    self.chunk = chunk
    self.counts = counts
  }

  /// The bytes of the dataset that are a chunk; `nil` unless they are contiguous and complete.
  func place(of number: Int) -> Range<Int>? {
    guard sizes.count == 1 else { return nil }
    let start = number * chunk[0]
    return start + chunk[0] <= sizes[0] ? start..<start + chunk[0] : nil
  }

  /// Copies the values of a chunk that are inside the dataset.
  func copy(
    _ bytes: UnsafeRawBufferPointer, of number: Int, into values: UnsafeMutableRawBufferPointer
  ) {
    let starts = zip(HDF5Chunks.place(of: number, counts), chunk).map { $0 * $1 }
    let last = sizes.count - 1
    let lengths = sizes.indices.map { min(chunk[$0], sizes[$0] - starts[$0]) }
    var position = Array(repeating: 0, count: last)
    while true {
      var source = 0
      var target = 0
      for axis in 0..<last {
        source = source * chunk[axis] + position[axis]
        target = target * sizes[axis] + starts[axis] + position[axis]
      }
      source *= chunk[last]
      target = target * sizes[last] + starts[last]
      UnsafeMutableRawBufferPointer(rebasing: values[target..<target + lengths[last]])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[source..<source + lengths[last]]))
      // The next row.
      var axis = last - 1
      while axis >= 0 {
        position[axis] += 1
        if position[axis] < lengths[axis] { break }
        position[axis] = 0
        axis -= 1
      }
      if axis < 0 { return }
    }
  }
}
