import Forge

/// Selects or delays the frames of a stream before they reach a network.
extension AsyncSequence {
  /// Every n-th element: the first one, the one n positions after it, and so on.
  ///
  /// - Parameter n: the distance between kept elements; 1 or less keeps all.
  /// - Returns: the elements.
  public func everyNth(_ n: Int) -> SelectedFrames<Self> {
    SelectedFrames(base: self) {
      var count = 0
      return { _ in
        defer { count = count + 1 < n ? count + 1 : 0 }
        return count == 0
      }
    }
  }

  /// Limits the rate of elements by the time at which they arrive, as for a camera that delivers
  /// more frames than are needed.
  ///
  /// The other elements are dropped.
  ///
  /// An element is kept if a period has passed since the last kept one was due, so that elements
  /// that arrive a little early or late do not change the rate.
  ///
  /// - Parameters:
  ///   - rate: the elements per second; 0 or less keeps only the first one, NaN and infinity keep
  ///     all.
  ///   - clock: the clock that tells when an element arrives.
  /// - Returns: the elements.
  public func limited<C: Clock & Sendable>(
    toRate rate: Double, by clock: C
  ) -> SelectedFrames<Self> where C.Duration == Duration {
    SelectedFrames(base: self) {
      var limit = RateLimit(rate)
      let start = clock.now
      return { _ in limit.takes(at: start.duration(to: clock.now)) }
    }
  }
}

extension AsyncSequence where Element == VideoFrame {
  /// Limits the rate of frames by their times in the video.
  ///
  /// The other frames are dropped. A file yields the same frames at any reading speed. Frames
  /// without a time are all kept.
  ///
  /// - Parameter rate: the frames per second; 0 or less keeps only the first one.
  /// - Returns: the frames.
  public func limited(toRate rate: Double) -> SelectedFrames<Self> {
    SelectedFrames(base: self) {
      var limit = RateLimit(rate)
      return { frame in frame.time.map { limit.takes(at: $0) } ?? true }
    }
  }

  /// Delivers each frame at its time, as a camera does.
  ///
  /// A frame whose time has passed is delivered at once, and so is a frame without a time.
  ///
  /// - Parameter speed: the speed of playback, 1 for real time; at 0 or less, and at infinity, no
  ///   frame waits.
  /// - Returns: the frames.
  public func paced(speed: Double = 1) -> PacedFrames<Self> {
    PacedFrames(base: self, speed: speed)
  }
}

/// Selects at most a number of moments per second.
struct RateLimit {
  private let period: Duration?
  private var due: Duration?
  /// How much too early a moment may be, because times are rounded.
  private static let tolerance = Duration.microseconds(10)

  init(_ rate: Double) {
    let seconds = 1 / rate
    if rate <= 0 || seconds > 1e9 {
      period = .seconds(1_000_000_000)
    } else {
      // NaN and infinity do not limit.
      period = seconds > 0 ? .seconds(seconds) : nil
    }
  }

  /// Whether an element at a moment is kept.
  mutating func takes(at moment: Duration) -> Bool {
    guard let period else { return true }
    guard let last = due else {
      due = moment + period
      return true
    }
    guard moment + Self.tolerance >= last else { return false }
    // After a pause the rate starts again.
    due = moment - last < period ? last + period : moment + period
    return true
  }
}

/// The elements of a sequence that a rule selects.
public struct SelectedFrames<Base: AsyncSequence>: AsyncSequence {
  /// The element of the sequence.
  public typealias Element = Base.Element

  let base: Base
  /// Makes the rule of one iteration.
  let makeRule: @Sendable () -> (Element) -> Bool

  /// Creates an iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), rule: makeRule())
  }

  /// Iterates over the elements.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: Base.AsyncIterator
    fileprivate let rule: (Element) -> Bool

    /// The next element.
    ///
    /// - Returns: the element; `nil` after the last one.
    /// - Throws: what the sequence throws.
    public mutating func next() async throws -> Element? {
      while let element = try await base.next() {
        if rule(element) { return element }
      }
      return nil
    }
  }
}

extension SelectedFrames: Sendable where Base: Sendable {}

/// The frames of a sequence, each delivered at its time.
public struct PacedFrames<Base: AsyncSequence>: AsyncSequence where Base.Element == VideoFrame {
  /// A frame.
  public typealias Element = VideoFrame

  let base: Base
  let speed: Double

  /// Creates an iterator, whose first frame is due at once.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), speed: speed)
  }

  /// Iterates over the frames.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: Base.AsyncIterator
    fileprivate let speed: Double
    private var origin: (time: Duration, moment: ContinuousClock.Instant)?

    fileprivate init(base: Base.AsyncIterator, speed: Double) {
      (self.base, self.speed) = (base, speed)
    }

    /// The next frame, when it is due.
    ///
    /// - Returns: the frame; `nil` after the last one.
    /// - Throws: what the sequence throws; `CancellationError` when the task is canceled.
    public mutating func next() async throws -> VideoFrame? {
      guard let frame = try await base.next() else { return nil }
      guard let time = frame.time, speed > 0, speed.isFinite else { return frame }
      let start = origin ?? (time, .now)
      origin = start
      let seconds = (time - start.time) / .seconds(1) / speed
      if seconds > 0, seconds < 1e9 {
        try await Task.sleep(until: start.moment + .seconds(seconds), tolerance: .zero)
      }
      return frame
    }
  }
}

extension PacedFrames: Sendable where Base: Sendable {}
