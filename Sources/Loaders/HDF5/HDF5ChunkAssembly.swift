/// Copies the chunks of a dataset to their positions.
struct HDF5ChunkAssembly {
  /// The sizes of the dataset and of a chunk; the innermost is in bytes.
  ///
  /// Innermost axes that a chunk covers completely are merged with the preceding axis.
  private var sizes: [Int]
  private var chunk: [Int]
  private var counts: [Int]

  init(_ layout: HDF5Chunks) {
    sizes = layout.sizes
    chunk = layout.chunk
    counts = layout.counts
    sizes[sizes.count - 1] *= layout.elementByteCount
    chunk[chunk.count - 1] *= layout.elementByteCount
    while let size = sizes.last, sizes.count > 1, size == chunk.last {
      sizes.removeLast()
      chunk.removeLast()
      counts.removeLast()
      sizes[sizes.count - 1] *= size
      chunk[chunk.count - 1] *= size
    }
  }

  /// The byte range of a chunk in the dataset; `nil` unless it is contiguous and complete.
  func place(of number: Int) -> Range<Int>? {
    guard sizes.count == 1 else { return nil }
    let start = number * chunk[0]
    return start + chunk[0] <= sizes[0] ? start..<start + chunk[0] : nil
  }

  /// Copies the values of a chunk that lie inside the dataset.
  func copy(
    _ bytes: UnsafeRawBufferPointer, of number: Int, into values: UnsafeMutableRawBufferPointer
  ) {
    let starts = zip(HDF5Chunks.place(of: number, counts), chunk).map { $0 * $1 }
    let lengths = sizes.indices.map { min(chunk[$0], sizes[$0] - starts[$0]) }
    /// Copies the part of the chunk at a fixed index of the axes before `axis`.
    func copyRows(_ axis: Int, from source: Int, to target: Int) {
      let first = target + starts[axis]
      guard axis < sizes.count - 1 else {
        let row = UnsafeRawBufferPointer(rebasing: bytes[source..<source + lengths[axis]])
        return UnsafeMutableRawBufferPointer(rebasing: values[first..<first + row.count])
          .copyMemory(from: row)
      }
      for index in 0..<lengths[axis] {
        copyRows(
          axis + 1, from: (source + index) * chunk[axis + 1], to: (first + index) * sizes[axis + 1])
      }
    }
    copyRows(0, from: 0, to: 0)
  }
}
