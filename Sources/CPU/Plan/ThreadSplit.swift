import ForgeOperations

/// Decides at planning time how many threads a step is worth.
///
/// The estimate uses conservative rates, so that the result depends only on the step and is the
/// same on every machine.
package struct ThreadSplit: Sendable {
  /// The assumed multiply-adds per second of one core.
  package static let multiplyAddsPerSecond = 25e9
  /// The assumed bytes per second that one core reads and writes.
  package static let bytesPerSecond = 10e9
  /// The minimum work per thread in seconds.
  ///
  /// It is well above the cost of starting and joining a step with awake workers. Two threads share
  /// a step from twice this work on.
  package static let smallestShare = 10e-6

  /// The minimum work per thread in seconds; 0, for tests, splits every step that has several
  /// tiles.
  package let smallestShare: Double

  /// Creates a split with a minimum work per thread.
  package init(smallestShare: Double = Self.smallestShare) { self.smallestShare = smallestShare }

  /// Returns the estimated seconds of a step on one core.
  package static func seconds(
    multiplyAdds: Int, bytes: Int, bytesPerSecond: Double = bytesPerSecond
  ) -> Double {
    max(Double(multiplyAdds) / multiplyAddsPerSecond, Double(bytes) / bytesPerSecond)
  }

  /// Returns the maximum number of threads for a step: at least 1, at most one per tile.
  package func mostThreads(tiles: Int, multiplyAdds: Int, bytes: Int) -> Int {
    count(
      Self.seconds(multiplyAdds: multiplyAdds, bytes: bytes), of: smallestShare,
      most: max(min(tiles, CompileOptions.Threads.maximum), 1))
  }

  /// Returns the number of pieces that each thread's share is divided into.
  ///
  /// A thread that has finished its share takes pieces of another's. On a machine with other load,
  /// cores are seldom equally fast.
  package func pieces(threads: Int, multiplyAdds: Int, bytes: Int) -> Int {
    guard threads > 1 else { return 1 }
    // Assumes two threads: more threads have enough others to take pieces.
    let seconds =
      Self.seconds(
        multiplyAdds: multiplyAdds, bytes: bytes, bytesPerSecond: Self.cachedBytesPerSecond) / 2
    return count(seconds, of: Self.smallestPiece, most: Self.mostPieces)
  }

  /// Returns the number of shares of this many seconds in the work, 1 to `most`.
  private func count(_ seconds: Double, of share: Double, most: Int) -> Int {
    guard smallestShare > 0, seconds / share < Double(most) else { return most }
    return max(Int(seconds / share), 1)
  }

  /// The assumed bytes per second that one core reads from its cache.
  ///
  /// Pieces of steps that read weights are larger for it: between two pieces a core reads code that
  /// the weights have evicted from its second-level cache.
  package static let cachedBytesPerSecond = 40e9
  /// The minimum estimated work of a piece in seconds.
  package static let smallestPiece = 20e-6
  /// The maximum number of pieces per share.
  package static let mostPieces = 8

  /// Returns the number of image parts that threads share instead of tiles; 1 shares tiles.
  ///
  /// Reading a cache line that another core wrote is slow. If every step of a network shares rows
  /// of the image, each thread finds most of its inputs in its own cache. Small images of many
  /// channels have too few rows, and each thread would read all weights, which are larger than the
  /// image.
  package func parts(tiles: Int, parts: Int, threads: Int, pixels: Int) -> Int {
    guard threads > 1, parts >= threads, tiles.isMultiple(of: parts), pixels >= Self.rowsFrom else {
      return 1
    }
    return parts
  }

  /// The minimum number of pixels for sharing rows.
  ///
  /// Smaller images do not gain: their weights would be read for each half of the image.
  package static let rowsFrom = 150
}
