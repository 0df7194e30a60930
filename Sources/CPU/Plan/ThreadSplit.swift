import ForgeOperations

/// Decides, when a plan is made, how many threads a step is worth dealing out to.
///
/// The work is estimated on the low side of what a core does, so that the answer is a function of
/// the step alone and the same on every machine.
package struct ThreadSplit: Sendable {
  /// Multiply-adds per second of one core: 50 GFLOP/s are 25 billion.
  package static let multiplyAddsPerSecond = 25e9
  /// Bytes per second that one core reads and writes.
  package static let bytesPerSecond = 10e9
  /// The least work of one thread in seconds.
  ///
  /// To hand out and join a step takes below a microsecond with
  /// workers awake, so that a step of twice this is the first to gain.
  package static let smallestShare = 10e-6

  /// The least work of one thread in seconds; 0 deals out every step that has tiles for it, for
  /// tests.
  package let smallestShare: Double

  /// A split with a least work of one thread.
  package init(smallestShare: Double = Self.smallestShare) { self.smallestShare = smallestShare }

  /// The split of plans.
  static let standard = ThreadSplit()

  /// How long a step takes on one core, about.
  package static func seconds(multiplyAdds: Int, bytes: Int) -> Double {
    max(Double(multiplyAdds) / multiplyAddsPerSecond, Double(bytes) / bytesPerSecond)
  }

  /// The most threads that a step may be dealt out to: at least 1, at most one per tile.
  package func mostThreads(tiles: Int, multiplyAdds: Int, bytes: Int) -> Int {
    let most = max(min(tiles, CompileOptions.Threads.maximum), 1)
    guard smallestShare > 0 else { return most }
    let shares = Self.seconds(multiplyAdds: multiplyAdds, bytes: bytes) / smallestShare
    return shares < Double(most) ? max(Int(shares), 1) : most
  }

  /// The pieces that the share of a thread is cut into, so that a thread which is done can take
  /// some of another's.
  ///
  /// On a machine with other work on it two cores are seldom equally fast: on a virtual one 20 %
  /// apart from one half of a millisecond to the next.
  package func pieces(threads: Int, multiplyAdds: Int, bytes: Int) -> Int {
    guard threads > 1 else { return 1 }
    guard smallestShare > 0 else { return Self.mostPieces }
    // Shares are those of two threads: with more there are others enough to take a piece.
    let seconds = Self.seconds(multiplyAdds: multiplyAdds, bytes: bytes) / 2
    let pieces = seconds / Self.smallestPiece
    return pieces < Double(Self.mostPieces) ? max(Int(pieces), 1) : Self.mostPieces
  }

  /// The least work of a piece in seconds, by the same estimate.
  package static let smallestPiece = 20e-6
  /// The most pieces of a share.
  package static let mostPieces = 8

  /// The parts of an image that are dealt out instead of tiles; 1 deals out tiles.
  ///
  /// To read a cache line that another core wrote costs tens of nanoseconds. Where every step of a
  /// network deals out rows of the image, a thread finds most of what it reads in its own cache. On
  /// small images of many channels rows are too few, and weights, which every thread would read
  /// whole, are the larger part.
  package func parts(tiles: Int, parts: Int, threads: Int, pixels: Int) -> Int {
    guard threads > 1, parts >= threads, tiles.isMultiple(of: parts), pixels >= Self.rowsFrom else {
      return 1
    }
    return parts
  }

  /// The pixels from which on rows are dealt out: more than 14×14 have, which take 2 % longer so on
  /// one thread (their weights are used for half of the image at a time) and as long on two.
  package static let rowsFrom = 200
}
