import Forge
import Testing

/// How many threads a step uses.
@Suite struct ThreadSplitTests {
  @Test func smallStepsUseOneThread() {
    let split = ThreadSplit()
    // 20 µs are half a million multiply-adds or 200 kB.
    #expect(split.mostThreads(tiles: 100, multiplyAdds: 499_999, bytes: 0) == 1)
    #expect(split.mostThreads(tiles: 100, multiplyAdds: 500_000, bytes: 0) == 2)
    #expect(split.mostThreads(tiles: 100, multiplyAdds: 0, bytes: 199_999) == 1)
    #expect(split.mostThreads(tiles: 100, multiplyAdds: 0, bytes: 200_000) == 2)
    #expect(split.mostThreads(tiles: 100, multiplyAdds: 0, bytes: 0) == 1)
  }

  @Test func threadsScaleWithWorkUpToTiles() {
    let split = ThreadSplit()
    #expect(split.mostThreads(tiles: 100, multiplyAdds: 1_799_999, bytes: 0) == 7)
    #expect(split.mostThreads(tiles: 7, multiplyAdds: 1 << 40, bytes: 0) == 7)
    #expect(split.mostThreads(tiles: 1, multiplyAdds: 1 << 40, bytes: 1 << 40) == 1)
    #expect(split.mostThreads(tiles: 0, multiplyAdds: 1 << 40, bytes: 0) == 1)
    #expect(
      split.mostThreads(tiles: .max, multiplyAdds: .max, bytes: .max)
        == CompileOptions.Threads.maximum)
  }

  @Test func forcedSplittingOfEveryStep() {
    let split = ThreadSplit(smallestShare: 0)
    #expect(split.mostThreads(tiles: 5, multiplyAdds: 0, bytes: 0) == 5)
    #expect(split.mostThreads(tiles: 0, multiplyAdds: 0, bytes: 0) == 1)
  }

  /// A piece takes 20 µs on one of two threads: a million multiply-adds of the step or 1.6 MB.
  @Test func pieceSizes() {
    let split = ThreadSplit()
    #expect(split.pieces(threads: 2, multiplyAdds: 1_999_999, bytes: 0) == 1)
    #expect(split.pieces(threads: 2, multiplyAdds: 2_000_000, bytes: 0) == 2)
    #expect(split.pieces(threads: 2, multiplyAdds: 0, bytes: 3_199_999) == 1)
    #expect(split.pieces(threads: 2, multiplyAdds: 0, bytes: 3_200_000) == 2)
    #expect(split.pieces(threads: 16, multiplyAdds: 0, bytes: 4_800_000) == 3)
    #expect(split.pieces(threads: 2, multiplyAdds: .max, bytes: .max) == ThreadSplit.mostPieces)
    #expect(split.pieces(threads: 2, multiplyAdds: 0, bytes: 0) == 1)
    #expect(split.pieces(threads: 1, multiplyAdds: .max, bytes: .max) == 1)
    // Tests cut every step.
    let all = ThreadSplit(smallestShare: 0)
    #expect(all.pieces(threads: 2, multiplyAdds: 0, bytes: 0) == ThreadSplit.mostPieces)
    #expect(all.pieces(threads: 1, multiplyAdds: 0, bytes: 0) == 1)
  }

  /// Rows of images of 150 pixels and more are distributed, otherwise tiles.
  @Test func largeImagesSplitByRows() {
    let split = ThreadSplit()
    #expect(ThreadSplit.rowsFrom == 150)
    for pixels in [0, 1, 49, 149] {
      #expect(split.parts(tiles: 48, parts: 12, threads: 4, pixels: pixels) == 1)
    }
    for pixels in [150, 151, .max] {
      #expect(split.parts(tiles: 48, parts: 12, threads: 4, pixels: pixels) == 12)
      #expect(split.parts(tiles: 12, parts: 12, threads: 2, pixels: pixels) == 12)
      #expect(split.parts(tiles: 48, parts: 12, threads: 1, pixels: pixels) == 1)
      // Tiles of which there are not as many for each part.
      #expect(split.parts(tiles: 47, parts: 12, threads: 4, pixels: pixels) == 1)
      #expect(split.parts(tiles: 48, parts: 1, threads: 4, pixels: pixels) == 1)
      #expect(split.parts(tiles: 48, parts: 0, threads: 4, pixels: pixels) == 1)
    }
  }

  @Test func machineLimitsThreadOptions() {
    let cores = Device.UsableCores(logical: 8, physical: 4)
    #expect(CompileOptions.Threads.automatic.count(usable: cores) == 4)
    #expect((3 as CompileOptions.Threads).count(usable: cores) == 3)
    #expect(CompileOptions.Threads.atMost(20).count(usable: cores) == 8)
    #expect(CompileOptions.Threads.exactly(20).count(usable: cores) == 20)
    let many = Device.UsableCores(logical: 512, physical: 256)
    #expect(CompileOptions.Threads.automatic.count(usable: many) == 16)
    #expect(CompileOptions.Threads.atMost(200).count(usable: many) == 200)
  }
}
