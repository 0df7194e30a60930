import CForgeKernels
import ForgeSystem

/// How a Winograd convolution is cut into chunks of tiles, and the scratch that takes.
struct WinogradCut {
  /// Whether the image is transformed as a whole, in a step of its own.
  ///
  /// Threads then share out panels of output channels; else they share out chunks. One thread fares
  /// as well either way.
  let isWhole: Bool
  /// The tiles of the image.
  let tiles: Int
  /// The floats of scratch, all threads together, and from one thread's part to the next's.
  let transformedFloats, productsFloats, transformedWorker, productsWorker: Int

  /// The bytes up to which weights stay in the second cache, of which 1 MB is the least that
  /// servers with AVX-512 have.
  private static let nearWeights = 512 << 10
  /// What a chunk reads and writes between its stages should stay in the second cache beside such
  /// weights.
  ///
  /// Chunks may be as small as one row of the micro-kernel.
  private static let chunkBytesNear = 512 << 10
  /// The same beside weights that come from far anew for every chunk: the fewer chunks, the better.
  ///
  /// Larger ones gain no more.
  private static let chunkBytesFar = 1280 << 10

  /// Chooses the chunk for the sizes in `arguments` and sets it there.
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
    // Whole rows of the micro-kernel, which takes 6 tiles at once.
    let isNear = weightBytes <= Self.nearWeights
    let fitting = max(
      (isNear ? Self.chunkBytesNear : Self.chunkBytesFar) / bytesPerTile / 6 * 6, isNear ? 6 : 24)
    let panels =
      (Int(arguments.out.channels) + Int(arguments.panel_width) - 1)
      / Int(arguments.panel_width)
    var chunks = max((tiles + fitting / 2) / fitting, 1)
    if threads > 1, chunks < 2 * threads {
      // All threads equally busy, at the price of weights read once more for each chunk.
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
