import Forge
import ForgeImages
import Foundation
import Synchronization
import Testing

/// Streams of frames: thinned out, at their times, and through networks.
@Suite struct VideoStreamTests {
  /// A frame of one gray pixel, its number.
  private static func frames(
    _ count: Int, rate: Double? = 10
  ) throws -> AsyncStream<VideoFrame> {
    let pool = try VideoFramePool(
      VideoFormat(width: 1, height: 1, pixels: .gray, framesPerSecond: rate))
    let all = try (0..<count).map { index in
      try pool.frame(index: index) { $0.storeBytes(of: UInt8(index), as: UInt8.self) }
    }
    return AsyncStream { continuation in
      for frame in all { continuation.yield(frame) }
      continuation.finish()
    }
  }

  private static func indices<Frames: AsyncSequence>(
    _ frames: Frames
  ) async throws -> [Int] where Frames.Element == VideoFrame {
    var indices: [Int] = []
    for try await frame in frames { indices.append(frame.index) }
    return indices
  }

  @Test func everyNth() async throws {
    for (n, expected) in [
      (-1, Array(0..<7)), (0, Array(0..<7)), (1, Array(0..<7)), (2, [0, 2, 4, 6]), (3, [0, 3, 6]),
      (7, [0]), (Int.max, [0]),
    ] {
      #expect(try await Self.indices(Self.frames(7).everyNth(n)) == expected)
    }
    #expect(try await Self.indices(Self.frames(9).everyNth(2).everyNth(2)) == [0, 4, 8])
  }

  @Test func limitedByTheVideosTime() async throws {
    for (rate, expected) in [
      (10, Array(0..<12)), (5, [0, 2, 4, 6, 8, 10]), (4, [0, 3, 5, 8, 10]), (2.5, [0, 4, 8]),
      (0, [0]), (-3, [0]), (1e-300, [0]), (.infinity, Array(0..<12)), (.nan, Array(0..<12)),
      (1000, Array(0..<12)),
    ] as [(Double, [Int])] {
      #expect(try await Self.indices(Self.frames(12).limited(toRate: rate)) == expected, "\(rate)")
    }
    // Frames without times are all kept.
    let all = try await Self.indices(Self.frames(5, rate: nil).limited(toRate: 1))
    #expect(all == [0, 1, 2, 3, 4])
  }

  /// A clock that moves on with each look.
  private final class SteppingClock: Clock {
    struct Instant: InstantProtocol {
      var time: Duration
      func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
      func duration(to other: Instant) -> Duration { other.time - time }
      static func < (a: Instant, b: Instant) -> Bool { a.time < b.time }
    }

    private let count = Mutex(0)
    let minimumResolution = Duration.zero
    var now: Instant {
      count.withLock { count in
        defer { count += 1 }
        return Instant(time: .milliseconds(100 * count))
      }
    }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
  }

  @Test func limitedByAClock() async throws {
    let kept = try await Self.indices(
      Self.frames(9, rate: nil).limited(toRate: 5, by: SteppingClock()))
    #expect(kept == [0, 2, 4, 6, 8])
  }

  @Test func paced() async throws {
    let clock = ContinuousClock()
    var start = clock.now
    #expect(try await Self.indices(Self.frames(4).paced(speed: 5)) == [0, 1, 2, 3])
    // Three intervals of 100 ms, five times as fast.
    #expect(clock.now - start >= .milliseconds(60))
    for speed in [0, -1, .nan, .infinity, 1e300] {
      start = clock.now
      #expect(try await Self.indices(Self.frames(4).paced(speed: speed)) == [0, 1, 2, 3])
      #expect(clock.now - start < .seconds(60))
    }
    // A task that is canceled does not wait for the second frame.
    let slow = Task { try await Self.indices(Self.frames(2).paced(speed: 1e-6)) }
    slow.cancel()
    if let seen = try? await slow.value { #expect(seen.count < 2) }
  }

  // MARK: Networks

  /// A network that returns the pixel.
  private static func task() throws -> (ImageTask<Float>, Runner<CompiledModel>) {
    let input = Input(width: 1, height: 1, channels: 1, name: "pixel")
    let network = try Model(input: input, output: input --> Scale(1, bias: 1, name: "sum"))
      .compile()
    let task = try ImageTask(
      network, preparation: ImagePreparation(normalization: .raw.ordered(.gray))
    ) { predictions, _ in predictions["sum"]?.values.first ?? .nan }
    return (task, try Runner(network, inflightBuffers: 2))
  }

  @Test func noFrameIsLostThatMayBlock() async throws {
    let (task, runner) = try Self.task()
    let results = try task.predictions(of: Self.frames(200), in: runner)
    var index = 0
    for try await result in results {
      #expect(result.index == index && result.kept.index == index)
      #expect(result.prediction == Float(index) + 1)
      #expect(result.latency >= result.waited && result.waited >= .zero)
      index += 1
    }
    #expect(index == 200)
    #expect(results.dropped == 0)
  }

  @Test(arguments: [StreamPolicy.dropOldest, .dropNewest])
  func dropsAreCounted(_ policy: StreamPolicy) async throws {
    let (task, runner) = try Self.task()
    let results = try task.predictions(of: Self.frames(200), in: runner, policy: policy)
    var last = -1
    var count = 0
    for try await result in results {
      #expect(result.kept.index > last && result.index == result.kept.index)
      #expect(result.prediction == Float(result.kept.index) + 1)
      last = result.kept.index
      count += 1
    }
    #expect(count + results.dropped == 200)
    if policy == .dropOldest { #expect(last == 199) }
    #expect(throws: RunnerError.self) {
      try task.predictions(of: Self.frames(1), in: runner, waiting: -1)
    }
  }

  @Test func anErrorOfTheFramesEndsTheStream() async throws {
    let (task, runner) = try Self.task()
    let bytes = Array("YUV4MPEG2 W1 H1 Cmono\nFRAME\n1FRAME\n2FRAME\n".utf8)
    let reader = try VideoReader(bytes: bytes)
    var values: [Float] = []
    let error = await #expect(throws: ImageError.self) {
      for try await result in try task.predictions(of: reader.frames, in: runner) {
        values.append(result.prediction)
      }
    }
    #expect(error?.kind == .truncated)
    #expect(values == [50, 51])
    // Alone, too.
    let frame = try #require(try VideoReader(bytes: bytes).next())
    #expect(try task.predict(frame) == 50)
    #expect(try await task.predict(frame, in: runner) == 50)
  }
}
