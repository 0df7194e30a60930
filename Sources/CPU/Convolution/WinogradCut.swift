import CForgeKernels
import ForgeSystem

/// The division of a Winograd convolution into chunks of tiles, and its scratch memory.
struct WinogradCut {
  /// Whether the whole image is transformed in a separate step.
  ///
  /// Threads then share panels of output channels; otherwise they share chunks. One thread always
  /// works in chunks.
  let isWhole: Bool
  /// The number of tiles in the image.
  let tiles: Int
  /// The floats of scratch for all threads, and the distance between the parts of two threads.
  let transformedFloats, productsFloats, transformedWorker, productsWorker: Int

  /// The largest weights, in bytes, that stay in the second-level cache, of which AVX-512 servers
  /// have at least 1 MB.
  private static let nearWeights = 512 << 10
  /// The bytes of a chunk's intermediate results that stay in the second-level cache next to such
  /// weights.
  ///
  /// A chunk may be as small as one row of the micro-kernel.
  private static let chunkBytesNear = 512 << 10
  /// The bytes of a chunk's intermediate results if each chunk reloads the weights.
  ///
  /// Fewer chunks reload less; still larger ones bring no further gain.
  private static let chunkBytesFar = 1280 << 10

  /// Chooses the chunk size for the sizes in `arguments` and stores it there.
  init(_ arguments: inout forge_winograd_arguments, threads: Int) {
    let lanes = PlannedTensor.lanes
    arguments.chunk = .max
    var layout = forge_winograd_layout_of(&arguments)
    tiles = Int(layout.tiles)
    let channels =
      Int(layout.phases) * AlignedMemory.round(Int(arguments.in.channels), to: lanes)
      + Int(arguments.panel_width)
    let bytesPerTile = Int(layout.points) * channels * MemoryLayout<Float>.stride
    let weightBytes =
      Int(layout.points * layout.phases) * MemoryLayout<Float>.stride
      * AlignedMemory.round(Int(arguments.in.channels), to: lanes) * Int(arguments.out.channels)
    // A chunk is a whole number of micro-kernel rows of 6 tiles.
    let isNear = weightBytes <= Self.nearWeights
    let fitting = max(
      (isNear ? Self.chunkBytesNear : Self.chunkBytesFar) / bytesPerTile / 6 * 6, isNear ? 6 : 24)
    let panels =
      (Int(arguments.out.channels) + Int(arguments.panel_width) - 1)
      / Int(arguments.panel_width)
    var chunks = max((tiles + fitting / 2) / fitting, 1)
    if threads > 1, chunks < 2 * threads {
      // Balances the threads at the cost of reading the weights again for each additional chunk.
      let even = (chunks...chunks + threads).first { (panels * $0).isMultiple(of: threads) }
      chunks = min(even ?? chunks, tiles)
    }
    arguments.chunk = Int32(clamping: (tiles + chunks - 1) / chunks)
    layout = forge_winograd_layout_of(&arguments)
    isWhole = threads > 1 && chunks < 2 * threads
    transformedWorker = isWhole ? 0 : Int(layout.transformed_floats)
    productsWorker = Int(layout.products_floats)
    transformedFloats =
      Int(layout.transformed_floats) * (isWhole ? Int(layout.chunks) : threads)
    productsFloats = productsWorker * threads
  }
}
